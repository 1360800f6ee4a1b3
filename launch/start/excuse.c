/* SPDX-License-Identifier: BSD-3-Clause */
/* excuse.c – why an agent has not come, in a sentence that has the host, what was said last, and what to do.
 *
 * What ssh says decides what is advised, and nothing else: a text that is not known here is said all the same. */
#include "start/ways.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static const struct {
    const char *said; /* a part of what ssh says, in any case */
    const char *advice;
} advices[] = {
    {"could not resolve", "check the name"},
    {"name or service not known", "check the name"},
    {"host key verification failed", "run 'ssh HOST true' once by hand, and accept its key"},
    {"remote host identification has changed",
     "its key has changed: 'ssh HOST true' says what to do"},
    {"permission denied",
     "ssh has to log in there without a question: 'ssh-copy-id HOST' gives it a key"},
    {"too many authentication failures", "ssh has to log in there without a question"},
    {"connection refused", "no ssh server answers there: is it started, and at another port?"},
    {"no route to host", "check that the machine runs, and its network"},
    {"network is unreachable", "check that the machine runs, and its network"},
    {"timed out", "check that the machine runs, and that no firewall is in between"},
    {"connection closed by", "its ssh server has ended the connection: its log says why"},
    {"connection reset by", "its ssh server has ended the connection: its log says why"},
    {"unknown user", "check the user's name"},
};

static const char *advice_on(const char *said)
{
    for (size_t i = 0; i < MEND_COUNT_OF(advices); i++)
        if (strcasestr(said, advices[i].said))
            return advices[i].advice;
    return "try 'ssh HOST true' by hand";
}

/* "HOST" becomes the host. */
static char *filled_in(const char *text, const char *host)
{
    const char *at = strstr(text, "HOST");

    return at ? mend_xprintf("%.*s%s%s", (int)(at - text), text, host, at + strlen("HOST"))
              : mend_xprintf("%s", text);
}

/* What we say begins with the name of this mpiexec. */
static const char *without_name(const char *said)
{
    return said + (!strncmp(said, "mpiexec: ", 9) ? 9 : !strncmp(said, "ssh: ", 5) ? 5 : 0);
}

static bool is_of_mpiexec(const char *line)
{
    return !strncmp(line, "mpiexec: ", 9);
}

int mend_way_exit_status(int status, const char *said)
{
    int code = status != -1 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;

    return (code == 126 || code == 127) && is_of_mpiexec(said) ? code : 0;
}

/* ssh itself has failed. */
static char *no_login(const struct mend_errand *what, const char *said)
{
    char *advice, *text;

    if (!*said) /* the status is the same */
        return mend_xprintf(
            "no agent on %s: ssh says nothing; if 'ssh %s true' works, the agent was "
            "killed there",
            what->host, what->host);
    advice = filled_in(advice_on(said), what->host);
    text = mend_xprintf("no agent on %s: ssh says: %s; %s", what->host, without_name(said), advice);
    free(advice);
    return text;
}

static char *too_late(const struct mend_errand *what, const char *said)
{
    return mend_xprintf("no agent on %s: it has not called within the time that --connect-timeout "
                        "gives%s%s; try 'ssh %s true' by hand",
                        what->host, *said ? "; the last that was said: " : "", said, what->host);
}

static char *no_word(const struct mend_errand *what, const char *said)
{
    return mend_xprintf("no agent on %s: it had called, and its connection has ended before it was "
                        "ready: %s",
                        what->host, *said ? without_name(said) : "nothing was said");
}

char *mend_way_excuse(enum mend_way way, const struct mend_errand *what, int status,
                      const char *said)
{
    int code = status != -1 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;

    if (way != MEND_WAY_ssh)
        return mend_xprintf("an agent on this machine has ended");
    if (status == -1)
        return what->called ? no_word(what, said) : too_late(what, said);
    if (code == 255)
        return no_login(what, said);
    if (mend_way_exit_status(status, said))
        return mend_xprintf("%s on %s, where a rank is to run", without_name(said), what->host);
    if (code == 127 || code == 126)
        return mend_xprintf("no agent on %s: there is no %s (%s); --prefix says where Mend is "
                            "installed there",
                            what->host, what->program, *said ? said : "nothing was said");
    if (*said)
        return mend_xprintf("no agent on %s: %s", what->host, without_name(said));
    if (code < 0)
        return mend_xprintf("no agent on %s: ssh was killed by signal %d", what->host,
                            WTERMSIG(status));
    return mend_xprintf("no agent on %s: it has ended with status %d and said nothing; try "
                        "'ssh %s %s --version' by hand",
                        what->host, code, what->host, what->program);
}

static void cut_off(struct mend_said *s, const char *what)
{
    while (s->n && strchr(what, s->line[s->n - 1]))
        s->n--;
    s->line[s->n] = '\0';
}

static void pass_on(struct mend_said *s)
{
    if (!s->n || s->told_n > MEND_WAY_LINES)
        return;
    s->tell(s->self,
            s->told_n++ < MEND_WAY_LINES ? s->line : "(more is said, and is not shown here)");
}

/* In a sentence there is no full stop. */
static void keep(struct mend_said *s)
{
    cut_off(s, " \t\r.");
    if (s->n && (is_of_mpiexec(s->line) || !is_of_mpiexec(s->last)))
        strcpy(s->last, s->line);
}

static void end_line(struct mend_said *s)
{
    cut_off(s, " \t\r");
    if (s->ready)
        pass_on(s);
    else if (strcmp(s->line, MEND_WAY_READY) != 0)
        keep(s);
    else
        s->ready = true;
    s->n = 0;
}

void mend_way_hear(struct mend_said *s, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i] == '\n')
            end_line(s);
        else if (s->n + 1 < sizeof(s->line))
            s->line[s->n++] = bytes[i] >= 0 && bytes[i] < ' ' ? ' ' : bytes[i];
}

const char *mend_way_said(struct mend_said *s)
{
    end_line(s);
    return s->last;
}
