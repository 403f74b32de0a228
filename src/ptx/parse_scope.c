/* Names inside a function: nested scopes, register ranges, labels, and names known only later. */
#include "ptx/parser_int.h"

#include <stdio.h>
#include <string.h>

bool scope_push(struct parser *p)
{
    const struct token *t = &p->lx.tok;
    if (p->nscopes == PARSE_MAX_SCOPES)
        return parse_error(p, t, "'{' nested more than %d deep", PARSE_MAX_SCOPES);
    p->scopes[p->nscopes++] =
        (struct scope){.first_fixup = p->fixups.len, .line = t->line, .col = t->col};
    return true;
}

static void scope_free(struct scope *s)
{
    strmap_free(&s->ranges);
    strmap_free(&s->names);
}

void scope_drop_all(struct parser *p)
{
    while (p->nscopes)
        scope_free(&p->scopes[--p->nscopes]);
}

struct fixup *fixup_add(struct parser *p, const struct token *at)
{
    vec_push(&p->fixups,
             ((struct fixup){
                 .s = at->s, .len = at->len, .line = at->line, .col = at->col, .func = p->func}));
    return &vec_last(&p->fixups);
}

static bool fixup_apply_name(const struct fixup *f, const struct name *n)
{
    if (f->pc) {
        if (n->kind != NAME_LABEL)
            return false;
        *f->pc = n->pc;
        return true;
    }
    if (f->reloc) {
        f->reloc->var = n->kind == NAME_VAR ? n->var : NULL;
        return n->kind == NAME_VAR;
    }
    struct ptx_operand *o = f->opnd;
    switch (n->kind) {
    case NAME_LABEL:
        o->kind = PTX_OPND_LABEL;
        o->pc = n->pc;
        return true;
    case NAME_TARGETS:
        o->kind = PTX_OPND_LIST;
        o->pcs = n->targets.pcs;
        o->npcs = n->targets.npcs;
        return true;
    case NAME_PROTO:
        o->kind = PTX_OPND_PROTO;
        o->proto = n->proto;
        return true;
    case NAME_VAR:
        o->kind = PTX_OPND_VAR;
        o->var = n->var;
        return !f->is_label;
    default:
        return false;
    }
}

static bool undefined_label(struct parser *p, const struct scope *s, const struct fixup *f)
{
    struct nearest near;
    char hint[160];
    nearest_init(&near, f->s, f->len);
    for (uint32_t i = 0; i < s->names.count; i++) {
        const struct name *n = s->names.entries[i].value;
        if (n->kind == NAME_LABEL || n->kind == NAME_TARGETS)
            nearest_offer(&near, s->names.entries[i].key);
    }
    struct token at = {.line = f->line, .col = f->col};
    return parse_error(p, &at, "label '%.*s' is not defined in this function%s", (int)f->len, f->s,
                       nearest_hint(&near, hint, sizeof hint));
}

bool scope_pop(struct parser *p)
{
    struct scope *s = &p->scopes[p->nscopes - 1];
    size_t kept = s->first_fixup;
    for (size_t i = kept; i < p->fixups.len; i++) {
        struct fixup *f = &p->fixups.data[i];
        const struct name *n = strmap_get(&s->names, f->s, f->len);
        if (n && fixup_apply_name(f, n))
            continue;
        if (f->is_label && p->nscopes == 1)
            return undefined_label(p, s, f);
        p->fixups.data[kept++] = *f;
    }
    p->fixups.len = kept;
    scope_free(s);
    p->nscopes--;
    return true;
}

static bool name_is_taken(struct parser *p, const struct token *at)
{
    const struct name *old = strmap_get(&p->scopes[p->nscopes - 1].names, at->s, at->len);
    if (!old)
        return false;
    parse_error(p, at, "'%.*s' is already defined in this scope, in line %u", (int)at->len, at->s,
                old->line);
    return true;
}

struct name *scope_add_name(struct parser *p, const struct token *at, uint8_t kind)
{
    if (name_is_taken(p, at))
        return NULL;
    struct name *n = arena_new(&p->scratch, struct name);
    n->kind = kind;
    n->line = at->line;
    const char *key = arena_strndup(&p->scratch, at->s, at->len);
    strmap_put(&p->scopes[p->nscopes - 1].names, key, at->len, n);
    return n;
}

struct name *scope_find(const struct parser *p, const char *s, size_t len)
{
    for (unsigned i = p->nscopes; i-- > 0;) {
        struct name *n = strmap_get(&p->scopes[i].names, s, len);
        if (n)
            return n;
    }
    return NULL;
}

/* Looks for `s` = a range's name followed by the last `ndigits` characters as its number. */
static bool find_in_range(const struct scope *sc, const char *s, size_t len, size_t ndigits,
                          struct reg_range *out)
{
    const char *digits = s + len - ndigits;
    if (ndigits > 9 || (ndigits > 1 && digits[0] == '0'))
        return false;
    const struct reg_range *r = strmap_get(&sc->ranges, s, len - ndigits);
    if (!r)
        return false;
    uint32_t number = 0;
    for (size_t i = 0; i < ndigits; i++)
        number = number * 10 + (uint32_t)(digits[i] - '0');
    if (number >= r->count)
        return false;
    *out = (struct reg_range){r->first + number * r->vec, 1, r->vec};
    return true;
}

bool scope_find_reg(const struct parser *p, const char *s, size_t len, struct reg_range *out)
{
    size_t ndigits = 0;
    while (ndigits < len && lexer_is(s[len - 1 - ndigits], LEX_DIGIT))
        ndigits++;
    for (unsigned i = p->nscopes; i-- > 0;) {
        const struct scope *sc = &p->scopes[i];
        if (ndigits && find_in_range(sc, s, len, ndigits, out))
            return true;
        const struct name *n = strmap_get(&sc->names, s, len);
        if (n) {
            if (n->kind == NAME_REG)
                *out = n->reg;
            return n->kind == NAME_REG;
        }
        for (size_t d = sc->has_digit_ranges ? ndigits : 0; d-- > 1;)
            if (find_in_range(sc, s, len, d, out))
                return true;
    }
    return false;
}

static uint32_t add_family(struct parser *p, const struct token *at, const char *component)
{
    char *name = arena_alloc(&p->m->arena, at->len + 3);
    memcpy(name, at->s, at->len);
    memcpy(name + at->len, component, strlen(component));
    vec_push(&p->families, name);
    return (uint32_t)p->families.len - 1;
}

static const char *const components[4] = {".x", ".y", ".z", ".w"};

static void push_regs(struct parser *p, const struct token *at, enum ptx_type type, unsigned vec,
                      bool is_range, uint32_t count)
{
    uint32_t family = add_family(p, at, vec > 1 ? components[0] : "");
    for (unsigned k = 1; k < vec; k++)
        add_family(p, at, components[k]);
    for (uint32_t i = 0; i < count; i++)
        for (unsigned k = 0; k < vec; k++)
            vec_push(&p->regs, ((struct ptx_reg){.type = (uint8_t)type,
                                                 .family = family + k,
                                                 .number = is_range ? i : UINT32_MAX}));
}

bool scope_add_regs(struct parser *p, const struct token *at, enum ptx_type type, unsigned vec,
                    bool is_range, uint32_t count)
{
    struct scope *sc = &p->scopes[p->nscopes - 1];
    uint64_t total = (uint64_t)count * vec;
    if (total > p->reg_budget)
        return parse_error(p, at, "%u registers are more than this module could use", count);
    p->reg_budget -= total;
    struct reg_range range = {(uint32_t)p->regs.len, count, (uint8_t)vec};
    if (!is_range) {
        struct name *n = scope_add_name(p, at, NAME_REG);
        if (!n)
            return false;
        n->reg = range;
    } else {
        if (strmap_get(&sc->ranges, at->s, at->len))
            return parse_error(p, at, "'%.*s<>' is already declared in this scope", (int)at->len,
                               at->s);
        struct reg_range *r = arena_new(&p->scratch, struct reg_range);
        *r = range;
        strmap_put(&sc->ranges, arena_strndup(&p->scratch, at->s, at->len), at->len, r);
        sc->has_digit_ranges |= lexer_is(at->s[at->len - 1], LEX_DIGIT);
    }
    push_regs(p, at, type, vec, is_range, count);
    return true;
}

bool parse_undefined_reg(struct parser *p, const struct token *at)
{
    struct nearest near;
    char hint[160];
    nearest_init(&near, at->s, at->len);
    size_t base = at->len;
    while (base && lexer_is(at->s[base - 1], LEX_DIGIT))
        base--;
    for (unsigned i = p->nscopes; i-- > 0;) {
        const struct scope *sc = &p->scopes[i];
        const struct reg_range *r = strmap_get(&sc->ranges, at->s, base);
        if (r && base < at->len)
            return parse_error(p, at, "register '%.*s' is not declared; '%.*s<%u>' ends at %u",
                               (int)at->len, at->s, (int)base, at->s, r->count,
                               r->count ? r->count - 1 : 0);
        for (uint32_t k = 0; k < sc->names.count; k++)
            nearest_offer(&near, sc->names.entries[k].key);
        for (uint32_t k = 0; base < at->len && k < sc->ranges.count; k++) {
            char name[128];
            snprintf(name, sizeof name, "%s%.*s", sc->ranges.entries[k].key, (int)(at->len - base),
                     at->s + base);
            if (strlen(name) < sizeof name - 1)
                nearest_offer(&near, arena_strndup(&p->scratch, name, strlen(name)));
        }
    }
    for (unsigned i = 0; i < PTX_SREG_COUNT; i++)
        nearest_offer(&near, ptx_sreg_name((enum ptx_sreg)i));
    return parse_error(p, at, "register '%.*s' is not declared%s", (int)at->len, at->s,
                       nearest_hint(&near, hint, sizeof hint));
}

static bool undefined_symbol(struct parser *p, const struct fixup *f)
{
    struct nearest near;
    char hint[160];
    nearest_init(&near, f->s, f->len);
    for (uint32_t i = 0; f->func && i < f->func->nparams; i++)
        nearest_offer(&near, f->func->params[i]->name);
    for (uint32_t i = 0; f->func && i < f->func->nvars; i++)
        nearest_offer(&near, f->func->vars[i]->name);
    for (uint32_t i = 0; i < p->m->symbols.count; i++)
        nearest_offer(&near, p->m->symbols.entries[i].key);
    struct token at = {.line = f->line, .col = f->col};
    return parse_error(p, &at, "'%.*s' is not defined%s", (int)f->len, f->s,
                       nearest_hint(&near, hint, sizeof hint));
}

bool fixup_resolve_module(struct parser *p)
{
    for (size_t i = 0; i < p->fixups.len; i++) {
        const struct fixup *f = &p->fixups.data[i];
        const struct ptx_symbol *s = strmap_get(&p->m->symbols, f->s, f->len);
        if (!s)
            return undefined_symbol(p, f);
        struct ptx_func *func = s->func && s->func->def ? s->func->def : s->func;
        if (f->reloc) {
            f->reloc->var = s->var;
            f->reloc->func = func;
        } else if (s->var) {
            f->opnd->kind = PTX_OPND_VAR;
            f->opnd->var = s->var;
        } else {
            f->opnd->kind = PTX_OPND_FUNC;
            f->opnd->func = func;
        }
    }
    for (size_t i = 0; i < p->func_refs.len; i++) {
        struct ptx_operand *o = p->func_refs.data[i];
        if (o->func->def)
            o->func = o->func->def;
    }
    return true;
}
