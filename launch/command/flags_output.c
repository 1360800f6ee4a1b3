/* SPDX-License-Identifier: BSD-3-Clause */
/* flags_output.c – flags about the ranks' output: how lines begin, and files instead of mpiexec's output.
 *
 * A file is named by a pattern: %r is the rank, %R the rank with as many digits as the highest one, %h the
 * host, %% a percent sign.  Without a rank in it all ranks write to the same file. */
#include "command/flags.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mend_on_tag(struct mend_parse *p, const char *value, const char *second)
{
    p->o->tag_output = true;
}

void mend_on_pty(struct mend_parse *p, const char *value, const char *second)
{
    p->o->pty = true;
}

void mend_on_timestamp(struct mend_parse *p, const char *value, const char *second)
{
    p->o->timestamp_output = true;
}

void mend_on_merge(struct mend_parse *p, const char *value, const char *second)
{
    p->o->merge_output = true;
}

static const char *checked(struct mend_parse *p, const char *pattern)
{
    if (!*pattern)
        mend_options_fail(2, "%s: the name of the file is empty", p->flag);
    for (const char *at = strchr(pattern, '%'); at; at = strchr(at + 2, '%'))
        if (!at[1] || !strchr("rRhgp%", at[1]))
            mend_options_fail(
                2, "%s: '%.2s' in '%s' is not one of: %%r %%R (the rank), %%h (the host), %%%%",
                p->flag, at, pattern);
    return pattern;
}

void mend_on_out_pattern(struct mend_parse *p, const char *value, const char *second)
{
    p->o->out_pattern = checked(p, value);
}

void mend_on_err_pattern(struct mend_parse *p, const char *value, const char *second)
{
    p->o->err_pattern = checked(p, value);
}

static bool names_rank(const char *pattern)
{
    return strstr(pattern, "%r") || strstr(pattern, "%R");
}

/* One file per rank, for both streams; what follows a ':' is how Open MPI is told not to write twice. */
void mend_on_out_file(struct mend_parse *p, const char *value, const char *second)
{
    char *name = mend_options_keep(p->o, mend_xprintf("%.*s", (int)strcspn(value, ":"), value));

    checked(p, name);
    if (value[strlen(name)] && strcmp(value + strlen(name), ":nocopy"))
        mend_options_fail(
            2, "%s: '%s' cannot follow the name of a file (only ':nocopy', and it is always so)",
            p->flag, value + strlen(name));
    if (!names_rank(name))
        name = mend_options_keep(p->o, mend_xprintf("%s.%%R", name));
    p->o->out_pattern = p->o->err_pattern = name;
}

static const char *in_directory(struct mend_parse *p, const char *directory, const char *stream)
{
    return checked(p, mend_options_keep(p->o, mend_xprintf("%s/rank.%%R/%s", directory, stream)));
}

static void one_way(struct mend_parse *p, const char *way)
{
    const char *equals = strchr(way, '=');

    if (!strcmp(way, "tag") || !strcmp(way, "rank") || !strcmp(way, "tag-detailed"))
        mend_on_tag(p, NULL, NULL);
    else if (!strcmp(way, "timestamp"))
        mend_on_timestamp(p, NULL, NULL);
    else if (!strcmp(way, "merge") || !strcmp(way, "merge-stderr-to-stdout"))
        mend_on_merge(p, NULL, NULL);
    else if (!strncmp(way, "file=", 5))
        mend_on_out_file(p, equals + 1, NULL);
    else if (!strncmp(way, "dir=", 4)) {
        p->o->out_pattern = in_directory(p, equals + 1, "stdout");
        p->o->err_pattern = in_directory(p, equals + 1, "stderr");
    } else if (equals || !strcmp(way, "xml"))
        mend_options_fail(
            2,
            "%s: '%s' is not one of: tag, timestamp, merge, file=NAME, dir=NAME, or a file's name",
            p->flag, way);
    else
        mend_on_out_file(p, way, NULL);
}

void mend_on_output(struct mend_parse *p, const char *value, const char *second)
{
    for (const char *at = value;; at++) {
        size_t len = strcspn(at, ",");

        one_way(p, mend_options_keep(p->o, mend_xprintf("%.*s", (int)len, at)));
        at += len;
        if (!*at)
            return;
    }
}

bool mend_pattern_per_rank(const char *pattern)
{
    return names_rank(pattern);
}

char *mend_pattern_name(const char *pattern, int rank, int ranks_n, const char *host)
{
    char digits[16], *name = mend_xprintf("%s", "");

    snprintf(digits, sizeof(digits), "%d", ranks_n - 1);
    for (const char *at = pattern; *at; at++) {
        char *before = name;

        if (*at != '%')
            name = mend_xprintf("%s%c", before, *at);
        else if (*++at == 'r')
            name = mend_xprintf("%s%d", before, rank);
        else if (*at == 'R')
            name = mend_xprintf("%s%0*d", before, (int)strlen(digits), rank);
        else if (*at == 'h')
            name = mend_xprintf("%s%s", before, host);
        else
            name = mend_xprintf("%s%s", before, *at == '%' ? "%" : "0"); /* one job, one agent: 0 */
        free(before);
    }
    return name;
}
