/* Warps at their own pace, functionally; and what the pipeline has to forget when time goes on. */
#include "sm/sm_forward.h"

#include "sm/sm_int.h"

#include <math.h>
#include <stdlib.h>

/* A warp that has been there for less than this part of a window has the SM's pace. */
enum { PART_OF_WINDOW = 8 };
/* Instructions until it is looked at what lines have cost. */
enum { SLICE = 32 };
/* Instructions of a warp in a turn of the last step. */
enum { TURN = 4 };
/* Instructions beyond its credit that a warp may take to stand where it stood. */
enum { HOME = 2000 };
#define HOME_PART 0.5 /* of what it executes in the stretch, at most */
/* Credit that warps at a barrier may save up, in steps. */
#define CREDIT_STEPS 1

struct pace {
    uint64_t age;   /* of the warp that was seen */
    uint64_t from;  /* its instructions then, */
    uint64_t far;   /* and lines that the L1 did not have */
    uint32_t waits; /* looks at which it waited at a barrier */
    bool has_differed;
    double differed; /* from the mean rate in the window before */
    cycle_t since;
    double rate, credit;      /* instructions a cycle; that it may execute */
    double given;             /* credit, in all */
    const struct xinst *home; /* its next when the window ended; NULL: it was not there */
};

struct sm_forward {
    struct sm *sm;
    struct pace warp[MAX_WARPS];
    cycle_t marked;
    uint32_t looks;             /* since then */
    bool has_moved;             /* a warp, in the last step */
    double mean;                /* rate of all warps */
    double line;                /* what one costs, in instructions */
    const struct decoded *code; /* that `stretch` is of */
    uint32_t stretch;           /* instructions between branches, at most */
};

bool sm_can_go_forward(const struct sm *sm)
{
    return !sm->asked && sm->npipes == PIPES;
}

struct sm_forward *sm_forward_new(struct sm *sm)
{
    struct sm_forward *f = xcalloc(1, sizeof *f);
    f->sm = sm;
    return f;
}

void sm_forward_free(struct sm_forward *f)
{
    free(f);
}

uint64_t sm_forward_executed(const struct sm_forward *f)
{
    uint64_t n = 0;
    for (uint32_t m = f->sm->cta_set; m; m &= m - 1) {
        const struct cta *c = f->sm->ctas[__builtin_ctz(m)].cta;
        for (uint32_t i = 0; i < c->nwarps; i++)
            n += c->warps[i].ninst;
    }
    return n;
}

void sm_forward_open(const struct sm_forward *f, const struct sm_kernel *k, uint64_t *warp_inst,
                     uint64_t *thread_inst)
{
    for (uint32_t m = f->sm->cta_set; m; m &= m - 1) {
        const struct cta_slot *c = &f->sm->ctas[__builtin_ctz(m)];
        for (uint32_t i = 0; c->launch->kernel == k && i < c->cta->nwarps; i++) {
            *warp_inst += c->cta->warps[i].ninst;
            *thread_inst += c->cta->warps[i].nthread_inst;
        }
    }
}

unsigned sm_forward_live(const struct sm_forward *f)
{
    unsigned n = 0;
    for (uint64_t m = f->sm->live; m; m &= m - 1)
        n += f->sm->slot[first_of(m)].w->state != WARP_DONE;
    return n;
}

void sm_forward_begin(struct sm_forward *f)
{
    f->code = NULL;
}

/* --- lines that the L1 has --- */

static struct sm *sm_of(const struct warp *w)
{
    return ((const struct sm_launch *)w->grid)->sm;
}

bool sm_forward_misses(const struct warp *w, addr_t line, bool is_write)
{
    (void)is_write;
    return !l1_has(sm_of(w)->data, line);
}

bool sm_forward_brings(const struct warp *w, addr_t line, bool is_write)
{
    return l1_touch(sm_of(w)->data, line, is_write);
}

/* --- pace --- */

/* Found before, it would not be asked for again, and nobody told. */
static void ask_again(struct sm *sm)
{
    for (uint32_t m = sm->cta_set; m; m &= m - 1)
        sm->ctas[__builtin_ctz(m)].launch->grid.tlb_epoch = UINT64_MAX;
}

void sm_forward_mark(struct sm_forward *f, cycle_t now)
{
    const struct sm *sm = f->sm;
    f->marked = now;
    f->looks = 0;
    ask_again(f->sm);
    for (uint64_t m = sm->live; m; m &= m - 1) {
        const struct warp_slot *ws = &sm->slot[first_of(m)];
        struct pace *p = &f->warp[first_of(m)];
        *p = (struct pace){.age = ws->age,
                           .from = ws->w->ninst,
                           .far = ws->w->nfar,
                           .has_differed = p->has_differed && p->age == ws->age,
                           .differed = p->differed,
                           .since = now};
    }
}

void sm_forward_look(struct sm_forward *f)
{
    f->looks++;
    for (uint64_t m = f->sm->live & f->sm->barrier; m; m &= m - 1)
        f->warp[first_of(m)].waits++;
}

/* Cycles in which it did not wait for others of its block: those have the pace of the one that all
 * wait for. */
static double active(const struct sm_forward *f, const struct pace *p, cycle_t now)
{
    const double t = (double)(now - p->since),
                 looks = (double)f->looks * t / (double)(now - f->marked);
    return looks > 0 ? t * fmax(1 - p->waits / looks, 0) : t;
}

/* Least squares, of the time that each warp took by what it did in it. */
void sm_forward_learn(const struct sm_forward *f, struct sm_forward_fit *fit, cycle_t now)
{
    const struct sm *sm = f->sm;
    for (uint64_t m = sm->live; m; m &= m - 1) {
        const struct warp_slot *ws = &sm->slot[first_of(m)];
        const struct pace *p = &f->warp[first_of(m)];
        if (p->age != ws->age)
            continue;
        const double n = (double)(ws->w->ninst - p->from), far = (double)(ws->w->nfar - p->far),
                     t = active(f, p, now);
        fit->nn += n * n;
        fit->nm += n * far;
        fit->mm += far * far;
        fit->nt += n * t;
        fit->mt += far * t;
    }
}

/* What a warp has of the difference that it had, it will have of this one. */
static void even_out(const struct sm_forward *f, struct pace *p, struct sm_forward_fit *fit)
{
    const double differs = p->rate / f->mean - 1;
    if (p->has_differed) {
        fit->before += p->differed * p->differed;
        fit->both += p->differed * differs;
    }
    p->differed = differs;
    p->has_differed = true;
    p->rate = f->mean * (1 + fit->stays * differs);
}

void sm_forward_pace(struct sm_forward *f, struct sm_forward_fit *fit, cycle_t now)
{
    const struct sm *sm = f->sm;
    double executed = 0, cycles = 0;
    f->line = fit->line;
    for (uint64_t m = sm->live; m; m &= m - 1) {
        const unsigned slot = first_of(m);
        const struct warp_slot *ws = &sm->slot[slot];
        struct pace *p = &f->warp[slot];
        if (p->age != ws->age) { /* came within the window */
            const cycle_t begin = sm->ctas[ws->cta].begin;
            *p = (struct pace){.age = ws->age, .since = begin > f->marked ? begin : f->marked};
        }
        const double n = (double)(ws->w->ninst - p->from) +
                         f->line * (double)(ws->w->nfar - p->far),
                     t = active(f, p, now);
        p->rate = t > 0 ? n / t : 0;
        p->credit = p->given = 0;
        p->home = warp_peek(ws->w);
        executed += n;
        cycles += t;
    }
    f->mean = cycles > 0 ? executed / cycles : 0;
    for (uint64_t m = sm->live; m && f->mean > 0; m &= m - 1) {
        struct pace *p = &f->warp[first_of(m)];
        if (active(f, p, now) * PART_OF_WINDOW < (double)(now - f->marked))
            p->rate = f->mean;
        even_out(f, p, fit);
    }
}

/* --- a block --- */

/* warp_run() stops at branches only. */
static uint32_t longest_stretch(const struct dfunc *fn)
{
    uint32_t most = 0, n = 0;
    for (uint32_t i = 0; i < fn->ncode; i++) {
        n = fn->code[i].flags & (DINST_CONTROL | DINST_BARRIER) ? 0 : n + 1;
        most = n > most ? n : most;
    }
    return most;
}

/* One by one, until the credit is spent and it stands where it stood when the window ended: warps
 * that hold each other up, or run ahead of each other, go on to do so. */
static bool step_warp(struct sm_forward *f, struct warp *w, struct pace *p,
                      const struct sm_forward_step *s)
{
    struct sm *sm = f->sm;
    const double least = p->home ? -fmin(HOME_PART * p->given, HOME) : 0;
    const struct xinst *x;
    unsigned n = 0;
    for (; p->credit > least && !warp_is_deferred(w) && (x = warp_peek(w)); p->credit--) {
        if ((p->credit <= -least && x == p->home) || n == TURN)
            break;
        const uint64_t far = w->nfar;
        if (!warp_step(w, sm->effects, s->now, &sm->step)) {
            sm_stop(sm, w);
            return false;
        }
        p->credit -= f->line * (double)(w->nfar - far);
        n++;
    }
    return effects_empty(sm->effects) || s->apply(s->ctx);
}

static bool run_warp(struct sm_forward *f, struct warp *w, struct pace *p,
                     const struct sm_forward_step *s)
{
    if (s->is_last) /* only so: stores wait in the log, which warp_run() does not see */
        return step_warp(f, w, p, s);
    uint64_t before = w->ninst - 1;
    while (p->credit > f->stretch && w->state == WARP_READY && w->ninst != before) {
        const uint64_t far = w->nfar;
        const double most = p->credit - f->stretch;
        before = w->ninst;
        w->grid->clock = s->now;
        w->grid->turn_from = w->ninst;
        if (warp_run(w, (uint64_t)(f->line > 0 ? fmin(most, SLICE) : most)) == WARP_STOP_FAULT) {
            sm_stop(f->sm, w);
            return false;
        }
        p->credit -= (double)(w->ninst - before) + f->line * (double)(w->nfar - far);
    }
    return true;
}

static bool has_ended(const struct cta *c)
{
    for (uint32_t i = 0; i < c->nwarps; i++)
        if (c->warps[i].state != WARP_DONE)
            return false;
    return true;
}

/* The next block of the kernel, if there is one, where this one was. */
static bool follow(struct sm_forward *f, unsigned cta, const struct sm_forward_step *s)
{
    const struct cta_slot *c = &f->sm->ctas[cta];
    uint64_t number, before = c->warps;
    if (!sm_can_follow_block(f->sm, cta) || !s->next(s->ctx, c->launch->kernel, &number))
        return false;
    sm_follow_block(f->sm, cta, number);
    for (uint64_t m = c->warps & ~before; m; m &= m - 1)
        f->warp[first_of(m)] = (struct pace){.rate = f->mean};
    for (uint64_t m = c->warps; m; m &= m - 1)
        f->warp[first_of(m)].age = f->sm->slot[first_of(m)].age;
    return true;
}

/* A turn of each of its warps that has credit and can go on. */
static bool turn_block(struct sm_forward *f, unsigned cta, const struct sm_forward_step *s,
                       bool *any)
{
    const struct cta_slot *c = &f->sm->ctas[cta];
    *any = false;
    for (uint64_t m = c->warps & f->sm->live; m; m &= m - 1) {
        const unsigned slot = first_of(m);
        struct warp *w = f->sm->slot[slot].w;
        const uint64_t before = w->ninst;
        if (w->state != WARP_READY || warp_is_deferred(w) ||
            (f->warp[slot].credit < 1 && !s->is_last))
            continue;
        if (!run_warp(f, w, &f->warp[slot], s))
            return false;
        *any |= w->ninst != before;
    }
    if (has_ended(c->cta) && !follow(f, cta, s))
        *any = false;
    return true;
}

/* Blocks one after the other; in the last step, which leaves behind what caches have, a turn. */
static bool run_blocks(struct sm_forward *f, uint32_t ctas, const struct sm_forward_step *s)
{
    f->has_moved = false;
    for (uint32_t m = ctas; m; m &= m - 1) {
        const unsigned cta = (unsigned)__builtin_ctz(m);
        bool any;
        do {
            if (!turn_block(f, cta, s, &any))
                return false;
            f->has_moved |= any;
        } while (any && !s->is_last);
    }
    return true;
}

bool sm_forward_has_moved(const struct sm_forward *f)
{
    return f->has_moved;
}

static void give_credit(struct sm_forward *f, const struct cta_slot *c, double cycles)
{
    for (uint64_t m = c->warps & f->sm->live; m; m &= m - 1) {
        struct pace *p = &f->warp[first_of(m)];
        const double most = CREDIT_STEPS * p->rate * cycles + f->stretch;
        p->given += p->rate * cycles;
        p->credit += p->rate * cycles;
        p->credit = p->credit < most ? p->credit : most;
    }
}

bool sm_forward_run(struct sm_forward *f, const struct sm_forward_step *s)
{
    struct sm *sm = f->sm;
    uint32_t ctas = 0;
    for (uint32_t m = sm->cta_set; m; m &= m - 1) {
        const unsigned cta = (unsigned)__builtin_ctz(m);
        const struct cta_slot *c = &sm->ctas[cta];
        if ((c->warps & sm->coming) || has_ended(c->cta))
            continue;
        if (f->code != c->launch->kernel->code) {
            f->code = c->launch->kernel->code;
            f->stretch = longest_stretch(decoded_func(f->code, c->cta->grid->kernel->entry));
        }
        if (s->is_watched) /* what was found before is not asked for again, and nobody told */
            c->launch->grid.tlb_epoch = UINT64_MAX;
        if (!s->is_more)
            give_credit(f, c, s->cycles);
        ctas |= m & -m;
    }
    return run_blocks(f, ctas, s);
}

/* --- time goes on --- */

static void end_slot(struct sm *sm, unsigned slot, cycle_t now)
{
    const uint64_t bit = UINT64_C(1) << slot;
    sm->slot[slot].nowed = 0;
    sm->hazard &= ~bit;
    sm->barrier &= ~bit;
    sm->has_inst &= ~bit;
    if (sm->fetching & bit) /* sm_decode() ends it, when the cache has answered */
        return;
    sm_look_at_warp(sm, slot);
    if (!sm->slot[slot].inflight)
        sm_end_warp(sm, slot, now);
}

static void look_again(struct sm *sm, unsigned slot, const struct xinst *x)
{
    struct warp_slot *ws = &sm->slot[slot];
    const uint64_t bit = UINT64_C(1) << slot;
    ws->nowed = 0;
    sm->hazard &= ~bit;
    if (!(sm->has_buffer & bit) || !x || ws->ib[ws->ib_at]->x != x)
        sm_go_to_warp(sm, slot);
    sm_look_at_warp(sm, slot);
}

void sm_forward_end(struct sm_forward *f, cycle_t now)
{
    struct sm *sm = f->sm;
    sm_settle(sm, now);
    for (uint64_t m = sm->live; m; m &= m - 1) {
        const unsigned slot = first_of(m);
        struct warp *w = sm->slot[slot].w;
        const struct xinst *x = warp_peek(w);
        if (!x && w->state == WARP_DONE)
            end_slot(sm, slot, now);
        else
            look_again(sm, slot, x);
    }
    sm->lsu.due = 0;
    component_wake(sm->component, now);
}
