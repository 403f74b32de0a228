#include "support_wl.h"

#include <stdlib.h>

struct block {
    struct block *next;
    max_align_t bytes[];
};

struct wl {
    struct block *blocks;
};

struct wl *test_wl_new(void)
{
    return calloc(1, sizeof(struct wl));
}

void test_wl_free(struct wl *w)
{
    while (w->blocks) {
        struct block *next = w->blocks->next;
        free(w->blocks);
        w->blocks = next;
    }
    free(w);
}

void *wl_alloc(struct wl *w, size_t count, size_t bytes)
{
    struct block *b = calloc(1, sizeof *b + count * bytes);
    if (!b)
        abort();
    b->next = w->blocks;
    w->blocks = b;
    return b->bytes;
}
