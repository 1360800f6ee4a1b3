/* SPDX-License-Identifier: BSD-3-Clause */
/* Any process dies while processes are started: the survivors among those that asked all get an error, or all get the
 * intercommunicator; the new processes leave MPI_Init with it or not at all; everything ends.
 *
 * Ranks 0 to 2 ask, ranks 3 and 4 are started.  A new process posts when it has left MPI_Init.
 *
 *   S0-38: no new process can use the intercommunicator if the root of a spawn reports a failure
 *   S2-5: creation is uniform: at all survivors or at none */
/* RUN: -n 3 --universe 9 ; kill 0 at spawn.ask ; args no */
/* RUN: -n 3 --universe 9 ; kill 0 at spawn.started ; args no */
/* RUN: -n 3 --universe 9 ; kill 0 at spawn.told ; args no */
/* RUN: -n 3 --universe 9 ; kill 1 at call:MPI_Comm_spawn ; args no */
/* RUN: -n 3 --universe 9 ; kill 1 at spawn.told ; args no */
/* RUN: -n 3 --universe 9 ; kill 0 at member.invite ; args no */
/* RUN: -n 3 --universe 9 ; kill 0 at member.hello ; args no */
/* RUN: -n 3 --universe 9 ; kill 3 at spawn.join ; args no */
/* RUN: -n 3 --universe 9 ; kill 4 at spawn.join ; args no */
/* RUN: -n 3 --universe 9 ; kill 3 at member.hello ; args no */
/* RUN: -n 3 --universe 9 --lenient-exit ; kill 4 at init.done ; args yes */
/* RUN: -n 3 --universe 9 --lenient-exit ; kill 3 at init.done ; args yes */
/* RUN: -n 3 --universe 9 ; kill 0 at spawn.started ; set MACHINES=2 ; args no */
/* RUN: -n 3 --universe 9 ; kill 1 at spawn.told ; set AGREE_SHM=0 ; args no */
/* RUN: -n 3 --universe 9 ; kill 3 at spawn.join ; set COLL_SHM=0 ; set AGREE_SHM=0 ; args no */
/* RUN: -n 3 --universe 9 ; kill 1 at spawn.told ; set MACHINES=3 ; args no */
/* RUN: -n 3 --universe 9 ; kill 3 at spawn.join ; set MACHINES=2 ; args no */
/* RUN: -n 3 --universe 9 ; kill 4 at spawn.join ; set MACHINES=3 ; args no */
/* RUN: -n 3 --universe 9 --lenient-exit ; kill 0 at agree.enter ; args any */
/* RUN: -n 3 --universe 9 --lenient-exit ; kill 3 at agree.enter ; args any */
/* RUN: -n 3 --universe 9 --lenient-exit ; kill 4 at agree.enter ; args any */
/* RUN: -n 3 --universe 9 --lenient-exit ; kill 2 at time:3ms? ; args any ; times 8 */
/* RUN: -n 3 --universe 9 --lenient-exit ; kill 3 at time:4ms? ; args any ; times 8 */
/* RUN: -n 3 --universe 9 --lenient-exit ; kill 4 at time:5ms? ; args any ; times 8 */
#include "../common.h"

enum { SEEN, GOT, REFUSED, RANKS_LEFT };

/* All that have come to the end know what became of it: then no two know different things. */
static void check(const char *how)
{
    CHECK(!posted(GOT) || !posted(REFUSED));
    if (!strcmp(how, "no"))
        CHECK(posted(GOT) == 0 && posted(SEEN) == 0);
    if (!strcmp(how, "yes"))
        CHECK(posted(REFUSED) == 0);
    CHECK(!posted(REFUSED) || !posted(SEEN));
}

int main(int argc, char **argv)
{
    char *child[] = {"child", NULL};
    MPI_Comm parent, inter;
    int err;

    start(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        post(SEEN);
        return finish();
    }
    err = MPI_Comm_spawn(argv[0], child, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                         MPI_ERRCODES_IGNORE);
    if (err)
        CHECK_CLASS(err, MPI_ERR_PROC_FAILED);
    post(err ? REFUSED : GOT);
    check(argv[1]);
    return finish();
}
