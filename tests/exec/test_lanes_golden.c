/* Every instruction form of tests/golden computes what a real GPU computed, on every CPU level of
 * this host, under full and partial masks, and in place. */
#include "exec/support_golden.h"
#include "exec/support_lanes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct tally {
    enum cpu_level level;
    unsigned cases, failed;
};

/* An instruction of the case: one, or the two of the carry chains. */
struct step {
    struct ptx_inst inst;
    struct ptx_operand ops[6];
};

static bool step_init(struct step *s, const char *text)
{
    size_t len = strcspn(text, " +");
    memset(s, 0, sizeof *s);
    if (!lanes_parse_op(text, len, &s->inst))
        return false;
    s->inst.ops = s->ops;
    const char *lut = strstr(text, "immLut=");
    if (lut) {
        s->inst.nops = 5;
        s->ops[4] = (struct ptx_operand){.kind = PTX_OPND_IMM,
                                         .imm = strtoll(lut + strlen("immLut="), NULL, 0)};
    }
    return true;
}

/* bfi's last input holds position and length. */
static void bind(const struct golden_case *c, const struct step *s, struct lanes_bench *b)
{
    unsigned src[4] = {0xff, 0xff, 0xff, 0xff};
    for (unsigned k = 0; k < c->nin; k++)
        src[k] = lanes_type_bytes(c->in[k]);
    if (s->inst.op == PTX_OP_BFI)
        src[3] = 4;
    lanes_bench_init(b, lanes_type_bytes(c->out[0]),
                     c->nout > 1 ? lanes_type_bytes(c->out[1]) : 0xff, src);
}

static void put_args(const struct golden_case *c, const struct step *s, struct lanes_bench *b,
                     unsigned row, unsigned lane)
{
    for (unsigned k = 0; k < c->nin; k++) {
        uint64_t v = c->args[row][k];
        if (c->in[k] == PTX_S8)
            v = (uint64_t)(int8_t)v;
        if (s->inst.op == PTX_OP_BFI && k == 2) {
            lanes_bench_put(b, BENCH_SRC + 3, 4, lane, v >> 8 & 0xff);
            v &= 0xff;
        }
        lanes_bench_put(b, BENCH_SRC + k, lanes_type_bytes(c->in[k]), lane, v);
    }
}

static void report(const struct golden_case *c, unsigned row, uint64_t got, unsigned out,
                   const char *how)
{
    fprintf(stderr, "%s %s (%s):", c->name, c->op, how);
    for (unsigned k = 0; k < c->nin; k++)
        fprintf(stderr, " %llx", (unsigned long long)c->args[row][k]);
    fprintf(stderr, " > %llx, got %llx\n", (unsigned long long)c->want[row][out],
            (unsigned long long)got);
}

static uint64_t get_out(const struct golden_case *c, const struct lanes_bench *b, unsigned out,
                        unsigned lane, unsigned reg)
{
    uint64_t v = lanes_bench_get(b, reg, lanes_type_bytes(c->out[out]), lane);
    return ptx_type_bits(c->out[out]) == 8 ? v & 0xff : v;
}

static unsigned check_rows(const struct golden_case *c, const struct step *s,
                           const struct lanes_bench *proto, uint32_t mask, bool in_place)
{
    unsigned bad = 0;
    for (unsigned first = 0; first < c->nrows; first += WARP_LANES) {
        struct lanes_bench b = *proto;
        unsigned reg = BENCH_D;
        memset(b.regs, 0xa5, sizeof b.regs);
        for (unsigned l = 0; l < WARP_LANES; l++)
            put_args(c, s, &b, (first + l) % c->nrows, l);
        if (in_place) {
            b.op.d = b.op.src[0];
            reg = BENCH_SRC;
        }
        const struct lanes_bench before = b;
        lanes_bench_run(&b, mask);
        for (unsigned l = 0; l < WARP_LANES; l++)
            for (unsigned k = 0; k < c->nout; k++) {
                const unsigned row = (first + l) % c->nrows, r = k ? BENCH_D2 : reg;
                const uint64_t got = get_out(c, &b, k, l, r);
                const bool active = mask >> l & 1;
                if (active ? golden_accepts(c->tolerance, c->out[k], c->want[row][k], got)
                           : got == get_out(c, &before, k, l, r))
                    continue;
                if (!bad++)
                    report(c, row, got, k, active ? in_place ? "in place" : "result" : "inactive");
            }
    }
    return bad;
}

static void run_single(const struct golden_case *c, struct tally *t)
{
    struct step s;
    struct lanes_bench b;
    const char *why = "unknown";
    t->cases++;
    if (step_init(&s, c->op)) {
        bind(c, &s, &b);
        if (lanes_select_at(t->level, &s.inst, &b.op, &why)) {
            unsigned bad = check_rows(c, &s, &b, UINT32_MAX, false);
            bad += check_rows(c, &s, &b, 0x5a3cf00f, false);
            if (c->in[0] == c->out[0] || lanes_type_bytes(c->in[0]) == lanes_type_bytes(c->out[0]))
                bad += c->out[0] == PTX_PRED || c->in[0] == PTX_PRED
                           ? 0
                           : check_rows(c, &s, &b, UINT32_MAX, true);
            t->failed += bad != 0;
            return;
        }
    }
    fprintf(stderr, "%s %s: %s\n", c->name, c->op, why);
    t->failed++;
}

/* Two instructions on the halves of 64-bit numbers, the flag between them. */
static void run_chain(const struct golden_case *c, struct tally *t)
{
    static const unsigned widths[4] = {4, 4, 4, 0xff}, two[4] = {4, 4, 0xff, 0xff};
    const bool is_mad = !strncmp(c->op, "mad", 3);
    const char *text[2] = {c->op, strchr(c->op, '+') + 1};
    unsigned bad = 0;
    t->cases++;
    for (unsigned row = 0; row < c->nrows; row++) {
        uint64_t got = 0, carry = 0;
        for (unsigned half = 0; half < 2; half++) {
            struct step s;
            struct lanes_bench b;
            const char *why;
            lanes_bench_init(&b, 4, 0xff, is_mad ? widths : two);
            assert_true(step_init(&s, text[half]));
            assert_true(lanes_select_at(t->level, &s.inst, &b.op, &why));
            for (unsigned k = 0; k < c->nin; k++)
                lanes_bench_put(&b, BENCH_SRC + k, 4, 5,
                                c->args[row][k] >> (is_mad && k < 2 ? 0 : 32 * half));
            lanes_bench_put(&b, BENCH_CC, 0, 5, carry);
            lanes_bench_run(&b, UINT32_MAX);
            got |= lanes_bench_get(&b, BENCH_D, 4, 5) << (32 * half);
            carry = lanes_bench_get(&b, BENCH_CC, 0, 5);
        }
        if (got != c->want[row][0] && !bad++)
            report(c, row, got, 0, "chain");
    }
    t->failed += bad != 0;
}

static void run_case(const struct golden_case *c, void *arg)
{
    if (strchr(c->op, '+'))
        run_chain(c, arg);
    else
        run_single(c, arg);
}

static void check_family(const char *family, unsigned cases)
{
    for (enum cpu_level level = CPU_base; level <= cpu_level(); level++) {
        struct tally t = {.level = level};
        assert_true(golden_each(family, run_case, &t));
        fprintf(stderr, "%s at %s: %u of %u pass\n", family, cpu_level_name(level),
                t.cases - t.failed, t.cases);
        assert_int_equal(t.failed, 0);
        assert_int_equal(t.cases, cases);
    }
}

#define FAMILY(name, cases)                 \
    static void golden_##name(void **state) \
    {                                       \
        (void)state;                        \
        check_family(#name, cases);         \
    }
FAMILY(int, 127)
FAMILY(logic, 49)
FAMILY(cmp, 120)
FAMILY(f32, 109)
FAMILY(f64, 33)
FAMILY(sfu, 18)
FAMILY(half, 62)
FAMILY(cvt, 346)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_int),  cmocka_unit_test(golden_logic), cmocka_unit_test(golden_cmp),
        cmocka_unit_test(golden_f32),  cmocka_unit_test(golden_f64),   cmocka_unit_test(golden_sfu),
        cmocka_unit_test(golden_half), cmocka_unit_test(golden_cvt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
