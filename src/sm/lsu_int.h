/* The load/store unit's state, and what memory instructions touch. Private to src/sm. */
#ifndef SM_LSU_INT_H
#define SM_LSU_INT_H

#include "mem/l1.h"

/* One line that a memory instruction touches. */
struct line_access {
    addr_t addr; /* of the line */
    uint16_t sectors, full;
    uint16_t bytes;
    uint8_t space;       /* enum mem_space */
    uint64_t words;      /* touched, of 4 bytes */
    uint64_t written[4]; /* bytes, of a write */
};

/* The caches in between have the numbers that they have among all (enum sm_cache). */
enum lsu_part { LSU_SHARED, LSU_CONST, LSU_TEX, LSU_DATA, LSU_PARTS };

/* Where the lanes of an access to shared memory were, and what it took. */
struct shared_shape {
    uint32_t from_first[WARP_LANES];
    uint32_t mask;
    uint16_t bytes, cycles;
    uint8_t phase; /* of the first in its word */
    bool is_atomic;
};

/* Instructions in order, by inflight.next. */
struct fl_list {
    uint16_t head, tail;
    uint32_t n;
};

struct lsu {
    uint16_t entry;      /* the instruction being taken apart */
    uint16_t aux;        /* the same, of PIPE_AUX: goes first */
    struct fl_list wb;   /* whose registers are to be written next */
    struct fl_list late; /* all their accesses are back, rf_cost.write is not over */
    uint8_t wb_turn;
    struct fl_list shared; /* loads on their way through shared memory */
    cycle_t shared_due;    /* of the first of them */
    uint8_t req_turn, sub_turn, aux_turn;
    uint32_t out[LSU_PARTS]; /* reads and atomics in each cache; loads in shared memory */
    uint32_t waits;          /* parts with such: bits of enum lsu_part */
    uint32_t owes;           /* the same of caches for constants and textures: nobody waits for
                                what they still have to send */
    bool is_blocked;         /* the entry waits for its cache to accept a line */
    bool can_rest;           /* nobody but the SM itself gives it something to do */
    cycle_t due;             /* before, only an answer does; 0: not known */
    cycle_t look_at,
        answer_at;         /* before look_at nobody need look for answers; the next one known */
    cycle_t textures_free; /* with sm.texture_lanes */
    const void *expected;  /* the answer whose line has been fetched ahead */
};

#endif
