/* Sizes of caches, controller and DRAM that fit each other, and errors that name those that do not.
 */
#include "mem/mem_fit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct parts {
    struct l1_cfg data, constant;
    struct l2_cfg l2;
    struct mem_ctrl_cfg mc;
    struct interleave_cfg il;
    int64_t access;
};

static struct parts defaults(void)
{
    struct parts p = {.access = 64};
    conf_defaults(l1_fields, l1_nfields, &p.data);
    conf_defaults(l1_fields, l1_nfields, &p.constant);
    conf_defaults(l2_fields, l2_nfields, &p.l2);
    conf_defaults(mem_ctrl_fields, mem_ctrl_nfields, &p.mc);
    conf_defaults(interleave_fields, interleave_nfields, &p.il);
    p.constant.line_bytes = 64;
    return p;
}

/* The message about `p`, or "" when it fits. */
static const char *verdict(const struct parts *p)
{
    static struct err err;
    const struct l1_cfg *const l1s[] = {&p->data, &p->constant};
    const char *const names[] = {"l1d", "l1c"};
    const struct mem_fit f = {l1s, names, 2, &p->l2, &p->mc, &p->il, p->access};
    return mem_fit_check(&f, &err) ? "" : err.msg;
}

static void the_defaults_fit(void **state)
{
    (void)state;
    struct parts p = defaults();
    assert_string_equal(verdict(&p), "");
}

static void what_does_not_fit_is_named(void **state)
{
    (void)state;
    struct parts p = defaults();
    p.constant.sector_bytes = 64;
    assert_string_equal(verdict(&p), "l1c.sector_bytes: 64 differs from l2.sector_bytes = 32");
    p = defaults();
    p.data.line_bytes = 256;
    assert_string_equal(verdict(&p), "l1d.line_bytes: 256 is more than l2.line_bytes = 128");
    p = defaults();
    p.mc.sector_bytes = 64;
    assert_string_equal(verdict(&p), "mem_ctrl.sector_bytes: 64 differs from l2.sector_bytes = 32");
    p = defaults();
    p.mc.block_bytes = 256;
    assert_string_equal(verdict(&p), "mem_ctrl.block_bytes: 256 differs from l2.line_bytes = 128");
    p = defaults();
    p.access = 32;
    assert_string_equal(verdict(&p),
                        "mem_ctrl.burst_bytes: 64 differs from dram.access_bytes = 32");
    p = defaults();
    p.il.granule = 64;
    assert_string_equal(verdict(&p), "interleave.granule: 64 is less than l2.line_bytes = 128");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_defaults_fit),
        cmocka_unit_test(what_does_not_fit_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
