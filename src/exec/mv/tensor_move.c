/* Fragments on their way between registers and matrices, and between registers and memory. */
#include "exec/eight_by_four.h"
#include "exec/range.h"
#include "exec/tensor_int.h"

#define INLINE LOCATE_INLINE

enum { QUADS = WARP_LANES / 4 };

/* --- registers to matrices --- */

/* One register's elements to their places, one by one. */
#define SPREAD(type, keep)                                                \
    for (unsigned i = 0; i < tensor_per_reg(f); i++) {                    \
        type *to = (type *)(void *)matrix->bytes + elem[i];               \
        for (unsigned l = 0; l < WARP_LANES; l++)                         \
            to[f->lane[l]] = (type)((word[l] >> (i * f->bits)) & (keep)); \
    }

static void spread_register(const struct tensor_frag *f, const uint16_t *elem, const uint32_t *word,
                            struct tensor_matrix *matrix)
{
    if (f->bits == 4) {
        SPREAD(uint8_t, 15)
    } else if (f->bits == 8) {
        SPREAD(uint8_t, 255)
    } else if (f->bits == 16) {
        SPREAD(uint16_t, 65535)
    } else {
        SPREAD(uint32_t, UINT32_MAX)
    }
}

static void spread_double(const struct tensor_frag *f, unsigned elem, const struct lane_ref *ref,
                          char *const *base, struct tensor_matrix *matrix)
{
    uint64_t *to = (uint64_t *)(void *)matrix->bytes + elem;
    for (unsigned l = 0; l < WARP_LANES; l++)
        to[f->lane[l]] = lane_u64(ref, base, l);
}

/* Where a quad's 16 bytes are: place of its first element, in elements of the fragment's bits. */
INLINE char *quad_at(const struct tensor_frag *f, unsigned elem, unsigned quad,
                     const struct tensor_matrix *matrix)
{
    const size_t place = (size_t)elem + f->lane[4 * quad];
    return (char *)(uintptr_t)matrix->bytes + place * f->bits / 8;
}

static void gather_quads(const struct tensor_frag *f, unsigned elem, const uint32_t *word,
                         struct tensor_matrix *matrix)
{
    for (unsigned q = 0; q < QUADS; q++)
        *(v4u *)quad_at(f, elem, q, matrix) = *(const v4u *)(word + (size_t)4 * q);
}

static void gather_pairs(const struct tensor_frag *f, unsigned elem, const uint32_t *even,
                         const uint32_t *odd, struct tensor_matrix *matrix)
{
    for (unsigned q = 0; q < QUADS; q++) {
        const v4u x = *(const v4u *)(even + (size_t)4 * q), y = *(const v4u *)(odd + (size_t)4 * q);
        char *to = quad_at(f, elem, q, matrix);
        *(v4u *)to = __builtin_shufflevector(x, y, 0, 4, 1, 5);
        *(v4u *)(to + 16) = __builtin_shufflevector(x, y, 2, 6, 3, 7);
    }
}

static void gather_columns(const struct tensor_frag *f, const uint16_t *elem, const uint32_t *word,
                           struct tensor_matrix *matrix)
{
    uint32_t *to = (uint32_t *)(void *)matrix->bytes;
    const uint32_t keep = UINT32_MAX >> (32 - f->bits);
    v8u row[4];
    eight_by_four((const char *)word, row);
    for (unsigned c = 0; c < 4; c++)
        for (unsigned i = 0; i < tensor_per_reg(f); i++)
            *(v8u *)(to + elem[i] + f->lane[c]) = row[c] >> (i * f->bits) & keep;
}

static void gather(const struct tensor_frag *f, const struct lane_ref *refs, char *const *base,
                   struct tensor_matrix *matrix)
{
    const unsigned per_reg = tensor_per_reg(f), step = f->way == TENSOR_PAIRS ? 2 : 1;
    for (unsigned r = 0; r < f->count / per_reg; r += step) {
        uint32_t room[2][WARP_LANES];
        const uint16_t *elem = f->elem + r * per_reg;
        if (f->bits == 64) {
            spread_double(f, *elem, &refs[r], base, matrix);
            continue;
        }
        const uint32_t *word = lane_words(&refs[r], base, room[0]);
        if (f->way == TENSOR_QUADS)
            gather_quads(f, *elem, word, matrix);
        else if (f->way == TENSOR_PAIRS)
            gather_pairs(f, *elem, word, lane_words(&refs[r + 1], base, room[1]), matrix);
        else if (f->way == TENSOR_COLUMNS)
            gather_columns(f, elem, word, matrix);
        else
            spread_register(f, elem, word, matrix);
    }
}

/* --- matrices to registers --- */

/* One register of an accumulator from its places in the matrix, one by one. */
#define COLLECT(type)                                                           \
    for (unsigned i = 0; i < tensor_per_reg(f); i++) {                          \
        const type *from = (const type *)(const void *)matrix->bytes + elem[i]; \
        for (unsigned l = 0; l < WARP_LANES; l++)                               \
            word[l] |= (uint64_t)from[f->lane[l]] << (i * f->bits);             \
    }

static void collect_register(const struct tensor_frag *f, const uint16_t *elem,
                             const struct tensor_matrix *matrix, uint64_t *word)
{
    if (f->bits == 16) {
        COLLECT(uint16_t)
    } else if (f->bits == 32) {
        COLLECT(uint32_t)
    } else {
        COLLECT(uint64_t)
    }
}

static void scatter_each(const struct tensor_frag *f, const struct lane_ref *refs,
                         char *const *base, const struct tensor_matrix *matrix, uint32_t mask)
{
    const unsigned per_reg = tensor_per_reg(f);
    for (unsigned r = 0; r < f->count / per_reg; r++) {
        uint64_t word[WARP_LANES] = {0};
        collect_register(f, f->elem + r * per_reg, matrix, word);
        FOR_LANES (l, mask)
            lane_set_u64(&refs[r], base, l, word[l]);
    }
}

static bool are_words(const struct lane_ref *refs, unsigned n)
{
    for (unsigned r = 0; r < n; r++)
        if (refs[r].none || refs[r].bytes != 4)
            return false;
    return true;
}

static void scatter(const struct tensor_frag *f, const struct lane_ref *refs, char *const *base,
                    const struct tensor_matrix *matrix, uint32_t mask)
{
    const unsigned per_reg = tensor_per_reg(f), n = f->count / per_reg;
    if (f->way == TENSOR_EACH || mask != UINT32_MAX || !are_words(refs, n)) {
        scatter_each(f, refs, base, matrix, mask);
        return;
    }
    for (unsigned r = 0; f->way == TENSOR_QUADS && r < n; r++)
        for (unsigned q = 0; q < QUADS; q++)
            ((v4u *)lane_at(&refs[r], base))[q] =
                *(const v4u *)quad_at(f, f->elem[r * per_reg], q, matrix);
    for (unsigned r = 0; f->way == TENSOR_PAIRS && r < n; r += 2)
        for (unsigned q = 0; q < QUADS; q++) {
            const char *from = quad_at(f, f->elem[r], q, matrix);
            const v4u x = *(const v4u *)from, y = *(const v4u *)(from + 16);
            ((v4u *)lane_at(&refs[r], base))[q] = __builtin_shufflevector(x, y, 0, 2, 4, 6);
            ((v4u *)lane_at(&refs[r + 1], base))[q] = __builtin_shufflevector(x, y, 1, 3, 5, 7);
        }
}

/* --- registers and memory --- */

static bool is_same(const void *lanes, unsigned bytes)
{
    return bytes == 8 ? IS_LINE((const uint64_t *)lanes, uint64_t, 0)
                      : IS_LINE((const uint32_t *)lanes, uint32_t, 0);
}

/* Where the tile begins on the host; NULL: not all of it is known to be good. */
INLINE char *tile_at(const struct warp *w, const struct xinst *x, const struct tensor_tile *t,
                     bool is_write)
{
    const unsigned bytes = t->is_quads ? 16 : t->bytes;
    const struct range r = range_of(w, x, t->at, bytes, is_write);
    return is_in_range(&r, t->at) && is_in_range(&r, t->at + t->reach) ? (char *)(t->at + r.host)
                                                                       : NULL;
}

#define LOAD_PARTS(type)                                                            \
    for (unsigned l = 0; l < WARP_LANES; l++) {                                     \
        uint32_t v = 0;                                                             \
        for (unsigned i = 0; i < t->per_reg; i++) {                                 \
            type part;                                                              \
            __builtin_memcpy(&part, at + t->lane[l] + t->part[p + i], sizeof part); \
            v |= (uint32_t)part << (8 * sizeof part * i % 32);                      \
        }                                                                           \
        word[l] = v;                                                                \
    }

/* The register whose first part is part p, of all lanes. */
static void load_register(const struct tensor_tile *t, const char *at, unsigned p, uint32_t *word)
{
    if (t->is_quads)
        for (unsigned q = 0; q < QUADS; q++)
            ((v4u *)word)[q] = *(const v4u *)(at + t->lane[4 * q] + t->part[p]);
    else if (t->bytes == 4)
        LOAD_PARTS(uint32_t)
    else if (t->bytes == 2)
        LOAD_PARTS(uint16_t)
    else
        LOAD_PARTS(uint8_t)
}

static bool load_tile(const struct warp *w, const struct xinst *x, const struct tensor_tile *t,
                      const struct lane_ref *refs)
{
    const char *at = tile_at(w, x, t, false);
    for (unsigned r = 0; at && r < t->nregs; r++) {
        uint32_t *word = (uint32_t *)lane_at(&refs[r], w->base);
        load_register(t, at, r * t->per_reg, word);
        for (unsigned k = 1; k < t->copies; k++)
            __builtin_memcpy(lane_at(&refs[k * t->nregs + r], w->base), word, 4 * WARP_LANES);
    }
    return at;
}

#define STORE_PARTS(type)                                                           \
    for (unsigned i = 0; i < t->per_reg; i++)                                       \
        for (unsigned l = 0; l < WARP_LANES; l++) {                                 \
            const type part = (type)(word[l] >> (8 * sizeof part * i % 32));        \
            __builtin_memcpy(at + t->lane[l] + t->part[p + i], &part, sizeof part); \
        }

static void store_register(const struct tensor_tile *t, char *at, unsigned p, const uint32_t *word)
{
    if (t->bytes == 4)
        STORE_PARTS(uint32_t)
    else
        STORE_PARTS(uint16_t)
}

static bool store_tile(const struct warp *w, const struct xinst *x, const struct tensor_tile *t,
                       const struct lane_ref *refs)
{
    char *at = tile_at(w, x, t, true);
    for (unsigned r = 0; at && r < t->nregs; r++)
        store_register(t, at, r * t->per_reg, (const uint32_t *)lane_at(&refs[r], w->base));
    return at;
}

const struct tensor_ops MV(tensor_ops) = {gather, scatter, is_same, load_tile, store_tile};
