/* Where a load spends its time: stamps of three clocks become stages in core cycles that add up. */
#include "sm/load_stages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct mem_req stamped(cycle_t born, cycle_t noc_in, cycle_t l2_in, cycle_t mc_in,
                              cycle_t mc_out, cycle_t l2_out, cycle_t end)
{
    return (struct mem_req){.at = {[MEM_AT_BORN] = born,
                                   [MEM_AT_NOC_IN] = noc_in,
                                   [MEM_AT_L2_IN] = l2_in,
                                   [MEM_AT_MC_IN] = mc_in,
                                   [MEM_AT_MC_OUT] = mc_out,
                                   [MEM_AT_L2_OUT] = l2_out,
                                   [MEM_AT_NOC_OUT] = end}};
}

static struct answers answers;

static void check(struct load_stages *st, uint64_t queue, uint64_t there, uint64_t l2,
                  uint64_t dram, uint64_t back)
{
    load_stages_count(st, &answers);
    assert_int_equal(st->l1_queue.sum, queue);
    assert_int_equal(st->noc_request.sum, there);
    assert_int_equal(st->l2.sum, l2);
    assert_int_equal(st->dram.sum, dram);
    assert_int_equal(st->noc_reply.sum, back);
    assert_int_equal(st->total.sum, queue + there + l2 + dram + back);
    assert_int_equal(st->total.count, st->l2.count);
}

static void test_one_clock(void **state)
{
    static const struct stage_clocks same = {1, 1};
    struct load_stages st = {0};
    (void)state;
    struct mem_req hit = stamped(100, 104, 120, 0, 0, 245, 260);
    load_stages_add(&st, &answers, &same, &hit);
    check(&st, 4, 16, 125, 0, 15);
    assert_int_equal(st.from_dram, 0);
    struct mem_req miss = stamped(100, 104, 120, 241, 500, 505, 520);
    load_stages_add(&st, &answers, &same, &miss);
    check(&st, 8, 32, 125 + 121 + 5, 259, 30);
    assert_int_equal(st.from_dram, 1);
}

/* It came when the fetch of another was in DRAM already: from its own arrival. */
static void test_joined(void **state)
{
    static const struct stage_clocks same = {1, 1};
    struct load_stages st = {0};
    (void)state;
    struct mem_req r = stamped(300, 304, 320, 241, 500, 505, 520);
    load_stages_add(&st, &answers, &same, &r);
    check(&st, 4, 16, 5, 180, 15);
}

/* Core at 1400 MHz, the others at 700: their cycles are two of the core's. */
static void test_slower_clocks(void **state)
{
    static const struct stage_clocks half = {2, 2};
    struct load_stages st = {0};
    (void)state;
    struct mem_req r = stamped(100, 52, 60, 120, 250, 252, 520);
    load_stages_add(&st, &answers, &half, &r);
    check(&st, 4, 16, 120 + 4, 260, 16);
}

/* Ratios that are no whole numbers round down, and never make a stage negative. */
static void test_rounding(void **state)
{
    static const struct stage_clocks odd = {1400.0 / 924, 1400.0 / 924};
    struct load_stages st = {0};
    (void)state;
    struct mem_req r = stamped(153, 101, 101, 0, 0, 101, 153);
    load_stages_add(&st, &answers, &odd, &r);
    assert_int_equal(st.total.sum, 0);
    check(&st, 0, 0, 0, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_clock),
        cmocka_unit_test(test_joined),
        cmocka_unit_test(test_slower_clocks),
        cmocka_unit_test(test_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
