/* Branches and loops as an assembler leaves them (ptx/reshape.h): every thread's results are those
 * of the code as it was written. */
#include "exec/fixture.h"

enum { THREADS = 64, WORDS = 4096 };

static void run_as(struct fixture *f, const char *ptx, bool is_ordered)
{
    memset(f, 0, sizeof *f);
    f->dev = device_new(UINT64_C(1) << 30, &f->err);
    f->dev->schedules_code = is_ordered;
    struct ptx_module *m = ptx_parse("test.ptx", ptx, strlen(ptx), &f->err);
    if (!m)
        fail_msg("%s", f->err.msg);
    f->prog = program_load(f->dev, &m, 1, &f->err);
    assert_non_null(f->prog);
    f->buf = devmem_alloc(f->dev->mem, WORDS * 4, 0, MEM_DEVICE, NULL);
    f->words = devmem_ptr(f->buf->base);
    for (uint32_t i = 0; i < WORDS; i++)
        f->words[i] = i * 2654435761u >> 7;
    fixture_run(f, 1, THREADS, 0);
}

/* `changes`: other warp instructions, so that something was done. */
static void same(const char *ptx, bool changes)
{
    struct fixture a, b;
    run_as(&a, ptx, false);
    run_as(&b, ptx, true);
    for (uint32_t i = 0; i < WORDS; i++)
        if (a.words[i] != b.words[i])
            fail_msg("word %u: %u as written, %u as ordered, of\n%s", i, a.words[i], b.words[i],
                     ptx);
    assert_true(!changes || b.result.warp_inst != a.result.warp_inst);
    fixture_close(&a);
    fixture_close(&b);
}

/* Thread t: %rd3 = its place for results, %rd4 = something to read, %r9 = t. */
#define PLACES                                                                    \
    "mul.wide.u32 %rd2,%r1,32; add.s64 %rd3,%rd1,%rd2; add.s64 %rd4,%rd1,%rd2;\n" \
    "add.s64 %rd3,%rd3,8192; mov.u32 %r9,%r1; mov.u32 %r5,7; mov.u32 %r6,1;\n"
/* What a turn does: %r2 is the counter, %rd5 a pointer. */
#define BODY                                                                       \
    "ld.global.u32 %r3,[%rd5]; ld.global.u32 %r4,[%rd5+4]; add.u32 %r5,%r5,%r3;\n" \
    "xor.b32 %r6,%r6,%r4; mad.lo.u32 %r5,%r5,3,%r2; setp.lt.u32 %p3,%r4,%r5;\n"    \
    "@%p3 bra S; add.u32 %r6,%r6,%r2; add.u32 %r7,%r6,1; xor.b32 %r6,%r6,%r7;\n"   \
    "S: st.global.u32 [%rd3+4],%r6; add.s64 %rd5,%rd5,4;\n"
#define LEAVE "st.global.u32 [%rd3],%r5; st.global.u32 [%rd3+8],%r2; st.global.u32 [%rd3+12],%r6;\n"

static void loops_of_any_count(void **state)
{
    (void)state;
    same(PTX_KERNEL(PLACES "mov.u64 %rd5,%rd4; mov.u32 %r2,0; sub.s32 %r8,%r9,4;\nL: " BODY
                           "add.s32 %r2,%r2,1; setp.lt.s32 %p1,%r2,%r8; @%p1 bra L;\n" LEAVE),
         true);
    same(PTX_KERNEL(PLACES "mov.u64 %rd5,%rd4; mov.u32 %r2,-7; mov.u32 %r8,%r9;\nL: " BODY
                           "add.s32 %r2,%r2,3; setp.gt.s32 %p1,%r8,%r2; @%p1 bra L;\n" LEAVE),
         true);
    same(PTX_KERNEL(PLACES "mov.u64 %rd5,%rd4; mov.u32 %r2,0; add.s32 %r8,%r9,1;\nL: " BODY
                           "add.s32 %r2,%r2,1; setp.ne.s32 %p1,%r8,%r2; @%p1 bra L;\n" LEAVE),
         true);
    same(PTX_KERNEL(PLACES
                    "mov.u64 %rd5,%rd4; add.u32 %r2,%r9,1; shl.b32 %r2,%r2,1;\nL: " BODY
                    "add.s32 %r2,%r2,-2; setp.eq.s32 %p1,%r2,0; @%p1 bra E; bra.uni L;\nE:" LEAVE),
         true);
    same(PTX_KERNEL(PLACES "mov.u64 %rd5,%rd4; mov.u32 %r2,%r9;\nL: " BODY
                           "add.s32 %r2,%r2,-1; setp.gt.s32 %p1,%r2,-3; @%p1 bra L;\n" LEAVE),
         true);
}

static void counters_at_the_ends_of_their_range(void **state)
{
    (void)state;
    /* up to the largest bound, a step that would pass it */
    same(PTX_KERNEL(PLACES
                    "mov.u64 %rd5,%rd4; sub.s32 %r2,2147483640,%r9; mov.u32 %r8,2147483647;\n"
                    "L: " BODY "add.s32 %r2,%r2,1; setp.lt.s32 %p1,%r2,%r8; @%p1 bra L;\n" LEAVE),
         true);
    /* through the largest number, until it is equal */
    same(PTX_KERNEL(PLACES "mov.u64 %rd5,%rd4; mov.u32 %r2,2147483640; shl.b32 %r8,%r9,3;\n"
                           "add.s32 %r8,%r8,-2147483640;\nL: " BODY
                           "add.s32 %r2,%r2,8; setp.ne.s32 %p1,%r2,%r8; @%p1 bra L;\n" LEAVE),
         true);
}

static void what_is_carried_from_turn_to_turn(void **state)
{
    (void)state;
    /* values of earlier turns, exchanged; a counter that the body reads; a pair of words */
    same(PTX_KERNEL(PLACES
                    "mov.u64 %rd5,%rd4; mov.u32 %r2,0; mov.u32 %r10,1; mov.u32 %r11,2;\n"
                    "L: ld.global.v2.u32 {%r3,%r4},[%rd5]; mov.u32 %r12,%r10; mov.u32 %r10,%r11;\n"
                    "add.u32 %r11,%r12,%r3; xor.b32 %r11,%r11,%r4; add.u32 %r5,%r5,%r2;\n"
                    "st.global.u32 [%rd3+16],%r12; add.s32 %r2,%r2,1; add.u32 %r6,%r6,%r2;\n"
                    "add.s64 %rd5,%rd5,8; setp.lt.s32 %p1,%r2,%r9; @%p1 bra L;\n"
                    "st.global.u32 [%rd3+20],%r10; st.global.u32 [%rd3+24],%r11;\n"
                    "st.global.u32 [%rd3+28],%r12;\n" LEAVE),
         true);
}

static void conditions_in_the_place_of_branches(void **state)
{
    (void)state;
    same(PTX_KERNEL(PLACES "and.b32 %r2,%r9,3; setp.eq.u32 %p1,%r2,1; setp.lt.u32 %p2,%r9,40;\n"
                           "@%p1 bra A; add.u32 %r5,%r5,%r9; ld.global.u32 %r6,[%rd4];\n"
                           "A: @!%p2 bra B; bra.uni C;\nC: mul.lo.u32 %r5,%r5,%r6;\n"
                           "B: xor.b32 %r6,%r6,%r5; @%p1 bra D; bra.uni E;\n"
                           "D: add.u32 %r6,%r6,9;\nE: " LEAVE),
         true);
}

/* A predicate that only guards others: live behind the loop, and from turn to turn. */
static void predicates_are_carried_too(void **state)
{
    (void)state;
    same(PTX_KERNEL(PLACES "mov.u64 %rd5,%rd4; mov.u32 %r2,0; setp.eq.u32 %p2,%r9,99;\n"
                           "L: ld.global.u32 %r3,[%rd5]; add.u32 %r5,%r5,%r3;\n"
                           "and.b32 %r4,%r5,1; setp.eq.u32 %p2,%r4,1; add.s64 %rd5,%rd5,4;\n"
                           "add.s32 %r2,%r2,1; setp.lt.s32 %p1,%r2,%r9; @%p1 bra L;\n"
                           "@%p2 add.u32 %r6,%r6,77; @!%p1 add.u32 %r6,%r6,1000;\n" LEAVE),
         true);
    same(PTX_KERNEL(PLACES "mov.u64 %rd5,%rd4; mov.u32 %r2,0; setp.eq.u32 %p2,%r9,5;\n"
                           "L: @%p2 add.u32 %r6,%r6,77; ld.global.u32 %r3,[%rd5];\n"
                           "add.u32 %r5,%r5,%r3; and.b32 %r4,%r5,1; setp.eq.u32 %p2,%r4,1;\n"
                           "add.s64 %rd5,%rd5,4;\n"
                           "add.s32 %r2,%r2,1; setp.lt.s32 %p1,%r2,%r9; @%p1 bra L;\n" LEAVE),
         true);
    same(PTX_KERNEL(PLACES "mov.u64 %rd5,%rd4; mov.u32 %r2,0; setp.eq.u32 %p1,%r9,5;\n"
                           "L: @%p1 add.u32 %r6,%r6,77; ld.global.u32 %r3,[%rd5];\n"
                           "add.u32 %r5,%r5,%r3; add.s64 %rd5,%rd5,4;\n"
                           "add.s32 %r2,%r2,1; setp.lt.s32 %p1,%r2,%r9; @%p1 bra L;\n" LEAVE),
         true);
}

/* An address of 32 bits comes around. */
static void short_addresses(void **state)
{
    (void)state;
    same(PTX_HEAD ".shared .align 4 .b8 s[1024];\n" PTX_KERNEL_BODY(
             PLACES "shl.b32 %r10,%r1,2; mov.u32 %r11,s; add.u32 %r11,%r11,%r10;\n"
                    "st.shared.u32 [%r11],%r1; st.shared.u32 [%r11+256],%r10; bar.sync 0;\n"
                    "mov.u32 %r2,0; mov.u32 %r12,s; sub.u32 %r12,%r12,16;\n"
                    "L: ld.shared.u32 %r3,[%r12+16]; add.u32 %r5,%r5,%r3;\n"
                    "xor.b32 %r6,%r6,%r5; add.s32 %r12,%r12,4;\n"
                    "add.s32 %r2,%r2,1; setp.lt.s32 %p1,%r2,%r9; @%p1 bra L;\n" LEAVE),
         true);
}

/* Two branches through one table, behind code that becomes shorter. */
static void a_table_of_two_branches(void **state)
{
    (void)state;
    same(PTX_KERNEL(PLACES "T: .branchtargets A,B,C;\n"
                           "and.b32 %r2,%r9,1; setp.eq.u32 %p1,%r2,1;\n"
                           "@%p1 bra N; add.u32 %r5,%r5,%r9;\n"
                           "N: rem.u32 %r3,%r9,3; setp.gt.u32 %p2,%r9,30; @%p2 bra Q;\n"
                           "brx.idx %r3,T;\nQ: add.u32 %r6,%r6,3; brx.idx %r3,T;\n"
                           "A: add.u32 %r5,%r5,1; bra.uni E;\n"
                           "B: add.u32 %r5,%r5,200; xor.b32 %r6,%r6,5; bra.uni E;\n"
                           "C: add.u32 %r5,%r5,4000; bra.uni E;\nE: " LEAVE),
         true);
}

/* Lanes speak with those that do the same turn. */
static void lanes_that_speak(void **state)
{
    (void)state;
    same(PTX_KERNEL(PLACES "mov.u64 %rd5,%rd4; mov.u32 %r2,0; and.b32 %r8,%r9,15;\n"
                           "L: ld.global.u32 %r3,[%rd5]; activemask.b32 %r10; popc.b32 %r10,%r10;\n"
                           "add.u32 %r5,%r5,%r10; xor.b32 %r6,%r6,%r3; add.s64 %rd5,%rd5,4;\n"
                           "add.s32 %r2,%r2,1; setp.lt.s32 %p1,%r2,%r8; @%p1 bra L;\n" LEAVE),
         false);
    same(PTX_KERNEL(PLACES "mov.u64 %rd5,%rd4; mov.u32 %r2,0; and.b32 %r8,%r9,15;\n"
                           "L: ld.global.u32 %r3,[%rd5]; activemask.b32 %r11;\n"
                           "shfl.sync.idx.b32 %r10,%r3,15,31,%r11;\n"
                           "add.u32 %r5,%r5,%r10; xor.b32 %r6,%r6,%r3; add.s64 %rd5,%rd5,4;\n"
                           "add.s32 %r2,%r2,1; setp.lt.s32 %p1,%r2,%r8; @%p1 bra L;\n" LEAVE),
         false);
}

/* What a function returns in a register is read by who called it. */
static void results_in_registers(void **state)
{
    (void)state;
    same(PTX_HEAD ".func (.reg .u32 %out) sum(.reg .u64 %at,.reg .u32 %n)\n"
                  "{ .reg .b32 %x<4>; .reg .pred %p; mov.u32 %x1,0; mov.u32 %x3,1;\n"
                  "L: ld.global.u32 %x2,[%at]; add.s64 %at,%at,4;\n"
                  "mad.lo.u32 %x3,%x3,5,%x2; xor.b32 %out,%x3,%x2;\n"
                  "add.s32 %x1,%x1,1; setp.lt.s32 %p,%x1,%n; @%p bra L; ret; }\n" PTX_KERNEL_BODY(
                      PLACES "mov.u32 %r2,3; call (%r6),sum,(%rd4,%r9);\n" LEAVE),
         true);
}

static const char start_of_kernel[] =
    ".visible .entry k(.param .u64 p)\n{\n.reg .pred %p<10>; .reg .b32 %r<40>; .reg .b64 %rd<40>;\n"
    "ld.param.u64 %rd1,[p]; mov.u32 %r1,%tid.x;\n" PLACES;
static const char end_of_kernel[] =
    LEAVE "st.global.u32 [%rd3+24],%r7; st.global.u32 [%rd3+28],%r10; ret;\n}\n";

/* Loops of statements drawn at random: what one turn leaves, the next one and the end see. */
static void loops_of_anything(void **state)
{
    static const char *const turns[] = {"ld.global.u32 %r3,[%rd5];",
                                        "add.u32 %r5,%r5,%r3;",
                                        "add.s64 %rd5,%rd5,8;",
                                        "setp.gt.u32 %p2,%r5,%r6;",
                                        "@%p2 xor.b32 %r6,%r6,%r5;",
                                        "@!%p3 add.u32 %r7,%r7,%r2;",
                                        "setp.lt.s32 %p2|%p3,%r7,%r5;",
                                        "setp.ne.and.u32 %p3,%r5,%r9,%p2;",
                                        "@%p3 mov.u32 %r5,%r4;",
                                        "mov.b64 {%r4,%r7},%rd6;",
                                        "mov.b64 %rd6,{%r2,%r6};",
                                        "add.s32 %r10,%r10,-3;",
                                        "selp.u32 %r6,%r10,%r4,%p3;",
                                        "st.global.v2.u32 [%rd3+16],{%r10,%r7};",
                                        "ld.volatile.global.u32 %r4,[%rd3+16];",
                                        "@%p3 add.s32 %r10,%r10,1;"};
    static const char *const ends[] = {
        "add.s32 %r2,%r2,3; setp.lt.s32 %p1,%r2,%r8;",
        "add.s32 %r2,%r2,1; setp.ne.u32 %p1,%r8,%r2;",
        "add.s32 %r2,%r2,-1; sub.s32 %r11,0,%r2; setp.gt.s32 %p1,%r8,%r11;",
        "add.u32 %r2,%r2,1; setp.lt.u32 %p1,%r2,%r8;"};
    (void)state;
    for (uint32_t seed = 0, n = 1; seed < 200; seed++) {
        char ptx[4096];
        int at =
            snprintf(ptx, sizeof ptx,
                     PTX_HEAD "%s mov.u64 %%rd5,%%rd4; mov.u32 %%r2,0; add.u32 %%r8,%%r9,1;\nL: ",
                     start_of_kernel);
        for (unsigned k = 0; k < 7; k++) {
            n = n * 1664525u + 1013904223u;
            at += snprintf(ptx + at, sizeof ptx - (size_t)at, "%s\n", turns[n >> 28]);
        }
        snprintf(ptx + at, sizeof ptx - (size_t)at,
                 "%s @%%p1 bra L; @%%p2 add.u32 %%r6,%%r6,9; @%%p3 add.u32 %%r5,%%r5,%%r10;\n%s",
                 ends[seed % ARRAY_LEN(ends)], end_of_kernel);
        same(ptx, false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_of_any_count),
        cmocka_unit_test(counters_at_the_ends_of_their_range),
        cmocka_unit_test(what_is_carried_from_turn_to_turn),
        cmocka_unit_test(conditions_in_the_place_of_branches),
        cmocka_unit_test(predicates_are_carried_too),
        cmocka_unit_test(short_addresses),
        cmocka_unit_test(a_table_of_two_branches),
        cmocka_unit_test(lanes_that_speak),
        cmocka_unit_test(results_in_registers),
        cmocka_unit_test(loops_of_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
