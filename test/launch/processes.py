# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the launcher ask the kernel about processes, and how they wait."""
import collections
import ctypes
import errno
import itertools
import os
import select
import subprocess
import time

LIMIT = 60  # seconds for one command

CAUSES = [
    # what "probe pair" does; cause, code as in enum mend_cause
    ("kill", 1, 9), ("exit", 2, 3), ("exec", 1, 9), ("leader", 1, 9), ("abort", 3, 9), ("abort-other", 3, 5),
    ("stop", 4, 0),
]

Result = collections.namedtuple("Result", "status out err")
marks = itertools.count(1)


def processes_with(mark):
    """Living processes whose environment holds the mark."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as f:
                if mark.encode() not in f.read():
                    continue
            with open(f"/proc/{pid}/stat") as f:
                if f.read().rsplit(")", 1)[1].split()[0] not in "ZX":
                    found.append(int(pid))
        except OSError:
            pass
    return [p for p in found if p != os.getpid()]


def wait_until(what, limit=10):
    """Returns what it is then."""
    end = time.time() + limit
    while not (found := what()):
        assert time.time() < end, "waited in vain"
        time.sleep(0.02)
    return found


def read_until(fd, part, limit=10):
    """Reads from a terminal or pipe until the text contains part; returns it and the time it took."""
    text, begin = b"", time.time()
    while part.encode() not in text:
        assert time.time() < begin + limit, f"{part!r} did not come: {text!r}"
        if select.select([fd], [], [], 0.1)[0]:
            try:
                text += os.read(fd, 65536)
            except OSError as e:
                if e.errno == errno.EIO:
                    raise AssertionError(f"the end before {part!r}: {text!r}")
                raise
    return text.decode(errors="replace"), time.time() - begin


def marked():
    """A mark and an environment that has it, by which processes_with() finds all that a job has started."""
    mark = f"m{os.getpid()}.{next(marks)}"
    return f"MEND_TEST_MARK={mark}", {**os.environ, "MEND_TEST_MARK": mark}


def state_of(pid):
    with open(f"/proc/{pid}/stat") as f:
        return f.read().rsplit(")", 1)[1].split()[0]


def children(p, *filters):
    """The children of a process, oldest first; pgrep's filters."""
    return [int(x) for x in subprocess.run(["pgrep", "-P", str(p.pid), *filters], capture_output=True).stdout.split()]


def seize(pid, options=0):
    """Makes us the tracer of a process, as a debugger would."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(0x4206, pid, None, options) != 0:  # PTRACE_SEIZE
        raise OSError(ctypes.get_errno(), "this test must be able to trace")


def let_end(thread):
    """What seize(thread, PTRACE_O_TRACEEXIT) held at its end."""
    os.waitpid(thread, 0x40000000)  # __WALL
    ctypes.CDLL(None).ptrace(7, thread, None, None)  # PTRACE_CONT
    os.waitpid(thread, 0x40000000)


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as f:
        words = f.read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def rank_pids(p):
    """The processes of a job that is running, in the order of their ranks."""
    return children(p, "-x", "launch_probe")


def with_probe(probe, words):
    """The words of a table, in which PROBE stands for the path of the program."""
    return [str(word).replace("PROBE", probe) for word in words]


def nothing_is_left_after(end, start, *words, lines=0):
    """Starts a job, ends it by end(mpiexec) when it has said so many lines, and sees that all its processes are gone."""
    mark, env = marked()
    p = start(*words, env=env)
    wait_until(lambda: len(processes_with(mark)) >= 5)
    for _ in range(lines):
        p.stdout.readline()
    time.sleep(0.3)
    end(p)
    p.communicate(timeout=LIMIT)
    wait_until(lambda: not processes_with(mark), 5)


def read_all(folder):
    """The files below a folder: what they hold, by name."""
    found = {}
    for top, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(top, name)
            with open(path, encoding="utf-8") as f:
                found[os.path.relpath(path, folder)] = f.read()
    return found
