/* The version for this host. */
#include "exec/ldst_lanes.h"

#include "base/cpu.h"

#define X(level) extern const struct ldst_lanes ldst_lanes_##level, ldst_local_##level;
CPU_LEVELS(X)
#undef X

const struct ldst_lanes *ldst_lanes_get(enum ptx_space space)
{
    static const struct ldst_lanes *const tables[][2] = {
#define X(level) {&ldst_lanes_##level, &ldst_local_##level},
        CPU_LEVELS(X)
#undef X
    };
    return tables[cpu_level()][space == PTX_SPACE_LOCAL];
}
