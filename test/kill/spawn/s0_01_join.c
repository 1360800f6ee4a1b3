/* SPDX-License-Identifier: BSD-3-Clause */
/* A process dies while two join over a socket: before it has called, at the call, or within.  The other one gets an error
 * in bounded time, or the intercommunicator, on which the death is then reported.
 *
 *   S0-1: a call that needs a dead process returns in bounded time */
/* RUN: -n 2 --lenient-exit ; args before */
/* RUN: -n 2 --lenient-exit ; args later ; kill 1 at in:MPI_Comm_join:0 */
/* RUN: -n 2 ; args close ; cont 1 at in:MPI_Comm_join:0 */
/* RUN: -n 2 --lenient-exit ; args none ; kill 1 at call:MPI_Comm_join */
/* RUN: -n 2 ; args none ; kill 1 at call:MPI_Comm_join>member.invited */
/* RUN: -n 2 ; args none ; kill 0 at call:MPI_Comm_join>member.invite */
/* RUN: -n 2 ; args none ; kill 1 at call:MPI_Comm_join>member.hello */
/* RUN: -n 2 ; args none ; kill 0 at call:MPI_Comm_join>member.hello */
/* RUN: -n 2 --lenient-exit ; args any ; kill 0 at call:MPI_Comm_join>agree.enter */
/* RUN: -n 2 --lenient-exit ; args any ; kill 1 at call:MPI_Comm_join>agree.enter#2 */
/* RUN: -n 2 ; args none ; kill 1 at call:MPI_Comm_join>member.hello ; set MACHINES=2 */
/* RUN: -n 2 ; args none ; kill 0 at call:MPI_Comm_join>member.hello ; set AGREE_SHM=0 ; set COLL_SHM=0 */
#include "../common.h"

#include <sys/socket.h>
#include <sys/un.h>

enum { LISTENS };

static int open_socket(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    CHECK(fd >= 0);
    snprintf(name.sun_path, sizeof(name.sun_path), "%s/join", getenv("MEND_TEST_TMP"));
    if (rank == 0) {
        CHECK(!bind(fd, (struct sockaddr *)&name, sizeof(name)) && !listen(fd, 1));
        post(LISTENS);
        fd = accept(fd, NULL, NULL);
        CHECK(fd >= 0 && !unlink(name.sun_path));
        return fd;
    }
    await(LISTENS, 1);
    CHECK(!connect(fd, (struct sockaddr *)&name, sizeof(name)));
    return fd;
}

static int give_up(const char *how, int fd)
{
    if (!strcmp(how, "before"))
        die_now();
    if (!strcmp(how, "later"))
        await_kill();
    await_cont();
    close(fd);
    return finish();
}

int main(int argc, char **argv)
{
    const char *how = argv[1];
    bool gives_up = !strcmp(how, "before") || !strcmp(how, "later") || !strcmp(how, "close");
    MPI_Comm inter;
    int fd, err, word = 0;

    hold_cont();
    start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    fd = open_socket();
    if (gives_up && rank == 1)
        return give_up(how, fd);
    err = MPI_Comm_join(fd, &inter);
    if (gives_up)
        CHECK_CLASS(err, MPI_ERR_OTHER);
    else if (strcmp(how, "any") != 0)
        CHECK(class_of(err) == MPI_ERR_OTHER || class_of(err) == MPI_ERR_PROC_FAILED);
    if (!err) {
        MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
        CHECK_CLASS(MPI_Recv(&word, 1, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE),
                    MPI_ERR_PROC_FAILED);
        CHECK_OK(MPI_Comm_disconnect(&inter));
    }
    return finish();
}
