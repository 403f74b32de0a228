/* The load checking history table. */
#include "tech/lnl/lnl_history.h"

#include <assert.h>

void lnl_history_clear(struct lnl_history *h)
{
    *h = (struct lnl_history){0};
}

void lnl_history_note(struct lnl_history *h, unsigned entry, bool is_similar, unsigned uses,
                      uint32_t mask)
{
    assert(entry < LNL_ENTRIES && uses >= 1 && uses <= LNL_MOST_USES);
    h->at[entry] = (struct lnl_entry){true, is_similar, (uint8_t)(uses - 1), mask};
}

static void use(struct lnl_entry *e)
{
    if (!e->more_uses)
        *e = (struct lnl_entry){0};
    else
        e->more_uses--;
}

struct lnl_answer lnl_history_start(struct lnl_history *h, uint32_t loads)
{
    struct lnl_answer answer = {.is_approximable = true, .loaded = UINT32_MAX};
    for (unsigned i = 0; i < LNL_ENTRIES; i++) {
        struct lnl_entry *e = &h->at[i];
        if (!(loads >> i & 1))
            continue;
        answer.is_approximable &= e->is_valid && e->is_similar;
        answer.invalid += !e->is_valid;
        if (!e->is_valid)
            continue;
        answer.loaded &= e->mask;
        use(e);
    }
    return answer;
}

uint32_t lnl_history_valid(const struct lnl_history *h)
{
    uint32_t valid = 0;
    for (unsigned i = 0; i < LNL_ENTRIES; i++)
        valid |= (uint32_t)h->at[i].is_valid << i;
    return valid;
}
