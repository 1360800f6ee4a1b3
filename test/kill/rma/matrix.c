/* SPDX-License-Identifier: BSD-3-Clause */
/* Every operation, in every kind of epoch, on every kind of window, loses a process: the target, one that has or wants
 * the lock, an origin, or one that has no part in it, before, inside and after.  The job shrinks: in each act one process
 * dies on a window of all survivors.  After each death:
 *   - every survivor has returned from every call, with success or MPI_ERR_PROC_FAILED;
 *   - if the dead process had no part, all locks and all epochs of groups without it succeeded;
 *   - what a survivor did in an epoch that ended with success is there, and nothing else;
 *   - all agree whether the lock is poisoned, and a dead target's lock is refused;
 *   - the window can be used towards the survivors, names the dead process, and can be freed.
 *
 * Act i of run K takes the next epoch and kind of window; seed, size and act determine victim, operation and role.  With
 * `each` the acts of the runs 0 to 67 of 9 ranks are all combinations, and the seed determines the victim.
 *     args PLACE K [SEED|each]
 * PLACE as in ../melt.h.
 *
 *   R9: a shared holder owns the lock, too
 *   R29: lock_all with a dead member opens the epoch towards the survivors
 *   R30: a window or a file with dead members can be freed
 *   S0-2: a call that needs no dead process completes normally
 *   S0-40: one-sided operations never report a death
 *   S0-41: the synchronization reports a death
 *   S0-42: a synchronization that fails has its effect on the epoch
 *   S0-45: a synchronization that reports a failure completes the epoch
 *   S0-46: locking a dead target fails
 *   S0-48: a lock whose holder died is never acquired again
 *   S0-49: a request may complete although its epoch fails
 *   S0-98: the failed members of a window are known locally
 *
 * RUN: -n 9 ; args never {n} ; expect "8 deaths" ; times 8
 * RUN: -n 9 ; args never {n} ; set RMA_SHM=0 ; expect "8 deaths" ; times 8
 * RUN: -n 9 ; args after {n} ; expect "8 deaths" ; times 8
 * RUN: -n 16 ; args random {n} ; expect "15 deaths" ; times 8
 * RUN: -n 16 ; args random {n} ; set RMA_SHM=0 ; expect "15 deaths" ; times 8
 * RUN: -n 9 ; args random {n} each ; expect "8 deaths" ; times 68
 * RUN: -n 9 ; args random {n} each ; set RMA_SHM=0 ; expect "8 deaths" ; times 68
 * RUN: -n 9 ; args rma.enter {n} ; expect "8 deaths" ; times 8
 * RUN: -n 9 ; args rma.enter#2 {n} ; expect "8 deaths" ; times 8
 * RUN: -n 9 ; args rma.enter#5 {n} ; expect "8 deaths" ; times 8
 * RUN: -n 9 ; args rma.enter {n} ; set RMA_SHM=0 ; expect "8 deaths" ; times 8
 * RUN: -n 9 ; args rma.enter#2 {n} ; set RMA_SHM=0 ; expect "8 deaths" ; times 8
 * RUN: -n 9 ; args rma.operate {n} ; expect "8 deaths" ; times 8
 * RUN: -n 9 ; args rma.operate#2 {n} ; set RMA_SHM=0 ; expect "8 deaths" ; times 8
 * RUN: -n 9 ; args rma.locked {n} ; expect "8 deaths" ; times 8
 * RUN: -n 9 ; args rma.locked {n} ; set RMA_SHM=0 ; expect "8 deaths" ; times 8
 * RUN: -n 9 ; args rma.unlocked {n} ; expect "8 deaths" ; times 8
 * RUN: -n 9 ; args rma.told {n} ; expect "8 deaths" ; times 8
 * RUN: -n 9 ; args rma.told#3 {n} ; expect "8 deaths" ; times 8
 * RUN: -n 9 ; args rma.told {n} ; set RMA_SHM=0 ; expect "8 deaths" ; times 8
 * RUN: -n 9 ; args rma.sent {n} ; set RMA_SHM=0 ; expect "8 deaths" ; times 8
 * RUN: -n 9 ; args rma.served {n} ; set RMA_SHM=0 ; expect "8 deaths" ; times 8
 * RUN: -n 9 ; args rma.served#3 {n} ; set RMA_SHM=0 ; expect "8 deaths" ; times 8 */
#include "kill/melt.h"

#include "../../mpi/rma/common.h"

#define ROUNDS 3
#define FAILED MPI_ERR_PROC_FAILED

enum epoch { FENCE, GROUPS, EXCLUSIVE, SHARED_LOCK, LOCK_ALL, EPOCHS };
enum operation { PUT, GET, ACCUMULATE, FETCH, SWAP, REQUEST, OPERATIONS };
enum role { TARGET, TAKES_PART, BYSTANDER, ROLES };

struct act {
    int number, beneath, victim, target;
    unsigned dice;
    enum epoch epoch;
    enum kind kind;
    enum operation operation;
    enum role role;
};

/* Elements of a part: a counter, a slot for each origin, one that nobody touches. */
enum { COUNTER, SLOT };

struct scene {
    struct act a;
    struct window k;
    MPI_Group parts; /* the ranks that take part */
    int me, last_ok, added;
    int out, in, compare;
};

/* An act in which the place is reached. */
static void suit(struct act *a, const char *where)
{
    if (!strncmp(where, "rma.told", 8))
        a->epoch = GROUPS;
    if (!strncmp(where, "rma.locked", 10) || !strncmp(where, "rma.unlocked", 12))
        a->epoch = (enum epoch)(EXCLUSIVE + a->epoch % 3);
    if (is_event(where) && a->role == BYSTANDER)
        a->role = TAKES_PART;
    if (!strncmp(where, "rma.served", 10))
        a->role = TARGET;
}

static bool each; /* combination of epoch, kind, operation and role */

static struct act act_of(const char *where, unsigned seed, unsigned first, int processes, int i)
{
    struct act a = {.number = i, .beneath = processes - i};
    unsigned k = first * (unsigned)(processes - 1) + (unsigned)i;

    a.dice = mix(seed * 1000003u + first * 1009u + (unsigned)i);
    a.victim = (int)(a.dice % (unsigned)a.beneath);
    a.epoch = (enum epoch)(k % EPOCHS);
    a.kind = (enum kind)(k / EPOCHS % KINDS);
    a.operation = (enum operation)(a.dice >> 8) % OPERATIONS;
    a.role = (enum role)(a.dice >> 16) % ROLES;
    if (each) {
        a.operation = (enum operation)(k / (EPOCHS * KINDS) % OPERATIONS);
        a.role = (enum role)(k / (EPOCHS * KINDS * OPERATIONS) % ROLES);
    }
    suit(&a, where);
    a.target = a.role == TARGET ? a.victim : (a.victim + 1) % a.beneath;
    return a;
}

static bool has_part(const struct scene *s)
{
    return s->a.role != BYSTANDER || s->me != s->a.victim;
}

/* Must all calls of the epoch succeed, whichever rank died? */
static bool is_apart(const struct scene *s)
{
    return s->a.role == BYSTANDER && s->a.epoch != FENCE && s->a.epoch != LOCK_ALL;
}

static int check(const struct scene *s, int err)
{
    int class = class_of(err);

    CHECK(class == MPI_SUCCESS || (class == FAILED && !is_apart(s)));
    return class;
}

static int open_epoch(struct scene *s)
{
    switch (s->a.epoch) {
    case FENCE:
        return check(s, MPI_Win_fence(0, s->k.win));
    case GROUPS:
        check(s, MPI_Win_post(s->parts, 0, s->k.win));
        return check(s, MPI_Win_start(s->parts, 0, s->k.win));
    case EXCLUSIVE:
        return check(s, MPI_Win_lock(MPI_LOCK_EXCLUSIVE, s->a.target, 0, s->k.win));
    case SHARED_LOCK:
        return check(s, MPI_Win_lock(MPI_LOCK_SHARED, s->a.target, 0, s->k.win));
    default:
        return check(s, MPI_Win_lock_all(0, s->k.win));
    }
}

static int close_epoch(struct scene *s)
{
    int err;

    switch (s->a.epoch) {
    case FENCE:
        return check(s, MPI_Win_fence(0, s->k.win));
    case GROUPS:
        err = check(s, MPI_Win_complete(s->k.win));
        check(s, MPI_Win_wait(s->k.win));
        return err;
    case EXCLUSIVE:
    case SHARED_LOCK:
        check(s, MPI_Win_flush(s->a.target, s->k.win));
        return check(s, MPI_Win_unlock(s->a.target, s->k.win));
    default:
        err = check(s, MPI_Win_flush(s->a.target, s->k.win)); /* R29: the close says more */
        check(s, MPI_Win_unlock_all(s->k.win));
        return err;
    }
}

/* S0-40: never an error.  Slots hold the number of the round; the counter counts operations. */
static void operate(struct scene *s, int round)
{
    MPI_Aint slot_at = disp_of(&s->k, s->a.target, SLOT + s->me, 4);
    MPI_Aint counter_at = disp_of(&s->k, s->a.target, COUNTER, 4);
    int t = s->a.target;
    MPI_Win w = s->k.win;
    MPI_Request q;

    s->out = round;
    s->compare = round - 1;
    s->in = -1;
    switch (s->a.operation) {
    case PUT:
        CHECK_OK(MPI_Put(&s->out, 1, MPI_INT, t, slot_at, 1, MPI_INT, w));
        break;
    case REQUEST:
        CHECK_OK(MPI_Rput(&s->out, 1, MPI_INT, t, slot_at, 1, MPI_INT, w, &q));
        check(s, MPI_Wait(&q, MPI_STATUS_IGNORE));
        break;
    case GET:
        CHECK_OK(MPI_Get(&s->in, 1, MPI_INT, t, slot_at, 1, MPI_INT, w));
        break;
    case SWAP:
        CHECK_OK(MPI_Compare_and_swap(&s->out, &s->compare, &s->in, MPI_INT, t, slot_at, w));
        break;
    case ACCUMULATE:
        s->out = 1;
        CHECK_OK(MPI_Accumulate(&s->out, 1, MPI_INT, t, counter_at, 1, MPI_INT, MPI_SUM, w));
        break;
    default:
        s->out = 1;
        CHECK_OK(MPI_Fetch_and_op(&s->out, &s->in, MPI_INT, t, counter_at, MPI_SUM, w));
    }
}

/* What an epoch that ended with success has brought. */
static void note(struct scene *s, int round)
{
    if (s->a.operation == GET)
        CHECK_EQ(s->in, 0);
    if (s->a.operation == SWAP)
        CHECK(s->in == s->last_ok || s->in == s->compare);
    if (s->a.operation == FETCH)
        CHECK(s->in >= s->added && s->in < ROUNDS * s->a.beneath);
    if (s->a.operation == PUT || s->a.operation == REQUEST ||
        (s->a.operation == SWAP && s->in == s->compare))
        s->last_ok = round;
    if (s->a.operation == ACCUMULATE || s->a.operation == FETCH)
        s->added++;
}

static void play(struct scene *s)
{
    for (int round = 1; has_part(s) && round <= ROUNDS; round++) {
        int opened = open_epoch(s), closed;

        operate(s, round);
        closed = close_epoch(s);
        CHECK(s->a.epoch == LOCK_ALL || s->a.epoch == FENCE || opened == MPI_SUCCESS ||
              closed == FAILED);
        if (closed == MPI_SUCCESS)
            note(s, round);
    }
}

/* The victim has died with the lock. */
static bool is_poisoned(const struct scene *s, const char *where)
{
    return !strcmp(where, "rma.locked") && (s->a.epoch == EXCLUSIVE || s->a.epoch == SHARED_LOCK);
}

/* S0-46, S0-48: what the lock of the target is now, for everybody. */
static void check_lock(struct scene *s, const char *where, MPI_Comm rest)
{
    int class = class_of(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, s->a.target, 0, s->k.win)), least, most;

    CHECK(class == MPI_SUCCESS || class == FAILED);
    CHECK_CLASS(MPI_Win_unlock(s->a.target, s->k.win), class);
    CHECK_OK(MPI_Allreduce(&class, &least, 1, MPI_INT, MPI_MIN, rest));
    CHECK_OK(MPI_Allreduce(&class, &most, 1, MPI_INT, MPI_MAX, rest));
    CHECK_EQ(least, most);
    CHECK(s->a.role != TARGET || class == FAILED);
    CHECK(s->a.role != BYSTANDER || class == MPI_SUCCESS);
    CHECK(!is_poisoned(s, where) || class == FAILED);
    if (s->a.epoch != EXCLUSIVE && s->a.epoch != SHARED_LOCK && s->a.role != TARGET)
        CHECK_EQ(class, MPI_SUCCESS); /* nobody held it */
}

static int read_int(struct scene *s, int i)
{
    int v = -1;

    CHECK_OK(MPI_Get(&v, 1, MPI_INT, s->a.target, disp_of(&s->k, s->a.target, i, 4), 1, MPI_INT,
                     s->k.win));
    CHECK_OK(MPI_Win_flush(s->a.target, s->k.win));
    return v;
}

/* Through lock_all, which is open towards survivors (R29).  Of an operation that failed it is not known whether it came. */
static void check_data(struct scene *s, MPI_Comm rest)
{
    int v, sum;

    CHECK_OK(MPI_Allreduce(&s->added, &sum, 1, MPI_INT, MPI_SUM, rest));
    CHECK_CLASS(MPI_Win_lock_all(0, s->k.win), FAILED);
    if (s->a.role != TARGET) {
        v = read_int(s, SLOT + s->me);
        CHECK(v >= s->last_ok && v <= ROUNDS);
        v = read_int(s, COUNTER);
        CHECK(v >= sum && v <= ROUNDS * s->a.beneath);
        CHECK_EQ(read_int(s, SLOT + s->a.beneath), 0);
    }
    CHECK_CLASS(MPI_Win_unlock_all(s->k.win), FAILED);
}

/* S0-98 */
static void check_failed(struct scene *s)
{
    MPI_Group failed;
    int n;

    CHECK_OK(MPI_Win_get_failed(s->k.win, &failed));
    MPI_Group_size(failed, &n);
    CHECK_EQ(n, 1);
    MPI_Group_free(&failed);
}

static void set_scene(struct scene *s, const struct act *a, MPI_Comm all)
{
    *s = (struct scene){.a = *a};
    snprintf(doing, sizeof doing, "act %d: epoch %d, %s, operation %d, role %d, victim %d of %d",
             a->number, a->epoch, kind_names[a->kind], a->operation, a->role, a->victim,
             a->beneath);
    MPI_Comm_rank(all, &s->me);
    s->k = make_window(kind_on(all, a->kind), 4 * (SLOT + a->beneath + 1), 4, all);
    MPI_Comm_group(all, &s->parts);
    if (a->role == BYSTANDER) {
        MPI_Group everybody = s->parts;

        MPI_Group_excl(everybody, 1, &a->victim, &s->parts);
        MPI_Group_free(&everybody);
    }
}

/* One act on `all`; returns the communicator of the survivors. */
static MPI_Comm play_act(const char *where, const struct act *a, MPI_Comm all)
{
    struct scene s;
    MPI_Comm rest;

    set_scene(&s, a, all);
    CHECK_OK(MPI_Comm_split(all, s.me == a->victim ? MPI_UNDEFINED : 0, -rank, &rest));
    if (s.me == a->victim) {
        meet_death(where, a->number, a->beneath - 1, 1 + a->dice % 200);
        play(&s);
        die_after(where, a->number);
    }
    MPI_Comm_set_errhandler(rest, MPI_ERRORS_RETURN);
    meet_survival(where, a->number, a->dice + (unsigned)s.me);
    play(&s);
    wait_until_dead(all, a->victim);
    CHECK_CLASS(MPI_Win_fence(MPI_MODE_NOSUCCEED, s.k.win), FAILED); /* S0-42: after any epoch */
    check_lock(&s, where, rest);
    check_data(&s, rest);
    check_failed(&s);
    free_window(&s.k); /* R30 */
    MPI_Group_free(&s.parts);
    return rest;
}

int main(int argc, char **argv)
{
    unsigned first = (unsigned)atoi(argv[2]);
    unsigned seed = !strcmp(argv[1], "random") ? lot() : 1;
    MPI_Comm all;

    each = argc > 3 && !strcmp(argv[3], "each");
    if (argc > 3 && !each)
        seed = (unsigned)atoi(argv[3]);
    arm(argv[1]);
    start(&argc, &argv);
    if (rank == 0)
        fprintf(stderr, "seed %u\n", seed);
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    for (int i = 0; i < size - 1; i++) {
        struct act a = act_of(argv[1], seed, first, size, i);
        MPI_Comm rest = play_act(argv[1], &a, all);

        MPI_Comm_free(&all);
        all = rest;
    }
    tell_deaths(argv[1], true, all);
    return finish();
}
