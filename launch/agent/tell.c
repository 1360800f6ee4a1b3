/* SPDX-License-Identifier: BSD-3-Clause */
/* tell.c – what the agent tells the root: lines for the user and the report, deaths, ends.
 *
 * Times are those since the agent's start, for no two nodes have the same clock. */
#include "agent/tell.h"

#include "agent/course.h"
#include "agent/verdict.h"
#include "base/time.h"
#include "node/log.h"
#include "output/iof.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CAUSE_WAIT_NS (2 * MEND_NS_PER_S)
#define COUNT_SHARE   20 /* one part of our time goes into counting survivors */

void mend_tell(const struct mend_tell *tell, const struct mend_message *m)
{
    if (m->rank >= 0 &&
        (m->kind == MEND_UP_SAY || m->kind == MEND_UP_DEATH || m->kind == MEND_UP_ABORT))
        mend_iof_relay_rank(tell->iof, m->rank);
    mend_post(&tell->root, m);
}

static void say_line(const struct mend_tell *tell, int rank, const char *format, va_list args)
{
    char line[1024];
    int n = vsnprintf(line, sizeof(line) - 1, format, args);

    if (n < 0)
        return;
    if ((size_t)n > sizeof(line) - 2)
        n = sizeof(line) - 2;
    line[n++] = '\n';
    mend_tell(tell, &(struct mend_message){
                        .kind = MEND_UP_SAY, .rank = rank, .data = line, .len = (uint32_t)n});
}

void mend_say(const struct mend_tell *tell, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say_line(tell, -1, format, args);
    va_end(args);
}

void mend_say_of(const struct mend_tell *tell, const struct rank *r, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say_line(tell, r->index, format, args);
    va_end(args);
}

void mend_tell_started(const struct mend_tell *tell, bool started, const char *host)
{
    mend_tell(tell, &(struct mend_message){.kind = MEND_UP_STARTED,
                                           .rank = -1,
                                           .arg = {started},
                                           .data = host,
                                           .len = (uint32_t)strlen(host)});
}

void mend_tell_names(const struct mend_tell *tell, int end)
{
    mend_tell(tell, &(struct mend_message){.kind = MEND_UP_NAMES, .rank = -1, .arg = {end}});
}

static int64_t since_start(const struct mend_tell *tell, mend_time_ns when)
{
    return (int64_t)(when - tell->start_ns);
}

void mend_tell_line(const struct mend_tell *tell, mend_time_ns when, const char *text)
{
    mend_tell(tell, &(struct mend_message){.kind = MEND_UP_LINE,
                                           .rank = -1,
                                           .arg = {since_start(tell, when)},
                                           .data = text,
                                           .len = (uint32_t)strlen(text)});
}

void mend_tell_text(const struct mend_tell *tell, int rank, const char *text, size_t len)
{
    mend_tell(tell, &(struct mend_message){
                        .kind = MEND_UP_TEXT, .rank = rank, .data = text, .len = (uint32_t)len});
}

void mend_tell_injected(const struct mend_tell *tell, const struct rank *r, int number)
{
    mend_tell(tell,
              &(struct mend_message){.kind = MEND_UP_HAPPENED, .rank = r->index, .arg = {number}});
}

void mend_tell_wait(const struct mend_tell *tell, int64_t question, const struct rank *r,
                    const char *host, const char *what)
{
    char text[MEND_NODE_WAIT_BYTES + MEND_NODE_HOST_BYTES + 32];
    int n = snprintf(text, sizeof(text), "(pid %d%s%s): %s", mend_rank_named(r),
                     *host ? ", host " : "", host, what);

    mend_tell(tell, &(struct mend_message){.kind = MEND_UP_WAIT,
                                           .rank = r->index,
                                           .arg = {question},
                                           .data = text,
                                           .len = (uint32_t)n});
}

void mend_tell_call(const struct mend_tell *tell, int64_t question, const struct rank *r,
                    const struct mend_node_call *call)
{
    mend_tell(tell, &(struct mend_message){.kind = MEND_UP_CALL,
                                           .rank = r->index,
                                           .arg = {question},
                                           .data = (const char *)call,
                                           .len = sizeof(*call)});
}

void mend_tell_answered(const struct mend_tell *tell, int64_t question)
{
    mend_tell(tell,
              &(struct mend_message){.kind = MEND_UP_ANSWERED, .rank = -1, .arg = {question}});
}

void mend_tell_blocked(const struct mend_tell *tell, int64_t question, int injection, bool wait)
{
    mend_tell(tell, &(struct mend_message){
                        .kind = MEND_UP_BLOCKED, .rank = -1, .arg = {injection, question, wait}});
}

void mend_tell_whole_abort(const struct mend_tell *tell, const struct rank *r,
                           struct mend_abort what)
{
    mend_tell(tell, &(struct mend_message){
                        .kind = MEND_UP_ABORT, .rank = r->index, .arg = {what.code, what.follows}});
}

/* ---- deaths ---- */

/* The kernel is asked about each, so with thousands of ranks deaths are told of together, after a while. */
static int count_living(struct mend_tell *tell, struct mend_verdicts *verdicts)
{
    mend_time_ns begin = mend_time_monotonic_ns();
    int n = 0;

    for (int i = 0; i < verdicts->ranks->n; i++)
        n += mend_rank_is_ours(&verdicts->ranks->rank[i]) &&
             mend_rank_goes_on(verdicts, &verdicts->ranks->rank[i]);
    tell->count_next_ns = begin + (mend_time_monotonic_ns() - begin) * COUNT_SHARE;
    return n;
}

/* A rank that never called MPI_Init and exited is dead for the others, but nobody wants to read it.
 */
static bool worth_a_line(const struct mend_ranks *ranks, const struct rank *r)
{
    enum mend_presence presence = mend_rank_presence(ranks, r->index);

    return presence == MEND_PRESENCE_AWAY
               ? r->verdict.cause == MEND_VERDICT_SIGNAL
               : presence != MEND_PRESENCE_NONE || r->verdict.cause != MEND_VERDICT_EXIT;
}

static bool is_read(const struct mend_tell *tell, const struct mend_course *course)
{
    return !tell->quiet && !course->signaled && !course->killing && !course->aborted;
}

/* living_p: how many go on, -1: not counted yet. */
static void tell_death(struct mend_tell *tell, struct mend_verdicts *verdicts,
                       const struct mend_course *course, const struct rank *r, int *living_p)
{
    bool silent = !is_read(tell, course);
    const char *how = r->how ? r->how : "";
    struct mend_message m = {.kind = MEND_UP_DEATH, .rank = r->index, .data = how};

    if (!silent && *living_p < 0)
        *living_p = count_living(tell, verdicts);
    m.len = (uint32_t)strlen(how);
    m.arg[MEND_DEATH_PID] = mend_rank_named(r);
    m.arg[MEND_DEATH_CAUSE] = r->verdict.cause;
    m.arg[MEND_DEATH_CODE] = r->verdict.code;
    m.arg[MEND_DEATH_WHEN_NS] = since_start(tell, r->verdict.when_ns);
    m.arg[MEND_DEATH_VERDICT_NS] = since_start(tell, r->verdict_ns);
    m.arg[MEND_DEATH_NUMBER] = verdicts->ranks->nodes.n ? (int64_t)r->end.order : r->verdict_k;
    m.arg[MEND_DEATH_LIVING] = *living_p;
    m.arg[MEND_DEATH_SILENT] = silent;
    mend_tell(tell, &m);
}

/* A copy of r under the lock, if its death is to be told of now, which counts as done. */
static bool ripe(struct mend_tell *tell, struct mend_ranks *ranks, struct rank *r, mend_time_ns now,
                 struct rank *copy_p)
{
    bool ripe = false;

    pthread_mutex_lock(&ranks->lock);
    if (r->state.news == MEND_NEWS_DEAD) {
        ripe = now >= r->verdict_ns + CAUSE_WAIT_NS || r->verdict.cause != MEND_VERDICT_UNKNOWN ||
               (mend_rank_has_ended(r) && r->state.ending != MEND_ENDING_HELD);
        tell->news_at = ripe ? tell->news_at : now + CAUSE_WAIT_NS / 4;
        *copy_p = *r;
        if (ripe)
            mend_rank_step(&r->state, MEND_RANK_PRINT);
    }
    pthread_mutex_unlock(&ranks->lock);
    return ripe;
}

/* A verdict is older than its reason (verdict.c), so the line waits for the reason, but not long.  All deaths
 * told of here are in the log before the survivors are counted, so one number is true for them. */
void mend_tell_deaths(struct mend_tell *tell, struct mend_verdicts *verdicts,
                      const struct mend_course *course)
{
    mend_time_ns now = mend_time_monotonic_ns();
    int living = -1;
    uint32_t deaths_n =
        mend_load_acquire(&verdicts->ranks->shm->deaths_n); /* pairs with publish() */

    tell->news_at = MEND_TIME_NEVER;
    if (now < tell->count_next_ns && verdicts->ranks->alive_n) {
        tell->news_at = tell->count_next_ns;
        return;
    }
    for (uint32_t k = 0; k < deaths_n; k++) {
        struct rank *r = &verdicts->ranks->rank[mend_node_death_of(verdicts->ranks->shm, k)->name];
        struct rank copy;

        if (!ripe(tell, verdicts->ranks, r, now, &copy))
            continue;
        if (worth_a_line(verdicts->ranks, &copy))
            tell_death(tell, verdicts, course, &copy, &living);
    }
}

void mend_tell_lost(const struct mend_tell *tell, struct mend_verdicts *verdicts,
                    const struct mend_verdict *v, uint32_t n)
{
    static const char seen_by[] = "node";

    for (uint32_t i = 0; i < n; i++) {
        struct mend_message m = {
            .kind = MEND_UP_DEATH, .rank = v[i].peer, .data = seen_by, .len = sizeof(seen_by) - 1};

        m.arg[MEND_DEATH_CAUSE] = MEND_VERDICT_LOST;
        m.arg[MEND_DEATH_WHEN_NS] = since_start(tell, v[i].when_ns);
        m.arg[MEND_DEATH_VERDICT_NS] = since_start(tell, mend_time_monotonic_ns());
        m.arg[MEND_DEATH_NUMBER] = mend_verdict_number(verdicts, v[i].peer);
        m.arg[MEND_DEATH_LIVING] = -1;
        m.arg[MEND_DEATH_SILENT] = true;
        mend_tell(tell, &m);
    }
}

/* ---- ends ---- */

static void tell_end(const struct mend_tell *tell, const struct rank *r)
{
    const struct mend_rank_end *e = &r->end;
    struct mend_message m = {.kind = MEND_UP_END, .rank = r->index};

    m.arg[MEND_END_REACH] = e->reach;
    m.arg[MEND_END_OUTCOME] = e->outcome;
    m.arg[MEND_END_FLAGS] = (e->named ? MEND_END_NAMED : 0) | (e->follows ? MEND_END_FOLLOWS : 0) |
                            (r->wrapped ? MEND_END_IN_SCRIPT : 0);
    m.arg[MEND_END_CODE] = e->code;
    m.arg[MEND_END_ORDER] = e->order;
    m.arg[MEND_END_EXITED] = r->exit.si_code == CLD_EXITED;
    m.arg[MEND_END_STATUS] = r->exit.si_status;
    mend_tell(tell, &m);
}

void mend_tell_ends(const struct mend_tell *tell, const struct mend_ranks *ranks,
                    struct mend_course *course)
{
    if (course->told_done)
        return;
    course->told_done = true;
    for (int i = 0; i < ranks->n; i++) {
        if (mend_load_relaxed(mend_node_handled_of(ranks->shm, i)))
            mend_tell(tell, &(struct mend_message){.kind = MEND_UP_HANDLED, .rank = i});
        if (mend_rank_is_ours(&ranks->rank[i]))
            tell_end(tell, &ranks->rank[i]);
    }
    mend_tell(tell, &(struct mend_message){.kind = MEND_UP_DONE, .rank = -1});
}
