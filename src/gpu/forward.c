/* Windows, stretches between them, and what they would have taken. */
#include "gpu/forward.h"

#include "exec/watch.h"
#include "gpu/by_blocks.h"
#include "gpu/gpu_int.h"
#include "gpu/stretch.h"
#include "gpu/warm.h"
#include "sm/sm_forward.h"

#include <math.h>
#include <stdlib.h>

enum {
    RAMP = 8000,   /* cycles from a launch's start to its first window */
    SETTLE = 5000, /* and from a stretch to the next, with this part of the stretch's length */
    SETTLE_PART = 32,
    PART = 2000, /* of a window, which has up to PARTS */
    PARTS = 4,
    LEAST = 16000, /* cycles of a stretch, and a part of those that have gone */
    LEAST_PART = 128,
    MOST = 192000,
    MOST_PART = 64,
    MOST_EVEN = 2,  /* times that stretches are longer or shorter for the sake of evenness */
    LOOK = 50,      /* cycles from one look at who waits to the next, in a window */
    MOST_LINE = 50, /* instructions that a line is worth */
    STEPS = 128,    /* that a stretch is gone in; the last is exact */
    WARM_STEPS = 16 /* what the last ones touch is brought into the L2 */
};
/* Of the cycles that have gone, at most: short launches have short stretches; and of a stretch,
 * those from it to the next window. */
#define OF_GONE   0.75
#define OF_LENGTH 0.4
/* Windows that differ by less are the same, by more are not. */
#define SAME  0.06
#define OTHER 0.15
/* Windows that follow each other and whose logarithms differ by more are of other phases. */
#define PHASE 0.7
/* What an earlier window counts in what all say of warps, to the next. */
#define FADES 0.8
/* Lines and instructions go together, if their determinant is a smaller part: lines say nothing. */
#define TOGETHER 0.01
/* What all windows have in common, as a share of what they stand for: measured (DEVIATIONS.md). */
#define UNSEEN 0.09
/* A stretch ends with as many of its warps. */
#define LEFT 0.9

enum phase { SETTLING, MEASURING };

struct forward {
    struct gpu *g;
    struct sm_forward **sms;
    struct warm *warm;
    enum phase phase;
    cycle_t next, next_look, window_begin;
    uint64_t executed;  /* when the window began */
    cycle_t part_begin; /* of the window */
    uint64_t part_executed;
    unsigned parts;   /* that the window has had */
    bool has_skipped; /* in this launch */
    bool is_cut;      /* the last stretch ended early */
    double cpi;       /* of the last part; 0: none yet */
    double last;      /* of the last window, the same */
    double length;    /* of the next stretch */
    double cpi_sum;   /* of all windows of the launch */
    unsigned windows;
    struct stretches stretches;
    struct mem_watch timed, untimed; /* count lines: in windows, in stretches */
    struct sm_forward_fit fit;
    struct by_blocks *blocks; /* the other way, */
    bool is_by_blocks;        /* which this launch goes */
    bool rests;               /* in the next launch */
};

bool forward_must_not(const struct launch *l)
{
    return l->is_cooperative || kernel_facts(l->kernel)->waits;
}

struct forward *forward_new(struct gpu *g)
{
    struct forward *f = xcalloc(1, sizeof *f);
    f->g = g;
    f->sms = xcalloc(g->nsms, sizeof(*f->sms));
    for (uint32_t i = 0; i < g->nsms; i++)
        f->sms[i] = sm_forward_new(g->sms[i]);
    f->warm = warm_new(g);
    const uint64_t line = (uint64_t)g->m->l1.line_bytes;
    f->timed = (struct mem_watch){.is_far = sm_forward_misses, .line_bytes = line};
    f->untimed = (struct mem_watch){.is_far = sm_forward_brings, .line_bytes = line};
    warm_watch(f->warm)->is_far = sm_forward_brings;
    warm_watch(f->warm)->line_bytes = line;
    f->blocks = by_blocks_new(g);
    return f;
}

void forward_free(struct forward *f)
{
    if (!f)
        return;
    for (uint32_t i = 0; i < f->g->nsms; i++)
        sm_forward_free(f->sms[i]);
    warm_free(f->warm);
    by_blocks_free(f->blocks);
    free(f->sms);
    free(f);
}

/* --- windows --- */

uint64_t forward_executed(const struct forward *f)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < f->g->nsms; i++)
        n += sm_forward_executed(f->sms[i]);
    for (size_t k = 0; k < f->g->batch->n; k++)
        n += f->g->batch->runs[k].warp_inst;
    return n;
}

static void learn(struct forward *f, cycle_t now)
{
    struct sm_forward_fit *t = &f->fit;
    double *const sums[] = {&t->nn, &t->nm, &t->mm, &t->nt, &t->mt, &t->before, &t->both};
    for (unsigned i = 0; i < ARRAY_LEN(sums); i++)
        *sums[i] *= FADES;
    for (uint32_t i = 0; i < f->g->nsms; i++)
        sm_forward_learn(f->sms[i], t, now);
    const double det = t->nn * t->mm - t->nm * t->nm, inst = t->nt * t->mm - t->mt * t->nm,
                 line = t->mt * t->nn - t->nt * t->nm;
    if (det <= TOGETHER * t->nn * t->mm || line <= 0)
        t->line = 0;
    else
        t->line = inst * MOST_LINE > line ? line / inst : MOST_LINE;
    t->stays = t->before > 0 ? fmin(fmax(t->both / t->before, 0), 1) : 1;
}

static void settle(struct forward *f, cycle_t now, cycle_t cycles)
{
    f->phase = SETTLING;
    f->next = now + cycles;
}

static void begin_part(struct forward *f, cycle_t now)
{
    f->part_executed = forward_executed(f);
    f->part_begin = now;
    f->next = now + PART;
}

static void begin_window(struct forward *f, cycle_t now)
{
    for (uint32_t i = 0; i < f->g->nsms; i++)
        sm_forward_mark(f->sms[i], now);
    f->phase = MEASURING;
    f->next_look = now;
    f->g->dev->watch = &f->timed;
    f->executed = forward_executed(f);
    f->window_begin = now;
}

/* --- a stretch --- */

static bool next_block(void *ctx, const struct sm_kernel *k, uint64_t *number)
{
    const struct forward *f = ctx;
    for (size_t i = 0; i < f->g->batch->n; i++) {
        struct run *r = &f->g->batch->runs[i];
        if (&r->kernel != k)
            continue;
        if (!blocks_are_left(&r->blocks))
            return false;
        *number = blocks_take(&r->blocks);
        return true;
    }
    return false;
}

static bool apply(void *ctx)
{
    const struct forward *f = ctx;
    return gpu_apply_effects(f->g);
}

/* SMs one after the other; in the last step, which leaves behind what caches have, in turns. */
static void run_step(struct forward *f, struct sm_forward_step *s)
{
    s->is_more = false;
    do {
        bool ok = true, any = false;
        for (uint32_t i = 0; i < f->g->nsms && ok; i++) {
            ok = sm_forward_run(f->sms[i], s);
            any |= sm_forward_has_moved(f->sms[i]);
        }
        s->is_more = gpu_apply_effects(f->g) && ok && any && s->is_last;
    } while (s->is_more);
}

static unsigned live_warps(const struct forward *f)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < f->g->nsms; i++)
        n += sm_forward_live(f->sms[i]);
    return n;
}

/* Stretches have as many instructions where warps are slow as where they are fast: else those
 * behind slow windows, which are short, would count for little. */
static double evenly(const struct forward *f, double cpi)
{
    const double mean = f->cpi_sum / f->windows;
    return fmin(fmax(cpi / mean, 1.0 / MOST_EVEN), MOST_EVEN);
}

/* How many cycles warps were given. What the last steps touch is kept in the L2. A stretch ends
 * where warps have ended and none followed: those left have another pace, which a window is to say.
 */
static double go_forward(struct forward *f, double cpi, cycle_t now)
{
    struct gpu *g = f->g;
    const bool is_told = gpu_technique(g, 0); /* of every write */
    struct sm_forward_step s = {.now = now,
                                .cycles = f->length * evenly(f, cpi) / STEPS,
                                .next = next_block,
                                .apply = apply,
                                .ctx = f};
    const unsigned live = live_warps(f);
    unsigned k = 0;
    f->is_cut = false;
    for (; k < STEPS && !g->batch->failed && !s.is_last; k++) {
        f->is_cut = live_warps(f) < live * LEFT;
        s.is_last = k + 1 == STEPS || f->is_cut;
        const bool is_warm = is_told || k + WARM_STEPS >= STEPS;
        s.is_watched = is_warm || f->fit.line > 0;
        g->dev->watch = is_warm ? warm_watch(f->warm) : s.is_watched ? &f->untimed : NULL;
        run_step(f, &s);
    }
    g->dev->watch = NULL;
    for (uint32_t i = 0; i < g->nsms && !g->batch->failed; i++)
        sm_forward_end(f->sms[i], now);
    return k * s.cycles;
}

/* Longer while windows agree, and the longer the launch has run: what one window misses of it,
 * others see. */
static void choose_length(struct forward *f, double change, cycle_t now)
{
    const double gone = (double)(now - f->g->batch->begin) + f->stretches.sum.cycles;
    if (change < SAME)
        f->length *= 2;
    else if (change > OTHER)
        f->length /= 2;
    f->length = fmin(f->length, fmax(MOST, gone / MOST_PART));
    f->length = fmax(f->length, fmax(LEAST, gone / LEAST_PART));
    f->length = fmin(f->length, OF_GONE * gone);
}

static void skip_stretch(struct forward *f, double cpi, cycle_t now)
{
    const uint64_t before = forward_executed(f);
    learn(f, now);
    for (uint32_t i = 0; i < f->g->nsms; i++)
        sm_forward_pace(f->sms[i], &f->fit, now);
    const double cycles = go_forward(f, cpi, now);
    gpu_collect_ended(f->g);
    stretch_open(&f->stretches, forward_executed(f) - before, cycles, cpi);
    f->has_skipped = true;
    settle(f, now,
           (cycle_t)fmin(SETTLE + fmin(f->length, MOST) / SETTLE_PART, OF_LENGTH * f->length));
}

/* A part of the window is over. Parts that differ much: the launch begins, which is no measure of
 * what follows, or it is uneven, and the window becomes longer. */
static void end_part(struct forward *f, cycle_t now)
{
    const uint64_t n = forward_executed(f);
    const double part = (double)(now - f->part_begin) / (double)(n - f->part_executed),
                 cpi = (double)(now - f->window_begin) / (double)(n - f->executed),
                 change = f->cpi > 0 ? fabs(part / f->cpi - 1) : 1;
    f->cpi = part;
    if (change > OTHER && ++f->parts < PARTS) {
        if (!f->has_skipped)
            begin_window(f, now);
        begin_part(f, now);
        return;
    }
    stretch_close(&f->stretches, f->is_cut ? 0 : cpi);
    f->cpi_sum += cpi;
    f->windows++;
    const double differs = f->last > 0 ? fabs(log(cpi / f->last)) : 1;
    f->last = cpi;
    choose_length(f, differs > PHASE ? differs : change, now);
    skip_stretch(f, cpi, now);
}

static void look_at_waits(struct forward *f, cycle_t now)
{
    if (f->phase != MEASURING || now < f->next_look)
        return;
    f->next_look = now + LOOK;
    for (uint32_t i = 0; i < f->g->nsms; i++)
        sm_forward_look(f->sms[i]);
}

void forward_look(struct forward *f, cycle_t now)
{
    if (f->is_by_blocks)
        f->is_by_blocks = by_blocks_look(f->blocks, now);
    if (f->is_by_blocks || f->g->batch->failed)
        return;
    look_at_waits(f, now);
    if (now < f->next)
        return;
    if (f->phase == SETTLING) {
        begin_window(f, now);
        begin_part(f, now);
        f->parts = 0;
    } else if (forward_executed(f) > f->part_executed) {
        end_part(f, now);
    } else {
        f->next = now + PART; /* nothing has moved */
    }
}

void forward_begin(struct forward *f, cycle_t now)
{
    for (uint32_t i = 0; i < f->g->nsms; i++)
        sm_forward_begin(f->sms[i]);
    f->stretches = (struct stretches){0};
    f->cpi = f->cpi_sum = f->last = 0;
    f->fit = (struct sm_forward_fit){0};
    f->windows = 0;
    f->has_skipped = false;
    f->length = LEAST;
    settle(f, now, RAMP);
    for (size_t i = 0; i < f->g->batch->n; i++)
        f->rests |= forward_must_not(f->g->batch->runs[i].root.launch);
    if (f->rests)
        f->next = CYCLE_NEVER;
    f->is_by_blocks = !f->rests && by_blocks_begin(f->blocks, now);
    f->rests = false;
}

void forward_rest(struct forward *f)
{
    f->rests = true;
}

uint64_t forward_gone(const struct forward *f)
{
    return f->stretches.sum.warp_inst + by_blocks_gone(f->blocks);
}

void forward_count_open(struct forward *f)
{
    gpu_collect_ended(f->g);
    for (size_t k = 0; k < f->g->batch->n; k++) {
        struct run *r = &f->g->batch->runs[k];
        for (uint32_t i = 0; i < f->g->nsms; i++)
            sm_forward_open(f->sms[i], &r->kernel, &r->warp_inst, &r->thread_inst);
    }
}

struct forward_result forward_end(struct forward *f)
{
    const struct forward_result r = by_blocks_end(f->blocks);
    f->g->dev->watch = NULL;
    stretch_close(&f->stretches, 0);
    f->stretches.sum.is_paced = f->has_skipped;
    f->stretches.sum.variance +=
        UNSEEN * f->stretches.sum.cycles * UNSEEN * f->stretches.sum.cycles;
    f->stretches.sum.cycles = fmax(f->stretches.sum.cycles + r.cycles, 0);
    f->stretches.sum.variance += r.variance;
    f->stretches.sum.warp_inst += r.warp_inst;
    return f->stretches.sum;
}
