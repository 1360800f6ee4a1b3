# SPDX-License-Identifier: BSD-3-Clause
"""Nothing is left behind."""
import ctypes
import os
import signal
import subprocess
import time

import pytest

from processes import children, LIMIT, marked, nothing_is_left_after, processes_with, state_of, wait_until, with_probe


def test_killed_mpiexec_leaves_nothing(probe, start):
    """kill -9 of mpiexec ends ranks, their children, and the keeper."""
    nothing_is_left_after(subprocess.Popen.kill, start, "-n", 2, probe, "grandchild")


def test_killed_mpiexec_with_scripts(probe, start):
    """The same if shell scripts are around the ranks."""
    nothing_is_left_after(subprocess.Popen.kill, start, "-n", 2, "sh", "-c", f"{probe} hang & sleep 100; true")


def test_killed_while_starting(probe, start):
    """kill -9 of mpiexec at any moment of the start leaves nothing."""
    mark, env = marked()
    for i in range(40):
        p = start("-n", 8, probe, "hang", env=env)
        time.sleep(i * 0.0005)
        p.kill()
        p.communicate()
    wait_until(lambda: not processes_with(mark), 5)


def test_normal_end_leaves_nothing(start):
    """Background processes and daemons of ranks end with the job."""
    mark, env = marked()
    script = "setsid sleep 100 >/dev/null 2>&1 & sleep 100 & (setsid sh -c 'sleep 100 & sleep 100' &) ; sleep 0.3"
    p = start("-n", 2, "bash", "-c", script, env=env)
    p.communicate(timeout=LIMIT)
    assert p.returncode == 0
    wait_until(lambda: not processes_with(mark), 2)


@pytest.fixture
def adopted_orphans():
    """Orphans of what we start become our children, PR_SET_CHILD_SUBREAPER."""
    assert ctypes.CDLL(None).prctl(36, 1, 0, 0, 0) == 0
    yield
    assert ctypes.CDLL(None).prctl(36, 0, 0, 0, 0) == 0


@pytest.mark.parametrize("words", [
    ["-n", 3, "true"],
    ["-n", 3, "PROBE", "pair", "kill"],
    ["-n", 2, "bash", "-c", "setsid sleep 100 >/dev/null 2>&1 & sleep 0.2"],
])
def test_no_zombies(probe, run, words, adopted_orphans):
    """mpiexec reaps its ranks, those that died too, and what they left behind: nobody else has to."""
    run("-q", *with_probe(probe, words))
    with open(f"/proc/self/task/{os.getpid()}/children") as f:
        left = f.read().split()
    for pid in left:
        os.waitpid(int(pid), 0)
    assert left == []


def test_times_of_ranks(start):
    """What the ranks used of the processor is in mpiexec's own account, as time(1) shows it."""
    p = start("-n", 2, "sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done")
    usage = os.wait4(p.pid, 0)[2]
    p.returncode = 0
    assert usage.ru_utime > 0.1, usage


def test_stopped_keeper(start):
    """A keeper that somebody has stopped does not keep the job from ending."""
    p = start("-n", 1, "sh", "-c", "echo up; read x", stdin=subprocess.PIPE)
    p.stdout.readline()

    def keepers():
        return [pid for pid in children(p) if open(f"/proc/{pid}/comm").read() == "mend-keeper\n"]

    wait_until(keepers)  # it takes its name when it runs
    keeper = keepers()
    assert len(keeper) == 1
    os.kill(keeper[0], signal.SIGSTOP)
    wait_until(lambda: state_of(keeper[0]) == "T")
    p.communicate(b"x\n", timeout=10)
    assert p.returncode == 0


def test_dead_rank_takes_its_children(start, tmp_path):
    """When a rank dies, what it started dies too, while the others go on."""
    mark, env = marked()
    p = start("-n", 2, "bash", "-c", f'wait_for() {{ while [ ! -e {tmp_path}/$1 ]; do sleep 0.02; done; }}; '
              '[ $MEND_RANK = 0 ] && { wait_for end; exit 0; }; '
              'MEND_TEST_CHILD=$MEND_TEST_MARK sleep 100 & echo up; wait_for die; kill -9 $$', env=env)
    assert p.stdout.readline() == b"up\n"
    child = mark.replace("MARK", "CHILD")
    wait_until(lambda: processes_with(child))
    open(f"{tmp_path}/die", "w").close()
    wait_until(lambda: not processes_with(child))
    assert p.poll() is None
    open(f"{tmp_path}/end", "w").close()
    _, err = p.communicate(timeout=LIMIT)
    assert "killed by signal 9 (Killed); 1 rank goes on" in err.decode()


def test_script_ends_first(probe, run):
    """A script that ends before the MPI process in it takes that process with it."""
    mark, env = marked()
    r = run("-n", 2, "sh", "-c", f"[ $MEND_RANK = 0 ] && exec {probe} pair x; {probe} hang & "
            "sleep 0.5; exit 5", env=dict([mark.split("=")]))
    assert "rank 1 cause" in r.out
    assert processes_with(mark) == []
