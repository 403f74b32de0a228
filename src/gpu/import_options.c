/* What options of GPGPU-Sim mean for a machine of ours, kind by kind. */
#include "gpu/import_int.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The number that a text is; false: it is none. */
static bool parse_number(const char *text, double *v)
{
    char *end;
    *v = strtod(text, &end);
    return end != text && !*end && isfinite(*v);
}

static bool take_number(struct import *im, struct import_option *o, double *v)
{
    return parse_number(o->value, v) || import_left(im, o, "not a number");
}

/* --- plain --- */

bool import_as_number(struct import *im, struct import_option *o, const char *to)
{
    double v;
    return take_number(im, o, &v) && import_set_number(im, o, to, v);
}

bool import_as_flag(struct import *im, struct import_option *o, const char *to)
{
    double v;
    return take_number(im, o, &v) && import_set(im, o, to, v != 0 ? "true" : "false");
}

bool import_as_kilobytes(struct import *im, struct import_option *o, const char *to)
{
    double v;
    return take_number(im, o, &v) && import_set_number(im, o, to, v * 1024);
}

/* "a:b:c" or "a,b,c" to one key each. */
bool import_as_numbers(struct import *im, struct import_option *o, const char *to)
{
    char *values = xstrdup(o->value), *keys = xstrdup(to), *k = NULL, *v = NULL;
    const char *value = strtok_r(values, ":,", &v), *key = strtok_r(keys, " ", &k);
    bool ok = true;
    for (; value && key; value = strtok_r(NULL, ":,", &v), key = strtok_r(NULL, " ", &k)) {
        double number;
        if (!strcmp(key, "-"))
            continue;
        ok &= parse_number(value, &number) ? import_set_number(im, o, key, number)
                                           : import_left(im, o, "'%s' is not a number", value);
    }
    if (value)
        ok = import_left(im, o, "more values than are known, from %s", value);
    free(values);
    free(keys);
    return ok;
}

/* --- the SM --- */

static double subcores(const struct import *im)
{
    return import_number(im, "gpgpu_sub_core_model", 0) != 0
               ? import_number(im, "gpgpu_num_sched_per_core", 1)
               : 1;
}

bool import_as_per_subcore(struct import *im, struct import_option *o, const char *to)
{
    double v;
    const double n = subcores(im);
    if (!take_number(im, o, &v))
        return false;
    return fmod(v, n) == 0 ? import_set_number(im, o, to, v / n)
                           : import_left(im, o, "not a multiple of %g sub-cores", n);
}

bool import_as_cores(struct import *im, struct import_option *o, const char *to)
{
    return import_set_number(im, o, to,
                             import_number(im, "gpgpu_n_clusters", 1) *
                                 import_number(im, "gpgpu_n_cores_per_cluster", 1));
}

/* From 3.5 on a thread has up to 255 registers, in units of 256 a warp (CUDA programming guide). */
bool import_as_capability(struct import *im, struct import_option *o, const char *to)
{
    double major;
    if (!take_number(im, o, &major) || !import_set_number(im, o, to, major))
        return false;
    const double all = major + import_number(im, "gpgpu_compute_capability_minor", 0) / 10;
    return all < 3.45 || (import_set(im, o, "sm.thread_registers", "255") &&
                          import_set(im, o, "sm.register_unit", "256"));
}

/* THREADS:WARP SIZE */
bool import_as_threads(struct import *im, struct import_option *o, const char *to)
{
    unsigned threads, width;
    (void)to;
    if (sscanf(o->value, "%u:%u", &threads, &width) != 2)
        return import_left(im, o, "expected THREADS:WARP");
    if (width != 32)
        return import_left(im, o, "warps have 32 threads");
    return import_set_number(im, o, "sm.threads", threads) &&
           import_set_number(im, o, "sm.warps", threads / 32);
}

bool import_as_schedulers(struct import *im, struct import_option *o, const char *to)
{
    const double all = import_number(im, "gpgpu_num_sched_per_core", 1), n = subcores(im);
    (void)to;
    return import_set_number(im, o, "sm.subcores", n) &&
           import_set_number(im, o, "sm.schedulers", all / n);
}

/* "gto", "lrr", "two_level_active:ACTIVE:..." */
bool import_as_scheduler(struct import *im, struct import_option *o, const char *to)
{
    unsigned active;
    (void)to;
    if (sscanf(o->value, "two_level_active:%u", &active) == 1)
        return import_set(im, o, "sm.scheduler", "two_level") &&
               import_set_number(im, o, "sm.active_warps", active);
    return import_set(im, o, "sm.scheduler", o->value);
}

bool import_as_carveouts(struct import *im, struct import_option *o, const char *to)
{
    char list[96];
    if (snprintf(list, sizeof list, "[%s]", o->value) >= (int)sizeof list)
        return import_left(im, o, "too many");
    return import_set(im, o, to, list);
}

/* --- caches --- */

struct cache_words {
    char kind, replacement, write, allocate, write_allocate, index, mshr;
    unsigned sets, line, ways, mshrs, merges, queue;
};

/* [KIND:]SETS:LINE:WAYS,R:W:A:WA[:I],M:N:MERGES,QUEUE... */
static bool read_cache(const char *s, struct cache_words *c)
{
    *c = (struct cache_words){.kind = 'N', .index = 'L'};
    if (isalpha((unsigned char)*s) && s[1] == ':') {
        c->kind = *s;
        s += 2;
    }
    int n = 0;
    if (sscanf(s, "%u:%u:%u,%c:%c:%c:%c%n", &c->sets, &c->line, &c->ways, &c->replacement,
               &c->write, &c->allocate, &c->write_allocate, &n) != 7 ||
        !n)
        return false;
    s += n;
    if (*s == ':') {
        c->index = s[1];
        s += s[1] ? 2 : 1;
    }
    return sscanf(s, ",%c:%u:%u,%u", &c->mshr, &c->mshrs, &c->merges, &c->queue) == 4;
}

/* A letter's word of ours; NULL: none. */
static const char *word_of(char letter, const char *const *pairs)
{
    for (; *pairs; pairs += 2)
        if (**pairs == letter)
            return pairs[1];
    return NULL;
}

static bool set_cache(struct import *im, struct import_option *o, const char *section,
                      const char *field, const char *value, char letter)
{
    char key[48];
    snprintf(key, sizeof key, "%s.%s", section, field);
    if (value)
        return import_set(im, o, key, value);
    return import_left(im, o, "nothing of ours is '%c' (%s)", letter, key);
}

static bool set_cache_number(struct import *im, struct import_option *o, const char *section,
                             const char *field, double v)
{
    char text[32];
    snprintf(text, sizeof text, "%.0f", v);
    return set_cache(im, o, section, field, text, 0);
}

/* The first-level data cache is what shared memory leaves where they are one. */
static double cache_bytes(const struct import *im, const char *section, const struct cache_words *c)
{
    const double own = (double)c->sets * c->line * c->ways;
    const double unified = import_number(im, "gpgpu_unified_l1d_size", 0) * 1024;
    return !strcmp(section, "l1") && unified > own ? unified : own;
}

bool import_as_cache(struct import *im, struct import_option *o, const char *to)
{
    static const char *const replacements[] = {"L", "lru", "F", "fifo", NULL};
    static const char *const indices[] = {"L",      "linear", "H",      "fermi", "P",
                                          "hashed", "X",      "hashed", NULL};
    static const char *const writes[] = {
        "T", "through_update", "E", "through_evict", "L", "through_evict", "B", "back", NULL};
    struct cache_words c;
    if (!read_cache(o->value, &c))
        return import_left(im, o, "expected KIND:SETS:LINE:WAYS,R:W:A:WA:I,M:N:MERGES,QUEUE");
    const bool is_l1 = !strcmp(to, "l1"), is_l2 = !strcmp(to, "l2");
    bool ok = set_cache_number(im, o, to, "size", cache_bytes(im, to, &c)) &&
              set_cache_number(im, o, to, "ways", c.ways) &&
              set_cache_number(im, o, to, "line_bytes", c.line) &&
              set_cache(im, o, to, "sectored", c.kind == 'S' ? "true" : "false", 0) &&
              set_cache_number(im, o, to, "mshrs", c.mshrs) &&
              set_cache_number(im, o, to, "merges", c.merges);
    ok = ok &&
         set_cache(im, o, to, "replacement", word_of(c.replacement, replacements), c.replacement);
    ok = ok && set_cache(im, o, to, "index", word_of(c.index, indices), c.index);
    if (!is_l2)
        ok = ok && set_cache_number(im, o, to, "miss_queue", c.queue);
    if (is_l1)
        ok = ok && set_cache(im, o, to, "write_global", word_of(c.write, writes), c.write);
    return ok;
}

/* Ours counts from the interconnect to the lookup; a port's cycles are on the way three times. */
bool import_as_l2_latency(struct import *im, struct import_option *o, const char *to)
{
    double v;
    const double way = 3.0 * (double)im->machine->gpu.port_cycles;
    if (!take_number(im, o, &v))
        return false;
    return v >= way ? import_set_number(im, o, to, v - way)
                    : import_left(im, o, "less than the ports on the way take (%g)", way);
}

/* --- DRAM --- */

/* "dramid@8;0000RRRR.RRRRBBBB.CCCCSSSS": bits of rows, columns, bytes of an access. */
bool import_as_mapping(struct import *im, struct import_option *o, const char *to)
{
    unsigned bit, rows = 0, columns = 0;
    (void)to;
    if (sscanf(o->value, "dramid@%u;", &bit) != 1 || bit > 20 || !strchr(o->value, ';'))
        return import_left(im, o, "expected dramid@BIT;BITS");
    for (const char *p = strchr(o->value, ';'); *p; p++) {
        rows += *p == 'R';
        columns += *p == 'C' || *p == 'S';
    }
    import_set_number(im, o, "map.granule", 1u << bit);
    return import_set_number(im, o, "dram.rows", exp2(rows)) &&
           import_set_number(im, o, "dram.row_bytes", exp2(columns)) &&
           import_left(im, o, "the order of banks and columns");
}

/* Chips x bytes x burst, and how long the bus is busy with it. */
bool import_as_access(struct import *im, struct import_option *o, const char *to)
{
    const double burst = import_number(im, "gpgpu_dram_burst_length", 4);
    const double bytes = import_number(im, "gpgpu_n_mem_per_ctrlr", 1) *
                         import_number(im, "gpgpu_dram_buswidth", 4) * burst;
    const double cycles = burst / import_number(im, "dram_data_command_freq_ratio", 2);
    (void)to;
    return import_set_number(im, o, "dram.pseudo_channels", 1) &&
           import_set_number(im, o, "dram.access_bytes", bytes) &&
           import_set_number(im, o, "mc.burst_bytes", bytes) &&
           import_set_number(im, o, "dram.burst_cycles", cycles);
}

static const struct {
    const char *name, *keys[2];
} timings[] = {
    /* in the order of the form without names */
    {"nbk", {"dram.banks"}},
    {"CCD", {"dram.t_ccd_s"}},
    {"RRD", {"dram.t_rrd_s", "dram.t_rrd_l"}},
    {"RCD", {"dram.t_rcd_rd", "dram.t_rcd_wr"}},
    {"RAS", {"dram.t_ras"}},
    {"RP", {"dram.t_rp"}},
    {"RC", {"dram.t_rc"}},
    {"CL", {"dram.t_cl"}},
    {"WL", {"dram.t_cwl"}},
    {"CDLR", {"dram.t_wtr_s", "dram.t_wtr_l"}},
    {"WR", {"dram.t_wr"}},
    {"nbkgrp", {"dram.bank_groups"}},
    {"CCDL", {"dram.t_ccd_l"}},
    {"RTPL", {"dram.t_rtp"}},
};

static bool set_timing(struct import *im, struct import_option *o, size_t place, const char *word)
{
    const char *equals = strchr(word, '=');
    double v;
    size_t k = place;
    if (equals)
        for (k = 0; k < ARRAY_LEN(timings); k++)
            if (strlen(timings[k].name) == (size_t)(equals - word) &&
                !strncmp(timings[k].name, word, (size_t)(equals - word)))
                break;
    if (k >= ARRAY_LEN(timings) || !parse_number(equals ? equals + 1 : word, &v))
        return import_left(im, o, "'%s' is not known", word);
    return import_set_number(im, o, timings[k].keys[0], v) &&
           (!timings[k].keys[1] || import_set_number(im, o, timings[k].keys[1], v));
}

/* "nbk=16:CCD=2:..." or the numbers alone. */
bool import_as_timing(struct import *im, struct import_option *o, const char *to)
{
    char *text = xstrdup(o->value), *save = NULL;
    size_t place = 0;
    bool ok = true;
    (void)to;
    for (const char *w = strtok_r(text, ":", &save); w; w = strtok_r(NULL, ":", &save))
        ok &= set_timing(im, o, place++, w);
    free(text);
    return ok;
}

bool import_as_buses(struct import *im, struct import_option *o, const char *to)
{
    double v;
    return take_number(im, o, &v) && import_set_number(im, o, to, v != 0 ? 2 : 1);
}
