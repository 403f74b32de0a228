/* The tables of *.def, by number and by name. */
#include "ptx/isa.h"

#include <string.h>

/* Modifiers and types are stored in bytes. */
static_assert(PTX_MOD_COUNT <= 256 && PTX_TYPE_COUNT <= 256 && PTX_SREG_COUNT <= 256, "bytes");

struct word {
    const char *text;
    size_t len;
};

#define WORD(s)          \
    {                    \
        s, sizeof(s) - 1 \
    }

static const struct word op_words[] = {
    WORD("unknown"),
#define OP(id, name, ndst, unit) WORD(name),
#include "ptx/ptx_ops.def"
#undef OP
};

static const struct word mod_words[] = {
    WORD(""),
#define MOD(id, name) WORD(name),
#include "ptx/ptx_mods.def"
#undef MOD
};

static const struct {
    struct word word;
    uint8_t bits;
    char kind;
} types[] = {
    {WORD(""), 0, 0},
#define TYPE(id, name, bits, kind) {WORD(name), bits, #kind[0]},
#include "ptx/ptx_types.def"
#undef TYPE
};

static const struct {
    const char *name;
    enum ptx_type type;
} sregs[] = {
#define SREG(id, name, type) {name, PTX_##type},
#include "ptx/ptx_sregs.def"
#undef SREG
};

static const char *const space_names[] = {"generic", "reg",   "global", "shared",
                                          "local",   "const", "param"};

const char *ptx_op_name(enum ptx_op op)
{
    return op < PTX_OP_COUNT ? op_words[op].text : "?";
}

const char *ptx_type_name(enum ptx_type t)
{
    return t < PTX_TYPE_COUNT ? types[t].word.text : "?";
}

const char *ptx_mod_name(enum ptx_mod m)
{
    return m < PTX_MOD_COUNT ? mod_words[m].text : "?";
}

const char *ptx_sreg_name(enum ptx_sreg s)
{
    return s < PTX_SREG_COUNT ? sregs[s].name : "?";
}

enum ptx_type ptx_sreg_type(enum ptx_sreg s)
{
    return s < PTX_SREG_COUNT ? sregs[s].type : PTX_NOTYPE;
}

const char *ptx_space_name(enum ptx_space s)
{
    return s < ARRAY_LEN(space_names) ? space_names[s] : "?";
}

unsigned ptx_type_bits(enum ptx_type t)
{
    return types[t].bits;
}

char ptx_type_kind(enum ptx_type t)
{
    return types[t].kind;
}

static bool word_is(const struct word *w, const char *s, size_t len)
{
    return w->len == len && w->text[0] == s[0] && !memcmp(w->text, s, len);
}

enum ptx_op ptx_op_find(const char *s, size_t len)
{
    for (unsigned i = 1; len && i < PTX_OP_COUNT; i++)
        if (word_is(&op_words[i], s, len))
            return (enum ptx_op)i;
    return PTX_OP_UNKNOWN;
}

enum ptx_type ptx_type_find(const char *s, size_t len)
{
    for (unsigned i = 1; len && i < PTX_TYPE_COUNT; i++)
        if (word_is(&types[i].word, s, len))
            return (enum ptx_type)i;
    return PTX_NOTYPE;
}

enum ptx_mod ptx_mod_find(const char *s, size_t len)
{
    for (unsigned i = 1; len && i < PTX_MOD_COUNT; i++)
        if (word_is(&mod_words[i], s, len))
            return (enum ptx_mod)i;
    return PTX_NOMOD;
}
