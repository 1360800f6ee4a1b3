/* SPDX-License-Identifier: BSD-3-Clause */
/* Timers, names, memory (MPI-5.0 9.1, 9.2, 9.6). */
/* RUN: -n 2 */
#include "../comm/common.h"

#include <stdint.h>
#include <time.h>

static void memory(void)
{
    MPI_Info info;
    char *p = (char *)3, *q = NULL;

    CHECK_OK(MPI_Alloc_mem(100000, MPI_INFO_NULL, &p));
    CHECK_EQ((uintptr_t)p % 64, 0);
    memset(p, 1, 100000);
    CHECK_OK(MPI_Free_mem(p));
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "mpi_minimum_memory_alignment", "4096"));
    CHECK_OK(MPI_Alloc_mem(10, info, &q));
    CHECK_EQ((uintptr_t)q % 4096, 0);
    CHECK_OK(MPI_Free_mem(q));
    CHECK_OK(MPI_Info_set(info, "mpi_minimum_memory_alignment", "33"));
    CHECK_CLASS(MPI_Alloc_mem(10, info, &q), MPI_ERR_INFO_VALUE);
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_Alloc_mem(0, MPI_INFO_NULL, &q));
    CHECK_OK(MPI_Free_mem(q));
    CHECK_CLASS(MPI_Alloc_mem(-1, MPI_INFO_NULL, &q), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Alloc_mem(1, MPI_INFO_NULL, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Alloc_mem(1, (MPI_Info)5, &q), MPI_ERR_INFO);
    CHECK_CLASS(MPI_Alloc_mem(INT64_MAX / 2, MPI_INFO_NULL, &q), MPI_ERR_NO_MEM);
}

int main(int argc, char **argv)
{
    struct timespec pause = {0, 20000000};
    char name[MPI_MAX_PROCESSOR_NAME];
    double t0, t1;
    int n = -1;

    start(&argc, &argv);
    CHECK_OK(MPI_Get_processor_name(name, &n));
    CHECK(n > 0 && (int)strlen(name) == n);
    CHECK_CLASS(MPI_Get_processor_name(NULL, &n), MPI_ERR_ARG);
    CHECK(MPI_Wtick() > 0 && MPI_Wtick() < 1e-3);
    t0 = MPI_Wtime();
    nanosleep(&pause, NULL);
    t1 = MPI_Wtime();
    CHECK(t1 - t0 >= 0.0199 && t1 - t0 < 5);
    CHECK_OK(MPI_Pcontrol(1, "anything"));
    memory();
    return finish();
}
