# SPDX-License-Identifier: BSD-3-Clause
#
#   S5-18: output of other nodes arrives in whole lines, each once
"""A machine is lost while all ranks print: of each rank there is a prefix of what it has printed, line by line and in order, all of
it of ranks that go on; and it is said that of the lost ones the end may be missing.  Their last line may be without its end, on a line
of its own: it is what has come; and if it is the last of all, without the end of a line."""
import subprocess

import pytest

LINES, LOST = 6000, (4, 5)
SEEN_N = 3000  # bytes of each lost rank
# In pieces of some thousand bytes, which end within lines.
PRINT = """BEGIN { for (i = 0; rank > 3 || i < %d; i++) {
    line = rank ":" i ":"; n = (i * 37 + rank) %% 200; for (k = 0; k < n; k++) line = line "abcdefghij"; print line } }""" % LINES


def line_of(rank, i):
    return f"{rank}:{i}:" + "abcdefghij" * ((i * 37 + rank) % 200)


def read_until_lost(p, machines, how):
    """All that it writes; a machine is lost when each of its ranks has written something."""
    lines, seen = [], dict.fromkeys(LOST, 0)
    for line in p.stdout:
        lines.append(line)
        if int(line[0]) in seen:
            seen[int(line[0])] += len(line)
        if how and min(seen.values()) > SEEN_N:
            getattr(machines, how)(3)
            how = None
    return lines


@pytest.mark.parametrize("how, rate", [("cut", None), ("freeze", None), ("unplug", None), ("cut", "4mbit")])
def test_a_machine_is_lost_while_it_prints(machines, mpiexec, how, rate):
    if rate:
        machines.slow(3, rate)  # much of it is on the way
    words = machines.command(1, [mpiexec, "--hosts", "m1:2,m2:2,m3:2", "--lenient-exit", "-n", "6", "sh", "-c",
                                 'exec awk -v rank=$MEND_RANK "$0"', PRINT], "/")
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as p:
        lines = read_until_lost(p, machines, how)
        said = p.stderr.read()
    counts, ended = dict.fromkeys(range(6), 0), set()
    assert all(line[-1] == "\n" for line in lines[:-1])
    for line in (line.rstrip("\n") for line in lines):
        rank = int(line[0])
        whole = line_of(rank, counts[rank])
        assert rank not in ended and whole.startswith(line), (line, counts)
        counts[rank] += 1
        if line != whole:
            ended.add(rank)
    assert ended <= set(LOST)
    assert all(counts[r] == LINES for r in counts if r not in LOST) and all(counts[r] for r in LOST), counts
    assert said.count("node 2 (m3, ranks 4 to 5) is lost") == 1 and said.count("of its output the end may be missing") == 1, said
    assert p.returncode == 0
