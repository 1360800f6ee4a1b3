# SPDX-License-Identifier: BSD-3-Clause
"""job.py – the processes of a job: its ranks, and the agents of its nodes.

mpiexec is the agent of node 0, and the parent of those of the other nodes (mpiexec --machines).  An agent does not reap its
ranks before its end, so the number of one is that rank's as long as the agent lives."""
import re


def add_option(parser):
    parser.add_argument("--machines", type=int, default=1)


def flags(options):
    """Of mpiexec."""
    return ["--machines", str(options.machines)] if options.machines > 1 else []


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
            return list(map(int, f.read().split()))
    except OSError:
        return []


def content(pid, name):
    """b"" for a process that has ended."""
    try:
        with open(f"/proc/{pid}/{name}", "rb") as f:
            return f.read()
    except OSError:
        return b""


def agents(launcher):
    """Those of the nodes 1, 2, ... as far as they were started."""
    return [p for p in children(launcher) if b"\0--agent\0" in content(p, "cmdline")]


def ranks(launcher):
    """Process numbers by rank, as far as they were started and have not ended."""
    pids = {}
    for agent in [launcher, *agents(launcher)]:
        for pid in children(agent):
            match = re.search(rb"(?:^|\0)MEND_RANK=(\d+)\0", content(pid, "environ"))
            if match:
                pids[int(match.group(1))] = pid
    return pids


def node_of(rank, ranks_n, machines):
    """Blocks of ranks are on each node; the first nodes have one more."""
    most, more = divmod(ranks_n, machines)
    return next(k for k in range(machines) if rank < most * (k + 1) + min(more, k + 1))
