# SPDX-License-Identifier: BSD-3-Clause
#
#   S5-3: a node that falls silent is lost in bounded time
#   S5-5: no node is lost because its agent runs late
#   S5-7: the loss of mpiexec ends every rank on every node, and nothing stays behind
#   S5-8: the death of an agent is the loss of its node
#   S5-15: a broken connection is made again, nothing lost or doubled
#   S5-18: output of other nodes arrives in whole lines, each once
#   S5-19: the launcher works with several nodes as with one
"""A tree of agents: some are started by others, which pass on what they and mpiexec say to each other, and grant their leases.

With RADIX=2 the tree of seven nodes is 0 (1 (3 4) 2 (5 6)), with RADIX=1 each node starts the next one.
"""
import os
import re
import signal
import socket
import subprocess
import time

import pytest

from processes import LIMIT, marked, processes_with, state_of, wait_until
from test_damage import connection_of
from test_leases import LEASE
from test_machines import counted, LINES


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        return [int(child) for child in f.read().split()]


def agent_at(p, *way):
    """The first of mpiexec's processes are agents, and so it is with those of agents; way: (1, 0): the first one of its second one."""
    pid = p.pid
    for i in way:
        wait_until(lambda: len(children(pid)) > i)  # pylint: disable=cell-var-from-loop
        pid = children(pid)[i]
    return pid


def begin(start, nodes, radix, *args, seconds=3, env=None):
    p = start("--machines", nodes, "--set", f"RADIX={radix}", "--lenient-exit", *args, "-n", nodes,
              "sh", "-c", f"echo up; sleep {seconds}; echo done", env=env)
    for _ in range(nodes):
        assert p.stdout.readline() == b"up\n"
    return p


def lost(err):
    return sorted(int(k) for k in re.findall(rb"node (\d+) \(", err))


@pytest.mark.parametrize("radix", [0, 1, 2, 3])
def test_whole_lines(start, radix):
    """As many agents as there may be behind each other; each line comes once, and the ranks read to the end what only one gets."""
    p = start("--machines", 4, "--set", f"RADIX={radix}", "-n", 8, "sh", "-c", f'seq -f "$MEND_RANK %.0f" {LINES}')
    out, err = p.communicate(timeout=LIMIT)
    assert (p.returncode, err) == (0, b"")
    assert counted(out.decode().splitlines()) == {rank: LINES for rank in range(8)}


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_agent_between_others_is_lost(start, how):
    """Only its own ranks are: the agents below it turn to mpiexec."""
    p = begin(start, 7, 2)
    os.kill(agent_at(p, 0), how)
    out, err = p.communicate(timeout=LIMIT)
    assert (lost(err), out, p.returncode) == ([1], b"done\n" * 6, 0), err


def test_two_behind_each_other_are_lost(start):
    """The last one of a chain turns to the first that is left."""
    p = begin(start, 4, 1, seconds=4)
    first, second = agent_at(p, 0), agent_at(p, 0, 0)
    os.kill(second, signal.SIGKILL)
    assert b" is lost: " in p.stderr.readline()
    os.kill(first, signal.SIGKILL)
    out, err = p.communicate(timeout=LIMIT)
    assert (lost(err), out, p.returncode) == ([1], b"done\n" * 2, 0), err


def test_all_between_are_lost_at_once(start):
    p = begin(start, 4, 1)
    agents = [agent_at(p, 0), agent_at(p, 0, 0)]
    for agent in agents:
        os.kill(agent, signal.SIGSTOP)
    out, err = p.communicate(timeout=LIMIT)
    assert (lost(err), out, p.returncode) == ([1, 2], b"done\n" * 2, 0), err


def test_short_stops_between_others(start):
    """Of less than half a lease: nobody is lost."""
    p = begin(start, 4, 1, seconds=3)
    agents = [agent_at(p, 0), agent_at(p, 0, 0), agent_at(p, 0, 0, 0)]
    for agent in agents:
        os.kill(agent, signal.SIGSTOP)
        time.sleep(0.35 * LEASE)
        os.kill(agent, signal.SIGCONT)
        time.sleep(0.3 * LEASE)
    assert p.communicate(timeout=LIMIT) == (b"done\n" * 4, b"")


@pytest.mark.parametrize("way", [(0,), (0, 0), (0, 0, 0)])
def test_connections_that_end(start, way):
    """Of any agent of a chain, while much goes over them."""
    p = start("--machines", 4, "--set", "RADIX=1", "-n", 4, "sh", "-c", f'seq -f "$MEND_RANK %.0f" {LINES}', bufsize=0)
    out, ends = b"", 0
    while len(out) < 24 * LINES:
        out += p.stdout.read(5000)
        if ends < 10:
            try:
                connection_of(agent_at(p, *way)).shutdown(socket.SHUT_RDWR)
                ends += 1
            except (AssertionError, OSError):  # it is not there again yet
                time.sleep(0.01)
    rest, err = p.communicate(timeout=LIMIT)
    assert (p.returncode, err, ends) == (0, b"", 10)
    assert counted((out + rest).decode().splitlines()) == {rank: LINES for rank in range(4)}


def test_nothing_is_left_of_a_killed_job(start):
    """Neither by mpiexec itself, nor when it is killed."""
    for how in signal.SIGTERM, signal.SIGKILL:
        mark, env = marked()
        p = begin(start, 7, 2, seconds=60, env=env)
        p.send_signal(how)
        p.wait(LIMIT)
        wait_until(lambda: not processes_with(mark))  # pylint: disable=cell-var-from-loop


def test_killed_while_it_starts(start):
    """At any moment nothing stays behind, of mpiexec or of an agent between others, without which the job cannot begin."""
    for ms in range(0, 120, 12):
        mark, env = marked()
        p = start("--machines", 4, "--set", "RADIX=1", "--lenient-exit", "-n", 4, "sleep", "1", env=env)
        time.sleep(ms / 1000)
        if ms % 24:
            p.kill()
        elif children(p.pid):
            try:
                os.kill(agent_at(p, 0), signal.SIGKILL)
            except ProcessLookupError:
                pass
        p.communicate(timeout=LIMIT)
        wait_until(lambda: not processes_with(mark))  # pylint: disable=cell-var-from-loop


def test_status_and_input_of_the_last(start):
    p = start("--machines", 4, "--set", "RADIX=1", "--stdin", 3, "-n", 4, "sh", "-c",
              'test $MEND_RANK != 3 || { wc -l; exit 9; }', stdin=subprocess.PIPE)
    out, _ = p.communicate(b"a\n" * 50000, timeout=LIMIT)
    assert (out.strip(), p.returncode) == (b"50000", 9)


def test_suspended(start):
    """Ctrl-Z stops all, for longer than a lease."""
    p = begin(start, 4, 1, seconds=1)
    p.send_signal(signal.SIGTSTP)
    wait_until(lambda: state_of(p.pid) == "T")
    time.sleep(2.5 * LEASE)
    p.send_signal(signal.SIGCONT)
    assert p.communicate(timeout=LIMIT) == (b"done\n" * 4, b"")
