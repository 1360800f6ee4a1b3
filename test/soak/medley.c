/* SPDX-License-Identifier: BSD-3-Clause */
/* medley.c – windows, files, spawned processes, sessions and messages in one program that survives any death.
 *
 * Each round does one thing, which its number chooses: collectives, messages, a window of one of three kinds, a file,
 * communicators, processes that are started and left again, a session, persistent and partitioned messages.  A round
 * counts if all survivors agree that it succeeded; otherwise they revoke what it used, and either replace what was lost or
 * go on without, and repeat the round.  Whatever a round makes it also frees, failed or not.
 *
 *   medley ROUNDS FILE     each rank of the end prints "rank N of M ok"
 *
 * Exit status 8: a result was wrong; 9: there was no recovery.
 *
 *   R30: a window or a file with dead members can be freed
 *   S0-1: a call that needs a dead process returns in bounded time */
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRONG (-1) /* a result, not an error: never acceptable */
#define LARGE 300000

static const char *file_name;
static MPI_Comm comm;
static int rank, size, round_n;

static uint32_t draw(uint32_t a, uint32_t b)
{
    uint64_t x = ((uint64_t)a << 32 | b) + UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(x ^ x >> 31);
}

static int sum_up(MPI_Comm c, int v, int *sum_p)
{
    return MPI_Allreduce(&v, sum_p, 1, MPI_INT, MPI_SUM, c);
}

static int collectives(void)
{
    int s, err = sum_up(comm, rank, &s), n[2] = {1, 2}, m[2];
    MPI_Request q[2];

    if (err)
        return err;
    if (s != size * (size - 1) / 2)
        return WRONG;
    err = MPI_Iallreduce(n, m, 2, MPI_INT, MPI_SUM, comm, &q[0]);
    if (err)
        return err;
    err = MPI_Ibarrier(comm, &q[1]);
    if (err) {
        MPIX_Comm_revoke(comm);
        q[1] = MPI_REQUEST_NULL;
    }
    if (MPI_Waitall(2, q, MPI_STATUSES_IGNORE) || err)
        return err ? err : MPI_ERR_PROC_FAILED;
    return m[0] == size && m[1] == 2 * size ? MPI_SUCCESS : WRONG;
}

static int ring(int n)
{
    static unsigned char out[LARGE], in[LARGE];
    int right = (rank + 1) % size, left = (rank + size - 1) % size, err;

    memset(out, round_n + rank, (size_t)n);
    err =
        MPI_Sendrecv(out, n, MPI_BYTE, right, 1, in, n, MPI_BYTE, left, 1, comm, MPI_STATUS_IGNORE);
    if (err)
        return err;
    for (int i = 0; i < n; i++)
        if (in[i] != (unsigned char)(round_n + left))
            return WRONG;
    return MPI_SUCCESS;
}

/* Fences: a put to the right, one added at rank 0. */
static int fences(MPI_Win win, const int *mem)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size, v = 100 + rank, one = 1, err;

    err = MPI_Win_fence(0, win);
    if (!err)
        err = MPI_Put(&v, 1, MPI_INT, right, 0, 1, MPI_INT, win);
    if (!err)
        err = MPI_Accumulate(&one, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, win);
    if (!err)
        err = MPI_Win_fence(0, win);
    if (!err && (mem[0] != 100 + left || (rank == 0 && mem[1] != size)))
        return WRONG;
    return err ? err : MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

/* All count one up at rank 0, each under the lock. */
static int count_up(MPI_Win win)
{
    int v, ended, err = MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);

    if (!err)
        err = MPI_Get(&v, 1, MPI_INT, 0, 2, 1, MPI_INT, win);
    if (!err)
        err = MPI_Win_flush(0, win);
    v++;
    if (!err)
        err = MPI_Put(&v, 1, MPI_INT, 0, 2, 1, MPI_INT, win);
    ended = MPI_Win_unlock(0, win);
    return err ? err : ended;
}

static int fetch(MPI_Win win)
{
    int one = 1, old, ended, err = MPI_Win_lock_all(0, win);

    if (!err)
        err = MPI_Fetch_and_op(&one, &old, MPI_INT, (round_n + rank) % size, 3, MPI_SUM, win);
    ended = MPI_Win_unlock_all(win);
    return err ? err : ended;
}

static int with_window(MPI_Win win, const int *mem)
{
    int ended, err = fences(win, mem);

    if (!err)
        err = count_up(win);
    if (!err)
        err = fetch(win);
    if (!err)
        err = MPI_Barrier(comm);
    if (err)
        return err;
    err = MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    if (!err && ((rank == 0 && mem[2] != size) || mem[3] != 1))
        err = WRONG;
    ended = MPI_Win_unlock(rank, win);
    return err ? err : ended;
}

static int window(int kind)
{
    static int own[4];
    int *mem = own, err;
    MPI_Win win;

    memset(own, 0, sizeof own);
    if (kind == 0)
        err = MPI_Win_create(own, sizeof own, sizeof(int), MPI_INFO_NULL, comm, &win);
    else if (kind == 1)
        err = MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &mem, &win);
    else
        err =
            MPI_Win_allocate_shared(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &mem, &win);
    if (kind == 2 && err == MPI_ERR_RMA_SHARED)
        return MPI_SUCCESS; /* not all of them share memory */
    if (err)
        return err;
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    for (int i = 0; i < 4; i++)
        mem[i] = 0;
    err = with_window(win, mem);
    if (err)
        MPIX_Win_revoke(win);
    if (MPI_Win_free(&win))
        return WRONG;
    return err;
}

static int file(void)
{
    int data[64], back[64], next = (rank + 1) % size, err, closed;
    MPI_File f;
    char name[300];

    snprintf(name, sizeof name, "%s.%d", file_name, round_n % 2);
    err = MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
    if (err)
        return err;
    for (int i = 0; i < 64; i++)
        data[i] = (int)draw((uint32_t)round_n, (uint32_t)(rank * 64 + i));
    err = MPI_File_write_at_all(f, (MPI_Offset)rank * (MPI_Offset)sizeof data, data, 64, MPI_INT,
                                MPI_STATUS_IGNORE);
    if (!err)
        err = MPI_File_sync(f);
    if (!err)
        err = MPI_File_read_at(f, (MPI_Offset)next * (MPI_Offset)sizeof data, back, 64, MPI_INT,
                               MPI_STATUS_IGNORE);
    for (int i = 0; i < 64 && !err; i++)
        if (back[i] != (int)draw((uint32_t)round_n, (uint32_t)(next * 64 + i)))
            err = WRONG;
    if (err)
        MPI_File_invalidate(f);
    closed = MPI_File_close(&f);
    return err ? err : closed;
}

static int communicators(void)
{
    MPI_Comm d, s;
    int err = MPI_Comm_dup(comm, &d), v, n;

    if (err)
        return err;
    err = MPI_Comm_split(d, rank % 2, -rank, &s);
    if (!err) {
        MPI_Comm_size(s, &n);
        err = sum_up(s, 1, &v);
        if (!err && v != n)
            err = WRONG;
        if (err)
            MPIX_Comm_revoke(s);
        MPI_Comm_free(&s);
    }
    if (err)
        MPIX_Comm_revoke(d);
    MPI_Comm_free(&d);
    return err;
}

static int children(char *program)
{
    char *argv[] = {"0", (char *)file_name, NULL};
    MPI_Comm inter, all;
    int err = MPI_Comm_spawn(program, argv, 2, MPI_INFO_NULL, round_n % size, comm, &inter,
                             MPI_ERRCODES_IGNORE),
        v;

    if (err)
        return err;
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    err = MPI_Intercomm_merge(inter, 0, &all);
    if (!err) {
        MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
        err = sum_up(all, 1, &v);
        if (!err && v != size + 2)
            err = WRONG;
        if (err)
            MPIX_Comm_revoke(all);
        MPI_Comm_disconnect(&all);
    }
    if (err)
        MPIX_Comm_revoke(inter);
    MPI_Comm_disconnect(&inter);
    return err;
}

static int child(MPI_Comm parent)
{
    MPI_Comm all;
    int v, err;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
    err = MPI_Intercomm_merge(parent, 1, &all);
    if (!err) {
        MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
        err = sum_up(all, 1, &v);
        if (err)
            MPIX_Comm_revoke(all);
        MPI_Comm_disconnect(&all);
    } else {
        MPIX_Comm_revoke(parent);
    }
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    return 0;
}

static int session(void)
{
    MPI_Session s;
    MPI_Group g;
    MPI_Comm c;
    int v = 0, err = MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s);

    if (err)
        return err;
    MPI_Comm_group(comm, &g);
    err = MPI_Comm_create_from_group(g, "medley", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c);
    MPI_Group_free(&g);
    if (!err) {
        err = sum_up(c, 1, &v);
        if (!err && v != size)
            err = WRONG;
        if (err)
            MPIX_Comm_revoke(c);
        MPI_Comm_free(&c);
    }
    if (MPI_Session_finalize(&s))
        return WRONG;
    return err;
}

static int persistent(void)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size, out = 0, in = -1, err = 0, one;
    double part[4] = {0}, got[4] = {0};
    MPI_Request q[4];

    MPI_Send_init(&out, 1, MPI_INT, right, 7, comm, &q[0]);
    MPI_Recv_init(&in, 1, MPI_INT, left, 7, comm, &q[1]);
    MPI_Psend_init(part, 4, 1, MPI_DOUBLE, right, 8, comm, MPI_INFO_NULL, &q[2]);
    MPI_Precv_init(got, 2, 2, MPI_DOUBLE, left, 8, comm, MPI_INFO_NULL, &q[3]);
    for (int i = 0; i < 3 && !err; i++) {
        out = i * 1000 + rank;
        err = MPI_Startall(4, q);
        if (err)
            break;
        for (int k = 0; k < 4; k++) {
            part[k] = i + k;
            MPI_Pready(k, q[2]);
        }
        for (int k = 0; k < 4; k++) {
            one = MPI_Wait(&q[k], MPI_STATUS_IGNORE);
            if (one && !err) {
                err = one;
                MPIX_Comm_revoke(comm);
            }
        }
        if (!err && (in != i * 1000 + left || got[3] != i + 3))
            err = WRONG;
    }
    for (int k = 0; k < 4; k++)
        MPI_Request_free(&q[k]);
    return err;
}

static int perform(char *program)
{
    switch (draw((uint32_t)round_n, 7) % 12) {
    case 0:
        return collectives();
    case 1:
        return ring(100);
    case 2:
        return ring(5000);
    case 3:
        return ring(LARGE);
    case 4:
        return window(0);
    case 5:
        return window(1);
    case 6:
        return window(2);
    case 7:
        return file();
    case 8:
        return communicators();
    case 9:
        return children(program);
    case 10:
        return session();
    default:
        return persistent();
    }
}

static void adopt(MPI_Comm c)
{
    comm = c;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
}

/* All of the same mind, newcomers too: which round comes next? */
static bool settle(void)
{
    int v[2] = {round_n, -round_n}, m[2];

    return MPI_Allreduce(v, m, 2, MPI_INT, MPI_MAX, comm) == MPI_SUCCESS &&
           ((round_n = m[0]), true);
}

static void recover(int *replaced_n)
{
    MPI_Comm next;
    int err;

    MPIX_Comm_revoke(comm);
    if (size < 2 || draw((uint32_t)round_n, 99) % 2) {
        do
            err = MPIX_Comm_shrink(comm, &next);
        while (err == MPI_ERR_PROC_FAILED);
    } else {
        do
            err = MPIX_Comm_refill(comm, MPI_INFO_NULL, &next);
        while (err == MPI_ERR_PROC_FAILED);
        ++*replaced_n;
    }
    if (err) {
        char text[MPI_MAX_ERROR_STRING];
        int len;

        MPI_Error_string(err, text, &len);
        fprintf(stderr, "round %d: no recovery: %s\n", round_n, text);
        MPI_Abort(MPI_COMM_WORLD, 9);
    }
    MPI_Comm_free(&comm);
    adopt(next);
}

int main(int argc, char **argv)
{
    int rounds = atoi(argv[1]), good, replaced_n = 0, err;
    MPI_Comm parent, old;
    bool fresh;

    MPI_Init(&argc, &argv);
    file_name = argv[2];
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPIX_Comm_refilled(&old);
    MPI_Comm_get_parent(&parent);
    if (old == MPI_COMM_NULL && parent != MPI_COMM_NULL)
        return child(parent);
    fresh = old != MPI_COMM_NULL;
    if (fresh) {
        adopt(old);
    } else {
        MPI_Comm_dup(MPI_COMM_WORLD, &old);
        adopt(old == MPI_COMM_NULL ? MPI_COMM_WORLD : old);
    }
    for (bool known = !fresh; round_n < rounds;) {
        if (!known) {
            good = settle();
            if (!good)
                MPIX_Comm_revoke(comm);
            err = MPI_SUCCESS;
        } else {
            err = perform(argv[0]);
            if (err == WRONG) {
                fprintf(stderr, "rank %d of %d: round %d (%u) is wrong\n", rank, size, round_n,
                        draw((uint32_t)round_n, 7) % 12);
                MPI_Abort(MPI_COMM_WORLD, 8);
            }
            good = !err;
            if (!good)
                MPIX_Comm_revoke(comm);
        }
        if (MPIX_Comm_agree(comm, &good) || !good) {
            recover(&replaced_n);
            known = false;
        } else if (known) {
            round_n++;
        } else {
            known = true;
        }
    }
    printf("rank %d of %d ok\n", rank, size);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
