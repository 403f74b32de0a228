/* The seam `blocks`: the order of a launch's blocks is what the policy says, each comes once
 * whatever it says, and what a policy must not say ends the run. */
#include "gpu/blocks.h"
#include "support_cases.h"

#include "gpu/gpu_tech.h"
#include "tech/tech_list_int.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* --- between mocks --- */

enum { MOST = 300 };

/* Answers from a list, and keeps what it was asked. */
struct listed {
    const uint64_t *numbers;
    uint64_t asked;
    struct block_grid of;
};

static uint64_t from_list(void *self, const struct block_grid *g, uint64_t i)
{
    struct listed *l = self;
    assert_int_equal(i, l->asked++);
    l->of = *g;
    return l->numbers[i];
}

static const struct block_grid grid = {
    .grid = {3, 2, 1}, .block = {32, 1, 1}, .blocks = 6, .at_once = 4};

struct given {
    uint64_t numbers[6];
    struct breach breach;
    atomic_bool any;
};

static void give_all(struct given *to, const struct block_policy *p)
{
    struct blocks b;
    to->breach = (struct breach){.any = &to->any};
    atomic_init(&to->any, false);
    const struct gpu_seams s = {.blocks = p, .breach = &to->breach};
    blocks_init(&b, &s, &grid);
    for (unsigned i = 0; i < 6; i++) {
        assert_true(blocks_are_left(&b));
        to->numbers[i] = blocks_take(&b);
    }
    assert_false(blocks_are_left(&b));
    blocks_free(&b);
}

static void the_null_object_goes_by_numbers(void **state)
{
    (void)state;
    struct given g;
    give_all(&g, &block_policy_null);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(g.numbers[i], i);
    assert_false(g.breach.is_noted);
}

static void a_policy_decides_the_order(void **state)
{
    static const uint64_t order[] = {5, 0, 3, 1, 4, 2};
    (void)state;
    struct given g;
    struct listed l = {.numbers = order};
    give_all(&g, &(struct block_policy){from_list, &l});
    assert_memory_equal(g.numbers, order, sizeof order);
    assert_false(g.breach.is_noted);
    assert_memory_equal(&l.of, &grid, sizeof grid);
    assert_int_equal(l.asked, 6);
}

/* What it may not say: the first such thing is noted, and every block still comes once. */
static void each_block_comes_once_whatever_it_says(void **state)
{
    static const uint64_t twice[] = {1, 1, 0, 3, 4, 5}, outside[] = {2, 6, 0, 0, 1, 9};
    static const struct {
        const uint64_t *says;
        uint64_t gives[6];
        const char *what;
    } cases[] = {
        {twice, {1, 0, 2, 3, 4, 5}, "block() gives block 1, which was given out before (6 blocks)"},
        {outside, {2, 0, 1, 3, 4, 5}, "block() gives block 6, which the grid has not (6 blocks)"},
    };
    (void)state;
    for (unsigned c = 0; c < ARRAY_LEN(cases); c++) {
        struct given g;
        struct listed l = {.numbers = cases[c].says};
        give_all(&g, &(struct block_policy){from_list, &l});
        assert_memory_equal(g.numbers, cases[c].gives, sizeof g.numbers);
        assert_true(g.breach.is_noted && atomic_load(&g.any));
        assert_int_equal(g.breach.seam, SEAM_blocks);
        assert_string_equal(g.breach.what, cases[c].what);
    }
}

/* --- through a machine --- */

/* Every block writes which one of all it was; the numbers that were given, in turn. */
static const char ptx[] = ".version 3.2\n.target sm_20\n.address_size 64\n"
                          ".visible .entry k(.param .u64 out)\n{\n"
                          ".reg .b32 %r<9>;\n.reg .b64 %rd<4>;\n"
                          "ld.param.u64 %rd1, [out];\n"
                          "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %ctaid.z;\n"
                          "mov.u32 %r4, %nctaid.x; mov.u32 %r5, %nctaid.y;\n"
                          "mad.lo.u32 %r6, %r3, %r5, %r2;\nmad.lo.u32 %r6, %r6, %r4, %r1;\n"
                          "mul.wide.u32 %rd2, %r6, 4;\nadd.u64 %rd2, %rd1, %rd2;\n"
                          "red.global.add.u32 [%rd2], 1;\n"
                          "ret;\n}\n";

static uint64_t numbers[MOST], nnumbers;
static bool is_wrong;

static uint64_t backwards(void *self, const struct block_grid *g, uint64_t i)
{
    (void)self;
    const uint64_t number = is_wrong && i == 7 ? 0 : g->blocks - 1 - i;
    numbers[nnumbers++] = number;
    return number;
}

static bool bind(const struct tech_site *at, struct tech_part *part, struct err *err)
{
    struct block_policy *p = tech_take(at->seams, SEAM_blocks, at->design->name, TAKE_ALONE, err);
    (void)part;
    if (!p)
        return false;
    p->block = backwards;
    return true;
}

static const struct tech_design designs[] = {{"backwards", "", "", 0, false}};
static const struct technique technique = {
    .name = "backwards", .designs = designs, .ndesigns = 1, .bind = bind};

static bool run(const struct gpu_case *c, const char *design, unsigned threads, struct err *err)
{
    static const char *const sets[] = {"gpu.sms=2"};
    struct case_run t;
    const uint64_t blocks = (uint64_t)c->grid[0] * c->grid[1] * c->grid[2];
    case_open(&t, c, "gtx480-gpgpusim", sets, 1, 0);
    tech_list_add(t.m->techs, &technique, NULL);
    t.m->gpu.with = design;
    case_start(&t, threads);
    uint32_t before[MOST];
    memcpy(before, (const void *)(uintptr_t)t.buf->base, blocks * 4);
    nnumbers = 0;
    const bool ok = case_launch(&t, err);
    const uint32_t *after = (const uint32_t *)(uintptr_t)t.buf->base;
    for (uint64_t i = 0; ok && i < blocks; i++)
        assert_int_equal(after[i] - before[i], 32); /* a thread each */
    case_close(&t);
    return ok;
}

static void any_grid_on_any_number_of_threads(void **state)
{
    static const uint32_t grids[][3] = {{1, 1, 1}, {300, 1, 1}, {7, 11, 3}, {2, 1, 40}};
    (void)state;
    for (unsigned g = 0; g < ARRAY_LEN(grids); g++) {
        struct gpu_case c = {
            .name = "blocks", .ptx = ptx, .entry = "k", .block = {32, 1, 1}, .npointers = 1};
        memcpy(c.grid, grids[g], sizeof c.grid);
        const uint64_t blocks = (uint64_t)c.grid[0] * c.grid[1] * c.grid[2];
        struct err err = {0};
        assert_true(run(&c, "base", 1, &err));
        assert_int_equal(nnumbers, 0);
        for (unsigned threads = 1; threads <= 4; threads *= 2) {
            assert_true(run(&c, "backwards", threads, &err));
            assert_int_equal(nnumbers, blocks);
            for (uint64_t i = 0; i < blocks; i++)
                assert_int_equal(numbers[i], blocks - 1 - i);
        }
    }
}

static void a_block_that_comes_twice_ends_the_run(void **state)
{
    (void)state;
    const struct gpu_case c = {.name = "blocks",
                               .ptx = ptx,
                               .entry = "k",
                               .grid = {100, 1, 1},
                               .block = {32, 1, 1},
                               .npointers = 1};
    struct err err = {0};
    is_wrong = true;
    const bool ok = run(&c, "backwards", 1, &err);
    is_wrong = false;
    /* block 0 comes early, as the eighth: the last place would give it again */
    assert_false(ok);
    assert_non_null(strstr(err.msg, "technique backwards on machine 0, seam blocks: block() gives "
                                    "block 0, which was given out before (100 blocks)"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_null_object_goes_by_numbers),
        cmocka_unit_test(a_policy_decides_the_order),
        cmocka_unit_test(each_block_comes_once_whatever_it_says),
        cmocka_unit_test(any_grid_on_any_number_of_threads),
        cmocka_unit_test(a_block_that_comes_twice_ends_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
