/* Reading executables. Nothing in the file is believed before it is checked. */
#include "a64/elf.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* Where position-independent programs go. */
#define PIE_BASE UINT64_C(0x5500000000)

enum { HEADERS_MAX = 256, SECTIONS_MAX = 4096, SYMBOLS_MAX = 1 << 20, NAME_MAX_SHOWN = 256 };

struct file {
    const char *path;
    const uint8_t *at;
    size_t len;
    Elf64_Ehdr head;
};

/* `n` things of `size` bytes are in the file from `offset` on. */
static bool has(const struct file *f, uint64_t offset, uint64_t n, uint64_t size)
{
    return offset <= f->len && n <= (f->len - offset) / size;
}

static bool check_head(struct file *f, struct err *err)
{
    Elf64_Ehdr *h = &f->head;
    if (f->len < sizeof *h || memcmp(f->at, ELFMAG, SELFMAG))
        return err_set(err, "%s: not an executable (ELF)", f->path);
    memcpy(h, f->at, sizeof *h);
    if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB ||
        h->e_machine != EM_AARCH64)
        return err_set(err, "%s: not for 64-bit little-endian Arm (machine %u, AArch64 is %u)",
                       f->path, h->e_machine, EM_AARCH64);
    if (h->e_type != ET_EXEC && h->e_type != ET_DYN)
        return err_set(err,
                       "%s: an ELF file, but not an executable (type %u); link it with -static",
                       f->path, h->e_type);
    if (h->e_phentsize != sizeof(Elf64_Phdr) || !h->e_phnum || h->e_phnum > HEADERS_MAX ||
        !has(f, h->e_phoff, h->e_phnum, sizeof(Elf64_Phdr)))
        return err_set(err, "%s: its program headers are damaged", f->path);
    return true;
}

static Elf64_Phdr header(const struct file *f, unsigned i)
{
    Elf64_Phdr h;
    memcpy(&h, f->at + f->head.e_phoff + i * sizeof h, sizeof h);
    return h;
}

static unsigned prot_of(uint32_t flags)
{
    return (flags & PF_R ? IMAGE_R : 0) | (flags & PF_W ? IMAGE_W : 0) |
           (flags & PF_X ? IMAGE_X : 0);
}

static uint64_t page_down(uint64_t v)
{
    return v & -(uint64_t)IMAGE_PAGE;
}

/* Pages of a segment; the first may have bytes of the one before, whose rights it keeps. */
static bool map_segment(struct elf_program *p, struct image *m, const Elf64_Phdr *h, uint64_t start)
{
    const uint64_t first = page_down(start), mapped = align_up(p->end, IMAGE_PAGE);
    const uint64_t end = align_up(start + h->p_memsz, IMAGE_PAGE);
    const unsigned prot = prot_of(h->p_flags);
    if (p->end && first < mapped) {
        if (!image_protect(m, first, mapped - first, IMAGE_R | IMAGE_W | IMAGE_X))
            return false;
        return end <= mapped || image_map(m, mapped, end - mapped, prot);
    }
    return image_map(m, first, end - first, prot);
}

static bool load_segment(struct elf_program *p, struct image *m, const struct file *f,
                         const Elf64_Phdr *h, uint64_t bias, struct err *err)
{
    const uint64_t start = h->p_vaddr + bias;
    if ((h->p_filesz && !has(f, h->p_offset, h->p_filesz, 1)) || h->p_filesz > h->p_memsz)
        return err_set(err, "%s: a segment lies behind the end of the file", f->path);
    if (h->p_vaddr >= IMAGE_END || start >= IMAGE_END || h->p_memsz > IMAGE_END - start ||
        start < p->end)
        return err_set(err, "%s: the segment at 0x%llx (0x%llx bytes) overlaps or is out of order",
                       f->path, (unsigned long long)h->p_vaddr, (unsigned long long)h->p_memsz);
    if (h->p_memsz && (!map_segment(p, m, h, start) ||
                       (h->p_filesz && !image_put(m, start, f->at + h->p_offset, h->p_filesz))))
        return err_set(
            err, "%s: the segment at 0x%llx does not fit into the guest's memory (%llu MB)",
            f->path, (unsigned long long)h->p_vaddr, (unsigned long long)(m->limit >> 20));
    if (f->head.e_phoff >= h->p_offset && f->head.e_phoff < h->p_offset + h->p_filesz)
        p->headers = start + (f->head.e_phoff - h->p_offset);
    p->end = h->p_memsz ? start + h->p_memsz : p->end;
    return true;
}

static bool load_segments(struct elf_program *p, struct image *m, const struct file *f,
                          uint64_t bias, struct err *err)
{
    for (unsigned i = 0; i < f->head.e_phnum; i++) {
        const Elf64_Phdr h = header(f, i);
        if (h.p_type == PT_INTERP)
            return err_set(err, "%s: is linked dynamically; link it with -static", f->path);
        if (h.p_type == PT_LOAD && !load_segment(p, m, f, &h, bias, err))
            return false;
    }
    return p->end || err_set(err, "%s: has nothing to load", f->path);
}

/* --- symbols --- */

static void add_symbol(struct elf_program *p, const Elf64_Sym *s, const char *names, uint64_t len,
                       uint64_t bias)
{
    const unsigned type = ELF64_ST_TYPE(s->st_info);
    if (s->st_shndx == SHN_UNDEF || s->st_name >= len || !names[s->st_name] ||
        (type != STT_FUNC && type != STT_OBJECT && type != STT_NOTYPE && type != STT_GNU_IFUNC) ||
        names[s->st_name] == '$')
        return;
    const uint64_t most = len - s->st_name;
    const size_t n = strnlen(names + s->st_name, most < NAME_MAX_SHOWN ? most : NAME_MAX_SHOWN);
    struct elf_symbol new = {.addr = s->st_value + bias,
                             .size = s->st_size,
                             .name = xasprintf("%.*s", (int)n, names + s->st_name)};
    vec_push(&p->symbols, new);
}

static Elf64_Shdr section(const struct file *f, unsigned i)
{
    Elf64_Shdr s;
    memcpy(&s, f->at + f->head.e_shoff + i * sizeof s, sizeof s);
    return s;
}

static int by_address(const void *a, const void *b)
{
    const struct elf_symbol *x = a, *y = b;
    if (x->addr != y->addr)
        return x->addr < y->addr ? -1 : 1;
    if (x->size != y->size) /* the larger one comes last and is found */
        return x->size < y->size ? -1 : 1;
    return -strcmp(x->name, y->name);
}

/* What is damaged here is left out: symbols are for messages alone. */
static void read_symbols(struct elf_program *p, const struct file *f, uint64_t bias)
{
    const unsigned n = f->head.e_shnum;
    if (f->head.e_shentsize != sizeof(Elf64_Shdr) || n > SECTIONS_MAX ||
        !has(f, f->head.e_shoff, n, sizeof(Elf64_Shdr)))
        return;
    for (unsigned i = 0; i < n; i++) {
        const Elf64_Shdr s = section(f, i);
        if (s.sh_type != SHT_SYMTAB || s.sh_link >= n || !has(f, s.sh_offset, s.sh_size, 1))
            continue;
        const Elf64_Shdr names = section(f, s.sh_link);
        if (!has(f, names.sh_offset, names.sh_size, 1))
            continue;
        for (uint64_t k = 0; k < s.sh_size / sizeof(Elf64_Sym) && p->symbols.len < SYMBOLS_MAX;
             k++) {
            Elf64_Sym symbol;
            memcpy(&symbol, f->at + s.sh_offset + k * sizeof symbol, sizeof symbol);
            add_symbol(p, &symbol, (const char *)f->at + names.sh_offset, names.sh_size, bias);
        }
    }
    if (p->symbols.len)
        qsort(p->symbols.data, p->symbols.len, sizeof *p->symbols.data, by_address);
}

const struct elf_symbol *elf_symbol_of(const struct elf_program *p, uint64_t addr)
{
    size_t low = 0, high = p->symbols.len;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (p->symbols.data[middle].addr <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    const struct elf_symbol *s = low ? &p->symbols.data[low - 1] : NULL;
    const uint64_t reach = s && s->size ? s->size : IMAGE_PAGE; /* assembly gives no sizes */
    return s && addr - s->addr < reach ? s : NULL;
}

bool elf_load(struct elf_program *p, struct image *m, const char *path, const uint8_t *file,
              size_t len, struct err *err)
{
    struct file f = {.path = path, .at = file, .len = len};
    *p = (struct elf_program){0};
    if (!check_head(&f, err))
        return false;
    const uint64_t bias = f.head.e_type == ET_DYN ? PIE_BASE : 0;
    p->entry = f.head.e_entry + bias;
    p->nheaders = f.head.e_phnum;
    if (!load_segments(p, m, &f, bias, err))
        return false;
    read_symbols(p, &f, bias);
    return true;
}

void elf_free(struct elf_program *p)
{
    for (size_t i = 0; i < p->symbols.len; i++)
        free(p->symbols.data[i].name);
    vec_free(&p->symbols);
}
