#include "exec/support_scalar_float.c"
