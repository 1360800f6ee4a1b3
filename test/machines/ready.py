# SPDX-License-Identifier: BSD-3-Clause
"""ready.py – machines for tests, which find all of them on and joined, and nothing of the test before.

What a test begins on a machine is ended behind it; what else is left there is its failure.
"""
import contextlib
import os
import re
import select
import signal
import subprocess
import sys
import time

import host
from host import Trouble
from machine_set import START_S, MachineSet

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MEMORY = ("/dev/shm", "/tmp", "/var/tmp")  # of each machine
PUBLISHED = f"mend-{os.geteuid()}"  # a folder of names that the jobs of a user share
LEFT_S = 2  # a killed process may take a moment to go
RELAY_PORT = 9
REDIRECT = f"""table ip relay {{
  chain out {{
    type nat hook output priority -100;
    meta mark 77 accept
    ip daddr 10.77.0.0/16 tcp dport != 22 redirect to :{RELAY_PORT}
  }}
}}
"""
REFUSE = "table ip refuse { chain in { type filter hook input priority 0; tcp dport != 22 reject with tcp reset; }; }\n"
HELD = "/run/held"  # while it is there an agent that is begun as `late` does nothing (run)
HOLDS = {  # how far the start of an agent on a machine gets: its rules of nft
    "login": "type filter hook input priority 0; tcp dport 22 drop;",  # ssh has called
    "begun": "",                                                       # its program was started, and has read nothing
    "calls": "type filter hook output priority 0; tcp sport 22 accept; tcp dport 22 accept; meta l4proto tcp drop;",  # it calls
    "beats": "type filter hook output priority 0; meta l4proto udp drop;",  # it is connected, and has no lease
}
LOAD = "load-of-a-test"  # the name of a process that only computes
SYN_SENT, ESTABLISHED = "02", "01"
GREETING_BYTES = 200  # an agent that has sent more than that is ready


class Machines(MachineSet):
    """A set that ends with this process, which is not forked: what needs that is done by the command `machines`."""

    def __init__(self, name, build="build"):
        super().__init__(name)
        self.build = os.path.join(ROOT, build)
        self.background, self.base, self.undo = [], {}, {}  # calls that make the machines as they were

    @staticmethod
    def call(*words):
        return subprocess.run([sys.executable, os.path.join(HERE, "machines"), *map(str, words)], capture_output=True, text=True,
                              timeout=60, check=False)

    def do(self, *words):
        done = self.call("--set", self.name, *words)
        if done.returncode:
            raise Trouble(done.stderr.strip())
        for k in self.numbers():
            if words[0] == "up" or words == ("start", k):
                self.base[k] = self.all_of(k)

    def begin_set(self, n):
        self.do("up", n, "--owner", os.getpid(), "--share", ROOT, "--share", self.build)

    def run(self, k, *words, limit=30, **more):
        """A command, to its end."""
        return subprocess.run(self.command(k, list(map(str, words)), "/"), capture_output=True, text=True, timeout=limit, check=False,
                              **more)

    def change(self, k, *words):
        """A command that changes files or servers of a machine, which is switched off and on when it is settled."""
        self.undo["files", k] = lambda: (self.cut(k), self.do("start", k))
        done = self.run(k, *words)
        if done.returncode:
            raise Trouble(f"{words} on machine {k}: {done.stdout}{done.stderr}")

    def begin(self, k, *words, **more):
        """A command that runs until it is killed, or the machine is settled."""
        self.background.append(subprocess.Popen(self.command(k, list(map(str, words)), "/"), bufsize=0, stdin=subprocess.PIPE,
                                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more))
        return self.background[-1]

    def relay(self, k, *flags):
        """From now on connections of this machine to others go through a relay, except those of ssh.  What the relay says can be read."""
        relay = self.begin(k, f"{self.build}/test/machines/relay", "--port", RELAY_PORT, *flags)
        done = self.run(k, "nft", "-f", "-", input=REDIRECT)
        self.undo["relay", k] = lambda: self.run(k, "nft", "flush", "ruleset")
        if line_of(relay) != "ready" or done.returncode:
            raise Trouble(f"no relay on machine {k}: {done.stderr}")
        return relay

    def refuse(self, k):
        """From now on it answers what comes by TCP with a reset, as a firewall may, except to ssh."""
        self.undo["refuse", k] = lambda: self.enter_network(k, "nft", "delete table ip refuse")
        self.enter_network(k, "nft", "-f", "-", text=REFUSE)
        return time.time()

    def load(self, k, n):
        """So many processes compute there, until the background is ended."""
        loops = self.begin(k, "sh", "-c", f"for i in $(seq {n}); do sh -c 'while :; do :; done' {LOAD} & done; echo loaded; wait")
        if line_of(loops, START_S) != "loaded":
            raise Trouble(f"no load on machine {k}")

    # How far an agent is

    def enter_network(self, k, *words, text=None):
        """Runs a command there that does not belong to the machine, and so is not frozen with it."""
        return host.said([host.command("nsenter"), f"--net=/proc/{self.first(k)}/ns/net", host.command(words[0]), *words[1:]], text)

    def hold(self, what, k):
        self.undo["hold", k] = lambda: self.release(k)
        if HOLDS[what]:
            self.enter_network(k, "nft", "-f", "-", text=f"table ip hold {{ chain hold {{ {HOLDS[what]} }}; }}\n")
        else:
            with open(self.inside(k, HELD), "w", encoding="ascii"):
                pass

    def release(self, k):
        self.enter_network(k, "nft", "-f", "-", text="table ip hold {}; delete table ip hold\n")
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.inside(k, HELD))

    def has_come(self, step, k):
        """Whether the start of the agent on machine k is there."""
        if step == "login":
            return self.connections(1, SYN_SENT, lambda _, to: to == (k, 22))
        if step == "begun":
            return any(b"late" in word.rsplit(b"/", 1)[-1:] for pid in self.processes(k) for word in words_of_process(pid))
        if step == "ready":
            sent = re.findall(r":(?!22 )\d+ +10.77.0.1:.*\n.*bytes_acked:(\d+)", self.enter_network(k, "ss", "-tin", "state", "established"))
            return any(int(n) > GREETING_BYTES for n in sent)
        return self.connections(k, SYN_SENT if step == "calling" else ESTABLISHED, lambda port, to: port != 22 and to[0] == 1)

    def connections(self, k, state, wanted):
        """Those of a machine in that state, from a port to (machine, port)."""
        with open(f"/proc/{self.first(k)}/net/tcp", encoding="ascii") as f:
            found = [line.split()[1:4] for line in f][1:]
        return any(st == state and wanted(int(own[-4:], 16), (int(to[:2], 16), int(to[-4:], 16))) for own, to, st in found)

    # What is left

    def all_of(self, k):
        """Its processes, and the names of files in its memory.  Sessions of its sshd are not those of a job: they wait for callers that
        have lost their power until TCP gives them up."""
        found = {pid for pid in self.processes(k) if name_of(pid) != "sshd"}
        if self.is_on(k):
            for folder in MEMORY:
                found |= {f"{folder}/{name}" for name in os.listdir(self.inside(k, folder)) if name != PUBLISHED}
        return found

    def left(self, numbers, seconds=LEFT_S):
        """What machines have and had not when they were started, in words, if it does not go in time."""
        deadline = time.monotonic() + seconds
        while True:
            found = {k: self.all_of(k) - self.base[k] for k in numbers if self.is_on(k)}
            if not any(found.values()) or time.monotonic() > deadline:
                return [f"{words_of(one)} was left on machine {k}" for k, all_ in found.items() for one in sorted(all_, key=str)]
            time.sleep(0.01)

    def freeze(self, k, frozen=True):
        self.undo["frozen", k] = lambda: self.thaw(k)
        return super().freeze(k, frozen)

    def unplug(self, k):
        self.undo["plug", k] = lambda: self.plug(k)
        return super().unplug(k)

    def slow(self, k, rate):
        self.undo["rate", k] = lambda: super(Machines, self).slow(k, "0")
        super().slow(k, rate)

    def rule(self, *rules):
        self.undo["rules", None] = self.heal
        return super().rule(*rules)

    def join(self):
        """Undoes what keeps machines that are on from each other."""
        for (_, k), undo in list(self.undo.items()):
            if k is None or self.is_on(k):
                undo()
        self.undo = {}

    def end_background(self):
        """Also on machines that are frozen, and while the load is still being started."""
        for process in self.background:
            process.kill()
        while load := [pid for k in self.numbers() for pid in self.processes(k) if LOAD in b" ".join(words_of_process(pid)).decode(errors="replace")]:
            for pid in load:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.01)
        for process in self.background:
            process.communicate()
        self.background.clear()

    def settle(self):
        """Makes the machines as they were; returns what was left on them."""
        self.join()
        self.end_background()
        left = self.left(self.numbers())
        for k in self.numbers():
            if self.is_on(k) and self.all_of(k) - self.base[k]:
                self.cut(k)
            if not self.is_on(k):
                self.do("start", k)
        return left


def line_of(process, seconds=5):
    """The next line of its output, or nothing if it does not come in time."""
    return process.stdout.readline().decode().strip() if select.select([process.stdout], [], [], seconds)[0] else ""


def name_of(pid):
    """Of the program that runs."""
    with contextlib.suppress(OSError):
        with open(f"/proc/{pid}/comm", encoding="utf-8") as f:
            return f.read().strip()
    return None


def words_of_process(pid):
    with contextlib.suppress(OSError):
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            return f.read().split(bytes(1))
    return []


def words_of(one):
    """A process by its command line, a file by its name."""
    with contextlib.suppress(OSError):
        with open(f"/proc/{one}/cmdline", "rb") as f:
            return f"process {one} ({f.read().replace(bytes(1), b' ').decode(errors='replace').strip()})"
    return str(one)
