/* Tag arrays: who gives way, sectors, hashed sets, lines of different sizes. */
#include "mem/tags.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Takes a way of set 0 for `line`; the line that gave way, or 0. */
static addr_t take(struct tags *t, addr_t line)
{
    uint32_t i = tags_victim(t, 0);
    addr_t old = tags_in_use(t, i) ? t->tag[i] : 0;
    tags_allocate(t, i, line);
    tags_fill(t, i, 1);
    return old;
}

static void lru_evicts_the_line_used_longest_ago(void **state)
{
    (void)state;
    struct tags t;
    tags_init(&t, 1, 3, TAGS_LRU, TAGS_LINEAR);
    assert_int_equal(take(&t, 128), 0);
    assert_int_equal(take(&t, 256), 0);
    assert_int_equal(take(&t, 384), 0);
    tags_touch(&t, tags_find(&t, 0, 128));
    assert_int_equal(take(&t, 512), 256);
    assert_int_equal(take(&t, 640), 384);
    assert_int_equal(take(&t, 768), 128);
    tags_free(&t);
}

static void fifo_evicts_the_line_that_came_first(void **state)
{
    (void)state;
    struct tags t;
    tags_init(&t, 1, 3, TAGS_FIFO, TAGS_LINEAR);
    take(&t, 128);
    take(&t, 256);
    take(&t, 384);
    tags_touch(&t, tags_find(&t, 0, 128));
    assert_int_equal(take(&t, 512), 128);
    assert_int_equal(take(&t, 640), 256);
    tags_free(&t);
}

static void reserved_lines_stay_and_free_ways_go_first(void **state)
{
    (void)state;
    struct tags t;
    tags_init(&t, 1, 2, TAGS_LRU, TAGS_LINEAR);
    take(&t, 128);
    take(&t, 256);
    uint32_t first = tags_find(&t, 0, 128), second = tags_find(&t, 0, 256);
    t.lines[first].reserved = 4;
    assert_int_equal(tags_victim(&t, 0), second);
    t.lines[second].reserved = 1;
    assert_int_equal(tags_victim(&t, 0), TAGS_NONE);
    tags_fill(&t, first, 4);
    assert_int_equal(tags_victim(&t, 0), first);
    t.lines[second].reserved = 0;
    tags_invalidate(&t, second);
    assert_int_equal(tags_victim(&t, 0), second);
    assert_int_equal(tags_find(&t, 0, 256), TAGS_NONE);
    tags_free(&t);
}

static void sectors_written_in_part_are_partial_until_they_arrive(void **state)
{
    (void)state;
    struct tags t;
    tags_init(&t, 1, 1, TAGS_LRU, TAGS_LINEAR);
    tags_allocate(&t, 0, 0);
    tags_fill(&t, 0, 1);
    tags_write(&t, 0, 7, 2); /* sector 0 valid, 1 wholly written, 2 in part */
    assert_int_equal(t.lines[0].valid, 3);
    assert_int_equal(t.lines[0].dirty, 7);
    assert_int_equal(t.lines[0].partial, 4);
    tags_fill(&t, 0, 4);
    assert_int_equal(t.lines[0].valid, 7);
    assert_int_equal(t.lines[0].dirty, 7);
    assert_int_equal(t.lines[0].partial, 0);
    tags_free(&t);
}

/* Sets that lines at a stride of `sets` lines fall into. */
static uint32_t sets_hit(uint32_t sets, enum tags_index index)
{
    struct tags t;
    tags_init(&t, sets, 1, TAGS_LRU, index);
    uint8_t *seen = xcalloc(sets, 1);
    uint32_t n = 0;
    for (uint64_t k = 0; k < sets; k++) {
        uint32_t set = tags_set(&t, k * sets);
        assert_true(set < sets);
        n += !seen[set];
        seen[set] = 1;
    }
    free(seen);
    tags_free(&t);
    return n;
}

static void a_hashed_index_spreads_strides(void **state)
{
    (void)state;
    assert_int_equal(sets_hit(64, TAGS_LINEAR), 1);
    assert_int_equal(sets_hit(64, TAGS_HASHED), 64);
    assert_int_equal(sets_hit(48, TAGS_LINEAR), 1);
    assert_true(sets_hit(48, TAGS_HASHED) > 24);
    assert_int_equal(sets_hit(1, TAGS_HASHED), 1);
}

static void neighbours_fall_into_different_sets(void **state)
{
    (void)state;
    const uint32_t counts[] = {1, 32, 48, 64, 96};
    for (size_t c = 0; c < ARRAY_LEN(counts); c++) {
        struct tags t;
        uint64_t seen[2] = {0};
        tags_init(&t, counts[c], 1, TAGS_LRU, TAGS_LINEAR);
        for (uint32_t k = 0; k < counts[c]; k++) {
            uint32_t set = tags_set(&t, (1ull << 40) + k);
            seen[set / 64] |= 1ull << set % 64;
        }
        assert_int_equal(__builtin_popcountll(seen[0]) + __builtin_popcountll(seen[1]), counts[c]);
        tags_free(&t);
    }
}

/* One set of 4 tags with room for 256 bytes. */
static void lines_of_different_sizes_share_a_set(void **state)
{
    (void)state;
    struct tags t;
    uint32_t gone[4];
    tags_init(&t, 1, 4, TAGS_LRU, TAGS_LINEAR);
    tags_limit(&t, 256);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(tags_victims(&t, 0, TAGS_NONE, 80, gone), 0);
        tags_allocate(&t, i, i * 128);
        tags_resize(&t, i, 80);
    }
    assert_int_equal(t.used[0], 240);
    assert_int_equal(tags_victims(&t, 0, TAGS_NONE, 16, gone), 0);
    assert_int_equal(tags_victims(&t, 0, TAGS_NONE, 128, gone), 2);
    assert_int_equal(gone[0], 0); /* the oldest first */
    assert_int_equal(gone[1], 1);
    tags_touch(&t, 0);
    assert_int_equal(tags_victims(&t, 0, TAGS_NONE, 24, gone), 1);
    assert_int_equal(gone[0], 1);
    assert_int_equal(tags_victims(&t, 0, 1, 120, gone), 1); /* line 1 grows by 40 */
    assert_int_equal(gone[0], 2);
    t.lines[0].reserved = t.lines[1].reserved = t.lines[2].reserved = 1;
    assert_int_equal(tags_victims(&t, 0, TAGS_NONE, 24, gone), TAGS_NONE);
    tags_invalidate(&t, 1);
    assert_int_equal(t.used[0], 160);
    tags_free(&t);
}

static void tags_are_a_limit_too(void **state)
{
    (void)state;
    struct tags t;
    uint32_t gone[2];
    tags_init(&t, 1, 2, TAGS_LRU, TAGS_LINEAR);
    tags_limit(&t, 256);
    for (uint32_t i = 0; i < 2; i++) {
        tags_allocate(&t, i, i * 128);
        tags_resize(&t, i, 8);
    }
    assert_int_equal(tags_victims(&t, 0, TAGS_NONE, 8, gone), 1);
    assert_int_equal(gone[0], 0);
    assert_int_equal(tags_victims(&t, 0, 0, 16, gone), 0);
    tags_free(&t);
}

/* Without a capacity a line takes the place of one, whatever it has. */
static void plain_lines_take_a_way_each(void **state)
{
    (void)state;
    struct tags t;
    uint32_t gone[2];
    tags_init(&t, 1, 2, TAGS_LRU, TAGS_LINEAR);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(tags_victims(&t, 0, TAGS_NONE, 0, gone), 0);
        assert_int_equal(tags_place(&t, 0, gone), i);
        tags_allocate(&t, i, i * 128);
        tags_resize(&t, i, 1000);
        assert_int_equal(tags_bytes(&t, i), 0);
    }
    assert_int_equal(tags_victims(&t, 0, 1, 1000, gone), 0); /* it is there */
    assert_int_equal(tags_victims(&t, 0, TAGS_NONE, 1000, gone), 1);
    assert_int_equal(gone[0], 0);
    tags_invalidate(&t, 0);
    assert_int_equal(tags_place(&t, 0, gone), 0);
    tags_allocate(&t, 0, 256);
    t.lines[0].reserved = t.lines[1].reserved = 1;
    assert_int_equal(tags_victims(&t, 0, TAGS_NONE, 0, gone), TAGS_NONE);
    tags_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lru_evicts_the_line_used_longest_ago),
        cmocka_unit_test(fifo_evicts_the_line_that_came_first),
        cmocka_unit_test(reserved_lines_stay_and_free_ways_go_first),
        cmocka_unit_test(sectors_written_in_part_are_partial_until_they_arrive),
        cmocka_unit_test(a_hashed_index_spreads_strides),
        cmocka_unit_test(neighbours_fall_into_different_sets),
        cmocka_unit_test(lines_of_different_sizes_share_a_set),
        cmocka_unit_test(tags_are_a_limit_too),
        cmocka_unit_test(plain_lines_take_a_way_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
