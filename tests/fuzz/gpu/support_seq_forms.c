#include "fuzz/exec/support_seq_forms.c"
