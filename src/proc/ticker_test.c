/* SPDX-License-Identifier: BSD-3-Clause */
/* A process has a ticker from the first whole slice that a waiting thread misses while there are other threads; the
 * ticker runs none of the program's handlers, sleeps after a while, and ends with MPI. */
#include "proc/ticker.h"

#include "base/test.h"
#include "base/time.h"

#include <dirent.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static sem_t end;

static void *be_there(void *arg)
{
    sem_wait(&end);
    return arg;
}

/* The threads of this process; *newest: the one with the largest number. */
static int threads_n(int *newest)
{
    DIR *d = opendir("/proc/self/task");
    struct dirent *e;
    int n = 0;

    *newest = 0;
    while ((e = readdir(d))) {
        int id = atoi(e->d_name);

        n += id > 0;
        *newest = id > *newest ? id : *newest;
    }
    closedir(d);
    return n;
}

static unsigned long status_of(int thread, const char *name, int base)
{
    char path[64], line[256];
    unsigned long value = 0;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/self/task/%d/status", thread);
    f = fopen(path, "r");
    while (f && fgets(line, sizeof(line), f))
        if (strncmp(line, name, strlen(name)) == 0)
            value = strtoul(line + strlen(name), NULL, base);
    if (f)
        fclose(f);
    return value;
}

static unsigned long sleeps_of(int thread)
{
    return status_of(thread, "voluntary_ctxt_switches:", 10);
}

MEND_TEST(a_process_with_one_thread_has_none)
{
    struct mend_proc *self = mend_proc_create_bare();
    int newest;

    self->params.ticker = 1;
    mend_ticker_turn(self, MEND_NS_PER_S);
    CHECK(!self->ticker);
    CHECK_EQ(threads_n(&newest), 1);
    mend_ticker_end(self);
    mend_proc_destroy(self);
}

MEND_TEST(a_slice_that_was_missed_starts_it_and_it_sleeps_again)
{
    struct mend_proc *self = mend_proc_create_bare();
    unsigned long sleeps;
    pthread_t other;
    int ticker, newest, before;
    mend_time_ns started;

    self->params.ticker = 1;
    self->me = 5;
    sem_init(&end, 0, 0);
    pthread_create(&other, NULL, be_there, NULL);
    before = threads_n(&newest); /* a sanitizer has one of its own */
    mend_ticker_turn(self, MEND_TICKER_SLICE_NS - 1);
    CHECK(!self->ticker);
    self->params.ticker = 0;
    mend_ticker_turn(self, MEND_TICKER_SLICE_NS);
    CHECK(!self->ticker);
    self->params.ticker = 1;
    started = mend_time_monotonic_ns();
    mend_ticker_turn(self, MEND_TICKER_SLICE_NS);
    CHECK(self->ticker);
    CHECK_EQ(threads_n(&ticker), before + 1);
    CHECK(status_of(ticker, "SigBlk:", 16) & 1ul << (SIGUSR1 - 1));

    sleeps = sleeps_of(ticker);
    while (sleeps_of(ticker) < sleeps + 10)
        usleep(1000);
    do {
        sleeps = sleeps_of(ticker);
        usleep(50000); /* a hundred ticks */
    } while (sleeps_of(ticker) != sleeps ||
             mend_time_monotonic_ns() < started + MEND_NS_PER_S + MEND_NS_PER_S / 10);
    mend_ticker_turn(self, MEND_TICKER_SLICE_NS - 1);
    CHECK_EQ(sleeps_of(ticker), sleeps);
    mend_ticker_turn(self, MEND_TICKER_SLICE_NS);
    while (sleeps_of(ticker) < sleeps + 10)
        usleep(1000);

    mend_ticker_end(self);
    CHECK(!self->ticker);
    CHECK_EQ(threads_n(&newest), before);
    sem_post(&end);
    pthread_join(other, NULL);
    mend_proc_destroy(self);
}

MEND_TEST(turns_as_long_as_its_ticks_keep_it_awake)
{
    struct mend_proc *self = mend_proc_create_bare();
    unsigned long sleeps;
    pthread_t other;
    int ticker;

    self->params.ticker = 1;
    self->me = 0;
    sem_init(&end, 0, 0);
    pthread_create(&other, NULL, be_there, NULL);
    mend_ticker_turn(self, MEND_TICKER_SLICE_NS);
    threads_n(&ticker);
    sleeps = sleeps_of(ticker);
    for (mend_time_ns until = mend_time_monotonic_ns() + 2 * MEND_NS_PER_S;
         mend_time_monotonic_ns() < until;) {
        usleep(10000);
        mend_ticker_turn(self, MEND_TICKER_TICK_NS);
    }
    CHECK(sleeps_of(ticker) > sleeps);
    sleeps = sleeps_of(ticker);
    while (sleeps_of(ticker) == sleeps)
        usleep(1000);
    mend_ticker_end(self);
    sem_post(&end);
    pthread_join(other, NULL);
    mend_proc_destroy(self);
}

MEND_TEST_MAIN()
