/* What compression by assist warps is to a machine: designs, section, energy. */
#include "tech/caba/caba.h"
#include "tech/engine_energy.h"

static bool check(const struct tech_api *api, const void *p, struct err *err)
{
    const struct caba_cfg *cfg = p;
    (void)api;
    if (!is_pow2((uint64_t)cfg->region))
        return err_set(err, "caba.region: %lld is not a power of two", (long long)cfg->region);
    if (cfg->off_share > cfg->on_share)
        return err_set(err, "caba.off_share: %g is more than caba.on_share, %g", cfg->off_share,
                       cfg->on_share);
    return is_pow2((uint64_t)cfg->segment_bytes) ||
           err_set(err, "caba.segment_bytes: %lld is not a power of two",
                   (long long)cfg->segment_bytes);
}

/* caba-ALG: by assist warps of the SMs; raw in the L1, encoded in the L2, in DRAM and on the
 * interconnect. */
static const struct tech_design designs[] = {
    {"caba-bdi", "lines compressed with bdi-lanes by assist warps", "bdi-lanes", 0, false},
    {"caba-fpc", "lines compressed with fpc-seg by assist warps", "fpc-seg", 0, false},
    {"caba-cpack", "lines compressed with cpack4 by assist warps", "cpack4", 0, false},
    {"caba-bestofall",
     "lines compressed by assist warps, each with the best of bdi-lanes, fpc-seg and cpack4, "
     "chosen for "
     "nothing",
     "bdi-lanes,fpc-seg,cpack4", 0, false},
    {"caba-adaptive",
     "lines compressed by assist warps where that pays: the algorithm by region, on or off by "
     "itself",
     "bdi-lanes,fpc-seg,cpack4", CABA_ADAPTIVE, false},
    {"caba-raw", "as caba-bdi, with lines as they are (for tests)", "", 0, false},
    {"caba-bdi-l1-2x", "caba-bdi, the L1 keeps lines encoded with twice the tags", "bdi-lanes",
     CABA_L1 | 2, false},
    {"caba-bdi-l1-4x", "caba-bdi, the L1 keeps lines encoded with 4 times the tags", "bdi-lanes",
     CABA_L1 | 4, false},
    {"caba-bdi-l2-2x", "caba-bdi, encoded lines take less room in the L2, twice the tags",
     "bdi-lanes", CABA_L2 | 2, false},
    {"caba-bdi-l2-4x", "caba-bdi, encoded lines take less room in the L2, 4 times the tags",
     "bdi-lanes", CABA_L2 | 4, false},
    {"caba-bdi-rawl2", "caba-bdi, the L2 has a line raw once it was read", "bdi-lanes", CABA_RAW_L2,
     false},
    {"caba-bdi-direct", "caba-bdi, loads cut what they need out of encoded lines in the L1",
     "bdi-lanes", CABA_DIRECT, false},
};

const char *const caba_engine_jobs_names[] = {
    [ENGINE_ALL] = "all", [ENGINE_DECODES] = "decodes", [ENGINE_ENCODES] = "encodes", NULL};

static const struct conf_field fields[] = {
#define ROWS_FILE   "tech/caba/caba_cfg.def"
#define ROWS_STRUCT caba_cfg
#include "parsim/rows_entries.h"
};

static const struct energy_row energy[] = {ENERGY_MD_ACCESS};

const struct technique caba_technique = {
    .name = "caba",
    .designs = designs,
    .ndesigns = ARRAY_LEN(designs),
    .section = {"caba", fields, ARRAY_LEN(fields), sizeof(struct caba_cfg), check},
    .energy = energy,
    .nenergy = ARRAY_LEN(energy),
    .bind = caba_bind,
};
