/* Maps, arenas, vectors, errors, random numbers, UTF-8. */
#include "base/arena.h"
#include "base/err.h"
#include "base/rng.h"
#include "base/slots.h"
#include "base/strmap.h"
#include "base/utf8.h"
#include "base/vec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void strmap_finds_what_was_put(void **state)
{
    (void)state;
    struct strmap m = {0};
    static char keys[1000][12];
    for (intptr_t i = 0; i < 1000; i++) {
        int n = snprintf(keys[i], sizeof keys[i], "k%d", (int)i * 7);
        assert_null(strmap_put(&m, keys[i], (size_t)n, (void *)(i + 1)));
    }
    for (intptr_t i = 0; i < 1000; i++)
        assert_ptr_equal(strmap_get(&m, keys[i], strlen(keys[i])), (void *)(i + 1));
    assert_null(strmap_get(&m, "k1", 2));
    assert_ptr_equal(strmap_put(&m, "k7", 2, (void *)5), (void *)2);
    assert_string_equal(m.entries[999].key, "k6993"); /* insertion order */
    strmap_free(&m);
}

static void arena_memory_is_zeroed_and_distinct(void **state)
{
    (void)state;
    struct arena a = {0};
    char *p = arena_alloc(&a, 10), *q = arena_alloc(&a, 1000000);
    for (int i = 0; i < 1000000; i++)
        assert_int_equal(q[i], 0);
    memset(p, 1, 10);
    assert_int_equal(q[0], 0);
    assert_string_equal(arena_strndup(&a, "hello", 3), "hel");
    arena_free(&a);
}

static void errors_carry_a_prefix(void **state)
{
    (void)state;
    struct err e;
    assert_false(err_set_code(&e, 7, "bad value %d", 3));
    assert_false(err_prefix(&e, "file.ptx:%d", 12));
    assert_string_equal(e.msg, "file.ptx:12: bad value 3");
    assert_int_equal(e.code, 7);
}

static void rng_stream_is_pinned(void **state)
{
    (void)state;
    struct rng r = {0};
    assert_true(rng_u64(&r) == 0xe220a8397b1dcdafu); /* splitmix64's published first output */
    for (int i = 0; i < 1000; i++)
        assert_true(rng_below(&r, 7) < 7);
}

static void text_of_any_bytes_becomes_utf8(void **state)
{
    (void)state;
#define BAD "\xef\xbf\xbd"
    static const char *const cases[][2] = {
        {"", ""},
        {"plain\n\x01", "plain\n\x01"},
        {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"caf\xe9", "caf" BAD},
        {"\xe2\x82", BAD BAD},                 /* cut short */
        {"\xc0\xaf", BAD BAD},                 /* overlong */
        {"\xed\xa0\x80", BAD BAD BAD},         /* a surrogate */
        {"\xf4\x90\x80\x80", BAD BAD BAD BAD}, /* beyond U+10FFFF */
        {"\xe0\x9f\xbf.\xff", BAD BAD BAD "." BAD},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char *clean = utf8_repair(cases[i][0]);
        assert_string_equal(clean, cases[i][1]);
        free(clean);
    }
#undef BAD
}

static void vec_grows(void **state)
{
    (void)state;
    VEC(int) v = {0};
    for (int i = 0; i < 100; i++)
        vec_push(&v, i);
    assert_int_equal(v.len, 100);
    assert_int_equal(vec_pop(&v), 99);
    vec_free(&v);
}

/* Keys that fall on few slots, taken and given back at random. */
static void numbers_are_found_under_their_keys_until_given_back(void **state)
{
    enum { N = 24 };
    struct slots s;
    struct rng rng = {7};
    uint64_t key_of[N] = {0};
    bool is_used[N] = {0};
    (void)state;
    slots_init(&s, N);
    for (unsigned step = 0; step < 4000; step++) {
        const uint32_t some = rng_below(&rng, N);
        if (is_used[some]) {
            slots_give(&s, key_of[some], some);
            is_used[some] = false;
        } else if (s.nfree) {
            const uint64_t key = rng_below(&rng, 8);
            const uint32_t number = slots_take(&s, key);
            assert_true(number < N && !is_used[number]);
            is_used[number] = true;
            key_of[number] = key;
        }
        unsigned used = 0;
        for (uint32_t k = 0; k < N; k++) {
            uint32_t i = slots_first(&s, key_of[k]);
            while (is_used[k] && slots_at(&s, i) != k && slots_at(&s, i) != SLOTS_NONE)
                i = slots_next(&s, i);
            assert_true(!is_used[k] || slots_at(&s, i) == k);
            used += is_used[k];
        }
        assert_int_equal(slots_used(&s), used);
    }
    slots_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strmap_finds_what_was_put),
        cmocka_unit_test(arena_memory_is_zeroed_and_distinct),
        cmocka_unit_test(errors_carry_a_prefix),
        cmocka_unit_test(rng_stream_is_pinned),
        cmocka_unit_test(vec_grows),
        cmocka_unit_test(numbers_are_found_under_their_keys_until_given_back),
        cmocka_unit_test(text_of_any_bytes_becomes_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
