# SPDX-License-Identifier: BSD-3-Clause
#
#   S5-16: nodes that do not fit together are refused in a sentence that names both
#   S5-20: a job that cannot start on a host says so, and leaves nothing running
"""What cannot start on another machine is said in one sentence, at the first and at the last of several hosts, and nothing is left."""
import os
import sys
import time

import pytest

from inside import HOME

HELLO = ["-n", 4, "sh", "-c", "echo $MEND_RANK"]
LIMIT_S = 15  # for a start that fails; the time that a host has to answer is set where it counts


def tried(machines, mpiexec, hosts, *more, words=HELLO):
    """(exit status, lines on standard error) of a job that must not begin; and it takes no longer than allowed."""
    begin = time.monotonic()
    done = machines.run(1, mpiexec, "--hosts", ",".join(hosts), *more, *words, limit=60)
    assert done.stdout == "" and time.monotonic() - begin < LIMIT_S, done
    return done.returncode, done.stderr.splitlines()


def at_each(k):
    """Machine k as the first and as the last of the other hosts."""
    other = 5 - k
    return [[f"m{k}", f"m{other}"], [f"m{other}", f"m{k}"]]


def said_once(status, lines, host, *parts, expected=2):
    assert status == expected and len(lines) == 1 and lines[0].startswith("mpiexec: "), (status, lines)
    assert host in lines[0] and all(part in lines[0] for part in parts), lines


def test_unknown_host(machines, mpiexec):
    for hosts in ["nowhere", "m2"], ["m2", "nowhere"]:
        said_once(*tried(machines, mpiexec, hosts), "nowhere", "check the name")


@pytest.mark.parametrize("k", [2, 3])
def test_login_is_refused(machines, mpiexec, k):
    machines.change(k, "sh", "-c", ": >/etc/ssh/allowed")
    for hosts in at_each(k):
        said_once(*tried(machines, mpiexec, hosts), f"m{k}", "Permission denied", f"ssh-copy-id m{k}")


@pytest.mark.parametrize("k", [2, 3])
def test_no_server(machines, mpiexec, k):
    machines.change(k, "pkill", "-x", "sshd")
    for hosts in at_each(k):
        said_once(*tried(machines, mpiexec, hosts), f"m{k}", "Connection refused", "is it started")


@pytest.mark.parametrize("how", ["cut", "freeze", "unplug"])
def test_machine_is_silent(machines, mpiexec, how):
    """Without power, hung, or without its cable: it does not answer, and after the given time that is said."""
    getattr(machines, how)(3)
    for hosts in at_each(3):
        said_once(*tried(machines, mpiexec, hosts, "--connect-timeout", 2), "m3")


@pytest.mark.parametrize("k", [2, 3])
def test_no_mpiexec(machines, mpiexec, k):
    machines.change(k, "mount", "-t", "tmpfs", "tmpfs", os.path.dirname(mpiexec))
    for hosts in at_each(k):
        said_once(*tried(machines, mpiexec, hosts), f"m{k}", mpiexec, "--prefix")


def with_another_build(machines, mpiexec, k, folder):
    """A machine whose mpiexec is a copy in which the number of the build is another one."""
    said = machines.run(1, f"{os.path.dirname(mpiexec)}/mend-info", "--abi").stdout
    number = int(next(line.split()[1] for line in said.splitlines() if line.startswith("build ")), 16)
    with open(mpiexec, "rb") as f:
        program = f.read()
    mine, others = (n.to_bytes(8, "little") for n in (number, number ^ 1))
    assert mine in program
    other = f"{folder}/mpiexec"
    with open(other, "wb") as f:
        f.write(program.replace(mine, others))
    os.chmod(other, 0o755)
    machines.change(k, "mount", "--bind", other, mpiexec)


@pytest.mark.parametrize("k", [2, 3])
def test_another_build(machines, mpiexec, folder, k):
    with_another_build(machines, mpiexec, k, folder)
    for hosts in at_each(k):
        said_once(*tried(machines, mpiexec, hosts), f"m{k}", "build", "m1")


@pytest.mark.parametrize("k", [2, 3])
def test_no_program(machines, mpiexec, k):
    """It is on the machine of mpiexec and on one other only."""
    for j in (1, 5 - k):
        machines.change(j, "cp", "/bin/true", "/tmp/program")
    for hosts in at_each(k):
        said_once(*tried(machines, mpiexec, hosts, words=["-n", 4, "/tmp/program"]), f"m{k}", "/tmp/program", "No such file", expected=127)
    machines.change(k, "touch", "/tmp/program")
    for hosts in at_each(k):
        said_once(*tried(machines, mpiexec, hosts, words=["-n", 4, "/tmp/program"]), f"m{k}", "/tmp/program", "permission denied", expected=126)


@pytest.mark.parametrize("k", [2, 3])
def test_no_directory(machines, mpiexec, k):
    for j in (1, 5 - k):
        machines.change(j, "mkdir", "/tmp/here")
    for hosts in at_each(k):
        done = machines.run(1, "sh", "-c", f"cd /tmp/here && {mpiexec} --hosts {','.join(hosts)} -n 4 hostname", limit=60)
        said_once(done.returncode, done.stderr.splitlines(), f"m{k}", "/tmp/here", "directory")


def test_a_shell_that_talks(machines, mpiexec, folder):
    """What a login prints is not what an agent says."""
    talk = f"{folder}/talk"
    with open(talk, "w", encoding="ascii") as f:
        f.write("echo Welcome to m2; echo 'and mind the rules' >&2\n")
    machines.change(2, "cp", talk, f"{HOME}/.bashrc")
    done = machines.run(1, mpiexec, "--hosts", "m2,m3", *HELLO)
    assert (done.returncode, sorted(done.stdout.splitlines())) == (0, ["0", "1", "2", "3"]), done


def test_what_is_not_read_as_a_command(machines, mpiexec):
    """Words of the command line reach programs on other machines as they are."""
    words = ["a b", "$HOME", "'x'", '"y"', "`z`", "*", "\\", "\n", ""]
    done = machines.run(1, mpiexec, "--hosts", "m2", "-n", 1, sys.executable, "-c", "import sys; print(sys.argv[1:])", *words)
    assert (done.returncode, done.stdout) == (0, f"{words}\n"), done
