#include "exec/memory_lanes.h"

#include "base/cpu.h"

#include <string.h>

extern const struct memory_lanes MV(memory_lanes);

#define N WARP_LANES

static void addresses(const void *src, unsigned bytes, int64_t imm, uint32_t mask, addr_t *out,
                      struct addr_span *span)
{
    addr_t a[N];
    if (bytes == 8) {
        const uint64_t *s = src;
        for (unsigned i = 0; i < N; i++)
            a[i] = s[i] + (uint64_t)imm;
    } else {
        const uint32_t *s = src;
        for (unsigned i = 0; i < N; i++)
            a[i] = (uint32_t)(s[i] + (uint32_t)imm);
    }
    if (mask != UINT32_MAX) {
        addr_t first = a[__builtin_ctz(mask)];
        for (unsigned i = 0; i < N; i++)
            a[i] = (mask >> i) & 1 ? a[i] : first;
    }
    /* Addresses are below 2^63 or wild; as signed numbers wild ones still fall outside. */
    int64_t lo = (int64_t)a[0], hi = (int64_t)a[0];
    uint64_t low = 0;
    for (unsigned i = 0; i < N; i++) {
        int64_t v = (int64_t)a[i];
        lo = v < lo ? v : lo;
        hi = v > hi ? v : hi;
        low |= a[i];
    }
    memcpy(out, a, sizeof a);
    span->min = (addr_t)lo;
    span->max = (addr_t)hi;
    span->low = low;
}

static bool is_sequence(const addr_t *addr, uint64_t step)
{
    uint64_t diff = 0, want = addr[0];
    for (unsigned i = 0; i < N; i++)
        diff |= addr[i] ^ (want + i * step);
    return !diff;
}

#define GATHER(type)                                                            \
    do {                                                                        \
        type *t = tmp;                                                          \
        for (unsigned i = 0; i < N; i++)                                        \
            memcpy(&t[i], (const char *)(uintptr_t)(addr[i] + off), sizeof *t); \
    } while (0)

typedef struct {
    uint64_t w[2];
} wide;

static void gather(const addr_t *addr, uint64_t off, unsigned bytes, void *tmp)
{
    switch (bytes) {
    case 1:
        GATHER(uint8_t);
        break;
    case 2:
        GATHER(uint16_t);
        break;
    case 4:
        GATHER(uint32_t);
        break;
    case 8:
        GATHER(uint64_t);
        break;
    default:
        GATHER(wide);
        break;
    }
}

/* to[l] = from[l] where the mask says so. */
#define BLEND(to_type, from_type)                              \
    do {                                                       \
        to_type *d = reg;                                      \
        const from_type *s = tmp;                              \
        if (mask == UINT32_MAX) {                              \
            for (unsigned i = 0; i < N; i++)                   \
                d[i] = (to_type)s[i];                          \
        } else {                                               \
            for (unsigned i = 0; i < N; i++)                   \
                d[i] = (mask >> i) & 1 ? (to_type)s[i] : d[i]; \
        }                                                      \
    } while (0)

#define BLEND_FROM(to_type)               \
    do {                                  \
        if (is_signed) {                  \
            switch (bytes) {              \
            case 1:                       \
                BLEND(to_type, int8_t);   \
                break;                    \
            case 2:                       \
                BLEND(to_type, int16_t);  \
                break;                    \
            case 4:                       \
                BLEND(to_type, int32_t);  \
                break;                    \
            default:                      \
                BLEND(to_type, int64_t);  \
                break;                    \
            }                             \
        } else {                          \
            switch (bytes) {              \
            case 1:                       \
                BLEND(to_type, uint8_t);  \
                break;                    \
            case 2:                       \
                BLEND(to_type, uint16_t); \
                break;                    \
            case 4:                       \
                BLEND(to_type, uint32_t); \
                break;                    \
            default:                      \
                BLEND(to_type, uint64_t); \
                break;                    \
            }                             \
        }                                 \
    } while (0)

static void put(void *reg, unsigned reg_bytes, const void *tmp, unsigned bytes, bool is_signed,
                uint32_t mask)
{
    switch (reg_bytes) {
    case 2:
        BLEND_FROM(uint16_t);
        break;
    case 4:
        BLEND_FROM(uint32_t);
        break;
    case 8:
        BLEND_FROM(uint64_t);
        break;
    default: {
        wide *d = reg;
        const wide *s = tmp;
        for (unsigned i = 0; i < N; i++)
            if ((mask >> i) & 1)
                d[i] = s[i];
    }
    }
}

#define SCATTER(type)                                                                             \
    do {                                                                                          \
        for (uint32_t m = mask; m; m &= m - 1) {                                                  \
            unsigned i = (unsigned)__builtin_ctz(m);                                              \
            memcpy((char *)(uintptr_t)(addr[i] + off), (const char *)reg + (size_t)i * reg_bytes, \
                   sizeof(type));                                                                 \
        }                                                                                         \
    } while (0)

static void scatter(const addr_t *addr, uint64_t off, const void *reg, unsigned reg_bytes,
                    unsigned bytes, uint32_t mask)
{
    switch (bytes) {
    case 1:
        SCATTER(uint8_t);
        break;
    case 2:
        SCATTER(uint16_t);
        break;
    case 4:
        SCATTER(uint32_t);
        break;
    case 8:
        SCATTER(uint64_t);
        break;
    default:
        SCATTER(wide);
        break;
    }
}

const struct memory_lanes MV(memory_lanes) = {
    .addresses = addresses,
    .is_sequence = is_sequence,
    .gather = gather,
    .put = put,
    .scatter = scatter,
};
