/* SPDX-License-Identifier: BSD-3-Clause */
/* segment.c – the memory that the ranks of this node share.
 *
 * It has no name and is sealed: it leaves nothing behind, and no process can shrink it.  Its size
 * grows with the square of the number of ranks, but only touched pages exist.  The parts that every rank
 * reads (header, ranks, deaths, bells, said, the bit and the votes of MPI_COMM_WORLD) are reserved here; a rank
 * reserves its rings, with their heads, its cells and the bits of its contexts when it uses them. */
#include "job.h"

#include "base/time.h"
#include "node/log.h"
#include "segment.h"

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

void mend_segment_expect(struct job *job, int n)
{
    struct mend_node_header *h = job->shm;

    h->ranks_here_n += (uint32_t)n;
    if (h->ranks_here_n > h->cores_n)
        mend_store_relaxed(&h->oversubscribed, 1);
}

static void fill_header(struct job *job, const struct mend_node_header *layout)
{
    struct mend_node_header *h = job->shm;

    *h = *layout;
    h->agent_pid = (uint32_t)job->self_pid;
    h->cores_n = cores_allowed();
    mend_segment_expect(job, job->n);
    h->reporting = job->report_fd >= 0;
    h->start_ns = job->start_ns;
    if (getrandom(&h->job, sizeof(h->job), GRND_NONBLOCK) != sizeof(h->job))
        h->job = job->start_ns ^ (uint64_t)job->self_pid << 32;
    if (gethostname(h->host, sizeof(h->host)) != 0)
        snprintf(h->host, sizeof(h->host), "localhost");
    h->host[sizeof(h->host) - 1] = '\0';
}

static bool reserve(int fd, uint64_t from, uint64_t end)
{
    return fallocate(fd, FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)(end - from)) == 0;
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
static bool reserve_bit(struct job *job, const struct rank *r)
{
    uint64_t counter = world_counter(r);
    uint64_t row = (uint64_t)((char *)mend_node_revoked_of(job->shm, r->place) - (char *)job->shm);

    return counter >= MEND_NODE_REVOKED ||
           reserve(job->shm_fd, row + counter / 8, row + counter / 8 + 1);
}

bool mend_segment_admit(struct job *job, int first, int n)
{
    for (int i = first; i < first + n; i++)
        if (!reserve_places(job->shm_fd, job->shm, job->rank[i].place.at, 1) ||
            (!job->rank[i].guest_of && !reserve_bit(job, &job->rank[i])))
            return false;
    return reserve_names(job->shm_fd, job->shm, first, n);
}

static void name_one(struct job *job, int i)
{
    struct mend_node_process *process = mend_node_process_of(job->shm, i);
    struct mend_node_rank *s = job->rank[i].shared;

    process->place = job->rank[i].place.at;
    process->counter = job->rank[i].guest_of ? 0 : world_counter(&job->rank[i]);
    if (process->counter)
        mend_store_relaxed(&s->contexts_n, process->counter + 1);
    s->born_n = mend_load_relaxed(&job->shm->deaths_n);
    mend_store_relaxed(&s->let_go_n, s->born_n);
}

void mend_segment_name(struct job *job, int first, int n)
{
    for (int i = first; i < first + n; i++)
        name_one(job, i);
    /* release: pairs with the acquire in names_given() */
    mend_store_release(&job->shm->names_n, (uint32_t)(first + n));
}

bool mend_segment_create(struct job *job, uint64_t *bytes_p)
{
    struct mend_node_header layout = {0};
    int error, fd = memfd_create("mend", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    mend_node_layout(&layout, (uint32_t)job->places_n);
    *bytes_p = layout.bytes;
    if (fd < 0)
        return false;
    if (fchmod(fd, 0600) != 0 || ftruncate(fd, (off_t)layout.bytes) != 0 ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0 ||
        !reserve(fd, 0, sizeof(layout)) || !reserve_places(fd, &layout, 0, job->n) ||
        !reserve_names(fd, &layout, 0, job->n))
        goto close_fd;
    job->shm =
        mmap(NULL, layout.at[MEND_NODE_PART_CELL], PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (job->shm == MAP_FAILED)
        goto close_fd;
    job->shm_fd = fd;
    fill_header(job, &layout);
    for (int i = 0; i < job->n; i++)
        mend_vacancy_take(job, &job->rank[i]);
    mend_segment_name(job, 0, job->n);
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
 *   ring, head     rings to it; lines, desks and trays of its pairs      receives messages from there (R12)
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

static bool is_held(struct job *job, const struct rank *r)
{
    bool held;

    pthread_mutex_lock(&job->lock);
    held = r->state.ending == MEND_ENDING_HELD;
    pthread_mutex_unlock(&job->lock);
    return held;
}

/* The end of a script is not that of the process in it. */
static bool is_over(struct job *job, int i)
{
    const struct rank *r = &job->rank[i];

    return mend_rank_is_dead(job, i) || (mend_rank_has_ended(r) && !is_held(job, r)) ||
           mend_rank_presence(job, i) == MEND_PRESENCE_LEFT;
}

/* The verdicts about dead of which no living rank in MPI looks at anything any more; all: nor one that will come. */
static uint32_t let_go(struct job *job, bool all)
{
    uint32_t n = mend_load_acquire(&job->shm->deaths_n);

    for (int i = 0; i < job->n; i++) {
        struct mend_node_rank *r = job->rank[i].shared;
        bool has_come = mend_rank_presence(job, i) != MEND_PRESENCE_NONE;
        uint32_t let_go_n;

        if ((!has_come && !all) || is_over(job, i))
            continue;
        let_go_n = mend_load_acquire(&r->let_go_n); /* pairs with the release in say_let_go() */
        n = let_go_n < n ? let_go_n : n;
    }
    return n;
}

/* Whole pages only. */
static void punch(struct job *job, uint64_t from, uint64_t end)
{
    from = (from + PAGE - 1) & ~(PAGE - 1);
    end &= ~(PAGE - 1);
    if (from < end)
        fallocate(job->shm_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from,
                  (off_t)(end - from));
}

/* Everything that was on its way to it. */
static void punch_rings(struct job *job, mend_place dead)
{
    struct mend_node_header *h = job->shm;
    uint64_t ring = (uint64_t)((char *)mend_node_ring_of(h, dead, mend_place_at(0)) - (char *)h);
    uint64_t head = (uint64_t)((char *)mend_node_head_of(h, dead, mend_place_at(0)) - (char *)h);

    punch(job, ring, ring + h->row_bytes[MEND_NODE_PART_RING]);
    punch(job, head, head + h->row_bytes[MEND_NODE_PART_HEAD]);
}

/* Rings of a dead rank to others. */
static void punch_column(struct job *job, mend_place dead)
{
    struct mend_node_header *h = job->shm;

    for (uint32_t i = 0; i < h->places_used; i++) {
        uint64_t at = (uint64_t)((char *)mend_node_ring_of(h, mend_place_at(i), dead) - (char *)h);

        punch(job, at, at + h->ring_bytes);
    }
}

/* The pages are the ranks' to make. */
static void clear_head(struct job *job, const struct mend_node_head *head)
{
    const struct mend_node_head zero = {0};
    struct mend_node_head found;
    off_t at = (const char *)head - (const char *)job->shm;

    if (pread(job->shm_fd, &found, sizeof(found), at) == sizeof(found) &&
        memcmp(&found, &zero, sizeof(found)) != 0 &&
        pwrite(job->shm_fd, &zero, sizeof(zero), at) != sizeof(zero))
        mend_say(job, "mpiexec: the segment of the job cannot be written: %s", strerror(errno));
}

/* What others have said about the rings from this place and it about theirs, and the lines that they shared. */
static void clear_heads(struct job *job, mend_place place)
{
    struct mend_node_header *h = job->shm;

    for (uint32_t i = 0; i < h->places_used; i++) {
        clear_head(job, mend_node_head_of(h, mend_place_at(i), place));
        clear_head(job, mend_node_head_of(h, place, mend_place_at(i)));
    }
}

void mend_segment_clear(struct job *job, mend_place place)
{
    struct mend_node_header *h = job->shm;
    struct mend_node_rank *r = mend_node_rank_of(h, place);
    uint64_t contexts_n = mend_load_relaxed(&r->contexts_n);

    memset(r, 0, sizeof(*r));
    mend_store_relaxed(&r->contexts_n, contexts_n);
    memset(mend_node_said_of(h, place, 0), 0, mend_node_block_bytes(MEND_NODE_PART_SAID));
    for (uint32_t i = 0; i < h->places_used; i++) {
        mend_store_relaxed(&mend_node_bells(h, mend_place_at(i))[place.at], 0);
        mend_store_relaxed(&mend_node_bells(h, place)[i], 0);
    }
    clear_heads(job, place);
    punch_column(job, place);
    punch_rings(job, place); /* guests may have sent to it until they heard of the death */
}

static mend_place place_of_death(const struct job *job, uint32_t k)
{
    return job->rank[mend_node_death_of(job->shm, k)->name].place;
}

static void punch_left(struct job *job, const struct left *l, mend_place dead)
{
    uint64_t row = job->shm->row_bytes[l->part];
    uint64_t bytes = row ? row : mend_node_block_bytes(l->part);
    uint64_t at = job->shm->at[l->part] + dead.at * bytes;

    punch(job, at + l->from, at + (l->end ? l->end : bytes));
}

/* What ranks that have not come yet do not look at, or the rest. */
static void give_back(struct job *job, mend_place dead, bool rest)
{
    bool sent = mend_load_relaxed(&mend_node_rank_of(job->shm, dead)->sent_early);

    for (unsigned i = 0; i < MEND_COUNT_OF(lefts); i++) {
        enum late late = lefts[i].late;

        if (rest == (late == LATE_ALWAYS || (late == LATE_IF_SENT && sent)))
            punch_left(job, &lefts[i], dead);
    }
}

/* Not the bits that revoke what a dead rank has proposed: that may live on. */
static void give_back_let_go(struct job *job)
{
    uint32_t n = let_go(job, false);

    for (; job->given_back_n < n; job->given_back_n++)
        give_back(job, place_of_death(job, job->given_back_n), false);
    n = let_go(job, true); /* may be more by now, but a place is another's once it is cleared */
    n = n < job->given_back_n ? n : job->given_back_n;
    for (; job->cleared_n < n; job->cleared_n++)
        give_back(job, place_of_death(job, job->cleared_n), true);
}

/* After a verdict soon, and then less and less often. */
mend_time_ns mend_segment_give_back(struct job *job, mend_time_ns now)
{
    uint32_t deaths_n = mend_load_relaxed(&job->shm->deaths_n);

    if (job->cleared_n == deaths_n)
        return MEND_TIME_NEVER;
    if (job->give_back_for_n != deaths_n) {
        job->give_back_for_n = deaths_n;
        job->give_back_pause_ns = GIVE_BACK_SOON_NS;
    } else if (now < job->give_back_at) {
        return job->give_back_at;
    }
    give_back_let_go(job);
    job->give_back_at = mend_time_monotonic_ns() + job->give_back_pause_ns;
    if (job->give_back_pause_ns < GIVE_BACK_LATE_NS)
        job->give_back_pause_ns *= 2;
    return job->cleared_n < deaths_n ? job->give_back_at : MEND_TIME_NEVER;
}
