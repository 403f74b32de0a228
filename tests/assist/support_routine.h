/* Runs the routines of assist/ functionally: one warp, line windows in shared memory, real bytes.
 */
#ifndef TESTS_ASSIST_SUPPORT_ROUTINE_H
#define TESTS_ASSIST_SUPPORT_ROUTINE_H

#include "exec/step.h"
#include "tech/assist/routine_decl.h"

enum { LINE = 128 };

/* A module of assist/ on a device. */
struct assist {
    struct device *dev;
    struct program *prog;
    struct effects *fx;
};

/* `file`: a name in assist/, given with its text so that a test may change it. */
void assist_open(struct assist *a, const char *file, const char *text);
void assist_close(struct assist *a);
/* The text of assist/FILE; freed by the caller. */
char *assist_text(const char *file);
/* The text with the only occurrence of `from` after `where` replaced; freed by the caller. */
char *assist_text_changed(const char *file, const char *where, const char *from, const char *to);

/* One routine with a block of its own; its shared memory lives as long as it does. */
struct routine {
    struct assist *assist;
    struct launch launch;
    struct grid grid;
    struct cta *cta;
    _Alignas(8) uint8_t params[512];
    uint64_t ninst;           /* of the last run */
    struct routine_decl decl; /* what its pragma says */
    uint64_t mask;            /* of the line: set before a run, or what the run has left */
    bool fits;                /* what `all` said in the end */
    /* called after every instruction, may be NULL */
    void (*on_step)(void *ctx, const struct step *s);
    void *ctx;
};

void routine_open(struct routine *r, struct assist *a, const char *name);
void routine_close(struct routine *r);
/* Sets a parameter by its name; its width is the declaration's. */
void routine_set(struct routine *r, const char *name, uint64_t value);
/* The same for one that is an array of 8-byte values, by lane. */
void routine_set_lanes(struct routine *r, const char *name, const uint64_t *values);
/* Runs it from its first instruction to its end. Shared memory is as the last run left it. */
void routine_run(struct routine *r);

/* Where shared memory that is not the module's variables begins. */
uint32_t routine_windows(const struct routine *r);

/* A codec routine between windows that must stay as they are: in holds LINE bytes, and the lanes
 * and their predicates are set and read as the pragma says. Returns the result word, and in `out`
 * what the dst window holds. Fails if anything else was written. */
uint32_t routine_code(struct routine *r, const uint8_t *in, uint8_t *out);

#endif
