/* SPDX-License-Identifier: BSD-3-Clause */
/* detector_sm.c – the rules of detection; see detector_sm.h. */
#include "ft/detector_sm.h"

#include <string.h>

#define SIGNAL_KILL      9 /* SIGKILL, without <signal.h>: the protocols include no system header */
#define SLICES_PER_LIMIT 8

size_t mend_detector_size(int32_t n)
{
    return sizeof(struct mend_detector) + (size_t)n * sizeof(struct mend_detector_peer);
}

void mend_detector_init(struct mend_detector *x, int32_t n,
                        const struct mend_detector_config *config, mend_time_ns now)
{
    MEND_ASSERT(n >= 0 && config->stop_ns > 0 && config->kill_ns > 0 && config->hold_ns > 0 &&
                config->undying_ns > 0);
    memset(x, 0, mend_detector_size(n));
    x->first = x->last = -1;
    x->now = now;
    x->config = *config;
    while (x->n < n)
        mend_detector_add(x);
}

void mend_detector_add(struct mend_detector *x)
{
    x->peer[x->n++] =
        (struct mend_detector_peer){.next = -1, .abort = -1, .patience = x->config.stop_ns};
}

static bool waiting(int state)
{
    return state == MEND_DETECTOR_SUSPECTED || state == MEND_DETECTOR_KILLING ||
           state == MEND_DETECTOR_LINGERING;
}

/* It has said that it is finalized. */
static bool has_left(int state)
{
    return state == MEND_DETECTOR_FINALIZED || state == MEND_DETECTOR_LINGERING ||
           state == MEND_DETECTOR_ENDED;
}

/* The only writer of a state; refuses edges that the picture does not have (invariants 1, 3). */
static void become(struct mend_detector *x, int32_t p, enum mend_detector_state to)
{
    enum {
        R = 1 << MEND_DETECTOR_RUNNING,
        S = 1 << MEND_DETECTOR_SUSPECTED,
        K = 1 << MEND_DETECTOR_KILLING,
        H = 1 << MEND_DETECTOR_HELD,
        F = 1 << MEND_DETECTOR_FINALIZED,
        L = 1 << MEND_DETECTOR_LINGERING,
        D = 1 << MEND_DETECTOR_DEAD,
        E = 1 << MEND_DETECTOR_ENDED
    };
    static const uint8_t edges[] = {
        [MEND_DETECTOR_RUNNING] = S | K | F | D,
        [MEND_DETECTOR_SUSPECTED] = R | K | L | D,
        [MEND_DETECTOR_KILLING] = H | F | D,
        [MEND_DETECTOR_HELD] = D,
        [MEND_DETECTOR_FINALIZED] = R | L | E,
        [MEND_DETECTOR_LINGERING] = S | F | E,
        [MEND_DETECTOR_DEAD] = 0,
        [MEND_DETECTOR_ENDED] = 0,
    };
    struct mend_detector_peer *q = &x->peer[p];

    MEND_ASSERT(edges[q->state] >> to & 1);
    x->nwaiting += waiting((int)to) - waiting(q->state);
    q->waited = 0;
    q->state = (uint8_t)to;
}

static void emit(struct mend_detector *x, int32_t p, enum mend_detector_action_kind kind)
{
    struct mend_detector_peer *q = &x->peer[p];

    if (q->due == 0) {
        q->next = -1;
        if (x->first < 0)
            x->first = p;
        else
            x->peer[x->last].next = p;
        x->last = p;
    }
    q->due |= (uint8_t)(1 << kind);
}

/* Its end is decided, for this reason; the verdict waits for the certainty. */
static void condemn(struct mend_detector *x, int32_t p, enum mend_verdict_cause cause, int32_t code)
{
    become(x, p, MEND_DETECTOR_KILLING);
    x->peer[p].cause = (int32_t)cause;
    x->peer[p].code = code;
    emit(x, p, MEND_DETECTOR_KILL);
}

static void declare(struct mend_detector *x, int32_t p)
{
    become(x, p, MEND_DETECTOR_DEAD);
    emit(x, p, MEND_DETECTOR_DECLARE);
}

/* The dead of an abort wait no longer for the others of it. */
static void declare_held(struct mend_detector *x, int32_t abort)
{
    for (int32_t p = 0; p < x->n; p++)
        if (x->peer[p].state == MEND_DETECTOR_HELD && x->peer[p].abort == abort)
            declare(x, p);
}

/* One that was killed is not waited for any more.  True if others of its abort are. */
static bool leave_abort(struct mend_detector *x, int32_t p)
{
    struct mend_detector_peer *q = &x->peer[p];

    if (q->state != MEND_DETECTOR_KILLING || q->abort < 0)
        return false;
    if (--x->peer[q->abort].left > 0)
        return true;
    declare_held(x, q->abort);
    return false;
}

/* It does not run any more. */
static void on_certain(struct mend_detector *x, int32_t p)
{
    struct mend_detector_peer *q = &x->peer[p];

    if (q->state == MEND_DETECTOR_HELD || q->state == MEND_DETECTOR_DEAD ||
        q->state == MEND_DETECTOR_ENDED)
        return;
    q->when = x->now;
    if (has_left(q->state)) {
        become(x, p, MEND_DETECTOR_ENDED);
        emit(x, p, MEND_DETECTOR_END);
    } else if (leave_abort(x, p)) {
        become(x, p, MEND_DETECTOR_HELD);
    } else {
        declare(x, p);
    }
}

/* The life word says that the main thread, or the process image, is gone.  Should other threads go on, by
 * pthread_exit of the main thread or because the kill of all reaches them later, the kill makes it true. */
static void on_life(struct mend_detector *x, int32_t p, bool others)
{
    struct mend_detector_peer *q = &x->peer[p];

    if (q->state == MEND_DETECTOR_RUNNING || q->state == MEND_DETECTOR_SUSPECTED)
        condemn(x, p, MEND_VERDICT_UNKNOWN, 0);
    if (!others || has_left(q->state))
        on_certain(x, p);
}

/* It is dead for a reason that we know better than waitpid.  One that was suspected was dying anyway. */
static bool is_ours(const struct mend_detector_peer *q, bool signaled, int32_t code)
{
    bool killed = q->state == MEND_DETECTOR_KILLING || q->state == MEND_DETECTOR_HELD ||
                  q->state == MEND_DETECTOR_DEAD;

    return killed && (q->cause == MEND_VERDICT_ABORT ||
                      (q->cause == MEND_VERDICT_STOPPED && signaled && code == SIGNAL_KILL));
}

/* waitpid tells the reason.  It is ours if we killed and the signal is that of our kill. */
static void on_exited(struct mend_detector *x, int32_t p, bool signaled, int32_t code)
{
    struct mend_detector_peer *q = &x->peer[p];
    bool declared = q->state == MEND_DETECTOR_DEAD;

    if (q->reaped)
        return;
    q->reaped = true;
    if (has_left(q->state)) {
        on_certain(x, p);
        return;
    }
    if (!is_ours(q, signaled, code)) {
        q->cause = signaled ? MEND_VERDICT_SIGNAL : MEND_VERDICT_EXIT;
        q->code = code;
        if (declared)
            emit(x, p, MEND_DETECTOR_EXPLAIN);
    }
    on_certain(x, p);
}

static void on_stopped(struct mend_detector *x, int32_t p)
{
    if (x->peer[p].state == MEND_DETECTOR_RUNNING)
        become(x, p, MEND_DETECTOR_SUSPECTED);
    else if (x->peer[p].state == MEND_DETECTOR_FINALIZED)
        become(x, p, MEND_DETECTOR_LINGERING);
}

static void on_resumed(struct mend_detector *x, int32_t p)
{
    struct mend_detector_peer *q = &x->peer[p];
    mend_time_ns twice = 2 * q->waited;

    if (q->state == MEND_DETECTOR_LINGERING)
        become(x, p, MEND_DETECTOR_FINALIZED);
    if (q->state != MEND_DETECTOR_SUSPECTED)
        return;
    if (twice > x->config.stop_max_ns)
        twice = x->config.stop_max_ns;
    if (q->patience < twice)
        q->patience = twice;
    become(x, p, MEND_DETECTOR_RUNNING);
    emit(x, p, MEND_DETECTOR_CLEAR);
}

/* The word of a rank proves nothing: its own memory may be what is damaged. */
static void on_suspect(struct mend_detector *x, int32_t p, int32_t by, bool ending)
{
    int state = x->peer[p].state;

    if (ending && (state == MEND_DETECTOR_RUNNING || state == MEND_DETECTOR_SUSPECTED))
        condemn(x, p, MEND_VERDICT_SUSPECTED, by);
}

/* One that is killed, or held, belongs to an abort from now on, together with all of the one to which it
 * belongs already.  *abort_p: its name, -1 if it has none yet. */
static void join_abort(struct mend_detector *x, int32_t p, int32_t *abort_p)
{
    int32_t before = x->peer[p].abort;

    if (*abort_p < 0)
        *abort_p = before < 0 ? p : before;
    if (before == *abort_p)
        return;
    if (before < 0) {
        x->peer[p].abort = *abort_p;
        x->peer[*abort_p].left++;
        return;
    }
    for (int32_t r = 0; r < x->n; r++)
        if (x->peer[r].abort == before)
            x->peer[r].abort = *abort_p;
    x->peer[*abort_p].left += x->peer[before].left;
    x->peer[before].left = 0;
}

static void on_abort(struct mend_detector *x, const struct mend_detector_event *ev)
{
    int32_t abort = -1;

    for (int32_t i = 0; i < ev->npeers; i++) {
        int32_t p = ev->peers[i];
        struct mend_detector_peer *q = &x->peer[p];

        MEND_ASSERT(0 <= p && p < x->n);
        if (q->state == MEND_DETECTOR_RUNNING || q->state == MEND_DETECTOR_SUSPECTED)
            condemn(x, p, MEND_VERDICT_ABORT, ev->code);
        else if (has_left(q->state) && q->state != MEND_DETECTOR_ENDED)
            emit(x, p, MEND_DETECTOR_KILL); /* it has left, so it will have ended, not failed */
        if (q->state == MEND_DETECTOR_KILLING || q->state == MEND_DETECTOR_HELD)
            join_abort(x, p, &abort);
    }
}

static void on_finalized(struct mend_detector *x, int32_t p)
{
    int state = x->peer[p].state;

    if (state == MEND_DETECTOR_SUSPECTED) {
        become(x, p, MEND_DETECTOR_LINGERING);
    } else if (state == MEND_DETECTOR_RUNNING || state == MEND_DETECTOR_KILLING) {
        leave_abort(x, p);
        become(x, p, MEND_DETECTOR_FINALIZED);
    }
}

static void on_returned(struct mend_detector *x, int32_t p)
{
    if (x->peer[p].state == MEND_DETECTOR_FINALIZED)
        become(x, p, MEND_DETECTOR_RUNNING);
    else if (x->peer[p].state == MEND_DETECTOR_LINGERING)
        become(x, p, MEND_DETECTOR_SUSPECTED);
}

static mend_time_ns slice(const struct mend_detector *x)
{
    mend_time_ns limit =
        x->config.stop_ns < x->config.kill_ns ? x->config.stop_ns : x->config.kill_ns;

    limit = x->config.hold_ns < limit ? x->config.hold_ns : limit;
    limit = x->config.undying_ns < limit ? x->config.undying_ns : limit;
    return limit / SLICES_PER_LIMIT + 1;
}

/* It was killed; what is to be done after such a time. */
static void on_time_killing(struct mend_detector *x, int32_t p, mend_time_ns before)
{
    struct mend_detector_peer *q = &x->peer[p];

    if (q->pending && q->waited - q->since >= x->config.undying_ns) {
        on_certain(x, p);
        return;
    }
    if (q->waited / x->config.kill_ns != before / x->config.kill_ns)
        emit(x, p, MEND_DETECTOR_KILL);
    if (q->abort >= 0 && q->waited / x->config.hold_ns != before / x->config.hold_ns)
        declare_held(x, q->abort);
}

static void on_patience_over(struct mend_detector *x, int32_t p)
{
    if (x->peer[p].state == MEND_DETECTOR_SUSPECTED) {
        condemn(x, p, MEND_VERDICT_STOPPED, 0);
        return;
    }
    x->peer[p].waited = 0;
    emit(x, p, MEND_DETECTOR_KILL);
}

/* Lets time pass for the processes that are waited for; a gap in the agent's own running counts only a little. */
static void on_time(struct mend_detector *x, mend_time_ns now)
{
    mend_time_ns passed = now - x->now;

    MEND_ASSERT(now >= x->now);
    x->now = now;
    if (passed > 2 * slice(x))
        passed = 2 * slice(x);
    for (int32_t p = 0, left = x->nwaiting; left > 0 && p < x->n; p++) {
        struct mend_detector_peer *q = &x->peer[p];

        if (!waiting(q->state))
            continue;
        left--;
        q->waited += passed;
        if (q->state == MEND_DETECTOR_KILLING)
            on_time_killing(x, p, q->waited - passed);
        else if (q->waited >= q->patience)
            on_patience_over(x, p);
    }
}

void mend_detector_step(struct mend_detector *x, const struct mend_detector_event *ev,
                        mend_time_ns *wake_at_p)
{
    MEND_ASSERT(x->first < 0);
    on_time(x, ev->now);
    if (ev->kind != MEND_DETECTOR_EV_TICK && ev->kind != MEND_DETECTOR_EV_ABORT)
        MEND_ASSERT(0 <= ev->peer && ev->peer < x->n);
    switch (ev->kind) {
    case MEND_DETECTOR_EV_TICK:
        break;
    case MEND_DETECTOR_EV_LIFE:
        on_life(x, ev->peer, ev->others);
        break;
    case MEND_DETECTOR_EV_EXITED:
        on_exited(x, ev->peer, ev->signaled, ev->code);
        break;
    case MEND_DETECTOR_EV_CONFIRMED:
        on_certain(x, ev->peer);
        break;
    case MEND_DETECTOR_EV_STOPPED:
        on_stopped(x, ev->peer);
        break;
    case MEND_DETECTOR_EV_RESUMED:
        on_resumed(x, ev->peer);
        break;
    case MEND_DETECTOR_EV_SUSPECT:
        on_suspect(x, ev->peer, ev->code, ev->ending);
        break;
    case MEND_DETECTOR_EV_ABORT:
        on_abort(x, ev);
        break;
    case MEND_DETECTOR_EV_FINALIZED:
        on_finalized(x, ev->peer);
        break;
    case MEND_DETECTOR_EV_RETURNED:
        on_returned(x, ev->peer);
        break;
    }
    *wake_at_p = x->nwaiting ? x->now + slice(x) : MEND_TIME_NEVER;
}

void mend_detector_delivered(struct mend_detector *x, int32_t peer)
{
    struct mend_detector_peer *q = &x->peer[peer];

    if (!q->pending)
        q->since = q->waited;
    q->pending = true;
}

bool mend_detector_next(struct mend_detector *x, struct mend_detector_action *action_p)
{
    int32_t p = x->first;
    struct mend_detector_peer *q;

    if (p < 0)
        return false;
    q = &x->peer[p];
    action_p->kind = (enum mend_detector_action_kind)__builtin_ctz(q->due);
    action_p->verdict = (struct mend_verdict){p, q->cause, q->code, q->when, false};
    q->due &= (uint8_t)(q->due - 1);
    if (q->due == 0) {
        x->first = q->next;
        q->next = -1;
        if (x->first < 0)
            x->last = -1;
    }
    return true;
}

void mend_detector_check(const struct mend_detector *x)
{
    int32_t nwaiting = 0, in_aborts = 0;

    for (int32_t p = 0; p < x->n; p++) {
        const struct mend_detector_peer *q = &x->peer[p];

        nwaiting += waiting(q->state);
        in_aborts += (q->state == MEND_DETECTOR_KILLING && q->abort >= 0) - q->left;
        MEND_ASSERT(q->state != MEND_DETECTOR_HELD || x->peer[q->abort].left > 0);
        MEND_ASSERT(q->state <= MEND_DETECTOR_ENDED && q->cause < MEND_VERDICT_CAUSES);
        MEND_ASSERT(!(q->due >> MEND_DETECTOR_DECLARE & 1) || q->state == MEND_DETECTOR_DEAD);
        MEND_ASSERT(q->patience >= x->config.stop_ns);
    }
    MEND_ASSERT(nwaiting == x->nwaiting && !in_aborts);
}
