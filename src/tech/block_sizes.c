/* Bytes of sizes in pages that are made when they are written. */
#include "tech/block_sizes.h"

#include <stdlib.h>

enum { PAGE_BITS = 12 };

void block_sizes_init(struct block_sizes *b, uint64_t blocks)
{
    b->npages = (blocks >> PAGE_BITS) + 1;
    b->pages = xcalloc(b->npages, sizeof *b->pages);
}

void block_sizes_free(struct block_sizes *b)
{
    for (uint64_t i = 0; i < b->npages; i++)
        free(b->pages[i]);
    free(b->pages);
}

uint8_t *block_size_at(struct block_sizes *b, uint64_t i)
{
    assert(i >> PAGE_BITS < b->npages);
    uint8_t **page = &b->pages[i >> PAGE_BITS];
    if (!*page)
        *page = xcalloc(1, 1u << PAGE_BITS);
    return &(*page)[i & ((1u << PAGE_BITS) - 1)];
}

uint8_t block_size_get(const struct block_sizes *b, uint64_t i)
{
    assert(i >> PAGE_BITS < b->npages);
    const uint8_t *page = b->pages[i >> PAGE_BITS];
    return page ? page[i & ((1u << PAGE_BITS) - 1)] : 0;
}

void block_size_forget(struct block_sizes *b, uint64_t i)
{
    if (i >> PAGE_BITS < b->npages && b->pages[i >> PAGE_BITS])
        b->pages[i >> PAGE_BITS][i & ((1u << PAGE_BITS) - 1)] = 0;
}

void block_sizes_forget_all(struct block_sizes *b)
{
    for (uint64_t i = 0; i < b->npages; i++) {
        free(b->pages[i]);
        b->pages[i] = NULL;
    }
}
