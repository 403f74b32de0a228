/* Translated runs do what their operations do one by one: random runs of every form that the
 * translator knows, on registers that alias, under guards and masks. */
#include "exec/runs.h"
#include "exec/support_forms.h"
#include "exec/translator.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CLASSES = 4, EACH = 4, REGS = CLASSES * EACH, REG_BYTES = 8 * WARP_LANES };
enum { CC = REGS, CONST = REGS + 1, SLOTS = CONST + CLASSES };
enum { MAX_OPS = 12, RUNS = 48 };
static const unsigned class_bytes[CLASSES] = {0, 2, 4, 8};

struct frame_regs {
    _Alignas(64) char bytes[SLOTS][REG_BYTES];
};

struct case_run {
    struct lane_form form[MAX_OPS];
    struct xinst inst[MAX_OPS];
    struct run_op ops[MAX_OPS];
    uint32_t n, mask;
    bool is_dead[REGS];
    unsigned directed; /* if not 0, every so-manieth operation rounds otherwise than to nearest */
    struct frame_regs in;
};

static unsigned class_of(unsigned bytes)
{
    return bytes == 8 ? 3 : bytes / 2;
}

/* A register of so many bytes, or now and then, for a source, a constant. */
static struct lane_ref pick_ref(struct form_source *s, unsigned bytes, bool is_source)
{
    if (bytes == 0xff)
        return (struct lane_ref){.none = true};
    const unsigned c = class_of(bytes);
    struct lane_ref ref = {.bytes = (uint8_t)bytes};
    ref.off = (uint32_t)((c * EACH + s->below(s, EACH)) * REG_BYTES);
    if (is_source && bytes && s->below(s, 4) == 0) {
        ref.sel = LANE_CONST;
        ref.off = (CONST + c) * REG_BYTES;
    }
    if (is_source && !bytes)
        ref.neg = s->below(s, 2);
    return ref;
}

static bool make_op(struct case_run *r, const struct translator *tr, struct form_source *s)
{
    struct lane_form *f = &r->form[r->n];
    struct xinst *x = &r->inst[r->n];
    const char *why;
    form_make(f, (unsigned)s->below(s, forms_count()), s);
    if (f->d == 16 || f->src[0] == 16)
        return false;
    *x = (struct xinst){.kind = X_LANE, .src = &f->inst};
    x->lane.d = pick_ref(s, f->d, false);
    x->lane.d2 = pick_ref(s, f->d2, false);
    if (!x->lane.d2.none && x->lane.d2.off == x->lane.d.off)
        x->lane.d2.none = true;
    for (unsigned k = 0; k < 4; k++)
        x->lane.src[k] = pick_ref(s, f->src[k], true);
    x->lane.cc = (struct lane_ref){.off = CC * REG_BYTES};
    x->has_guard = s->below(s, 4) == 0;
    x->guard_neg = s->below(s, 2);
    x->guard_off = (uint32_t)s->below(s, EACH) * REG_BYTES;
    if (!lanes_select(&f->inst, &x->lane, &why) || !runs_describe(x, &r->ops[r->n]) ||
        !tr->knows(&r->ops[r->n]) ||
        (r->directed && r->n % r->directed == 0 && !r->ops[r->n].in_mode))
        return false;
    r->ops[r->n].d_is_live = x->lane.d.none || !r->is_dead[x->lane.d.off / REG_BYTES];
    return true;
}

static void fill(struct case_run *r, struct form_source *s)
{
    for (unsigned reg = 0; reg < SLOTS; reg++) {
        const unsigned bytes = class_bytes[reg < REGS ? reg / EACH : reg == CC ? 0 : reg - CONST];
        uint64_t v = form_operand(s, bytes ? bytes : 4);
        for (unsigned l = 0; l < WARP_LANES; l++) {
            if (reg < CC)
                v = form_operand(s, bytes ? bytes : 4);
            memcpy(r->in.bytes[reg] + l * (bytes ? bytes : 4), &v, bytes ? bytes : 4);
        }
    }
}

static void make_run(struct case_run *r, const struct translator *tr, struct form_source *s)
{
    const uint32_t n = 1 + (uint32_t)s->below(s, MAX_OPS);
    r->n = 0;
    r->mask = s->below(s, 2) ? UINT32_MAX : (uint32_t)s->below(s, UINT64_C(1) << 32);
    for (unsigned k = 0; k < REGS; k++)
        r->is_dead[k] = k >= EACH && s->below(s, 4) == 0;
    fill(r, s);
    while (r->n < n)
        r->n += make_op(r, tr, s);
}

/* One by one for the lanes of `mask`; returns how many the guarded ones were done for. */
static uint32_t run_singly(const struct case_run *r, char *const *base, uint32_t mask)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        const struct xinst *x = &r->inst[i];
        uint32_t p, m = mask;
        memcpy(&p, base[LANE_REGS] + x->guard_off, sizeof p);
        if (x->has_guard) {
            m &= x->guard_neg ? ~p : p;
            count += (uint32_t)__builtin_popcount(m);
        }
        if (m)
            x->lane.fn(&x->lane, base, m);
    }
    return count;
}

static void print_run(const struct case_run *r)
{
    for (uint32_t i = 0; i < r->n; i++) {
        const struct lane_op *op = &r->inst[i].lane;
        print_error("  %s%s %u, %u %u %u %u\n", r->inst[i].has_guard ? "@p " : "", r->form[i].text,
                    op->d.off / REG_BYTES, op->src[0].off / REG_BYTES, op->src[1].off / REG_BYTES,
                    op->src[2].off / REG_BYTES, op->src[3].off / REG_BYTES);
    }
}

static bool is_same(const struct case_run *r, const struct frame_regs *want,
                    const struct frame_regs *got)
{
    for (unsigned reg = 0; reg < REGS + 1; reg++) {
        const unsigned bytes = reg < REGS && reg >= EACH ? class_bytes[reg / EACH] : 4;
        for (unsigned l = 0; l < (reg < EACH || reg == CC ? 1 : WARP_LANES); l++) {
            uint64_t w = 0, g = 0;
            memcpy(&w, want->bytes[reg] + l * bytes, bytes);
            memcpy(&g, got->bytes[reg] + l * bytes, bytes);
            if (w == g || (reg < REGS && r->is_dead[reg]))
                continue;
            print_error("register %u lane %u is %llx, not %llx, after\n", reg, l,
                        (unsigned long long)g, (unsigned long long)w);
            print_run(r);
            return false;
        }
    }
    return true;
}

/* Returns the strips that were left. */
static unsigned check_run(const struct case_run *r, run_fn fn)
{
    static struct frame_regs want, got;
    want = got = r->in;
    char *const wanted[LANE_BASES] = {want.bytes[0], want.bytes[0], want.bytes[0], want.bytes[0]};
    char *const base[LANE_BASES] = {got.bytes[0], got.bytes[0], got.bytes[0], got.bytes[0]};
    const uint32_t count = run_singly(r, wanted, r->mask);
    if (!r->mask)
        return 0;
    const uint64_t out = fn(base, r->mask, NULL);
    const uint32_t left = runs_left(out) & r->mask;
    const uint32_t rest = left ? run_singly(r, base, left) : 0;
    assert_true(is_same(r, &want, &got));
    assert_int_equal(count, (uint32_t)out + rest);
    return (unsigned)__builtin_popcount((uint32_t)(out >> 32));
}

static void check_batch(struct case_run *runs, const struct translator *tr, struct form_source *s,
                        unsigned *left)
{
    struct run_text texts[RUNS];
    run_fn fn[RUNS];
    for (unsigned i = 0; i < RUNS; i++) {
        make_run(&runs[i], tr, s);
        texts[i] = (struct run_text){.ops = runs[i].ops,
                                     .nops = runs[i].n,
                                     .consts = runs[i].in.bytes[0],
                                     .frame_bytes = sizeof runs[i].in};
    }
    void *code = tr->translate(texts, RUNS, fn);
    assert_non_null(code);
    for (unsigned i = 0; i < RUNS; i++)
        for (unsigned k = 0; k < 8; k++) {
            *left += check_run(&runs[i], fn[i]);
            for (unsigned reg = 0; reg < CONST; reg++) /* other lanes' values, other masks */
                for (unsigned b = 0; b < REG_BYTES; b += 8)
                    if (s->below(s, 8) == 0)
                        runs[i].in.bytes[reg][b + s->below(s, 8)] ^= (char)s->below(s, 256);
            runs[i].mask = s->below(s, 3) ? UINT32_MAX : (uint32_t)s->below(s, UINT64_C(1) << 32);
        }
    tr->drop(code);
}

static const struct translator *translator_or_skip(void)
{
    const struct translator *tr = translator_get();
#ifdef PARSIM_HAS_JIT
    if (cpu_level() >= CPU_avx2)
        assert_non_null(tr);
#endif
    if (!tr)
        skip();
    return tr;
}

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? (uint64_t)atoll(text) : otherwise;
}

static void random_runs(void **state)
{
    const struct translator *tr = translator_or_skip();
    const unsigned n = (unsigned)from_environment("PARSIM_ROUNDS", 2);
    struct form_random r = {{form_random_below}, from_environment("PARSIM_SEED", 1)};
    struct case_run *runs = xcalloc(RUNS, sizeof *runs);
    unsigned left = 0;
    (void)state;
    for (unsigned i = 0; i < n; i++)
        check_batch(runs, tr, &r.base, &left);
    free(runs);
    /* Most strips meet no NaN in double precision. */
    assert_true(left < n * RUNS * WARP_LANES / 3);
}

/* They are rare among all forms, and made up by hand. */
static void random_directed_roundings(void **state)
{
    const struct translator *tr = translator_or_skip();
    const unsigned n = (unsigned)from_environment("PARSIM_ROUNDS", 1);
    struct form_random r = {{form_random_below}, from_environment("PARSIM_SEED", 11)};
    struct case_run *runs = xcalloc(RUNS, sizeof *runs);
    unsigned left = 0;
    (void)state;
    for (unsigned i = 0; i < RUNS; i++)
        runs[i].directed = 1 + i % 2;
    for (unsigned i = 0; i < n; i++)
        check_batch(runs, tr, &r.base, &left);
    free(runs);
}

/* What kernels are made of is known, or this test would test nothing. */
static void common_operations_are_known(void **state)
{
    static const char *const texts[] = {"add", "sub", "mul", "mad",  "fma", "setp", "selp", "shl",
                                        "shr", "and", "or",  "xor",  "cvt", "mov",  "min",  "max",
                                        "div", "rcp", "ex2", "lop3", "shf", "prmt", "bfe",  "popc"};
    const struct translator *tr = translator_or_skip();
    struct form_random s = {{form_random_below}, 3};
    bool known[ARRAY_LEN(texts)] = {false};
    struct case_run *r = xcalloc(1, sizeof *r);
    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        if (!make_op(r, tr, &s.base))
            continue;
        for (size_t k = 0; k < ARRAY_LEN(texts); k++)
            known[k] |= !strncmp(r->form[0].text, texts[k], strlen(texts[k]));
    }
    for (size_t k = 0; k < ARRAY_LEN(texts); k++)
        if (!known[k])
            fail_msg("no form of %s is translated", texts[k]);
    free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(common_operations_are_known),
        cmocka_unit_test(random_runs),
        cmocka_unit_test(random_directed_roundings),
    };
    setenv("PARSIM_JIT", "always", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
