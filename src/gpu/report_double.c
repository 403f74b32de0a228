/* Which fields of a machine give twice of a resource. */
#include "gpu/report_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct scaling {
    enum limit of;
    const char *key;
    double factor;
};
static const struct scaling scalings[] = {
#define DOUBLE(limit, key, factor) {LIMIT_##limit, key, factor},
#include "gpu/report_double.def"
#undef DOUBLE
};

struct wanted {
    const struct conf *conf;
    const struct scaling *s;
    char *to;
    size_t size;
    bool found;
};

/* A pipe's latency is at least the time between two of its instructions. */
static double least_latency(const struct conf *c, const char *key)
{
    char other[SETTING_MAX], value[32];
    const size_t len = strlen(key), tail = strlen("_latency"), stem = len > tail ? len - tail : 0;
    if (strncmp(key, "sm.", 3) || strcmp(key + stem, "_latency"))
        return 0;
    snprintf(other, sizeof other, "%.*s_initiation", (int)stem, key);
    return conf_get(c, other, value, sizeof value) ? strtod(value, NULL) : 0;
}

/* The field's value scaled and rounded up, if that is another value within its bounds. A value that
 * is 0 (none) or below (that of the device) stays as it is. */
static void scale_field(void *ctx, const char *section, const struct conf_field *f,
                        const char *value)
{
    struct wanted *w = ctx;
    const size_t len = strlen(section);
    if (strncmp(w->s->key, section, len) || w->s->key[len] != '.' ||
        strcmp(w->s->key + len + 1, f->name))
        return;
    const double was = strtod(value, NULL);
    double v = was * w->s->factor;
    if (f->type != CONF_REAL)
        v = ceil(v);
    v = fmax(v, least_latency(w->conf, w->s->key));
    w->found = was > 0 && v != was && v >= f->min && v <= f->max;
    if (w->found)
        snprintf(w->to, w->size, "%s=%.15g", w->s->key, v);
}

size_t report_double(const struct machine *m, enum limit of, report_setting *to, size_t most)
{
    size_t n = 0;
    for (size_t i = 0; i < ARRAY_LEN(scalings) && n < most; i++) {
        struct wanted w = {.conf = m->conf, .s = &scalings[i], .to = to[n], .size = sizeof to[n]};
        if (scalings[i].of == of)
            conf_each(m->conf, scale_field, &w);
        n += w.found;
    }
    return n;
}
