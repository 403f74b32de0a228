/* What is kept of a run, so that a page stays small: sums, kernels, chosen columns of the series in
 * few points, hot lines with their sources. */
#include "report_page.h"

#include "base/demangle.h"
#include "base/file.h"
#include "base/outfile.h"
#include "base/utf8.h"
#include "out/json.h"

#include <stdlib.h>
#include <string.h>

enum { SERIES_POINTS = 400, HOT_LINES = 400, MAX_KERNELS = 2000, SOURCE_BYTES = 1 << 19 };

/* --- series --- */

static const char *const columns[] = {"sm.thread_inst",
                                      "sm.issue_active",
                                      "sm.issue_data_stall",
                                      "sm.issue_memory_stall",
                                      "l2.requests",
                                      "dram.rd",
                                      "dram.wr"};

static size_t group_end(size_t i, size_t n)
{
    const size_t per = (n + SERIES_POINTS - 1) / SERIES_POINTS, end = (i / per + 1) * per;
    return end < n ? end : n;
}

/* Neighbours are added up where there are too many points. */
static json *thin(json *values, bool is_sum)
{
    json *out = json_object_new_array();
    const size_t n = json_object_array_length(values);
    for (size_t i = 0, end; i < n; i = end) {
        double v = 0;
        end = group_end(i, n);
        for (size_t k = i; k < end; k++) {
            const double one = json_object_get_double(json_object_array_get_idx(values, k));
            v = is_sum ? v + one : one;
        }
        json_object_array_add(out, json_object_new_double(v));
    }
    return out;
}

static void keep_series(json *run, json *from)
{
    json *series = NULL, *cycles = NULL, *deltas = NULL, *values = NULL;
    if (!json_object_object_get_ex(from, "series", &series) ||
        !json_object_object_get_ex(series, "cycles", &cycles) ||
        !json_object_object_get_ex(series, "deltas", &deltas))
        return;
    json *out = json_child(run, "series");
    json_object_object_add(out, "cycles", thin(cycles, false));
    for (unsigned i = 0; i < ARRAY_LEN(columns); i++)
        if (json_object_object_get_ex(deltas, columns[i], &values))
            json_object_object_add(out, columns[i], thin(values, true));
}

/* --- kernels and lines --- */

static void keep_kernels(json *run, json *from)
{
    static const char *const members[] = {
        "name",         "start",       "cycles",  "registers",
        "shared_bytes", "ctas_per_sm", "summary", "thread_instructions"};
    json *all = NULL, *out = json_object_new_array(), *v;
    json_object_object_get_ex(from, "kernels", &all);
    for (size_t i = 0; all && i < json_object_array_length(all) && i < MAX_KERNELS; i++) {
        json *k = json_object_array_get_idx(all, i), *to = json_object_new_object();
        for (unsigned m = 0; m < ARRAY_LEN(members); m++)
            if (json_object_object_get_ex(k, members[m], &v))
                json_object_object_add(to, members[m], json_object_get(v));
        if (json_object_object_get_ex(k, "name", &v)) {
            char *name = demangle_short(json_object_get_string(v));
            json_add_text(to, "short_name", name);
            free(name);
        }
        json_object_array_add(out, to);
    }
    json_object_object_add(run, "kernels", out);
}

/* A file of the program, as far as it is text and not too long. */
static void keep_source(json *sources, const char *file)
{
    struct err err = {0};
    size_t len;
    json *known = NULL;
    if (json_object_object_get_ex(sources, file, &known))
        return;
    char *text = file_read(file, &len, &err), *valid;
    if (!text)
        return;
    if (len <= SOURCE_BYTES && !memchr(text, 0, len)) {
        valid = utf8_repair(text);
        json_add_text(sources, file, valid);
        free(valid);
    }
    free(text);
}

static json *first_lines(json *hot, const char *key)
{
    json *all = NULL, *out = json_object_new_array();
    json_object_object_get_ex(hot, key, &all);
    for (size_t i = 0; all && i < json_object_array_length(all) && i < HOT_LINES; i++)
        json_object_array_add(out, json_object_get(json_object_array_get_idx(all, i)));
    return out;
}

static void keep_hot(json *run, json *from)
{
    json *hot = NULL, *file = NULL;
    if (!json_object_object_get_ex(from, "hot", &hot) || !hot)
        return;
    json *out = json_child(run, "hot"), *source = first_lines(hot, "source");
    json_object_object_add(out, "source", source);
    json_object_object_add(out, "ptx", first_lines(hot, "ptx"));
    for (size_t i = 0; i < json_object_array_length(source); i++)
        if (json_object_object_get_ex(json_object_array_get_idx(source, i), "file", &file))
            keep_source(json_child(run, "sources"), json_object_get_string(file));
}

static void keep_machine(json *run, json *from)
{
    json *machine = NULL, *v;
    if (!json_object_object_get_ex(from, "machine", &machine) || !machine)
        return;
    for (unsigned i = 0; i < 2; i++) {
        const char *section = i ? "sm" : "gpu";
        if (json_object_object_get_ex(machine, section, &v))
            json_object_object_add(json_child(run, "machine"), section, json_object_get(v));
    }
}

json *report_page_run(const char *path, const char *label, const char *program, struct err *err)
{
    static const char *const members[] = {
        "version", "mode",   "gpu",   "cycles",       "launches",         "ipc",
        "summary", "energy", "stats", "wall_seconds", "warp_instructions"};
    json *from = json_object_from_file(path), *v = NULL;
    if (!from || !json_object_is_type(from, json_type_object) ||
        !json_object_object_get_ex(from, "schema", &v) ||
        strncmp(json_object_get_string(v) ? json_object_get_string(v) : "", "parsim-run-", 11)) {
        err_set(err, "%s: is no JSON of a run; 'parsim run --gpu NAME --json FILE' makes one",
                path);
        json_object_put(from);
        return NULL;
    }
    if (!json_object_object_get_ex(from, "cycles", &v) || !v) {
        err_set(err, "%s: the run kept no time; add --gpu NAME", path);
        json_object_put(from);
        return NULL;
    }
    json *run = json_object_new_object();
    json_add_text(run, "label", label);
    json_add_text(run, "program", program);
    for (unsigned i = 0; i < ARRAY_LEN(members); i++)
        if (json_object_object_get_ex(from, members[i], &v))
            json_object_object_add(run, members[i], json_object_get(v));
    keep_machine(run, from);
    keep_kernels(run, from);
    keep_series(run, from);
    keep_hot(run, from);
    json_object_put(from);
    return run;
}

/* --- the page --- */

static const char *text_of(const char *name)
{
    const struct report_text *t = report_texts();
    while (t->name && strcmp(t->name, name))
        t++;
    return t->text ? t->text : "";
}

/* In a script "</" would end it. */
static void put_json(FILE *f, json *o)
{
    char *text = utf8_repair(
        json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
    for (const char *p = text; *p; p++)
        if (*p == '<')
            fputs("\\u003c", f);
        else
            fputc(*p, f);
    free(text);
}

bool report_page_write(const char *path, json *runs, struct err *err)
{
    static const char *const scripts[] = {"tools", "charts", "sections"};
    struct outfile *o = outfile_open(path, err);
    if (!o)
        return false;
    FILE *f = outfile_stream(o);
    const char *page = text_of("page"), *head = strstr(page, "</head>"),
               *end = strstr(page, "</body>");
    assert(head && end);
    fprintf(f, "%.*s<style>\n%s</style>\n%.*s", (int)(head - page), page, text_of("style"),
            (int)(end - head), head);
    fputs("<script type=\"application/json\" id=\"data\">", f);
    put_json(f, runs);
    fputs("</script>\n<script>\n", f);
    for (unsigned i = 0; i < ARRAY_LEN(scripts); i++)
        fputs(text_of(scripts[i]), f);
    fprintf(f, "</script>\n%s", end);
    return outfile_close(o, err);
}
