/* The jobs of several figures, each once. */
#include "study/study_kind.h"

#include "base/strmap.h"
#include "base/vec.h"

#include <string.h>

struct study_plan {
    VEC(struct study_job) jobs;
    VEC(char *) texts; /* that the plan owns */
    struct strmap by_key;
};

struct study_plan *study_plan_new(void)
{
    return xcalloc(1, sizeof(struct study_plan));
}

void study_plan_free(struct study_plan *p)
{
    if (!p)
        return;
    study_jobs_free(p->jobs.data, p->jobs.len);
    for (size_t i = 0; i < p->texts.len; i++)
        free(p->texts.data[i]);
    vec_free(&p->texts);
    vec_free(&p->jobs);
    strmap_free(&p->by_key);
    free(p);
}

static const char *own(struct study_plan *p, char *text)
{
    vec_push(&p->texts, text);
    return text;
}

/* Jobs that make files which `j` needs. */
static void add_maker(struct study_plan *p, const struct study_job *j)
{
    struct study_job maker;
    char *texts = study_maker(j, &maker);
    if (!texts)
        return;
    own(p, texts);
    study_plan_add(p, &maker);
}

size_t study_plan_add(struct study_plan *p, const struct study_job *j)
{
    const char *gpu = study_kind(j)->has_machine ? j->gpu : "";
    char *key = xasprintf("%d|%s|%s|%s", (int)j->kind, gpu, j->workload, j->design);
    void *known = strmap_get(&p->by_key, key, strlen(key));
    if (known) {
        free(key);
        struct study_job *old = &p->jobs.data[(uintptr_t)known - 1];
        old->rank = j->rank < old->rank ? j->rank : old->rank;
        old->saves = j->saves ? j->saves : old->saves;
        return (uintptr_t)known - 1;
    }
    add_maker(p, j);
    size_t at = p->jobs.len;
    vec_push(&p->jobs, *j);
    own(p, key);
    strmap_put(&p->by_key, key, strlen(key), (void *)(uintptr_t)(at + 1));
    return at;
}

struct study_job *study_plan_jobs(struct study_plan *p, size_t *n)
{
    *n = p->jobs.len;
    return p->jobs.data;
}
