/* The controller's cycle: collect from DRAM, take from slices, send to DRAM, answer. */
#include "mem/mem_ctrl_int.h"

#include <inttypes.h>
#include <stdlib.h>

/* What an access in DRAM is for (mem_req.what). */
enum { ACCESS_DATA, ACCESS_EXTRA };

struct mem_ctrl *mem_ctrl_new(const struct mem_ctrl_cfg *cfg, const struct interleave *il,
                              uint32_t slices, const struct channel_seams *seams)
{
    struct mem_ctrl *m = xalloc_aligned(64, sizeof *m);
    assert(slices && slices <= MEM_CTRL_SLICES && cfg->block_bytes <= (int64_t)1 << il->shift);
    m->cfg = *cfg;
    m->il = *il;
    m->storage = seams->storage;
    m->breach = seams->breach;
    m->nslices = slices;
    m->block_bytes = (uint32_t)cfg->block_bytes;
    m->burst_shift = (uint32_t)__builtin_ctzll((uint64_t)cfg->burst_bytes);
    m->sector_shift = (uint32_t)__builtin_ctzll((uint64_t)cfg->sector_bytes);
    m->ntxns = m->nfree = (uint32_t)cfg->in_flight;
    m->txns = xcalloc(m->ntxns, sizeof *m->txns);
    m->free = xcalloc(m->ntxns, sizeof *m->free);
    m->sending = xcalloc(m->ntxns, sizeof *m->sending);
    for (uint32_t i = 0; i < m->ntxns; i++)
        m->free[i] = m->ntxns - 1 - i;
    req_ring_init(&m->in, (uint32_t)(cfg->latency_in + cfg->queue));
    req_ring_init(&m->answers, m->ntxns);
    req_ring_init(&m->delayed, m->ntxns);
    return m;
}

void mem_ctrl_bind_slice(struct mem_ctrl *m, uint32_t slice, struct port *from, struct port *to)
{
    assert(slice < m->nslices);
    m->from[slice] = from;
    m->to[slice] = to;
}

void mem_ctrl_bind_dram(struct mem_ctrl *m, struct port *to, struct port *from)
{
    m->to_dram = to;
    m->from_dram = from;
}

void mem_ctrl_free(struct mem_ctrl *m)
{
    if (!m)
        return;
    req_ring_free(&m->in);
    req_ring_free(&m->answers);
    req_ring_free(&m->delayed);
    free(m->txns);
    free(m->free);
    free(m->sending);
    mem_req_pool_free(&m->pool);
    free(m);
}

static void send_queue_push(struct mem_ctrl *m, uint32_t t)
{
    uint32_t at = m->send_head + m->send_len++;
    m->sending[at < m->ntxns ? at : at - m->ntxns] = t;
    m->txns[t].sending = true;
}

/* All accesses of transaction `t` are back: the slice gets its answer later. */
static void txn_done(struct mem_ctrl *m, cycle_t now, uint32_t t)
{
    struct mem_txn *x = &m->txns[t];
    mem_req_stamp(x->req, MEM_AT_MC_OUT, now);
    uint32_t engine = breach_above(m->breach, SEAM_storage,
                                   m->storage->dram_done(m->storage->self, now, x->req, &x->form),
                                   SEAM_CYCLES_MAX, "dram_done() is more than SEAM_CYCLES_MAX");
    req_ring_insert(&m->answers, x->req, now + (cycle_t)m->cfg.latency_out + engine, t);
}

static bool txn_sent(const struct mem_txn *x)
{
    return !x->bursts && !x->fetch && x->extra == x->form.nextras;
}

static void collect(struct mem_ctrl *m, cycle_t now)
{
    struct mem_req *r;
    while ((r = port_pop(m->from_dram, now))) {
        uint32_t t = r->token;
        struct mem_txn *x = &m->txns[t];
        x->inside--;
        if (r->what == ACCESS_EXTRA && r->kind == MEM_READ && !--x->reads &&
            (x->bursts || x->fetch) && !x->sending)
            send_queue_push(m, t); /* others waited for it */
        mem_req_put(&m->pool, r);
        if (!x->inside && txn_sent(x))
            txn_done(m, now, t);
    }
}

static void take(struct mem_ctrl *m, cycle_t now)
{
    if (!req_ring_room(&m->in))
        return;
    for (uint32_t i = 0; i < m->nslices; i++) {
        uint32_t s = m->turn + i < m->nslices ? m->turn + i : m->turn + i - m->nslices;
        struct mem_req *r = port_pop(m->from[s], now);
        if (!r)
            continue;
        m->turn = s + 1 < m->nslices ? s + 1 : 0;
        hist_add(&m->stats.occupancy, m->in.len);
        ++*(mem_req_is_write(r) ? &m->stats.writes : &m->stats.reads);
        m->stats.bytes_asked += mem_sector_count(r->sectors) << m->sector_shift;
        mem_req_stamp(r, MEM_AT_MC_IN, now);
        req_ring_push(&m->in, r, now + (cycle_t)m->cfg.latency_in, s);
        return;
    }
}

/* The bursts (units of 1 << shift bytes) that hold the request's sectors in a raw block. */
static uint32_t raw_bursts(const struct mem_ctrl *m, const struct mem_req *r, uint32_t shift)
{
    uint32_t bursts = 0;
    uint16_t left = mem_req_sectors_in(r, r->sectors, m->block_bytes, m->sector_shift);
    for (; left; left &= (uint16_t)(left - 1)) {
        uint32_t first = (uint32_t)__builtin_ctz(left) << m->sector_shift;
        uint32_t last = first + (1u << m->sector_shift) - 1;
        for (uint32_t b = first >> shift; b <= last >> shift; b++)
            bursts |= 1u << b;
    }
    return bursts;
}

static uint8_t extra_reads(const struct storage_form *f)
{
    uint8_t n = 0;
    for (uint8_t i = 0; i < f->nextras; i++)
        n += f->extras[i].kind == MEM_READ;
    return n;
}

static void txn_begin(struct mem_ctrl *m, cycle_t now, uint32_t t)
{
    if (txn_sent(&m->txns[t]))
        txn_done(m, now, t);
    else
        send_queue_push(m, t);
}

/* What is wrong with the form of `x`; NULL = nothing. */
static const char *form_fault(const struct mem_ctrl *m, const struct mem_txn *x)
{
    const struct storage_form *f = &x->form;
    const uint32_t bursts = m->block_bytes >> x->shift;
    const uint32_t beyond = bursts < 32 ? ~0u << bursts : 0;
    for (unsigned i = 0; i < f->nextras && i < STORAGE_EXTRAS; i++)
        if (f->extras[i].kind > MEM_WRITE)
            return "dram_form() has an extra access that neither reads nor writes";
    return f->nextras > STORAGE_EXTRAS ? "dram_form() has more extras than STORAGE_EXTRAS"
           : f->reads && !mem_req_is_write(x->req)
               ? "dram_form() reads bursts before those of a read"
           : (f->bursts | f->reads) & beyond ? "dram_form() moves bursts that a block does not have"
           : f->fill > m->block_bytes        ? "dram_form() fills more than a block"
           : f->delay > SEAM_CYCLES_MAX || f->latency > SEAM_CYCLES_MAX
               ? "dram_form() asks for more cycles than SEAM_CYCLES_MAX"
               : NULL;
}

static void dram_form(struct mem_ctrl *m, cycle_t now, struct mem_txn *x, uint32_t raw)
{
    const struct storage_policy *null = &storage_policy_null;
    m->storage->dram_form(m->storage->self, now, x->req, x->local, raw, &x->form);
    const char *fault = form_fault(m, x);
    if (LIKELY(!fault))
        return;
    breach_note(m->breach, SEAM_storage, "%s", fault);
    null->dram_form(null->self, now, x->req, x->local, raw, &x->form);
}

/* Requests whose latency is over become transactions, in order. */
static void start(struct mem_ctrl *m, cycle_t now)
{
    while (req_ring_next(&m->in) <= now) {
        if (!m->nfree) {
            m->stats.fail_in_flight += !m->txns_full;
            m->txns_full = true;
            return;
        }
        m->txns_full = false;
        uint32_t slice = req_ring_head(&m->in)->aux, t = m->free[--m->nfree];
        struct mem_txn *x = &m->txns[t];
        struct mem_req *r = req_ring_pop(&m->in);
        addr_t block = r->addr & ~(addr_t)(m->block_bytes - 1);
        bool by_sector = m->cfg.burst_per_sector && !mem_req_is_write(r);
        *x = (struct mem_txn){.req = r,
                              .local = interleave_locate(&m->il, block).local,
                              .slice = slice,
                              .shift = by_sector ? m->sector_shift : m->burst_shift};
        dram_form(m, now, x, raw_bursts(m, r, x->shift));
        x->bursts = x->form.bursts;
        x->fetch = x->form.reads;
        x->reads = extra_reads(&x->form);
        if (x->form.delay)
            req_ring_insert(&m->delayed, r, now + x->form.delay, t);
        else
            txn_begin(m, now, t);
    }
}

/* What is asked of DRAM at once: `bursts` from `addr` on. */
struct access {
    addr_t addr;
    uint32_t bursts;
    uint8_t kind, what;
};

static void access_send(struct mem_ctrl *m, cycle_t now, uint32_t t, const struct access *a)
{
    struct mem_req *r = mem_req_get(&m->pool);
    r->addr = a->addr;
    r->bytes = a->bursts << m->burst_shift;
    r->kind = a->kind;
    r->sectors = 1;
    r->token = t;
    r->what = a->what;
    mem_req_stamp(r, MEM_AT_BORN, now);
    m->txns[t].inside++;
    m->stats.bytes_moved += r->bytes;
    port_push(m->to_dram, now, r);
}

static void extra_send(struct mem_ctrl *m, cycle_t now, uint32_t t)
{
    struct mem_txn *x = &m->txns[t];
    const struct storage_access *a = &x->form.extras[x->extra++];
    ++*(a->kind == MEM_READ ? &m->stats.extra_reads : &m->stats.extra_writes);
    access_send(m, now, t, &(struct access){a->addr, 1, a->kind, ACCESS_EXTRA});
}

/* Takes the first bursts of `mask` that may go together out of it. */
static struct access run_take(const struct mem_ctrl *m, const struct mem_txn *x, uint32_t *mask)
{
    const uint32_t first = (uint32_t)__builtin_ctz(*mask);
    uint32_t n = 1;
    while (n < m->cfg.bursts_per_request && (*mask >> first) >> n & 1)
        n++;
    *mask &= ~(uint32_t)(((1ull << n) - 1) << first);
    return (struct access){.addr = x->local + ((addr_t)first << x->shift), .bursts = n};
}

/* Reads bursts of the block that is going to be written. */
static void fetch_send(struct mem_ctrl *m, cycle_t now, uint32_t t)
{
    struct mem_txn *x = &m->txns[t];
    struct access a = run_take(m, x, &x->fetch);
    a.kind = MEM_READ;
    a.what = ACCESS_EXTRA;
    x->fetching = true;
    x->reads++;
    m->stats.extra_reads += a.bursts;
    access_send(m, now, t, &a);
}

static void burst_send(struct mem_ctrl *m, cycle_t now, uint32_t t)
{
    struct mem_txn *x = &m->txns[t];
    struct access a = run_take(m, x, &x->bursts);
    a.kind = mem_req_is_write(x->req) ? MEM_WRITE : MEM_READ;
    a.what = ACCESS_DATA;
    *(a.kind == MEM_READ ? &m->stats.burst_reads : &m->stats.burst_writes) += a.bursts;
    access_send(m, now, t, &a);
}

/* Has the transaction sent what it may send now? */
static bool txn_pauses(const struct mem_txn *x)
{
    if (x->extra < x->form.nextras)
        return false;
    if (x->fetch)
        return !x->fetching && x->form.extras_first && x->reads;
    return !x->bursts || (x->reads && (x->form.extras_first || x->fetching));
}

static void send(struct mem_ctrl *m, cycle_t now)
{
    for (int64_t i = 0; i < m->cfg.bursts_per_cycle && m->send_len; i++) {
        if (!port_can_push(m->to_dram, now)) {
            m->stats.fail_dram += !m->dram_full;
            m->dram_full = true;
            return;
        }
        m->dram_full = false;
        uint32_t t = m->sending[m->send_head];
        struct mem_txn *x = &m->txns[t];
        if (x->extra < x->form.nextras)
            extra_send(m, now, t);
        else if (x->fetch)
            fetch_send(m, now, t);
        else
            burst_send(m, now, t);
        if (txn_pauses(x)) {
            x->sending = false;
            m->send_head = m->send_head + 1 < m->ntxns ? m->send_head + 1 : 0;
            m->send_len--;
        }
    }
}

static void answer(struct mem_ctrl *m, cycle_t now)
{
    m->slice_full = false;
    while (req_ring_next(&m->answers) <= now) {
        uint32_t t = req_ring_head(&m->answers)->aux;
        struct port *to = m->to[m->txns[t].slice];
        if (!port_can_push(to, now)) {
            m->slice_full = true;
            return;
        }
        struct mem_req *r = req_ring_pop(&m->answers);
        hist_add(&m->stats.latency, now - r->at[MEM_AT_MC_IN]);
        m->stats.answers++;
        r->wire_bytes = m->txns[t].form.fill;
        m->free[m->nfree++] = t;
        port_push(to, now, r);
    }
}

static cycle_t sooner(cycle_t next, cycle_t at)
{
    return at < next ? at : next;
}

/* Full ports wake the controller when they have room again. */
static cycle_t next_interest(const struct mem_ctrl *m, cycle_t now)
{
    cycle_t next = port_next(m->from_dram);
    if (req_ring_room(&m->in))
        for (uint32_t s = 0; s < m->nslices; s++)
            next = sooner(next, port_next(m->from[s]));
    if (m->nfree)
        next = sooner(next, req_ring_next(&m->in));
    next = sooner(next, req_ring_next(&m->delayed));
    if (m->send_len && !m->dram_full)
        next = now + 1;
    if (!m->slice_full)
        next = sooner(next, req_ring_next(&m->answers));
    return next > now ? next : now + 1;
}

cycle_t mem_ctrl_tick(struct mem_ctrl *m, cycle_t now)
{
    collect(m, now);
    take(m, now);
    start(m, now);
    while (req_ring_next(&m->delayed) <= now) {
        uint32_t t = req_ring_head(&m->delayed)->aux;
        req_ring_pop(&m->delayed);
        txn_begin(m, now, t);
    }
    send(m, now);
    answer(m, now);
    return next_interest(m, now);
}

bool mem_ctrl_idle(const struct mem_ctrl *m)
{
    return !m->in.len && m->nfree == m->ntxns;
}

const struct mem_ctrl_stats *mem_ctrl_stats(const struct mem_ctrl *m)
{
    return &m->stats;
}

void mem_ctrl_dump(const struct mem_ctrl *m, FILE *out)
{
    fprintf(out, "  %u of %u wait, %u of %u in DRAM, %u with accesses to send%s, %u answers%s\n",
            m->in.len, m->in.cap, m->ntxns - m->nfree, m->ntxns, m->send_len,
            m->dram_full ? " (DRAM is full)" : "", m->answers.len,
            m->slice_full ? " (a slice is full)" : "");
    const struct req_slot *head = req_ring_head(&m->in);
    if (head)
        fprintf(out, "  oldest: %#" PRIx64 " of slice %u due at %" PRIu64 "\n", head->req->addr,
                head->aux, head->due);
}

static cycle_t component_tick(void *self, cycle_t now)
{
    return mem_ctrl_tick(self, now);
}

static void component_dump(const void *self, FILE *out)
{
    mem_ctrl_dump(self, out);
}

const struct component_ops mem_ctrl_component_ops = {component_tick, component_dump};
