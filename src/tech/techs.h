/* The techniques by name, as the builder of a machine sees them. */
#ifndef TECH_TECHS_H
#define TECH_TECHS_H

#include "tech/caba/assist.h"
#include "tech/caba/caba.h"
#include "tech/ccache/ccache.h"
#include "tech/e2mc/e2mc_tech.h"
#include "tech/hwcomp/hwcomp.h"
#include "tech/tech.h"

/* Their sections of a machine's configuration. */
struct tech_cfgs {
    struct hwcomp_cfg hwcomp;
    struct e2mc_tech_cfg e2mc;
    struct ccache_cfg ccache;
    struct caba_cfg caba;
    struct assist_cfg assist;
};

void techs_add_conf(struct tech_cfgs *c, struct conf *conf);
/* `names` are separated by commas or blanks; false: one of them is not a technique, or a section
 * has values that cannot be. */
bool techs_check(const char *names, const struct tech_cfgs *c, struct err *err);

const struct technique *tech_find(const char *name);
/* In the order of techs.def; NULL at the end. */
const struct technique *tech_at(size_t i);

struct techs;

/* Binds each of `names`, in order. NULL and an error that names the technique. */
struct techs *techs_bind(const char *names, const struct tech_cfgs *c, const struct tech_machine *m,
                         struct tech_seams *s, struct err *err);
void techs_free(struct techs *t);
void techs_copied(struct techs *t, addr_t addr, uint64_t bytes);
void techs_filled(struct techs *t, addr_t addr, uint64_t bytes);
void techs_look(struct techs *t, const struct tech_look *at);
void techs_launch(struct techs *t, const struct sm_kernel *k);
/* The sentence of the i-th technique; false: there are fewer. */
bool techs_describe(const struct techs *t, size_t i, char *buf, size_t size);
bool techs_finish(struct techs *t, struct err *err);

#endif
