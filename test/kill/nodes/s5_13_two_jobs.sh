# SPDX-License-Identifier: BSD-3-Clause
# s5_13_two_jobs.sh – two jobs connect, each on so many nodes: all their processes talk, agree, revoke and part, and have a window and a
# file together.  Then a rank of either dies, an agent of either with all ranks of its node, or the mpiexec of one; and some ranks of both are
# aborted, on all nodes, or of the job that aborts on one.  The others learn of exactly these, at the first error of all that die
# together, and go on in a communicator of the rest.
#
# What happens; the agents of the host's job, and of the guest's; in which job it happens.
#
#   S0-59: a revocation reaches all survivors even if its caller dies
#   S2-5: creation is uniform: at all survivors or at none
#   S4-6: MPI_Abort ends all processes of its communicator
#   S5-1: a death is known on every node in bounded time
#   S5-2: the loss of a node is one verdict over all its processes
#   S5-7: the loss of mpiexec ends every rank on every node, and nothing stays behind
#   S5-8: the death of an agent is the loss of its node
#   S5-13: processes are created and connected across nodes, on living ones with room
#
# RUN: talk 1 2 ; time 60 ; expect "8 processes went on"
# RUN: talk 2 1 ; time 60 ; expect "8 processes went on"
# RUN: talk 2 3 ; time 60 ; expect "8 processes went on"
# RUN: rank 1 2 host ; time 60 ; expect "7 processes went on"
# RUN: rank 2 1 host ; time 60 ; expect "7 processes went on"
# RUN: rank 2 2 host ; time 60 ; expect "7 processes went on"
# RUN: rank 2 3 guest ; time 60 ; expect "7 processes went on"
# RUN: node 2 1 host ; time 60 ; expect "6 processes went on"
# RUN: node 2 2 host ; time 60 ; expect "6 processes went on"
# RUN: node 1 2 guest ; time 60 ; expect "6 processes went on"
# RUN: node 2 3 guest ; time 60 ; expect "7 processes went on"
# RUN: root 2 2 host ; time 60 ; expect "4 processes went on"
# RUN: root 2 1 host ; time 60 ; expect "4 processes went on"
# RUN: root 1 2 host ; time 60 ; expect "4 processes went on"
# RUN: root 2 3 guest ; time 60 ; expect "4 processes went on"
# RUN: abort 2 2 host ; time 60 ; expect "4 processes went on"
# RUN: abort 2 3 host ; time 60 ; expect "4 processes went on"
# RUN: abort 2 1 host ; time 60 ; expect "4 processes went on"
# RUN: abroad 2 2 host ; time 60 ; expect "5 processes went on"
# RUN: abroad 2 1 host ; time 60 ; expect "5 processes went on"
# RUN: shared 1 2 ; time 60 ; expect "8 processes went on"
# RUN: shared 2 2 ; time 60 ; expect "8 processes went on"
# RUN: names 2 2 ; time 60 ; expect "8 processes went on"
# RUN: names 1 3 ; time 60 ; expect "8 processes went on"

cat >joined.c <<'C'
#include "two_jobs.h"

#include <signal.h>
#include <sys/types.h>

static int host, rank, size; /* in the communicator of both jobs */

/* Each with each, with messages of all protocols; all together; and the ranks of one parity. */
static void talk(MPI_Comm c)
{
    const int bytes = 300000;
    int n, me, one = 1, flag = 1, sum = 0;
    char *out = malloc(bytes), *in = malloc(bytes);
    MPI_Comm part;

    MPI_Comm_size(c, &n);
    MPI_Comm_rank(c, &me);
    for (int step = 1; step < n; step++) {
        int to = (me + step) % n, from = (me + n - step) % n, len = step % 2 ? bytes : 100;

        memset(out, me, len);
        CHECK(MPI_Sendrecv(out, len, MPI_CHAR, to, step, in, len, MPI_CHAR, from, step, c,
                           MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(in[0] == from && in[len - 1] == from);
    }
    CHECK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c) == MPI_SUCCESS && sum == n);
    CHECK(MPIX_Comm_agree(c, &flag) == MPI_SUCCESS && flag == 1);
    CHECK(MPI_Comm_split(c, me % 2, me, &part) == MPI_SUCCESS);
    CHECK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, part) == MPI_SUCCESS);
    CHECK(sum == (n + (me % 2 == 0)) / 2);
    MPI_Comm_free(&part);
    free(out);
    free(in);
}

/* A copy is revoked by a process of each job in turn. */
static void revoke_in_turn(MPI_Comm c)
{
    for (int by = 0; by < size; by += size - 1) {
        MPI_Comm copy;
        int v;

        CHECK(MPI_Comm_dup(c, &copy) == MPI_SUCCESS);
        if (rank == by)
            CHECK(MPIX_Comm_revoke(copy) == MPI_SUCCESS);
        else
            CHECK(class_of(MPI_Recv(&v, 1, MPI_INT, by, 9, copy, MPI_STATUS_IGNORE)) ==
                  MPI_ERR_INVALIDATED);
        MPI_Comm_free(&copy);
    }
}

static int lost_first, lost_n, lost_step = 1;

/* The first error names all that died together, and no others. */
static void check_failed(MPI_Comm c)
{
    MPI_Group failed, all;
    int n;

    CHECK(MPIX_Comm_get_failed(c, &failed) == MPI_SUCCESS);
    MPI_Comm_group(c, &all);
    MPI_Group_size(failed, &n);
    CHECK(n == lost_n);
    for (int i = 0; i < n; i++) {
        int r;

        MPI_Group_translate_ranks(failed, 1, &i, all, &r);
        CHECK(r >= lost_first && (r - lost_first) % lost_step == 0);
    }
    MPI_Group_free(&failed);
    MPI_Group_free(&all);
}

static void kill_parent(void)
{
    kill(getppid(), SIGKILL);
    pause();
}

/* Process `at` comes back when all have come to this. */
static void await_all(MPI_Comm c, int at)
{
    int v = 0;

    if (rank != at)
        CHECK(MPI_Send(&v, 1, MPI_INT, at, 8, c) == MPI_SUCCESS);
    for (int i = 0; rank == at && i < size - 1; i++)
        CHECK(MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 8, c, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

/* One dies, or makes others die, when all others wait for it, or are about to. */
static void die(MPI_Comm c, const char *how, int in_host)
{
    int last = in_host ? 3 : 7;
    int abort = !strcmp(how, "abort") || !strcmp(how, "abroad");
    int ends = rank % 2 && !(rank == 3 && !strcmp(how, "abroad"));
    MPI_Comm part;

    if (abort)
        CHECK(MPI_Comm_split(c, ends, rank, &part) == MPI_SUCCESS);
    await_all(c, abort ? 1 : !strcmp(how, "root") ? last - 3 : last);

    if (!strcmp(how, "rank") && rank == last)
        raise(SIGKILL);
    if (!strcmp(how, "node") && rank == last)
        kill_parent();
    if (!strcmp(how, "root") && rank == last - 3)
        kill_parent();
    if (abort && rank == 1)
        MPI_Abort(part, 7);
    if (abort && ends)
        pause();
}

static void find_lost(MPI_Comm c, const char *how, int in_host)
{
    int first = in_host ? 0 : 4, parent = (int)getppid(), all[8];

    CHECK(MPI_Allgather(&parent, 1, MPI_INT, all, 1, MPI_INT, c) == MPI_SUCCESS);
    lost_first = first + 3;
    if (!strcmp(how, "root"))
        lost_first = first;
    while (!strcmp(how, "node") && all[lost_first - 1] == all[first + 3])
        lost_first--;
    lost_n = first + 4 - lost_first;
    if (!strcmp(how, "abort") || !strcmp(how, "abroad")) {
        lost_first = 1;
        lost_n = strcmp(how, "abort") ? 3 : 4;
        lost_step = 2;
    }
}

static void lose(MPI_Comm c, const char *how, int in_host)
{
    MPI_Comm rest;
    int v, err;

    find_lost(c, how, in_host);
    die(c, how, in_host);
    err = MPI_Recv(&v, 1, MPI_INT, lost_first, 9, c, MPI_STATUS_IGNORE);
    CHECK(class_of(err) == MPI_ERR_PROC_FAILED);
    check_failed(c);
    while (MPIX_Comm_shrink(c, &rest) != MPI_SUCCESS)
        ;
    MPI_Comm_size(rest, &size);
    CHECK(size == 8 - lost_n);
    MPI_Comm_set_errhandler(rest, MPI_ERRORS_RETURN);
    talk(rest);
    CHECK(MPI_Comm_disconnect(&rest) == MPI_SUCCESS);
}

/* A window and a file of all. */
static void share(MPI_Comm c)
{
    int *base, after = (rank + 1) % size;
    MPI_File f;
    MPI_Win w;

    CHECK(MPI_Win_allocate(size * sizeof(*base), sizeof(*base), MPI_INFO_NULL, c, &base, &w) ==
          MPI_SUCCESS);
    MPI_Win_fence(0, w);
    for (int i = 0; i < size; i++)
        CHECK(MPI_Put(&rank, 1, MPI_INT, i, rank, 1, MPI_INT, w) == MPI_SUCCESS);
    MPI_Win_fence(0, w);
    for (int i = 0; i < size; i++)
        CHECK(base[i] == i);
    CHECK(MPI_Barrier(c) == MPI_SUCCESS);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, after, 0, w);
    CHECK(MPI_Accumulate(&rank, 1, MPI_INT, after, 0, 1, MPI_INT, MPI_SUM, w) == MPI_SUCCESS);
    MPI_Win_unlock(after, w);
    CHECK(MPI_Barrier(c) == MPI_SUCCESS);
    CHECK(base[0] == (rank + size - 1) % size);
    MPI_Win_free(&w);
    CHECK(MPI_File_open(c, "file", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f) ==
          MPI_SUCCESS);
    CHECK(MPI_File_write_ordered(f, &rank, 1, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(MPI_File_sync(f) == MPI_SUCCESS && MPI_Barrier(c) == MPI_SUCCESS);
    CHECK(MPI_File_read_at(f, after * (MPI_Offset)sizeof(int), base = malloc(sizeof(int)), 1,
                           MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(*base == after);
    free(base);
    CHECK(MPI_File_close(&f) == MPI_SUCCESS);
}

/* The last process of the host publishes a name, and the last one of the guest finds it: not those with the port and the connection of
 * all others.  All jobs of a user share names, so it is that of the folder of this run. */
static void find_by_name(MPI_Comm c)
{
    char port[MPI_MAX_PORT_NAME], name[4096];
    MPI_Comm inter;
    int v = rank, got;

    CHECK(getcwd(name, sizeof(name)));
    if (rank == 3) {
        CHECK(MPI_Open_port(MPI_INFO_NULL, port) == MPI_SUCCESS);
        CHECK(MPI_Publish_name(name, MPI_INFO_NULL, port) == MPI_SUCCESS);
    }
    CHECK(MPI_Barrier(c) == MPI_SUCCESS);
    if (rank == 7) {
        CHECK(MPI_Lookup_name(name, MPI_INFO_NULL, port) == MPI_SUCCESS);
        CHECK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter) == MPI_SUCCESS);
    } else if (rank == 3) {
        CHECK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter) == MPI_SUCCESS);
        CHECK(MPI_Unpublish_name(name, MPI_INFO_NULL, port) == MPI_SUCCESS);
    } else {
        return;
    }
    CHECK(MPI_Sendrecv(&v, 1, MPI_INT, 0, 1, &got, 1, MPI_INT, 0, 1, inter, MPI_STATUS_IGNORE) ==
              MPI_SUCCESS &&
          got == 10 - rank);
    MPI_Comm_disconnect(&inter);
}

/* host|guest HOW [host|guest] */
int main(int argc, char **argv)
{
    MPI_Comm both;

    host = !strcmp(argv[1], "host");
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    both = connect_all(host);
    MPI_Comm_rank(both, &rank);
    MPI_Comm_size(both, &size);
    talk(both);
    revoke_in_turn(both);
    if (!strcmp(argv[2], "names"))
        find_by_name(both);
    else if (!strcmp(argv[2], "shared"))
        share(both);
    else if (strcmp(argv[2], "talk"))
        lose(both, argv[2], !strcmp(argv[3], "host"));
    CHECK(MPI_Comm_disconnect(&both) == MPI_SUCCESS);
    MPI_Finalize();
    printf("went on %d\n", rank);
    return 0;
}
C
. "$MEND_TEST_ROOT/test/build.sh"
build joined "$PWD/joined.c" -O1 -I "$MEND_TEST_ROOT/test/kill/spawn"

# begin host|guest AGENTS WORD...
begin()
{
    side=$1 agents=$2
    shift 2
    [ "$agents" = 1 ] && set -- ./joined $side "$@" || set -- --machines $agents ./joined $side "$@"
    mpiexec -n 4 --timeout 30 --lenient-exit "$@" >$side.out 2>&1 &
}

begin host "$2" "$1" "$4"
begin guest "$3" "$1" "$4"
wait
n=$(cat host.out guest.out | grep -c '^went on')
grep wrong host.out guest.out
echo "$n processes went on"
tail -n 30 host.out guest.out
