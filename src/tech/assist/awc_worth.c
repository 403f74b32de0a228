/* Compression gives up for a while where it does not succeed: over windows of stores, and for four
 * times as long every time. */
#include "tech/assist/awc_int.h"

bool awc_is_worth_trying(struct awc *c)
{
    if (!c->worth.rest)
        return true;
    c->worth.rest--;
    c->codec_stats.given_up++;
    return false;
}

void awc_note_worth(struct awc *c, bool is_encoded)
{
    struct awc_worth *w = &c->worth;
    w->encoded += is_encoded;
    if (++w->tried < (uint32_t)c->cfg->give_up_window)
        return;
    if (w->encoded < c->cfg->give_up_share * w->tried) {
        const uint32_t most = (uint32_t)c->cfg->give_up_rest;
        w->pause = w->pause ? 4 * w->pause : w->tried;
        w->pause = w->pause < most ? w->pause : most;
        w->rest = w->pause;
    } else {
        w->pause = 0;
    }
    w->tried = w->encoded = 0;
}
