/* Patches of an ELF file: one segment more, in the place of a header that nobody needs to run. */
#include "a64/rewrite.h"

#include "base/file.h"
#include "base/outfile.h"
#include "base/vec.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PAGE = 4096, SEGMENT_ALIGN = 65536, STUBS_MOST = PAGE, BRANCH_REACH = 128 << 20 };

/* --- instructions --- */

enum {
    RET = (int)0xd65f03c0,
    PUSH_LINK = (int)0xa9bf7bfd, /* stp x29, x30, [sp, #-16]! */
    POP_LINK = (int)0xa8c17bfd,  /* ldp x29, x30, [sp], #16 */
    REG_CRC = (int)0x8380001f,   /* of 8 bytes */
    LOOKUP = (int)0xa38003e0,
    UPDATE = (int)0xc380001f,
    SIMD = 1 << 22,
    BRANCH = 0x14000000,
    CALL = (int)0x94000000,
    BRANCH_NE = 0x54000001
};

static uint32_t branch_to(int base, uint64_t from, uint64_t to)
{
    return (uint32_t)base | ((uint32_t)((int64_t)(to - from) >> 2) & 0x3ffffff);
}

bool rewrite_can_move(uint32_t word)
{
    static const struct {
        uint32_t mask, value;
    } relative[] = {
        {0x1f000000, 0x10000000}, /* adr, adrp */
        {0x7c000000, 0x14000000}, /* b, bl */
        {0xff000010, 0x54000000}, /* b.cond */
        {0x7c000000, 0x34000000}, /* cbz, tbz */
        {0x3b000000, 0x18000000}, /* literals */
    };
    for (unsigned k = 0; k < ARRAY_LEN(relative); k++)
        if ((word & relative[k].mask) == relative[k].value)
            return false;
    return true;
}

struct words {
    uint32_t *data;
    size_t len, cap;
};

/* reg_crc...; lookup; b.ne miss; ret; miss: push; bl body; update; pop; ret; body: what was first;
 * b behind it. */
static void add_stub(struct words *w, uint32_t table, const struct rewrite_function *f,
                     uint32_t first, uint64_t base)
{
    const uint32_t simd = f->is_simd ? SIMD : 0;
    for (uint32_t r = 0; r < 16; r++)
        if (f->inputs >> r & 1)
            vec_push(w, (uint32_t)REG_CRC | (r >= 8 ? SIMD : 0) | table << 16 | f->cut << 10 |
                            (r & 7) << 5);
    vec_push(w, (uint32_t)LOOKUP | simd | table << 16);
    vec_push(w, (uint32_t)BRANCH_NE | 2 << 5);
    vec_push(w, (uint32_t)RET);
    vec_push(w, (uint32_t)PUSH_LINK);
    vec_push(w, (uint32_t)CALL | 4);
    vec_push(w, (uint32_t)UPDATE | simd | table << 16);
    vec_push(w, (uint32_t)POP_LINK);
    vec_push(w, (uint32_t)RET);
    vec_push(w, first);
    const uint32_t back = branch_to(BRANCH, base + 4 * w->len, f->entry + 4);
    vec_push(w, back);
}

/* --- the file --- */

struct image_file {
    const char *path;
    uint8_t *at;
    size_t len;
    Elf64_Ehdr head;
    Elf64_Phdr *headers; /* in the file's bytes' order */
};

static bool read_headers(struct image_file *f, struct err *err)
{
    if (f->len < sizeof f->head || memcmp(f->at, ELFMAG, SELFMAG))
        return err_set(err, "%s: not an executable (ELF)", f->path);
    memcpy(&f->head, f->at, sizeof f->head);
    const uint64_t bytes = (uint64_t)f->head.e_phnum * sizeof(Elf64_Phdr);
    if (f->head.e_phentsize != sizeof(Elf64_Phdr) || f->head.e_phoff > f->len ||
        bytes > f->len - f->head.e_phoff)
        return err_set(err, "%s: its program headers are damaged", f->path);
    f->headers = xcalloc(f->head.e_phnum + 1u, sizeof *f->headers);
    memcpy(f->headers, f->at + f->head.e_phoff, bytes);
    return true;
}

/* The header that becomes the new segment's: a note, else what says how the stack is. */
static Elf64_Phdr *spare_header(struct image_file *f)
{
    static const uint32_t types[] = {PT_NOTE, PT_GNU_STACK};
    for (unsigned t = 0; t < ARRAY_LEN(types); t++)
        for (unsigned k = f->head.e_phnum; k-- > 0;)
            if (f->headers[k].p_type == types[t])
                return &f->headers[k];
    return NULL;
}

static uint64_t end_of(const struct image_file *f)
{
    uint64_t end = 0;
    for (unsigned k = 0; k < f->head.e_phnum; k++) {
        const Elf64_Phdr *h = &f->headers[k];
        if (h->p_type == PT_LOAD && h->p_vaddr + h->p_memsz > end)
            end = h->p_vaddr + h->p_memsz;
    }
    return align_up(end, SEGMENT_ALIGN);
}

/* Where the word at an address is in the file; NULL: nowhere. */
static uint8_t *word_at(const struct image_file *f, uint64_t addr)
{
    for (unsigned k = 0; k < f->head.e_phnum; k++) {
        const Elf64_Phdr *h = &f->headers[k];
        if (h->p_type == PT_LOAD && addr >= h->p_vaddr && addr - h->p_vaddr + 4 <= h->p_filesz &&
            h->p_offset + (addr - h->p_vaddr) + 4 <= f->len)
            return f->at + h->p_offset + (addr - h->p_vaddr);
    }
    return NULL;
}

/* The stubs; the functions' first words become branches to them. */
static bool patch(struct image_file *f, uint64_t base, const struct rewrite_function *at, size_t n,
                  struct words *w, struct err *err)
{
    for (size_t k = 0; k < n; k++) {
        uint8_t *word = word_at(f, at[k].entry);
        uint32_t first;
        if (!word)
            return err_set(err, "%s: no code at 0x%llx", f->path, (unsigned long long)at[k].entry);
        memcpy(&first, word, 4);
        if (base + STUBS_MOST - at[k].entry >= BRANCH_REACH)
            return err_set(
                err,
                "%s: the function at 0x%llx is %llu MB from where new code has room, and "
                "a branch reaches 128 MB",
                f->path, (unsigned long long)at[k].entry,
                (unsigned long long)((base - at[k].entry) >> 20));
        const uint32_t jump = branch_to(BRANCH, at[k].entry, base + 4 * w->len);
        add_stub(w, (uint32_t)k, &at[k], first, base);
        memcpy(word, &jump, 4);
    }
    return true;
}

static bool write_out(const struct image_file *f, const char *out, const uint32_t *code,
                      size_t code_bytes, struct err *err)
{
    static const uint8_t zeros[PAGE];
    const size_t pad = align_up(f->len, PAGE) - f->len;
    struct outfile *o = outfile_open(out, err);
    if (!o)
        return false;
    FILE *file = outfile_stream(o);
    fwrite(f->at, 1, f->len, file);
    fwrite(zeros, 1, pad, file);
    fwrite(code, 1, code_bytes, file);
    return outfile_close(o, err) &&
           (!chmod(out, 0755) || err_set(err, "%s: cannot be made executable", out));
}

static bool rewrite(struct image_file *f, const char *out, const struct rewrite_function *at,
                    size_t n, struct err *err)
{
    struct words code = {0};
    Elf64_Phdr *spare = spare_header(f);
    if (!spare)
        return err_set(err, "%s: has no program header that a new segment could take", f->path);
    const uint64_t base = end_of(f);
    bool is_ok = patch(f, base, at, n, &code, err);
    *spare = (Elf64_Phdr){.p_type = PT_LOAD,
                          .p_flags = PF_R | PF_X,
                          .p_offset = align_up(f->len, PAGE),
                          .p_vaddr = base,
                          .p_paddr = base,
                          .p_filesz = 4 * code.len,
                          .p_memsz = 4 * code.len,
                          .p_align = PAGE};
    memcpy(f->at + f->head.e_phoff, f->headers, f->head.e_phnum * sizeof *f->headers);
    is_ok = is_ok && write_out(f, out, code.data, 4 * code.len, err);
    vec_free(&code);
    return is_ok;
}

bool rewrite_file(const char *path, const char *out, const struct rewrite_function *at, size_t n,
                  uint64_t start, struct err *err)
{
    struct image_file f = {.path = path};
    struct rewrite_function moved[REWRITE_MOST];
    f.at = (uint8_t *)file_read(path, &f.len, err);
    bool is_ok = f.at && read_headers(&f, err);
    for (size_t k = 0; is_ok && k < n; k++) {
        moved[k] = at[k];
        moved[k].entry -= start - f.head.e_entry;
    }
    is_ok = is_ok && rewrite(&f, out, moved, n, err);
    free(f.headers);
    free(f.at);
    return is_ok;
}
