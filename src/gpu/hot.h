/* Where in the code the time goes (--hot, `parsim hot`): an observer that counts by instruction.
 *
 * Counts of executions, lanes, divergence, lines, misses and bank conflicts are exact. Time is
 * sampled: every HOT_CYCLES cycles each warp that a block has on an SM says what it waits for and
 * whose instruction is to blame (sm_each_wait()). Costs nothing when it is off. */
#ifndef GPU_HOT_H
#define GPU_HOT_H

#include "gpu/gpu.h"
#include "sm/sm.h"

enum { HOT_CYCLES = 32 };

struct hot_counts {
    uint64_t inst, lanes;       /* warp and thread instructions */
    uint64_t divergences;       /* branches at which lanes parted */
    uint64_t accesses, lines;   /* memory instructions, and what they are after coalescing */
    uint64_t misses, conflicts; /* of the L1's reads; cycles of shared memory */
    uint64_t waits[SM_WAITS];   /* samples */
};

struct hot_inst {
    struct hot_counts counts;
    char *text;         /* the line of PTX */
    uint32_t line;      /* of the PTX */
    const char *source; /* the CUDA file; NULL: not said */
    uint32_t source_line;
};

struct hot_func {
    char *name, *file; /* file: the PTX's */
    struct hot_inst *inst;
    uint32_t ninst;
};

struct hot;

struct hot *hot_new(struct gpu *g);
void hot_free(struct hot *h);
/* What was seen of a kernel that has ended; its code may go then. */
void hot_fold(struct hot *h);

size_t hot_func_count(const struct hot *h);
const struct hot_func *hot_func(const struct hot *h, size_t i);
uint64_t hot_samples(const struct hot_counts *c);
void hot_add(struct hot_counts *to, const struct hot_counts *from);

/* Lines of a program, most time first: hot_lines.c. */
struct hot_line {
    const char *func, *file;
    const char *text; /* NULL: not known */
    uint32_t line;
    bool is_source; /* of the CUDA program, not of the PTX */
    struct hot_counts counts;
};
/* To be freed with hot_lines_free(). */
struct hot_line *hot_lines(const struct hot *h, bool by_source, size_t *n);
void hot_lines_free(struct hot_line *lines, size_t n);
extern const char *const hot_wait_names[SM_WAITS], *const hot_wait_keys[SM_WAITS];

#endif
