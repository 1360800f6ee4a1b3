# SPDX-License-Identifier: BSD-3-Clause
#
#   S3-7: the library may end the excluded process
#   S3-10: a running process is not suspected
"""Ranks that stand still, and ranks that others complain about."""
import json
import os
import signal
import subprocess
import time

import pytest

from processes import LIMIT, rank_pids, state_of, wait_until, with_probe


@pytest.mark.parametrize("words, env", [
    (["--stop-timeout", 0.3], {}),
    (["--set", "stop_timeout=0.3"], {}),
    ([], {"MEND_STOP_TIMEOUT": "0.3"}),
    (["--stop-timeout", 0.3], {"MEND_STOP_TIMEOUT": "0"}),
])
def test_detector_parameters(probe, run, words, env):
    """The detector's parameters: by flag, by --set and from the environment; the flag has the last word."""
    begin = time.time()
    r = run(*words, "-n", 2, probe, "pair", "stop", env=env)
    assert "rank 1 cause 4 code 0 fate 1" in r.out
    assert time.time() - begin < 3


def test_stop_and_go(start):
    """S3-10: a rank that is stopped and continued in time is not harmed."""
    p = start("--stop-timeout", 5, "-n", 2, "sh", "-c", "echo $$; sleep 1; echo done")
    pids = [int(p.stdout.readline()) for _ in range(2)]
    os.kill(pids[0], signal.SIGSTOP)
    time.sleep(0.7)
    os.kill(pids[0], signal.SIGCONT)
    out, err = p.communicate(timeout=LIMIT)
    assert (out, err, p.returncode) == (b"done\ndone\n", b"", 0)


@pytest.mark.parametrize("last", [
    "exec PROBE stop-after",
    "PROBE stop-after; exit $?",
    "PROBE hello; kill -STOP $$; exit 0",
])
def test_stopped_after_goodbye(probe, run, last):
    """A rank, or the script around it, that is stopped after MPI_Finalize does not keep the job from ending;
    as it had to be killed, the status is not 0."""
    script = "[ $MEND_RANK = 1 ] || exec PROBE hello; " + last
    r = run("--stop-timeout", 0.3, "-n", 2, "sh", "-c", *with_probe(probe, [script]), limit=15)
    assert r.status == 137
    assert "was stopped for too long after MPI_Finalize and was killed" in r.err


def complaints(report):
    lines = open(report).read().split("\n")[:-1] if report.exists() else []
    return [x for x in map(json.loads, lines) if x["event"] in ("suspicion", "death")]


@pytest.mark.parametrize("wrap", [[], ["sh", "-c", '"$@"; exit $?', "sh"]])
def test_complaint_about_the_living(start, probe, tmp_path, wrap):
    """S3-10: a rank that says of a living one that it is gone is not believed: mpiexec looks itself, and writes the
    first complaint down.  The other one lives until that is done."""
    report, done = tmp_path / "report", tmp_path / "done"
    p = start("--report", report, "-n", 1, *wrap, probe, "complain", ":", "-n", 1, *wrap, probe, "stay", done)
    wait_until(lambda: complaints(report))
    done.touch()
    assert p.communicate(timeout=LIMIT) == (b"0" * 100 + b" dead\n", b"")
    assert p.returncode == 0
    told = complaints(report)
    assert [(x["event"], x["rank"], x["by"], x["refused"]) for x in told] == [("suspicion", 1, 0, True)]


def test_complaint_about_the_stopped(start, probe):
    """S3-7, S3-10: not either of one that stands still, which has a time of its own."""
    p = start("--stop-timeout", 30, "-n", 1, probe, "complain", "later", ":", "-n", 1, probe, "stop-and-leave",
              stdin=subprocess.PIPE)
    wait_until(lambda: len(rank_pids(p)) == 2)
    stopped = rank_pids(p)[1]
    wait_until(lambda: state_of(stopped) == "T")
    p.stdin.write(b"x")
    p.stdin.flush()
    assert p.stdout.readline() == b"0" * 100 + b" dead\n"
    os.kill(stopped, signal.SIGCONT)
    out, err = p.communicate(timeout=LIMIT)
    assert (err, p.returncode) == (b"", 0)
