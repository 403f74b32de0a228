/* The remote protocol of gdb, as far as stepping needs it. */
#define _GNU_SOURCE /* execvpe */
#include "a64/support_gdb.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

bool gdb_is_there(void)
{
    return system("command -v qemu-aarch64 >/dev/null 2>&1") == 0;
}

static char get(struct gdb *g)
{
    if (g->at == g->end) {
        const ssize_t n = read(g->socket, g->bytes, sizeof g->bytes);
        if (n <= 0)
            panic("QEMU has gone");
        g->at = 0;
        g->end = (size_t)n;
    }
    return g->bytes[g->at++];
}

/* Answers come in packets: "$text#sum". */
static const char *receive(struct gdb *g)
{
    while (get(g) != '$')
        ;
    g->len = 0;
    for (char c; (c = get(g)) != '#';) {
        if (g->len + 2 > g->room)
            g->reply = xrealloc(g->reply, g->room *= 2);
        g->reply[g->len++] = c;
    }
    get(g), get(g);
    g->reply[g->len] = 0;
    return g->reply;
}

static const char *ask(struct gdb *g, const char *text)
{
    unsigned char sum = 0;
    for (const char *c = text; *c; c++)
        sum = (unsigned char)(sum + *c);
    dprintf(g->socket, "+$%s#%02x", text, sum); /* the last answer has come, too */
    return receive(g);
}

static int connect_to(const char *path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    snprintf(to.sun_path, sizeof to.sun_path, "%s", path);
    for (int i = 0; i < 200; i++) {
        const int s = socket(AF_UNIX, SOCK_STREAM, 0);
        if (!connect(s, (struct sockaddr *)&to, sizeof to))
            return s;
        close(s);
        usleep(50000);
    }
    panic("QEMU does not answer at %s", path);
}

static void become_qemu(const char *path, const char *const *argv)
{
    const char *line[32] = {"qemu-aarch64", "-cpu", "cortex-a53", "-g", path};
    const int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    for (int i = 0; argv[i] && i < 20; i++)
        line[5 + i] = argv[i];
    char *const none[] = {NULL};
    execvpe(line[0], (char *const *)line, none);
    _exit(127);
}

void gdb_start(struct gdb *g, const char *const *argv)
{
    *g = (struct gdb){.folder = "/tmp/parsim-gdb-XXXXXX", .reply = xmalloc(4096), .room = 4096};
    if (!mkdtemp(g->folder))
        panic("no temporary folder");
    char *path = xasprintf("%s/socket", g->folder);
    g->qemu = fork();
    if (!g->qemu)
        become_qemu(path, argv);
    g->socket = connect_to(path);
    free(path);
    ask(g, "qSupported:qXfer:features:read+");
    ask(g, "qXfer:features:read:target.xml:0,ffb"); /* SIMD registers have numbers from now on */
    ask(g, "?");
}

void gdb_end(struct gdb *g)
{
    kill(g->qemu, SIGKILL);
    waitpid(g->qemu, NULL, 0);
    close(g->socket);
    char *path = xasprintf("%s/socket", g->folder);
    unlink(path);
    rmdir(g->folder);
    free(path);
    free(g->reply);
}

bool gdb_step(struct gdb *g)
{
    return ask(g, "s")[0] == 'T';
}

bool gdb_run_to(struct gdb *g, uint64_t pc)
{
    char set[32], take[32];
    snprintf(set, sizeof set, "Z0,%llx,4", (unsigned long long)pc);
    snprintf(take, sizeof take, "z0,%llx,4", (unsigned long long)pc);
    ask(g, set);
    if (ask(g, "c")[0] != 'T')
        return false;
    ask(g, take);
    return true;
}

bool gdb_continue(struct gdb *g)
{
    return ask(g, "c")[0] == 'T';
}

void gdb_break(struct gdb *g, uint64_t pc)
{
    char text[64];
    snprintf(text, sizeof text, "Z0,%llx,4", (unsigned long long)pc);
    ask(g, text);
}

static unsigned digit(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* Bytes of hexadecimal digits. */
static const char *unhex(const char *at, void *to, size_t len)
{
    for (size_t i = 0; i < len; i++, at += 2)
        ((uint8_t *)to)[i] = (uint8_t)(digit(at[0]) << 4 | digit(at[1]));
    return at;
}

void gdb_registers(struct gdb *g, struct gdb_registers *r)
{
    const char *at = ask(g, "g");
    if (g->len < 2 * (33 * 8 + 4))
        panic("QEMU gives only %zu digits of registers", g->len);
    at = unhex(at, r->x, sizeof r->x);
    at = unhex(at, &r->sp, 8);
    at = unhex(at, &r->pc, 8);
    unhex(at, &r->cpsr, 4);
}

static void one_register(struct gdb *g, unsigned number, void *to, size_t bytes)
{
    char text[16];
    snprintf(text, sizeof text, "p%x", number);
    const char *at = ask(g, text);
    if (g->len != 2 * bytes)
        panic("QEMU gives %zu digits of register %u", g->len, number);
    unhex(at, to, bytes);
}

void gdb_simd(struct gdb *g, struct gdb_registers *r, unsigned which)
{
    enum { FIRST = 34, FPSR = 66, FPCR = 67 };
    one_register(g, FIRST + which, r->v[which], 16);
    one_register(g, FPSR, &r->fpsr, 4);
    one_register(g, FPCR, &r->fpcr, 4);
}

bool gdb_memory(struct gdb *g, uint64_t addr, void *to, size_t len)
{
    for (size_t done = 0; done < len;) {
        const size_t n = len - done < 1024 ? len - done : 1024;
        char text[64];
        snprintf(text, sizeof text, "m%llx,%zx", (unsigned long long)(addr + done), n);
        const char *at = ask(g, text);
        if (g->len != 2 * n)
            return false;
        unhex(at, (uint8_t *)to + done, n);
        done += n;
    }
    return true;
}
