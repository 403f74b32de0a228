/* A guest's memory: mappings that are cut and joined, protection, limits, moves. */
#include "a64/image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs those before it */
#include <cmocka.h>

enum { P = IMAGE_PAGE, RW = IMAGE_R | IMAGE_W };

static void accesses_stay_in_mappings(void **state)
{
    (void)state;
    struct image *m = image_new(1 << 20);
    char text[8] = "";
    assert_true(image_map(m, 16 * P, 2 * P, RW));
    assert_true(image_write(m, 17 * P - 3, "across", 7));
    assert_true(image_read(m, 17 * P - 3, text, 7));
    assert_string_equal(text, "across");
    assert_false(image_write(m, 18 * P - 3, "across", 7));
    assert_int_equal(m->fault.addr, 18 * P);
    assert_true(image_read(m, 18 * P - 3, text, 3));
    assert_int_equal(text[0], 0); /* nothing was written before it was refused */
    assert_false(image_read(m, 15 * P, text, 1));
    assert_false(image_read(m, UINT64_MAX - 2, text, 8));
    assert_false(image_map(m, IMAGE_END - P, 2 * P, RW));
    assert_true(image_map(m, IMAGE_END - P, P, RW));
    assert_false(image_write(m, IMAGE_END - 1, "ab", 2));
    image_free(m);
}

static void tags_are_ignored(void **state)
{
    (void)state;
    struct image *m = image_new(1 << 20);
    char c = 0;
    image_map(m, 16 * P, P, RW);
    assert_true(image_write(m, UINT64_C(0xab00000000000000) | 16 * P, "x", 1));
    assert_true(image_read(m, 16 * P, &c, 1) && c == 'x');
    assert_false(image_read(m, UINT64_C(0x0001000000000000) | 16 * P, &c, 1));
    image_free(m);
}

static void protection_cuts_and_joins(void **state)
{
    (void)state;
    struct image *m = image_new(1 << 20);
    char c = 1;
    image_map(m, 16 * P, 5 * P, RW);
    assert_int_equal(m->mappings.len, 1);
    assert_true(image_protect(m, 17 * P, P, IMAGE_R));
    assert_int_equal(m->mappings.len, 3);
    assert_false(image_write(m, 17 * P, &c, 1));
    assert_true(m->fault.is_mapped);
    assert_true(image_write(m, 18 * P, &c, 1));
    assert_true(image_protect(m, 17 * P, P, RW));
    assert_int_equal(m->mappings.len, 1);
    assert_false(image_protect(m, 20 * P, 2 * P, IMAGE_R)); /* its end is not mapped */
    assert_int_equal(m->mappings.len, 1);
    assert_true(image_unmap(m, 18 * P, P));
    assert_int_equal(m->mappings.len, 2);
    assert_true(image_is_free(m, 18 * P, P));
    assert_false(image_is_free(m, 18 * P, 2 * P));
    image_map(m, 18 * P, P, RW);
    assert_true(image_read(m, 18 * P, &c, 1) && c == 0);
    image_free(m);
}

static void allowed_pages_are_forgotten(void **state)
{
    (void)state;
    struct image *m = image_new(1 << 20);
    char c = 1;
    image_map(m, 16 * P, P, RW);
    assert_null(image_hit(m->write, 16 * P, 1));
    image_write(m, 16 * P, &c, 1);
    assert_non_null(image_hit(m->write, 16 * P, 1));
    assert_null(image_hit(m->write, 17 * P - 1, 2)); /* across two pages */
    image_protect(m, 16 * P, P, IMAGE_R);
    assert_null(image_hit(m->write, 16 * P, 1));
    image_read(m, 16 * P, &c, 1);
    assert_non_null(image_hit(m->read, 16 * P, 1));
    image_unmap(m, 16 * P, P);
    assert_null(image_hit(m->read, 16 * P, 1));
    image_free(m);
}

static void code_is_not_stored_to_unseen(void **state)
{
    (void)state;
    struct image *m = image_new(1 << 20);
    const uint32_t word = 0xd503201f;
    image_map(m, 16 * P, P, RW | IMAGE_X);
    image_write(m, 16 * P, &word, 4);
    assert_non_null(image_code(m, 16 * P));
    assert_null(image_hit(m->write, 16 * P, 4));
    image_write(m, 16 * P, &word, 4);
    assert_null(image_hit(m->write, 16 * P, 4));
    assert_null(image_code(m, 20 * P));
    image_free(m);
}

static void memory_has_a_limit(void **state)
{
    (void)state;
    struct image *m = image_new(1 << 20);
    const char c = 1;
    uint64_t at = 16 * P;
    assert_true(image_map(m, 0, IMAGE_END, RW)); /* addresses cost nothing */
    while (image_write(m, at, &c, 1))
        at += P;
    assert_true(m->fault.is_out_of_memory);
    assert_true(m->bytes <= 1 << 20 && m->pages > 100);
    assert_true(image_unmap(m, 0, IMAGE_END));
    assert_int_equal(m->pages, 0);
    image_free(m);
}

static void room_is_found_and_contents_move(void **state)
{
    (void)state;
    struct image *m = image_new(1 << 20);
    char text[6] = "";
    unsigned prot;
    image_map(m, 100 * P, 4 * P, RW);
    assert_int_equal(image_find_room(m, 2 * P, 104 * P), 98 * P);
    assert_int_equal(image_find_room(m, 2 * P, 110 * P), 108 * P);
    assert_int_equal(image_find_room(m, 200 * P, 104 * P), 0);
    image_write(m, 101 * P + 5, "moved", 6);
    image_map(m, 200 * P, 4 * P, RW);
    assert_true(image_move(m, 100 * P, 200 * P, 4 * P));
    assert_true(image_read(m, 201 * P + 5, text, 6));
    assert_string_equal(text, "moved");
    assert_false(image_read(m, 101 * P, text, 1));
    assert_true(image_prot(m, 200 * P, 4 * P, &prot) && prot == RW);
    assert_false(image_prot(m, 200 * P, 5 * P, &prot));
    image_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_stay_in_mappings),
        cmocka_unit_test(tags_are_ignored),
        cmocka_unit_test(protection_cuts_and_joins),
        cmocka_unit_test(allowed_pages_are_forgotten),
        cmocka_unit_test(code_is_not_stored_to_unseen),
        cmocka_unit_test(memory_has_a_limit),
        cmocka_unit_test(room_is_found_and_contents_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
