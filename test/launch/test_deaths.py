# SPDX-License-Identifier: BSD-3-Clause
#
#   S3-2: process failures are detected
#   S3-7: the library may end the excluded process
#   S3-14: the detector may be perfect
"""Ranks that die: each is seen, told to the others and counted."""
import ctypes
import json
import os
import re
import signal
import time

import pytest

from processes import CAUSES, cpu_seconds, let_end, LIMIT, rank_pids, read_until, seize, state_of, wait_until


DEATHS = pytest.mark.parametrize("what, cause, code", CAUSES)


def death_check(run, words, env, cause, code):
    r = run("--stop-timeout", 0.3, "-n", 3, *words, env=env)
    assert f"rank 1 cause {cause} code {code} fate 1" in r.out
    assert "alive" not in r.out
    assert "rank 1 (pid " in r.err


@DEATHS
def test_deaths(probe, run, what, cause, code):
    """S3-2, S3-7, S3-14: every way to die is seen, is true when it is told, and has its cause."""
    death_check(run, [probe, "pair", what], {}, cause, code)


@DEATHS
def test_deaths_without_waitv(probe, run, what, cause, code):
    """The same on kernels without futex_waitv."""
    death_check(run, [probe, "pair", what], {"MEND_AGENT_NO_WAITV": "1"}, cause, code)


@DEATHS
def test_deaths_in_scripts(probe, run, what, cause, code):
    """The same if a shell script is around each rank."""
    death_check(run, ["sh", "-c", f"{probe} pair {what}; exit $?"], {}, cause, code)


def test_many_ranks(probe, run):
    """More ranks than one futex_waitv can watch; a death in the second group is seen."""
    r = run("-q", "-n", 140, "sh", "-c",
            f"case $MEND_RANK in 139) exec {probe} exit-without 0;; *) exec {probe} hello;; esac")
    assert r.status == 1


def test_descriptors(start):
    """A rank that has closed its output costs one descriptor."""
    p = start("-n", 100, "sh", "-c", "exec sleep 100 >/dev/null 2>&1")
    wait_until(lambda: p.poll() is None and 100 < len(os.listdir(f"/proc/{p.pid}/fd")) < 120)


def test_death_storm(probe, start, tmp_path):
    """Many ranks die at the same time; each gets one verdict, and the others are all told."""
    for _ in range(5):
        report = tmp_path / "report"
        p = start("-q", "--report", report, "-n", 12, "sh", "-c", f"echo $$; exec {probe} hang")
        pids = [int(p.stdout.readline()) for _ in range(12)]
        time.sleep(0.3)
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        p.communicate(timeout=LIMIT)
        assert p.returncode == 137
        lines = [json.loads(x) for x in open(report)]
        assert sorted(x["rank"] for x in lines if x["event"] == "death") == list(range(12))
        assert sorted(x["number"] for x in lines if x["event"] == "verdict") == list(range(12))


def probes(probe, start, n, *flags):
    """Starts n ranks that wait; returns mpiexec and their processes when they have joined."""
    p = start(*flags, "-n", n, probe, "hang")
    wait_until(lambda: len(rank_pids(p)) == n and all(state_of(x) == "S" for x in rank_pids(p)))
    return p, rank_pids(p)


def counts(err):
    """How many ranks go on, as the lines about deaths say."""
    return [int(x) for x in re.findall(r"killed by signal 9 \(Killed\); (\d+) ranks? (?:go|goes) on", err)]


def test_count_of_those_who_go_on(probe, start):
    """A rank that was killed does not go on, even if a debugger holds its process at its end."""
    p, pids = probes(probe, start, 4, "--set", "KILL_TIMEOUT=0")
    seize(pids[2], 0x40)  # PTRACE_O_TRACEEXIT
    os.kill(pids[2], signal.SIGKILL)
    os.kill(pids[1], signal.SIGKILL)
    text, _ = read_until(p.stderr.fileno(), "\n")
    assert counts(text) == [2]
    let_end(pids[2])
    text, _ = read_until(p.stderr.fileno(), "\n")
    assert counts(text) == [2]
    os.kill(pids[0], signal.SIGKILL)
    text, _ = read_until(p.stderr.fileno(), "\n")
    assert counts(text) == [1]
    os.kill(pids[3], signal.SIGKILL)
    assert counts(p.communicate(timeout=LIMIT)[1].decode()) == []


def test_count_of_deaths_that_come_together(probe, start):
    """Deaths that mpiexec sees together give one number, which is that of the ranks that really go on."""
    p, pids = probes(probe, start, 6)
    os.kill(p.pid, signal.SIGSTOP)
    wait_until(lambda: state_of(p.pid) == "T")
    for r in (1, 2, 4):
        os.kill(pids[r], signal.SIGKILL)
    wait_until(lambda: all(state_of(pids[r]) == "Z" for r in (1, 2, 4)))
    os.kill(p.pid, signal.SIGCONT)
    text = ""
    while len(counts(text)) < 3:
        text += read_until(p.stderr.fileno(), "\n")[0]
    assert counts(text) == [3, 3, 3]
    for r in (0, 3, 5):
        os.kill(pids[r], signal.SIGKILL)
    p.communicate(timeout=LIMIT)


def test_ended_rank_costs_no_time(probe, start):
    """A rank that has ended is not looked at again and again, also if somebody else still holds a copy of the socket
    to it, as the keeper does until it has got a processor."""
    p = start("-q", "-n", 2, probe, "pair", "x")
    wait_until(lambda: len(rank_pids(p)) == 2 and os.path.exists(f"/proc/{p.pid}/fd"))
    time.sleep(0.2)
    pidfd = os.pidfd_open(p.pid)
    copies = [ctypes.CDLL(None, use_errno=True).syscall(438, pidfd, int(fd), 0)  # pidfd_getfd
              for fd in os.listdir(f"/proc/{p.pid}/fd")
              if os.readlink(f"/proc/{p.pid}/fd/{fd}").startswith("socket:")]
    assert copies and min(copies) >= 0, copies
    os.kill(rank_pids(p)[0], signal.SIGSTOP)  # the job goes on
    os.kill(rank_pids(p)[1], signal.SIGKILL)
    wait_until(lambda: state_of(rank_pids(p)[1]) == "Z")
    before = cpu_seconds(p.pid)
    time.sleep(1)
    used = cpu_seconds(p.pid) - before
    for fd in [*copies, pidfd]:
        os.close(fd)
    os.kill(rank_pids(p)[0], signal.SIGCONT)
    p.communicate(timeout=LIMIT)
    assert used < 0.3, f"{used} s of processor time in one second"
