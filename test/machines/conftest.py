# SPDX-License-Identifier: BSD-3-Clause
"""Tests on several machines: /usr/bin/python3 -m pytest test/machines [--build DIR]

They take the options and the time limit of test/launch.  A test gets machines that are all on and joined; what it did to them is
undone behind it, and processes that it left on one are a failure.
"""
import contextlib
import importlib.util
import os
import select
import subprocess
import sys
import time

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
LAUNCH = os.path.join(ROOT, "test", "launch")
sys.path[:0] = [HERE, LAUNCH]
spec = importlib.util.spec_from_file_location("launch_conftest", os.path.join(LAUNCH, "conftest.py"))
launch = importlib.util.module_from_spec(spec)
spec.loader.exec_module(launch)
pytest_addoption, time_limit = launch.pytest_addoption, launch.time_limit

from machine_set import MachineSet  # noqa: E402  pylint: disable=wrong-import-position

N = 3
RELAY_PORT = 9
REDIRECT = f"""table ip relay {{
  chain out {{
    type nat hook output priority -100;
    meta mark 77 accept
    ip daddr 10.77.0.0/16 tcp dport != 22 redirect to :{RELAY_PORT}
  }}
}}
"""
LEFT_S = 2  # a killed process may take a moment to go


def pytest_configure(config):
    if config.option.results:
        config.pluginmanager.register(launch.Results(os.path.abspath(config.option.results), "machines"))


class Machines(MachineSet):
    """Machines for tests: commands on them are run to their end, or in the background until the end of the test."""

    def __init__(self, name, build="build"):
        super().__init__(name)
        self.build = os.path.join(ROOT, build)
        self.background, self.base = [], {}

    @staticmethod
    def call(*words):
        """The command `machines`, in a process of its own: pytest's is not to be forked."""
        return subprocess.run([sys.executable, os.path.join(HERE, "machines"), *map(str, words)], capture_output=True, text=True,
                              timeout=60, check=False)

    def do(self, *words):
        done = self.call("--set", self.name, *words)
        assert done.returncode == 0, done.stderr
        self.base.update({k: set(self.processes(k)) for k in self.numbers() if k not in self.base or words[0] in ("up", "start")})

    def run(self, k, *words, limit=30, **more):
        return subprocess.run(self.command(k, list(map(str, words)), "/"), capture_output=True, text=True, timeout=limit, check=False,
                              **more)

    def begin(self, k, *words, **more):
        self.background.append(subprocess.Popen(self.command(k, list(map(str, words)), "/"), stdin=subprocess.PIPE,
                                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more))
        return self.background[-1]

    def relay(self, k, *flags):
        """From now on connections of this machine to others go through a relay, except those of ssh.  What the relay says can be read."""
        relay = self.begin(k, f"{self.build}/test/machines/relay", "--port", RELAY_PORT, *flags)
        assert line_of(relay) == "ready", relay.communicate()
        done = self.run(k, "nft", "-f", "-", input=REDIRECT)
        assert done.returncode == 0, done.stderr
        return relay

    def left(self):
        """Processes of machines other than those that each begins with."""
        return {k: pids - self.base[k] for k in self.numbers() for pids in [set(self.processes(k))] if pids - self.base[k]}

    def settle(self):
        """All on and joined again, and nothing of the test runs; it returns what did."""
        self.heal()
        for k in self.numbers():
            if self.is_on(k):
                self.thaw(k)
                self.plug(k)
                self.slow(k, "0")
                self.run(k, "nft", "flush", "ruleset")
        for process in self.background:
            process.kill()
            process.communicate()
        self.background.clear()
        deadline = time.monotonic() + LEFT_S
        while self.left() and time.monotonic() < deadline:
            time.sleep(0.01)
        left = {k: [name_of(pid) for pid in pids] for k, pids in self.left().items()}
        for k in self.numbers():
            if k in left or not self.is_on(k):
                if self.is_on(k):
                    self.cut(k)
                self.do("start", k)
        return left


def line_of(process, seconds=5):
    """The next line of its output, or nothing if it does not come in time."""
    return process.stdout.readline().decode().strip() if select.select([process.stdout], [], [], seconds)[0] else ""


def name_of(pid):
    with contextlib.suppress(OSError):
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            return f"{pid}: " + f.read().replace(b"\0", b" ").decode(errors="replace")
    return str(pid)


@pytest.fixture(scope="session")
def set_of_machines(request):
    one = Machines(f"test-{os.getpid()}", request.config.option.build)
    one.do("up", N, "--owner", os.getpid(), "--share", ROOT)
    yield one
    one.do("down")


@pytest.fixture
def machines(set_of_machines):
    yield set_of_machines
    left = set_of_machines.settle()
    assert not left, f"left on machines: {left}"
