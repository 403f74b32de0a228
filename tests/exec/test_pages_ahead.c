/* Pages are made ahead of kernels that fill memory, and of no others; what is in it stays. */
#include "base/fresh_blocks.h"
#include "base/pages.h"
#include "exec/pages_ahead.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { BLOCKS = 32, BYTES = (BLOCKS + 1) * BLOCK_BYTES, GRID = 640, PAGES = BLOCKS * 512 };

struct memory {
    struct devmem *m;
    struct mem_alloc *a;
    addr_t first; /* of whole blocks */
    struct pages_seen seen;
    struct pages_ahead ahead;
};

static struct memory new_memory(uint64_t total)
{
    struct err err = {0};
    struct memory x = {.m = devmem_new(UINT64_C(1) << 30, &err)};
    assert_non_null(x.m);
    x.a = devmem_alloc(x.m, BYTES, 0, MEM_DEVICE, NULL);
    assert_non_null(x.a);
    x.first = align_up(x.a->base, BLOCK_BYTES);
    pages_ahead_begin(&x.ahead, x.m, total, &x.seen);
    return x;
}

static void touch(const struct memory *x, size_t page, size_t n)
{
    for (size_t i = page; i < page + n; i++)
        *(char *)devmem_ptr(x->first + i * PAGE_BYTES) = 5;
}

static size_t pages_in(const struct memory *x, size_t first, size_t nblocks)
{
    bool is_in[PAGES_AT_ONCE];
    size_t n = 0;
    for (size_t b = first; b < first + nblocks; b++) {
        assert_true(pages_in_memory(devmem_ptr(x->first + b * BLOCK_BYTES), 512, is_in));
        for (size_t i = 0; i < 512; i++)
            n += is_in[i];
    }
    return n;
}

/* Whether this host makes pages ahead at all. */
static bool host_makes_pages(void)
{
    struct memory x = new_memory(GRID);
    const bool can = fresh_block_make(devmem_ptr(x.first));
    devmem_free(x.m);
    return can;
}

/* Up to where the kernel is when so many parts of the grid are done; a page is left out in every
 * stretch that was made. */
static void of_memory_that_is_filled(void **state)
{
    (void)state;
    if (!host_makes_pages())
        skip();
    struct memory x = new_memory(GRID);
    touch(&x, 0, PAGES / 64);
    pages_ahead_note(&x.ahead, GRID / 64 - 1);
    assert_int_equal(pages_in(&x, 0, BLOCKS), PAGES / 64);
    for (unsigned part = 64; part > 1; part /= 2) {
        touch(&x, 0, PAGES / part);
        pages_ahead_note(&x.ahead, GRID / part);
        assert_int_equal(pages_in(&x, 0, BLOCKS), 2 * PAGES / part - 1);
    }
    for (size_t i = 0; i < PAGES; i++)
        assert_int_equal(*(char *)devmem_ptr(x.first + i * PAGE_BYTES), i < PAGES / 2 ? 5 : 0);
    devmem_free(x.m);
}

/* What was made for nobody is as much as was filled. */
static void no_more_when_the_kernel_fills_no_more(void **state)
{
    (void)state;
    struct memory x = new_memory(GRID);
    touch(&x, 0, PAGES / 64);
    for (unsigned part = 64; part; part /= 2)
        pages_ahead_note(&x.ahead, GRID / part);
    assert_true(pages_in(&x, 0, BLOCKS) < 2 * PAGES / 64);
    devmem_free(x.m);
}

/* Four places at once, which do not begin where blocks do: each has twice its pages. */
static void of_memory_that_is_filled_at_many_places(void **state)
{
    (void)state;
    if (!host_makes_pages())
        skip();
    struct memory x = new_memory(GRID);
    const size_t apart = PAGES / 4, part = apart / 64;
    for (size_t i = 0; i < 4; i++)
        touch(&x, i * apart + 100, part);
    pages_ahead_note(&x.ahead, GRID / 64);
    assert_int_equal(pages_in(&x, 0, BLOCKS), 4 * (2 * part - 1));
    for (size_t i = 0; i < 4; i++) {
        bool is_in[PAGES_AT_ONCE];
        const addr_t at = x.first + (i * apart + 100) * PAGE_BYTES;
        assert_true(pages_in_memory(devmem_ptr(at), 2 * part, is_in));
        for (size_t k = 0; k < 2 * part; k++)
            assert_int_equal(is_in[k], k != part + part / 2);
    }
    devmem_free(x.m);
}

static void not_of_memory_that_is_written_here_and_there(void **state)
{
    (void)state;
    struct memory x = new_memory(GRID);
    for (size_t i = 0; i < 8; i++)
        touch(&x, i * (PAGES / 8), 1);
    for (unsigned part = 64; part; part /= 2)
        pages_ahead_note(&x.ahead, GRID / part);
    assert_int_equal(pages_in(&x, 0, BLOCKS), 8);
    devmem_free(x.m);
}

static void not_for_few_blocks(void **state)
{
    (void)state;
    struct memory x = new_memory(63);
    touch(&x, 0, PAGES / 2);
    pages_ahead_note(&x.ahead, 32);
    pages_ahead_note(&x.ahead, 63);
    assert_int_equal(pages_in(&x, 0, BLOCKS), PAGES / 2);
    devmem_free(x.m);
}

/* An allocation is looked at in one grid; one that is freed meanwhile does no harm. */
static void once(void **state)
{
    (void)state;
    struct memory x = new_memory(GRID);
    pages_ahead_begin(&x.ahead, x.m, GRID, &x.seen);
    assert_int_equal(x.ahead.n, 0);
    assert_non_null(devmem_alloc(x.m, BYTES, 0, MEM_DEVICE, NULL));
    pages_ahead_begin(&x.ahead, x.m, GRID, &x.seen);
    assert_int_equal(x.ahead.n, 1);
    assert_true(devmem_release(x.m, x.a->base));
    pages_ahead_note(&x.ahead, GRID / 64);
    devmem_free(x.m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_memory_that_is_filled),
        cmocka_unit_test(no_more_when_the_kernel_fills_no_more),
        cmocka_unit_test(of_memory_that_is_filled_at_many_places),
        cmocka_unit_test(not_of_memory_that_is_written_here_and_there),
        cmocka_unit_test(not_for_few_blocks),
        cmocka_unit_test(once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
