/* The jobs of a matrix, and the store that they are kept in. */
#include "study/study_matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Below, caches and queues have hardly filled when a run ends. */
#define SHORT_CYCLES 50000.0

void study_matrix_plan(struct study_matrix *m)
{
    m->n = m->nprograms * m->designs.n;
    m->jobs = xcalloc(m->n + 1, sizeof *m->jobs);
    for (size_t i = 0; i < m->n; i++) {
        const struct study_program *p = &m->programs[i / m->designs.n];
        m->jobs[i] = (struct study_job){.gpu = m->gpu,
                                        .plugins = m->plugins,
                                        .design = m->designs.at[i % m->designs.n],
                                        .is_sampled = m->setup.is_sampled,
                                        .workload = p->program ? NULL : p->name,
                                        .program = p->program};
    }
}

void study_matrix_free(struct study_matrix *m)
{
    if (m->jobs)
        study_jobs_free(m->jobs, m->n);
    free(m->jobs);
    m->jobs = NULL;
}

bool study_matrix_check(const struct study_matrix *m, struct err *err)
{
    for (size_t d = 0; d < m->designs.n; d++)
        if (!study_check_design(&m->jobs[d], err))
            return false;
    return true;
}

/* NULL: no folder, which is no error. */
static bool open_store(struct study_matrix *m, struct study_store **st, struct err *err)
{
    *st = NULL;
    if (!m->setup.folder)
        return true;
    *st = study_store_of(m->setup.folder, m->build, err);
    m->setup.build = m->build;
    return *st != NULL;
}

bool study_matrix_run(struct study_matrix *m, size_t only, struct err *err)
{
    struct study_store *st;
    if (!open_store(m, &st, err))
        return false;
    const bool is_one = only != SIZE_MAX;
    const bool ok =
        study_run(&m->setup, is_one ? &m->jobs[only] : m->jobs, is_one ? 1 : m->n, st, err);
    study_store_close(st);
    return ok;
}

bool study_matrix_recall(struct study_matrix *m, size_t *missing, struct err *err)
{
    struct study_store *st;
    if (!open_store(m, &st, err))
        return false;
    if (st)
        study_recall(&m->setup, m->jobs, m->n, st);
    study_store_close(st);
    *missing = study_matrix_missing(m);
    return true;
}

size_t study_matrix_missing(const struct study_matrix *m)
{
    size_t n = 0;
    for (size_t i = 0; i < m->n; i++)
        n += !m->jobs[i].result;
    return n;
}

bool study_matrix_holds(const struct study_matrix *m, struct err *err)
{
    for (size_t i = 0; i < m->n; i++)
        if (m->jobs[i].error)
            return err_set(err, "%s on %s: %s", m->jobs[i].design,
                           m->programs[i / m->designs.n].name, m->jobs[i].error);
    return true;
}

double study_matrix_value(const struct study_matrix *m, size_t job, const char *metric)
{
    const struct study_job *j = &m->jobs[job];
    return j->result ? study_metric(j->result, j->design, metric) : NAN;
}

static void tell_sampled(const struct study_matrix *m, FILE *out)
{
    double most = 0;
    for (size_t i = 0; i < m->n; i++)
        most = fmax(most, study_matrix_value(m, i, "sample.estimated_error"));
    fprintf(out,
            "note: sampled: cycles and statistics are extrapolated, with an estimated error of "
            "%.1f%% at most\n",
            100 * most);
}

void study_matrix_warn(const struct study_matrix *m, FILE *out)
{
    if (m->setup.is_sampled)
        tell_sampled(m, out);
    double least = INFINITY;
    bool is_tiny = false;
    for (size_t p = 0; p < m->nprograms; p++)
        is_tiny |= !m->programs[p].program && !strcmp(m->setup.size, "tiny");
    for (size_t i = 0; i < m->n; i++)
        least = fmin(least, study_matrix_value(m, i, "cycles"));
    if (!is_tiny && !(least < SHORT_CYCLES))
        return;
    fprintf(out, "note: ");
    if (is_tiny)
        fprintf(out, "the size tiny is for tests");
    else
        fprintf(out, "the shortest run takes %.0f cycles", least);
    fprintf(out, ": caches and queues hardly fill, and differences between designs mean nothing\n");
}
