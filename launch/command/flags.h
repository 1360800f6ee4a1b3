/* SPDX-License-Identifier: BSD-3-Clause */
/* flags.h – declarations that the files of flags share with the table in flags.c. */
#ifndef MEND_LAUNCH_COMMAND_FLAGS_H
#define MEND_LAUNCH_COMMAND_FLAGS_H

#include "command/options.h"

struct mend_named;

struct mend_parse {
    struct mend_options *o;
    struct mend_app app;      /* the block that is being read */
    struct mend_named *named; /* flags_hosts.c: the words of --host in this block */
    int named_n;
    bool has_file; /* a file of hosts was read */
    char **argv;
    int argc, at;
    char **from_file; /* argv, if it is the words of a file, else NULL */
    char *flag;       /* as the user wrote it */
    const char *why;  /* what the table says of it */
};

/* One flag was read.  value: what follows it, or what the table gives for a flag without a value; second: the
 * value after that, NULL if the flag has only one. */
typedef void mend_on_flag(struct mend_parse *p, const char *value, const char *second);

/* flags.c: reads the flag at p->at, and its values.  Values of a flag: a number; one of a parameter; the next word of
 * the command line.  All end mpiexec with a message if it is wrong. */
void mend_flag_read(struct mend_parse *p);
int mend_flag_number(const char *flag, const char *value, int min, int max);
mend_time_ns mend_flag_seconds(const char *flag, const char *value); /* flags_job.c */
void mend_flag_param(const char *flag, const struct mend_param_info *p, const char *value);
const char *mend_flag_next_value(struct mend_parse *p);

/* flags_job.c: what to start, what mpiexec prints, how the job ends */
mend_on_flag mend_on_n, mend_on_wdir, mend_on_path, mend_on_usize, mend_on_spares, mend_on_copies,
    mend_on_machines, mend_on_gdb, mend_on_initial_errhandler, mend_on_soft, mend_on_arch,
    mend_on_memory_alloc_kinds;
mend_on_flag mend_on_stdin, mend_on_tty, mend_on_report, mend_on_quiet, mend_on_verbose;
mend_on_flag mend_on_timeout, mend_on_stop_timeout, mend_on_strict, mend_on_lenient,
    mend_on_print_exits;
mend_on_flag mend_on_inject, mend_on_set, mend_on_help, mend_on_version;

/* flags_file.c: blocks from a file */
mend_on_flag mend_on_config_file, mend_on_file;

/* flags_env.c: what the ranks find in their environment */
mend_on_flag mend_on_env, mend_on_env_all, mend_on_export, mend_on_env_list, mend_on_env_list_all;
mend_on_flag mend_on_env_none, mend_on_env_none_all, mend_on_env_every, mend_on_env_every_all;

/* flags_hosts.c: names of hosts */
mend_on_flag mend_on_hosts, mend_on_host_file;

/* flags_place.c: how many ranks, on which hosts */
mend_on_flag mend_on_per_node, mend_on_oversubscribe, mend_on_no_oversubscribe, mend_on_no_local,
    mend_on_spare_nodes, mend_on_show_map, mend_on_do_not_launch;

/* flags_remote.c: how agents of other hosts are started and reached */
mend_on_flag mend_on_prefix, mend_on_agent, mend_on_ssh, mend_on_launcher, mend_on_port_range,
    mend_on_connect_timeout, mend_on_interface, mend_on_mca;

/* flags_bind.c: on which processors of it */
mend_on_flag mend_on_bind, mend_on_map, mend_on_rank_by, mend_on_cores_per_rank,
    mend_on_report_bindings;

/* flags_output.c: where the ranks' output goes, and how it looks */
mend_on_flag mend_on_tag, mend_on_timestamp, mend_on_merge, mend_on_output, mend_on_out_file;
mend_on_flag mend_on_out_pattern, mend_on_err_pattern, mend_on_pty;

/* flags_hosts.c: the table of hosts begins with this machine; the block has been read. */
void mend_hosts_begin(struct mend_options *o);
void mend_hosts_end_block(struct mend_parse *p);

/* flags_place.c, when everything was read: the nodes of the job, and how many ranks blocks without -n have; the node of each
 * rank.  Refuses what does not fit. */
void mend_flags_count_ranks(struct mend_options *o);
void mend_flags_place(struct mend_options *o);

#endif
