/* SPDX-License-Identifier: BSD-3-Clause */
/* An error of a process's own system call condemns nobody.  Where the kernel refuses
 * process_vm_readv and process_vm_writev, whatever the number of the error, large messages go in fragments, and nothing is lost and
 * nobody dies: neither if it refuses from the beginning, nor if it begins to in the middle of a job, nor if only
 * some of the processes are refused.  (ESRCH would prove a death if it came from the kernel itself; here the agent
 * looks and sees that the accused lives.)  s3_10_namespaces.sh runs it with the argument "none".
 *
 *   S3-10: a running process is not suspected
 *
 * RUN: -n 3 ; set SINGLE_COPY=always ; args ENOSYS ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect-no "killed"
 * RUN: -n 3 ; set SINGLE_COPY=always ; args EACCES ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect-no "killed"
 * RUN: -n 3 ; set SINGLE_COPY=always ; args EPERM ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect-no "killed"
 * RUN: -n 3 ; set SINGLE_COPY=always ; args EFAULT ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect-no "killed"
 * RUN: -n 3 ; set SINGLE_COPY=always ; args ENOMEM ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect-no "killed"
 * RUN: -n 3 ; set SINGLE_COPY=always ; args ESRCH ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect-no "killed"
 * RUN: -n 3 ; args ENOSYS ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect-no "killed"
 * RUN: -n 3 ; args EFAULT ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect-no "killed" */
#include "../common.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define W      MPI_COMM_WORLD
#define BYTES  1000000
#define ROUNDS 24

static const struct {
    const char *name;
    unsigned number;
} errors[] = {{"ENOSYS", ENOSYS}, {"EACCES", EACCES}, {"EPERM", EPERM},
              {"EFAULT", EFAULT}, {"ENOMEM", ENOMEM}, {"ESRCH", ESRCH}};

static unsigned error_of(const char *name)
{
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
        if (!strcmp(name, errors[i].name))
            return errors[i].number;
    CHECK(!"a name that the table has");
    return 0;
}

/* From here on process_vm_readv and process_vm_writev end with this error in this process. */
static void refuse(unsigned error)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof(code) / sizeof(code[0]), code};

    CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    CHECK_EQ(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter), 0);
}

/* Everybody gets a message from the one before and gives one to the next. */
static void pass_round(unsigned char *in, unsigned char *out, int round)
{
    MPI_Request r;

    fill(out, BYTES, (unsigned)(rank + round));
    CHECK_EQ(MPI_Irecv(in, BYTES, MPI_BYTE, (rank + size - 1) % size, round, W, &r), MPI_SUCCESS);
    CHECK_EQ(MPI_Send(out, BYTES, MPI_BYTE, (rank + 1) % size, round, W), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(wrong(in, BYTES, (unsigned)((rank + size - 1) % size + round)), -1);
}

int main(int argc, char **argv)
{
    unsigned char *in, *out;

    start(&argc, &argv);
    in = guarded(BYTES);
    out = guarded(BYTES);
    for (int round = 0; round < ROUNDS; round++) {
        /* rank 0 at once, rank 1 when it has pulled already, rank 2 never */
        if (rank < 2 && round == rank * ROUNDS / 2 && strcmp(argv[1], "none"))
            refuse(error_of(argv[1]));
        pass_round(in, out, round);
    }
    return finish();
}
