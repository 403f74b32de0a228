/* parsim validate MACHINE: runs the workloads as the GPU was measured (each launch with cold
 * caches) and compares. */
#include "validate/measured_int.h"

#include "base/outfile.h"
#include "study/study.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of a group that --quick still runs: so that all of them take 50 s on two processors. */
static const double quick_work = 1.5e6;

bool measured_knows(const char *machine, const char *data)
{
    char *found = data ? NULL : data_find("workloads");
    char *path = xasprintf("%s/%s_halves.csv", found ? found : data, machine);
    const bool is_there = !strchr(machine, '/') && !access(path, R_OK);
    free(path);
    free(found);
    return is_there;
}

struct plan {
    VEC(struct measured_group) groups;
    VEC(struct study_job) jobs;
};

static int by_work(const void *a, const void *b)
{
    const struct measured_group *x = a, *y = b;
    return x->work != y->work ? (x->work > y->work ? -1 : 1) : x->from < y->from ? -1 : 1;
}

/* The groups of a size, the longest first. */
static void plan_size(struct plan *p, const struct measured *m, const struct measured_options *o,
                      const char *size)
{
    for (size_t i = 0; i < m->at.len;) {
        const struct measured_group g = measured_group_at(m, i);
        if (!strcmp(g.size, size) && (!o->quick || g.work < quick_work))
            vec_push(&p->groups, g);
        i = g.to;
    }
    if (p->groups.len)
        qsort(p->groups.data, p->groups.len, sizeof *p->groups.data, by_work);
    for (size_t i = 0; i < p->groups.len; i++)
        vec_push(&p->jobs, ((struct study_job){.kind = STUDY_RUN,
                                               .gpu = o->machine,
                                               .workload = p->groups.data[i].workload,
                                               .design = "base@gpu.flush_l2=true",
                                               .rank = (unsigned)i,
                                               .keeps_kernels = true}));
}

static bool run_size(struct measured *m, const struct measured_options *o, const char *size,
                     FILE *out, size_t *failed, struct err *err)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const struct study_setup setup = {.size = size,
                                      .threads = 1,
                                      .jobs = o->jobs ? o->jobs : (uint64_t)processors,
                                      .quiet = true};
    struct plan p = {0};
    plan_size(&p, m, o, size);
    bool ok = !p.jobs.len || study_run(&setup, p.jobs.data, p.jobs.len, NULL, err);
    for (size_t i = 0; ok && i < p.jobs.len; i++) {
        const struct study_job *j = &p.jobs.data[i];
        if (j->result)
            measured_take(m, &p.groups.data[i], j->result);
        else
            fprintf(out, "%s at %s gave nothing: %s\n", j->workload, size, j->error);
        *failed += !j->result;
    }
    study_jobs_free(p.jobs.data, p.jobs.len);
    vec_free(&p.jobs);
    vec_free(&p.groups);
    return ok;
}

static bool validate_in(const struct measured_options *o, FILE *out, size_t *failed,
                        struct err *err)
{
    static const char *const sizes[] = {"medium", "small", "tiny"};
    struct measured m;
    bool ok = (!o->json || outfile_probe(o->json, err)) &&
              (!o->csv || outfile_probe(o->csv, err)) && measured_load(&m, o, err);
    if (!ok)
        return false;
    *failed = 0;
    if (o->from)
        ok = measured_take_file(&m, o->from, err);
    for (size_t i = 0; ok && !o->from && i < ARRAY_LEN(sizes); i++)
        ok = run_size(&m, o, sizes[i], out, failed, err);
    ok = ok && (!o->csv || measured_write_csv(&m, o->csv, err)) &&
         (!o->json || measured_write_json(&m, o->json, err)) &&
         (!o->plot || measured_draw(&m, o->machine, o->plot, err));
    ok = ok && (!o->micro || measured_micro(o, out, err));
    if (ok)
        measured_print(&m, out);
    measured_free(&m);
    return ok;
}

bool measured_validate(const struct measured_options *o, FILE *out, size_t *failed, struct err *err)
{
    char *found = o->data ? NULL : data_find("workloads");
    struct measured_options of = *o;
    of.data = found ? found : o->data;
    bool ok = validate_in(&of, out, failed, err);
    free(found);
    return ok;
}
