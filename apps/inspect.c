/* Facts of a kernel, gathered over all functions that it can reach. */
#include "inspect.h"

#include "base/strmap.h"
#include "exec/support.h"

#include <string.h>

const char *inspect_unit_name(unsigned unit)
{
    static const char *const names[INSPECT_UNITS] = {
        [PTX_UNIT_ALU] = "alu",   [PTX_UNIT_DP] = "dp",     [PTX_UNIT_SFU] = "sfu",
        [PTX_UNIT_LDST] = "ldst", [PTX_UNIT_TEX] = "tex",   [PTX_UNIT_TENSOR] = "tensor",
        [PTX_UNIT_BAR] = "bar",   [PTX_UNIT_CTRL] = "ctrl",
    };
    return names[unit];
}

static uint64_t mix_in(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
}

/* Everything about an operand that can matter to whether an instruction can be run. */
static uint64_t operand_form(const struct ptx_func *f, const struct ptx_operand *o, uint64_t h)
{
    h = mix_in(h, o->kind | (uint64_t)o->neg << 8 | (uint64_t)o->is_float << 9 |
                      (uint64_t)o->is_f32 << 10 | (uint64_t)o->selector << 16 |
                      (uint64_t)o->sreg << 24 | (uint64_t)o->nelems << 32);
    switch (o->kind) {
    case PTX_OPND_REG:
        return mix_in(h, f->regs[o->reg].type);
    case PTX_OPND_IMM:
        return mix_in(h, (uint64_t)o->imm);
    case PTX_OPND_VAR:
        return mix_in(h, (uint64_t)(uintptr_t)o->var);
    case PTX_OPND_FUNC:
    case PTX_OPND_PROTO:
        return mix_in(h, (uint64_t)(uintptr_t)o->func);
    case PTX_OPND_ADDR:
    case PTX_OPND_VEC:
    case PTX_OPND_PAIR:
    case PTX_OPND_ARGS:
        for (unsigned i = 0; i < o->nelems; i++)
            h = operand_form(f, &o->elems[i], h);
        return h;
    default:
        return h;
    }
}

/* exec_supports() prepares the instruction for execution each time: once a form is enough. */
static bool is_supported(struct u64map *known, const struct ptx_func *f, const struct ptx_inst *i,
                         struct err *why)
{
    uint64_t h = mix_in((uint64_t)(uintptr_t)i->text, i->nops);
    for (unsigned k = 0; k < i->nops; k++)
        h = operand_form(f, &i->ops[k], h);
    if (u64map_get(known, h))
        return true;
    if (!exec_supports(f, i, why))
        return false;
    u64map_put(known, h, 1);
    return true;
}

/* The walk over a kernel and everything it reaches by name. */
struct walk {
    struct inspect_kernel *k;
    struct u64map *known;
    bool *func_seen, *var_seen;        /* by index in the module */
    VEC(const struct ptx_func *) todo; /* reached, not looked at yet */
    struct strmap mix;                 /* mnemonic -> index + 1 in k->mix */
    struct strmap gaps;                /* mnemonic -> index + 1 in k->gaps, of one function */
};

static void reach_func(struct walk *w, const struct ptx_func *f)
{
    f = f->def ? f->def : f;
    if (f->is_decl || f->is_proto || w->func_seen[f->index] || (f->is_entry && f != w->k->func))
        return;
    w->func_seen[f->index] = true;
    vec_push(&w->todo, f);
}

static void add_shared(struct inspect_kernel *k, const struct ptx_var *v)
{
    k->has_dynamic_shared |= v->is_unsized;
    k->shared_bytes = align_up(k->shared_bytes, v->align ? v->align : 1) + v->bytes;
}

static void reach_operand(struct walk *w, const struct ptx_operand *o)
{
    switch (o->kind) {
    case PTX_OPND_FUNC:
        reach_func(w, o->func);
        break;
    case PTX_OPND_VAR:
        if (!o->var->owner && o->var->space == PTX_SPACE_SHARED && !w->var_seen[o->var->index]) {
            w->var_seen[o->var->index] = true;
            add_shared(w->k, o->var);
        }
        break;
    case PTX_OPND_ADDR:
    case PTX_OPND_VEC:
    case PTX_OPND_PAIR:
    case PTX_OPND_ARGS:
        for (unsigned i = 0; i < o->nelems; i++)
            reach_operand(w, &o->elems[i]);
        break;
    default:
        break;
    }
}

static void count_mnemonic(struct walk *w, const char *text)
{
    size_t at = (size_t)strmap_get(&w->mix, text, strlen(text));
    if (!at) {
        vec_push(&w->k->mix, ((struct inspect_count){.text = text}));
        at = w->k->mix.len;
        strmap_put(&w->mix, text, strlen(text), (void *)at);
    }
    w->k->mix.data[at - 1].count++;
}

static void add_gap(struct walk *w, const struct ptx_func *f, const struct ptx_inst *i,
                    const char *why)
{
    struct inspect_kernel *k = w->k;
    size_t at = (size_t)strmap_get(&w->gaps, i->text, strlen(i->text));
    if (!at) {
        vec_push(&k->gaps, ((struct inspect_gap){f, i, xstrdup(why), 0}));
        at = k->gaps.len;
        strmap_put(&w->gaps, i->text, strlen(i->text), (void *)at);
    }
    k->gaps.data[at - 1].count++;
}

static void look_at(struct walk *w, const struct ptx_func *f)
{
    struct inspect_kernel *k = w->k;
    for (uint32_t pc = 0; pc < f->ninsts; pc++) {
        const struct ptx_inst *i = &f->insts[pc];
        struct err why;
        k->ninsts++;
        k->by_unit[ptx_inst_unit(i)]++;
        count_mnemonic(w, i->text);
        for (unsigned n = 0; n < i->nops; n++)
            reach_operand(w, &i->ops[n]);
        if (!is_supported(w->known, f, i, &why))
            add_gap(w, f, i, why.msg);
    }
    strmap_free(&w->gaps);
    for (uint32_t i = 0; i < f->nvars; i++) {
        if (f->vars[i]->space == PTX_SPACE_SHARED)
            add_shared(k, f->vars[i]);
        else if (f->vars[i]->space == PTX_SPACE_LOCAL)
            k->local_bytes += f->vars[i]->bytes;
    }
}

static void add_spills(struct inspect_kernel *k, const struct ptx_func *f)
{
    uint32_t *place = xmalloc((f->nregs + 1) * sizeof *place);
    k->spill_bytes += ptx_regs_spill(f, k->regs, place);
    free(place);
}

static int by_count(const void *a, const void *b)
{
    const struct inspect_count *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count ? 1 : -1) : strcmp(x->text, y->text);
}

void inspect_kernel_init(struct inspect_kernel *k, const struct ptx_func *f,
                         const struct ptx_reg_limits *limits, struct u64map *known)
{
    const struct ptx_module *m = f->module;
    *k = (struct inspect_kernel){.func = f, .regs_needed = ptx_regs_needed(f)};
    k->regs = ptx_regs_given(f, k->regs_needed, limits);
    struct walk w = {.k = k,
                     .known = known,
                     .func_seen = xcalloc(m->nfuncs + 1, sizeof(bool)),
                     .var_seen = xcalloc(m->nvars + 1, sizeof(bool))};
    reach_func(&w, f);
    while (w.todo.len) {
        const struct ptx_func *next = vec_pop(&w.todo);
        look_at(&w, next);
        if (k->regs < k->regs_needed)
            add_spills(k, next);
        k->nfuncs++;
    }
    k->nfuncs--; /* the kernel itself */
    if (k->mix.len)
        qsort(k->mix.data, k->mix.len, sizeof *k->mix.data, by_count);
    strmap_free(&w.mix);
    vec_free(&w.todo);
    free(w.func_seen);
    free(w.var_seen);
}

void inspect_kernel_free(struct inspect_kernel *k)
{
    inspect_code_free(&k->code);
    for (size_t i = 0; i < k->gaps.len; i++)
        free(k->gaps.data[i].why);
    vec_free(&k->gaps);
    vec_free(&k->mix);
}
