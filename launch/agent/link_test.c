/* SPDX-License-Identifier: BSD-3-Clause */
/* link_test.c – jobs that are connected: both call at once, one has ended, has several nodes, is another user's, is closed or does not read.
 *
 *   R34: a name of the dead is not found, and their ports are refused
 *   S5-11: a revocation reaches every survivor on every node, and no rank relays it */
#include "agent/link_test.h"

static struct side b;

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

/* Processes on other machines: of a job that takes connections on its own only they get no names, and theirs are not told. */
MEND_TEST(a_job_on_other_machines)
{
    struct {
        struct mend_link_msg m;
        struct mend_link_run run;
    } ask = {.m = {.magic = MEND_LINK_MAGIC, .kind = MEND_LINK_ASK, .n = 1}, .run = {.n = 1}};
    struct stranger x;
    struct mend_link_msg m;

    for (int reachable = 0; reachable < 2; reachable++) {
        begin(&a);
        a.ranks.nodes.at = mend_address_v4(reachable ? 0 : htonl(INADDR_LOOPBACK), 7);
        x = knock(&a);
        m = hello(&x, &a);
        m.far = m.elsewhere = 1;
        is_wide = false;
        admitted_n = 0;
        send_fd(x.fd, &m, sizeof(m), x.shm_fd);
        work(&a, NULL);
        CHECK_EQ(heard(&x), MEND_LINK_OLLEH);
        CHECK(is_wide);
        m.kind = MEND_LINK_PROOF;
        send_fd(x.fd, &m, sizeof(m), -1);
        send_fd(x.fd, &ask, sizeof(ask), -1);
        work(&a, NULL);
        CHECK_EQ(admitted_n, reachable);
        CHECK_EQ(heard(&x), reachable ? MEND_LINK_TELL : MEND_LINK_UNTELL);
        leave(&x);
        end(&a);
    }
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
