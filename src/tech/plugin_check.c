/* Whether what a plug-in says of itself can be taken: every table is looked at before anything is
 * added, so that a mistake is an error of the plug-in and not one of the simulator. */
#include "tech/plugin_check.h"

#include "conf/conf.h"

#include <math.h>
#include <string.h>

static bool no_word(const char *what, struct err *err)
{
    return err_set(err, "%s has no name of letters, digits, '_' and '-'", what);
}

static bool check_designs(const struct technique *t, struct err *err)
{
    if (!t->designs || !t->ndesigns)
        return err_set(err, "the plug-in has no design");
    for (size_t i = 0; i < t->ndesigns; i++) {
        const struct tech_design *d = &t->designs[i];
        if (!conf_is_word(d->name))
            return no_word("a design", err);
        if (!conf_is_text(d->help) || !conf_is_text(d->codec))
            return err_set(err,
                           "design '%s' lacks a help text of one line or a codec (\"\" for none)",
                           d->name);
        for (size_t k = 0; k < i; k++)
            if (!strcmp(t->designs[k].name, d->name))
                return err_set(err, "design '%s' is there twice", d->name);
    }
    return true;
}

static bool check_section(const struct tech_section *s, struct err *err)
{
    if (!s->name)
        return !s->nfields || err_set(err, "its section of the configuration has no name");
    return conf_is_word(s->name) ? conf_check_fields(s->fields, s->nfields, s->bytes, err) ||
                                       err_prefix(err, "section '%s'", s->name)
                                 : no_word("its section of the configuration", err);
}

static bool check_energy(const struct technique *t, struct err *err)
{
    if (t->nenergy && !t->energy)
        return err_set(err, "%zu rows of energy, and none of them there", t->nenergy);
    for (size_t i = 0; i < t->nenergy; i++) {
        const struct energy_row *r = &t->energy[i];
        if (!conf_is_word(r->name) || !conf_is_word(r->component))
            return no_word("a row of energy, or its component,", err);
        if (!conf_is_text(r->events) || !conf_is_text(r->source) ||
            (r->component_help && !conf_is_text(r->component_help)))
            return err_set(err, "energy.%s lacks events or a source, of one line each", r->name);
        if (!isfinite(r->pj) || r->pj < 0 || r->pj > ENERGY_PJ_MAX)
            return err_set(err, "energy.%s: %g is out of bounds: from 0 to %g pJ", r->name, r->pj,
                           ENERGY_PJ_MAX);
        for (size_t k = 0; k < i; k++)
            if (!strcmp(t->energy[k].name, r->name) && t->energy[k].pj != r->pj)
                return err_set(err, "energy.%s is there twice, with %g and with %g pJ", r->name,
                               t->energy[k].pj, r->pj);
    }
    return true;
}

bool plugin_check(const struct technique *t, struct err *err)
{
    if (!t)
        return err_set(err, "the plug-in has no technique");
    if (!conf_is_word(t->name))
        return no_word("the technique", err);
    if (!t->bind)
        return err_set(err, "the plug-in has no bind()");
    if ((t->open != NULL) != (t->close != NULL))
        return err_set(err, "the plug-in has one of open() and close(), and not the other");
    if (t->noptions)
        return err_set(err, "a plug-in cannot have options of the command line");
    return check_designs(t, err) && check_section(&t->section, err) && check_energy(t, err);
}
