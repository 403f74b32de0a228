/* Compression gives up for a while where it does not succeed: in an area of memory, over windows of
 * stores, and for four times as long every time. */
#include "tech/assist/awc_int.h"

/* An area that comes anew begins with the forms of the one whose place it takes. */
uint64_t awc_area_number(const struct awc *c, addr_t line)
{
    return line / (uint64_t)c->cfg->area_bytes;
}

struct awc_area *awc_area_at(struct awc *c, uint64_t number)
{
    struct awc_area *a = &c->areas[number % AWC_AREAS];
    if (a->number != number) {
        a->number = number;
        a->worth = (struct awc_worth){0};
    }
    return a;
}

bool awc_is_worth_trying(struct awc *c, addr_t line)
{
    struct awc_worth *w = &awc_area_at(c, awc_area_number(c, line))->worth;
    if (!w->rest)
        return true;
    w->rest--;
    c->codec_stats.given_up++;
    return false;
}

void awc_note_worth(struct awc *c, addr_t line, bool is_encoded)
{
    struct awc_worth *w = &awc_area_at(c, awc_area_number(c, line))->worth;
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
