/* G-Scalar's inside. Private to src/tech/gscalar.
 *
 * A kernel's plan says once what each of its instructions reads and writes; an SM keeps a gs_reg,
 * the metadata, of every vector register of every resident warp. Both are plain arrays: an
 * instruction costs a few look-ups, and a pass over the lanes of what it writes. */
#ifndef TECH_GSCALAR_GSCALAR_INT_H
#define TECH_GSCALAR_GSCALAR_INT_H

#include "base/arena.h"
#include "base/vec.h"
#include "ptx/liveness.h"
#include "sm/decode.h"
#include "sm/sm.h"
#include "tech/gscalar/gs_lanes.h"
#include "tech/kernel_plans.h"
#include "tech/tech.h"

enum gs_moves { GS_MOVES_ALWAYS, GS_MOVES_LIVE };
enum gs_hold { GS_HOLD_PIPE, GS_HOLD_COLLECTOR };
enum gs_mask { GS_MASK_EQUAL, GS_MASK_SUBSET };

struct gscalar_cfg {
#define ROWS_FILE "tech/gscalar/gscalar_cfg.def"
#include "parsim/rows_members.h"
};

struct gscalar_stats {
#define ROWS_FILE "tech/gscalar/gscalar_stats.def"
#include "parsim/rows_members.h"
};
extern const struct stat_row gs_stat_rows[];
extern const size_t gs_nstat_rows;

/* --- a kernel --- */

/* One register of an instruction. */
struct gs_operand {
    uint32_t at;    /* place of its (first) gs_reg */
    uint32_t reg;   /* in its function */
    uint8_t words;  /* 32 bits each; 0: a predicate */
    uint8_t number; /* among the instruction's registers: those written first */
};

/* What goes before an instruction that writes a register in part (special move). */
struct gs_move {
    struct dinst d;
    uint32_t regs[3]; /* written, read, the guard of the instruction */
    const struct gs_operand *op;
};

/* Which of an instruction's lanes one stands for: of all, of the lower and of the upper half. */
enum gs_scalar {
    GS_FULL = 1,
    GS_LOW = 2,
    GS_HIGH = 4,
    GS_STEPS = 8, /* the first and the step to the next (gscalar.affine) */
    GS_ALL = GS_FULL | GS_LOW | GS_HIGH | GS_STEPS,
};

/* Instructions whose results have steps if their sources have. */
enum gs_linear { GS_NOT_LINEAR, GS_SUM, GS_PRODUCT, GS_SHIFT };
enum { GS_NO_OPERAND = 0xff };

struct gs_inst {
    const struct gs_operand *src, *dst;
    struct gs_move *moves; /* one for each of dst, or NULL */
    uint8_t nsrc, ndst;
    uint8_t words_read; /* vector registers */
    uint8_t fixed;      /* enum gs_scalar: as far as what is no register says; 0: never */
    uint8_t unit;       /* enum unit */
    bool reads_carry, writes_carry;
    bool is_generic; /* it may be local memory, of which every lane has its own */
    bool is_call;
    bool can_wait;      /* its lanes wait for others, and have their results then */
    bool can_be_scalar; /* it executes lanes independently */
    bool is_of_warp;    /* has a special register that is another in other warps */
    uint8_t address;    /* is_generic: which of src it is */
    uint8_t linear;     /* enum gs_linear */
    bool is_widened;    /* of 32 bits to 64; signed or not */
    bool is_signed;
    uint8_t factor[2]; /* which of src, or GS_NO_OPERAND: one of them must be of one value */
};

struct gs_func {
    const struct dfunc *fn;
    const struct lane_ref *refs; /* by register: where it lies */
    struct gs_inst *code;
    uint32_t *places;      /* by register: of its (first) gs_reg */
    uint32_t first, nregs; /* all of them */
    uint32_t first_inst;   /* number of its first instruction in the kernel */
    struct ptx_live live;
    bool has_live;
};

/* What an instruction's lanes did. */
struct gs_line {
    uint64_t times, lanes, gated, wasted;
};

struct gs_plan {
    struct kernel_plan of;
    struct gs_line *lines; /* gscalar.lines: by SM, then by instruction; else NULL */
    const char **where;    /* of each instruction in the report */
    struct gs_func *funcs;
    uint32_t nfuncs, nregs, ninsts;
    bool has_generic;         /* has accesses whose address says where they go */
    VEC(uint32_t) late_preds; /* predicates (places) that instructions write which can wait */
    struct arena arena, rare; /* what every instruction needs; what few do */
};

/* `by`: who puts moves in. Liveness where `is_live`. */
struct gs_plan *gs_plan_new(const struct kernel *k, const struct decoded *code,
                            const struct sm_cfg *cfg, const void *by, bool is_live);
void gs_plan_free(struct gs_plan *p);
const struct gs_func *gs_plan_func(const struct gs_plan *p, const struct xfunc *fn);
/* Whether the register's value is read behind that point (ptx/liveness.h). */
bool gs_func_is_live(const struct gs_func *f, uint32_t reg, uint32_t point);
unsigned gs_words_of(const struct lane_ref *r);

/* --- an SM --- */

/* Metadata of a vector register, as far as every reader needs it. */
struct gs_reg {
    uint8_t scalar; /* enum gs_scalar; GS_DIVERGENT: for the lanes of `mask` alone */
    uint8_t flags;
    uint8_t arrays; /* of 8: activated by a read */
    uint8_t same;   /* by value over all lanes: equal bytes */
    uint32_t mask;  /* GS_DIVERGENT: of the last write; of a predicate its value */
};
/* The rest, which is kept where somebody wants it. */
struct gs_base {
    uint32_t bvr[2]; /* base value of each half; GS_DIVERGENT: value of its first lane; GS_K_STEPS:
                        of lane 0, and the step */
    uint8_t k[2];    /* equal bytes of the halves, as far as they are not stored; or GS_K_STEPS */
};
enum { GS_K_STEPS = 8 };
enum gs_reg_flag {
    GS_DIVERGENT = 1, /* D: stored as it is */
    GS_PACKED = 2,    /* not as it is: lanes cannot be written alone */
    GS_KNOWN = 4,     /* a predicate's value */
};

/* How a register is stored that all lanes have written. */
struct gs_form {
    /* Fills in what follows from the values: scalar, arrays, GS_PACKED, the base; returns its
     * bytes. */
    unsigned (*pack)(const struct gs_view *v, uint32_t all, struct gs_reg *r, struct gs_base *b);
    /* What the arrays of a lane get of `value`, the rest being left as it was; and back. */
    uint32_t (*put)(const struct gs_base *b, unsigned lane, uint32_t value, uint32_t was);
    uint32_t (*get)(const struct gs_base *b, unsigned lane, uint32_t stored);
    bool has_bytes; /* arrays by byte: a divergent write activates all of a half */
};
extern const struct gs_form gs_form_halves, gs_form_whole, gs_form_scalar, gs_form_deltas,
    gs_form_raw;

enum gs_use {
    GS_USE_SP = 1, /* scalar execution on these pipes */
    GS_USE_SFU = 2,
    GS_USE_MEM = 4,
    GS_USE_HALF = 8,
    GS_USE_DIVERGENT = 16,
    GS_USE_PIPES = GS_USE_SP | GS_USE_SFU | GS_USE_MEM,
    GS_SCALAR_BANK = 32,   /* scalar registers are in one bank of their own */
    GS_META_SCALAR = 64,   /* metadata costs energy for scalar registers alone */
    GS_DELTA_ENERGY = 128, /* circuits with adders */
    GS_NO_CIRCUITS = 256,  /* nothing is encoded or decoded */
};

/* What the designs differ in. */
struct gs_design {
    const struct gs_form *form;
    unsigned uses;        /* enum gs_use */
    unsigned read, write; /* cycles */
    unsigned meta;        /* arrays of metadata */
};

struct gs_slot {
    const struct gs_plan *plan;
    const struct gs_func *func; /* that the last instruction was of, and its frame */
    uint32_t frame;
    struct gs_reg *regs;
    struct gs_base *bases; /* NULL: nobody wants them */
    uint32_t cap;
    uint32_t *owners; /* by function: frame whose registers `regs` has, + 1; 0: none */
    uint32_t owners_cap;
    uint32_t carry;
    bool knows_carry;
    bool is_waiting;        /* lanes wait for results that no instruction will tell of */
    struct gs_wide *wide;   /* gscalar.wide; else NULL */
    struct gs_cells *cells; /* --verify: by place, what the arrays hold; else NULL */
};

enum { GS_SLOTS = 64 };

struct gs_sm {
    const struct gscalar *g;
    const struct gs_design *design;
    uint32_t hold, enter, write, meta;
    uint32_t bank; /* that of scalar registers */
    struct breach *breach;
    struct gscalar_stats stats;
    uint8_t read_rest, write_rest; /* of read_saved16 and write_saved16: 1/32 */
    struct gs_slot slots[GS_SLOTS];
    struct gs_pair *pairs[GS_SLOTS]; /* gscalar.wide */
    struct gs_carry *carry;          /* gscalar.carry; else NULL */
    /* of the instruction that cost() saw last */
    uint64_t in_bank; /* its registers that are in the scalar bank */
    bool is_one;      /* one lane stands for all */
};

struct gscalar {
    const struct gscalar_cfg *cfg;
    const struct sm_cfg *sm_cfg;
    struct gs_design design;
    const char *name;
    struct gs_sm *sms;
    uint32_t nsms;
    const struct stats *stats; /* all of the machine's */
    struct kernel_plan *plans; /* struct gs_plan */
    struct gs_lines *lines;    /* gscalar.lines; else NULL */
    bool verify;
};

/* gs_slots.c: registers of resident warps. */
void gs_slot_start(struct gs_slot *s, const struct gs_plan *p, const struct gscalar *g);
void gs_slot_free(struct gs_slot *s);
/* Whether the last instruction was of this activation. */
static inline bool gs_slot_is_at(const struct gs_slot *s, const struct dfunc *fn, uint32_t frame)
{
    return s->func && s->func->fn == fn && s->frame == frame;
}
/* The function's part of the slot's plan, its registers being those of the frame. */
const struct gs_func *gs_slot_change(struct gs_slot *s, const struct dfunc *fn, uint32_t frame);
static inline const struct gs_func *gs_slot_enter(struct gs_slot *s, const struct dfunc *fn,
                                                  uint32_t frame)
{
    return LIKELY(gs_slot_is_at(s, fn, frame)) ? s->func : gs_slot_change(s, fn, frame);
}
/* The same, but NULL where that would change anything: its registers are unknown. */
const struct gs_func *gs_slot_find(const struct gs_slot *s, const struct dfunc *fn, uint32_t frame);
static inline const struct gs_func *gs_slot_look(const struct gs_slot *s, const struct dfunc *fn,
                                                 uint32_t frame)
{
    return LIKELY(gs_slot_is_at(s, fn, frame)) ? s->func : gs_slot_find(s, fn, frame);
}
/* After a call: the callee's registers, with what the call has copied. */
void gs_slot_call(const struct gs_sm *m, struct gs_slot *s, const struct rf_event *e);
/* Whether it cannot be written in part. */
static inline bool gs_slot_is_packed(const struct gs_slot *s, const struct gs_operand *op)
{
    unsigned flags = 0;
    for (unsigned k = 0; k < op->words; k++)
        flags |= s->regs[op->at + k].flags;
    return flags & GS_PACKED;
}
/* Results may have come for which lanes waited: what is known of predicates may be old. */
void gs_slot_met(struct gs_slot *s, const struct warp *w);
/* Whether some of the lanes wait. */
bool gs_lanes_wait(const struct warp *w, uint32_t mask);
/* Unknown contents. */
void gs_slot_forget(struct gs_slot *s, uint32_t at);
/* The lanes of `mask` have written the register; returns the bytes that it takes. */
unsigned gs_slot_write(const struct gs_sm *m, struct gs_slot *s, uint32_t at, const uint32_t *lane,
                       uint32_t mask, uint32_t all);
/* A scalar instruction has, for all lanes. */
void gs_slot_write_scalar(struct gs_slot *s, uint32_t at, const uint32_t *lane, uint32_t all);
/* A special move has made it lie there as it is. */
void gs_slot_unpack(const struct gs_sm *m, struct gs_slot *s, uint32_t at, uint32_t all);

/* An instruction that was executed. */
struct gs_seen {
    const struct rf_event *e;
    const struct gs_inst *i;
    const struct gs_func *f;
    struct gs_slot *slot;
    uint32_t mask; /* lanes that execute; of control all that reach it */
    bool is_divergent;
    bool is_one;    /* one lane stands for all */
    bool is_late;   /* its results are not there yet */
    unsigned bits;  /* enum gs_scalar: what it was executed as */
    unsigned steps; /* vector registers read that have them */
};

/* gs_affine.c: registers with steps (gscalar.affine). How an instruction is linear; whether two
 * lanes can execute one whose sources all have GS_STEPS; what a register becomes that has them. */
void gs_affine_plan(struct gs_inst *i, const struct dinst *d);
bool gs_affine_can(const struct gs_seen *s);
bool gs_affine_pack(const uint32_t *lane, uint32_t all, struct gs_reg *r, struct gs_base *b);

/* gs_judge.c: reads its sources; for which lanes one could execute it by their metadata, enum
 * gs_scalar. */
unsigned gs_judge(struct gs_sm *m, struct gs_seen *s);
/* Lanes that will execute the warp's next instruction. */
uint32_t gs_next_lanes(struct warp *w, const struct xinst *x);

/* gs_count.c: accesses to registers. */
void gs_count_reads(struct gs_sm *m, struct gs_seen *s);
/* Registers that were read have passed the decompressors. */
void gs_count_decoded(struct gs_sm *m, const struct gs_seen *s);
/* A register was written, whose metadata are those of now; it takes `bytes`. */
void gs_count_written(struct gs_sm *m, const struct gs_seen *s, const struct gs_operand *op,
                      unsigned bytes);
void gs_count_move(struct gs_sm *m, const struct gs_slot *slot, const struct gs_operand *op);

/* gs_cost.c: the functions of rf_policy. */
void gs_cost(void *self, const struct rf_event *e, struct rf_cost *cost);
void gs_folded(void *self, const struct rf_event *e);
uint32_t gs_bank(void *self, const struct rf_event *e, unsigned k, uint32_t bank);
void gs_start(void *self, unsigned slot, const struct warp *w, uint32_t registers);
void gs_end(void *self, unsigned slot);
void gs_waited(void *self, unsigned bank, uint32_t operands);
/* gs_issue.c: of issue_policy. */
const struct dinst *gs_precede(void *self, struct sm *sm, unsigned slot, struct warp *w,
                               const struct dinst *d);
uint32_t gs_initiation(void *self, const struct rf_event *e, uint32_t initiation);

/* gs_verify.c: what the arrays hold, and that all of it comes back. A difference is a breach, which
 * ends the run. */
struct gs_cells {
    uint32_t lane[WARP_LANES]; /* as stored */
    uint32_t known;            /* lanes whose contents are known */
};
void gs_verify_written(const struct gs_form *form, const struct gs_slot *s, uint32_t at,
                       const uint32_t *lane, uint32_t mask);
/* issue_policy.before: every register that an instruction reads. */
void gs_verify_sources(void *self, struct sm *sm, unsigned slot, struct warp *w,
                       const struct dinst *d);
/* What lanes have computed that one stood for. */
void gs_verify_results(struct gs_sm *m, const struct gs_seen *s);

/* gs_wide.c: pairs of warps as warps of 64 threads. */
void gs_wide_start(struct gs_sm *m, unsigned slot, const struct warp *w);
void gs_wide_end(struct gs_sm *m, unsigned slot);
void gs_wide_free(struct gs_sm *m);
/* `bits`: enum gs_scalar, for which of its lanes one could execute it. Before its results are
 * noted. */
void gs_wide_note(struct gs_sm *m, const struct gs_seen *s, unsigned bits);

/* gs_lines.c: PTX lines ranked by lanes. */
struct gs_lines *gs_lines_new(void);
void gs_lines_free(struct gs_lines *l);
/* After its results are noted; `gated` of its lanes did not execute. */
void gs_lines_note(const struct gs_sm *m, const struct gs_seen *s, uint64_t gated);
/* A plan counts, and what it has counted is taken. */
void gs_lines_begin(struct gs_plan *p, uint32_t nsms);
void gs_lines_end(struct gs_lines *l, struct gs_plan *p, uint32_t nsms);
bool gs_lines_write(struct gs_lines *l, const char *path, struct err *err);

/* gs_carry.c: encodings that travel. After its results are noted; once all designs are bound. */
void gs_carry_note(struct gs_sm *m, const struct gs_seen *s);
bool gs_carry_bind(struct gscalar *g, struct tech_seams *seams, struct err *err);

/* gscalar.c */
extern const struct gs_design gs_variants[];
void gs_sm_init(struct gs_sm *m, const struct gscalar *g);
void gs_launch(struct gscalar *g, const struct kernel *k, const struct decoded *code);
void gs_sm_free(struct gs_sm *m);
void gs_plans_free(struct gscalar *g);
struct rf_policy gs_registers(struct gs_sm *m);
struct issue_policy gs_issue(struct gs_sm *m);

#endif
