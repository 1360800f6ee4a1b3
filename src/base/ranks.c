/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks.c – a set of ranks in words. */
#include "base/ranks.h"

#include <stdio.h>

#define ONE_BYTES 32 /* "1234567-1234567" */

static bool has(const uint64_t *set, int n, int i)
{
    return i < n && set[i / 64] >> i % 64 & 1;
}

/* Adds "a" or "a-b", or "..." if nothing more fits behind it; false: that was the last. */
static bool add_range(int a, int b, const char *before, char *text, size_t max, size_t *at_p)
{
    char one[ONE_BYTES];
    int len = a == b ? snprintf(one, sizeof(one), "%s%d", before, a)
                     : snprintf(one, sizeof(one), "%s%d-%d", before, a, b);
    bool fits = *at_p + (size_t)len + sizeof(", ...") <= max;

    *at_p += (size_t)snprintf(text + *at_p, max - *at_p, "%s", fits ? one : ", ...");
    return fits;
}

int mend_ranks_text(const uint64_t *set, int n, char *text, size_t max)
{
    const char *before = "";
    int count = 0, i, end;
    size_t at;
    bool room = true;

    for (i = 0; i < n; i++)
        count += has(set, n, i);
    text[0] = '\0';
    if (!count || max < ONE_BYTES)
        return count;
    at = (size_t)snprintf(text, max, count == 1 ? "rank " : "ranks ");
    for (i = 0; i < n && room; i = end) {
        for (end = i + 1; has(set, n, i) && has(set, n, end);)
            end++;
        if (has(set, n, i)) {
            room = add_range(i, end - 1, before, text, max, &at);
            before = ", ";
        }
    }
    return count;
}
