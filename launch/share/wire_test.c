/* SPDX-License-Identifier: BSD-3-Clause */
/* wire_test.c – the bytes of messages between root and agent: each comes as it was sent, and nothing that is damaged is taken. */
#include "share/wire.h"

#include "base/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define BYTES 300
#define TAKEN UINT64_C(0x123456789a)

static struct mend_message example(const char *data, uint32_t len)
{
    return (struct mend_message){.kind = MEND_UP_END,
                                 .rank = -1,
                                 .arg = {1, -2, INT64_MIN, INT64_MAX, 5, 6, 7, -8},
                                 .data = data,
                                 .len = len};
}

/* The whole message into buf; its length. */
static size_t bytes_of(const struct mend_message *m, unsigned char *buf)
{
    mend_wire_encode(m, TAKEN, buf);
    if (m->len)
        memcpy(buf + MEND_WIRE_HEAD, m->data, m->len);
    buf[MEND_WIRE_HEAD + m->len] = 0;
    return MEND_WIRE_HEAD + m->len + 1;
}

static bool same(const struct mend_message *a, const struct mend_message *b)
{
    return a->kind == b->kind && a->rank == b->rank && a->len == b->len &&
           !memcmp(a->arg, b->arg, sizeof(a->arg)) &&
           (!a->len || !memcmp(a->data, b->data, a->len));
}

MEND_TEST(what_is_sent_comes)
{
    struct mend_message m = example("what it says", 12), got;
    unsigned char buf[BYTES];
    uint64_t taken = 0;
    size_t len = bytes_of(&m, buf);

    CHECK_EQ(mend_wire_decode(buf, len, &got, &taken), (ssize_t)len);
    CHECK(same(&m, &got) && taken == TAKEN);
    CHECK_EQ(mend_wire_decode(buf, sizeof(buf), &got, &taken),
             (ssize_t)len); /* another one behind it */
    for (size_t n = 0; n < len; n++)
        CHECK_EQ(mend_wire_decode(buf, n, &got, &taken), 0);
}

/* The bytes of the head that say what the message is; those of rank and args may be anything. */
MEND_TEST(damage_is_refused)
{
    static const size_t judged[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 19, 20, 21, 22, 23};
    struct mend_message m = example("x", 1), got;
    unsigned char buf[BYTES];
    uint64_t taken;
    size_t len = bytes_of(&m, buf);

    for (size_t i = 0; i < MEND_COUNT_OF(judged); i++) {
        buf[judged[i]] ^= 0x80;
        CHECK_EQ(mend_wire_decode(buf, len, &got, &taken), -1);
        buf[judged[i]] ^= 0x80;
    }
    buf[len - 1] = 'x';
    CHECK_EQ(mend_wire_decode(buf, len, &got, &taken), -1);
    bytes_of(&m, buf);
    buf[8] = MEND_WIRE_TAKEN + 1;
    CHECK_EQ(mend_wire_decode(buf, len, &got, &taken), -1);
}

MEND_TEST(garbage_is_harmless)
{
    unsigned char buf[BYTES];
    struct mend_message got;
    uint64_t taken;

    srandom(7);
    for (int round = 0; round < 100000; round++) {
        struct mend_message m = example("y", 1);
        size_t len = bytes_of(&m, buf);
        ssize_t n;

        for (int k = 0; k < 1 + round % 4; k++)
            buf[(size_t)random() % (round % 2 ? 24 : len)] = (unsigned char)random();
        n = mend_wire_decode(buf, len, &got, &taken);
        CHECK(n >= -1 && n <= (ssize_t)len);
        CHECK(n <= 0 || got.len < len - MEND_WIRE_HEAD);
    }
}

/* ---- a connection ---- */

struct heard {
    int n;
    uint64_t bytes;
    bool wrong;
};

static void hear(void *to, const struct mend_message *m)
{
    struct heard *h = to;

    h->wrong |= m->arg[0] != h->n || m->len != (uint32_t)(h->n % 5000);
    for (uint32_t i = 0; i < m->len; i++)
        h->wrong |= (unsigned char)m->data[i] != (unsigned char)(h->n + (int)i);
    h->n++;
    h->bytes += m->len;
}

static void send_number(struct mend_wire *w, int k)
{
    char data[5000];

    for (int i = 0; i < k % 5000; i++)
        data[i] = (char)(k + i);
    mend_wire_send(w,
                   &(struct mend_message){
                       .kind = MEND_UP_SAY, .arg = {k}, .data = data, .len = (uint32_t)(k % 5000)});
}

static void open_pair(struct mend_wire *a, struct mend_wire *b)
{
    int fd[2];

    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
    mend_wire_open(a, fd[0]);
    mend_wire_open(b, fd[1]);
}

/* More than the socket takes: the rest waits, and nothing is lost or doubled. */
MEND_TEST(a_reader_that_is_late)
{
    struct heard h = {0};
    const struct mend_post post = {hear, &h};
    struct mend_wire a, b;
    struct mend_loop loop = {0};

    CHECK(mend_loop_open(&loop));
    open_pair(&a, &b);
    CHECK(mend_wire_listen(&a, &loop, 0, 0, 0));
    for (int k = 0; k < 6000; k++)
        send_number(&a, k);
    CHECK(a.out_n > 0 && a.waits);
    while (h.n < 6000) {
        CHECK(mend_wire_read(&b, &post));
        mend_wire_flush(&a);
    }
    CHECK(!h.wrong && a.gone_n == a.out_n && !a.waits);
    mend_wire_close(&a);
    CHECK(!mend_wire_read(&b, &post));
    mend_wire_close(&b);
}

/* ---- a stream over several connections ---- */

/* Both ends read on a new connection what the other has kept. */
static void connect_again(struct mend_wire *a, struct mend_wire *b)
{
    uint64_t taken_a = a->taken, taken_b = b->taken;
    const int little = 3000; /* so that messages are divided */
    int fd[2];

    mend_wire_cut(a);
    mend_wire_cut(b);
    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(setsockopt(fd[i], SOL_SOCKET, SO_SNDBUF, &little, sizeof(little)), 0);
    CHECK(mend_wire_resume(a, fd[0], taken_b));
    CHECK(mend_wire_resume(b, fd[1], taken_a));
}

/* Connections that end anywhere, with bytes on the way in both directions. */
MEND_TEST(nothing_is_lost_or_doubled)
{
    struct heard h[2] = {0};
    const struct mend_post post[2] = {{hear, &h[0]}, {hear, &h[1]}};
    struct mend_wire w[2];
    int sent[2] = {0};

    srandom(11);
    open_pair(&w[0], &w[1]);
    for (int step = 0; step < 30000; step++) {
        int i = (int)(random() % 2);

        switch (random() % 8) {
        case 0:
        case 1:
            CHECK(mend_wire_read(&w[i], &post[i]));
            break;
        case 2:
            if (step % 16 == 0)
                connect_again(&w[0], &w[1]);
            break;
        case 3:
            mend_wire_flush(&w[i]);
            break;
        default:
            send_number(&w[i], sent[i]++);
        }
    }
    while (h[0].n < sent[1] || h[1].n < sent[0])
        for (int i = 0; i < 2; i++) {
            mend_wire_flush(&w[i]);
            CHECK(mend_wire_read(&w[i], &post[i]));
        }
    CHECK(!h[0].wrong && !h[1].wrong && h[0].n == sent[1] && h[1].n == sent[0]);
    mend_wire_close(&w[0]);
    mend_wire_close(&w[1]);
}

/* ---- a stream that another one carries ---- */

/* One end of the stream in the middle: what comes over it are bytes of the inner stream. */
struct middle {
    struct mend_wire *inner;
    struct mend_post to;
    bool good;
};

static void hear_bytes(void *to, const struct mend_message *m)
{
    struct middle *x = to;

    if (m->kind == MEND_DOWN_CHILD)
        x->good &= mend_wire_take(x->inner, m->data, m->len, &x->to);
}

static void carry_anew(struct mend_wire inner[2], struct mend_wire outer[2])
{
    const struct mend_message frame = {.kind = MEND_DOWN_CHILD};

    for (int i = 0; i < 2; i++) {
        const struct mend_post over = mend_wire_post(&outer[i]);

        mend_wire_cut(&inner[i]);
        CHECK(!mend_wire_is_up(&inner[i]));
        CHECK(mend_wire_carry(&inner[i], &over, &frame, inner[!i].taken));
    }
}

/* The connections of the stream in the middle end anywhere, and once all that it has on the way is lost with it, too: then both ends of the
 * inner one go on over another stream. */
MEND_TEST(a_stream_goes_over_another)
{
    struct heard h[2] = {0};
    struct mend_wire inner[2], outer[2];
    struct middle x[2] = {{&inner[0], {hear, &h[0]}, true}, {&inner[1], {hear, &h[1]}, true}};
    const struct mend_post post[2] = {{hear_bytes, &x[0]}, {hear_bytes, &x[1]}};
    int sent[2] = {0};

    srandom(12);
    open_pair(&outer[0], &outer[1]);
    mend_wire_open(&inner[0], -1);
    mend_wire_open(&inner[1], -1);
    carry_anew(inner, outer);
    for (int step = 0; step < 20000; step++) {
        int i = (int)(random() % 2);

        if (step == 10000) {
            mend_wire_close(&outer[0]);
            mend_wire_close(&outer[1]);
            open_pair(&outer[0], &outer[1]);
            carry_anew(inner, outer);
        } else if (random() % 4 == 0) {
            mend_wire_flush(&outer[i]);
            CHECK(mend_wire_read(&outer[i], &post[i]));
        } else if (random() % 256 == 0) {
            connect_again(&outer[0], &outer[1]);
        } else {
            send_number(&inner[i], sent[i]++);
        }
    }
    while (h[0].n < sent[1] || h[1].n < sent[0])
        for (int i = 0; i < 2; i++) {
            mend_wire_flush(&outer[i]);
            CHECK(mend_wire_read(&outer[i], &post[i]));
        }
    for (int i = 0; i < 2; i++) {
        CHECK(!h[i].wrong && h[i].n == sent[!i] && x[i].good);
        mend_wire_close(&inner[i]);
        mend_wire_close(&outer[i]);
    }
}

/* The one that only reads says what it has taken, so little is kept. */
MEND_TEST(little_is_kept)
{
    struct heard h = {0};
    const struct mend_post post = {hear, &h}, none = {hear, &(struct heard){0}};
    struct mend_wire a, b;

    open_pair(&a, &b);
    for (int k = 0; k < 20000; k++) {
        send_number(&a, k);
        while (h.n <= k) {
            mend_wire_flush(&a);
            CHECK(mend_wire_read(&b, &post));
        }
        CHECK(mend_wire_read(&a, &none));
        CHECK(a.out_n <= 4 * 65536 && b.out_n <= 65536);
    }
    mend_wire_close(&a);
    mend_wire_close(&b);
}

/* What was said to be taken cannot be asked for again, nor what was never sent. */
MEND_TEST(a_wrong_place_is_refused)
{
    struct heard h = {0};
    const struct mend_post post = {hear, &h};
    struct mend_wire a, b;

    open_pair(&a, &b);
    send_number(&a, 0);
    CHECK(mend_wire_read(&b, &post));
    mend_wire_send(&b, &(struct mend_message){.kind = MEND_UP_SAY});
    CHECK(mend_wire_read(&a, &post));
    mend_wire_cut(&a);
    CHECK(!mend_wire_resume(&a, -1, 0));
    CHECK(!mend_wire_resume(&a, -1, b.taken + 1));
    mend_wire_close(&a);
    mend_wire_close(&b);
}

/* What was sent before the end is heard before it. */
MEND_TEST(an_end_in_the_middle)
{
    struct heard h = {0};
    const struct mend_post post = {hear, &h};
    unsigned char buf[BYTES];
    struct mend_message m = example("cut", 3);
    struct mend_wire a, b;

    open_pair(&a, &b);
    send_number(&a, 0);
    CHECK_EQ(write(a.fd, buf, bytes_of(&m, buf) - 2), (ssize_t)(MEND_WIRE_HEAD + 2));
    mend_wire_close(&a);
    CHECK(mend_wire_read(&b, &post));
    CHECK(!mend_wire_read(&b, &post));
    CHECK_EQ(h.n, 1);
    mend_wire_close(&b);
}

MEND_TEST_MAIN()
