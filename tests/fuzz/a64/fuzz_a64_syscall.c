/* Any calls of the kernel with any arguments: each gives a result or an error number. Files are
 * those of an empty folder, which is emptied again. */
#define _GNU_SOURCE
#include "a64/syscall.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DATA = 0x20000, PAGES = 4, CALLS = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint16_t numbers[] = {
#define SYSCALL(number, name) number,
#include "a64/syscalls.def"
};

static int remove_it(const char *path, const struct stat *s, int flag, struct FTW *f)
{
    (void)s, (void)flag;
    return f->level ? remove(path) : 0;
}

/* An argument from one byte, or two: small, an address in or around the data, a file, or wild. */
static uint64_t argument(const uint8_t **at, const uint8_t *end)
{
    const uint8_t kind = *at < end ? *(*at)++ : 0, v = *at < end ? *(*at)++ : 0;
    switch (kind & 7) {
    case 0:
        return v;
    case 1:
        return DATA + 64 * (uint64_t)v;
    case 2:
        return (uint64_t) - (int64_t)v;
    case 3:
        return (uint64_t)v << IMAGE_PAGE_BITS;
    case 4:
        return (uint64_t)v << (kind >> 3 << 1);
    case 5:
        return (uint64_t)-100; /* AT_FDCWD */
    case 6:
        return v & 7;
    default:
        return UINT64_C(0x0101010101010101) * v;
    }
}

/* A read of the process's own empty pipe would wait for ever, as on Linux. */
static void wait_for_nothing(const struct a64_process *p)
{
    for (unsigned i = 0; i < A64_FILES; i++) {
        const int flags = p->files[i].host < 0 ? -1 : fcntl(p->files[i].host, F_GETFL);
        if (flags >= 0)
            (void)fcntl(p->files[i].host, F_SETFL, flags | O_NONBLOCK);
    }
}

static void call_all(struct a64_process *p, const uint8_t *at, const uint8_t *end)
{
    for (unsigned i = 0; i < CALLS && at < end && !p->cpu.stop.kind; i++) {
        p->cpu.x[8] = *at == 255 ? 255 : numbers[*at % ARRAY_LEN(numbers)];
        at++;
        for (unsigned k = 0; k < 6; k++)
            p->cpu.x[k] = argument(&at, end);
        a64_syscall(p);
        wait_for_nothing(p);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char folder[] = "/tmp/parsim-fuzz-XXXXXX";
    struct a64_process *p = xcalloc(1, sizeof *p);
    p->image = p->cpu.image = image_new(16 << 20);
    p->o.path = "/nowhere";
    p->root = mkdtemp(folder) ? open(folder, O_RDONLY | O_DIRECTORY) : -1;
    if (p->root < 0)
        abort(); /* without it the host's files would be there */
    for (unsigned i = 0; i < A64_FILES; i++)
        p->files[i].host = -1;
    p->brk_start = p->brk = DATA + PAGES * IMAGE_PAGE;
    image_map(p->image, DATA, PAGES * IMAGE_PAGE, IMAGE_R | IMAGE_W);
    image_put(p->image, DATA, data, size < 4096 ? size : 4096);
    call_all(p, data, data + size);
    a64_process_free(p);
    nftw(folder, remove_it, 8, FTW_DEPTH | FTW_PHYS);
    rmdir(folder);
    return 0;
}
