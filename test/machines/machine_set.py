# SPDX-License-Identifier: BSD-3-Clause
"""machine_set.py – several machines on this one.

A machine is a set of namespaces: network, processes, mounts, IPC, host name and time.  It has its own /tmp, /dev/shm, /run, boot id,
clocks and sshd; the rest of the file system is the same for all, as with NFS.  The machines of a set hang on one bridge, which is in a
network namespace of its own with the *switch*, a process that does nothing else:

      switch:  [ sw ]--p1----eth0 [ m1 ]        m1 is 10.77.0.1, and m1-6 is fd77::1, in each set: sets do not see
                   |---p2----eth0 [ m2 ]        each other, and nothing of the host's network changes
                   |---p3----eth0 [ m3 ]

Invariants
 1. All processes of a machine are in its cgroup, and nothing else is: a cut kills, and a freeze stops, exactly them, at one instant.
 2. What a set is made of is in one folder, /run/mend-machines/NAME; a set that is half made or half gone can be taken down.
 3. Nothing is signalled but the noted processes of a set (host.py) and its cgroups.
 4. A set with an owner is taken down by its switch when the owner has ended; if the switch is killed first, by the next sweep().
"""
import contextlib
import fcntl
import glob
import os
import re
import shutil
import time

import host
import inside
from host import Trouble

STATES = "/run/mend-machines"
MOST = 200
START_S = 20  # for a machine to come up beside other load


class MachineSet:
    def __init__(self, name="default"):
        if not re.fullmatch(r"[\w.-]+", name) or name.startswith("."):
            raise Trouble(f"'{name}' cannot be the name of a set of machines")
        self.name, self.folder = name, os.path.join(STATES, name)

    # What there is

    def numbers(self):
        return sorted(int(n) for n in os.listdir(self.folder) if n.isdigit()) if os.path.isdir(self.folder) else []

    def of(self, k):
        """The folder of a machine."""
        if not self.numbers():
            raise Trouble(f"no machines run in the set '{self.name}'; 'up N' starts them")
        if k not in self.numbers():
            raise Trouble(f"there is no machine {k}; there are 1 to {self.numbers()[-1]}")
        return os.path.join(self.folder, str(k))

    def first(self, k):
        """The number of its first process, of a machine that is on."""
        pid = host.noted_pid(os.path.join(self.of(k), "first"))
        if pid is None:
            raise Trouble(f"machine {k} is off")
        return pid

    def is_on(self, k):
        return host.noted_pid(os.path.join(self.of(k), "first")) is not None

    def cgroup(self, k):
        return os.path.join(host.cgroups() or "", f"mend-machines-{self.name}-{k}")

    def is_frozen(self, k):
        return "frozen 1" in self.events(k)

    def processes(self, k):
        """The numbers, here, of all processes of a machine."""
        try:
            with open(os.path.join(self.cgroup(k), "cgroup.procs"), encoding="ascii") as f:
                return [int(pid) for pid in f.read().split()]
        except FileNotFoundError:
            return []

    def inside(self, k, path):
        """A path of a machine that is on, as it is seen from here."""
        return f"/proc/{self.first(k)}/root{path}"

    # Up and down

    def up(self, n, shared=(), owner=None, same_clock=False):
        if not 1 <= n <= MOST:
            raise Trouble(f"{n} machines: there can be 1 to {MOST}")
        with locked(STATES):
            sweep()
            try:
                os.mkdir(self.folder, 0o711)
            except FileExistsError:
                raise Trouble(f"the set '{self.name}' runs already; 'down' ends it") from None
            lock = lock_folder(self.folder)
        try:
            self.prepare(n, shared, owner, same_clock)
            for k in range(1, n + 1):
                self.start(k)
        except BaseException:
            self.down()
            raise
        finally:
            os.close(lock)

    def prepare(self, n, shared, owner, same_clock):
        for path in shared:
            if os.path.realpath(path) == "/" or not os.path.isdir(path):
                raise Trouble(f"{path} cannot be shared: it is not a folder below /")
        self.write("shared", "".join(f"{os.path.realpath(path)}\n" for path in shared))
        self.write("clocks", "same" if same_clock else "own")
        self.write("hosts", "127.0.0.1 localhost\n::1 localhost\n"
                   + "".join(f"{address(k)} m{k}\n{address6(k)} m{k}-6\n" for k in range(1, n + 1)))
        self.make_keys()
        if owner is not None:
            host.note(os.path.join(self.folder, "owner"), owner)
        self.start_switch()
        for k in range(1, n + 1):
            os.mkdir(os.path.join(self.folder, str(k)), 0o755)

    def write(self, name, text, mode=0o644):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        os.chmod(path, mode)
        return path

    def make_keys(self):
        """Keys of this set, which each machine knows: all log in to all."""
        folder = os.path.join(self.folder, "ssh")
        os.mkdir(folder, 0o755)
        for name in "id", "host":
            host.said([host.command("ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", os.path.join(folder, name)])
        with open(os.path.join(folder, "host.pub"), encoding="ascii") as f:
            key = f.read()
        shutil.copy(os.path.join(folder, "id.pub"), os.path.join(folder, "allowed"))
        self.write("ssh/known", f"m*,10.77.*,fd77:* {key}")
        self.write("ssh/ssh_config", CLIENT)
        self.write("ssh/sshd_config", SERVER)

    def down(self):
        """Ends everything, whatever is there of it, and says at last what could not be ended."""
        troubles = []
        for k in self.numbers():
            try:
                self.power_off(k)
                self.remove_cgroup(k)
            except (OSError, Trouble) as error:
                troubles.append(str(error))
        switch = os.path.join(self.folder, "switch")
        if host.noted_pid(switch) != os.getpid():
            host.end(switch)
        if troubles:
            raise Trouble("; ".join(troubles))
        shutil.rmtree(self.folder, ignore_errors=True)

    def remove_cgroup(self, k):
        deadline = time.monotonic() + 5
        while True:
            try:
                os.rmdir(self.cgroup(k))
                return
            except FileNotFoundError:
                return
            except OSError as error:
                if time.monotonic() > deadline:
                    raise Trouble(f"{self.cgroup(k)} cannot be removed: {error.strerror}; in it are {self.processes(k)}") from None
                time.sleep(0.005)

    # The switch

    def start_switch(self):
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                os.setsid()
                if os.fork() == 0:
                    self.be_switch(write)
            finally:
                os._exit(0)
        os.waitpid(pid, 0)
        os.close(write)
        with os.fdopen(read) as f:
            answer = f.read()
        if answer != "up":
            raise Trouble(f"no network for machines: {answer or 'the switch has ended'}")

    def be_switch(self, answer):
        """Does not return: holds the bridge until it is killed, or takes the set down when its owner has ended."""
        try:
            host.LIBC.prctl(15, b"switch", 0, 0, 0)
            os.chdir("/")
            inside.detach(os.path.join(self.folder, "switch.log"), answer)
            own = os.path.join(self.folder, "owner")
            owner = host.noted(own)
            host.unshare(host.CLONE["net"])
            host.said([host.command("ip"), "-batch", "-"], "link add sw type bridge forward_delay 0 mcast_snooping 0\nlink set sw up\n")
            host.note(os.path.join(self.folder, "switch"), os.getpid())
            os.write(answer, b"up")
            os.close(answer)
        except BaseException as error:  # pylint: disable=broad-except
            os.write(answer, str(error).encode())
            os._exit(1)
        if os.path.exists(own):
            if owner is not None:
                host.has_ended(owner, None)
            self.down()
            os._exit(0)
        while True:
            time.sleep(100000)

    def switch(self, *words, text=None):
        """Runs a command in the network of the bridge."""
        pid = host.noted_pid(os.path.join(self.folder, "switch"))
        if pid is None:
            raise Trouble(f"no machines run in the set '{self.name}'; 'up N' starts them")
        return host.said([host.command("nsenter"), f"--net=/proc/{pid}/ns/net", host.command(words[0]), *words[1:]], text)

    # A machine

    def start(self, k):
        """Power on, with nothing that ran before."""
        folder, cgroup = self.of(k), self.cgroup(k)
        if self.is_on(k):
            raise Trouble(f"machine {k} is on")
        self.fill(k)
        os.makedirs(cgroup, exist_ok=True)
        with open(os.path.join(cgroup, "cgroup.freeze"), "w", encoding="ascii") as f:
            f.write("0")
        log = os.path.join(folder, "log")
        pid, go, answer = inside.launch(self.plan(k), cgroup, log)
        try:
            if pid is not None:
                host.note(os.path.join(folder, "first"), pid)
                self.connect(k, pid)
                os.write(go, b"!")
            text = read_with_end(answer, START_S)
        finally:
            os.close(go)
            os.close(answer)
        if text != "up":
            with open(log, encoding="utf-8", errors="replace") as f:
                raise Trouble(f"machine {k} has not come up: {text or 'no answer'} {f.read()}")

    def fill(self, k):
        """The files that are its own."""
        folder = self.of(k)
        shutil.rmtree(os.path.join(folder, "ssh"), ignore_errors=True)
        shutil.copytree(os.path.join(self.folder, "ssh"), os.path.join(folder, "ssh"))
        shutil.copy(os.path.join(self.folder, "hosts"), folder)
        with open("/etc/passwd", encoding="utf-8") as f:
            self.write(f"{k}/passwd", re.sub(r"^(root:.*:)[^:]*(:[^:]*)$", rf"\g<1>{inside.HOME}\g<2>", f.read(), flags=re.M))
        with open("/proc/sys/kernel/random/uuid", encoding="ascii") as f:
            self.write(f"{k}/boot_id", f.read())

    def plan(self, k):
        with open(os.path.join(self.folder, "shared"), encoding="utf-8") as f:
            shared = f.read().splitlines()
        with open(os.path.join(self.folder, "clocks"), encoding="ascii") as f:
            apart = 0 if f.read() == "same" else 100003 * k
        network = ["link set lo up", f"address add {address(k)}/16 dev eth0", f"address add {address6(k)}/64 dev eth0 nodad",
                   "link set eth0 up"]
        network += [f"neighbour add {name(j)} lladdr {hardware(j)} nud permanent dev eth0"
                    for j in self.numbers() if j != k for name in (address, address6)]  # no question that a partition leaves open
        return inside.Plan(k, f"m{k}", self.of(k), shared, network, {"monotonic": apart, "boottime": 2 * apart})

    def connect(self, k, pid):
        """A new cable, with the address that it always has: what others know of it stays true."""
        self.remove_cable(k)
        self.switch("ip", "-batch", "-", text=f"link add p{k} type veth peer name eth0 address {hardware(k)} netns {pid}\n"
                    f"link set p{k} master sw up\n")

    def has_cable(self, k):
        return re.search(rf"^\d+: p{k}[@:]", self.switch("ip", "-oneline", "link"), re.M) is not None

    def remove_cable(self, k):
        """That of a machine that was on, if the kernel has not: it does so at some time after the machine's last process has ended."""
        try:
            self.switch("ip", "link", "delete", f"p{k}")
        except Trouble:
            if self.has_cable(k):
                raise

    def cut(self, k):
        """Power off: first nothing passes its cable, then all its processes are killed at one instant.  Returns the time, by the clock
        that all machines share (CLOCK_REALTIME)."""
        self.of(k)
        self.unplug(k)
        when = time.time()
        self.power_off(k)
        return when

    def power_off(self, k):
        """Also of a frozen machine.  Returns when nothing of it is there."""
        first = host.noted(os.path.join(self.of(k), "first"))
        with contextlib.suppress(FileNotFoundError):
            with open(os.path.join(self.cgroup(k), "cgroup.kill"), "w", encoding="ascii") as f:
                f.write("1")
            self.await_event(k, "populated 0")
        if first is not None:
            host.has_ended(first, 10)
            os.close(first)

    def await_event(self, k, line, seconds=10):
        """What the kernel says of a cgroup."""
        deadline = time.monotonic() + seconds
        while line not in self.events(k):
            if time.monotonic() > deadline:
                raise Trouble(f"machine {k} is not \"{line}\" in {seconds} s; its processes are {self.processes(k)}")
            time.sleep(0.001)

    def events(self, k):
        with open(os.path.join(self.cgroup(k), "cgroup.events"), encoding="ascii") as f:
            return f.read()

    def freeze(self, k, frozen=True):
        """It hangs; its kernel still acknowledges what is sent to it.  Returns the time when no process of it runs."""
        self.first(k)
        with open(os.path.join(self.cgroup(k), "cgroup.freeze"), "w", encoding="ascii") as f:
            f.write(str(int(frozen)))
        self.await_event(k, f"frozen {int(frozen)}")
        return time.time()

    def thaw(self, k):
        return self.freeze(k, False)

    def unplug(self, k):
        self.of(k)
        self.switch("ip", "link", "set", f"p{k}", "down")
        return time.time()

    def plug(self, k):
        self.of(k)
        self.switch("ip", "link", "set", f"p{k}", "up")
        return time.time()

    def command(self, k, words, folder=None):
        """The words that run a command on a machine, in the folder; the exit status is the command's, which dies with the process that
        runs these words.  It ignores no signal, also if that process does, as one that a shell has started with `&`."""
        return ["/bin/sh", "-c", 'echo $$ > "$1" && shift && exec "$@"', "sh", os.path.join(self.cgroup(k), "cgroup.procs"),
                host.command("nsenter"), f"--target={self.first(k)}", "--net", "--pid", "--mount", "--ipc", "--uts", "--time", "--",
                host.command("setpriv"), "--pdeathsig", "KILL",
                "env", "--default-signal", "--chdir", folder or os.getcwd(), *words]

    # The network between them

    def rule(self, *rules):
        self.switch("nft", "-f", "-", text="add table bridge cut\nadd chain bridge cut f { type filter hook forward priority 0; }\n"
                    + "".join(f"add rule bridge cut f {rule}\n" for rule in rules))
        return time.time()

    def partition(self, one, other, both=True):
        """No packet passes from one list of machines to the other, nor, both ways, back."""
        a, b = ("{ " + ", ".join(f'"p{os.path.basename(self.of(k))}"' for k in side) + " }" for side in (one, other))
        back = [f"iifname {b} oifname {a} drop"] if both else []
        return self.rule(f"iifname {a} oifname {b} drop", *back)

    def lose(self, percent):
        if not 0 <= percent <= 100:
            raise Trouble(f"{percent} per cent of the packets cannot be lost")
        return self.rule(f"numgen random mod 1000 < {round(percent * 10)} drop") if percent else time.time()

    def shut(self, k, ports):
        """As by a firewall: others do not reach these TCP ports of the machine, and it is not heard from there."""
        if not re.fullmatch(r"\d+(-\d+)?", ports):
            raise Trouble(f"'{ports}' are not ports")
        port = f'"p{os.path.basename(self.of(k))}"'
        return self.rule(f"oifname {port} meta l4proto tcp tcp dport {ports} drop", f"iifname {port} meta l4proto tcp tcp sport {ports} drop")

    def heal(self):
        """Ends all partitions, losses and what was shut."""
        self.switch("nft", "-f", "-", text="add table bridge cut\ndelete table bridge cut\n")
        return time.time()

    def slow(self, k, rate):
        """The cable carries so much each way; rate 0: as before."""
        sides = [(lambda *words: self.switch("tc", *words), f"p{k}"),
                 (lambda *words: host.said([host.command("nsenter"), f"--net=/proc/{self.first(k)}/ns/net", host.command("tc"), *words]),
                  "eth0")]
        for tc, device in sides:
            if "tbf" in tc("qdisc", "show", "dev", device):
                tc("qdisc", "delete", "dev", device, "root")
            if rate != "0":
                tc("qdisc", "add", "dev", device, "root", "tbf", "rate", rate, "burst", "128kb", "latency", "100ms")


def address(k):
    return f"10.77.0.{k}"


def address6(k):
    return f"fd77::{k}"


def hardware(k):
    return f"02:77:00:00:00:{k:02x}"


def read_with_end(descriptor, seconds):
    """All that is written, if the end comes in time."""
    text = b""
    while host.has_ended(descriptor, seconds):
        more = os.read(descriptor, 65536)
        if not more:
            break
        text += more
    return text.decode(errors="replace")


def sets():
    return [MachineSet(os.path.basename(path)) for path in glob.glob(os.path.join(STATES, "*")) if os.path.isdir(path)]


def lock_folder(path, flags=fcntl.LOCK_EX):
    """A descriptor that holds the lock until it is closed; None if another has it and flags say not to wait."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, flags)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


@contextlib.contextmanager
def locked(path):
    os.makedirs(path, exist_ok=True)
    descriptor = lock_folder(path)
    try:
        yield
    finally:
        os.close(descriptor)


def is_stale(one):
    """Its owner has ended; or it has no switch, and is not being set up, for then it is locked."""
    lock = lock_folder(one.folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    if lock is None:
        return False
    os.close(lock)
    own = os.path.join(one.folder, "owner")
    return host.noted_pid(os.path.join(one.folder, "switch")) is None or os.path.exists(own) and host.noted_pid(own) is None


def sweep():
    """Takes down the sets that a killed test has left."""
    for one in sets():
        with contextlib.suppress(FileNotFoundError):  # its switch was faster
            if is_stale(one):
                one.down()


CLIENT = """Host m* 10.77.* fd77:*
    IdentityFile /etc/ssh/id
    GlobalKnownHostsFile /etc/ssh/known
    UserKnownHostsFile /dev/null
    StrictHostKeyChecking yes
    BatchMode yes
    LogLevel ERROR
    KexAlgorithms curve25519-sha256
"""
SERVER = """HostKey /etc/ssh/host
AuthorizedKeysFile /etc/ssh/allowed
PermitRootLogin prohibit-password
StrictModes no
UsePAM no
UseDNS no
MaxStartups 200
MaxSessions 200
PidFile none
"""
