# SPDX-License-Identifier: BSD-3-Clause
# s5_13_two_jobs.sh – two jobs whose mpiexec run on m1 connect, wherever their ranks are: all their processes talk.  Then a rank of either
# dies, an agent, a machine, or the mpiexec of one.  The others learn of exactly these losses in time, and go on.
#
# The flags of the host's job, and of the guest's; what connected.c does.
#
#   S5-1: a death is known on every node in bounded time
#   S5-2: the loss of a node is one verdict over all its processes
#   S5-7: the loss of mpiexec ends every rank on every node, and nothing stays behind
#   S5-8: the death of an agent is the loss of its node
#   S5-13: processes are created and connected across nodes, on living ones with room
#
# RUN: "-n 2" "-n 3 --hosts m1:1,m2:1,m3:1" talk ; time 60 ; lines 5
# RUN: "-n 3 --hosts m1:1,m2:1,m3:1" "-n 2" talk ; time 60 ; lines 5
# RUN: "-n 2" "-n 2 --hosts m2:1,m3:1" talk ; time 60 ; lines 4
# RUN: "-n 2 --hosts m2:2" "-n 1 --hosts m3:1" talk ; time 60 ; lines 3
# RUN: "-n 3 --hosts m1:1,m2:2" "-n 2 --hosts m1:1,m3:1" talk ; time 60 ; lines 5
# RUN: "-n 2 --interface eth0" "-n 2 --hosts m2:1,m3:1" talk ; time 60 ; lines 4
#
# Another job comes first, of this machine's nodes, so that the job has a port already that other machines do not reach.
#
# RUN: "-n 2" "-n 2 --hosts m2:1,m3:1" twice ; time 60 ; lines 6
#
# One of the jobs takes connections on its machine only, as all its nodes are there.
#
# RUN: "-n 2 --machines 2" "-n 2 --hosts m2:1,m3:1" refused ; time 60 ; expect "guest: MPI_ERR_PORT" ; expect "one of the jobs takes connections on this machine only"
# RUN: "-n 2 --hosts m2:1,m3:1" "-n 2 --machines 2" refused ; time 60 ; expect "guest: MPI_ERR_PORT" ; expect "one of the jobs takes connections on this machine only"
#
# RUN: "-n 2" "-n 3 --hosts m1:1,m2:1,m3:1" kill 1 ; time 60 ; expect "rank 0 went on" ; expect "rank 2 went on" ; expect "rank 3 went on" ; expect "rank 4 went on"
# RUN: "-n 2" "-n 3 --hosts m1:1,m2:1,m3:1" kill 4 ; time 60 ; expect "rank 0 went on" ; expect "rank 1 went on" ; expect "rank 2 went on" ; expect "rank 3 went on"
# RUN: "-n 2" "-n 3 --hosts m1:1,m2:1,m3:1" all 4 ; time 60 ; signal KILL 3 --agent at "ready" ; within 1.5 ; expect "rank 0 went on" ; expect "rank 1 went on" ; expect "rank 2 went on" ; expect "rank 3 went on"
# RUN: "-n 2" "-n 4 --hosts m1:1,m2:1,m3:2" all 4 5 ; time 60 ; cut 3 at "ready" ; within 2 ; expect "rank 0 went on" ; expect "rank 1 went on" ; expect "rank 2 went on" ; expect "rank 3 went on"
# RUN: "-n 2 --hosts m1:1,m2:1" "-n 2 --hosts m1:1,m3:1" all 1 ; time 60 ; freeze 2 at "ready" ; within 2 ; expect "rank 0 went on" ; expect "rank 2 went on" ; expect "rank 3 went on"
#
# mpiexec has the name of its side among its arguments.  Whether ranks on other machines have ended nobody can see, so their leases are waited for.
#
# RUN: "-n 2" "-n 3 --hosts m1:1,m2:1,m3:1" all 2 3 4 ; time 60 ; signal KILL 1 guest at "ready" ; within 1.5 ; expect "rank 0 went on" ; expect "rank 1 went on"
# RUN: "-n 2" "-n 3 --hosts m1:1,m2:1,m3:1" all 0 1 ; time 60 ; signal KILL 1 host at "ready" ; within 2 ; expect "rank 2 went on" ; expect "rank 3 went on" ; expect "rank 4 went on"
#
# A rank that is cut off runs until its lease is over, which is longer than that of the other job.
#
# RUN: "-n 2" "-n 2 --hosts m1:1,m3:1 --set LEASE=5" trace 2 3 ; time 60 ; unplug 3 at "ready" ; signal KILL 1 guest at +0ms ; within 9 ; left 6 ; expect "rank 0 went on" ; expect "rank 1 went on"
#
# The same if its machine refuses all connections from then on, which says nothing of the rank.
#
# RUN: "-n 2" "-n 2 --hosts m1:1,m3:1 --set LEASE=5" trace 2 3 ; time 60 ; refuse 3 at "ready" ; signal KILL 1 guest at +0ms ; within 9 ; left 6 ; expect "rank 0 went on" ; expect "rank 1 went on"
. "$MEND_TEST_ROOT/test/build.sh"
build connected "$MEND_TEST_ROOT/test/machines/connected.c" -O1 -I "$MEND_TEST_ROOT/test/kill/spawn"

host=$1 guest=$2
shift 2
mpiexec --timeout 40 --lenient-exit $host ./connected host "$@" &
if [ "$1" = twice ]; then
    set -- talk
    mpiexec --timeout 40 --lenient-exit -n 2 --machines 2 ./connected guest talk &
    until [ -e port.old ]; do sleep 0.01; done # the host has another port, at which it waits
fi
mpiexec --timeout 40 --lenient-exit $guest ./connected guest "$@" &
wait
