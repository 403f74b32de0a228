/* Groups of launches that are alike, predictions, and sums of extrapolated statistics. */
#include "gpu/sample.h"

#include "base/vec.h"
#include "gpu/forward.h"
#include "gpu/gpu_int.h"
#include "gpu/warm.h"
#include "sm/sm_forward.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_FILE   "gpu/sample.def"
#define ROWS_STRUCT sample_stats
#include "parsim/rows_formulas.h"

static const struct stat_row sample_rows[] = {
#define ROWS_FILE   "gpu/sample.def"
#define ROWS_STRUCT sample_stats
#include "parsim/rows_entries.h"
};

enum {
    POINTS = 32,    /* launches that a group remembers */
    LONG = 20000,   /* cycles of a launch: of shorter ones two are simulated before others may pass,
                     * because caches are cold in the first */
    WAIT = 3,       /* launches that pass in a row, behind the first whole one; */
    MOST_WAIT = 31, /* at most */
};
/* Numbers of blocks, of instructions that are alike: their logarithms differ by less. */
#define ALIKE_BLOCKS 0.12
#define ALIKE_INST   0.22
/* Of two that were simulated one after the other: the next is not foreseen. */
#define CHANGING_INST 0.4
/* Launches of which warps went forward are guessed as long as what was simulated of them is less
 * than this part of one that is simulated whole: it may be the last. */
#define RENT 0.25
/* Of points that a line goes through. */
#define FAR_ENOUGH 0.02
/* Traffic of an instruction, of launches that pass one behind the other. */
#define ALIKE_TRAFFIC 0.1
/* Predictions that were as good, that were not. */
#define GOOD 0.03
#define BAD  0.08
/* Of a group's predictions as long as none was made. */
#define FIRST_ERROR 0.05

/* A launch that was simulated. */
struct point {
    uint32_t grid[3];
    double inst, cycles;
    struct stats *stats; /* extrapolated */
    size_t kernel;       /* in the machine's list */
    bool is_paced;
    double simulated; /* cycles */
    double error;     /* of its cycles, as far as they are estimated */
};

struct group {
    char *name;
    uint64_t code; /* of the program: another one may have a kernel of the name */
    uint32_t block[3], shared;
    bool is_whole;            /* its launches, where they are simulated, from now on, */
    bool is_uneven;           /* unless they have too little in common */
    bool has_children;        /* which would have to be guessed too: none of them passes */
    VEC(struct point) points; /* in order of time */
    unsigned passed, wait;    /* passed: since the last that was simulated */
    double squares;           /* of the relative errors of predictions */
    unsigned npredicted;
    bool is_changing;    /* the last two that were simulated had other numbers of instructions */
    double traffic;      /* of an instruction of the last that passed; 0: none has */
    double error_cycles; /* of all its predictions, which are wrong together */
};

struct sample {
    struct gpu *g;
    struct warm *warm;
    VEC(struct group) groups;
    struct stats *before; /* all sums at the end of the last that was simulated */
    struct stats *sum;    /* extrapolated */
    struct stats *last;
    double variance;
    struct sample_stats counts;
};

/* --- what bears it --- */

bool sample_check(const struct session_options *o, struct err *err)
{
    const struct {
        const char *name;
        bool given;
    } refused[] = {{"interval", o->interval},
                   {"series", o->series},
                   {"trace", o->trace},
                   {"hot", o->hot},
                   {"per-instance", o->per_instance}};
    for (unsigned i = 0; o->sample && i < ARRAY_LEN(refused); i++)
        if (refused[i].given)
            return err_set(err,
                           "--%s shows every cycle, of which --sample simulates a part: "
                           "only one of them",
                           refused[i].name);
    return true;
}

static bool check_designs(const struct gpu *g, struct err *err)
{
    if (gpu_changes_values(g))
        return err_set(err,
                       "--sample: the design %s may change values, and what is not simulated "
                       "would have others; without one of them",
                       gpu_changes_values(g));
    if (!sm_can_go_forward(g->sms[0]))
        return err_set(err,
                       "--sample: a design of --with %s follows every instruction of an SM, "
                       "and not all are simulated; without one of them",
                       g->m->gpu.with);
    return true;
}

struct sample *sample_new(struct gpu *g, struct err *err)
{
    if (!check_designs(g, err))
        return NULL;
    struct sample *s = xcalloc(1, sizeof *s);
    s->g = g;
    s->warm = warm_new(g);
    gpu_sample(g);
    return s;
}

void sample_free(struct sample *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->groups.len; i++) {
        struct group *g = &s->groups.data[i];
        for (size_t k = 0; k < g->points.len; k++)
            stats_free(g->points.data[k].stats);
        vec_free(&g->points);
        free(g->name);
    }
    vec_free(&s->groups);
    stats_free(s->before);
    stats_free(s->sum);
    stats_free(s->last);
    warm_free(s->warm);
    free(s);
}

/* --- launches that are alike --- */

static struct group *group_of(struct sample *s, const struct launch *l)
{
    const char *name = l->kernel->src->name;
    const uint64_t code = kernel_facts(l->kernel)->code;
    for (size_t i = 0; i < s->groups.len; i++) {
        struct group *g = &s->groups.data[i];
        if (g->code == code && !strcmp(g->name, name) &&
            !memcmp(g->block, l->block, sizeof g->block) && g->shared == l->dynamic_shared_bytes)
            return g;
    }
    vec_push(
        &s->groups,
        ((struct group){
            .name = xstrdup(name), .code = code, .shared = l->dynamic_shared_bytes, .wait = 1}));
    struct group *g = &vec_last(&s->groups);
    memcpy(g->block, l->block, sizeof g->block);
    return g;
}

static double distance(double a, double b)
{
    return fabs(log(a / b));
}

/* In every direction: as many blocks in another shape are other work. */
static bool is_alike(const uint32_t a[3], const uint32_t b[3])
{
    for (unsigned i = 0; i < 3; i++)
        if (distance(a[i], b[i]) >= ALIKE_BLOCKS)
            return false;
    return true;
}

bool sample_passes(struct sample *s, const struct launch *l)
{
    const struct group *g = group_of(s, l);
    unsigned n = 0;
    bool is_long = false;
    for (size_t i = 0; i < g->points.len; i++) {
        const struct point *p = &g->points.data[i];
        if (!is_alike(p->grid, l->grid))
            continue;
        is_long |= p->cycles >= LONG && !p->is_paced;
        n++;
    }
    return (n > 1 || is_long) && g->passed < g->wait && !g->has_children && !g->is_changing &&
           !forward_must_not(l);
}

void sample_begin(struct sample *s, const struct launch *l)
{
    const struct group *g = group_of(s, l);
    double spent = 0;
    bool is_due = g->is_whole;
    for (size_t i = 0; i < g->points.len; i++) {
        const struct point *p = &g->points.data[i];
        if (!p->is_paced || memcmp(p->grid, l->grid, sizeof l->grid))
            continue;
        spent += p->simulated;
        is_due |= spent >= RENT * p->cycles;
    }
    if (is_due && !g->is_uneven)
        forward_rest(s->g->forward);
}

/* The last of those with the most instructions up to `inst` (or, above, the fewest from it on). */
static const struct point *neighbour(const struct group *g, double inst, bool is_above)
{
    const struct point *best = NULL;
    for (size_t i = 0; i < g->points.len; i++) {
        const struct point *p = &g->points.data[i];
        if (is_above ? p->inst < inst : p->inst > inst)
            continue;
        if (!best || fabs(p->inst - inst) <= fabs(best->inst - inst))
            best = p;
    }
    return best;
}

/* Beyond all of them: on the line through the last two, which lies between no longer for more
 * instructions and in proportion to them. */
static double extrapolate(const struct group *g, const struct point *last, double inst)
{
    const double same = last->cycles, more = last->cycles * inst / last->inst;
    const struct point *q = NULL;
    for (size_t i = 0; i < g->points.len; i++) {
        const struct point *p = &g->points.data[i];
        if (distance(p->inst, last->inst) < FAR_ENOUGH)
            continue;
        if (!q || fabs(p->inst - last->inst) < fabs(q->inst - last->inst))
            q = p;
    }
    if (!q)
        return more;
    const double slope = (q->cycles - last->cycles) / (q->inst - last->inst);
    return fmin(fmax(same + slope * (inst - last->inst), fmin(same, more)), fmax(same, more));
}

/* Between its neighbours, or beyond the last. */
static double predict(const struct group *g, double inst, const struct point **like)
{
    const struct point *a = neighbour(g, inst, false), *b = neighbour(g, inst, true);
    *like = !a ? b : !b ? a : distance(a->inst, inst) <= distance(b->inst, inst) ? a : b;
    if (!a || !b || a->inst >= b->inst)
        return extrapolate(g, *like, inst);
    return a->cycles + (b->cycles - a->cycles) * (inst - a->inst) / (b->inst - a->inst);
}

/* A prediction has been tried: how many may pass until the next one. */
static void learn(struct group *g, double error)
{
    g->squares += error * error;
    g->npredicted++;
    if (error < GOOD)
        g->wait = 2 * g->wait + 1 < MOST_WAIT ? 2 * g->wait + 1 : MOST_WAIT;
    else if (error > BAD)
        g->wait = 0;
    else if (!g->wait)
        g->wait = 1;
}

static void drop_point(struct group *g, size_t i)
{
    stats_free(g->points.data[i].stats);
    g->points.len--;
    memmove(g->points.data + i, g->points.data + i + 1,
            (g->points.len - i) * sizeof *g->points.data);
}

/* One was simulated whole of which others were guessed, that is no measure of predictions: it takes
 * their place. */
static bool replace_guesses(struct group *g, const struct point *p)
{
    bool any = false;
    for (size_t i = g->points.len; i-- > 0 && !p->is_paced;) {
        const struct point *q = &g->points.data[i];
        if (!q->is_paced || memcmp(q->grid, p->grid, sizeof p->grid))
            continue;
        if (distance(q->inst, p->inst) > ALIKE_INST) {
            g->is_uneven = true;
            continue;
        }
        drop_point(g, i);
        any = true;
    }
    if (any && !g->is_whole)
        g->wait = WAIT;
    g->is_whole |= any;
    return any;
}

static void remember(struct group *g, const struct point *p)
{
    const struct point *like;
    if (!replace_guesses(g, p) && g->points.len)
        learn(g, fabs(predict(g, p->inst, &like) / p->cycles - 1));
    g->is_changing = g->points.len && distance(vec_last(&g->points).inst, p->inst) > CHANGING_INST;
    if (g->points.len == POINTS)
        drop_point(g, 0);
    vec_push(&g->points, *p);
    g->passed = 0;
}

/* --- sums --- */

static void keep_last(struct sample *s, const struct stats *part, double factor)
{
    if (!s->sum)
        s->sum = stats_zero(part);
    stats_add_scaled(s->sum, part, factor);
    stats_free(s->last);
    s->last = stats_zero(part);
    stats_add_scaled(s->last, part, factor);
}

/* Of kernels that ran together the first has what they have in common. */
static double count_kernels(struct sample *s, size_t first, double *all)
{
    double simulated = 0;
    for (size_t i = first; i < gpu_kernel_count(s->g); i++) {
        const struct gpu_kernel *k = gpu_kernel(s->g, i);
        s->counts.warp_inst += k->warp_inst;
        s->counts.launches++;
        s->counts.launches_that_wait += k->waits;
        if (k->first != i)
            continue;
        *all += (double)k->together_cycles;
        simulated += (double)(k->together_cycles - k->skipped_cycles);
        s->variance += k->variance;
        s->counts.simulated_warp_inst += k->simulated_inst;
    }
    s->counts.simulated_cycles += (uint64_t)simulated;
    return simulated;
}

/* Behind those that ran together stand the kernels that they have launched. */
void sample_simulated(struct sample *s, size_t first, const struct launch *l)
{
    const struct gpu_kernel *k = gpu_kernel(s->g, first);
    double all = 0;
    const double simulated = count_kernels(s, first, &all);
    struct stats *part = stats_sums(s->g->stats, s->before);
    keep_last(s, part, simulated > 0 ? all / simulated : 1);
    stats_free(part);
    stats_free(s->before);
    s->before = stats_sums(s->g->stats, NULL);
    if (!l || !k->warp_inst || !k->cycles)
        return;
    struct group *g = group_of(s, l);
    g->has_children |= gpu_kernel_count(s->g) > first + k->together;
    struct point p = {.inst = (double)k->warp_inst,
                      .cycles = (double)k->cycles,
                      .stats = stats_sums(s->last, NULL),
                      .kernel = first,
                      .is_paced = k->is_paced,
                      .simulated = (double)(k->cycles - k->skipped_cycles),
                      .error = sqrt(k->variance) / (double)k->cycles};
    memcpy(p.grid, l->grid, sizeof p.grid);
    remember(g, &p);
}

/* Blocks that the machine holds, of the group's last launch that was simulated. */
static uint64_t side_by_side(const struct sample *s, const struct group *g)
{
    const struct gpu_kernel *k = gpu_kernel(s->g, vec_last(&g->points).kernel);
    return (uint64_t)k->ctas_per_sm * s->g->nsms;
}

bool sample_pass(struct sample *s, struct device *d, const struct launch *l,
                 struct launch_result *result, struct err *err)
{
    struct group *g = group_of(s, l);
    const struct point *like;
    const uint64_t traffic = warm_traffic(s->warm);
    d->watch = warm_watch(s->warm);
    warm_begin_launch(s->warm, side_by_side(s, g));
    const bool ok = grid_run(d, l, result, err);
    warm_end_launch(s->warm);
    d->watch = NULL;
    if (!ok)
        return false;
    const double inst = result->warp_inst ? (double)result->warp_inst : 1;
    const double cycles = predict(g, inst, &like);
    const double error = g->npredicted ? sqrt(g->squares / g->npredicted) : FIRST_ERROR;
    result->cycles = (cycle_t)(cycles + 0.5);
    gpu_add_estimate(s->g, like->kernel, l, result);
    keep_last(s, like->stats, cycles / like->cycles);
    g->error_cycles += hypot(error, like->error) * cycles;
    s->counts.warp_inst += result->warp_inst;
    s->counts.launches_not_simulated++;
    const double each = (double)(warm_traffic(s->warm) - traffic + 1) / inst;
    const bool is_like = distance(like->inst, inst) < ALIKE_INST &&
                         (g->traffic == 0 || distance(each, g->traffic) < ALIKE_TRAFFIC);
    g->traffic = each;
    g->passed = is_like ? g->passed + 1 : g->wait;
    return true;
}

struct stats *sample_stats(struct sample *s)
{
    if (!s->sum) /* nothing has run */
        return s->g->stats;
    sample_counts(s);
    if (!stats_has(s->sum, "sample"))
        stats_add(s->sum, "sample", sample_rows, ARRAY_LEN(sample_rows), &s->counts);
    return s->sum;
}

struct stats *sample_last(struct sample *s)
{
    return stats_sums(s->last, NULL);
}

const struct sample_stats *sample_counts(struct sample *s)
{
    s->counts.cycles = gpu_cycles(s->g);
    double variance = s->variance;
    for (size_t i = 0; i < s->groups.len; i++)
        variance += s->groups.data[i].error_cycles * s->groups.data[i].error_cycles;
    s->counts.error_cycles = (uint64_t)(sqrt(variance) + 0.5);
    return &s->counts;
}
