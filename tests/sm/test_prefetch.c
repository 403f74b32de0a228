/* prefetch.global.L1 in an SM, to the cycle: the numbers of test_lsu.c. */
#include "support_sm_rig.h"

enum { L1 = 35, MEMORY = 100, TO_CACHE = 3 };

/* %rd1 = the buffer, %rd2 = this lane's word of it, %rd3 = this lane's line. */
#define START                                                                      \
    "ld.param.u64 %rd1,[p]; mov.u32 %r1,%tid.x; mul.wide.u32 %rd2,%r1,4; add.u64 " \
    "%rd2,%rd1,%rd2;\n"                                                            \
    "mul.wide.u32 %rd3,%r1,128; add.u64 %rd3,%rd1,%rd3;\n"
/* 200 cycles in which the line can come. */
#define WAIT "mov.u32 %r8,50;\nL: sub.u32 %r8,%r8,1; setp.ne.u32 %p1,%r8,0; @%p1 bra L;\n"

static struct sm_rig *run(const char *ptx, const char *const *sets)
{
    struct sm_rig *r = sm_rig_new(ptx, sets);
    sm_rig_run(r, 1, 32);
    return r;
}

/* The next instruction does not wait; a load behind it finds the line there. */
static void nobody_waits_and_a_load_hits(void **state)
{
    (void)state;
    struct sm_rig *r = run(RIG_KERNEL(START "prefetch.global.L1 [%rd2]; add.u32 %r3,%r1,1;\n" WAIT
                                            "ld.global.u32 %r4,[%rd2]; add.u32 %r5,%r4,1; ret;\n"),
                           NULL);
    const struct l1_stats *s = &r->caches[SM_CACHE_DATA];
    assert_int_equal(rig_gap(r, 6, 7), 1);
    assert_int_equal(rig_gap(r, 12, 13), TO_CACHE + 1 + L1 + 1);
    assert_int_equal(s->prefetches, 1);
    assert_int_equal(s->prefetch_useful, 1);
    assert_int_equal(r->stats.prefetch_inst, 1);
    assert_int_equal(r->stats.load_inst, 1 + 1); /* and the parameter */
    assert_int_equal(rig_requests(r, MEM_GLOBAL), 1);
    sm_rig_free(r);
}

/* It goes through the unit like a load: 32 lines, 32 cycles, and the load behind it waits. */
static void lines_go_one_a_cycle(void **state)
{
    (void)state;
    static const char *const sets[] = {"l1.miss_queue=64", NULL};
    struct sm_rig *r = run(RIG_KERNEL(START "prefetch.global.L1 [%rd3]; ld.global.u32 %r3,[%rd2];\n"
                                            "add.u32 %r4,%r3,1; ret;\n"),
                           sets);
    const struct rig_request *first = rig_request(r, MEM_GLOBAL, 0);
    assert_int_equal(rig_requests(r, MEM_GLOBAL), 32);
    assert_int_equal(rig_request(r, MEM_GLOBAL, 31)->cycle - first->cycle, 31);
    assert_int_equal(rig_gap(r, 6, 8), TO_CACHE + 1 + L1 + MEMORY + 1);
    assert_int_equal(r->caches[SM_CACHE_DATA].prefetch_late, 1);
    sm_rig_free(r);
}

/* Past the buffer's end, and nowhere at all. */
static void what_is_outside_of_memory_is_dropped(void **state)
{
    (void)state;
    struct sm_rig *r = run(RIG_KERNEL(START "mov.u64 %rd4,64; prefetch.global.L1 [%rd4];\n"
                                            "prefetch.L1 [%rd4]; prefetch.global.L2 [%rd2];\n"
                                            "prefetchu.L1 [%rd2]; prefetch.local.L1 [%rd4];\n"
                                            "ret;\n"),
                           NULL);
    assert_int_equal(rig_requests(r, MEM_GLOBAL), 0);
    assert_int_equal(r->stats.prefetch_inst, 0);
    assert_int_equal(r->caches[SM_CACHE_DATA].prefetches, 0);
    sm_rig_free(r);
}

/* Lane 0 only: a generic address of global memory is one, too. */
static void a_guard_and_generic_addresses(void **state)
{
    (void)state;
    struct sm_rig *r = run(RIG_KERNEL(START "setp.eq.u32 %p1,%r1,0; @%p1 prefetch.L1 [%rd3+256];\n"
                                            "ret;\n"),
                           NULL);
    assert_int_equal(rig_requests(r, MEM_GLOBAL), 1);
    assert_int_equal(rig_request(r, MEM_GLOBAL, 0)->req.addr, r->f.buf->base + 256);
    sm_rig_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_waits_and_a_load_hits),
        cmocka_unit_test(lines_go_one_a_cycle),
        cmocka_unit_test(what_is_outside_of_memory_is_dropped),
        cmocka_unit_test(a_guard_and_generic_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
