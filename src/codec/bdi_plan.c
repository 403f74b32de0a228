/* The tests of BDI's kinds, one value after the other. */
#include "codec/bdi_plan.h"

static bool fits(uint64_t v, unsigned value_bytes, unsigned delta_bytes)
{
    unsigned spare = 64 - 8 * value_bytes;
    int64_t s = (int64_t)(v << spare) >> spare;
    int64_t limit = INT64_C(1) << (8 * delta_bytes - 1);
    return s >= -limit && s < limit;
}

static bool try_deltas(const uint8_t *block, unsigned block_bytes, unsigned id,
                       struct bdi_plan *plan)
{
    const struct bdi_kind *f = &bdi_kinds[id];
    *plan = (struct bdi_plan){.id = id};
    for (unsigned i = 0; i < block_bytes / f->base_bytes; i++) {
        uint64_t v = bdi_value(block, i, f->base_bytes);
        if (fits(v, f->base_bytes, f->delta_bytes))
            continue;
        if (!plan->mask)
            plan->base = v;
        if (!fits(v - plan->base, f->base_bytes, f->delta_bytes))
            return false;
        plan->mask |= UINT64_C(1) << i;
    }
    return true;
}

bool bdi_try_kind(const uint8_t *block, unsigned block_bytes, unsigned id, struct bdi_plan *plan)
{
    if (id >= BDI_FIRST_DELTA)
        return try_deltas(block, block_bytes, id, plan);
    *plan = (struct bdi_plan){.id = id, .base = bdi_value(block, 0, 8)};
    return !memcmp(block, block + 8, block_bytes - 8) && (id == BDI_REPEAT || !plan->base);
}

struct bdi_plan bdi_choose(const uint8_t *block, unsigned block_bytes, const unsigned char *order)
{
    struct bdi_plan plan;
    if (bdi_try_kind(block, block_bytes, BDI_ZEROS, &plan) ||
        bdi_try_kind(block, block_bytes, BDI_REPEAT, &plan))
        return plan;
    for (unsigned i = 0; i < BDI_DELTA_KINDS; i++)
        if (bdi_try_kind(block, block_bytes, order[i], &plan))
            return plan;
    return (struct bdi_plan){.id = BDI_KINDS};
}
