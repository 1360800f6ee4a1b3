/* SPDX-License-Identifier: BSD-3-Clause */
/* pack.c – packing, addresses, and what a status says about elements (MPI-5.0 5.1.5, 5.1.11, 5.2).
 *
 * The packed form has no header: the bytes of the elements in the order of the type map, so packed
 * units of one message may be joined and cut.  All functions are local; none blocks, and neither a
 * death nor a revocation affects them. */
#include "datatype/external32.h"
#include "datatype/signature.h"
#include "mpi/check.h"

#include <limits.h>
#include <string.h>

/* Narrow results: MPI_UNDEFINED where the number does not fit. */
static int narrow(MPI_Count n)
{
    return n <= INT_MAX ? (int)n : MPI_UNDEFINED;
}

/* --------------------------------------------------------------------------
 * Native packing
 * -------------------------------------------------------------------------- */

/* Elements in memory, and the bytes that they are packed to or from, position on. */
struct unit {
    void *buf;
    MPI_Count count;
    MPI_Datatype datatype;
    void *bytes;
    MPI_Count bytes_n, position;
    const struct mend_type *t; /* out */
};

/* MPI_ERR_TRUNCATE: not enough room, or not enough bytes, for the elements' need. */
static int check_room(const struct unit *u, MPI_Count need)
{
    if (u->bytes_n < 0 || u->position < 0 || u->position > u->bytes_n)
        return MPI_ERR_ARG;
    if (need > u->bytes_n - u->position)
        return MPI_ERR_TRUNCATE;
    return need > 0 && !u->bytes ? MPI_ERR_BUFFER : MPI_SUCCESS;
}

static int check_unit(struct unit *u)
{
    int err = mend_check_committed(u->datatype, &u->t);

    if (!err)
        err = mend_check_count_of(u->t, u->count);
    if (!err)
        err = mend_check_buffer(u->buf, u->count, u->t);
    return err;
}

static int native_bytes(const struct mend_type *t, MPI_Count count, MPI_Count *bytes_p)
{
    return __builtin_mul_overflow(t->size, count, bytes_p) ? MPI_ERR_COUNT : MPI_SUCCESS;
}

static int transfer(const char *fn, MPI_Comm comm, struct unit *u, bool packing)
{
    struct mend_comm *c = NULL;
    MPI_Count need = 0;
    int err = mend_enter(fn);

    if (!err)
        err = mend_find_comm(comm, &c);
    if (!err)
        err = check_unit(u);
    if (!err)
        err = native_bytes(u->t, u->count, &need);
    if (!err)
        err = check_room(u, need);
    if (!err && need > 0) {
        char *bytes = (char *)u->bytes + u->position;

        if (packing)
            mend_type_pack(u->t, u->buf, u->count, 0, bytes, (size_t)need);
        else
            mend_type_unpack(u->t, u->buf, u->count, 0, bytes, (size_t)need);
        u->position += need;
    }
    return mend_report_comm(c, err, fn);
}

/* A missing position counts as a wrong one. */
#define POSITION(position_) ((position_) ? *(position_) : -1)

MEND_API(MPI_Pack);
int MPI_Pack(const void *inbuf, int incount, MPI_Datatype datatype, void *outbuf, int outsize,
             int *position, MPI_Comm comm)
{
    struct unit u = {(void *)inbuf, incount, datatype, outbuf, outsize, POSITION(position), NULL};
    int err = transfer(__func__, comm, &u, true);

    if (!err)
        *position = (int)u.position;
    return err;
}

MEND_API(MPI_Pack_c);
int MPI_Pack_c(const void *inbuf, MPI_Count incount, MPI_Datatype datatype, void *outbuf,
               MPI_Count outsize, MPI_Count *position, MPI_Comm comm)
{
    struct unit u = {(void *)inbuf, incount, datatype, outbuf, outsize, POSITION(position), NULL};
    int err = transfer(__func__, comm, &u, true);

    if (!err)
        *position = u.position;
    return err;
}

MEND_API(MPI_Unpack);
int MPI_Unpack(const void *inbuf, int insize, int *position, void *outbuf, int outcount,
               MPI_Datatype datatype, MPI_Comm comm)
{
    struct unit u = {outbuf, outcount, datatype, (void *)inbuf, insize, POSITION(position), NULL};
    int err = transfer(__func__, comm, &u, false);

    if (!err)
        *position = (int)u.position;
    return err;
}

MEND_API(MPI_Unpack_c);
int MPI_Unpack_c(const void *inbuf, MPI_Count insize, MPI_Count *position, void *outbuf,
                 MPI_Count outcount, MPI_Datatype datatype, MPI_Comm comm)
{
    struct unit u = {outbuf, outcount, datatype, (void *)inbuf, insize, POSITION(position), NULL};
    int err = transfer(__func__, comm, &u, false);

    if (!err)
        *position = u.position;
    return err;
}

static int pack_size(const char *fn, MPI_Count incount, MPI_Datatype datatype, MPI_Comm comm,
                     const void *result, MPI_Count *size_p)
{
    const struct mend_type *t = NULL;
    struct mend_comm *c = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = mend_find_comm(comm, &c);
    if (!err)
        err = mend_check_count(incount);
    if (!err)
        err = mend_check_type(datatype, &t);
    if (!err)
        err = mend_check_pointer(result);
    if (!err)
        err = native_bytes(t, incount, size_p);
    return mend_report_comm(c, err, fn);
}

MEND_API(MPI_Pack_size);
int MPI_Pack_size(int incount, MPI_Datatype datatype, MPI_Comm comm, int *size)
{
    MPI_Count n = 0;
    int err = pack_size(__func__, incount, datatype, comm, size, &n);

    if (!err)
        *size = narrow(n);
    return err;
}

MEND_API(MPI_Pack_size_c);
int MPI_Pack_size_c(MPI_Count incount, MPI_Datatype datatype, MPI_Comm comm, MPI_Count *size)
{
    MPI_Count n = 0;
    int err = pack_size(__func__, incount, datatype, comm, size, &n);

    if (!err)
        *size = n;
    return err;
}

/* --------------------------------------------------------------------------
 * external32 (MPI-5.0 5.3).  Positions are of the same size in both widths.
 * -------------------------------------------------------------------------- */

_Static_assert(sizeof(MPI_Aint) == sizeof(MPI_Count), "positions of both widths");

static int check_datarep(const char *datarep)
{
    return datarep && !strcmp(datarep, "external32") ? MPI_SUCCESS : MPI_ERR_ARG;
}

static int transfer_external(const char *fn, const char *datarep, struct unit *u, bool packing)
{
    MPI_Count need = 0;
    int err = mend_enter(fn);

    if (!err)
        err = check_datarep(datarep);
    if (!err)
        err = check_unit(u);
    if (!err) {
        need = mend_external_size(u->t, u->count);
        err = need < 0 ? MPI_ERR_COUNT : check_room(u, need);
    }
    if (!err && need > 0) {
        char *bytes = (char *)u->bytes + u->position;

        if (packing)
            mend_external_pack(u->t, u->buf, u->count, bytes);
        else
            mend_external_unpack(u->t, u->buf, u->count, bytes);
        u->position += need;
    }
    return mend_report(err, fn);
}

MEND_API(MPI_Pack_external);
int MPI_Pack_external(const char datarep[], const void *inbuf, int incount, MPI_Datatype datatype,
                      void *outbuf, MPI_Aint outsize, MPI_Aint *position)
{
    struct unit u = {(void *)inbuf, incount, datatype, outbuf, outsize, POSITION(position), NULL};
    int err = transfer_external(__func__, datarep, &u, true);

    if (!err)
        *position = (MPI_Aint)u.position;
    return err;
}

MEND_API(MPI_Pack_external_c);
int MPI_Pack_external_c(const char datarep[], const void *inbuf, MPI_Count incount,
                        MPI_Datatype datatype, void *outbuf, MPI_Count outsize, MPI_Count *position)
{
    struct unit u = {(void *)inbuf, incount, datatype, outbuf, outsize, POSITION(position), NULL};
    int err = transfer_external(__func__, datarep, &u, true);

    if (!err)
        *position = u.position;
    return err;
}

MEND_API(MPI_Unpack_external);
int MPI_Unpack_external(const char datarep[], const void *inbuf, MPI_Aint insize,
                        MPI_Aint *position, void *outbuf, int outcount, MPI_Datatype datatype)
{
    struct unit u = {outbuf, outcount, datatype, (void *)inbuf, insize, POSITION(position), NULL};
    int err = transfer_external(__func__, datarep, &u, false);

    if (!err)
        *position = (MPI_Aint)u.position;
    return err;
}

MEND_API(MPI_Unpack_external_c);
int MPI_Unpack_external_c(const char datarep[], const void *inbuf, MPI_Count insize,
                          MPI_Count *position, void *outbuf, MPI_Count outcount,
                          MPI_Datatype datatype)
{
    struct unit u = {outbuf, outcount, datatype, (void *)inbuf, insize, POSITION(position), NULL};
    int err = transfer_external(__func__, datarep, &u, false);

    if (!err)
        *position = u.position;
    return err;
}

static int external_size(const char *fn, const char *datarep, MPI_Count incount,
                         MPI_Datatype datatype, MPI_Count *size_p)
{
    const struct mend_type *t = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = check_datarep(datarep);
    if (!err)
        err = mend_check_count(incount);
    if (!err)
        err = mend_check_type(datatype, &t);
    if (!err)
        err = mend_check_pointer(size_p);
    if (!err && mend_external_size(t, incount) < 0)
        err = MPI_ERR_COUNT;
    if (!err)
        *size_p = mend_external_size(t, incount);
    return mend_report(err, fn);
}

MEND_API(MPI_Pack_external_size);
int MPI_Pack_external_size(const char datarep[], int incount, MPI_Datatype datatype, MPI_Aint *size)
{
    return external_size(__func__, datarep, incount, datatype, size);
}

MEND_API(MPI_Pack_external_size_c);
int MPI_Pack_external_size_c(const char datarep[], MPI_Count incount, MPI_Datatype datatype,
                             MPI_Count *size)
{
    return external_size(__func__, datarep, incount, datatype, size);
}

/* --------------------------------------------------------------------------
 * Elements in a status
 * -------------------------------------------------------------------------- */

/* Whole copies of the type, MPI_UNDEFINED if the last one is not whole.  A type of no bytes is
 * received 0 times (MPI-5.0 3.2.5). */
static MPI_Count whole_copies(const struct mend_type *t, MPI_Count bytes)
{
    if (t->size == 0)
        return bytes == 0 ? 0 : MPI_UNDEFINED;
    return bytes % t->size == 0 ? bytes / t->size : MPI_UNDEFINED;
}

static int get_number(const char *fn, const MPI_Status *status, MPI_Datatype datatype,
                      bool elements, const void *result, MPI_Count *number_p)
{
    const struct mend_type *t = NULL;
    int err = mend_enter(fn);

    if (!err && (status == MPI_STATUS_IGNORE || !result))
        err = MPI_ERR_ARG;
    if (!err)
        err = mend_check_type(datatype, &t);
    if (!err) {
        MPI_Count bytes = mend_status_bytes(status);

        *number_p = elements ? mend_signature_elements(t, bytes) : whole_copies(t, bytes);
    }
    return mend_report(err, fn);
}

MEND_API(MPI_Get_count);
int MPI_Get_count(const MPI_Status *status, MPI_Datatype datatype, int *count)
{
    MPI_Count n = 0;
    int err = get_number(__func__, status, datatype, false, count, &n);

    if (!err)
        *count = narrow(n);
    return err;
}

MEND_API(MPI_Get_count_c);
int MPI_Get_count_c(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count)
{
    return get_number(__func__, status, datatype, false, count, count);
}

MEND_API(MPI_Get_elements);
int MPI_Get_elements(const MPI_Status *status, MPI_Datatype datatype, int *count)
{
    MPI_Count n = 0;
    int err = get_number(__func__, status, datatype, true, count, &n);

    if (!err)
        *count = narrow(n);
    return err;
}

MEND_API(MPI_Get_elements_c);
int MPI_Get_elements_c(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count)
{
    return get_number(__func__, status, datatype, true, count, count);
}

MEND_API(MPI_Get_elements_x);
int MPI_Get_elements_x(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count)
{
    return get_number(__func__, status, datatype, true, count, count);
}

/* MPI-5.0 13.3: for generalized requests; source, tag and error stay. */
static int set_elements(const char *fn, MPI_Status *status, MPI_Datatype datatype, MPI_Count count)
{
    const struct mend_type *t = NULL;
    MPI_Count bytes = 0;
    int err = mend_enter(fn);

    if (!err && status == MPI_STATUS_IGNORE)
        err = MPI_ERR_ARG;
    if (!err)
        err = mend_check_count(count);
    if (!err)
        err = mend_check_type(datatype, &t);
    if (!err)
        bytes = mend_signature_bytes(t, count);
    if (!err && bytes < 0)
        err = MPI_ERR_COUNT;
    if (!err)
        mend_status_set(status, status->MPI_SOURCE, status->MPI_TAG, bytes,
                        mend_status_cancelled(status));
    return mend_report(err, fn);
}

MEND_API(MPI_Status_set_elements);
int MPI_Status_set_elements(MPI_Status *status, MPI_Datatype datatype, int count)
{
    return set_elements(__func__, status, datatype, count);
}

MEND_API(MPI_Status_set_elements_c);
int MPI_Status_set_elements_c(MPI_Status *status, MPI_Datatype datatype, MPI_Count count)
{
    return set_elements(__func__, status, datatype, count);
}

MEND_API(MPI_Status_set_elements_x);
int MPI_Status_set_elements_x(MPI_Status *status, MPI_Datatype datatype, MPI_Count count)
{
    return set_elements(__func__, status, datatype, count);
}

/* --------------------------------------------------------------------------
 * Addresses
 * -------------------------------------------------------------------------- */

MEND_API(MPI_Get_address);
int MPI_Get_address(const void *location, MPI_Aint *address)
{
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_pointer(address);
    if (!err)
        *address = (MPI_Aint)(intptr_t)location;
    return mend_report(err, __func__);
}

/* Any numbers will do, at any time: there is nothing to check. */
MEND_API(MPI_Aint_add);
MPI_Aint MPI_Aint_add(MPI_Aint base, MPI_Aint disp)
{
    return (MPI_Aint)((uintptr_t)base + (uintptr_t)disp);
}

MEND_API(MPI_Aint_diff);
MPI_Aint MPI_Aint_diff(MPI_Aint addr1, MPI_Aint addr2)
{
    return (MPI_Aint)((uintptr_t)addr1 - (uintptr_t)addr2);
}
