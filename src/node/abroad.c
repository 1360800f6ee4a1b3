/* SPDX-License-Identifier: BSD-3-Clause */
/* abroad.c – the segments of other jobs, and the names of their processes (abroad.h). */
#include "node/abroad.h"

#include "node/log.h"
#include "node/node.h"
#include "node/wake.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLACES_MAX (1u << 20) /* more than any agent makes */
#define NAME_MASK  ((1 << MEND_ABROAD_NAME_BITS) - 1)

_Static_assert(MEND_NODE_NAMES <= 1u << MEND_ABROAD_NAME_BITS, "a name has room");

/* ---- segments ---- */

bool mend_abroad_is_of_another_build(int fd)
{
    struct mend_node_header mine = {0}, found;

    mend_node_layout(&mine, 1);
    return pread(fd, &found, sizeof(found), 0) == sizeof(found) && found.magic == mine.magic &&
           found.build != mine.build;
}

struct mend_node_header *mend_abroad_map(int fd, enum mend_node_part end, size_t *bytes_p)
{
    struct mend_node_header expected = {0}, found;
    int seals = fcntl(fd, F_GET_SEALS);
    struct stat st;
    size_t bytes;
    void *base;

    if (pread(fd, &found, sizeof(found), 0) != sizeof(found) || found.places_n > PLACES_MAX)
        return NULL;
    expected.nodes_n = found.nodes_n;
    mend_node_layout(&expected, found.places_n);
    bytes = (size_t)expected.at[end];
    if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(fd, &st) != 0 ||
        (uint64_t)st.st_size != expected.bytes)
        return NULL;
    base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (base == MAP_FAILED)
        return NULL;
    if (!mend_node_layout_is(base, &expected)) {
        munmap(base, bytes);
        return NULL;
    }
    madvise(base, bytes, MADV_DONTFORK); /* a child is not a rank */
    /* a dump would touch all of it, and so fill the memory that only the pages in use take */
    madvise(base, bytes, MADV_DONTDUMP);
    *bytes_p = bytes;
    return base;
}

bool mend_abroad_touch(const struct mend_abroad *a, const void *at, size_t len)
{
    uint64_t from = (uint64_t)((const char *)at - (const char *)a->header);
    uint64_t end = (from + len + 4095) & ~UINT64_C(4095);

    from &= ~UINT64_C(4095);
    while (fallocate(a->fd, FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)(end - from)) != 0)
        if (errno != EINTR)
            return false;
    return true;
}

void mend_abroad_wake(const struct mend_abroad *a, mend_place there)
{
    struct mend_node_wakes w = {.header = a->header};

    mend_node_wakes_add(&w, there);
    mend_node_wakes_flush(&w);
}

/* ---- jobs ---- */

static struct mend_abroad *find_job(const struct mend_proc *self, uint64_t job)
{
    mend_list_foreach (l, next, &self->abroad) {
        struct mend_abroad *a = mend_list_entry(l, struct mend_abroad, link);

        if (a->job == job)
            return a;
    }
    return NULL;
}

/* Takes fd.  False: it is not a segment of the job, or there is no memory. */
static bool map_job(struct mend_abroad *a, uint64_t job, int fd)
{
    struct mend_node_header *h = mend_abroad_map(fd, MEND_NODE_PART_SLAB, &a->bytes);

    if (h && h->job == job) {
        a->header = h;
        a->fd = fd;
        return true;
    }
    if (h)
        munmap(h, a->bytes);
    close(fd);
    return false;
}

static struct mend_abroad *add_job(struct mend_proc *self, uint64_t job, uint32_t number)
{
    struct mend_abroad *a = mend_zalloc(self, 1, sizeof(*a));

    if (!a)
        return NULL;
    a->job = job;
    a->number = number;
    mend_list_append(&self->abroad, &a->link);
    return a;
}

static bool begin(struct mend_abroad *a, const struct mend_abroad_news *news, int fd)
{
    a->by_sockets = news->key != NULL;
    if (!a->by_sockets)
        return a->header || map_job(a, news->job, fd);
    memcpy(a->key, news->key, sizeof(a->key));
    return true;
}

struct mend_abroad *mend_abroad_learn(struct mend_proc *self, const struct mend_abroad_news *news,
                                      int fd)
{
    struct mend_abroad *a = find_job(self, news->job);
    struct mend_abroad_block *copy = mend_alloc(self, news->blocks_n * sizeof(*copy) + 1);

    if (!a)
        a = add_job(self, news->job, news->number);
    if (fd >= 0 && (!a || !copy || a->header))
        close(fd);
    if (!a || !copy || !begin(a, news, fd)) {
        mend_free(self, copy);
        return NULL;
    }
    memcpy(copy, news->blocks, news->blocks_n * sizeof(*copy));
    mend_free(self, a->blocks);
    a->blocks = copy;
    a->blocks_n = news->blocks_n;
    a->mine = news->mine;
    return a;
}

/* Its agent may tell of more processes, which are not known here yet. */
static bool is_looked_at(const struct mend_proc *self, const struct mend_abroad *a)
{
    for (uint32_t i = 0; i < a->blocks_n; i++) {
        const struct mend_abroad_block *b = &a->blocks[i];

        for (mend_peer p = b->here; p < b->here + b->n; p++)
            if (p >= self->peers_n || !mend_peer_entry(self, p)->gone)
                return true;
    }
    return false;
}

void mend_abroad_forget(struct mend_proc *self)
{
    mend_list_foreach (l, next, &self->abroad) {
        struct mend_abroad *a = mend_list_entry(l, struct mend_abroad, link);

        if (!a->header || !a->blocks_n || is_looked_at(self, a))
            continue;
        munmap(a->header, a->bytes);
        close(a->fd);
        a->header = NULL;
    }
}

/* ---- processes ---- */

static const struct mend_abroad_block *block_of(const struct mend_abroad *a, mend_peer p)
{
    for (uint32_t i = 0; i < a->blocks_n; i++)
        if (p >= a->blocks[i].here && p - a->blocks[i].here < a->blocks[i].n)
            return &a->blocks[i];
    return NULL;
}

/* How far it is in MPI is read in the table of its own job: if the agents told each other, a process that comes back could send
 * before that is known here, and count as one that is away (decide/tree.c). */
static void meet(struct mend_proc *self, mend_peer p, struct mend_abroad *a,
                 const struct mend_node_process *there)
{
    mend_node_meet_elsewhere(
        self, p,
        (struct mend_where){.kind = MEND_WHERE_JOB,
                            .place = mend_place_at(there->place),
                            .sends =
                                mend_place_at(mend_node_process_of(self->node->header, p)->place),
                            .job = a});
    mend_peer_entry(self, p)->presence = &there->presence;
}

static void meet_by_sockets(struct mend_proc *self, mend_peer p, struct mend_abroad *a)
{
    mend_node_meet_elsewhere(
        self, p,
        (struct mend_where){
            .kind = MEND_WHERE_JOB, .place = MEND_PLACE_NONE, .sends = MEND_PLACE_NONE, .job = a});
}

bool mend_abroad_meet(struct mend_proc *self, mend_peer p)
{
    mend_list_foreach (l, next, &self->abroad) {
        struct mend_abroad *a = mend_list_entry(l, struct mend_abroad, link);
        const struct mend_abroad_block *b = a->header || a->by_sockets ? block_of(a, p) : NULL;

        if (b && a->by_sockets)
            meet_by_sockets(self, p, a);
        else if (b)
            meet(self, p, a, mend_node_process_of(a->header, b->there + (p - b->here)));
        if (b)
            return true;
    }
    return false;
}

const struct mend_abroad_block *mend_abroad_door(const struct mend_proc *self, mend_peer p)
{
    return block_of(mend_peer_job(self, p), p);
}

const unsigned char *mend_abroad_key(const struct mend_proc *self, uint64_t job)
{
    const struct mend_abroad *a = find_job(self, job);

    return a && a->by_sockets ? a->key : NULL;
}

static int32_t full_name(uint32_t number, int32_t name)
{
    return (int32_t)(number << MEND_ABROAD_NAME_BITS) | name;
}

/* acquire: pairs with the release in opened() (launch/agent/contact.c) */
static uint32_t own_number(const struct mend_proc *self)
{
    return self->node ? mend_load_acquire(&self->node->header->number) : 0;
}

int32_t mend_abroad_name(const struct mend_proc *self, mend_peer p)
{
    const struct mend_abroad *a = mend_peer_job(self, p);
    const struct mend_abroad_block *b = a ? block_of(a, p) : NULL;

    return b ? full_name(a->number, b->there + (p - b->here)) : full_name(own_number(self), p);
}

/* MEND_PEER_NONE: it is not one of those. */
static mend_peer find_in(struct mend_proc *self, const struct mend_abroad *a, int32_t there)
{
    for (uint32_t i = 0; i < a->blocks_n; i++) {
        const struct mend_abroad_block *b = &a->blocks[i];
        mend_peer p = b->here + (there - b->there);

        if (there >= b->there && there - b->there < b->n)
            return mend_peer_learn(self, p) ? p : MEND_PEER_NONE;
    }
    return MEND_PEER_NONE;
}

static mend_peer find_abroad(struct mend_proc *self, uint32_t number, int32_t there)
{
    mend_list_foreach (l, next, &self->abroad) {
        struct mend_abroad *a = mend_list_entry(l, struct mend_abroad, link);

        if (a->number == number)
            return find_in(self, a, there);
    }
    return MEND_PEER_NONE;
}

/* The agent may have said more than this process has heard: another one that has heard it may name the process. */
static bool look_again(struct mend_proc *self, mend_peer p)
{
    if (p != MEND_PEER_NONE || !self->look_for_newcomers)
        return false;
    self->look_for_newcomers(self);
    return true;
}

mend_peer mend_abroad_peer(struct mend_proc *self, int32_t name)
{
    uint32_t number = (uint32_t)name >> MEND_ABROAD_NAME_BITS;
    mend_peer p = name & NAME_MASK;

    if (name < 0)
        return MEND_PEER_NONE;
    if (!number || number == own_number(self))
        return mend_peer_learn(self, p) ? p : MEND_PEER_NONE;
    p = find_abroad(self, number, name & NAME_MASK);
    return look_again(self, p) ? find_abroad(self, number, name & NAME_MASK) : p;
}

static mend_peer find_of_job(struct mend_proc *self, uint64_t job, int32_t there)
{
    const struct mend_abroad *a = find_job(self, job);

    return a ? find_in(self, a, there) : MEND_PEER_NONE;
}

mend_peer mend_abroad_find(struct mend_proc *self, uint64_t job, int32_t there)
{
    mend_peer p = find_of_job(self, job, there);

    return look_again(self, p) ? find_of_job(self, job, there) : p;
}
