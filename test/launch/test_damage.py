# SPDX-License-Identifier: BSD-3-Clause
#
#   S5-14: strangers cannot join, read, delay or end a job
#   S5-15: a broken connection is made again, nothing lost or doubled
"""The connection between mpiexec and an agent: it ends, and is made again, and nothing is lost or doubled; or garbage comes over it, the
stream cannot go on, and so the node is lost, and the job is not.

   S5-15: a connection that breaks between two living processes is made again
   S5-14: strangers cannot join, read, delay or end a job
"""
import ctypes
import os
import socket
import time

import pytest

from processes import LIMIT
from test_leases import begin
from test_machines import agent_of, counted, LINES

PIDFD_GETFD = 438
libc = ctypes.CDLL(None, use_errno=True)


def connection_of(pid):
    """A TCP connection of the process, whose other descriptors come and go."""
    pidfd = os.pidfd_open(pid)
    for fd in map(int, os.listdir(f"/proc/{pid}/fd")):
        try:
            if not os.readlink(f"/proc/{pid}/fd/{fd}").startswith("socket:"):
                continue
            s = socket.socket(fileno=libc.syscall(PIDFD_GETFD, pidfd, fd, 0))
            if s.family in (socket.AF_INET, socket.AF_INET6) and s.type == socket.SOCK_STREAM and s.getpeername():
                return s
        except OSError:  # not connected, or it is gone
            pass
    raise AssertionError(f"no connection of {pid}")


@pytest.mark.parametrize("towards", ["mpiexec", "agent"])
def test_damaged_stream(start, towards):
    p = begin(start, "--lenient-exit", nodes=2)
    connection_of(agent_of(p, 1) if towards == "mpiexec" else p.pid).send(b"no message of ours" * 20)
    out, err = p.communicate(timeout=LIMIT)
    assert (out, p.returncode, err.count(b" is lost: ")) == (b"done\n", 0, 1), err


@pytest.mark.parametrize("ended_by", ["mpiexec", "agent"])
def test_connection_that_ends(start, ended_by):
    """Again and again, while much goes over it."""
    p = start("--machines", 2, "-n", 2, "sh", "-c", f'seq -f "$MEND_RANK %.0f" {LINES}', bufsize=0)
    out, ends = b"", 0
    while len(out) < 12 * LINES:
        out += p.stdout.read(5000)
        if ends < 10:
            try:
                connection_of(p.pid if ended_by == "mpiexec" else agent_of(p, 1)).shutdown(socket.SHUT_RDWR)
                ends += 1
            except AssertionError:  # it is not there again yet
                time.sleep(0.01)
    rest, err = p.communicate(timeout=LIMIT)
    assert (p.returncode, err, ends) == (0, b"", 10)
    assert counted((out + rest).decode().splitlines()) == {rank: LINES for rank in range(2)}
