# SPDX-License-Identifier: BSD-3-Clause
#
#   R27: a process that cannot die is declared dead after a second
#   R28: a process is dead when all its threads are at their end
#   S3-2: process failures are detected
#   S3-10: a running process is not suspected
"""Processes and threads that a debugger holds."""
import ctypes
import os
import select
import signal
import subprocess
import time

import pytest

from processes import (cpu_seconds, let_end, LIMIT, marked, processes_with, rank_pids, read_until, seize, state_of,
                       wait_until)


def test_traced_rank(start):
    """A traced rank is dead, and its tracer takes its time to hear of it: mpiexec waits, and does not poll."""
    mark, env = marked()
    p = start("-n", 1, "sleep", 100, env=env)
    wait_until(lambda: len(processes_with(mark)) == 3)  # mpiexec, its keeper, the rank
    rank = next(q for q in processes_with(mark) if open(f"/proc/{q}/comm").read() == "sleep\n")
    seize(rank)
    os.kill(rank, signal.SIGKILL)
    time.sleep(1)
    used = cpu_seconds(p.pid)
    os.waitpid(rank, 0x40000000)  # __WALL
    assert "killed by signal 9" in p.communicate(timeout=10)[1].decode()
    assert used < 0.3, f"{used} s of processor time while waiting for one second"


def test_debugger(probe, start):
    """S3-10: a debugger may stop a rank for as long as it likes; S3-2: killed meanwhile, it is dead for
    the others before the debugger has heard of it."""
    p = start("--stop-timeout", 0.2, "-n", 2, probe, "pair", "x")
    wait_until(lambda: len(rank_pids(p)) == 2)
    time.sleep(0.2)
    rank = rank_pids(p)[1]
    seize(rank)
    ctypes.CDLL(None).ptrace(0x4207, rank, None, None)  # PTRACE_INTERRUPT
    wait_until(lambda: state_of(rank) == "t")
    time.sleep(1)
    assert (p.poll(), state_of(rank)) == (None, "t")
    p.send_signal(signal.SIGUSR1)
    read_until(p.stderr.fileno(), "stopped by a debugger")
    os.kill(rank, signal.SIGKILL)
    assert p.stdout.readline() == b"rank 1 cause 1 code 9 fate 1\n"
    os.waitpid(rank, 0x40000000)  # __WALL
    p.communicate(timeout=LIMIT)


def hold_a_thread(probe, start, timeout, *flags):
    """A job of which rank 1 has four threads beside its main thread, and we hold one of them at its end; rank 1 is
    killed.  Returns mpiexec and the thread."""
    p = start(*flags, "--set", f"KILL_TIMEOUT={timeout}", "-n", 2, probe, "pair", "threads")
    wait_until(lambda: len(rank_pids(p)) == 2)
    rank = rank_pids(p)[1]
    threads = 5 + ("TSAN_OPTIONS" in os.environ)  # the thread sanitizer has one of its own
    wait_until(lambda: len(os.listdir(f"/proc/{rank}/task")) == threads and state_of(rank) == "S")
    thread = sorted(map(int, os.listdir(f"/proc/{rank}/task")))[2]
    seize(thread, 0x40)  # PTRACE_O_TRACEEXIT
    os.kill(rank, signal.SIGKILL)
    wait_until(lambda: state_of(rank) == "Z")
    return p, thread


@pytest.mark.parametrize("env", [{}, {"MEND_AGENT_NO_WAITV": "1"}])
def test_held_thread(probe, start, monkeypatch, env):
    """R28: no verdict about a process before its last thread is at its end, which is one that a debugger holds here."""
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    p, thread = hold_a_thread(probe, start, 0)
    assert not select.select([p.stdout], [], [], 0.5)[0], p.stdout.readline()
    let_end(thread)
    assert p.stdout.readline() == b"rank 1 cause 1 code 9 fate 1\n"
    assert p.stdout.readline() == b"its process is dead\n"
    p.communicate(timeout=LIMIT)


def test_thread_that_does_not_end(probe, start):
    """R27: but it is not waited for longer than KILL_TIMEOUT, for it executes nothing of the program any more."""
    p, thread = hold_a_thread(probe, start, 0.5)
    begin = time.time()
    assert "rank 1 cause " in p.stdout.readline().decode()
    took = time.time() - begin
    assert 0.3 < took < 10, took
    let_end(thread)
    assert "rank 1 (pid " in p.communicate(timeout=LIMIT)[1].decode()
    assert p.returncode == 0


def start_and_stop_child(mpiexec, nth, *args):
    """Starts mpiexec and stops its nth rank between vfork and execve; returns mpiexec and that rank's number."""
    VFORK, CLONE, WALL = 2, 3, 0x40000000
    ptrace = ctypes.CDLL(None, use_errno=True).ptrace
    p = subprocess.Popen(["sh", "-c", 'kill -STOP $$; exec "$@"', "sh", mpiexec, *map(str, args)],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    wait_until(lambda: state_of(p.pid) == "T")
    seize(p.pid, 1 << VFORK | 1 << CLONE)
    os.kill(p.pid, signal.SIGCONT)
    threads, children, stopped, number = {p.pid}, [], set(), ctypes.c_ulong()
    while len(children) < nth or not children[-1] in stopped:
        pid, status = os.waitpid(-1, WALL)
        if not os.WIFSTOPPED(status):
            continue
        stopped.add(pid)
        event, sig = status >> 16, os.WSTOPSIG(status)
        if event in (VFORK, CLONE):
            ptrace(0x4201, pid, None, ctypes.byref(number))  # PTRACE_GETEVENTMSG
            if event == VFORK:
                children.append(number.value)
                if len(children) == nth:
                    ptrace(17, pid, None, 0)  # PTRACE_DETACH, for a parent that waits for its vfork cannot be stopped
                    threads.discard(pid)
                    stopped.discard(pid)
            else:
                threads.add(number.value)
        for t in stopped & threads:
            ptrace(7, t, None, 0 if t != pid or event or sig == signal.SIGTRAP else sig)  # PTRACE_CONT
        for c in stopped & set(children[:nth - 1]):
            ptrace(17, c, None, 0)
        stopped -= threads | set(children[:nth - 1])
    os.kill(children[-1], signal.SIGSTOP)
    ptrace(17, children[-1], None, 0)
    wait_until(lambda: state_of(children[-1]) == "T")
    for t in threads:
        ptrace(0x4207, t, None, None)  # PTRACE_INTERRUPT
        os.waitpid(t, WALL)
        ptrace(17, t, None, 0)
    return p, children[-1]


def test_stopped_before_execve(mpiexec, probe):
    """A rank that is stopped between vfork and execve is given the time of others that are stopped; a signal that
    shall end the job, and the job's time-out, end it at once."""
    if "TSAN_OPTIONS" in os.environ:
        pytest.skip("the thread sanitizer makes a fork of each vfork")
    p, rank = start_and_stop_child(mpiexec, 2, "--stop-timeout", 0.5, "-n", 3, probe, "pair", "x")
    out, err = p.communicate(timeout=LIMIT)
    assert (p.returncode, out) == (0, b"rank 1 cause 1 code 9 fate 1\nits process is dead\n")
    p, rank = start_and_stop_child(mpiexec, 2, "-n", 3, probe, "hang")
    p.send_signal(signal.SIGTERM)
    p.communicate(timeout=8)
    assert p.returncode == -signal.SIGTERM
    p, rank = start_and_stop_child(mpiexec, 1, "--timeout", 0.5, "-n", 3, probe, "hang")
    p.communicate(timeout=8)
    assert p.returncode == 124
    p, rank = start_and_stop_child(mpiexec, 3, "-n", 3, probe, "hello")
    os.kill(rank, signal.SIGCONT)
    assert (p.communicate(timeout=LIMIT), p.returncode) == ((b"", b""), 0)
