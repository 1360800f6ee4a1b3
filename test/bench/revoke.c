/* SPDX-License-Identifier: BSD-3-Clause */
/* revoke.c – from the call of MPIX_Comm_revoke to the return of every blocked receive.
 *
 *   rank 0     waits DELAY ms │ writes the time │ MPIX_Comm_revoke
 *   others     MPI_Recv from rank 0 ────────────────────X │ write the time
 *
 * and, in turn with it, what the cores need to run the others: the same without MPI, where they wait for a
 * word in shared memory: looking and yielding, or (ASLEEP) asleep on a futex.
 *
 * Output:  revoke US, bare US: once per trial, last return - call.
 *
 * usage: revoke BOARD TRIALS DELAY_MS ASLEEP */
#include "bench.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>

enum { CALLED_NS, WORD, FIRST = 16, WORDS = 8 };
#define TRIALS_MAX 1000

static struct bench b;

static volatile uint64_t *returned_ns(int rank)
{
    return b.board + FIRST + rank * WORDS;
}

static double last_minus_call_us(void)
{
    uint64_t last = 0;

    for (int r = 1; r < b.size; r++)
        last = *returned_ns(r) > last ? *returned_ns(r) : last;
    return (double)(last - b.board[CALLED_NS]) * 1e-3;
}

static void pause_ms(long ms)
{
    usleep((useconds_t)ms * 1000);
}

static double revoke_once(long delay_ms)
{
    MPI_Comm c;
    int word = 0, err;

    MPI_Comm_dup(MPI_COMM_WORLD, &c);
    MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
    MPI_Barrier(MPI_COMM_WORLD);
    if (b.rank == 0) {
        pause_ms(delay_ms);
        b.board[CALLED_NS] = bench_now_ns();
        err = MPIX_Comm_revoke(c);
        if (err != MPI_SUCCESS)
            bench_wrong(&b, "revoke failed");
    } else {
        err = MPI_Recv(&word, 1, MPI_INT, 0, 0, c, MPI_STATUS_IGNORE);
        *returned_ns(b.rank) = bench_now_ns();
        if (err != MPIX_ERR_REVOKED)
            bench_wrong(&b, "receive on a revoked communicator: another error");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&c);
    return last_minus_call_us();
}

static void wait_for_word(uint32_t *word, uint32_t value, bool asleep)
{
    uint32_t now;

    while ((now = __atomic_load_n(word, __ATOMIC_ACQUIRE)) != value) {
        if (asleep)
            syscall(SYS_futex, word, FUTEX_WAIT, now, NULL, NULL, 0);
        else
            sched_yield();
    }
}

static double bare_once(long delay_ms, bool asleep, uint32_t trial)
{
    uint32_t *word = (uint32_t *)(uintptr_t)&b.board[WORD];

    MPI_Barrier(MPI_COMM_WORLD);
    if (b.rank == 0) {
        pause_ms(delay_ms);
        b.board[CALLED_NS] = bench_now_ns();
        __atomic_store_n(word, trial, __ATOMIC_RELEASE);
        if (asleep)
            syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    } else {
        wait_for_word(word, trial, asleep);
        *returned_ns(b.rank) = bench_now_ns();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return last_minus_call_us();
}

int main(int argc, char **argv)
{
    static double revoke_us[TRIALS_MAX], bare_us[TRIALS_MAX];
    long trials, delay_ms;
    bool asleep;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &b.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &b.size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (argc != 5 || b.size < 2 || b.size > 256 || atol(argv[2]) > TRIALS_MAX)
        MPI_Abort(MPI_COMM_WORLD, 2);
    b.board = bench_open_board(argv[1]);
    trials = atol(argv[2]);
    delay_ms = atol(argv[3]);
    asleep = atoi(argv[4]);
    for (long i = 0; i < trials; i++) {
        revoke_us[i] = revoke_once(delay_ms);
        bare_us[i] = bare_once(delay_ms, asleep, (uint32_t)i + 1);
    }
    for (long i = 0; i < trials && b.rank == 0; i++)
        printf("revoke %.3f\nbare %.3f\n", revoke_us[i], bare_us[i]);
    MPI_Finalize();
    return 0;
}
