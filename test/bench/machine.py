# SPDX-License-Identifier: BSD-3-Clause
"""machine.py – running jobs on a machine that others may use at the same time.

Every job is run with an eye on /proc/stat: processor time that neither was idle nor belongs to the job
is *foreign*, and what the hypervisor took away counts as foreign, too.  A figure is noisy if more than
NOISY of the machine was foreign while it was taken.

    wait_for_quiet   returns when little else runs, or when the patience is used up
    Priority         puts everything started from here into a control group that gets nearly all
                     processor time that it asks for (cpu.shares or cpu.weight), else nice -20
    run_job          starts a command, waits for it, says how long it took

A virtual machine's cores are threads of the host, which may move them: for some seconds two cores share
a cache, and a cache line takes 50 ns from one to the other; then they do not, and it takes 250.
Distances tells these states apart, so that only figures of one state are compared.
"""
import os
import signal
import tempfile
import threading
import time

NOISY = 0.10  # of the whole machine
QUIET = 0.06
LOOK_S = 0.25
GRACE_S = 3
TICK_S = 1.0 / os.sysconf("SC_CLK_TCK")


def cores():
    return len(os.sched_getaffinity(0))


def cpu_times():
    """Seconds (busy, idle) of all processors since the start of the machine; stolen time is busy."""
    with open("/proc/stat", encoding="ascii") as f:
        user, nice, system, idle, iowait, irq, softirq, steal = map(int, f.readline().split()[1:9])
    return (user + nice + system + irq + softirq + steal) * TICK_S, (idle + iowait) * TICK_S


def busy_share(before, after, own_s=0.0):
    busy, idle = after[0] - before[0], after[1] - before[1]
    return max(0.0, busy - own_s) / max(busy + idle, TICK_S)


class Patience:
    """How long to wait for quiet, in sum."""

    def __init__(self, seconds):
        self.left_s = seconds

    def wait_for_quiet(self):
        """Returns the share of the machine that others use."""
        while True:
            before = cpu_times()
            time.sleep(LOOK_S)
            share = busy_share(before, cpu_times())
            if share <= QUIET or self.left_s <= 0:
                return share
            time.sleep(min(1.0, self.left_s))
            self.left_s -= 1.0 + LOOK_S


class Distances:
    """Nanoseconds that a cache line takes, probed before and after each job."""

    APART = 1.8  # two states differ at least by this factor

    def __init__(self):
        self.probes = []

    def add(self, ns):
        if ns:
            self.probes.append(ns)
        return ns

    def border(self):
        """Between near and far; None if there is one state."""
        p = sorted(self.probes)
        if len(p) < 4:
            return None
        low, high = p[len(p) // 20], p[-1 - len(p) // 20]
        return (low * high) ** 0.5 if high > low * self.APART else None

    def state(self, probes):
        """"" if there is one state; None if the state changed between the probes or is not known."""
        border = self.border()
        if not border:
            return ""
        states = {"near" if p < border else "far" for p in probes if p}
        return states.pop() if len(states) == 1 else None

    def typical(self):
        """state -> median nanoseconds."""
        found = {}
        for p in self.probes:
            found.setdefault(self.state([p]), []).append(p)
        return {k: sorted(v)[len(v) // 2] for k, v in found.items()}


class Priority:
    """A control group of our own for as long as the block lasts."""

    PLACES = (("/sys/fs/cgroup/cpu", "cpu.shares", "262144"),
              ("/sys/fs/cgroup/cpu,cpuacct", "cpu.shares", "262144"),
              ("/sys/fs/cgroup", "cpu.weight", "10000"))

    def __init__(self, wanted):
        self.wanted, self.parent, self.group, self.how = wanted, None, None, "none"

    def __enter__(self):
        if not self.wanted:
            return self
        for parent, file, value in self.PLACES:
            group = os.path.join(parent, f"mend-bench-{os.getpid()}")
            try:
                os.mkdir(group)
            except OSError:
                continue
            try:
                write(os.path.join(group, file), value)
                write(os.path.join(group, "cgroup.procs"), str(os.getpid()))
                self.parent, self.group, self.how = parent, group, f"{file}={value}"
                return self
            except OSError:
                os.rmdir(group)
        try:
            os.nice(-20)
            self.how = "nice -20"
        except OSError:
            self.how = "none: not permitted"
        return self

    def __exit__(self, *_):
        if not self.group:
            return
        write(os.path.join(self.parent, "cgroup.procs"), str(os.getpid()))
        for _ in range(100):
            try:
                os.rmdir(self.group)
                return
            except OSError:  # somebody is still about to end
                time.sleep(0.02)


def write(path, text):
    with open(path, "w", encoding="ascii") as f:
        f.write(text)


class Job:
    """What became of a command: status (negative: by a signal; None: ran too long), output, seconds,
    and the share of the machine that others used meanwhile."""

    def __init__(self, status, output, seconds, foreign):
        self.status, self.output, self.seconds, self.foreign = status, output, seconds, foreign


def run_job(line, env, timeout_s):
    with tempfile.TemporaryFile() as out:
        null = os.open(os.devnull, os.O_RDONLY)
        actions = [(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, out.fileno(), 1),
                   (os.POSIX_SPAWN_DUP2, out.fileno(), 2)]
        late = []
        before, begin = cpu_times(), time.perf_counter()
        pid = os.posix_spawnp(line[0], line, env, file_actions=actions, setpgroup=0)
        watchdog = threading.Timer(timeout_s, end_group, (pid, late))
        watchdog.start()
        _, status, usage = os.wait4(pid, 0)
        seconds = time.perf_counter() - begin
        watchdog.cancel()
        watchdog.join()
        foreign = busy_share(before, cpu_times(), usage.ru_utime + usage.ru_stime)
        os.close(null)
        out.seek(0)
        output = out.read().decode("utf-8", "replace")
    return Job(None if late else os.waitstatus_to_exitcode(status), output, seconds, foreign)


def end_group(pid, late):
    """Ends a launcher that takes too long: it may end its ranks first."""
    late.append(pid)
    for number, pause_s in ((signal.SIGTERM, GRACE_S), (signal.SIGKILL, 0)):
        try:
            os.killpg(pid, number)
        except ProcessLookupError:
            return
        time.sleep(pause_s)
