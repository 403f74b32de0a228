/* A technique outside the tree that stops the machine without doing anything that is not allowed
 * (`stubborn.deed`): the watchdog's account must say who. Built from include/parsim alone. */
#include <parsim/tech.h>

enum deed { LETS_NOBODY, MOVES_FOR_EVER, HOLDS_FOR_EVER, KEEPS_READS };

static const char *const deeds[] = {"narrow", "precede", "hold", "absorb", NULL};

struct stubborn_cfg {
    int deed;
};

static const struct conf_field fields[] = {
    CONF_FIELD_ENUM(stubborn_cfg, deed, "narrow", deeds, "what it does")};

static uint64_t nobody(void *self, struct sm *sm, unsigned sched, uint64_t can)
{
    (void)self, (void)sm, (void)sched, (void)can;
    return 0;
}

static const struct dinst *move_again(void *self, struct sm *sm, unsigned slot, struct warp *w,
                                      const struct dinst *d)
{
    const struct tech_api *api = self;
    (void)slot, (void)w;
    return api->move(sm, d, 99, self);
}

static void hold(void *self, struct sm *sm, unsigned slot, struct warp *w, const struct dinst *d)
{
    const struct tech_api *api = self;
    (void)w, (void)d;
    api->hold(sm, slot, CYCLE_NEVER);
}

static bool keep_reads(void *self, struct mem_req *r, cycle_t now)
{
    const struct tech_api *api = self;
    (void)now;
    return api->request(r).kind == MEM_READ && api->request(r).space == MEM_GLOBAL;
}

static bool stubborn_bind(const struct tech_site *at, struct tech_part *part, struct err *err)
{
    const struct tech_api *api = at->api;
    const struct stubborn_cfg *cfg = at->cfg;
    void *self = (void *)(uintptr_t)api;
    (void)part;
    if (cfg->deed == LETS_NOBODY) {
        struct sched_policy *s =
            api->take(at->seams, SEAM_schedulers, at->design->name, TAKE_ALONE, err);
        s[0].wants = WANT_PICK;
        s[0].narrow = nobody;
    } else if (cfg->deed == KEEPS_READS) {
        struct packet_policy *p =
            api->take(at->seams, SEAM_l2_packets, at->design->name, TAKE_ALONE, err);
        for (uint32_t i = 0; i < api->count(at->machine, PER_SLICE); i++) {
            p[i].arrive = keep_reads;
            p[i].self = self;
        }
    } else {
        struct issue_policy *p =
            api->take(at->seams, SEAM_issue, at->design->name, TAKE_ALONE, err);
        p[0].wants = cfg->deed == MOVES_FOR_EVER ? WANT_PRECEDE : WANT_BEFORE;
        p[0].precede = move_again;
        p[0].before = hold;
        p[0].self = self;
    }
    return true;
}

static const struct tech_design designs[] = {{"stubborn", "stops the machine", "", 0, false}};

extern const struct technique stubborn_technique;
const struct technique stubborn_technique = {
    .name = "stubborn",
    .designs = designs,
    .ndesigns = 1,
    .section = {"stubborn", fields, 1, sizeof(struct stubborn_cfg), NULL},
    .bind = stubborn_bind,
};

PARSIM_PLUGIN(stubborn_technique);
