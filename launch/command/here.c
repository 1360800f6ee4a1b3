/* SPDX-License-Identifier: BSD-3-Clause */
/* here.c – whether a name is one of this machine: its own, with or without a domain; an address of one of its interfaces; a name that
 * its file of hosts gives such an address.  No server is asked: one that does not answer would hold up the start, and a machine that
 * only a server knows as this one is reached as any other. */
#include "command/options.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Names and addresses of this machine; read once. */
struct own {
    char host[256];
    struct ifaddrs *addresses;
    struct mend_strings names;
    bool read;
};

static const unsigned char *bytes_of(const struct sockaddr *a)
{
    return a->sa_family == AF_INET
               ? (const void *)&((const struct sockaddr_in *)(const void *)a)->sin_addr
               : (const void *)&((const struct sockaddr_in6 *)(const void *)a)->sin6_addr;
}

static bool is_loopback(int family, const void *bytes)
{
    return family == AF_INET ? *(const unsigned char *)bytes == IN_LOOPBACKNET
                             : IN6_IS_ADDR_LOOPBACK((const struct in6_addr *)bytes);
}

static bool is_own_address(const struct own *own, int family, const void *bytes)
{
    size_t len = family == AF_INET ? sizeof(struct in_addr) : sizeof(struct in6_addr);

    if (is_loopback(family, bytes))
        return true;
    for (const struct ifaddrs *i = own->addresses; i; i = i->ifa_next)
        if (i->ifa_addr && i->ifa_addr->sa_family == family &&
            !memcmp(bytes_of(i->ifa_addr), bytes, len))
            return true;
    return false;
}

/* 0: it is not an address.  Without the name of an interface behind a '%'. */
static int address_of(const char *name, struct in6_addr *bytes_p)
{
    char text[INET6_ADDRSTRLEN];
    size_t len = strcspn(name, "%");

    if (len >= sizeof(text))
        return 0;
    memcpy(text, name, len);
    text[len] = '\0';
    if (inet_pton(AF_INET, text, bytes_p) == 1)
        return AF_INET;
    return inet_pton(AF_INET6, text, bytes_p) == 1 ? AF_INET6 : 0;
}

/* "ADDRESS NAME ALIAS ... # comment" */
static void read_line(struct own *own, char *line)
{
    char *save, *word;
    struct in6_addr bytes;
    int family;

    line[strcspn(line, "#\r\n")] = '\0';
    word = strtok_r(line, " \t", &save);
    family = word ? address_of(word, &bytes) : 0;
    if (!family || !is_own_address(own, family, &bytes))
        return;
    while ((word = strtok_r(NULL, " \t", &save)))
        mend_strings_add(&own->names, mend_xprintf("%s", word));
}

/* Not by the C library, which leaves out addresses of version 6. */
static void read_names(struct own *own)
{
    FILE *f = fopen("/etc/hosts", "re");
    char *line = NULL;
    size_t room = 0;

    while (f && getline(&line, &room, f) > 0)
        read_line(own, line);
    free(line);
    if (f)
        fclose(f);
}

static const struct own *read_own(void)
{
    static struct own own;

    if (own.read)
        return &own;
    gethostname(own.host, sizeof(own.host) - 1);
    if (getifaddrs(&own.addresses) != 0)
        own.addresses = NULL;
    read_names(&own);
    own.read = true;
    return &own;
}

bool mend_host_is_same(const char *a, const char *b)
{
    size_t a_len = strcspn(a, "."), b_len = strcspn(b, ".");

    if (!strcasecmp(a, b))
        return true;
    return a_len == b_len && !strncasecmp(a, b, a_len) && !(a[a_len] && b[b_len]);
}

bool mend_host_is_any(const char *name)
{
    struct in6_addr bytes;
    int family = address_of(name, &bytes);

    return family ? is_loopback(family, &bytes)
                  : !strcasecmp(name, "localhost") || !strcasecmp(name, "localhost.localdomain");
}

bool mend_host_is_here(const char *name)
{
    const struct own *own = read_own();
    struct in6_addr bytes;
    int family = address_of(name, &bytes);

    if (mend_host_is_any(name))
        return true;
    if (family)
        return is_own_address(own, family, &bytes);
    if (mend_host_is_same(name, own->host))
        return true;
    for (int i = 0; i < own->names.n; i++)
        if (!strcasecmp(name, own->names.at[i]))
            return true;
    return false;
}

/* ---- addresses ---- */

/* The first `bits` bits are equal. */
static bool is_in_net(const unsigned char *a, const unsigned char *b, int bits)
{
    int whole = bits / 8, rest = bits % 8;

    return !memcmp(a, b, (size_t)whole) && (!rest || !((a[whole] ^ b[whole]) >> (8 - rest)));
}

static bool is_of(const struct mend_interface *x, const char *name, const struct sockaddr *address)
{
    if (x->family == AF_UNSPEC)
        return !strcmp(x->text, name);
    if (x->family != address->sa_family)
        return false;
    return is_in_net(bytes_of(address), x->bytes, x->bits);
}

/* Of one link only; the name of the interface would have to go with it. */
static bool is_link_local(const struct sockaddr *a)
{
    return a->sa_family == AF_INET6 &&
           IN6_IS_ADDR_LINKLOCAL(&((const struct sockaddr_in6 *)(const void *)a)->sin6_addr);
}

bool mend_here_address(const struct mend_interface *x, struct sockaddr_storage *address_p)
{
    for (const struct ifaddrs *i = read_own()->addresses; i; i = i->ifa_next) {
        const struct sockaddr *a = i->ifa_addr;

        if (!a || (a->sa_family != AF_INET && a->sa_family != AF_INET6) ||
            (x->family == AF_UNSPEC && is_link_local(a)) || !is_of(x, i->ifa_name, a))
            continue;
        memset(address_p, 0, sizeof(*address_p));
        memcpy(address_p, a,
               a->sa_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6));
        return true;
    }
    return false;
}
