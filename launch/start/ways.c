/* SPDX-License-Identifier: BSD-3-Clause */
/* ways.c – see ways.h.
 *
 * ssh asks nothing (BatchMode): nobody could answer for many hosts.  It is in a process group of its own, so that the keys of a terminal
 * reach the ranks by mpiexec only, and ends with mpiexec. */
#include "start/ways.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- this machine ---- */

static _Noreturn void be_fork(const struct mend_errand *what, int letter)
{
    char *argv[] = {(char *)"mpiexec", (char *)"--agent", NULL};
    int fd = fcntl(letter, F_DUPFD_CLOEXEC, MEND_START_INPUT_FD + 1);

    if (fd >= 0 && dup2(0, MEND_START_INPUT_FD) >= 0 && dup2(fd, 0) >= 0) {
        mend_process_give_back(what->before);
        execv("/proc/self/exe", argv);
    }
    _exit(127);
}

/* ---- ssh ---- */

/* The login shell reads it. */
static char *quoted(const char *word)
{
    char *text = mend_xalloc(4 * strlen(word) + 3, 1), *to = text;

    *to++ = '\'';
    for (; *word; word++)
        if (*word == '\'')
            to = stpcpy(to, "'\\''");
        else
            *to++ = *word;
    *to++ = '\'';
    return text;
}

struct mend_strings mend_way_ssh_words(const struct mend_errand *what)
{
    struct mend_strings words = {0};
    char *program = quoted(what->program);

    for (int i = 0; i < what->ssh->n; i++)
        mend_strings_add(&words, mend_xprintf("%s", what->ssh->at[i]));
    if (!what->ssh->n)
        mend_strings_add(&words, mend_xprintf("ssh"));
    mend_strings_add(&words, mend_xprintf("-x"));
    mend_strings_add(&words, mend_xprintf("-oBatchMode=yes"));
    mend_strings_add(&words, mend_xprintf("-oConnectTimeout=%d", what->connect_s));
    if (what->user)
        mend_strings_add(&words, mend_xprintf("-l%s", what->user));
    mend_strings_add(&words, mend_xprintf("--"));
    mend_strings_add(&words, mend_xprintf("%s", what->host));
    mend_strings_add(&words, mend_xprintf("%s --agent", program));
    free(program);
    return words;
}

static _Noreturn void be_ssh(const struct mend_errand *what, int letter, int says, pid_t parent)
{
    struct mend_strings words = mend_way_ssh_words(what);

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent && dup2(letter, 0) >= 0 && dup2(says, 1) >= 0 && dup2(says, 2) >= 0) {
        mend_process_give_back(what->before);
        execvp(words.at[0], words.at);
        fprintf(stderr, "mpiexec: %s: %s; --ssh names the program that logs in\n", words.at[0],
                strerror(errno));
    }
    _exit(2);
}

/* ---- any ---- */

static void close_both(int fd[2])
{
    for (int i = 0; i < 2; i++)
        if (fd[i] >= 0)
            close(fd[i]);
}

static bool open_pipes(enum mend_way way, int letter[2], int says[2])
{
    letter[0] = letter[1] = says[0] = says[1] = -1;
    if (pipe2(letter, O_CLOEXEC) == 0 && (way == MEND_WAY_fork || pipe2(says, O_CLOEXEC) == 0)) {
        fcntl(letter[1], F_SETFL, O_NONBLOCK);
        if (says[0] >= 0)
            fcntl(says[0], F_SETFL, O_NONBLOCK);
        return true;
    }
    close_both(letter);
    return false;
}

bool mend_way_start(enum mend_way way, const struct mend_errand *what, struct mend_started *s_p)
{
    int letter[2], says[2];
    pid_t self = getpid();

    *s_p = (struct mend_started){.pidfd = -1, .letter = -1, .says = -1};
    if (!open_pipes(way, letter, says))
        return false;
    s_p->pid = fork();
    if (s_p->pid == 0) {
        setpgid(0, 0);
        if (way == MEND_WAY_fork)
            be_fork(what, letter[0]);
        be_ssh(what, letter[0], says[1], self);
    }
    if (s_p->pid > 0)
        s_p->pidfd = (int)syscall(SYS_pidfd_open, s_p->pid, 0);
    close(letter[0]);
    if (says[1] >= 0)
        close(says[1]);
    s_p->letter = letter[1];
    s_p->says = says[0];
    return s_p->pidfd >= 0;
}

bool mend_way_listen(int fd, struct mend_said *s)
{
    char bytes[4096];
    ssize_t n = read(fd, bytes, sizeof(bytes));

    if (n <= 0)
        return n < 0 && (errno == EAGAIN || errno == EINTR);
    mend_way_hear(s, bytes, (size_t)n);
    return true;
}
