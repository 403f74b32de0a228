#include "exec/support_scalar_bits.c"
