/* JSON of what rooms have. */
#include "out/json.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

void json_add_text(json *o, const char *key, const char *v)
{
    json_object_object_add(o, key, v ? json_object_new_string(v) : NULL);
}

void json_add_count(json *o, const char *key, uint64_t v)
{
    json_object_object_add(o, key, json_object_new_uint64(v));
}

void json_add_real(json *o, const char *key, double v)
{
    json_object_object_add(o, key, json_object_new_double(v));
}

json *json_child(json *parent, const char *key)
{
    json *o = NULL;
    if (!json_object_object_get_ex(parent, key, &o)) {
        o = json_object_new_object();
        json_object_object_add(parent, key, o);
    }
    return o;
}

json *json_strings(char *const *at, size_t n)
{
    json *a = json_object_new_array();
    for (size_t i = 0; i < n; i++)
        json_object_array_add(a, json_object_new_string(at[i]));
    return a;
}

json *json_triple(const uint32_t d[3])
{
    json *a = json_object_new_array();
    for (unsigned i = 0; i < 3; i++)
        json_object_array_add(a, json_object_new_int64(d[i]));
    return a;
}

/* --- configurations --- */

static uint64_t size_of(const char *text)
{
    char *end;
    uint64_t v = strtoull(text, &end, 10);
    return v << (*end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0);
}

static json *list_of(const char *text)
{
    json *a = json_object_new_array();
    for (char *end; text[strcspn(text, "0123456789")]; text = end) {
        text += strcspn(text, "0123456789");
        json_object_array_add(a, json_object_new_int64((int64_t)strtoul(text, &end, 10)));
    }
    return a;
}

static void add_field(void *ctx, const char *section, const struct conf_field *f, const char *value)
{
    json *v;
    switch (f->type) {
    case CONF_BOOL:
        v = json_object_new_boolean(!strcmp(value, "true"));
        break;
    case CONF_INT:
        v = json_object_new_int64(strtoll(value, NULL, 10));
        break;
    case CONF_SIZE:
        v = json_object_new_uint64(size_of(value));
        break;
    case CONF_REAL:
        v = json_object_new_double(strtod(value, NULL));
        break;
    case CONF_LIST:
        v = list_of(value);
        break;
    default:
        v = json_object_new_string(value);
    }
    json_object_object_add(json_child(ctx, section), f->name, v);
}

json *json_conf(const struct conf *c)
{
    json *o = json_object_new_object();
    conf_each(c, add_field, o);
    return o;
}

/* --- statistics --- */

json *json_stats(const struct stats *st, bool instances)
{
    json *all = stats_to_json(st, instances), *groups = NULL;
    if (json_object_object_get_ex(all, "groups", &groups))
        json_object_get(groups);
    json_object_put(all);
    return groups;
}

struct column {
    json *cycles, *columns;
    size_t at; /* of the sample */
};

static void add_delta(void *ctx, cycle_t cycle, const char *group, const char *name, uint64_t delta)
{
    struct column *c = ctx;
    char key[96];
    json *column = NULL;
    snprintf(key, sizeof key, "%s.%s", group, name);
    if (json_object_array_length(c->cycles) == c->at)
        json_object_array_add(c->cycles, json_object_new_uint64(cycle));
    if (!json_object_object_get_ex(c->columns, key, &column)) {
        column = json_object_new_array();
        json_object_object_add(c->columns, key, column);
    }
    json_object_array_add(column, json_object_new_uint64(delta));
}

json *json_series(const struct stats *st, cycle_t interval)
{
    json *o = json_object_new_object();
    struct column c = {json_object_new_array(), json_object_new_object(), 0};
    for (; c.at < stats_sample_count(st); c.at++)
        stats_sample_each(st, c.at, add_delta, &c);
    json_add_count(o, "interval", interval);
    json_object_object_add(o, "cycles", c.cycles);
    json_object_object_add(o, "deltas", c.columns);
    return o;
}

void json_write(json *o, FILE *out)
{
    char *text = utf8_repair(json_object_to_json_string_ext(
        o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE));
    fprintf(out, "%s\n", text);
    free(text);
}
