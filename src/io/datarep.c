/* SPDX-License-Identifier: BSD-3-Clause */
/* datarep.c – the known representations, sizes in them, and conversion. */
#include "io/datarep.h"

#include "comm/objects.h"
#include "datatype/envelope.h"
#include "datatype/external32.h"
#include "datatype/layout.h"
#include "datatype/predefined.h"
#include "datatype/signature.h"
#include "proc/proc.h"

#include <limits.h>
#include <string.h>

static const struct mend_datarep known[] = {
    {.name = "native", .kind = MEND_DATAREP_NATIVE},
    {.name = "internal", .kind = MEND_DATAREP_NATIVE},
    {.name = "external32", .kind = MEND_DATAREP_EXTERNAL32},
};

const struct mend_datarep *mend_datarep_find(const struct mend_proc *self, const char *name)
{
    for (unsigned k = 0; k < MEND_COUNT_OF(known); k++)
        if (!strcmp(name, known[k].name))
            return &known[k];
    for (const struct mend_datarep *r = self->datareps; r; r = r->next)
        if (!strcmp(name, r->name))
            return r;
    return NULL;
}

int mend_datarep_register(struct mend_proc *self, const struct mend_datarep *rep)
{
    struct mend_datarep *r;

    if (mend_datarep_find(self, rep->name))
        return MPI_ERR_DUP_DATAREP;
    r = mend_zalloc(self, 1, sizeof(*r));
    if (!r)
        return MPI_ERR_NO_MEM;
    *r = *rep;
    r->name = mend_strdup(self, rep->name, MPI_MAX_DATAREP_STRING);
    if (!r->name) {
        mend_free(self, r);
        return MPI_ERR_NO_MEM;
    }
    r->next = self->datareps;
    self->datareps = r;
    return MPI_SUCCESS;
}

/* ---- sizes ---- */

/* A function of the program runs in the middle of a call, as one that reduces does. */
static int call_extent(const struct mend_datarep *rep, const struct mend_type *leaf,
                       MPI_Aint *bytes_p)
{
    bool outer = mend_self->reducing;
    int err;

    mend_self->reducing = true;
    err = rep->extent(mend_type_handle(leaf), bytes_p, rep->extra);
    mend_self->reducing = outer;
    return err || *bytes_p < 0 ? MPI_ERR_CONVERSION : MPI_SUCCESS;
}

struct sum {
    const struct mend_datarep *rep;
    MPI_Count bytes;
    int err;
};

static bool add_size(void *arg, const struct mend_type *leaf, MPI_Count n)
{
    struct sum *s = arg;
    MPI_Aint each = -1;
    MPI_Count bytes;

    s->err = call_extent(s->rep, leaf, &each);
    if (!s->err && (__builtin_mul_overflow(n, each, &bytes) ||
                    __builtin_add_overflow(s->bytes, bytes, &s->bytes)))
        s->err = MPI_ERR_COUNT;
    return !s->err;
}

int mend_datarep_bytes(const struct mend_datarep *rep, const struct mend_type *t, MPI_Count count,
                       MPI_Count *bytes_p)
{
    struct sum s = {.rep = rep};

    if (rep->kind == MEND_DATAREP_NATIVE)
        s.bytes = t->size;
    else if (rep->kind == MEND_DATAREP_EXTERNAL32)
        s.bytes = mend_external_size(t, 1);
    else
        mend_signature_walk(t, 1, add_size, &s);
    if (!s.err && (s.bytes < 0 || __builtin_mul_overflow(s.bytes, count, bytes_p)))
        s.err = MPI_ERR_COUNT;
    return s.err;
}

/* ---- types in the file ---- */

static int build(struct mend_proc *self, struct mend_type *draft, const struct mend_type **t_p)
{
    int err = mend_type_build(self, draft);

    if (!err)
        *t_p = draft;
    return err;
}

/* A type without parts: as many bytes as it has in the file. */
static int make_bytes(struct mend_proc *self, const struct mend_datarep *rep,
                      const struct mend_type *t, const struct mend_type **in_file_p)
{
    struct mend_type *draft;
    MPI_Count bytes;
    int err = mend_datarep_bytes(rep, t, 1, &bytes);

    if (err)
        return err;
    draft = mend_type_draft(self, MPI_COMBINER_CONTIGUOUS, true, 1, 1);
    if (!draft)
        return MPI_ERR_NO_MEM;
    draft->envelope->values[0] = bytes;
    draft->envelope->types[0] = mend_type_predefined((uintptr_t)MPI_BYTE);
    return build(self, draft, in_file_p);
}

static int make_type(struct mend_proc *self, const struct mend_datarep *rep,
                     const struct mend_type *t, const struct mend_type **in_file_p);

/* With these parts in place of its own, to which it takes references. */
static int build_alike(struct mend_proc *self, const struct mend_envelope *e,
                       const struct mend_type **parts, const struct mend_type **in_file_p)
{
    struct mend_type *draft = mend_type_draft(self, e->combiner, true, e->values_n, e->types_n);

    if (!draft)
        return MPI_ERR_NO_MEM;
    memcpy(draft->envelope->values, e->values, (size_t)e->values_n * sizeof(*e->values));
    memcpy(draft->envelope->types, parts, (size_t)e->types_n * sizeof(*parts));
    return build(self, draft, in_file_p);
}

/* The same construction, of the parts' types in the file. */
static int make_alike(struct mend_proc *self, const struct mend_datarep *rep,
                      const struct mend_type *t, const struct mend_type **in_file_p)
{
    const struct mend_envelope *e = t->envelope;
    const struct mend_type **parts = mend_zalloc(self, (size_t)e->types_n, sizeof(*parts));
    MPI_Count n = 0;
    int err = parts ? MPI_SUCCESS : MPI_ERR_NO_MEM;

    while (!err && n < e->types_n) {
        err = make_type(self, rep, e->types[n], &parts[n]);
        n += !err;
    }
    if (!err)
        err = build_alike(self, e, parts, in_file_p);
    for (MPI_Count i = 0; i < n; i++)
        mend_type_put(self, parts[i]);
    mend_free(self, parts);
    return err;
}

static int make_type(struct mend_proc *self, const struct mend_datarep *rep,
                     const struct mend_type *t, const struct mend_type **in_file_p)
{
    const struct mend_type *members[2];

    if (!t->envelope || !t->envelope->types_n || mend_type_pair(t, members))
        return make_bytes(self, rep, t, in_file_p);
    return make_alike(self, rep, t, in_file_p);
}

int mend_datarep_type(struct mend_proc *self, const struct mend_datarep *rep,
                      const struct mend_type *t, const struct mend_type **in_file_p)
{
    int err;

    if (rep->kind == MEND_DATAREP_NATIVE) {
        mend_type_get(t);
        *in_file_p = t;
        return MPI_SUCCESS;
    }
    err = make_type(self, rep, t, in_file_p);
    if (!err) {
        err = mend_type_commit(self, (struct mend_type *)*in_file_p);
        if (err)
            mend_type_put(self, *in_file_p);
    }
    return err;
}

/* ---- conversion ---- */

/* The elements of `count` whole datums from the `done`th on, as a function of the program sees them. */
struct part {
    void *buf;
    const struct mend_type *t;
    MPI_Count done, count; /* basic elements */
    char *raw;
};

static int convert_part(const struct mend_datarep *rep, bool read, const struct part *p)
{
    MPI_Datatype handle = mend_type_handle(p->t);
    bool outer = mend_self->reducing;
    int err;

    mend_self->reducing = true;
    if (rep->big)
        err = (read ? rep->read_c : rep->write_c)(p->buf, handle, p->count, p->raw, p->done,
                                                  rep->extra);
    else
        err = (read ? rep->read : rep->write)(p->buf, handle, (int)p->count, p->raw, p->done,
                                              rep->extra);
    mend_self->reducing = outer;
    return err ? MPI_ERR_CONVERSION : MPI_SUCCESS;
}

/* In parts of as many elements as a count of the function's width can say. */
static int convert(const struct mend_datarep *rep, bool read, const struct part *whole,
                   MPI_Count datums)
{
    MPI_Count each = mend_signature_elements(whole->t, whole->t->size), bytes;
    MPI_Count most = rep->big || !each ? datums : INT_MAX / each;
    struct part p = *whole;
    int err = mend_datarep_bytes(rep, p.t, 1, &bytes);

    if (!err && datums && !most)
        err = MPI_ERR_COUNT;
    for (MPI_Count n; !err && datums > 0; datums -= n) {
        n = datums < most ? datums : most;
        p.count = n * each;
        err = convert_part(rep, read, &p);
        p.done += p.count;
        p.raw += n * bytes;
    }
    return err;
}

/* MPI_CONVERSION_FN_NULL: as in memory. */
static int copy_native(const struct mend_datarep *rep, const struct mend_type *t, MPI_Count count)
{
    MPI_Count bytes;
    int err = mend_datarep_bytes(rep, t, count, &bytes);

    return err ? err : bytes == t->size * count ? MPI_SUCCESS : MPI_ERR_CONVERSION;
}

int mend_datarep_encode(const struct mend_datarep *rep, const struct mend_type *t, const void *buf,
                        MPI_Count count, char *raw)
{
    int err = MPI_SUCCESS;

    if (rep->kind == MEND_DATAREP_EXTERNAL32)
        mend_external_pack(t, buf, count, raw);
    else if (rep->write)
        err = convert(rep, false, &(struct part){.buf = (void *)buf, .t = t, .raw = raw}, count);
    else if (!(err = copy_native(rep, t, count)))
        mend_type_pack(t, buf, count, 0, raw, (size_t)(t->size * count));
    return err;
}

int mend_datarep_decode(const struct mend_datarep *rep, const struct mend_type *t, void *buf,
                        MPI_Count count, const char *raw)
{
    int err = MPI_SUCCESS;

    if (rep->kind == MEND_DATAREP_EXTERNAL32)
        mend_external_unpack(t, buf, count, raw);
    else if (rep->read)
        err = convert(rep, true, &(struct part){.buf = buf, .t = t, .raw = (char *)raw}, count);
    else if (!(err = copy_native(rep, t, count)))
        mend_type_unpack(t, buf, count, 0, raw, (size_t)(t->size * count));
    return err;
}
