/* The tree of sections: lookup, override, dump. */
#include "conf/conf_int.h"

#include "base/near.h"

#include <string.h>

enum { VALUE_MAX = 4096 };

struct conf *conf_new(void)
{
    return xcalloc(1, sizeof(struct conf));
}

void conf_free(struct conf *c)
{
    if (!c)
        return;
    vec_free(&c->sections);
    arena_free(&c->arena);
    free(c);
}

/* Behind the last section of that name, else at the end. */
static size_t place_for(const struct conf *c, const char *name)
{
    size_t at = c->sections.len;
    for (size_t i = 0; i < c->sections.len; i++)
        if (!strcmp(c->sections.data[i].name, name))
            at = i + 1;
    return at;
}

void conf_add(struct conf *c, const char *name, const struct conf_field *fields, size_t n,
              void *base)
{
    struct conf_section s = {arena_strndup(&c->arena, name, strlen(name)), fields, n, base,
                             arena_array(&c->arena, const char *, n)};
    for (size_t i = 0; i < n; i++)
        s.sources[i] = "default";
    conf_defaults(fields, n, base);
    const size_t at = place_for(c, name);
    vec_push(&c->sections, s);
    for (size_t i = c->sections.len - 1; i > at; i--)
        c->sections.data[i] = c->sections.data[i - 1];
    c->sections.data[at] = s;
}

bool conf_has_section(const struct conf *c, const char *name)
{
    for (size_t i = 0; i < c->sections.len; i++)
        if (!strcmp(c->sections.data[i].name, name))
            return true;
    return false;
}

void conf_watch(struct conf *c, const char *key, conf_watch_fn fn, void *ctx)
{
    c->watched = key;
    c->watch = fn;
    c->watch_ctx = ctx;
}

const struct conf_field *conf_find(const struct conf *c, const char *key, size_t *section)
{
    for (size_t i = 0; i < c->sections.len; i++) {
        const struct conf_section *s = &c->sections.data[i];
        size_t len = strlen(s->name);
        if (strncmp(key, s->name, len) || key[len] != '.')
            continue;
        for (size_t k = 0; k < s->nfields; k++)
            if (!strcmp(key + len + 1, s->fields[k].name)) {
                *section = i;
                return &s->fields[k];
            }
    }
    return NULL;
}

const struct conf_field *conf_row(const struct conf *c, const char *key)
{
    size_t section;
    return conf_find(c, key, &section);
}

const char *conf_nearest(const struct conf *c, const char *key, char *buf, size_t size)
{
    struct near n;
    char full[128];
    near_begin(&n, key, buf, size);
    for (size_t i = 0; i < c->sections.len; i++)
        for (size_t k = 0; k < c->sections.data[i].nfields; k++) {
            snprintf(full, sizeof full, "%s.%s", c->sections.data[i].name,
                     c->sections.data[i].fields[k].name);
            near_try(&n, full);
        }
    return near_found(&n);
}

bool conf_set_key(struct conf *c, const char *key, const char *value, const char *where,
                  struct err *err)
{
    size_t si = 0;
    const struct conf_field *f = conf_find(c, key, &si);
    if (!f) {
        char near[128];
        if (conf_nearest(c, key, near, sizeof near))
            return err_set(err, "%s: unknown key '%s'; did you mean '%s'?", where, key, near);
        return err_set(err, "%s: unknown key '%s'", where, key);
    }
    struct conf_section *s = &c->sections.data[si];
    if (!conf_field_parse(f, s->base, value, &c->arena, err))
        return err_prefix(err, "%s: %s", where, key);
    s->sources[f - s->fields] = arena_strndup(&c->arena, where, strlen(where));
    return !c->watched || strcmp(key, c->watched) || c->watch(c->watch_ctx, err) ||
           err_prefix(err, "%s: %s", where, key);
}

bool conf_set(struct conf *c, const char *assignment, struct err *err)
{
    const char *eq = strchr(assignment, '=');
    char key[128];
    if (!eq || eq == assignment || (size_t)(eq - assignment) >= sizeof key)
        return err_set(err, "--set %s: expected section.field=value", assignment);
    memcpy(key, assignment, (size_t)(eq - assignment));
    key[eq - assignment] = '\0';
    return conf_set_key(c, key, eq + 1, "--set", err);
}

bool conf_get(const struct conf *c, const char *key, char *buf, size_t size)
{
    size_t si;
    const struct conf_field *f = conf_find(c, key, &si);
    if (f)
        conf_field_format(f, c->sections.data[si].base, buf, size);
    return f;
}

const char *conf_source(const struct conf *c, const char *key)
{
    size_t si;
    const struct conf_field *f = conf_find(c, key, &si);
    return f ? c->sections.data[si].sources[f - c->sections.data[si].fields] : NULL;
}

/* A string as it is, of any length; others are written into `buf`. */
static const char *value_text(const struct conf_section *s, const struct conf_field *f, char *buf,
                              size_t size)
{
    if (f->type == CONF_STRING)
        return *(const char *const *)(const void *)((const char *)s->base + f->offset);
    conf_field_format(f, s->base, buf, size);
    return buf;
}

void conf_each(const struct conf *c,
               void (*fn)(void *ctx, const char *section, const struct conf_field *f,
                          const char *value),
               void *ctx)
{
    char value[VALUE_MAX];
    for (size_t i = 0; i < c->sections.len; i++) {
        const struct conf_section *s = &c->sections.data[i];
        for (size_t k = 0; k < s->nfields; k++) {
            const struct conf_field *f = &s->fields[k];
            fn(ctx, s->name, f, value_text(s, f, value, sizeof value));
        }
    }
}

static bool is_plain(char c)
{
    return c >= ' ' && c <= '~';
}

/* A quote within quotes is doubled. Text that YAML would fold or refuse (line breaks, bytes that
 * are no UTF-8) is written byte by byte, with a tag for the reader. */
static void string_write(FILE *out, const char *value)
{
    const char *p = value;
    while (is_plain(*p))
        p++;
    const bool is_bytes = *p;
    fputs(is_bytes ? CONF_BYTES_TAG " \"" : "'", out);
    for (p = value; *p; p++)
        if (!is_plain(*p) || (is_bytes && (*p == '"' || *p == '\\')))
            fprintf(out, "\\x%02X", (unsigned char)*p);
        else
            fprintf(out, *p == '\'' && !is_bytes ? "''" : "%c", *p);
    fputc(is_bytes ? '"' : '\'', out);
}

static void comment_write(FILE *out, const struct conf_field *f, const char *source)
{
    fprintf(out, "  # %s%s%s [", f->help, *f->unit ? ", " : "", f->unit);
    for (; *source; source++)
        fputc(is_plain(*source) ? *source : '?', out);
    fputc(']', out);
}

/* A section "sm.sched" is written as one flat key: the reader takes dotted keys. */
void conf_dump(const struct conf *c, FILE *out, bool comments)
{
    char value[VALUE_MAX];
    for (size_t i = 0; i < c->sections.len; i++) {
        const struct conf_section *s = &c->sections.data[i];
        if (!i || strcmp(s[-1].name, s->name))
            fprintf(out, "%s:\n", s->name);
        for (size_t k = 0; k < s->nfields; k++) {
            const struct conf_field *f = &s->fields[k];
            const char *text = value_text(s, f, value, sizeof value);
            fprintf(out, "  %s: ", f->name);
            if (f->type == CONF_STRING)
                string_write(out, text);
            else
                fputs(text, out);
            if (comments)
                comment_write(out, f, s->sources[k]);
            fputc('\n', out);
        }
    }
}

void conf_write_docs(const struct conf *c, FILE *out)
{
    fprintf(out, "| key | default | bounds | unit | meaning |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < c->sections.len; i++) {
        const struct conf_section *s = &c->sections.data[i];
        for (size_t k = 0; k < s->nfields; k++) {
            const struct conf_field *f = &s->fields[k];
            fprintf(out, "| %s.%s | %s | ", s->name, f->name, f->dflt);
            if (f->type == CONF_ENUM)
                for (int e = 0; f->choices[e]; e++)
                    fprintf(out, "%s%s", e ? ", " : "", f->choices[e]);
            else if (f->type != CONF_BOOL && f->type != CONF_STRING)
                fprintf(out, "%.15g to %.15g", f->min, f->max);
            fprintf(out, " | %s | %s |\n", f->unit, f->help);
        }
    }
}
