/* SPDX-License-Identifier: BSD-3-Clause */
/* create.h – the creation of communicators.
 *
 * Creation is uniform (Hursey's text, case A): one agreement over the parent decides {all members are able,
 * none has died, context id, shared-memory cell}.  All survivors get the communicator, or none.  On a
 * communicator with a dead member creation fails at once with MPI_ERR_PROC_FAILED (S2-9). */
#ifndef MEND_CREATE_CREATE_H
#define MEND_CREATE_CREATE_H

#include "decide/revoke.h"
#include "rt/spawn.h"

struct mend_dist_graph;

int mend_create_init(struct mend_proc *self);

/* Calls that wait for a process that is dead end, and what it had begun is forgotten. */
void mend_create_on_deaths(struct mend_proc *self, const struct mend_death *death, int n);

/* c was revoked here: so is what carries its collectives, and meetings that name it are called off. */
void mend_create_on_revoke(struct mend_comm *c);

/* c goes. */
void mend_create_detach(struct mend_comm *c);

/* Creation.  All collective over c (create_group: over the group); block; MPI error classes.
 * dup and idup copy no attributes; own_error: why this process vetoes, then all get the largest such error. */
int mend_create_dup(struct mend_comm *c, int own_error, struct mend_comm **new_p);
void mend_create_idup(struct mend_comm *c, struct mend_comm **new_p, struct mend_request **req_p);
/* dup_with.c: with attributes, topology, and the given hints (NULL: none).  A copy callback that refuses is the error of
 * this process alone.  The nonblocking forms deliver all errors with the request, and write the new object, idup_with
 * the user's handle, when it completes. */
int mend_create_dup_with(struct mend_comm *c, const struct mend_info *info,
                         struct mend_comm **new_p);
void mend_create_idup_with(struct mend_comm *c, const struct mend_info *info, MPI_Comm *newcomm,
                           struct mend_request **req_p);
int mend_create_from_subset(struct mend_comm *c, struct mend_group *g, struct mend_comm **new_p);
int mend_create_group(struct mend_comm *c, struct mend_group *g, int tag, struct mend_comm **new_p);
int mend_create_split(struct mend_comm *c, int color, int key, struct mend_comm **new_p);
/* MPI_ERR_INFO, here alone: guided by two things at once.  told: gets what MPI_COMM_TYPE_HW_UNGUIDED found, where there
 * is a new communicator; may be NULL, or info. */
int mend_create_split_type(struct mend_comm *c, int type, int key, const struct mend_info *info,
                           struct mend_info *told, struct mend_comm **new_p);
/* Without a parent: the callers with the same group and tag.  create_from_groups: an intercommunicator;
 * the leader, a rank of g, knows `other`, the leader of the other group, or why it does not
 * (other_error, which its whole side then gets). */
int mend_create_from_group(struct mend_proc *self, struct mend_group *g, const char *tag,
                           struct mend_comm **new_p);
int mend_create_from_groups(struct mend_proc *self, struct mend_group *g, int leader,
                            mend_peer other, const char *tag, int other_error,
                            struct mend_comm **new_p);
/* peer_c and what follows matter at the local leader only, NULL elsewhere; peer_error: what is wrong
 * with them, which the whole group then gets. */
int mend_create_intercomm(struct mend_comm *local, int local_leader, struct mend_comm *peer_c,
                          int remote_leader, int tag, int peer_error, struct mend_comm **new_p);
/* spawn.c: processes that do not exist yet.  blocks, of which there are n, and own_error, what is wrong with them, matter
 * at the root only.  *out_p: what became of each process that was asked for, also after MPI_ERR_SPAWN; the caller's
 * (mend_free() of errors).  Collective over c; blocks until the new processes are in MPI_Init, or cannot be
 * started; at all of both groups or at none. */
struct mend_spawned {
    int32_t *errors; /* errno values, 0: none; NULL: not known */
    uint32_t asked_n, room;
    bool full; /* there was room for `room` more processes */
    char why
        [MEND_SPAWN_WHY_BYTES]; /* at the root: why none was started, in words; empty: not said */
    mend_peer first, started_n; /* their names, if they were started */
};
int mend_create_spawn(struct mend_comm *c, int root, int own_error,
                      const struct mend_spawn_block *blocks, int n, uint32_t asked_n,
                      struct mend_spawned *out_p, struct mend_comm **new_p);

/* refill.c: the communicator of c's size in which new processes that run the programs of the dead have their ranks; all others
 * keep theirs.  If no process has failed it is a duplicate.  *out_p as for spawn, if processes were asked for.  Collective
 * over the survivors; blocks as spawn does.  MPI_SUCCESS at all of them or the same class at all; never fails because of
 * deaths before the call, or of a revocation of c. */
int mend_create_refill(struct mend_comm *c, struct mend_spawned *out_p, struct mend_comm **new_p);

/* refill.c: the same at the newcomers, in their MPI_Init; seats: of all of them, in order. */
struct mend_seat;
int mend_create_take_seats(struct mend_proc *self, const struct mend_seat *seats,
                           struct mend_comm **new_p);

/* port.c: ports of this process, by number; closing refuses those that wait at it: MPI_ERR_PORT if it is not open. */
int mend_port_open(struct mend_proc *self, uint64_t *number_p);
int mend_port_close(struct mend_proc *self, uint64_t number);

/* port.c: what follows root matters there alone; own_error: what is wrong with it, which the whole group gets.
 * Collective over c, which together with the other side's makes the intercommunicator, at all or at none.  Block
 * until the other side has come, or at the root that long; the head of port.c says what ends that. */
int mend_create_accept(struct mend_comm *c, int root, int own_error, uint64_t port,
                       mend_time_ns timeout_ns, struct mend_comm **new_p);
int mend_create_connect(struct mend_comm *c, int root, int own_error, uint64_t job, int32_t host,
                        uint64_t port, mend_time_ns timeout_ns, struct mend_comm **new_p);

/* port.c: processes of the other job are known here afterwards, and these there.  Blocks until the agents have connected
 * the jobs, or cannot: MPI_ERR_PORT. */
int mend_create_connect_job(struct mend_proc *self, uint64_t job);

/* port.c: n processes of this job are known in the other one afterwards.  Blocks until its agent has answered, or does not:
 * MPI_ERR_SPAWN; one of them has died before: MPI_ERR_PROC_FAILED. */
int mend_create_name_in(struct mend_proc *self, uint64_t job, mend_peer first, uint32_t n);

/* join.c: with the process at the other end of a connected stream socket, which is quiet before and afterwards.  Blocks
 * until that process has come, its end of the socket is closed, or it is dead.  MPI_ERR_ARG: it is not such a socket;
 * MPI_ERR_OTHER: the socket fails, or was closed or in use; MPI_ERR_UNSUPPORTED_OPERATION at both ends: they are of two
 * jobs that cannot be connected, or of one process; MPI_ERR_PROC_FAILED: the other died after it had said what it is. */
int mend_create_join_socket(struct mend_proc *self, int fd, struct mend_comm **new_p);

/* spawn.c: at the new processes, in their MPI_Init: the other side of it. */
int mend_create_join(struct mend_proc *self, struct mend_comm **parent_p);

int mend_create_merge(struct mend_comm *inter, int high, struct mend_comm **new_p);

/* strict: S0-73 and R3 (MPI_Comm_shrink); else any communicator (MPIX_Comm_shrink). */
int mend_create_shrink(struct mend_comm *c, bool strict, struct mend_comm **new_p);
int mend_create_ishrink(struct mend_comm *c, struct mend_comm **new_p, struct mend_request **req_p);

/* topo.c: communicators with a topology, of which c's first processes are members; *new_p NULL in the others.  The
 * arguments have been checked.  MPI_ERR_PROC_FAILED also if a member is a hole. */
int mend_create_cart(struct mend_comm *c, int ndims, const int *dims, const int *periods,
                     struct mend_comm **new_p);
int mend_create_graph(struct mend_comm *c, int nodes, const int *index, const int *edges,
                      struct mend_comm **new_p);

/* The subgrid of c's grid that this process is in, with the dimensions that remain; its members keep their order.  A
 * grid with holes is not split: its subgrids would miss places. */
int mend_create_subgrid(struct mend_comm *c, const int *remain, struct mend_comm **new_p);

/* A distributed graph of all members: each gives its own neighbours. */
int mend_create_neighbours(struct mend_comm *c, const struct mend_dist_graph *d,
                           struct mend_comm **new_p);

/* The edges that one process names: n sources with degrees[i] destinations each; weights may be MPI_UNWEIGHTED.  All of
 * them together take MEND_EDGE_INTS ints each, which must be less than 2^31. */
struct mend_named_edges {
    int n;
    const int *sources, *degrees, *destinations, *weights;
};
#define MEND_EDGE_INTS 6

/* dist_graph.c: the same, but any process names any edge.  A collective before the creation sends the edges to their
 * ends: MPI_ERR_NO_MEM if there is no memory for them, and what that collective says. */
int mend_create_dist_graph(struct mend_comm *c, const struct mend_named_edges *e,
                           struct mend_comm **new_p);

/* free.c: the user's handle goes: attributes first, then the object as soon as nothing uses it.  Local, whichever
 * processes are dead (S0-69).  The error of a delete callback that refuses: then the communicator stays.  disconnect
 * waits before that until the own operations are complete, or a member is dead; and then until no member needs this process
 * any more, unless one may never free the communicator (mend_linger_are_over()). */
int mend_create_free(struct mend_comm *c);
int mend_create_disconnect(struct mend_comm *c);

/* c is closed (mend_comm_close()): its handle's reference goes, and its end begins at once if nothing is under way on it. */
void mend_create_part(struct mend_comm *c);

/* *failed_p: the members that failed, of both groups, the same at all; the caller's.  MPI_ERR_INVALIDATED:
 * c is revoked, also if that happens meanwhile; never MPI_ERR_PROC_FAILED. */
int mend_create_validate(struct mend_comm *c, struct mend_group **failed_p);

#endif
