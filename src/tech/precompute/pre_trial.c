/* Whether helpers pay, by trial: the time that iterations take without them and with them. */
#include "tech/precompute/precompute_int.h"

enum { FIRST_REST = 64, REST_GROWS = 8 };

static void enter(struct pre_trial *t, enum pre_phase phase, uint64_t iterations,
                  struct pre_moment now)
{
    t->phase = phase;
    t->since = now;
    t->iterations = 0;
    t->left = iterations;
}

/* The loop went slower, or not fast enough. */
static void lose(struct pre_trial *t, const struct precompute_cfg *cfg, struct pre_moment now)
{
    const uint64_t most = (uint64_t)cfg->trial_rest;
    t->rest = t->rest ? t->rest * REST_GROWS : FIRST_REST;
    t->rest = t->rest < most ? t->rest : most;
    enter(t, PRE_REST, t->rest * (uint64_t)cfg->trial_iterations, now);
}

/* The time without helpers has ended. Where memory accesses already waited for each other, loads of
 * helpers would only make them wait longer. */
static void begin(struct pre_trial *t, const struct precompute_cfg *cfg,
                  struct precompute_stats *stats, struct pre_moment now)
{
    const uint64_t n = (uint64_t)cfg->trial_iterations;
    const double cycles = (double)(now.cycle - t->since.cycle);
    if ((double)(now.stalled - t->since.stalled) > cfg->trial_stall * cycles) {
        stats->crowded++;
        enter(t, PRE_WITHOUT, n, now);
        return;
    }
    t->without = cycles / (double)t->iterations;
    enter(t, PRE_BEGINS, n / 4 + 1, now);
}

static void end_phase(struct pre_trial *t, const struct precompute_cfg *cfg,
                      struct precompute_stats *stats, struct pre_moment now)
{
    const uint64_t n = (uint64_t)cfg->trial_iterations;
    const double cycles = (double)(now.cycle - t->since.cycle) / (double)t->iterations;
    switch (t->phase) {
    case PRE_WITHOUT:
        begin(t, cfg, stats, now);
        break;
    case PRE_BEGINS: /* helpers are on their way */
        enter(t, PRE_WITH, n, now);
        break;
    case PRE_WITH:
        stats->trials++;
        if (cycles * (1 + cfg->trial_gain) > t->without) {
            lose(t, cfg, now);
            break;
        }
        stats->won++;
        t->rest = 0;
        enter(t, PRE_ON, (uint64_t)cfg->trial_every * n, now);
        break;
    default:
        enter(t, PRE_WITHOUT, n, now);
    }
}

/* A quarter of a trial was slower by as much as it should be faster: the rest would cost more. */
static bool is_lost_early(const struct pre_trial *t, const struct precompute_cfg *cfg,
                          struct pre_moment now)
{
    return t->phase == PRE_WITH && t->iterations == (uint64_t)cfg->trial_iterations / 4 &&
           (double)(now.cycle - t->since.cycle) >
               (1 + cfg->trial_gain) * t->without * (double)t->iterations;
}

/* A trial that the launch was too short for is lost: so would be the next launch's. */
void pre_trial_resume(struct pre_trial *t, const struct precompute_cfg *cfg)
{
    if (t->phase == PRE_WITHOUT)
        *t = (struct pre_trial){.rest = t->rest};
    else if (t->phase != PRE_ON && t->phase != PRE_REST)
        lose(t, cfg, (struct pre_moment){0});
}

bool pre_trial_step(struct pre_trial *t, const struct precompute_cfg *cfg,
                    struct precompute_stats *stats, struct pre_moment now)
{
    if (!cfg->trials)
        return true;
    if (!t->left)
        enter(t, PRE_WITHOUT, (uint64_t)cfg->trial_iterations, now);
    t->iterations++;
    if (is_lost_early(t, cfg, now)) {
        stats->trials++;
        lose(t, cfg, now);
    } else if (!--t->left) {
        end_phase(t, cfg, stats, now);
    }
    return t->phase != PRE_WITHOUT && t->phase != PRE_REST;
}
