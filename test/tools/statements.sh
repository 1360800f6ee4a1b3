# SPDX-License-Identifier: BSD-3-Clause
# statements.sh – tools/check-statements finds tests that do not state their statements in words, and --write puts
# the lines in.
#
# RUN: ; expect "all statement checks passed"

checker=check-statements
. "$MEND_TEST_ROOT/test/tools/tree.sh"

one=S0 last=S5
recipe='RU''N:'
mkdir tree
judged 2
a doc/statements.tsv "$one-1	M	It is bounded.	it ends
$one-2	M	It is complete.
$last-22	M	It is kept.	it stays"
judged 0

a test/mpi/a.c "/* A call ($one-1). */"
judged 1 "not stated in words: $one-1: it ends"
a test/mpi/a.c "/* A call.
 *
 *   $one-1: it ends */"
judged 0
a test/mpi/a.c "/* A call.
 *
 *   $one-1: it lasts */"
judged 1 "$one-1 says: it ends"
a test/mpi/a.c "/* A call.
 *
 *   $one-1: it ends
 *   $one-1: it ends */"
judged 1 "$one-1 is stated twice"
a test/mpi/a.c "/* A call ($one-2). */"
judged 1 "no short form of $one-2"
a test/mpi/a.c "/* A call ($one-1..2). */"
judged 1 "not stated in words: $one-1: it ends"
a test/mpi/a.c "/* A call ($last-21..22). */"
judged 1 "not stated in words: $last-22: it stays"
rm tree/test/mpi/a.c
a test/kill/s5_22_name.sh '# A call.'
judged 1 "not stated in words: $last-22: it stays"
rm tree/test/kill/s5_22_name.sh
a test/kill/s0_01_name.sh '# A call.'
judged 1 "not stated in words: $one-1: it ends"

a test/mpi/a.c "/* SPDX-License-Identifier: BSD-3-Clause */
/* A call ($one-1).
 *
 * $recipe -n 2 */
int main(void);"
a test/mpi/b.c "/* SPDX-License-Identifier: BSD-3-Clause */
/* A call ($one-1). */
/* $recipe -n 2 */"
"$MEND_TEST_ROOT/tools/check-statements" --write tree >output || fail "--write: $(cat output)"
judged 0
grep -qx " \*   $one-1: it ends" tree/test/mpi/a.c || fail "$(cat tree/test/mpi/a.c)"
grep -qx " \*   $one-1: it ends \*/" tree/test/mpi/b.c || fail "$(cat tree/test/mpi/b.c)"
grep -qx "#   $one-1: it ends" tree/test/kill/s0_01_name.sh || fail "$(cat tree/test/kill/s0_01_name.sh)"
cp -r tree before
"$MEND_TEST_ROOT/tools/check-statements" --write tree >output || fail "again: $(cat output)"
diff -r before tree || fail "a second --write changes what the first has written"
echo "all statement checks passed"
