// What the object layer needs from C: a thread-local construction context, the thread pointer,
// the current executor, and the process's table of Swift types.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// The state of "an accessor is being made on this thread".
///
/// `making` is the metatype of the class whose init() runs for an accessor, NULL otherwise. While it
/// is set, property wrappers keep no value and evaluate no default. The address of
/// `domesday_sampling_marker` in its place means that a class's sample instance is being made:
/// wrappers evaluate their defaults and report themselves to the recorder.
struct domesday_construction {
    const void *_Nullable making;
    /// Unretained recorder of the sample being made, or NULL.
    const void *_Nullable recorder;
};

// A fixed offset from the thread pointer: making an object asks for it once per property.
extern _Thread_local struct domesday_construction domesday_construction_state
    __attribute__((tls_model("initial-exec")));
extern const char domesday_sampling_marker;

static inline struct domesday_construction *domesday_construction_get(void) {
    return &domesday_construction_state;
}

static inline bool domesday_is_constructing(void) {
    return domesday_construction_state.making != NULL;
}

static inline const void *domesday_sampling_marker_get(void) { return &domesday_sampling_marker; }

/// Whether it is a sample, not an accessor, that is being made.
static inline bool domesday_is_sampling(void) {
    return domesday_construction_state.making == &domesday_sampling_marker;
}

/// A number, never 0, that differs between any two living threads; one instruction.
static inline uintptr_t domesday_thread_identity(void) {
    return (uintptr_t)__builtin_thread_pointer();
}

/// Publishes what was written before it to every thread that loads `*place` with acquire.
static inline void domesday_store_release(void *place, uint64_t value) {
    __atomic_store_n((uint64_t *)place, value, __ATOMIC_RELEASE);
}

static inline uint64_t domesday_load_acquire(const void *place) {
    return __atomic_load_n((const uint64_t *)place, __ATOMIC_ACQUIRE);
}

/// Asks for the memory at an address, which need not be valid, to be brought near.
static inline void domesday_prefetch(const void *place) { __builtin_prefetch(place); }

/// Tells the system that a block will soon be written from end to end, so that it may map it in large
/// pieces: else the first touch of each page is an interruption. Advice: nothing depends on it.
void domesday_will_fill(void *start, size_t byte_count);

/// The first occurrence of `needle` in `bytes`, NULL if there is none.
const void *_Nullable domesday_find(const void *bytes, size_t count, const void *needle,
                                    size_t needle_count);

/// Retains a Swift object unless its last reference is gone: then NULL. Its memory must be there.
void *_Nullable domesday_retain_if_alive(void *object);

/// The identity of the executor that runs the current code; 0 outside any actor.
uintptr_t domesday_current_executor(void);

/// The address of the dispatch queue whose block the current code runs in, or of a queue of the
/// system's outside any. Only to be compared.
uintptr_t domesday_current_queue(void);

/// Calls `body` with the metatype of every non-generic class with a superclass in the process.
void domesday_enumerate_classes(void (*body)(const void *metatype, void *context), void *context);

#pragma clang assume_nonnull end
