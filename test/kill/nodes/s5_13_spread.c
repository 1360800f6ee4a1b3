/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that are started while the job runs are on all nodes, the emptiest first; each reaches each, on its own node and on others,
 * and a process that dies afterwards is known to all.
 *
 *   S5-13: processes are created and connected across nodes, on living ones with room */
/* RUN: -n 4 ; set MACHINES=2 ; args 1 ; expect "1 nodes" */
/* RUN: -n 4 ; set MACHINES=2 ; args 4 ; expect "2 nodes" */
/* RUN: -n 4 ; set MACHINES=2 ; args 7 ; expect "2 nodes" */
/* RUN: -n 2 ; set MACHINES=4 ; args 2 ; expect "2 nodes" */
/* RUN: -n 1 ; set MACHINES=3 ; args 2 ; expect "2 nodes" */
/* RUN: -n 2 ; set MACHINES=4 ; args 6 ; expect "4 nodes" */
#include "../common.h"

static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Of the agents, which are the parents of the processes. */
static int count_nodes(MPI_Comm c)
{
    int parent = (int)getppid(), size, *all, n = 1;

    MPI_Comm_size(c, &size);
    all = malloc((size_t)size * sizeof(*all));
    CHECK_EQ(MPI_Allgather(&parent, 1, MPI_INT, all, 1, MPI_INT, c), MPI_SUCCESS);
    qsort(all, (size_t)size, sizeof(*all), by_value);
    for (int i = 1; i < size; i++)
        n += all[i] != all[i - 1];
    free(all);
    return n;
}

/* To the next and from the one before, short and long. */
static void pass_around(MPI_Comm all)
{
    enum { LONG = 200000 };
    int *out = malloc(LONG * sizeof(*out)), *in = malloc(LONG * sizeof(*in)), r, n;

    MPI_Comm_rank(all, &r);
    MPI_Comm_size(all, &n);
    for (int step = 1; step < n; step++)
        for (int len = 1; len <= LONG; len += LONG - 1) {
            int to = (r + step) % n, from = (r - step + n) % n;

            out[0] = out[len - 1] = r;
            CHECK_EQ(MPI_Sendrecv(out, len, MPI_INT, to, step, in, len, MPI_INT, from, step, all,
                                  MPI_STATUS_IGNORE),
                     MPI_SUCCESS);
            CHECK(in[0] == from && in[len - 1] == from);
        }
    free(out);
    free(in);
}

/* The last child dies; everybody hears of it. */
static void lose_last(MPI_Comm all)
{
    MPI_Comm rest;
    int r, n, rc = MPI_Barrier(all), m;

    MPI_Comm_rank(all, &r);
    MPI_Comm_size(all, &n);
    if (r == n - 1)
        die_now();
    while (rc == MPI_SUCCESS)
        rc = MPI_Barrier(all);
    CHECK_CLASS(rc, MPI_ERR_PROC_FAILED);
    CHECK_EQ(MPIX_Comm_shrink(all, &rest), MPI_SUCCESS);
    MPI_Comm_size(rest, &m);
    CHECK_EQ(m, n - 1);
    MPI_Comm_free(&rest);
}

int main(int argc, char **argv)
{
    MPI_Comm parent, inter, all;
    int children_n = atoi(argv[1]), n, r;

    start(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    inter = parent;
    if (parent == MPI_COMM_NULL)
        CHECK_EQ(MPI_Comm_spawn(argv[0], argv + 1, children_n, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
                                &inter, MPI_ERRCODES_IGNORE),
                 MPI_SUCCESS);
    CHECK_EQ(MPI_Intercomm_merge(inter, parent != MPI_COMM_NULL, &all), MPI_SUCCESS);
    MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
    pass_around(all);
    if (parent != MPI_COMM_NULL) {
        n = count_nodes(MPI_COMM_WORLD);
        MPI_Comm_rank(MPI_COMM_WORLD, &r);
        if (r == 0)
            printf("%d nodes\n", n);
        fflush(stdout);
    }
    lose_last(all);
    return finish();
}
