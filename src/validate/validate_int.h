/* Private to this room: reference tables, the list of checks, how they are shown. */
#ifndef VALIDATE_VALIDATE_INT_H
#define VALIDATE_VALIDATE_INT_H

#include "validate/validate.h"

#include "base/arena.h"
#include "base/vec.h"
#include "out/plot.h"

struct validate_run {
    const char *data;           /* folder of the reference tables */
    struct outfolder *pictures; /* for curves, or NULL */
    bool quick;
};

/* The folder `sub` here, beside the program, or up to three folders above it. */
char *data_find(const char *sub);

/* A CSV file with a header line; quoted fields are understood. */
struct reference {
    struct arena arena;
    char **names;
    char ***rows;
    size_t nrows, ncols;
};

bool reference_load(struct reference *t, const char *dir, const char *file, struct err *err);
void reference_free(struct reference *t);
/* The field of that column; "" when there is no such column. */
const char *reference_text(const struct reference *t, size_t row, const char *column);
double reference_number(const struct reference *t, size_t row, const char *column);

struct check {
    const char *file, *metric;
    char row[96];
    double ours, theirs;
    double bound; /* relative; 0 = must be equal to the digits given */
    bool ok;
};

struct checks {
    VEC(struct check) at;
    size_t passed, failed;
    FILE *out; /* where a line a check is printed */
};

/* Adds a check and prints its line. `fmt` says which row of the reference it is. */
void checks_add(struct checks *r, const char *file, const char *metric, double ours, double theirs,
                double bound, const char *fmt, ...) PRINTF_LIKE(7, 8);
void checks_free(struct checks *r);
bool checks_write_json(const struct checks *r, const char *path, struct err *err);

/* Values beside each other, for a picture. */
struct curve {
    VEC(double) offered, theirs, ours;
};
void curve_free(struct curve *c);

bool validate_noc(const struct validate_run *o, struct checks *r, struct err *err);
bool validate_dram(const struct validate_run *o, struct checks *r, struct err *err);
bool validate_gpu(const struct validate_run *o, struct checks *r, struct err *err);

#endif
