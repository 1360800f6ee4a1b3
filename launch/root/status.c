/* SPDX-License-Identifier: BSD-3-Clause */
/* status.c – how the ranks have ended, and the exit status of mpiexec. */
#include "root/root.h"

#include "ft/detector_sm.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANKS_SAID_MAX 8

void mend_root_note_end(struct root *root, const struct mend_message *m)
{
    struct root_rank *r = &root->rank[m->rank];
    int flags = (int)m->arg[MEND_END_FLAGS];

    r->there = true;
    r->end.reach = (uint8_t)m->arg[MEND_END_REACH];
    r->end.outcome = (uint8_t)m->arg[MEND_END_OUTCOME];
    r->end.named = flags & MEND_END_NAMED;
    r->end.follows = flags & MEND_END_FOLLOWS;
    r->end.code = (int)m->arg[MEND_END_CODE];
    r->end.order = (uint32_t)m->arg[MEND_END_ORDER];
    r->in_script = flags & MEND_END_IN_SCRIPT;
    r->exited = m->arg[MEND_END_EXITED];
    r->status = (int)m->arg[MEND_END_STATUS];
    root->n = m->rank >= root->n ? m->rank + 1 : root->n;
}

void mend_root_note_death(struct root *root, const struct mend_message *m)
{
    enum mend_verdict_cause cause = (enum mend_verdict_cause)m->arg[MEND_DEATH_CAUSE];
    bool exited = cause == MEND_VERDICT_EXIT, known = exited || cause == MEND_VERDICT_SIGNAL;
    struct root_rank *r = &root->rank[m->rank];
    int code = (int)m->arg[MEND_DEATH_CODE];

    r->dead = true;
    r->end.order = (uint32_t)m->arg[MEND_DEATH_NUMBER];
    mend_rank_end_settle(&r->end, true, !exited, known ? code : SIGKILL,
                         cause == MEND_VERDICT_ABORT ? &code : NULL);
}

void mend_root_note_loss(struct root *root, const struct root_node *node)
{
    for (int i = 0; i < root->n; i++) {
        struct root_rank *r = &root->rank[i];

        if (r->there || !mend_root_is_of(root, i, node))
            continue;
        r->there = true;
        if (!r->dead)
            mend_rank_end_settle(&r->end, true, true, SIGKILL, NULL);
        r->exited = r->end.outcome == MEND_OUTCOME_EXITED || r->end.outcome == MEND_OUTCOME_FAILED;
        r->status = r->end.outcome == MEND_OUTCOME_ABORTED ? SIGKILL : r->end.code;
    }
}

void mend_root_note_handled(struct root *root, int rank)
{
    root->rank[rank].end.handled = true;
}

void mend_root_say_ends(struct root *root)
{
    for (int i = 0; i < root->n; i++) {
        const struct root_rank *r = &root->rank[i];

        if (!r->there)
            continue;
        if (r->exited)
            mend_root_say(root, "mend: rank %d ended with status %d", i, r->status);
        else
            mend_root_say(root, "mend: rank %d was killed by signal %d (%s)", i, r->status,
                          strsignal(r->status));
    }
}

/* Why a job that went on to its end has failed all the same. */
static void say_unhandled(struct root *root, int status)
{
    char ranks[128] = "";
    int n = 0;

    for (int i = 0; i < root->n; i++) {
        const struct mend_rank_end *e = &root->rank[i].end;
        size_t used = strlen(ranks);

        if (!root->rank[i].there || !mend_rank_end_is_death(e) || e->handled)
            continue;
        if (++n <= RANKS_SAID_MAX)
            snprintf(ranks + used, sizeof(ranks) - used, "%s%d", n > 1 ? ", " : "", i);
    }
    if (n)
        mend_root_say(
            root,
            "mend: no process that finished was told of the death of rank%s %s%s by an MPI call: "
            "the exit status is %d (--lenient-exit: 0)",
            n > 1 ? "s" : "", ranks, n > RANKS_SAID_MAX ? " and others" : "", status);
}

/* Of the processes of this job, in their order. */
static int list_ends(const struct root *root, struct mend_rank_end *ends)
{
    int n = 0;

    for (int i = 0; i < root->n; i++)
        if (root->rank[i].there)
            ends[n++] = root->rank[i].end;
    return n;
}

int mend_root_status(struct root *root)
{
    struct mend_rank_end *ends = mend_xalloc((size_t)root->n, sizeof(*ends));
    struct mend_job_end end = {
        .rank = ends,
        .rank_bytes = sizeof(*ends),
        .n = list_ends(root, ends),
        .rule = root->o->exit_rule,
        .timed_out = root->timed_out,
        .signal = root->killing && root->signal_seen ? SIGKILL : root->signal_seen,
    };
    int status = mend_exit_status(&end);

    if (status && end.rule == MEND_EXIT_HANDLED && !root->o->quiet) {
        end.rule = MEND_EXIT_LENIENT;
        if (!mend_exit_status(&end))
            say_unhandled(root, status);
    }
    free(ends);
    /* killed by our second signal: still the signal that the user sent */
    return end.signal == SIGKILL && status == 128 + SIGKILL ? 128 + root->signal_seen : status;
}
