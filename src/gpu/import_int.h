/* Private to import_*.c: options that were read, settings that came of them. */
#ifndef GPU_IMPORT_INT_H
#define GPU_IMPORT_INT_H

#include "base/vec.h"
#include "gpu/machine.h"

#define IMPORT_BASE "gtx480-gpgpusim"

struct import_option {
    const char *name, *value; /* without '-'; "" = it has none */
    unsigned line;
    bool is_taken;
    char why[200]; /* it was left, or a part of it */
};

struct import_setting {
    char key[48], value[96];
    const struct import_option *from;
};

struct import {
    struct machine *machine; /* whose fields say what may be set */
    VEC(struct import_option) options;
    VEC(struct import_setting) settings;
};

/* Notes why an option is left; false. */
bool import_left(struct import *im, struct import_option *o, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
bool import_set(struct import *im, struct import_option *o, const char *key, const char *value);
bool import_set_number(struct import *im, struct import_option *o, const char *key, double value);
/* Another option, the last of this name; its first number. */
const struct import_option *import_find(const struct import *im, const char *name);
double import_number(const struct import *im, const char *name, double otherwise);

/* How an option is taken (import_gpgpusim.def); `to` is its row's. */
typedef bool import_fn(struct import *im, struct import_option *o, const char *to);
import_fn import_as_number, import_as_capability, import_as_flag, import_as_kilobytes,
    import_as_numbers, import_as_per_subcore, import_as_cores, import_as_threads,
    import_as_schedulers, import_as_scheduler, import_as_carveouts, import_as_cache,
    import_as_mapping, import_as_l2_latency, import_as_access, import_as_timing, import_as_buses;

#endif
