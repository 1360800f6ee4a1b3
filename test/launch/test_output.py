# SPDX-License-Identifier: BSD-3-Clause
"""Where the output of the ranks goes, and that its lines stay whole."""
import os
import re
import subprocess
import sys
import time

import pytest

from processes import LIMIT, read_all, Result


SAY = ["sh", "-c", "echo out$MEND_RANK; echo err$MEND_RANK >&2"]
EACH = {"0": "out0\nerr0\n", "1": "out1\nerr1\n"}


@pytest.mark.parametrize("words, files", [
    (["-outfile-pattern", "o.%r", "-errfile-pattern", "e.%r.%%"],
     {"o.0": "out0\n", "o.1": "out1\n", "e.0.%": "err0\n", "e.1.%": "err1\n"}),
    (["--output-filename", "deep/er/x"], {f"deep/er/x.{r}": t for r, t in EACH.items()}),
    (["--output", "file=y"], {f"y.{r}": t for r, t in EACH.items()}),
    (["--output", "z%r:nocopy"], {f"z{r}": t for r, t in EACH.items()}),
    (["--output", "dir=d"], {f"d/rank.{r}/{s}": f"{s[3:]}{r}\n" for r in "01" for s in ("stdout", "stderr")}),
    (["--output", "merge,tag", "-outfile-pattern", "m%r"],
     {f"m{r}": f"[{r}] out{r}\n[{r}] err{r}\n" for r in "01"}),
])
def test_output_files(run, words, files, tmp_path):
    """Output goes to files by pattern, in place of ours; one of one rank too; lines stay whole."""
    r = run("-n", 2, *words, *SAY, cwd=tmp_path)
    assert r == Result(0, "", "")
    got = read_all(tmp_path)
    if "merge" in str(words):
        assert got == files
    else:  # the two streams of a rank are two pipes: their order is not known
        assert {k: sorted(v.split()) for k, v in got.items()} == {k: sorted(v.split()) for k, v in files.items()}


def test_output_file_of_all(probe, run, tmp_path):
    """One file for all ranks, names of equal length, and a file that cannot be written."""
    assert run("-outfile-pattern", "one", "echo", "alone", cwd=tmp_path) == Result(0, "", "")
    run("-n", 12, "--output-filename", "many", "true", cwd=tmp_path)
    assert sorted(read_all(tmp_path)) == sorted(["one"] + [f"many.{i:02}" for i in range(12)])
    r = run("-n", 4, "-outfile-pattern", "all", probe, "lines", 100, cwd=tmp_path)
    assert (r.status, r.out) == (0, "")
    lines = read_all(tmp_path)["all"].splitlines()
    assert len(lines) == 400
    assert all(re.fullmatch(r"<\d+ \d+ \d+ [a-z]*>", line) for line in lines)
    r = run("-outfile-pattern", "one/below", "echo", "no", cwd=tmp_path)
    assert r.status != 0
    assert "one/below cannot be written" in r.err
    if os.path.exists("/dev/full"):
        r = run("-n", 2, "-outfile-pattern", "/dev/full", "echo", "no")
        assert (r.status, r.out) == (1, "")
        assert "/dev/full cannot be written: No space left" in r.err


def test_merged_and_stamped_output(run):
    """Standard error joins standard output in the order of writing; lines begin with the time."""
    r = run("-n", 1, "--merge-stderr-to-stdout", "sh", "-c", "echo a; echo b >&2; echo c")
    assert r == Result(0, "a\nb\nc\n", "")
    r = run("-n", 2, "--merge-stderr-to-stdout", "--tag-output", "sh", "-c", "echo a; echo b >&2; echo c")
    assert ([x for x in r.out.splitlines() if x[1] == "1"], r.err) == (["[1] a", "[1] b", "[1] c"], "")
    before = time.time()
    r = run("-n", 2, "--timestamp-output", "-l", "sh", "-c", "echo a; echo b >&2")
    for text, tail in ((r.out, r"\[\d\] a"), (r.err, r"\[\d:err\] b")):
        assert len(text.splitlines()) == 2
        for line in text.splitlines():
            m = re.fullmatch(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\.\d{6} " + tail, line)
            assert m, line
            at = time.mktime(time.strptime(m.group(1), "%Y-%m-%d %H:%M:%S"))
            assert before - 1 <= at <= time.time() + 1, line


def test_tagged_output(run):
    """--tag-output marks each line with its rank and stream."""
    r = run("-n", 2, "--tag-output", "sh", "-c", "echo a; echo b; echo c >&2; printf end")
    assert sorted(r.out.replace("end", "end\n").split()) == sorted("[0] a [0] b [0] end [1] a [1] b [1] end".split())
    assert sorted(r.err.splitlines()) == ["[0:err] c", "[1:err] c"]


@pytest.mark.parametrize("n", [1, 2])
def test_lines_at_once(start, n):
    """--pty: a program that is not in C writes to a terminal, so a line comes when it is written, as it is; its other
    streams are as always."""
    program = "import sys\nprint(*(s.isatty() for s in (sys.stdin, sys.stdout, sys.stderr)), 'up\\r')\nsys.stdin.read()\n" \
        "open('/dev/null').read() or __import__('time').sleep(1000)"
    p = start("--pty", "--label", "-n", n, sys.executable, "-c", program)
    for _ in range(n):
        assert p.stdout.readline()[3:] == b" False True False up\r\n"
    p.terminate()
    p.wait(timeout=LIMIT)


def test_terminal_and_deaths(run):
    """--pty: what a rank has written before it dies is there, and what it leaves behind does not hold up the job."""
    r = run("-q", "--pty", "-n", 2, "sh", "-c", "sleep 1000 & seq 1 3000; kill -9 $$")
    assert (r.status, len(r.out.splitlines())) == (137, 6000)


def test_unfinished_lines(run):
    """A last line without an end is written, and a rank's line does not stick to another's."""
    assert run("-n", 2, "sh", "-c", "[ $MEND_RANK = 0 ] && printf half; true").out == "half"
    r = run("-n", 2, "sh", "-c", "printf rank$MEND_RANK")
    assert sorted(r.out.split("\n")) == ["rank0", "rank1"]


def test_lines_are_whole(probe, run):
    """16 ranks write lines in pieces; every line arrives whole, each rank's in order."""
    ranks, count = 16, 400
    r = run("-n", ranks, probe, "lines", count)
    assert r.status == 0
    seen = [0] * ranks
    for line in r.out.splitlines():
        m = re.fullmatch(r"<(\d+) (\d+) (\d+) ([a-z]*)>", line)
        assert m, f"torn: {line!r}"
        rank, i, length = (int(x) for x in m.groups()[:3])
        assert (i, len(m.group(4))) == (seen[rank], length)
        assert set(m.group(4)) <= {chr(ord("a") + rank)}
        seen[rank] += 1
    assert seen == [count] * ranks


FILL = r"""
import os, sys, time
text = b"".join(b"line %6d of rank 0\n" % i for i in range(600))
if os.environ["MEND_RANK"] == "0":
    for at in range(0, len(text), 4096):
        os.write(1, text[at:at + 4096])
        time.sleep(1.2)
else:
    for i in range(40):
        os.write(1, b"rank 1\n")
        time.sleep(0.1)
"""


def test_buffers_of_the_c_library(run):
    """A buffer of the C library that was full ends in the middle of a line: however long the rank computes until the
    next one, nobody else's line comes between."""
    r = run("-n", 2, sys.executable, "-c", FILL)
    lines = r.out.splitlines()
    assert sorted(lines) == sorted(["rank 1"] * 40 + [f"line {i:6} of rank 0" for i in range(600)])


def test_long_line(run):
    """A line of a megabyte arrives complete."""
    r = run("-n", 2, "sh", "-c", "[ $MEND_RANK = 0 ] && head -c 1000000 /dev/zero | tr '\\0' x; echo")
    assert len(r.out.replace("\n", "")) == 1000000


def test_full_buffer(start):
    """What waits behind another rank's open line is not lost at the end."""
    p = start("-n", 2, "sh", "-c", "[ $MEND_RANK = 1 ] || sleep 0.1; head -c 120000 /dev/zero")
    time.sleep(0.5)
    assert p.communicate(timeout=LIMIT)[0].count(b"\0") == 240000


def test_closed_output(mpiexec):
    """When nobody reads our output any more the ranks get SIGPIPE, as in a pipeline."""
    p = subprocess.run(["bash", "-c", f"{mpiexec} -q -n 2 yes | head -1; echo ${{PIPESTATUS[0]}}"],
                       capture_output=True, timeout=LIMIT)
    assert p.stdout == b"y\n141\n"


@pytest.mark.parametrize("limit, into, reason", [
    ("", "/dev/full", "No space left on device"),
    ("ulimit -S -f 1;", "$T", "File too large; the limit on the size of a file is 1 KiB"),
])
def test_output_that_cannot_be_written(mpiexec, limit, into, reason, tmp_path):
    """Output that is lost, for a full disk or a limit, is said once, and the status is not 0."""
    p = subprocess.run(["bash", "-c", f"{limit} {mpiexec} -n 2 seq 100000 > {into}"], capture_output=True,
                       timeout=LIMIT, text=True, env={**os.environ, "T": tmp_path / "output"})
    assert p.returncode != 0, p
    assert p.stderr.count(f"mpiexec: standard output cannot be written: {reason}") == 1
