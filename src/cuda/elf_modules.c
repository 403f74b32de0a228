/* Sections of an ELF file that may be damaged: every size is held against the file's. */
#include "cuda/elf_modules.h"

#include "base/file.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

struct elf_file {
    const char *name;
    const uint8_t *data;
    size_t len;
    const Elf64_Ehdr *head;
    const char *strings; /* section names; NUL-terminated */
    size_t strings_len;
};

static bool inside(const struct elf_file *f, uint64_t at, uint64_t bytes)
{
    return at <= f->len && bytes <= f->len - at;
}

/* By value: sections need not be aligned in a damaged file. */
static bool section_get(const struct elf_file *f, unsigned i, Elf64_Shdr *s)
{
    uint64_t at = f->head->e_shoff + (uint64_t)i * sizeof *s;
    if (f->head->e_shoff > f->len || !inside(f, at, sizeof *s))
        return false;
    memcpy(s, f->data + at, sizeof *s);
    return s->sh_type == SHT_NOBITS || inside(f, s->sh_offset, s->sh_size);
}

static const char *section_name(const struct elf_file *f, const Elf64_Shdr *s)
{
    return s->sh_name < f->strings_len ? f->strings + s->sh_name : "";
}

static bool elf_open(struct elf_file *f, Elf64_Ehdr *head, const char *name, const void *data,
                     size_t len, struct err *err)
{
    Elf64_Shdr s;
    *f = (struct elf_file){.name = name, .data = data, .len = len, .head = head, .strings = ""};
    if (len < sizeof *head || memcmp(data, ELFMAG, SELFMAG))
        return err_set(err, "%s: not an ELF file", name);
    memcpy(head, data, sizeof *head);
    if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_ident[EI_DATA] != ELFDATA2LSB)
        return err_set(err, "%s: not a 64-bit little-endian ELF file", name);
    if (!head->e_shnum)
        return true;
    if (head->e_shentsize != sizeof s || head->e_shstrndx >= head->e_shnum ||
        !section_get(f, head->e_shstrndx, &s) || s.sh_type == SHT_NOBITS)
        return err_set(err, "%s: its section headers are damaged or cut off", name);
    f->strings = (const char *)f->data + s.sh_offset;
    f->strings_len = s.sh_size;
    if (!s.sh_size || f->strings[s.sh_size - 1])
        return err_set(err, "%s: its section names are damaged", name);
    return true;
}

struct visit {
    bool (*fn)(const struct fatbin_entry *e, void *arg);
    void *arg;
    bool stopped;
};

static bool visit_entry(const struct fatbin_entry *e, void *arg)
{
    struct visit *v = arg;
    v->stopped = !v->fn(e, v->arg);
    return !v->stopped;
}

/* Fatbins follow each other at multiples of 8, with zeros between. */
static bool scan_section(const struct elf_file *f, const Elf64_Shdr *s, struct visit *v,
                         struct err *err)
{
    const uint8_t *p = f->data + s->sh_offset;
    uint64_t at = 0;
    while (!v->stopped && at + FATBIN_HEADER <= s->sh_size) {
        uint64_t bytes = fatbin_bytes(p + at);
        if (!bytes) {
            at += 8;
            continue;
        }
        if (bytes > s->sh_size - at)
            return err_set(err, "%s: a fatbin of %llu bytes is cut off", f->name,
                           (unsigned long long)bytes);
        if (!fatbin_each(p + at, bytes, visit_entry, v, err))
            return err_prefix(err, "%s", f->name);
        at = align_up(at + bytes, 8);
    }
    return true;
}

static bool is_fatbin_section(const char *name)
{
    return !strcmp(name, ".nv_fatbin") || !strcmp(name, "__nv_relfatbin");
}

bool elf_each_module_in(const char *name, const void *data, size_t len,
                        bool (*fn)(const struct fatbin_entry *e, void *arg), void *arg,
                        struct err *err)
{
    struct elf_file f;
    Elf64_Ehdr head;
    struct visit v = {fn, arg, false};
    if (!elf_open(&f, &head, name, data, len, err))
        return false;
    for (unsigned i = 0; i < head.e_shnum && !v.stopped; i++) {
        Elf64_Shdr s;
        if (!section_get(&f, i, &s))
            return err_set(err, "%s: section %u is cut off", name, i);
        if (s.sh_type != SHT_NOBITS && is_fatbin_section(section_name(&f, &s)) &&
            !scan_section(&f, &s, &v, err))
            return false;
    }
    return true;
}

bool elf_each_module(const char *path, bool (*fn)(const struct fatbin_entry *e, void *arg),
                     void *arg, struct err *err)
{
    size_t len;
    char *data = file_read(path, &len, err);
    if (!data)
        return false;
    bool ok = elf_each_module_in(path, data, len, fn, arg, err);
    free(data);
    return ok;
}

/* --- the static runtime --- */

static bool count_entry(const struct fatbin_entry *e, void *arg)
{
    (void)e;
    *(bool *)arg = true;
    return false;
}

static bool needs_cudart(const struct elf_file *f)
{
    Elf64_Shdr s, strings;
    for (unsigned i = 0; i < f->head->e_shnum; i++) {
        if (!section_get(f, i, &s) || s.sh_type != SHT_DYNAMIC ||
            !section_get(f, s.sh_link, &strings) || strings.sh_type != SHT_STRTAB)
            continue;
        for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= s.sh_size; at += sizeof(Elf64_Dyn)) {
            Elf64_Dyn d;
            memcpy(&d, f->data + s.sh_offset + at, sizeof d);
            const char *name = (const char *)f->data + strings.sh_offset + d.d_un.d_val;
            if (d.d_tag == DT_NEEDED && d.d_un.d_val < strings.sh_size &&
                strnlen(name, strings.sh_size - d.d_un.d_val) > 9 &&
                (!strncmp(name, "libcudart", 9) || !strncmp(name, "libcuda.so", 10)))
                return true;
        }
    }
    return false;
}

static void scan_symbols(const struct elf_file *f, const Elf64_Shdr *s,
                         void (*fn)(const char *name, uint64_t value, void *arg), void *arg)
{
    Elf64_Shdr strings;
    if (!section_get(f, s->sh_link, &strings) || strings.sh_type != SHT_STRTAB || !strings.sh_size)
        return;
    const char *names = (const char *)f->data + strings.sh_offset;
    if (names[strings.sh_size - 1])
        return;
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= s->sh_size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym sym;
        memcpy(&sym, f->data + s->sh_offset + at, sizeof sym);
        if (ELF64_ST_TYPE(sym.st_info) == STT_FUNC && sym.st_shndx != SHN_UNDEF &&
            sym.st_name < strings.sh_size)
            fn(names + sym.st_name, sym.st_value, arg);
    }
}

void elf_each_function(const void *data, size_t len,
                       void (*fn)(const char *name, uint64_t value, void *arg), void *arg)
{
    struct err err;
    struct elf_file f;
    Elf64_Ehdr head;
    Elf64_Shdr s;
    if (!elf_open(&f, &head, "", data, len, &err))
        return;
    for (unsigned i = 0; i < head.e_shnum; i++)
        if (section_get(&f, i, &s) && s.sh_type == SHT_SYMTAB)
            scan_symbols(&f, &s, fn, arg);
}

static void find_registration(const char *name, uint64_t value, void *arg)
{
    (void)value;
    if (!strcmp(name, "__cudaRegisterFatBinary"))
        *(bool *)arg = true;
}

static enum elf_runtime find_runtime(const char *path, const char *data, size_t len)
{
    struct err err;
    struct elf_file f;
    Elf64_Ehdr head;
    bool has_code = false, has_symbol = false;
    if (!elf_open(&f, &head, path, data, len, &err) ||
        !elf_each_module_in(path, data, len, count_entry, &has_code, &err))
        return ELF_RUNTIME_NONE;
    elf_each_function(data, len, find_registration, &has_symbol);
    if (has_symbol)
        return ELF_RUNTIME_STATIC;
    if (needs_cudart(&f))
        return ELF_RUNTIME_SHARED;
    return has_code ? ELF_RUNTIME_STRIPPED : ELF_RUNTIME_NONE;
}

enum elf_runtime elf_find_runtime(const char *path)
{
    struct err err;
    size_t len;
    char *data = file_read(path, &len, &err);
    enum elf_runtime r = data ? find_runtime(path, data, len) : ELF_RUNTIME_NONE;
    free(data);
    return r;
}
