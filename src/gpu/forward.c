/* Windows, stretches between them, and what they would have taken. */
#include "gpu/forward.h"

#include "exec/watch.h"
#include "gpu/gpu_int.h"
#include "gpu/warm.h"
#include "sm/sm_forward.h"

#include <math.h>
#include <stdlib.h>

enum {
    RAMP = 3000,   /* cycles from a launch's start to its first window */
    SETTLE = 2000, /* and from a stretch to the next, with this part of the stretch's length */
    SETTLE_PART = 16,
    PART = 2000, /* of a window, which has up to PARTS */
    PARTS = 4,
    LEAST = 4000, /* cycles of a stretch */
    MOST = 48000,
    STEPS = 32,    /* that a stretch is gone in; the last is exact */
    WARM_STEPS = 4 /* what the last ones touch is brought into the L2 */
};
/* Windows that differ by less are the same, by more are not. */
#define SAME  0.06
#define OTHER 0.15
#define ALIKE 0.3

enum phase { SETTLING, MEASURING };

struct forward {
    struct gpu *g;
    struct sm_forward **sms;
    struct warm *warm;
    enum phase phase;
    cycle_t next, window_begin;
    uint64_t executed;  /* when the window began */
    cycle_t part_begin; /* of the window */
    uint64_t part_executed;
    unsigned parts;   /* that the window has had */
    bool has_skipped; /* in this launch */
    double cpi;       /* of the last part; 0: none yet */
    double length;    /* of the next stretch */
    uint64_t open;    /* instructions of the last stretch, whose second window is to come */
    double open_cpi;
    struct forward_result sum;
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
    return f;
}

void forward_free(struct forward *f)
{
    if (!f)
        return;
    for (uint32_t i = 0; i < f->g->nsms; i++)
        sm_forward_free(f->sms[i]);
    warm_free(f->warm);
    free(f->sms);
    free(f);
}

/* --- windows --- */

static uint64_t executed(const struct forward *f)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < f->g->nsms; i++)
        n += sm_forward_executed(f->sms[i]);
    for (size_t k = 0; k < f->g->batch->n; k++)
        n += f->g->batch->runs[k].warp_inst;
    return n;
}

static void settle(struct forward *f, cycle_t now, cycle_t cycles)
{
    f->phase = SETTLING;
    f->next = now + cycles;
}

static void begin_part(struct forward *f, cycle_t now)
{
    f->part_executed = executed(f);
    f->part_begin = now;
    f->next = now + PART;
}

static void begin_window(struct forward *f, cycle_t now)
{
    for (uint32_t i = 0; i < f->g->nsms; i++)
        sm_forward_mark(f->sms[i], now);
    f->phase = MEASURING;
    f->executed = executed(f);
    f->window_begin = now;
}

/* A stretch is known when the window behind it is; `cpi` 0: there is none. One that is quite
 * another is of another phase, or of the launch's end, and says nothing about it. */
static void close_stretch(struct forward *f, double cpi)
{
    const bool is_alike = cpi > 0 && fabs(cpi / f->open_cpi - 1) < ALIKE;
    const double n = (double)f->open, behind = is_alike ? cpi : f->open_cpi;
    const double half = n * fmin(fabs(cpi - f->open_cpi), ALIKE * f->open_cpi) / 2;
    f->sum.cycles += n * (behind + f->open_cpi) / 2;
    f->sum.variance += half * half;
    f->open = 0;
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

static bool run_step(struct forward *f, struct sm_forward_step *s)
{
    bool ok = true;
    for (uint32_t i = 0; i < f->g->nsms && ok; i++)
        ok = sm_forward_run(f->sms[i], s);
    return gpu_apply_effects(f->g) && ok;
}

/* What the last steps touch is kept in the L2. */
static void go_forward(struct forward *f, cycle_t now)
{
    struct gpu *g = f->g;
    const bool is_told = gpu_technique(g, 0); /* of every write */
    struct sm_forward_step s = {
        .now = now, .cycles = f->length / STEPS, .next = next_block, .apply = apply, .ctx = f};
    for (unsigned k = 0; k < STEPS && !g->batch->failed; k++) {
        s.is_last = k + 1 == STEPS;
        s.is_watched = is_told || k + WARM_STEPS >= STEPS;
        g->dev->watch = s.is_watched ? warm_watch(f->warm) : NULL;
        run_step(f, &s);
    }
    g->dev->watch = NULL;
    for (uint32_t i = 0; i < g->nsms && !g->batch->failed; i++)
        sm_forward_end(f->sms[i], now);
}

/* Longer while windows agree. */
static void choose_length(struct forward *f, double change)
{
    if (change < SAME)
        f->length = fmin(2 * f->length, MOST);
    else if (change > OTHER)
        f->length = fmax(f->length / 2, LEAST);
}

static void skip_stretch(struct forward *f, double cpi, cycle_t now)
{
    const uint64_t before = executed(f);
    for (uint32_t i = 0; i < f->g->nsms; i++)
        sm_forward_pace(f->sms[i], now);
    go_forward(f, now);
    gpu_collect_ended(f->g);
    f->open = executed(f) - before;
    f->open_cpi = cpi;
    f->sum.warp_inst += f->open;
    f->has_skipped = true;
    settle(f, now, SETTLE + (cycle_t)(f->length / SETTLE_PART));
}

/* A part of the window is over. Parts that differ much: the launch begins, which is no measure of
 * what follows, or it is uneven, and the window becomes longer. */
static void end_part(struct forward *f, cycle_t now)
{
    const uint64_t n = executed(f);
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
    if (f->open)
        close_stretch(f, cpi);
    choose_length(f, change);
    skip_stretch(f, cpi, now);
}

void forward_look(struct forward *f, cycle_t now)
{
    if (now < f->next || f->g->batch->failed)
        return;
    if (f->phase == SETTLING) {
        begin_window(f, now);
        begin_part(f, now);
        f->parts = 0;
    } else if (executed(f) > f->part_executed) {
        end_part(f, now);
    } else {
        f->next = now + PART; /* nothing has moved */
    }
}

void forward_begin(struct forward *f, cycle_t now)
{
    for (uint32_t i = 0; i < f->g->nsms; i++)
        sm_forward_begin(f->sms[i]);
    f->sum = (struct forward_result){0};
    f->cpi = 0;
    f->open = 0;
    f->has_skipped = false;
    f->length = LEAST;
    settle(f, now, RAMP);
    for (size_t i = 0; i < f->g->batch->n; i++)
        if (forward_must_not(f->g->batch->runs[i].root.launch))
            f->next = CYCLE_NEVER;
}

uint64_t forward_gone(const struct forward *f)
{
    return f->sum.warp_inst;
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
    if (f->open)
        close_stretch(f, 0);
    return f->sum;
}
