/* What a technique is, and what it may know of a machine and plug into.
 *
 * In the tree a technique is a folder of src/tech and a row of techs.def; outside it is a library
 * that `--plugin FILE.so` loads, built from this header alone (docs/techniques.md). Either way one
 * struct technique owns all of it: the designs that --with takes, its section of the configuration,
 * its energy, its options, and bind(), which puts policies into seams of the machine that
 * is being built and adds statistics.
 *
 * Every channel (with its L2 slices) and every SM may run on a host thread of its own: a policy's
 * state belongs to one of them. Between them only the functions of struct tech_part may reach,
 * which are called when nothing runs. Results must not depend on addresses, time or threads of the
 * host. */
#ifndef PARSIM_TECH_H
#define PARSIM_TECH_H

#include "parsim/rows.h"
#include "parsim/seams.h"
#include "parsim/wrap.h"
#include "parsim/wrap_mem.h"

/* Of all of include/parsim that a plug-in sees: another number is another interface. */
#define PARSIM_TECH_VERSION 11

#define TECH_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* Copies of what opaque arguments of seams say. */
struct tech_request {
    addr_t addr;
    uint32_t bytes, wire_bytes;
    enum mem_kind kind;
    enum mem_space space;
    uint16_t sectors, full; /* of the asker's line: asked for; of a write, wholly written; of a
                               read all of it, in answer() what the slice holds of it */
    uint16_t src, dst;      /* nodes of the interconnect */
    uint16_t encoded_bytes; /* the line travels encoded, in so many bytes; 0: raw */
    uint16_t slot;          /* of the warp whose store or bypassing read it is */
    uint8_t meta;           /* a technique's (packet_policy) */
    const void *owner;      /* the cache that asks, to be compared with others */
};

struct tech_access {
    addr_t addr;
    uint32_t bytes;
    uint16_t sectors, full;
    enum mem_kind kind;
    enum mem_space space;
    bool is_prefetch;
};

struct tech_inst {
    bool is_load, is_store, is_atomic, is_control, is_barrier;
    bool is_guarded; /* a predicate says which lanes execute it */
    bool is_spill;   /* not the program's: moves a spilled register */
    const void *by;  /* of move(): who asked for it */
    enum inst_space space;
    enum inst_unit unit;
    uint64_t addr;           /* of the kernel's code, of each instruction another; 0: not its own */
    uint8_t nwritten, nread; /* registers */
    uint16_t latency, initiation;
};

/* A warp of the program in a slot of an SM. */
struct tech_warp {
    bool is_there;
    uint64_t age;             /* an older one has a smaller number */
    uint32_t number;          /* in its block */
    uint32_t all, live;       /* lanes: that have a thread, that have not exited */
    const struct dinst *next; /* that it will issue, or NULL: not known yet */
};

/* Something that a technique shows on a timeline. */
struct tech_mark {
    const char *name; /* letters, digits, '_' and '-'; lives as long as the technique */
    uint64_t number;  /* shown behind it */
    cycle_t begin, end;
};

/* What the machine does for a technique. */
struct tech_api {
    uint32_t version; /* PARSIM_TECH_VERSION */
    /* Fills in the message and returns false. */
    bool (*fail)(struct err *err, const char *fmt, ...) TECH_PRINTF(2, 3);
    uint32_t (*count)(const struct tech_machine *m, enum tech_per per);
    /* "section.field" of the machine as text; false: there is none. */
    bool (*setting)(const struct tech_machine *m, const char *key, char *buf, size_t size);
    /* The bytes behind an address now; NULL: not in device memory. */
    const void *(*bytes_at)(const struct tech_machine *m, addr_t addr, uint32_t bytes);
    /* Puts something on the timeline of SM, slice or channel `i` (--trace): from within the
     * functions of its seams, in cycles of its clock. Without a timeline nothing is done. */
    void (*mark)(const struct tech_machine *m, enum tech_per per, uint32_t i,
                 const struct tech_mark *what);
    /* The seam's array: one element of its type an SM, slice or channel, each bound, of which the
     * technique may change all or some. `name`: at->design->name. TAKE_ALONE: NULL and an error
     * that names both, if a design (the same one, named twice, too) decides the same already.
     * Functions that are NULL when bind() ends become those of the null object. TAKE_WRAP: none may
     * be NULL (parsim/wrap.h). */
    void *(*take)(struct tech_seams *s, enum tech_seam seam, const char *name, enum tech_take how,
                  struct err *err);
    /* One instance of `group`, which is the technique's name or begins with it and a '_'; the
     * values live until the part is freed. Same group, same rows. */
    void (*add_stats)(struct tech_seams *s, const char *group, const struct stat_row *rows,
                      size_t n, const void *values);
    struct tech_request (*request)(const struct mem_req *r);
    struct tech_access (*access)(const struct l1_access *a);
    struct tech_inst (*inst)(const struct dinst *d);
    /* What packet_policy may do with a packet. set_meta: in request() and answer(). The others: in
     * a slice's answer(), with the read that it is about; else false, and nothing is done.
     * widen: the answer brings `more` sectors too; false: one of them is not in the asker's line,
     * or the slice does not hold it (tech_request.full has those that can come).
     * ride: `rider` is given back; false: arrive() has not absorbed it, or it was given back
     * already, or it is of another line or cache. It comes with the answer if that brings all that
     * it asked for (so widen first), else the slice looks it up as if it came now.
     * follow: the same, but it has an answer of its own, which leaves when no other is due; where
     * too many wait so (l2.reply_queue) it comes with the answer, which brings what it asked for.
     */
    void (*set_meta)(struct mem_req *r, uint8_t meta);
    bool (*widen)(struct mem_req *r, uint16_t more);
    bool (*ride)(struct mem_req *r, struct mem_req *rider);
    bool (*follow)(struct mem_req *r, struct mem_req *rider);
    /* --- from within the functions of an SM's seams --- */
    cycle_t (*now)(const struct sm *sm);
    struct tech_warp (*warp)(const struct sm *sm, unsigned slot);
    /* Register `k` of an instruction: those written first, then those read, then the guard. 32
     * values, one a lane, as whole numbers; write: of the lanes in `mask`. The bits of a lane's
     * element: 1 of a predicate, else 16, 32, 64, 128 (of which values have the lower 64); 0: no
     * such register. */
    unsigned (*read)(const struct warp *w, const struct dinst *d, unsigned k, uint64_t *values);
    unsigned (*write)(struct warp *w, const struct dinst *d, unsigned k, uint32_t mask,
                      const uint64_t *values);
    /* Which register that is, as the kernel numbers them: below 2^32 - 1, which is none. */
    uint32_t (*reg)(const struct dinst *d, unsigned k);
    /* Lanes that execute what is not control, from now on; all ones at a warp's begin. */
    void (*set_lanes)(struct warp *w, uint32_t lanes);
    /* For issue_policy.precede: an instruction that reads register `k` of `d` and writes it;
     * without such a register, one that only takes its slot. Good until the kernel has ended.
     * `by`: the policy's self, by which it knows its own (tech_inst.by) when events tell of them.
     */
    const struct dinst *(*move)(struct sm *sm, const struct dinst *d, unsigned k, const void *by);
    /* The warp does not issue before a cycle, unless it is let go. Either way, and by look, it is
     * asked again what precedes its next instruction and who goes with it, so not from
     * within precede() and partner(). Slots are below sm.warps. */
    void (*hold)(struct sm *sm, unsigned slot, cycle_t until);
    void (*let_go)(struct sm *sm, unsigned slot);
    void (*look)(struct sm *sm, unsigned slot);
};

/* How far a machine has come, all kernels together. */
struct tech_look {
    uint64_t cycles;       /* of the cores */
    uint64_t thread_inst;  /* of the program */
    uint64_t oldest_block; /* `cycles` when the oldest block that runs began; now: there is none */
    uint64_t placed;       /* blocks that begin from then on get their registers after this look */
    uint32_t launches;     /* that run together */
};

/* Numbers that a technique adds to report and JSON: `n` of them under place.name. */
struct tech_value {
    const char *place, *name;
    uint32_t n;
};

/* What a bound technique leaves; functions may be NULL. */
struct tech_part {
    void *self;
    /* As it is configured, it may give other values than the program's: outputs are then judged by
     * their quality (docs/run-output.md); of all others the same bits are demanded. */
    bool changes_values;
    void (*copied)(void *self, addr_t addr, uint64_t bytes); /* the host has written */
    /* ... by letting the device fill its memory; NULL: the same as copied() */
    void (*filled)(void *self, addr_t addr, uint64_t bytes);
    /* Now and then (gpu.look_cycles). */
    void (*look)(void *self, const struct tech_look *at);
    /* The kernel is about to be launched: before it is asked what registers its threads need more.
     * False and an error: it cannot run. */
    bool (*launch)(void *self, const struct sm_kernel *k, struct err *err);
    /* What it has done, in a sentence for the report. */
    void (*describe)(const void *self, char *buf, size_t size);
    /* Further numbers, in JSON as an object `values`: the i-th of them (false: there are fewer),
     * and its elements. */
    const char *values;
    bool (*value)(const void *self, uint32_t i, struct tech_value *v);
    uint64_t (*element)(const void *self, uint32_t i, uint32_t k);
    /* Writes the files that it was asked for, after the last kernel. */
    bool (*finish)(void *self, struct err *err);
    void (*free)(void *self);
};

/* A name that --with takes. */
struct tech_design {
    const char *name, *help;
    const char *codec; /* the technique's own; "" where there is none */
    int variant;       /* the technique's own */
    bool is_compared;  /* by `parsim compare`, where no designs are named */
};

/* Its section of a machine's configuration: a struct of `bytes`, with its rows. */
struct tech_section {
    const char *name; /* NULL: it has none */
    const struct conf_field *fields;
    size_t nfields, bytes;
    /* May be NULL. False and an error that names the field: values that cannot be. */
    bool (*check)(const struct tech_api *api, const void *cfg, struct err *err);
};

/* A command-line option that adds a file to the list in a field of its section; may be repeated. */
struct tech_option {
    const char *name, *key, *help;
};

/* Where it is bound. The site itself ends with bind(). */
struct tech_site {
    const struct tech_api *api;         /* is always there */
    const struct tech_machine *machine; /* is there until the part is freed */
    struct tech_seams *seams;           /* while techniques are bound */
    const struct tech_design *design;   /* that was named; NULL for open and settle */
    const void *cfg;                    /* its section, until the part is freed */
    void *state;                        /* what open has returned */
};

struct technique {
    const char *name; /* the folder's */
    const struct tech_design *designs;
    size_t ndesigns;
    struct tech_section section;
    const struct energy_row *energy;
    size_t nenergy;
    const struct tech_option *options;
    size_t noptions;
    /* Binds at->design. */
    bool (*bind)(const struct tech_site *at, struct tech_part *part, struct err *err);
    /* Of a technique that serves others, all NULL for most. open: before anything is bound, on
     * every machine; what it returns is at->state. announce: a design of its own is named and will
     * be bound. settle: everything named is bound; true with a part that has no `self`: nothing to
     * do. close: takes the state back. */
    void *(*open)(const struct tech_site *at);
    void (*announce)(const struct tech_site *at);
    bool (*settle)(const struct tech_site *at, struct tech_part *part, struct err *err);
    void (*close)(void *state);
};

/* What --plugin looks for in a library: the symbol `parsim_plugin`. */
struct tech_plugin {
    uint32_t version;
    const struct technique *technique;
};

/* The last line of a plug-in's file. In the tree, where a row of techs.def does it, nothing. */
#ifdef PARSIM_IN_TREE
#define PARSIM_PLUGIN(t) struct tech_plugin
#else
#define PARSIM_PLUGIN(t)                           \
    extern const struct tech_plugin parsim_plugin; \
    __attribute__((visibility("default")))         \
    const struct tech_plugin parsim_plugin = {PARSIM_TECH_VERSION, &(t)}
#endif

#endif
