/* What is left of a timed case, and comparisons of it. */
#include "gpu/support_outcome.h"

#include <json-c/json.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct outcome outcome_take(struct case_run *r, bool instances)
{
    struct outcome out = {.stats = stats_to_json(gpu_stats(r->gpu), instances),
                          .data = xcalloc(1, CASE_BYTES),
                          .cycles = gpu_cycles(r->gpu)};
    memcpy(out.data, devmem_ptr(r->buf->base), CASE_BYTES);
    case_close(r);
    return out;
}

void outcome_free(struct outcome *o)
{
    json_object_put(o->stats);
    free(o->data);
}

double outcome_stat(const struct outcome *o, const char *group, const char *name)
{
    struct json_object *groups = json_object_object_get(o->stats, "groups");
    struct json_object *v = json_object_object_get(json_object_object_get(groups, group), name);
    if (!v)
        fail_msg("no statistic %s.%s", group, name);
    return json_object_get_double(v);
}

void outcome_assert_same(const struct gpu_case *c, const char *how, const struct outcome *a,
                         const struct outcome *b)
{
    const char *x = json_object_to_json_string_ext(a->stats, JSON_C_TO_STRING_PRETTY);
    const char *y = json_object_to_json_string_ext(b->stats, JSON_C_TO_STRING_PRETTY);
    size_t i = 0, line = 0;
    for (; x[i] && x[i] == y[i]; i++)
        if (x[i] == '\n')
            line = i;
    if (x[i] != y[i])
        fail_msg("%s, %s: %.120s\n  differs: %.120s", c->name, how, x + line, y + line);
    assert_int_equal(a->cycles, b->cycles);
    assert_memory_equal(a->data, b->data, CASE_BYTES);
}
