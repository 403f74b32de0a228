/* Branches, and what is between a program and its machine: exceptions, system registers, caches. */
#include "a64/exec_int.h"

#include <string.h>

/* --- branches --- */

static inline const struct a64_inst *jump(struct a64_cpu *c, const struct a64_inst *i)
{
    return LIKELY(i->hop != A64_FAR) ? i + i->hop : go_to(c, i->imm);
}

#define BRANCH_IF(name, condition)               \
    EXEC(name)                                   \
    {                                            \
        return (condition) ? jump(c, i) : i + 1; \
    }
BRANCH_IF(b, true)
BRANCH_IF(b_cond, holds(c, i->flags))
BRANCH_IF(cbz32, !(uint32_t)RN)
BRANCH_IF(cbz64, !RN)
BRANCH_IF(cbnz32, (uint32_t)RN)
BRANCH_IF(cbnz64, RN)
BRANCH_IF(tbz, !(RN >> i->shift & 1))
BRANCH_IF(tbnz, RN >> i->shift & 1)

EXEC(bl)
{
    c->x[30] = a64_pc(c, i) + 4;
    return jump(c, i);
}

EXEC(br)
{
    return go_to(c, RN);
}

EXEC(blr)
{
    const uint64_t target = RN;
    c->x[30] = a64_pc(c, i) + 4;
    return go_to(c, target);
}

/* --- exceptions --- */

EXEC(svc)
{
    return a64_leave(c, i, A64_SVC, (int)i->imm);
}

EXEC(brk)
{
    return a64_leave(c, i, A64_BREAK, (int)i->imm);
}

EXEC(nop)
{
    (void)c;
    NEXT;
}

EXEC(clrex)
{
    c->monitor.bytes = 0;
    NEXT;
}

/* --- system registers --- */

/* What can be set of FPCR (AHP, DN, FZ, rounding, and what AArch32 calls length and stride) and of
 * FPSR (QC and the sticky exceptions, AArch32's flags). */
enum { FPCR_BITS = 0x07f70000 };
#define FPSR_BITS 0xf800009f

#define READ_REGISTER(name, value) \
    EXEC(mrs_##name)               \
    {                              \
        PUT64(value);              \
        NEXT;                      \
    }
#define WRITE_REGISTER(name, to) \
    EXEC(msr_##name)             \
    {                            \
        to;                      \
        NEXT;                    \
    }
READ_REGISTER(nzcv, (uint64_t)c->nzcv << 28)
READ_REGISTER(fpcr, c->fpcr)
READ_REGISTER(fpsr, c->fpsr)
READ_REGISTER(tpidr, c->tpidr)
READ_REGISTER(tpidrro, c->tpidrro)
READ_REGISTER(dczid, 4)         /* dc zva: 2^4 words */
READ_REGISTER(ctr, 0x84448004)  /* lines of 64 bytes */
READ_REGISTER(midr, 0x410fd034) /* Cortex-A53 r0p4 */
READ_REGISTER(cntfrq, 62500000)
WRITE_REGISTER(nzcv, c->nzcv = RN >> 28 & 15)
WRITE_REGISTER(fpcr, c->fpcr = (uint32_t)RN & FPCR_BITS)
WRITE_REGISTER(fpsr, c->fpsr = (uint32_t)RN & FPSR_BITS)
WRITE_REGISTER(tpidr, c->tpidr = RN)

EXEC(mrs_cntvct)
{
    return a64_leave(c, i, A64_CLOCK, i->rd);
}

/* --- caches --- */

/* Stores reach decoded instructions by themselves (image.c): what is asked for has happened. */
EXEC(cache_touch)
{
    (void)c;
    NEXT;
}

EXEC(dc_zva)
{
    static const uint8_t zeros[64];
    if (!image_write(c->image, RN & -(uint64_t)sizeof zeros, zeros, sizeof zeros))
        return a64_leave(c, i, A64_ACCESS, 0);
    NEXT;
}
