/* The null objects: a machine without techniques. */
#include "mem/bound.h"
#include "mem/mem_req.h"

static uint16_t null_ask(const void *self, const struct line_view *v)
{
    (void)self;
    return v->fetch;
}

static void null_sent(void *self, const struct line_view *v, uint16_t asked, cycle_t now)
{
    (void)self, (void)v, (void)asked, (void)now;
}

static uint16_t null_valid(void *self, const struct mem_req *reply)
{
    (void)self;
    return reply->sectors;
}

static void null_life(void *self, addr_t line, const struct line_life *life, cycle_t now)
{
    (void)self, (void)line, (void)life, (void)now;
}

const struct request_policy request_policy_null = {.ask = null_ask,
                                                   .sent = null_sent,
                                                   .valid = null_valid,
                                                   .settled = null_life,
                                                   .left = null_life};

static uint32_t null_wire_bytes(void *self, const struct mem_req *r, bool reply, uint32_t payload)
{
    (void)self, (void)r, (void)reply;
    return payload;
}

static uint32_t null_packet_latency(void *self, const struct mem_req *r, cycle_t now)
{
    (void)self, (void)r, (void)now;
    return 0;
}

static void null_packet(void *self, struct mem_req *r, cycle_t now)
{
    (void)self, (void)r, (void)now;
}

static bool null_arrive(void *self, struct mem_req *r, cycle_t now)
{
    (void)self, (void)r, (void)now;
    return false;
}

const struct packet_policy packet_policy_null = {.wire_bytes = null_wire_bytes,
                                                 .send_latency = null_packet_latency,
                                                 .fill_latency = null_packet_latency,
                                                 .request = null_packet,
                                                 .arrive = null_arrive,
                                                 .answer = null_packet};

static void null_dram_form(void *self, cycle_t now, const struct mem_req *r, addr_t local,
                           uint32_t bursts, struct storage_form *f)
{
    (void)self, (void)now, (void)local;
    f->bursts = bursts;
    f->reads = 0;
    f->delay = 0;
    f->latency = 0;
    f->fill = r->bytes;
    f->extras_first = false;
    f->nextras = 0;
}

static uint32_t null_dram_done(void *self, cycle_t now, const struct mem_req *r,
                               const struct storage_form *f)
{
    (void)self, (void)now, (void)r;
    return f->latency;
}

static bool null_write_whole(void *self, addr_t line)
{
    (void)self, (void)line;
    return false;
}

static uint32_t null_l2_latency(void *self, const struct mem_req *r)
{
    (void)self, (void)r;
    return 0;
}

const struct storage_policy storage_policy_null = {null_dram_form, null_dram_done, null_write_whole,
                                                   null_l2_latency, NULL};

static uint32_t null_line_bytes(void *self, addr_t line, const struct line_form *form)
{
    (void)self, (void)line, (void)form;
    return 0;
}

static uint32_t null_hit_latency(void *self, uint32_t bytes, cycle_t now)
{
    (void)self, (void)bytes, (void)now;
    return 0;
}

static void null_placed(void *self, addr_t line, uint32_t bytes)
{
    (void)self, (void)line, (void)bytes;
}

const struct capacity_policy capacity_policy_null = {
    1, false, null_line_bytes, null_hit_latency, null_placed, NULL};

static struct line_form null_look(const void *self, addr_t line, bool is_here, enum mem_kind kind)
{
    (void)self, (void)line, (void)is_here, (void)kind;
    return (struct line_form){0};
}

static void null_enter(void *self, addr_t line, enum line_entry why)
{
    (void)self, (void)line, (void)why;
}

static void null_read(void *self, addr_t line, bool is_dirty)
{
    (void)self, (void)line, (void)is_dirty;
}

static bool null_change(void *self, addr_t line)
{
    (void)self, (void)line;
    return false;
}

static void null_store(void *self, addr_t line, struct line_form f)
{
    (void)self, (void)line, (void)f;
}

static bool null_is_stale(const void *self, addr_t line)
{
    (void)self, (void)line;
    return false;
}

const struct form_policy form_policy_null = {null_look,  null_enter,    null_read, null_change,
                                             null_store, null_is_stale, NULL};

static enum codec_answer null_submit(void *self, cycle_t now, struct codec_job *job)
{
    (void)self, (void)now, (void)job;
    return CODEC_DONE;
}

static bool null_done(void *self, cycle_t now, struct codec_job *job)
{
    (void)self, (void)now, (void)job;
    return false;
}

static cycle_t null_next(const void *self, cycle_t now)
{
    (void)self, (void)now;
    return CYCLE_NEVER;
}

static void null_join(void *self, const struct codec_client *client)
{
    (void)self, (void)client;
}

const struct codec_engine codec_engine_null = {null_submit, null_done, null_next, NULL, null_join};

const struct encoding_cfg encoding_cfg_null = {.mode = ENCODED_NONE};

struct encoding_cfg encoding_cfg_of_reader(const struct encoding_cfg *data)
{
    return (struct encoding_cfg){.mode =
                                     data->mode == ENCODED_NONE ? ENCODED_NONE : ENCODED_DECODED};
}

static uint64_t as_numbered(void *self, const struct block_grid *g, uint64_t i)
{
    (void)self, (void)g;
    return i;
}

const struct block_policy block_policy_null = {as_numbered, NULL};

const struct l1_seams l1_seams_null = {
#define L1_SEAM(name, type, ...) .name = &type##_null,
#include "parsim/seams.def"
};

#define CHANNEL_SEAM(name, type, ...) .name = &type##_null,
const struct channel_seams channel_seams_null = {
#include "parsim/seams.def"
};

const struct slice_seams slice_seams_null = {
#define SLICE_SEAM(name, type, ...)   .name = &type##_null,
#define CHANNEL_SEAM(name, type, ...) .channel.name = &type##_null,
#include "parsim/seams.def"
};
