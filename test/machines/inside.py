# SPDX-License-Identifier: BSD-3-Clause
"""inside.py – the first process of a machine: gives it files and a network of its own, starts sshd, and reaps what others leave.

It runs in new namespaces, whose other processes it starts or inherits; the machine is on as long as it lives.
"""
import contextlib
import os
import signal
import socket
import subprocess
import time

from host import CLONE, LIBC, MS_BIND, MS_PRIVATE, MS_REC, command, mount, said, unshare

OWN = {"/tmp": "1777", "/var/tmp": "1777", "/dev/shm": "1777", "/run": "755"}  # memory of the machine
HOME = "/run/home"  # of root at a login: what the user's shell does at the beginning is not for tests
SSHD_S = 10
CONTROLS = ("cubic", "reno")  # of congestion: a host may have bbr, which paces what is sent, at a third of the rate


class Plan:
    """What a machine is made of."""

    def __init__(self, number, name, folder, shared, network, offsets):
        self.number, self.name, self.folder, self.shared = number, name, folder, shared
        self.network, self.offsets = network, offsets  # lines for `ip -batch`; the clocks', in seconds


def launch(plan, cgroup, log):
    """Starts the first process, which waits for a line that says that its cable is there.  Returns (its number, the descriptor for that
    line, the descriptor from which its answer comes)."""
    go, answer, number = os.pipe(), os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            detach(log, go[0], answer[1], number[1])
            with open(os.path.join(cgroup, "cgroup.procs"), "w", encoding="ascii") as f:
                f.write(str(os.getpid()))
            unshare(sum(CLONE.values()))
            with open("/proc/self/timens_offsets", "w", encoding="ascii") as f:
                f.write("".join(f"{clock} {seconds} 0\n" for clock, seconds in plan.offsets.items()))
            first = os.fork()
            if first == 0:
                os.close(number[1])
                be_first(plan, go[0], answer[1])
            os.write(number[1], str(first).encode())
        except BaseException as error:  # pylint: disable=broad-except
            os.write(answer[1], str(error).encode())
        finally:
            os._exit(0)
    for descriptor in go[0], answer[1], number[1]:
        os.close(descriptor)
    os.waitpid(pid, 0)
    with os.fdopen(number[0]) as f:
        text = f.read()
    return int(text) if text else None, go[1], answer[0]


def detach(log, *kept):
    """Closes all descriptors of the caller except some: no pipe and no lock of it lives on here."""
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2 and int(name) not in kept:
            with contextlib.suppress(OSError):  # of the folder that was read
                os.close(int(name))
    nothing, out = os.open("/dev/null", os.O_RDONLY), os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(nothing, 0)
    os.dup2(out, 1)
    os.dup2(out, 2)


def be_first(plan, go, answer):
    """Does not return.  Its answer is "up", or what went wrong."""
    try:
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
            signal.signal(number, signal.SIG_DFL)  # which the kernel keeps from a first process
        os.read(go, 1)
        os.close(go)
        LIBC.prctl(15, f"machine {plan.number}".encode(), 0, 0, 0)  # PR_SET_NAME
        os.chdir("/")
        take_files(plan)
        take_network(plan)
        start_sshd()
        os.write(answer, b"up")
        os.close(answer)
    except BaseException as error:  # pylint: disable=broad-except
        os.write(answer, str(error).encode())
        os._exit(1)
    reap_for_ever()


def take_files(plan):
    mount("none", "/", None, MS_REC | MS_PRIVATE)
    said(["hostname", plan.name])
    mount("proc", "/proc", "proc")
    mount("sysfs", "/sys", "sysfs")  # of its own network
    own = {os.path.join(plan.folder, name): target for name, target in
           (("boot_id", "/proc/sys/kernel/random/boot_id"), ("hosts", "/etc/hosts"), ("ssh", "/etc/ssh"), ("passwd", "/etc/passwd"))}
    for source, target in own.items():
        mount(source, target, None, MS_BIND)
    opened = {path: os.open(path, os.O_PATH) for path in plan.shared}
    for target, mode in OWN.items():
        mount("tmpfs", target, "tmpfs", 0, f"mode={mode}")
    for path, descriptor in opened.items():
        if any(path.startswith(f"{target}/") for target in OWN):
            os.makedirs(path, exist_ok=True)
            mount(f"/proc/self/fd/{descriptor}", path, None, MS_BIND | MS_REC)
        os.close(descriptor)
    os.mkdir(HOME, 0o700)


def take_network(plan):
    for name in CONTROLS:
        try:
            with open("/proc/sys/net/ipv4/tcp_congestion_control", "w", encoding="ascii") as f:
                f.write(name)
            break
        except OSError:  # not in this kernel, or not for namespaces
            continue
    said([command("ip"), "-batch", "-"], "\n".join(plan.network) + "\n")


def start_sshd():
    """Returns when it takes calls."""
    os.makedirs("/run/sshd", mode=0o755, exist_ok=True)
    daemon = subprocess.Popen([command("sshd"), "-D", "-E", "/run/sshd.log"])
    deadline = time.monotonic() + SSHD_S
    while daemon.poll() is None and time.monotonic() < deadline:
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", 22)) == 0:
                return
        time.sleep(0.005)
    with open("/run/sshd.log", encoding="utf-8") as f:
        raise OSError(f"sshd does not take calls: {f.read()}")


def reap_for_ever():
    while True:
        try:
            os.wait()
        except ChildProcessError:
            signal.pause()
