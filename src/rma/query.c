/* SPDX-License-Identifier: BSD-3-Clause */
/* query.c – what a program may ask of a window: hints, and where parts lie in its own memory. */
#include "comm/info.h"
#include "rma/win.h"

#include <string.h>

/* Of a hint that the program has given for a window, or nothing (NULL): the value that is in force; NULL: the window has none. */
typedef const char *in_force(const struct mend_win *w, const char *asked);

static const char *say(bool yes)
{
    return yes ? "true" : "false";
}

static bool is_true(const char *asked)
{
    return asked && !strcmp(asked, "true");
}

static const char *no_locks(const struct mend_win *w, const char *asked)
{
    (void)asked;
    return say(w->no_locks);
}

static const char *apart(const struct mend_win *w, const char *asked)
{
    (void)asked;
    return w->flavor == MPI_WIN_FLAVOR_SHARED ? say(w->apart) : NULL;
}

static const char *same_size(const struct mend_win *w, const char *asked)
{
    bool same = is_true(asked) && w->flavor != MPI_WIN_FLAVOR_DYNAMIC;

    for (int r = 1; same && r < w->n; r++)
        same = w->part[r].size == w->part[0].size;
    return say(same);
}

static const char *same_unit(const struct mend_win *w, const char *asked)
{
    bool same = is_true(asked);

    for (int r = 1; same && r < w->n; r++)
        same = w->part[r].disp_unit == w->part[0].disp_unit;
    return say(same);
}

static const char *operators(const struct mend_win *w, const char *asked)
{
    (void)w;
    return asked && !strcmp(asked, "same_op") ? asked : "same_op_no_op";
}

/* A list of words with commas between them. */
static bool are_orders(const char *list)
{
    static const char words[4][4] = {"rar", "raw", "war", "waw"};
    unsigned k = 0;

    while (k < MEND_COUNT_OF(words) && strncmp(list, words[k], 3))
        k++;
    if (k == MEND_COUNT_OF(words) || (list[3] && list[3] != ','))
        return false;
    return !list[3] || are_orders(list + 4);
}

static const char *ordering(const struct mend_win *w, const char *asked)
{
    (void)w;
    return asked && (!strcmp(asked, "none") || are_orders(asked)) ? asked : "rar,raw,war,waw";
}

/* Of memory that the library has taken for the window. */
static const char *alignment(const struct mend_win *w, const char *asked)
{
    (void)asked;
    return w->align_text[0] ? w->align_text : NULL;
}

static const char *as_asked(const struct mend_win *w, const char *asked)
{
    (void)w;
    return asked;
}

/* What the program has asked for and the window does not have, or no one knows, is not there (MPI-5.0 12.2.7). */
int mend_win_info(const struct mend_win *w, struct mend_info **info_p)
{
    static const struct {
        const char *key;
        in_force *value;
    } hints[] = {
        {"no_locks", no_locks},
        {"accumulate_ordering", ordering},
        {"accumulate_ops", operators},
        {"same_size", same_size},
        {"same_disp_unit", same_unit},
        {"alloc_shared_noncontig", apart},
        {"mpi_minimum_memory_alignment", alignment},
        {"mpi_memory_alloc_kinds", as_asked}, /* those that exist: below */
        {"mpi_assert_memory_alloc_kinds", as_asked},
    };
    const struct mend_info *asked = w->comm->info;
    struct mend_info *i = mend_info_create(w->self);
    int err = i ? MPI_SUCCESS : MPI_ERR_NO_MEM;

    for (unsigned k = 0; k < MEND_COUNT_OF(hints) && !err; k++) {
        const char *value = hints[k].value(w, asked ? mend_info_get(asked, hints[k].key) : NULL);

        if (value)
            err = mend_info_set(w->self, i, hints[k].key, value);
    }
    if (!err)
        err = mend_comm_info_set_kinds(w->comm, i);
    if (!err)
        *info_p = i;
    else if (i)
        mend_info_free(w->self, i);
    return err;
}

static int first_with_memory(const struct mend_win *w)
{
    for (int r = 0; r < w->n; r++)
        if (w->part[r].size > 0)
            return r;
    return -1;
}

struct mend_win_part mend_win_shared_part(struct mend_win *w, int rank)
{
    struct mend_win_part p = {.disp_unit = 1};

    if (rank == MPI_PROC_NULL)
        rank = first_with_memory(w);
    if (rank >= 0)
        p = *mend_win_reach(w, rank);
    if (!p.here)
        p.size = 0;
    return p;
}
