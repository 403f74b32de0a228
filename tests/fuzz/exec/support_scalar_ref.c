#include "exec/support_scalar_ref.c"
