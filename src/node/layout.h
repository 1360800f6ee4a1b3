/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.h – the memory that the processes of a node share, and the writer of each word.
 *
 * The agent creates one memfd for the job, seals it against shrinking and hands the descriptor down to the ranks.  Nothing has
 * a name, so nothing can be left behind and no other user can open it.  Pages are reserved with fallocate() before first use, so
 * a lack of memory is an error code there and never SIGBUS here.
 *
 *   header         agent; keeper: stopped_ns on    job id, sizes, offsets of all areas; since when the agent is stopped
 *   rank[n]        see struct mend_node_rank        life word, agent's verdict, sleeping
 *   sleep[n/32]    fetch-add by a process that     the futex that 32 ranks sleep on, a bit for each
 *                  wakes ranks
 *   node[k]        agent, before its first rank starts        the nodes of the job: hosts, where their agents take connections
 *   process[m]     agent; `presence`: the process  the table of processes; names_n is released last.  One of another job has
 *                                                  a place to send from (abroad.h)
 *   death[m]       agent writes                    verdicts in order; deaths_n is released last, once
 *                                                  for all processes that one abort ended
 *   handled[m]     written by ranks, with the same value: a rank that says good-bye had been told of the
 *                  death of the process of this name by an MPI call; the agent looks at the end
 *   told           written by the agent: contexts that are revoked, of communicators without a bit (revoked.h)
 *   bell[n][b]     row i is read by rank i; byte j of it is written by rank j
 *   head[n][n]     line (i, j) is written by receiver i: slots of the ring j -> i consumed; where i < j the fast box
 *                  behind it is written by the rank of the two whose turn it is (net/shm/ring.h)
 *   said[n][64]    entry (i, k) is written by rank i: about the communicators that use cell k
 *   cell[n][64]    block (i, k) is written by rank i: collectives of the owner of cell k
 *   votes[n][64]   page (i, k) is written by rank i: its contributions to agreements of the owner of cell k; at the end
 *                  two words by the other one of two members (node/brief.h)
 *   copypage[n]    page i is written by rank i, which receives large messages; its words `turn` and `done` by
 *                  the sender that helps, too (net/copypage.h)
 *   revoked[n]     row i: a bit for each communicator whose context rank i proposed; set by the process
 *                  that revokes it
 *   ring[n][n]     block (i, j) is written by sender j: slots and payload area of the ring j -> i; behind it, where i < j,
 *                  four trays, each written by the one of the two that has it (net/shm/ring.h); none in very large jobs
 *   slab[n][256]  slab (i, k) is written by rank i: 4096 vote blocks, with its votes in the agreements of one
 *                  communicator each, or with papers (paper.h), and their labels; mapped and reserved when they are used
 *   heap[n]        block i is given out by rank i, in pieces that are mapped one by one (node/heap.h); the program
 *                  writes into them, and all may
 *
 * n is the number of places, of ranks that there are at one time; m that of names, of which each process gets one that
 * no other ever had.
 *
 * Invariant: every word has one writer; the exceptions are one atomic instruction each:
 *   rank.life (the rank's mutex; the kernel marks the death),
 *   sleep.wake (fetch-add by a process that wakes one of its ranks),
 *   rank.interrupt (fetch-add by the agent, and by ranks: mend_node_interrupt()),
 *   revoked (fetch-or of one bit, which stays),
 *   copypage.turn (compare-and-swap by its owner and by the sender that it called),
 *   rank.pid (compare-and-swap from 0: the process that succeeds is the rank),
 *   handled (a store of 1),
 * and the fast boxes and trays of pairs, which have one writer at a time: messages hand them over.
 *
 * Counters here come round: doc/limits.md lists each, with its width and why that does no harm. */
#ifndef MEND_NODE_LAYOUT_H
#define MEND_NODE_LAYOUT_H

#include "base/atomic.h"
#include "base/status.h"
#include "node/greeting.h"

#include <stdbool.h>
#include <stddef.h>

#define MEND_NODE_MAGIC        UINT64_C(0x4d454e4453484d36) /* "MENDSHM6" */
#define MEND_NODE_NAMES        65535u /* that a job can give; node/slots.h counts deaths in 16 bits */
#define MEND_NODE_RING_BYTES   (264u * 1024) /* slots and payload area of one ring (net/shm/ring.h) */
#define MEND_NODE_PAIR_BYTES   (256u * 1024) /* behind it: for a pair */
#define MEND_NODE_PAIRS_MAX    8192u /* places; with more there is no address space for it */
#define MEND_NODE_CELLS        64u
#define MEND_NODE_CELL_CONTROL 4096u         /* flags and small payloads of one cell */
#define MEND_NODE_CELL_DATA    (512u * 1024) /* large payloads of one cell */
#define MEND_NODE_CELL_BYTES   (MEND_NODE_CELL_CONTROL + MEND_NODE_CELL_DATA)
#define MEND_NODE_CELL_AGREE   4096u /* contributions to agreements (decide/memory.c) */
#define MEND_NODE_SLABS        256u  /* of a rank, each with as many vote blocks */
#define MEND_NODE_SLAB_BLOCKS  4096u
#define MEND_NODE_BLOCK_BYTES  1600u

#define MEND_NODE_HEAP_BYTES                                                                       \
    (UINT64_C(1) << 40) /* room in the segment; pages exist where there is a piece */

#define MEND_NODE_CONTEXTS_FIRST 16u        /* MEND_CTX_FIRST */
#define MEND_NODE_COPYPAGE_BYTES 4096u      /* a page: net/copypage.h */
#define MEND_NODE_REVOKED        (1u << 30) /* bits in a row: one proposer's communicators */

/* What the segment is made of, in this order; layout.c has the sizes. */
enum mend_node_part {
    MEND_NODE_PART_RANK,
    MEND_NODE_PART_SLEEP,
    MEND_NODE_PART_NODE,
    MEND_NODE_PART_PROCESS,
    MEND_NODE_PART_DEATH,
    MEND_NODE_PART_HANDLED,
    MEND_NODE_PART_TOLD,
    MEND_NODE_PART_BELL,
    MEND_NODE_PART_HEAD,
    MEND_NODE_PART_SAID,
    MEND_NODE_PART_CELL, /* from here on the agent maps nothing */
    MEND_NODE_PART_VOTES,
    MEND_NODE_PART_REVOKED,
    MEND_NODE_PART_COPYPAGE,
    MEND_NODE_PART_RING,
    MEND_NODE_PART_SLAB, /* mapped piece by piece; all that lies before at once */
    MEND_NODE_PART_HEAP, /* mapped piece by piece */
    MEND_NODE_PARTS
};

struct mend_node_header {
    uint64_t magic, build, job, bytes;   /* build: of the program that made it (tools/build-id) */
    uint32_t places_n, agent_pid;        /* room for so many ranks: more than there are at first */
    uint32_t ranks_here_n, cores_n;      /* on this node */
    uint32_t places_used;                /* those below it have had a rank */
    uint32_t reporting;                  /* 1: there is a --report file */
    mend_atomic_u32 oversubscribed;      /* 1: there are more ranks than cores, or were */
    uint32_t ring_bytes;                 /* of one ring, with what a pair has behind it */
    uint64_t at[MEND_NODE_PARTS];        /* where each part begins */
    uint64_t row_bytes[MEND_NODE_PARTS]; /* of the parts [n][n]: from one rank's row to the next */
    uint64_t start_ns;                   /* agent's monotonic clock when the job began */
    uint32_t node, nodes_n;              /* this one of the job's nodes; 0: the only one */
    char host[MEND_NODE_HOST_BYTES];
    struct mend_door door; /* where the agent takes connections */
    _Alignas(MEND_CACHE_LINE)
        mend_atomic_u32 deaths_n; /* release: pairs with the acquire in local_verdict() */
    mend_atomic_u32 names_n; /* given so far; release: pairs with the acquire in names_given() */
    mend_atomic_u32 number; /* by which connected jobs know this one (abroad.h); 0: there is none */
    mend_atomic_u32 tells_presence; /* 1: a rank tells the agent of its own */
    mend_atomic_u32 suspended;      /* 1: the agent has stopped the whole job, and itself */
    mend_atomic_u32 told_table, papers_wanted; /* the last one (revoked.h); 1: paper.h */
    /* launch/agent/keeper.c.  Not 0: the agent has been seen running then, and stopped later. */
    _Alignas(MEND_CACHE_LINE) mend_atomic_u64 stopped_ns;
    mend_atomic_u64 revived_after_ns; /* how long it had been stopped when it was continued */
    mend_atomic_u32 revived_n;        /* how often; released last */
};

/* Consumer's side of one ring, alone in its line; where to < from the fast box of the two (net/shm/ring.h). */
struct mend_node_head {
    _Alignas(MEND_CACHE_LINE)
        mend_atomic_u32 consumed; /* release: pairs with the acquire in out_refresh() */
    _Alignas(MEND_CACHE_LINE) unsigned char fbox[MEND_CACHE_LINE];
};

/* What a member says about the communicators that use a cell one after the other, apart from the cell:
 * no page has to be made for it. */
struct mend_node_said {
    mend_atomic_u64 closed_mark; /* of the last one that it closed */
    mend_atomic_u64 closed_n;    /* how many */
    mend_atomic_u64 no_from[2];  /* decide/memory.c; 0 while the cell is free */
    mend_atomic_u64 opened;      /* coll/cell_open.c: whether its block has pages */
};

/* Its revoked communicators.  It reserves the page of a bit before it proposes that context (decide/revoke.c). */
struct mend_node_revoked {
    mend_atomic_u64 word[MEND_NODE_REVOKED / 64];
};

/* What a vote block is about (vote_blocks.c). */
struct mend_node_label {
    mend_atomic_u64 mark;  /* of the communicator; 0: of none, the vote block is free */
    mend_atomic_u32 state; /* enum mend_closing (ft/closing.h) */
    uint32_t next_free;    /* only its owner looks at it */
};
struct mend_node_slab {
    struct mend_node_label label[MEND_NODE_SLAB_BLOCKS];
    _Alignas(4096) char block[MEND_NODE_SLAB_BLOCKS][MEND_NODE_BLOCK_BYTES];
};

/* Fills a header, of which nodes_n is set, for n places; header->bytes is the size of the segment. */
void mend_node_layout(struct mend_node_header *header, uint32_t n);

/* The piece of a part that has pages before the ranks start whose places are first .. first + n - 1: a world, with the
 * page of the bit that revokes its MPI_COMM_WORLD. */
struct mend_node_range {
    uint64_t at, bytes;
};
struct mend_node_range mend_node_part_early(const struct mend_node_header *header,
                                            enum mend_node_part part, uint32_t first, uint32_t n);

/* Of a part that has a block for each rank, one behind the other: the bytes of one. */
uint64_t mend_node_block_bytes(enum mend_node_part part);

/* The piece of a part that has pages before these names are given. */
struct mend_node_range mend_node_part_of_names(const struct mend_node_header *header,
                                               enum mend_node_part part, uint32_t first,
                                               uint32_t n);

/* True if the header is that of a segment of this build with as many places as `expected`. */
bool mend_node_layout_is(const struct mend_node_header *header,
                         const struct mend_node_header *expected);

static inline struct mend_node_of_job *mend_node_of_job(struct mend_node_header *h, uint32_t node)
{
    return (struct mend_node_of_job *)((char *)h + h->at[MEND_NODE_PART_NODE]) + node;
}

/* Row of doorbells that rank `to` reads; byte j is rank j's: low bits of its slot counter. */
static inline mend_atomic_u8 *mend_node_bells(struct mend_node_header *h, mend_place to)
{
    return (mend_atomic_u8 *)((char *)h + h->at[MEND_NODE_PART_BELL] +
                              to.at * h->row_bytes[MEND_NODE_PART_BELL]);
}

static inline struct mend_node_head *mend_node_head_of(struct mend_node_header *h, mend_place to,
                                                       mend_place from)
{
    return (struct mend_node_head *)((char *)h + h->at[MEND_NODE_PART_HEAD] +
                                     to.at * h->row_bytes[MEND_NODE_PART_HEAD]) +
           from.at;
}

/* The fast box, a line that two ranks write in turns. */
static inline void *mend_node_fbox_of(struct mend_node_header *h, mend_place a, mend_place b)
{
    return (a.at < b.at ? mend_node_head_of(h, a, b) : mend_node_head_of(h, b, a))->fbox;
}

static inline struct mend_node_said *mend_node_said_of(struct mend_node_header *h, mend_place p,
                                                       uint32_t cell)
{
    return (struct mend_node_said *)((char *)h + h->at[MEND_NODE_PART_SAID]) +
           (uint64_t)p.at * MEND_NODE_CELLS + cell;
}

static inline struct mend_node_revoked *mend_node_revoked_of(struct mend_node_header *h,
                                                             mend_place p)
{
    return (struct mend_node_revoked *)((char *)h + h->at[MEND_NODE_PART_REVOKED]) + p.at;
}

static inline void *mend_node_copypage_of(struct mend_node_header *h, mend_place p)
{
    return (char *)h + h->at[MEND_NODE_PART_COPYPAGE] + (uint64_t)p.at * MEND_NODE_COPYPAGE_BYTES;
}

static inline char *mend_node_cell_of(struct mend_node_header *h, mend_place p, uint32_t cell)
{
    return (char *)h + h->at[MEND_NODE_PART_CELL] +
           ((uint64_t)p.at * MEND_NODE_CELLS + cell) * MEND_NODE_CELL_BYTES;
}

/* Where the agreement area of a cell begins in the segment: those of one rank lie side by side, so that one system call
 * reserves the pages of several. */
static inline uint64_t mend_node_votes_at(const struct mend_node_header *h, mend_place p,
                                          uint32_t cell)
{
    return h->at[MEND_NODE_PART_VOTES] +
           ((uint64_t)p.at * MEND_NODE_CELLS + cell) * MEND_NODE_CELL_AGREE;
}

static inline char *mend_node_cell_agree_of(struct mend_node_header *h, mend_place p, uint32_t cell)
{
    return (char *)h + mend_node_votes_at(h, p, cell);
}

/* Where a slab begins in the segment. */
static inline uint64_t mend_node_slab_at(const struct mend_node_header *h, mend_place p,
                                         uint32_t slab)
{
    return h->at[MEND_NODE_PART_SLAB] +
           ((uint64_t)p.at * MEND_NODE_SLABS + slab) * sizeof(struct mend_node_slab);
}

/* Where the heap of a place begins in the segment. */
static inline uint64_t mend_node_heap_at(const struct mend_node_header *h, mend_place p)
{
    return h->at[MEND_NODE_PART_HEAP] + p.at * MEND_NODE_HEAP_BYTES;
}

static inline void *mend_node_ring_of(struct mend_node_header *h, mend_place to, mend_place from)
{
    return (char *)h + h->at[MEND_NODE_PART_RING] + to.at * h->row_bytes[MEND_NODE_PART_RING] +
           (uint64_t)from.at * h->ring_bytes;
}

/* Room for a pair; NULL: there is none. */
static inline char *mend_node_pair_of(struct mend_node_header *h, mend_place to, mend_place from)
{
    char *ring = mend_node_ring_of(h, to, from);

    return h->ring_bytes > MEND_NODE_RING_BYTES ? ring + MEND_NODE_RING_BYTES : NULL;
}

#endif
