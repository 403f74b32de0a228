/* Lines that come or leave encoded: what is between the cache and the engine that decodes and
 * encodes for it. */
#include "mem/l1_int.h"

#include <stdlib.h>

/* --- jobs --- */

static void jobs_init(struct l1_jobs *q)
{
    q->first = NULL;
    q->end = &q->first;
}

static void jobs_push(struct l1_jobs *q, struct l1_job *j)
{
    j->next = NULL;
    *q->end = j;
    q->end = &j->next;
}

static void jobs_remove(struct l1_jobs *q, const struct l1_job *j)
{
    struct l1_job **at = &q->first;
    while (*at && *at != j)
        at = &(*at)->next;
    if (!*at)
        return;
    *at = j->next;
    if (!*at)
        q->end = at;
}

static struct l1_job *job_new(struct l1 *l, cycle_t now, addr_t line, enum codec_kind kind,
                              uint16_t slot)
{
    struct l1_job *j = l->code.free;
    if (j) {
        l->code.free = j->next;
    } else {
        j = xcalloc(1, sizeof *j);
        j->made = l->code.made;
        l->code.made = j;
    }
    *j = (struct l1_job){.owner = l, .made = j->made, .since = now};
    j->job = (struct codec_job){.line = line,
                                .kind = (uint8_t)kind,
                                .bytes = (uint16_t)l->cfg.line_bytes,
                                .slot = slot,
                                .token = (uint64_t)(uintptr_t)j};
    return j;
}

static void job_free(struct l1_job *j)
{
    j->next = j->owner->code.free;
    j->owner->code.free = j;
}

/* The engine takes jobs again. */
static void wake(void *self, cycle_t at)
{
    struct l1_code *c = self;
    c->retry = at < c->retry ? at : c->retry;
}

void l1_code_init(struct l1_code *c, const struct codec_engine *engine,
                  const struct encoding_cfg *cfg)
{
    c->client = (struct codec_client){wake, c};
    c->retry = CYCLE_NEVER;
    c->engine = engine;
    c->cfg = *cfg;
    c->counts = cfg->counts ? cfg->counts : &c->own_counts;
    jobs_init(&c->reads);
    jobs_init(&c->writes);
    c->leaving.end = &c->leaving.first;
    engine->join(engine->self, &c->client);
    if (cfg->store_lines) {
        c->stores = xcalloc(cfg->store_lines, sizeof(struct l1_job *));
        c->store_lines = xcalloc(cfg->store_lines, sizeof *c->store_lines);
    }
}

void l1_code_free(struct l1_code *c)
{
    while (c->made) {
        struct l1_job *j = c->made;
        c->made = j->made;
        free(j);
    }
    free(c->stores);
    free(c->store_lines);
}

/* --- requests that the miss queue had no room for --- */

static void leave(struct l1 *l, cycle_t now, struct mem_req *r)
{
    struct l1_reqs *q = &l->code.leaving;
    if (!q->first && l1_room(l)) {
        l1_request_send(l, now, r);
        return;
    }
    r->next = NULL;
    *q->end = r;
    q->end = &r->next;
}

static void leave_all(struct l1 *l, cycle_t now)
{
    struct l1_reqs *q = &l->code.leaving;
    while (q->first && l1_room(l)) {
        struct mem_req *r = q->first;
        q->first = r->next;
        if (!q->first)
            q->end = &q->first;
        r->next = NULL;
        l1_request_send(l, now, r);
    }
}

/* The request once more, as one that has not been anywhere. */
static struct mem_req *again(struct l1 *l, cycle_t now, const struct mem_req *r, uint16_t sectors,
                             enum l1_what what)
{
    struct mem_req *n = l1_request_new(l, now, r->addr & l->line_mask, sectors, what);
    n->kind = r->kind;
    n->space = r->space;
    n->full = r->full;
    n->token = r->token;
    n->slot = r->slot;
    return n;
}

/* --- what the engine says --- */

static enum codec_answer submit(struct l1 *l, cycle_t now, struct codec_job *job)
{
    const struct codec_engine *e = l->code.engine;
    const enum codec_answer a = e->submit(e->self, now, job);
    if (LIKELY(a <= CODEC_BUSY || (a == CODEC_REFUSED && job->kind == CODEC_STORE)))
        return a;
    breach_note(l->breach, SEAM_codec_engines, "%s: %d",
                a == CODEC_REFUSED ? "submit() refuses what is to be decoded"
                                   : "submit() gives none of enum codec_answer",
                (int)a);
    return CODEC_DONE;
}

/* --- the store buffer --- */

static void store_remove(struct l1_code *c, const struct l1_job *j)
{
    uint32_t i = 0;
    while (c->stores[i] != j)
        i++;
    for (c->nstores--; i < c->nstores; i++) {
        c->stores[i] = c->stores[i + 1];
        c->store_lines[i] = c->store_lines[i + 1];
    }
}

static struct l1_job *store_find(const struct l1_code *c, addr_t line)
{
    for (uint32_t i = 0; i < c->nstores; i++)
        if (c->store_lines[i] == line)
            return c->stores[i];
    return NULL;
}

/* How the engine has left the line of `r`. */
static void store_form(const struct l1 *l, struct mem_req *r, const struct codec_job *job)
{
    r->form = job->bytes <= l->code.cfg.most_bytes
                  ? (struct line_form){job->bytes, job->algorithm, 0}
                  : (struct line_form){.reads = job->is_left};
}

static void count_form(struct l1 *l, const struct mem_req *r)
{
    ++*(r->form.bytes ? &l->stats.coded_stores : &l->stats.stores_raw);
}

/* It is here: its warp need not wait for what happens to it later. */
static void store_ack(struct l1 *l, struct mem_req *r)
{
    if (r->what != L1_STORE)
        return;
    token_push(&l->acks, r->token);
    r->what = L1_RESTORE;
}

/* Offers the line to the engine, if the buffer has room. True: it waits there; else it can leave in
 * its form. */
static bool store_offer(struct l1 *l, cycle_t now, struct mem_req *r, bool is_part)
{
    struct l1_code *c = &l->code;
    struct l1_job *j = job_new(l, now, r->addr & l->line_mask, CODEC_STORE,
                               r->what == L1_STORE ? r->slot : CODEC_NO_SLOT);
    j->job.is_part = is_part;
    const enum codec_answer a = c->writes.first ? CODEC_BUSY : submit(l, now, &j->job);
    if (a == CODEC_DONE || a == CODEC_REFUSED) {
        if (a == CODEC_REFUSED)
            j->job.bytes = UINT16_MAX;
        store_form(l, r, &j->job);
        job_free(j);
        return false;
    }
    j->req = r;
    c->taken += a == CODEC_TAKEN;
    if (a == CODEC_BUSY)
        jobs_push(&c->writes, j);
    c->store_lines[c->nstores] = j->job.line;
    c->stores[c->nstores++] = j;
    store_ack(l, r);
    return true;
}

/* The write of a whole line, or of one that was written in part, waits if it can. */
static bool store_wait(struct l1 *l, cycle_t now, struct mem_req *r, bool is_part)
{
    const struct l1_code *c = &l->code;
    if (!c->cfg.store_lines)
        return false;
    if (c->nstores == c->cfg.store_lines) {
        l->stats.stores_overflow++;
        r->form.reads = 1;
        return false;
    }
    if (store_offer(l, now, r, is_part))
        return true;
    count_form(l, r);
    return false;
}

bool l1_code_store(struct l1 *l, cycle_t now, struct mem_req *r)
{
    return store_wait(l, now, r, false);
}

/* The line that waits has another write in it. */
static void store_join(struct l1 *l, cycle_t now, struct l1_job *j)
{
    l->code.counts->joined++;
    j->joined = now + 1;
    if (j->req->what == L1_OFFER) { /* now it has to leave */
        j->req->what = L1_RESTORE;
        l->stats.requests_write++;
    }
}

/* The write of a part leaves as the whole line, if that can be encoded. */
static bool store_widen(struct l1 *l, cycle_t now, const struct l1_access *a)
{
    if (l->code.nstores == l->code.cfg.store_lines || !l1_room(l))
        return false;
    struct mem_req *r = l1_request_new(l, now, a->addr & l->line_mask, l->all, L1_STORE);
    r->kind = MEM_WRITE;
    r->token = a->token;
    r->slot = a->slot;
    const bool waits = store_offer(l, now, r, true);
    if (!waits && !r->form.bytes) {
        mem_req_put(l->pool, r);
        return false;
    }
    l->stats.requests_write++;
    l->code.counts->widened++;
    if (!waits) {
        count_form(l, r);
        l1_request_send(l, now, r);
    }
    return true;
}

bool l1_code_join(struct l1 *l, cycle_t now, const struct l1_access *a, bool is_here)
{
    if (!l->code.cfg.encode_hits)
        return false;
    struct l1_job *j = store_find(&l->code, a->addr & l->line_mask);
    if (!j)
        return is_here && a->full != l->all && store_widen(l, now, a);
    store_join(l, now, j);
    token_push(&l->acks, a->token);
    return true;
}

/* What was offered and is not encoded need not leave: below it lies as raw. */
static void store_leave(struct l1 *l, cycle_t now, struct mem_req *r)
{
    if (r->what != L1_OFFER || r->form.bytes) {
        l->stats.requests_write += r->what == L1_OFFER;
        leave(l, now, r);
        return;
    }
    mem_req_put(l->pool, r);
}

void l1_code_offer(struct l1 *l, cycle_t now, addr_t line)
{
    struct mem_req *r = l1_request_new(l, now, line, l->all, L1_OFFER);
    r->kind = MEM_WRITE;
    if (!l1_code_store(l, now, r))
        store_leave(l, now, r);
}

bool l1_code_yield(struct l1 *l, cycle_t now, addr_t line)
{
    struct l1_code *c = &l->code;
    struct l1_job *j = store_find(c, line);
    if (!j)
        return true;
    if (c->leaving.first || !l1_room(l))
        return false;
    const struct l1_job *waits = c->writes.first;
    while (waits && waits != j)
        waits = waits->next;
    l->stats.stores_yielded++;
    store_remove(c, j);
    store_leave(l, now, j->req);
    j->req = NULL;
    if (waits) {
        jobs_remove(&c->writes, j);
        job_free(j);
    }
    return true;
}

/* --- requests that were refused --- */

/* The line with the write in it is encoded again before it leaves. */
static bool refused_waits(struct l1 *l, cycle_t now, struct mem_req *line)
{
    if (!l->code.cfg.encode_refused)
        return false;
    struct l1_job *j = store_find(&l->code, line->addr);
    if (!j)
        return store_wait(l, now, line, true);
    store_join(l, now, j);
    store_ack(l, line);
    l->stats.requests_write--;
    mem_req_put(l->pool, line);
    return true;
}

void l1_code_retry(struct l1 *l, cycle_t now, struct mem_req *reply)
{
    const bool is_atomic = reply->kind == MEM_ATOMIC;
    struct mem_req *line =
        again(l, now, reply, l->all, is_atomic ? L1_RESTORE : (enum l1_what)reply->what);
    line->kind = MEM_WRITE;
    line->full = l->all;
    l->stats.replies++;
    l->outstanding--;
    l->stats.requests_write++;
    if (is_atomic || !refused_waits(l, now, line))
        leave(l, now, line);
    if (is_atomic) {
        struct mem_req *atomic = again(l, now, reply, reply->sectors, L1_DIRECT);
        atomic->bytes = reply->bytes;
        l->stats.refused_atomics++;
        l->stats.requests_read++;
        leave(l, now, atomic);
    } else {
        l->stats.refused_writes++;
    }
    mem_req_put(l->pool, reply);
}

/* --- what comes back --- */

/* Raw, as a line that may be encoded when it was read often. */
static void send_back(struct l1 *l, cycle_t now, addr_t line)
{
    struct mem_req *r = l1_request_new(l, now, line, l->all, L1_OFFER);
    r->kind = MEM_WRITE;
    r->full = l->all;
    r->form = (struct line_form){.reads = 1};
    l->stats.requests_write++;
    leave(l, now, r);
}

static void fill_end(struct l1 *l, cycle_t now, const struct l1_job *j)
{
    struct mem_req *reply = j->req;
    if (reply->refused) {
        l1_code_retry(l, now, reply);
        return;
    }
    if (UNLIKELY(j->job.is_unwanted) && reply->kind == MEM_READ)
        send_back(l, now, j->job.line);
    l1_fill_finish(l, now, reply);
}

/* A write has joined the store since its bytes were read: it is encoded once more. */
static bool store_again(struct l1_job *j, cycle_t now, const struct codec_job *job)
{
    struct l1 *l = j->owner;
    if (job->kind != CODEC_STORE || !j->req || job->is_left || j->joined <= job->began)
        return false;
    l->code.counts->again++;
    j->job.bytes = (uint16_t)l->cfg.line_bytes;
    jobs_push(&l->code.writes, j);
    wake(&l->code, now);
    return true;
}

/* The engine has finished with job `j`, as `job` says. */
static void job_end(struct l1_job *j, cycle_t now, const struct codec_job *job)
{
    struct l1 *l = j->owner;
    switch ((enum codec_kind)j->job.kind) {
    case CODEC_FILL:
        l->stats.codec_waits += now - j->since;
        l->mshr.parked -= j->is_parked;
        fill_end(l, now, j);
        break;
    case CODEC_HIT:
        token_push(&l->done, j->token);
        break;
    case CODEC_STORE:
        if (j->req) {
            store_remove(&l->code, j);
            store_form(l, j->req, job);
            count_form(l, j->req);
            store_leave(l, now, j->req);
        }
        break;
    }
    job_free(j);
}

/* Gives a decoding job to the engine, or behind those that wait for it. True: it is not done. */
static bool read_submit(struct l1 *l, cycle_t now, struct l1_job *j)
{
    struct l1_code *c = &l->code;
    switch (c->reads.first ? CODEC_BUSY : submit(l, now, &j->job)) {
    case CODEC_TAKEN:
        c->taken++;
        return true;
    case CODEC_BUSY:
        jobs_push(&c->reads, j);
        return true;
    default:
        job_free(j);
        return false;
    }
}

/* The slot of the oldest access that waits for the reply. */
static uint16_t slot_of(const struct l1 *l, const struct mem_req *reply)
{
    if (reply->what != L1_FETCH)
        return reply->slot;
    const struct mshr *m = &l->mshr;
    return m->entries[reply->token].waiters
               ? (uint16_t)(m->waiters[(size_t)reply->token * m->merges].token >> 32)
               : CODEC_NO_SLOT;
}

/* The line is here: its register may serve another miss, as long as there is a buffer for it. */
static void park(struct l1 *l, cycle_t now, struct l1_job *j)
{
    const struct mem_req *r = j->req;
    j->is_parked = !r->refused && r->what == L1_FETCH &&
                   l->mshr.parked < l->code.cfg.line_buffers &&
                   l->mshr.entries[r->token].pending == r->sectors;
    l->mshr.parked += j->is_parked;
    if (j->is_parked)
        l1_unblock(l, now);
}

bool l1_code_fill(struct l1 *l, cycle_t now, struct mem_req *reply)
{
    struct l1_job *j = job_new(l, now, reply->addr & l->line_mask, CODEC_FILL, slot_of(l, reply));
    j->req = reply;
    j->job.bytes = reply->form.bytes;
    j->job.algorithm = reply->form.algorithm;
    j->job.is_unawaited =
        j->job.slot == CODEC_NO_SLOT || (reply->refused && reply->kind == MEM_WRITE);
    if (!read_submit(l, now, j))
        return false;
    park(l, now, j);
    return true;
}

bool l1_code_hit(struct l1 *l, cycle_t now, uint32_t i, const struct l1_access *a)
{
    struct l1_job *j = job_new(l, now, l->tags.tag[i], CODEC_HIT, a->slot);
    j->token = a->token;
    j->job.bytes = l->forms[i].bytes;
    return read_submit(l, now, j);
}

static void retry(struct l1 *l, cycle_t now, struct l1_jobs *q)
{
    struct l1_code *c = &l->code;
    struct l1_job *j;
    while ((j = q->first)) {
        enum codec_answer a = submit(l, now, &j->job);
        if (a == CODEC_BUSY)
            return;
        jobs_remove(q, j);
        if (a == CODEC_TAKEN)
            c->taken++;
        else
            job_end(j, now, &j->job);
    }
}

void l1_code_tick(struct l1 *l, cycle_t now)
{
    struct l1_code *c = &l->code;
    struct codec_job job;
    while (c->taken && c->engine->done(c->engine->self, now, &job)) {
        struct l1_job *j = (struct l1_job *)(uintptr_t)job.token;
        j->owner->code.taken--;
        if (!store_again(j, now, &job))
            job_end(j, now, &job);
    }
    if (c->retry <= now) {
        c->retry = CYCLE_NEVER;
        retry(l, now, &c->reads);
        retry(l, now, &c->writes);
    }
    leave_all(l, now);
}

cycle_t l1_code_next(const struct l1 *l, cycle_t now)
{
    const struct l1_code *c = &l->code;
    if (c->leaving.first && l1_room(l)) /* if not, a pop makes room */
        return now;
    const cycle_t next = c->taken ? c->engine->next(c->engine->self, now) : CYCLE_NEVER;
    return c->retry < next ? c->retry : next;
}
