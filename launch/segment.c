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
        mend_store_relaxed(&h->crowded, 1);
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
    struct mend_node_name *name = mend_node_name_of(job->shm, i);
    struct mend_node_rank *s = job->rank[i].shared;

    name->place = job->rank[i].place.at;
    name->counter = job->rank[i].guest_of ? 0 : world_counter(&job->rank[i]);
    if (name->counter)
        mend_store_relaxed(&s->contexts_n, name->counter + 1);
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

/* The verdicts about dead of which no living rank in MPI looks at anything any more; all: nor one that will come, which
 * has a message of the dead perhaps, and asks for their votes on its MPI_COMM_WORLD. */
static uint32_t let_go(const struct job *job, bool all)
{
    uint32_t n = mend_load_acquire(&job->shm->deaths_n);

    for (int i = 0; i < job->n; i++) {
        struct mend_node_rank *r = job->rank[i].shared;
        uint32_t state = mend_load_acquire(&r->state), let_go_n;

        if (state == MEND_NODE_RANK_FINALIZED || (state == MEND_NODE_RANK_NONE && !all) ||
            mend_rank_has_ended(&job->rank[i]) || mend_rank_is_dead(job, i))
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

/* A block of a part that has one for each rank. */
static void punch_block(struct job *job, enum mend_node_part part, mend_place dead)
{
    uint64_t bytes = mend_node_block_bytes(part);
    uint64_t at = job->shm->at[part] + dead.at * bytes;

    punch(job, at, at + bytes);
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

static void punch_blocks(struct job *job, const enum mend_node_part *parts, unsigned n,
                         mend_place dead)
{
    for (unsigned i = 0; i < n; i++)
        punch_block(job, parts[i], dead);
}

/* Its votes except those on its MPI_COMM_WORLD. */
static void punch_votes(struct job *job, mend_place dead)
{
    punch(job, mend_node_votes_at(job->shm, dead, 1),
          mend_node_votes_at(job->shm, dead, MEND_NODE_CELLS));
}

static mend_place place_of_death(const struct job *job, uint32_t k)
{
    return job->rank[mend_node_death_of(job->shm, k)->name].place;
}

/* Not the bits that revoke what a dead rank has proposed: that may live on. */
static void give_back_let_go(struct job *job)
{
    static const enum mend_node_part large[] = {MEND_NODE_PART_CELL, MEND_NODE_PART_SHEET,
                                                MEND_NODE_PART_AREA, MEND_NODE_PART_HEAP};
    static const enum mend_node_part votes[] = {MEND_NODE_PART_VOTES, MEND_NODE_PART_SHELF};
    uint32_t n = let_go(job, false);

    for (; job->given_back_n < n; job->given_back_n++) {
        mend_place dead = place_of_death(job, job->given_back_n);

        punch_blocks(job, large, MEND_COUNT_OF(large), dead);
        punch_votes(job, dead);
        punch_rings(job, dead);
    }
    n = let_go(job, true);
    for (; job->cleared_n < n; job->cleared_n++)
        punch_blocks(job, votes, MEND_COUNT_OF(votes), place_of_death(job, job->cleared_n));
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
