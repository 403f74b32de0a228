/* Registers that a thread gets, and what is spilled when it needs more. */
#include "ptx/support_parse.h"

#include "base/rng.h"
#include "ptx/liveness.h"

static const struct ptx_reg_limits fermi = {.thread = 63, .sm = 32768, .unit = 64};
static const struct ptx_reg_limits hopper = {.thread = 255, .sm = 65536, .unit = 256};

static uint32_t given(const char *directives, uint32_t need, const struct ptx_reg_limits *limits)
{
    char text[256];
    snprintf(text, sizeof text, PTX_HEAD ".entry k() %s { ret; }\n", directives);
    struct ptx_module *m = parse_text(text);
    uint32_t n = ptx_regs_given(first_func(m), need, limits);
    ptx_module_free(m);
    return n;
}

static void a_thread_gets_what_the_gpu_and_the_directives_allow(void **state)
{
    struct ptx_reg_limits fixed = hopper;
    (void)state;
    assert_int_equal(given("", 40, &fermi), 40);
    assert_int_equal(given("", 107, &fermi), 63);
    assert_int_equal(given("", 451, &hopper), 255);
    assert_int_equal(given(".maxnreg 32", 40, &hopper), 32);
    assert_int_equal(given(".maxntid 1024", 100, &hopper), 64);
    assert_int_equal(given(".maxntid 1024", 100, &fermi), 32);
    assert_int_equal(given(".maxntid 96", 300, &hopper), 255);
    assert_int_equal(given(".maxntid 16, 16", 200, &hopper), 200);
    assert_int_equal(given(".maxntid 256 .minnctapersm 4", 200, &hopper), 64);
    assert_int_equal(given(".reqntid 512 .minnctapersm 64", 200, &hopper), 16);
    /* products that do not fit into 64 bits, among them 0 */
    assert_int_equal(given(".maxntid 2147483648, 2147483648, 4", 200, &hopper), 16);
    assert_int_equal(
        given(".maxntid 4294967295, 4294967295, 4294967295 .minnctapersm 4294967295", 200, &hopper),
        16);
    fixed.fixed = 300;
    assert_int_equal(given(".maxntid 1024", 100, &fixed), 300);
}

static uint32_t spilled(const char *body, uint32_t registers, uint32_t *place, uint32_t n)
{
    struct ptx_module *m = parse_body_text(body);
    const struct ptx_func *f = first_func(m);
    uint32_t *all = xmalloc((f->nregs + 1) * sizeof *all);
    uint32_t bytes = ptx_regs_spill(f, registers, all);
    for (uint32_t r = 0; r < n; r++)
        place[r] = all[r];
    free(all);
    ptx_module_free(m);
    return bytes;
}

/* %r1 waits around the loop, %r2 and %r3 work in it. */
#define LOOP                                                                               \
    "mov.u32 %r1, 1; mov.u32 %r2, 9; mov.u32 %r3, 0; L: sub.s32 %r2, %r2, 1;"              \
    "add.s32 %r3, %r3, %r2; @%p1 bra L; st.shared.u32 [sh], %r1; st.shared.u32 [sh], %r3;" \
    "ret;"

static void what_only_waits_is_spilled_first(void **state)
{
    uint32_t place[4];
    (void)state;
    assert_int_equal(spilled(LOOP, 3, place, 4), 0);
    assert_int_equal(spilled(LOOP, 2, place, 4), 4);
    assert_int_equal(place[1], 0);
    assert_int_equal(place[2], PTX_NOT_SPILLED);
    assert_int_equal(place[3], PTX_NOT_SPILLED);
}

static void wide_registers_have_aligned_places(void **state)
{
    uint32_t place[40];
    (void)state;
    /* %r0 to %r9 are registers 0 to 9, %f 10 to 19, %rd 20 to 29 */
    assert_int_equal(spilled("mov.u32 %r1, 1; mov.u64 %rd1, 2; mov.u32 %r2, 3;"
                             "st.shared.u32 [sh], 0; st.shared.u64 [sh], %rd1;"
                             "st.shared.u32 [sh], %r1; st.shared.u32 [sh], %r2; ret;",
                             0, place, 40),
                     16);
    assert_int_equal(place[21], 0);
    assert_int_equal(place[1], 8);
    assert_int_equal(place[2], 12);
}

static void values_across_a_call_make_room_for_the_callee(void **state)
{
    uint32_t place[4];
    struct ptx_module *m =
        parse_text(PTX_HEAD ".shared .u32 s;\n"
                            ".func a { .reg .u32 %r<4>; mov.u32 %r1, 1; mov.u32 %r2, 2;\n"
                            "st.shared.u32 [s], %r1; st.shared.u32 [s], %r2; ret; }\n"
                            ".entry k { .reg .u32 %r<3>; mov.u32 %r1, 1; mov.u32 %r2, 2; call a;\n"
                            "st.shared.u32 [s], %r1; st.shared.u32 [s], %r2; ret; }\n");
    const struct ptx_func *f = ptx_find_func(m, "k");
    (void)state;
    assert_int_equal(ptx_regs_spill(f, 4, place), 0);
    assert_int_equal(ptx_regs_spill(f, 3, place), 4);
    assert_int_equal(ptx_regs_spill(f, 2, place), 8);
    ptx_module_free(m);
}

/* By the plain meaning: at every point there are at most `registers` words, or nothing that could
 * still be spilled; and nothing is spilled that would have fitted. */
static void check_spills(const struct ptx_func *f, uint32_t registers)
{
    struct ptx_live live;
    const uint32_t points = 2 * f->ninsts;
    uint32_t *place = xmalloc((f->nregs + 1) * sizeof *place);
    uint8_t *state = xmalloc((size_t)points * f->nregs); /* 0 dead, 1 waits, 2 accessed */
    ptx_regs_spill(f, registers, place);
    ptx_live_find(f, &live);
    memset(state, 0, (size_t)points * f->nregs);
    for (uint32_t r = 0; r < f->nregs; r++) {
        for (uint32_t i = live.first_range[r]; i < live.first_range[r + 1]; i++)
            memset(state + (size_t)r * points + live.ranges[i].from, 1,
                   live.ranges[i].to - live.ranges[i].from + 1);
        for (uint32_t i = live.first_access[r]; i < live.first_access[r + 1]; i++)
            state[(size_t)r * points + 2 * live.accesses[i].pc + live.accesses[i].is_def] = 2;
    }
    uint32_t *used = xcalloc(points, sizeof *used);
    bool *waits = xcalloc(points, sizeof *waits);
    for (uint32_t r = 0; r < f->nregs; r++)
        for (uint32_t p = 0; p < points; p++) {
            const uint8_t s = state[(size_t)r * points + p];
            const bool is_kept = place[r] == PTX_NOT_SPILLED;
            used[p] += (s == 2 || (s == 1 && is_kept)) * ptx_reg_words(f, r);
            waits[p] |= s == 1 && is_kept && ptx_reg_words(f, r);
        }
    for (uint32_t p = 0; p < points; p++)
        assert_true(used[p] <= registers || !waits[p]);
    for (uint32_t r = 0; r < f->nregs; r++) {
        bool fits = place[r] != PTX_NOT_SPILLED;
        for (uint32_t p = 0; p < points; p++)
            fits &=
                state[(size_t)r * points + p] != 1 || used[p] + ptx_reg_words(f, r) <= registers;
        assert_false(fits);
    }
    ptx_live_free(&live);
    free(waits);
    free(used);
    free(state);
    free(place);
}

static void spills_are_enough_and_needed(void **state)
{
    struct rng rng = {5};
    (void)state;
    for (unsigned round = 0; round < 300; round++) {
        char body[4096], *p = body;
        unsigned n = 3 + rng_below(&rng, 40);
        for (unsigned i = 0; i < n; i++) {
            p += sprintf(p, "L%u: ", i);
            if (!rng_below(&rng, 6))
                p += sprintf(p, "@%%p1 bra L%u;\n", rng_below(&rng, n));
            else if (rng_below(&rng, 3))
                p += sprintf(p, "%s add.s32 %%r%u, %%r%u, %%r%u;\n",
                             rng_below(&rng, 5) ? "" : "@%p1", rng_below(&rng, 10),
                             rng_below(&rng, 10), rng_below(&rng, 10));
            else
                p += sprintf(p, "add.s64 %%rd%u, %%rd%u, %%rd%u;\n", rng_below(&rng, 10),
                             rng_below(&rng, 10), rng_below(&rng, 10));
        }
        struct ptx_module *m = parse_body_text(body);
        check_spills(first_func(m), rng_below(&rng, 20));
        ptx_module_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_gets_what_the_gpu_and_the_directives_allow),
        cmocka_unit_test(what_only_waits_is_spilled_first),
        cmocka_unit_test(wide_registers_have_aligned_places),
        cmocka_unit_test(values_across_a_call_make_room_for_the_callee),
        cmocka_unit_test(spills_are_enough_and_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
