/* Words of PTX text, one at a time. Private to src/ptx.
 *
 * The text must end with a NUL byte. Comments, preprocessor lines and @@DWARF lines are white
 * space. A dotted word (".shared::cta", ".2d") is one token; so is "%r1", but in "%tid.x" the
 * suffix is a dotted word of its own. */
#ifndef PTX_LEXER_H
#define PTX_LEXER_H

#include "base/common.h"

enum token_kind {
    TOK_EOF = 0,
    /* Punctuation of one character is its own kind. */
    TOK_IDENT = 256,
    TOK_DOT, /* s, len: without the dot */
    TOK_INT, /* value */
    TOK_F32, /* 0fXXXXXXXX: value = the 32 bits */
    TOK_F64, /* 0dX... or decimal: value = the bits of the double */
    TOK_STRING,
    TOK_SHL,
    TOK_SHR,
    TOK_LE,
    TOK_GE,
    TOK_EQ,
    TOK_NE,
    TOK_ANDAND,
    TOK_OROR,
    TOK_BAD, /* `problem` says why */
};

struct token {
    uint16_t kind;
    bool is_unsigned; /* INT with suffix U, or too large for int64 */
    uint32_t line, col, len;
    const char *s;
    uint64_t value;
};

struct lexer {
    const char *p; /* right after `tok` */
    const char *line_start;
    uint32_t line;
    struct token tok;
    const char *problem;
};

void lexer_init(struct lexer *lx, const char *text);
/* Moves to the next token. */
void lexer_next(struct lexer *lx);
/* Restarts right after byte `p`, which lies in the current token's line. */
void lexer_restart(struct lexer *lx, const char *p);

extern const uint8_t lexer_class[256];
enum { LEX_IDENT = 1, LEX_DIGIT = 2, LEX_HEX = 4, LEX_START = 8, LEX_SPACE = 16 };

static inline bool lexer_is(char c, unsigned classes)
{
    return lexer_class[(unsigned char)c] & classes;
}

#endif
