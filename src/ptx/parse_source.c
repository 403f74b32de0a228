/* Where instructions come from: .file and .loc, and the lines of a module's own text. */
#include "ptx/parser_int.h"

#include <stdlib.h>
#include <string.h>

/* The number that the current token is; then the next. */
static uint32_t take_number(struct parser *p)
{
    const unsigned long v = strtoul(p->lx.tok.s, NULL, 0);
    lexer_next(&p->lx);
    return v < UINT32_MAX ? (uint32_t)v : UINT32_MAX;
}

/* .loc FILE LINE COL [, function_name LABEL [+ N], inlined_at FILE LINE COL] */
bool parse_loc(struct parser *p)
{
    const uint32_t line = p->lx.tok.line;
    uint32_t at[3] = {0};
    lexer_next(&p->lx);
    for (unsigned i = 0; p->lx.tok.kind == TOK_INT; i = i < 2 ? i + 1 : i)
        at[i] = take_number(p);
    p->loc = (struct ptx_loc){at[0], at[1]};
    while (p->lx.tok.kind == ',' && p->lx.tok.line == line) {
        lexer_next(&p->lx);
        while (p->lx.tok.line == line && p->lx.tok.kind != ',' && p->lx.tok.kind != TOK_EOF &&
               p->lx.tok.kind != TOK_BAD)
            lexer_next(&p->lx);
    }
    return !p->failed;
}

/* .file N "NAME" [, TIME, SIZE] */
bool parse_file(struct parser *p)
{
    struct ptx_file *f = arena_new(&p->m->arena, struct ptx_file);
    lexer_next(&p->lx);
    f->number = p->lx.tok.kind == TOK_INT ? take_number(p) : 0;
    if (p->lx.tok.kind == TOK_STRING && p->lx.tok.len > 2) {
        f->name = arena_strndup(&p->m->arena, p->lx.tok.s + 1, p->lx.tok.len - 2);
        f->next = p->m->files;
        p->m->files = f;
    }
    while (p->lx.tok.kind == TOK_INT || p->lx.tok.kind == TOK_STRING || p->lx.tok.kind == ',')
        lexer_next(&p->lx);
    return true;
}

const char *ptx_file_name(const struct ptx_module *m, uint32_t number)
{
    for (const struct ptx_file *f = m->files; f; f = f->next)
        if (f->number == number)
            return f->name;
    return NULL;
}

const char *ptx_line_text(const struct ptx_module *m, uint32_t line, struct ptx_line_cursor *c,
                          size_t *len)
{
    if (!c->at || line < c->line)
        *c = (struct ptx_line_cursor){m->text, 1};
    while (c->line < line) {
        const char *end = strchr(c->at, '\n');
        if (!end)
            break;
        c->at = end + 1;
        c->line++;
    }
    const char *s = c->at;
    *len = strcspn(s, "\r\n");
    while (*len && (*s == ' ' || *s == '\t'))
        s++, --*len;
    return s;
}
