# SPDX-License-Identifier: BSD-3-Clause
#
#   S5-7: the loss of mpiexec ends every rank on every node, and nothing stays behind
#   S5-18: output of other nodes arrives in whole lines, each once
#   S5-19: the launcher works with several nodes as with one
"""Jobs with several agents: mpiexec --machines.  Output, exit status and signals are as with one, and nothing is left behind.

   S5-7: the loss of mpiexec ends every rank on every node, and nothing stays behind
   S5-18: output of other nodes arrives in whole lines, each once
   S5-19: the launcher works with several nodes as with one
"""
import contextlib
import json
import os
import re
import signal
import subprocess
import time

import pytest

from processes import children, LIMIT, marked, nothing_is_left_after, processes_with, read_until, wait_until
from test_input import end_terminal, terminal


@pytest.mark.parametrize("machines", [2, 3, 5])
def test_each_rank_runs_once(run, machines):
    r = run("--machines", machines, "-n", 5, "sh", "-c", "echo $MEND_RANK of $MEND_SIZE")
    assert (r.status, sorted(r.out.splitlines()), r.err) == (0, [f"{i} of 5" for i in range(5)], "")


def test_all_ranks_start_alike(run):
    """Signals, the limit of descriptors: as mpiexec itself was started, on each node."""
    r = run("--machines", 3, "-n", 3, "sh", "-c", "grep -E '^Sig(Blk|Ign)' /proc/self/status; ulimit -n; ulimit -Hn")
    lines = r.out.splitlines()
    assert len(lines) == 12 and {lines.count(x) % 3 for x in set(lines)} == {0}, r


def test_timed_injection(run):
    """Its time begins when the ranks of all nodes run, which takes longer than this time."""
    r = run("--machines", 3, "--inject", "kill:2@time:1ms", "-n", 3, "sleep", 2)
    assert r.status == 137 and "rank 2 (pid " in r.err and "never happened" not in r.err, r


LINES = 100000


def counted(lines, lost=None):
    """Of lines "RANK NUMBER" the last number of each rank.  Each line must be whole, and come once, in order; the last one of a lost
    rank may have been cut when it was lost."""
    last, cut = {}, False
    for line in lines:
        rank, number = map(int, line.split()) if line.count(" ") == 1 and line[-1] != " " else (lost, 0)
        if number == last.get(rank, 0) + 1 and not (cut and rank == lost):
            last[rank] = number
        elif lost is not None and not cut and f"{lost} {last.get(lost, 0) + 1}".startswith(line):
            cut = True
        else:
            pytest.fail(f"{line} comes after {last}")  # an assert would print all lines
    return last


@pytest.mark.parametrize("machines", [1, 3])
def test_output_of_a_slow_reader(start, machines):
    """A reader that is late stops the ranks of all nodes; nothing is lost, torn or doubled."""
    p = start("--machines", machines, "-n", 3, "sh", "-c", f'seq -f "$MEND_RANK %.0f" {LINES}', bufsize=0)
    out = b""
    for _ in range(3):
        time.sleep(0.7)  # longer than a line without an end waits for the rest
        out += p.stdout.read(LINES)
    rest, err = p.communicate(timeout=LIMIT)
    out += rest
    assert p.returncode == 0, err
    assert counted(out.decode().splitlines()) == {rank: LINES for rank in range(3)}


def test_output_of_a_lost_node(start):
    """Its end may be missing, which is said; that of the others is whole.  Nobody has ended when it is lost: a reader has taken
    little."""
    p = start("--machines", 3, "--lenient-exit", "-n", 3, "sh", "-c", f'seq -f "$MEND_RANK %.0f" {LINES}', bufsize=0)
    lines = [p.stdout.readline() for _ in range(1000)]
    agents = [c for c in children(p) if b"--agent" in open(f"/proc/{c}/cmdline", "rb").read().split(b"\0")]
    os.kill(agents[0], signal.SIGKILL)
    lost = p.stderr.readline().decode()
    assert re.match(r"mend: node 1 \(.*\) is lost: its agent has ended; 2 ranks go on; of its output the end may be missing", lost), lost
    out, err = p.communicate(timeout=LIMIT)
    last = counted((b"".join(lines) + out).decode().splitlines(), 1)
    assert (last[0], last[2]) == (LINES, LINES) and last.get(1, 0) < LINES, (last, err)


def test_reader_that_goes(start):
    """The ranks of all nodes get SIGPIPE, as in a pipeline."""
    p = start("--machines", 2, "-n", 4, "yes")
    assert p.stdout.readline() == b"y\n"
    p.stdout.close()
    assert p.stderr.read().count(b"(Broken pipe)") == 4


@pytest.mark.parametrize("machines", [1, 2])
def test_death_beside_a_reader_that_is_stuck(start, tmp_path, machines):
    """Nobody reads what a rank writes without end, and the others learn of a death all the same: the report has it."""
    report = tmp_path / "report"
    start("--machines", machines, "-n", 4, "--report", report, "--inject", "kill:1@time:500ms", "sh", "-c",
          "test $MEND_RANK = 1 && exec sleep 100; test $MEND_RANK = 3 && exec sleep 100; exec yes")
    wait_until(lambda: report.exists() and '"event":"verdict","rank":1' in report.read_text(), 10)


def test_output_files(run, tmp_path):
    """Each rank has its file, also if it writes nothing; one that cannot be written ends the job before it has begun."""
    r = run("--machines", 2, "-n", 4, "--outfile-pattern", f"{tmp_path}/%r", "sh", "-c", "test $MEND_RANK = 2 || echo $MEND_RANK")
    assert r.status == 0 and [(tmp_path / str(i)).read_text() for i in range(4)] == ["0\n", "1\n", "", "3\n"]
    r = run("--machines", 2, "-n", 4, "--outfile-pattern", "/proc/none/%r", "sh", "-c", "echo x")
    assert r.status == 126 and "/proc/none/0 cannot be written" in r.err, r


def test_timeout_lists_all_ranks_in_order(run, probe):
    """What the ranks of all nodes wait for, in one list."""
    r = run("--machines", 3, "--timeout", 0.7, "-n", 5, probe, "waits", ":", "-n", 1, "sleep", 100)
    assert r.status == 124
    waits = [line for line in r.err.splitlines() if line.startswith("mend:   rank ")]
    assert [int(line.split()[2]) for line in waits] == list(range(6)), r.err
    assert "waiting for rank 1" in waits[0] and "has not called MPI_Init" in waits[5], r.err


def test_more_machines_than_ranks(run):
    """An agent without ranks, as a spare node will be."""
    r = run("--machines", 4, "-n", 2, "sh", "-c", "echo $MEND_RANK")
    assert (r.status, sorted(r.out.split())) == (0, ["0", "1"])


def agent_of(p, node):
    """As soon as it is there, the first children of mpiexec being agents: pgrep takes too long."""
    while p.poll() is None:
        with open(f"/proc/{p.pid}/task/{p.pid}/children") as f:
            agents = f.read().split()
        if len(agents) >= node:
            return int(agents[node - 1])
    return None


def test_name_of_an_agent(start):
    """In ps it is mpiexec, of which the arguments say what it does."""
    p = start("--machines", 2, "-n", 2, "sh", "-c", "echo up; sleep 100")
    assert p.stdout.readline() == b"up\n" and p.stdout.readline() == b"up\n"
    agent = agent_of(p, 1)
    with open(f"/proc/{agent}/comm", encoding="ascii") as comm, open(f"/proc/{agent}/cmdline", "rb") as words:
        assert (comm.read(), words.read()) == ("mpiexec\n", b"mpiexec\0--agent\0")


def test_agent_that_is_killed_while_agents_start(start):
    """A job cannot begin without it; one that has begun goes on."""
    for ms in range(0, 20, 2):
        p = start("--machines", 3, "--lenient-exit", "-n", 3, "sleep", 0.2)
        agent = agent_of(p, 1)
        time.sleep(ms / 1000)
        os.kill(agent, signal.SIGKILL)
        err = p.communicate(timeout=8)[1]
        assert p.returncode in (0, 2) and re.search("is lost: (its agent has ended|no sign of life)", str(err)), (p.returncode, err)


def test_agent_that_hears_of_beginning_and_end_at_once(start):
    """It has not read a word yet when another one is lost."""
    for _ in range(10):
        p = start("--machines", 3, "--lenient-exit", "-n", 3, "sleep", 0.2)
        late = agent_of(p, 2)
        os.kill(late, signal.SIGSTOP)
        os.kill(agent_of(p, 1), signal.SIGKILL)
        time.sleep(0.1)
        with contextlib.suppress(ProcessLookupError):  # the root ends one that has not called
            os.kill(late, signal.SIGCONT)
        p.communicate(timeout=8)
        assert p.returncode in (0, 2)


@pytest.mark.parametrize("rank", [0, 3])
def test_exit_status(run, rank):
    r = run("--machines", 2, "-n", 4, "sh", "-c", f"test $MEND_RANK != {rank} || exit 7")
    assert r.status == 7, r


def test_rank_that_dies(run):
    r = run("--machines", 2, "-n", 4, "sh", "-c", "test $MEND_RANK != 2 || kill -9 $$")
    assert r.status == 137 and "rank 2 (pid " in r.err, r


def test_each_rank_that_cannot_start(run, tmp_path):
    """The program is found by mpiexec and not by the agents: none of them can execute it."""
    program = tmp_path / "program"
    program.write_text("#!/nowhere/sh\n")
    program.chmod(0o755)
    r = run("--machines", 2, "-n", 4, program)
    assert r.status == 126 and "could not be started" in r.err, r


def test_report(run, tmp_path):
    """Each line is whole, with what the agent of the rank has seen."""
    path = tmp_path / "report"
    run("--machines", 2, "--report", path, "-n", 4, "sh", "-c", "test $MEND_RANK = 0 || kill -9 $$")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    deaths = {l["rank"]: l for l in lines if l["event"] == "death"}
    assert sorted(deaths) == [1, 2, 3] and {d["seen_by"] for d in deaths.values()} == {"exit"}, lines
    assert len({l["number"] for l in lines if l["event"] == "verdict"}) == 3, lines
    assert (lines[0]["event"], lines[-1]["event"]) == ("start", "end")


def test_what_does_not_go_together(run):
    r = run("--machines", 2, "--gdb", "-n", 2, "true")
    assert r.status == 2 and "--gdb is for jobs on one host" in r.err and "--machines makes several" in r.err, r


def test_timeout(run):
    begin = time.time()
    r = run("--machines", 3, "--timeout", 1, "-n", 3, "sleep", 100)
    assert r.status == 124 and time.time() - begin < 20, r
    for i in range(3):
        assert f"rank {i} (pid " in r.err, r


@pytest.mark.parametrize("machines", [2, 3])
def test_killed_mpiexec_leaves_nothing(probe, start, machines):
    nothing_is_left_after(subprocess.Popen.kill, start, "--machines", machines, "-n", 4, probe, "grandchild")


def test_killed_while_starting(probe, start):
    """At any moment of the start of root and agents."""
    mark, env = marked()
    for i in range(30):
        p = start("--machines", 3, "-n", 6, probe, "hang", env=env)
        time.sleep(i * 0.001)
        p.kill()
        p.communicate()
    wait_until(lambda: not processes_with(mark), 10)


def test_signal_ends_all(start):
    mark, env = marked()
    p = start("--machines", 2, "-n", 4, "sh", "-c", "echo up; sleep 100", env=env)
    for _ in range(4):
        assert p.stdout.readline() == b"up\n"
    p.send_signal(signal.SIGTERM)
    p.communicate(timeout=LIMIT)
    assert p.returncode in (-signal.SIGTERM, 128 + signal.SIGTERM)
    wait_until(lambda: not processes_with(mark), 5)


def test_sentence_of_one_rank(start):
    p = start("--machines", 2, "--lenient-exit", "-n", 2, "sh", "-c", "echo up; test $MEND_RANK = 0 || sleep 100; read x; true", stdin=subprocess.PIPE)
    assert p.stdout.readline() == b"up\n" and p.stdout.readline() == b"up\n"
    os.kill(agent_of(p, 1), signal.SIGKILL)
    assert re.match(rb"mend: node 1 \(rank 1\) is lost: .*; 1 rank goes on;", p.stderr.readline())
    p.communicate(timeout=LIMIT)


SIGKILL_BIT, PF_EXITING = 1 << (signal.SIGKILL - 1), 0x4


def may_run(pid):
    """It executes instructions of its program, or will when it gets a core: no signal waits for it that ends it before."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as f:
            said = dict(line.rstrip("\n").split(":\t", 1) for line in f if ":\t" in line)
        with open(f"/proc/{pid}/stat", encoding="ascii") as f:
            flags = int(f.read().rsplit(")", 1)[1].split()[6])
    except (FileNotFoundError, ProcessLookupError):
        return False
    waiting = int(said["SigPnd"], 16) | int(said["ShdPnd"], 16)
    return said["State"][0] not in "ZX" and not waiting & SIGKILL_BIT and not flags & PF_EXITING


def test_killed_agent(start):
    """The job goes on without its ranks, which execute nothing more when that is said."""
    p = start("--machines", 2, "-n", 4, "sh", "-c", "echo $MEND_RANK $$; test $MEND_RANK -ge 2 && sleep 100; read x; true",
              stdin=subprocess.PIPE)
    pids = dict(map(int, p.stdout.readline().split()) for _ in range(4))
    agent = [c for c in children(p) if b"--agent" in open(f"/proc/{c}/cmdline", "rb").read().split(b"\0")]
    assert len(agent) == 1
    os.kill(agent[0], signal.SIGKILL)
    assert p.stderr.readline().startswith(b"mend: node 1 (ranks 2 to 3) is lost")
    assert not may_run(pids[2]) and not may_run(pids[3]) and may_run(pids[0])
    assert p.poll() is None
    p.communicate(timeout=LIMIT)
    assert p.returncode == 137


COUNT_INPUT = ["sh", "-c", 'echo "$MEND_RANK:$(cksum)"']


@pytest.mark.parametrize("rank", [0, 2, 4])
def test_input_of_any_rank(run, rank):
    """Input reaches the rank that has it, on whichever node it is, whole and with its end; the others have none."""
    data = os.urandom(700000)
    expected = subprocess.run(["cksum"], input=data, capture_output=True, timeout=LIMIT).stdout.decode().strip()
    r = run("--machines", 3, "--stdin", rank, "-n", 5, *COUNT_INPUT, input=data)
    assert r.status == 0, r
    for line in r.out.splitlines():
        who, sum_ = line.split(":")
        assert (sum_ == expected) == (int(who) == rank), r
    assert run("--machines", 3, "--stdin", rank, "-n", 5, *COUNT_INPUT, input=b"").status == 0


def test_input_that_nobody_reads(run):
    """A rank of another node that reads nothing, or a part, holds up nothing: neither its own end nor what others write."""
    data = b"x" * 1000000
    for read in "true", "head -c 100":
        begin = time.monotonic()
        r = run("--machines", 2, "--stdin", 1, "-n", 2, "sh", "-c", f"[ $MEND_RANK = 1 ] && {read}; seq 1 3000", input=data)
        assert r.status == 0 and r.out.count("\n") == 6000, r.status
        assert time.monotonic() - begin < LIMIT


@pytest.mark.parametrize("victim", ["$$", "$PPID"])
def test_input_ends_with_its_rank(start, victim):
    """The rank that has the input dies, or its agent does, while more comes: the others go on, and the job ends."""
    p = start("--machines", 2, "--stdin", 1, "-n", 2, "sh", "-c",
              f"[ $MEND_RANK = 0 ] && {{ sleep 1; echo done; exit 0; }}; head -c 100000 >/dev/null; kill -9 {victim}; sleep 30",
              stdin=subprocess.PIPE)
    try:
        for _ in range(1000):
            os.write(p.stdin.fileno(), b"y" * 1000)
    except BrokenPipeError:
        pass
    assert p.wait(LIMIT) != 0 and b"done" in p.stdout.read()


def test_terminal_of_another_node(mpiexec):
    """What is typed reaches a rank of another node, line by line, and so does the end of input."""
    pid, fd = terminal(mpiexec, "--machines", 2, "--stdin", 1, "-n", 2, "sh", "-c",
                       '[ $MEND_RANK = 0 ] && exit; echo "name?"; while read x; do echo hello $x; done; echo bye')
    read_until(fd, "name?")
    for name in "Ada", "Grace":
        os.write(fd, name.encode() + b"\n")
        read_until(fd, f"hello {name}")
    os.write(fd, b"\x04")
    read_until(fd, "bye")
    assert end_terminal(pid, fd) == 0
