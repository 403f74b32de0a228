/* Builds with PARSIM_EXACT, which go with the address sanitizer: memory that is handed out in parts
 * has room between the parts that nobody may touch, and none to spare at its end, so that an access
 * that leaves its part is seen although it stays in the block. In other builds all of this is
 * nothing. */
#ifndef BASE_EXACT_H
#define BASE_EXACT_H

#include "base/common.h"

#include <string.h>

#ifdef PARSIM_EXACT
#include <sanitizer/asan_interface.h>
enum { EXACT = 1, EXACT_GAP = 64 };
#define EXACT_FORBID(p, bytes) __asan_poison_memory_region(p, bytes)
#define EXACT_ALLOW(p, bytes)  __asan_unpoison_memory_region(p, bytes)
#define EXACT_READS_ALL        __attribute__((no_sanitize("address"))) /* gaps, too */
#else
enum { EXACT = 0, EXACT_GAP = 0 };
#define EXACT_FORBID(p, bytes) ((void)(p), (void)(bytes))
#define EXACT_ALLOW(p, bytes)  ((void)(p), (void)(bytes))
#define EXACT_READS_ALL
#endif

/* Copies and compares a block with the gaps in it: memcpy() and memcmp() where there are none. */
EXACT_READS_ALL static inline void exact_copy_all(char *to, const char *from, size_t bytes)
{
    if (!EXACT)
        memcpy(to, from, bytes);
    for (volatile size_t i = 0; EXACT && i < bytes; i++) /* it must not become a memcpy() again */
        to[i] = from[i];
}

EXACT_READS_ALL static inline bool exact_is_same(const char *a, const char *b, size_t bytes)
{
    size_t i = 0;
    if (!EXACT)
        return !memcmp(a, b, bytes);
    while (i < bytes && a[i] == b[i])
        i++;
    return i == bytes;
}

/* What a part of `bytes` bytes takes of its block. */
static inline uint64_t exact_room(uint64_t bytes)
{
    return EXACT ? align_up(bytes, EXACT_GAP ? EXACT_GAP : 1) + EXACT_GAP : bytes;
}

#endif
