/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Comm_join: two processes with a socket between them get an intercommunicator, again and again; the socket is
 * quiet afterwards, also if it was of no use.
 *
 * Arguments: jobs: the ranks of this job meet a program that was started alone, which is another job. */
/* RUN: -n 2 ; args pairs */
/* RUN: -n 6 ; args pairs */
/* RUN: -n 4 ; args pairs ; set MACHINES=2 */
/* RUN: -n 4 ; args pairs ; set COLL_SHM=0 ; set AGREE_SHM=0 ; set REVOKE_SHM=0 */
/* RUN: -n 2 ; args threads */
/* RUN: -n 1 ; args jobs */
/* RUN: alone ; args jobs */
/* RUN: -n 1 ; args wrong */
#include "common.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS    20
#define THREADS_N 4

/* One end of a socket between the ranks 2k and 2k + 1; `which`: there may be several. */
static int open_socket(int which)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), taken;
    MPI_Comm pair;

    CHECK(fd >= 0);
    snprintf(name.sun_path, sizeof(name.sun_path), "%s/join.%d.%d", getenv("MEND_TEST_TMP"),
             rank / 2, which);
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair));
    if (rank % 2 == 0)
        CHECK(!bind(fd, (struct sockaddr *)&name, sizeof(name)) && !listen(fd, 1));
    CHECK_OK(MPI_Barrier(pair));
    if (rank % 2) {
        CHECK(!connect(fd, (struct sockaddr *)&name, sizeof(name)));
    } else {
        taken = accept(fd, NULL, NULL);
        CHECK(taken >= 0);
        close(fd);
        unlink(name.sun_path);
        fd = taken;
    }
    CHECK_OK(MPI_Comm_free(&pair));
    return fd;
}

/* Nothing is left in it, and both ends may use it. */
static void check_quiet(int fd)
{
    char c = 'x', seen = 0;

    CHECK(write(fd, &c, 1) == 1 && read(fd, &seen, 1) == 1 && seen == c);
    CHECK(recv(fd, &seen, 1, MSG_DONTWAIT) <= 0); /* the other end may have gone */
}

static void talk(MPI_Comm inter)
{
    int n, theirs = -1, mine = rank;

    CHECK_OK(MPI_Comm_remote_size(inter, &n));
    CHECK_EQ(n, 1);
    CHECK_OK(MPI_Comm_size(inter, &n));
    CHECK_EQ(n, 1);
    CHECK_OK(
        MPI_Sendrecv(&mine, 1, MPI_INT, 0, 0, &theirs, 1, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE));
    CHECK_EQ(theirs, rank ^ 1);
    CHECK_OK(MPI_Comm_disconnect(&inter));
}

static void pairs(void)
{
    int fd = open_socket(0);
    MPI_Comm inter;

    for (int i = 0; i < ROUNDS; i++) {
        if (i == 1) /* the program may have it so */
            CHECK(!fcntl(fd, F_SETFL, O_NONBLOCK));
        if (i == 2)
            CHECK(!fcntl(fd, F_SETFL, 0));
        if (i == 3 && rank % 2) /* the other one sleeps meanwhile */
            CHECK(!nanosleep(&(struct timespec){.tv_nsec = 50 * 1000 * 1000}, NULL));
        CHECK_OK(MPI_Comm_join(fd, &inter));
        if (i != 1)
            check_quiet(fd);
        talk(inter);
    }
    close(fd);
}

static void *join_often(void *arg)
{
    int fd = *(int *)arg;
    MPI_Comm inter;

    for (int i = 0; i < ROUNDS; i++) {
        CHECK_OK(MPI_Comm_join(fd, &inter));
        talk(inter);
    }
    return NULL;
}

static void threads(void)
{
    pthread_t t[THREADS_N];
    int fd[THREADS_N];

    for (int i = 0; i < THREADS_N; i++)
        fd[i] = open_socket(i);
    for (int i = 0; i < THREADS_N; i++)
        CHECK(!pthread_create(&t[i], NULL, join_often, &fd[i]));
    for (int i = 0; i < THREADS_N; i++)
        CHECK(!pthread_join(t[i], NULL) && !close(fd[i]));
}

static void refused(int fd)
{
    MPI_Comm inter = MPI_COMM_WORLD;

    CHECK_CLASS(MPI_Comm_join(fd, &inter), MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_EQ(inter, MPI_COMM_NULL);
    check_quiet(fd);
}

/* The child is a job of its own. */
static void jobs(char *program)
{
    int fd[2], status;
    char number[16];
    pid_t child;

    CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, fd));
    snprintf(number, sizeof(number), "%d", fd[1]);
    child = fork();
    if (child == 0) {
        for (char **e = environ; *e;) { /* alone */
            if (!strncmp(*e, "MEND_", 5)) {
                char name[64] = "";

                sscanf(*e, "%63[^=]", name);
                unsetenv(name);
            } else {
                e++;
            }
        }
        execl(program, program, "other", number, (char *)NULL);
        _exit(9);
    }
    close(fd[1]);
    refused(fd[0]);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    close(fd[0]);
}

/* What is not such a socket, or whose other end never joins. */
static void wrong(void)
{
    MPI_Comm inter = MPI_COMM_WORLD;
    int fd[2], fds[2];
    char junk[64] = "";

    CHECK(!pipe(fd));
    CHECK_CLASS(MPI_Comm_join(fd[0], &inter), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_join(-1, &inter), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_join(fd[0], NULL), MPI_ERR_ARG);
    close(fd[0]);
    close(fd[1]);
    CHECK(!socketpair(AF_UNIX, SOCK_DGRAM, 0, fds));
    CHECK_CLASS(MPI_Comm_join(fds[0], &inter), MPI_ERR_ARG);
    CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, fd) && !close(fd[1]));
    CHECK_CLASS(MPI_Comm_join(fd[0], &inter), MPI_ERR_OTHER);
    CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, fd));
    CHECK(write(fd[1], junk, 5) == 5 && !shutdown(fd[1], SHUT_WR));
    CHECK_CLASS(MPI_Comm_join(fd[0], &inter), MPI_ERR_OTHER);
    CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, fd));
    CHECK(write(fd[1], junk, 64) == 64);
    CHECK_CLASS(MPI_Comm_join(fd[0], &inter), MPI_ERR_OTHER);
    CHECK_EQ(inter, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int level;

    (void)argc;
    if (!strcmp(argv[1], "threads")) {
        CHECK_OK(MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level));
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        threads();
        return finish();
    }
    start(&argc, &argv);
    if (!strcmp(argv[1], "pairs"))
        pairs();
    else if (!strcmp(argv[1], "jobs"))
        jobs(argv[0]);
    else if (!strcmp(argv[1], "other"))
        refused(atoi(argv[2]));
    else
        wrong();
    return finish();
}
