/* The load/store unit, shared memory, constants, fences, local memory, to the cycle.
 *
 * A memory instruction with n register sources issued at t reaches the unit at t + 2 + n and its
 * first line the cache at t + 3 + n. What comes out of a cache is written back a cycle later, when
 * an instruction that waits for it issues. */
#include "support_sm_rig.h"

enum { L1 = 35, SHARED = 26, MEMORY = 100, TO_CACHE = 3 };

/* %rd1 = the buffer, %r1 = lane, and a load that brings the buffer's first line. */
#define START                                                                      \
    "ld.param.u64 %rd1,[p]; mov.u32 %r1,%tid.x; mul.wide.u32 %rd2,%r1,4; add.u64 " \
    "%rd2,%rd1,%rd2;\n"                                                            \
    "mul.wide.u32 %rd3,%r1,128; add.u64 %rd3,%rd1,%rd3;\n"

static struct sm_rig *run(const char *ptx, const char *const *sets, uint32_t block)
{
    struct sm_rig *r = sm_rig_new(ptx, sets);
    sm_rig_run(r, 1, block);
    return r;
}

static int64_t gap_of(const char *ptx, const char *const *sets, uint32_t a, uint32_t b)
{
    struct sm_rig *r = run(ptx, sets, 32);
    int64_t gap = rig_gap(r, a, b);
    sm_rig_free(r);
    return gap;
}

/* --- global --- */

static void a_miss_then_a_hit(void **state)
{
    (void)state;
    struct sm_rig *r = run(RIG_KERNEL(START "ld.global.u32 %r2,[%rd2]; add.u32 %r3,%r2,1;\n"
                                            "ld.global.u32 %r4,[%rd2]; add.u32 %r5,%r4,1; ret;\n"),
                           NULL, 32);
    assert_int_equal(rig_gap(r, 6, 7), TO_CACHE + 1 + L1 + MEMORY + 1);
    assert_int_equal(rig_gap(r, 8, 9), TO_CACHE + 1 + L1 + 1);
    const struct l1_stats *s = &r->caches[SM_CACHE_DATA];
    assert_int_equal(s->reads, 2);
    assert_int_equal(s->read_hits, 1);
    assert_int_equal(s->read_misses, 1);
    assert_int_equal(r->stats.load_inst, 2 + 1); /* and the parameter */
    assert_int_equal(r->stats.accesses, 2 + 1);
    sm_rig_free(r);
}

/* A line a cycle; they come back as they went. */
static void thirty_two_lines_take_thirty_two_cycles(void **state)
{
    (void)state;
    static const char *const sets[] = {"l1.miss_queue=64", NULL};
    struct sm_rig *r = run(RIG_KERNEL(START "ld.global.u32 %r2,[%rd3]; add.u32 %r3,%r2,1;\n"
                                            "ld.global.u32 %r4,[%rd3]; add.u32 %r5,%r4,1; ret;\n"),
                           sets, 32);
    assert_int_equal(rig_gap(r, 6, 7), TO_CACHE + 1 + L1 + MEMORY + 1 + 31);
    assert_int_equal(rig_gap(r, 8, 9), TO_CACHE + 1 + L1 + 1 + 31);
    assert_int_equal(rig_requests(r, MEM_GLOBAL), 32);
    for (uint32_t i = 0; i < 32; i++) {
        const struct rig_request *q = rig_request(r, MEM_GLOBAL, i);
        assert_int_equal(q->req.addr, r->f.buf->base + 128 * i);
        assert_int_equal(q->cycle - rig_request(r, MEM_GLOBAL, 0)->cycle, i);
    }
    sm_rig_free(r);
}

/* The unit takes one instruction apart at a time: a load behind 32 lines waits for them. */
static void loads_go_through_the_unit_in_order(void **state)
{
    (void)state;
    static const char *const sets[] = {"l1.miss_queue=64", NULL};
    struct sm_rig *r = run(RIG_KERNEL(START "ld.global.u32 %r2,[%rd3]; ld.global.u32 %r3,[%rd2];\n"
                                            "add.u32 %r3,%r3,1; ret;\n"),
                           sets, 32);
    /* its line is the first of the 32, whose answer comes at 4 + 35 + 100; it is looked up before
     * that, behind all 32, joins the fetch, and comes out a cycle after the first instruction's */
    assert_int_equal(rig_gap(r, 6, 8), 4 + L1 + MEMORY + 1 + 1);
    assert_int_equal(r->caches[SM_CACHE_DATA].read_merges, 1);
    sm_rig_free(r);
}

/* ld.cg passes the first level by. */
static void a_bypassing_load_always_asks_memory(void **state)
{
    (void)state;
    struct sm_rig *r =
        run(RIG_KERNEL(START "ld.global.cg.u32 %r2,[%rd2]; add.u32 %r3,%r2,1;\n"
                             "ld.global.cg.u32 %r4,[%rd2]; add.u32 %r5,%r4,1; ret;\n"),
            NULL, 32);
    assert_int_equal(rig_gap(r, 6, 7), TO_CACHE + 1 + L1 + MEMORY + 1);
    assert_int_equal(rig_gap(r, 8, 9), TO_CACHE + 1 + L1 + MEMORY + 1);
    assert_int_equal(r->caches[SM_CACHE_DATA].bypasses, 2);
    sm_rig_free(r);
}

static void a_load_that_no_lane_executes_costs_no_line(void **state)
{
    (void)state;
    struct sm_rig *r = run(RIG_KERNEL(START "setp.eq.u32 %p1,%r1,99;\n"
                                            "@%p1 ld.global.u32 %r2,[%rd2]; add.u32 %r3,%r2,1; "
                                            "ret;\n"),
                           NULL, 32);
    assert_int_equal(rig_requests(r, MEM_GLOBAL), 0);
    assert_int_equal(rig_gap(r, 7, 8), TO_CACHE + 1);
    sm_rig_free(r);
}

/* --- stores and fences --- */

/* The store is looked up at 5 + 35, its acknowledgement is back 100 later. */
static void a_fence_waits_for_stores(void **state)
{
    (void)state;
    struct sm_rig *r = run(
        RIG_KERNEL(START "st.global.u32 [%rd2],%r1; membar.gl; mov.u32 %r9,1; ret;\n"), NULL, 32);
    assert_int_equal(rig_gap(r, 6, 7), 1);
    assert_int_equal(rig_gap(r, 6, 8), TO_CACHE + 2 + L1 + MEMORY);
    assert_int_equal(r->f.words[31], 31);
    assert_int_equal(r->stats.store_inst, 1);
    sm_rig_free(r);
}

/* And for atomics without a result. The fence has no operands, is ready for the unit in the same
 * cycle and goes first: one cycle more. */
static void a_fence_waits_for_atomics(void **state)
{
    (void)state;
    struct sm_rig *r =
        run(RIG_KERNEL(START "red.global.add.u32 [%rd1],1; membar.gl; mov.u32 %r9,1; ret;\n"), NULL,
            32);
    assert_int_equal(rig_gap(r, 6, 8), TO_CACHE + 1 + 1 + L1 + MEMORY + 1);
    sm_rig_free(r);
}

static void a_fence_without_stores_does_not_wait(void **state)
{
    (void)state;
    assert_int_equal(
        gap_of(RIG_KERNEL("mov.u32 %r1,1; membar.gl; mov.u32 %r9,1; ret;\n"), NULL, 1, 2), 2);
}

/* Loads do not hold a fence up, and stores of another warp neither. */
static void a_fence_waits_for_its_own_stores_only(void **state)
{
    (void)state;
    struct sm_rig *r = run(RIG_KERNEL(START "setp.lt.u32 %p1,%r1,32;\n"
                                            "@%p1 st.global.u32 [%rd2],%r1; membar.gl;\n"
                                            "mov.u32 %r9,1; ret;\n"),
                           NULL, 64);
    assert_true(rig_nth(r, 0, 9, 0) - rig_nth(r, 0, 7, 0) >= L1 + MEMORY);
    assert_true(rig_nth(r, 1, 9, 0) - rig_nth(r, 1, 7, 0) < 20);
    sm_rig_free(r);
}

/* A warp ends when its stores are acknowledged. */
static void a_block_ends_with_its_stores(void **state)
{
    (void)state;
    struct sm_rig *r = run(RIG_KERNEL(START "st.global.u32 [%rd2],%r1; ret;\n"), NULL, 32);
    assert_int_equal(r->end - rig_nth(r, 0, 6, 0), TO_CACHE + 2 + L1 + MEMORY + 1);
    sm_rig_free(r);
}

/* --- shared memory --- */

#define SHARED_KERNEL(address, load)                                                        \
    RIG_KERNEL("mov.u32 %r1,%tid.x; mov.u32 %r2,sh;\n" address "add.u32 %r4,%r2,%r3; " load \
               " add.u32 %r6,%r5,1; ret;\n")

static void shared_memory_conflicts(void **state)
{
    (void)state;
    /* words `stride` apart are in gcd(stride, 32) times fewer banks */
    for (unsigned ways = 1; ways <= 32; ways *= 2) {
        static const char text[] =
            SHARED_KERNEL("mul.lo.u32 %r3,%r1,@@@; ", "ld.shared.u32 %r5,[%r4];");
        char ptx[sizeof text], number[4];
        memcpy(ptx, text, sizeof text);
        snprintf(number, sizeof number, "%3u", 4 * ways);
        memcpy(strstr(ptx, "@@@"), number, 3);
        struct sm_rig *r = run(ptx, NULL, 32);
        assert_int_equal(rig_gap(r, 4, 5), TO_CACHE + 1 + SHARED + 1 + ways - 1);
        assert_int_equal(r->stats.shared_conflicts, ways - 1);
        assert_int_equal(r->stats.shared_inst, 1);
        sm_rig_free(r);
    }
}

/* One instruction at strides of 2, 2, 4 and 2 words, a word further each time. */
static void an_access_that_has_moved_conflicts_as_before(void **state)
{
    (void)state;
    struct sm_rig *r =
        run(RIG_KERNEL("mov.u32 %r1,%tid.x; mov.u32 %r2,sh; mov.u32 %r8,0;\n"
                       "again: setp.eq.u32 %p1,%r8,2; selp.u32 %r7,16,8,%p1;\n"
                       "mul.lo.u32 %r3,%r1,%r7; add.u32 %r4,%r2,%r3; shl.b32 %r9,%r8,2;\n"
                       "add.u32 %r4,%r4,%r9; ld.shared.u32 %r5,[%r4]; add.u32 %r8,%r8,1;\n"
                       "setp.lt.u32 %p1,%r8,4; @%p1 bra again; ret;\n"),
            NULL, 32);
    assert_int_equal(r->stats.shared_inst, 4);
    assert_int_equal(r->stats.shared_conflicts, 1 + 1 + 3 + 1);
    sm_rig_free(r);
}

static void one_word_for_all_is_no_conflict(void **state)
{
    (void)state;
    assert_int_equal(
        gap_of(SHARED_KERNEL("mov.u32 %r3,64; ", "ld.shared.u32 %r5,[%r4];"), NULL, 4, 5),
        TO_CACHE + 1 + SHARED + 1);
}

/* Bytes of one word are one access. */
static void bytes_of_a_word_are_no_conflict(void **state)
{
    (void)state;
    assert_int_equal(
        gap_of(SHARED_KERNEL("mov.u32 %r3,%r1; ", "ld.shared.u8 %r5,[%r4];"), NULL, 4, 5),
        TO_CACHE + 1 + SHARED + 1);
}

/* 32 lanes of 8 bytes are 64 words in 32 banks; of 16 bytes 128. */
static void wide_accesses_take_their_words(void **state)
{
    (void)state;
    assert_int_equal(
        gap_of(SHARED_KERNEL("shl.b32 %r3,%r1,3; ", "ld.shared.v2.u32 {%r5,%r7},[%r4];"), NULL, 4,
               5),
        TO_CACHE + 1 + SHARED + 1 + 1);
    assert_int_equal(
        gap_of(SHARED_KERNEL("shl.b32 %r3,%r1,4; ", "ld.shared.v4.u32 {%r5,%r7,%r8,%r9},[%r4];"),
               NULL, 4, 5),
        TO_CACHE + 1 + SHARED + 1 + 3);
}

/* Atomics on one word take turns. */
static void shared_atomics_take_turns(void **state)
{
    (void)state;
    struct sm_rig *r =
        run(SHARED_KERNEL("mov.u32 %r3,0; ", "atom.shared.add.u32 %r5,[%r4],1;"), NULL, 32);
    assert_int_equal(r->stats.shared_conflicts, 31);
    sm_rig_free(r);
}

static void a_shared_store_ends_in_the_unit(void **state)
{
    (void)state;
    struct sm_rig *r = run(RIG_KERNEL("mov.u32 %r1,%tid.x; mov.u32 %r2,sh; st.shared.u32 "
                                      "[%r2],%r1; membar.cta; mov.u32 %r9,1; ret;\n"),
                           NULL, 32);
    /* two sources: at the unit at 4, in it at 5 */
    assert_int_equal(rig_gap(r, 2, 4), TO_CACHE + 2);
    sm_rig_free(r);
}

/* A shared load and a hit come out in the same cycle, 31; shared memory had its turn last, so the
 * hit goes first and the other is written a cycle later. */
static void results_take_turns(void **state)
{
    (void)state;
    static const char *const sets[] = {"l1.latency=26", "sm.shared_latency=27", NULL};
    struct sm_rig *r = run(
        RIG_KERNEL(START "ld.global.u32 %r2,[%rd2]; add.u32 %r3,%r2,1; ld.shared.u32 %r4,[sh];\n"
                         "add.u32 %r5,%r4,1; ld.shared.u32 %r20,[%r1]; ld.global.u32 %r21,[%rd2];\n"
                         "add.u32 %r22,%r20,1; add.u32 %r23,%r21,1; ret;\n"),
        sets, 1);
    assert_int_equal(rig_gap(r, 10, 11), 1);
    assert_int_equal(rig_gap(r, 10, 12), 4 + 27 + 2);
    sm_rig_free(r);
}

/* --- constants --- */

static void parameters_come_from_the_constant_cache(void **state)
{
    (void)state;
    struct sm_rig *r = run(RIG_KERNEL("ld.param.u64 %rd1,[p]; add.u64 %rd2,%rd1,1;\n"
                                      "ld.param.u64 %rd3,[p]; add.u64 %rd4,%rd3,1; ret;\n"),
                           NULL, 32);
    assert_int_equal(rig_gap(r, 0, 1), TO_CACHE + 1 + MEMORY + 1);
    assert_int_equal(rig_gap(r, 2, 3), TO_CACHE + 1 + 1);
    assert_int_equal(r->caches[SM_CACHE_CONST].reads, 2);
    assert_int_equal(r->caches[SM_CACHE_CONST].read_hits, 1);
    assert_int_equal(rig_request(r, MEM_CONST, 0)->req.bytes, 64);
    sm_rig_free(r);
}

static void constant_loads_take_a_cycle_a_line(void **state)
{
    (void)state;
    /* each lane a line of 64 bytes: 32 of them, looked up one after another */
    struct sm_rig *r = run(".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".const .align 64 .b8 table[4096];\n"
                           ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<20>; .reg .b64 "
                           "%rd<9>;\nmov.u32 %r1,%tid.x; mul.wide.u32 %rd1,%r1,64; mov.u64 "
                           "%rd2,table; add.u64 %rd3,%rd1,%rd2;\n"
                           "ld.const.u32 %r2,[table]; add.u32 %r3,%r2,1;\n"
                           "ld.const.u32 %r4,[%rd3]; add.u32 %r5,%r4,1;\n"
                           "ld.const.u32 %r6,[%rd3]; add.u32 %r7,%r6,1; ret;\n}\n",
                           NULL, 32);
    assert_int_equal(rig_gap(r, 4, 5), TO_CACHE + 1 + MEMORY + 1);
    assert_int_equal(rig_gap(r, 8, 9), TO_CACHE + 1 + 1 + 1 + 31);
    assert_int_equal(rig_requests(r, MEM_CONST), 32);
    assert_int_equal(rig_requests(r, MEM_GLOBAL), 0);
    sm_rig_free(r);
}

/* Takes a line for five cycles, and does not want it. */
struct unwilling {
    struct codec_job job;
    cycle_t due; /* CYCLE_NEVER: it has none */
};

static enum codec_answer take_line(void *self, cycle_t now, struct codec_job *job)
{
    struct unwilling *u = self;
    assert_true(u->due == CYCLE_NEVER && job->kind == CODEC_FILL);
    job->is_unwanted = true;
    u->job = *job;
    u->due = now + 5;
    return CODEC_TAKEN;
}

static bool give_line(void *self, cycle_t now, struct codec_job *job)
{
    struct unwilling *u = self;
    if (u->due > now)
        return false;
    *job = u->job;
    u->due = CYCLE_NEVER;
    return true;
}

static cycle_t line_due(const void *self, cycle_t now)
{
    (void)now;
    return ((const struct unwilling *)self)->due;
}

static uint32_t writes_wait(void *self, const struct mem_req *r, cycle_t now)
{
    (void)self, (void)now;
    return r->kind == MEM_WRITE ? 40 : 0;
}

static uint32_t writes(const struct sm_rig *r)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->nrequests; i++)
        n += r->requests[i].req.kind == MEM_WRITE;
    return n;
}

/* A constant line that is not wanted encoded goes back raw, when nobody waits for constants any
 * more, and the kernel ends then. */
static void constants_that_go_back_are_not_forgotten(void **state)
{
    (void)state;
    struct sm_rig *r = sm_rig_new(".version 8.0\n.target sm_90\n.address_size 64\n"
                                  ".const .align 128 .b8 table[128];\n"
                                  ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<9>;\n"
                                  "ld.const.u32 %r1,[table]; add.u32 %r2,%r1,1; ret;\n}\n",
                                  (const char *const[]){"l1c.line_bytes=128", NULL});
    struct unwilling u = {.due = CYCLE_NEVER};
    const struct codec_engine engine = {take_line, give_line, line_due, &u, codec_engine_null.join};
    const struct encoding_cfg code = {.mode = ENCODED_DECODED};
    struct packet_policy packets = *r->l1.sm_packets;
    packets.send_latency = writes_wait;
    r->l1.sm_packets = &packets;
    r->l1.codec_engines = &engine;
    r->l1.encodings = &code;
    r->coded = 64;
    sm_rig_run(r, 1, 32);
    assert_int_equal(rig_requests(r, MEM_CONST), 1);
    assert_int_equal(writes(r), 1);
    assert_true(rig_gap(r, 0, 1) < 40 + MEMORY);
    assert_true(r->requests[r->nrequests - 1].cycle > rig_nth(r, 0, 1, 0) + 30);
    sm_rig_free(r);
}

/* --- local memory --- */

/* Word by word the lanes' words lie side by side: a uniform offset is one line. */
static void local_memory_is_interleaved_by_lane(void **state)
{
    (void)state;
    struct sm_rig *r =
        run(RIG_KERNEL(".local .align 16 .b8 mine[64];\n"
                       "st.local.u32 [mine+4],%r1; ld.local.u32 %r2,[mine+4]; add.u32 %r3,%r2,1;\n"
                       "st.local.v4.u32 [mine+16],{%r1,%r1,%r1,%r1}; ret;\n"),
            NULL, 64);
    uint32_t writes = 0;
    for (uint32_t i = 0; i < rig_requests(r, MEM_LOCAL); i++) {
        const struct mem_req *q = &rig_request(r, MEM_LOCAL, i)->req;
        assert_int_equal(q->bytes, 128);
        assert_int_equal(q->addr % 128, 0);
        writes += q->kind == MEM_WRITE;
    }
    /* two warps: one line for the word each, four for the vector */
    assert_int_equal(writes, 2 * (1 + 4));
    assert_int_equal(r->stats.coalesced.count, 2 * 3);
    sm_rig_free(r);
}

/* --- atomics --- */

/* Executed at the meeting point, sent to memory from there; the value is back with the answer. */
static void an_atomic_goes_to_memory(void **state)
{
    (void)state;
    struct sm_rig *r = run(RIG_KERNEL(START "atom.global.add.u32 %r2,[%rd1],1; add.u32 %r3,%r2,1;\n"
                                            "st.global.u32 [%rd2+128],%r2; ret;\n"),
                           NULL, 32);
    assert_int_equal(rig_gap(r, 6, 7), TO_CACHE + 1 + L1 + MEMORY + 1);
    assert_int_equal(r->f.words[0], 32);
    uint32_t seen = 0;
    for (unsigned l = 0; l < 32; l++)
        seen |= UINT32_C(1) << r->f.words[32 + l];
    assert_int_equal(seen, UINT32_MAX);
    assert_int_equal(r->stats.atomic_inst, 1);
    assert_int_equal(rig_request(r, MEM_GLOBAL, 0)->req.kind, MEM_ATOMIC);
    sm_rig_free(r);
}

/* --- textures --- */

/* The nearest texels of 32 lanes side by side are a line of the texture cache; it has three
 * sources: the handle and two coordinates. */
static void texels_come_from_the_texture_cache(void **state)
{
    (void)state;
    struct sm_rig *r = sm_rig_new(
        PTX_HEAD ".visible .entry k(.param .u64 p, .param .u64 t)\n{\n.reg .u32 %r<5>; .reg .f32 "
                 "%f<20>; .reg .u64 %rd<5>;\nld.param.u64 %rd1,[t]; mov.u32 %r1,%tid.x;\n"
                 "cvt.rn.f32.u32 %f1,%r1; mov.f32 %f2,0f40A00000;\n"
                 "tex.2d.v4.f32.f32 {%f3,%f4,%f5,%f6},[%rd1,{%f1,%f2}]; add.f32 %f7,%f3,%f3;\n"
                 "tex.2d.v4.f32.f32 {%f8,%f9,%f10,%f11},[%rd1,{%f1,%f2}]; add.f32 %f7,%f8,%f8;\n"
                 "ret;\n}\n",
        NULL);
    const struct tex_object o = {.is_used = true,
                                 .shape = TEX_2D,
                                 .format = TEX_FLOAT,
                                 .channel_bits = 32,
                                 .channels = 1,
                                 .address = {TEX_CLAMP, TEX_CLAMP, TEX_CLAMP},
                                 .data = r->f.buf->base,
                                 .pitch_bytes = 256,
                                 .width = 64,
                                 .height = 64,
                                 .depth = 1,
                                 .levels = 1};
    r->param[0] = tex_table_add(&r->f.dev->textures, &o);
    sm_rig_run(r, 1, 32);
    assert_int_equal(rig_gap(r, 4, 5), TO_CACHE + 3 + L1 + MEMORY + 1);
    assert_int_equal(rig_gap(r, 6, 7), TO_CACHE + 3 + L1 + 1);
    assert_int_equal(rig_requests(r, MEM_TEX), 1);
    assert_int_equal(rig_requests(r, MEM_GLOBAL), 0);
    assert_int_equal(rig_request(r, MEM_TEX, 0)->req.addr, r->f.buf->base + 5 * 256);
    assert_int_equal(r->caches[SM_CACHE_TEX].read_hits, 1);
    sm_rig_free(r);
}

/* --- matrices --- */

/* A 16 x 16 matrix of halves, row by row: 512 bytes are 4 lines, however the lanes hold it. */
static void a_matrix_load_is_a_memory_instruction(void **state)
{
    (void)state;
    struct sm_rig *r = run(RIG_KERNEL("ld.param.u64 %rd1,[p];\n"
                                      "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 "
                                      "{%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8},[%rd1];\n"
                                      "add.u32 %r9,%r8,1; ret;\n"),
                           NULL, 32);
    assert_int_equal(rig_requests(r, MEM_GLOBAL), 4);
    assert_int_equal(r->stats.mem_inst, 2);
    assert_int_equal(rig_gap(r, 1, 2), TO_CACHE + 1 + L1 + MEMORY + 1 + 3);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(rig_request(r, MEM_GLOBAL, i)->req.bytes, 128);
    sm_rig_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_miss_then_a_hit),
        cmocka_unit_test(thirty_two_lines_take_thirty_two_cycles),
        cmocka_unit_test(loads_go_through_the_unit_in_order),
        cmocka_unit_test(a_bypassing_load_always_asks_memory),
        cmocka_unit_test(a_load_that_no_lane_executes_costs_no_line),
        cmocka_unit_test(a_fence_waits_for_stores),
        cmocka_unit_test(a_fence_waits_for_atomics),
        cmocka_unit_test(a_fence_without_stores_does_not_wait),
        cmocka_unit_test(results_take_turns),
        cmocka_unit_test(a_fence_waits_for_its_own_stores_only),
        cmocka_unit_test(a_block_ends_with_its_stores),
        cmocka_unit_test(shared_memory_conflicts),
        cmocka_unit_test(an_access_that_has_moved_conflicts_as_before),
        cmocka_unit_test(one_word_for_all_is_no_conflict),
        cmocka_unit_test(bytes_of_a_word_are_no_conflict),
        cmocka_unit_test(wide_accesses_take_their_words),
        cmocka_unit_test(shared_atomics_take_turns),
        cmocka_unit_test(a_shared_store_ends_in_the_unit),
        cmocka_unit_test(parameters_come_from_the_constant_cache),
        cmocka_unit_test(constant_loads_take_a_cycle_a_line),
        cmocka_unit_test(constants_that_go_back_are_not_forgotten),
        cmocka_unit_test(local_memory_is_interleaved_by_lane),
        cmocka_unit_test(an_atomic_goes_to_memory),
        cmocka_unit_test(texels_come_from_the_texture_cache),
        cmocka_unit_test(a_matrix_load_is_a_memory_instruction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
