/* SPDX-License-Identifier: BSD-3-Clause */
/* creators.h – every way to make a communicator, by name.
 *
 * set_up() makes what they start from: inter, an intercommunicator of the lower and the upper half of the
 * ranks, and the local communicators of both.  create(how, &c) makes c, of all processes:
 *
 *     on MPI_COMM_WORLD     dup idup dup_info split split_type create create_group cart graph dist_graph
 *                           shrink ishrink
 *     on inter              inter_dup inter_idup inter_split inter_create merge inter_shrink
 *     of both halves        intercomm_create
 *
 *   S0-15: a nonblocking call never reports a failure when it starts */
#ifndef TEST_KILL_FT_CREATORS_H
#define TEST_KILL_FT_CREATORS_H

#include "../common.h"

#define W         MPI_COMM_WORLD
#define RANKS_MAX 16

static MPI_Comm inter, local;

static inline bool in_upper(void)
{
    return rank >= size / 2;
}

static inline int create_intercomm(MPI_Comm *c)
{
    return MPI_Intercomm_create(local, 0, W, in_upper() ? 0 : size / 2, 1, c);
}

static inline void set_up(void)
{
    CHECK_EQ(MPI_Comm_split(W, in_upper(), rank, &local), MPI_SUCCESS);
    CHECK_EQ(create_intercomm(&inter), MPI_SUCCESS);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(local, MPI_ERRORS_RETURN);
}

/* Errors of a nonblocking one come with its request (S0-15). */
static inline int completed(int err, MPI_Request *r)
{
    CHECK_EQ(err, MPI_SUCCESS);
    return MPI_Wait(r, MPI_STATUS_IGNORE);
}

static inline int create_with_group(const char *how, MPI_Comm *c)
{
    MPI_Comm from = strcmp(how, "inter_create") ? W : inter;
    MPI_Group g;
    int err;

    MPI_Comm_group(from, &g);
    err = strcmp(how, "create_group") ? MPI_Comm_create(from, g, c)
                                      : MPI_Comm_create_group(from, g, 7, c);
    MPI_Group_free(&g);
    return err;
}

static inline int create_topology(const char *how, MPI_Comm *c)
{
    int index[RANKS_MAX], edges[RANKS_MAX], one = 1;

    for (int i = 0; i < size; i++) { /* a ring */
        index[i] = i + 1;
        edges[i] = (i + 1) % size;
    }
    if (!strcmp(how, "cart"))
        return MPI_Cart_create(W, 1, &size, &one, 0, c);
    if (!strcmp(how, "graph"))
        return MPI_Graph_create(W, size, index, edges, 0, c);
    return MPI_Dist_graph_create(W, 1, &rank, &one, &edges[rank], MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 c);
}

static inline int create_plain(const char *how, MPI_Comm from, MPI_Comm *c)
{
    MPI_Request r;

    if (!strcmp(how, "dup"))
        return MPI_Comm_dup(from, c);
    if (!strcmp(how, "dup_info"))
        return MPI_Comm_dup_with_info(from, MPI_INFO_NULL, c);
    if (!strcmp(how, "idup"))
        return completed(MPI_Comm_idup(from, c, &r), &r);
    if (!strcmp(how, "split"))
        return MPI_Comm_split(from, 0, rank, c);
    if (!strcmp(how, "split_type"))
        return MPI_Comm_split_type(from, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, c);
    if (!strcmp(how, "shrink"))
        return MPIX_Comm_shrink(from, c);
    CHECK(!strcmp(how, "ishrink"));
    return completed(MPIX_Comm_ishrink(from, c, &r), &r);
}

static inline int create(const char *how, MPI_Comm *c)
{
    int err;

    *c = MPI_COMM_NULL;
    if (strstr(how, "create") == how || !strcmp(how, "inter_create"))
        err = create_with_group(how, c);
    else if (!strcmp(how, "cart") || strstr(how, "graph"))
        err = create_topology(how, c);
    else if (!strcmp(how, "intercomm_create"))
        err = create_intercomm(c);
    else if (!strcmp(how, "merge"))
        err = MPI_Intercomm_merge(inter, in_upper(), c);
    else if (strstr(how, "inter_") == how)
        err = create_plain(how + strlen("inter_"), inter, c);
    else
        err = create_plain(how, W, c);
    CHECK((err == MPI_SUCCESS) == (*c != MPI_COMM_NULL));
    if (!err)
        MPI_Comm_set_errhandler(*c, MPI_ERRORS_RETURN);
    return err;
}

#endif
