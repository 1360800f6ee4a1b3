/* SPDX-License-Identifier: BSD-3-Clause */
/* strangers.c – strangers at the door of a job whose ranks talk over sockets neither delay nor end it, and no byte of them
 * reaches a rank.
 *
 * A child of rank 0 finds the port of the agent, and connects to it:
 *
 *     300 times with random bytes, 100 times with a part of a greeting, 100 times with an end at once, and 1000 times silently
 *     to ranks that are dead or were never there, with the key of the job; with a key of which one bit is wrong
 *     with a greeting that was right for another connection; with its own end of one that there is already, and what followed it
 *     as a rank of the same node as the one that it calls; as an agent, with the key that ranks have
 *
 * Ranks 0 and 1 are on one node, 2 and 3 on the other one.  Meanwhile ranks 0, 1 and 2 exchange messages.  While 1000 wait
 * silently, rank 3 dies, which rank 2 is told of, and ranks 1 and 2 make their first connection.  The agent holds no more than
 * 256 strangers, and shows silent ones out after 5 s.
 *
 * Two users or two hosts are not tried here.
 *
 * BUILD: -I{root}/src {root}/src/base/sha256.c
 *
 *   S0-2: a call that needs no dead process completes normally
 *   S0-17: point-to-point that cannot complete because of a death ends with PROC_FAILED
 *   S5-14: strangers cannot join, read, delay or end a job
 *
 * RUN: -n 4 ; set MACHINES=2 ; time 60 ; expect "rank 0 ok" ; expect "rank 1 ok" ; expect "rank 2 ok" */
#include "../common.h"

#include "node/layout.h"
#include "rt/wire.h"

#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define SILENT    1000
#define AT_DOOR   256 /* strangers that the agent holds */
#define OTHERS    32  /* descriptors that it opens meanwhile for other reasons */
#define BYTES     3000
#define AT_ONCE_S 3 /* less than silent ones are given */

enum { GO_ON, ALL_WAIT, END }; /* words of rank 0 */

/* ---- the stranger ---- */

static pid_t agent;
static int agent_had; /* descriptors before all this */
static uint16_t port; /* in network byte order */
static const struct mend_node_header *header;

static _Noreturn void fails(const char *what, int a, int b)
{
    fprintf(stderr, "the stranger: %s (%d, %d, %s)\n", what, a, b, strerror(errno));
    _exit(1);
}

static int seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int)t.tv_sec;
}

/* Calls f with what each descriptor of the agent is; returns how many it has. */
static int for_each_descriptor(void (*f)(const char *what))
{
    char folder[64], path[512], what[256];
    struct dirent *e;
    DIR *d;
    int n = 0;

    snprintf(folder, sizeof(folder), "/proc/%d/fd", (int)agent);
    d = opendir(folder);
    if (!d)
        fails("the agent's descriptors cannot be read", agent, 0);
    while ((e = readdir(d)) != NULL) {
        ssize_t len;

        snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
        len = readlink(path, what, sizeof(what) - 1);
        if (len < 0)
            continue;
        what[len] = 0;
        n++;
        if (f)
            f(what);
    }
    closedir(d);
    return n;
}

/* The port where a socket listens, if it is one. */
static void look_for_port(const char *what)
{
    unsigned long inode, of;
    unsigned at, state;
    char line[512];
    FILE *f;

    if (sscanf(what, "socket:[%lu]", &inode) != 1)
        return;
    f = fopen("/proc/net/tcp", "r");
    while (f && fgets(line, sizeof(line), f))
        if (sscanf(line, " %*d: %*x:%x %*x:%*x %x %*x:%*x %*x:%*x %*x %*d %*d %lu", &at, &state,
                   &of) == 3 &&
            state == 10 && of == inode)
            port = htons((uint16_t)at);
    if (f)
        fclose(f);
}

static int check_descriptors(void)
{
    int n = for_each_descriptor(NULL);

    if (n > agent_had + AT_DOOR + OTHERS)
        fails("the agent holds too many connections", n, agent_had);
    return n;
}

static int knock(void)
{
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = port, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0)
        fails("cannot connect", fd, ntohs(port));
    return fd;
}

static void say_to(int fd, const void *bytes, size_t n)
{
    send(fd, bytes, n, MSG_NOSIGNAL); /* to an agent that may have closed it by now */
}

/* Waits until the other end has closed it. */
static void await_end(int fd, int most_s)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int end = seconds() + most_s;
    char bytes[256];
    ssize_t n;

    do {
        if (seconds() > end)
            fails("not shown out in time", fd, most_s);
        poll(&p, 1, 1000);
        n = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
    } while (n > 0 || (n < 0 && errno == EAGAIN));
    close(fd);
}

static struct mend_greeting greeting(int from, int to)
{
    struct mend_greeting g = {.magic = MEND_GREETING_MAGIC,
                              .version = MEND_GREETING_VERSION,
                              .bytes = sizeof(g),
                              .job = header->job,
                              .from = from,
                              .to = to,
                              .kind = MEND_GREETING_CALL,
                              .call = 1};

    return g;
}

/* With the nonce of this connection, or of another one; by that key. */
static struct mend_greeting sign(int fd, struct mend_greeting g, bool recorded, bool has_key)
{
    struct mend_door door = header->door;
    struct mend_challenge c;

    if (recv(fd, &c, sizeof(c), MSG_WAITALL) != sizeof(c))
        fails("the agent says no nonce", fd, 0);
    memcpy(g.door_nonce, c.nonce, sizeof(g.door_nonce));
    g.door_nonce[0] ^= recorded;
    door.key[MEND_DOOR_KEY_BYTES - 1] ^= !has_key;
    mend_greeting_sign(&g, door.key);
    return g;
}

/* The agent holds many at a time, as soon as it runs: else the test does not look at the right ones. */
static void await_many(void)
{
    int end = seconds() + 3, n;

    while ((n = check_descriptors()) < agent_had + AT_DOOR / 2) {
        if (seconds() >= end)
            fails("the agent holds hardly any", n, agent_had);
        usleep(1000);
    }
}

static void be_strange(void)
{
    struct mend_greeting g = greeting(2, 0);
    unsigned char bytes[300];
    int fd[400];

    for (int i = 0; i < 400; i++) {
        fd[i] = knock();
        for (size_t k = 0; k < sizeof(bytes); k++)
            bytes[k] = (unsigned char)rand();
        if (i < 300)
            say_to(fd[i], bytes, (size_t)rand() % sizeof(bytes));
        else
            say_to(fd[i], &g, (size_t)rand() % sizeof(g));
        if (i % 4 == 0)
            close(knock());
    }
    await_many();
    for (int i = 0; i < 400; i++)
        close(fd[i]);
}

/* One greeting, and then so many bytes that are not frames. */
static void greet_as(struct mend_greeting g, size_t n, bool recorded, bool has_key)
{
    char bytes[20000];
    int fd = knock();

    g = sign(fd, g, recorded, has_key);
    memset(bytes, 0xff, sizeof(bytes));
    say_to(fd, &g, sizeof(g));
    say_to(fd, bytes, n);
    await_end(fd, AT_ONCE_S);
}

static void greet(struct mend_greeting g, size_t n)
{
    greet_as(g, n, false, true);
}

static void claim_to_belong(void)
{
    static const int nobody[][2] = {{1, 3}, {1, -1}, {1, INT32_MAX}, {4, 1}, {-1, 1}};
    struct mend_greeting g = greeting(2, 1);

    g.call = 1000;
    greet_as(g, 20000, false, false);
    greet_as(g, 20000, true, true);
    g.kind = MEND_GREETING_ANSWER;
    greet(g, 20000);
    g.kind = MEND_GREETING_CALL;
    g.job++;
    greet(g, 20000);
    for (int i = 0; i < (int)(sizeof(nobody) / sizeof(nobody[0])); i++)
        greet(greeting(nobody[i][0], nobody[i][1]), 20000);
    greet(greeting(3, 0), 40); /* of dead rank 3 */
    greet(greeting(3, 1), 40);
    greet(greeting(2, 0), 40); /* of a connection that there is: bytes that have come before */
    greet(greeting(2, 1), 40);
    greet(greeting(1, 0),
          40); /* of a rank that shares memory with the one it calls, and never calls it */
}

static void raise_limit(void)
{
    struct rlimit most;

    getrlimit(RLIMIT_NOFILE, &most);
    most.rlim_cur = most.rlim_max;
    setrlimit(RLIMIT_NOFILE, &most);
}

/* The agent ends the connection, and goes on with the one that it has. */
static void claim_to_be_an_agent(void)
{
    static const int nodes[] = {0, 1, 2, -1, INT32_MAX};

    for (int i = 0; i < 2 * (int)(sizeof(nodes) / sizeof(nodes[0])); i++) {
        struct mend_greeting g = greeting(nodes[i / 2], 0);

        g.kind = i % 2 ? MEND_GREETING_GONE : MEND_GREETING_AGENT;
        greet(g, 2000);
        greet_as(g, 2000, true, true);
        greet_as(g, 2000, false, false);
    }
}

/* It may be given one: its caller waits as long as one that says nothing. */
static void claim_a_name_to_come(void)
{
    int fd = knock();
    struct mend_greeting g = sign(fd, greeting(1, 4), false, true);

    say_to(fd, &g, sizeof(g));
    await_end(fd, 20);
}

/* Rank 0 writes a byte when it shall begin, and one when rank 3 is dead. */
static void be_stranger(int in, int out)
{
    int fd[SILENT], last_at, took;
    char word;

    raise_limit();
    header = mmap(NULL, sizeof(*header), PROT_READ, MAP_SHARED, atoi(getenv(MEND_ENV_SHM_FD)), 0);
    if (header == MAP_FAILED || read(in, &word, 1) != 1)
        fails("cannot begin", in, 0);
    agent_had = for_each_descriptor(look_for_port);
    if (!port || port != header->door.at.port)
        fails("this is not the agent's port", port, header->door.at.port);
    be_strange();
    for (int i = 0; i < SILENT; i++) {
        fd[i] = knock();
        if (i % 100 == 0)
            check_descriptors();
    }
    last_at = seconds();
    await_many();
    if (write(out, "w", 1) != 1 || read(in, &word, 1) != 1)
        fails("rank 0 does not answer", in, out);
    claim_to_belong();
    claim_to_be_an_agent();
    await_many();
    for (int i = 0; i < SILENT; i++)
        await_end(fd[i], 20);
    took = seconds() - last_at;
    if (took < 4 || took > 15)
        fails("silent ones are shown out at the wrong time", took, 5);
    claim_a_name_to_come();
}

/* ---- the job ---- */

static char in[BYTES], out[BYTES];

/* Each sends to the other one. */
static void exchange(int with, int round)
{
    fill(out, BYTES, (unsigned)(rank + 8 * round));
    CHECK_OK(MPI_Sendrecv(out, BYTES, MPI_BYTE, with, 1, in, BYTES, MPI_BYTE, with, 1,
                          MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_EQ(wrong(in, BYTES, (unsigned)(with + 8 * round)), -1);
}

static int next_word(int from_child, pid_t child)
{
    struct pollfd p = {.fd = from_child, .events = POLLIN};
    char word;
    int status;

    if (poll(&p, 1, 1) == 0)
        return GO_ON;
    if (read(from_child, &word, 1) == 1)
        return ALL_WAIT;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
    return END;
}

/* Ranks 1 and 2 have got something from each other when rank 0 returns. */
static void lose_rank_3(void)
{
    int word = 0;

    if (rank == 3)
        die_now();
    if (rank == 2)
        CHECK_CLASS(MPI_Recv(&word, 1, MPI_INT, 3, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                    MPI_ERR_PROC_FAILED);
    if (rank > 0)
        exchange(3 - rank, 0);
    if (rank > 0)
        CHECK_OK(MPI_Send(&word, 1, MPI_INT, 0, 3, MPI_COMM_WORLD));
    for (int from = 1; from < 3 && rank == 0; from++)
        CHECK_OK(MPI_Recv(&word, 1, MPI_INT, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void work(int to_child, int from_child, pid_t child)
{
    int word = GO_ON, alive = 4;

    for (int round = 0; word != END; round++) {
        if (rank == 0) {
            if (round == 10)
                CHECK_EQ(write(to_child, "b", 1), 1);
            word = next_word(from_child, child);
        }
        for (int to = 1; to < alive && rank == 0; to++)
            CHECK_OK(MPI_Send(&word, 1, MPI_INT, to, 0, MPI_COMM_WORLD));
        if (rank > 0)
            CHECK_OK(MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (int with = 1; with < alive && rank == 0; with++)
            exchange(with, round);
        if (rank > 0)
            exchange(0, round);
        if (word == ALL_WAIT) {
            lose_rank_3();
            alive = 3;
            if (rank == 0)
                CHECK_EQ(write(to_child, "d", 1), 1);
        }
    }
}

static pid_t bear_stranger(int to[2], int from[2])
{
    pid_t child;

    CHECK(pipe(to) == 0 && pipe(from) == 0);
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        close(atoi(getenv(MEND_ENV_CTL_FD)));
        close(to[1]);
        close(from[0]);
        be_stranger(to[0], from[1]);
        _exit(0);
    }
    close(to[0]);
    close(from[1]);
    return child;
}

int main(int argc, char **argv)
{
    const char *place = getenv(MEND_ENV_RANK);
    int to[2] = {-1, -1}, from[2] = {-1, -1};
    pid_t child = -1;

    agent = getppid();
    if (place && !strcmp(place, "0"))
        child = bear_stranger(to, from);
    start(&argc, &argv);
    work(to[1], from[0], child);
    return finish();
}
