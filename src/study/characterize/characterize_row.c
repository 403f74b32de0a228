/* From the JSON of the runs to one row a workload. */
#include "study/characterize/characterize_int.h"

#include <json-c/json.h>
#include <math.h>
#include <string.h>

const char *const group_titles[GROUPS] = {
#define GROUP(id, title, ...) title,
#include "study/characterize/characterize.def"
};

const char *const group_papers[GROUPS] = {
#define GROUP(id, title, papers) papers,
#include "study/characterize/characterize.def"
};

const struct column columns[COLUMNS] = {
#define COLUMN(group, id, title, decimals, help, ...) {GROUP_##group, #id, title, help, decimals},
#include "study/characterize/characterize.def"
};

/* --- numbers --- */

/* "a.b.c"; NAN where there is none. */
static double number(json_object *o, const char *path)
{
    char key[64];
    for (const char *at = path;; at++) {
        size_t n = strcspn(at, ".");
        snprintf(key, sizeof key, "%.*s", (int)n, at);
        if (!json_object_object_get_ex(o, key, &o) || !o)
            return NAN;
        at += n;
        if (!*at)
            return json_object_get_double(o);
    }
}

static double share(double x, double y)
{
    return y > 0 ? 100 * x / y : NAN;
}

/* --- kernels --- */

static double kernel_registers(json_object *run, json_object *k)
{
    (void)run;
    return number(k, "registers");
}

static double kernel_ctas(json_object *run, json_object *k)
{
    (void)run;
    return number(k, "ctas_per_sm");
}

/* Registers are given out by warps and rounded up, as the SM does it. */
static double kernel_unallocated(json_object *run, json_object *k)
{
    json_object *block = NULL;
    double threads = 1, unit = number(run, "machine.sm.register_unit");
    json_object_object_get_ex(k, "block", &block);
    for (size_t i = 0; block && i < json_object_array_length(block); i++)
        threads *= json_object_get_double(json_object_array_get_idx(block, i));
    double warp = 32 * number(k, "registers");
    if (unit > 0)
        warp = ceil(warp / unit) * unit;
    return 1 - number(k, "ctas_per_sm") * ceil(threads / 32) * warp /
                   number(run, "machine.sm.registers");
}

/* The mean over kernels, by their cycles. */
static double kernel_mean(json_object *run, double (*of)(json_object *run, json_object *k))
{
    json_object *kernels = NULL;
    double sum = 0, cycles = 0;
    json_object_object_get_ex(run, "kernels", &kernels);
    for (size_t i = 0; kernels && i < json_object_array_length(kernels); i++) {
        json_object *k = json_object_array_get_idx(kernels, i);
        sum += of(run, k) * number(k, "cycles");
        cycles += number(k, "cycles");
    }
    return cycles > 0 ? sum / cycles : NAN;
}

/* --- rows --- */

enum { BOUND_SPEEDUP_PERCENT = 120 };
const char bound_rule[] =
    "memory: four times the bandwidth (1/2x to 2x) makes it at least 1.2 times as fast; else\n"
    "compute: at least half of the issue slots of 1x issue or find an arithmetic pipe full; else\n"
    "latency: neither bandwidth nor pipes; it waits for dependences, barriers, or has too little "
    "work";

static const char *bound_of(const struct row *r)
{
    if (100 * r->at[COLUMN_bandwidth_speedup] >= BOUND_SPEEDUP_PERCENT)
        return "memory";
    return r->at[COLUMN_active_one] + r->at[COLUMN_compute_stall_one] >= 50 ? "compute" : "latency";
}

static void fill(struct row *r, json_object *const *runs)
{
#define one(path)   number(runs[BANDWIDTH_ONE], path)
#define at(b, path) number(runs[b], path)
    const double values[COLUMNS] = {
#define COLUMN(group, id, title, decimals, help, ...) __VA_ARGS__,
#include "study/characterize/characterize.def"
    };
#undef one
#undef at
    json_object *summary = NULL, *words = NULL;
    memcpy(r->at, values, sizeof r->at);
    r->bound = bound_of(r);
    if (json_object_object_get_ex(runs[BANDWIDTH_ONE], "summary", &summary))
        json_object_object_get_ex(summary, "bottleneck", &words);
    r->bottleneck = xstrdup(words ? json_object_get_string(words) : "");
}

static bool read_row(const struct characterize *c, size_t w, struct row *r, struct err *err)
{
    json_object *runs[BANDWIDTHS] = {NULL};
    bool ok = true;
    r->workload = c->workloads.data[w].name;
    r->said = c->workloads.data[w].said;
    for (unsigned b = 0; ok && b < BANDWIDTHS; b++) {
        char *path = characterize_path(c, w, b);
        runs[b] = json_object_from_file(path);
        if (!runs[b] || isnan(number(runs[b], "cycles")))
            ok = err_set(err, "%s is not the result of a timed run; remove it", path);
        free(path);
    }
    if (ok)
        fill(r, runs);
    for (unsigned b = 0; b < BANDWIDTHS; b++)
        json_object_put(runs[b]);
    return ok;
}

struct row *rows_read(const struct characterize *c, struct err *err)
{
    struct row *rows = xcalloc(c->workloads.len, sizeof *rows);
    for (size_t w = 0; w < c->workloads.len; w++)
        if (!read_row(c, w, &rows[w], err)) {
            rows_free(rows, c->workloads.len);
            return NULL;
        }
    return rows;
}

void rows_free(struct row *rows, size_t n)
{
    for (size_t i = 0; rows && i < n; i++)
        free(rows[i].bottleneck);
    free(rows);
}

double rows_mean(const struct row *rows, size_t n, enum column_id id)
{
    double sum = 0;
    size_t have = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(rows[i].at[id])) {
            sum += rows[i].at[id];
            have++;
        }
    return have ? sum / (double)have : NAN;
}
