/* Modules joined by name, their variables placed and filled, kernels looked up. */
#include "exec/program.h"

#include "base/u64map.h"
#include "base/vec.h"
#include "exec/builtin.h"
#include "exec/limits.h"
#include "exec/lower.h"
#include "ptx/cfg.h"
#include "ptx/reshape.h"
#include "ptx/schedule.h"

#include <stdio.h>
#include <string.h>

struct program {
    struct device *dev;
    struct ptx_module **mods;
    unsigned nmods;
    struct strmap symbols;              /* name -> struct symbol, definitions only */
    struct u64map var_alloc;            /* struct ptx_var * -> struct mem_alloc * */
    struct u64map func_index;           /* struct ptx_func * -> number */
    VEC(const struct ptx_func *) funcs; /* definitions */
    VEC(struct kernel *) kernels;       /* lowered so far */
    struct arena arena;
    uint64_t const_bytes; /* of the constants placed so far */
    bool is_shared_joined;
};

struct symbol {
    const struct ptx_var *var;
    const struct ptx_func *func;
};

void program_join_shared(struct program *p)
{
    assert(!p->kernels.len);
    p->is_shared_joined = true;
}

bool program_is_shared_joined(const struct program *p)
{
    return p->is_shared_joined;
}

struct device *program_device(const struct program *p)
{
    return p->dev;
}

unsigned program_module_count(const struct program *p)
{
    return p->nmods;
}

const struct ptx_module *program_module(const struct program *p, unsigned i)
{
    return p->mods[i];
}

uint32_t program_func_count(const struct program *p)
{
    return (uint32_t)p->funcs.len;
}

const struct ptx_func *program_func(const struct program *p, uint32_t i)
{
    return p->funcs.data[i];
}

static struct symbol *symbol_get(const struct program *p, const char *name)
{
    return strmap_get(&p->symbols, name, strlen(name));
}

uint32_t program_func_index(const struct program *p, const struct ptx_func *f)
{
    if (builtin_replaces(f->name))
        return UINT32_MAX;
    if (f->is_decl) {
        const struct symbol *s = symbol_get(p, f->name);
        if (!s || !s->func)
            return UINT32_MAX;
        f = s->func;
    }
    uint64_t *i = u64map_get(&p->func_index, (uintptr_t)f);
    return i ? (uint32_t)*i : UINT32_MAX;
}

static struct mem_alloc *var_alloc(const struct program *p, const struct ptx_var *v)
{
    if (v->linkage == PTX_LINK_EXTERN || v->linkage == PTX_LINK_COMMON ||
        v->linkage == PTX_LINK_WEAK) {
        const struct symbol *s = symbol_get(p, v->name);
        if (s && s->var)
            v = s->var;
    }
    uint64_t *a = u64map_get(&p->var_alloc, (uintptr_t)v);
    return a ? (struct mem_alloc *)(uintptr_t)*a : NULL;
}

bool program_var_addr(const struct program *p, const struct ptx_var *v, addr_t *addr)
{
    const struct mem_alloc *a = var_alloc(p, v);
    if (a)
        *addr = a->base;
    return a != NULL;
}

struct mem_alloc *program_var(const struct program *p, const char *name)
{
    const struct symbol *s = symbol_get(p, name);
    return s && s->var ? var_alloc(p, s->var) : NULL;
}

static void define(struct program *p, const char *name, uint8_t linkage, const struct ptx_var *v,
                   const struct ptx_func *f)
{
    struct symbol *old = symbol_get(p, name);
    /* The first strong definition wins; a local symbol never hides another module's. */
    if (old && (linkage != PTX_LINK_VISIBLE || (old->func && !f)))
        return;
    struct symbol *s = arena_new(&p->arena, struct symbol);
    *s = (struct symbol){v, f};
    strmap_put(&p->symbols, name, strlen(name), s);
}

static void collect_symbols(struct program *p)
{
    for (unsigned m = 0; m < p->nmods; m++) {
        const struct ptx_module *mod = p->mods[m];
        for (uint32_t i = 0; i < mod->nvars; i++)
            if (mod->vars[i]->linkage != PTX_LINK_EXTERN)
                define(p, mod->vars[i]->name, mod->vars[i]->linkage, mod->vars[i], NULL);
        for (uint32_t i = 0; i < mod->nfuncs; i++) {
            const struct ptx_func *f = mod->funcs[i];
            if (f->is_decl || f->is_proto)
                continue;
            define(p, f->name, f->linkage, NULL, f);
            u64map_put(&p->func_index, (uintptr_t)f, p->funcs.len);
            vec_push(&p->funcs, f);
        }
    }
}

/* Constants of one file are placed one behind the other, as ptxas does; those of files that are
 * linked are only added up, since a linker may order them. */
static bool count_constant(struct program *p, const struct ptx_var *v, struct err *err)
{
    if (v->space != PTX_SPACE_CONST)
        return true;
    if (p->nmods == 1 && v->align)
        p->const_bytes = align_up(p->const_bytes, v->align);
    p->const_bytes += v->bytes;
    return p->const_bytes <= EXEC_MAX_CONSTANT ||
           err_set(err, "constants take %llu bytes with %s; the limit is %llu",
                   (unsigned long long)p->const_bytes, v->name,
                   (unsigned long long)EXEC_MAX_CONSTANT);
}

static bool place_var(struct program *p, const struct ptx_var *v, struct err *err)
{
    if ((v->space != PTX_SPACE_GLOBAL && v->space != PTX_SPACE_CONST) ||
        v->linkage == PTX_LINK_EXTERN)
        return true;
    const struct symbol *s = symbol_get(p, v->name);
    if (!v->owner && v->linkage >= PTX_LINK_WEAK && s && s->var && s->var != v)
        return true; /* another module's definition stands for this one */
    if (!count_constant(p, v, err))
        return false;
    uint64_t align = v->align > 256 ? v->align : 256;
    struct mem_alloc *a = devmem_alloc(p->dev->mem, v->bytes ? v->bytes : 1, align,
                                       v->is_managed ? MEM_MANAGED : MEM_VARIABLE, v->name);
    if (!a)
        return err_set(err, "no device memory for variable %s (%llu bytes): %llu of %llu are used",
                       v->name, (unsigned long long)v->bytes,
                       (unsigned long long)devmem_used(p->dev->mem),
                       (unsigned long long)devmem_capacity(p->dev->mem));
    a->is_readonly = v->space == PTX_SPACE_CONST;
    devmem_zero(p->dev->mem, a->base, a->bytes);
    if (v->init)
        memcpy(devmem_ptr(a->base), v->init, v->bytes);
    u64map_put(&p->var_alloc, (uintptr_t)v, (uintptr_t)a);
    return true;
}

static bool relocate(struct program *p, const struct ptx_var *v, struct err *err)
{
    uint64_t *slot = u64map_get(&p->var_alloc, (uintptr_t)v);
    for (uint32_t i = 0; slot && i < v->nrelocs; i++) {
        const struct ptx_reloc *r = &v->relocs[i];
        uint64_t value = 0;
        if (r->func) {
            uint32_t f = program_func_index(p, r->func);
            if (f == UINT32_MAX)
                return err_set(err, "%s: initialiser refers to function %s, which is not defined",
                               v->name, r->func->name);
            value = FUNC_WINDOW + 16 * ((uint64_t)f + 1);
        } else {
            if (!program_var_addr(p, r->var, &value))
                return err_set(err, "%s: initialiser refers to %s, which is not defined", v->name,
                               r->var->name);
        }
        value = (value + (uint64_t)r->addend) >> r->shift;
        struct mem_alloc *a = (struct mem_alloc *)(uintptr_t)*slot;
        memcpy((char *)devmem_ptr(a->base) + r->offset, &value, r->bytes);
    }
    return true;
}

typedef bool (*var_fn)(struct program *p, const struct ptx_var *v, struct err *err);

static bool for_vars(struct program *p, const struct ptx_module *mod, struct ptx_var *const *vars,
                     uint32_t n, var_fn fn, struct err *err)
{
    for (uint32_t i = 0; i < n; i++)
        if (!fn(p, vars[i], err))
            return err_prefix(err, "%s:%u", mod->file, vars[i]->line);
    return true;
}

static bool for_each_var(struct program *p, var_fn fn, struct err *err)
{
    for (unsigned m = 0; m < p->nmods; m++) {
        const struct ptx_module *mod = p->mods[m];
        if (!for_vars(p, mod, mod->vars, mod->nvars, fn, err))
            return false;
        for (uint32_t f = 0; f < mod->nfuncs; f++)
            if (!for_vars(p, mod, mod->funcs[f]->vars, mod->funcs[f]->nvars, fn, err))
                return false;
    }
    return true;
}

/* As an assembler would leave it. */
static void order_code(struct ptx_func *f)
{
    ptx_func_flatten(f);
    ptx_func_unroll(f);
    ptx_func_schedule(f);
}

struct program *program_load(struct device *d, struct ptx_module **mods, unsigned n,
                             struct err *err)
{
    struct program *p = xcalloc(1, sizeof *p);
    p->dev = d;
    p->nmods = n;
    p->mods = xcalloc(n, sizeof(*p->mods));
    memcpy(p->mods, mods, n * sizeof(*p->mods));
    for (unsigned i = 0; d->schedules_code && i < n; i++)
        for (uint32_t k = 0; k < mods[i]->nfuncs; k++)
            if (!d->keeps_marks || !mods[i]->funcs[k]->npragmas)
                order_code(mods[i]->funcs[k]);
    collect_symbols(p);
    if (!for_each_var(p, place_var, err) || !for_each_var(p, relocate, err)) {
        program_unload(p);
        return NULL;
    }
    return p;
}

static void release_var(struct program *p, const struct ptx_var *v)
{
    uint64_t *slot = u64map_get(&p->var_alloc, (uintptr_t)v);
    if (slot)
        devmem_release(p->dev->mem, ((struct mem_alloc *)(uintptr_t)*slot)->base);
}

static bool release_one(struct program *p, const struct ptx_var *v, struct err *err)
{
    (void)err;
    release_var(p, v);
    return true;
}

void program_unload(struct program *p)
{
    if (!p)
        return;
    for_each_var(p, release_one, NULL);
    for (size_t i = 0; i < p->kernels.len; i++)
        kernel_free(p->kernels.data[i]);
    vec_free(&p->kernels);
    vec_free(&p->funcs);
    strmap_free(&p->symbols);
    u64map_free(&p->var_alloc);
    u64map_free(&p->func_index);
    for (unsigned i = 0; i < p->nmods; i++)
        ptx_module_free(p->mods[i]);
    free(p->mods);
    arena_free(&p->arena);
    free(p);
}

static void list_kernels(const struct program *p, char *buf, size_t len)
{
    size_t n = 0, shown = 0, total = 0;
    buf[0] = 0;
    for (size_t i = 0; i < p->funcs.len; i++) {
        if (!p->funcs.data[i]->is_entry)
            continue;
        if (total++ < 8 && n + 3 < len) {
            int k = snprintf(buf + n, len - n, "%s%s", shown ? ", " : "", p->funcs.data[i]->name);
            n += k > 0 ? (size_t)k : 0;
            shown++;
        }
    }
    if (total > shown && n + 8 < len)
        snprintf(buf + n, len - n, ", and %zu more", total - shown);
}

struct kernel *program_kernel(struct program *p, const char *name, struct err *err)
{
    for (size_t i = 0; i < p->kernels.len; i++)
        if (!strcmp(p->kernels.data[i]->src->name, name))
            return p->kernels.data[i];
    const struct symbol *s = symbol_get(p, name);
    if (!s || !s->func || !s->func->is_entry) {
        char names[512];
        list_kernels(p, names, sizeof names);
        err_set(err, "no kernel '%s'; %s%s", name, names[0] ? "there are: " : "the module has none",
                names);
        return NULL;
    }
    struct kernel *k = kernel_lower(p, s->func, err);
    if (k)
        vec_push(&p->kernels, k);
    return k;
}
