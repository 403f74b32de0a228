/* The inside of an Assist Warp Controller. Private to its files and their tests. */
#ifndef TECH_ASSIST_AWC_INT_H
#define TECH_ASSIST_AWC_INT_H

#include "base/u64map.h"
#include "base/vec.h"
#include "exec/ldst_lanes.h"
#include "sm/sm.h"
#include "sm/sm_extra.h"
#include "tech/assist/ahead.h"
#include "tech/assist/awc.h"
#include "tech/assist/memo_regions.h"

enum {
    AWC_LINE = 128,
    AWC_WINDOWS = 2 * AWC_LINE + 16,
    AWC_SLOTS = 64,
    AWC_SCHEDULERS = 16,
    AWC_STAGED = 8,
    NO_SLOT = UINT32_MAX
};
#define AWAITS_NOTHING UINT64_MAX

/* One execution of a routine, from its trigger to its end. */
struct instance {
    const struct routine *r;
    unsigned slot; /* parent; NO_SLOT: not yet known, the job says */
    uint32_t mask;
    addr_t addr;
    uint64_t value;
    uint16_t inst;                     /* number of the load */
    const struct memo_region *region;  /* of the parent, or NULL */
    const struct xfunc *fn;            /* where it is */
    bool holds;                        /* the parent in its slot */
    bool on_spares;                    /* never on its parent's registers */
    bool is_new;                       /* has not been looked at */
    bool is_unseen;                    /* since it began to wait, for whichever routine */
    cycle_t triggered, started, began; /* `began`: with its first routine */
    struct instance *next;
    /* of a job */
    bool is_job;
    struct codec_job job;
    uint8_t algorithm;      /* that it tries now */
    uint8_t best_algorithm; /* of those tried */
    uint16_t best_bytes, code_bytes;
    int8_t form;                 /* that it tries; -1: it finds one, or its codec has none */
    bool has_to_search;          /* whichever won last */
    bool is_searched, form_fits; /* all forms were tried; the last one's predicate */
    uint64_t form_mask;
    uint64_t area;            /* of its line */
    addr_t addrs[WARP_LANES]; /* of its lanes; 0: none; of a region, its inputs by lane */
    /* Of a line to be decoded, `raw` is for the comparison alone. Behind its bytes, code is 0. */
    uint8_t raw[AWC_LINE], code[AWC_LINE];
};

/* A row of the Assist Warp Table. Priority, SR.ID and SR.End are the routine's. What is looked at
 * in every cycle, with the first members of `x`, is one line of the host's cache. */
struct awt_row {
    _Alignas(64) struct instance *in;
    const struct dfunc *fn; /* Inst.ID: the next to stage */
    uint64_t bit;           /* of the table's sets */
    uint32_t pc;
    uint8_t nstaged;         /* in the Assist Warp Buffer: those before pc */
    uint8_t nahead, nissued; /* instructions executed when it started; of those, issued */
    bool has_begun : 1, has_ended : 1, is_killed : 1;
    bool has_registers : 1;                          /* its warp's */
    bool has_spare : 1;                              /* registers that no warp has */
    struct extra_warp x;                             /* has the warp id and registers in use */
    char *params;                                    /* live-in, AWS_PARAM_BYTES */
    _Alignas(64) struct extra_done done[AHEAD_MOST]; /* what each of nahead did */
};
static_assert(offsetof(struct awt_row, x.pending) <= 64, "what is looked at lies in one line");

/* What a routine needs on an SM. */
struct awc_context {
    struct launch launch;
    struct grid grid;
    struct cta *cta;
    uint32_t group;     /* the routine whose registers it uses */
    uint64_t active;    /* slots whose registers of this group are in use */
    uint64_t next_at;   /* ON_EVERY: the counter's value that triggers; ON_INTERRUPT: the cycle */
    uint64_t on_spares; /* slots with an instance of it, on spare registers */
    uint32_t nwaiting;
    bool is_stepped;          /* it did not come to its end ahead: it is executed as it is issued */
    struct extra_done *known; /* of routine.alike: how it was the first time; no lanes: not yet */
    struct ldst_place *places; /* and where they lay */
    /* routine.repeats: all of that is known, and `ahead` has all that an instance is given but its
     * predicates. */
    bool is_known;
    struct warp ahead; /* that executes what can go ahead */
    char *params;      /* of those */
};

/* How busy the SM's way to memory is (awc_prefetch.c). */
struct memory_meter {
    cycle_t from;
    uint64_t lsu, replies;          /* counters when the window began */
    uint64_t mshrs, samples;        /* in use, summed over the window's triggers; those */
    uint64_t fetches, read, unused; /* counters when prefetches were judged last */
    uint64_t taken;                 /* instances since */
    uint32_t rest;                  /* windows without prefetches that remain */
    bool is_busy;
};

/* Memoization (awc_memo.c). */
struct memo {
    const struct routine *lookup, *update; /* NULL: there is none */
    struct memo_func {
        struct memo_region *regions;
        uint32_t nregions;
        uint32_t first; /* number of its first region */
    } * funcs;
    uint32_t nfuncs;
    struct u64map by_fn; /* struct xfunc * -> place in funcs */
    uint32_t entries;    /* of the table, now */
    /* by slot: the region that runs since its lookup missed, its lanes and inputs */
    const struct memo_region *open[AWC_SLOTS];
    uint32_t mask[AWC_SLOTS];
    uint32_t in[AWC_SLOTS][MEMO_INPUTS][WARP_LANES];
    cycle_t since[AWC_SLOTS];
    uint32_t lookups, hits; /* of the window */
    uint32_t rest, pause;   /* regions that are not looked up, still and as of late */
    uint64_t looked, lookup_cycles, ran, region_cycles; /* what lookups and regions took */
};

/* Whether compression is worth trying (awc_worth.c). */
struct awc_worth {
    uint32_t tried, encoded; /* lines of the window */
    uint32_t rest, pause;    /* lines that are not tried, still and as of late */
};

/* The form that won last, for a codec; how many stores ago all were tried. */
struct awc_form {
    int8_t form;
    bool is_known;
    uint32_t since;
};

/* What was learned of lines that lie near each other: those of a data structure take one form. */
struct awc_area {
    uint64_t number; /* area 0 is nobody's: its entries are empty */
    struct awc_worth worth;
    struct awc_form forms[LINE_CODECS];
};
enum { AWC_AREAS = 16 };

/* A store that waits for further writes of its line. */
struct held_store {
    struct codec_job job;
    cycle_t due;
};

struct instance_list {
    struct instance *head, *tail;
    uint32_t len;
};

/* What is looked at in every cycle comes first, what is large last. */
struct awc {
    const struct aws *aws;
    const struct assist_cfg *cfg;
    const struct sm_cfg *sm_cfg;
    struct awt_row *rows;
    uint64_t all_rows;
    uint64_t used, high, staged; /* rows; those with something in the buffer */
    /* Rows that a look would find as they were: nothing to stage, or with a first instruction that
     * is not ready, until one of theirs has issued or ended. */
    uint64_t stuck, unready;
    uint64_t ended;             /* rows that have nothing more to issue */
    uint64_t awaits[AWC_SLOTS]; /* by row: registers of which what is stuck waits for one; 0: for
                                   something else; AWAITS_NOTHING: nothing is left to stage */
    uint64_t full; /* rows for which there was no room in the buffers of their warps, nor is */
    uint32_t waiting_low;
    uint16_t low_staged;
    bool may_start; /* something waits, and something has changed */
    bool has_changed;
    bool is_quiet;  /* nothing to do before the next event */
    bool has_moved; /* in this cycle */
    bool is_throttled;
    bool is_alone; /* no program is on the SM */
    bool is_bare;  /* warps have no registers for instances */
    bool has_interrupts;
    bool has_lookup; /* memo.lookup */
    bool verify;
    unsigned deploy_turn;
    unsigned nrows, ibuffer, deploy_width, low_entries; /* of the configuration */
    uint32_t nstores;                                   /* jobs that wait in this room */
    uint32_t spare_lines; /* of room.shared_lines, that the present kernel's blocks leave */
    struct instance_list inbox, waiting; /* jobs whose parent is not known; all others */
    VEC(struct codec_job) done;
    size_t done_at;
    VEC(struct held_store) held; /* stores that are kept for other parts, by age; from held_at on */
    size_t held_at;
    const struct sm *host; /* whose controller it is, once it has been asked */
    cycle_t alone_since, window_from, measure_at;
    uint64_t spare_seen; /* shared memory that blocks leave, when that was measured last */
    uint32_t nsched;
    /* What has changed since what waits was looked at last: registers of these warps; others, or
     * the table (has_changed). */
    uint64_t freed_slots;
    uint64_t spares_seen;         /* registers that no block had then */
    struct awc_context *contexts; /* by routine */
    char **shared;                /* by module */
    struct warp *warps;           /* by row, for whichever routine is there */
    struct instance *free_instances;
    const struct line_codecs *codec;
    struct store_room room;
    uint32_t spares_used; /* registers */
    uint32_t sm;
    unsigned slot_turn;
    unsigned turn[AWC_SCHEDULERS];
    uint64_t of_sched[AWC_SCHEDULERS];
    uint8_t slot_staged[AWC_SLOTS];
    uint64_t slot_rows[AWC_SLOTS]; /* of high priority */
    uint16_t blockers[AWC_SLOTS];
    struct assist_stats stats;
    struct assist_codec_stats codec_stats;
    uint64_t window_active, window_busy, window_lsu;
    uint32_t (*registers)(const void *ctx, const struct kernel *k); /* or NULL */
    const void *registers_ctx;
    struct awc_area areas[AWC_AREAS];
    struct memory_meter meter;
    struct memo memo;
    /* By algorithm, fill or store, and form + 1: routines that were looked for; NULL: not yet. */
    const struct routine *routine_of[LINE_CODECS][2][UINT8_MAX + 2];
    struct assist_interrupt_stats interrupt_stats;
    _Alignas(AWC_LINE) char windows_ahead[AWC_WINDOWS]; /* of what goes ahead */
    uint32_t have_forms;                                /* algorithms, as bits */
    uint8_t forms_of[AWC_LINE + 1]; /* forms of bdi-lanes of that length, as bits */
};

void instance_append(struct instance_list *l, struct instance *in);
/* A new one, all 0; of a job, only line and code are what they were. */
struct instance *instance_new(struct awc *c, bool is_job);
void instance_free(struct awc *c, struct instance *in);
static inline uint64_t awc_interrupt_cycles(const struct awc *c, const struct routine *r)
{
    return r->decl.every ? r->decl.every : (uint64_t)c->cfg->interrupt_cycles;
}
static inline uint32_t instance_registers(const struct instance *in)
{
    return in->r->kernel->regs * WARP_LANES;
}

/* awc_waiting.c: an instance is triggered; its parent is known, or the job says. */
void awc_trigger(struct awc *c, struct sm *sm, struct instance *in, cycle_t now);
/* It waits for a row; it ends, and its parent goes on without it. */
void awc_put_waiting(struct awc *c, struct instance *in);
void awc_detach(struct awc *c, struct sm *sm, const struct instance *in, cycle_t now);
/* Jobs of the L1 get their parents; what can begin does, in order, past those whose registers are
 * in use; stores leave raw where nothing is left that they could be hidden behind. */
void awc_resolve_inbox(struct awc *c, struct sm *sm);
void awc_start_waiting(struct awc *c, struct sm *sm, cycle_t now);
void awc_drop_stores(struct awc *c, struct sm *sm, cycle_t now);
/* Whether no row is free. */
static inline bool awc_is_full(const struct awc *c)
{
    return c->used == c->all_rows;
}
/* At most one is in the set. */
static inline bool awc_is_only(uint64_t rows)
{
    return !(rows & (rows - 1));
}
/* awc_table.c: whether the instance's registers are free, of those that its warp has, and where
 * that is kept. */
bool awc_is_free(struct awc *c, const struct sm *sm, const struct instance *in);
/* Warps have no registers for instances, and there are others. */
static inline bool awc_is_bare(const struct awc *c, const struct sm *sm, const struct instance *in)
{
    return c->is_bare && instance_registers(in) <= extra_spare_registers(sm);
}
uint64_t *awc_group_active(struct awc *c, const struct instance *in);
/* The instance takes a row and its registers; it is killed. */
void awc_row_start(struct awc *c, struct sm *sm, struct instance *in, cycle_t now);
void awc_row_kill(struct awc *c, struct sm *sm, struct awt_row *row, cycle_t now);
void awc_kill_orphans(struct awc *c, struct sm *sm, cycle_t now);
/* Of warp_source. */
void awc_retired(void *self, struct sm *sm, struct extra_warp *x, cycle_t now);
/* Its staged instructions are dropped; its registers may serve another instance. */
void awc_flush(struct awc *c, struct awt_row *row);
void awc_release_registers(struct awc *c, struct awt_row *row);
static inline uint64_t awc_row_bit(const struct awt_row *row)
{
    return row->bit;
}
static inline uint64_t *awc_awaits(struct awc *c, const struct awt_row *row)
{
    return &c->awaits[__builtin_ctzll(row->bit)];
}
static inline struct awt_row *awc_row_of(struct extra_warp *x)
{
    return (struct awt_row *)(void *)((char *)x - offsetof(struct awt_row, x));
}
/* The first of its staged instructions, which follow each other; with none, the next to stage. */
static inline uint32_t awc_row_first(const struct awt_row *row)
{
    return row->pc - row->nstaged;
}
/* Of its instance; from the table, which is nearer than the instance. */
static inline bool awc_row_is_high(const struct awc *c, const struct awt_row *row)
{
    return c->high & awc_row_bit(row);
}
/* The row's next instruction may be staged, or issue, now if it could not before. */
static inline void awc_look_again(struct awc *c, const struct awt_row *row)
{
    c->stuck &= ~awc_row_bit(row);
    c->unready &= ~awc_row_bit(row);
}
/* The same when one has been written: the next to stage may wait for others still. */
static inline void awc_look_at_written(struct awc *c, const struct awt_row *row)
{
    const uint64_t awaits = *awc_awaits(c, row);
    if (!(awaits & row->x.busy) && awaits != AWAITS_NOTHING)
        c->stuck &= ~awc_row_bit(row);
    c->unready &= ~awc_row_bit(row);
}
/* awc_ahead.c: whether the instance's instructions are executed when it starts; executes them.
 * False: they are to be executed as they are issued. */
bool awc_can_go_ahead(const struct awc *c, const struct sm *sm, const struct instance *in);
bool awc_go_ahead(struct awc *c, struct sm *sm, struct awt_row *row, cycle_t now);
/* SR.End: the return with all lanes takes no slot, the table knows where the routine ends. */
static inline bool awc_is_end(const struct awt_row *row, const struct dinst *d)
{
    const struct split *s = warp_top(row->x.w);
    return (d->flags & DINST_RETURN) && !s->frame->caller && s->mask == row->x.w->live;
}
/* awc_buffer.c: those of warp_source; and stages instructions of one instance, in turn. */
bool awc_issue_first(void *self, struct sm *sm, unsigned sched, cycle_t now);
bool awc_issue_idle(void *self, struct sm *sm, unsigned sched, cycle_t now);
void awc_deploy_next(struct awc *c);
/* awc_triggers.c */
uint32_t awc_events(const struct awc *c);
void awc_event(void *self, struct sm *sm, const struct extra_trigger *t, cycle_t now);
/* Whether a routine that takes spare registers can find enough, of all that there are. */
bool awc_has_spares(const struct awc *c, const struct sm *sm, const struct routine *r);
/* awc_throttle.c: whether instances of low priority must wait from now (measure_at) on. */
void awc_measure(struct awc *c, const struct sm *sm, cycle_t now);
/* awc_prefetch.c: whether routines that go when memory is idle must not go now. */
bool awc_memory_is_busy(struct awc *c, const struct sm *sm, cycle_t now);
/* awc_memo.c: an instruction of the slot's warp has issued; whether the registers that an instance
 * of a region reads are written; what a lookup has found. */
void memo_init(struct memo *m, const struct aws *s);
void memo_free(struct memo *m);
void awc_memo_event(struct awc *c, struct sm *sm, unsigned slot, cycle_t now);
bool awc_memo_is_ready(struct awc *c, const struct sm *sm, const struct instance *in);
void awc_memo_finish(struct awc *c, struct sm *sm, const struct awt_row *row, cycle_t now);
/* awc_codec.c: the windows before; and what has become of the line. True: the instance goes on with
 * another routine. */
void awc_load_line(const struct instance *in, char *src);
bool awc_finish_job(struct awc *c, struct sm *sm, struct awt_row *row);
/* The routine for its line, or for the form that it tries. */
const struct routine *awc_routine_of(struct awc *c, const struct instance *in);
/* Stores that were held long enough, or for which there is no more time, go on. */
void awc_release_held(struct awc *c, cycle_t now, bool all);
/* A store's job that comes to nothing: it leaves raw. */
void awc_drop_job(struct awc *c, struct instance *in);
/* awc_worth.c: what is known of lines near this one; whether its store is tried at all; what has
 * become of one that was. */
uint64_t awc_area_number(const struct awc *c, addr_t line);
struct awc_area *awc_area_at(struct awc *c, uint64_t number);
bool awc_is_worth_trying(struct awc *c, addr_t line);
void awc_note_worth(struct awc *c, addr_t line, bool is_encoded);
/* awc_forms.c: lengths of forms are noted; and which of the codecs bound have some. The predicates
 * of a routine get the line's mask, its addresses their steps; what they say behind the last
 * instruction is kept. */
void awc_forms_init(struct awc *c);
void awc_forms_bind(struct awc *c);
void awc_forms_begin(struct awt_row *row, uint32_t window);
void awc_forms_give_mask(struct awt_row *row);
void awc_forms_end(struct awt_row *row);
/* Its bytes in the form that the line came in; false: its codec has none, or it has changed. */
bool awc_forms_encode(const struct awc *c, struct instance *in, const void *bytes);
/* The form that a store tries first; whether one has won meanwhile, where it was open, and it takes
 * that. */
void awc_forms_choose(struct awc *c, struct instance *in);
bool awc_forms_has_won(struct awc *c, const struct instance *in);
void awc_forms_choose_again(struct awc *c, struct instance *in);
/* Behind a routine: form and mask are written to `dst`, `result` is the code's length (of a search,
 * the form that it found); whether another routine is to follow. */
void awc_forms_close(const struct awc *c, struct instance *in, void *dst, uint32_t *result);
bool awc_forms_go_on(struct awc *c, struct instance *in, uint32_t *result);
/* What the codec library says that `result` should be; in->code has the bytes. */
unsigned awc_forms_expect(const struct awc *c, struct instance *in);
bool awc_forms_is_search(const struct awc *c, const struct instance *in);
/* Windows as shared addresses of a module: of a row, or of what goes ahead. */
struct awc_windows {
    uint32_t line, result;
};
struct awc_windows awc_windows_of(const struct awc *c, const struct awt_row *row);
/* awc_table.c: what the routine's parameters ask for. */
void awc_fill_params(const struct awc *c, const struct instance *in, const struct awc_windows *at,
                     char *params);
/* What the row's instance has left in its windows: dst, and the word at result. */
char *awc_results(const struct awc *c, const struct awt_row *row, uint32_t *result);

static inline bool instance_is_high(const struct instance *in)
{
    return in->r->decl.is_high;
}

#endif
