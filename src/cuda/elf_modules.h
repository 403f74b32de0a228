/* The device code inside an executable, a library or an object file: every fatbin in it. */
#ifndef CUDA_ELF_MODULES_H
#define CUDA_ELF_MODULES_H

#include "cuda/fatbin.h"

/* Calls `fn` for every entry of every fatbin of an ELF file, until it returns false. False if the
 * file cannot be read or is malformed; a file without device code is fine and calls nothing. */
bool elf_each_module(const char *path, bool (*fn)(const struct fatbin_entry *e, void *arg),
                     void *arg, struct err *err);
/* The same for a file in memory, which `name` names in messages. */
bool elf_each_module_in(const char *name, const void *data, size_t len,
                        bool (*fn)(const struct fatbin_entry *e, void *arg), void *arg,
                        struct err *err);

/* An executable with device code that asks for no libcudart: it has the runtime built in. False
 * for what is not readable, too. */
bool elf_has_static_runtime(const char *path);

#endif
