# SPDX-License-Identifier: BSD-3-Clause
#
#   S5-20: a job that cannot start on a host says so, and leaves nothing running
"""A start that takes long: a terminal shows how far it is, and nothing else does.

   S5-20: what cannot start is said in one sentence with host and next step, and leaves nothing running
"""
import os
import pty
import subprocess

import pytest

from processes import LIMIT, marked, processes_with, read_until, wait_until


@pytest.fixture
def slow_ssh(tmp_path):
    """In the place of ssh: connects with nobody for three seconds, and says why not."""
    path = tmp_path / "ssh"
    path.write_text("#!/bin/sh\nsleep 3\necho \"ssh: no way to $*\" >&2\nexit 255\n")
    path.chmod(0o755)
    return path


def test_on_a_terminal(mpiexec, slow_ssh):
    mark, env = marked()
    ours, theirs = pty.openpty()
    p = subprocess.Popen([mpiexec, "--ssh", slow_ssh, "--hosts", "localhost,elsewhere", "-n", "2", "true"], stdin=theirs, stdout=theirs,
                         stderr=theirs, env=env)
    os.close(theirs)
    text, _ = read_until(ours, "waiting for elsewhere")
    assert "1 of 2 nodes are there; waiting for elsewhere" in text
    text, _ = read_until(ours, "no way to")
    assert "elsewhere" in text
    assert p.wait(timeout=LIMIT) == 2
    os.close(ours)
    wait_until(lambda: not processes_with(mark))


def test_elsewhere(run, slow_ssh):
    r = run("--ssh", slow_ssh, "--hosts", "localhost,elsewhere", "-n", 2, "true")
    assert (r.status, r.out, r.err.count("\n")) == (2, "", 1) and "elsewhere" in r.err and "nodes are there" not in r.err, r
