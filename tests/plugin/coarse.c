/* A technique outside the tree that changes values: loads of 32 bits from global memory lose their
 * lowest `coarse.bits` bits, as a load that is approximated would. With 0 bits it changes nothing,
 * and says so. Wraps what is bound. Built from include/parsim alone. */
#include <parsim/tech.h>

#include <stdlib.h>

struct coarse_cfg {
    int64_t bits;
};

static const struct conf_field fields[] = {
    CONF_FIELD(coarse_cfg, INT, bits, "12", 0, 31, "bits", "that loads from global memory lose")};

struct coarse_stats {
    uint64_t loads;
};

static const struct stat_row rows[] = {
    STAT_ROW_COUNTER(coarse_stats, loads, "warp instructions", "that were changed")};

struct coarse {
    struct value_policy inner;
    const struct tech_api *api;
    const struct coarse_cfg *cfg;
    struct coarse_stats stats;
};

static void loaded(void *self, struct sm *sm, unsigned slot, struct warp *w, const struct dinst *d,
                   uint32_t mask)
{
    struct coarse *c = self;
    const struct tech_inst i = c->api->inst(d);
    uint64_t values[32];
    c->inner.loaded(c->inner.self, sm, slot, w, d, mask);
    if (i.space != SPACE_GLOBAL)
        return;
    for (unsigned k = 0; k < i.nwritten; k++) {
        if (c->api->read(w, d, k, values) != 32)
            continue;
        for (unsigned l = 0; l < 32; l++)
            values[l] = values[l] >> c->cfg->bits << c->cfg->bits;
        c->api->write(w, d, k, mask, values);
    }
    c->stats.loads++;
}

static bool coarse_bind(const struct tech_site *at, struct tech_part *part, struct err *err)
{
    const struct coarse_cfg *cfg = at->cfg;
    struct value_policy *values =
        at->api->take(at->seams, SEAM_values, at->design->name, TAKE_WRAP, err);
    const uint32_t n = at->api->count(at->machine, PER_SM);
    struct coarse *all = values ? calloc(n, sizeof *all) : NULL;
    if (!all)
        return false;
    for (uint32_t i = 0; i < n && cfg->bits; i++) {
        all[i] = (struct coarse){.inner = values[i], .api = at->api, .cfg = cfg};
        values[i] = value_policy_wrap(&all[i].inner);
        values[i].loaded = loaded;
        values[i].wants |= WANT_LOADED;
        at->api->add_stats(at->seams, "coarse", rows, sizeof rows / sizeof rows[0], &all[i].stats);
    }
    *part = (struct tech_part){.self = all, .changes_values = cfg->bits > 0, .free = free};
    return true;
}

static const struct tech_design designs[] = {
    {.name = "coarse", .help = "loads lose their lowest bits", .codec = ""}};

const struct technique coarse_technique = {
    .name = "coarse",
    .designs = designs,
    .ndesigns = sizeof designs / sizeof designs[0],
    .section = {"coarse", fields, sizeof fields / sizeof fields[0], sizeof(struct coarse_cfg),
                NULL},
    .bind = coarse_bind,
};

PARSIM_PLUGIN(coarse_technique);
