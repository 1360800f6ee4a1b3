/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that start others, and these again: the intercommunicator works in both directions and merges, the new
 * processes have a world of their own, their arguments, directory and number of the command, and none of it is left
 * when the two have parted. */
/* RUN: -n 1 */
/* RUN: -n 2 */
/* RUN: -n 3 ; set COLL_SHM=0 ; set AGREE_SHM=0 ; set REVOKE_SHM=0 */
/* RUN: -n 4 ; set MACHINES=2 */
/* RUN: -n 5 --universe 40 */
#include "common.h"

#include <limits.h>
#include <unistd.h>

static void check_merged(MPI_Comm inter, int high, int own_n, int other_n)
{
    MPI_Comm all;
    int at, n, r, sum;

    CHECK_OK(MPI_Intercomm_merge(inter, high, &all));
    CHECK_OK(MPI_Comm_rank(all, &at));
    CHECK_OK(MPI_Comm_size(all, &n));
    CHECK_OK(MPI_Comm_rank(MPI_COMM_WORLD, &r));
    CHECK_EQ(n, own_n + other_n);
    CHECK_EQ(at, high ? other_n + r : r);
    CHECK_OK(MPI_Allreduce(&at, &sum, 1, MPI_INT, MPI_SUM, all));
    CHECK_EQ(sum, n * (n - 1) / 2);
    CHECK_OK(MPI_Comm_free(&all));
}

/* Each process of one group with each of the other, small and large messages at once. */
static void exchange(MPI_Comm inter, int n)
{
    static char out[200000], in[200000];
    MPI_Request r[2];

    for (int i = 0; i < n; i++)
        for (int bytes = 8; bytes < 200000; bytes *= 20) {
            memset(out, i + bytes, (size_t)bytes);
            CHECK_OK(MPI_Irecv(in, bytes, MPI_BYTE, i, bytes, inter, &r[0]));
            CHECK_OK(MPI_Isend(out, bytes, MPI_BYTE, i, bytes, inter, &r[1]));
            CHECK_OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
        }
}

static void talk(MPI_Comm inter, int high)
{
    int own_n, other_n, sum = 0, one = 1;

    CHECK_OK(MPI_Comm_size(inter, &own_n));
    CHECK_OK(MPI_Comm_remote_size(inter, &other_n));
    CHECK_OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, inter));
    CHECK_EQ(sum, other_n);
    exchange(inter, other_n);
    check_merged(inter, high, own_n, other_n);
}

static void spawn_children(char *program, int n, int depth, char *dir, MPI_Comm comm)
{
    char depth_text[12], n_text[12];
    char *argv[] = {"child", depth_text, n_text, "0", dir, NULL};
    MPI_Info info = hint("wdir", dir);
    MPI_Comm inter;
    int codes[8], root;

    snprintf(depth_text, sizeof(depth_text), "%d", depth);
    snprintf(n_text, sizeof(n_text), "%d", n);
    CHECK_OK(MPI_Comm_size(comm, &root));
    CHECK_OK(MPI_Comm_spawn(program, argv, n, info, root - 1, comm, &inter, codes));
    for (int i = 0; i < n; i++)
        CHECK_EQ(codes[i], MPI_SUCCESS);
    talk(inter, 0);
    CHECK_OK(MPI_Comm_disconnect(&inter));
    CHECK_OK(MPI_Info_free(&info));
}

/* Two commands, which are one world. */
static void spawn_two(char *program)
{
    char *first[] = {"child", "1", "3", "0", "/", NULL};
    char *second[] = {"child", "1", "3", "1", "/tmp", NULL};
    char **argvs[] = {first, second}, *commands[] = {program, program};
    MPI_Info infos[] = {hint("wdir", "/"), hint("wdir", "/tmp")};
    const int n[] = {1, 2};
    MPI_Comm inter;

    CHECK_OK(MPI_Comm_spawn_multiple(2, commands, argvs, n, infos, 0, MPI_COMM_WORLD, &inter,
                                     MPI_ERRCODES_IGNORE));
    talk(inter, 0);
    CHECK_OK(MPI_Comm_disconnect(&inter));
    for (int i = 0; i < 2; i++)
        CHECK_OK(MPI_Info_free(&infos[i]));
}

/* argv: program, "child", generations with this one, size of the world, number of the command, directory */
static void be_child(char **argv, MPI_Comm parents)
{
    int depth = atoi(argv[2]), n, *appnum, flag;
    char dir[PATH_MAX];
    MPI_Comm copy;

    CHECK_OK(MPI_Comm_size(MPI_COMM_WORLD, &n));
    CHECK_EQ(n, atoi(argv[3]));
    CHECK_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, (void *)&appnum, &flag));
    CHECK(flag && *appnum == atoi(argv[4]));
    CHECK(getcwd(dir, sizeof(dir)) && !strcmp(dir, argv[5]));
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    if (depth > 1)
        spawn_children(argv[0], 2, depth - 1, "/", copy);
    CHECK_OK(MPI_Comm_free(&copy));
    talk(parents, 1);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_OK(MPI_Comm_disconnect(&parents));
    CHECK(parent() == MPI_COMM_NULL); /* MPI-5.0 11.8.2 */
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (parent() != MPI_COMM_NULL) {
        be_child(argv, parent());
    } else {
        spawn_children(argv[0], 3, 2, "/tmp", MPI_COMM_WORLD);
        spawn_children(argv[0], 1, 1, "/", MPI_COMM_WORLD);
        spawn_two(argv[0]);
    }
    return finish();
}
