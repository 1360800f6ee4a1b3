/* SPDX-License-Identifier: BSD-3-Clause */
/* Every collective, blocking, nonblocking and persistent, on intra- and
 * intercommunicators, loses a process before, inside and after it.  The job shrinks: in each act one
 * process dies in one collective on a communicator of all survivors, and they continue with the next one,
 * so the sizes go down to 2.  After each death:
 *   - every survivor has returned, with success or MPI_ERR_PROC_FAILED (S0-27, S0-29, S0-7), with the error
 *     if the victim never entered and its part is needed (S0-30, S0-31, R7), from the completion call
 *     for forms that have one (S0-15, S0-16);
 *   - a process that got success has the right result; only places for results were written, and nothing
 *     is written there later (S0-28);
 *   - the failure is final for that communicator, in every form (S0-84);
 *   - the communicator of the others always has an allreduce in progress, which succeeds (S0-10).
 *
 * Act i of run K takes the next collective and form of the table; seed, size and act determine root, victim,
 * length, MPI_IN_PLACE, and whether the type has gaps.
 *     args PLACE K [inter] [SEED]
 * PLACE is an event, counted from the call on, `never` (it does not enter), `after`, or `random` (a time;
 * the seed is printed).  test/kill/long takes all places and counts, with other seeds.
 *
 *   R7: scan and exscan count as collectives without a root
 *   S0-7: every member of every group is involved in a collective
 *   S0-10: an operation without a dead process never reports a failure
 *   S0-15: a nonblocking call never reports a failure when it starts
 *   S0-16: the completion call reports the failure
 *   S0-27: a collective that a death prevents ends with PROC_FAILED
 *   S0-28: a failed collective touches nothing but its output buffers
 *   S0-29: some members of a collective may succeed while others fail
 *   S0-30: a collective without a root fails at all if a member died before it
 *   S0-31: on an intercommunicator such a collective fails at all if a member of the other group died before it
 *   S0-84: an acknowledgement does not repair collectives
 *
 * RUN: -n 16 ; args never {n} ; expect "15 deaths" ; times 5
 * RUN: -n 9 ; args never {n} ; set COLL_SHM=0 ; expect "8 deaths" ; times 9
 * RUN: -n 9 ; args never {n} ; set COLL_SHM=0 ; set COLL=scan=linear ; expect "8 deaths" ; times 9
 * RUN: -n 9 ; args after {n} ; expect "8 deaths" ; times 9
 * RUN: -n 16 ; args random {n} ; expect "15 deaths" ; times 5
 * RUN: -n 9 ; args coll.enter {n} ; expect "8 deaths" ; times 9
 * RUN: -n 9 ; args coll.done {n} ; expect "8 deaths" ; times 9
 * RUN: -n 16 ; args coll.shm.arrived {n} ; expect "15 deaths" ; times 2
 * RUN: -n 9 ; args p2p.recv.matched {n} ; expect "8 deaths" ; times 9
 * RUN: -n 9 ; args p2p.data.sent {n} ; set SINGLE_COPY=never ; set EAGER_MAX=1k ; expect "8 deaths" ; times 9
 * RUN: -n 9 ; args p2p.send.rts {n} ; set SINGLE_COPY=always ; set EAGER_MAX=1k ; expect "8 deaths" ; times 9
 * RUN: -n 9 ; args p2p.recv.cts {n} ; set SINGLE_COPY=always ; set EAGER_MAX=1k ; expect "8 deaths" ; times 9
 * RUN: -n 9 ; args random {n} ; set SINGLE_COPY=always ; expect "8 deaths" ; times 9
 * RUN: -n 16 ; args coll.round {n} ; set COLL_SHM=0 ; expect "15 deaths" ; times 5
 * RUN: -n 9 ; args coll.round#3 {n} ; set COLL_SHM=0 ; expect "8 deaths" ; times 9
 * RUN: -n 9 ; args coll.round#2 {n} ; set COLL_SHM=0 ;
 *      set COLL=bcast=scatter_ring,reduce=halving,allreduce=ring,scan=linear,reduce_scatter=pairwise,gather=binomial,allgather=ring,alltoall=bruck ;
 *      expect "8 deaths" ; times 9
 * RUN: -n 9 ; args coll.round#2 {n} ; set COLL_SHM=0 ;
 *      set COLL=bcast=binomial,reduce=binomial,allreduce=halving,reduce_scatter=halving,gather=linear,allgather=bruck,alltoall=pairwise ;
 *      expect "8 deaths" ; times 9
 * RUN: -n 9 ; args coll.enter {n} ; set MACHINES=2 ; expect "8 deaths" ; times 9
 * RUN: -n 9 ; args coll.round {n} ; set MACHINES=2 ; expect "8 deaths" ; times 9
 * RUN: -n 9 ; args coll.round#2 {n} ; set MACHINES=2 ; expect "8 deaths" ; times 9
 * RUN: -n 9 ; args coll.round#3 {n} ; set MACHINES=3 ; expect "8 deaths" ; times 9
 * RUN: -n 9 ; args coll.done {n} ; set MACHINES=3 ; expect "8 deaths" ; times 9
 * RUN: -n 9 ; args p2p.recv.matched {n} ; set MACHINES=3 ; expect "8 deaths" ; times 9
 * RUN: -n 9 ; args never {n} ; set MACHINES=3 ; expect "8 deaths" ; times 9
 * RUN: -n 16 ; args never {n} inter ; expect "15 deaths" ; times 3
 * RUN: -n 9 ; args after {n} inter ; expect "8 deaths" ; times 6
 * RUN: -n 9 ; args random {n} inter ; expect "8 deaths" ; times 6
 * RUN: -n 9 ; args coll.enter {n} inter ; expect "8 deaths" ; times 6
 * RUN: -n 9 ; args coll.done {n} inter ; expect "8 deaths" ; times 6
 * RUN: -n 9 ; args coll.round {n} inter ; expect "8 deaths" ; times 6
 * RUN: -n 9 ; args p2p.recv.matched {n} inter ; expect "8 deaths" ; times 6
 * RUN: -n 9 ; args p2p.data.sent {n} inter ; set SINGLE_COPY=never ; set EAGER_MAX=1k ; expect "8 deaths" ; times 6
 */
#include "kill/coll/kinds.h"
#include "kill/melt.h"

struct play {
    const char *where;
    unsigned first, seed;
    bool inter;
};

/* One death. */
struct act {
    int number, beneath; /* processes */
    int victim;          /* id */
    unsigned dice;
    const struct kind *kind;
    enum form form;
};

/* The k-th collective that there is on such a communicator, in the table from the start again. */
static const struct kind *nth_kind(unsigned k, bool inter, unsigned *round_p)
{
    unsigned n = 0;

    for (int i = 0; i < KINDS; i++)
        n += !inter || !(kinds[i].flags & INTRA_ONLY);
    *round_p = k / n;
    for (k = k % n, n = 0;; n++)
        if ((!inter || !(kinds[n].flags & INTRA_ONLY)) && k-- == 0)
            return &kinds[n];
}

static struct act act_of(const struct play *p, int processes, int i)
{
    struct act a = {.number = i, .beneath = processes - i};
    unsigned round;

    a.dice = mix(p->seed * 1000003u + p->first * 1009u + (unsigned)i);
    a.victim = (int)(a.dice % (unsigned)a.beneath);
    a.kind = nth_kind(p->first * (unsigned)(processes - 1) + (unsigned)i, p->inter, &round);
    a.form = strncmp(p->where, "coll.shm", 8) ? (enum form)(round % FORMS) : BLOCKING;
    return a;
}

static void set_scene(const struct play *p, const struct act *a, MPI_Comm c, struct scene *s)
{
    static const int lengths[] = {0, 3, 700, 5000};
    unsigned dice = mix(a->dice);

    *s = (struct scene){.form = a->form, .kind = a->kind, .beneath = a->beneath};
    MPI_Comm_rank(c, &s->me);
    s->root = dice & 1 ? a->victim : (int)(dice % (unsigned)s->beneath);
    s->n = needs_large(p->where) ? 5000 : lengths[(dice >> 12) % 4];
    s->gaps = dice & 4;
    s->completion = (int)(dice >> 8) % COMPLETIONS;
    s->in_place = dice & 8 && !p->inter && has(s, MAY_BE_IN_PLACE);
    CHECK(scene_comm(s, c, p->inter));
    scene_open(s);
    if (dice & 16) { /* not the first one on this communicator */
        scene_begin(s);
        CHECK_EQ(scene_end(s, scene_call(s)), MPI_SUCCESS);
        scene_check(s, MPI_SUCCESS);
    }
}

/* The victim's part of an act. */
static _Noreturn void play_victim(const struct play *p, const struct act *a, struct scene *s)
{
    meet_death(p->where, a->number, a->beneath - 1, 1 + a->dice % (s->n > 100 ? 1500 : 300));
    CHECK_EQ(scene_end(s, scene_call(s)), MPI_SUCCESS); /* nobody else dies */
    scene_check(s, MPI_SUCCESS);
    die_after(p->where, a->number);
}

/* Must a survivor get the error if the victim never entered? */
static bool must_fail(const struct act *a, const struct scene *s)
{
    bool across = is_peer(s, a->victim);

    if (has(s, NEIGHBORS))
        return a->victim == from(s, 0) || a->victim == from(s, 1);
    if (has(s, ROOT_GETS))
        return s->me == s->root && across;
    if (has(s, ROOT_GIVES))
        return s->root == a->victim && across;
    return across;
}

static int play_survivor(const struct play *p, const struct act *a, struct scene *s, MPI_Comm all)
{
    bool never = !strcmp(p->where, "never");
    int err;

    post(slot(a->number, READY));
    if (never && a->dice & 64)
        wait_until_dead(all, a->victim);
    if (!never && mix(a->dice + (unsigned)s->me) & 1) /* some before the victim, some after it */
        await_in_mpi(slot(a->number, BEGUN), 1);
    err = scene_end(s, scene_call(s));
    CHECK(err == MPI_SUCCESS || err == MPI_ERR_PROC_FAILED);
    if (never && must_fail(a, s))
        CHECK_EQ(err, MPI_ERR_PROC_FAILED);
    scene_check(s, err);
    return err;
}

/* S0-84: all later collectives fail, in each form. */
static void check_final(const struct act *a, struct scene *s, MPI_Comm all)
{
    wait_until_dead(all, a->victim);
    CHECK_EQ(MPI_Barrier(s->c), MPI_ERR_PROC_FAILED);
    for (int form = 0; form < FORMS; form++) {
        if (s->q != MPI_REQUEST_NULL && (enum form)form != PERSISTENT)
            continue;
        s->form = (enum form)form;
        CHECK_EQ(scene_end(s, scene_call(s)), MPI_ERR_PROC_FAILED);
    }
    CHECK_EQ(MPI_Request_free(&s->q), MPI_SUCCESS);
}

/* Nothing is written after the call: what is put into the output afterwards stays. */
static void check_quiet(struct scene *s)
{
    CHECK_EQ(touched(s->out - EDGE, s->bytes + 2 * EDGE), -1);
}

/* One act on `all`; returns the communicator of the survivors. */
static MPI_Comm play_act(const struct play *p, const struct act *a, MPI_Comm all)
{
    int one = 1, sum = 0;
    struct scene s;
    MPI_Comm rest;
    MPI_Request q;

    set_scene(p, a, all, &s);
    CHECK_EQ(MPI_Comm_split(all, s.me == a->victim ? MPI_UNDEFINED : 0, -rank, &rest), MPI_SUCCESS);
    scene_begin(&s);
    if (s.me == a->victim)
        play_victim(p, a, &s);
    MPI_Comm_set_errhandler(rest, MPI_ERRORS_RETURN);
    CHECK_EQ(MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, rest, &q), MPI_SUCCESS);
    play_survivor(p, a, &s, all);
    memset(s.out, GUARD, s.bytes);
    check_final(a, &s, all);
    CHECK_EQ(MPI_Wait(&q, MPI_STATUS_IGNORE), MPI_SUCCESS); /* S0-10 */
    CHECK_EQ(sum, a->beneath - 1);
    check_quiet(&s);
    scene_close(&s);
    CHECK_EQ(MPI_Comm_free(&s.c), MPI_SUCCESS);
    return rest;
}

static struct play read_arguments(int argc, char **argv)
{
    struct play p = {.where = argv[1], .first = (unsigned)atoi(argv[2]), .seed = 1};

    if (!strcmp(p.where, "random"))
        p.seed = lot();
    for (int i = 3; i < argc; i++)
        if (!strcmp(argv[i], "inter"))
            p.inter = true;
        else
            p.seed = (unsigned)atoi(argv[i]);
    return p;
}

int main(int argc, char **argv)
{
    struct play p = read_arguments(argc, argv);
    MPI_Comm all;

    arm(p.where);
    start(&argc, &argv);
    if (rank == 0)
        fprintf(stderr, "seed %u\n", p.seed);
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    for (int i = 0; i < size - 1; i++) {
        struct act a = act_of(&p, size, i);
        MPI_Comm rest = play_act(&p, &a, all);

        MPI_Comm_free(&all);
        all = rest;
    }
    tell_deaths(p.where, true, all);
    return finish();
}
