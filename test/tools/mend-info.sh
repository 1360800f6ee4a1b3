# SPDX-License-Identifier: BSD-3-Clause
# mend-info.sh – mend-info answers what it is asked and refuses what it does not know.
#
# RUN: ; expect "all mend-info checks passed"

fail()
{
    echo "wrong: $*"
    exit 1
}

mend-info >summary || fail "no summary"
grep -q "^Mend [0-9]" summary || fail "no version"
grep -q "^  EAGER_MAX " summary || fail "no parameters"
mend-info --version | grep -qx "Mend [0-9.]*" || fail "--version"
version=$(mend-info --version | cut -d' ' -f2)
[ "$(mpiexec --version)" = "mpiexec (Mend) $version" ] || fail "mpiexec has another version: $(mpiexec --version)"
others=$(grep -Lx "Version: $version" "$MEND_TEST_STAGE"/lib/pkgconfig/*.pc; grep -Lx "\.Os Mend $version" "$MEND_TEST_STAGE"/share/man/man*/*)
[ -z "$others" ] || fail "of another version: $others"
grep -m1 "^## " "$MEND_TEST_ROOT/CHANGELOG.md" | grep -q "^## $version, 20..-..-..$" || fail "CHANGELOG.md begins with another version"
mend-info --abi | grep -q "^ABI  *1.0" || fail "--abi"
mend-info --transports | grep -q "^  shm " || fail "--transports"
mend-info --transports | grep -q "^Single copy" || fail "single copy"
mend-info --windows | grep -q "^  allocated, shared .*the origin" || fail "--windows"
classes=$(sed -n 's/^#define MEND_RMA_WAY_CLASSES //p' "$MEND_TEST_ROOT/src/rma/trial.h") # the first ends at 2 KiB
if mend-info --transports | grep -A1 "^Single copy" | grep -q "^  permitted"; then
    mend-info --windows | tr -s '\n ' ' ' | grep -q "more than $(((1 << classes) / 1024)) MiB: the origin" ||
        fail "--windows: from which length on nothing is measured"
fi
MEND_RMA_SHM=0 mend-info --windows | grep -q "^  allocated, shared .*the target" || fail "--windows without RMA_SHM"
MEND_SPIN=77 mend-info --params | grep -q "^  SPIN .*set here to 77" || fail "--params and the environment"
for name in STOP_TIMEOUT STOP_GROWTH KILL_REPEAT KILL_TIMEOUT; do
    mend-info --params | grep -q "^  $name  *[0-9].*detector:" || fail "$name of the detector"
done
mend-info --params | grep -q "^  FATAL_SCOPE  *object .*one of: object connected" || fail "words of a parameter"
MEND_FATAL_SCOPE=x mend-info --params | grep -q "set here to x, which is not allowed" || fail "a wrong value"
mend-info --hints | grep -q "^  cb_buffer_size  *4194304 " || fail "--hints"
mend-info --hints | grep -q "^  romio_cb_write  *automatic " || fail "--hints, choices"
mend-info --collectives | grep -q "^  bcast  *shm " || fail "--collectives"
mend-info --collectives | grep -A1 "^  allgather " | grep -q "^  *nodes  *several nodes" || fail "--collectives, nodes"
for pair in $(mend-info --params | tr -s '\n ' ' ' | grep -o 'barrier=shm[^.;]*pairwise'); do
    mend-info --collectives | grep -q "^  ${pair%%=*} " || fail "--collectives, ${pair%%=*}"
    for way in $(echo "${pair#*=}" | tr '|' ' '); do
        mend-info --collectives | sed -n "/^  ${pair%%=*} /,/^  [a-z]/p" | grep -q " $way " || fail "--collectives, $pair, $way"
    done
done
mend-info --events | grep -q "^  init.done " || fail "--events"
[ "$(mend-info --events | grep -c '^  [a-z]')" -ge 20 ] || fail "few events"
mend-info --report | grep -q "^    seen_by  *text " || fail "--report"
mend-info --help | grep -q -- --functions || fail "--help"
[ "$(mend-info -h)" = "$(mend-info --help)" ] || fail "-h"
mend-info --nothing >/dev/null 2>said
[ $? = 2 ] || fail "a wrong option must give status 2"
grep -q "unknown option '--nothing'; mend-info --help" said || fail "a wrong option: $(cat said)"
for wrong in --param -params params --parms; do
    mend-info $wrong >/dev/null 2>said
    [ $? = 2 ] || fail "$wrong: status"
    grep -qx "mend-info: unknown option '$wrong'; did you mean '--params'?" said || fail "$wrong: $(cat said)"
done

# All functions of the standard are exported.
grep -v "^#" "$MEND_TEST_ROOT/test/abi/functions.tsv" | cut -f1 | sort >standard
nm -D --defined-only "$(dirname "$(command -v mend-info)")/../lib/libmpi_abi.so.1" | sed 's/.* //' | sort >exported
built=$(comm -12 standard exported | wc -l)
mend-info --functions | grep -q " $built of $(wc -l <standard) of MPI-5.0" || fail "--functions"
mend-info --functions >/dev/full 2>/dev/null && fail "a full disk is not noticed"
echo "all mend-info checks passed"
