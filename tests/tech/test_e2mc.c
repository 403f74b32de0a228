/* Entropy coding at a controller: sampling, then codes; units and latencies of the paper. */
#include "support_memory.h"
#include "tech/techs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct rig {
    struct memory *mem;
    struct conf *conf;
    struct tech_list *list;
    struct tech_seams seams;
    struct techs *techs;
};

/* Fails the test unless it binds. */
static struct rig *rig_new(const char *const *sets)
{
    struct rig *r = xcalloc(1, sizeof *r);
    struct err err;
    r->mem = memory_new();
    r->mem->m.dram_bandwidth = 192.4e9;
    r->mem->m.l2_mhz = 1002; /* as the clock of the published cycles */
    r->conf = conf_new();
    r->list = tech_list_new(r->conf);
    for (; sets && *sets; sets++)
        if (!conf_set(r->conf, *sets, &err))
            fail_msg("%s", err.msg);
    tech_seams_init(&r->seams, &r->mem->m, stats_new());
    r->techs = techs_bind("e2mc", r->list, &r->mem->m, &r->seams, &err);
    if (!r->techs)
        fail_msg("%s", err.msg);
    for (uint32_t i = 0; i < MEMORY_BLOCKS; i++)
        memory_make_close(r->mem, i);
    return r;
}

static void rig_free(struct rig *r)
{
    stats_free(r->seams.stats);
    techs_free(r->techs);
    tech_seams_free(&r->seams);
    tech_list_free(r->list);
    conf_free(r->conf);
    memory_free(r->mem);
    free(r);
}

static double stat(const struct rig *r, const char *key)
{
    double v = -1;
    assert_true(stats_get(r->seams.stats, key, &v));
    return v;
}

static uint32_t read_bursts(struct rig *r, uint32_t block, struct storage_form *f)
{
    struct mem_req q = memory_request(block, MEM_READ, 15, 0);
    const struct storage_policy *storage = r->seams.storage;
    storage->dram_form(storage->self, 100, &q, q.addr, 15, f);
    return (uint32_t)__builtin_popcount(f->bursts);
}

static void nothing_is_encoded_before_there_is_a_code(void **state)
{
    (void)state;
    const char *const sets[] = {"e2mc.sample_inst=1000", NULL};
    struct rig *r = rig_new(sets);
    struct storage_form f;
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(read_bursts(r, i, &f), 4);
    assert_int_equal(f.nextras, 0);
    techs_look(r->techs, &(struct tech_look){.thread_inst = 999});
    assert_int_equal(read_bursts(r, 0, &f), 4);
    techs_look(r->techs, &(struct tech_look){.thread_inst = 1024});
    assert_true(read_bursts(r, 0, &f) < 4);
    assert_int_equal(f.nextras, 1);
    assert_true(f.latency > 0);
    assert_true(stat(r, "e2mc.sampled_blocks") == 65);
    assert_true(stat(r, "e2mc.sampled_inst") == 1024);
    assert_true(stat(r, "e2mc.ended_by_blocks") == 0);
    rig_free(r);
}

static void a_small_run_samples_blocks(void **state)
{
    (void)state;
    const char *const sets[] = {"e2mc.sample_blocks=32", NULL};
    struct rig *r = rig_new(sets);
    struct storage_form f;
    for (uint32_t i = 0; i < 32; i++)
        read_bursts(r, i, &f);
    techs_look(r->techs, &(struct tech_look){.thread_inst = 10});
    assert_true(stat(r, "e2mc.ended_by_blocks") == 1);
    assert_true(read_bursts(r, 0, &f) < 4);
    rig_free(r);

    r = rig_new(NULL); /* 4096 blocks are allocated */
    for (uint32_t i = 0; i < 511; i++)
        read_bursts(r, i, &f);
    techs_look(r->techs, &(struct tech_look){.thread_inst = 10});
    assert_int_equal(read_bursts(r, 0, &f), 4);
    techs_look(r->techs, &(struct tech_look){.thread_inst = 20});
    assert_true(stat(r, "e2mc.sampled_inst") == 20);
    assert_true(read_bursts(r, 0, &f) < 4);
    rig_free(r);
}

static void units_and_latencies_are_published_ones(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        double units[2], latency[2];
    } rows[] = {{"e2mc.symbol_bits=4", {464, 692}, {154, 59}},
                {"e2mc.symbol_bits=8", {252, 424}, {84, 36}},
                {"e2mc.symbol_bits=16", {136, 240}, {46, 21}},
                {"e2mc.symbol_bits=32", {68, 120}, {24, 11}}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const char *const sets[] = {rows[i].set, NULL};
        struct rig *r = rig_new(sets); /* 4 ways */
        assert_true(stat(r, "e2mc.compress_units") == rows[i].units[0]);
        assert_true(stat(r, "e2mc.decompress_units") == rows[i].units[1]);
        assert_true(stat(r, "e2mc.compress_latency") == rows[i].latency[0]);
        assert_true(stat(r, "e2mc.decompress_latency") == rows[i].latency[1]);
        rig_free(r);
    }
}

static void a_profile_is_saved_and_used(void **state)
{
    (void)state;
    char path[] = "/tmp/parsim-e2mc-XXXXXX", save[64], load[64];
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    snprintf(save, sizeof save, "e2mc.save_profile=%s", path);
    snprintf(load, sizeof load, "e2mc.profile=%s", path);
    const char *const saves[] = {save, NULL}, *const loads[] = {load, NULL};
    struct storage_form f;
    struct rig *r = rig_new(saves);
    for (uint32_t i = 0; i < 64; i++)
        read_bursts(r, i, &f);
    struct err err;
    assert_true(techs_finish(r->techs, &err));
    rig_free(r);
    r = rig_new(loads);
    assert_true(read_bursts(r, 0, &f) < 4); /* from the first block on */
    rig_free(r);
    unlink(path);
}

static void a_bad_profile_is_named(void **state)
{
    (void)state;
    struct rig *r = rig_new(NULL);
    struct tech_seams seams;
    struct err err = {0};
    tech_seams_init(&seams, &r->mem->m, r->seams.stats);
    assert_true(conf_set(r->conf, "e2mc.profile=/nowhere/x", &err));
    assert_null(techs_bind("e2mc", r->list, &r->mem->m, &seams, &err));
    assert_non_null(strstr(err.msg, "e2mc.profile: "));
    assert_non_null(strstr(err.msg, "/nowhere/x"));
    tech_seams_free(&seams);
    rig_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_encoded_before_there_is_a_code),
        cmocka_unit_test(a_small_run_samples_blocks),
        cmocka_unit_test(units_and_latencies_are_published_ones),
        cmocka_unit_test(a_profile_is_saved_and_used),
        cmocka_unit_test(a_bad_profile_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
