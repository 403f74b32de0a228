#include "fuzz/exec/support_mutate.c"
