# SPDX-License-Identifier: BSD-3-Clause
"""Flags of the command line: what is refused, what is taken, and hints."""
import os
import re
import subprocess

import pytest

from processes import Result


@pytest.mark.parametrize("words, part", [
    ([], "no program given"),
    (["-n", "2"], "no program given"),
    (["-n", "0", "true"], "-n: '0' is not a number"),
    (["-n", "two", "true"], "-n: 'two'"),
    (["-n"], "-n needs a value"),
    (["-n", "99999", "true"], "between 1 and"),
    (["--nosuch", "true"], "unknown flag '--nosuch'"),
    (["--bind-too", "core", "true"], "did you mean '--bind-to'"),
    (["--bind-to", "chair", "true"], "not one of: none, hwthread, core"),
    (["--bind-to", "core:x", "true"], "'x' is neither a number"),
    (["--map-by", "chair", "true"], "not one of: slot, hwthread, core"),
    (["--map-by", "ppr:2", "true"], "ppr:NUMBER:UNIT"),
    (["--map-by", "core:PE=0", "true"], "between 1 and"),
    (["--map-by", "core:CHAIR", "true"], "PE=NUMBER"),
    (["--rank-by", "chair", "true"], "not one of: slot"),
    (["-ppn", "0", "true"], "-ppn: '0' is not a number"),
    (["--nooversubscribe", "-n", "999", "true"], "more than the"),
    (["--rankfile", "f", "true"], "taskset"),
    (["--debug", "true"], "--gdb"),
    (["--max-restarts", "2", "true"], "not restarted"),
    (["-envlist", "A,,B", "true"], "not a list of names"),
    (["-outfile-pattern", "x%q", "true"], "not one of: %r %R"),
    (["--output", "xml", "true"], "not one of: tag, timestamp"),
    (["--output", "fold=x", "true"], "not one of: tag, timestamp"),
    (["--output-filename", "", "true"], "is empty"),
    (["-errfile-pattern", "x", "--merge-stderr-to-stdout", "true"], "exclude each other"),
    (["--stdin", "7", "true"], "no rank 7"),
    (["--stdin", "all", "true"], "input goes to one rank, or to 'none', not to 'all'"),
    (["-usize", "many", "true"], "not a number"),
    (["--universe", "3", "-n", "4", "true"], "too little for a job of 4"),
    (["-usize", "3", "-n", "2", "true", ":", "-n", "2", "true"], "too little for a job of 4"),
    (["--set", "UNIVERSE_SIZE=3", "-n", "4", "true"], "too little for a job of 4"),
    (["--universe", "16385", "true"], "more than the 16384"),
    (["--spares", "-1", "true"], "is not a number between 0"),
    (["--copies=2", "true"], "takes no value"),
    (["-file", "/no/such", "true"], "No such file"),
    (["-soft", "many", "true"], "'many' is not a list of numbers"),
    (["-soft", "4:8", "-n", "3", "true"], "'4:8' allows no number of ranks between 1 and 3"),
    (["-soft", "0", "-n", "3", "true"], "'0' allows no number of ranks between 1 and 3"),
    (["-arch", "pdp11", "true"], "'pdp11' is not this machine's, which is"),
    (["-configfile", "/no/such"], "No such file"),
    (["-configfile", "/dev/null"], "names no program"),
    (["-configfile", "/dev/null", "true"], "'true' cannot follow"),
    (["--set", "eager_maxx=1", "true"], "there is no parameter 'EAGER_MAXX'; did you mean 'EAGER_MAX'?"),
    (["--set", "TEA=1", "true"], "there is no parameter 'TEA' ('mend-info --params' lists them)"),
    (["--quiet=1", "true"], "takes no value"),
    (["--strict-exit", "--lenient-exit", "true"], "exclude each other"),
    (["--timeout", "soon", "true"], "not a number of seconds"),
    (["--timeout", "-1", "true"], "not a number of seconds"),
    (["--inject", "kill", "true"], "ACTION:RANKS[:CODE]@PLACE"),
    (["--inject", "kill:0@nowhere", "true"], "no event 'nowhere' ('mend-info --events' lists them)"),
    (["--inject", "kill:0@coll.entr", "true"], "did you mean 'coll.enter'?"),
    (["--inject", "kill:0@call:MPI_Allreduc", "true"], "did you mean 'MPI_Allreduce'?"),
    (["--inject", "kill:0@call:MPI_Comm_Revoke", "true"], "did you mean 'MPI_Comm_revoke'?"),
    (["--inject", "kill:0@call:MPI_Foo>coll.enter", "true"], "no MPI function 'MPI_Foo'"),
    (["--inject", "kill:0,5@init.done", "true"], "no rank 5"),
    (["--inject", "kill:0,@init.done", "true"], "does not name ranks"),
    (["--inject", "kill:3-1@init.done", "true"], "does not name ranks"),
    (["--inject", "kill:random(x)@init.done", "true"], "the seed is a number"),
    (["--inject", "kill:0:7@init.done", "true"], "only abort takes a CODE"),
    (["--env", "MEND_INJECT=kill@coll.entr", "true"], "did you mean 'coll.enter'?"),
    (["--inject", "kill:5@init.done", "true"], "no rank 5"),
    (["--inject", "maim:0@init.done", "true"], "is kill, stop, cont, abort or note"),
    (["--inject", "abort:0:x@init.done", "true"], "a CODE, which is a number"),
    (["--inject", "abort:0:@init.done", "true"], "a CODE, which is a number"),
    (["--inject", "kill:4294967296@init.done", "true"], "does not name ranks"),
    (["--inject", "kill:0@init.done#x", "true"], "the count after #"),
    (["--inject", "kill:0@time:soon", "true"], "the time is a number of seconds, or one with s, ms or us"),
    (["--inject", "kill:0@call:Send", "true"], "did you mean 'MPI_Send'?"),
    (["--stop-timeout", "-1", "true"], "a number of seconds"),
    (["--stop-timeout", "nan", "true"], "a number of seconds"),
    (["--set", "STOP_TIMEOUT=10s", "true"], "a number of seconds"),
    (["--set", "STOP_GROWTH=-2", "true"], "not a value of STOP_GROWTH"),
    (["--set", "KILL_REPEAT=", "true"], "not a value of KILL_REPEAT"),
    (["--set", "FATAL_SCOPE=world", "true"], "one of: object connected"),
    (["--set", "COLL=nonsense", "true"], "'nonsense' is not a value of COLL: it must be a list"),
    (["--set", "COLL=allreduce=pairwise", "true"], "allreduce=shm|nodes|doubling|halving|ring"),
    (["--set", "COLL=allreduce=ring,", "true"], "not a value of COLL"),
    (["--set", "FRAGMENT=0", "true"], "a number from 64 to 64k"),
    (["--set", "EAGER_MAX=1m", "true"], "a number from 0 to 64k"),
    (["--set", "STOP_GROWTH=0", "true"], "a number from 1 to 1000"),
    (["--set", "RADIX=4097", "true"], "a number from 0 to 4096"),
    (["--machines", "16", "--set", "RADIX=2", "-n", "16", "true"], "the last of 16 nodes is 4 starts away from mpiexec, and 3 are the most; RADIX=3 is enough"),
    (["--machines", "5", "--set", "RADIX=1", "-n", "5", "true"], "the last of 5 nodes is 4 starts away from mpiexec, and 3 are the most; RADIX=2 is enough"),
    (["--env", "MEND_COLL=x", "true"], "not a value of COLL"),
    (["--set", "SINGLE_COPY=0", "true"], "one of: auto never always"),
    (["--memory-alloc-kinds", "", "true"], "--memory-alloc-kinds: the list is empty"),
    (["--initial-errhandler", "MPI_ERRORS_RETURN", "true"], "mpi_errors_return"),
    (["--env", "MEND_SPIN=x", "true"], "not a value of SPIN"),
    (["-genv", "MEND_TRACE", "2", "true"], "not a value of TRACE"),
    (["--set", "NOSUCH=1", "true"], "no parameter 'NOSUCH'"),
    (["--set", "TRACE=maybe", "true"], "not a value of TRACE"),
    (["--set", "TRACE", "true"], "not NAME=VALUE"),
    (["--report", "", "true"], "the name of the file is empty"),
    (["--wdir", "/no/such", "true"], "No such file"),
    (["--env", "=x", "true"], "not the name"),
    (["-n", "1", "true", ":"], "no program given"),
    (["-q", "-v", "true"], "exclude each other"),
])
def test_bad_flags(run, words, part):
    """What is wrong with a command line is said in words, with status 2."""
    r = run(*words)
    assert r.status == 2
    assert part in r.err


def test_variables_that_nothing_reads(run):
    """A variable that looks like a parameter and is none is told of once, with what it may have meant."""
    said = "there is no parameter MEND_EAGER_MAXX; did you mean MEND_EAGER_MAX?"
    r = run("-n", "3", "true", env={"MEND_EAGER_MAXX": "1", "MEND_HOME": "/", "MEND_TEST_X": "1"})
    assert (r.status, r.err) == (0, f"mpiexec: {said}\n")
    assert run("-q", "true", env={"MEND_EAGER_MAXX": "1"}).err == ""
    for words in (["-env", "MEND_EAGER_MAXX", "1"], ["-x", "MEND_EAGER_MAXX=1"]):
        assert run(*words, "true", ":", *words, "true").err == f"mpiexec: {words[0]}: {said}\n"
    assert run("true", env={"MEND_TEA": "1"}).err == \
        "mpiexec: there is no parameter MEND_TEA ('mend-info --params' lists them)\n"


def test_hints(mpiexec, run):
    """A hint for a flag that does not exist is never its opposite, and may be a flag that says no."""
    words = subprocess.run([mpiexec, "--help"], capture_output=True, text=True, check=True).stdout
    known = set(re.findall(r"(?<![\w-])--?([a-z][a-z-]+)", words))
    assert len(known) > 40, sorted(known)
    for name in sorted(known):
        for head in ("no", "no-", "dis", "un"):
            r = run(f"--{head}{name}", "x", "y", "true")
            hint = re.search(r"did you mean '--([\w-]+)'", r.err)
            assert not hint or hint.group(1) != name, (name, r.err)
    for wrong, right in [("nooversubscrib", "nooversubscribe"), ("genvnon", "genvnone"),
                         ("oversubscrib", "oversubscribe"), ("reportbindings", "report-bindings")]:
        assert f"did you mean '--{right}'" in run(f"--{wrong}", "true").err


@pytest.mark.parametrize("words", [
    "--with-ft ulfm", "--with-ft mpi", "--enable-recovery", "-envall", "-genvall", "--oversubscribe",
    "--allow-run-as-root", "-disable-auto-cleanup", "--rank-by core", "--map-by slot",
    "--map-by core:OVERSUBSCRIBE", "--map-by :OVERSUBSCRIBE", "--bind-to core:overload-allowed",
    "-host localhost", "-pernode", "--map-by node --rank-by slot", "-usize SYSTEM", "--byslot", "-launcher ssh",
])
def test_accepted_flags(run, words):
    """What the peers' users write for what is so anyway is taken without a word."""
    r = run(*words.split(), "echo", "yes")
    assert r == Result(0, "yes\n", "")


@pytest.mark.parametrize("words, part", [
    ("--mca btl self,sm", "ignored; it is a parameter of Open MPI"),
    ("-launcher slurm", "-launcher slurm: ignored; other hosts are reached by ssh"),
    ("-rmk pbs", "ignored; hosts are taken from"), ("--disable-recovery", "ignored; the program decides"),
    ("--with-ft none", "always on"), ("-membind local", "ignored"),
    ("--rank-by socket", "use --map-by socket"), ("-ppn 1 -n 2", "all 2 ranks run on it"),
])
def test_ignored_flags(run, words, part):
    """What cannot be done here is said in one sentence, and the job runs; --quiet keeps it to itself."""
    r = run(*words.split(), "echo", "yes")
    assert (r.status, set(r.out.split())) == (0, {"yes"})
    assert part in r.err
    assert len(r.err.splitlines()) == 1
    assert run("-q", *words.split(), "echo", "yes").err == ""


SHOW = ["sh", "-c", 'echo "$MEND_RANK:$A:$B:$C:${HOME:+home}"']
ENV = {"A": "a", "B": "b", "C": "c", "HOME": "/"}


@pytest.mark.parametrize("words, shown", [
    ([], "a:b:c:home"),
    (["-env", "A", "new"], "new:b:c:home"),
    (["--env", "A=new", "-genv", "B", "x y", "-genv", "C=d"], "new:x y:d:home"),
    (["-x", "A", "-x", "B=2"], "a:2:c:home"),
    (["-genvnone"], ":::home"),
    (["-envnone", "-x", "A"], "a:::home"),
    (["-envnone", "-genv", "B", "1"], ":1::home"),
    (["-genvlist", "A,B"], "a:b::home"),
    (["-envlist", "C"], "::c:home"),
    (["-genvnone", "-envall"], "a:b:c:home"),
    (["-genvnone", "-genvall"], "a:b:c:home"),
    (["-genvlist", "A", "-envlist", "C"], "::c:home"),
])
def test_environment(run, words, shown):
    """-env NAME VALUE, lists of names, and none: what is set, what is inherited, block by block."""
    r = run(*words, *SHOW, env=ENV)
    assert (r.out, r.err) == (f"0:{shown}\n", "")


def test_environment_of_blocks(run):
    """Flags for all blocks and for one, and a variable that is not set here."""
    r = run("-genvnone", "-n", 1, "-envlist", "A", *SHOW, ":", "-n", 1, *SHOW, env=ENV)
    assert sorted(r.out.split()) == ["0:a:::home", "1::::home"]
    r = run("-genvlist", "A,NOT_SET", *SHOW, env=ENV)
    assert (r.status, r.out) == (0, "0:a:::home\n")
    assert "NOT_SET is not set here" in r.err
    assert run("-genvnone", "--set", "spin=77", "sh", "-c", "echo $MEND_SPIN").out == "77\n"


def test_config_file(run, tmp_path):
    """-configfile: a block per line, with quotes and comments, and the flags before it count."""
    path = os.path.join(tmp_path, "jobs")
    with open(path, "w", encoding="utf-8") as f:
        f.write("# two blocks\n\n-n 1 -env W 'one word' sh -c 'echo $MEND_APPNUM/$MEND_SIZE $W $ALL' # end\n"
                '-n 2 sh -c "echo $MEND_APPNUM/$MEND_SIZE \'$ALL\'"\n')
    for flag in ("-configfile", "--app"):
        r = run("-genv", "ALL", "here", flag, path)
        assert (r.status, sorted(r.out.splitlines())) == (0, ["0/3 one word here", "1/3 $ALL", "1/3 $ALL"])
    with open(path, "w", encoding="utf-8") as f:
        f.write("-n 1 echo 'no end\n")
    r = run("-configfile", path)
    assert r.status == 2
    assert "has no end" in r.err


def test_file(run, tmp_path):
    """-file: blocks, as -configfile, or flags of the block whose program follows."""
    path = os.path.join(tmp_path, "more")
    with open(path, "w", encoding="utf-8") as f:
        f.write("-n 2 # ranks\n-env W 'one word'\n")
    r = run("-file", path, "sh", "-c", "echo $MEND_APPNUM/$MEND_SIZE $W", ":", "-n", 1, "sh", "-c", "echo $MEND_APPNUM$W")
    assert (r.status, sorted(r.out.splitlines())) == (0, ["0/3 one word", "0/3 one word", "1"])
    with open(path, "w", encoding="utf-8") as f:
        f.write("-n 1 echo a\n-n 1 echo b\n")
    assert sorted(run("-file", path).out.splitlines()) == ["a", "b"]


@pytest.mark.parametrize("words, n", [
    (["-n", 3, "-soft", "1:2"], 2), (["-soft", "1:5:2", "-n", 4], 3), (["-soft", "2,3"], 3), (["-soft", "7,1", "-n", 6], 1),
])
def test_soft(run, words, n):
    """-soft: the largest of its numbers that is at most that of -n (MPI-5.0 11.5, 11.8.4)."""
    assert run(*words, "sh", "-c", "echo $MEND_SIZE").out.splitlines() == [str(n)] * n


def test_arch(run):
    """-arch: the name of this machine's architecture in any letters."""
    machine = os.uname().machine
    for name in (machine, machine.upper()):
        assert run("-arch", name, "-n", 1, "--", "echo", "started").out == "started\n"


PLACE = "echo $MEND_LOCAL_RANK/$MEND_LOCAL_SIZE $OMPI_COMM_WORLD_RANK/$OMPI_COMM_WORLD_SIZE " \
    "$OMPI_COMM_WORLD_LOCAL_RANK/$OMPI_COMM_WORLD_LOCAL_SIZE $OMPI_COMM_WORLD_NODE_RANK " \
    "$MPI_LOCALRANKID/$MPI_LOCALNRANKS $PMI_RANK$PMI_SIZE$PMI_FD"


def test_local_ranks(mpiexec, run):
    """Before MPI_Init a rank finds in its environment where it is, also below another mpiexec."""
    shown = ["0/2 0/2 0/2 0 0/2", "1/2 1/2 1/2 1 1/2"]
    assert sorted(map(str.strip, run("-n", 2, "sh", "-c", PLACE).out.splitlines())) == shown
    r = run("-n", 1, "sh", "-c", f"{mpiexec} -n 2 sh -c '{PLACE}'")
    assert sorted(map(str.strip, r.out.splitlines())) == shown


@pytest.mark.parametrize("name, value", [
    ("STOP_TIMEOUT", "soon"), ("STOP_GROWTH", "x"), ("FATAL_SCOPE", "all"), ("SPIN", ""), ("COLL", "x"),
    ("FRAGMENT", "0"), ("INJECT", "kill@coll.enter"),
])
def test_bad_environment(run, name, value):
    """A wrong value of a parameter in the environment is refused before anything is started."""
    r = run("echo", "started", env={"MEND_" + name: value})
    assert (r.status, r.out) == (2, "")
    assert f"MEND_{name}" in r.err


def test_help_and_version(run):
    """--help and --version print to standard output, status 0."""
    r = run("--help")
    assert (r.status, r.err) == (0, "")
    for word in ("-n N", "--inject", "--report", "--timeout", "Exit status", "Examples"):
        assert word in r.out
    assert max(map(len, r.out.splitlines())) <= 100
    assert "Mend" in run("--version").out


def test_blocks(run):
    """Blocks between ':' have their own program, number, directory and environment."""
    r = run("-genv", "ALL", "a", "-n", 2, "--env", "ONE=1", "--wdir", "/usr", "sh", "-c",
            'echo $MEND_RANK/$MEND_SIZE $MEND_APPNUM $PWD $ALL $ONE', ":",
            "-np=1", "-x", "ONE=2", "sh", "-c", 'echo $MEND_RANK/$MEND_SIZE $MEND_APPNUM $ALL $ONE')
    assert r.status == 0
    assert sorted(r.out.splitlines()) == ["0/3 0 /usr a 1", "1/3 0 /usr a 1", "2/3 1 a 2"]


def test_set(run):
    """--set becomes the library's environment variable."""
    assert run("--set", "spin=77", "sh", "-c", "echo $MEND_SPIN").out == "77\n"
