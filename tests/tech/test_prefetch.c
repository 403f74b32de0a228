/* The prefetchers of assist/ on one SM, and what holds them back. Every run happens asleep and
 * awake (support_sm_rig.h). */
#include "tech/support_assist_rig.h"

#include <string.h>

/* One word of each of 40 lines, a stride apart; what is loaded is needed at once. */
#define WALK(stride)                                                                         \
    RIG_KERNEL("ld.param.u64 %rd1,[p]; mov.u32 %r1,0; mov.u32 %r3,0;\n"                      \
               "L: ld.global.u32 %r2,[%rd1]; add.u32 %r3,%r3,%r2; add.u64 %rd1,%rd1," stride \
               ";\nadd.u32 %r1,%r1,1; setp.ne.u32 %p1,%r1,40; @%p1 bra L; ret;\n")

static cycle_t alone(const char *kernel)
{
    struct sm_rig *r = sm_rig_new(kernel, NULL);
    sm_rig_run(r, 1, 32);
    const cycle_t end = r->end;
    assert_int_equal(r->caches[SM_CACHE_DATA].read_misses, 40);
    sm_rig_free(r);
    return end;
}

/* Two strides to learn, then the line of four iterations later: 38 are asked for, of which 4 are
 * behind the last. The first 2 + 4 still miss. */
static void a_stride_is_fetched_early(void **state)
{
    (void)state;
    struct assist_rig b;
    assist_rig_open(&b, WALK("512"), "prefetch_stride");
    b.cfg.prefetch_distance = 4;
    sm_rig_run(b.r, 1, 32);
    const struct l1_stats *s = &b.r->caches[SM_CACHE_DATA];
    assert_int_equal(b.c->stats.triggered, 40);
    assert_int_equal(b.c->stats.finished, 40);
    assert_int_equal(s->prefetch_fetches, 38);
    assert_int_equal(s->prefetch_useful + s->prefetch_late, 34);
    assert_int_equal(s->read_misses, 6);
    assert_true(b.r->end < alone(WALK("512")));
    assist_rig_close(&b);
}

/* A miss, then one on the next line: a stream, of which 4 lines come at a time; those that come too
 * late miss. */
static void a_stream_is_fetched_early(void **state)
{
    (void)state;
    struct assist_rig b;
    assist_rig_open(&b, WALK("128"), "prefetch_stream");
    sm_rig_run(b.r, 1, 32);
    const struct l1_stats *s = &b.r->caches[SM_CACHE_DATA];
    assert_true(s->read_misses < 20);
    assert_int_equal(s->prefetch_useful + s->prefetch_late, 40 - s->read_misses);
    assert_true(b.r->end < alone(WALK("128")) * 3 / 4);
    assist_rig_close(&b);
}

/* After the first window everything is said to be busy: nothing more is triggered. */
static void check_throttled(void (*set)(struct assist_cfg *cfg))
{
    struct assist_rig b;
    assist_rig_open(&b, WALK("512"), "prefetch_stride");
    b.cfg.prefetch_window = 500;
    set(&b.cfg);
    sm_rig_run(b.r, 1, 32);
    assert_true(b.c->stats.memory_busy > 10);
    assert_int_equal(b.c->stats.triggered, b.c->stats.finished + b.c->stats.memory_busy);
    b.cfg.prefetch_throttle = false;
    sm_rig_run(b.r, 1, 32);
    assert_int_equal(b.c->stats.memory_busy, 0);
    assist_rig_close(&b);
}

static void few_replies(struct assist_cfg *cfg)
{
    cfg->prefetch_bandwidth = 0.001;
}

static void few_mshrs(struct assist_cfg *cfg)
{
    cfg->prefetch_mshrs = 0;
}

static void memory_may_be_busy(void **state)
{
    (void)state;
    check_throttled(few_replies);
    check_throttled(few_mshrs);
}

/* One line all the time: the routine has a stride of 0 and nothing to ask for. Enough of that, and
 * it rests; after the rest it tries again. */
static void what_finds_nothing_rests(void **state)
{
    (void)state;
    struct assist_rig b;
    assist_rig_open(&b,
                    RIG_KERNEL("ld.param.u64 %rd1,[p]; mov.u32 %r1,0; mov.u32 %r3,0;\n"
                               "L: ld.global.u32 %r2,[%rd1]; add.u32 %r3,%r3,%r2;\n"
                               "add.u32 %r1,%r1,1; setp.ne.u32 %p1,%r1,900; @%p1 bra L; ret;\n"),
                    "prefetch_stride");
    b.cfg.prefetch_window = 1000;
    b.cfg.prefetch_rest = 5;
    sm_rig_run(b.r, 1, 32);
    const struct assist_stats *s = &b.c->stats;
    assert_in_range(s->memory_busy, 90, 600);
    assert_true(s->finished > 256);
    b.cfg.prefetch_yield = 0;
    sm_rig_run(b.r, 1, 32);
    assert_int_equal(b.c->stats.memory_busy, 0);
    assist_rig_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stride_is_fetched_early),
        cmocka_unit_test(a_stream_is_fetched_early),
        cmocka_unit_test(memory_may_be_busy),
        cmocka_unit_test(what_finds_nothing_rests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
