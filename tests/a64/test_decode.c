/* The decoder: rows are apart, and words are instructions if they are for QEMU. */
#include "a64/decode.h"
#include "a64/operands.h"
#include "a64/support_vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs those before it */
#include <cmocka.h>

static void no_word_fits_two_rows(void **state)
{
    (void)state;
    const struct a64_row *rows;
    const size_t n = a64_rows(&rows);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            if (!((rows[i].value ^ rows[k].value) & rows[i].mask & rows[k].mask))
                fail_msg("rows %s and %s overlap", rows[i].name, rows[k].name);
}

static void names_are_apart(void **state)
{
    (void)state;
    const struct a64_row *rows;
    const size_t n = a64_rows(&rows);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(rows[i].name, rows[k].name);
}

/* The space of the memo instructions, which QEMU's core does not know. */
static bool is_memo_space(uint32_t word)
{
    return (word >> 25 & 0xf) == 1 || (word >> 25 & 0xf) == 3;
}

/* 2^20 random words; tools/a64/allocated has asked QEMU about each. */
static void what_is_allocated_is_decoded(void **state)
{
    (void)state;
    enum { EXCEPTIONS = 0xd4 }; /* QEMU was not asked about these, which leave the program */
    size_t len;
    uint8_t *bits_of = vectors_read("allocated", &len);
    uint64_t s = 0;
    unsigned decoded = 0;
    assert_int_equal(len, (1 << 20) / 8);
    for (unsigned i = 0; i < 1 << 20; i++) {
        const uint32_t word = (uint32_t)vector_next(&s);
        struct a64_inst inst;
        const bool is_decoded = a64_decode(&inst, word, VECTOR_PC);
        decoded += is_decoded;
        if (is_decoded != (bits_of[i / 8] >> i % 8 & 1) && word >> 24 != EXCEPTIONS &&
            !is_memo_space(word))
            fail_msg("0x%08x %s", word,
                     is_decoded ? "is decoded, but not allocated"
                                : "is allocated, but not decoded");
    }
    assert_true(decoded > 1 << 18);
    free(bits_of);
}

/* Every row finds its own words: those of its fixed bits with fields of ones and of zeros. */
static void rows_find_their_words(void **state)
{
    (void)state;
    const struct a64_row *rows;
    const size_t n = a64_rows(&rows);
    for (size_t i = 0; i < n; i++) {
        assert_ptr_equal(a64_find_row(rows[i].value), &rows[i]);
        assert_ptr_equal(a64_find_row(rows[i].value | ~rows[i].mask), &rows[i]);
    }
}

static void bitmasks(void **state)
{
    (void)state;
    uint64_t v;
    assert_true(a64_bitmask(1, 0, 0, true, &v) && v == 1);
    assert_true(a64_bitmask(0, 0, 0x3c, true, &v) && v == UINT64_C(0x5555555555555555));
    assert_true(a64_bitmask(0, 1, 0x3c, false, &v) && v == 0xaaaaaaaa);
    assert_true(a64_bitmask(1, 4, 7, true, &v) && v == UINT64_C(0xf00000000000000f));
    assert_false(a64_bitmask(1, 0, 63, true, &v));
    assert_false(a64_bitmask(1, 0, 0, false, &v));
    assert_false(a64_bitmask(0, 0, 0x3f, true, &v));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_word_fits_two_rows),
        cmocka_unit_test(names_are_apart),
        cmocka_unit_test(what_is_allocated_is_decoded),
        cmocka_unit_test(rows_find_their_words),
        cmocka_unit_test(bitmasks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
