/* Energy of circuits that several techniques have: rows of their tables (parsim/rows.h). */
#ifndef TECH_ENGINE_ENERGY_H
#define TECH_ENGINE_ENERGY_H

/* G-Scalar's circuits take 16.22 and 15.86 mW at 1.4 GHz for 1024 bits a cycle, 11.6 and 11.3 pJ,
 * and that is 19% and 30% of BDI's: 61 and 38 pJ a block. Other codecs of fixed circuits: the same.
 * `events` are blocks. */
#define ENERGY_ENGINE_ENCODE(events)                                              \
    {                                                                             \
        "engines", NULL, "engine_encode", 61, events,                             \
            "seed 002, Table 2.3: 16.22 mW / 1.4 GHz / 19%, a block of 128 bytes" \
    }
#define ENERGY_ENGINE_DECODE(events)                                              \
    {                                                                             \
        "engines", NULL, "engine_decode", 38, events,                             \
            "seed 002, Table 2.3: 15.86 mW / 1.4 GHz / 30%, a block of 128 bytes" \
    }
/* Of who has a cmem.h. */
#define ENERGY_MD_ACCESS                                                       \
    {                                                                          \
        "md_cache", NULL, "md_access", 5.5, "cmem.md_hits? + cmem.md_misses?", \
            "seed 002, Table 4.6: 4.42 pJ for 8 KB, at 40 nm"                  \
    }

#endif
