/* The blocks, seen through an image of memory, and the machine of one channel. */
#include "support_memory.h"

#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

static const void *image_at(const void *self, addr_t addr, uint32_t bytes)
{
    const struct memory *mem = self;
    if (addr < MEMORY_BASE || addr + bytes > MEMORY_BASE + sizeof mem->bytes)
        return NULL;
    return mem->bytes + (addr - MEMORY_BASE);
}

static uint64_t image_used(const void *self)
{
    const struct memory *mem = self;
    return sizeof mem->bytes;
}

struct memory *memory_new(void)
{
    struct memory *mem = xcalloc(1, sizeof *mem);
    const struct interleave_cfg il = {.channels = 1, .slices = 1, .granule = 256};
    conf_defaults(l2_fields, l2_nfields, &mem->l2);
    conf_defaults(mem_ctrl_fields, mem_ctrl_nfields, &mem->mc);
    mem->mc.burst_bytes = 32;
    interleave_init(&mem->il, &il);
    mem->m = (struct tech_machine){.sms = 1,
                                   .slices = 1,
                                   .channels = 1,
                                   .l2 = &mem->l2,
                                   .mc = &mem->mc,
                                   .il = &mem->il,
                                   .core_mhz = 1400,
                                   .l2_mhz = 700,
                                   .dram_mhz = 700,
                                   .dram_bandwidth = 192.4e9 / 6,
                                   .memory_base = MEMORY_BASE,
                                   .memory_range = sizeof mem->bytes,
                                   .memory_bytes = sizeof mem->bytes,
                                   .image = {image_at, image_used, mem},
                                   .verify = true};
    return mem;
}

void memory_free(struct memory *mem)
{
    free(mem);
}

addr_t memory_block(uint32_t i)
{
    return MEMORY_BASE + (addr_t)i * MEMORY_BLOCK;
}

void memory_make_close(struct memory *mem, uint32_t i)
{
    uint32_t words[MEMORY_BLOCK / 4];
    for (uint32_t k = 0; k < ARRAY_LEN(words); k++)
        words[k] = 0x12345600 + k;
    memcpy(mem->bytes + (size_t)i * MEMORY_BLOCK, words, MEMORY_BLOCK);
}

void memory_make_random(struct memory *mem, uint32_t i)
{
    struct rng rng = {i + 1};
    for (uint32_t k = 0; k < MEMORY_BLOCK; k++)
        mem->bytes[(size_t)i * MEMORY_BLOCK + k] = (uint8_t)rng_below(&rng, 256);
}

struct mem_req memory_request(uint32_t block, enum mem_kind kind, uint16_t sectors, uint16_t full)
{
    return (struct mem_req){.addr = memory_block(block) + (addr_t)__builtin_ctz(sectors) * 32,
                            .bytes = mem_sector_count(sectors) * 32,
                            .kind = (uint8_t)kind,
                            .sectors = sectors,
                            .full = full};
}
