/* What functions that execute instructions share. Each is declared by its row of a64_ops.def. */
#ifndef A64_EXEC_INT_H
#define A64_EXEC_INT_H

#include "a64/cpu.h"

#define ROW(name, pattern, operands, class, fn) a64_fn x_##fn;
#include "a64/a64_ops.def"

/* The head of such a function, and the registers that it reads. */
#define EXEC(name) const struct a64_inst *x_##name(struct a64_cpu *c, const struct a64_inst *i)
#define RN         (c->x[i->rn])
#define RM         (c->x[i->rm])
#define RA         (c->x[i->ra])
#define NEXT       return i + 1

/* Results of 32 bits have zeros above. */
#define PUT32(v) (c->x[i->rd] = (uint32_t)(v))
#define PUT64(v) (c->x[i->rd] = (uint64_t)(v))

static inline bool holds(const struct a64_cpu *c, uint64_t flags)
{
    return flags >> c->nzcv & 1;
}

/* Where a jump goes on: the page that was executed there before, or a64_fetch(). */
static inline const struct a64_inst *go_to(struct a64_cpu *c, uint64_t pc)
{
    const uint8_t *code = image_hit(c->image->exec, pc, 1);
    if (UNLIKELY(!code || pc & 3)) {
        c->pc = pc;
        return NULL;
    }
    c->code =
        (struct a64_code *)(void *)c->image->exec[pc >> IMAGE_PAGE_BITS & (IMAGE_TLB - 1)].host;
    return &c->code->inst[(pc & (IMAGE_PAGE - 1)) / 4];
}

#endif
