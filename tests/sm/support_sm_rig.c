/* The mocks around an SM, and the two runs of which every cycle must agree. */
#include "support_sm_rig.h"

enum { MAX_CYCLES = 200000, FLIGHT = 512 };

/* --- the mock memory --- */

struct memory {
    struct sm_rig *rig;
    struct port *in, *out;
    struct {
        struct mem_req *req;
        cycle_t at;
    } flight[FLIGHT];
    uint32_t n;
};

static cycle_t memory_tick(void *self, cycle_t now)
{
    struct memory *m = self;
    struct sm_rig *r = m->rig;
    struct mem_req *q;
    while ((q = port_pop(m->in, now))) {
        assert_true(m->n < FLIGHT && r->nrequests < RIG_REQUESTS);
        r->requests[r->nrequests++] = (struct rig_request){now - 1, *q};
        if (q->kind == MEM_READ && q->space == MEM_CONST)
            q->form.bytes = r->coded;
        m->flight[m->n].req = q;
        m->flight[m->n++].at = now + r->memory - 2;
    }
    while (m->n && m->flight[0].at <= now && port_can_push(m->out, now)) {
        port_push(m->out, now, m->flight[0].req);
        memmove(&m->flight[0], &m->flight[1], --m->n * sizeof m->flight[0]);
    }
    return m->n ? now + 1 : port_next(m->in);
}

static const struct component_ops memory_ops = {memory_tick, NULL};

/* --- an SM that is ticked in every cycle --- */

static cycle_t restless_tick(void *self, cycle_t now)
{
    sm_component_ops.tick(self, now);
    return now + 1;
}

static const struct component_ops restless_ops = {restless_tick, NULL};

/* --- what is issued --- */

struct spy {
    struct issue_policy inner;
    struct sm_rig *rig;
};

static uint32_t note_issue(void *self, const struct rf_event *e, uint32_t initiation)
{
    struct spy *spy = self;
    initiation = spy->inner.initiation(spy->inner.self, e, initiation);
    struct sm_rig *r = spy->rig;
    const struct decoded *code = r->sm->slot[e->slot].code;
    const struct warp *w = r->sm->slot[e->slot].w;
    assert_true(r->nissues < RIG_ISSUES);
    struct rig_issue *i = &r->issues[r->nissues++];
    r->njoined += r->sm->follows >> e->slot & !e->is_extra;
    if (!e->d->x) {
        *i = (struct rig_issue){r->sm->slots_done - 1, e->slot, RIG_MOVE, e->mask, NULL};
        return initiation;
    }
    if (!w || e->base != w->base) { /* of an extra warp */
        const struct xfunc *fn = r->extra->entry;
        *i = (struct rig_issue){r->sm->slots_done - 1, RIG_EXTRA + e->slot,
                                (uint32_t)(e->d->x - fn->code), e->mask, fn};
        return initiation + r->more_initiation;
    }
    *i = (struct rig_issue){r->sm->slots_done - 1, e->slot, 0, e->mask, r->kernel->entry};
    const struct dfunc *fn = decoded_func(code, r->kernel->entry);
    i->pc = (uint32_t)(e->d - fn->code);
    if (i->pc >= fn->ncode) { /* of another function: counted from its start */
        i->fn = NULL;
        for (uint32_t k = 0; k < program_func_count(r->kernel->prog) && !i->fn; k++) {
            const struct xfunc *x = r->kernel->funcs[k];
            if (x && e->d->x >= x->code && e->d->x <= x->code + x->ncode)
                i->fn = x;
        }
        i->pc = 1000 + (uint32_t)(e->d->x - i->fn->code);
    }
    return initiation + r->more_initiation;
}

/* --- making one --- */

static void configure(struct sm_rig *r, const char *const *sets)
{
    static const char *const own[] = {"l1i.line_bytes=512", "l1i.size=8K",       "l1i.latency=1",
                                      "l1c.latency=1",      "l1c.line_bytes=64", NULL};
    struct err err;
    r->conf = conf_new();
    conf_add(r->conf, "sm", sm_fields, sm_nfields, &r->cfg);
    conf_add(r->conf, "l1", l1_fields, l1_nfields, &r->data);
    conf_add(r->conf, "l1c", l1_fields, l1_nfields, &r->konst);
    conf_add(r->conf, "l1t", l1_fields, l1_nfields, &r->tex);
    conf_add(r->conf, "l1i", l1_fields, l1_nfields, &r->inst);
    for (const char *const *s = own; *s; s++)
        if (!conf_set(r->conf, *s, &err))
            fail_msg("%s", err.msg);
    for (; sets && *sets; sets++)
        if (!conf_set(r->conf, *sets, &err))
            fail_msg("%s", err.msg);
    if (!sm_cfg_check(&r->cfg, &err) || !l1_cfg_check(&r->data, "l1", &err) ||
        !l1_cfg_check(&r->konst, "l1c", &err) || !l1_cfg_check(&r->tex, "l1t", &err) ||
        !l1_cfg_check(&r->inst, "l1i", &err))
        fail_msg("%s", err.msg);
}

struct sm_rig *sm_rig_new(const char *ptx, const char *const *sets)
{
    struct sm_rig *r = xcalloc(1, sizeof *r);
    fixture_open(&r->f, ptx, 1 << 20);
    r->kernel = program_kernel(r->f.prog, "k", &r->f.err);
    if (!r->kernel)
        fail_msg("%s", r->f.err.msg);
    configure(r, sets);
    conf_defaults(interleave_fields, interleave_nfields, &r->map);
    r->map.channels = r->map.slices = 1;
    interleave_init(&r->il, &r->map);
    r->memory = 100;
    r->meet = 1;
    r->registers = 16;
    r->warps = &warp_source_null;
    r->rf = &rf_policy_null;
    r->issue = &issue_policy_null;
    r->values = &value_policy_null;
    r->schedulers = &sched_policy_null;
    r->l1 = l1_seams_null;
    return r;
}

void sm_rig_free(struct sm_rig *r)
{
    fixture_close(&r->f);
    conf_free(r->conf);
    free(r);
}

/* --- running --- */

struct launched {
    struct launch launch;
    struct grid root;
    struct sm_kernel kernel;
    uint64_t next, total, done;
};

static void resume(void *ctx, size_t place, struct warp *w, const struct step *s)
{
    (void)place;
    sm_resume(ctx, w, s);
}

static void place_blocks(struct sm_rig *r, struct launched *l, cycle_t now)
{
    for (cycle_t at = now; l->next < l->total && sm_can_take(r->sm, &l->kernel); at += r->stagger)
        sm_take(r->sm, &l->kernel, l->next++, at);
    uint32_t ctas = (uint32_t)__builtin_popcount(r->sm->cta_set);
    uint32_t warps = (uint32_t)__builtin_popcountll(r->sm->live | r->sm->ending);
    r->most_ctas = ctas > r->most_ctas ? ctas : r->most_ctas;
    r->most_warps = warps > r->most_warps ? warps : r->most_warps;
}

static bool meet(struct sm_rig *r)
{
    struct effects *fx = sm_effects(r->sm);
    size_t at;
    const struct fault *fault = NULL;
    if (!effects_apply(&fx, 1, resume, r->sm, &at))
        fault = effects_fault(fx);
    if (!fault)
        fault = sm_fault(r->sm);
    if (fault)
        r->fault = *fault;
    return !fault;
}

static bool drive(struct sm_rig *r, struct launched *l, struct sim_clock *clock)
{
    sm_begin(r->sm, 0);
    place_blocks(r, l, 0);
    for (cycle_t now = 0;;) {
        now += r->meet;
        enum sim_status st = sim_run(r->sim, clock, now, 1);
        if (!meet(r))
            return false;
        struct sm_ended ended = sm_kernel_ended(r->sm, &l->kernel);
        l->done += ended.blocks;
        if (l->done == l->total && sm_is_idle(r->sm)) {
            r->end = ended.end;
            return true;
        }
        if (now > MAX_CYCLES || (st == SIM_IDLE && l->next == l->total && !r->sm->deferred)) {
            sm_component_ops.dump(r->sm, stderr);
            fail_msg("stuck at cycle %llu", (unsigned long long)now);
        }
        place_blocks(r, l, now);
    }
}

static bool run_once(struct sm_rig *r, uint32_t grid, uint32_t block, bool restless)
{
    static const uint16_t nodes[] = {1};
    uint64_t params[5] = {r->f.buf->base, r->param[0], r->param[1], r->param[2], r->param[3]};
    struct launched l = {.launch = {.kernel = r->kernel,
                                    .grid = {grid, 1, 1},
                                    .block = {block, 1, 1},
                                    .dynamic_shared_bytes = r->shared,
                                    .params = params},
                         .total = grid};
    struct memory mem = {.rig = r};
    r->nissues = r->njoined = r->nrequests = r->most_ctas = r->most_warps = 0;
    r->fault = (struct fault){0};
    grid_init(&l.root, r->f.dev, &l.launch);
    struct decoded *code = decode_kernel(r->kernel, &r->cfg);
    r->code = code;
    if (r->prepare)
        r->prepare(r->prepare_ctx);
    l.kernel = (struct sm_kernel){&l.root, code, r->registers};
    struct spy spy = {*r->issue, r};
    struct issue_policy issue = issue_policy_wrap(&spy.inner);
    issue.initiation = note_issue;
    issue.wants |= WANT_INITIATION;
    r->sim = sim_new();
    struct sim_clock *clock = sim_add_clock(r->sim, "core", 1000);
    struct sm_seams seams = sm_seams_null;
    seams.warps = r->warps;
    seams.registers = r->rf;
    seams.issue = r->is_unwatched ? r->issue : &issue;
    seams.values = r->values;
    seams.schedulers = r->schedulers;
    r->breach = (struct breach){.any = &r->is_breached};
    seams.l1 = r->l1;
    seams.l1.breach = &r->breach;
    r->sm = sm_new(&(struct sm_parts){.cfg = &r->cfg,
                                      .data = &r->data,
                                      .konst = &r->konst,
                                      .tex = &r->tex,
                                      .inst = &r->inst,
                                      .il = &r->il,
                                      .slice_nodes = nodes,
                                      .seams = seams,
                                      .clocks = {1, 1}});
    struct component *c =
        sim_add(r->sim, clock, 0, "sm", restless ? &restless_ops : &sm_component_ops, r->sm);
    struct component *cm = sim_add(r->sim, clock, 0, "memory", &memory_ops, &mem);
    mem.in = sim_add_port(r->sim, "out", c, cm, 1, 1, FLIGHT);
    mem.out = sim_add_port(r->sim, "in", cm, c, 1, 1, FLIGHT);
    sm_bind(r->sm, c, mem.in, mem.out);
    if (!sim_prepare(r->sim, &r->f.err))
        fail_msg("%s", r->f.err.msg);
    bool ok = drive(r, &l, clock);
    if (ok)
        sm_settle(r->sm, r->end);
    r->stats = *sm_stats(r->sm);
    for (unsigned k = 0; k < SM_CACHES; k++)
        r->caches[k] = *sm_cache_stats(r->sm, (enum sm_cache)k);
    sm_free(r->sm);
    sim_free(r->sim);
    decoded_free(code);
    r->sm = NULL;
    return ok;
}

static void compare(const struct sm_rig *a, const struct sm_rig *b)
{
    for (uint32_t i = 0; i < a->nissues && i < b->nissues; i++)
        if (a->issues[i].cycle != b->issues[i].cycle || a->issues[i].pc != b->issues[i].pc)
            fail_msg("issue %u differs: asleep %llu, awake %llu", i,
                     (unsigned long long)a->issues[i].cycle,
                     (unsigned long long)b->issues[i].cycle);
    assert_int_equal(a->nissues, b->nissues);
    assert_int_equal(a->end, b->end);
    for (size_t i = 0; i < sm_nstat_rows; i++)
        if (sm_stat_rows[i].kind == STAT_COUNTER) {
            uint64_t va, vb;
            memcpy(&va, (const char *)&a->stats + sm_stat_rows[i].offset, 8);
            memcpy(&vb, (const char *)&b->stats + sm_stat_rows[i].offset, 8);
            if (va != vb)
                fail_msg("sm.%s: asleep %llu, awake %llu", sm_stat_rows[i].name,
                         (unsigned long long)va, (unsigned long long)vb);
        }
}

static void check_slots(const struct sm_rig *r)
{
    const struct sm_stats *s = &r->stats;
    uint64_t slots = s->issue_active + s->issue_compute_stall + s->issue_memory_stall +
                     s->issue_data_stall + s->issue_idle;
    assert_int_equal(s->cycles, r->end);
    assert_int_equal(slots, s->cycles * (uint64_t)(r->cfg.subcores * r->cfg.schedulers));
    if (r->cfg.code == CODE_MACHINE) /* an instruction of PTX is none, or several */
        return;
    assert_int_equal(s->issue_active + r->njoined, s->warp_inst);
    if (!r->is_unwatched)
        assert_int_equal(s->warp_inst, r->nissues);
}

bool sm_rig_try(struct sm_rig *r, uint32_t grid, uint32_t block)
{
    const size_t bytes = 1 << 20;
    void *before = xcalloc(1, bytes);
    memcpy(before, r->f.words, bytes);
    bool ok = run_once(r, grid, block, false);
    struct sm_rig *first = xcalloc(1, sizeof *first);
    *first = *r;
    memcpy(r->f.words, before, bytes);
    assert_int_equal(run_once(r, grid, block, true), ok);
    if (ok) {
        compare(first, r);
        check_slots(r);
    }
    free(first);
    free(before);
    return ok;
}

void sm_rig_run(struct sm_rig *r, uint32_t grid, uint32_t block)
{
    if (!sm_rig_try(r, grid, block))
        fail_msg("%s", r->fault.msg);
}

/* --- asking --- */

cycle_t rig_nth(const struct sm_rig *r, uint32_t slot, uint32_t pc, uint32_t n)
{
    for (uint32_t i = 0; i < r->nissues; i++)
        if (r->issues[i].slot == slot && r->issues[i].pc == pc && !n--)
            return r->issues[i].cycle;
    fail_msg("slot %u never issued instruction %u that often", slot, pc);
    return 0;
}

int64_t rig_gap(const struct sm_rig *r, uint32_t a, uint32_t b)
{
    return (int64_t)(rig_nth(r, 0, b, 0) - rig_nth(r, 0, a, 0));
}

uint32_t rig_count(const struct sm_rig *r, uint32_t slot, uint32_t pc)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->nissues; i++)
        n += r->issues[i].slot == slot && r->issues[i].pc == pc;
    return n;
}

uint32_t rig_requests(const struct sm_rig *r, enum mem_space space)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->nrequests; i++)
        n += r->requests[i].req.space == space;
    return n;
}

const struct rig_request *rig_request(const struct sm_rig *r, enum mem_space space, uint32_t n)
{
    for (uint32_t i = 0; i < r->nrequests; i++)
        if (r->requests[i].req.space == space && !n--)
            return &r->requests[i];
    fail_msg("no such request");
    return NULL;
}
