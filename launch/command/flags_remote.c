/* SPDX-License-Identifier: BSD-3-Clause */
/* flags_remote.c – flags that say how the agents of other hosts are started and reached. */
#include "command/flags.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mend_on_prefix(struct mend_parse *p, const char *value, const char *second)
{
    if (*value != '/')
        mend_options_fail(2, "%s: '%s' is not an absolute path", p->flag, value);
    p->o->remote.prefix = value;
}

void mend_on_agent(struct mend_parse *p, const char *value, const char *second)
{
    if (!*value || *value == '-')
        mend_options_fail(2, "%s: '%s' is not the name of a program", p->flag, value);
    p->o->remote.agent = value;
}

/* A program, perhaps with flags of its own. */
void mend_on_ssh(struct mend_parse *p, const char *value, const char *second)
{
    char *words = mend_options_keep(p->o, mend_xprintf("%s", value)), *save;

    free(p->o->remote.ssh.at);
    p->o->remote.ssh = (struct mend_strings){0};
    for (char *word = strtok_r(words, " \t", &save); word; word = strtok_r(NULL, " \t", &save))
        mend_strings_add(&p->o->remote.ssh, word);
    if (!p->o->remote.ssh.n || *p->o->remote.ssh.at[0] == '-')
        mend_options_fail(2, "%s: '%s' is not the name of a program", p->flag, value);
}

void mend_on_launcher(struct mend_parse *p, const char *value, const char *second)
{
    if (!strcmp(value, "rsh"))
        mend_on_ssh(p, value, second);
    else if (strcmp(value, "ssh") && strcmp(value, "fork"))
        mend_options_note(p->o, "%s %s: ignored; other hosts are reached by ssh", p->flag, value);
}

void mend_on_port_range(struct mend_parse *p, const char *value, const char *second)
{
    int first, last, end = 0;

    if ((sscanf(value, "%5d:%5d%n", &first, &last, &end) != 2 || value[end]) &&
        (sscanf(value, "%5d-%5d%n", &first, &last, &end) != 2 || value[end]))
        mend_options_fail(2, "%s: '%s' is not FIRST:LAST, two numbers of ports", p->flag, value);
    if (first < 1 || last > 65535 || first > last)
        mend_options_fail(2, "%s: '%s': ports are numbers between 1 and 65535, the smaller first",
                          p->flag, value);
    p->o->remote.port_first = first;
    p->o->remote.port_last = last;
}

void mend_on_connect_timeout(struct mend_parse *p, const char *value, const char *second)
{
    p->o->remote.connect_timeout_ns = mend_flag_seconds(p->flag, value);
    if (!p->o->remote.connect_timeout_ns)
        mend_options_fail(2, "%s: the time must be more than 0", p->flag);
}

/* ---- interfaces ---- */

/* The name of an interface, an address, or a network; false: none of these. */
static bool read_interface(const char *text, struct mend_interface *x_p)
{
    char address[INET6_ADDRSTRLEN];
    size_t len = strcspn(text, "/");
    int most, end = 0;

    *x_p = (struct mend_interface){.text = text};
    if (!len || len >= sizeof(address))
        return false;
    memcpy(address, text, len);
    address[len] = '\0';
    x_p->family = inet_pton(AF_INET, address, x_p->bytes) == 1    ? AF_INET
                  : inet_pton(AF_INET6, address, x_p->bytes) == 1 ? AF_INET6
                                                                  : AF_UNSPEC;
    most = x_p->family == AF_INET ? 32 : 128;
    x_p->bits = most;
    if (x_p->family == AF_UNSPEC)
        return !text[len] && len < IF_NAMESIZE && !strpbrk(text, " 	,:");
    if (!text[len])
        return true;
    return sscanf(text + len, "/%3d%n", &x_p->bits, &end) == 1 && !text[len + (size_t)end] &&
           x_p->bits >= 0 && x_p->bits <= most;
}

void mend_on_interface(struct mend_parse *p, const char *value, const char *second)
{
    if (!read_interface(value, &p->o->remote.interface))
        mend_options_fail(
            2,
            "%s: '%s' is neither the name of a network interface nor an address nor a "
            "network such as 10.1.0.0/16",
            p->flag, value);
}

/* ---- Open MPI's parameters ---- */

static bool is_among(const char *name, const char *names)
{
    size_t len = strlen(name);

    for (const char *at = names; (at = strstr(at, name)); at += len)
        if ((at == names || at[-1] == ' ') && (at[len] == ' ' || !at[len]))
            return true;
    return false;
}

/* Those that have a flag here. */
void mend_on_mca(struct mend_parse *p, const char *value, const char *second)
{
    if (is_among(value, "plm_rsh_agent plm_ssh_agent pls_rsh_agent orte_rsh_agent"))
        mend_on_ssh(p, second, NULL);
    else if (is_among(value, "orte_launch_agent prte_launch_agent"))
        mend_on_agent(p, second, NULL);
    else if (is_among(value, "btl_tcp_if_include oob_tcp_if_include prte_if_include"))
        mend_on_interface(p, second, NULL);
    else
        mend_options_note(p->o, "%s %s %s: ignored; %s", p->flag, value, second, p->why);
}
