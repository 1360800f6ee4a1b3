/* SPDX-License-Identifier: BSD-3-Clause */
/* gather.c – the form of a report, and when two reports are equal. */
#include "output/gather.h"

#include "base/ranks.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define HOST        " (host "
#define SECOND_LINE "mend: the error handler is fatal"

static bool begins(const char *text, size_t len, const char *with)
{
    return len >= strlen(with) && !memcmp(text, with, strlen(with));
}

/* The bytes of the line with which the text begins, 0: it has no end. */
static size_t line_len(const char *text, size_t len)
{
    const char *end = len ? memchr(text, '\n', len) : NULL;

    return end ? (size_t)(end - text) + 1 : 0;
}

size_t mend_gather_len(const char *text, size_t len, int rank)
{
    char head[64];
    size_t first, second;

    if (!begins(text, len, MEND_GATHER_HEAD))
        return 0;
    snprintf(head, sizeof(head), MEND_GATHER_HEAD "%d" HOST, rank);
    first = line_len(text, len);
    if (!first || !begins(text, first, head))
        return 0;
    second = line_len(text + first, len - first);
    return begins(text + first, second, SECOND_LINE) ? first + second : first;
}

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && (isdigit((unsigned char)*at) || *at == '.'))
        at++;
    return at;
}

/* Behind "13.4 ms ago", if that is what is there, else `at`. */
static const char *skip_age(const char *at, const char *end)
{
    static const char *const units[] = {" us ago", " ms ago", " s ago"};
    const char *number_end = skip_digits(at, end);

    for (int i = 0; number_end > at && i < 3; i++)
        if (begins(number_end, (size_t)(end - number_end), units[i]))
            return number_end + strlen(units[i]);
    return at;
}

/* The host, and what is behind it and its bracket. */
static const char *host(const char *report, const char *end)
{
    return skip_digits(report + strlen(MEND_GATHER_HEAD), end) + strlen(HOST);
}

static const char *body(const char *report, const char *end)
{
    const char *at = host(report, end), *bracket = memchr(at, ')', (size_t)(end - at));

    return bracket ? bracket : at;
}

bool mend_gather_equal(const char *a, size_t a_len, const char *b, size_t b_len)
{
    const char *a_end = a + a_len, *b_end = b + b_len;
    bool in_number = false; /* an age begins where a number does */

    a = body(a, a_end);
    b = body(b, b_end);
    while (a < a_end && b < b_end) {
        const char *a_next = in_number ? a : skip_age(a, a_end);
        const char *b_next = in_number ? b : skip_age(b, b_end);

        if (a_next > a && b_next > b) {
            a = a_next;
            b = b_next;
            continue;
        }
        if (*a != *b)
            return false;
        in_number = skip_digits(a, a_end) > a;
        a++;
        b++;
    }
    return a == a_end && b == b_end;
}

static bool has_host(const struct mend_gather_hosts *h, const char *name, size_t n)
{
    for (const char *at = h->text; at < h->text + h->len; at += strlen(", ")) {
        size_t len = strcspn(at, ",");

        if (len == n && !memcmp(at, name, n))
            return true;
        at += len;
    }
    return false;
}

void mend_gather_host(struct mend_gather_hosts *h, const char *report, size_t len)
{
    const char *name = host(report, report + len);
    size_t n = (size_t)(body(report, report + len) - name);

    if (h->full || has_host(h, name, n))
        return;
    h->full = h->len + n + sizeof(", , ...") > sizeof(h->text);
    h->n++;
    if (h->full)
        name = "...", n = strlen(name);
    if (h->len)
        h->len += (size_t)(stpcpy(h->text + h->len, ", ") - (h->text + h->len));
    memcpy(h->text + h->len, name, n);
    h->len += n;
    h->text[h->len] = '\0';
}

size_t mend_gather_text(const char *report, size_t len, const uint64_t *ranks, int n,
                        const struct mend_gather_hosts *hosts, char *text)
{
    const char *rest = body(report, report + len);
    size_t rest_len = (size_t)(report + len - rest);
    char *to = stpcpy(text, "mend: ");

    mend_ranks_text(ranks, n, to, MEND_GATHER_MORE - sizeof(*hosts) - (size_t)(to - text));
    to += strlen(to);
    to = stpcpy(stpcpy(to, hosts->n > 1 ? " (hosts " : HOST), hosts->text);
    memcpy(to, rest, rest_len);
    return (size_t)(to - text) + rest_len;
}
