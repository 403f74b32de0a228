/* What matters to turns in a kernel's code: loads to wait with, loads of what is then written, and
 * accesses to shared memory that no barrier parts. */
#include "base/u64map.h"
#include "exec/turns.h"
#include "ptx/cfg.h"

#include <stdlib.h>

/* --- waiting, reading again --- */

/* Loads that see what others have written, and so can be waited with. */
static bool can_wait(const struct ptx_inst *i)
{
    static const uint8_t waits[] = {PTX_M_VOLATILE, PTX_M_RELAXED, PTX_M_ACQUIRE, PTX_M_CV,
                                    PTX_M_CG};
    if (i->op == PTX_OP_ATOM)
        return true;
    for (unsigned k = 0; i->op == PTX_OP_LD && k < ARRAY_LEN(waits); k++)
        if (ptx_inst_has(i, waits[k]))
            return true;
    return false;
}

/* A place that other warps can see, as the instruction names it; 0 = none. */
static uint64_t place_named(const struct xinst *x, enum ptx_op op)
{
    if (!x->src || x->src->op != op || x->kind != X_OP || x->mem.in_frame ||
        (x->space != PTX_SPACE_GLOBAL && x->space != PTX_SPACE_SHARED &&
         x->space != PTX_SPACE_GENERIC))
        return 0;
    return ((uint64_t)x->mem.addr.off << 32 ^ (uint64_t)x->mem.addr.sel << 62 ^
            (uint64_t)x->mem.imm) +
           1;
}

static void mark_rereads(struct kernel *k, struct xfunc *f)
{
    struct u64map written = {0};
    for (uint32_t n = 0; n < f->ncode; n++) {
        uint64_t place = place_named(&f->code[n], PTX_OP_ST);
        if (place)
            u64map_put(&written, place, 1);
    }
    for (uint32_t n = 0; n < f->ncode; n++) {
        struct xinst *x = &f->code[n];
        uint64_t place = place_named(x, PTX_OP_LD);
        if (place && u64map_get(&written, place)) {
            x->ends_turn |= TURN_REREAD;
            k->has_rereads = true;
        }
        k->may_spin |= x->src && can_wait(x->src);
    }
    u64map_free(&written);
}

/* --- shared memory --- */

enum { READS = 1, WRITES = 2, ADDS = 4 };

struct shared_flow {
    const struct xfunc *f;
    const struct ptx_cfg *cfg;
    uint8_t *access; /* by instruction */
    uint8_t *first;  /* by block: accesses that may come first from its start on, up to a barrier */
};

static unsigned access_of(const struct xinst *x)
{
    if (x->space != PTX_SPACE_SHARED)
        return 0;
    switch (x->src->op) {
    case PTX_OP_LD:
    case PTX_OP_LDMATRIX:
        return READS;
    case PTX_OP_ST:
    case PTX_OP_STMATRIX:
        return WRITES;
    case PTX_OP_ATOM:
    case PTX_OP_RED:
        return ADDS;
    default:
        return 0;
    }
}

/* A thread that writes where it has read (x[i] += ..., swaps) writes to a place of its own; if
 * several do, it is read again (above). Names without a register are everybody's. */
static bool is_own_place(const struct xinst *x, const struct u64map *loaded)
{
    const uint64_t place = place_named(x, PTX_OP_ST);
    return place && x->mem.addr.sel == LANE_REGS && u64map_get(loaded, place);
}

static bool find_accesses(struct shared_flow *s)
{
    struct u64map loaded = {0};
    bool any = false;
    for (uint32_t pc = 0; pc < s->f->src->ninsts; pc++) {
        const uint64_t place = place_named(&s->f->code[pc], PTX_OP_LD);
        if (place)
            u64map_put(&loaded, place, 1);
    }
    for (uint32_t pc = 0; pc < s->f->src->ninsts; pc++) {
        const struct xinst *x = &s->f->code[pc];
        s->access[pc] = (uint8_t)(is_own_place(x, &loaded) ? 0 : access_of(x));
        any |= s->access[pc] != 0;
    }
    u64map_free(&loaded);
    return any;
}

static bool is_barrier(const struct ptx_inst *i)
{
    return (i->op == PTX_OP_BAR || i->op == PTX_OP_BARRIER) && !ptx_inst_has(i, PTX_M_WARP) &&
           !ptx_inst_has(i, PTX_M_ARRIVE);
}

/* Which accesses may come first from `pc` on; `behind`: from the next instruction on. A callee may
 * do anything. */
static unsigned first_from(const struct shared_flow *s, uint32_t pc, unsigned behind)
{
    const struct xinst *x = &s->f->code[pc];
    const unsigned own = x->src->op == PTX_OP_CALL ? READS | WRITES | ADDS : s->access[pc];
    if (!own && !is_barrier(x->src))
        return behind;
    return x->has_guard ? own | behind : own;
}

static unsigned first_behind(const struct shared_flow *s, const struct ptx_block *b)
{
    unsigned behind = 0;
    for (uint32_t i = 0; i < b->nsucc; i++)
        behind |= b->succ[i] < s->cfg->nblocks ? s->first[b->succ[i]] : 0;
    return behind;
}

static bool update_first(struct shared_flow *s, uint32_t b)
{
    const struct ptx_block *block = &s->cfg->blocks[b];
    unsigned now = first_behind(s, block);
    for (uint32_t pc = block->last + 1; pc-- > block->first;)
        now = first_from(s, pc, now);
    const bool is_new = now != s->first[b];
    s->first[b] = (uint8_t)now;
    return is_new;
}

/* Bits are only added, so that a block is looked at again a few times at most. */
static void find_first(struct shared_flow *s)
{
    const struct ptx_cfg *c = s->cfg;
    uint32_t *todo = xcalloc(c->nblocks, sizeof *todo), n = 0;
    bool *waits = xcalloc(c->nblocks, sizeof *waits);
    for (; n < c->nblocks; n++) {
        todo[n] = n;
        waits[n] = true;
    }
    while (n) {
        const uint32_t b = todo[--n];
        waits[b] = false;
        if (!update_first(s, b))
            continue;
        for (uint32_t i = 0; i < c->blocks[b].npred; i++) {
            const uint32_t pred = c->blocks[b].pred[i];
            if (!waits[pred])
                todo[n++] = pred;
            waits[pred] = true;
        }
    }
    free(todo);
    free(waits);
}

static void mark_changes(const struct shared_flow *s)
{
    for (uint32_t b = 0; b < s->cfg->nblocks; b++) {
        const struct ptx_block *block = &s->cfg->blocks[b];
        unsigned behind = first_behind(s, block);
        for (uint32_t pc = block->last + 1; pc-- > block->first;) {
            if (s->access[pc] && behind & ~s->access[pc])
                s->f->code[pc].ends_turn |= TURN_SHARED;
            behind = first_from(s, pc, behind);
        }
    }
}

static void mark_shared(struct xfunc *f)
{
    struct shared_flow s = {.f = f, .access = xcalloc(f->src->ninsts + 1, 1)};
    if (find_accesses(&s)) {
        struct ptx_cfg *c = ptx_cfg_build(f->src);
        s.cfg = c;
        s.first = xcalloc(c->nblocks, sizeof *s.first);
        find_first(&s);
        mark_changes(&s);
        ptx_cfg_free(c);
    }
    free(s.first);
    free(s.access);
}

void turns_mark(struct kernel *k)
{
    for (uint32_t i = 0; i < program_func_count(k->prog); i++) {
        if (!k->funcs[i])
            continue;
        mark_rereads(k, k->funcs[i]);
        mark_shared(k->funcs[i]);
    }
}
