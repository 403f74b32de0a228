/* Private to the files report_*.c and their tests. */
#ifndef GPU_REPORT_INT_H
#define GPU_REPORT_INT_H

#include "gpu/limits.h"
#include "gpu/report.h"

enum { FACT_SLOTS = 5, FACT_STAGES = 5 };
extern const char *const fact_slot_names[FACT_SLOTS];   /* as in words */
extern const char *const fact_slot_keys[FACT_SLOTS];    /* as in the JSON */
extern const char *const fact_stage_names[FACT_STAGES]; /* as in words */
extern const char *const fact_stage_keys[FACT_STAGES];

struct fact_rate {
    double reads, hit; /* `hit` is a share of them */
};

enum { SETTING_MAX = 64, DOUBLED_MAX = 48 };
typedef char report_setting[SETTING_MAX]; /* "section.field=value" */

/* What held the machine back for most of the time. */
struct report_limit {
    const char *key;   /* of limits.def, or "divergence" */
    double time_share; /* of the time that it did */
    double used;       /* of a resource's capacity, on average over the run */
    double gain;       /* times as fast with twice of it; 0: not stated */
    size_t ndoubled;
    report_setting doubled[DOUBLED_MAX]; /* what to set for twice of it */
};

/* What follows from the counters of a machine over `cycles` core cycles. Shares are 0 to 1. */
struct report_facts {
    double cycles, seconds; /* simulated */
    double warp_inst, thread_inst, warp_ipc, thread_ipc;
    double slots[FACT_SLOTS]; /* shares of all issue slots */
    double busy;              /* share of the time that an SM has blocks */
    double occupancy_warps;   /* while it has */
    double spill_loads, spill_stores;
    double unallocated; /* share of the register file, while it has */
    struct fact_rate l1, l2, konst, tex, inst;
    double dram_bytes, dram_rate, dram_peak; /* bytes, bytes a second */
    double row_hits;
    double loads, load_latency;  /* of warps' loads */
    double misses, miss_latency; /* of requests that left the SM */
    double stages[FACT_STAGES];  /* of miss_latency */
    struct energy_summary energy;
    struct report_limit limit;
    char bottleneck[384]; /* it, in a sentence */
};

void report_facts(struct report_facts *f, const struct machine *m, const struct stats *st,
                  cycle_t cycles);
/* report_bottleneck.c: fills in f->limit and f->bottleneck from the rest and the counters. */
void report_bottleneck(struct report_facts *f, const struct machine *m, const struct stats *st);

/* Whether a run that `k` held back is one whose lanes have parted. */
bool report_is_divergent(enum limit k, double warp_inst, double thread_inst, double divergences);

/* report_double.c: what to set for twice of a limit's resource; how many settings. */
size_t report_double(const struct machine *m, enum limit of, report_setting *to, size_t most);

/* "group.name", 0 where there is none. */
double fact_get(const struct stats *st, const char *key);

/* The i-th kernel's name, and of those that ran together with it: "a+b". The caller frees it. */
char *report_kernel_names(const struct gpu *g, size_t i);

/* report_kernels.c: a table by kernel name, with what held each back. */
void report_kernels_print(const struct gpu *g, FILE *out);

/* report_hot.c: lines of the program by the time that warps waited for them; the JSON is null
 * without
 * --hot. */
void report_hot_print(const struct session *s, FILE *out);
struct json_object *report_hot_json(const struct session *s);

/* report_plot.c: pictures of a timed run in the folder `dir`, which is made. */
bool report_plot(const struct run_report *r, const char *dir, struct err *err);

/* report_values.c: numbers that techniques report by themselves, as lines and as members of `to`.
 */
struct json_object;
void report_values_print(const struct gpu *g, FILE *out);
void report_values_json(const struct gpu *g, struct json_object *to);

/* report_quality.c: outputs that were judged; the JSON is null where no design changes values. */
void report_quality_print(const struct session *s, FILE *out);
struct json_object *report_quality_json(const struct session *s);

#endif
