/* SPDX-License-Identifier: BSD-3-Clause */
/* memory_step.c – one access of shared memory by the code of agreement by slots.
 *
 * The code is src/node/slots.h itself, compiled here with loads and stores that can stop before they
 * are done.  A step of a process:
 *
 *   restart its activity (contribute, evaluate, veto)
 *   replay the values that it has read before            -> it reaches the place where it was
 *   let it do one access
 *   stop it before the next one                          -> the value that it has read is recorded
 *
 * So the state of a process is the start of its activity and the values that it has read since; no stack must be
 * kept.  Evaluation restarts with each member: its code may stop there and be called again, which the
 * library does when it has to wait.
 *
 * An access is a load or a store of a shared word; a process reads its own words without a step, because
 * no other process writes them.  The words of a value together count as one access, with the word that released
 * them.  A check for dead processes is local and part of the access after it: so the
 * news may come between any two accesses.  (In the library they come only between two evaluations.)
 *
 * With --fine there are no shortcuts: each of these is a step, and evaluation does not restart. */
#include "memory.h"
#include "play.h"

#include "base/atomic.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

static uint64_t on_load(const void *p, bool plain);
static void on_store(void *p, uint64_t v, bool plain);

/* Instead of those of base/atomic.h. */
#undef mend_load_relaxed
#undef mend_load_acquire
#undef mend_store_release
#define mend_load_relaxed(p)     on_load((p), true)
#define mend_load_acquire(p)     on_load((p), false)
#define mend_store_release(p, v) on_store((p), (v), false)

/* Instead of those of node/slots.h.  As many slots as the window needs: twice as many, as in the library. */
static const struct mend_sim_conf *playing;
#define MEND_SLOTS_N           ((uint64_t)mend_sim_memory_slots(playing))
#define MEND_SLOTS_WINDOW      ((uint64_t)playing->window)
#define MEND_SLOTS_LOAD(p)     on_load((p), true)
#define MEND_SLOTS_STORE(p, v) on_store((p), (v), true)
#include "node/brief.h"
#include "node/slots.h"

/* Addresses of the words, which are themselves in the rows of the processes. */
static struct {
    struct mend_slot slot[MEND_SIM_SMALL_MAX][MEND_SIM_SLOTS_MAX];
    uint64_t no_from[MEND_SIM_SMALL_MAX];
    struct mend_brief brief; /* of ranks 0 and 1 */
} address;

enum access { NONE, ATOMIC, VALUE_STORE };

/* The step that is being done. */
static struct step {
    struct mend_sim_memory_proc *p;
    const char *procs; /* of all */
    size_t proc_bytes;
    int at;           /* what it read before, up to here it has been given again */
    enum access done; /* the access of this step */
    struct mend_slots m;
    struct mend_sim_memory_op op; /* m's value */
    bool traced;
    bool early; /* a mistake: this was read before the look at the dead: */
    uint64_t early_word;
    jmp_buf stop;
} * now;

static struct mend_sim_memory_proc *other(int rank)
{
    return rank == now->p->rank ? now->p
                                : (void *)(uintptr_t)(now->procs + now->proc_bytes * (size_t)rank);
}

/* Of a row, behind the slots. */
static bool is_brief(int place)
{
    return place >= mend_sim_memory_slots(playing) * MEND_SIM_SLOT_WORDS;
}

/* The word of an address, whose it is, and its place there; that of no_from is -1. */
static uint64_t *word_at(const void *p, int *rank_p, int *place_p)
{
    size_t i = (size_t)((const char *)p - (const char *)&address) / sizeof(uint64_t);
    size_t slots = sizeof address.slot / sizeof(uint64_t), row = slots / MEND_SIM_SMALL_MAX;
    size_t brief = offsetof(typeof(address), brief) / sizeof(uint64_t);

    if (i >= slots && i < brief) {
        *rank_p = (int)(i - slots);
        *place_p = -1;
        return &other(*rank_p)->no_from;
    }
    *rank_p = (int)(i < slots ? i / row : (i - brief) / 2);
    *place_p =
        (int)(i < slots ? i % row : mend_sim_memory_row_words(playing) - 2 + (i - brief) % 2);
    return mend_sim_memory_row(other(*rank_p), playing) + *place_p;
}

static bool knows(const struct mend_sim_memory_proc *p, int rank)
{
    return memchr(p->death, rank + 1, p->deaths_n);
}

static void trace(const char *what, int rank, int place, uint64_t v)
{
    if (!now->traced)
        return;
    if (place < 0)
        printf("          %s no_from of %d: %llx\n", what, rank, (unsigned long long)v);
    else if (is_brief(place))
        printf("          %s word %d of %d: %llx\n", what, place % 2, rank, (unsigned long long)v);
    else
        printf("          %s slot %d word %d of %d: %llx\n", what, place / MEND_SIM_SLOT_WORDS,
               place % MEND_SIM_SLOT_WORDS, rank, (unsigned long long)v);
}

static void forget_seen(struct mend_sim_memory_proc *p)
{
    memset(mend_sim_memory_seen(p, playing), 0, p->seen_n * sizeof(uint64_t));
    p->seen_n = 0;
}

_Noreturn static void stop(void)
{
    longjmp(now->stop, 1);
}

/* ---- what the code that is played is given ---- */

static bool was_read(uint64_t *v_p)
{
    if (now->at >= now->p->seen_n)
        return false;
    *v_p = mend_sim_memory_seen(now->p, playing)[now->at++];
    return true;
}

static uint64_t remember(uint64_t v)
{
    MEND_ASSERT(now->p->seen_n < mend_sim_memory_seen_max(playing));
    mend_sim_memory_seen(now->p, playing)[now->p->seen_n++] = v;
    now->at++;
    return v;
}

static uint64_t on_load(const void *p, bool plain)
{
    int rank, place;
    const uint64_t *word;
    uint64_t v;

    word = word_at(p, &rank, &place);
    if (rank == now->p->rank && !playing->fine)
        return *word;
    if (playing->broken == MEND_SIM_DEAF && place < 0 && knows(now->p, rank))
        return 0;
    if (now->early && !plain) {
        now->early = false;
        return now->early_word;
    }
    if (was_read(&v))
        return v;
    if (now->done && (!plain || playing->fine))
        stop();
    now->done = ATOMIC;
    trace("reads", rank, place, *word);
    if (playing->broken == MEND_SIM_RASH && is_brief(place))
        return remember((now->m.seq + 1) << 32 | (*word & UINT32_MAX));
    return remember(*word);
}

/* A12: a living process that has neither decided nor declined the slot's agreement may still read the slot. */
static void check_reuse(uint64_t number)
{
    uint64_t old = number - MEND_SLOTS_N;

    for (int r = 0; r < playing->ranks && number >= MEND_SLOTS_N; r++) {
        const struct mend_sim_memory_proc *q = other(r);

        if (!q->dead && q->decided <= old && !mend_sim_memory_declined(q, old))
            now->p->wrong = 12;
    }
}

static void on_store(void *p, uint64_t v, bool plain)
{
    int rank, place;
    uint64_t *word = word_at(p, &rank, &place), old;
    bool late = now->p->activity == MEND_SIM_CONTRIBUTES_LATE;

    if (was_read(&old) || (playing->broken == MEND_SIM_HASTY && place >= 0 && plain != late))
        return;
    if (now->done && !(plain && now->done == VALUE_STORE && !playing->fine))
        stop();
    now->done = plain ? VALUE_STORE : ATOMIC;
    if (rank != now->p->rank)
        now->p->wrong = 13;
    if (place >= 0 && !is_brief(place))
        check_reuse(now->m.seq);
    trace("writes", rank, place, v);
    remember(*word = v);
}

static void save_op(void)
{
    struct mend_sim_memory_op *op = &now->op;

    op->seen = now->m.seen;
    op->absent_n = now->m.absent_n;
    op->known = now->m.known;
    op->acked = now->m.acked;
    *mend_sim_memory_op(now->p, playing, now->m.seq) = *op;
}

/* Evaluation is where it may be left: all that it has found out is in m. */
static void on_resting_place(void)
{
    if (now->p->activity != MEND_SIM_EVALUATES || now->at < now->p->seen_n || playing->fine)
        return;
    save_op();
    forget_seen(now->p);
    now->at = 0;
    if (!now->done)
        return;
    now->p->activity = MEND_SIM_IDLE;
    stop();
}

static uint64_t look(uint64_t v)
{
    uint64_t old;

    if (was_read(&old))
        return old;
    if (now->done)
        stop();
    now->done = playing->fine ? ATOMIC : NONE;
    return remember(v);
}

static struct mend_slot *slot_of(const void *of, int rank, unsigned i)
{
    return &address.slot[rank][i];
}

static mend_atomic_u64 *no_from_of(const void *of, int rank)
{
    return playing->creation || playing->validation ? (mend_atomic_u64 *)&address.no_from[rank]
                                                    : NULL;
}

static bool is_dead(const void *of, int rank)
{
    if (rank == now->m.seen)
        on_resting_place();
    if (playing->broken == MEND_SIM_LATE_LOOK && rank != now->p->rank) {
        now->early = false;
        now->early_word = on_load(&address.slot[rank][now->m.seq % MEND_SLOTS_N].word, false);
        now->early = true;
    }
    return look(knows(now->p, rank));
}

static uint32_t deaths_n(const void *of)
{
    if (now->m.seen == now->m.members_n)
        on_resting_place();
    if (playing->broken == MEND_SIM_IMPATIENT && now->p->activity == MEND_SIM_EVALUATES)
        return UINT32_MAX;
    return (uint32_t)look(now->p->deaths_n);
}

static int death(const void *of, uint32_t i)
{
    return i < now->p->deaths_n ? now->p->death[i] - 1 : -1;
}

static const struct mend_slots_ops slots_ops = {.slot = slot_of,
                                                .no_from = no_from_of,
                                                .is_dead = is_dead,
                                                .deaths_n = deaths_n,
                                                .death = death};

/* ---- activities ---- */

static void take_up(uint64_t number)
{
    struct mend_sim_memory_op *op = &now->op;

    *op = *mend_sim_memory_op(now->p, playing, number);
    mend_slots_init(&now->m, playing->ranks, op->and_word, op->max_word);
    now->m.seq = number;
    now->m.seen = op->seen;
    now->m.absent_n = op->absent_n;
    now->m.known = op->known;
    now->m.acked = op->acked;
}

/* All that it knows; some at times nothing. */
static uint32_t acknowledged(const struct mend_sim_memory_proc *p, uint64_t number, uint32_t known)
{
    return p->rank % 2 && number % 2 ? 0 : known;
}

/* It looks at the other one's word when it has said its own. */
static void say_briefly(const struct mend_sim_memory_proc *p, uint64_t number)
{
    uint64_t vote = mend_brief_of(&now->m);

    mend_brief_say(&address.brief, &now->m, p->rank, vote);
    mend_sim_memory_past(p, number)->said = true;
    mend_sim_memory_op(p, playing, number)->brief = vote != 0;
}

static void contribute(struct mend_sim_memory_proc *p)
{
    uint64_t number = p->begun - 1u;
    struct mend_sim_memory_past *past = mend_sim_memory_past(p, number);
    uint32_t known = deaths_n(NULL), acked = acknowledged(p, number, known);

    take_up(number);
    if (playing->brief && !known)
        say_briefly(p, number);
    if (playing->broken == MEND_SIM_HUSH)
        return;
    mend_slots_contribute(&now->m, &address.slot[p->rank][number % MEND_SLOTS_N], known, acked);
    if (past->gave)
        return;
    past->gave = known + 1;
    past->acked = acked;
}

/* What create/creation.c and create/validate.c do with the result. */
static void conclude(struct mend_sim_memory_proc *p)
{
    const struct mend_sim_memory_decision *d = &p->fresh;
    bool no = d->and_word[MEND_SIM_MEMORY_OK] != UINT64_MAX;

    if (playing->broken == MEND_SIM_BABBLE)
        return;
    if (playing->validation && no)
        mend_sim_memory_give_up(p, MEND_SIM_REVOKED, playing);
    if (playing->creation && (no || d->failed))
        mend_sim_memory_give_up(p, d->failed ? MEND_SIM_FAILED : d->max_word[MEND_SIM_MEMORY_CLASS],
                                playing);
}

static uint64_t print_of(const struct mend_sim_memory_decision *d)
{
    uint64_t failed = d->failed;
    struct mend_agree_value v = {.nfailed = 1, .failed = &failed};

    memcpy(v.and_word, d->and_word, sizeof v.and_word);
    memcpy(v.max_word, d->max_word, sizeof v.max_word);
    v.max_word[MEND_AGREE_WORDS - 1] = d->all_acked;
    return mend_sim_agree_hash(&v, MEND_SIM_SMALL_MAX);
}

/* With --brief: the words of a decision, if nobody vetoed. */
static void expand(struct mend_sim_memory_decision *d)
{
    uint64_t flag = d->and_word[0];

    if (!flag)
        return;
    d->and_word[MEND_SIM_MEMORY_OK] = UINT64_MAX;
    d->and_word[MEND_SIM_MEMORY_WHO] = ~UINT64_C(0xff) | (flag & 0xff);
    d->and_word[MEND_SIM_MEMORY_NUMBER] = flag >> 8 & 0xff;
    d->max_word[MEND_SIM_MEMORY_LATEST] = ~(flag >> 16) & 0xff;
    d->max_word[MEND_SIM_MEMORY_RANK] = flag & 2 ? 1 : 2;
}

static void decide(struct mend_sim_memory_proc *p)
{
    struct mend_sim_memory_decision *d = &p->fresh;
    int32_t failed[2 * MEND_SIM_SMALL_MAX];
    int n = mend_slots_failed(&now->m, &slots_ops, NULL, failed);

    if ((size_t)n > mend_slots_failed_max(&now->m))
        p->wrong = 14;
    d->number = now->m.seq + 1;
    memcpy(d->and_word, now->op.and_word, sizeof d->and_word);
    memcpy(d->max_word, now->op.max_word, sizeof d->max_word);
    if (playing->brief)
        expand(d);
    for (int i = 0; i < n; i++)
        d->failed |= (uint8_t)(1 << failed[i]);
    d->all_acked = now->m.acked == (uint32_t)n;
    mend_sim_memory_past(p, p->decided)->print = print_of(d);
    memset(mend_sim_memory_op(p, playing, p->decided), 0, sizeof(struct mend_sim_memory_op));
    p->decided++;
    conclude(p);
}

/* It knows of no death, and nor does what it hears. */
static bool hear(void)
{
    now->m.seen = now->m.members_n;
    now->m.known = now->m.acked = 0;
    return mend_brief_hear(&address.brief, &now->m, !now->p->rank, now->op.and_word);
}

static void evaluate(struct mend_sim_memory_proc *p)
{
    take_up(p->decided);
    if (now->op.brief ? hear() : mend_slots_evaluate(&now->m, &slots_ops, NULL))
        decide(p);
    else if (!now->op.brief)
        save_op();
}

static void act(struct mend_sim_memory_proc *p)
{
    uint8_t next = MEND_SIM_IDLE;

    if (p->activity == MEND_SIM_EVALUATES) {
        evaluate(p);
    } else if (p->activity == MEND_SIM_SAYS_NO) {
        mend_slots_say_no(no_from_of(NULL, p->rank), p->begun - (playing->broken == MEND_SIM_LIE),
                          p->why);
        p->said_no = true;
    } else {
        contribute(p);
        if (playing->broken == MEND_SIM_HASTY && p->activity == MEND_SIM_CONTRIBUTES)
            next = MEND_SIM_CONTRIBUTES_LATE;
    }
    p->activity = next;
    forget_seen(p);
}

void mend_sim_memory_step(struct mend_sim_memory_proc *p, const void *procs,
                          const struct mend_sim_conf *c, bool traced)
{
    struct step step = {
        .p = p, .procs = procs, .proc_bytes = mend_sim_memory_bytes(c), .traced = traced};

    playing = c;
    now = &step;
    if (!p->activity)
        p->activity = p->why && !p->said_no ? MEND_SIM_SAYS_NO : MEND_SIM_EVALUATES;
    if (!setjmp(step.stop))
        act(p);
    now = NULL;
}

bool mend_sim_memory_may_begin(const struct mend_sim_memory_proc *p, const struct mend_sim_conf *c)
{
    playing = c;
    return mend_slots_open(p->begun, p->decided);
}
