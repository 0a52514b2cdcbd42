// What processes that share a store need from C: locks on single bytes of a file, numbers in shared
// memory that are read and written whole, and sleeping until one of them changes.
#pragma once
#include <fcntl.h>
#include <linux/futex.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Linux's numbers, the same on every architecture we build for; <fcntl.h> hides them without
// _GNU_SOURCE, which a module map cannot set.
#ifndef F_OFD_GETLK
#define F_OFD_GETLK 36
#define F_OFD_SETLK 37
#endif

enum domesday_lock { domesday_lock_none, domesday_lock_shared, domesday_lock_exclusive };

static inline struct flock domesday_lock_description(int64_t start, int64_t count,
                                                     enum domesday_lock kind) {
    struct flock lock;
    memset(&lock, 0, sizeof lock);
    lock.l_type = kind == domesday_lock_none     ? F_UNLCK
                  : kind == domesday_lock_shared ? F_RDLCK
                                                 : F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = start;
    lock.l_len = count;
    return lock;
}

/// Takes or fails to take the lock on bytes of an open file, or drops it; a count of 0 means all to
/// the end. Returns 0, or -1 with errno EAGAIN or EACCES if another open file description holds it.
///
/// An OFD lock goes with the open file description: closing another descriptor of the same file
/// does not drop it, and the kernel drops it when the process dies. It does go on while a child
/// that is just being spawned has a copy of the descriptor, so it is dropped before the file is
/// closed.
static inline int domesday_lock_bytes(int descriptor, int64_t start, int64_t count,
                                      enum domesday_lock kind) {
    struct flock lock = domesday_lock_description(start, count, kind);
    return fcntl(descriptor, F_OFD_SETLK, &lock);
}

/// Whether another open file description holds any lock on a byte; -1 if that cannot be told.
static inline int domesday_is_byte_locked(int descriptor, int64_t byte) {
    struct flock lock = domesday_lock_description(byte, 1, domesday_lock_exclusive);
    if (fcntl(descriptor, F_OFD_GETLK, &lock) != 0) return -1;
    return lock.l_type != F_UNLCK;
}

static inline uint32_t domesday_shared_load32(const void *place) {
    return __atomic_load_n((const uint32_t *)place, __ATOMIC_SEQ_CST);
}

static inline void domesday_shared_store32(void *place, uint32_t value) {
    __atomic_store_n((uint32_t *)place, value, __ATOMIC_SEQ_CST);
}

static inline void domesday_shared_count32(void *place) {
    __atomic_fetch_add((uint32_t *)place, 1, __ATOMIC_SEQ_CST);
}

static inline uint64_t domesday_shared_load64(const void *place) {
    return __atomic_load_n((const uint64_t *)place, __ATOMIC_SEQ_CST);
}

static inline void domesday_shared_store64(void *place, uint64_t value) {
    __atomic_store_n((uint64_t *)place, value, __ATOMIC_SEQ_CST);
}

/// Puts a number in the place of another one, if that stands there.
static inline void domesday_shared_replace64(void *place, uint64_t old, uint64_t value) {
    __atomic_compare_exchange_n((uint64_t *)place, &old, value, 0, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
}

/// Sleeps while a number in shared memory is `expected`, until somebody wakes those who sleep there
/// or the time is over (never, if it is negative). May return early.
static inline void domesday_sleep_while(const void *place, uint32_t expected, int64_t nanoseconds) {
    struct timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    syscall(SYS_futex, place, FUTEX_WAIT, expected, nanoseconds < 0 ? (void *)0 : &time, (void *)0,
            0);
}

/// Wakes all, of whatever process, that sleep at a number.
static inline void domesday_wake(void *place) {
    syscall(SYS_futex, place, FUTEX_WAKE, 0x7fffffff, (void *)0, (void *)0, 0);
}
