/* SPDX-License-Identifier: BSD-3-Clause */
/* The publisher of a name dies: nobody finds the name any more, any survivor may publish it, and no file of it stays.  A
 * port of a dead process, and one that was never opened, are refused at once.
 *
 *   R34: a name of the dead is not found, and their ports are refused */
/* RUN: -n 4 ; args die */
/* RUN: -n 4 ; args die ; set MACHINES=2 */
/* RUN: -n 4 ; kill 1 at call:MPI_Publish_name ; args call */
/* RUN: -n 4 ; args abort ; exit 3 */
#include "../common.h"

#define DEAD 1

enum { PUBLISHED, TRIED };

static char port[MPI_MAX_PORT_NAME], found[MPI_MAX_PORT_NAME];

static int lookup(const char *name, MPI_Info info)
{
    return class_of(MPI_Lookup_name(name, info, found));
}

int main(int argc, char **argv)
{
    MPI_Info job;
    MPI_Comm inter;
    int mine;

    start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK_OK(MPI_Info_create(&job));
    CHECK_OK(MPI_Info_set(job, "mend_scope", "job"));
    if (rank == DEAD) {
        CHECK_OK(MPI_Open_port(MPI_INFO_NULL, port));
        CHECK_OK(MPI_Publish_name("n", job, port));
        post(PUBLISHED);
        if (!strcmp(argv[1], "abort"))
            MPI_Abort(MPI_COMM_WORLD, 3);
        await(TRIED, size - 1);
        die_now();
    }
    if (strcmp(argv[1], "call") != 0) {
        await(PUBLISHED, 1);
        CHECK_EQ(lookup("n", job), MPI_SUCCESS);
        CHECK_CLASS(MPI_Publish_name("n", job, "p"), MPI_ERR_SERVICE);
        post(TRIED);
    }
    wait_until_dead(MPI_COMM_WORLD, DEAD);
    CHECK_CLASS(MPI_Unpublish_name("n", job, found), MPI_ERR_SERVICE);
    if (*found)
        CHECK_CLASS(MPI_Comm_connect(found, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter), MPI_ERR_PORT);
    mine = MPI_Publish_name("n", job, "of a survivor") == MPI_SUCCESS;
    if (mine)
        post(PUBLISHED);
    await(PUBLISHED, strcmp(argv[1], "call") ? 2 : 1);
    CHECK_EQ(lookup("n", job), MPI_SUCCESS);
    CHECK_STR(found, "of a survivor");
    CHECK_OK(MPI_Info_free(&job));
    return finish();
}
