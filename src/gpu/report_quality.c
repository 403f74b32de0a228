/* Outputs that were judged, in the summary and in the JSON. */
#include "gpu/judge.h"
#include "gpu/report_int.h"
#include "out/json.h"

#include <math.h>

void report_quality_print(const struct session *s, FILE *out)
{
    const struct judge *j = session_judge_of(s);
    for (size_t i = 0; i < j->n; i++) {
        const struct judged_output *o = j->outputs[i];
        fprintf(out, "  %-13s %s: %s %.4g%%;", i ? "" : "quality", o->name,
                quality_measure_name(o->by), o->q.percent[o->by]);
        for (unsigned m = 0, k = 0; m < QUALITY_MEASURES; m++)
            if (m != o->by)
                fprintf(out, "%s %s %.4g%%", k++ ? "," : "",
                        quality_measure_name((enum quality_measure)m), o->q.percent[m]);
        fputc('\n', out);
    }
}

/* Null where it is infinite. */
static void add_number(json *o, const char *key, double v)
{
    json_object_object_add(o, key, isfinite(v) ? json_object_new_double(v) : NULL);
}

static json *output_json(const struct judged_output *out, const struct judge *j)
{
    json *o = json_object_new_object();
    enum quality_measure which;
    double bound;
    json_add_text(o, "name", out->name);
    json_add_text(o, "measure", quality_measure_name(out->by));
    add_number(o, "error", out->q.percent[out->by]);
    for (unsigned m = 0; m < QUALITY_MEASURES; m++)
        add_number(json_child(o, "percent"), quality_measure_name((enum quality_measure)m),
                   out->q.percent[m]);
    json_add_count(o, "elements", out->q.count);
    json_add_count(o, "wrong", out->q.wrong);
    add_number(o, "mean", out->q.mean);
    add_number(o, "geometric_mean", out->q.geometric_mean);
    add_number(o, "rmse", out->q.rmse);
    add_number(o, "largest_error", out->q.largest_error);
    json_object_object_add(
        o, "within_bounds",
        json_object_new_boolean(!quality_exceeds(&out->q, out->by, &j->bounds, &which, &bound)));
    return o;
}

struct json_object *report_quality_json(const struct session *s)
{
    const struct judge *j = s ? session_judge_of(s) : NULL;
    if (!j || (!judge_design(s) && !j->n))
        return NULL;
    json *o = json_object_new_object(), *outputs = json_object_new_array();
    json_add_text(o, "design", judge_design(s));
    json_add_text(o, "max_error", session_options(s)->max_error);
    for (size_t i = 0; i < j->n; i++)
        json_object_array_add(outputs, output_json(j->outputs[i], j));
    json_object_object_add(o, "outputs", outputs);
    return o;
}
