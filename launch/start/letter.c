/* SPDX-License-Identifier: BSD-3-Clause */
/* letter.c – see letter.h.
 *
 * One list of the fields (walk()) is what writes and what reads them. */
#include "start/letter.h"

#include "base/bytes.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SILENCE_MS  30000 /* a sender that lives and runs writes at once */
#define STRINGS_MAX (1u << 22)

/* A letter that is written, or read. */
struct pen {
    bool writes;
    unsigned char *out;
    size_t n, room;
    struct mend_bytes in;
};

static void put(struct pen *p, const void *bytes, size_t len)
{
    while (p->n + len > p->room) {
        p->room = p->room ? 2 * p->room : 4096;
        p->out = realloc(p->out, p->room);
        if (!p->out)
            mend_options_fail(1, "no memory");
    }
    if (len)
        memcpy(p->out + p->n, bytes, len);
    p->n += len;
}

static void bytes(struct pen *p, void *field, size_t len)
{
    if (p->writes) {
        put(p, field, len);
    } else if ((size_t)(p->in.end - p->in.at) < len) {
        p->in.bad = true;
    } else {
        memcpy(field, p->in.at, len);
        p->in.at += len;
    }
}

static void number(struct pen *p, uint64_t *field, int len)
{
    uint8_t b[8];

    if (p->writes) {
        mend_bytes_put(b, *field, len);
        put(p, b, (size_t)len);
    } else {
        *field = mend_bytes_next(&p->in, len);
    }
}

static void number32(struct pen *p, uint32_t *field)
{
    uint64_t v = *field;

    number(p, &v, 4);
    *field = (uint32_t)v;
}

static void number16(struct pen *p, uint16_t *field)
{
    uint64_t v = *field;

    number(p, &v, 2);
    *field = (uint16_t)v;
}

static void string(struct pen *p, const char **field)
{
    uint32_t len = p->writes ? (uint32_t)strlen(*field) : 0;

    number32(p, &len);
    if (p->writes) {
        put(p, *field, (size_t)len + 1);
        return;
    }
    if (p->in.bad || (size_t)(p->in.end - p->in.at) <= len || memchr(p->in.at, 0, len) ||
        p->in.at[len]) {
        p->in.bad = true;
        return;
    }
    *field = (const char *)p->in.at;
    p->in.at += len + 1;
}

static void strings(struct pen *p, struct mend_strings *field)
{
    uint32_t n = (uint32_t)field->n;

    number32(p, &n);
    if (!p->writes && (n > STRINGS_MAX || n > (size_t)(p->in.end - p->in.at))) {
        p->in.bad = true;
        return;
    }
    for (uint32_t i = 0; i < n && !p->in.bad; i++) {
        const char *s = p->writes ? field->at[i] : NULL;

        string(p, &s);
        if (!p->writes && s)
            mend_strings_add(field, (char *)s);
    }
}

static void block(struct pen *p, const unsigned char **field, uint32_t *len)
{
    number32(p, len);
    if (p->writes) {
        put(p, *field, *len);
    } else if ((size_t)(p->in.end - p->in.at) < *len) {
        p->in.bad = true;
    } else {
        *field = p->in.at;
        p->in.at += *len;
    }
}

static void ancestors(struct pen *p, struct mend_letter *l)
{
    number32(p, &l->ancestors_n);
    p->in.bad |= l->ancestors_n > MEND_LINEAGE_EDGES_MAX;
    for (uint32_t i = 0; i < l->ancestors_n && !p->in.bad; i++) {
        number32(p, &l->ancestor[i].node);
        bytes(p, &l->ancestor[i].door, sizeof(l->ancestor[i].door));
        number16(p, &l->ancestor[i].beats_port);
    }
}

static void walk(struct pen *p, struct mend_letter *l)
{
    number32(p, &l->node);
    number32(p, &l->nodes_n);
    number32(p, &l->by_ssh);
    number32(p, &l->input_fd);
    number32(p, &l->umask);
    number(p, &l->answer_ms, 8);
    number(p, &l->job, 8);
    bytes(p, l->key, sizeof(l->key));
    bytes(p, l->agents_key, sizeof(l->agents_key));
    ancestors(p, l);
    string(p, &l->host);
    string(p, &l->parent_host);
    string(p, &l->user);
    string(p, &l->wdir);
    strings(p, &l->argv);
    strings(p, &l->env);
    block(p, &l->given, &l->given_n);
    for (int i = 0; i < MEND_LETTER_LIMITS; i++)
        number(p, &l->limits[i], 8);
}

static void digest(const unsigned char *at, size_t len, unsigned char out[MEND_SHA256_BYTES])
{
    struct mend_sha256 s;

    mend_sha256_init(&s);
    mend_sha256_add(&s, at, len);
    mend_sha256_end(&s, out);
}

unsigned char *mend_letter_encode(const struct mend_letter *l, const struct mend_build *mine,
                                  size_t *len_p)
{
    struct pen body = {.writes = true}, whole = {.writes = true};
    struct mend_letter copy = *l;
    unsigned char sum[MEND_SHA256_BYTES];
    char line[MEND_LETTER_LINE_MAX];
    int n;

    walk(&body, &copy);
    digest(body.out, body.n, sum);
    n = snprintf(line, sizeof(line), "mend-letter %016llx %s %.255s %zu\n",
                 (unsigned long long)mine->number, mine->version, l->parent_host, body.n);
    put(&whole, line, (size_t)n);
    put(&whole, body.out, body.n);
    put(&whole, sum, sizeof(sum));
    explicit_bzero(body.out, body.n); /* the key is in it */
    free(body.out);
    *len_p = whole.n;
    return whole.out;
}

size_t mend_letter_line(const char *line, const struct mend_build *mine, const char *host,
                        char **why_p)
{
    unsigned long long build, len;
    char of[64], sender[256];
    int end = 0;

    if (sscanf(line, "mend-letter %16llx %63s %255s %llu%n", &build, of, sender, &len, &end) != 4 ||
        strcmp(line + end, "\n") != 0 || !len || len > MEND_LETTER_MAX) {
        *why_p = mend_xprintf("what comes on standard input is not the letter of an mpiexec "
                              "(--agent is not for users)");
        return 0;
    }
    if (build == mine->number)
        return (size_t)len;
    *why_p = mend_xprintf(
        "%s has Mend %s of build %016llx, and %s has Mend %s of build %016llx: all nodes of a job "
        "need the same one (--prefix says where)",
        host, mine->version, (unsigned long long)mine->number, sender, of, build);
    return 0;
}

/* Each has a lower number than the one that it starts, and the root is the last. */
static bool are_ancestors(const struct mend_letter *l)
{
    uint32_t below = l->node;

    for (uint32_t i = 0; i < l->ancestors_n; i++) {
        if (l->ancestor[i].node >= below)
            return false;
        below = l->ancestor[i].node;
    }
    return l->ancestors_n && !below;
}

bool mend_letter_decode(const unsigned char *at, size_t len, struct mend_letter *l_p)
{
    struct pen p = {.in = {.at = at, .end = at + len - MEND_SHA256_BYTES}};
    unsigned char sum[MEND_SHA256_BYTES];

    *l_p = (struct mend_letter){0};
    if (len < MEND_SHA256_BYTES)
        return false;
    digest(at, len - MEND_SHA256_BYTES, sum);
    if (memcmp(sum, p.in.end, sizeof(sum)) != 0)
        return false;
    walk(&p, l_p);
    return !p.in.bad && p.in.at == p.in.end && l_p->nodes_n > 1 && l_p->node > 0 &&
           l_p->node < l_p->nodes_n && are_ancestors(l_p) && l_p->argv.n > 0;
}

/* ---- reading ---- */

/* False: it ends, or nothing comes. */
static bool take(int fd, void *at, size_t len)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    size_t done = 0;

    while (done < len) {
        ssize_t n = poll(&p, 1, SILENCE_MS) > 0 ? read(fd, (char *)at + done, len - done) : 0;

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

/* Byte by byte: what follows is not ours to take yet. */
static bool take_line(int fd, char line[MEND_LETTER_LINE_MAX])
{
    for (size_t n = 0; n + 1 < MEND_LETTER_LINE_MAX; n++) {
        if (!take(fd, line + n, 1))
            return false;
        line[n + 1] = '\0';
        if (line[n] == '\n')
            return true;
    }
    return true;
}

bool mend_letter_read(int fd, const struct mend_build *mine, struct mend_letter *l_p, char **why_p)
{
    char line[MEND_LETTER_LINE_MAX] = "", host[256] = "this host";
    unsigned char *rest;
    size_t len;

    *why_p = NULL;
    gethostname(host, sizeof(host) - 1);
    if (take_line(fd, line)) {
        len = mend_letter_line(line, mine, host, why_p);
        if (!len)
            return false;
        len += MEND_SHA256_BYTES;
        rest = mend_xalloc(1, len);
        if (take(fd, rest, len) && mend_letter_decode(rest, len, l_p))
            return true;
        free(rest);
    }
    *why_p = mend_xprintf("the letter of mpiexec has not come whole");
    return false;
}
