/* Arithmetic forms from templates of mnemonics, and operands that lie on edges. */
#include "exec/support_forms.h"

#include "exec/support_scalar_ref.h"

#include <stdio.h>
#include <string.h>

/* "add.{u16|s16}:d dd": alternatives in braces (one may be empty); then the widths of destination
 * and sources: p predicate, 2 4 8 bytes, d = of the first type, t = of the last type, w = twice the
 * first. A destination "pp" is p|q. */
static const char *const templates[] = {
    "{add|sub|min|max}.{u16|s16|u32|s32|u64|s64|u16x2|s16x2}:d dd",
    "{add|sub}.sat.s32:d dd",
    "{min|max}.relu.{s32|s16x2}:d dd",
    "{add.cc|addc|addc.cc|sub.cc|subc|subc.cc}.{u32|s32|u64|s64}:d dd",
    "{mad|madc}.{lo|hi}.cc.{u32|s32|u64|s64}:d ddd",
    "madc.{lo|hi}.{u32|s32|u64|s64}:d ddd",
    "{neg|abs}.{s16|s32|s64}:d d",
    "sad.{u16|s16|u32|s32|u64|s64}:d ddd",
    "{mul.lo|mul.hi|div|rem}.{u16|s16|u32|s32|u64|s64}:d dd",
    "{div|rem}.{u16|s16|u32|s32|u64|s64}:d dd",
    "{div|rem}.{u32|s32}:d dd",
    "mad.{lo|hi}.{u16|s16|u32|s32|u64|s64}:d ddd",
    "mad.hi.sat.s32:d ddd",
    "mul.wide.{u16|s16|u32|s32}:w dd",
    "mad.wide.{u16|s16|u32|s32}:w ddw",
    "mul24.{lo|hi}.{u32|s32}:d dd",
    "mad24.{lo|hi}.{u32|s32}:d ddd",
    "mad24.hi.sat.s32:d ddd",
    "dp4a.{u32|s32}.{u32|s32}:4 444",
    "dp2a.{lo|hi}.{u32|s32}.{u32|s32}:4 444",
    "mov.{b16|u32|s32|f32|b64|f64}:d d",
    "mov.pred:p p",
    "selp.{b16|u16|u32|f32|b64|f64}:d ddp",
    "slct.{b16|u32|f32|b64}.s32:d dd4",
    "slct{.ftz|}.{b16|u32|f32|b64}.f32:d dd4",
    "{and|or|xor}.{b16|b32|b64}:d dd",
    "{and|or|xor}.pred:p pp",
    "not.pred:p p",
    "{not|cnot}.{b16|b32|b64}:d d",
    "shl.{b16|b32|b64}:d d4",
    "shr.{b16|u16|s16|b32|u32|s32|b64|u64|s64}:d d4",
    "shf.{l|r}.{clamp|wrap}.b32:4 444",
    "lop3.b32:4 444",
    "lop3.{and|or|xor}.b32:4p 444p",
    "prmt.b32{.f4e|.b4e|.rc8|.ecl|.ecr|.rc16|}:4 444",
    "prmt.b32:4 444",
    "bfe.{u32|s32|u64|s64}:d d44",
    "bfi.{b32|b64}:d dd44",
    "bfind{.shiftamt|}.{u32|s32|u64|s64}:4 d",
    "{popc|clz}.{b32|b64}:4 d",
    "brev.{b32|b64}:d d",
    "bmsk.{clamp|wrap}.b32:4 44",
    "szext.{clamp|wrap}.{u32|s32}:4 44",
    "fns.b32:4 444",
    "setp.{eq|ne|lt|le|gt|ge}{.and|.or|.xor}.{u16|s16|b32|u32|s32|b64|u64|s64}:pp ddp",
    "setp.{lo|ls|hi|hs|eq|lt}.{u16|u32|u64}:p dd",
    "setp.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}{.ftz|}.{f32|f16}:p dd",
    "setp.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}.{f64|bf16}:pp dd",
    "setp.{eq|ne|lt|gt|geu|num}{.and|.or|.xor}{.ftz|}.{f16x2|bf16x2}:pp ddp",
    "set.{eq|ne|lt|le|gt|ge}{.and|.xor}.{u32|s32|f32}.{u16|s32|u64|s64}:d ttp",
    "set.{eq|ne|lt|geu|nan}.{u32|s32|f32}.{f32|f64}:d tt",
    "set.{eq|ne|lt|geu|nan}.{f16|u16|u32}.f16:d tt",
    "set.{eq|ne|lt|geu|nan}{.ftz|}.f16x2.f16x2:d tt",
    "set.{eq|ne|lt|geu|nan}.bf16x2.bf16x2:d tt",
    "testp.{finite|infinite|number|notanumber|normal|subnormal}.{f32|f64}:p d",
    "{add|sub|mul}{.rn|.rz|.rm|.rp|}{.ftz|}{.sat|}.f32:d dd",
    "fma{.rn|.rz|.rm|.rp}{.ftz|}{.sat|}.f32:d ddd",
    "{add|sub|mul}{.rn|.rz|.rm|.rp}{.ftz|}.f32x2:d dd",
    "fma{.rn|.rz|.rm|.rp}{.ftz|}.f32x2:d ddd",
    "{add|sub}{.rn|.rz|.rm|.rp}{.sat|}.f32.{f16|bf16}:d t4",
    "fma{.rn|.rz|.rm|.rp}{.sat|}.f32.{f16|bf16}:d tt4",
    "{add|sub|mul|div}{.rn|.rz|.rm|.rp}.f64:d dd",
    "fma{.rn|.rz|.rm|.rp}.f64:d ddd",
    "{rcp|sqrt}{.rn|.rz|.rm|.rp}.f64:d d",
    "div{.rn|.rz|.rm|.rp}{.ftz|}.f32:d dd",
    "{rcp|sqrt}{.rn|.rz|.rm|.rp}{.ftz|}.f32:d d",
    "{min|max}{.ftz|}{.NaN|}{.xorsign.abs|}.f32:d dd",
    "{min|max}{.ftz|}{.NaN|}{.xorsign.abs|}.f32:d ddd",
    "{min|max}.f64:d dd",
    "{abs|neg}{.ftz|}.f32:d d",
    "{abs|neg}.f64:d d",
    "copysign.{f32|f64}:d dd",
    "{add|sub|mul}{.ftz|}{.sat|}.{f16|f16x2}:d dd",
    "{add|sub|mul}.rn.{bf16|bf16x2}:d dd",
    "fma.rn{.ftz|}{.sat|.relu|}.{f16|f16x2}:d ddd",
    "fma.rn{.relu|}.{bf16|bf16x2}:d ddd",
    "{min|max}{.ftz|}{.NaN|}{.xorsign.abs|}.{f16|f16x2}:d dd",
    "{min|max}{.NaN|}{.xorsign.abs|}.{bf16|bf16x2}:d dd",
    "{abs|neg}{.ftz|}.{f16|f16x2}:d d",
    "{abs|neg}.{bf16|bf16x2}:d d",
    "{ex2|lg2|sin|cos|rcp|rsqrt|sqrt}.approx{.ftz|}.f32:d d",
    "tanh.approx.{f32|f16|f16x2|bf16|bf16x2}:d d",
    "ex2.approx.{f16|f16x2}:d d",
    "ex2.approx.ftz.{bf16|bf16x2}:d d",
    "div.{approx|full}{.ftz|}.f32:d dd",
    "{rcp.approx.ftz|rsqrt.approx.ftz|rsqrt.approx}.f64:d d",
    "cvt{.sat|}.{u8|s8|u16|s16|u32|s32|u64|s64}.{u8|s8|u16|s16|u32|s32|u64|s64}:d t",
    "cvt{.rn|.rz|.rm|.rp}{.sat|}.{f16|bf16|f32|f64}.{u8|s8|u16|s16|u32|s32|u64|s64}:d t",
    "cvt{.rni|.rzi|.rmi|.rpi}{.ftz|}{.sat|}.{u8|s8|u16|s16|u32|s32|u64|s64}.f32:d t",
    "cvt{.rni|.rzi|.rmi|.rpi}.{u8|s8|u16|s16|u32|s32|u64|s64}.{f16|bf16|f64}:d t",
    "cvt{.rni|.rzi|.rmi|.rpi}{.ftz|}{.sat|}.f32.f32:d t",
    "cvt{.rni|.rzi|.rmi|.rpi}.{f16.f16|f64.f64}:d t",
    "cvt{.rn|.rz|.rm|.rp}{.ftz|}{.sat|}.f32.f64:d t",
    "cvt{.rn|.rz|.rm|.rp}.{f16.f32|f16.f64|bf16.f32}:d t",
    "cvt.{rn|rz}{.relu|}{.satfinite|}.{f16|bf16}.f32:d t",
    "cvt.{rn|rz}{.relu|}{.satfinite|}.{f16x2|bf16x2}.f32:d tt",
    "cvt{.ftz|}{.sat|}.{f64|f32}.f32:d t",
    "cvt.{f32|f64}.{f16|bf16}:d t",
    "cvt.rna.tf32.f32:d t",
    "cvt.{rn|rz}{.relu|}{.satfinite|}.tf32.f32:d t",
    "cvt.rn.satfinite{.relu|}.{e4m3x2|e5m2x2}.f32:d tt",
    "cvt.rn.satfinite{.relu|}.{e4m3x2|e5m2x2}.f16x2:d t",
    "cvt.rn{.relu|}.f16x2.{e4m3x2|e5m2x2}:d t",
    "{vadd|vsub|vabsdiff|vmin|vmax}.{u32|s32}.{u32|s32}.{u32|s32}{.sat|}{.add|.min|.max|}:4 444",
    "{vshl|vshr}.{u32|s32}.{u32|s32}.u32{.sat|}.{clamp|wrap}{.add|.min|.max|}:4 444",
    "vset.{u32|s32}.{u32|s32}.{eq|ne|lt|le|gt|ge}{.add|.min|.max|}:4 444",
    "vmad.{u32|s32}.{u32|s32}.{u32|s32}{.po|}{.sat|}{.shr7|.shr15|}:4 444",
    "{vadd|vsub|vabsdiff|vavrg|vmin|vmax}{2|4}.{u32|s32}.{u32|s32}.{u32|s32}{.sat|}{.add|}:4 444",
    "vset{2|4}.{u32|s32}.{u32|s32}.{eq|ne|lt|le|gt|ge}{.add|}:4 444",
};

uint64_t form_random_below(struct form_source *s, uint64_t n)
{
    struct form_random *r = (struct form_random *)s;
    uint64_t z = r->state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (z ^ z >> 31) % n;
}

unsigned forms_count(void)
{
    return ARRAY_LEN(templates);
}

/* Copies the template to `out`, one alternative of each brace. Returns where the widths begin. */
static const char *expand(const char *t, struct form_source *s, char *out)
{
    while (*t != ':') {
        if (*t != '{') {
            *out++ = *t++;
            continue;
        }
        unsigned n = 1;
        const char *end = ++t;
        for (; *end != '}'; end++)
            n += *end == '|';
        for (uint64_t k = s->below(s, n); k; k--)
            t = strchr(t, '|') + 1;
        while (*t != '|' && *t != '}')
            *out++ = *t++;
        t = end + 1;
    }
    *out = 0;
    return t + 1;
}

static unsigned width(char c, const struct ptx_inst *i)
{
    switch (c) {
    case 'p':
        return 0;
    case 'd':
        return lanes_type_bytes((enum ptx_type)i->types[0]);
    case 'w':
        return 2 * lanes_type_bytes((enum ptx_type)i->types[0]);
    case 't':
        return lanes_type_bytes((enum ptx_type)i->types[i->ntypes - 1]);
    default:
        return (unsigned)(c - '0');
    }
}

/* Video operands may name a part of a word and, for vmad, be negated. */
static void decorate(struct lane_form *f, struct form_source *s)
{
    static const uint8_t parts[] = {0,        0,        0,        PTX_M_B0, PTX_M_B1,
                                    PTX_M_B2, PTX_M_B3, PTX_M_H0, PTX_M_H1};
    const bool is_video = f->inst.op >= PTX_OP_VABSDIFF && f->inst.op <= PTX_OP_VSUB4;
    const size_t len = strcspn(f->text, ".");
    const char last = f->text[len - 1];
    if (f->inst.op == PTX_OP_LOP3)
        f->ops[4] = (struct ptx_operand){.kind = PTX_OPND_IMM, .imm = (int64_t)s->below(s, 256)};
    if (!is_video || last == '2' || last == '4')
        return;
    for (unsigned k = 1; k < 3; k++)
        f->ops[k].selector = parts[s->below(s, ARRAY_LEN(parts))];
    if (f->inst.op == PTX_OP_VMAD) {
        if (!ptx_inst_has(&f->inst, PTX_M_PO))
            f->ops[1 + s->below(s, 3)].neg = s->below(s, 2);
    } else if (!ptx_inst_mod_in(&f->inst, PTX_M_ADD, PTX_M_MAX)) {
        f->ops[0].selector = parts[s->below(s, ARRAY_LEN(parts))];
    }
}

void form_make(struct lane_form *f, unsigned index, struct form_source *s)
{
    memset(f, 0, sizeof *f);
    const char *w = expand(templates[index % ARRAY_LEN(templates)], s, f->text);
    if (!lanes_parse_op(f->text, strlen(f->text), &f->inst))
        panic("no such form: %s", f->text);
    f->inst.ops = f->ops;
    f->d = width(*w++, &f->inst);
    f->d2 = *w == ' ' ? 0xff : width(*w++, &f->inst);
    unsigned n = 0;
    for (w++; *w; w++)
        f->src[n++] = width(*w, &f->inst);
    f->inst.nops = (uint8_t)(n + 1);
    if (f->inst.op == PTX_OP_LOP3)
        f->inst.nops++;
    for (; n < 4; n++)
        f->src[n] = 0xff;
    decorate(f, s);
}

static const uint64_t specials[] = {
    0,
    1,
    2,
    3,
    7,
    8,
    15,
    16,
    31,
    32,
    33,
    63,
    64,
    0x7f,
    0x80,
    0xff,
    0x100,
    0x3ff,
    0x400,
    0x7bff,
    0x7c00,
    0x7c01,
    0x7e00,
    0x7fff,
    0x8000,
    0x8001,
    0xfbff,
    0xfc00,
    0xffff,
    0x7f80,
    0x7f81,
    0x3c00,
    0x3f80,
    0x10000,
    0x7fffff,
    0x800000,
    0x800001,
    0x3f800000,
    0xbf800000,
    0x3f000000,
    0x4b000000,
    0x4b800000,
    0x4f000000,
    0x4effffff,
    0xcf000000,
    0x4f800000,
    0x5f000000,
    0x7f7fffff,
    0x7f800000,
    0x7f800001,
    0x7fc00000,
    0xff800000,
    0xffc00000,
    0x80000000,
    0x80000001,
    0x807fffff,
    0x80800000,
    0x7fffffff,
    0xffffffff,
    0x38800000,
    0x477fe000,
    0x477ff000,
    0x33800000,
    0x34000000,
    0x0c000000,
    0x100000000,
    0xfffffffff,
    0x1fffffffffffff,
    0x20000000000001,
    0x7fefffffffffffff,
    0x7ff0000000000000,
    0x7ff0000000000001,
    0x7ff8000000000000,
    0x3ff0000000000000,
    0xbff0000000000000,
    0x43e0000000000000,
    0x43f0000000000000,
    0xc3e0000000000000,
    0x41dfffffffc00000,
    0x41efffffffe00000,
    0x41e0000000000000,
    0x000fffffffffffff,
    0x0010000000000000,
    0x36a0000000000000,
    0x380fffffffffffff,
    0x47efffffe0000000,
    0x47effffff0000000,
    0x8000000000000000,
    0x8000000000000001,
    0x7fffffffffffffff,
    0xffffffffffffffff,
    0xfff0000000000000,
    0x7fff7fff80008000,
    0x3c003c00bc00bc00,
};

uint64_t form_operand(struct form_source *s, unsigned bytes)
{
    const uint64_t how = s->below(s, 8);
    uint64_t v = specials[s->below(s, ARRAY_LEN(specials))];
    if (bytes == 0)
        return how & 1;
    if (how < 3)
        return v;
    if (how == 3) /* near a special value */
        return v + s->below(s, 9) - 4;
    if (how == 4) /* few bits */
        return s->below(s, 1 << 10) << s->below(s, 8 * bytes);
    if (how == 5 && bytes == 4) /* a float of ordinary size */
        return 0x3e000000 + s->below(s, 0x04000000) + (s->below(s, 2) << 31);
    if (how == 5 && bytes == 8)
        return UINT64_C(0x3fc0000000000000) + s->below(s, UINT64_C(1) << 58) +
               (s->below(s, 2) << 63);
    v = s->below(s, UINT64_MAX);
    return how == 6 ? v : v ^ s->below(s, UINT64_MAX) << 7;
}

static uint64_t clip(uint64_t v, unsigned bytes)
{
    return bytes == 0 ? v & 1 : bytes < 8 ? v & ((UINT64_C(1) << (8 * bytes)) - 1) : v;
}

static bool agree(const struct lane_form *f, uint64_t want, uint64_t got)
{
    want = clip(want, f->d);
    return want == got || (scalar_ref_is_approx(&f->inst) && scalar_ref_close(&f->inst, want, got));
}

static void complain(const struct lane_form *f, const struct lanes_bench *b, unsigned l,
                     uint64_t want, uint64_t got, const char *what)
{
    fprintf(stderr, "%s, lane %u:", f->text, l);
    for (unsigned k = 0; k < 4; k++)
        if (f->src[k] != 0xff)
            fprintf(stderr, " %llx",
                    (unsigned long long)lanes_bench_get(b, BENCH_SRC + k, f->src[k], l));
    for (unsigned k = 0; k < 5; k++)
        if (f->ops[k].selector || f->ops[k].neg || f->ops[k].imm)
            fprintf(stderr, " [operand %u: part %u, neg %d, imm %lld]", k, f->ops[k].selector,
                    f->ops[k].neg, (long long)f->ops[k].imm);
    fprintf(stderr, ": %s is %llx, the reference says %llx\n", what, (unsigned long long)got,
            (unsigned long long)want);
}

static bool check_lane(const struct lane_form *f, const struct lanes_bench *in,
                       const struct lanes_bench *out, unsigned l, bool active)
{
    const bool cc = lanes_bench_get(in, BENCH_CC, 0, l);
    uint64_t src[4] = {0}, want[2];
    bool want_cc = cc;
    for (unsigned k = 0; k < 4; k++)
        if (f->src[k] != 0xff)
            src[k] = lanes_bench_get(in, BENCH_SRC + k, f->src[k], l);
    if (!active) {
        want[0] = lanes_bench_get(in, BENCH_D, f->d, l);
        want[1] = f->d2 == 0xff ? 0 : lanes_bench_get(in, BENCH_D2, f->d2, l);
    } else if (!scalar_ref(&f->inst, src, cc, want, &want_cc)) {
        complain(f, in, l, 0, 0, "nothing");
        return false;
    }
    const uint64_t got = lanes_bench_get(out, BENCH_D, f->d, l);
    if (active ? !agree(f, want[0], got) : want[0] != got) {
        complain(f, in, l, clip(want[0], f->d), got, "the result");
        return false;
    }
    if (f->d2 != 0xff && lanes_bench_get(out, BENCH_D2, f->d2, l) != clip(want[1], f->d2)) {
        complain(f, in, l, want[1], lanes_bench_get(out, BENCH_D2, f->d2, l), "q");
        return false;
    }
    if (lanes_bench_get(out, BENCH_CC, 0, l) != want_cc) {
        complain(f, in, l, want_cc, !want_cc, "the carry");
        return false;
    }
    return true;
}

bool form_check(const struct lane_form *f, struct form_source *s)
{
    struct lanes_bench in, out, first;
    const uint32_t mask = s->below(s, 2) ? UINT32_MAX : (uint32_t)s->below(s, UINT64_C(1) << 32);
    lanes_bench_init(&in, f->d, f->d2, f->src);
    memset(in.regs[BENCH_D], 0xa5, sizeof in.regs[0]);
    memset(in.regs[BENCH_D2], 0x5a, sizeof in.regs[0]);
    for (unsigned k = 0; k < 4; k++)
        for (unsigned l = 0; f->src[k] != 0xff && l < WARP_LANES; l++)
            lanes_bench_put(&in, BENCH_SRC + k, f->src[k], l, form_operand(s, f->src[k]));
    for (unsigned l = 0; l < WARP_LANES; l++)
        lanes_bench_put(&in, BENCH_CC, 0, l, s->below(s, 2));
    for (enum cpu_level level = CPU_base; level <= cpu_level(); level++) {
        const char *why;
        out = in;
        if (!lanes_select_at(level, &f->inst, &out.op, &why)) {
            fprintf(stderr, "%s: %s\n", f->text, why);
            return false;
        }
        lanes_bench_run(&out, mask);
        if (level == CPU_base)
            first = out;
        if (memcmp(out.regs, first.regs, sizeof out.regs) != 0) {
            fprintf(stderr, "%s: %s differs from %s\n", f->text, cpu_level_name(level),
                    cpu_level_name(CPU_base));
            for (unsigned l = 0; l < WARP_LANES; l++)
                if (lanes_bench_get(&out, BENCH_D, f->d, l) !=
                    lanes_bench_get(&first, BENCH_D, f->d, l))
                    complain(f, &in, l, lanes_bench_get(&first, BENCH_D, f->d, l),
                             lanes_bench_get(&out, BENCH_D, f->d, l), "this level");
            return false;
        }
    }
    for (unsigned l = 0; l < WARP_LANES; l++)
        if (!check_lane(f, &in, &first, l, mask >> l & 1))
            return false;
    return true;
}
