# SPDX-License-Identifier: BSD-3-Clause
# tree.sh – for tests of checkers: a tree with a few files, and what the checker `checker` says of it.
#
# RUN: none

fail()
{
    echo "wrong: $*"
    exit 1
}

# judged STATUS [COMPLAINT]: what the check says of the tree as it stands
judged()
{
    "$MEND_TEST_ROOT/tools/$checker" tree >output 2>&1
    status=$?
    [ $status = "$1" ] || fail "status $status instead of $1: $(cat output)"
    [ ! "$2" ] || grep -qF "$2" output || fail "no '$2': $(cat output)"
}

# a FILE TEXT
a()
{
    mkdir -p "tree/$(dirname "$1")"
    printf '%s\n' "$2" >"tree/$1"
}
