/* Assist warps: what routines declare, the store, the controller's cycles. */
#include "sm/support_sm_rig.h"

#include "tech/assist/assist.h"
#include "tech/assist/awc_int.h"

#define HEAD ".version 5.0\n.target sm_30\n.address_size 64\n"

static void defaults(struct assist_cfg *cfg)
{
    conf_defaults(assist_technique.section.fields, assist_technique.section.nfields, cfg);
}

/* --- declarations --- */

static void declares(const char *pragma, const char *message)
{
    struct err err;
    struct routine_decl d;
    char *text = xasprintf("%s.entry r()\n{\n%s ret;\n}\n", HEAD, pragma);
    struct ptx_module *m = ptx_parse("f.ptx", text, strlen(text), &err);
    assert_non_null(m);
    assert_int_equal(routine_decl_parse(ptx_find_func(m, "r"), &d, &err), !message);
    if (message)
        assert_string_equal(err.msg, message);
    ptx_module_free(m);
    free(text);
}

static void errors_say_what_is_right(void **state)
{
    (void)state;
    declares(".pragma \"assist on=load priority=low mask=0x1 live_out=none\";", NULL);
    declares(".pragma \"assist on=every:warp_inst:100\";", NULL);
    declares(".pragma \"nounroll\";", "f.ptx:4: routine r: has no .pragma \"assist on=... "
                                      "priority=...\" in its body");
    declares(".pragma \"assist priority=low\";",
             "f.ptx:6: routine r: says not when it begins: on=... is missing");
    declares(".pragma \"assist on=lod\";",
             "f.ptx:6: routine r: on=lod: should be fill, store, load, l1_miss, divergence, "
             "inst:LINE, every:COUNTER:N, interrupt, memo_begin or memo_end");
    declares(".pragma \"assist on=interrupt:0 priority=high\";",
             "f.ptx:6: routine r: on=interrupt:0: should be interrupt or interrupt:CYCLES");
    declares(".pragma \"assist on=interrupt:500\";",
             "f.ptx:6: routine r: on=interrupt needs priority=high, since it is taken at once");
    declares(".pragma \"assist on=interrupt priority=high\";", NULL);
    declares(".pragma \"assist on=load prio=low\";",
             "f.ptx:6: routine r: 'prio': the keys are on, codec, encoding, lanes, all, steps, "
             "priority, mask, registers, when, waiting and live_out");
    declares(".reg .b32 %a, %b; .pragma \"assist on=fill codec=bdi-lanes steps=%a:2:%b:-4\";",
             NULL);
    declares(".reg .b32 %a; .pragma \"assist on=fill codec=bdi-lanes steps=%a\";",
             "f.ptx:6: routine r: steps=%a: should be %REGISTER:BYTES, at most 3 times");
    declares(".reg .b32 %a; .pragma \"assist on=fill codec=bdi-lanes steps=%a:x\";",
             "f.ptx:6: routine r: steps: x of %a should be bytes from -128 to 128");
    declares(".reg .b64 %a; .pragma \"assist on=fill codec=bdi-lanes steps=%a:4\";",
             "f.ptx:6: routine r: steps: %a is no register of 32 bits of it");
    declares(".reg .b32 %a; .pragma \"assist on=load steps=%a:4\";",
             "f.ptx:6: routine r: steps=... goes with codec=..., whose line they lead through");
    declares(".pragma \"assist on=load priority=mid\";",
             "f.ptx:6: routine r: priority=mid: should be high or low");
    declares(".pragma \"assist on=fill\";", "f.ptx:6: routine r: on=fill needs codec=...");
    declares(".pragma \"assist on=load codec=bdi\";",
             "f.ptx:6: routine r: codec=bdi goes with on=fill (it decodes) or on=store (it "
             "encodes)");
    declares(".reg .pred %p, %q; .pragma \"assist on=fill codec=bdi-lanes encoding=7 "
             "lanes=%p:%q\";",
             NULL);
    declares(".reg .pred %p; .pragma \"assist on=store codec=bdi-lanes encoding=7 all=%p\";", NULL);
    declares(".reg .b32 %r; .pragma \"assist on=fill codec=bdi-lanes encoding=5 lanes=%r\";",
             "f.ptx:6: routine r: lanes=%r: %r is no predicate register of it");
    declares(".reg .pred %p; .pragma \"assist on=fill codec=bdi-lanes encoding=5 lanes=%p:%p:%p\";",
             "f.ptx:6: routine r: lanes: at most 2 predicates");
    declares(".reg .pred %p; .pragma \"assist on=fill codec=fpc-seg lanes=%p\";",
             "f.ptx:6: routine r: lanes=... goes with encoding=..., whose mask it is");
    declares(
        ".pragma \"assist on=store codec=bdi-lanes encoding=5\";",
        "f.ptx:6: routine r: all=... goes with on=store codec=... encoding=..., and these with "
        "it");
    declares(".pragma \"assist on=load mask=0\";",
             "f.ptx:6: routine r: mask=0: should be a set of lanes from 1 to 0xffffffff");
}

/* --- the store --- */

static void refuses_text(struct sm_rig *r, const char *text, const char *message)
{
    struct aws s;
    struct err err;
    aws_init(&s, r->f.dev, &r->cfg);
    assert_false(aws_load(&s, "f.ptx", text, strlen(text), &err));
    assert_string_equal(err.msg, message);
    aws_free(&s);
}

static void refuses(struct sm_rig *r, const char *body, const char *message)
{
    char *text = xasprintf("%s.global .u32 g;\n.entry r(%s", HEAD, body);
    refuses_text(r, text, message);
    free(text);
}

static void store_refuses(void **state)
{
    (void)state;
    struct sm_rig *r = sm_rig_new(RIG_KERNEL("ret;\n"), NULL);
    refuses(r, ".param .u32 adr) { .pragma \"assist on=load\"; ret; }\n",
            "f.ptx:5: routine r: no parameter can be called adr; they are src, dst, result, addr, "
            "addrs, "
            "warp, mask, value, inst, distance, region, entries, keep, in0, in1, out0 and sm");
    refuses(r, ") { .pragma \"assist on=load\"; bar.sync 0; ret; }\n",
            "f.ptx:5: routine r: bar.sync waits for other warps, of which a routine has none");
    refuses(r, ") { .pragma \"assist on=load\"; red.global.add.u32 [g], 1; ret; }\n",
            "f.ptx:5: routine r: red.global.add.u32 touches what SMs share (atomics are for "
            ".shared variables)");
    refuses(r,
            ") { .pragma \"assist on=fill codec=bdi\"; .reg .b32 %x;\nld.global.u32 %x, [g]; ret; "
            "}\n",
            "f.ptx:6: routine r: ld.global.u32 is not on .shared memory, which is all that a "
            "routine of a codec may touch");
    refuses_text(r,
                 HEAD ".func f() { call f; ret; }\n"
                      ".entry r() { .pragma \"assist on=load\"; call f; ret; }\n",
                 "f.ptx:5: routine r: calls are nested more than 16 deep");
    sm_rig_free(r);
}

/* All of ours fit the default store together; a store that is a byte too small is refused. */
static void capacity_is_enforced(void **state)
{
    (void)state;
    struct sm_rig *r = sm_rig_new(RIG_KERNEL("ret;\n"), NULL);
    struct assist_cfg cfg;
    struct aws s;
    struct err err;
    defaults(&cfg);
    aws_init(&s, r->f.dev, &r->cfg);
    for (const struct assist_text *t = assist_texts(); t->name; t++)
        if (!aws_load(&s, t->name, t->text, strlen(t->text), &err))
            fail_msg("%s", err.msg);
    const uint64_t bytes = aws_bytes(&s);
    assert_true(bytes > 1000);
    assert_true(aws_check(&s, bytes, &err));
    assert_true(aws_check(&s, cfg.aws_bytes, &err));
    assert_false(aws_check(&s, bytes - 1, &err));
    assert_non_null(strstr(err.msg, "assist.aws_bytes"));
    for (int e = 0; e < 8; e++)
        assert_non_null(aws_codec(&s, ON_FILL, "bdi-lanes", e));
    assert_null(aws_codec(&s, ON_FILL, "bdi-lanes", 8));
    assert_non_null(aws_codec(&s, ON_STORE_LINE, "fpc-seg", -1));
    aws_free(&s);
    sm_rig_free(r);
}

/* --- the controller --- */

struct bench {
    struct sm_rig *r;
    struct aws aws;
    struct assist_cfg cfg;
    struct awc *c;
    struct warp_source source;
};

static struct bench bench_new(const char *kernel, const char *routine, const char *const *sets)
{
    struct bench b = {.r = sm_rig_new(kernel, sets)};
    struct err err;
    defaults(&b.cfg);
    aws_init(&b.aws, b.r->f.dev, &b.r->cfg);
    if (!aws_load(&b.aws, "f.ptx", routine, strlen(routine), &err))
        fail_msg("%s", err.msg);
    b.r->extra = b.aws.routines[0].kernel;
    return b;
}

static void new_controller(void *ctx)
{
    struct bench *b = ctx;
    awc_free(b->c);
    b->c = awc_new(&b->aws, &b->cfg, 0);
    b->source = awc_source(b->c);
}

static void bench_run(struct bench *b, uint32_t grid, uint32_t block)
{
    b->r->warps = &b->source;
    b->r->prepare = new_controller;
    b->r->prepare_ctx = b;
    sm_rig_run(b->r, grid, block);
}

static void bench_free(struct bench *b)
{
    awc_free(b->c);
    aws_free(&b->aws);
    sm_rig_free(b->r);
}

#define ON(what, body)                                                                        \
    HEAD ".shared .u32 n;\n.entry r() {\n.pragma \"assist on=" what "\";\n.reg .b32 %r<9>;\n" \
         ".reg .pred %p;\n" body "ret; }\n"

static const char movs[] =
    RIG_KERNEL("mov.u32 %r1,1;\nmov.u32 %r2,2;\nmov.u32 %r3,3; mov.u32 %r4,4; ret;\n");

/* The line of the kernel's second instruction in `movs`. */
static uint32_t second_line(const struct bench *b)
{
    return b->r->kernel->src->insts[1].line;
}

static char *on_second(const struct bench *b, const char *rest, const char *body)
{
    return xasprintf(HEAD ".shared .u32 n;\n.entry r() {\n.pragma \"assist on=inst:%u %s\";\n"
                          ".reg .b32 %%r<9>; .reg .pred %%p;\n%s ret; }\n",
                     second_line(b), rest, body);
}

static void reload(struct bench *b, char *text)
{
    struct err err;
    aws_free(&b->aws);
    aws_init(&b->aws, b->r->f.dev, &b->r->cfg);
    if (!aws_load(&b->aws, "f.ptx", text, strlen(text), &err))
        fail_msg("%s", err.msg);
    b->r->extra = b->aws.routines[0].kernel;
    free(text);
}

/* Triggered when the instruction issues at t: in the table and staged at t + 1, issued from t + 2
 * on, two a cycle staged, one a cycle issued; the parent goes on when the last has ended. */
static void blocking_instance(void **state)
{
    (void)state;
    struct bench b = bench_new(movs, ON("load", ""), NULL);
    reload(&b, on_second(&b, "priority=high",
                         "mov.u32 %r1,1; mov.u32 %r2,2; mov.u32 %r3,3; mov.u32 %r4,4;"));
    bench_run(&b, 1, 32);
    const cycle_t t = rig_nth(b.r, 0, 1, 0);
    for (uint32_t k = 0; k < 4; k++)
        assert_int_equal(rig_nth(b.r, RIG_EXTRA, k, 0), t + 2 + k);
    assert_int_equal(rig_nth(b.r, 0, 2, 0), t + 5 + 4 + b.r->cfg.alu_latency + 1);
    assert_int_equal(b.c->stats.triggered, 1);
    assert_int_equal(b.c->stats.finished, 1);
    assert_int_equal(b.c->stats.issued_high, 4); /* the return takes no slot */
    assert_int_equal(b.c->stats.deployed, 4);
    assert_int_equal(b.r->stats.extra_inst, 4);
    bench_free(&b);
}

/* Instructions behind a branch that goes elsewhere are flushed. */
static void branches_flush(void **state)
{
    (void)state;
    struct bench b = bench_new(movs, ON("load", ""), NULL);
    reload(&b, on_second(&b, "priority=high",
                         "bra L; mov.u32 %r1,1; mov.u32 %r2,1;\nL: st.shared.u32 [n], 5;"));
    bench_run(&b, 1, 32);
    assert_int_equal(rig_count(b.r, RIG_EXTRA, 1), 0);
    assert_int_equal(rig_count(b.r, RIG_EXTRA, 3), 1);
    assert_int_equal(b.c->stats.issued_high, 2);
    assert_true(b.c->stats.flushed > 0);
    assert_int_equal(b.c->stats.deployed, b.c->stats.issued_high + b.c->stats.flushed);
    uint32_t n;
    memcpy(&n, awc_shared(b.c, 0), 4);
    assert_int_equal(n, 5);
    bench_free(&b);
}

/* An instance of low priority takes what the program leaves: here every cycle is taken. */
static void low_priority_waits(void **state)
{
    (void)state;
    static const char *const one[] = {"sm.schedulers=1", NULL};
    static char kernel[16384] = PTX_HEAD ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<64>;\n"
                                         "mov.u32 %r1,1;\nmov.u32 %r2,2;\n";
    for (unsigned i = 0; i < 200; i++)
        snprintf(kernel + strlen(kernel), sizeof kernel - strlen(kernel), "mov.u32 %%r%u,7;\n",
                 3 + i % 60);
    strcat(kernel, "ret;\n}\n");
    struct bench b = bench_new(kernel, ON("load", ""), one);
    reload(&b, on_second(&b, "priority=low mask=0x1", "mov.u32 %r1,1; red.shared.add.u32 [n], 1;"));
    b.cfg.throttle = false;
    bench_run(&b, 1, 32 * 8);
    uint32_t n;
    memcpy(&n, awc_shared(b.c, 0), 4);
    assert_int_equal(n, 8);
    assert_int_equal(b.c->stats.issued_low, 16);
    assert_int_equal(b.c->stats.issued_high, 0);
    bench_free(&b);
}

/* One instance of a routine a warp: the second trigger waits for the first one's end. */
static void one_instance_a_warp(void **state)
{
    (void)state;
    struct bench b = bench_new(
        RIG_KERNEL("ld.param.u64 %rd1,[p]; ld.global.u32 %r1,[%rd1]; ld.global.u32 %r2,[%rd1+4];\n"
                   "ld.global.u32 %r3,[%rd1+8]; mov.u32 %r4,4; ret;\n"),
        ON("load priority=low mask=0x1",
           "ld.shared.u32 %r1,[n]; add.u32 %r1,%r1,1; st.shared.u32 [n],%r1;\n"),
        NULL);
    bench_run(&b, 1, 32);
    uint32_t n;
    memcpy(&n, awc_shared(b.c, 0), 4);
    assert_int_equal(n, 3); /* were two active at a time, an addition would be lost */
    assert_int_equal(b.c->stats.triggered, 3);
    assert_int_equal(b.c->stats.waited, 2);
    bench_free(&b);
}

/* Triggers of low priority beyond what may wait are dropped, and counted. */
static void overflow_is_counted(void **state)
{
    (void)state;
    struct bench b = bench_new(
        RIG_KERNEL("ld.param.u64 %rd1,[p]; ld.global.u32 %r1,[%rd1]; ld.global.u32 %r2,[%rd1+4];\n"
                   "ld.global.u32 %r3,[%rd1+8]; ld.global.u32 %r4,[%rd1+12]; ret;\n"),
        ON("load priority=low mask=0x1",
           "ld.shared.u32 %r1,[n]; add.u32 %r1,%r1,1; st.shared.u32 [n],%r1;\n"),
        NULL);
    b.cfg.waiting = 1;
    bench_run(&b, 1, 32);
    const struct assist_stats *s = &b.c->stats;
    assert_true(s->overflow > 0);
    assert_int_equal(s->triggered, s->finished + s->overflow);
    bench_free(&b);
}

/* Without triggers nothing changes but the registers. */
static void no_trigger_no_change(void **state)
{
    (void)state;
    struct sm_rig *r = sm_rig_new(movs, NULL);
    sm_rig_run(r, 3, 64);
    struct bench b = bench_new(movs, ON("store priority=high", "mov.u32 %r1,1;"), NULL);
    bench_run(&b, 3, 64);
    assert_int_equal(b.r->end, r->end);
    assert_memory_equal(&b.r->stats, &r->stats,
                        offsetof(struct sm_stats, register_cycles)); /* all that comes before */
    assert_int_equal(b.c->stats.triggered, 0);
    bench_free(&b);
    sm_rig_free(r);
}

/* A program that leaves no slots makes instances of low priority wait for a window. */
static void throttling(void **state)
{
    (void)state;
    struct bench b = bench_new(
        RIG_KERNEL(
            "mov.u32 %r5,0;\nL: add.u32 %r1,%r5,1; add.u32 %r2,%r5,1; add.u32 %r3,%r5,1;\n"
            "add.u32 %r4,%r5,1; add.u32 %r5,%r5,1; setp.lt.u32 %p1,%r5,60; @%p1 bra L; ret;\n"),
        ON("every:warp_inst:50 priority=low mask=0x1", "red.shared.add.u32 [n], 1;\n"), NULL);
    b.cfg.throttle_window = 64;
    b.cfg.throttle_idle = 0.9; /* nine slots of ten must be idle */
    bench_run(&b, 2, 256);
    assert_true(b.c->stats.throttled_cycles > 0);
    assert_int_equal(b.c->stats.triggered, b.c->stats.finished);
    bench_free(&b);
}

/* What a parent that has ended has triggered is dropped, if the configuration says so. */
static void killed_with_its_parent(void **state)
{
    (void)state;
    static const char kernel[] =
        RIG_KERNEL("ld.param.u64 %rd1,[p]; ld.global.u32 %r1,[%rd1]; ret;\n");
    static const char routine[] =
        ON("load priority=low mask=0x1",
           "mov.u32 %r1,0;\nL: add.u32 %r1,%r1,1; setp.lt.u32 %p,%r1,100; @%p bra L;\n"
           "red.shared.add.u32 [n], 1;\n");
    struct bench b = bench_new(kernel, routine, NULL);
    bench_run(&b, 1, 32);
    assert_int_equal(b.c->stats.killed, 0);
    assert_int_equal(b.c->stats.finished, 1);
    const cycle_t whole = b.r->end;
    b.cfg.kill_at_exit = true;
    bench_run(&b, 1, 32);
    assert_int_equal(b.c->stats.killed, 1);
    assert_int_equal(b.c->stats.finished, 0);
    assert_true(b.r->end < whole); /* the parent's slot was held for it */
    bench_free(&b);
}

/* Live-in values by name; lanes by the mask; stores are told, loads are not. */
static void parameters_by_name(void **state)
{
    (void)state;
    struct bench b = bench_new(
        RIG_KERNEL("ld.param.u64 %rd1,[p]; mov.u32 %r1,%laneid; mul.wide.u32 %rd2,%r1,4;\n"
                   "add.u64 %rd3,%rd1,%rd2; setp.lt.u32 %p1,%r1,5; ld.global.u32 %r2,[%rd3];\n"
                   "@%p1 st.global.u32 [%rd3+64],7; ret;\n"),
        HEAD ".shared .align 16 .u32 of[4]; .shared .u64 at;\n"
             ".entry r(.param .u32 mask, .param .u64 addr, .param .u32 warp, .param .u32 value) {\n"
             ".pragma \"assist on=store priority=low mask=0x80000000\"; .reg .b64 %rd<3>;\n"
             ".reg .b32 %r<9>;\nld.param.u64 %rd1,[addr]; ld.param.u32 %r1,[mask];\n"
             "ld.param.u32 %r2,[warp]; ld.param.u32 %r3,[value]; mov.u32 %r4,%laneid;\n"
             "st.shared.u64 [at],%rd1; st.shared.v4.u32 [of],{%r1,%r2,%r3,%r4}; ret; }\n",
        NULL);
    bench_run(&b, 1, 32);
    uint64_t at;
    uint32_t of[4];
    memcpy(of, awc_shared(b.c, 0), sizeof of);
    memcpy(&at, (const char *)awc_shared(b.c, 0) + sizeof of, sizeof at);
    assert_int_equal(b.c->stats.triggered, 1);
    assert_int_equal(at, b.r->f.buf->base + 64);
    assert_int_equal(of[0], 31);
    assert_int_equal(of[1], 0);
    assert_int_equal(of[2], b.r->kernel->src->insts[6].line);
    assert_int_equal(of[3], 31);
    assert_int_equal(b.r->stats.extra_thread_inst, b.r->stats.extra_inst);
    bench_free(&b);
}

/* Registers of the routine are added to every thread's, unless spare ones are assumed. */
static void registers_cost_room(void **state)
{
    (void)state;
    struct bench b =
        bench_new(movs, ON("store", "mov.u32 %r1,1; mov.u32 %r2,2; add.u32 %r3,%r1,%r2;"), NULL);
    const uint32_t need = b.aws.routines[0].kernel->regs;
    assert_true(need >= 2);
    bench_run(&b, 1, 32);
    assert_int_equal(b.source.extra_registers(b.c, b.r->kernel), need);
    b.cfg.count_registers = false;
    assert_int_equal(b.source.extra_registers(b.c, b.r->kernel), 0);
    bench_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_say_what_is_right), cmocka_unit_test(store_refuses),
        cmocka_unit_test(capacity_is_enforced),     cmocka_unit_test(blocking_instance),
        cmocka_unit_test(branches_flush),           cmocka_unit_test(low_priority_waits),
        cmocka_unit_test(one_instance_a_warp),      cmocka_unit_test(overflow_is_counted),
        cmocka_unit_test(no_trigger_no_change),     cmocka_unit_test(throttling),
        cmocka_unit_test(killed_with_its_parent),   cmocka_unit_test(parameters_by_name),
        cmocka_unit_test(registers_cost_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
