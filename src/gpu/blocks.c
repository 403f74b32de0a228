/* Giving out blocks: who decides is asked, and each block is given once whatever it says. */
#include "gpu/blocks.h"

#include "base/common.h"

#include <stdlib.h>

enum { WORD = 64 };

void blocks_init(struct blocks *b, const struct gpu_seams *s, const struct block_grid *g)
{
    *b = (struct blocks){.seams = *s, .grid = *g};
    if (s->blocks->block != block_policy_null.block)
        b->given = xcalloc((size_t)(g->blocks / WORD + 1), sizeof *b->given);
}

void blocks_free(struct blocks *b)
{
    free(b->given);
    b->given = NULL;
}

static bool is_given(const struct blocks *b, uint64_t number)
{
    return b->given[number / WORD] >> number % WORD & 1;
}

/* The run is over; until then blocks are those that no other has been. */
static uint64_t first_left(const struct blocks *b)
{
    uint64_t number = 0;
    while (is_given(b, number))
        number++;
    return number;
}

static uint64_t ask(const struct blocks *b)
{
    const struct block_policy *p = b->seams.blocks;
    const uint64_t number = p->block(p->self, &b->grid, b->next);
    if (LIKELY(number < b->grid.blocks && !is_given(b, number)))
        return number;
    breach_note(b->seams.breach, SEAM_blocks, "block() gives block %llu, %s (%llu blocks)",
                (unsigned long long)number,
                number < b->grid.blocks ? "which was given out before" : "which the grid has not",
                (unsigned long long)b->grid.blocks);
    return first_left(b);
}

uint64_t blocks_take(struct blocks *b)
{
    uint64_t number = b->next;
    if (UNLIKELY(b->given != NULL)) {
        number = ask(b);
        b->given[number / WORD] |= UINT64_C(1) << number % WORD;
    }
    b->next++;
    return number;
}
