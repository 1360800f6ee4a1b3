# SPDX-License-Identifier: BSD-3-Clause
#
#   R22: the job's status is 0 only if all deaths were handled
#   S4-7: the abort code becomes the exit status
"""The exit status of mpiexec, and its time-out."""
import re
import signal
import subprocess
import time

import pytest

from processes import LIMIT, with_probe


UNTOLD = "[ $MEND_RANK = 1 ] && kill -9 $$; exec PROBE hello"


@pytest.mark.parametrize("words, status", [
    (["-n", 2, "true"], 0),
    (["-n", 2, "sh", "-c", "exit $((MEND_RANK * 3))"], 3),
    (["-n", 2, "sh", "-c", "kill -9 $$"], 137),
    (["-n", 2, "PROBE", "hello"], 0),
    (["-n", 2, "PROBE", "exit-after", 4], 4),
    (["-n", 2, "PROBE", "exit-without", 0], 1),
    (["-n", 2, "PROBE", "exit-without", 6], 6),
    (["-n", 3, "PROBE", "abort-all", 7], 7),
    (["-n", 3, "PROBE", "abort-all", 256], 1),
    (["-n", 1, "PROBE", "abort-all", 0], 0),
    (["-n", 3, "PROBE", "pair", "kill"], 0),
    (["-n", 2, "sh", "-c", UNTOLD], 137),
    (["--lenient-exit", "-n", 2, "sh", "-c", UNTOLD], 0),
    (["--strict-exit", "-n", 3, "PROBE", "pair", "kill"], 137),
    (["--strict-exit", "-n", 3, "PROBE", "pair", "abort-other"], 5),
    (["-n", 3, "PROBE", "pair", "kill-and-name"], 0),
    (["--strict-exit", "-n", 3, "PROBE", "pair", "kill-and-name"], 137),
    (["-n", 2, "PROBE", "hello", ":", "-n", 1, "true"], 0),
])
def test_exit_status(probe, run, words, status):
    """The exit status of ruling R22, with plain programs and with ranks; S4-7: that of an abort is its code."""
    assert run("-q", *with_probe(probe, words)).status == status


@pytest.mark.parametrize("words, status", [([], 0), (["--strict-exit"], signal.SIGTERM)])
def test_abort_code_is_no_signal(probe, start, words, status):
    """SIGTERM, which no rank dies of, has the number of the code of an abort, which SIGKILL carries out: the abort
    counts, not the signal."""
    p = start("-q", *words, "-n", 4, "sh", "-c", f"trap '' TERM; exec {probe} abort-part {signal.SIGTERM:d}",
              stdin=subprocess.PIPE)
    assert p.stdout.readline() == b"up\n"
    p.send_signal(signal.SIGTERM)  # mpiexec reads it before the end of a rank: SIGCHLD is the higher signal
    out, err = p.communicate(b"x", timeout=LIMIT)
    assert (p.returncode, out, err) == (status, b"3 at once\n", b"")


def test_exit_codes(run):
    """-print-all-exitcodes says how each rank ended."""
    r = run("-q", "-print-all-exitcodes", "-n", 3, "sh", "-c", "[ $MEND_RANK = 2 ] && kill -9 $$; exit $MEND_RANK")
    assert r.err.splitlines() == ["mend: rank 0 ended with status 0", "mend: rank 1 ended with status 1",
                               "mend: rank 2 was killed by signal 9 (Killed)"]


def test_timeout(probe, run):
    """--timeout prints what each rank waits for, kills the job, and exits with 124."""
    begin = time.time()
    r = run("--timeout", 0.7, "-n", 2, probe, "waits", ":", "-n", 1, "sleep", 100, ":", "-n", 1, probe,
            "hang")
    assert r.status == 124
    for i, what in enumerate(["waiting for rank 1", "waiting for rank 2", "has not called MPI_Init"]):
        assert re.search(rf"rank {i} \(pid \d+\): {what}", r.err), r.err
    assert "rank 3 (pid" in r.err
    assert time.time() - begin < 5
    assert run("--timeout", 5, "-n", 2, "true").status == 0


@pytest.mark.parametrize("before, out", [("", ""), ("stdbuf -oL ", "x\nx\n")])
def test_timeout_and_buffers(run, before, out):
    """What a rank had in its buffers when --timeout killed it is lost: that is said, and what is said helps."""
    r = run("--timeout", 1, "-n", 2, "sh", "-c", f"(echo x; exec sleep 100) | {before}grep x")
    assert (r.status, r.out) == (124, out)
    assert "'stdbuf -oL PROGRAM'" in r.err


def test_timeout_without_buffers(run):
    """-q keeps the advice about buffers to itself."""
    assert "stdbuf" not in run("-q", "--timeout", 0.3, "-n", 1, "sleep", 100).err


def test_silent_ranks(probe, run):
    """Of a rank that does not say what it waits for, mpiexec says what the kernel tells."""
    r = run("--timeout", 0.5, "-n", 2, "sh", "-c", f"trap '' USR1; exec {probe} hang")
    assert r.status == 124
    assert "does not answer: the program handles or blocks SIGUSR1 itself" in r.err
