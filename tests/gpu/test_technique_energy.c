/* Known counters of techniques in, known picojoules out. */
#include "gpu/gpu.h"
#include "gpu/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct counters {
    uint64_t encoded, decoded, l2_decoded, md_hits, md_misses, encoded_lines, deployed, triggered;
};

#define ROW(name) STAT_ROW_COUNTER(counters, name, "", "")
static const struct stat_row rows[] = {ROW(encoded) ROW(decoded) ROW(l2_decoded) ROW(md_hits) ROW(
    md_misses) ROW(encoded_lines) ROW(deployed) ROW(triggered)};

struct rig {
    struct machine *m;
    struct stats *st;
    struct counters cmem, wire, ccache, assist;
};

static void rig_open(struct rig *r)
{
    struct err err = {0};
    r->m = machine_new("gtx480", NULL, 0, &err);
    r->st = stats_new();
    r->cmem = (struct counters){
        .encoded = 10, .decoded = 20, .l2_decoded = 3, .md_hits = 30, .md_misses = 2};
    r->wire = (struct counters){.encoded = 5, .decoded = 7};
    r->ccache = (struct counters){.encoded_lines = 4, .decoded = 9};
    r->assist = (struct counters){.deployed = 10, .triggered = 3};
    stats_add(r->st, "cmem", rows, ARRAY_LEN(rows), &r->cmem);
    stats_add(r->st, "wire_sm", rows, ARRAY_LEN(rows), &r->wire);
    stats_add(r->st, "ccache_l1", rows, ARRAY_LEN(rows), &r->ccache);
    stats_add(r->st, "assist", rows, ARRAY_LEN(rows), &r->assist);
}

/* The technique of that design, or one of that name that serves others. */
static const struct technique *technique_of(const char *name)
{
    const struct tech_design *d;
    const struct technique *t = tech_find(name, &d);
    for (size_t i = 0; !t && tech_at(i); i++)
        t = strcmp(tech_at(i)->name, name) ? NULL : tech_at(i);
    assert_non_null(t);
    return t;
}

/* Of a machine with that technique, by component. */
static uint64_t picojoules(const struct rig *r, const char *name, const char *component)
{
    const struct technique *t = technique_of(name);
    struct energy_extra extras[8];
    struct energy_stats out;
    for (size_t i = 0; i < t->nenergy; i++)
        extras[i] = (struct energy_extra){&t->energy[i], t->energy[i].pj};
    const struct energy_model model = {&r->m->energy, &r->m->energy_table, machine_energy(r->m),
                                       extras, t->nenergy};
    energy_count(&model, r->st, 0, &out);
    size_t c = 0;
    while (c < r->m->energy_table.n && strcmp(r->m->energy_table.names[c], component))
        c++;
    assert_true(c < r->m->energy_table.n);
    return out.pj[c];
}

static void each_counts_its_own_circuits(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r);
    assert_int_equal(picojoules(&r, "hw-bdi", "engines"), 15 * 61 + 30 * 38);
    assert_int_equal(picojoules(&r, "hw-bdi", "md_cache"), 32 * 11 / 2);
    assert_int_equal(picojoules(&r, "e2mc", "engines"), 10 * 306 + 20 * 1189);
    assert_int_equal(picojoules(&r, "e2mc", "md_cache"), 32 * 11 / 2);
    assert_int_equal(picojoules(&r, "cc-l1-bdi-2x", "engines"), 4 * 61 + 9 * 38);
    assert_int_equal(picojoules(&r, "cc-l1-bdi-2x", "md_cache"), 0);
    assert_int_equal(picojoules(&r, "caba-bdi", "engines"), 0);
    assert_int_equal(picojoules(&r, "caba-bdi", "md_cache"), 32 * 11 / 2);
    assert_int_equal(picojoules(&r, "assist", "assist"), 10 * (14 + 28 + 28) + 3 * 28);
    stats_free(r.st);
    machine_free(r.m);
}

/* --- rows name counters that there are --- */

/* Terms "group.name?" of the technique's rows that the machine has, as bits. */
static uint64_t optional_terms(const struct technique *t, const struct stats *st, unsigned *n)
{
    uint64_t found = 0;
    *n = 0;
    for (size_t k = 0; k < t->nenergy; k++)
        for (const char *p = t->energy[k].events, *end; (end = strchr(p, '?')); p = end + 1) {
            const char *from = end;
            char key[96];
            double v;
            while (from > p && !strchr(" +-", from[-1]))
                from--;
            snprintf(key, sizeof key, "%.*s", (int)(end - from), from);
            found |= (uint64_t)stats_get(st, key, &v) << (*n)++;
        }
    return found;
}

/* A machine with a design can be built, or a row of its energy counts what is not there; what one
 * design need not have, another has. */
static void rows_of_techniques_name_counters(void **state)
{
    (void)state;
    const struct technique *t;
    for (size_t i = 0; (t = tech_at(i)); i++) {
        uint64_t found = 0;
        unsigned n = 0;
        for (size_t k = 0; k < t->ndesigns; k++) {
            struct err err = {0};
            char with[96];
            snprintf(with, sizeof with, "gpu.with=%s", t->designs[k].name);
            const char *const sets[] = {with, "gpu.sms=2"};
            struct machine *m = machine_new("gtx480", sets, ARRAY_LEN(sets), &err);
            assert_non_null(m);
            struct device *dev = machine_device(m, &err);
            struct gpu *g = gpu_new(m, dev, 1, &err);
            if (!g)
                fail_msg("%s: %s", t->designs[k].name, err.msg);
            found |= optional_terms(t, gpu_stats(g), &n);
            gpu_free(g);
            device_free(dev);
            machine_free(m);
        }
        assert_int_equal(found, (UINT64_C(1) << n) - 1);
    }
}

static void rows_of_the_machine_name_counters(void **state)
{
    (void)state;
    struct err err = {0};
    struct machine *m = machine_new("gtx480", NULL, 0, &err);
    struct device *dev = machine_device(m, &err);
    struct gpu *g = gpu_new(m, dev, 1, &err);
    unsigned n = 0;
    for (size_t i = 0; i < energy_nrows; i++)
        for (const char *p = energy_rows[i].events; (p = strstr(p, "K(")); p++, n++) {
            char group[32], name[32], key[80];
            double v;
            assert_int_equal(sscanf(p, "K(%31[^,], %31[^)])", group, name), 2);
            snprintf(key, sizeof key, "%s.%s", group, name);
            if (!stats_get(gpu_stats(g), key, &v))
                fail_msg("energy.%s: no counter %s", energy_rows[i].name, key);
        }
    assert_true(n > 20);
    gpu_free(g);
    device_free(dev);
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_counts_its_own_circuits),
                                       cmocka_unit_test(rows_of_techniques_name_counters),
                                       cmocka_unit_test(rows_of_the_machine_name_counters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
