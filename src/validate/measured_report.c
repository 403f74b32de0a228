/* Kernels beside the GPU's: lines, errors by class, CSV, JSON, a picture. */
#include "validate/measured_int.h"

#include "base/outfile.h"
#include "out/json.h"

#include <math.h>
#include <string.h>

/* --- text --- */

static void print_kernel(const struct measured_kernel *k, FILE *out)
{
    fprintf(out, "%-20s %-6s %-28s %-6s %-10s", k->workload, k->size, k->name,
            k->is_held ? "held" : "chosen", k->limit);
    for (int what = 0; what < MEASURES; what++)
        fprintf(out, " %12.0f %12.0f %+7.1f%%", k->ours[what], k->theirs[what],
                100 * measured_error(k, (enum measure)what));
    fputc('\n', out);
}

static bool has_half(const struct measured_kernel *k, const char *value)
{
    return k->is_held == !strcmp(value, "held");
}

static bool has_size(const struct measured_kernel *k, const char *value)
{
    return !strcmp(k->size, value);
}

static bool has_limit(const struct measured_kernel *k, const char *value)
{
    return !strcmp(k->limit, value);
}

static bool has_length(const struct measured_kernel *k, const char *value)
{
    return measured_is_long(k) == !strcmp(value, "over 5000 cycles");
}

static bool has_suite(const struct measured_kernel *k, const char *value)
{
    const size_t n = strlen(value);
    return !strncmp(k->workload, value, n) && k->workload[n] == '-';
}

static bool is_long_of_half(const struct measured_kernel *k, const char *value)
{
    return measured_is_long(k) && has_size(k, "tiny") == false && has_half(k, value);
}

static void print_sum(const struct measured *m, FILE *out, measured_choice *takes,
                      const char *label, const char *value)
{
    const struct measured_sum s = measured_sum_up(m, takes, value);
    if (!s.n)
        return;
    fprintf(out, "%-28s %-18s %4zu kernels: cycles %5.1f%%, correlation %5.3f", label, value, s.n,
            100 * s.error[CYCLES], s.correlation);
    for (int what = INSTRUCTIONS; what < MEASURES; what++)
        fprintf(out, ", %s %.1f%%", measured_names[what], 100 * s.error[what]);
    fputc('\n', out);
}

/* Every value that `name_of` gives to a kernel, once. */
static void print_limits(const struct measured *m, FILE *out)
{
    for (size_t i = 0; i < m->at.len; i++) {
        const struct measured_kernel *k = &m->at.data[i];
        size_t first = 0;
        while (strcmp(m->at.data[first].limit, k->limit))
            first++;
        if (first == i && *k->limit)
            print_sum(m, out, has_limit, "by what ours waits for", k->limit);
    }
}

void measured_print(const struct measured *m, FILE *out)
{
    static const char *const suites[] = {"sdk",   "rodinia",  "parboil", "mars",
                                         "graph", "lonestar", "shoc"};
    fprintf(out, "%-20s %-6s %-28s %-6s %-10s", "workload", "size", "kernel", "half", "waits for");
    for (int what = 0; what < MEASURES; what++)
        fprintf(out, " %12s %12s %8s", measured_names[what], "GPU's", "error");
    fputc('\n', out);
    for (size_t i = 0; i < m->at.len; i++)
        if (m->at.data[i].is_there)
            print_kernel(&m->at.data[i], out);
    for (size_t i = 0; i < ARRAY_LEN(suites); i++)
        print_sum(m, out, has_suite, "by suite", suites[i]);
    print_limits(m, out);
    print_sum(m, out, has_size, "by size", "tiny");
    print_sum(m, out, has_size, "by size", "small");
    print_sum(m, out, has_size, "by size", "medium");
    print_sum(m, out, has_length, "by length of a launch", "up to 5000 cycles");
    print_sum(m, out, has_length, "by length of a launch", "over 5000 cycles");
    print_sum(m, out, is_long_of_half, "small and medium, over 5000", "chosen");
    print_sum(m, out, is_long_of_half, "small and medium, over 5000", "held");
    print_sum(m, out, has_half, "by half", "chosen");
    print_sum(m, out, has_half, "by half", "held");
    const struct measured_sum all = measured_sum_up(m, NULL, NULL);
    fprintf(out, "mean absolute error %.1f%%, correlation %.3f, %zu kernels\n",
            100 * all.error[CYCLES], all.correlation, all.n);
}

static bool has_group(const struct measured_kernel *k, const char *value)
{
    return !strcmp(k->workload, value);
}

static bool is_any(const struct measured_kernel *k, const char *value)
{
    (void)k, (void)value;
    return true;
}

void measured_print_micro(const struct measured *m, FILE *out)
{
    for (size_t i = 0; i < m->at.len; i++)
        print_kernel(&m->at.data[i], out);
    for (size_t i = 0; i < m->at.len; i++)
        if (!i || strcmp(m->at.data[i].workload, m->at.data[i - 1].workload))
            print_sum(m, out, has_group, "microbenchmarks", m->at.data[i].workload);
    print_sum(m, out, is_any, "microbenchmarks", "all");
}

/* --- files --- */

bool measured_write_csv(const struct measured *m, const char *path, struct err *err)
{
    struct outfile *o = outfile_open(path, err);
    if (!o)
        return false;
    FILE *out = outfile_stream(o);
    fprintf(out, "workload,size,kernel,half,launches,waits_for");
    for (int what = 0; what < MEASURES; what++)
        fprintf(out, ",%s,gpu_%s", measured_names[what], measured_names[what]);
    fputc('\n', out);
    for (size_t i = 0; i < m->at.len; i++) {
        const struct measured_kernel *k = &m->at.data[i];
        if (!k->is_there)
            continue;
        fprintf(out, "%s,%s,%s,%s,%.0f,%s", k->workload, k->size, k->name,
                k->is_held ? "held" : "chosen", k->launches, k->limit);
        for (int what = 0; what < MEASURES; what++)
            fprintf(out, ",%.0f,%.0f", k->ours[what], k->theirs[what]);
        fputc('\n', out);
    }
    return outfile_close(o, err);
}

static json *kernel_json(const struct measured_kernel *k)
{
    json *o = json_object_new_object();
    json_add_text(o, "workload", k->workload);
    json_add_text(o, "size", k->size);
    json_add_text(o, "kernel", k->name);
    json_add_text(o, "half", k->is_held ? "held" : "chosen");
    json_add_text(o, "waits_for", k->limit);
    json_add_real(o, "launches", k->launches);
    for (int what = 0; what < MEASURES; what++) {
        json *pair = json_child(o, measured_names[what]);
        json_add_real(pair, "ours", k->ours[what]);
        json_add_real(pair, "gpu", k->theirs[what]);
    }
    return o;
}

bool measured_write_json(const struct measured *m, const char *path, struct err *err)
{
    struct outfile *o = outfile_open(path, err);
    if (!o)
        return false;
    const struct measured_sum all = measured_sum_up(m, NULL, NULL);
    json *root = json_object_new_object(), *list = json_object_new_array();
    json_add_count(root, "kernels", all.n);
    json_add_real(root, "correlation", all.correlation);
    for (int what = 0; what < MEASURES; what++)
        json_add_real(json_child(root, "mean_absolute_error"), measured_names[what],
                      all.error[what]);
    json_object_object_add(root, "rows", list);
    for (size_t i = 0; i < m->at.len; i++)
        if (m->at.data[i].is_there)
            json_object_array_add(list, kernel_json(&m->at.data[i]));
    json_write(root, outfile_stream(o));
    json_object_put(root);
    return outfile_close(o, err);
}

/* --- a picture: decades of cycles, ours over the GPU's --- */

struct cloud {
    VEC(double) x, y;
};

static struct cloud cloud_of(const struct measured *m, const char *half)
{
    struct cloud c = {0};
    for (size_t i = 0; i < m->at.len; i++) {
        const struct measured_kernel *k = &m->at.data[i];
        if (!k->is_there || !has_half(k, half))
            continue;
        vec_push(&c.x, log10(k->theirs[CYCLES]));
        vec_push(&c.y, log10(k->ours[CYCLES]));
    }
    return c;
}

bool measured_draw(const struct measured *m, const char *machine, const char *folder,
                   struct err *err)
{
    struct cloud chosen = cloud_of(m, "chosen"), held = cloud_of(m, "held");
    const double ends[] = {3, 8};
    const struct plot_line lines[] = {
        {.name = "as measured", .x = ends, .y = ends, .n = 2, .is_dashed = true, .colour = 3},
        {.name = "values were chosen on it",
         .x = chosen.x.data,
         .y = chosen.y.data,
         .n = chosen.x.len,
         .has_points = true,
         .colour = 1},
        {.name = "held out",
         .x = held.x.data,
         .y = held.y.data,
         .n = held.x.len,
         .has_points = true,
         .colour = 2}};
    const struct plot_panel panel = {.x = "GPU: cycles, powers of ten",
                                     .y = "Parsim: cycles, powers of ten",
                                     .lines = lines,
                                     .nlines = ARRAY_LEN(lines),
                                     .height = 420};
    char *title = xasprintf("kernels of the workloads on %s", machine);
    char *name = xasprintf("validate-%s", machine);
    const struct plot p = {.title = title, .panels = &panel, .npanels = 1};
    struct outfolder *f = outfolder_open(folder, err);
    bool ok = f && outfolder_close(f, plot_save(&p, f, name, err), err);
    vec_free(&chosen.x);
    vec_free(&chosen.y);
    vec_free(&held.x);
    vec_free(&held.y);
    free(title);
    free(name);
    return ok;
}
