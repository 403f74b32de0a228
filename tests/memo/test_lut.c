/* Hashes, truncation, the tables' places and what gives way in them. */
#include "memo/support_unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
/* cmocka.h needs those before it */
#include <cmocka.h>

static uint32_t crc_of(const void *bytes, size_t n)
{
    struct memo_crc c;
    memo_crc_init(&c, 32);
    uint64_t crc = c.start;
    for (size_t i = 0; i < n; i++)
        crc = memo_crc_add(&c, crc, ((const uint8_t *)bytes)[i], 1);
    return (uint32_t)crc;
}

static uint32_t crc_of_word(uint32_t v)
{
    return crc_of(&v, sizeof v);
}

static void hashes(void **state)
{
    (void)state;
    static const uint8_t counting[] = {1, 2, 3, 4, 5, 6, 7, 8};
    assert_int_equal(crc_of("", 1), 0x2dfd1072);
    assert_int_equal(crc_of_word(0), 0xdebb20e3);
    assert_int_equal(crc_of_word(bits_of(1.0f)), 0x535e9595);
    assert_int_equal(crc_of_word(bits_of(3.14159274f)), 0x73d5ec9a);
    assert_int_equal(crc_of("123456789", 9), 0x340bc6d9);
    assert_int_equal(crc_of(counting, 8), 0xc035773a);
}

static void a_value_is_hashed_as_its_bytes_in_order(void **state)
{
    (void)state;
    struct memo_crc c;
    memo_crc_init(&c, 32);
    assert_int_equal(memo_crc_add(&c, c.start, UINT64_C(0x0807060504030201), 8), 0xc035773a);
    const uint64_t half = memo_crc_add(&c, c.start, 0x04030201, 4);
    assert_int_equal(memo_crc_add(&c, half, 0x08070605, 4), 0xc035773a);
}

static void hash_of_an_option(void **state)
{
    (void)state;
    const float values[] = {42, 40, 0.1f, 0.2f, 0.5f};
    for (uint32_t put = 0; put < 2; put++) {
        struct memo_unit *u = unit_of("");
        for (unsigned i = 0; i < 5; i++)
            memo_input(u, 0, 0, bits_of(values[i]), 4, 0, true);
        memo_input(u, 0, 0, put, 4, 0, true);
        assert_int_equal(u->hvr[0][0].crc, put ? 0x27d12c9c : 0x9f6d4bf9);
        assert_int_equal(u->stats.input_bytes, 24);
        memo_unit_free(u);
    }
}

static void truncation(void **state)
{
    (void)state;
    const uint32_t pi = 0x40490fdb;
    assert_int_equal(memo_truncate(pi, 8, 4), 0x40490f00);
    assert_int_equal(crc_of_word(0x40490f00), 0x8280d202);
    assert_int_equal(memo_truncate(pi, 16, 4), 0x40490000);
    assert_int_equal(crc_of_word(0x40490000), 0x89dc953f);
    assert_int_equal(memo_truncate(pi, 18, 4), 0x40480000);
    assert_int_equal(crc_of_word(0x40480000), 0x90c7a47e);
    assert_int_equal(memo_truncate(bits_of(-3.14159274f), 16, 4), bits_of(-3.140625f));
    assert_int_equal(memo_truncate(37, 2, 4), 36);
    assert_int_equal(memo_truncate(37, 7, 4), 0);
    assert_int_equal((int32_t)memo_truncate((uint64_t)-37, 2, 4), -40);
    assert_int_equal((int32_t)memo_truncate((uint64_t)-37, 7, 4), -128);
    assert_int_equal(memo_truncate(UINT64_MAX, 32, 4), 0); /* as wide as the value */
    assert_int_equal(memo_truncate(UINT64_MAX, 63, 1), 0);
    assert_true(memo_truncate(UINT64_MAX, 63, 8) == UINT64_C(1) << 63);
}

static void places(void **state)
{
    (void)state;
    const struct {
        unsigned sets, set;
        uint32_t tag;
    } of[] = {{64, 57, 0x827db52f},
              {128, 121, 0x813eda97},
              {256, 249, 0x809f6d4b},
              {4096, 3065, 0x8009f6d4},
              {8192, 3065, 0x8004fb6a}};
    for (unsigned i = 0; i < ARRAY_LEN(of); i++) {
        struct lut t;
        lut_init(&t, of[i].sets, 8);
        assert_int_equal(lut_victim(&t, 0x9f6d4bf9) - t.entries, of[i].set * 8);
        assert_int_equal(lut_tag_word(&t, 0, 0x9f6d4bf9), of[i].tag);
        lut_free(&t);
    }
    struct lut t;
    lut_init(&t, 128, 8);
    assert_int_equal(lut_victim(&t, 0x535e9595) - t.entries, 21 * 8);
    assert_int_equal(lut_tag_word(&t, 2, 0x535e9595), 0xa0a6bd2b);
    lut_free(&t);
}

/* --- who gives way --- */

static void put(struct lut_pair *p, uint64_t hash)
{
    const struct lut_entry e = {.hash = hash, .data = hash * 10, .id = 3};
    lut_pair_put(p, &e);
}

static unsigned way_of(const struct lut *t, uint64_t hash)
{
    return (unsigned)(lut_find(t, 3, hash) - t->entries);
}

static void the_least_recent_gives_way(void **state)
{
    (void)state;
    struct lut_pair p = {0};
    struct lut_entry e;
    lut_init(&p.l1, 1, 8);
    for (uint64_t k = 'A'; k <= 'H'; k++)
        put(&p, k);
    for (uint64_t k = 'A'; k <= 'H'; k++)
        assert_int_equal(way_of(&p.l1, k), k - 'A');
    assert_int_equal(lut_pair_find(&p, 3, 'A', &e), LUT_L1);
    assert_int_equal(e.data, 'A' * 10);
    assert_int_equal(lut_pair_find(&p, 3, 'I', &e), LUT_NONE);
    put(&p, 'I');
    assert_null(lut_find(&p.l1, 3, 'B'));
    assert_int_equal(way_of(&p.l1, 'I'), 1);
    assert_int_equal(p.moves.evict_l1, 1);
    lut_pair_drop(&p, 3);
    assert_int_equal(lut_victim(&p.l1, 'X') - p.l1.entries, 0);
    lut_free(&p.l1);
}

static void who_leaves_the_first_table_is_most_recent_in_the_second(void **state)
{
    (void)state;
    struct lut_pair p = {0};
    struct lut_entry e;
    lut_init(&p.l1, 1, 8);
    lut_init(&p.l2, 1, 16);
    for (uint64_t k = 'A'; k <= 'H'; k++)
        put(&p, k);
    lut_pair_find(&p, 3, 'A', &e);
    put(&p, 'I');
    assert_int_equal(lut_find(&p.l2, 3, 'B')->used, p.l2.clock);
    assert_int_equal(lut_pair_find(&p, 3, 'B', &e), LUT_L2);
    assert_int_equal(e.data, 'B' * 10);
    assert_int_equal(lut_pair_find(&p, 3, 'B', &e), LUT_L1);
    assert_int_equal(p.moves.fills, 1);
    lut_free(&p.l1);
    lut_free(&p.l2);
}

static void every_entry_of_the_first_table_has_its_copy(void **state)
{
    (void)state;
    struct lut_pair p = {0};
    struct lut_entry e;
    uint64_t s = 1;
    lut_init(&p.l1, 4, 8);
    lut_init(&p.l2, 8, 8); /* small, so that its entries give way, too */
    for (unsigned i = 0; i < 20000; i++) {
        s = s * UINT64_C(6364136223846793005) + 1442695040888963407;
        const uint64_t hash = s >> 33 & 127;
        if (lut_pair_find(&p, 3, hash, &e) == LUT_NONE)
            put(&p, hash);
    }
    assert_true(p.moves.back_invalidated > 0 && p.moves.evict_l2 >= p.moves.back_invalidated);
    for (unsigned i = 0; i < 4 * 8; i++)
        if (p.l1.entries[i].used)
            assert_non_null(lut_find(&p.l2, 3, p.l1.entries[i].hash));
    lut_free(&p.l1);
    lut_free(&p.l2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes),
        cmocka_unit_test(a_value_is_hashed_as_its_bytes_in_order),
        cmocka_unit_test(hash_of_an_option),
        cmocka_unit_test(truncation),
        cmocka_unit_test(places),
        cmocka_unit_test(the_least_recent_gives_way),
        cmocka_unit_test(who_leaves_the_first_table_is_most_recent_in_the_second),
        cmocka_unit_test(every_entry_of_the_first_table_has_its_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
