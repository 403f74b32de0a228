#include "fuzz/exec/support_launch.c"
