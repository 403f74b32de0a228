/* Seams of a machine: all bound to null objects, taken once or wrapped; the list of techniques. */
#include "support_memory.h"
#include "tech/techs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void every_seam_is_bound_to_its_null_object(void **state)
{
    (void)state;
    struct memory *mem = memory_new();
    struct tech_seams s;
    mem->m.sms = 3;
    mem->m.slices = 2;
    tech_seams_init(&s, &mem->m, NULL);
    const struct sm_seams sm = tech_sm_seams(&s, 2);
    const struct slice_seams slice = tech_slice_seams(&s, 1, 0);
    const struct gpu_seams all = tech_gpu_seams(&s);
#define L1_SEAM(name, type, ...) assert_memory_equal(sm.l1.name, &type##_null, sizeof(struct type));
#define SM_SEAM(name, type, ...) assert_memory_equal(sm.name, &type##_null, sizeof(struct type));
#define SLICE_SEAM(name, type, ...) \
    assert_memory_equal(slice.name, &type##_null, sizeof(struct type));
#define CHANNEL_SEAM(name, type, ...) \
    assert_memory_equal(slice.channel.name, &type##_null, sizeof(struct type));
#define GPU_SEAM(name, type, ...) assert_memory_equal(all.name, &type##_null, sizeof(struct type));
#include "parsim/seams.def"
    assert_ptr_equal(sm.l1.requests, &s.requests[2]);
    assert_ptr_equal(slice.l2_packets, &s.l2_packets[1]);
    tech_seams_free(&s);
    memory_free(mem);
}

/* Every function of a null object is a row, and what is checked of a policy is all of it: a policy
 * of zeros becomes the null object where it is taken alone. */
static void what_is_left_out_is_the_null_objects(void **state)
{
    (void)state;
    struct memory *mem = memory_new();
    struct tech_seams s;
    struct err err = {0};
    tech_seams_init(&s, &mem->m, NULL);
#define EMPTY(name, type)                                        \
    memset(tech_take(&s, SEAM_##name, "x", TAKE_ALONE, &err), 0, \
           s.n[seam_rows[SEAM_##name].per] * sizeof *s.name);
#define L1_SEAM(name, type, ...)      EMPTY(name, type)
#define SM_SEAM(name, type, ...)      EMPTY(name, type)
#define SLICE_SEAM(name, type, ...)   EMPTY(name, type)
#define CHANNEL_SEAM(name, type, ...) EMPTY(name, type)
#define GPU_SEAM(name, type, ...)     EMPTY(name, type)
#include "parsim/seams.def"
    s.l1_capacity->tag_factor = s.l2_capacity->tag_factor = 1;
    assert_true(tech_seams_check(&s, "x", &err));
#define SAME(name, type)              assert_memory_equal(s.name, &type##_null, sizeof(struct type));
#define L1_SEAM(name, type, ...)      SAME(name, type)
#define SM_SEAM(name, type, ...)      SAME(name, type)
#define SLICE_SEAM(name, type, ...)   SAME(name, type)
#define CHANNEL_SEAM(name, type, ...) SAME(name, type)
#define GPU_SEAM(name, type, ...)     SAME(name, type)
#include "parsim/seams.def"
    s.l1_capacity->tag_factor = 0;
    assert_false(tech_seams_check(&s, "x", &err));
    assert_string_equal(err.msg, "SM 0: seam l1_capacity: tag_factor is 0: must be 1 to 64");
    tech_seams_free(&s);
    memory_free(mem);
}

static void one_decides_and_others_wrap(void **state)
{
    (void)state;
    struct memory *mem = memory_new();
    struct tech_seams s;
    struct err err = {0};
    tech_seams_init(&s, &mem->m, NULL);
    assert_ptr_equal(tech_take(&s, SEAM_storage, "a", TAKE_ALONE, &err), s.storage);
    assert_null(tech_take(&s, SEAM_storage, "b", TAKE_ALONE, &err));
    assert_string_equal(err.msg,
                        "b cannot be combined with a: both decide the form of blocks in DRAM");
    assert_ptr_equal(tech_take(&s, SEAM_storage, "c", TAKE_WRAP, &err), s.storage);
    assert_ptr_equal(tech_take(&s, SEAM_storage, "d", TAKE_WRAP, &err), s.storage);
    assert_ptr_equal(tech_take(&s, SEAM_registers, "c", TAKE_WRAP, &err), s.registers);
    assert_null(tech_take(&s, SEAM_registers, "a", TAKE_ALONE, &err));
    assert_string_equal(err.msg, "a must be named before c, which adds to what decides what "
                                 "reading and writing registers costs");
    assert_null(tech_take(&s, SEAMS, "a", TAKE_ALONE, &err));
    tech_seams_free(&s);
    memory_free(mem);
}

/* Whatever is bound or not: names are unique, defaults are allowed, rows say where they are from.
 */
static void techniques_are_whole(void **state)
{
    (void)state;
    struct conf *conf = conf_new();
    struct tech_list *list = tech_list_new(conf);
    struct err err = {0};
    const struct technique *t, *other;
    for (size_t i = 0; (t = tech_list_at(list, i)); i++) {
        assert_ptr_equal(t, tech_at(i));
        assert_true(t->ndesigns ? t->bind != NULL : t->open != NULL); /* or it serves others */
        for (size_t k = 0; k < t->ndesigns; k++) {
            const struct tech_design *d;
            other = tech_find(t->designs[k].name, &d);
            assert_ptr_equal(other, t);
            assert_ptr_equal(d, &t->designs[k]); /* no other has the name */
            assert_true(d->codec && *d->help);
        }
        for (size_t k = 0; k < t->nenergy; k++)
            assert_true(t->energy[k].pj > 0 && *t->energy[k].source);
    }
    assert_true(tech_list_check(list, "base", &err));
    assert_false(tech_list_check(list, "base,nothing", &err));
    assert_non_null(strstr(err.msg, "no technique 'nothing'; there are: base, "));
    tech_list_free(list);
    conf_free(conf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_seam_is_bound_to_its_null_object),
        cmocka_unit_test(what_is_left_out_is_the_null_objects),
        cmocka_unit_test(one_decides_and_others_wrap),
        cmocka_unit_test(techniques_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
