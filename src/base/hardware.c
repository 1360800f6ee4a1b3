/* SPDX-License-Identifier: BSD-3-Clause */
/* hardware.c – reading the kernel's lists of processors (hardware.h).
 *
 *   cpu/cpuN/topology/core_siblings_list     the package of processor N
 *   cpu/cpuN/topology/thread_siblings_list   its core
 *   cpu/cpuN/cache/indexK/                   one of its caches: level, type, shared_cpu_list
 *   node/nodeM/cpulist                       a NUMA node
 *
 * A list is "0-3,8,10-11\n".  A file that is not there, or holds something else, is a part that the machine does not have. */
#include "base/hardware.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_BYTES 512
#define LIST_BYTES 4096
#define CACHES_MAX 16

static const char *const names[] = {
    [MEND_HARDWARE_PACKAGE] = "hwloc://Package", [MEND_HARDWARE_NUMA] = "hwloc://NUMANode",
    [MEND_HARDWARE_L3] = "hwloc://L3Cache",      [MEND_HARDWARE_L2] = "hwloc://L2Cache",
    [MEND_HARDWARE_L1] = "hwloc://L1Cache",      [MEND_HARDWARE_CORE] = "hwloc://Core",
    [MEND_HARDWARE_PU] = "hwloc://PU",
};

const char *mend_hardware_name(enum mend_hardware kind)
{
    return names[kind];
}

enum mend_hardware mend_hardware_named(const char *name)
{
    int kind = 0;

    while (kind < MEND_HARDWARE_KINDS && (!name || strcmp(names[kind], name) != 0))
        kind++;
    return (enum mend_hardware)kind;
}

/* ---- files ---- */

/* The first line, without its end. */
static bool read_line(const char *path, char *text, int bytes)
{
    FILE *f = fopen(path, "re");
    bool there = f && fgets(text, bytes, f);

    if (f)
        fclose(f);
    if (there)
        text[strcspn(text, "\n")] = '\0';
    return there;
}

/* "3" or "0-3"; moves *at_p behind it. */
static bool read_range(const char **at_p, cpu_set_t *set)
{
    char *end;
    long a = strtol(*at_p, &end, 10), b = a;

    if (end == *at_p)
        return false;
    if (*end == '-') {
        *at_p = end + 1;
        b = strtol(*at_p, &end, 10);
        if (end == *at_p)
            return false;
    }
    if (a < 0 || b < a || b >= CPU_SETSIZE)
        return false;
    for (; a <= b; a++)
        CPU_SET((size_t)a, set);
    *at_p = end;
    return true;
}

static bool read_list(const char *path, cpu_set_t *set)
{
    char text[LIST_BYTES];
    const char *at = text;

    CPU_ZERO(set);
    if (!read_line(path, text, sizeof(text)))
        return false;
    while (read_range(&at, set)) {
        if (!*at)
            return true;
        if (*at++ != ',')
            return false;
    }
    return false;
}

/* ---- parts ---- */

static bool read_topology(const char *root, int cpu, const char *what, cpu_set_t *set)
{
    char path[PATH_BYTES];

    snprintf(path, sizeof(path), "%s/cpu/cpu%d/topology/%s", root, cpu, what);
    return read_list(path, set);
}

/* Data and instructions may have a cache each of level 1: that of the data counts. */
static bool is_cache(const char *root, int cpu, int index, int level)
{
    char path[PATH_BYTES], text[64];

    snprintf(path, sizeof(path), "%s/cpu/cpu%d/cache/index%d/level", root, cpu, index);
    if (!read_line(path, text, sizeof(text)) || atoi(text) != level)
        return false;
    snprintf(path, sizeof(path), "%s/cpu/cpu%d/cache/index%d/type", root, cpu, index);
    return read_line(path, text, sizeof(text)) && strcmp(text, "Instruction") != 0;
}

static bool read_cache(const char *root, int cpu, int level, cpu_set_t *set)
{
    char path[PATH_BYTES];

    for (int i = 0; i < CACHES_MAX; i++)
        if (is_cache(root, cpu, i, level)) {
            snprintf(path, sizeof(path), "%s/cpu/cpu%d/cache/index%d/shared_cpu_list", root, cpu,
                     i);
            return read_list(path, set);
        }
    return false;
}

static bool read_node(const char *root, int cpu, cpu_set_t *set)
{
    char path[PATH_BYTES];
    bool found = false;
    struct dirent *e;
    DIR *dir;

    snprintf(path, sizeof(path), "%s/node", root);
    dir = opendir(path);
    while (dir && !found && (e = readdir(dir))) {
        if (strncmp(e->d_name, "node", 4) != 0)
            continue;
        snprintf(path, sizeof(path), "%s/node/%s/cpulist", root, e->d_name);
        found = read_list(path, set) && CPU_ISSET((size_t)cpu, set);
    }
    if (dir)
        closedir(dir);
    return found;
}

/* All processors of the part to which this one belongs. */
static bool read_part(const char *root, enum mend_hardware kind, int cpu, cpu_set_t *set)
{
    switch (kind) {
    case MEND_HARDWARE_PACKAGE:
        return read_topology(root, cpu, "core_siblings_list", set);
    case MEND_HARDWARE_NUMA:
        return read_node(root, cpu, set);
    case MEND_HARDWARE_L3:
        return read_cache(root, cpu, 3, set);
    case MEND_HARDWARE_L2:
        return read_cache(root, cpu, 2, set);
    case MEND_HARDWARE_L1:
        return read_cache(root, cpu, 1, set);
    case MEND_HARDWARE_CORE:
        return read_topology(root, cpu, "thread_siblings_list", set);
    case MEND_HARDWARE_PU:
        CPU_ZERO(set);
        CPU_SET((size_t)cpu, set);
        return true;
    case MEND_HARDWARE_KINDS:
        break;
    }
    return false;
}

/* -1: the set is empty. */
static int lowest(const cpu_set_t *set)
{
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET((size_t)cpu, set))
            return cpu;
    return -1;
}

int mend_hardware_of(const char *root, enum mend_hardware kind, const cpu_set_t *cpus)
{
    int first = lowest(cpus);
    cpu_set_t part, both;

    if (first < 0 || !read_part(root, kind, first, &part))
        return MEND_HARDWARE_UNKNOWN;
    CPU_AND(&both, &part, cpus);
    return CPU_EQUAL(&both, cpus) ? lowest(&part) : MEND_HARDWARE_SEVERAL;
}

int mend_hardware_here(enum mend_hardware kind)
{
    cpu_set_t cpus;

    if (sched_getaffinity(0, sizeof(cpus), &cpus) != 0) /* there are more than a set has room for */
        return MEND_HARDWARE_UNKNOWN;
    return mend_hardware_of(MEND_HARDWARE_ROOT, kind, &cpus);
}
