/* SPDX-License-Identifier: BSD-3-Clause */
/* spare.c – processes that wait in MPI_Init until one is needed (mpiexec --spares).
 *
 *   started with the job ──> waits ──> called: a rank like any other, which replaces one that died
 *                               │
 *                               └──> the job ends, or it ends by itself: forgotten
 *
 * A spare is not a rank: its end is not a death, its output goes nowhere until it is called, and it runs only until it is in
 * MPI_Init.  What it has printed and not flushed by then comes out when it is called. */
#include "job.h"

#include "iof.h"
#include "rt/spare.h"
#include "rt/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

void mend_spares_start(struct job *job)
{
    struct mend_options *o = &job->o;

    job->spare = mend_xalloc((size_t)mend_options_spares(o) + 1, sizeof(*job->spare));
    for (int a = 0; a < o->apps_n; a++)
        for (int k = 0; k < o->apps[a].spares_n; k++) {
            struct rank *r = &job->spare[job->spares_n];

            *r = (struct rank){.index = MEND_RANK_SPARE,
                               .app = &o->apps[a],
                               .app_index = a,
                               .spawn_fd = -1,
                               .own_group = true,
                               .wrapped_pidfd = -1,
                               .ctl_fd = -1};
            job->spares_n += mend_start_spare(job, r);
        }
}

bool mend_spares_know(const struct job *job, pid_t pid)
{
    for (int i = 0; i < job->spares_n; i++)
        if (job->spare[i].child == pid)
            return true;
    return false;
}

static void forget(struct rank *r)
{
    close(r->ctl_fd);
    r->ctl_fd = -1;
    r->child = 0;
}

void mend_spares_scan(struct job *job)
{
    for (int i = 0; i < job->spares_n; i++) {
        struct rank *r = &job->spare[i];

        if (r->child > 0 && waitpid(r->child, NULL, WNOHANG) == r->child)
            forget(r);
    }
}

void mend_spares_signal(const struct job *job, int sig)
{
    for (int i = 0; i < job->spares_n; i++)
        if (job->spare[i].child > 0)
            kill(-job->spare[i].child, sig);
}

/* One that runs the program of r and is not stopped; NULL: there is none. */
static struct rank *choose(struct job *job, const struct rank *r)
{
    mend_spares_scan(job);
    for (int i = 0; i < job->spares_n; i++) {
        struct rank *s = &job->spare[i];

        if (s->child > 0 && s->app->argv == r->app->argv && mend_procfs_state(s->child) != 'T')
            return s;
    }
    return NULL;
}

/* env: NAME=VALUE strings.  False: it is gone, or there is too much to say. */
static bool call(const struct rank *s, const struct mend_strings *env, const int fd[MEND_SPARE_FDS])
{
    char text[MEND_SPARE_TEXT_MAX];
    char control[CMSG_SPACE(MEND_SPARE_FDS * sizeof(int))] __attribute__((aligned(8))) = {0};
    struct iovec iov = {text, 0};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control,
                         .msg_controllen = sizeof(control)};
    struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
    ssize_t sent;

    for (int i = 0; i < env->n; i++) {
        size_t len = strlen(env->at[i]) + 1;

        if (iov.iov_len + len > sizeof(text))
            return false;
        memcpy(text + iov.iov_len, env->at[i], len);
        iov.iov_len += len;
    }
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(MEND_SPARE_FDS * sizeof(int));
    memcpy(CMSG_DATA(c), fd, MEND_SPARE_FDS * sizeof(int));
    while ((sent = sendmsg(s->ctl_fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT)) < 0 && errno == EINTR)
        ;
    return sent == (ssize_t)iov.iov_len;
}

/* The spare is r from here on. */
static void become(struct job *job, struct rank *s, struct rank *r)
{
    r->ctl_fd = s->ctl_fd;
    if (job->bound)
        sched_setaffinity(s->child, sizeof(r->cpus), &r->cpus);
    pthread_mutex_lock(&job->lock);
    r->child = s->child;
    pthread_mutex_unlock(&job->lock);
    mend_rank_tell_group(r);
    s->child = 0;
    s->ctl_fd = -1;
}

bool mend_spare_call(struct job *job, struct rank *r)
{
    struct rank *s = choose(job, r);
    struct mend_strings env = {0};
    int fd[MEND_SPARE_FDS] = {-1, -1, -1, r->spawn_fd};
    bool called;

    if (!s || !mend_iof_open_rank(job->iof, r->index, &fd[0], &fd[1], &fd[2]))
        return false;
    mend_start_env(job, r, &env);
    called = call(s, &env, fd);
    for (int i = 0; i < env.n; i++)
        free(env.at[i]);
    free(env.at);
    if (!called) {
        mend_iof_not_started_rank(job->iof, r->index);
        return false;
    }
    become(job, s, r);
    mend_links_tell(job, r);
    mend_iof_started_rank(job->iof, r->index);
    job->alive_n++;
    return true;
}
