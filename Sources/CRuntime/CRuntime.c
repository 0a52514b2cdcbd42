// For memmem and madvise.
#define _GNU_SOURCE
#include "CRuntime.h"

#include <string.h>
#include <sys/mman.h>

_Thread_local struct domesday_construction domesday_construction_state;
const char domesday_sampling_marker = 0;

void domesday_will_fill(void *start, size_t byte_count) {
#ifdef MADV_HUGEPAGE
    const uintptr_t large = 2 << 20;
    uintptr_t first = ((uintptr_t)start + large - 1) & ~(large - 1);
    uintptr_t end = ((uintptr_t)start + byte_count) & ~(large - 1);
    if (first < end) madvise((void *)first, end - first, MADV_HUGEPAGE);
#endif
}

const void *domesday_find(const void *bytes, size_t count, const void *needle,
                          size_t needle_count) {
    return memmem(bytes, count, needle, needle_count);
}

// Executors.

typedef struct {
    uintptr_t identity, implementation;
} executor_reference;

__attribute__((swiftcall)) executor_reference swift_task_getCurrentExecutor(void);

uintptr_t domesday_current_executor(void) { return swift_task_getCurrentExecutor().identity; }

// Queues. Deprecated for being used as a lock; what it answers is what dispatch_get_specific asks.

void *dispatch_get_current_queue(void);

uintptr_t domesday_current_queue(void) { return (uintptr_t)dispatch_get_current_queue(); }

// Objects.

void *swift_tryRetain(void *object);

void *domesday_retain_if_alive(void *object) { return swift_tryRetain(object); }

// The table of types. Layouts: swift/shims/MetadataSections.h and swift/ABI/Metadata.h; stable on
// Linux for the fields used here.

typedef struct {
    uintptr_t start;
    size_t length;
} section_range;

typedef struct {
    uintptr_t version;
    const void *base;
    void *unused[2];
    section_range protocols, conformances, types;
} sections;

void swift_enumerateAllMetadataSections(bool (*body)(const sections *, void *), void *context);

typedef struct {
    const void *metadata;
    size_t state;
} metadata_response;

typedef __attribute__((swiftcall)) metadata_response (*metadata_accessor)(size_t request);

typedef struct {
    uint32_t flags;
    int32_t parent, name, accessor, fields, superclass;
} class_descriptor;

typedef struct {
    void (*body)(const void *, void *);
    void *context;
} visitor;

static const void *relative(const int32_t *field) { return (const char *)field + *field; }

enum { kind_mask = 0x1f, kind_class = 16, flag_generic = 0x80 };

static bool visit_sections(const sections *image, void *context) {
    const visitor *v = context;
    const int32_t *record = (const int32_t *)image->types.start;
    const int32_t *end = (const int32_t *)(image->types.start + image->types.length);
    for (; record < end; record++) {
        // The two low bits say what is referred to: 0 a descriptor, 1 a pointer to one.
        int32_t offset = *record & ~3, kind = *record & 3;
        if (offset == 0 || kind > 1) continue;
        const void *target = (const char *)record + offset;
        const class_descriptor *type = kind == 0 ? target : *(const void *const *)target;
        if (!type || (type->flags & kind_mask) != kind_class || (type->flags & flag_generic)) continue;
        if (type->superclass == 0 || type->accessor == 0) continue;
        metadata_accessor accessor = (metadata_accessor)relative(&type->accessor);
        const void *metadata = accessor(0).metadata;
        if (metadata) v->body(metadata, v->context);
    }
    return true;
}

void domesday_enumerate_classes(void (*body)(const void *, void *), void *context) {
    visitor v = {body, context};
    swift_enumerateAllMetadataSections(visit_sections, &v);
}
