# SPDX-License-Identifier: BSD-3-Clause
"""--inject."""
import json
import os
import re
import signal

import pytest


@pytest.mark.parametrize("words, part", [
    ("kill:1@time:200ms", "killed by signal 9"),
    ("stop:1@time:200ms", "was stopped for too long"),
    ("abort:1:6@time:0.2s", "aborted with code 6"),
])
def test_inject_time(probe, run, words, part):
    """--inject at a time: kill, stop, abort."""
    r = run("--stop-timeout", 0.3, "--inject", words, "-n", 2, probe, "pair", "x")
    assert part in r.err
    assert r.status == 0


def test_inject_reaches_rank(run):
    """The other injections go to their rank's environment, without the rank."""
    r = run("-n", 2, "--inject", "kill:1@p2p.send.rts#3", "--inject", "abort:1:7@call:MPI_Send",
            "sh", "-c", "echo $MEND_RANK $MEND_INJECT")
    assert sorted(r.out.splitlines()) == ["0", "1 kill@p2p.send.rts#3;abort:7@call:MPI_Send"]


@pytest.mark.parametrize("words, status, part", [
    ("kill:1@coll.enter#3", 125, "kill:1@coll.enter#3 never happened: rank 1 did not get there"),
    ("kill:0,1@coll.enter", 125, "kill:0,1@coll.enter never happened: rank 0 did not get there"),
    ("kill:1@time:1h", 2, ""),
    ("kill:1@time:300s", 125, "rank 1 had ended before"),
])
def test_inject_missed(run, words, status, part):
    """An injection that never happened is named, and what would be success is not."""
    r = run("-n", 2, "--inject", words, "true")
    assert part in r.err
    assert r.status == status


def test_inject_on_a_lost_node(run):
    """Its agent may have had no time to say that an injection happened; mpiexec itself knows what it has not ordered."""
    r = run("--machines", 2, "--lenient-exit", "-n", 2, "--inject", "note:1@coll.enter", "--inject", "node:1@time:200ms", "sleep", 1)
    assert "whether the injection note:1@coll.enter happened is not known: node 1" in r.err
    assert r.status == 0
    r = run("--machines", 2, "--lenient-exit", "-n", 2, "--inject", "kill:1@time:300s", "--inject", "node:1@time:200ms", "sleep", 1)
    assert "kill:1@time:300s never happened: rank 1 had died before" in r.err
    assert r.status == 125


def test_inject_that_may_be_missed(run):
    """With a ? an injection may be missed; a status that is not 0 stays."""
    r = run("-n", 2, "--inject", "kill:1@coll.enter#3?", "--inject", "kill:0@time:300s?", "true")
    assert (r.status, r.err) == (0, "")
    r = run("-n", 2, "--inject", "kill:1@coll.enter", "sh", "-c", "exit 3")
    assert r.status == 3
    assert "never happened" in r.err


def test_inject_ranks(run):
    """Several ranks, and one at random with a seed that is printed and gives the same one again."""
    show = ["sh", "-c", "echo $MEND_RANK $MEND_INJECT"]
    r = run("-n", 6, "--inject", "kill:0,2-3@coll.enter?", "--inject", "abort:3,5:9@init.done?", *show)
    assert sorted(r.out.splitlines()) == ["0 kill@coll.enter", "1", "2 kill@coll.enter",
                                          "3 kill@coll.enter;abort:9@init.done", "4", "5 abort:9@init.done"]
    r = run("-n", 6, "--inject", "kill:random@coll.enter?", *show)
    seed, rank = re.search(r"the seed is (\d+), which gives rank (\d)", r.err).groups()
    assert f"{rank} kill@coll.enter" in r.out
    again = run("-n", 6, "--inject", f"kill:random({seed})@coll.enter?", *show)
    assert sorted(again.out.splitlines()) == sorted(r.out.splitlines())
    chosen = {re.search(r"gives rank (\d)", run("-n", 6, "--inject", f"kill:random({s})@coll.enter?",
                                                "true").err).group(1) for s in range(40)}
    assert len(chosen) == 6


@pytest.mark.parametrize("words, part", [
    ("kill:1@in:MPI_Recv", "behind the call stand the ranks that wait in it"),
    ("kill:1@in:MPI_Recv:0#2", "behind the call stand the ranks that wait in it"),
    ("kill:1@in:MPI_Recv:7", "'7' are not ranks of a job of 2"),
    ("kill:1@in:MPI_Recv:1-0", "'1-0' are not ranks of a job of 2"),
    ("kill:1@in:MPI_Rcev:0", "did you mean 'MPI_Recv'?"),
])
def test_inject_in_call_refused(run, words, part):
    """A wait must name a call and ranks that there are."""
    r = run("-n", 2, "--inject", words, "true")
    assert (r.status, part in r.err) == (2, True), r.err


@pytest.mark.parametrize("words, part", [
    ("node:0@time:1", "node 0 is that of mpiexec, with which the job ends"), ("node:3@time:1", "there is no node 3 in a job of 3 nodes"),
    ("node:x@time:1", "behind node: stands the number of one node"), ("node:1-2@time:1", "behind node: stands the number of one node"),
    ("node:@time:1", "behind node: stands the number of one node"), ("node:1:soon@time:1", "the time in node:NODE[:TIME]@PLACE"),
    ("node:1:0@time:1", "the time in node:NODE[:TIME]@PLACE"), ("node:1@call:MPI_Sned", "did you mean 'MPI_Send'?"),
    ("node:1@time:x", "the time is a number of seconds"), ("node:1@nothing", "there is no event 'nothing'"),
    ("node:2@call:MPI_Send", "node 2 has no ranks that could get there"), ("node1@time:1", "is not ACTION:RANKS"),
])
def test_inject_node_refused(run, words, part):
    """The node must be there, and not be that of mpiexec."""
    r = run("--machines", 3, "--spare-nodes", 1, "-n", 2, "--inject", words, "true")
    assert (r.status, part in r.err) == (2, True), r.err
    r = run("-n", 2, "--inject", "node:1@time:1", "true")
    assert (r.status, "there is no node 1 in a job of 1 node\n" in r.err) == (2, True), r.err


def test_inject_node_missed(run):
    """The job has ended before."""
    r = run("--machines", 3, "--spare-nodes", 1, "-n", 2, "--inject", "node:1@time:300s", "--inject", "node:2@time:300s", "true")
    assert r.status == 125 and "node:1@time:300s never happened: rank 1 had ended before" in r.err, r
    assert "node:2@time:300s never happened: node 2 had ended before" in r.err, r
    assert run("--machines", 2, "-n", 2, "--inject", "node:1@time:300s?", "true").status == 0


def test_inject_node_without_ranks(run):
    """It has none yet, or none any more: it is lost all the same, before it is needed."""
    for words, said in (["--spare-nodes", 1, "-n", 2], r"\(without ranks\) is lost: no sign of life for \d.\d s; 2 ranks go on\n"), \
                       (["-n", 3], r"\(rank 2\) is lost: "):
        r = run("--machines", 3, "--set", "LEASE=0.3", "--inject", "node:2@time:300ms", *words, "sh", "-c", "test $MEND_RANK = 2 || sleep 1.5")
        assert r.status == 0 and re.search(rf"^mend: node 2 {said}", r.err, re.M), r


def test_inject_node_that_is_switched_off(run, tmp_path):
    """Nobody says so: its lease decides.  Nothing of it is left, and the report has it for each rank."""
    report = tmp_path / "report"
    r = run("--machines", 3, "--lenient-exit", "-n", 6, "--report", report, "--inject", "node:1@time:300ms", "sh", "-c",
            "echo $$; [ $MEND_RANK = 2 -o $MEND_RANK = 3 ] && { sleep 1000 & echo $!; wait; }; sleep 4; echo end")
    pids = [line for line in r.out.split() if line != "end"]
    assert r.out.count("end") == 4 and len(pids) == 8 and not any(os.path.exists(f"/proc/{pid}") for pid in pids), r
    assert re.search(r"mend: node 1 \(ranks 2 to 3\) is lost: no sign of life for 1\.\d s; 4 ranks go on", r.err), r.err
    lines = [json.loads(line) for line in report.read_text().splitlines()]
    assert [line["rank"] for line in lines if line.get("what") == "node:1@time:300ms"] == [2, 3], lines
    at = next(line["t_ns"] for line in lines if line["event"] == "inject")
    assert at > 300e6, lines
    of = {name: [line for line in lines if line["event"] == name] for name in ("lost", "death", "verdict")}
    assert [(line["node"], line["ranks"]) for line in of["lost"]] == [(1, 2)] and of["lost"][0]["how"].startswith("no sign of life"), lines
    assert [(line["rank"], line["cause"], line["seen_by"]) for line in of["death"]] == [(2, "lost", "node"), (3, "lost", "node")], lines
    assert [(line["rank"], line["number"]) for line in of["verdict"]] == [(2, 0), (3, 1)], lines
    assert all(at + 0.9e9 < line["t_ns"] < at + 1.5e9 for some in of.values() for line in some), lines


def test_status_of_a_rank_that_died_before_its_node(run):
    """As its agent has told it, which says nothing at the end; and it is the first death."""
    r = run("--machines", 2, "-n", 4, "--strict-exit", "--print-all-exitcodes", "--set", "LEASE=0.3", "--inject", "node:1@time:500ms",
            "sh", "-c", "[ $MEND_RANK = 3 ] && kill -SEGV $$; sleep 1.2")
    ends = re.findall(r"^mend: rank (\d) (?:ended with status|was killed by signal) (\d+)", r.err, re.M)
    assert (r.status, ends) == (128 + signal.SIGSEGV, [("0", "0"), ("1", "0"), ("2", "9"), ("3", "11")]), r


@pytest.mark.parametrize("how_long, ends", [("200ms", 6), ("5s", 4)])
def test_inject_node_that_stands_still(run, how_long, ends):
    """For less than half its lease, or for longer than that."""
    r = run("--machines", 3, "--lenient-exit", "-n", 6, "--inject", f"node:1:{how_long}@time:300ms", "sh", "-c", "sleep 3; echo end")
    assert (r.status, r.out.count("end")) == (0, ends), r
    assert ("node 1 (ranks 2 to 3) is lost: no sign of life" in r.err) == (ends == 4), r.err


def test_inject_in_call_missed(run):
    """Ranks that never wait there: mpiexec says so."""
    r = run("-n", 2, "--inject", "kill:1@in:MPI_Recv:0", "true")
    assert "never happened: rank 1 was not touched, as the others never all waited in that call" in r.err
    assert r.status == 125
