/* Lane by lane, one function a size of a word. */
#include "jit/read_lanes.h"

#include <string.h>

/* The sign says that an access may not begin there. */
static inline uint64_t wrong(uint64_t addr, uint64_t lo, int64_t size, unsigned align)
{
    const uint64_t off = addr - lo;
    return off | ((uint64_t)size - off) | (0 - (addr & (align - 1)));
}

static inline uint64_t find_outside(const uint64_t *addr, uint64_t lo, int64_t size, unsigned align,
                                    uint64_t active)
{
    uint64_t any = 0, outside = 0;
    for (unsigned l = 0; l < RUN_STRIP_LANES; l++)
        any |= wrong(addr[l], lo, size, align);
    if (any >> 63)
        for (unsigned l = 0; l < RUN_STRIP_LANES; l++)
            outside |= (wrong(addr[l], lo, size, align) >> 63) << l;
    return outside & active;
}

#define READ_LANE(from, n)                                                    \
    do {                                                                      \
        from has_[n];                                                         \
        memcpy(has_, (const char *)(uintptr_t)(addr[l] + host), sizeof has_); \
        for (unsigned k = 0; k < (n); k++)                                    \
            words[k][l] = has_[k];                                            \
    } while (0)

#define READ_LANES(name, from, to, n)                                                      \
    static uint64_t name(uint64_t *room, uint64_t lo, int64_t size, uint64_t host,         \
                         uint64_t active, uint32_t *count)                                 \
    {                                                                                      \
        enum { ALL = (1 << RUN_STRIP_LANES) - 1 };                                         \
        ++*count;                                                                          \
        to words[n][RUN_STRIP_LANES] = {{0}};                                              \
        const uint64_t *addr = room;                                                       \
        const uint64_t outside = find_outside(addr, lo, size, sizeof(from) * (n), active); \
        const uint64_t reads = active & ~outside;                                          \
        if (reads == ALL)                                                                  \
            for (unsigned l = 0; l < RUN_STRIP_LANES; l++)                                 \
                READ_LANE(from, n);                                                        \
        else                                                                               \
            for (unsigned l = 0; l < RUN_STRIP_LANES; l++)                                 \
                if (reads >> l & 1)                                                        \
                    READ_LANE(from, n);                                                    \
        memcpy(room, words, sizeof words);                                                 \
        return outside;                                                                    \
    }

READ_LANES(read_8, uint8_t, uint32_t, 1)
READ_LANES(read_16, uint16_t, uint32_t, 1)
READ_LANES(read_32, uint32_t, uint32_t, 1)
READ_LANES(read_32x2, uint32_t, uint32_t, 2)
READ_LANES(read_32x4, uint32_t, uint32_t, 4)
READ_LANES(read_64, uint64_t, uint64_t, 1)
READ_LANES(read_64x2, uint64_t, uint64_t, 2)

read_lanes_fn *read_lanes_of(unsigned bits, unsigned n)
{
    switch (bits) {
    case 8:
        return read_8;
    case 16:
        return read_16;
    case 32:
        return n == 1 ? read_32 : n == 2 ? read_32x2 : read_32x4;
    default:
        return n == 1 ? read_64 : read_64x2;
    }
}
