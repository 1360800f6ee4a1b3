# SPDX-License-Identifier: BSD-3-Clause
#
#   R46: a stop of the whole job by its user harms nothing, however long it lasts
#   S5-3: a node that falls silent is lost in bounded time
#   S5-5: no node is lost because its agent runs late
#   S5-7: the loss of mpiexec ends every rank on every node, and nothing stays behind
"""Leases of agents, with mpiexec --machines: what a stop of mpiexec or of an agent does.

   S5-3: a node that falls silent is lost in bounded time
   S5-5: no node is lost because its agent runs late
   S5-7: the loss of mpiexec ends every rank on every node, and nothing stays behind
   R46: a stop of the whole job by its user harms nothing, however long it lasts
"""
import os
import re
import signal
import time

from processes import LIMIT, marked, nothing_is_left_after, processes_with, state_of, wait_until
from test_machines import agent_of

LEASE = 1.0


def begin(start, *args, nodes=3, seconds=2, env=None):
    """A job of a rank on each node, all of which run, for so long."""
    p = start("--machines", nodes, *args, "-n", nodes, "sh", "-c", f"echo up; sleep {seconds}; echo done", env=env)
    for _ in range(nodes):
        assert p.stdout.readline() == b"up\n"
    return p


def test_suspend_for_several_leases(start):
    """Ctrl-Z, and fg when the leases would have been over for long."""
    p = begin(start)
    p.send_signal(signal.SIGTSTP)
    wait_until(lambda: state_of(p.pid) == "T")
    time.sleep(3.5 * LEASE)
    assert state_of(p.pid) == "T"
    p.send_signal(signal.SIGCONT)
    assert p.communicate(timeout=LIMIT) == (b"done\n" * 3, b"")
    assert p.returncode == 0


def test_killed_while_suspended(start):
    """Nothing is left, on no node, although the ranks are stopped."""
    mark, env = marked()
    p = begin(start, env=env, seconds=60)
    p.send_signal(signal.SIGTSTP)
    wait_until(lambda: state_of(p.pid) == "T")
    p.kill()
    p.wait()
    wait_until(lambda: not processes_with(mark))


def test_agent_that_stops_for_a_while(start):
    """Less than half a lease, again and again."""
    p = begin(start)
    agent = agent_of(p, 1)
    for _ in range(3):
        os.kill(agent, signal.SIGSTOP)
        time.sleep(0.4 * LEASE)
        os.kill(agent, signal.SIGCONT)
        time.sleep(0.3 * LEASE)
    assert p.communicate(timeout=LIMIT) == (b"done\n" * 3, b"")


def test_agent_that_stays_stopped(start):
    """Its node is lost, and the job goes on."""
    p = begin(start)
    at = time.monotonic()
    os.kill(agent_of(p, 1), signal.SIGSTOP)
    line = p.stderr.readline().decode()
    assert re.fullmatch(r"mend: node 1 \(ranks? 1\) is lost: .*; 2 ranks go on; of its output the end may be missing\n", line)
    assert time.monotonic() - at < 10  # how long it takes on a machine with a free core the benchmark says
    assert p.communicate(timeout=LIMIT)[0] == b"done\n" * 2


def test_length_of_a_lease(start):
    """One that is longer lets an agent stop for longer."""
    p = begin(start, "--set", "LEASE=20", seconds=3)
    agent = agent_of(p, 1)
    os.kill(agent, signal.SIGSTOP)
    time.sleep(2.5 * LEASE)
    os.kill(agent, signal.SIGCONT)
    assert p.communicate(timeout=LIMIT) == (b"done\n" * 3, b"")


def test_stopped_mpiexec_ends_the_other_nodes(start):
    """It alone is stopped for longer than a lease: its own node goes on when it does."""
    p = begin(start, "--lenient-exit", seconds=5)
    agents = [agent_of(p, k) for k in (1, 2)]
    os.kill(p.pid, signal.SIGSTOP)
    wait_until(lambda: all(state_of(a) in ("Z", "") for a in agents))
    os.kill(p.pid, signal.SIGCONT)
    out, err = p.communicate(timeout=LIMIT)
    assert (out, p.returncode) == (b"done\n", 0), err
    assert err.count(b" is lost: ") == 2
