# SPDX-License-Identifier: BSD-3-Clause
"""Equal reports of fatal errors are gathered into one."""
import os
import re
import signal
import subprocess
import tempfile

from processes import children, LIMIT, read_all, read_until, state_of, wait_until

FATAL = "mend: the error handler is fatal: the processes end."


def write_reports(start, ranks, script, *flags, **more):
    """Starts ranks that run a script with the function report TEXT while mpiexec is stopped, so that it sees all at
    once what they have written; returns mpiexec, going on."""
    with tempfile.TemporaryDirectory() as d:
        p = start(*flags, "-n", ranks, "sh", "-c",
                  'r=$MEND_RANK; report() { printf "mend: rank $r (host h): $1\\n%s\\n" "' + FATAL + '" >&2; }; '
                  f'while [ ! -e {d}/go ]; do sleep 0.02; done; {script}', **more)
        wait_until(lambda: len(children(p, "-x", "sh")) == ranks)
        os.kill(p.pid, signal.SIGSTOP)
        wait_until(lambda: state_of(p.pid) == "T")
        shells = children(p, "-x", "sh")
        open(f"{d}/go", "w").close()
        wait_until(lambda: all(state_of(c) == "Z" for c in shells))
        os.kill(p.pid, signal.SIGCONT)
    return p


def test_equal_reports_are_one(start):
    """Equal reports of fatal errors are one that names the ranks; others stay apart."""
    script = "[ $r = 1 ] && report 'tag 7' || report \"rank 5 dead, $r.5 ms ago\"; exit 1"
    p = write_reports(start, 5, script, "-q")
    assert p.communicate(timeout=LIMIT) == (b"", "".join(
        f"mend: {text}\n{FATAL}\n" for text in
        ("ranks 0, 2-4 (host h): rank 5 dead, 0.5 ms ago", "rank 1 (host h): tag 7")).encode())
    p = write_reports(start, 3, script, "-q", "--tag-output", "--merge-stderr-to-stdout")
    assert p.communicate(timeout=LIMIT)[0].decode().splitlines() == [
        "[0] mend: ranks 0, 2 (host h): rank 5 dead, 0.5 ms ago", "[0] " + FATAL,
        "[1] mend: rank 1 (host h): tag 7", "[1] " + FATAL]


def test_equal_reports_in_files(start, tmp_path):
    """A file per rank has the report of that rank; one for all has one report."""
    p = write_reports(start, 2, "report x; exit 1", "-q", "-errfile-pattern", "e%r", cwd=tmp_path)
    p.communicate(timeout=LIMIT)
    assert read_all(tmp_path) == {f"e{r}": f"mend: rank {r} (host h): x\n{FATAL}\n" for r in range(2)}
    p = write_reports(start, 2, "report x; exit 1", "-q", "-errfile-pattern", "all", cwd=tmp_path)
    p.communicate(timeout=LIMIT)
    assert read_all(tmp_path)["all"] == f"mend: ranks 0-1 (host h): x\n{FATAL}\n"


def test_report_while_others_go_on(run, start):
    """A report waits a moment for equal ones, and not for the end of the job; what follows it in its rank's output does
    not wait, nor does what only looks like the rank's report."""
    p = start("-n", 2, "sh", "-c", "echo 'mend: rank 0 (host h): x' >&2; exec sleep 100")
    text, _ = read_until(p.stderr.fileno(), "\n")
    while text.count("\n") < 2 and "ranks" not in text:
        text += read_until(p.stderr.fileno(), "\n")[0]
    assert sorted(text.splitlines()) == ["mend: rank 0 (host h): x"] * 2  # rank 1 does not speak for rank 0
    assert p.poll() is None
    p.kill()
    p.communicate()
    r = run("-n", 2, "sh", "-c", "for i in 1 2 3; do echo \"mend: rank $MEND_RANK (host h): $MEND_RANK$i\"; "
            "echo $MEND_RANK then $i; done >&2")
    for rank in "01":
        mine = [line for line in r.err.splitlines() if line.startswith((f"mend: rank {rank}", f"{rank} "))]
        assert mine == [x for i in (1, 2, 3) for x in (f"mend: rank {rank} (host h): {rank}{i}", f"{rank} then {i}")]


def test_reports_come_in_order(mpiexec, start):
    """A report and the line about a rank's death come after what the rank has printed before."""
    p = write_reports(start, 4, "seq 2000 | sed s/^/$r./; report x; kill -9 $$", "--merge-stderr-to-stdout")
    out, err = p.communicate(timeout=LIMIT)
    lines = out.decode().splitlines()
    assert [x for x in lines if x.startswith("mend")] == ["mend: ranks 0-3 (host h): x", FATAL]
    for r in range(4):
        assert lines.index(f"{r}.2000") < lines.index("mend: ranks 0-3 (host h): x")
    assert err.count(b"killed by signal 9") == 4
    for _ in range(10):  # the main thread tells of the deaths while the output comes
        p = subprocess.Popen(["sh", "-c", 'exec "$@" 2>&1', "sh", mpiexec, "-n", "4", "sh", "-c", "seq 2000 | "
                              "sed s/^/$MEND_RANK./; echo \"mend: rank $MEND_RANK (host h): x\" >&2; kill -9 $$"],
                             stdout=subprocess.PIPE)
        lines = p.communicate(timeout=LIMIT)[0].decode().splitlines()
        for r in range(4):
            said = next(i for i, x in enumerate(lines) if x.endswith(" (host h): x") and names_rank(x, r))
            told = next(i for i, x in enumerate(lines) if x.startswith(f"mend: rank {r} (pid "))
            assert lines.index(f"{r}.2000") < said < told, (r, said, told)


def names_rank(line, rank):
    words = re.match(r"mend: ranks? ([\d, -]+)", line).group(1).split(",")
    return any(int(a) <= rank <= int(b or a) for a, _, b in (w.partition("-") for w in words))
