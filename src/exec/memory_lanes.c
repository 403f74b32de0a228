/* The version for this host. */
#include "exec/memory_lanes.h"

#include "base/cpu.h"

#define X(level) extern const struct memory_lanes memory_lanes_##level;
CPU_LEVELS(X)
#undef X

const struct memory_lanes *memory_lanes_get(void)
{
    static const struct memory_lanes *const tables[] = {
#define X(level) &memory_lanes_##level,
        CPU_LEVELS(X)
#undef X
    };
    return tables[cpu_level()];
}
