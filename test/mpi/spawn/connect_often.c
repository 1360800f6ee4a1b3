/* SPDX-License-Identifier: BSD-3-Clause */
/* Thousands of connections, made and disconnected, at ports that are opened and closed, and over sockets: memory,
 * descriptors and threads of the processes stay as they are.
 *
 * Arguments: how many rounds. */
/* RUN: -n 2 ; args 10000 ; time 120 */
/* RUN: -n 2 ; args 500 ; set MACHINES=2 ; time 60 */
/* RUN: -n 2 ; args 500 ; set AGREE_SHM=0 ; set COLL_SHM=0 ; time 60 */
#include "common.h"

#include <dirent.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define SETTLE                                                                                     \
    350 /* rounds after which all tables have grown, and rings of sockets have gone round */
#define GROWTH_MAX (64 * 4096) /* bytes; pages that are touched late, not what a round loses */

static MPI_Info job;

static int count_in(const char *path)
{
    DIR *d = opendir(path);
    int n = 0;

    CHECK(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

/* Memory that is only this process's: what the allocator holds. */
static long anonymous_bytes(void)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[256];
    long kib = -1;

    CHECK(f);
    while (fgets(line, sizeof(line), f))
        sscanf(line, "RssAnon: %ld", &kib);
    fclose(f);
    return kib * 1024;
}

static void talk(MPI_Comm inter)
{
    int mine = rank, theirs = -1;

    CHECK_OK(
        MPI_Sendrecv(&mine, 1, MPI_INT, 0, 0, &theirs, 1, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE));
    CHECK_EQ(theirs, 1 - rank);
    CHECK_OK(MPI_Comm_disconnect(&inter));
}

static void connect_once(void)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm inter;

    if (rank == 0) {
        CHECK_OK(MPI_Open_port(MPI_INFO_NULL, port));
        CHECK_OK(MPI_Publish_name("often", job, port));
    }
    CHECK_OK(MPI_Bcast(port, sizeof(port), MPI_CHAR, 0, MPI_COMM_WORLD));
    if (rank == 0)
        CHECK_OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
    else
        CHECK_OK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
    talk(inter);
    if (rank == 0) {
        CHECK_OK(MPI_Unpublish_name("often", job, port));
        CHECK_OK(MPI_Close_port(port));
    }
}

static int open_socket(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0), end = fd;

    snprintf(name.sun_path, sizeof(name.sun_path), "%s/often", getenv("MEND_TEST_TMP"));
    if (rank == 0)
        CHECK(!bind(fd, (struct sockaddr *)&name, sizeof(name)) && !listen(fd, 1));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) {
        end = accept(fd, NULL, NULL);
        close(fd);
        unlink(name.sun_path);
    } else {
        CHECK(!connect(fd, (struct sockaddr *)&name, sizeof(name)));
    }
    CHECK(end >= 0);
    return end;
}

int main(int argc, char **argv)
{
    int rounds = atoi(argv[1]), descriptors = 0, threads = 0, fd;
    long bytes = 0;
    MPI_Comm inter;

    start(&argc, &argv);
    job = hint("mend_scope", "job");
    fd = open_socket();
    for (int i = 0; i < rounds; i++) {
        connect_once();
        CHECK_OK(MPI_Comm_join(fd, &inter));
        talk(inter);
        if (i == SETTLE) {
            descriptors = count_in("/proc/self/fd");
            threads = count_in("/proc/self/task");
            bytes = anonymous_bytes();
        }
    }
    CHECK_EQ(count_in("/proc/self/fd"), descriptors);
    CHECK_EQ(count_in("/proc/self/task"), threads);
    CHECK(anonymous_bytes() - bytes < GROWTH_MAX);
    CHECK_OK(MPI_Info_free(&job));
    close(fd);
    return finish();
}
