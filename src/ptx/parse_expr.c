/* Constant expressions: 64-bit signed and unsigned integers and doubles, C's operators. */
#include "ptx/parser_int.h"

#include <math.h>
#include <string.h>

double cval_double(const struct cval *v)
{
    double d;
    float f;
    uint32_t w = (uint32_t)v->bits;
    switch (v->kind) {
    case CVAL_INT:
        return (double)(int64_t)v->bits;
    case CVAL_UINT:
        return (double)v->bits;
    case CVAL_F32:
        memcpy(&f, &w, sizeof f);
        return f;
    default:
        memcpy(&d, &v->bits, sizeof d);
        return d;
    }
}

static uint64_t double_to_integer(double d)
{
    if (d >= 0x1p64 || d < -0x1p63 || isnan(d))
        return 0;
    return d >= 0x1p63 ? (uint64_t)d : (uint64_t)(int64_t)d;
}

uint64_t cval_integer(const struct cval *v)
{
    return v->kind <= CVAL_UINT ? v->bits : double_to_integer(cval_double(v));
}

static struct cval of_double(double d)
{
    struct cval v = {.kind = CVAL_F64};
    memcpy(&v.bits, &d, sizeof d);
    return v;
}

static struct cval of_bool(bool b)
{
    return (struct cval){CVAL_INT, b};
}

static bool is_true(const struct cval *v)
{
    return v->kind <= CVAL_UINT ? v->bits != 0 : cval_double(v) != 0;
}

static bool parse_ternary(struct parser *p, struct cval *out);

/* '(' is the current token: a cast "(.s64) x" or a parenthesised expression. */
static bool parse_paren(struct parser *p, struct cval *out);

static bool parse_number(struct parser *p, struct cval *out)
{
    const struct token *t = &p->lx.tok;
    switch (t->kind) {
    case TOK_INT:
        *out = (struct cval){t->is_unsigned ? CVAL_UINT : CVAL_INT, t->value};
        break;
    case TOK_F32:
        *out = (struct cval){CVAL_F32, t->value};
        break;
    case TOK_F64:
        *out = (struct cval){CVAL_F64, t->value};
        break;
    case TOK_IDENT:
        if (parse_token_is(t, "WARP_SZ")) {
            *out = (struct cval){CVAL_INT, 32};
            break;
        }
        return parse_expected(p, "a constant");
    default:
        return parse_expected(p, "a constant");
    }
    lexer_next(&p->lx);
    return true;
}

static void negate(struct cval *v)
{
    if (v->kind == CVAL_F32)
        v->bits ^= UINT64_C(1) << 31;
    else if (v->kind == CVAL_F64)
        v->bits ^= UINT64_C(1) << 63;
    else
        *v = (struct cval){CVAL_INT, 0 - v->bits};
}

static bool parse_unary(struct parser *p, struct cval *out)
{
    int kind = p->lx.tok.kind;
    if (kind != '-' && kind != '+' && kind != '!' && kind != '~' && kind != '(')
        return parse_number(p, out);
    if (!parse_enter(p))
        return false;
    bool ok;
    if (kind == '(') {
        ok = parse_paren(p, out);
    } else {
        lexer_next(&p->lx);
        ok = parse_unary(p, out);
    }
    parse_leave(p);
    if (!ok)
        return false;
    if (kind == '-')
        negate(out);
    else if (kind == '!')
        *out = of_bool(!is_true(out));
    else if (kind == '~')
        *out = (struct cval){out->kind == CVAL_UINT ? CVAL_UINT : CVAL_INT, ~cval_integer(out)};
    return true;
}

static bool parse_paren(struct parser *p, struct cval *out)
{
    lexer_next(&p->lx);
    if (p->lx.tok.kind != TOK_DOT)
        return parse_ternary(p, out) && parse_require(p, ')', "')'");
    enum ptx_type type = ptx_type_find(p->lx.tok.s, p->lx.tok.len);
    char kind = type ? ptx_type_kind(type) : 0;
    if (kind != 'S' && kind != 'U' && kind != 'F')
        return parse_expected(p, "a type");
    lexer_next(&p->lx);
    if (!parse_require(p, ')', "')'") || !parse_unary(p, out))
        return false;
    if (kind == 'F')
        *out = of_double(cval_double(out));
    else
        *out = (struct cval){kind == 'U' ? CVAL_UINT : CVAL_INT, cval_integer(out)};
    return true;
}

/* Binding strength of a binary operator; 0 = not one. In "a %b" the lexer saw a register. */
static int precedence(const struct token *t)
{
    switch (t->kind) {
    case '*':
    case '/':
    case '%':
        return 10;
    case TOK_IDENT:
        return t->s[0] == '%' ? 10 : 0;
    case '+':
    case '-':
        return 9;
    case TOK_SHL:
    case TOK_SHR:
        return 8;
    case '<':
    case '>':
    case TOK_LE:
    case TOK_GE:
        return 7;
    case TOK_EQ:
    case TOK_NE:
        return 6;
    case '&':
        return 5;
    case '^':
        return 4;
    case '|':
        return 3;
    case TOK_ANDAND:
        return 2;
    case TOK_OROR:
        return 1;
    default:
        return 0;
    }
}

static struct cval apply_double(int op, double a, double b)
{
    switch (op) {
    case '*':
        return of_double(a * b);
    case '/':
        return of_double(a / b);
    case '%':
        return of_double(fmod(a, b));
    case '+':
        return of_double(a + b);
    case '-':
        return of_double(a - b);
    case '<':
        return of_bool(a < b);
    case '>':
        return of_bool(a > b);
    case TOK_LE:
        return of_bool(a <= b);
    case TOK_GE:
        return of_bool(a >= b);
    case TOK_EQ:
        return of_bool(a == b);
    case TOK_NE:
        return of_bool(a != b);
    case TOK_ANDAND:
        return of_bool(a != 0 && b != 0);
    case TOK_OROR:
        return of_bool(a != 0 || b != 0);
    default:
        return of_double(0);
    }
}

static uint64_t divide(uint64_t a, uint64_t b, bool is_unsigned, bool remainder)
{
    if (is_unsigned)
        return remainder ? a % b : a / b;
    if (b == UINT64_MAX)
        return remainder ? 0 : 0 - a; /* INT64_MIN / -1 wraps */
    int64_t x = (int64_t)a, y = (int64_t)b;
    return (uint64_t)(remainder ? x % y : x / y);
}

static uint64_t apply_bits(int op, uint64_t a, uint64_t b, bool is_unsigned)
{
    switch (op) {
    case '*':
        return a * b;
    case '/':
    case '%':
        return divide(a, b, is_unsigned, op == '%');
    case '+':
        return a + b;
    case '-':
        return a - b;
    case TOK_SHL:
        return b < 64 ? a << b : 0;
    case TOK_SHR:
        if (is_unsigned)
            return b < 64 ? a >> b : 0;
        return (uint64_t)((int64_t)a >> (b < 64 ? b : 63));
    case '&':
        return a & b;
    case '^':
        return a ^ b;
    default:
        return a | b;
    }
}

static bool compare(int op, uint64_t a, uint64_t b, bool is_unsigned)
{
    bool less = is_unsigned ? a < b : (int64_t)a < (int64_t)b;
    switch (op) {
    case '<':
        return less;
    case '>':
        return !less && a != b;
    case TOK_LE:
        return less || a == b;
    case TOK_GE:
        return !less;
    case TOK_EQ:
        return a == b;
    case TOK_NE:
        return a != b;
    case TOK_ANDAND:
        return a && b;
    default:
        return a || b;
    }
}

static bool is_comparison(int op)
{
    return op == '<' || op == '>' || (op >= TOK_LE && op <= TOK_OROR);
}

static bool apply(struct parser *p, const struct token *at, struct cval *a, const struct cval *b)
{
    int op = at->kind == TOK_IDENT ? '%' : at->kind;
    if (a->kind >= CVAL_F32 || b->kind >= CVAL_F32) {
        if (op == '&' || op == '^' || op == '|' || op == TOK_SHL || op == TOK_SHR)
            return parse_error(p, at, "this operator takes integers");
        *a = apply_double(op, cval_double(a), cval_double(b));
        return true;
    }
    bool is_unsigned =
        a->kind == CVAL_UINT || (b->kind == CVAL_UINT && op != TOK_SHL && op != TOK_SHR);
    if ((op == '/' || op == '%') && !b->bits)
        return parse_error(p, at, "division by zero");
    if (is_comparison(op))
        *a = of_bool(compare(op, a->bits, b->bits, is_unsigned));
    else
        *a = (struct cval){is_unsigned ? CVAL_UINT : CVAL_INT,
                           apply_bits(op, a->bits, b->bits, is_unsigned)};
    return true;
}

static bool parse_binary(struct parser *p, int min, struct cval *out)
{
    if (!parse_unary(p, out))
        return false;
    for (;;) {
        struct token at = p->lx.tok;
        int prec = precedence(&at);
        if (!prec || prec < min)
            return true;
        if (at.kind == TOK_IDENT)
            lexer_restart(&p->lx, at.s + 1);
        else
            lexer_next(&p->lx);
        struct cval rhs;
        if (!parse_enter(p))
            return false;
        bool ok = parse_binary(p, prec + 1, &rhs);
        parse_leave(p);
        if (!ok || !apply(p, &at, out, &rhs))
            return false;
    }
}

static bool parse_ternary(struct parser *p, struct cval *out)
{
    struct cval cond, yes, no;
    if (!parse_binary(p, 1, &cond))
        return false;
    *out = cond;
    if (p->lx.tok.kind != '?')
        return true;
    if (!parse_enter(p))
        return false;
    lexer_next(&p->lx);
    bool ok = parse_ternary(p, &yes) && parse_require(p, ':', "':'") && parse_ternary(p, &no);
    parse_leave(p);
    if (ok)
        *out = is_true(&cond) ? yes : no;
    return ok;
}

bool parse_expr(struct parser *p, struct cval *out)
{
    return parse_ternary(p, out);
}
