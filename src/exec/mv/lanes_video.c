#include "exec/lanes_loop.h"
const struct lane_entry MV(lanes_video)[] = {{0}};
