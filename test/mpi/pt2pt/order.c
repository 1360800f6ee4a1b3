/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of one sender are received in the order in which they were sent (MPI-5.0 3.5): small ones
 * after large ones, with chosen tags, and when named and wildcard receives compete. */
/* RUN: -n 2 */
/* RUN: -n 5 */
#include "common.h"

#define MESSAGES 300

/* Sizes that jump across the eager limit, so that both protocols mix. */
static int length(int i)
{
    static const int n[] = {0, 8, 20000, 1, 8192, 8193, 32768, 32769, 64, 100000, 40};

    return n[i % (int)(sizeof n / sizeof *n)];
}

static void *storage(int i)
{
    static unsigned char *all;
    static size_t at[MESSAGES + 1];

    if (!all) {
        for (int k = 0; k < MESSAGES; k++)
            at[k + 1] = at[k] + (size_t)length(k) + 16;
        all = malloc(at[MESSAGES]);
    }
    return all + at[i];
}

static void send_all(int to, int (*tag_of)(int))
{
    MPI_Request r[MESSAGES];

    for (int i = 0; i < MESSAGES; i++) {
        fill(storage(i), (size_t)length(i), (unsigned)i);
        MPI_Isend(storage(i), length(i), MPI_BYTE, to, tag_of(i), MPI_COMM_WORLD, &r[i]);
    }
    MPI_Waitall(MESSAGES, r, MPI_STATUSES_IGNORE);
}

static int same_tag(int i)
{
    (void)i;
    return 5;
}

static int two_tags(int i)
{
    return i % 2;
}

static unsigned char in[100016];

static void recv_expect(int source, int tag, int i)
{
    MPI_Status s;
    int n;

    MPI_Recv(in, sizeof in, MPI_BYTE, source, tag, MPI_COMM_WORLD, &s);
    MPI_Get_count(&s, MPI_BYTE, &n);
    CHECK_EQ(n, length(i));
    CHECK_EQ(wrong(in, (size_t)n, (unsigned)i), -1);
}

/* One tag: strictly in order, whether asked for by name or not. */
static void one_tag(int from)
{
    for (int i = 0; i < MESSAGES; i++)
        recv_expect(i % 3 && size == 2 ? MPI_ANY_SOURCE : from, i % 2 ? MPI_ANY_TAG : 5, i);
}

/* Two tags: all of the second first, then the first; each in order. */
static void tags_apart(int from)
{
    for (int i = 1; i < MESSAGES; i += 2)
        recv_expect(from, 1, i);
    for (int i = 0; i < MESSAGES; i += 2)
        recv_expect(from, 0, i);
}

/* Receives posted before the messages come: wildcard and named alternate, and the message i must meet
 * receive i because receives are served in order of posting. */
static void posted_first(int peer)
{
    MPI_Request r[MESSAGES];
    MPI_Status s[MESSAGES];

    if (rank == 0) {
        MPI_Recv(NULL, 0, MPI_BYTE, peer, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        send_all(peer, same_tag);
        return;
    }
    for (int i = 0; i < MESSAGES; i++) {
        memset(storage(i), GUARD, (size_t)length(i) + 16);
        MPI_Irecv(storage(i), length(i) + 16, MPI_BYTE, i % 2 ? MPI_ANY_SOURCE : 0,
                  i % 3 ? MPI_ANY_TAG : 5, MPI_COMM_WORLD, &r[i]);
    }
    MPI_Send(NULL, 0, MPI_BYTE, 0, 9, MPI_COMM_WORLD);
    MPI_Waitall(MESSAGES, r, s);
    for (int i = 0; i < MESSAGES; i++) {
        int n;

        MPI_Get_count(&s[i], MPI_BYTE, &n);
        CHECK_EQ(n, length(i));
        CHECK_EQ(s[i].MPI_SOURCE, 0);
        CHECK_EQ(wrong(storage(i), (size_t)n, (unsigned)i), -1);
        CHECK_EQ(touched((char *)storage(i) + n, 16), -1);
    }
}

/* Many senders, one wildcard receiver: each sender's messages in its order. */
static void many_to_one(void)
{
    int next[64] = {0};

    if (rank != 0) {
        for (int i = 0; i < 500; i++)
            MPI_Send(&i, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
        return;
    }
    for (int k = 0; k < 500 * (size - 1); k++) {
        MPI_Status s;
        int i;

        MPI_Recv(&i, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &s);
        CHECK_EQ(i, next[s.MPI_SOURCE]);
        next[s.MPI_SOURCE]++;
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int peer = 1; peer < size; peer++) {
        if (rank == 0) {
            send_all(peer, same_tag);
            send_all(peer, two_tags);
        } else if (rank == peer) {
            one_tag(0);
            tags_apart(0);
        }
        if (rank == 0 || rank == peer)
            posted_first(peer);
    }
    many_to_one();
    return finish();
}
