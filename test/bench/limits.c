/* SPDX-License-Identifier: BSD-3-Clause */
/* limits.c – what this machine can do at best, between two processes on two cores, without MPI.
 *
 *   line            a cache line from one core to the other and back, half of it, nanoseconds:
 *                   line:1 both write the same line, line:2 each writes a line of its own
 *   memcpy:BYTES    data in this core's cache
 *   both:BYTES      the same on both cores at once, sum of the two
 *   fresh:BYTES     out of shared memory that the other core has just written
 *   readv:BYTES     process_vm_readv of what the other process has not touched since
 *   freshreadv:BYTES the same of what it has just written
 *                   megabytes (10^6) per second
 *
 * One message and an answer to it, the answer being a word: what a library could do, by
 *   pull:BYTES      process_vm_readv by the receiver
 *   share:BYTES     pieces that both take in turn, process_vm_readv by one and process_vm_writev by the other
 *   pieces:BYTES    pieces of 16 KiB through 4 MiB of shared memory, used round robin
 *   past:BYTES      the same with stores past the caches (where the compiler has SSE2)
 *                   megabytes (10^6) per second
 *
 * Both have a vector of doubles and get the sum of the two, by
 *   sum:BYTES       pieces of 64 KiB through 512 KiB of shared memory: each writes its own and adds the other's
 *   sumpast:BYTES   the same with stores past the caches
 *   sumpull:BYTES   process_vm_readv of all that the other has, then adding
 *                   megabytes (10^6) of one vector per second
 *
 * What an operation on a window could cost, each process on the other one's half of shared memory, both at once, nanoseconds:
 *   into:BYTES      memcpy from memory of its own
 *   from:BYTES      the reverse
 *   add:BYTES       doubles are added to those that are there
 *   swap:1          compare-and-swap of a word, and a store that undoes it
 *
 * The same on memory that only its own process reaches, with help of that process, through 32 slots of shared memory of up to 16 KiB:
 *   give:BYTES      put into the other one's, and hear that it is there
 *   ask:BYTES       the other one's, which is asked for
 *   reach:BYTES     process_vm_readv of it, without that help
 *
 *   ring:BYTES      there and back through 32 slots, copied in and out: half of it, nanoseconds
 *   socket:BYTES    there and back through a TCP socket that both poll: half of it, nanoseconds
 *
 * usage: limits SECONDS MEASURE...        prints MEASURE VALUE, the median of many short tries */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define TRIES_MAX      2000
#define TRIES_MIN      5
#define ROUNDS         1000
#define BYTES_MAX      (4l << 20)
#define PIECE          (16l << 10)
#define SHARED_PIECE   (128l << 10)
#define PAGE           4096l
#define SUM_PIECE      (64l << 10)
#define SUM_AREA       (512l << 10)
#define RING_SLOTS     32
#define RING_BYTES_MAX (16l << 10)
#define WINDOW_MAX     (BYTES_MAX / 2 - PAGE)
#define COPIED_AT_ONCE (256l << 10) /* at least, between two looks at the clock */

struct shared {
    _Alignas(128) uint64_t here;   /* written by the parent */
    _Alignas(128) uint64_t there;  /* written by the child */
    _Alignas(128) uint64_t turn;   /* written by the process that has the turn: odd, the child's */
    _Alignas(128) uint64_t met[2]; /* how often each has come to meet() */
    _Alignas(128) uint64_t next;   /* piece of a message that both take, fetch-add */
    _Alignas(128) uint64_t pushed; /* bytes that the child has written, ever */
    in_port_t port;                /* where the parent listens */
    struct {
        _Alignas(128) uint64_t n;
    } asked[2], given[2]; /* by the process that asks or gives: operations */
    struct {
        _Alignas(128) uint64_t n;
        _Alignas(64) unsigned char data[PIECE];
    } slot[2][RING_SLOTS]; /* to each process; n: the piece in it */
    _Alignas(4096) unsigned char data[BYTES_MAX];
    _Alignas(4096) unsigned char ring[2][RING_SLOTS * (RING_BYTES_MAX + 64)];
};

static struct shared *sh;
static unsigned char *own, *others; /* `others` is where the child's copy of `own` lies */
static int role, me_pid, peer_pid;  /* role 0: the parent */

static double now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void check(int status, const char *what)
{
    if (status < 0) {
        perror(what);
        exit(1);
    }
}

static void pin(int index)
{
    cpu_set_t allowed, one;

    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
        return;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &allowed) || index-- > 0)
            continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(0, sizeof(one), &one);
        return;
    }
}

static void await(const uint64_t *word, uint64_t at_least)
{
    for (unsigned i = 0; __atomic_load_n(word, __ATOMIC_ACQUIRE) < at_least; i++)
        if (i > 20000)
            sched_yield(); /* a core short */
}

static void tell(uint64_t *word, uint64_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/* Both processes come to the same point.  Counts up for ever. */
static void meet(void)
{
    static uint64_t n;

    n++;
    tell(&sh->met[role], n);
    await(&sh->met[!role], n);
}

static double line_one(void)
{
    static uint64_t base;
    double start;

    meet();
    start = now_us();
    for (int i = 0; i < ROUNDS; i++, base += 2) {
        await(&sh->turn, base + (unsigned)role);
        tell(&sh->turn, base + (unsigned)role + 1);
    }
    if (!role)
        await(&sh->turn, base);
    return (now_us() - start) * 1000 / (2 * ROUNDS);
}

static double line_two(void)
{
    static uint64_t n;
    double start;

    meet();
    start = now_us();
    for (uint64_t end = n + ROUNDS; n < end;) {
        n++;
        if (!role)
            tell(&sh->here, n);
        await(role ? &sh->here : &sh->there, n);
        if (role)
            tell(&sh->there, n);
    }
    return (now_us() - start) * 1000 / (2 * ROUNDS);
}

static long rounds_of(long bytes)
{
    return bytes >= COPIED_AT_ONCE ? 1 : COPIED_AT_ONCE / bytes;
}

/* The compiler must not drop a copy that nobody looks at. */
static void copy(void *to, const void *from, long bytes)
{
    memcpy(to, from, (size_t)bytes);
    __asm__ volatile("" : : "r"(to) : "memory");
}

static double copy_own(long bytes, bool both)
{
    double start;

    meet();
    if (role && !both)
        return 0;
    start = now_us();
    for (long i = 0; i < rounds_of(bytes); i++)
        copy(own, own + BYTES_MAX, bytes);
    return (double)(rounds_of(bytes) * bytes) / (now_us() - start) * (both ? 2 : 1);
}

/* The child writes, then the parent reads; only the reading counts.  readv: through the kernel. */
static double copy_from_child(long bytes, bool rewrite, bool readv)
{
    double us = 0, start;

    for (long i = 0; i < rounds_of(bytes); i++) {
        if (role && (rewrite || !i))
            copy(readv ? own : sh->data, own + BYTES_MAX, bytes);
        meet();
        start = now_us();
        if (!role && readv) {
            struct iovec to = {own + BYTES_MAX, (size_t)bytes}, from = {others, (size_t)bytes};

            if (process_vm_readv(peer_pid, &to, 1, &from, 1, 0) != bytes)
                return 0;
        } else if (!role) {
            copy(own, sh->data, bytes);
        }
        if (!role)
            us += now_us() - start;
        meet();
    }
    return (double)(rounds_of(bytes) * bytes) / us;
}

static bool move(bool read, long at, long bytes)
{
    struct iovec here = {own + at, (size_t)bytes}, there = {others + at, (size_t)bytes};

    return (read ? process_vm_readv(peer_pid, &here, 1, &there, 1, 0)
                 : process_vm_writev(peer_pid, &here, 1, &there, 1, 0)) == bytes;
}

/* Pieces that nobody has taken yet; returns how many bytes. */
static long take_pieces(long bytes)
{
    long half = (bytes / 2 + PAGE - 1) & ~(PAGE - 1),
         piece = half < SHARED_PIECE ? half : SHARED_PIECE;
    long moved = 0, at;

    while ((at = (long)__atomic_fetch_add(&sh->next, 1, __ATOMIC_ACQ_REL) * piece) < bytes) {
        long n = bytes - at < piece ? bytes - at : piece;

        if (!move(!role, at, n))
            exit(1);
        moved += n;
    }
    return moved;
}

static void lay(unsigned char *to, const unsigned char *from, long bytes, bool past)
{
#ifdef __SSE2__
    for (long i = 0; past && i < bytes; i += 16)
        _mm_stream_si128((__m128i *)(void *)(to + i), _mm_loadu_si128((const void *)(from + i)));
    if (past) {
        _mm_sfence();
        return;
    }
#endif
    (void)past;
    copy(to, from, bytes);
}

/* The child sends, the parent receives and answers.  how: 'p'ull, 's'hare, p'i'eces, p'a'st. */
static void send_one(char how, long bytes, uint64_t *pieces_n)
{
    if (how == 's')
        tell(&sh->pushed, sh->pushed + (uint64_t)take_pieces(bytes));
    for (long at = 0; (how == 'i' || how == 'a') && at < bytes; at += PIECE) {
        await(&sh->here, *pieces_n < BYTES_MAX / PIECE ? 0 : *pieces_n - BYTES_MAX / PIECE + 1);
        lay(sh->data + *pieces_n % (BYTES_MAX / PIECE) * PIECE, own + at, PIECE, how == 'a');
        tell(&sh->there, ++*pieces_n);
    }
}

static void receive_one(char how, long bytes, uint64_t *pieces_n)
{
    static uint64_t from_child;

    if (how == 'p' && !move(true, 0, bytes))
        exit(1);
    if (how == 's') {
        from_child += (uint64_t)(bytes - take_pieces(bytes));
        await(&sh->pushed, from_child);
    }
    for (long at = 0; (how == 'i' || how == 'a') && at < bytes; at += PIECE) {
        await(&sh->there, *pieces_n + 1);
        copy(own + at, sh->data + *pieces_n % (BYTES_MAX / PIECE) * PIECE, PIECE);
        tell(&sh->here, ++*pieces_n);
    }
}

static double message(char how, long bytes)
{
    static uint64_t pieces_n;
    long n = rounds_of(bytes);
    double us = 0, start;

    if (!pieces_n) /* the words have served line_two() */
        pieces_n = sh->here > sh->there ? sh->here : sh->there;
    meet();
    tell(role ? &sh->there : &sh->here, pieces_n);
    for (long i = 0; i < n; i++) {
        if (!role)
            sh->next = 0;
        meet();
        start = now_us();
        if (role)
            send_one(how, bytes, &pieces_n);
        else
            receive_one(how, bytes, &pieces_n);
        meet(); /* the answer */
        us += now_us() - start;
    }
    return (double)(n * bytes) / us;
}

#ifdef __x86_64__
__attribute__((target_clones("avx2", "default")))
#endif
static void
add(double *restrict to, const double *x, const double *restrict y, long n)
{
    for (long i = 0; i < n; i++)
        to[i] = x[i] + y[i];
}

static void add_bytes(void *to, const void *x, const void *y, long bytes)
{
    add(to, x, y, bytes / (long)sizeof(double));
}

/* Where piece n of a process lies. */
static unsigned char *sum_piece(int of, uint64_t n)
{
    return sh->data + of * SUM_AREA + (long)(n % (SUM_AREA / SUM_PIECE)) * SUM_PIECE;
}

/* `here` and `there` tell how many pieces of this process and of the other one are written.  A piece is read before the
 * next but one is written, so none is overwritten too early. */
static void sum_through_memory(long bytes, bool past, uint64_t *n)
{
    uint64_t *mine = role ? &sh->there : &sh->here, *others_n = role ? &sh->here : &sh->there;
    long written = 0;

    for (long at = 0; at < bytes; at += SUM_PIECE, ++*n) {
        for (; written < bytes && written <= at + SUM_PIECE; written += SUM_PIECE) {
            uint64_t k = *n + (uint64_t)(written - at) / SUM_PIECE;
            long len = bytes - written < SUM_PIECE ? bytes - written : SUM_PIECE;

            lay(sum_piece(role, k), own + written, len, past);
            tell(mine, k + 1);
        }
        await(others_n, *n + 1);
        add_bytes(own + BYTES_MAX + at, own + at, sum_piece(!role, *n),
                  bytes - at < SUM_PIECE ? bytes - at : SUM_PIECE);
    }
}

static void sum_by_pull(long bytes)
{
    struct iovec to = {own + BYTES_MAX, (size_t)bytes}, from = {others, (size_t)bytes};

    if (process_vm_readv(peer_pid, &to, 1, &from, 1, 0) != bytes)
        exit(1);
    add_bytes(own + BYTES_MAX, own + BYTES_MAX, own, bytes);
}

/* how: 'm'emory, p'a'st, 'p'ull. */
static double sum(char how, long bytes)
{
    uint64_t n = (sh->here > sh->there ? sh->here : sh->there) + 1;
    long times_n = rounds_of(bytes);
    double start;

    meet();
    tell(role ? &sh->there : &sh->here, n);
    meet();
    start = now_us();
    for (long i = 0; i < times_n; i++) {
        if (how == 'p') {
            meet(); /* the vector is there */
            sum_by_pull(bytes);
        } else {
            sum_through_memory(bytes, how == 'a', &n);
        }
    }
    meet();
    return (double)(times_n * bytes) / (now_us() - start);
}

/* There and back through slots that are walked. */
static double ring(long bytes)
{
    static uint64_t n;
    long stride = bytes + 64;
    double start;

    meet();
    start = now_us();
    for (uint64_t end = n + ROUNDS; n < end; n++) {
        unsigned char *in = sh->ring[role] + (long)(n % RING_SLOTS) * stride,
                      *out = sh->ring[!role] + (long)(n % RING_SLOTS) * stride;

        if (role) {
            await((uint64_t *)(void *)in, n + 1);
            copy(own, in + 64, bytes);
        }
        copy(out + 64, own, bytes);
        tell((uint64_t *)(void *)out, n + 1);
        if (!role) {
            await((uint64_t *)(void *)in, n + 1);
            copy(own, in + 64, bytes);
        }
    }
    return (now_us() - start) * 1000 / (2 * ROUNDS);
}

/* A connection of the two over the loopback device, made once. */
static int tcp_socket(void)
{
    static int fd = -1;
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(a);
    int one = 1;

    if (fd >= 0)
        return fd;
    fd = socket(AF_INET, SOCK_STREAM, 0);
    if (!role) {
        int door = fd;

        check(bind(door, (void *)&a, len), "bind");
        check(listen(door, 1), "listen");
        check(getsockname(door, (void *)&a, &len), "getsockname");
        sh->port = a.sin_port;
        meet();
        fd = accept(door, NULL, NULL);
        check(fd, "accept");
        close(door);
    } else {
        meet();
        a.sin_port = sh->port;
        check(connect(fd, (void *)&a, len), "connect");
    }
    check(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)), "TCP_NODELAY");
    return fd;
}

/* All bytes one way, with calls that do not wait. */
static void through_socket(int fd, bool out, long bytes)
{
    for (long done = 0; done < bytes;) {
        ssize_t n = out ? send(fd, own + done, (size_t)(bytes - done), MSG_DONTWAIT)
                        : recv(fd, own + done, (size_t)(bytes - done), MSG_DONTWAIT);

        if (n > 0)
            done += n;
        else if (n == 0 || (errno != EAGAIN && errno != EINTR))
            check(-1, "a socket");
    }
}

static double by_socket(long bytes)
{
    int fd = tcp_socket();
    long n = rounds_of(bytes);
    double start;

    meet();
    start = now_us();
    for (long i = 0; i < 2 * n; i++)
        through_socket(fd, (i % 2 == 0) == !role, bytes);
    return (now_us() - start) * 1000 / (double)(2 * n);
}

typedef void window_fn(unsigned char *there, long bytes);

static void put_into(unsigned char *there, long bytes)
{
    copy(there, own, bytes);
}

static void get_from(unsigned char *there, long bytes)
{
    copy(own, there, bytes);
}

/* Without help, by the kernel. */
static void reach(unsigned char *there, long bytes)
{
    struct iovec mine = {own, (size_t)bytes}, remote = {others + BYTES_MAX, (size_t)bytes};

    (void)there;
    if (process_vm_readv(peer_pid, &mine, 1, &remote, 1, 0) != bytes) {
        perror("process_vm_readv");
        exit(1);
    }
}

/* With vectors as wide as the processor's. */
#ifdef __x86_64__
__attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#endif
static void
add_to(unsigned char *there, long bytes)
{
    double *sum = (double *)(void *)there;
    const double *more = (const double *)(const void *)own;

    for (long i = 0; i < bytes / 8; i++)
        sum[i] += more[i];
    __asm__ volatile("" : : "r"(sum) : "memory");
}

static void swap_word(unsigned char *there, long bytes)
{
    uint64_t *word = (uint64_t *)(void *)there, was = 0;

    (void)bytes;
    __atomic_compare_exchange_n(word, &was, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    __atomic_store_n(word, 0, __ATOMIC_RELEASE);
}

static double on_window(window_fn *operate, long bytes)
{
    unsigned char *there = sh->data + (role ? PAGE : BYTES_MAX / 2);
    double start;

    meet();
    start = now_us();
    for (long i = 0; i < rounds_of(bytes); i++)
        operate(there, bytes);
    return (now_us() - start) * 1000 / (double)rounds_of(bytes);
}

/* All pieces of one operation, each way. */
static void change_places(long bytes)
{
    static uint64_t n;
    long most = bytes < PIECE ? bytes : PIECE;

    for (long at = 0; at < bytes; at += most) {
        long k = (long)(n++ % RING_SLOTS);

        copy(sh->slot[!role][k].data, own + at, most);
        tell(&sh->slot[!role][k].n, n);
        await(&sh->slot[role][k].n, n);
        copy(own + BYTES_MAX + at, sh->slot[role][k].data, most);
    }
}

static double with_help(bool asked, long bytes)
{
    static uint64_t n;
    double start;

    meet();
    start = now_us();
    for (long i = 0; i < rounds_of(bytes); i++) {
        n++;
        if (asked) {
            tell(&sh->asked[role].n, n);
            await(&sh->asked[!role].n, n);
        }
        change_places(bytes);
        tell(&sh->given[role].n, n);
        if (!asked)
            await(&sh->given[!role].n, n);
    }
    return (now_us() - start) * 1000 / (double)rounds_of(bytes);
}

static double once(const char *measure, long bytes)
{
    if (!strncmp(measure, "line:", 5))
        return bytes == 1 ? line_one() : line_two();
    if (!strncmp(measure, "memcpy:", 7))
        return copy_own(bytes, false);
    if (!strncmp(measure, "both:", 5))
        return copy_own(bytes, true);
    if (!strncmp(measure, "fresh:", 6))
        return copy_from_child(bytes, true, false);
    if (!strncmp(measure, "readv:", 6))
        return copy_from_child(bytes, false, true);
    if (!strncmp(measure, "freshreadv:", 11))
        return copy_from_child(bytes, true, true);
    if (!strncmp(measure, "pull:", 5))
        return message('p', bytes);
    if (!strncmp(measure, "share:", 6))
        return message('s', bytes);
    if (!strncmp(measure, "pieces:", 7))
        return message('i', bytes);
    if (!strncmp(measure, "past:", 5))
        return message('a', bytes);
    if (!strncmp(measure, "sum:", 4))
        return sum('m', bytes);
    if (!strncmp(measure, "sumpast:", 8))
        return sum('a', bytes);
    if (!strncmp(measure, "sumpull:", 8))
        return sum('p', bytes);
    if (!strncmp(measure, "ring:", 5) && bytes <= RING_BYTES_MAX)
        return ring(bytes);
    if (!strncmp(measure, "socket:", 7))
        return by_socket(bytes);
    if (!strncmp(measure, "into:", 5) && bytes <= WINDOW_MAX)
        return on_window(put_into, bytes);
    if (!strncmp(measure, "from:", 5) && bytes <= WINDOW_MAX)
        return on_window(get_from, bytes);
    if (!strncmp(measure, "add:", 4) && bytes <= WINDOW_MAX)
        return on_window(add_to, bytes);
    if (!strcmp(measure, "swap:1"))
        return on_window(swap_word, bytes);
    if (!strncmp(measure, "reach:", 6) && bytes <= WINDOW_MAX)
        return on_window(reach, bytes);
    if (!strncmp(measure, "give:", 5))
        return with_help(false, bytes);
    if (!strncmp(measure, "ask:", 4))
        return with_help(true, bytes);
    fprintf(stderr, "no measure %s\n", measure);
    exit(2);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void measure(const char *name, double budget_us)
{
    static double value[TRIES_MAX];
    const char *colon = strchr(name, ':');
    long bytes = colon ? atol(colon + 1) : 0;
    double start = now_us();
    int n = 0, more = 1;

    if (bytes < 1 || bytes > BYTES_MAX) {
        fprintf(stderr, "%s: 1 to %ld bytes\n", name, BYTES_MAX);
        exit(2);
    }
    while (more) {
        value[n++] = once(name, bytes);
        more = n < TRIES_MAX && (n < TRIES_MIN || now_us() - start < budget_us);
        if (!role)
            sh->data[0] = (unsigned char)more;
        meet();
        more = sh->data[0];
        meet();
    }
    if (role)
        return;
    qsort(value, (size_t)n, sizeof(*value), by_size);
    printf("%s %.6g %.6g %.6g %d\n", name, value[n / 2], value[n / 10], value[n - 1 - n / 10], n);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    int status = 0;

    if (argc < 3) {
        fprintf(stderr, "usage: limits SECONDS MEASURE:N...\n");
        return 2;
    }
    sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    own = mmap(NULL, 2 * BYTES_MAX, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (sh == MAP_FAILED || own == MAP_FAILED) {
        perror("mmap");
        return 1;
    }
    others = own; /* the child is a copy: the same address there */
    me_pid = getpid();
    fflush(stdout);
    peer_pid = fork();
    role = peer_pid == 0;
    if (role) {
        peer_pid = me_pid;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    }
    pin(role);
    memset(own, role + 1, 2 * BYTES_MAX);
    for (char **name = argv + 2; *name; name++)
        measure(*name, atof(argv[1]) * 1e6);
    if (role)
        _exit(0);
    waitpid(peer_pid, &status, 0);
    return status != 0;
}
