/* Functions: header, body, labels. */
#include "ptx/parser_int.h"

#include <string.h>

static bool parse_sizes(struct parser *p, uint32_t out[3])
{
    out[0] = out[1] = out[2] = 1;
    for (unsigned i = 0; i < 3; i++) {
        uint64_t n;
        if (!parse_uint(p, "the size", UINT32_MAX, &n))
            return false;
        out[i] = (uint32_t)n;
        if (!parse_accept(p, ','))
            break;
    }
    return true;
}

static bool parse_u32(struct parser *p, uint32_t *out)
{
    uint64_t n;
    if (!parse_uint(p, "the number", UINT32_MAX, &n))
        return false;
    *out = (uint32_t)n;
    return true;
}

/* A directive of the header that does not matter here: its word and its values. */
static bool skip_header_directive(struct parser *p)
{
    static const char *const words[] = {
        "noreturn",          "maxnctapersm",    "maxclusterrank",
        "reqnctapercluster", "explicitcluster", "blocksareclusters",
        "attribute",         "abi_preserve",    "abi_preserve_control",
    };
    size_t i = 0;
    while (i < ARRAY_LEN(words) && !parse_dot_is(p, words[i]))
        i++;
    if (i == ARRAY_LEN(words))
        return parse_wrong_directive(p);
    lexer_next(&p->lx);
    for (;;) {
        int kind = p->lx.tok.kind;
        if (kind == '(') {
            if (!parse_skip_balanced(p))
                return false;
        } else if (kind == TOK_INT || kind == TOK_STRING || kind == ',') {
            lexer_next(&p->lx);
        } else {
            break;
        }
    }
    return true;
}

static bool parse_header_pragma(struct parser *p)
{
    if (!parse_pragma_strings(p))
        return false;
    parse_accept(p, ';');
    return true;
}

/* Old compilers end a function's declaration with nothing: the next definition shows it. */
static bool starts_definition(const struct parser *p)
{
    static const char *const words[] = {"func", "entry", "file", "section", "version", "target"};
    uint8_t any;
    const struct token *t = &p->lx.tok;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (parse_dot_is(p, words[i]))
            return true;
    return parse_linkage_word(t, &any) || parse_space_word(t, &any);
}

static bool parse_header_directives(struct parser *p, struct ptx_func *f)
{
    while (p->lx.tok.kind == TOK_DOT && !starts_definition(p)) {
        struct token t = p->lx.tok;
        bool ok = true;
        if (parse_token_is(&t, "maxntid") || parse_token_is(&t, "reqntid")) {
            lexer_next(&p->lx);
            ok = parse_sizes(p, t.s[0] == 'm' ? f->maxntid : f->reqntid);
        } else if (parse_token_is(&t, "minnctapersm") || parse_token_is(&t, "maxnreg")) {
            lexer_next(&p->lx);
            ok = parse_u32(p, t.s[1] == 'i' ? &f->minnctapersm : &f->maxnreg);
        } else if (parse_token_is(&t, "pragma")) {
            ok = parse_header_pragma(p);
        } else {
            f->is_noreturn |= parse_token_is(&t, "noreturn");
            ok = skip_header_directive(p);
        }
        if (!ok)
            return false;
    }
    return true;
}

bool parse_prototype(struct parser *p, struct ptx_func *f)
{
    f->is_proto = f->is_decl = true;
    f->module = p->m;
    f->line = p->lx.tok.line;
    if (p->lx.tok.kind == '(' && !parse_params(p, f, true))
        return false;
    struct token t = p->lx.tok;
    if (!parse_require(p, TOK_IDENT, "'_'"))
        return false;
    f->name = arena_strndup(&p->m->arena, t.s, t.len);
    if (p->lx.tok.kind == '(' && !parse_params(p, f, false))
        return false;
    return parse_header_directives(p, f) && parse_require(p, ';', "';' after the prototype");
}

static bool parse_branch_targets(struct parser *p, struct name *n)
{
    VEC(struct token) labels = {0};
    do {
        struct token t = p->lx.tok;
        if (!parse_require(p, TOK_IDENT, "a label"))
            break;
        vec_push(&labels, t);
    } while (parse_accept(p, ','));
    n->targets.npcs = (uint32_t)labels.len;
    n->targets.pcs = arena_array(&p->m->arena, uint32_t, labels.len);
    for (size_t i = 0; i < labels.len; i++) {
        struct fixup *f = fixup_add(p, &labels.data[i]);
        f->is_label = true;
        f->pc = &n->targets.pcs[i];
    }
    vec_free(&labels);
    return parse_require(p, ';', "',' or ';' after the label");
}

/* All targets have the same signature: the first one stands for it. */
static bool parse_call_targets(struct parser *p, struct name *n)
{
    struct token t = p->lx.tok;
    if (!parse_require(p, TOK_IDENT, "a function"))
        return false;
    const struct ptx_symbol *s = strmap_get(&p->m->symbols, t.s, t.len);
    if (!s || !s->func)
        return parse_error(p, &t, "'%.*s' is not a function", (int)t.len, t.s);
    n->proto = s->func;
    while (parse_accept(p, ','))
        if (!parse_require(p, TOK_IDENT, "a function"))
            return false;
    return parse_require(p, ';', "',' or ';' after the function");
}

/* "NAME :" and, for a label that names a list or prototype, the list or prototype. */
static bool parse_label(struct parser *p)
{
    struct token at = p->lx.tok;
    lexer_next(&p->lx);
    lexer_next(&p->lx);
    struct name *n = scope_add_name(p, &at, NAME_LABEL);
    if (!n)
        return false;
    n->pc = (uint32_t)p->insts.len;
    if (parse_dot_is(p, "branchtargets")) {
        n->kind = NAME_TARGETS;
        lexer_next(&p->lx);
        return parse_branch_targets(p, n);
    }
    bool is_proto = parse_dot_is(p, "callprototype");
    if (!is_proto && !parse_dot_is(p, "calltargets")) {
        p->ends_in_label = true;
        return true;
    }
    n->kind = NAME_PROTO;
    lexer_next(&p->lx);
    if (!is_proto)
        return parse_call_targets(p, n);
    struct ptx_func *f = arena_new(&p->m->arena, struct ptx_func);
    n->proto = f;
    return parse_prototype(p, f);
}

static bool is_label(const struct parser *p)
{
    const char *s = p->lx.p;
    while (lexer_is(*s, LEX_SPACE))
        s++;
    return s[0] == ':' && s[1] != ':';
}

static bool parse_body_directive(struct parser *p)
{
    bool done = false;
    if (!parse_common_directive(p, &done))
        return false;
    if (done)
        return true;
    uint8_t space, linkage;
    const struct token *t = &p->lx.tok;
    if (!parse_space_word(t, &space) && !parse_linkage_word(t, &linkage) &&
        !parse_token_is(t, "align"))
        return parse_wrong_directive(p);
    struct decl d = {0};
    return parse_decl_words(p, &d) && parse_variables(p, &d);
}

/* Returns false at the end of the body, or after an error. */
static bool parse_statement(struct parser *p)
{
    switch (p->lx.tok.kind) {
    case '{':
        if (!scope_push(p))
            return false;
        lexer_next(&p->lx);
        return true;
    case '}':
        if (!scope_pop(p))
            return false;
        lexer_next(&p->lx);
        return p->nscopes > 0;
    case ';':
        lexer_next(&p->lx);
        return true;
    case TOK_DOT:
        return parse_body_directive(p);
    case TOK_IDENT:
        if (is_label(p))
            return parse_label(p);
        /* fall through */
    case '@':
        p->ends_in_label = false;
        return parse_instruction(p);
    case TOK_EOF:
        return parse_error(p, &p->lx.tok, "the body of '%s' (line %u) has no '}'", p->func->name,
                           p->func->line);
    default:
        return parse_expected(p, "an instruction, a label, a directive or '}'");
    }
}

static bool declare_param(struct parser *p, struct ptx_var *v, uint32_t *reg)
{
    struct token at = {.kind = TOK_IDENT,
                       .line = v->line,
                       .col = 1,
                       .s = v->name,
                       .len = (uint32_t)strlen(v->name)};
    if (v->space == PTX_SPACE_REG) {
        *reg = (uint32_t)p->regs.len;
        return scope_add_regs(p, &at, (enum ptx_type)v->type, v->vec, false, 1);
    }
    struct name *n = scope_add_name(p, &at, NAME_VAR);
    if (n)
        n->var = v;
    return n != NULL;
}

static bool declare_params(struct parser *p, struct ptx_func *f)
{
    for (uint32_t i = 0; i < f->nrets; i++)
        if (!declare_param(p, f->rets[i], &f->ret_regs[i]))
            return false;
    for (uint32_t i = 0; i < f->nparams; i++)
        if (!declare_param(p, f->params[i], &f->param_regs[i]))
            return false;
    return true;
}

/* Registers of the module belong to every function; see parse_register(). */
static bool declare_module_regs(struct parser *p)
{
    for (size_t i = 0; i < p->module_regs.len; i++) {
        const struct module_reg *r = &p->module_regs.data[i];
        if (!scope_add_regs(p, &r->name, (enum ptx_type)r->type, r->vec, r->is_range, r->count))
            return false;
    }
    p->nmodule_regs = (uint32_t)p->regs.len;
    return true;
}

static bool ends_path(const struct ptx_inst *i)
{
    return i->guard == PTX_NO_REG && (i->op == PTX_OP_RET || i->op == PTX_OP_EXIT ||
                                      i->op == PTX_OP_TRAP || i->op == PTX_OP_BRA);
}

/* A body that can run off its end returns there. */
static void add_final_ret(struct parser *p, uint32_t line, uint32_t col)
{
    if (p->insts.len && !p->ends_in_label && ends_path(&vec_last(&p->insts)))
        return;
    vec_push(&p->insts, ((struct ptx_inst){.op = PTX_OP_RET,
                                           .guard = PTX_NO_REG,
                                           .line = line,
                                           .col = col,
                                           .text = ptx_op_name(PTX_OP_RET)}));
}

/* Every brx.idx has an edge to every label of its list; lists can be shared, edges are not. */
static bool check_branch_lists(struct parser *p)
{
    uint64_t edges = 0;
    for (size_t i = 0; i < p->insts.len; i++) {
        const struct ptx_inst *in = &p->insts.data[i];
        if (in->op != PTX_OP_BRX || in->nops != 2 || in->ops[1].kind != PTX_OPND_LIST)
            continue;
        edges += in->ops[1].npcs;
        if (edges > PARSE_MAX_EDGES) {
            struct token at = {.line = in->line, .col = in->col};
            return parse_error(p, &at, "the branch lists of '%s' have more than %d targets",
                               p->func->name, PARSE_MAX_EDGES);
        }
    }
    return true;
}

#define COPY_VEC(p, v, n_out)                                                            \
    ((n_out) = (uint32_t)(v).len,                                                        \
     (v).len ? memcpy(arena_alloc(&(p)->m->arena, (v).len * sizeof *(v).data), (v).data, \
                      (v).len * sizeof *(v).data)                                        \
             : NULL)

static void finish_body(struct parser *p, struct ptx_func *f)
{
    f->insts = COPY_VEC(p, p->insts, f->ninsts);
    f->regs = COPY_VEC(p, p->regs, f->nregs);
    f->families = COPY_VEC(p, p->families, f->nfamilies);
    f->vars = COPY_VEC(p, p->locals, f->nvars);
    f->pragmas = COPY_VEC(p, p->pragmas, f->npragmas);
}

static bool parse_body(struct parser *p, struct ptx_func *f)
{
    p->func = f;
    p->loc = (struct ptx_loc){0};
    p->insts.len = p->regs.len = p->families.len = p->locals.len = p->opnds.len = 0;
    p->pragmas.len = 0;
    p->ends_in_label = false;
    if (!scope_push(p) || !declare_module_regs(p))
        return false;
    lexer_next(&p->lx);
    if (!declare_params(p, f))
        return false;
    uint32_t line = p->lx.tok.line, col = p->lx.tok.col;
    while (parse_statement(p)) {
        line = p->lx.tok.line;
        col = p->lx.tok.col;
    }
    if (p->failed || !check_branch_lists(p))
        return false;
    add_final_ret(p, line, col);
    finish_body(p, f);
    p->func = NULL;
    return true;
}

static bool parse_header(struct parser *p, struct ptx_func *f, struct token *name)
{
    while (p->lx.tok.kind == TOK_DOT)
        if (!skip_header_directive(p))
            return false;
    if (p->lx.tok.kind == '(' && !parse_params(p, f, true))
        return false;
    *name = p->lx.tok;
    if (!parse_require(p, TOK_IDENT, "the function's name"))
        return false;
    f->name = arena_strndup(&p->m->arena, name->s, name->len);
    f->line = name->line;
    if (p->lx.tok.kind == '(' && !parse_params(p, f, false))
        return false;
    return parse_header_directives(p, f);
}

bool parse_function(struct parser *p, uint8_t linkage, bool is_entry)
{
    struct ptx_func *f = arena_new(&p->m->arena, struct ptx_func);
    struct token name;
    f->is_entry = is_entry;
    f->linkage = linkage;
    f->module = p->m;
    if (!parse_header(p, f, &name))
        return false;
    f->is_decl = p->lx.tok.kind != '{';
    if (f->is_decl && !parse_accept(p, ';') && !starts_definition(p))
        return parse_expected(p, "'{' or ';' after the function's header");
    return module_add_func(p, f, &name) && (f->is_decl || parse_body(p, f));
}
