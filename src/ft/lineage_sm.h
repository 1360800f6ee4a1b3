/* SPDX-License-Identifier: BSD-3-Clause */
/* lineage_sm.h – the tree of agents: which starts which, where an orphan goes, and who is lost with a node.
 *
 * Node i is started by node (i-1)/radix; node 0 is the root.  Children have higher numbers than their parents, and only
 * ancestors in this tree adopt, so that it stays one without cycles.  For radix 2:
 *
 *                0                    3 loses 1, and calls: 1 again, 0, 1, ... while its lease runs;
 *          .-----+-----.              0 adopts it; 1 is lost later, and 4 with it, if 4 has not called
 *          1           2
 *        .-+-.       .-+-.
 *        3   4       5   6
 *
 * The machine is the root's knowledge: the parent of each node, by the turn (ft/lease_sm.h) that it was adopted with, and who
 * is declared lost.  It alone gives the verdict on nodes.  A parent that says that a child is lost is believed if that child is
 * still its own, by that turn.  The child is lost, and with it all nodes whose chain of parents leads to it, because all
 * their leases were parts of its own.  But
 *
 *   - a node that was adopted within a lease's time, L(1+ρ)/(1-ρ), may still have one of its former parent;
 *   - when somebody has seen that all processes of a node have ended (GONE), its children have leases that still run.
 *
 * Those are *orphans* until that time has passed: then they are lost as well, if nobody has adopted them.
 *
 * Invariants, asserted in mend_lineage_check():
 *   1  a parent has a lower number than its child;
 *   2  a node that is not declared, and whose parent is, is an orphan; it stays one when its parent is started again;
 *   3  a node is declared once in an incarnation. */
#ifndef MEND_FT_LINEAGE_SM_H
#define MEND_FT_LINEAGE_SM_H

#include "ft/lease_sm.h"

/* ---- the tree as it is started ---- */

/* Of i > 0: the children of a node are radix·node + 1 and those behind, `radix` of them at most.  -1: of the root. */
static inline int32_t mend_lineage_parent(int32_t radix, int32_t node)
{
    return node > 0 ? (node - 1) / radix : -1;
}

/* Edges from a node to the root, at most: an orphan has the time to call so many (ft/lease_sm.h). */
#define MEND_LINEAGE_EDGES_MAX 3

/* Edges from a node to the root; no node before it has more. */
static inline int32_t mend_lineage_edges(int32_t radix, int32_t node)
{
    int32_t n = 0;

    for (; node > 0; node = mend_lineage_parent(radix, node))
        n++;
    return n;
}

static inline bool mend_lineage_is_ancestor(int32_t radix, int32_t a, int32_t node)
{
    if (a < 0 || node <= a)
        return false;
    while (node > a)
        node = mend_lineage_parent(radix, node);
    return node == a;
}

/* ---- an orphan's search ---- */

struct mend_lineage_search {
    int32_t radix, node, parent; /* parent: that it had last */
    int32_t at;                  /* the next ancestor; -1: the parent */
};

void mend_lineage_begin(struct mend_lineage_search *s, int32_t radix, int32_t node, int32_t parent);

/* The agent to call next: the parent again, then the ancestors from the nearest to the root, and so on without an end. */
int32_t mend_lineage_next(struct mend_lineage_search *s);

/* ---- the root ---- */

enum mend_lineage_event_kind {
    MEND_LINEAGE_EV_TICK,    /* only the time has changed */
    MEND_LINEAGE_EV_ADOPT,   /* `by` asks for `node`, which has turned to it */
    MEND_LINEAGE_EV_LOST,    /* `by` has had no beat of its child for too long */
    MEND_LINEAGE_EV_GONE,    /* all processes of `node` in turn.incarnation have ended */
    MEND_LINEAGE_EV_STARTED, /* `by` starts the next incarnation of a node that was declared */
};

struct mend_lineage_event {
    enum mend_lineage_event_kind kind;
    mend_time_ns
        now; /* never goes back; of the root's clock, read after the message was received */
    int32_t node, by;
    struct mend_lease_turn turn;
};

enum mend_lineage_answer {
    MEND_LINEAGE_NO_ANSWER, /* old news: nobody waits for it */
    MEND_LINEAGE_ADOPTED,
    MEND_LINEAGE_DECLARED,
};

struct mend_lineage_out {
    enum mend_lineage_answer answer; /* to ADOPT */
    int32_t lost_n; /* nodes that are lost by this step, as one verdict: mend_lineage_lost() */
    mend_time_ns wake_at; /* when a TICK is wanted, or MEND_TIME_NEVER */
};

struct mend_lineage_node {
    int32_t parent;
    struct mend_lease_turn turn;
    bool declared, due;      /* due: to be fetched */
    mend_time_ns free_at;    /* it may have a lease of a former parent until then */
    mend_time_ns orphan_end; /* an orphan until then; 0: it is none */
};

struct mend_lineage {
    int32_t n, radix, orphans_n;
    int32_t due_n, due_at; /* nodes to be fetched; none is before due_at */
    mend_time_ns longest;  /* L of another clock */
    mend_time_ns now;
    struct mend_lineage_node node[];
};

/* Bytes for n nodes. */
size_t mend_lineage_size(int32_t n);

/* Prepares the caller's memory, aligned to 8: all are started, as incarnation 1 of their nodes. */
void mend_lineage_init(struct mend_lineage *x, const struct mend_lease_config *config, int32_t n,
                       int32_t radix, mend_time_ns now);

/* The one transition function; afterwards call mend_lineage_lost() until it returns false.  O(n) for a verdict and while
 * there are orphans. */
void mend_lineage_step(struct mend_lineage *x, const struct mend_lineage_event *ev,
                       struct mend_lineage_out *out_p);

/* The next node of the verdict; its incarnation is that of node[*node_p].turn. */
bool mend_lineage_lost(struct mend_lineage *x, int32_t *node_p);

void mend_lineage_check(const struct mend_lineage *x);

/* One line into buf, as snprintf (print.c). */
int mend_lineage_print(const struct mend_lineage *x, char *buf, size_t size);

#endif
