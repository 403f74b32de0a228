/* One field: text to member and back. */
#include "conf/conf_int.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* "32K" -> 32768; the multiplier applies to SIZE only. */
static bool number_parse(const char *text, bool suffix, double *out)
{
    char *end;
    errno = 0;
    double v = strtod(text, &end);
    if (end == text || errno || !isfinite(v))
        return false;
    if (suffix && *end) {
        static const char units[] = "KMG";
        const char *u = strchr(units, toupper((unsigned char)*end));
        if (!u)
            return false;
        v = ldexp(v, 10 * (int)(u - units + 1));
        end++;
    }
    while (isspace((unsigned char)*end))
        end++;
    *out = v;
    return *end == '\0';
}

static bool number_bounded(const struct conf_field *f, const char *text, bool whole, double *v,
                           struct err *err)
{
    if (!number_parse(text, f->type == CONF_SIZE, v))
        return err_set(err, "'%s' is not a number%s", text,
                       f->type == CONF_SIZE ? " (suffixes K, M, G are allowed)" : "");
    if (whole && *v != floor(*v))
        return err_set(err, "'%s' is not a whole number", text);
    if (*v < f->min || *v > f->max)
        return err_set(err, "%s is out of bounds: from %.15g to %.15g%s%s", text, f->min, f->max,
                       *f->unit ? " " : "", f->unit);
    return true;
}

static bool bool_parse(const char *text, bool *out)
{
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on", "0", "1"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (!strcasecmp(text, words[i])) {
            *out = i & 1;
            return true;
        }
    return false;
}

static bool enum_parse(const struct conf_field *f, const char *text, int *out, struct err *err)
{
    char known[512] = "";
    for (int i = 0; f->choices[i]; i++) {
        if (!strcmp(text, f->choices[i])) {
            *out = i;
            return true;
        }
        size_t len = strlen(known);
        snprintf(known + len, sizeof known - len, "%s%s", i ? ", " : "", f->choices[i]);
    }
    return err_set(err, "'%s' is not one of: %s", text, known);
}

/* "1,3, 4" or "[1, 3, 4]" */
static bool list_parse(const struct conf_field *f, const char *text, struct conf_list *out,
                       struct err *err)
{
    struct conf_list list = {0};
    const char *p = text;
    for (;;) {
        p += strspn(p, " \t[,]");
        if (!*p)
            break;
        size_t len = strcspn(p, " \t[,]");
        char item[32];
        double v;
        if (len >= sizeof item || list.len == CONF_LIST_MAX)
            return err_set(err, "'%s' is not a list of at most %d whole numbers", text,
                           CONF_LIST_MAX);
        memcpy(item, p, len);
        item[len] = '\0';
        if (!number_bounded(f, item, true, &v, err))
            return false;
        list.at[list.len++] = (uint32_t)v;
        p += len;
    }
    *out = list;
    return true;
}

bool conf_field_parse(const struct conf_field *f, void *base, const char *text, struct arena *arena,
                      struct err *err)
{
    void *at = (char *)base + f->offset;
    double v = 0;
    switch (f->type) {
    case CONF_BOOL:
        return bool_parse(text, at) || err_set(err, "'%s' is neither true nor false", text);
    case CONF_INT:
        if (!number_bounded(f, text, true, &v, err))
            return false;
        *(int64_t *)at = (int64_t)v;
        return true;
    case CONF_SIZE:
        if (!number_bounded(f, text, true, &v, err))
            return false;
        *(uint64_t *)at = (uint64_t)v;
        return true;
    case CONF_REAL:
        if (!number_bounded(f, text, false, &v, err))
            return false;
        *(double *)at = v;
        return true;
    case CONF_ENUM:
        return enum_parse(f, text, at, err);
    case CONF_STRING:
        *(const char **)at = arena ? arena_strndup(arena, text, strlen(text)) : text;
        return true;
    case CONF_LIST:
        return list_parse(f, text, at, err);
    }
    panic("field %s has no type", f->name);
}

static void size_format(uint64_t v, char *buf, size_t size)
{
    static const char units[] = " KMG";
    int u = 0;
    while (v && u < 3 && v % 1024 == 0) {
        v /= 1024;
        u++;
    }
    snprintf(buf, size, u ? "%llu%c" : "%llu", (unsigned long long)v, units[u]);
}

static void list_format(const struct conf_list *list, char *buf, size_t size)
{
    size_t len = (size_t)snprintf(buf, size, "[");
    for (uint32_t i = 0; i < list->len && len < size; i++)
        len += (size_t)snprintf(buf + len, size - len, "%s%u", i ? ", " : "", list->at[i]);
    if (len < size)
        snprintf(buf + len, size - len, "]");
}

void conf_field_format(const struct conf_field *f, const void *base, char *buf, size_t size)
{
    const void *at = (const char *)base + f->offset;
    switch (f->type) {
    case CONF_BOOL:
        snprintf(buf, size, "%s", *(const bool *)at ? "true" : "false");
        break;
    case CONF_INT:
        snprintf(buf, size, "%lld", (long long)*(const int64_t *)at);
        break;
    case CONF_SIZE:
        size_format(*(const uint64_t *)at, buf, size);
        break;
    case CONF_REAL:
        snprintf(buf, size, "%.17g", *(const double *)at);
        break;
    case CONF_ENUM:
        snprintf(buf, size, "%s", f->choices[*(const int *)at]);
        break;
    case CONF_STRING:
        snprintf(buf, size, "%s", *(const char *const *)at);
        break;
    case CONF_LIST:
        list_format(at, buf, size);
        break;
    }
}

void conf_defaults(const struct conf_field *fields, size_t n, void *base)
{
    for (size_t i = 0; i < n; i++) {
        struct err err;
        if (!conf_field_parse(&fields[i], base, fields[i].dflt, NULL, &err))
            panic("default of %s: %s", fields[i].name, err.msg);
    }
}
