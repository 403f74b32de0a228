/* Errors, small token helpers, skipping. */
#include "ptx/parser_int.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool parse_error(struct parser *p, const struct token *at, const char *fmt, ...)
{
    if (p->failed)
        return false;
    char msg[700];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    err_set(p->err, "%s:%u:%u: %s", p->m->file, at->line, at->col, msg);
    p->failed = true;
    p->lx.tok.kind = TOK_EOF;
    p->lx.p = p->text_end;
    return false;
}

static const char *token_text(const struct token *t, char *buf, size_t len)
{
    if (t->kind == TOK_EOF)
        snprintf(buf, len, "the end of the file");
    else
        snprintf(buf, len, "'%s%.*s%s'", t->kind == TOK_DOT ? "." : "",
                 (int)(t->len < 40 ? t->len : 40), t->s, t->len < 40 ? "" : "...");
    return buf;
}

bool parse_expected(struct parser *p, const char *what)
{
    char buf[64];
    const struct token *t = &p->lx.tok;
    if (t->kind == TOK_BAD)
        return parse_error(p, t, "%s", p->lx.problem);
    return parse_error(p, t, "expected %s, found %s", what, token_text(t, buf, sizeof buf));
}

bool parse_accept(struct parser *p, int kind)
{
    if (p->lx.tok.kind != kind)
        return false;
    lexer_next(&p->lx);
    return true;
}

bool parse_require(struct parser *p, int kind, const char *what)
{
    return parse_accept(p, kind) || parse_expected(p, what);
}

bool parse_enter(struct parser *p)
{
    if (p->depth >= PARSE_MAX_DEPTH)
        return parse_error(p, &p->lx.tok, "nested more than %d deep", PARSE_MAX_DEPTH);
    p->depth++;
    return true;
}

void parse_leave(struct parser *p)
{
    p->depth--;
}

bool parse_token_is(const struct token *t, const char *word)
{
    return strlen(word) == t->len && !memcmp(word, t->s, t->len);
}

bool parse_dot_is(const struct parser *p, const char *word)
{
    return p->lx.tok.kind == TOK_DOT && parse_token_is(&p->lx.tok, word);
}

bool parse_uint(struct parser *p, const char *what, uint64_t max, uint64_t *out)
{
    struct token at = p->lx.tok;
    struct cval v;
    if (!parse_expr(p, &v))
        return false;
    *out = cval_integer(&v);
    if (v.kind > CVAL_UINT || *out > max)
        return parse_error(p, &at, "%s must be an integer from 0 to %llu", what,
                           (unsigned long long)max);
    return true;
}

static bool is_open(int kind)
{
    return kind == '{' || kind == '(' || kind == '[';
}

static bool is_close(int kind)
{
    return kind == '}' || kind == ')' || kind == ']';
}

bool parse_skip_balanced(struct parser *p)
{
    struct token open = p->lx.tok;
    uint64_t depth = 0;
    do {
        int kind = p->lx.tok.kind;
        if (kind == TOK_EOF)
            return parse_error(p, &open, "this '%c' is not closed", open.kind);
        if (kind == TOK_BAD)
            return parse_expected(p, "a word");
        depth += is_open(kind);
        depth -= is_close(kind);
        lexer_next(&p->lx);
    } while (depth);
    return true;
}

bool parse_skip_to_semicolon(struct parser *p)
{
    while (p->lx.tok.kind != ';') {
        int kind = p->lx.tok.kind;
        if (kind == TOK_EOF || kind == TOK_BAD || is_close(kind))
            return parse_expected(p, "';'");
        if (!is_open(kind))
            lexer_next(&p->lx);
        else if (!parse_skip_balanced(p))
            return false;
    }
    lexer_next(&p->lx);
    return true;
}

void nearest_init(struct nearest *n, const char *want, size_t len)
{
    *n = (struct nearest){.want = want, .len = len, .distance = UINT32_MAX};
    n->limit = len < 4 ? 1 : len < 10 ? 2 : 3;
}

enum { NEAREST_MAX = 96 };

static unsigned edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
    unsigned row[NEAREST_MAX + 1];
    for (size_t j = 0; j <= nb; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= na; i++) {
        unsigned diag = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            unsigned sub = diag + (a[i - 1] != b[j - 1]);
            diag = row[j];
            unsigned ins = row[j - 1] + 1, del = row[j] + 1;
            unsigned best = ins < del ? ins : del;
            row[j] = best < sub ? best : sub;
        }
    }
    return row[nb];
}

void nearest_offer(struct nearest *n, const char *name)
{
    size_t len = strlen(name);
    size_t gap = len > n->len ? len - n->len : n->len - len;
    if (len > NEAREST_MAX || n->len > NEAREST_MAX || gap > n->limit)
        return;
    unsigned d = edit_distance(n->want, n->len, name, len);
    if (d <= n->limit && d < n->distance) {
        n->distance = d;
        n->best = name;
    }
}

const char *nearest_hint(const struct nearest *n, char *buf, size_t len)
{
    if (n->best)
        snprintf(buf, len, "; the nearest known name is '%s'", n->best);
    else
        buf[0] = 0;
    return buf;
}

static const char *const directives[] = {
    "abi_preserve",
    "abi_preserve_control",
    "address_size",
    "alias",
    "align",
    "attribute",
    "blocksareclusters",
    "branchtargets",
    "callprototype",
    "calltargets",
    "common",
    "const",
    "entry",
    "explicitcluster",
    "extern",
    "file",
    "func",
    "global",
    "loc",
    "local",
    "maxclusterrank",
    "maxnctapersm",
    "maxnreg",
    "maxntid",
    "minnctapersm",
    "noreturn",
    "param",
    "pragma",
    "reg",
    "reqnctapercluster",
    "reqntid",
    "section",
    "shared",
    "target",
    "tex",
    "version",
    "visible",
    "weak",
};

bool parse_wrong_directive(struct parser *p)
{
    const struct token *t = &p->lx.tok;
    struct nearest near;
    char hint[NEAREST_MAX + 64];
    nearest_init(&near, t->s, t->len);
    for (size_t i = 0; i < ARRAY_LEN(directives); i++) {
        if (parse_token_is(t, directives[i]))
            return parse_error(p, t, "'.%s' cannot stand here", directives[i]);
        nearest_offer(&near, directives[i]);
    }
    return parse_error(p, t, "'.%.*s' is not a directive%s", (int)t->len, t->s,
                       nearest_hint(&near, hint, sizeof hint));
}
