/* Redundant multithreading on assist warps, of one SM. Private to its files and their tests.
 *
 * Every warp of the program has an assist warp with registers of its own, which executes its lane
 * arithmetic (the covered code of the kernel's entry function) once more: from its own registers,
 * which get what everything else writes (loads, exchanges between lanes, calls). Before a value can
 * leave the covered code, that is before the warp's next instruction that is not covered, the
 * assist warp has to come to that place, and instructions compare the registers of both: those
 * that were written since the last time and those that the instruction reads. Where they differ a
 * fault is found, and the program's registers get the assist warp's values: nothing wrong has left.
 *
 * Who compares knows nothing of the faults that are injected (rmt_faults.c). */
#ifndef TECH_RMT_INT_H
#define TECH_RMT_INT_H

#include "base/rng.h"
#include "base/vec.h"
#include "exec/step.h"
#include "exec/warp.h"
#include "parsim/tech.h"
#include "ptx/liveness.h"
#include "sm/sm_extra.h"
#include "stats/stats.h"

enum { RMT_SLOTS = 64, RMT_SCHEDULERS = 16 };
extern const char *const rmt_fault_names[];
enum rmt_fault_in { RMT_RESULT, RMT_REGISTER };

struct rmt_cfg {
#define ROWS_FILE "tech/rmt/rmt_cfg.def"
#include "parsim/rows_members.h"
};
struct rmt_stats {
#define ROWS_FILE "tech/rmt/rmt_stats.def"
#include "parsim/rows_members.h"
};

/* What is known of a function before it runs. */
struct rmt_code {
    const struct dfunc *fn;
    uint32_t nregs, first;  /* registers, and the number of the first */
    bool *is_covered;       /* by pc */
    struct dinst *copies;   /* by register: the assist warp takes it over */
    struct dinst *compares; /* by register: both are read */
    struct ptx_live live;
    uint32_t *numbers; /* what the instructions above have as registers */
};

/* Of a check: none is under way; covered code is to be executed first; registers are compared. */
enum rmt_phase { RMT_FREE, RMT_DRAIN, RMT_COMPARE };

/* Of covered code: to be executed again. */
struct rmt_entry {
    const struct dinst *d;
    uint32_t active; /* lanes of its split; its guard is the assist warp's */
};

/* A register that an instruction beyond covered code writes. */
struct rmt_copy {
    uint32_t reg, mask;
    bool is_late; /* its value is not there yet */
};

struct rmt_fault {
    bool is_open;
    uint32_t reg;
    cycle_t at;
};

/* A warp of the program and its assist warp. */
struct rmt_warp {
    struct extra_warp x;         /* first: its address is this one's */
    const struct rmt_code *code; /* NULL: no warp, or none that has issued */
    const struct frame *frame;   /* the warp's, of its entry function */
    char *regs;                  /* the assist warp's */
    /* by register: the lanes that it has; of those, what covered code wrote; whether it is to be
     * compared */
    uint32_t *lanes, *covered;
    bool *is_written;
    uint32_t ncompare; /* registers that are */
    VEC(struct rmt_entry) queue;
    size_t at; /* its first */
    VEC(struct rmt_copy) copies;
    /* what the warp should execute next, and with which lanes; NULL: not known */
    const struct xinst *expected;
    uint32_t active;
    const struct dinst *next; /* that waits for the check */
    enum rmt_phase phase;
    bool is_blocked, is_full;
    bool is_away;   /* the warp waits for others: what it does next is not known yet */
    bool is_ending; /* it is held, until its assist warp's last instruction has ended */
    bool differs;   /* a comparison has said so */
    uint32_t ncompared;
    cycle_t since;
    struct rmt_fault fault;
};

/* Kernels whose blocks have no room for twice the registers: they run without. */
struct rmt_bare {
    VEC(const struct kernel *) kernels;
};
bool rmt_is_bare(const struct rmt_bare *b, const struct kernel *k);

struct rmt {
    const struct rmt_cfg *cfg;
    const struct rmt_bare *bare; /* of all SMs */
    const struct sm_cfg *sm_cfg;
    struct rmt_warp warps[RMT_SLOTS];
    uint64_t busy;  /* slots with something to do */
    uint64_t first; /* of those: their warp waits */
    uint64_t of_sched[RMT_SCHEDULERS];
    unsigned turn[RMT_SCHEDULERS];
    VEC(struct rmt_code *) codes;
    struct rng rng;
    uint64_t faults_left, next_fault;
    struct rmt_stats stats;
};

void rmt_init(struct rmt *r, const struct rmt_cfg *cfg, const struct sm_cfg *sm_cfg,
              const struct rmt_bare *bare, uint32_t sm);
void rmt_free(struct rmt *r);
/* A kernel is about to begin. False: others run. */
bool rmt_launch(struct rmt *r);

/* rmt_code.c: what is known of the function, made when it is met first; whether a register may be
 * read from `pc` on. */
const struct rmt_code *rmt_code_of(struct rmt *r, const struct dfunc *fn);
void rmt_codes_free(struct rmt *r);
bool rmt_is_live(const struct rmt_code *c, uint32_t reg, uint32_t pc);

/* rmt.c: for struct warp_source. */
void rmt_event(void *self, struct sm *sm, const struct extra_trigger *t, cycle_t now);
void rmt_deploy(void *self, struct sm *sm, cycle_t now);
bool rmt_is_pending(const void *self);
/* rmt_issue.c: of the same; and one instruction of the assist warp, outside of time. */
bool rmt_issue_first(void *self, struct sm *sm, unsigned sched, cycle_t now);
bool rmt_issue_idle(void *self, struct sm *sm, unsigned sched, cycle_t now);
void rmt_execute(struct rmt *r, struct rmt_warp *v, const struct rmt_entry *e);
/* Where the warp's register lies, that the assist warp has a second of. */
char *rmt_register(const struct rmt_warp *v, uint32_t reg);
/* The register is to be compared when the warp is checked. */
void rmt_mark(struct rmt_warp *v, uint32_t reg);
/* Whether the warp's register and the assist warp's are the same, in the lanes that this one has;
 * the assist warp takes the warp's, the warp the assist warp's. */
bool rmt_same(const struct rmt_warp *v, uint32_t reg);
void rmt_take_over(struct rmt_warp *v, uint32_t reg, uint32_t mask);
void rmt_restore(struct rmt_warp *v, uint32_t reg);

/* rmt_faults.c: after a covered instruction was executed by the lanes of `mask`, and recorded; what
 * has become of a fault, when a check has ended, and when the warp has. */
void rmt_inject(struct rmt *r, struct rmt_warp *v, const struct dinst *d, uint32_t mask,
                cycle_t now);
void rmt_judge(struct rmt *r, struct rmt_warp *v, cycle_t now);
void rmt_close_fault(struct rmt *r, struct rmt_warp *v);

#endif
