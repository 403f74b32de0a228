/* What warps of 64 threads would do: warps 2i and 2i + 1 of a block are taken as one, their n-th
 * executions of an instruction as one of it. The warp that is ahead leaves notes, the other one
 * takes them. An instruction that only one of them executes is one of its own, and divergent unless
 * the other has no threads. */
#include "exec/warp.h"
#include "tech/gscalar/gscalar_int.h"

#include <stdlib.h>
#include <string.h>

/* Notes that a warp can be ahead by, and how far the other one looks for its own. */
enum { NOTES = 4096, LOOK_AHEAD = 64 };

struct note {
    uint32_t inst, number; /* the number-th execution of it */
    uint64_t values;       /* of its sources, mixed */
    uint8_t bits;          /* enum gs_scalar */
    bool is_one;           /* one lane executes it */
    bool is_whole;         /* by 32 threads */
};

struct gs_pair {
    const struct cta *cta;
    uint32_t number; /* of the even warp in its block */
    unsigned warps;  /* that have not ended; 0: it is nobody's */
    bool has_two;    /* has had both */
    struct note *notes;
    uint32_t head, len;
    unsigned ahead; /* slot of the warp that left them */
};

struct gs_wide {
    struct gs_pair *pair;
    uint32_t *times; /* by instruction: executions so far */
    uint32_t cap;
};

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

static uint64_t values_of(const struct gs_seen *s)
{
    uint64_t h = 0;
    for (unsigned j = 0; j < s->i->nsrc; j++) {
        const struct gs_operand *op = &s->i->src[j];
        const struct gs_reg *r = &s->slot->regs[op->at];
        h = op->words ? h : mix(h, (r->mask & s->mask) != 0);
        for (unsigned k = 0; k < op->words; k++)
            h = mix(h, s->slot->bases[op->at + k].bvr[0]);
    }
    return s->i->reads_carry ? mix(h, (s->slot->carry & s->mask) != 0) : h;
}

static struct note note_of(const struct gs_seen *s, unsigned bits)
{
    const uint32_t inst = s->f->first_inst + (uint32_t)(s->i - s->f->code);
    const bool is_whole = !s->is_divergent && s->e->all == UINT32_MAX;
    return (struct note){.inst = inst,
                         .number = s->slot->wide->times[inst]++,
                         .values = values_of(s),
                         .bits = (uint8_t)(is_whole ? bits & (GS_FULL | GS_LOW | GS_HIGH) : 0),
                         .is_one = !s->is_divergent && (bits & GS_FULL) && !s->i->is_of_warp,
                         .is_whole = is_whole};
}

static void count(struct gs_sm *m, bool is_one, unsigned bits)
{
    m->stats.wide_inst++;
    m->stats.wide_full += is_one;
    m->stats.wide_part += !is_one && bits;
}

/* One that the other warp does not execute. */
static void drop_first(struct gs_sm *m, struct gs_pair *pair)
{
    const struct note *n = &pair->notes[pair->head];
    count(m, n->is_one && !pair->has_two, 0);
    pair->head = (pair->head + 1) % NOTES;
    pair->len--;
}

/* How many notes before that of the same execution; `len`: there is none. */
static uint32_t find(const struct gs_pair *pair, const struct note *mine)
{
    for (uint32_t i = 0; i < pair->len && i < LOOK_AHEAD; i++) {
        const struct note *n = &pair->notes[(pair->head + i) % NOTES];
        if (n->inst == mine->inst && n->number == mine->number)
            return i;
    }
    return pair->len;
}

static void meet(struct gs_sm *m, struct gs_pair *pair, const struct note *mine)
{
    uint32_t before = find(pair, mine);
    if (before == pair->len) {
        count(m, false, 0);
        return;
    }
    while (before--)
        drop_first(m, pair);
    const struct note *n = &pair->notes[pair->head];
    count(m, n->is_one && mine->is_one && n->values == mine->values,
          n->is_whole && mine->is_whole ? n->bits | mine->bits : 0);
    pair->head = (pair->head + 1) % NOTES;
    pair->len--;
}

void gs_wide_note(struct gs_sm *m, const struct gs_seen *s, unsigned bits)
{
    struct gs_pair *pair = s->slot->wide->pair;
    const struct note mine = note_of(s, bits);
    if (pair->len && pair->ahead != s->e->slot) {
        meet(m, pair, &mine);
        return;
    }
    if (pair->len == NOTES)
        drop_first(m, pair);
    pair->ahead = s->e->slot;
    pair->notes[(pair->head + pair->len++) % NOTES] = mine;
}

/* --- warps --- */

/* That of the warp's neighbour, or one that is nobody's. */
static struct gs_pair *pair_for(struct gs_sm *m, const struct warp *w)
{
    struct gs_pair *idle = NULL;
    for (unsigned k = 0; k < GS_SLOTS; k++) {
        struct gs_pair *p = m->pairs[k] ? m->pairs[k] : (m->pairs[k] = xcalloc(1, sizeof *p));
        if (p->warps && p->cta == w->cta && p->number == (w->id & ~1u))
            return p;
        idle = p->warps || idle ? idle : p;
    }
    idle->has_two = false;
    idle->cta = w->cta;
    idle->number = w->id & ~1u;
    if (!idle->notes)
        idle->notes = xcalloc(NOTES, sizeof *idle->notes);
    return idle;
}

void gs_wide_start(struct gs_sm *m, unsigned slot, const struct warp *w)
{
    struct gs_slot *s = &m->slots[slot];
    struct gs_wide *x = s->wide ? s->wide : xcalloc(1, sizeof *x);
    if (x->cap < s->plan->ninsts) {
        x->cap = s->plan->ninsts;
        free(x->times);
        x->times = xcalloc(x->cap, sizeof *x->times);
    }
    memset(x->times, 0, s->plan->ninsts * sizeof *x->times);
    x->pair = pair_for(m, w);
    x->pair->has_two |= x->pair->warps++ > 0;
    s->wide = x;
}

void gs_wide_end(struct gs_sm *m, unsigned slot)
{
    struct gs_pair *pair = m->slots[slot].wide->pair;
    pair->warps--;
    while (!pair->warps && pair->len)
        drop_first(m, pair);
}

void gs_wide_free(struct gs_sm *m)
{
    for (unsigned k = 0; k < GS_SLOTS; k++) {
        if (m->slots[k].wide)
            free(m->slots[k].wide->times);
        free(m->slots[k].wide);
        if (m->pairs[k])
            free(m->pairs[k]->notes);
        free(m->pairs[k]);
    }
}
