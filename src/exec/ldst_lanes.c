#include "exec/ldst_lanes.h"

#include "base/cpu.h"

#define X(level) extern const struct ldst_lanes ldst_lanes_##level;
CPU_LEVELS(X)
#undef X

const struct ldst_lanes *ldst_lanes_get(void)
{
    static const struct ldst_lanes *const tables[] = {
#define X(level) &ldst_lanes_##level,
        CPU_LEVELS(X)
#undef X
    };
    return tables[cpu_level()];
}
