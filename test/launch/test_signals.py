# SPDX-License-Identifier: BSD-3-Clause
"""Signals to mpiexec."""
import os
import re
import select
import signal
import time
from contextlib import suppress

from processes import LIMIT, marked, rank_pids, read_until, state_of, wait_until


def test_signal_forwarded(start):
    """SIGTERM reaches the ranks once; if they finish cleanly the status is 0."""
    p = start("-n", 2, "bash", "-c", 'trap "echo got; exit 0" TERM; echo up; while :; do sleep 0.05; done')
    for _ in range(2):
        assert p.stdout.readline() == b"up\n"
    p.send_signal(signal.SIGTERM)
    out, _ = p.communicate(timeout=LIMIT)
    assert (out, p.returncode) == (b"got\ngot\n", 0)


def test_signal_ends(probe, start):
    """Ranks that die of the forwarded signal: mpiexec ends by it too, and says nothing per rank."""
    p = start("-n", 3, probe, "hang")
    time.sleep(0.5)
    p.send_signal(signal.SIGINT)
    _, err = p.communicate(timeout=LIMIT)
    assert (p.returncode, err) == (-signal.SIGINT, b"")


def test_second_signal_kills(start):
    """Ranks that ignore the first signal are killed by the second."""
    p = start("-n", 2, "sh", "-c", 'trap "" TERM; echo up; while :; do sleep 0.05; done')
    for _ in range(2):
        p.stdout.readline()
    p.send_signal(signal.SIGTERM)
    time.sleep(0.5)
    assert p.poll() is None
    p.send_signal(signal.SIGTERM)
    p.communicate(timeout=5)
    assert p.returncode == -signal.SIGTERM


def test_suspend_and_continue(start):
    """SIGTSTP stops the whole job, SIGCONT continues it, and the time between does not count."""
    mark, env = marked()
    p = start("--stop-timeout", 1, "-n", 2, "sh", "-c", "echo up; sleep 1; echo done", env=env)
    for _ in range(2):
        p.stdout.readline()
    p.send_signal(signal.SIGTSTP)
    wait_until(lambda: state_of(p.pid) == "T")
    time.sleep(2)
    p.send_signal(signal.SIGCONT)
    out, err = p.communicate(timeout=LIMIT)
    assert (out, err, p.returncode) == (b"done\ndone\n", b"", 0)


def pair_with_stopped_mpiexec(probe, start, timeout, *args):
    """Rank 2 waits for rank 1, which is killed while mpiexec is stopped."""
    p = start("--set", f"AGENT_STOP_TIMEOUT={timeout}", *args, "-n", 3, probe, "pair", "x")
    wait_until(lambda: len(rank_pids(p)) == 3)
    time.sleep(0.2)
    pids = rank_pids(p)
    os.kill(p.pid, signal.SIGSTOP)
    wait_until(lambda: state_of(p.pid) == "T")
    os.kill(pids[1], signal.SIGKILL)
    return p, pids


def test_stopped_mpiexec_is_continued(probe, start):
    """A stopped mpiexec does not hide a death for longer than AGENT_STOP_TIMEOUT, and says that it was stopped."""
    p, _ = pair_with_stopped_mpiexec(probe, start, 1)
    assert "rank 1 cause 1 code 9" in p.stdout.readline().decode()
    _, err = p.communicate(timeout=LIMIT)
    assert f"mpiexec (pid {p.pid}, host " in err.decode()
    assert err.decode().count("was stopped for") == 1


def test_stopped_mpiexec_is_left_alone(probe, start):
    """It stays stopped where the user has said so, or when all ranks are stopped, too."""
    for timeout, stops in (0, False), (1, True):
        p, pids = pair_with_stopped_mpiexec(probe, start, timeout)
        if stops:
            for r in (0, 2):
                os.kill(pids[r], signal.SIGSTOP)
        time.sleep(3)
        assert state_of(p.pid) == "T"
        os.kill(p.pid, signal.SIGCONT)
        with suppress(ProcessLookupError):  # mpiexec, which runs again, may have ended them
            for r in (0, 2):
                os.kill(pids[r], signal.SIGCONT)
        assert b"was stopped for" not in p.communicate(timeout=LIMIT)[1]


def test_suspended_job_stays_suspended(start):
    """The keeper does not continue an mpiexec that has stopped the whole job, although a rank ignores that."""
    p = start("--set", "AGENT_STOP_TIMEOUT=1", "-n", 2, "sh", "-c", 'trap "" TSTP; echo up; sleep 4; echo done')
    for _ in range(2):
        p.stdout.readline()
    p.send_signal(signal.SIGTSTP)
    wait_until(lambda: state_of(p.pid) == "T")
    time.sleep(3)
    assert state_of(p.pid) == "T"
    p.send_signal(signal.SIGCONT)
    assert p.communicate(timeout=LIMIT) == (b"done\ndone\n", b"")


def test_usr1_prints_waits(probe, start):
    """SIGUSR1 to mpiexec prints what each rank waits for; the job goes on."""
    p = start("-n", 2, probe, "waits")
    time.sleep(0.5)
    p.send_signal(signal.SIGUSR1)
    text, _ = read_until(p.stderr.fileno(), "waiting for rank 0")
    assert "waiting for rank 1" in text
    assert p.poll() is None


def test_usr1_at_the_end(start):
    """SIGUSR1 that comes when all ranks have ended changes nothing."""
    p = start("-n", 4, "sh", "-c", "sleep 0.5; head -c 60000 /dev/zero")  # fits their pipes, not ours

    def blocks_it():
        with open(f"/proc/{p.pid}/status") as f:
            return int(re.search(r"SigBlk:\s*(\w+)", f.read())[1], 16) >> (signal.SIGUSR1 - 1) & 1

    wait_until(blocks_it)
    wait_until(lambda: not blocks_it())
    p.send_signal(signal.SIGUSR1)
    out, _ = p.communicate(timeout=LIMIT)
    assert (p.returncode, out.count(b"\0")) == (0, 240000)


def test_stopped_mpiexec(probe, start):
    """While mpiexec itself is stopped nobody is declared dead, and that time does not count against a stopped rank."""
    p = start("--stop-timeout", 1.5, "-n", 3, probe, "pair", "x")
    wait_until(lambda: len(rank_pids(p)) == 3)
    time.sleep(0.2)
    pids = rank_pids(p)
    os.kill(pids[2], signal.SIGSTOP)
    time.sleep(0.2)
    os.kill(p.pid, signal.SIGSTOP)
    wait_until(lambda: state_of(p.pid) == "T")
    os.kill(pids[1], signal.SIGKILL)
    time.sleep(2)
    assert select.select([p.stdout], [], [], 0)[0] == []
    assert state_of(pids[2]) == "T"
    os.kill(p.pid, signal.SIGCONT)
    assert "rank 1 cause 1 code 9" in p.stdout.readline().decode()
    assert state_of(pids[2]) == "T"
    os.kill(pids[2], signal.SIGCONT)
    out, err = p.communicate(timeout=LIMIT)
    assert (p.returncode, err.decode().count("mend:")) == (0, 1)
