/* SPDX-License-Identifier: BSD-3-Clause */
/* waits.c – "what does each rank wait for?", asked when the time is over or by SIGUSR1.
 *
 * A rank that runs MPI answers MEND_SIG_REPORT by writing a line into the segment; together the
 * lines are the graph of who waits for whom.  A rank that does not answer within 200 ms is
 * computing, or stopped, or has a handler of its own for that signal. */
#include "job.h"

#include "rt/wire.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ANSWER_TURNS   40
#define ANSWER_TURN_US 5000

static struct mend_shm_rank *shared(struct job *job, int i)
{
    return mend_shm_rank_of(job->shm, (uint32_t)i);
}

static bool can_answer(struct job *job, const struct rank *r)
{
    uint32_t state = mend_load_acquire(&shared(job, r->index)->state);

    return !r->ended && !r->stopped &&
           (state == MEND_SHM_RANK_RUNNING || state == MEND_SHM_RANK_LEAVING);
}

static void ask(const struct rank *r)
{
    int fd = mend_rank_pidfd(r);

    syscall(SYS_pidfd_send_signal, fd, MEND_SIG_REPORT, NULL, 0);
}

static bool answered(struct job *job, int i, uint32_t before)
{
    /* acquire: pairs with the rank's release after it wrote the text */
    return mend_load_acquire(&shared(job, i)->wait_seq) != before;
}

static void print_one(struct job *job, const struct rank *r, bool answer)
{
    struct mend_shm_rank *s = shared(job, r->index);
    uint32_t state = mend_load_acquire(&s->state);
    char text[MEND_SHM_WAIT_BYTES];
    const char *what;

    memcpy(text, s->wait_text, sizeof(text));
    text[sizeof(text) - 1] = '\0';
    for (char *c = text; *c; c++) /* it comes from a program that we do not trust */
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    if (mend_rank_is_dead(job, r->index))
        what = "dead";
    else if (r->ended)
        what = "has ended";
    else if (r->stopped)
        what = "stopped by a signal";
    else if (state == MEND_SHM_RANK_NONE)
        what = "has not called MPI_Init";
    else if (state == MEND_SHM_RANK_STARTING)
        what = "in MPI_Init";
    else if (state == MEND_SHM_RANK_FINALIZED)
        what = "behind MPI_Finalize";
    else
        what = answer ? text : "does not answer: it is computing outside of MPI, or cannot run";
    mend_say(job, "mend:   rank %d (pid %d): %s", r->index, r->wrapped ? r->wrapped : r->child,
             what);
}

void mend_waits_print(struct job *job)
{
    uint32_t *before = mend_xalloc((size_t)job->n, sizeof(*before));
    bool *open = mend_xalloc((size_t)job->n, sizeof(*open));
    int open_n = 0;

    for (int i = 0; i < job->n; i++) {
        before[i] = mend_load_acquire(&shared(job, i)->wait_seq);
        open[i] = can_answer(job, &job->rank[i]);
        open_n += open[i];
        if (open[i])
            ask(&job->rank[i]);
    }
    for (int turn = 0; open_n && turn < ANSWER_TURNS; turn++) {
        usleep(ANSWER_TURN_US);
        for (int i = 0; i < job->n; i++)
            if (open[i] && answered(job, i, before[i])) {
                open[i] = false;
                open_n--;
            }
    }
    for (int i = 0; i < job->n; i++)
        print_one(job, &job->rank[i], answered(job, i, before[i]));
    free(before);
    free(open);
}
