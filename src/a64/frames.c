/* Pages to frames. */
#include "a64/frames.h"

#include "a64/image.h"

enum { OFFSET = IMAGE_PAGE - 1 };

void frames_free(struct frames *f)
{
    u64map_free(&f->map);
}

uint64_t frames_known(const struct frames *f, uint64_t addr)
{
    const uint64_t *frame = u64map_get(&f->map, addr >> IMAGE_PAGE_BITS);
    return frame ? *frame << IMAGE_PAGE_BITS | (addr & OFFSET) : FRAMES_NONE;
}

uint64_t frames_address(struct frames *f, uint64_t addr)
{
    const uint64_t page = addr >> IMAGE_PAGE_BITS, at = page & (FRAMES_RECENT - 1);
    if (UNLIKELY(f->recent[at].page != page + 1)) {
        const uint64_t *frame = u64map_get(&f->map, page);
        f->recent[at].page = page + 1;
        f->recent[at].frame = frame ? *frame : f->n;
        if (!frame)
            u64map_put(&f->map, page, f->n++);
    }
    return f->recent[at].frame << IMAGE_PAGE_BITS | (addr & OFFSET);
}
