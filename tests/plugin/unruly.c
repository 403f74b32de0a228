/* A technique outside the tree that does one thing which its seam does not allow, or leaves one out
 * (`unruly.deed`). Built from include/parsim alone. */
#include <parsim/tech.h>

#include <stdlib.h>

enum deed {
    NOTHING, /* ... and takes seams alone with policies of one function: the others are filled in */
    /* when it is bound */
    WRAPS_WITH_NULL,
    NO_TAGS,
    NO_MODE,
    FOREIGN_WANTS,
    /* when it is asked */
    ASKS_FOR_NOTHING,
    L1_LINE_TOO_LARGE,
    L2_LINE_TOO_LARGE,
    TOO_MANY_EXTRAS,
    READS_BEFORE_READS,
    COSTS_TOO_MUCH,
    INITIATES_TOO_LATE,
    NO_SUCH_BANK,
    MEMORY_FIRST,
    PICKS_WHO_CANNOT,
    HOLDS_NOBODY,
    LARGE_REQUEST,
    LATE_REQUEST,
    LATE_FILL,
    LATE_HIT,
    LARGE_ANSWER,
    ABSORBS_WRITES,
    WIDENS_TO_NOWHERE,
    BURSTS_BEYOND,
    ENCODED_FOR_NOBODY,
    /* and what tech_api refuses: the run goes on */
    REFUSED
};

static const char *const deeds[] = {"nothing",
                                    "wraps-with-null",
                                    "no-tags",
                                    "no-mode",
                                    "foreign-wants",
                                    "ask",
                                    "l1-line",
                                    "l2-line",
                                    "extras",
                                    "reads",
                                    "cost",
                                    "initiation",
                                    "bank",
                                    "precede",
                                    "pick",
                                    "hold",
                                    "large-request",
                                    "late-request",
                                    "late-fill",
                                    "late-hit",
                                    "large-answer",
                                    "absorbs-writes",
                                    "widens",
                                    "bursts",
                                    "encoded",
                                    "refused",
                                    NULL};

struct unruly_cfg {
    int deed;
};

static const struct conf_field fields[] = {
    CONF_FIELD_ENUM(unruly_cfg, deed, "nothing", deeds, "what it does")};

static uint16_t ask_nothing(const void *self, const struct line_view *v)
{
    (void)self, (void)v;
    return 0;
}

static uint32_t no_latency(void *self, const struct mem_req *r, cycle_t now)
{
    (void)self, (void)r, (void)now;
    return 0;
}

static uint32_t two_lines(void *self, addr_t line, const struct line_form *form)
{
    (void)self, (void)line, (void)form;
    return 256;
}

static void many_extras(void *self, cycle_t now, const struct mem_req *r, addr_t local,
                        uint32_t bursts, struct storage_form *f)
{
    (void)self, (void)now, (void)r, (void)local;
    *f = (struct storage_form){.bursts = bursts, .fill = 32, .nextras = STORAGE_EXTRAS + 1};
}

static void reads_first(void *self, cycle_t now, const struct mem_req *r, addr_t local,
                        uint32_t bursts, struct storage_form *f)
{
    (void)self, (void)now, (void)r, (void)local;
    *f = (struct storage_form){.bursts = bursts, .fill = 32, .reads = 1};
}

static uint32_t large(void *self, const struct mem_req *r, bool reply, uint32_t payload)
{
    (void)self, (void)r, (void)reply, (void)payload;
    return UINT32_MAX;
}

static uint32_t too_late(void *self, const struct mem_req *r, cycle_t now)
{
    (void)self, (void)r, (void)now;
    return UINT32_MAX;
}

static uint32_t too_late_hit(void *self, uint32_t bytes, cycle_t now)
{
    (void)self, (void)bytes, (void)now;
    return UINT32_MAX;
}

static bool absorb_writes(void *self, struct mem_req *r, cycle_t now)
{
    const struct tech_api *api = self;
    (void)now;
    return api->request(r).kind == MEM_WRITE;
}

/* All of its line, of which a slice with sectors has what was asked for. */
static void widen(void *self, struct mem_req *r, cycle_t now)
{
    (void)now;
    const struct tech_api *api = self;
    const struct tech_request before = api->request(r);
    const bool can = before.kind == MEM_READ && !(0xf & ~before.full);
    if (api->widen(r, 0xf) != can || api->request(r).sectors != (can ? 0xf : before.sectors))
        abort();
}

/* Beyond the line, and riders that were never absorbed. */
static void try_all(void *self, struct mem_req *r, cycle_t now)
{
    (void)now;
    const struct tech_api *api = self;
    if (api->widen(r, 0xffff) || api->ride(r, r))
        abort();
}

static void bursts_beyond(void *self, cycle_t now, const struct mem_req *r, addr_t local,
                          uint32_t bursts, struct storage_form *f)
{
    (void)self, (void)now, (void)r, (void)local, (void)bursts;
    *f = (struct storage_form){.bursts = ~0u, .fill = 32};
}

static struct line_form encoded(const void *self, addr_t line, bool is_here, enum mem_kind kind)
{
    const struct line_form f = {.bytes = kind == MEM_READ ? 32 : 0};
    (void)self, (void)line, (void)is_here;
    return f;
}

/* Two that add 40000 and 25537 are more than 16 bits hold. */
static void high_cost(void *self, const struct rf_event *e, struct rf_cost *cost)
{
    (void)self, (void)e;
    cost->write += 40000;
    cost->write += 25537;
}

static uint32_t late(void *self, const struct rf_event *e, uint32_t initiation)
{
    (void)self, (void)e;
    return initiation + RF_COST_MAX;
}

static uint32_t bank_64(void *self, const struct rf_event *e, unsigned k, uint32_t bank)
{
    (void)self, (void)e, (void)k, (void)bank;
    return RF_BANKS_MAX;
}

/* A load before itself. */
static const struct dinst *memory_first(void *self, struct sm *sm, unsigned slot, struct warp *w,
                                        const struct dinst *d)
{
    const struct tech_api *api = self;
    (void)sm, (void)slot, (void)w;
    return api->inst(d).is_load ? d : NULL;
}

static int pick_99(void *self, struct sm *sm, unsigned sched, uint64_t can)
{
    (void)self, (void)sm, (void)sched, (void)can;
    return 99;
}

static void hold_nobody(void *self, struct sm *sm, unsigned slot, struct warp *w,
                        const struct dinst *d)
{
    const struct tech_api *api = self;
    (void)slot, (void)w, (void)d;
    api->hold(sm, 1000000, 1);
    api->let_go(sm, 64);
    api->look(sm, 64);
}

/* Every seam that it may need, alone, or all of them wrapped. */
struct seams {
    struct request_policy *requests;
    struct packet_policy *packets;
    struct capacity_policy *l1, *l2;
    struct encoding_cfg *encodings;
    struct rf_policy *registers;
    struct issue_policy *issue;
    struct sched_policy *schedulers;
    struct storage_policy *storage;
    struct packet_policy *answers;
    struct form_policy *forms;
};

static struct seams take(const struct tech_site *at, enum tech_take how, struct err *err)
{
#define TAKE(seam) at->api->take(at->seams, SEAM_##seam, "unruly", how, err)
    const struct seams s = {TAKE(requests),  TAKE(sm_packets), TAKE(l1_capacity), TAKE(l2_capacity),
                            TAKE(encodings), TAKE(registers),  TAKE(issue),       TAKE(schedulers),
                            TAKE(storage),   TAKE(l2_packets), TAKE(forms)};
    return s;
}

static void bind_memory(const struct seams *s, enum deed deed)
{
    s->packets[0] = (struct packet_policy){.send_latency = no_latency};
    s->requests[0] = (struct request_policy){.ask = deed == ASKS_FOR_NOTHING ? ask_nothing : NULL};
    if (deed == NO_TAGS)
        s->l2[0].tag_factor = 0;
    if (deed == NO_MODE)
        s->encodings[0].mode = 9;
    if (deed == LARGE_REQUEST)
        s->packets[0].wire_bytes = large;
    if (deed == LATE_REQUEST)
        s->packets[0].send_latency = too_late;
    if (deed == LATE_FILL)
        s->packets[0].fill_latency = too_late;
    if (deed == LATE_HIT)
        s->l1[0].hit_latency = too_late_hit;
    if (deed == L1_LINE_TOO_LARGE)
        s->l1[0] = (struct capacity_policy){.tag_factor = 2, .line_bytes = two_lines};
}

/* Of all slices and channels: one of them is asked. */
static void bind_slice(struct packet_policy *p, enum deed deed, const struct tech_api *api)
{
    *p = (struct packet_policy){.self = (void *)(uintptr_t)api,
                                .wire_bytes = deed == LARGE_ANSWER ? large : NULL,
                                .arrive = deed == ABSORBS_WRITES ? absorb_writes : NULL,
                                .answer = deed == WIDENS_TO_NOWHERE ? widen
                                          : deed == REFUSED         ? try_all
                                                                    : NULL};
}

static void bind_slices(const struct seams *s, enum deed deed, const struct tech_site *at)
{
    for (uint32_t i = 0; i < at->api->count(at->machine, PER_SLICE); i++) {
        bind_slice(&s->answers[i], deed, at->api);
        if (deed == L2_LINE_TOO_LARGE)
            s->l2[i] = (struct capacity_policy){.tag_factor = 2, .line_bytes = two_lines};
    }
    for (uint32_t i = 0; i < at->api->count(at->machine, PER_CHANNEL); i++) {
        if (deed == TOO_MANY_EXTRAS || deed == READS_BEFORE_READS || deed == BURSTS_BEYOND)
            s->storage[i].dram_form = deed == TOO_MANY_EXTRAS ? many_extras
                                      : deed == BURSTS_BEYOND ? bursts_beyond
                                                              : reads_first;
        if (deed == ENCODED_FOR_NOBODY)
            s->forms[i].look = encoded;
    }
}

static void bind_pipeline(const struct seams *s, enum deed deed, const struct tech_api *api)
{
    if (deed == FOREIGN_WANTS)
        s->registers[0].wants = WANT_LOADED;
    if (deed == COSTS_TOO_MUCH)
        s->registers[0] = (struct rf_policy){.wants = WANT_COST, .cost = high_cost};
    if (deed == NO_SUCH_BANK)
        s->registers[0] = (struct rf_policy){.wants = WANT_BANK, .bank = bank_64};
    if (deed == INITIATES_TOO_LATE)
        s->issue[0] = (struct issue_policy){.wants = WANT_INITIATION, .initiation = late};
    if (deed == MEMORY_FIRST)
        s->issue[0] = (struct issue_policy){
            .wants = WANT_PRECEDE, .precede = memory_first, .self = (void *)(uintptr_t)api};
    if (deed == HOLDS_NOBODY)
        s->issue[0] = (struct issue_policy){
            .wants = WANT_BEFORE, .before = hold_nobody, .self = (void *)(uintptr_t)api};
    if (deed == PICKS_WHO_CANNOT)
        s->schedulers[0] = (struct sched_policy){.wants = WANT_PICK, .pick = pick_99};
}

static bool unruly_bind(const struct tech_site *at, struct tech_part *part, struct err *err)
{
    const struct unruly_cfg *cfg = at->cfg;
    const enum deed deed = (enum deed)cfg->deed;
    const struct seams s = take(at, deed == WRAPS_WITH_NULL ? TAKE_WRAP : TAKE_ALONE, err);
    if (!s.storage)
        return false;
    bind_memory(&s, deed);
    bind_slices(&s, deed, at);
    bind_pipeline(&s, deed, at->api);
    *part = (struct tech_part){.self = NULL};
    return true;
}

static const struct tech_design designs[] = {
    {"unruly", "one thing that is not allowed", "", 0, false}};

extern const struct technique unruly_technique;
const struct technique unruly_technique = {
    .name = "unruly",
    .designs = designs,
    .ndesigns = 1,
    .section = {"unruly", fields, 1, sizeof(struct unruly_cfg), NULL},
    .bind = unruly_bind,
};

PARSIM_PLUGIN(unruly_technique);
