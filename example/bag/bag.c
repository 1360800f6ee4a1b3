/* SPDX-License-Identifier: BSD-3-Clause */
/* bag.c – a bag of tasks: a manager hands them out, and anybody may die, the manager included.
 *
 *     mpicc -O2 bag.c -o bag && mpiexec -n 5 ./bag
 *     mpiexec -n 5 --inject kill:3@call:MPI_Send#9 --inject kill:0@call:MPI_Wait#60 ./bag
 *
 * The tasks: how many primes there are in each hundredth of the numbers below a million.  The answer
 * is 78498, whichever ranks are left to give it.
 *
 * A worker dies      The manager's receive from anybody comes back "pending".  The manager
 *                    acknowledges the failure and puts the task of the dead worker back into the bag;
 *                    then the same receive goes on.  The other workers notice nothing.
 * The manager dies   Every worker's receive from it fails.  They revoke the communicator, agree that
 *                    it is not over, shrink, and put together what each of them has computed.  The
 *                    first of them is the manager from then on.
 *
 * The last process that is left does everything by itself.
 *
 * The manager writes the answer before it sends the workers home.  A worker is content when it was sent
 * home, so "all are content" means that the answer is written, even if the manager dies then. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#ifdef OPEN_MPI
#include <mpi-ext.h> /* Open MPI has the MPIX_ functions there */
#endif

#define TASKS     100
#define SIZE      10000 /* numbers in a task */
#define RANKS_MAX 256

enum { TAG_ASK = 1, TAG_TASK };
enum { NO_TASK = -1 };

/* What the manager knows of a worker. */
struct worker {
    enum { BUSY, IDLE, DEAD } state; /* busy until it asks, also for the first time */
    int task;                        /* in hand, or NO_TASK */
};

struct bag {
    MPI_Comm comm;
    int rank, size;
    int primes[TASKS]; /* -1: not known here */
    struct worker worker[RANKS_MAX];
};

static int count_primes(int task)
{
    int primes = 0;

    for (int n = task * SIZE; n < (task + 1) * SIZE; n++) {
        bool prime = n > 1;

        for (int i = 2; prime && i * i <= n; i++)
            prime = n % i != 0;
        primes += prime;
    }
    return primes;
}

static int class_of(int err)
{
    int class = MPI_SUCCESS;

    if (err)
        MPI_Error_class(err, &class);
    return class;
}

/* ---- the manager ---- */

/* A task that is neither done nor in hand, or NO_TASK. */
static int next_task(const struct bag *b)
{
    for (int task = 0; task < TASKS; task++) {
        bool taken = b->primes[task] >= 0;

        for (int who = 1; who < b->size && !taken; who++)
            taken = b->worker[who].task == task;
        if (!taken)
            return task;
    }
    return NO_TASK;
}

static bool all_done(const struct bag *b)
{
    for (int task = 0; task < TASKS; task++)
        if (b->primes[task] < 0)
            return false;
    return true;
}

static bool somebody_is_busy(const struct bag *b)
{
    for (int who = 1; who < b->size; who++)
        if (b->worker[who].state == BUSY)
            return true;
    return false;
}

/* Acknowledges all failures that are known here, and takes the tasks of dead workers back. */
static void bury(struct bag *b)
{
    MPI_Group all, dead;
    int n;

    MPIX_Comm_failure_ack(b->comm);
    MPIX_Comm_failure_get_acked(b->comm, &dead);
    MPI_Comm_group(b->comm, &all);
    MPI_Group_size(dead, &n);
    for (int i = 0; i < n; i++) {
        int who;

        MPI_Group_translate_ranks(dead, 1, &i, all, &who);
        if (b->worker[who].state != DEAD && b->worker[who].task != NO_TASK)
            printf("bag: worker %d has died, task %d goes back\n", who, b->worker[who].task);
        b->worker[who] = (struct worker){.state = DEAD, .task = NO_TASK};
    }
    MPI_Group_free(&dead);
    MPI_Group_free(&all);
}

static void hand_out(struct bag *b)
{
    for (int who = 1; who < b->size; who++) {
        int task = next_task(b);

        if (b->worker[who].state != IDLE || task == NO_TASK)
            continue;
        b->worker[who] = (struct worker){.state = BUSY, .task = task};
        if (class_of(MPI_Send(&task, 1, MPI_INT, who, TAG_TASK, b->comm)) == MPIX_ERR_PROC_FAILED) {
            bury(b);
            who = 0; /* its task is for a worker that was idle before it, perhaps */
        }
    }
}

/* Takes the next question of any worker, with the answer to its task.  A death interrupts the wait,
 * but not the receive.  Returns without a question if no worker is left. */
static int take_question(struct bag *b)
{
    int question[2], err; /* the task that is done, or NO_TASK, and its primes */
    MPI_Request request;
    MPI_Status status;

    MPI_Irecv(question, 2, MPI_INT, MPI_ANY_SOURCE, TAG_ASK, b->comm, &request);
    while (class_of(err = MPI_Wait(&request, &status)) == MPIX_ERR_PROC_FAILED_PENDING) {
        bury(b);
        hand_out(b);
        if (somebody_is_busy(b))
            continue;
        MPI_Cancel(&request);
        return MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (err)
        return err;
    if (question[0] != NO_TASK)
        b->primes[question[0]] = question[1];
    b->worker[status.MPI_SOURCE] = (struct worker){.state = IDLE, .task = NO_TASK};
    return MPI_SUCCESS;
}

static void write_answer(const struct bag *b)
{
    int sum = 0;

    for (int task = 0; task < TASKS; task++)
        sum += b->primes[task];
    printf("bag: %d primes\n", sum);
    fflush(stdout); /* what is in a buffer dies with its process */
}

static int manage(struct bag *b)
{
    int err = MPI_SUCCESS;

    for (int who = 1; who < b->size; who++)
        b->worker[who] = (struct worker){.state = BUSY, .task = NO_TASK};
    while (!err && (!all_done(b) || somebody_is_busy(b))) {
        int task;

        hand_out(b);
        task = next_task(b);
        if (somebody_is_busy(b))
            err = take_question(b);
        else if (task != NO_TASK) /* there is no worker left */
            b->primes[task] = count_primes(task);
    }
    if (err)
        return err;
    write_answer(b);
    for (int who = 1; who < b->size; who++) { /* all are idle or dead: go home */
        int task = NO_TASK;

        if (b->worker[who].state == IDLE)
            MPI_Send(&task, 1, MPI_INT, who, TAG_TASK, b->comm);
    }
    return MPI_SUCCESS;
}

/* ---- a worker ---- */

static int work(struct bag *b)
{
    int question[2] = {NO_TASK, 0}, task, err;

    for (;;) {
        err = MPI_Send(question, 2, MPI_INT, 0, TAG_ASK, b->comm);
        if (!err)
            err = MPI_Recv(&task, 1, MPI_INT, 0, TAG_TASK, b->comm, MPI_STATUS_IGNORE);
        if (err || task == NO_TASK)
            return err;
        question[0] = task;
        question[1] = b->primes[task] = count_primes(task);
    }
}

/* ---- going on without the lost ---- */

/* From wherever this communicator's members stand to the end, or to an error. */
static int run(struct bag *b)
{
    int primes[TASKS], err;

    MPI_Comm_rank(b->comm, &b->rank);
    MPI_Comm_size(b->comm, &b->size);
    memcpy(primes, b->primes, sizeof(primes));
    err = MPI_Allreduce(MPI_IN_PLACE, primes, TASKS, MPI_INT, MPI_MAX, b->comm);
    if (err)
        return err; /* primes is undefined, but b->primes is not */
    memcpy(b->primes, primes, sizeof(primes));
    return b->rank == 0 ? manage(b) : work(b);
}

/* All survivors come here after run(), once for each communicator.  True: all of them are content. */
static bool all_content(struct bag *b, int err)
{
    int content = !err;
    MPI_Comm survivors;

    if (err)
        MPIX_Comm_revoke(b->comm);      /* nobody waits any longer */
    MPIX_Comm_agree(b->comm, &content); /* the value is agreed on even if this reports a loss */
    if (content)
        return true;
    if (MPIX_Comm_shrink(b->comm, &survivors) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_SELF, 1);
    if (b->comm != MPI_COMM_WORLD)
        MPI_Comm_free(&b->comm);
    b->comm = survivors;
    return false;
}

int main(int argc, char **argv)
{
    struct bag b = {.comm = MPI_COMM_WORLD};
    int size;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(b.comm, MPI_ERRORS_RETURN);
    MPI_Comm_size(b.comm, &size);
    if (size > RANKS_MAX)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(b.primes, -1, sizeof(b.primes));
    while (!all_content(&b, run(&b)))
        ;
    return MPI_Finalize();
}
