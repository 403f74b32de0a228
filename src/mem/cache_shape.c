/* Sets, ways, lines and sectors that divide each other. */
#include "mem/cache_shape.h"

bool cache_shape_check(const struct cache_shape *s, const char *section, struct err *err)
{
    typedef unsigned long long ull;
    if (!is_pow2(s->line_bytes))
        return err_set(err, "%s.line_bytes: %llu is not a power of two", section,
                       (ull)s->line_bytes);
    if (!is_pow2(s->sector_bytes) || s->sector_bytes > s->line_bytes)
        return err_set(err, "%s.sector_bytes: %llu is not a power of two up to line_bytes (%llu)",
                       section, (ull)s->sector_bytes, (ull)s->line_bytes);
    if (s->line_bytes / s->sector_bytes > CACHE_SECTORS_MAX)
        return err_set(err, "%s.sector_bytes: a line of %llu bytes would have more than %d sectors",
                       section, (ull)s->line_bytes, CACHE_SECTORS_MAX);
    uint64_t set_bytes = s->ways * s->line_bytes;
    if (s->size < set_bytes || s->size % set_bytes)
        return err_set(err, "%s.size: %llu is not a multiple of ways * line_bytes = %llu", section,
                       (ull)s->size, (ull)set_bytes);
    return true;
}
