/* Operands of instructions. */
#include "ptx/parser_int.h"

#include <string.h>

/* Moves the operands from `first` up off the stack to their final place. Names that wait for their
 * definition learn their address here. */
struct ptx_operand *parse_commit_operands(struct parser *p, size_t first)
{
    size_t n = p->opnds.len - first;
    if (!n)
        return NULL;
    struct ptx_operand *ops = arena_array(&p->m->arena, struct ptx_operand, n);
    memcpy(ops, p->opnds.data + first, n * sizeof *ops);
    p->opnds.len = first;
    for (size_t i = 0; i < n; i++) {
        if (ops[i].kind == PTX_OPND_LABEL)
            p->fixups.data[ops[i].pc].opnd = &ops[i];
        else if (ops[i].kind == PTX_OPND_FUNC && ops[i].func->is_decl)
            vec_push(&p->func_refs, &ops[i]);
    }
    return ops;
}

static bool set_elems(struct parser *p, const struct token *at, struct ptx_operand *o, uint8_t kind,
                      size_t first)
{
    size_t n = p->opnds.len - first;
    if (n > UINT8_MAX)
        return parse_error(p, at, "more than %d elements", UINT8_MAX);
    o->kind = kind;
    o->nelems = (uint8_t)n;
    o->elems = parse_commit_operands(p, first);
    return true;
}

static void set_imm(struct ptx_operand *o, const struct cval *c)
{
    o->kind = PTX_OPND_IMM;
    o->imm = (int64_t)c->bits;
    o->is_float = c->kind >= CVAL_F32;
    o->is_f32 = c->kind == CVAL_F32;
}

static bool parse_imm(struct parser *p, struct ptx_operand *o)
{
    struct cval c;
    if (!parse_expr(p, &c))
        return false;
    set_imm(o, &c);
    return true;
}

/* "{a, b}" or "(a, b)": `close` ends it. */
static bool parse_group(struct parser *p, const struct ptx_inst *i, struct ptx_operand *o,
                        uint8_t kind, int close)
{
    struct token at = p->lx.tok;
    size_t first = p->opnds.len;
    if (!parse_enter(p))
        return false;
    lexer_next(&p->lx);
    while (p->lx.tok.kind != close) {
        struct ptx_operand e;
        if (!parse_operand(p, i, &e))
            return false;
        vec_push(&p->opnds, e);
        if (!parse_accept(p, ','))
            break;
    }
    parse_leave(p);
    return parse_require(p, close, close == '}' ? "',' or '}'" : "',' or ')'") &&
           set_elems(p, &at, o, kind, first);
}

/* .x .y .z .w, or .r .g .b .a; -1 = neither. */
static int component_of(const struct token *t)
{
    static const char xyzw[] = "xyzwrgba";
    const char *c = t->len == 1 ? memchr(xyzw, t->s[0], 8) : NULL;
    return c ? (int)(c - xyzw) % 4 : -1;
}

static uint8_t selector_of(const struct token *t)
{
    if (t->len != 2)
        return 0;
    if (t->s[0] == 'b' && t->s[1] >= '0' && t->s[1] <= '3')
        return (uint8_t)(PTX_M_B0 + t->s[1] - '0');
    if (t->s[0] == 'h' && (t->s[1] == '0' || t->s[1] == '1'))
        return (uint8_t)(PTX_M_H0 + t->s[1] - '0');
    return 0;
}

/* .b3210 or .h10: the lanes of a SIMD video instruction; the IR has no place for them. */
static bool is_lane_selector(const struct token *t)
{
    if (t->len < 2 || t->len > 5 || (t->s[0] != 'b' && t->s[0] != 'h'))
        return false;
    for (uint32_t i = 1; i < t->len; i++)
        if (t->s[i] < '0' || t->s[i] > '7')
            return false;
    return true;
}

/* The dotted word after a register: a component of a vector, or a video selector. */
static bool parse_reg_suffix(struct parser *p, struct reg_range r, struct ptx_operand *o)
{
    struct token t = p->lx.tok;
    int c = component_of(&t);
    lexer_next(&p->lx);
    if (c >= 0 && r.vec > 1) {
        if (c >= r.vec)
            return parse_error(p, &t, "the register has only %u components", r.vec);
        o->reg += (uint32_t)c;
        return true;
    }
    o->selector = selector_of(&t);
    if (o->selector || is_lane_selector(&t)) {
        p->form_unknown |= !o->selector;
        return true;
    }
    return parse_error(p, &t, "a register has no '.%.*s'", (int)t.len, t.s);
}

static bool parse_reg(struct parser *p, struct reg_range r, struct ptx_operand *o)
{
    bool has_suffix = *p->lx.p == '.';
    struct token at = p->lx.tok;
    o->kind = PTX_OPND_REG;
    o->reg = r.first;
    p->form_unknown |= r.first < p->nmodule_regs;
    lexer_next(&p->lx);
    if (has_suffix)
        return parse_reg_suffix(p, r, o);
    if (r.vec == 1)
        return true;
    size_t first = p->opnds.len;
    for (uint32_t i = 0; i < r.vec; i++)
        vec_push(&p->opnds, ((struct ptx_operand){.kind = PTX_OPND_REG, .reg = r.first + i}));
    return set_elems(p, &at, o, PTX_OPND_VEC, first);
}

/* %pm3, %pm3_64, %envreg12: the number goes into `reg`. */
static bool find_numbered_sreg(const struct token *t, struct ptx_operand *o)
{
    static const struct {
        const char *name;
        uint32_t max;
        uint8_t sreg;
    } table[] = {{"%pm", 7, PTX_SREG_PM}, {"%envreg", 31, PTX_SREG_ENVREG}};
    for (size_t k = 0; k < ARRAY_LEN(table); k++) {
        size_t n = strlen(table[k].name);
        if (t->len <= n || memcmp(t->s, table[k].name, n))
            continue;
        uint32_t v = 0;
        size_t i = n;
        for (; i < t->len && i < n + 2 && lexer_is(t->s[i], LEX_DIGIT); i++)
            v = v * 10 + (uint32_t)(t->s[i] - '0');
        bool wide = k == 0 && t->len - i == 3 && !memcmp(t->s + i, "_64", 3);
        if (i == n || v > table[k].max || (i != t->len && !wide))
            return false;
        o->kind = PTX_OPND_SREG;
        o->sreg = wide ? PTX_SREG_PM64 : table[k].sreg;
        o->reg = v;
        return true;
    }
    return false;
}

/* `name` is all of the special register's name, suffix included. */
static bool find_sreg(const char *name, size_t len, struct ptx_operand *o)
{
    for (unsigned i = 0; i < PTX_SREG_COUNT; i++) {
        const char *s = ptx_sreg_name((enum ptx_sreg)i);
        if (strlen(s) == len && !memcmp(s, name, len)) {
            o->kind = PTX_OPND_SREG;
            o->sreg = (uint8_t)i;
            return true;
        }
    }
    return false;
}

/* %tid as a whole: {%tid.x, %tid.y, %tid.z, 0}. */
static bool find_vector_sreg(struct parser *p, const struct token *t, struct ptx_operand *o)
{
    char name[40];
    size_t first = p->opnds.len;
    if (t->len + 2 > sizeof name)
        return false;
    memcpy(name, t->s, t->len);
    name[t->len] = '.';
    for (unsigned i = 0; i < 3; i++) {
        struct ptx_operand e = {0};
        name[t->len + 1] = "xyz"[i];
        if (!find_sreg(name, t->len + 2, &e)) {
            p->opnds.len = first;
            return false;
        }
        vec_push(&p->opnds, e);
    }
    vec_push(&p->opnds, ((struct ptx_operand){.kind = PTX_OPND_IMM}));
    return set_elems(p, t, o, PTX_OPND_VEC, first);
}

static bool parse_sreg(struct parser *p, struct ptx_operand *o)
{
    struct token t = p->lx.tok;
    if (t.s[0] != '%' && !parse_token_is(&t, "WARP_SZ"))
        return false;
    if (*p->lx.p == '.') {
        const char *end = p->lx.p + 1;
        while (lexer_is(*end, LEX_IDENT))
            end++;
        if (!find_sreg(t.s, (size_t)(end - t.s), o))
            return false;
        lexer_restart(&p->lx, end);
        return true;
    }
    if (!find_sreg(t.s, t.len, o) && !find_numbered_sreg(&t, o) && !find_vector_sreg(p, &t, o))
        return false;
    lexer_next(&p->lx);
    return true;
}

static void set_later(struct parser *p, const struct token *t, struct ptx_operand *o, bool is_label)
{
    o->kind = PTX_OPND_LABEL;
    o->pc = (uint32_t)p->fixups.len;
    fixup_add(p, t)->is_label = is_label;
}

/* A name that is no register: variable, function, label, list of targets, prototype. */
static bool parse_symbol(struct parser *p, struct ptx_operand *o)
{
    struct token t = p->lx.tok;
    const struct name *n = scope_find(p, t.s, t.len);
    const struct ptx_symbol *s = n ? NULL : strmap_get(&p->m->symbols, t.s, t.len);
    lexer_next(&p->lx);
    if (n && n->kind == NAME_VAR) {
        o->kind = PTX_OPND_VAR;
        o->var = n->var;
    } else if (n && n->kind == NAME_PROTO) {
        o->kind = PTX_OPND_PROTO;
        o->proto = n->proto;
    } else if (s && s->var) {
        o->kind = PTX_OPND_VAR;
        o->var = s->var;
    } else if (s) {
        o->kind = PTX_OPND_FUNC;
        o->func = s->func;
    } else if (t.s[0] == '%' && !n) {
        return parse_undefined_reg(p, &t);
    } else {
        set_later(p, &t, o, false);
    }
    return true;
}

/* "+ 4", "- 4", "+ -4" after a base; a register there is a form of old PTX that we cannot hold. */
static bool parse_offset(struct parser *p, int64_t *imm)
{
    while (p->lx.tok.kind == '+' || p->lx.tok.kind == '-') {
        struct cval c;
        struct reg_range r;
        if (p->lx.tok.kind == '+')
            lexer_next(&p->lx);
        if (p->lx.tok.kind == TOK_IDENT && scope_find_reg(p, p->lx.tok.s, p->lx.tok.len, &r)) {
            p->form_unknown = true;
            lexer_next(&p->lx);
            continue;
        }
        if (!parse_expr(p, &c))
            return false;
        *imm = (int64_t)((uint64_t)*imm + cval_integer(&c));
    }
    return true;
}

static bool wrap_address(struct parser *p, struct ptx_operand *o)
{
    struct ptx_operand base = *o;
    struct token none = {0};
    int64_t imm = base.imm;
    base.imm = 0;
    *o = (struct ptx_operand){.imm = imm};
    vec_push(&p->opnds, base);
    return set_elems(p, &none, o, PTX_OPND_ADDR, p->opnds.len - 1);
}

/* name[4]: element 4 of an array; its address for mov, itself for everything else. */
static bool parse_index(struct parser *p, const struct ptx_inst *i, struct ptx_operand *o)
{
    struct reg_range r;
    uint64_t n = 0, size = 1;
    lexer_next(&p->lx);
    if (p->lx.tok.kind == TOK_IDENT && scope_find_reg(p, p->lx.tok.s, p->lx.tok.len, &r)) {
        p->form_unknown = true;
        lexer_next(&p->lx);
        if (!parse_offset(p, &o->imm))
            return false;
    } else if (!parse_uint(p, "the index", INT32_MAX, &n)) {
        return false;
    }
    if (o->kind == PTX_OPND_VAR)
        size = (uint64_t)ptx_type_bytes((enum ptx_type)o->var->type) * o->var->vec;
    else
        p->form_unknown = true; /* the variable's type is not known yet */
    o->imm = (int64_t)((uint64_t)o->imm + n * size);
    if (!parse_require(p, ']', "']'"))
        return false;
    return i->op == PTX_OP_MOV || wrap_address(p, o);
}

static bool parse_ident(struct parser *p, const struct ptx_inst *i, struct ptx_operand *o,
                        bool in_address)
{
    const struct token *t = &p->lx.tok;
    struct reg_range r;
    if (i->op == PTX_OP_BRA && !in_address) {
        set_later(p, t, o, true);
        lexer_next(&p->lx);
        return true;
    }
    if (scope_find_reg(p, t->s, t->len, &r)) {
        if (!parse_reg(p, r, o))
            return false;
        if (LIKELY(in_address || (p->lx.tok.kind != '+' && p->lx.tok.kind != '-')))
            return true;
        p->form_unknown = true; /* %r1+4 as a value */
        return parse_offset(p, &o->imm);
    }
    if (t->len == 1 && t->s[0] == '_') {
        o->kind = PTX_OPND_SINK;
        lexer_next(&p->lx);
        return true;
    }
    if (!scope_find(p, t->s, t->len) && parse_sreg(p, o))
        return true;
    if (!parse_symbol(p, o))
        return false;
    if (in_address || (o->kind != PTX_OPND_VAR && o->kind != PTX_OPND_LABEL))
        return true;
    if (p->lx.tok.kind == '[')
        return parse_index(p, i, o);
    return parse_offset(p, &o->imm);
}

/* [base+imm] or [base, more...]; '[' is the current token. */
static bool parse_address(struct parser *p, const struct ptx_inst *i, struct ptx_operand *o)
{
    struct token at = p->lx.tok;
    size_t first = p->opnds.len;
    struct ptx_operand e = {0};
    if (!parse_enter(p))
        return false;
    lexer_next(&p->lx);
    bool ok = p->lx.tok.kind == TOK_IDENT ? parse_ident(p, i, &e, true) : parse_imm(p, &e);
    if (!ok || !parse_offset(p, &o->imm))
        return false;
    if (e.kind != PTX_OPND_REG && e.kind != PTX_OPND_VAR && e.kind != PTX_OPND_IMM &&
        e.kind != PTX_OPND_LABEL)
        p->form_unknown = true;
    vec_push(&p->opnds, e);
    while (parse_accept(p, ',')) {
        if (!parse_operand(p, i, &e))
            return false;
        vec_push(&p->opnds, e);
    }
    parse_leave(p);
    return parse_require(p, ']', "'+', ',' or ']' in the address") &&
           set_elems(p, &at, o, PTX_OPND_ADDR, first);
}

/* Whether a name follows the current one-character token. */
static bool name_follows(const struct parser *p)
{
    const char *s = p->lx.p;
    while (lexer_is(*s, LEX_SPACE))
        s++;
    return lexer_is(*s, LEX_START);
}

static bool parse_simple(struct parser *p, const struct ptx_inst *i, struct ptx_operand *o)
{
    switch (p->lx.tok.kind) {
    case TOK_IDENT:
        return parse_ident(p, i, o, false);
    case '{':
        return parse_group(p, i, o, PTX_OPND_VEC, '}');
    case '[':
        return parse_address(p, i, o);
    case '(':
        return i->op == PTX_OP_CALL ? parse_group(p, i, o, PTX_OPND_ARGS, ')') : parse_imm(p, o);
    case '!':
    case '-':
        if (!name_follows(p))
            return parse_imm(p, o);
        lexer_next(&p->lx);
        if (!parse_ident(p, i, o, false))
            return false;
        o->neg = true;
        p->form_unknown |= o->kind != PTX_OPND_REG;
        return true;
    case TOK_INT:
    case TOK_F32:
    case TOK_F64:
    case '~':
    case '+':
        return parse_imm(p, o);
    default:
        return parse_expected(p, "an operand");
    }
}

bool parse_operand(struct parser *p, const struct ptx_inst *i, struct ptx_operand *out)
{
    *out = (struct ptx_operand){0};
    if (!parse_simple(p, i, out))
        return false;
    if (p->lx.tok.kind != '|')
        return true;
    struct token at = p->lx.tok;
    struct ptx_operand second = {0};
    lexer_next(&p->lx);
    if (!parse_simple(p, i, &second))
        return false;
    vec_push(&p->opnds, *out);
    vec_push(&p->opnds, second);
    *out = (struct ptx_operand){0};
    return set_elems(p, &at, out, PTX_OPND_PAIR, p->opnds.len - 2);
}
