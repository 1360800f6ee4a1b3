/* SPDX-License-Identifier: BSD-3-Clause */
/* names.h – published names of a job of several nodes: what a rank asks its agent to do with one, in a nameless file that the two
 * share.
 *
 *   rank ── the file ──> agent ── its bytes ──> root ──> agent of the first node, which keeps names (service.h)
 *   rank <── answer, and is woken ── agent <── error and port ── root <──┘
 *
 * The rank fills the file and hands the agent its descriptor, sealed against shrinking.  The agent copies the request before it
 * checks it, and writes the answer; `answer` is released last. */
#ifndef MEND_RT_NAMES_H
#define MEND_RT_NAMES_H

#include "base/atomic.h"
#include "rt/service.h"

#define MEND_SERVICE_MAGIC     UINT64_C(0x4d454e444e414d41) /* "MENDNAMA" */
#define MEND_SERVICE_BYTES_MAX (1u << 20)

enum mend_service_how {
    MEND_SERVICE_PUBLISH,
    MEND_SERVICE_LOOK_UP,
    MEND_SERVICE_WITHDRAW,
    MEND_SERVICE_SWEEP
};

/* The rank writes all but the answer; the port is its, or LOOK_UP's answer. */
struct mend_service_request {
    uint64_t magic;
    uint32_t how, of_job;   /* 1: the name is for the processes of the job */
    mend_atomic_u32 answer; /* 1: it is there */
    int32_t error;          /* errno value */
    char port[MEND_SERVICE_PORT_MAX];
    char name[]; /* with its end */
};

/* The file as one process has it.  Nothing that another process writes says how long it is. */
struct mend_service_file {
    struct mend_service_request *q;
    size_t bytes;
};

/* Makes the file and maps it.  Returns its descriptor, or -1, and errno says why (E2BIG: too long). */
int mend_service_write(enum mend_service_how how, bool of_job, const char *name, const char *port,
                       struct mend_service_file *f);

/* Maps the file behind a descriptor that another process sent.  False: it is not one. */
bool mend_service_map(struct mend_service_file *f, int fd);
void mend_service_unmap(struct mend_service_file *f);

/* The bytes of such a file are a request: name and port have ends. */
bool mend_service_valid(const struct mend_service_request *q, size_t bytes);

#endif
