/* Device code in and out: PTX that a program loads is written to a folder (PARSIM_SAVE_PTX), and
 * files of such a folder are loaded in its place (PARSIM_PTX). A text is known by the hash of its
 * bytes, which is its file's name. */
#ifndef CUDA_DEVICE_CODE_H
#define CUDA_DEVICE_CODE_H

#include "base/err.h"

/* `name`: for messages, of 4096 bytes; becomes the file's. What takes the text's place, to be
 * freed, or NULL: nothing does, or an error. */
char *device_code_swap(const char *text, size_t len, char *name, size_t *swapped_len,
                       struct err *err);

/* False with an error: PARSIM_PTX has nothing of what the program has loaded so far. */
bool device_code_held(struct err *err);

#endif
