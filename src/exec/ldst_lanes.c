/* The version for this host. */
#include "exec/ldst_lanes.h"

#include "base/cpu.h"

#include "exec/grid.h"

#define X(level)                                                           \
    extern const struct ldst_lanes ldst_lanes_##level, ldst_local_##level; \
    extern const struct ldst_at ldst_at_##level;
CPU_LEVELS(X)
#undef X

const struct ldst_lanes *ldst_lanes_get(enum ptx_space space)
{
    static const struct ldst_lanes *const tables[][2] = {
#define X(level) {&ldst_lanes_##level, &ldst_local_##level},
        CPU_LEVELS(X)
#undef X
    };
    return tables[cpu_level()][space == PTX_SPACE_LOCAL];
}

static const struct ldst_at *at_get(void)
{
    static const struct ldst_at *const tables[] = {
#define X(level) &ldst_at_##level,
        CPU_LEVELS(X)
#undef X
    };
    return tables[cpu_level()];
}

static bool has_gaps(uint32_t mask)
{
    const uint32_t from_first = mask >> __builtin_ctz(mask);
    return from_first & (from_first + 1);
}

struct ldst_place ldst_find_place(const struct warp *w, const struct xinst *x, uint32_t mask)
{
    if (x->kind != X_OP || x->space != PTX_SPACE_SHARED ||
        (x->src->op != PTX_OP_LD && x->src->op != PTX_OP_ST))
        return (struct ldst_place){0};
    const bool is_write = x->src->op == PTX_OP_ST;
    const unsigned size = (unsigned)x->mem.bytes * x->mem.nregs,
                   log = (unsigned)__builtin_ctz(size);
    const struct ldst_lanes *lanes = ldst_lanes_get(PTX_SPACE_SHARED);
    const warp_fn *fns = is_write ? lanes->store[log] : lanes->load[log];
    addr_t each[WARP_LANES];
    if (x->mem.fn != fns[0] && x->mem.fn != fns[1]) /* the checked way */
        return (struct ldst_place){0};
    const struct located l = w->grid->lanes->locate(w, x, mask, size, is_write, each);
    if (!l.at || (l.step && l.step != size) || (is_write && l.step && has_gaps(mask)))
        return (struct ldst_place){0};
    const struct ldst_at *at = at_get();
    return (struct ldst_place){(is_write ? at->store : at->load)[log][x->mem.fn == fns[1]], l};
}
