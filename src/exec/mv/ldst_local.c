/* Loads and stores the short way in local memory, whose words of 4 bytes are interleaved by lane:
 * the word at offset `off` of all lanes is a row of 128 bytes. */
#include "exec/ldst_lanes.h"

#include "base/cpu.h"
#include "exec/ldst_words.h"

extern const struct ldst_lanes MV(ldst_local);

#define INLINE LOCATE_INLINE

/* Lane 0's bytes at offset `off`; those of lane l are l words further, and the next word of a lane
 * is a row further. */
INLINE char *place_of(const struct warp *w, uint64_t off)
{
    return (char *)w->local + (off & ~UINT64_C(3)) * N + (off & 3);
}

/* Where the access is: `at` is the local memory's start plus the offset. A variable of the frame is
 * at one offset; its alignment is what the program says, and words are as much as is asked for. */
INLINE struct located find(struct warp *w, const struct xinst *x, uint32_t mask, unsigned size,
                           addr_t *restrict each)
{
    const struct xmem *m = &x->mem;
    const struct range r = {0, (int64_t)w->local_words * 4 - size, (uintptr_t)w->local};
    if (m->in_frame)
        return locate_one(&r, warp_top(w)->frame->local_off + (uint64_t)m->imm,
                          size < 4 ? size : 4);
    const struct lookup q = {lane_at(&m->addr, w->base), m->addr.bytes, m->imm, size, mask};
    return locate(&q, &r, each);
}

/* --- one offset for all lanes: rows --- */

#define FROM_ROW(type)               \
    for (unsigned i = 0; i < N; i++) \
    ((type *)tmp)[i] = (type)(row[i] >> shift)

/* The words at one offset: the row itself, or in tmp. */
INLINE const void *words_of_rows(const struct warp *w, uint64_t off, void *restrict tmp,
                                 unsigned size)
{
    const uint32_t *row = (const uint32_t *)place_of(w, off & ~UINT64_C(3));
    const unsigned shift = 8 * (unsigned)(off & 3);
    if (size == 4)
        return row;
    if (size == 1)
        FROM_ROW(uint8_t);
    else if (size == 2)
        FROM_ROW(uint16_t);
    else if (size == 8)
        for (unsigned i = 0; i < N; i++)
            ((uint64_t *)tmp)[i] = row[i] | (uint64_t)row[N + i] << 32;
    else
        for (unsigned i = 0; i < 4 * N; i++)
            ((uint32_t *)tmp)[i] = row[i % 4 * N + i / 4];
    return tmp;
}

/* Word k of 4 bytes of words that are larger. */
INLINE void part_of_words(uint32_t *restrict part, const void *words, unsigned k, unsigned size)
{
    for (unsigned i = 0; i < N; i++)
        part[i] = ((const uint32_t *)words)[i * (size / 4) + k];
}

INLINE void words_to_rows(struct warp *w, uint64_t off, const void *words, unsigned size,
                          uint32_t mask)
{
    uint32_t *row = (uint32_t *)place_of(w, off & ~UINT64_C(3)), part[N];
    if (size < 4) {
        const unsigned shift = 8 * (unsigned)(off & 3);
        const uint32_t field = (UINT32_C(1) << 8 * size) - 1;
        for (unsigned i = 0; i < N; i++) {
            const uint32_t word =
                size == 1 ? ((const uint8_t *)words)[i] : ((const uint16_t *)words)[i];
            const uint32_t keep = ~(-(mask >> i & 1) & field << shift);
            row[i] = (row[i] & keep) | (word << shift & ~keep);
        }
        return;
    }
    for (unsigned k = 0; k < size / 4; k++, row += N) {
        if (size > 4)
            part_of_words(part, words, k, size);
        const void *from = size > 4 ? part : words;
        if (mask == UINT32_MAX)
            memcpy(row, from, 4 * N);
        else
            blend(row, from, 4, mask);
    }
}

/* --- an offset a lane --- */

INLINE void places_of(const struct warp *w, const struct located *l, addr_t *restrict each,
                      unsigned size)
{
    const addr_t local = (addr_t)w->local;
    if (l->step == size)
        line_up(each, l->at, size);
    for (unsigned i = 0; i < N; i++) {
        const uint64_t off = each[i] - local;
        each[i] = local + (off & ~UINT64_C(3)) * N + 4 * i + (off & 3);
    }
}

INLINE void next_row(addr_t *each)
{
    for (unsigned i = 0; i < N; i++)
        each[i] += 4 * N;
}

INLINE void words_of_places(addr_t *restrict each, void *restrict tmp, unsigned size)
{
    if (size <= 4) {
        gather(tmp, each, size);
        return;
    }
    for (unsigned k = 0; k < size / 4; k++, next_row(each)) {
        _Alignas(64) uint32_t part[N];
        gather(part, each, 4);
        for (unsigned i = 0; i < N; i++)
            ((uint32_t *)tmp)[i * (size / 4) + k] = part[i];
    }
}

INLINE void words_to_places(addr_t *restrict each, const void *words, unsigned size, uint32_t mask)
{
    if (size <= 4) {
        scatter(each, words, size, mask);
        return;
    }
    for (unsigned k = 0; k < size / 4; k++, next_row(each)) {
        uint32_t part[N];
        part_of_words(part, words, k, size);
        scatter(each, part, 4, mask);
    }
}

/* --- instructions --- */

INLINE bool load(struct warp *w, const struct xinst *x, uint32_t mask, unsigned size, bool is_plain)
{
    _Alignas(64) addr_t each[N];
    _Alignas(64) char tmp[N * 16];
    if (UNLIKELY(w->step != NULL))
        return ldst_load_checked(w, x, mask);
    const struct located l = find(w, x, mask, size, each);
    if (UNLIKELY(!l.at))
        return ldst_load_checked(w, x, mask);
    const void *words = tmp;
    if (!l.step) {
        words = words_of_rows(w, (uint64_t)(l.at - (char *)w->local), tmp, size);
    } else {
        places_of(w, &l, each, size);
        words_of_places(each, tmp, size);
    }
    deliver(&x->mem, w->base, words, size, is_plain, mask);
    return true;
}

INLINE bool store(struct warp *w, const struct xinst *x, uint32_t mask, unsigned size,
                  bool is_plain)
{
    _Alignas(64) addr_t each[N];
    _Alignas(64) char tmp[N * 16];
    if (UNLIKELY(w->step != NULL))
        return ldst_store_checked(w, x, mask);
    const struct located l = find(w, x, mask, size, each);
    if (UNLIKELY(!l.at))
        return ldst_store_checked(w, x, mask);
    const char *words = collect(&x->mem, w->base, tmp, size, is_plain);
    if (!l.step) {
        words_to_rows(w, (uint64_t)(l.at - (char *)w->local), words, size, mask);
    } else {
        places_of(w, &l, each, size);
        words_to_places(each, words, size, mask);
    }
    return true;
}

LDST_FNS(load)
LDST_FNS(store)

const struct ldst_lanes MV(ldst_local) = {.load = LDST_TABLE(load), .store = LDST_TABLE(store)};
