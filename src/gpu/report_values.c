/* Numbers that techniques report by themselves (tech_part.value). */
#include "gpu/report_int.h"

#include <json-c/json.h>

enum { SHOWN = 16 };

static void print_value(const struct tech_part *p, uint32_t i, const struct tech_value *v,
                        FILE *out)
{
    fprintf(out, "  %-13s %s %s =", i ? "" : p->values, v->place, v->name);
    for (uint32_t k = 0; k < v->n && k < SHOWN; k++)
        fprintf(out, " %llu", (unsigned long long)p->element(p->self, i, k));
    fprintf(out, v->n > SHOWN ? " and %u more\n" : "\n", v->n - SHOWN);
}

void report_values_print(const struct gpu *g, FILE *out)
{
    const struct tech_part *p;
    struct tech_value v;
    for (size_t t = 0; (p = gpu_technique(g, t)); t++)
        for (uint32_t i = 0; p->values && p->value(p->self, i, &v); i++)
            print_value(p, i, &v, out);
}

static struct json_object *elements(const struct tech_part *p, uint32_t i, uint32_t n)
{
    if (n == 1)
        return json_object_new_uint64(p->element(p->self, i, 0));
    struct json_object *list = json_object_new_array();
    for (uint32_t k = 0; k < n; k++)
        json_object_array_add(list, json_object_new_uint64(p->element(p->self, i, k)));
    return list;
}

static struct json_object *object_of(const struct tech_part *p)
{
    struct json_object *o = json_object_new_object(), *place;
    struct tech_value v;
    for (uint32_t i = 0; p->value(p->self, i, &v); i++) {
        if (!json_object_object_get_ex(o, v.place, &place)) {
            place = json_object_new_object();
            json_object_object_add(o, v.place, place);
        }
        json_object_object_add(place, v.name, elements(p, i, v.n));
    }
    return o;
}

void report_values_json(const struct gpu *g, struct json_object *to)
{
    const struct tech_part *p;
    for (size_t t = 0; (p = gpu_technique(g, t)); t++)
        if (p->values)
            json_object_object_add(to, p->values, object_of(p));
}
