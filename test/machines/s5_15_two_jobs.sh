# SPDX-License-Identifier: BSD-3-Clause
# s5_15_two_jobs.sh – packets between processes of two connected jobs are dropped silently, while all of them still reach both mpiexec, on m1:
# of each two that cannot reach each other one is ended, in whichever job; and both jobs go on.
#
# The flags of the host's job, and of the guest's; what connected.c does.
#
#   S0-17: point-to-point that cannot complete because of a death ends with PROC_FAILED
#   S5-15: a broken connection is made again, nothing lost or doubled
#
# Two: one of them, and the other goes on.
#
# RUN: "-n 2 --hosts m1:1,m2:1" "-n 2 --hosts m1:1,m3:1" all 1/3 ; set REACH_TIMEOUT=2 ; time 60 ; partition 2|3 at "ready" ; within 8 ; expect "10.77.0.2 port" ; expect "10.77.0.3 port" ; expect ") cannot reach each other: rank 1 of this job is ended" ; expect "rank 0 went on" ; expect "rank 2 went on" ; lines 9
# RUN: "-n 2 --hosts m1:1,m2:1" "-n 2 --hosts m1:1,m3:1" all 1/3 ; set REACH_TIMEOUT=2 ; time 60 ; partition 3>2 at "ready" ; within 8 ; expect ") cannot reach each other: rank 1 of this job is ended" ; expect "rank 0 went on" ; expect "rank 2 went on" ; lines 9
#
# More of them, and one is not in MPI; pairs of one job are among them.  Some end, until all that are left reach each other; how many depends on how
# soon each of them notices it (cut_test.c).
#
# RUN: "-n 3 --hosts m1:1,m2:2" "-n 2 --hosts m1:1,m3:1" some 1 2 4 ; set REACH_TIMEOUT=2 ; time 60 ; partition 2|3 at "ready" ; within 8 ; expect ") cannot reach each other: rank " ; expect "rank 0 went on" ; expect "rank 3 went on"
# RUN: "-n 3 --hosts m1:1,m2:2" "-n 2 --hosts m1:1,m3:1" outside 1 2 4 ; set REACH_TIMEOUT=2 ; time 60 ; partition 2|3 at "ready" ; within 8 ; expect ") cannot reach each other: rank " ; expect "rank 0 went on" ; expect "rank 3 went on"
# RUN: "-n 3 --hosts m1:1,m2:1,m3:1" "-n 3 --hosts m1:1,m2:2" some 1 2 4 5 ; set REACH_TIMEOUT=2 ; time 60 ; partition 2|3 at "ready" ; within 8 ; expect ") cannot reach each other: rank " ; expect "rank 0 went on" ; expect "rank 3 went on"
#
# A firewall in front of the ports of a job of one machine, and of the machine of the other job.
#
# RUN: "-n 1 --port-range 4000:4009" "-n 1 --hosts m3:1 --port-range 5000:5009" all 0/1 ; set REACH_TIMEOUT=2 ; time 60 ; shut 1 4000-4009 at "ready" ; shut 3 5000-5009 at +0ms ; within 8 ; expect ") cannot reach each other: rank 0 of this job is ended" ; expect "went on"
#
# While ranks still try, the job of some of them ends.
#
# RUN: "-n 3 --hosts m1:1,m2:2" "-n 2 --hosts m1:1,m3:1" all 3 4 ; set REACH_TIMEOUT=3 ; time 60 ; partition 2|3 at "ready" ; signal KILL 1 guest at +1000ms ; within 8 ; expect "rank 0 went on" ; expect "rank 1 went on" ; expect "rank 2 went on"
# RUN: "-n 3 --hosts m1:1,m2:2" "-n 2 --hosts m1:1,m3:1" all 0 1 2 ; set REACH_TIMEOUT=3 ; time 60 ; partition 2|3 at "ready" ; signal KILL 1 host at +1000ms ; within 8 ; expect "rank 3 went on" ; expect "rank 4 went on"
. "$MEND_TEST_ROOT/test/build.sh"
build connected "$MEND_TEST_ROOT/test/machines/connected.c" -O1 -I "$MEND_TEST_ROOT/test/kill/spawn"

host=$1 guest=$2
shift 2
mpiexec --timeout 40 --lenient-exit $host ./connected host "$@" &
mpiexec --timeout 40 --lenient-exit $guest ./connected guest "$@" &
wait
