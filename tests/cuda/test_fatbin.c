/* Device code in fatbins and ELF files that are built here: which entry is taken, what is refused.
 */
#include "cuda/elf_modules.h"
#include "cuda/fatbin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <lz4.h>
#include <zstd.h>

enum { ENTRY = 80 };

struct buffer {
    uint8_t bytes[4096];
    size_t len;
};

static void put(struct buffer *b, size_t at, uint64_t value, size_t bytes)
{
    memcpy(b->bytes + at, &value, bytes);
}

static void begin(struct buffer *b)
{
    memset(b, 0, sizeof *b);
    put(b, 0, FATBIN_MAGIC, 4);
    put(b, 4, 1, 2);
    put(b, 6, FATBIN_HEADER, 2);
    b->len = FATBIN_HEADER;
}

static void add(struct buffer *b, unsigned kind, unsigned arch, enum fatbin_packing packing,
                const char *text)
{
    size_t at = b->len, n = strlen(text) + 1, packed = 0;
    char *out = (char *)b->bytes + at + ENTRY;
    if (packing == FATBIN_ZSTD)
        packed = ZSTD_compress(out, 1024, text, n, 3);
    else if (packing == FATBIN_LZ4)
        packed = (size_t)LZ4_compress_default(text, out, (int)n, 1024);
    else
        memcpy(out, text, n);
    size_t payload = align_up(packed ? packed : n, 8);
    put(b, at, kind, 2);
    put(b, at + 4, ENTRY, 4);
    put(b, at + 8, payload, 8);
    put(b, at + 0x10, packed, 4);
    put(b, at + 0x1C, arch, 4);
    put(b, at + 0x28, packing == FATBIN_ZSTD ? 0x8000 : packing == FATBIN_LZ4 ? 0x2000 : 0, 8);
    put(b, at + 0x38, packed ? n : 0, 8);
    b->len = at + ENTRY + payload;
    put(b, 8, b->len - FATBIN_HEADER, 8);
}

static void test_pick(void **state)
{
    static const enum fatbin_packing packings[] = {FATBIN_PLAIN, FATBIN_ZSTD, FATBIN_LZ4};
    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(packings); i++) {
        struct buffer b;
        struct fatbin_entry e;
        struct err err;
        bool found_elf;
        size_t len;
        begin(&b);
        add(&b, FATBIN_PTX, 50, FATBIN_PLAIN, "old");
        add(&b, FATBIN_ELF, 90, FATBIN_PLAIN, "machine code");
        add(&b, FATBIN_PTX, 75, packings[i], "new new new new new new new new new new");
        assert_true(fatbin_pick_ptx(b.bytes, b.len, &e, &found_elf, &err));
        assert_true(found_elf);
        assert_int_equal(e.arch, 75);
        assert_int_equal(e.packing, packings[i]);
        char *text = fatbin_unpack(&e, &len, &err);
        assert_non_null(text);
        assert_string_equal(text, "new new new new new new new new new new");
        free(text);
    }
}

static void test_no_ptx(void **state)
{
    struct buffer b;
    struct fatbin_entry e;
    struct err err;
    bool found_elf;
    (void)state;
    begin(&b);
    add(&b, FATBIN_ELF, 90, FATBIN_PLAIN, "machine code");
    assert_false(fatbin_pick_ptx(b.bytes, b.len, &e, &found_elf, &err));
    assert_true(found_elf);
    assert_non_null(strstr(err.msg, "compute_75"));
}

static bool unpack(const struct fatbin_entry *e, void *arg)
{
    struct err err;
    size_t len;
    (void)arg;
    free(fatbin_unpack(e, &len, &err));
    return true;
}

/* Cut at every length and with every byte damaged: an error or another text, never a crash. */
static void test_damage(void **state)
{
    struct buffer b;
    struct err err;
    (void)state;
    begin(&b);
    add(&b, FATBIN_PTX, 50, FATBIN_ZSTD, "text text text text text text text");
    add(&b, FATBIN_PTX, 75, FATBIN_LZ4, "text text text text text text text");
    for (size_t len = 0; len < b.len; len++) {
        uint8_t *copy = malloc(len + 1);
        memcpy(copy, b.bytes, len);
        assert_false(fatbin_each(copy, len, unpack, NULL, &err));
        free(copy);
    }
    for (size_t at = 0; at < b.len; at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            b.bytes[at] ^= (uint8_t)(1u << bit);
            fatbin_each(b.bytes, b.len, unpack, NULL, &err);
            b.bytes[at] ^= (uint8_t)(1u << bit);
        }
}

static void test_elf(void **state)
{
    struct err err;
    (void)state;
    assert_false(elf_each_module("/nonexistent", unpack, NULL, &err));
    assert_false(elf_each_module_in("x", "no ELF file, but text", 21, unpack, NULL, &err));
    assert_true(elf_each_module("/proc/self/exe", unpack, NULL, &err));
    assert_int_equal(elf_find_runtime("/proc/self/exe"), ELF_RUNTIME_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pick),
        cmocka_unit_test(test_no_ptx),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_elf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
