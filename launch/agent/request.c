/* SPDX-License-Identifier: BSD-3-Clause */
/* request.c – see request.h. */
#include "agent/request.h"

#include "agent/segment.h"
#include "agent/sources.h"
#include "agent/start.h"
#include "agent/vacancy.h"
#include "agent/verdict.h"
#include "node/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct spawn_request *mend_request_open(struct mend_ranks *ranks, const void *bytes, size_t len)
{
    struct spawn_request *q = mend_xalloc(1, sizeof(*q));

    q->ranks = ranks;
    q->fd = mend_spawn_copy(bytes, len, &q->file);
    if (q->fd < 0) {
        free(q);
        return NULL;
    }
    q->blocks_n = mend_spawn_read(&q->file, &q->blocks, &q->asked_n);
    if (q->blocks_n < 0) {
        q->blocks_n = 0;
        mend_request_close(q);
        return NULL;
    }
    q->n = mend_xalloc((size_t)q->blocks_n, sizeof(*q->n));
    return q;
}

void mend_request_close(struct spawn_request *q)
{
    free(q->n);
    free(q->node_of);
    free(q->blocks);
    mend_spawn_unmap(&q->file);
    close(q->fd);
    free(q);
}

static bool is_here(const struct spawn_request *q, int k)
{
    return (uint32_t)q->node_of[k] == q->ranks->nodes.me;
}

void mend_request_divide(struct spawn_request *q, const void *numbers, int total_n)
{
    size_t counts = (size_t)q->blocks_n * sizeof(*q->n);

    q->total_n = total_n;
    q->node_of = mend_xalloc((size_t)total_n, sizeof(*q->node_of));
    memcpy(q->n, numbers, counts);
    memcpy(q->node_of, (const char *)numbers + counts, (size_t)total_n * sizeof(*q->node_of));
    for (int k = 0; k < total_n; k++)
        q->here_n += is_here(q, k);
}

/* The block of process number k; *errors_p: where the errors of its processes begin. */
static int block_of(const struct spawn_request *q, int k, uint32_t *errors_p)
{
    int i = 0;

    *errors_p = 0;
    for (; k >= q->n[i]; k -= q->n[i++])
        *errors_p += (uint32_t)q->blocks[i].asked_n;
    return i;
}

/* The error of all processes of block i, of which the first asked for is number k. */
static void tell_error(struct spawn_request *q, int i, uint32_t k, int error)
{
    for (int j = 0; j < q->blocks[i].asked_n; j++)
        mend_spawn_errors(q->file.h)[k + (uint32_t)j] = error;
}

/* ---- programs ---- */

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
    if (b->errhandler)
        mend_strings_add(&app->env, mend_xprintf("MEND_INITIAL_ERRHANDLER=%s", b->errhandler));
}

/* The program of a process that is to be replaced, as it was started, on whichever node.  0, or an errno value. */
static int copy_app(const struct mend_ranks *ranks, struct mend_app *app, int32_t dead)
{
    if (dead >= ranks->n || !ranks->rank[dead].app)
        return EINVAL;
    *app = *ranks->rank[dead].app;
    app->ranks_n = 1;
    return 0;
}

static int make_program(struct spawn_request *q, int i)
{
    const struct mend_spawn_block *b = &q->blocks[i];

    if (b->again)
        return copy_app(q->ranks, &q->apps[i], b->seat.dead);
    make_app(&q->apps[i], b, q->n[i]);
    return 0;
}

/* Some of the processes of block i, of which number k is the first, are started here. */
static bool is_wanted(const struct spawn_request *q, int i, int k)
{
    for (int end = k + q->n[i]; k < end; k++)
        if (is_here(q, k))
            return true;
    return false;
}

bool mend_request_find(struct spawn_request *q)
{
    uint32_t k = 0;
    int begin = 0;
    bool found = true;

    q->apps = mend_xalloc((size_t)q->blocks_n, sizeof(*q->apps));
    for (int i = 0; i < q->blocks_n; i++) {
        int error = make_program(q, i);

        if (!error && !q->apps[i].path && (!q->n[i] || is_wanted(q, i, begin)))
            error = mend_find_later(&q->apps[i]);
        tell_error(q, i, k, error);
        found &= !error;
        begin += q->n[i];
        k += (uint32_t)q->blocks[i].asked_n;
    }
    return found;
}

/* ---- names and places ---- */

/* It gets a place if it is of this node. */
static void prepare(struct spawn_request *q, const struct mend_tell *tell, int k)
{
    struct mend_ranks *ranks = q->ranks;
    struct rank *r = &ranks->rank[q->first + k];
    uint32_t errors;
    int i = block_of(q, k, &errors);
    const struct mend_spawn_block *b = &q->blocks[i];

    *r = (struct rank){.index = q->first + k,
                       .app = &q->apps[i],
                       .app_index = b->again ? ranks->rank[b->seat.dead].app_index : i,
                       .world_first = q->first,
                       .world_n = q->total_n,
                       .node = (uint32_t)q->node_of[k],
                       .spawn_fd = q->fd,
                       .own_group = true,
                       .wrapped_pidfd = -1,
                       .ctl_fd = -1,
                       .watch_fd = -1};
    if (b->again)
        r->cpus = ranks->rank[b->seat.dead].cpus;
    if (is_here(q, k))
        mend_vacancy_take(ranks, tell, r);
    else
        mend_vacancy_begin_far(ranks, r);
}

/* From their first instructions on they hear of deaths. */
static void count_names(struct mend_verdicts *verdicts, int n)
{
    pthread_mutex_lock(&verdicts->ranks->lock);
    for (int i = 0; i < n; i++)
        mend_detector_add(verdicts->detector);
    verdicts->ranks->n += n;
    pthread_mutex_unlock(&verdicts->ranks->lock);
}

static void watch(const struct spawn_request *q, struct mend_verdicts *verdicts,
                  const struct mend_sources *sources)
{
    int *names = mend_xalloc((size_t)q->here_n, sizeof(*names)), n = 0;

    for (int k = 0; k < q->total_n; k++)
        if (is_here(q, k))
            names[n++] = q->first + k;
    mend_watch_start(verdicts, sources, names, n);
    free(names);
}

/* All names are known before the first of these ranks starts; first: with those that this agent has missed. */
static void name_all(struct spawn_request *q, struct mend_verdicts *verdicts,
                     const struct mend_sources *sources, int first)
{
    int n = q->first + q->total_n - first;

    mend_segment_name(q->ranks, first, n);
    mend_segment_expect(q->ranks, q->here_n);
    watch(q, verdicts, sources);
    count_names(verdicts, n);
}

bool mend_request_admit(struct spawn_request *q, struct mend_verdicts *verdicts,
                        const struct mend_sources *sources, const struct mend_tell *tell)
{
    struct mend_ranks *ranks = q->ranks;
    int first = ranks->n;

    for (int i = first; i < q->first; i++)
        mend_vacancy_skip(ranks, i);
    for (int k = 0; k < q->total_n; k++)
        prepare(q, tell, k);
    q->admitted = mend_segment_admit(ranks, first, q->first + q->total_n - first);
    if (q->admitted) {
        name_all(q, verdicts, sources, first);
        return true;
    }
    for (int k = 0; k < q->total_n; k++)
        if (is_here(q, k))
            mend_vacancy_give(ranks, &ranks->rank[q->first + k]);
    for (uint32_t k = 0; k < q->asked_n; k++)
        mend_spawn_errors(q->file.h)[k] = ENOMEM;
    return false;
}

/* ---- processes ---- */

/* 0, or an errno value. */
static int start_one(struct mend_start *start, const struct mend_sources *sources, struct rank *r,
                     bool again)
{
    int error = again && mend_spare_call(start, r) ? 0 : mend_start_another(start, r);

    r->spawn_fd = -1;
    if (!error)
        mend_sources_add_rank(sources, r);
    return error;
}

static bool start_number(struct spawn_request *q, struct mend_start *start,
                         const struct mend_sources *sources, int k)
{
    uint32_t errors;
    int i = block_of(q, k, &errors);
    int error = start_one(start, sources, &q->ranks->rank[q->first + k], q->blocks[i].again);

    if (error)
        tell_error(q, i, errors, error);
    return !error;
}

bool mend_request_start(struct spawn_request *q, struct mend_start *start,
                        const struct mend_sources *sources)
{
    for (int k = 0; k < q->total_n; k++)
        if (is_here(q, k) && !start_number(q, start, sources, k))
            return false;
    return true;
}

/* The name has been given, so it counts as that of a rank that has ended well. */
static void end_unstarted(struct mend_ranks *ranks, struct rank *r)
{
    r->end = (struct mend_rank_end){.reach = MEND_REACH_FINALIZE, .outcome = MEND_OUTCOME_EXITED};
    r->exit.si_code = CLD_EXITED;
    mend_rank_step(&r->state, MEND_RANK_ENDS);
    mend_vacancy_give(ranks, r);
    ranks->shm->ranks_here_n--;
}

void mend_request_withdraw(struct spawn_request *q)
{
    struct mend_ranks *ranks = q->ranks;

    for (int k = 0; q->admitted && k < q->total_n; k++) {
        struct rank *r = &ranks->rank[q->first + k];

        if (!is_here(q, k))
            continue;
        if (r->child > 0) {
            mend_store_relaxed(mend_node_handled_of(ranks->shm, r->index), 1);
            mend_rank_signal(r, SIGKILL);
        } else {
            end_unstarted(ranks, r);
        }
    }
}
