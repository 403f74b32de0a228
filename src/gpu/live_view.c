/* Differences of the statistics between looks, as series of JSON; when there are too many points,
 * every second one goes and they are taken half as often. */
#include "gpu/live_view.h"

#include "base/wall_clock.h"
#include "gpu/gpu_int.h"
#include "out/json.h"
#include "out/live.h"

#include <math.h>
#include <stdlib.h>

enum { POINTS = 400 };
#define FIRST_INTERVAL 0.25 /* seconds */

static const struct series {
    const char *name, *unit, *key; /* of the statistics; NULL: computed here */
} series[] = {
    {"IPC", "warp instructions a cycle, all SMs", NULL},
    {"warps", "on an SM with blocks", "sm.occupancy"},
    {"L2 queue", "requests that one meets", "l2.occupancy"},
    {"memory queue", "requests that one meets", "mc.occupancy"},
    {"DRAM bus", "share of the time", "dram.bandwidth_fraction"},
};
enum { SERIES = ARRAY_LEN(series) };

struct live_view {
    struct gpu *gpu;
    struct live *live;
    struct stats *before;
    double begun, last, interval;
    uint64_t warp_inst; /* of the run, at the last point */
    cycle_t cycles;
    size_t n;
    double at[POINTS], values[POINTS][SERIES];
};

static void thin(struct live_view *v)
{
    for (size_t i = 0; i < POINTS / 2; i++) {
        v->at[i] = v->at[2 * i + 1];
        for (unsigned k = 0; k < SERIES; k++)
            v->values[i][k] = v->values[2 * i + 1][k];
    }
    v->n = POINTS / 2;
    v->interval *= 2;
}

static void add_point(struct live_view *v, cycle_t cycles, uint64_t warp_inst)
{
    struct stats *now = stats_sums(v->gpu->stats, NULL),
                 *since = stats_sums(v->gpu->stats, v->before);
    if (v->n == POINTS)
        thin(v);
    v->at[v->n] = (double)cycles;
    for (unsigned k = 0; k < SERIES; k++) {
        double *to = &v->values[v->n][k];
        *to = NAN;
        if (series[k].key)
            stats_get(since, series[k].key, to);
        else if (cycles > v->cycles)
            *to = (double)(warp_inst - v->warp_inst) / (double)(cycles - v->cycles);
    }
    v->n++;
    v->cycles = cycles;
    v->warp_inst = warp_inst;
    stats_free(since);
    stats_free(v->before);
    v->before = now;
}

static json *number(double x)
{
    return isfinite(x) ? json_object_new_double(x) : NULL;
}

static char *state(const struct live_view *v, const struct gpu_look *at)
{
    json *o = json_object_new_object(), *list = json_object_new_array(),
         *cycles = json_object_new_array();
    json_add_text(o, "gpu", v->gpu->m->gpu.name);
    json_add_text(o, "kernel", at->kernel);
    json_add_count(o, "launch", v->gpu->kernels.len + 1);
    json_add_count(o, "blocks", at->blocks);
    json_add_count(o, "blocks_done", at->blocks_done);
    json_add_count(o, "cycles", at->cycles);
    json_add_count(o, "warp_instructions", at->warp_inst);
    json_object_object_add(o, "sampled", json_object_new_boolean(v->gpu->forward != NULL));
    json_object_object_add(o, "seconds", number(v->last - v->begun));
    for (size_t i = 0; i < v->n; i++)
        json_object_array_add(cycles, number(v->at[i]));
    json_object_object_add(o, "at", cycles);
    for (unsigned k = 0; k < SERIES; k++) {
        json *s = json_object_new_object(), *values = json_object_new_array();
        json_add_text(s, "name", series[k].name);
        json_add_text(s, "unit", series[k].unit);
        for (size_t i = 0; i < v->n; i++)
            json_object_array_add(values, number(v->values[i][k]));
        json_object_object_add(s, "values", values);
        json_object_array_add(list, s);
    }
    json_object_object_add(o, "series", list);
    char *text = xstrdup(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));
    json_object_put(o);
    return text;
}

static void look(void *ctx, const struct gpu_look *at)
{
    struct live_view *v = ctx;
    const double now = wall_seconds();
    if (v->n && now - v->last < v->interval)
        return;
    v->last = now;
    add_point(v, at->cycles, at->warp_inst);
    live_publish(v->live, state(v, at));
}

struct live_view *live_view_new(struct gpu *g, uint64_t port, struct err *err)
{
    struct live *live = live_new(port, err);
    if (!live)
        return NULL;
    struct live_view *v = xcalloc(1, sizeof *v);
    v->gpu = g;
    v->live = live;
    v->interval = FIRST_INTERVAL;
    v->begun = v->last = wall_seconds();
    v->before = stats_sums(g->stats, NULL);
    gpu_at_look(g, look, v);
    fprintf(stderr, "parsim: live view: http://127.0.0.1:%llu/\n", (unsigned long long)port);
    return v;
}

void live_view_free(struct live_view *v)
{
    if (!v)
        return;
    gpu_at_look(v->gpu, NULL, NULL);
    live_free(v->live);
    stats_free(v->before);
    free(v);
}
