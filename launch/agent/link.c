/* SPDX-License-Identifier: BSD-3-Clause */
/* link.c – the links of an agent, and what others ask of them.  What they become: contact.c. */
#include "agent/link.h"

#include "ft/lease_sm.h"
#include "node/log.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct mend_link *mend_link_to(struct mend_links *links, uint64_t other)
{
    mend_list_foreach (l, next, &links->all)
        if (mend_list_entry(l, struct mend_link, link)->other == other)
            return mend_list_entry(l, struct mend_link, link);
    return NULL;
}

struct mend_link *mend_link_add(struct mend_links *links, int fd)
{
    struct mend_link *x = mend_xalloc(1, sizeof(*x));

    *x = (struct mend_link){.fd = fd, .id = -1, .shm_fd = -1, .mirror = fd < 0};
    x->block = mend_xalloc(MEND_ABROAD_BLOCKS_MAX, sizeof(*x->block));
    mend_list_init(&x->out);
    mend_list_append(&links->all, &x->link);
    if (x->mirror)
        return x;
    x->id = links->ids_n++;
    x->told = mend_xalloc(MEND_LINK_WORDS, sizeof(*x->told));
    x->held = mend_xalloc(MEND_LINK_WORDS, sizeof(*x->held));
    x->there = mend_xalloc(MEND_NODE_NAMES, sizeof(*x->there));
    mend_sources_set_link(links->with.sources, fd, true, false);
    return x;
}

/* Its guests are dead, and have no places: they stay somebody's.  A process that begins later is not told of them, and must not wait
 * for that: it finds so beside their names. */
static void leave_guests(struct mend_links *links, const struct mend_link *x)
{
    static struct mend_link nobody = {.id = -1};
    struct mend_ranks *ranks = links->with.ranks;

    for (uint32_t i = 0; i < x->blocks_n; i++)
        for (int name = x->block[i].here; name < x->block[i].here + x->block[i].n; name++) {
            ranks->rank[name].guest_of = &nobody;
            /* release: pairs with the acquire in meet_abroad() (rt/local.c) */
            mend_store_release(&mend_node_process_of(ranks->shm, name)->forgotten, 1);
        }
}

static void drop_segment(struct mend_link *x)
{
    if (x->shm)
        munmap(x->shm, x->shm_bytes);
    if (x->shm_fd >= 0)
        close(x->shm_fd);
    x->shm = NULL;
    x->shm_fd = -1;
}

void mend_link_free(struct mend_links *links, struct mend_link *x)
{
    leave_guests(links, x);
    mend_link_drop_queue(x);
    drop_segment(x);
    mend_list_remove(&x->link);
    free(x->block);
    free(x->told);
    free(x->held);
    free(x->there);
    free(x->admits);
    free(x);
}

/* ---- what is asked of it ---- */

enum mend_contact_state mend_link_state(const struct mend_links *links, const struct mend_link *x)
{
    const struct mend_contact_link *l = mend_contact_link(links->contact, x->id);

    return l ? (enum mend_contact_state)l->state : MEND_CONTACT_CLOSED;
}

bool mend_link_is_open(const struct mend_links *links, const struct mend_link *x)
{
    const struct mend_contact_link *l = mend_contact_link(links->contact, x->id);

    return l && l->state == MEND_CONTACT_OPEN && l->proved;
}

bool mend_links_hold(const struct mend_links *links, int name)
{
    mend_list_foreach (l, next, &links->all) {
        const struct mend_link *x = mend_list_entry(l, struct mend_link, link);

        if (x->held && x->held[name / 64] >> name % 64 & 1)
            return true;
    }
    return false;
}

void mend_guest_left(struct mend_link *x)
{
    x->guests_n--;
}

/* ---- what the other says of itself ---- */

bool mend_link_learn_ways(struct mend_links *links, struct mend_link *x,
                          const struct mend_link_msg *m)
{
    const struct mend_nodes *nodes = &links->with.ranks->nodes;

    x->far = m->far || nodes->n;
    x->lease_ns = m->lease_ns < MEND_LEASE_MOST_NS ? m->lease_ns : MEND_LEASE_MOST_NS;
    memcpy(x->key, m->key, sizeof(x->key));
    if (x->far && !links->with.open_port(links->with.self, m->elsewhere))
        return false;
    x->narrow = m->elsewhere && mend_address_is_loopback(&nodes->at);
    return true;
}

/* Takes fd.  False: it is not a segment of that job. */
bool mend_link_take_segment(struct mend_link *x, int fd, uint64_t other)
{
    drop_segment(x);
    x->shm_fd = fd;
    x->shm = fd < 0 ? NULL : mend_abroad_map(fd, MEND_NODE_PART_CELL, &x->shm_bytes);
    return x->shm && x->shm->job == other;
}
