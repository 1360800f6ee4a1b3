/* SPDX-License-Identifier: BSD-3-Clause */
/* relay.c – stands between the ends of TCP connections: delays what passes, and breaks connections at chosen bytes.
 *
 *   caller ──> relay ──> where the caller wanted to go
 *
 * Connections are redirected to its port (`redirect` of nft, conftest.py), so neither end knows of it; its own carry MARK, by which
 * the redirection leaves them out.  Each connection has a process of its own, which dies with the relay.
 *
 * A connection that is to break passes so many bytes one way, waits until the kernel of the receiver has acknowledged the last one, and
 * resets both sides; or, with --stall, keeps both open and passes nothing more either way, as a firewall does that has forgotten it.
 *
 * Invariants
 *  1. What was taken from one side is passed on in order, each byte once.
 *  2. Of the way that is counted no byte passes behind the chosen one. */
/* RUN: none */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <linux/netfilter_ipv4.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MARK        77
#define CHUNK_BYTES (16u << 10)
#define HELD_BYTES  (1u << 20) /* of one way: then its sender waits */
#define NO_END      UINT64_MAX

struct chunk {
    struct chunk *next;
    int64_t due_ms;
    size_t n, done;
    char bytes[CHUNK_BYTES];
};

/* One way of a connection. */
struct way {
    int from, to;
    uint64_t left; /* bytes that it still takes */
    struct chunk *first, **end_p;
    size_t held_bytes;
    bool ended, told; /* nothing more comes; the receiver knows */
};

struct wish {
    int port, skip; /* connections that pass before any breaks */
    int64_t delay_ms;
    uint64_t first, last,
        step; /* the n-th connection breaks after first + n * step bytes, while that is not more than last */
    bool stalls, down; /* counted is what the caller gets, not what it sends */
};

static int64_t now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void end_by_reset(int fd)
{
    const struct linger at_once = {.l_onoff = 1};

    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(fd);
}

static _Noreturn void reset(struct way *w)
{
    end_by_reset(w->from);
    end_by_reset(w->to);
    _exit(0);
}

/* ---- one way ---- */

static bool takes(const struct way *w)
{
    return !w->ended && w->left > 0 && w->held_bytes < HELD_BYTES;
}

static bool gives(const struct way *w, int64_t now)
{
    return w->first && w->first->due_ms <= now;
}

/* The chosen byte is in the receiver's kernel. */
static bool is_at_its_end(const struct way *w)
{
    int unsent = 0;

    return w->left == 0 && !w->first && ioctl(w->to, SIOCOUTQ, &unsent) == 0 && unsent == 0;
}

static void take(struct way *w, int64_t delay_ms)
{
    struct chunk *c = malloc(sizeof *c);
    ssize_t n;

    if (!c)
        err(1, "relay");
    n = read(w->from, c->bytes, w->left < CHUNK_BYTES ? (size_t)w->left : CHUNK_BYTES);
    if (n < 0)
        reset(w);
    if (n == 0) {
        w->ended = true;
        free(c);
        return;
    }
    c->next = NULL;
    c->due_ms = now_ms() + delay_ms;
    c->n = (size_t)n;
    c->done = 0;
    *w->end_p = c;
    w->end_p = &c->next;
    w->held_bytes += (size_t)n;
    w->left -= w->left == NO_END ? 0 : (uint64_t)n;
}

static void give(struct way *w)
{
    struct chunk *c = w->first;
    ssize_t n = send(w->to, c->bytes + c->done, c->n - c->done, MSG_NOSIGNAL | MSG_DONTWAIT);

    if (n < 0 && errno != EAGAIN)
        reset(w);
    c->done += n > 0 ? (size_t)n : 0;
    if (c->done < c->n)
        return;
    w->first = c->next;
    if (!w->first)
        w->end_p = &w->first;
    w->held_bytes -= c->n;
    free(c);
}

/* ---- a connection ---- */

static void tell_of_ends(struct way *w)
{
    if (w->ended && !w->first && !w->told) {
        w->told = true;
        shutdown(w->to, SHUT_WR);
    }
}

/* Until something can be done; returns what poll() found at the two sockets, that of the caller first. */
static void await(const struct way *up, const struct way *down, struct pollfd p[2])
{
    int64_t now = now_ms();
    int timeout_ms =
        up->left && down->left ? -1 : 1; /* nothing says that bytes were acknowledged */

    for (int i = 0; i < 2; i++) {
        const struct way *in = i == 0 ? up : down, *out = i == 0 ? down : up;
        bool due = gives(out, now);

        p[i] = (struct pollfd){.fd = in->from,
                               .events = (short)((takes(in) ? POLLIN : 0) | (due ? POLLOUT : 0))};
        if (!p[i].events)
            p[i].fd = -1; /* an end that was seen is not to wake us for ever */
        if (out->first && !due && (timeout_ms < 0 || out->first->due_ms - now < timeout_ms))
            timeout_ms = (int)(out->first->due_ms - now);
    }
    poll(p, 2, timeout_ms);
}

static _Noreturn void at_the_chosen_byte(struct way *w, const struct wish *wish, uint64_t after)
{
    printf("%s after %" PRIu64 " bytes\n", wish->stalls ? "stall" : "reset", after);
    fflush(stdout);
    if (!wish->stalls)
        reset(w);
    for (;;)
        pause();
}

static _Noreturn void carry(int caller, int called, const struct wish *wish, uint64_t breaks_at)
{
    struct way up = {.from = caller, .to = called, .left = NO_END, .end_p = &up.first};
    struct way down = {.from = called, .to = caller, .left = NO_END, .end_p = &down.first};
    struct way *counted = wish->down ? &down : &up;

    counted->left = breaks_at;
    while (!up.told || !down.told) {
        struct pollfd p[2];

        await(&up, &down, p);
        if (gives(&down, now_ms()))
            give(&down);
        if (gives(&up, now_ms()))
            give(&up);
        if (takes(&up) && p[0].revents & (POLLIN | POLLHUP | POLLERR))
            take(&up, wish->delay_ms);
        if (takes(&down) && p[1].revents & (POLLIN | POLLHUP | POLLERR))
            take(&down, wish->delay_ms);
        if (is_at_its_end(counted))
            at_the_chosen_byte(counted, wish, breaks_at);
        tell_of_ends(&up);
        tell_of_ends(&down);
    }
    _exit(0);
}

static void at_once(int fd)
{
    int on = 1;

    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/* Goes where the caller wanted to go; if that is refused, so is the caller. */
static _Noreturn void serve(int caller, const struct wish *wish, uint64_t breaks_at)
{
    struct sockaddr_in to;
    socklen_t n = sizeof to;
    int mark = MARK, called = socket(AF_INET, SOCK_STREAM, 0);

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (called < 0 || setsockopt(called, SOL_SOCKET, SO_MARK, &mark, sizeof mark) < 0)
        err(1, "relay: a socket with a mark");
    if (getsockopt(caller, SOL_IP, SO_ORIGINAL_DST, &to, &n) < 0)
        err(1, "relay: the connection was not redirected");
    if (connect(called, (struct sockaddr *)&to, n) < 0) {
        end_by_reset(caller);
        _exit(0);
    }
    at_once(caller);
    at_once(called);
    carry(caller, called, wish, breaks_at);
}

/* ---- the relay ---- */

static int listen_at(int port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;

    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
        bind(fd, (struct sockaddr *)&at, sizeof at) < 0 || listen(fd, SOMAXCONN) < 0)
        err(1, "relay: port %d", port);
    return fd;
}

static _Noreturn void usage(void)
{
    fprintf(
        stderr,
        "Usage: relay --port PORT [--delay MS] [--break FIRST[-LAST[+STEP]]] [--down] [--stall] "
        "[--skip N]\n"
        "--break 1-9+2: the first connection breaks after 1 byte of what the caller sends, the "
        "next after 3 ...,\n"
        "               and from the sixth on none; --down: counted is what the caller gets; "
        "--skip N: "
        "the first N pass, and the next is the first\n");
    exit(2);
}

static struct wish read_wish(int argc, char **argv)
{
    static const struct option flags[] = {{"port", 1, NULL, 'p'},
                                          {"delay", 1, NULL, 'd'},
                                          {"break", 1, NULL, 'b'},
                                          {"down", 0, NULL, 'w'},
                                          {"stall", 0, NULL, 's'},
                                          {"skip", 1, NULL, 'k'},
                                          {0}};
    struct wish wish = {.first = NO_END, .step = 1};

    for (int flag; (flag = getopt_long(argc, argv, "", flags, NULL)) != -1;) {
        switch (flag) {
        case 'p':
            wish.port = atoi(optarg);
            break;
        case 'd':
            wish.delay_ms = atoi(optarg);
            break;
        case 'b':
            if (sscanf(optarg, "%" SCNu64 "-%" SCNu64 "+%" SCNu64, &wish.first, &wish.last,
                       &wish.step) == 1)
                wish.last = wish.first;
            break;
        case 'w':
            wish.down = true;
            break;
        case 's':
            wish.stalls = true;
            break;
        case 'k':
            wish.skip = atoi(optarg);
            break;
        default:
            usage();
        }
    }
    if (wish.port == 0 || optind < argc)
        usage();
    return wish;
}

int main(int argc, char **argv)
{
    const struct wish wish = read_wish(argc, argv);
    int door = listen_at(wish.port), skip = wish.skip;
    uint64_t at = wish.first;

    signal(SIGCHLD, SIG_IGN); /* nobody has to reap */
    printf("ready\n");
    fflush(stdout);
    for (;;) {
        int caller = accept(door, NULL, NULL);
        uint64_t breaks_at = skip == 0 && at <= wish.last ? at : NO_END;

        if (caller < 0)
            err(1, "relay: accept");
        if (fork() == 0) {
            close(door);
            serve(caller, &wish, breaks_at);
        }
        close(caller);
        at += breaks_at != NO_END ? wish.step : 0;
        skip -= skip > 0;
    }
}
