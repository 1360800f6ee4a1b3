/* SPDX-License-Identifier: BSD-3-Clause */
/* beats_test.c – leases of real processes: a parent in this process, and a child in one of its own, which its fence may kill.
 *
 *   R46: a stop of the whole job by its user harms nothing, however long it lasts
 *   S5-3: a node that falls silent is lost in bounded time
 *   S5-4: a lost node runs no code of the program, and no byte of it is accepted
 *   S5-5: no node is lost because its agent runs late
 *   S5-14: strangers cannot join, read, delay or end a job */
#include "lease/beats.h"

#include "base/test.h"
#include "base/time.h"
#include "ft/lease_wire.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILD      1
#define GRANDCHILD 3 /* of node 1 in a tree of radix 2 */
#define NODES      4
#define RADIX      2

static const struct mend_lease_config config = MEND_LEASE_DEFAULTS;
static const unsigned char key[MEND_DOOR_KEY_BYTES] = "of the job", other_key[MEND_DOOR_KEY_BYTES];

static struct mend_beats parent;

static void open_parent(void)
{
    CHECK(mend_beats_open(&parent, &config, key, (struct mend_beats_place){0, NODES, RADIX},
                          (struct mend_port_range){0}));
    mend_beats_expect(&parent, CHILD, 1);
}

static struct mend_address address(void)
{
    return mend_address_v4(htonl(INADDR_LOOPBACK), mend_beats_port(&parent));
}

static bool await_news(const struct mend_beats *b, int ms)
{
    struct pollfd p = {.fd = b->news_fd, .events = POLLIN};

    return poll(&p, 1, ms) > 0;
}

/* Says a byte when it has its lease, and lives until it is killed. */
static pid_t start_child(const unsigned char *its_key, int *granted_fd_p)
{
    struct mend_address at = address();
    struct mend_beats b;
    int fd[2];
    pid_t pid;

    CHECK_EQ(pipe(fd), 0);
    pid = fork();
    if (pid == 0) {
        if (!mend_beats_open(&b, &config, its_key, (struct mend_beats_place){CHILD, NODES, RADIX},
                             (struct mend_port_range){0}) ||
            !mend_beats_follow(&b, 1, 0, &at))
            _exit(1);
        while (!mend_beats_are_granted(&b))
            await_news(&b, -1);
        if (write(fd[1], "g", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    close(fd[1]);
    *granted_fd_p = fd[0];
    return pid;
}

static bool is_granted(int fd)
{
    char c;
    bool granted = read(fd, &c, 1) == 1;

    close(fd);
    return granted;
}

static int next_lost(void)
{
    struct mend_lease_turn turn;
    mend_time_ns silent;

    return mend_beats_next_lost(&parent, &turn, &silent);
}

/* A parent here, and a child that has its lease. */
static pid_t begin(void)
{
    int granted;
    pid_t child;

    open_parent();
    child = start_child(key, &granted);
    CHECK(is_granted(granted));
    return child;
}

/* It is killed, and has been before it is said to be lost. */
static void is_lost(pid_t child)
{
    int status;

    while (next_lost() != CHILD)
        CHECK(await_news(&parent, 20000));
    CHECK_EQ(waitpid(child, &status, WNOHANG), child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    CHECK_EQ(next_lost(), -1);
}

MEND_TEST(one_that_is_stopped_ends_before_it_is_lost)
{
    pid_t child = begin();

    kill(child, SIGSTOP);
    is_lost(child);
    mend_beats_close(&parent);
}

MEND_TEST(one_that_is_killed_is_lost)
{
    pid_t child = begin();

    kill(child, SIGKILL);
    is_lost(child);
    mend_beats_close(&parent);
}

/* As long as it goes on within half a lease. */
MEND_TEST(short_stops_do_no_harm)
{
    pid_t child = begin();

    for (int i = 0; i < 3; i++) {
        kill(child, SIGSTOP);
        CHECK(!await_news(&parent, 450));
        kill(child, SIGCONT);
        CHECK(!await_news(&parent, 400));
    }
    CHECK_EQ(waitpid(child, NULL, WNOHANG), 0);
    kill(child, SIGKILL);
    is_lost(child);
    mend_beats_close(&parent);
}

/* A parent that stops for three leases, with a process that stands in for it, or without one. */
static _Noreturn void stopping_parent(bool stands_in, int fd)
{
    pid_t other, child;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    child = begin();
    if (stands_in)
        other = mend_beats_hand_over(&parent);
    CHECK_EQ(write(fd, &child, sizeof(child)), (ssize_t)sizeof(child));
    raise(SIGSTOP);
    if (stands_in)
        mend_beats_take_back(&parent, other);
    CHECK(!await_news(&parent, 1500));
    CHECK_EQ(waitpid(child, NULL, WNOHANG), 0);
    kill(child, SIGKILL);
    is_lost(child);
    _exit(0);
}

static pid_t stopped_parent(bool stands_in, pid_t *child_p)
{
    pid_t pid;
    int fd[2];

    CHECK_EQ(pipe(fd), 0);
    pid = fork();
    if (pid == 0)
        stopping_parent(stands_in, fd[1]);
    close(fd[1]);
    CHECK_EQ(read(fd[0], child_p, sizeof(*child_p)), (ssize_t)sizeof(*child_p));
    close(fd[0]);
    CHECK_EQ(waitpid(pid, NULL, WUNTRACED), pid);
    return pid;
}

static bool ends_within(pid_t pid, int ms)
{
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    struct pollfd p = {.fd = fd, .events = POLLIN};
    bool ends = fd < 0 || poll(&p, 1, ms) > 0;

    close(fd);
    return ends;
}

MEND_TEST(a_parent_that_stops_has_one_that_stands_in)
{
    pid_t child, stopped = stopped_parent(true, &child);
    int status;

    CHECK(!ends_within(child, 3000));
    kill(stopped, SIGCONT);
    CHECK_EQ(waitpid(stopped, &status, 0), stopped);
    CHECK_EQ(status, 0);
}

MEND_TEST(without_one_its_children_end)
{
    pid_t child, stopped = stopped_parent(false, &child);

    CHECK(ends_within(child, 20000));
    kill(stopped, SIGKILL);
    CHECK_EQ(waitpid(stopped, NULL, 0), stopped);
}

/* It ends with the one that it stands in for. */
MEND_TEST(nobody_stands_in_for_the_dead)
{
    pid_t child, stopped = stopped_parent(true, &child);

    kill(stopped, SIGKILL);
    CHECK(ends_within(child, 20000));
    CHECK_EQ(waitpid(stopped, NULL, 0), stopped);
}

MEND_TEST(without_its_parent_it_ends)
{
    pid_t child = begin();
    int status;

    mend_beats_close(&parent);
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

MEND_TEST(one_that_was_declared_ends)
{
    pid_t child = begin();
    int status;

    mend_beats_declare(&parent, CHILD, 1);
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    CHECK_EQ(next_lost(), -1);
    mend_beats_close(&parent);
}

/* ---- a tree ---- */

/* A node between the root and GRANDCHILD; says where it grants leases when it has its own. */
static pid_t start_middle(struct mend_address *at_p)
{
    struct mend_address at = address();
    struct mend_beats b;
    uint16_t port = 0;
    int fd[2];
    pid_t pid;

    CHECK_EQ(pipe(fd), 0);
    pid = fork();
    if (pid == 0) {
        if (!mend_beats_open(&b, &config, key, (struct mend_beats_place){CHILD, NODES, RADIX},
                             (struct mend_port_range){0}) ||
            !mend_beats_follow(&b, 1, 0, &at))
            _exit(1);
        mend_beats_expect(&b, GRANDCHILD, 1);
        while (!mend_beats_are_granted(&b))
            await_news(&b, -1);
        port = mend_beats_port(&b);
        if (write(fd[1], &port, sizeof(port)) != sizeof(port))
            _exit(1);
        for (;;)
            pause();
    }
    close(fd[1]);
    CHECK_EQ(read(fd[0], &port, sizeof(port)), (ssize_t)sizeof(port));
    close(fd[0]);
    *at_p = mend_address_v4(htonl(INADDR_LOOPBACK), port);
    return pid;
}

/* Says a byte when it has its lease, and turns to the root when the node in between is silent. */
static pid_t start_grandchild(const struct mend_address *middle)
{
    struct mend_address root = address();
    struct mend_beats b;
    int fd[2];
    pid_t pid;

    CHECK_EQ(pipe(fd), 0);
    pid = fork();
    if (pid == 0) {
        if (!mend_beats_open(&b, &config, key, (struct mend_beats_place){GRANDCHILD, NODES, RADIX},
                             (struct mend_port_range){0}) ||
            !mend_beats_follow(&b, 1, CHILD, middle))
            _exit(1);
        while (!mend_beats_are_granted(&b))
            await_news(&b, -1);
        if (write(fd[1], "g", 1) != 1)
            _exit(1);
        while (!mend_beats_seek(&b)) {
            await_news(&b, -1);
            mend_beats_are_granted(&b);
        }
        mend_beats_turn(&b, 0, &root);
        for (;;)
            pause();
    }
    close(fd[1]);
    CHECK(is_granted(fd[0]));
    return pid;
}

static struct mend_lease_turn await_question(void)
{
    struct mend_lease_turn turn;
    int node;

    while ((node = mend_beats_next_asking(&parent, &turn)) < 0)
        CHECK(await_news(&parent, 20000));
    CHECK_EQ(node, GRANDCHILD);
    return turn;
}

static void await_lost(int node)
{
    int lost;

    while ((lost = next_lost()) < 0)
        CHECK(await_news(&parent, 20000));
    CHECK_EQ(lost, node);
}

MEND_TEST(one_below_turns_to_the_root)
{
    struct mend_address at;
    struct mend_lease_turn turn;
    pid_t middle, grandchild;

    open_parent();
    middle = start_middle(&at);
    grandchild = start_grandchild(&at);
    kill(middle, SIGSTOP);
    turn = await_question();
    CHECK_EQ(turn.turn, 2);
    mend_beats_adopt(&parent, GRANDCHILD, turn);
    await_lost(CHILD);
    CHECK(!ends_within(grandchild, 2000));
    kill(grandchild, SIGKILL);
    await_lost(GRANDCHILD);
    mend_beats_close(&parent);
}

/* Without the root's word it gets nothing. */
MEND_TEST(one_that_is_not_adopted_ends)
{
    struct mend_address at;
    pid_t middle, grandchild;

    open_parent();
    middle = start_middle(&at);
    grandchild = start_grandchild(&at);
    kill(middle, SIGKILL);
    await_question();
    CHECK(ends_within(grandchild, 20000));
    CHECK_EQ(waitpid(middle, NULL, 0), middle);
    mend_beats_close(&parent);
}

/* A beat with another key, bytes that are none, and a beat whose proof is of another one. */
MEND_TEST(strangers_get_nothing)
{
    struct mend_address parent_at;
    struct sockaddr_in6 at;
    socklen_t at_n;
    const struct mend_lease_msg beat = {
        .word = MEND_LEASE_BEAT, .node = CHILD, .turn = {1, 1}, .number = 1};
    unsigned char bytes[MEND_LEASE_WIRE_BYTES + MEND_SHA256_BYTES];
    int fd = socket(AF_INET, SOCK_DGRAM, 0), granted;
    pid_t child, stranger;

    open_parent();
    parent_at = address();
    at_n = mend_address_to(&parent_at, &at);
    stranger = start_child(other_key, &granted);
    close(granted);
    child = start_child(key, &granted);
    for (size_t i = 0; i < sizeof(bytes) + 2; i++) {
        struct pollfd p = {.fd = fd, .events = POLLIN};

        mend_lease_wire_encode(&beat, bytes);
        mend_hmac_sha256(key, sizeof(key), bytes, MEND_LEASE_WIRE_BYTES,
                         bytes + MEND_LEASE_WIRE_BYTES);
        if (i < sizeof(bytes))
            bytes[i] ^= 1;
        CHECK(sendto(fd, bytes, i < sizeof(bytes) ? sizeof(bytes) : i % 2 * 5, 0,
                     (struct sockaddr *)&at, at_n) >= 0);
        CHECK_EQ(poll(&p, 1, 1), 0);
    }
    CHECK(is_granted(granted));
    kill(stranger, SIGKILL);
    CHECK_EQ(waitpid(stranger, NULL, 0), stranger);
    CHECK(!await_news(&parent, 50));
    kill(child, SIGKILL);
    is_lost(child);
    close(fd);
    mend_beats_close(&parent);
}

MEND_TEST_MAIN()
