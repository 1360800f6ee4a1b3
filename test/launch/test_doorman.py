# SPDX-License-Identifier: BSD-3-Clause
#
#   S5-14: strangers cannot join, read, delay or end a job
#   S5-17: memory, descriptors and connections of a process are bounded
"""The port of an agent whose descriptors strangers use up: it neither spins nor goes deaf."""
import os
import re
import resource
import signal
import socket
import time

from processes import LIMIT, wait_until

STRANGERS = 200
FEW = 40


def port_of(pid):
    """Where it listens.  While connections come and go the kernel's list may leave it out."""
    sockets = set()
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            m = re.match(r"socket:\[(\d+)\]", os.readlink(f"/proc/{pid}/fd/{fd}"))
        except OSError:
            continue
        if m:
            sockets.add(m.group(1))
    with open("/proc/net/tcp", encoding="ascii") as f:
        for line in f:
            word = line.split()
            if word[3] == "0A" and word[9] in sockets:
                return int(word[1].split(":")[1], 16)
    return None


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        word = f.read().rsplit(")", 1)[1].split()
    return (int(word[11]) + int(word[12])) / os.sysconf("SC_CLK_TCK")


def limit_descriptors(n):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (n, n))


def test_more_strangers_than_descriptors(start):
    p = start("--machines", 2, "-n", 2, "sleep", 100, preexec_fn=limit_descriptors(FEW))
    door = "127.0.0.1", wait_until(lambda: port_of(p.pid), 10)
    strangers = [socket.create_connection(door) for _ in range(STRANGERS)]
    time.sleep(0.5)
    assert len(os.listdir(f"/proc/{p.pid}/fd")) < FEW
    before = cpu_seconds(p.pid)
    time.sleep(1)
    assert cpu_seconds(p.pid) - before < 0.3
    # no descriptor at all is left, and no caller that could go
    resource.prlimit(p.pid, resource.RLIMIT_NOFILE, (5, FEW))
    wait_until(lambda: len(os.listdir(f"/proc/{p.pid}/fd")) < FEW // 2 + 10, 10)
    more = [socket.create_connection(door) for _ in range(5)]
    before = cpu_seconds(p.pid)
    time.sleep(1)
    assert cpu_seconds(p.pid) - before < 0.3
    resource.prlimit(p.pid, resource.RLIMIT_NOFILE, (FEW, FEW))
    for s in strangers + more:  # all of them are shown out in the end
        s.settimeout(LIMIT)
        try:
            while s.recv(100):
                pass
        except ConnectionResetError:
            pass
        s.close()
    p.send_signal(signal.SIGTERM)
    p.communicate(timeout=LIMIT)


def test_strangers_at_the_start(start):
    """They come faster than the agents, which are shown out with them, and call again."""
    p = start("--machines", 8, "-n", 8, "sh", "-c", "echo up; sleep 0.5", preexec_fn=limit_descriptors(3 * FEW))
    while not (port := port_of(p.pid)):
        assert p.poll() is None
    strangers, end = [], time.time() + 0.5
    while time.time() < end:
        strangers.append(socket.create_connection(("127.0.0.1", port)))
        if len(strangers) > STRANGERS:
            strangers.pop(0).close()
    out, err = p.communicate(timeout=LIMIT)
    assert (p.returncode, out, err) == (0, b"up\n" * 8, b"")
    for s in strangers:
        s.close()
