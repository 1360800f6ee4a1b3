/* SPDX-License-Identifier: BSD-3-Clause */
/* room_test.c – a search through the room of a ring: all short sequences of what two ranks do to the rings between them, sends
 * of each kind of length and offset, and receives of one message or of all.
 *
 * After each action: a send finds no room only while something is left to read in that ring (shm.c, invariant 8), for a
 * receiver that has read all may sleep, and nothing else would make room; and what comes is whole, in the order of the
 * sends (invariants 1, 2, 7).  A sequence begins where the one before it has left the rings, so it meets them empty, but
 * at many offsets of slots and payload area. */
#include "net/shm/ranks_test.h"

#include <stdio.h>

#define SENDER   1
#define RECEIVER 0
#define MOST     MEND_SHM_PAYLOAD_MAX

enum what { SEND, FRAGMENT, RESERVE, FILL, TAKE_ONE, TAKE_ALL };

static const struct action {
    const char *name;
    mend_peer who;
    enum what what;
    uint32_t len;
} actions[] = {
    {"8 bytes", SENDER, SEND, 8},
    {"a line", SENDER, SEND, MEND_SHM_INLINE_MAX},
    {"1000 bytes", SENDER, SEND, 1000},
    {"60000 bytes", SENDER, SEND, 60000},
    {"a fragment", SENDER, FRAGMENT, MOST},
    {"in place", SENDER, RESERVE, MOST},
    {"8 bytes until there is no room", SENDER, FILL, 8},
    {"take one", RECEIVER, TAKE_ONE, 0},
    {"take all", RECEIVER, TAKE_ALL, 0},
    {"an answer", RECEIVER, SEND, 5000},
    {"take the answers", SENDER, TAKE_ALL, 0},
};
#define ACTIONS MEND_COUNT_OF(actions)

static uint32_t sent_n[RANKS];
static uint64_t sequence; /* its digits, to the base of ACTIONS, are the actions */
static int depth;
static bool one_only;

static void say_sequence(void)
{
    uint64_t k = sequence;

    for (int d = 0; d < depth; d++, k /= ACTIONS)
        fprintf(stderr, "# %s\n", actions[k % ACTIONS].name);
}

/* A payload says which one it is at its beginning, in each page, and at its end. */
static void stamp(char *payload, uint32_t number, uint32_t len)
{
    for (uint32_t at = 0; at + 4 <= len; at += 4096)
        memcpy(payload + at, &number, 4);
    memcpy(payload + len - 4, &number, 4);
}

static bool has_stamp(const char *payload, uint32_t number, uint32_t len)
{
    bool has = !memcmp(payload + len - 4, &number, 4);

    for (uint32_t at = 0; at + 4 <= len; at += 4096)
        has &= !memcmp(payload + at, &number, 4);
    return has;
}

static void on_stamped(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                       const void *payload)
{
    uint32_t number = (uint32_t)came_n[from]++;

    self->sated = one_only;
    if ((uint32_t)f->tag != number || !has_stamp(payload, number, mend_frame_len(f)))
        say_sequence();
    CHECK_EQ(f->tag, (int)number);
    CHECK(has_stamp(payload, number, mend_frame_len(f)));
}

/* False: there was no room. */
static bool send_stamped(mend_peer who, enum what what, uint32_t len)
{
    static char payload[MOST];
    mend_peer to = who == SENDER ? RECEIVER : SENDER;
    enum mend_frame_kind kind = what == FRAGMENT ? MEND_FRAME_DATA : MEND_FRAME_EAGER;
    struct mend_frame f = mend_frame_make(kind, MEND_CTX_WORLD, (int)sent_n[who], who, len);
    char *room = what == RESERVE ? mend_net_shm.reserve(&procs[who], to, len) : payload;

    if (!room)
        return false;
    stamp(room, sent_n[who], len);
    if (what == RESERVE)
        mend_net_shm.commit(&procs[who], to, &f);
    else if (mend_net_shm.send(&procs[who], to, &f, payload) != MEND_OK)
        return false;
    sent_n[who]++;
    return true;
}

static void take(mend_peer who, bool one)
{
    one_only = one;
    procs[who].sated = false;
    if (one)
        poll_at(who, MEND_PEER_NONE);
    else
        poll_all(who);
}

static void act(const struct action *a)
{
    if (a->what >= TAKE_ONE) {
        take(a->who, a->what == TAKE_ONE);
        return;
    }
    while (send_stamped(a->who, a->what, a->len))
        if (a->what != FILL)
            return;
    if ((uint32_t)came_n[a->who] == sent_n[a->who])
        say_sequence();
    CHECK((uint32_t)came_n[a->who] < sent_n[a->who]);
}

/* Everything is read: nothing is missing, and the longest payload has room in each direction. */
static void settle(void)
{
    for (int i = 0; i < 2; i++) {
        take(RECEIVER, false);
        take(SENDER, false);
        CHECK_EQ(came_n[SENDER], (int)sent_n[SENDER]);
        CHECK_EQ(came_n[RECEIVER], (int)sent_n[RECEIVER]);
        if (i == 0)
            for (mend_peer who = 0; who < 2; who++)
                act(&(struct action){"the longest", who, SEND, MOST});
    }
}

static void all_sequences(int actions_n)
{
    uint64_t n = 1;

    depth = actions_n;
    for (int d = 0; d < depth; d++)
        n *= ACTIONS;
    for (sequence = 0; sequence < n; sequence++) {
        uint64_t k = sequence;

        for (int d = 0; d < depth; d++, k /= ACTIONS)
            act(&actions[k % ACTIONS]);
        settle();
    }
}

/* again: an idle payload area starts over at once. */
static void begin_rings(bool oversubscribed, bool again)
{
    begin();
    memset(sent_n, 0, sizeof(sent_n));
    for (mend_peer who = 0; who < 2; who++) {
        procs[who].oversubscribed = oversubscribed;
        procs[who].on_frame[MEND_FRAME_EAGER] = procs[who].on_frame[MEND_FRAME_DATA] = on_stamped;
        CHECK(send_stamped(who, SEND, 8));
        if (again)
            procs[who].shm->out[!who]->walk_bytes = 0;
    }
}

MEND_TEST(a_ring_that_is_read_has_room_for_any_payload)
{
    begin_rings(false, false);
    all_sequences(5);
}

MEND_TEST(so_has_one_that_begins_over)
{
    begin_rings(false, true);
    all_sequences(5);
}

/* As in jobs of many ranks that share cores. */
MEND_TEST(so_has_one_of_half_the_length)
{
    begin_rings(true, false);
    for (mend_peer who = 0; who < 2; who++)
        procs[who].shm->out[!who]->area_bytes = MEND_SHM_AREA_BYTES / 2;
    all_sequences(5);
}

MEND_TEST(so_has_one_without_pages_for_all_of_it)
{
    begin_rings(true, false);
    act(&(struct action){"pages", SENDER, RESERVE, MOST});
    act(&(struct action){"pages", SENDER, SEND, 60000});
    settle();
    run_out_of_pages();
    all_sequences(5);
}

MEND_TEST_MAIN()
