/* Matrix instructions: every form against what an H200 computed (golden/tensor), and the rules of
 * its arithmetic on small examples. */
#include "exec/tensor_int.h"
#include "fixture.h"
#include "support_vectors.h"

struct programs {
    struct device *dev;
    struct program *prog;
    addr_t in, out;
    uint32_t *out_words;
    struct err err;
};

static void programs_open(struct programs *p)
{
    char *ptx = vectors_read("golden/tensor.ptx.zst");
    memset(p, 0, sizeof *p);
    p->dev = device_new(UINT64_C(1) << 28, &p->err);
    struct ptx_module *m = ptx_parse("tensor.ptx", ptx, strlen(ptx), &p->err);
    if (!p->dev || !m || !(p->prog = program_load(p->dev, &m, 1, &p->err)))
        fail_msg("%s", p->err.msg);
    free(ptx);
    p->out = devmem_alloc(p->dev->mem, 1 << 16, 0, MEM_DEVICE, NULL)->base;
    p->out_words = devmem_ptr(p->out);
}

static void programs_input(struct programs *p, char *at)
{
    uint32_t n = 0;
    p->in = devmem_alloc(p->dev->mem, 1 << 20, 0, MEM_DEVICE, NULL)->base;
    uint32_t *words = devmem_ptr(p->in);
    for (char *end; n < 1 << 18; at = end, n++) {
        const uint32_t v = (uint32_t)strtoul(at, &end, 16);
        if (end == at)
            break;
        words[n] = v;
    }
    assert_true(n > 1000);
}

static bool programs_run(struct programs *p, const char *name, uint32_t grid, char *want)
{
    struct launch_result result;
    uint64_t params[2] = {p->in, p->out};
    struct launch l = {.kernel = program_kernel(p->prog, name, &p->err),
                       .grid = {grid, 1, 1},
                       .block = {32, 1, 1},
                       .params = params,
                       .max_inst = 1000000};
    memset(p->out_words, 0, 1 << 16);
    if (!l.kernel || !grid_run(p->dev, &l, &result, &p->err))
        fail_msg("%s: %s", name, p->err.msg);
    unsigned i = 0;
    for (char *end;; want = end, i++) {
        const uint32_t v = (uint32_t)strtoul(want, &end, 16);
        if (end == want)
            return i > 0;
        if (p->out_words[i] != v) {
            print_error("%s: word %u is %x, not %x\n", name, i, p->out_words[i], v);
            return false;
        }
    }
}

static void every_form_is_that_of_an_h200(void **state)
{
    (void)state;
    struct programs p;
    unsigned bad = 0, total = 0, grid = 0;
    char *text = vectors_read("golden/tensor.vec.zst"), *at = text, name[128] = "";
    programs_open(&p);
    for (char *line; (line = vectors_line(&at));) {
        if (!strncmp(line, "input ", 6))
            programs_input(&p, line + 6);
        else if (!strncmp(line, "program ", 8))
            assert_int_equal(sscanf(line, "program %127s | grid %u", name, &grid), 2);
        else if (!strncmp(line, "out ", 4)) {
            bad += !programs_run(&p, name, grid, line + 4);
            total++;
        }
    }
    free(text);
    program_unload(p.prog);
    device_free(p.dev);
    assert_int_equal(bad, 0);
    assert_true(total > 200);
}

/* One row of a against one column of b: a[k] and b[k] are patterns of 16 bits. */
static uint32_t dot_of(enum ptx_type type, unsigned k, const uint16_t *row, const uint16_t *col,
                       uint32_t c)
{
    const enum ptx_type t[4] = {PTX_F32, type, type, PTX_F32};
    struct tensor_mma mma;
    const char *why;
    uint16_t a[256] = {0};
    uint32_t b[128] = {0}, cs[128] = {0}, d[128];
    assert_true(
        tensor_mma_init(&mma, (struct tensor_shape){16, 8, k}, t, false, true, false, &why));
    for (unsigned i = 0; i < k; i++) {
        a[i] = row[i];
        b[(size_t)i * 8] = col[i];
    }
    cs[0] = c;
    tensor_mma_compute(&mma, a, b, cs, d);
    return d[0];
}

static uint32_t f16_dot(unsigned k, const uint16_t *row, const uint16_t *col, uint32_t c)
{
    return dot_of(PTX_F16, k, row, col, c);
}

enum { ONE = 0x3c00, SMALL = 0x1000 /* 2^-11 */, TINY = 0x0001 /* 2^-24 */, BIG = 0x7800 };

static void sums_are_cut_off_not_rounded(void **state)
{
    (void)state;
    const uint16_t a[8] = {ONE, SMALL, SMALL, SMALL};
    const uint16_t three[8] = {ONE, 0x0800, 0x0800, 0x0800}, two[8] = {ONE, 0x0800, 0x0800, 0};
    /* 1 + 3 * 2^-24: one and a half of the last bit; the nearest even would be two */
    assert_int_equal(f16_dot(8, a, three, 0), 0x3f800001);
    /* 1 + 2 * 2^-24: neither is lost on its own, for two bits below the last take part */
    assert_int_equal(f16_dot(8, a, two, 0), 0x3f800001);
}

static void what_is_far_below_the_largest_is_lost(void **state)
{
    (void)state;
    const uint16_t a[10] = {BIG, BIG, TINY}, b[10] = {ONE, 0xbc00, ONE};
    /* 2^15 - 2^15 + 2^-24 is 0: no order of additions would say so */
    assert_int_equal(f16_dot(8, a, b, 0), 0);
    assert_int_equal(f16_dot(8, a + 2, b + 2, 0), 0x33800000);
}

/* bf16: 2^e */
static uint16_t power(int e)
{
    return (uint16_t)((e + 127) << 7);
}

static void products_may_be_beyond_single_precision(void **state)
{
    (void)state;
    const uint16_t tiny[8] = {power(-70), power(-70)}, small[8] = {power(-60), power(-60)};
    const uint16_t huge[8] = {power(100), power(100)}, minus[8] = {power(90), 0x8000 | power(90)};
    assert_int_equal(dot_of(PTX_BF16, 8, tiny, small, 0), 0x00100000); /* 2^-129 */
    assert_int_equal(dot_of(PTX_BF16, 8, huge, minus, 0), 0);
    assert_int_equal(dot_of(PTX_BF16, 8, huge, huge, 0), 0x7f800000);
}

static void infinities_and_nans_follow_ieee(void **state)
{
    (void)state;
    const uint16_t inf[8] = {0x7c00, ONE}, one[8] = {ONE, ONE}, zero[8] = {0, ONE};
    assert_int_equal(f16_dot(8, inf, one, 0), 0x7f800000);
    assert_int_equal(f16_dot(8, inf, zero, 0), 0x7fffffff);
    assert_int_equal(f16_dot(8, inf, one, 0xff800000), 0x7fffffff);
}

static void expect_refused(const char *ptx, const char *piece)
{
    struct fixture f;
    fixture_open(&f, ptx, 256);
    assert_false(fixture_launch(&f, 1, 32, 0));
    if (!strstr(f.err.msg, piece))
        fail_msg("'%s' is not in: %s", piece, f.err.msg);
    fixture_close(&f);
}

static void unknown_forms_are_refused(void **state)
{
    (void)state;
    expect_refused(PTX_KERNEL("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                              "{%f1,%f2,%f3,%f4},{%r1,%r2},{%r5,%r6},{%f1,%f2,%f3,%f4};"),
                   "wrong number of registers");
    expect_refused(PTX_KERNEL("mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 "
                              "{%f1,%f2,%f3,%f4},{%r1,%r2,%r3,%r4},{%r5,%r6},{%f1,%f2,%f3,%f4};"),
                   "not supported");
    expect_refused(
        PTX_KERNEL("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 "
                   "{%f1,%f2,%f3,%f4},{%r1,%r2,%r3,%r4},{%r5,%r6,%r7,%r8},{%f1,%f2,%f3,%f4},"
                   "%r9,0x0;"),
        "not supported");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_is_that_of_an_h200),
        cmocka_unit_test(sums_are_cut_off_not_rounded),
        cmocka_unit_test(what_is_far_below_the_largest_is_lost),
        cmocka_unit_test(products_may_be_beyond_single_precision),
        cmocka_unit_test(infinities_and_nans_follow_ieee),
        cmocka_unit_test(unknown_forms_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
