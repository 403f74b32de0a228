/* Routines are parsed, checked for what an assist warp must not do, lowered and decoded. */
#include "tech/assist/aws.h"

#include "ptx/regs.h"
#include "tech/assist/ahead.h"

#include <stdlib.h>
#include <string.h>

void aws_init(struct aws *s, struct device *dev, const struct sm_cfg *sm)
{
    *s = (struct aws){.dev = dev, .sm = sm};
}

void aws_free(struct aws *s)
{
    for (uint32_t i = 0; i < s->nroutines; i++)
        decoded_free(s->routines[i].code);
    for (uint32_t i = 0; i < s->nmodules; i++) {
        program_unload(s->modules[i].prog);
        free(s->modules[i].file);
    }
    free(s->routines);
    free(s->modules);
}

/* --- parameters --- */

static bool add_param(struct routine *r, const struct ptx_var *v, const char *file, struct err *err)
{
    static const char *const names[] = {
        [PARAM_SRC] = "src",           [PARAM_DST] = "dst",       [PARAM_RESULT] = "result",
        [PARAM_ADDR] = "addr",         [PARAM_WARP] = "warp",     [PARAM_MASK] = "mask",
        [PARAM_VALUE] = "value",       [PARAM_SM] = "sm",         [PARAM_INST] = "inst",
        [PARAM_DISTANCE] = "distance", [PARAM_REGION] = "region", [PARAM_ENTRIES] = "entries",
        [PARAM_KEEP] = "keep",         [PARAM_ADDRS] = "addrs",   [PARAM_IN0] = "in0",
        [PARAM_IN1] = "in1",           [PARAM_OUT0] = "out0",
    };
    for (unsigned k = 0; k < ARRAY_LEN(names); k++) {
        if (strcmp(v->name, names[k]))
            continue;
        const unsigned lanes = k < PARAM_LANES ? 0 : WARP_LANES * (k == PARAM_ADDRS ? 8 : 4);
        if (lanes && v->bytes != lanes)
            return err_set(err, "%s:%u: routine %s: parameter %s should be .b8 %s[%u]", file,
                           v->line, r->name, v->name, v->name, lanes);
        if (!lanes && v->bytes != 4 && v->bytes != 8)
            return err_set(err, "%s:%u: routine %s: parameter %s should be a .u32 or a .u64", file,
                           v->line, r->name, v->name);
        r->params[r->nparams].what = (uint8_t)k;
        r->params[r->nparams].bytes = (uint16_t)v->bytes;
        r->params[r->nparams++].offset = (uint16_t)v->offset;
        return true;
    }
    return err_set(
        err,
        "%s:%u: routine %s: no parameter can be called %s; they are src, dst, result, "
        "addr, addrs, warp, mask, value, inst, distance, region, entries, keep, in0, in1, "
        "out0 and sm",
        file, v->line, r->name, v->name);
}

static bool add_params(struct routine *r, const struct ptx_func *f, const char *file,
                       struct err *err)
{
    if (f->nparams > AWS_PARAMS || f->param_bytes > AWS_PARAM_BYTES)
        return err_set(
            err, "%s:%u: routine %s: %u parameters with %u bytes; at most %d with %d bytes", file,
            f->line, f->name, f->nparams, f->param_bytes, AWS_PARAMS, AWS_PARAM_BYTES);
    for (uint32_t i = 0; i < f->nparams; i++)
        if (!add_param(r, f->params[i], file, err))
            return false;
    return true;
}

/* --- code --- */

static const char *forbidden(const struct routine *r, const struct dinst *d)
{
    const bool is_memory =
        (d->flags & (DINST_LOAD | DINST_STORE | DINST_ATOMIC | DINST_PREFETCH)) != 0;
    if (d->flags & DINST_BARRIER)
        return "waits for other warps, of which a routine has none";
    if (d->flags & DINST_FENCE)
        return "is a fence, which has no meaning for one warp";
    if (d->x->is_deferred)
        return "touches what SMs share (atomics are for .shared variables)";
    if (*r->decl.codec && is_memory && d->x->space != PTX_SPACE_SHARED)
        return "is not on .shared memory, which is all that a routine of a codec may touch";
    return NULL;
}

/* Whether calls from `f`, which is `depth` deep, stay within the limit. `walked` has, by function,
 * how deep it was looked at before. */
static bool calls_fit(const struct ptx_func *f, unsigned depth, uint8_t *walked)
{
    if (depth > AWS_CALLS)
        return false;
    if (walked[f->index] >= depth)
        return true;
    walked[f->index] = (uint8_t)depth;
    for (uint32_t pc = 0; pc < f->ninsts; pc++) {
        const struct ptx_func *callee = ptx_regs_callee(&f->insts[pc]);
        if (callee && !calls_fit(callee, depth + 1, walked))
            return false;
    }
    return true;
}

/* One that calls itself for ever would hold its warp until nothing moves any more. */
static bool check_calls(const struct ptx_func *entry, const char *file, struct err *err)
{
    uint8_t *walked = xcalloc(entry->module->nfuncs, sizeof *walked);
    const bool ok = calls_fit(entry, 1, walked);
    free(walked);
    return ok || err_set(err, "%s:%u: routine %s: calls are nested more than %d deep", file,
                         entry->line, entry->name, AWS_CALLS - 1);
}

static bool check_code(struct routine *r, const char *file, struct err *err)
{
    for (uint32_t i = 0; i < program_func_count(r->kernel->prog); i++) {
        if (!r->kernel->funcs[i])
            continue;
        const struct dfunc *f = decoded_func(r->code, r->kernel->funcs[i]);
        for (uint32_t pc = 0; pc < f->ncode; pc++) {
            const struct dinst *d = &f->code[pc];
            if (!d->x->src)
                continue;
            r->ninst++;
            const char *why = forbidden(r, d);
            char text[96];
            if (why)
                return err_set(err, "%s:%u: routine %s: %s %s", file, d->x->src->line, r->name,
                               ptx_inst_text(d->x->src, text, sizeof text), why);
        }
    }
    const struct xinst *first = r->entry->code[0].x;
    r->is_empty = !first->src || (first->src->op == PTX_OP_RET && !first->has_guard);
    r->ninst -= r->entry->code[r->entry->ncode - 2].x->src->op == PTX_OP_RET;
    if (*r->decl.codec)
        ahead_find(r);
    return true;
}

static bool load_routine(struct aws *s, uint32_t module, const struct ptx_func *f, struct err *err)
{
    struct aws_module *m = &s->modules[module];
    struct routine r = {.name = f->name, .id = s->nroutines, .module = module};
    if (!routine_decl_parse(f, &r.decl, err) || !add_params(&r, f, m->file, err) ||
        !check_calls(f, m->file, err) || !(r.kernel = program_kernel(m->prog, f->name, err)))
        return false;
    r.code = decode_extra(r.kernel, s->sm);
    r.entry = decoded_func(r.code, r.kernel->entry);
    s->routines = xrealloc(s->routines, (s->nroutines + 1) * sizeof *s->routines);
    s->routines[s->nroutines++] = r;
    if (r.kernel->shared_bytes > s->dev->block_shared_bytes)
        return err_set(
            err,
            "%s:%u: routine %s: the .shared variables of its file take %u bytes; a block "
            "of this machine has at most %u",
            m->file, f->line, f->name, r.kernel->shared_bytes, s->dev->block_shared_bytes);
    if (r.kernel->shared_bytes > m->shared_bytes)
        m->shared_bytes = r.kernel->shared_bytes;
    return check_code(&s->routines[r.id], m->file, err);
}

bool aws_load(struct aws *s, const char *file, const char *text, size_t len, struct err *err)
{
    struct ptx_module *mod = ptx_parse(file, text, len, err);
    struct program *p = mod ? program_load(s->dev, &mod, 1, err) : NULL;
    if (!p)
        return false;
    program_join_shared(p);
    s->modules = xrealloc(s->modules, (s->nmodules + 1) * sizeof *s->modules);
    s->modules[s->nmodules] = (struct aws_module){.file = xstrdup(file), .prog = p};
    const uint32_t m = s->nmodules++, before = s->nroutines;
    for (uint32_t i = 0; i < program_func_count(p); i++) {
        const struct ptx_func *f = program_func(p, i);
        if (f->is_entry && !load_routine(s, m, f, err))
            return false;
    }
    return s->nroutines > before || err_set(err, "%s: has no .entry, so no routine", file);
}

/* --- */

uint64_t aws_bytes(const struct aws *s)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < s->nroutines; i++)
        n += s->routines[i].ninst;
    return n * (uint64_t)s->sm->instruction_bytes;
}

bool aws_check(const struct aws *s, uint64_t capacity, struct err *err)
{
    const uint64_t need = aws_bytes(s);
    return need <= capacity ||
           err_set(err,
                   "assist.aws_bytes: the %u routines need %llu bytes of the Assist Warp Store, "
                   "which has %llu",
                   s->nroutines, (unsigned long long)need, (unsigned long long)capacity);
}

const struct routine *aws_codec(const struct aws *s, enum routine_on on, const char *codec,
                                int encoding)
{
    for (uint32_t i = s->nroutines; i-- > 0;) {
        const struct routine_decl *d = &s->routines[i].decl;
        const bool is_for_it = d->encoding == encoding || (on == ON_FILL && d->encoding < 0);
        if (d->on == on && !strcmp(d->codec, codec) && is_for_it)
            return &s->routines[i];
    }
    return NULL;
}

uint32_t aws_registers(const struct aws *s, bool shares)
{
    uint32_t decode = 0, encode = 0, others = 0;
    for (uint32_t i = 0; i < s->nroutines; i++) {
        const struct routine *r = &s->routines[i];
        if (r->decl.on_spares)
            continue;
        if (r->decl.on == ON_FILL)
            decode = r->kernel->regs > decode ? r->kernel->regs : decode;
        else if (r->decl.on == ON_STORE_LINE)
            encode = r->kernel->regs > encode ? r->kernel->regs : encode;
        else
            others += r->kernel->regs;
    }
    return (!shares ? decode + encode : decode > encode ? decode : encode) + others;
}
