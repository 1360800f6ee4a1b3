/* SPDX-License-Identifier: BSD-3-Clause */
/* types.c – names of types, and predefined types that are made on request. */
#include "datatype/types.h"
#include "datatype/envelope.h"
#include "datatype/init.h"
#include "datatype/layout.h"
#include "datatype/op_table.h"
#include "datatype/predefined.h"
#include "datatype/wide.h"

#include <string.h>

/* A predefined type without a handle of the ABI; lives as long as the process. */
struct unnamed {
    struct mend_list link;
    struct mend_type *type;
};

struct mend_types {
    struct mend_list unnamed;
    char *names[MEND_TYPE_SLOTS]; /* that the user gave, by handle - MEND_TYPE_FIRST */
};

int mend_type_init(struct mend_proc *self)
{
    if (self->types)
        return MPI_SUCCESS;
    self->types = mend_zalloc(self, 1, sizeof(*self->types));
    if (!self->types)
        return MPI_ERR_NO_MEM;
    mend_list_init(&self->types->unnamed);
    return MPI_SUCCESS;
}

/* --------------------------------------------------------------------------
 * Names
 * -------------------------------------------------------------------------- */

static size_t slot_of(const struct mend_type *t)
{
    return mend_predefined_row(t)->handle - MEND_TYPE_FIRST;
}

const char *mend_type_name(const struct mend_proc *self, const struct mend_type *t)
{
    const char *name;

    if (!mend_type_is_named(t))
        return t->name ? t->name : "";
    name = self->types ? self->types->names[slot_of(t)] : NULL;
    return name ? name : mend_predefined_row(t)->name;
}

int mend_type_set_name(struct mend_proc *self, const struct mend_type *t, const char *name)
{
    size_t len = strnlen(name, MPI_MAX_OBJECT_NAME - 1);
    char **place, *copy;

    if (mend_type_init(self))
        return MPI_ERR_NO_MEM;
    copy = mend_alloc(self, len + 1);
    if (!copy)
        return MPI_ERR_NO_MEM;
    memcpy(copy, name, len);
    copy[len] = '\0';
    place =
        mend_type_is_named(t) ? &self->types->names[slot_of(t)] : &((struct mend_type *)t)->name;
    mend_free(self, *place);
    *place = copy;
    return MPI_SUCCESS;
}

/* --------------------------------------------------------------------------
 * Predefined types on request
 * -------------------------------------------------------------------------- */

/* Numbers that a type can hold: p decimal digits, powers of ten up to r. */
struct range {
    int p, r;
    uintptr_t real, complex; /* handles; 0: not here */
};

/* The smallest comes first; what has a handle but no row in the table is passed over. */
static const struct range reals[] = {
    {6, 37, 0x2d2, 0x2db},
    {15, 307, 0x2da, 0x2e3},
#if LDBL_MANT_DIG == 64
    {18, 4931, 0x220, 0x224}, /* kind 10 of Fortran compilers for this processor */
#endif
    {33, 4931, 0x2e2, 0x2eb},
};

static const struct range integers[] = {
    {0, 2, 0x2c1, 0}, {0, 4, 0x2c9, 0}, {0, 9, 0x2d1, 0}, {0, 18, 0x2d9, 0}, {0, 38, 0x2e1, 0},
};

/* The type that holds what is asked for; MPI_UNDEFINED asks for nothing. */
static const struct mend_type *smallest(const struct range *ranges, size_t n, int combiner, int p,
                                        int r)
{
    for (size_t i = 0; i < n; i++) {
        uintptr_t handle =
            combiner == MPI_COMBINER_F90_COMPLEX ? ranges[i].complex : ranges[i].real;
        const struct mend_type *t = mend_type_predefined(handle);

        if (t && p <= ranges[i].p && r <= ranges[i].r)
            return t;
    }
    return NULL;
}

/* Calls of one combiner are told apart by two things: its numbers, or its types. */
struct key {
    int combiner;
    MPI_Count values[2];
    const struct mend_type *types[2];
};

static bool has_key(const struct mend_envelope *e, const struct key *key)
{
    if (e->combiner != key->combiner)
        return false;
    for (MPI_Count i = 0; i < e->values_n; i++) {
        if (e->values[i] != key->values[i])
            return false;
    }
    return e->types_n == 0 || (e->types[0] == key->types[0] && e->types[1] == key->types[1]);
}

/* The unnamed type that was made by the same call, if there is one. */
static const struct mend_type *find(const struct mend_types *types, const struct key *key)
{
    mend_list_foreach (pos, tmp, &types->unnamed) {
        const struct mend_type *t = mend_list_entry(pos, struct unnamed, link)->type;

        if (has_key(t->envelope, key))
            return t;
    }
    return NULL;
}

/* Enters a type into the list, from where it never goes.  Takes the type over. */
static int enter(struct mend_proc *self, struct mend_type *t)
{
    struct unnamed *u = mend_alloc(self, sizeof(*u));
    int err = u ? mend_type_commit(self, t) : MPI_ERR_NO_MEM;

    if (err) {
        mend_free(self, u);
        mend_type_put(self, t);
        return err;
    }
    t->predefined = true;
    u->type = t;
    mend_list_append(&self->types->unnamed, &u->link);
    return MPI_SUCCESS;
}

/* A type that is equal to its leaf, but remembers what was asked for. */
static int make_f90(struct mend_proc *self, const struct key *key, int values_n,
                    const struct mend_type *leaf, const struct mend_type **t_p)
{
    struct mend_type *t = mend_type_draft(self, key->combiner, false, values_n, 0);
    int err;

    if (!t)
        return MPI_ERR_NO_MEM;
    memcpy(t->envelope->values, key->values, (size_t)values_n * sizeof(*key->values));
    t->size = leaf->size;
    t->extent = leaf->extent;
    t->true_extent = leaf->true_extent;
    t->basic = leaf->basic;
    t->envelope->leaf = leaf;
    t->envelope->elements = 1;
    t->envelope->align = mend_type_facts(leaf).align;
    err = enter(self, t);
    if (!err)
        *t_p = t;
    return err;
}

int mend_type_f90(struct mend_proc *self, int combiner, int p, int r, const struct mend_type **t_p)
{
    bool integer = combiner == MPI_COMBINER_F90_INTEGER;
    struct key key = {.combiner = combiner, .values = {integer ? r : p, r}};
    const struct mend_type *leaf = integer
                                       ? smallest(integers, MEND_COUNT_OF(integers), combiner, 0, r)
                                       : smallest(reals, MEND_COUNT_OF(reals), combiner, p, r);
    const struct mend_type *t;

    if (!leaf || (p == MPI_UNDEFINED && r == MPI_UNDEFINED) || (p < 0 && p != MPI_UNDEFINED) ||
        (r < 0 && r != MPI_UNDEFINED) || (integer && r == MPI_UNDEFINED))
        return MPI_ERR_ARG;
    if (mend_type_init(self))
        return MPI_ERR_NO_MEM;
    t = find(self->types, &key);
    if (!t)
        return make_f90(self, &key, integer ? 1 : 2, leaf, t_p);
    *t_p = t;
    return MPI_SUCCESS;
}

int mend_type_match(int typeclass, int size_bytes, const struct mend_type **t_p)
{
    static const struct {
        int typeclass;
        uint16_t handles[6]; /* one of them has the right size */
    } classes[] = {
        {MPIX_TYPECLASS_LOGICAL, {0x2c0, 0x2c8, 0x2d0, 0x2d8, 0x2e0}},
        {MPI_TYPECLASS_INTEGER, {0x2c1, 0x2c9, 0x2d1, 0x2d9, 0x2e1}},
        {MPI_TYPECLASS_REAL, {0x2ca, 0x2d2, 0x2da, 0x2e2}},
        {MPI_TYPECLASS_COMPLEX, {0x2d3, 0x2db, 0x2e3, 0x2eb}},
    };

    for (size_t i = 0; i < MEND_COUNT_OF(classes); i++) {
        for (size_t j = 0; classes[i].typeclass == typeclass && classes[i].handles[j]; j++) {
            const struct mend_type *t = mend_type_predefined(classes[i].handles[j]);

            if (t && t->size == size_bytes) {
                *t_p = t;
                return MPI_SUCCESS;
            }
        }
    }
    return MPI_ERR_ARG;
}

/* The pair of the table with these members. */
static const struct mend_type *named_pair(const struct mend_type *value,
                                          const struct mend_type *index)
{
    const struct mend_type *members[2];

    for (uintptr_t handle = MEND_TYPE_FIRST; handle <= MEND_TYPE_LAST; handle++) {
        const struct mend_type *t = mend_type_predefined(handle);

        if (t && mend_type_pair(t, members) && members[0] == value && members[1] == index)
            return t;
    }
    return NULL;
}

/* What may be an index, except Fortran's named pairs (MPI-5.0 6.9.4). */
static bool is_integer(const struct mend_type *t)
{
    return t->predefined && t->basic >= MEND_BASIC_I8 && t->basic <= MEND_BASIC_U64;
}

int mend_type_value_index(struct mend_proc *self, const struct mend_type *value,
                          const struct mend_type *index, const struct mend_type **t_p)
{
    struct key key = {.combiner = MPI_COMBINER_VALUE_INDEX, .types = {value, index}};
    const struct mend_type *old;
    struct mend_type *t;
    int err;

    *t_p = named_pair(value, index);
    if (*t_p || !value->predefined || !is_integer(index) ||
        !mend_op_loc_find(MEND_OP_MINLOC, value->basic, index->basic))
        return MPI_SUCCESS;
    if (mend_type_init(self))
        return MPI_ERR_NO_MEM;
    old = find(self->types, &key);
    if (old) {
        *t_p = old;
        return MPI_SUCCESS;
    }
    t = mend_type_draft(self, MPI_COMBINER_VALUE_INDEX, false, 0, 2);
    if (!t)
        return MPI_ERR_NO_MEM;
    t->envelope->types[0] = value;
    t->envelope->types[1] = index;
    err = mend_type_build(self, t);
    if (err)
        return err;
    t->basic = MEND_BASIC_NONE; /* also where both members are of one type */
    err = enter(self, t);
    if (!err)
        *t_p = t;
    return err;
}
