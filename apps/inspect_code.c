/* Lists decoded code beside the text that it was made of. */
#include "inspect_code.h"

#include "exec/program.h"
#include "out/json.h"
#include "sm/decode.h"
#include "sm/machine_code.h"

#include <ctype.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

/* --- text of an instruction --- */

/* Where lines of a text begin. */
struct lines {
    VEC(const char *) at;
};

static void find_lines(struct lines *l, const char *text)
{
    vec_push(&l->at, text);
    for (const char *p = text; (p = strchr(p, '\n')); p++)
        vec_push(&l->at, p + 1);
}

/* From its place to its semicolon, white space folded. */
static char *text_of(const struct lines *l, const struct ptx_inst *i)
{
    if (!i->line || i->line > l->at.len)
        return xstrdup(i->text);
    const char *line = l->at.data[i->line - 1], *p = line;
    while (p - line < (ptrdiff_t)i->col - 1 && *p && *p != '\n')
        p++;
    const size_t n = strcspn(p, ";");
    char *out = xmalloc(n + 2), *to = out;
    for (size_t k = 0; k < n; k++)
        if (!isspace((unsigned char)p[k]))
            *to++ = p[k];
        else if (to > out && to[-1] != ' ')
            *to++ = ' ';
    *to = 0;
    return out;
}

/* With the condition that it has got, or as what has been added beside the instruction of its line
 * (ptx/reshape.h). */
static char *shown(const struct lines *l, const struct ptx_func *f, const struct ptx_inst *i)
{
    char *text = text_of(l, i), name[32], mnemonic[64], *out;
    if (!strstr(text, ptx_inst_text(i, mnemonic, sizeof mnemonic))) {
        out = xasprintf("%s (added)", mnemonic);
    } else if (i->guard != PTX_NO_REG && text[0] != '@') {
        out = xasprintf("@%s%s %s", i->guard_neg ? "!" : "",
                        ptx_reg_text(f, i->guard, name, sizeof name), text);
    } else {
        return text;
    }
    free(text);
    return out;
}

/* --- decoded code --- */

static const char *unit_name(const struct dinst *d)
{
    static const char *const names[UNITS] = {
        [UNIT_SP] = "sp",         [UNIT_SFU] = "sfu", [UNIT_DP] = "dp",
        [UNIT_TENSOR] = "tensor", [UNIT_MEM] = "mem", [UNIT_INT] = "int",
    };
    if (d->flags & (DINST_CONTROL | DINST_BARRIER))
        return d->flags & DINST_CONTROL ? "control" : "barrier";
    return names[d->unit];
}

static struct inspect_inst row_of(const struct lines *l, const struct ptx_func *f,
                                  const struct dinst *d)
{
    const struct ptx_inst *i = d->x->src;
    const bool is_timed =
        d->parts && d->unit != UNIT_MEM && !(d->flags & (DINST_CONTROL | DINST_BARRIER));
    return (struct inspect_inst){
        .line = i->line,
        .ptx = shown(l, f, i),
        .issued = d->parts,
        .unit = d->parts ? unit_name(d) : "",
        .kind = is_timed ? sm_op_class_name((enum op_class)d->class) : "",
        .latency = is_timed ? d->latency : 0,
        .initiation = is_timed ? d->initiation : 0,
        .why = machine_role_text((enum machine_role)d->role),
    };
}

static void add_function(struct inspect_code *c, const struct lines *l, const struct dfunc *f)
{
    struct inspect_function to = {.name = xstrdup(f->fn->src->name)};
    for (uint32_t pc = 0; pc < f->ncode; pc++)
        if (f->code[pc].x->src) /* not the return behind the last one */
            vec_push(&to.insts, row_of(l, f->fn->src, &f->code[pc]));
    vec_push(&c->funcs, to);
}

static void list_kernel(struct inspect_code *c, const struct kernel *k, const struct machine *m)
{
    struct decoded *d = decode_kernel(k, &m->sm);
    struct lines l = {0};
    find_lines(&l, k->src->module->text);
    add_function(c, &l, decoded_func(d, k->entry));
    for (uint32_t i = 0; i < program_func_count(k->prog); i++)
        if (k->funcs[i] && k->funcs[i] != k->entry)
            add_function(c, &l, decoded_func(d, k->funcs[i]));
    vec_free(&l.at);
    decoded_free(d);
}

bool inspect_code_find(struct inspect_code *c, const struct ptx_module *module, const char *kernel,
                       const struct machine *m, struct err *err)
{
    struct ptx_module *own = ptx_parse(module->file, module->text, strlen(module->text), err);
    const bool is_32bit = own && own->address_bytes == 4;
    struct device *dev = !own       ? NULL
                         : is_32bit ? machine_device_32(m, err)
                                    : machine_device(m, err);
    if (own && !dev)
        ptx_module_free(own);
    if (!dev)
        return false;
    dev->schedules_code = m->sm.code == CODE_MACHINE;
    struct program *p = program_load(dev, &own, 1, err);
    const struct kernel *k = p ? program_kernel(p, kernel, err) : NULL;
    if (k)
        list_kernel(c, k, m);
    program_unload(p);
    device_free(dev);
    return k != NULL;
}

void inspect_code_free(struct inspect_code *c)
{
    for (size_t i = 0; i < c->funcs.len; i++) {
        struct inspect_function *f = &c->funcs.data[i];
        for (size_t k = 0; k < f->insts.len; k++)
            free(f->insts.data[k].ptx);
        vec_free(&f->insts);
        free(f->name);
    }
    vec_free(&c->funcs);
}

/* --- output --- */

static unsigned long count_issued(const struct inspect_function *f)
{
    unsigned long n = 0;
    for (size_t i = 0; i < f->insts.len; i++)
        n += f->insts.data[i].issued;
    return n;
}

void inspect_code_print(const struct inspect_code *c)
{
    for (size_t i = 0; i < c->funcs.len; i++) {
        const struct inspect_function *f = &c->funcs.data[i];
        printf("\ncode of %s: %zu instructions of PTX, %lu as they are issued\n", f->name,
               f->insts.len, count_issued(f));
        printf("  issued unit    kind     cycles  line  PTX\n");
        for (size_t k = 0; k < f->insts.len; k++) {
            const struct inspect_inst *r = &f->insts.data[k];
            char cycles[32] = "";
            if (r->latency)
                snprintf(cycles, sizeof cycles, "%u/%u", r->latency, r->initiation);
            printf("  %6.0u %-7s %-8s %6s %5u  %s%s%s\n", r->issued, r->unit, r->kind, cycles,
                   r->line, r->ptx, *r->why ? "    // " : "", r->why);
        }
    }
}

static void json_inst(json_object *array, const struct inspect_inst *r)
{
    json_object *o = json_object_new_object();
    json_add_count(o, "line", r->line);
    json_add_text(o, "ptx", r->ptx);
    json_add_count(o, "issued", r->issued);
    if (*r->unit)
        json_add_text(o, "unit", r->unit);
    if (*r->kind) {
        json_add_text(o, "class", r->kind);
        json_add_count(o, "latency", r->latency);
        json_add_count(o, "initiation", r->initiation);
    }
    if (*r->why)
        json_add_text(o, "why", r->why);
    json_object_array_add(array, o);
}

void inspect_code_json(const struct inspect_code *c, json_object *kernel)
{
    json_object *funcs = json_object_new_array();
    for (size_t i = 0; i < c->funcs.len; i++) {
        const struct inspect_function *f = &c->funcs.data[i];
        json_object *o = json_object_new_object(), *insts = json_object_new_array();
        json_add_text(o, "function", f->name);
        json_add_count(o, "issued", count_issued(f));
        for (size_t k = 0; k < f->insts.len; k++)
            json_inst(insts, &f->insts.data[k]);
        json_object_object_add(o, "instructions", insts);
        json_object_array_add(funcs, o);
    }
    json_object_object_add(kernel, "code", funcs);
}
