/* Copies standard input into a file, reads it back through several calls, and says what it finds.
 */
#include "small.h"

enum { AT_CWD = -100, O_CREATE_WRITE = 0101, BUFFER = 300 };

static char buffer[BUFFER];

static long open_it(const char *name, long flags)
{
    return call(SYS_openat, AT_CWD, (long)name, flags, 0644, 0, 0);
}

static void copy_in(long to)
{
    for (long n; (n = CALL3(SYS_read, 0, buffer, BUFFER)) > 0;)
        CALL3(SYS_write, to, buffer, n);
}

static char pages[3 * 4096];

/* A folder of its own, into which the file goes; then through a pipe. */
static void move_it(const char *name)
{
    int ends[2];
    CALL3(SYS_mkdirat, AT_CWD, "/folder", 0755);
    say_number("folder", CALL1(SYS_chdir, "/folder"));
    say_number("renamed", call(SYS_renameat, AT_CWD, (long)name, AT_CWD, (long)"inside", 0, 0));
    say_number("inside", open_it("./../folder/inside", 0) > 0);
    CALL2(SYS_getcwd, buffer, BUFFER);
    say(buffer);
    say("\n");
    CALL2(SYS_pipe2, ends, 0);
    CALL3(SYS_write, ends[1], "through", 7);
    say_number("pipe", CALL3(SYS_read, ends[0], buffer, BUFFER));
    char *end = (char *)(((long)pages + 8191) & -4096); /* of a page: what is there ends with it */
    CALL3(SYS_write, ends[1], "as much", 7);
    say_number("to the end of a page", CALL3(SYS_read, ends[0], end - 7, 64));
}

int program(int argc, char **argv, char **env)
{
    (void)env;
    if (argc < 2)
        return 2;
    const long out = open_it(argv[1], O_CREATE_WRITE);
    say_number("open", out);
    if (out < 0)
        return 1;
    copy_in(out);
    CALL1(SYS_close, out);
    const long in = open_it(argv[1], 0);
    static long stat[16];
    CALL2(SYS_fstat, in, stat);
    say_number("bytes", stat[6]);
    say_number("end", CALL3(SYS_lseek, in, 0, 2));
    CALL3(SYS_lseek, in, 3, 0);
    const long n = CALL3(SYS_read, in, buffer, 5);
    struct {
        const char *at;
        long n;
    } parts[] = {{"[", 1}, {buffer, n}, {"]\n", 2}};
    CALL3(SYS_writev, 1, parts, 3);
    const char *map = (const char *)call(SYS_mmap, 0, 4096, 1, 2, in, 0);
    say_number("mapped", map[3] + map[4095]);
    say_number("escape", open_it("../../../etc/passwd", 0));
    say_number("memory", open_it("/proc/self/mem", 0));
    say_number("closed", CALL3(SYS_read, 77, buffer, 1));
    move_it(argv[1]);
    return 0;
}
