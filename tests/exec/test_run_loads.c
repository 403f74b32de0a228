/* Loads in translated runs read what the checked way reads: every width, space and pattern, by a
 * load that looks how its lanes lie and by one that is known to scatter, under guards, and with
 * lanes out of range. Where everything is translated at once, loads at even places of the code are
 * of the first kind and those at odd ones of the second (runs.c): some kernels are shifted by one.
 */
#include "exec/check.h"
#include "exec/fixture.h"

enum { MEM_BYTES = 4096, OUT_BYTES = WARP_LANES * 64 };

static const struct form {
    const char *type, *regs, *reg_type;
    unsigned size, nregs;
} forms[] = {
    {"u8", "%a", "b16", 1, 1},           {"s8", "%a", "b32", 1, 1},
    {"s16", "%a", "b64", 2, 1},          {"u32", "%a", "b32", 4, 1},
    {"u64", "%a", "b64", 8, 1},          {"v4.s16", "{%a,%b,%c,%d}", "b32", 8, 4},
    {"v2.u32", "{%a,%b}", "b32", 8, 2},  {"v4.u32", "{%a,%b,%c,%d}", "b32", 16, 4},
    {"v2.u64", "{%a,%b}", "b64", 16, 2},
};

/* %r2 = a place by %r1, the lane, in units of the access; the last two are wrong where %p2 is set,
 * in the second warp: by then the short way knows where the lanes may be. */
static const char *const patterns[] = {
    "mov.u32 %r2,%r1;",                                                 /* side by side */
    "mov.u32 %r2,17;",                                                  /* all at one place */
    "mul.lo.u32 %r2,%r1,40503; and.b32 %r2,%r2,63;",                    /* each its own */
    "sub.u32 %r2,40,%r1; @%p2 add.u32 %r2,%r2,0x7000000;",              /* far away */
    "xor.b32 %r2,%r1,5; mul.lo.u32 %r2,%r2,3; @%p2 sub.u32 %r2,%r2,40;" /* before the start */
};

static const struct space {
    const char *name, *address, *at;
} spaces[] = {
    {".global", "cvt.s64.s32 %rd2,%r4; add.s64 %rd2,%rd2,%rd1;", "%rd2"},
    {".shared", "mov.u32 %r6,tile; add.u32 %r6,%r6,%r4;", "%r6"},
    {"",
     "mov.u64 %rd2,tile; cvta.shared.u64 %rd2,%rd2; cvt.s64.s32 %rd3,%r4; add.s64 "
     "%rd2,%rd2,%rd3;",
     "%rd2"},
};

struct text {
    char buf[8192];
    size_t len;
};

PRINTF_LIKE(2, 3) static void say(struct text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    t->len += (size_t)vsnprintf(t->buf + t->len, sizeof t->buf - t->len, fmt, ap);
    va_end(ap);
    assert_true(t->len < sizeof t->buf);
}

/* One load for odd lanes and one for all; what they have read goes to %rd9. */
static void say_loads(struct text *t, const struct form *f, const struct space *s)
{
    static const char *const regs[] = {"%a", "%b", "%c", "%d"};
    say(t, "@%%p1 ld%s.%s %s,[%s+%u];\n", s->name, f->type, f->regs, s->at, f->size);
    for (unsigned k = 0; k < f->nregs; k++)
        say(t, "xor.%s %%e%u,%s,%u;\n", f->reg_type, k, regs[k], k);
    say(t, "ld%s.%s %s,[%s];\n", s->name, f->type, f->regs, s->at);
    for (unsigned k = 0; k < f->nregs; k++) {
        say(t, "st.global.%s [%%rd9+%u],%s;\n", f->reg_type, 8 * k, regs[k]);
        say(t, "st.global.%s [%%rd9+%u],%%e%u;\n", f->reg_type, 32 + 8 * k, k);
    }
}

static void say_kernel(struct text *t, const struct form *f, const char *pattern,
                       const struct space *s, bool is_shifted)
{
    const char *r = f->reg_type;
    t->len = 0;
    say(t,
        PTX_HEAD
        ".shared .align 16 .b8 tile[%d];\n.visible .entry k(.param .u64 p, .param .u64 q)\n"
        "{\n.reg .pred %%p<4>; .reg .b32 %%r<12>; .reg .b64 %%rd<12>; "
        ".reg .%s %%a,%%b,%%c,%%d,%%e<4>;\n",
        MEM_BYTES, r);
    say(t, "ld.param.u64 %%rd1,[p]; ld.param.u64 %%rd9,[q]; mov.u32 %%r1,%%tid.x;\n"
           "setp.ge.u32 %%p2,%%r1,32; and.b32 %%r1,%%r1,31; mul.wide.u32 %%rd8,%%r1,64;\n"
           "add.s64 %%rd9,%%rd9,%%rd8; mov.u32 %%r7,tile; mad.lo.u32 %%r7,%%r1,128,%%r7;\n");
    for (unsigned i = 0; i < 128; i += 4)
        say(t, "mad.lo.u32 %%r9,%%r1,77003,%u; st.shared.u32 [%%r7+%u],%%r9;\n",
            i * 40503 + 0x91827364, i);
    say(t, "bar.sync 0;\n%s\nmul.lo.u32 %%r4,%%r2,%u;\n%s\n", pattern, f->size, s->address);
    say(t, "and.b32 %%r9,%%r1,1; setp.ne.u32 %%p1,%%r9,0; cvt.u%s.u32 %%a,%%r1;\n", r + 1);
    say(t, "not.%s %%b,%%a; xor.%s %%c,%%a,21; not.%s %%d,%%c;\n", r, r, r);
    say(t, "%s", is_shifted ? "add.u32 %r8,%r1,1;\n" : "");
    say_loads(t, f, s);
    say(t, "ret;\n}\n");
}

struct outcome {
    char msg[1024];
    uint64_t warp_inst, thread_inst;
    char out[OUT_BYTES];
};

struct setup {
    struct device *dev;
    struct mem_alloc *mem, *out;
    struct checker *check;
};

static void ignore(const char *msg, void *arg)
{
    (void)msg;
    (void)arg;
}

static void run(struct setup *s, const struct text *t, bool is_checked, struct outcome *o)
{
    struct err err = {0};
    uint32_t *words = devmem_ptr(s->mem->base);
    for (unsigned i = 0; i < MEM_BYTES / 4; i++)
        words[i] = i * 0x9e3779b9 + 0x81828384;
    memset(devmem_ptr(s->out->base), 0, OUT_BYTES);
    struct ptx_module *m = ptx_parse("test.ptx", t->buf, t->len, &err);
    struct program *p = m ? program_load(s->dev, &m, 1, &err) : NULL;
    struct kernel *k = p ? program_kernel(p, "k", &err) : NULL;
    if (!k)
        fail_msg("%s in:\n%s", err.msg, t->buf);
    uint64_t params[] = {s->mem->base, s->out->base};
    struct launch l = {.kernel = k, .grid = {2, 1, 1}, .block = {64, 1, 1}, .params = params};
    struct launch_result result;
    s->dev->check = is_checked ? s->check : NULL;
    const bool is_good = grid_run(s->dev, &l, &result, &err);
    snprintf(o->msg, sizeof o->msg, "%s", is_good ? "" : err.msg);
    o->warp_inst = result.warp_inst;
    o->thread_inst = result.thread_inst;
    memcpy(o->out, devmem_ptr(s->out->base), sizeof o->out);
    program_unload(p);
}

static void compare(struct setup *s, const struct text *t, unsigned *faults)
{
    static struct outcome checked, brief;
    run(s, t, true, &checked);
    run(s, t, false, &brief);
    if (strcmp(checked.msg, brief.msg))
        fail_msg("'%s', but the checked way says '%s' of:\n%s", brief.msg, checked.msg, t->buf);
    if (memcmp(checked.out, brief.out, sizeof brief.out))
        fail_msg("another result than the checked way:\n%s", t->buf);
    assert_int_equal(checked.warp_inst, brief.warp_inst);
    assert_int_equal(checked.thread_inst, brief.thread_inst);
    *faults += *brief.msg != 0;
}

static void loads_in_runs_are_what_the_checked_way_loads(void **state)
{
    struct err err = {0};
    struct setup s = {.dev = device_new(UINT64_C(1) << 30, &err)};
    static struct text t;
    unsigned faults = 0;
    (void)state;
    assert_non_null(s.dev);
    s.mem = devmem_alloc(s.dev->mem, MEM_BYTES, 0, MEM_DEVICE, NULL);
    s.out = devmem_alloc(s.dev->mem, OUT_BYTES, 0, MEM_DEVICE, NULL);
    s.check = checker_new(true, true, ignore, NULL);
    for (unsigned f = 0; f < ARRAY_LEN(forms); f++)
        for (unsigned p = 0; p < ARRAY_LEN(patterns); p++) {
            const struct space *at = &spaces[(f + p) % ARRAY_LEN(spaces)];
            say_kernel(&t, &forms[f], patterns[p], at, (f + p) % 2);
            compare(&s, &t, &faults);
        }
    assert_int_equal(faults, 2 * ARRAY_LEN(forms)); /* the last two patterns */
    device_free(s.dev);
    checker_free(s.check);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_in_runs_are_what_the_checked_way_loads),
    };
    setenv("PARSIM_JIT", "always", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
