/* What assist routines have left in their .shared variables, summed over SMs. */
#include "gpu/report_int.h"
#include "tech/caba/assist.h"

#include <json-c/json.h>
#include <string.h>

enum { SHOWN = 16 };

static const char *name_in_path(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void report_assist_print(const struct gpu *g, FILE *out)
{
    const struct assist *a = gpu_assist(g);
    struct assist_var v;
    for (uint32_t i = 0; a && assist_var(a, i, &v); i++) {
        fprintf(out, "  %-13s %s %s =", i ? "" : "assist", name_in_path(v.file), v.name);
        for (uint32_t k = 0; k < v.n && k < SHOWN; k++)
            fprintf(out, " %llu", (unsigned long long)assist_var_at(a, i, k));
        fprintf(out, v.n > SHOWN ? " and %u more\n" : "\n", v.n - SHOWN);
    }
}

static struct json_object *elements(const struct assist *a, uint32_t i, uint32_t n)
{
    if (n == 1)
        return json_object_new_uint64(assist_var_at(a, i, 0));
    struct json_object *list = json_object_new_array();
    for (uint32_t k = 0; k < n; k++)
        json_object_array_add(list, json_object_new_uint64(assist_var_at(a, i, k)));
    return list;
}

struct json_object *report_assist_json(const struct gpu *g)
{
    const struct assist *a = gpu_assist(g);
    struct json_object *o = json_object_new_object(), *file;
    struct assist_var v;
    for (uint32_t i = 0; a && assist_var(a, i, &v); i++) {
        if (!json_object_object_get_ex(o, name_in_path(v.file), &file)) {
            file = json_object_new_object();
            json_object_object_add(o, name_in_path(v.file), file);
        }
        json_object_object_add(file, v.name, elements(a, i, v.n));
    }
    return o;
}
