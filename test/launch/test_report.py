# SPDX-License-Identifier: BSD-3-Clause
"""--report."""
import json
import time


def test_report(probe, run, tmp_path):
    """--report writes one JSON object per line, with times that do not go back by event."""
    report = tmp_path / "report"
    before_ns = time.monotonic_ns()
    run("-q", "--report", report, "-n", 3, probe, "pair", "kill")
    lines = [json.loads(x) for x in open(report)]
    kinds = [x["event"] for x in lines]
    assert (kinds[0], kinds[-1]) == ("start", "end")
    death = lines[kinds.index("death")]
    verdict = lines[kinds.index("verdict")]
    assert (death["rank"], death["cause"], death["code"]) == (1, "signal", 9)
    assert death["seen_by"] in ("life word", "exit")  # whichever thread of mpiexec runs first
    assert 0 < death["t_ns"] <= verdict["t_ns"] <= lines[-1]["t_ns"]
    assert lines[-1]["status"] == 0
    assert before_ns < lines[0]["clock_ns"] < time.monotonic_ns() - lines[-1]["t_ns"]
    run("--report", report, "-n", 3, probe, "report")
    own = [x for x in map(json.loads, open(report)) if x["event"] == "shrink"]
    assert sorted(x["rank"] for x in own) == [0, 1, 2]
    assert {x["ctx"] for x in own} == {17}
    assert run("--report", "/no/such/dir/x", "true").status == 2


def test_report_on_a_full_disk(probe, run):
    """A report that cannot be written ends with one message; the job goes on."""
    r = run("--report", "/dev/full", "-n", 3, probe, "pair", "kill")
    assert (r.status, r.err.count("the report ends here: /dev/full: No space left on device")) == (0, 1)
    assert "rank 1 cause 1 code 9" in r.out
