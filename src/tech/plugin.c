/* Techniques from libraries: --plugin FILE.so. */
#include "tech/plugin_check.h"
#include "tech/tech_list_int.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SYMBOL "parsim_plugin"

void tech_list_unload(struct tech_list *l)
{
    for (size_t i = 0; i < l->entries.len; i++)
        if (l->entries.data[i].library)
            dlclose(l->entries.data[i].library);
}

/* A row of energy may use a field that is there, at its price. */
static bool has_other_price(const struct tech_list *l, const struct energy_row *r, struct err *err)
{
    char key[96];
    snprintf(key, sizeof key, "energy.%s", r->name);
    const struct conf_field *f = conf_row(l->conf, key);
    if (!f)
        return false;
    if (f->type != CONF_REAL || strcmp(f->unit, "pJ"))
        return !err_set(err, "%s is there already, and is no energy of an event", key);
    return strtod(f->dflt, NULL) != r->pj &&
           !err_set(err, "%s is there already, with %s pJ, and not %g", key, f->dflt, r->pj);
}

static bool is_taken(const struct tech_list *l, const struct technique *t, const char *file,
                     struct err *err)
{
    const struct tech_design *d;
    for (size_t i = 0; i < l->entries.len; i++)
        if (!strcmp(l->entries.data[i].t->name, t->name))
            return !err_set(err, "%s: there is a technique '%s' already", file, t->name);
    for (size_t i = 0; i < t->ndesigns; i++)
        if (tech_list_find(l, t->designs[i].name, &d) || !strcmp(t->designs[i].name, "base"))
            return !err_set(err, "%s: there is a design '%s' already", file, t->designs[i].name);
    for (size_t i = 0; i < t->nenergy; i++)
        if (has_other_price(l, &t->energy[i], err))
            return !err_prefix(err, "%s", file);
    const char *names[] = {t->section.name, t->name}; /* statistics have the technique's */
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (names[i] && conf_has_section(l->conf, names[i]))
            return !err_set(err, "%s: there is a section '%s' of the configuration already", file,
                            names[i]);
    return false;
}

/* The technique in the library, or NULL. */
static const struct technique *technique_in(const struct tech_list *l, void *library,
                                            const char *file, struct err *err)
{
    const struct tech_plugin *p = dlsym(library, SYMBOL);
    if (!p) {
        err_set(err, "%s: no plug-in: there is no symbol '" SYMBOL "' in it (parsim/tech.h)", file);
        return NULL;
    }
    if (p->version != PARSIM_TECH_VERSION) {
        err_set(err, "%s: built for version %u of parsim/tech.h, and this is version %d", file,
                p->version, PARSIM_TECH_VERSION);
        return NULL;
    }
    if (!plugin_check(p->technique, err)) {
        err_prefix(err, "%s", file);
        return NULL;
    }
    return is_taken(l, p->technique, file, err) ? NULL : p->technique;
}

static bool is_loaded(const struct tech_list *l, const void *library)
{
    for (size_t i = 0; i < l->entries.len; i++)
        if (l->entries.data[i].library == library)
            return true;
    return false;
}

static bool load(struct tech_list *l, const char *file, struct err *err)
{
    char path[PATH_MAX];
    if (!realpath(file, path))
        return err_set(err, "%s: there is no such plug-in", file);
    struct stat is;
    if (stat(path, &is) || !S_ISREG(is.st_mode))
        return err_set(err, "%s: a plug-in is a shared library, this is no file", file);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return err_set(err, "%s: cannot be loaded: %s", file, dlerror());
    if (is_loaded(l, library)) {
        dlclose(library);
        return true;
    }
    const struct technique *t = technique_in(l, library, file, err);
    if (t)
        tech_list_add(l, t, library);
    else
        dlclose(library);
    return t;
}

/* --- what is loaded and not used --- */

struct idle {
    const struct technique *t;
    bool is_used;
};

static bool note_used(void *ctx, const struct tech_entry *e, const struct tech_design *d)
{
    struct idle *i = ctx;
    (void)d;
    i->is_used |= e->t == i->t;
    return true;
}

bool tech_list_idle(const struct tech_list *l, const char *names, char *buf, size_t size)
{
    size_t n = 0;
    *buf = 0;
    for (size_t i = 0; i < l->entries.len; i++) {
        struct idle idle = {l->entries.data[i].t, !l->entries.data[i].library};
        struct err err;
        tech_list_each(l, names, note_used, &idle, &err);
        for (size_t k = 0; !idle.is_used && k < idle.t->ndesigns && n < size; k++)
            n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? " or " : "",
                                  idle.t->designs[k].name);
    }
    return n;
}

bool tech_list_load(struct tech_list *l, const char *files, struct err *err)
{
    char *copy = xstrdup(files), *save = NULL;
    bool ok = true;
    for (char *w = strtok_r(copy, ",", &save); w && ok; w = strtok_r(NULL, ",", &save))
        ok = load(l, w, err);
    free(copy);
    return ok;
}
