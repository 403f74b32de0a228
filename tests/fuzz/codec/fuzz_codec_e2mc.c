/* All symbol lengths and ways; the table comes from a fixed text of small numbers. */
#include "base/common.h"
#include "fuzz/codec/support_fuzz_codec.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct codec_table *table_for(unsigned symbol_bits)
{
    static struct codec_table *tables[33];
    if (!tables[symbol_bits]) {
        struct codec_counts *counts = codec_counts_new(symbol_bits, 0);
        for (uint32_t i = 0; i < 4000; i++) {
            uint32_t word = i * i % 3000 / (1 + i % 7) * (i % 5 ? 1 : 0x10001);
            codec_counts_add(counts, &word, 4);
        }
        tables[symbol_bits] = codec_table_build(counts);
        codec_counts_free(counts);
    }
    return tables[symbol_bits];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    unsigned symbol_bits = 4u << (data[0] >> 2 & 3), ways = 1u << (data[0] >> 4 & 3);
    char name[16];
    snprintf(name, sizeof name, "e2mc-%uw%u", symbol_bits, ways);
    fuzz_codec(name, table_for(symbol_bits), data, size);
    return 0;
}
