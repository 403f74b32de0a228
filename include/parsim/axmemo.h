/* Marking a region for the memoization unit of parsim cpu, with any GCC or Clang for AArch64.
 *
 * A region computes outputs of 4 or 8 bytes from inputs alone and has no other effect. Send it its
 * inputs, ask, and compute only if nothing was found:
 *
 *     float x = ax_load_f32(0, 8, p, 0);      // p[0], and an input of table 0 without its 8 low
 * bits float y = ax_load_f32(0, 8, p, 1), r; if (!ax_lookup_f32(0, &r)) { r = costly(x, y);
 *         ax_update_f32(0, r);
 *     }
 *
 * Tables are 0 to 7, and constants, as are the bits to cut off (0 to 63) and the index of a load (0
 * to 31). All entries of a run have one size: memo.data_bytes 4 (f32, i32) or 8 (f64, i64, pairs).
 * On a core without the unit these are undefined instructions. docs/axmemo.md has more. */
#ifndef PARSIM_AXMEMO_H
#define PARSIM_AXMEMO_H

#if !defined(__aarch64__)
#error "parsim/axmemo.h: the memo instructions are those of an AArch64 core"
#endif

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Numbers of registers for .inst: an operand prints as x3, s5... (the assembler forgets nothing, so
 * naming them again is harmless). */
#define AX_NUMBERS                                                                                \
    ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30\n" \
    ".equ .Lax_x\\n,\\n\n.equ .Lax_w\\n,\\n\n.equ .Lax_s\\n,\\n\n.equ .Lax_d\\n,\\n\n.endr\n"     \
    ".equ .Lax_s31,31\n.equ .Lax_d31,31\n.equ .Lax_xzr,31\n.equ .Lax_wzr,31\n.equ .Lax_sp,31\n"

/* p[index] of a type, as a plain load, and an input of the table. */
#define AX_LOAD(type, code, modifier, constraint, table, cut, p, index)                           \
    __extension__({                                                                               \
        type ax_value_;                                                                           \
        const type *ax_at_ = (p);                                                                 \
        __asm__ volatile(AX_NUMBERS ".inst " code " | (((%c2) >> 3) << 29) | (((%c2) & 7) << 19)" \
                                    " | ((%c3) << 16) | ((%c4) << 10)"                            \
                                    " | (.Lax_%x1 << 5) | .Lax_%" modifier "0"                    \
                         : "=" constraint(ax_value_)                                              \
                         : "r"(ax_at_), "i"(index), "i"(table), "i"(cut), "m"(ax_at_[index]));    \
        ax_value_;                                                                                \
    })
#define ax_load_f32(table, cut, p, index) \
    AX_LOAD(float, "0x03400000", "s", "w", table, cut, p, index)
#define ax_load_f64(table, cut, p, index) \
    AX_LOAD(double, "0x03c00000", "d", "w", table, cut, p, index)
#define ax_load_i32(table, cut, p, index) \
    AX_LOAD(int32_t, "0x03000000", "w", "r", table, cut, p, index)
#define ax_load_i64(table, cut, p, index) \
    AX_LOAD(int64_t, "0x03800000", "x", "r", table, cut, p, index)
#define ax_load_u8(table, cut, p, index) \
    AX_LOAD(uint8_t, "0x02000000", "w", "r", table, cut, p, index)

/* A value that is in a register already as an input. */
#define AX_INPUT(type, code, modifier, constraint, table, cut, value)            \
    __asm__ volatile(AX_NUMBERS ".inst " code " | ((%c1) << 16) | ((%c2) << 10)" \
                                " | (.Lax_%" modifier "0 << 5) | 31"             \
                     :                                                           \
                     : constraint((type)(value)), "i"(table), "i"(cut))
#define ax_input_f32(table, cut, value) AX_INPUT(float, "0x83400000", "s", "w", table, cut, value)
#define ax_input_f64(table, cut, value) AX_INPUT(double, "0x83c00000", "d", "w", table, cut, value)
#define ax_input_i32(table, cut, value) AX_INPUT(int32_t, "0x83000000", "w", "r", table, cut, value)
#define ax_input_i64(table, cut, value) AX_INPUT(int64_t, "0x83800000", "x", "r", table, cut, value)

/* Whether the inputs since the last lookup of this table are known: then *out has the result. */
#define AX_LOOKUP(type, code, modifier, constraint, table, out)                            \
    __extension__({                                                                        \
        type ax_found_;                                                                    \
        int ax_is_hit_;                                                                    \
        __asm__ volatile(AX_NUMBERS ".inst " code " | ((%c2) << 16) | .Lax_%" modifier "0" \
                         : "=" constraint(ax_found_), "=@cceq"(ax_is_hit_)                 \
                         : "i"(table));                                                    \
        *(out) = ax_found_;                                                                \
        ax_is_hit_;                                                                        \
    })
#define ax_lookup_f32(table, out) AX_LOOKUP(float, "0xa34003e0", "s", "w", table, out)
#define ax_lookup_f64(table, out) AX_LOOKUP(double, "0xa3c003e0", "d", "w", table, out)
#define ax_lookup_i32(table, out) AX_LOOKUP(int32_t, "0xa30003e0", "w", "r", table, out)
#define ax_lookup_i64(table, out) AX_LOOKUP(int64_t, "0xa38003e0", "x", "r", table, out)

/* The result for the inputs of the lookup that found nothing. */
#define AX_UPDATE(type, code, modifier, constraint, table, kind, value)          \
    __asm__ volatile(AX_NUMBERS ".inst " code " | ((%c1) << 16) | ((%c2) << 10)" \
                                " | (.Lax_%" modifier "0 << 5)"                  \
                     :                                                           \
                     : constraint((type)(value)), "i"(table), "i"(kind))
#define ax_update_f32(table, value) AX_UPDATE(float, "0xc340001f", "s", "w", table, 0, value)
#define ax_update_f64(table, value) AX_UPDATE(double, "0xc3c0001f", "d", "w", table, 0, value)
#define ax_update_i32(table, value) AX_UPDATE(int32_t, "0xc300001f", "w", "r", table, 0, value)
#define ax_update_i64(table, value) AX_UPDATE(int64_t, "0xc380001f", "x", "r", table, 0, value)

/* Forgets all results of a table: what the region computes from has changed. */
#define ax_invalidate(table) \
    __asm__ volatile(".inst 0xe20003ff | ((%c0) << 16)" : : "i"(table) : "memory")

/* Begin and end of the part that is measured: a hint each, which does nothing elsewhere. */
#define ax_roi_begin() __asm__ volatile("hint #0x60" : : : "memory")
#define ax_roi_end()   __asm__ volatile("hint #0x61" : : : "memory")

/* --- two floats or four int16 as an entry of 8 bytes --- */

struct ax_floats {
    float a, b;
};
struct ax_shorts {
    int16_t at[4];
};

static inline int64_t ax_bits(const void *eight)
{
    int64_t bits;
    memcpy(&bits, eight, sizeof bits);
    return bits;
}

static inline struct ax_floats ax_floats_of(int64_t bits)
{
    struct ax_floats v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static inline struct ax_shorts ax_shorts_of(int64_t bits)
{
    struct ax_shorts v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

#define ax_update_floats(table, bits) AX_UPDATE(int64_t, "0xc380001f", "x", "r", table, 1, bits)
#define ax_update_shorts(table, bits) AX_UPDATE(int64_t, "0xc380001f", "x", "r", table, 2, bits)

#endif
