/* Text, CSV and JSON. */
#include "stats/stats_int.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    double p;
} percentiles[] = {{"p50", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}};

static void text_value(void *ctx, const struct stat_value *v)
{
    FILE *out = ctx;
    char key[128];
    snprintf(key, sizeof key, "%s.%s", v->group, v->row->name);
    if (v->row->kind == STAT_COUNTER)
        fprintf(out, "%-36s %16" PRIu64, key, v->count);
    else
        fprintf(out, "%-36s %16.6g", key, v->value);
    if (v->hist)
        fprintf(out,
                "  (n %" PRIu64 ", min %" PRIu64 ", p50 %" PRIu64 ", p99 %" PRIu64 ", max %" PRIu64
                ")",
                v->hist->count, v->hist->min, hist_percentile(v->hist, 0.5),
                hist_percentile(v->hist, 0.99), v->hist->max);
    fprintf(out, "  %s%s%s\n", v->row->unit, *v->row->unit ? ": " : "", v->row->help);
}

void stats_write_text(const struct stats *st, FILE *out)
{
    for (size_t i = 0; i < st->notes.len; i++)
        fprintf(out, "# %s: %s\n", st->notes.data[i].key, st->notes.data[i].value);
    stats_each(st, false, text_value, out);
}

static void csv_line(FILE *out, const struct stat_value *v, const char *part, double value)
{
    char instance[16] = "";
    if (v->instance >= 0)
        snprintf(instance, sizeof instance, "%d", v->instance);
    fprintf(out, "%s,%s,%s%s%s,%s,%.17g\n", v->group, instance, v->row->name, *part ? "." : "",
            part, v->row->unit, value);
}

static void csv_value(void *ctx, const struct stat_value *v)
{
    if (!v->hist) {
        csv_line(ctx, v, "", v->value);
        return;
    }
    csv_line(ctx, v, "count", (double)v->hist->count);
    csv_line(ctx, v, "mean", v->value);
    csv_line(ctx, v, "min", (double)v->hist->min);
    csv_line(ctx, v, "max", (double)v->hist->max);
    for (size_t i = 0; i < ARRAY_LEN(percentiles); i++)
        csv_line(ctx, v, percentiles[i].name, (double)hist_percentile(v->hist, percentiles[i].p));
}

void stats_write_csv(const struct stats *st, FILE *out)
{
    fprintf(out, "group,instance,name,unit,value\n");
    stats_each(st, true, csv_value, out);
}

static void series_line(void *ctx, cycle_t cycle, const char *group, const char *name,
                        uint64_t delta)
{
    fprintf(ctx, "%" PRIu64 ",%s,%s,%" PRIu64 "\n", cycle, group, name, delta);
}

void stats_write_series_csv(const struct stats *st, FILE *out)
{
    fprintf(out, "cycle,group,name,delta\n");
    for (size_t i = 0; i < stats_sample_count(st); i++)
        stats_sample_each(st, i, series_line, out);
}

static json_object *json_count(uint64_t v)
{
    return json_object_new_uint64(v);
}

static json_object *hist_to_json(const struct hist *h)
{
    json_object *o = json_object_new_object();
    json_object_object_add(o, "count", json_count(h->count));
    json_object_object_add(o, "mean", json_object_new_double(hist_mean(h)));
    json_object_object_add(o, "min", json_count(h->min));
    json_object_object_add(o, "max", json_count(h->max));
    for (size_t i = 0; i < ARRAY_LEN(percentiles); i++)
        json_object_object_add(o, percentiles[i].name,
                               json_count(hist_percentile(h, percentiles[i].p)));
    json_object *bins = json_object_new_array();
    for (uint32_t i = 0; i < HIST_BINS; i++)
        if (h->bins[i]) {
            json_object *bin = json_object_new_array();
            json_object_array_add(bin, json_count(hist_bin_low(i)));
            json_object_array_add(bin, json_count(h->bins[i]));
            json_object_array_add(bins, bin);
        }
    json_object_object_add(o, "bins", bins); /* pairs: lowest value of the bin, samples in it */
    return o;
}

static json_object *child(json_object *parent, const char *key)
{
    json_object *o = NULL;
    if (!json_object_object_get_ex(parent, key, &o)) {
        o = json_object_new_object();
        json_object_object_add(parent, key, o);
    }
    return o;
}

static void json_value(void *ctx, const struct stat_value *v)
{
    json_object *group = child(ctx, v->group);
    if (v->instance >= 0) {
        char index[16];
        snprintf(index, sizeof index, "%d", v->instance);
        group = child(child(group, "instances"), index);
    }
    json_object *o = v->hist                        ? hist_to_json(v->hist)
                     : v->row->kind == STAT_COUNTER ? json_count(v->count)
                     : isfinite(v->value)           ? json_object_new_double(v->value)
                                                    : NULL; /* JSON has no other number */
    json_object_object_add(group, v->row->name, o);
}

struct json_object *stats_to_json(const struct stats *st, bool instances)
{
    json_object *root = json_object_new_object();
    json_object_object_add(root, "schema", json_object_new_int(STATS_SCHEMA_VERSION));
    for (size_t i = 0; i < st->notes.len; i++)
        json_object_object_add(child(root, "notes"), st->notes.data[i].key,
                               json_object_new_string(st->notes.data[i].value));
    stats_each(st, instances, json_value, child(root, "groups"));
    return root;
}
