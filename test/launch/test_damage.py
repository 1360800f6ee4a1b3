# SPDX-License-Identifier: BSD-3-Clause
#
#   S5-14: strangers cannot join, read, delay or end a job
"""Garbage between mpiexec and an agent: the stream cannot go on, so the node is lost, and the job is not.

   S5-14: strangers cannot join, read, delay or end a job
"""
import ctypes
import os
import socket

import pytest

from processes import LIMIT
from test_leases import begin
from test_machines import agent_of

PIDFD_GETFD = 438
libc = ctypes.CDLL(None, use_errno=True)


def connection_of(pid):
    """A TCP connection of the process, which has one only."""
    pidfd = os.pidfd_open(pid)
    for fd in map(int, os.listdir(f"/proc/{pid}/fd")):
        if os.readlink(f"/proc/{pid}/fd/{fd}").startswith("socket:"):
            s = socket.socket(fileno=libc.syscall(PIDFD_GETFD, pidfd, fd, 0))
            try:
                if s.family in (socket.AF_INET, socket.AF_INET6) and s.type == socket.SOCK_STREAM and s.getpeername():
                    return s
            except OSError:  # not connected
                pass
    raise AssertionError(f"no connection of {pid}")


@pytest.mark.parametrize("towards", ["mpiexec", "agent"])
def test_damaged_stream(start, towards):
    p = begin(start, "--lenient-exit", nodes=2)
    connection_of(agent_of(p, 1) if towards == "mpiexec" else p.pid).send(b"no message of ours" * 20)
    out, err = p.communicate(timeout=LIMIT)
    assert (out, p.returncode, err.count(b" is lost: ")) == (b"done\n", 0, 1), err
