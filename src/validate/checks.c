/* Checks: a line each, and all of them as JSON. */
#include "validate/validate_int.h"

#include "base/file.h"
#include "out/json.h"

#include <json-c/json.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

void checks_add(struct checks *r, const char *file, const char *metric, double ours, double theirs,
                double bound, const char *fmt, ...)
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
    vec_push(&r->at, c);
    fprintf(r->out, "%-6s %-58s %-16s ours %12.5f theirs %12.5f diff %+7.2f%% (bound %.3g%%)\n",
            c.ok ? "ok" : "FAILED", c.row, metric, ours, theirs, 100 * diff, 100 * bound);
}

void checks_free(struct checks *r)
{
    vec_free(&r->at);
}

void curve_free(struct curve *c)
{
    vec_free(&c->offered);
    vec_free(&c->theirs);
    vec_free(&c->ours);
}

bool checks_write_json(const struct checks *r, const char *path, struct err *err)
{
    json_object *root = json_object_new_object(), *list = json_object_new_array();
    json_object_object_add(root, "passed", json_object_new_uint64(r->passed));
    json_object_object_add(root, "failed", json_object_new_uint64(r->failed));
    json_object_object_add(root, "checks", list);
    for (size_t i = 0; i < r->at.len; i++) {
        const struct check *c = &r->at.data[i];
        json_object *o = json_object_new_object();
        json_add_text(o, "reference", c->file);
        json_add_text(o, "row", c->row);
        json_add_text(o, "metric", c->metric);
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
