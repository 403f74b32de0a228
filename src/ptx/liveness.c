#include "ptx/cfg.h"
uint32_t ptx_regs_needed(const struct ptx_func *f)
{
    return f->maxnreg ? f->maxnreg : 1;
}
