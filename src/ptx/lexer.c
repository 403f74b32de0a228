/* Words by their first letter; lines are counted for messages. */
#include "ptx/lexer.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NUMBER_TEXT = 80 };

#define A_ (LEX_IDENT | LEX_START)
#define H_ (LEX_IDENT | LEX_START | LEX_HEX)
#define D_ (LEX_IDENT | LEX_DIGIT | LEX_HEX)

const uint8_t lexer_class[256] = {
    [' '] = LEX_SPACE,  ['\t'] = LEX_SPACE, ['\r'] = LEX_SPACE, ['\v'] = LEX_SPACE,
    ['\f'] = LEX_SPACE, ['0'] = D_,         ['1'] = D_,         ['2'] = D_,
    ['3'] = D_,         ['4'] = D_,         ['5'] = D_,         ['6'] = D_,
    ['7'] = D_,         ['8'] = D_,         ['9'] = D_,         ['a'] = H_,
    ['b'] = H_,         ['c'] = H_,         ['d'] = H_,         ['e'] = H_,
    ['f'] = H_,         ['A'] = H_,         ['B'] = H_,         ['C'] = H_,
    ['D'] = H_,         ['E'] = H_,         ['F'] = H_,         ['g'] = A_,
    ['h'] = A_,         ['i'] = A_,         ['j'] = A_,         ['k'] = A_,
    ['l'] = A_,         ['m'] = A_,         ['n'] = A_,         ['o'] = A_,
    ['p'] = A_,         ['q'] = A_,         ['r'] = A_,         ['s'] = A_,
    ['t'] = A_,         ['u'] = A_,         ['v'] = A_,         ['w'] = A_,
    ['x'] = A_,         ['y'] = A_,         ['z'] = A_,         ['G'] = A_,
    ['H'] = A_,         ['I'] = A_,         ['J'] = A_,         ['K'] = A_,
    ['L'] = A_,         ['M'] = A_,         ['N'] = A_,         ['O'] = A_,
    ['P'] = A_,         ['Q'] = A_,         ['R'] = A_,         ['S'] = A_,
    ['T'] = A_,         ['U'] = A_,         ['V'] = A_,         ['W'] = A_,
    ['X'] = A_,         ['Y'] = A_,         ['Z'] = A_,         ['_'] = A_,
    ['$'] = A_,         ['%'] = LEX_START,
};

void lexer_init(struct lexer *lx, const char *text)
{
    *lx = (struct lexer){.p = text, .line_start = text, .line = 1};
    lexer_next(lx);
}

static void skip_line(struct lexer *lx)
{
    while (*lx->p && *lx->p != '\n')
        lx->p++;
}

static void new_line(struct lexer *lx)
{
    lx->p++;
    lx->line++;
    lx->line_start = lx->p;
}

/* Returns false when the comment is not closed. */
static bool skip_block_comment(struct lexer *lx)
{
    for (lx->p += 2; *lx->p; lx->p++) {
        if (*lx->p == '\n') {
            new_line(lx);
            lx->p--;
        } else if (lx->p[0] == '*' && lx->p[1] == '/') {
            lx->p += 2;
            return true;
        }
    }
    return false;
}

static bool skip_space(struct lexer *lx)
{
    for (;;) {
        while (lexer_is(*lx->p, LEX_SPACE))
            lx->p++;
        const char *p = lx->p;
        if (*p == '\n')
            new_line(lx);
        else if (p[0] == '/' && p[1] == '/')
            skip_line(lx);
        else if (p[0] == '/' && p[1] == '*') {
            if (!skip_block_comment(lx))
                return false;
        } else if (p[0] == '#' || (p[0] == '@' && p[1] == '@'))
            skip_line(lx);
        else
            return true;
    }
}

static void bad(struct lexer *lx, const char *problem)
{
    lx->tok.kind = TOK_BAD;
    lx->problem = problem;
}

/* 0f and 0d: the digits are the bits, most significant first. */
static void lex_float_bits(struct lexer *lx, unsigned digits, uint16_t kind)
{
    uint64_t v = 0;
    lx->p += 2;
    for (unsigned i = 0; i < digits; i++, lx->p++) {
        if (!lexer_is(*lx->p, LEX_HEX)) {
            bad(lx, digits == 8 ? "0f must be followed by 8 hexadecimal digits"
                                : "0d must be followed by 16 hexadecimal digits");
            return;
        }
        char c = *lx->p;
        v = v << 4 | (unsigned)(lexer_is(c, LEX_DIGIT) ? c - '0' : (c | 32) - 'a' + 10);
    }
    lx->tok.kind = kind;
    lx->tok.value = v;
}

static void lex_decimal_float(struct lexer *lx)
{
    char buf[MAX_NUMBER_TEXT];
    const char *start = lx->p;
    while (lexer_is(*lx->p, LEX_DIGIT) || *lx->p == '.')
        lx->p++;
    if (*lx->p == 'e' || *lx->p == 'E') {
        lx->p++;
        if (*lx->p == '+' || *lx->p == '-')
            lx->p++;
        while (lexer_is(*lx->p, LEX_DIGIT))
            lx->p++;
    }
    size_t len = (size_t)(lx->p - start);
    if (len >= sizeof buf) {
        bad(lx, "the number is too long");
        return;
    }
    memcpy(buf, start, len);
    buf[len] = 0;
    char *end;
    double d = strtod(buf, &end);
    if (*end)
        bad(lx, "the number is malformed");
    else {
        lx->tok.kind = TOK_F64;
        memcpy(&lx->tok.value, &d, sizeof d);
    }
}

static void lex_integer(struct lexer *lx, unsigned base)
{
    uint64_t v = 0;
    bool overflow = false, any = false;
    for (; lexer_is(*lx->p, LEX_HEX); lx->p++) {
        char c = *lx->p;
        unsigned d = lexer_is(c, LEX_DIGIT) ? (unsigned)(c - '0') : (unsigned)((c | 32) - 'a' + 10);
        if (d >= base)
            break;
        overflow |= v > (UINT64_MAX - d) / base;
        v = v * base + d;
        any = true;
    }
    lx->tok.kind = TOK_INT;
    lx->tok.value = v;
    lx->tok.is_unsigned = v > INT64_MAX;
    if (*lx->p == 'U' || *lx->p == 'u') {
        lx->tok.is_unsigned = true;
        lx->p++;
    }
    if (overflow)
        bad(lx, "the number does not fit into 64 bits");
    else if (!any)
        bad(lx, "the number has no digits");
}

static void lex_number(struct lexer *lx)
{
    const char *p = lx->p;
    char next = p[0] == '0' ? (char)(p[1] | 32) : 0;
    if (next == 'f')
        lex_float_bits(lx, 8, TOK_F32);
    else if (next == 'd')
        lex_float_bits(lx, 16, TOK_F64);
    else if (next == 'x' || next == 'b') {
        lx->p += 2;
        lex_integer(lx, next == 'x' ? 16 : 2);
    } else {
        const char *q = p;
        while (lexer_is(*q, LEX_DIGIT))
            q++;
        if (*q == '.' || *q == 'e' || *q == 'E')
            lex_decimal_float(lx);
        else
            lex_integer(lx, p[0] == '0' ? 8 : 10);
    }
    if (lx->tok.kind != TOK_BAD && lexer_is(*lx->p, LEX_IDENT))
        bad(lx, "the number is malformed");
}

/* After the dot: letters and digits, parts joined by "::". */
static void lex_dotted(struct lexer *lx)
{
    const char *start = ++lx->p, *p = start;
    for (;;) {
        while (lexer_is(*p, LEX_IDENT))
            p++;
        if (p[0] != ':' || p[1] != ':' || p == start || !lexer_is(p[2], LEX_IDENT))
            break;
        p += 2;
    }
    lx->p = p;
    lx->tok.s = start;
    lx->tok.kind = p == start ? '.' : TOK_DOT;
}

static void lex_string(struct lexer *lx)
{
    const char *p = lx->p + 1;
    while (*p && *p != '"' && *p != '\n')
        p += p[0] == '\\' && p[1] && p[1] != '\n' ? 2 : 1;
    lx->p = *p == '"' ? p + 1 : p;
    lx->tok.kind = TOK_STRING;
    if (*p != '"')
        bad(lx, "the string is not closed");
}

static void lex_punctuation(struct lexer *lx)
{
    static const struct {
        char text[3];
        uint16_t kind;
    } pairs[] = {{"<<", TOK_SHL}, {">>", TOK_SHR}, {"<=", TOK_LE},     {">=", TOK_GE},
                 {"==", TOK_EQ},  {"!=", TOK_NE},  {"&&", TOK_ANDAND}, {"||", TOK_OROR}};
    for (size_t i = 0; i < ARRAY_LEN(pairs); i++)
        if (lx->p[0] == pairs[i].text[0] && lx->p[1] == pairs[i].text[1]) {
            lx->tok.kind = pairs[i].kind;
            lx->p += 2;
            return;
        }
    unsigned char c = (unsigned char)*lx->p;
    lx->tok.kind = c;
    if (c)
        lx->p++;
    if (c < ' ' ? c != 0 : c > '~')
        bad(lx, "this character has no place in PTX");
}

void lexer_next(struct lexer *lx)
{
    bool closed = skip_space(lx);
    struct token *t = &lx->tok;
    const char *p = lx->p;
    t->s = p;
    t->line = lx->line;
    t->col = (uint32_t)(p - lx->line_start) + 1;
    t->is_unsigned = false;
    if (!closed) {
        bad(lx, "the comment is not closed");
    } else if (lexer_is(*p, LEX_START) && (*p != '%' || lexer_is(p[1], LEX_IDENT))) {
        for (p++; lexer_is(*p, LEX_IDENT);)
            p++;
        lx->p = p;
        t->kind = TOK_IDENT;
    } else if (*p == ',' || *p == ';') {
        t->kind = (unsigned char)*p;
        lx->p++;
    } else if (lexer_is(*p, LEX_DIGIT)) {
        lex_number(lx);
    } else if (*p == '.') {
        lex_dotted(lx);
    } else if (*p == '"') {
        lex_string(lx);
    } else {
        lex_punctuation(lx);
    }
    t->len = (uint32_t)(lx->p - t->s);
}

void lexer_restart(struct lexer *lx, const char *p)
{
    lx->p = p;
    lexer_next(lx);
}
