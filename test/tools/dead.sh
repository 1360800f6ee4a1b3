# SPDX-License-Identifier: BSD-3-Clause
# dead.sh – tools/check-dead finds what it is there for, and nothing else.
#
# RUN: ; expect "all checks for dead code passed"

fail()
{
    echo "wrong: $*"
    exit 1
}

# finds TEXT COMPLAINT: src/a/a.c with that text has the complaint; "" means none
finds()
{
    printf '%b\n' "$1" >dead/src/a/a.c
    "$MEND_TEST_ROOT/tools/check-dead" dead >output 2>&1
    status=$?
    if [ "$2" ]; then
        [ $status = 1 ] || fail "$1: status $status, $(cat output)"
        grep -qF "$2" output || fail "$1: $(cat output)"
    else
        [ $status = 0 ] || fail "$1: $(cat output)"
    fi
}

rm -rf dead
mkdir -p dead/src/a dead/src/base
printf 'int main(void)\n{\n    return mend_used();\n}\n' >dead/src/a/b.c
printf '#include "a/tests.h"\nint main(void)\n{\n    return mend_tested() + mend_inline();\n}\n' >dead/src/a/a_test.c
printf 'static inline int mend_inline(void)\n{\n    return mend_in_header();\n}\n' >dead/src/a/tests.h

finds 'int mend_used(void)\n{\n    return 1;\n}' ''
finds '/* mend_b() */ int mend_used(void);\nint mend_b(int a,\n  int b)\n{\n    return 1;\n}' 'src/a/a.c:2: nobody calls mend_b()'
finds 'int mend_b(void)\n{\n    return mend_b();\n}' 'src/a/a.c:1: nobody calls mend_b()'
finds 'int mend_b(void);\nint mend_b(void)\n{\n    /* mend_b() */\n    return 1;\n}' 'nobody calls mend_b()'
finds 'int mend_tested(void)\n{\n    return 1;\n}' 'nobody calls mend_tested()'
finds 'int mend_in_header(void)\n{\n    return 1;\n}' 'nobody calls mend_in_header()'
finds 'int mend_b(void)\n{\n    return 1;\n}\nint (*const table[])(void) = {\n    mend_b,\n};' ''
finds 'void a_fini(int a)\n{\n    (void)a;\n}' 'src/a/a.c:1: a_fini() does nothing'
finds 'void a_fini(int a)\n{\n    free(a);\n}' ''

printf 'MEND_EVENT_DEF(SET, "set", "is set")\nMEND_EVENT_DEF(UNSET, "unset", "is not")\n' >dead/src/base/event.def
finds 'int mend_used(void)\n{\n    return MEND_EV_SET;\n}' 'src/base/event.def:2: nobody sets MEND_EV_UNSET'
finds 'int mend_used(void)\n{\n    return MEND_EV_SET + MEND_EV_UNSET;\n}' ''

"$MEND_TEST_ROOT/tools/check-dead" "$MEND_TEST_ROOT" >output || fail "$(cat output)"
"$MEND_TEST_ROOT/tools/check-dead" a b >output 2>&1
[ $? = 2 ] || fail "two directories"
mkdir -p empty
"$MEND_TEST_ROOT/tools/check-dead" empty >output 2>&1
[ $? = 2 ] || fail "an empty directory"

echo "all checks for dead code passed"
