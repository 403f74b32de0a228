/* Any bytes as an executable: refused with a message, or loaded, and then its first instructions
 * run. */
#include "a64/cpu.h"
#include "a64/elf.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {0};
    struct elf_program program;
    struct a64_cpu *c = xcalloc(1, sizeof *c);
    c->image = image_new(8 << 20);
    if (elf_load(&program, c->image, "input", data, size, &err)) {
        c->pc = program.entry;
        a64_run(c, 1000);
        elf_symbol_of(&program, c->pc);
    } else if (!*err.msg) {
        abort();
    }
    elf_free(&program);
    image_free(c->image);
    free(c);
    return 0;
}
