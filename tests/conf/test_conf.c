/* Fields of a configuration: defaults, files and settings over them, errors that name the place,
 * the dump that reads back. */
#include "conf/conf_int.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const colours[] = {"red", "green", NULL};

#define TOY_ROWS(ROW, ROW_ENUM)                                   \
    ROW(SIZE, size, "16K", 1, 1 << 30, "bytes", "how big")        \
    ROW(INT, ways, "4", 1, 64, "", "how many ways")               \
    ROW(REAL, clock_mhz, "1400", 1, 10000, "MHz", "how fast")     \
    ROW(BOOL, sectored, "false", 0, 0, "", "with sectors")        \
    ROW(STRING, map, "row:col", 0, 0, "", "address map")          \
    ROW(LIST, nodes, "1,3,4", 0, 63, "", "where the memory sits") \
    ROW_ENUM(colour, "red", colours, "what colour")

struct toy_cfg {
#define ROW(TYPE, name, ...) CONF_MEMBER_##TYPE name;
#define ROW_ENUM(name, ...)  int name;
    TOY_ROWS(ROW, ROW_ENUM)
#undef ROW
#undef ROW_ENUM
};

static const struct conf_field toy_fields[] = {
#define ROW(...)      CONF_FIELD(toy_cfg, __VA_ARGS__)
#define ROW_ENUM(...) CONF_FIELD_ENUM(toy_cfg, __VA_ARGS__)
    TOY_ROWS(ROW, ROW_ENUM)
#undef ROW
#undef ROW_ENUM
};

struct fixture {
    struct conf *conf;
    struct toy_cfg l1, l2;
    struct err err;
};

static void fixture_open(struct fixture *f)
{
    f->conf = conf_new();
    conf_add(f->conf, "l1", toy_fields, ARRAY_LEN(toy_fields), &f->l1);
    conf_add(f->conf, "mem.l2", toy_fields, ARRAY_LEN(toy_fields), &f->l2);
}

static bool fixture_yaml(struct fixture *f, const char *text)
{
    return conf_parse(f->conf, "toy.yaml", text, strlen(text), &f->err);
}

static void defaults_fill_the_struct(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    assert_int_equal(f.l1.size, 16384);
    assert_int_equal(f.l1.ways, 4);
    assert_false(f.l1.sectored);
    assert_string_equal(f.l1.map, "row:col");
    assert_int_equal(f.l1.nodes.len, 3);
    assert_int_equal(f.l1.nodes.at[2], 4);
    assert_int_equal(f.l1.colour, 0);
    assert_string_equal(conf_source(f.conf, "l1.size"), "default");
    conf_free(f.conf);
}

static void yaml_then_set_override_in_order(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    assert_true(fixture_yaml(&f, "l1:\n  size: 32K\n  nodes: [7, 8]\n"
                                 "mem:\n  l2:\n    colour: green\n"
                                 "mem.l2:\n  ways: 8\n"));
    assert_int_equal(f.l1.size, 32768);
    assert_int_equal(f.l1.nodes.len, 2);
    assert_int_equal(f.l2.colour, 1);
    assert_int_equal(f.l2.ways, 8);
    assert_string_equal(conf_source(f.conf, "l1.size"), "toy.yaml:2");
    assert_true(conf_set(f.conf, "l1.size=48K", &f.err));
    assert_int_equal(f.l1.size, 49152);
    assert_string_equal(conf_source(f.conf, "l1.size"), "--set");
    conf_free(f.conf);
}

static void unknown_keys_name_place_and_nearest(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    assert_false(fixture_yaml(&f, "l1:\n  ways: 2\n  sise: 1\n"));
    assert_string_equal(f.err.msg, "toy.yaml:3: unknown key 'l1.sise'; did you mean 'l1.size'?");
    assert_false(conf_set(f.conf, "l1.way=3", &f.err));
    assert_string_equal(f.err.msg, "--set: unknown key 'l1.way'; did you mean 'l1.ways'?");
    conf_free(f.conf);
}

static void bad_values_say_what_would_be_right(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    const char *const bad[][2] = {
        {"l1.ways=65", "--set: l1.ways: 65 is out of bounds: from 1 to 64"},
        {"l1.ways=two", "--set: l1.ways: 'two' is not a number"},
        {"l1.ways=2.5", "--set: l1.ways: '2.5' is not a whole number"},
        {"l1.size=2X", "--set: l1.size: '2X' is not a number (suffixes K, M, G are allowed)"},
        {"l1.colour=blue", "--set: l1.colour: 'blue' is not one of: red, green"},
        {"l1.sectored=maybe", "--set: l1.sectored: 'maybe' is neither true nor false"},
        {"l1.nodes=1,99", "--set: l1.nodes: 99 is out of bounds: from 0 to 63"},
        {"nothing", "--set nothing: expected section.field=value"},
    };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        assert_false(conf_set(f.conf, bad[i][0], &f.err));
        assert_string_equal(f.err.msg, bad[i][1]);
    }
    assert_int_equal(f.l1.ways, 4);
    conf_free(f.conf);
}

static void dump_reproduces_the_configuration(void **state)
{
    (void)state;
    struct fixture a, b;
    fixture_open(&a);
    fixture_open(&b);
    assert_true(fixture_yaml(&a, "l1: {size: 1536, clock_mhz: 0x578.8, colour: green, "
                                 "nodes: [], map: 'a: b', sectored: yes}"));
    for (int comments = 0; comments < 2; comments++) {
        char *text;
        size_t len;
        FILE *out = open_memstream(&text, &len);
        conf_dump(a.conf, out, comments);
        fclose(out);
        assert_true(conf_parse(b.conf, "dump.yaml", text, len, &b.err));
        free(text);
        assert_int_equal(a.l1.size, b.l1.size);
        assert_true(a.l1.clock_mhz == b.l1.clock_mhz);
        assert_int_equal(b.l1.nodes.len, 0);
        assert_string_equal(b.l1.map, "a: b");
        assert_true(b.l1.sectored);
        assert_int_equal(b.l1.colour, 1);
    }
    conf_free(a.conf);
    conf_free(b.conf);
}

static void dump_keeps_strings_of_any_bytes(void **state)
{
    (void)state;
    char *longest = xmalloc(10001);
    memset(longest, 'x', 10000);
    longest[10000] = 0;
    const char *const values[] = {"it's",     "two\nlines\t",   "caf\xe9 \xff",
                                  "\xc3\xa9", "a \"b\" \\ # c", "\x01\x7f \xe2\x80\xa8",
                                  longest};
    for (size_t i = 0; i < ARRAY_LEN(values); i++) {
        struct fixture a, b;
        fixture_open(&a);
        fixture_open(&b);
        char *text, *odd_name = xasprintf("%s.yaml", values[i]);
        size_t len;
        assert_true(conf_set_key(a.conf, "l1.map", values[i], odd_name, &a.err));
        FILE *out = open_memstream(&text, &len);
        conf_dump(a.conf, out, true);
        fclose(out);
        if (!conf_parse(b.conf, "dump.yaml", text, len, &b.err))
            fail_msg("%s", b.err.msg);
        assert_string_equal(b.l1.map, values[i]);
        free(text);
        free(odd_name);
        conf_free(a.conf);
        conf_free(b.conf);
    }
    free(longest);
    struct fixture f;
    fixture_open(&f);
    assert_false(fixture_yaml(&f, "l1:\n  map: !bytes \"\xe2\x82\xac\"\n"));
    assert_non_null(strstr(f.err.msg, "toy.yaml:2: !bytes takes"));
    conf_free(f.conf);
}

static void a_file_may_build_on_another(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    char base[] = "/tmp/parsim-conf-XXXXXX";
    int fd = mkstemp(base);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "l1:\n  ways: 2\n  size: 1K\n", 25), 25);
    close(fd);
    char text[128];
    snprintf(text, sizeof text, "base: %s\nl1:\n  size: 2K\n", base);
    assert_true(fixture_yaml(&f, text));
    assert_int_equal(f.l1.ways, 2);
    assert_int_equal(f.l1.size, 2048);
    unlink(base);
    assert_false(fixture_yaml(&f, "base: nowhere.yaml\n"));
    assert_non_null(strstr(f.err.msg, "toy.yaml:1: base"));
    conf_free(f.conf);
}

static void broken_yaml_is_an_error_with_a_line(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    assert_false(fixture_yaml(&f, "l1:\n  size: [1\n"));
    assert_int_equal(strncmp(f.err.msg, "toy.yaml:", 9), 0);
    assert_false(fixture_yaml(&f, "- 1\n- 2\n"));
    assert_string_equal(f.err.msg, "toy.yaml:1: expected 'section:' maps");
    assert_true(fixture_yaml(&f, ""));
    conf_free(f.conf);
}

static void a_key_has_one_value_in_a_file(void **state)
{
    static const char *const texts[][2] = {
        {"l1:\n  size: 1K\n  size: 2K\n", "toy.yaml:3: 'l1.size' is given twice"},
        {"l1: {size: 1K}\nl1.size: 2K\n", "toy.yaml:2: 'l1.size' is given twice"},
        {"l1: {size: 1K}\nl1: {size: 2K}\n", "toy.yaml:2: 'l1.size' is given twice"},
        {"l1: {size: 1K}\n---\nl1: {size: 2K}\n", "toy.yaml:2: a second document: a file has one"},
        {"l1: {size: 1K}\nbase: other.yaml\n",
         "toy.yaml:2: 'base' must come first: it sets all that stands before it again"},
        {"l1: {}\n", "toy.yaml:1: a map without keys"},
        {"l1: {\"size\\0x\": 1}\n", "toy.yaml:1: a key must be a plain word"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct fixture f;
        fixture_open(&f);
        assert_false(fixture_yaml(&f, texts[i][0]));
        assert_string_equal(f.err.msg, texts[i][1]);
        conf_free(f.conf);
    }
}

/* 4^14 maps in some hundred bytes. */
static void aliases_of_aliases_end(void **state)
{
    struct fixture f;
    char text[2048];
    int len = sprintf(text, "a: &a {x: {y: {}}}\n");
    (void)state;
    fixture_open(&f);
    for (char c = 'b'; c < 'n'; c++)
        len += sprintf(text + len, "%c: &%c {p: *%c, q: *%c, r: *%c, s: *%c}\n", c, c, c - 1, c - 1,
                       c - 1, c - 1);
    assert_false(fixture_yaml(&f, text));
    memcpy(text, "a: &a [1, 2, 3, 4]", 18); /* a value that nothing has */
    assert_false(fixture_yaml(&f, text));
    conf_free(f.conf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_fill_the_struct),
        cmocka_unit_test(yaml_then_set_override_in_order),
        cmocka_unit_test(unknown_keys_name_place_and_nearest),
        cmocka_unit_test(bad_values_say_what_would_be_right),
        cmocka_unit_test(dump_reproduces_the_configuration),
        cmocka_unit_test(dump_keeps_strings_of_any_bytes),
        cmocka_unit_test(a_file_may_build_on_another),
        cmocka_unit_test(broken_yaml_is_an_error_with_a_line),
        cmocka_unit_test(a_key_has_one_value_in_a_file),
        cmocka_unit_test(aliases_of_aliases_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
