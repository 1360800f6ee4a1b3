/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange.h – one collective access in two phases, and what its parts do: together.c has the picture.
 *
 *   together.c   agreements, and one step after the other
 *   exchange.c   what goes where: domains, windows, lists, data
 *   aggregate.c     an aggregator's part of the file
 *   look.c       reading where all share memory: instead of lists and data, windows that all see */
#ifndef MEND_IO_EXCHANGE_H
#define MEND_IO_EXCHANGE_H

#include "io/look_sm.h"
#include "io/rows.h"
#include "io/together.h"

enum mend_together_stage {
    MEND_TOGETHER_QUEUED,
    MEND_TOGETHER_ASKED,
    MEND_TOGETHER_COUNTED,
    MEND_TOGETHER_GRANTED,
    MEND_TOGETHER_LISTED,
    MEND_TOGETHER_SENT,
    MEND_TOGETHER_OPENED,
    MEND_TOGETHER_LOOKED,
    MEND_TOGETHER_ENDED
};

#define MEND_TOGETHER_NEVER INT64_MAX

struct mend_domain {
    MPI_Offset begin, end; /* in the file */
    int rank;              /* its aggregator */
    struct mend_cursor k;  /* of what this process has in it */
    MPI_Offset left;       /* bytes */
    MPI_Offset turn;       /* which of its windows it is in */
    MPI_Offset
        next; /* the next one in which this process has something; MEND_TOGETHER_NEVER: none */
    MPI_Offset stream;     /* where they begin in this process's data, this round */
    MPI_Offset bytes;      /* this round */
    struct mend_rows rows; /* this round */
    char *data;            /* of this round, dense */
    uint64_t at; /* look.c: where its windows are in the segment, and here; 0, NULL: not known */
    char *base;
};

/* What comes from, or goes to, a member in a round. */
struct mend_amount {
    int64_t rows_n, bytes;
};

struct mend_together {
    struct mend_request base;
    struct mend_list queue; /* of the file */
    struct mend_file *f;
    bool write;
    struct mend_file_data data;
    MPI_Offset at;    /* in the stream of the view, bytes */
    MPI_Offset total; /* bytes */
    MPI_Offset there; /* of them to be moved: all, or those that the file has */
    int own_error;
    bool has_pieces; /* to give away, or to be given */
    bool failing;
    enum mend_together_stage stage;
    struct mend_request *inner;

    bool decided; /* of the agreement that is under way: */
    bool invalid, fine;
    MPI_Offset low, high;
    uint64_t runs;
    bool apart; /* some member's small runs lie too far apart to be read together */

    int domains_n;
    struct mend_domain *domain, *own; /* own: this process's, or NULL */
    MPI_Offset rounds;                /* look.c */
    MPI_Offset window;                /* bytes of a domain in a round */
    struct mend_amount *give, *take;  /* by rank */
    struct mend_lane *lanes;
    MPI_Count *counts[2]; /* of a collective: to and from each rank */
    MPI_Aint *places[2];
    struct mend_rows rows; /* of others */
    char *room;            /* bytes of others */
    char *packed;          /* of this process, where memory is not dense */
    int64_t room_bytes, packed_bytes;
    int64_t *sums; /* of all members, or the largest of all: exchange.c, look.c */
    struct mend_file_look look;
};

/* exchange.c: after the first agreement: domains, and what this process has in each. */
void mend_together_lay_out(struct mend_together *t);

/* The steps of a round.  Each begins a collective, t->inner; how it ends is looked at in together.c.  What fails here for lack of
 * memory sets t->failing. */
void mend_together_count(struct mend_together *t);
void mend_together_ask_for_memory(struct mend_together *t);
bool mend_together_can(const struct mend_together *t); /* all have it */
void mend_together_send_lists(struct mend_together *t);
void mend_together_send_data(struct mend_together *t);

/* Each domain goes on to its next window in which any member has something.  False: there is none in any domain. */
bool mend_together_go_on(struct mend_together *t);

/* What this process has in the windows that the domains are in, and where it is to go.  False: no memory. */
bool mend_together_list(struct mend_together *t);

/* What was read, to where the program wants it, unless it is there. */
void mend_together_unpack(struct mend_together *t);

/* aggregate.c: reads or writes this process's window of the round, if it has one.  An error sets t->failing, and is not kept: each
 * member then moves its own data, and gets its own error. */
void mend_together_move_window(struct mend_together *t);

/* look.c: whether all members look into windows; whether that is worth it, the same at all after the first agreement; how many
 * sums there are. */
bool mend_together_looks(const struct mend_together *t);
bool mend_together_is_worth_looking(const struct mend_together *t);
int mend_together_readers(const struct mend_together *t);
size_t mend_together_sums(const struct mend_together *t);
MPI_Offset mend_together_window_to_look(const struct mend_together *t, MPI_Offset domain);

/* Begins a collective: where all windows are.  When it is done: maps them; t->failing: each is to read for itself. */
void mend_together_open(struct mend_together *t);
void mend_together_map(struct mend_together *t);

/* Before each agreement: reads one window, and takes what this process wants of the one before.  False: it was the last one. */
bool mend_together_look(struct mend_together *t);

#endif
