/* SPDX-License-Identifier: BSD-3-Clause */
/* options.h – the command line of mpiexec as a struct. */
#ifndef MEND_LAUNCH_COMMAND_OPTIONS_H
#define MEND_LAUNCH_COMMAND_OPTIONS_H

#include "base/event.h"
#include "base/param.h"
#include "base/status.h"
#include "share/exit_status.h"
#include "share/port.h"
#include "command/given.h"
#include "command/hosts.h"
#include "command/place.h"
#include "rt/wire.h"

#include <stdio.h>
#include <sys/socket.h>

#define MEND_RANKS_MAX    MEND_CTL_RANKS_MAX
#define MEND_MACHINES_MAX 4096

enum mend_bind { MEND_BIND_AUTO, MEND_BIND_NONE, MEND_BIND_UNIT };

/* A growing list of strings, NULL-terminated. */
struct mend_strings {
    char **at;
    int n;
};

/* What ranks inherit of mpiexec's environment. */
struct mend_inherit {
    enum { MEND_INHERIT_UNSET, MEND_INHERIT_ALL, MEND_INHERIT_NONE, MEND_INHERIT_LIST } what;
    struct mend_strings named; /* NAME=VALUE, where mpiexec is */
};

/* Some addresses: those of an interface of that name, or in a network. */
struct mend_interface {
    const char *text; /* as the user wrote it; NULL: any */
    int family;       /* AF_UNSPEC: it is a name */
    unsigned char bytes[16];
    int bits;
};

/* How the agents of other hosts are started and reached. */
struct mend_remote {
    struct mend_strings ssh; /* a program and its flags; n 0: ssh */
    const char *prefix;      /* Mend is installed there; NULL: where it is here */
    const char *agent;       /* the mpiexec of other hosts; NULL: of the prefix */
    struct mend_interface interface;
    int port_first, port_last; /* 0: any */
    mend_time_ns connect_timeout_ns;
};

/* One block of the command line: "-n 4 --wdir /tmp prog args". */
struct mend_app {
    int ranks_n; /* 0: not said (while reading) */
    int spares_n;
    bool copies; /* one more process, which makes copies of itself */
    const char
        *soft; /* one of these numbers of ranks, at most ranks_n (MPI-5.0 11.8.4); NULL: not said */
    char **argv;
    char *path; /* what execve gets: argv[0] as found */
    const char *wdir;
    const char *dirs;             /* --path: looked through before PATH */
    const char *arch;             /* --arch */
    struct mend_hosts_list hosts; /* of this block only; n 0: those of all lists */
    struct mend_strings env;      /* NAME=VALUE */
    struct mend_inherit inherit;
};

/* A rank that shall wait in a call (blocked.c). */
struct mend_waiter {
    int rank;
    enum mend_waiter_state {
        MEND_WAITER_OPEN = 0,
        MEND_WAITER_ASKED,
        MEND_WAITER_THERE,
        MEND_WAITER_ELSEWHERE
    } state;
    uint32_t seq;     /* of the answer before */
    bool slept;       /* when it was looked at last */
    unsigned looks_n; /* at which it did not sleep */
};

/* One --inject: what happens to which rank, or to a node when a rank gets somewhere. */
struct mend_injection {
    int rank, number;    /* among those of that rank; -1: of none */
    int node;            /* -1: it is for the rank */
    mend_time_ns for_ns; /* ... it stands still; 0: it is switched off */
    bool done;           /* ... the agent was told */
    const char *value;   /* as the user wrote it */
    char *spec;          /* without the rank, as the rank's MEND_INJECT gets it */
    char *said;          /* NULL, or what was chosen at random */
    struct mend_inject what;
    struct mend_waiter *waiters; /* at in:CALL:RANKS */
    int waiters_n;
    int64_t question; /* of the root about them; 0: none that is open */
    bool hasty;       /* it wants to know at once if one does not wait */
    bool may_miss;    /* nobody minds if it does not happen */
    bool happened;
};

struct mend_options {
    struct mend_app *apps;
    int apps_n, ranks_n;
    int machines_n; /* agents, each with a node of its own; 0: one, in this process */
    struct mend_given_bytes
        given; /* for the agents of other hosts; at such an agent, from mpiexec */
    int node;  /* at such an agent: the number of its node */
    const struct mend_given *decided; /* ... what that says; NULL: this is mpiexec itself */
    bool is_agent;                    /* this process is the agent of another node */
    struct mend_hosts hosts;          /* of the nodes */
    struct mend_hosts_list listed;    /* those that may have ranks, as they are named */
    bool has_hosts;                   /* there was a list */
    struct mend_hosts_policy policy;
    bool numbers_said; /* --rank-by says how ranks are numbered */
    int spare_nodes_n;
    int left_out_n; /* hosts of the lists without an agent */
    bool no_local;  /* no ranks on this machine */
    bool show_map, do_not_launch;
    int *node_of;                       /* the node of each rank */
    struct mend_texts texts, variables; /* that the command line names */
    struct mend_remote remote;
    char **argv;               /* the command line */
    struct mend_strings env;   /* for all blocks */
    struct mend_strings notes; /* said when the command line is read, if not quiet */
    struct mend_strings kept;  /* texts that other members point into */
    struct mend_inherit inherit;
    int per_unit_n; /* ranks for each unit of kind per_unit; 0: not said */
    enum mend_unit per_unit;
    enum mend_bind bind;
    enum mend_unit bind_unit, map_unit;
    int bind_width;   /* units for each rank; 0: not said */
    bool bind_shared; /* also to what other jobs have claimed */
    bool mapped, no_oversubscribe, report_bindings;
    bool tag_output, timestamp_output, merge_output;
    bool pty;                              /* each rank writes to a terminal of its own */
    int stdin_rank;                        /* has our standard input; -1: none */
    const char *out_pattern, *err_pattern; /* NULL: to our own output */
    enum mend_exit_rule exit_rule;
    bool quiet, verbose, print_exits, gdb;
    int tty_rank;              /* inherits the terminal; -1: none */
    bool at_terminal;          /* mpiexec has one */
    int rows, columns;         /* of the one that mpiexec writes to; 0: it writes to none */
    mend_time_ns timeout_ns;   /* MEND_TIME_NEVER: none */
    struct mend_params params; /* as mpiexec itself has them */
    const char *report_path;
    struct mend_strings injects; /* the values of --inject */
    int seed; /* of the first injection that has a rank at random, and no seed of its own */
    struct mend_injection *injections;
    int injections_n;
};

/* Fills *o_p from the command line, and at an agent from what it has of is_agent, given and node before.  Does not return on --help, --version (exit 0) and on errors (a
 * message, exit 2; 127 or 126 for a program that is not there or cannot be executed). */
void mend_options_parse(int argc, char **argv, struct mend_options *o_p);

/* So many agents each agent of the job starts. */
static inline int mend_options_radix(const struct mend_options *o)
{
    return o->params.radix ? (int)o->params.radix : o->hosts.n;
}

/* The ports that agents may have. */
static inline struct mend_port_range mend_options_ports(const struct mend_options *o)
{
    return (struct mend_port_range){(uint16_t)o->remote.port_first, (uint16_t)o->remote.port_last};
}

/* How many processes wait to replace others: --spares, of all blocks. */
int mend_options_spares(const struct mend_options *o);

/* How many ranks a node has when the job starts. */
int mend_options_on_node(const struct mend_options *o, int node);

/* How many ranks there may ever be: mpiexec --universe. */
int mend_options_places(const struct mend_options *o);

/* inject.c: makes the injections from what --inject asks for in a job of o->ranks_n.  NULL, or in words what
 * is wrong.  of: the specifications of one rank, as its environment gets them; NULL: none. */
char *mend_injections_read(struct mend_options *o);
char *mend_injections_check(const char *text); /* a value of MEND_INJECT: NULL, or what is wrong */
char *mend_injections_of(const struct mend_options *o, int rank);

/* The text of --help. */
extern const char mend_help_text[];

/* find.c: finds the programs of all blocks.  Those of blocks with ranks or spares on a node that is wanted must be there, with
 * their directories.  Does not return if one is not (126, 127). */
void mend_find_programs(struct mend_options *o,
                        bool wanted(const struct mend_options *o, int node));

/* find.c: sets app->path for app->argv[0].  Does not return if there is no such program (126, 127). */
void mend_find_program(struct mend_app *app, struct mend_options *o);

/* find.c: the same while the job runs.  0, or an errno value. */
int mend_find_later(struct mend_app *app);

/* flags_env.c: does a rank inherit this NAME=VALUE of its host?  What it inherits of mpiexec because a list names it. */
bool mend_env_inherited(const struct mend_options *o, const struct mend_app *app, const char *text);
const struct mend_strings *mend_env_named(const struct mend_options *o, const struct mend_app *app);

/* flags_output.c: does a pattern have a file for each rank?  The name of the file (the caller frees it). */
bool mend_pattern_per_rank(const char *pattern);
char *mend_pattern_name(const char *pattern, int rank, int ranks_n, const char *host);

/* bind.c: the processors that this job may use. */
void mend_topology_read(struct mend_topology *t);

/* texts.c: the text of a file that the command line names, which o owns.  Does not return if it cannot be read.  add: takes both. */
const char *mend_texts_read(struct mend_options *o, const char *flag, const char *name);
void mend_texts_add(struct mend_texts *t, char *name, char *text);

/* here.c: is it a name or an address of this machine?  "node1" and "node1.cluster.org" are the same host, "node1.a.org" and
 * "node1.b.org" are not. */
bool mend_host_is_here(const char *name);
bool mend_host_is_same(const char *a, const char *b);

/* here.c: each machine has that name, or that address: "localhost", 127.0.0.1. */
bool mend_host_is_any(const char *name);

/* here.c: an address of this machine that belongs to it; false: there is none. */
bool mend_here_address(const struct mend_interface *x, struct sockaddr_storage *address_p);

/* flags_place.c: prints the nodes and their ranks. */
void mend_hosts_show(const struct mend_options *o, FILE *to);

/* text.c: this is an agent, whose errors mpiexec reports: without a hint. */
void mend_options_be_agent(void);

/* text.c: ends mpiexec with what is wrong; a remark that is printed unless --quiet is given. */
_Noreturn void mend_options_fail(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void mend_options_note(struct mend_options *o, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void mend_strings_add(struct mend_strings *s, char *text);

/* text.c: o owns the text from now on, which lives as long as mpiexec.  Returns it. */
char *mend_options_keep(struct mend_options *o, char *text);

/* malloc and friends that end the launcher when there is no memory. */
void *mend_xalloc(size_t count, size_t size);
char *mend_xprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
