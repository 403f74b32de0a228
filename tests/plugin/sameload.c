/* A technique outside the tree in an SM's pipeline: counts loads from global memory that bring all
 * lanes the same value, writes their registers `sameload.write` cycles later, puts a move before
 * every store (`sameload.moves`), adds `sameload.add` to what they bring, and lets the youngest
 * warp go first (`sameload.youngest`). Wraps what is bound. Built from include/parsim
 * alone. */
#include <parsim/tech.h>

#include <stdlib.h>

struct sameload_cfg {
    int64_t write, add;
    bool moves, youngest;
};

static const struct conf_field fields[] = {
    CONF_FIELD(sameload_cfg, INT, write, "0", 0, 100, "cycles", "that such a load is written later")
        CONF_FIELD(sameload_cfg, INT, add, "0", 0, 100, "", "to what loads bring")
            CONF_FIELD(sameload_cfg, BOOL, moves, "false", 0, 0, "", "a move before every store")
                CONF_FIELD(sameload_cfg, BOOL, youngest, "false", 0, 0, "",
                           "the youngest warp goes first")};

struct sameload_stats {
    uint64_t loads, same, warps, moves;
};

static const struct stat_row rows[] = {
    STAT_ROW_COUNTER(sameload_stats, loads, "warp instructions", "that were looked at")
        STAT_ROW_COUNTER(sameload_stats, same, "warp instructions", "of those: one value")
            STAT_ROW_COUNTER(sameload_stats, warps, "warps", "that have begun")
                STAT_ROW_COUNTER(sameload_stats, moves, "warp instructions", "put before stores")};

enum { SLOTS = 64 };

/* One seam of an SM: what was bound there first, as parsim/wrap.h wants it. */
struct shared {
    const struct tech_api *api;
    const struct sameload_cfg *cfg;
    struct sameload_stats stats;
    bool has_moved[SLOTS]; /* by warp: the move before its next store was issued */
};
struct registers {
    struct rf_policy inner;
    struct shared *s;
};
struct issue {
    struct issue_policy inner;
    struct shared *s;
};
struct values {
    struct value_policy inner;
    struct shared *s;
};
struct scheds {
    struct sched_policy inner;
    struct shared *s;
};

struct sameload {
    struct shared s;
    struct registers registers;
    struct issue issue;
    struct values values;
    struct scheds scheds;
};

static bool is_same(const uint64_t *values, uint32_t mask)
{
    const uint64_t first = mask ? values[__builtin_ctz(mask)] : 0;
    for (unsigned l = 0; l < 32; l++)
        if ((mask >> l & 1) && values[l] != first)
            return false;
    return mask != 0;
}

static void cost(void *self, const struct rf_event *e, struct rf_cost *sum)
{
    struct registers *r = self;
    const struct tech_inst i = r->s->api->inst(e->d);
    uint64_t values[32];
    r->inner.cost(r->inner.self, e, sum);
    if (e->is_extra || !i.is_load || i.space != SPACE_GLOBAL)
        return;
    r->s->api->read(e->w, e->d, 0, values);
    r->s->stats.loads++;
    if (!is_same(values, e->mask))
        return;
    r->s->stats.same++;
    sum->write = (uint16_t)(sum->write + r->s->cfg->write);
}

static void start(void *self, unsigned slot, const struct warp *w, uint32_t registers)
{
    struct registers *r = self;
    r->inner.start(r->inner.self, slot, w, registers);
    r->s->stats.warps++;
    r->s->has_moved[slot] = false;
}

static const struct dinst *precede(void *self, struct sm *sm, unsigned slot, struct warp *w,
                                   const struct dinst *d)
{
    struct issue *i = self;
    if (i->s->cfg->moves && i->s->api->inst(d).is_store && !i->s->has_moved[slot])
        return i->s->api->move(sm, d, 0, self);
    return i->inner.precede(i->inner.self, sm, slot, w, d);
}

static uint32_t initiation(void *self, const struct rf_event *e, uint32_t cycles)
{
    struct issue *i = self;
    const struct tech_inst inst = i->s->api->inst(e->d);
    if (inst.by == self) {
        i->s->has_moved[e->slot] = true;
        i->s->stats.moves++;
    } else if (inst.is_store && !e->is_extra) {
        i->s->has_moved[e->slot] = false;
    }
    return i->inner.initiation(i->inner.self, e, cycles);
}

static void loaded(void *self, struct sm *sm, unsigned slot, struct warp *w, const struct dinst *d,
                   uint32_t mask)
{
    struct values *v = self;
    uint64_t values[32];
    v->inner.loaded(v->inner.self, sm, slot, w, d, mask);
    if (!v->s->cfg->add || v->s->api->inst(d).space != SPACE_GLOBAL)
        return;
    v->s->api->read(w, d, 0, values);
    for (unsigned l = 0; l < 32; l++)
        values[l] += (uint64_t)v->s->cfg->add;
    v->s->api->write(w, d, 0, mask, values);
}

static int pick(void *self, struct sm *sm, unsigned sched, uint64_t can)
{
    struct scheds *p = self;
    int best = -1;
    uint64_t age = 0;
    if (!p->s->cfg->youngest)
        return p->inner.pick(p->inner.self, sm, sched, can);
    for (uint64_t m = can; m; m &= m - 1) {
        const int slot = __builtin_ctzll(m);
        const struct tech_warp w = p->s->api->warp(sm, (unsigned)slot);
        if (best < 0 || w.age > age) {
            best = slot;
            age = w.age;
        }
    }
    return best;
}

struct all {
    struct sameload *sms;
};

static void sameload_free(void *self)
{
    struct all *a = self;
    free(a->sms);
    free(a);
}

/* The four seams of one SM. */
struct bound {
    struct rf_policy *registers;
    struct issue_policy *issue;
    struct value_policy *values;
    struct sched_policy *schedulers;
};

static void wrap(struct sameload *m, const struct bound *b, uint32_t i)
{
    m->registers = (struct registers){b->registers[i], &m->s};
    m->issue = (struct issue){b->issue[i], &m->s};
    m->values = (struct values){b->values[i], &m->s};
    m->scheds = (struct scheds){b->schedulers[i], &m->s};
    b->registers[i] = rf_policy_wrap(&m->registers.inner);
    b->registers[i].cost = cost;
    b->registers[i].start = start;
    b->registers[i].wants |= WANT_COST | WANT_WARPS;
    b->issue[i] = issue_policy_wrap(&m->issue.inner);
    b->issue[i].precede = precede;
    b->issue[i].initiation = initiation;
    b->issue[i].wants |= WANT_PRECEDE | WANT_INITIATION;
    b->values[i] = value_policy_wrap(&m->values.inner);
    b->values[i].loaded = loaded;
    b->values[i].wants |= WANT_LOADED;
    b->schedulers[i] = sched_policy_wrap(&m->scheds.inner);
    b->schedulers[i].pick = pick;
    b->schedulers[i].wants |= WANT_PICK;
}

static bool sameload_bind(const struct tech_site *at, struct tech_part *part, struct err *err)
{
    const struct tech_api *api = at->api;
    const char *name = at->design->name;
    const struct bound b = {api->take(at->seams, SEAM_registers, name, TAKE_WRAP, err),
                            api->take(at->seams, SEAM_issue, name, TAKE_WRAP, err),
                            api->take(at->seams, SEAM_values, name, TAKE_WRAP, err),
                            api->take(at->seams, SEAM_schedulers, name, TAKE_WRAP, err)};
    const uint32_t n = api->count(at->machine, PER_SM);
    struct all *a = calloc(1, sizeof *a);
    a->sms = calloc(n, sizeof *a->sms);
    for (uint32_t i = 0; i < n; i++) {
        a->sms[i].s.api = api;
        a->sms[i].s.cfg = at->cfg;
        wrap(&a->sms[i], &b, i);
        api->add_stats(at->seams, "sameload", rows, sizeof rows / sizeof *rows, &a->sms[i].s.stats);
    }
    *part = (struct tech_part){.self = a, .free = sameload_free};
    return true;
}

static const struct tech_design designs[] = {
    {"sameload", "loads of one value, counted and changed", "", 0, false}};

extern const struct technique sameload_technique;
const struct technique sameload_technique = {
    .name = "sameload",
    .designs = designs,
    .ndesigns = 1,
    .section = {"sameload", fields, 4, sizeof(struct sameload_cfg), NULL},
    .bind = sameload_bind,
};

PARSIM_PLUGIN(sameload_technique);
