/* SPDX-License-Identifier: BSD-3-Clause */
/* iof_news.c – what other threads have for a stream: its beginning, bytes from another node, its end.
 *
 * The thread may hold the lock in a write that lasts, as to a terminal that is stopped, and starting a rank or telling of a death
 * must not wait for that.  So other threads add to a list, which has a lock of its own, and what holds the streams' lock takes from it. */
#include "output/iof_parts.h"

#include <stdlib.h>

struct mend_iof_news *mend_iof_news(struct stream *s, int rank, bool error,
                                    enum mend_output_step step, size_t len)
{
    struct mend_iof_news *n = mend_xalloc(1, sizeof(*n) + len);

    *n = (struct mend_iof_news){
        .step = step, .stream = s, .rank = rank, .error = error, .fd = -1, .len = len};
    return n;
}

void mend_iof_add_news(struct mend_iof *f, struct mend_iof_news *n)
{
    pthread_mutex_lock(&f->news_lock);
    *(f->news_last ? &f->news_last->next : &f->news) = n;
    f->news_last = n;
    pthread_mutex_unlock(&f->news_lock);
}

static void end_all(struct mend_iof *f, const struct mend_post *agent)
{
    for (int i = 0; i < f->streams_n; i++)
        if (f->stream[i].agent == agent)
            f->stream[i].fed = false;
}

static void count_streams(struct mend_iof *f, int rank)
{
    for (int k = f->streams_n; k < 2 * rank + 2; k++)
        f->stream[k].fd = -1;
    if (f->streams_n < 2 * rank + 2)
        f->streams_n = 2 * rank + 2;
}

/* sink NULL: the rank has our descriptors. */
static void open_stream(struct mend_iof *f, const struct mend_iof_news *n)
{
    struct stream *s = n->stream;

    count_streams(f, n->rank);
    if (!n->sink)
        return;
    mend_iof_set_stream(f, s, n->rank, n->error, n->sink);
    s->fd = n->fd;
    s->fed = n->agent != NULL;
    s->agent = n->agent;
    if (f->relay)
        mend_iof_relay_open(f, s);
}

/* More than there is room for was not asked for: the stream is damaged, and ends. */
static void add_bytes(const struct mend_iof_news *n)
{
    struct stream *s = n->stream;

    if (n->len > BUFFER_BYTES - s->len)
        s->fed = false;
    if (s->fed)
        mend_iof_add(s, n->data, n->len, mend_time_monotonic_ns());
}

void mend_iof_take_news(struct mend_iof *f)
{
    struct mend_iof_news *n, *next;

    pthread_mutex_lock(&f->news_lock);
    n = f->news;
    f->news = f->news_last = NULL;
    pthread_mutex_unlock(&f->news_lock);
    for (; n; n = next) {
        next = n->next;
        if (!n->stream)
            end_all(f, n->agent);
        else if (n->step == MEND_OUTPUT_OPEN)
            open_stream(f, n);
        else if (n->step == MEND_OUTPUT_BYTES)
            add_bytes(n);
        else
            n->stream->fed = false;
        free(n);
    }
}
