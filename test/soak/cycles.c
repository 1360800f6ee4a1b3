/* SPDX-License-Identifier: BSD-3-Clause */
/* cycles.c – one job that loses a rank again and again and is kept at size: started by test/soak/cycles.
 *
 *   mpiexec -n CREW cycles BOARD CSV CREW CYCLES EVERY SEED : -n CYCLES reserve BOARD OUTPUT cycles ...
 *
 * The crew are CREW ranks, all others are reserves (reserve.c).  One cycle:
 *
 *   rank 0 determines the crew, the victim of this cycle, and how and in which call it dies
 *   all      MPI_Comm_create_group over MPI_COMM_WORLD: a fresh communicator
 *   all      the call of this cycle, again and again, until it gives an error
 *   others   MPI_Comm_invalidate or MPIX_Comm_revoke; shrink; checks; free both
 *   rank 0   calls up a reserve in place of the dead one
 *
 * Ranks 0 and 1 survive all cycles; the seed determines the victims among the others.  Each member
 * writes its memory use to the CSV file every EVERY cycles.  What must hold: an error comes and is
 * MPI_ERR_PROC_FAILED or MPI_ERR_REVOKED, the shrunken communicator has all members but the dead one and
 * works. */
#include "reserve.h"

#include <dirent.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define CREW_MAX 64
#define LARGE    60000

enum how { BY_ITSELF, FROM_OUTSIDE, BY_STOP, BY_EXIT, HOWS };
enum call { CREATE, SENDRECV, LARGE_RING, ALLREDUCE, BCAST, AGREE, SHRINK, DUP, CALLS };

struct order {
    int cycle; /* -1: the job is over */
    int n, crew[CREW_MAX];
    int victim; /* in MPI_COMM_WORLD */
    int how, call, after_us;
};

static int me, joined;
static int victim_pid; /* rank 0 kills it from outside */
static unsigned char out[LARGE], in[LARGE];

static _Noreturn void fail(const struct order *o, const char *what, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int len;

    if (code > 0)
        MPI_Error_string(code, text, &len);
    fprintf(stderr, "cycle %d, rank %d: %s %s (victim %d, how %d, call %d)\n", o->cycle, me, what,
            text, o->victim, o->how, o->call);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

/* ---- dying ---- */

static void on_alarm(int sig)
{
    (void)sig;
    if (victim_pid)
        kill(victim_pid, SIGKILL);
    else
        _exit(3); /* without MPI_Finalize */
}

/* Something happens to this process, or by it, in a while, wherever it is then. */
static void arm(int sig, int after_us)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = sig};
    struct itimerspec when = {.it_value = {0, after_us * 1000L + 1}};
    static timer_t timer;
    static int armed;

    if (armed)
        timer_delete(timer);
    armed = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
    if (!armed || timer_settime(timer, 0, &when, NULL) != 0)
        abort();
}

/* The victim tells rank 0 its process number if rank 0 is to kill it. */
static void prepare(const struct order *o)
{
    static const int signals[HOWS] = {SIGKILL, SIGALRM, SIGSTOP, SIGALRM};
    int pid = getpid();

    victim_pid = 0;
    if (o->how == FROM_OUTSIDE && me == o->victim)
        MPI_Send(&pid, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    if (o->how == FROM_OUTSIDE && me == 0)
        MPI_Recv(&victim_pid, 1, MPI_INT, o->victim, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (me == (o->how == FROM_OUTSIDE ? 0 : o->victim))
        arm(signals[o->how], o->after_us);
}

/* ---- one cycle ---- */

static int ring(MPI_Comm c, int n)
{
    int rank, size;

    MPI_Comm_rank(c, &rank);
    MPI_Comm_size(c, &size);
    return MPI_Sendrecv(out, n, MPI_BYTE, (rank + 1) % size, 1, in, n, MPI_BYTE,
                        (rank + size - 1) % size, 1, c, MPI_STATUS_IGNORE);
}

static int create(const struct order *o, int without, MPI_Comm *made)
{
    int list[CREW_MAX], n = 0, err;
    MPI_Group world, crew;

    for (int i = 0; i < o->n; i++)
        if (o->crew[i] != without)
            list[n++] = o->crew[i];
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, n, list, &crew);
    err = MPI_Comm_create_group(MPI_COMM_WORLD, crew, o->cycle % 30000 + (without >= 0), made);
    MPI_Group_free(&world);
    MPI_Group_free(&crew);
    return err;
}

static int come_and_go(int err, MPI_Comm *made)
{
    if (!err)
        MPI_Comm_free(made);
    return err;
}

static int one_call(MPI_Comm c, const struct order *o)
{
    MPI_Comm made = MPI_COMM_NULL;
    int one = 1, sum = 0, ok = 1;

    switch (o->call) {
    case SENDRECV:
        return ring(c, 8);
    case LARGE_RING:
        return ring(c, LARGE);
    case BCAST:
        return MPI_Bcast(&one, 1, MPI_INT, o->cycle % o->n, c);
    case AGREE:
        return MPIX_Comm_agree(c, &ok);
    case SHRINK:
        return come_and_go(MPIX_Comm_shrink(c, &made), &made);
    case DUP:
        return come_and_go(MPI_Comm_dup(c, &made), &made);
    default:
        return MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c);
    }
}

/* An error at one is an error at all.  A member whose allreduce has failed would shrink, and one whose allreduce has
 * succeeded would make its next call, which is a shrink or an agreement, too, and takes place where others fail: the two would
 * be one, and the second member's shrink after that would wait for the first one. */
static int at_all(MPI_Comm c, int err)
{
    int ok = !err, agreed = MPIX_Comm_agree(c, &ok);

    return err ? err : agreed ? agreed : ok ? MPI_SUCCESS : MPIX_ERR_PROC_FAILED;
}

/* A shrink that succeeds does not say whether somebody died in it; the allreduce does. */
static int until_error(MPI_Comm c, const struct order *o)
{
    int one = 1, sum = 0, err = MPI_SUCCESS;

    while (!err) {
        err = one_call(c, o);
        if (!err)
            err = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c);
        if (!err && sum != o->n)
            fail(o, "an allreduce has lost somebody", 0);
        if (o->call == AGREE || o->call == SHRINK)
            err = at_all(c, err);
    }
    return err;
}

/* All members but the dead one, in the old order.  The next one may die as soon as its last call here has returned, so that is
 * one that cannot fail at others then. */
static void check(MPI_Comm c, const struct order *o)
{
    int size, value = me, sum = 0, expected = 0, ok = 1, err;

    MPI_Comm_size(c, &size);
    for (int i = 0; i < o->n; i++)
        expected += o->crew[i] == o->victim ? 0 : o->crew[i];
    err = MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, c);
    if (!err)
        err = ring(c, 1000);
    if (!err)
        err = MPIX_Comm_agree(c, &ok);
    if (err)
        fail(o, "the shrunken communicator does not work:", err);
    if (size != o->n - 1 || sum != expected)
        fail(o, "the shrunken communicator has the wrong members", 0);
}

static void detected(const struct order *o, int err)
{
    int class;

    MPI_Error_class(err, &class);
    if (class != MPI_ERR_PROC_FAILED && class != MPI_ERR_REVOKED)
        fail(o, "an error that nobody made:", err);
}

static void cycle(const struct order *o)
{
    MPI_Comm whole = MPI_COMM_NULL, rest;
    int err;

    prepare(o);
    err = create(o, -1, &whole);
    while (!err && o->call == CREATE) {
        MPI_Comm_free(&whole);
        err = create(o, -1, &whole);
    }
    if (err) { /* the death was quicker, or is to come in this call: nobody got a communicator */
        detected(o, err);
        err = create(o, o->victim, &rest);
    } else {
        detected(o, until_error(whole, o));
        err = o->cycle % 2 ? MPI_Comm_invalidate(whole) : MPIX_Comm_revoke(whole);
        if (!err)
            err = MPIX_Comm_shrink(whole, &rest);
        MPI_Comm_free(&whole);
    }
    if (err)
        fail(o, "cannot go on:", err);
    check(rest, o);
    MPI_Comm_free(&rest);
}

/* ---- what a member holds ---- */

/* Memory of its own, and pages of the segment that it has looked at. */
static void resident(long *own_kib_p, long *shared_kib_p)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[128];

    while (f && fgets(line, sizeof(line), f)) {
        sscanf(line, "RssAnon: %ld", own_kib_p);
        sscanf(line, "RssShmem: %ld", shared_kib_p);
    }
    if (f)
        fclose(f);
}

/* Number of descriptors; *segment_kib_p: pages of the job's memory. */
static int descriptors(long *segment_kib_p)
{
    DIR *d = opendir("/proc/self/fd");
    char target[64];
    struct stat st;
    int n = 0;

    for (struct dirent *e; d && (e = readdir(d)); n++) {
        ssize_t len = readlinkat(dirfd(d), e->d_name, target, sizeof(target) - 1);

        if (len > 0 && !strncmp(target, "/memfd:mend", 11) && fstat(atoi(e->d_name), &st) == 0)
            *segment_kib_p = st.st_blocks / 2;
    }
    if (d)
        closedir(d);
    return n;
}

static void record(const char *path, const struct order *o)
{
    long segment_kib = 0, own_kib = 0, shared_kib = 0;
    int fds = descriptors(&segment_kib);
    FILE *f = fopen(path, "a");

    resident(&own_kib, &shared_kib);
    if (!f)
        fail(o, "the CSV file cannot be written", 0);
    fprintf(f, "%d,%d,%d,%d,%ld,%ld,%d,%ld\n", o->cycle, me, joined, o->victim, own_kib, shared_kib,
            fds, segment_kib);
    fclose(f);
}

/* ---- rank 0 ---- */

static unsigned draw(unsigned *state, unsigned n)
{
    *state = *state * 1664525u + 1013904223u;
    return (unsigned)((uint64_t)*state * n >> 32);
}

static void give_order(const struct order *o)
{
    for (int i = 0; i < o->n; i++)
        if (o->crew[i] != 0 && MPI_Send(o, sizeof(*o), MPI_BYTE, o->crew[i], 1, MPI_COMM_WORLD))
            fail(o, "an order cannot be given", 0);
}

static void next_order(struct order *o, int cycle, unsigned *state)
{
    *o = (struct order){.cycle = cycle, .n = o->n};
    o->victim = 2 + (int)draw(state, (unsigned)o->n - 2); /* an index, for now */
    o->how = (int)draw(state, HOWS);
    o->call = (int)draw(state, CALLS);
    o->after_us = (int)draw(state, 1500);
}

int main(int argc, char **argv)
{
    struct order o = {0};
    int crew[CREW_MAX], cycles, every;
    unsigned state;
    _Atomic uint32_t *board;

    if (argc < 7)
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    signal(SIGALRM, on_alarm);
    board = reserve_board(argv[1]);
    o.n = atoi(argv[3]);
    cycles = atoi(argv[4]);
    every = atoi(argv[5]);
    state = (unsigned)atoi(argv[6]);
    joined = -1;
    for (int i = 0; i < o.n; i++)
        crew[i] = i;
    for (int k = 0; k <= cycles; k++) {
        if (me == 0) {
            int victim_at;

            next_order(&o, k < cycles ? k : -1, &state);
            victim_at = o.victim;
            memcpy(o.crew, crew, sizeof(crew));
            o.victim = crew[victim_at];
            give_order(&o);
            if (k < cycles)
                crew[victim_at] = o.n + k;
        } else if (MPI_Recv(&o, sizeof(o), MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)) {
            fail(&o, "no order came", 0);
        }
        if (o.cycle < 0)
            break;
        if (joined < 0)
            joined = o.cycle;
        if (me == 0)
            reserve_call_up(&board[o.n + k]); /* it starts while this cycle goes on */
        cycle(&o);
        if (o.cycle % every == 0)
            record(argv[2], &o);
        k = o.cycle;
    }
    if (me == 0)
        printf("%d cycles done\n", cycles);
    MPI_Finalize();
    return 0;
}
