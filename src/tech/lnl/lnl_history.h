/* The load checking history table of a warp (../shared/spec/lnl.md, 2.3): of each checked load
 * whether its values were similar, and how many regions may still ask. */
#ifndef TECH_LNL_HISTORY_H
#define TECH_LNL_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

enum { LNL_ENTRIES = 4, LNL_MOST_USES = 4 };

struct lnl_entry {
    bool is_valid, is_similar;
    uint8_t more_uses; /* less one: 2 bits hold 1 to 4 */
    uint32_t mask;     /* lanes that loaded; not in the hardware, for the statistics */
};

struct lnl_history {
    struct lnl_entry at[LNL_ENTRIES];
};

/* What START_APPROX finds. */
struct lnl_answer {
    bool is_approximable; /* every load that it names was similar */
    unsigned invalid;     /* of them: entries that nothing has filled */
    uint32_t loaded;      /* lanes that took part in all of them */
};

/* A warp begins. */
void lnl_history_clear(struct lnl_history *h);
/* The values of a checked load are there, for `uses` regions. */
void lnl_history_note(struct lnl_history *h, unsigned entry, bool is_similar, unsigned uses,
                      uint32_t mask);
/* START_APPROX names `loads`, a bit an entry: each loses a use. */
struct lnl_answer lnl_history_start(struct lnl_history *h, uint32_t loads);
/* Entries that are valid, a bit each. */
uint32_t lnl_history_valid(const struct lnl_history *h);

#endif
