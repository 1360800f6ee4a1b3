/* SPDX-License-Identifier: BSD-3-Clause */
/* append.c – chunks: reserved, mapped, written; where the data ends. */
#include "io/append.h"

#include "io/keep.h"
#include "io/os.h"
#include "node/heap.h"
#include "node/node.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE       ((size_t)4096)
#define NOT_SHARED UINT64_MAX

_Static_assert(sizeof(struct mend_append_line) == 64, "a line of the cache");

/* ---- beginning and end ---- */

bool mend_append_is_wanted(const struct mend_file *f)
{
    return f->hints.value[MEND_HINT_APPEND_MAPPED] && f->amode & MPI_MODE_UNIQUE_OPEN &&
           !(f->amode & MPI_MODE_RDONLY);
}

/* At an address, or NULL: anywhere; of the file from there on, or fd < 0: nothing.  Shared in any case, as nothing of it is to be
 * rolled back (snap/).  NULL: the system has no memory for that. */
static char *map(char *at, int fd, MPI_Offset begin)
{
    int where = (at ? MAP_FIXED : 0) | (fd < 0 ? MAP_ANONYMOUS | MAP_NORESERVE : 0);
    void *window = mmap(at, (size_t)MEND_APPEND_CHUNK, fd < 0 ? PROT_NONE : PROT_READ | PROT_WRITE,
                        MAP_SHARED | where, fd, begin);

    return window == MAP_FAILED ? NULL : window;
}

/* This member's part, when all know where the lines are. */
static int prepare(struct mend_file *f, struct mend_file_append *a)
{
    MPI_Offset size;
    int err = mend_file_size(f, &size);

    if (err || a->at == NOT_SHARED || !mend_os_can_reserve(f->fd))
        return err ? err : MPI_ERR_NO_MEM;
    a->line = a->piece ? (void *)a->piece->base : mend_node_map(f->self, a->at, a->bytes);
    a->window = map(NULL, -1, 0);
    if (!a->line || !a->window)
        return MPI_ERR_NO_MEM;
    a->own = &a->line[f->comm->rank];
    a->own->chunk = 0;
    mend_store_relaxed(&a->own->end, (uint64_t)size); /* the agreement orders it */
    return MPI_SUCCESS;
}

/* Lines that some member may still use stay, as those of a process that is dead and has survivors. */
static void give_back(struct mend_file *f, struct mend_file_append *a, bool all_left)
{
    if (a->window)
        munmap(a->window, (size_t)MEND_APPEND_CHUNK);
    if (a->line && !a->piece)
        mend_node_unmap(a->line, a->bytes);
    if (a->piece && all_left)
        mend_heap_give_back(f->self, a->piece);
    if (a->at != NOT_SHARED && all_left && mend_file_is_first(f) &&
        mend_peer_is_dead(f->self, mend_comm_peer(f->comm, 0)))
        mend_node_punch(f->self, a->at, a->bytes);
    mend_free(f->self, a);
}

static void begin(struct mend_file *f)
{
    struct mend_file_append *a;
    int err, failed_n;

    mend_memory_press(f->self); /* the others are in it, or come */
    a = mend_zalloc(f->self, 1, sizeof(*a));
    mend_memory_relax(f->self);
    a->bytes = ((size_t)f->comm->size * sizeof(struct mend_append_line) + PAGE - 1) & ~(PAGE - 1);
    if (f->comm->rank == 0)
        a->piece = mend_heap_take(f->self, a->bytes);
    a->at = a->piece ? a->piece->at : NOT_SHARED;
    err = mend_file_agree_place(f, MPI_SUCCESS, &failed_n, &a->at);
    if (!err)
        err = mend_file_agree(f, prepare(f, a), &failed_n);
    if (err)
        give_back(f, a, err != MPI_ERR_INVALIDATED);
    else
        f->append = a;
}

void mend_append_begin(struct mend_file *f)
{
    if (mend_append_is_wanted(f) && mend_file_shares_memory(f) && f->comm->size > 1)
        begin(f);
    f->hints.value[MEND_HINT_APPEND_MAPPED] = f->append != NULL;
}

void mend_append_end(struct mend_file *f)
{
    if (f->append)
        give_back(f, f->append, f->all_left);
    f->append = NULL;
}

/* ---- where the data ends ---- */

void mend_append_note(struct mend_file *f, MPI_Offset end)
{
    struct mend_append_line *own = f->append->own;

    if ((uint64_t)end > mend_load_relaxed(&own->end))
        mend_store_relaxed(&own->end,
                           (uint64_t)end); /* what the program synchronizes by orders it */
}

MPI_Offset mend_append_size(const struct mend_file *f)
{
    uint64_t size = 0;

    for (int r = 0; r < f->comm->size; r++) {
        uint64_t end = mend_load_relaxed(&f->append->line[r].end);

        size = end > size ? end : size;
    }
    return (MPI_Offset)size;
}

MPI_Offset mend_append_cut_to(struct mend_file *f, MPI_Offset size)
{
    uint64_t was = mend_load_relaxed(&f->append->own->end);

    if ((uint64_t)size < was)
        mend_store_relaxed(&f->append->own->end, (uint64_t)size); /* the agreement orders it */
    return (MPI_Offset)was;
}

/* ---- the window ---- */

void mend_append_leave_window(struct mend_file *f)
{
    struct mend_file_append *a = f->append;

    a->tried = 0;
    if (a->own->chunk)
        a->window = map(a->window, -1, 0);
    a->own->chunk = 0;
}

static int reserve(struct mend_file *f, MPI_Offset begin)
{
    int error = begin > mend_os_limit() - MEND_APPEND_CHUNK
                    ? EFBIG /* the kernel would send SIGXFSZ */
                    : mend_os_reserve(f->fd, begin, MEND_APPEND_CHUNK);

    mend_event(f->self, MEND_EV_APPEND_RESERVED);
    return error;
}

/* The chunk that begins there is in the window, then. */
static bool open_window(struct mend_file *f, MPI_Offset begin)
{
    struct mend_file_append *a = f->append;
    uint64_t chunk = (uint64_t)(begin / MEND_APPEND_CHUNK) + 1;

    if (mend_likely(a->own->chunk == chunk))
        return true;
    if (!a->window || a->tried == chunk)
        return false;
    a->own->chunk = 0;
    a->tried = chunk;
    if (reserve(f, begin))
        return false;
    a->window = map(a->window, f->fd, begin); /* if that fails, what was there may be gone */
    a->own->chunk = a->window ? chunk : 0;
    return a->window;
}

/* All of it lies in one chunk. */
static bool copy(struct mend_file *f, MPI_Offset offset, const char *from, MPI_Offset len)
{
    MPI_Offset in_chunk = offset % MEND_APPEND_CHUNK;

    if (!open_window(f, offset - in_chunk))
        return false;
    memcpy(f->append->window + in_chunk, from, (size_t)len);
    return true;
}

/* One run of the file, one piece of memory, as they are. */
static bool is_plain(const struct mend_file *f, const struct mend_file_data *d, MPI_Offset len)
{
    return len <= MEND_APPEND_MOST && d->type->dense && mend_view_is_whole(&f->view) &&
           f->view.datarep->kind == MEND_DATAREP_NATIVE && !f->atomic && !mend_file_keeps(f);
}

bool mend_append_write(struct mend_file *f, MPI_Offset at, const struct mend_file_data *d)
{
    MPI_Offset len = d->count * d->type->size, offset, first;
    const char *from = mend_type_dense_at(d->type, d->buf, 0);

    if (!len || !is_plain(f, d, len))
        return false;
    mend_event(f->self, MEND_EV_APPEND_PLACED);
    offset = f->view.disp + f->view.layout->true_lb + at * f->view.etype_size;
    first = MEND_APPEND_CHUNK - offset % MEND_APPEND_CHUNK;
    first = first < len ? first : len;
    if (!copy(f, offset, from, first) ||
        (len > first && !copy(f, offset + first, from + first, len - first)))
        return false;
    mend_event(f->self, MEND_EV_APPEND_COPIED);
    mend_append_note(f, offset + len);
    mend_file_keep_not(f);
    f->dirty = true;
    return true;
}

/* ---- closing ---- */

void mend_append_finish(struct mend_file *f)
{
    MPI_Offset size;
    int error, failed_n, class = MPI_SUCCESS;

    mend_append_leave_window(f);
    if (mend_file_agree(f, MPI_SUCCESS, &failed_n))
        return;
    mend_event(f->self, MEND_EV_APPEND_CUT);
    size = mend_append_size(f);
    error = mend_os_cut(f->fd, size);
    if (error)
        class = mend_file_errno(f, "cutting", error);
    f->error = class > f->error ? class : f->error;
    f->dirty = true;
}
