/* What golden vectors do not reach: each test is a kernel and what it must leave in memory. */
#include "exec/fixture.h"

#define OUT "mul.wide.u32 %rd2,%r1,4; add.s64 %rd3,%rd1,%rd2; "

static void run_text(struct fixture *f, const char *ptx, uint32_t grid, uint32_t block)
{
    fixture_open(f, ptx, 65536);
    fixture_run(f, grid, block, 0);
}

/* --- divergence --- */

static void lanes_may_wait_for_lanes_of_their_own_warp(void **state)
{
    (void)state;
    struct fixture f;
    /* every lane takes the same lock in turn: needs the holder to run while others spin */
    run_text(
        &f,
        PTX_KERNEL("L: atom.global.cas.b32 %r2,[%rd1],0,1; setp.ne.u32 %p1,%r2,0; @%p1 bra L;\n"
                   "ld.global.u32 %r3,[%rd1+4]; add.u32 %r3,%r3,1; st.global.u32 [%rd1+4],%r3;\n"
                   "atom.global.exch.b32 %r4,[%rd1],0;\n"),
        2, 64);
    assert_int_equal(f.words[1], 128);
    fixture_close(&f);
}

static void a_flag_set_by_a_later_block_is_seen(void **state)
{
    (void)state;
    struct fixture f;
    run_text(&f,
             PTX_KERNEL("mov.u32 %r2,%ctaid.x; setp.ne.u32 %p1,%r2,0; @%p1 bra SET;\n"
                        "L: ld.volatile.global.u32 %r3,[%rd1]; setp.eq.u32 %p2,%r3,0; @%p2 bra L;\n"
                        "st.global.u32 [%rd1+8],%r3; ret;\n"
                        "SET: st.volatile.global.u32 [%rd1],7;\n"),
             2, 32);
    assert_int_equal(f.words[2], 7);
    fixture_close(&f);
}

static void brx_takes_every_lane_to_its_target(void **state)
{
    (void)state;
    struct fixture f;
    run_text(&f,
             PTX_KERNEL(OUT "and.b32 %r2,%r1,3;\n"
                            "ts: .branchtargets A, B, C, D;\n"
                            "brx.idx %r2, ts;\n"
                            "A: mov.u32 %r3,10; bra E;\nB: mov.u32 %r3,20; bra E;\n"
                            "C: mov.u32 %r3,30; bra E;\nD: mov.u32 %r3,40;\n"
                            "E: st.global.u32 [%rd3],%r3;\n"),
             1, 32);
    for (unsigned l = 0; l < 32; l++)
        assert_int_equal(f.words[l], 10 * (l % 4 + 1));
    fixture_close(&f);
}

static void guarded_exit_leaves_the_others_running(void **state)
{
    (void)state;
    struct fixture f;
    run_text(&f,
             PTX_KERNEL(OUT "st.global.u32 [%rd3],1; setp.lt.u32 %p1,%r1,10; @%p1 exit;\n"
                            "bar.sync 0; st.global.u32 [%rd3],2;\n"),
             1, 64);
    for (unsigned t = 0; t < 64; t++)
        assert_int_equal(f.words[t], t < 10 ? 1 : 2);
    fixture_close(&f);
}

/* --- calls --- */

static void values_go_through_register_and_memory_parameters(void **state)
{
    (void)state;
    struct fixture f;
    run_text(&f,
             PTX_HEAD ".func (.reg .u32 %r) add1 (.reg .u32 %a) { add.u32 %r, %a, 1; ret; }\n"
                      ".func (.param .align 4 .b8 r[8]) swap (.param .align 4 .b8 a[8]) {\n"
                      ".reg .b32 %x<3>; ld.param.u32 %x1,[a]; ld.param.u32 %x2,[a+4];\n"
                      "st.param.b32 [r],%x2; st.param.b32 [r+4],%x1; ret; }\n"
                      ".visible .entry k(.param .u64 p) {\n.reg .b32 %r<9>; .reg .b64 %rd<5>;\n"
                      "ld.param.u64 %rd1,[p]; mov.u32 %r1,%tid.x; mul.wide.u32 %rd2,%r1,8; add.s64 "
                      "%rd3,%rd1,%rd2;\n"
                      "call (%r2), add1, (%r1);\n"
                      "{ .param .align 4 .b8 q[8]; .param .align 4 .b8 s[8];\n"
                      "st.param.b32 [q],%r1; st.param.b32 [q+4],%r2; call (s), swap, (q);\n"
                      "ld.param.v2.u32 {%r3,%r4},[s]; }\n"
                      "st.global.v2.u32 [%rd3],{%r3,%r4}; ret; }\n",
             1, 40);
    for (unsigned t = 0; t < 40; t++) {
        assert_int_equal(f.words[2 * t], t + 1);
        assert_int_equal(f.words[2 * t + 1], t);
    }
    fixture_close(&f);
}

/* --- across lanes --- */

static void redux_and_elect(void **state)
{
    (void)state;
    struct fixture f;
    run_text(&f,
             PTX_KERNEL("redux.sync.add.u32 %r2,%r1,-1; redux.sync.max.s32 %r3,%r1,-1;\n"
                        "redux.sync.xor.b32 %r4,%r1,-1; elect.sync %r5|%p1,-1;\n"
                        "@%p1 st.global.v4.u32 [%rd1],{%r2,%r3,%r4,%r5};\n"),
             1, 32);
    assert_int_equal(f.words[0], 496);
    assert_int_equal(f.words[1], 31);
    assert_int_equal(f.words[2], 0);
    assert_int_equal(f.words[3], 0);
    fixture_close(&f);
}

static void shuffles_report_lanes_out_of_range(void **state)
{
    (void)state;
    struct fixture f;
    run_text(&f,
             PTX_KERNEL(OUT "shfl.sync.down.b32 %r2|%p1,%r1,4,0x1f,-1; selp.u32 %r3,1000,0,%p1;\n"
                            "add.u32 %r2,%r2,%r3; st.global.u32 [%rd3],%r2;\n"),
             1, 32);
    for (unsigned l = 0; l < 32; l++)
        assert_int_equal(f.words[l], l < 28 ? 1000 + l + 4 : l);
    fixture_close(&f);
}

static void match_all_sets_its_predicate(void **state)
{
    (void)state;
    struct fixture f;
    run_text(&f,
             PTX_KERNEL("match.all.sync.b32 %r2|%p1,%r1,-1; selp.u32 %r3,1,0,%p1;\n"
                        "mov.u32 %r5,9; match.all.sync.b32 %r4|%p2,%r5,-1; selp.u32 %r6,1,0,%p2;\n"
                        "st.global.v4.u32 [%rd1],{%r2,%r3,%r4,%r6};\n"),
             1, 32);
    assert_int_equal(f.words[0], 0);
    assert_int_equal(f.words[1], 0);
    assert_true(f.words[2] == UINT32_MAX);
    assert_int_equal(f.words[3], 1);
    fixture_close(&f);
}

/* --- barriers --- */

static void arrive_lets_the_producer_go_on(void **state)
{
    (void)state;
    struct fixture f;
    run_text(&f,
             PTX_KERNEL(".shared .u32 s;\nsetp.lt.u32 %p1,%r1,32; @%p1 bra PRODUCE;\n"
                        "bar.sync 1,64; ld.shared.u32 %r2,[s]; st.global.u32 [%rd1],%r2; ret;\n"
                        "PRODUCE: st.shared.u32 [s],77; bar.arrive 1,64;\n"),
             1, 64);
    assert_int_equal(f.words[0], 77);
    fixture_close(&f);
}

/* --- memory --- */

static void asynchronous_copies_and_their_zero_fill(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f,
                 PTX_KERNEL(".shared .align 16 .b8 s[64];\nmov.u32 %r2,s; mov.u32 %r3,4;\n"
                            "cp.async.ca.shared.global [%r2],[%rd1+16],8;\n"
                            "cp.async.cg.shared.global [%r2+16],[%rd1+16],16,%r3;\n"
                            "cp.async.commit_group; cp.async.wait_group 0;\n"
                            "ld.shared.v2.u32 {%r4,%r5},[s]; ld.shared.v2.u32 {%r6,%r7},[s+16];\n"
                            "st.global.v4.u32 [%rd1+64],{%r4,%r5,%r6,%r7};\n"),
                 1024);
    for (unsigned i = 0; i < 16; i++)
        f.words[i] = 100 + i;
    fixture_run(&f, 1, 1, 0);
    const uint32_t want[] = {104, 105, 104, 0};
    assert_memory_equal(f.words + 16, want, sizeof want);
    fixture_close(&f);
}

static void mbarrier_phases(void **state)
{
    (void)state;
    struct fixture f;
    run_text(&f,
             PTX_KERNEL(".shared .b64 b; .shared .u32 s;\nsetp.ne.u32 %p1,%r1,0; @%p1 bra W;\n"
                        "mbarrier.init.shared.b64 [b], 64;\n"
                        "W: bar.sync 0; setp.eq.u32 %p2,%r1,63; @%p2 st.shared.u32 [s],5;\n"
                        "mbarrier.arrive.shared.b64 %rd4,[b];\n"
                        "T: mbarrier.test_wait.shared.b64 %p3,[b],%rd4; @!%p3 bra T;\n"
                        "ld.shared.u32 %r2,[s]; " OUT "st.global.u32 [%rd3],%r2;\n"),
             1, 64);
    for (unsigned t = 0; t < 64; t++)
        assert_int_equal(f.words[t], 5);
    fixture_close(&f);
}

static void atomics_of_every_type(void **state)
{
    (void)state;
    struct fixture f;
    run_text(
        &f,
        PTX_KERNEL(
            "cvt.rn.f32.u32 %f1,%r1; red.global.add.f32 [%rd1],%f1;\n"
            "cvt.rn.f64.u32 %fd1,%r1; red.global.add.f64 [%rd1+8],%fd1;\n"
            "cvt.u64.u32 %rd4,%r1; red.global.max.u64 [%rd1+16],%rd4;\n"
            "mov.b32 %r2,0x3c003c00; red.global.add.noftz.f16x2 [%rd1+24],%r2;\n"
            "mov.u16 %rs1,1; L: ld.volatile.global.u16 %rs2,[%rd1+28]; add.u16 %rs3,%rs2,%rs1;\n"
            "atom.global.cas.b16 %rs4,[%rd1+28],%rs2,%rs3; setp.ne.u16 %p1,%rs4,%rs2; @%p1 bra L;\n"
            "red.global.inc.u32 [%rd1+32],9;\n"),
        1, 32);
    float sum;
    double dsum;
    memcpy(&sum, &f.words[0], 4);
    memcpy(&dsum, &f.words[2], 8);
    assert_true(sum == 496.0f && dsum == 496.0);
    assert_int_equal(f.words[4], 31);
    assert_int_equal(f.words[6], 0x50005000); /* 32.0 in both halves */
    assert_int_equal(f.words[7], 32);
    assert_int_equal(f.words[8], 2); /* 32 increments modulo 10 */
    fixture_close(&f);
}

static void initialised_variables_hold_addresses(void **state)
{
    (void)state;
    struct fixture f;
    run_text(&f,
             PTX_HEAD ".global .align 4 .u32 t[3] = {5, 6, 7};\n"
                      ".global .align 8 .u64 q[2] = {generic(t), t+8};\n"
                      ".visible .entry k(.param .u64 p) {\n.reg .b32 %r<5>; .reg .b64 %rd<6>;\n"
                      "ld.param.u64 %rd1,[p]; ld.global.u64 %rd2,[q]; ld.global.u64 %rd3,[q+8];\n"
                      "ld.u32 %r1,[%rd2+4]; ld.global.u32 %r2,[%rd3]; st.global.v2.u32 "
                      "[%rd1],{%r1,%r2}; ret; }\n",
             1, 1);
    assert_int_equal(f.words[0], 6);
    assert_int_equal(f.words[1], 7);
    fixture_close(&f);
}

/* --- the device library --- */

static void printf_formats_as_c_does(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f,
                 PTX_HEAD
                 ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
                 ".global .align 1 .b8 fmt[22] = "
                 "{37,53,100,124,37,46,50,102,124,37,115,124,37,108,108,120,37,37,10,0,0,0};\n"
                 ".global .align 1 .b8 str[3] = {104,105,0};\n"
                 ".visible .entry k(.param .u64 p) {\n.local .align 8 .b8 d[32]; .reg .b64 %rd<9>; "
                 ".reg .b32 %r<3>;\n"
                 "mov.u64 %rd1,d; cvta.local.u64 %rd2,%rd1; st.local.u32 [d],-42; st.local.f64 "
                 "[d+8],0d400921FB54442D18;\n"
                 "mov.u64 %rd3,str; cvta.global.u64 %rd4,%rd3; st.local.u64 [d+16],%rd4; "
                 "st.local.u64 [d+24],0xabcdef0123;\n"
                 "mov.u64 %rd5,fmt; cvta.global.u64 %rd6,%rd5;\n"
                 "{ .param .b64 p0; .param .b64 p1; .param .b32 rv; st.param.b64 [p0],%rd6; "
                 "st.param.b64 [p1],%rd2;\n"
                 "call.uni (rv), vprintf, (p0, p1); ld.param.b32 %r1,[rv]; }\n"
                 "ld.param.u64 %rd7,[p]; st.global.u32 [%rd7],%r1; ret; }\n",
                 64);
    char *text = NULL;
    size_t len;
    f.dev->out = open_memstream(&text, &len);
    fixture_run(&f, 1, 1, 0);
    fclose(f.dev->out);
    assert_string_equal(text, "  -42|3.14|hi|abcdef0123%\n");
    assert_int_equal(f.words[0], 4);
    free(text);
    fixture_close(&f);
}

static void device_malloc_is_tracked(void **state)
{
    (void)state;
    struct fixture f;
    run_text(&f,
             PTX_HEAD ".extern .func (.param .b64 r) malloc (.param .b64 n);\n"
                      ".extern .func free (.param .b64 q);\n"
                      ".visible .entry k(.param .u64 p) {\n.reg .b64 %rd<9>; .reg .b32 %r<9>;\n"
                      "ld.param.u64 %rd1,[p]; mov.u32 %r1,%tid.x;\n"
                      "{ .param .b64 a; .param .b64 b; st.param.b64 [a],64; call (b), malloc, (a); "
                      "ld.param.b64 %rd2,[b]; }\n"
                      "st.u32 [%rd2+60],%r1; ld.u32 %r2,[%rd2+60]; red.global.add.u32 [%rd1],%r2;\n"
                      "{ .param .b64 a; st.param.b64 [a],%rd2; call free, (a); }\nret; }\n",
             1, 32);
    assert_int_equal(f.words[0], 496);
    assert_int_equal(f.dev->heap_used_bytes, 0);
    fixture_close(&f);
}

static void the_clock_moves_forward(void **state)
{
    (void)state;
    struct fixture f;
    run_text(&f,
             PTX_KERNEL("mov.u64 %rd4,%clock64; mov.u32 %r2,%clock; add.u32 %r3,%r2,1;\n"
                        "mov.u64 %rd5,%clock64; sub.u64 %rd6,%rd5,%rd4; cvt.u32.u64 %r4,%rd6; "
                        "st.global.u32 [%rd1],%r4;\n"),
             1, 32);
    assert_int_equal(f.words[0], 3);
    fixture_close(&f);
}

static void waiting_for_the_clock_is_quick_and_hardly_too_long(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f,
                 PTX_KERNEL("mov.u64 %rd4,%clock64;\n"
                            "L: mov.u64 %rd5,%clock64; sub.u64 %rd6,%rd5,%rd4;\n"
                            "setp.lt.u64 %p1,%rd6,0x10000000000; @%p1 bra L;\n"
                            "st.global.u64 [%rd1],%rd6;\n"),
                 64);
    f.max_inst = 10000;
    fixture_run(&f, 1, 32, 0);
    uint64_t waited = f.words[0] | (uint64_t)f.words[1] << 32;
    assert_true(waited >= UINT64_C(1) << 40 && waited < (UINT64_C(1) << 40) / 16 * 17);
    fixture_close(&f);
}

/* What it looks at may be changed by others meanwhile. */
static void the_clock_does_not_run_ahead_where_a_loop_reads_memory(void **state)
{
    (void)state;
    struct fixture f;
    run_text(&f,
             PTX_KERNEL("mov.u64 %rd4,%clock64; mov.u32 %r2,0;\n"
                        "L: mov.u64 %rd5,%clock64; ld.volatile.global.u32 %r3,[%rd1];\n"
                        "add.u32 %r2,%r2,1; sub.u64 %rd6,%rd5,%rd4;\n"
                        "setp.lt.u64 %p1,%rd6,60000; @%p1 bra L; st.global.u32 [%rd1],%r2;\n"),
             1, 32);
    assert_int_equal(f.words[0], 10001);
    fixture_close(&f);
}

static void cooperative_blocks_meet(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(
        &f,
        PTX_KERNEL("mov.u32 %r2,%ctaid.x; mov.u32 %r3,%nctaid.x;\n"
                   "setp.ne.u32 %p1,%r1,0; @%p1 bra W; red.global.add.u32 [%rd1],1;\n"
                   "L: ld.volatile.global.u32 %r4,[%rd1]; setp.lt.u32 %p2,%r4,%r3; @%p2 bra L;\n"
                   "W: bar.sync 0; mul.wide.u32 %rd2,%r2,4; add.s64 %rd3,%rd1,%rd2;\n"
                   "ld.global.u32 %r5,[%rd1]; st.global.u32 [%rd3+64],%r5;\n"),
        4096);
    f.is_cooperative = true;
    f.max_inst = 100000000;
    fixture_run(&f, 200, 64, 0);
    for (unsigned b = 0; b < 200; b++)
        assert_int_equal(f.words[16 + b], 200);
    fixture_close(&f);
}

static void sixteen_bit_special_registers_of_old_ptx(void **state)
{
    (void)state;
    struct fixture f;
    run_text(
        &f,
        PTX_KERNEL("mov.u16 %rs1,%tid.x; mov.u16 %rs2,%ntid.x; mul.wide.u16 %r2,%rs1,%rs2;\n" OUT
                   "st.global.u32 [%rd3],%r2;\n"),
        1, 64);
    for (unsigned t = 0; t < 64; t++)
        assert_int_equal(f.words[t], t * 64);
    fixture_close(&f);
}

/* --- what a kernel can reach --- */

/* `one` is called through a table; the table's other functions, and the kernel whose address is in
 * it, use shared memory. */
#define REACH_HEAD                                                                           \
    PTX_HEAD ".shared .b8 big[32768]; .shared .b8 small[64];\n"                              \
             ".visible .entry child() { .reg .b32 %r<2>; ld.shared.u32 %r1,[big]; ret; }\n"  \
             ".func (.param .b32 o) one(.param .b32 a) { .reg .b32 %r<3>;\n"                 \
             "ld.param.u32 %r1,[a]; add.u32 %r2,%r1,1; st.param.b32 [o],%r2; ret; }\n"       \
             ".func two(.param .b64 a) { .reg .b32 %r<2>; ld.shared.u32 %r1,[big]; ret; }\n" \
             ".func (.param .b32 o) same(.param .b32 a) { .reg .b32 %r<2>;\n" SAME_FORM      \
             "st.param.b32 [o],7; ret; }\n"                                                  \
             ".global .u64 table[4] = {one, two, child, same};\n"                            \
             ".visible .entry k(.param .u64 p)\n{\n"                                         \
             ".reg .b32 %r<4>; .reg .b64 %rd<4>; .param .b32 i; .param .b32 o;\n"            \
             "ld.param.u64 %rd1,[p]; ld.global.u64 %rd2,[table]; st.param.b32 [i],41;\n"     \
             "pr: .callprototype (.param .b32 _) _ (.param .b32 _);\n"                       \
             "call (o), %rd2, (i), pr; ld.param.b32 %r1,[o]; st.global.u32 [%rd1],%r1; ret;\n}\n"

static void an_indirect_call_is_charged_the_shared_memory_of_what_it_can_call(void **state)
{
    (void)state;
    struct fixture f;
#define SAME_FORM ""
    run_text(&f, REACH_HEAD, 1, 1);
    assert_int_equal(f.words[0], 42);
    assert_int_equal(program_kernel(f.prog, "k", &f.err)->shared_bytes, 0);
    assert_int_equal(program_kernel(f.prog, "child", &f.err)->shared_bytes, 32768);
    fixture_close(&f);
#undef SAME_FORM
#define SAME_FORM "ld.shared.u32 %r1,[small];\n"
    run_text(&f, REACH_HEAD, 1, 1);
    assert_int_equal(program_kernel(f.prog, "k", &f.err)->shared_bytes, 64);
    fixture_close(&f);
#undef SAME_FORM
}

/* Groups of several warps keep their barriers there. */
static void reserved_shared_memory_lies_apart(void **state)
{
    (void)state;
    struct fixture f;
    run_text(&f,
             PTX_HEAD
             ".shared .align 4 .b8 own[4];\n"
             ".visible .entry k(.param .u64 p)\n{\n"
             ".reg .b32 %r<9>; .reg .b64 %rd<2>; ld.param.u64 %rd1,[p];\n"
             "mov.u32 %r1,%reserved_smem_offset_1; mov.u32 %r2,%reserved_smem_offset_end;\n"
             "st.shared.u32 [own],7; st.shared.u32 [%r1],8; st.shared.u32 [%r1+284],9;\n"
             "ld.shared.u32 %r3,[own]; ld.shared.u32 %r4,[%r1]; mov.u32 %r5,own;\n"
             "st.global.v4.u32 [%rd1],{%r3,%r4,%r5,%r2}; ret;\n}\n",
             1, 1);
    assert_int_equal(f.words[0], 7);
    assert_int_equal(f.words[1], 8);
    assert_int_equal(f.words[2], f.words[3]);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_may_wait_for_lanes_of_their_own_warp),
        cmocka_unit_test(a_flag_set_by_a_later_block_is_seen),
        cmocka_unit_test(brx_takes_every_lane_to_its_target),
        cmocka_unit_test(guarded_exit_leaves_the_others_running),
        cmocka_unit_test(values_go_through_register_and_memory_parameters),
        cmocka_unit_test(redux_and_elect),
        cmocka_unit_test(shuffles_report_lanes_out_of_range),
        cmocka_unit_test(match_all_sets_its_predicate),
        cmocka_unit_test(arrive_lets_the_producer_go_on),
        cmocka_unit_test(asynchronous_copies_and_their_zero_fill),
        cmocka_unit_test(mbarrier_phases),
        cmocka_unit_test(atomics_of_every_type),
        cmocka_unit_test(initialised_variables_hold_addresses),
        cmocka_unit_test(printf_formats_as_c_does),
        cmocka_unit_test(device_malloc_is_tracked),
        cmocka_unit_test(the_clock_moves_forward),
        cmocka_unit_test(waiting_for_the_clock_is_quick_and_hardly_too_long),
        cmocka_unit_test(the_clock_does_not_run_ahead_where_a_loop_reads_memory),
        cmocka_unit_test(cooperative_blocks_meet),
        cmocka_unit_test(sixteen_bit_special_registers_of_old_ptx),
        cmocka_unit_test(an_indirect_call_is_charged_the_shared_memory_of_what_it_can_call),
        cmocka_unit_test(reserved_shared_memory_lies_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
