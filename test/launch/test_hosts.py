# SPDX-License-Identifier: BSD-3-Clause
"""Lists of hosts: which spellings are taken, which ranks are where, and what is refused.

--do-not-launch prints the nodes of a job and starts nothing, so the hosts need not exist.
"""
import os
import re

import pytest

from processes import LIMIT

OWN = os.uname().nodename
SHORT = OWN.split(".", maxsplit=1)[0]


def where(r):
    """What --do-not-launch says: the ranks of each host, as "a:01 b:2"; a host without is left out."""
    assert (r.status, r.err) == (0, ""), r
    found = []
    for name, ranks in re.findall(r"^node \d+ \((.*?)(?:, \d+ slots?)?\): (.*)$", r.out, re.M):
        numbers = ""
        for first, end in re.findall(r"(\d+)(?: to (\d+))?", ranks):
            numbers += "".join(map(str, range(int(first), int(end or first) + 1)))
        found += [f"{name}:{numbers}"] if numbers else []
    return " ".join(found)


@pytest.mark.parametrize("words, expected", [
    # without a number: equal shares, and the first hosts have one more
    ("-hosts a,b -n 4", "a:01 b:23"), ("-hosts a,b,c -n 2", "a:0 b:1"), ("-hosts a,b,c -n 5", "a:01 b:23 c:4"),
    ("-H a,b", "a:0 b:1"), ("-host a,a,b -n 3", "a:01 b:2"), ("--host a --host b -n 2", "a:0 b:1"),
    ("--host=a:*,b:auto -n 3", "a:01 b:2"), ("-H node1,node1.x.org,node2.x.org", "node1:01 node2.x.org:2"),
    # with a number: one after the other
    ("-H a:2,b:2 -n 3", "a:01 b:2"), ("-H a:1,b:3", "a:0 b:123"), ("-H a:1,a:1,b -n 4", "a:01 b:23"),
    ("-H a:1,b -n 4", "a:0 b:123"), ("-H [::2]:2,10.0.0.1:1", "::2:01 10.0.0.1:2"), ("-H ::2,fe80::1%eth0", "::2:0 fe80::1%eth0:1"),
    ("-H a:1,b:2 --oversubscribe -n 6", "a:01 b:2345"), ("-H a:1,b:2 --map-by :OVERSUBSCRIBE -n 6", "a:01 b:2345"),
    # in turn
    ("-hosts a,b --map-by node -n 4", "a:02 b:13"), ("-H a:3,b:1 --bynode", "a:023 b:1"),
    ("-hosts a,b --map-by node --rank-by slot -n 4", "a:01 b:23"), ("-H a:3,b:2 --rank-by node -n 4", "a:023 b:1"),
    ("-hosts a,b --map-by core -n 4", "a:01 b:23"),
    # so many on each
    ("-hosts a,b -ppn 2", "a:01 b:23"), ("-hosts a,b -perhost 2 -n 3", "a:01 b:2"), ("-H a:4,b:4 -N 1", "a:0 b:1"),
    ("-hosts a,b --map-by ppr:2:node", "a:01 b:23"), ("-hosts a,b --pernode", "a:0 b:1"),
    ("-hosts a,b --npernode 2 --map-by node", "a:02 b:13"), ("-hosts a,b -ppn 2 -n 5 --oversubscribe", "a:012 b:34"),
    # this machine is one host, wherever it stands
    (f"-hosts a,{OWN} -n 4", f"{OWN}:23 a:01"), ("-H a:1,localhost:1,127.0.0.1:1,127.9.9.9:1", "localhost:123 a:0"),
    (f"-hosts {SHORT},a --nolocal -n 2", "a:01"), ("-H localhost,a -skip-launch-node", "a:0"),
    ("-H localhost,a --map-by slot:NOLOCAL", "a:0"),
    # some are kept free
    ("-hosts a,b,c --spare-nodes 1 -n 4", "a:01 b:23"), ("-H a:2,b:2,c:2 --spare-nodes 2", "a:01"),
    ("--machines 3 --spare-nodes 1 -n 4", "this machine:01 this machine:23"),
    # machines that are played
    ("--machines 2 -n 3", "this machine:01 this machine:2"), ("--machines 3 -ppn 1", "this machine:0 this machine:1 this machine:2"),
    ("--machines 2 -H localhost:3", "localhost:01 localhost:2"), ("--machines 2 --map-by node -n 4", "this machine:02 this machine:13"),
])
def test_ranks_on_hosts(run, words, expected):
    """Which rank is on which host, in the spellings of MPICH and Open MPI."""
    if ":" in words and "::" in words and not os.path.exists("/proc/net/if_inet6"):
        pytest.skip("no IPv6 here")
    assert where(run("--do-not-launch", *words.split(), "true")) == expected


MANY = ",".join(f"n{i}" for i in range(100))


@pytest.mark.parametrize("words, agents", [
    ("-n 2", 18), ("-n 100", 100), ("-n 84", 100), ("-n 83", 99), ("-n 2 --spare-nodes 50", 68), ("-n 2 --universe 2", 2),
    ("-n 2 --universe 40", 40), ("-n 2 --universe 1000", 100), ("-n 3 --universe 8 --spare-nodes 2", 8),
])
def test_hosts_that_are_left_over(run, words, agents):
    """Few of a long list get an agent, unless --universe or --spare-nodes ask for more."""
    r = run("--do-not-launch", "-H", MANY, *words.split(), "true")
    nodes = re.findall(r"^node (\d+) \((this machine|n\d+)\): (.*)$", r.out, re.M)
    assert [int(number) for number, _, _ in nodes] == list(range(agents + 1)), r.out  # and this machine, without ranks
    n = int(words.split()[1])
    assert [ranks for _, _, ranks in nodes][1:n + 1] == [f"rank {i}" for i in range(n)], r.out
    assert re.findall(r"^(\d+) more hosts?: no agents?$", r.out, re.M) == [str(100 - agents)] * (agents < 100), r.out


def test_slots_that_are_left_over(run):
    """--universe counts slots; ranks of a host in the midst of the list keep their places."""
    r = run("--do-not-launch", "--universe", 13, "-n", 2, "-H", "c:4", "true", ":", "-n", 4, "-H", "a:4,b:4,c:4,d:4", "true")
    assert re.findall(r"\((\w+), \d slots\): (.*)$", r.out, re.M) == [("c", "ranks 0 to 1"), ("a", "ranks 2 to 5"), ("b", "no ranks, spare")], r.out
    r = run("--do-not-launch", "-H", "a:4,b:4,c:4,d:4", "--universe", 9, "-n", 2, "true")
    assert re.findall(r"\((\w+), 4 slots\): (.*)$", r.out, re.M) == [("a", "ranks 0 to 1"), ("b", "no ranks, spare"), ("c", "no ranks, spare")], r.out


@pytest.mark.parametrize("words, expected", [
    ("-n 1 -host a true : -n 2 -host b true", "a:0 b:12"), ("-hosts a,b -n 1 true : -n 3 true", "a:01 b:23"),
    ("-n 2 -host b true : -n 2 true", "b:0123"), ("-n 1 -host b true : -n 3 -host a,b true", "b:03 a:12"),
    ("-H a:2,b:2 -n 1 true : -n 3 true", "a:01 b:23"), ("-H a:1 true : -H a:2 true", "a:012"),
])
def test_lists_of_blocks(run, words, expected):
    """A list belongs to its block; blocks without one have the hosts of all."""
    assert where(run("--do-not-launch", *words.split())) == expected


FILE = """# the hosts

a slots = 2 max_slots=3   # two
ann@b:1
 c\tmax-slots=4
[fe80::7]:1
b slots=1 user=ann
"""


@pytest.mark.parametrize("words, expected", [
    ([], "a:01 b:23 c:4 fe80::7:5"), (["-n", 8], "a:01 b:23 c:456 fe80::7:7"),
    (["-n", 12, "--oversubscribe"], "a:012 b:345 c:6789 fe80::7:1011"),
    (["--host", "c,a", "-n", 4], "a:23 c:01"), (["--host", "b:1"], "b:0"),
])
def test_hostfile(run, tmp_path, words, expected):
    """A file of hosts; --host chooses among them."""
    path = os.path.join(tmp_path, "hosts")
    with open(path, "w", encoding="utf-8") as f:
        f.write(FILE)
    for flag in "-f", "--hostfile", "-machinefile", "--default-hostfile":
        r = run("--do-not-launch", flag, path, *words, "true")
        assert where(r) == expected
        assert r.out.count("no ranks") == 1, "hosts that were not chosen have no agents"


@pytest.mark.parametrize("text, said", [
    ("a\nb slot=2\n", ":2: 'slot=2' is not one of: slots=N"), ("a slots=x", ":1: 'x' is not a number between 1"),
    ("a slots=0", ":1: '0' is not a number"), ("a:2 slots=2", ":1: 'slots=2' says the slots a second time"),
    ("\n\n-oProxyCommand=x\n", ":3: '-oProxyCommand=x' is not the name of a host"), ("a b", ":1: 'b' is not one of"),
    ("[::1\n", ":1: '[::1' is not an address in brackets"), ("a slots=4 max_slots=2", ":1: 4 slots of 'a' are more than its max_slots, 2"),
    ("a user=-l", ":1: '-l' is not the name of a user"), ("# nobody\n", "the file names no host"), ("", "names no host"),
    ("a\0b", "not a text file"), ("@a", "'' is not the name of a user"),
])
def test_bad_hostfile(run, tmp_path, text, said):
    """What is wrong in a file of hosts is said with the file, the line and the word."""
    path = os.path.join(tmp_path, "hosts")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    r = run("-f", path, "-n", 2, "true")
    assert (r.status, r.out) == (2, "")
    assert f"-f {path}" in r.err and said in r.err, r.err


@pytest.mark.parametrize("words, said", [
    ("-hosts ,", "-hosts: no host is named"), ("-H a:x", "-H: 'x' is not a number"), ("-H -a", "'-a' is not the name of a host"),
    ("-H a/b", "'a/b' is not the name of a host"), ("-H +n0", "'+n0' is not the name of a host"), ("-H a:", "'' is not a number"),
    ("-H [a]b", "not an address in brackets"), ("-f /no/such/file", "-f /no/such/file: No such file"), ("-f /", "Is a directory"),
    ("-H a:2,b:2 -n 5", "no room for 1 of 5 ranks on 2 hosts (a:2, b:2); name more hosts or slots, or say --oversubscribe"),
    ("-hosts a,b -ppn 2 -n 5", "no room for 5 ranks on 2 hosts with at most 2 on each"),
    ("-H localhost:2 -n 3", "no room for 1 of 3 ranks on 1 host (localhost:2)"),
    ("-H a:1,b:4 -ppn 2 -n 4", "no room for"),
    ("--nolocal", "--nolocal: there is no other machine"), ("-hosts localhost --nolocal", "no other machine"),
    ("--spare-nodes 1 -n 2", "--spare-nodes: of 1 host at most 0"), ("-hosts a,b --spare-nodes 2", "of 2 hosts at most 1"),
    ("-hosts a,b --machines 2", "'a' is another host"), ("--machines 3 -H localhost:2", "2 slots are too few for 3 machines"),
    ("--oversubscribe --nooversubscribe", "exclude each other"), ("--gdb --machines 2", "--gdb is for jobs on one host"),
    ("--host a --tty 0", "--tty: rank 0 is on 'a', and the terminal is here"),
    ("--prefix mend", "'mend' is not an absolute path"), ("--ssh -x", "'-x' is not the name of a program"),
    ("--launch-agent=", "'' is not the name of a program"), ("--mca plm_rsh_agent -x", "'-x' is not the name of a program"),
    ("--port-range 10", "is not FIRST:LAST"), ("--port-range 9:8", "the smaller first"), ("--port-range 0:8", "between 1 and 65535"),
    ("--port-range 1:70000", "between 1 and 65535"), ("--port-range 1:2x", "is not FIRST:LAST"),
    ("--connect-timeout 0", "must be more than 0"), ("--connect-timeout x", "not a number of seconds"),
    ("--interface nosuch0 -H a", "no address that belongs to 'nosuch0'"), ("-iface 198.51.100.0/24 -H a", "belongs to '198.51.100.0/24'"),
    ("-iface 127.128.0.0/9 -H a", "no address"),
    ("--interface a,b", "'a,b' is neither the name of a network interface"), ("-iface 10.0.0.0/33", "is neither"),
    ("-iface 10.0.0.0/x", "is neither"), ("-iface ::1/129", "is neither"), ("--mca btl_tcp_if_include e/8", "is neither"),
])
def test_bad_hosts(run, words, said):
    """What cannot be is said in one sentence, with status 2, and nothing is started."""
    r = run(*words.split(), "echo", "started")
    assert (r.status, r.out) == (2, "")
    assert said in r.err, r.err
    assert r.err.count("\n") == 2


@pytest.mark.parametrize("interface", ["lo", "127.0.0.1", "127.0.0.0/9", "96.0.0.0/3"] +
                         ["::/0"] * os.path.exists("/proc/net/if_inet6"))
def test_interface_of_this_machine(run, interface):
    """It is taken, and then another host is called; no agent comes from it."""
    r = run("--ssh", "/bin/false", "--interface", interface, "--host", "a,localhost", "-n", 2, "echo", "started")
    assert (r.status, r.out) == (2, "") and "no agent on a: it has ended with status 1 and said nothing" in r.err, r


@pytest.mark.parametrize("words", [
    "--ssh ssh", "-launcher-exec /usr/bin/ssh", "--mca plm_rsh_agent ssh", "--mca plm_ssh_agent ssh", "-launcher ssh", "-launcher rsh",
    "--prefix /opt/mend", "--launch-agent /opt/mend/bin/mpiexec", "--interface lo", "-iface 10.1.0.0/16", "-iface fe80::/10",
    "--interface 127.0.0.1", "--mca btl_tcp_if_include eth0", "--port-range 4000:4100", "--port-range=4000-4100", "--connect-timeout 2.5",
])
def test_flags_for_other_hosts(run, words):
    """They are taken without a word where there is no other host."""
    r = run(*words.split(), "echo", "yes")
    assert (r.status, r.out, r.err) == (0, "yes\n", "")


@pytest.mark.parametrize("words, ranks", [
    (["-host", "localhost"], 1), (["--host", f"{OWN},localhost"], 2), (["-H", "127.0.0.1"], 1),
    (["-hosts", "localhost:3"], 3), (["--host", f"{OWN}:1,{OWN}:1"], 2), (["-H", "::1"], 1), (["-H", "[::1]:2"], 2),
    (["-host", SHORT + ":2", "-n", "3", "--oversubscribe"], 3), (["-host", "localhost", "-n", "3"], 3),
    (["-ppn", 3], 3), (["-N", 2], 2), (["-npernode", 2], 2), (["--map-by", "ppr:2:node"], 2), (["-n", 1, "-N", 2], 1),
    (["--machines", 2, "-host", "localhost:3"], 3),
])
def test_this_machine(run, words, ranks):
    """Jobs on this machine, under all its names; the slots are the number of ranks."""
    if "::1" in str(words) and not os.path.exists("/proc/net/if_inet6"):
        pytest.skip("no IPv6 here")
    r = run(*words, "echo", "rank")
    assert (r.status, r.out) == (0, "rank\n" * ranks)


def test_map(run):
    """--display-map says it, and the job runs."""
    r = run("--display-map", "--machines", 3, "--map-by", "node", "-n", 5, "--spare-nodes", 1, "sh", "-c", "echo $MEND_RANK")
    assert (r.status, sorted(r.out.split())) == (0, list("01234"))
    assert r.err == "node 0 (this machine): ranks 0, 2, 4\nnode 1 (this machine): ranks 1, 3\nnode 2 (this machine): no ranks, spare\n"


@pytest.mark.parametrize("words", ["", "--machines 2", "--machines 3 --map-by node", "--machines 3 --spare-nodes 1"])
def test_programs_of_blocks(run, words):
    """A program that is not there is said at once, wherever its ranks would be on this machine."""
    r = run(*words.split(), "-n", 1, "true", ":", "-n", 1, "true", ":", "-n", 1, "/no/such/program")
    assert (r.status, r.out, r.err) == (127, "", "mpiexec: /no/such/program: No such file or directory\n")


def test_files_that_can_be_read_once(run, tmp_path):
    """A file of hosts that comes through a pipe is read once, however often it is named."""
    assert where(run("--do-not-launch", "-f", "/dev/stdin", "-n", 1, "true", ":", "-f", "/dev/stdin", "-n", 1, "true",
                     input=b"a:1\n")) == "a:01"


@pytest.mark.parametrize("words, shown", [
    ("--machines 2 -n 3", ["0/2 0/3 0", "1/2 1/3 1", "0/1 2/3 0"]),
    ("--machines 2 --map-by node -n 4", ["0/2 0/4 0", "0/2 1/4 0", "1/2 2/4 1", "1/2 3/4 1"]),
    ("--machines 2 --spare-nodes 1 -n 2", ["0/2 0/2 0", "1/2 1/2 1"]),
])
def test_local_ranks(run, words, shown):
    """MEND_LOCAL_RANK and its like count the ranks of the host."""
    r = run(*words.split(), "sh", "-c", "echo $MEND_LOCAL_RANK/$OMPI_COMM_WORLD_LOCAL_SIZE "
            "$OMPI_COMM_WORLD_RANK/$OMPI_COMM_WORLD_SIZE $OMPI_COMM_WORLD_NODE_RANK; "
            "test $MEND_LOCAL_RANK/$MEND_LOCAL_SIZE = $MPI_LOCALRANKID/$MPI_LOCALNRANKS")
    assert (r.status, sorted(r.out.splitlines())) == (0, sorted(shown)), r


def test_spares_beside_this_machine(start, tmp_path):
    """mpiexec starts neither ranks nor spares where --nolocal leaves its host out."""
    path = os.path.join(tmp_path, "parents")
    p = start("--machines", 3, "--nolocal", "--spares", 3, "--copies", "-n", 2, "sh", "-c", f"echo $PPID >>{path}")
    p.communicate(timeout=LIMIT)
    with open(path, encoding="utf-8") as f:
        parents = [int(line) for line in f]
    assert p.returncode == 0 and p.pid not in parents and len(parents) >= 2, parents
