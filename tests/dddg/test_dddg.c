/* Graphs and regions of traces that are written by hand. */
#include "dddg/regions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { ZERO = 31, SP = 32 };

static struct dddg_inst op(uint64_t pc, unsigned weight, unsigned to, unsigned a, unsigned b)
{
    return (struct dddg_inst){.pc = pc,
                              .kind = DDDG_OP,
                              .weight = (uint8_t)weight,
                              .bytes = 4,
                              .nreads = 2,
                              .reads = {(uint8_t)a, (uint8_t)b},
                              .nwrites = 1,
                              .writes = {(uint8_t)to}};
}

static struct dddg_inst load(uint64_t pc, unsigned to, uint64_t addr, uint64_t value)
{
    return (struct dddg_inst){.pc = pc,
                              .kind = DDDG_LOAD,
                              .weight = 2,
                              .bytes = 4,
                              .addr = addr,
                              .value = value,
                              .nwrites = 1,
                              .writes = {(uint8_t)to}};
}

static struct dddg_inst store(uint64_t pc, unsigned data, uint64_t addr, bool is_stack)
{
    return (struct dddg_inst){.pc = pc,
                              .kind = DDDG_STORE,
                              .weight = 1,
                              .bytes = 4,
                              .addr = addr,
                              .data = (uint8_t)data,
                              .is_stack = is_stack};
}

static struct dddg_inst branch(uint64_t pc, unsigned reads)
{
    return (struct dddg_inst){
        .pc = pc, .kind = DDDG_CONTROL, .weight = 1, .nreads = 1, .reads = {(uint8_t)reads}};
}

static struct dddg_trace trace_of(const struct dddg_inst *at, size_t n)
{
    struct dddg_trace t = {.zero = ZERO};
    for (size_t k = 0; k < n; k++)
        vec_push(&t.all, at[k]);
    return t;
}

/* The root of a distance, twice: v1 = a - b, v2 = c - e, v3 = v1 v1, v4 = v2 v2 + v3, v5 =
 * sqrt(v4). */
static struct dddg_trace distance(void)
{
    struct dddg_inst at[] = {op(0x10, 4, 5, 1, 2), op(0x14, 4, 6, 3, 4), op(0x18, 4, 7, 5, 5),
                             op(0x1c, 4, 8, 6, 6), op(0x20, 10, 9, 8, 8)};
    at[3].nreads = 3;
    at[3].reads[2] = 7;
    struct dddg_trace t = trace_of(at, 5);
    for (unsigned k = 0; k < 5; k++)
        vec_push(&t.all, at[k]);
    return t;
}

static void test_the_worked_example_ends_where_weight_an_input_is_largest(void **state)
{
    struct dddg_trace t = distance();
    struct dddg_graph *g = dddg_graph_new(&t);
    const struct dddg_limits limits = {.inputs = 16, .ci = 7, .cost = 9, .by_ci = true};
    const struct dddg_roots root = {.n = 1, .at = {4}};
    struct dddg_cone c;
    struct dddg_step best;
    (void)state;
    dddg_cone_init(&c, g);
    assert_true(dddg_cone_grow(&c, &root, &limits, &best));
    assert_int_equal(best.size, 4); /* v5 v4 v2 v3, not v1 */
    assert_int_equal(best.weight, 22);
    assert_int_equal(best.inputs, 3);
    assert_int_equal(c.members.data[2], 1);
    assert_int_equal(c.members.data[3], 2);
    dddg_cone_free(&c);
    dddg_graph_free(g);
    dddg_trace_free(&t);
}

static void test_it_is_a_candidate_at_7_and_none_at_8(void **state)
{
    struct dddg_trace t = distance();
    struct dddg_graph *g = dddg_graph_new(&t);
    (void)state;
    for (unsigned ci = 7; ci <= 8; ci++) {
        const struct dddg_limits limits = {.inputs = 16, .ci = ci, .cost = 9, .by_ci = true};
        struct dddg_found *f = dddg_find(g, &limits);
        assert_int_equal(f->regions.len, ci == 7);
        assert_int_equal(f->total, ci == 7 ? 2 : 0);
        dddg_found_free(f);
    }
    dddg_graph_free(g);
    dddg_trace_free(&t);
}

static void test_by_gain_the_whole_is_taken(void **state)
{
    struct dddg_trace t = distance();
    struct dddg_graph *g = dddg_graph_new(&t);
    const struct dddg_limits limits = DDDG_LIMITS_DEFAULT;
    struct dddg_found *f = dddg_find(g, &limits);
    (void)state;
    assert_int_equal(f->regions.len, 1);
    assert_int_equal(f->regions.data[0].weight, 26);
    assert_int_equal(f->regions.data[0].inputs.len, 4);
    assert_true(f->coverage == 1);
    dddg_found_free(f);
    dddg_graph_free(g);
    dddg_trace_free(&t);
}

static void test_a_load_from_the_stack_is_what_was_stored_there(void **state)
{
    struct dddg_inst at[] = {op(0x10, 4, 5, 1, 2), store(0x14, 5, 0x1000, true),
                             load(0x18, 6, 0x1000, 0), op(0x1c, 4, 7, 6, 6)};
    at[2].is_stack = true;
    struct dddg_trace t = trace_of(at, 4);
    struct dddg_graph *g = dddg_graph_new(&t);
    (void)state;
    assert_int_equal(g->operands.data[g->first[3]], 0);
    assert_int_equal(g->consumers[0], 1); /* the spill itself reads nothing */
    dddg_graph_free(g);
    dddg_trace_free(&t);
}

static void test_a_load_of_other_memory_is_a_leaf_until_it_is_written(void **state)
{
    const struct dddg_inst at[] = {load(0x10, 5, 0x1000, 0), load(0x14, 6, 0x1000, 0),
                                   op(0x18, 4, 7, 5, 6),     store(0x1c, 7, 0x1000, false),
                                   load(0x20, 8, 0x1000, 0), op(0x24, 4, 9, 8, 8)};
    struct dddg_trace t = trace_of(at, 6);
    struct dddg_graph *g = dddg_graph_new(&t);
    (void)state;
    assert_true(g->traits[0] & DDDG_LEAF);
    assert_int_equal(g->first[3] - g->first[2], 1); /* both are one leaf */
    assert_true(g->traits[4] & DDDG_LEAF);
    assert_int_equal(g->operands.data[g->first[5]], 4);
    dddg_graph_free(g);
    dddg_trace_free(&t);
}

static void test_constants_do_not_count_and_zero_is_one(void **state)
{
    struct dddg_inst at[] = {op(0x10, 1, 5, ZERO, ZERO), op(0x14, 20, 6, 5, 1),
                             op(0x10, 1, 5, ZERO, ZERO), op(0x14, 20, 6, 5, 1)};
    struct dddg_trace t = trace_of(at, 4);
    struct dddg_graph *g = dddg_graph_new(&t);
    const struct dddg_limits limits = DDDG_LIMITS_DEFAULT;
    struct dddg_found *f = dddg_find(g, &limits);
    (void)state;
    assert_true(g->traits[0] & DDDG_CONSTANT);
    assert_int_equal(f->regions.len, 1);
    assert_int_equal(f->regions.data[0].inputs.len, 1);
    dddg_found_free(f);
    dddg_graph_free(g);
    dddg_trace_free(&t);
}

/* x = heavy(a); `by` is read by a branch in front of or behind the last instruction of it. */
static size_t members_with_branch(bool is_behind)
{
    const struct dddg_inst first = op(0x10, 20, 5, 1, 1), middle = op(0x14, 20, 6, 5, 5),
                           test = branch(0x18, 5);
    struct dddg_inst at[3] = {first, test, middle};
    if (is_behind)
        at[1] = middle, at[2] = test;
    struct dddg_trace t = trace_of(at, 3);
    struct dddg_graph *g = dddg_graph_new(&t);
    const struct dddg_limits limits = DDDG_LIMITS_DEFAULT;
    const struct dddg_roots root = {.n = 1, .at = {is_behind ? 1 : 2}};
    struct dddg_cone c;
    struct dddg_step best;
    dddg_cone_init(&c, g);
    assert_true(dddg_cone_grow(&c, &root, &limits, &best));
    dddg_cone_free(&c);
    dddg_graph_free(g);
    dddg_trace_free(&t);
    return best.size;
}

static void test_a_branch_within_holds_nothing_back_and_one_behind_does(void **state)
{
    (void)state;
    assert_int_equal(members_with_branch(false), 2);
    assert_int_equal(members_with_branch(true), 1);
}

static void test_two_outputs_of_one_value_are_one_region(void **state)
{
    /* like sine and cosine: what both need is in neither alone */
    const struct dddg_inst at[] = {op(0x10, 50, 5, 1, 1), op(0x14, 20, 6, 5, 5),
                                   op(0x18, 20, 7, 5, 5), op(0x10, 50, 5, 1, 1),
                                   op(0x14, 20, 6, 5, 5), op(0x18, 20, 7, 5, 5)};
    struct dddg_trace t = trace_of(at, 6);
    struct dddg_graph *g = dddg_graph_new(&t);
    const struct dddg_limits limits = DDDG_LIMITS_DEFAULT;
    struct dddg_found *f = dddg_find(g, &limits);
    (void)state;
    assert_int_equal(f->regions.len, 1);
    assert_int_equal(f->regions.data[0].outputs.len, 2);
    assert_int_equal(f->regions.data[0].weight, 90);
    assert_int_equal(f->regions.data[0].inputs.len, 1);
    dddg_found_free(f);
    dddg_graph_free(g);
    dddg_trace_free(&t);
}

static void test_equal_inputs_are_counted_with_bits_cut(void **state)
{
    static const uint64_t values[] = {0x100, 0x101, 0x2ff, 0x100};
    struct dddg_trace t = {.zero = ZERO};
    (void)state;
    for (unsigned k = 0; k < 4; k++) {
        vec_push(&t.all, load(0x10, 5, 0x1000 + 16 * k, values[k]));
        vec_push(&t.all, op(0x14, 30, 6, 5, 5));
    }
    struct dddg_graph *g = dddg_graph_new(&t);
    const struct dddg_limits limits = DDDG_LIMITS_DEFAULT;
    struct dddg_found *f = dddg_find(g, &limits);
    assert_int_equal(f->regions.len, 1);
    assert_int_equal(f->regions.data[0].executed, 4);
    assert_int_equal(f->regions.data[0].distinct[0], 3);
    assert_int_equal(f->regions.data[0].distinct[1], 2);
    assert_int_equal(f->regions.data[0].distinct[2], 1);
    assert_true(dddg_hit_rate(&f->regions.data[0], 1) == 0.5);
    assert_true(dddg_saving(&f->regions.data[0], &limits, 1) == 4 * (0.5 * 30 - 10));
    dddg_found_free(f);
    dddg_graph_free(g);
    dddg_trace_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_worked_example_ends_where_weight_an_input_is_largest),
        cmocka_unit_test(test_it_is_a_candidate_at_7_and_none_at_8),
        cmocka_unit_test(test_by_gain_the_whole_is_taken),
        cmocka_unit_test(test_a_load_from_the_stack_is_what_was_stored_there),
        cmocka_unit_test(test_a_load_of_other_memory_is_a_leaf_until_it_is_written),
        cmocka_unit_test(test_constants_do_not_count_and_zero_is_one),
        cmocka_unit_test(test_a_branch_within_holds_nothing_back_and_one_behind_does),
        cmocka_unit_test(test_two_outputs_of_one_value_are_one_region),
        cmocka_unit_test(test_equal_inputs_are_counted_with_bits_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
