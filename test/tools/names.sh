# SPDX-License-Identifier: BSD-3-Clause
# names.sh – tools/check-names finds what it is there for, and nothing else.
#
# RUN: ; expect "all name checks passed"

checker=check-names
. "$MEND_TEST_ROOT/test/tools/tree.sh"

fresh()
{
    rm -rf tree
    mkdir tree
}

fresh
a src/coll/a.c 'static void open(struct mend_sched *s)'
judged 1 'src/coll/a.c:1: open() is the name of a system call'
fresh
a test/mpi/a.c 'static inline int *recv(int n)'
judged 1 'test/mpi/a.c:1: recv() is the name of a system call'
fresh
a src/coll/a.c '/* static void open(void) */ static int reopen(int fd) { return open(fd); }
static const struct ops ops = {.poll = move_on, .send = give};'
judged 0

fresh
a src/ft/agree_sm.c 'void mend_agree_step(struct mend_agree *x) {}'
a src/decide/tree.c 'static inline int mend_agree_wait(struct mend_comm *c) {}'
judged 1 'mend_agree_ is a word of decide/ as well'
a src/decide/tree.c 'int mend_decide_wait(struct mend_comm *c) { mend_agree_step(c->sm); }
int mend_agree_declared(void);
static int mend_agree_private(void) {}'
judged 0
a src/ft/agree_test.c 'void mend_decide_wait(void) {}'
judged 0

fresh
judged 2
echo "all name checks passed"
