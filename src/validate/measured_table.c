/* What a GPU did, kernel by kernel, and what ours did. */
#include "validate/measured_int.h"

#include "out/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *find_half(const struct reference *halves, const char *workload)
{
    for (size_t i = 0; i < halves->nrows; i++)
        if (!strcmp(reference_text(halves, i, "workload"), workload))
            return reference_text(halves, i, "half");
    return "";
}

struct measured_kernel measured_kernel_of(const struct reference *t, size_t row, const char *half)
{
    return (struct measured_kernel){.workload = reference_text(t, row, "workload"),
                                    .size = reference_text(t, row, "size"),
                                    .name = reference_text(t, row, "kernel"),
                                    .is_held = !strcmp(half, "held"),
                                    .launches = reference_number(t, row, "launches"),
                                    .theirs = {reference_number(t, row, "sm_cycles"),
                                               reference_number(t, row, "warp_insts"),
                                               reference_number(t, row, "l2_sectors"),
                                               reference_number(t, row, "dram_read_bytes") +
                                                   reference_number(t, row, "dram_write_bytes")}};
}

static bool is_asked(const char *wanted, const char *value)
{
    return !wanted || !strcmp(wanted, value);
}

bool measured_load(struct measured *m, const struct measured_options *o, struct err *err)
{
    char *file = xasprintf("%s.csv", o->machine), *halves = xasprintf("%s_halves.csv", o->machine);
    *m = (struct measured){0};
    bool ok = reference_load(&m->table, o->data, file, err) &&
              reference_load(&m->halves, o->data, halves, err);
    for (size_t i = 0; ok && i < m->table.nrows; i++) {
        const char *workload = reference_text(&m->table, i, "workload");
        const char *half = find_half(&m->halves, workload);
        if (!*half)
            ok = err_set(err, "%s/%s: has no half for %s", o->data, halves, workload);
        else if (is_asked(o->half, half) && is_asked(o->only, workload) &&
                 is_asked(o->size, reference_text(&m->table, i, "size")))
            vec_push(&m->at, measured_kernel_of(&m->table, i, half));
    }
    if (ok && !m->at.len)
        ok = err_set(err, "%s/%s has no kernel of '%s'", o->data, file,
                     o->only   ? o->only
                     : o->size ? o->size
                               : o->half);
    free(file);
    free(halves);
    return ok;
}

void measured_free(struct measured *m)
{
    vec_free(&m->at);
    reference_free(&m->table);
    reference_free(&m->halves);
}

struct measured_group measured_group_at(const struct measured *m, size_t from)
{
    const struct measured_kernel *first = &m->at.data[from];
    struct measured_group g = {first->workload, first->size, from, from, 0};
    while (g.to < m->at.len && !strcmp(m->at.data[g.to].workload, g.workload) &&
           !strcmp(m->at.data[g.to].size, g.size)) {
        const struct measured_kernel *k = &m->at.data[g.to++];
        g.work += k->theirs[INSTRUCTIONS] + 4 * k->theirs[CYCLES];
    }
    return g;
}

/* --- ours --- */

const char *const measured_names[MEASURES] = {"cycles", "instructions", "l2_sectors", "dram_bytes"};

static double number_in(const json *o, const char *group, const char *key)
{
    json *at = NULL;
    if (group && !json_object_object_get_ex(o, group, &at))
        return 0;
    return json_object_object_get_ex(group ? at : o, key, &at) ? json_object_get_double(at) : 0;
}

static const char *text_in(const json *o, const char *key)
{
    json *at = NULL;
    return json_object_object_get_ex(o, key, &at) ? json_object_get_string(at) : "";
}

static json *child_of(const json *o, const char *key)
{
    json *at = NULL;
    json_object_object_get_ex(o, key, &at);
    return at;
}

void measured_take_launch(struct measured_kernel *k, const json *launch, const json *result)
{
    const double port_bytes = number_in(child_of(result, "machine"), "l2", "port_bytes");
    const json *stats = child_of(launch, "stats"), *summary = child_of(launch, "summary");
    const json *limit = child_of(summary, "limit");
    k->is_there = true;
    k->ours[CYCLES] += number_in(launch, NULL, "cycles");
    k->ours[INSTRUCTIONS] += number_in(launch, NULL, "warp_instructions");
    k->ours[L2_SECTORS] += number_in(stats, "l2", "data_busy") * port_bytes / 32;
    k->ours[DRAM_BYTES] += number_in(stats, "mc", "bytes_moved");
    if (limit)
        snprintf(k->limit, sizeof k->limit, "%s", text_in(limit, "resource"));
}

void measured_take(struct measured *m, const struct measured_group *g, json *result)
{
    const json *kernels = child_of(result, "kernels");
    for (size_t i = 0; kernels && i < json_object_array_length(kernels); i++) {
        const json *launch = json_object_array_get_idx(kernels, i);
        for (size_t k = g->from; k < g->to; k++)
            if (!strcmp(m->at.data[k].name, text_in(launch, "name")))
                measured_take_launch(&m->at.data[k], launch, result);
    }
}

/* The kernel of a row; NULL: of what was not asked for. */
static struct measured_kernel *kernel_of_row(struct measured *m, const struct reference *t,
                                             size_t row)
{
    for (size_t i = 0; i < m->at.len; i++) {
        struct measured_kernel *k = &m->at.data[i];
        if (!strcmp(k->workload, reference_text(t, row, "workload")) &&
            !strcmp(k->size, reference_text(t, row, "size")) &&
            !strcmp(k->name, reference_text(t, row, "kernel")))
            return k;
    }
    return NULL;
}

/* A file that was cut off ends within a row: nothing is taken for 0. */
static bool take_row(struct measured_kernel *k, const struct reference *t, size_t row,
                     const char *path, struct err *err)
{
    k->is_there = true;
    snprintf(k->limit, sizeof k->limit, "%s", reference_text(t, row, "waits_for"));
    for (int what = 0; what < MEASURES; what++) {
        const char *text = reference_text(t, row, measured_names[what]);
        char *end;
        k->ours[what] = strtod(text, &end);
        if (end == text || *end || !(k->ours[what] >= (what == CYCLES)))
            return err_set(err, "%s:%zu: \"%s\" is no number of %s", path, row + 2, text,
                           measured_names[what]);
    }
    return true;
}

bool measured_take_file(struct measured *m, const char *path, struct err *err)
{
    struct reference t;
    const char *slash = strrchr(path, '/');
    char *dir = slash ? xasprintf("%.*s", (int)(slash - path), path) : xasprintf(".");
    bool ok = reference_load(&t, dir, slash ? slash + 1 : path, err);
    for (size_t row = 0; ok && row < t.nrows; row++) {
        struct measured_kernel *k = kernel_of_row(m, &t, row);
        if (k)
            ok = take_row(k, &t, row, path, err);
    }
    reference_free(&t);
    free(dir);
    return ok;
}

/* --- how far they are apart --- */

double measured_error(const struct measured_kernel *k, enum measure what)
{
    return k->theirs[what] > 0 ? k->ours[what] / k->theirs[what] - 1 : NAN;
}

bool measured_is_long(const struct measured_kernel *k)
{
    return k->theirs[CYCLES] > 5000 * k->launches;
}

struct measured_sum measured_sum_up(const struct measured *m, measured_choice *takes,
                                    const char *value)
{
    struct measured_sum s = {0};
    double counted[MEASURES] = {0}, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (size_t i = 0; i < m->at.len; i++) {
        const struct measured_kernel *k = &m->at.data[i];
        if (!k->is_there || (takes && !takes(k, value)))
            continue;
        s.n++;
        for (int what = 0; what < MEASURES; what++) {
            const double e = measured_error(k, (enum measure)what);
            s.error[what] += isnan(e) ? 0 : fabs(e);
            counted[what] += !isnan(e);
        }
        const double a = log(k->ours[CYCLES]), b = log(k->theirs[CYCLES]);
        x += a, y += b, xx += a * a, yy += b * b, xy += a * b;
    }
    for (int what = 0; what < MEASURES; what++)
        s.error[what] /= counted[what] > 0 ? counted[what] : 1;
    const double n = (double)s.n, spread = (n * xx - x * x) * (n * yy - y * y);
    s.correlation = spread > 0 ? (n * xy - x * y) / sqrt(spread) : NAN;
    return s;
}
