# SPDX-License-Identifier: BSD-3-Clause
"""Standard input, and terminals."""
import fcntl
import os
import pty
import signal
import struct
import subprocess
import time

import pytest

from processes import LIMIT, read_until


def test_stdin(mpiexec, run):
    """Rank 0 reads standard input, the others read nothing."""
    data = os.urandom(700000).hex().encode()
    r = run("-n", 3, "sh", "-c", "wc -c", input=data)
    assert sorted(r.out.split(), key=int) == ["0", "0", str(len(data))]
    # only what rank 0 reads is taken from a shell's loop
    p = subprocess.run(["sh", "-c", f"while read x; do echo got $x; {mpiexec} -n 2 true; done"],
                       input=b"1\n2\n3\n", capture_output=True, timeout=LIMIT)
    assert p.stdout == b"got 1\ngot 2\ngot 3\n"


def test_stdin_of_another_rank(run):
    """--stdin RANK: that rank reads standard input; none: nobody does."""
    show = ["sh", "-c", 'echo "$MEND_RANK:$(wc -c)"']
    assert sorted(run("-n", 3, "--stdin", 2, *show, input=b"abc").out.split()) == ["0:0", "1:0", "2:3"]
    assert sorted(run("-n", 2, "--stdin", "none", *show, input=b"abc").out.split()) == ["0:0", "1:0"]
    assert run("--stdin", "none", *show, input=b"abc").out == "0:0\n"


def terminal(mpiexec, *args):
    """mpiexec with a terminal of its own; returns its process id and our end of the terminal."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(mpiexec, [mpiexec, *map(str, args)])
    fcntl.ioctl(fd, 0x5414, struct.pack("HHHH", 40, 100, 0, 0))  # TIOCSWINSZ
    return pid, fd


def end_terminal(pid, fd):
    status = os.waitpid(pid, 0)[1]
    os.close(fd)
    return os.waitstatus_to_exitcode(status)


def ask_for_a_name(mpiexec, printf, longest):
    """Rank 0 asks by the words for printf; the question is there in time, and the answer reaches it."""
    pid, fd = terminal(mpiexec, "-n", 2, "sh", "-c",
                       f'[ $MEND_RANK = 1 ] && exit; printf {printf}; read x; echo hello $x')
    _, took = read_until(fd, "name? ")
    assert took < longest, took
    os.write(fd, b"Ada\n")
    read_until(fd, "hello Ada")
    assert end_terminal(pid, fd) == 0


def test_terminal_prompt(mpiexec):
    """A prompt without a line's end comes promptly, and what is typed reaches rank 0."""
    ask_for_a_name(mpiexec, '"name? "', 2)


def test_terminal_full_buffer(mpiexec):
    """Nor is a prompt held for long that is as long as a full buffer of the C library."""
    ask_for_a_name(mpiexec, '"%4096s" "name? "', 5)


def test_terminal_progress(mpiexec):
    """A progress display with carriage returns is seen while it runs."""
    pid, fd = terminal(mpiexec, "-n", 2, "sh", "-c",
                       '[ $MEND_RANK = 1 ] && exec sleep 2; for i in 1 2 3; do printf "\\r$i of 3"; '
                       'sleep 0.5; done')
    _, took = read_until(fd, "1 of 3")
    assert took < 0.45 + 1, took
    read_until(fd, "3 of 3")
    assert end_terminal(pid, fd) == 0


@pytest.mark.parametrize("words, part", [(["-n", 1], "40 100"), (["-n", 2, "--tty", 1], "rank 1")])
def test_terminal_direct(mpiexec, words, part):
    """One rank, or the one named by --tty, has the terminal itself."""
    test = "[ -t 0 ] && [ -t 1 ] && stty size && echo rank $MEND_RANK"
    pid, fd = terminal(mpiexec, *words, "sh", "-c", f"sleep 0.2; {test}; true")
    read_until(fd, part)
    assert end_terminal(pid, fd) == 0


def test_terminal_ctrl_c(mpiexec):
    """Ctrl-C ends the job, and mpiexec by the same signal."""
    pid, fd = terminal(mpiexec, "-n", 2, "sh", "-c", "echo up$MEND_RANK; sleep 30")
    read_until(fd, "up0")
    time.sleep(0.2)
    os.write(fd, b"\x03")
    assert end_terminal(pid, fd) == -signal.SIGINT
