/* SPDX-License-Identifier: BSD-3-Clause */
/* job_start.c – the starter of a simulated job: processes that join it while it runs (MPI_Comm_spawn,
 * MPIX_Comm_refill).
 *
 * A process hands over its request as to a real agent; some steps later the starter carries it out, with the machine of
 * ft/starter_sm.h, also if the process has died meanwhile.  A new process runs the same program from the beginning, and
 * has a name that no other one has had.  It leaves the world like any other; or, if nothing has come of its start, by
 * _exit() in its MPI_Init. */
#include "ft/starter_sm.h"
#include "rt/spawn.h"
#include "sim/job.h"

#include <stdlib.h>
#include <unistd.h>

struct sim_request {
    struct sim_request *next;
    int fd;
    uint64_t not_before;
};

struct errand {
    struct sim_job *job;
    struct mend_spawn_file file;
    struct mend_spawn_block *blocks;
    int blocks_n, first;
    uint32_t asked_n;
};

bool sim_ask(struct sim_job *job, int fd)
{
    struct sim_request *q = malloc(sizeof(*q)), **end = &job->requests;

    *q = (struct sim_request){.fd = dup(fd), .not_before = job->step + sim_random(job, 40)};
    while (*end)
        end = &(*end)->next;
    *end = q;
    return q->fd >= 0;
}

/* In the simulator every command is the one program. */
static bool count(struct errand *e, struct mend_starter_event *ev)
{
    int room = e->job->max - e->job->n;

    e->file.h->room = (uint32_t)room;
    for (int i = 0; i < e->blocks_n; i++)
        ev->total_n += e->blocks[i].asked_n;
    return ev->total_n > 0 && ev->total_n <= room;
}

static void start_one(struct errand *e, int total_n)
{
    struct mend_proc *p = sim_add_rank(e->job)->proc;

    p->world_first = e->first;
    p->world_n = total_n;
    p->asked_by = e->file.h->root;
    p->asked_number = e->file.h->number;
    p->seats = mend_spawn_seats(&e->file, (uint32_t)total_n);
}

/* Nobody minds the ends of those that were started before another one failed. */
static void withdraw(struct errand *e)
{
    for (int r = e->first; r < e->job->n; r++)
        if (e->job->rank[r].fate == SIM_RUNNING)
            sim_kill(e->job, r, MEND_CAUSE_SIGNAL, 9);
}

static void reply(struct errand *e, const struct mend_starter *x)
{
    static const enum mend_spawn_answer answers[] = {
        [MEND_STARTER_STARTED] = MEND_SPAWN_STARTED,
        [MEND_STARTER_FAILED] = MEND_SPAWN_FAILED,
        [MEND_STARTER_FULL] = MEND_SPAWN_FULL,
    };

    e->file.h->first = e->first;
    e->file.h->started_n = (uint32_t)x->started_n;
    mend_store_release(&e->file.h->answer, answers[x->answer]); /* pairs with is_answered() */
}

/* In one of sixteen jobs with a seed a process cannot be started. */
static bool can_start(const struct errand *e, const struct mend_starter *x)
{
    return e->job->seed % 16 != 5 || x->started_n != (int)(e->job->seed / 16 % 3);
}

static struct mend_starter_event act(struct errand *e, const struct mend_starter *x)
{
    struct mend_starter_event ev = {.good = true};

    if (x->act == MEND_STARTER_COUNT) {
        ev.good = count(e, &ev);
    } else if (x->act == MEND_STARTER_START) {
        ev.good = can_start(e, x);
        if (ev.good)
            start_one(e, x->total_n);
    } else if (x->act == MEND_STARTER_WITHDRAW) {
        withdraw(e);
    } else if (x->act == MEND_STARTER_ANSWER) {
        reply(e, x);
    }
    return ev;
}

static void carry_out(struct sim_job *job, int fd)
{
    struct errand e = {.job = job, .first = job->n};
    struct mend_starter x;

    MEND_ASSERT(mend_spawn_map(&e.file, fd, true));
    e.blocks_n = mend_spawn_read(&e.file, &e.blocks, &e.asked_n);
    MEND_ASSERT(e.blocks_n > 0);
    mend_starter_init(&x);
    while (x.act != MEND_STARTER_END) {
        struct mend_starter_event ev = act(&e, &x);

        mend_starter_step(&x, &ev);
        mend_starter_check(&x);
    }
    free(e.blocks);
    mend_spawn_unmap(&e.file);
    close(fd);
}

void sim_start_asked(struct sim_job *job)
{
    struct sim_request *q = job->requests;

    if (!q || q->not_before > job->step)
        return;
    job->requests = q->next;
    carry_out(job, q->fd);
    free(q);
}
