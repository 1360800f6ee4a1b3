/* SPDX-License-Identifier: BSD-3-Clause */
/* log_wire.c – encoding and decoding of the log's messages; see log_wire.h for the layout. */
#include "ft/log_wire.h"

#include "base/bytes.h"

#include <string.h>

#define HEAD_BYTES 14 /* without `min` */
#define FACT_BYTES 13 /* without what only some have */
#define RUN_BYTES  13

enum { DOWN = 1, JOINS = 2, AGAIN = 4, PRESS = 8 };

/* ---- encoding ---- */

static size_t fact_bytes(const struct mend_fact *f, bool down)
{
    return FACT_BYTES + (down ? 0 : 16) + (mend_fact_has_agent(f->kind) ? 4 : 0) +
           (mend_fact_has_context(f->kind) ? 8 : 0) +
           (mend_fact_has_runs(f->kind) ? 4 + (size_t)f->runs_n * RUN_BYTES : 0);
}

size_t mend_log_wire_bytes(const struct mend_log_msg *msg)
{
    const struct mend_fact *f = (const struct mend_fact *)(const void *)msg->facts;
    size_t bytes = HEAD_BYTES + (msg->down ? 0 : 8);

    for (uint32_t i = 0; i < msg->facts_n; i++, f = mend_fact_behind(f))
        bytes += fact_bytes(f, msg->down);
    return bytes;
}

static uint8_t *put_runs(uint8_t *p, const struct mend_fact *f)
{
    p = mend_bytes_put(p, f->runs_n, 4);
    for (uint32_t i = 0; i < f->runs_n; i++) {
        const struct mend_fact_run *run = &mend_fact_runs(f)[i];

        p = mend_bytes_put(p, (uint32_t)run->first, 4);
        p = mend_bytes_put(p, (uint32_t)run->n, 4);
        p = mend_bytes_put(p, (uint32_t)run->cause, 1);
        p = mend_bytes_put(p, (uint32_t)run->code, 4);
    }
    return p;
}

static uint8_t *put_fact(uint8_t *p, const struct mend_fact *f, bool down)
{
    p = mend_bytes_put(p, f->kind, 1);
    p = mend_bytes_put(p, (uint32_t)f->by, 4);
    p = mend_bytes_put(p, f->seq, 8);
    if (!down) {
        p = mend_bytes_put(p, f->before, 8);
        p = mend_bytes_put(p, f->known, 8);
    }
    if (mend_fact_has_agent(f->kind))
        p = mend_bytes_put(p, (uint32_t)f->agent, 4);
    if (mend_fact_has_context(f->kind))
        p = mend_bytes_put(p, f->context, 8);
    return mend_fact_has_runs(f->kind) ? put_runs(p, f) : p;
}

void mend_log_wire_encode(const struct mend_log_msg *msg, void *buf)
{
    const struct mend_fact *f = (const struct mend_fact *)(const void *)msg->facts;
    unsigned flags = (msg->down ? DOWN : 0) | (msg->joins ? JOINS : 0) | (msg->again ? AGAIN : 0) |
                     (msg->press ? PRESS : 0);
    uint8_t *p = buf;

    p = mend_bytes_put(p, MEND_LOG_WIRE_VERSION, 1);
    p = mend_bytes_put(p, flags, 1);
    p = mend_bytes_put(p, msg->number, 8);
    if (!msg->down)
        p = mend_bytes_put(p, msg->min, 8);
    p = mend_bytes_put(p, msg->facts_n, 4);
    for (uint32_t i = 0; i < msg->facts_n; i++, f = mend_fact_behind(f))
        p = put_fact(p, f, msg->down);
}

/* ---- decoding ---- */

static void get_runs(struct mend_bytes *r, struct mend_fact *f)
{
    for (uint32_t i = 0; i < f->runs_n; i++) {
        struct mend_fact_run *run = &mend_fact_runs(f)[i];

        run->first = (int32_t)(uint32_t)mend_bytes_next(r, 4);
        run->n = (int32_t)(uint32_t)mend_bytes_next(r, 4);
        run->cause = (int32_t)mend_bytes_next(r, 1);
        run->code = (int32_t)(uint32_t)mend_bytes_next(r, 4);
    }
}

/* What is before the runs. */
static void get_head(struct mend_bytes *r, struct mend_fact *f, bool down)
{
    f->kind = (uint32_t)mend_bytes_next(r, 1);
    f->by = (int32_t)(uint32_t)mend_bytes_next(r, 4);
    f->seq = mend_bytes_next(r, 8);
    if (!down) {
        f->before = mend_bytes_next(r, 8);
        f->known = mend_bytes_next(r, 8);
    }
    if (mend_fact_has_agent(f->kind))
        f->agent = (int32_t)(uint32_t)mend_bytes_next(r, 4);
    if (mend_fact_has_context(f->kind))
        f->context = mend_bytes_next(r, 8);
    if (f->kind < MEND_FACT_KINDS && mend_fact_has_runs(f->kind))
        f->runs_n = (uint32_t)mend_bytes_next(r, 4);
    r->bad |= (uint64_t)f->runs_n * RUN_BYTES > (uint64_t)(r->end - r->at);
}

/* Whether what is said may be said in this direction. */
static bool fits(const struct mend_fact *f, bool down)
{
    return down || (f->kind != MEND_FACT_NOTHING && f->before < f->seq);
}

static bool get_fact(struct mend_bytes *r, bool down, int32_t agents_n, int32_t names_n,
                     struct mend_fact_queue *q, uint64_t *words)
{
    struct mend_fact head = {0}, *f;

    get_head(r, &head, down);
    f = r->bad ? NULL : mend_fact_reserve(q, words, head.runs_n);
    if (!f)
        return false;
    *f = head;
    get_runs(r, f);
    return !r->bad && f->by < agents_n && f->agent < agents_n && mend_fact_is_sound(f, names_n) &&
           fits(f, down);
}

enum mend_status mend_log_wire_decode(const void *buf, size_t len, int32_t agents_n,
                                      int32_t names_n, uint64_t *words, size_t words_n,
                                      struct mend_log_msg *msg_p)
{
    struct mend_bytes r = {buf, (const uint8_t *)buf + len, false};
    struct mend_fact_queue q = {.room = words_n < UINT32_MAX ? (uint32_t)words_n : UINT32_MAX};
    bool sound = mend_bytes_next(&r, 1) == MEND_LOG_WIRE_VERSION;
    unsigned flags = (unsigned)mend_bytes_next(&r, 1);

    *msg_p = (struct mend_log_msg){.down = flags & DOWN,
                                   .joins = flags & JOINS,
                                   .again = flags & AGAIN,
                                   .press = flags & PRESS,
                                   .number = mend_bytes_next(&r, 8),
                                   .facts = words};
    msg_p->min = msg_p->down ? 0 : mend_bytes_next(&r, 8);
    msg_p->facts_n = (uint32_t)mend_bytes_next(&r, 4);
    sound &= flags < 16 && !(msg_p->down ? msg_p->joins : msg_p->again || msg_p->press) &&
             msg_p->min <= msg_p->number && (!msg_p->down || msg_p->number > 0);
    for (uint32_t i = 0; sound && !r.bad && i < msg_p->facts_n; i++)
        sound = get_fact(&r, msg_p->down, agents_n, names_n, &q, words);
    return sound && !r.bad && r.at == r.end ? MEND_OK : MEND_ERR_BAD;
}
