/* SPDX-License-Identifier: BSD-3-Clause */
/* guard_test.c – way protect: system calls into protected pages work, and the program keeps its signals.
 *
 *   S1-8: changes to memory are recorded page by page from a safe point on
 *   S1-9: a roll-back restores the state of the safe point exactly */
#include "snap/snap.h"

#include "base/test.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE  4096
#define BYTES (64 * PAGE)

static struct mend_snap *snap;
static char *memory;
static sigjmp_buf back;

static bool begin(void)
{
    struct mend_snap_setup setup = {.way = MEND_SNAP_WAY_PROTECT};
    enum mend_status st = mend_snap_create(&setup, &snap);

    CHECK(st == MEND_OK || st == MEND_ERR_UNSUPPORTED);
    if (st)
        return false;
    memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(memory, 'a', BYTES);
    return true;
}

static void end(void)
{
    mend_snap_destroy(snap);
    munmap(memory, BYTES);
}

/* Each kind of call that writes to memory, into pages that nobody has written to since the safe point. */
static void let_the_kernel_write(void)
{
    struct iovec parts[] = {{memory + 4 * PAGE, 2 * PAGE}, {memory + 8 * PAGE, 100}};
    struct msghdr m = {.msg_iov = parts, .msg_iovlen = 2};
    struct iovec here = {memory + 12 * PAGE, 3 * PAGE}, there = {memory + 40 * PAGE, 3 * PAGE};
    struct stat *st = (void *)(memory + 16 * PAGE);
    int zero = open("/dev/zero", O_RDONLY), pair[2];

    CHECK(read(zero, memory, 4 * PAGE) == 4 * PAGE);
    CHECK(readv(zero, parts, 2) == 2 * PAGE + 100);
    CHECK(process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 3 * PAGE);
    CHECK(fstat(zero, st) == 0 && st->st_rdev);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    memset(memory + 20 * PAGE, 'b', PAGE);
    CHECK(send(pair[0], memory + 20 * PAGE, 300, 0) == 300);
    parts[0] = (struct iovec){memory + 24 * PAGE, 10};
    parts[1] = (struct iovec){memory + 28 * PAGE, 1000};
    CHECK(recvmsg(pair[1], &m, 0) == 300);
    CHECK(memory[24 * PAGE] == 'b' && memory[28 * PAGE + 289] == 'b' && memory[5 * PAGE] == 0);
    CHECK(syscall(SYS_sched_getattr, 0, memory + 32 * PAGE, 48, 0) ==
          0); /* one that is not known */
    close(zero);
    close(pair[0]);
    close(pair[1]);
}

MEND_TEST(calls_into_protected_pages)
{
    int value;

    if (!begin())
        return;
    CHECK(mend_snap_enter(snap, &value) == MEND_OK);
    if (value < 3) {
        let_the_kernel_write();
        CHECK(mend_snap_roll_back(snap, value + 1) == MEND_OK);
    }
    CHECK(value == 3);
    for (size_t i = 0; i < BYTES; i++)
        CHECK(memory[i] == 'a');
    mend_snap_commit(snap);
    end();
}

/* Mappings that change while pages are protected. */
MEND_TEST(mappings)
{
    int value;
    char *p;

    if (!begin())
        return;
    CHECK(mend_snap_enter(snap, &value) == MEND_OK);
    if (!value) {
        CHECK(mprotect(memory, 2 * PAGE, PROT_NONE) == 0);
        CHECK(madvise(memory + 4 * PAGE, 2 * PAGE, MADV_DONTNEED) == 0 && memory[5 * PAGE] == 0);
        CHECK(munmap(memory + 8 * PAGE, PAGE) == 0);
        p = mremap(memory + 16 * PAGE, 8 * PAGE, 80 * PAGE, MREMAP_MAYMOVE);
        CHECK(p != MAP_FAILED && p[0] == 'a');
        p[0] = 'c';
        CHECK(mend_snap_roll_back(snap, 1) == MEND_OK);
    }
    for (size_t i = 0; i < BYTES; i++)
        CHECK(memory[i] == 'a');
    mend_snap_commit(snap);
    end();
}

static void on_fault(int signal)
{
    siglongjmp(back, signal);
}

static void on_signal(int signal)
{
    memory[10 * PAGE] = (char)signal;
}

/* The program's faults are still its own, and none of ours is kept away by a mask. */
MEND_TEST(signals_of_the_program)
{
    struct sigaction act = {.sa_handler = on_fault}, old;
    sigset_t all, before;
    int value;

    if (!begin())
        return;
    sigfillset(&all);
    CHECK(mend_snap_enter(snap, &value) == MEND_OK);
    if (!value) {
        CHECK(sigaction(SIGSEGV, &act, &old) == 0 && old.sa_handler == SIG_DFL);
        mprotect(memory, PAGE, PROT_READ);
        if (sigsetjmp(back, 1) == 0) {
            *(volatile char *)memory = 1;
            CHECK(!"a page that the program protects");
        }
        act = (struct sigaction){.sa_handler = on_signal, .sa_mask = all};
        CHECK(sigaction(SIGUSR1, &act, NULL) == 0 && raise(SIGUSR1) == 0);
        CHECK(memory[10 * PAGE] == SIGUSR1);
        sigprocmask(SIG_SETMASK, &all, &before);
        memory[20 * PAGE] = 1;
        sigprocmask(SIG_SETMASK, &before, NULL);
        CHECK(mend_snap_roll_back(snap, 1) == MEND_OK);
    }
    CHECK(memory[0] == 'a' && memory[10 * PAGE] == 'a' && memory[20 * PAGE] == 'a');
    mend_snap_commit(snap);
    end();
    CHECK(sigaction(SIGSEGV, NULL, &old) == 0 && old.sa_handler == on_fault);
    signal(SIGSEGV, SIG_DFL);
}

/* Children are not protected, and their parent does not notice them. */
MEND_TEST(children)
{
    int value, status;
    pid_t child;

    if (!begin())
        return;
    CHECK(mend_snap_enter(snap, &value) == MEND_OK);
    if (!value) {
        memory[0] = 'b';
        child = fork();
        if (!child) {
            memset(memory, 'c', BYTES);
            _exit(read(open("/dev/zero", O_RDONLY), memory + 9 * PAGE, 9) == 9 ? 0 : 1);
        }
        CHECK(waitpid(child, &status, 0) == child && status == 0);
        CHECK(system("exit 3") >> 8 == 3);
        signal(SIGSEGV, on_fault); /* calls pass now, and this one with them */
        CHECK(mend_snap_enter(snap, &value) == MEND_OK);
        memory[30 * PAGE] = 'd';
        mend_snap_commit(snap);
        CHECK(mend_snap_roll_back(snap, 1) == MEND_OK);
    }
    for (size_t i = 0; i < BYTES; i++)
        CHECK(memory[i] == 'a');
    mend_snap_commit(snap);
    end();
}

/* Far more mappings than the kernel allows, if each page were opened alone. */
MEND_TEST(every_other_page)
{
    enum { PAGES = 150000 };
    int value;
    char *p;

    if (!begin())
        return;
    p = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
             0);
    CHECK(p != MAP_FAILED);
    CHECK(mend_snap_enter(snap, &value) == MEND_OK);
    if (!value) {
        for (size_t i = 0; i < PAGES; i += 2)
            p[i * PAGE] = 1;
        CHECK(mend_snap_roll_back(snap, 1) == MEND_OK);
    }
    for (size_t i = 0; i < PAGES; i++)
        CHECK(p[i * PAGE] == 0);
    mend_snap_commit(snap);
    munmap(p, (size_t)PAGES * PAGE);
    end();
}

int main(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    puts("1..0 # SKIP a sanitizer's memory is larger than what can be recorded");
    return 0;
#endif
    return mend_test_main();
}
