# SPDX-License-Identifier: BSD-3-Clause
# s0_75_two_jobs.sh – a decision of two connected jobs, A = {a0, a1, a2} and B = {b0}, and one abort that ends a1 and a2, of
# which a2 has voted.  The jobs have a log of deaths each.  a0 and b0 get the same group, without both, and b0 gets it
# although a0 is outside of MPI from then on until b0 has it.
#
#   S0-1: a call that needs a dead process returns in bounded time
#   S0-75: all survivors get the same group from shrink
#
# RUN: shrink ; time 120 ; expect "its turn of all 20 places"
# RUN: validate ; time 120 ; expect "its turn of all 20 places"
# RUN: shrink ; set MACHINES=2 ; time 120 ; expect "its turn of all 20 places"
# RUN: validate ; set MACHINES=2 ; time 120 ; expect "its turn of all 20 places"

cat >two.c <<'C'
#include "two_jobs.h"

static MPI_Comm both;

/* a2 votes, and says so to a1, which ends both after a while: somewhere in the votes of the others. */
static void be_victim(int rank, int delay_us, int validates)
{
    MPI_Comm pair, shrunk;
    MPI_Request vote;
    MPI_Group failed;
    int word = 0;

    MPI_Comm_split(MPI_COMM_WORLD, 1, rank, &pair);
    MPI_Barrier(both);
    if (rank == 1) {
        MPI_Recv(&word, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        usleep((useconds_t)delay_us);
        MPI_Abort(pair, 3);
    }
    if (validates) {
        MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Comm_validate(both, &failed);
    } else {
        MPIX_Comm_ishrink(both, &shrunk, &vote);
        MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Wait(&vote, MPI_STATUS_IGNORE);
    }
    pause();
}

static void print_group(const char *who, MPI_Group g)
{
    int in[4] = {0, 1, 2, 3}, out[4];
    MPI_Group all;

    MPI_Comm_group(both, &all);
    MPI_Group_translate_ranks(all, 4, in, g, out);
    printf("%s", who);
    for (int i = 0; i < 4; i++)
        if (out[i] != MPI_UNDEFINED)
            printf(" %d", i);
    printf("\n");
    fflush(stdout);
}

/* A|B DELAY-IN-US shrink|validate */
int main(int argc, char **argv)
{
    int is_a = argv[1][0] == 'A', validates = argv[3][0] == 'v', rank, n = 4;
    MPI_Comm none, shrunk;
    MPI_Group group;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    both = connect_all(is_a);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (is_a && rank > 0)
        be_victim(rank, atoi(argv[2]), validates);
    MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, rank, &none);
    MPI_Barrier(both);
    while (n == 4) { /* the abort may come behind the first one */
        if (validates) {
            CHECK(MPI_Comm_validate(both, &group) == MPI_SUCCESS);
            MPI_Group_size(group, &n);
            n = 4 - n;
        } else {
            CHECK(MPIX_Comm_shrink(both, &shrunk) == MPI_SUCCESS);
            MPI_Comm_group(shrunk, &group);
            MPI_Group_size(group, &n);
        }
    }
    print_group(is_a ? "a0" : "b0", group);
    if (!is_a)
        say("b0 has it");
    while (is_a && access("port.old", F_OK)) /* outside of MPI */
        usleep(1000);
    _exit(0);
}
C
. "$MEND_TEST_ROOT/test/kill/turns.sh"
. "$MEND_TEST_ROOT/test/build.sh"
build two "$PWD/two.c" -O1 -I "$MEND_TEST_ROOT/test/kill/spawn"

wrong()
{
    echo "wrong: $*"
    tail -n 40 a.out b.out
    exit 1
}

want=" 0 3"
[ "$1" = validate ] && want=" 1 2"
aborts=0
for turn in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
    is_its_turn || continue
    rm -f port port.old ./*.out
    mpiexec -q --timeout 20 --lenient-exit -n 3 ./two A $((turn * 20)) "$1" >a.out 2>&1 &
    a=$!
    mpiexec -q --timeout 20 --lenient-exit -n 1 ./two B 0 "$1" >b.out 2>&1
    wait $a # neither job ends well: nobody calls MPI_Finalize
    grep -q "^a0$want\$" a.out || wrong "a0 has another group (turn $turn)"
    grep -q "^b0$want\$" b.out || wrong "b0 has another group (turn $turn)"
    aborts=$((aborts + 1))
done
say_places $aborts
