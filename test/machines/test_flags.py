# SPDX-License-Identifier: BSD-3-Clause
#
#   S5-19: the launcher works with several nodes as with one
"""Flags of mpiexec that are read on each machine, or say what differs between machines: they mean the same as with one."""
import os
import re
import signal
import sys
import tempfile

from ready import line_of
from test_jobs import called

HOSTS = ["--hosts", "m1,m2,m3", "-n", 3]


def lines(done, status=0):
    assert done.returncode == status, done
    return sorted(done.stdout.splitlines())


def test_variables_of_a_session(machines, mpiexec):
    """What a flag names has the value that it has where mpiexec is, also if each host has one of its own, or none."""
    own = ["env", "DISPLAY=:5", "HOSTNAME=here", "TMUX=x"]
    said = ["sh", "-c", "echo $MEND_RANK $DISPLAY $HOSTNAME $TMUX."]
    done = machines.run(1, *own, mpiexec, *HOSTS, "-x", "DISPLAY", "-x", "HOSTNAME", "-x", "TMUX", *said)
    assert lines(done) == [f"{i} :5 here x." for i in range(3)]
    done = machines.run(1, *own, mpiexec, *HOSTS, "-envlist", "DISPLAY,HOSTNAME", *said)
    assert lines(done) == [f"{i} :5 here ." for i in range(3)]
    done = machines.run(1, *own, mpiexec, "-genvlist", "DISPLAY", *HOSTS, "-envnone", *said, ":", "-n", 3, *said)
    assert lines(done) == [f"{i} ." for i in range(3)] + [f"{i} :5 ." for i in range(3, 6)]
    done = machines.run(1, mpiexec, *HOSTS, "-x", "DISPLAY", *said)
    assert done.returncode == 2 and done.stderr.startswith("mpiexec: -x: the variable DISPLAY is not set here;"), done


def test_rank_at_random(machines, mpiexec):
    """All machines choose the same."""
    notes = [word for k in range(1, 9) for word in ("--inject", f"note:random@time:{k}0ms")]
    done = machines.run(1, mpiexec, *notes, *HOSTS, "sleep", 1)
    assert done.returncode == 0 and done.stderr.count("which gives rank") == 8, done


def contents(folder):
    found = {}
    for name in os.listdir(folder):
        with open(f"{folder}/{name}", encoding="ascii") as f:
            found[name] = sorted(f.read().split())
    return found


def test_host_in_names_of_files(machines, mpiexec, folder):
    """It is the rank's; ranks of one host share a file that names no rank."""
    def written(*words):
        out = tempfile.mkdtemp(dir=folder)
        done = machines.run(1, mpiexec, "--hosts", "m1,m2,10.77.0.3", "-n", 6, *(word.format(out) for word in words), "sh", "-c", "echo $MEND_RANK; echo e >&2")
        assert (done.returncode, done.stdout, done.stderr.replace("e\n", "")) == (0, "", ""), done
        return contents(out)

    assert written("--output-filename", "{}/%h") == {f"m{i // 2 + 1}.{i}": [str(i), "e"] for i in range(6)}
    assert written("--outfile-pattern", "{}/%h") == {"m1": ["0", "1"], "m2": ["2", "3"], "m3": ["4", "5"]}
    assert written("--outfile-pattern", "{}/o", "--errfile-pattern", "{}/%h.%R") == {
        "o": [str(i) for i in range(6)], **{f"m{i // 2 + 1}.{i}": ["e"] for i in range(6)}}


def lines_of_ranks(process, pattern):
    """Until each rank has one: its host is that of its number."""
    hosts = {}
    while len(hosts) < 3:
        line = line_of(process, 20)
        assert line, hosts
        if found := re.fullmatch(pattern, line):
            hosts[int(found[1])] = found[2]
    return hosts == {i: f"m{i + 1}" for i in range(3)}


def test_what_is_said_of_a_rank_has_its_host(machines, mpiexec):
    """So that a user finds the process."""
    p = machines.begin(1, "sh", "-c", 'exec "$@" 2>&1', "sh", mpiexec, "-v", *HOSTS, "sleep", 100)
    assert lines_of_ranks(p, r"mend: rank (\d): pid \d+, host (\w+), /\S+/sleep")
    os.kill(called(machines, 1, "mpiexec")[0], signal.SIGUSR1)
    assert lines_of_ranks(p, r"mend:   rank (\d) \(pid \d+, host (\w+)\): has not called MPI_Init")


def test_equal_reports_of_several_hosts(machines, mpiexec, folder):
    """They are one, as on one machine."""
    script = f'h=$(hostname); echo up; until [ -e {folder}/go ]; do sleep 0.02; done; echo "mend: rank $MEND_RANK (host $h): MPI_Send: no" >&2; sleep 1'
    p = machines.begin(1, mpiexec, *HOSTS, "sh", "-c", script)
    assert [line_of(p, 20) for _ in range(3)] == 3 * ["up"]
    with open(f"{folder}/go", "w", encoding="ascii"):
        pass
    assert p.communicate(timeout=20)[1] == b"mend: ranks 0-2 (hosts m1, m2, m3): MPI_Send: no\n"


def test_terminals_have_the_size_of_ours(machines, mpiexec):
    """Also on machines that have no terminal."""
    words = f"stty rows 40 cols 100; {mpiexec} --hosts m1,m2,m3 --pty -n 3 sh -c 'stty size <&1'"
    done = machines.run(1, sys.executable, "-c", f'import pty; pty.spawn(["sh", "-c", """{words}"""])')
    assert lines(done) == 3 * ["40 100"]


def test_names_of_one_machine(machines, mpiexec):
    """Also those that the file of hosts gives an address of version 6."""
    done = machines.run(1, mpiexec, "--do-not-launch", "--hosts", "m1,m1-6,10.77.0.1,fd77::1,localhost", "-n", 5, "true")
    assert lines(done) == ["node 0 (m1): ranks 0 to 4"]


BLOCKS = """# where, and what
-n 1 --host m2 --path /tmp/a/bin -wdir /tmp/a said one
-n 2 --host m3 -env A 5 -envnone sh -c 'echo "$MEND_RANK $A $(hostname)$COLOUR"' # the last two
"""


def test_blocks_of_a_file(machines, mpiexec):
    """It is read here; directories and programs are looked for where the ranks run."""
    machines.change(2, "sh", "-c", "mkdir -p /tmp/a/bin && echo 'echo $MEND_RANK $(pwd) $1' >/tmp/a/bin/said && chmod +x /tmp/a/bin/said")
    done = machines.run(1, "env", "COLOUR=red", mpiexec, "-configfile", "/dev/stdin", input=BLOCKS)
    assert lines(done) == ["0 /tmp/a one", "1 5 m3", "2 5 m3"]


def test_what_is_said_of_ranks_of_other_machines(machines, mpiexec):
    """Tags, the one stream, statuses; and nothing."""
    done = machines.run(1, mpiexec, *HOSTS, "-l", "--merge-stderr-to-stdout", "--timestamp-output", "--stdin", "none", "--print-all-exitcodes",
                        "sh", "-c", "echo out; cat; echo err >&2; exit $((MEND_RANK * 7 % 5))", input="not read")
    said = sorted(re.sub(r"^\d+-\d+-\d+ [\d:.]+ ", "", line) for line in lines(done, 2))
    assert said == [f"[{i}] {text}" for i in range(3) for text in ("err", "out")]
    assert sorted(done.stderr.splitlines()) == [f"mend: rank {i} ended with status {i * 7 % 5}" for i in range(3)], done
    done = machines.run(1, mpiexec, *HOSTS, "-q", "--strict-exit", "sh", "-c", "test $MEND_RANK != 2 || kill -9 $$")
    assert (done.returncode, done.stdout, done.stderr) == (137, "", ""), done


TAKE = """import socket, time
if "{0}" == "STREAM": taken = socket.create_server(("", 5000), family=socket.AF_INET6, dualstack_ipv6=True)  # also if a connection has just ended there
else: taken = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM); taken.bind(("", 5000))
print("there", flush=True); time.sleep(99)"""


def test_ports_that_are_taken(machines, mpiexec):
    """Here, and on another machine only: a sentence has the ports."""
    flags = [*HOSTS, "--port-range", "5000:5000"]
    for kind, what in ("STREAM", "connections"), ("DGRAM", "datagrams"):
        for k in 2, 1:
            assert line_of(machines.begin(k, sys.executable, "-c", TAKE.format(kind)), 20) == "there"
            done = machines.run(1, mpiexec, *flags, "true")
            said = f"--port-range 5000:5000: no {what} can be taken there: Address already in use" if k == 1 else \
                "no agent on m2: .*, ports 5000:5000: Address already in use.*"
            assert done.returncode == 2 and re.match(f"mpiexec: {said}\n", done.stderr), done
        machines.end_background()
