# SPDX-License-Identifier: BSD-3-Clause
#
#   S5-7: the loss of mpiexec ends every rank on every node, and nothing stays behind
#   S5-8: the death of an agent is the loss of its node
#   S5-14: strangers cannot join, read, delay or end a job
#   S5-18: output of other nodes arrives in whole lines, each once
#   S5-19: the launcher works with several nodes as with one
#   S5-21: clocks of two nodes are never compared
"""Jobs of several machines: how they end, what they write, what strangers can do to them."""
import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from processes import wait_until
from ready import line_of

HOSTS = ["--hosts", "m1,m2,m3"]


def run(machines, mpiexec, *words, **more):
    return machines.run(1, mpiexec, *HOSTS, *words, limit=60, **more)


def called(machines, k, name):
    """Processes of a machine, by their name or an argument; keepers have the arguments of theirs."""
    found = []
    for pid in machines.processes(k):
        try:
            with open(f"/proc/{pid}/comm", encoding="ascii") as f:
                own = f.read().strip()
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                words = f.read().decode(errors="replace").split("\0")
        except OSError:
            continue
        if own == name or name in words and own != "nsenter" and not own.startswith("mend-ke"):
            found.append(pid)
    return found


def begun(machines, mpiexec, *words, ranks):
    """A job that has begun: each rank has said a line."""
    p = machines.begin(1, mpiexec, *HOSTS, *words)
    for _ in range(ranks):
        assert line_of(p, 20) == "up", p.communicate()[1]
    return p


SLEEP = ["perl", "-e", '$| = 1; print "up\\n"; sleep 1000']  # a shell loses a SIGINT that comes while it starts a command


def test_exit_status(machines, mpiexec):
    for rank in 0, 2, 5:
        done = run(machines, mpiexec, "-n", 6, "sh", "-c", f"test $MEND_RANK != {rank} || exit 7")
        assert done.returncode == 7, done


def test_killed_rank(machines, mpiexec):
    done = run(machines, mpiexec, "-n", 6, "sh", "-c", "test $MEND_RANK != 4 || kill -9 $$")
    assert done.returncode == 137 and "rank 4 (pid " in done.stderr, done


def test_input_of_any_rank(machines, mpiexec):
    """It is whole, and has its end."""
    text = "".join(f"line {i}\n" for i in range(50000))
    for rank in 0, 3, 5:
        done = run(machines, mpiexec, "--stdin", rank, "-n", 6, "sh", "-c", "echo $MEND_RANK $(cksum)", input=text)
        sums = dict(line.split(" ", 1) for line in done.stdout.splitlines())
        expected = subprocess.run(["cksum"], input=text, capture_output=True, text=True, check=True).stdout.strip()
        assert done.returncode == 0 and sums[str(rank)] == expected and len(sums) == 6, done


def test_many_lines(machines, mpiexec):
    """Each is whole and comes once, in the order of its rank."""
    n = 30000
    done = run(machines, mpiexec, "-n", 6, "sh", "-c", f'seq -f "$MEND_RANK %.0f" {n}')
    lines = {}
    for line in done.stdout.splitlines():
        rank, number = map(int, line.split())
        lines.setdefault(rank, []).append(number)
    assert done.returncode == 0 and lines == {r: list(range(1, n + 1)) for r in range(6)}


def test_killed_mpiexec(machines, mpiexec):
    """Nothing is left on any machine."""
    p = begun(machines, mpiexec, "-n", 6, *SLEEP, ranks=6)
    os.kill(called(machines, 1, "mpiexec")[0], signal.SIGKILL)
    p.wait(10)
    assert not machines.left(machines.numbers())


def test_killed_while_it_starts(machines, mpiexec):
    """At any moment."""
    for ms in range(0, 300, 30):
        p = machines.begin(1, mpiexec, *HOSTS, "-n", 6, "sleep", 1000)
        wait_until(lambda: called(machines, 1, "mpiexec"))
        time.sleep(ms / 1000)
        os.kill(called(machines, 1, "mpiexec")[0], signal.SIGKILL)
        p.wait(10)
        assert not machines.left(machines.numbers()), ms


SSH = """#!/bin/sh
echo early >&2
(until [ -e {0}/talk ]; do sleep 0.05; done; echo and late >&2; [ m3 = "$5" ] && seq 100000 >&2; : >{0}/$5) &
exec ssh "$@"
"""


def test_what_agents_say(machines, mpiexec, folder):
    """On standard error, or ssh does: what comes before an agent is there is a login's, and what comes later has the name of the host, and
    an end.  Ranks go on."""
    with open(f"{folder}/ssh", "w", encoding="ascii") as f:
        f.write(SSH.format(folder))
    os.chmod(f"{folder}/ssh", 0o755)
    p = begun(machines, mpiexec, "--ssh", f"{folder}/ssh", "-n", 3, "sh", "-c",
              f"echo up; until [ -e {folder}/m2 -a -e {folder}/m3 ]; do sleep 0.1; done; echo done", ranks=3)
    agent = called(machines, 2, "--agent")[0]
    with open(f"/proc/{agent}/fd/2", "w", encoding="ascii") as f:
        f.write("free(): invalid size\nhalf a line")
    with open(f"{folder}/talk", "w", encoding="ascii"):
        pass
    out, err = (text.decode().splitlines() for text in p.communicate(timeout=20))
    assert (p.returncode, out) == (0, 3 * ["done"]), err
    of = {k: [line[4:] for line in err if line.startswith(f"m{k}: ")] for k in (2, 3)}
    assert len(of[2]) + len(of[3]) == len(err) and "free(): invalid size" in of[2], err
    assert "and late" in "".join(of[2]) and "half a line" in "".join(of[2]), err  # the one by ssh, the other from here
    assert of[3] == ["and late", *map(str, range(1, 100)), "(more is said, and is not shown here)"], err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal(machines, mpiexec, number):
    p = begun(machines, mpiexec, "-n", 6, *SLEEP, ranks=6)
    os.kill(called(machines, 1, "mpiexec")[0], number)
    p.wait(20)
    assert not machines.left(machines.numbers())


@pytest.mark.parametrize("k", [2, 3])
def test_killed_agent(machines, mpiexec, folder, k):
    """Its ranks die with it, that is said once, and the others go on."""
    waiting = f"echo up; until [ -e {folder}/go ]; do sleep 0.1; done; echo done"
    p = begun(machines, mpiexec, "--lenient-exit", "-n", 6, "sh", "-c", waiting, ranks=6)
    os.kill(called(machines, k, "--agent")[0], signal.SIGKILL)
    assert not machines.left([k])
    with open(f"{folder}/go", "w", encoding="ascii"):
        pass
    out, err = (text.decode() for text in p.communicate(timeout=20))
    assert out == "done\n" * 4, (out, err)
    assert len(re.findall(rf"node {k - 1} \(.*\) is lost", err)) == 1, err


def test_times_in_a_report(machines, mpiexec, folder):
    """Clocks of machines differ, and their agents start one after the other; but what an agent does is after the order of mpiexec, and
    before the end of the job."""
    done = run(machines, mpiexec, "--report", f"{folder}/report", "-n", 3, "--inject", "kill:2@time:0.5s", "sleep", 1)
    assert done.returncode == 128 + signal.SIGKILL, done
    with open(f"{folder}/report", encoding="ascii") as f:
        lines = [json.loads(line) for line in f]
    of = {name: [line for line in lines if line["event"] == name] for name in ("node", "place", "inject", "death", "verdict", "end")}
    of["node"].sort(key=lambda line: line["node"])
    assert sorted((line["rank"], line["node"]) for line in of["place"]) == [(0, 0), (1, 1), (2, 2)]
    assert [line["host"] for line in of["node"]] == ["m1", "m2", "m3"]
    begun, clocks = [line["t_ns"] for line in of["node"]], [line["clock_ns"] for line in of["node"]]
    assert begun[0] < min(begun[1:]) and clocks[0] + 1e14 < clocks[1] + 1 < clocks[2] - 9e13, lines
    times = [line["t_ns"] for name in ("inject", "death", "verdict", "end") for line in of[name]]
    assert len(times) == 4 and min(times) - 0.5e9 >= max(begun) and max(times) == times[-1], lines


def test_timeout_lists_all_ranks(machines, mpiexec):
    done = run(machines, mpiexec, "--timeout", 1, "-n", 6, "sleep", 100)
    assert done.returncode == 124 and all(f"rank {i} (pid " in done.stderr for i in range(6)), done


def test_report(machines, mpiexec, folder):
    """No time of the report lies outside of the job."""
    report = f"{folder}/report"
    done = run(machines, mpiexec, "--report", report, "--inject", "kill:5@time:300ms", "-n", 6, "sleep", 1)
    with open(report, encoding="utf-8") as f:
        times = [int(t) for t in re.findall(r'"t_ns":(\d+)', f.read())]
    assert done.returncode == 137 and len(times) > 3, done
    assert times[0] == 0 and max(times) == times[-1] < 60e9, times


# Ports that are open on a machine, but that of ssh.
PORTS = "ss -Htln | awk '{print $4}' | sed 's/.*://' | sort -u | grep -vx 22"
STRANGER = """
import os, socket, sys, time
host, port, what = sys.argv[1], int(sys.argv[2]), sys.argv[3]
calls = []
for i in range(300 if what == "flood" else 20):
    try: c = socket.create_connection((host, port), 5)
    except OSError: continue
    c.settimeout(0.05); calls.append(c)
    try:
        if what == "garbage": c.sendall(os.urandom(500))
        if what == "part": c.sendall(os.urandom(5))
        if what == "echo": c.sendall(c.recv(1000))
    except OSError: pass
print("called", len(calls), flush=True)
time.sleep(1000)
"""


@pytest.mark.parametrize("what", ["garbage", "part", "echo", "flood"])
def test_strangers(machines, mpiexec, folder, what):
    """From another machine, at each port of the job: the job does not notice."""
    p = begun(machines, mpiexec, "-n", 6, "sh", "-c", f"echo up; until [ -e {folder}/go ]; do sleep 0.1; done; echo done", ranks=6)
    strangers = []
    for k in 1, 2:
        ports = machines.run(k, "sh", "-c", PORTS).stdout.split()
        assert ports, "an agent listens nowhere"
        strangers += [machines.begin(3, sys.executable, "-c", STRANGER, f"m{k}", port, what) for port in ports]
    assert all(line_of(s, 20).startswith("called") for s in strangers)
    time.sleep(0.5)  # the strangers are at the doors
    with open(f"{folder}/go", "w", encoding="ascii"):
        pass
    out, err = (text.decode() for text in p.communicate(timeout=30))
    assert (p.returncode, out, err) == (0, "done\n" * 6, "")
