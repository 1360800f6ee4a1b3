/* SPDX-License-Identifier: BSD-3-Clause */
/* info.c – info objects as lists: they are short, and their order counts. */
#include "comm/info.h"

#include "comm/objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define ALIGN_MAX (1L << 30)

struct mend_info *mend_info_create(struct mend_proc *self)
{
    struct mend_info *i = mend_alloc(self, sizeof(*i));

    if (i) {
        *i = (struct mend_info){.magic = MEND_INFO_MAGIC};
        mend_list_init(&i->pairs);
    }
    return i;
}

static void free_pair(struct mend_proc *self, struct mend_info_pair *p)
{
    mend_free(self, p->key);
    mend_free(self, p->value);
    mend_free(self, p);
}

void mend_info_free(struct mend_proc *self, struct mend_info *i)
{
    mend_list_foreach (l, next, &i->pairs)
        free_pair(self, mend_list_entry(l, struct mend_info_pair, link));
    i->magic = 0;
    mend_free(self, i);
}

static struct mend_info_pair *find(const struct mend_info *i, const char *key)
{
    mend_list_foreach (l, next, &i->pairs) {
        struct mend_info_pair *p = mend_list_entry(l, struct mend_info_pair, link);

        if (!strcmp(p->key, key))
            return p;
    }
    return NULL;
}

int mend_info_set(struct mend_proc *self, struct mend_info *i, const char *key, const char *value)
{
    struct mend_info_pair *p = find(i, key);
    char *copy = mend_strdup(self, value, MPI_MAX_INFO_VAL);

    if (!copy)
        return MPI_ERR_NO_MEM;
    if (p) {
        mend_free(self, p->value);
        p->value = copy;
        return MPI_SUCCESS;
    }
    p = mend_zalloc(self, 1, sizeof(*p));
    if (!p)
        goto no_pair;
    p->key = mend_strdup(self, key, MPI_MAX_INFO_KEY);
    if (!p->key)
        goto no_key;
    p->value = copy;
    mend_list_append(&i->pairs, &p->link);
    i->n++;
    return MPI_SUCCESS;
no_key:
    mend_free(self, p);
no_pair:
    mend_free(self, copy);
    return MPI_ERR_NO_MEM;
}

int mend_info_merge(struct mend_proc *self, struct mend_info *i, const struct mend_info *from)
{
    int err = MPI_SUCCESS;

    mend_list_foreach (l, next, &from->pairs) {
        const struct mend_info_pair *p = mend_list_entry(l, struct mend_info_pair, link);

        if (!err && i != from)
            err = mend_info_set(self, i, p->key, p->value);
    }
    return err;
}

struct mend_info *mend_info_dup(struct mend_proc *self, const struct mend_info *i)
{
    struct mend_info *copy = mend_info_create(self);

    if (copy && i && mend_info_merge(self, copy, i)) {
        mend_info_free(self, copy);
        return NULL;
    }
    return copy;
}

int mend_info_delete(struct mend_proc *self, struct mend_info *i, const char *key)
{
    struct mend_info_pair *p = find(i, key);

    if (!p)
        return MPI_ERR_INFO_NOKEY;
    mend_list_remove(&p->link);
    free_pair(self, p);
    i->n--;
    return MPI_SUCCESS;
}

const char *mend_info_get(const struct mend_info *i, const char *key)
{
    struct mend_info_pair *p = i ? find(i, key) : NULL;

    return p ? p->value : NULL;
}

int mend_info_alignment(const struct mend_info *i, size_t *align_p)
{
    const char *text = mend_info_get(i, "mpi_minimum_memory_alignment");
    char *end = NULL;
    long wanted = text ? strtol(text, &end, 10) : 0;

    if (text && (end == text || *end || wanted <= 0 || wanted > ALIGN_MAX || wanted & (wanted - 1)))
        return MPI_ERR_INFO_VALUE;
    *align_p = (size_t)wanted;
    return MPI_SUCCESS;
}

const char *mend_info_nth(const struct mend_info *i, int n)
{
    mend_list_foreach (l, next, &i->pairs)
        if (n-- == 0)
            return mend_list_entry(l, struct mend_info_pair, link)->key;
    return NULL;
}

/* The arguments of this process as the system has them: strings with their zeros. */
static size_t read_cmdline(char *room, size_t max)
{
    FILE *f = fopen("/proc/self/cmdline", "re");
    size_t n = f ? fread(room, 1, max - 1, f) : 0;

    if (f)
        fclose(f);
    room[n] = '\0';
    return n;
}

/* "command" and "argv" (the arguments without the command, with spaces between). */
static int set_command(struct mend_proc *self, struct mend_info *i, const char *command,
                       const char *args)
{
    int err = command[0] ? mend_info_set(self, i, "command", command) : MPI_SUCCESS;

    return !err && args[0] ? mend_info_set(self, i, "argv", args) : err;
}

static int set_command_of_system(struct mend_proc *self, struct mend_info *i)
{
    char room[2 * MPI_MAX_INFO_VAL];
    size_t n = read_cmdline(room, sizeof(room)), first = strlen(room);

    for (size_t at = first + 1; at + 1 < n; at++)
        if (room[at] == '\0')
            room[at] = ' ';
    return set_command(self, i, room, first + 1 < n ? room + first + 1 : "");
}

static int set_command_of(struct mend_proc *self, struct mend_info *i, int argc, char *const *argv)
{
    char args[MPI_MAX_INFO_VAL] = "";
    size_t used = 0;

    for (int k = 1; k < argc && used < sizeof(args) - 1; k++) {
        int n = snprintf(args + used, sizeof(args) - used, "%s%s", k > 1 ? " " : "", argv[k]);

        used += n > 0 ? (size_t)n : 0;
    }
    return set_command(self, i, argc > 0 ? argv[0] : "", args);
}

/* Number of processes that the launcher started: known to it before MPI_Init. */
static int set_maxprocs(struct mend_proc *self, struct mend_info *i)
{
    const char *size = getenv("MEND_SIZE");
    char text[16];

    if (self->peers_n > 0)
        snprintf(text, sizeof(text), "%d", (int)self->peers_n);
    else
        snprintf(text, sizeof(text), "%d", size ? atoi(size) : 1);
    return mend_info_set(self, i, "maxprocs", text);
}

/* As it was given to the launcher: if it was not, there is no such key. */
static int set_initial_errhandler(struct mend_proc *self, struct mend_info *i)
{
    const char *name = getenv("MEND_INITIAL_ERRHANDLER");

    return name ? mend_info_set(self, i, "mpi_initial_errhandler", name) : MPI_SUCCESS;
}

static int set_place(struct mend_proc *self, struct mend_info *i)
{
    char wdir[MPI_MAX_INFO_VAL];
    struct utsname u;
    int err = MPI_SUCCESS;

    if (!uname(&u)) {
        err = mend_info_set(self, i, "host", u.nodename);
        if (!err)
            err = mend_info_set(self, i, "arch", u.machine);
    }
    if (!err && getcwd(wdir, sizeof(wdir)))
        err = mend_info_set(self, i, "wdir", wdir);
    return err;
}

/* The same before, in and after the time between MPI_Init and MPI_Finalize (MPI-5.0 10).  So there is
 * no "thread_level": it would be the level that the launcher was asked for, and ours is never asked. */
struct mend_info *mend_info_env_create(struct mend_proc *self, int argc, char *const *argv)
{
    struct mend_info *i = mend_info_create(self);
    int err;

    if (!i)
        return NULL;
    err = argv ? set_command_of(self, i, argc, argv) : set_command_of_system(self, i);
    if (!err)
        err = set_maxprocs(self, i);
    if (!err)
        err = set_initial_errhandler(self, i);
    if (!err)
        err = mend_info_set_kinds(self, i, NULL);
    if (!err)
        err = set_place(self, i);
    if (err) {
        mend_info_free(self, i);
        return NULL;
    }
    return i;
}

struct mend_info *mend_info_env(struct mend_proc *self)
{
    struct mend_objects *o = self->objects;

    if (!o->env)
        o->env = mend_info_env_create(self, 0, NULL);
    return o->env;
}
