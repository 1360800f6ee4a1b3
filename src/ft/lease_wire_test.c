/* SPDX-License-Identifier: BSD-3-Clause */
/* lease_wire_test.c – the messages of leases there and back, and damaged ones refused. */
#include "ft/lease_wire.h"
#include "base/test.h"

#define NODES  1000
#define ROUNDS 300000

static uint32_t seed = 1;

static uint32_t chance(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
}

static uint64_t number(void)
{
    return 1 + (((uint64_t)chance(1u << 24) << 40 | (uint64_t)chance(1u << 24) << 20 |
                 chance(1u << 20)) >>
                chance(63));
}

static struct mend_lease_msg make(void)
{
    struct mend_lease_msg m = {.word = (uint8_t)(1 + chance(3)), .node = (int32_t)chance(NODES)};

    m.turn.incarnation = 1 + (uint32_t)number() / 2;
    m.turn.turn = 1 + (uint32_t)number() / 2;
    m.number = number();
    m.d_ns = m.word == MEND_LEASE_GRANT ? number() : 0;
    m.heard = m.word == MEND_LEASE_BEAT ? chance(m.number) : 0;
    return m;
}

static bool same(const struct mend_lease_msg *a, const struct mend_lease_msg *b)
{
    return a->word == b->word && a->node == b->node && a->turn.incarnation == b->turn.incarnation &&
           a->turn.turn == b->turn.turn && a->number == b->number && a->d_ns == b->d_ns &&
           a->heard == b->heard;
}

MEND_TEST(every_message_comes_back_as_it_was)
{
    uint8_t buf[MEND_LEASE_WIRE_BYTES + 1];
    struct mend_lease_msg a, b;

    for (int i = 0; i < 10000; i++) {
        a = make();
        buf[MEND_LEASE_WIRE_BYTES] = 0x5a;
        mend_lease_wire_encode(&a, buf);
        CHECK_EQ(buf[MEND_LEASE_WIRE_BYTES], 0x5a);
        CHECK_EQ(mend_lease_wire_decode(buf, NODES, &b), MEND_OK);
        CHECK(same(&a, &b));
        CHECK_EQ(mend_lease_wire_decode(buf, a.node, &b), MEND_ERR_BAD);
        CHECK_EQ(mend_lease_wire_decode(buf, a.node + 1, &b), MEND_OK);
    }
}

/* The bytes do not depend on the machine. */
MEND_TEST(the_bytes_of_a_message)
{
    static const uint8_t bytes[MEND_LEASE_WIRE_BYTES] = {
        0x4d, 0x6c, 1,    2,               /* magic, version, grant */
        3,    2,    0,    0,               /* node */
        1,    0,    0,    0,   7, 0, 0, 1, /* incarnation, turn */
        8,    7,    6,    5,   4, 3, 2, 1, /* number */
        0x00, 0xca, 0x9a, 0x3b};           /* d: a second */
    uint8_t again[MEND_LEASE_WIRE_BYTES];
    struct mend_lease_msg m;

    CHECK_EQ(mend_lease_wire_decode(bytes, NODES, &m), MEND_OK);
    CHECK(m.word == MEND_LEASE_GRANT && m.node == 0x203 && m.turn.incarnation == 1);
    CHECK(m.turn.turn == 0x1000007 && m.number == UINT64_C(0x102030405060708));
    CHECK_EQ(m.d_ns, 1000000000);
    mend_lease_wire_encode(&m, again);
    CHECK(!memcmp(bytes, again, sizeof(bytes)));
}

/* A grant of which one byte is another. */
static enum mend_status changed(size_t at, uint8_t value)
{
    struct mend_lease_msg m = {MEND_LEASE_GRANT, 0, {1, 1}, 1, 1, 0};
    uint8_t buf[MEND_LEASE_WIRE_BYTES];

    mend_lease_wire_encode(&m, buf);
    buf[at] = value;
    return mend_lease_wire_decode(buf, NODES, &m);
}

MEND_TEST(what_is_not_sound_is_refused)
{
    CHECK_EQ(changed(2, MEND_LEASE_WIRE_VERSION), MEND_OK);
    CHECK_EQ(changed(2, MEND_LEASE_WIRE_VERSION + 1), MEND_ERR_BAD);
    CHECK_EQ(changed(0, 0), MEND_ERR_BAD);
    CHECK_EQ(changed(1, 0), MEND_ERR_BAD);
    CHECK_EQ(changed(3, 0), MEND_ERR_BAD);
    CHECK_EQ(changed(3, MEND_LEASE_BEAT), MEND_ERR_BAD);   /* a beat has no duration */
    CHECK_EQ(changed(3, MEND_LEASE_REFUSE), MEND_ERR_BAD); /* nor has a refusal */
    CHECK_EQ(changed(3, MEND_LEASE_REFUSE + 1), MEND_ERR_BAD);
    CHECK_EQ(changed(6, 1), MEND_ERR_BAD);   /* no such node */
    CHECK_EQ(changed(7, 255), MEND_ERR_BAD); /* < 0 */
    CHECK_EQ(changed(8, 0), MEND_ERR_BAD);   /* incarnation */
    CHECK_EQ(changed(12, 0), MEND_ERR_BAD);  /* turn */
    CHECK_EQ(changed(16, 0), MEND_ERR_BAD);  /* number */
    CHECK_EQ(changed(24, 0), MEND_ERR_BAD);  /* a grant has one */
    CHECK_EQ(changed(32, 1), MEND_ERR_BAD);  /* only a beat says what was heard */
}

/* What was decoded may be told to both machines, whatever it is. */
static void feed(const struct mend_lease_msg *m)
{
    static const struct mend_lease_config config = MEND_LEASE_DEFAULTS;
    static uint64_t store[64];
    struct mend_lease *x = (struct mend_lease *)store;
    struct mend_lease_event link = {.kind = MEND_LEASE_EV_LINKED, .now = MEND_LEASE_MS};
    struct mend_lease_event heard = {
        .kind = MEND_LEASE_EV_HEARD, .now = 2 * MEND_LEASE_MS, .msg = m};
    struct mend_lease_child_event beat = {
        .kind = MEND_LEASE_CHILD_EV_BEAT, .now = MEND_LEASE_MS, .left = m->number, .msg = m};
    struct mend_lease_child c;
    struct mend_lease_child_out child_out;
    struct mend_lease_out out;

    CHECK(mend_lease_size(&config) <= sizeof(store));
    mend_lease_init(x, &config, m->node, m->turn.incarnation, 0, 0);
    mend_lease_step(x, &link, &out);
    mend_lease_step(x, &heard, &out);
    mend_lease_check(x);
    mend_lease_child_init(&c, &config, m->node, 1 + m->turn.incarnation / 2, true, 0);
    mend_lease_child_step(&c, &beat, &child_out);
    mend_lease_child_check(&c);
}

MEND_TEST(damage_is_refused_or_harmless)
{
    uint8_t buf[MEND_LEASE_WIRE_BYTES], again[MEND_LEASE_WIRE_BYTES];
    struct mend_lease_msg m;
    int taken = 0;

    for (int i = 0; i < ROUNDS; i++) {
        m = make();
        mend_lease_wire_encode(&m, buf);
        for (uint32_t k = chance(5); k > 0; k--)
            buf[chance(sizeof(buf))] ^= (uint8_t)(1 << chance(8));
        for (size_t k = 3; chance(8) == 0 && k < sizeof(buf); k++)
            buf[k] = (uint8_t)chance(256);
        if (mend_lease_wire_decode(buf, NODES, &m))
            continue;
        taken++;
        mend_lease_wire_encode(&m, again);
        CHECK(!memcmp(buf, again, sizeof(buf)));
        feed(&m);
    }
    CHECK(taken > ROUNDS / 10 && taken < ROUNDS);
}

MEND_TEST_MAIN()
