/* SPDX-License-Identifier: BSD-3-Clause */
/* wire.c – encoding and decoding of what ft/ puts on a network; see wire.h for the layout. */
#include "ft/wire.h"

#include "base/bytes.h"

#include <string.h>

enum form { FORM_EMPTY = 0, FORM_BITMAP = 1, FORM_RUNS = 2 };

/* The next run of members at or after *first: false if there is none. */
static bool next_run(const uint64_t *set, int32_t n, int32_t *first, int32_t *len)
{
    int32_t i = mend_bits_next(set, n, *first);

    if (i < 0)
        return false;
    *first = i;
    while (i < n && mend_bits_test(set, i))
        i++;
    *len = i - *first;
    return *len > 0;
}

static size_t count_runs(const uint64_t *set, int32_t n)
{
    size_t runs = 0;

    for (int32_t first = 0, len; next_run(set, n, &first, &len); first += len)
        runs++;
    return runs;
}

static size_t bitmap_bytes(int32_t n)
{
    return ((size_t)n + 7) / 8;
}

/* The shortest form of a set of members_n ranks; adds its length. */
static enum form choose_form(const uint64_t *set, int32_t members_n, int32_t n, size_t *bytes_p)
{
    size_t runs, bitmap = bitmap_bytes(n);

    if (members_n == 0)
        return FORM_EMPTY;
    runs = 4 + 8 * count_runs(set, n);
    *bytes_p += runs < bitmap ? runs : bitmap;
    return runs < bitmap ? FORM_RUNS : FORM_BITMAP;
}

static uint8_t *put_set(uint8_t *p, enum form form, const uint64_t *set, int32_t n)
{
    if (form == FORM_EMPTY)
        return p;
    if (form == FORM_BITMAP) {
        for (size_t i = 0; i < bitmap_bytes(n); i++)
            p = mend_bytes_put(p, set[i / 8] >> (8 * (i % 8)) & 0xff, 1);
        return p;
    }
    p = mend_bytes_put(p, count_runs(set, n), 4);
    for (int32_t first = 0, len; next_run(set, n, &first, &len); first += len) {
        p = mend_bytes_put(p, (uint32_t)first, 4);
        p = mend_bytes_put(p, (uint32_t)len, 4);
    }
    return p;
}

static void get_runs(struct mend_bytes *r, uint64_t *set, int32_t n)
{
    uint64_t count = mend_bytes_next(r, 4), end = 0;

    for (uint64_t i = 0; i < count && !r->bad; i++) {
        uint64_t first = mend_bytes_next(r, 4), len = mend_bytes_next(r, 4);

        if (len == 0 || (i && first <= end) || first + len > (uint64_t)n) {
            r->bad = true;
            return;
        }
        end = first + len;
        for (uint64_t k = first; k < end; k++)
            mend_bits_set(set, (int32_t)k);
    }
}

/* Returns the number of its members. */
static int32_t get_set(struct mend_bytes *r, unsigned form, uint64_t *set, int32_t n)
{
    size_t bytes = 0;
    int32_t members_n;

    memset(set, 0, mend_bits_words(n) * sizeof(uint64_t));
    if (form == FORM_EMPTY)
        return 0;
    if (form == FORM_RUNS)
        get_runs(r, set, n);
    else if (form == FORM_BITMAP)
        for (size_t i = 0; i < bitmap_bytes(n); i++)
            set[i / 8] |= mend_bytes_next(r, 1) << (8 * (i % 8));
    else
        r->bad = true;
    members_n = mend_bits_count(set, mend_bits_words(n));
    if (mend_bits_overflow(set, n) || choose_form(set, members_n, n, &bytes) != form)
        r->bad = true;
    return members_n;
}

size_t mend_ft_agree_max_bytes(int32_t n)
{
    return MEND_FT_AGREE_HEAD_BYTES + 2 * MEND_AGREE_WORDS * sizeof(uint64_t) +
           MEND_FT_AGREE_SETS * bitmap_bytes(n);
}

static bool has_value(const struct mend_agree_msg *msg)
{
    return msg->kind == MEND_AGREE_UP || msg->kind == MEND_AGREE_DOWN;
}

/* Which words of the value are not neutral. */
static unsigned words_of(const struct mend_agree_value *v)
{
    unsigned words = 0;

    for (int w = 0; w < MEND_AGREE_WORDS; w++) {
        words |= (unsigned)(v->and_word[w] != UINT64_MAX) << w;
        words |= (unsigned)(v->max_word[w] != 0) << (MEND_AGREE_WORDS + w);
    }
    return words;
}

size_t mend_ft_agree_encode(const struct mend_agree_msg *msg, int32_t n, void *buf, size_t size)
{
    const struct mend_agree_value *v = &msg->value;
    unsigned words = has_value(msg) ? words_of(v) : 0;
    size_t bytes = 0;
    enum form failed = choose_form(v->failed, has_value(msg) ? v->nfailed : 0, n, &bytes);
    enum form dead = choose_form(msg->dead, msg->ndead, n, &bytes);
    uint8_t *p = buf;

    bytes += MEND_FT_AGREE_HEAD_BYTES + (size_t)__builtin_popcount(words) * 8;
    if (bytes > size)
        return 0;
    p = mend_bytes_put(p, (uint64_t)msg->kind, 1);
    p = mend_bytes_put(p, words, 1);
    p = mend_bytes_put(p, (uint64_t)failed | (uint64_t)dead << 4, 1);
    p = mend_bytes_put(p, msg->seq, 8);
    p = mend_bytes_put(p, (uint32_t)msg->ballot, 4);
    p = mend_bytes_put(p, (uint32_t)(msg->accepted + 1), 4);
    for (int w = 0; w < MEND_AGREE_WORDS; w++)
        if (words >> w & 1)
            p = mend_bytes_put(p, v->and_word[w], 8);
    for (int w = 0; w < MEND_AGREE_WORDS; w++)
        if (words >> (MEND_AGREE_WORDS + w) & 1)
            p = mend_bytes_put(p, v->max_word[w], 8);
    p = put_set(p, failed, v->failed, n);
    p = put_set(p, dead, msg->dead, n);
    return (size_t)(p - (uint8_t *)buf);
}

enum mend_status mend_ft_agree_decode(const void *buf, size_t len, int32_t n, int32_t from,
                                      uint64_t *sets, struct mend_agree_msg *msg_p)
{
    struct mend_bytes r = {buf, (const uint8_t *)buf + len, false};
    unsigned kind = (unsigned)mend_bytes_next(&r, 1), words = (unsigned)mend_bytes_next(&r, 1),
             forms = (unsigned)mend_bytes_next(&r, 1);
    uint64_t ballot, accepted;

    memset(msg_p, 0, sizeof *msg_p);
    mend_agree_value_init(&msg_p->value);
    msg_p->kind = (enum mend_agree_msg_kind)kind;
    msg_p->peer = from;
    msg_p->seq = mend_bytes_next(&r, 8);
    ballot = mend_bytes_next(&r, 4);
    accepted = mend_bytes_next(&r, 4);
    if (r.bad || kind < MEND_AGREE_UP || kind > MEND_AGREE_GONE || ballot >= (uint64_t)n ||
        accepted > ballot + 1 || (!has_value(msg_p) && (words || forms & 15)) ||
        (kind == MEND_AGREE_GONE && forms))
        return MEND_ERR_BAD;
    msg_p->ballot = (int32_t)ballot;
    msg_p->accepted = (int32_t)accepted - 1;
    for (int w = 0; w < MEND_AGREE_WORDS; w++)
        if (words >> w & 1)
            msg_p->value.and_word[w] = mend_bytes_next(&r, 8);
    for (int w = 0; w < MEND_AGREE_WORDS; w++)
        if (words >> (MEND_AGREE_WORDS + w) & 1)
            msg_p->value.max_word[w] = mend_bytes_next(&r, 8);
    msg_p->value.failed = sets;
    msg_p->value.nfailed = get_set(&r, forms & 15, sets, n);
    msg_p->dead = sets + mend_bits_words(n);
    msg_p->ndead = get_set(&r, forms >> 4, sets + mend_bits_words(n), n);
    if (r.bad || r.at != r.end || words_of(&msg_p->value) != words)
        return MEND_ERR_BAD;
    return MEND_OK;
}

bool mend_ft_agree_peek(const void *buf, size_t len, struct mend_agree_msg *msg_p)
{
    struct mend_bytes r = {buf, (const uint8_t *)buf + len, false};
    unsigned kind = (unsigned)mend_bytes_next(&r, 1);

    memset(msg_p, 0, sizeof *msg_p);
    mend_bytes_next(&r, 2);
    msg_p->kind = (enum mend_agree_msg_kind)kind;
    msg_p->seq = mend_bytes_next(&r, 8);
    msg_p->ballot = (int32_t)mend_bytes_next(&r, 4);
    mend_bytes_next(&r, 4);
    return !r.bad && kind >= MEND_AGREE_UP && kind <= MEND_AGREE_GONE && msg_p->ballot >= 0;
}
