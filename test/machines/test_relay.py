# SPDX-License-Identifier: BSD-3-Clause
"""The relay between two machines: what passes, how late, and where connections break."""
import sys

import pytest

from ready import line_of

# A server that answers what it has read by the end, or by the error, with the number of bytes; and says so.
SERVER = """
import socket
s = socket.create_server(("", 7)); print("up", flush=True)
while True:
    c, _ = s.accept(); n = 0
    try:
        while b := c.recv(70000): n += len(b)
        c.sendall(b"%d" % n); c.close(); print("end", n, flush=True)
    except OSError as e: print(type(e).__name__, n, flush=True)
"""
# Sends so many bytes and the end, and says how long it took until which answer came.
CALLER = """
import socket, sys, time
begin = time.monotonic(); c = socket.create_connection(("m2", 7)); c.settimeout(float(sys.argv[2]))
try:
    c.sendall(b"x" * int(sys.argv[1]))
    try: c.shutdown(socket.SHUT_WR)
    except OSError: pass  # it is reset already, which the next call says
    said = c.recv(100).decode()
except OSError as e: said = type(e).__name__
print(time.monotonic() - begin, said)
"""


@pytest.fixture
def server(machines):
    one = machines.begin(2, sys.executable, "-c", SERVER)
    assert line_of(one) == "up"
    return one


def call(machines, n, limit=20):
    """(seconds, what the server, or an error, says) of a connection that carries n bytes."""
    seconds, said = machines.run(1, sys.executable, "-c", CALLER, n, limit).stdout.split()
    return float(seconds), said


def test_passes(machines, server):
    """More than it holds, and the end behind it; and a refusal."""
    machines.relay(1)
    assert call(machines, 3000000)[1] == "3000000" and line_of(server) == "end 3000000"
    assert call(machines, 0)[1] == "0"
    server.kill()
    server.wait()
    done = machines.run(1, sys.executable, "-c", CALLER, 1, 20)
    assert "ConnectionResetError" in done.stdout + done.stderr


def test_delays(machines, server):
    """There and back."""
    machines.relay(1, "--delay", 200)
    assert call(machines, 1)[0] > 0.4
    assert call(machines, 500000)[1] == "500000"


def test_breaks_at_each_byte(machines, server):
    """The receiver has got exactly so many, and both sides an error; later connections are left alone."""
    relay = machines.relay(1, "--break", "1-7+3")
    for n in 1, 4, 7:
        assert call(machines, 100)[1] == "ConnectionResetError"
        assert line_of(server) == f"ConnectionResetError {n}" and line_of(relay) == f"reset after {n} bytes"
    assert call(machines, 100)[1] == "100"


def test_breaks_the_other_way(machines, server):
    machines.relay(1, "--break", "3", "--down")
    assert call(machines, 100000)[1] == "100"  # the first three digits of 100000
    assert line_of(server) == "end 100000"


def test_stalls(machines, server):
    """Nobody is told, and nothing passes, whichever way."""
    relay = machines.relay(1, "--break", "50", "--stall")
    assert call(machines, 100, 0.5)[1] == "TimeoutError"
    assert line_of(relay) == "stall after 50 bytes"
