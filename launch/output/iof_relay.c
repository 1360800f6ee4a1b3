/* SPDX-License-Identifier: BSD-3-Clause */
/* iof_relay.c – what the ranks of another node write: from the agent there to the root, which writes it.
 *
 *   rank ──pipe──> buffer of the agent ──OUTPUT: host, bytes──> buffer of the root ──whole lines──> sink
 *                                      <──WRITTEN: so many──────
 *
 * The agent passes bytes on as they come; lines, tags, files and reports are the root's business.  Of each stream at most a buffer is on
 * the way, as much as a pipe takes: so a root whose own output is stuck stops the ranks, and not their deaths.  Where the root's
 * reader has gone, WRITTEN says -1, and the rank gets SIGPIPE. */
#include "output/iof_parts.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ---- at the agent ---- */

static void tell(struct mend_iof *f, const struct stream *s, enum mend_output_step step,
                 const char *data, size_t len)
{
    mend_post(f->relay, &(struct mend_message){.kind = MEND_UP_OUTPUT,
                                               .rank = s->rank,
                                               .arg = {s->error, step},
                                               .data = data,
                                               .len = (uint32_t)len});
}

void mend_iof_relay_open(struct mend_iof *f, struct stream *s)
{
    char host[HOST_NAME_MAX + 1] = "";

    gethostname(host, sizeof(host) - 1);
    s->relayed = true;
    tell(f, s, MEND_OUTPUT_OPEN, host, strlen(host));
}

void mend_iof_relay_stream(struct mend_iof *f, struct stream *s)
{
    size_t room = BUFFER_BYTES - s->sent, len = s->len < room ? s->len : room;

    if (len) {
        tell(f, s, MEND_OUTPUT_BYTES, s->buf, len);
        s->sent += len;
        mend_iof_drop_head(s, len);
    }
    if (s->fd >= 0 || s->len || !s->relayed)
        return;
    s->relayed = false;
    tell(f, s, MEND_OUTPUT_END, NULL, 0);
}

void mend_iof_relay_rank(struct mend_iof *f, int rank)
{
    if (!f->relay) /* the thread may hold the lock in a write that lasts */
        return;
    pthread_mutex_lock(&f->lock);
    mend_iof_take_news(f);
    for (int i = 2 * rank; i < 2 * rank + 2 && i < f->streams_n; i++)
        mend_iof_take(f, &f->stream[i], mend_time_monotonic_ns());
    pthread_mutex_unlock(&f->lock);
}

static struct stream *stream_of(struct mend_iof *f, const struct mend_message *m)
{
    bool known = m->rank >= 0 && m->rank < f->n && (m->arg[0] == 0 || m->arg[0] == 1);

    return known ? &f->stream[2 * m->rank + m->arg[0]] : NULL;
}

void mend_iof_written(struct mend_iof *f, const struct mend_message *m)
{
    struct stream *s = stream_of(f, m);

    if (!s)
        return;
    pthread_mutex_lock(&f->lock);
    if (m->arg[1] < 0)
        mend_iof_close_stream(s);
    else
        s->sent -= (size_t)m->arg[1] < s->sent ? (size_t)m->arg[1] : s->sent;
    pthread_mutex_unlock(&f->lock);
    mend_iof_wake(f);
}

static bool has_bytes(const struct stream *s)
{
    int bytes = 0;

    return s->len || (s->fd >= 0 && ioctl(s->fd, FIONREAD, &bytes) == 0 && bytes > 0);
}

/* The thread may be stuck in a write, with the lock: then there is something. */
bool mend_iof_is_empty(struct mend_iof *f)
{
    bool empty;

    pthread_mutex_lock(&f->news_lock);
    empty = !f->news;
    pthread_mutex_unlock(&f->news_lock);
    if (!empty || pthread_mutex_trylock(&f->lock) != 0)
        return false;
    for (int i = 0; i < f->streams_n; i++)
        empty &= !has_bytes(&f->stream[i]);
    pthread_mutex_unlock(&f->lock);
    return empty;
}

/* ---- at the root ---- */

/* The message says on which host the rank is. */
static struct sink *sink_at(struct mend_iof *f, const struct mend_message *m)
{
    char *host = mend_xprintf("%.*s", (int)m->len, m->data ? m->data : "");
    struct sink *sink = mend_iof_sink_of(f, m->rank, m->arg[0], host);

    free(host);
    return sink;
}

bool mend_iof_feed(struct mend_iof *f, const struct mend_message *m, const struct mend_post *agent)
{
    struct stream *s = stream_of(f, m);
    bool opens = m->arg[1] == MEND_OUTPUT_OPEN;
    struct sink *sink = s && opens ? sink_at(f, m) : NULL;
    struct mend_iof_news *n;

    if (!s || (opens && !sink))
        return false;
    n = mend_iof_news(s, m->rank, m->arg[0], (enum mend_output_step)m->arg[1], opens ? 0 : m->len);
    n->agent = agent;
    n->sink = sink;
    memcpy(n->data, m->data, opens ? 0 : m->len);
    mend_iof_add_news(f, n);
    mend_iof_wake(f);
    return true;
}

void mend_iof_end_fed(struct mend_iof *f, const struct mend_post *agent)
{
    struct mend_iof_news *n = mend_iof_news(NULL, -1, false, MEND_OUTPUT_END, 0);

    n->agent = agent;
    mend_iof_add_news(f, n);
    mend_iof_input_end(f, agent);
    mend_iof_wake(f);
}

void mend_iof_say_written(const struct stream *s, int64_t bytes)
{
    mend_post(s->agent, &(struct mend_message){
                            .kind = MEND_DOWN_WRITTEN, .rank = s->rank, .arg = {s->error, bytes}});
}
