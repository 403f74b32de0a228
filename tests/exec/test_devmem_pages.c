/* What is made ahead of a kernel: of what is large and new, nothing of other memory. */
#include "base/fresh_blocks.h"
#include "base/pages.h"
#include "exec/devmem_pages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { LARGE = 16 << 20, SMALL = 4 << 20 };

static size_t pages_in(const struct mem_alloc *a)
{
    bool is_in[PAGES_AT_ONCE];
    size_t n = 0;
    const addr_t end = a->base + a->bytes;
    for (addr_t at = align_up(a->base, BLOCK_BYTES); at + BLOCK_BYTES <= end; at += BLOCK_BYTES) {
        assert_true(pages_in_memory(devmem_ptr(at), PAGES_AT_ONCE, is_in));
        for (size_t i = 0; i < PAGES_AT_ONCE; i++)
            n += is_in[i];
    }
    return n;
}

static struct mem_alloc *take(struct devmem *m, uint64_t bytes)
{
    struct mem_alloc *a = devmem_alloc(m, bytes, 0, MEM_DEVICE, NULL);
    assert_non_null(a);
    return a;
}

static struct devmem *new_memory(void)
{
    struct err err = {0};
    struct devmem *m = devmem_new(UINT64_C(1) << 30, &err);
    assert_non_null(m);
    return m;
}

static void only_untouched_memory(void **state)
{
    (void)state;
    struct devmem *m = new_memory();
    struct mem_alloc *small = take(m, SMALL), *zeroed = take(m, LARGE), *written = take(m, LARGE),
                     *fresh = take(m, LARGE);
    devmem_zero(m, zeroed->base, zeroed->bytes);
    memset(devmem_ptr(written->base), 3, written->bytes);
    const size_t before = pages_in(written);
    devmem_prepare(m);
    assert_int_equal(pages_in(small), 0);
    assert_int_equal(pages_in(zeroed), 0);
    assert_int_equal(pages_in(written), before);
    for (uint64_t i = 0; i < LARGE; i += PAGE_BYTES) {
        assert_int_equal(*(char *)devmem_ptr(fresh->base + i), 0);
        assert_int_equal(*(char *)devmem_ptr(written->base + i), 3);
    }
    devmem_free(m);
}

/* What was there at an earlier launch is not looked at again. */
static void once(void **state)
{
    (void)state;
    struct devmem *m = new_memory();
    struct mem_alloc *a = take(m, LARGE);
    devmem_prepare(m);
    const size_t before = pages_in(a);
    struct mem_alloc *b = take(m, SMALL);
    devmem_prepare(m);
    assert_int_equal(pages_in(a), before);
    assert_int_equal(pages_in(b), 0);
    assert_true(devmem_release(m, a->base));
    devmem_prepare(m);
    devmem_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_untouched_memory),
        cmocka_unit_test(once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
