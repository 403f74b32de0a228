/* The characterization as tables of text, as CSV and as JSON. */
#include "study/characterize/characterize_int.h"

#include "base/outfile.h"
#include "out/json.h"

#include <math.h>
#include <string.h>

/* --- text --- */

static int width_of(const struct row *rows, size_t n, unsigned id)
{
    int width = (int)strlen(columns[id].title);
    for (size_t i = 0; i < n; i++) {
        char text[64];
        int len = snprintf(text, sizeof text, "%.*f", columns[id].decimals, rows[i].at[id]);
        width = len > width ? len : width;
    }
    return width;
}

static void print_number(FILE *out, int width, unsigned id, double v)
{
    if (isnan(v))
        fprintf(out, "  %*s", width, "-");
    else
        fprintf(out, "  %*.*f", width, columns[id].decimals, v);
}

static void print_group(const struct row *rows, size_t n, unsigned group, FILE *out)
{
    const bool has_bound = group == GROUP_speed;
    int width[COLUMNS];
    fprintf(out, "%s\n\n%-14s", group_titles[group], "");
    for (unsigned id = 0; id < COLUMNS; id++)
        if (columns[id].group == group) {
            width[id] = width_of(rows, n, id);
            fprintf(out, "  %*s", width[id], columns[id].title);
        }
    fputs(has_bound ? "  bound    papers\n" : "\n", out);
    for (size_t i = 0; i <= n; i++) {
        if (i == n && n < 2)
            break;
        fprintf(out, "%-14s", i < n ? rows[i].workload : "mean");
        for (unsigned id = 0; id < COLUMNS; id++)
            if (columns[id].group == group)
                print_number(out, width[id], id, i < n ? rows[i].at[id] : rows_mean(rows, n, id));
        if (has_bound && i < n)
            fprintf(out, "  %-7s  %s", rows[i].bound, rows[i].said);
        fputc('\n', out);
    }
    if (group_papers[group])
        fprintf(out, "\n(%s)\n", group_papers[group]);
    if (has_bound)
        fprintf(out, "\nbound by\n%s\n", bound_rule);
    fputc('\n', out);
}

void rows_print(const struct characterize *c, const struct row *rows, FILE *out)
{
    fprintf(out, "%zu workloads, size %s, on %s\n\n", c->workloads.len, c->size, c->gpu);
    for (unsigned g = 0; g < GROUPS; g++)
        print_group(rows, c->workloads.len, g, out);
}

/* --- CSV --- */

bool rows_write_csv(const struct characterize *c, const struct row *rows, struct err *err)
{
    struct outfile *o = outfile_open(c->csv, err);
    if (!o)
        return false;
    FILE *f = outfile_stream(o);
    fprintf(f, "workload,size,gpu,bound,papers_bound");
    for (unsigned id = 0; id < COLUMNS; id++)
        fprintf(f, ",%s", columns[id].id);
    for (size_t i = 0; i < c->workloads.len; i++) {
        fprintf(f, "\n%s,%s,%s,%s,%s", rows[i].workload, c->size, c->gpu, rows[i].bound,
                rows[i].said);
        for (unsigned id = 0; id < COLUMNS; id++)
            if (isnan(rows[i].at[id]))
                fputc(',', f);
            else
                fprintf(f, ",%.10g", rows[i].at[id]);
    }
    fputc('\n', f);
    return outfile_close(o, err);
}

/* --- JSON --- */

static json_object *columns_json(void)
{
    json_object *list = json_object_new_array();
    for (unsigned id = 0; id < COLUMNS; id++) {
        json_object *o = json_object_new_object();
        json_add_text(o, "id", columns[id].id);
        json_add_text(o, "table", group_titles[columns[id].group]);
        json_add_text(o, "title", columns[id].title);
        json_add_text(o, "help", columns[id].help);
        json_object_array_add(list, o);
    }
    return list;
}

static json_object *papers_json(void)
{
    json_object *o = json_object_new_object();
    for (unsigned g = 0; g < GROUPS; g++)
        if (group_papers[g])
            json_add_text(o, group_titles[g], group_papers[g]);
    return o;
}

static json_object *row_json(const struct row *r)
{
    json_object *o = json_object_new_object();
    json_add_text(o, "name", r->workload);
    json_add_text(o, "bound", r->bound);
    json_add_text(o, "papers_bound", r->said);
    json_add_text(o, "bottleneck", r->bottleneck);
    for (unsigned id = 0; id < COLUMNS; id++)
        json_object_object_add(o, columns[id].id,
                               isnan(r->at[id]) ? NULL : json_object_new_double(r->at[id]));
    return o;
}

bool rows_write_json(const struct characterize *c, const struct row *rows, struct err *err)
{
    json_object *o = json_object_new_object(), *list = json_object_new_array();
    struct outfile *f = outfile_open(c->json, err);
    for (size_t i = 0; i < c->workloads.len; i++)
        json_object_array_add(list, row_json(&rows[i]));
    json_add_text(o, "schema", "parsim-characterize-1");
    json_add_text(o, "version", PARSIM_VERSION);
    json_add_text(o, "gpu", c->gpu);
    json_add_text(o, "size", c->size);
    json_add_text(o, "bound_rule", bound_rule);
    json_object_object_add(o, "columns", columns_json());
    json_object_object_add(o, "papers", papers_json());
    json_object_object_add(o, "workloads", list);
    if (f)
        fprintf(outfile_stream(f), "%s\n",
                json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY));
    json_object_put(o);
    return f && outfile_close(f, err);
}

/* --- all --- */

static bool is_stdout(const char *path)
{
    return path && !strcmp(path, "-");
}

bool characterize_report(const struct characterize *c, FILE *out, struct err *err)
{
    struct row *rows = rows_read(c, err);
    if (!rows)
        return false;
    if (!is_stdout(c->json) && !is_stdout(c->csv))
        rows_print(c, rows, out);
    bool ok = (!c->json || rows_write_json(c, rows, err)) &&
              (!c->csv || rows_write_csv(c, rows, err)) && (!c->plot || rows_plot(c, rows, err));
    rows_free(rows, c->workloads.len);
    return ok;
}

bool characterize_probe(const struct characterize *c, struct err *err)
{
    const char *const files[] = {c->json, c->csv};
    return outfile_probe_all(files, ARRAY_LEN(files), err) &&
           (!c->plot || outfile_probe_folder(c->plot, err));
}
