/* What caba-adaptive decides, as functions of what was measured and nothing else. */
#ifndef TECH_CABA_ADAPT_RULES_H
#define TECH_CABA_ADAPT_RULES_H

#include "tech/line_codecs.h"

enum { ADAPT_RAW = -1 };

/* Lines of one piece of memory under each of `n` algorithms. */
struct adapt_sample {
    uint64_t lines;
    uint64_t coded[LINE_CODECS]; /* lines that save a burst */
    uint64_t saved[LINE_CODECS]; /* bursts */
};

/* The algorithm that pays most: a saved burst is worth `worth` instructions, and each line that is
 * encoded costs `cost` of them when it is read. The first of equal ones. ADAPT_RAW: none pays, or
 * the best saves less than the share `least` of the `raw` bursts of a line. */
int adapt_algorithm(const struct adapt_sample *s, uint32_t n, const uint32_t *cost, uint32_t worth,
                    double least, uint32_t raw);

/* What raw data would have used of the machine's bandwidth in a time: also above 1, where it was
 * smaller than that. */
struct adapt_need {
    double dram, replies, requests;
};
double adapt_need_most(const struct adapt_need *n);

/* A mean of windows in which each new one weighs `weight`. */
void adapt_mean(double *mean, double x, double weight);

/* Whether a window says what the kernel needs that ends so many cycles behind the beginning of its
 * launch, or of short ones that count together: at first blocks begin all at once, in cold caches.
 * Of a kernel that is on, each does. */
bool adapt_is_telling(bool is_on, uint64_t cycles, uint64_t window);

/* Between the two shares it stays as it is. */
bool adapt_is_on(bool was_on, double need, double on_share, double off_share);

/* A trial of compression: what raw data used of the bandwidth without it, and would have used with
 * it. False: it was not more by the share `gain`. */
bool adapt_gains(double without, double with, double gain);

/* Windows, of each of which something was measured. */
struct adapt_series {
    double n, sum, squares;
};
void adapt_note(struct adapt_series *s, double x);
/* One that is longer than that counts half from now on. */
void adapt_age(struct adapt_series *s, double most);
/* Whether the mean of the first is less than that of the second by more than twice the standard
 * error of their difference. Not known of fewer than two windows each. */
bool adapt_is_slower(const struct adapt_series *with, const struct adapt_series *without);

/* A check, of windows on, then off, then on again: whether the program does more without. One that
 * changes by itself does more, or less, in each. */
bool adapt_is_lost(const struct adapt_series *before, const struct adapt_series *off,
                   const struct adapt_series *behind);

/* Where assist warps of a kernel have their registers. */
enum adapt_place {
    ADAPT_NOWHERE, /* it runs without compression */
    ADAPT_SPARE,   /* among those that no block can have */
    ADAPT_WARPS,   /* every thread has more */
};

struct adapt_room {
    uint32_t blocks, blocks_with; /* that fit on an SM, without and with more for every thread */
    uint32_t instances;           /* that fit into what blocks leave, without */
    bool must_fit;                /* as many blocks as without have to run at once */
};

/* With every thread where that costs no block; else among the spare ones, if `least` instances fit;
 * else with every thread, if the program wants compression. Where an SM has encoded lines
 * (`has_codes`) one instance at least must find room, unless blocks must fit. */
enum adapt_place adapt_place(const struct adapt_room *r, uint32_t least, bool wants,
                             bool has_codes);

#endif
