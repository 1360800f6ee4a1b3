/* SPDX-License-Identifier: BSD-3-Clause */
/* settle.c – see settle.h.
 *
 * All ranks of a job shall find the same, so the environment is that of mpiexec as a whole.  What belongs to a session (a
 * terminal, a display, a login) means nothing elsewhere: of that the agent keeps what it has.  So it does with what
 * names the user's account, if that is another one there.
 *
 * Limits of the shell that a user sets for a program go with it, as far as the hard ones allow; those that the system
 * sets for an account (processes, locked memory, priorities) stay as they are there. */
#include "start/settle.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* A name with '*' stands for all that begin so. */
static const char *const of_session[] = {"SSH_*",      "XDG_SESSION_*", "XDG_RUNTIME_DIR",
                                         "XDG_SEAT",   "XDG_VTNR",      "DBUS_SESSION_*",
                                         "DISPLAY",    "WAYLAND_*",     "XAUTHORITY",
                                         "WINDOWID",   "TMUX",          "TMUX_PANE",
                                         "STY",        "GPG_TTY",       "TTY",
                                         "HOSTNAME",   "HOST",          "SHLVL",
                                         "KRB5CCNAME", "JOURNAL_*",     "INVOCATION_ID",
                                         "_",          "NOTIFY_SOCKET"};
static const char *const of_account[] = {"HOME", "USER", "LOGNAME", "SHELL", "MAIL"};
static const int limits[MEND_LETTER_LIMITS] = {
    RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_DATA, RLIMIT_STACK, RLIMIT_CORE, RLIMIT_NOFILE, RLIMIT_AS};

static bool is_named(const char *pair, const char *pattern)
{
    size_t n = strcspn(pattern, "*");

    return !strncmp(pair, pattern, n) && (pattern[n] || pair[n] == '=');
}

static bool is_one_of(const char *pair, const char *const *patterns, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (is_named(pair, patterns[i]))
            return true;
    return false;
}

static bool stays(const char *pair, bool same_account)
{
    return is_one_of(pair, of_session, MEND_COUNT_OF(of_session)) ||
           (!same_account && is_one_of(pair, of_account, MEND_COUNT_OF(of_account)));
}

struct mend_strings mend_settle_env(const struct mend_letter *l, char **here, const char *user_here)
{
    bool same = !strcmp(l->user, user_here);
    struct mend_strings env = {0};

    for (int i = 0; i < l->env.n; i++)
        if (!stays(l->env.at[i], same))
            mend_strings_add(&env, l->env.at[i]);
    for (; *here; here++)
        if (stays(*here, same))
            mend_strings_add(&env, *here);
    return env;
}

static const char *user_name(void)
{
    const struct passwd *p = getpwuid(geteuid());

    return p ? p->pw_name : "";
}

/* As the shell calls it, if that is the same: with links that all nodes have. */
static char *directory(void)
{
    const char *said = getenv("PWD");
    struct stat a, b;

    if (said && *said == '/' && stat(said, &a) == 0 && stat(".", &b) == 0 && a.st_dev == b.st_dev &&
        a.st_ino == b.st_ino)
        return mend_xprintf("%s", said);
    return getcwd(NULL, 0);
}

void mend_settle_describe(struct mend_letter *l_p, const struct mend_process *before)
{
    mode_t mask = umask(0);
    struct rlimit r;
    char *wdir = directory();

    umask(mask);
    l_p->umask = mask;
    l_p->wdir = wdir ? wdir : "/";
    l_p->user = mend_xprintf("%s", user_name());
    for (char **e = environ; *e; e++)
        mend_strings_add(&l_p->env, *e);
    for (int i = 0; i < MEND_LETTER_LIMITS; i++) {
        getrlimit((__rlimit_resource_t)limits[i], &r);
        l_p->limits[i] = limits[i] == RLIMIT_NOFILE ? before->files.rlim_cur : r.rlim_cur;
    }
}

static void limit(int resource, uint64_t soft)
{
    struct rlimit r;

    if (getrlimit((__rlimit_resource_t)resource, &r) != 0)
        return;
    r.rlim_cur = soft < r.rlim_max ? soft : r.rlim_max;
    setrlimit((__rlimit_resource_t)resource, &r);
}

char *mend_settle(const struct mend_letter *l)
{
    struct mend_strings env = mend_settle_env(l, environ, user_name());

    environ = env.at ? env.at : mend_xalloc(1, sizeof(*environ));
    umask((mode_t)l->umask);
    for (int i = 0; i < MEND_LETTER_LIMITS; i++)
        limit(limits[i], l->limits[i]);
    if (chdir(l->wdir) == 0)
        return NULL;
    return mend_xprintf("the directory %s, where mpiexec was started, cannot be entered on %s: %s; "
                        "start it in one that all nodes have",
                        l->wdir, l->host, strerror(errno));
}

bool mend_settle_ends(const char *ssh_connection, struct mend_address *client_p,
                      struct mend_address *server_p)
{
    char client[64], server[64];

    return ssh_connection && sscanf(ssh_connection, "%63s %*s %63s", client, server) == 2 &&
           mend_address_read(client, client_p) && mend_address_read(server, server_p);
}
