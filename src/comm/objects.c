/* SPDX-License-Identifier: BSD-3-Clause */
/* objects.c – the predefined objects, and the tables of the others. */
#include "comm/objects.h"

#include "comm/attr.h"
#include "comm/errcode.h"

#include <stdlib.h>
#include <string.h>

static struct mend_errhandler predefined(int kind)
{
    return (struct mend_errhandler){.magic = MEND_ERRHANDLER_MAGIC,
                                    .refs = 1,
                                    .kind = kind,
                                    .object = MEND_ERRH_OF_ANY,
                                    .comm_fn = NULL};
}

/* The runtime takes its variables out of the environment when it opens; this is before. */
static void read_appnum(struct mend_attr_values *v)
{
    const char *text = getenv("MEND_APPNUM");

    v->appnum_known = text != NULL;
    v->appnum = text ? atoi(text) : 0;
}

int mend_objects_init(struct mend_proc *self)
{
    struct mend_objects *o;

    if (self->objects)
        return MPI_SUCCESS;
    o = mend_zalloc(self, 1, sizeof(*o));
    if (!o)
        return MPI_ERR_NO_MEM;
    o->empty = (struct mend_group){.magic = MEND_GROUP_MAGIC, .refs = 1, .stride = 1};
    o->fatal = predefined(MEND_ERRH_FATAL);
    o->abort = predefined(MEND_ERRH_ABORT);
    o->return_code = predefined(MEND_ERRH_RETURN);
    o->no_file = &o->return_code; /* MPI-5.0 14.7 */
    mend_hash_init(&o->keyvals, self->arena);
    mend_hash_init(&o->type_attrs, self->arena);
    mend_hash_init(&o->codes, self->arena);
    mend_hash_init(&o->numbers, self->arena);
    o->keyval_next = MEND_KEYVAL_FIRST;
    o->values.last_used_code = MEND_ERRCODE_LAST;
    read_appnum(&o->values);
    self->objects = o;
    return MPI_SUCCESS;
}

char *mend_strdup(struct mend_proc *self, const char *text, size_t max)
{
    size_t n = strnlen(text, max - 1);
    char *copy = mend_alloc(self, n + 1);

    if (copy) {
        memcpy(copy, text, n);
        copy[n] = '\0';
    }
    return copy;
}
