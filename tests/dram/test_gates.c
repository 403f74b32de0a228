/* Every gate is tight: closed at clk - 1, open at clk. */
#include "dram/dram_int.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static int64_t max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void cfg_make(struct dram_cfg *cfg, int device)
{
    struct err err;
    conf_defaults(dram_fields, dram_nfields, cfg);
    cfg->device = device;
    cfg->t_refi = 3900;
    assert_true(dram_cfg_resolve(cfg, &err));
}

/* Another bank that shares `level` with bank 0 but nothing narrower, where a device has more than
 * one group; bank 0 itself for BANK. */
static uint32_t peer(const struct dram_cfg *cfg, enum dram_level level)
{
    if (level == LEVEL_BANK)
        return 0;
    return level == LEVEL_GROUP || cfg->bank_groups == 1
               ? 1
               : (uint32_t)(cfg->banks / cfg->bank_groups);
}

/* After `preceding` to bank 0, when is `following` open at the peer, by that row alone? */
static void gate_check(const struct dram_cfg *cfg, enum dram_level level, enum dram_cmd preceding,
                       enum dram_cmd following, int64_t gap)
{
    struct dram_gates g;
    dram_gates_init(&g, cfg);
    const cycle_t t0 = 1000;
    dram_gates_issue(&g, preceding, 0, t0);
    cycle_t row = t0 + (cycle_t)(gap > 0 ? gap : 0);
    cycle_t at_level = g.open[level][0][following];
    if (gap > 0) {
        assert_true(at_level >= row); /* closed at clk - 1 */
        assert_true(at_level == row); /* open at clk: no other row of this level is longer */
        assert_true(dram_gates_open(&g, following, peer(cfg, level)) >= row);
    }
    if (cfg->pseudo_channels > 1) /* the other half does not notice */
        assert_true(dram_gates_open(&g, following, (uint32_t)cfg->banks) == 0);
    dram_gates_free(&g);
}

static void every_row_of_every_device_is_tight(void **state)
{
    (void)state;
    for (int device = 0; dram_device_names[device]; device++) {
        struct dram_cfg cfg, *t = &cfg;
        cfg_make(&cfg, device);
#define GATE(level, preceding, following, gap) \
    gate_check(&cfg, LEVEL_##level, DRAM_##preceding, DRAM_##following, gap);
#define WINDOW(level, command, count, gap)
#include "dram/dram_timing.def"
#undef GATE
#undef WINDOW
    }
}

static void the_fifth_activate_waits_for_the_window(void **state)
{
    (void)state;
    struct dram_cfg cfg;
    struct dram_gates g;
    cfg_make(&cfg, 1);
    dram_gates_init(&g, &cfg);
    cycle_t at[5];
    uint32_t per = (uint32_t)(cfg.banks / cfg.bank_groups);
    for (uint32_t i = 0; i < 5; i++) {
        uint32_t bank = i % 4 * per + i / 4;
        at[i] = dram_gates_open(&g, DRAM_ACT, bank);
        at[i] = at[i] < 100 ? 100 : at[i];
        dram_gates_issue(&g, DRAM_ACT, bank, at[i]);
    }
    assert_int_equal(at[1] - at[0], cfg.t_rrd_s);
    assert_int_equal(at[4] - at[0], cfg.t_faw);
    dram_gates_free(&g);
}

static void gddr5_numbers_are_those_of_the_reference(void **state)
{
    (void)state;
    struct dram_cfg c;
    cfg_make(&c, 0);
    assert_int_equal(c.t_cl + c.burst_cycles + c.t_rtw_gap - c.t_cwl, 12); /* read to write */
    assert_int_equal(c.t_cwl + c.burst_cycles + c.t_wtr_l, 11);            /* write to read */
    assert_int_equal(c.t_cwl + c.burst_cycles + c.t_wr, 18);               /* write to precharge */
    for (int i = 0; dram_device_names[i]; i++)
        assert_non_null(dram_device_source(i));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_of_every_device_is_tight),
        cmocka_unit_test(the_fifth_activate_waits_for_the_window),
        cmocka_unit_test(gddr5_numbers_are_those_of_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
