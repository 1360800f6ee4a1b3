/* SPDX-License-Identifier: BSD-3-Clause */
/* on_host.h – processes that are started on hosts that the hint `host` names, and tell where they are.
 *
 * A child tells rank 0 of its parents by which agent it was started, and the name of its machine; then both groups part. */
#ifndef TEST_NODES_ON_HOST_H
#define TEST_NODES_ON_HOST_H

#include "../common.h"

enum { CHILDREN_MAX = 32 };

struct place {
    int agent;
    char host[60];
};

/* Of the children that were started last, at rank 0. */
static struct place place[CHILDREN_MAX];
static int children_n, codes[CHILDREN_MAX];

static inline struct place my_place(void)
{
    struct place p = {.agent = (int)getppid()};

    gethostname(p.host, sizeof(p.host) - 1);
    return p;
}

/* What is different from a process that was not started by this. */
static inline bool is_child(void)
{
    MPI_Comm parent;

    MPI_Comm_get_parent(&parent);
    return parent != MPI_COMM_NULL;
}

/* Does not return. */
static inline void be_child(void)
{
    struct place p = my_place();
    MPI_Comm parent;

    MPI_Comm_get_parent(&parent);
    MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Send(&p, sizeof(p), MPI_BYTE, 0, 0, parent);
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    exit(0);
}

static inline MPI_Info hint_for(const char *host, const char *soft)
{
    MPI_Info info;

    MPI_Info_create(&info);
    if (host)
        MPI_Info_set(info, *host == '/' ? "hostfile" : "host", host);
    if (soft)
        MPI_Info_set(info, "soft", soft);
    return info;
}

static inline int meet_children(MPI_Comm c, MPI_Comm children)
{
    int me;

    MPI_Comm_set_errhandler(children, MPI_ERRORS_RETURN);
    MPI_Comm_rank(c, &me);
    MPI_Comm_remote_size(children, &children_n);
    for (int i = 0; me == 0 && i < children_n; i++)
        if (MPI_Recv(&place[i], sizeof(place[i]), MPI_BYTE, i, 0, children, MPI_STATUS_IGNORE))
            place[i] = (struct place){0};
    MPI_Comm_disconnect(&children);
    return MPI_SUCCESS;
}

static inline int start_on(MPI_Comm c, int root, char *program, int n, const char *host,
                           const char *soft)
{
    MPI_Info info = hint_for(host, soft);
    MPI_Comm children;
    int rc = MPI_Comm_spawn(program, MPI_ARGV_NULL, n, info, root, c, &children, codes);

    MPI_Info_free(&info);
    return rc == MPI_SUCCESS ? meet_children(c, children) : rc;
}

/* Block i has n[i] processes on host[i]. */
static inline int start_blocks(MPI_Comm c, char *program, int blocks_n, const int *n,
                               const char *const *host)
{
    char *commands[8];
    MPI_Info infos[8];
    MPI_Comm children;
    int rc;

    for (int i = 0; i < blocks_n; i++) {
        commands[i] = program;
        infos[i] = hint_for(host[i], NULL);
    }
    rc = MPI_Comm_spawn_multiple(blocks_n, commands, MPI_ARGVS_NULL, n, infos, 0, c, &children,
                                 codes);
    for (int i = 0; i < blocks_n; i++)
        MPI_Info_free(&infos[i]);
    return rc == MPI_SUCCESS ? meet_children(c, children) : rc;
}

/* The call has failed at all, as nothing can be started there; the text of the root has these words. */
static inline void check_refused(MPI_Comm c, int root, int rc, const char *words)
{
    char text[MPI_MAX_ERROR_STRING];
    int n, me;

    CHECK_CLASS(rc, MPI_ERR_SPAWN);
    CHECK_EQ(codes[0], MPI_ERR_SPAWN);
    MPI_Error_string(rc, text, &n);
    MPI_Comm_rank(c, &me);
    if (me == root && !strstr(text, words)) {
        printf("'%s' has no '%s'\n", text, words);
        fflush(stdout);
        CHECK(false);
    }
}

#endif
