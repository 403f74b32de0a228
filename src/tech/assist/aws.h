/* The Assist Warp Store: the routines of all modules, decoded, by SR.ID and Inst.ID. One for all
 * SMs, since it does not change after it was loaded. */
#ifndef TECH_ASSIST_AWS_H
#define TECH_ASSIST_AWS_H

#include "exec/grid.h"
#include "sm/decode.h"
#include "tech/assist/routine_decl.h"

/* Of a routine: its parameters, and functions that are entered at a time, itself among them. */
enum { AWS_PARAM_BYTES = 448, AWS_PARAMS = 8, AWS_CALLS = 17 };

/* Instructions of a routine, from the first on, of which is known whether they are alike. */
enum { AWS_ALIKE = 256 };

/* What a parameter's name asks for. */
enum routine_param {
    PARAM_SRC,
    PARAM_DST,
    PARAM_RESULT,
    PARAM_ADDR,
    PARAM_WARP,
    PARAM_MASK,
    PARAM_VALUE,
    PARAM_SM,
    PARAM_INST,
    PARAM_DISTANCE,
    PARAM_REGION,
    PARAM_ENTRIES,
    PARAM_KEEP,
    PARAM_LANES, /* from here on arrays, by lane */
    PARAM_ADDRS = PARAM_LANES,
    PARAM_IN0,
    PARAM_IN1,
    PARAM_OUT0,
};

struct routine {
    const char *name;
    uint32_t id; /* SR.ID */
    uint32_t module;
    struct routine_decl decl;
    struct kernel *kernel;
    struct decoded *code;
    const struct dfunc *entry;
    uint32_t ninst; /* of all its functions, without the last return */
    bool is_empty;  /* it returns at once */
    /* ahead.h: it is executed when it starts; accesses whose lanes lie alike in shared memory every
     * time that the same lanes execute them, by pc. */
    bool can_go_ahead;
    uint64_t alike[AWS_ALIKE / 64];
    /* Parameters are the same for all that go ahead, and so are the places of accesses that are
     * alike; all of it is: it is straight, and what it is given besides is its line and its
     * predicates. */
    bool has_places, repeats;
    uint8_t nparams;
    struct {
        uint8_t what; /* enum routine_param */
        uint16_t bytes;
        uint16_t offset;
    } params[AWS_PARAMS];
};

static inline bool routine_is_alike(const struct routine *r, uint32_t pc)
{
    return pc < AWS_ALIKE && (r->alike[pc / 64] >> pc % 64 & 1);
}

struct aws_module {
    char *file;
    struct program *prog;
    uint32_t shared_bytes; /* of its variables */
};

struct aws {
    struct device *dev;
    const struct sm_cfg *sm;
    struct routine *routines;
    uint32_t nroutines;
    struct aws_module *modules;
    uint32_t nmodules;
    /* of the machine, for those who watch its memory */
    double fair_replies; /* lines a cycle: the DRAM bandwidth divided by the SMs */
    uint32_t mshrs;      /* of an L1 */
};

void aws_init(struct aws *s, struct device *dev, const struct sm_cfg *sm);
void aws_free(struct aws *s);
/* All entries of a module's text. */
bool aws_load(struct aws *s, const char *file, const char *text, size_t len, struct err *err);
/* Bytes of code; false and an error if they are more than `capacity`. */
uint64_t aws_bytes(const struct aws *s);
bool aws_check(const struct aws *s, uint64_t capacity, struct err *err);
/* The routine that decodes what begins with `encoding`, or that encodes in that form (-1: any; of a
 * codec with forms, it finds the smallest). One that was loaded later goes first, so that a user's
 * can take the place of ours. */
const struct routine *aws_codec(const struct aws *s, enum routine_on on, const char *codec,
                                int encoding);
/* Registers that each thread needs more: the largest of those that decode, the largest of those
 * that encode (`shares`: the larger of the two), and all others. */
uint32_t aws_registers(const struct aws *s, bool shares);

#endif
