/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_t_event.c – events (MPI-5.0 15.3.8). */
#include "mpi/mpi_t.h"

#include "comm/info.h"
#include "comm/objects.h"
#include "tool/event.h"

#include <limits.h>
#include <string.h>

#define SOURCES     1
#define SOURCE_NAME "failures"
#define SOURCE_WHAT                                                                                \
    "deaths, revocations and agreements, in the order in which this process learns of them"
#define TICKS_PER_SECOND 1000000000

/* There are no hints: an empty info, if the caller wants one. */
static int give_info(struct mend_tool *t, MPI_Info *info)
{
    struct mend_info *i;

    if (!info)
        return MPI_SUCCESS;
    i = mend_objects_init(t->self) ? NULL : mend_info_create(t->self);
    if (!i)
        return MPI_T_ERR_MEMORY;
    *info = (MPI_Info)i;
    return MPI_SUCCESS;
}

/* Hints that are given and not understood are ignored; a handle that is not an info is an error. */
static int check_info(MPI_Info info)
{
    struct mend_info *i;

    return mend_check_info_or_null(info, &i) ? MPI_T_ERR_INVALID : MPI_SUCCESS;
}

MEND_API(MPI_T_source_get_num);
int MPI_T_source_get_num(int *num_sources)
{
    return mend_mpi_t_give_number(SOURCES, num_sources);
}

MEND_API(MPI_T_source_get_info);
int MPI_T_source_get_info(int source_index, char *name, int *name_len, char *desc, int *desc_len,
                          MPI_T_source_order *ordering, MPI_Count *ticks_per_second,
                          MPI_Count *max_ticks, MPI_Info *info)
{
    struct mend_tool *t;
    int err = mend_mpi_t_enter(&t);

    if (err)
        return err;
    err = mend_mpi_t_check_index(source_index, SOURCES);
    if (!err)
        err = give_info(t, info);
    if (err)
        return mend_mpi_t_leave(t, err);
    mend_tool_text(SOURCE_NAME, name, name_len);
    mend_tool_text(SOURCE_WHAT, desc, desc_len);
    MEND_MPI_T_GIVE(ordering, MPI_T_SOURCE_ORDERED);
    MEND_MPI_T_GIVE(ticks_per_second, TICKS_PER_SECOND);
    MEND_MPI_T_GIVE(max_ticks, INT64_MAX);
    return mend_mpi_t_leave(t, MPI_SUCCESS);
}

MEND_API(MPI_T_source_get_timestamp);
int MPI_T_source_get_timestamp(int source_index, MPI_Count *timestamp)
{
    struct mend_tool *t;
    int err = mend_mpi_t_enter(&t);

    if (err)
        return err;
    err = mend_mpi_t_check_index(source_index, SOURCES);
    if (!err)
        err = mend_mpi_t_check_pointer(timestamp);
    if (!err)
        *timestamp = (MPI_Count)mend_proc_now(t->self);
    return mend_mpi_t_leave(t, err);
}

MEND_API(MPI_T_event_get_num);
int MPI_T_event_get_num(int *num_events)
{
    return mend_mpi_t_give_number(MEND_TOOL_EVENTS, num_events);
}

/* *n_p is the length of the arrays, and becomes the number of elements; either array may be NULL. */
static void give_elements(const struct mend_tool_event *e, MPI_Datatype *types,
                          MPI_Aint *displacements, int *n_p)
{
    for (int i = 0; n_p && i < e->elements_n && i < *n_p; i++) {
        if (types)
            types[i] = e->elements[i].type;
        if (displacements)
            displacements[i] = (MPI_Aint)e->elements[i].offset;
    }
    MEND_MPI_T_GIVE(n_p, e->elements_n);
}

MEND_API(MPI_T_event_get_info);
int MPI_T_event_get_info(int event_index, char *name, int *name_len, int *verbosity,
                         MPI_Datatype array_of_datatypes[], MPI_Aint array_of_displacements[],
                         int *num_elements, MPI_T_enum *enumtype, MPI_Info *info, char *desc,
                         int *desc_len, int *bind)
{
    const struct mend_tool_event *e;
    struct mend_tool *t;
    int err = mend_mpi_t_enter(&t);

    if (err)
        return err;
    err = mend_mpi_t_check_index(event_index, MEND_TOOL_EVENTS);
    if (!err)
        err = give_info(t, info);
    if (err)
        return mend_mpi_t_leave(t, err);
    e = &mend_tool_event_list[event_index];
    mend_tool_text(e->name, name, name_len);
    mend_tool_text(e->what, desc, desc_len);
    MEND_MPI_T_GIVE(verbosity, MPI_T_VERBOSITY_USER_BASIC);
    give_elements(e, array_of_datatypes, array_of_displacements, num_elements);
    MEND_MPI_T_GIVE(enumtype, mend_tool_enum_handle(e->words));
    MEND_MPI_T_GIVE(bind, e->bind);
    return mend_mpi_t_leave(t, MPI_SUCCESS);
}

MEND_API(MPI_T_event_get_index);
int MPI_T_event_get_index(const char *name, int *event_index)
{
    struct mend_tool *t;
    int err = mend_mpi_t_enter(&t);

    if (err)
        return err;
    err = name && event_index ? MPI_T_ERR_INVALID_NAME : MPI_T_ERR_INVALID;
    for (int i = 0; err == MPI_T_ERR_INVALID_NAME && i < MEND_TOOL_EVENTS; i++)
        if (!strcmp(mend_tool_event_list[i].name, name)) {
            *event_index = i;
            err = MPI_SUCCESS;
        }
    return mend_mpi_t_leave(t, err);
}

MEND_API(MPI_T_event_handle_alloc);
int MPI_T_event_handle_alloc(int event_index, void *obj_handle, MPI_Info info,
                             MPI_T_event_registration *event_registration)
{
    struct mend_tool_registration *r = NULL;
    struct mend_comm *c;
    struct mend_tool *t;
    int err = mend_mpi_t_enter(&t);

    if (err)
        return err;
    err = mend_mpi_t_check_index(event_index, MEND_TOOL_EVENTS);
    if (!err)
        err = mend_mpi_t_check_pointer(event_registration);
    if (!err)
        err = check_info(info);
    if (!err)
        err = mend_mpi_t_check_object(mend_tool_event_list[event_index].bind, obj_handle, &c);
    if (!err && !(r = mend_tool_register(t, event_index, c)))
        err = MPI_T_ERR_OUT_OF_HANDLES;
    if (!err)
        *event_registration = (MPI_T_event_registration)r;
    return mend_mpi_t_leave(t, err);
}

/* One that its tool has freed is gone for the tool, although one of its callbacks may still run. */
static int check_registration(const struct mend_tool *t, MPI_T_event_registration handle,
                              struct mend_tool_registration **r_p)
{
    struct mend_tool_registration *r = mend_tool_find(t, handle, MEND_TOOL_REGISTRATION);

    if (!r || r->freed)
        return MPI_T_ERR_INVALID_HANDLE;
    *r_p = r;
    return MPI_SUCCESS;
}

/* Enters with a registration.  An error: without the lock. */
static int enter_with(MPI_T_event_registration handle, struct mend_tool **t_p,
                      struct mend_tool_registration **r_p)
{
    int err = mend_mpi_t_enter(t_p);

    if (err)
        return err;
    err = check_registration(*t_p, handle, r_p);
    if (err)
        mend_mpi_t_leave(*t_p, err);
    return err;
}

static int set_info(MPI_T_event_registration handle, MPI_T_cb_safety safety, MPI_Info info)
{
    struct mend_tool_registration *r;
    struct mend_tool *t;
    int err = enter_with(handle, &t, &r);

    if (err)
        return err;
    if (mend_tool_level_of(safety) < 0)
        err = MPI_T_ERR_INVALID;
    if (!err)
        err = check_info(info);
    return mend_mpi_t_leave(t, err);
}

static int get_info(MPI_T_event_registration handle, MPI_T_cb_safety safety, MPI_Info *info_used)
{
    struct mend_tool_registration *r;
    struct mend_tool *t;
    int err = enter_with(handle, &t, &r);

    if (err)
        return err;
    if (mend_tool_level_of(safety) < 0)
        err = MPI_T_ERR_INVALID;
    if (!err)
        err = mend_mpi_t_check_pointer(info_used);
    if (!err)
        err = give_info(t, info_used);
    return mend_mpi_t_leave(t, err);
}

MEND_API(MPI_T_event_handle_set_info);
int MPI_T_event_handle_set_info(MPI_T_event_registration event_registration, MPI_Info info)
{
    return set_info(event_registration, MPI_T_CB_REQUIRE_NONE, info);
}

MEND_API(MPI_T_event_handle_get_info);
int MPI_T_event_handle_get_info(MPI_T_event_registration event_registration, MPI_Info *info_used)
{
    return get_info(event_registration, MPI_T_CB_REQUIRE_NONE, info_used);
}

MEND_API(MPI_T_event_callback_set_info);
int MPI_T_event_callback_set_info(MPI_T_event_registration event_registration,
                                  MPI_T_cb_safety cb_safety, MPI_Info info)
{
    return set_info(event_registration, cb_safety, info);
}

MEND_API(MPI_T_event_callback_get_info);
int MPI_T_event_callback_get_info(MPI_T_event_registration event_registration,
                                  MPI_T_cb_safety cb_safety, MPI_Info *info_used)
{
    return get_info(event_registration, cb_safety, info_used);
}

MEND_API(MPI_T_event_register_callback);
int MPI_T_event_register_callback(MPI_T_event_registration event_registration,
                                  MPI_T_cb_safety cb_safety, MPI_Info info, void *user_data,
                                  MPI_T_event_cb_function event_cb_function)
{
    struct mend_tool_registration *r;
    struct mend_tool *t;
    int err = enter_with(event_registration, &t, &r), level = mend_tool_level_of(cb_safety);

    if (err)
        return err;
    if (level < 0)
        err = MPI_T_ERR_INVALID;
    if (!err)
        err = check_info(info);
    if (!err)
        mend_tool_set_callback(r, level, event_cb_function, user_data);
    return mend_mpi_t_leave(t, err);
}

MEND_API(MPI_T_event_handle_free);
int MPI_T_event_handle_free(MPI_T_event_registration event_registration, void *user_data,
                            MPI_T_event_free_cb_function free_cb_function)
{
    struct mend_tool_registration *r;
    struct mend_tool *t;
    int err = enter_with(event_registration, &t, &r);

    if (err)
        return err;
    mend_tool_unregister(t, r, free_cb_function, user_data);
    return mend_mpi_t_leave(t, MPI_SUCCESS);
}

MEND_API(MPI_T_event_set_dropped_handler);
int MPI_T_event_set_dropped_handler(MPI_T_event_registration event_registration,
                                    MPI_T_event_dropped_cb_function dropped_cb_function)
{
    struct mend_tool_registration *r;
    struct mend_tool *t;
    int err = enter_with(event_registration, &t, &r);

    if (err)
        return err;
    r->on_dropped = dropped_cb_function;
    return mend_mpi_t_leave(t, MPI_SUCCESS);
}

/* An instance is there during its callback, and there is none at other times. */
static int check_instance(const struct mend_tool *t, MPI_T_event_instance handle,
                          const struct mend_tool_instance **e_p)
{
    if (!t->told || handle != (MPI_T_event_instance)t->told)
        return MPI_T_ERR_INVALID_HANDLE;
    *e_p = t->told;
    return MPI_SUCCESS;
}

MEND_API(MPI_T_event_read);
int MPI_T_event_read(MPI_T_event_instance event_instance, int element_index, void *buffer)
{
    const struct mend_tool_instance *e;
    const struct mend_tool_event *type;
    struct mend_tool *t;
    int err = mend_mpi_t_enter(&t);

    if (err)
        return err;
    err = check_instance(t, event_instance, &e);
    if (err)
        return mend_mpi_t_leave(t, err);
    type = &mend_tool_event_list[e->of->index];
    err = mend_mpi_t_check_index(element_index, type->elements_n);
    if (!err)
        err = mend_mpi_t_check_pointer(buffer);
    if (!err)
        memcpy(buffer, (const char *)&e->data + type->elements[element_index].offset,
               type->elements[element_index].size);
    return mend_mpi_t_leave(t, err);
}

/* Enters for an output about an instance.  An error: without the lock. */
static int enter_for(MPI_T_event_instance handle, const void *output, struct mend_tool **t_p,
                     const struct mend_tool_instance **e_p)
{
    int err = mend_mpi_t_enter(t_p);

    if (err)
        return err;
    err = check_instance(*t_p, handle, e_p);
    if (!err)
        err = mend_mpi_t_check_pointer(output);
    if (err)
        mend_mpi_t_leave(*t_p, err);
    return err;
}

MEND_API(MPI_T_event_copy);
int MPI_T_event_copy(MPI_T_event_instance event_instance, void *buffer)
{
    const struct mend_tool_instance *e;
    struct mend_tool *t;
    int err = enter_for(event_instance, buffer, &t, &e);

    if (err)
        return err;
    memcpy(buffer, &e->data, mend_tool_event_list[e->of->index].size);
    return mend_mpi_t_leave(t, MPI_SUCCESS);
}

MEND_API(MPI_T_event_get_timestamp);
int MPI_T_event_get_timestamp(MPI_T_event_instance event_instance, MPI_Count *event_timestamp)
{
    const struct mend_tool_instance *e;
    struct mend_tool *t;
    int err = enter_for(event_instance, event_timestamp, &t, &e);

    if (err)
        return err;
    *event_timestamp = (MPI_Count)e->when_ns;
    return mend_mpi_t_leave(t, MPI_SUCCESS);
}

MEND_API(MPI_T_event_get_source);
int MPI_T_event_get_source(MPI_T_event_instance event_instance, int *source_index)
{
    const struct mend_tool_instance *e;
    struct mend_tool *t;
    int err = enter_for(event_instance, source_index, &t, &e);

    if (err)
        return err;
    *source_index = 0;
    return mend_mpi_t_leave(t, MPI_SUCCESS);
}
