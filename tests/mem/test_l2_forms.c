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
    struct form_policy policy;
};

static struct line_form stored(void *self, addr_t line)
{
    return ((struct forms *)self)->at[line / 128];
}

static void store(void *self, addr_t line, struct line_form f)
{
    ((struct forms *)self)->at[line / 128] = f;
}

static void one_form(void *self, addr_t line)
{
    (void)self, (void)line;
}

/* Every line of memory is encoded at first. */
static struct l2_rig *rig_new(struct forms *f, bool is_raw_after_use)
{
    struct l2_rig *r = l2_rig_new(NULL);
    for (uint32_t i = 0; i < LINES; i++)
        f->at[i] = (struct line_form){CODE, 2};
    f->policy = (struct form_policy){stored, store, is_raw_after_use, f, one_form, one_form};
    l2_bind_forms(r->l2, &f->policy);
    return r;
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
    assert_int_equal(r->sent[0].code_bytes, CODE);
    assert_int_equal(r->back[1], 181);
    assert_int_equal(r->back[2], 420);
    assert_int_equal(r->reqs[1].code_bytes, CODE);
    assert_int_equal(r->reqs[1].algorithm, 2);
    assert_int_equal(r->reqs[2].code_bytes, CODE);
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
    assert_int_equal(r->sent[0].code_bytes, 0);
    assert_int_equal(r->reqs[1].code_bytes, 0);
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
    r->reqs[2].code_bytes = 9;
    r->reqs[2].algorithm = 1;
    l2_rig_run(r, 400);
    assert_int_equal(r->nsent, 0);
    assert_int_equal(f.at[0].bytes, 0);
    assert_int_equal(f.at[1].bytes, 9);
    assert_int_equal(f.at[1].algorithm, 1);
    assert_int_equal(r->back[1], 130);
    assert_int_equal(r->reqs[2].code_bytes, 0); /* the answer brings nothing */
    assert_int_equal(r->reqs[2].wire_bytes, 0);
    assert_false(r->reqs[2].refused);
    l2_rig_give(r, 500, 3, MEM_READ, 128, 1, 0);
    l2_rig_run(r, 800);
    assert_int_equal(r->reqs[3].code_bytes, 9);
    assert_int_equal(r->reqs[3].algorithm, 1);
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
        assert_int_equal(r->reqs[i].code_bytes, CODE);
        assert_int_equal(r->reqs[i].wire_bytes, 128); /* before any packet policy */
    }
    assert_int_equal(r->back[1], 181);
    assert_int_equal(r->back[2], 420);
    assert_int_equal(r->back[3], 520);
    for (uint32_t i = 3; i <= 5; i++) {
        assert_false(r->reqs[i].refused);
        assert_int_equal(r->reqs[i].code_bytes, 0);
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
    assert_int_equal(r->reqs[1].code_bytes, 0);
    assert_int_equal(r->reqs[1].wire_bytes, 128);
    assert_int_equal(f.at[0].bytes, 0);
    finish(r);
}

static void a_dirty_line_goes_to_memory_as_it_lies(void **state)
{
    (void)state;
    static const char *const sets[] = {"l2.size=256", "l2.ways=1", NULL};
    struct forms f;
    struct l2_rig *r = rig_new(&f, false);
    l2_rig_free(r);
    r = l2_rig_new(sets);
    l2_bind_forms(r->l2, &f.policy);
    l2_rig_give(r, 10, 1, MEM_WRITE, 0, 15, 15);
    r->reqs[1].code_bytes = 9;
    l2_rig_give(r, 200, 2, MEM_WRITE, 256, 15, 15); /* the same set; raw */
    l2_rig_give(r, 400, 3, MEM_READ, 512, 15, 0);
    l2_rig_run(r, 900);
    assert_int_equal(r->nsent, 3);
    assert_int_equal(r->sent[0].kind, MEM_WRITE);
    assert_int_equal(r->sent[0].addr, 0);
    assert_int_equal(r->sent[0].full, 15);
    assert_int_equal(r->sent[0].code_bytes, 9);
    assert_int_equal(r->sent[1].addr, 256);
    assert_int_equal(r->sent[1].code_bytes, 0);
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
    assert_int_equal(r->reqs[1].code_bytes, CODE);
    assert_int_equal(r->reqs[2].code_bytes, CODE);
    assert_int_equal(r->reqs[3].code_bytes, 0);
    assert_int_equal(r->reqs[3].wire_bytes, 32);
    assert_false(r->reqs[4].refused);
    assert_int_equal(f.at[0].bytes, 0);
    finish(r);

    static const char *const sets[] = {"l2.size=256", "l2.ways=1", NULL};
    for (uint32_t writes = 0; writes < 2; writes++) {
        f.at[0] = f.at[2] = (struct line_form){CODE, 2};
        r = l2_rig_new(sets);
        l2_bind_forms(r->l2, &f.policy);
        l2_rig_give(r, 10, 1, MEM_READ, 0, 15, 0);
        l2_rig_give(r, 300, 2, writes ? MEM_WRITE : MEM_READ, 0, 1, 1);
        l2_rig_give(r, 400, 3, MEM_READ, 256, 15, 0); /* drives it out */
        l2_rig_give(r, 700, 4, MEM_READ, 0, 15, 0);
        l2_rig_run(r, 1200);
        assert_int_equal(r->nsent, 3 + writes);
        if (writes) { /* all of the line, raw */
            assert_int_equal(r->sent[1].kind, MEM_WRITE);
            assert_int_equal(r->sent[1].full, 15);
            assert_int_equal(r->sent[1].code_bytes, 0);
        }
        assert_int_equal(r->reqs[4].code_bytes, writes ? 0 : CODE); /* memory still has the code */
        finish(r);
    }
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
