/* SPDX-License-Identifier: BSD-3-Clause */
/* probe.c – prints which system calls that Mend uses are there: under an emulator some are not. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

static void say(const char *name, int there)
{
    printf("%-36s %s\n", name, there ? "yes" : strerror(errno));
}

static int limit_holds(void)
{
    struct rlimit small = {1 << 20, RLIM_INFINITY}, now;

    return setrlimit(RLIMIT_AS, &small) == 0 && getrlimit(RLIMIT_AS, &now) == 0 &&
           now.rlim_cur == small.rlim_cur;
}

int main(void)
{
    int from = 7, to = 0;
    struct iovec here = {&to, sizeof to}, there = {&from, sizeof from};
    void *head;
    size_t len;

    say("get_robust_list", syscall(SYS_get_robust_list, 0, &head, &len) == 0);
    say("futex_waitv", syscall(SYS_futex_waitv, NULL, 0, 0, NULL, 0) != -1 || errno != ENOSYS);
    say("membarrier, global expedited",
        syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0);
    say("process_vm_readv", process_vm_readv(getpid(), &here, 1, &there, 1, 0) == sizeof to);
    say("pidfd_open", syscall(SYS_pidfd_open, getpid(), 0) >= 0);
    say("memfd_create", syscall(SYS_memfd_create, "probe", 0) >= 0);
    say("prctl(PR_SET_CHILD_SUBREAPER)", prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0);
    say("prctl(PR_SET_PDEATHSIG)", prctl(PR_SET_PDEATHSIG, 15, 0, 0, 0) == 0);
    say("prctl(PR_SET_NO_NEW_PRIVS)", prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    say("seccomp filter",
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL, 0, 0) == 0 || errno == EFAULT);
    errno = 0;
    say("RLIMIT_AS", limit_holds());
    return 0;
}
