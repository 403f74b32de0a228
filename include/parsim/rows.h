/* Rows that describe: fields of a configuration, statistics, energy. A part of the machine, or a
 * technique, lists its rows once; parser, bounds, error texts, documentation and every output are
 * made from them. Part of the interface of plug-ins (parsim/tech.h). */
#ifndef PARSIM_ROWS_H
#define PARSIM_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- configuration --- */

enum conf_type { CONF_BOOL, CONF_INT, CONF_SIZE, CONF_REAL, CONF_ENUM, CONF_STRING, CONF_LIST };

enum { CONF_LIST_MAX = 256 };

struct conf_list {
    uint32_t len;
    uint32_t at[CONF_LIST_MAX];
};

/* What the struct member of each type is. Strings are owned by the conf and live as long as it. */
#define CONF_MEMBER_BOOL   bool
#define CONF_MEMBER_INT    int64_t
#define CONF_MEMBER_SIZE   uint64_t
#define CONF_MEMBER_REAL   double
#define CONF_MEMBER_STRING const char *
#define CONF_MEMBER_LIST   struct conf_list

struct conf_field {
    const char *name;
    enum conf_type type;
    uint32_t offset;
    const char *dflt;
    double min, max; /* of the value; for LIST of each element; unused for BOOL, ENUM, STRING */
    const char *unit, *help;
    const char *const *choices; /* ENUM: NULL-terminated, the value is the index (an int) */
};

#define CONF_FIELD(st, TYPE, name, dflt, min, max, unit, help) \
    {#name, CONF_##TYPE, (uint32_t)offsetof(struct st, name), dflt, min, max, unit, help, NULL},
#define CONF_FIELD_ENUM(st, name, dflt, choices, help) \
    {#name, CONF_ENUM, (uint32_t)offsetof(struct st, name), dflt, 0, 0, "", help, choices},

/* --- statistics --- */

enum stat_kind { STAT_COUNTER, STAT_HIST, STAT_FORMULA };

struct stat_row {
    const char *name;
    enum stat_kind kind;
    uint32_t offset; /* FORMULA: up to where it reads, if that is beyond all other rows */
    const char *unit, *help;
    double (*formula)(const void *stats);
};

#define STAT_MEMBER_COUNTER(name, unit, help) uint64_t name;
#define STAT_MEMBER_HIST(name, unit, help)    struct hist name;
#define STAT_ROW_COUNTER(st, name, unit, help) \
    {#name, STAT_COUNTER, (uint32_t)offsetof(struct st, name), unit, help, NULL},
#define STAT_ROW_HIST(st, name, unit, help) \
    {#name, STAT_HIST, (uint32_t)offsetof(struct st, name), unit, help, NULL},
#define STAT_ROW_FORMULA(st, name, unit, help, expr) \
    {#name, STAT_FORMULA, 0, unit, help, st##_##name},
#define STAT_FN_FORMULA(st, name, unit, help, expr) \
    static double st##_##name(const void *p)        \
    {                                               \
        const struct st *s = p;                     \
        return expr;                                \
    }

static inline double stat_ratio(double a, double b)
{
    return b != 0 ? a / b : 0;
}

/* Histogram of non-negative integers: exact below 64, then 8 bins an octave (within 12.5%). */
enum { HIST_EXACT = 64, HIST_SUB = 8, HIST_OCTAVES = 34, HIST_BINS = 64 + 8 * 34 };

struct hist {
    uint64_t count, sum, min, max;
    uint64_t bins[HIST_BINS];
};

static inline uint32_t hist_bin(uint64_t v)
{
    if (v < HIST_EXACT)
        return (uint32_t)v;
    uint32_t octave = 63u - (uint32_t)__builtin_clzll(v); /* >= 6 */
    uint32_t bin = HIST_EXACT + (octave - 6) * HIST_SUB + ((uint32_t)(v >> (octave - 3)) & 7);
    return bin < HIST_BINS ? bin : HIST_BINS - 1;
}

static inline void hist_add(struct hist *h, uint64_t v)
{
    if (!h->count || v < h->min)
        h->min = v;
    if (v > h->max)
        h->max = v;
    h->count++;
    h->sum += v;
    h->bins[hist_bin(v)]++;
}

/* --- energy --- */

/* `pj` picojoules for each of `events`, at 40 nm (energy.scale makes it another process's). */
struct energy_row {
    const char *component;      /* that it is reported by: energy.COMPONENT */
    const char *component_help; /* NULL: the component is one of energy.def, or of a row before */
    const char *name;           /* of the field energy.NAME; the same name is the same field */
    double pj;
    /* Counters, summed over the machine: "group.name + group.name - group.name / 16 ...", which may
     * be negative as long as the component is not. One that the machine does
     * not have is an error; "group.name?": the group need not be there (another design has it). */
    const char *events;
    const char *source; /* where the number is from */
};

#endif
