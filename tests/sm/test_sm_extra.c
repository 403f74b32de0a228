/* Extra warps in an SM's pipeline, to the cycle. */
#include "support_sm_rig.h"

/* A source with one extra warp, which begins when warp slot 0 has issued instruction `at`. */
struct source {
    struct sm_rig *r;
    struct kernel *kernel;
    struct decoded *code;
    struct launch launch;
    struct grid grid;
    struct cta *cta;
    struct extra_warp x;
    uint32_t at; /* the program's instruction */
    bool blocks; /* the parent */
    bool is_running;
    bool is_held;
    unsigned retired;
    uint32_t params[4];
    struct warp_source ops;
};

static bool issue(void *self, struct sm *sm, unsigned sched, cycle_t now)
{
    struct source *s = self;
    if (!s->is_running || sm_scheduler_of(sm, s->x.slot) != sched)
        return false;
    const struct dinst *d = extra_next(&s->x);
    return d && extra_is_ready(&s->x, d) && extra_has_room(sm, &s->x, d) &&
           extra_issue(sm, &s->x, d, now);
}

static bool never(void *self, struct sm *sm, unsigned sched, cycle_t now)
{
    (void)self, (void)sm, (void)sched, (void)now;
    return false;
}

static bool is_pending(const void *self)
{
    return ((const struct source *)self)->is_running;
}

static uint32_t no_registers(const void *self, const struct kernel *k)
{
    (void)self, (void)k;
    return 0;
}

static void retired(void *self, struct sm *sm, struct extra_warp *x, cycle_t now)
{
    struct source *s = self;
    assert_ptr_equal(x, &s->x);
    s->retired++;
    if (x->inflight || extra_next(x))
        return;
    s->is_running = false;
    extra_block(sm, x->slot, false);
    if (s->is_held)
        extra_release(sm, x->slot, now);
}

static void event(void *self, struct sm *sm, const struct extra_trigger *t, cycle_t now)
{
    struct source *s = self;
    (void)now;
    assert_int_equal(t->event, EXTRA_ISSUE);
    const struct dfunc *fn = decoded_func(sm->slot[t->slot].code, s->r->kernel->entry);
    if (t->slot || t->d != &fn->code[s->at])
        return;
    s->retired = 0;
    s->x = (struct extra_warp){.w = &s->cta->warps[0], .code = s->code, .slot = 0};
    cta_start(s->cta, &s->grid, 0);
    s->is_running = true;
    s->is_held = extra_hold(sm, 0);
    if (s->blocks)
        extra_block(sm, 0, true);
}

/* The program's text holds entry `a`, which the extra warp runs. */
static struct source *source_new(struct sm_rig *r, uint32_t at)
{
    struct source *s = xcalloc(1, sizeof *s);
    s->r = r;
    s->at = at;
    s->kernel = r->extra = program_kernel(r->f.prog, "a", &r->f.err);
    assert_non_null(s->kernel);
    s->code = decode_extra(s->kernel, &r->cfg);
    s->launch = (struct launch){.kernel = s->kernel,
                                .grid = {1, 1, 1},
                                .block = {32, 1, 1},
                                .dynamic_shared_bytes = 4096,
                                .params = s->params};
    grid_init(&s->grid, r->f.dev, &s->launch);
    s->cta = cta_new(&s->grid);
    s->ops = warp_source_null;
    s->ops.issue_first = issue;
    s->ops.issue_idle = never;
    s->ops.is_pending = is_pending;
    s->ops.extra_registers = no_registers;
    s->ops.self = s;
    s->ops.retired = retired;
    s->ops.events = EXTRA_ISSUE;
    s->ops.event = event;
    s->ops.has_warps = true;
    r->warps = &s->ops;
    return s;
}

static void source_free(struct source *s)
{
    cta_free(s->cta);
    decoded_free(s->code);
    free(s);
}

static int64_t extra_gap(const struct sm_rig *r, uint32_t a, uint32_t b)
{
    return (int64_t)(rig_nth(r, RIG_EXTRA, b, 0) - rig_nth(r, RIG_EXTRA, a, 0));
}

#define ROUTINE(body)                                                                          \
    ".visible .entry a(.param .u32 q)\n{ .reg .b32 %r<20>; .reg .b64 %rd<8>; .reg .pred %p;\n" \
    ".shared .align 128 .b8 win[512];\n" body "}\n"

/* Its dependent instructions are as far apart as the program's; the moves of parameters too. */
static void goes_the_way_of_all(void **state)
{
    (void)state;
    struct sm_rig *r = sm_rig_new(
        RIG_KERNEL("add.u32 %r2,%r1,1; add.u32 %r3,%r2,1; ret;\n") ROUTINE(
            "ld.param.u32 %r1,[q]; add.u32 %r2,%r1,1; add.u32 %r3,%r2,1; add.u32 %r4,5,6; ret;\n"),
        NULL);
    struct source *s = source_new(r, 1);
    sm_rig_run(r, 1, 32);
    const int64_t add = rig_gap(r, 0, 1), move = 4 + r->cfg.alu_latency + 1;
    assert_int_equal(add, 4 + 5 + 1);
    assert_int_equal(extra_gap(r, 0, 1), move);
    assert_int_equal(extra_gap(r, 1, 2), add);
    assert_int_equal(extra_gap(r, 2, 3), 1);
    assert_int_equal(s->retired, 5);
    assert_int_equal(r->stats.extra_inst, 5);
    assert_int_equal(r->stats.warp_inst, 3 + 5);
    assert_int_equal(r->stats.load_inst, 0);
    source_free(s);
    sm_rig_free(r);
}

/* Shared memory by its own pipe takes as long as the program's. */
static void shared_memory_takes_as_long(void **state)
{
    (void)state;
    struct sm_rig *r =
        sm_rig_new(RIG_KERNEL("ld.shared.u32 %r1,[sh]; add.u32 %r2,%r1,1; ret;\n")
                       ROUTINE("st.shared.u32 [win],7; ld.shared.u32 %r1,[win]; add.u32 %r2,%r1,1; "
                               "st.shared.u32 [win+4],%r2; ret;\n"),
                   NULL);
    struct source *s = source_new(r, 1);
    sm_rig_run(r, 1, 32);
    assert_int_equal(extra_gap(r, 1, 2), rig_gap(r, 0, 1));
    const uint32_t *win = (const uint32_t *)s->cta->shared;
    assert_int_equal(win[0], 7);
    assert_int_equal(win[1], 8);
    source_free(s);
    sm_rig_free(r);
}

/* A blocked parent waits for the last of it, and goes on in that cycle. */
static void parent_waits(void **state)
{
    (void)state;
    static const char text[] =
        RIG_KERNEL("mov.u32 %r1,1; mov.u32 %r2,2; mov.u32 %r3,3; mov.u32 %r4,4; ret;\n")
            ROUTINE("add.u32 %r2,%r1,1; add.u32 %r3,%r2,1;\n");
    struct sm_rig *r = sm_rig_new(text, NULL);
    struct source *s = source_new(r, 1);
    s->blocks = true;
    sm_rig_run(r, 1, 32);
    const cycle_t last = rig_nth(r, RIG_EXTRA, 2, 0); /* the return behind them */
    const cycle_t next = rig_nth(r, 0, 2, 0);
    assert_int_equal(rig_nth(r, RIG_EXTRA, 0, 0), rig_nth(r, 0, 1, 0) + 1);
    assert_int_equal(next - last, 4 + r->cfg.alu_latency + 1);
    source_free(s);
    sm_rig_free(r);
}

/* The program's memory instructions that wait for the cache do not hold it up. */
static void passes_blocked_loads(void **state)
{
    (void)state;
    static const char *const one_mshr[] = {"l1.mshrs=1", NULL};
    struct sm_rig *r = sm_rig_new(
        RIG_KERNEL(
            "ld.param.u64 %rd1,[p]; mov.u32 %r9,%laneid; mul.wide.u32 %rd2,%r9,1024;\n"
            "add.u64 %rd3,%rd1,%rd2; ld.global.u32 %r1,[%rd3]; ld.global.u32 %r2,[%rd3+256];\n"
            "ld.global.u32 %r3,[%rd3+512]; ld.global.u32 %r4,[%rd3+768];\n"
            "mov.u32 %r5,1; ret;\n")
            ROUTINE("st.shared.u32 [win],7; ld.shared.u32 %r1,[win]; add.u32 %r2,%r1,1; ret;\n"),
        one_mshr);
    struct source *s = source_new(r, 5);
    r->memory = 500;
    sm_rig_run(r, 1, 32);
    /* loads of 32 lines, one after another through one MSHR */
    assert_true(rig_nth(r, RIG_EXTRA, 3, 0) < rig_nth(r, 0, 4, 0) + 400);
    assert_true(r->end > 32 * 500);
    source_free(s);
    sm_rig_free(r);
}

/* Its global loads go through the data cache. */
static void loads_through_the_cache(void **state)
{
    (void)state;
    struct sm_rig *r = sm_rig_new(
        RIG_KERNEL("mov.u32 %r1,1; ret;\n") ".visible .entry a(.param .u64 q)\n{ .reg .b64 %rd<4>; "
                                            ".reg .b32 %r<4>;\nld.param.u64 %rd1,[q]; "
                                            "ld.global.u32 %r1,[%rd1]; add.u32 %r2,%r1,1;\n"
                                            "ret;\n}\n",
        NULL);
    struct source *s = source_new(r, 0);
    memcpy(s->params, &r->f.buf->base, 8);
    sm_rig_run(r, 1, 32);
    assert_int_equal(r->caches[SM_CACHE_DATA].read_misses, 1);
    assert_int_equal(rig_requests(r, MEM_GLOBAL), 1);
    assert_true(extra_gap(r, 1, 2) > (int64_t)r->memory);
    assert_int_equal(r->stats.load_inst, 1);
    source_free(s);
    sm_rig_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_the_way_of_all),
        cmocka_unit_test(shared_memory_takes_as_long),
        cmocka_unit_test(parent_waits),
        cmocka_unit_test(passes_blocked_loads),
        cmocka_unit_test(loads_through_the_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
