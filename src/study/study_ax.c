/* Equation 4.2, and how errors are distributed. */
#include "study/study_ax.h"

#include "base/file.h"
#include "study/study.h"

#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct study_ax all[] = {
#define AX(name, bytes, outputs) {#name, bytes, STUDY_AX_##outputs},
#include "study/study_ax.def"
#undef AX
};

const struct study_ax *study_ax_find(const char *name, struct err *err)
{
    for (unsigned i = 0; i < ARRAY_LEN(all); i++)
        if (!strcmp(all[i].name, name))
            return &all[i];
    err_set(err, "no program '%s' of AxMemo; there are: "
#define AX(name, bytes, outputs) #name " "
#include "study/study_ax.def"
#undef AX
            ,
            name);
    return NULL;
}

char *study_ax_program(const char *name, const char *build)
{
    char *file = xasprintf("ax/%s.%s", name, build), *path = study_beside(file);
    free(file);
    return path;
}

/* --- outputs --- */

/* Relative errors up to which elements are counted together. */
static const struct {
    const char *name;
    double most;
} classes[] = {{"same", 0},
               {"within_0_1", 0.001},
               {"within_1", 0.01},
               {"within_10", 0.1},
               {"beyond", INFINITY}};

struct sums {
    double difference, square;
    double of_class[ARRAY_LEN(classes)];
    size_t n;
};

static double relative(double exact, double is)
{
    if (exact == is || (isnan(exact) && isnan(is)))
        return 0;
    const double e = exact != 0 ? fabs((is - exact) / exact) : INFINITY;
    return isnan(e) ? INFINITY : e;
}

static void add_element(struct sums *s, double exact, double is)
{
    const double e = relative(exact, is);
    unsigned k = 0;
    while (e > classes[k].most)
        k++;
    s->of_class[k]++;
    s->difference += (is - exact) * (is - exact);
    s->square += exact * exact;
    s->n++;
}

static struct sums compare(enum study_ax_outputs outputs, const char *a, const char *b, size_t len)
{
    struct sums s = {0};
    for (size_t k = 0; outputs == STUDY_AX_BOOLEANS && k < len; k++) {
        add_element(&s, a[k], b[k]);
        s.square = (double)s.n;
    }
    for (size_t k = 0; outputs == STUDY_AX_FLOATS && k + 4 <= len; k += 4) {
        float x, y;
        memcpy(&x, a + k, sizeof x);
        memcpy(&y, b + k, sizeof y);
        add_element(&s, (double)x, (double)y);
    }
    return s;
}

static struct json_object *describe(const struct sums *s)
{
    struct json_object *o = json_object_new_object();
    json_object_object_add(o, "error",
                           json_object_new_double(s->square > 0 ? s->difference / s->square : 0));
    for (unsigned k = 0; k < ARRAY_LEN(classes); k++)
        json_object_object_add(o, classes[k].name,
                               json_object_new_double(s->n ? s->of_class[k] / (double)s->n : 0));
    return o;
}

struct json_object *study_ax_quality(const struct study_ax *ax, const char *plain, const char *out,
                                     struct err *err)
{
    size_t len, other = 0;
    char *a = file_read(plain, &len, err), *b = a ? file_read(out, &other, err) : NULL;
    struct json_object *o = NULL;
    if (b && (len != other || !len)) {
        err_set(err, "the output has %zu bytes, that of the plain build %zu", other, len);
    } else if (b) {
        const struct sums s = compare(ax->outputs, a, b, len);
        o = describe(&s);
    }
    free(a);
    free(b);
    return o;
}
