/* SPDX-License-Identifier: BSD-3-Clause */
/* names.c – see names.h. */
#include "agent/names.h"

#include "agent/tell.h"
#include "ft/bits.h"
#include "rt/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct mend_names {
    struct mend_ranks *ranks;
    const struct mend_tell *tell;
    struct mend_list asked; /* by ranks of this node, and not answered */
    int64_t asked_n;
    uint64_t *publishers; /* set of the ranks that have published something; the first node's */
};

struct asked {
    struct mend_list link;
    struct rank *r;
    int64_t number;
    struct mend_service_file file;
};

struct mend_names *mend_names_new(struct mend_ranks *ranks, const struct mend_tell *tell)
{
    struct mend_names *n = mend_xalloc(1, sizeof(*n));

    n->ranks = ranks;
    n->tell = tell;
    n->publishers = mend_xalloc(mend_bits_words(MEND_NODE_NAMES), sizeof(*n->publishers));
    mend_list_init(&n->asked);
    return n;
}

/* ---- the agent of the rank that asks ---- */

void mend_names_asked(struct mend_names *n, struct rank *r, int fd)
{
    struct mend_service_file f;
    bool good = fd >= 0 && mend_service_map(&f, fd);
    struct asked *a;

    if (fd >= 0)
        close(fd);
    if (!good) {
        mend_say(n->tell, "mend: a damaged message from rank %d was ignored", r->index);
        return;
    }
    a = mend_xalloc(1, sizeof(*a));
    *a = (struct asked){.r = r, .number = ++n->asked_n, .file = f};
    mend_list_append(&n->asked, &a->link);
    mend_post(&n->tell->root, &(struct mend_message){.kind = MEND_UP_NAME,
                                                     .rank = r->index,
                                                     .arg = {[MEND_NAME_NUMBER] = a->number},
                                                     .data = (const char *)f.q,
                                                     .len = (uint32_t)f.bytes});
}

static void answer(struct mend_names *n, const struct mend_message *m)
{
    mend_list_foreach (l, next, &n->asked) {
        struct asked *a = mend_list_entry(l, struct asked, link);

        if (a->number != m->arg[MEND_NAME_NUMBER] || m->len > sizeof(a->file.q->port))
            continue;
        memcpy(a->file.q->port, m->data, m->len);
        a->file.q->error = (int32_t)m->arg[MEND_NAME_ERROR];
        /* release: pairs with the acquire in is_answered() (create/published.c) */
        mend_store_release(&a->file.q->answer, 1);
        mend_rank_call(n->ranks, a->r);
        mend_list_remove(&a->link);
        mend_service_unmap(&a->file);
        free(a);
    }
}

/* ---- the agent of the first node ---- */

static int carry_out(struct mend_names *n, int rank, const struct mend_service_request *q,
                     char port[MEND_SERVICE_PORT_MAX])
{
    uint64_t job = n->ranks->shm->job, scope = q->of_job ? job : MEND_SERVICE_USER;
    char dir[MEND_SERVICE_DIR_BYTES];

    mend_service_dir(dir);
    switch ((enum mend_service_how)q->how) {
    case MEND_SERVICE_PUBLISH:
        if (mend_rank_is_dead(n->ranks, rank))
            return ESRCH;
        mend_bits_set(n->publishers, rank);
        return mend_service_publish(dir, job, rank, scope, q->name, q->port);
    case MEND_SERVICE_LOOK_UP:
        return mend_service_look_up(dir, scope, q->name, port);
    case MEND_SERVICE_WITHDRAW:
        return mend_service_withdraw(dir, rank, scope, q->name, q->port);
    default:
        mend_service_sweep_rank(dir, rank);
        return 0;
    }
}

static void keep(struct mend_names *n, const struct mend_message *m)
{
    char port[MEND_SERVICE_PORT_MAX] = "";
    struct mend_service_request *q = mend_xalloc(1, m->len + 1);
    int error = EINVAL;

    memcpy(q, m->data, m->len);
    if (m->rank >= 0 && m->rank < n->ranks->n && mend_service_valid(q, m->len))
        error = carry_out(n, m->rank, q, port);
    free(q);
    mend_post(&n->tell->root,
              &(struct mend_message){.kind = MEND_UP_PORT,
                                     .rank = m->rank,
                                     .arg = {[MEND_NAME_NUMBER] = m->arg[MEND_NAME_NUMBER],
                                             [MEND_NAME_NODE] = m->arg[MEND_NAME_NODE],
                                             [MEND_NAME_ERROR] = error},
                                     .data = port,
                                     .len = (uint32_t)strlen(port) + 1});
}

void mend_names_hear(struct mend_names *n, const struct mend_message *m)
{
    if (m->kind == MEND_DOWN_NAME)
        keep(n, m);
    else
        answer(n, m);
}

void mend_names_died(struct mend_names *n, const struct mend_verdict *v, uint32_t dead_n)
{
    char dir[MEND_SERVICE_DIR_BYTES];

    mend_service_dir(dir);
    for (uint32_t i = 0; i < dead_n; i++)
        if (mend_bits_test(n->publishers, v[i].peer))
            mend_service_sweep_rank(dir, v[i].peer);
}
