/* SPDX-License-Identifier: BSD-3-Clause */
/* Random traffic between everybody: sizes, modes, tags, orders of completion and kinds of receives are
 * drawn from a seed that all ranks know, so that each receiver knows what must come. */
/* RUN: -n 2 */
/* RUN: -n 3 */
/* RUN: -n 3 ; set SPIN=0 ; set YIELD=0 */
/* RUN: -n 3 --universe 12000 */
/* RUN: -n 5 ; time 60 */
/* RUN: -n 8 ; time 60 */
#include "common.h"

#define ROUNDS 30
#define EACH   12 /* messages per ordered pair and round */

static unsigned draw(unsigned a, unsigned b, unsigned c, unsigned d)
{
    unsigned h =
        a * 2654435761u ^ (b + 1) * 2246822519u ^ (c + 1) * 3266489917u ^ (d + 1) * 668265263u;

    h ^= h >> 15;
    h *= 2246822519u;
    return h ^ h >> 13;
}

static int length(int round, int from, int to, int i)
{
    unsigned h = draw((unsigned)round, (unsigned)from, (unsigned)to, (unsigned)i);

    return (int)(h % 8 == 0 ? h / 8 % 100000 : h % 8 < 4 ? h / 8 % 64 : h / 8 % 9000);
}

static unsigned seed_of(int round, int from, int to, int i)
{
    return draw((unsigned)round, (unsigned)from, (unsigned)to, (unsigned)i) >> 4;
}

static void send_one(unsigned char *buf, int n, int to, int tag, unsigned h, MPI_Request *r)
{
    switch (h % 4) {
    case 0:
        MPI_Issend(buf, n, MPI_BYTE, to, tag, MPI_COMM_WORLD, r);
        break;
    case 1:
        MPI_Ibsend(buf, n, MPI_BYTE, to, tag, MPI_COMM_WORLD, r);
        break;
    default:
        MPI_Isend(buf, n, MPI_BYTE, to, tag, MPI_COMM_WORLD, r);
    }
}

static void one_round(int round)
{
    int n = EACH * size, done = 0;
    unsigned char **out = malloc((size_t)n * sizeof *out), **in = malloc((size_t)n * sizeof *in);
    MPI_Request *r = malloc((size_t)(2 * n) * sizeof *r);
    MPI_Status s;

    for (int k = 0; k < n; k++) { /* receives first in half of the rounds */
        int peer = k % size, i = k / size, len = length(round, peer, rank, i);

        in[k] = malloc((size_t)len + 16);
        memset(in[k], GUARD, (size_t)len + 16);
        r[k] = MPI_REQUEST_NULL;
        if (round % 2)
            MPI_Irecv(in[k], len + 16, MPI_BYTE, peer, i, MPI_COMM_WORLD, &r[k]);
    }
    for (int k = 0; k < n; k++) {
        int peer = (k + rank) % size, i = k / size, len = length(round, rank, peer, i);

        out[k] = malloc((size_t)len + 1);
        fill(out[k], (size_t)len, seed_of(round, rank, peer, i));
        send_one(out[k], len, peer, i, seed_of(round, rank, peer, i), &r[n + k]);
    }
    for (int k = n - 1; k >= 0 && round % 2 == 0; k--) {
        int peer = k % size, i = k / size;

        MPI_Irecv(in[k], length(round, peer, rank, i) + 16, MPI_BYTE, peer, i, MPI_COMM_WORLD,
                  &r[k]);
    }
    while (done < 2 * n) {
        int k, got;

        MPI_Waitany(2 * n, r, &k, &s);
        done++;
        if (k >= n)
            continue;
        MPI_Get_count(&s, MPI_BYTE, &got);
        CHECK_EQ(got, length(round, k % size, rank, k / size));
        CHECK_EQ(wrong(in[k], (size_t)got, seed_of(round, k % size, rank, k / size)), -1);
        CHECK_EQ(touched(in[k] + got, 16), -1);
    }
    for (int k = 0; k < n; k++) {
        free(in[k]);
        free(out[k]);
    }
    free(in);
    free(out);
    free(r);
}

int main(int argc, char **argv)
{
    void *back;
    int n;

    start(&argc, &argv);
    MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
    for (int round = 0; round < ROUNDS; round++)
        one_round(round);
    MPI_Buffer_detach(&back, &n);
    return finish();
}
