/* SPDX-License-Identifier: BSD-3-Clause */
/* ways.h – the ways to start an agent in a process of its own, as a table (ways.def).
 *
 * Whichever it is, a process of this machine stands for the agent until that has called: its standard input takes the letter,
 * and its end before the call means that the agent will not come. */
#ifndef MEND_LAUNCH_START_WAYS_H
#define MEND_LAUNCH_START_WAYS_H

#include "share/process.h"
#include "start/letter.h"

#define MEND_START_INPUT_FD 3 /* where the standard input of mpiexec is by way of fork */

enum mend_way {
#define WAY(name_, what_) MEND_WAY_##name_,
#include "start/ways.def"
#undef WAY
    MEND_WAYS
};

/* What is wanted. */
struct mend_errand {
    const char *host, *user;        /* ssh: user NULL: not said */
    const char *program;            /* ssh: mpiexec there */
    const struct mend_strings *ssh; /* the command, with words of the user's; n 0: ssh */
    int connect_s;                  /* for its connection */
    bool called;                    /* the agent was there, and its connection has ended */
    const struct mend_process *before;
};

/* The process that stands for the agent. */
struct mend_started {
    pid_t pid;  /* 0: none */
    int pidfd;  /* can be read when it has ended; -1: closed */
    int letter; /* takes the letter, never waits; -1: closed */
    int says;   /* what it says, never waits; -1: that goes where what mpiexec says goes */
};

/* False: errno.  The caller closes the descriptors and reaps the process. */
bool mend_way_start(enum mend_way way, const struct mend_errand *what, struct mend_started *s_p);

/* The command line of ssh, NULL behind it (the caller frees list and words). */
struct mend_strings mend_way_ssh_words(const struct mend_errand *what);

/* Why the agent has not come (the caller frees it).  status: of waitpid(); -1: it is too late, or ssh has ended before.  said: the last line; "": none. */
char *mend_way_excuse(enum mend_way way, const struct mend_errand *what, int status,
                      const char *said);

/* An agent that is ready says this line on its standard error: what a login prints comes before it. */
#define MEND_WAY_READY "mpiexec: this agent is ready"
#define MEND_WAY_LINES 100 /* that are passed on */

/* The program is not there, 127, or cannot be executed, 126; 0: that is not why. */
int mend_way_exit_status(int status, const char *said);

/* Of what an agent, or ssh, has said before that line one line is kept: the last one of mpiexec, or the last one.  Lines behind it are passed
 * on, as many as somebody may want to read. */
struct mend_said {
    char last[512], line[512];
    size_t n;
    bool ready;
    int told_n;
    void (*tell)(void *self, const char *line);
    void *self;
};

void mend_way_hear(struct mend_said *s, const char *bytes, size_t n);
const char *mend_way_said(struct mend_said *s);

/* Reads from fd.  False: no more comes. */
bool mend_way_listen(int fd, struct mend_said *s);

#endif
