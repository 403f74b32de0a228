/* One instruction: guard, mnemonic, operands. */
#include "ptx/parser_int.h"

#include <string.h>

/* Splits "mad.lo.s32" into operation, modifiers and types. */
static void decode_mnemonic(const char *s, size_t len, struct ptx_inst *i)
{
    const char *end = s + len, *dot = memchr(s, '.', len);
    const char *q = dot ? dot : end;
    i->op = (uint16_t)ptx_op_find(s, (size_t)(q - s));
    i->bad = i->op == PTX_OP_UNKNOWN;
    while (q < end) {
        const char *w = q + 1;
        for (q = w; q < end && *q != '.';)
            q++;
        size_t n = (size_t)(q - w);
        const char *bank = memchr(w, '[', n); /* .const[2] of old PTX */
        if (bank)
            n = (size_t)(bank - w);
        enum ptx_type type = ptx_type_find(w, n);
        enum ptx_mod mod = type ? PTX_NOMOD : ptx_mod_find(w, n);
        if (type && i->ntypes < PTX_MAX_TYPES)
            i->types[i->ntypes++] = (uint8_t)type;
        else if (mod && i->nmods < PTX_MAX_MODS)
            i->mods[i->nmods++] = (uint8_t)mod;
        else
            i->bad = true;
    }
}

/* "[2]" right after ".const": the bank of old PTX. Returns what follows it, or `q`. */
static const char *skip_bank(const char *start, const char *q)
{
    static const char word[] = ".const";
    size_t n = sizeof word - 1;
    if (*q != '[' || (size_t)(q - start) < n || memcmp(q - n, word, n))
        return q;
    const char *s = q + 1;
    while (lexer_is(*s, LEX_DIGIT))
        s++;
    return *s == ']' ? s + 1 : q;
}

/* End of the mnemonic that starts with the current token. */
static const char *mnemonic_end(const struct parser *p)
{
    const char *q = p->lx.p;
    for (;;) {
        const char *before = q;
        while (lexer_is(*q, LEX_IDENT) || *q == '.')
            q++;
        if (q[0] == ':' && q[1] == ':')
            q += 2;
        q = skip_bank(p->lx.tok.s, q);
        if (q == before)
            return q;
    }
}

/* Most modules have a few hundred different mnemonics: each is decoded once. */
static const struct ptx_inst *find_mnemonic(struct parser *p, const char *s, size_t len)
{
    struct ptx_inst *i = strmap_get(&p->mnemonics, s, len);
    if (i)
        return i;
    i = arena_new(&p->scratch, struct ptx_inst);
    decode_mnemonic(s, len, i);
    i->text = arena_strndup(&p->m->arena, s, len);
    i->guard = PTX_NO_REG;
    strmap_put(&p->mnemonics, i->text, len, i);
    return i;
}

static bool parse_guard(struct parser *p, struct ptx_inst *i)
{
    struct reg_range r;
    lexer_next(&p->lx);
    i->guard_neg = parse_accept(p, '!');
    struct token t = p->lx.tok;
    if (t.kind != TOK_IDENT)
        return parse_expected(p, "a predicate register");
    if (!scope_find_reg(p, t.s, t.len, &r))
        return parse_undefined_reg(p, &t);
    if (p->regs.data[r.first].type != PTX_PRED || r.vec != 1)
        return parse_error(p, &t, "the guard '%.*s' must be a predicate (.pred) register",
                           (int)t.len, t.s);
    i->guard = r.first;
    i->bad = r.first < p->nmodule_regs;
    lexer_next(&p->lx);
    return true;
}

/* Where a memory instruction has its address: a name without brackets stands for it in old PTX. */
static unsigned address_index(const struct ptx_inst *i)
{
    switch (i->op) {
    case PTX_OP_LD:
    case PTX_OP_LDU:
        return 1;
    case PTX_OP_ST:
        return 0;
    default:
        return UINT32_MAX;
    }
}

static void wrap_name(struct parser *p, struct ptx_operand *o)
{
    if (o->kind != PTX_OPND_VAR && o->kind != PTX_OPND_LABEL)
        return;
    struct ptx_operand addr = {.kind = PTX_OPND_ADDR, .nelems = 1, .imm = o->imm};
    o->imm = 0;
    size_t first = p->opnds.len;
    vec_push(&p->opnds, *o);
    addr.elems = parse_commit_operands(p, first);
    *o = addr;
}

static bool parse_operands(struct parser *p, struct ptx_inst *i)
{
    size_t first = p->opnds.len;
    unsigned address = address_index(i);
    while (p->lx.tok.kind != ';') {
        struct ptx_operand o;
        if (!parse_operand(p, i, &o))
            return false;
        size_t n = p->opnds.len - first;
        if (n == UINT8_MAX)
            return parse_error(p, &p->lx.tok, "more than %d operands", UINT8_MAX);
        if (n == address)
            wrap_name(p, &o);
        vec_push(&p->opnds, o);
        if (!parse_accept(p, ','))
            break;
    }
    i->nops = (uint8_t)(p->opnds.len - first);
    i->ops = parse_commit_operands(p, first);
    return parse_require(p, ';', "',' or ';' after the operand");
}

static const struct {
    uint8_t least, most;
} arity[PTX_OP_COUNT] = {
#define ARITY(id, least, most) [PTX_OP_##id] = {least, most},
#include "ptx/ptx_arity.def"
#undef ARITY
};

static bool is_writable(const struct ptx_operand *o)
{
    switch (o->kind) {
    case PTX_OPND_REG:
    case PTX_OPND_SINK:
        return true;
    case PTX_OPND_VAR: /* the .param variable that takes a call's result */
        return o->var->space == PTX_SPACE_PARAM;
    case PTX_OPND_VEC:
    case PTX_OPND_PAIR:
    case PTX_OPND_ARGS:
        for (unsigned i = 0; i < o->nelems; i++)
            if (!is_writable(&o->elems[i]))
                return false;
        return true;
    default:
        return false;
    }
}

/* What every reader of a good instruction may rely on. */
static bool has_known_form(const struct ptx_inst *i)
{
    if (i->nops < arity[i->op].least || i->nops > arity[i->op].most)
        return false;
    if (i->op == PTX_OP_BRA)
        return i->ops[0].kind == PTX_OPND_LABEL;
    unsigned ndst = ptx_inst_ndst(i);
    for (unsigned k = 0; k < ndst; k++)
        if (!is_writable(&i->ops[k]))
            return false;
    return true;
}

bool parse_instruction(struct parser *p)
{
    struct ptx_inst guard = {.guard = PTX_NO_REG};
    struct token at = p->lx.tok;
    if (at.kind == '@' && !parse_guard(p, &guard))
        return false;
    if (p->lx.tok.kind != TOK_IDENT)
        return parse_expected(p, "an instruction");
    const char *s = p->lx.tok.s, *end = mnemonic_end(p);
    struct ptx_inst i = *find_mnemonic(p, s, (size_t)(end - s));
    i.guard = guard.guard;
    i.guard_neg = guard.guard_neg;
    i.loc = p->loc;
    i.line = at.line;
    i.col = at.col;
    lexer_restart(&p->lx, end);
    p->form_unknown = false;
    if (!(i.bad ? parse_skip_to_semicolon(p) : parse_operands(p, &i)))
        return false;
    i.bad |= guard.bad || p->form_unknown || !has_known_form(&i);
    vec_push(&p->insts, i);
    return true;
}
