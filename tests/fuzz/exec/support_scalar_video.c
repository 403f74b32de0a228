#include "exec/support_scalar_video.c"
