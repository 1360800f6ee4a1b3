/* SPDX-License-Identifier: BSD-3-Clause */
/* iof_report.c – a report with which a rank ends (gather.h) is held for GATHER_NS, or until the job ends, or its rank
 * writes something else, and is then written as one with the equal ones of other ranks.  Our own messages
 * wait behind it.  One about a rank comes after what that rank has written before. */
#include "ft/bits.h"
#include "output/gather.h"
#include "output/iof_parts.h"

#include <stdlib.h>
#include <string.h>

#define GATHER_NS (300 * MEND_NS_PER_MS)

size_t mend_iof_next_report(const struct stream *s)
{
    if (!s->reports || !s->len || s->sink->owner == s)
        return 0;
    return mend_gather_len(s->buf, s->len, s->rank);
}

size_t mend_iof_before_report(const struct stream *s)
{
    const char *at = s->buf, *end = s->buf + s->len, *line;

    while (s->reports && (line = memmem(at, (size_t)(end - at), "\n" MEND_GATHER_HEAD,
                                        strlen("\n" MEND_GATHER_HEAD))) != NULL) {
        at = line + 1;
        if (mend_gather_len(at, (size_t)(end - at), s->rank))
            return (size_t)(at - s->buf);
    }
    return s->len;
}

bool mend_iof_holds(struct mend_iof *f, const struct stream *s, size_t report, mend_time_ns now)
{
    if (f->streams_n < 4 || s->len > report || s->sink->closed || f->reports == REPORTS_RELEASED)
        return false;
    if (f->release_ns == MEND_TIME_NEVER)
        f->release_ns = now + GATHER_NS;
    return f->reports == REPORTS_HELD || now < f->release_ns;
}

/* What the rank of a report has written to its standard output comes first, if that goes to the same place. */
static void take_output(struct mend_iof *f, const struct stream *s, mend_time_ns now)
{
    struct stream *output = &f->stream[2 * s->rank];

    if (output != s && output->sink == s->sink)
        mend_iof_take(f, output, now);
}

/* Takes the equal reports out of the other streams, and adds their ranks and hosts to the sets. */
static void collect(struct mend_iof *f, const struct stream *s, size_t report, uint64_t *set,
                    struct mend_gather_hosts *hosts, mend_time_ns now)
{
    for (int i = 0; i < f->streams_n; i++) {
        struct stream *t = &f->stream[i];
        size_t len = t != s && t->sink == s->sink ? mend_iof_next_report(t) : 0;

        if (!len || !mend_gather_equal(s->buf, report, t->buf, len))
            continue;
        mend_bits_set(set, t->rank);
        mend_gather_host(hosts, t->buf, len);
        take_output(f, t, now);
        mend_iof_drop_head(t, len);
    }
}

void mend_iof_write_report(struct mend_iof *f, struct stream *s, size_t report, mend_time_ns now)
{
    uint64_t *set = mend_xalloc(mend_bits_words(f->n), sizeof(*set));
    char *text = mend_xalloc(report + MEND_GATHER_MORE, 1);
    struct mend_gather_hosts hosts = {0};

    mend_bits_set(set, s->rank);
    mend_gather_host(&hosts, s->buf, report);
    take_output(f, s, now);
    collect(f, s, report, set, &hosts, now);
    mend_iof_break_line(s->sink);
    mend_iof_write_text(
        s, text, mend_gather_text(s->buf, report, set, (int)f->streams_n / 2, &hosts, text), now);
    mend_iof_drop_head(s, report);
    free(text);
    free(set);
}

void mend_iof_release_messages(struct mend_iof *f, mend_time_ns now)
{
    if (f->release_ns == MEND_TIME_NEVER)
        return;
    for (int i = 0; i < f->streams_n; i++)
        if (mend_iof_next_report(&f->stream[i]))
            return;
    f->release_ns = MEND_TIME_NEVER;
    if (!f->later_len)
        return;
    mend_iof_break_line(f->err);
    mend_iof_sink_write(f->err, f->later, f->later_len, NULL, now);
    f->later_len = 0;
}
