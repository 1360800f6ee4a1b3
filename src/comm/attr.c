/* SPDX-License-Identifier: BSD-3-Clause */
/* attr.c – key values and cached attributes.
 *
 *     object ── attrs ──> entry ──> entry ──> entry          in the order of setting
 *                           │         │         │
 *                           └─────> keyval <────┘            functions, extra state
 *
 * 1. A key value lives as long as the user has not freed it or an entry uses it (`refs`).
 * 2. An entry is out of the list while its delete callback runs: a callback that comes back to the
 *    same attribute finds nothing, and nothing is deleted twice.
 * 3. Numbers of key values are never used again. */
#include "comm/attr.h"

#include "comm/errcode.h"
#include "comm/objects.h"
#include "node/node.h"

struct mend_keyval {
    int number, refs; /* refs: the user's handle and the entries */
    bool freed;
    enum mend_attr_kind kind;
    struct mend_keyval_fns fns;
};

struct entry {
    struct mend_list link;
    struct mend_keyval *key;
    void *value;
};

struct mend_attrs {
    struct mend_list entries;
};

#define COPY_NEVER ((uintptr_t)MPI_COMM_NULL_COPY_FN)
#define COPY_VALUE ((uintptr_t)MPI_COMM_DUP_FN)

static struct mend_keyval *find_keyval(struct mend_proc *self, enum mend_attr_kind kind, int number)
{
    struct mend_keyval *k = mend_hash_get(&self->objects->keyvals, (uint64_t)number);

    return k && k->kind == kind ? k : NULL;
}

static void put_keyval(struct mend_proc *self, struct mend_keyval *k)
{
    if (--k->refs > 0)
        return;
    mend_hash_remove(&self->objects->keyvals, (uint64_t)k->number);
    mend_free(self, k);
}

int mend_keyval_create(struct mend_proc *self, enum mend_attr_kind kind,
                       const struct mend_keyval_fns *fns, int *keyval_p)
{
    struct mend_objects *o = self->objects;
    struct mend_keyval *k = mend_alloc(self, sizeof(*k));

    if (!k)
        return MPI_ERR_NO_MEM;
    *k = (struct mend_keyval){.number = o->keyval_next, .refs = 1, .kind = kind, .fns = *fns};
    if (mend_hash_put(&o->keyvals, (uint64_t)k->number, k) != MEND_OK) {
        mend_free(self, k);
        return MPI_ERR_NO_MEM;
    }
    o->keyval_next++;
    *keyval_p = k->number;
    return MPI_SUCCESS;
}

int mend_keyval_free(struct mend_proc *self, enum mend_attr_kind kind, int keyval)
{
    struct mend_keyval *k = find_keyval(self, kind, keyval);

    if (!k)
        return MPI_ERR_KEYVAL;
    if (k->freed) /* entries use it; their callbacks may free it once more (MPI-5.0 7.7.2) */
        return MPI_SUCCESS;
    k->freed = true;
    put_keyval(self, k);
    return MPI_SUCCESS;
}

/* What a callback said, as an error code that MPI_Error_class understands. */
static int answer(struct mend_proc *self, int said)
{
    int class;

    return mend_errcode_class(self, said, &class) ? MPI_ERR_OTHER : said;
}

static int call_copy(struct mend_proc *self, const struct mend_keyval *k, void *handle, void *value,
                     void **copy_p, int *flag_p)
{
    const struct mend_keyval_fns f = k->fns;
    enum mend_attr_kind kind = k->kind;
    int number = k->number, err = MPI_SUCCESS;
    const char *call = self->call;

    mend_unlock(self);
    switch (kind) {
    case MEND_ATTR_COMM:
        err = f.comm_copy(handle, number, f.extra_state, value, copy_p, flag_p);
        break;
    case MEND_ATTR_TYPE:
        err = f.type_copy(handle, number, f.extra_state, value, copy_p, flag_p);
        break;
    case MEND_ATTR_WIN:
        err = f.win_copy(handle, number, f.extra_state, value, copy_p, flag_p);
        break;
    }
    mend_lock(self);
    self->call = call; /* what the callback has called is over */
    return err ? answer(self, err) : MPI_SUCCESS;
}

static int call_delete(struct mend_proc *self, const struct mend_keyval *k, void *handle,
                       void *value)
{
    const struct mend_keyval_fns f = k->fns;
    enum mend_attr_kind kind = k->kind;
    int number = k->number, err = MPI_SUCCESS;
    const char *call = self->call;

    if (f.comm_delete == MPI_COMM_NULL_DELETE_FN)
        return MPI_SUCCESS;
    mend_unlock(self);
    switch (kind) {
    case MEND_ATTR_COMM:
        err = f.comm_delete(handle, number, value, f.extra_state);
        break;
    case MEND_ATTR_TYPE:
        err = f.type_delete(handle, number, value, f.extra_state);
        break;
    case MEND_ATTR_WIN:
        err = f.win_delete(handle, number, value, f.extra_state);
        break;
    }
    mend_lock(self);
    self->call = call; /* what the callback has called is over */
    return err ? answer(self, err) : MPI_SUCCESS;
}

static struct entry *find_entry(const struct mend_attrs *attrs, int keyval)
{
    if (!attrs)
        return NULL;
    mend_list_foreach (l, next, &attrs->entries) {
        struct entry *e = mend_list_entry(l, struct entry, link);

        if (e->key->number == keyval)
            return e;
    }
    return NULL;
}

/* Takes a new entry into the list; makes the list on first need. */
static int append(struct mend_proc *self, struct mend_attrs **attrs, struct mend_keyval *k,
                  void *value)
{
    struct entry *e = mend_alloc(self, sizeof(*e));

    if (!e)
        return MPI_ERR_NO_MEM;
    if (!*attrs) {
        *attrs = mend_alloc(self, sizeof(**attrs));
        if (!*attrs) {
            mend_free(self, e);
            return MPI_ERR_NO_MEM;
        }
        mend_list_init(&(*attrs)->entries);
    }
    k->refs++;
    *e = (struct entry){.key = k, .value = value};
    mend_list_append(&(*attrs)->entries, &e->link);
    return MPI_SUCCESS;
}

/* Deletes one entry of the list; it comes back to the end of it if the callback refuses. */
static int delete_entry(struct mend_proc *self, struct mend_attrs *attrs, void *handle,
                        struct entry *e)
{
    int err;

    mend_list_remove(&e->link);
    err = call_delete(self, e->key, handle, e->value);
    if (err) {
        mend_list_append(&attrs->entries, &e->link);
        return err;
    }
    put_keyval(self, e->key);
    mend_free(self, e);
    return MPI_SUCCESS;
}

int mend_attr_set(struct mend_proc *self, enum mend_attr_kind kind, struct mend_attrs **attrs,
                  void *handle, int keyval, void *value)
{
    struct mend_keyval *k = find_keyval(self, kind, keyval);
    struct entry *old;
    int err;

    if (!k || k->freed)
        return MPI_ERR_KEYVAL;
    while ((old = find_entry(*attrs, keyval))) {
        err = delete_entry(self, *attrs, handle, old);
        if (err)
            return err;
    }
    k = find_keyval(self, kind, keyval); /* the callback may have freed the last of it */
    return k ? append(self, attrs, k, value) : MPI_ERR_KEYVAL;
}

int mend_attr_get(struct mend_proc *self, enum mend_attr_kind kind, const struct mend_attrs *attrs,
                  int keyval, void **value_p, bool *found_p)
{
    struct entry *e;

    if (!find_keyval(self, kind, keyval))
        return MPI_ERR_KEYVAL;
    e = find_entry(attrs, keyval);
    if (e)
        *value_p = e->value;
    *found_p = e != NULL;
    return MPI_SUCCESS;
}

int mend_attr_delete(struct mend_proc *self, enum mend_attr_kind kind, struct mend_attrs **attrs,
                     void *handle, int keyval)
{
    struct entry *e;

    if (!find_keyval(self, kind, keyval))
        return MPI_ERR_KEYVAL;
    e = find_entry(*attrs, keyval);
    return e ? delete_entry(self, *attrs, handle, e) : MPI_SUCCESS;
}

struct mend_attrs **mend_attr_of_type(struct mend_proc *self, const struct mend_type *t)
{
    struct mend_hash *table = &self->objects->type_attrs;
    struct mend_attrs **slot;

    if (!t->predefined)
        return &((struct mend_type *)t)->attrs;
    slot = mend_hash_get(table, (uint64_t)(uintptr_t)t);
    if (slot)
        return slot;
    slot = mend_zalloc(self, 1, sizeof(*slot));
    if (slot && mend_hash_put(table, (uint64_t)(uintptr_t)t, slot) != MEND_OK) {
        mend_free(self, slot);
        return NULL;
    }
    return slot;
}

/* One number for all nodes' clocks only where there is one node (Wtime is the monotonic clock). */
static void fill_values(struct mend_proc *self)
{
    struct mend_attr_values *v = &self->objects->values;

    v->tag_ub = INT32_MAX;
    v->io = MPI_ANY_SOURCE; /* every process can do input and output */
    v->host = MPI_PROC_NULL;
    v->wtime_is_global = mend_node_holds_all(self) || self->peers_n == 1;
    v->universe_size = self->universe_n ? self->universe_n : self->peers_max;
    v->ft = 1;
}

const int *mend_attr_predefined(struct mend_proc *self, int keyval)
{
    struct mend_attr_values *v = &self->objects->values;

    fill_values(self);
    switch (keyval) {
    case MPI_TAG_UB:
        return &v->tag_ub;
    case MPI_IO:
        return &v->io;
    case MPI_HOST:
        return &v->host;
    case MPI_WTIME_IS_GLOBAL:
        return &v->wtime_is_global;
    case MPI_APPNUM:
        return v->appnum_known ? &v->appnum : NULL;
    case MPI_UNIVERSE_SIZE:
        return &v->universe_size;
    case MPI_LASTUSEDCODE:
        return &v->last_used_code;
    case MPI_FT:
        return &v->ft;
    default:
        return NULL;
    }
}

/* One attribute of an object that is being duplicated. */
static int copy_one(struct mend_proc *self, struct mend_keyval *k, void *from_handle, void *value,
                    struct mend_attrs **to)
{
    uintptr_t how = (uintptr_t)k->fns.comm_copy;
    void *copy = value;
    int flag = 1, err = MPI_SUCCESS;

    if (how == COPY_NEVER)
        return MPI_SUCCESS;
    if (how != COPY_VALUE) {
        copy = NULL;
        flag = 0;
        err = call_copy(self, k, from_handle, value, &copy, &flag);
    }
    if (err || !flag)
        return err;
    mend_memory_press(self); /* the program has made the copy */
    err = append(self, to, k, copy);
    mend_memory_relax(self);
    return err;
}

/* Callbacks may change the list that they are called for: they are called from a copy of it. */
int mend_attrs_copy(struct mend_proc *self, const struct mend_attrs *from, void *from_handle,
                    struct mend_attrs **to)
{
    struct entry *all;
    int n = 0, at = 0, err = MPI_SUCCESS;

    if (!from)
        return MPI_SUCCESS;
    mend_list_foreach (l, next, &from->entries)
        n++;
    all = mend_alloc_for_others(self, (size_t)n * sizeof(*all));
    if (!all)
        return MPI_ERR_NO_MEM;
    mend_list_foreach (l, next, &from->entries) {
        all[at] = *mend_list_entry(l, struct entry, link);
        all[at++].key->refs++;
    }
    for (int i = 0; i < n; i++) {
        if (!err)
            err = copy_one(self, all[i].key, from_handle, all[i].value, to);
        put_keyval(self, all[i].key);
    }
    mend_free(self, all);
    return err;
}

int mend_attrs_delete_all(struct mend_proc *self, struct mend_attrs **attrs, void *handle)
{
    while (*attrs && !mend_list_empty(&(*attrs)->entries)) {
        struct entry *last = mend_list_entry((*attrs)->entries.prev, struct entry, link);
        int err = delete_entry(self, *attrs, handle, last);

        if (err)
            return err;
    }
    mend_free(self, *attrs);
    *attrs = NULL;
    return MPI_SUCCESS;
}

void mend_attrs_drop_all(struct mend_proc *self, struct mend_attrs **attrs)
{
    while (*attrs && !mend_list_empty(&(*attrs)->entries)) {
        struct entry *last = mend_list_entry((*attrs)->entries.prev, struct entry, link);

        mend_list_remove(&last->link);
        put_keyval(self, last->key);
        mend_free(self, last);
    }
    mend_free(self, *attrs);
    *attrs = NULL;
}
