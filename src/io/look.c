/* SPDX-License-Identifier: BSD-3-Clause */
/* look.c – collective reading where all members share memory: an aggregator reads each window once, and all look into it.
 *
 *   file        |aabbccaabbcc│aabbccaabbcc│aabbccaabbcc│         windows of a domain, holes of each member included
 *   aggregator     read 0        read 1       read 2             into one of two places in shared memory, by turns
 *   members                      copy 0       copy 1     copy 2  what they want, from there
 *   agreements                 1            2          3       4 { has all gone well, does everybody live? }
 *
 * look_sm.h says what is done when.  Before, a sum tells where the places are, and how much is wanted: if it is but a small
 * part, each member reads for itself, as it does after a death or an error.
 *
 * What a death does: as in together.c.  The places stay with the file, those of a dead aggregator as well, until it is closed: then the
 * lowest survivor gives those back. */
#include "io/exchange.h"

#include "io/os.h"
#include "node/heap.h"
#include "node/node.h"

#include <string.h>

#define PAGE  4096
#define MOST  64      /* readers */
#define ROUND 1048576 /* bytes of the file at a time: twice as many stay in the caches */
#define SHARE 3       /* at least this part of the file must be wanted */

/* Limits above which the members read together.  Alone, a member reads the holes between its pieces, or makes a system call for
 * each piece; above these limits that takes longer than waiting for the others. */
#define LARGE     16777216 /* bytes of the file that one member's pieces span */
#define MANY_RUNS 512      /* pieces of one member */

enum { FAILED, WANTED, PLACES };

/* The places of all readers, from the first such call on. */
struct mend_file_windows {
    struct mend_heap_piece *own; /* NULL: this process reads none */
    MPI_Offset most;             /* bytes of a window */
    int n;
    struct {
        int rank;
        uint64_t at; /* in the segment, and here; 0, NULL: not known */
        char *base;
    } of[];
};

bool mend_together_looks(const struct mend_together *t)
{
    return !t->write && mend_file_shares_memory(t->f);
}

/* A member that reads small runs together with the holes between them loses nothing but that the others read the same. */
bool mend_together_is_worth_looking(const struct mend_together *t)
{
    if (t->f->hints.value[MEND_HINT_CB_READ] == MEND_HINT_ENABLE)
        return true;
    return t->apart ? t->runs >= MANY_RUNS : t->high - t->low >= LARGE;
}

size_t mend_together_sums(const struct mend_together *t)
{
    return PLACES + (size_t)t->domains_n;
}

int mend_together_readers(const struct mend_together *t)
{
    int n = t->f->hints.value[MEND_HINT_CB_NODES] ? t->f->aggregators : t->f->comm->size;

    return n < MOST ? n : MOST;
}

/* ---- places ---- */

static size_t place_bytes(const struct mend_file_windows *w)
{
    return 2 * (((size_t)w->most + PAGE - 1) & ~((size_t)PAGE - 1));
}

static char *place_of(const struct mend_together *t, const struct mend_domain *d, MPI_Offset window)
{
    const struct mend_file_windows *w = t->f->windows;

    return w->of[d - t->domain].base + (size_t)mend_file_look_place(window) * (place_bytes(w) / 2);
}

static MPI_Offset most_of(const struct mend_together *t)
{
    MPI_Offset hint = t->f->hints.value[MEND_HINT_CB_BUFFER_SIZE], each = ROUND / t->domains_n;

    return hint < each ? hint : each;
}

MPI_Offset mend_together_window_to_look(const struct mend_together *t, MPI_Offset domain)
{
    return most_of(t) < domain ? most_of(t) : domain;
}

void mend_file_windows_drop(struct mend_file *f)
{
    struct mend_file_windows *w = f->windows;
    bool first = w && f->all_left && mend_file_is_first(f);

    for (int i = 0; w && i < w->n; i++) {
        mend_peer p = mend_comm_peer(f->comm, w->of[i].rank);

        if (w->of[i].base && w->of[i].rank != f->comm->rank)
            mend_node_unmap(w->of[i].base, place_bytes(w));
        if (first && w->of[i].at && mend_peer_is_dead(f->self, p))
            mend_node_punch(f->self, w->of[i].at, place_bytes(w));
    }
    if (w && w->own)
        mend_heap_give_back(f->self, w->own);
    mend_free(f->self, w);
    f->windows = NULL;
}

/* Those that are there if the hints are as they were, which is the same at all.  False: no memory. */
static bool make_windows(struct mend_together *t)
{
    struct mend_file *f = t->f;
    struct mend_file_windows *w = f->windows;

    if (w && w->n == t->domains_n && w->most == most_of(t))
        return true;
    mend_file_windows_drop(f);
    w = mend_zalloc(f->self, 1, sizeof(*w) + (size_t)t->domains_n * sizeof(w->of[0]));
    if (!w)
        return false;
    f->windows = w;
    w->most = most_of(t);
    w->n = t->domains_n;
    if (t->own)
        w->own = mend_heap_take(f->self, place_bytes(w));
    return !t->own || w->own;
}

void mend_together_open(struct mend_together *t)
{
    struct mend_coll_how how = {.kind = MEND_COLL_START};
    struct mend_coll_buf out = {t->sums, (MPI_Count)mend_together_sums(t),
                                mend_type_predefined((uintptr_t)MPI_INT64_T), MPI_INT64_T};

    t->failing = !make_windows(t);
    if (t->own && !t->failing)
        t->sums[PLACES + (t->own - t->domain)] = (int64_t)t->f->windows->own->at;
    t->sums[WANTED] = t->has_pieces ? t->total : 0;
    t->sums[FAILED] = t->failing;
    t->stage = MEND_TOGETHER_OPENED;
    mend_coll_allreduce(t->f->comm, MPI_IN_PLACE, &out, mend_op_of(MPI_SUM), &how);
    t->inner = how.request;
}

void mend_together_map(struct mend_together *t)
{
    struct mend_file_windows *w = t->f->windows;

    if (t->sums[FAILED])
        mend_file_windows_drop(t->f); /* as all do */
    t->look = (struct mend_file_look){.windows = t->rounds};
    t->failing = t->sums[FAILED] || (__int128)t->sums[WANTED] * SHARE < t->high - t->low;
    for (int i = 0; i < t->domains_n && !t->failing; i++) {
        const struct mend_domain *d = &t->domain[i];

        w->of[i].rank = d->rank;
        w->of[i].at = (uint64_t)t->sums[PLACES + i];
        if (d == t->own)
            w->of[i].base = w->own->base;
        else if (d->left && !w->of[i].base)
            w->of[i].base = mend_node_map(t->f->self, w->of[i].at, place_bytes(w));
        t->failing = d->left && !w->of[i].base;
    }
}

/* ---- windows ---- */

/* What is to be read of it: from the first byte that anybody wants to the last one. */
static MPI_Offset bounds(const struct mend_together *t, const struct mend_domain *d,
                         MPI_Offset window, MPI_Offset *begin_p)
{
    MPI_Offset begin = d->begin + window * t->window, end = begin + t->window;

    end = end < d->end ? end : d->end;
    end = end < t->high ? end : t->high;
    *begin_p = begin > t->low ? begin : t->low;
    return end;
}

/* Nobody asks for what lies behind the end of the file; it is zeros if the file becomes shorter meanwhile. */
static void read_window(struct mend_together *t, MPI_Offset window)
{
    MPI_Offset begin, end = bounds(t, t->own, window, &begin);
    char *to = place_of(t, t->own, window);
    int64_t done = 0;
    struct iovec piece;

    if (begin >= end)
        return;
    to += begin - (t->own->begin + window * t->window);
    piece = (struct iovec){to, (size_t)(end - begin)};
    t->failing |= mend_os_read(t->f->fd, &piece, 1, begin, &done) != 0;
    memset(to + done, 0, (size_t)(end - begin - done));
}

/* from: where the bytes from `begin` in the file on lie. */
static void copy_row(const struct mend_row *row, const char *from, MPI_Offset begin, char **to)
{
    for (int64_t i = 0; i < row->n; i++, *to += row->len)
        memcpy(*to, from + (row->at + i * row->stride - begin), (size_t)row->len);
}

static void copy_window(struct mend_together *t, MPI_Offset window)
{
    for (int i = 0; i < t->domains_n; i++)
        t->domain[i].turn = window;
    if (!mend_together_list(t)) {
        t->failing = true;
        return;
    }
    for (int i = 0; i < t->domains_n; i++) {
        const struct mend_domain *d = &t->domain[i];
        char *to = d->data;

        for (int64_t k = 0; k < d->rows.n; k++)
            copy_row(&d->rows.row[k], place_of(t, d, window), d->begin + window * t->window, &to);
    }
    mend_together_unpack(t);
}

bool mend_together_look(struct mend_together *t)
{
    enum mend_file_look_act act;

    while ((act = mend_file_look_next(&t->look, t->failing)) == MEND_FILE_LOOK_READ ||
           act == MEND_FILE_LOOK_COPY)
        if (act == MEND_FILE_LOOK_COPY)
            copy_window(t, mend_file_look_window(&t->look));
        else if (t->own)
            read_window(t, mend_file_look_window(&t->look));
    return act == MEND_FILE_LOOK_VOTE;
}
