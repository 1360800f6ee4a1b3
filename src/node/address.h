/* SPDX-License-Identifier: BSD-3-Clause */
/* address.h – where something is reached by TCP: an address of version 4 or 6, and a port.
 *
 * One of version 4 is kept as that of version 6 which stands for it (::ffff:a.b.c.d, RFC 4291 2.5.5.2), and called by version 4: a
 * system may have no other.  An address that counts on one link only (fe80::) is none: other nodes name that link otherwise. */
#ifndef MEND_NODE_ADDRESS_H
#define MEND_NODE_ADDRESS_H

#include "base/status.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

struct mend_address {
    unsigned char ip[16];
    uint16_t port; /* in network byte order; 0: there is none */
    uint16_t unused;
};
_Static_assert(sizeof(struct mend_address) == 20, "the same for all compilers");

#define MEND_ADDRESS_TEXT (INET6_ADDRSTRLEN + 16)

static inline bool mend_address_is_v4(const struct mend_address *a)
{
    static const unsigned char prefix[12] = {[10] = 0xff, [11] = 0xff};

    return !memcmp(a->ip, prefix, sizeof(prefix));
}

static inline struct mend_address mend_address_v4(uint32_t ip, uint16_t port)
{
    struct mend_address a = {.ip = {[10] = 0xff, [11] = 0xff}, .port = port};

    memcpy(a.ip + 12, &ip, sizeof(ip));
    return a;
}

/* Any of the addresses of a machine, to listen at; its own, which other machines do not reach. */
static inline bool mend_address_is_any(const struct mend_address *a)
{
    static const unsigned char none[sizeof(a->ip)];

    return !memcmp(a->ip + (mend_address_is_v4(a) ? 12 : 0), none,
                   mend_address_is_v4(a) ? 4 : sizeof(none));
}

static inline bool mend_address_is_loopback(const struct mend_address *a)
{
    static const unsigned char six[sizeof(a->ip)] = {[15] = 1};

    return mend_address_is_v4(a) ? a->ip[12] == IN_LOOPBACKNET : !memcmp(a->ip, six, sizeof(six));
}

/* For socket(), bind() and connect().  Returns the length. */
static inline socklen_t mend_address_to(const struct mend_address *a, struct sockaddr_in6 *s_p)
{
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = a->port};

    *s_p = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = a->port};
    memcpy(&s_p->sin6_addr, a->ip, sizeof(a->ip));
    if (!mend_address_is_v4(a))
        return sizeof(*s_p);
    memcpy(&four.sin_addr, a->ip + 12, sizeof(four.sin_addr));
    memcpy(s_p, &four, sizeof(four));
    return sizeof(four);
}

/* False: it is of another kind, or counts on one link only. */
static inline bool mend_address_from(const struct sockaddr *s, struct mend_address *a_p)
{
    struct sockaddr_in four;
    struct sockaddr_in6 six;

    if (s->sa_family == AF_INET) {
        memcpy(&four, s, sizeof(four));
        *a_p = mend_address_v4(four.sin_addr.s_addr, four.sin_port);
        return true;
    }
    if (s->sa_family != AF_INET6)
        return false;
    memcpy(&six, s, sizeof(six));
    *a_p = (struct mend_address){.port = six.sin6_port};
    memcpy(a_p->ip, &six.sin6_addr, sizeof(a_p->ip));
    return !IN6_IS_ADDR_LINKLOCAL(&six.sin6_addr);
}

/* From a text without a port, as mend_address_from(). */
static inline bool mend_address_read(const char *text, struct mend_address *a_p)
{
    struct in_addr four;
    struct in6_addr six;

    *a_p = (struct mend_address){0};
    if (inet_pton(AF_INET, text, &four) == 1) {
        *a_p = mend_address_v4(four.s_addr, 0);
        return true;
    }
    if (inet_pton(AF_INET6, text, &six) != 1)
        return false;
    memcpy(a_p->ip, &six, sizeof(a_p->ip));
    return !IN6_IS_ADDR_LINKLOCAL(&six);
}

/* "10.0.0.2 port 4711".  Returns text. */
static inline const char *mend_address_text(const struct mend_address *a,
                                            char text[MEND_ADDRESS_TEXT])
{
    bool four = mend_address_is_v4(a);
    size_t n;

    if (!inet_ntop(four ? AF_INET : AF_INET6, a->ip + (four ? 12 : 0), text, MEND_ADDRESS_TEXT))
        *text = '\0';
    n = strlen(text);
    if (a->port)
        snprintf(text + n, MEND_ADDRESS_TEXT - n, " port %d", ntohs(a->port));
    return text;
}

static inline bool mend_address_same(const struct mend_address *a, const struct mend_address *b)
{
    return a->port == b->port && !memcmp(a->ip, b->ip, sizeof(a->ip));
}

#endif
