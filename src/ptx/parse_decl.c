/* Variables, registers and parameters. */
#include "ptx/parser_int.h"

#include <string.h>

bool parse_linkage_word(const struct token *t, uint8_t *linkage)
{
    static const struct {
        const char *word;
        uint8_t linkage;
    } table[] = {{"visible", PTX_LINK_VISIBLE},
                 {"extern", PTX_LINK_EXTERN},
                 {"weak", PTX_LINK_WEAK},
                 {"common", PTX_LINK_COMMON}};
    for (size_t i = 0; t->kind == TOK_DOT && i < ARRAY_LEN(table); i++)
        if (parse_token_is(t, table[i].word)) {
            *linkage = table[i].linkage;
            return true;
        }
    return false;
}

bool parse_space_word(const struct token *t, uint8_t *space)
{
    static const struct {
        const char *word;
        uint8_t space;
    } table[] = {{"reg", PTX_SPACE_REG},
                 {"global", PTX_SPACE_GLOBAL},
                 {"shared", PTX_SPACE_SHARED},
                 {"shared::cta", PTX_SPACE_SHARED},
                 {"local", PTX_SPACE_LOCAL},
                 {"const", PTX_SPACE_CONST},
                 {"param", PTX_SPACE_PARAM},
                 {"tex", PTX_SPACE_GLOBAL},
                 {"surf", PTX_SPACE_GLOBAL},
                 {"sampler", PTX_SPACE_GLOBAL},
                 {"param::entry", PTX_SPACE_PARAM},
                 {"param::func", PTX_SPACE_PARAM}};
    for (size_t i = 0; t->kind == TOK_DOT && i < ARRAY_LEN(table); i++)
        if (parse_token_is(t, table[i].word)) {
            *space = table[i].space;
            return true;
        }
    return false;
}

static bool parse_align(struct parser *p, uint32_t *align)
{
    struct token at = p->lx.tok;
    uint64_t n;
    if (!parse_uint(p, "the alignment", 1u << 20, &n))
        return false;
    if (!is_pow2(n))
        return parse_error(p, &at, "the alignment must be a power of two");
    *align = (uint32_t)n;
    return true;
}

/* .attribute(.managed, ...): only .managed matters here. */
static bool parse_attribute(struct parser *p, struct decl *d)
{
    if (p->lx.tok.kind != '(')
        return parse_expected(p, "'('");
    const char *start = p->lx.p;
    if (!parse_skip_balanced(p))
        return false;
    static const char word[] = ".managed";
    for (const char *s = start; s + sizeof word - 1 <= p->lx.p; s++)
        d->is_managed |= !memcmp(s, word, sizeof word - 1);
    return true;
}

/* .ptr .global .align 8: facts about what the parameter points to. */
static bool parse_ptr(struct parser *p)
{
    uint8_t space;
    uint32_t align;
    if (parse_space_word(&p->lx.tok, &space))
        lexer_next(&p->lx);
    if (!parse_dot_is(p, "align"))
        return true;
    lexer_next(&p->lx);
    return parse_align(p, &align);
}

/* The old spaces .tex, .surf and .sampler say what the variable is, whatever type follows. */
static enum ptx_type opaque_of_space(const struct token *t)
{
    if (parse_token_is(t, "tex"))
        return PTX_TEXREF;
    if (parse_token_is(t, "surf"))
        return PTX_SURFREF;
    return parse_token_is(t, "sampler") ? PTX_SAMPLERREF : PTX_NOTYPE;
}

static bool parse_decl_word(struct parser *p, struct decl *d, enum ptx_type *opaque)
{
    struct token t = p->lx.tok;
    enum ptx_type type;
    lexer_next(&p->lx);
    if (parse_linkage_word(&t, &d->linkage))
        return true;
    if (parse_space_word(&t, &d->space)) {
        d->has_space = true;
        *opaque = opaque_of_space(&t);
        if (d->space == PTX_SPACE_CONST && p->lx.tok.kind == '[')
            return parse_skip_balanced(p); /* bank of old PTX */
        return true;
    }
    if (parse_token_is(&t, "align"))
        return parse_align(p, &d->align);
    if (parse_token_is(&t, "attribute"))
        return parse_attribute(p, d);
    if (parse_token_is(&t, "ptr"))
        return parse_ptr(p);
    if (parse_token_is(&t, "v2") || parse_token_is(&t, "v4"))
        d->vec = (uint8_t)(t.s[1] - '0');
    else if (parse_token_is(&t, "v8"))
        return parse_error(p, &t, "vector variables have 2 or 4 elements");
    else if ((type = ptx_type_find(t.s, t.len)))
        d->type = (uint8_t)type;
    return true;
}

bool parse_decl_words(struct parser *p, struct decl *d)
{
    enum ptx_type opaque = PTX_NOTYPE;
    if (!d->vec)
        d->vec = 1;
    while (p->lx.tok.kind == TOK_DOT)
        if (!parse_decl_word(p, d, &opaque))
            return false;
    if (opaque)
        d->type = (uint8_t)opaque;
    if (!d->type)
        return parse_expected(p, "a type such as .u32");
    if (!d->has_space)
        return parse_expected(p, "a state space such as .global");
    return true;
}

static bool parse_dims(struct parser *p, struct dims *dims)
{
    *dims = (struct dims){0};
    while (p->lx.tok.kind == '[') {
        struct token at = p->lx.tok;
        lexer_next(&p->lx);
        if (dims->count == PARSE_MAX_DIMS)
            return parse_error(p, &at, "more than %d dimensions", PARSE_MAX_DIMS);
        uint64_t n = 0;
        if (p->lx.tok.kind != ']') {
            if (!parse_uint(p, "the array size", UINT64_C(1) << 40, &n))
                return false;
        } else if (dims->count) {
            return parse_error(p, &at, "only the first dimension may be left open");
        } else {
            dims->first_open = true;
        }
        dims->n[dims->count++] = n;
        if (!parse_require(p, ']', "']'"))
            return false;
    }
    return true;
}

/* Bytes of the whole array, an open first dimension counted as one. */
static bool count_bytes(struct parser *p, const struct token *at, struct ptx_var *v,
                        const struct dims *dims)
{
    static const uint64_t limit = UINT64_C(1) << 44;
    uint64_t bytes = (uint64_t)ptx_type_bytes((enum ptx_type)v->type) * v->vec;
    bool is_empty = false;
    for (unsigned i = dims->first_open; i < dims->count; i++) {
        is_empty |= !dims->n[i];
        if (__builtin_mul_overflow(bytes, dims->n[i] ? dims->n[i] : 1, &bytes) || bytes > limit)
            return parse_error(p, at, "'%s' is larger than %llu bytes", v->name,
                               (unsigned long long)limit);
    }
    v->bytes = is_empty ? 0 : bytes;
    return true;
}

/* One declarator after the words: NAME[dims]; a prototype may leave out the name. */
static bool parse_declarator(struct parser *p, const struct decl *d, bool is_proto,
                             struct ptx_var *v, struct dims *dims)
{
    struct token at = p->lx.tok;
    bool is_nameless = is_proto && (at.kind == ',' || at.kind == ')');
    if (is_nameless)
        at.len = 0;
    else if (!parse_require(p, TOK_IDENT, "a name"))
        return false;
    *v = (struct ptx_var){.name = arena_strndup(&p->m->arena, at.s, at.len),
                          .space = d->space,
                          .type = d->type,
                          .vec = d->vec,
                          .linkage = d->linkage,
                          .is_managed = d->is_managed,
                          .line = at.line};
    uint32_t natural = ptx_type_bytes((enum ptx_type)d->type) * d->vec;
    v->align = d->align ? d->align : natural;
    return parse_dims(p, dims) && count_bytes(p, &at, v, dims);
}

static bool add_local_var(struct parser *p, const struct token *at, const struct ptx_var *v)
{
    struct name *n = scope_add_name(p, at, NAME_VAR);
    if (!n)
        return false;
    n->var = arena_new(&p->m->arena, struct ptx_var);
    *n->var = *v;
    n->var->owner = p->func;
    n->var->index = (uint32_t)p->locals.len;
    vec_push(&p->locals, n->var);
    return true;
}

static bool parse_variable(struct parser *p, const struct decl *d)
{
    struct token at = p->lx.tok;
    struct ptx_var v;
    struct dims dims;
    if (!parse_declarator(p, d, false, &v, &dims))
        return false;
    if (parse_accept(p, '=')) {
        if (!parse_init(p, &v, &dims))
            return false;
    } else if (dims.first_open) {
        v.bytes = 0;
        v.is_unsized = true;
    }
    return p->func ? add_local_var(p, &at, &v) : module_add_var(p, &at, &v);
}

/* Registers outside functions would carry values between functions, which the IR cannot express:
 * each function gets its own, and an instruction that uses one is kept as `bad`. */
static bool add_registers(struct parser *p, const struct decl *d, const struct token *at,
                          bool is_range, uint32_t count)
{
    if (p->func)
        return scope_add_regs(p, at, (enum ptx_type)d->type, d->vec, is_range, count);
    vec_push(&p->module_regs, ((struct module_reg){*at, d->type, d->vec, is_range, count}));
    return true;
}

static bool parse_register(struct parser *p, const struct decl *d)
{
    struct token at = p->lx.tok;
    if (at.kind != TOK_IDENT)
        return parse_expected(p, "a register name");
    lexer_next(&p->lx);
    if (!parse_accept(p, '<'))
        return add_registers(p, d, &at, false, 1);
    struct token n = p->lx.tok;
    if (n.kind != TOK_INT || n.value > UINT32_MAX / 4)
        return parse_expected(p, "the number of registers");
    lexer_next(&p->lx);
    return parse_require(p, '>', "'>'") && add_registers(p, d, &at, true, (uint32_t)n.value);
}

bool parse_variables(struct parser *p, const struct decl *d)
{
    do {
        bool is_reg = d->space == PTX_SPACE_REG;
        if (!(is_reg ? parse_register(p, d) : parse_variable(p, d)))
            return false;
    } while (parse_accept(p, ','));
    return parse_require(p, ';', "',' or ';' after the declaration");
}

static bool place_param(struct parser *p, const struct token *at, struct ptx_func *f,
                        struct ptx_var *v)
{
    uint64_t offset = align_up(f->param_bytes, v->align ? v->align : 1);
    if (offset + v->bytes > INT32_MAX)
        return parse_error(p, at, "the parameters have %llu bytes; the limit is %d",
                           (unsigned long long)(offset + v->bytes), INT32_MAX);
    v->offset = offset;
    f->param_bytes = (uint32_t)(offset + v->bytes);
    return true;
}

static bool parse_param(struct parser *p, struct ptx_func *f, bool is_ret, struct ptx_var *v)
{
    struct decl d = {0};
    struct dims dims;
    if (p->lx.tok.kind != TOK_DOT)
        return parse_expected(p, "'.param' or '.reg'");
    struct token at = p->lx.tok;
    if (!parse_decl_words(p, &d) || !parse_declarator(p, &d, f->is_proto, v, &dims))
        return false;
    if (v->space != PTX_SPACE_PARAM && (f->is_entry || v->space != PTX_SPACE_REG))
        return parse_error(p, &at, "parameter '%s' must be in .param%s", v->name,
                           f->is_entry ? ", as all of a kernel" : " or .reg");
    if (dims.first_open) {
        v->is_unsized = true;
        v->bytes = 0;
    }
    v->owner = f;
    return is_ret || v->space == PTX_SPACE_REG || place_param(p, &at, f, v);
}

bool parse_params(struct parser *p, struct ptx_func *f, bool is_ret)
{
    VEC(struct ptx_var *) list = {0};
    bool ok = parse_require(p, '(', "'('");
    while (ok && p->lx.tok.kind != ')') {
        struct ptx_var *v = arena_new(&p->m->arena, struct ptx_var);
        ok = parse_param(p, f, is_ret, v);
        v->index = (uint32_t)list.len;
        vec_push(&list, v);
        if (!ok || !parse_accept(p, ','))
            break;
    }
    ok = ok && parse_require(p, ')', "',' or ')' after the parameter");
    uint32_t n = (uint32_t)list.len;
    struct ptx_var **vars = arena_array(&p->m->arena, struct ptx_var *, n);
    uint32_t *regs = arena_array(&p->m->arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        vars[i] = list.data[i];
        regs[i] = PTX_NO_REG;
    }
    *(is_ret ? &f->rets : &f->params) = vars;
    *(is_ret ? &f->nrets : &f->nparams) = n;
    *(is_ret ? &f->ret_regs : &f->param_regs) = regs;
    vec_free(&list);
    return ok;
}
