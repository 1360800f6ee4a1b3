/* SPDX-License-Identifier: BSD-3-Clause */
/* Every transport keeps the contract of net.h: nothing comes from a peer after sever(), and all that had reached this process
 * before; what no correct process sends is refused; a message takes no memory from the arena; a poll that the bell advises
 * against makes no system call; a frame ends a sleep. */
#include "net/contract_procs_test.h"
#include "node/node.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- deaths ---- */

/* The dead do not send; a test may. */
static void send_as_dead(mend_peer dead, mend_peer to)
{
    struct mend_frame f = frame_of(dead, sent_n[dead][to], 8);

    NET->send(&procs[dead], to, &f, payload_of(dead, to, sent_n[dead][to]));
}

static void check_severed(mend_peer dead)
{
    struct mend_frame f = frame_of(0, 0, 8);

    send_as_dead(dead, 0); /* on_frame() does not expect it */
    look_often();
    for (unsigned i = 0; i < OFTEN; i++)
        poll_at(0, dead);
    CHECK_EQ(NET->send(&procs[0], dead, &f, payload_of(0, dead, 0)), MEND_ERR_PEER);
    CHECK(!NET->reserve(&procs[0], dead, 8));
}

MEND_TEST(sever_delivers_what_had_come_and_nothing_more)
{
    begin(3);
    for (int i = 0; i < 150; i++) /* more than one poll delivers */
        send_one(1, 0, (uint32_t)i);
    send_one(2, 0, 8);
    deliver(1, 0);
    NET->sever(&procs[0], 1);
    CHECK_EQ(came_n[1][0], 150);
    check_severed(1);
    NET->sever(&procs[0], 1); /* twice does no harm */
    check_severed(1);
    send_one(0, 2, 8);
    put_one(2, 0, 8, 8);
    settle();
    finish();
}

MEND_TEST(sever_looks_at_a_peer_that_was_never_looked_at)
{
    begin(3);
    send_one(1, 0, 8);
    deliver(1, 0);
    NET->sever(&procs[0], 1);
    CHECK_EQ(came_n[1][0], 1);
    NET->sever(&procs[0], 2); /* which never sent anything */
    CHECK_EQ(came_n[2][0], 0);
    check_severed(1);
    check_severed(2);
    finish();
}

/* What was on its way may still come there, or not. */
MEND_TEST(a_full_way_to_a_dead_peer_takes_nothing_more)
{
    mend_time_ns end = soon();

    begin(3);
    send_all(0, 1, at_most_max(3000));
    NET->sever(&procs[0], 1);
    check_severed(1);
    send_one(0, 2, 8);
    send_one(2, 0, 8);
    while (came_n[0][2] + came_n[2][0] < 2)
        poll_until(end);
    finish();
}

MEND_TEST(nothing_is_left_of_a_dead_peer_that_is_forgotten)
{
    size_t bytes;

    if (!NET->forget)
        return;
    begin(3);
    send_one(0, 2, 8);
    send_one(2, 0, 8);
    settle();
    bytes = procs[0].arena->in_use_bytes;
    for (int i = 0; i < 100; i++) {
        send_one(0, 1, random_len());
        send_one(1, 0, random_len());
    }
    settle();
    NET->sever(&procs[0], 1);
    NET->forget(&procs[0], 1);
    CHECK(procs[0].arena->in_use_bytes <= bytes);
    check_severed(1);
    send_one(0, 2, 8);
    send_one(2, 0, at_most_max(3000));
    settle();
    finish();
}

/* ---- damage ---- */

/* What lay before it comes, and nothing behind it. */
static void check_damage(void (*put)(const struct mend_frame *f), struct mend_frame bad)
{
    mend_time_ns end = soon();
    const void *payload;

    begin(3);
    send_one(1, 0, 8);
    put(&bad);
    send_as_dead(1, 0);
    while (!damaged_n)
        poll_until(end);
    look_often();
    CHECK_EQ(damaged_from, 1);
    CHECK_EQ(came_n[1][0], 1);
    CHECK(!NET->near || !NET->near->peek || !NET->near->peek(&procs[0], 1, &payload));
    send_one(2, 0, 8);
    settle();
    finish();
}

static void put_frame(const struct mend_frame *f)
{
    NET->send(&procs[1], 0, f, "");
}

static void put_bytes(const struct mend_frame *f)
{
    mend_net_subject.forge(&procs[1], &procs[0], f, sizeof(*f));
}

MEND_TEST(a_frame_of_no_kind_is_refused)
{
    check_damage(put_frame, mend_frame_make(MEND_FRAME_KINDS_USED, MEND_CTX_WORLD, 0, 1, 0));
    check_damage(put_frame, mend_frame_make(MEND_FRAME_KINDS, MEND_CTX_WORLD, 0, 1, 0));
    check_damage(put_frame, mend_frame_make((enum mend_frame_kind)255, MEND_CTX_WORLD, 0, 1, 0));
}

MEND_TEST(a_header_that_no_correct_process_sends_is_refused)
{
    if (!mend_net_subject.forge)
        return;
    check_damage(put_bytes, mend_frame_make(MEND_FRAME_SKIP, MEND_CTX_WORLD, 0, 1, 1));
    check_damage(put_bytes, mend_frame_make(MEND_FRAME_EAGER, MEND_CTX_WORLD, 0, 1,
                                            NET->payload_max_bytes + 1));
    check_damage(put_bytes,
                 mend_frame_make(MEND_FRAME_EAGER, MEND_CTX_WORLD, 0, 1, MEND_FRAME_LEN_MAX));
}

/* ---- costs ---- */

/* What grows with the longest frame, or the longest queue, has grown. */
static void warm_up(void)
{
    const uint32_t max = NET->payload_max_bytes;

    for (int i = 0; i < 20; i++)
        for (mend_peer p = 0; p < 2; p++) {
            send_one(p, 1 - p, max);
            put_one(p, 1 - p, max, max);
        }
    send_all(0, 1, 8);
    send_all(1, 0, max);
    settle();
}

static void exchange(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        send_one(0, 1, random_len());
        put_one(1, 0, 100, 200);
        send_one(1, 0, random_len());
        if (i % 7 == 0)
            settle();
    }
    settle();
}

MEND_TEST(a_message_takes_no_memory_from_the_arena)
{
    begin(2);
    warm_up();
    for (mend_peer p = 0; p < 2; p++)
        mend_arena_set_faults(procs[p].arena, 1, true);
    exchange(2000);
    for (mend_peer p = 0; p < 2; p++) {
        CHECK_EQ(procs[p].arena->faults.denied_n, 0);
        mend_arena_set_faults(procs[p].arena, 0, false);
    }
    finish();
}

static bool is_never_due(struct mend_proc *self, struct mend_look *look)
{
    return false;
}

/* From here on any system call except exit_group() ends the process.  False: this kernel cannot do that. */
static bool forbid_system_calls(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = {MEND_COUNT_OF(filter), filter};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

#define CANNOT_FORBID 77

/* A copy of this process, which is in a wait. */
static _Noreturn void poll_without_system_calls(void)
{
    static const char *a_wait;
    struct mend_bell bell = procs[0].bell ? *procs[0].bell : (struct mend_bell){0};

    bell.is_due = is_never_due;
    procs[0].bell = &bell;
    procs[0].waits = (struct mend_waiting *)(void *)&a_wait; /* at which no transport looks */
    if (!forbid_system_calls())
        _exit(CANNOT_FORBID);
    for (int i = 0; i < 1000; i++)
        poll_at(0, MEND_PEER_NONE);
    syscall(SYS_exit_group, 0);
    __builtin_unreachable();
}

MEND_TEST(a_poll_that_the_bell_advises_against_makes_no_system_call)
{
    int status;
    pid_t child;

    begin(2);
    exchange(50);
    send_one(1, 0, at_most_max(3000));
    deliver(1, 0);
    fflush(stdout);
    child = fork();
    if (child == 0)
        poll_without_system_calls();
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status));
    if (WEXITSTATUS(status) == CANNOT_FORBID)
        printf("# this kernel cannot forbid system calls\n");
    else
        CHECK_EQ(WEXITSTATUS(status), 0);
    finish();
}

/* ---- sleep ---- */

/* One turn of a wait (req/wait.c); `meanwhile` comes before the sleep. */
static void look_or_sleep(void (*meanwhile)(void))
{
    const struct mend_bell *bell = procs[0].bell;

    bell->arm(&procs[0], false);
    if (poll_at(0, MEND_PEER_NONE) == 0) {
        if (meanwhile)
            meanwhile();
        CHECK(bell->sleep(&procs[0], FOR_LONG));
    }
    bell->disarm(&procs[0]);
}

static void send_8_bytes(void)
{
    send_one(1, 0, 8);
    deliver(1, 0);
}

/* A frame that came before the process armed itself is seen by the look behind that. */
MEND_TEST(a_frame_ends_a_sleep)
{
    begin(2);
    for (int i = 0; procs[0].bell && i < 20; i++) {
        if (i % 2)
            send_8_bytes();
        look_or_sleep(i % 2 ? NULL : send_8_bytes);
        while (!has_all_come())
            look_or_sleep(NULL);
    }
    finish();
}

static void send_while_held(void)
{
    mend_node_hold(&procs[1]);
    send_one(1, 0, 8);
    send_one(1, 2, 8);
    mend_node_release(&procs[1]);
    deliver(1, 0);
}

MEND_TEST(a_frame_that_was_sent_while_wakes_are_held_ends_a_sleep)
{
    begin(3);
    for (int i = 0; procs[0].bell && i < 20; i++) {
        look_or_sleep(send_while_held);
        while (came_n[1][0] < sent_n[1][0])
            look_or_sleep(NULL);
    }
    settle();
    finish();
}

MEND_TEST(without_a_frame_a_sleep_goes_on)
{
    begin(2);
    if (procs[0].bell) {
        procs[0].bell->arm(&procs[0], false);
        CHECK_EQ(poll_at(0, MEND_PEER_NONE), 0);
        CHECK(!procs[0].bell->sleep(&procs[0], A_MOMENT));
        procs[0].bell->disarm(&procs[0]);
    }
    finish();
}
