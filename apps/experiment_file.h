/* What an experiment is: a file of experiments/, which are built into the binary, or one of the
 * user's. */
#ifndef APPS_EXPERIMENT_FILE_H
#define APPS_EXPERIMENT_FILE_H

#include "conf/conf.h"
#include "experiment.h"

enum exp_selection { EXP_ALL, EXP_MEMORY_BOUND, EXP_COMPRESSIBLE };

struct exp_figure {
#define ROW(TYPE, name, ...) CONF_MEMBER_##TYPE name;
#define ROW_ENUM(name, ...)  int name;
#include "experiment_file.def"
#undef ROW
#undef ROW_ENUM
};

/* A list of a file, in pieces. */
struct exp_list {
    char *text;
    const char **at;
    size_t n;
};
struct exp_list exp_list_of(const char *text);
void exp_list_free(struct exp_list *l);

struct exp_file {
    struct conf *conf;
    struct exp_figure figure;
    struct exp_list workloads, designs, labels, metrics, parts, reported;
};

/* `name` stands for a built-in file, unless it has a '/' or ends in .yaml. NULL with an error. */
struct exp_file *exp_file_load(const char *name, struct err *err);
void exp_file_free(struct exp_file *f);

/* The built-in files, in alphabetical order; NULL at the end (experiments/embed.cmake). */
struct exp_text {
    const char *name, *text;
};
const struct exp_text *exp_texts(void);

#endif
