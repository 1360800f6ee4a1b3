# SPDX-License-Identifier: BSD-3-Clause
# harness.sh – test/run and test/check fail where they must: a harness that cannot fail shows nothing.
#
# RUN: ; expect "all harness checks passed" ; time 180

fail()
{
    echo "wrong: $*"
    exit 1
}

# program NAME RECIPE BODY: a test of one line
program()
{
    printf '/* RUN: %s */\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n' "$2" >"$1.c"
    printf 'int main(int argc, char **argv)\n{\n    %s\n    return 0;\n}\n' "$3" >>"$1.c"
}

harness()
{
    "$MEND_TEST_ROOT/test/run" --build "$MEND_TEST_STAGE/.." "$@"
}

# says NAME COMPLAINT: the output of the last run has it under the line of that test
says()
{
    grep -A3 "^FAIL .*/$1[: ]" output | grep -qF -- "$2" || fail "$1: no '$2' in: $(cat output)"
}

# What must pass.
mkdir -p tests/good tests/bad tests/syntax && cd tests/good || exit 1
program good 'alone ; args 1 2 ; expect "3 words"' 'printf("%d words\n", argc);'
program status 'alone ; exit 3' 'return 3;'
program times "alone ; times 3 ; args $PWD/count" 'fputs("x", fopen(argv[1], "a"));'
printf '/* RUN: alone ;\n *      exit 4\n * RUN: alone ; expect-no "x" ; exit 4 */\nint main(void) { return 4; }\n' >two.c
program cores 'alone ; cores 1 ; exit 1' 'char words[99] = ""; FILE *f = popen("nproc", "r"); return atoi(fgets(words, 99, f));'
program rodata 'alone' 'char f[999]; snprintf(f, sizeof(f), "%s/tsan.rodata.1", getenv("TMPDIR")); fclose(fopen(f, "w"));'
program board "alone ; args /dev/shm/mend-bench-harness-$$" 'fclose(fopen(argv[1], "w"));' # as of a benchmark beside it
program shared "alone ; args /dev/shm/.mend-bench-harness-$$" 'fclose(fopen(argv[1], "w"));' # a pointer that Open MPI's ranks share
printf '/* RUN: -n 1 ; time 200 */\n#include "kill/common.h"\nint main(int argc, char **argv)\n{\n' >watchdog.c
printf 'start(&argc, &argv); CHECK(alarm(0) > 200); MPI_Finalize(); return 0;\n}\n' >>watchdog.c
printf '/* RUN: none */\nthis is not a program\n' >helper.c
harness --long "$PWD" >output 2>&1 || fail "what must pass: $(cat output)"
rm "/dev/shm/mend-bench-harness-$$" "/dev/shm/.mend-bench-harness-$$"
grep -qx "10 passed, 0 failed" output || fail "not ten: $(cat output)"
[ "$(cat count)" = xxx ] || fail "not run three times"

# Repeats are done in turn: each day a third of them, in three days all; a failure names the day.
mkdir ../turns && cd ../turns || exit 1
program turn "alone ; times 7 ; args $PWD/turns {n}" 'fprintf(fopen(argv[1], "a"), "%s\n", argv[2]); return argv[2][0] == 0x33;'
for day in 20786 20787 20788; do
    rm -f turns
    harness --day $day "$PWD" >output 2>&1
    [ "$(wc -l <turns)" = 3 ] || grep -qx 3 turns || fail "not a third: $(cat turns)"
    ! grep -qx 3 turns || says turn.c "of the runs of test/run --day $day"
    cat turns >>all
done
[ "$(sort -u all)" = "$(seq 0 6)" ] || [ "$(grep -c 3 all)" -gt 0 ] || fail "not all in three days: $(cat all)"

# A script takes a third of its places, and --by-turns a third of the recipes of each file; three days take all, --long too.
mkdir ../places && cd ../places || exit 1
{
    echo '# RUN: a ; expect "its turn of all 7 places"'
    echo '# RUN: b ; expect "its turn of all 7 places"'
    echo '. "$MEND_TEST_ROOT/test/kill/turns.sh"; n=0'
    echo 'for i in 1 2 3 4 5 6 7; do ! is_its_turn || { n=$((n + 1)); echo "$1 $i" >>'"$PWD/taken; }; done; say_places \$n"
} >places.sh
for day in 20786 20787 20788; do
    harness --day $day "$PWD" >output 2>&1 || fail "places: $(cat output)"
    [ "$(wc -l <taken)" -le 6 ] || fail "not a third: $(cat taken)"
    cat taken >>all
    rm taken
done
[ "$(sort all)" = "$(for i in a b; do seq -f "$i %g" 7; done)" ] || fail "not once in three days: $(cat all)"
harness --long "$PWD" >output 2>&1 || fail "all places: $(cat output)"
[ "$(sort taken)" = "$(sort all)" ] || fail "--long has not taken all: $(cat taken)"
for day in 20786 20787 20788; do
    harness --day $day --by-turns --list "$PWD" ../turns >>list # a day may have none
done
[ "$(sort -u list | wc -l)" = 3 ] && [ "$(wc -l <list)" = 3 ] || fail "not by turns: $(cat list)"

# Of a file of by_turns.tsv each day has the first recipe, and three days have all; alone it is whole.
costly=kill/coll/s0_27_matrix.c
for day in 20786 20787 20788; do
    harness --day $day --list kill/coll | grep "^$costly" >of_day
    grep -qF "$(harness --list $costly | sed -n 1p)" of_day || fail "not the first: $(cat of_day)"
    [ "$(wc -l <of_day)" -le $(($(harness --list $costly | wc -l) / 3 + 2)) ] || fail "not a third: $(cat of_day)"
    cat of_day >>costly
done
[ "$(sort -u costly)" = "$(harness --list $costly | sort)" ] || fail "not all of $costly in three days"
[ "$(harness --long --list kill/coll | grep -c "^$costly")" = "$(harness --list $costly | wc -l)" ] || fail "--long has not all"

# What must fail, each for its own reason.
cd ../bad || exit 1
program status 'alone' 'return 3;'
program crash 'alone' 'abort();'
program missing 'alone ; expect "something"' 'puts("nothing");'
program unwanted 'alone ; expect-no "nothing"' 'puts("nothing");'
program process 'alone' 'if (!fork()) { setsid(); sleep(30); }'
program file 'alone' 'char f[999]; snprintf(f, sizeof(f), "%s/x", getenv("TMPDIR")); fclose(fopen(f, "w"));'
program sanitizer 'alone' 'puts("==1==ERROR: AddressSanitizer: x");'
program broken 'alone' 'this is not C'
program hang 'alone ; time 0.1' 'for (;;) pause();'
harness "$PWD" >output 2>&1
[ $? = 1 ] || fail "the status of a run that failed"
grep -qx "0 passed, 9 failed" output || fail "not nine: $(cat output)"
says status.c "exit status 3, expected 0"
says crash.c "exit status 134"
says missing.c '"something" is missing'
says unwanted.c '"nothing" must not be there'
says process.c "was left behind"
says file.c "was left behind"
says sanitizer.c "Sanitizer"
says broken.c "does not compile"
says hang.c "still running"

# test/check ends with the names of all tests that failed, also of a step that failed without naming one, and the sum.
python3 - "$MEND_TEST_ROOT" "$MEND_TEST_STAGE/.." "$PWD" >output <<'END'
import runpy, sys
root, build, folder = sys.argv[1:]
check = runpy.run_path(root + "/test/check")
kill = check["counted"]([sys.executable, root + "/test/run", "--build", build, folder])
check["conclude"]([("kill", kill, 1.0), ("soak", check["counted"](["false"]), 1.0)])
END
tail -12 output >end
[ "$(head -1 end)" = failed: ] || fail "not the end of test/check: $(cat output)"
[ "$(grep -c "^  kill: .*/bad/.*\.c: alone" end)" = 9 ] || fail "not the nine names: $(cat end)"
grep -qx "  soak: false" end || fail "a step that names nothing: $(cat end)"
[ "$(tail -1 end)" = "0 passed, 10 failed" ] || fail "not the sum: $(cat end)"

# A step that runs beside another one counts, with its names, whether it passes, fails or does not run at all.
python3 - "$MEND_TEST_ROOT" "$MEND_TEST_STAGE/.." "$PWD" >output <<'END'
import argparse, runpy, sys
root, build, folder = sys.argv[1:]
check = runpy.run_path(root + "/test/check")
for where, step in (build, "symbols"), (folder, "symbols"), (build, "no-such-step"):
    said, found, _ = check["run_apart"](argparse.Namespace(build=where, day=20786, long=False), step)
    print(step, found.passed, found.failed, len(found.names), "==" in said)
END
printf 'symbols 1 0 0 False\nsymbols 0 1 1 False\nno-such-step 0 1 0 False\n' | cmp - output || fail "steps apart: $(cat output)"

# What is injected must happen, also where another status than 0 is expected.
mkdir ../injected && cd ../injected || exit 1
barrier()
{
    printf '/* RUN: %s */\n#include <mpi.h>\nint main(int argc, char **argv)\n{\n' "$2" >"$1.c"
    printf 'MPI_Init(&argc, &argv);\nMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);\n' >>"$1.c"
    printf 'MPI_Barrier(MPI_COMM_WORLD);\n%s\nMPI_Finalize();\nreturn %s;\n}\n' "$4" "${3:-0}" >>"$1.c"
}
barrier missed '-n 2 ; kill 1 at coll.enter#2'
barrier status '-n 2 ; kill 1 at coll.enter#2 ; exit 3' 3
barrier unreached '-n 2 ; reach 0 at coll.enter#2'
barrier none '-n 3 ; kill 0,2 at coll.enter#2'
barrier killed '-n 2 ; kill 1 at coll.enter'
# Rank 2 never gets there.  Nobody is told of the death, so the job's status is that of rank 0.
barrier one '-n 3 ; kill 0,2 at call:MPI_Comm_size ; exit 137' 0 \
    'int r; MPI_Comm_rank(MPI_COMM_WORLD, &r); if (r == 0) MPI_Comm_size(MPI_COMM_WORLD, &r);'
barrier reached '-n 2 ; reach 0,1 at coll.enter'
barrier chance '-n 2 ; kill 1 at coll.enter#2?'
harness "$PWD" >output 2>&1
grep -qx "4 passed, 4 failed" output || fail "injections: $(cat output)"
says missed.c "kill:1@coll.enter#2 never happened"
says status.c "kill:1@coll.enter#2 never happened"
says none.c "of the ranks 0, 2 none was killed"
says unreached.c "note:0@coll.enter#2 never happened"

# Recipes that cannot be read.
cd ../syntax || exit 1
for recipe in 'alone ; kill 2' 'alone ; kil 2 at x' 'alone ; expect a b' 'alone ; expect "a' 'alone ; time x' \
    'alone ; exit' 'alone ; set X' 'alone ;; exit 1' 'alone ; kill two at x'; do
    program syntax "$recipe" ';'
    harness --list "$PWD/syntax.c" >output 2>&1
    [ $? = 2 ] || fail "the recipe '$recipe' was accepted"
    grep -qF "syntax.c: RUN:" output || fail "'$recipe': $(cat output)"
done
printf '/* no recipe */\nint main(void) { return 0; }\n' >none.c
harness --list "$PWD/none.c" 2>&1 | grep -q "no recipe" || fail "a test without a recipe was accepted"
harness --list "$PWD/../good/helper.c" >output 2>&1
[ $? = 2 ] || fail "a run of nothing must not succeed"

# Interrupted, it takes what it runs with it.
program endless "alone ; args $PWD/pid" \
    'FILE *f = fopen(argv[1], "w"); fprintf(f, "%d\n", (int)getpid()); fclose(f); for (;;) pause();'
"$MEND_TEST_ROOT/test/run" --build "$MEND_TEST_STAGE/.." "$PWD/endless.c" >output 2>&1 &
harness=$!
until [ -s pid ]; do
    kill -0 $harness 2>/dev/null || fail "the harness has ended: $(cat output)"
    sleep 0.05
done
kill $harness
wait $harness
[ $? = 143 ] || fail "a harness that is killed must not succeed"
until ! kill -0 "$(cat pid)" 2>/dev/null; do
    sleep 0.05 # endless, if the program goes on: the watchdog of this test says so
done

cd ..
rm -rf "$MEND_TEST_STAGE/../test$PWD"
echo "all harness checks passed"
