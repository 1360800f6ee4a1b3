# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the launcher with real processes: /usr/bin/python3 -m pytest test/launch [--build DIR]

None of them needs MPI: the ranks are shell commands, or probe.c, which has only the runtime
(src/rt/local.c).  They use the staged installation in DIR/stage.  Some measure time or claim cores, so
they run one after the other.
"""
import json
import os
import signal
import subprocess

import pytest

from processes import LIMIT, Result

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TEST_LIMIT = 200  # seconds for one test

# A shell in the background, and nohup, have these ignored, and what a test starts would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)


def pytest_addoption(parser):
    parser.addoption("--build", default="build", help="the folder of the build")
    parser.addoption("--results", help="a file for the results, one object per test, for tools/conformance")


class Results:
    """Collects what became of each test; test/check counts it and tools/conformance shows it."""

    def __init__(self, path, folder):
        self.path, self.folder, self.tests = path, folder, {}

    def pytest_runtest_logreport(self, report):
        test = self.tests.setdefault(report.nodeid, {
            "file": f"test/{self.folder}/" + os.path.basename(report.location[0]), "recipe": report.location[2],
            "passed": True, "seconds": 0})
        test["passed"] &= not report.failed
        test["seconds"] = round(test["seconds"] + report.duration, 3)
        if report.skipped:
            test["skipped"] = True

    def pytest_sessionfinish(self):
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        with open(self.path, "w", encoding="utf-8") as f:
            json.dump([t for t in self.tests.values() if "skipped" not in t], f, indent=1)


def pytest_configure(config):
    if config.option.results:
        config.pluginmanager.register(Results(os.path.abspath(config.option.results), "launch"))
    if "ASAN_OPTIONS" in os.environ:  # the launcher frees what it takes
        os.environ["ASAN_OPTIONS"] += ":detect_leaks=1"


def built(request, *names):
    path = os.path.join(ROOT, request.config.option.build, *names)
    assert os.path.exists(path), f"{path} is not there; make builds it"
    return path


@pytest.fixture(scope="session")
def mpiexec(request):
    """The path of the staged mpiexec."""
    return built(request, "stage", "bin", "mpiexec")


@pytest.fixture(scope="session")
def probe(request):
    """The path of the program probe.c."""
    return built(request, "launch", "launch_probe")


@pytest.fixture(scope="session")
def run(mpiexec):
    """Runs mpiexec with these words to its end, which must come in time."""

    def run_to_its_end(*words, input=None, env=None, cwd=None, limit=LIMIT):
        p = subprocess.run([mpiexec, *map(str, words)], input=input, capture_output=True, timeout=limit,
                           env={**os.environ, **(env or {})}, cwd=cwd)
        return Result(p.returncode, p.stdout.decode(errors="replace"), p.stderr.decode(errors="replace"))

    return run_to_its_end


@pytest.fixture
def start(mpiexec):
    """Starts mpiexec with these words; what still runs at the end of the test is killed."""
    started = []

    def start_one(*words, stdin=subprocess.DEVNULL, **more):
        started.append(subprocess.Popen([mpiexec, *map(str, words)], stdin=stdin, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, **more))
        return started[-1]

    yield start_one
    for p in started:
        if p.poll() is None:
            p.kill()
        for stream in filter(None, (p.stdin, p.stdout, p.stderr)):
            stream.close()
        p.wait()


@pytest.fixture(autouse=True)
def time_limit():
    """No test waits for ever."""

    def too_long(*_):
        raise TimeoutError(f"the test takes longer than {TEST_LIMIT} s")

    before = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(TEST_LIMIT)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
