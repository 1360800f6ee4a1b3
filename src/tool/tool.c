/* SPDX-License-Identifier: BSD-3-Clause */
/* tool.c – begin and end of the interface, objects behind handles, texts and enumerations. */
#include "tool/event.h"

#include "proc/detour.h"

#include <string.h>

const struct mend_tool_enum mend_tool_enums[] = {
#define MEND_ENUM(id_, name_, words_) {name_, words_},
#include "tool/enum.def"
#undef MEND_ENUM
};

static bool is_level(int level)
{
    return level == MPI_THREAD_SINGLE || level == MPI_THREAD_FUNNELED ||
           level == MPI_THREAD_SERIALIZED || level == MPI_THREAD_MULTIPLE;
}

static struct mend_tool *make(struct mend_proc *self)
{
    const struct mend_param_info *bad;
    struct mend_tool *t = mend_zalloc(self, 1, sizeof(*t));

    if (!t)
        return NULL;
    t->self = self;
    mend_hash_init(&t->objects, self->arena);
    mend_list_init(&t->registrations);
    mend_list_init(&t->queue);
    if (self->state == MEND_PROC_BARE)
        mend_params_read(&self->params, &bad); /* MPI_Init reports a bad one */
    return t;
}

/* MPI that runs without threads takes no lock, and cannot begin to in the middle of a call. */
static int level_of(const struct mend_proc *self, int required)
{
    bool unlocked = self->state == MEND_PROC_STARTING || self->state == MEND_PROC_RUNNING;

    return required == MPI_THREAD_MULTIPLE && unlocked && !mend_proc_has_threads(self)
               ? MPI_THREAD_SERIALIZED
               : required;
}

int mend_tool_open(struct mend_proc *self, int required, int *provided_p)
{
    if (!is_level(required))
        return MPI_T_ERR_INVALID;
    if (!self->tool && !(self->tool = make(self)))
        return MPI_T_ERR_MEMORY;
    if (!self->tool->inits_n++)
        self->tool->thread_level = MPI_THREAD_SINGLE;
    required = level_of(self, required);
    if (required > self->tool->thread_level)
        self->tool->thread_level = required;
    self->tool_threads |= required == MPI_THREAD_MULTIPLE;
    *provided_p = required;
    return MPI_SUCCESS;
}

void mend_tool_close(struct mend_tool *t)
{
    if (--t->inits_n == 0 && !t->telling)
        mend_tool_end(t);
}

void mend_tool_end(struct mend_tool *t)
{
    uint32_t at = 0;
    uint64_t key;
    void *object;

    mend_tool_unregister_all(t);
    t->timers_n = 0;
    t->self->wait_times = NULL;
    while (mend_hash_next(&t->objects, &at, &key, &object))
        mend_free(t->self, object);
    mend_hash_fini(&t->objects);
    mend_hash_init(&t->objects, t->self->arena);
}

void *mend_tool_new(struct mend_tool *t, enum mend_tool_kind kind, size_t size)
{
    struct mend_tool_object *o = mend_zalloc(t->self, 1, size);

    if (!o)
        return NULL;
    o->kind = kind;
    if (mend_hash_put(&t->objects, (uintptr_t)o, o) == MEND_OK)
        return o;
    mend_free(t->self, o);
    return NULL;
}

void mend_tool_drop(struct mend_tool *t, void *object)
{
    mend_hash_remove(&t->objects, (uintptr_t)object);
    mend_free(t->self, object);
}

void *mend_tool_find(const struct mend_tool *t, const void *handle, enum mend_tool_kind kind)
{
    struct mend_tool_object *o = handle ? mend_hash_get(&t->objects, (uintptr_t)handle) : NULL;

    return o && o->kind == kind ? o : NULL;
}

void mend_tool_text(const char *text, char *buf, int *len)
{
    size_t n = strlen(text) + 1;

    if (!len)
        return;
    if (buf && *len > 0) {
        n = n < (size_t)*len ? n : (size_t)*len;
        memcpy(buf, text, n - 1);
        buf[n - 1] = 0;
    }
    *len = (int)n;
}

static const char *word_at(const struct mend_tool_enum *e, int i)
{
    const char *w = e->words;

    for (; i > 0 && *w; i--)
        w += strcspn(w, " "), w += *w == ' ';
    return w;
}

int mend_tool_enum_n(const struct mend_tool_enum *e)
{
    int n = 0;

    while (*word_at(e, n))
        n++;
    return n;
}

void mend_tool_enum_word(const struct mend_tool_enum *e, int i, char *buf)
{
    const char *w = word_at(e, i);
    size_t n = strcspn(w, " ");

    MEND_ASSERT(n && n < MEND_TOOL_WORD_BYTES);
    memcpy(buf, w, n);
    buf[n] = 0;
}

const struct mend_tool_enum *mend_tool_enum_of(MPI_T_enum handle)
{
    for (int i = 0; i < MEND_ENUMS; i++)
        if (handle == mend_tool_enum_handle(&mend_tool_enums[i]))
            return &mend_tool_enums[i];
    return NULL;
}
