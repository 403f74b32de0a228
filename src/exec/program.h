/* Modules loaded onto a device, and the kernels in them.
 *
 * Loading places .global and .const variables into device memory and initialises them. A kernel is
 * lowered when it is first asked for: that is when an instruction that is not supported becomes an
 * error. */
#ifndef EXEC_PROGRAM_H
#define EXEC_PROGRAM_H

#include "exec/code.h"
#include "exec/device.h"

struct program;

/* One entry function, ready to launch. */
struct kernel_facts {
    bool is_known;
    bool waits;    /* for what other threads write: ptx/waits.h */
    uint64_t code; /* the same in programs of the same text */
};

struct kernel {
    const struct ptx_func *src;
    struct program *prog;
    struct xfunc *entry;
    bool may_spin;         /* has loads to wait with; this and the next: turns.h */
    bool has_rereads;      /* has loads marked ends_turn */
    struct xfunc **funcs;  /* by program-wide function number; NULL = not reachable */
    uint32_t shared_bytes; /* static; dynamic shared memory starts at its aligned end */
    uint32_t dynamic_align;
    uint32_t regs;        /* physical registers a thread has */
    uint32_t regs_needed; /* those beyond `regs` are spilled */
    struct cta *spare;    /* see grid.h */
    void *decoded;        /* of a machine that keeps time: freed with the kernel */
    void (*decoded_free)(void *decoded);
    struct kernel_facts facts; /* ask kernel_facts() */
    struct arena arena;
};

/* What is known of its code beside how it is executed. */
const struct kernel_facts *kernel_facts(struct kernel *k);

/* Links `n` modules into one program, whose variables then exist on `d`. Takes the modules over,
 * also on error. */
struct program *program_load(struct device *d, struct ptx_module **mods, unsigned n,
                             struct err *err);
void program_unload(struct program *p);

struct device *program_device(const struct program *p);
/* Before any kernel is asked for: every kernel has all of the module-scope .shared variables, at
 * the same places, so that blocks of different kernels can share one memory. */
void program_join_shared(struct program *p);
bool program_is_shared_joined(const struct program *p);
/* Where `v` lies then. */
uint32_t program_shared_offset(const struct program *p, const struct ptx_var *v);
/* NULL with an error if there is no such entry or it cannot run; the error lists what exists. */
struct kernel *program_kernel(struct program *p, const char *name, struct err *err);
struct mem_alloc *program_var(const struct program *p, const char *name);
unsigned program_module_count(const struct program *p);
const struct ptx_module *program_module(const struct program *p, unsigned i);

/* Number of functions, and function by number; its device address is FUNC_WINDOW + 16 * (i + 1). */
uint32_t program_func_count(const struct program *p);
const struct ptx_func *program_func(const struct program *p, uint32_t i);
/* The definition for `f`, which may be a declaration resolved in another module; UINT32_MAX = none.
 */
uint32_t program_func_index(const struct program *p, const struct ptx_func *f);
/* Address of a module-scope .global or .const variable. */
bool program_var_addr(const struct program *p, const struct ptx_var *v, addr_t *addr);

#endif
