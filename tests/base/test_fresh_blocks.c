/* Which pages new blocks are made of: what costs less, looked at again from time to time. */
#include "base/fresh_blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

enum { CHEAP = 1000, DEAR = 5000, BLOCKS = 10000 };

/* Blocks of `n` that were made of large pages, where these cost so much. */
static unsigned count_large(struct block_costs *c, unsigned n, uint64_t large, uint64_t small)
{
    unsigned found = 0;
    for (unsigned i = 0; i < n; i++) {
        const enum block_way way = block_costs_next(c);
        found += way == BLOCK_LARGE;
        block_costs_note(c, way, way == BLOCK_LARGE ? large : small);
    }
    return found;
}

static void the_cheaper_way_is_taken(void **state)
{
    (void)state;
    struct block_costs dear = {0}, cheap = {0};
    assert_in_range(count_large(&dear, BLOCKS, DEAR, CHEAP), 1, BLOCKS / 100);
    assert_in_range(count_large(&cheap, BLOCKS, CHEAP, DEAR), BLOCKS - BLOCKS / 100, BLOCKS - 1);
}

static void a_change_is_noticed(void **state)
{
    (void)state;
    struct block_costs c = {0};
    count_large(&c, 100, CHEAP, DEAR);
    /* large pages have run out: that shows in the next blocks */
    assert_in_range(count_large(&c, 100, 20 * DEAR, DEAR), 1, 15);
    /* and are there again: that shows when one is tried */
    count_large(&c, BLOCKS, CHEAP, DEAR);
    assert_in_range(count_large(&c, 100, CHEAP, DEAR), 95, 100);
}

static void a_cost_of_nothing_is_known(void **state)
{
    (void)state;
    struct block_costs c = {0};
    assert_in_range(count_large(&c, 100, 0, 0), 1, 20);
}

static void memory_is_as_written(void **state)
{
    (void)state;
    enum { N = 8 };
    const size_t bytes = (size_t)(N + 1) * BLOCK_BYTES;
    char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(p, MAP_FAILED);
    char *first = p + (0 - (uintptr_t)p) % BLOCK_BYTES;
    for (unsigned i = 0; i < N; i++) {
        char *at = first + (size_t)i * BLOCK_BYTES;
        const struct fresh_block b = fresh_block_begin(at);
        memset(at, (int)i + 1, BLOCK_BYTES);
        fresh_block_end(&b);
    }
    for (size_t at = 0; at < (size_t)N * BLOCK_BYTES; at += 4096)
        assert_int_equal(first[at], (int)(at / BLOCK_BYTES) + 1);
    munmap(p, bytes);
}

static size_t pages_in(const char *at, size_t nblocks)
{
    static unsigned char in[BLOCK_BYTES / 4096];
    size_t n = 0;
    for (size_t i = 0; i < nblocks; i++) {
        assert_false(mincore((void *)(uintptr_t)(at + i * BLOCK_BYTES), BLOCK_BYTES, in));
        for (size_t k = 0; k < sizeof in; k++)
            n += in[k] & 1;
    }
    return n;
}

/* Blocks that others will write: whatever is made ahead, all are zeros. */
static void blocks_are_prepared(void **state)
{
    (void)state;
    enum { N = 16, ROUNDS = 3 };
    const size_t bytes = (size_t)(N + 1) * BLOCK_BYTES;
    for (unsigned round = 0; round < ROUNDS; round++) {
        char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_ptr_not_equal(p, MAP_FAILED);
        char *first = p + (0 - (uintptr_t)p) % BLOCK_BYTES;
        fresh_blocks_prepare(first, N);
        assert_int_equal(pages_in(first, N) % (BLOCK_BYTES / 4096), 0); /* whole ones */
        for (size_t at = 0; at < (size_t)N * BLOCK_BYTES; at += 4096) {
            assert_int_equal(first[at], 0);
            first[at] = 7;
        }
        munmap(p, bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cheaper_way_is_taken),   cmocka_unit_test(a_change_is_noticed),
        cmocka_unit_test(a_cost_of_nothing_is_known), cmocka_unit_test(memory_is_as_written),
        cmocka_unit_test(blocks_are_prepared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
