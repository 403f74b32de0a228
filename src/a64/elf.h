/* Static AArch64 executables of Linux: segments into an image, symbols for messages. */
#ifndef A64_ELF_H
#define A64_ELF_H

#include "a64/image.h"
#include "base/err.h"

struct elf_symbol {
    uint64_t addr, size;
    char *name;
};

struct elf_program {
    uint64_t entry;
    uint64_t headers; /* where the program headers are in the image; 0: nowhere */
    unsigned nheaders;
    uint64_t end;                   /* behind the last segment */
    VEC(struct elf_symbol) symbols; /* by address */
};

/* Loads the file's bytes; an error names the file. A position-independent one is moved. */
bool elf_load(struct elf_program *p, struct image *m, const char *path, const uint8_t *file,
              size_t len, struct err *err);
void elf_free(struct elf_program *p);
/* The symbol that an address is in, or NULL. */
const struct elf_symbol *elf_symbol_of(const struct elf_program *p, uint64_t addr);

#endif
