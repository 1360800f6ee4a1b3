/* SPDX-License-Identifier: BSD-3-Clause */
/* link_test.h – two agents, or one and a stranger, over the sockets of the kernel: for link_test.c and link_wire_test.c, of which each is
 * a program of its own. */
#ifndef MEND_LAUNCH_AGENT_LINK_TEST_H
#define MEND_LAUNCH_AGENT_LINK_TEST_H

#include "agent/link_rest_test.h"

/* ---- jobs ---- */

struct side {
    struct mend_ranks ranks;
    struct mend_tell tell;
    struct mend_links *links;
    struct rank rank[RANKS];
    int ctl[2]; /* rank 0 hears its agent there */
};

static inline uint64_t fresh_job(void)
{
    static uint64_t n;

    return ((uint64_t)getpid() << 16) + ++n;
}

static inline int segment(uint64_t id, struct mend_node_header **header_p)
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

static inline void begin(struct side *s)
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

static inline struct mend_link *first_link(struct side *s)
{
    return mend_list_empty(&s->links->all)
               ? NULL
               : mend_list_entry(s->links->all.next, struct mend_link, link);
}

static inline void read_links(struct side *s)
{
    mend_list_foreach (l, next, &s->links->all) {
        int fd = mend_list_entry(l, struct mend_link, link)->fd;

        if (fd >= 0)
            mend_links_read(s->links, fd);
    }
}

static inline void work_at(struct side *s, mend_time_ns now)
{
    mend_links_knock(s->links);
    read_links(s);
    mend_links_look(s->links, now);
}

/* Long enough for all that two agents have to say to each other. */
static inline void work(struct side *a, struct side *b)
{
    for (int i = 0; i < 20; i++) {
        work_at(a, mend_time_monotonic_ns());
        if (b)
            work_at(b, mend_time_monotonic_ns());
    }
}

static inline void end(struct side *s)
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

static inline void ask(struct side *s, uint64_t other)
{
    mend_link_asked(s->links, &s->rank[0], other, 1, 0, 0);
}

/* What rank 0 was answered; -1: nothing yet. */
static inline int answer(struct side *s)
{
    struct mend_ctl_abroad m;
    ssize_t n = recv(s->ctl[1], &m, sizeof(m), MSG_DONTWAIT);

    CHECK(n < 0 || m.kind == MEND_CTL_ANSWER);
    return n < 0 ? -1 : m.error;
}

static inline int descriptors(void)
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

static inline struct stranger knock_as(struct side *s, uint64_t job)
{
    struct stranger x = {.job = job};

    x.shm_fd = segment(x.job, &x.shm);
    CHECK_EQ(mend_link_reach(s->ranks.shm->job, &x.fd), 0);
    work(s, NULL);
    return x;
}

static inline struct stranger knock(struct side *s)
{
    return knock_as(s, fresh_job());
}

static inline void send_fd(int to, const void *bytes, size_t len, int fd)
{
    CHECK_EQ(mend_pass(to, bytes, len, &fd, fd >= 0, 0), (ssize_t)len);
}

/* With a number that no other job has. */
static inline struct mend_link_msg hello(const struct stranger *x, const struct side *s)
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
static inline int heard(const struct stranger *x)
{
    static char bytes[MEND_LINK_MSG_MAX];
    int fd;
    ssize_t n = mend_pass_take(x->fd, bytes, sizeof(bytes), &fd, 1, MSG_DONTWAIT);

    if (fd >= 0)
        close(fd);
    return n < 0 ? -1 : n == 0 ? 0 : (int)((struct mend_link_msg *)bytes)->kind;
}

static inline struct stranger open_stranger(struct side *s)
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

static inline void leave(struct stranger *x)
{
    struct mend_node_header layout = {0};

    mend_node_layout(&layout, PLACES);
    munmap(x->shm, layout.at[MEND_NODE_PART_CELL]);
    close(x->shm_fd);
    close(x->fd);
}

static struct side a;

#endif
