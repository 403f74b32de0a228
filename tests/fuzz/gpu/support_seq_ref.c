#include "fuzz/exec/support_seq_ref.c"
