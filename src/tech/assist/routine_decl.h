/* What a routine says of itself: .pragma "assist KEY=VALUE ..." in its body.
 *
 *   on=fill|store|load|l1_miss|divergence|inst:LINE|every:COUNTER:N|interrupt[:CYCLES]|memo_begin|
 *      memo_end
 *   codec=NAME      with on=fill: it decodes; with on=store: it encodes
 *   encoding=N      with on=fill: only lines whose code begins with byte N; with on=store: it
 *                   tries that form alone
 *   lanes=%P[:%Q]   predicates with the lane's bit of the line's mask: set before a routine that
 *                   decodes; read behind one that encodes, whose lanes have values from the last
 *                   one down. Two: of a lane's two values.
 *   all=%P          on=store with encoding: the form fits if this holds in all lanes at the end
 *   steps=%A:N[:%B:M]  addresses that the load/store unit makes for lanes of the routine's line:
 * src and N bytes more, or less, for each lane. No instruction writes them. priority=high|low,
 * mask=LANES, live_out=... (kept as a word) registers=spare   takes registers that no block can
 * have, and is dropped if these are too few; else every thread of the program needs its registers,
 * too when=memory_idle  is dropped while the memory pipeline is busy (awc_prefetch.c) waiting=N is
 * dropped while N of its instances wait */
#ifndef TECH_ASSIST_ROUTINE_DECL_H
#define TECH_ASSIST_ROUTINE_DECL_H

#include "ptx/ir.h"

enum routine_on {
    ON_FILL,
    ON_STORE_LINE, /* on=store with a codec */
    ON_LOAD,
    ON_STORE,
    ON_MISS,
    ON_DIVERGENCE,
    ON_INST,
    ON_EVERY,
    ON_INTERRUPT,
    ON_MEMO_BEGIN,
    ON_MEMO_END,
};

enum { ROUTINE_STEPS = 3 };

struct routine_decl {
    enum routine_on on;
    bool has_on;
    bool is_high;
    char codec[16];
    int encoding; /* -1: all */
    uint32_t mask;
    uint32_t line;  /* ON_INST: of the program's PTX */
    size_t counter; /* ON_EVERY: its place in struct sm_stats */
    uint64_t every; /* ON_INTERRUPT: cycles; 0: assist.interrupt_cycles */
    bool when_memory_idle, on_spares;
    uint32_t waiting; /* most instances that wait; 0: assist.waiting decides alone */
    char live_out[64];
    uint32_t lanes[2], all; /* predicate registers */
    uint8_t nlanes;
    bool has_all;
    struct routine_step {
        uint32_t reg;
        int32_t bytes;
    } steps[ROUTINE_STEPS];
    uint8_t nsteps;
    uint32_t pragma_line;
};

/* False and an error that names file, line and what would be right. An entry without a pragma that
 * begins with "assist" is an error, too. */
bool routine_decl_parse(const struct ptx_func *f, struct routine_decl *d, struct err *err);

#endif
