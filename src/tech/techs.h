/* The techniques by name, as a machine and its builder see them. */
#ifndef TECH_TECHS_H
#define TECH_TECHS_H

#include "conf/conf.h"
#include "tech/tech.h"

/* Those of techs.def and of plug-ins, with their sections of one machine's configuration. */
struct tech_list;

/* Adds a section of `conf` for each of them, and their rows to its section `energy`; further ones
 * when a plug-in is loaded. `conf` must outlive it. */
struct tech_list *tech_list_new(struct conf *conf);
void tech_list_free(struct tech_list *l);
/* Loads the libraries of `files`, separated by commas, that are not loaded yet. */
bool tech_list_load(struct tech_list *l, const char *files, struct err *err);
/* `names` are separated by commas or blanks; false: one of them is not a design, or a section has
 * values that cannot be. */
bool tech_list_check(const struct tech_list *l, const char *names, struct err *err);

/* The designs, "a or b", of plug-ins that are loaded, but none of theirs is among `names`; false:
 * there are none. */
bool tech_list_idle(const struct tech_list *l, const char *names, char *buf, size_t size);

/* In order, NULL at the end. */
const struct technique *tech_list_at(const struct tech_list *l, size_t i);
/* The picojoules of an energy row that is not one of energy.def; NULL: there is none. */
const double *tech_list_pj(const struct tech_list *l, const char *name);

/* Without a machine: those of techs.def; the technique and design of a name, both or none. */
const struct technique *tech_at(size_t i);
const struct technique *tech_find(const char *name, const struct tech_design **design);

/* What is bound on a machine. */
struct techs;

/* Binds each of `names`, in order. NULL and an error that names the technique. */
struct techs *techs_bind(const char *names, const struct tech_list *l, const struct tech_machine *m,
                         struct tech_seams *s, struct err *err);
void techs_free(struct techs *t);
void techs_copied(struct techs *t, addr_t addr, uint64_t bytes);
void techs_filled(struct techs *t, addr_t addr, uint64_t bytes);
void techs_look(struct techs *t, const struct tech_look *at);
/* False and an error that one of them gives. */
bool techs_launch(struct techs *t, const struct sm_kernel *k, struct err *err);
bool techs_finish(struct techs *t, struct err *err);
/* The i-th that is bound; NULL: there are fewer. */
const struct tech_part *techs_part(const struct techs *t, size_t i);
const struct technique *techs_technique(const struct techs *t, size_t i);
/* The first design that may change values; NULL: none. */
const char *techs_change_values(const struct techs *t);

#endif
