/* Starting a guest, running it, saying why it ended. */
#include "a64/process.h"

#include "a64/syscall.h"
#include "base/file.h"
#include "base/interrupt.h"

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STACK_BYTES = 8 << 20, WORDS_MAX = 4096, STRINGS_MAX = 1 << 20 };
#define STACK_TOP      (UINT64_C(1) << 47)
#define DEFAULT_MEMORY (UINT64_C(4) << 30)

/* FP ASIMD AES PMULL SHA1 SHA2 CRC32 CPUID: QEMU's Cortex-A53. No LSE, no SVE. */
enum { HWCAP = 0x8fb };

/* --- the stack that a program finds --- */

struct stack {
    struct image *image;
    uint64_t at;
    bool is_bad; /* something did not fit */
};

static uint64_t push(struct stack *s, const void *bytes, uint64_t len)
{
    s->at -= len;
    s->is_bad |= STACK_TOP - s->at > STRINGS_MAX || !image_put(s->image, s->at, bytes, len);
    return s->at;
}

static uint64_t push_text(struct stack *s, const char *text)
{
    const size_t len = strlen(text) + 1;
    if (s->is_bad || len > STRINGS_MAX) {
        s->is_bad = true;
        return 0;
    }
    return push(s, text, len);
}

/* Fills in the auxiliary vector; returns its words. */
static size_t auxiliary(const struct elf_program *p, uint64_t random, uint64_t name, uint64_t *to)
{
    const uint64_t all[][2] = {{AT_PHDR, p->headers},
                               {AT_PHENT, sizeof(Elf64_Phdr)},
                               {AT_PHNUM, p->nheaders},
                               {AT_PAGESZ, IMAGE_PAGE},
                               {AT_BASE, 0},
                               {AT_FLAGS, 0},
                               {AT_ENTRY, p->entry},
                               {AT_UID, A64_USER},
                               {AT_EUID, A64_USER},
                               {AT_GID, A64_USER},
                               {AT_EGID, A64_USER},
                               {AT_HWCAP, HWCAP},
                               {AT_CLKTCK, 100},
                               {AT_RANDOM, random},
                               {AT_SECURE, 0},
                               {AT_EXECFN, name},
                               {AT_NULL, 0}};
    memcpy(to, all, sizeof all);
    return sizeof all / sizeof(uint64_t);
}

static bool make_stack(struct a64_process *p, struct err *err)
{
    static const char random_bytes[] = "sixteen by chance"; /* the same in every run */
    struct stack s = {.image = p->image, .at = STACK_TOP - 16};
    uint64_t words[WORDS_MAX + 64];
    size_t n = 0;
    if (p->o.argc + p->o.nenv + 3 > WORDS_MAX)
        return err_set(err, "%zu arguments and variables are too many", p->o.argc + p->o.nenv);
    const uint64_t name = push_text(&s, p->o.path), random = push(&s, random_bytes, 16);
    words[n++] = p->o.argc;
    for (size_t i = 0; i < p->o.argc; i++)
        words[n++] = push_text(&s, p->o.argv[i]);
    words[n++] = 0;
    for (size_t i = 0; i < p->o.nenv; i++)
        words[n++] = push_text(&s, p->o.env[i]);
    words[n++] = 0;
    n += auxiliary(&p->program, random, name, words + n);
    s.at = ((s.at - n * 8) & ~UINT64_C(15)) + n * 8;
    p->cpu.x[A64_SP] = push(&s, words, n * 8);
    return !s.is_bad ||
           err_set(err, "the arguments and variables are longer than %d bytes", STRINGS_MAX);
}

/* --- a process --- */

static bool load(struct a64_process *p, struct err *err)
{
    size_t len;
    char *bytes = file_read(p->o.path, &len, err);
    if (!bytes)
        return false;
    const bool is_loaded =
        elf_load(&p->program, p->image, p->o.path, (const uint8_t *)bytes, len, err);
    free(bytes);
    if (!is_loaded)
        return false;
    p->brk_start = p->brk = align_up(p->program.end, IMAGE_PAGE);
    p->cpu.pc = p->program.entry;
    if (!image_map(p->image, STACK_TOP - STACK_BYTES, STACK_BYTES, IMAGE_R | IMAGE_W))
        return err_set(err, "%s: no room for the stack", p->o.path);
    return make_stack(p, err);
}

static bool open_files(struct a64_process *p, struct err *err)
{
    for (unsigned i = 0; i < A64_FILES; i++)
        p->files[i].host = -1;
    for (int i = 0; i < 3; i++)
        p->files[i].host = dup(i);
    p->root = p->o.root ? open(p->o.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    return !p->o.root || p->root >= 0 ||
           err_set(err, "--root %s: not a folder that can be opened", p->o.root);
}

struct a64_process *a64_process_new(const struct a64_options *o, struct err *err)
{
    struct a64_process *p = xcalloc(1, sizeof *p);
    p->o = *o;
    p->image = p->cpu.image = image_new(o->memory_bytes ? o->memory_bytes : DEFAULT_MEMORY);
    if (o->memo && o->memo->enabled)
        p->cpu.memo = memo_unit_new(o->memo, o->l2_way_sets);
    if (open_files(p, err) && load(p, err))
        return p;
    a64_process_free(p);
    return NULL;
}

void a64_process_free(struct a64_process *p)
{
    if (!p)
        return;
    for (unsigned i = 0; i < A64_FILES; i++) {
        if (p->files[i].host >= 0)
            close(p->files[i].host);
        free(p->files[i].path);
    }
    if (p->root >= 0)
        close(p->root);
    free(p->folder);
    elf_free(&p->program);
    image_free(p->image);
    memo_unit_free(p->cpu.memo);
    vec_free(&p->noted);
    free(p);
}

uint64_t a64_process_ns(const struct a64_process *p)
{
    return (p->clock ? p->clock(p->clock_ctx) : p->cpu.inst) + p->slept_ns;
}

bool a64_process_serve(struct a64_process *p)
{
    struct a64_cpu *c = &p->cpu;
    if (c->stop.kind == A64_CLOCK) {
        c->x[c->stop.code] = a64_process_ns(p) / 16; /* cntfrq_el0: 62.5 MHz */
        c->stop.kind = A64_RUNNING;
    } else if (c->stop.kind == A64_SVC) {
        c->stop.kind = A64_RUNNING;
        a64_syscall(p);
    } else {
        return false;
    }
    c->pc += 4;
    return true;
}

void a64_process_run(struct a64_process *p, uint64_t n)
{
    struct a64_cpu *c = &p->cpu;
    const uint64_t end = c->inst + n;
    do {
        a64_run(c, end - c->inst);
        a64_process_serve(p);
    } while (c->stop.kind == A64_RUNNING && c->inst < end);
}

/* --- why it ended --- */

char *a64_process_place(const struct a64_process *p, uint64_t addr)
{
    const struct elf_symbol *s = elf_symbol_of(&p->program, addr);
    if (!s)
        return xasprintf("0x%llx (no symbol)", (unsigned long long)addr);
    return xasprintf("0x%llx (%s+0x%llx)", (unsigned long long)addr, s->name,
                     (unsigned long long)(addr - s->addr));
}

void a64_process_note(struct a64_process *p, const char *fmt, ...)
{
    enum { NOTES_MAX = 32 };
    for (size_t i = 0; i < p->noted.len; i++)
        if (p->noted.data[i] == p->cpu.pc)
            return;
    if (!p->o.notes || p->noted.len == NOTES_MAX)
        return;
    vec_push(&p->noted, p->cpu.pc);
    char *place = a64_process_place(p, p->cpu.pc);
    va_list args;
    va_start(args, fmt);
    fprintf(p->o.notes, "parsim cpu: note: pc %s: ", place);
    vfprintf(p->o.notes, fmt, args);
    fputc('\n', p->o.notes);
    va_end(args);
    free(place);
}

static char *why_access(const struct a64_process *p, const char *pc)
{
    const struct image_fault *f = &p->image->fault;
    const char *state = f->is_mapped ? "mapped, but not for that" : "not mapped";
    char *place = a64_process_place(p, f->addr), *link = a64_process_place(p, p->cpu.x[30]), *why;
    if (f->is_out_of_memory)
        why =
            xasprintf("pc %s: needs a page at %s, but its %llu MB of memory are used up (--memory)",
                      pc, place, (unsigned long long)(p->image->limit >> 20));
    else if (f->wanted == IMAGE_X)
        why = xasprintf("pc %s: a jump to where there is no code (%s); x30 is %s", pc, state, link);
    else
        why = xasprintf("pc %s: %s address %s, which is %s", pc,
                        f->wanted == IMAGE_W ? "writes" : "reads", place, state);
    free(place);
    free(link);
    return why;
}

char *a64_process_why(const struct a64_process *p)
{
    const struct a64_stop *s = &p->cpu.stop;
    char *pc = a64_process_place(p, p->cpu.pc), *why;
    switch (s->kind) {
    case A64_UNDEFINED:
        why = xasprintf("pc %s: instruction word 0x%08x has no row: it is unallocated, or not "
                        "supported (docs/cpu.md lists what is)",
                        pc, s->word);
        break;
    case A64_BREAK:
        why = xasprintf("pc %s: breakpoint instruction (brk #%d)", pc, s->code);
        break;
    case A64_ACCESS:
        why = why_access(p, pc);
        break;
    case A64_UNALIGNED:
        why = xasprintf("pc %s: address 0x%llx is not aligned as this access needs it", pc,
                        (unsigned long long)s->addr);
        break;
    case A64_MEMO_SIZE:
        why = xasprintf("pc %s: looks up or updates %d bytes (word 0x%08x), but the entries of the "
                        "memoization unit have %u: memo.data_bytes",
                        pc, s->code, s->word, memo_data_bytes(&p->cpu.memo->cfg));
        break;
    case A64_SIGNAL:
        why = xasprintf("pc %s: the program has sent itself signal %d (%s)%s", pc, s->code,
                        strsignal(s->code),
                        s->code < A64_SIGNALS && p->handles_signal[s->code]
                            ? ", for which it has a handler; handlers are not run"
                            : "");
        break;
    default:
        why = xstrdup("");
    }
    free(pc);
    return why;
}

int a64_process_exit_code(const struct a64_process *p)
{
    static const int signals[] = {
        [A64_UNDEFINED] = SIGILL, [A64_BREAK] = SIGTRAP,    [A64_ACCESS] = SIGSEGV,
        [A64_UNALIGNED] = SIGBUS, [A64_MEMO_SIZE] = SIGILL, [A64_INTERRUPTED] = SIGINT};
    const struct a64_stop *s = &p->cpu.stop;
    return s->kind == A64_EXIT     ? s->code & 255
           : s->kind == A64_SIGNAL ? 128 + s->code
           : s->kind               ? 128 + signals[s->kind]
                                   : 0;
}
