/* --oob warn: accesses outside every allocation are reported once a place, and go on. */
#define _GNU_SOURCE /* fileno() */
#include "exec/fixture.h"
#include "exec/oob.h"

#include <unistd.h>

/* Runs `body` with a buffer of 1024 bytes; stderr goes to `said`. */
static void run_relaxed(struct fixture *f, const char *ptx, uint32_t block, char *said, size_t len)
{
    fixture_open(f, ptx, 1024);
    f->dev->oob = oob_new(f->dev, &f->err);
    assert_non_null(f->dev->oob);
    /* The stream stays what it is: libraries that are loaded meanwhile keep it. */
    FILE *file = tmpfile();
    const int was = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    bool ok = fixture_launch(f, 1, block, 0) && fixture_launch(f, 1, block, 0);
    dup2(was, STDERR_FILENO);
    close(was);
    rewind(file);
    size_t n = fread(said, 1, len - 1, file);
    said[n] = 0;
    fclose(file);
    if (!ok)
        fail_msg("%s", f->err.msg);
}

static unsigned lines_of(const char *said)
{
    unsigned n = 0;
    for (; *said; said++)
        n += *said == '\n';
    return n;
}

static void a_hole_reads_as_zero_and_drops_writes(void **state)
{
    struct fixture f;
    char said[4096];
    (void)state;
    run_relaxed(&f,
                PTX_KERNEL("mul.wide.u32 %rd2,%r1,4; add.s64 %rd3,%rd1,%rd2; mov.u32 %r5,77;\n"
                           "st.global.u32 [%rd2],%r5; mov.u32 %r6,99;\n"
                           "ld.global.u32 %r6,[%rd2]; st.global.u32 [%rd3],%r6;\n"
                           "atom.global.add.u32 %r7,[%rd2],5; st.global.u32 [%rd3+128],%r7;\n"),
                32, said, sizeof said);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(f.words[i], 0);
    assert_int_equal(lines_of(said), 3);
    assert_non_null(strstr(said, "warning: kernel k, test.ptx:"));
    assert_non_null(strstr(said, "write of 4 bytes at global address 0x0 is outside every"));
    assert_int_equal(oob_places(f.dev->oob), 3);
    assert_int_equal(oob_accesses(f.dev->oob), 2 * 3 * 32);
    fixture_close(&f);
}

/* A stencil reads before its first buffer: what the option itself needs must not lie there. */
static void what_it_needs_is_no_allocation(void **state)
{
    struct err err = {0};
    (void)state;
    struct device *d = device_new(UINT64_C(1) << 30, &err);
    d->oob = oob_new(d, &err);
    assert_non_null(d->oob);
    const struct mem_alloc *first = devmem_alloc(d->mem, 64, 0, MEM_DEVICE, NULL);
    assert_int_equal(first->base, devmem_base(d->mem));
    assert_int_equal(devmem_used(d->mem), 64);
    assert_null(devmem_find(d->mem, first->base - 256, 4));
    assert_null(devmem_find(d->mem, devmem_base(d->mem) + devmem_reserved(d->mem) - 4, 4));
    device_free(d);
}

/* Lanes inside do what they would have done; those behind the end share their page. */
static void the_page_of_an_allocation_exists(void **state)
{
    struct fixture f;
    char said[4096];
    (void)state;
    run_relaxed(&f,
                PTX_KERNEL("mul.wide.u32 %rd2,%r1,4; add.s64 %rd3,%rd1,%rd2;\n"
                           "add.u32 %r2,%r1,1; st.global.u32 [%rd3+960],%r2;\n"
                           "ld.global.u32 %r3,[%rd3+960]; st.global.u32 [%rd3],%r3;\n"),
                32, said, sizeof said);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(f.words[i], i + 1);
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(f.words[240 + i], i + 1);
    assert_int_equal(lines_of(said), 2);
    assert_non_null(strstr(said, "thread (16,0,0)"));
    assert_int_equal(oob_accesses(f.dev->oob), 2 * 2 * 16);
    fixture_close(&f);
}

/* Neighbouring words, the upper half of them on a page that nothing lies on. */
static void a_row_of_words_may_leave_its_page(void **state)
{
    struct fixture f;
    char said[4096];
    (void)state;
    run_relaxed(&f,
                PTX_KERNEL("mul.wide.u32 %rd2,%r1,4; add.s64 %rd3,%rd1,%rd2; add.u32 %r2,%r1,1;\n"
                           "and.b64 %rd4,%rd1,-2097152; add.s64 %rd4,%rd4,%rd2;\n"
                           "st.global.u32 [%rd4+2097088],%r2; ld.global.u32 %r3,[%rd4+2097088];\n"
                           "st.global.u32 [%rd3],%r3; ld.global.u32 %r3,[%rd4+-64];\n"
                           "setp.gt.u32 %p1,%r1,15; @%p1 mov.u32 %r3,0;\n"
                           "st.global.u32 [%rd3+128],%r3;\n"),
                32, said, sizeof said);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(f.words[i], i < 16 ? i + 1 : 0);
    for (unsigned i = 32; i < 64; i++)
        assert_int_equal(f.words[i], 0);
    fixture_close(&f);
}

/* A kernel that overwrites all that lies behind its buffer does not reach what holes read. */
static void holes_stay_empty(void **state)
{
    struct fixture f;
    char said[4096];
    (void)state;
    run_relaxed(&f,
                PTX_KERNEL("mul.wide.u32 %rd2,%r1,4; add.s64 %rd3,%rd1,%rd2; mov.u32 %r2,0;\n"
                           "L: st.global.u32 [%rd3+1024],77; add.s64 %rd3,%rd3,128;\n"
                           "add.u32 %r2,%r2,1; setp.lt.u32 %p1,%r2,512; @%p1 bra L;\n"
                           "ld.global.u32 %r3,[%rd2]; add.s64 %rd3,%rd1,%rd2;\n"
                           "st.global.u32 [%rd3],%r3;\n"),
                32, said, sizeof said);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(f.words[i], 0);
    fixture_close(&f);
}

static void vectors_and_lanes_that_do_nothing(void **state)
{
    struct fixture f;
    char said[4096];
    (void)state;
    run_relaxed(&f,
                PTX_KERNEL("setp.lt.u32 %p1,%r1,4; mul.wide.u32 %rd2,%r1,16; mov.u32 %r2,9;\n"
                           "add.s64 %rd3,%rd1,%rd2; mov.u32 %r3,9; mov.u32 %r4,9; mov.u32 %r5,9;\n"
                           "@%p1 ld.global.v4.u32 {%r2,%r3,%r4,%r5},[%rd2+4096];\n"
                           "st.global.v4.u32 [%rd3],{%r2,%r3,%r4,%r5};\n"),
                8, said, sizeof said);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(f.words[i], i < 16 ? 0 : 9);
    assert_int_equal(lines_of(said), 1);
    fixture_close(&f);
}

/* Its address comes in the buffer. */
static void host_memory_is_out_of_reach(void **state)
{
    static volatile uint32_t secret = 12345;
    struct fixture f;
    (void)state;
    fixture_open(&f,
                 PTX_KERNEL("ld.global.u64 %rd2,[%rd1]; ld.global.u32 %r2,[%rd2];\n"
                            "st.global.u32 [%rd1+8],%r2; st.global.u32 [%rd2],%r1;\n"),
                 1024);
    f.dev->oob = oob_new(f.dev, &f.err);
    const uint64_t at = (uintptr_t)&secret;
    memcpy(f.words, &at, sizeof at);
    f.words[2] = 1;
    fixture_run(&f, 1, 1, 0);
    assert_int_equal(f.words[2], 0);
    assert_int_equal(secret, 12345);
    assert_int_equal(oob_places(f.dev->oob), 2);
    fixture_close(&f);
}

static void misaligned_and_shared_accesses_still_fault(void **state)
{
    struct fixture f;
    const char *misaligned[] = {"misaligned", NULL}, *shared[] = {"shared address", NULL};
    (void)state;
    fixture_open(&f, PTX_KERNEL("ld.global.u32 %r2,[%rd1+2];\n"), 1024);
    f.dev->oob = oob_new(f.dev, &f.err);
    fixture_expect_fault(&f, 1, 716, misaligned);
    fixture_close(&f);
    fixture_open(&f, PTX_KERNEL(".shared .b8 s[64]; ld.shared.u32 %r2,[s+64];\n"), 1024);
    f.dev->oob = oob_new(f.dev, &f.err);
    fixture_expect_fault(&f, 1, 700, shared);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hole_reads_as_zero_and_drops_writes),
        cmocka_unit_test(what_it_needs_is_no_allocation),
        cmocka_unit_test(the_page_of_an_allocation_exists),
        cmocka_unit_test(a_row_of_words_may_leave_its_page),
        cmocka_unit_test(holes_stay_empty),
        cmocka_unit_test(vectors_and_lanes_that_do_nothing),
        cmocka_unit_test(host_memory_is_out_of_reach),
        cmocka_unit_test(misaligned_and_shared_accesses_still_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
