/* SPDX-License-Identifier: BSD-3-Clause */
/* A receiver that runs out of memory for messages which it does not want yet (here by its limit on address
 * space) is not ended by that, and nobody is taken for dead: its senders wait, the messages for whose data
 * there was no memory make their receives report MPI_ERR_NO_MEM, and all others arrive unharmed and in order.  There may be
 * none, if the senders hear in time that they are to wait; in kill/memory/messages.c each allocation fails in turn.
 *
 * "full": the receiver looks only while every sender has filled its ring, so that as many messages as possible come
 * after it has told them to wait; and what it has received is memory for what comes next.
 *
 * RUN: -n 2 ; set UNEXPECTED_MAX=0 ; expect "rank 0 ok" ; expect "rank 1 ok" ; plain
 * RUN: -n 2 ; args full ; set UNEXPECTED_MAX=0 ; expect "rank 0 ok" ; expect "rank 1 ok" ; plain ; time 120
 * RUN: -n 6 ; args full ; set UNEXPECTED_MAX=0 ; expect "rank 0 ok" ; expect "rank 5 ok" ; plain ; time 60 */
#include "../common.h"

#include <sys/resource.h>

#define BYTES_MAX 8000
#define MORE      (16 * 1024 * 1024)
#define LOOKS     100 /* in a row at which the senders sleep, and have not gone on */
#define STILL     10  /* looks in a row, 0.1 ms apart */
#define DRINK     100 /* messages that are received between two looks at the senders */

static int n; /* messages of each sender */
static size_t bytes;
static int pids[16];
static bool full;

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
    unsigned char data[BYTES_MAX];

    CHECK_EQ(MPI_Send(&(int){getpid()}, 1, MPI_INT, 0, 2, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int i = 0; i < n; i++) {
        fill(data, bytes, (unsigned)(rank + i));
        CHECK_EQ(MPI_Send(data, (int)bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD), MPI_SUCCESS);
        post(rank);
    }
    post(rank); /* all are sent */
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

/* Each sender sleeps, or has sent all. */
static bool all_wait(void)
{
    for (int i = 1; i < size; i++)
        if (posted(i) <= n && state_of(pids[i]) != 'S')
            return false;
    return true;
}

static int sent_by_all(void)
{
    int sent = 0;

    for (int i = 1; i < size; i++)
        sent += posted(i);
    return sent;
}

/* A sender whose ring is full looks again and again, so that it does not sleep: a while without another message will do. */
static void let_them_fill(void)
{
    for (int i = 0, sent = 0; full && i < STILL; i++) {
        usleep(100);
        if (sent_by_all() != sent)
            i = 0;
        sent = sent_by_all();
    }
}

/* Until the senders wait for a receive: they sleep, and more room, which each look here makes, does not wake them. */
static void let_them_flood(void)
{
    int flag, sent = 0;

    for (int i = 1; i < size; i++)
        MPI_Recv(&pids[i], 1, MPI_INT, i, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int looks = 0; looks < LOOKS; looks++) {
        let_them_fill();
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        if (!all_wait() || sent_by_all() != sent)
            looks = 0;
        sent = sent_by_all();
    }
}

static void drink(void)
{
    static unsigned char data[BYTES_MAX];
    int err, lost = 0;

    for (int i = 0; i < n; i++) {
        for (int from = 1; from < size; from++) {
            if ((i * (size - 1) + from) % DRINK == 0)
                let_them_fill();
            err = MPI_Recv(data, (int)bytes, MPI_BYTE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (err != MPI_SUCCESS)
                CHECK_CLASS(err, MPI_ERR_NO_MEM);
            else
                CHECK_EQ(wrong(data, bytes, (unsigned)(from + i)), -1);
            lost += err != MPI_SUCCESS;
        }
    }
    printf("%d of %d lost\n", lost, n * (size - 1));
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    full = argc > 1;
    bytes = full ? 100 : BYTES_MAX; /* a ring holds many */
    n = (full ? 75000 : 8000) / (size - 1);
    if (rank == 0) {
        limit_memory();
        let_them_flood();
        drink();
    } else {
        flood();
    }
    return finish();
}
