/* One instruction at a time: what a step says it did. */
#include "support_stepper.h"

static const struct step_access *only(const struct stepper *s)
{
    assert_int_equal(s->step.naccesses, 1);
    return &s->step.access[0];
}

/* --- what is next --- */

static void peeking_changes_nothing(void **state)
{
    (void)state;
    struct stepper s;
    stepper_open(&s, PTX_KERNEL("add.u32 %r2,%r1,1;"), 1, 32);
    struct warp *w = &s.cta[0]->warps[0];
    assert_ptr_equal(warp_peek(w), warp_peek(w));
    assert_int_equal(w->ninst, 0);
    for (uint32_t pc = 0; pc < 4; pc++) {
        assert_int_equal(stepper_pc(&s, 0, 0), pc);
        assert_true(stepper_step(&s, 0, 0, pc));
        assert_int_equal(s.step.mask, UINT32_MAX);
        assert_int_equal(s.step.active, UINT32_MAX);
    }
    assert_null(warp_peek(w));
    assert_int_equal(w->state, WARP_DONE);
    assert_int_equal(w->ninst, 4);
    assert_int_equal(w->nthread_inst, 4 * 32);
    stepper_close(&s);
}

static void a_guard_thins_the_mask(void **state)
{
    (void)state;
    struct stepper s;
    stepper_open(&s,
                 PTX_KERNEL("setp.lt.u32 %p1,%r1,5;\n@%p1 mov.u32 %r2,1;\n@!%p1 st.global.u32 "
                            "[%rd1],%r1;\n"),
                 1, 32);
    stepper_to(&s, 0, 0, 3, 0);
    stepper_step(&s, 0, 0, 0);
    assert_int_equal(s.step.mask, 0x1f);
    assert_int_equal(s.step.active, UINT32_MAX);
    stepper_step(&s, 0, 0, 0);
    assert_int_equal(s.step.mask, ~0x1fu);
    assert_int_equal(only(&s)->mask, ~0x1fu);
    assert_int_equal(s.cta[0]->warps[0].nthread_inst, 3 * 32 + 5 + 27);
    stepper_close(&s);
}

static void a_barrier_blocks_until_the_last(void **state)
{
    (void)state;
    struct stepper s;
    stepper_open(&s, PTX_KERNEL("bar.sync 0; mov.u32 %r2,1;"), 1, 64);
    stepper_go(&s, 0, 0, 0);
    assert_int_equal(s.cta[0]->warps[0].state, WARP_BLOCKED);
    stepper_to(&s, 0, 1, 3, 0);
    assert_int_equal(s.cta[0]->warps[0].state, WARP_READY);
    assert_int_equal(stepper_pc(&s, 0, 0), 3);
    stepper_close(&s);
}

static void sides_of_a_branch(void **state)
{
    (void)state;
    struct stepper s;
    stepper_open(&s,
                 PTX_KERNEL("setp.lt.u32 %p1,%r1,8;\n@%p1 bra T; mov.u32 %r2,1; bra.uni J;\n"
                            "T: mov.u32 %r3,1; J: mov.u32 %r4,1;\n"),
                 1, 32);
    uint32_t masks[10] = {0};
    while (stepper_pc(&s, 0, 0) != UINT32_MAX) {
        uint32_t pc = stepper_pc(&s, 0, 0);
        assert_true(stepper_step(&s, 0, 0, 0));
        masks[pc] |= s.step.active;
    }
    assert_int_equal(masks[4], ~0xffu);
    assert_int_equal(masks[6], 0xff);
    assert_int_equal(masks[7], UINT32_MAX);
    stepper_close(&s);
}

/* --- accesses --- */

static void global_addresses(void **state)
{
    (void)state;
    struct stepper s;
    stepper_open(&s,
                 PTX_KERNEL("mul.wide.u32 %rd2,%r1,8; add.u64 %rd3,%rd1,%rd2;\n"
                            "ld.global.v2.u32 {%r2,%r3},[%rd3+16]; st.global.u8 [%rd3],%r2;\n"),
                 1, 32);
    stepper_to(&s, 0, 0, 4, 0);
    stepper_step(&s, 0, 0, 0);
    const struct step_access *a = only(&s);
    assert_int_equal(a->space, PTX_SPACE_GLOBAL);
    assert_int_equal(a->bytes, 8);
    assert_false(a->is_write);
    for (unsigned l = 0; l < 32; l++)
        assert_int_equal(a->addr[l], s.f.buf->base + 16 + 8 * l);
    stepper_step(&s, 0, 0, 0);
    assert_int_equal(only(&s)->bytes, 1);
    assert_true(only(&s)->is_write);
    stepper_close(&s);
}

static void a_look_at_an_mbarrier_is_one_read(void **state)
{
    (void)state;
    struct stepper s;
    stepper_open(&s,
                 PTX_KERNEL(".shared .align 8 .b64 m;\nmbarrier.init.shared.b64 [m],40;\n"
                            "mbarrier.try_wait.parity.shared.b64 %p1,[m],0;\n"),
                 1, 32);
    stepper_to(&s, 0, 0, 3, 0);
    stepper_step(&s, 0, 0, 0);
    assert_int_equal(only(&s)->space, PTX_SPACE_SHARED);
    assert_int_equal(only(&s)->bytes, 8);
    assert_int_equal(only(&s)->mask, UINT32_MAX);
    assert_false(only(&s)->is_write);
    stepper_close(&s);
}

static void shared_and_local_are_offsets(void **state)
{
    (void)state;
    struct stepper s;
    stepper_open(&s,
                 PTX_HEAD ".visible .entry k(.param .u64 p)\n{\n.reg .u32 %r<5>; .reg .u64 %rd<5>; "
                          ".shared .align 4 .b8 sh[256]; .local .align 4 .b8 mine[64];\n"
                          "mov.u32 %r1,%tid.x; shl.b32 %r2,%r1,2; mov.u32 %r3,sh; add.u32 "
                          "%r3,%r3,%r2;\nst.shared.u32 [%r3+4],%r1; st.local.u32 [mine+8],%r1;\n"
                          "ld.local.u32 %r4,[mine+8]; ld.param.u64 %rd1,[p]; ret;\n}\n",
                 1, 32);
    stepper_to(&s, 0, 0, 4, 0);
    stepper_step(&s, 0, 0, 0);
    assert_int_equal(only(&s)->space, PTX_SPACE_SHARED);
    assert_int_equal(only(&s)->addr[3], 16);
    stepper_step(&s, 0, 0, 0);
    assert_int_equal(only(&s)->space, PTX_SPACE_LOCAL);
    assert_int_equal(only(&s)->addr[0], only(&s)->addr[31]);
    assert_true(only(&s)->is_write);
    addr_t at = only(&s)->addr[0];
    stepper_step(&s, 0, 0, 0);
    assert_int_equal(only(&s)->addr[7], at);
    assert_false(only(&s)->is_write);
    stepper_step(&s, 0, 0, 0);
    assert_int_equal(s.step.naccesses, 0); /* a parameter at a fixed place */
    stepper_close(&s);
}

/* Generic: lanes of different spaces are accesses of their own. */
static void generic_addresses_are_split(void **state)
{
    (void)state;
    struct stepper s;
    stepper_open(&s,
                 PTX_HEAD ".visible .entry k(.param .u64 p)\n{\n.reg .pred %p<2>; .reg .u32 %r<5>; "
                          ".reg .u64 %rd<5>; .shared .align 4 .b8 sh[256];\n"
                          "ld.param.u64 %rd1,[p]; mov.u32 %r1,%tid.x; mov.u64 %rd2,sh;\n"
                          "cvta.shared.u64 %rd3,%rd2; setp.lt.u32 %p1,%r1,12;\n"
                          "selp.b64 %rd4,%rd3,%rd1,%p1; ld.u32 %r2,[%rd4]; ret;\n}\n",
                 1, 32);
    stepper_to(&s, 0, 0, 6, 0);
    stepper_step(&s, 0, 0, 0);
    assert_int_equal(s.step.naccesses, 2);
    const struct step_access *g = &s.step.access[0], *sh = &s.step.access[1];
    assert_int_equal(g->space, PTX_SPACE_GLOBAL);
    assert_int_equal(g->mask, ~0xfffu);
    assert_int_equal(sh->space, PTX_SPACE_SHARED);
    assert_int_equal(sh->mask, 0xfff);
    stepper_close(&s);
}

/* A fault says where, and the step ends the kernel. */
static void a_fault_in_a_step(void **state)
{
    (void)state;
    struct stepper s;
    stepper_open(&s, PTX_KERNEL("ld.global.u32 %r2,[%rd1+2];"), 1, 32);
    stepper_to(&s, 0, 0, 2, 0);
    assert_false(stepper_step(&s, 0, 0, 0));
    assert_int_equal(s.part[0].fault.code, FAULT_MISALIGNED);
    assert_int_equal(s.root.fault.code, 0);
    stepper_close(&s);
}

static void the_clock_is_the_machines(void **state)
{
    (void)state;
    struct stepper s;
    stepper_open(&s, PTX_KERNEL("mov.u64 %rd2,%clock64; st.global.u64 [%rd1],%rd2;"), 1, 32);
    stepper_to(&s, 0, 0, 2, 5);
    stepper_step(&s, 0, 0, 123456);
    stepper_go(&s, 0, 0, 123460);
    assert_true(stepper_meet(&s));
    uint64_t clock;
    memcpy(&clock, s.f.words, 8);
    assert_int_equal(clock, 123456);
    stepper_close(&s);
}

/* --- textures --- */

static uint64_t texture(struct stepper *s, uint8_t filter)
{
    const struct tex_object o = {.is_used = true,
                                 .shape = TEX_2D,
                                 .format = TEX_FLOAT,
                                 .channel_bits = 32,
                                 .channels = 1,
                                 .filter = filter,
                                 .address = {TEX_CLAMP, TEX_CLAMP, TEX_CLAMP},
                                 .data = s->f.buf->base,
                                 .pitch_bytes = 256,
                                 .width = 64,
                                 .height = 64,
                                 .depth = 1,
                                 .levels = 1};
    return tex_table_add(&s->f.dev->textures, &o);
}

#define TEX_KERNEL(op)                                                                         \
    PTX_HEAD ".visible .entry k(.param .u64 p, .param .u64 t)\n{\n.reg .u32 %r<5>; .reg .f32 " \
             "%f<9>; .reg .u64 %rd<5>;\nld.param.u64 %rd1,[t]; mov.u32 %r1,%tid.x;\n"          \
             "cvt.rn.f32.u32 %f1,%r1; mov.f32 %f2,0f40A00000;\n" op                            \
             "{%f3,%f4,%f5,%f6},[%rd1,{%f1,%f2}]; ret;\n}\n"

/* The nearest texel: row 5, a column a lane. */
static void a_texture_read_says_which_texels(void **state)
{
    (void)state;
    struct stepper s;
    stepper_open(&s, TEX_KERNEL("tex.2d.v4.f32.f32 "), 1, 32);
    s.params[1] = texture(&s, TEX_POINT);
    stepper_to(&s, 0, 0, 4, 0);
    assert_true(stepper_step(&s, 0, 0, 0));
    const struct step_access *a = only(&s);
    assert_int_equal(a->bytes, 4);
    assert_int_equal(a->mask, UINT32_MAX);
    assert_int_equal(a->space, PTX_SPACE_GLOBAL);
    assert_false(a->is_write);
    for (unsigned l = 0; l < 32; l++)
        assert_int_equal(a->addr[l], s.f.buf->base + 5 * 256 + 4 * l);
    stepper_close(&s);
}

/* Four that are mixed: at a corner of texels, rows 4 and 5; at the edge a lane has only two. */
static void a_filtered_read_has_four(void **state)
{
    (void)state;
    struct stepper s;
    stepper_open(&s, TEX_KERNEL("tex.2d.v4.f32.f32 "), 1, 32);
    s.params[1] = texture(&s, TEX_LINEAR);
    stepper_to(&s, 0, 0, 4, 0);
    assert_true(stepper_step(&s, 0, 0, 0));
    assert_int_equal(s.step.naccesses, 4);
    assert_int_equal(s.step.access[0].addr[9], s.f.buf->base + 4 * 256 + 4 * 8);
    assert_int_equal(s.step.access[1].addr[9], s.f.buf->base + 4 * 256 + 4 * 9);
    assert_int_equal(s.step.access[2].addr[9], s.f.buf->base + 5 * 256 + 4 * 8);
    assert_int_equal(s.step.access[3].addr[9], s.f.buf->base + 5 * 256 + 4 * 9);
    assert_int_equal(s.step.access[1].mask, UINT32_MAX);
    assert_int_equal(s.step.access[3].mask, ~1u);
    stepper_close(&s);
}

static void a_gather_has_four(void **state)
{
    (void)state;
    struct stepper s;
    stepper_open(&s, TEX_KERNEL("tld4.r.2d.v4.f32.f32 "), 1, 32);
    s.params[1] = texture(&s, TEX_POINT);
    stepper_to(&s, 0, 0, 4, 0);
    assert_true(stepper_step(&s, 0, 0, 0));
    assert_int_equal(s.step.naccesses, 4);
    for (unsigned k = 0; k < 4; k++)
        assert_int_equal(s.step.access[k].mask, UINT32_MAX);
    stepper_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(peeking_changes_nothing),
        cmocka_unit_test(a_guard_thins_the_mask),
        cmocka_unit_test(a_barrier_blocks_until_the_last),
        cmocka_unit_test(sides_of_a_branch),
        cmocka_unit_test(global_addresses),
        cmocka_unit_test(a_look_at_an_mbarrier_is_one_read),
        cmocka_unit_test(shared_and_local_are_offsets),
        cmocka_unit_test(generic_addresses_are_split),
        cmocka_unit_test(a_fault_in_a_step),
        cmocka_unit_test(the_clock_is_the_machines),
        cmocka_unit_test(a_texture_read_says_which_texels),
        cmocka_unit_test(a_filtered_read_has_four),
        cmocka_unit_test(a_gather_has_four),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
