/* Compression by dedicated circuits: in DRAM; or in DRAM, the L2 and on the interconnect; or the
 * same without latency and cost of metadata ("A Framework for Accelerating Bottlenecks in GPU
 * Execution with Assist Warps", sections 5.3, 6 and 7). */
#ifndef TECH_HWCOMP_HWCOMP_H
#define TECH_HWCOMP_HWCOMP_H

#include "tech/tech.h"

enum hwcomp_variant { HWCOMP_MEM, HWCOMP_ALL, HWCOMP_IDEAL };

struct hwcomp_cfg {
#define ROW(TYPE, name, ...) CONF_MEMBER_##TYPE name;
#include "tech/hwcomp/hwcomp_cfg.def"
#undef ROW
};

extern const struct conf_field hwcomp_fields[];
extern const size_t hwcomp_nfields;

bool hwcomp_bind(const struct technique *t, const struct tech_machine *m, const void *cfg,
                 struct tech_seams *s, struct tech_part *part, struct err *err);

#endif
