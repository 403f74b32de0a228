#include "exec/support_scalar_cvt.c"
