/* Loads and stores the short way: words of 1 to 16 bytes, one a lane, in any space but local. */
#include "exec/ldst_lanes.h"

#include "base/cpu.h"
#include "exec/ldst_words.h"
#include "exec/translate.h"

extern const struct ldst_lanes MV(ldst_lanes);
extern const struct ldst_at MV(ldst_at);

#define INLINE LOCATE_INLINE

/* Whether the first eight lanes probably lie side by side or at one place, as those of a strip that
 * a translated run reads at once do. */
INLINE bool is_strip(const addr_t *each, unsigned size)
{
    enum { LAST = 7 };
    const addr_t bytes = each[LAST] - each[0];
    return !bytes || bytes == (addr_t)LAST * size;
}

INLINE bool load(struct warp *w, const struct xinst *x, uint32_t mask, unsigned size, bool is_plain)
{
    const struct xmem *m = &x->mem;
    _Alignas(64) addr_t each[N];
    _Alignas(64) char tmp[N * 16];
    if (UNLIKELY(w->step != NULL))
        return ldst_load_checked(w, x, mask);
    const struct located l = locate_access(w, x, mask, size, false, each);
    if (UNLIKELY(!l.at))
        return ldst_load_checked(w, x, mask);
    void *to = is_plain && mask == UINT32_MAX ? lane_at(&m->regs[0], w->base) : tmp;
    if (!l.step) {
        repeat(to, l.at, size);
    } else if (l.step != size) {
        gather(to, each, size);
        *m->nscattered += !is_strip(each, size);
    }
    deliver(m, w->base, l.step == size ? l.at : to, size, is_plain, mask);
    return true;
}

INLINE bool is_stretch(uint32_t mask)
{
    const uint32_t from_first = mask >> __builtin_ctz(mask);
    return !(from_first & (from_first + 1));
}

/* A loop stores as far on as it did the last time, often in another page: its next line is asked
 * for before the host's queue of stores waits for it. A wrong guess changes nothing. */
INLINE void fetch_next(uintptr_t *last, const char *at)
{
    const uintptr_t here = (uintptr_t)at, next = here + (here - *last);
    *last = here;
    __builtin_prefetch((const void *)next, 1);
    __builtin_prefetch((const void *)(next + 64), 1);
    __builtin_prefetch((const void *)(next + 127), 1);
}

INLINE bool store(struct warp *w, const struct xinst *x, uint32_t mask, unsigned size,
                  bool is_plain)
{
    _Alignas(64) addr_t each[N];
    _Alignas(64) char tmp[N * 16];
    if (UNLIKELY(w->step != NULL))
        return ldst_store_checked(w, x, mask);
    const struct located l = locate_access(w, x, mask, size, true, each);
    if (UNLIKELY(!l.at))
        return ldst_store_checked(w, x, mask);
    if (l.step == size && mask == UINT32_MAX) {
        fetch_next(x->mem.last, l.at);
        store_line(&x->mem, w->base, l.at, size, is_plain);
        return true;
    }
    const char *words = collect(&x->mem, w->base, tmp, size, is_plain);
    if (l.step == size && is_stretch(mask)) {
        const size_t at = (size_t)__builtin_ctz(mask) * size;
        copy_words(l.at + at, words + at, (unsigned)__builtin_popcount(mask), size);
    } else if (!l.step) { /* of all lanes the last one stays */
        memcpy(l.at, words + (size_t)(31 - __builtin_clz(mask)) * size, size);
    } else {
        if (l.step == size)
            line_up(each, l.at, size);
        scatter(each, words, size, mask);
    }
    return true;
}

LDST_FNS(load)
LDST_FNS(store)

const struct ldst_lanes MV(ldst_lanes) = {.load = LDST_TABLE(load), .store = LDST_TABLE(store)};

/* --- where it is known where they lie --- */

INLINE void load_at(struct warp *w, const struct xinst *x, uint32_t mask, struct located l,
                    unsigned size, bool is_plain)
{
    const struct xmem *m = &x->mem;
    _Alignas(64) char tmp[N * 16];
    if (l.step) {
        deliver(m, w->base, l.at, size, is_plain, mask);
        return;
    }
    void *to = is_plain && mask == UINT32_MAX ? lane_at(&m->regs[0], w->base) : tmp;
    repeat(to, l.at, size);
    deliver(m, w->base, to, size, is_plain, mask);
}

INLINE void store_at(struct warp *w, const struct xinst *x, uint32_t mask, struct located l,
                     unsigned size, bool is_plain)
{
    _Alignas(64) char tmp[N * 16];
    if (l.step && mask == UINT32_MAX) {
        store_line(&x->mem, w->base, l.at, size, is_plain);
        return;
    }
    const char *words = collect(&x->mem, w->base, tmp, size, is_plain);
    const size_t first = (size_t)__builtin_ctz(mask) * size;
    if (l.step)
        copy_words(l.at + first, words + first, (unsigned)__builtin_popcount(mask), size);
    else
        memcpy(l.at, words + (size_t)(31 - __builtin_clz(mask)) * size, size);
}

#undef LDST_FN
#define LDST_FN(name, size, is_plain)                                                            \
    static void name##_##size##_##is_plain(struct warp *w, const struct xinst *x, uint32_t mask, \
                                           struct located l)                                     \
    {                                                                                            \
        name(w, x, mask, l, size, is_plain);                                                     \
    }
LDST_FNS(load_at)
LDST_FNS(store_at)

const struct ldst_at MV(ldst_at) = {.load = LDST_TABLE(load_at), .store = LDST_TABLE(store_at)};
