/* Addresses of a warp as vectors: their extent, whether they are a row, gathering and
 * scattering. */
#include "exec/memory_lanes.h"

#include "base/cpu.h"
#include "exec/locate.h"

#include <string.h>

extern const struct memory_lanes MV(memory_lanes);

#define N WARP_LANES

/* The smallest and the largest. Addresses are below 2^63 or wild; as signed numbers wild ones still
 * fall outside. */
static inline void extremes(const addr_t *a, bool is_near, int64_t *min, int64_t *max)
{
    if (is_near) { /* only the lower halves differ: half the work, and every level has the means */
        uint32_t lo = UINT32_MAX, hi = 0;
        for (unsigned i = 0; i < N; i++) {
            const uint32_t v = (uint32_t)a[i];
            lo = v < lo ? v : lo;
            hi = v > hi ? v : hi;
        }
        *min = (int64_t)((a[0] & ~(addr_t)UINT32_MAX) | lo);
        *max = (int64_t)((a[0] & ~(addr_t)UINT32_MAX) | hi);
        return;
    }
    int64_t lo = (int64_t)a[0], hi = (int64_t)a[0];
    for (unsigned i = 0; i < N; i++) {
        const int64_t v = (int64_t)a[i];
        lo = v < lo ? v : lo;
        hi = v > hi ? v : hi;
    }
    *min = lo;
    *max = hi;
}

/* Each address is compared with where a line has it, not with its neighbour: a load that straddles
 * two vectors that were just stored makes the host wait. */
static bool is_sequence(const addr_t *addr, uint64_t step)
{
    if (addr[N - 1] - addr[0] != (N - 1) * step) /* says no to nearly all that are none */
        return false;
    uint64_t differ = 0, want = addr[0];
    for (unsigned i = 0; i < N; i++, want += step)
        differ |= addr[i] ^ want;
    return !differ;
}

/* A line is aligned as its first two addresses are. */
static inline bool span_of_line(const addr_t *a, struct addr_span *span)
{
    const uint64_t step = a[1] - a[0];
    if (step > 16 || (int64_t)a[0] > (int64_t)a[N - 1] || !is_sequence(a, step))
        return false;
    *span = (struct addr_span){a[0], a[N - 1], a[0] | a[1], step};
    return true;
}

static inline void span_of(const addr_t *a, struct addr_span *span)
{
    uint64_t low = 0, differ = 0;
    for (unsigned i = 0; i < N; i++) {
        low |= a[i];
        differ |= a[i] ^ a[0];
    }
    int64_t min, max;
    extremes(a, !(differ >> 32), &min, &max);
    *span = (struct addr_span){(addr_t)min, (addr_t)max, low, SPAN_NO_STEP};
}

/* Of addresses that have 32 bits: half the width, and no sign. */
static inline void span_of_short(const uint32_t *v, struct addr_span *span)
{
    uint32_t low = 0, min = UINT32_MAX, max = 0;
    for (unsigned i = 0; i < N; i++) {
        low |= v[i];
        min = v[i] < min ? v[i] : min;
        max = v[i] > max ? v[i] : max;
    }
    *span = (struct addr_span){min, max, low, SPAN_NO_STEP};
}

/* to[l] = s[l] + imm; inactive lanes get the address of the first active one. */
#define ADD_IMM(type, to)                                    \
    do {                                                     \
        const type *s = src;                                 \
        for (unsigned i = 0; i < N; i++)                     \
            (to)[i] = s[i] + (type)imm;                      \
        if (mask != UINT32_MAX) {                            \
            const type first = (to)[__builtin_ctz(mask)];    \
            for (unsigned i = 0; i < N; i++)                 \
                (to)[i] = (mask >> i) & 1 ? (to)[i] : first; \
        }                                                    \
    } while (0)

static void addresses(const void *src, unsigned bytes, int64_t imm, uint32_t mask,
                      addr_t *restrict out, struct addr_span *span)
{
    if (bytes == 8) {
        ADD_IMM(uint64_t, out);
        if (mask != UINT32_MAX || !span_of_line(out, span))
            span_of(out, span);
        return;
    }
    uint32_t v[N];
    ADD_IMM(uint32_t, v);
    for (unsigned i = 0; i < N; i++)
        out[i] = v[i];
    if (mask != UINT32_MAX || !span_of_line(out, span))
        span_of_short(v, span);
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

#define FILL(type)                                 \
    do {                                           \
        type *d = reg;                             \
        const type v = (type)value;                \
        if (mask == UINT32_MAX) {                  \
            for (unsigned i = 0; i < N; i++)       \
                d[i] = v;                          \
        } else {                                   \
            for (unsigned i = 0; i < N; i++)       \
                d[i] = (mask >> i) & 1 ? v : d[i]; \
        }                                          \
    } while (0)

static void fill(void *reg, unsigned reg_bytes, uint64_t value, uint32_t mask)
{
    switch (reg_bytes) {
    case 2:
        FILL(uint16_t);
        break;
    case 4:
        FILL(uint32_t);
        break;
    default:
        FILL(uint64_t);
        break;
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

/* --- local memory --- */

/* Where lane 0 has the word that holds byte `at`; that of lane l is l words further. */
static inline uint64_t row_of(uint64_t at)
{
    return (at & ~UINT64_C(3)) * N;
}

static inline unsigned shift_of(uint64_t at)
{
    return 8 * (unsigned)(at & 3);
}

static void load_words(const char *local, const addr_t *addr, uint64_t off, bool is_uniform,
                       uint32_t *word)
{
    if (is_uniform) {
        const uint32_t *row = (const uint32_t *)(local + row_of(addr[0] + off));
        const unsigned shift = shift_of(addr[0] + off);
        for (unsigned i = 0; i < N; i++)
            word[i] = row[i] >> shift;
        return;
    }
    for (unsigned i = 0; i < N; i++) {
        const uint64_t at = addr[i] + off;
        word[i] = ((const uint32_t *)(local + row_of(at)))[i] >> shift_of(at);
    }
}

static void local_load(const void *local, const addr_t *addr, uint64_t off, bool is_uniform,
                       unsigned bytes, void *tmp)
{
    uint32_t word[4][N];
    for (unsigned k = 0; 4 * k < bytes; k++)
        load_words(local, addr, off + 4 * k, is_uniform, word[k]);
    switch (bytes) {
    case 1:
        for (unsigned i = 0; i < N; i++)
            ((uint8_t *)tmp)[i] = (uint8_t)word[0][i];
        break;
    case 2:
        for (unsigned i = 0; i < N; i++)
            ((uint16_t *)tmp)[i] = (uint16_t)word[0][i];
        break;
    case 4:
        memcpy(tmp, word[0], sizeof word[0]);
        break;
    case 8:
        for (unsigned i = 0; i < N; i++)
            ((uint64_t *)tmp)[i] = word[0][i] | (uint64_t)word[1][i] << 32;
        break;
    default:
        for (unsigned i = 0; i < 4 * N; i++)
            ((uint32_t *)tmp)[i] = word[i % 4][i / 4];
        break;
    }
}

/* Word k of every register lane. */
static void register_words(const void *reg, unsigned reg_bytes, unsigned k, uint32_t *word)
{
    switch (reg_bytes) {
    case 2:
        for (unsigned i = 0; i < N; i++)
            word[i] = ((const uint16_t *)reg)[i];
        break;
    case 4:
        memcpy(word, reg, 4 * N);
        break;
    case 8:
        for (unsigned i = 0; i < N; i++)
            word[i] = (uint32_t)(((const uint64_t *)reg)[i] >> (32 * k));
        break;
    default:
        for (unsigned i = 0; i < N; i++)
            word[i] = ((const uint32_t *)reg)[4 * i + k];
        break;
    }
}

static void store_row(uint32_t *row, unsigned shift, uint32_t field, const uint32_t *word,
                      uint32_t mask)
{
    for (unsigned i = 0; i < N; i++) {
        const uint32_t keep = ~(-((mask >> i) & 1) & field);
        row[i] = (row[i] & keep) | ((word[i] << shift) & ~keep);
    }
}

static void local_store(void *local, const addr_t *addr, uint64_t off, bool is_uniform,
                        const void *reg, unsigned reg_bytes, unsigned bytes, uint32_t mask)
{
    const unsigned width = bytes < 4 ? bytes : 4;
    uint32_t word[N];
    for (unsigned k = 0; 4 * k < bytes; k++) {
        register_words(reg, reg_bytes, k, word);
        if (is_uniform) {
            const uint64_t at = addr[0] + off + 4 * k;
            const uint32_t field = UINT32_MAX >> (32 - 8 * width) << shift_of(at);
            store_row((uint32_t *)((char *)local + row_of(at)), shift_of(at), field, word, mask);
            continue;
        }
        for (uint32_t m = mask; m; m &= m - 1) {
            const unsigned i = (unsigned)__builtin_ctz(m);
            const uint64_t at = addr[i] + off + 4 * k;
            char *to = (char *)local + row_of(at) + 4 * i + (at & 3);
            if (width == 4)
                memcpy(to, &word[i], 4);
            else if (width == 2)
                memcpy(to, &word[i], 2);
            else
                memcpy(to, &word[i], 1);
        }
    }
}

/* --- vectors of registers --- */

static inline uint64_t low_bytes(unsigned bytes)
{
    return UINT64_MAX >> (64 - 8 * bytes);
}

/* word[l] = EXPR in x, a register's lane of some width, zero-extended. */
#define EACH_WIDTH(EXPR)                                       \
    do {                                                       \
        if (reg_bytes == 2)                                    \
            for (unsigned i = 0; i < N; i++) {                 \
                const uint64_t x = ((const uint16_t *)reg)[i]; \
                word[i] = (EXPR);                              \
            }                                                  \
        else if (reg_bytes == 4)                               \
            for (unsigned i = 0; i < N; i++) {                 \
                const uint64_t x = ((const uint32_t *)reg)[i]; \
                word[i] = (EXPR);                              \
            }                                                  \
        else                                                   \
            for (unsigned i = 0; i < N; i++) {                 \
                const uint64_t x = ((const uint64_t *)reg)[i]; \
                word[i] = (EXPR);                              \
            }                                                  \
    } while (0)

static void pack(uint64_t *word, const void *reg, unsigned reg_bytes, unsigned bytes,
                 unsigned shift)
{
    const uint64_t low = low_bytes(bytes);
    EACH_WIDTH(word[i] | (x & low) << shift);
}

static void unpack(uint64_t *word, const void *reg, unsigned reg_bytes, unsigned bytes,
                   unsigned shift)
{
    const uint64_t low = low_bytes(bytes);
    EACH_WIDTH((x >> shift) & low);
}

static struct located locate_lanes(const struct warp *w, const struct xinst *x, uint32_t mask,
                                   unsigned size, bool is_write, addr_t *restrict each)
{
    const struct located l = locate_access(w, x, mask, size, is_write, each);
    if (l.step == size)
        line_up(each, l.at, size);
    return l;
}

const struct memory_lanes MV(memory_lanes) = {
    .locate = locate_lanes,
    .addresses = addresses,
    .is_sequence = is_sequence,
    .gather = gather,
    .put = put,
    .fill = fill,
    .scatter = scatter,
    .local_load = local_load,
    .local_store = local_store,
    .pack = pack,
    .unpack = unpack,
};
