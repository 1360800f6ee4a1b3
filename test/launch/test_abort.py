# SPDX-License-Identifier: BSD-3-Clause
#
#   R27: a process that cannot die is declared dead after a second
#   S4-6: MPI_Abort ends all processes of its communicator
#   S4-10: an abort ends no processes that are not connected
"""Ranks that abort the job, or a part of it."""
import os
import re
import signal
import subprocess
import time

import pytest

from processes import let_end, LIMIT, marked, processes_with, rank_pids, seize, state_of, wait_until


def test_abort_spares_other_jobs(mpiexec, probe, run, start):
    """S4-10: an abort of everything ends its job and no other, beside it, around it or inside of it."""
    whole = f"{mpiexec} -q -n 3 {probe} abort-all 7"
    beside = start("-q", "-n", 2, "sh", "-c", f"echo up; sleep 0.5; exec {probe} hello")
    beside.stdout.readline()
    r = run("-n", 2, "sh", "-c", f"[ $MEND_RANK = 0 ] && {{ {whole}; echo inner $?; }}; "
            f"{mpiexec} -n 2 {probe} hello; exec {probe} hello")
    assert (r.status, r.out, r.err) == (0, "inner 7\n", "")
    out, err = beside.communicate(timeout=LIMIT)
    assert (beside.returncode, err) == (0, b"")
    mark, env = marked()  # but a job inside of an aborted rank ends with it, as all that the rank started
    r = run("-q", "-n", 2, "sh", "-c", f"[ $MEND_RANK = 0 ] && exec {probe} abort-all 7; "
            f"exec {mpiexec} -n 2 {probe} hang", env=env)
    assert r.status == 7
    wait_until(lambda: not processes_with(mark), 5)


def test_abort_is_one_line(probe, run):
    """An abort of the whole job is told in one line."""
    r = run("-n", 4, probe, "abort-all", 3)
    assert r.err == "mend: rank 0 aborted the job with code 3\n"


def abort_part(start, probe, n, meanwhile=lambda p: None, **more):
    """Starts n ranks of which rank 1 aborts all but rank 0; returns mpiexec when that has been asked for."""
    p = start("-n", n, probe, "abort-part", stdin=subprocess.PIPE, **more)
    assert p.stdout.readline() == b"up\n"
    meanwhile(p)
    p.stdin.write(b"x")
    p.stdin.flush()
    return p


def test_abort_is_seen_whole(start, probe):
    """S4-6: the ranks that one abort ends are dead together: a rank that sees one verdict sees all of them."""
    for _ in range(10):
        p = abort_part(start, probe, 8)
        out, err = p.communicate(timeout=LIMIT)
        assert (p.returncode, out) == (0, b"7 at once\n")
        told = re.findall(rb"aborted with code 6(.*)", err)  # rank 0 may have ended when it is counted
        assert len(told) == 7 and len(set(told)) == 1 and told[0] in (b"", b"; 1 rank goes on"), err


@pytest.mark.parametrize("killed", [True, False])
def test_abort_of_a_late_launcher(start, probe, killed):
    """The same if mpiexec was stopped meanwhile, and the one that aborts has been killed or ended by itself: its
    death is seen before its datagram is read, for the main thread asks what each rank waits for at first."""
    def stop(p):
        os.kill(p.pid, signal.SIGSTOP)
        wait_until(lambda: state_of(p.pid) == "T")
        os.kill(p.pid, signal.SIGUSR1)

    p = abort_part(start, probe, 4, stop)
    one = rank_pids(p)[1]
    wait_until(lambda: state_of(one) in "SZ")  # it has asked, and waits
    if killed:
        os.kill(one, signal.SIGKILL)
    wait_until(lambda: state_of(one) == "Z")
    os.kill(p.pid, signal.SIGCONT)
    assert (p.communicate(timeout=LIMIT)[0], p.returncode) == (b"3 at once\n", 0)


@pytest.mark.parametrize("timeout, dead, least", [(0, b"2 at once\n", 2), (1, b"3 at once\n", 0.8)])
def test_abort_of_one_that_does_not_end(start, probe, timeout, dead, least):
    """R27: one that cannot die, here because a debugger holds it, holds up the verdicts of the others of its abort
    for KILL_TIMEOUT only, and if that is never, for three seconds."""
    def hold(p):
        seize(rank_pids(p)[2], 0x40)  # PTRACE_O_TRACEEXIT

    p = abort_part(start, probe, 4, hold, env={**os.environ, "MEND_KILL_TIMEOUT": str(timeout)})
    begin, held = time.time(), rank_pids(p)[2]
    assert p.stdout.readline() == dead
    took = time.time() - begin
    assert least < took < 20, took
    assert p.poll() is None
    let_end(held)
    assert "rank 2 (pid " in p.communicate(timeout=LIMIT)[1].decode()
    assert p.returncode == 0
