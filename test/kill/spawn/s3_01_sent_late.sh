# SPDX-License-Identifier: BSD-3-Clause
# s3_01_sent_late.sh – what a process of another job sends to a dead one, of whose death it has not heard, is not received by
# the new process that has the place of the dead one.  The guest's mpiexec is stopped while that is sent.
#
#   S3-1: a failed process never returns under its identity
#
# RUN: ; time 60 ; expect "all have what was sent to them"

cat >late.c <<'C'
#include "two_jobs.h"

#include <signal.h>

#define SIZE 4 /* of both: ranks 0 to 2 are the host's, 1 dies */
#define SENT 40

static void await_file(const char *name)
{
    int flag;

    while (access(name, F_OK)) /* in MPI, so that this process lets go of the dead */
        MPI_Iprobe(0, 77, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

static void print(const char *text)
{
    printf("%s\n", text);
    fflush(stdout);
}

static void die_and_send(MPI_Comm both)
{
    int rank, one = 1;

    MPI_Comm_rank(both, &rank);
    CHECK(MPI_Barrier(both) == MPI_SUCCESS);
    print("connected");
    await_file("die");
    if (rank == 1)
        raise(SIGKILL);
    if (rank == 3) {
        await_file("send");
        for (int i = 0; i < SENT; i++)
            CHECK(MPI_Send(&one, 1, MPI_INT, 1, 5, both) == MPI_SUCCESS);
        print("sent");
    }
    await_file("replace");
}

int main(int argc, char **argv)
{
    MPI_Comm full, next;
    int rank, err;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPIX_Comm_refilled(&full);
    if (full == MPI_COMM_NULL) {
        full = connect_all(!strcmp(argv[1], "host"));
        die_and_send(full);
        while ((err = MPIX_Comm_refill(full, MPI_INFO_NULL, &next)) != MPI_SUCCESS) {
            MPI_Error_class(err, &err);
            CHECK(err == MPI_ERR_PROC_FAILED);
        }
        full = next;
    }
    MPI_Comm_rank(full, &rank);
    for (int r = 0; r < SIZE; r++) {
        int theirs = -1, from = (rank + SIZE - r) % SIZE;

        CHECK(MPI_Sendrecv(&rank, 1, MPI_INT, (rank + r) % SIZE, 5, &theirs, 1, MPI_INT, from, 5, full,
                           MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(theirs == from);
    }
    MPI_Finalize();
    print("has all");
    return 0;
}
C
mpicc -O1 -I "$MEND_TEST_ROOT/test/kill/spawn" -o late late.c || exit 1

wrong()
{
    echo "wrong: $*"
    tail -n 40 host.out guest.out
    exit 1
}

# COUNT WORDS: so many lines have them
await()
{
    i=0
    while [ "$(cat host.out guest.out | grep -c "$2")" -lt "$1" ]; do
        i=$((i + 1))
        [ $i -lt 2000 ] || wrong "'$2' does not come"
        sleep 0.01
    done
}

: >host.out
: >guest.out
mpiexec -n 3 --universe 4 --timeout 25 ./late host >host.out 2>&1 &
host=$!
mpiexec -n 1 --timeout 25 ./late guest >guest.out 2>&1 &
guest=$!
await 4 connected
kill -STOP $guest
: >die
await 1 "killed by signal"
sleep 0.3 # the host's mpiexec gives back what was on its way to the dead one
: >send
await 1 sent
kill -CONT $guest
: >replace
wait $guest || wrong "the guest's job ended with $?"
wait $host || wrong "the host's job ended with $?"
await 4 "has all"
echo "all have what was sent to them"
