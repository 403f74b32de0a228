/* Handlers, and what a process had in their place; temporary files are removed in all cases. */
#include "base/interrupt.h"

#include "base/tempfile.h"

#include <semaphore.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

/* timeout(1) signals its child and then the child's group, and a terminal's driver may do the same:
 * what comes so soon after the first signal, also another one, is part of it. */
#define SAME_SIGNAL_NS 250000000

/* Signals belong to the process, so does this. */
static volatile sig_atomic_t noted, is_caught;
static struct timespec noted_at;
static pid_t owner;
static sem_t arrived;

static void end_now(int sig)
{
    tempfile_remove_all();
    _exit(128 + sig);
}

static bool is_same_again(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - noted_at.tv_sec) * 1000000000LL + (now.tv_nsec - noted_at.tv_nsec) <
           SAME_SIGNAL_NS;
}

static void on_signal(int sig)
{
    if (getpid() != owner) { /* a forked child has nothing of ours to end */
        signal(sig, SIG_DFL);
        raise(sig);
        return;
    }
    if (is_caught && noted && is_same_again())
        return;
    if (!is_caught || noted)
        end_now(sig);
    clock_gettime(CLOCK_MONOTONIC, &noted_at);
    noted = sig;
    sem_post(&arrived);
}

/* What ends the process anyway, its reader or terminal being gone. */
static void on_deadly_signal(int sig)
{
    if (getpid() == owner)
        tempfile_remove_all();
    signal(sig, SIG_DFL);
    raise(sig);
}

static void install(int sig, void (*handler)(int))
{
    struct sigaction a = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&a.sa_mask);
    sigaddset(&a.sa_mask, SIGINT); /* one after the other */
    sigaddset(&a.sa_mask, SIGTERM);
    sigaction(sig, &a, NULL);
}

static bool is_default(int sig)
{
    struct sigaction old;
    return !sigaction(sig, NULL, &old) && old.sa_handler == SIG_DFL;
}

/* SIGINT also where it is ignored, as in the background of a script: who sends one means it. */
void interrupt_start(void)
{
    owner = getpid();
    sem_init(&arrived, 0, 0);
    install(SIGINT, on_signal);
    install(SIGTERM, on_signal);
    if (is_default(SIGHUP))
        install(SIGHUP, on_deadly_signal);
    if (is_default(SIGPIPE))
        install(SIGPIPE, on_deadly_signal);
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error of its write */
}

void interrupt_catch(void)
{
    is_caught = 1;
}

void interrupt_catch_unclaimed(void)
{
    owner = getpid();
    sem_init(&arrived, 0, 0);
    is_caught = 1;
    if (is_default(SIGINT))
        install(SIGINT, on_signal);
    if (is_default(SIGTERM))
        install(SIGTERM, on_signal);
}

int interrupt_signal(void)
{
    return noted;
}

const char *interrupt_name(int sig)
{
    return sig == SIGINT ? "SIGINT" : sig == SIGTERM ? "SIGTERM" : NULL;
}

void interrupt_wait(void)
{
    while (!noted)
        sem_wait(&arrived);
}
