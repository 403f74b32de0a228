/* Device code: what a program registered or loaded, the functions and variables in it.
 *
 * A module keeps where its PTX is and becomes a `struct program` when something in it is first
 * used, so that a program that registers much and uses little starts fast. */
#ifndef CUDA_MODULE_H
#define CUDA_MODULE_H

#include "cuda/ctx.h"
#include "exec/program.h"

/* CUfunction, CUkernel, cudaKernel_t, cudaFunction_t. */
struct function {
    struct module *mod;
    const char *name;       /* as in PTX */
    const void *stub;       /* the host's function that stands for it, or NULL */
    struct kernel *kernel;  /* lowered; NULL before first use */
    int max_dynamic_shared; /* opted in; -1 = the default */
    int carveout;
};

struct variable {
    struct module *mod;
    const char *name;
    void *shadow;   /* the host's variable that stands for it */
    void **managed; /* __managed__: the host's pointer to it */
    size_t bytes;
};

/* Registered by the compiler's constructors. */
struct module *module_register(struct ctx *c, const void *wrapper);
void module_unregister(struct ctx *c, struct module *m);
struct function *module_register_function(struct ctx *c, struct module *m, const void *stub,
                                          const char *name);
void module_register_var(struct ctx *c, struct module *m, void *shadow, const char *name,
                         size_t bytes, void **managed);

/* PTX text, a fatbin, or a fatbin wrapper, in memory that the program owns; or of known length. */
int module_load(struct ctx *c, struct module **out, const void *image);
int module_load_bytes(struct ctx *c, struct module **out, const void *image, size_t len);
/* PTX texts to be linked into one module; takes nothing over. */
int module_link(struct ctx *c, struct module **out, const char *const *texts, unsigned n);
int module_unload(struct ctx *c, struct module *m);

/* Parses and places it, if that has not been done. */
int module_open(struct ctx *c, struct module *m);
struct program *module_program(struct module *m); /* after module_open() */
int module_function(struct ctx *c, struct function **out, struct module *m, const char *name);
int module_global(struct ctx *c, void **addr, size_t *bytes, struct module *m, const char *name);
unsigned module_function_count(struct module *m);
struct function *module_function_at(struct ctx *c, struct module *m, unsigned i);

/* The function behind a host stub (or a handle); NULL if there is none. */
struct function *function_get(struct ctx *c, const void *stub_or_handle);
/* Lowers it at first use. */
int function_open(struct ctx *c, struct function *f);

/* Address of the variable that `symbol`, a shadow's address, stands for. */
int symbol_address(struct ctx *c, void **addr, size_t *bytes, const void *symbol);

/* Before cudaDeviceReset() takes the memory away. */
void module_close_all(struct ctx *c);

#endif
