/* SPDX-License-Identifier: BSD-3-Clause */
/* deaths.c – a tool that prints deaths as they happen, in programs that know nothing of it.
 *
 *   mpicc -shared -fPIC -o libdeaths.so deaths.c
 *   mpiexec -n 4 env LD_PRELOAD=$PWD/libdeaths.so ./program
 *
 * The dynamic linker calls watch() before main(), so also before MPI_Init.  The library calls died() once for each
 * process whose death becomes known here, in any MPI call: so it may call MPI_T functions and no others
 * (MPI_T_CB_REQUIRE_MPI_RESTRICTED). */
#include <mpi.h>
#include <stdio.h>

/* What the element "cause" of the event says. */
static const char *const cause_name[] = {"for a reason not known yet",
                                         "by a signal",
                                         "by an exit",
                                         "by an abort",
                                         "because it was stopped",
                                         "with its node",
                                         "because it could not be reached"};

static void died(MPI_T_event_instance event, MPI_T_event_registration registration,
                 MPI_T_cb_safety safety, void *none)
{
    int rank, cause, code;
    unsigned long long verdict;
    MPI_Count here;

    (void)registration, (void)safety, (void)none;
    MPI_T_event_read(event, 0, &rank);
    MPI_T_event_read(event, 2, &cause);
    MPI_T_event_read(event, 3, &code);
    MPI_T_event_read(event, 5, &verdict);
    MPI_T_event_get_timestamp(event, &here);
    fprintf(stderr, "deaths: rank %d has died %s (%d), known here %.3f ms after the verdict\n",
            rank, cause_name[cause], code, (double)(here - (MPI_Count)verdict) / 1e6);
}

__attribute__((constructor)) static void watch(void)
{
    MPI_T_event_registration registration;
    int provided, index;

    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) ||
        MPI_T_event_get_index("process_failed", &index) ||
        MPI_T_event_handle_alloc(index, NULL, MPI_INFO_NULL, &registration) ||
        MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_MPI_RESTRICTED, MPI_INFO_NULL,
                                      NULL, died))
        fprintf(stderr, "deaths: this MPI library does not tell of deaths\n");
}
