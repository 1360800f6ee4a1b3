/* SPDX-License-Identifier: BSD-3-Clause */
/* Ports are found by name: a name has one publisher, any bytes and any length; those of a job are not those of the user;
 * what is not published is not found, and cannot be withdrawn. */
/* RUN: -n 2 */
/* RUN: -n 5 */
/* RUN: -n 1 */
/* RUN: alone */
#include "common.h"

#include <unistd.h>

#define LONG_BYTES 5000

static MPI_Info job;
static char port[MPI_MAX_PORT_NAME], found[MPI_MAX_PORT_NAME];

static void check_found(const char *name, MPI_Info info)
{
    CHECK_OK(MPI_Lookup_name(name, info, found));
    CHECK_STR(found, port);
}

static void barrier(void)
{
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Every process sees it, and only its publisher may withdraw it. */
static void one(const char *name, MPI_Info info, MPI_Info other)
{
    if (rank == 0)
        CHECK_OK(MPI_Publish_name(name, info, port));
    barrier();
    check_found(name, info);
    CHECK_CLASS(MPI_Lookup_name(name, other, found), MPI_ERR_NAME);
    CHECK_CLASS(MPI_Publish_name(name, info, port), MPI_ERR_SERVICE);
    if (rank != 0)
        CHECK_CLASS(MPI_Unpublish_name(name, info, port), MPI_ERR_SERVICE);
    CHECK_CLASS(MPI_Unpublish_name(name, info, "another port"), MPI_ERR_SERVICE);
    barrier();
    if (rank == 0)
        CHECK_OK(MPI_Unpublish_name(name, info, port));
    barrier();
    CHECK_CLASS(MPI_Lookup_name(name, info, found), MPI_ERR_NAME);
    CHECK_CLASS(MPI_Unpublish_name(name, info, port), MPI_ERR_SERVICE);
}

/* Several want it: one gets it. */
static void race(const char *name)
{
    int mine, all;

    barrier();
    mine = MPI_Publish_name(name, job, port) == MPI_SUCCESS;
    CHECK_OK(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(all, 1);
    check_found(name, job);
    barrier();
    if (mine)
        CHECK_OK(MPI_Unpublish_name(name, job, port));
    barrier();
}

/* The use of it all. */
static void meet(const char *name)
{
    MPI_Comm inter;

    if (rank == 0) {
        CHECK_OK(MPI_Publish_name(name, job, port));
        barrier();
        CHECK_OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
    } else {
        barrier();
        if (rank > 1)
            return;
        CHECK_OK(MPI_Lookup_name(name, job, found));
        CHECK_OK(MPI_Comm_connect(found, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
    }
    CHECK_OK(MPI_Comm_disconnect(&inter));
}

static void wrong(void)
{
    static char longest[MPI_MAX_PORT_NAME + 1];
    MPI_Info bad = hint("mend_scope", "planet");

    memset(longest, 'p', MPI_MAX_PORT_NAME);
    CHECK_CLASS(MPI_Publish_name("x", job, longest), MPI_ERR_PORT);
    CHECK_CLASS(MPI_Publish_name(NULL, job, port), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Publish_name("x", job, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Publish_name("x", bad, port), MPI_ERR_INFO_VALUE);
    CHECK_CLASS(MPI_Lookup_name("x", bad, found), MPI_ERR_INFO_VALUE);
    CHECK_CLASS(MPI_Lookup_name("x", job, NULL), MPI_ERR_ARG);
    CHECK_OK(MPI_Info_free(&bad));
}

int main(int argc, char **argv)
{
    static char bytes[256], longest[LONG_BYTES + 1], name[64];
    int pid = (int)getpid();

    start(&argc, &argv);
    job = hint("mend_scope", "job");
    for (int i = 1; i < 256; i++)
        bytes[i - 1] = (char)i;
    memset(longest, '/', LONG_BYTES);
    if (rank == 0 && getenv("MEND_LOCAL_RANK"))
        CHECK_OK(MPI_Open_port(MPI_INFO_NULL, port));
    else if (rank ==
             0) /* started without mpiexec: it has no port, but may publish that of another one */
        strcpy(port, "mend:00000000000000aa:0:1");
    CHECK_OK(MPI_Bcast(port, sizeof(port), MPI_CHAR, 0, MPI_COMM_WORLD));
    CHECK_OK(MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD));
    snprintf(name, sizeof(name), "mend test %d", pid); /* other jobs of the user run this, too */
    one(name, MPI_INFO_NULL, job);
    one("a", job, MPI_INFO_NULL);
    one("", job, MPI_INFO_NULL);
    one(bytes, job, MPI_INFO_NULL);
    one(longest, job, MPI_INFO_NULL);
    one("../../above", job, MPI_INFO_NULL); /* no path */
    for (int i = 0; i < 20; i++)
        race("b");
    if (size > 1)
        meet("c");
    wrong();
    CHECK_OK(MPI_Info_free(&job));
    return finish();
}
