/* SPDX-License-Identifier: BSD-3-Clause */
/* any_event.c – a program that uses all chapters, for ranks that end at any event in it
 * (s3_08_any_event.sh, which says where and how).
 *
 * A rank that gets an error revokes the communicator that all work on.  At the end all survivors shrink it: exactly the
 * missing ranks are dead for every survivor, also by a query, and for ever (S3-3, S3-8, S3-10);
 * the survivors can work (S3-12).
 *
 *   S3-3: every survivor can learn of every failure
 *   S3-8: every dead process is suspected for ever by every survivor
 *   S3-10: a running process is not suspected
 *   S3-12: a process that was told of a death may rely on it
 *
 * RUN: none */
#include "../common.h"

#define W     MPI_COMM_WORLD
#define LARGE 200000

static unsigned char out[LARGE], in[LARGE];
static MPI_Comm work;

/* The first error ends all that follows: MPI_SUCCESS or a class. */
static int first_error;

static void step(int err)
{
    int class = class_of(err);

    CHECK(class == MPI_SUCCESS || class == MPI_ERR_PROC_FAILED || class == MPI_ERR_INVALIDATED);
    if (first_error == MPI_SUCCESS)
        first_error = class;
}

#define STEP(call_)                                                                                \
    do {                                                                                           \
        if (first_error == MPI_SUCCESS)                                                            \
            step(call_);                                                                           \
    } while (0)

static void messages(void)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size;

    fill(out, LARGE, (unsigned)rank);
    for (int n = 8; n <= LARGE; n = n == 8 ? LARGE : n + 1) {
        STEP(MPI_Sendrecv(out, n, MPI_BYTE, right, 1, in, n, MPI_BYTE, left, 1, work,
                          MPI_STATUS_IGNORE));
        if (first_error == MPI_SUCCESS)
            CHECK_EQ(wrong(in, (size_t)n, (unsigned)left), -1);
    }
}

static void collectives(void)
{
    int sum = 0, one = 1;

    STEP(MPI_Bcast(out, LARGE, MPI_BYTE, 0, work));
    STEP(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, work));
    if (first_error == MPI_SUCCESS)
        CHECK_EQ(sum, size);
    STEP(MPI_Barrier(work));
}

static void creation(void)
{
    MPI_Comm half = MPI_COMM_NULL, both = MPI_COMM_NULL, same = MPI_COMM_NULL;
    MPI_Group dead = MPI_GROUP_EMPTY, all;

    STEP(MPI_Comm_split(work, rank % 2, rank, &half));
    STEP(MPI_Intercomm_create(half, 0, work, 1 - rank % 2, 3, &both));
    MPI_Comm_group(work, &all);
    STEP(MPI_Comm_create_group(work, all, 4, &same));
    MPI_Group_free(&all);
    STEP(MPI_Comm_validate(work, &dead));
    if (dead != MPI_GROUP_EMPTY)
        MPI_Group_free(&dead);
    if (half != MPI_COMM_NULL)
        MPI_Comm_free(&half);
    if (both != MPI_COMM_NULL)
        MPI_Comm_free(&both);
    if (same != MPI_COMM_NULL)
        MPI_Comm_free(&same);
}

static void agreement(void)
{
    MPI_Comm dup = MPI_COMM_NULL, rest;
    int flag = 1;

    STEP(MPI_Comm_agreement(work, &flag));
    STEP(MPI_Comm_dup(work, &dup));
    if (dup == MPI_COMM_NULL)
        return;
    if (rank == 0) /* and nobody else, for it is to get to revoke.local */
        MPI_Comm_invalidate(dup);
    while (MPI_Barrier(dup) == MPI_SUCCESS)
        ;
    MPI_Comm_invalidate(dup);
    CHECK_EQ(MPI_Comm_shrink(dup, &rest), MPI_SUCCESS);
    MPI_Comm_free(&rest);
    MPI_Comm_free(&dup);
}

/* Every rank tells, locks and operates, by messages if the parameter says so. */
static void windows(void)
{
    int *mine, one = 1, right = (rank + 1) % size;
    MPI_Win win = MPI_WIN_NULL;
    MPI_Group all;

    MPI_Comm_group(work, &all);
    STEP(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, work, &mine, &win));
    if (win != MPI_WIN_NULL) {
        MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
        STEP(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, win));
        STEP(MPI_Put(&one, 1, MPI_INT, right, 0, 1, MPI_INT, win));
        STEP(MPI_Win_unlock(right, win));
        STEP(MPI_Win_fence(0, win));
        STEP(MPI_Win_post(all, 0, win));
        STEP(MPI_Win_start(all, 0, win));
        STEP(MPI_Win_complete(win));
        STEP(MPI_Win_wait(win));
        if (first_error != MPI_SUCCESS) /* others may wait for this process */
            MPI_Win_invalidate(win);
        MPI_Win_free(&win);
    }
    MPI_Group_free(&all);
}

/* Half of a large message, then the rest.  Only the neighbours of a dead rank get an error. */
static void partitions(void)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Request r[2];

    if (first_error != MPI_SUCCESS)
        return;
    CHECK_OK(MPI_Psend_init(out, 4, LARGE / 4, MPI_BYTE, right, 1, work, MPI_INFO_NULL, &r[0]));
    CHECK_OK(MPI_Precv_init(in, 2, LARGE / 2, MPI_BYTE, left, 1, work, MPI_INFO_NULL, &r[1]));
    CHECK_OK(MPI_Startall(2, r));
    CHECK_OK(MPI_Pready_range(0, 1, r[0]));
    CHECK_OK(MPI_Pready_range(2, 3, r[0]));
    step(MPI_Wait(&r[1], MPI_STATUS_IGNORE));
    if (first_error != MPI_SUCCESS)
        MPI_Comm_invalidate(work); /* others may wait for this process */
    step(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    STEP(MPI_Barrier(work)); /* so that all know, and make the same calls from here on */
}

/* Not always: a process that has had one does not get to finalize.done. */
static void session(void)
{
    MPI_Session s;
    MPI_Group all;
    MPI_Comm c = MPI_COMM_NULL;

    if (!getenv("WITH_SESSION"))
        return;
    CHECK_OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
    CHECK_OK(MPI_Group_from_session_pset(s, "mpi://WORLD", &all));
    STEP(MPI_Comm_create_from_group(all, "any", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
    MPI_Group_free(&all);
    if (c != MPI_COMM_NULL)
        MPI_Comm_free(&c);
    CHECK_OK(MPI_Session_finalize(&s));
}

/* A rank that is not in rest is dead for me, and no other is. */
static void compare(MPI_Comm rest)
{
    MPI_Group left, all;
    int there;

    MPI_Comm_group(rest, &left);
    MPI_Comm_group(W, &all);
    for (int r = 0; r < size; r++) {
        MPI_Group_translate_ranks(all, 1, &r, left, &there);
        if (there == MPI_UNDEFINED)
            wait_until_dead(W, r);
    }
    MPI_Group_free(&left);
    MPI_Group_free(&all);
}

/* All survivors get here, and leave together when what they have left works. */
static void settle(void)
{
    MPI_Comm rest;
    int n, sum, err, works, mine = 1 << rank;

    do {
        MPI_Comm_invalidate(work);
        CHECK_EQ(MPI_Comm_shrink(work, &rest), MPI_SUCCESS);
        compare(rest);
        err = class_of(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, rest));
        CHECK(err == MPI_SUCCESS || err == MPI_ERR_PROC_FAILED);
        works = err == MPI_SUCCESS;
        post(rank); /* from here on others may see my end */
        CHECK_EQ(MPI_Comm_agreement(rest, &works), MPI_SUCCESS);
        work = rest;
    } while (!works);
    MPI_Comm_size(rest, &n);
    CHECK_EQ(__builtin_popcount((unsigned)sum), n);
    for (int r = 0; r < size;
         r++) /* only ranks have died that are missing, or were on their way out */
        CHECK(!is_known_dead(W, r) || !(sum >> r & 1) || posted(r));
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (MPI_Comm_dup(W, &work) != MPI_SUCCESS)
        work = W; /* somebody has ended in MPI_Init */
    messages();
    collectives();
    creation();
    windows();
    partitions();
    session();
    agreement();
    settle();
    return finish();
}
