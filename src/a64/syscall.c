/* System calls about the process itself, time and signals. */
#include "a64/syscall.h"

#include <errno.h>
#include <string.h>

/* The first moment of every run: the start of 2020. */
#define EPOCH UINT64_C(1577836800)

enum { NS = 1000000000 };

/* --- what all share --- */

int64_t sys_give(struct a64_process *p, uint64_t addr, const void *from, size_t bytes)
{
    return image_write(p->image, addr, from, bytes) ? 0 : -EFAULT;
}

int64_t sys_text(struct a64_process *p, uint64_t addr, char *to, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (!image_read(p->image, addr + i, to + i, 1))
            return -EFAULT;
        if (!to[i])
            return 0;
    }
    return -ENAMETOOLONG;
}

static const struct {
    unsigned number;
    const char *name;
    a64_syscall_fn *fn;
} rows[] = {
#define SYSCALL(number, name) {number, #name, sys_##name},
#include "a64/syscalls.def"
};

void a64_syscall(struct a64_process *p)
{
    uint64_t *x = p->cpu.x;
    const uint64_t args[] = {x[0], x[1], x[2], x[3], x[4], x[5]};
    p->syscalls++;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].number == x[8]) {
            const int64_t r = rows[i].fn(p, args);
            if (r == -EFAULT)
                a64_process_note(p,
                                 "system call %s(0x%llx, 0x%llx, 0x%llx): address 0x%llx is not "
                                 "the program's (EFAULT)",
                                 rows[i].name, (unsigned long long)args[0],
                                 (unsigned long long)args[1], (unsigned long long)args[2],
                                 (unsigned long long)p->image->fault.addr);
            x[0] = (uint64_t)r;
            return;
        }
    a64_process_note(p, "system call %llu is not there (ENOSYS)", (unsigned long long)x[8]);
    x[0] = (uint64_t)-ENOSYS;
}

#define IS(name, value)                                          \
    int64_t sys_##name(struct a64_process *p, const uint64_t *a) \
    {                                                            \
        (void)p, (void)a;                                        \
        return value;                                            \
    }
#define SYS(name) int64_t sys_##name(struct a64_process *p, const uint64_t *a)

/* --- who it is --- */

IS(getpid, A64_PID)
IS(gettid, A64_PID)
IS(getppid, 1)
IS(getuid, A64_USER)
IS(geteuid, A64_USER)
IS(getgid, A64_USER)
IS(getegid, A64_USER)
IS(getpgid, A64_PID)
IS(getsid, A64_PID)
IS(setpgid, 0)
IS(getgroups, 0)
IS(set_tid_address, A64_PID)
IS(set_robust_list, 0)
IS(sched_yield, 0)
IS(umask, 022)
IS(rseq, -ENOSYS)
IS(prctl, -EINVAL)

static int64_t end(struct a64_process *p, enum a64_stop_kind kind, int code)
{
    p->cpu.stop = (struct a64_stop){.kind = kind, .code = code};
    return 0;
}

SYS(exit)
{
    return end(p, A64_EXIT, (int)a[0]);
}

SYS(exit_group)
{
    return end(p, A64_EXIT, (int)a[0]);
}

/* Three equal numbers, each at its own address. */
static int64_t give_ids(struct a64_process *p, const uint64_t *a)
{
    const uint32_t id = A64_USER;
    int64_t r = 0;
    for (unsigned i = 0; i < 3 && !r; i++)
        r = sys_give(p, a[i], &id, sizeof id);
    return r;
}

SYS(getresuid)
{
    return give_ids(p, a);
}

SYS(getresgid)
{
    return give_ids(p, a);
}

SYS(uname)
{
    struct {
        char sysname[65], nodename[65], release[65], version[65], machine[65], domain[65];
    } u = {"Linux", "parsim", "6.1.0", "#1", "aarch64", "(none)"};
    return sys_give(p, a[0], &u, sizeof u);
}

SYS(sysinfo)
{
    struct {
        int64_t uptime;
        uint64_t loads[3], totalram, freeram, sharedram, bufferram, totalswap, freeswap;
        uint16_t procs, pad;
        uint64_t totalhigh, freehigh;
        uint32_t unit;
        char f[4];
    } s = {.uptime = (int64_t)(a64_process_ns(p) / NS),
           .totalram = p->image->limit,
           .freeram = p->image->limit - p->image->bytes,
           .procs = 1,
           .unit = 1};
    return sys_give(p, a[0], &s, sizeof s);
}

SYS(prlimit64)
{
    const uint64_t stack[] = {8 << 20, UINT64_MAX}, files[] = {A64_FILES, A64_FILES},
                   none[] = {UINT64_MAX, UINT64_MAX};
    const uint64_t *limit = a[1] == 3 ? stack : a[1] == 7 ? files : none;
    if (a[1] > 15)
        return -EINVAL;
    if (a[2])
        return -EPERM;
    return a[3] ? sys_give(p, a[3], limit, sizeof none) : 0;
}

SYS(getrusage)
{
    const uint64_t ns = a64_process_ns(p);
    const uint64_t usage[18] = {ns / NS, ns % NS / 1000};
    return sys_give(p, a[1], usage, sizeof usage);
}

SYS(sched_getaffinity)
{
    const uint64_t one = 1;
    if (a[1] < sizeof one)
        return -EINVAL;
    const int64_t r = sys_give(p, a[2], &one, sizeof one);
    return r ? r : (int64_t)sizeof one;
}

/* The same bytes in every run: they depend on how many instructions came before. */
SYS(getrandom)
{
    uint64_t state = p->cpu.inst + 1, done = 0;
    while (done < a[1]) {
        uint64_t n = a[1] - done;
        uint8_t *to = image_span(p->image, a[0] + done, &n, IMAGE_W);
        if (!to)
            return done ? (int64_t)done : -EFAULT;
        for (uint64_t i = 0; i < n; i++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            to[i] = (uint8_t)(state >> 56);
        }
        done += n;
    }
    return (int64_t)done;
}

/* --- time: an instruction is a nanosecond --- */

static int64_t give_time(struct a64_process *p, uint64_t addr, uint64_t seconds, uint64_t part)
{
    const uint64_t t[] = {seconds, part};
    return addr ? sys_give(p, addr, t, sizeof t) : 0;
}

SYS(clock_gettime)
{
    const uint64_t ns = a64_process_ns(p);
    const bool is_calendar = a[0] == 0 || a[0] == 5 || a[0] == 8 || a[0] == 11;
    if (a[0] > 11)
        return -EINVAL;
    return give_time(p, a[1], ns / NS + (is_calendar ? EPOCH : 0), ns % NS);
}

SYS(clock_getres)
{
    return a[0] > 11 ? -EINVAL : give_time(p, a[1], 0, 1);
}

SYS(gettimeofday)
{
    const uint64_t ns = a64_process_ns(p);
    return give_time(p, a[0], ns / NS + EPOCH, ns % NS / 1000);
}

/* Sleeping costs no time of the host. */
static int64_t sleep_for(struct a64_process *p, uint64_t addr, bool is_until, uint64_t now)
{
    uint64_t t[2];
    if (!image_read(p->image, addr, t, sizeof t))
        return -EFAULT;
    if (t[1] >= NS || t[0] > UINT64_C(1) << 32)
        return -EINVAL;
    const uint64_t ns = t[0] * NS + t[1];
    p->slept_ns += !is_until ? ns : ns > now ? ns - now : 0;
    return 0;
}

SYS(nanosleep)
{
    return sleep_for(p, a[0], false, 0);
}

SYS(clock_nanosleep)
{
    const uint64_t now = a64_process_ns(p) + (a[0] == 0 ? EPOCH * NS : 0);
    return sleep_for(p, a[2], a[1] & 1, now);
}

/* One thread: whoever waits where nobody can wake it is told so. */
SYS(futex)
{
    enum { WAIT = 0, WAKE = 1, WAIT_BITSET = 9, COMMAND = 127 };
    uint32_t now;
    switch (a[1] & COMMAND) {
    case WAKE:
        return 0;
    case WAIT:
    case WAIT_BITSET:
        if (!image_read(p->image, a[0], &now, sizeof now))
            return -EFAULT;
        if (now != (uint32_t)a[2])
            return -EAGAIN;
        return a[3] ? -ETIMEDOUT : -EDEADLK;
    default:
        return -ENOSYS;
    }
}

/* --- signals: the program may send them to itself; that ends it --- */

static int64_t send(struct a64_process *p, uint64_t to, uint64_t sig)
{
    const bool is_me = to == A64_PID || to == 0 || to == (uint64_t)-1;
    if (!is_me || sig >= A64_SIGNALS)
        return is_me ? -EINVAL : -ESRCH;
    return sig ? end(p, A64_SIGNAL, (int)sig) : 0;
}

SYS(kill)
{
    return send(p, a[0], a[1]);
}

SYS(tkill)
{
    return send(p, a[0], a[1]);
}

SYS(tgkill)
{
    return send(p, a[1], a[2]);
}

SYS(rt_sigaction)
{
    const uint64_t none[4] = {0};
    uint64_t handler;
    if (!a[0] || a[0] >= A64_SIGNALS)
        return -EINVAL;
    if (a[1]) {
        if (!image_read(p->image, a[1], &handler, sizeof handler))
            return -EFAULT;
        p->handles_signal[a[0]] = handler > 1;
    }
    return a[2] ? sys_give(p, a[2], none, sizeof none) : 0;
}

SYS(rt_sigprocmask)
{
    const uint64_t none = 0;
    return a[2] ? sys_give(p, a[2], &none, sizeof none) : 0;
}

SYS(sigaltstack)
{
    const uint64_t none[] = {0, 2, 0}; /* SS_DISABLE */
    return a[1] ? sys_give(p, a[1], none, sizeof none) : 0;
}
