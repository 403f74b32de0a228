/* The kinds of jobs, and the files that jobs make for each other. */
#include "study/study_kind.h"

#include <limits.h>
#include <stdlib.h>

static const struct study_kind_ops *const kinds[] = {
#define KIND(id, name) [STUDY_##id] = &study_kind_##name,
#define PART           KIND
#include "study/study_kinds.def"
};

const char *const study_kind_names[] = {
#define KIND(id, name) #name,

#include "study/study_kinds.def"
    NULL};

enum study_kind study_kind_named(int64_t name)
{
    static const enum study_kind ids[] = {
#define KIND(id, name) STUDY_##id,
#include "study/study_kinds.def"
    };
    return ids[name];
}

const struct study_kind_ops *study_kind(const struct study_job *j)
{
    return kinds[j->kind];
}

bool study_check_design(const struct study_job *j, struct err *err)
{
    return !study_kind(j)->check || study_kind(j)->check(j, err);
}

char *study_maker(const struct study_job *j, struct study_job *maker)
{
    return study_kind(j)->maker ? study_kind(j)->maker(j, maker) : NULL;
}

char *study_gives(const struct study_setup *s, const struct study_job *j)
{
    return study_kind(j)->gives ? study_kind(j)->gives(s, j) : NULL;
}

char *study_needs(const struct study_setup *s, const struct study_job *j)
{
    struct study_job maker;
    char *text = study_maker(j, &maker);
    char *file = text ? study_gives(s, &maker) : NULL;
    free(text);
    return file;
}

char *study_file_name(const char *workload)
{
    char *name = xstrdup(workload);
    for (char *p = name; *p; p++)
        *p = *p == '/' || *p == ' ' ? '_' : *p;
    return name;
}

char *study_file_of(const struct study_setup *s, const struct study_job *j, const char *what)
{
    char folder[PATH_MAX];
    if (!s->folder || !j->workload || !realpath(s->folder, folder))
        return NULL;
    char *name = study_file_name(j->workload);
    char *path = xasprintf("%s/%s.%s-%.8s%s", folder, name, s->size, s->build, what);
    free(name);
    return path;
}
