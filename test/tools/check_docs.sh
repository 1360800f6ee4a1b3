# SPDX-License-Identifier: BSD-3-Clause
# check_docs.sh – tools/check-docs finds what it is there for, and nothing else.
#
# RUN: ; expect "all checks of documents passed" ; time 60

fail()
{
    echo "wrong: $*"
    exit 1
}

# put FILE TEXT: a file of the tree that is looked at
put()
{
    mkdir -p "tree/$(dirname "$1")"
    printf "$2\n" >"tree/$1"
}

# finds FILE TEXT COMPLAINT: with this file the tree has the complaint; "" means none
finds()
{
    rm -rf tree
    put src/net/README.md '| `ring.c` | the rings |'
    put src/net/ring.c 'static void pop(void)\n{\n    x = mend_load_acquire(&r->head);\n}'
    put Makefile 'asan tsan: ## sanitizers\n'
    put test/README.md '| `run` | runs |'
    put test/run '#!/usr/bin/env python3\nparser.add_argument("--help")'
    put include/mpi.h "$finds_with"
    put "$1" "$2"
    "$MEND_TEST_ROOT/tools/check-docs" tree >output 2>&1
    status=$?
    if [ "$3" ]; then
        [ $status = 1 ] || fail "$1: $2: status $status"
        grep -qF ": $3" output || fail "$1: $2: $(cat output)"
    else
        [ $status = 0 ] || fail "$1: $2: $(cat output)"
    fi
}

# 1. READMEs
readme=src/net/README.md
finds $readme '| `ring.c` | the rings |' ''
finds $readme 'the rings' 'does not name ring.c'
finds $readme '| `ring.c` `old.c` | the rings |' 'names old.c, which is not in its folder'
finds $readme '| `ring.[ch]` | the rings |' ''
finds src/net/wire.h '' 'does not name wire.h'
finds src/net/shm/wake.h '' 'does not name shm/wake.h'
finds src/net/shm/README.md '' ''
# 2. files
finds doc/a.md 'see `net/ring.c` and ring.c' ''
finds doc/a.md 'see `net/peers.c`' 'there is no net/peers.c'
finds doc/a.md 'see `src/old/`' 'there is no src/old/'
finds src/net/ring.c '/* see proc/driver.c */' 'there is no proc/driver.c'
# 3. functions and members
finds doc/a.md 'then `pop()` in `net/ring.c`, and r->head' ''
finds doc/a.md 'then `push()`' 'there is no push()'
finds doc/a.md '`add_argument()` in `net/ring.c`' 'add_argument() is not in net/ring.c'
finds src/net/ring.c '/* r->tail */' 'nothing has a member tail'
# 4. partners
pair='static void push(void)\n{\n    mend_store_release(&r->head, 1); /* pairs with the %s */\n}\nvoid f(void)\n{\n'
finds src/net/ring.c "$(printf "$pair" 'release in push()')}" ''
finds src/net/ring.c "$(printf "$pair" 'acquire in push()')}" 'pairs with the acquire in push(), where there is none'
finds src/net/ring.c "$(printf "$pair" 'acquire in ring_pop()')}" 'pairs with ring_pop(), which is nowhere defined'
finds src/net/ring.c "$(printf "$pair" "agent's acquire")}" 'no function is named'
# 5. commands
finds doc/a.md '`make tsan`, `test/run --help`' ''
finds doc/a.md '`make msan`' 'make has no target msan'
finds doc/a.md '`test/run --fast`' 'test/run knows no --fast'
finds doc/a.md '```\ntest/walk\n```' 'there is no test/walk'
finds doc/a.md '```\nx\n```\nThe words `a` make it (`b`).' ''
# 6. words
finds doc/a.md 'A process that waits is told, and which rank it was.' ''
finds doc/a.md 'The process who waits is told.' "'process who': write that"
finds doc/man/a.3 'Slowness is no failure.' "'is no failure': write is not a ..."
finds doc/a.md 'It is no teapot.' "'is no teapot': write is not a ..."
finds doc/a.md 'There is no rank 3, and it is no longer there.' ''
finds src/net/ring.c 'say("%s is none of: a, b");' "'is none of': write is not one of"
finds doc/a.md 'There is none of that name.' ''
finds doc/a.md 'Whatever becomes of it.' "'becomes of'"
finds src/net/ring.c 'say("all the living");' "'the living': write survivors"
finds src/net/ring.c 'say("a"); /* the living */' "'the living': write survivors"
finds src/net/ring.c 'int living; /* the_living */' ''
finds src/net/ring.c '/* Who waits sleeps. */' "'/* Who': write a process that"
finds src/net/ring.c '/* It says who waits, and whose data it is. */' ''
finds src/net/ring.c '/* Whichever rank dies, whoever lives. */' "'whoever': write a process that"
finds test/a.sh '# one who waits' "'one who': write that"
finds test/litmus/a.litmus '# src/net/ring.c push()' 'there is no push()'
finds doc/a.md 'A member that cannot take part has said no.' "'said no': write veto"
finds src/net/ring.c '/* ring.c – what the living do. */' "'the living': write survivors"
finds doc/a.md 'It is written twice, but never not at all.' "'never not at all': write at least once"
finds doc/a.md 'Then nothing comes of it.' "'nothing comes of'"
# 7. figures
finds doc/performance.md '## One\non 1234abc\n\n| latency | 1.5 |\n\n## Two\n\n| words | only |' ''
finds doc/performance.md '## One\n\n| latency | 1.5 |' 'figures without the commit'
finds doc/lab/files.md '## One\n\n| latency | 1.5 |' 'figures without the commit'
finds doc/roadmap.md 'What is there.' 'of which commit?'
# A lab note may cite what was there at its commit.
finds doc/lab/a.md 'see `net/gone.c`, `gone()`, `make gone`' ''
finds doc/lab/a.md 'The process who waits is told.' "'process who': write that"
# 8. what is said to be missing
finds include/mpi.h 'int MPI_Send(void);' ''
missing()
{
    finds_with='int MPI_File_open(void);\nint MPI_Comm_spawn(void);\nint MPIX_File_revoke(void);'
    finds doc/a.md "$1" "$2"
    finds_with=
}
missing '| `MPIX_File_revoke` | none | not built |' "'not built', and MPIX_File_revoke is built"
missing '| files | not fault tolerant | not built yet |' "'not built', and files is built"
missing 'Of old.  Mend cannot start\nprocesses yet; it goes on.' "'cannot start processes yet', and start"
missing 'Files are there.  Several machines are not built.' ''
missing '| files | there |\n| several machines | not built |' ''
missing '`MPI_File_close` is not built.' ''
missing 'A file that was not closed, and a message that has not yet come.' ''
rm -rf tree && mkdir tree
"$MEND_TEST_ROOT/tools/check-docs" tree >/dev/null 2>&1
[ $? = 2 ] || fail "a tree without documents must give status 2"
echo "all checks of documents passed"
