/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_t.c – the tool information interface: begin and end, enumerations, categories (MPI-5.0 15.3.4, 15.3.5, 15.3.9). */
#include "mpi/mpi_t.h"

#include "proc/threads.h"

#include <string.h>

int mend_mpi_t_enter(struct mend_tool **t_p)
{
    struct mend_proc *self = mend_self_if_any();

    if (!self)
        return MPI_T_ERR_NOT_INITIALIZED;
    mend_count_in(self);
    pthread_mutex_lock(&self->lock);
    *t_p = self->tool;
    if (*t_p && (*t_p)->inits_n)
        return MPI_SUCCESS;
    pthread_mutex_unlock(&self->lock);
    mend_count_out(self);
    return MPI_T_ERR_NOT_INITIALIZED;
}

int mend_mpi_t_leave(struct mend_tool *t, int err)
{
    struct mend_proc *self = t->self;

    pthread_mutex_unlock(&self->lock);
    mend_count_out(self);
    return err;
}

MEND_API(MPI_T_init_thread);
int MPI_T_init_thread(int required, int *provided)
{
    struct mend_proc *self = mend_self_or_new();
    int err, level;

    if (!self)
        return MPI_T_ERR_CANNOT_INIT;
    pthread_mutex_lock(&self->lock);
    err = mend_tool_open(self, required, &level);
    if (!err)
        MEND_MPI_T_GIVE(provided, level);
    pthread_mutex_unlock(&self->lock);
    return err;
}

MEND_API(MPI_T_finalize);
int MPI_T_finalize(void)
{
    struct mend_tool *t;
    int err = mend_mpi_t_enter(&t);

    if (err)
        return err;
    mend_tool_close(t);
    return mend_mpi_t_leave(t, MPI_SUCCESS);
}

MEND_API(MPI_T_enum_get_info);
int MPI_T_enum_get_info(MPI_T_enum enumtype, int *num, char *name, int *name_len)
{
    const struct mend_tool_enum *e;
    struct mend_tool *t;
    int err = mend_mpi_t_enter(&t);

    if (err)
        return err;
    e = mend_tool_enum_of(enumtype);
    if (!e)
        return mend_mpi_t_leave(t, MPI_T_ERR_INVALID_HANDLE);
    MEND_MPI_T_GIVE(num, mend_tool_enum_n(e));
    mend_tool_text(e->name, name, name_len);
    return mend_mpi_t_leave(t, MPI_SUCCESS);
}

MEND_API(MPI_T_enum_get_item);
int MPI_T_enum_get_item(MPI_T_enum enumtype, int indx, int *value, char *name, int *name_len)
{
    const struct mend_tool_enum *e;
    char word[MEND_TOOL_WORD_BYTES];
    struct mend_tool *t;
    int err = mend_mpi_t_enter(&t);

    if (err)
        return err;
    e = mend_tool_enum_of(enumtype);
    if (!e)
        return mend_mpi_t_leave(t, MPI_T_ERR_INVALID_HANDLE);
    if (mend_mpi_t_check_index(indx, mend_tool_enum_n(e)))
        return mend_mpi_t_leave(t, MPI_T_ERR_INVALID_INDEX);
    mend_tool_enum_word(e, indx, word);
    MEND_MPI_T_GIVE(value, indx);
    mend_tool_text(word, name, name_len);
    return mend_mpi_t_leave(t, MPI_SUCCESS);
}

int mend_mpi_t_give_number(int n, int *n_p)
{
    struct mend_tool *t;
    int err = mend_mpi_t_enter(&t);

    if (err)
        return err;
    err = mend_mpi_t_check_pointer(n_p);
    if (!err)
        *n_p = n;
    return mend_mpi_t_leave(t, err);
}

MEND_API(MPI_T_category_get_num);
int MPI_T_category_get_num(int *num_cat)
{
    return mend_mpi_t_give_number(MEND_CATEGORIES, num_cat);
}

MEND_API(MPI_T_category_get_info);
int MPI_T_category_get_info(int cat_index, char *name, int *name_len, char *desc, int *desc_len,
                            int *num_cvars, int *num_pvars, int *num_categories)
{
    struct mend_tool *t;
    int err = mend_mpi_t_enter(&t);

    if (err)
        return err;
    err = mend_mpi_t_check_index(cat_index, MEND_CATEGORIES);
    if (err)
        return mend_mpi_t_leave(t, err);
    mend_tool_text(mend_tool_category_list[cat_index].name, name, name_len);
    mend_tool_text(mend_tool_category_list[cat_index].what, desc, desc_len);
    MEND_MPI_T_GIVE(num_cvars, mend_tool_category_cvars(cat_index, 0, NULL));
    MEND_MPI_T_GIVE(num_pvars, mend_tool_category_pvars(cat_index, 0, NULL));
    MEND_MPI_T_GIVE(num_categories, mend_tool_category_parts(cat_index, 0, NULL));
    return mend_mpi_t_leave(t, MPI_SUCCESS);
}

MEND_API(MPI_T_category_get_index);
int MPI_T_category_get_index(const char *name, int *cat_index)
{
    struct mend_tool *t;
    int err = mend_mpi_t_enter(&t);

    if (err)
        return err;
    err = name && cat_index ? MPI_T_ERR_INVALID_NAME : MPI_T_ERR_INVALID;
    for (int i = 0; err == MPI_T_ERR_INVALID_NAME && i < MEND_CATEGORIES; i++)
        if (!strcmp(mend_tool_category_list[i].name, name)) {
            *cat_index = i;
            err = MPI_SUCCESS;
        }
    return mend_mpi_t_leave(t, err);
}

/* What one of these functions lists of a category. */
static int list(int category, int len, int *indices,
                int (*members)(int category, int len, int *indices))
{
    struct mend_tool *t;
    int err = mend_mpi_t_enter(&t);

    if (err)
        return err;
    err = mend_mpi_t_check_index(category, MEND_CATEGORIES);
    if (!err && (len < 0 || (len > 0 && !indices)))
        err = MPI_T_ERR_INVALID;
    if (!err)
        members(category, len, indices);
    return mend_mpi_t_leave(t, err);
}

MEND_API(MPI_T_category_get_cvars);
int MPI_T_category_get_cvars(int cat_index, int len, int indices[])
{
    return list(cat_index, len, indices, mend_tool_category_cvars);
}

MEND_API(MPI_T_category_get_pvars);
int MPI_T_category_get_pvars(int cat_index, int len, int indices[])
{
    return list(cat_index, len, indices, mend_tool_category_pvars);
}

MEND_API(MPI_T_category_get_num_events);
int MPI_T_category_get_num_events(int cat_index, int *num_events)
{
    struct mend_tool *t;
    int err = mend_mpi_t_enter(&t);

    if (err)
        return err;
    err = mend_mpi_t_check_index(cat_index, MEND_CATEGORIES);
    if (!err)
        err = mend_mpi_t_check_pointer(num_events);
    if (!err)
        *num_events = mend_tool_category_events(cat_index, 0, NULL);
    return mend_mpi_t_leave(t, err);
}

MEND_API(MPI_T_category_get_events);
int MPI_T_category_get_events(int cat_index, int len, int indices[])
{
    return list(cat_index, len, indices, mend_tool_category_events);
}

MEND_API(MPI_T_category_get_categories);
int MPI_T_category_get_categories(int cat_index, int len, int indices[])
{
    return list(cat_index, len, indices, mend_tool_category_parts);
}

/* Nothing is ever added. */
MEND_API(MPI_T_category_changed);
int MPI_T_category_changed(int *update_number)
{
    return mend_mpi_t_give_number(0, update_number);
}
