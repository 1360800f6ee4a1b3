/* SPDX-License-Identifier: BSD-3-Clause */
/* birth_checks.c – what must hold when processes join a job.
 *
 *   B1  all living processes of both groups get the communicator, or none (S0-38, S2-5)
 *   B2  when nothing can happen any more every call has returned, and every new process has left
 *       MPI_Init or has ended
 *   B3  nobody gets it unless all living ones have come to the meeting (S2-6)
 *   B4  if nobody has died and the agent could do everything, all get it (S0-10)
 *   B5  a process that was withdrawn has never got it; nor has anybody if not all were started, or another job of the group
 *       has not got their names
 *   B6  replacing: all living survivors that get an error get the same one */
#include "birth.h"

static const struct mend_sim_birth_proc *proc_of(const struct mend_sim_view *v, int rank)
{
    return mend_sim_proc(v, rank);
}

static bool lives(const struct mend_sim_view *v, int rank)
{
    return v->fate[rank] == MEND_SIM_ALIVE && !proc_of(v, rank)->gone;
}

static bool has_it(const struct mend_sim_view *v, int rank)
{
    const struct mend_sim_birth_proc *p = proc_of(v, rank);

    return p->over && !mend_sim_birth_result(p, v->conf);
}

static const char *check_others(const struct mend_sim_view *v)
{
    for (int r = 0; r < mend_sim_birth_members(v->conf); r++) {
        const struct mend_sim_birth_proc *p = proc_of(v, r);

        if (lives(v, r) && p->over && !has_it(v, r))
            return "B1: one living process has the communicator and another one has an error";
        if (lives(v, r) && !p->meeting.came)
            return "B3: somebody has the communicator to whose making another one has not come";
    }
    return NULL;
}

static bool same_error(const struct mend_sim_view *v, int rank)
{
    int parents = mend_sim_birth_parents(v->conf);

    for (int r = 0; r < parents && rank < parents; r++)
        if (lives(v, r) && proc_of(v, r)->over && !has_it(v, r) &&
            mend_sim_birth_result(proc_of(v, r), v->conf) !=
                mend_sim_birth_result(proc_of(v, rank), v->conf))
            return false;
    return true;
}

/* The others are compared with one that has it. */
const char *mend_sim_check_birth(const struct mend_sim_view *v, int rank)
{
    const struct mend_sim_conf *c = v->conf;
    const struct mend_sim_birth_proc *agent = proc_of(v, mend_sim_birth_agent(c));

    for (int r = 0; r < mend_sim_birth_members(c); r++) {
        const char *wrong = NULL;

        if (!has_it(v, r)) {
            if (c->replaces && lives(v, r) && proc_of(v, r)->over && !same_error(v, r))
                return "B6: two survivors have different errors";
            continue;
        }
        if (proc_of(v, r)->gone && !agent->starter.answer)
            return "B5: a process has it and the agent has not answered";
        if (agent->starter.answer && agent->starter.answer != MEND_STARTER_STARTED)
            return "B5: a process has it although not all were started";
        if (agent->lot == MEND_SIM_NO_NAMES)
            return "B5: a process has it although another job does not know the new ones";
        if (lives(v, r))
            wrong = check_others(v);
        if (wrong)
            return wrong;
    }
    return NULL;
}

const char *mend_sim_check_birth_end(const struct mend_sim_view *v)
{
    const struct mend_sim_conf *c = v->conf;
    const struct mend_sim_birth_proc *agent = proc_of(v, mend_sim_birth_agent(c));
    bool quiet = agent->starter.answer == MEND_STARTER_STARTED && agent->lot != MEND_SIM_NO_NAMES;

    for (int r = 0; r < c->ranks; r++)
        quiet &= v->fate[r] == MEND_SIM_ALIVE;
    for (int r = 0; r < mend_sim_birth_members(c); r++) {
        const struct mend_sim_birth_proc *p = proc_of(v, r);

        if (lives(v, r) && p->called && !p->over)
            return "B2: a process waits for ever";
        if (quiet && !has_it(v, r))
            return "B4: nothing has failed and a process has an error";
    }
    return NULL;
}
