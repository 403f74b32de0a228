/* Numbers of a result. */
#include "study/study.h"

#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A name, and where it is in the JSON of a run or of `parsim codec`; "*" stands for the codec, "**"
 * for what is behind its dash. */
static const struct {
    const char *name, *path;
} names[] = {
    {"cycles", "cycles"},
    {"ipc", "ipc"},
    {"bandwidth", "stats.dram.bandwidth_fraction"},
    {"dram_bytes", "summary.dram_bytes"},
    {"dram_share", "summary.dram_share"},
    {"energy", "energy.total_joules"},
    {"edp", "energy.edp_joule_seconds"},
    {"power", "energy.average_watts"},
    {"dram_energy", "energy.joules.dram"},
    {"ratio", "stats.cmem.ratio_bursts"},
    {"codec_ratio", "files.0.codecs.*.ratio"},
    {"codec_ratio_mag", "files.0.codecs.*.ratio_mag"},
};

/* The member or element that the next word of `path` names. */
static const struct json_object *step(const struct json_object *o, const char *path, size_t len,
                                      const char *codec)
{
    char key[64];
    struct json_object *next = NULL;
    snprintf(key, sizeof key, "%.*s", (int)len, path);
    if (!strcmp(key, "*"))
        snprintf(key, sizeof key, "%.*s", (int)strcspn(codec, "@"), codec);
    else if (!strcmp(key, "**"))
        snprintf(key, sizeof key, "%s", codec + strcspn(codec, "-") + 1);
    if (json_object_is_type(o, json_type_array))
        return json_object_array_get_idx(o, strtoul(key, NULL, 10));
    json_object_object_get_ex(o, key, &next);
    return next;
}

static double value_at(const struct json_object *result, const char *design, const char *metric)
{
    const char *path = metric;
    for (unsigned i = 0; i < ARRAY_LEN(names); i++)
        if (!strcmp(metric, names[i].name))
            path = names[i].path;
    if (!strncmp(design, "shannon-", strlen("shannon-")))
        path = "files.0.shannon.**.ratio";
    const struct json_object *o = result;
    const char *last = strrchr(path, '.') ? strrchr(path, '.') : path;
    while (o && *path) {
        size_t len = strcspn(path, ".");
        o = json_object_is_type(o, json_type_object) || json_object_is_type(o, json_type_array)
                ? step(o, path, len, design)
                : NULL;
        path += len + (path[len] == '.');
    }
    if (!o || !(json_object_is_type(o, json_type_double) || json_object_is_type(o, json_type_int)))
        return NAN;
    double v = json_object_get_double(o);
    /* a ratio of nothing: no block was compressed */
    return v == 0 && strstr(last, "ratio") ? NAN : v;
}

static double sum_of(const struct json_object *result, const char *design, char *terms)
{
    double sum = 0;
    char *save = NULL;
    for (char *t = strtok_r(terms, "+", &save); t; t = strtok_r(NULL, "+", &save))
        sum += value_at(result, design, t);
    return sum;
}

double study_metric(const struct json_object *result, const char *design, const char *metric)
{
    char *copy = xstrdup(metric), *by = strchr(copy, '/');
    if (by)
        *by++ = 0;
    double v = sum_of(result, design, copy), w = by ? sum_of(result, design, by) : 1;
    free(copy);
    return w != 0 ? v / w : NAN;
}

double study_gain(const struct study_job *base, const struct study_job *other)
{
    return base->result && other->result ? study_metric(base->result, base->design, "cycles") /
                                               study_metric(other->result, other->design, "cycles")
                                         : NAN;
}

const char *study_bottleneck(const struct json_object *result)
{
    struct json_object *summary = NULL, *text = NULL;
    if (!result || !json_object_object_get_ex(result, "summary", &summary) ||
        !json_object_object_get_ex(summary, "bottleneck", &text) || !text)
        return "";
    return json_object_get_string(text);
}

/* --- what kernels say --- */

static double number_at(const struct json_object *o, const char *path)
{
    double v = value_at(o, "", path);
    return isnan(v) ? 0 : v;
}

/* Share of an SM's registers that the blocks of a kernel, as many as fit, leave. */
static double left_over(const struct json_object *kernel, double registers)
{
    enum { LANES = 32 };
    double threads =
        number_at(kernel, "block.0") * number_at(kernel, "block.1") * number_at(kernel, "block.2");
    double warps = ceil(threads / LANES);
    double used = number_at(kernel, "ctas_per_sm") * warps * LANES * number_at(kernel, "registers");
    return 1 - used / registers;
}

void study_digest(struct json_object *result)
{
    struct json_object *kernels = NULL, *o;
    double registers = number_at(result, "machine.sm.registers"), sum = 0, cycles = 0;
    json_object_object_get_ex(result, "kernels", &kernels);
    for (size_t i = 0; kernels && i < json_object_array_length(kernels); i++) {
        const struct json_object *k = json_object_array_get_idx(kernels, i);
        double weight = number_at(k, "cycles");
        sum += weight * left_over(k, registers);
        cycles += weight;
    }
    if (cycles <= 0 || registers <= 0)
        return;
    o = json_object_new_object();
    json_object_object_add(o, "unallocated_registers", json_object_new_double(sum / cycles));
    json_object_object_add(result, "static", o);
}
