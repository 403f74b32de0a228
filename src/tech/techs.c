/* The techniques of one machine: bound in order, told what happens, asked what they have done. */
#include "exec/device.h"
#include "tech/tech_list_int.h"

#include <stdlib.h>

struct bound {
    const struct technique *t;
    const char *name; /* the design's; of a technique that serves others its own */
    struct tech_part part;
};

struct techs {
    const struct tech_list *list;
    void **states; /* by the list's entries: what open() has returned */
    VEC(struct bound) parts;
};

struct binding {
    struct techs *techs;
    const struct tech_machine *m;
    struct tech_seams *seams;
    struct err *err;
};

static struct tech_site site(const struct binding *b, const struct tech_entry *e,
                             const struct tech_design *d)
{
    const size_t i = (size_t)(e - b->techs->list->entries.data);
    b->seams->binding = e->t;
    return (struct tech_site){&tech_api, b->m, b->seams, d, e->cfg, b->techs->states[i]};
}

void *tech_state(const struct tech_seams *s, const struct technique *t)
{
    const struct tech_list *l = s->techs->list;
    for (size_t i = 0; i < l->entries.len; i++)
        if (l->entries.data[i].t == t)
            return s->techs->states[i];
    return NULL;
}

/* --- binding --- */

static void open_all(struct binding *b)
{
    const struct tech_list *l = b->techs->list;
    b->techs->states = xcalloc(l->entries.len, sizeof *b->techs->states);
    for (size_t i = 0; i < l->entries.len; i++)
        if (l->entries.data[i].t->open) {
            const struct tech_site at = site(b, &l->entries.data[i], NULL);
            b->techs->states[i] = l->entries.data[i].t->open(&at);
        }
}

static bool announce_one(void *ctx, const struct tech_entry *e, const struct tech_design *d)
{
    const struct tech_site at = site(ctx, e, d);
    if (e->t->announce)
        e->t->announce(&at);
    return true;
}

/* What it has left at seams and in the statistics. */
static bool is_well_bound(const struct binding *b, const struct technique *t, const char *design)
{
    if (b->seams->stats_refused)
        return err_set(b->err, "technique %s: %s", t->name, b->seams->stats_refused);
    return tech_seams_check(b->seams, design, b->err) ||
           err_prefix(b->err, "technique %s", t->name);
}

static bool bind_one(void *ctx, const struct tech_entry *e, const struct tech_design *d)
{
    const struct binding *b = ctx;
    const struct tech_site at = site(b, e, d);
    struct bound one = {.t = e->t, .name = d->name};
    err_set(b->err, "%s", "");
    if (!e->t->bind(&at, &one.part, b->err))
        return tech_has_failed(e->t, "it could not be bound", b->err);
    vec_push(&b->techs->parts, one);
    return is_well_bound(b, e->t, d->name);
}

static bool settle_all(const struct binding *b)
{
    const struct tech_list *l = b->techs->list;
    for (size_t i = 0; i < l->entries.len; i++) {
        struct bound one = {.t = l->entries.data[i].t, .name = l->entries.data[i].t->name};
        const struct tech_site at = site(b, &l->entries.data[i], NULL);
        err_set(b->err, "%s", "");
        if (one.t->settle && !one.t->settle(&at, &one.part, b->err))
            return tech_has_failed(one.t, "it could not settle", b->err);
        if (one.part.self)
            vec_push(&b->techs->parts, one);
        if (one.t->settle && !is_well_bound(b, one.t, one.t->name))
            return false;
    }
    return true;
}

struct techs *techs_bind(const char *names, const struct tech_list *l, const struct tech_machine *m,
                         struct tech_seams *s, struct err *err)
{
    struct binding b = {xcalloc(1, sizeof *b.techs), m, s, err};
    b.techs->list = l;
    s->techs = b.techs;
    open_all(&b);
    if (tech_list_each(l, names, announce_one, &b, err) &&
        tech_list_each(l, names, bind_one, &b, err) && settle_all(&b))
        return b.techs;
    techs_free(b.techs);
    return NULL;
}

void techs_free(struct techs *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->parts.len; i++)
        if (t->parts.data[i].part.free)
            t->parts.data[i].part.free(t->parts.data[i].part.self);
    for (size_t i = 0; i < t->list->entries.len; i++)
        if (t->states[i])
            t->list->entries.data[i].t->close(t->states[i]);
    vec_free(&t->parts);
    free(t->states);
    free(t);
}

/* --- use --- */

const struct tech_part *techs_part(const struct techs *t, size_t i)
{
    return i < t->parts.len ? &t->parts.data[i].part : NULL;
}

const struct technique *techs_technique(const struct techs *t, size_t i)
{
    return t->parts.data[i].t;
}

const char *techs_change_values(const struct techs *t)
{
    for (size_t i = 0; i < t->parts.len; i++)
        if (t->parts.data[i].part.changes_values)
            return t->parts.data[i].name;
    return NULL;
}

void techs_copied(struct techs *t, addr_t addr, uint64_t bytes)
{
    for (size_t i = 0; i < t->parts.len; i++) {
        const struct tech_part *p = &t->parts.data[i].part;
        if (p->copied)
            p->copied(p->self, addr, bytes);
    }
}

void techs_filled(struct techs *t, addr_t addr, uint64_t bytes)
{
    for (size_t i = 0; i < t->parts.len; i++) {
        const struct tech_part *p = &t->parts.data[i].part;
        if (p->filled)
            p->filled(p->self, addr, bytes);
        else if (p->copied)
            p->copied(p->self, addr, bytes);
    }
}

void techs_look(struct techs *t, const struct tech_look *at)
{
    for (size_t i = 0; i < t->parts.len; i++) {
        const struct tech_part *p = &t->parts.data[i].part;
        if (p->look)
            p->look(p->self, at);
    }
}

bool techs_launch(struct techs *t, const struct sm_kernel *k, struct err *err)
{
    for (size_t i = 0; i < t->parts.len; i++) {
        const struct tech_part *p = &t->parts.data[i].part;
        struct err why = {0};
        if (p->launch && !p->launch(p->self, k, &why)) {
            tech_has_failed(t->parts.data[i].t, "it refuses the kernel", &why);
            return err_set_code(err, FAULT_LAUNCH_FAILED, "%s", why.msg);
        }
    }
    return true;
}

bool techs_finish(struct techs *t, struct err *err)
{
    for (size_t i = 0; i < t->parts.len; i++) {
        const struct tech_part *p = &t->parts.data[i].part;
        err_set(err, "%s", "");
        if (p->finish && !p->finish(p->self, err))
            return tech_has_failed(t->parts.data[i].t, "its files could not be written", err);
    }
    return true;
}
