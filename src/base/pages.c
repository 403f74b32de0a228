/* mincore() is quick, but a page that it does not find may be swapped out. /proc/self/pagemap
 * knows, a word a page: bit 63 says that it is in memory, bit 62 that it is kept elsewhere. That is
 * slow for pages that are in memory, so it is asked only where there are others. */
#include "base/pages.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define IS_SOMEWHERE (UINT64_C(3) << 62)

bool pages_in_memory(const void *first, size_t n, bool *is_in)
{
    unsigned char found[PAGES_AT_ONCE];
    if (n > PAGES_AT_ONCE || mincore((void *)(uintptr_t)first, n * PAGE_BYTES, found))
        return false;
    for (size_t i = 0; i < n; i++)
        is_in[i] = found[i] & 1;
    return true;
}

int pages_open(void)
{
    return sysconf(_SC_PAGESIZE) == PAGE_BYTES ? open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)
                                               : -1;
}

void pages_close(int pages)
{
    if (pages >= 0)
        close(pages);
}

bool pages_made(int pages, const void *first, size_t n, bool *is_made)
{
    uint64_t words[PAGES_AT_ONCE];
    size_t from = 0, to = n;
    if (pages < 0 || !pages_in_memory(first, n, is_made))
        return false;
    while (from < n && is_made[from])
        from++;
    while (to > from && is_made[to - 1])
        to--;
    const size_t bytes = (to - from) * sizeof *words;
    const off_t at = (off_t)(((uintptr_t)first / PAGE_BYTES + from) * sizeof *words);
    if (bytes && pread(pages, words, bytes, at) != (ssize_t)bytes)
        return false;
    for (size_t i = from; i < to; i++)
        is_made[i] = words[i - from] & IS_SOMEWHERE;
    return true;
}
