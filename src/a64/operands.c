/* Operands of integer instructions, branches and system instructions. */
#include "a64/operands.h"

static bool is_64(uint32_t w)
{
    return w >> 31;
}

/* --- immediates --- */

bool op_addsub_imm(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    const bool sets_flags = bits(w, 29, 29);
    i->imm = (uint64_t)bits(w, 21, 10) << (bits(w, 22, 22) ? 12 : 0);
    i->rn = or_sp(bits(w, 9, 5));
    i->rd = sets_flags ? to_or_nowhere(bits(w, 4, 0)) : or_sp(bits(w, 4, 0));
    return true;
}

static uint64_t rotate_right(uint64_t v, unsigned by, unsigned width)
{
    const uint64_t ones = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    return by ? (v >> by | v << (width - by)) & ones : v;
}

bool a64_bitmask(unsigned n, unsigned immr, unsigned imms, bool wide, uint64_t *value)
{
    const unsigned key = n << 6 | (~imms & 63);
    if (!key || (n && !wide))
        return false;
    const unsigned log = 31 - (unsigned)__builtin_clz(key);
    const unsigned width = 1u << log;
    const unsigned ones = imms & (width - 1), turn = immr & (width - 1);
    if (log == 0 || ones == width - 1)
        return false;
    uint64_t v = rotate_right((UINT64_C(2) << ones) - 1, turn, width);
    for (unsigned at = width; at < 64; at *= 2)
        v |= v << at;
    *value = wide ? v : v & UINT32_MAX;
    return true;
}

bool op_logical_imm(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    const bool sets_flags = bits(w, 30, 29) == 3;
    i->rn = (uint8_t)bits(w, 9, 5);
    i->rd = sets_flags ? to_or_nowhere(bits(w, 4, 0)) : or_sp(bits(w, 4, 0));
    return a64_bitmask(bits(w, 22, 22), bits(w, 21, 16), bits(w, 15, 10), is_64(w), &i->imm);
}

/* movz, movn: the value itself. */
bool op_move_wide(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    const unsigned shift = 16 * bits(w, 22, 21);
    const uint64_t v = (uint64_t)bits(w, 20, 5) << shift;
    const bool is_inverted = !bits(w, 30, 30);
    i->imm = is_inverted ? ~v : v;
    if (!is_64(w))
        i->imm &= UINT32_MAX;
    i->rd = to_or_nowhere(bits(w, 4, 0));
    return is_64(w) || shift < 32;
}

/* movk: `shift` is where the sixteen bits go. */
bool op_move_keep(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    i->shift = (uint8_t)(16 * bits(w, 22, 21));
    i->imm = (uint64_t)bits(w, 20, 5) << i->shift;
    i->rd = to_or_nowhere(bits(w, 4, 0));
    return is_64(w) || i->shift < 32;
}

/* Bitfields: left by `shift`, right by `size`; bfm keeps what is not in the mask `imm`. */
bool op_bitfield(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    const unsigned width = is_64(w) ? 64 : 32, r = bits(w, 21, 16), s = bits(w, 15, 10);
    if (bits(w, 22, 22) != is_64(w) || r >= width || s >= width)
        return false;
    take_registers(i, w);
    i->shift = (uint8_t)(width - 1 - s);
    i->size = (uint8_t)(s >= r ? width - 1 - s + r : r - s - 1);
    const uint64_t field =
        s >= r ? (UINT64_C(2) << (s - r)) - 1 : ((UINT64_C(2) << s) - 1) << (width - r);
    i->imm = is_64(w) ? field : field & UINT32_MAX;
    return true;
}

bool op_extract(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    take_registers(i, w);
    i->shift = (uint8_t)bits(w, 15, 10);
    return bits(w, 22, 22) == is_64(w) && (is_64(w) || i->shift < 32);
}

bool op_adr(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    const int64_t offset = signed_bits(w, 23, 5) * 4 + bits(w, 30, 29);
    i->rd = to_or_nowhere(bits(w, 4, 0));
    i->imm = is_64(w) ? (pc & ~UINT64_C(0xfff)) + (uint64_t)offset * 4096 : pc + (uint64_t)offset;
    return true;
}

/* --- registers --- */

bool op_regs(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    take_registers(i, w);
    return true;
}

bool op_shifted(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    take_registers(i, w);
    i->shift = (uint8_t)bits(w, 15, 10);
    return is_64(w) || i->shift < 32;
}

bool op_extended(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    const bool sets_flags = bits(w, 29, 29);
    take_registers(i, w);
    i->rn = or_sp(bits(w, 9, 5));
    if (!sets_flags)
        i->rd = or_sp(bits(w, 4, 0));
    i->size = (uint8_t)bits(w, 15, 13);
    i->shift = (uint8_t)bits(w, 12, 10);
    return i->shift <= 4;
}

/* For each condition the set of flags, as a bit of 16, that fulfil it. */
static uint16_t flags_of(unsigned cond)
{
    static const uint16_t even[] = {0xf0f0, 0xcccc, 0xff00, 0xaaaa, 0x0c0c, 0xaa55, 0x0a05, 0xffff};
    return cond & 1 && cond != 15 ? (uint16_t)~even[cond >> 1] : even[cond >> 1];
}

bool op_conditional(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    take_registers(i, w);
    i->imm = flags_of(bits(w, 15, 12));
    return true;
}

/* ccmp, ccmn: `shift` is the five bits of an immediate, `size` the flags otherwise. */
bool op_compare_if(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    op_conditional(i, w, pc);
    i->shift = (uint8_t)bits(w, 20, 16);
    i->size = (uint8_t)bits(w, 3, 0);
    return true;
}

/* --- branches --- */

static void aim(struct a64_inst *i, uint64_t pc, int64_t offset)
{
    i->imm = pc + (uint64_t)offset;
    i->hop = (i->imm ^ pc) & -(uint64_t)IMAGE_PAGE ? A64_FAR : (int32_t)(offset / 4);
}

bool op_branch(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    aim(i, pc, signed_bits(w, 25, 0) * 4);
    return true;
}

bool op_branch_if(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    aim(i, pc, signed_bits(w, 23, 5) * 4);
    i->flags = flags_of(bits(w, 3, 0));
    return true;
}

bool op_branch_zero(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    aim(i, pc, signed_bits(w, 23, 5) * 4);
    i->rn = (uint8_t)bits(w, 4, 0);
    return true;
}

bool op_branch_bit(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    aim(i, pc, signed_bits(w, 18, 5) * 4);
    i->rn = (uint8_t)bits(w, 4, 0);
    i->shift = (uint8_t)(bits(w, 31, 31) << 5 | bits(w, 23, 19));
    return true;
}

bool op_branch_reg(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    i->rn = (uint8_t)bits(w, 9, 5);
    return true;
}

/* --- system --- */

bool op_imm16(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    i->imm = bits(w, 20, 5);
    return true;
}

bool op_none(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)i, (void)w, (void)pc;
    return true;
}

/* A system register or a `sys` instruction: `rn` is the register that is read, `rd` that written.
 */
bool op_system(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    i->rn = (uint8_t)bits(w, 4, 0);
    i->rd = to_or_nowhere(bits(w, 4, 0));
    return true;
}
