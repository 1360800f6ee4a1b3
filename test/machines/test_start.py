# SPDX-License-Identifier: BSD-3-Clause
#
#   S5-7: the loss of mpiexec ends every rank on every node, and nothing stays behind
#   S5-8: the death of an agent is the loss of its node
#   S5-14: strangers cannot join, read, delay or end a job
#   S5-16: nodes that do not fit together are refused in a sentence that names both
#   S5-20: a job that cannot start on a host says so, and leaves nothing running
"""Agents on other machines, which ssh starts: what their ranks get of mpiexec; and those that do not come (hello.c: those that do).
Nothing is left of any of them (conftest.py).

   S5-7: the loss of mpiexec ends every rank on every node, and nothing stays behind
   S5-8: the death of an agent is the loss of its node
   S5-14: strangers cannot join, read, delay or end a job
   S5-16: nodes that do not fit together are refused in a sentence that names both
   S5-20: a job that cannot start on a host says so, and leaves nothing running
"""
import os
import shutil
import signal

import pytest

from processes import wait_until

SAY = ("sh", "-c", "echo $MEND_RANK $(hostname)")


def mpiexec(machines):
    return os.path.join(machines.build, "stage", "bin", "mpiexec")


def start(machines, *words, **more):
    return machines.run(1, mpiexec(machines), *words, **more)


def test_mpiexec_on_a_machine_without_ranks(machines):
    done = start(machines, "--hosts", "m2,m3", "-n", 4, *SAY)
    assert sorted(done.stdout.split()) == sorted("0 m2 1 m2 2 m3 3 m3".split()), done
    done = start(machines, "--hosts", "m3", "-n", 1, "sh", "-c", "hostname; cat", input="what is read")
    assert (done.returncode, done.stdout) == (0, "m3\nwhat is read"), done


def test_ranks_start_alike(machines):
    """Directory, environment, umask and limits are those of mpiexec; what belongs to its session is not."""
    said = "pwd; echo $COLOUR:$DISPLAY:${SSH_CONNECTION:+ssh}; umask; ulimit -n; ulimit -c; ulimit -s"
    done = machines.run(1, "sh", "-c", f"cd {machines.build} && umask 027 && ulimit -Sn 200 && ulimit -Sc 0 && ulimit -Ss 4096 && "
                        f"COLOUR='light blue' DISPLAY=:7 {mpiexec(machines)} --hosts m2,m3 -n 2 sh -c '{said}'")
    expected = [machines.build, "light blue::ssh", "0027", "200", "0", "4096"]
    assert sorted(done.stdout.splitlines()) == sorted(2 * expected), done


def test_the_key_is_nowhere_to_be_read(machines):
    """Neither in the command lines nor in the environment of any process, here or there: only the letter has it."""
    p = machines.begin(1, mpiexec(machines), "--hosts", "m1,m2", "-n", 2, "sh", "-c", "echo up; sleep 100")
    for _ in range(2):
        assert p.stdout.readline() == b"up\n"
    for k in 1, 2:
        said = machines.run(k, "sh", "-c", "cat /proc/[0-9]*/cmdline | tr '\\0' '\\n' | grep -a -A3 -- '--agent'").stdout.split()
        assert all("=" not in word and len(word) < 300 for word in said), said


# What does not start: the sentence has the host, the reason, what to do; the status is 2.
FAILURES = {
    "nobody knows the host": (("--hosts", "m1,nohost"), "no agent on nohost: ssh says: Could not resolve hostname", "check the name"),
    "not the first": (("--hosts", "m1,m2,m3,nohost"), "no agent on nohost", "check the name"),
    "no ssh server": (("--hosts", "m1,m2", "--ssh", "ssh -p 2222"), "no agent on m2: ssh says: connect to host m2 port 2222: Connection refused",
                      "no ssh server answers there"),
    "no key of the host": (("--hosts", "m1,m2", "--ssh", "ssh -oUserKnownHostsFile=/none -oGlobalKnownHostsFile=/none"),
                           "Host key verification failed", "'ssh m2 true' once by hand"),
    "a password": (("--hosts", "m1,m2", "--ssh", "ssh -oPubkeyAuthentication=no"), "Permission denied", "'ssh-copy-id m2'"),
    "not installed": (("--hosts", "m1,m2", "--prefix", "/nowhere"), "there is no /nowhere/bin/mpiexec", "--prefix says where"),
    "no such ssh": (("--hosts", "m1,m2", "--ssh", "/none/ssh"), "no agent on m2: /none/ssh: No such file or directory", "--ssh names"),
    "another machine there": (("--hosts", "m1,10.77.0.99", "--connect-timeout", "2"), "no agent on 10.77.0.99", "timed out"),
    "another network": (("--hosts", "m1,m2", "--interface", "lo"), "cannot be reached", "--interface"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_agent_that_does_not_come(machines, name):
    flags, reason, advice = FAILURES[name]
    done = start(machines, *flags, "-n", 4, *SAY, limit=20)
    assert done.returncode == 2 and done.stdout == "", done
    assert reason in done.stderr and advice in done.stderr and done.stderr.count("\n") == 1, done.stderr


def test_directory_or_program_that_is_not_there(machines):
    """On another machine than that of mpiexec."""
    done = machines.run(1, "sh", "-c", f"mkdir /tmp/here; cd /tmp/here; {mpiexec(machines)} --hosts m1,m2 -n 2 true; cd /; rm -r /tmp/here")
    assert "no agent on m2: the directory /tmp/here, where mpiexec was started, cannot be entered on m2" in done.stderr, done
    done = machines.run(1, "sh", "-c", f"cp /bin/true /tmp/prog; {mpiexec(machines)} --hosts m1,m2 -n 2 /tmp/prog; echo $?; rm /tmp/prog")
    assert done.stderr == "mpiexec: /tmp/prog: No such file or directory on m2, where a rank is to run\n" and done.stdout == "127\n", done


def test_another_build(machines, tmp_path_factory):
    """Both nodes and builds are in the sentence."""
    folder = os.path.join(machines.build, "other")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(f"{folder}/bin")
    with open(mpiexec(machines), "rb") as f:
        program = f.read()
    number = bytes.fromhex(machines.run(1, f"{machines.build}/stage/bin/mend-info", "--abi").stdout.split("build")[1].split()[0])[::-1]
    assert number in program
    with open(f"{folder}/bin/mpiexec", "wb") as f:
        f.write(program.replace(number, bytes([number[0] ^ 1]) + number[1:]))
    os.chmod(f"{folder}/bin/mpiexec", 0o755)
    done = start(machines, "--hosts", "m1,m2", "--prefix", folder, "-n", 2, "true")
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done
    assert "no agent on m2: m2 has Mend" in done.stderr and "and m1 has Mend" in done.stderr and number[::-1].hex() in done.stderr


def test_firewall_between_agent_and_mpiexec(machines):
    """The agent cannot call: the sentence has the addresses of both."""
    machines.run(1, "nft", "-f", "-", input="table inet wall { chain wall { type filter hook input priority 0; tcp dport 5000 drop; }; }\n")
    machines.undo["wall", 1] = lambda: machines.run(1, "nft", "flush", "ruleset")
    done = start(machines, "--hosts", "m1,m2", "--port-range", "5000:5000", "--connect-timeout", 4, "-n", 2, "true")
    assert done.returncode == 2 and "no agent on m2: it (10.77.0.2) calls mpiexec on m1 (10.77.0.1 port 5000)" in done.stderr, done


@pytest.mark.parametrize("hook", ["input", "output"])
def test_firewall_for_datagrams(machines, hook):
    """The agent calls, but gets no lease: its datagrams, or the answers, are dropped."""
    machines.run(1, "nft", "-f", "-", input=f"table inet wall {{ chain wall {{ type filter hook {hook} priority 0; meta l4proto udp drop; }}; }}\n")
    machines.undo["wall", 1] = lambda: machines.run(1, "nft", "flush", "ruleset")
    done = start(machines, "--hosts", "m1,m2", "--port-range", "5000:5009", "--connect-timeout", 4, "-n", 2, "true")
    assert done.returncode == 2 and "the agent on m2 has called, but its datagrams (UDP) to port 500" in done.stderr, done


# ---- running ----


def begin_sleepers(machines, *flags):
    p = machines.begin(1, mpiexec(machines), "--hosts", "m1,m2,m3", "--lenient-exit", *flags, "-n", 3, "sh", "-c", "echo up; sleep 3; echo end")
    for _ in range(3):
        assert p.stdout.readline() == b"up\n"
    return p


def kill_on(machines, k, pattern):
    """The oldest: a keeper has the same name."""
    assert machines.run(k, "pkill", "-KILL", "-o", "-f", pattern).returncode == 0


def test_ssh_that_is_killed(machines):
    """The job has its own connections, and goes on."""
    p = begin_sleepers(machines)
    kill_on(machines, 1, "^ssh .*BatchMode")
    out, err = p.communicate(timeout=20)
    assert (p.returncode, out.count(b"end"), err) == (0, 3, b"")


def test_agent_that_is_killed(machines):
    p = begin_sleepers(machines)
    kill_on(machines, 2, "bin/mpiexec --agent")
    out, err = p.communicate(timeout=20)
    assert out.count(b"end") == 2 and b"node 1 (m2, rank 1) is lost" in err, (out, err)


def test_mpiexec_that_is_killed(machines):
    p = begin_sleepers(machines)
    kill_on(machines, 1, "bin/mpiexec --hosts")
    p.communicate(timeout=20)


@pytest.fixture
def silent(machines):
    """What is called instead of ssh, never ends and says nothing."""
    machines.run(1, "sh", "-c", "printf '#!/bin/sh\\nexec sleep 100\\n' >/tmp/silent; chmod +x /tmp/silent")
    yield "/tmp/silent"
    machines.run(1, "rm", "/tmp/silent")


def test_time_that_is_over(machines, silent):
    done = start(machines, "--hosts", "m1,m2", "--ssh", silent, "--connect-timeout", 1, "-n", 2, "true", limit=10)
    assert done.returncode == 2 and "no agent on m2: it has not called within the time that --connect-timeout gives" in done.stderr, done


def test_timeout_while_agents_start(machines, silent):
    """It says what the job waits for."""
    done = start(machines, "--hosts", "m1,m2", "--ssh", silent, "--timeout", 0.3, "-n", 2, "true", limit=10)
    assert done.returncode == 124 and "mend:   the agent of node 1 (m2) has not started yet\n" in done.stderr, done


@pytest.mark.parametrize("sig", ["TERM", "INT"])
def test_signal_while_agents_start(machines, silent, sig):
    """Nobody waits until the time is over."""
    p = machines.begin(1, mpiexec(machines), "--hosts", "m1,m2,m3", "--ssh", silent, "-n", 3, "true")
    wait_until(lambda: machines.run(1, "pgrep", "-f", "^sleep 100").returncode == 0, 5)
    machines.run(1, "pkill", f"-{sig}", "-o", "-f", "bin/mpiexec --hosts")
    p.communicate(timeout=5)
    assert p.returncode in (-getattr(signal, f"SIG{sig}"), 128 + getattr(signal, f"SIG{sig}"))
