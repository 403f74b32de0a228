/* Sockets, requests of a line, three answers. */
#define _GNU_SOURCE /* strcasestr() */
#include "out/live.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WAIT_MS = 2000, REQUEST_MAX = 4096 };

struct live {
    int listener, wake[2]; /* a byte in the pipe ends the thread */
    uint64_t port;
    pthread_t thread;
    pthread_mutex_t lock; /* of the text */
    char *json;
};

/* --- the port --- */

static int open_port(uint64_t port, struct err *err)
{
    const struct sockaddr_in at = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    if (fd >= 0 && !setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) &&
        !bind(fd, (const struct sockaddr *)&at, sizeof at) && !listen(fd, 16))
        return fd;
    const int e = errno;
    if (fd >= 0)
        close(fd);
    err_set(err, "--live %llu: %s", (unsigned long long)port,
            e == EADDRINUSE ? "another program has this port; take another one"
            : e == EACCES   ? "ports below 1024 are not for everybody; take another one"
                            : strerror(e));
    return -1;
}

bool live_probe(uint64_t port, struct err *err)
{
    const int fd = open_port(port, err);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* --- answers --- */

static bool is_ready(int fd, short what)
{
    struct pollfd p = {.fd = fd, .events = what};
    return poll(&p, 1, WAIT_MS) == 1;
}

static void send_all(int fd, const char *text, size_t n)
{
    while (n && is_ready(fd, POLLOUT)) {
        const ssize_t k = send(fd, text, n, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (k <= 0)
            return;
        text += k;
        n -= (size_t)k;
    }
}

static void answer(int fd, const char *status, const char *type, const char *body)
{
    char *head = xasprintf("HTTP/1.1 %s\r\nContent-Type: %s; charset=utf-8\r\nContent-Length: "
                           "%zu\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n",
                           status, type, strlen(body));
    send_all(fd, head, strlen(head));
    send_all(fd, body, strlen(body));
    free(head);
}

/* Up to the empty line; what is too long is cut off. */
static void read_request(int fd, char text[REQUEST_MAX])
{
    size_t n = 0;
    text[0] = 0;
    while (n + 1 < REQUEST_MAX && !strstr(text, "\r\n\r\n") && is_ready(fd, POLLIN)) {
        const ssize_t k = recv(fd, text + n, REQUEST_MAX - 1 - n, MSG_DONTWAIT);
        if (k <= 0)
            return;
        n += (size_t)k;
        text[n] = 0;
    }
}

/* A page of elsewhere whose name leads here is not to read it. */
static bool is_for_us(const struct live *l, const char *request)
{
    char *names[2] = {xasprintf("\r\nHost: 127.0.0.1:%llu\r\n", (unsigned long long)l->port),
                      xasprintf("\r\nHost: localhost:%llu\r\n", (unsigned long long)l->port)};
    const bool is = strcasestr(request, names[0]) || strcasestr(request, names[1]);
    free(names[0]);
    free(names[1]);
    return is;
}

static void serve(struct live *l, int fd)
{
    char request[REQUEST_MAX];
    read_request(fd, request);
    if (!is_for_us(l, request)) {
        answer(fd, "403 Forbidden", "text/plain", "only for 127.0.0.1 and localhost\n");
    } else if (!strncmp(request, "GET / ", 6)) {
        answer(fd, "200 OK", "text/html", live_page);
    } else if (!strncmp(request, "GET /state.json ", 16)) {
        pthread_mutex_lock(&l->lock);
        char *json = xstrdup(l->json);
        pthread_mutex_unlock(&l->lock);
        answer(fd, "200 OK", "application/json", json);
        free(json);
    } else {
        answer(fd, "404 Not Found", "text/plain", "there are / and /state.json\n");
    }
    close(fd);
}

static void *serve_all(void *arg)
{
    struct live *l = arg;
    for (;;) {
        struct pollfd p[2] = {{.fd = l->listener, .events = POLLIN},
                              {.fd = l->wake[0], .events = POLLIN}};
        if (poll(p, 2, -1) < 0 && errno != EINTR)
            return NULL;
        if (p[1].revents)
            return NULL;
        const int fd = p[0].revents ? accept(l->listener, NULL, NULL) : -1;
        if (fd >= 0)
            serve(l, fd);
    }
}

/* --- start and end --- */

struct live *live_new(uint64_t port, struct err *err)
{
    struct live *l = xcalloc(1, sizeof *l);
    sigset_t all, old;
    l->port = port;
    l->json = xstrdup("{}");
    pthread_mutex_init(&l->lock, NULL);
    l->listener = open_port(port, err);
    bool ok = l->listener >= 0;
    if (ok && pipe(l->wake)) {
        close(l->listener);
        ok = err_set(err, "--live: %s", strerror(errno));
    }
    if (ok) { /* signals are for others */
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &old);
        ok = !pthread_create(&l->thread, NULL, serve_all, l) ||
             err_set(err, "--live: no thread can be started");
        pthread_sigmask(SIG_SETMASK, &old, NULL);
    }
    if (ok)
        return l;
    free(l->json);
    free(l);
    return NULL;
}

void live_free(struct live *l)
{
    if (!l)
        return;
    if (write(l->wake[1], "", 1) == 1)
        pthread_join(l->thread, NULL);
    close(l->listener);
    close(l->wake[0]);
    close(l->wake[1]);
    free(l->json);
    free(l);
}

void live_publish(struct live *l, char *json)
{
    pthread_mutex_lock(&l->lock);
    char *before = l->json;
    l->json = json;
    pthread_mutex_unlock(&l->lock);
    free(before);
}
