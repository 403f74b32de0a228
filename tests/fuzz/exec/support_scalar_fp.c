#include "exec/support_scalar_fp.c"
