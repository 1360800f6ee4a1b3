/* SPDX-License-Identifier: BSD-3-Clause */
/* lock.c – the play of lock: the locks of a window, where every access of shared memory is a step.
 *
 * The code is src/rma/winlock_sm.h itself, compiled with accesses that can stop before they are done, in the way of
 * memory_step.c: a step begins the activity again, gives it the results that its accesses had before, and lets
 * it do one more.  What the program around it may do:
 *
 *   it begins a lock of any kind of any target (--window), --instances times, several targets at once
 *   it goes on: one access
 *   it unlocks, or gives up waiting
 *
 * A process that waits sleeps, as in the library: it looks again when somebody woke it since it began to look, or
 * when it has heard of a death.  So a wake-up that is missing is a state in which nothing happens any more.
 *
 * The exhaustive search lets a process give up whenever it waits.  In runs with a seed, with up to 64 processes, only one
 * wait in eight may be given up, because the others show a wake-up that is missing; and in some runs a process revokes the
 * window: then nobody begins a lock any more, and all that wait give up.
 *
 *   L1  two living hold what excludes each other
 *   L2  a process gets a lock although a holder died: any lock, if it had heard of it; the exclusive one, in any case
 *   L3  a lock is poisoned, and no holder of it died; or lock_all fails
 *   L4  an unlock says nothing of the death of another holder of which it had heard
 *   L5  somebody waits, and nothing can happen any more
 *   L6  a word of a living process is left set at the end */
#include "clock.h"
#include "sim.h"

#include "base/atomic.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

static uint64_t on_load(const void *p);
static void on_store(void *p, uint64_t v);
static bool on_swap(void *p, uint64_t from, uint64_t to);

/* Instead of those of base/atomic.h. */
#undef mend_load_acquire
#undef mend_store_release
#undef atomic_compare_exchange_strong
#define mend_load_acquire(p)                              on_load(p)
#define mend_store_release(p, v)                          on_store((p), (v))
#define atomic_compare_exchange_strong(p, from_p, wanted) on_swap((p), *(from_p), (wanted))
#include "rma/winlock_sm.h"

#define RANKS_MAX   64
#define TARGETS_MAX 2

enum activity { IDLE, LOCKS, SLEEPS, UNLOCKS, ABANDONS };
enum move {
    LOCK_FIRST,
    REVOKE = 7,
    GO_ON,
    GIVE_UP,
    UNLOCK_FIRST
}; /* per target: a kind each; then lock_all */
enum { SLOTS = TARGETS_MAX + 1, ALL_SLOT = TARGETS_MAX }; /* locks of a process */

struct proc {
    uint64_t wanted;        /* private: exclusive locks that it has or wants */
    uint64_t deaths, heard; /* sets of ranks: it knows of; it knew when the activity began */
    uint16_t seen_n, left;  /* accesses of the activity; locks that it will take */
    uint8_t rank, activity, slot, wrong;
    uint8_t awake, dead;
    uint8_t hurried,
        revokes; /* it may give up this wait; it revokes the window after half of its locks */
    uint8_t
        held_by_dead[TARGETS_MAX]; /* of a dead one: how it held the lock of the target; 0: not */
    uint8_t kind[SLOTS], state[SLOTS]; /* the machines, as of the beginning of the activity */

    uint8_t shared[TARGETS_MAX], any, all; /* its words */
    uint8_t revoked;                       /* rank 0's is everybody's, and so are */
    uint32_t excl[TARGETS_MAX];
    uint32_t seen[]; /* what the accesses of the activity gave */
};

/* Each dead process is looked for, and then each member's words are looked at. */
static size_t seen_max(const struct mend_sim_conf *c)
{
    return 16 + 8 * (size_t)c->ranks;
}

static size_t lock_bytes(const struct mend_sim_conf *c)
{
    return (sizeof(struct proc) + seen_max(c) * sizeof(uint32_t) + 7) / 8 * 8;
}

static struct proc *proc_at(const void *procs, int rank, const struct mend_sim_conf *c)
{
    return (struct proc *)((char *)(uintptr_t)procs + (size_t)rank * lock_bytes(c));
}

/* Addresses of the words. */
static struct {
    mend_atomic_u32 excl[TARGETS_MAX];
    mend_atomic_u8 shared[TARGETS_MAX][RANKS_MAX], any[RANKS_MAX], all[RANKS_MAX];
} address;

/* The step that is being done. */
static struct step {
    struct proc *procs, *p;
    const struct mend_sim_conf *conf;
    int at;
    bool done, traced;
    jmp_buf stop;
} now;

/* ---- what the code that is played is given ---- */

static uint8_t *byte_at(const void *p)
{
    size_t i = (size_t)((const char *)p - (const char *)address.shared);
    struct proc *q = proc_at(now.procs, (int)(i % RANKS_MAX), now.conf);

    if (i < sizeof address.shared)
        return &q->shared[i / RANKS_MAX];
    return i < sizeof address.shared + sizeof address.any ? &q->any : &q->all;
}

static bool is_excl(const void *p)
{
    return (const char *)p < (const char *)address.shared;
}

static uint32_t value_of(const void *p)
{
    return is_excl(p) ? now.procs->excl[(const mend_atomic_u32 *)p - address.excl] : *byte_at(p);
}

/* False: the result is that of before.  True: the access is done now. */
static bool is_next(uint32_t *seen_p)
{
    if (now.at < now.p->seen_n) {
        *seen_p = now.p->seen[now.at++];
        return false;
    }
    if (now.done)
        longjmp(now.stop, 1);
    now.done = true;
    return true;
}

static uint32_t remember(const char *what, const void *p, uint32_t v)
{
    if (now.traced)
        printf("          %s %s %zd: %x\n", what, is_excl(p) ? "excl" : "byte",
               (const char *)p - (const char *)&address, v);
    MEND_ASSERT(now.p->seen_n < seen_max(now.conf));
    now.at++;
    return now.p->seen[now.p->seen_n++] = v;
}

static uint64_t on_load(const void *p)
{
    uint32_t v;

    return is_next(&v) ? remember("reads", p, value_of(p)) : v;
}

/* Mistakes: the store is not to be seen before the next one, as where a fence is missing; or never. */
static bool is_omitted(uint64_t v)
{
    return (now.conf->broken == MEND_SIM_HASTY && v == MEND_WINLOCK_TRIES) ||
           (now.conf->broken == MEND_SIM_OMIT && now.p->activity == UNLOCKS);
}

static void on_store(void *p, uint64_t v)
{
    uint32_t seen;

    if (!is_next(&seen))
        return;
    if (now.conf->broken == MEND_SIM_RASH && byte_at(p) == &now.p->any)
        v = now.p->activity != UNLOCKS && v;
    if (!is_omitted(v))
        *byte_at(p) = (uint8_t)v;
    remember("stores", p, (uint32_t)v);
}

static bool on_swap(void *p, uint64_t from, uint64_t to)
{
    uint32_t v;

    if (is_next(&v)) {
        uint32_t *word = &now.procs->excl[(mend_atomic_u32 *)p - address.excl];
        bool equal = *word == from;

        if (now.conf->broken == MEND_SIM_ACCUSE && now.p->activity == LOCKS &&
            to == MEND_WINLOCK_FREE)
            to = MEND_WINLOCK_DEAD;
        if (now.conf->broken == MEND_SIM_FORGET && to == MEND_WINLOCK_DEAD)
            to = MEND_WINLOCK_FREE;
        if (equal)
            *word = (uint32_t)to;
        v = remember(equal ? "swaps" : "does not swap", p, equal);
    }
    return v;
}

static bool is_dead(const void *of, int rank)
{
    const struct proc *p = of;

    return p->heard >> rank & 1 && now.conf->broken != MEND_SIM_DEAF;
}

/* ---- activities ---- */

static struct mend_winlock_words words_of(struct proc *p, uint32_t *wanted, int slot)
{
    int target = slot == ALL_SLOT ? 0 : slot;

    return (struct mend_winlock_words){
        .excl = &address.excl[target],
        .shared = address.shared[target],
        .any = address.any,
        .any_apart = 1,
        .all = address.all,
        .n = now.conf->broken == MEND_SIM_NARROW ? now.conf->ranks - 1 : now.conf->ranks,
        .me = p->rank,
        .wanted = wanted,
        .bereaved = p->heard != 0,
        .is_dead = is_dead,
        .of = p};
}

static void begin(struct proc *p, uint8_t activity, int slot)
{
    p->activity = activity;
    p->slot = (uint8_t)slot;
    p->awake = 0;
    p->heard = p->deaths;
}

static void end(struct proc *p, uint8_t activity)
{
    p->activity = activity;
    p->seen_n = 0;
    memset(p->seen, 0, seen_max(now.conf) * sizeof *p->seen);
    if (activity == IDLE)
        p->slot = p->awake = p->hurried = 0;
    if (activity == IDLE)
        p->heard = 0;
}

static void wake(struct proc *p)
{
    p->awake = p->activity == LOCKS || p->activity == SLEEPS;
}

static void wake_all(const struct proc *but)
{
    for (int r = 0; r < now.conf->ranks && now.conf->broken != MEND_SIM_SILENT; r++)
        if (r != but->rank)
            wake(proc_at(now.procs, r, now.conf));
}

/* A look set a byte and took it back: those that it may have hindered look again. */
static void wake_hindered(const struct proc *p, const struct mend_winlock *l,
                          const struct mend_winlock_words *w)
{
    uint64_t set = 0;

    for (int r = 0; (r = mend_winlock_hindered(l, w, r)) >= 0; r++)
        set |= UINT64_C(1) << r;
    for (int r = 0; r < now.conf->ranks && now.conf->broken != MEND_SIM_HUSH; r++)
        if (r != p->rank && set >> r & 1)
            wake(proc_at(now.procs, r, now.conf));
}

/* Ranks that died as holders of a target's lock, one way or the other. */
static uint64_t died_holding(int target)
{
    uint64_t set = 0;

    for (int r = 0; r < now.conf->ranks; r++)
        if (proc_at(now.procs, r, now.conf)->held_by_dead[target])
            set |= UINT64_C(1) << r;
    return set;
}

static void judge_lock(struct proc *p, enum mend_winlock_result r)
{
    uint64_t dead = p->slot == ALL_SLOT ? 0 : died_holding(p->slot);

    if (r == MEND_WINLOCK_POISONED && !dead)
        p->wrong = 3;
    else if (r == MEND_WINLOCK_HELD && p->kind[p->slot] == MEND_WINLOCK_EXCLUSIVE && dead)
        p->wrong = 2;
    else if (r == MEND_WINLOCK_HELD && dead & p->heard)
        p->wrong = 2;
}

static void judge_unlock(struct proc *p, enum mend_winlock_result r)
{
    uint64_t dead = p->slot == ALL_SLOT ? 0 : died_holding(p->slot);

    if (r == MEND_WINLOCK_POISONED && !dead)
        p->wrong = 3;
    if ((r != MEND_WINLOCK_POISONED || now.conf->broken == MEND_SIM_LIE) && dead & p->heard)
        p->wrong = 4;
}

static void act(struct proc *p)
{
    struct mend_winlock l = {(enum mend_winlock_kind)p->kind[p->slot], p->state[p->slot]};
    uint32_t wanted = (uint32_t)p->wanted;
    struct mend_winlock_words w = words_of(p, &wanted, p->slot);
    enum mend_winlock_result r = MEND_WINLOCK_WAIT;

    if (p->activity == LOCKS)
        judge_lock(p, r = mend_winlock_step(&l, &w));
    else if (p->activity == UNLOCKS)
        judge_unlock(p, mend_winlock_release(&l, &w));
    else
        mend_winlock_abandon(&l, &w);
    if (p->activity != LOCKS || (r == MEND_WINLOCK_POISONED && now.conf->broken != MEND_SIM_SHY))
        wake_all(p);
    else if (r == MEND_WINLOCK_WAIT)
        wake_hindered(p, &l, &w);
    p->state[p->slot] = (uint8_t)l.state;
    p->wanted = wanted;
    if (p->activity != LOCKS || r == MEND_WINLOCK_POISONED)
        p->kind[p->slot] = 0;
    end(p, p->activity == LOCKS && r == MEND_WINLOCK_WAIT ? SLEEPS : IDLE);
}

/* One access of p. */
static void step(struct proc *procs, struct proc *p, const struct mend_sim_conf *c, bool traced)
{
    now.procs = procs;
    now.p = p;
    now.conf = c;
    now.at = 0;
    now.done = false;
    now.traced = traced;
    if (p->activity == SLEEPS)
        begin(p, LOCKS, p->slot);
    if (!setjmp(now.stop))
        act(p);
}

/* ---- the play ---- */

/* Decided by the seed: one time in n. */
static bool is_drawn(const struct proc *p, const struct mend_sim_conf *c, int n)
{
    struct mend_sim_rng rng = {.state = c->seed ^ (uint64_t)(p->rank << 16 | p->left) << 32};

    return mend_sim_rng_below(&rng, (uint64_t)n) == 0;
}

static void lock_init(void *proc, int rank, const struct mend_sim_conf *c)
{
    struct proc *p = proc;

    memset(p, 0, lock_bytes(c));
    p->rank = (uint8_t)rank;
    p->left = (uint16_t)c->instances;
    p->revokes = c->patience && is_drawn(p, c, 4 * c->ranks);
}

static struct proc *procs_of(const struct proc *p, const struct mend_sim_conf *c)
{
    return (struct proc *)((char *)(uintptr_t)p - (size_t)p->rank * lock_bytes(c));
}

static bool is_revoked(const struct proc *p, const struct mend_sim_conf *c)
{
    return procs_of(p, c)->revoked;
}

static bool may_give_up(const struct proc *p, const struct mend_sim_conf *c)
{
    return !c->patience || p->hurried || is_revoked(p, c);
}

/* The next lock is of a higher target than those it holds: else two could wait for each other by right. */
static int first_target(const struct proc *p)
{
    for (int t = TARGETS_MAX; t > 0; t--)
        if (p->state[t - 1])
            return t;
    return 0;
}

static unsigned lock_moves(const void *proc, const struct mend_sim_conf *c)
{
    const struct proc *p = proc;
    unsigned moves = 0;
    bool begins = p->left && !p->state[ALL_SLOT] && !is_revoked(p, c);

    if (p->activity == SLEEPS)
        return (unsigned)may_give_up(p, c) << GIVE_UP | (unsigned)p->awake << GO_ON;
    if (p->activity)
        return 1u << GO_ON;
    if (p->revokes && 2 * p->left <= c->instances && !is_revoked(p, c))
        moves |= 1u << REVOKE;
    for (int slot = 0; slot < SLOTS; slot++)
        if (p->state[slot])
            moves |= 1u << (UNLOCK_FIRST + slot);
    for (int t = first_target(p); begins && t < c->window; t++)
        moves |= 3u << (LOCK_FIRST + 2 * t);
    if (begins && !first_target(p))
        moves |= 1u << (LOCK_FIRST + 2 * ALL_SLOT);
    return moves;
}

static const char *lock_move_name(int move)
{
    static const char *const names[] = {"locks 0 alone",
                                        "locks 0 with others",
                                        "locks 1 alone",
                                        "locks 1 with others",
                                        "locks all",
                                        "",
                                        "",
                                        "revokes",
                                        "goes on",
                                        "gives up",
                                        "unlocks 0",
                                        "unlocks 1",
                                        "unlocks all"};

    return names[move];
}

static void lock_move(void *proc, int move, const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct proc *p = proc;

    (void)io;
    if (move == REVOKE) {
        procs_of(p, c)->revoked = 1;
        return;
    }
    if (move >= UNLOCK_FIRST) {
        begin(p, UNLOCKS, move - UNLOCK_FIRST);
    } else if (move == GIVE_UP) {
        begin(p, ABANDONS, p->slot);
    } else if (move != GO_ON) {
        begin(p, LOCKS, move / 2);
        p->kind[p->slot] = (uint8_t)(move / 2 == ALL_SLOT ? MEND_WINLOCK_ALL
                                     : move % 2           ? MEND_WINLOCK_SHARED
                                                          : MEND_WINLOCK_EXCLUSIVE);
        p->left--;
        p->hurried = c->patience && is_drawn(p, c, c->patience);
    }
    step(procs_of(p, c), p, c, c->trace);
}

static void lock_death(void *proc, int dead, const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct proc *p = proc;

    (void)c;
    (void)io;
    p->deaths |= UINT64_C(1) << dead;
    wake(p);
}

/* Its words stay. */
static void lock_bury(void *proc, const struct mend_sim_conf *c)
{
    struct proc *p = proc, was = *p;

    memset(p, 0, lock_bytes(c));
    p->rank = was.rank;
    p->dead = 1;
    p->any = was.any;
    p->all = was.all;
    p->revoked = was.revoked;
    memcpy(p->shared, was.shared, sizeof p->shared);
    memcpy(p->excl, was.excl, sizeof p->excl);
    for (int t = 0; t < c->window; t++)
        p->held_by_dead[t] = p->shared[t] == MEND_WINLOCK_HOLDS ||
                             procs_of(p, c)->excl[t] == MEND_WINLOCK_HELD_BY(p->rank);
}

/* From the look that gave it the lock to the beginning of its unlock. */
static bool holds(const struct proc *p, int slot)
{
    return p->state[slot] == MEND_WINLOCK_OWNS && !(p->activity == UNLOCKS && p->slot == slot);
}

static bool exclude(const struct proc *p, const struct proc *q, int target)
{
    bool alone = holds(p, target) && p->kind[target] == MEND_WINLOCK_EXCLUSIVE;

    return alone && (holds(q, target) || holds(q, ALL_SLOT));
}

static const char *lock_check(const struct mend_sim_view *v, int rank)
{
    static const char *const rules[] = {
        [2] = "L2: a lock was given although a holder died",
        [3] = "L3: a lock is poisoned, and no holder of it died",
        [4] = "L4: an unlock says nothing of the death of another holder"};
    const struct proc *p = mend_sim_proc(v, rank);

    if (p->wrong)
        return rules[p->wrong];
    for (int r = 0; r < v->conf->ranks; r++) {
        const struct proc *q = mend_sim_proc(v, r);

        for (int t = 0; r != rank && t < v->conf->window; t++)
            if (exclude(p, q, t) || exclude(q, p, t))
                return "L1: two hold what excludes each other";
    }
    return NULL;
}

/* Nobody but one that might give up can do anything. */
static bool lock_at_rest(const struct mend_sim_view *v)
{
    uint64_t dead = 0;

    for (int r = 0; r < v->conf->ranks; r++)
        dead |= (uint64_t)(v->fate[r] != MEND_SIM_ALIVE) << r;
    for (int r = 0; r < v->conf->ranks; r++) {
        const struct proc *p = mend_sim_proc(v, r);

        if (v->fate[r] == MEND_SIM_ALIVE &&
            (lock_moves(p, v->conf) & ~(1u << GIVE_UP) || p->deaths != dead))
            return false;
    }
    return true;
}

static const char *lock_check_end(const struct mend_sim_view *v)
{
    const struct proc *first = v->procs;

    for (int r = 0; r < v->conf->ranks; r++) {
        const struct proc *p = mend_sim_proc(v, r);
        bool set = p->any || p->all || p->shared[0] || p->shared[1] || p->wanted;

        for (int t = 0; t < v->conf->window; t++)
            set |= MEND_WINLOCK_WHO(first->excl[t]) == r;
        if (v->fate[r] == MEND_SIM_ALIVE && p->activity == SLEEPS)
            return "L5: somebody waits, and nothing can happen any more";
        if (v->fate[r] == MEND_SIM_ALIVE && set)
            return "L6: a word of a living process is left set";
    }
    return NULL;
}

static int lock_print(const void *proc, const struct mend_sim_conf *c, char *buf, size_t size)
{
    static const char *const doing[] = {"idle", "locks", "sleeps", "unlocks", "gives up"};
    const struct proc *p = proc;

    (void)c;
    return snprintf(buf, size, "%s %d, shared %d %d, any %d, all %d, heard %llx%s, excl %x %x",
                    doing[p->activity], p->slot, p->shared[0], p->shared[1], p->any, p->all,
                    (unsigned long long)p->deaths, p->awake ? ", awake" : "", p->excl[0],
                    p->excl[1]);
}

const struct mend_sim_play mend_sim_lock = {
    .name = "lock",
    .about = "the locks of a window in shared memory",
    .instances = "locks that every process takes",
    .bytes = lock_bytes,
    .init = lock_init,
    .moves = lock_moves,
    .move_name = lock_move_name,
    .move = lock_move,
    .death = lock_death,
    .at_rest = lock_at_rest,
    .shares = true,
    .bury = lock_bury,
    .check = lock_check,
    .check_end = lock_check_end,
    .print = lock_print,
};
