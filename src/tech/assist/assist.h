/* Assist warps of a machine: the store, a controller for every SM, what routines have counted. */
#ifndef TECH_ASSIST_ASSIST_H
#define TECH_ASSIST_ASSIST_H

#include "tech/assist/awc.h"
#include "tech/tech.h"

extern const struct technique assist_technique;

/* A PTX file of ours (assist/NAME.ptx), built in. */
struct assist_text {
    const char *name, *text;
};
const struct assist_text *assist_texts(void);

struct assist;

/* What assist warps are on a machine, whoever brings them: one technique does, beside which modules
 * of designs and the user's files run. */
struct assist_service {
    const struct assist_cfg *cfg;
    char modules[128];     /* of assist/, that designs have announced */
    struct assist *assist; /* or NULL */
};
struct assist_service *assist_service(const struct tech_seams *s);
/* For techniques whose designs are modules of assist/ (a design's `codec`). */
void assist_module_announce(const struct tech_site *at);
bool assist_module_bind(const struct tech_site *at, struct tech_part *part, struct err *err);

/* Loads the modules named in `ours` (separated by commas; "": none), the announced ones and the
 * user's files, and binds a controller to every SM. `name` is the design's. NULL and an error. */
struct assist *assist_new(const char *name, const char *ours, const struct tech_machine *m,
                          struct tech_seams *s, struct err *err);
void assist_free(struct assist *a);
/* The engine of an SM's L1. There must be routines for all codecs: else false and an error. */
bool assist_check_codec(const struct assist *a, const struct line_codecs *c, struct err *err);
struct codec_engine assist_engine(struct assist *a, uint32_t sm, const struct line_codecs *c,
                                  const struct store_room *room, struct tech_seams *s);

/* Registers that every thread of a kernel needs more; who says how many of them a kernel gets, in
 * place of all of them; and, between kernels, whether instances find registers of their warps, or
 * only those that no block can have. */
uint32_t assist_registers(const struct assist *a);
void assist_bind_registers(struct assist *a,
                           uint32_t (*registers)(const void *ctx, const struct kernel *k),
                           const void *ctx);
void assist_set_bare(struct assist *a, bool is_bare);

/* The elements of the modules' .shared variables, summed over SMs; i counts all variables. False:
 * there are fewer. */
struct assist_var {
    const char *file, *name;
    uint32_t n; /* elements */
};
bool assist_var(const struct assist *a, uint32_t i, struct assist_var *v);
uint64_t assist_var_at(const struct assist *a, uint32_t i, uint32_t element);
const struct aws *assist_store(const struct assist *a);
/* The SMs' controllers begin a kernel. */
void assist_launch(struct assist *a);

#endif
