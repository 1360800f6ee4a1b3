# SPDX-License-Identifier: BSD-3-Clause
"""leftovers.py – what a run left behind: processes, files in /dev/shm.

The caller calls become_reaper() once: from then on a process whose parent has died is its child, so
whatever outlives mpiexec is found without looking at anybody else's processes."""
import ctypes
import os
import signal
import time

ORPHANS_S = 1  # a killed process may take a moment to go
PR_SET_CHILD_SUBREAPER = 36


def become_reaper():
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def orphans():
    """Process numbers of what is still there; it is killed."""
    deadline = time.monotonic() + ORPHANS_S
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return []
        if pid == 0 and time.monotonic() > deadline:
            break
        time.sleep(0 if pid else 0.002)
    with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as f:
        left = [int(p) for p in f.read().split()]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return left


def shm_files():
    """All but the directory of published names, which the jobs of a user share (test/mpi/spawn/names.sh), and the
    boards of benchmarks that run at the same time (test/bench/death.c)."""
    names = f"mend-{os.geteuid()}"
    return {f for f in os.listdir("/dev/shm") if "mend" in f and f != names and not f.startswith("mend-bench-")}
