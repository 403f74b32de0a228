/* The memo instructions: their words, and what each does to registers and unit. */
#include "a64/decode.h"
#include "memo/memo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
/* cmocka.h needs those before it */
#include <cmocka.h>

enum { CODE = 0x10000, DATA = 0x20000 };

struct core {
    struct a64_cpu cpu;
    struct memo_cfg cfg;
};

static void start(struct core *c, int data_is_8_bytes)
{
    *c = (struct core){0};
    conf_defaults(memo_fields, memo_nfields, &c->cfg);
    c->cfg.data_bytes = data_is_8_bytes;
    c->cpu.image = image_new(UINT64_C(1) << 24);
    c->cpu.memo = memo_unit_new(&c->cfg, 1024);
    image_map(c->cpu.image, CODE, IMAGE_PAGE, IMAGE_R | IMAGE_W | IMAGE_X);
    image_map(c->cpu.image, DATA, IMAGE_PAGE, IMAGE_R | IMAGE_W);
}

static void end(struct core *c)
{
    memo_unit_free(c->cpu.memo);
    image_free(c->cpu.image);
}

/* Executes one word. */
static enum a64_stop_kind does(struct core *c, uint32_t word)
{
    assert_true(image_write(c->cpu.image, CODE, &word, sizeof word));
    c->cpu.pc = CODE;
    a64_run(&c->cpu, 1);
    return c->cpu.stop.kind;
}

static uint64_t hash_of(uint64_t v, unsigned bytes)
{
    struct memo_crc crc;
    memo_crc_init(&crc, 32);
    return memo_crc_add(&crc, crc.start, v, bytes);
}

static const char *name_of(uint32_t word)
{
    struct a64_inst i;
    const struct a64_row *rows;
    a64_rows(&rows);
    return a64_decode(&i, word, CODE) ? rows[i.row].name : "none";
}

/* --- words --- */

static void words_of_the_specification(void **state)
{
    (void)state;
    struct a64_inst i;
    assert_true(a64_decode(&i, 0x03480261, CODE)); /* ld_crc s1,[x19,#4],0,0 */
    assert_int_equal(i.rd, 1);
    assert_int_equal(i.rn, 19);
    assert_int_equal(i.imm, 4);
    assert_int_equal(i.size, 4);
    assert_string_equal(name_of(0x03480261), "ld_crc");
    assert_string_equal(name_of(0xa34003e5), "lookup");
    assert_string_equal(name_of(0xc340001f), "update");
    assert_true(a64_decode(&i, 0xe20303ff, CODE)); /* invalidate 3 */
    assert_string_equal(name_of(0xe20303ff), "invalidate");
    assert_int_equal(i.ra, 3);
    assert_string_equal(name_of(0x03000000), "ld_crc");
    assert_string_equal(name_of(0x8340001f), "reg_crc");
    assert_string_equal(name_of(0x06000000), "ld_crc_reg");
}

static void the_largest_offset_is_31_values(void **state)
{
    (void)state;
    struct a64_inst i;
    assert_true(a64_decode(&i, 0x03800000 | 3u << 29 | 7 << 19 | 5 << 16 | 63 << 10, CODE));
    assert_int_equal(i.imm, 31 * 8);
    assert_int_equal(i.ra, 5);
    assert_int_equal(i.shift, 63);
}

static void other_fields_are_undefined(void **state)
{
    (void)state;
    static const uint32_t bad[] = {
        0x83400000,                       /* reg_crc with a destination */
        0x83480000 | 31,                  /* bits 21:19 */
        0xa24003e0,           0xa2c003e0, /* lookups of 1 and 2 bytes */
        0xa34003e0 | 1 << 10,             /* with a number */
        0xa34003e0 ^ 1 << 5,              /* with a source */
        0xc2c0001f,                       /* update of 2 bytes */
        0xc340001f ^ 1,                   /* with a destination */
        0xc3c0001f | 3 << 10,             /* of a fourth kind */
        0xc340001f | 1 << 10,             /* two floats in 4 bytes */
        0xe24003ff,           0xe30003ff, /* invalidate with a size or a SIMD register */
    };
    for (unsigned i = 0; i < ARRAY_LEN(bad); i++)
        assert_string_equal(name_of(bad[i]), "none");
}

/* --- effects --- */

static void loads_are_inputs(void **state)
{
    (void)state;
    struct core c;
    const uint64_t v = UINT64_C(0x1122334455667788);
    start(&c, 0);
    image_write(c.cpu.image, DATA + 8, &v, sizeof v);
    c.cpu.x[1] = DATA;
    c.cpu.x[2] = 2;
    c.cpu.v[3].d[1] = 99;
    assert_int_equal(does(&c, 0x03400000 | 2 << 19 | 1 << 16 | 1 << 5 | 3), A64_RUNNING); /* s3 */
    assert_true(c.cpu.v[3].d[0] == 0x55667788 && c.cpu.v[3].d[1] == 0);
    assert_int_equal(c.cpu.memo->hvr[0][1].crc, hash_of(0x55667788, 4));
    does(&c, 0x03800000 | 1 << 19 | 2 << 16 | 8 << 10 | 1 << 5 | 4); /* x4, 8 bits less */
    assert_true(c.cpu.x[4] == v);                                    /* the register has all bits */
    assert_int_equal(c.cpu.memo->hvr[0][2].crc, hash_of(v & ~UINT64_C(255), 8));
    does(&c,
         0x06000000 | 3u << 29 | 1 << 21 | 1 << 23 | 2 << 16 | 1 << 5 | 5); /* w5, [x1,x2,lsl 1] */
    assert_int_equal(c.cpu.memo->hvr[0][3].crc, hash_of(c.cpu.x[5], 2));
    assert_int_equal(c.cpu.x[5], 0);
    does(&c, 0x06000000 | 4u << 29 | 1 << 16 | 31 << 5 | 5); /* base: the stack pointer */
    assert_int_equal(c.cpu.stop.kind, A64_RUNNING);
    end(&c);
}

static void a_load_that_is_not_allowed_is_no_input(void **state)
{
    (void)state;
    struct core c;
    start(&c, 0);
    c.cpu.x[1] = 0x40;
    assert_int_equal(does(&c, 0x03400000 | 1 << 5), A64_ACCESS);
    assert_int_equal(c.cpu.memo->stats.inputs, 0);
    end(&c);
}

static void registers_are_inputs(void **state)
{
    (void)state;
    struct core c;
    start(&c, 0);
    c.cpu.x[7] = UINT64_C(0xaabbccdd11223344);
    c.cpu.v[7].d[0] = 0x3f800000;
    does(&c, 0x8200001f | 7 << 5); /* one byte */
    assert_int_equal(c.cpu.memo->hvr[0][0].crc, hash_of(0x44, 1));
    does(&c, 0x8340001f | 1 << 16 | 7 << 5);
    assert_int_equal(c.cpu.memo->hvr[0][1].crc, 0x535e9595);
    does(&c, 0x8300001f | 2 << 16 | 31 << 5); /* wzr */
    assert_int_equal(c.cpu.memo->hvr[0][2].crc, 0xdebb20e3);
    end(&c);
}

static void a_lookup_sets_flags_and_leaves_the_register_on_a_miss(void **state)
{
    (void)state;
    struct core c;
    start(&c, 0);
    c.cpu.nzcv = A64_N | A64_C;
    c.cpu.v[5].d[0] = 77;
    c.cpu.v[6].d[0] = UINT64_C(0xffffffff40490fdb);
    does(&c, 0xa34003e5); /* lookup s5 */
    assert_int_equal(c.cpu.nzcv, 0);
    assert_int_equal(c.cpu.v[5].d[0], 77);
    does(&c, 0xc340001f | 6 << 5); /* update s6 */
    does(&c, 0xa34003e5);
    assert_int_equal(c.cpu.nzcv, A64_Z);
    assert_int_equal(c.cpu.v[5].d[0], 0x40490fdb); /* zeros above */
    does(&c, 0xa30003e9);                          /* lookup w9 */
    assert_int_equal(c.cpu.x[9], 0x40490fdb);
    does(&c, 0xe20003ff);
    does(&c, 0xa30003e9);
    assert_int_equal(c.cpu.nzcv, 0);
    end(&c);
}

static void entries_of_another_size_are_an_error(void **state)
{
    (void)state;
    struct core c;
    start(&c, 1);
    assert_int_equal(does(&c, 0xa34003e5), A64_MEMO_SIZE);
    assert_int_equal(c.cpu.stop.code, 4);
    assert_int_equal(does(&c, 0xc340001f), A64_MEMO_SIZE);
    assert_int_equal(does(&c, 0xa3c003e5), A64_RUNNING);
    end(&c);
    start(&c, 0);
    assert_int_equal(does(&c, 0xc380001f), A64_MEMO_SIZE);
    assert_int_equal(c.cpu.stop.code, 8);
    end(&c);
}

static void without_a_unit_they_are_undefined(void **state)
{
    (void)state;
    static const uint32_t words[] = {0x03400020, 0x06000020, 0x8340001f,
                                     0xa34003e5, 0xc340001f, 0xe20003ff};
    struct core c;
    start(&c, 0);
    memo_unit_free(c.cpu.memo);
    c.cpu.memo = NULL;
    c.cpu.x[1] = DATA;
    for (unsigned i = 0; i < ARRAY_LEN(words); i++) {
        assert_int_equal(does(&c, words[i]), A64_UNDEFINED);
        assert_int_equal(c.cpu.stop.word, words[i]);
    }
    end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_the_specification),
        cmocka_unit_test(the_largest_offset_is_31_values),
        cmocka_unit_test(other_fields_are_undefined),
        cmocka_unit_test(loads_are_inputs),
        cmocka_unit_test(a_load_that_is_not_allowed_is_no_input),
        cmocka_unit_test(registers_are_inputs),
        cmocka_unit_test(a_lookup_sets_flags_and_leaves_the_register_on_a_miss),
        cmocka_unit_test(entries_of_another_size_are_an_error),
        cmocka_unit_test(without_a_unit_they_are_undefined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
