#include "tech/techs.h"

#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct technique rows[] = {
#define TECH(name, section, codec, variant, bind, help) \
    {name, help, codec, variant, offsetof(struct tech_cfgs, section), bind},
#include "tech/techs.def"
#undef TECH
};

/* The name of a machine without any. */
static const char base_name[] = "base";

struct techs {
    VEC(struct tech_part) parts;
};

void techs_add_conf(struct tech_cfgs *c, struct conf *conf)
{
    conf_add(conf, "hwcomp", hwcomp_fields, hwcomp_nfields, &c->hwcomp);
    conf_add(conf, "e2mc", e2mc_tech_fields, e2mc_tech_nfields, &c->e2mc);
    conf_add(conf, "ccache", ccache_fields, ccache_nfields, &c->ccache);
    conf_add(conf, "assist", assist_fields, assist_nfields, &c->assist);
    conf_add(conf, "caba", caba_fields, caba_nfields, &c->caba);
}

const struct technique *tech_at(size_t i)
{
    return i < ARRAY_LEN(rows) ? &rows[i] : NULL;
}

const struct technique *tech_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (!strcmp(rows[i].name, name))
            return &rows[i];
    return NULL;
}

static bool unknown(const char *name, struct err *err)
{
    char names[4096] = "base";
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), ", %s", rows[i].name);
    return err_set(err, "no technique '%s'; there are: %s", name, names);
}

/* Calls `fn` for every technique named; false as soon as it or a name is wrong. */
static bool each(const char *names, bool (*fn)(void *ctx, const struct technique *t), void *ctx,
                 struct err *err)
{
    char *copy = xstrdup(names), *save = NULL;
    bool ok = true;
    for (char *w = strtok_r(copy, ", ", &save); w && ok; w = strtok_r(NULL, ", ", &save)) {
        const struct technique *t = tech_find(w);
        if (!t && strcmp(w, base_name))
            ok = unknown(w, err);
        else
            ok = !t || fn(ctx, t);
    }
    free(copy);
    return ok;
}

static bool accept(void *ctx, const struct technique *t)
{
    (void)ctx, (void)t;
    return true;
}

bool techs_check(const char *names, const struct tech_cfgs *c, struct err *err)
{
    return each(names, accept, NULL, err) && e2mc_tech_cfg_check(&c->e2mc, err) &&
           ccache_cfg_check(&c->ccache, err) && caba_cfg_check(&c->caba, err);
}

static const char *const seam_names[TECH_SEAMS] = {
    [TECH_STORAGE] = "the form of blocks in DRAM",
    [TECH_L2_PACKETS] = "the bytes of packets that leave the L2",
    [TECH_SM_PACKETS] = "the bytes of packets that leave an SM",
    [TECH_REQUESTS] = "the sectors that misses ask for",
    [TECH_L1_CAPACITY] = "what lines take in the L1",
    [TECH_L2_CAPACITY] = "what lines take in the L2",
    [TECH_FORMS] = "the form of lines in the L2",
    [TECH_CODEC] = "what encodes and decodes beside the L1",
    [TECH_WARPS] = "warps that the program has not",
};

bool tech_claim(struct tech_seams *s, enum tech_seam seam, const char *name, bool wraps,
                struct err *err)
{
    if (s->owner[seam] && !wraps)
        return err_set(err, "%s cannot be combined with %s: both decide %s", name, s->owner[seam],
                       seam_names[seam]);
    s->owner[seam] = name;
    return true;
}

struct binding {
    struct techs *techs;
    const struct tech_cfgs *cfgs;
    const struct tech_machine *m;
    struct tech_seams *seams;
    struct err *err;
};

static bool bind_one(void *ctx, const struct technique *t)
{
    struct binding *b = ctx;
    struct tech_part part = {0};
    if (!t->bind(t, b->m, (const char *)b->cfgs + t->cfg, b->seams, &part, b->err))
        return false;
    vec_push(&b->techs->parts, part);
    return true;
}

static void describe_assist(const void *self, char *buf, size_t size)
{
    const struct aws *s = assist_store(self);
    snprintf(buf, size, "assist: %u routines, %llu bytes of the Assist Warp Store", s->nroutines,
             (unsigned long long)aws_bytes(s));
}

static void free_assist(void *self)
{
    assist_free(self);
}

static bool add_module(void *ctx, const struct technique *t)
{
    char *names = ctx;
    const size_t len = strlen(names), size = sizeof((struct tech_seams *)NULL)->assist_modules;
    if (t->bind == assist_module_bind)
        snprintf(names + len, size - len, "%s%s", len ? "," : "", t->codec);
    return true;
}

/* The user's routines and designs' modules, on a machine whose techniques bring none that they
 * could run beside. */
static bool bind_assist(struct binding *b)
{
    struct tech_seams *s = b->seams;
    if ((!*b->cfgs->assist.files && !*s->assist_modules) || s->assist)
        return true;
    s->assist = assist_new("assist", "", b->m, &b->cfgs->assist, s, b->err);
    if (s->assist)
        vec_push(&b->techs->parts,
                 ((struct tech_part){
                     .self = s->assist, .describe = describe_assist, .free = free_assist}));
    return s->assist != NULL;
}

struct techs *techs_bind(const char *names, const struct tech_cfgs *c, const struct tech_machine *m,
                         struct tech_seams *s, struct err *err)
{
    struct binding b = {xcalloc(1, sizeof *b.techs), c, m, s, err};
    s->assist_cfg = &c->assist;
    if (each(names, add_module, s->assist_modules, err) && each(names, bind_one, &b, err) &&
        bind_assist(&b))
        return b.techs;
    techs_free(b.techs);
    return NULL;
}

void techs_free(struct techs *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->parts.len; i++)
        if (t->parts.data[i].free)
            t->parts.data[i].free(t->parts.data[i].self);
    vec_free(&t->parts);
    free(t);
}

void techs_copied(struct techs *t, addr_t addr, uint64_t bytes)
{
    for (size_t i = 0; i < t->parts.len; i++)
        if (t->parts.data[i].copied)
            t->parts.data[i].copied(t->parts.data[i].self, addr, bytes);
}

void techs_filled(struct techs *t, addr_t addr, uint64_t bytes)
{
    for (size_t i = 0; i < t->parts.len; i++) {
        const struct tech_part *p = &t->parts.data[i];
        if (p->filled)
            p->filled(p->self, addr, bytes);
        else if (p->copied)
            p->copied(p->self, addr, bytes);
    }
}

void techs_look(struct techs *t, const struct tech_look *at)
{
    for (size_t i = 0; i < t->parts.len; i++)
        if (t->parts.data[i].look)
            t->parts.data[i].look(t->parts.data[i].self, at);
}

void techs_launch(struct techs *t, const struct sm_kernel *k)
{
    for (size_t i = 0; i < t->parts.len; i++)
        if (t->parts.data[i].launch)
            t->parts.data[i].launch(t->parts.data[i].self, k);
}

bool techs_finish(struct techs *t, struct err *err)
{
    for (size_t i = 0; i < t->parts.len; i++)
        if (t->parts.data[i].finish && !t->parts.data[i].finish(t->parts.data[i].self, err))
            return false;
    return true;
}

bool techs_describe(const struct techs *t, size_t i, char *buf, size_t size)
{
    if (i >= t->parts.len)
        return false;
    t->parts.data[i].describe(t->parts.data[i].self, buf, size);
    return true;
}
