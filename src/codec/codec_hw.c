/* What the papers say that the codecs cost in hardware. */
#include "codec/codec_int.h"

#define UNKNOWN -1.0
#define NO_AREA UNKNOWN, UNKNOWN
#define NOT_GIVEN        \
    {                    \
        UNKNOWN, NO_AREA \
    }
#define E2MC_SOURCE "E2MC (Lal et al., IPDPS 2017), Tables III and VI; one unit, 128-byte block"

static const struct codec_hw by_id[CODEC_ID_COUNT] = {
    [CODEC_ZERO] = {NOT_GIVEN, NOT_GIVEN, UNKNOWN, "", "a helper, not a design"},
    [CODEC_BDI] = {{5, NO_AREA},
                   {1, NO_AREA},
                   UNKNOWN,
                   "CABA (Vijaykumar et al., ISCA 2015), section 6, after BDI (PACT 2012)",
                   "E2MC's Table VI takes 1 cycle for compression too"},
    [CODEC_FPC] = {{6, NO_AREA}, {10, NO_AREA}, UNKNOWN, "E2MC (IPDPS 2017), Table VI", ""},
    [CODEC_FPC_SEG] = {NOT_GIVEN, NOT_GIVEN, UNKNOWN, "CABA (ISCA 2015), section 5.1.4",
                       "runs as assist warps, not as a circuit"},
    [CODEC_CPACK] = {{16, NO_AREA},
                     {9, NO_AREA},
                     UNKNOWN,
                     "C-Pack (Chen et al., TVLSI 2010), as quoted by later work; 64-byte line",
                     "not checked against the paper itself"},
    [CODEC_CPACK4] = {NOT_GIVEN, NOT_GIVEN, UNKNOWN, "CABA (ISCA 2015), section 5.1.4",
                      "runs as assist warps, not as a circuit"},
    [CODEC_DPC] = {NOT_GIVEN, NOT_GIVEN, UNKNOWN, "data filtering thesis, section 3.4.1",
                   "the source gives no latency"},
    [CODEC_BPC] = {NOT_GIVEN, NOT_GIVEN, UNKNOWN, "Bit-Plane Compression (Kim et al., ISCA 2016)",
                   "not checked against the paper itself"},
    [CODEC_BESTOF] = {NOT_GIVEN, NOT_GIVEN, UNKNOWN, "CABA (ISCA 2015), section 7.3",
                      "idealized: no selection overhead"},
    [CODEC_GSR] = {{1, 0.011624, 16.22},
                   {1, 0.007332, 15.86},
                   40,
                   "G-Scalar thesis, Table 2.3; 1024-bit pipeline registers included, 1.4 GHz",
                   "0.67 ns and 0.35 ns; reading the encoding bits adds a third cycle"},
};

static const struct {
    unsigned symbol_bits;
    struct codec_unit compress, decompress;
} e2mc_units[] = {
    {4, {154, 0.02, 1.43}, {233, 0.01, 5.12}},
    {8, {84, 0.08, 4.01}, {143, 0.04, 11.91}},
    {16, {46, 0.11, 5.47}, {82, 0.07, 11.89}},
    {32, {24, 0.17, 9.34}, {42, 0.12, 14.30}},
};

struct codec_hw codec_hw(const struct codec *c)
{
    if (c->id != CODEC_E2MC)
        return by_id[c->id];
    struct codec_hw hw = {.node_nm = 32, .source = E2MC_SOURCE, .note = "at the DRAM clock"};
    for (unsigned i = 0; i < ARRAY_LEN(e2mc_units); i++) {
        if (e2mc_units[i].symbol_bits == c->symbol_bits) {
            hw.compress = e2mc_units[i].compress;
            hw.decompress = e2mc_units[i].decompress;
        }
    }
    hw.decompress.latency_cycles /= c->ways;
    return hw;
}
