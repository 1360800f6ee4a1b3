/* SPDX-License-Identifier: BSD-3-Clause */
/* wrap.c – point-to-point operations, and the life of communicators.  While the
 * log is on a blocking call is a nonblocking one and a wait that takes part in
 * roll-backs. */
#include "layer.h"

#include "mend_rollback.h"

#include <stdlib.h>

static struct rollback_layer *const l = &rollback_layer;

static void start_layer(void)
{
    PMPI_Comm_dup(MPI_COMM_WORLD, &l->control);
    PMPI_Comm_set_errhandler(l->control, MPI_ERRORS_RETURN);
    PMPI_Comm_rank(l->control, &l->me);
    PMPI_Comm_size(l->control, &l->n);
    l->queue = malloc(l->n * sizeof(int));
    if (!l->queue)
        PMPI_Abort(MPI_COMM_WORLD, 1);
    rollback_comm_add(MPI_COMM_WORLD);
    rollback_comm_add(MPI_COMM_SELF);
}

WRAPPER int MPI_Init(int *argc, char ***argv)
{
    int code = PMPI_Init(argc, argv);

    if (!code)
        start_layer();
    return code;
}

WRAPPER int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int code = PMPI_Init_thread(argc, argv, required, provided);

    if (!code)
        start_layer();
    return code;
}

/* Others may still need this process, or its lock. */
WRAPPER int MPI_Finalize(void)
{
    MPI_Request request;
    int flag = 0;

    if (PMPI_Ibarrier(l->control, &request) == MPI_SUCCESS)
        while (PMPI_Test(&request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && !flag)
            rollback_poll();
    if (!flag)
        rollback_abandon(); /* nobody may wait for this process */
    PMPI_Comm_free(&l->control);
    while (l->comms_n)
        rollback_comm_drop(l->comms[0].comm);
    free(l->comms);
    free(l->pending);
    free(l->queue);
    rollback_log_free(&l->log);
    return PMPI_Finalize();
}

/* The four modes of sends, nonblocking and blocking. */
#define SEND(name_)                                                                                \
    WRAPPER int MPI_I##name_(const void *buf, int count, MPI_Datatype type, int dest, int tag,     \
                             MPI_Comm comm, MPI_Request *request)                                  \
    {                                                                                              \
        int code = PMPI_I##name_(buf, count, type, dest, tag, comm, request);                      \
                                                                                                   \
        if (!code && l->on)                                                                        \
            rollback_log_message(ROLLBACK_SEND, comm, dest, tag, count, type, request);            \
        return code;                                                                               \
    }

/* Most sends are complete at once, and need not become pending. */
static int finish_send(int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                       MPI_Request *request)
{
    int flag, code = PMPI_Test(request, &flag, MPI_STATUS_IGNORE);

    rollback_log_message(ROLLBACK_SEND, comm, dest, tag, count, type,
                         *request == MPI_REQUEST_NULL ? NULL : request);
    return code || flag ? code : rollback_wait(request, MPI_STATUS_IGNORE);
}

#define BLOCKING_SEND(Name_, name_)                                                                \
    WRAPPER int MPI_##Name_(const void *buf, int count, MPI_Datatype type, int dest, int tag,      \
                            MPI_Comm comm)                                                         \
    {                                                                                              \
        MPI_Request request;                                                                       \
        int code;                                                                                  \
                                                                                                   \
        if (!l->on || dest == MPI_PROC_NULL)                                                       \
            return PMPI_##Name_(buf, count, type, dest, tag, comm);                                \
        code = PMPI_I##name_(buf, count, type, dest, tag, comm, &request);                         \
        return code ? code : finish_send(count, type, dest, tag, comm, &request);                  \
    }

SEND(send)
SEND(ssend)
SEND(rsend)
SEND(bsend)
BLOCKING_SEND(Send, send)
BLOCKING_SEND(Ssend, ssend)
BLOCKING_SEND(Rsend, rsend)
BLOCKING_SEND(Bsend, bsend)

WRAPPER int MPI_Irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                      MPI_Request *request)
{
    int code = PMPI_Irecv(buf, count, type, source, tag, comm, request);

    if (!code && l->on)
        rollback_log_message(ROLLBACK_NONE, comm, source, tag, count, type, request);
    return code;
}

WRAPPER int MPI_Recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                     MPI_Status *status)
{
    MPI_Request request;
    MPI_Status mine;
    int code, flag = 0;

    if (!l->on || source == MPI_PROC_NULL)
        return PMPI_Recv(buf, count, type, source, tag, comm, status);
    code = PMPI_Irecv(buf, count, type, source, tag, comm, &request);
    if (code)
        return code;
    mine.MPI_SOURCE = MPI_ANY_SOURCE;
    code = PMPI_Test(&request, &flag, &mine);
    if (request != MPI_REQUEST_NULL) {
        rollback_log_message(ROLLBACK_NONE, comm, source, tag, count, type, &request);
        return code ? code : rollback_wait(&request, status);
    }
    if (mine.MPI_SOURCE >= 0) /* also of a message that was too long */
        rollback_log_message(ROLLBACK_RECV, comm, mine.MPI_SOURCE, mine.MPI_TAG, 0, type, NULL);
    if (status != MPI_STATUS_IGNORE)
        *status = mine;
    return code;
}

WRAPPER int MPI_Sendrecv(const void *out, int out_n, MPI_Datatype out_type, int dest, int out_tag,
                         void *in, int in_n, MPI_Datatype in_type, int source, int in_tag,
                         MPI_Comm comm, MPI_Status *status)
{
    MPI_Request request;
    int code, sent;

    if (!l->on)
        return PMPI_Sendrecv(out, out_n, out_type, dest, out_tag, in, in_n, in_type, source, in_tag,
                             comm, status);
    if (source == MPI_PROC_NULL) {
        code = MPI_Send(out, out_n, out_type, dest, out_tag, comm);
        return code ? code : PMPI_Recv(in, in_n, in_type, source, in_tag, comm, status);
    }
    code = MPI_Irecv(in, in_n, in_type, source, in_tag, comm, &request);
    if (code)
        return code;
    sent = MPI_Send(out, out_n, out_type, dest, out_tag, comm);
    if (sent == MPI_ERR_OTHER)
        return sent;
    code = rollback_wait(&request, status);
    return sent ? sent : code;
}

WRAPPER int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    return l->on && *request != MPI_REQUEST_NULL ? rollback_wait(request, status)
                                                 : PMPI_Wait(request, status);
}

WRAPPER int MPI_Waitall(int n, MPI_Request *requests, MPI_Status *statuses)
{
    int worst = MPI_SUCCESS;

    if (!l->on)
        return PMPI_Waitall(n, requests, statuses);
    for (int i = 0; i < n; i++) {
        MPI_Status status;
        int code = MPI_Wait(&requests[i], &status);

        if (statuses != MPI_STATUSES_IGNORE) {
            statuses[i] = status;
            statuses[i].MPI_ERROR = code;
        }
        if (code == MPI_ERR_OTHER && !l->pending_n && !l->log.n)
            return code; /* a roll-back has ended all requests */
        if (code)
            worst = MPI_ERR_IN_STATUS;
    }
    return worst;
}

WRAPPER int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    MPI_Request was = *request;
    MPI_Status mine;
    int code;

    if (!l->on || was == MPI_REQUEST_NULL)
        return PMPI_Test(request, flag, status);
    code = PMPI_Test(request, flag, &mine);
    if (*request == MPI_REQUEST_NULL)
        rollback_completed(was, &mine);
    if (*flag && status != MPI_STATUS_IGNORE)
        *status = mine;
    if (!code && !*flag && rollback_poll())
        return MPI_ERR_OTHER;
    return code;
}

/* Several requests at a time: the MPI library says which are complete, and the
 * copies of their handles whose those were.  NULL: no memory, and a roll-back
 * will be refused. */
static MPI_Request *copy_of(int n, const MPI_Request *requests, MPI_Status **statuses_p)
{
    MPI_Request *was = malloc((size_t)(n + 1) * sizeof(*was));

    *statuses_p = malloc((size_t)(n + 1) * sizeof(**statuses_p));
    for (int i = 0; was && i < n; i++)
        was[i] = requests[i];
    if (was && *statuses_p)
        return was;
    rollback_refuse("no memory for several requests");
    free(was);
    free(*statuses_p);
    return NULL;
}

static void note(MPI_Request was, MPI_Request now, const MPI_Status *status)
{
    if (was != MPI_REQUEST_NULL && now == MPI_REQUEST_NULL)
        rollback_completed(was, status);
}

WRAPPER int MPI_Testany(int n, MPI_Request *requests, int *index, int *flag, MPI_Status *status)
{
    MPI_Status mine, *unused;
    MPI_Request *was = l->on ? copy_of(n, requests, &unused) : NULL;
    int code;

    if (!was)
        return PMPI_Testany(n, requests, index, flag, status);
    code = PMPI_Testany(n, requests, index, flag, &mine);
    for (int i = 0; i < n; i++)
        note(was[i], requests[i], &mine);
    if (*flag && status != MPI_STATUS_IGNORE)
        *status = mine;
    free(was);
    free(unused);
    return !code && !*flag && rollback_poll() ? MPI_ERR_OTHER : code;
}

WRAPPER int MPI_Testsome(int n, MPI_Request *requests, int *done_n, int *indices,
                         MPI_Status *statuses)
{
    MPI_Status *mine;
    MPI_Request *was = l->on ? copy_of(n, requests, &mine) : NULL;
    int code;

    if (!was)
        return PMPI_Testsome(n, requests, done_n, indices, statuses);
    code = PMPI_Testsome(n, requests, done_n, indices, mine);
    for (int i = 0; *done_n != MPI_UNDEFINED && i < *done_n; i++) {
        note(was[indices[i]], requests[indices[i]], &mine[i]);
        if (statuses != MPI_STATUSES_IGNORE)
            statuses[i] = mine[i];
    }
    free(was);
    free(mine);
    return !code && *done_n == 0 && rollback_poll() ? MPI_ERR_OTHER : code;
}

WRAPPER int MPI_Testall(int n, MPI_Request *requests, int *flag, MPI_Status *statuses)
{
    MPI_Status *mine;
    MPI_Request *was = l->on ? copy_of(n, requests, &mine) : NULL;
    int code;

    if (!was)
        return PMPI_Testall(n, requests, flag, statuses);
    code = PMPI_Testall(n, requests, flag, mine);
    for (int i = 0; i < n; i++) {
        note(was[i], requests[i], &mine[i]);
        if (*flag && statuses != MPI_STATUSES_IGNORE)
            statuses[i] = mine[i];
    }
    free(was);
    free(mine);
    return !code && !*flag && rollback_poll() ? MPI_ERR_OTHER : code;
}

WRAPPER int MPI_Waitany(int n, MPI_Request *requests, int *index, MPI_Status *status)
{
    int flag = 0, code = MPI_SUCCESS;

    if (!l->on)
        return PMPI_Waitany(n, requests, index, status);
    while (!code && !flag)
        code = MPI_Testany(n, requests, index, &flag, status);
    return code;
}

WRAPPER int MPI_Waitsome(int n, MPI_Request *requests, int *done_n, int *indices,
                         MPI_Status *statuses)
{
    int code = MPI_SUCCESS;

    if (!l->on)
        return PMPI_Waitsome(n, requests, done_n, indices, statuses);
    *done_n = 0;
    while (!code && *done_n == 0)
        code = MPI_Testsome(n, requests, done_n, indices, statuses);
    return code;
}

WRAPPER int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    int code = PMPI_Iprobe(source, tag, comm, flag, status);

    if (l->on && !code && !*flag && rollback_poll())
        return MPI_ERR_OTHER;
    return code;
}

WRAPPER int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    int flag = 0, code = MPI_SUCCESS;

    if (!l->on)
        return PMPI_Probe(source, tag, comm, status);
    while (!code && !flag)
        code = MPI_Iprobe(source, tag, comm, &flag, status);
    return code;
}

WRAPPER int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *new_p)
{
    int code = PMPI_Comm_dup(comm, new_p);

    if (l->on)
        rollback_refuse("MPI_Comm_dup since the safe point");
    if (!code)
        rollback_comm_add(*new_p);
    return code;
}

WRAPPER int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *new_p)
{
    int code = PMPI_Comm_split(comm, color, key, new_p);

    if (l->on)
        rollback_refuse("MPI_Comm_split since the safe point");
    if (!code)
        rollback_comm_add(*new_p);
    return code;
}

WRAPPER int MPI_Comm_free(MPI_Comm *comm)
{
    if (l->on)
        rollback_refuse("MPI_Comm_free since the safe point");
    rollback_comm_drop(*comm);
    return PMPI_Comm_free(comm);
}
