/* SPDX-License-Identifier: BSD-3-Clause */
/* A bad buffer harms only the process that passed it, whichever way the message goes.  The
 * process gets SIGSEGV, as with any access to that memory.  The other side learns of a death, and
 * all other ranks continue.
 *
 *   receive   the buffer of the receive cannot be written at all     half   its second half cannot
 *   read      it can only be read                                    rest   its second half can only be read
 *   send      the buffer of the send is not there
 *
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S3-10: a running process is not suspected
 *
 * RUN: -n 3 ; set SINGLE_COPY=always ; args receive 1000000 ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "rank 1 (pid" ; expect "signal 11" ; plain
 * RUN: -n 3 ; set SINGLE_COPY=always ; args half 1000000 ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "signal 11" ; plain
 * RUN: -n 3 ; set SINGLE_COPY=always ; args read 1000000 ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "signal 11" ; plain
 * RUN: -n 3 ; set SINGLE_COPY=always ; args send 1000000 ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "signal 11" ; plain
 * RUN: -n 3 ; set SINGLE_COPY=never ; args receive 1000000 ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "signal 11" ; plain
 * RUN: -n 3 ; set SINGLE_COPY=never ; args send 1000000 ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "signal 11" ; plain
 * RUN: -n 3 --machines 3 ; args receive 20000000 ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "signal 11" ; plain
 * RUN: -n 3 --machines 3 ; args read 20000000 ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "signal 11" ; plain
 * RUN: -n 3 --machines 3 ; args half 20000000 ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "signal 11" ; plain
 * RUN: -n 3 --machines 3 ; args rest 20000000 ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "signal 11" ; plain
 * RUN: -n 3 --machines 3 ; args send 1000000 ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "signal 11" ; plain
 * RUN: -n 3 --machines 3 ; args send 1000 ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "signal 11" ; plain
 * RUN: -n 3 ; args receive 1000 ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "signal 11" ; plain */
#include "../common.h"

#include <sys/resource.h>

#define W MPI_COMM_WORLD

/* Memory of which the part from `from` on has these rights only. */
static unsigned char *bad(size_t bytes, size_t from, int rights)
{
    unsigned char *p =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK(p != MAP_FAILED);
    memset(p, 1, bytes);
    CHECK_EQ(mprotect(p + from, bytes - from, rights), 0);
    return p;
}

static void do_harm(const char *what, size_t bytes)
{
    int len = (int)bytes;

    if (!strcmp(what, "send"))
        MPI_Send(bad(bytes, 0, PROT_NONE), len, MPI_BYTE, 0, 1, W);
    if (!strcmp(what, "receive"))
        MPI_Recv(bad(bytes, 0, PROT_NONE), len, MPI_BYTE, 0, 1, W, MPI_STATUS_IGNORE);
    if (!strcmp(what, "half") || !strcmp(what, "rest"))
        MPI_Recv(bad(bytes, bytes / 2 & ~(size_t)4095, *what == 'h' ? PROT_NONE : PROT_READ), len,
                 MPI_BYTE, 0, 1, W, MPI_STATUS_IGNORE);
    if (!strcmp(what, "read"))
        MPI_Recv(bad(bytes, 0, PROT_READ), len, MPI_BYTE, 0, 1, W, MPI_STATUS_IGNORE);
    CHECK(!"it got here");
}

int main(int argc, char **argv)
{
    struct rlimit none = {0};
    unsigned char *buf;
    size_t bytes;
    int code;

    setrlimit(RLIMIT_CORE, &none);
    start(&argc, &argv);
    bytes = (size_t)atol(argv[2]);
    buf = malloc(bytes);
    memset(buf, 1, bytes);
    if (rank == 1)
        do_harm(argv[1], bytes);
    if (rank == 0) {
        if (!strcmp(argv[1], "send"))
            code = MPI_Recv(buf, (int)bytes, MPI_BYTE, 1, 1, W, MPI_STATUS_IGNORE);
        else
            code = MPI_Ssend(buf, (int)bytes, MPI_BYTE, 1, 1, W);
        /* a small message is there before its receiver looks at it */
        CHECK(code == MPI_SUCCESS ? bytes < 8192 : class_of(code) == MPI_ERR_PROC_FAILED);
        post(0);
    }
    wait_until_dead(W, 1);
    await(0, 1);
    return finish();
}
