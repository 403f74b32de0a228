/* How far this process may read: a program's fatbins lie in its own memory, with sizes inside that
 * need not be true. */
#ifndef CUDA_MAPPED_H
#define CUDA_MAPPED_H

#include "base/common.h"

/* Bytes from `p` on that are mapped for reading without a gap; 0 if `p` is not. */
size_t mapped_bytes(const void *p);

#endif
