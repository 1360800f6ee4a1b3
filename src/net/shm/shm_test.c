/* SPDX-License-Identifier: BSD-3-Clause */
/* What the transport within a node does beyond the contract of net.h (net/contract_test.c): who is reached by which rings;
 * what goes where there are no pages; what lies where in a ring; what no correct process writes there is refused; memory of
 * another process is copied with one system call while its RTS is good.
 *
 * What two ranks write in turns is in turns_test.c.  For single copy there is a real process. */
#include "net/shm/ranks_test.h"

#include "node/bell.h"

#include <errno.h>
#include <signal.h>
#include <sys/uio.h>
#include <sys/wait.h>

#define A_MOMENT (2 * (mend_time_ns)1000000)
#define FOR_LONG (60 * (mend_time_ns)1000000000)

MEND_TEST(processes_of_this_job_are_reached_by_shm_and_those_of_others_by_rings)
{
    struct mend_proc alone = {.me = 0};

    begin_in_jobs(2);
    for (mend_peer p = 0; p < RANKS; p++)
        for (mend_peer q = 0; q < RANKS; q++) {
            CHECK_EQ(mend_net_shm.reach(&procs[p], q), p != q && p % 2 == q % 2);
            CHECK_EQ(mend_net_rings.reach(&procs[p], q), p % 2 != q % 2);
            CHECK_EQ(mend_net_self.reach(&procs[p], q), p == q);
        }
    alone.arena = mend_arena_create();
    CHECK(mend_peers_add(&alone, 2));
    CHECK_EQ(mend_net_shm.open(&alone), MEND_ERR_UNSUPPORTED); /* it has no segment */
    CHECK(!mend_net_shm.reach(&alone, 1) && !mend_net_rings.reach(&alone, 1));
    mend_arena_destroy(alone.arena);
}

/* A process that had the place of rank 1 before had sent as many frames as rank 1 sends now. */
MEND_TEST(a_bell_begins_at_0_whoever_had_the_place_before)
{
    begin();
    procs[0].shm->seen[1] = 1;
    CHECK(mend_net_shm.reach(&procs[0], 1));
    CHECK_EQ(send_some(1, 0, 0, 8), MEND_OK);
    CHECK_EQ(poll_at(0, MEND_PEER_NONE), 1);
}

/* Frames of all lengths, more than fit into the ring at once. */
static int send_mixed(int n, uint32_t len_max)
{
    for (int i = 0; i < 2000; i++) {
        uint32_t len = (uint32_t)i * 977 % (len_max + 1);

        while (send_some(1, 0, n, len) == MEND_AGAIN) {
            CHECK_EQ(mend_net_shm.memory_for(&procs[1], 0, len), (int32_t)len);
            CHECK(poll_at(0, MEND_PEER_NONE) > 0); /* so there was no room */
        }
        n++;
    }
    poll_all(0);
    CHECK_EQ(came_n[1], n);
    return n;
}

/* The ring from rank 1 has no pages for all of its payload area.  Returns how many frames lie in it. */
static int begin_with_few_pages(void)
{
    begin();
    CHECK_EQ(send_some(1, 0, 0, 41), MEND_OK);
    CHECK_EQ(send_some(1, 0, 1, mend_net_shm.payload_max_bytes / 2), MEND_OK);
    run_out_of_pages();
    return 2;
}

MEND_TEST(without_pages_for_all_of_its_payloads_a_ring_is_shorter)
{
    uint32_t max = mend_net_shm.payload_max_bytes;
    int n = begin_with_few_pages();

    n = send_mixed(n, max);
    send_mixed(n, 1000);
}

/* A receiver that has nothing left to read may sleep until something comes. */
MEND_TEST(what_was_read_is_room_at_once)
{
    uint32_t max = mend_net_shm.payload_max_bytes;
    int n = begin_with_few_pages();

    poll_all(0);
    for (uint32_t i = 0; i < 300; i++) {
        CHECK_EQ(send_some(1, 0, n++, i % 2 ? max : 41 + i * 7 % 960), MEND_OK);
        poll_all(0);
        CHECK_EQ(came_n[1], n);
    }
}

MEND_TEST(without_pages_for_payloads_short_frames_go)
{
    uint32_t max = mend_net_shm.payload_max_bytes;

    begin();
    CHECK_EQ(send_some(1, 0, 0, 8), MEND_OK);
    run_out_of_pages();
    CHECK_EQ(send_some(1, 0, 1, 41), MEND_AGAIN);
    CHECK(!mend_net_shm.reserve(&procs[1], 0, max));
    CHECK_EQ(mend_net_shm.memory_for(&procs[1], 0, max), 40);
    CHECK_EQ(mend_net_shm.memory_for(&procs[1], 0, 8), 8);
    send_mixed(1, 40);
}

MEND_TEST(without_pages_for_a_ring_nothing_goes)
{
    begin();
    run_out_of_pages();
    CHECK_EQ(send_some(1, 0, 0, 0), MEND_AGAIN);
    CHECK_EQ(mend_net_shm.memory_for(&procs[1], 0, 0), -1);
    CHECK_EQ(mend_net_shm.memory_for(&procs[1], 0, 8), -1);
    CHECK_EQ(send_some(0, 1, 0, 8), MEND_OK); /* and it can receive */
    poll_all(1);
    CHECK_EQ(came_n[0], 1);
}

/* Two short messages share a line, and one of up to 40 bytes begins a line: all orders of them. */
MEND_TEST(short_messages_and_longer_ones_take_turns)
{
    int n = 0;

    begin();
    for (unsigned order = 0; order < 1u << 12; order++) {
        for (unsigned i = 0; i < 12; i++)
            CHECK_EQ(send_some(1, 0, n++, order >> i & 1 ? 8 + order % 33 : order % 9), MEND_OK);
        poll_all(0);
        CHECK_EQ(came_n[1], n);
    }
}

/* Invariant 5: payload that reads like the header of the second slot of its line, one lap later. */
MEND_TEST(old_payload_is_no_header)
{
    struct mend_frame f = frame_of(1, 0, MEND_SHM_INLINE_MAX);
    char payload[MEND_SHM_INLINE_MAX] = {0};

    begin();
    procs[0].on_frame[MEND_FRAME_EAGER] = on_any_frame;
    for (uint32_t slot = 0; slot < MEND_SHM_SLOTS; slot += 2) {
        struct mend_frame old = frame_of(1, -1, 0);

        old.seq = MEND_SHM_SLOTS + slot + 2;
        memcpy(payload + MEND_SHM_SHORT_MAX, &old, sizeof(old));
        CHECK_EQ(mend_net_shm.send(&procs[1], 0, &f, payload), MEND_OK);
        poll_all(0);
    }
    for (uint32_t slot = 0; slot < MEND_SHM_SLOTS; slot++) {
        came_n[1] = 0;
        CHECK_EQ(send_some(1, 0, 0, 8), MEND_OK);
        poll_all(0);
        CHECK_EQ(came_n[1], 1);
    }
}

/* Its sender was killed in between. */
MEND_TEST(sever_finds_a_frame_whose_bell_was_not_rung)
{
    begin();
    CHECK_EQ(send_some(1, 0, 0, 8), MEND_OK);
    mend_store_relaxed(procs[1].shm->out[0]->bell, 0);
    mend_net_shm.sever(&procs[0], 1);
    CHECK_EQ(came_n[1], 1);
    mend_net_shm.sever(&procs[0], 2); /* which has no ring */
    CHECK_EQ(came_n[2], 0);
}

/* Writes a header into slot k of the ring 1 -> 0 as a faulty process might. */
static void overwrite(unsigned k, enum mend_frame_kind kind, uint32_t len)
{
    slot_at(k)->f.kind_len = (uint32_t)kind << 24 | len;
}

static bool is_pad(unsigned k)
{
    return slot_at(k)->f.seq == k + 1 && slot_at(k)->f.kind_len == 0;
}

/* A pad that is written when the next message comes would be another transfer of a line that is at the receiver. */
MEND_TEST(behind_a_message_of_a_line_a_long_one_fills_its_line_with_a_pad_at_once)
{
    begin();
    CHECK_EQ(send_some(1, 0, 0, 32), MEND_OK); /* slots 0 and 1 */
    CHECK_EQ(send_some(1, 0, 1, 3000), MEND_OK);
    CHECK(is_pad(3));
    CHECK_EQ(send_some(1, 0, 2, 32), MEND_OK);
    poll_all(0);
    CHECK_EQ(send_some(1, 0, 3, 3000), MEND_OK); /* 6 and 7 */
    CHECK_EQ(send_some(1, 0, 4, 3000), MEND_OK); /* and others share a line */
    CHECK_EQ(send_some(1, 0, 5, 3000), MEND_OK);
    CHECK(is_pad(7) && slot_at(8)->f.seq == 9 && slot_at(9)->f.seq == 10 && !is_pad(9));
    poll_all(0);
    CHECK_EQ(came_n[1], 6);
    for (int i = 6; i < 2000; i++) { /* through all slots of the ring */
        CHECK_EQ(send_some(1, 0, i, i % 3 ? 32 : 3000), MEND_OK);
        poll_all(0);
    }
    CHECK(came_n[1] == 2000 && damaged_n == 0);
}

/* One at a time, so that each offset and each way to store is tried with several of the lengths. */
MEND_TEST(answered_payloads_come_whole)
{
    const uint32_t lens[] = {1025, 2048, 2049, 3000, 4096, 5632, 5633, 8192};
    int n = 0;

    begin();
    for (int i = 0; i < 100; i++)
        for (unsigned k = 0; k < MEND_COUNT_OF(lens); k++) {
            CHECK_EQ(send_some(1, 0, n++, lens[k]), MEND_OK);
            CHECK_EQ(poll_at(0, 1), 1);
        }
    CHECK(came_n[1] == n && damaged_n == 0);
}

static int64_t farthest; /* offset in the payload area */

static void on_long_frame(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                          const void *payload)
{
    int64_t at = (const char *)payload - (const char *)slot_at(MEND_SHM_SLOTS);

    if (mend_frame_len(f) > MEND_SHM_INLINE_MAX && at > farthest)
        farthest = at;
}

/* The lines at the beginning are still in the caches. */
MEND_TEST(the_payload_area_starts_over_also_where_short_messages_come_between)
{
    begin();
    procs[0].on_frame[MEND_FRAME_EAGER] = on_long_frame;
    farthest = 0;
    for (int i = 0; i < 400; i++) {
        CHECK_EQ(send_some(1, 0, i, i % 2 ? 32 : 3000), MEND_OK);
        poll_all(0);
    }
    CHECK(farthest > 0 && farthest < MEND_SHM_AREA_BYTES / 2 + 3000);
}

MEND_TEST(a_payload_that_would_lie_outside_is_refused)
{
    const uint32_t tray = MEND_SHM_ON_TRAY(1),
                   outside[] = {MEND_SHM_AREA_BYTES - 2999, tray + 8,
                                tray + MEND_SHM_TRAY_BYTES - 2944, MEND_SHM_ON_TRAY(MEND_SHM_TRAYS),
                                UINT32_MAX - 63};
    struct mend_shm_slot *slot;
    uint32_t at;

    begin();
    CHECK_EQ(send_some(1, 0, 0, 8), MEND_OK);
    CHECK_EQ(send_some(1, 0, 1, 3000), MEND_OK);
    overwrite(1, MEND_FRAME_EAGER, MEND_FRAME_LEN_MAX);
    poll_at(0, 1);
    CHECK(damaged_n == 1 && came_n[1] == 1);
    overwrite(1, MEND_FRAME_SKIP, 1); /* a pad has no payload */
    poll_at(0, 1);
    CHECK(damaged_n == 2 && came_n[1] == 1);
    overwrite(1, MEND_FRAME_EAGER,
              MEND_SHM_SHORT_MAX + 1); /* half of it would lie in the next line */
    poll_at(0, 1);
    CHECK(damaged_n == 3 && came_n[1] == 1);
    slot = &procs[1].shm->out[0]->slots[1];
    at = slot->payload_at;
    overwrite(1, MEND_FRAME_EAGER, 3000);
    for (int i = 0; i < (int)MEND_COUNT_OF(outside); i++) {
        slot->payload_at = outside[i];
        poll_at(0, 1);
        CHECK_EQ(damaged_n, 4 + i);
        CHECK_EQ(came_n[1], 1);
    }
    slot->payload_at = at;
    poll_at(0, 1);
    CHECK(damaged_n == 3 + (int)MEND_COUNT_OF(outside) && came_n[1] == 2);
}

MEND_TEST(a_pad_that_begins_a_line_is_refused)
{
    begin();
    for (int i = 0; i < 3; i++)
        CHECK_EQ(send_some(1, 0, i, 8), MEND_OK);
    overwrite(2, MEND_FRAME_SKIP, 0);
    poll_at(0, 1);
    CHECK(damaged_n == 1 && came_n[1] == 2);
}

static bool sleeps(mend_time_ns longest)
{
    return !mend_bell_node.sleep(&procs[0], longest);
}

MEND_TEST(a_thread_of_the_process_ends_a_sleep)
{
    begin();
    mend_bell_node.arm(&procs[0], false);
    CHECK(sleeps(A_MOMENT));
    mend_bell_node.rouse(&procs[0]);
    CHECK(!sleeps(FOR_LONG));
    mend_bell_node.disarm(&procs[0]);
}

MEND_TEST(held_wake_ups_come_with_the_release)
{
    begin();
    mend_bell_node.arm(&procs[0], false);
    mend_node_hold(&procs[1]);
    CHECK_EQ(send_some(1, 0, 0, 8), MEND_OK);
    CHECK(sleeps(A_MOMENT));
    mend_node_release(&procs[1]);
    CHECK(!sleeps(FOR_LONG));
    mend_bell_node.arm(&procs[0], false);
    CHECK_EQ(send_some(1, 0, 1, 8), MEND_OK);
    CHECK(!sleeps(A_MOMENT)); /* nobody holds any more */
    mend_bell_node.disarm(&procs[0]);
}

/* Single copy. */

#define BIG 100000u

static struct {
    unsigned char bytes[BIG];
} * shown; /* in the memory of the child at the same address, and not shared */

/* Rank 1 as a process of its own: it has its own copy of `shown`, says when all stands there, and ends when the
 * pipe is closed. */
static pid_t start_rank_1(int *end_p)
{
    int to_child[2], to_parent[2];
    char c;
    pid_t child;

    CHECK(pipe(to_child) == 0 && pipe(to_parent) == 0);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        struct mend_node_rank *me = mend_node_rank_of(segment, mend_place_at(1));

        close(to_child[1]);
        fill(shown->bytes, 1, BIG);
        mend_store_relaxed(&me->pid, (uint32_t)getpid());
        mend_store_relaxed(&me->life_valid, 1);
        CHECK(write(to_parent[1], "r", 1) == 1 && read(to_child[0], &c, 1) == 0);
        check_payload(2, shown->bytes, 1000); /* what was pushed */
        CHECK_EQ(shown->bytes[1000], byte_of(1, 1000));
        _exit(0);
    }
    close(to_child[0]);
    close(to_parent[1]);
    CHECK_EQ(read(to_parent[0], &c, 1), 1);
    close(to_parent[0]);
    *end_p = to_child[1];
    return child;
}

static bool kernel_allows(pid_t child)
{
    char here;
    struct iovec mine = {&here, 1}, theirs = {shown, 1};

    return process_vm_readv(child, &mine, 1, &theirs, 1, 0) == 1;
}

static enum mend_status pull(void *dst, const void *at, size_t len, uint32_t stamp)
{
    return mend_net_shm.near->pull(&procs[0], 1, dst, (uintptr_t)at, len, stamp);
}

MEND_TEST(memory_of_another_process)
{
    static unsigned char got[BIG];
    const struct mend_net *net;
    int end, status;
    uint32_t stamp;
    pid_t child;

    begin();
    net = &mend_net_shm;
    shown = mmap(NULL, sizeof(*shown), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(shown != MAP_FAILED);
    child = start_rank_1(&end);
    stamp = mend_net_shm.near->rts_stamp(&procs[1]);
    if (!kernel_allows(child)) {
        printf("# this kernel allows no process_vm_readv: %s\n", strerror(errno));
        CHECK_EQ(pull(got, shown->bytes, BIG, stamp), MEND_ERR_UNSUPPORTED);
        kill(child, SIGKILL);
        CHECK(waitpid(child, &status, 0) == child);
        close(end);
        return;
    }
    CHECK_EQ(pull(got, shown->bytes, BIG, stamp), MEND_OK);
    check_payload(1, got, BIG);
    CHECK_EQ(pull(got, NULL, 100, stamp), MEND_AGAIN); /* a bad address */
    mend_net_shm.near->withdraw(&procs[1]);
    CHECK_EQ(pull(got, shown->bytes, BIG, stamp), MEND_AGAIN);
    stamp = mend_net_shm.near->rts_stamp(&procs[1]);
    CHECK_EQ(pull(got, shown->bytes, 10, stamp), MEND_OK);
    fill(got, 2, 1000);
    CHECK_EQ(net->near->push(&procs[0], 1, got, (uintptr_t)shown->bytes, 1000), MEND_OK);
    close(end);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK_EQ(pull(got, shown->bytes, BIG, stamp), MEND_ERR_PEER);
    CHECK(net->near->push(&procs[0], 1, got, (uintptr_t)shown->bytes, 1000) != MEND_OK);
}

/* A number that is another process's: the cookie does not lie there. */
MEND_TEST(memory_of_the_wrong_process_is_not_read)
{
    struct mend_node_rank *peer;
    unsigned char got[8];

    begin();
    peer = mend_node_rank_of(segment, mend_place_at(1));
    mend_store_relaxed(&peer->pid, (uint32_t)getpid());
    mend_store_relaxed(&peer->cookie, mend_load_relaxed(&peer->cookie) + 1);
    CHECK_EQ(pull(got, procs, sizeof(got), mend_net_shm.near->rts_stamp(&procs[1])),
             MEND_ERR_UNSUPPORTED);
}

MEND_TEST(copy_pages_are_the_same_for_both_ends)
{
    begin();
    CHECK(mend_net_shm.near->copypage(&procs[0], 0) == mend_net_shm.near->copypage(&procs[1], 0));
    CHECK(mend_net_shm.near->copypage(&procs[0], 1) != mend_net_shm.near->copypage(&procs[0], 0));
}

MEND_TEST_MAIN()
