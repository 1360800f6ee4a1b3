/* SPDX-License-Identifier: BSD-3-Clause */
/* port.c – ports, accept and connect (MPI-5.0 11.9), and join (11.10.8), also between jobs of one user.
 *
 * A port's name says which job, which process and which of its ports.  Accept and connect are collective over the
 * communicator; the name is looked at in the root alone, and what is wrong with it its whole group gets.  They block until
 * the other side has come.  MPI_ERR_PORT: the port is not open, its process is dead, or its job has ended or is
 * another user's.  A death in either group: MPI_ERR_PROC_FAILED at all survivors of both (S0-35), or at none (S2-5). */
#include "mpi/check.h"

#include "base/time.h"
#include "comm/errcode.h"
#include "comm/info.h"
#include "create/create.h"
#include "rt/rt.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define FORMAT "mend:%016" PRIx64 ":%d:%" PRIu64

struct address {
    uint64_t job, number;
    int host; /* the process's name in its job */
};

/* MPI_ERR_PORT: it is not the name of a port. */
static int read_name(const char *name, struct address *a)
{
    int end = 0;

    if (!name)
        return MPI_ERR_ARG;
    if (sscanf(name, "mend:%16" SCNx64 ":%d:%" SCNu64 "%n", &a->job, &a->host, &a->number, &end) !=
            3 ||
        name[end] || a->host < 0)
        return MPI_ERR_PORT;
    return MPI_SUCCESS;
}

/* It is a port of this process. */
static bool is_own(const struct address *a)
{
    return a->job == mend_self->job && a->host == mend_self->me;
}

/* Without an agent nobody can come to a port, and accept would wait for ever. */
static int check_agent(void)
{
    if (mend_self->rt->connect)
        return MPI_SUCCESS;
    mend_error_detail(mend_self, MPI_ERR_PORT, 0,
                      "no launcher can connect processes here: start the program with mpiexec");
    return MPI_ERR_PORT;
}

/* Local.  port_name: room for MPI_MAX_PORT_NAME characters.  MPI_ERR_PORT: there is no mpiexec. */
MEND_API(MPI_Open_port);
int MPI_Open_port(MPI_Info info, char *port_name)
{
    struct mend_info *i = NULL;
    uint64_t number;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_info_or_null(info, &i);
    if (!err)
        err = mend_check_pointer(port_name);
    if (!err)
        err = check_agent();
    if (!err)
        err = mend_port_open(mend_self, &number);
    if (!err)
        snprintf(port_name, MPI_MAX_PORT_NAME, FORMAT, mend_self->job, (int)mend_self->me, number);
    return mend_report(err, __func__);
}

/* Local.  Processes that wait at the port get MPI_ERR_PORT. */
MEND_API(MPI_Close_port);
int MPI_Close_port(const char *port_name)
{
    struct address a;
    int err = mend_enter(__func__);

    if (!err)
        err = read_name(port_name, &a);
    if (!err)
        err = is_own(&a) ? mend_port_close(mend_self, a.number) : MPI_ERR_PORT;
    return mend_report(err, __func__);
}

/* The hint of the root, R34: for how long it waits. */
static int read_timeout(MPI_Info info, mend_time_ns *timeout_p)
{
    struct mend_info *i = NULL;
    int err = mend_check_info_or_null(info, &i);
    const char *text = i ? mend_info_get(i, "timeout") : NULL;
    char *end = NULL;
    double seconds = text ? strtod(text, &end) : 0;

    if (err || !text)
        return err;
    if (end == text || *end || !(seconds >= 0))
        return MPI_ERR_INFO_VALUE;
    if (seconds < (double)(MEND_TIME_NEVER / MEND_NS_PER_S / 2))
        *timeout_p = (mend_time_ns)(seconds * (double)MEND_NS_PER_S);
    return MPI_SUCCESS;
}

static int check(MPI_Comm comm, int root, MPI_Comm *newcomm, struct mend_comm **c_p)
{
    int err = mend_check_intra(comm, c_p);

    if (!err)
        err = mend_check_root(*c_p, root);
    if (!err)
        err = mend_check_pointer(newcomm);
    return err;
}

/* Both calls. */
static int meet(const char *fn, bool accepts, const char *port_name, MPI_Info info, int root,
                MPI_Comm comm, MPI_Comm *newcomm)
{
    struct mend_comm *c = NULL, *made = NULL;
    int err = mend_enter(fn), own_error = MPI_SUCCESS;
    mend_time_ns timeout_ns = MEND_TIME_NEVER;
    struct address a = {.host = MEND_PEER_NONE};

    if (!err)
        err = check(comm, root, newcomm, &c);
    if (!err && c->rank == root)
        own_error = read_timeout(info, &timeout_ns);
    if (!err && c->rank == root && !own_error)
        own_error = read_name(port_name, &a);
    if (!err && c->rank == root && !own_error)
        own_error = check_agent();
    if (!err && c->rank == root && !own_error && accepts && !is_own(&a))
        own_error = MPI_ERR_PORT;
    if (!err)
        err = accepts ? mend_create_accept(c, root, own_error, a.number, timeout_ns, &made)
                      : mend_create_connect(c, root, own_error, a.job, a.host, a.number, timeout_ns,
                                            &made);
    if (!err)
        *newcomm = mend_comm_handle(made);
    return mend_report_comm(c, err, fn);
}

MEND_API(MPI_Comm_accept);
int MPI_Comm_accept(const char *port_name, MPI_Info info, int root, MPI_Comm comm,
                    MPI_Comm *newcomm)
{
    return meet(__func__, true, port_name, info, root, comm, newcomm);
}

MEND_API(MPI_Comm_connect);
int MPI_Comm_connect(const char *port_name, MPI_Info info, int root, MPI_Comm comm,
                     MPI_Comm *newcomm)
{
    return meet(__func__, false, port_name, info, root, comm, newcomm);
}

/* Collective over the two processes that have the socket's ends; blocks until the other has come, has closed its
 * end or is dead (create/join.c has the errors).  MPI_ERR_UNSUPPORTED_OPERATION leaves MPI_COMM_NULL. */
MEND_API(MPI_Comm_join);
int MPI_Comm_join(int fd, MPI_Comm *intercomm)
{
    struct mend_comm *made = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_pointer(intercomm);
    if (!err)
        err = mend_create_join_socket(mend_self, fd, &made);
    if (!err)
        *intercomm = mend_comm_handle(made);
    else if (err == MPI_ERR_UNSUPPORTED_OPERATION)
        *intercomm = MPI_COMM_NULL;
    return mend_report(err, __func__);
}
