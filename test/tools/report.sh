# SPDX-License-Identifier: BSD-3-Clause
# report.sh – the lines of mpiexec --report are those that mend-info --report and mpiexec(1) name, with
# these members, of these types, in this order.
#
# RUN: ; expect "all report checks passed" ; time 60

fail()
{
    echo "wrong: $*"
    exit 1
}

mend-info --report >table || fail "mend-info --report"
# The list in the manual page: .It Li NAME : MEMBER , MEMBER
sed -n '/^\.Sh THE REPORT/,/^\.Sh ENV/s/^\.It Li //p' "$MEND_TEST_STAGE/share/man/man1/mpiexec.1" |
    tr -d ':,' | tr -s ' ' | sort >page
awk '/^  [a-z]/ { if (line) print line; line = $1 } /^    [a-z]/ { line = line " " $1 } END { print line }' table |
    sort >named
diff page named || fail "the manual page and the table differ"
[ "$(wc -l <named)" -ge 15 ] || fail "only $(wc -l <named) lines are in the table"

# Jobs that write every kind of line.
cat >many.c <<'CODE'
#include <mpi.h>
#include <signal.h>

static void on_notify(MPI_Group sender, int key, const void *data, int bytes, void *state)
{
    (void)sender, (void)key, (void)data, (void)bytes, (void)state;
}

int main(int argc, char **argv)
{
    MPI_Comm comm, shrunk;
    MPI_Win win;
    void *base;
    MPI_Group failed;
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&comm);
    if (comm != MPI_COMM_NULL) {
        MPI_Comm_disconnect(&comm);
        return MPI_Finalize();
    }
    MPIX_Comm_refilled(&comm);
    if (comm != MPI_COMM_NULL) {
        MPI_Comm_free(&comm);
        return MPI_Finalize();
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &comm, MPI_ERRCODES_IGNORE);
    MPI_Comm_disconnect(&comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &rank);
    MPIX_Notify_register(1, on_notify, NULL);
    MPI_Comm_group(comm, &failed);
    MPIX_Notify(failed, rank, 1, NULL, 0, &size);
    MPI_Group_free(&failed);
    MPI_Win_allocate(8, 8, MPI_INFO_NULL, comm, &base, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    if (rank == 1)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Barrier(comm);
    if (rank == 1)
        raise(SIGKILL);
    if (rank == 2)
        MPI_Abort(MPI_COMM_SELF, 7);
    while (MPI_Barrier(comm) == MPI_SUCCESS)
        ;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Win_unlock(0, win);
    MPI_Win_free(&win);
    MPIX_Comm_revoke(comm);
    MPIX_Comm_shrink(comm, &shrunk);
    MPI_Comm_validate(MPI_COMM_WORLD, &failed);
    MPI_Group_size(failed, &size);
    MPI_Group_free(&failed);
    MPI_Comm_free(&shrunk);
    MPIX_Comm_refill(comm, MPI_INFO_NULL, &shrunk);
    MPI_Comm_free(&shrunk);
    MPI_Comm_free(&comm);
    return MPI_Finalize();
}
CODE
cat >rolls.c <<'CODE'
#include <mpi.h>
#include <signal.h>

static int recover(MPI_Comm comm, int inside, void *state)
{
    (void)comm, (void)inside, (void)state;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    MPIX_Module m;
    MPI_Comm comm;
    int rank, recovered;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPIX_Module_create(MPI_COMM_WORLD, recover, NULL, MPIX_MODULE_ROLL_BACK, &m);
    MPIX_Module_enter(m, &comm);
    if (rank == 1)
        raise(SIGKILL);
    MPIX_Module_leave(m, &recovered);
    MPIX_Module_free(&m);
    return MPI_Finalize();
}
CODE
mpicc rolls.c -o rolls || fail "rolls.c does not compile"
mpiexec -q -n 3 --lenient-exit --report rolls.json ./rolls || fail "rolls"
mpicc many.c -o many || fail "many.c does not compile"
mpiexec -q -n 4 --lenient-exit --report many.json --inject 'stop:3@call:MPIX_Comm_revoke' --stop-timeout 0.2 ./many
mpiexec -q -n 3 --lenient-exit --report injected.json --inject 'kill:1@init.done' ./many
mpiexec -q -n 2 --machines 2 --lenient-exit --set LEASE=0.3 --report lost.json --inject node:1@time:100ms sleep 0.6 || fail "a lost node"
python3 - <<'PYTHON' || fail "see above"
import json

types, members = {"number": int, "text": str, "truth": bool}, {}
for line in open("table").read().splitlines()[2:]:
    if line.startswith("    "):
        members[name][line.split()[0]] = types[line.split()[1]]
    else:
        name = line.split()[0]
        members[name] = {}
seen = set()
for path in ("many.json", "injected.json", "rolls.json", "lost.json"):
    for line in map(json.loads, open(path)):
        event = line.pop("event")
        assert type(line.pop("t_ns")) is int, line
        assert {k: type(v) for k, v in line.items()} == members[event], (event, line, members[event])
        seen.add(event)
missing = set(members) - seen - {"continued", "suspicion"}
assert not missing, f"no job wrote {missing}"
PYTHON
echo "all report checks passed"
