/* SPDX-License-Identifier: BSD-3-Clause */
/* nodes_checks.c – what must hold of agents with one log, and of the processes that learn of deaths and revocations from it.
 *
 *   N1  a process sees entry k + 1 of the log behind entry k, each once, and what it has seen is what the root has written (S5-9)
 *   N2  when nothing can happen any more all living have seen all, and every death is in the log
 *   N3  who knows that one process of a set has failed knows all of them, from the log or from others (S5-2, S5-10)
 *   N4  all processes of a lost node that were not dead before are in the set of its loss or in earlier ones, and the victims of an
 *       abort that were not are in one set (S5-2, S5-10)
 *   N5  the log has a death once, and only when the process is dead
 *   N6  what a process has revoked is in the log before its death, unless its agent is lost with it (S5-11)
 *   N7  at the end the victims of an abort are dead, and the processes of a lost node
 *   N8  at the end all living know of a revocation that one knows of (S5-11)
 *   N9  a run ends after so much virtual time as its calls, faults and the slowest link allow
 *   N10 what is decided is the same as on every paper of the agreement on the nodes that are left, also of dead processes (S5-12)
 *
 * Besides, A1 to A15 and C1 (checkers.c) hold of the agreements: they are uniform in whatever order nodes learn of deaths (S5-9).
 * The sets of A15 are those of the log. */
#include "network.h"
#include "nodes.h"

#include <string.h>

#define SMALL 64

/* ---- what the root notes ---- */

static void note_deaths(struct mend_sim_nodes_agent *root, const struct mend_fact *f,
                        const struct mend_sim_conf *c)
{
    int16_t *died = mend_sim_nodes_died(root, c);

    for (uint32_t i = 0; i < f->runs_n; i++) {
        const struct mend_fact_run *run = &mend_fact_runs(f)[i];

        for (int32_t m = run->first; m < run->first + run->n; m++) {
            if (died[m] >= 0)
                root->wrong = MEND_SIM_NODES_TWICE;
            died[m] = (int16_t)(root->written + 1);
        }
    }
}

/* With one of its victims all are dead that were not before. */
static bool divides_abort(const struct mend_sim_nodes_agent *root, const struct mend_sim_conf *c)
{
    const int16_t *died = mend_sim_nodes_died(root, c), *abort = mend_sim_nodes_aborted(root, c);
    int16_t now = (int16_t)(root->written + 1);

    for (int m = 0; m < mend_sim_members(c); m++)
        for (int q = 0; died[m] == now && abort[m] && q < mend_sim_members(c); q++)
            if (abort[q] == abort[m] && died[q] < 0)
                return true;
    return false;
}

static bool divides_node(const struct mend_sim_nodes_agent *root, int node,
                         const struct mend_sim_conf *c)
{
    for (int m = mend_sim_first_member(c, node); m < mend_sim_first_member(c, node + 1); m++)
        if (mend_sim_nodes_died(root, c)[m] < 0)
            return true;
    return false;
}

/* Two aborts with a victim in common are one. */
static void note_abort(const struct mend_sim_nodes_agent *root, const struct mend_fact *f,
                       const struct mend_sim_conf *c)
{
    int16_t *died = mend_sim_nodes_died(root, c), *abort = mend_sim_nodes_aborted(root, c);
    int16_t number = 1;

    for (int m = 0; m < mend_sim_members(c); m++)
        number = abort[m] >= number ? (int16_t)(abort[m] + 1) : number;
    for (uint32_t i = 0; i < f->runs_n; i++) {
        const struct mend_fact_run *run = &mend_fact_runs(f)[i];

        for (int32_t m = run->first; m < run->first + run->n; m++) {
            int16_t before = abort[m];

            if (died[m] < 0)
                abort[m] = number;
            for (int q = 0; died[m] < 0 && before && q < mend_sim_members(c); q++)
                if (abort[q] == before)
                    abort[q] = number;
        }
    }
}

void mend_sim_nodes_note(struct mend_sim_nodes_agent *root, const struct mend_fact *f,
                         const struct mend_sim_conf *c)
{
    if (f->kind == MEND_FACT_ABORT)
        note_abort(root, f, c);
    if (f->kind != MEND_FACT_DEATHS && f->kind != MEND_FACT_LOST)
        return;
    note_deaths(root, f, c);
    if (divides_abort(root, c) || (f->kind == MEND_FACT_LOST && divides_node(root, f->agent, c)))
        root->wrong = MEND_SIM_NODES_DIVIDED;
}

/* ---- the checks ---- */

static const struct mend_sim_nodes_agent *agent_of(const struct mend_sim_view *v, int rank)
{
    return mend_sim_proc(v, rank);
}

static const struct mend_sim_nodes_rank *member_of(const struct mend_sim_view *v, int member)
{
    return mend_sim_proc(v, member + v->conf->nodes);
}

static bool lives(const struct mend_sim_view *v, int rank)
{
    return v->fate[rank] == MEND_SIM_ALIVE;
}

static const char *text_of(int wrong)
{
    static const char *const texts[] = {
        [MEND_SIM_NODES_ORDER] = "N1: an entry is seen out of order, or twice",
        [MEND_SIM_NODES_DIVIDED] = "N4: a lost node or an abort is divided",
        [MEND_SIM_NODES_TWICE] = "N5: the log repeats a death",
        [MEND_SIM_NODES_AFTERWARDS] = "N6: an agent hears a process whose death it has reported",
    };

    return texts[wrong];
}

static const char *check_prefix(const struct mend_sim_view *v, uint32_t seen, uint64_t chain)
{
    const struct mend_sim_nodes_agent *root = agent_of(v, 0);

    return seen <= root->written && mend_sim_nodes_chain(root, v->conf)[seen] == chain
               ? NULL
               : "N1: what is seen is not the beginning of the log";
}

/* Of these members, of all but the k lowest, each set of the log is there as a whole or not at all. */
static const char *check_whole(const struct mend_sim_view *v, const uint64_t *dead, int k)
{
    const int16_t *died = mend_sim_nodes_died(agent_of(v, 0), v->conf);
    uint8_t in[MEND_SIM_RANKS_MAX + 2], out[MEND_SIM_RANKS_MAX + 2];
    size_t entries = mend_sim_nodes_entries_max(v->conf);

    memset(in, 0, entries);
    memset(out, 0, entries);
    for (int m = k; m < mend_sim_members(v->conf); m++) {
        bool known = mend_bits_test(dead, m - k);

        if (known && died[m] < 0)
            return "N3: a death is known that is not in the log";
        if (died[m] >= 0)
            (known ? in : out)[died[m]] = 1;
    }
    for (size_t e = 0; e < entries; e++)
        if (in[e] && out[e])
            return "N3: one of those that died together is known, and another one is not";
    return NULL;
}

static const char *check_knowledge(const struct mend_sim_view *v,
                                   const struct mend_sim_nodes_rank *p,
                                   const struct mend_sim_conf *inner)
{
    const struct mend_sim_agree_proc *q = mend_sim_nodes_inner_proc(p, v->conf);
    const char *wrong = check_whole(v, mend_sim_agree_told(q), 0);

    for (int k = 0; k < mend_sim_agree_comms(inner) && k <= q->rank && !wrong; k++)
        if (!mend_sim_agree_comm(q, inner, k)->gone)
            wrong = check_whole(
                v, mend_agree_dead(mend_sim_agree_machine(mend_sim_agree_comm(q, inner, k), inner)),
                k);
    return wrong;
}

/* The processes as the checkers of agreement see them. */
static struct mend_sim_view inner_view(const struct mend_sim_view *v,
                                       const struct mend_sim_conf *inner)
{
    int nodes = v->conf->nodes;
    struct mend_sim_view view = {.conf = inner,
                                 .fate = v->fate + nodes,
                                 .procs = mend_sim_nodes_inner_proc(member_of(v, 0), v->conf),
                                 .proc_bytes = v->proc_bytes,
                                 .faults = v->faults,
                                 .set = mend_sim_nodes_died(agent_of(v, 0), v->conf)};

    for (int r = nodes; v->sent && r < v->conf->ranks; r++)
        view.messages += v->sent[r];
    return view;
}

/* Unless its agent has not heard of it, or is lost. */
static bool revoked_in_time(const struct mend_sim_view *v, int member)
{
    const struct mend_sim_nodes_agent *root = agent_of(v, 0);
    int node = mend_sim_node_of(v->conf, member + v->conf->nodes);
    const struct mend_sim_nodes_agent *a = agent_of(v, node);

    if (!lives(v, node) ||
        !mend_bits_test(mend_sim_nodes_set(a, MEND_SIM_NODES_SPOKE, v->conf), member))
        return true;
    return root->revoked && (int)root->revoked <= mend_sim_nodes_died(root, v->conf)[member];
}

static const char *check_root(const struct mend_sim_view *v)
{
    const int16_t *died = mend_sim_nodes_died(agent_of(v, 0), v->conf);

    for (int m = 0; m < mend_sim_members(v->conf); m++) {
        if (died[m] < 0)
            continue;
        if (v->fate[m + v->conf->nodes] != MEND_SIM_DEAD)
            return "N5: the log has the death of a process that lives";
        if (!revoked_in_time(v, m))
            return "N6: a process has revoked, and its death is in the log before that";
    }
    return NULL;
}

static const char *check_agent(const struct mend_sim_view *v, const struct mend_sim_nodes_agent *a)
{
    if (v->conf->ranks <= SMALL)
        mend_log_check(mend_sim_nodes_log(a, v->conf));
    if (a->wrong)
        return text_of(a->wrong);
    if (a->rank == 0)
        return check_root(v);
    return check_prefix(v, a->written, a->chain);
}

/* What a process has just decided is what is on paper on any node that is left. */
static const char *check_papers(const struct mend_sim_view *v, const struct mend_sim_nodes_rank *p,
                                const struct mend_sim_conf *inner)
{
    const struct mend_sim_conf *c = v->conf;
    const struct mend_sim_agree_proc *q = mend_sim_nodes_inner_proc(p, c);

    for (int k = 0; k < mend_sim_agree_comms(inner) && k <= q->rank; k++) {
        const struct mend_sim_agree_comm *a = mend_sim_agree_comm(q, inner, k);

        for (int i = 0; c->papers && i < a->fresh_n && !a->gone;
             i++) /* a last value says nothing */
            for (int m = 0; m < mend_sim_members(c); m++) {
                const struct mend_sim_paper *other =
                    mend_sim_paper(member_of(v, m), k, a->fresh[i], c);

                if (other->number == a->fresh[i] + 1 &&
                    lives(v, mend_sim_node_of(c, m + c->nodes)) &&
                    other->print != *mend_sim_agree_print_of(a, inner, a->fresh[i]))
                    return "N10: what is decided is not what is on paper on a node that is left";
            }
    }
    return NULL;
}

const char *mend_sim_check_nodes(const struct mend_sim_view *v, int rank)
{
    struct mend_sim_conf inner = mend_sim_nodes_inner(v->conf);
    const struct mend_sim_nodes_rank *p = mend_sim_proc(v, rank);
    struct mend_sim_view processes;
    const char *wrong;

    if (rank < v->conf->nodes)
        return check_agent(v, agent_of(v, rank));
    wrong = p->wrong ? text_of(p->wrong) : check_prefix(v, p->seen, p->chain);
    if (!wrong)
        wrong = check_knowledge(v, p, &inner);
    if (!wrong)
        wrong = check_papers(v, p, &inner);
    if (wrong)
        return wrong;
    processes = inner_view(v, &inner);
    return mend_sim_check_agree(&processes, rank - v->conf->nodes);
}

/* ---- the end ---- */

static const char *check_agent_end(const struct mend_sim_view *v,
                                   const struct mend_sim_nodes_agent *a)
{
    const struct mend_sim_nodes_agent *root = agent_of(v, 0);
    const struct mend_ledger *ledger = mend_log_ledger(mend_sim_nodes_log(root, v->conf));

    if (!lives(v, a->rank))
        return mend_ledger_agent((struct mend_ledger *)(uintptr_t)ledger, a->rank)->lost
                   ? NULL
                   : "N2: the log does not say that an agent is lost";
    if (a->written != root->written)
        return "N2: an agent does not have the whole log";
    return mend_sim_nodes_log(a, v->conf)->proposals.facts_n ? "N2: what an agent has said is lost"
                                                             : NULL;
}

static const char *check_member_end(const struct mend_sim_view *v, int member,
                                    const struct mend_sim_conf *inner)
{
    const struct mend_sim_nodes_agent *root = agent_of(v, 0);
    const struct mend_sim_nodes_rank *p = member_of(v, member);

    if (!lives(v, p->rank))
        return mend_sim_nodes_died(root, v->conf)[member] >= 0 ? NULL
                                                               : "N2: a death is not in the log";
    if (!lives(v, mend_sim_node_of(v->conf, p->rank)))
        return "N7: a process of a lost node lives";
    if (p->aborting || mend_sim_nodes_aborted(root, v->conf)[member])
        return "N7: a victim of an abort lives";
    if (p->outside)
        return NULL;
    if (p->seen != root->written)
        return "N2: a process has not seen the whole log";
    for (int k = 0; k < mend_sim_agree_comms(inner) && k <= member; k++)
        if (!mend_sim_agree_heard(mend_sim_nodes_inner_proc(p, v->conf), inner, k))
            return "N2: a process does not get what was decided";
    if (!p->revoked != !root->revoked)
        return "N8: a living process does not know what is revoked";
    return NULL;
}

/* Of a call and a fault the hops, each of them on the slowest link; a pause or a partition lasts as long as thirty of them. */
static bool took_too_long(const struct mend_sim_view *v)
{
    const struct mend_sim_conf *c = v->conf;
    uint64_t hop = MEND_SIM_DELAY_MAX * MEND_SIM_PACE_MAX, depth = 1, hops;

    while (UINT64_C(1) << depth < (uint64_t)c->ranks)
        depth++;
    hops = (uint64_t)(c->instances + 1) * (3 * depth + 2) +
           (uint64_t)(v->faults + c->revocations + c->aborts) * (4 * depth + 12);
    hops += 40 * (uint64_t)(c->pauses + c->partitions);
    return v->now > hop * hops;
}

const char *mend_sim_check_nodes_end(const struct mend_sim_view *v)
{
    struct mend_sim_conf inner = mend_sim_nodes_inner(v->conf);
    struct mend_sim_view processes = inner_view(v, &inner);
    const char *wrong = NULL;

    for (int m = 0; m < mend_sim_members(v->conf) && !wrong; m++)
        wrong = check_member_end(v, m, &inner);
    for (int a = 0; a < v->conf->nodes && !wrong; a++)
        wrong = check_agent_end(v, agent_of(v, a));
    if (!wrong && took_too_long(v))
        wrong = "N9: it took too long";
    return wrong ? wrong : mend_sim_check_agree_end(&processes);
}
