# SPDX-License-Identifier: BSD-3-Clause
# pictures.sh – the pictures of benchmarks, soak and scaling are drawn, and show what they were given.
#
# They need matplotlib, which the targets that draw them install (tools/install-deps plot); where it is not, this
# shows only that install-deps names it.
#
# RUN: ; expect "all picture checks passed" ; time 60

fail()
{
    echo "wrong: $*"
    exit 1
}

if ! /usr/bin/python3 -c 'import matplotlib' 2>/dev/null; then
    "$MEND_TEST_ROOT/tools/install-deps" -n plot | grep -q python3-matplotlib || fail "install-deps does not name it"
    echo "matplotlib is not here: no picture was drawn"
    echo "all picture checks passed"
    exit
fi
[ -z "$("$MEND_TEST_ROOT/tools/install-deps" -n plot)" ] || fail "install-deps wants what is there"

cat >results.json <<'TEXT'
{"about": {"cpu": "a cpu", "cores": 2, "date": "today"}, "rows": [
 {"title": "latency & more", "against": "peers", "more": false, "limit": 1, "target": "1", "ratio": 0.5, "met": true,
  "applies": true, "noisy": false, "figures": {"mend": {"value": 1}, "mpich": {"value": 2}, "openmpi": null}},
 {"title": "a death", "against": "limit", "more": false, "limit": 4, "target": "4", "ratio": null, "met": false,
  "applies": true, "noisy": true, "figures": {"mend": {"value": 6}}},
 {"title": "nothing", "against": "peers", "more": false, "limit": 1, "target": "1", "ratio": null, "met": false,
  "applies": true, "noisy": false, "figures": {"mend": null}}]}
TEXT
"$MEND_TEST_ROOT/test/bench/plot.py" results.json bench.svg || fail "bench/plot.py"
head='cycle,rank,own_kib,bytes,contexts,fds,parked,segment_kib,shared_kib,launcher_kib,launcher_fds'
{
    echo $head
    for cycle in 100 200 300; do
        for rank in 0 1 2 3; do
            echo "$cycle,$rank,9$rank,8,7,6,5,4,3,,"
        done
        echo "$cycle,,,,,,,,,2,1"
    done
} >soak.csv
"$MEND_TEST_ROOT/test/soak/plot.py" soak.csv soak.svg || fail "soak/plot.py"
/usr/bin/python3 -B - "$MEND_TEST_ROOT" <<'PYTHON' || fail "see above"
import sys
import xml.etree.ElementTree as xml

sys.path.insert(0, sys.argv[1] + "/test/sim")
import scaling

scaling.draw({(what, n): (n / 10, 1, 1) for what, _ in scaling.CURVES for n in (2, 8, 64)}, "scaling.svg")
scaling.draw_leases({"leases": {(n, radix): (40, 20, n) for n in (100, 300) for radix in (2, 32)},
                     "words": {(n, 32, victim): n + victim for n in (100, 300) for victim in (0, 1, n - 1)}}, "leases.svg")
for name, words in [("bench.svg", ["latency & more", "0.50", "1.50 !", "no figure", "MPICH"]),
                    ("soak.svg", ["communicators, lingering ones too", "descriptors of mpiexec"]),
                    ("scaling.svg", ["relative to an allreduce of 8 bytes", "children die"]),
                    ("leases.svg", ["radix 2", "radix 32: a leaf", "radix 32: an inner node"])]:
    said = [(t.text or "").strip() for t in xml.parse(name).iter("{http://www.w3.org/2000/svg}text")]
    assert not set(words) - set(said), (name, words, said)
PYTHON
"$MEND_TEST_ROOT/test/soak/plot.py" soak.csv again.svg && cmp soak.svg again.svg || fail "not the same twice"
echo "all picture checks passed"
