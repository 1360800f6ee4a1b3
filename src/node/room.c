/* SPDX-License-Identifier: BSD-3-Clause */
/* room.c – what /proc/meminfo and the control group say. */
#include "node/room.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEFT_FOR_OTHERS (UINT64_C(64) << 20)
#define CGROUPS         "/sys/fs/cgroup"

/* The number behind a word in a file ("": at its beginning), in units of `unit` bytes.  UINT64_MAX: none. */
static uint64_t number_in(const char *file, const char *word, uint64_t unit)
{
    FILE *f = file ? fopen(file, "re") : NULL;
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

bool mend_node_has_room_in(uint64_t bytes, const char *meminfo, const char *max, const char *used)
{
    uint64_t available = number_in(meminfo, "MemAvailable:", 1024);
    uint64_t limit = number_in(max, "", 1), taken = number_in(used, "", 1);

    if (limit != UINT64_MAX && taken != UINT64_MAX) {
        uint64_t left = limit > taken ? limit - taken : 0;

        available = left < available ? left : available;
    }
    return available >= LEFT_FOR_OTHERS && available - LEFT_FOR_OTHERS >= bytes;
}

/* The folder of this process's control group in version 2: the line "0::/..." of /proc/self/cgroup. */
static bool find_cgroup(char *path, size_t max)
{
    FILE *f = fopen("/proc/self/cgroup", "re");
    char line[PATH_MAX];
    bool found = false;

    while (f && !found && fgets(line, sizeof(line), f)) {
        line[strcspn(line, "\n")] = '\0';
        found =
            !strncmp(line, "0::/", 4) && (size_t)snprintf(path, max, CGROUPS "%s", line + 3) < max;
    }
    if (f)
        fclose(f);
    return found;
}

bool mend_node_has_room(uint64_t bytes)
{
    char folder[PATH_MAX - 32], max[PATH_MAX], used[PATH_MAX];

    if (!find_cgroup(folder, sizeof(folder)))
        return mend_node_has_room_in(bytes, "/proc/meminfo", NULL, NULL);
    snprintf(max, sizeof(max), "%s/memory.max", folder);
    snprintf(used, sizeof(used), "%s/memory.current", folder);
    return mend_node_has_room_in(bytes, "/proc/meminfo", max, used);
}
