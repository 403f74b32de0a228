#include "exec/support_forms.c"
