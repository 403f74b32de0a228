/* When windows begin and end, and how many blocks pass behind them. */
#include "gpu/by_blocks.h"

#include "gpu/aside.h"
#include "gpu/warm.h"

#include <math.h>
#include <stdlib.h>

enum {
    WAVES = 4,      /* of a launch's blocks, at least: a wave is what the machine holds */
    LONG_WAVES = 8, /* with fewer, blocks must not be long: */
    LONG = 10000,   /* cycles in which a quarter of a wave should have followed the first; */
    LONGER = 2,     /* with fewer than so many times as many waves, so many times as many */
    RAMP = 2000,    /* cycles, and a wave, before a window; its own length */
    WINDOW = 2000,
    FEW = 12,      /* lines of the L2 that a wave brings, as a part of all */
    FILL_PART = 3, /* of a launch, in which the L2 is filled */
    WINDOWS = 8,   /* that are compared, at most, */
    PART = 3,      /* and of a launch that has not so many waves, in this part of it */
    CHUNKS = 24,   /* in which those that pass are looked at, of a launch */
};
/* Windows that agree; instructions of blocks that are alike, */
#define AGREE 0.02
#define ALIKE 0.05
/* at most, where others have been seen to take as many cycles an instruction. */
#define MOST_ALIKE 0.2
/* What the windows have in common, as a share of what they stand for: measured (DEVIATIONS.md). */
#define UNSEEN 0.015

enum phase { SETTLING, MEASURING, ENDED };

/* Sums at a point in time. */
struct mark {
    cycle_t at;
    uint64_t executed, done, done_inst;
};

struct by_blocks {
    struct gpu *g;
    struct aside *aside;
    struct run *run;
    enum phase phase;
    uint64_t wave;
    uint64_t until; /* blocks that have been placed; and the cycle */
    cycle_t until_cycle, launched;
    struct mark begun[WINDOWS]; /* where the windows of the sample began */
    unsigned n;                 /* that have ended */
    double last;                /* cycles an instruction, of the last window */
    struct mark jump;           /* where blocks had passed, */
    double jump_cpi;            /* and what they counted */
    bool has_passed;
    double alike; /* by how much blocks that pass may differ */
    uint64_t aside_done, missed;
    struct forward_result sum;
};

struct by_blocks *by_blocks_new(struct gpu *g)
{
    struct by_blocks *b = xcalloc(1, sizeof *b);
    b->g = g;
    b->aside = aside_new(g);
    return b;
}

void by_blocks_free(struct by_blocks *b)
{
    if (b)
        aside_free(b->aside);
    free(b);
}

static void wait_for(struct by_blocks *b, enum phase p, uint64_t blocks, cycle_t cycles)
{
    b->phase = p;
    b->until = b->run->blocks.next + blocks;
    b->until_cycle = cycles;
}

bool by_blocks_begin(struct by_blocks *b, cycle_t now)
{
    const struct batch *batch = b->g->batch;
    struct run *r = &batch->runs[0];
    b->run = NULL;
    b->wave = (uint64_t)r->capacity * b->g->nsms;
    b->sum = (struct forward_result){0};
    if (batch->n != 1 || r->total < WAVES * b->wave || forward_must_not(r->root.launch))
        return false;
    b->run = r;
    aside_begin(b->aside, r);
    b->launched = now;
    b->has_passed = false;
    b->alike = ALIKE;
    b->aside_done = 0;
    b->n = 0;
    b->missed = warm_missed(b->g);
    wait_for(b, SETTLING, 2 * b->wave, now + RAMP); /* one is placed at once */
    return true;
}

/* Of what was simulated. */
static struct mark mark_now(const struct by_blocks *b, cycle_t now)
{
    const uint64_t aside = aside_executed(b->aside);
    return (struct mark){.at = now,
                         .executed = forward_executed(b->g->forward) - aside,
                         .done = b->run->done - b->aside_done,
                         .done_inst = b->run->warp_inst - aside};
}

static double cpi_of(const struct mark *from, const struct mark *to)
{
    return (double)(to->at - from->at) / (double)(to->executed - from->executed);
}

static void begin_window(struct by_blocks *b, cycle_t now)
{
    b->begun[b->n] = mark_now(b, now);
    wait_for(b, MEASURING, b->wave, now + WINDOW);
}

/* Blocks as long as they are like those of the sample. The last wave stays. */
static uint64_t pass_alike(struct by_blocks *b, double inst, cycle_t now)
{
    const struct run *r = b->run;
    const uint64_t part = r->total / CHUNKS, chunk = part > b->wave / 2 ? part : b->wave / 2 + 1;
    uint64_t passed = 0;
    for (bool is_alike = true; is_alike && !b->g->batch->failed;) {
        const uint64_t left = r->total - r->blocks.next, room = left > b->wave ? left - b->wave : 0,
                       n = chunk < room ? chunk : room, before = aside_executed(b->aside),
                       done = r->done;
        if (!n)
            break;
        aside_run(b->aside, n);
        b->aside_done += r->done - done;
        passed += n;
        b->g->batch->next_look = 0; /* limits hold here, too */
        gpu_look_at_instructions(b->g, now);
        const double each = (double)(aside_executed(b->aside) - before) / (double)n;
        is_alike = fabs(each / inst - 1) < b->alike;
    }
    return passed;
}

/* What was simulated between a jump and `to`, among other blocks than without the jump, took
 * another time than it would have. */
static void straighten(struct by_blocks *b, const struct mark *to, double cpi)
{
    if (!b->has_passed)
        return;
    const double n = (double)(to->executed - b->jump.executed),
                 took = (double)(to->at - b->jump.at);
    b->sum.cycles += n * cpi - took;
}

/* The last block has been placed: what follows is the launch's end as it would have been. */
static void end_placing(struct by_blocks *b, cycle_t now)
{
    const struct mark m = mark_now(b, now);
    if (b->n)
        straighten(b, &b->begun[0], b->last);
    else
        straighten(b, &m, b->jump_cpi);
    b->phase = ENDED;
}

/* By the windows from `from` on. */
static void pass_blocks(struct by_blocks *b, const struct mark *from, const struct mark *now,
                        double spread)
{
    const uint64_t blocks = now->done - b->begun[0].done, before = aside_executed(b->aside);
    const double inst = (double)(now->done_inst - b->begun[0].done_inst) / (double)blocks,
                 cpi = cpi_of(from, now);
    straighten(b, from, cpi);
    if (!blocks || b->run->total - b->run->blocks.next < b->wave + b->wave / 4 ||
        !pass_alike(b, inst, now->at)) {
        b->phase = ENDED;
        return;
    }
    const double n = (double)(aside_executed(b->aside) - before);
    b->jump = *now;
    b->jump_cpi = cpi;
    b->sum.warp_inst += (uint64_t)n;
    b->sum.cycles += n * cpi;
    b->sum.variance += n * cpi * spread * n * cpi * spread;
    b->n = 0;
    b->has_passed = true;
    wait_for(b, SETTLING, b->wave, now->at + RAMP);
}

/* The first window behind blocks that passed: one that agrees with those before them says that
 * cycles an instruction do not depend on what blocks they are. By how much it differs; 1: it is
 * another window. */
static double look_across(struct by_blocks *b, double cpi)
{
    if (!b->has_passed || b->n)
        return 1;
    const double change = fabs(cpi / b->jump_cpi - 1);
    b->alike = change < AGREE ? fmin(2 * b->alike, MOST_ALIKE) : ALIKE;
    return change;
}

/* The last two windows are what counts: the machine fills, or gets used to other blocks, before. If
 * no two agree, the later half of them does. */
static void end_window(struct by_blocks *b, cycle_t now)
{
    const struct mark m = mark_now(b, now);
    if (m.executed == b->begun[b->n].executed)
        return;
    const double cpi = cpi_of(&b->begun[b->n], &m), across = look_across(b, cpi),
                 change = b->n ? fabs(cpi / b->last - 1) : across;
    b->n++;
    if (across < AGREE)
        pass_blocks(b, &b->begun[0], &m, across / 2);
    else if (change < AGREE || b->n == WINDOWS ||
             (b->n > 1 && b->run->blocks.next >= b->run->total / PART))
        pass_blocks(b, &b->begun[change < AGREE ? b->n - 2 : b->n / 2], &m, change / 2);
    else
        begin_window(b, now);
    b->last = cpi;
}

/* The L2 begins with what earlier launches left; one of whose lines a few change a wave stays so
 * for long. */
static bool has_filled(const struct by_blocks *b)
{
    const uint64_t missed = warm_missed(b->g) - b->missed, lines = warm_lines(b->g);
    return b->has_passed || missed >= lines || b->run->blocks.next > b->run->total / FILL_PART ||
           missed * b->wave * FEW < lines * b->run->blocks.next;
}

static bool is_long(const struct by_blocks *b, cycle_t now)
{
    const uint64_t least = LONG_WAVES * b->wave, total = b->run->total;
    const cycle_t most = total < least ? LONG : LONGER * LONG;
    return !b->has_passed && now - b->launched >= most && total < LONGER * least &&
           b->run->blocks.next < b->wave + b->wave / 4;
}

bool by_blocks_look(struct by_blocks *b, cycle_t now)
{
    if (!b->run)
        return false;
    aside_go_on(b->aside, now);
    if (b->phase == ENDED || b->g->batch->failed)
        return true;
    if (UNLIKELY(is_long(b, now))) {
        b->run = NULL;
        return false;
    }
    if (b->run->blocks.next >= b->run->total)
        end_placing(b, now);
    else if (b->run->blocks.next < b->until || now < b->until_cycle)
        return true;
    else if (b->phase == SETTLING && !has_filled(b))
        return true;
    else if (b->phase == SETTLING)
        begin_window(b, now);
    else
        end_window(b, now);
    return true;
}

uint64_t by_blocks_gone(const struct by_blocks *b)
{
    return b->run ? aside_executed(b->aside) : 0;
}

/* Blocks that waited for others have ended since they passed. */
static void count_late(struct by_blocks *b)
{
    const uint64_t late = aside_executed(b->aside) - b->sum.warp_inst;
    b->sum.warp_inst += late;
    b->sum.cycles += (double)late * b->last;
}

struct forward_result by_blocks_end(struct by_blocks *b)
{
    if (b->run)
        count_late(b);
    aside_end(b->aside);
    b->run = NULL;
    b->sum.variance += UNSEEN * b->sum.cycles * UNSEEN * b->sum.cycles;
    const struct forward_result r = b->sum;
    b->sum = (struct forward_result){0}; /* the next launch may be none of these */
    return r;
}
