#include "a64/support_pair.h"

#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs those before it */
#include <cmocka.h>

enum { STACK = 8 << 20, ROUND = 512 };

/* The stack is where QEMU has made it, with what is on it. */
static void copy_start(struct pair *p)
{
    struct a64_cpu *c = &p->cpu;
    const uint64_t sp = p->theirs.sp, page = sp & -(uint64_t)IMAGE_PAGE;
    uint8_t bytes[ROUND];
    assert_true(image_map(c->image, page - STACK, STACK + 64 * IMAGE_PAGE, IMAGE_R | IMAGE_W));
    for (uint64_t at = sp; gdb_memory(&p->gdb, at, bytes, ROUND); at += ROUND)
        image_put(c->image, at, bytes, ROUND);
    memcpy(c->x, p->theirs.x, sizeof p->theirs.x);
    c->x[A64_SP] = sp;
    c->pc = p->theirs.pc;
    c->nzcv = p->theirs.cpsr >> 28;
}

void pair_start(struct pair *p, const char *const *argv)
{
    struct err err;
    size_t len;
    *p = (struct pair){0};
    p->cpu.image = image_new(UINT64_C(1) << 30);
    char *bytes = file_read(argv[0], &len, &err);
    assert_non_null(bytes);
    assert_true(elf_load(&p->program, p->cpu.image, argv[0], (uint8_t *)bytes, len, &err));
    free(bytes);
    gdb_start(&p->gdb, argv);
    gdb_registers(&p->gdb, &p->theirs);
    copy_start(p);
}

void pair_end(struct pair *p)
{
    gdb_end(&p->gdb);
    elf_free(&p->program);
    image_free(p->cpu.image);
}

/* Memory that a call has made, or written: where its arguments point to is copied. */
void pair_follow_call(struct pair *p, const uint64_t *a, uint64_t number)
{
    enum { READ = 63, BRK = 214, MUNMAP = 215, MMAP = 222, MPROTECT = 226 };
    struct image *m = p->cpu.image;
    const uint64_t result = p->theirs.x[0], len = align_up(a[1], IMAGE_PAGE);
    uint8_t bytes[ROUND];
    if (number == BRK && a[0]) {
        const uint64_t first = align_up(p->program.end, IMAGE_PAGE);
        const uint64_t last = align_up(result, IMAGE_PAGE);
        for (uint64_t at = first; at < last; at += IMAGE_PAGE)
            if (image_is_free(m, at, IMAGE_PAGE))
                image_map(m, at, IMAGE_PAGE, IMAGE_R | IMAGE_W);
    } else if (number == MMAP && (int64_t)result > 0) {
        image_map(m, result, len, (unsigned)a[2] & 7);
    } else if (number == MUNMAP) {
        image_unmap(m, a[0], len);
    } else if (number == MPROTECT) {
        image_protect(m, a[0], len, (unsigned)a[2] & 7);
    } else {
        for (unsigned i = 0; i < 6; i++)
            if (gdb_memory(&p->gdb, a[i], bytes, number == READ ? a[2] % ROUND : ROUND))
                image_put(m, a[i], bytes, number == READ ? a[2] % ROUND : ROUND);
    }
    p->cpu.x[0] = result;
    p->cpu.pc += 4;
}

bool pair_is_same(const struct pair *p)
{
    const struct a64_cpu *c = &p->cpu;
    const struct gdb_registers *r = &p->theirs;
    return c->pc == r->pc && c->x[A64_SP] == r->sp && c->nzcv == r->cpsr >> 28 &&
           !memcmp(c->x, r->x, sizeof r->x) && !memcmp(c->v, r->v, sizeof r->v) &&
           c->fpsr == r->fpsr && c->fpcr == r->fpcr;
}

void pair_show(const struct pair *p, uint64_t pc, uint32_t word)
{
    const struct elf_symbol *s = elf_symbol_of(&p->program, pc);
    printf("behind 0x%llx (%s), word 0x%08x:\n", (unsigned long long)pc, s ? s->name : "?", word);
    for (unsigned i = 0; i < 31; i++)
        if (p->cpu.x[i] != p->theirs.x[i])
            printf("x%u is %llx, QEMU's %llx\n", i, (unsigned long long)p->cpu.x[i],
                   (unsigned long long)p->theirs.x[i]);
    for (unsigned i = 0; i < 32; i++)
        if (memcmp(&p->cpu.v[i], p->theirs.v[i], 16))
            printf("v%u is %016llx%016llx, QEMU's %016llx%016llx\n", i,
                   (unsigned long long)p->cpu.v[i].d[1], (unsigned long long)p->cpu.v[i].d[0],
                   (unsigned long long)p->theirs.v[i][1], (unsigned long long)p->theirs.v[i][0]);
    printf("pc %llx %llx, sp %llx %llx, nzcv %x %x, fpsr %x %x\n", (unsigned long long)p->cpu.pc,
           (unsigned long long)p->theirs.pc, (unsigned long long)p->cpu.x[A64_SP],
           (unsigned long long)p->theirs.sp, p->cpu.nzcv, p->theirs.cpsr >> 28, p->cpu.fpsr,
           p->theirs.fpsr);
}
