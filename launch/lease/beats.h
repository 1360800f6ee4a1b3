/* SPDX-License-Identifier: BSD-3-Clause */
/* beats.h – the leases of the nodes of a job (ft/lease_sm.h): a thread that beats for this node, answers the beats of the nodes that
 * it is the parent of, and sets the fence.
 *
 *   main thread ── expect, follow, turn, declare ──> thread ── beats, grants ──> sockets of other agents
 *   main thread <── news: granted, lost, asking ──── thread ──> fence
 *
 * A beat is a datagram, so it never waits behind output or for TCP to send again.  Each carries a proof that its sender has the key of
 * the job (HMAC-SHA256); what is damaged, of a stranger or old is dropped.  A parent answers to where a beat came from. */
#ifndef MEND_LAUNCH_LEASE_BEATS_H
#define MEND_LAUNCH_LEASE_BEATS_H

#include "ft/lineage_sm.h"
#include "lease/fence.h"
#include "node/address.h"
#include "node/greeting.h"
#include "share/port.h"

#include <pthread.h>
#include <sys/types.h>

struct mend_beats_child;

/* A node of the tree of agents (ft/lineage_sm.h). */
struct mend_beats_place {
    int32_t me, nodes_n, radix;
};

struct mend_beats {
    struct mend_lease_config config;
    unsigned char key[MEND_DOOR_KEY_BYTES];
    struct mend_beats_place place;
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
    bool fenced, granted, seeks;    /* seeks: another parent is to be called */
    struct mend_beats_child *child; /* by node */
    mend_time_ns scan_at;           /* no child is lost before */
};

/* What follows from the length of a lease (ft/lease_sm.h), MEND_TIME_NEVER: as long as can be. */
struct mend_lease_config mend_beats_config(mend_time_ns lease_ns);

/* Opens the socket at a port of the range, and starts the thread.  False: errno. */
bool mend_beats_open(struct mend_beats *b, const struct mend_lease_config *config,
                     const unsigned char key[MEND_DOOR_KEY_BYTES], struct mend_beats_place place,
                     struct mend_port_range range);

/* Where the socket is, in network byte order. */
uint16_t mend_beats_port(const struct mend_beats *b);

/* This is the node of that incarnation, and `parent` grants its lease, at that address.  The process is killed when it has no grant within the
 * time for that, and from the first one on when the lease is over.  False: errno. */
bool mend_beats_follow(struct mend_beats *b, uint32_t incarnation, int parent,
                       const struct mend_address *at);

/* Another node, or the same one, is the parent of this one from now on. */
void mend_beats_turn(struct mend_beats *b, int parent, const struct mend_address *at);

/* The parent is silent: if there is another one to turn to, it is time. */
bool mend_beats_seek(struct mend_beats *b);

/* This node grants leases to that one, from its first beat on. */
void mend_beats_expect(struct mend_beats *b, int node, uint32_t incarnation);

/* The verdict on that node was given: it gets no lease any more. */
void mend_beats_declare(struct mend_beats *b, int node, uint32_t incarnation);

/* The root's yes to one that has asked, for that turn. */
void mend_beats_adopt(struct mend_beats *b, int node, struct mend_lease_turn turn);

/* News: whether this node has got its first lease; the next node whose lease is over, each once, or -1, and how long it was not heard; the next one that has
 * turned to this node and waits for the root's answer, or -1. */
bool mend_beats_are_granted(struct mend_beats *b);
int mend_beats_next_lost(struct mend_beats *b, struct mend_lease_turn *turn_p,
                         mend_time_ns *silent_p);
int mend_beats_next_asking(struct mend_beats *b, struct mend_lease_turn *turn_p);

/* This process is about to be stopped by its user, who may continue it: a process that only answers beats stands in for it, and ends with it.
 * Between the two calls the thread does nothing.  -1: there is none, and the nodes end if this lasts longer than a lease. */
pid_t mend_beats_hand_over(struct mend_beats *b);
void mend_beats_take_back(struct mend_beats *b, pid_t stand_in);

/* Ends the thread; there is no fence any more. */
void mend_beats_close(struct mend_beats *b);

#endif
