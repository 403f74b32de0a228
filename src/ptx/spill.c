/* Which values live in memory when there are fewer registers than live words.
 *
 * As Chaitin's allocators do: a register's cost is its accesses, those in loops weighted; its gain
 * is the points at which there are too few registers and it only waits. Registers are spilled in
 * order of cost by gain until every point fits, and then, dearest first, kept after all if they
 * still fit. A spilled register takes its words only at the points next to its accesses. */
#include "ptx/liveness.h"
#include "ptx/regs.h"

#include <stdlib.h>
#include <string.h>

/* Points looked at; beyond this, registers are spilled without a look at whether it still helps. */
#define MAX_LOOKS (UINT64_C(1) << 28)

struct candidate {
    uint32_t reg;
    uint64_t price; /* cost by gain */
};

struct spiller {
    struct ptx_live live;
    int32_t *over;   /* by point: live words beyond what there is room for */
    uint32_t *crowd; /* by point: points before it that are over */
    uint8_t *depth;  /* by instruction: loops around it */
    uint64_t looks;
};

/* A loop is what lies between a branch and its target above it. */
static void find_loops(struct spiller *s)
{
    const struct ptx_func *f = s->live.f;
    int32_t *delta = xcalloc(f->ninsts + 1, sizeof *delta), now = 0;
    for (uint32_t pc = 0; pc < f->ninsts; pc++)
        for (unsigned k = 0; k < f->insts[pc].nops; k++) {
            const struct ptx_operand *o = &f->insts[pc].ops[k];
            if (o->kind == PTX_OPND_LABEL && o->pc <= pc) {
                delta[o->pc]++;
                delta[pc + 1]--;
            }
        }
    s->depth = xcalloc(f->ninsts, sizeof *s->depth);
    for (uint32_t pc = 0; pc < f->ninsts; pc++) {
        now += delta[pc];
        s->depth[pc] = (uint8_t)(now < 6 ? now : 6);
    }
    free(delta);
}

static void find_crowds(struct spiller *s, uint32_t given)
{
    const struct ptx_func *f = s->live.f;
    const uint32_t points = 2 * f->ninsts;
    uint32_t *needs = ptx_regs_callees(f);
    s->over = xcalloc(points + 1, sizeof *s->over);
    s->crowd = xcalloc(points + 1, sizeof *s->crowd);
    for (uint32_t r = 0; r < f->nregs; r++)
        for (uint32_t i = s->live.first_range[r]; i < s->live.first_range[r + 1]; i++) {
            s->over[s->live.ranges[i].from] += (int32_t)ptx_reg_words(f, r);
            s->over[s->live.ranges[i].to + 1] -= (int32_t)ptx_reg_words(f, r);
        }
    for (uint32_t p = 1; p < points; p++)
        s->over[p] += s->over[p - 1];
    for (uint32_t p = 0; p < points; p++) {
        const struct ptx_func *callee = p % 2 && needs ? ptx_regs_callee(&f->insts[p / 2]) : NULL;
        uint32_t taken = callee ? needs[callee->index] : 0;
        s->over[p] -= (int32_t)(given - (taken < given ? taken : given));
        s->crowd[p + 1] = s->crowd[p] + (s->over[p] > 0);
    }
    free(needs);
}

/* The next access of the register that is at another point than access `i`. */
static uint32_t next_point(const struct spiller *s, uint32_t i, uint32_t end)
{
    const struct ptx_access *a = &s->live.accesses[i];
    while (i < end && s->live.accesses[i].pc == a->pc && s->live.accesses[i].is_def == a->is_def)
        i++;
    return i;
}

static uint32_t point_of(const struct ptx_access *a)
{
    return 2 * a->pc + a->is_def;
}

static struct candidate weigh(const struct spiller *s, uint32_t reg)
{
    const struct ptx_live *l = &s->live;
    const uint32_t end = l->first_access[reg + 1];
    uint64_t cost = 0, gain = 0;
    for (uint32_t i = l->first_range[reg]; i < l->first_range[reg + 1]; i++)
        gain += s->crowd[l->ranges[i].to + 1] - s->crowd[l->ranges[i].from];
    for (uint32_t i = l->first_access[reg]; i < end; i = next_point(s, i, end)) {
        cost += UINT64_C(1) << (3 * s->depth[l->accesses[i].pc]);
        gain -= s->over[point_of(&l->accesses[i])] > 0;
    }
    gain *= ptx_reg_words(l->f, reg);
    return (struct candidate){reg, gain ? (cost << 24) / gain : UINT64_MAX};
}

static int by_price(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return x->price != y->price ? (x->price > y->price) - (x->price < y->price)
                                : (x->reg > y->reg) - (x->reg < y->reg);
}

/* Adds `words` wherever the register only waits. */
static void change(struct spiller *s, uint32_t reg, int32_t words)
{
    const struct ptx_live *l = &s->live;
    const uint32_t end = l->first_access[reg + 1];
    for (uint32_t i = l->first_range[reg]; i < l->first_range[reg + 1]; i++) {
        s->looks += l->ranges[i].to - l->ranges[i].from;
        for (uint32_t p = l->ranges[i].from; p <= l->ranges[i].to; p++)
            s->over[p] += words;
    }
    for (uint32_t i = l->first_access[reg]; i < end; i = next_point(s, i, end))
        s->over[point_of(&l->accesses[i])] -= words;
}

/* Whether there is a point where the register only waits and more than `most` are over. */
static bool waits_in_crowd(struct spiller *s, uint32_t reg, int32_t most)
{
    const struct ptx_live *l = &s->live;
    uint32_t at = l->first_access[reg];
    const uint32_t end = l->first_access[reg + 1];
    uint64_t crowded = 0;
    if (s->looks > MAX_LOOKS)
        return true;
    for (uint32_t i = l->first_range[reg]; i < l->first_range[reg + 1]; i++) {
        s->looks += l->ranges[i].to - l->ranges[i].from;
        for (uint32_t p = l->ranges[i].from; p <= l->ranges[i].to; p++)
            crowded += s->over[p] > most;
    }
    for (; at < end; at = next_point(s, at, end))
        crowded -= s->over[point_of(&l->accesses[at])] > most;
    return crowded != 0;
}

static void choose(struct spiller *s, struct candidate *c, uint32_t n, bool *is_spilled)
{
    const struct ptx_func *f = s->live.f;
    for (uint32_t i = 0; i < n; i++)
        if (waits_in_crowd(s, c[i].reg, 0)) {
            is_spilled[c[i].reg] = true;
            change(s, c[i].reg, -(int32_t)ptx_reg_words(f, c[i].reg));
        }
    for (uint32_t i = n; i-- > 0;) {
        const int32_t words = (int32_t)ptx_reg_words(f, c[i].reg);
        if (is_spilled[c[i].reg] && !waits_in_crowd(s, c[i].reg, -words)) {
            is_spilled[c[i].reg] = false;
            change(s, c[i].reg, words);
        }
    }
}

static uint32_t place_spilled(const struct ptx_func *f, const bool *is_spilled, uint32_t *place)
{
    uint32_t end = 0;
    for (unsigned words = 4; words; words /= 2) /* the widest first, so that all are aligned */
        for (uint32_t r = 0; r < f->nregs; r++)
            if (is_spilled[r] && ptx_reg_words(f, r) == words) {
                place[r] = end;
                end += 4 * words;
            }
    return end;
}

uint32_t ptx_regs_spill(const struct ptx_func *f, uint32_t given, uint32_t *place)
{
    struct spiller s = {0};
    for (uint32_t r = 0; r < f->nregs; r++)
        place[r] = PTX_NOT_SPILLED;
    if (!f->ninsts)
        return 0;
    ptx_live_find(f, &s.live);
    find_loops(&s);
    find_crowds(&s, given);
    struct candidate *c = xmalloc((f->nregs + 1) * sizeof *c);
    bool *is_spilled = xcalloc(f->nregs + 1, sizeof *is_spilled);
    uint32_t n = 0;
    for (uint32_t r = 0; r < f->nregs && s.crowd[2 * f->ninsts]; r++) {
        c[n] = weigh(&s, r);
        n += c[n].price != UINT64_MAX;
    }
    qsort(c, n, sizeof *c, by_price);
    choose(&s, c, n, is_spilled);
    uint32_t bytes = place_spilled(f, is_spilled, place);
    ptx_live_free(&s.live);
    free(s.over);
    free(s.crowd);
    free(s.depth);
    free(c);
    free(is_spilled);
    return bytes;
}
