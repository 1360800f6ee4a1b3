# SPDX-License-Identifier: BSD-3-Clause
"""The machines themselves: what a cut, a freeze and a partition are to the others, and that nothing is left of a set."""
import glob
import os
import signal

import subprocess
import sys
import time

import host
import inside
import machine_set
from processes import wait_until
from ready import line_of, Machines

PYTHON = sys.executable
ECHO = """
import socket, sys
s = socket.create_server(("", 7)); print("up", flush=True)
while True:
    c, _ = s.accept()
    while b := c.recv(1000): c.sendall(b)
"""
# Says a line for each byte that comes back, and at last how the connection has ended.
CALLER = """
import socket, sys
c = socket.create_connection(("m2", 7), 5); c.settimeout(None); print("up", flush=True)
try:
    for line in sys.stdin:
        c.sendall(b"x"); print("back" if c.recv(1) else "closed", flush=True)
except OSError as e: print("error", e, flush=True)
"""
# Counts datagrams until a line comes, and from then on until none has come for a while.
COUNTER = """
import select, socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("", 7))
s.setsockopt(socket.SOL_SOCKET, 33, 1 << 24)  # SO_RCVBUFFORCE: room for all
print("up", flush=True); n = 0; ends = False
while True:
    ready = select.select([s] if ends else [s, sys.stdin], [], [], 0.3 if ends else None)[0]
    if s in ready: s.recv(100); n += 1
    elif ready: ends = True
    else: break
print(n)
"""
SENDER = """
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(1000): s.sendto(b"x", (sys.argv[1], 7))
"""


def say(process):
    process.stdin.write(b"\n")
    process.stdin.flush()


def pair(machines):
    """A server on machine 2 that echoes, and a connection of machine 1 to it that has carried a byte."""
    server = machines.begin(2, PYTHON, "-c", ECHO)
    assert line_of(server) == "up"
    caller = machines.begin(1, PYTHON, "-c", CALLER)
    assert line_of(caller) == "up"
    say(caller)
    assert line_of(caller) == "back"
    return caller, server


def arrive(machines, sender, receiver):
    """How many of 1000 datagrams arrive."""
    counter = machines.begin(receiver, PYTHON, "-c", COUNTER)
    assert line_of(counter) == "up"
    machines.run(sender, PYTHON, "-c", SENDER, f"m{receiver}")
    say(counter)
    return int(line_of(counter))


def test_login_does_nothing_of_this_host(machines):
    """What root's shell does here at its beginning is not done there: it may wait for others, or be killed with the machine."""
    assert machines.run(1, "ssh", "m2", "echo $HOME; ls -A").stdout == f"{inside.HOME}\n"


def test_what_is_changed_is_undone(machines):
    machines.change(2, "sh", "-c", "mount -t tmpfs tmpfs /opt; touch /opt/changed; : >/etc/ssh/allowed")
    assert machines.run(1, "ssh", "m2", "true").returncode == 255
    machines.settle()
    assert machines.run(1, "ssh", "m2", "ls /opt/changed").returncode == 2


def test_what_is_left_is_found(machines):
    """A process, and a file in memory."""
    machines.run(2, "sh", "-c", "setsid sleep 1000 >&- 2>&- & : >/dev/shm/left")
    left = machines.settle()
    assert len(left) == 2 and "(sleep 1000) was left on machine 2" in left[0] + left[1] and "/dev/shm/left" in left[0] + left[1]


def test_what_is_its_own(machines):
    """Name, boot id, clocks, process numbers, files in memory; the tree is the same for all."""
    own = [f"{folder}/own-{os.getpid()}" for folder in ("/tmp", "/var/tmp", "/dev/shm", "/run")]
    script = ("hostname; cat /proc/sys/kernel/random/boot_id; cut -d. -f1 /proc/uptime; ls -d /proc/[0-9]* | wc -l; "
              f"ls {' '.join(own)} 2>/dev/null; ls {machine_set.__file__}; touch {' '.join(own)}; rm {' '.join(own)}")
    said = [machines.run(k, "sh", "-c", script).stdout.split() for k in (1, 2)]
    assert [s[0] for s in said] == ["m1", "m2"] and said[0][1] != said[1][1]
    assert abs(int(said[1][2]) - int(said[0][2]) - 2 * 100003) < 30
    assert all(int(s[3]) < 12 and s[4:] == [machine_set.__file__] for s in said), said
    assert not any(map(os.path.exists, own))


def test_monotonic_clocks_differ(machines):
    now = [float(machines.run(k, PYTHON, "-c", "import time; print(time.monotonic())").stdout) for k in (1, 2)]
    assert 100000 < now[1] - now[0] < 100030 and now[0] - time.monotonic() > 100000


def test_all_log_in_to_all(machines):
    """By both kinds of addresses, with no question and no word more than was asked for."""
    for k in machines.numbers():
        for name in f"m{k % 3 + 1}", f"m{(k + 1) % 3 + 1}-6":
            done = machines.run(k, "ssh", name, "hostname")
            assert (done.stdout, done.stderr) == (name[:2] + "\n", ""), (k, name, done)


def test_cut(machines):
    """Nobody is told, and everything on it is gone; switched on it has nothing of before."""
    caller, server = pair(machines)
    machines.run(2, "touch", "/tmp/before", "/dev/shm/before")
    others = machines.begin(2, "setsid", "sleep", "1000")
    machines.cut(2)
    assert not machines.processes(2) and server.wait(5) == others.wait(5) == -signal.SIGKILL
    say(caller)
    assert line_of(caller, 1) == ""  # neither an end nor an error
    machines.do("start", 2)
    assert machines.run(2, "ls", "/tmp/before", "/dev/shm/before").stdout == ""
    assert line_of(caller, 10).startswith("error")  # its kernel knows nothing of that connection


def test_cable_that_goes_by_itself(machines, monkeypatch):
    """The kernel removes the cable of a machine that is off, here just before it is to be removed for the machine's next start."""
    network = os.open(f"/proc/{machines.first(2)}/ns/net", os.O_RDONLY)  # which keeps the cable
    machines.cut(2)
    assert machines.has_cable(2)
    switch = machines.switch

    def switch_late(*words, **more):
        if "delete" in words:
            os.close(network)
            wait_until(lambda: "p2@" not in switch("ip", "-oneline", "link"))
        return switch(*words, **more)

    monkeypatch.setattr(machines, "switch", switch_late)
    machines.remove_cable(2)
    assert not machines.has_cable(2)


def test_freeze(machines):
    """It does not answer, but its kernel takes connections and data; thawed it goes on; and frozen it can be cut."""
    caller, _ = pair(machines)
    machines.freeze(2)
    say(caller)
    assert line_of(caller, 0.5) == ""
    assert machines.run(1, PYTHON, "-c", "import socket; socket.create_connection(('m2', 7), 3)").returncode == 0
    machines.thaw(2)
    assert line_of(caller) == "back"
    machines.freeze(2)
    machines.cut(2)
    assert not machines.processes(2)


def test_unplug(machines):
    """A connection outlives it, and what was sent meanwhile arrives."""
    caller, _ = pair(machines)
    machines.unplug(2)
    say(caller)
    assert line_of(caller, 0.5) == ""
    machines.plug(2)
    assert line_of(caller, 10) == "back"


def test_partition(machines):
    machines.partition([1], [2, 3], both=False)
    assert (arrive(machines, 1, 2), arrive(machines, 1, 3)) == (0, 0)
    machines.heal()
    assert arrive(machines, 1, 2) == 1000
    machines.partition([1, 3], [2])
    assert (arrive(machines, 1, 2), arrive(machines, 2, 3), arrive(machines, 3, 1)) == (0, 0, 1000)


def test_one_way(machines):
    """What one says is heard, what the other says is not."""
    machines.partition([2], [1], both=False)
    assert (arrive(machines, 1, 2), arrive(machines, 2, 1)) == (1000, 0)


def test_lose(machines):
    machines.lose(20)
    assert 650 < arrive(machines, 1, 2) < 950  # of 1000 with 20 % lost: 800, and 12 are a standard deviation
    machines.heal()


def test_shut(machines):
    """A port of one machine, for all others; the one beside it stays open."""
    caller, _ = pair(machines)
    machines.shut(2, "7-8")
    say(caller)
    assert line_of(caller, 0.5) == ""
    assert machines.run(1, "ssh", "m2", "hostname").stdout.strip() == "m2"
    machines.heal()
    assert line_of(caller, 10) == "back"


def test_slow(machines):
    """A megabyte over 8 Mbit/s takes a second, less the 128 kB that pass at once."""
    machines.slow(2, "8mbit")
    begin = time.monotonic()
    done = machines.run(1, "sh", "-c", "head -c 1000000 /dev/zero | ssh m2 wc -c")
    assert done.stdout.strip() == "1000000" and time.monotonic() - begin > 0.8
    machines.slow(2, "0")
    assert "tbf" not in machines.switch("tc", "qdisc") + machines.run(2, "tc", "qdisc").stdout


def traces(name):
    """Whatever there is of a set."""
    return glob.glob(f"{machine_set.STATES}/{name}") + glob.glob(f"{host.cgroups()}/mend-machines-{name}-*")


def test_sets_are_apart(machines):
    """Another set has the same names and addresses, and its end is not theirs."""
    other = Machines(f"other-{os.getpid()}")
    other.do("up", 2)
    try:
        caller, _ = pair(machines)
        pair(other)
        other.partition([1], [2])
        other.cut(2)
    finally:
        for process in other.background:
            process.kill()
            process.communicate()
        other.do("down")
    assert not traces(other.name)
    say(caller)
    assert line_of(caller) == "back"


def test_set_ends_with_its_owner():
    """Also if it is killed, and whatever runs on the machines."""
    owner = subprocess.Popen(["sleep", "1000"])
    one = Machines(f"owned-{os.getpid()}")
    try:
        one.do("up", 2, "--owner", owner.pid)
        sleeper = one.begin(2, "setsid", "sleep", "1000")
        one.freeze(1)
    finally:
        owner.kill()
        owner.wait()
    wait_until(lambda: not traces(one.name))
    sleeper.communicate()


def test_sweep():
    """Of a set whose switch was killed the next one removes everything."""
    one = Machines(f"swept-{os.getpid()}")
    one.do("up", 2)
    os.kill(host.noted_pid(f"{one.folder}/switch"), signal.SIGKILL)
    wait_until(lambda: host.noted_pid(f"{one.folder}/switch") is None)
    assert one.call("sweep").returncode == 0
    assert not traces(one.name)


def test_sentences(machines):
    for words, text in [(("cut", 9), "there is no machine 9; there are 1 to 3"), (("cut",), "'cut' takes 1 words"),
                        (("start", 1), "machine 1 is on"), (("up", 2), "runs already"), (("up", 0), "there can be 1 to"),
                        (("partition", "1"), "usage: partition"), (("fly",), "there is no command 'fly'")]:
        done = machines.call("--set", machines.name, *words)
        assert done.returncode == 2 and text in done.stderr and done.stderr.count("\n") == 1, done
