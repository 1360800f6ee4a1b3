/* SPDX-License-Identifier: BSD-3-Clause */
/* spawn.c – starting processes (MPI-5.0 11.8), and replacing dead ones (include/mpi_ft.h).
 *
 * Collective over the communicator.  Commands, arguments, numbers and hints are looked at in the root alone; what is
 * wrong with them its whole group is told.  Block until the new processes are in MPI_Init, or cannot be started.  A
 * death in the communicator or among the new processes: MPI_ERR_PROC_FAILED, and none of them ever leaves its MPI_Init
 * (S0-38).  MPI_ERR_SPAWN: a program could not be started, or the job, or another one in the communicator, has no room
 * (mpiexec --universe).
 *
 * Hints: wdir, path, host (or hosts, as with MPICH), hostfile (of the root, unless there is a host), arch (this one, or it is an error), soft,
 * mpi_initial_errhandler.  file is an error: there is no format of it.  A host that is not in the job, or is lost or full: MPI_ERR_SPAWN, as nothing can be started there
 * (MPI-5.0 11.8.1); mpiexec says which hosts there are (launch/root/hint.c). */
#include "mpi/check.h"

#include "comm/errcode.h"
#include "comm/info.h"
#include "create/create.h"
#include "rt/hostfile.h"
#include "rt/rt.h"
#include "rt/spawn.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>
#include <unistd.h>

#define DIR_BYTES 4096

/* One block as the user gave it. */
struct given {
    const char *command;
    char *const *argv;
    int maxprocs;
    MPI_Info info;
    char *hosts; /* of its hostfile */
};

/* Where the programs of the root start: its own directory, or below it. */
static int fill_dir(char dir[DIR_BYTES], const char *hint)
{
    size_t len;

    if (hint && !*hint) {
        mend_error_detail(mend_self, MPI_ERR_INFO_VALUE, 0, "wdir is empty");
        return MPI_ERR_INFO_VALUE;
    }
    if (hint && *hint == '/')
        return (size_t)snprintf(dir, DIR_BYTES, "%s", hint) < DIR_BYTES ? MPI_SUCCESS
                                                                        : MPI_ERR_INFO_VALUE;
    if (!getcwd(dir, DIR_BYTES))
        return MPI_ERR_OTHER;
    len = strlen(dir);
    if (hint && (size_t)snprintf(dir + len, DIR_BYTES - len, "/%s", hint) >= DIR_BYTES - len)
        return MPI_ERR_INFO_VALUE;
    return MPI_SUCCESS;
}

/* A file of hosts as the hint host has them. */
static int read_hostfile(struct given *g, const char *path)
{
    char why[MPI_MAX_ERROR_STRING];

    g->hosts = mend_hostfile_read(path, why, sizeof(why));
    if (g->hosts)
        return MPI_SUCCESS;
    mend_error_detail(mend_self, MPI_ERR_INFO_VALUE, 0, "%s", why);
    return MPI_ERR_INFO_VALUE;
}

static int read_host(const struct mend_info *i, struct given *g, const char **host_p)
{
    const char *host = mend_info_get(i, "host"), *file = mend_info_get(i, "hostfile");
    int err;

    if (!host)
        host = mend_info_get(i, "hosts");
    if (!host && file) {
        err = read_hostfile(g, file);
        *host_p = g->hosts;
        return err;
    }
    *host_p = host;
    if (!host || host[strspn(host, ", \t")])
        return MPI_SUCCESS;
    mend_error_detail(mend_self, MPI_ERR_INFO_VALUE, 0, "host '%s' names no host", host);
    return MPI_ERR_INFO_VALUE;
}

static int check_arch(const char *arch)
{
    struct utsname u;

    if (!arch || uname(&u) || mend_spawn_is_arch(arch, u.machine))
        return MPI_SUCCESS;
    mend_error_detail(mend_self, MPI_ERR_SPAWN, 0, "arch '%s' is not in this job, which runs on %s",
                      arch, u.machine);
    return MPI_ERR_SPAWN;
}

static int check_file(const char *file)
{
    if (!file)
        return MPI_SUCCESS;
    mend_error_detail(mend_self, MPI_ERR_SPAWN, 0,
                      "there is no format of a file with more hints, such as '%s'", file);
    return MPI_ERR_SPAWN;
}

/* Numbers above maxprocs are not looked at (MPI-5.0 11.8.4). */
static int check_soft(const char *soft, int maxprocs)
{
    if (!soft || mend_spawn_soft(soft, maxprocs) >= 0)
        return MPI_SUCCESS;
    if (mend_spawn_soft(soft, INT_MAX) < 0) {
        mend_error_detail(mend_self, MPI_ERR_INFO_VALUE, 0, "soft '%s' is not a list of numbers",
                          soft);
        return MPI_ERR_INFO_VALUE;
    }
    mend_error_detail(mend_self, MPI_ERR_SPAWN, 0,
                      "soft '%s' allows no number of processes up to maxprocs, %d", soft, maxprocs);
    return MPI_ERR_SPAWN;
}

/* In any case of letters.  *name_p: as the parameter has it. */
static int read_errhandler(const char *value, const char **name_p)
{
    static const char *const names[] = {"mpi_errors_are_fatal", "mpi_errors_abort",
                                        "mpi_errors_return"};

    for (unsigned k = 0; value && k < MEND_COUNT_OF(names); k++)
        if (!strcasecmp(value, names[k]))
            *name_p = names[k];
    if (!value || *name_p)
        return MPI_SUCCESS;
    mend_error_detail(mend_self, MPI_ERR_INFO_VALUE, 0, "mpi_initial_errhandler cannot be '%s'",
                      value);
    return MPI_ERR_INFO_VALUE;
}

static int read_info(struct given *g, struct mend_spawn_block *b, char dir[DIR_BYTES])
{
    struct mend_info *i = NULL;
    int err = mend_check_info_or_null(g->info, &i);

    if (!err)
        err = read_host(i, g, &b->host);
    if (!err)
        err = check_arch(mend_info_get(i, "arch"));
    if (!err)
        err = check_file(mend_info_get(i, "file"));
    if (!err)
        err = check_soft(mend_info_get(i, "soft"), g->maxprocs);
    if (!err)
        err = read_errhandler(mend_info_get(i, "mpi_initial_errhandler"), &b->errhandler);
    if (err)
        return err;
    b->path = mend_info_get(i, "path");
    b->soft = mend_info_get(i, "soft");
    b->wdir = dir;
    return fill_dir(dir, mend_info_get(i, "wdir"));
}

static int read_given(struct given *g, struct mend_spawn_block *b, char dir[DIR_BYTES])
{
    if (!g->command || !*g->command || g->maxprocs < 0)
        return MPI_ERR_ARG;
    *b = (struct mend_spawn_block){.asked_n = g->maxprocs, .command = g->command, .args = g->argv};
    return read_info(g, b, dir);
}

static void explain_one(const struct mend_spawn_block *b, int error)
{
    if (b->command && access(b->wdir, X_OK))
        mend_error_detail(mend_self, MPI_ERR_SPAWN, 0, "'%s' cannot be started in '%s': %s",
                          b->command, b->wdir, strerror(error));
    else if (b->command)
        mend_error_detail(mend_self, MPI_ERR_SPAWN, 0, "'%s' cannot be started: %s", b->command,
                          strerror(error));
    else
        mend_error_detail(mend_self, MPI_ERR_SPAWN, 0,
                          "the program of a process that died cannot be started again: %s",
                          strerror(error));
}

/* In words, for the text of the error. */
static void explain(const struct mend_spawn_block *blocks, int n, const struct mend_spawned *s)
{
    uint32_t k = 0;

    if (s->why[0]) {
        mend_error_detail(mend_self, MPI_ERR_SPAWN, 0, "%s", s->why);
        return;
    }
    if (s->full) {
        mend_error_detail(mend_self, MPI_ERR_SPAWN, 0,
                          "the job has room for %u more processes, not for %u (mpiexec --universe)",
                          s->room, s->asked_n);
        return;
    }
    for (int i = 0; i < n && s->errors; i++) {
        for (int j = 0; j < blocks[i].asked_n; j++, k++)
            if (s->errors[k]) {
                explain_one(&blocks[i], s->errors[k]);
                return;
            }
    }
    if (!mend_self->rt->spawn)
        mend_error_detail(mend_self, MPI_ERR_SPAWN, 0,
                          "no launcher can start processes here: start the program with mpiexec");
}

/* As many are MPI_SUCCESS as processes were started, of each command (MPI-5.0 11.8.2); with an error none lives on. */
static void fill_codes(int err, const struct mend_spawned *s, int *errcodes)
{
    for (uint32_t k = 0; k < s->asked_n; k++)
        errcodes[k] = err || (s->errors && s->errors[k]) ? MPI_ERR_SPAWN : MPI_SUCCESS;
}

/* For as many processes the user has room for codes, 0: that is not known. */
static uint32_t count_asked(const struct given *g, int n)
{
    int64_t sum = 0;

    for (int i = 0; i < n; i++) {
        if (g[i].maxprocs < 0)
            return 0;
        sum += g[i].maxprocs;
    }
    return sum <= INT_MAX ? (uint32_t)sum : 0;
}

/* They are in no communicator that could tell of their deaths. */
static void tell_deaths(const struct mend_spawned *s)
{
    for (mend_peer p = s->first; p < s->first + s->started_n; p++)
        if (mend_peer_is_dead(mend_self, p)) {
            mend_peer_entry(mend_self, p)->told = true;
            mend_error_detail(mend_self, MEND_CLASS_PROC_FAILED, 0,
                              "process %d of those that were started is dead", (int)(p - s->first));
        }
}

/* They are not used, so whatever happens to them is not reported: some may die in MPI_Init, from where the others
 * leave.  S0-38. */
static void disown(const struct mend_spawned *s)
{
    for (mend_peer p = s->first; mend_self->rt->disown && p < s->first + s->started_n; p++)
        mend_self->rt->disown(mend_self, p);
}

static int read_all(struct given *g, int n, struct mend_spawn_block **blocks_p, char **dirs_p)
{
    int err = MPI_SUCCESS;

    *blocks_p = mend_zalloc(mend_self, (size_t)n, sizeof(**blocks_p));
    *dirs_p = mend_alloc(mend_self, (size_t)n * DIR_BYTES);
    if (!*blocks_p || !*dirs_p)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < n && !err; i++)
        err = read_given(&g[i], &(*blocks_p)[i], *dirs_p + (size_t)i * DIR_BYTES);
    return err ? err : count_asked(g, n) ? MPI_SUCCESS : MPI_ERR_ARG;
}

/* own_error: what is wrong with the root's arguments otherwise. */
static int spawn(struct mend_comm *c, int root, struct given *g, int n, int own_error,
                 int *errcodes, MPI_Comm *intercomm)
{
    struct mend_spawn_block *blocks = NULL;
    struct mend_comm *made = NULL;
    struct mend_spawned s;
    uint32_t asked_n = 0;
    char *dirs = NULL;
    int err;

    if (c->rank == root && !own_error) {
        asked_n = count_asked(g, n);
        own_error = read_all(g, n, &blocks, &dirs);
    }
    err = mend_create_spawn(c, root, own_error, blocks, n, asked_n, &s, &made);
    if (!err)
        *intercomm = mend_comm_handle(made);
    if (errcodes != MPI_ERRCODES_IGNORE)
        fill_codes(err, &s, errcodes);
    if (err == MPI_ERR_SPAWN && c->rank == root && !own_error)
        explain(blocks, n, &s);
    if (err == MEND_CLASS_PROC_FAILED)
        tell_deaths(&s);
    if (err)
        disown(&s);
    mend_free(mend_self, s.errors);
    for (int i = 0; blocks && i < n; i++)
        free(g[i].hosts);
    mend_free(mend_self, blocks);
    mend_free(mend_self, dirs);
    return err;
}

static int check(MPI_Comm comm, int root, MPI_Comm *intercomm, struct mend_comm **c_p)
{
    int err = mend_check_intra(comm, c_p);

    if (!err)
        err = mend_check_root(*c_p, root);
    if (!err)
        err = mend_check_pointer(intercomm);
    return err;
}

/* array_of_errcodes: maxprocs codes, significant at all; MPI_ERRCODES_IGNORE: not wanted. */
MEND_API(MPI_Comm_spawn);
int MPI_Comm_spawn(const char *command, char *argv[], int maxprocs, MPI_Info info, int root,
                   MPI_Comm comm, MPI_Comm *intercomm, int array_of_errcodes[])
{
    struct given g = {command, argv, maxprocs, info, NULL};
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = check(comm, root, intercomm, &c);
    if (!err)
        err = spawn(c, root, &g, 1, MPI_SUCCESS, array_of_errcodes, intercomm);
    return mend_report_comm(c, err, __func__);
}

/* The processes of all commands are one MPI_COMM_WORLD, in the order of the commands, of which MPI_APPNUM is the
 * number. */
MEND_API(MPI_Comm_spawn_multiple);
int MPI_Comm_spawn_multiple(int count, char *array_of_commands[], char **array_of_argv[],
                            const int array_of_maxprocs[], const MPI_Info array_of_info[], int root,
                            MPI_Comm comm, MPI_Comm *intercomm, int array_of_errcodes[])
{
    struct mend_comm *c = NULL;
    struct given *g = NULL;
    int err = mend_enter(__func__), own_error = MPI_SUCCESS;

    if (!err)
        err = check(comm, root, intercomm, &c);
    if (!err && c->rank == root) {
        if (count < 1 || !array_of_commands || !array_of_maxprocs || !array_of_info)
            own_error = MPI_ERR_ARG;
        else
            g = mend_alloc(mend_self, (size_t)count * sizeof(*g));
        if (!own_error && !g)
            own_error = MPI_ERR_NO_MEM;
        for (int i = 0; g && i < count; i++)
            g[i] = (struct given){array_of_commands[i],
                                  array_of_argv == MPI_ARGVS_NULL ? NULL : array_of_argv[i],
                                  array_of_maxprocs[i], array_of_info[i], NULL};
    }
    if (!err)
        err = spawn(c, root, g, count, own_error, array_of_errcodes, intercomm);
    if (g)
        mend_free(mend_self, g);
    return mend_report_comm(c, err, __func__);
}

MEND_API(MPIX_Comm_refill);
int MPIX_Comm_refill(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm)
{
    struct mend_comm *c = NULL, *made = NULL;
    struct mend_spawned s = {0};
    struct mend_info *hints;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_intra(comm, &c);
    if (!err)
        err = mend_check_info_or_null(info, &hints);
    if (!err)
        err = mend_check_pointer(newcomm);
    if (!err) {
        err = mend_create_refill(c, &s, &made);
        *newcomm = mend_comm_handle(made);
    }
    if (err == MPI_ERR_SPAWN)
        explain(&(struct mend_spawn_block){.asked_n = (int)s.asked_n, .again = true}, 1, &s);
    if (err == MEND_CLASS_PROC_FAILED)
        tell_deaths(&s);
    if (err)
        disown(&s);
    mend_free(mend_self, s.errors);
    return mend_report_comm(c, err, __func__);
}

MEND_API(MPIX_Comm_refilled);
int MPIX_Comm_refilled(MPI_Comm *newcomm)
{
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_pointer(newcomm);
    if (!err)
        *newcomm = mend_comm_handle(mend_self->refilled);
    return mend_report(err, __func__);
}
