/* Reference tables in, checks out. */
#include "base/file.h"
#include "validate.h"

#include <json-c/json.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Takes one field off `*p` in place; `*end_of_line` says what followed it. */
static char *field_take(char **p, bool *end_of_line)
{
    char *s = *p, *out = s, *start = s;
    bool quoted = *s == '"';
    if (quoted)
        s++;
    while (*s && (quoted || (*s != ',' && *s != '\n' && *s != '\r'))) {
        if (quoted && *s == '"') {
            if (s[1] != '"') {
                quoted = false;
                s++;
                continue;
            }
            s++;
        }
        *out++ = *s++;
    }
    *end_of_line = *s != ',';
    while (*s == '\r' || (*end_of_line && *s == '\n'))
        s++;
    if (!*end_of_line)
        s++;
    *out = '\0';
    *p = s;
    return start;
}

bool table_load(struct table *t, const char *dir, const char *file, struct err *err)
{
    *t = (struct table){0};
    char *path = xasprintf("%s/%s", dir, file);
    size_t len;
    char *text = file_read(path, &len, err);
    free(path);
    if (!text)
        return false;
    char *p = arena_strndup(&t->arena, text, len);
    free(text);
    VEC(char *) cells = {0};
    VEC(char **) rows = {0};
    while (*p) {
        bool end = false;
        cells.len = 0;
        while (!end)
            vec_push(&cells, field_take(&p, &end));
        if (!t->ncols)
            t->ncols = cells.len;
        char **row = arena_array(&t->arena, char *, t->ncols);
        for (size_t i = 0; i < t->ncols; i++)
            row[i] = i < cells.len ? cells.data[i] : arena_strndup(&t->arena, "", 0);
        vec_push(&rows, row);
    }
    t->nrows = rows.len ? rows.len - 1 : 0;
    t->rows = arena_array(&t->arena, char **, t->nrows + 1);
    for (size_t i = 0; i < t->nrows; i++)
        t->rows[i] = rows.data[i + 1];
    t->names = rows.len ? rows.data[0] : NULL;
    vec_free(&cells);
    vec_free(&rows);
    return t->nrows || err_set(err, "%s/%s: no rows", dir, file);
}

void table_free(struct table *t)
{
    arena_free(&t->arena);
}

const char *table_text(const struct table *t, size_t row, const char *column)
{
    for (size_t i = 0; i < t->ncols; i++)
        if (!strcmp(t->names[i], column))
            return t->rows[row][i];
    return "";
}

double table_number(const struct table *t, size_t row, const char *column)
{
    return strtod(table_text(t, row, column), NULL);
}

void report_check(struct report *r, const char *file, const char *metric, double ours,
                  double theirs, double bound, const char *fmt, ...)
{
    struct check c = {
        .file = file, .metric = metric, .ours = ours, .theirs = theirs, .bound = bound};
    va_list args;
    va_start(args, fmt);
    vsnprintf(c.row, sizeof c.row, fmt, args);
    va_end(args);
    double diff = theirs != 0 ? ours / theirs - 1 : ours;
    c.ok = bound > 0 ? fabs(diff) <= bound : fabs(ours - theirs) < 5e-4;
    r->passed += c.ok;
    r->failed += !c.ok;
    vec_push(&r->checks, c);
    printf("%-6s %-58s %-16s ours %12.5f theirs %12.5f diff %+7.2f%% (bound %.3g%%)\n",
           c.ok ? "ok" : "FAILED", c.row, metric, ours, theirs, 100 * diff, 100 * bound);
}

void curve_free(struct curve *c)
{
    vec_free(&c->offered);
    vec_free(&c->theirs);
    vec_free(&c->ours);
}

bool report_write_json(const struct report *r, const char *path, struct err *err)
{
    json_object *root = json_object_new_object(), *list = json_object_new_array();
    json_object_object_add(root, "passed", json_object_new_uint64(r->passed));
    json_object_object_add(root, "failed", json_object_new_uint64(r->failed));
    json_object_object_add(root, "checks", list);
    for (size_t i = 0; i < r->checks.len; i++) {
        const struct check *c = &r->checks.data[i];
        json_object *o = json_object_new_object();
        json_object_object_add(o, "reference", json_object_new_string(c->file));
        json_object_object_add(o, "row", json_object_new_string(c->row));
        json_object_object_add(o, "metric", json_object_new_string(c->metric));
        json_object_object_add(o, "ours", json_object_new_double(c->ours));
        json_object_object_add(o, "theirs", json_object_new_double(c->theirs));
        json_object_object_add(o, "bound", json_object_new_double(c->bound));
        json_object_object_add(o, "ok", json_object_new_boolean(c->ok));
        json_object_array_add(list, o);
    }
    const char *text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY);
    bool ok = file_write(path, text, strlen(text), err);
    json_object_put(root);
    return ok;
}
