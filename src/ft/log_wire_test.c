/* SPDX-License-Identifier: BSD-3-Clause */
/* log_wire_test.c – the log's messages there and back, and damaged ones refused. */
#include "ft/log_wire.h"
#include "base/test.h"

#define AGENTS 100
#define NAMES  1000
#define ROUNDS 100000
#define WORDS  1000
#define BYTES  4096

static uint32_t seed = 1;

static uint32_t chance(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
}

static uint64_t number(void)
{
    return ((uint64_t)chance(1u << 24) << 24 | chance(1u << 24)) >> chance(48);
}

static void make_runs(struct mend_fact *f)
{
    int32_t end = 0;

    for (uint32_t i = 0; i < f->runs_n; i++) {
        struct mend_fact_run *r = &mend_fact_runs(f)[i];

        r->first = end + (int32_t)chance(20);
        r->n = 1 + (int32_t)chance(20);
        r->cause = (int32_t)chance(MEND_VERDICT_CAUSES);
        r->code = (int32_t)chance(300) - 20;
        end = r->first + r->n;
    }
}

/* Some facts, as an agent says them in that direction. */
static void make(struct mend_log_msg *m, uint64_t *words)
{
    struct mend_fact_queue q = {.room = WORDS};

    *m = (struct mend_log_msg){.down = chance(2), .number = 1 + number(), .facts = words};
    m->min = m->down ? 0 : m->number / (1 + chance(3));
    m->joins = !m->down && chance(2);
    m->again = m->down && chance(2);
    m->press = m->down && chance(2);
    m->facts_n = chance(5);
    for (uint32_t i = 0; i < m->facts_n; i++) {
        uint32_t kind = m->down ? chance(MEND_FACT_KINDS) : 1 + chance(MEND_FACT_KINDS - 1);
        uint32_t runs_n = mend_fact_has_runs(kind) ? 1 + chance(6) : 0;
        struct mend_fact *f = mend_fact_reserve(&q, words, runs_n);

        f->kind = kind;
        f->by = (int32_t)chance(AGENTS);
        f->seq = 1 + number();
        f->before = m->down ? 0 : f->seq / 2;
        f->known = m->down ? 0 : number();
        f->agent = mend_fact_has_agent(kind) ? (int32_t)chance(AGENTS) : 0;
        f->context = mend_fact_has_context(kind) ? number() : 0;
        make_runs(f);
    }
    CHECK_EQ(q.facts_n, m->facts_n);
}

static bool same(const struct mend_log_msg *a, const struct mend_log_msg *b)
{
    const struct mend_fact *f = (const struct mend_fact *)(const void *)a->facts;
    const uint64_t *end;

    for (uint32_t i = 0; i < a->facts_n; i++)
        f = mend_fact_behind(f);
    end = (const uint64_t *)(const void *)f;
    return a->down == b->down && a->joins == b->joins && a->again == b->again &&
           a->press == b->press && a->number == b->number && a->min == b->min &&
           a->facts_n == b->facts_n &&
           !memcmp(a->facts, b->facts, (size_t)((const char *)end - (const char *)a->facts));
}

static enum mend_status decode(const void *buf, size_t len, uint64_t *words, struct mend_log_msg *m)
{
    CHECK(mend_log_wire_words(len) <= 4 * WORDS);
    return mend_log_wire_decode(buf, len, AGENTS, NAMES, words, mend_log_wire_words(len), m);
}

MEND_TEST(every_message_comes_back_as_it_was)
{
    uint64_t words[WORDS], again[4 * WORDS];
    uint8_t buf[BYTES];
    struct mend_log_msg a, b;

    for (int i = 0; i < 3000; i++) {
        size_t len;

        make(&a, words);
        len = mend_log_wire_bytes(&a);
        CHECK(len < BYTES);
        buf[len] = 0x5a;
        mend_log_wire_encode(&a, buf);
        CHECK_EQ(buf[len], 0x5a);
        CHECK_EQ(decode(buf, len, again, &b), MEND_OK);
        CHECK(same(&a, &b));
        for (size_t cut = 0; cut < len; cut++)
            CHECK_EQ(decode(buf, cut, again, &b), MEND_ERR_BAD);
        CHECK_EQ(decode(buf, len + 1, again, &b), MEND_ERR_BAD);
        if (a.facts_n)
            CHECK_EQ(mend_log_wire_decode(buf, len, AGENTS, NAMES, again, 6, &b), MEND_ERR_BAD);
    }
}

/* The bytes do not depend on the machine. */
MEND_TEST(the_bytes_of_a_message)
{
    static const uint8_t bytes[] = {
        1,    5,                                              /* version, down and again */
        0x34, 0x12, 0, 0, 0, 0, 0, 0,                         /* number */
        2,    0,    0, 0,                                     /* facts */
        6,    3,    0, 0, 0, 7, 0, 0, 0, 0,    0,    0,    0, /* revoked, by, seq */
        8,    7,    6, 5, 4, 3, 2, 1,                         /* context */
        3,    0,    0, 0, 0, 9, 0, 0, 0, 0,    0,    0,    0, /* lost, by, seq */
        2,    0,    0, 0, 1, 0, 0, 0,                         /* agent, runs */
        4,    0,    0, 0, 2, 0, 0, 0, 5, 0xff, 0xff, 0xff, 0xff};
    uint64_t words[WORDS];
    uint8_t buf[BYTES];
    struct mend_log_msg m;
    struct mend_fact *f;

    CHECK_EQ(decode(bytes, sizeof(bytes), words, &m), MEND_OK);
    CHECK(m.down && m.again && !m.press && !m.joins && m.number == 0x1234);
    f = (struct mend_fact *)(void *)words;
    CHECK(f->kind == MEND_FACT_REVOKED && f->context == UINT64_C(0x102030405060708));
    f = mend_fact_behind(f);
    CHECK(f->kind == MEND_FACT_LOST && f->seq == 9 && f->agent == 2);
    CHECK(mend_fact_runs(f)->first == 4 && mend_fact_runs(f)->code == -1);
    CHECK_EQ(mend_log_wire_bytes(&m), sizeof(bytes));
    mend_log_wire_encode(&m, buf);
    CHECK(!memcmp(buf, bytes, sizeof(bytes)));
}

/* A message with one fact of one run, and what is changed in it. */
static enum mend_status changed(size_t at, uint8_t value)
{
    uint64_t words[WORDS];
    uint8_t buf[BYTES];
    struct mend_log_msg m = {.down = true, .number = 1, .facts_n = 1, .facts = words};
    struct mend_fact *f = (struct mend_fact *)(void *)words;
    size_t len;

    *f = (struct mend_fact){.kind = MEND_FACT_DEATHS, .by = 1, .seq = 1, .runs_n = 1};
    *mend_fact_runs(f) = (struct mend_fact_run){5, 1, MEND_VERDICT_EXIT, 1};
    len = mend_log_wire_bytes(&m);
    CHECK_EQ(len, 44);
    mend_log_wire_encode(&m, buf);
    buf[at] = value;
    return decode(buf, len, words, &m);
}

MEND_TEST(what_is_not_sound_is_refused)
{
    CHECK_EQ(changed(0, MEND_LOG_WIRE_VERSION), MEND_OK);
    CHECK_EQ(changed(0, MEND_LOG_WIRE_VERSION + 1), MEND_ERR_BAD);
    CHECK_EQ(changed(1, 1 | 2), MEND_ERR_BAD);  /* down, and joins */
    CHECK_EQ(changed(1, 1 | 16), MEND_ERR_BAD); /* an unknown flag */
    CHECK_EQ(changed(2, 0), MEND_ERR_BAD);      /* there is no entry 0 */
    CHECK_EQ(changed(10, 2), MEND_ERR_BAD);     /* facts */
    CHECK_EQ(changed(13, 255), MEND_ERR_BAD);
    CHECK_EQ(changed(14, MEND_FACT_KINDS), MEND_ERR_BAD);
    CHECK_EQ(changed(14, MEND_FACT_NOTHING), MEND_ERR_BAD);
    CHECK_EQ(changed(15, AGENTS), MEND_ERR_BAD);
    CHECK_EQ(changed(18, 255), MEND_ERR_BAD); /* by < 0 */
    CHECK_EQ(changed(27, 0), MEND_ERR_BAD);   /* runs */
    CHECK_EQ(changed(30, 255), MEND_ERR_BAD);
    CHECK_EQ(changed(34, 255), MEND_ERR_BAD); /* first < 0 */
    CHECK_EQ(changed(35, 0), MEND_ERR_BAD);   /* n */
    CHECK_EQ(changed(37, 255), MEND_ERR_BAD); /* beyond all names */
    CHECK_EQ(changed(39, MEND_VERDICT_CAUSES), MEND_ERR_BAD);
}

/* It refuses, or the message encodes to the same bytes. */
static void check_bytes(const uint8_t *buf, size_t len)
{
    uint64_t words[4 * WORDS];
    uint8_t again[BYTES];
    struct mend_log_msg m;

    if (decode(buf, len, words, &m))
        return;
    CHECK_EQ(mend_log_wire_bytes(&m), len);
    mend_log_wire_encode(&m, again);
    CHECK(!memcmp(buf, again, len));
}

MEND_TEST(damage_is_refused_or_harmless)
{
    uint64_t words[WORDS];
    uint8_t buf[BYTES + 8];
    struct mend_log_msg m;

    for (int i = 0; i < ROUNDS; i++) {
        size_t len = chance(80);

        if (chance(8)) {
            make(&m, words);
            len = mend_log_wire_bytes(&m);
            mend_log_wire_encode(&m, buf);
            for (uint32_t k = chance(4); k > 0; k--)
                buf[chance((uint32_t)len)] ^= (uint8_t)(1 << chance(8));
            if (chance(8) == 0)
                len = chance((uint32_t)len + 4);
        } else {
            for (size_t k = 0; k < len; k++)
                buf[k] = (uint8_t)chance(256);
            if (len > 1 && chance(4)) {
                buf[0] = MEND_LOG_WIRE_VERSION;
                buf[1] &= 15;
            }
        }
        check_bytes(buf, len);
    }
}

MEND_TEST_MAIN()
