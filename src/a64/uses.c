/* Registers by the rows of uses.def; loads and stores by their operands. */
#include "a64/uses.h"

#include "a64/operands.h"

#include <fnmatch.h>
#include <pthread.h>
#include <string.h>

/* --- rows --- */

/* What a row uses: bits of its registers' fields. */
enum {
    FIELDS = 4,  /* d n m a */
    READS_X = 1, /* shifted by 4 x the field */
    READS_V = 2,
    WRITES_X = 4,
    WRITES_V = 8,
    READS_FLAGS = 1 << 16,
    WRITES_FLAGS = 1 << 17,
    WRITES_LINK = 1 << 18
};

static const struct {
    a64_operands *operands;
    const char *registers;
} by_operands[] = {
#define USES(operands, registers) {op_##operands, registers},
#define OF(name, registers)
#include "a64/uses.def"
#undef USES
#undef OF
};

static const struct {
    const char *name, *registers;
} by_name[] = {
#define USES(operands, registers)
#define OF(name, registers) {name, registers},
#include "a64/uses.def"
#undef USES
#undef OF
};

static uint32_t *rows; /* bits of each */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Whether a pattern has the field: rm is l, m:4 in products with an element. */
static bool has_field(const char *pattern, char field)
{
    if (field == 'm' && strstr(pattern, " m:4 "))
        return true;
    const char name[] = {' ', 'r', field, 0};
    return strstr(pattern, name) || (field == 'd' && strstr(pattern, " rt")) ||
           (field == 'n' && (strstr(pattern, " rt") || strstr(pattern, " rs")));
}

static uint32_t bits_of(const char *registers, const char *pattern)
{
    static const char fields[] = "dnma";
    uint32_t all = 0;
    for (const char *at = registers; *at; at += *at == ' ') {
        const bool writes = *at == '=';
        at += writes;
        if (*at == 'f') {
            all |= writes ? WRITES_FLAGS : READS_FLAGS;
        } else if (at[1] == '3') {
            all |= WRITES_LINK;
        } else if (has_field(pattern, at[1])) {
            const unsigned field = (unsigned)(strchr(fields, at[1]) - fields);
            all |= (uint32_t)(*at == 'x' ? (writes ? WRITES_X : READS_X)
                                         : (writes ? WRITES_V : READS_V))
                   << 4 * field;
        }
        at += strcspn(at, " ");
    }
    return all;
}

static const char *registers_of(const struct a64_row *r)
{
    const char *found = r->class == A64_LOAD || r->class == A64_STORE ? "" : "=vd vn vm";
    for (size_t i = 0; i < ARRAY_LEN(by_operands); i++)
        if (by_operands[i].operands == r->operands)
            found = by_operands[i].registers;
    for (size_t i = 0; i < ARRAY_LEN(by_name); i++)
        if (!fnmatch(by_name[i].name, r->name, 0))
            found = by_name[i].registers;
    return found;
}

static void fill_rows(void)
{
    const struct a64_row *list;
    const size_t n = a64_rows(&list);
    rows = xcalloc(n, sizeof *rows);
    for (size_t i = 0; i < n; i++)
        rows[i] = bits_of(registers_of(&list[i]), list[i].pattern);
}

/* --- lists of registers --- */

static void reads(struct a64_uses *u, unsigned reg)
{
    for (unsigned k = 0; k < u->nreads; k++)
        if (u->reads[k] == reg)
            return;
    if (reg != A64_ZERO && reg != A64_NOWHERE)
        u->reads[u->nreads++] = (uint8_t)reg;
}

static void writes(struct a64_uses *u, unsigned reg)
{
    if (reg != A64_ZERO && reg != A64_NOWHERE)
        u->writes[u->nwrites++] = (uint8_t)reg;
}

static void use_fields(struct a64_uses *u, const struct a64_inst *i, uint32_t all)
{
    const uint8_t at[FIELDS] = {i->rd, i->rn, i->rm, i->ra};
    for (unsigned f = 0; f < FIELDS; f++) {
        const uint32_t bits = all >> 4 * f;
        if (bits & READS_X)
            reads(u, at[f]);
        if (bits & READS_V)
            reads(u, A64_V0 + at[f]);
        if (bits & WRITES_X)
            writes(u, at[f]);
        if (bits & WRITES_V)
            writes(u, A64_V0 + at[f]);
    }
    if (all & READS_FLAGS)
        reads(u, A64_FLAGS);
    if (all & WRITES_FLAGS)
        writes(u, A64_FLAGS);
    if (all & WRITES_LINK)
        writes(u, 30);
}

/* --- forms whose registers follow from the word --- */

static void use_vectors(struct a64_uses *u, unsigned first, unsigned n, bool is_written)
{
    for (unsigned k = 0; k < n; k++)
        (is_written ? writes : reads)(u, A64_V0 + (first + k) % 32);
}

/* ra registers from rd on; a base that moves by rm or by imm. */
static void use_structure(struct a64_uses *u, const struct a64_inst *i, const struct a64_row *r)
{
    const bool is_list = r->operands == op_mem_list || r->operands == op_mem_list_post;
    const bool is_lane = r->operands == op_mem_lane || r->operands == op_mem_lane_post;
    use_vectors(u, i->rd, i->ra, r->class == A64_LOAD);
    if (is_lane && r->class == A64_LOAD) /* the other lanes stay */
        use_vectors(u, i->rd, i->ra, false);
    reads(u, i->rn);
    reads(u, i->rm);
    u->moves_base = bits(i->word, 23, 23);
    if (u->moves_base)
        writes(u, i->rn);
    u->mode = A64_BASE;
    u->bytes = (uint8_t)(is_list ? i->ra * i->shift : i->ra << i->size);
}

static void use_data(struct a64_uses *u, unsigned reg, bool is_simd, bool is_load)
{
    (is_load ? writes : reads)(u, reg + (is_simd ? (unsigned)A64_V0 : 0));
}

static bool is_moving_base(const struct a64_row *r)
{
    return !fnmatch("*_post", r->name, 0) || !fnmatch("*_pre", r->name, 0);
}

static void use_plain(struct a64_uses *u, const struct a64_inst *i, const struct a64_row *r)
{
    const bool is_simd = bits(i->word, 26, 26), is_load = r->class == A64_LOAD;
    const bool is_pair = r->operands == op_mem_pair, is_literal = r->operands == op_mem_literal;
    const unsigned size = bits(i->word, 31, 30);
    unsigned log = is_literal ? (is_simd     ? 2 + size
                                 : size == 1 ? 3
                                             : 2)
                   : is_pair  ? (is_simd     ? 2 + size
                                 : size == 2 ? 3
                                             : 2)
                              : (is_simd && bits(i->word, 23, 23) ? 4 : size);
    use_data(u, i->rd, is_simd, is_load);
    if (is_pair)
        use_data(u, i->ra, is_simd, is_load);
    if (!is_literal)
        reads(u, i->rn);
    if (r->operands == op_mem_reg)
        reads(u, i->rm);
    u->moves_base = is_moving_base(r);
    if (u->moves_base)
        writes(u, i->rn);
    u->mode = r->operands == op_mem_reg        ? A64_INDEX
              : !fnmatch("*_post", r->name, 0) ? A64_BASE
                                               : A64_OFFSET;
    u->bytes = (uint8_t)((is_pair ? 2u : 1u) << log);
}

static void use_exclusive(struct a64_uses *u, const struct a64_inst *i, const struct a64_row *r)
{
    const bool is_load = r->class == A64_LOAD, is_pair = bits(i->word, 21, 21);
    const bool is_ordered = bits(i->word, 23, 23);
    use_data(u, i->rd, false, is_load);
    if (is_pair)
        use_data(u, i->ra, false, is_load);
    if (!is_load && !is_ordered)
        writes(u, i->rm);
    reads(u, i->rn);
    u->mode = A64_BASE;
    u->bytes = (uint8_t)(i->size << is_pair);
}

static void use_memo_load(struct a64_uses *u, const struct a64_inst *i, const struct a64_row *r)
{
    use_data(u, i->rd, bits(i->word, 22, 22), true);
    reads(u, i->rn);
    if (r->operands == op_memo_load_reg)
        reads(u, i->rm);
    u->mode = r->operands == op_memo_load_reg ? A64_INDEX_MEMO : A64_OFFSET;
    u->bytes = i->size;
}

static void use_memory(struct a64_uses *u, const struct a64_inst *i, const struct a64_row *r)
{
    u->is_store = r->class == A64_STORE;
    if (r->operands == op_system) { /* dc zva */
        u->mode = A64_LINE;
        u->bytes = 64;
        reads(u, i->rn);
    } else if (r->operands == op_memo_load || r->operands == op_memo_load_reg) {
        use_memo_load(u, i, r);
    } else if (r->operands == op_mem_exclusive) {
        use_exclusive(u, i, r);
    } else if (bits(i->word, 31, 31) == 0 && bits(i->word, 29, 25) == 6) {
        use_structure(u, i, r);
    } else if (r->operands != op_none) {
        use_plain(u, i, r);
    }
}

/* Narrowing into the upper half keeps the lower. */
static bool keeps_half(const struct a64_inst *i, const struct a64_row *r)
{
    static const char *const narrow[] = {"v_*hn",     "v_*xtn",    "v_*xtun",   "v_fcvtn_*",
                                         "v_fcvtxn*", "v_*shrn_*", "v_*shrun_*"};
    for (size_t k = 0; k < ARRAY_LEN(narrow); k++)
        if (!fnmatch(narrow[k], r->name, 0))
            return bits(i->word, 30, 30);
    return false;
}

struct a64_uses a64_uses_of(const struct a64_inst *i)
{
    const struct a64_row *list;
    struct a64_uses u = {0};
    pthread_once(&once, fill_rows);
    a64_rows(&list);
    const struct a64_row *r = &list[i->row];
    if (r->class == A64_LOAD || r->class == A64_STORE) {
        use_memory(&u, i, r);
        return u;
    }
    uint32_t all = rows[i->row];
    if (r->class == A64_MEMO && bits(i->word, 22, 22)) /* the same fields, SIMD */
        all = (all & ~(uint32_t)0xffff) | (all & 0xffff) << 1;
    if (r->operands == op_simd_table)
        use_vectors(&u, i->rn, i->size, false);
    if (keeps_half(i, r))
        reads(&u, A64_V0 + i->rd);
    use_fields(&u, i, all);
    return u;
}

uint64_t a64_address(const struct a64_cpu *c, const struct a64_inst *i, enum a64_mode mode)
{
    const uint64_t base = c->x[i->rn], index = c->x[i->rm];
    switch (mode) {
    case A64_OFFSET:
        return image_untag(base + i->imm);
    case A64_INDEX:
        return image_untag(base + ((i->size & 1   ? index
                                    : i->size & 4 ? (uint64_t)(int32_t)index
                                                  : (uint32_t)index)
                                   << i->shift));
    case A64_INDEX_MEMO:
        return image_untag(base + (index << i->imm));
    case A64_LINE:
        return image_untag(base) & ~UINT64_C(63);
    default:
        return image_untag(base);
    }
}
