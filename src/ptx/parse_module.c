/* The module: directives, symbols, and ptx_parse() itself. */
#include "ptx/marks.h"
#include "ptx/parser_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ptx_symbol *add_symbol(struct parser *p, const char *name)
{
    struct ptx_symbol *s = arena_new(&p->m->arena, struct ptx_symbol);
    strmap_put(&p->m->symbols, name, strlen(name), s);
    return s;
}

static bool is_replaceable(uint8_t linkage)
{
    return linkage == PTX_LINK_WEAK || linkage == PTX_LINK_COMMON;
}

static bool defined_twice(struct parser *p, const struct token *at, uint32_t line)
{
    return parse_error(p, at, "'%.*s' is already defined, in line %u", (int)at->len, at->s, line);
}

bool module_add_var(struct parser *p, const struct token *at, const struct ptx_var *v)
{
    struct ptx_symbol *s = strmap_get(&p->m->symbols, at->s, at->len);
    if (s && s->func)
        return defined_twice(p, at, s->func->line);
    if (!s) {
        s = add_symbol(p, v->name);
        s->var = arena_new(&p->m->arena, struct ptx_var);
        *s->var = *v;
        s->var->index = (uint32_t)p->vars.len;
        vec_push(&p->vars, s->var);
        return true;
    }
    if (v->linkage == PTX_LINK_EXTERN)
        return true;
    bool old_weak = is_replaceable(s->var->linkage);
    if (s->var->linkage != PTX_LINK_EXTERN && !old_weak && !is_replaceable(v->linkage))
        return defined_twice(p, at, s->var->line);
    /* A definition takes the place of a declaration or a weaker one; users keep their pointer. */
    if (s->var->linkage == PTX_LINK_EXTERN || (old_weak && !is_replaceable(v->linkage))) {
        uint32_t index = s->var->index;
        *s->var = *v;
        s->var->index = index;
    }
    return true;
}

bool module_add_func(struct parser *p, struct ptx_func *f, const struct token *at)
{
    struct ptx_symbol *s = strmap_get(&p->m->symbols, at->s, at->len);
    if (s && s->var)
        return defined_twice(p, at, s->var->line);
    f->index = (uint32_t)p->funcs.len;
    vec_push(&p->funcs, f);
    if (!s) {
        add_symbol(p, f->name)->func = f;
        return true;
    }
    struct ptx_func *old = s->func;
    if (f->is_decl)
        return true;
    if (strcmp(old->name, f->name))
        return parse_error(p, at, "'%s' is an alias of '%s' and cannot have a body", f->name,
                           old->name);
    if (!old->is_decl && !is_replaceable(old->linkage) && !is_replaceable(f->linkage))
        return defined_twice(p, at, old->line);
    if (old->is_decl || (is_replaceable(old->linkage) && !is_replaceable(f->linkage)))
        s->func = f;
    return true;
}

/* Every declaration (and every weaker definition) learns which function its name stands for. */
static void link_definitions(struct parser *p)
{
    for (size_t i = 0; i < p->funcs.len; i++) {
        struct ptx_func *f = p->funcs.data[i];
        const struct ptx_symbol *s = strmap_get(&p->m->symbols, f->name, strlen(f->name));
        if (s->func != f && !s->func->is_decl)
            f->def = s->func;
    }
}

/* .alias NAME, FUNCTION; */
static bool parse_alias(struct parser *p)
{
    lexer_next(&p->lx);
    struct token name = p->lx.tok;
    if (!parse_require(p, TOK_IDENT, "the alias") || !parse_require(p, ',', "','"))
        return false;
    struct token target = p->lx.tok;
    if (!parse_require(p, TOK_IDENT, "a function") || !parse_require(p, ';', "';'"))
        return false;
    const struct ptx_symbol *t = strmap_get(&p->m->symbols, target.s, target.len);
    if (!t || !t->func)
        return parse_error(p, &target, "'%.*s' is not a function", (int)target.len, target.s);
    if (t->func->linkage == PTX_LINK_WEAK)
        return parse_error(p, &target,
                           "'%s' is .weak: only a function that cannot be replaced has an alias",
                           t->func->name);
    struct ptx_symbol *s = strmap_get(&p->m->symbols, name.s, name.len);
    if (!s)
        return parse_error(p, &name,
                           "'%.*s' is not declared: an alias needs its '.func %.*s' before it",
                           (int)name.len, name.s, (int)name.len, name.s);
    if (!s->func || !s->func->is_decl)
        return parse_error(p, &name, "'%.*s' is already defined", (int)name.len, name.s);
    s->func = t->func;
    return true;
}

static bool parse_section(struct parser *p)
{
    lexer_next(&p->lx);
    while (p->lx.tok.kind == TOK_DOT || p->lx.tok.kind == TOK_IDENT || p->lx.tok.kind == ',' ||
           p->lx.tok.kind == TOK_STRING)
        lexer_next(&p->lx);
    return p->lx.tok.kind == '{' ? parse_skip_balanced(p) : parse_expected(p, "'{'");
}

/* The string without its quotes. A mark must be right, and in a function's body. */
static bool parse_pragma_text(struct parser *p, const struct token *t)
{
    struct ptx_pragma g = {arena_strndup(&p->m->arena, t->s + 1, t->len - 2), t->line, t->col,
                           (uint32_t)p->insts.len};
    struct ptx_mark mark;
    struct ptx_mark_error e;
    const enum ptx_mark_kind kind = ptx_mark_read(g.text, &mark, &e);
    struct token at = *t;
    if (kind == PTX_MARK_BAD) {
        at.col += 1 + (uint32_t)e.at;
        return parse_error(p, &at, "%s", e.msg);
    }
    if (kind == PTX_MARK_GOOD && !p->func)
        return parse_error(p, &at, "the mark \"%s\" has its place in a function's body", g.text);
    if (p->func)
        vec_push(&p->pragmas, g);
    return true;
}

bool parse_pragma_strings(struct parser *p)
{
    do {
        lexer_next(&p->lx);
        if (p->lx.tok.kind != TOK_STRING)
            return parse_expected(p, "a string");
        if (!parse_pragma_text(p, &p->lx.tok))
            return false;
        lexer_next(&p->lx);
    } while (p->lx.tok.kind == ',');
    return true;
}

/* What is skipped could be a mark without its quotes. */
static bool parse_pragma(struct parser *p)
{
    return parse_pragma_strings(p) && (parse_accept(p, ';') || parse_expected(p, "';'"));
}

/* Directives that may stand anywhere. */
bool parse_common_directive(struct parser *p, bool *done)
{
    const struct token *t = &p->lx.tok;
    *done = true;
    if (parse_token_is(t, "loc"))
        return parse_loc(p);
    if (parse_token_is(t, "file"))
        return parse_file(p);
    if (parse_token_is(t, "section"))
        return parse_section(p);
    if (parse_token_is(t, "pragma"))
        return parse_pragma(p);
    *done = false;
    return true;
}

static bool parse_version(struct parser *p)
{
    lexer_next(&p->lx);
    struct token t = p->lx.tok;
    unsigned major, minor = 0;
    char buf[16];
    if ((t.kind != TOK_F64 && t.kind != TOK_INT) || t.len >= sizeof buf)
        return parse_expected(p, "a version such as 8.0");
    memcpy(buf, t.s, t.len);
    buf[t.len] = 0;
    if (sscanf(buf, "%5u.%5u", &major, &minor) < 1)
        return parse_expected(p, "a version such as 8.0");
    p->m->version_major = major;
    p->m->version_minor = minor;
    lexer_next(&p->lx);
    return true;
}

static bool parse_target(struct parser *p)
{
    lexer_next(&p->lx);
    struct token t = p->lx.tok;
    if (!parse_require(p, TOK_IDENT, "a target such as sm_80"))
        return false;
    p->m->target = arena_strndup(&p->m->arena, t.s, t.len);
    while (parse_accept(p, ','))
        if (!parse_require(p, TOK_IDENT, "an option of the target"))
            return false;
    return true;
}

static bool parse_address_size(struct parser *p)
{
    lexer_next(&p->lx);
    struct token at = p->lx.tok;
    uint64_t n;
    if (!parse_uint(p, "the address size", 64, &n))
        return false;
    if (n != 32 && n != 64)
        return parse_error(p, &at, "the address size must be 32 or 64");
    p->m->address_bytes = (unsigned)n / 8;
    return true;
}

/* A function or variable, from its first word. */
static bool parse_definition(struct parser *p)
{
    struct decl d = {0};
    while (parse_linkage_word(&p->lx.tok, &d.linkage))
        lexer_next(&p->lx);
    bool is_entry = parse_dot_is(p, "entry");
    if (is_entry || parse_dot_is(p, "func")) {
        lexer_next(&p->lx);
        return parse_function(p, d.linkage, is_entry);
    }
    uint8_t space;
    const struct token *t = &p->lx.tok;
    if (parse_space_word(t, &space) || parse_dot_is(p, "align") || parse_dot_is(p, "attribute"))
        return parse_decl_words(p, &d) && parse_variables(p, &d);
    if (d.linkage)
        return parse_expected(p, "'.func', '.entry' or a state space");
    return parse_wrong_directive(p);
}

static bool parse_module_directive(struct parser *p)
{
    const struct token *t = &p->lx.tok;
    if (parse_token_is(t, "version"))
        return parse_version(p);
    if (parse_token_is(t, "target"))
        return parse_target(p);
    if (parse_token_is(t, "address_size"))
        return parse_address_size(p);
    if (parse_token_is(t, "alias"))
        return parse_alias(p);
    bool done;
    if (!parse_common_directive(p, &done))
        return false;
    return done || parse_definition(p);
}

static bool parse_module(struct parser *p)
{
    while (!p->failed) {
        if (p->lx.tok.kind == TOK_EOF)
            break;
        if (p->lx.tok.kind == ';')
            lexer_next(&p->lx);
        else if (p->lx.tok.kind != TOK_DOT)
            return parse_expected(p, "a directive such as .entry, .func or .global");
        else if (!parse_module_directive(p))
            return false;
    }
    if (p->failed)
        return false;
    if (!p->m->version_major)
        return parse_error(p, &p->lx.tok, "this is not PTX: there is no .version directive");
    if (*p->lx.p || p->lx.p != p->text_end)
        return parse_error(p, &p->lx.tok, "the text contains a NUL byte");
    link_definitions(p);
    return fixup_resolve_module(p);
}

static void finish_module(struct parser *p)
{
    struct ptx_module *m = p->m;
    m->nvars = (uint32_t)p->vars.len;
    m->nfuncs = (uint32_t)p->funcs.len;
    m->vars = arena_array(&m->arena, struct ptx_var *, m->nvars);
    m->funcs = arena_array(&m->arena, struct ptx_func *, m->nfuncs);
    for (uint32_t i = 0; i < m->nvars; i++)
        m->vars[i] = p->vars.data[i];
    for (uint32_t i = 0; i < m->nfuncs; i++)
        m->funcs[i] = p->funcs.data[i];
}

static void parser_free(struct parser *p)
{
    scope_drop_all(p);
    strmap_free(&p->mnemonics);
    arena_free(&p->scratch);
    vec_free(&p->vars);
    vec_free(&p->funcs);
    vec_free(&p->fixups);
    vec_free(&p->func_refs);
    vec_free(&p->module_regs);
    vec_free(&p->insts);
    vec_free(&p->regs);
    vec_free(&p->families);
    vec_free(&p->locals);
    vec_free(&p->pragmas);
    vec_free(&p->opnds);
    free(p);
}

struct ptx_module *ptx_parse(const char *file, const char *text, size_t len, struct err *err)
{
    while (len && !text[len - 1])
        len--;
    char *copy = xmalloc(len + 1);
    memcpy(copy, text, len);
    copy[len] = 0;

    struct parser *p = xcalloc(1, sizeof *p);
    struct ptx_module *m = xcalloc(1, sizeof *m);
    m->file = arena_strndup(&m->arena, file, strlen(file));
    m->target = "";
    m->address_bytes = 4; /* what PTX means when it does not say */
    p->m = m;
    p->err = err;
    p->text_end = copy + len;
    p->reg_budget = (UINT64_C(1) << 20) + len;
    p->init_budget = UINT64_C(1) << 30;
    lexer_init(&p->lx, copy);
    m->text = copy;
    bool ok = parse_module(p);
    if (ok)
        finish_module(p);
    parser_free(p);
    if (ok)
        return m;
    ptx_module_free(m);
    return NULL;
}
