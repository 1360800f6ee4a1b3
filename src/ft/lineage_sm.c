/* SPDX-License-Identifier: BSD-3-Clause */
/* lineage_sm.c – the rules of adoption, and the verdict on nodes; see lineage_sm.h. */
#include "ft/lineage_sm.h"

#include <string.h>

/* ---- an orphan's search ---- */

void mend_lineage_begin(struct mend_lineage_search *s, int32_t radix, int32_t node, int32_t parent)
{
    *s = (struct mend_lineage_search){radix, node, parent, -1};
}

int32_t mend_lineage_next(struct mend_lineage_search *s)
{
    int32_t next = s->at < 0 ? s->parent : s->at;

    s->at = mend_lineage_parent(s->radix, s->at < 0 ? s->node : s->at);
    if (s->at == s->parent)
        s->at = mend_lineage_parent(s->radix, s->at);
    return next;
}

/* ---- the root ---- */

size_t mend_lineage_size(int32_t n)
{
    return sizeof(struct mend_lineage) + (size_t)n * sizeof(struct mend_lineage_node);
}

void mend_lineage_init(struct mend_lineage *x, const struct mend_lease_config *config, int32_t n,
                       int32_t radix, mend_time_ns now)
{
    MEND_ASSERT(n > 0 && radix > 0);
    memset(x, 0, mend_lineage_size(n));
    x->n = n;
    x->radix = radix;
    x->longest = mend_lease_stretch(config->lease_ns, config->drift_ppm);
    x->now = now;
    for (int32_t i = 0; i < n; i++)
        x->node[i] = (struct mend_lineage_node){.parent = mend_lineage_parent(radix, i),
                                                .turn = {.incarnation = 1, .turn = 1}};
}

static void set_orphan(struct mend_lineage *x, struct mend_lineage_node *q, mend_time_ns end)
{
    x->orphans_n += (end > 0) - (q->orphan_end > 0);
    q->orphan_end = end;
}

static void declare(struct mend_lineage *x, int32_t i, struct mend_lineage_out *out)
{
    struct mend_lineage_node *q = &x->node[i];

    set_orphan(x, q, 0);
    q->declared = q->due = true;
    x->due_at = x->due_n++ && x->due_at < i ? x->due_at : i;
    out->lost_n++;
}

static bool has_lost_its_parent(const struct mend_lineage *x, const struct mend_lineage_node *q)
{
    return !q->declared && !q->orphan_end && q->parent >= 0 && x->node[q->parent].declared;
}

/* All below those that were declared in this step, the first of which is `first`. */
static void declare_below(struct mend_lineage *x, int32_t first, struct mend_lineage_out *out)
{
    for (int32_t i = first + 1; i < x->n; i++) {
        struct mend_lineage_node *q = &x->node[i];

        if (!has_lost_its_parent(x, q))
            continue;
        if (q->free_at > x->now)
            set_orphan(x, q, q->free_at);
        else
            declare(x, i, out);
    }
}

static bool is_named(const struct mend_lineage *x, const struct mend_lineage_event *ev)
{
    return ev->node > 0 && ev->node < x->n &&
           (ev->kind == MEND_LINEAGE_EV_GONE ||
            mend_lineage_is_ancestor(x->radix, ev->by, ev->node));
}

/* One that knocks at several is adopted by the last of them. */
static void on_adopt(struct mend_lineage *x, const struct mend_lineage_event *ev,
                     struct mend_lineage_out *out)
{
    struct mend_lineage_node *q = &x->node[ev->node];

    if (ev->turn.incarnation < q->turn.incarnation ||
        (ev->turn.incarnation == q->turn.incarnation && q->declared)) {
        out->answer = MEND_LINEAGE_DECLARED;
        return;
    }
    if (ev->turn.incarnation > q->turn.incarnation || ev->turn.turn <= q->turn.turn ||
        x->node[ev->by].declared)
        return;
    set_orphan(x, q, 0);
    q->parent = ev->by;
    q->turn = ev->turn;
    q->free_at = x->now + x->longest;
    out->answer = MEND_LINEAGE_ADOPTED;
}

static void on_lost(struct mend_lineage *x, const struct mend_lineage_event *ev,
                    struct mend_lineage_out *out)
{
    const struct mend_lineage_node *q = &x->node[ev->node];

    if (q->declared || q->parent != ev->by || ev->turn.incarnation != q->turn.incarnation ||
        ev->turn.turn != q->turn.turn)
        return;
    declare(x, ev->node, out);
    declare_below(x, ev->node, out);
}

static void on_gone(struct mend_lineage *x, const struct mend_lineage_event *ev,
                    struct mend_lineage_out *out)
{
    const struct mend_lineage_node *q = &x->node[ev->node];

    if (q->declared || ev->turn.incarnation != q->turn.incarnation)
        return;
    declare(x, ev->node, out);
    for (int32_t i = ev->node + 1; i < x->n; i++)
        if (has_lost_its_parent(x, &x->node[i]))
            set_orphan(x, &x->node[i], x->now + x->longest);
}

static void on_started(struct mend_lineage *x, const struct mend_lineage_event *ev)
{
    struct mend_lineage_node *q = &x->node[ev->node];

    MEND_ASSERT(q->declared && !x->node[ev->by].declared);
    *q = (struct mend_lineage_node){.parent = ev->by,
                                    .turn = {.incarnation = q->turn.incarnation + 1, .turn = 1}};
    MEND_ASSERT(ev->turn.incarnation == q->turn.incarnation);
}

static void look_at_time(struct mend_lineage *x, struct mend_lineage_out *out)
{
    int32_t first = x->n;

    for (int32_t i = x->n - 1; x->orphans_n && i > 0; i--)
        if (x->node[i].orphan_end && x->node[i].orphan_end <= x->now) {
            declare(x, i, out);
            first = i;
        }
    declare_below(x, first, out);
}

static mend_time_ns first_end(const struct mend_lineage *x)
{
    mend_time_ns end = MEND_TIME_NEVER;

    for (int32_t i = 1; x->orphans_n && i < x->n; i++)
        if (x->node[i].orphan_end && x->node[i].orphan_end < end)
            end = x->node[i].orphan_end;
    return end;
}

void mend_lineage_step(struct mend_lineage *x, const struct mend_lineage_event *ev,
                       struct mend_lineage_out *out_p)
{
    *out_p = (struct mend_lineage_out){.answer = MEND_LINEAGE_NO_ANSWER};
    MEND_ASSERT(ev->now >= x->now && x->due_n == 0);
    x->now = ev->now;
    look_at_time(x, out_p);
    if (ev->kind == MEND_LINEAGE_EV_ADOPT && is_named(x, ev))
        on_adopt(x, ev, out_p);
    else if (ev->kind == MEND_LINEAGE_EV_LOST && is_named(x, ev))
        on_lost(x, ev, out_p);
    else if (ev->kind == MEND_LINEAGE_EV_GONE && is_named(x, ev))
        on_gone(x, ev, out_p);
    else if (ev->kind == MEND_LINEAGE_EV_STARTED)
        on_started(x, ev);
    out_p->wake_at = first_end(x);
}

bool mend_lineage_lost(struct mend_lineage *x, int32_t *node_p)
{
    if (x->due_n == 0)
        return false;
    while (!x->node[x->due_at].due)
        x->due_at++;
    x->node[x->due_at].due = false;
    x->due_n--;
    *node_p = x->due_at++;
    return true;
}

void mend_lineage_check(const struct mend_lineage *x)
{
    int32_t orphans_n = 0;

    for (int32_t i = 0; i < x->n; i++) {
        const struct mend_lineage_node *q = &x->node[i];

        MEND_ASSERT(q->parent < i && (q->parent >= 0) == (i > 0) && q->turn.turn > 0);
        MEND_ASSERT(!q->orphan_end || !q->declared);
        MEND_ASSERT(q->declared || q->parent < 0 || !x->node[q->parent].declared || q->orphan_end);
        orphans_n += q->orphan_end > 0;
    }
    MEND_ASSERT(orphans_n == x->orphans_n && !x->node[0].declared);
}
