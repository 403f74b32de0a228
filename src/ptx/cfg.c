/* Leaders, edges, and the post-dominators of blocks. */
#include "ptx/cfg.h"

#include "ptx/postdom.h"

#include <stdlib.h>
#include <string.h>

static bool ends_path(const struct ptx_inst *i)
{
    return i->op == PTX_OP_RET || i->op == PTX_OP_EXIT || i->op == PTX_OP_TRAP;
}

/* Where a branch may go; NULL for everything that is no branch. */
static const uint32_t *branch_targets(const struct ptx_inst *i, uint32_t *n)
{
    *n = 0;
    if (i->op == PTX_OP_BRA && i->nops == 1 && i->ops[0].kind == PTX_OPND_LABEL) {
        *n = 1;
        return &i->ops[0].pc;
    }
    if (i->op == PTX_OP_BRX && i->nops == 2 && i->ops[1].kind == PTX_OPND_LIST) {
        *n = i->ops[1].npcs;
        return i->ops[1].pcs;
    }
    return NULL;
}

static bool falls_through(const struct ptx_inst *i)
{
    uint32_t n;
    return i->guard != PTX_NO_REG || !(ends_path(i) || branch_targets(i, &n));
}

/* block_of[] first marks the first instruction of each block, then becomes the block's number. */
static void find_blocks(struct ptx_cfg *c, const struct ptx_func *f)
{
    uint32_t *lead = c->block_of;
    lead[0] = 1;
    for (uint32_t pc = 0; pc < f->ninsts; pc++) {
        uint32_t n;
        const uint32_t *targets = branch_targets(&f->insts[pc], &n);
        for (uint32_t i = 0; i < n; i++)
            lead[targets[i]] = 1;
        if ((targets || ends_path(&f->insts[pc])) && pc + 1 < f->ninsts)
            lead[pc + 1] = 1;
    }
    for (uint32_t pc = 0; pc < f->ninsts; pc++)
        c->nblocks += lead[pc];
    c->blocks = xcalloc(c->nblocks, sizeof *c->blocks);
    uint32_t b = 0;
    for (uint32_t pc = 0; pc < f->ninsts; pc++) {
        if (lead[pc])
            c->blocks[b++].first = pc;
        c->blocks[b - 1].last = pc;
        lead[pc] = b - 1;
    }
}

/* Calls `edge` for each way out of block `b`. */
static void for_each_succ(struct ptx_cfg *c, const struct ptx_func *f, uint32_t b,
                          void (*edge)(struct ptx_cfg *c, uint32_t from, uint32_t to))
{
    const struct ptx_inst *last = &f->insts[c->blocks[b].last];
    uint32_t n;
    const uint32_t *targets = branch_targets(last, &n);
    for (uint32_t i = 0; i < n; i++)
        edge(c, b, c->block_of[targets[i]]);
    if (ends_path(last))
        edge(c, b, c->nblocks);
    if (falls_through(last))
        edge(c, b, b + 1); /* past the last block lies the exit */
}

static void count_edge(struct ptx_cfg *c, uint32_t from, uint32_t to)
{
    c->blocks[from].nsucc++;
    if (to < c->nblocks)
        c->blocks[to].npred++;
}

static void store_edge(struct ptx_cfg *c, uint32_t from, uint32_t to)
{
    struct ptx_block *f = &c->blocks[from];
    f->succ[f->nsucc++] = to;
    if (to < c->nblocks) {
        struct ptx_block *t = &c->blocks[to];
        t->pred[t->npred++] = from;
    }
}

/* All edge lists live in one array, which blocks[0].succ owns. */
static void find_edges(struct ptx_cfg *c, const struct ptx_func *f)
{
    size_t total = 0;
    for (uint32_t b = 0; b < c->nblocks; b++)
        for_each_succ(c, f, b, count_edge);
    for (uint32_t b = 0; b < c->nblocks; b++)
        total += c->blocks[b].nsucc + c->blocks[b].npred;
    uint32_t *edges = xmalloc((total ? total : 1) * sizeof *edges);
    for (uint32_t b = 0; b < c->nblocks; b++) {
        struct ptx_block *blk = &c->blocks[b];
        blk->succ = edges;
        blk->pred = edges + blk->nsucc;
        edges += blk->nsucc + blk->npred;
        blk->nsucc = blk->npred = 0;
    }
    for (uint32_t b = 0; b < c->nblocks; b++)
        for_each_succ(c, f, b, store_edge);
}

static bool can_split(const struct ptx_inst *i)
{
    uint32_t n;
    return branch_targets(i, &n) && (i->guard != PTX_NO_REG || i->op == PTX_OP_BRX);
}

/* Blocks that do nothing but end the path, or go to one that does. */
static void find_ends(const struct ptx_cfg *c, const struct ptx_func *f, bool *ends)
{
    for (uint32_t b = c->nblocks; b-- > 0;) {
        const struct ptx_block *blk = &c->blocks[b];
        const struct ptx_inst *i = &f->insts[blk->first];
        if (blk->first != blk->last || i->guard != PTX_NO_REG)
            continue;
        ends[b] = ends_path(i) || (i->op == PTX_OP_BRA && blk->nsucc == 1 &&
                                   blk->succ[0] < c->nblocks && ends[blk->succ[0]]);
    }
}

/* Whether two ways of block `b` that both go on meet at meet[b], but not by strict post-dominance:
 * because somewhere between, a path ends. */
static bool is_kept_apart(const struct ptx_cfg *c, const bool *ends, const uint32_t *meet,
                          uint32_t b)
{
    const struct ptx_block *blk = &c->blocks[b];
    uint32_t way = PTX_NO_PC;
    if (meet[b] == c->nblocks || ends[meet[b]])
        return false;
    if (blk->ipdom != c->nblocks && !ends[blk->ipdom])
        return false;
    for (uint32_t i = 0; i < blk->nsucc; i++) {
        uint32_t s = blk->succ[i];
        if (s == c->nblocks || ends[s])
            continue;
        if (way != PTX_NO_PC && way != s)
            return true;
        way = s;
    }
    return false;
}

/* Lanes that have ended need not be met. Where strict post-dominators would make the others wait
 * for the end of the function, all branches of the function look past paths that just end; all,
 * because the stack of a warp needs points that nest. Other functions stay strict. */
static bool find_meeting_points(const struct ptx_cfg *c, const struct ptx_func *f, uint32_t *meet)
{
    bool *ends = xcalloc(c->nblocks, sizeof *ends), matters = false;
    find_ends(c, f, ends);
    bool candidate = false;
    for (uint32_t b = 0; b < c->nblocks && !candidate; b++)
        candidate = can_split(&f->insts[c->blocks[b].last]) &&
                    (c->blocks[b].ipdom == c->nblocks || ends[c->blocks[b].ipdom]);
    if (candidate) {
        ptx_postdom_compute(c, ends, meet);
        for (uint32_t b = 0; b < c->nblocks && !matters; b++)
            matters = can_split(&f->insts[c->blocks[b].last]) && is_kept_apart(c, ends, meet, b);
    }
    free(ends);
    return matters;
}

static void find_reconvergence(struct ptx_cfg *c, const struct ptx_func *f)
{
    uint32_t *meet = xmalloc(c->nblocks * sizeof *meet);
    ptx_postdom_compute(c, NULL, meet);
    for (uint32_t b = 0; b < c->nblocks; b++)
        c->blocks[b].ipdom = meet[b];
    if (!find_meeting_points(c, f, meet))
        for (uint32_t b = 0; b < c->nblocks; b++)
            meet[b] = c->blocks[b].ipdom;
    for (uint32_t pc = 0; pc < f->ninsts; pc++) {
        uint32_t m = meet[c->block_of[pc]];
        bool meets = can_split(&f->insts[pc]) && m < c->nblocks;
        c->reconv[pc] = meets ? c->blocks[m].first : PTX_NO_PC;
    }
    free(meet);
}

struct ptx_cfg *ptx_cfg_build(const struct ptx_func *f)
{
    struct ptx_cfg *c = xcalloc(1, sizeof *c);
    if (!f->ninsts)
        return c;
    c->block_of = xcalloc(f->ninsts, sizeof *c->block_of);
    c->reconv = xcalloc(f->ninsts, sizeof *c->reconv);
    find_blocks(c, f);
    find_edges(c, f);
    find_reconvergence(c, f);
    return c;
}

void ptx_cfg_free(struct ptx_cfg *c)
{
    if (!c)
        return;
    if (c->nblocks)
        free(c->blocks[0].succ);
    free(c->blocks);
    free(c->block_of);
    free(c->reconv);
    free(c);
}
