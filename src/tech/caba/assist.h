/* Assist warps of a machine: the store, a controller for every SM, what routines have counted. */
#ifndef TECH_CABA_ASSIST_H
#define TECH_CABA_ASSIST_H

#include "tech/caba/awc.h"
#include "tech/tech.h"

extern const struct conf_field assist_fields[];
extern const size_t assist_nfields;

/* A PTX file of ours (assist/NAME.ptx), built in. */
struct assist_text {
    const char *name, *text;
};
const struct assist_text *assist_texts(void);

struct assist;

/* Loads the modules named in `ours` (separated by commas; "": none) and the user's files, and binds
 * a controller to every SM. `name` is the technique's. NULL and an error. */
struct assist *assist_new(const char *name, const char *ours, const struct tech_machine *m,
                          const struct assist_cfg *cfg, struct tech_seams *s, struct err *err);
void assist_free(struct assist *a);
/* A design that is a module of assist/ (the technique's `codec`) and runs beside whatever other
 * assist warps there are: techs_bind() has added its name before any technique is bound. */
bool assist_module_bind(const struct technique *t, const struct tech_machine *m, const void *cfg,
                        struct tech_seams *s, struct tech_part *part, struct err *err);
/* The engine of an SM's L1. There must be routines for all codecs: else false and an error. */
bool assist_check_codec(const struct assist *a, const struct caba_codec *c, struct err *err);
struct codec_engine assist_engine(struct assist *a, uint32_t sm, const struct caba_codec *c);

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

#endif
