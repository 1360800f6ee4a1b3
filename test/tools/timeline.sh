# SPDX-License-Identifier: BSD-3-Clause
# timeline.sh – mend-timeline draws what the report says, and refuses what is not a report.
#
# RUN: ; expect "all timeline checks passed" ; time 60

fail()
{
    echo "wrong: $*"
    exit 1
}

# Two losses.  In the first, rank 3 is told after 200 ms; in the second, rank 1 dies while the others
# still recover from the death of rank 0.
cat >report.json <<'TEXT'
{"t_ns":0,"event":"start","ranks":6,"host":"<&>","clock_ns":5000000000}
{"rank":2,"t_ns":1000000000,"event":"inject","what":"kill"}
{"t_ns":1000200000,"event":"death","rank":2,"pid":7,"seen_by":"life word","cause":"signal","code":9}
{"t_ns":1000210000,"event":"verdict","rank":2,"number":0}
{"rank":0,"t_ns":1000300000,"event":"notice","dead":2}
{"rank":0,"t_ns":1000320000,"event":"revoke","ctx":16}
{"rank":0,"t_ns":1000500000,"event":"shrink","ctx":16,"from":6,"to":5}
{"rank":0,"t_ns":1000400000,"event":"safe_point","number":1,"pages":7}
{"rank":0,"t_ns":1000600000,"event":"roll_back","number":1,"pages":7,"cut":1}
{"rank":0,"t_ns":1000650000,"event":"recovered","left":5,"ok":true}
{"rank":3,"t_ns":1200000000,"event":"notice","dead":2}
{"rank":3,"t_ns":1200010000,"event":"notify","by":0,"key":-2147483648}
{"t_ns":4000000000,"event":"death","rank":0,"pid":5,"seen_by":"exit","cause":"exit","code":3}
{"t_ns":4000010000,"event":"verdict","rank":0,"number":1}
{"rank":3,"t_ns":4000100000,"event":"notice","dead":0}
{"rank":1,"t_ns":4000300000,"event":"inject","what":"kill"}
{"t_ns":4000400000,"event":"death","rank":1,"pid":6,"seen_by":"life word","cause":"signal","code":9}
{"rank":3,"t_ns":4000500000,"event":"notice","dead":1}
{"rank":3,"t_ns":4000550000,"event":"window","ctx":48,"kind":"allocated","bytes":64}
{"rank":3,"t_ns":4000560000,"event":"poisoned","ctx":48,"target":2}
{"rank":3,"t_ns":4000600000,"event":"holdings","bytes":4096,"contexts":3,"buried":1,"polled":0,"parked":0,"queued":0}
{"rank":3,"t_ns":5000000000,"event":"agree","ctx":32,"of":"call","failed":0}
{"t_ns":6000000000,"event":"end","status":0}
TEXT
echo '{"rank":0,"time_s":6.0007,"mark":"run <on>"}' >marks.json
printf '{"t_ns":600' >unfinished
cat report.json unfinished >running.json

mend-timeline running.json --marks marks.json -o out.json || fail "no trace"
mend-timeline report.json --marks marks.json -o out.svg || fail "no picture"
python3 - <<'PYTHON' || fail "see above"
import json
import xml.etree.ElementTree as xml

trace = json.load(open("out.json"))["traceEvents"]
tracks = {e["tid"]: e["args"]["name"] for e in trace if e["name"] == "thread_name"}
assert sorted(tracks.values()) == ["mpiexec", *(f"rank {r}" for r in range(6))], tracks
pieces = [(tracks[e["tid"]], e["name"], e["ts"], round(e["dur"])) for e in trace if e["ph"] == "X"]
assert pieces == [
    ("rank 3", "until notice", 1e6, 200000), ("rank 0", "until notice", 1e6, 300),
    ("rank 0", "until revoke", 1000300, 20), ("rank 0", "until shrink", 1000320, 180),
    ("rank 0", "until roll_back", 1000500, 100), ("rank 0", "until recovered", 1000600, 50),
    ("rank 0", "until run <on>", 1000650, 50), ("rank 3", "until notify", 1200000, 10),
    ("rank 3", "until notice", 4e6, 100), ("rank 3", "until notice", 4000100, 400),
    ("rank 3", "until poisoned", 4000500, 60)], pieces
instants = [e for e in trace if e["ph"] == "i"]
assert len(instants) == 23, instants  # every line but the holdings, and the mark
assert {"s": "t", "ph": "i", "name": "agree", "ts": 5e6, "pid": 1, "tid": 5,
        "args": {"ctx": 32, "of": "call", "failed": 0}} in instants
assert [e["args"] for e in trace if e["ph"] == "C"] == [{"bytes": 4096}]

words = [t.text for t in xml.parse("out.svg").iter("{http://www.w3.org/2000/svg}text")]
for said in ("Rank 2 is killed by signal 9, 1.000 s after the start",
             "Rank 0 ends with status 3; rank 1 is killed by signal 9, 4.000 s after the start",
             "seen after 200 µs, declared after 210 µs", "until run <on>", "rank 3", "500 µs", "200 ms",
             "safe point", "back to safe point 1, 400 µs behind the kill"):
    assert said in words, (said, words)
assert "rank 4" not in words, "rank 4 took no step"
lines = [line.get("points") for line in xml.parse("out.svg").iter("{http://www.w3.org/2000/svg}polyline")
         if line.get("stroke-width") == "1.5"]
assert len(lines) == 3, lines  # the safe point in both scales of rank 0, and the legend
PYTHON
mend-timeline report.json -o chosen.svg --ranks 3-4 || fail "--ranks"
grep -q ">rank 3<" chosen.svg && ! grep -q ">rank 0<" chosen.svg || fail "--ranks draws others"

# A trace is what the viewers of Chrome's format expect, and so is that of a real job.  In the second report, a notice
# of the first loss comes in the midst of the second one, on rank 3 before its notice of that, on rank 4 behind it.
grep -v -e '"rank":3,"t_ns":1200000000' report.json >late.json
cat >>late.json <<'TEXT'
{"rank":3,"t_ns":4000050000,"event":"notice","dead":2}
{"rank":4,"t_ns":4000050000,"event":"notice","dead":0}
{"rank":4,"t_ns":4000070000,"event":"notice","dead":2}
TEXT
mend-timeline late.json -o late_out.json || fail "no trace of a late notice"
# Processes that were started while the job ran have lanes, too.
{
    grep -v '"event":"end"' report.json
    echo '{"t_ns":5000100000,"event":"spawn","by":3,"first":6,"ranks":2}'
    echo '{"rank":7,"t_ns":5000200000,"event":"replace","ctx":48,"place":0,"of":6,"replaced":2}'
} >later.json
mend-timeline later.json -o later_out.json || fail "no trace of ranks that came later"
grep -q '"name":"rank 7"' later_out.json || fail "a rank that came later has no lane"

mpiexec -q -n 3 --report real.json sh -c '[ $MEND_RANK = 1 ] && kill -9 $$; sleep 0.1'
[ $? = 137 ] || fail "a real job"
mend-timeline real.json -o real_out.json || fail "no trace of a real job"
grep -q '"name":"verdict"' real_out.json || fail "the real job has no verdict"
python3 - out.json late_out.json real_out.json <<'PYTHON' || fail "a viewer would not understand the trace"
import json
import sys

COMMON = {"ph": str, "name": str, "ts": (int, float), "pid": int, "tid": int}
OWN = {"M": {"args": dict}, "X": {"dur": (int, float)}, "i": {"s": str, "args": dict}, "C": {"args": dict}}


def check(path):
    with open(path, encoding="utf-8") as f:
        trace = json.load(f)
    events, latest, open_until, named = trace["traceEvents"], 0, {}, set()
    for e in events:
        for key, kind in {**COMMON, **OWN[e["ph"]]}.items():  # pieces are X, so no begin lacks its end
            assert isinstance(e[key], kind) and not isinstance(e[key], bool), (path, key, e)
        if e["name"] == "thread_name":
            named.add((e["pid"], e["tid"]))
        if e["ph"] == "M":
            assert latest == 0, (path, "a name behind events", e)
            continue
        assert e["ts"] >= latest >= 0, (path, "not in order", e)
        latest = e["ts"]
        assert (e["pid"], e["tid"]) in named, (path, "on a track without a name", e)
        if e["ph"] == "X":
            begin, end = round(e["ts"] * 1000), round((e["ts"] + e["dur"]) * 1000)
            assert begin <= end, (path, "it ends before it begins", e)
            outer = open_until.setdefault((e["pid"], e["tid"]), [])
            while outer and outer[-1] <= begin:
                outer.pop()
            assert not outer or end <= outer[-1], (path, "neither inside nor apart", e)
            outer.append(end)
    return events


for file in sys.argv[1:]:
    check(file)
late = [(e["tid"] - 2, e["ts"], round(e["dur"])) for e in check("late_out.json") if e["ph"] == "X" and e["tid"] > 4]
assert [p for p in late if p[0] == 3][:2] == [(3, 1e6, 3000050), (3, 4000050, 50)], late
assert [p for p in late if p[0] == 4] == [(4, 1e6, 3000070), (4, 4e6, 50)], late
PYTHON

# A picture of pixels, if Python has what it takes; else one sentence.
if python3 -c 'import matplotlib' 2>/dev/null; then
    mend-timeline report.json -o out.png || fail "no .png"
    head -c 8 out.png | od -An -tx1 | grep -q "89 50 4e 47" || fail "out.png is none"
fi
echo 'raise ImportError' >matplotlib.py
PYTHONPATH=$PWD mend-timeline report.json -o none.png 2>said
[ $? = 1 ] && grep -q "a .png needs matplotlib" said || fail "without matplotlib: $(cat said)"

# A node is switched off: its ranks are lost from then on, and not from when its lease was over.
cat >node.json <<'TEXT'
{"t_ns":0,"event":"start","ranks":4,"host":"a","clock_ns":5000000000}
{"t_ns":1000000000,"event":"inject","rank":2,"what":"node:1@time:1s"}
{"t_ns":1000000000,"event":"inject","rank":3,"what":"node:1@time:1s"}
{"t_ns":2100000000,"event":"death","rank":2,"pid":0,"seen_by":"node","cause":"lost","code":0}
{"t_ns":2100000000,"event":"verdict","rank":2,"number":0}
{"t_ns":2100000000,"event":"death","rank":3,"pid":8,"seen_by":"exit","cause":"signal","code":9}
{"t_ns":2100000000,"event":"verdict","rank":3,"number":1}
{"rank":0,"t_ns":2100100000,"event":"notice","dead":2}
{"t_ns":6000000000,"event":"end","status":0}
TEXT
mend-timeline node.json -o node.trace.json || fail "no trace of a node"
python3 - <<'PYTHON' || fail "see above"
import json

pieces = [(e["name"], e["ts"], round(e["dur"])) for e in json.load(open("node.trace.json"))["traceEvents"] if e["ph"] == "X"]
assert pieces == [("until notice", 1e6, 1100100)], pieces
PYTHON

# A mark of a rank of another node is by the clock of that.
{
    head -n 1 node.json
    echo '{"t_ns":100000000,"event":"node","node":1,"host":"b","clock_ns":900000000000}'
    echo '{"t_ns":100000000,"event":"place","rank":1,"node":1}'
    tail -n +2 node.json
} >clocks.json
echo '{"rank":1,"time_s":902.1,"mark":"running"}' >clocks_marks.json
mend-timeline clocks.json --marks clocks_marks.json -o clocks.trace.json || fail "no trace of two clocks"
python3 - <<'PYTHON' || fail "see above"
import json

pieces = [(e["name"], e["ts"], round(e["dur"])) for e in json.load(open("clocks.trace.json"))["traceEvents"] if e["ph"] == "X"]
assert ("until running", 1e6, 1200000) in pieces, pieces
PYTHON

# A real one.
mpiexec --machines 2 -n 4 --lenient-exit --set LEASE=0.3 --report real.json --inject node:1@time:200ms sleep 1 2>said &&
    mend-timeline real.json -o real.svg || fail "a job that loses a node: $(cat said)"
grep -qi "rank 2 is lost with its node; rank 3 is lost with its node" real.svg || fail "no loss of a node"

# A real job, in which nobody is lost.
mpiexec -n 2 --report quiet.json true && mend-timeline quiet.json -o quiet.svg || fail "a quiet job"
grep -q "No rank was lost" quiet.svg || fail "a quiet job has no loss"

# refused MESSAGE ARGUMENT...
refused()
{
    message=$1
    shift
    mend-timeline "$@" >said 2>&1
    status=$?
    [ $status = 2 ] || fail "status $status: $*"
    grep -qF -- "$message" said || fail "'$message' is not in: $(cat said)"
    ! grep -q Traceback said || fail "$(cat said)"
}

sed 's/"ranks":6/"ranks":2/' report.json >few.json
tail -n +2 report.json >headless.json
{ cat report.json && echo 'rank 3'; } >text.json
{ cat report.json && echo '{"event":"death","rank":1}'; } >timeless.json
{ cat report.json && echo '{"t_ns":1,"event":"death"}'; } >rankless.json
{ cat report.json && echo '{"t_ns":1,"event":"notice","rank":3,"dead":[2]}'; } >deadless.json
{ cat report.json && echo '{"t_ns":1,"event":"safe_point","rank":3}'; } >pointless.json
{ cat report.json && echo '{"t_ns":1e999,"event":"end"}'; } >endless.json
echo '[1]' >list.json
printf '{"\377":1}\n' >bytes.json
: >empty.json
echo '{"rank":0,"time_s":"now","mark":"x"}' >odd_marks.json
sed 's/,"clock_ns":[0-9]*//' report.json >old.json
refused "none.json: No such file" none.json -o x.svg
refused "few.json:2: rank 2 of 2" few.json -o x.svg
refused 'it does not begin with "start"' headless.json -o x.svg
refused "text.json:24: not JSON" text.json -o x.svg
refused 'timeless.json:24: no valid "t_ns"' timeless.json -o x.svg
refused 'rankless.json:24: no valid "rank"' rankless.json -o x.svg
refused 'deadless.json:24: no valid "dead"' deadless.json -o x.svg
refused 'pointless.json:24: no valid "number"' pointless.json -o x.svg
refused 'endless.json:24: no valid "t_ns"' endless.json -o x.svg
refused "list.json:1: not a JSON object" list.json -o x.svg
refused "bytes.json: not text" bytes.json -o x.svg
refused "not a report of mpiexec" empty.json -o x.svg
refused 'odd_marks.json:1: no valid "time_s"' report.json -o x.svg --marks odd_marks.json
refused "does not say when the job began" old.json -o x.svg --marks marks.json
refused "not .svg, .png or .json" report.json -o x.gif
refused "not a list such as 0,4-7" report.json -o x.svg --ranks two
refused "required: -o" report.json
refused "unrecognized arguments: --mark" report.json -o x.svg --mark marks.json
[ ! -e x.svg ] || fail "something was written"
mend-timeline report.json -o /dev/full/x.svg 2>said
[ $? = 1 ] && grep -q "Not a directory" said || fail "a file that cannot be written"
mend-timeline --help | grep -q "Usage: mend-timeline REPORT" || fail "--help"
echo "all timeline checks passed"
