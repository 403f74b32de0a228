/* The jobs of several figures, each once. */
#include "experiment_child.h"

#include "base/strmap.h"
#include "base/vec.h"

#include <string.h>

struct exp_plan {
    VEC(struct exp_job) jobs;
    VEC(char *) texts; /* that the plan owns */
    struct strmap by_key;
};

struct exp_plan *exp_plan_new(void)
{
    return xcalloc(1, sizeof(struct exp_plan));
}

void exp_plan_free(struct exp_plan *p)
{
    if (!p)
        return;
    exp_jobs_free(p->jobs.data, p->jobs.len);
    for (size_t i = 0; i < p->texts.len; i++)
        free(p->texts.data[i]);
    vec_free(&p->texts);
    vec_free(&p->jobs);
    strmap_free(&p->by_key);
    free(p);
}

static const char *own(struct exp_plan *p, char *text)
{
    vec_push(&p->texts, text);
    return text;
}

static void add_makers(struct exp_plan *p, const struct exp_job *j)
{
    struct exp_job maker = *j;
    char *design = j->kind == EXP_RUN ? exp_maker(j->design) : NULL;
    if (j->kind == EXP_CODEC) {
        maker.kind = EXP_DUMP;
        maker.design = "arrays";
        exp_plan_add(p, &maker);
    } else if (design) {
        maker.design = own(p, design);
        exp_plan_add(p, &maker);
    }
}

size_t exp_plan_add(struct exp_plan *p, const struct exp_job *j)
{
    const char *gpu = j->kind == EXP_RUN ? j->gpu : "";
    char *key = xasprintf("%d|%s|%s|%s", (int)j->kind, gpu, j->workload, j->design);
    void *known = strmap_get(&p->by_key, key, strlen(key));
    if (known) {
        free(key);
        struct exp_job *old = &p->jobs.data[(uintptr_t)known - 1];
        old->rank = j->rank < old->rank ? j->rank : old->rank;
        return (uintptr_t)known - 1;
    }
    add_makers(p, j);
    size_t at = p->jobs.len;
    vec_push(&p->jobs, *j);
    own(p, key);
    strmap_put(&p->by_key, key, strlen(key), (void *)(uintptr_t)(at + 1));
    return at;
}

struct exp_job *exp_plan_jobs(struct exp_plan *p, size_t *n)
{
    *n = p->jobs.len;
    return p->jobs.data;
}
