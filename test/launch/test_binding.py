# SPDX-License-Identifier: BSD-3-Clause
"""Ranks and cores."""
import os
import re
import sys

import pytest

from processes import LIMIT


def test_bindings(run):
    """Ranks are bound to what was asked for, and --report-bindings says so."""
    cpus = sorted(os.sched_getaffinity(0))
    show = [sys.executable, "-c", "import os; print(os.environ['MEND_RANK'], *sorted(os.sched_getaffinity(0)))"]
    everything = [f"{r} {' '.join(map(str, cpus))}" for r in range(2)]
    for words in (["none"], ["machine"], ["board"]):
        r = run("-n", 2, "--bind-to", *words, *show)
        assert sorted(r.out.splitlines()) == everything
    for unit in ("hwthread", "core", "l2cache", "l3cache", "numa", "socket", "core:1"):
        r = run("-n", 2, "--bind-to", unit, "--report-bindings", *show)
        assert r.status == 0
        said = dict(re.findall(r"^mend: rank (\d) is (?:not )?bound[^\d]*([\d,-]+)", r.err, re.M))
        for line in r.out.splitlines():
            rank, *got = line.split()
            expected = [c for a, _, b in (x.partition("-") for x in said[rank].split(","))
                        for c in range(int(a), int(b or a) + 1)]
            assert [int(c) for c in got] == expected
    r = run("-n", len(cpus), "--bind-to", "hwthread", *show)  # as many as there are: each has its own
    got = [line.split()[1:] for line in r.out.splitlines()]
    if all(len(g) == 1 for g in got):  # no other job has claimed one
        assert sorted(int(g[0]) for g in got) == cpus
    r = run("-n", 1, "--map-by", f"core:PE={len(cpus)}", "--bind-to", "hwthread", *show)
    assert r.out.split()[1:] == [str(c) for c in cpus]
    r = run("-n", 3 * len(cpus), "--bind-to", "hwthread", *show)
    assert sorted(line.split(maxsplit=1)[1] for line in r.out.splitlines()) == sorted(3 * [str(c) for c in cpus])


def test_binding(run, start):
    """Each rank gets a core of its own while there are enough; a second job takes none of them."""
    cores = len(os.sched_getaffinity(0))
    show = ["sh", "-c", "grep Cpus_allowed_list /proc/self/status; sleep 0.5"]
    if cores < 2:
        pytest.skip("one core")
    others = False
    for _ in range(10):  # other jobs on this machine may hold the cores for a moment
        first = start("-n", 2, *show)
        bound = {first.stdout.readline(), first.stdout.readline()}  # and the cores are claimed, as long as it runs
        second = run("-n", cores, *show)
        first.communicate(timeout=LIMIT)
        if len(bound) == 2:
            break
        with open("/proc/net/unix", encoding="ascii") as f:
            others |= "@mend-core-" in f.read()
    else:
        if others:
            pytest.skip("another job holds the cores")
    assert len(bound) == 2
    assert len(set(second.out.splitlines())) == 1
    assert len(set(run("--bind-to", "none", "-n", 2, *show).out.splitlines())) == 1


def test_overload_allowed(run, start):
    """Ranks that may share cores with another job are bound to one core each, also where that job has claimed all."""
    cores = len(os.sched_getaffinity(0))
    claims = start("-n", cores, "sh", "-c", "echo; sleep 2")  # or a job of others has claimed them
    claims.stdout.readline()
    show = ["sh", "-c", "grep Cpus_allowed_list /proc/self/status"]
    r = run("-n", cores, "--bind-to", "core:overload-allowed", *show)
    assert r.status == 0
    assert len(set(r.out.splitlines())) == cores and not any(c in r.out for c in "-,")
    claims.communicate(timeout=LIMIT)
