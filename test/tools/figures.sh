# SPDX-License-Identifier: BSD-3-Clause
# figures.sh – tools/figures counts a small tree as it can be counted by hand.
#
# RUN: ; expect "all figures are right"

fail()
{
    echo "wrong: $*"
    exit 1
}

mkdir -p tree/src/low tree/src/high tree/launch tree/test tree/tools
cat >tree/tools/check-layers <<'PYTHON'
import sys
LINES = [["low"], ["not_there"], ["high"]]
EXCEPTIONS = {("low/a.c", "high/b.h"): "why"}
sys.exit(1)
PYTHON
cat >tree/src/low/a.c <<'C'
/* A function of 1 line and one of 4. */
struct flags { bool a, b; int c; bool d : 1; };
static int one(void) { return 1; }
int four(void)
{
    return one();
}
C
printf 'struct other { bool e; };\n\n' >tree/src/high/b.h
printf 'int tested(void) { return 0; }\n' >tree/src/low/a_test.c
printf 'one\ntwo\n' >tree/test/x.py
printf 'no test\n' >tree/test/x.md

"$MEND_TEST_ROOT/tools/figures" tree >table || fail "status $?"
for row in '| lines of source | 9 |' \
    '| `.c` files: number / median / 90 % / largest | 1 / 7 / 7 / 7 |' \
    '| headers: number / median / 90 % / largest | 1 / 2 / 2 / 2 |' \
    '| functions: number / median / 90 % / 99 % / largest | 2 / 1 / 4 / 4 / 4 |' \
    '| lines of tests | 3 |' \
    '| lines of tests per line of source | 0.33 |' \
    '| folders of `src/` / layers / exceptions | 2 / 2 / 1 |' \
    '| flags in structs: all / most in one | 4 / 3 (flags) |'; do
    grep -qxF "$row" table || fail "no row '$row': $(cat table)"
done
echo "all figures are right"
