/* SPDX-License-Identifier: BSD-3-Clause */
/* kinds.c – the memory allocation kinds that this library has (MPI-5.0 11.4.3).
 *
 * All memory is the same to it, so it has the two kinds that every library has, always.  A program may ask for kinds, with
 * mpiexec or for a session or another object.  It gets the list of those that exist: first what it has asked for, in its
 * order, then "mpi" and "system" if it has not asked for them. */
#include "comm/info.h"
#include "comm/session.h"

#include <stdlib.h>
#include <string.h>

#define KEY "mpi_memory_alloc_kinds"

/* The list, in which each entry stands between two commas while it is made. */
struct list {
    char text[MPI_MAX_INFO_VAL];
    size_t used;
};

static bool is_word(const char *at, size_t n, const char *word)
{
    return n == strlen(word) && !memcmp(at, word, n);
}

static bool is_restrictor(const char *at, size_t n)
{
    return is_word(at, n, "alloc_mem") || is_word(at, n, "win_allocate") ||
           is_word(at, n, "win_allocate_shared");
}

/* "system", or "mpi" with restrictors behind colons. */
static bool exists(const char *at, size_t n)
{
    const char *end = at + n, *colon;
    size_t len;

    if (is_word(at, n, "system"))
        return true;
    colon = memchr(at, ':', n);
    if (!is_word(at, colon ? (size_t)(colon - at) : n, "mpi"))
        return false;
    while (colon) {
        at = colon + 1;
        colon = memchr(at, ':', (size_t)(end - at));
        len = (size_t)((colon ? colon : end) - at);
        if (!is_restrictor(at, len))
            return false;
    }
    return true;
}

static bool has(const struct list *l, const char *at, size_t n)
{
    const char *p = l->text;

    for (size_t len; *p; p += len + (p[len] == ',')) {
        len = strcspn(p, ",");
        if (len == n && !memcmp(p, at, n))
            return true;
    }
    return false;
}

/* What is there already, or does not fit beside the two kinds that are always there, is left out. */
static void add(struct list *l, const char *at, size_t n, size_t max)
{
    if (has(l, at, n) || l->used + n + 1 > max)
        return;
    if (l->used)
        l->text[l->used++] = ',';
    memcpy(l->text + l->used, at, n);
    l->used += n;
    l->text[l->used] = '\0';
}

static void list_kinds(struct list *l, const char *asked)
{
    size_t n;

    while (asked && *asked) {
        asked += strspn(asked, ", ");
        n = strcspn(asked, ", ");
        if (n && exists(asked, n))
            add(l, asked, n, sizeof(l->text) - sizeof(",mpi,system"));
        asked += n;
    }
    add(l, "mpi", 3, sizeof(l->text));
    add(l, "system", 6, sizeof(l->text));
}

int mend_info_set_kinds(struct mend_proc *self, struct mend_info *i, const char *asked)
{
    const char *own = mend_info_get(i, KEY);
    struct list l = {.used = 0};

    list_kinds(&l, own ? own : asked ? asked : getenv("MEND_MEMORY_ALLOC_KINDS"));
    return mend_info_set(self, i, KEY, l.text);
}

int mend_comm_info_set_kinds(const struct mend_comm *c, struct mend_info *i)
{
    const struct mend_session *s = c->session ? mend_session_of(c->self, c->session) : NULL;

    return mend_info_set_kinds(c->self, i, s ? s->kinds : NULL);
}
