/* SPDX-License-Identifier: BSD-3-Clause */
/* link_wire_test.c – what another agent says: greetings and messages that are damaged, or sound; and claims that two processes cannot reach
 * each other. */
#include "agent/link_test.h"

/* Nothing of it is taken, or leaves a descriptor. */
MEND_TEST(greetings_that_are_damaged)
{
    int before;

    begin(&a);
    before = descriptors();
    for (int i = 0; i < 9; i++) {
        struct stranger x = knock(&a);
        struct mend_link_msg m = hello(&x, &a);
        size_t len = sizeof(m);
        int fd = x.shm_fd;

        m.magic += i == 0;
        m.kind = i == 1 ? 0 : i == 2 ? MEND_LINK_ABORT + 1 : i == 3 ? MEND_LINK_OLLEH : m.kind;
        len -= i == 4 ? 4 : i == 5 ? 1 : 0;
        m.n = i == 6 ? MEND_LINK_BODY_MAX + 1 : 0;
        fd = i == 7 ? -1 : i == 8 ? x.fd : fd; /* no segment; not a segment */
        send_fd(x.fd, &m, len, fd);
        work(&a, NULL);
        CHECK_EQ(heard(&x), i >= 7 ? MEND_LINK_REFUSE : 0);
        CHECK_EQ(heard(&x), 0);
        CHECK(mend_list_empty(&a.links->all));
        leave(&x);
    }
    CHECK_EQ(descriptors(), before);
    CHECK_EQ(a.ranks.shm->number, 0);
    end(&a);
}

struct damage {
    enum mend_link_kind kind;
    uint32_t n;
    size_t words;
    int32_t body[RUN + 1];
};

static int taken_n(void)
{
    return admitted_n + deaths_n + explained_n + announced_n + untold_n + aborted_n + presence_n +
           cuts_n;
}

MEND_TEST(messages_that_are_damaged)
{
    static const struct damage damages[] = {
        {MEND_LINK_ASK, 1, RUN - 1, {0, 1}}, /* less than a run */
        {MEND_LINK_ASK, 1, RUN, {0, 0}},     /* an empty one */
        {MEND_LINK_ASK, 1, RUN, {0, -1}},    /**/
        {MEND_LINK_ASK, 1, RUN, {-1, 2}},    /* names that there are not */
        {MEND_LINK_ASK, 1, RUN, {1, INT32_MAX}},
        {MEND_LINK_ASK, 1, RUN, {0, MEND_LINK_NAMES_MAX + 1}},
        {MEND_LINK_ASK, 1, RUN + 1, {0, 1}}, /* longer than it says */
        {MEND_LINK_ASK, 1, RUN, {0, 1, [RUN - 1] = MEND_PRESENCE_AWAY + 1}},
        {MEND_LINK_TELL, 2, RUN, {0, 1}},
        {MEND_LINK_GUESTS, 1, RUN, {0, 1}},         /* places are missing */
        {MEND_LINK_GUESTS, 1, RUN + 1, {RANKS, 1}}, /* a name of ours that there is not */
        {MEND_LINK_UNTELL, 1, RUN, {RANKS - 1, 2}},
        {MEND_LINK_DEATH, 1, 2, {0}},
        {MEND_LINK_DEATH, 1, 3, {0, MEND_CAUSE_LEFT + 1, 0}},
        {MEND_LINK_DEATH, 1, 3, {0, -1, 0}},
        {MEND_LINK_EXPLAIN, 1, 0, {0}},
        {MEND_LINK_EXPLAIN, 0, 0, {0}},
        {MEND_LINK_PRESENCE, 0, 0, {0}},
        {MEND_LINK_PRESENCE, 1, 1, {0}},
        {MEND_LINK_PRESENCE, 1, 2, {0, MEND_PRESENCE_AWAY + 1}},
        {MEND_LINK_PRESENCE, 1, 2, {0, -1}},
        {MEND_LINK_PRESENCE, 2, 4, {0, 1, 0, 1}},
        {MEND_LINK_RELEASED, 1, 1, {RANKS}},
        {MEND_LINK_RELEASED, 1, 1, {-1}},
        {MEND_LINK_ABORT, 2, 2, {0, RANKS}},
        {MEND_LINK_CUT, 0, 0, {0}},
        {MEND_LINK_CUT, 1, 1, {RANKS}},
        {MEND_LINK_CUT, 1, 1, {-1}},
        {MEND_LINK_CUT, 2, 2, {0, 1}},
        {MEND_LINK_REVOKED, 0, 0, {0}},
        {MEND_LINK_REVOKED, 1, 1, {0}},
        {MEND_LINK_REVOKED, 1, 3, {0}},
        {MEND_LINK_HELLO, 0, 0, {0}}, /* once more */
        {MEND_LINK_PROOF, 0, 0, {0}},
        {(enum mend_link_kind)0, 0, 0, {0}},
        {(enum mend_link_kind)(MEND_LINK_CUT + 1), 0, 0, {0}},
    };
    int before;

    begin(&a);
    before = descriptors();
    for (size_t i = 0; i < MEND_COUNT_OF(damages); i++) {
        const struct damage *d = &damages[i];
        struct stranger x = open_stranger(&a);
        struct {
            struct mend_link_msg m;
            int32_t body[RUN + 1];
        } whole = {.m = {.magic = MEND_LINK_MAGIC, .kind = d->kind, .n = d->n}};
        int taken = taken_n();

        memcpy(whole.body, d->body, sizeof(d->body));
        send_fd(x.fd, &whole, sizeof(whole.m) + d->words * sizeof(int32_t), x.shm_fd);
        work(&a, NULL);
        CHECK_EQ(heard(&x), 0);
        CHECK(mend_list_empty(&a.links->all));
        CHECK_EQ(taken_n(), taken);
        leave(&x);
    }
    CHECK_EQ(descriptors(), before);
    end(&a);
}

/* What is sound is taken, and a descriptor that belongs to nothing is closed. */
MEND_TEST(messages_that_are_sound)
{
    struct stranger x;
    struct {
        struct mend_link_msg m;
        int32_t body[3];
    } whole = {.m = {.magic = MEND_LINK_MAGIC, .kind = MEND_LINK_DEATH, .n = 1}};
    int before, deaths = deaths_n, aborts = aborted_n;

    begin(&a);
    x = open_stranger(&a);
    before = descriptors();
    send_fd(x.fd, &whole, sizeof(whole.m) + 3 * sizeof(int32_t), x.shm_fd);
    whole.m.kind = MEND_LINK_ABORT;
    send_fd(x.fd, &whole, sizeof(whole.m) + sizeof(int32_t), -1);
    work(&a, NULL);
    CHECK_EQ(deaths_n, deaths + 1);
    CHECK_EQ(aborted_n, aborts + 1);
    CHECK_EQ(descriptors(), before);
    CHECK(mend_link_is_open(a.links, first_link(&a)));
    leave(&x);
    work(&a, NULL);
    CHECK(mend_list_empty(&a.links->all));
    end(&a);
}

/* What the kind, or the pair, of a CUT makes unbelievable. */
struct claim {
    bool decides_here, ends, far, told, dead, guest_dead;
    bool guest; /* is one of this job, and of that link */
    int judge;  /* that the root hears; -1: it hears nothing */
};

static void hear_claim(const struct claim *c)
{
    static struct mend_node_rank living, gone = {.fate = MEND_PEER_DEAD};
    struct {
        struct mend_link_msg m;
        int32_t body[1];
    } whole = {.m = {.magic = MEND_LINK_MAGIC, .kind = MEND_LINK_CUT, .n = 1, .code = c->ends},
               .body = {1}};
    struct stranger x;
    struct mend_link_msg m;

    begin(&a);
    x = knock_as(&a, c->decides_here ? UINT64_MAX : 1);
    m = hello(&x, &a);
    m.far = c->far;
    send_fd(x.fd, &m, sizeof(m), x.shm_fd);
    work(&a, NULL);
    CHECK_EQ(heard(&x), MEND_LINK_OLLEH);
    m.kind = MEND_LINK_PROOF;
    send_fd(x.fd, &m, sizeof(m), -1);
    work(&a, NULL);
    for (int i = 0; i < RANKS; i++)
        a.rank[i].shared = &living;
    a.rank[1].shared = c->dead ? &gone : &living;
    a.rank[2].shared = c->guest_dead ? &gone : &living;
    a.rank[2].guest_of = c->guest ? first_link(&a) : NULL;
    first_link(&a)->told[0] = c->told ? 2 : 0;
    guest_name = 2;
    cuts_n = 0;
    send_fd(x.fd, &whole, sizeof(whole.m) + sizeof(whole.body[0]), -1);
    work(&a, NULL);
    CHECK_EQ(cuts_n, c->judge >= 0);
    CHECK(c->judge < 0 || (last_cut.rank == 1 && last_cut.arg[MEND_CUT_PEER] == 2 &&
                           last_cut.arg[MEND_CUT_JUDGE] == c->judge));
    guest_name = 0;
    a.rank[2].guest_of = NULL;
    leave(&x);
    end(&a);
}

/* Of two jobs the one with the lower id decides; it hears of pairs, and the other one of those that it is to end. */
MEND_TEST(what_is_believed_of_a_cut)
{
    static const struct claim claims[] = {
        {.decides_here = true, .far = true, .told = true, .guest = true, .judge = MEND_CUT_OURS},
        {.ends = true, .far = true, .told = true, .guest = true, .judge = MEND_CUT_DECIDED},
        {.decides_here = true, .ends = true, .far = true, .told = true, .guest = true, .judge = -1},
        {.far = true, .told = true, .guest = true, .judge = -1},
        {.ends = true, .told = true, .guest = true, .judge = -1},
        {.ends = true, .far = true, .guest = true, .judge = -1},
        {.ends = true, .far = true, .told = true, .judge = -1},
        {.ends = true, .far = true, .told = true, .guest = true, .dead = true, .judge = -1},
        {.ends = true, .far = true, .told = true, .guest = true, .guest_dead = true, .judge = -1}};

    for (size_t i = 0; i < MEND_COUNT_OF(claims); i++)
        hear_claim(&claims[i]);
}

/* A rank of this job complains: who decides; what is said to the other job, which hears of living processes only. */
MEND_TEST(what_is_said_of_a_cut)
{
    static struct mend_node_rank living, gone = {.fate = MEND_PEER_DEAD};

    for (int decides = 0; decides < 2; decides++) {
        struct stranger x;
        struct mend_link_msg m;

        begin(&a);
        x = knock_as(&a, decides ? UINT64_MAX : 1);
        m = hello(&x, &a);
        m.far = 1;
        send_fd(x.fd, &m, sizeof(m), x.shm_fd);
        work(&a, NULL);
        CHECK_EQ(heard(&x), MEND_LINK_OLLEH);
        m.kind = MEND_LINK_PROOF;
        send_fd(x.fd, &m, sizeof(m), -1);
        work(&a, NULL);
        for (int i = 0; i < RANKS; i++)
            a.rank[i].shared = &living;
        a.rank[2].guest_of = first_link(&a);
        first_link(&a)->told[0] = 2;
        cuts_n = 0;
        mend_links_complain(a.links, 1, 2);
        CHECK_EQ(cuts_n, 1);
        CHECK_EQ(last_cut.arg[MEND_CUT_JUDGE], decides ? MEND_CUT_OURS : MEND_CUT_THEIRS);
        mend_links_cut(a.links, 1, 2, decides ? MEND_CUT_THERE_ENDS : MEND_CUT_DECIDE);
        CHECK_EQ(heard(&x), MEND_LINK_CUT);
        mend_links_cut(a.links, 1, 2, MEND_CUT_HERE_ENDS);
        CHECK_EQ(heard(&x), -1);
        CHECK_EQ(cuts_n, 2);
        CHECK_EQ(last_cut.arg[MEND_CUT_JUDGE], MEND_CUT_DECIDED);
        a.rank[2].shared = &gone;
        mend_links_cut(a.links, 1, 2, MEND_CUT_THERE_ENDS);
        mend_links_cut(a.links, 1, 2, MEND_CUT_HERE_ENDS);
        CHECK_EQ(heard(&x), -1);
        CHECK_EQ(cuts_n, 2);
        a.rank[2].guest_of = NULL;
        leave(&x);
        end(&a);
    }
}

MEND_TEST_MAIN()
