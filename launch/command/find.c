/* SPDX-License-Identifier: BSD-3-Clause */
/* find.c – where a program is.
 *
 * A name with a '/' is a path, relative to the directory in which the program will start.  Any other name
 * is searched in
 *
 *   the directories of --path    then    PATH    then    the directory in which it will start
 *
 * Users of Open MPI expect the last one; it comes last so that a file called `ls` in a directory of data
 * does not replace the system's. */
#include "command/options.h"

#include "rt/spawn.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

struct search {
    const struct mend_app *app;
    char *found;   /* what execve gets */
    char *refused; /* a file that is there and must not be executed */
};

/* As seen from where mpiexec stands; execve sees `path` from the program's directory. */
static char *seen_from_here(const struct mend_app *app, const char *path)
{
    return app->wdir && *path != '/' ? mend_xprintf("%s/%s", app->wdir, path)
                                     : mend_xprintf("%s", path);
}

/* Takes path. */
static bool try_path(struct search *s, char *path)
{
    char *seen = seen_from_here(s->app, path);
    struct stat st;
    bool file = stat(seen, &st) == 0 && S_ISREG(st.st_mode);

    if (file && access(seen, X_OK) == 0)
        s->found = path;
    else
        free(path);
    if (!file || s->found || s->refused)
        free(seen);
    else
        s->refused = seen;
    return s->found;
}

/* dirs: separated by ':'; an empty one is the directory in which the program will start. */
static bool try_dirs(struct search *s, const char *dirs, const char *name)
{
    for (const char *dir = dirs;; dir++) {
        size_t len = strcspn(dir, ":");

        if (try_path(s, mend_xprintf("%.*s%s%s", (int)len, dir, len ? "/" : "./", name)))
            return true;
        dir += len;
        if (!*dir)
            return false;
    }
}

static bool same_file(const char *a, const char *b)
{
    struct stat sa, sb;

    return stat(a, &sa) == 0 && stat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
           sa.st_ino == sb.st_ino;
}

/* Explains to a user with a program called `test` why another one runs. */
static void note_shadowed(const struct search *s, const char *name, struct mend_options *o)
{
    struct search here = {.app = s->app};
    char *found = seen_from_here(s->app, s->found), *mine;

    if (try_path(&here, mend_xprintf("./%s", name))) {
        mine = seen_from_here(s->app, here.found);
        if (!same_file(found, mine))
            mend_options_note(o, "'%s' is %s; the one in the current directory is ./%s", name,
                              s->found, name);
        free(mine);
    }
    free(here.found);
    free(here.refused);
    free(found);
}

static _Noreturn void fail_path(const char *name)
{
    struct stat st;
    bool there = stat(name, &st) == 0;

    mend_options_fail(there ? 126 : 127, "%s: %s", name, there ? "not a program" : strerror(errno));
}

static void search(struct search *s, const char *path)
{
    const struct mend_app *app = s->app;
    const char *name = app->argv[0];

    if (strchr(name, '/'))
        try_path(s, mend_xprintf("%s", name));
    else if (!(app->dirs && try_dirs(s, app->dirs, name)) && !try_dirs(s, path, name))
        try_dirs(s, "", name);
}

static const char *search_path(void)
{
    const char *path = getenv("PATH");

    return path ? path : "/usr/local/bin:/usr/bin:/bin";
}

static bool is_directory(const struct mend_app *app)
{
    char *seen = seen_from_here(app, app->argv[0]);
    struct stat st;
    bool is = strchr(seen, '/') && stat(seen, &st) == 0 && S_ISDIR(st.st_mode);

    free(seen);
    return is;
}

int mend_find_later(struct mend_app *app)
{
    struct search s = {.app = app};

    if (*app->argv[0])
        search(&s, search_path());
    app->path = s.found;
    free(s.refused);
    if (s.found)
        return 0;
    return s.refused ? EACCES : *app->argv[0] && is_directory(app) ? EISDIR : ENOENT;
}

static void check_arch(const struct mend_app *app)
{
    struct utsname u;

    if (app->arch && uname(&u) == 0 && !mend_spawn_is_arch(app->arch, u.machine))
        mend_options_fail(2, "--arch: '%s' is not this machine's, which is %s", app->arch,
                          u.machine);
}

static void check_wdir(const struct mend_app *app)
{
    struct stat st;

    if (!app->wdir)
        return;
    if (stat(app->wdir, &st) != 0)
        mend_options_fail(2, "--wdir %s: %s", app->wdir, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        mend_options_fail(2, "--wdir %s: not a directory", app->wdir);
}

/* Some of its ranks are on a node that is wanted, or its spares may be. */
static bool is_needed(const struct mend_options *o, int first, const struct mend_app *app,
                      bool wanted(const struct mend_options *o, int node))
{
    for (int i = first; i < first + app->ranks_n; i++)
        if (wanted(o, o->node_of[i]))
            return true;
    for (int k = 0; k < o->hosts.n && (app->spares_n || app->copies); k++)
        if (o->hosts.at[k].listed && wanted(o, k))
            return true;
    return false;
}

void mend_find_programs(struct mend_options *o, bool wanted(const struct mend_options *o, int node))
{
    for (int i = 0, first = 0; i < o->apps_n; first += o->apps[i++].ranks_n) {
        if (!is_needed(o, first, &o->apps[i], wanted)) {
            mend_find_later(&o->apps[i]); /* for replacements, if it is there */
            continue;
        }
        check_arch(&o->apps[i]);
        check_wdir(&o->apps[i]);
        mend_find_program(&o->apps[i], o);
    }
}

void mend_find_program(struct mend_app *app, struct mend_options *o)
{
    const char *name = app->argv[0];
    struct search s = {.app = app};

    if (!*name)
        mend_options_fail(127, "the program's name is empty");
    search(&s, search_path());
    if (s.found && !strchr(name, '/'))
        note_shadowed(&s, name, o);
    if (!s.found && s.refused)
        mend_options_fail(126, "%s: cannot be executed: permission denied", s.refused);
    if (!s.found && strchr(name, '/'))
        fail_path(name);
    if (!s.found)
        mend_options_fail(127, "%s: not found in %s%s%sPATH (%s), nor in %s", name,
                          app->dirs ? "--path (" : "", app->dirs ? app->dirs : "",
                          app->dirs ? "), in " : "", search_path(),
                          app->wdir ? app->wdir : "the current directory");
    app->path = s.found;
    free(s.refused);
}
