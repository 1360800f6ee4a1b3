# SPDX-License-Identifier: BSD-3-Clause
# commits.sh – tools/check-commits finds what it is there for, and nothing else.
#
# RUN: ; expect "all commit checks passed"

fail()
{
    echo "wrong: $*"
    exit 1
}

check="$MEND_TEST_ROOT/tools/check-commits -C tree"
body=$(printf 'Problem: it hangs.\n\nEnd it.\n\nTest: test/a.c.')

mkdir -p "$PWD/home" && export HOME="$PWD/home" GIT_CONFIG_NOSYSTEM=1
rm -rf tree && mkdir tree
$check >output && grep -q "no repository" output || fail "without a repository"
git -C tree init -q || fail "no git"
git -C tree config user.name a
git -C tree config user.email a@example.org

# commit SUBJECT BODY [DATE]
commit()
{
    printf '%s\n\n%s\n' "$1" "$2" | GIT_AUTHOR_DATE=${3-2030-01-01T00:00:00Z} git -C tree commit -q --allow-empty -F - ||
        fail "git commit"
}

# judged SUBJECT BODY COMPLAINT: what the check says of that commit; "": nothing
judged()
{
    commit "$1" "$2"
    $check HEAD~1.. >output 2>&1
    status=$?
    [ $status = "${3:+1}" ] || [ "$status${3:+x}" = 0 ] || fail "status $status for '$1': $(cat output)"
    [ ! "$3" ] || grep -qF "$3" output || fail "no '$3' for '$1': $(cat output)"
}

commit "what an old commit may say" "" 2020-01-01T00:00:00Z
$check >output || fail "an old commit counts: $(cat output)"
judged "coll: end a bcast below a dead parent" "$body" ""
judged "rma, test: process what a peer sends" "$body" ""
judged "mpi: need no lock" "$body" ""
$check >output || fail "good ones: $(cat output)"
judged "End a bcast" "$body" "names no area"
judged "coll: a bcast ends" "$body" "not in the imperative: 'a'"
judged "coll: ends a bcast" "$body" "not in the imperative: 'ends'"
judged "coll: ended the bcast" "$body" "not in the imperative: 'ended'"
judged "coll: windows, and their locks" "$body" "not in the imperative: 'windows,'"
judged "coll: end a bcast." "$body" "full stop"
judged "coll: end a bcast that has a parent that is dead, and many words, too, here" "$body" "the subject has 75 characters"
judged "coll: end a bcast" "It hangs." 'does not begin with "Problem:"'
judged "coll: end a bcast" "Problem: it hangs." 'has no "Test:"'
judged "coll: end a bcast" "" 'does not begin with "Problem:"'
$check >output && fail "the bad ones were not looked at"
$check nowhere.. >output 2>&1
[ $? = 2 ] || fail "a range that does not exist"
echo "all commit checks passed"
