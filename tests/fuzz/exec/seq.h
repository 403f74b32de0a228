/* Random structured programs for the sequence fuzzer: one tree, printed as PTX for the simulator
 * and walked thread by thread by a plain interpreter. */
#ifndef TESTS_FUZZ_EXEC_SEQ_H
#define TESTS_FUZZ_EXEC_SEQ_H

#include "exec/grid.h"

#include <stdio.h>

enum {
    SEQ_R = 12,
    SEQ_D = 6,
    SEQ_F = 6,
    SEQ_P = 4,
    SEQ_DEPTH = 4,
    SEQ_LOCAL = 8,
    SEQ_COUNTERS = 4
};

/* One arithmetic form: classes of destination and sources ('R' 32 bits, 'D' 64, 'F' f32, 'P'
 * predicate), and what it computes. */
struct seq_form {
    const char *text, *classes;
    uint64_t (*eval)(uint64_t a, uint64_t b, uint64_t c);
};

extern const struct seq_form seq_forms[];
extern const unsigned seq_nforms;

enum seq_kind {
    SEQ_OP,    /* d = form(a, b, c) */
    SEQ_IF,    /* if (p) body else other */
    SEQ_LOOP,  /* r & 3 times: body */
    SEQ_STORE, /* mine[r & 7] = r, in local, shared or global memory */
    SEQ_LOAD,
    SEQ_COUNT, /* counter[n] += r, atomically */
    SEQ_CALL,  /* r = mix(r) */
    SEQ_SHFL,  /* top level only, from here */
    SEQ_BALLOT,
    SEQ_REDUX,
    SEQ_BARRIER,
};

struct seq_stmt {
    uint8_t kind, form, d, a, b, c, space;
    bool has_imm, guarded, guard_neg; /* imm stands in place of the last source */
    uint8_t guard;
    uint32_t imm;
    struct seq_stmt *body, *other, *next;
};

/* Bytes of the fuzzer's input, zeros when it is used up. */
struct seq_input {
    const uint8_t *p;
    size_t left;
};

uint32_t seq_take(struct seq_input *in, uint32_t below);
struct seq_stmt *seq_generate(struct seq_input *in);
void seq_free(struct seq_stmt *s);
void seq_print(const struct seq_stmt *s, FILE *out);

/* What a thread ends with. */
struct seq_thread {
    uint32_t r[SEQ_R];
    uint64_t d[SEQ_D];
    uint32_t f[SEQ_F];
    uint32_t p; /* bit k: predicate k */
};

struct seq_state {
    unsigned nthreads;
    struct seq_thread *t;
    uint32_t (*mem)[3][SEQ_LOCAL]; /* a thread's own words: local, shared, global */
    uint32_t counters[SEQ_COUNTERS];
};

uint32_t seq_mix(uint32_t x);
uint32_t seq_initial(unsigned thread, unsigned word);
/* Runs the tree for every thread, one thread at a time between statements that look across lanes.
 */
void seq_interpret(const struct seq_stmt *s, struct seq_state *st);

/* Where generated programs run. */
struct seq_machine {
    struct device *dev;
    bool (*run)(void *self, struct launch *l, struct err *err);
    void *self;
};
/* Generates a program from the fuzzer's bytes, runs it on the machine and aborts unless it does
 * what the interpreter does. Returns its PTX, to be freed. */
char *seq_check(const uint8_t *data, size_t size, const struct seq_machine *machine,
                unsigned *threads);

#endif
