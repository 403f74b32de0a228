/* Private to study_*.c: what a kind of job knows that its neighbours need not. */
#ifndef STUDY_STUDY_KIND_H
#define STUDY_STUDY_KIND_H

#include "study/study.h"

struct study_kind_ops {
    bool has_machine; /* what comes out depends on the job's machine */
    bool has_result;  /* of its own, JSON that is kept; else only a file for others */
    /* Refuses a design that cannot be run; NULL: that is seen when it runs. */
    bool (*check)(const struct study_job *j, struct err *err);
    /* Refuses a program that it does not have; NULL: the command knows which there are. */
    bool (*check_workload)(const char *name, struct err *err);
    /* Fills in the job that makes the file which `j` needs; its texts are in what is returned, to
     * be freed; it returns NULL, or is NULL: it needs none. */
    char *(*maker)(const struct study_job *j, struct study_job *maker);
    /* The file that `j` makes for others, in the setup's folder, to be freed; NULL: none. */
    char *(*gives)(const struct study_setup *s, const struct study_job *j);
    /* Becomes the job: its JSON goes to `json`, a file that it gives to `part`. */
    NORETURN void (*child)(const struct study_setup *s, const struct study_job *j, const char *json,
                           const char *part);
};

#define KIND(id, name) extern const struct study_kind_ops study_kind_##name;
#define PART           KIND
#include "study/study_kinds.def"

const struct study_kind_ops *study_kind(const struct study_job *j);
/* For the field of an experiment's file; NULL at the end. */
extern const char *const study_kind_names[];
/* The kind of a place in that list, which leaves out parts. */
enum study_kind study_kind_named(int64_t name);

/* The same where a kind may have none. */
char *study_maker(const struct study_job *j, struct study_job *maker);
char *study_gives(const struct study_setup *s, const struct study_job *j);
/* The file that `j` needs before it can run, to be freed; NULL: none. */
char *study_needs(const struct study_setup *s, const struct study_job *j);
/* "FOLDER/WORKLOAD.SIZE-BUILD" and `what`; NULL: the setup has no folder. To be freed. */
char *study_file_of(const struct study_setup *s, const struct study_job *j, const char *what);

#endif
