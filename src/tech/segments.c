/* What the caches around such an array must be able to do. */
#include "tech/segments.h"

/* A new line displaces at most a line's worth of others, which may all be dirty and must find room
 * on their way to memory, or nothing would ever move. */
bool segments_check(const struct tech_machine *m, const char *name, bool is_l1,
                    int64_t segment_bytes, struct err *err)
{
    if (is_l1)
        return m->l1->write_global < L1_BACK ||
               err_set(err, "%s: l1.write_global must be through_evict or through_update", name);
    const int64_t most = 1 + m->l2->line_bytes / segment_bytes;
    return m->l2->memory_queue >= most ||
           err_set(err,
                   "%s: l2.memory_queue: %lld is less than %lld, a fetch and all the lines of "
                   "a segment (segment_bytes) that may give way to one",
                   name, (long long)m->l2->memory_queue, (long long)most);
}
