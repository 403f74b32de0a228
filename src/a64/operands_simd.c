/* Operands of SIMD instructions: `size` is the logarithm of an element's bytes, `shift` how many
 * bytes of the register are used. */
#include "a64/operands.h"

#include "a64/fp.h"

static void take_vectors(struct a64_inst *i, uint32_t w)
{
    i->rd = (uint8_t)bits(w, 4, 0);
    i->rn = (uint8_t)bits(w, 9, 5);
    i->rm = (uint8_t)bits(w, 20, 16);
    i->shift = bits(w, 30, 30) ? 16 : 8;
    i->size = (uint8_t)bits(w, 23, 22);
}

/* Elements of 64 bits need the whole register. */
bool op_simd_to_d(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    take_vectors(i, w);
    return i->size < 3 || i->shift == 16;
}

bool op_simd_to_s(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    take_vectors(i, w);
    return i->size < 3;
}

bool op_simd_to_h(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    take_vectors(i, w);
    return i->size < 2;
}

bool op_simd_bytes(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    take_vectors(i, w);
    i->size = 0;
    return true;
}

/* One element of 64 bits. */
bool op_simd_scalar(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    take_vectors(i, w);
    i->size = 3;
    i->shift = 8;
    return true;
}

/* Twice as wide on one side; imm: where the narrow elements begin, 0 or 8. */
bool op_simd_halves(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    take_vectors(i, w);
    i->imm = bits(w, 30, 30) ? 8 : 0;
    return i->size < 3;
}

/* Elements of 16 and 32 bits, as products that saturate have them. */
static bool is_hs(const struct a64_inst *i)
{
    return i->size == 1 || i->size == 2;
}

bool op_simd_hs(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    op_simd_to_d(i, w, pc);
    return is_hs(i);
}

bool op_simd_halves_hs(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    op_simd_halves(i, w, pc);
    return is_hs(i);
}

/* One element; where the other side is twice as wide, a `shift` below 8 says that it is one. */
bool op_simd_one(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    take_vectors(i, w);
    i->shift = (uint8_t)(1u << i->size);
    return true;
}

bool op_simd_one_hs(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    op_simd_one(i, w, pc);
    return is_hs(i);
}

bool op_simd_one_half(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    op_simd_one(i, w, pc);
    i->imm = 0;
    return i->size < 3;
}

bool op_simd_one_half_hs(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    op_simd_one_half(i, w, pc);
    return is_hs(i);
}

bool op_simd_whole(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    op_simd_halves(i, w, pc);
    return true;
}

bool op_simd_across(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    take_vectors(i, w);
    return i->size < 2 || (i->size == 2 && i->shift == 16);
}

/* --- floats: bit 22 is double precision --- */

bool op_simd_float(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    take_vectors(i, w);
    i->size = (uint8_t)(2 + bits(w, 22, 22));
    return true;
}

bool op_simd_float_one(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    op_simd_float(i, w, pc);
    i->shift = (uint8_t)(1u << i->size);
    return true;
}

bool op_simd_float_two(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    op_simd_float(i, w, pc);
    i->shift = (uint8_t)(2u << i->size);
    return true;
}

/* --- copies: the lowest one of imm5 is the size, what is above it the index (ra) --- */

static bool take_element(struct a64_inst *i, uint32_t w)
{
    const unsigned imm5 = bits(w, 20, 16);
    take_vectors(i, w);
    if (!(imm5 & 15))
        return false;
    i->size = (uint8_t)__builtin_ctz(imm5);
    i->ra = (uint8_t)(imm5 >> (i->size + 1));
    i->imm = bits(w, 14, 11) >> i->size; /* of ins: the element that is read */
    return true;
}

bool op_simd_copy(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    return take_element(i, w) && (i->size < 3 || i->shift == 16);
}

bool op_simd_copy_one(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    const bool is_ok = take_element(i, w);
    i->shift = (uint8_t)(1u << i->size);
    return is_ok;
}

bool op_simd_umov(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    const bool is_ok = take_element(i, w);
    i->rd = to_or_nowhere(bits(w, 4, 0));
    return is_ok && (i->size == 3) == bits(w, 30, 30);
}

bool op_simd_smov(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    const bool is_ok = take_element(i, w);
    i->rd = to_or_nowhere(bits(w, 4, 0));
    return is_ok && i->size < 2 + bits(w, 30, 30);
}

bool op_simd_ext(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    take_vectors(i, w);
    i->imm = bits(w, 14, 11);
    return i->imm < i->shift;
}

/* `size`: how many registers the table has. */
bool op_simd_table(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    take_vectors(i, w);
    i->size = (uint8_t)(bits(w, 14, 13) + 1);
    return true;
}

/* --- immediates: both halves of the register become imm --- */

static uint64_t repeat(uint64_t v, unsigned width)
{
    for (; width < 64; width *= 2)
        v |= v << width;
    return v;
}

static uint64_t spread(unsigned imm8)
{
    uint64_t v = 0;
    for (unsigned k = 0; k < 8; k++)
        v |= imm8 >> k & 1 ? UINT64_C(0xff) << 8 * k : 0;
    return v;
}

static uint64_t modified(unsigned op, unsigned cmode, unsigned imm8)
{
    if (cmode < 8)
        return repeat((uint64_t)imm8 << 8 * (cmode >> 1), 32);
    if (cmode < 12)
        return repeat((uint64_t)imm8 << 8 * (cmode >> 1 & 1), 16);
    if (cmode < 14) {
        const unsigned up = cmode & 1 ? 16 : 8;
        return repeat((uint64_t)imm8 << up | ((UINT64_C(1) << up) - 1), 32);
    }
    if (cmode == 14)
        return op ? spread(imm8) : repeat(imm8, 8);
    return op ? fp_immediate(FP64, imm8) : repeat(fp_immediate(FP32, imm8), 32);
}

bool op_simd_imm(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    const unsigned op = bits(w, 29, 29), cmode = bits(w, 15, 12);
    take_vectors(i, w);
    const bool is_move = !(cmode & 1) || cmode >= 12;
    i->imm = modified(op, cmode, bits(w, 18, 16) << 5 | bits(w, 9, 5));
    if (op && is_move && cmode < 14)
        i->imm = ~i->imm;
    return true;
}

/* --- shifts: imm is how far, to the left if the opcode is one of these --- */

static void take_shift(struct a64_inst *i, uint32_t w)
{
    const unsigned immh = bits(w, 22, 19), both = bits(w, 22, 16), opcode = bits(w, 15, 11);
    take_vectors(i, w);
    i->size = (uint8_t)(31 - __builtin_clz(immh));
    const unsigned width = 8u << i->size;
    const bool is_left = opcode == 10 || opcode == 12 || opcode == 14 || opcode == 20;
    i->imm = is_left ? both - width : 2 * width - both;
}

bool op_simd_shift(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    take_shift(i, w);
    return true;
}

bool op_simd_shift_one(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    take_shift(i, w);
    i->shift = 8;
    return true;
}

/* rm: where the narrow elements begin. */
bool op_simd_shift_halves(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    take_shift(i, w);
    i->rm = bits(w, 30, 30) ? 8 : 0;
    return true;
}

bool op_simd_shift_half_one(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    op_simd_shift_halves(i, w, pc);
    i->rm = 0;
    i->shift = (uint8_t)(1u << i->size);
    return true;
}

bool op_simd_fixed(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    return op_simd_shift(i, w, pc);
}

bool op_simd_fixed_one(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    take_shift(i, w);
    (void)pc;
    i->shift = (uint8_t)(1u << i->size);
    return true;
}

/* --- products with element `ra` of rm --- */

bool op_simd_element(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    const unsigned h = bits(w, 11, 11), l = bits(w, 21, 21), m = bits(w, 20, 20);
    take_vectors(i, w);
    i->ra = (uint8_t)(i->size == 1 ? h << 2 | l << 1 | m : h << 1 | l);
    if (i->size == 1)
        i->rm &= 15;
    return true;
}

bool op_simd_element_halves(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    op_simd_element(i, w, pc);
    i->imm = bits(w, 30, 30) ? 8 : 0;
    return true;
}

bool op_simd_element_half_one(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    op_simd_element(i, w, pc);
    i->imm = 0;
    i->shift = (uint8_t)(1u << i->size);
    return true;
}

bool op_simd_element_f(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    op_simd_element(i, w, pc);
    if (i->size == 3)
        i->ra = (uint8_t)bits(w, 11, 11);
    return true;
}

bool op_simd_element_one(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    op_simd_element_f(i, w, pc);
    i->shift = (uint8_t)(1u << i->size);
    return true;
}

/* --- structures: `ra` registers; imm: how far the base moves, or rm says (A64_ZERO: not at all)
 * --- */

static void take_base(struct a64_inst *i, uint32_t w, bool is_post, unsigned bytes)
{
    const unsigned m = bits(w, 20, 16);
    i->rn = or_sp(bits(w, 9, 5));
    i->rm = !is_post || m == 31 ? A64_ZERO : (uint8_t)m;
    i->imm = is_post && m == 31 ? bytes : 0;
}

static bool take_list(struct a64_inst *i, uint32_t w, bool is_post)
{
    static const uint8_t registers[16] = {4, 0, 4, 0, 3, 0, 3, 1, 2, 0, 2};
    const unsigned opcode = bits(w, 15, 12);
    const bool is_plain = opcode & 2; /* ld1: elements are not dealt to the registers in turn */
    take_vectors(i, w);
    i->ra = registers[opcode];
    i->size = (uint8_t)(bits(w, 11, 10) | (is_plain ? 4 : 0));
    take_base(i, w, is_post, i->ra * i->shift);
    return is_plain || (i->size & 3) < 3 || i->shift == 16;
}

bool op_mem_list(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    return take_list(i, w, false);
}

bool op_mem_list_post(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    return take_list(i, w, true);
}

/* `shift` is the element. */
static bool take_lane(struct a64_inst *i, uint32_t w, bool is_post)
{
    const unsigned opcode = bits(w, 15, 13), size = bits(w, 11, 10);
    const unsigned index = bits(w, 30, 30) << 3 | bits(w, 12, 12) << 2 | size;
    take_vectors(i, w);
    i->ra = (uint8_t)(1 + 2 * (opcode & 1) + bits(w, 21, 21));
    const unsigned log = opcode >> 1 == 2 ? 2 + (size & 1) : opcode >> 1;
    i->size = (uint8_t)log;
    i->shift = (uint8_t)(index >> log);
    take_base(i, w, is_post, i->ra << log);
    if (log == 1)
        return !(size & 1);
    return log < 2 || (log == 2 ? !size : size == 1 && !bits(w, 12, 12));
}

bool op_mem_lane(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    return take_lane(i, w, false);
}

bool op_mem_lane_post(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    return take_lane(i, w, true);
}

static bool take_replicate(struct a64_inst *i, uint32_t w, bool is_post)
{
    take_vectors(i, w);
    i->ra = (uint8_t)(1 + 2 * bits(w, 13, 13) + bits(w, 21, 21));
    i->size = (uint8_t)bits(w, 11, 10);
    take_base(i, w, is_post, i->ra << i->size);
    return true;
}

bool op_mem_replicate(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    return take_replicate(i, w, false);
}

bool op_mem_replicate_post(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    return take_replicate(i, w, true);
}
