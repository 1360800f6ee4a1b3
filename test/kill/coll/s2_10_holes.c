/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives on a communicator that was validated: every kind in every form, each root, small and
 * large, on intra- and intercommunicators.  The results are those of the survivors; blocks that belong to
 * the dead, and all other memory, are unchanged.  With a dead root the completion call returns MPI_ERR_PROC_FAILED
 * (S0-15), and the next collective works.
 *
 * The arguments are `intra` or `inter` and the ranks that die first.  On an intercommunicator the lower
 * half of the ranks is one group.
 *
 *   S0-15: a nonblocking call never reports a failure when it starts
 *   S2-10: validate makes collectives and creation work again
 *
 * RUN: -n 2 ; args intra 1 ; expect "rank 0 ok"
 * RUN: -n 3 ; args intra 0 ; expect "rank 1 ok"
 * RUN: -n 5 ; args intra 1 3 ; expect "rank 0 ok"
 * RUN: -n 5 ; args intra 0 4 ; set COLL_SHM=0 ; expect "rank 1 ok"
 * RUN: -n 8 ; args intra 0 2 3 ; expect "rank 1 ok"
 * RUN: -n 8 ; args intra 7 6 5 4 3 ; set AGREE_SHM=0 ; set COLL_SHM=0 ; expect "rank 1 ok"
 * RUN: -n 16 ; args intra 1 4 9 15 ; expect "rank 0 ok"
 * RUN: -n 3 ; args inter 2 ; expect "rank 0 ok"
 * RUN: -n 5 ; args inter 0 ; expect "rank 1 ok"
 * RUN: -n 8 ; args inter 1 4 ; expect "rank 0 ok"
 * RUN: -n 9 ; args inter 0 1 8 ; expect "rank 2 ok" */
#include "kill/common.h"

#define UNTOUCHED (-77)
#define ROOM      70000
#define GAP       3

enum {
    BCAST,
    REDUCE,
    GATHER,
    GATHERV,
    SCATTER,
    SCATTERV,
    ROOTED, /* those before have a root */
    BARRIER = ROOTED,
    ALLREDUCE,
    ALLGATHER,
    ALLGATHERV,
    ALLTOALL,
    ALLTOALLV,
    ALLTOALLW,
    REDUCE_SCATTER,
    REDUCE_SCATTER_BLOCK,
    INTRA_ONLY, /* those from here on */
    SCAN = INTRA_ONLY,
    EXSCAN,
    ALLREDUCE_IN_PLACE,
    ALLGATHER_IN_PLACE,
    ALLTOALL_IN_PLACE,
    REDUCE_SCATTER_IN_PLACE,
    KINDS
};

enum { NOW, START, PREPARE, FORMS };

static MPI_Comm c;
static bool inter;
static int here, there;      /* sizes of my group and of the one that gives to me */
static int me, world_of[64]; /* my rank in c; world rank of a rank of that group */
static bool dead[64];        /* by world rank */
static int n;                /* elements of a block */
static int mine[ROOM], in[ROOM], out[ROOM], want[ROOM];
static int counts[64], displs[64], byte_displs[64], shares[64];
static MPI_Datatype ints[64];

static int value(int from, int to, int k)
{
    return from * 100000 + to * 1000 + k % 1000;
}

static bool has_gaps(int kind)
{
    return kind == GATHERV || kind == SCATTERV || kind == ALLGATHERV || kind == ALLTOALLV ||
           kind == ALLTOALLW;
}

static int begin_of(int kind, int block)
{
    return block * (n + (has_gaps(kind) ? GAP : 0));
}

/* Elements of the share of rank r of my group in a reduce_scatter; both groups have n * here * there. */
static int share_of(int kind, int r)
{
    int even = n * (inter ? there : 1);

    if (kind == REDUCE_SCATTER_BLOCK || kind == REDUCE_SCATTER_IN_PLACE || here == 1)
        return even;
    return r == 0 ? even + 1 : r == 1 ? even - 1 : even;
}

static int total(void)
{
    return n * here * (inter ? there : 1);
}

static int root_argument(int root)
{
    if (!inter)
        return root;
    if (root == rank)
        return MPI_ROOT;
    for (int r = 0; r < there; r++)
        if (world_of[r] == root)
            return r;
    return MPI_PROC_NULL;
}

#define FORM(now_, start_, prepare_) (form == NOW ? (now_) : form == START ? (start_) : (prepare_))
#define ALL(Name_, name_, ...)                                                                     \
    FORM(MPI_##Name_(__VA_ARGS__, c), MPI_I##name_(__VA_ARGS__, c, q),                             \
         MPI_##Name_##_init(__VA_ARGS__, c, MPI_INFO_NULL, q))

static int call(int kind, int form, int r, MPI_Request *q)
{
    MPI_Datatype t = MPI_INT;

    switch (kind) {
    case BARRIER:
        return FORM(MPI_Barrier(c), MPI_Ibarrier(c, q), MPI_Barrier_init(c, MPI_INFO_NULL, q));
    case BCAST:
        return ALL(Bcast, bcast, out, n, t, r);
    case REDUCE:
        return ALL(Reduce, reduce, mine, out, n, t, MPI_SUM, r);
    case GATHER:
        return ALL(Gather, gather, mine, n, t, out, n, t, r);
    case GATHERV:
        return ALL(Gatherv, gatherv, mine, n, t, out, counts, displs, t, r);
    case SCATTER:
        return ALL(Scatter, scatter, in, n, t, out, n, t, r);
    case SCATTERV:
        return ALL(Scatterv, scatterv, in, counts, displs, t, out, n, t, r);
    case ALLREDUCE:
        return ALL(Allreduce, allreduce, mine, out, n, t, MPI_SUM);
    case ALLGATHER:
        return ALL(Allgather, allgather, mine, n, t, out, n, t);
    case ALLGATHERV:
        return ALL(Allgatherv, allgatherv, mine, n, t, out, counts, displs, t);
    case ALLTOALL:
        return ALL(Alltoall, alltoall, in, n, t, out, n, t);
    case ALLTOALLV:
        return ALL(Alltoallv, alltoallv, in, counts, displs, t, out, counts, displs, t);
    case ALLTOALLW:
        return ALL(Alltoallw, alltoallw, in, counts, byte_displs, ints, out, counts, byte_displs,
                   ints);
    case REDUCE_SCATTER:
        return ALL(Reduce_scatter, reduce_scatter, mine, out, shares, t, MPI_SUM);
    case REDUCE_SCATTER_BLOCK:
        return ALL(Reduce_scatter_block, reduce_scatter_block, mine, out, shares[0], t, MPI_SUM);
    case SCAN:
        return ALL(Scan, scan, mine, out, n, t, MPI_SUM);
    case EXSCAN:
        return ALL(Exscan, exscan, mine, out, n, t, MPI_SUM);
    case ALLREDUCE_IN_PLACE:
        return ALL(Allreduce, allreduce, MPI_IN_PLACE, out, n, t, MPI_SUM);
    case ALLGATHER_IN_PLACE:
        return ALL(Allgather, allgather, MPI_IN_PLACE, n, t, out, n, t);
    case ALLTOALL_IN_PLACE:
        return ALL(Alltoall, alltoall, MPI_IN_PLACE, n, t, out, n, t);
    default:
        return ALL(Reduce_scatter_block, reduce_scatter_block, MPI_IN_PLACE, out, shares[0], t,
                   MPI_SUM);
    }
}

/* What I give, and what lies in the output buffer before. */
static void set_up(int kind, int root)
{
    for (int i = 0; i < ROOM; i++) {
        mine[i] = value(rank, 0, i);
        in[i] = out[i] = want[i] = UNTOUCHED;
    }
    for (int r = 0; r < there; r++) {
        counts[r] = n;
        displs[r] = begin_of(kind, r);
        byte_displs[r] = displs[r] * (int)sizeof(int);
        ints[r] = dead[world_of[r]] ? MPI_DOUBLE : MPI_INT; /* nobody looks at a hole's */
        for (int k = 0; k < n; k++)
            in[displs[r] + k] = value(rank, world_of[r], k);
    }
    for (int r = 0; r < here; r++)
        shares[r] = share_of(kind, r);
    if (kind == BCAST && rank == root)
        memcpy(out, mine, (size_t)n * sizeof(int));
    if (kind == ALLREDUCE_IN_PLACE || kind == REDUCE_SCATTER_IN_PLACE)
        memcpy(out, mine, (size_t)total() * sizeof(int));
    if (kind == ALLGATHER_IN_PLACE)
        memcpy(out + me * n, mine, (size_t)n * sizeof(int));
    if (kind == ALLTOALL_IN_PLACE)
        memcpy(out, in, (size_t)there * (size_t)n * sizeof(int));
    memcpy(want, out, sizeof(want));
}

/* want[0 .. len) = the contribution of survivors with ranks below `end`, from element `first` on. */
static void want_sum(int end, int first, int len)
{
    memset(want, 0, (size_t)len * sizeof(int));
    for (int r = 0; r < end; r++)
        for (int k = 0; k < len && !dead[world_of[r]]; k++)
            want[k] += value(world_of[r], 0, first + k);
}

/* Blocks of all survivors, each for every rank (to < 0) or for this one. */
static void want_blocks(int kind, bool for_me)
{
    for (int r = 0; r < there; r++)
        for (int k = 0; k < n && !dead[world_of[r]]; k++)
            want[begin_of(kind, r) + k] = value(world_of[r], for_me ? rank : 0, k);
}

static void expect(int kind, int root)
{
    bool at_root = rank == root, at_leaf = !at_root && root_argument(root) != MPI_PROC_NULL;
    int first = 0;

    for (int r = 0; r < me; r++)
        first += share_of(kind, r);
    if (kind == BCAST && at_leaf)
        for (int k = 0; k < n; k++)
            want[k] = value(root, 0, k);
    else if ((kind == SCATTER || kind == SCATTERV) && (at_leaf || (at_root && !inter)))
        for (int k = 0; k < n; k++)
            want[k] = value(root, rank, k);
    else if ((kind == REDUCE && at_root) || kind == ALLREDUCE || kind == ALLREDUCE_IN_PLACE)
        want_sum(there, 0, n);
    else if (kind == SCAN)
        want_sum(me + 1, 0, n);
    else if (kind == EXSCAN)
        want_sum(me, 0, n);
    else if (kind == REDUCE_SCATTER || kind == REDUCE_SCATTER_BLOCK)
        want_sum(there, first, share_of(kind, me));
    else if (kind == REDUCE_SCATTER_IN_PLACE) {
        want_sum(there, first, share_of(kind, me));
        memcpy(out + n, want + n, (size_t)(total() - n) * sizeof(int)); /* undefined: 6.10.1 */
    } else if (((kind == GATHER || kind == GATHERV) && at_root) || kind == ALLGATHER ||
               kind == ALLGATHERV || kind == ALLGATHER_IN_PLACE)
        want_blocks(kind, false);
    else if (kind == ALLTOALL || kind == ALLTOALLV || kind == ALLTOALLW ||
             kind == ALLTOALL_IN_PLACE)
        want_blocks(kind, true);
}

/* The first living rank has nothing before it: its buffer is undefined. */
static bool is_defined(int kind)
{
    bool any = false;

    for (int r = 0; r < me; r++)
        any |= !dead[world_of[r]];
    return kind != EXSCAN || any;
}

static void check_result(int kind, int form, int root)
{
    expect(kind, root);
    for (int i = 0; i < ROOM && is_defined(kind); i++)
        if (out[i] != want[i]) {
            fprintf(stderr, "rank %d: kind %d form %d root %d n %d: element %d is %d, not %d\n",
                    rank, kind, form, root, n, i, out[i], want[i]);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
}

/* A rank that has only a dead root to talk to is told so; its neighbours in the other group have no part. */
static int expected_class(int kind, int root)
{
    bool involved = !inter || root_argument(root) != MPI_PROC_NULL;

    return kind < ROOTED && dead[root] && involved ? MPI_ERR_PROC_FAILED : MPI_SUCCESS;
}

static void run(int kind, int form, int root)
{
    MPI_Request q = MPI_REQUEST_NULL;
    int class = expected_class(kind, root), r = root_argument(root);

    set_up(kind, root);
    if (form == NOW) {
        CHECK_CLASS(call(kind, form, r, &q), class);
    } else {
        CHECK_EQ(call(kind, form, r, &q), MPI_SUCCESS);
        for (int times = form == PREPARE ? 2 : 1; times > 0; times--) {
            if (form == PREPARE) {
                set_up(kind, root);
                CHECK_EQ(MPI_Start(&q), MPI_SUCCESS);
            }
            CHECK_CLASS(MPI_Wait(&q, MPI_STATUS_IGNORE), class);
        }
    }
    if (q != MPI_REQUEST_NULL)
        CHECK_EQ(MPI_Request_free(&q), MPI_SUCCESS);
    if (class == MPI_SUCCESS)
        check_result(kind, form, root);
    else
        CHECK_EQ(memcmp(out, want, sizeof(out)), 0);
}

static void make_inter(void)
{
    MPI_Comm half;
    bool upper = rank >= size / 2;

    MPI_Comm_split(MPI_COMM_WORLD, upper, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : size / 2, 1, &c);
    MPI_Comm_free(&half);
    MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
    MPI_Comm_remote_size(c, &there);
    for (int r = 0; r < there; r++)
        world_of[r] = upper ? r : r + size / 2;
}

static void make(void)
{
    c = MPI_COMM_WORLD;
    there = size;
    for (int r = 0; r < size; r++)
        world_of[r] = r;
    if (inter)
        make_inter();
    MPI_Comm_size(c, &here);
    MPI_Comm_rank(c, &me);
}

int main(int argc, char **argv)
{
    static const int lengths[] = {1, 40, 700};
    MPI_Group failed;
    int failed_n;
    bool many;

    start(&argc, &argv);
    inter = !strcmp(argv[1], "inter");
    many = size > 8; /* then not each length and root */
    for (int i = 2; i < argc; i++)
        dead[atoi(argv[i])] = true;
    make();
    post(1);
    await(1, size);
    if (dead[rank])
        die_now();
    CHECK_EQ(MPI_Comm_validate(c, &failed), MPI_SUCCESS);
    MPI_Group_size(failed, &failed_n);
    CHECK_EQ(failed_n, argc - 2);
    MPI_Group_free(&failed);
    for (int i = 0; i < 3; i += many ? 2 : 1) {
        n = lengths[i];
        for (int kind = 0; kind < (inter ? INTRA_ONLY : KINDS); kind++)
            for (int form = 0; form < FORMS; form++)
                for (int root = 0; root < (kind < ROOTED ? size : 1); root += many ? 5 : 1)
                    run(kind, form, root);
    }
    return finish();
}
