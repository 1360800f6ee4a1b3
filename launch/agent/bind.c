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

/* Ranks that get processors together: those of this node, of `all` on this machine, which several nodes may share. */
struct crew {
    struct rank **at;
    int *turn; /* how many of the machine come before each */
    int n, all;
};

/* The places of a machine, in the order in which its ranks take them. */
struct places {
    const struct mend_topology *t;
    enum mend_unit unit; /* what a rank gets at its place */
    int width;           /* so many of them */
    int n, order[CPU_SETSIZE];
};

static bool bind_to_free(const struct crew *crew, const struct places *p)
{
    const char *kind = p->unit == MEND_UNIT_HWTHREAD ? "hwthread" : "core";
    int wanted = crew->n * p->width, got = 0;

    for (int i = 0; i < p->n && got < wanted; i++)
        if (claim(kind, p->t->cpu[p->order[i]].unit[p->unit]))
            mend_place_add(p->t, p->order[i], p->unit, &crew->at[got++ / p->width]->cpus);
    return got == wanted;
}

/* Places are shared round-robin when somebody asks for it with more ranks than there are, or with overload-allowed. */
static bool bind_round_robin(const struct crew *crew, const struct places *p)
{
    for (int k = 0; k < crew->n; k++) {
        CPU_ZERO(&crew->at[k]->cpus);
        for (int i = crew->turn[k] * p->width; i < (crew->turn[k] + 1) * p->width; i++)
            mend_place_add(p->t, p->order[i % p->n], p->unit, &crew->at[k]->cpus);
    }
    return true;
}

/* Larger units: consecutive ranks share one, unless --map-by deals them out. */
static bool bind_to_larger(const struct crew *crew, const struct mend_options *o,
                           const struct places *p)
{
    for (int k = 0; k < crew->n; k++) {
        int turn = crew->turn[k];
        int place = o->mapped ? turn % p->n : (int)((long)turn * p->n / crew->all);

        mend_place_add(p->t, p->order[place], p->unit, &crew->at[k]->cpus);
    }
    return true;
}

static bool choose(const struct crew *crew, const struct mend_options *o,
                   const struct mend_topology *t)
{
    bool asked = o->bind == MEND_BIND_UNIT, bound = false;
    struct places p = {.t = t, .width = o->bind_width > 1 ? o->bind_width : 1};
    enum mend_unit step, map = o->mapped ? o->map_unit : MEND_UNIT_HWTHREAD;

    p.unit = asked ? o->bind_unit : MEND_UNIT_CORE;
    step = p.unit == MEND_UNIT_HWTHREAD ? MEND_UNIT_HWTHREAD : MEND_UNIT_CORE;
    p.n = mend_place_order(t, step, map, p.order);
    if (!p.n)
        return false;
    if (p.unit > MEND_UNIT_CORE)
        return bind_to_larger(crew, o, &p);
    if (crew->all <= p.n / p.width)
        bound = bind_to_free(crew, &p);
    if (!bound && asked && (crew->all > p.n / p.width || o->bind_shared))
        bound = bind_round_robin(crew, &p);
    return bound;
}

/* A rank that is alone on its machine may be a program with threads. */
static bool shall_bind(const struct crew *crew, const struct mend_options *o)
{
    return crew->n && o->bind != MEND_BIND_NONE && (o->bind != MEND_BIND_AUTO || crew->all > 1);
}

static struct crew crew_for(int n, int all)
{
    return (struct crew){.at = mend_xalloc((size_t)n + 1, sizeof(struct rank *)),
                         .turn = mend_xalloc((size_t)n + 1, sizeof(int)),
                         .all = all};
}

/* All or none; frees the crew. */
static bool bind_crew(struct crew *crew, const struct mend_options *o)
{
    struct mend_topology *t;
    bool bound = false;

    if (shall_bind(crew, o)) {
        t = mend_xalloc(1, sizeof(*t));
        mend_topology_read(t);
        bound = choose(crew, o, t);
        free(t);
    }
    for (int k = 0; k < crew->n && !bound; k++)
        CPU_ZERO(&crew->at[k]->cpus);
    free(crew->at);
    free(crew->turn);
    return bound;
}

void mend_bind_choose(struct mend_ranks *ranks, const struct mend_options *o)
{
    struct crew crew = crew_for(ranks->ours_n, ranks->beside_n);

    for (int i = 0, turn = 0; i < ranks->n; i++) {
        struct rank *r = &ranks->rank[i];

        if (!r->far) {
            crew.at[crew.n] = r;
            crew.turn[crew.n++] = turn;
        }
        turn += mend_node_is_beside(ranks, o, r->node);
    }
    ranks->bound = bind_crew(&crew, o);
}

void mend_bind_again(struct mend_ranks *ranks, const struct mend_options *o, int first, int n)
{
    struct crew crew = crew_for(n, ranks->beside_n);

    for (int i = first; i < first + n; i++) {
        if (ranks->rank[i].far || CPU_COUNT(&ranks->rank[i].cpus))
            continue;
        crew.at[crew.n] = &ranks->rank[i];
        crew.turn[crew.n++] = crew.all++;
    }
    ranks->bound |= bind_crew(&crew, o);
}

void mend_bind_report(const struct mend_ranks *ranks, const struct mend_tell *tell,
                      const struct mend_options *o)
{
    const char *host = mend_ranks_host(ranks);
    bool alone = ranks->beside_n == 1;
    char text[256];
    cpu_set_t all;

    CPU_ZERO(&all);
    sched_getaffinity(0, sizeof(all), &all);
    for (int i = 0; i < ranks->ours_n; i++) {
        const struct rank *r = &ranks->rank[ranks->ours[i]];

        mend_place_text(ranks->bound ? &r->cpus : &all, text, sizeof(text));
        mend_say(tell,
                 ranks->bound ? "mend: rank %d is bound to processors %s%s%s%s"
                              : "mend: rank %d is not bound: processors %s%s%s%s",
                 r->index, text, *host ? " of " : "", host,
                 ranks->bound || o->bind == MEND_BIND_NONE || alone
                     ? ""
                     : " (not so many cores are free of other jobs)");
    }
}
