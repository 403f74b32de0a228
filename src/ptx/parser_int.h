/* The parser's state, shared by the parse_*.c files. Private to src/ptx.
 *
 * Errors are sticky: the first one fills in `err` and turns the current token into the end of the
 * file, so that every loop ends by itself; whoever needs a result checks the returned bool. */
#ifndef PTX_PARSER_INT_H
#define PTX_PARSER_INT_H

#include "base/vec.h"
#include "ptx/ir.h"
#include "ptx/lexer.h"

enum {
    PARSE_MAX_SCOPES = 128, /* nested { } in a function */
    PARSE_MAX_DEPTH = 200,  /* nested operands, expressions, initialisers */
    PARSE_MAX_DIMS = 16,
    PARSE_MAX_EDGES = 1 << 24, /* of all brx.idx of a function */
};

/* `%r<100>` or one register: `count` registers (times `vec` components) from number `first`. */
struct reg_range {
    uint32_t first, count;
    uint8_t vec;
};

enum name_kind { NAME_REG, NAME_VAR, NAME_LABEL, NAME_TARGETS, NAME_PROTO };

/* What a name means inside a function. */
struct name {
    uint8_t kind;
    uint32_t line;
    union {
        struct reg_range reg;
        struct ptx_var *var;
        uint32_t pc;
        struct {
            uint32_t *pcs;
            uint32_t npcs;
        } targets;
        const struct ptx_func *proto;
    };
};

struct scope {
    struct strmap ranges; /* "%r" -> struct reg_range, for %r<N> */
    struct strmap names;  /* -> struct name */
    size_t first_fixup;
    bool has_digit_ranges; /* a range such as %a1<4>, whose own name ends in a digit */
    uint32_t line, col;
};

/* A .reg outside functions, as compilers for PTX 1.x wrote at the top of each module. */
struct module_reg {
    struct token name;
    uint8_t type, vec;
    bool is_range;
    uint32_t count;
};

/* A name that is not known yet where it is used: a label, or a function or variable further down.
 * Resolved when its scope closes, or at the end of the module. */
struct fixup {
    const char *s;
    uint32_t len, line, col;
    bool is_label;
    struct ptx_operand *opnd; /* one of these three is what to fill in */
    uint32_t *pc;
    struct ptx_reloc *reloc;
    struct ptx_func *func; /* where it stands */
};

struct parser {
    struct lexer lx;
    struct ptx_module *m;
    struct err *err;
    bool failed;
    unsigned depth;
    const char *text_end;
    uint64_t reg_budget, init_budget; /* against declarations that ask for absurd amounts */
    struct arena scratch;             /* for the time of the parse */
    struct strmap mnemonics;          /* -> struct ptx_inst, decoded without operands */

    VEC(struct ptx_var *) vars;
    VEC(struct ptx_func *) funcs;
    VEC(struct fixup) fixups;
    VEC(struct ptx_operand *) func_refs; /* operands that name a function declared so far */

    VEC(struct module_reg) module_regs;

    /* the function being parsed */
    struct ptx_func *func;
    VEC(struct ptx_inst) insts;
    VEC(struct ptx_reg) regs;
    VEC(const char *) families;
    VEC(struct ptx_var *) locals;
    VEC(struct ptx_pragma) pragmas;
    struct ptx_loc loc; /* of the next instructions */
    struct scope scopes[PARSE_MAX_SCOPES];
    unsigned nscopes;
    bool ends_in_label;
    uint32_t nmodule_regs; /* its first registers are those of the module */

    /* the instruction being parsed */
    VEC(struct ptx_operand) opnds; /* a stack: operands and, above them, elements of the current */
    size_t inst_fixups;            /* fixups.len before the instruction */
    bool form_unknown;             /* an operand has a form that the IR cannot hold */
};

/* parse_source.c */
bool parse_loc(struct parser *p);
bool parse_file(struct parser *p);

/* parse_util.c */
bool parse_error(struct parser *p, const struct token *at, const char *fmt, ...) PRINTF_LIKE(3, 4);
bool parse_expected(struct parser *p, const char *what); /* "expected WHAT, found TOKEN" */
bool parse_accept(struct parser *p, int kind);
bool parse_require(struct parser *p, int kind, const char *what);
bool parse_enter(struct parser *p); /* counts nesting; every true is paired with parse_leave() */
void parse_leave(struct parser *p);
bool parse_dot_is(const struct parser *p, const char *word);
bool parse_token_is(const struct token *t, const char *word);
bool parse_uint(struct parser *p, const char *what, uint64_t max, uint64_t *out);
/* Skips a statement whose first token is the current one: to its ';' or '}' of its own, or to the
 * end of its line. */
bool parse_wrong_directive(struct parser *p); /* error: unknown, or known and not for this place */
bool parse_skip_to_semicolon(struct parser *p);
bool parse_skip_balanced(struct parser *p); /* current token is an opening bracket */

struct nearest {
    const char *want;
    size_t len;
    const char *best;
    unsigned distance, limit;
};
void nearest_init(struct nearest *n, const char *want, size_t len);
void nearest_offer(struct nearest *n, const char *name);
const char *nearest_hint(const struct nearest *n, char *buf,
                         size_t len); /* "" or "; nearest ..." */

/* parse_scope.c */
bool scope_push(struct parser *p);
bool scope_pop(struct parser *p);
void scope_drop_all(struct parser *p);
struct name *scope_add_name(struct parser *p, const struct token *at, uint8_t kind);
struct name *scope_find(const struct parser *p, const char *s, size_t len);
bool scope_find_reg(const struct parser *p, const char *s, size_t len, struct reg_range *out);
bool scope_add_regs(struct parser *p, const struct token *at, enum ptx_type type, unsigned vec,
                    bool is_range, uint32_t count);
struct fixup *fixup_add(struct parser *p, const struct token *at);
bool fixup_resolve_module(struct parser *p);
bool parse_undefined_reg(struct parser *p, const struct token *at);

/* parse_expr.c: constant expressions */
struct cval {
    enum { CVAL_INT, CVAL_UINT, CVAL_F32, CVAL_F64 } kind;
    uint64_t bits;
};
bool parse_expr(struct parser *p, struct cval *out);
double cval_double(const struct cval *v);
uint64_t cval_integer(const struct cval *v);

/* parse_decl.c */
struct decl {
    uint8_t linkage, space, type, vec;
    bool has_space, is_managed;
    uint32_t align;
};
bool parse_decl_words(struct parser *p, struct decl *d);
bool parse_variables(struct parser *p, const struct decl *d);
bool parse_params(struct parser *p, struct ptx_func *f, bool is_ret);
bool parse_space_word(const struct token *t, uint8_t *space);
bool parse_linkage_word(const struct token *t, uint8_t *linkage);

/* parse_init.c */
struct dims {
    uint64_t n[PARSE_MAX_DIMS];
    unsigned count;  /* 0: a scalar */
    bool first_open; /* x[]: as many as the initialiser has */
};
bool parse_init(struct parser *p, struct ptx_var *v, struct dims *dims);

/* parse_func.c */
bool parse_function(struct parser *p, uint8_t linkage, bool is_entry);
bool parse_prototype(struct parser *p, struct ptx_func *f);

/* parse_inst.c */
bool parse_instruction(struct parser *p);

/* parse_operand.c */
bool parse_operand(struct parser *p, const struct ptx_inst *i, struct ptx_operand *out);
struct ptx_operand *parse_commit_operands(struct parser *p, size_t first);

/* parse_module.c */
bool module_add_func(struct parser *p, struct ptx_func *f, const struct token *at);
bool module_add_var(struct parser *p, const struct token *at, const struct ptx_var *v);
bool parse_common_directive(struct parser *p, bool *done);
/* From ".pragma" to what is behind its strings. */
bool parse_pragma_strings(struct parser *p);

#endif
