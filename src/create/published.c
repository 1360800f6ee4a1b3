/* SPDX-License-Identifier: BSD-3-Clause */
/* published.c – see published.h. */
#include "create/published.h"

#include "req/request.h"
#include "rt/names.h"
#include "rt/rt.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static uint64_t scope_of(const struct mend_proc *self, bool of_job)
{
    return of_job ? self->job : MEND_SERVICE_USER;
}

static bool is_served(struct mend_proc *self)
{
    return self->rt->is_served && self->rt->is_served(self);
}

static bool is_answered(struct mend_proc *self, void *arg)
{
    const struct mend_service_file *f = arg;

    mend_interrupt_check(self); /* what may have been the answer is news only once */
    /* acquire: pairs with the release in answer() (launch/agent/names.c) */
    return mend_load_acquire(&f->q->answer);
}

/* The answer comes from memory that the agent shares. */
static int take_answer(const struct mend_service_file *f, char port[MEND_SERVICE_PORT_MAX])
{
    int error = f->q->error;

    if (!error && port) {
        memcpy(port, f->q->port, MEND_SERVICE_PORT_MAX);
        port[MEND_SERVICE_PORT_MAX - 1] = '\0';
    }
    return error;
}

/* port_p: where the answer's goes; NULL: nowhere. */
static int ask(struct mend_proc *self, struct mend_service_file *f, int fd,
               char port_p[MEND_SERVICE_PORT_MAX])
{
    struct mend_wait w = {.cause = MEND_WAIT_OTHER,
                          .until = is_answered,
                          .arg = f,
                          .hint = MEND_PEER_NONE,
                          .rings = true,
                          .what = "mpiexec to publish or find a name"};
    int error = EIO;

    if (fd < 0)
        return errno;
    if (self->rt->service(self, fd)) {
        mend_wait_until(self, &w);
        error = take_answer(f, port_p);
    }
    mend_service_unmap(f);
    close(fd);
    return error;
}

int mend_published_add(struct mend_proc *self, bool of_job, const char *name, const char *port)
{
    struct mend_service_file f;
    char dir[MEND_SERVICE_DIR_BYTES];

    self->publishes = true;
    if (is_served(self))
        return ask(self, &f, mend_service_write(MEND_SERVICE_PUBLISH, of_job, name, port, &f),
                   NULL);
    mend_service_dir(dir);
    return mend_service_publish(dir, self->job, 0, scope_of(self, of_job), name, port);
}

int mend_published_find(struct mend_proc *self, bool of_job, const char *name,
                        char port[MEND_SERVICE_PORT_MAX])
{
    struct mend_service_file f;
    char dir[MEND_SERVICE_DIR_BYTES];

    if (is_served(self))
        return ask(self, &f, mend_service_write(MEND_SERVICE_LOOK_UP, of_job, name, "", &f), port);
    mend_service_dir(dir);
    return mend_service_look_up(dir, scope_of(self, of_job), name, port);
}

int mend_published_withdraw(struct mend_proc *self, bool of_job, const char *name, const char *port)
{
    struct mend_service_file f;
    char dir[MEND_SERVICE_DIR_BYTES];

    if (strlen(port) >= MEND_SERVICE_PORT_MAX)
        return ENOENT; /* nobody can have published it */
    if (is_served(self))
        return ask(self, &f, mend_service_write(MEND_SERVICE_WITHDRAW, of_job, name, port, &f),
                   NULL);
    mend_service_dir(dir);
    return mend_service_withdraw(dir, 0, scope_of(self, of_job), name, port);
}

void mend_published_withdraw_all(struct mend_proc *self)
{
    struct mend_service_file f;
    char dir[MEND_SERVICE_DIR_BYTES];

    if (!self->publishes)
        return;
    if (is_served(self)) {
        ask(self, &f, mend_service_write(MEND_SERVICE_SWEEP, false, "", "", &f), NULL);
    } else {
        mend_service_dir(dir);
        mend_service_sweep(dir, 0);
    }
    self->publishes = false;
}
