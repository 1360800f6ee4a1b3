/* SPDX-License-Identifier: BSD-3-Clause */
/* name.c – names under which others find a port (MPI-5.0 11.9.4; rt/service.h).
 *
 * A name is for all processes of the user whose mpiexec runs on one machine, or with the hint mend_scope=job for those of the job.  It
 * goes when its process withdraws it, finalizes or dies; then it is found no more, and may be published again (R34).
 *
 * All are local and need no other process to answer; in a job of several nodes they wait for mpiexec (create/published.h).  MPI_ERR_SERVICE: a living process has published the
 * name, this process has not published what it withdraws, or the system refuses.  MPI_ERR_NAME: nobody has. */
#include "mpi/check.h"

#include "comm/errcode.h"
#include "comm/info.h"
#include "create/create.h"
#include "create/published.h"
#include "rt/service.h"

#include <errno.h>
#include <string.h>

_Static_assert(MEND_SERVICE_PORT_MAX == MPI_MAX_PORT_NAME, "a port fits into its file");

static int read_scope(MPI_Info info, bool *of_job_p)
{
    struct mend_info *i = NULL;
    const char *scope;
    int err = mend_check_info_or_null(info, &i);

    if (err)
        return err;
    scope = i ? mend_info_get(i, "mend_scope") : NULL;
    *of_job_p = false;
    if (!scope || !strcmp(scope, "user"))
        return MPI_SUCCESS;
    *of_job_p = true;
    return strcmp(scope, "job") ? MPI_ERR_INFO_VALUE : MPI_SUCCESS;
}

static int check(const char *name, MPI_Info info, const char *port, bool *of_job_p)
{
    int err = mend_check_pointer(name);

    if (!err)
        err = mend_check_pointer(port);
    return err ? err : read_scope(info, of_job_p);
}

/* `missing`: what to say if the name is not published by anybody, or by this process. */
static int class_of(int error, int class, const char *name, const char *missing)
{
    char dir[MEND_SERVICE_DIR_BYTES];

    if (!error)
        return MPI_SUCCESS;
    mend_service_dir(dir);
    if (error == ENOENT)
        mend_error_detail(mend_self, class, 0, "%s '%.100s'", missing, name);
    else if (error == EEXIST)
        mend_error_detail(mend_self, class, 0, "another living process has published '%.100s'",
                          name);
    else if (error == EPERM)
        mend_error_detail(mend_self, class, 0, "other users can change %s, or a file in it", dir);
    else
        mend_error_detail(mend_self, class, 0, "%s: %s", dir, strerror(error));
    return class;
}

MEND_API(MPI_Publish_name);
int MPI_Publish_name(const char *service_name, MPI_Info info, const char *port_name)
{
    bool of_job = false;
    int err = mend_enter(__func__);

    if (!err)
        err = check(service_name, info, port_name, &of_job);
    if (!err && strlen(port_name) >= MPI_MAX_PORT_NAME)
        err = MPI_ERR_PORT;
    if (!err)
        err = class_of(mend_published_add(mend_self, of_job, service_name, port_name),
                       MPI_ERR_SERVICE, service_name, "there is no directory for");
    return mend_report(err, __func__);
}

MEND_API(MPI_Unpublish_name);
int MPI_Unpublish_name(const char *service_name, MPI_Info info, const char *port_name)
{
    bool of_job = false;
    int err = mend_enter(__func__);

    if (!err)
        err = check(service_name, info, port_name, &of_job);
    if (!err)
        err =
            class_of(mend_published_withdraw(mend_self, of_job, service_name, port_name),
                     MPI_ERR_SERVICE, service_name, "this process has not published this port as");
    return mend_report(err, __func__);
}

/* port_name: room for MPI_MAX_PORT_NAME characters. */
MEND_API(MPI_Lookup_name);
int MPI_Lookup_name(const char *service_name, MPI_Info info, char *port_name)
{
    char port[MEND_SERVICE_PORT_MAX];
    bool of_job = false;
    int err = mend_enter(__func__);

    if (!err)
        err = check(service_name, info, port_name, &of_job);
    if (!err)
        err = class_of(mend_published_find(mend_self, of_job, service_name, port), MPI_ERR_NAME,
                       service_name, "no living process has published");
    if (!err)
        memcpy(port_name, port, strlen(port) + 1);
    return mend_report(err, __func__);
}
