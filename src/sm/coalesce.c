/* From the lanes' addresses to lines, and to cycles of shared memory. */
#include "sm/sm_extra.h"
#include "sm/sm_int.h"

#include "exec/memory_lanes.h"

#include <string.h>

/* Spaces that are not global have address ranges of their own behind the caches. */
#define LOCAL_BASE UINT64_C(0x180000000000)
#define LOCAL_SM   (UINT64_C(1) << 32)
#define PARAM_BASE UINT64_C(0x170000000000)

enum { MAX_LINE = 256 };

/* --- lines --- */

/* The lines of one instruction as they are collected; `bytes` marks bytes written. */
struct lines {
    struct sm *sm;
    struct inflight *f;
    uint32_t line, sector_shift;
    unsigned slot;
    uint8_t space;
    bool is_write;
};

static struct line_access *line_at(struct lines *l, addr_t addr)
{
    struct inflight *f = l->f;
    addr_t line = addr & ~(addr_t)(l->line - 1);
    for (unsigned k = f->naccesses; k-- > 0;)
        if (f->acc[k].addr == line)
            return &f->acc[k];
    if (f->naccesses == f->acc_cap) {
        f->acc_cap = f->acc_cap ? f->acc_cap * 2 : 4;
        f->acc = xrealloc(f->acc, f->acc_cap * sizeof *f->acc);
    }
    struct line_access *a = &f->acc[f->naccesses++];
    *a = (struct line_access){.addr = line, .space = l->space};
    return a;
}

static void mark_bytes(uint64_t *mask, uint32_t from, uint32_t to)
{
    for (uint32_t b = from; b < to;) {
        uint32_t end = (b | 63) + 1 < to ? (b | 63) + 1 : to, n = end - b;
        mask[b / 64] |= (n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1) << (b % 64);
        b = end;
    }
}

/* `n` bytes from `off` on, within the line. */
SM_INLINE void mark_line(const struct lines *l, struct line_access *a, uint32_t off, uint32_t n)
{
    const uint32_t first = off >> l->sector_shift, last = (off + n - 1) >> l->sector_shift;
    a->sectors |= (uint16_t)((2u << last) - (1u << first));
    a->words |= (UINT64_C(2) << (off + n - 1) / 4) - (UINT64_C(1) << off / 4);
    if (l->is_write)
        mark_bytes(a->written, off, off + n);
}

static void add_bytes(struct lines *l, addr_t addr, uint32_t bytes)
{
    while (bytes) {
        struct line_access *a = line_at(l, addr);
        const uint32_t off = (uint32_t)(addr - a->addr);
        const uint32_t n = l->line - off < bytes ? l->line - off : bytes;
        mark_line(l, a, off, n);
        addr += n;
        bytes -= n;
    }
}

/* Lanes next to each other are most often in one line. */
static void add_lanes(struct lines *l, const struct step_access *access)
{
    const uint32_t bytes = access->bytes;
    struct line_access *a = NULL;
    FOR_LANES (k, access->mask) {
        const addr_t addr = access->addr[k];
        const uint32_t off = (uint32_t)addr & (l->line - 1);
        if (UNLIKELY(off + bytes > l->line)) {
            add_bytes(l, addr, bytes);
            a = NULL;
            continue;
        }
        if (!a || a->addr != addr - off)
            a = line_at(l, addr);
        mark_line(l, a, off, bytes);
    }
}

/* How many of the `n` bytes from `from` on are marked; both are multiples of n, or of 64. */
static unsigned marked(const uint64_t *mask, uint32_t from, uint32_t n)
{
    unsigned have = 0;
    for (uint32_t b = from; b < from + n; b += 64) {
        uint64_t m = mask[b / 64] >> (b % 64);
        m &= n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
        have += lanes_in((uint32_t)m) + lanes_in((uint32_t)(m >> 32));
    }
    return have;
}

/* Bytes written, and the sectors that are written whole. */
static void finish_write(struct line_access *a, uint32_t sector)
{
    for (uint32_t left = a->sectors; left; left &= left - 1) {
        const unsigned s = (unsigned)__builtin_ctz(left),
                       have = marked(a->written, s * sector, sector);
        a->bytes = (uint16_t)(a->bytes + have);
        if (have == sector)
            a->full |= (uint16_t)(1u << s);
    }
}

static uint32_t cache_line(const struct sm *sm, uint8_t space)
{
    return space == MEM_CONST ? sm->const_line : space == MEM_TEX ? sm->tex_line : sm->data_line;
}

/* When all accesses of the instruction are in: what each line moves, its sectors counted from the
 * start of the cache's line, of which it may be a part. */
static void finish_lines(struct sm *sm, struct inflight *f)
{
    unsigned joined = 0;
    for (unsigned k = 0; k < f->naccesses; k++) {
        struct line_access *a = &f->acc[k];
        const uint32_t off = (uint32_t)(a->addr & (cache_line(sm, a->space) - 1));
        const uint32_t first = off >> sm->sector_shift;
        if (a->written[0] | a->written[1] | a->written[2] | a->written[3])
            finish_write(a, sm->sector);
        else
            a->bytes = (uint16_t)(mem_sector_count(a->sectors) << sm->sector_shift);
        a->sectors = (uint16_t)(a->sectors << first);
        a->full = (uint16_t)(a->full << first);
        a->words <<= off / 4;
        joined += a->space == MEM_LOCAL || a->space == MEM_GLOBAL;
    }
    if (joined)
        hist_add(&sm->stats.coalesced, joined);
}

static void add_global(struct lines *l, const struct step_access *a)
{
    if (a->mask == UINT32_MAX && memory_lanes_get()->is_sequence(a->addr, a->bytes)) {
        add_bytes(l, a->addr[0], (uint32_t)a->bytes * WARP_LANES);
        return;
    }
    add_lanes(l, a);
}

/* Local memory is interleaved by thread, word by word. */
static void add_local(struct lines *l, const struct step_access *a)
{
    const struct sm *sm = l->sm;
    const uint64_t row = (uint64_t)sm->cfg->warps * WARP_LANES * 4;
    addr_t base = LOCAL_BASE + sm->id * LOCAL_SM + (addr_t)l->slot * WARP_LANES * 4;
    FOR_LANES (k, a->mask)
        for (addr_t off = a->addr[k]; off < a->addr[k] + a->bytes;) {
            addr_t end = (off | 3) + 1;
            if (end > a->addr[k] + a->bytes)
                end = a->addr[k] + a->bytes;
            add_bytes(l, base + (off >> 2) * row + (addr_t)k * 4 + (off & 3),
                      (uint32_t)(end - off));
            off = end;
        }
}

static void add_access(struct sm *sm, struct inflight *f, unsigned slot,
                       const struct step_access *a)
{
    struct lines l = {.sm = sm,
                      .f = f,
                      .line = (uint32_t)sm->cfg->coalesce_bytes,
                      .sector_shift = sm->sector_shift,
                      .slot = slot,
                      .is_write = a->is_write};
    if (a->space == PTX_SPACE_LOCAL) {
        l.space = MEM_LOCAL;
        add_local(&l, a);
    } else {
        l.space = f->d->flags & DINST_TEXTURE ? MEM_TEX
                  : f->d->flags & DINST_CONST ? MEM_CONST
                                              : MEM_GLOBAL;
        if (l.space == MEM_CONST)
            l.line = sm->const_line;
        add_global(&l, a);
    }
}

static void add_parameter(struct sm *sm, struct inflight *f, addr_t at, uint32_t bytes)
{
    struct lines l = {.sm = sm,
                      .f = f,
                      .line = sm->const_line,
                      .sector_shift = sm->sector_shift,
                      .space = MEM_CONST};
    add_bytes(&l, PARAM_BASE + at, bytes);
}

/* --- shared memory --- */

/* Whether lanes that ask one bank ask for one word, of accesses that are no wider: each leaves its
 * word at its bank, and finds its own there afterwards. */
static bool has_no_conflict(const struct step_access *a, unsigned nbanks)
{
    uint32_t word[MAX_BANKS], differs = 0;
    const uint32_t last = nbanks - 1;
    if (nbanks > MAX_BANKS || !is_pow2(nbanks) || a->bytes > 4)
        return false;
    if (a->mask != UINT32_MAX) {
        FOR_LANES (l, a->mask)
            word[(a->addr[l] >> 2) & last] = (uint32_t)(a->addr[l] >> 2);
        FOR_LANES (l, a->mask)
            differs |= word[(a->addr[l] >> 2) & last] ^ (uint32_t)(a->addr[l] >> 2);
        return !differs;
    }
    for (unsigned l = 0; l < WARP_LANES; l++)
        word[(a->addr[l] >> 2) & last] = (uint32_t)(a->addr[l] >> 2);
    for (unsigned l = 0; l < WARP_LANES; l++)
        differs |= word[(a->addr[l] >> 2) & last] ^ (uint32_t)(a->addr[l] >> 2);
    return !differs;
}

/* Cycles: the most words that one bank is asked for; atomics on one word take turns. */
static unsigned shared_cycles(const struct sm *sm, const struct step_access *a, bool is_atomic)
{
    const unsigned nbanks = (unsigned)sm->cfg->shared_banks, per = (a->bytes + 3u) / 4;
    uint32_t word[WARP_LANES * 16];
    uint16_t next[WARP_LANES * 16], head[MAX_BANKS], count[MAX_BANKS] = {0};
    unsigned n = 0, most = 1;
    memset(head, 0xff, sizeof head);
    FOR_LANES (l, a->mask)
        for (unsigned k = 0; k < per && n < ARRAY_LEN(word); k++) {
            uint32_t w = (uint32_t)(a->addr[l] >> 2) + k;
            unsigned b = w % nbanks;
            uint16_t j = head[b];
            while (!is_atomic && j != UINT16_MAX && word[j] != w)
                j = next[j];
            if (!is_atomic && j != UINT16_MAX)
                continue;
            word[n] = w;
            next[n] = head[b];
            head[b] = (uint16_t)n++;
            if (++count[b] > most)
                most = count[b];
        }
    return most;
}

/* All lanes side by side: as many cycles as a lane has words. */
static bool is_row(const struct sm *sm, const struct step_access *a, bool is_atomic)
{
    return a->mask == UINT32_MAX && !is_atomic && a->bytes % 4 == 0 &&
           sm->cfg->shared_banks == WARP_LANES &&
           memory_lanes_get()->is_sequence(a->addr, a->bytes);
}

static unsigned conflict_cycles(const struct sm *sm, const struct step_access *a, bool is_atomic)
{
    const bool is_free = !is_atomic && has_no_conflict(a, (unsigned)sm->cfg->shared_banks);
    return is_free ? 1 : shared_cycles(sm, a, is_atomic);
}

static bool has_shape(const struct shared_shape *h, const struct step_access *a, bool is_atomic)
{
    const uint32_t first = (uint32_t)a->addr[0];
    uint32_t differs = 0;
    if (h->mask != a->mask || h->bytes != a->bytes || h->is_atomic != is_atomic ||
        h->phase != (first & 3))
        return false;
    for (unsigned l = 0; l < WARP_LANES; l++)
        differs |= ((uint32_t)a->addr[l] - first) ^ h->from_first[l];
    return !differs;
}

/* As many cycles as what the instruction accessed before, if all lanes have moved by as many
 * words: then the banks have changed places, and no two lanes have come together or apart. */
static unsigned shape_cycles(struct sm *sm, const struct dinst *d, const struct step_access *a,
                             bool is_atomic)
{
    struct shared_shape *h = &sm->shapes[(uintptr_t)d / sizeof *d % SHARED_SHAPES];
    if (has_shape(h, a, is_atomic))
        return h->cycles;
    const uint32_t first = (uint32_t)a->addr[0];
    *h = (struct shared_shape){
        .mask = a->mask, .bytes = a->bytes, .phase = first & 3, .is_atomic = is_atomic};
    for (unsigned l = 0; l < WARP_LANES; l++)
        h->from_first[l] = (uint32_t)a->addr[l] - first;
    h->cycles = (uint16_t)conflict_cycles(sm, a, is_atomic);
    return h->cycles;
}

static void add_shared(struct sm *sm, struct inflight *f, const struct step_access *a)
{
    const bool is_atomic = (f->d->flags & DINST_ATOMIC) != 0;
    const unsigned n =
        is_row(sm, a, is_atomic) ? a->bytes / 4u : shape_cycles(sm, f->d, a, is_atomic);
    f->shared_cycles = (uint16_t)(f->shared_cycles + n);
    sm->stats.shared_conflicts += n - 1;
}

/* --- */

static void count_memory(struct sm *sm, const struct inflight *f)
{
    struct sm_stats *st = &sm->stats;
    st->accesses += f->naccesses;
    if (LIKELY(!f->extra))
        sm->ctas[sm->slot[f->slot].cta].launch->ended.accesses += f->naccesses;
    if (f->shared_cycles)
        st->shared_inst++;
    if (!f->naccesses)
        return;
    if (f->d->flags & DINST_PREFETCH)
        st->prefetch_inst++;
    else if (f->d->flags & DINST_ATOMIC)
        st->atomic_inst++;
    else if (f->d->flags & DINST_STORE)
        st->store_inst++;
    else
        st->load_inst++;
}

/* What the warp in `slot` has accessed. */
SM_INLINE void add_step(struct sm *sm, struct inflight *f, unsigned slot, const struct step *s)
{
    for (unsigned k = 0; k < s->naccesses; k++) {
        const struct step_access *a = &s->access[k];
        if (a->space == PTX_SPACE_SHARED)
            add_shared(sm, f, a);
        else if (a->space == PTX_SPACE_PARAM)
            FOR_LANES (l, a->mask)
                add_parameter(sm, f, a->addr[l], a->bytes);
        else
            add_access(sm, f, slot, a);
    }
    if ((f->d->flags & DINST_CONST) && !s->naccesses && s->mask)
        add_parameter(sm, f, f->d->place, f->d->x->mem.bytes * f->d->x->mem.nregs);
}

/* Who was stepped behind it. */
SM_COLD static void add_follower(struct sm *sm, struct inflight *f)
{
    add_step(sm, f, (unsigned)f->slot2, &sm->step2);
}

/* Each shared access takes a cycle; what is beyond that are conflicts. */
SM_COLD static void tell_accessed(const struct sm *sm, const struct inflight *f,
                                  const struct step *s)
{
    uint64_t plain = 0;
    for (unsigned k = 0; k < s->naccesses; k++)
        plain += s->access[k].space == PTX_SPACE_SHARED;
    const uint64_t conflicts = f->shared_cycles > plain ? f->shared_cycles - plain : 0;
    probe_fire(sm->probe, f->issued, SM_ACCESSED, (uint64_t)(uintptr_t)f->d,
               f->naccesses + (conflicts << 32));
}

void lsu_resolve(struct sm *sm, uint16_t i, const struct step *s)
{
    struct inflight *f = &sm->fl[i];
    f->is_resolved = true;
    add_step(sm, f, f->slot, s);
    if (UNLIKELY(f->slot2 != NO_PARTNER))
        add_follower(sm, f);
    finish_lines(sm, f);
    count_memory(sm, f);
    if (UNLIKELY(sm->probe->ctx) && !f->extra)
        tell_accessed(sm, f, s);
}

void lsu_measure_shared(const struct sm *sm, const struct step *s, struct extra_done *out)
{
    for (unsigned k = 0; k < s->naccesses; k++) {
        const struct step_access *a = &s->access[k];
        const unsigned n = is_row(sm, a, false) ? a->bytes / 4u : conflict_cycles(sm, a, false);
        out->cycles = (uint16_t)(out->cycles + n);
        out->conflicts = (uint16_t)(out->conflicts + n - 1);
    }
}

void lsu_resolve_shared(struct sm *sm, uint16_t i, const struct extra_done *done)
{
    struct inflight *f = &sm->fl[i];
    f->is_resolved = true;
    f->shared_cycles = done->cycles;
    sm->stats.shared_conflicts += done->conflicts;
    sm->stats.shared_inst += done->cycles != 0;
}
