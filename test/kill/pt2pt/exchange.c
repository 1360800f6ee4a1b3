/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange.c – a rank dies in the middle of an exchange of large messages with more ranks than cores (on two), whose
 * fragments lie on trays and in rings then.  The survivors revoke, shrink, and exchange again: no byte of the old messages
 * comes into the new ones, and no tray of two survivors is lost.
 *
 * RUN: -n 4 ; kill 2 at p2p.data.sent#40 ; set FRAGMENT=4k ; expect "rank 0 ok" ; time 60
 * RUN: -n 5 ; kill 2 at p2p.data.sent#3000 ; set FRAGMENT=4k ; expect "rank 0 ok" ; time 60
 * RUN: -n 8 ; kill 2 at p2p.data.sent#700 ; set FRAGMENT=4k ; expect "rank 0 ok" ; time 60 */
#include "kill/common.h"

#define BYTES  (1 << 20)
#define RANKS  8
#define BEFORE 60 /* exchanges, one of which does not end */
#define AFTER  10

static unsigned char *in, *out;

/* All with all.  False: a rank has died, and the communicator is revoked. */
static bool exchange(MPI_Comm c, int round)
{
    MPI_Request request[2 * RANKS];
    int me, n, k = 0;

    MPI_Comm_rank(c, &me);
    MPI_Comm_size(c, &n);
    fill(out, BYTES, (unsigned)(me + n * round));
    for (int i = 1; i < n; i++) {
        int from = (me + n - i) % n;

        MPI_Irecv(in + (size_t)from * BYTES, BYTES, MPI_BYTE, from, 0, c, &request[k++]);
    }
    for (int i = 1; i < n; i++)
        MPI_Isend(out, BYTES, MPI_BYTE, (me + i) % n, 0, c, &request[k++]);
    if (MPI_Waitall(k, request, MPI_STATUSES_IGNORE) != MPI_SUCCESS) {
        MPIX_Comm_revoke(c);
        for (int i = 0; i < k; i++) /* those that were still pending */
            if (request[i] != MPI_REQUEST_NULL)
                MPI_Wait(&request[i], MPI_STATUS_IGNORE);
        return false;
    }
    for (int from = 0; from < n; from++)
        if (from != me)
            CHECK_EQ(wrong(in + (size_t)from * BYTES, BYTES, (unsigned)(from + n * round)), -1);
    return true;
}

int main(int argc, char **argv)
{
    MPI_Comm c = MPI_COMM_WORLD, survivors;
    int round = 0;

    start(&argc, &argv);
    in = malloc((size_t)RANKS * BYTES);
    out = malloc(BYTES);
    CHECK(in && out && size <= RANKS);
    while (round < BEFORE && exchange(c, round))
        round++;
    CHECK(round < BEFORE);
    CHECK_OK(MPIX_Comm_shrink(c, &survivors));
    for (round = 0; round < AFTER; round++)
        CHECK(exchange(survivors, round));
    MPI_Comm_free(&survivors);
    free(in);
    free(out);
    return finish();
}
