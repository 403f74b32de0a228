/* System calls about memory. */
#include "a64/syscall.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* New mappings go below this, far from stack and heap. */
#define MAP_TOP (UINT64_C(1) << 46)

enum {
    MAP_SHARED_ = 1,
    MAP_FIXED_ = 0x10,
    MAP_ANONYMOUS_ = 0x20,
    MAP_NOREPLACE_ = 0x100000,
    PROT_ALL = IMAGE_R | IMAGE_W | IMAGE_X,
};

#define SYS(name) int64_t sys_##name(struct a64_process *p, const uint64_t *a)

/* What can be written can be read on this machine. */
static unsigned prot_of(uint64_t prot)
{
    return (unsigned)(prot & PROT_ALL) | (prot & IMAGE_W ? IMAGE_R : 0);
}

/* Whole pages; false: nothing, or more than there is. */
static bool round_up(uint64_t *len)
{
    if (!*len || *len > IMAGE_END)
        return false;
    *len = align_up(*len, IMAGE_PAGE);
    return true;
}

static bool is_page(uint64_t addr)
{
    return !(addr & (IMAGE_PAGE - 1));
}

SYS(brk)
{
    const uint64_t old = align_up(p->brk, IMAGE_PAGE), new = align_up(a[0], IMAGE_PAGE);
    if (a[0] < p->brk_start || a[0] >= IMAGE_END)
        return (int64_t)p->brk;
    if (new > old && (new - old > p->image->limit || !image_is_free(p->image, old, new - old) ||
                      !image_map(p->image, old, new - old, IMAGE_R | IMAGE_W)))
        return (int64_t)p->brk;
    if (new < old)
        image_unmap(p->image, new, old - new);
    p->brk = a[0];
    return (int64_t)p->brk;
}

SYS(munmap)
{
    uint64_t len = a[1];
    if (!is_page(a[0]) || !round_up(&len) || a[0] >= IMAGE_END || len > IMAGE_END - a[0])
        return -EINVAL;
    return image_unmap(p->image, a[0], len) ? 0 : -ENOMEM;
}

SYS(mprotect)
{
    uint64_t len = a[1];
    if (!is_page(a[0]))
        return -EINVAL;
    if (!len)
        return 0;
    return round_up(&len) && image_protect(p->image, a[0], len, prot_of(a[2])) ? 0 : -ENOMEM;
}

/* Where a new mapping goes: a wish is heard if the place is free. 0: there is no room. */
static uint64_t place(struct a64_process *p, uint64_t wish, uint64_t len)
{
    wish &= -(uint64_t)IMAGE_PAGE;
    if (wish && image_is_free(p->image, wish, len))
        return wish;
    return image_find_room(p->image, len, MAP_TOP);
}

/* A file's bytes into a new mapping, as far as it has any. */
static int64_t fill(struct a64_process *p, uint64_t at, uint64_t len, int host, uint64_t offset)
{
    uint8_t page[IMAGE_PAGE];
    for (uint64_t done = 0; done < len; done += IMAGE_PAGE) {
        const ssize_t n = pread(host, page, sizeof page, (off_t)(offset + done));
        if (n < 0)
            return -errno;
        if (n && !image_put(p->image, at + done, page, (uint64_t)n))
            return -ENOMEM;
        if (n < IMAGE_PAGE)
            break;
    }
    return 0;
}

/* Files are mapped as copies; writing through a shared mapping does not exist. */
static int64_t check_map(const struct a64_process *p, const uint64_t *a, bool is_file)
{
    if (is_file && sys_file(p, a[4]) < 0)
        return -EBADF;
    if (is_file && a[3] & MAP_SHARED_ && a[2] & IMAGE_W)
        return -ENODEV;
    if (a[3] & (MAP_FIXED_ | MAP_NOREPLACE_) && !is_page(a[0]))
        return -EINVAL;
    return is_file && !is_page(a[5]) ? -EINVAL : 0;
}

SYS(mmap)
{
    uint64_t len = a[1];
    const bool is_fixed = a[3] & (MAP_FIXED_ | MAP_NOREPLACE_), is_file = !(a[3] & MAP_ANONYMOUS_);
    if (!round_up(&len))
        return a[1] ? -ENOMEM : -EINVAL;
    int64_t r = check_map(p, a, is_file);
    if (r)
        return r;
    if (a[3] & MAP_NOREPLACE_ && !image_is_free(p->image, a[0], len))
        return -EEXIST;
    const uint64_t at = is_fixed ? a[0] : place(p, a[0], len);
    if ((!at && !is_fixed) || !image_map(p->image, at, len, prot_of(a[2])))
        return -ENOMEM;
    r = is_file ? fill(p, at, len, sys_file(p, a[4]), a[5]) : 0;
    if (r)
        image_unmap(p->image, at, len);
    return r ? r : (int64_t)at;
}

SYS(mremap)
{
    enum { MAY_MOVE = 1 };
    uint64_t old = a[1], new = a[2];
    unsigned prot;
    if (!is_page(a[0]) || !round_up(&old) || !round_up(&new) || a[3] & ~(uint64_t)MAY_MOVE ||
        old > p->image->limit)
        return -EINVAL;
    if (!image_prot(p->image, a[0], old, &prot))
        return -EFAULT;
    if (new < old)
        return image_unmap(p->image, a[0] + new, old - new) ? (int64_t)a[0] : -ENOMEM;
    if (new == old)
        return (int64_t)a[0];
    if (image_is_free(p->image, a[0] + old, new - old))
        return image_map(p->image, a[0] + old, new - old, prot) ? (int64_t)a[0] : -ENOMEM;
    const uint64_t at = a[3] & MAY_MOVE ? place(p, 0, new) : 0;
    if (!at || !image_map(p->image, at, new, prot))
        return -ENOMEM;
    if (!image_move(p->image, a[0], at, old))
        return -ENOMEM;
    return (int64_t)at;
}

SYS(madvise)
{
    enum { DONT_NEED = 4 };
    uint64_t len = a[1];
    unsigned prot;
    if (!is_page(a[0]) || !len || !round_up(&len))
        return len ? -EINVAL : 0;
    if (a[2] != DONT_NEED)
        return 0;
    if (!image_prot(p->image, a[0], len, &prot))
        return -ENOMEM;
    return image_map(p->image, a[0], len, prot) ? 0 : -ENOMEM; /* new pages, of zeros */
}
