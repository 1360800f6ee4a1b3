/* SPDX-License-Identifier: BSD-3-Clause */
/* link_test.c – two agents, or one and a stranger, over the sockets of the kernel: greetings, damaged messages, another user,
 * a side that is closed or does not read.
 *
 *   R34: a name of the dead is not found, and their ports are refused
 *   S5-11: a revocation reaches every survivor on every node, and no rank relays it */
#include "base/test.h"
#include "agent/link.h"
#include "agent/revoked.h"

#include "proc/death.h"
#include "rt/pass.h"
#include "rt/wire.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define RANKS   4
#define PLACES  4u
#define SECONDS 11

/* ---- what the rest of the agent does ---- */

static int admitted_n, deaths_n, explained_n, announced_n, untold_n, aborted_n, waits_for_room;

void mend_sources_set_link(const struct mend_sources *s, int fd, bool in, bool out)
{
    (void)s, (void)fd, (void)in;
    waits_for_room = out;
}

void mend_rank_call(struct mend_ranks *ranks, const struct rank *r)
{
    (void)ranks, (void)r;
}

void mend_rank_call_all(struct mend_ranks *ranks)
{
    (void)ranks;
}

static void abort_ours(void *self, int by, const int32_t *peers, int32_t n, struct mend_abort what)
{
    (void)self, (void)by, (void)peers, (void)n, (void)what.code;
    aborted_n++;
}

/* What was heard last; the agent passes it on, as one that hears it for the first time. */
static uint64_t revoked;
static uint32_t revoked_n;

void mend_revoked_heard(struct mend_revoked *r, struct mend_links *links, uint64_t ctx,
                        const uint64_t *jobs, uint32_t n)
{
    (void)r;
    if (revoked != ctx)
        mend_links_revoke(links, ctx, jobs, n);
    revoked = ctx;
    revoked_n++;
}

uint32_t mend_guest_untold(struct mend_ranks *ranks, struct mend_link *x,
                           struct mend_link_run *runs, uint32_t max)
{
    (void)ranks, (void)x, (void)max;
    runs[0] = (struct mend_link_run){.first = 0, .n = RANKS};
    return 1;
}

void mend_guest_untell(struct mend_link *x, const struct mend_link_run *runs, uint32_t n)
{
    (void)x, (void)runs, (void)n;
    untold_n++;
}

int mend_guest_admit(struct mend_links *links, struct mend_link *x,
                     const struct mend_link_run *runs, uint32_t n)
{
    (void)links, (void)x, (void)runs, (void)n;
    admitted_n++;
    return 0;
}

/* What rests until the root has given names. */
static int asked_names_n, parted_n, presence_n;
static bool has_no_port;

static bool open_port(void *self, bool wide)
{
    (void)self;
    return !has_no_port;
}

void mend_mirror_admit(struct mend_links *links, struct mend_link *x, const struct mend_link_msg *m)
{
    (void)links;
    asked_names_n++;
    x->admits = mend_xalloc(1, sizeof(*m) + m->n * sizeof(struct mend_link_run));
    memcpy(x->admits, m, sizeof(*m) + m->n * sizeof(struct mend_link_run));
}

static void tell_root(void *to, const struct mend_message *m)
{
    (void)to;
    parted_n += m->kind == MEND_UP_PARTED;
}

void mend_guest_presence(struct mend_links *links, const struct mend_link *x, int32_t there,
                         enum mend_presence presence)
{
    (void)links, (void)x, (void)there, (void)presence;
    presence_n++;
}

bool mend_guest_announce(struct mend_ranks *ranks, struct mend_link *x)
{
    (void)ranks, (void)x;
    announced_n++;
    return true;
}

bool mend_guest_is_told(const struct mend_link *x, int name)
{
    return x->told[name / 64] >> name % 64 & 1;
}

int mend_guest_name(const struct mend_link *x, int32_t there)
{
    (void)x, (void)there;
    return 0;
}

int32_t mend_guest_there(const struct mend_link *x, int name)
{
    (void)x;
    return name;
}

void mend_guest_deaths(struct mend_links *links, struct mend_link *x,
                       const struct mend_link_death *d, uint32_t n, mend_time_ns age_ns, bool late)
{
    (void)links, (void)x, (void)d, (void)n, (void)age_ns;
    deaths_n++;
}

void mend_guest_explain(struct mend_links *links, struct mend_link *x,
                        const struct mend_link_death *d)
{
    (void)links, (void)x, (void)d;
    explained_n++;
}

/* Those of a lost agent are dead, and forgotten, at once. */
mend_time_ns mend_guest_look(struct mend_links *links, struct mend_link *x, mend_time_ns now)
{
    (void)now;
    if (mend_link_state(links, x) == MEND_CONTACT_LOST)
        mend_link_mourned(links, x);
    if (mend_link_state(links, x) == MEND_CONTACT_OVER)
        mend_link_forgotten(links, x);
    return MEND_TIME_NEVER;
}

_Noreturn void mend_options_fail(int status, const char *format, ...)
{
    CHECK_FAILS("%s %d", format, status);
}

void *mend_xalloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);

    CHECK(p != NULL);
    return p;
}

/* ---- jobs ---- */

struct side {
    struct mend_ranks ranks;
    struct mend_tell tell;
    struct mend_links *links;
    struct rank rank[RANKS];
    int ctl[2]; /* rank 0 hears its agent there */
};

static uint64_t fresh_job(void)
{
    static uint64_t n;

    return ((uint64_t)getpid() << 16) + ++n;
}

static int segment(uint64_t id, struct mend_node_header **header_p)
{
    int fd = memfd_create("link_test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    struct mend_node_header layout = {0}, *h;

    mend_node_layout(&layout, PLACES);
    CHECK_EQ(ftruncate(fd, (off_t)layout.bytes), 0);
    h = mmap(NULL, layout.at[MEND_NODE_PART_CELL], PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(h != MAP_FAILED);
    *h = layout;
    h->job = id;
    CHECK_EQ(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
    *header_p = h;
    return fd;
}

static void begin(struct side *s)
{
    memset(s, 0, sizeof(*s));
    s->tell.root = (struct mend_post){tell_root, s};
    s->ranks.n = RANKS;
    s->ranks.rank = s->rank;
    s->ranks.shm_fd = segment(fresh_job(), &s->ranks.shm);
    CHECK_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, s->ctl), 0);
    for (int i = 0; i < RANKS; i++)
        s->rank[i] = (struct rank){.index = i, .ctl_fd = i ? -1 : s->ctl[0], .watch_fd = -1};
    s->links = mend_links_open(&(struct mend_links_needs){
        .ranks = &s->ranks, .tell = &s->tell, .open_port = open_port, .abort = abort_ours});
    CHECK(s->links->door_fd >= 0);
}

static struct mend_link *first_link(struct side *s)
{
    return mend_list_empty(&s->links->all)
               ? NULL
               : mend_list_entry(s->links->all.next, struct mend_link, link);
}

static void read_links(struct side *s)
{
    mend_list_foreach (l, next, &s->links->all) {
        int fd = mend_list_entry(l, struct mend_link, link)->fd;

        if (fd >= 0)
            mend_links_read(s->links, fd);
    }
}

static void work_at(struct side *s, mend_time_ns now)
{
    mend_links_knock(s->links);
    read_links(s);
    mend_links_look(s->links, now);
}

/* Long enough for all that two agents have to say to each other. */
static void work(struct side *a, struct side *b)
{
    for (int i = 0; i < 20; i++) {
        work_at(a, mend_time_monotonic_ns());
        if (b)
            work_at(b, mend_time_monotonic_ns());
    }
}

static void end(struct side *s)
{
    struct mend_node_header layout = {0};

    mend_node_layout(&layout, PLACES);
    mend_list_foreach (l, next, &s->links->all) {
        int fd = mend_list_entry(l, struct mend_link, link)->fd;

        if (fd >= 0)
            shutdown(fd, SHUT_RDWR);
    }
    for (int i = 0; i < 4; i++)
        work_at(s, mend_time_monotonic_ns());
    CHECK(mend_list_empty(&s->links->all));
    close(s->links->door_fd);
    close(s->ctl[0]);
    close(s->ctl[1]);
    close(s->ranks.shm_fd);
    munmap(s->ranks.shm, layout.at[MEND_NODE_PART_CELL]);
    free(s->links->contact);
    free(s->links);
}

static void ask(struct side *s, uint64_t other)
{
    mend_link_asked(s->links, &s->rank[0], other, 1, 0, 0);
}

/* What rank 0 was answered; -1: nothing yet. */
static int answer(struct side *s)
{
    struct mend_ctl_abroad m;
    ssize_t n = recv(s->ctl[1], &m, sizeof(m), MSG_DONTWAIT);

    CHECK(n < 0 || m.kind == MEND_CTL_ANSWER);
    return n < 0 ? -1 : m.error;
}

static int descriptors(void)
{
    DIR *d = opendir("/proc/self/fd");
    int n = 0;

    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

/* ---- a stranger, which says what it likes ---- */

struct stranger {
    int fd, shm_fd;
    uint64_t job;
    struct mend_node_header *shm;
};

static struct stranger knock(struct side *s)
{
    struct stranger x = {.job = fresh_job()};

    x.shm_fd = segment(x.job, &x.shm);
    CHECK_EQ(mend_link_reach(s->ranks.shm->job, &x.fd), 0);
    work(s, NULL);
    return x;
}

static void send_fd(int to, const void *bytes, size_t len, int fd)
{
    CHECK_EQ(mend_pass(to, bytes, len, &fd, fd >= 0, 0), (ssize_t)len);
}

/* With a number that no other job has. */
static struct mend_link_msg hello(const struct stranger *x, const struct side *s)
{
    static uint32_t number = 1000;

    number += 1 + (number + 1 == s->ranks.shm->number);
    return (struct mend_link_msg){.magic = MEND_LINK_MAGIC,
                                  .kind = MEND_LINK_HELLO,
                                  .job = x->job,
                                  .to = s->ranks.shm->job,
                                  .number = number,
                                  .turn = 1};
}

/* The kind of the next message; 0: the other side is closed; -1: there is none. */
static int heard(const struct stranger *x)
{
    static char bytes[MEND_LINK_MSG_MAX];
    int fd;
    ssize_t n = mend_pass_take(x->fd, bytes, sizeof(bytes), &fd, 1, MSG_DONTWAIT);

    if (fd >= 0)
        close(fd);
    return n < 0 ? -1 : n == 0 ? 0 : (int)((struct mend_link_msg *)bytes)->kind;
}

static struct stranger open_stranger(struct side *s)
{
    struct stranger x = knock(s);
    struct mend_link_msg m = hello(&x, s);

    send_fd(x.fd, &m, sizeof(m), x.shm_fd);
    work(s, NULL);
    CHECK_EQ(heard(&x), MEND_LINK_OLLEH);
    CHECK(!mend_link_is_open(s->links, first_link(s)));
    m.kind = MEND_LINK_PROOF;
    send_fd(x.fd, &m, sizeof(m), -1);
    work(s, NULL);
    CHECK(mend_link_is_open(s->links, first_link(s)));
    return x;
}

static void leave(struct stranger *x)
{
    struct mend_node_header layout = {0};

    mend_node_layout(&layout, PLACES);
    munmap(x->shm, layout.at[MEND_NODE_PART_CELL]);
    close(x->shm_fd);
    close(x->fd);
}

static struct side a, b;

MEND_TEST(two_agents_connect_their_jobs)
{
    begin(&a);
    begin(&b);
    ask(&a, b.ranks.shm->job);
    CHECK_EQ(answer(&a), -1);
    work(&a, &b);
    CHECK_EQ(answer(&a), 0);
    CHECK_EQ(first_link(&a)->other, b.ranks.shm->job);
    CHECK_EQ(first_link(&b)->other, a.ranks.shm->job);
    CHECK_EQ(first_link(&a)->number, b.ranks.shm->number);
    CHECK_EQ(first_link(&b)->number, a.ranks.shm->number);
    CHECK(a.ranks.shm->number && a.ranks.shm->number != b.ranks.shm->number);
    CHECK_EQ(admitted_n, 2);
    CHECK_EQ(announced_n, 2);
    ask(&b, a.ranks.shm->job);
    work(&a, &b);
    CHECK_EQ(answer(&b), 0);
    CHECK(first_link(&a)->link.next == &a.links->all); /* the same link */
    end(&a);
    end(&b);
}

/* Only the jobs that are named are told, and the agent of one tells the others of them: the first may die in between. */
MEND_TEST(a_revocation_is_passed_on)
{
    static struct side c;
    uint64_t jobs[2];

    begin(&a);
    begin(&b);
    begin(&c);
    ask(&a, b.ranks.shm->job);
    work(&a, &b);
    ask(&b, c.ranks.shm->job);
    work(&b, &c);
    ask(&c, a.ranks.shm->job);
    work(&c, &a);
    jobs[0] = b.ranks.shm->job;
    jobs[1] = c.ranks.shm->job;
    revoked_n = 0;
    mend_links_revoke(a.links, 7, jobs, 1);
    work(&b, &c);
    CHECK_EQ(revoked, 7);
    CHECK_EQ(revoked_n, 1);
    mend_links_revoke(a.links, UINT64_MAX - 1, jobs, 2);
    work(&b, NULL);
    CHECK_EQ(revoked, UINT64_MAX - 1);
    CHECK_EQ(revoked_n, 2);
    work(&c, &b);
    CHECK_EQ(revoked_n, 4); /* c by both */
    end(&a);
    end(&b);
    end(&c);
}

MEND_TEST(both_call_at_once)
{
    begin(&a);
    begin(&b);
    ask(&a, b.ranks.shm->job);
    ask(&b, a.ranks.shm->job);
    work(&b, &a);
    for (int i = 0; i < 4; i++) { /* one may rest until the other's call has come */
        work_at(&b, MEND_TIME_NEVER - 1 - MEND_NS_PER_S);
        work(&a, &b);
    }
    CHECK_EQ(answer(&a), 0);
    CHECK_EQ(answer(&b), 0);
    CHECK(first_link(&a)->link.next == &a.links->all);
    CHECK(first_link(&b)->link.next == &b.links->all);
    end(&a);
    end(&b);
}

MEND_TEST(a_job_that_has_ended_is_not_found)
{
    uint64_t other;

    begin(&a);
    begin(&b);
    other = b.ranks.shm->job;
    end(&b);
    ask(&a, other);
    CHECK_EQ(answer(&a), ENOENT);
    ask(&a, a.ranks.shm->job); /* nor is its own */
    CHECK_EQ(answer(&a), ENOENT);
    end(&a);
}

/* More than the machine has room for at first. */
MEND_TEST(many_questions_and_links)
{
    static struct side other[9];

    begin(&a);
    for (int i = 0; i < 9; i++) {
        begin(&other[i]);
        ask(&a, other[i].ranks.shm->job);
        ask(&a, other[i].ranks.shm->job);
    }
    for (int i = 0; i < 9; i++)
        work(&a, &other[i]);
    for (int i = 0; i < 18; i++)
        CHECK_EQ(answer(&a), 0);
    for (int i = 0; i < 9; i++)
        end(&other[i]);
    work(&a, NULL);
    CHECK(mend_list_empty(&a.links->all));
    end(&a);
}

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
    int32_t body[5];
};

static int taken_n(void)
{
    return admitted_n + deaths_n + explained_n + announced_n + untold_n + aborted_n + presence_n;
}

MEND_TEST(messages_that_are_damaged)
{
    static const struct damage damages[] = {
        {MEND_LINK_ASK, 1, 2, {0, 1}},  /* half a run */
        {MEND_LINK_ASK, 1, 4, {0, 0}},  /* an empty one */
        {MEND_LINK_ASK, 1, 4, {0, -1}}, /**/
        {MEND_LINK_ASK, 1, 4, {-1, 2}}, /* names that there are not */
        {MEND_LINK_ASK, 1, 4, {1, INT32_MAX}},
        {MEND_LINK_ASK, 1, 4, {0, MEND_LINK_NAMES_MAX + 1}},
        {MEND_LINK_ASK, 1, 5, {0, 1}}, /* longer than it says */
        {MEND_LINK_ASK, 1, 4, {0, 1, 0, (MEND_PRESENCE_AWAY + 1) << 16}},
        {MEND_LINK_TELL, 2, 4, {0, 1}},
        {MEND_LINK_GUESTS, 1, 4, {0, 1}},     /* places are missing */
        {MEND_LINK_GUESTS, 1, 5, {RANKS, 1}}, /* a name of ours that there is not */
        {MEND_LINK_UNTELL, 1, 4, {RANKS - 1, 2}},
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
        {MEND_LINK_REVOKED, 0, 0, {0}},
        {MEND_LINK_REVOKED, 1, 1, {0}},
        {MEND_LINK_REVOKED, 1, 3, {0}},
        {MEND_LINK_HELLO, 0, 0, {0}}, /* once more */
        {MEND_LINK_PROOF, 0, 0, {0}},
        {(enum mend_link_kind)0, 0, 0, {0}},
        {(enum mend_link_kind)(MEND_LINK_PRESENCE + 1), 0, 0, {0}},
    };
    int before;

    begin(&a);
    before = descriptors();
    for (size_t i = 0; i < MEND_COUNT_OF(damages); i++) {
        const struct damage *d = &damages[i];
        struct stranger x = open_stranger(&a);
        struct {
            struct mend_link_msg m;
            int32_t body[5];
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

/* Of a job of several nodes: the other one opens its door, and takes what its processes say of themselves. */
MEND_TEST(a_job_of_several_nodes)
{
    struct {
        struct mend_link_msg m;
        int32_t body[2];
    } whole = {.m = {.magic = MEND_LINK_MAGIC, .kind = MEND_LINK_PRESENCE, .n = 1},
               .body = {0, MEND_PRESENCE_LEAVING}};
    struct stranger x;
    struct mend_link_msg m;

    begin(&a);
    for (int port = 0; port < 2; port++) {
        has_no_port = !port;
        x = knock(&a);
        m = hello(&x, &a);
        m.far = 1;
        memcpy(m.key, "its key", 8);
        send_fd(x.fd, &m, sizeof(m), x.shm_fd);
        work(&a, NULL);
        CHECK_EQ(heard(&x), port ? MEND_LINK_OLLEH : MEND_LINK_REFUSE);
        if (!port)
            leave(&x);
    }
    CHECK(first_link(&a)->far && !memcmp(first_link(&a)->key, "its key", 8));
    m.kind = MEND_LINK_PROOF;
    send_fd(x.fd, &m, sizeof(m), -1);
    presence_n = 0;
    send_fd(x.fd, &whole, sizeof(whole), -1);
    work(&a, NULL);
    CHECK_EQ(mend_load_relaxed(&a.ranks.shm->tells_presence), 1);
    CHECK_EQ(presence_n, 1);
    leave(&x);
    end(&a);
}

/* In a job of several nodes: nothing is read behind processes that have no names yet. */
MEND_TEST(names_come_from_the_root)
{
    struct mend_link *l;
    struct mend_link_msg *m;
    struct {
        struct mend_link_msg m;
        int32_t body[3];
    } death = {.m = {.magic = MEND_LINK_MAGIC, .kind = MEND_LINK_DEATH, .n = 1}};
    int deaths = deaths_n;

    begin(&a);
    begin(&b);
    a.ranks.nodes.n = 2;
    asked_names_n = parted_n = 0;
    ask(&b, a.ranks.shm->job);
    while (!mend_link_is_open(b.links, first_link(&b))) {
        work_at(&a, mend_time_monotonic_ns());
        work_at(&b, mend_time_monotonic_ns());
    }
    mend_link_send(b.links, first_link(&b), &death.m, death.body, 3); /* right behind ASK */
    work(&a, &b);
    CHECK_EQ(asked_names_n, 1);
    CHECK_EQ(answer(&b), -1);
    l = first_link(&a);
    CHECK(l->far && l->admits && first_link(&b)->far);
    CHECK_EQ(deaths_n, deaths);
    m = l->admits;
    l->admits = NULL;
    mend_link_admitted(a.links, l, m, 0);
    free(m);
    work(&a, &b);
    CHECK_EQ(deaths_n, deaths + 1);
    CHECK_EQ(answer(&b), 0);
    end(&b);
    work(&a, NULL);
    CHECK_EQ(parted_n, 1); /* the other nodes forget it, too */
    end(&a);
}

/* It says no more, but would listen: that is the end of it. */
MEND_TEST(a_side_that_is_closed)
{
    begin(&a);
    for (int open = 0; open < 2; open++) {
        struct stranger x = open ? open_stranger(&a) : knock(&a);

        CHECK(first_link(&a) != NULL);
        CHECK_EQ(shutdown(x.fd, SHUT_WR), 0);
        work(&a, NULL);
        CHECK(mend_list_empty(&a.links->all));
        CHECK_EQ(heard(&x), 0);
        leave(&x);
    }
    end(&a);
}

/* Sends do not wait for an agent that does not read; what was sent comes in order when it does. */
MEND_TEST(an_agent_that_does_not_read)
{
    struct mend_link_msg m = {.kind = MEND_LINK_DEATH, .n = 0};
    struct mend_link_death body[100] = {{0}};
    struct stranger x;
    int n = 0, kind;

    begin(&a);
    x = open_stranger(&a);
    ask(&a, x.job);
    while (!waits_for_room && n++ < 100000) {
        m.n = MEND_COUNT_OF(body);
        mend_link_send(a.links, first_link(&a), &m, body, MEND_COUNT_OF(body) * 3);
    }
    CHECK(waits_for_room);
    for (int i = 0; i < 100; i++, n++)
        mend_link_send(a.links, first_link(&a), &m, body, MEND_COUNT_OF(body) * 3);
    CHECK_EQ(answer(&a), -1);
    work_at(&a, mend_time_monotonic_ns() + SECONDS * MEND_NS_PER_S);
    CHECK_EQ(answer(&a), ETIMEDOUT);
    CHECK_EQ(heard(&x), MEND_LINK_ASK);
    while ((kind = heard(&x)) >= 0) {
        CHECK_EQ(kind, MEND_LINK_DEATH);
        work(&a, NULL);
        n--;
    }
    CHECK_EQ(n, 0);
    CHECK(!waits_for_room);
    leave(&x);
    end(&a);
}

/* Another user, which knows the name of our door. */
static _Noreturn void call_as_nobody(uint64_t job)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), error;
    int n = snprintf(to.sun_path + 1, sizeof(to.sun_path) - 1, "mend-%u-%016llx",
                     (unsigned)geteuid(), (unsigned long long)job);
    char c;

    if (setresuid(65534, 65534, 65534) != 0 ||
        connect(fd, (struct sockaddr *)&to,
                (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n)) != 0)
        _exit(2);
    if (recv(fd, &c, 1, 0) > 0) /* it is closed */
        _exit(3);
    error = mend_link_reach(job, &fd);
    _exit(error == ENOENT ? 0 : 4); /* our job has no door for that user */
}

/* The kernel says whose the other end is. */
MEND_TEST(another_user_is_not_talked_to)
{
    pid_t child;
    int status;

    if (geteuid() != 0) {
        fprintf(stderr, "# only root can be another user\n");
        return;
    }
    begin(&a);
    child = fork();
    if (child == 0)
        call_as_nobody(a.ranks.shm->job);
    while (waitpid(child, &status, WNOHANG) == 0) {
        mend_links_knock(a.links);
        CHECK(mend_list_empty(&a.links->all));
        sched_yield();
    }
    CHECK_EQ(status, 0);
    end(&a);
}

MEND_TEST_MAIN()
