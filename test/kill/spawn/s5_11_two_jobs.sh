# SPDX-License-Identifier: BSD-3-Clause
# s5_11_two_jobs.sh – a revocation gets from one job to another although its caller computes, or dies at once, and the first process
# of the other job computes, too.  It concerns one part of a communicator that was divided, and not the other.
#
#   S0-59: a revocation reaches all survivors even if its caller dies
#   S0-68: a revocation affects no other communicator
#   S5-11: a revocation reaches every survivor on every node, and no rank relays it
#
# RUN: computes ; time 60 ; expect "7 processes came back"
# RUN: dies ; time 60 ; expect "7 processes came back"
# RUN: computes ; set MACHINES=2 ; time 60 ; expect "7 processes came back"
# RUN: dies ; set MACHINES=2 ; time 60 ; expect "7 processes came back"

cat >revokes.c <<'C'
#include "two_jobs.h"

/* Outside of MPI until all that wait have come back. */
static void compute(void)
{
    while (access("over", F_OK))
        usleep(1000);
}

/* host|guest.  Ranks 0, 2, 4 and 6 of 8 have a part; 0 revokes it, 4 is the first guest, and they send nothing. */
int main(int argc, char **argv)
{
    int host = !strcmp(argv[1], "host"), rank, v, one = 1, sum, err;
    MPI_Comm both, part;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    both = connect_all(host);
    MPI_Comm_rank(both, &rank);
    CHECK(MPI_Comm_split(both, rank % 2, rank, &part) == MPI_SUCCESS);
    MPI_Comm_set_errhandler(part, MPI_ERRORS_RETURN);
    err = MPI_Barrier(both); /* rank 0 may be dead before all have left it */
    CHECK(err == MPI_SUCCESS || (rank && class_of(err) == MPI_ERR_PROC_FAILED));
    if (rank == 0) {
        CHECK(MPIX_Comm_revoke(part) == MPI_SUCCESS);
        compute();
    } else if (rank == 4) {
        compute();
    } else if (rank % 2 == 0) {
        CHECK(class_of(MPI_Recv(&v, 1, MPI_INT, 2, 9, part, MPI_STATUS_IGNORE)) ==
              MPI_ERR_INVALIDATED);
    } else {
        CHECK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, part) == MPI_SUCCESS && sum == 4);
    }
    printf("came back %d\n", rank);
    fflush(stdout);
    compute();
    MPI_Finalize();
    return 0;
}
C
mpicc -O1 -I "$MEND_TEST_ROOT/test/kill/spawn" -o revokes revokes.c || exit 1
flags=
[ "$1" != dies ] || flags="--inject kill:0@revoke.local"
mpiexec -n 4 --timeout 30 --lenient-exit $flags ./revokes host >host.out 2>&1 &
mpiexec -n 4 --timeout 30 --lenient-exit ./revokes guest >guest.out 2>&1 &

# Six wait for no process that computes.
turns=0
until [ "$(cat host.out guest.out | grep -c '^came back')" -ge 6 ]; do
    turns=$((turns + 1))
    [ $turns -lt 2000 ] && ! grep -q wrong host.out guest.out || { cat host.out guest.out && exit 1; }
    sleep 0.01
done
: >over
wait
! grep wrong host.out guest.out || exit 1
echo "$(cat host.out guest.out | grep -c '^came back [1-7]') processes came back"
