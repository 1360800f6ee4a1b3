# SPDX-License-Identifier: BSD-3-Clause
#
#   S5-3: a node that falls silent is lost in bounded time
#   S5-7: the loss of mpiexec ends every rank on every node, and nothing stays behind
#   S5-8: the death of an agent is the loss of its node
#   S5-20: a job that cannot start on a host says so, and leaves nothing running
"""Machines of which mpiexec starts one, and that one the next (RADIX=1)."""
import os
import re
import signal
import time

import pytest

from ready import line_of
from test_jobs import SLEEP, called

TREE = ["--set", "RADIX=1", "--hosts", "m1,m2,m3"]


def begun(machines, mpiexec, *words, ranks):
    p = machines.begin(1, mpiexec, *TREE, *words)
    for _ in range(ranks):
        assert line_of(p, 20) == "up", p.communicate()[1]
    return p


def until_told(folder):
    return ["sh", "-c", f"echo up; until [ -e {folder}/go ]; do sleep 0.1; done; echo done"]


def go(folder):
    with open(f"{folder}/go", "w", encoding="ascii"):
        pass


THINGS = {
    "cut": lambda machines: machines.cut(2),
    "freeze": lambda machines: machines.freeze(2),
    "unplug": lambda machines: machines.unplug(2),
    "kill": lambda machines: os.kill(called(machines, 2, "--agent")[0], signal.SIGKILL),
}


@pytest.mark.parametrize("what", THINGS)
def test_machine_between_others(machines, mpiexec, folder, what):
    """Only its ranks are lost: the machine behind it turns to that of mpiexec."""
    p = begun(machines, mpiexec, "--lenient-exit", "--timeout", 30, "-n", 6, *until_told(folder), ranks=6)
    assert not called(machines, 1, "m3") and called(machines, 2, "m3"), "ssh of the second machine has started the third"
    THINGS[what](machines)
    at = time.monotonic()
    line = p.stderr.readline().decode()  # or its end, as --timeout says
    assert re.match(r"mend: node 1 \(m2, ranks 2 to 3\) is lost: ", line), line
    assert time.monotonic() - at < 5  # how long it takes where a core is free test/machines/s5_03_silent.c shows
    time.sleep(2)  # the leases of all that the lost one had granted would be over
    go(folder)
    out, err = (text.decode() for text in p.communicate(timeout=20))
    assert (p.returncode, out, err) == (0, "done\n" * 4, "")


def test_machines_that_reach_only_mpiexec(machines, mpiexec, folder):
    """The second and the third do not reach each other any more: nobody is lost."""
    p = begun(machines, mpiexec, "-n", 6, *until_told(folder), ranks=6)
    machines.partition([2], [3])
    time.sleep(3)
    go(folder)
    out, err = (text.decode() for text in p.communicate(timeout=20))
    assert (p.returncode, out, err) == (0, "done\n" * 6, "")


def test_machine_of_mpiexec(machines, mpiexec):
    begun(machines, mpiexec, "-n", 6, *SLEEP, ranks=6)
    machines.cut(1)
    assert not machines.left([2, 3], seconds=5)


def test_machine_that_the_second_does_not_reach(machines, mpiexec):
    """The sentence comes from there, and names both."""
    machines.partition([2], [3])
    at = time.monotonic()
    done = machines.run(1, mpiexec, *TREE, "--connect-timeout", 4, "-n", 3, "true")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done
    assert done.stderr.startswith("mpiexec: ") and "m3" in done.stderr, done
    assert time.monotonic() - at < 20
    assert not machines.left([1, 2, 3])
