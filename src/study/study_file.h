/* What an experiment is: a file of experiments/, which are built into the binary, or one of the
 * user's. */
#ifndef STUDY_FILE_H
#define STUDY_FILE_H

#include "conf/conf.h"
#include "study/study.h"

enum study_selection { STUDY_ALL, STUDY_MEMORY_BOUND, STUDY_COMPRESSIBLE };

struct study_figure {
#define ROWS_FILE "study/study_file.def"
#include "parsim/rows_members.h"
};

/* A list of a file, in pieces. */
struct study_list {
    char *text;
    const char **at;
    size_t n;
};
struct study_list study_list_of(const char *text);
void study_list_free(struct study_list *l);

struct study_file {
    struct conf *conf;
    struct study_figure figure;
    struct study_list workloads, designs, labels, metrics, parts, reported;
};

/* `name` stands for a built-in file, unless it has a '/' or ends in .yaml. NULL with an error. */
struct study_file *study_file_load(const char *name, struct err *err);
void study_file_free(struct study_file *f);

/* The built-in files, in alphabetical order; NULL at the end (experiments/embed.cmake). */
struct study_text {
    const char *name, *text;
};
const struct study_text *study_texts(void);

#endif
