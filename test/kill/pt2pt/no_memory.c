/* SPDX-License-Identifier: BSD-3-Clause */
/* A receiver that runs out of memory for messages which it does not want yet (here by its limit on address
 * space) is not ended by that, and nobody is taken for dead: its sender waits, the messages for whose data
 * there was no memory make their receives report MPI_ERR_NO_MEM, and all others arrive unharmed and in order.  There may be none, if
 * the sender hears in time that it is to wait; in kill/memory/messages.c each allocation fails in turn.
 *
 * RUN: -n 2 ; set UNEXPECTED_MAX=0 ; expect "rank 0 ok" ; expect "rank 1 ok" ; plain */
#include "../common.h"

#include <sys/resource.h>

#define BYTES 8000
#define N     8000
#define MORE  (16 * 1024 * 1024)
#define SENT  0   /* slot of the board */
#define LOOKS 100 /* in a row at which the sender sleeps, and has not gone on */

static void limit_memory(void)
{
    struct rlimit limit;
    unsigned long pages;
    FILE *f = fopen("/proc/self/statm", "r");

    CHECK(f && fscanf(f, "%lu", &pages) == 1);
    fclose(f);
    limit.rlim_cur = limit.rlim_max = pages * 4096 + MORE;
    CHECK_EQ(setrlimit(RLIMIT_AS, &limit), 0);
}

static void flood(void)
{
    unsigned char data[BYTES];

    CHECK_EQ(MPI_Send(&(int){getpid()}, 1, MPI_INT, 0, 2, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int i = 0; i < N; i++) {
        fill(data, BYTES, (unsigned)i);
        CHECK_EQ(MPI_Send(data, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD), MPI_SUCCESS);
        post(SENT);
    }
}

static char state_of(int pid)
{
    char path[64], state;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    f = fopen(path, "r");
    CHECK(f && fscanf(f, "%*d %*s %c", &state) == 1);
    fclose(f);
    return state;
}

/* Until the sender waits for a receive: it sleeps, and more room, which each look here makes, does not wake it. */
static void let_it_flood(void)
{
    int pid, flag, sent = 0;

    MPI_Recv(&pid, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int looks = 0; looks < LOOKS; looks++) {
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        if (state_of(pid) != 'S' || posted(SENT) != sent)
            looks = 0;
        sent = posted(SENT);
    }
}

static void drink(void)
{
    static unsigned char data[BYTES];
    int err;

    for (int i = 0; i < N; i++) {
        err = MPI_Recv(data, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (err != MPI_SUCCESS)
            CHECK_CLASS(err, MPI_ERR_NO_MEM);
        else
            CHECK_EQ(wrong(data, BYTES, (unsigned)i), -1);
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (rank == 0) {
        limit_memory();
        let_it_flood();
        drink();
    } else {
        flood();
    }
    return finish();
}
