/* SPDX-License-Identifier: BSD-3-Clause */
/* proc.h – the process as a value.
 *
 * One `struct mend_proc` holds all of the library's state.  A real process has one, which `mend_self` points to; the
 * simulator has hundreds in one address space and changes `mend_self` when it switches fibers.  Each struct that a pointer here
 * names belongs to one folder; no other folder uses its members.
 *
 * A death becomes known in one order for all ranks of a node: the agent's.  `deaths` is that log; "acknowledged" and
 * "reported" are lengths of prefixes of it. */
#ifndef MEND_PROC_PROC_H
#define MEND_PROC_PROC_H

#include "base/arena.h"
#include "base/atomic.h"
#include "base/event.h"
#include "base/hash.h"
#include "base/list.h"
#include "base/param.h"
#include "base/table.h"
#include "base/time.h"
#include "proc/death.h"

#include <pthread.h>
#include <string.h>

struct mend_abroad;
struct mend_comm;
struct mend_comm_hooks;
struct mend_frame;
struct mend_bell;
struct mend_net;
struct mend_node;
struct mend_request;
struct mend_rt;
struct mend_shm;
struct mend_tcp;
struct mend_occurrence;
struct mend_wait_times;
struct mend_waiter;
struct mend_waiting;
struct mend_proc;

enum mend_proc_state {
    MEND_PROC_BARE,
    MEND_PROC_STARTING,
    MEND_PROC_RUNNING,
    MEND_PROC_FINALIZED,
    MEND_PROC_AWAY, /* without a session, and without a world: life/open.c */
};

/* The program's MPI_COMM_WORLD; sessions open and close beside it. */
enum mend_world_state {
    MEND_WORLD_BEFORE = 0,
    MEND_WORLD_OPEN, /* from MPI_Init to MPI_Finalize */
    MEND_WORLD_OVER,
};

/* What happens with incoming frames of one kind; the payload is valid during the call only. */
typedef void mend_frame_handler(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                                const void *payload);
typedef bool mend_homeless_handler(struct mend_proc *self, mend_peer from,
                                   const struct mend_frame *f, const void *payload, bool gone);

#define MEND_FRAME_KINDS 32
#define MEND_NETS_MAX    4

struct mend_proc {
    /* hot: read by every message */
    const struct mend_net *nets[MEND_NETS_MAX + 1]; /* those that may bring frames, then NULL */
    struct mend_shm *shm;                           /* net/shm */
    struct mend_tcp *tcp;                           /* net/tcp; NULL: none is used */
    const struct mend_bell *bell; /* by which this process is woken; NULL: nobody does */
    mend_peer me, peers_n;
    mend_peer peers_max;               /* as many names there may ever be: room in tables by name */
    mend_peer universe_n;              /* as many processes there may be at a time; 0: peers_max */
    struct mend_table peers;           /* struct mend_peer_entry by name: mend_peer_entry() */
    const _Atomic uint32_t *interrupt; /* differs from interrupt_seen: look for what is new */
    uint32_t interrupt_seen;
    uint32_t hinted_n, yields_n, waits_n; /* polls for one peer; turns without core; waits, tests */
    _Atomic uint32_t detours;             /* set of enum mend_detour; 0: calls take the short way */
    int32_t calls_left, calls_per_look; /* short calls until one looks for frames: proc/detour.h */
    enum mend_world_state world_state;
    bool due;                 /* a callback may run: on_due */
    volatile bool poked;      /* by a signal, since the last look (notify/) */
    volatile uint32_t inside; /* MPI calls that the main thread is in, during MEND_DETOUR_NOTIFY */
    bool oversubscribed;      /* more ranks than cores: yield early */
    struct mend_doubt {
        uint32_t skip;  /* so many waits give the core away at once */
        uint32_t level; /* the next time that spinning does not help, 1 << level waits will */
    } doubt;            /* with more ranks than cores (req/wait.c) */
    uint8_t core_alone; /* such ranks: how surely no other process wants its core (req/request.h) */
    mend_time_ns long_turn_at;  /* when a yield last gave the core to a process that computes */
    _Atomic uint32_t *attends;  /* 1 while it waits in MPI, for others to see; NULL: nobody asks */
    uint32_t ranks_per_core;    /* on this node, rounded down */
    struct mend_events *events; /* NULL unless --inject or --trace */
    bool reporting;             /* the launcher writes a --report file */
    struct mend_node *node;     /* the memory that the node shares (node/), NULL: none */
    struct mend_table outboxes; /* struct mend_list by peer: frames that found no room */
    uint32_t outbox_n;          /* frames in all outboxes */
    mend_time_ns starved_since_ns; /* one of them has no memory since then; 0: none (proc/post.h) */

    bool in_progress; /* frames are being delivered: do not poll again */
    bool sated;       /* a frame was waited for: what follows it is delivered after the wait */
    bool reducing;    /* in a reduction function of the program's */
    const char *call; /* the MPI function that was entered last, for reports */
    struct mend_waiting *waits;         /* what is waited for (req/wait.c), for reports */
    struct mend_wait_times *wait_times; /* NULL: nobody asks for how long (req/wait.c) */

    struct mend_waiter
        *poller;             /* proc/threads.h: the thread that polls for all, NULL: none waits */
    struct mend_list asleep; /* threads that wait and do not poll: struct mend_waiter.link */
    bool poller_asleep;
    struct mend_ticker
        *ticker; /* proc/ticker.h; NULL: threads that wait have been given their cores in time */

    struct mend_arena *arena;
    enum mend_proc_state state;
    int thread_level;
    pthread_mutex_t lock;
    pthread_t main_thread;
    int pid; /* that called MPI_Init; a process that it forks is not a rank */
    mend_frame_handler *on_frame[MEND_FRAME_KINDS];
    mend_homeless_handler *on_homeless[MEND_FRAME_KINDS]; /* proc/post.h; NULL: none */
    void *(*place)(struct mend_proc *, mend_peer, const struct mend_frame *); /* net.h: displace */

    struct mend_list parked; /* proc/post.c: frames of contexts that do not exist here yet */
    struct mend_hash tombs;  /* contexts that are gone */
    uint64_t *tomb_ring;     /* the same in order of burial */
    uint32_t tomb_next;

    const struct mend_rt *rt;
    void *rt_state;

    struct mend_death *deaths; /* in the order in which they were carried out */
    uint32_t deaths_n;
    uint32_t left_n;                 /* of these are none, but processes that have left */
    uint32_t born_n;                 /* of these had died before this process was started */
    uint32_t let_go_n, let_go_turns; /* of these this process has let go; life/let_go.c */
    uint32_t creating_n;             /* creations of communicators that wait for their decision */
    uint64_t revocations_n, agreements_n,
        long_calls_n;               /* known here; MPI calls not the short way */
    uint64_t news_asked, news_told; /* proc/news.h: questions, and those with answers */

    struct mend_list sessions; /* comm/session.h: struct mend_session.link */
    uint32_t sessions_made_n;
    bool publishes; /* it has published names (rt/service.h), which go with it */

    /* who this process is, from its runtime */
    uint64_t job;                   /* no other job has the same */
    struct mend_list abroad;        /* jobs connected with it: struct mend_abroad.link */
    mend_peer world_first, world_n; /* the names of its MPI_COMM_WORLD; n 0: all that it knows */
    uint64_t world_counter;         /* in the context of MPI_COMM_WORLD; 0: 1 */
    mend_peer asked_by;             /* who had it started, and */
    uint64_t asked_number;          /* the number of that call; 0: it began with the job */
    struct mend_seat
        *seats; /* those that the processes of MPI_COMM_WORLD replace, in order; NULL: nobody */

    /* chapters */
    struct mend_comm *world, *comm_self, *parent, *refilled;
    struct mend_hash comms;  /* context id (channel 0) -> struct mend_comm */
    struct mend_list active; /* requests that need polling: struct mend_request.link */
    struct mend_p2p *p2p;
    struct mend_parts *parts;
    struct mend_notify *notify;
    struct mend_types *types;
    struct mend_objects *objects; /* comm/: keyvals, error handlers, infos, handle numbers */
    const struct mend_comm_hooks *comm_hooks; /* what upper layers attach to a communicator */
    struct mend_coll *coll;
    struct mend_decide *decide;
    struct mend_create *create;
    struct mend_list modules; /* recover/: struct mend_module.link */
    struct mend_undo *undo;   /* recover/: NULL unless a module rolls back */
    uint64_t points_n;        /* safe points of modules so far */
    bool unwinds;             /* the program's calls end, then its memory rolls back: on_unwound */
    struct mend_list windows; /* rma/: struct mend_win.link */
    struct mend_datarep *datareps;     /* io/: that were registered, the newest first */
    struct mend_file_page *file_pages; /* io/: with words of files */
    struct mend_uring *uring;          /* io/: NULL: no file uses it */
    bool uring_refused, tallying; /* by the kernel; a thread asks for a number (io/pointer.c) */
    struct mend_abi *abi;
    struct mend_tool *tool; /* tool/: from the first MPI_T_init_thread() on */
    bool tool_threads;      /* MPI_T calls come from several threads: MPI takes the lock, too */

    uint64_t ctx_counter;  /* context ids proposed by this process so far */
    uint64_t span_counter; /* and of those that span several jobs */
    struct mend_params params;

    /* simulator: give the processor to another fiber; NULL in a real process */
    void (*yield)(struct mend_proc *self);
    mend_time_ns (*clock)(struct mend_proc *self);    /* NULL: the monotonic clock */
    void (*on_deaths)(struct mend_proc *self, int n); /* life/death.c: the next n of `deaths` */
    /* For tools (proc/occurrence.h); NULL: no tool has registered for events. */
    void (*on_occurrence)(struct mend_proc *self, const struct mend_occurrence *o);
    void (*tell)(struct mend_proc *self, bool free);
    uint32_t untold_n;                            /* not 0: there is something to tell */
    void (*on_interrupt)(struct mend_proc *self); /* after the verdicts; NULL: nothing to do */
    void (*on_due)(struct mend_proc *self);       /* while `due`: notify/ */
    /* during MEND_DETOUR_NOTIFY: a call returns, and gives back `lock` */
    void (*on_leave)(struct mend_proc *self);
    void (*on_unwound)(struct mend_proc *self); /* the outermost call would return: does not */
    void (*let_go)(struct mend_proc *self);     /* life/let_go.c; NULL: nobody waits for that */
    /* Makes processes known and reachable that were started later: all names below `end`.  False: no memory. */
    bool (*on_newcomers)(struct mend_proc *self, mend_peer end);
    /* Learns of all processes that there are by now, also abroad.  NULL: none can have come. */
    void (*look_for_newcomers)(struct mend_proc *self);
    /* An error that belongs to no call any more: fatal with the scope of MPI_COMM_SELF (S4-1, S4-2) */
    void (*on_lost_error)(struct mend_proc *self, int error, const char *what);
    /* The kernel says that the peer is gone: a suspicion for the agent, never a verdict. */
    void (*on_trouble)(struct mend_proc *self, mend_peer peer);
    /* What came from the peer is nothing that a correct process writes.  If the peer lives, this process
     * cannot go on and ends (doc/architecture.md, "Damage"); returns if it is dead or about to be declared
     * so, and the frame is to be dropped. */
    void (*on_damage)(struct mend_proc *self, mend_peer from);
};

/* The calling process.  NULL until the first MPI call. */
extern struct mend_proc *mend_self __attribute__((visibility("hidden")));

static inline void *mend_alloc(struct mend_proc *self, size_t n)
{
    return mend_arena_alloc(self->arena, n);
}

/* Between the two an allocation that fails takes from the reserve (base/arena.h): for what other processes
 * depend on, and no call can report.  Without that the process ends with MPI_ERR_NO_MEM. */
static inline void mend_memory_press(struct mend_proc *self)
{
    mend_arena_press(self->arena);
}

static inline void mend_memory_relax(struct mend_proc *self)
{
    mend_arena_relax(self->arena);
}

/* For a call in which others take part and wait for this process: a small piece comes from the reserve if
 * need be; NULL: no memory for a large one. */
void *mend_alloc_for_others(struct mend_proc *self, size_t n);

/* The same for the little without which this process could not even tell the others that it has no memory.
 * Never NULL: a process that finds no memory for it cannot go on, and ends with a message (S4-1). */
void *mend_alloc_to_take_part(struct mend_proc *self, size_t n);

/* Cleared memory for count objects of size bytes; NULL: no memory. */
static inline void *mend_zalloc(struct mend_proc *self, size_t count, size_t size)
{
    size_t n;

    return __builtin_mul_overflow(count, size, &n) ? NULL : mend_arena_zalloc(self->arena, n);
}

static inline void mend_free(struct mend_proc *self, void *p)
{
    mend_arena_free(self->arena, p);
}

/* A verdict has been given, or something stands in the segment, that this process has not seen. */
static inline bool mend_has_news(const struct mend_proc *self)
{
    /* acquire: pairs with the releases in mend_rank_call_all() and mend_node_interrupt() */
    return mend_load_acquire(self->interrupt) != self->interrupt_seen;
}

static inline mend_time_ns mend_proc_now(struct mend_proc *self)
{
    return self->clock ? self->clock(self) : mend_time_monotonic_ns();
}

static inline void mend_event(struct mend_proc *self, enum mend_event_id id)
{
    if (mend_unlikely(self->events != NULL))
        mend_event_hit(self->events, id);
}

/* A process without a job: memory and empty tables.  NULL: no memory. */
struct mend_proc *mend_proc_create_bare(void);
void mend_proc_destroy(struct mend_proc *self);

#endif
