/* SPDX-License-Identifier: BSD-3-Clause */
/* control.c – the datagrams of ranks to their agent.
 *
 * The socket identifies the rank, and the credentials that the kernel adds to each datagram identify the process.
 * A rank's statements count for itself only. */
#include "agent/control.h"

#include "agent/agent.h"
#include "agent/facts.h"
#include "agent/links.h"
#include "agent/names.h"
#include "agent/papers.h"
#include "agent/revoked.h"
#include "agent/rouse.h"
#include "agent/retire.h"
#include "agent/start.h"
#include "agent/tally.h"
#include "agent/tell.h"
#include "agent/verdict.h"
#include "base/time.h"
#include "rt/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static void on_join(struct mend_verdicts *verdicts, const struct mend_tell *tell, struct rank *r,
                    pid_t sender)
{
    pthread_mutex_lock(&verdicts->ranks->lock);
    mend_verdict_joined(verdicts, r, sender);
    pthread_mutex_unlock(&verdicts->ranks->lock);
    if (sender <= 0)
        mend_say(tell,
                 "mend: rank %d runs in a PID namespace that mpiexec cannot see, so "
                 "it cannot be killed when the job ends",
                 r->index);
}

/* Nobody is left to go on. */
static bool are_all_named(const struct mend_ranks *ranks)
{
    for (int i = 0; i < ranks->n; i++)
        if (!ranks->rank[i].guest_of && !ranks->rank[i].end.named && !mend_rank_is_dead(ranks, i))
            return false;
    return true;
}

/* One line instead of one per rank. */
static void note_whole_abort(struct mend_ranks *ranks, const struct mend_tell *tell,
                             struct mend_course *course, const struct rank *r,
                             struct mend_abort what)
{
    if (!are_all_named(ranks))
        return;
    if (!course->aborted)
        mend_tell_whole_abort(tell, r, what);
    course->aborted = true;
}

static struct mend_abort abort_of(const struct mend_ctl *m)
{
    return (struct mend_abort){m->code, m->follows};
}

/* Of several aborts that name a rank the first one ends it. */
static void name(struct rank *r, struct mend_abort what)
{
    if (!r->end.named)
        r->end.follows = what.follows;
    r->end.named = true;
}

/* Those of our ranks that a set names; *abroad_p: it names guests, too. */
static int32_t list_named(const struct mend_ranks *ranks, const struct mend_ctl *m, int32_t *peers,
                          bool *abroad_p)
{
    int32_t n = 0;

    for (int32_t i = 0; i < ranks->n; i++)
        if ((uint32_t)i / 64 < m->n && mend_bits_test(m->set, i)) {
            if (ranks->rank[i].guest_of)
                *abroad_p = true;
            else
                peers[n++] = i;
        }
    return n;
}

static void end_ranks(struct mend_verdicts *verdicts, const int32_t *peers, int32_t n, int code)
{
    pthread_mutex_lock(&verdicts->ranks->lock);
    mend_verdict_event(
        verdicts, (struct mend_detector_event){
                      .kind = MEND_DETECTOR_EV_ABORT, .peers = peers, .npeers = n, .code = code});
    pthread_mutex_unlock(&verdicts->ranks->lock);
}

void mend_control_end(struct mend_verdicts *verdicts, struct mend_course *course,
                      const int32_t *peers, int32_t n, struct mend_abort what)
{
    int32_t ours_n = 0, *ours = mend_xalloc((size_t)n, sizeof(*ours));

    for (int32_t i = 0; i < n; i++) {
        name(&verdicts->ranks->rank[peers[i]], what);
        if (mend_rank_is_ours(&verdicts->ranks->rank[peers[i]]))
            ours[ours_n++] = peers[i];
    }
    course->aborted |= are_all_named(verdicts->ranks);
    if (ours_n)
        end_ranks(verdicts, ours, ours_n, what.code);
    free(ours);
}

static bool names_far(const struct mend_ranks *ranks, const int32_t *peers, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        if (ranks->rank[peers[i]].far)
            return true;
    return false;
}

/* MPI Forum ticket 324: exactly the named ranks end.  What they started ends with them.  A rank that names only itself
 * ends by itself, with the code as its status, which a script around it can see (S4-7). */
static void on_abort(struct agent *agent, struct rank *r, const struct mend_ctl *m)
{
    int32_t *peers = mend_xalloc((size_t)agent->ranks.n, sizeof(*peers));
    bool abroad = false;
    int32_t n = list_named(&agent->ranks, m, peers, &abroad);

    /* The agents of guests hear of these, with several nodes when the log has the abort (facts.c). */
    if (abroad && !agent->ranks.nodes.n)
        mend_links_abort(agent->links, r->index, m->set, m->n, abort_of(m));
    for (int32_t i = 0; i < n; i++)
        name(&agent->ranks.rank[peers[i]], abort_of(m));
    note_whole_abort(&agent->ranks, &agent->tell, &agent->course, r, abort_of(m));
    mend_report(&agent->tell, mend_time_monotonic_ns(), abort, .by = r->index, .code = m->code,
                .named = n);
    if (agent->ranks.nodes.n && (abroad || names_far(&agent->ranks, peers, n)))
        mend_facts_abort(agent->facts, m->set, m->n, abort_of(m));
    else if (n > 1 || (n == 1 && (abroad || peers[0] != r->index)))
        end_ranks(&agent->verdicts, peers, n, m->code);
    free(peers);
}

/* by -1: not known which. */
static void say_aborted(const struct mend_tell *tell, int by, int n, int code)
{
    char who[48] = "a process";

    if (by >= 0)
        snprintf(who, sizeof(who), "process %d", by);
    mend_say(tell, "mend: %s, of a connected job, aborted %d rank%s with code %d", who, n,
             n > 1 ? "s" : "", code);
}

static void propose_abort(struct agent *agent, const int32_t *peers, int32_t n,
                          struct mend_abort what)
{
    uint32_t words = (uint32_t)mend_bits_words(MEND_NODE_NAMES);
    uint64_t *set = mend_xalloc(words, sizeof(*set));

    for (int32_t i = 0; i < n; i++)
        mend_bits_set(set, peers[i]);
    mend_facts_abort(agent->facts, set, words, what);
    free(set);
}

void mend_control_abort(struct agent *agent, int by, const int32_t *peers, int32_t n,
                        struct mend_abort what)
{
    int32_t *ours = mend_xalloc((size_t)n, sizeof(*ours)), ours_n = 0;

    for (int32_t i = 0; i < n; i++)
        if (!agent->ranks.rank[peers[i]].guest_of && !mend_rank_is_dead(&agent->ranks, peers[i])) {
            name(&agent->ranks.rank[peers[i]], what);
            ours[ours_n++] = peers[i];
        }
    mend_report(&agent->tell, mend_time_monotonic_ns(), abort, .by = by, .code = what.code,
                .named = ours_n);
    if (ours_n && !agent->o->quiet)
        say_aborted(&agent->tell, by, ours_n, what.code);
    if (ours_n && agent->ranks.nodes.n && names_far(&agent->ranks, ours, ours_n))
        propose_abort(agent, ours, ours_n, what);
    else if (ours_n)
        end_ranks(&agent->verdicts, ours, ours_n, what.code);
    free(ours);
}

/* The first complaint of r about this peer. */
static bool is_new(struct rank *r, int32_t peer)
{
    if (!r->complained)
        r->complained = mend_xalloc(mend_bits_words(MEND_NODE_NAMES), sizeof(*r->complained));
    if (mend_bits_test(r->complained, peer))
        return false;
    mend_bits_set(r->complained, peer);
    return true;
}

static void suspect(struct mend_verdicts *verdicts, const struct rank *r, int by, bool ending)
{
    pthread_mutex_lock(&verdicts->ranks->lock);
    mend_verdict_event(verdicts, (struct mend_detector_event){.kind = MEND_DETECTOR_EV_SUSPECT,
                                                              .peer = r->index,
                                                              .code = by,
                                                              .ending = ending});
    pthread_mutex_unlock(&verdicts->ranks->lock);
}

void mend_control_cut(struct mend_verdicts *verdicts, const struct mend_tell *tell, struct rank *r,
                      int other)
{
    if (!mend_rank_is_ours(r) || mend_rank_is_dead(verdicts->ranks, r->index) ||
        mend_rank_is_dead(verdicts->ranks, other))
        return;
    mend_report(tell, mend_time_monotonic_ns(), suspicion, .rank = r->index, .by = other,
                .refused = false);
    suspect(verdicts, r, verdicts->ranks->rank[other].guest_of ? -1 : other, true);
}

static void on_cut(const struct mend_ranks *ranks, struct mend_links *links,
                   const struct mend_tell *tell, const struct rank *r, int peer)
{
    if (mend_rank_is_dead(ranks, peer))
        return;
    if (ranks->rank[peer].guest_of)
        mend_links_complain(links, r->index, peer);
    else
        mend_post(&tell->root,
                  &(struct mend_message){.kind = MEND_UP_CUT, .rank = r->index, .arg = {peer}});
}

/* What a rank says of another may be due to its own error, so we look ourselves: only what ends can be
 * suspected. */
static void on_suspect(struct mend_verdicts *verdicts, const struct mend_tell *tell, struct rank *r,
                       const struct mend_ctl *m)
{
    bool ending;

    if (!mend_rank_is_ours(&verdicts->ranks->rank[m->peer])) /* its agent looks itself */
        return;
    ending = mend_rank_is_ending(verdicts->ranks, &verdicts->ranks->rank[m->peer]);
    if (is_new(r, m->peer))
        mend_report(tell, mend_time_monotonic_ns(), suspicion, .rank = m->peer, .by = r->index,
                    .refused = !ending);
    suspect(verdicts, &verdicts->ranks->rank[m->peer], r->index, ending);
}

/* It has changed what it says of itself. */
static void on_presence(const struct mend_ranks *ranks, struct mend_links *links,
                        struct mend_facts *facts, const struct rank *r)
{
    if (!r->guest_of)
        mend_links_presence(links, r->index);
    if (facts)
        mend_facts_presence(facts, r, mend_rank_presence(ranks, r->index));
}

/* Takes fd, which came with the datagram; -1: none did. */
static void on_datagram(struct agent *agent, struct rank *r, const struct mend_ctl *m, size_t len,
                        pid_t sender, int fd)
{
    bool valid = mend_ctl_valid(m, len, (uint32_t)agent->ranks.n);

    if (fd >= 0 && !(valid && (m->kind == MEND_CTL_SPAWN || m->kind == MEND_CTL_WATCH ||
                               m->kind == MEND_CTL_NAME)))
        close(fd);
    if (!valid) {
        mend_say(&agent->tell, "mend: a damaged message from rank %d was ignored", r->index);
        return;
    }
    switch (m->kind) {
    case MEND_CTL_JOIN:
        on_join(&agent->verdicts, &agent->tell, r, sender);
        break;
    case MEND_CTL_CRASH:
        mend_crash_said(&agent->verdicts, r);
        break;
    case MEND_CTL_ABORT:
        on_abort(agent, r, m);
        break;
    case MEND_CTL_SUSPECT:
        on_suspect(&agent->verdicts, &agent->tell, r, m);
        break;
    case MEND_CTL_CUT:
        on_cut(&agent->ranks, agent->links, &agent->tell, r, m->peer);
        break;
    case MEND_CTL_INJECTED:
        mend_tell_injected(&agent->tell, r, m->peer);
        break;
    case MEND_CTL_SPAWN:
        mend_spawn_asked(&agent->requests, &agent->tell, r, fd);
        break;
    case MEND_CTL_NAME:
        mend_names_asked(agent->names, r, fd);
        break;
    case MEND_CTL_WATCH:
        mend_rouse_take(&agent->rouse, r, fd);
        break;
    case MEND_CTL_UNWATCH:
        mend_rouse_drop(&agent->sources, r);
        break;
    case MEND_CTL_SESSION:
        mend_retire_mind_left(&agent->verdicts, agent->facts);
        if (agent->ranks.nodes.n)
            mend_post(&agent->tell.root,
                      &(struct mend_message){.kind = MEND_UP_SESSION, .rank = r->index});
        break;
    case MEND_CTL_PRESENCE:
        on_presence(&agent->ranks, agent->links, agent->facts, r);
        break;
    case MEND_CTL_CONNECT:
        mend_link_asked(agent->links, r, m->connect.job, m->connect.ask, m->connect.first,
                        (int)m->connect.names_n);
        break;
    case MEND_CTL_ASK:
        mend_papers_asked(agent->papers, r, m->ask.mark, m->ask.seq, m->ask.round);
        break;
    case MEND_CTL_DECIDED:
        mend_papers_decided(agent->papers, r, m->ask.mark, m->ask.seq);
        break;
    case MEND_CTL_WROTE:
        mend_papers_wrote(agent->papers);
        break;
    case MEND_CTL_REVOKE:
        mend_revoked_heard(&agent->revoked, agent->links, m->revoke[0], m->revoke + 1, m->n - 1);
        break;
    case MEND_CTL_TALLY:
        mend_tally_ask(&agent->tell.root, r, m);
        break;
    case MEND_CTL_REPORT:
        mend_tell_text(&agent->tell, r->index, m->text, m->n);
        break;
    }
}

/* Receives one datagram, and from the kernel the process that sent it, as it is called in our PID namespace; 0: it
 * is not in ours, nor below it.  *fd_p: a descriptor that came with it, -1: none. */
static ssize_t receive(int fd, struct mend_ctl *m, pid_t *sender_p, int *fd_p)
{
    char control[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(sizeof(int))]
        __attribute__((aligned(8)));
    struct iovec iov = {m, sizeof(*m)};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control,
                         .msg_controllen = sizeof(control)};
    ssize_t len = recvmsg(fd, &msg, MSG_DONTWAIT | MSG_TRUNC | MSG_CMSG_CLOEXEC);
    struct ucred who = {0};

    *fd_p = -1;
    for (struct cmsghdr *c = len > 0 ? CMSG_FIRSTHDR(&msg) : NULL; c; c = CMSG_NXTHDR(&msg, c)) {
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS)
            memcpy(&who, CMSG_DATA(c), sizeof(who));
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
            memcpy(fd_p, CMSG_DATA(c), sizeof(*fd_p));
    }
    *sender_p = who.pid;
    return len;
}

void mend_control_read(struct agent *agent, struct rank *r)
{
    struct mend_ctl m;
    pid_t sender;
    ssize_t len;
    int fd;

    while (r->ctl_fd >= 0) {
        len = receive(r->ctl_fd, &m, &sender, &fd);
        if (len > 0) {
            on_datagram(agent, r, &m, (size_t)len, sender, fd);
            continue;
        }
        if (len == 0) { /* nobody holds the other end any more */
            /* closing alone does not end the reports: until the keeper runs it has a copy */
            mend_sources_drop(&agent->sources, r->ctl_fd);
            pthread_mutex_lock(&agent->ranks.lock); /* a watcher may pass a connection on */
            close(r->ctl_fd);
            r->ctl_fd = -1;
            pthread_mutex_unlock(&agent->ranks.lock);
            mend_rouse_drop(&agent->sources, r);
        }
        return;
    }
}

/* It asked for the end of others and died, perhaps by another kill: these deaths are one abort. */
static void hear_last_words(struct agent *agent, struct rank *r)
{
    bool wanted;

    pthread_mutex_lock(&agent->ranks.lock);
    wanted = r->state.mark == MEND_MARK_EARLY;
    pthread_mutex_unlock(&agent->ranks.lock);
    if (!wanted)
        return;
    mend_control_read(agent, r);
    pthread_mutex_lock(&agent->ranks.lock);
    mend_rank_step(&r->state, MEND_RANK_WORDS);
    mend_verdict_life(&agent->verdicts, r);
    pthread_mutex_unlock(&agent->ranks.lock);
    mend_verdict_reason(&agent->verdicts, r);
}

void mend_control_last_words(struct agent *agent)
{
    uint32_t n;

    pthread_mutex_lock(&agent->ranks.lock);
    n = agent->verdicts.words_wanted_n;
    pthread_mutex_unlock(&agent->ranks.lock);
    if (n == agent->verdicts.words_read_n)
        return;
    agent->verdicts.words_read_n = n;
    for (int i = 0; i < agent->ranks.n; i++)
        hear_last_words(agent, &agent->ranks.rank[i]);
}
