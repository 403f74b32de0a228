/* Loads and stores the short way do what the checked way does: every width, vector, space, pattern
 * of addresses and mask, once on a device without a checker and once with one, which never goes the
 * short way. Same memory, same registers, same faults in the same words. */
#include "exec/check.h"
#include "exec/fixture.h"

enum { MEM_BYTES = 4096, BLOCKS = 3 };

/* `size` bytes a lane in memory; the registers are %a, %b, %c, %d. */
static const struct form {
    const char *type, *regs, *reg_type;
    unsigned size, nregs;
} forms[] = {
    {"u8", "%a", "b16", 1, 1},
    {"s8", "%a", "b32", 1, 1},
    {"u8", "%a", "b64", 1, 1},
    {"u16", "%a", "b16", 2, 1},
    {"s16", "%a", "b32", 2, 1},
    {"s16", "%a", "b64", 2, 1},
    {"u32", "%a", "b32", 4, 1},
    {"s32", "%a", "b64", 4, 1},
    {"u64", "%a", "b64", 8, 1},
    {"v2.u8", "{%a,%b}", "b16", 2, 2},
    {"v4.s8", "{%a,%b,%c,%d}", "b32", 4, 4},
    {"v2.u16", "{%a,%b}", "b16", 4, 2},
    {"v4.s16", "{%a,%b,%c,%d}", "b32", 8, 4},
    {"v2.u32", "{%a,%b}", "b32", 8, 2},
    {"v2.s32", "{%a,%b}", "b64", 8, 2},
    {"v4.u32", "{%a,%b,%c,%d}", "b32", 16, 4},
    {"v2.u64", "{%a,%b}", "b64", 16, 2},
    {"v4.s32", "{%a,%b,%c,%d}", "b64", 16, 4},
};

/* %r2 = a place by %r1, the thread, in units of the access, %r3; %r5 is how many there are. Some
 * are wrong in the last block, where %p3 is set: by then the short way knows where the lanes may
 * be. */
static const char *const patterns[] = {
    "mov.u32 %r2,%r1;",                                                 /* side by side */
    "mov.u32 %r2,17;",                                                  /* all at one place */
    "shl.b32 %r2,%r1,1;",                                               /* every other one */
    "sub.u32 %r2,40,%r1;",                                              /* backwards */
    "xor.b32 %r2,%r1,5;",                                               /* each its own */
    "mul.lo.u32 %r2,%r1,40503; and.b32 %r2,%r2,63;",                    /* some share one */
    "shr.u32 %r2,%r1,2;",                                               /* fours share one */
    "sub.u32 %r2,%r5,34; add.u32 %r2,%r2,%r1;",                         /* up to the end */
    "sub.u32 %r2,%r5,34; @%p3 add.u32 %r2,%r2,1; add.u32 %r2,%r2,%r1;", /* beyond the end */
    "sub.u32 %r2,%r1,2; @%p3 sub.u32 %r2,%r2,1;",                       /* from before the start */
    "setp.eq.and.u32 %p2,%r1,9,%p3; selp.u32 %r2,0x7000000,%r1,%p2;",   /* one far away */
    "mul.lo.u32 %r2,%r1,0x8421085;",                                    /* a line that goes round */
};

static const uint32_t masks[] = {UINT32_MAX, 0xffff,     0xff0000,   1,         0x80000000,
                                 0xaaaaaaaa, 0xfffffff7, 0x00010100, 0x7fffffff};

/* Registers by mask, then the 4 KB of shared memory. */
#define OUT_OF_BLOCK ((ARRAY_LEN(masks) + 4) * 1024)
#define OUT_BYTES    (BLOCKS * OUT_OF_BLOCK)

struct space {
    const char *name, *address; /* %at: %r4 bytes from the start of the memory */
    const char *at;
};

static const struct space spaces[] = {
    {"global", "cvt.s64.s32 %rd2,%r4; add.s64 %rd2,%rd2,%rd1;", "%rd2"},
    {"shared", "mov.u32 %r5,tile; add.u32 %r5,%r5,%r4;", "%r5"},
    {"shared", "mov.u64 %rd2,tile; cvt.s64.s32 %rd3,%r4; add.s64 %rd2,%rd2,%rd3;", "%rd2"},
    {"", "cvt.s64.s32 %rd2,%r4; add.s64 %rd2,%rd2,%rd1;", "%rd2"},
    {"",
     "mov.u64 %rd2,tile; cvta.shared.u64 %rd2,%rd2; cvt.s64.s32 %rd3,%r4; "
     "add.s64 %rd2,%rd2,%rd3;",
     "%rd2"},
};

struct text {
    char buf[32768];
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

/* What the registers hold after an access goes to %rd9, 1 KB a mask and 32 bytes a thread. */
static void say_registers(struct text *t, const struct form *f, unsigned mask)
{
    static const char *const regs[] = {"%a", "%b", "%c", "%d"};
    for (unsigned k = 0; k < f->nregs; k++)
        say(t, "st.volatile.global.%s [%%rd9+%u],%s;\n", f->reg_type, mask * 1024 + 8 * k, regs[k]);
}

static void say_start(struct text *t, const struct form *f)
{
    t->len = 0;
    say(t,
        PTX_HEAD ".shared .align 16 .b8 tile[4096];\n"
                 ".visible .entry k(.param .u64 p, .param .u64 q)\n{\n"
                 ".reg .pred %%p<4>; .reg .b32 %%r<12>; .reg .b64 %%rd<12>; "
                 ".reg .%s %%a,%%b,%%c,%%d;\n"
                 "ld.param.u64 %%rd1,[p]; ld.param.u64 %%rd9,[q]; mov.u32 %%r1,%%tid.x;\n"
                 "mov.u32 %%r8,%%ctaid.x; mul.lo.u32 %%r8,%%r8,%zu; mad.lo.u32 %%r8,%%r1,32,%%r8;\n"
                 "cvt.u64.u32 %%rd8,%%r8; add.s64 %%rd9,%%rd9,%%rd8;\n"
                 "mov.u32 %%r8,%%ctaid.x; setp.eq.u32 %%p3,%%r8,2;\n"
                 "mov.u32 %%r7,tile; mad.lo.u32 %%r7,%%r1,128,%%r7;\n",
        f->reg_type, OUT_OF_BLOCK);
    for (unsigned i = 0; i < 128; i += 4)
        say(t, "mad.lo.u32 %%r9,%%r1,77003,%u; st.volatile.shared.u32 [%%r7+%u],%%r9;\n",
            i * 40503 + 0x91827364, i);
    say(t, "bar.sync 0;\n");
}

static void say_access(struct text *t, const struct form *f, const struct space *s, bool is_load)
{
    const char *dot = *s->name ? "." : "";
    if (is_load)
        say(t, "@%%p1 ld%s%s.%s %s,[%s+%u];\n", dot, s->name, f->type, f->regs, s->at, 2 * f->size);
    else
        say(t, "@%%p1 st%s%s.%s [%s+%u],%s;\n", dot, s->name, f->type, s->at, 2 * f->size, f->regs);
}

static void say_kernel(struct text *t, const struct form *f, const char *pattern, int off,
                       const struct space *s, bool is_load)
{
    const char *r = f->reg_type;
    say_start(t, f);
    say(t, "mov.u32 %%r3,%u; mov.u32 %%r5,%u;\n%s\nmad.lo.u32 %%r4,%%r2,%%r3,%d;\n%s\n", f->size,
        MEM_BYTES / f->size, pattern, off, s->address);
    for (unsigned i = 0; i < ARRAY_LEN(masks); i++) {
        say(t, "shr.u32 %%r9,%u,%%r1; and.b32 %%r9,%%r9,1; setp.ne.u32 %%p1,%%r9,0;\n", masks[i]);
        say(t,
            "mad.lo.u32 %%r9,%%r1,1103515245,%u; cvt.u%s.u32 %%a,%%r9; not.%s %%b,%%a;\n"
            "xor.%s %%c,%%a,21; not.%s %%d,%%c;\n",
            i, r + 1, r, r, r);
        say_access(t, f, s, is_load);
        say_registers(t, f, i);
    }
    say(t, "bar.sync 0;\n");
    for (unsigned i = 0; i < 128; i += 4)
        say(t, "ld.volatile.shared.u32 %%r9,[%%r7+%u]; st.volatile.global.u32 [%%rd9+%zu],%%r9;\n",
            i, (ARRAY_LEN(masks) + i / 32) * 1024 + i % 32);
    say(t, "ret;\n}\n");
}

/* A device, the memory that kernels access, where they put what they have seen, a checker. */
struct setup {
    struct device *dev;
    struct mem_alloc *mem, *out;
    struct checker *check;
    unsigned good, bad;
};

struct outcome {
    char msg[1024];
    char mem[MEM_BYTES], out[OUT_BYTES];
};

static void ignore(const char *msg, void *arg)
{
    (void)msg;
    (void)arg;
}

static void setup_open(struct setup *s)
{
    struct err err;
    *s = (struct setup){.dev = device_new(UINT64_C(1) << 30, &err)};
    assert_non_null(s->dev);
    s->mem = devmem_alloc(s->dev->mem, MEM_BYTES, 0, MEM_DEVICE, NULL);
    s->out = devmem_alloc(s->dev->mem, OUT_BYTES, 0, MEM_DEVICE, NULL);
    s->check = checker_new(true, true, ignore, NULL);
}

static void setup_close(struct setup *s)
{
    device_free(s->dev);
    checker_free(s->check);
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
    struct launch l = {.kernel = k,
                       .grid = {BLOCKS, 1, 1},
                       .block = {WARP_LANES, 1, 1},
                       .params = params,
                       .max_inst = 100000};
    struct launch_result result;
    s->dev->check = is_checked ? s->check : NULL;
    const bool is_good = grid_run(s->dev, &l, &result, &err);
    snprintf(o->msg, sizeof o->msg, "%s", is_good ? "" : err.msg);
    memcpy(o->mem, words, sizeof o->mem);
    memcpy(o->out, devmem_ptr(s->out->base), sizeof o->out);
    program_unload(p);
}

static void compare(struct setup *s, const struct text *t)
{
    static struct outcome checked, brief;
    run(s, t, true, &checked);
    run(s, t, false, &brief);
    if (strcmp(checked.msg, brief.msg))
        fail_msg("'%s', but the checked way says '%s' of:\n%s", brief.msg, checked.msg, t->buf);
    if (memcmp(checked.mem, brief.mem, sizeof brief.mem) ||
        memcmp(checked.out, brief.out, sizeof brief.out))
        fail_msg("another result than the checked way:\n%s", t->buf);
    if (*brief.msg)
        s->bad++;
    else
        s->good++;
}

static void compare_all(bool is_load)
{
    struct setup s;
    static struct text t;
    setup_open(&s);
    for (size_t f = 0; f < ARRAY_LEN(forms); f++)
        for (size_t p = 0; p < ARRAY_LEN(patterns); p++)
            for (size_t k = 0; k < 2; k++) { /* every form meets every space, and every pattern */
                say_kernel(&t, &forms[f], patterns[p], 0, &spaces[(f + p + 2 * k) % 5], is_load);
                compare(&s, &t);
            }
    for (size_t f = 0; f < ARRAY_LEN(forms); f++) { /* misaligned */
        say_kernel(&t, &forms[f], patterns[f % 4], (int)forms[f].size / 2, &spaces[f % 5], is_load);
        compare(&s, &t);
    }
    assert_true(s.good > 200 && s.bad > 100);
    setup_close(&s);
}

static void loads_are_what_the_checked_way_loads(void **state)
{
    (void)state;
    compare_all(true);
}

static void stores_are_what_the_checked_way_stores(void **state)
{
    (void)state;
    compare_all(false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_are_what_the_checked_way_loads),
        cmocka_unit_test(stores_are_what_the_checked_way_stores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
