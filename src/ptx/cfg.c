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

static void find_reconvergence(struct ptx_cfg *c, const struct ptx_func *f)
{
    for (uint32_t pc = 0; pc < f->ninsts; pc++) {
        const struct ptx_inst *i = &f->insts[pc];
        uint32_t n, ipdom = c->blocks[c->block_of[pc]].ipdom;
        bool splits = branch_targets(i, &n) && (i->guard != PTX_NO_REG || i->op == PTX_OP_BRX);
        c->reconv[pc] = splits && ipdom < c->nblocks ? c->blocks[ipdom].first : PTX_NO_PC;
    }
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
    ptx_postdom_compute(c);
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
