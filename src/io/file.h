/* SPDX-License-Identifier: BSD-3-Clause */
/* file.h – files (MPI-5.0 chapter 14).
 *
 * A file has a communicator of its own: it says who the members are, and a file is revoked, loses members and is agreed on as
 * that communicator is.  So failures have one meaning for communicators, windows and files.  The shared file pointer is a word of
 * rank 0 in shared memory (word.h); where the members share none a number that the job keeps (rt/rt.h); and where they are of several
 * jobs a window of 8 bytes, whose communicator is the file's.
 *
 *   view      which bytes of the file this process sees, and in which order                    (view.h)
 *   move      bytes between memory and the file: one run of the view after the other           (move.h)
 *   later     the same by the kernel, while the program computes                               (later.h)
 *   together  pieces of several members as large ones, in collective calls                     (together.h)
 *   append    records at the shared pointer, copied into a mapping of the file                 (append.h)
 *   pointer   the shared file pointer: one atomic operation, so no lock dies with its holder   (pointer.c)
 *   keep      what was written since the last good sync, to be written again                   (keep.h)
 *   name      a new file gets its name at once; a name that is removed is that of the file     (name.h)
 *   sync      written out, then one agreement: all survivors return the same                   (sync.c)
 *
 * Each process opens the file for itself and moves its own bytes, in collective calls as well unless views have holes; none
 * of them waits for another process, except for those that the table of doc/files.md names.
 *
 * What a death does: a call that moves data never fails for it (S0-50); MPI_File_sync reports it, at all survivors alike
 * (S0-51, S0-52).  A revocation ends every wait with MPI_ERR_INVALIDATED, and every call that is not local fails with it
 * from then on (S0-101, S0-102).
 *
 * Invariants: the descriptor is open; there is a window, a number or a word, and a window is in an epoch lock_all; position and the shared pointer count etypes of
 * the view that is set; `error` once set stays until the file is closed, unless all was written again (R33). */
#ifndef MEND_IO_FILE_H
#define MEND_IO_FILE_H

#include "io/hints.h"
#include "io/view.h"
#include "rma/win.h"

#define MEND_FILE_MAGIC 0x66696c65u

/* A split collective call that has begun and not ended (MPI-5.0 14.4.5). */
enum mend_file_split { MEND_SPLIT_NONE, MEND_SPLIT_AT, MEND_SPLIT_OWN, MEND_SPLIT_ORDERED };

struct mend_file {
    uint32_t magic;
    struct mend_proc *self;
    struct mend_comm *comm; /* has the error handler and the hints */
    struct mend_win *win;   /* has the shared pointer; NULL: something else has */
    bool tallied;           /* the job keeps the shared pointer, under the file's context */
    uint64_t word_at;       /* where the segment holds the shared pointer; 0: in `alone` */
    mend_atomic_u64 *word;  /* the same, from first use on */
    mend_atomic_u64 alone;  /* of a file with one member */
    MPI_Offset
        last_known; /* not in memory: where the shared pointer was when this process last heard of it */
    bool all_left; /* all survivors have called MPI_File_close */
    int rank;      /* of this process among those that have opened the file */
    int fd, amode;
    char *name;
    char *deleted_name; /* MPI_MODE_DELETE_ON_CLOSE: from the root on; else NULL */
    uint64_t made;      /* MPI_MODE_EXCL: identity of the file that rank 0 makes (name.h) */
    struct mend_view view;
    MPI_Offset position; /* the individual file pointer */
    bool atomic;
    bool dirty;     /* this process has written since the last sync */
    int64_t limit;  /* of the size of files, as it was last looked up; 0: not yet */
    int error;      /* of a write or a sync that failed, for good; else MPI_SUCCESS */
    int reported_n; /* members whose failure a sync has reported */
    enum mend_file_split split;
    bool split_writes;
    MPI_Count split_bytes;
    int split_error;
    struct mend_file_hints hints;
    bool gathers[2]; /* reading, writing: collective calls exchange data; the same at all */
    int aggregators; /* of such a call; the same at all */
    struct mend_list together; /* such calls, in order: together.c */
    struct mend_file_windows
        *windows;           /* that all members look into when they read; NULL: not yet */
    struct mend_list later; /* accesses that the kernel carries out: later.c */
    bool uring;             /* they have a ring */
    struct mend_list kept;  /* what was written since the last good sync: keep.c */
    int64_t kept_bytes;
    bool keeps_all;                  /* all of that is there */
    struct mend_file_append *append; /* records are copied into a mapping; NULL: they are not */
};

/* Collective over c; blocks.  The file is open at all survivors or at none (S2-8): the class of the worst error of any
 * member, MPI_ERR_NOT_SAME if they do not ask for the same mode, MPI_ERR_PROC_FAILED, MPI_ERR_INVALIDATED.  With MPI_MODE_EXCL no
 * file is left if it is open at none (S2-6).  own_error: what is wrong with this member's arguments. */
int mend_file_open(struct mend_comm *c, const char *name, int amode, const struct mend_info *hints,
                   int own_error, struct mend_file **f_p);

/* Closing.  finish: collective; returns when all survivors have called it, or at once if the file is revoked (R30): what a
 * sync would say, except for failures that one has reported already.  drop: collective in the same way; the file is gone. */
int mend_file_finish(struct mend_file *f);
void mend_file_drop(struct mend_file *f);

/* Local: removes the file of this name. */
int mend_file_delete(struct mend_proc *self, const char *name);

/* Local.  Bytes; the individual pointer of SEEK_END; where an offset of the view lies. */
int mend_file_size(const struct mend_file *f, MPI_Offset *size_p);
int mend_file_end(const struct mend_file *f, MPI_Offset *etypes_p);

/* Local.  Where `offset` etypes from `now` (MPI_SEEK_CUR), from the end or from the beginning are.  MPI_ERR_ARG: not in the view. */
int mend_file_seek(const struct mend_file *f, MPI_Offset offset, int whence, MPI_Offset now,
                   MPI_Offset *to_p);

/* Collective; return when all survivors have called them.  Rank 0 changes the file: MPI_ERR_PROC_FAILED if it, or another
 * member, is dead.  MPI_ERR_NOT_SAME: the members do not ask for the same. */
int mend_file_set_size(struct mend_file *f, MPI_Offset size, bool preallocate);
/* With MPI_MODE_SEQUENTIAL the view begins where the shared pointer is when all have met. */
int mend_file_set_view(struct mend_file *f, const struct mend_view *view,
                       const struct mend_info *hints, int own_error);
int mend_file_set_hints(struct mend_file *f, const struct mend_info *hints, int own_error);
int mend_file_set_atomic(struct mend_file *f, bool atomic);
int mend_file_sync(struct mend_file *f);

/* MPI_SUCCESS, or why every call on the file that is not local fails: MPI_ERR_INVALIDATED (S0-102). */
static inline int mend_file_check_valid(const struct mend_file *f)
{
    return f->comm->revoked ? MPI_ERR_INVALIDATED : MPI_SUCCESS;
}

/* pointer.c: the shared file pointer, in etypes.  add and set have their effect once.  Without shared memory they wait for mpiexec, which
 * always answers, and end with MPI_ERR_INVALIDATED; with members of several jobs they wait for rank 0, and end with MPI_ERR_PROC_FAILED
 * when it dies, too. */
int mend_pointer_add(struct mend_file *f, MPI_Offset by, MPI_Offset *was_p);
int mend_pointer_set(struct mend_file *f, MPI_Offset to);
/* Where it is.  Without shared memory it asks as above; if nobody answers any more it tells what this process has heard last (S0-54,
 * S0-102).  MPI_ERR_NO_MEM. */
int mend_pointer_get(struct mend_file *f, MPI_Offset *at_p);
/* Collective; waits for all: the position of each behind those of lower rank. */
int mend_pointer_add_ordered(struct mend_file *f, MPI_Offset by, MPI_Offset *was_p);
/* Collective: MPI_File_seek_shared.  What it counts from is what all find when they have met. */
int mend_pointer_seek(struct mend_file *f, MPI_Offset offset, int whence, int own_error);

static inline bool mend_file_shares_memory(const struct mend_file *f)
{
    return !f->win && !f->tallied;
}

/* file.c: the lowest rank that lives, as far as is known here; more than one may believe that it is it. */
bool mend_file_is_first(const struct mend_file *f);

/* look.c: closing. */
void mend_file_windows_drop(struct mend_file *f);

/* pointer.c: opening: rank 0's word, at the members that share memory; closing, while there is the communicator.  MPI_ERR_NO_MEM. */
int mend_pointer_begin(struct mend_file *f, struct mend_comm *c);
void mend_pointer_end(struct mend_file *f);

/* sync.c: one agreement of the survivors: the largest error.  *failed_n_p, if not NULL: how many members have failed; else
 * MPI_ERR_PROC_FAILED. */
int mend_file_agree(struct mend_file *f, int own_error, int *failed_n_p);

/* sync.c: mend_file_agree(), and *place_p becomes what rank 0 has there; UINT64_MAX if it has died before. */
int mend_file_agree_place(struct mend_file *f, int own_error, int *failed_n_p, uint64_t *place_p);

/* sync.c: mend_file_agree(), and whether any survivor says yes. */
int mend_file_agree_any(struct mend_file *f, int own_error, int *failed_n_p, bool *any_p);

/* sync.c: mend_file_agree(), and MPI_ERR_NOT_SAME if the value is not the same at all. */
int mend_file_agree_on(struct mend_file *f, int own_error, uint64_t value);

/* sync.c: the same, and how collective calls go from now on, if these are this member's hints and view. */
int mend_file_agree_on_ways(struct mend_file *f, int own_error, uint64_t value,
                            const struct mend_file_hints *h, const struct mend_view *v);

/* file.c: the class of an errno value; this member's rank, `what`, the name and the value become the text of the error. */
int mend_file_errno(const struct mend_file *f, const char *what, int error);

#endif
