/* The log of what an SM does to global memory: its own loads see it at once, others after a meeting
 * point, where everything happens in the order of (cycle, SM). */
#include "support_stepper.h"

/* --- own stores --- */

/* What a kernel of one SM and one warp, never met by others until its end, leaves in memory. */
static void run_alone(struct stepper *s, const char *ptx, uint32_t block)
{
    stepper_open(s, ptx, 1, block);
    for (uint32_t i = 0; i < 64; i++)
        s->f.words[i] = 0x11111111u * (i % 16);
    for (uint32_t w = 0; w < s->cta[0]->nwarps; w++)
        stepper_go(s, 0, w, w);
    for (uint32_t i = 0; i < 64; i++) /* nothing of it is in memory yet */
        assert_int_equal(s->f.words[i], 0x11111111u * (i % 16));
    assert_true(stepper_meet(s));
    assert_true(effects_empty(s->fx[0]));
}

static void a_load_sees_the_own_store(void **state)
{
    (void)state;
    struct stepper s;
    run_alone(&s,
              PTX_KERNEL("mul.wide.u32 %rd2,%r1,4; add.u64 %rd3,%rd1,%rd2;\n"
                         "st.global.u32 [%rd3],%r1; ld.global.u32 %r2,[%rd3];\n"
                         "st.global.u32 [%rd3+4096],%r2;\n"),
              32);
    for (uint32_t l = 0; l < 32; l++) {
        assert_int_equal(s.f.words[l], l);
        assert_int_equal(s.f.words[1024 + l], l);
    }
    stepper_close(&s);
}

/* Lanes read what other lanes stored. */
static void across_lanes(void **state)
{
    (void)state;
    struct stepper s;
    run_alone(&s,
              PTX_KERNEL("mul.wide.u32 %rd2,%r1,4; add.u64 %rd3,%rd1,%rd2; xor.b32 %r2,%r1,31;\n"
                         "mul.wide.u32 %rd4,%r2,4; add.u64 %rd5,%rd1,%rd4;\n"
                         "st.global.u32 [%rd3],%r1; ld.global.u32 %r3,[%rd5];\n"
                         "st.global.u32 [%rd3+4096],%r3;\n"),
              32);
    for (uint32_t l = 0; l < 32; l++)
        assert_int_equal(s.f.words[1024 + l], 31 - l);
    stepper_close(&s);
}

/* And what other warps of the SM stored, later ones over earlier ones. */
static void across_warps(void **state)
{
    (void)state;
    struct stepper s;
    run_alone(&s,
              PTX_KERNEL("ld.global.u32 %r3,[%rd1]; add.u32 %r3,%r3,1; st.global.u32 "
                         "[%rd1],%r3; ld.global.u32 %r4,[%rd1]; mul.wide.u32 %rd2,%r1,4;\n"
                         "add.u64 %rd3,%rd1,%rd2; st.global.u32 [%rd3+4096],%r4;\n"),
              96);
    assert_int_equal(s.f.words[0], 3);
    for (uint32_t t = 0; t < 96; t++)
        assert_int_equal(s.f.words[1024 + t], t / 32 + 1);
    stepper_close(&s);
}

/* A byte in the middle of a word that is in memory. */
static void a_byte_in_a_word(void **state)
{
    (void)state;
    struct stepper s;
    run_alone(&s,
              PTX_KERNEL("mov.u32 %r2,0xab; st.global.u8 [%rd1+6],%r2; ld.global.u32 "
                         "%r3,[%rd1+4]; st.global.u32 [%rd1+4096],%r3;\n"
                         "ld.global.u8 %r4,[%rd1+6]; st.global.u32 [%rd1+4100],%r4;\n"
                         "ld.global.u16 %r5,[%rd1+6]; st.global.u32 [%rd1+4104],%r5;\n"
                         "ld.global.u8 %r6,[%rd1+5]; st.global.u32 [%rd1+4108],%r6;\n"),
              1);
    assert_int_equal(s.f.words[1024], 0x11ab1111);
    assert_int_equal(s.f.words[1025], 0xab);
    assert_int_equal(s.f.words[1026], 0x11ab);
    assert_int_equal(s.f.words[1027], 0x11);
    assert_int_equal(s.f.words[1], 0x11ab1111);
    stepper_close(&s);
}

/* Stores that overlap each other in part: bytes, words, vectors; a load over all of them. */
static void stores_over_stores(void **state)
{
    (void)state;
    struct stepper s;
    run_alone(&s,
              PTX_KERNEL("mov.u32 %r2,0xaaaaaaaa; mov.u32 %r3,0xbbbb; mov.u32 %r4,0xcc;\n"
                         "st.global.v4.u32 [%rd1+16],{%r2,%r2,%r2,%r2};\n"
                         "st.global.u16 [%rd1+22],%r3; st.global.u8 [%rd1+23],%r4;\n"
                         "st.global.u32 [%rd1+32],%r2;\n"
                         "ld.global.v4.u32 {%r5,%r6,%r7,%r8},[%rd1+16];\n"
                         "st.global.v4.u32 [%rd1+4096],{%r5,%r6,%r7,%r8};\n"
                         "ld.global.v2.u64 {%rd4,%rd5},[%rd1+32];\n"
                         "st.global.v2.u64 [%rd1+4112],{%rd4,%rd5};\n"),
              1);
    assert_int_equal(s.f.words[1024], 0xaaaaaaaa);
    assert_int_equal(s.f.words[1025], 0xccbbaaaa);
    assert_int_equal(s.f.words[1026], 0xaaaaaaaa);
    assert_int_equal(s.f.words[1028], 0xaaaaaaaa);
    assert_int_equal(s.f.words[1029], 0x99999999);
    assert_int_equal(s.f.words[1030], 0xaaaaaaaa); /* words[10] as it was */
    assert_int_equal(s.f.words[5], 0xccbbaaaa);
    stepper_close(&s);
}

/* A narrow store from a wide register takes its low bytes. */
static void narrow_stores(void **state)
{
    (void)state;
    struct stepper s;
    run_alone(&s,
              PTX_KERNEL("mov.u32 %r2,0x12345678; cvt.u64.u32 %rd2,%r1; add.u64 %rd3,%rd1,%rd2;\n"
                         "st.global.u8 [%rd3],%r2; ld.global.u32 %r3,[%rd1];\n"
                         "st.global.u32 [%rd1+4096],%r3;\n"),
              4);
    assert_int_equal(s.f.words[0], 0x78787878);
    assert_int_equal(s.f.words[1024], 0x78787878);
    stepper_close(&s);
}

/* Only lanes that executed have stored. */
static void guarded_stores(void **state)
{
    (void)state;
    struct stepper s;
    run_alone(&s,
              PTX_KERNEL("mul.wide.u32 %rd2,%r1,4; add.u64 %rd3,%rd1,%rd2; and.b32 %r2,%r1,1;\n"
                         "setp.eq.u32 %p1,%r2,0;\n@%p1 st.global.u32 [%rd3],%r1;\n"
                         "ld.global.u32 %r3,[%rd3]; st.global.u32 [%rd3+4096],%r3;\n"),
              32);
    for (uint32_t l = 0; l < 32; l++)
        assert_int_equal(s.f.words[1024 + l], l & 1 ? 0x11111111u * (l % 16) : l);
    stepper_close(&s);
}

/* All lanes store to one word: the last lane's stays, in the log and in memory. */
static void the_last_lane_wins(void **state)
{
    (void)state;
    struct stepper s;
    run_alone(&s,
              PTX_KERNEL("st.global.u32 [%rd1],%r1; ld.global.u32 %r2,[%rd1];\n"
                         "st.global.u32 [%rd1+4096],%r2;\n"),
              32);
    assert_int_equal(s.f.words[0], 31);
    assert_int_equal(s.f.words[1024], 31);
    stepper_close(&s);
}

/* --- between SMs --- */

static const char exchange[] =
    PTX_KERNEL("mov.u32 %r2,%ctaid.x; mul.wide.u32 %rd2,%r2,4; add.u64 %rd3,%rd1,%rd2;\n"
               "add.u32 %r3,%r2,100; st.global.u32 [%rd3],%r3;\n"
               "ld.global.v2.u32 {%r4,%r5},[%rd1]; st.global.v2.u32 [%rd1+1024],{%r4,%r5};\n");

static void others_see_a_store_after_the_meeting(void **state)
{
    (void)state;
    struct stepper s;
    stepper_open(&s, exchange, 2, 1);
    stepper_to(&s, 0, 0, 7, 5); /* behind the store */
    stepper_to(&s, 1, 0, 7, 6);
    stepper_step(&s, 1, 0, 7); /* loads: its own, not SM 0's */
    stepper_go(&s, 1, 0, 7);
    assert_int_equal(s.f.words[0], 0);
    assert_true(stepper_meet(&s));
    assert_int_equal(s.f.words[0], 100);
    assert_int_equal(s.f.words[1], 101);
    assert_int_equal(s.f.words[256], 0);
    assert_int_equal(s.f.words[257], 101);
    stepper_go(&s, 0, 0, 9); /* SM 0 loads behind the meeting: both */
    assert_true(stepper_meet(&s));
    assert_int_equal(s.f.words[256], 100);
    assert_int_equal(s.f.words[257], 101);
    stepper_close(&s);
}

/* The later cycle wins; in one cycle the higher SM, whoever stepped first on the host. */
static void stores_meet_by_cycle_then_sm(void **state)
{
    (void)state;
    static const char ptx[] = PTX_KERNEL("mov.u32 %r2,%ctaid.x; st.global.u32 [%rd1],%r2;");
    static const struct {
        cycle_t at[3];
        unsigned first;
        uint32_t left;
    } k[] = {
        {{10, 11, 12}, 0, 2}, {{12, 11, 10}, 0, 0}, {{10, 12, 11}, 2, 1},
        {{10, 10, 10}, 2, 2}, {{11, 11, 10}, 1, 1},
    };
    for (size_t i = 0; i < ARRAY_LEN(k); i++) {
        struct stepper s;
        stepper_open(&s, ptx, 3, 1);
        for (unsigned n = 0; n < 3; n++) {
            unsigned sm = (k[i].first + n) % 3;
            stepper_go(&s, sm, 0, k[i].at[sm]);
        }
        assert_true(stepper_meet(&s));
        assert_int_equal(s.f.words[0], k[i].left);
        stepper_close(&s);
    }
}

/* --- deferred --- */

static const char counter[] =
    PTX_KERNEL("mov.u32 %r2,%ctaid.x; mad.lo.u32 %r3,%r2,32,%r1; mul.wide.u32 %rd2,%r3,4;\n"
               "add.u64 %rd3,%rd1,%rd2; atom.global.add.u32 %r4,[%rd1],1;\n"
               "st.global.u32 [%rd3+4096],%r4;\n");

/* Atomics of four SMs on one word: a right sum, values all different, in the order of cycles. */
static void atomics_of_several_sms(void **state)
{
    (void)state;
    static const cycle_t at[4] = {20, 10, 20, 15};
    static const unsigned order[4] = {1, 3, 0, 2};
    struct stepper s;
    stepper_open(&s, counter, 4, 32);
    for (unsigned i = 4; i-- > 0;) {
        stepper_go(&s, i, 0, at[i]);
        assert_true(warp_is_deferred(&s.cta[i]->warps[0]));
        assert_int_equal(s.step.naccesses, 0);
    }
    assert_int_equal(s.f.words[0], 0);
    assert_true(stepper_meet(&s));
    assert_int_equal(s.f.words[0], 128);
    assert_memory_equal(s.order, order, sizeof order);
    for (unsigned i = 0; i < 4; i++) {
        assert_false(warp_is_deferred(&s.cta[i]->warps[0]));
        assert_int_equal(s.done[i].naccesses, 1);
        assert_int_equal(s.done[i].access[0].addr[31], s.f.buf->base);
        assert_int_equal(s.done[i].mask, UINT32_MAX);
        stepper_go(&s, i, 0, 30);
    }
    assert_true(stepper_meet(&s));
    for (unsigned n = 0; n < 4; n++)
        for (unsigned l = 0; l < 32; l++)
            assert_int_equal(s.f.words[1024 + order[n] * 32 + l], n * 32 + l);
    stepper_close(&s);
}

/* A store before an atomic in the same log is there when it runs; one behind it, from another warp,
 * is not. */
static void deferred_in_the_order_of_the_log(void **state)
{
    (void)state;
    static const char ptx[] =
        PTX_KERNEL("mov.u32 %r2,500; setp.lt.u32 %p1,%r1,32;\n@%p1 bra A;\n"
                   "st.global.u32 [%rd1],%r2; ret;\n"
                   "A: mov.u32 %r3,7; st.global.u32 [%rd1],%r3; atom.global.add.u32 %r4,[%rd1],1;\n"
                   "st.global.u32 [%rd1+4096],%r4;\n");
    struct stepper s;
    stepper_open(&s, ptx, 1, 64);
    stepper_go(&s, 0, 0, 3);
    stepper_go(&s, 0, 1, 4);
    assert_true(stepper_meet(&s));
    assert_int_equal(s.f.words[0], 500);
    stepper_go(&s, 0, 0, 5);
    assert_true(stepper_meet(&s));
    assert_int_equal(s.f.words[1024], 7 + 31);
    stepper_close(&s);
}

/* Atomics on shared memory concern the SM alone: at once. */
static void shared_atomics_are_not_deferred(void **state)
{
    (void)state;
    static const char ptx[] =
        PTX_HEAD ".visible .entry k(.param .u64 p)\n{\n.reg .u32 %r<5>; .reg .u64 %rd<5>; .shared "
                 ".align 4 .b8 sh[16];\nmov.u32 %r1,sh; atom.shared.add.u32 %r2,[%r1],1; ret;\n}\n";
    struct stepper s;
    stepper_open(&s, ptx, 1, 32);
    stepper_step(&s, 0, 0, 0);
    stepper_step(&s, 0, 0, 0);
    assert_false(warp_is_deferred(&s.cta[0]->warps[0]));
    assert_int_equal(s.step.naccesses, 1);
    assert_true(effects_empty(s.fx[0]));
    stepper_close(&s);
}

/* A guard that leaves no lane: nothing to defer. */
static void no_lane_is_not_deferred(void **state)
{
    (void)state;
    struct stepper s;
    stepper_open(&s, PTX_KERNEL("setp.eq.u32 %p1,%r1,99;\n@%p1 red.global.add.u32 [%rd1],1;\n"), 1,
                 32);
    stepper_go(&s, 0, 0, 0);
    assert_int_equal(s.cta[0]->warps[0].state, WARP_DONE);
    assert_true(effects_empty(s.fx[0]));
    stepper_close(&s);
}

/* --- faults --- */

/* The fault of SM 1, at an earlier cycle than SM 0's; what came before it has happened. */
static void a_fault_in_the_log(void **state)
{
    (void)state;
    static const char ptx[] =
        PTX_KERNEL("mov.u32 %r2,%ctaid.x; setp.eq.u32 %p1,%r2,1; st.global.u32 [%rd1],5;\n"
                   "@%p1 mov.u64 %rd1,64;\nred.global.add.u32 [%rd1],1;\n");
    struct stepper s;
    stepper_open(&s, ptx, 2, 32);
    stepper_go(&s, 0, 0, 20);
    stepper_go(&s, 1, 0, 10);
    assert_false(stepper_meet(&s));
    assert_int_equal(s.at_fault, 1);
    const struct fault *f = effects_fault(s.fx[1]);
    assert_non_null(f);
    assert_int_equal(f->code, FAULT_ILLEGAL_ADDRESS);
    assert_non_null(strstr(f->msg, "block (1,0,0)"));
    assert_null(effects_fault(s.fx[0]));
    assert_int_equal(s.f.words[0], 5);
    assert_true(effects_empty(s.fx[0]) && effects_empty(s.fx[1]));
    stepper_close(&s);
}

/* A store out of bounds faults when it is issued, not when it is applied. */
static void a_bad_store_faults_at_once(void **state)
{
    (void)state;
    struct stepper s;
    stepper_open(&s, PTX_KERNEL("mov.u64 %rd2,64; st.global.u32 [%rd2],%r1;\n"), 1, 32);
    stepper_to(&s, 0, 0, 3, 0);
    assert_false(stepper_step(&s, 0, 0, 0));
    assert_int_equal(s.part[0].fault.code, FAULT_ILLEGAL_ADDRESS);
    assert_true(effects_empty(s.fx[0]));
    stepper_close(&s);
}

/* Many entries: the log grows, and loads still find the newest. */
static void a_long_log(void **state)
{
    (void)state;
    struct stepper s;
    run_alone(&s,
              PTX_KERNEL("mov.u32 %r2,0; L: st.global.u32 [%rd1],%r2; add.u32 %r2,%r2,1;\n"
                         "setp.lt.u32 %p1,%r2,1000;\n@%p1 bra L; ld.global.u32 %r3,[%rd1];\n"
                         "st.global.u32 [%rd1+4096],%r3;\n"),
              32);
    assert_int_equal(s.f.words[1024], 999);
    stepper_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_sees_the_own_store),
        cmocka_unit_test(across_lanes),
        cmocka_unit_test(across_warps),
        cmocka_unit_test(a_byte_in_a_word),
        cmocka_unit_test(stores_over_stores),
        cmocka_unit_test(narrow_stores),
        cmocka_unit_test(guarded_stores),
        cmocka_unit_test(the_last_lane_wins),
        cmocka_unit_test(others_see_a_store_after_the_meeting),
        cmocka_unit_test(stores_meet_by_cycle_then_sm),
        cmocka_unit_test(atomics_of_several_sms),
        cmocka_unit_test(deferred_in_the_order_of_the_log),
        cmocka_unit_test(shared_atomics_are_not_deferred),
        cmocka_unit_test(no_lane_is_not_deferred),
        cmocka_unit_test(a_fault_in_the_log),
        cmocka_unit_test(a_bad_store_faults_at_once),
        cmocka_unit_test(a_long_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
