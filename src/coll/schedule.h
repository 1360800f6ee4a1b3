/* SPDX-License-Identifier: BSD-3-Clause */
/* schedule.h – a collective as data: a list of steps that an algorithm writes and run.c carries
 * out.
 *
 * An algorithm is a function of (rank, size, root, counts).  It sends nothing and reads no buffer:
 * it only appends steps, so a unit test can write the lists of all ranks of all sizes and play
 * them against each other in memory (algorithm_test.c).
 *
 *     step        meaning                                picture above an algorithm
 *     SEND        start a message to a rank              0 ---> 1
 *     RECV        start receiving one from a rank
 *     REDUCE      to = from op to, now                   (+)
 *     COPY        to = from, now
 *     ROUND       wait for everything started            ------ dashed line
 *
 * A step names data as a `piece`: a number of elements of a type at a byte offset of one of three
 * operands.  The memory of an operand is known only when the list is run.
 *
 *     INPUT   the caller's send buffer         OUTPUT  the caller's receive buffer
 *     TEMP    scratch memory of the operation, laid out by mend_sched_temp()
 *
 * Invariants:
 *   1  between two ROUNDs no two steps use the same bytes unless all of them only read;
 *      local steps see what local steps before them did;
 *   2  messages between two ranks are received in the order in which they were sent;
 *   3  both ends of a message agree on its packed size, not on its type map. */
#ifndef MEND_COLL_SCHEDULE_H
#define MEND_COLL_SCHEDULE_H

#include "coll/coll.h"

enum mend_operand { MEND_OPERAND_INPUT, MEND_OPERAND_OUTPUT, MEND_OPERAND_TEMP };

struct mend_piece {
    enum mend_operand operand;
    MPI_Aint at; /* bytes from the operand's address to the origin of element 0 */
    MPI_Count count;
    const struct mend_type *type;
};

enum mend_step_kind {
    MEND_STEP_SEND,
    MEND_STEP_RECV,
    MEND_STEP_REDUCE,
    MEND_STEP_COPY,
    MEND_STEP_ROUND
};

struct mend_step {
    enum mend_step_kind kind;
    int rank;
    struct mend_piece from, to; /* SEND uses from, RECV uses to */
};

/* A list may have stretches among some ranks of the communicator only: rank and size are then counted among those. */
struct mend_among {
    const int *member;         /* their ranks; NULL: all */
    const int *first;          /* not NULL: rank i is member[first[i]] */
    int special, special_rank; /* rank `special` is this one instead; -1: none */
    int own;                   /* rank of this process in the communicator */
};

struct mend_sched {
    struct mend_proc *self;
    const char *name; /* for wait reports: "allreduce" */
    uint64_t what;    /* two members say it first, if they can (cell_pair.h); 0: they do not */
    int rank, size;
    struct mend_among among;
    const void *in;           /* address of INPUT */
    void *out;                /* address of OUTPUT */
    const struct mend_op *op; /* of the REDUCE steps */
    MPI_Datatype handle;      /* type of the REDUCE steps, for user functions */
    bool no_memory;           /* the rest is in `declined`: mend_sched_decline() */
    int refused;              /* error class: the operation ends with it when it begins */
    unsigned steps_n, steps_room;
    unsigned open_n, open_max;   /* messages started in this round; most in any round */
    size_t temp_bytes, temp_max; /* laid out now; most ever */
    struct mend_step *steps;
    struct {
        int *dests; /* of all SENDs, in order */
        unsigned dests_n, dests_room, receives_n;
    } declined;
    struct mend_step few[24]; /* steps of short lists: no allocation */
};

/* An empty list.  rank and size are those of the communicator. */
void mend_sched_open(struct mend_sched *s, struct mend_proc *self, const char *name, int rank,
                     int size);
/* Gives back the memory of the list, if it had any. */
void mend_sched_close(struct mend_sched *s);

/* There is no memory to write the list, or to carry it out: of what it says and of what is added to it only
 * the receivers of its messages and the number of those that it receives are kept, which is what it
 * takes to decline them all (run.c). */
void mend_sched_decline(struct mend_sched *s);

static inline int mend_among_rank(const struct mend_among *a, int i)
{
    if (i == a->special)
        return a->special_rank;
    return a->member[a->first ? a->first[i] : i];
}

static inline int mend_sched_own_rank(const struct mend_sched *s)
{
    return s->among.member ? s->among.own : s->rank;
}

/* Steps.  Messages to the own rank become copies by the algorithm, not here. */
void mend_sched_send(struct mend_sched *s, int rank, struct mend_piece from);
void mend_sched_recv(struct mend_sched *s, int rank, struct mend_piece to);
void mend_sched_reduce(struct mend_sched *s, struct mend_piece from, struct mend_piece to);
/* Nothing if both are the same piece. */
void mend_sched_copy(struct mend_sched *s, struct mend_piece from, struct mend_piece to);
void mend_sched_round(struct mend_sched *s);

/* Scratch memory for count elements of a type, or for n blocks of so many.  More than a number can
 * say: the list is declined. */
struct mend_piece mend_sched_temp(struct mend_sched *s, MPI_Count count,
                                  const struct mend_type *type);
struct mend_piece mend_sched_temp_blocks(struct mend_sched *s, int n, MPI_Count count,
                                         const struct mend_type *type);
struct mend_piece mend_sched_temp_bytes(struct mend_sched *s, MPI_Count bytes);
/* Scratch memory laid out since mark() may be used again by what follows the next ROUND. */
static inline size_t mend_sched_temp_mark(const struct mend_sched *s)
{
    return s->temp_bytes;
}
static inline void mend_sched_temp_reset(struct mend_sched *s, size_t mark)
{
    s->temp_bytes = mark;
}

static inline const struct mend_type *mend_sched_byte(void)
{
    return mend_type_of(MPI_BYTE);
}

static inline struct mend_piece mend_piece_of(enum mend_operand operand, MPI_Count count,
                                              const struct mend_type *type)
{
    return (struct mend_piece){operand, 0, count, type};
}

/* n elements of the piece from element `first` on. */
static inline struct mend_piece mend_piece_part(struct mend_piece p, MPI_Count first, MPI_Count n)
{
    p.at += first * p.type->extent;
    p.count = n;
    return p;
}

static inline MPI_Count mend_piece_bytes(struct mend_piece p)
{
    return p.count * p.type->size;
}

/* True if the bytes of the piece, in order, are one piece of memory. */
static inline bool mend_piece_is_dense(struct mend_piece p)
{
    return p.type->dense;
}

/* A dense piece as bytes. */
static inline struct mend_piece mend_piece_as_bytes(struct mend_piece p)
{
    return (struct mend_piece){p.operand, p.at + p.type->true_lb, mend_piece_bytes(p),
                               mend_sched_byte()};
}

/* Two values meet in a reduction: *acc_p = lower op higher in rank order, where `other` is the
 * value of the neighbouring ranks below (other_is_lower) or above.  REDUCE writes its right
 * operand, so the result may lie where `other` was: then the two pieces are exchanged. */
void mend_sched_combine(struct mend_sched *s, struct mend_piece *acc_p, struct mend_piece *other_p,
                        bool other_is_lower);

/* First element of part i when n elements are cut into `parts` nearly equal parts. */
static inline MPI_Count mend_stretch_begin(MPI_Count n, int parts, int i)
{
    MPI_Count each = n / parts, more = n % parts;

    return i * each + (i < more ? i : more);
}

/* One block per rank within an operand: the argument of gather, scatter, allgather and alltoall in all
 * their forms. */
struct mend_blocks {
    enum mend_operand operand;
    MPI_Count count;                       /* of each block, if counts == NULL */
    const struct mend_type *type;          /* of each block, if types == NULL */
    const struct mend_coll_counts *counts; /* with displacements in elements of type */
    const MPI_Datatype *types;             /* alltoallw: then displacements are bytes */
    bool one;                              /* neighbours: the same block for all */
};

static inline struct mend_piece mend_block(const struct mend_blocks *b, int i)
{
    struct mend_piece p = {b->operand, 0, b->count, b->type};

    if (!b->counts) {
        p.at = i * (MPI_Aint)(b->count * b->type->extent);
        return p;
    }
    p.count = mend_coll_count(b->counts, i);
    p.at = mend_coll_displ(b->counts, i);
    if (b->types)
        p.type = mend_type_of(b->types[i]);
    else
        p.at *= (MPI_Aint)b->type->extent;
    return p;
}

/* Blocks i .. i+n-1 as one piece; uniform blocks only. */
static inline struct mend_piece mend_blocks_range(const struct mend_blocks *b, int i, int n)
{
    struct mend_piece p = mend_block(b, i);

    MEND_ASSERT(!b->counts);
    p.count *= n;
    return p;
}

#endif
