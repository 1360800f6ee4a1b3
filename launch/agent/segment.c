/* SPDX-License-Identifier: BSD-3-Clause */
/* segment.c – the memory that the ranks of this node share.
 *
 * It has no name and is sealed: it leaves nothing behind, and no process can shrink it.  Its size
 * grows with the square of the number of ranks, but only touched pages exist.  The parts that every rank
 * reads (header, ranks, deaths, bells, said, the bit and the votes of MPI_COMM_WORLD) are reserved here; a rank
 * reserves its rings, with their heads, its cells and the bits of its contexts when it uses them. */
#include "agent/segment.h"

#include "agent/papers.h"
#include "agent/tell.h"
#include "base/time.h"
#include "node/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE UINT64_C(4096)

/* Between two looks whether the survivors have let go of a dead rank. */
#define GIVE_BACK_SOON_NS (MEND_NS_PER_MS / 2)
#define GIVE_BACK_LATE_NS MEND_NS_PER_S

static unsigned cores_allowed(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

void mend_segment_expect(struct mend_ranks *ranks, int n)
{
    struct mend_node_header *h = ranks->shm;

    h->ranks_here_n += (uint32_t)n;
    if (h->ranks_here_n > h->cores_n)
        mend_store_relaxed(&h->oversubscribed, 1);
}

static void fill_header(struct mend_ranks *ranks, const struct mend_tell *tell,
                        const struct mend_node_header *layout)
{
    struct mend_node_header *h = ranks->shm;

    *h = *layout;
    h->agent_pid = (uint32_t)ranks->self_pid;
    h->node = ranks->nodes.me;
    h->cores_n = cores_allowed();
    mend_segment_expect(ranks, ranks->beside_n);
    h->reporting = tell->reporting;
    mend_store_relaxed(&h->tells_presence, ranks->nodes.n > 0);
    h->start_ns = tell->start_ns;
    memcpy(h->door.key, ranks->nodes.key, sizeof(h->door.key));
    h->door.at = ranks->nodes.at;
    h->job = ranks->nodes.job;
    if (!h->job && getrandom(&h->job, sizeof(h->job), GRND_NONBLOCK) != sizeof(h->job))
        h->job = tell->start_ns ^ (uint64_t)ranks->self_pid << 32;
    if (gethostname(h->host, sizeof(h->host)) != 0)
        snprintf(h->host, sizeof(h->host), "localhost");
    h->host[sizeof(h->host) - 1] = '\0';
}

static bool reserve(int fd, uint64_t from, uint64_t end)
{
    return fallocate(fd, FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)(end - from)) == 0;
}

bool mend_segment_reserve(struct mend_ranks *ranks, const void *at, uint64_t bytes)
{
    uint64_t from = (uint64_t)((const char *)at - (const char *)ranks->shm);

    return reserve(ranks->shm_fd, from, from + bytes);
}

static bool reserve_range(int fd, struct mend_node_range r)
{
    return !r.bytes || reserve(fd, r.at, r.at + r.bytes);
}

/* Before ranks start in these places; with what they need for the votes on their MPI_COMM_WORLD. */
static bool reserve_places(int fd, const struct mend_node_header *layout, uint32_t first, int n)
{
    for (unsigned i = 0; i < MEND_NODE_PARTS; i++)
        if (!reserve_range(fd, mend_node_part_early(layout, i, first, (uint32_t)n)))
            return false;
    for (uint32_t k = first; k < first + (uint32_t)n; k++) {
        uint64_t at = mend_node_votes_at(layout, mend_place_at(k), 0);

        if (!reserve(fd, at, at + MEND_NODE_CELL_AGREE))
            return false;
    }
    return true;
}

/* Before these names are given. */
static bool reserve_names(int fd, const struct mend_node_header *layout, int first, int n)
{
    for (unsigned i = 0; i < MEND_NODE_PARTS; i++)
        if (!reserve_range(fd, mend_node_part_of_names(layout, i, (uint32_t)first, (uint32_t)n)))
            return false;
    return true;
}

/* Of the context of a world whose first process has this place.  The bits of its row that ranks had before stay theirs;
 * counters below 16 are not proposed, and their bits only the first rank of a place has. */
static uint64_t world_counter(const struct rank *r)
{
    uint64_t used = mend_load_relaxed(&r->shared->contexts_n);

    return !used ? 1 : used < MEND_NODE_CONTEXTS_FIRST ? MEND_NODE_CONTEXTS_FIRST : used;
}

/* The page of the bit that revokes its world. */
static bool reserve_bit(struct mend_ranks *ranks, const struct rank *r)
{
    uint64_t counter = world_counter(r);
    uint64_t row =
        (uint64_t)((char *)mend_node_revoked_of(ranks->shm, r->place) - (char *)ranks->shm);

    return counter >= MEND_NODE_REVOKED ||
           reserve(ranks->shm_fd, row + counter / 8, row + counter / 8 + 1);
}

bool mend_segment_admit(struct mend_ranks *ranks, int first, int n)
{
    for (int i = first; i < first + n; i++)
        if (!ranks->rank[i].far &&
            (!reserve_places(ranks->shm_fd, ranks->shm, ranks->rank[i].place.at, 1) ||
             (!ranks->rank[i].guest_of && !reserve_bit(ranks, &ranks->rank[i]))))
            return false;
    return reserve_names(ranks->shm_fd, ranks->shm, first, n);
}

static void name_one(struct mend_ranks *ranks, int i)
{
    struct mend_node_process *process = mend_node_process_of(ranks->shm, i);
    struct mend_node_rank *s = ranks->rank[i].shared;

    process->place = ranks->rank[i].place.at;
    process->node = ranks->rank[i].node;
    process->counter = ranks->rank[i].guest_of ? 0 : world_counter(&ranks->rank[i]);
    if (ranks->rank[i].far)
        return;
    if (process->counter)
        mend_store_relaxed(&s->contexts_n, process->counter + 1);
    s->born_n = mend_load_relaxed(&ranks->shm->deaths_n);
    mend_store_relaxed(&s->let_go_n, s->born_n);
}

void mend_segment_name(struct mend_ranks *ranks, int first, int n)
{
    for (int i = first; i < first + n; i++)
        name_one(ranks, i);
    /* release: pairs with the acquire in names_given() */
    mend_store_release(&ranks->shm->names_n, (uint32_t)(first + n));
}

bool mend_segment_create(struct mend_ranks *ranks, const struct mend_tell *tell, uint64_t *bytes_p)
{
    struct mend_node_header layout = {0};
    int error, fd = memfd_create("mend", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    layout.nodes_n = ranks->nodes.n;
    mend_node_layout(&layout, (uint32_t)ranks->places_n);
    *bytes_p = layout.bytes;
    if (fd < 0)
        return false;
    if (fchmod(fd, 0600) != 0 || ftruncate(fd, (off_t)layout.bytes) != 0 ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0 ||
        !reserve(fd, 0, sizeof(layout)) || !reserve_places(fd, &layout, 0, ranks->ours_n) ||
        !reserve_names(fd, &layout, 0, ranks->n))
        goto close_fd;
    ranks->shm =
        mmap(NULL, layout.at[MEND_NODE_PART_CELL], PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (ranks->shm == MAP_FAILED)
        goto close_fd;
    ranks->shm_fd = fd;
    fill_header(ranks, tell, &layout);
    return true;
close_fd:
    error = errno;
    close(fd);
    errno = error;
    return false;
}

/* ---- memory of the dead ---- */

/* What a dead rank has left in the parts of the segment that are given back, and which rank may still look at it.  A rank that is
 * in MPI may look at all of it until it says that it has let go of the dead one (life/let_go.c).  Of a rank that has not come to
 * MPI_Init yet:
 *
 *   part           what the dead rank has left there                     a rank that has not come
 *   ring, head     rings to it; fast boxes and trays of its pairs        receives messages from there (R12)
 *   votes of       its votes on its MPI_COMM_WORLD                       takes part in the agreement
 *     cell 0
 *   slab           its votes on MPI_COMM_WORLD, if that has no cell      "
 *   other votes,   communicators that all members have created           is not a member of any
 *     slab
 *   cell           collectives; no member writes before all have come    has nothing to read
 *   copy page      large messages that it was receiving                  has sent none
 *   heap           windows and files that all members have created       is not a member of any
 *
 * The rings from it lie in the rows of the receivers; they are punched when another rank gets its place, and so is all else.
 * A process that has ended, has left or is dead looks at nothing.  So a rank that never calls MPI_Init keeps memory until its
 * process ends, and a process that has no session keeps it until it comes back and lets go, or ends. */
enum late {
    LATE_NEVER,   /* a rank that has not come has no business there */
    LATE_IF_SENT, /* it has, if the dead one has sent to a rank that had not come: sent_early */
    LATE_ALWAYS,
};

static const struct left {
    enum mend_node_part part;
    enum late late;
    uint32_t from, end; /* the piece of a block; end 0: all of it */
} lefts[] = {
    {MEND_NODE_PART_RING, LATE_IF_SENT, 0, 0},
    {MEND_NODE_PART_HEAD, LATE_IF_SENT, 0, 0},
    {MEND_NODE_PART_VOTES, LATE_ALWAYS, 0, MEND_NODE_CELL_AGREE},
    {MEND_NODE_PART_VOTES, LATE_NEVER, MEND_NODE_CELL_AGREE, 0},
    {MEND_NODE_PART_SLAB, LATE_ALWAYS, 0, 0},
    {MEND_NODE_PART_CELL, LATE_NEVER, 0, 0},
    {MEND_NODE_PART_COPYPAGE, LATE_NEVER, 0, 0},
    {MEND_NODE_PART_HEAP, LATE_NEVER, 0, 0},
};

static bool is_held(struct mend_ranks *ranks, const struct rank *r)
{
    bool held;

    pthread_mutex_lock(&ranks->lock);
    held = r->state.ending == MEND_ENDING_HELD;
    pthread_mutex_unlock(&ranks->lock);
    return held;
}

/* The end of a script is not that of the process in it. */
static bool is_over(struct mend_ranks *ranks, int i)
{
    const struct rank *r = &ranks->rank[i];

    return mend_rank_is_dead(ranks, i) || (mend_rank_has_ended(r) && !is_held(ranks, r)) ||
           mend_rank_presence(ranks, i) == MEND_PRESENCE_LEFT;
}

/* The verdicts about dead of which no living rank in MPI looks at anything any more; all: nor one that will come. */
static uint32_t let_go(struct mend_ranks *ranks, bool all)
{
    uint32_t n = mend_load_acquire(&ranks->shm->deaths_n);

    for (int i = 0; i < ranks->n; i++) {
        struct mend_node_rank *r = ranks->rank[i].shared;
        bool has_come = mend_rank_presence(ranks, i) != MEND_PRESENCE_NONE;
        uint32_t let_go_n;

        if (ranks->rank[i].far || (!has_come && !all) || is_over(ranks, i))
            continue;
        let_go_n = mend_load_acquire(&r->let_go_n); /* pairs with the release in say_let_go() */
        n = let_go_n < n ? let_go_n : n;
    }
    return n;
}

/* Whole pages only. */
static void punch(struct mend_ranks *ranks, uint64_t from, uint64_t end)
{
    from = (from + PAGE - 1) & ~(PAGE - 1);
    end &= ~(PAGE - 1);
    if (from < end)
        fallocate(ranks->shm_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from,
                  (off_t)(end - from));
}

/* Everything that was on its way to it. */
static void punch_rings(struct mend_ranks *ranks, mend_place dead)
{
    struct mend_node_header *h = ranks->shm;
    uint64_t ring = (uint64_t)((char *)mend_node_ring_of(h, dead, mend_place_at(0)) - (char *)h);
    uint64_t head = (uint64_t)((char *)mend_node_head_of(h, dead, mend_place_at(0)) - (char *)h);

    punch(ranks, ring, ring + h->row_bytes[MEND_NODE_PART_RING]);
    punch(ranks, head, head + h->row_bytes[MEND_NODE_PART_HEAD]);
}

/* Rings of a dead rank to others. */
static void punch_column(struct mend_ranks *ranks, mend_place dead)
{
    struct mend_node_header *h = ranks->shm;

    for (uint32_t i = 0; i < h->places_used; i++) {
        uint64_t at = (uint64_t)((char *)mend_node_ring_of(h, mend_place_at(i), dead) - (char *)h);

        punch(ranks, at, at + h->ring_bytes);
    }
}

/* The pages are the ranks' to make. */
static void clear_head(struct mend_ranks *ranks, const struct mend_tell *tell,
                       const struct mend_node_head *head)
{
    const struct mend_node_head zero = {0};
    struct mend_node_head found;
    off_t at = (const char *)head - (const char *)ranks->shm;

    if (pread(ranks->shm_fd, &found, sizeof(found), at) == sizeof(found) &&
        memcmp(&found, &zero, sizeof(found)) != 0 &&
        pwrite(ranks->shm_fd, &zero, sizeof(zero), at) != sizeof(zero))
        mend_say(tell, "mpiexec: the segment of the job cannot be written: %s", strerror(errno));
}

/* What others have said about the rings from this place and it about theirs, and the fast boxes that they shared. */
static void clear_heads(struct mend_ranks *ranks, const struct mend_tell *tell, mend_place place)
{
    struct mend_node_header *h = ranks->shm;

    for (uint32_t i = 0; i < h->places_used; i++) {
        clear_head(ranks, tell, mend_node_head_of(h, mend_place_at(i), place));
        clear_head(ranks, tell, mend_node_head_of(h, place, mend_place_at(i)));
    }
}

void mend_segment_clear(struct mend_ranks *ranks, const struct mend_tell *tell, mend_place place)
{
    struct mend_node_header *h = ranks->shm;
    struct mend_node_rank *r = mend_node_rank_of(h, place);
    uint64_t contexts_n = mend_load_relaxed(&r->contexts_n);

    memset(r, 0, sizeof(*r));
    mend_store_relaxed(&r->contexts_n, contexts_n);
    memset(mend_node_said_of(h, place, 0), 0, mend_node_block_bytes(MEND_NODE_PART_SAID));
    for (uint32_t i = 0; i < h->places_used; i++) {
        mend_store_relaxed(&mend_node_bells(h, mend_place_at(i))[place.at], 0);
        mend_store_relaxed(&mend_node_bells(h, place)[i], 0);
    }
    clear_heads(ranks, tell, place);
    punch_column(ranks, place);
    punch_rings(ranks, place); /* guests may have sent to it until they heard of the death */
}

static struct rank *rank_of_death(const struct mend_ranks *ranks, uint32_t k)
{
    return &ranks->rank[mend_node_death_of(ranks->shm, k)->name];
}

static void punch_left(struct mend_ranks *ranks, const struct left *l, mend_place dead)
{
    uint64_t row = ranks->shm->row_bytes[l->part];
    uint64_t bytes = row ? row : mend_node_block_bytes(l->part);
    uint64_t at = ranks->shm->at[l->part] + dead.at * bytes;

    punch(ranks, at + l->from, at + (l->end ? l->end : bytes));
}

/* What ranks that have not come yet do not look at, or the rest. */
static void give_back(struct mend_ranks *ranks, mend_place dead, bool rest)
{
    bool sent;

    if (dead.at == MEND_PLACE_NONE.at)
        return; /* of another node */
    sent = mend_load_relaxed(&mend_node_rank_of(ranks->shm, dead)->sent_early);

    for (unsigned i = 0; i < MEND_COUNT_OF(lefts); i++) {
        enum late late = lefts[i].late;

        if (rest == (late == LATE_ALWAYS || (late == LATE_IF_SENT && sent)))
            punch_left(ranks, &lefts[i], dead);
    }
}

/* Not the bits that revoke what a dead rank has proposed: that may live on. */
static void give_back_let_go(struct mend_ranks *ranks, struct mend_papers *papers)
{
    uint32_t n = let_go(ranks, false);

    for (; ranks->given_back_n < n; ranks->given_back_n++)
        give_back(ranks, rank_of_death(ranks, ranks->given_back_n)->place, false);
    n = let_go(ranks, true); /* may be more by now, but a place is another's once it is cleared */
    n = n < ranks->given_back_n ? n : ranks->given_back_n;
    for (; ranks->cleared_n < n; ranks->cleared_n++) {
        mend_papers_keep(papers, rank_of_death(ranks, ranks->cleared_n));
        give_back(ranks, rank_of_death(ranks, ranks->cleared_n)->place, true);
    }
}

/* After a verdict soon, and then less and less often. */
mend_time_ns mend_segment_give_back(struct mend_ranks *ranks, struct mend_papers *papers,
                                    mend_time_ns now)
{
    uint32_t deaths_n = mend_load_relaxed(&ranks->shm->deaths_n);

    if (ranks->cleared_n == deaths_n)
        return MEND_TIME_NEVER;
    if (ranks->give_back_for_n != deaths_n) {
        ranks->give_back_for_n = deaths_n;
        ranks->give_back_pause_ns = GIVE_BACK_SOON_NS;
    } else if (now < ranks->give_back_at) {
        return ranks->give_back_at;
    }
    give_back_let_go(ranks, papers);
    ranks->give_back_at = mend_time_monotonic_ns() + ranks->give_back_pause_ns;
    if (ranks->give_back_pause_ns < GIVE_BACK_LATE_NS)
        ranks->give_back_pause_ns *= 2;
    return ranks->cleared_n < deaths_n ? ranks->give_back_at : MEND_TIME_NEVER;
}
