/* SPDX-License-Identifier: BSD-3-Clause */
/* options.h – the command line of mpiexec as a struct. */
#ifndef MEND_LAUNCH_OPTIONS_H
#define MEND_LAUNCH_OPTIONS_H

#include "base/event.h"
#include "base/param.h"
#include "base/status.h"
#include "rt/wire.h"

#define MEND_RANKS_MAX MEND_CTL_RANKS_MAX

enum mend_bind { MEND_BIND_AUTO, MEND_BIND_NONE, MEND_BIND_CORE, MEND_BIND_SOCKET };

/* A growing list of strings, NULL-terminated. */
struct mend_strings {
    char **at;
    int n;
};

/* One block of the command line: "-n 4 --wdir /tmp prog args". */
struct mend_app {
    int ranks_n;
    char **argv;
    char *path; /* what execve gets: argv[0] as found */
    const char *wdir;
    const char *dirs;        /* --path: looked through before PATH */
    struct mend_strings env; /* NAME=VALUE */
};

/* One --inject: what, and to whom. */
struct mend_injection {
    int rank, number;  /* the how manieth of that rank */
    const char *value; /* as the user wrote it */
    char *spec;        /* without the rank, as the rank's MEND_INJECT gets it */
    char *said;        /* NULL, or what was chosen at random */
    struct mend_inject what;
    bool may_miss; /* nobody minds if it does not happen */
    bool happened;
};

struct mend_options {
    struct mend_app *apps;
    int apps_n, ranks_n;
    struct mend_strings env;   /* for all blocks */
    struct mend_strings notes; /* said when the command line is read, if not quiet */
    enum mend_bind bind;
    bool tag_output, strict_exit, quiet, verbose;
    int tty_rank;              /* inherits the terminal; -1: none, -2: decide */
    mend_time_ns timeout_ns;   /* MEND_TIME_NEVER: none */
    struct mend_params params; /* as mpiexec itself has them */
    const char *report_path;
    struct mend_strings injects; /* the values of --inject */
    struct mend_injection *injections;
    int injections_n;
};

/* Fills *o_p from the command line.  Does not return on --help, --version (exit 0) and on errors (a
 * message, exit 2; 127 or 126 for a program that is not there or cannot be executed). */
void mend_options_parse(int argc, char **argv, struct mend_options *o_p);

/* inject.c: makes the injections from what --inject asks for in a job of o->ranks_n.  NULL, or in words what
 * is wrong.  of: the specifications of one rank, as its environment gets them; NULL: none. */
char *mend_injections_read(struct mend_options *o);
char *mend_injections_check(const char *text); /* a value of MEND_INJECT: NULL, or what is wrong */
char *mend_injections_of(const struct mend_options *o, int rank);

/* The text of --help. */
extern const char mend_help_text[];

/* find.c: sets app->path for app->argv[0].  Does not return if there is no such program (126, 127). */
void mend_find_program(struct mend_app *app, struct mend_options *o);

/* Ends mpiexec with what is wrong; a remark that is printed unless --quiet is given. */
_Noreturn void mend_options_fail(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void mend_options_note(struct mend_options *o, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void mend_strings_add(struct mend_strings *s, char *text);

/* malloc and friends that end the launcher when there is no memory. */
void *mend_xalloc(size_t count, size_t size);
char *mend_xprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
