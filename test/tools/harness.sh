# SPDX-License-Identifier: BSD-3-Clause
# harness.sh – test/run fails where it must: a harness that cannot fail shows nothing.
#
# RUN: ; expect "all harness checks passed" ; time 120

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

# run NAME STATUS TEXT: the harness ends with this status and prints this
run()
{
    "$MEND_TEST_ROOT/test/run" --build "$MEND_TEST_STAGE/.." "$PWD/$1" >output 2>&1
    status=$?
    [ $status = "$2" ] || fail "$1: status $status, not $2: $(cat output)"
    grep -qF -- "$3" output || fail "$1: no '$3' in: $(cat output)"
}

mkdir tests && cd tests || exit 1
program good 'alone ; args 1 2 ; expect "3 words"' 'printf("%d words\n", argc);'
run good.c 0 "1 passed, 0 failed"
program status 'alone' 'return 3;'
run status.c 1 "exit status 3, expected 0"
program status_ok 'alone ; exit 3' 'return 3;'
run status_ok.c 0 "1 passed, 0 failed"
program crash 'alone' 'abort();'
run crash.c 1 "exit status 134"
program missing 'alone ; expect "something"' 'puts("nothing");'
run missing.c 1 '"something" is missing'
program unwanted 'alone ; expect-no "nothing"' 'puts("nothing");'
run unwanted.c 1 '"nothing" must not be there'
program process 'alone' 'if (!fork()) { setsid(); sleep(30); }'
run process.c 1 "was left behind"
program file 'alone' 'char f[999]; snprintf(f, sizeof(f), "%s/x", getenv("TMPDIR")); fclose(fopen(f, "w"));'
run file.c 1 "was left behind"
program sanitizer 'alone' 'puts("==1==ERROR: AddressSanitizer: x");'
run sanitizer.c 1 "Sanitizer"
program times "alone ; times 3 ; args $PWD/count" 'fputs("x", fopen(argv[1], "a"));'
run times.c 0 "1 passed, 0 failed"
[ "$(cat count)" = xxx ] || fail "not run three times"
program broken 'alone' 'this is no C'
run broken.c 1 "does not compile"
program hang 'alone ; time 0.1' 'for (;;) pause();'
run hang.c 1 "still running"

for recipe in 'alone ; kill 2' 'alone ; kil 2 at x' 'alone ; expect a b' 'alone ; expect "a' 'alone ; time x' \
    'alone ; exit' 'alone ; set X' 'alone ;; exit 1' 'alone ; kill two at x'; do
    program syntax "$recipe" ';'
    run syntax.c 2 "syntax.c: RUN:"
done
printf '/* no recipe */\nint main(void) { return 0; }\n' >none.c
run none.c 2 "no recipe"
printf '/* RUN: none */\n' >helper.c
run helper.c 2 "no recipe matches"
printf '/* RUN: alone ;\n *      exit 4\n * RUN: alone ; exit 5 */\nint main(void) { return 4; }\n' >two.c
run two.c 1 "1 passed, 1 failed"
rm -rf "$MEND_TEST_STAGE/../test$PWD"
echo "all harness checks passed"
