/* What redundant multithreading knows of a function: which of its instructions are covered, and
 * the instructions that are put in for its registers. */
#include "tech/rmt/rmt_int.h"

#include <stdlib.h>

/* Lane arithmetic reads registers, constants and what does not change while a warp runs. */
static bool is_covered(const struct dinst *d)
{
    return d->x->kind == X_LANE && d->ndst && !(d->flags & DINST_CONTROL);
}

/* A move, or what only reads: `numbers` are its registers. */
static struct dinst put_in(const struct rmt *r, const struct dfunc *fn, const uint32_t *numbers,
                           uint8_t ndst)
{
    return (struct dinst){.fn = fn,
                          .regs = numbers,
                          .parts = 1,
                          .latency = (uint16_t)sm_cfg_latency(r->sm_cfg, OP_CLASS_alu),
                          .initiation = (uint16_t)sm_cfg_initiation(r->sm_cfg, OP_CLASS_alu),
                          .ndst = ndst,
                          .nsrc = (uint8_t)(2 - ndst),
                          .nregs = 2,
                          .pipe = PIPE_SP,
                          .unit = UNIT_SP,
                          .class = OP_CLASS_alu,
                          .by = r};
}

static struct rmt_code *code_new(const struct rmt *r, const struct dfunc *fn)
{
    struct rmt_code *c = xcalloc(1, sizeof *c);
    c->fn = fn;
    c->first = fn->regs;
    c->nregs = fn->fn->src->nregs;
    c->is_covered = xcalloc(fn->ncode + 1, sizeof *c->is_covered);
    for (uint32_t pc = 0; pc < fn->ncode; pc++)
        c->is_covered[pc] = is_covered(&fn->code[pc]);
    c->copies = xcalloc(c->nregs + 1, sizeof *c->copies);
    c->compares = xcalloc(c->nregs + 1, sizeof *c->compares);
    c->numbers = xcalloc(c->nregs + 1, 2 * sizeof *c->numbers);
    for (uint32_t k = 0; k < c->nregs; k++) {
        c->numbers[2 * k] = c->numbers[2 * k + 1] = c->first + k;
        c->copies[k] = put_in(r, fn, c->numbers + 2 * k, 1);
        c->compares[k] = put_in(r, fn, c->numbers + 2 * k, 0);
    }
    ptx_live_find(fn->fn->src, &c->live);
    return c;
}

/* A function that was unloaded may have left its address to another. */
static bool is_of(const struct rmt_code *c, const struct dfunc *fn)
{
    return c->fn == fn && c->live.f == fn->fn->src && c->first == fn->regs &&
           c->nregs == fn->fn->src->nregs;
}

const struct rmt_code *rmt_code_of(struct rmt *r, const struct dfunc *fn)
{
    for (size_t i = r->codes.len; i-- > 0;)
        if (is_of(r->codes.data[i], fn))
            return r->codes.data[i];
    struct rmt_code *c = code_new(r, fn);
    vec_push(&r->codes, c);
    return c;
}

void rmt_codes_free(struct rmt *r)
{
    for (size_t i = 0; i < r->codes.len; i++) {
        struct rmt_code *c = r->codes.data[i];
        ptx_live_free(&c->live);
        free(c->is_covered);
        free(c->copies);
        free(c->compares);
        free(c->numbers);
        free(c);
    }
    vec_free(&r->codes);
}

bool rmt_is_live(const struct rmt_code *c, uint32_t reg, uint32_t pc)
{
    for (uint32_t i = c->live.first_range[reg]; i < c->live.first_range[reg + 1]; i++)
        if (c->live.ranges[i].from <= 2 * pc && 2 * pc <= c->live.ranges[i].to)
            return true;
    return false;
}
