/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives of members on several nodes, against a plain reference: barrier, broadcast and reduction at every root, allreduce,
 * allgather; every form, in place and not; types with gaps; operators of the user, commutative or not.  The communicators have
 * the ranks of the job in order, backwards, mixed, and without some of them, so that nodes are uneven and their members are
 * not neighbours.
 *
 * The messages are counted: between nodes go those of one leader each, and inside each other member sends or gets one.
 *
 * RUN: -n 2 ; set MACHINES=2 ; time 60
 * RUN: -n 3 ; set MACHINES=2 ; time 60
 * RUN: -n 4 ; set MACHINES=2 ; time 60
 * RUN: -n 5 ; set MACHINES=3 ; time 60
 * RUN: -n 8 ; set MACHINES=3 ; args short ; time 60
 * RUN: -n 16 ; set MACHINES=2 ; args short ; time 60
 * RUN: -n 16 ; set MACHINES=3 ; args short ; time 60
 * RUN: -n 5 ; set MACHINES=2 ; set EAGER_MAX=1k ; args short ; time 60
 * RUN: -n 5 ; set MACHINES=2 ; set COLL=barrier=dissemination,bcast=binomial,reduce=binomial,allreduce=ring,allgather=ring ; args flat ; time 60
 * RUN: -n 7 --map-by node ; set MACHINES=3 ; args short ; time 60
 * RUN: -n 4 ; args short */
#include "mpi/coll/ops.h"

#include <sched.h>
#include <time.h>

static MPI_Comm comm; /* whose ranks `rank` and `size` are */
static const struct op_case *o;
static int n;

/* ---- the messages of all members, of one call after a barrier ---- */

static MPI_T_pvar_session watch;
static MPI_T_pvar_handle sent;

static void start_counting(void)
{
    int level, index, count;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
    CHECK(MPI_T_pvar_get_index("coll_messages_sent", MPI_T_PVAR_CLASS_COUNTER, &index) ==
          MPI_SUCCESS);
    MPI_T_pvar_session_create(&watch);
    MPI_T_pvar_handle_alloc(watch, index, NULL, &sent, &count);
    MPI_T_pvar_start(watch, sent);
}

static unsigned long long sent_here(void)
{
    unsigned long long value = 0;

    MPI_T_pvar_read(watch, sent, &value);
    return value;
}

static int nodes_n(void)
{
    MPI_Comm node;
    int at, leads, sum;

    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &at);
    MPI_Comm_free(&node);
    leads = at == 0;
    MPI_Allreduce(&leads, &sum, 1, MPI_INT, MPI_SUM, comm);
    return sum;
}

static void count_messages(void)
{
    static const int leaders[] = {0, 0, 2, 4}; /* of an allreduce among so many */
    int nodes = nodes_n(), sum = 0, one = 1;
    unsigned long long begin, mine, all;

    begin = sent_here();
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    mine = sent_here() - begin;
    MPI_Allreduce(&mine, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, comm);
    snprintf(doing, sizeof doing, "%d ranks on %d nodes", size, nodes);
    CHECK(nodes < 4);
    if (nodes > 1)
        CHECK(all == (unsigned long long)(2 * (size - nodes) + leaders[nodes]));
    else
        CHECK(all == 0); /* a cell */
}

/* ---- results ---- */

static struct area given(bool in_place, struct area *out)
{
    struct area in = area_new((size_t)n * (size_t)o->extent);

    *out = area_new((size_t)n * (size_t)o->extent);
    op_give(o, in_place ? out : &in, n);
    return in;
}

static void checked(struct area *in, struct area *out)
{
    AREA_CHECK(in);
    AREA_CHECK(out);
    area_free(in);
    area_free(out);
}

static void reductions(int form, bool in_place)
{
    struct area out, in = given(in_place, &out);

    CALL(form, Allreduce, allreduce, in_place ? MPI_IN_PLACE : in.buf, out.buf, n, o->type, o->op,
         comm);
    op_expect(o, &out, 0, n, 0, size - 1);
    checked(&in, &out);
    for (int root = 0; root < size; root += n < 1000 ? 1 : 3) {
        bool here = in_place && rank == root;

        in = given(here, &out);
        CALL(form, Reduce, reduce, here ? MPI_IN_PLACE : in.buf, rank == root ? out.buf : NULL, n,
             o->type, o->op, root, comm);
        if (rank == root)
            op_expect(o, &out, 0, n, 0, size - 1);
        checked(&in, &out);
    }
}

/* Type maps differ between ranks. */
static void movements(int form, bool in_place, int ints)
{
    const struct layout *mine = &layouts[rank % LAYOUTS], *all = &layouts[(rank + 1) % LAYOUTS];
    struct area in = area_of(mine, ints), out = area_of(all, ints * size);

    for (int root = 0; root < size; root += ints < 1000 ? 1 : 3) {
        struct area a = area_of(mine, ints);

        for (int i = 0; i < ints; i++)
            if (rank == root)
                area_put(&a, mine, i, datum(root, 0, i));
            else
                area_expect(&a, mine, i, datum(root, 0, i));
        CALL(form, Bcast, bcast, a.buf, ints / mine->n, mine->type, root, comm);
        AREA_CHECK(&a);
        area_free(&a);
    }
    for (int i = 0; i < ints; i++)
        if (in_place)
            area_put(&out, all, rank * ints + i, datum(rank, 1, i));
        else
            area_put(&in, mine, i, datum(rank, 1, i));
    for (int i = 0; i < ints * size; i++)
        area_expect(&out, all, i, datum(i / ints, 1, i % ints));
    CALL(form, Allgather, allgather, in_place ? MPI_IN_PLACE : in.buf, ints / mine->n, mine->type,
         out.buf, ints / all->n, all->type, comm);
    checked(&in, &out);
}

/* Nobody leaves before all have come.  All processes read one clock. */
static void barriers(int form)
{
    double came, left, last_came, first_left;
    struct timespec t;

    for (int i = 0; i < rank % 3; i++)
        sched_yield();
    clock_gettime(CLOCK_MONOTONIC, &t);
    came = (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
    CALL(form, Barrier, barrier, comm);
    clock_gettime(CLOCK_MONOTONIC, &t);
    left = (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
    MPI_Allreduce(&came, &last_came, 1, MPI_DOUBLE, MPI_MAX, comm);
    MPI_Allreduce(&left, &first_left, 1, MPI_DOUBLE, MPI_MIN, comm);
    CHECK(first_left >= last_came);
}

static void all_results(bool brief)
{
    EACH_FORM(form)
    for (int l = 0; l < LENGTHS; l++)
        for (int in_place = 0; in_place < 2; in_place++) {
            if (brief && ((form + l + in_place) % 3 || (size > 8 && lengths[l] > 10000)))
                continue;
            for (int k = 0; k < OP_CASES; k++) {
                o = &op_cases[k];
                n = op_length(o, lengths[l]);
                snprintf(doing, sizeof doing, "%s, %d elements, form %d, in place %d, %d ranks",
                         o->name, n, form, in_place, size);
                if (n < (brief ? 50 : 10000) || k == l % OP_CASES)
                    reductions(form, in_place);
            }
            snprintf(doing, sizeof doing, "%d ints, form %d, in place %d, %d ranks", lengths[l],
                     form, in_place, size);
            movements(form, in_place, lengths[l] / 2 * 2);
            barriers(form);
        }
}

/* Makes `comm` of those of the job whose key is not negative, in the order of the keys. */
static void use(int key, const char *words)
{
    MPI_Comm_split(MPI_COMM_WORLD, key < 0 ? MPI_UNDEFINED : 0, key, &comm);
    if (comm == MPI_COMM_NULL)
        return;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (!strstr(words, "flat"))
        count_messages();
    all_results(strstr(words, "short") != NULL);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    const char *words = argc > 1 ? argv[1] : "";
    int me, all;

    start(&argc, &argv);
    ops_start();
    start_counting();
    me = rank;
    all = size;
    use(me, words);
    use(all - me, words);
    use(me * 7 % 5 * all + me, words);
    use(me == all / 2 ? -1 : me * 5 % 3 * all + me, words);
    MPI_T_pvar_session_free(&watch);
    MPI_T_finalize();
    ops_finish();
    return finish();
}
