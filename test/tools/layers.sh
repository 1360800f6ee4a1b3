# SPDX-License-Identifier: BSD-3-Clause
# layers.sh – tools/check-layers finds what it is there for, and nothing else.
#
# RUN: ; expect "all layer checks passed"

fail()
{
    echo "wrong: $*"
    exit 1
}

# finds FILE TEXT COMPLAINT: a tree whose only file this is has the complaint; "" means none
finds()
{
    rm -rf tree
    mkdir -p "tree/$(dirname "$1")"
    printf '%s\n' "$2" >"tree/$1"
    "$MEND_TEST_ROOT/tools/check-layers" tree >output 2>&1
    status=$?
    if [ "$3" ]; then
        [ $status = 1 ] || fail "$1: status $status"
        grep -qF "$1:1: $3" output || fail "$1: $2: $(cat output)"
    else
        [ $status = 0 ] || fail "$1: $2: $(cat output)"
    fi
}

finds src/base/a.c '#include "mpi/check.h"' '#include "mpi/check.h": mpi/ stands above base/'
finds src/net/a.c '#include "rt/rt.h"' '#include "rt/rt.h": net/ and rt/ stand on one line'
finds src/ft/a.h '#include "base/atomic.h"' '#include "base/atomic.h": ft/ is pure'
finds src/node/a.h '#include "base/atomic.h"' ''
finds src/coll/a.c '#include "create/create.h"' '#include "create/create.h"'
finds src/base/a.c '#include "list.h"' ''
finds src/mpi/a.c '#include "base/list.h"' ''
finds src/base/a.c '#include "proc/proc.h"' ''
finds src/new/a.c '' 'the folder is not in the picture'
finds launch/a.c '#include "comm/comm.h"' '#include "comm/comm.h"'
finds launch/a.c '#include "rt/wire.h"' ''
finds src/p2p/a.c 'void f(void) { usleep(3); }' 'usleep() can block'
finds src/p2p/a.c 'void f(void) { x = poll(fds, 1, -1); }' 'poll() can block'
finds src/p2p/a.c 'void f(void) { n = mend_pass_take(s, b, 8, &fd, 1, 0); }' 'mend_pass_take() can block'
finds src/p2p/a.c 'void f(void) { syscall(SYS_futex, p, FUTEX_WAIT, 1); }' 'a futex wait blocks'
finds src/p2p/a.c 'void f(void) { self->bell->sleep(self); }' 'only req/wait.c may let a transport sleep'
finds src/req/wait.c 'void f(void) { self->bell->sleep(self); usleep(1); }' ''
finds src/p2p/a.c '/* usleep(3) */ const char *s = "poll(3)"; int y = self->net->poll(self, 0);' ''
finds src/p2p/a.h "$(seq 279)" ''
finds src/p2p/a.h "$(seq 280)" '280 lines'
finds test/kill/a.h "$(seq 300)" '300 lines'
finds sim/a.h "$(seq 281)" '281 lines'
finds src/p2p/a.c "$(seq 280)" ''

# circle FILES: in launch/agent/ each of these calls the next one, and the last one the first
circle()
{
    rm -rf tree
    mkdir -p tree/launch/agent
    next=$1
    for file in $(printf '%s\n' "$@" | tac); do
        printf 'int mend_%s_do(void)\n{\n    return mend_%s_do();\n}\n' $file $next >tree/launch/agent/$file.c
        next=$file
    done
    "$MEND_TEST_ROOT/tools/check-layers" tree >output 2>&1
}

circle a b c || fail "a circle of three files: $(cat output)"
circle a b c d && fail "a circle of four files"
grep -qF 'launch/agent/a.c:1: 4 files call each other in a circle: a.c b.c c.c d.c' output || fail "$(cat output)"
echo 'static int mend_a_do(void) { return 0; }' >tree/launch/agent/a.c
"$MEND_TEST_ROOT/tools/check-layers" tree >output || fail "a function of the file itself: $(cat output)"
mkdir tree/include
seq 400 >tree/include/mpi.h
"$MEND_TEST_ROOT/tools/check-layers" tree >output || fail "a public header is as long as it must be: $(cat output)"
"$MEND_TEST_ROOT/tools/check-layers" nowhere >/dev/null 2>&1
[ $? = 2 ] || fail "a tree without sources must give status 2"
echo "all layer checks passed"
