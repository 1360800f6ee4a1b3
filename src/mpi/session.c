/* SPDX-License-Identifier: BSD-3-Clause */
/* session.c – the sessions model (MPI-5.0 11.3).
 *
 * A session may be opened at any time, by any thread, beside other sessions and the world, and again after the last one
 * has ended (life/open.c).  All calls are local but MPI_Session_finalize of the last session.  No death is reported
 * here; a call in a group of processes of which one is dead tells. */
#include "mpi/check.h"

#include "comm/errcode.h"
#include "comm/errhandler.h"
#include "comm/handle.h"
#include "comm/info.h"
#include "comm/session.h"
#include "life/life.h"

#include <stdio.h>
#include <string.h>

#define THREAD_LEVEL "thread_level"

static const struct {
    const char *name;
    int level;
} levels[] = {
    {"MPI_THREAD_SINGLE", MPI_THREAD_SINGLE},
    {"MPI_THREAD_FUNNELED", MPI_THREAD_FUNNELED},
    {"MPI_THREAD_SERIALIZED", MPI_THREAD_SERIALIZED},
    {"MPI_THREAD_MULTIPLE", MPI_THREAD_MULTIPLE},
};

static const char *name_of_level(int level)
{
    unsigned i = 0;

    while (levels[i].level != level)
        i++;
    return levels[i].name;
}

/* MPI_THREAD_SINGLE unless the info asks for more. */
static int read_level(const struct mend_info *i, int *level_p)
{
    const char *wanted = mend_info_get(i, THREAD_LEVEL);

    *level_p = MPI_THREAD_SINGLE;
    for (unsigned k = 0; wanted && k < MEND_COUNT_OF(levels); k++)
        if (!strcmp(wanted, levels[k].name)) {
            *level_p = levels[k].level;
            return MPI_SUCCESS;
        }
    return wanted ? MPI_ERR_INFO_VALUE : MPI_SUCCESS;
}

static int check_handler(MPI_Errhandler errhandler, struct mend_errhandler **e_p)
{
    struct mend_errhandler *e = NULL;
    int err = mend_check_errhandler(errhandler, &e);

    if (!err && e->object != MEND_ERRH_OF_SESSION && e->object != MEND_ERRH_OF_ANY)
        return MPI_ERR_ERRHANDLER;
    if (!err)
        *e_p = e;
    return err;
}

/* Another thread may open a session, too, while nothing says yet that there are threads. */
static int enter_to_open(const char *fn)
{
    int err = mend_enter_any(fn);

    if (!err && !mend_detours(mend_self, MEND_DETOUR_LOCKED | MEND_DETOUR_THREADS)) {
        pthread_mutex_lock(&mend_self->lock);
        mend_detour_begin(mend_self, MEND_DETOUR_LOCKED);
    }
    return err;
}

/* Several threads may be in MPI as soon as two sessions may have one each.  A session provides at least the level that the
 * process has already. */
static int open_session(int level, struct mend_errhandler *e, const struct mend_info *info,
                        struct mend_session **s_p)
{
    const char *why = "no memory";
    struct mend_session *s;
    int err;

    err = mend_life_open(mend_self, level, level != MPI_THREAD_SINGLE, &why);
    if (err) {
        fprintf(stderr, "mend: MPI_Session_init failed: %s\n", why);
        return err;
    }
    s = mend_session_create(mend_self, e, info, mend_self->thread_level);
    if (!s) {
        mend_life_close(mend_self);
        return MPI_ERR_NO_MEM;
    }
    *s_p = s;
    if (mend_self->sessions_made_n == 1)
        mend_life_first_session(mend_self);
    mend_event(mend_self, MEND_EV_SESSION_OPEN);
    return MPI_SUCCESS;
}

/* 11.3.1.  Local: waits for nobody. */
MEND_API(MPI_Session_init);
int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
    struct mend_errhandler *e = NULL;
    struct mend_session *s = NULL;
    struct mend_info *i = NULL;
    int level = MPI_THREAD_SINGLE, err = enter_to_open(__func__);

    if (!err)
        err = check_handler(errhandler, &e);
    if (err)
        return mend_report(err, __func__);
    err = mend_check_info_or_null(info, &i);
    if (!err)
        err = read_level(i, &level);
    if (!err)
        err = mend_check_pointer(session);
    if (!err)
        err = open_session(level, e, i, &s);
    if (err)
        return mend_raise_session(mend_self, e, NULL, err, __func__);
    *session = (MPI_Session)s;
    return mend_leave(MPI_SUCCESS);
}

static int enter(MPI_Session session, struct mend_session **s_p, const char *fn)
{
    int err = mend_enter_any(fn);

    return err ? err : mend_check_session(session, s_p);
}

static int report(struct mend_session *s, int err, const char *fn)
{
    if (!err)
        return mend_leave(MPI_SUCCESS);
    return s ? mend_raise_session(mend_self, s->errhandler, s, err, fn) : mend_report(err, fn);
}

/* 11.3.1.  Frees the communicators of the session that the program has left.  The last one, if there is no world:
 * blocks until all survivors have freed the communicators that this process has freed; a death ends that. */
MEND_API(MPI_Session_finalize);
int MPI_Session_finalize(MPI_Session *session)
{
    struct mend_session *s = NULL;
    int err = mend_enter_any(__func__);

    if (!err)
        err = mend_check_pointer(session);
    if (!err)
        err = mend_check_session(*session, &s);
    if (!err)
        err = mend_check_outside_callback();
    if (!err)
        err = mend_life_end_session(mend_self, s);
    if (!err)
        *session = MPI_SESSION_NULL;
    return report(s, err, __func__);
}

MEND_API(MPI_Session_get_num_psets);
int MPI_Session_get_num_psets(MPI_Session session, MPI_Info info, int *npset_names)
{
    struct mend_session *s = NULL;
    struct mend_info *i = NULL;
    int err = enter(session, &s, __func__);

    if (!err)
        err = mend_check_info_or_null(info, &i);
    if (!err)
        err = mend_check_pointer(npset_names);
    if (!err)
        *npset_names = MEND_PSETS;
    return report(s, err, __func__);
}

/* As MPI_Info_get_string: *pset_len is the room, then what is needed; 0 asks for that alone. */
static void give_name(const char *name, int *pset_len, char *pset_name)
{
    int room = *pset_len;
    size_t n;

    *pset_len = (int)strlen(name) + 1;
    if (room == 0)
        return;
    n = strnlen(name, (size_t)room - 1);
    memcpy(pset_name, name, n);
    pset_name[n] = '\0';
}

MEND_API(MPI_Session_get_nth_pset);
int MPI_Session_get_nth_pset(MPI_Session session, MPI_Info info, int n, int *pset_len,
                             char *pset_name)
{
    struct mend_session *s = NULL;
    struct mend_info *i = NULL;
    int err = enter(session, &s, __func__);

    if (!err)
        err = mend_check_info_or_null(info, &i);
    if (!err &&
        (n < 0 || n >= MEND_PSETS || !pset_len || *pset_len < 0 || (*pset_len > 0 && !pset_name)))
        err = MPI_ERR_ARG;
    if (!err)
        give_name(mend_pset_name(n), pset_len, pset_name);
    return report(s, err, __func__);
}

/* An info of one pair; the program frees it. */
static int give_info(const char *key, const char *value, MPI_Info *info)
{
    struct mend_info *i = mend_info_create(mend_self);

    if (i && mend_info_set(mend_self, i, key, value)) {
        mend_info_free(mend_self, i);
        i = NULL;
    }
    if (!i)
        return MPI_ERR_NO_MEM;
    *info = (MPI_Info)i;
    return MPI_SUCCESS;
}

/* Behind that pair; without memory there is no info. */
static int add_kinds(const struct mend_session *s, MPI_Info *info)
{
    struct mend_info *i = (struct mend_info *)*info;
    int err = mend_info_set_kinds(mend_self, i, s->kinds);

    if (err) {
        mend_info_free(mend_self, i);
        *info = MPI_INFO_NULL;
    }
    return err;
}

MEND_API(MPI_Session_get_info);
int MPI_Session_get_info(MPI_Session session, MPI_Info *info_used)
{
    struct mend_session *s = NULL;
    int err = enter(session, &s, __func__);

    if (!err)
        err = mend_check_pointer(info_used);
    if (!err)
        err = give_info(THREAD_LEVEL, name_of_level(s->thread_level), info_used);
    if (!err)
        err = add_kinds(s, info_used);
    return report(s, err, __func__);
}

/* mpi_size: how many processes are in the set now. */
MEND_API(MPI_Session_get_pset_info);
int MPI_Session_get_pset_info(MPI_Session session, const char *pset_name, MPI_Info *info)
{
    struct mend_session *s = NULL;
    struct mend_group *g = NULL;
    char size[16];
    int err = enter(session, &s, __func__);

    if (!err && !(pset_name && info))
        err = MPI_ERR_ARG;
    if (!err)
        err = mend_pset_group(mend_self, pset_name, &g);
    if (!err) {
        snprintf(size, sizeof(size), "%d", g->size);
        mend_group_put(mend_self, g);
        err = give_info("mpi_size", size, info);
    }
    return report(s, err, __func__);
}

/* 7.3.2.  MPI_ERR_ARG, and MPI_GROUP_NULL: there is no such set. */
MEND_API(MPI_Group_from_session_pset);
int MPI_Group_from_session_pset(MPI_Session session, const char *pset_name, MPI_Group *newgroup)
{
    struct mend_session *s = NULL;
    struct mend_group *g = NULL;
    int err = enter(session, &s, __func__);

    if (!err && !(pset_name && newgroup))
        err = MPI_ERR_ARG;
    if (!err) {
        *newgroup = MPI_GROUP_NULL;
        err = mend_pset_group(mend_self, pset_name, &g);
    }
    if (!err) {
        g->session = s->number;
        *newgroup = mend_group_handle(g);
    }
    return report(s, err, __func__);
}

MEND_API(MPI_Session_set_errhandler);
int MPI_Session_set_errhandler(MPI_Session session, MPI_Errhandler errhandler)
{
    struct mend_session *s = NULL;
    struct mend_errhandler *e = NULL;
    int err = enter(session, &s, __func__);

    if (!err)
        err = check_handler(errhandler, &e);
    if (!err) {
        mend_errhandler_get(e);
        mend_errhandler_put(mend_self, s->errhandler);
        s->errhandler = e;
    }
    return report(s, err, __func__);
}

/* The program frees it, also a predefined one. */
MEND_API(MPI_Session_get_errhandler);
int MPI_Session_get_errhandler(MPI_Session session, MPI_Errhandler *errhandler)
{
    struct mend_session *s = NULL;
    int err = enter(session, &s, __func__);

    if (!err)
        err = mend_check_pointer(errhandler);
    if (!err) {
        mend_errhandler_get(s->errhandler);
        *errhandler = mend_errhandler_handle(s->errhandler);
    }
    return report(s, err, __func__);
}

/* MPI_SUCCESS once the handler has returned. */
MEND_API(MPI_Session_call_errhandler);
int MPI_Session_call_errhandler(MPI_Session session, int errorcode)
{
    struct mend_session *s = NULL;
    int err = enter(session, &s, __func__);

    if (err)
        return mend_report(err, __func__);
    mend_raise_session(mend_self, s->errhandler, s, errorcode, __func__);
    return MPI_SUCCESS;
}

/* Numbers of handles, as MPI_Comm_toint. */
MEND_API(MPI_Session_toint);
int MPI_Session_toint(MPI_Session session)
{
    int n = mend_enter_any(__func__) ? 0 : mend_handle_toint(mend_self, session);

    mend_leave(MPI_SUCCESS);
    return n;
}

MEND_API(MPI_Session_fromint);
MPI_Session MPI_Session_fromint(int session)
{
    MPI_Session handle =
        mend_enter_any(__func__) ? NULL : (MPI_Session)mend_handle_fromint(mend_self, session);

    mend_leave(MPI_SUCCESS);
    return handle;
}
