/* Changes PTX text by tokens: exchanges, adds, repeats and drops them, moves statements. */
#include "fuzz/exec/mutate.h"

#include "base/rng.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { WORD, DOT, REG, NUM, SIGN, KINDS };

struct tok {
    uint32_t at, len;
    enum kind kind;
};

enum { MAX_TOKENS = 4096, MAX_STEPS = 4 };

struct mutator {
    char *s;
    size_t len, max;
    struct rng rng;
    struct tok tok[MAX_TOKENS];
    unsigned n;
};

/* --- what may stand in place of a token --- */

static const char *const ops[] = {
#define OP(id, text, ndst, unit) text,
#include "ptx/ptx_ops.def"
#undef OP
};
static const char *const dots[] = {
#define TYPE(id, text, bits, kind) "." text,
#include "ptx/ptx_types.def"
#undef TYPE
#define MOD(id, text) "." text,
#include "ptx/ptx_mods.def"
#undef MOD
    ".global", ".shared", ".local", ".param", ".const", ".v2", ".v4", ".v8", ".align",
};
static const char *const sregs[] = {
#define SREG(id, text, type) text,
#include "ptx/ptx_sregs.def"
#undef SREG
};
static const char *const numbers[] = {
    "0",
    "1",
    "-1",
    "2",
    "3",
    "4",
    "-4",
    "7",
    "8",
    "-8",
    "15",
    "16",
    "-16",
    "31",
    "32",
    "33",
    "63",
    "64",
    "127",
    "128",
    "255",
    "256",
    "4095",
    "4096",
    "65535",
    "524288",
    "524304",
    "16777216",
    "0x7fffffff",
    "0x80000000",
    "2147483632",
    "4294967295",
    "4294967296",
    "4294967300",
    "0f3f800000",
    "0d3ff0000000000000",
    "1099511627776",
    "0x7fffffffffffffff",
    "0x8000000000000000",
    "0xffffffffffffffff",
    "0x110000000000",
    "0x120000000000",
    "0x130000000010",
    "0x100000000000",
};
static const char signs[] = ",;[]{}()+-|!@";

static uint32_t below(struct mutator *m, size_t n)
{
    return rng_below(&m->rng, (uint32_t)n);
}

static const char *from_table(struct mutator *m, enum kind kind, char *one)
{
    switch (kind) {
    case WORD:
        return ops[below(m, ARRAY_LEN(ops))];
    case DOT:
        return dots[below(m, ARRAY_LEN(dots))];
    case REG:
        return sregs[below(m, ARRAY_LEN(sregs))];
    case NUM:
        return numbers[below(m, ARRAY_LEN(numbers))];
    default:
        one[0] = signs[below(m, sizeof signs - 1)];
        one[1] = 0;
        return one;
    }
}

/* --- tokens --- */

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == ':';
}

static void split(struct mutator *m)
{
    m->n = 0;
    for (size_t i = 0; i < m->len && m->n < MAX_TOKENS;) {
        const char c = m->s[i];
        size_t from = i++;
        if (isspace((unsigned char)c))
            continue;
        const bool is_number = isdigit((unsigned char)c);
        if (in_word(c) || c == '.' || c == '%')
            while (i < m->len && in_word(m->s[i]))
                i++;
        m->tok[m->n++] = (struct tok){(uint32_t)from, (uint32_t)(i - from),
                                      c == '.'     ? DOT
                                      : c == '%'   ? REG
                                      : is_number  ? NUM
                                      : in_word(c) ? WORD
                                                   : SIGN};
    }
}

static void splice(struct mutator *m, size_t at, size_t cut, const char *with, size_t len)
{
    if (m->len - cut + len > m->max)
        return;
    char *copy = xmalloc(len + 1); /* it may be a part of the text itself */
    memcpy(copy, with, len);
    memmove(m->s + at + len, m->s + at + cut, m->len - at - cut);
    memcpy(m->s + at, copy, len);
    m->len = m->len - cut + len;
    free(copy);
}

/* --- mutations --- */

/* Of the same kind, from elsewhere in the text; now and then of another kind. */
static void put_other(struct mutator *m)
{
    const struct tok *t = &m->tok[below(m, m->n)];
    const bool any = below(m, 8) == 0;
    for (unsigned tries = 0; tries < 64; tries++) {
        const struct tok *u = &m->tok[below(m, m->n)];
        if (u == t || (!any && u->kind != t->kind))
            continue;
        splice(m, t->at, t->len, m->s + u->at, u->len);
        return;
    }
}

static void put_known(struct mutator *m)
{
    const struct tok *t = &m->tok[below(m, m->n)];
    char one[2];
    const char *with = from_table(m, t->kind, one);
    splice(m, t->at, t->len, with, strlen(with));
}

static void add_modifier(struct mutator *m)
{
    const struct tok *t = &m->tok[below(m, m->n)];
    char one[2];
    const char *with = from_table(m, DOT, one);
    if (t->kind == DOT || t->kind == WORD)
        splice(m, t->at + t->len, 0, with, strlen(with));
}

static void drop(struct mutator *m)
{
    const struct tok *t = &m->tok[below(m, m->n)];
    splice(m, t->at, t->len, "", 0);
}

/* An element more or less between braces, brackets or commas. */
static void repeat_operand(struct mutator *m)
{
    const unsigned i = below(m, m->n);
    const struct tok *t = &m->tok[i];
    char text[80];
    if ((t->kind != REG && t->kind != NUM) || t->len > 64)
        return;
    text[0] = ',';
    memcpy(text + 1, m->s + t->at, t->len);
    for (unsigned times = 1 + below(m, 4); times--;)
        splice(m, t->at + t->len, 0, text, t->len + 1);
}

static void add_offset(struct mutator *m)
{
    const struct tok *t = &m->tok[below(m, m->n)];
    char one[2], text[40];
    const int n = snprintf(text, sizeof text, "+%s", from_table(m, NUM, one));
    if (t->kind == REG || t->kind == WORD)
        splice(m, t->at + t->len, 0, text, (size_t)n);
}

/* The statement that token i is in: from behind a ';' to the next one. */
static void statement(const struct mutator *m, unsigned i, size_t *from, size_t *to)
{
    unsigned a = i, b = i;
    while (a && m->s[m->tok[a - 1].at] != ';' && m->s[m->tok[a - 1].at] != '{')
        a--;
    while (b + 1 < m->n && m->s[m->tok[b].at] != ';')
        b++;
    *from = m->tok[a].at;
    *to = m->tok[b].at + m->tok[b].len;
}

static void move_statement(struct mutator *m)
{
    size_t from, to, at, end;
    statement(m, below(m, m->n), &from, &to);
    statement(m, below(m, m->n), &at, &end);
    switch (below(m, 3)) {
    case 0:
        splice(m, from, to - from, "", 0);
        break;
    default:
        splice(m, end, 0, m->s + from, to - from);
        break;
    }
}

static void change_byte(struct mutator *m)
{
    m->s[below(m, m->len)] = (char)below(m, 256);
}

size_t mutate_ptx(char *text, size_t len, size_t max, unsigned seed)
{
    static void (*const ways[])(struct mutator *) = {
        put_other,    put_other,      put_other,  put_known,      put_known,      put_known,
        add_modifier, repeat_operand, add_offset, move_statement, move_statement, drop,
    };
    struct mutator *m = xcalloc(1, sizeof *m);
    *m = (struct mutator){.s = text, .len = len, .max = max, .rng = {seed}};
    for (unsigned steps = 1 + below(m, MAX_STEPS); steps-- && m->len;) {
        split(m);
        if (!m->n || below(m, 64) == 0)
            change_byte(m);
        else
            ways[below(m, ARRAY_LEN(ways))](m);
    }
    len = m->len;
    free(m);
    return len;
}
