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

enum elf_runtime {
    ELF_RUNTIME_NONE,     /* no device code, or not readable: not our business */
    ELF_RUNTIME_SHARED,   /* asks for libcudart or libcuda */
    ELF_RUNTIME_STATIC,   /* has the runtime built in, and its symbols */
    ELF_RUNTIME_STRIPPED, /* has it built in, without symbols */
};
enum elf_runtime elf_find_runtime(const char *path);

/* Calls `fn` for every defined function in the symbol table of an ELF file in memory. */
void elf_each_function(const void *data, size_t len,
                       void (*fn)(const char *name, uint64_t value, void *arg), void *arg);

#endif
