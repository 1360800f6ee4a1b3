/* SPDX-License-Identifier: BSD-3-Clause */
/* Callbacks with MPI_THREAD_MULTIPLE: they may call MPI, from several threads at once, and an error
 * handler that jumps away leaves the library usable (R24).
 *
 *   R24: an error handler may leave the call by longjmp */
/* RUN: -n 2 */
#include "../comm/common.h"

#include <pthread.h>
#include <setjmp.h>

#define THREADS 4

static __thread jmp_buf back;

static int del(MPI_Comm comm, int keyval, void *value, void *extra)
{
    int n, flag;

    CHECK_OK(MPI_Comm_size(comm, &n));
    CHECK_OK(MPI_Comm_test_inter(comm, &flag));
    CHECK(keyval && !extra);
    ++*(int *)value;
    return MPI_SUCCESS;
}

static void jump(MPI_Comm *comm, int *code, ...)
{
    int n;

    CHECK_OK(MPI_Comm_size(*comm, &n));
    longjmp(back, *code);
}

static void *work(void *arg)
{
    MPI_Comm mine = *(MPI_Comm *)arg;
    int deleted = 0, key;

    CHECK_OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, del, &key, NULL));
    for (int i = 0; i < 300; i++) {
        MPI_Group g, h;
        MPI_Info info;

        CHECK_OK(MPI_Comm_set_attr(mine, key, &deleted));
        CHECK_OK(MPI_Comm_delete_attr(mine, key));
        CHECK_OK(MPI_Comm_group(mine, &g));
        CHECK_OK(MPI_Group_excl(g, 1, (int[]){0}, &h));
        CHECK_OK(MPI_Info_create(&info));
        CHECK_OK(MPI_Info_set(info, "k", "v"));
        if (!setjmp(back)) {
            MPI_Send(NULL, 0, MPI_INT, 77, 0, mine);
            CHECK(!"reached");
        }
        CHECK_OK(MPI_Group_free(&h));
        CHECK_OK(MPI_Group_free(&g));
        CHECK_OK(MPI_Info_free(&info));
    }
    CHECK_EQ(deleted, 300);
    CHECK_OK(MPI_Comm_free_keyval(&key));
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[THREADS];
    MPI_Comm comms[THREADS];
    MPI_Errhandler jumping;
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
    CHECK_OK(MPI_Comm_create_errhandler(jump, &jumping));
    for (int i = 0; i < THREADS; i++) {
        CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]));
        CHECK_OK(MPI_Comm_set_errhandler(comms[i], jumping));
    }
    CHECK_OK(MPI_Errhandler_free(&jumping));
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_create(&t[i], NULL, work, &comms[i]));
    for (int i = 0; i < THREADS; i++) {
        pthread_join(t[i], NULL);
        CHECK_OK(MPI_Comm_free(&comms[i]));
    }
    MPI_Finalize();
    return 0;
}
