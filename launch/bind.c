/* SPDX-License-Identifier: BSD-3-Clause */
/* bind.c – which cores a rank may use.
 *
 * Two jobs on one machine must not bind themselves to the same cores while others idle.  So a job
 * claims each core by binding a socket to a name in the kernel's abstract namespace, which
 * disappears with the last process that holds it: nothing is left behind, however mpiexec ends.  If
 * too few cores are free, nothing is bound. */
#include "job.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A core: its hardware threads that this job may use. */
struct core {
    int socket, id;
    cpu_set_t cpus;
};

static int topology(int cpu, const char *what)
{
    char path[96], text[32];
    int fd, n, value = -1;

    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, what);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    n = (int)read(fd, text, sizeof(text) - 1);
    close(fd);
    if (n > 0) {
        text[n] = '\0';
        value = atoi(text);
    }
    return value;
}

/* The cores with at least one allowed hardware thread, in order of their first one. */
static int find_cores(struct core *core)
{
    cpu_set_t allowed;
    int n = 0, i;

    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
        return 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        int id, socket;

        if (!CPU_ISSET(cpu, &allowed))
            continue;
        id = topology(cpu, "core_id");
        socket = topology(cpu, "physical_package_id");
        for (i = 0; i < n && (id < 0 || core[i].id != id || core[i].socket != socket); i++)
            ;
        if (i == n) {
            core[n] = (struct core){.socket = socket, .id = id};
            CPU_ZERO(&core[n++].cpus);
        }
        CPU_SET(cpu, &core[i].cpus);
    }
    return n;
}

/* True: the core is ours until this process ends. */
static bool claim(int index)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), len;

    if (fd < 0)
        return false;
    len = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "mend-core-%d", index);
    if (bind(fd, (struct sockaddr *)&name,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len)) == 0)
        return true;
    close(fd);
    return false;
}

static void bind_to_cores(struct job *job, const struct core *core, int cores_n)
{
    int got = 0;

    for (int i = 0; i < cores_n && got < job->n; i++)
        if (claim(i))
            job->rank[got++].cpus = core[i].cpus;
    job->bound = got == job->n;
}

/* Cores are shared round-robin when somebody asks for it with more ranks than cores. */
static void bind_round_robin(struct job *job, const struct core *core, int cores_n)
{
    for (int i = 0; i < job->n; i++)
        job->rank[i].cpus = core[i % cores_n].cpus;
    job->bound = true;
}

static void bind_to_sockets(struct job *job, const struct core *core, int cores_n)
{
    for (int i = 0; i < job->n; i++) {
        /* consecutive ranks share a socket */
        int socket = core[(long)i * cores_n / job->n].socket;

        CPU_ZERO(&job->rank[i].cpus);
        for (int c = 0; c < cores_n; c++)
            if (core[c].socket == socket)
                CPU_OR(&job->rank[i].cpus, &job->rank[i].cpus, &core[c].cpus);
    }
    job->bound = true;
}

void mend_bind_choose(struct job *job)
{
    struct core *core;
    int cores_n;

    if (job->o.bind == MEND_BIND_NONE || (job->o.bind == MEND_BIND_AUTO && job->n == 1))
        return;
    core = mend_xalloc(CPU_SETSIZE, sizeof(*core));
    cores_n = find_cores(core);
    if (cores_n && job->o.bind == MEND_BIND_SOCKET)
        bind_to_sockets(job, core, cores_n);
    else if (cores_n && job->o.bind == MEND_BIND_CORE && job->n > cores_n)
        bind_round_robin(job, core, cores_n);
    else if (job->n <= cores_n)
        bind_to_cores(job, core, cores_n);
    free(core);
}
