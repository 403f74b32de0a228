/* Private to measured*.c: kernels, ours and measured. */
#ifndef VALIDATE_MEASURED_INT_H
#define VALIDATE_MEASURED_INT_H

#include "validate/measured.h"
#include "validate/validate_int.h"

struct json_object;

enum measure { CYCLES, INSTRUCTIONS, L2_SECTORS, DRAM_BYTES, MEASURES };

/* A kernel of a workload and size, all its launches together. */
struct measured_kernel {
    const char *workload, *size, *name;
    bool is_held;
    double launches;
    double theirs[MEASURES], ours[MEASURES];
    char limit[24]; /* what our report says that it waits for */
    bool is_there;  /* in our run too */
};

struct measured {
    struct reference table, halves;
    VEC(struct measured_kernel) at;
};

/* A workload at a size: kernels from..to of the table. */
struct measured_group {
    const char *workload, *size;
    size_t from, to;
    double work; /* warp-instructions, and cycles of launches */
};

bool measured_load(struct measured *m, const struct measured_options *o, struct err *err);
void measured_free(struct measured *m);
/* The group that begins with kernel `from`. */
struct measured_group measured_group_at(const struct measured *m, size_t from);
/* Puts what a run says of its kernels beside the measured ones. */
void measured_take(struct measured *m, const struct measured_group *g, struct json_object *result);
void measured_take_launch(struct measured_kernel *k, const struct json_object *launch,
                          const struct json_object *result);
/* The same of what earlier runs wrote (measured_write_csv; files one after another, headers too).
 */
bool measured_take_file(struct measured *m, const char *path, struct err *err);

/* --- how far they are apart --- */

extern const char *const measured_names[MEASURES];

/* Relative error of kernel k; NAN where the GPU has nothing to compare with. */
double measured_error(const struct measured_kernel *k, enum measure what);
/* Whether a launch takes more than 5,000 cycles. */
bool measured_is_long(const struct measured_kernel *k);

typedef bool measured_choice(const struct measured_kernel *k, const char *value);

struct measured_sum {
    size_t n;
    double error[MEASURES]; /* mean absolute */
    double correlation;     /* of the logarithms of cycles */
};
struct measured_sum measured_sum_up(const struct measured *m, measured_choice *takes,
                                    const char *value);

struct measured_kernel measured_kernel_of(const struct reference *t, size_t row, const char *half);
/* Runs the microbenchmarks and prints them, and the errors by group. */
bool measured_micro(const struct measured_options *o, FILE *out, struct err *err);
void measured_print_micro(const struct measured *m, FILE *out);
void measured_print(const struct measured *m, FILE *out);
bool measured_write_csv(const struct measured *m, const char *path, struct err *err);
bool measured_write_json(const struct measured *m, const char *path, struct err *err);
bool measured_draw(const struct measured *m, const char *machine, const char *folder,
                   struct err *err);

#endif
