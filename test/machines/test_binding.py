# SPDX-License-Identifier: BSD-3-Clause
#
#   S5-19: the launcher works with several nodes as with one
"""Ranks and the processors of their machines: each agent binds its own ranks to those of its machine."""
import os
import re

import pytest

SHOW = ("sh", "-c", "echo $MEND_RANK $(grep Cpus_allowed_list /proc/self/status)")
CPUS = sorted(os.sched_getaffinity(0))


def places(done):
    """The processors of each rank, as the kernel has them."""
    assert done.returncode == 0, done
    found = {}
    for line in done.stdout.splitlines():
        rank, _, text = line.split()
        found[int(rank)] = [c for a, _, b in (x.partition("-") for x in text.split(",")) for c in range(int(a), int(b or a) + 1)]
    return found


def run(machines, mpiexec, *words):
    return machines.run(1, mpiexec, *words, *SHOW)


@pytest.mark.skipif(len(CPUS) < 2, reason="one processor")
def test_each_machine_binds_its_own(machines, mpiexec):
    """By default two ranks of a machine have a core each, whatever ranks of other machines have; one that is alone is not bound."""
    done = run(machines, mpiexec, "--hosts", "m1:2,m2:2,m3:1", "--report-bindings", "-n", 5)
    got = places(done)
    for a, b in (0, 1), (2, 3):
        assert got[a] and got[b] and not set(got[a]) & set(got[b]), done
    assert got[4] == CPUS, done
    said = re.findall(r"^mend: rank (\d) is (not )?bound(?: to|:) processors ([\d,-]+) of (m\d)", done.stderr, re.M)
    assert sorted((r, n, m) for r, n, _, m in said) == [("0", "", "m1"), ("1", "", "m1"), ("2", "", "m2"), ("3", "", "m2"),
                                                        ("4", "not ", "m3")], done.stderr
    assert "other jobs" not in done.stderr
    assert all(p == CPUS for p in places(run(machines, mpiexec, "--hosts", "m1:2,m2:2", "-n", 4, "--bind-to", "none")).values())


def test_as_many_as_a_machine_has(machines, mpiexec):
    """Dealt out in turn, on each machine from the first on."""
    n = len(CPUS)
    got = places(run(machines, mpiexec, "--hosts", f"m1:{n},m2:{2 * n}", "-n", 3 * n, "--bind-to", "hwthread"))
    assert [got[r] for r in range(3 * n)] == 3 * [[c] for c in CPUS]


@pytest.mark.skipif(len(CPUS) < 2, reason="one processor")
def test_machines_differ(machines, mpiexec):
    """A machine with one processor binds nothing by default, and what is asked for to that one."""
    machines.change(2, "sh", "-c", f"taskset -acp {CPUS[-1]} $(pgrep -o sshd)")
    hosts = ["--hosts", "m1:2,m2:2", "-n", 4, "--report-bindings"]
    done = run(machines, mpiexec, *hosts)
    got = places(done)
    assert not set(got[0]) & set(got[1]) and got[2] == got[3] == CPUS[-1:], done
    assert re.search(rf"rank 2 is not bound: processors {CPUS[-1]} of m2 \(", done.stderr), done.stderr
    done = run(machines, mpiexec, *hosts, "--bind-to", "core")
    assert re.search(rf"rank 3 is bound to processors {CPUS[-1]} of m2$", done.stderr, re.M), done.stderr


@pytest.mark.skipif(len(CPUS) < 2, reason="one processor")
def test_agents_that_share_a_machine(machines, mpiexec):
    """No two of their ranks are on one core; if there are too few cores for all, none is bound, and a line says so."""
    half = len(CPUS) // 2
    got = places(run(machines, mpiexec, "--machines", 2, "-n", 2 * half))
    assert sum(map(len, got.values())) == len(set().union(*got.values())) == 2 * half, got
    done = run(machines, mpiexec, "--machines", 2, "-n", len(CPUS) + 1, "--report-bindings")
    assert all(p == CPUS for p in places(done).values()), done
    assert len(re.findall(r"is not bound.*not so many cores are free", done.stderr)) == len(CPUS) + 1, done.stderr
    got = places(run(machines, mpiexec, "--machines", 2, "-n", 2 * len(CPUS), "--bind-to", "hwthread"))
    assert sorted(map(tuple, got.values())) == sorted(2 * [(c,) for c in CPUS]), got
