/* SPDX-License-Identifier: BSD-3-Clause */
/* p2p.c – latency, bandwidth and message rate between ranks 0 and 1; latency of many pairs at once;
 * exchange of all with all.
 *
 *   latency    one message there, one back: half of it
 *   bandwidth  64 messages under way, then a word back; megabytes (10^6) per second
 *   rate       the same, in millions of messages per second
 *   pairs      rank i and rank i + size/2, all pairs at the same time
 *   exchange   each rank sends a message to, and receives one from, each other rank, all at once
 *
 * The first eight bytes of each message carry its number, which the receiver compares; the rest is
 * compared once per batch. */
#include "bench.h"

#define WINDOW   64
#define TAG      7
#define NUMBER_B 8  /* bytes of the number at the start of a message */
#define RANKS    64 /* most of an exchange */

static void fill(struct bench *b)
{
    bench_fill(b->send, (size_t)b->bytes, (unsigned)b->rank, b->batch);
}

static void set_number(unsigned char *message, uint64_t number)
{
    memcpy(message, &number, NUMBER_B);
}

static bool has_number(const unsigned char *message, uint64_t number)
{
    uint64_t got;

    memcpy(&got, message, NUMBER_B);
    return got == number;
}

static double ping_pong(struct bench *b, long n, int peer, bool first)
{
    int bytes = (int)b->bytes;
    double start = bench_now_us();

    for (long i = 0; i < n; i++) {
        set_number(b->send, (uint64_t)i * 2 + !first);
        if (first)
            MPI_Send(b->send, bytes, MPI_BYTE, peer, TAG, MPI_COMM_WORLD);
        MPI_Recv(b->recv, bytes, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (!has_number(b->recv, (uint64_t)i * 2 + first))
            bench_wrong(b, "ping-pong: another message");
        if (!first)
            MPI_Send(b->send, bytes, MPI_BYTE, peer, TAG, MPI_COMM_WORLD);
    }
    return (bench_now_us() - start) / 2;
}

static int partner(const struct bench *b)
{
    return (b->rank + b->size / 2) % b->size;
}

static double run_latency(struct bench *b, long n)
{
    return ping_pong(b, n, partner(b), b->rank < b->size / 2);
}

static void check_latency(struct bench *b, long n)
{
    (void)n;
    if (!bench_is(b->recv, NUMBER_B, (size_t)b->bytes, (unsigned)partner(b), b->batch))
        bench_wrong(b, "ping-pong: damaged data");
}

/* Where message i of a window lies: small ones each in a place of their own. */
static unsigned char *place(unsigned char *buffer, long bytes, int i)
{
    return bytes == NUMBER_B ? buffer + i * NUMBER_B : buffer;
}

static void send_windows(struct bench *b, long n)
{
    MPI_Request request[WINDOW];
    int bytes = (int)b->bytes;
    uint64_t word;

    for (long w = 0; w < n; w++) {
        for (int i = 0; i < WINDOW; i++) {
            unsigned char *message = place(b->send, b->bytes, i);

            if (b->bytes == NUMBER_B || i == 0)
                set_number(message, (uint64_t)w * WINDOW + (uint64_t)i);
            MPI_Isend(message, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, &request[i]);
        }
        MPI_Waitall(WINDOW, request, MPI_STATUSES_IGNORE);
        MPI_Recv(&word, 1, MPI_UINT64_T, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (word != (uint64_t)w)
            bench_wrong(b, "window: another answer");
    }
}

static void receive_windows(struct bench *b, long n)
{
    MPI_Request request[WINDOW];
    int bytes = (int)b->bytes;
    uint64_t word;

    for (long w = 0; w < n; w++) {
        for (int i = 0; i < WINDOW; i++)
            MPI_Irecv(place(b->recv, b->bytes, i), bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD,
                      &request[i]);
        MPI_Waitall(WINDOW, request, MPI_STATUSES_IGNORE);
        for (int i = 0; i < (b->bytes == NUMBER_B ? WINDOW : 1); i++)
            if (!has_number(place(b->recv, b->bytes, i), (uint64_t)w * WINDOW + (uint64_t)i))
                bench_wrong(b, "window: another message");
        word = (uint64_t)w;
        MPI_Send(&word, 1, MPI_UINT64_T, 0, TAG, MPI_COMM_WORLD);
    }
}

static double run_stream(struct bench *b, long n)
{
    double start = bench_now_us();

    if (b->rank == 0)
        send_windows(b, n);
    else if (b->rank == 1)
        receive_windows(b, n);
    return bench_now_us() - start;
}

static void check_stream(struct bench *b, long n)
{
    (void)n;
    if (b->rank == 1 && b->bytes > NUMBER_B &&
        !bench_is(b->recv, NUMBER_B, (size_t)b->bytes, 0, b->batch))
        bench_wrong(b, "window: damaged data");
}

static void exchange_once(struct bench *b, uint64_t number)
{
    MPI_Request request[2 * RANKS];
    int n = 0;

    set_number(b->send, number);
    for (int i = 1; i < b->size; i++) {
        int from = (b->rank + b->size - i) % b->size;

        MPI_Irecv(b->recv + from * b->bytes, (int)b->bytes, MPI_BYTE, from, TAG, MPI_COMM_WORLD,
                  &request[n++]);
    }
    for (int i = 1; i < b->size; i++)
        MPI_Isend(b->send, (int)b->bytes, MPI_BYTE, (b->rank + i) % b->size, TAG, MPI_COMM_WORLD,
                  &request[n++]);
    MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < b->size; i++)
        if (i != b->rank && !has_number(b->recv + i * b->bytes, number))
            bench_wrong(b, "exchange: another message");
}

static double run_exchange(struct bench *b, long n)
{
    double start = bench_now_us();

    if (b->size > RANKS)
        bench_wrong(b, "exchange: too many ranks");
    for (long i = 0; i < n; i++)
        exchange_once(b, (uint64_t)i);
    return bench_now_us() - start;
}

static void check_exchange(struct bench *b, long n)
{
    (void)n;
    for (int i = 0; i < b->size; i++)
        if (i != b->rank &&
            !bench_is(b->recv + i * b->bytes, NUMBER_B, (size_t)b->bytes, (unsigned)i, b->batch))
            bench_wrong(b, "exchange: damaged data");
}

static double megabytes_per_second(const struct bench *b, double us)
{
    return WINDOW * (double)b->bytes / us;
}

static double million_messages_per_second(const struct bench *b, double us)
{
    (void)b;
    return WINDOW / us;
}

int main(int argc, char **argv)
{
    static const struct bench_measure table[] = {
        {"latency", fill, run_latency, check_latency, NULL},
        {"pairs", fill, run_latency, check_latency, NULL},
        {"bandwidth", fill, run_stream, check_stream, megabytes_per_second},
        {"rate", fill, run_stream, check_stream, million_messages_per_second},
        {"exchange", fill, run_exchange, check_exchange, NULL, true},
        {0},
    };
    struct bench b;

    bench_open(&b, &argc, &argv);
    bench_all(&b, table, argv + 3);
    MPI_Finalize();
    return 0;
}
