/* SPDX-License-Identifier: BSD-3-Clause */
/* spawn.c – processes that a rank asks for while the job runs: new ones (MPI_Comm_spawn),
 * or to replace another (MPIX_Comm_refill).
 *
 *   asked ──> for how many is there room? ──> where are the programs? ──> started ──> answer
 *                    │ too few                    │ one is missing           │ one fails
 *                    └────────────> none, and why <───────────────────────────┘
 *
 * The order of these acts is a machine, ft/starter_sm.h.  An answer comes in any case, and the rank that asked is woken.  What was started before another one failed is killed
 * while it is in MPI_Init, so it has met nobody.  Children meet those that asked before their MPI_Init
 * returns (src/create/spawn.c); that these are dead meanwhile is for the children to find. */
#include "agent/agent.h"

#include "agent/tell.h"

#include "base/time.h"
#include "ft/starter_sm.h"
#include "node/log.h"
#include "rt/spawn.h"
#include "agent/segment.h"
#include "agent/start.h"
#include "agent/verdict.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The survivors let go of a dead rank when they are in MPI, which takes microseconds, or until they call it.  A process
 * that ends does so as soon as it gets a core.  Both times begin anew with each end, of which there are as many as processes. */
#define ROOM_LOOK_NS MEND_NS_PER_MS
#define ROOM_WAIT_NS MEND_NS_PER_S
#define END_WAIT_NS                                                                                \
    (10 * MEND_NS_PER_S) /* while a process is ending, or has parted from the root */

struct request {
    struct agent *agent;
    struct mend_spawn_file file;
    struct mend_spawn_block *blocks;
    struct mend_app *apps; /* for ever: ranks point to them */
    int *n;                /* processes of each block */
    int blocks_n, total_n;
    int first; /* the name of the first process */
    uint32_t asked_n;
    int fd;
};

static void answer(struct request *q, enum mend_spawn_answer what)
{
    mend_store_release(&q->file.h->answer, what); /* pairs with the acquire in is_answered() */
}

/* How many processes of each block there will be: with `soft` one of its numbers.  False: there is no room for as many. */
static bool count(struct request *q)
{
    int room = mend_vacancies(q->agent);

    q->total_n = 0;
    q->file.h->room = (uint32_t)room;
    for (int i = 0; i < q->blocks_n; i++) {
        const struct mend_spawn_block *b = &q->blocks[i];
        int rest = room - q->total_n, most = b->asked_n < rest ? b->asked_n : rest;

        q->n[i] = b->soft ? mend_spawn_soft(b->soft, most) : most == b->asked_n ? most : -1;
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
    if (b->errhandler)
        mend_strings_add(&app->env, mend_xprintf("MEND_INITIAL_ERRHANDLER=%s", b->errhandler));
}

/* The program of a process that is to be replaced, as it was started.  0, or an errno value. */
static int copy_app(const struct agent *agent, struct mend_app *app, int32_t dead)
{
    if (dead >= agent->n || !mend_rank_is_ours(&agent->rank[dead]))
        return EINVAL;
    *app = *agent->rank[dead].app;
    app->ranks_n = 1;
    return 0;
}

static int find_program(struct request *q, int i)
{
    const struct mend_spawn_block *b = &q->blocks[i];

    if (b->again)
        return copy_app(q->agent, &q->apps[i], b->seat.dead);
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

static void change_count(struct agent *agent)
{
    pthread_mutex_lock(&agent->lock);
    agent->n++;
    mend_detector_add(agent->detector);
    pthread_mutex_unlock(&agent->lock);
}

/* The name has been given, so it counts as that of a rank that has ended well. */
static void end_unstarted(struct agent *agent, struct rank *r)
{
    r->end = (struct mend_rank_end){.reach = MEND_REACH_FINALIZE, .outcome = MEND_OUTCOME_EXITED};
    r->exit.si_code = CLD_EXITED;
    mend_rank_step(&r->state, MEND_RANK_ENDS);
    mend_vacancy_give(agent, r);
}

/* Those that were started are in MPI_Init, and nobody minds their deaths; the others never will be. */
static void withdraw(struct request *q, int first, int started_n)
{
    struct agent *agent = q->agent;

    for (int i = first; i < first + started_n; i++) {
        mend_store_relaxed(mend_node_handled_of(agent->shm, i), 1);
        mend_rank_signal(&agent->rank[i], SIGKILL);
    }
    for (int i = first + started_n; i < first + q->total_n; i++) {
        if (i >= agent->n)
            change_count(agent);
        end_unstarted(agent, &agent->rank[i]);
    }
    agent->shm->ranks_here_n -= (uint32_t)(q->total_n - started_n);
}

/* Process r of block i; it gets a place. */
static void prepare(struct request *q, int i, int first, int index)
{
    struct agent *agent = q->agent;
    const struct mend_spawn_block *b = &q->blocks[i];
    struct rank *r = &agent->rank[index];

    *r = (struct rank){.index = index,
                       .app = &q->apps[i],
                       .app_index = b->again ? agent->rank[b->seat.dead].app_index : i,
                       .world_first = first,
                       .world_n = q->total_n,
                       .spawn_fd = q->fd,
                       .own_group = true,
                       .wrapped_pidfd = -1,
                       .ctl_fd = -1,
                       .watch_fd = -1};
    if (b->again)
        r->cpus = agent->rank[b->seat.dead].cpus;
    mend_vacancy_take(agent, r);
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
    struct agent *agent = q->agent;
    int error;

    change_count(agent); /* from its first instruction on it hears of deaths */
    error = again && mend_spare_call(agent, r) ? 0 : mend_start_another(agent, r);
    r->spawn_fd = -1;
    if (!error)
        mend_agent_listen(agent, r);
    return error;
}

/* All names are known before the first of these ranks starts. */
static void name_all(struct request *q)
{
    mend_segment_name(q->agent, q->first, q->total_n);
    mend_segment_expect(q->agent, q->total_n);
    mend_watch_start(q->agent, q->first, q->total_n);
    mend_tell_names(q->agent);
}

/* The block of process number k of all; *errors_p: where the errors of its processes begin. */
static int block_of(const struct request *q, int k, uint32_t *errors_p)
{
    int i = 0;

    *errors_p = 0;
    for (; k >= q->n[i]; k -= q->n[i++])
        *errors_p += (uint32_t)q->blocks[i].asked_n;
    return i;
}

/* Process number k of all. */
static bool start_number(struct request *q, int k)
{
    uint32_t errors;
    int i = block_of(q, k, &errors), error;

    error = start_one(q, &q->agent->rank[q->first + k], q->blocks[i].again);
    if (error)
        tell_errors(q, errors, q->blocks[i].asked_n, error);
    return !error;
}

/* Places for all, with their pages.  False: there is no memory. */
static bool admit(struct request *q)
{
    q->first = q->agent->n;
    prepare_all(q, q->first);
    if (mend_segment_admit(q->agent, q->first, q->total_n)) {
        name_all(q);
        return true;
    }
    for (int i = 0; i < q->total_n; i++)
        mend_vacancy_give(q->agent, &q->agent->rank[q->first + i]);
    tell_errors(q, 0, (int)q->asked_n, ENOMEM);
    return false;
}

/* With `soft` fewer than asked for were enough: the last of each block are not there. */
static void tell_unwanted(struct request *q)
{
    uint32_t k = 0;

    for (int i = 0; i < q->blocks_n; i++) {
        int asked_n = q->blocks[i].asked_n;

        tell_errors(q, k + (uint32_t)q->n[i], asked_n - q->n[i], ENOSPC);
        k += (uint32_t)asked_n;
    }
}

static void say_answer(struct request *q, const struct rank *by, enum mend_starter_answer what)
{
    static const enum mend_spawn_answer answers[] = {
        [MEND_STARTER_STARTED] = MEND_SPAWN_STARTED,
        [MEND_STARTER_FAILED] = MEND_SPAWN_FAILED,
        [MEND_STARTER_FULL] = MEND_SPAWN_FULL,
    };

    if (what == MEND_STARTER_STARTED) {
        mend_report(q->agent, mend_time_monotonic_ns(), spawn, .by = by->index, .first = q->first,
                    .ranks = q->total_n);
        tell_unwanted(q);
        q->file.h->first = q->first;
        q->file.h->started_n = (uint32_t)q->total_n;
    }
    answer(q, answers[what]);
}

/* True: places are being taken from ranks that have died or left.  With several agents there are none (vacancy.c). */
static bool make_room(struct request *q)
{
    bool hopeful = !q->agent->nodes.n && mend_vacancy_collect(q->agent);

    if (q->agent->nodes.n)
        return false;
    if ((uint32_t)mend_vacancies(q->agent) < q->asked_n)
        hopeful |= mend_vacancy_clear_out(q->agent);
    return hopeful;
}

/* One act, as the machine says. */
static struct mend_starter_event act(struct request *q, const struct rank *by, bool last,
                                     const struct mend_starter *x)
{
    struct mend_starter_event ev = {0};

    switch ((enum mend_starter_act)x->act) {
    case MEND_STARTER_COUNT:
        ev.hopeful = make_room(q) && !last;
        ev.good = count(q);
        ev.total_n = q->total_n;
        break;
    case MEND_STARTER_FIND:
        ev.good = find_programs(q);
        break;
    case MEND_STARTER_ADMIT:
        ev.good = admit(q);
        break;
    case MEND_STARTER_START:
        ev.good = start_number(q, x->started_n);
        break;
    case MEND_STARTER_WITHDRAW:
        withdraw(q, q->first, x->started_n);
        break;
    case MEND_STARTER_ANSWER:
        say_answer(q, by, (enum mend_starter_answer)x->answer);
        break;
    case MEND_STARTER_HOLD:
    case MEND_STARTER_END:
        break;
    }
    return ev;
}

/* False: there is no room, but dead ranks may give some, and there is time for that. */
static bool carry_out(struct request *q, const struct rank *by, bool last)
{
    struct mend_starter x;

    mend_starter_init(&x);
    while (x.act != MEND_STARTER_END && x.act != MEND_STARTER_HOLD) {
        struct mend_starter_event ev = act(q, by, last, &x);

        mend_starter_step(&x, &ev);
    }
    return x.act == MEND_STARTER_END;
}

/* True: it has an answer, and the rank that asked looks at it. */
static bool try(struct agent *agent, struct rank *r, int fd, bool last)
{
    struct request q = {.agent = agent, .fd = fd};
    bool answered = true;

    if (!mend_spawn_map(&q.file, fd, true)) {
        mend_say(agent, "mend: a damaged message from rank %d was ignored", r->index);
        return true;
    }
    q.blocks_n = mend_spawn_read(&q.file, &q.blocks, &q.asked_n);
    if (q.blocks_n < 0) {
        mend_say(agent, "mend: a damaged request for processes from rank %d was refused", r->index);
        answer(&q, MEND_SPAWN_FAILED);
    } else {
        q.n = mend_xalloc((size_t)q.blocks_n, sizeof(*q.n));
        answered = carry_out(&q, r, last);
        free(q.n);
        free(q.blocks);
    }
    mend_spawn_unmap(&q.file);
    if (answered)
        mend_verdict_call(agent, r);
    return answered;
}

/* A request for which there was no room. */
struct waiting {
    struct mend_list link; /* in agent->spawn_waits */
    struct rank *r;
    int fd;
    bool parted;
    uint64_t seen; /* mend_vacancy_progress() */
    mend_time_ns since;
};

/* The root has parted from a process that is there. */
static bool has_parted(int fd)
{
    struct mend_spawn_file f;
    bool parted = mend_spawn_map(&f, fd, true);

    if (parted) {
        parted = f.h->parted;
        mend_spawn_unmap(&f);
    }
    return parted;
}

static bool is_late(const struct agent *agent, struct waiting *w, mend_time_ns now)
{
    uint64_t seen = mend_vacancy_progress(agent);

    if (seen != w->seen)
        w->since = now;
    w->seen = seen;
    return now >= w->since + (w->parted || mend_vacancy_ending(agent) ? END_WAIT_NS : ROOM_WAIT_NS);
}

void mend_spawn_asked(struct agent *agent, struct rank *r, int fd)
{
    struct waiting *w;

    if (fd < 0) {
        mend_say(agent, "mend: a damaged message from rank %d was ignored", r->index);
        return;
    }
    if (try(agent, r, fd, false)) {
        close(fd);
        return;
    }
    w = mend_xalloc(1, sizeof(*w));
    *w = (struct waiting){.r = r,
                          .fd = fd,
                          .parted = has_parted(fd),
                          .seen = mend_vacancy_progress(agent),
                          .since = mend_time_monotonic_ns()};
    mend_list_append(&agent->spawn_waits, &w->link);
}

mend_time_ns mend_spawn_look(struct agent *agent, mend_time_ns now)
{
    mend_list_foreach (l, next, &agent->spawn_waits) {
        struct waiting *w = mend_list_entry(l, struct waiting, link);

        if (!try(agent, w->r, w->fd, is_late(agent, w, now)))
            continue;
        close(w->fd);
        mend_list_remove(&w->link);
        free(w);
    }
    return mend_list_empty(&agent->spawn_waits) ? MEND_TIME_NEVER : now + ROOM_LOOK_NS;
}
