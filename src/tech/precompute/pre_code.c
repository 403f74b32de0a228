/* What is known of functions that have run on an SM. */
#include "tech/precompute/precompute_int.h"

#include <stdlib.h>
#include <string.h>

static struct dinst move_of(const struct precompute *p, const struct dfunc *fn,
                            const uint32_t *numbers)
{
    return (struct dinst){.fn = fn,
                          .regs = numbers,
                          .parts = 1,
                          .latency = (uint16_t)sm_cfg_latency(p->sm_cfg, OP_CLASS_alu),
                          .initiation = (uint16_t)sm_cfg_initiation(p->sm_cfg, OP_CLASS_alu),
                          .ndst = 1,
                          .nsrc = 1,
                          .nregs = 2,
                          .pipe = PIPE_SP,
                          .unit = UNIT_SP,
                          .class = OP_CLASS_alu,
                          .by = p};
}

static struct pre_code *code_new(struct precompute *p, const struct dfunc *fn)
{
    struct pre_code *c = xcalloc(1, sizeof *c);
    c->fn = fn;
    c->name = xstrdup(fn->fn->src->name);
    c->ncode = fn->ncode;
    c->nregs = fn->fn->src->nregs;
    pre_slices_find(fn, p->cfg, (uint32_t)p->sm_cfg->instruction_bytes, &c->slices);
    c->trials = xcalloc(c->slices.n + 1, sizeof *c->trials);
    c->moves = xcalloc(c->nregs + 1, sizeof *c->moves);
    c->numbers = xcalloc(c->nregs + 1, 2 * sizeof *c->numbers);
    for (uint32_t k = 0; k < c->nregs; k++) {
        c->numbers[2 * k] = c->numbers[2 * k + 1] = fn->regs + k;
        c->moves[k] = move_of(p, fn, c->numbers + 2 * k);
    }
    return c;
}

static void code_free(struct pre_code *c)
{
    pre_slices_free(&c->slices);
    free(c->name);
    free(c->trials);
    free(c->moves);
    free(c->numbers);
    free(c);
}

/* The function has been here, perhaps at another place. */
static bool is_same(const struct pre_code *a, const struct pre_code *b)
{
    return a->ncode == b->ncode && a->nregs == b->nregs && a->slices.n == b->slices.n &&
           !strcmp(a->name, b->name);
}

/* What an old one's trials have shown is the new one's. */
static void replace_old(struct precompute *p, struct pre_code *c)
{
    for (size_t i = 0; i < p->codes.len; i++) {
        struct pre_code *old = p->codes.data[i];
        if (!old->is_old || !is_same(old, c))
            continue;
        memcpy(c->trials, old->trials, c->slices.n * sizeof *c->trials);
        for (uint32_t k = 0; k < c->slices.n; k++)
            pre_trial_resume(&c->trials[k], p->cfg);
        code_free(old);
        p->codes.data[i] = c;
        return;
    }
    p->stats.loops += c->slices.n;
    for (uint32_t i = 0; i < c->slices.n; i++) {
        p->stats.slice_inst += c->slices.at[i].ninst;
        p->stats.loop_inst += c->slices.at[i].to - c->slices.at[i].from + 1;
    }
    vec_push(&p->codes, c);
}

static bool is_of(const struct pre_code *c, const struct dfunc *fn)
{
    return c->fn == fn && !c->is_old && c->ncode == fn->ncode && c->nregs == fn->fn->src->nregs;
}

struct pre_code *pre_code_of(struct precompute *p, const struct dfunc *fn)
{
    for (size_t i = p->codes.len; i-- > 0;)
        if (is_of(p->codes.data[i], fn))
            return p->codes.data[i];
    struct pre_code *c = code_new(p, fn);
    replace_old(p, c);
    return c;
}

void precompute_launch(struct precompute *p)
{
    for (size_t i = 0; !p->on && i < p->codes.len; i++)
        p->codes.data[i]->is_old = true;
}

void pre_codes_free(struct precompute *p)
{
    for (size_t i = 0; i < p->codes.len; i++)
        code_free(p->codes.data[i]);
    vec_free(&p->codes);
}
