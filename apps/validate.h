/* What `parsim validate` shares: reference tables, the list of checks, how they are shown. */
#ifndef APPS_VALIDATE_H
#define APPS_VALIDATE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "out/plot.h"

#include <stdio.h>

/* A CSV file with a header line; quoted fields are understood. */
struct table {
    struct arena arena;
    char **names;
    char ***rows;
    size_t nrows, ncols;
};

bool table_load(struct table *t, const char *dir, const char *file, struct err *err);
void table_free(struct table *t);
/* The field of that column; "" when there is no such column. */
const char *table_text(const struct table *t, size_t row, const char *column);
double table_number(const struct table *t, size_t row, const char *column);

struct check {
    const char *file, *metric;
    char row[96];
    double ours, theirs;
    double bound; /* relative; 0 = must be equal to the digits given */
    bool ok;
};

struct report {
    VEC(struct check) checks;
    size_t passed, failed;
};

/* Adds a check and prints its line. `fmt` says which row of the reference it is. */
void report_check(struct report *r, const char *file, const char *metric, double ours,
                  double theirs, double bound, const char *fmt, ...) PRINTF_LIKE(7, 8);
bool report_write_json(const struct report *r, const char *path, struct err *err);

/* Values beside each other, for a picture. */
struct curve {
    VEC(double) offered, theirs, ours;
};
void curve_free(struct curve *c);

struct validate_options {
    const char *data;           /* folder of the reference tables */
    struct outfolder *pictures; /* for curves, or NULL */
    bool quick;
};

bool validate_noc(const struct validate_options *o, struct report *r, struct err *err);
bool validate_dram(const struct validate_options *o, struct report *r, struct err *err);
bool validate_gpu(const struct validate_options *o, struct report *r, struct err *err);

#endif
