/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank sleeps for a message of another node, for which its agent rings.  The agent stands still when the message comes, and until the rank looks
 * by itself: the ring comes late, and is not lost, which mpiexec would say (src/req/wait.c).
 *
 *   sleeper   receives ──────────────────────── looks ──────────── is rung
 *   its agent stands still ─────────────────────────────────────── goes on
 *   sender                  sends */
/* RUN: -n 2 ; set MACHINES=2 ; set LEASE=10 ; set SLEEP_MAX=0.4 */
#include "../../agent.h"

#include <signal.h>
#include <unistd.h>

#define SENDS_US 200000 /* less than SLEEP_MAX */
#define STILL_US 600000 /* more, and less than twice as much */

static void stop_agent(void)
{
    pid_t agent = own_agent();

    CHECK(kill(agent, SIGSTOP) == 0);
    if (fork() == 0) {
        usleep(STILL_US);
        kill(agent, SIGCONT);
        _exit(0);
    }
}

int main(int argc, char **argv)
{
    int word = 0;

    MPI_Init(&argc, &argv);
    know_rank();
    if (rank == 1) {
        CHECK_OK(MPI_Send(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
        stop_agent();
        CHECK_OK(MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    } else {
        CHECK_OK(MPI_Recv(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        usleep(SENDS_US);
        CHECK_OK(MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD));
    }
    MPI_Finalize();
    return 0;
}
