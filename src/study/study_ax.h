/* Private to study_*.c: AxMemo's programs, and how good an output is. */
#ifndef STUDY_STUDY_AX_H
#define STUDY_STUDY_AX_H

#include "base/err.h"

struct json_object;

enum study_ax_outputs { STUDY_AX_FLOATS, STUDY_AX_BOOLEANS };

struct study_ax {
    const char *name;
    unsigned bytes; /* of an entry of the unit */
    enum study_ax_outputs outputs;
};

/* NULL with an error that lists them. */
const struct study_ax *study_ax_find(const char *name, struct err *err);
/* Its executable; to be freed. */
char *study_ax_program(const char *name, const char *build);
/* {"error": E_r or the share of wrong booleans, "same", "within_0_1", "within_1", "within_10",
 * "beyond": shares of elements by their relative error}; NULL with an error. */
struct json_object *study_ax_quality(const struct study_ax *ax, const char *plain, const char *out,
                                     struct err *err);

#endif
