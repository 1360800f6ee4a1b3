/* SPDX-License-Identifier: BSD-3-Clause */
/* room.c – what /proc/meminfo and the control groups say.
 *
 * A group's limit holds for all below it, so each one from that of this process up to the mount is looked at.  What
 * files have left in memory counts as used there, but the kernel takes it back when somebody needs it. */
#include "node/room.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names in a version of control groups. */
struct version {
    const char *mount, *limit, *used, *inactive, *active;
};

static const struct version versions[] = {
    {"/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file ",
     "total_active_file "},
    {"", "memory.max", "memory.current", "inactive_file ", "active_file "},
};

/* The number behind a word in a file ("": at its beginning), in units of `unit` bytes.  UINT64_MAX: none. */
static uint64_t number_in(const char *file, const char *word, uint64_t unit)
{
    FILE *f = fopen(file, "re");
    uint64_t found = UINT64_MAX;
    char line[256];

    while (f && found == UINT64_MAX && fgets(line, sizeof(line), f)) {
        unsigned long long n;

        if (!strncmp(line, word, strlen(word)) && sscanf(line + strlen(word), "%llu", &n) == 1)
            found = n * unit;
    }
    if (f)
        fclose(f);
    return found;
}

static uint64_t number_of_group(const char *folder, const char *name, const char *word)
{
    char file[PATH_MAX];

    if ((size_t)snprintf(file, sizeof(file), "%s/%s", folder, name) >= sizeof(file))
        return UINT64_MAX;
    return number_in(file, word, 1);
}

static uint64_t known_or_0(uint64_t n)
{
    return n == UINT64_MAX ? 0 : n;
}

static uint64_t left_in_group(const char *folder, const struct version *v)
{
    uint64_t limit = number_of_group(folder, v->limit, ""), free_again;
    uint64_t used = number_of_group(folder, v->used, "");

    if (limit == UINT64_MAX || used == UINT64_MAX)
        return UINT64_MAX;
    free_again = known_or_0(number_of_group(folder, "memory.stat", v->inactive)) +
                 known_or_0(number_of_group(folder, "memory.stat", v->active));
    used = used > free_again ? used - free_again : 0;
    return limit > used ? limit - used : 0;
}

/* In the group of this path and in all above it, up to the mount. */
static uint64_t left_up_to(const char *mount, const char *path, const struct version *v)
{
    char folder[PATH_MAX];
    int n = snprintf(folder, sizeof(folder), "%s%s%s", mount, v->mount, path);
    size_t top = strlen(mount) + strlen(v->mount);
    uint64_t least = UINT64_MAX, left;

    if (n < 0 || (size_t)n >= sizeof(folder))
        return UINT64_MAX;
    for (;;) {
        left = left_in_group(folder, v);
        least = left < least ? left : least;
        if (strlen(folder) <= top)
            return least;
        *strrchr(folder, '/') = '\0';
    }
}

/* The path of this process's group of that version in a line; NULL: the line is about another one. */
static const char *path_in(const char *line, const struct version *v)
{
    const char *controllers = strchr(line, ':');
    const char *word = v->mount[0] ? ":memory:" : "::";

    return controllers && !strncmp(controllers, word, strlen(word)) ? controllers + strlen(word)
                                                                    : NULL;
}

static uint64_t left_in_groups(const char *cgroup, const char *mount)
{
    FILE *f = fopen(cgroup, "re");
    uint64_t least = UINT64_MAX;
    char line[PATH_MAX];

    while (f && fgets(line, sizeof(line), f)) {
        line[strcspn(line, "\n")] = '\0';
        for (unsigned i = 0; i < 2; i++) {
            const char *path = path_in(line, &versions[i]);
            uint64_t left = path ? left_up_to(mount, path, &versions[i]) : UINT64_MAX;

            least = left < least ? left : least;
        }
    }
    if (f)
        fclose(f);
    return least;
}

bool mend_node_has_room_in(uint64_t bytes, const char *meminfo, const char *cgroup,
                           const char *mount)
{
    uint64_t available = number_in(meminfo, "MemAvailable:", 1024);
    uint64_t left = left_in_groups(cgroup, mount);

    available = left < available ? left : available;
    return available >= MEND_NODE_LEFT_FOR_OTHERS && available - MEND_NODE_LEFT_FOR_OTHERS >= bytes;
}

bool mend_node_has_room(uint64_t bytes)
{
    return mend_node_has_room_in(bytes, "/proc/meminfo", "/proc/self/cgroup", "/sys/fs/cgroup");
}
