/* SPDX-License-Identifier: BSD-3-Clause */
/* control.c – what a rank asks of its agent by datagram. */
#include "job.h"

#include "base/time.h"
#include "rt/wire.h"

#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static void on_join(struct job *job, struct rank *r)
{
    pthread_mutex_lock(&job->lock);
    mend_verdict_joined(job, r);
    pthread_mutex_unlock(&job->lock);
}

/* One line instead of one per rank, if nobody is left to go on. */
static void note_whole_abort(struct job *job, const struct rank *r, int code)
{
    for (int i = 0; i < job->n; i++)
        if (!job->rank[i].end.named && !mend_rank_is_dead(job, i))
            return;
    if (!job->aborted && !job->o.quiet)
        mend_say(job, "mend: rank %d aborted the job with code %d", r->index, code);
    job->aborted = true;
}

/* Seed 004: exactly the named ranks end.  What they started ends with them.  Who names itself only ends by
 * itself, with the code as its status, which a script around it can see (S4-7). */
static void on_abort(struct job *job, struct rank *r, const struct mend_ctl *m)
{
    int32_t *peers = mend_xalloc((size_t)job->n, sizeof(*peers)), n = 0;

    for (int32_t i = 0; i < job->n; i++)
        if (mend_bits_test(m->set, i)) {
            job->rank[i].end.named = true;
            peers[n++] = i;
        }
    note_whole_abort(job, r, m->code);
    mend_report_line(job, mend_time_monotonic_ns(),
                     "\"event\":\"abort\",\"by\":%d,\"code\":%d,\"named\":%d", r->index, m->code,
                     n);
    pthread_mutex_lock(&job->lock);
    if (n > 1 || peers[0] != r->index)
        mend_verdict_event(
            job, (struct mend_detector_event){
                     .kind = MEND_DETECTOR_EV_ABORT, .peers = peers, .npeers = n, .code = m->code});
    pthread_mutex_unlock(&job->lock);
    free(peers);
}

static void on_suspect(struct job *job, struct rank *r, const struct mend_ctl *m)
{
    mend_report_line(job, mend_time_monotonic_ns(), "\"event\":\"suspicion\",\"rank\":%d,\"by\":%d",
                     m->peer, r->index);
    pthread_mutex_lock(&job->lock);
    mend_verdict_event(job, (struct mend_detector_event){.kind = MEND_DETECTOR_EV_SUSPECT,
                                                         .peer = m->peer,
                                                         .code = r->index});
    pthread_mutex_unlock(&job->lock);
}

static void on_datagram(struct job *job, struct rank *r, const struct mend_ctl *m, size_t len)
{
    if (!mend_ctl_valid(m, len, (uint32_t)job->n)) {
        mend_say(job, "mend: a damaged message from rank %d was ignored", r->index);
        return;
    }
    switch (m->kind) {
    case MEND_CTL_JOIN:
        on_join(job, r);
        break;
    case MEND_CTL_CRASH:
        mend_crash_said(job, r);
        break;
    case MEND_CTL_ABORT:
        on_abort(job, r, m);
        break;
    case MEND_CTL_SUSPECT:
        on_suspect(job, r, m);
        break;
    case MEND_CTL_INJECTED:
        mend_injection_happened(job, r->index, m->peer);
        break;
    case MEND_CTL_REPORT:
        mend_report_text(job, r->index, m->text, m->n);
        break;
    }
}

void mend_control_read(struct job *job, struct rank *r)
{
    struct mend_ctl m;
    ssize_t len;

    while (r->ctl_fd >= 0) {
        len = recv(r->ctl_fd, &m, sizeof(m), MSG_DONTWAIT | MSG_TRUNC);
        if (len > 0) {
            on_datagram(job, r, &m, (size_t)len);
            continue;
        }
        if (len == 0) { /* nobody holds the other end any more */
            /* closing alone does not end the reports: until the keeper runs it has a copy */
            epoll_ctl(job->epoll_fd, EPOLL_CTL_DEL, r->ctl_fd, NULL);
            close(r->ctl_fd);
            r->ctl_fd = -1;
        }
        return;
    }
}

/* It has died, perhaps of somebody else's kill, after it asked for the end of others: they are one abort. */
static void hear_last_words(struct job *job, struct rank *r)
{
    bool wanted;

    pthread_mutex_lock(&job->lock);
    wanted = r->words_wanted;
    pthread_mutex_unlock(&job->lock);
    if (!wanted)
        return;
    mend_control_read(job, r);
    pthread_mutex_lock(&job->lock);
    r->words_wanted = false;
    r->words_read = true;
    mend_verdict_life(job, r);
    pthread_mutex_unlock(&job->lock);
    mend_verdict_reason(job, r);
}

void mend_control_last_words(struct job *job)
{
    uint32_t n;

    pthread_mutex_lock(&job->lock);
    n = job->words_wanted_n;
    pthread_mutex_unlock(&job->lock);
    if (n == job->words_read_n)
        return;
    job->words_read_n = n;
    for (int i = 0; i < job->n; i++)
        hear_last_words(job, &job->rank[i]);
}
