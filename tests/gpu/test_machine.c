/* Machines: every one that comes with Parsim, files of the user's, bad values and their messages,
 * the dump that reproduces a machine. */
#include "base/file.h"
#include "gpu/gpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char *dump(const struct machine *m)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    conf_dump(m->conf, f, false);
    fclose(f);
    return text;
}

/* A file with `text`; the caller unlinks and frees the name. */
static char *file_with(const char *text)
{
    char name[] = "/tmp/parsim-machine-XXXXXX.yaml";
    int fd = mkstemps(name, 5);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    return xstrdup(name);
}

static struct machine *load_text(const char *text, struct err *err)
{
    char *name = file_with(text);
    struct machine *m = machine_new(name, NULL, 0, err);
    unlink(name);
    free(name);
    return m;
}

static void test_all_build(void **state)
{
    (void)state;
    for (const struct machine_file *f = machine_files(); f->name; f++) {
        struct err err = {0};
        struct machine *m = machine_new(f->name, NULL, 0, &err);
        if (!m)
            fail_msg("%s: %s", f->name, err.msg);
        assert_string_equal(m->gpu.name, f->name);
        assert_true(strlen(m->gpu.about) > 0 && strlen(m->gpu.calibration) > 0);
        struct device *d = machine_device(m, &err);
        assert_non_null(d);
        struct gpu *g = gpu_new(m, d, 1, &err);
        if (!g)
            fail_msg("%s: %s", f->name, err.msg);
        gpu_free(g);
        device_free(d);
        machine_free(m);
    }
}

/* What the tables in the papers and white papers say. */
static void test_papers(void **state)
{
    static const struct {
        const char *name;
        int sms, channels;
        double mhz, gbs;
        uint32_t slices;
        uint64_t l2_kb;
    } rows[] = {
        {"gtx480", 15, 6, 1400, 177.4, 6, 768},
        {"gtx580", 16, 6, 822, 192.4, 6, 768},
        {"mesh56", 56, 8, 1400, 236.5, 8, 1024},
        {"gtx480-gscalar", 15, 6, 1400, 177.4, 12, 768},
        {"gtx480-gpgpusim", 15, 6, 700, 177.4, 12, 768},
        {"v100", 80, 32, 1530, 898.0, 64, 6144},
        {"a100", 108, 40, 1410, 1555.2, 80, 40960},
        {"rtx3070", 46, 16, 1725, 448.0, 32, 4096},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct err err = {0};
        struct machine *m = machine_new(rows[i].name, NULL, 0, &err);
        assert_non_null(m);
        assert_int_equal(m->gpu.sms, rows[i].sms);
        assert_int_equal(m->map.channels, rows[i].channels);
        assert_true(m->gpu.core_mhz == rows[i].mhz);
        assert_float_equal(machine_dram_bandwidth(m) * 1e-9, rows[i].gbs, 0.06);
        assert_int_equal(machine_slices(m), rows[i].slices);
        assert_int_equal(machine_slices(m) * m->l2.size >> 10, rows[i].l2_kb);
        machine_free(m);
    }
}

static void test_dump_round_trip(void **state)
{
    (void)state;
    for (const struct machine_file *f = machine_files(); f->name; f++) {
        static const char *const sets[] = {"l1.mshrs=48", "dram.bandwidth_scale=0.5",
                                           "gpu.about=one's own, with \"quotes\": # and 'more'"};
        struct err err = {0};
        struct machine *m = machine_new(f->name, sets, ARRAY_LEN(sets), &err);
        assert_non_null(m);
        char *text = dump(m);
        struct machine *again = load_text(text, &err);
        if (!again)
            fail_msg("%s: %s", f->name, err.msg);
        char *text2 = dump(again);
        assert_string_equal(text, text2);
        assert_memory_equal(&m->dram_resolved.t_cl, &again->dram_resolved.t_cl, sizeof(int64_t));
        assert_string_equal(again->gpu.about, "one's own, with \"quotes\": # and 'more'");
        free(text);
        free(text2);
        machine_free(m);
        machine_free(again);
    }
}

static void test_base(void **state)
{
    (void)state;
    struct err err = {0};
    struct machine *m =
        load_text("base: gtx480\ngpu:\n  sms: 3\nl1:\n  size: 48K\n  ways: 6\n", &err);
    if (!m)
        fail_msg("%s", err.msg);
    assert_int_equal(m->gpu.sms, 3);
    assert_int_equal(m->l1.size, 48 << 10);
    assert_true(m->gpu.core_mhz == 1400); /* the base's */
    assert_int_equal(m->noc.nodes, 9);    /* 3 SMs and 6 slices: follows */
    machine_free(m);
    assert_null(load_text("base: gtx999\n", &err));
    assert_non_null(strstr(err.msg, "gtx999"));
}

static void test_bandwidth_scale(void **state)
{
    static const char *const half[] = {"dram.bandwidth_scale=0.5"};
    struct err err = {0};
    (void)state;
    struct machine *a = machine_new("gtx480", NULL, 0, &err);
    struct machine *b = machine_new("gtx480", half, 1, &err);
    assert_non_null(a);
    assert_non_null(b);
    assert_float_equal(machine_dram_bandwidth(b), machine_dram_bandwidth(a) / 2, 1);
    /* the same times, in cycles of half the clock */
    assert_int_equal(b->dram_resolved.t_cl, 6);
    assert_int_equal(b->dram_resolved.t_rc, 20);
    assert_int_equal(b->dram_resolved.burst_cycles, a->dram_resolved.burst_cycles);
    machine_free(a);
    machine_free(b);
}

/* A V100 whose 32 channels were written as 64 of two halves each. */
static void test_stated_bandwidth(void **state)
{
    static const char v100[] =
        "base: h200\ngpu: {name: v, dram_mhz: 877, %s}\nmap: {channels: %d}\n"
        "dram: {device: hbm2, access_bytes: 32, burst_cycles: 2}\n";
    static const char *const more[] = {"map.channels=16"}, *const stated[] = {"gpu.dram_gbs=5000"};
    struct err err = {0};
    char text[256];
    (void)state;
    snprintf(text, sizeof text, v100, "dram_gbs: 900", 64);
    assert_null(load_text(text, &err));
    assert_non_null(strstr(err.msg, ".yaml:2): 900 GB/s are stated, but the DRAM makes 1796.1: "
                                    "map.channels 64 x dram.pseudo_channels 2 x"));
    snprintf(text, sizeof text, v100, "dram_gbs: 900", 32); /* 898: a data sheet rounds */
    struct machine *m = load_text(text, &err);
    assert_non_null(m);
    machine_free(m);
    snprintf(text, sizeof text, v100, "sms: 80", 64); /* what h200 states is not this machine's */
    m = load_text(text, &err);
    assert_non_null(m);
    assert_true(m->gpu.dram_gbs == 0);
    machine_free(m);
    m = machine_new("h200", more, 1, &err); /* nor of one with other channels */
    assert_non_null(m);
    machine_free(m);
    assert_null(machine_new("h200", stated, 1, &err));
    assert_non_null(strstr(err.msg, "(--set): 5000 GB/s are stated, but the DRAM makes 4800.0"));
}

static void test_bad_values(void **state)
{
    static const struct {
        const char *gpu, *set, *message;
    } rows[] = {
        {"gtx480", "l1.siz=32K", "did you mean 'l1.size'"},
        {"gtx480", "l1.size=huge", "l1.size"},
        {"gtx480", "l1.size=0", "l1.size"},
        {"gtx480", "gpu.sms=0", "gpu.sms"},
        {"gtx480", "gpu.sms=-1", "gpu.sms"},
        {"gtx480", "gpu.sms", "expected section.field=value"},
        {"gtx480", "sm.scheduler=random", "gto"},
        {"gtx480", "l1.ways=5", "l1"},
        {"gtx480", "l1.sector_bytes=64", "sector_bytes must be the same"},
        {"gtx480", "mc.burst_bytes=64", "a DRAM access moves 32 bytes"},
        {"gtx480", "l2.line_bytes=256", "mc.block_bytes"},
        {"gtx480", "noc.nodes=7", "7 nodes for 15 SMs and 6 L2 slices"},
        {"gtx480", "noc.classes=2", "noc.classes: must be 1"},
        {"gtx480", "gpu.slice_nodes=[1,2]", "2 nodes for 6 slices"},
        {"mesh56", "gpu.slice_nodes=[1,3,4,6,57,59,60,60]", "node 60 is named twice"},
        {"mesh56", "gpu.slice_nodes=[1,3,4,6,57,59,60,64]", "node 64 is not in the interconnect"},
        {"mesh56", "gpu.sms=57", "64 nodes for 57 SMs and 8 L2 slices"},
        {"mesh56", "gpu.networks=2", "noc.classes: must be 1"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct err err = {0};
        struct machine *m = machine_new(rows[i].gpu, &rows[i].set, 1, &err);
        if (m)
            fail_msg("%s was taken", rows[i].set);
        if (!strstr(err.msg, rows[i].message))
            fail_msg("%s: the message is: %s", rows[i].set, err.msg);
    }
}

static void test_bad_files(void **state)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"base: gtx480\nl1:\n  sizes: 3\n", ":3: unknown key 'l1.sizes'; did you mean 'l1.size'"},
        {"base: gtx480\nl1:\n  size: [1, 2\n", ":"},
        {"base: gtx480\nfrob: 1\n", "unknown key 'frob'"},
        {"base: gtx480\nl1:\n  size: 1T\n", ":3: l1.size"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct err err = {0};
        assert_null(load_text(rows[i].text, &err));
        assert_non_null(strstr(err.msg, ".yaml"));
        if (!strstr(err.msg, rows[i].message))
            fail_msg("%s: the message is: %s", rows[i].text, err.msg);
    }
    struct err err = {0};
    assert_null(machine_new("gtx", NULL, 0, &err));
    assert_non_null(strstr(err.msg, "gtx480-gpgpusim"));
    assert_null(machine_new("/nowhere/x.yaml", NULL, 0, &err));
    assert_non_null(strstr(err.msg, "/nowhere/x.yaml"));
}

static void note_if_free(void *ctx, const struct stat_value *v)
{
    const struct stats *st = ctx;
    if (stats_fits(st, v->group, v->row, 1))
        fail_msg("group %s is not in gpu_stat_groups", v->group);
}

/* A technique cannot have the name of a group that the machine adds. */
static void groups_of_the_machine_are_claimed(void **state)
{
    (void)state;
    static const char *const names[] = {"gtx480", "mesh56"};
    for (unsigned i = 0; i < ARRAY_LEN(names); i++) {
        struct err err = {0};
        struct machine *m = machine_new(names[i], NULL, 0, &err);
        struct device *dev = machine_device(m, &err);
        struct gpu *g = gpu_new(m, dev, 1, &err);
        stats_each(gpu_stats(g), false, note_if_free, gpu_stats(g));
        gpu_free(g);
        device_free(dev);
        machine_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_of_the_machine_are_claimed),
        cmocka_unit_test(test_all_build),
        cmocka_unit_test(test_papers),
        cmocka_unit_test(test_dump_round_trip),
        cmocka_unit_test(test_base),
        cmocka_unit_test(test_bandwidth_scale),
        cmocka_unit_test(test_stated_bandwidth),
        cmocka_unit_test(test_bad_values),
        cmocka_unit_test(test_bad_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
