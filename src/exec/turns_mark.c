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

static unsigned shared_access(const struct xinst *x)
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

static bool is_barrier(const struct ptx_inst *i)
{
    return (i->op == PTX_OP_BAR || i->op == PTX_OP_BARRIER) && !ptx_inst_has(i, PTX_M_WARP) &&
           !ptx_inst_has(i, PTX_M_ARRIVE);
}

/* Which accesses may come first from here on, up to the next barrier; `behind`: from the next
 * instruction on. A callee may do anything. */
static unsigned first_from(const struct xinst *x, unsigned behind)
{
    const unsigned own = x->src->op == PTX_OP_CALL ? READS | WRITES | ADDS : shared_access(x);
    if (!own && !is_barrier(x->src))
        return behind;
    return x->has_guard ? own | behind : own;
}

static unsigned first_behind(const struct ptx_cfg *c, const struct ptx_block *b,
                             const uint8_t *first)
{
    unsigned behind = 0;
    for (uint32_t i = 0; i < b->nsucc; i++)
        behind |= b->succ[i] < c->nblocks ? first[b->succ[i]] : 0;
    return behind;
}

/* By block, what may come first. Bits are only added, so a block is looked at again a few times. */
static void find_first(const struct xfunc *f, const struct ptx_cfg *c, uint8_t *first)
{
    uint32_t *todo = xcalloc(c->nblocks, sizeof *todo), n = 0;
    bool *waits = xcalloc(c->nblocks, sizeof *waits);
    for (uint32_t b = 0; b < c->nblocks; b++) {
        todo[n++] = b;
        waits[b] = true;
    }
    while (n) {
        const uint32_t b = todo[--n];
        const struct ptx_block *block = &c->blocks[b];
        unsigned now = first_behind(c, block, first);
        waits[b] = false;
        for (uint32_t pc = block->last + 1; pc-- > block->first;)
            now = first_from(&f->code[pc], now);
        const bool is_new = now != first[b];
        first[b] = (uint8_t)now;
        for (uint32_t i = 0; is_new && i < block->npred; i++)
            if (!waits[block->pred[i]]) {
                waits[block->pred[i]] = true;
                todo[n++] = block->pred[i];
            }
    }
    free(todo);
    free(waits);
}

static bool uses_shared(const struct xfunc *f)
{
    for (uint32_t pc = 0; pc < f->src->ninsts; pc++)
        if (shared_access(&f->code[pc]))
            return true;
    return false;
}

static void mark_shared(struct xfunc *f)
{
    if (!uses_shared(f))
        return;
    struct ptx_cfg *c = ptx_cfg_build(f->src);
    uint8_t *first = xcalloc(c->nblocks, sizeof *first);
    find_first(f, c, first);
    for (uint32_t b = 0; b < c->nblocks; b++) {
        unsigned behind = first_behind(c, &c->blocks[b], first);
        for (uint32_t pc = c->blocks[b].last + 1; pc-- > c->blocks[b].first;) {
            struct xinst *x = &f->code[pc];
            const unsigned own = shared_access(x);
            if (own && behind & ~own)
                x->ends_turn |= TURN_SHARED;
            behind = first_from(x, behind);
        }
    }
    free(first);
    ptx_cfg_free(c);
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
