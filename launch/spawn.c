/* SPDX-License-Identifier: BSD-3-Clause */
/* spawn.c – processes that a rank asks for while the job runs: new ones (MPI_Comm_spawn),
 * or to replace another (MPIX_Comm_replace).
 *
 *   asked ──> for how many is there room? ──> where are the programs? ──> started ──> answer
 *                    │ too few                    │ one is missing           │ one fails
 *                    └────────────> none, and why <───────────────────────────┘
 *
 * An answer comes in any case, and the rank that asked is woken.  What was started before another one failed is killed
 * while it is in MPI_Init, so it has met nobody.  Children meet those that asked before their MPI_Init
 * returns (src/create/spawn.c); that these are dead meanwhile is for the children to find. */
#include "job.h"

#include "base/time.h"
#include "rt/spawn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The survivors let go of a dead rank when they are in MPI, which takes microseconds, or until they call it. */
#define ROOM_LOOK_NS MEND_NS_PER_MS
#define ROOM_WAIT_NS MEND_NS_PER_S

struct request {
    struct job *job;
    struct mend_spawn_file file;
    struct mend_spawn_block *blocks;
    struct mend_app *apps; /* for ever: ranks point to them */
    int *n;                /* processes of each block */
    int blocks_n, total_n;
    uint32_t asked_n;
    int fd;
};

static void answer(struct request *q, enum mend_spawn_answer what)
{
    mend_store_release(&q->file.h->answer, what); /* pairs with the acquire in is_answered() */
}

/* How many processes of each block there will be.  False: there is no room for as many. */
static bool count(struct request *q)
{
    int room = mend_vacancies(q->job);

    q->total_n = 0;
    q->file.h->room = (uint32_t)room;
    for (int i = 0; i < q->blocks_n; i++) {
        const struct mend_spawn_block *b = &q->blocks[i];
        int rest = room - q->total_n;

        q->n[i] = b->asked_n <= rest ? b->asked_n : b->soft ? mend_spawn_soft(b->soft, rest) : -1;
        if (q->n[i] < 0)
            return false;
        q->total_n += q->n[i];
    }
    return q->total_n > 0;
}

static char *copy_of(const char *text)
{
    return text ? mend_xprintf("%s", text) : NULL;
}

static void make_app(struct mend_app *app, const struct mend_spawn_block *b, int n)
{
    struct mend_strings argv = {0};

    mend_strings_add(&argv, copy_of(b->command));
    for (char *const *a = b->args; *a; a++)
        mend_strings_add(&argv, copy_of(*a));
    *app = (struct mend_app){
        .ranks_n = n, .argv = argv.at, .wdir = copy_of(b->wdir), .dirs = copy_of(b->path)};
}

/* The program of a process that is to be replaced, as it was started.  0, or an errno value. */
static int copy_app(const struct job *job, struct mend_app *app, int32_t dead)
{
    if (dead >= job->n)
        return EINVAL;
    *app = *job->rank[dead].app;
    app->ranks_n = 1;
    return 0;
}

static int find_program(struct request *q, int i)
{
    const struct mend_spawn_block *b = &q->blocks[i];

    if (b->again)
        return copy_app(q->job, &q->apps[i], b->seat.dead);
    make_app(&q->apps[i], b, q->n[i]);
    return mend_find_later(&q->apps[i]);
}

/* The error of all processes of a block from place k of the array on. */
static void tell_errors(struct request *q, uint32_t k, int n, int error)
{
    for (int i = 0; i < n && k + (uint32_t)i < q->asked_n; i++)
        mend_spawn_errors(q->file.h)[k + (uint32_t)i] = error;
}

/* False: a program is not there. */
static bool find_programs(struct request *q)
{
    uint32_t k = 0;
    bool found = true;

    q->apps = mend_xalloc((size_t)q->blocks_n, sizeof(*q->apps));
    for (int i = 0; i < q->blocks_n; i++) {
        int error = find_program(q, i);

        tell_errors(q, k, q->blocks[i].asked_n, error);
        found &= !error;
        k += (uint32_t)q->blocks[i].asked_n;
    }
    return found;
}

static void change_count(struct job *job)
{
    pthread_mutex_lock(&job->lock);
    job->n++;
    mend_detector_add(job->detector);
    pthread_mutex_unlock(&job->lock);
}

/* The name has been given, so it counts as that of a rank that has ended well. */
static void end_unstarted(struct job *job, struct rank *r)
{
    r->end = (struct mend_rank_end){.reach = MEND_REACH_FINALIZE, .outcome = MEND_OUTCOME_EXITED};
    r->exit.si_code = CLD_EXITED;
    mend_rank_step(&r->state, MEND_RANK_ENDS);
    mend_vacancy_give(job, r);
}

/* Those that were started are in MPI_Init, and nobody minds their deaths; the others never will be. */
static void withdraw(struct request *q, int first, int started_n)
{
    struct job *job = q->job;

    for (int i = first; i < first + started_n; i++) {
        mend_store_relaxed(mend_node_handled_of(job->shm, i), 1);
        mend_rank_signal(&job->rank[i], SIGKILL);
    }
    for (int i = first + started_n; i < first + q->total_n; i++) {
        if (i >= job->n)
            change_count(job);
        end_unstarted(job, &job->rank[i]);
    }
    job->shm->ranks_here_n -= (uint32_t)(q->total_n - started_n);
}

/* Process r of block i; it gets a place. */
static void prepare(struct request *q, int i, int first, int index)
{
    struct job *job = q->job;
    const struct mend_spawn_block *b = &q->blocks[i];
    struct rank *r = &job->rank[index];

    *r = (struct rank){.index = index,
                       .app = &q->apps[i],
                       .app_index = b->again ? job->rank[b->seat.dead].app_index : i,
                       .world_first = first,
                       .world_n = q->total_n,
                       .spawn_fd = q->fd,
                       .own_group = true,
                       .wrapped_pidfd = -1,
                       .ctl_fd = -1};
    if (b->again)
        r->cpus = job->rank[b->seat.dead].cpus;
    mend_vacancy_take(job, r);
}

static void prepare_all(struct request *q, int first)
{
    int index = first;

    for (int i = 0; i < q->blocks_n; i++)
        for (int j = 0; j < q->n[i]; j++)
            prepare(q, i, first, index++);
}

/* 0, or an errno value. */
static int start_one(struct request *q, struct rank *r, bool again)
{
    struct job *job = q->job;
    int error;

    change_count(job); /* from its first instruction on it hears of deaths */
    error = again && mend_spare_call(job, r) ? 0 : mend_start_another(job, r);
    r->spawn_fd = -1;
    if (!error)
        mend_agent_listen(job, r);
    return error;
}

/* All names are known before the first of these ranks starts. */
static bool start_all(struct request *q)
{
    struct job *job = q->job;
    int first = job->n;
    uint32_t k = 0;

    mend_segment_name(job, first, q->total_n);
    job->shm->ranks_here_n += (uint32_t)q->total_n;
    mend_watch_start(job, first, q->total_n);
    for (int i = 0; i < q->blocks_n; i++) {
        for (int j = 0; j < q->n[i]; j++) {
            int started_n = job->n - first,
                error = start_one(q, &job->rank[job->n], q->blocks[i].again);

            if (error) {
                tell_errors(q, k, q->blocks[i].asked_n, error);
                withdraw(q, first, started_n);
                return false;
            }
        }
        k += (uint32_t)q->blocks[i].asked_n;
    }
    return true;
}

/* Places for all, with their pages.  False: there is no memory. */
static bool admit(struct request *q)
{
    int first = q->job->n;

    prepare_all(q, first);
    if (mend_segment_admit(q->job, first, q->total_n))
        return true;
    for (int i = 0; i < q->total_n; i++)
        mend_vacancy_give(q->job, &q->job->rank[first + i]);
    return false;
}

static void carry_out(struct request *q, const struct rank *by)
{
    struct job *job = q->job;
    int first = job->n;

    if (!find_programs(q)) {
        answer(q, MEND_SPAWN_FAILED);
    } else if (!admit(q)) {
        tell_errors(q, 0, (int)q->asked_n, ENOMEM);
        answer(q, MEND_SPAWN_FAILED);
    } else if (!start_all(q)) {
        answer(q, MEND_SPAWN_FAILED);
    } else {
        mend_report(job, mend_time_monotonic_ns(), spawn, .by = by->index, .first = first,
                    .ranks = q->total_n);
        q->file.h->first = first;
        q->file.h->started_n = (uint32_t)q->total_n;
        answer(q, MEND_SPAWN_STARTED);
    }
}

/* False: there is no room, but dead ranks may give some, and there is time for that. */
static bool count_and_carry_out(struct request *q, const struct rank *by, bool last)
{
    bool more = mend_vacancy_collect(q->job);

    if (count(q))
        carry_out(q, by);
    else if (more && !last)
        return false;
    else
        answer(q, MEND_SPAWN_FULL);
    return true;
}

/* True: it has an answer, and the rank that asked looks at it. */
static bool try(struct job *job, struct rank *r, int fd, bool last)
{
    struct request q = {.job = job, .fd = fd};
    bool answered = true;

    if (!mend_spawn_map(&q.file, fd, true)) {
        mend_say(job, "mend: a damaged message from rank %d was ignored", r->index);
        return true;
    }
    q.blocks_n = mend_spawn_read(&q.file, &q.blocks, &q.asked_n);
    if (q.blocks_n < 0) {
        mend_say(job, "mend: a damaged request for processes from rank %d was refused", r->index);
        answer(&q, MEND_SPAWN_FAILED);
    } else {
        q.n = mend_xalloc((size_t)q.blocks_n, sizeof(*q.n));
        answered = count_and_carry_out(&q, r, last);
        free(q.n);
        free(q.blocks);
    }
    mend_spawn_unmap(&q.file);
    if (answered)
        mend_verdict_call(job, r);
    return answered;
}

/* A request for which there was no room. */
struct waiting {
    struct mend_list link; /* in job->spawn_waits */
    struct rank *r;
    int fd;
    mend_time_ns until;
};

void mend_spawn_asked(struct job *job, struct rank *r, int fd)
{
    struct waiting *w;

    if (fd < 0) {
        mend_say(job, "mend: a damaged message from rank %d was ignored", r->index);
        return;
    }
    if (try(job, r, fd, false)) {
        close(fd);
        return;
    }
    w = mend_xalloc(1, sizeof(*w));
    *w = (struct waiting){.r = r, .fd = fd, .until = mend_time_monotonic_ns() + ROOM_WAIT_NS};
    mend_list_append(&job->spawn_waits, &w->link);
}

mend_time_ns mend_spawn_look(struct job *job, mend_time_ns now)
{
    mend_list_foreach (l, next, &job->spawn_waits) {
        struct waiting *w = mend_list_entry(l, struct waiting, link);

        if (!try(job, w->r, w->fd, now >= w->until))
            continue;
        close(w->fd);
        mend_list_remove(&w->link);
        free(w);
    }
    return mend_list_empty(&job->spawn_waits) ? MEND_TIME_NEVER : now + ROOM_LOOK_NS;
}
