/* Initial values of variables. */
#include "ptx/parser_int.h"

#include <string.h>

struct init {
    struct parser *p;
    struct ptx_var *v;
    VEC(uint8_t) data;
    VEC(struct ptx_reloc) relocs;
    size_t first_fixup;
    uint64_t stride[PARSE_MAX_DIMS + 2]; /* scalars in an item at each level of braces */
    unsigned levels;
    uint64_t limit; /* scalars that fit; UINT64_MAX when the first dimension is open */
};

static unsigned scalar_bytes(const struct init *in)
{
    return ptx_type_bytes((enum ptx_type)in->v->type);
}

static bool reserve_scalar(struct init *in, uint64_t index)
{
    struct parser *p = in->p;
    uint64_t end = (index + 1) * scalar_bytes(in);
    if (index >= in->limit)
        return parse_error(p, &p->lx.tok, "'%s' holds %llu values, the initialiser has more",
                           in->v->name, (unsigned long long)in->limit);
    if (end > p->init_budget)
        return parse_error(p, &p->lx.tok, "the initialised data is larger than 1 GiB");
    if (end > in->data.len) {
        vec_reserve(&in->data, end);
        memset(in->data.data + in->data.len, 0, end - in->data.len);
        in->data.len = end;
    }
    return true;
}

/* What a constant looks like in memory as a value of type `t`. */
static uint64_t value_bits(enum ptx_type t, const struct cval *c)
{
    uint64_t bits = 0;
    if (t == PTX_F32) {
        if (c->kind == CVAL_F32)
            return c->bits;
        float f = (float)cval_double(c);
        memcpy(&bits, &f, sizeof f);
        return bits;
    }
    if (t == PTX_F64) {
        double d = cval_double(c);
        memcpy(&bits, &d, sizeof d);
        return c->kind == CVAL_F64 ? c->bits : bits;
    }
    bool same_width = (c->kind == CVAL_F32 && ptx_type_bits(t) == 32) ||
                      (c->kind == CVAL_F64 && ptx_type_bits(t) == 64);
    return ptx_type_kind(t) == 'B' && same_width ? c->bits : cval_integer(c);
}

static bool store_scalar(struct init *in, uint64_t index, const struct cval *c)
{
    if (!reserve_scalar(in, index))
        return false;
    uint64_t bits = value_bits((enum ptx_type)in->v->type, c);
    unsigned n = scalar_bytes(in);
    memcpy(in->data.data + index * n, &bits, n < 8 ? n : 8);
    return true;
}

/* SYM, SYM+4, generic(SYM+4)+4: the name goes to a fixup, the rest into `r`. */
static bool parse_symbol(struct parser *p, struct ptx_reloc *r)
{
    struct token at = p->lx.tok;
    if (at.kind != TOK_IDENT)
        return parse_expected(p, "the name of a variable or function");
    lexer_next(&p->lx);
    if (parse_token_is(&at, "generic") && p->lx.tok.kind == '(' && !r->generic) {
        r->generic = true;
        lexer_next(&p->lx);
        if (!parse_symbol(p, r) || !parse_require(p, ')', "')'"))
            return false;
    } else {
        fixup_add(p, &at);
    }
    while (p->lx.tok.kind == '+' || p->lx.tok.kind == '-') {
        struct cval c;
        if (p->lx.tok.kind == '+')
            lexer_next(&p->lx);
        if (!parse_expr(p, &c))
            return false;
        r->addend = (int64_t)((uint64_t)r->addend + cval_integer(&c));
    }
    return true;
}

static bool store_symbol(struct init *in, uint64_t index, struct ptx_reloc *r)
{
    struct parser *p = in->p;
    struct token at = p->lx.tok;
    r->bytes = (uint8_t)scalar_bytes(in);
    r->offset = index * r->bytes;
    if (r->bytes != 4 && r->bytes != 8 && r->bytes != 1)
        return parse_error(p, &at, "an address needs elements of 4 or 8 bytes");
    if (!reserve_scalar(in, index) || !parse_symbol(p, r))
        return false;
    vec_push(&in->relocs, *r);
    return true;
}

/* 0xFF00(SYM): one byte of the address. `mask` has been read, '(' is the current token. */
static bool store_masked(struct init *in, uint64_t index, const struct token *at, uint64_t mask)
{
    struct parser *p = in->p;
    struct ptx_reloc r = {0};
    while (r.shift < 56 && mask != UINT64_C(0xff) << r.shift)
        r.shift += 8;
    if (mask != UINT64_C(0xff) << r.shift)
        return parse_error(p, at, "the mask must select one byte: 0xFF, 0xFF00, ...");
    if (scalar_bytes(in) != 1)
        return parse_error(p, at, "a masked address needs elements of one byte");
    lexer_next(&p->lx);
    return store_symbol(in, index, &r) && parse_require(p, ')', "')'");
}

static bool parse_scalar(struct init *in, uint64_t index)
{
    struct parser *p = in->p;
    struct token at = p->lx.tok;
    if (at.kind == TOK_IDENT && !parse_token_is(&at, "WARP_SZ")) {
        struct ptx_reloc r = {0};
        if (scalar_bytes(in) == 1)
            return parse_error(p, &at, "a byte of an address is written 0xFF(%.*s)", (int)at.len,
                               at.s);
        return store_symbol(in, index, &r);
    }
    struct cval c;
    if (!parse_expr(p, &c))
        return false;
    if (p->lx.tok.kind == '(')
        return store_masked(in, index, &at, c.bits);
    return store_scalar(in, index, &c);
}

/* '{' is the current token; the group fills scalars from `base`; *used is what it covers. */
static bool parse_group(struct init *in, unsigned level, uint64_t base, uint64_t *used)
{
    struct parser *p = in->p;
    if (level >= in->levels)
        return parse_error(p, &p->lx.tok, "more braces than '%s' has dimensions", in->v->name);
    uint64_t item = in->stride[level], pos = 0;
    lexer_next(&p->lx);
    while (p->lx.tok.kind != '}') {
        if (p->lx.tok.kind == '{') {
            uint64_t inner = 0;
            pos = align_up(pos, item);
            if (!parse_group(in, level + 1, base + pos, &inner))
                return false;
            if (inner > item)
                return parse_error(p, &p->lx.tok, "this row of '%s' holds %llu values", in->v->name,
                                   (unsigned long long)item);
            pos += item;
            if (pos > UINT64_C(1) << 44)
                return parse_error(p, &p->lx.tok, "'%s' is larger than 2^44 values", in->v->name);
        } else if (!parse_scalar(in, base + pos++)) {
            return false;
        }
        if (!parse_accept(p, ','))
            break;
    }
    *used = pos;
    return parse_require(p, '}', "',' or '}' in the initialiser");
}

static void set_strides(struct init *in, const struct dims *dims)
{
    bool is_vector = in->v->vec > 1;
    in->levels = dims->count + is_vector;
    uint64_t n = 1;
    for (unsigned l = in->levels; l-- > 0;) {
        in->stride[l] = n;
        uint64_t count = l < dims->count ? dims->n[l] : in->v->vec;
        n *= count ? count : 1;
    }
    in->limit = dims->first_open ? UINT64_MAX : in->v->bytes / scalar_bytes(in);
    if (!in->levels)
        in->levels = 1; /* { 5 } for a scalar */
    if (!in->stride[0])
        in->stride[0] = 1;
}

static bool finish(struct init *in, const struct dims *dims, uint64_t used)
{
    struct parser *p = in->p;
    struct ptx_var *v = in->v;
    if (dims->first_open)
        v->bytes = align_up(used, in->stride[0]) * scalar_bytes(in);
    if (v->bytes > p->init_budget)
        return parse_error(p, &p->lx.tok, "the initialised data is larger than 1 GiB");
    p->init_budget -= v->bytes;
    v->init = arena_alloc(&p->m->arena, v->bytes);
    if (in->data.len)
        memcpy(v->init, in->data.data, in->data.len);
    v->nrelocs = (uint32_t)in->relocs.len;
    if (!v->nrelocs)
        return true;
    v->relocs = arena_array(&p->m->arena, struct ptx_reloc, v->nrelocs);
    for (uint32_t i = 0; i < v->nrelocs; i++) {
        v->relocs[i] = in->relocs.data[i];
        p->fixups.data[in->first_fixup + i].reloc = &v->relocs[i];
    }
    return true;
}

bool parse_init(struct parser *p, struct ptx_var *v, struct dims *dims)
{
    if (ptx_type_kind((enum ptx_type)v->type) == 'O')
        return p->lx.tok.kind == '{' ? parse_skip_balanced(p) : parse_expected(p, "'{'");
    if (v->bytes > p->init_budget)
        return parse_error(p, &p->lx.tok, "the initialised data is larger than 1 GiB");
    struct init in = {.p = p, .v = v, .first_fixup = p->fixups.len};
    uint64_t used = 1;
    set_strides(&in, dims);
    bool ok = p->lx.tok.kind == '{' ? parse_group(&in, 0, 0, &used) : parse_scalar(&in, 0);
    ok = ok && finish(&in, dims, used);
    vec_free(&in.data);
    vec_free(&in.relocs);
    return ok;
}
