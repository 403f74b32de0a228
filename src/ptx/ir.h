/* What the parser produces: a module of variables and functions, functions of instructions.
 *
 * Everything lives in the module's arena and is read-only after ptx_parse(). Registers are numbered
 * densely per function; labels are resolved to instruction indices; instructions keep their source
 * position. An instruction that this version cannot decode is kept with op PTX_OP_UNKNOWN (or with
 * `bad` set) and its text, and is an error only for those who want to run it. A body that can run
 * off its end gets a final `ret`, so that every pc (labels too) is below ninsts. */
#ifndef PTX_IR_H
#define PTX_IR_H

#include "base/arena.h"
#include "base/err.h"
#include "base/strmap.h"
#include "ptx/isa.h"

#define PTX_NO_REG UINT32_MAX
#define PTX_NO_PC  UINT32_MAX
enum { PTX_MAX_MODS = 14, PTX_MAX_TYPES = 5 };

struct ptx_var;
struct ptx_func;

enum ptx_operand_kind {
    PTX_OPND_NONE,
    PTX_OPND_REG,   /* reg; `neg` = written as !%p or -%r */
    PTX_OPND_IMM,   /* imm; is_float tells how it was written */
    PTX_OPND_SREG,  /* sreg, index for %envreg/%pm */
    PTX_OPND_VAR,   /* address of var, plus imm */
    PTX_OPND_FUNC,  /* address of func */
    PTX_OPND_LABEL, /* pc; also .branchtargets/.calltargets list names: see list */
    PTX_OPND_SINK,  /* _ */
    PTX_OPND_ADDR,  /* [elems[0] + imm]; elems[0] is REG, VAR or IMM. Texture and surface operands
                     * have more: [a, {x, y}] or [a, sampler, {x, y}] are elems[1..] */
    PTX_OPND_VEC,   /* {elems...} */
    PTX_OPND_PAIR,  /* elems[0] | elems[1], as in %p|%q */
    PTX_OPND_ARGS,  /* (elems...) of a call */
    PTX_OPND_PROTO, /* the .callprototype of an indirect call: proto; or .calltargets: list */
    PTX_OPND_LIST,  /* .branchtargets: list of npcs pcs */
};

struct ptx_operand {
    uint8_t kind;
    bool neg;         /* REG: complemented predicate */
    bool is_float;    /* IMM: written as 0f/0d or decimal: imm holds the bits of a double, unless
                       * is_f32 */
    bool is_f32;      /* IMM written 0fXXXXXXXX: imm holds the 32 bits */
    uint8_t selector; /* video selector .b0 .. .h1 (enum ptx_mod), 0 = none */
    uint8_t sreg;     /* SREG */
    uint8_t nelems;   /* ADDR, VEC, PAIR, ARGS */
    uint32_t reg;     /* REG: register number; SREG: index */
    uint32_t pc;      /* LABEL */
    uint32_t npcs;    /* LIST */
    int64_t imm;      /* IMM value; VAR and ADDR offset */
    union {
        struct ptx_var *var;
        struct ptx_func *func;
        const struct ptx_func *proto; /* parameters and returns of a .callprototype */
        struct ptx_operand *elems;
        uint32_t *pcs;
    };
};

/* A line of the program that PTX was made from (.loc); line 0: not said. */
struct ptx_loc {
    uint32_t file, line;
};

struct ptx_inst {
    uint16_t op; /* enum ptx_op */
    uint8_t nmods, ntypes, nops;
    bool guard_neg;
    bool bad;                     /* a modifier or operand form that is not known: see text */
    uint8_t mods[PTX_MAX_MODS];   /* enum ptx_mod, in order */
    uint8_t types[PTX_MAX_TYPES]; /* enum ptx_type, in order */
    uint32_t guard;               /* predicate register or PTX_NO_REG */
    uint32_t line, col;
    struct ptx_loc loc;
    struct ptx_operand *ops;
    const char *text; /* the mnemonic as written, dots included */
};

struct ptx_reg {
    uint8_t type; /* enum ptx_type; vectors of old PTX are expanded into their components */
    uint32_t family, number; /* name = families[family] + number; number UINT32_MAX = no number */
};

/* A place in a variable's initial bytes that holds an address. */
struct ptx_reloc {
    uint64_t offset;
    uint8_t bytes; /* 8 or 4; masks like 0xFF(sym) select one byte: bytes 1, shift = bit position */
    uint8_t shift;
    bool generic; /* generic(sym) */
    struct ptx_var *var;
    struct ptx_func *func;
    int64_t addend;
};

enum ptx_linkage {
    PTX_LINK_NONE,
    PTX_LINK_VISIBLE,
    PTX_LINK_EXTERN,
    PTX_LINK_WEAK,
    PTX_LINK_COMMON
};

struct ptx_var {
    const char *name;
    uint8_t space;   /* enum ptx_space */
    uint8_t type;    /* element type */
    uint8_t vec;     /* 1, 2, 4: vector length of the element */
    uint8_t linkage; /* enum ptx_linkage */
    bool is_unsized; /* extern .shared x[]; bytes 0 */
    bool is_managed;
    uint32_t align;
    uint64_t bytes;  /* the whole array */
    uint64_t offset; /* for parameters: place in the parameter block */
    uint8_t *init;   /* NULL: zeros; else `bytes` bytes */
    struct ptx_reloc *relocs;
    uint32_t nrelocs;
    uint32_t line;
    uint32_t index;         /* dense per owner: module variables, or function-scope variables */
    struct ptx_func *owner; /* NULL for module scope */
};

/* A string of a .pragma directive. Those that ptx/marks.h knows are written as they should be. */
struct ptx_pragma {
    const char *text;
    uint32_t line, col;
    uint32_t pc; /* of the instruction behind it; ninsts: there is none */
};

struct ptx_func {
    const char *name;
    bool is_entry, is_decl, is_proto, is_noreturn;
    uint8_t linkage;
    struct ptx_var **params; /* entry: `offset` in a block of param_bytes */
    struct ptx_var **rets;
    uint32_t nparams, nrets;
    /* Device-function parameters may be registers (.reg): then var->space is PTX_SPACE_REG and
     * param_regs[i] is the register's number. */
    uint32_t *param_regs, *ret_regs;
    uint32_t param_bytes;

    struct ptx_inst *insts;
    uint32_t ninsts;
    struct ptx_reg *regs;
    uint32_t nregs;
    const char **families; /* "%r", "%rd", ... */
    uint32_t nfamilies;
    struct ptx_var **vars; /* function-scope .shared, .local, .param, .const, .global */
    uint32_t nvars;
    struct ptx_pragma *pragmas; /* in its body, in order */
    uint32_t npragmas;

    uint32_t maxntid[3], reqntid[3]; /* zeros: not given */
    uint32_t minnctapersm, maxnreg;
    uint32_t line;
    uint32_t index; /* place in module->funcs */
    struct ptx_module *module;
    struct ptx_func *def; /* a declaration's definition in this module, if any */
};

struct ptx_module {
    struct arena arena;
    const char *file; /* for messages */
    unsigned version_major, version_minor, address_bytes;
    const char *target;    /* "sm_90" */
    struct ptx_var **vars; /* module scope, in order */
    uint32_t nvars;
    struct ptx_func **funcs; /* definitions and declarations, in order */
    uint32_t nfuncs;
    struct strmap symbols; /* name -> struct ptx_symbol */
    char *text;            /* that was parsed */
    struct ptx_file *files;
};

/* Of .file; the last with a number counts. */
struct ptx_file {
    uint32_t number;
    const char *name;
    struct ptx_file *next;
};

struct ptx_symbol {
    struct ptx_var *var;
    struct ptx_func *func;
};

/* Parses `len` bytes of PTX (an extra NUL is not needed; one at the end is accepted). Errors name
 * file:line:column. The text need not outlive the call. NULL on error. */
struct ptx_module *ptx_parse(const char *file, const char *text, size_t len, struct err *err);
void ptx_module_free(struct ptx_module *m);
struct ptx_func *ptx_find_func(const struct ptx_module *m, const char *name);
struct ptx_var *ptx_find_var(const struct ptx_module *m, const char *name);

/* The name of a .file; NULL: there is none. */
const char *ptx_file_name(const struct ptx_module *m, uint32_t number);
/* A line of the module's text without the blanks before it; `c` (zeros at first) makes looking in
 * order quick. */
struct ptx_line_cursor {
    const char *at;
    uint32_t line;
};
const char *ptx_line_text(const struct ptx_module *m, uint32_t line, struct ptx_line_cursor *c,
                          size_t *len);

/* The threads of a block that .maxntid or .reqntid name; 0 = not given. What nobody can launch is
 * cut off at UINT32_MAX, so that it can be multiplied. */
uint64_t ptx_threads_declared(const uint32_t ntid[3]);
bool ptx_inst_has(const struct ptx_inst *i, enum ptx_mod m);
/* The first modifier of the instruction in the range [first, last], or PTX_NOMOD. */
enum ptx_mod ptx_inst_mod_in(const struct ptx_inst *i, enum ptx_mod first, enum ptx_mod last);
enum ptx_space ptx_inst_space(const struct ptx_inst *i); /* .global ... ; GENERIC if none */
unsigned ptx_inst_vec(const struct ptx_inst *i);         /* .v2 .v4 .v8: 2 4 8; else 1 */
unsigned ptx_inst_ndst(const struct ptx_inst *i);        /* leading operands that are written */
enum ptx_unit ptx_inst_unit(const struct ptx_inst *i);
/* "setp.lt.s32" as written, into buf; returns buf. */
const char *ptx_inst_text(const struct ptx_inst *i, char *buf, size_t len);
/* "%r12", into buf; returns buf. */
const char *ptx_reg_text(const struct ptx_func *f, uint32_t reg, char *buf, size_t len);
/* The register with this name of `len` characters; false: there is none. */
bool ptx_reg_find(const struct ptx_func *f, const char *name, size_t len, uint32_t *reg);

#endif
