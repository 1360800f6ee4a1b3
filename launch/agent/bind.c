/* SPDX-License-Identifier: BSD-3-Clause */
/* bind.c – which cores a rank may use.
 *
 * Two jobs on one machine must not bind themselves to the same cores while others idle.  So a job
 * claims each core by binding a socket to a name in the kernel's abstract namespace, which
 * disappears with the last process that holds it: nothing is left behind, however mpiexec ends.  If
 * too few cores are free, nothing is bound.  Which of them a rank gets, and in which order, is calculated in
 * place.c. */
#include "agent/bind.h"

#include "agent/ranks.h"
#include "agent/tell.h"
#include "command/place.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* The first number in a file below /sys/devices/system/cpu/cpuN/, -1: there is none. */
static int first_number(int cpu, const char *what)
{
    char path[128], text[32];
    int fd, n, value = -1;

    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/%s", cpu, what);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    n = (int)read(fd, text, sizeof(text) - 1);
    close(fd);
    if (n > 0) {
        text[n] = '\0';
        value = isdigit((unsigned char)text[0]) ? atoi(text) : -1;
    }
    return value;
}

/* The first processor that shares a cache for data of that level, -1: not known. */
static int cache_of(int cpu, int level)
{
    char what[64];

    for (int i = 0; i < 8; i++) {
        snprintf(what, sizeof(what), "cache/index%d/level", i);
        if (first_number(cpu, what) != level)
            continue;
        snprintf(what, sizeof(what), "cache/index%d/shared_cpu_list", i);
        return first_number(cpu, what);
    }
    return -1;
}

static int numa_of(int cpu)
{
    char path[64];
    struct dirent *entry;
    int node = 0;
    DIR *dir;

    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d", cpu);
    dir = opendir(path);
    while (dir && (entry = readdir(dir)))
        if (sscanf(entry->d_name, "node%d", &node) == 1)
            break;
    if (dir)
        closedir(dir);
    return node;
}

static int or_else(int value, int other)
{
    return value >= 0 ? value : other;
}

static struct mend_cpu read_cpu(int cpu)
{
    struct mend_cpu c = {.cpu = cpu};

    c.unit[MEND_UNIT_HWTHREAD] = cpu;
    c.unit[MEND_UNIT_CORE] = or_else(first_number(cpu, "topology/thread_siblings_list"), cpu);
    c.unit[MEND_UNIT_SOCKET] = or_else(first_number(cpu, "topology/physical_package_id"), 0);
    c.unit[MEND_UNIT_L1] = or_else(cache_of(cpu, 1), c.unit[MEND_UNIT_CORE]);
    c.unit[MEND_UNIT_L2] = or_else(cache_of(cpu, 2), c.unit[MEND_UNIT_CORE]);
    c.unit[MEND_UNIT_L3] = or_else(cache_of(cpu, 3), c.unit[MEND_UNIT_SOCKET]);
    c.unit[MEND_UNIT_NUMA] = numa_of(cpu);
    return c;
}

void mend_topology_read(struct mend_topology *t)
{
    cpu_set_t allowed;

    t->n = 0;
    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
        return;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed))
            t->cpu[t->n++] = read_cpu(cpu);
}

/* True: the core, or hardware thread, is ours until this process ends. */
static bool claim(const char *kind, int number)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), len;

    if (fd < 0)
        return false;
    len = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "mend-%s-%d", kind, number);
    if (bind(fd, (struct sockaddr *)&name,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len)) == 0)
        return true;
    close(fd);
    return false;
}

/* The places of a job, in the order in which its ranks take them. */
struct places {
    const struct mend_topology *t;
    enum mend_unit unit; /* what a rank gets at its place */
    int width;           /* so many of them */
    int n, order[CPU_SETSIZE];
};

static void bind_to_free(struct mend_ranks *ranks, const struct places *p)
{
    const char *kind = p->unit == MEND_UNIT_HWTHREAD ? "hwthread" : "core";
    int wanted = ranks->n * p->width, got = 0;

    for (int i = 0; i < p->n && got < wanted; i++)
        if (claim(kind, p->t->cpu[p->order[i]].unit[p->unit]))
            mend_place_add(p->t, p->order[i], p->unit, &ranks->rank[got++ / p->width].cpus);
    ranks->bound = got == wanted;
}

/* Places are shared round-robin when somebody asks for it with more ranks than there are, or with overload-allowed. */
static void bind_round_robin(struct mend_ranks *ranks, const struct places *p)
{
    for (int i = 0; i < ranks->n; i++)
        CPU_ZERO(&ranks->rank[i].cpus);
    for (int i = 0; i < ranks->n * p->width; i++)
        mend_place_add(p->t, p->order[i % p->n], p->unit, &ranks->rank[i / p->width].cpus);
    ranks->bound = true;
}

/* Larger units: consecutive ranks share one, unless --map-by deals them out. */
static void bind_to_larger(struct mend_ranks *ranks, const struct mend_options *o,
                           const struct places *p)
{
    for (int i = 0; i < ranks->n; i++) {
        int place = o->mapped ? i % p->n : (int)((long)i * p->n / ranks->n);

        mend_place_add(p->t, p->order[place], p->unit, &ranks->rank[i].cpus);
    }
    ranks->bound = true;
}

static void choose(struct mend_ranks *ranks, const struct mend_options *o,
                   const struct mend_topology *t)
{
    bool asked = o->bind == MEND_BIND_UNIT;
    struct places p = {.t = t, .width = o->bind_width > 1 ? o->bind_width : 1};
    enum mend_unit step, map = o->mapped ? o->map_unit : MEND_UNIT_HWTHREAD;

    p.unit = asked ? o->bind_unit : MEND_UNIT_CORE;
    step = p.unit == MEND_UNIT_HWTHREAD ? MEND_UNIT_HWTHREAD : MEND_UNIT_CORE;
    p.n = mend_place_order(t, step, map, p.order);
    if (!p.n)
        return;
    if (p.unit > MEND_UNIT_CORE)
        bind_to_larger(ranks, o, &p);
    else if (ranks->n <= p.n / p.width)
        bind_to_free(ranks, &p);
    if (!ranks->bound && asked && (ranks->n > p.n / p.width || o->bind_shared))
        bind_round_robin(ranks, &p);
}

void mend_bind_choose(struct mend_ranks *ranks, const struct mend_options *o)
{
    struct mend_topology *t;

    if (ranks->nodes.n || o->bind == MEND_BIND_NONE || (o->bind == MEND_BIND_AUTO && ranks->n == 1))
        return;
    t = mend_xalloc(1, sizeof(*t));
    mend_topology_read(t);
    choose(ranks, o, t);
    free(t);
}

void mend_bind_report(const struct mend_ranks *ranks, const struct mend_tell *tell,
                      const struct mend_options *o)
{
    char text[256];
    cpu_set_t all;

    CPU_ZERO(&all);
    sched_getaffinity(0, sizeof(all), &all);
    for (int i = 0; i < ranks->n; i++) {
        mend_place_text(ranks->bound ? &ranks->rank[i].cpus : &all, text, sizeof(text));
        mend_say(tell,
                 ranks->bound ? "mend: rank %d is bound to processors %s%s"
                              : "mend: rank %d is not bound: processors %s%s",
                 i, text,
                 ranks->bound || o->bind == MEND_BIND_NONE || ranks->n == 1
                     ? ""
                     : " (not so many cores are free of other jobs)");
    }
}
