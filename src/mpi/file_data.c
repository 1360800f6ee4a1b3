/* SPDX-License-Identifier: BSD-3-Clause */
/* file_data.c – reading and writing (MPI-5.0 14.4), in both widths.
 *
 *               at an offset     the own pointer     the shared pointer
 *   alone       read_at          read                read_shared
 *   together    read_at_all      read_all            read_ordered
 *
 * and for each of them write, a nonblocking form (iread_at, ...) and for those together begin and end.
 *
 * None waits for another process, but the ordered ones, which wait for those of lower rank to come, all of them in
 * atomic mode, and the collective ones where the members exchange data (io/together.c): those wait for all.  None reports a death
 * unless it needs the dead process (S0-50); MPI_File_sync does.  The nonblocking forms have moved the data when they return, unless it
 * is exchanged, and their requests tell how it went.
 *
 * Errors: MPI_ERR_ARG (an offset that is negative or behind all that the view has), MPI_ERR_TYPE, MPI_ERR_COUNT, MPI_ERR_BUFFER, MPI_ERR_ACCESS and MPI_ERR_READ_ONLY
 * (not opened for that), MPI_ERR_UNSUPPORTED_OPERATION (MPI_MODE_SEQUENTIAL has the shared pointer alone), MPI_ERR_IO (not a
 * whole number of etypes; two split calls at a time; and what the system says), MPI_ERR_NO_SPACE, MPI_ERR_QUOTA,
 * MPI_ERR_PROC_FAILED, MPI_ERR_INVALIDATED. */
#include "mpi/file.h"
#include "mpi/message.h"

#include "io/append.h"
#include "io/later.h"
#include "io/together.h"
#include "req/request.h"

enum pointer { AT, OWN, SHARED, ORDERED };

struct access {
    bool write, all; /* all: a collective call */
    enum pointer pointer;
    MPI_Offset offset; /* AT */
    const void *buf;
    MPI_Count count;
    MPI_Datatype type;
};

static int check_way(const struct mend_file *f, const struct access *a)
{
    if (a->write && f->amode & MPI_MODE_RDONLY)
        return MPI_ERR_READ_ONLY;
    if (!a->write && f->amode & MPI_MODE_WRONLY)
        return MPI_ERR_ACCESS;
    if (f->amode & MPI_MODE_SEQUENTIAL && a->pointer != SHARED && a->pointer != ORDERED)
        return MPI_ERR_UNSUPPORTED_OPERATION;
    return a->pointer == AT && a->offset < 0 ? MPI_ERR_ARG : MPI_SUCCESS;
}

/* Where it begins, in etypes; moves the pointer behind the etypes that were asked for, also if the file ends before or the
 * system fails: the next access may begin before this one has ended (MPI-5.0 14.4.1). */
static int place(struct mend_file *f, const struct access *a, MPI_Offset etypes, MPI_Offset *at_p)
{
    int err = MPI_SUCCESS;

    switch (a->pointer) {
    case AT:
        *at_p = a->offset;
        break;
    case OWN:
        *at_p = f->position;
        break;
    case SHARED:
        err = mend_pointer_add(f, etypes, at_p);
        break;
    case ORDERED:
        err = mend_pointer_add_ordered(f, etypes, at_p);
        break;
    }
    if (!err && !mend_view_has(&f->view, *at_p, a->write ? etypes : 0)) {
        err = etypes ? MPI_ERR_ARG : MPI_SUCCESS;
        *at_p = 0;
    }
    if (!err && a->pointer == OWN)
        f->position += etypes;
    return err;
}

static int check_access(struct mend_file *f, const struct access *a, struct mend_file_data *d,
                        MPI_Offset *etypes_p)
{
    int err = mend_check_data(a->type, a->count, a->buf, &d->type);

    if (!err)
        err = check_way(f, a);
    if (!err)
        err = mend_file_check_valid(f);
    if (!err)
        err = mend_file_etypes(f, d, etypes_p);
    return err;
}

/* What is moved, and where it begins, in etypes. */
static int prepare(struct mend_file *f, const struct access *a, struct mend_file_data *d,
                   MPI_Offset *at_p)
{
    MPI_Offset etypes = 0;
    int err, placed;

    *d = (struct mend_file_data){.buf = (void *)a->buf, .count = a->count};
    err = check_access(f, a, d, &etypes);
    if (a->pointer == ORDERED && err != MPI_ERR_INVALIDATED) { /* the others wait for this one */
        placed = place(f, a, err ? 0 : etypes, at_p);
        err = err ? err : placed;
    } else if (!err) {
        err = place(f, a, etypes, at_p);
    }
    return err;
}

static int move_alone(struct mend_file *f, const struct access *a, MPI_Offset at,
                      const struct mend_file_data *d, MPI_Count *bytes_p)
{
    if (f->append && a->write && a->pointer == SHARED && mend_append_write(f, at, d)) {
        *bytes_p = d->count * d->type->size;
        return MPI_SUCCESS;
    }
    return mend_file_move(f, a->write, at, d, bytes_p);
}

static int access_alone(struct mend_file *f, const struct access *a, MPI_Count *bytes_p)
{
    struct mend_file_data d;
    MPI_Offset at = 0;
    int err = prepare(f, a, &d, &at);

    return err ? err : move_alone(f, a, at, &d, bytes_p);
}

/* The members exchange data: also one whose arguments are wrong takes part. */
static bool is_together(const struct mend_file *f, const struct access *a)
{
    return a->all && a->pointer != ORDERED && mend_file_gathers(f, a->write);
}

static struct mend_request *begin_together(struct mend_file *f, const struct access *a)
{
    struct mend_file_data d;
    MPI_Offset at = 0;
    int err = prepare(f, a, &d, &at);

    return mend_file_begin_together(f, a->write, at, &d, err);
}

static int access_together(struct mend_file *f, const struct access *a, MPI_Count *bytes_p)
{
    struct mend_request *r = begin_together(f, a);
    int err;

    mend_wait(f->self, r);
    err = r->error;
    *bytes_p = r->bytes;
    mend_request_detach(r);
    return err;
}

static int access_file(struct mend_file *f, const struct access *a, MPI_Count *bytes_p)
{
    return (is_together(f, a) ? access_together : access_alone)(f, a, bytes_p);
}

/* ---- the forms ---- */

static int blocking(MPI_File fh, struct access a, MPI_Status *status, const char *fn)
{
    struct mend_file *f = NULL;
    MPI_Count bytes = 0;
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_file(fh, &f);
    if (!err) {
        err = access_file(f, &a, &bytes);
        mend_status_set(status, MPI_ANY_SOURCE, MPI_ANY_TAG, bytes, false);
    }
    return mend_report_file(f, err, fn);
}

static void release(struct mend_request *r)
{
    struct mend_comm *c = r->comm;

    r->magic = 0;
    mend_free(c->self, r);
    mend_comm_put(c);
}

static const struct mend_request_ops ops = {.name = "access to a file", .release = release};

/* By the kernel, while the program computes; else in the call.  NULL: no memory. */
static struct mend_request *begin_alone(struct mend_file *f, const struct access *a)
{
    struct mend_file_data d;
    MPI_Offset at = 0;
    MPI_Count bytes = 0;
    int err = prepare(f, a, &d, &at);
    struct mend_request *r = err ? NULL : mend_file_begin_later(f, a->write, at, &d);

    if (r)
        return r;
    r = mend_zalloc(f->self, 1, sizeof(*r));
    if (!r)
        return NULL;
    mend_request_init(r, &ops, f->comm);
    mend_comm_get(f->comm);
    mend_request_begin(r);
    if (!err)
        err = move_alone(f, a, at, &d, &bytes);
    r->bytes = bytes;
    mend_request_complete(r, err);
    return r;
}

static int nonblocking(MPI_File fh, struct access a, MPI_Request *request, const char *fn)
{
    struct mend_file *f = NULL;
    struct mend_request *r = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_file(fh, &f);
    if (!err)
        err = mend_check_pointer(request);
    if (!err) {
        r = is_together(f, &a) ? begin_together(f, &a) : begin_alone(f, &a);
        err = r ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    if (!err)
        *request = mend_mpi_request_handle(r);
    return mend_report_file(f, err, fn);
}

static enum mend_file_split split_of(enum pointer p)
{
    return p == AT ? MEND_SPLIT_AT : p == OWN ? MEND_SPLIT_OWN : MEND_SPLIT_ORDERED;
}

/* One at a time (MPI-5.0 14.4.5).  The data is moved here; the end tells how it went. */
static int begin(MPI_File fh, struct access a, const char *fn)
{
    struct mend_file *f = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_file(fh, &f);
    if (!err && f->split)
        err = MPI_ERR_IO;
    if (!err) {
        f->split = split_of(a.pointer);
        f->split_writes = a.write;
        f->split_bytes = 0;
        f->split_error = access_file(f, &a, &f->split_bytes);
    }
    return mend_report_file(f, err, fn);
}

static int end(MPI_File fh, bool write, enum pointer pointer, MPI_Status *status, const char *fn)
{
    struct mend_file *f = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_file(fh, &f);
    if (!err && (f->split != split_of(pointer) || f->split_writes != write))
        err = MPI_ERR_IO;
    if (!err) {
        f->split = MEND_SPLIT_NONE;
        mend_status_set(status, MPI_ANY_SOURCE, MPI_ANY_TAG, f->split_bytes, false);
        err = f->split_error ? f->split_error : mend_file_check_valid(f);
    }
    return mend_report_file(f, err, fn);
}

/* ---- the functions: a line for each pair ---- */

#define ALONE false
#define ALL   true

#define WITH(way_, all_, pointer_, offset_)                                                        \
    (struct access)                                                                                \
    {                                                                                              \
        .write = (way_), .all = (all_), .pointer = (pointer_), .offset = (offset_), .buf = buf,    \
        .count = count, .type = datatype                                                           \
    }

#define AT_OFFSET(name, way, all, buffer)                                                          \
    MEND_API(name);                                                                                \
    int name(MPI_File fh, MPI_Offset offset, buffer buf, int count, MPI_Datatype datatype,         \
             MPI_Status *status)                                                                   \
    {                                                                                              \
        return blocking(fh, WITH(way, all, AT, offset), status, __func__);                         \
    }                                                                                              \
    MEND_API(name##_c);                                                                            \
    int name##_c(MPI_File fh, MPI_Offset offset, buffer buf, MPI_Count count,                      \
                 MPI_Datatype datatype, MPI_Status *status)                                        \
    {                                                                                              \
        return blocking(fh, WITH(way, all, AT, offset), status, __func__);                         \
    }

#define AT_POINTER(name, way, all, pointer, buffer)                                                \
    MEND_API(name);                                                                                \
    int name(MPI_File fh, buffer buf, int count, MPI_Datatype datatype, MPI_Status *status)        \
    {                                                                                              \
        return blocking(fh, WITH(way, all, pointer, 0), status, __func__);                         \
    }                                                                                              \
    MEND_API(name##_c);                                                                            \
    int name##_c(MPI_File fh, buffer buf, MPI_Count count, MPI_Datatype datatype,                  \
                 MPI_Status *status)                                                               \
    {                                                                                              \
        return blocking(fh, WITH(way, all, pointer, 0), status, __func__);                         \
    }

#define LATER_AT_OFFSET(name, way, all, buffer)                                                    \
    MEND_API(name);                                                                                \
    int name(MPI_File fh, MPI_Offset offset, buffer buf, int count, MPI_Datatype datatype,         \
             MPI_Request *request)                                                                 \
    {                                                                                              \
        return nonblocking(fh, WITH(way, all, AT, offset), request, __func__);                     \
    }                                                                                              \
    MEND_API(name##_c);                                                                            \
    int name##_c(MPI_File fh, MPI_Offset offset, buffer buf, MPI_Count count,                      \
                 MPI_Datatype datatype, MPI_Request *request)                                      \
    {                                                                                              \
        return nonblocking(fh, WITH(way, all, AT, offset), request, __func__);                     \
    }

#define LATER_AT_POINTER(name, way, all, pointer, buffer)                                          \
    MEND_API(name);                                                                                \
    int name(MPI_File fh, buffer buf, int count, MPI_Datatype datatype, MPI_Request *request)      \
    {                                                                                              \
        return nonblocking(fh, WITH(way, all, pointer, 0), request, __func__);                     \
    }                                                                                              \
    MEND_API(name##_c);                                                                            \
    int name##_c(MPI_File fh, buffer buf, MPI_Count count, MPI_Datatype datatype,                  \
                 MPI_Request *request)                                                             \
    {                                                                                              \
        return nonblocking(fh, WITH(way, all, pointer, 0), request, __func__);                     \
    }

#define SPLIT_AT_OFFSET(name, way, buffer)                                                         \
    MEND_API(name##_begin);                                                                        \
    int name##_begin(MPI_File fh, MPI_Offset offset, buffer buf, int count, MPI_Datatype datatype) \
    {                                                                                              \
        return begin(fh, WITH(way, ALL, AT, offset), __func__);                                    \
    }                                                                                              \
    MEND_API(name##_begin_c);                                                                      \
    int name##_begin_c(MPI_File fh, MPI_Offset offset, buffer buf, MPI_Count count,                \
                       MPI_Datatype datatype)                                                      \
    {                                                                                              \
        return begin(fh, WITH(way, ALL, AT, offset), __func__);                                    \
    }                                                                                              \
    MEND_API(name##_end);                                                                          \
    int name##_end(MPI_File fh, buffer buf, MPI_Status *status)                                    \
    {                                                                                              \
        return end(fh, way, AT, status, __func__);                                                 \
    }

#define SPLIT_AT_POINTER(name, way, pointer, buffer)                                               \
    MEND_API(name##_begin);                                                                        \
    int name##_begin(MPI_File fh, buffer buf, int count, MPI_Datatype datatype)                    \
    {                                                                                              \
        return begin(fh, WITH(way, ALL, pointer, 0), __func__);                                    \
    }                                                                                              \
    MEND_API(name##_begin_c);                                                                      \
    int name##_begin_c(MPI_File fh, buffer buf, MPI_Count count, MPI_Datatype datatype)            \
    {                                                                                              \
        return begin(fh, WITH(way, ALL, pointer, 0), __func__);                                    \
    }                                                                                              \
    MEND_API(name##_end);                                                                          \
    int name##_end(MPI_File fh, buffer buf, MPI_Status *status)                                    \
    {                                                                                              \
        return end(fh, way, pointer, status, __func__);                                            \
    }

AT_OFFSET(MPI_File_read_at, false, ALONE, void *)
AT_OFFSET(MPI_File_read_at_all, false, ALL, void *)
AT_OFFSET(MPI_File_write_at, true, ALONE, const void *)
AT_OFFSET(MPI_File_write_at_all, true, ALL, const void *)
AT_POINTER(MPI_File_read, false, ALONE, OWN, void *)
AT_POINTER(MPI_File_read_all, false, ALL, OWN, void *)
AT_POINTER(MPI_File_write, true, ALONE, OWN, const void *)
AT_POINTER(MPI_File_write_all, true, ALL, OWN, const void *)
AT_POINTER(MPI_File_read_shared, false, ALONE, SHARED, void *)
AT_POINTER(MPI_File_write_shared, true, ALONE, SHARED, const void *)
AT_POINTER(MPI_File_read_ordered, false, ALL, ORDERED, void *)
AT_POINTER(MPI_File_write_ordered, true, ALL, ORDERED, const void *)

LATER_AT_OFFSET(MPI_File_iread_at, false, ALONE, void *)
LATER_AT_OFFSET(MPI_File_iread_at_all, false, ALL, void *)
LATER_AT_OFFSET(MPI_File_iwrite_at, true, ALONE, const void *)
LATER_AT_OFFSET(MPI_File_iwrite_at_all, true, ALL, const void *)
LATER_AT_POINTER(MPI_File_iread, false, ALONE, OWN, void *)
LATER_AT_POINTER(MPI_File_iread_all, false, ALL, OWN, void *)
LATER_AT_POINTER(MPI_File_iwrite, true, ALONE, OWN, const void *)
LATER_AT_POINTER(MPI_File_iwrite_all, true, ALL, OWN, const void *)
LATER_AT_POINTER(MPI_File_iread_shared, false, ALONE, SHARED, void *)
LATER_AT_POINTER(MPI_File_iwrite_shared, true, ALONE, SHARED, const void *)

SPLIT_AT_OFFSET(MPI_File_read_at_all, false, void *)
SPLIT_AT_OFFSET(MPI_File_write_at_all, true, const void *)
SPLIT_AT_POINTER(MPI_File_read_all, false, OWN, void *)
SPLIT_AT_POINTER(MPI_File_write_all, true, OWN, const void *)
SPLIT_AT_POINTER(MPI_File_read_ordered, false, ORDERED, void *)
SPLIT_AT_POINTER(MPI_File_write_ordered, true, ORDERED, const void *)
