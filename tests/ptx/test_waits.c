/* Loops that wait for other threads, and those that only look like it. */
#include "ptx/support_parse.h"

#include "ptx/waits.h"

static void expect_waits(const char *body, bool waits)
{
    struct ptx_module *m = parse_body_text(body);
    if ((ptx_waits(first_func(m)) != NULL) != waits)
        fail_msg("%s:\n%s", waits ? "waits, and is not seen" : "does not wait", body);
    ptx_module_free(m);
}

static void waiting_loops(void **state)
{
    (void)state;
    /* a flag */
    expect_waits("L: ld.volatile.global.u32 %r1,[%rd1]; setp.eq.u32 %p1,%r1,0; @%p1 bra L; ret;",
                 true);
    expect_waits("L: ld.acquire.gpu.global.u32 %r1,[%rd1]; and.b32 %r2,%r1,1; setp.eq.u32 "
                 "%p1,%r2,0; @!%p1 bra E; bra L; E: ret;",
                 true);
    /* of shared memory, its address made anew in every turn */
    expect_waits("L: add.u64 %rd2,%rd1,4; ld.volatile.shared.u32 %r1,[%rd2]; setp.ne.u32 "
                 "%p1,%r1,%r9; @%p1 bra L; ret;",
                 true);
    /* locks: a loop that only tries, and one with the critical section in it */
    expect_waits("L: atom.global.cas.b32 %r1,[%rd1],0,1; setp.ne.u32 %p1,%r1,0; @%p1 bra L; ret;",
                 true);
    expect_waits("L: atom.global.exch.b32 %r1,[%rd1],1; setp.ne.u32 %p1,%r1,0; @%p1 bra L; ret;",
                 true);
    expect_waits("mov.u32 %r3,0; L: atom.global.cas.b32 %r1,[%rd1],0,1; setp.ne.u32 %p1,%r1,0;"
                 "@%p1 bra M; st.global.u32 [%rd2],%r4; mov.u32 %r3,1; M: setp.eq.u32 %p2,%r3,0;"
                 "@%p2 bra L; ret;",
                 true);
    /* asking by adding nothing; sleeping */
    expect_waits("L: atom.global.add.u32 %r1,[%rd1],0; setp.lt.u32 %p1,%r1,%r2; @%p1 bra L; ret;",
                 true);
    expect_waits("L: nanosleep.u32 40; ld.global.u32 %r1,[%rd1]; setp.eq.u32 %p1,%r1,0; @%p1 bra "
                 "L; ret;",
                 true);
    /* a software barrier within a loop that has a real one */
    expect_waits("O: bar.sync 0; W: ld.volatile.global.u32 %r1,[%rd1]; setp.lt.u32 %p1,%r1,%r2;"
                 "@%p1 bra W; sub.u32 %r3,%r3,1; setp.ne.u32 %p2,%r3,0; @%p2 bra O; ret;",
                 true);
}

static void other_loops(void **state)
{
    (void)state;
    /* no loop at all */
    expect_waits("ld.volatile.global.u32 %r1,[%rd1]; setp.eq.u32 %p1,%r1,0; @%p1 ret; ret;", false);
    /* a float that is added by swaps: what it compares with is what it has read */
    expect_waits("ld.global.u32 %r1,[%rd1]; L: add.u32 %r2,%r1,1; atom.global.cas.b32 "
                 "%r3,[%rd1],%r1,%r2; setp.ne.u32 %p1,%r3,%r1; mov.u32 %r1,%r3; @%p1 bra L; ret;",
                 false);
    /* work that a counter hands out */
    expect_waits("L: atom.global.add.u32 %r1,[%rd1],1; setp.lt.u32 %p1,%r1,%r2; @%p1 bra L; ret;",
                 false);
    /* a walk along a list, through volatile loads */
    expect_waits("L: ld.volatile.global.u64 %rd1,[%rd1]; setp.ne.u64 %p1,%rd1,0; @%p1 bra L; ret;",
                 false);
    /* a lock that is given back in a loop: nobody looks at the answer */
    expect_waits("L: atom.global.exch.b32 %r1,[%rd1],0; sub.u32 %r2,%r2,1; setp.ne.u32 %p1,%r2,0;"
                 "@%p1 bra L; ret;",
                 false);
    /* a block goes round until nothing changes: barriers part its turns */
    expect_waits("L: bar.sync 0; ld.volatile.shared.u32 %r1,[sh]; setp.ne.u32 %p1,%r1,0; @%p1 bra "
                 "L; ret;",
                 false);
    /* what is read does not say when the loop ends */
    expect_waits("L: ld.volatile.global.u32 %r1,[%rd1]; add.u32 %r4,%r4,%r1; sub.u32 %r2,%r2,1;"
                 "setp.ne.u32 %p1,%r2,0; @%p1 bra L; ret;",
                 false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiting_loops),
        cmocka_unit_test(other_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
