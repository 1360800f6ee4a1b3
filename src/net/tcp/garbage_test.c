/* SPDX-License-Identifier: BSD-3-Clause */
/* garbage_test.c – whatever a peer writes, a process delivers the frames that are sound, byte for byte, up to the first one
 * that is not, and reports that one: never more, never less, and it reads no byte outside of what has come.
 *
 * A stream of frames is changed at random, and comes in pieces of random length.  What is right is read from the same bytes by
 * the few lines of next(), which know nothing of pieces. */
#include "net/contract_procs_test.h"
#include "net/tcp/door_test.h"

const struct mend_net_subject mend_net_subject = {
    .net = &mend_net_tcp,
    .begin = open_doors,
    .end = close_doors,
};

#define ROUNDS     1500
#define FRAMES_MAX 12
#define LOOKS      4                          /* after which a process has read what is there */
#define MARGIN     (2 * MEND_TCP_UNACKED_MAX) /* around the limits of what a peer can acknowledge */

static char stream[FRAMES_MAX * (MEND_TCP_PAYLOAD_MAX + 2 * MEND_TCP_HEADER)];
static size_t stream_n, read_n; /* bytes: all, and those of frames that were delivered or skipped */

/* ---- what is right ---- */

enum what { WHOLE, PART, UNSOUND };

/* More than was ever sent to it. */
static bool can_acknowledge(uint32_t seq)
{
    return seq < MARGIN || -seq < MARGIN;
}

static enum what next(size_t at, struct mend_frame *f)
{
    uint32_t kind, len;

    *f = (struct mend_frame){0};
    if (stream_n - at < sizeof(*f))
        return PART;
    memcpy(f, stream + at, sizeof(*f));
    kind = f->kind_len >> 24;
    len = f->kind_len & 0xffffff;
    if (kind > MEND_FRAME_NOTIFY || len > 65536 || (kind == MEND_FRAME_SKIP && len > 0))
        return UNSOUND;
    if (stream_n - at < sizeof(*f) + (len + 7) / 8 * 8)
        return PART;
    return can_acknowledge(f->seq) ? WHOLE : UNSOUND;
}

static void pass(const struct mend_frame *f)
{
    read_n += sizeof(*f) + (mend_frame_len(f) + 7) / 8 * 8;
}

/* What comes next, except for frames that only acknowledge. */
static enum what next_to_deliver(struct mend_frame *f)
{
    enum what w = next(read_n, f);

    for (; w == WHOLE && mend_frame_kind(f) == MEND_FRAME_SKIP; w = next(read_n, f))
        pass(f);
    return w;
}

static void on_any(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                   const void *payload)
{
    struct mend_frame right;

    CHECK_EQ(damaged_n, 0);
    CHECK_EQ(next_to_deliver(&right), WHOLE);
    CHECK(!memcmp(f, &right, sizeof(right)));
    CHECK_EQ((uintptr_t)payload % 8, 0);
    CHECK(!memcmp(payload, stream + read_n + sizeof(right), mend_frame_len(f)));
    pass(f);
    came_n[from][self->me]++;
    self->sated = random_below(4) == 0;
}

/* ---- streams ---- */

static void write_frame(uint32_t len)
{
    struct mend_frame f = frame_of(0, (int)random_below(1000), len);

    if (random_below(5) == 0)
        f = mend_frame_make(MEND_FRAME_SKIP, 0, (int)random_below(3), 0, len = 0);
    memcpy(stream + stream_n, &f, sizeof(f));
    memcpy(stream + stream_n + sizeof(f), payload_of(0, 1, (int)len), len);
    stream_n += mend_tcp_bytes_of(len);
}

static void write_frames(void)
{
    memset(stream, 0, sizeof(stream));
    stream_n = read_n = 0;
    for (uint32_t n = random_below(FRAMES_MAX); n > 0; n--)
        write_frame(random_below(16) ? random_below(300) : random_below(MEND_TCP_PAYLOAD_MAX + 1));
}

static void write_random_bytes(void)
{
    stream_n = random_below(2000);
    for (size_t i = 0; i < stream_n; i++)
        stream[i] = (char)random_below(256);
}

static void change_bytes(void)
{
    for (uint32_t n = 1 + random_below(4); n > 0 && stream_n > 0; n--)
        stream[random_below((uint32_t)stream_n)] = (char)random_below(256);
}

/* All that follows comes too early. */
static void lose_bytes(void)
{
    size_t at = random_below((uint32_t)stream_n + 1), n = random_below(50);

    if (n > stream_n - at)
        n = stream_n - at;
    memmove(stream + at, stream + at + n, stream_n - at - n);
    stream_n -= n;
}

/* A header at or beside a limit; the stream goes on as before. */
static void change_header(void)
{
    static const uint32_t kind_lens[] = {
        MEND_FRAME_EAGER << 24 | MEND_TCP_PAYLOAD_MAX,
        MEND_FRAME_EAGER << 24 | (MEND_TCP_PAYLOAD_MAX + 1),
        MEND_FRAME_EAGER << 24 | MEND_FRAME_LEN_MAX,
        MEND_FRAME_KINDS_USED << 24,
        UINT32_MAX,
        MEND_FRAME_SKIP << 24 | 1,
        MEND_FRAME_SKIP << 24 | 8,
    };
    static const uint32_t seqs[] = {MARGIN, INT32_MAX, UINT32_C(1) << 31, -MARGIN};
    uint32_t n = random_below(FRAMES_MAX);
    struct mend_frame f;
    size_t at = 0;

    for (; n > 0 && next(at, &f) == WHOLE; n--)
        at += mend_tcp_bytes_of(mend_frame_len(&f));
    if (next(at, &f) != WHOLE)
        return;
    if (random_below(2))
        f.kind_len = kind_lens[random_below(MEND_COUNT_OF(kind_lens))];
    else
        f.seq = seqs[random_below(MEND_COUNT_OF(seqs))];
    memcpy(stream + at, &f, sizeof(f));
}

/* Whether a peer can acknowledge a number within the margin depends on what this process has told it meanwhile. */
static void avoid_margins(void)
{
    struct mend_frame f;

    for (size_t at = 0; next(at, &f) == WHOLE; at += mend_tcp_bytes_of(mend_frame_len(&f)))
        memset(stream + at, 0, sizeof(f.seq));
}

static void make_stream(void)
{
    static void (*const changes[])(void) = {change_bytes, lose_bytes, change_header,
                                            write_random_bytes};
    uint32_t change = random_below(MEND_COUNT_OF(changes) + 1);

    write_frames();
    if (change < MEND_COUNT_OF(changes))
        changes[change]();
    avoid_margins();
}

/* ---- the peer ---- */

static struct mend_greeting greeting(enum mend_greeting_kind kind,
                                     const unsigned char *caller_nonce,
                                     const unsigned char *door_nonce)
{
    struct mend_greeting g = {.magic = MEND_GREETING_MAGIC,
                              .version = MEND_GREETING_VERSION,
                              .bytes = sizeof(g),
                              .job = headers[1].job,
                              .from = 0,
                              .to = 1,
                              .kind = kind,
                              .call = 1};

    memcpy(g.caller_nonce, caller_nonce, sizeof(g.caller_nonce));
    memcpy(g.door_nonce, door_nonce, sizeof(g.door_nonce));
    mend_greeting_sign(&g, headers[1].door.key);
    return g;
}

static void listen_to_any(void)
{
    begin(2);
    for (unsigned kind = 0; kind < MEND_FRAME_KINDS; kind++)
        procs[1].on_frame[kind] = on_any;
}

static void discard_answers(int fd)
{
    char bytes[4096];

    while (recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
        ;
}

static void look(int fd)
{
    poll_at(1, random_below(2) ? 0 : MEND_PEER_NONE);
    discard_answers(fd);
}

static void write_stream(int fd)
{
    mend_time_ns end = soon();

    for (size_t at = 0; at < stream_n && !damaged_n;) {
        size_t most = 1 + (random_below(4) ? random_below(100) : random_below(90000)),
               n = most < stream_n - at ? most : stream_n - at;
        ssize_t got = send(fd, stream + at, n, MSG_NOSIGNAL | MSG_DONTWAIT);

        at += got > 0 ? (size_t)got : 0;
        if (random_below(3) == 0 || got < 0)
            look(fd);
        CHECK(mend_time_monotonic_ns() < end);
    }
}

static bool is_all_read(void)
{
    struct mend_frame f;
    enum what w = next_to_deliver(&f);

    return w == PART || (w == UNSOUND && damaged_n);
}

static void try_stream(void)
{
    mend_time_ns end = soon();
    struct mend_greeting g;
    struct mend_frame f;
    int fd;

    make_stream();
    listen_to_any();
    fd = test_dial(&procs[0], 1);
    g = greeting(MEND_GREETING_CALL, calls[0].nonce, calls[0].nonce);
    door_is_shut = true; /* process 1 does not call back */
    CHECK_EQ(send(fd, &g, sizeof(g), MSG_NOSIGNAL), sizeof(g));
    write_stream(fd);
    for (; !is_all_read(); look(fd))
        CHECK(mend_time_monotonic_ns() < end);
    for (int i = 0; i < LOOKS; i++)
        look(fd);
    CHECK_EQ(damaged_n, next_to_deliver(&f) == UNSOUND);
    close(fd);
    for (int i = 0; i < LOOKS; i++)
        poll_at(1, MEND_PEER_NONE);
    finish();
}

MEND_TEST(changed_streams_are_read_up_to_what_is_wrong)
{
    for (int i = 0; i < ROUNDS; i++)
        try_stream();
}

/* ---- answers ---- */

static struct mend_greeting answer_to(const struct mend_greeting *called)
{
    return greeting(MEND_GREETING_ANSWER, called->caller_nonce, called->door_nonce);
}

/* Which bits of an answer may be any, if its sender has the key. */
static bool may_be(const struct mend_greeting *g, const struct mend_greeting *called)
{
    struct mend_greeting right = answer_to(called);

    right.kind = g->kind;
    if (g->kind == MEND_GREETING_REFUSAL)
        right.call = g->call, right.start = g->start;
    right.received = g->received;
    mend_greeting_sign(&right, headers[1].door.key);
    return !memcmp(g, &right, sizeof(right)) &&
           (g->kind == MEND_GREETING_REFUSAL ||
            (g->kind == MEND_GREETING_ANSWER && g->received <= procs[1].tcp->pair[0]->out.tail));
}

/* is_signed: by a process that has the key. */
static void try_answer_with_wrong_bit(uint32_t bit, bool is_signed)
{
    struct mend_greeting g, called;
    int fd;

    begin(2);
    CHECK(try_send(1, 0, 8));
    poll_at(1, MEND_PEER_NONE);
    CHECK(test_caller(&procs[0], &called, &fd));
    g = answer_to(&called);
    ((unsigned char *)&g)[bit / 8] ^= (unsigned char)(1u << bit % 8);
    if (is_signed)
        mend_greeting_sign(&g, headers[1].door.key);
    door_is_shut = true;
    CHECK_EQ(send(fd, &g, sizeof(g), MSG_NOSIGNAL), sizeof(g));
    for (int i = 0; i < LOOKS; i++)
        poll_at(1, MEND_PEER_NONE);
    CHECK_EQ(damaged_n, !(is_signed && may_be(&g, &called)));
    close(fd);
    finish();
}

MEND_TEST(an_answer_with_one_wrong_bit_is_refused)
{
    for (uint32_t bit = 0; bit < 8 * sizeof(struct mend_greeting); bit++) {
        try_answer_with_wrong_bit(bit, true);
        try_answer_with_wrong_bit(bit, false);
    }
}

MEND_TEST_MAIN()
