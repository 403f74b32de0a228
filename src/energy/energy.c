/* Sums of counters, as the rows say, times picojoules; and their text for documents. */
#include "energy/energy.h"

#include "base/near.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What formulas of events may use: F(...). */
struct energy_facts {
    double sm_busy_ns;
    double flit_hops_32, noc_link_mm; /* hops of 32 bytes */
    double l2_sectors, dram_sectors;  /* of 32 bytes */
    double dram_access_bytes, dram_row_bytes, dram_channel_ns, bandwidth_scale;
};

static double get(const struct stats *st, const char *key)
{
    double v = 0;
    stats_get(st, key, &v);
    return v;
}

static double flits_over_routers(const struct stats *st)
{
    return get(st, "noc.hops") + get(st, "noc_request.hops") + get(st, "noc_reply.hops");
}

static struct energy_facts facts_of(const struct energy_cfg *cfg, const struct energy_machine *m,
                                    const struct stats *st, double seconds)
{
    return (struct energy_facts){
        .sm_busy_ns = get(st, "sm.busy_cycles") / m->core_hz * 1e9,
        .flit_hops_32 = flits_over_routers(st) * m->flit_bytes / 32,
        .noc_link_mm = cfg->noc_link_mm,
        .l2_sectors = (get(st, "l2.data_busy") + get(st, "l2.fill_busy")) * m->l2_port_bytes / 32,
        .dram_sectors = (get(st, "dram.rd") + get(st, "dram.wr")) * m->dram_access_bytes / 32,
        .dram_access_bytes = m->dram_access_bytes,
        .dram_row_bytes = m->dram_row_bytes,
        .dram_channel_ns = m->channels * seconds * 1e9,
        .bandwidth_scale = m->bandwidth_scale};
}

/* --- rows of techniques --- */

/* A term of a sum of counters. */
struct term {
    double weight;      /* 1 or -1, or a part of it: "group.name / 16" */
    char key[96];       /* the counter */
    bool may_be_absent; /* its group: "group.name?" */
};

static const char *skip_blanks(const char *p)
{
    while (isspace((unsigned char)*p))
        p++;
    return p;
}

/* A sign (before the first it may be left out) and "group.name", perhaps with a '?', perhaps with
 * "/ NUMBER" behind it. False: there is
 * none; *text is then at its end, or where it is wrong. */
static bool next_term(const char **text, bool is_first, struct term *t)
{
    const char *p = skip_blanks(*text), *dot;
    size_t n = 0;
    *text = p;
    if (*p != '+' && *p != '-' && !is_first)
        return false;
    t->weight = *p == '-' ? -1 : 1;
    p = skip_blanks(p + (*p == '+' || *p == '-'));
    for (; isalnum((unsigned char)*p) || *p == '_' || *p == '.'; p++)
        if (n + 1 < sizeof t->key)
            t->key[n++] = *p;
    t->key[n] = 0;
    t->may_be_absent = *p == '?';
    dot = strchr(t->key, '.');
    if (!dot || dot == t->key || !dot[1])
        return false;
    p = skip_blanks(p + t->may_be_absent);
    if (*p == '/') {
        char *end;
        const double per = strtod(p + 1, &end);
        if (!(per > 0) || !isfinite(per))
            return false;
        t->weight /= per;
        p = skip_blanks(end);
    }
    *text = p;
    return true;
}

static bool is_sum(const char *events)
{
    struct term t;
    bool is_one = false;
    while (next_term(&events, !is_one, &t))
        is_one = true;
    return is_one && !*events;
}

double energy_events(const struct stats *st, const char *events)
{
    struct term t;
    double sum = 0;
    for (bool is_first = true; next_term(&events, is_first, &t); is_first = false)
        sum += t.weight * get(st, t.key);
    return sum;
}

/* --- whether there are such counters --- */

struct search {
    const struct term *t;
    bool has_group, is_counter;
};

static void compare(void *ctx, const struct stat_value *v)
{
    struct search *s = ctx;
    const size_t len = strlen(v->group);
    if (strncmp(s->t->key, v->group, len) || s->t->key[len] != '.')
        return;
    s->has_group = true;
    s->is_counter |= v->row->kind == STAT_COUNTER && !strcmp(s->t->key + len + 1, v->row->name);
}

static void try_near(void *ctx, const struct stat_value *v)
{
    char key[96];
    snprintf(key, sizeof key, "%s.%s", v->group, v->row->name);
    if (v->row->kind == STAT_COUNTER)
        near_try(ctx, key);
}

static bool no_counter(const struct energy_row *r, const char *key, const struct stats *st,
                       struct err *err)
{
    char buf[96];
    struct near n;
    near_begin(&n, key, buf, sizeof buf);
    stats_each(st, false, try_near, &n);
    const char *known = near_found(&n);
    return err_set(err, "energy.%s: this machine has no counter '%s'%s%s%s", r->name, key,
                   known ? "; did you mean '" : "", known ? known : "", known ? "'?" : "");
}

bool energy_check_row(const struct energy_row *r, const struct stats *st, struct err *err)
{
    const char *events = r->events;
    struct term t;
    for (bool is_first = true; next_term(&events, is_first, &t); is_first = false) {
        struct search s = {.t = &t};
        stats_each(st, false, compare, &s);
        if (!s.is_counter && (s.has_group || !t.may_be_absent))
            return no_counter(r, t.key, st, err);
    }
    return true;
}

static size_t component_of(const struct energy_table *t, const char *name)
{
    size_t i = 0;
    while (i < t->n && strcmp(t->names[i], name))
        i++;
    return i;
}

/* --- as statistics --- */

static double total_pj(const void *p)
{
    const struct energy_stats *s = p;
    double sum = 0;
    for (unsigned i = 0; i < ENERGY_MOST; i++)
        sum += (double)s->pj[i];
    return sum;
}

static void add_component(struct energy_table *t, const char *name, const char *help)
{
    const size_t i = t->n++;
    t->names[i] = name;
    t->help[i] = help;
    t->stats[i + 1] = (struct stat_row){"total", STAT_FORMULA,     sizeof(struct energy_stats),
                                        "pJ",    "all components", total_pj};
    t->stats[i] =
        (struct stat_row){name, STAT_COUNTER, (uint32_t)(i * sizeof(uint64_t)), "pJ", help, NULL};
}

void energy_table_init(struct energy_table *t)
{
    t->n = 0;
#define COMPONENT(name, help) add_component(t, #name, help);
#include "energy/energy.def"
}

bool energy_table_add(struct energy_table *t, const struct energy_row *rows, size_t n,
                      struct err *err)
{
    for (size_t i = 0; i < n; i++) {
        const struct energy_row *r = &rows[i];
        if (!is_sum(r->events))
            return err_set(err,
                           "energy.%s: '%s' is no sum of counters (group.name + group.name / 16)",
                           r->name, r->events);
        if (component_of(t, r->component) < t->n)
            continue;
        if (!r->component_help)
            return err_set(err, "energy.%s: nobody says what component '%s' is", r->name,
                           r->component);
        if (t->n == ENERGY_MOST)
            return err_set(err, "energy.%s: more than %d components", r->name, ENERGY_MOST);
        add_component(t, r->component, r->component_help);
    }
    return true;
}

/* --- counting --- */

static void count_rows(const struct energy_cfg *cfg, const struct energy_facts *facts,
                       const struct stats *st, double *pj)
{
#define F(fact)           facts->fact
#define K(group, counter) get(st, #group "." #counter)
#define CHIP(component, name, unused, events, source) \
    pj[ENERGY_##component] += cfg->scale * cfg->name * (events);
#define BOARD(component, name, unused, events, source) \
    pj[ENERGY_##component] += cfg->name * (events);
#include "energy/energy.def"
#undef F
#undef K
}

void energy_count(const struct energy_model *e, const struct stats *st, double cycles,
                  struct energy_stats *out)
{
    const double seconds = cycles / e->machine.core_hz;
    const struct energy_facts f = facts_of(e->cfg, &e->machine, st, seconds);
    double pj[ENERGY_MOST] = {0};
    pj[ENERGY_leakage] = e->cfg->static_w * seconds * 1e12;
    count_rows(e->cfg, &f, st, pj);
    for (size_t i = 0; i < e->nextras; i++) {
        const struct energy_extra *x = &e->extras[i];
        pj[component_of(e->table, x->row->component)] +=
            e->cfg->scale * x->pj * energy_events(st, x->row->events);
    }
    for (unsigned i = 0; i < ENERGY_MOST; i++)
        out->pj[i] = pj[i] > 0 ? (uint64_t)(pj[i] + 0.5) : 0;
}

void energy_summarize(const struct energy_table *t, const struct stats *st, double seconds,
                      struct energy_summary *out)
{
    *out = (struct energy_summary){.table = t};
    for (size_t i = 0; i < t->n; i++) {
        char key[64];
        snprintf(key, sizeof key, "energy.%s", t->names[i]);
        out->joules[i] = get(st, key) * 1e-12;
        out->total_j += out->joules[i];
    }
    out->average_w = stat_ratio(out->total_j, seconds);
    out->edp_js = out->total_j * seconds;
}
