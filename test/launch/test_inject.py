# SPDX-License-Identifier: BSD-3-Clause
"""--inject."""
import re

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


def test_inject_in_call_missed(run):
    """Ranks that never wait there: mpiexec says so."""
    r = run("-n", 2, "--inject", "kill:1@in:MPI_Recv:0", "true")
    assert "never happened: rank 1 was not touched, as the others never all waited in that call" in r.err
    assert r.status == 125
