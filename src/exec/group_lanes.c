/* The version for this host. */
#include "exec/group_lanes.h"

#include "base/cpu.h"

#define X(level) extern const struct group_lanes group_lanes_##level;
CPU_LEVELS(X)
#undef X

const struct group_lanes *group_lanes_get(void)
{
    static const struct group_lanes *const tables[] = {
#define X(level) &group_lanes_##level,
        CPU_LEVELS(X)
#undef X
    };
    return tables[cpu_level()];
}
