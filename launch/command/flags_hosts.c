/* SPDX-License-Identifier: BSD-3-Clause */
/* flags_hosts.c – flags that name machines.
 *
 * There is one machine.  A list of hosts that names only this one is taken, and its slots count ranks; any other
 * host is an error. */
#include "command/flags.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- hosts ---- */

static bool is_own_address(const char *name)
{
    struct ifaddrs *all, *i;
    char text[INET6_ADDRSTRLEN];
    bool own = false;

    if (getifaddrs(&all) != 0)
        return false;
    for (i = all; i && !own; i = i->ifa_next) {
        int family = i->ifa_addr ? i->ifa_addr->sa_family : AF_UNSPEC;
        const void *address =
            family == AF_INET ? (void *)&((struct sockaddr_in *)(void *)i->ifa_addr)->sin_addr
                              : (void *)&((struct sockaddr_in6 *)(void *)i->ifa_addr)->sin6_addr;

        own = (family == AF_INET || family == AF_INET6) &&
              inet_ntop(family, address, text, sizeof(text)) && !strcmp(text, name);
    }
    freeifaddrs(all);
    return own;
}

/* "node1" and "node1.cluster.org" are the same machine, "node1.a.org" and "node1.b.org" are not. */
static bool same_host(const char *a, const char *b)
{
    size_t a_len = strcspn(a, "."), b_len = strcspn(b, ".");

    if (!strcasecmp(a, b))
        return true;
    return a_len == b_len && !strncasecmp(a, b, a_len) && !(a[a_len] && b[b_len]);
}

static bool is_this_machine(const char *name)
{
    char own[256] = "";

    gethostname(own, sizeof(own) - 1);
    return !strcasecmp(name, "localhost") || !strcasecmp(name, "localhost.localdomain") ||
           same_host(name, own) || is_own_address(name);
}

static void take_host(struct mend_parse *p, const char *name, const char *slots)
{
    char own[256] = "";

    gethostname(own, sizeof(own) - 1);
    if (!is_this_machine(name))
        mend_options_fail(
            2, "%s: '%s' is not this machine (%s); Mend starts ranks on this machine only for now",
            p->flag, name, own);
    if (slots)
        p->o->slots_n += mend_flag_number(p->flag, slots, 1, MEND_RANKS_MAX);
}

/* NAME or NAME:SLOTS; an address of version 6 with slots stands in brackets. */
static void take_host_word(struct mend_parse *p, char *word)
{
    char *colon = strchr(word, ':'), *end = *word == '[' ? strchr(word, ']') : NULL;

    if (end) {
        word++;
        *end = '\0';
        colon = end[1] == ':' ? end + 1 : NULL;
    } else if (colon && strchr(colon + 1, ':')) {
        colon = NULL;
    }
    if (colon)
        *colon = '\0';
    take_host(p, word, colon ? colon + 1 : NULL);
}

void mend_on_hosts(struct mend_parse *p, const char *value, const char *second)
{
    char *words = mend_xprintf("%s", value), *save;
    char *word = strtok_r(words, ",", &save);

    if (!word)
        mend_options_fail(2, "%s: no host is named", p->flag);
    for (; word; word = strtok_r(NULL, ",", &save))
        take_host_word(p, word);
    free(words);
}

/* "NAME", "NAME:4", "NAME slots=4 ..."; '#' begins a comment. */
static void take_host_line(struct mend_parse *p, char *line)
{
    char *save, *word, *slots = NULL;

    line[strcspn(line, "#\n")] = '\0';
    word = strtok_r(line, " \t\r", &save);
    if (!word)
        return;
    for (char *more = strtok_r(NULL, " \t\r", &save); more; more = strtok_r(NULL, " \t\r", &save))
        if (!strncmp(more, "slots=", 6))
            slots = more + 6;
    if (slots)
        take_host(p, word, slots);
    else
        take_host_word(p, word);
}

void mend_on_host_file(struct mend_parse *p, const char *value, const char *second)
{
    FILE *f = fopen(value, "re");
    char *line = NULL;
    size_t size = 0;

    if (!f)
        mend_options_fail(2, "%s %s: %s", p->flag, value, strerror(errno));
    while (getline(&line, &size, f) >= 0)
        take_host_line(p, line);
    free(line);
    fclose(f);
}
