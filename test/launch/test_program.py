# SPDX-License-Identifier: BSD-3-Clause
#
#   S3-1: a failed process never returns under its identity
"""Finding and starting the program, and what it finds when it starts."""
import collections
import fcntl
import os
import re
import shutil
import subprocess

import pytest

from processes import children, LIMIT, Result


def test_program_not_there(run, tmp_path):
    """127 for a program that is not there, 126 for one that cannot be executed; nothing is started."""
    r = run("-n", 2, "no-such-program")
    assert r.status == 127
    assert "not found in PATH" in r.err
    assert "no-such-program: not found in --path (/a:/b), in PATH (" in run("--path", "/a:/b", "no-such-program").err
    assert run("./no/such").status == 127
    path = os.path.join(tmp_path, "text")
    with open(path, "w") as f:
        f.write("echo from a script without a first line\n")
    assert run(path).status == 126
    os.chmod(path, 0o755)
    assert "from a script" in run(path).out
    r = run("--wdir", tmp_path, "./text")
    assert "from a script" in r.out
    r = run("-n", 1, "sh", "-c", "echo A", ":", "-n", 1, "no-such-program")
    assert (r.status, r.out) == (127, "")


def program(folder, name, says, mode=0o755):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"#!/bin/sh\necho {says}\n")
    os.chmod(path, mode)


def test_program_in_current_directory(run, tmp_path):
    """A program is searched in --path, PATH, and at last where it starts; a message warns of one called test."""
    program(tmp_path, "prog", "here")
    program(tmp_path, "test", "mine")
    program(tmp_path, "refused", "never", 0o644)
    program(os.path.join(tmp_path, "sub"), "prog", "below")
    program(os.path.join(tmp_path, "sub"), "own", "own")
    r = run("prog", cwd=tmp_path)
    assert (r.status, r.out, r.err) == (0, "here\n", "")
    assert run("--wdir", "sub", "own", cwd=tmp_path).out == "own\n"
    assert run("--path", "/nowhere:sub", "prog", cwd=tmp_path).out == "below\n"
    both = run("--output", "tag", "-n", 1, "-path", "sub", "prog", ":", "-n", 1, "prog", cwd=tmp_path)
    assert sorted(both.out.splitlines()) == ["[0] below", "[1] here"]  # two ranks write in any order
    assert run("own", cwd=tmp_path).status == 127
    r = run("test", "1", "=", "2", cwd=tmp_path)
    assert (r.status, r.out) == (1, "")
    assert "the one in the current directory is ./test" in r.err
    assert run("-q", "test", "1", cwd=tmp_path).err == ""
    assert run("test", "1", cwd=tmp_path, env={"PATH": f"{tmp_path}:/usr/bin"}).out == "mine\n"
    r = run("refused", cwd=tmp_path)
    assert r.status == 126
    assert "./refused: cannot be executed" in r.err


@pytest.mark.parametrize("words", [[], ["--tty", 1]])
def test_gdb(probe, run, words):
    """-gdb: the rank that has the terminal runs in gdb, the others as always."""
    if not shutil.which("gdb"):
        pytest.skip("gdb is not here")
    r = run("-n", 2, "-gdb", *words, probe, "hello",
            input=b"set confirm off\nset disable-randomization off\nrun\nquit\n",
            env={"ASAN_OPTIONS": "detect_leaks=0"})  # a sanitizer cannot look for leaks in a debugger
    assert (r.status, r.out.count("exited normally")) == (0, 1)


def test_limits(mpiexec, probe):
    """A limit of the shell that is too low is named, with what to do; a soft one on files does not count."""
    def limited(limit, *words):
        p = subprocess.run(["bash", "-c", f'ulimit {limit}; exec "$@"', "-", mpiexec, *map(str, words)],
                           capture_output=True, timeout=LIMIT, text=True)
        return Result(p.returncode, p.stdout, p.stderr)

    r = limited("-f 1000", "-n", 2, "true")
    assert r.status == 1
    for part in ("mpiexec: the shared segment of", "for 2 ranks", "limit on the size of a file is 1000 KiB",
                 "ulimit -f"):
        assert part in r.err
    r = limited("-S -f 1000", "-n", 2, "bash", "-c", "ulimit -f; exec " + probe + " hello")
    assert (r.status, r.out, r.err) == (0, "1000\n1000\n", "")
    r = limited("-n 40", "-n", 64, "true")
    assert r.status == 126
    for part in ("its pipes and sockets: Too many open files", "limit on open files is 40", "ulimit -n"):
        assert part in r.err
    if not os.environ.get("ASAN_OPTIONS") and not os.environ.get("TSAN_OPTIONS"):  # they map terabytes
        r = limited("-v 2000000", "-n", 2, probe, "hello")  # room for more processes would take more than that
        assert r.status == 0, r.err
        r = limited("-v 60000", "-n", 1000, "true")
        assert r.status == 1
        for part in ("for 1000 ranks", "limit on the address space is 60000 KiB", "ulimit -v"):
            assert part in r.err


def test_environment_of_children(probe, run):
    """What a rank starts does not take itself for a rank."""
    r = run("-n", 2, "--inject", "kill:0@finalize.done", probe, "env")
    assert not re.search("^MEND_(RANK|SIZE|SHM_FD|CTL_FD|APPNUM|INJECT)=", r.out, re.M), r.out


def test_nested(mpiexec, run):
    """mpiexec inside a rank that is not an MPI program starts a job of its own."""
    r = run("-n", 2, "sh", "-c", f"{mpiexec} -n 3 sh -c 'echo $MEND_RANK of $MEND_SIZE'")
    assert collections.Counter(r.out.splitlines()) == collections.Counter({"0 of 3": 2, "1 of 3": 2, "2 of 3": 2})


def test_rank_is_taken_once(probe, run):
    """S3-1: a second MPI program in the same rank is refused with a reason."""
    r = run("-n", 2, "sh", "-c", f"{probe} hello; {probe} hello; test $? = 77")
    assert r.status == 0
    assert "this rank is taken by another process" in r.err


@pytest.mark.parametrize("change", ["MEND_SHM_FD=0", "MEND_SHM_FD=99", "MEND_RANK=-1", "MEND_RANK=7", "MEND_SIZE=3",
 "MEND_CTL_FD=", "MEND_SHM_FD=3x"])
def test_damaged_environment(probe, run, change):
    """A damaged environment is refused with a reason, not misread."""
    r = run("-n", 2, "sh", "-c", f"{change} {probe} hello; exit $?")
    assert r.status == 77
    assert "cannot join the job" in r.err


def test_segment_is_private(start):
    """The segment has no name, is sealed, and belongs to its owner only; ranks get no other descriptors."""
    p = start("-n", 2, "sh", "-c", "echo up; sleep 30")
    p.stdout.readline()
    rank = children(p, "-x", "sh")[0]
    links = {fd: os.readlink(f"/proc/{rank}/fd/{fd}") for fd in os.listdir(f"/proc/{rank}/fd")}
    memory = [fd for fd, to in links.items() if to.startswith("/memfd:mend")]
    assert len(memory) == 1
    assert len(links) == 5
    assert os.stat(f"/proc/{rank}/fd/{memory[0]}").st_mode & 0o777 == 0o600
    fd = os.open(f"/proc/{rank}/fd/{memory[0]}", os.O_RDWR)
    assert fcntl.fcntl(fd, 1034) == 7  # F_GET_SEALS: SEAL, SHRINK, GROW
    for size in (0, 1 << 40):
        with pytest.raises(PermissionError):
            os.ftruncate(fd, size)
    os.close(fd)
