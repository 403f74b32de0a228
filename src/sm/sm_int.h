/* The inside of an SM. Private to src/sm and its tests.
 *
 * Warps have slots; sets of slots are 64-bit masks, kept up to date by events, so that choosing
 * what to issue is a few operations on masks. An instruction that was issued is an `inflight` entry
 * that travels: issue port -> operand collector -> entry of a pipe -> result. Stages run in reverse
 * order within a tick, so that nothing passes two in one cycle. */
#ifndef SM_SM_INT_H
#define SM_SM_INT_H

#include "exec/step.h"
#include "mem/bound.h"
#include "mem/interleave.h"
#include "mem/l1.h"
#include "sim/port.h"
#include "sm/decode.h"
#include "sm/lsu_int.h"
#include "sm/sm.h"
#include "sm/sm_extra.h"

/* What every instruction runs through, and what only techniques need. */
#define SM_INLINE static inline __attribute__((always_inline))
#define SM_COLD   __attribute__((noinline, cold))
#define SM_APART  __attribute__((noinline)) /* not to grow the plain path; with a technique hot */

enum {
    MAX_WARPS = 64,
    MAX_SUBCORES = 4,
    MAX_SCHEDULERS = 4, /* of a sub-core; all together at most WARPS_IDLE_BIT (issue.c) */
    MAX_IBUFFER = 8,
    MAX_UNITS = 20, /* pipes of a sub-core */
    MAX_COLLECTORS = 64,
    AUX_COLLECTORS = 2,
    MAX_BANKS = RF_BANKS_MAX,
    MAX_PORTS = 4,
    MAX_CTAS = 32,
    SCOREBOARD = 1024,                /* registers are folded onto this many counters a warp */
    SCOREBOARD_ROW = SCOREBOARD + 64, /* so that warps do not share sets of the host's cache */
    SHARED_SHAPES = 8,
    CALENDAR = 2048,       /* cycles ahead that a result can be */
    SECOND_OPERANDS = 256, /* registers of an instruction end before; those of a follower begin */
    MAX_OPERANDS = 2 * SECOND_OPERANDS,
    NO_INFLIGHT = UINT16_MAX,
    NO_PARTNER = -1,
};

/* An instruction between issue and its end. */
struct inflight {
    const struct dinst *d;
    cycle_t issued;
    cycle_t due; /* when it leaves shared memory or a delay line */
    uint32_t mask;
    uint16_t slot; /* warp */
    int16_t slot2; /* of a warp that goes with it, or NO_PARTNER */
    uint16_t next; /* in a queue or list */
    struct {
        uint16_t hold, enter, write;
    } cost; /* rf_cost, of at most RF_COST_MAX; `hold`: that it still waits in its collector */
    uint16_t initiation;
    uint16_t to_read; /* operands that its collector still waits for */
    /* memory */
    bool is_resolved;         /* what it accesses is known */
    bool is_sent;             /* nothing left in the memory pipe's entry */
    uint16_t shared_cycles;   /* of the shared memory */
    uint16_t naccesses, sent; /* lines */
    uint16_t pending;         /* accesses not back yet */
    struct line_access *acc;
    uint32_t acc_cap;
    struct extra_warp *extra; /* whose it is; NULL: of the warp in `slot` */
};

struct warp_slot {
    struct warp *w;
    /* where the warp's state was when it was looked at last; for sm_warm() only */
    const void *split, *frame;
    const char *regs;
    const struct dinst *ib[MAX_IBUFFER]; /* decoded, in order */
    const struct dinst *next;            /* to be issued: of the buffer, or a spill */
    const struct dfunc *fn;              /* of the next fetch */
    uint32_t pc;                         /* of the next fetch */
    uint8_t ib_len, ib_at;
    uint8_t cta;       /* slot of its block */
    uint16_t inflight; /* instructions, and extra warps that hold it */
    uint16_t stores;   /* not acknowledged */
    uint16_t loads;    /* loads and atomics whose registers are not written */
    uint16_t deferred; /* the instruction it waits for */
    /* spills: loads issued for the buffer's first instruction; stores that the last one leaves */
    uint8_t nloaded, nowed;
    const struct dinst *owed;
    uint32_t owed_mask; /* lanes */
    uint32_t owed_at;   /* the frame's local memory */
    uint64_t age;
    const struct decoded *code;
    cycle_t turned_at; /* of sm.turning */
    cycle_t held_until;
    int8_t partner; /* slot of the warp that follows it, or that it follows; NO_PARTNER */
    bool is_joined; /* the next instruction is the follower's too */
};

struct cta_slot {
    struct cta *cta;
    struct sm_launch *launch;
    const struct sm_kernel *kernel; /* with its number, until the block is made */
    uint64_t number;
    uint64_t warps; /* slots */
    uint32_t live;  /* warps that have not ended */
    cycle_t begin;
    uint64_t registers; /* that it has taken: what it would take now may be another number */
};

/* What a launch needs on an SM. */
struct sm_launch {
    struct grid grid; /* this SM's part of it; first, so that it leads here */
    struct sm *sm;
    const struct sm_kernel *kernel;
    struct cta *spares[MAX_CTAS]; /* blocks to use again */
    uint32_t nspares;
    struct sm_ended ended;
    struct sm_launch *next;
};

/* Collectors that want a register of a bank, in order: the first lies beside those of the other
 * banks and is most often the only one, so that queues are few lines of the host's cache. */
struct bank_queue {
    uint8_t head;    /* of those behind the first; 0 when there are none */
    uint8_t at[255]; /* the others, round */
};

struct sched {
    uint64_t mask; /* its slots */
    const struct sched_ops *ops;
    unsigned last;    /* slot issued last */
    unsigned last_in; /* two-level: slot that became active last */
    uint64_t active;  /* two-level */
    cycle_t free_at;  /* an instruction that stands for several keeps it until then */
    uint8_t stall;    /* enum of the last cycle, for cycles slept through */
};

struct subcore {
    struct sched sched[MAX_SCHEDULERS];
    uint64_t slots; /* of all its schedulers */
    /* instructions that were issued and wait for a collector, by pipe */
    uint16_t port[ALL_PIPES][MAX_PORTS];
    uint8_t nport[ALL_PIPES];
    /* instructions whose operands are there and that wait for a unit */
    uint16_t entry[ALL_PIPES][MAX_PORTS];
    uint8_t nentry[ALL_PIPES];
    /* collectors: whose instruction, and sets of them */
    uint16_t col[MAX_COLLECTORS];
    uint64_t col_of[ALL_PIPES]; /* by pipe */
    uint8_t pipe_of[MAX_COLLECTORS];
    uint64_t col_used;
    uint64_t col_reading;           /* of those: operands are missing */
    uint64_t col_delayed;           /* of those: operands take longer (rf_cost.hold) */
    struct fl_list late[ALL_PIPES]; /* on their way to a pipe's entry (rf_cost.enter) */
    uint32_t nlate;                 /* of all pipes */
    unsigned col_turn[ALL_PIPES];
    uint8_t bank_first[MAX_BANKS];
    uint16_t bank_len[MAX_BANKS]; /* with the first */
    struct bank_queue bank[MAX_BANKS];
    uint32_t nqueued;      /* operands in all of them */
    uint64_t bank_wanted;  /* queues with entries */
    uint64_t bank_written; /* in this cycle */
    unsigned bank_turn;
    cycle_t unit_free[MAX_UNITS]; /* when the unit's entry is free */
    uint8_t unit_kind[MAX_UNITS];
    uint32_t nunits, nsp; /* of those, the first: of PIPE_SP, the others are of PIPE_SFU */
};

/* What an issue slot did. From STALL_REFUSED on: a kind of one of those before. */
enum stall {
    STALL_ACTIVE,
    STALL_COMPUTE,
    STALL_MEMORY,
    STALL_DATA,
    STALL_IDLE,
    STALL_REFUSED,
    STALL_LOAD,
    STALL_FETCH,
    STALL_BARRIER,
    STALL_ORDER,
    STALLS
};

struct sm {
    const struct sm_cfg *cfg;
    uint32_t id;
    uint32_t nsub, nsched;
    bool is_fixed;   /* sm.operands */
    int32_t ends;    /* cycles of a pipe around its latency */
    uint32_t npipes; /* of a sub-core: PIPES, or ALL_PIPES where there can be extra warps */
    uint8_t ports[ALL_PIPES];      /* instructions a cycle between the stages of a pipe */
    uint8_t subcore_of[MAX_WARPS]; /* by slot */
    uint32_t bank_mask;            /* banks - 1, or 0 where they are no power of two */
    struct {
        struct subcore *sub;
        struct sched *s;
    } scheds[MAX_SUBCORES * MAX_SCHEDULERS]; /* all, by number */
    bool has_source;                         /* somebody is bound at the seam of extra warps */
    bool can_be_quiet;
    uint8_t own_notes, *notes; /* enum sm_note */
    bool is_quiet; /* what was issued stands still until the load/store unit or a result moves it */
    /* sets of warp slots */
    uint64_t coming;     /* of a block that has not begun */
    uint64_t live;       /* has a warp that has not ended */
    uint64_t has_inst;   /* the instruction buffer's first is the warp's next */
    uint64_t ready;      /* its registers are free */
    uint64_t barrier;    /* waits at a barrier */
    uint64_t deferred;   /* waits until its last instruction is executed */
    uint64_t fenced;     /* waits for its stores */
    uint64_t loading;    /* has loads or atomics under way */
    uint64_t has_buffer; /* the instruction buffer is not empty */
    uint64_t fetching;   /* asked the instruction cache */
    uint64_t hazard;     /* the buffer holds what will not be executed */
    uint64_t turning;    /* must not fetch yet: it has branched (sm.branch_cycles) */
    uint64_t blocked;    /* must wait for an extra warp */
    uint64_t held;       /* must not issue yet (sm_hold) */
    uint64_t leaving;    /* held because a barrier takes its time (sm.barrier_latency) */
    uint64_t follows;    /* goes with another (issue_policy.partner), not by itself */
    uint64_t ending;     /* ended, with instructions or stores in flight */
    uint64_t wants[PIPES];
    cycle_t barrier_free; /* when the last arrival at a barrier is taken note of */
    struct warp_slot slot[MAX_WARPS];
    uint8_t (*pending)[SCOREBOARD_ROW]; /* by slot: writes on their way to a register */
    struct subcore *sub_end;            /* of those that are there */
    struct subcore sub[MAX_SUBCORES];
    struct lsu lsu;
    union {
        struct {
            struct l1 *data, *konst, *tex, *inst;
        };
        struct l1 *caches[SM_CACHES]; /* the same, by enum sm_cache */
    };
    struct mem_req_pool pool;
    struct interleave il;
    uint16_t node;
    const uint16_t *slice_nodes;
    struct port *out, *in;
    struct effects *effects;
    struct sm_seams seams;
    uint32_t asked;                 /* enum sm_want: of what is bound there */
    bool is_asking;                 /* precede() or partner(), which change nothing */
    struct step step, step2;        /* of the warp that is stepped, of the one that goes with it */
    uint8_t (*banks)[MAX_OPERANDS]; /* by instruction in flight, if a policy says which */
    struct moves *moves;
    struct shared_shape shapes[SHARED_SHAPES]; /* by instruction, the last */
    /* instructions in flight */
    struct inflight *fl;
    uint32_t nfl, fl_used;
    uint16_t fl_free;
    /* results by cycle */
    uint16_t calendar[CALENDAR];
    uint8_t results[CALENDAR]; /* write-back ports taken */
    uint64_t calendar_set[CALENDAR / 64];
    uint32_t ncalendar;
    /* blocks */
    struct cta_slot ctas[MAX_CTAS];
    uint32_t cta_set;
    uint32_t unmade; /* of those: their warps are not made yet */
    uint64_t regs_free, shared_free, threads_free;
    uint64_t regs_spare, shared_spare; /* that no block of the kernel taken last can ever have */
    uint64_t regs_used;                /* by blocks that have begun */
    struct sm_launch *launches;
    uint64_t next_age;
    unsigned fetch_turn, issue_turn;
    struct warp *faulted;
    uint32_t inst_line, sector, sector_shift;
    cycle_t began;      /* of the kernel */
    cycle_t counted;    /* residents are counted for the cycles before this one */
    cycle_t slots_done; /* issue slots are counted for the cycles before this one */
    uint32_t data_line, const_line, tex_line; /* bytes, of the caches */
    struct component *component;
    const struct probe *probe, *inst_probe;
    struct probe miss_probe; /* of the data cache, if the warp_source wants to know */
    struct stage_clocks clocks;
    struct answers answers;
    struct load_stages stages;
    struct sm_stats stats;
};

void sm_note(struct sm *sm, enum sm_note what);
/* The warp has faulted. */
void sm_stop(struct sm *sm, struct warp *w);

static inline unsigned sm_subcore_of(const struct sm *sm, unsigned slot)
{
    return sm->subcore_of[slot];
}

/* A counter of the statistics by its place there: tables of places are made by the compiler, tables
 * of pointers in every call. */
static inline uint64_t *sm_counter(struct sm *sm, uint16_t place)
{
    return (uint64_t *)(void *)((char *)&sm->stats + place);
}

/* How many, by pipe, as a word of which each byte is one. */
static inline uint32_t sm_all(const uint8_t n[ALL_PIPES])
{
    uint32_t all;
    static_assert(ALL_PIPES == sizeof all && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
                  "looked at as one word");
    __builtin_memcpy(&all, n, sizeof all);
    return all;
}

/* Whether one of those, by pipe, is not 0. */
static inline bool sm_any(const uint8_t n[ALL_PIPES])
{
    return sm_all(n) != 0;
}

/* Sub-cores one after the other. */
#define FOR_SUBCORES(sub, sm) \
    for (struct subcore *sub = (sm)->sub, *end_ = (sm)->sub_end; sub < end_; sub++)

/* Whether an extra warp has something to do. */
static inline bool sm_has_extra(const struct sm *sm)
{
    return UNLIKELY(sm->has_source) && sm->seams.warps->is_pending(sm->seams.warps->self);
}

/* How many wait where instructions go from the scheduler, by pipe. */
static inline const uint8_t *sm_taken(const struct sm *sm, const struct subcore *sub)
{
    return sm->is_fixed ? sub->nentry : sub->nport;
}

/* Slots whose next instruction finds room at its pipe's issue port. */
static inline uint64_t sm_with_room(const struct sm *sm, const struct subcore *sub)
{
    const uint8_t *taken = sm_taken(sm, sub);
    uint64_t can = 0;
    for (unsigned p = 0; p < PIPES; p++)
        if (taken[p] < sm->ports[p])
            can |= sm->wants[p];
    return can;
}

/* Whether every instruction is of one warp and has its registers where the machine puts them. */
static inline bool sm_is_plain(const struct sm *sm)
{
    return LIKELY(!(sm->asked & (WANT_BANK | WANT_PARTNER)));
}

static inline unsigned sm_bank(const struct sm *sm, unsigned reg, unsigned slot)
{
    return LIKELY(sm->bank_mask) ? (reg + slot) & sm->bank_mask
                                 : (reg + slot) % (unsigned)sm->cfg->banks;
}

/* The bank of register `k` of an instruction in flight: of its warp's, or its follower's. */
SM_INLINE unsigned sm_bank_of(const struct sm *sm, const struct inflight *f, unsigned k,
                              bool is_second, bool is_plain)
{
    if (is_plain)
        return sm_bank(sm, f->d->regs[k], f->slot);
    if (sm->asked & WANT_BANK)
        return sm->banks[f - sm->fl][k + (is_second ? SECOND_OPERANDS : 0)];
    return sm_bank(sm, f->d->regs[k], is_second ? (unsigned)f->slot2 : f->slot);
}

static inline void fl_append(struct sm *sm, struct fl_list *l, uint16_t i)
{
    sm->fl[i].next = NO_INFLIGHT;
    if (l->n++)
        sm->fl[l->tail].next = i;
    else
        l->head = i;
    l->tail = i;
}

static inline uint16_t fl_take(struct sm *sm, struct fl_list *l)
{
    const uint16_t i = l->head;
    assert_often(l->n);
    l->head = sm->fl[i].next;
    l->n--;
    return i;
}

static inline unsigned first_of(uint64_t mask)
{
    return (unsigned)__builtin_ctzll(mask);
}

/* The first bit of `mask` (not empty) from `turn` on, wrapping round. */
static inline unsigned next_from(uint64_t mask, unsigned turn)
{
    uint64_t behind = turn < 64 ? mask & (UINT64_MAX << turn) : 0;
    return first_of(behind ? behind : mask);
}

/* inflight.c */
uint16_t inflight_get(struct sm *sm);
void inflight_put(struct sm *sm, uint16_t i);
/* The first that is due is taken out; NO_INFLIGHT: none is. */
uint16_t fl_take_due(struct sm *sm, struct fl_list *l, cycle_t now);
/* When the next is due. */
cycle_t fl_next_due(const struct sm *sm, const struct fl_list *l);

/* asked.c: what is bound at the pipeline's seams is asked */
void asked_init(struct sm *sm);
/* An instruction that takes no time was executed as `s` says. */
void asked_folded(struct sm *sm, unsigned slot, const struct dinst *d, const struct step *s);
/* Costs and banks of an instruction in flight that `w` has executed as `s` says. */
void asked_cost(struct sm *sm, uint16_t i, unsigned slot, struct warp *w, const struct step *s,
                bool is_extra);
/* What is to be issued before the warp's next, `d`, or itself; asks who follows. */
const struct dinst *asked_next(struct sm *sm, unsigned slot, const struct dinst *d);
void asked_issue_first(struct sm *sm, unsigned slot, cycle_t now);
/* warp_step() between before() and loaded(). */
void asked_resumed(struct sm *sm, unsigned slot, const struct dinst *d, uint32_t mask);
/* Of schedulers that have issued nothing for so many cycles: those whose warps are held. */
void asked_held(struct sm *sm, uint64_t cycles);
bool asked_step(struct sm *sm, unsigned slot, const struct dinst *d, cycle_t now, struct step *s);

/* sm_policy.c */
void sm_drop_moves(struct sm *sm);
/* Holds that are over; the next that will be. */
void sm_end_holds(struct sm *sm, cycle_t now);
cycle_t sm_next_hold(const struct sm *sm);

/* pairs.c */
/* Whether its follower, if it has one, can go with the warp's next, `d`, or sits out. */
bool pair_is_free(const struct sm *sm, unsigned slot, const struct dinst *d);
/* Asks who follows; before `d` is offered. */
void pair_look(struct sm *sm, unsigned slot, const struct dinst *d);
/* The follower, if it has one, goes by itself. */
void pair_part(struct sm *sm, unsigned slot);
/* The leader waits at a barrier: a follower that does not goes by itself, since it may have to come
 * there. */
void pair_wait(struct sm *sm, unsigned slot);
/* The follower that takes part in the warp's next instruction, or NO_PARTNER. */
int pair_of(const struct sm *sm, unsigned slot);
/* Of those, followers whose state has changed: their leaders are looked at. */
void pair_look_again(struct sm *sm, uint64_t followers);

/* scoreboard.c */
bool scoreboard_is_free(const struct sm *sm, unsigned slot, const struct dinst *d);
void scoreboard_reserve(struct sm *sm, unsigned slot, const struct dinst *d);
/* The instruction's registers are written; the warp's next instruction may become ready. */
void scoreboard_release(struct sm *sm, unsigned slot, const struct dinst *d);

/* Whether the warp's next, `d`, finds its registers free, and so does who goes with it. */
static inline bool sm_can_go(const struct sm *sm, unsigned slot, const struct dinst *d)
{
    return scoreboard_is_free(sm, slot, d) && (LIKELY(!sm->follows) || pair_is_free(sm, slot, d));
}

/* Fetches the registers of the warp's next, `d`: there are more warps than the host's caches hold.
 */
static inline void sm_warm_registers(const struct warp_slot *ws, const struct dinst *d)
{
    for (unsigned k = 0; k < d->nwarm; k++) /* a number: nobody says that the place is there */
        __builtin_prefetch((const void *)((uintptr_t)ws->regs + (uintptr_t)d->warm[k] * 64));
}

/* The same and the warp's own state, without a look at it. */
static inline void sm_warm(const struct warp_slot *ws)
{
    __builtin_prefetch(ws->w);
    __builtin_prefetch(&ws->w->ninst);
    __builtin_prefetch(ws->split);
    __builtin_prefetch(ws->frame);
    sm_warm_registers(ws, ws->next);
}

/* fetch.c */
void sm_fetch(struct sm *sm, cycle_t now);
void sm_decode(struct sm *sm, cycle_t now);
void sm_flush_hazards(struct sm *sm, cycle_t now);
/* After the warp's state has changed: which instruction is next, and can it issue? */
void sm_look_at_warp(struct sm *sm, unsigned slot);
/* The next fetch begins where the warp really is. */
void sm_go_to_warp(struct sm *sm, unsigned slot);

/* spill.c */
/* What is to be issued before the buffer's first instruction `d`, or itself. */
const struct dinst *spill_before(const struct warp_slot *ws, const struct dinst *d);
void spill_issue(struct sm *sm, unsigned slot, cycle_t now);
/* `d` was issued for the lanes of the step, in a frame whose local memory begins at `at`. */
void spill_owe(struct sm *sm, unsigned slot, const struct dinst *d, uint32_t at);

/* issue.c */
void sm_issue(struct sm *sm, cycle_t now);
/* The instruction in flight at the memory pipe accesses what the step says. */
void sm_send_memory(struct sm *sm, unsigned slot, uint16_t i);
/* The step that `w` has just done, as an instruction in flight at its pipe's issue port. is_extra:
 * it is not the program's. */
uint16_t sm_send(struct sm *sm, unsigned slot, struct warp *w, const struct dinst *d, cycle_t now,
                 bool is_extra);
/* Before the SM sleeps: why its schedulers will not issue. */
void sm_note_stalls(struct sm *sm);
/* Issue slots in which nothing could be issued, for the reason noted last. */
void sm_count_unissued(struct sm *sm, uint64_t cycles);
/* After a barrier may have opened. */
void sm_look_at_cta(struct sm *sm, unsigned cta);

/* collect.c: issue port -> collector -> pipe entry */
void sm_collect(struct sm *sm, cycle_t now);

/* pipes.c: pipe entry -> result -> write-back */
void sm_pipes(struct sm *sm, cycle_t now);
void sm_write_back(struct sm *sm, cycle_t now);
cycle_t sm_next_result(const struct sm *sm, cycle_t now);
static inline bool sm_has_result(const struct sm *sm, cycle_t now)
{
    return sm->calendar_set[now % CALENDAR / 64] >> (now % 64) & 1;
}
/* An instruction leaves the SM. */
void sm_retire(struct sm *sm, uint16_t i, cycle_t now);
/* Marks the banks of the instruction's results as busy; false if one is busy. */
bool sm_claim_banks(struct sm *sm, uint16_t i);

/* sm_extra.c: an instruction of an extra warp leaves the SM. */
void sm_extra_retire(struct sm *sm, uint16_t i, cycle_t now);
/* Tells the warp_source of what it wants to know of the data cache. */
void sm_extra_listen(struct sm *sm);

/* lsu.c */
void lsu_tick(struct sm *sm, cycle_t now);
void lsu_take(struct sm *sm, cycle_t now);
cycle_t lsu_next(struct sm *sm, cycle_t now);
/* What comes after this look is not there before the window's end. */
static inline void lsu_look_for_answers(struct sm *sm, cycle_t now)
{
    const cycle_t hidden = port_hides_until(sm->in, now);
    sm->lsu.answer_at = port_next(sm->in);
    sm->lsu.look_at = sm->lsu.answer_at < hidden ? sm->lsu.answer_at : hidden;
}
/* When the next is there, of those that are known. */
static inline cycle_t lsu_next_answer(struct sm *sm, cycle_t now)
{
    if (now >= sm->lsu.look_at)
        lsu_look_for_answers(sm, now);
    return sm->lsu.answer_at;
}
/* coalesce.c: what the step accessed, as lines and shared-memory cycles of the instruction. */
void lsu_resolve(struct sm *sm, uint16_t i, const struct step *s);
/* The same for one of shared memory that was executed before: measured then, and taken note of when
 * it is issued. */
struct extra_done;
void lsu_measure_shared(const struct sm *sm, const struct step *s, struct extra_done *out);
void lsu_resolve_shared(struct sm *sm, uint16_t i, const struct extra_done *done);

/* cta_slots.c */
void sm_end_warp(struct sm *sm, unsigned slot, cycle_t now);
/* A block all of whose warps have ended makes room for another of its launch, in its own slots, and
 * where warps have left theirs, in others, if there are enough. */
bool sm_can_follow_block(const struct sm *sm, unsigned cta);
void sm_follow_block(struct sm *sm, unsigned cta, uint64_t number);
/* Blocks whose first cycle has come. */
void sm_start_blocks(struct sm *sm, cycle_t now);
/* The first cycle of the next block to begin. */
cycle_t sm_next_block(const struct sm *sm);
void sm_drop_launches(struct sm *sm);
/* sm.c: counts the residents up to `now`, before they change. */
void sm_count_to(struct sm *sm, cycle_t now);

/* sched_*.c */
/* Blocks and their needs. */
struct cta_need {
    uint64_t registers;
    uint32_t shared_bytes, threads, warps;
};
struct cta_need cta_need_of(const struct sm_cfg *cfg, const struct sm_kernel *k, uint32_t extra);

struct sched_ops {
    /* One of the slots in `ready` (not empty). */
    unsigned (*pick)(struct sm *sm, struct sched *s, uint64_t ready);
    /* Before picking: which of the slots that can issue may. `valid`: slots with an instruction.
     * NULL: all. */
    uint64_t (*narrow)(struct sm *sm, struct sched *s, uint64_t valid, uint64_t can);
};
unsigned sched_oldest_of(const struct sm *sm, uint64_t ready);
extern const struct sched_ops sched_gto_ops, sched_lrr_ops, sched_oldest_ops, sched_two_level_ops;

#endif
