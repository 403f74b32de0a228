/* Lines that lie encoded in a slice, to the cycle (times as in test_l2.c: a hit is answered 120
 * cycles after it was taken, a miss 171). */
#include "support_l2_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LINES = 64, CODE = 40 };

struct forms {
    struct line_form at[LINES];
    bool is_raw_after_use, raw[LINES]; /* once an encoded line was read, the slice has it raw */
    bool is_hidden[LINES];             /* memory has it encoded only for a read */
    bool is_stale[LINES];              /* memory has it raw, and nobody can use it encoded */
    uint32_t entered[LINES];
    enum line_entry why; /* the last one has entered */
    struct form_policy policy;
};

static struct line_form look(const void *self, addr_t line, bool is_here, enum mem_kind kind)
{
    const struct forms *f = self;
    const uint32_t i = (uint32_t)(line / 128);
    const bool is_raw =
        is_here ? f->raw[i] : f->is_stale[i] || (f->is_hidden[i] && kind != MEM_READ);
    return is_raw ? (struct line_form){0} : f->at[i];
}

static void enter(void *self, addr_t line, enum line_entry why)
{
    struct forms *f = self;
    f->entered[line / 128]++;
    f->why = why;
    f->raw[line / 128] = false;
    if (why == LINE_CHANGED && f->is_hidden[line / 128])
        f->at[line / 128] = (struct line_form){0};
}

static void store(void *self, addr_t line, struct line_form form)
{
    struct forms *f = self;
    f->at[line / 128] = form;
    f->raw[line / 128] = false;
}

static void read_once(void *self, addr_t line, bool is_dirty)
{
    struct forms *f = self;
    if (is_dirty && f->is_raw_after_use)
        store(f, line, (struct line_form){0});
    else
        f->raw[line / 128] = f->is_raw_after_use && f->at[line / 128].bytes;
}

static bool change(void *self, addr_t line)
{
    struct forms *f = self;
    const bool was_raw = f->raw[line / 128];
    if (was_raw)
        store(f, line, (struct line_form){0});
    return was_raw;
}

static bool is_stale(const void *self, addr_t line)
{
    const struct forms *f = self;
    return f->is_stale[line / 128];
}

/* Every line of memory is encoded at first. */
static struct l2_rig *rig_with(struct forms *f, bool is_raw_after_use, const char *const *sets)
{
    struct slice_seams seams = slice_seams_null;
    *f = (struct forms){.is_raw_after_use = is_raw_after_use};
    for (uint32_t i = 0; i < LINES; i++)
        f->at[i] = (struct line_form){.bytes = CODE, .algorithm = 2};
    f->policy = (struct form_policy){look, enter, read_once, change, store, is_stale, f};
    seams.channel.forms = &f->policy;
    return l2_rig_with(sets, &seams);
}

static struct l2_rig *rig_new(struct forms *f, bool is_raw_after_use)
{
    return rig_with(f, is_raw_after_use, NULL);
}

static void finish(struct l2_rig *r)
{
    const struct l2_stats *st = l2_stats(r->l2);
    assert_true(l2_idle(r->l2));
    assert_int_equal(st->requests, st->reads + st->writes + st->atomics + st->refused);
    assert_int_equal(st->requests, st->replies);
    assert_int_equal(st->refused, st->refused_hits + st->refused_misses);
    assert_int_equal(st->fetches + st->write_backs + st->evict_fetches, st->memory_replies);
    l2_rig_free(r);
}

static void an_encoded_line_is_fetched_and_answered_as_a_whole(void **state)
{
    (void)state;
    struct forms f;
    struct l2_rig *r = rig_new(&f, false);
    l2_rig_give(r, 10, 1, MEM_READ, 32, 2, 0);
    l2_rig_give(r, 300, 2, MEM_READ, 0, 15, 0);
    l2_rig_run(r, 600);
    assert_int_equal(r->nsent, 1);
    assert_int_equal(r->sent[0].sectors, 15);
    assert_int_equal(r->sent[0].form.bytes, CODE);
    assert_int_equal(r->back[1], 181);
    assert_int_equal(r->back[2], 420);
    assert_int_equal(r->reqs[1].form.bytes, CODE);
    assert_int_equal(r->reqs[1].form.algorithm, 2);
    assert_int_equal(r->reqs[2].form.bytes, CODE);
    assert_false(r->reqs[1].refused);
    assert_int_equal(l2_stats(r->l2)->coded_answers, 2);
    finish(r);
}

static void a_raw_line_is_as_without(void **state)
{
    (void)state;
    struct forms f;
    struct l2_rig *r = rig_new(&f, false);
    f.at[0] = (struct line_form){0};
    l2_rig_give(r, 10, 1, MEM_READ, 32, 2, 0);
    l2_rig_give(r, 300, 2, MEM_WRITE, 0, 1, 1);
    l2_rig_run(r, 600);
    assert_int_equal(r->sent[0].sectors, 2);
    assert_int_equal(r->sent[0].form.bytes, 0);
    assert_int_equal(r->reqs[1].form.bytes, 0);
    assert_int_equal(r->back[2], 420);
    assert_false(r->reqs[2].refused);
    finish(r);
}

static void a_whole_line_lies_as_it_came(void **state)
{
    (void)state;
    struct forms f;
    struct l2_rig *r = rig_new(&f, false);
    l2_rig_give(r, 10, 1, MEM_WRITE, 0, 15, 15);
    l2_rig_give(r, 11, 2, MEM_WRITE, 128, 15, 15);
    r->reqs[2].form.bytes = 9;
    r->reqs[2].form.algorithm = 1;
    l2_rig_run(r, 400);
    assert_int_equal(r->nsent, 0);
    assert_int_equal(f.at[0].bytes, 0);
    assert_int_equal(f.at[1].bytes, 9);
    assert_int_equal(f.at[1].algorithm, 1);
    assert_int_equal(r->back[1], 130);
    assert_int_equal(r->reqs[2].form.bytes, 0); /* the answer brings nothing */
    assert_int_equal(r->reqs[2].wire_bytes, 0);
    assert_false(r->reqs[2].refused);
    l2_rig_give(r, 500, 3, MEM_READ, 128, 1, 0);
    l2_rig_run(r, 800);
    assert_int_equal(r->reqs[3].form.bytes, 9);
    assert_int_equal(r->reqs[3].form.algorithm, 1);
    finish(r);
}

/* The whole line comes back with the refusal, and nothing is dirty. */
static void a_part_and_an_atomic_are_refused(void **state)
{
    (void)state;
    struct forms f;
    struct l2_rig *r = rig_new(&f, false);
    l2_rig_give(r, 10, 1, MEM_WRITE, 0, 1, 1);
    l2_rig_give(r, 300, 2, MEM_ATOMIC, 0, 1, 0);
    l2_rig_give(r, 400, 3, MEM_WRITE, 0, 15, 15); /* sent again */
    l2_rig_give(r, 410, 4, MEM_ATOMIC, 0, 1, 0);
    l2_rig_give(r, 420, 5, MEM_WRITE, 0, 2, 2);
    l2_rig_run(r, 900);
    assert_int_equal(r->nsent, 1);
    assert_int_equal(r->sent[0].kind, MEM_READ);
    assert_int_equal(r->sent[0].sectors, 15);
    for (uint32_t i = 1; i <= 2; i++) {
        assert_true(r->reqs[i].refused);
        assert_int_equal(r->reqs[i].form.bytes, CODE);
        assert_int_equal(r->reqs[i].wire_bytes, 128); /* before any packet policy */
    }
    assert_int_equal(r->back[1], 181);
    assert_int_equal(r->back[2], 420);
    assert_int_equal(r->back[3], 520);
    for (uint32_t i = 3; i <= 5; i++) {
        assert_false(r->reqs[i].refused);
        assert_int_equal(r->reqs[i].form.bytes, 0);
    }
    const struct l2_stats *st = l2_stats(r->l2);
    assert_int_equal(st->refused_misses, 1);
    assert_int_equal(st->refused_hits, 1);
    assert_int_equal(st->atomics, 1);
    assert_int_equal(st->writes, 2);
    finish(r);
}

/* Somebody else's raw line arrives while the refused write waits for its own. */
static void a_refusal_may_find_the_line_raw(void **state)
{
    (void)state;
    struct forms f;
    struct l2_rig *r = rig_new(&f, false);
    l2_rig_give(r, 10, 1, MEM_WRITE, 0, 1, 1);
    l2_rig_give(r, 20, 2, MEM_WRITE, 0, 15, 15);
    l2_rig_run(r, 600);
    assert_true(r->reqs[1].refused);
    assert_int_equal(r->reqs[1].form.bytes, 0);
    assert_int_equal(r->reqs[1].wire_bytes, 128);
    assert_int_equal(f.at[0].bytes, 0);
    finish(r);
}

static void a_dirty_line_goes_to_memory_as_it_lies(void **state)
{
    (void)state;
    static const char *const sets[] = {"l2.size=256", "l2.ways=1", NULL};
    struct forms f;
    struct l2_rig *r = rig_with(&f, false, sets);
    l2_rig_give(r, 10, 1, MEM_WRITE, 0, 15, 15);
    r->reqs[1].form.bytes = 9;
    l2_rig_give(r, 200, 2, MEM_WRITE, 256, 15, 15); /* the same set; raw */
    l2_rig_give(r, 400, 3, MEM_READ, 512, 15, 0);
    l2_rig_run(r, 900);
    assert_int_equal(r->nsent, 3);
    assert_int_equal(r->sent[0].kind, MEM_WRITE);
    assert_int_equal(r->sent[0].addr, 0);
    assert_int_equal(r->sent[0].full, 15);
    assert_int_equal(r->sent[0].form.bytes, 9);
    assert_int_equal(r->sent[1].addr, 256);
    assert_int_equal(r->sent[1].form.bytes, 0);
    finish(r);
}

static void a_line_may_be_raw_after_its_first_use(void **state)
{
    (void)state;
    struct forms f;
    struct l2_rig *r = rig_new(&f, true);
    l2_rig_give(r, 10, 1, MEM_READ, 0, 15, 0);
    l2_rig_give(r, 12, 2, MEM_READ, 0, 1, 0);   /* waits for the same fetch */
    l2_rig_give(r, 300, 3, MEM_READ, 0, 1, 0);  /* the raw copy */
    l2_rig_give(r, 310, 4, MEM_WRITE, 0, 1, 1); /* into it: memory gets all of it later */
    l2_rig_run(r, 900);
    assert_int_equal(r->reqs[1].form.bytes, CODE);
    assert_int_equal(r->reqs[2].form.bytes, CODE);
    assert_int_equal(r->reqs[3].form.bytes, 0);
    assert_int_equal(r->reqs[3].wire_bytes, 32);
    assert_false(r->reqs[4].refused);
    assert_int_equal(f.at[0].bytes, 0);
    finish(r);

    static const char *const sets[] = {"l2.size=256", "l2.ways=1", NULL};
    for (uint32_t writes = 0; writes < 2; writes++) {
        r = rig_with(&f, true, sets);
        l2_rig_give(r, 10, 1, MEM_READ, 0, 15, 0);
        l2_rig_give(r, 300, 2, writes ? MEM_WRITE : MEM_READ, 0, 1, 1);
        l2_rig_give(r, 400, 3, MEM_READ, 256, 15, 0); /* drives it out */
        l2_rig_give(r, 700, 4, MEM_READ, 0, 15, 0);
        l2_rig_run(r, 1200);
        assert_int_equal(r->nsent, 3 + writes);
        if (writes) { /* all of the line, raw */
            assert_int_equal(r->sent[1].kind, MEM_WRITE);
            assert_int_equal(r->sent[1].full, 15);
            assert_int_equal(r->sent[1].form.bytes, 0);
        }
        assert_int_equal(r->reqs[4].form.bytes, writes ? 0 : CODE); /* memory still has the code */
        finish(r);
    }
}

/* One miss register: the second read is looked up in vain until the first is back. */
static void a_request_that_has_to_wait_changes_nothing(void **state)
{
    (void)state;
    static const char *const sets[] = {"l2.mshrs=1", NULL};
    struct forms f;
    struct l2_rig *r = rig_with(&f, false, sets);
    l2_rig_give(r, 10, 1, MEM_READ, 0, 15, 0);
    l2_rig_give(r, 20, 2, MEM_READ, 256, 15, 0);
    l2_rig_run(r, 145);
    assert_int_equal(l2_stats(r->l2)->fail_mshr, 1);
    assert_int_equal(f.entered[0], 1);
    assert_int_equal(f.entered[2], 0);
    f.at[2] =
        (struct line_form){0}; /* decided anew meanwhile: it comes as it lies when it is served */
    l2_rig_run(r, 600);
    assert_int_equal(f.entered[2], 1);
    assert_int_equal(f.why, LINE_READ);
    assert_int_equal(r->reqs[2].form.bytes, 0);
    assert_int_equal(r->back[2], r->back[1] + 51); /* looked up again when the first was back */
    finish(r);
}

/* Memory that has a line in two forms gives the raw one to who changes it: nothing is refused. */
static void a_line_comes_as_its_request_needs_it(void **state)
{
    (void)state;
    struct forms f;
    struct l2_rig *r = rig_new(&f, false);
    f.is_hidden[0] = f.is_hidden[1] = true;
    l2_rig_give(r, 10, 1, MEM_ATOMIC, 0, 1, 0);
    l2_rig_give(r, 20, 2, MEM_READ, 128, 1, 0);
    l2_rig_give(r, 400, 3, MEM_ATOMIC, 128, 1, 0); /* too late: it is here, encoded */
    l2_rig_run(r, 800);
    assert_false(r->reqs[1].refused);
    assert_int_equal(r->sent[0].sectors, 1);
    assert_int_equal(r->sent[0].form.bytes, 0);
    assert_int_equal(f.at[0].bytes, 0);
    assert_int_equal(r->reqs[2].form.bytes, CODE);
    assert_true(r->reqs[3].refused);
    assert_int_equal(r->back[3], 520);
    finish(r);
}

/* Line 0 is clean; line 1 was written as a whole, so that memory does not have it. */
static void an_encoded_line_that_nobody_can_use_is_fetched_again(void **state)
{
    (void)state;
    struct forms f;
    struct l2_rig *r = rig_new(&f, false);
    l2_rig_give(r, 10, 1, MEM_READ, 0, 1, 0);
    l2_rig_give(r, 11, 2, MEM_WRITE, 128, 15, 15);
    r->reqs[2].form.bytes = 9;
    l2_rig_run(r, 300);
    f.is_stale[0] = f.is_stale[1] = true;
    l2_rig_give(r, 310, 3, MEM_READ, 0, 1, 0);
    l2_rig_give(r, 311, 4, MEM_READ, 128, 1, 0);
    l2_rig_run(r, 600);
    assert_int_equal(r->nsent, 2);
    assert_int_equal(r->sent[1].addr, 0);
    assert_int_equal(r->sent[1].sectors, 1);
    assert_int_equal(r->sent[1].form.bytes, 0);
    assert_int_equal(r->back[3], 481);
    assert_int_equal(r->back[4], 431);
    assert_int_equal(r->reqs[4].form.bytes, 9);
    assert_int_equal(l2_stats(r->l2)->read_misses, 2);
    assert_int_equal(f.entered[0], 2);
    finish(r);
}

static void the_host_puts_lines_where_they_are(void **state)
{
    (void)state;
    struct forms f;
    struct l2_rig *r = rig_new(&f, true);
    l2_rig_give(r, 10, 1, MEM_READ, 0, 15, 0);
    l2_rig_run(r, 300);
    assert_true(f.raw[0]);
    l2_touch(r->l2, 0, 256, L2_COPIED);
    assert_false(f.raw[0]);
    assert_int_equal(f.entered[0], 2);
    assert_int_equal(f.entered[1], 1);
    assert_int_equal(f.why, LINE_COPIED);
    l2_rig_give(r, 400, 2, MEM_READ, 0, 1, 0);
    l2_rig_run(r, 600);
    assert_int_equal(r->reqs[2].form.bytes, CODE);
    assert_int_equal(r->back[2], 520);
    finish(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_encoded_line_is_fetched_and_answered_as_a_whole),
        cmocka_unit_test(a_raw_line_is_as_without),
        cmocka_unit_test(a_whole_line_lies_as_it_came),
        cmocka_unit_test(a_part_and_an_atomic_are_refused),
        cmocka_unit_test(a_refusal_may_find_the_line_raw),
        cmocka_unit_test(a_dirty_line_goes_to_memory_as_it_lies),
        cmocka_unit_test(a_line_may_be_raw_after_its_first_use),
        cmocka_unit_test(a_request_that_has_to_wait_changes_nothing),
        cmocka_unit_test(a_line_comes_as_its_request_needs_it),
        cmocka_unit_test(an_encoded_line_that_nobody_can_use_is_fetched_again),
        cmocka_unit_test(the_host_puts_lines_where_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
