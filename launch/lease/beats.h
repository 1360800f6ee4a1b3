/* SPDX-License-Identifier: BSD-3-Clause */
/* beats.h – the leases of the nodes of a job (ft/lease_sm.h): a thread that beats for this node, answers the beats of the nodes that
 * it is the parent of, and sets the fence.
 *
 *   main thread ── expect, follow, declare ──> thread ── beats, grants ──> sockets of other agents
 *   main thread <──── news: granted, lost ──── thread ──> fence
 *
 * A beat is a datagram, so it never waits behind output or for TCP to send again.  Each carries a proof that its sender has the key of
 * the job (HMAC-SHA256); what is damaged, of a stranger or old is dropped.  A parent answers to where a beat came from. */
#ifndef MEND_LAUNCH_LEASE_BEATS_H
#define MEND_LAUNCH_LEASE_BEATS_H

#include "ft/lease_sm.h"
#include "lease/fence.h"
#include "node/address.h"
#include "node/greeting.h"
#include "share/port.h"

#include <pthread.h>
#include <sys/types.h>

struct mend_beats_child;

struct mend_beats {
    struct mend_lease_config config;
    unsigned char key[MEND_DOOR_KEY_BYTES];
    int nodes_n;
    int socket, family, news_fd; /* family: of the socket; news_fd: an eventfd */
    pthread_t thread;
    bool runs; /* the thread */
    int wake_fd;

    pthread_mutex_t lock;     /* of all below */
    bool over;                /* the thread shall end */
    struct mend_lease *lease; /* of this node; NULL: it has none, and needs none */
    mend_time_ns look_at;
    struct mend_address parent;
    struct mend_fence fence;
    bool fenced, granted;
    struct mend_beats_child *child; /* by node */
    mend_time_ns scan_at;           /* no child is lost before */
};

/* What follows from the length of a lease (ft/lease_sm.h), MEND_TIME_NEVER: as long as can be. */
struct mend_lease_config mend_beats_config(mend_time_ns lease_ns);

/* Opens the socket at a port of the range, and starts the thread.  False: errno. */
bool mend_beats_open(struct mend_beats *b, const struct mend_lease_config *config,
                     const unsigned char key[MEND_DOOR_KEY_BYTES], int nodes_n,
                     struct mend_port_range range);

/* Where the socket is, in network byte order. */
uint16_t mend_beats_port(const struct mend_beats *b);

/* This is node `me`, of that incarnation, and `parent` grants its lease, at that address.  From the first grant on the process is killed when the lease is
 * over.  False: errno. */
bool mend_beats_follow(struct mend_beats *b, int me, uint32_t incarnation, int parent,
                       const struct mend_address *at);

/* This node grants leases to that one, from its first beat on. */
void mend_beats_expect(struct mend_beats *b, int node, uint32_t incarnation);

/* The verdict on that node was given: it gets no lease any more. */
void mend_beats_declare(struct mend_beats *b, int node, uint32_t incarnation);

/* News: whether this node has got its first lease; the next node whose lease is over, each once, or -1, and how long it was not heard. */
bool mend_beats_are_granted(struct mend_beats *b);
int mend_beats_next_lost(struct mend_beats *b, mend_time_ns *silent_p);

/* This process is about to be stopped by its user, who may continue it: a process that only answers beats stands in for it, and ends with it.
 * Between the two calls the thread does nothing.  -1: there is none, and the nodes end if this lasts longer than a lease. */
pid_t mend_beats_hand_over(struct mend_beats *b);
void mend_beats_take_back(struct mend_beats *b, pid_t stand_in);

/* Ends the thread; there is no fence any more. */
void mend_beats_close(struct mend_beats *b);

#endif
