#include "exec/support_lanes.c"
