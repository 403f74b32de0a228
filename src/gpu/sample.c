/* Groups of launches that are alike, predictions, and sums of extrapolated statistics. */
#include "gpu/sample.h"

#include "base/vec.h"
#include "gpu/alike.h"
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
/* Numbers of instructions that are alike: their logarithms differ by less. */
#define ALIKE_INST 0.22
/* Launches of which warps went forward are guessed as long as what was simulated of them is less
 * than this part of one that is simulated whole: it may be the last. */
#define RENT 0.5
/* Traffic of an instruction, of launches that pass one behind the other. */
#define ALIKE_TRAFFIC 0.1

enum { WAIT = 3 }; /* launches that pass in a row, behind the first whole one */

struct group {
    char *name;
    uint64_t code; /* of the program: another one may have a kernel of the name */
    uint32_t block[3], shared;
    bool is_whole;     /* its launches, where they are simulated, from now on, */
    bool is_uneven;    /* unless they have too little in common */
    bool has_children; /* which would have to be guessed too: none of them passes */
    struct alike a;
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
        alike_free(&g->a);
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
        ((struct group){.name = xstrdup(name), .code = code, .shared = l->dynamic_shared_bytes}));
    struct group *g = &vec_last(&s->groups);
    alike_init(&g->a);
    memcpy(g->block, l->block, sizeof g->block);
    return g;
}

static double distance(double a, double b)
{
    return fabs(log(a / b));
}

bool sample_passes(struct sample *s, const struct launch *l)
{
    const struct group *g = group_of(s, l);
    return alike_may_pass(&g->a, l->grid) && alike_is_known(&g->a, l->grid) && !g->has_children &&
           !forward_must_not(l);
}

/* It is, too, if it might pass were not all that are known of it guesses. */
void sample_begin(struct sample *s, const struct launch *l)
{
    const struct group *g = group_of(s, l);
    double spent = 0;
    bool is_due = g->is_whole || (!g->has_children && alike_may_pass(&g->a, l->grid));
    for (size_t i = 0; i < g->a.points.len; i++) {
        const struct point *p = &g->a.points.data[i];
        if (!p->is_paced || memcmp(p->grid, l->grid, sizeof l->grid))
            continue;
        spent += p->simulated;
        is_due |= spent >= RENT * p->cycles;
    }
    if (is_due && !g->is_uneven)
        forward_rest(s->g->forward);
}

/* One was simulated whole of which others were guessed, that is no measure of predictions: it takes
 * their place. */
static bool replace_guesses(struct group *g, const struct point *p)
{
    bool any = false;
    for (size_t i = g->a.points.len; i-- > 0 && !p->is_paced;) {
        const struct point *q = &g->a.points.data[i];
        if (!q->is_paced || memcmp(q->grid, p->grid, sizeof p->grid))
            continue;
        if (distance(q->inst, p->inst) > ALIKE_INST) {
            g->is_uneven = true;
            continue;
        }
        alike_drop(&g->a, i);
        any = true;
    }
    if (any && !g->is_whole)
        g->a.wait = WAIT;
    g->is_whole |= any;
    return any;
}

static void remember(struct group *g, const struct point *p)
{
    alike_remember(&g->a, p, !replace_guesses(g, p));
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
    const struct gpu_kernel *k = gpu_kernel(s->g, vec_last(&g->a.points).kernel);
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
    const double cycles = alike_predict(&g->a, l->grid, inst, &like);
    result->cycles = (cycle_t)(cycles + 0.5);
    gpu_add_estimate(s->g, like->kernel, l, result);
    keep_last(s, like->stats, cycles / like->cycles);
    g->error_cycles += hypot(alike_error(&g->a), like->error) * cycles;
    s->counts.warp_inst += result->warp_inst;
    s->counts.launches_not_simulated++;
    const double each = (double)(warm_traffic(s->warm) - traffic + 1) / inst;
    const bool is_like = distance(like->inst, inst) < ALIKE_INST &&
                         (g->traffic == 0 || distance(each, g->traffic) < ALIKE_TRAFFIC);
    g->traffic = each;
    alike_pass(&g->a, is_like);
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
