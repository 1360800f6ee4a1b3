/* SPDX-License-Identifier: BSD-3-Clause */
/* bag.c – a bag of tasks: a manager hands them out, and anybody may die, the manager included.
 *
 *     mpicc -O2 bag.c -o bag && mpiexec -n 5 ./bag
 *     mpiexec -n 5 --inject kill:3@call:MPI_Send#9 --inject kill:0@call:MPI_Wait#60 ./bag
 *
 * The tasks: how many primes there are in each hundredth of the numbers below a million.  The answer
 * is 78498, whoever is left to give it.  The names are those of the proposal of 2012.
 *
 * A worker dies      The manager's receive from anybody comes back "pending".  The manager
 *                    acknowledges the failure and puts the task of the dead back into the bag; then
 *                    the same receive goes on.  The other workers notice nothing.
 * The manager dies   Every worker's receive from it fails.  They make the communicator invalid, agree
 *                    that it is not over, shrink, and put together what each of them has computed.
 *                    The first of them is the manager from then on.
 *
 * The last one that is left does all by itself. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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

static int sum_of(const struct bag *b)
{
    int sum = 0;

    for (int task = 0; task < TASKS; task++)
        sum += b->primes[task];
    return sum;
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

/* Acknowledges all failures that are known here, and takes the tasks of the dead back. */
static void bury(struct bag *b)
{
    MPI_Group all, dead;
    int n;

    MPI_Comm_failure_ack(b->comm);
    MPI_Comm_failure_get_acked(b->comm, &dead);
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
        int message[2] = {next_task(b), 0};

        if (b->worker[who].state != IDLE || message[0] == NO_TASK)
            continue;
        b->worker[who] = (struct worker){.state = BUSY, .task = message[0]};
        if (MPI_Send(message, 2, MPI_INT, who, TAG_TASK, b->comm) == MPI_ERR_PROC_FAILED) {
            bury(b);
            who = 0; /* its task is for somebody who was idle before it, perhaps */
        }
    }
}

/* Takes the next question of any worker, with the answer to its task.  A death interrupts the wait,
 * but not the receive.  Returns without a question if nobody is left who could ask. */
static int take_question(struct bag *b)
{
    int question[2], err; /* the task that is done, or NO_TASK, and its primes */
    MPI_Request request;
    MPI_Status status;

    MPI_Irecv(question, 2, MPI_INT, MPI_ANY_SOURCE, TAG_ASK, b->comm, &request);
    while ((err = MPI_Wait(&request, &status)) == MPI_ERR_PENDING) {
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
    for (int who = 1; who < b->size && !err; who++) { /* all are idle or dead: go home */
        int message[2] = {NO_TASK, sum_of(b)};

        if (b->worker[who].state == IDLE)
            MPI_Send(message, 2, MPI_INT, who, TAG_TASK, b->comm);
    }
    return err;
}

/* ---- a worker ---- */

static int work(struct bag *b, int *sum_p)
{
    int question[2] = {NO_TASK, 0}, message[2], err;

    for (;;) {
        err = MPI_Send(question, 2, MPI_INT, 0, TAG_ASK, b->comm);
        if (!err)
            err = MPI_Recv(message, 2, MPI_INT, 0, TAG_TASK, b->comm, MPI_STATUS_IGNORE);
        if (err)
            return err;
        if (message[0] == NO_TASK)
            break;
        question[0] = message[0];
        question[1] = b->primes[message[0]] = count_primes(message[0]);
    }
    *sum_p = message[1];
    return MPI_SUCCESS;
}

/* ---- going on without the dead ---- */

/* From wherever this communicator's members stand to the end, or to an error. */
static int run(struct bag *b, int *sum_p)
{
    int err;

    MPI_Comm_rank(b->comm, &b->rank);
    MPI_Comm_size(b->comm, &b->size);
    err = MPI_Allreduce(MPI_IN_PLACE, b->primes, TASKS, MPI_INT, MPI_MAX, b->comm);
    if (err)
        return err;
    if (b->rank != 0)
        return work(b, sum_p);
    err = manage(b);
    *sum_p = sum_of(b);
    return err;
}

/* All living come here after run(), once for each communicator.  True: all of them are content. */
static bool all_content(struct bag *b, int err)
{
    int content = !err;
    MPI_Comm living;

    if (err)
        MPI_Comm_invalidate(b->comm); /* nobody waits any longer */
    MPI_Comm_agreement(b->comm, &content);
    if (content)
        return true;
    if (MPI_Comm_shrink(b->comm, &living) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_SELF, 1);
    if (b->comm != MPI_COMM_WORLD)
        MPI_Comm_free(&b->comm);
    b->comm = living;
    return false;
}

int main(int argc, char **argv)
{
    struct bag b = {.comm = MPI_COMM_WORLD};
    int world_rank, world_size, sum = 0;

    setvbuf(stdout, NULL, _IOLBF, 0); /* who is killed shall have said what it said */
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(b.comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(b.comm, &world_rank);
    MPI_Comm_size(b.comm, &world_size);
    if (world_size > RANKS_MAX)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(b.primes, -1, sizeof(b.primes));
    while (!all_content(&b, run(&b, &sum)))
        ;
    printf("bag: rank %d of %d, %s of %d at the end: %d primes\n", world_rank, world_size,
           b.rank == 0 ? "manager" : "worker", b.size, sum);
    return MPI_Finalize();
}
