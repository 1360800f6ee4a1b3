# SPDX-License-Identifier: BSD-3-Clause
#
#   S5-3: a node that falls silent is lost in bounded time
#   S5-5: no node is lost because its agent runs late
#   S5-13: processes are created and connected across nodes, on living ones with room
#   S5-19: the launcher works with several nodes as with one
"""What users of other launchers complain of (doc/machines.md), as far as it needs more than a program: losses.c has the rest."""
import os
import subprocess

import pytest

from ready import line_of

STARTS = 12
@pytest.fixture
def compiled(machines, folder):
    """Compiles a program of this folder; returns the words that run it."""
    here = os.path.dirname(os.path.abspath(__file__))

    def of(name):
        subprocess.run([f"{machines.build}/stage/bin/mpicc", "-D_GNU_SOURCE", f"{here}/{name}.c", "-o", f"{folder}/{name}"], check=True)
        return ["-genv", "MEND_TEST_TMP", folder, f"{folder}/{name}"]

    return of


def test_many_starts(machines, mpiexec):
    """No machine is lost by mistake: start after start, each ends with 0 and says nothing but what its ranks say."""
    for _ in range(STARTS):
        done = machines.run(1, mpiexec, "--hosts", "m1,m2,m3", "-n", 3, "hostname", limit=60)
        assert (done.returncode, sorted(done.stdout.split()), done.stderr) == (0, ["m1", "m2", "m3"], ""), done


def test_interfaces_that_all_machines_have(machines, mpiexec, compiled):
    """A bridge of containers has the same address everywhere and leads nowhere: it is not taken for that of the machine."""
    for k in machines.numbers():
        machines.change(k, "sh", "-c", "ip link add docker0 type bridge && ip addr add 172.17.0.1/16 dev docker0 && ip link set docker0 up")
    done = machines.run(1, mpiexec, "--hosts", "m1,m2,m3", "-n", 3, *compiled("hello"), 3, limit=60)
    assert done.returncode == 0 and "3 ranks on 3 machines" in done.stdout, done


def test_nothing_is_started_by_ssh_after_a_loss(machines, mpiexec, compiled, folder):
    """The agent of the spare machine is there from the beginning, so a lost rank is replaced without a login, which might not work by then."""
    calls = f"{folder}/calls"
    with open(f"{folder}/ssh", "w", encoding="ascii") as f:
        f.write(f'#!/bin/sh\necho call >>{calls}\nexec ssh "$@"\n')
    os.chmod(f"{folder}/ssh", 0o755)
    p = machines.begin(1, mpiexec, "--hosts", "m1:1,m2:1,m3:1", "--ssh", f"{folder}/ssh", "--spare-nodes", 1, "--lenient-exit", "-n", 2,
                       *compiled("losses"), "replace", 1)
    for k, before in (2, "ready"), (3, "whole again"):
        said = ""
        while said != before:
            said = line_of(p, 30)
            assert said, p.communicate()
        machines.cut(k)
    out, err = (text.decode() for text in p.communicate(timeout=40))
    out = out.replace("rank 1 is on m3\n", "")  # which may come behind what rank 0 has said later
    assert p.returncode == 0 and out == "no room\nrank 0 ok\n", (out, err)
    with open(calls, encoding="ascii") as f:
        assert f.read() == 2 * "call\n"
