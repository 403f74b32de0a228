/* Sizes that parts have in common, each told with both names. */
#include "mem/mem_fit.h"

static bool equal(const char *section, const char *field, int64_t value, const char *other,
                  int64_t must, struct err *err)
{
    return value == must || err_set(err, "%s.%s: %lld differs from %s = %lld", section, field,
                                    (long long)value, other, (long long)must);
}

static bool l1_fits(const struct l1_cfg *l1, const char *section, const struct l2_cfg *l2,
                    struct err *err)
{
    if (!equal(section, "sector_bytes", l1->sector_bytes, "l2.sector_bytes", l2->sector_bytes, err))
        return false;
    return l1->line_bytes <= l2->line_bytes ||
           err_set(err, "%s.line_bytes: %lld is more than l2.line_bytes = %lld", section,
                   (long long)l1->line_bytes, (long long)l2->line_bytes);
}

bool mem_fit_check(const struct mem_fit *f, struct err *err)
{
    for (size_t i = 0; i < f->nl1s; i++)
        if (!l1_fits(f->l1s[i], f->l1_sections[i], f->l2, err))
            return false;
    if (!equal("mem_ctrl", "sector_bytes", f->mem_ctrl->sector_bytes, "l2.sector_bytes",
               f->l2->sector_bytes, err) ||
        !equal("mem_ctrl", "block_bytes", f->mem_ctrl->block_bytes, "l2.line_bytes",
               f->l2->line_bytes, err) ||
        !equal("mem_ctrl", "burst_bytes", f->mem_ctrl->burst_bytes, "dram.access_bytes",
               f->dram_access_bytes, err))
        return false;
    return f->l2->line_bytes <= f->interleave->granule ||
           err_set(err, "interleave.granule: %lld is less than l2.line_bytes = %lld",
                   (long long)f->interleave->granule, (long long)f->l2->line_bytes);
}
