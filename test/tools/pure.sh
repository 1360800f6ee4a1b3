# SPDX-License-Identifier: BSD-3-Clause
# pure.sh – tools/check-pure finds what it is there for, and nothing else.
#
# RUN: ; expect "all purity checks passed"

fail()
{
    echo "wrong: $*"
    exit 1
}

# finds TEXT COMPLAINT: a build in which x_sm.c is this has the complaint; "" means none
finds()
{
    looks_at "int mend_x_step(void) { return 0; } $1" "$2"
}

# looks_at TEXT COMPLAINT: the same for all of x_sm.c
looks_at()
{
    rm -rf pure
    mkdir -p pure/src/ft/libft.a.p
    printf 'int mend_agree_step(void) { return 1; } int mend_other(void) { return 1; }\n' >pure/agree_sm.c
    printf '%s\n' "$1" >pure/x_sm.c
    "${CC:-cc}" -fPIC -c pure/agree_sm.c -o pure/src/ft/libft.a.p/agree_sm.c.o || fail "cc"
    "${CC:-cc}" -fPIC -c pure/x_sm.c -o pure/x_sm.c.o || fail "cc: $1"
    "$MEND_TEST_ROOT/tools/check-pure" pure >output 2>&1
    status=$?
    if [ "$2" ]; then
        [ $status = 1 ] || fail "$1: status $status"
        grep -qF "pure/x_sm.c.o: $2" output || fail "$1: $(cat output)"
    else
        [ $status = 0 ] || fail "$1: $(cat output)"
    fi
}

finds 'void *f(void *p, void *q) { return __builtin_memcpy(p, q, 1000); }' ''
finds 'int mend_other(void); int f(void) { return mend_other(); }' ''
finds 'static const char *const names[] = {"a", "b"}; const char *f(int i) { return names[i]; }' ''
finds 'void *malloc(unsigned long); void *f(void) { return malloc(1); }' 'calls malloc'
finds 'int printf(const char *, ...); void f(void) { printf("x%d", 1); }' 'calls printf'
finds 'long time(long *); long f(void) { return time(0); }' 'calls time'
finds 'static int n; int f(void) { return n++; }' 'n can change'
finds 'int n = 3;' 'n can change'
looks_at 'int mend_x_status(int n) { return n; }' 'is not a state machine'

mkdir -p empty
"$MEND_TEST_ROOT/tools/check-pure" empty >output 2>&1
[ $? = 2 ] || fail "a build without protocols: $(cat output)"

echo "all purity checks passed"
