# SPDX-License-Identifier: BSD-3-Clause
"""host.py – what a set of machines needs of this host's kernel: namespaces, cgroups, processes by number and start time.

A process is noted as "number start-time", so that a number that the kernel has given to another process is not taken for it.
All signals go through a descriptor of the process (pidfd), which cannot change its meaning between the look and the signal.
"""
import ctypes
import os
import select
import shutil
import signal
import subprocess

CLONE = {"time": 0x80, "mnt": 0x20000, "uts": 0x04000000, "ipc": 0x08000000, "pid": 0x20000000, "net": 0x40000000}
NAMESPACES = sum(CLONE.values())
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18
COMMANDS = {"ip": "iproute2", "tc": "iproute2", "nft": "nftables", "nsenter": "util-linux", "setpriv": "util-linux",
            "sshd": "openssh-server", "ssh": "openssh-client", "ssh-keygen": "openssh-client"}
LIBC = ctypes.CDLL(None, use_errno=True)


class Trouble(Exception):
    """A sentence for the user."""


def called(name, *arguments):
    """A function of the C library that returns 0 unless it fails."""
    words = [a.encode() if isinstance(a, str) else a for a in arguments]
    if getattr(LIBC, name)(*words) != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}({', '.join(map(str, arguments))}): {os.strerror(error)}")


def unshare(flags):
    called("unshare", ctypes.c_int(flags))


def mount(source, target, kind=None, flags=0, options=None):
    called("mount", source, target, kind, ctypes.c_ulong(flags), options)


def start_time(pid):
    """In ticks; None of a process that has ended, even if nobody has reaped it."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
            words = f.read().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return None if words[0] in "ZX" else words[19]


def note(path, pid):
    """Writes down which process it is.  A note is there whole or not at all."""
    with open(path + ".new", "w", encoding="ascii") as f:
        f.write(f"{pid} {start_time(pid)}\n")
    os.rename(path + ".new", path)


def noted(path):
    """A descriptor of the process that was noted; None if it has ended or none was."""
    try:
        with open(path, encoding="ascii") as f:
            pid, start = f.read().split()
        descriptor = os.pidfd_open(int(pid))
    except (OSError, ValueError):
        return None
    if start_time(pid) == start:
        return descriptor
    os.close(descriptor)
    return None


def noted_pid(path):
    """Its number, while it lives."""
    descriptor = noted(path)
    if descriptor is None:
        return None
    os.close(descriptor)
    with open(path, encoding="ascii") as f:
        return int(f.read().split()[0])


def has_ended(descriptor, seconds):
    """Waits for the end of a process; false if it has not come by then.  None: without bound."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(None if seconds is None else seconds * 1000))


def end(path, seconds=10):
    """Kills the noted process and waits until it is gone."""
    descriptor = noted(path)
    if descriptor is None:
        return
    try:
        signal.pidfd_send_signal(descriptor, signal.SIGKILL)
    except ProcessLookupError:
        pass
    gone = has_ended(descriptor, seconds)
    os.close(descriptor)
    if not gone:
        raise Trouble(f"the process noted in {path} does not end within {seconds} s of SIGKILL")


def command(name):
    """Its path; /usr/sbin is not in everybody's PATH."""
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if not path:
        raise Trouble(f"needs {name}: apt-get install {COMMANDS[name]} (tools/install-deps check does it)")
    return path


def said(line, text=None):
    """Runs a command that must succeed."""
    done = subprocess.run(line, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise Trouble(f"{' '.join(line)}: {done.stdout.strip() or f'exit status {done.returncode}'}"
                      + (f"\nfor\n{text}" if text else ""))
    return done.stdout


def cgroups():
    """Where cgroups of version 2 are: alone, or beside those of version 1.  The freezer of version 1 does not do: a process that is
    frozen there cannot be killed."""
    for path in "/sys/fs/cgroup", "/sys/fs/cgroup/unified":
        if os.path.exists(os.path.join(path, "cgroup.procs")):
            return path
    return None


def obstacle():
    """What this host, or this user, may not do: words for "no permission for ..."; None if machines can run.  It tries each thing by
    itself, so that a fault of the machines is not taken for a lack of permission; a command that is missing is trouble."""
    if os.geteuid() != 0:
        return "network namespaces, mounts and sshd, which need root"
    for name in COMMANDS:
        command(name)
    attempts = {f"{name} namespaces": lambda flag=flag: unshare(flag) for name, flag in CLONE.items()}
    attempts.update({"mounts": try_mount, "a bridge and virtual cables": try_network,
                     "cgroups of version 2, with cgroup.freeze and cgroup.kill (Linux 5.14)": try_cgroup})
    for name, attempt in attempts.items():
        error = error_of(attempt)
        if error:
            return f"{name} ({error})"
    return None


def try_mount():
    unshare(CLONE["mnt"])
    mount("none", "/", None, MS_REC | MS_PRIVATE)


def try_network():
    unshare(CLONE["net"])
    said([command("ip"), "link", "add", "name", "mend0", "type", "veth", "peer", "name", "mend1"])
    said([command("ip"), "link", "add", "name", "mend2", "type", "bridge"])


def try_cgroup():
    path = cgroups()
    if not path:
        raise OSError("not below /sys/fs/cgroup")
    own = os.path.join(path, f"mend-try-{os.getpid()}")
    os.mkdir(own)
    missing = [name for name in ("cgroup.freeze", "cgroup.kill", "cgroup.procs") if not os.access(os.path.join(own, name), os.W_OK)]
    os.rmdir(own)
    if missing:
        raise OSError(f"{path} has no {missing[0]}")


def error_of(attempt):
    """What it says if it fails, in a process of its own; nothing if it succeeds."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            attempt()
        except (OSError, Trouble) as error:
            os.write(write, str(error).encode())
        finally:
            os._exit(0)
    os.close(write)
    os.waitpid(pid, 0)
    with os.fdopen(read) as f:
        return f.read()
