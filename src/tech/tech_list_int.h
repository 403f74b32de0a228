/* The inside of a tech_list. Private to src/tech. */
#ifndef TECH_TECH_LIST_INT_H
#define TECH_TECH_LIST_INT_H

#include "base/vec.h"
#include "tech/techs.h"

struct tech_energy_text {
    char *dflt, *help;
};

struct tech_entry {
    const struct technique *t;
    void *cfg;                      /* its section's struct, or NULL */
    double *pj;                     /* of its energy rows, as configured */
    struct conf_field *fields;      /* of them */
    struct tech_energy_text *texts; /* of these */
    void *library;                  /* a plug-in's, of dlopen() */
};

struct tech_list {
    struct conf *conf;
    VEC(struct tech_entry) entries;
};

void tech_list_add(struct tech_list *l, const struct technique *t, void *library);
const struct tech_entry *tech_list_find(const struct tech_list *l, const char *name,
                                        const struct tech_design **design);
/* Calls `fn` for every design named; false as soon as it or a name is wrong. */
bool tech_list_each(const struct tech_list *l, const char *names,
                    bool (*fn)(void *ctx, const struct tech_entry *e, const struct tech_design *d),
                    void *ctx, struct err *err);

/* False: a function of the technique has failed, and the error says so, and whose, if it did not.
 */
bool tech_has_failed(const struct technique *t, const char *what, struct err *err);

/* plugin.c: closes the libraries. */
void tech_list_unload(struct tech_list *l);

#endif
