/* Numbers of a result. */
#include "experiment.h"

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

double exp_metric(const struct json_object *result, const char *design, const char *metric)
{
    const char *path = metric;
    for (unsigned i = 0; i < ARRAY_LEN(names); i++)
        if (!strcmp(metric, names[i].name))
            path = names[i].path;
    if (!strncmp(design, "shannon-", strlen("shannon-")))
        path = "files.0.shannon.**.ratio";
    const struct json_object *o = result;
    const char *last = path;
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
