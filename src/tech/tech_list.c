/* The techniques that a machine can have: those of the tree, and those of plug-ins. */
#include "tech/plugin_check.h"
#include "tech/tech_list_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TECH(name) extern const struct technique name##_technique;
#include "tech/techs.def"
#undef TECH

static const struct technique *const ours[] = {
#define TECH(name) &name##_technique,
#include "tech/techs.def"
#undef TECH
};

/* The name of a machine without any. */
static const char base_name[] = "base";

const struct technique *tech_at(size_t i)
{
    return i < ARRAY_LEN(ours) ? ours[i] : NULL;
}

static const struct tech_design *design_of(const struct technique *t, const char *name)
{
    for (size_t i = 0; i < t->ndesigns; i++)
        if (!strcmp(t->designs[i].name, name))
            return &t->designs[i];
    return NULL;
}

const struct technique *tech_find(const char *name, const struct tech_design **design)
{
    for (size_t i = 0; i < ARRAY_LEN(ours); i++)
        if ((*design = design_of(ours[i], name)))
            return ours[i];
    return NULL;
}

/* --- one more --- */

static bool has_field(const struct tech_entry *e, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(e->fields[i].name, name))
            return true;
    return false;
}

/* Its picojoules as fields of section `energy`, but for those that are there already. */
static void add_energy(struct tech_list *l, struct tech_entry *e)
{
    const struct technique *t = e->t;
    e->pj = xcalloc(t->nenergy, sizeof *e->pj);
    e->fields = xcalloc(t->nenergy, sizeof *e->fields);
    e->texts = xcalloc(t->nenergy, sizeof *e->texts);
    size_t n = 0;
    for (size_t i = 0; i < t->nenergy; i++) {
        const struct energy_row *r = &t->energy[i];
        char key[96], value[64];
        snprintf(key, sizeof key, "energy.%s", r->name);
        if (has_field(e, n, r->name) || conf_get(l->conf, key, value, sizeof value))
            continue;
        e->texts[n] = (struct tech_energy_text){
            xasprintf("%.15g", r->pj), xasprintf("%s: %s; %s", t->name, r->events, r->source)};
        e->fields[n] = (struct conf_field){.name = r->name,
                                           .type = CONF_REAL,
                                           .offset = (uint32_t)(n * sizeof *e->pj),
                                           .dflt = e->texts[n].dflt,
                                           .max = ENERGY_PJ_MAX,
                                           .unit = "pJ",
                                           .help = e->texts[n].help};
        n++;
    }
    if (n)
        conf_add(l->conf, "energy", e->fields, n, e->pj);
}

void tech_list_add(struct tech_list *l, const struct technique *t, void *library)
{
    struct tech_entry e = {.t = t, .library = library};
    add_energy(l, &e);
    if (t->section.name) {
        e.cfg = xcalloc(1, t->section.bytes);
        conf_add(l->conf, t->section.name, t->section.fields, t->section.nfields, e.cfg);
    }
    vec_push(&l->entries, e);
}

struct tech_list *tech_list_new(struct conf *conf)
{
    struct tech_list *l = xcalloc(1, sizeof *l);
    l->conf = conf;
    for (size_t i = 0; i < ARRAY_LEN(ours); i++)
        tech_list_add(l, ours[i], NULL);
    return l;
}

static void free_entry(struct tech_entry *e)
{
    for (size_t i = 0; i < e->t->nenergy; i++) {
        free(e->texts[i].dflt);
        free(e->texts[i].help);
    }
    free(e->texts);
    free(e->fields);
    free(e->pj);
    free(e->cfg);
}

void tech_list_free(struct tech_list *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->entries.len; i++)
        free_entry(&l->entries.data[i]);
    tech_list_unload(l);
    vec_free(&l->entries);
    free(l);
}

/* --- questions --- */

const struct technique *tech_list_at(const struct tech_list *l, size_t i)
{
    return i < l->entries.len ? l->entries.data[i].t : NULL;
}

const struct tech_entry *tech_list_find(const struct tech_list *l, const char *name,
                                        const struct tech_design **design)
{
    for (size_t i = 0; i < l->entries.len; i++)
        if ((*design = design_of(l->entries.data[i].t, name)))
            return &l->entries.data[i];
    return NULL;
}

static bool unknown(const struct tech_list *l, const char *name, struct err *err)
{
    char names[4096];
    snprintf(names, sizeof names, "%s", base_name);
    for (size_t i = 0; i < l->entries.len; i++)
        for (size_t k = 0; k < l->entries.data[i].t->ndesigns; k++)
            snprintf(names + strlen(names), sizeof names - strlen(names), ", %s",
                     l->entries.data[i].t->designs[k].name);
    return err_set(err, "no technique '%s'; there are: %s", name, names);
}

bool tech_list_each(const struct tech_list *l, const char *names,
                    bool (*fn)(void *ctx, const struct tech_entry *e, const struct tech_design *d),
                    void *ctx, struct err *err)
{
    char *copy = xstrdup(names), *save = NULL;
    bool ok = true;
    for (char *w = strtok_r(copy, ", ", &save); w && ok; w = strtok_r(NULL, ", ", &save)) {
        const struct tech_design *d;
        const struct tech_entry *e = tech_list_find(l, w, &d);
        if (!e && strcmp(w, base_name))
            ok = unknown(l, w, err);
        else
            ok = !e || fn(ctx, e, d);
    }
    free(copy);
    return ok;
}

bool tech_has_failed(const struct technique *t, const char *what, struct err *err)
{
    if (!err || !*err->msg)
        return err_set(err, "technique %s: %s, without a reason", t->name, what);
    return strstr(err->msg, t->name) ? false : err_prefix(err, "technique %s", t->name);
}

static bool accept(void *ctx, const struct tech_entry *e, const struct tech_design *d)
{
    (void)ctx, (void)e, (void)d;
    return true;
}

bool tech_list_check(const struct tech_list *l, const char *names, struct err *err)
{
    bool ok = tech_list_each(l, names, accept, NULL, err);
    for (size_t i = 0; ok && i < l->entries.len; i++) {
        const struct technique *t = l->entries.data[i].t;
        err_set(err, "%s", "");
        ok = !t->section.check || t->section.check(&tech_api, l->entries.data[i].cfg, err) ||
             tech_has_failed(t, "its section of the configuration is refused", err);
    }
    return ok;
}
