/* SPDX-License-Identifier: BSD-3-Clause */
/* birth.c – the play of MPI_Comm_spawn, and with --replace of MPIX_Comm_refill: processes ask an agent for others, and
 * all of them meet.
 *
 * The machines say what is next; here it is carried out as the library does: a broadcast that ends at each process when
 * it knows of a death in its group, and a meeting (meeting.h).  The agent may be unable to do any of its acts, and
 * so may that of another job in the group, to which it names the new processes: it speaks for both.  When it
 * dies all processes do (S4-10). */
#include "birth.h"

#include <stdio.h>
#include <string.h>

enum move { CALL, TELL, TELL_NOBODY, TELL_IN_VAIN, PASS, START, LOT };

/* Messages; the agreements are of a kind each. */
enum kind {
    SEATS = MEND_SIM_MEETING_KINDS,
    ERRORS,
    ASKED,
    ANSWERED,
    NAMES,
    NAMED,
    STARTS,
    WITHDRAWN,
    NEWS,
    LEFT
};

enum { FAILED = 1, NONE_STARTED };

static size_t told_bytes(const struct mend_sim_conf *c)
{
    return mend_bits_words(c->ranks) * sizeof(uint64_t);
}

static size_t agree_bytes(const struct mend_sim_conf *c)
{
    return (mend_agree_size(mend_sim_birth_members(c), 1) + 7) / 8 * 8;
}

/* Of the intercommunicator; and for replacing of the communicator of the old size, and of the survivors' error. */
static int agreements(const struct mend_sim_conf *c)
{
    return c->replaces ? 3 : 1;
}

static int index_of(int kind)
{
    return kind == ERRORS ? 2 : kind == SEATS;
}

/* The survivors alone agree on their error. */
static int voters(int k, const struct mend_sim_conf *c)
{
    return k == index_of(ERRORS) ? mend_sim_birth_parents(c) : mend_sim_birth_members(c);
}

static struct mend_agree *machine(const struct mend_sim_birth_proc *p, int k,
                                  const struct mend_sim_conf *c)
{
    return (void *)((char *)(uintptr_t)p->store + told_bytes(c) + agree_bytes(c) * (size_t)k);
}

static size_t birth_bytes(const struct mend_sim_conf *c)
{
    return sizeof(struct mend_sim_birth_proc) + told_bytes(c) +
           agree_bytes(c) * (size_t)agreements(c);
}

static bool is_parent(int rank, const struct mend_sim_conf *c)
{
    return rank < mend_sim_birth_parents(c);
}

static bool is_agent(const struct mend_sim_birth_proc *p, const struct mend_sim_conf *c)
{
    return p->rank == mend_sim_birth_agent(c);
}

static struct mend_sim_member member(struct mend_sim_birth_proc *p, const struct mend_sim_conf *c,
                                     struct mend_sim_io *io)
{
    return (struct mend_sim_member){.m = &p->meeting,
                                    .dead = p->store,
                                    .agree = machine(p, 0, c),
                                    .rank = p->rank,
                                    .first_n = mend_sim_birth_parents(c),
                                    .n = mend_sim_birth_members(c),
                                    .conf = c,
                                    .io = io};
}

static void birth_init(void *proc, int rank, const struct mend_sim_conf *c)
{
    static const enum mend_birth_role roles[2][2] = {{MEND_BIRTH_CHILD, MEND_BIRTH_FIRST},
                                                     {MEND_BIRTH_PARENT, MEND_BIRTH_ROOT}};
    struct mend_sim_birth_proc *p = proc;
    bool leads = rank == 0 || rank == mend_sim_birth_parents(c);

    memset(p, 0, birth_bytes(c));
    p->rank = rank;
    mend_starter_init(&p->starter);
    mend_birth_init(&p->birth, roles[is_parent(rank, c)][leads], 0);
    mend_refill_init(&p->refill, !is_parent(rank, c));
    for (int k = 0; k < agreements(c); k++)
        if (rank < voters(k, c))
            mend_agree_init(machine(p, k, c), voters(k, c), rank, c->radix_bits, 1);
}

/* ---- what a process knows and says ---- */

static bool lost_own(const struct mend_sim_birth_proc *p, const struct mend_sim_conf *c)
{
    struct mend_sim_member x = member((void *)(uintptr_t)p, c, NULL);

    return mend_sim_lost_own(&x);
}

static bool lost_any(const struct mend_sim_birth_proc *p, const struct mend_sim_conf *c)
{
    struct mend_sim_member x = member((void *)(uintptr_t)p, c, NULL);

    return mend_sim_lost_any(&x);
}

/* That of the meeting notes its own (meeting.c). */
static void note_decision(struct mend_sim_birth_proc *p, int kind, const struct mend_sim_conf *c)
{
    struct mend_agree_value v;

    MEND_ASSERT(mend_agree_result(machine(p, index_of(kind), c), 0, &v));
    if (kind == ERRORS)
        p->errors = (uint8_t)v.max_word[0];
    else
        p->seats = v.max_word[0] || v.nfailed ? MEND_SIM_NO : MEND_SIM_YES;
}

static void vote(struct mend_sim_birth_proc *p, int kind, uint64_t word,
                 const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    int k = index_of(kind);

    if (mend_sim_vote(machine(p, k, c), voters(k, c), kind, p->store, word, c, io))
        note_decision(p, kind, c);
}

/* ---- the acts ---- */

static bool asks(struct mend_sim_birth_proc *p, int32_t *error_p, const struct mend_sim_conf *c,
                 struct mend_sim_io *io)
{
    if (!p->begun)
        mend_sim_say(io, mend_sim_birth_agent(c), ASKED, MEND_SIM_YES);
    p->begun = true;
    *error_p = p->answer == MEND_SIM_NO ? NONE_STARTED : 0;
    return p->answer;
}

static bool names(struct mend_sim_birth_proc *p, int32_t *error_p, const struct mend_sim_conf *c,
                  struct mend_sim_io *io)
{
    if (!p->begun)
        mend_sim_say(io, mend_sim_birth_agent(c), NAMES, MEND_SIM_YES);
    p->begun = true;
    *error_p = p->named == MEND_SIM_NO && c->broken != MEND_SIM_CHANGE ? NONE_STARTED : 0;
    return p->named;
}

/* The root's broadcast is a move; the others wait for it. */
static bool is_told(struct mend_sim_birth_proc *p, struct mend_birth_event *ev,
                    const struct mend_sim_conf *c)
{
    if (p->rank == 0) {
        ev->error = p->told == MEND_SIM_NO ? FAILED : 0;
        return p->told;
    }
    ev->told = p->news == MEND_SIM_NO ? NONE_STARTED : 0;
    ev->error = !p->news && lost_own(p, c) ? FAILED : 0;
    return p->news || ev->error;
}

static bool act(struct mend_sim_birth_proc *p, struct mend_birth_event *ev,
                const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct mend_sim_member x = member(p, c, io);
    bool over = false, failed = false;

    switch ((enum mend_birth_act)p->birth.act) {
    case MEND_BIRTH_ASK:
        return asks(p, &ev->error, c, io);
    case MEND_BIRTH_NAME:
        return names(p, &ev->error, c, io);
    case MEND_BIRTH_TELL:
        return is_told(p, ev, c);
    case MEND_BIRTH_BRIDGE:
        over = mend_sim_bridge(&x, &failed);
        break;
    case MEND_BIRTH_MEET:
        over = mend_sim_meet(&x, p->birth.error, &failed);
        break;
    case MEND_BIRTH_LEAVE:
        mend_sim_give_up(&x);
        return true;
    case MEND_BIRTH_END:
        break;
    }
    ev->error = failed ? FAILED : 0;
    return over;
}

/* As far as it gets; true: to its end. */
static bool is_born(struct mend_sim_birth_proc *p, const struct mend_sim_conf *c,
                    struct mend_sim_io *io)
{
    struct mend_birth_event ev = {0};

    while (act(p, &ev, c, io)) {
        mend_birth_step(&p->birth, &ev);
        if (c->broken == MEND_SIM_FORGET && p->birth.act == MEND_BIRTH_BRIDGE && p->birth.error)
            mend_birth_step(&p->birth, &(struct mend_birth_event){.error = FAILED});
        mend_birth_check(&p->birth);
        ev = (struct mend_birth_event){0};
        p->begun = false;
    }
    return p->birth.act == MEND_BIRTH_END;
}

/* A death that is known already: no, at once, and its no is there for the others. */
static bool is_seated(struct mend_sim_birth_proc *p, int32_t *error_p,
                      const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    bool no = lost_any(p, c);

    *error_p = 0;
    if (!p->seated) {
        p->seated = true;
        vote(p, SEATS, no, c, io);
        if (no || c->broken == MEND_SIM_HASTY) {
            *error_p = no ? FAILED : 0;
            return true;
        }
    }
    *error_p = p->seats == MEND_SIM_YES ? 0 : FAILED;
    return p->seats;
}

/* The survivors' error: a death goes before all others. */
static bool is_settled(struct mend_sim_birth_proc *p, int32_t *error_p,
                       const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    if (!p->settles)
        vote(p, ERRORS, p->birth.result == FAILED ? 2 : 1, c, io);
    p->settles = true;
    *error_p = p->errors == 2 ? FAILED : NONE_STARTED;
    if (c->broken == MEND_SIM_BOAST)
        *error_p = p->birth.result;
    return p->errors || c->broken == MEND_SIM_BOAST;
}

static bool refill(struct mend_sim_birth_proc *p, const struct mend_sim_conf *c,
                   struct mend_sim_io *io)
{
    while (p->refill.act != MEND_REFILL_END) {
        struct mend_refill_event ev = {0};

        if (p->refill.act == MEND_REFILL_JOIN) {
            if (!is_born(p, c, io))
                return false;
            ev.error = p->birth.result;
        } else if (p->refill.act == MEND_REFILL_SEAT && !is_seated(p, &ev.error, c, io)) {
            return false;
        } else if (p->refill.act == MEND_REFILL_SETTLE && !is_settled(p, &ev.error, c, io)) {
            return false;
        }
        mend_refill_step(&p->refill, &ev);
        mend_refill_check(&p->refill);
    }
    return true;
}

/* A new process of whose start nothing has come: as leave_unseen() in life/init.c. */
static void leave(struct mend_sim_birth_proc *p, const struct mend_sim_conf *c,
                  struct mend_sim_io *io)
{
    p->gone = true;
    for (int r = 0; r < mend_sim_birth_members(c) && c->broken != MEND_SIM_SLIP; r++)
        if (r != p->rank)
            mend_sim_say(io, r, LEFT, MEND_SIM_YES);
}

static void go_on(struct mend_sim_birth_proc *p, const struct mend_sim_conf *c,
                  struct mend_sim_io *io)
{
    if (!p->called || p->gone || p->over)
        return;
    p->over = c->replaces ? refill(p, c, io) : is_born(p, c, io);
    if (p->over && !is_parent(p->rank, c) && mend_sim_birth_result(p, c))
        leave(p, c, io);
}

/* ---- the agent ---- */

static void agent_does(struct mend_sim_birth_proc *p, const struct mend_starter_event *ev,
                       const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    bool starts = p->starter.act == MEND_STARTER_START;
    int next = mend_sim_birth_parents(c) + p->starter.started_n;

    if (starts && ev->good)
        mend_sim_say(io, next, STARTS, MEND_SIM_YES);
    mend_starter_step(&p->starter, ev);
    if (p->starter.act == MEND_STARTER_WITHDRAW) {
        for (int r = mend_sim_birth_parents(c); r < next && c->broken != MEND_SIM_OMIT; r++)
            mend_sim_say(io, r, WITHDRAWN, MEND_SIM_NO);
        mend_starter_step(&p->starter, &(struct mend_starter_event){0});
    }
    if (p->starter.act == MEND_STARTER_ANSWER) {
        mend_sim_say(io, 0, ANSWERED,
                     p->starter.answer == MEND_STARTER_STARTED ? MEND_SIM_YES : MEND_SIM_NO);
        mend_starter_step(&p->starter, &(struct mend_starter_event){0});
    }
    mend_starter_check(&p->starter);
}

static bool can(const struct mend_sim_birth_proc *p, int total_n)
{
    int n = p->starter.started_n;

    switch ((enum mend_starter_act)p->starter.act) {
    case MEND_STARTER_COUNT:
        return p->lot != MEND_SIM_NO_ROOM;
    case MEND_STARTER_FIND:
        return p->lot != MEND_SIM_NO_PROGRAM;
    case MEND_STARTER_ADMIT:
        return p->lot != MEND_SIM_NO_MEMORY;
    default:
        return !(p->lot == MEND_SIM_NO_FIRST && n == 0) &&
               !(p->lot == MEND_SIM_NO_SECOND && n == 1) &&
               !(p->lot == MEND_SIM_NO_LAST && n == total_n - 1);
    }
}

/* What comes before the first start is one step: nobody sees anything of it. */
static void agent_moves(struct mend_sim_birth_proc *p, int move, const struct mend_sim_conf *c,
                        struct mend_sim_io *io)
{
    struct mend_starter_event ev = {.total_n =
                                        mend_sim_birth_members(c) - mend_sim_birth_parents(c)};

    if (move >= LOT)
        p->lot = (uint8_t)(move - LOT > MEND_SIM_FINE ? move - LOT : MEND_SIM_FINE);
    do {
        ev.good = can(p, ev.total_n);
        agent_does(p, &ev, c, io);
    } while (p->starter.act < MEND_STARTER_START);
}

/* ---- the play ---- */

static unsigned birth_moves(const void *proc, const struct mend_sim_conf *c)
{
    const struct mend_sim_birth_proc *p = proc;

    if (p->gone || p->over)
        return 0;
    if (is_agent(p, c))
        return !p->called                             ? 0
               : p->starter.act == MEND_STARTER_COUNT ? ((1u << MEND_SIM_LOTS) - 1) << LOT
               : p->starter.act == MEND_STARTER_START ? 1u << START
                                                      : 0;
    if (!p->called)
        return is_parent(p->rank, c) ? 1u << CALL : 0;
    if (p->rank == 0 && p->birth.act == MEND_BIRTH_TELL)
        return lost_own(p, c) ? 1u << TELL_NOBODY | 1u << TELL_IN_VAIN : 1u << TELL;
    return p->birth.act == MEND_BIRTH_MEET && p->meeting.stage == MEND_SIM_PASSES ? 1u << PASS : 0;
}

static const char *birth_move_name(int move)
{
    static const char *const names[] = {
        "calls",
        "tells its group",
        "cannot tell its group",
        "tells its group, and hears that one is dead",
        "passes on what the other leader says",
        "starts the next one",
    };

    return move >= LOT ? "begins" : names[move];
}

/* A communicator with a dead member: spawning is an error at once (S2-9). */
static void birth_calls(struct mend_sim_birth_proc *p, const struct mend_sim_conf *c)
{
    p->called = true;
    if (!lost_own(p, c))
        return;
    p->birth.act = MEND_BIRTH_END;
    p->birth.result = FAILED;
}

static void birth_move(void *proc, int move, const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct mend_sim_birth_proc *p = proc;
    struct mend_sim_member x = member(p, c, io);

    if (move >= START) {
        agent_moves(p, move, c, io);
        return;
    }
    if (move == CALL)
        birth_calls(p, c);
    if (move == TELL || move == TELL_IN_VAIN)
        mend_sim_say_to_group(&x, NEWS, p->birth.error ? MEND_SIM_NO : MEND_SIM_YES);
    if (move == TELL || move == TELL_IN_VAIN || move == TELL_NOBODY)
        p->told = move == TELL ? MEND_SIM_YES : MEND_SIM_NO;
    if (move == PASS && mend_sim_pass(&x))
        mend_birth_step(&p->birth, &(struct mend_birth_event){.error = FAILED});
    go_on(p, c, io);
}

static void hear(struct mend_sim_birth_proc *p, enum kind kind, uint8_t word,
                 struct mend_sim_io *io)
{
    switch (kind) {
    case ASKED:
    case STARTS:
        p->called = true;
        break;
    case ANSWERED:
        p->answer = word;
        break;
    case NAMES:
        mend_sim_say(io, 0, NAMED, p->lot == MEND_SIM_NO_NAMES ? MEND_SIM_NO : MEND_SIM_YES);
        break;
    case NAMED:
        p->named = word;
        break;
    case WITHDRAWN:
        p->gone = true;
        break;
    case NEWS:
        p->news = word;
        break;
    case LEFT: /* see birth_recv() */
    case SEATS:
    case ERRORS:
        break;
    }
}

static void mourn_elsewhere(struct mend_sim_birth_proc *p, int kind, int dead,
                            const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    uint64_t set[MEND_SIM_SET_WORDS] = {0};
    struct mend_agree_event ev = {.kind = MEND_AGREE_DEATH, .dead = set};
    int k = index_of(kind), n = voters(k, c);

    mend_bits_set(set, dead);
    if (k < agreements(c) && p->rank < n && dead < n &&
        mend_sim_agree_on(machine(p, k, c), n, kind, &ev, io))
        note_decision(p, kind, c);
}

static void birth_death(void *proc, int dead, const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct mend_sim_birth_proc *p = proc;
    struct mend_sim_member x = member(p, c, io);

    if (dead == mend_sim_birth_agent(c))
        p->gone = true;
    if (p->gone || is_agent(p, c) || mend_bits_test(p->store, dead))
        return;
    mend_bits_set(p->store, dead);
    mend_sim_meeting_mourns(&x, dead);
    mourn_elsewhere(p, SEATS, dead, c, io);
    mourn_elsewhere(p, ERRORS, dead, c, io);
    go_on(p, c, io);
}

static void birth_recv(void *proc, int from, const void *bytes, size_t len,
                       const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct mend_sim_birth_proc *p = proc;
    struct mend_sim_member x = member(p, c, io);
    const uint8_t *b = bytes;
    int k = index_of(b[0]);

    if (p->gone || mend_bits_test(p->store, from))
        return;
    if (b[0] == LEFT)
        birth_death(p, from, c, io);
    else if (b[0] < MEND_SIM_MEETING_KINDS)
        mend_sim_meeting_hears(&x, from, b, len);
    else if (b[0] > ERRORS)
        hear(p, (enum kind)b[0], b[1], io);
    else if (mend_sim_hear_agreement(machine(p, k, c), voters(k, c), from, b, len, io))
        note_decision(p, b[0], c);
    go_on(p, c, io);
}

/* What changes nothing, now and later. */
static bool birth_ignores(const void *proc, int from, const void *bytes, size_t len,
                          const struct mend_sim_conf *c)
{
    const struct mend_sim_birth_proc *p = proc;
    const uint8_t *b = bytes;

    return p->gone || mend_sim_meeting_ignores(&p->meeting, b[0]);
}

static void birth_bury(void *proc, const struct mend_sim_conf *c)
{
    struct mend_sim_birth_proc *p = proc;
    struct mend_sim_birth_proc left = {.rank = p->rank,
                                       .called = p->called,
                                       .over = p->over,
                                       .lot = p->lot,
                                       .meeting.came = p->meeting.came};

    left.starter.answer = p->starter.answer;
    left.birth.result = p->birth.result;
    left.refill.result = p->refill.result;
    memset(p, 0, birth_bytes(c));
    *p = left;
}

static int birth_print(const void *proc, const struct mend_sim_conf *c, char *buf, size_t size)
{
    const struct mend_sim_birth_proc *p = proc;
    int len;

    if (is_agent(p, c))
        return mend_starter_print(&p->starter, buf, size);
    len = mend_birth_print(&p->birth, buf, size);
    if (c->replaces && (size_t)len < size)
        len += snprintf(buf + len, size - (size_t)len, ", ");
    if (c->replaces && (size_t)len < size)
        len += mend_refill_print(&p->refill, buf + len, size - (size_t)len);
    if ((size_t)len >= size)
        return len;
    return len + snprintf(buf + len, size - (size_t)len, "%s%s%s", p->called ? "" : ", not called",
                          p->over ? ", over" : "", p->gone ? ", gone" : "");
}

static int birth_print_msg(const void *bytes, size_t len, const struct mend_sim_conf *c, char *buf,
                           size_t size)
{
    static const char *const names[] = {
        "MEETING", "BRIDGE",   "HELLO", "BACK",  "HEADER", "OFF",       "SEATS", "ERRORS",
        "ASKED",   "ANSWERED", "NAMES", "NAMED", "STARTS", "WITHDRAWN", "NEWS",  "LEFT"};
    const uint8_t *b = bytes;

    if (b[0] == MEND_SIM_AGREEMENT || b[0] == SEATS || b[0] == ERRORS)
        return snprintf(buf, size, "%s %d", names[b[0]], b[1]);
    return snprintf(buf, size, "%s %s", names[b[0]], b[1] == MEND_SIM_NO ? "no" : "yes");
}

const struct mend_sim_play mend_sim_birth = {
    .name = "birth",
    .about = "processes that join a job",
    .instances = "nothing",
    .bytes = birth_bytes,
    .init = birth_init,
    .moves = birth_moves,
    .move_name = birth_move_name,
    .move = birth_move,
    .recv = birth_recv,
    .death = birth_death,
    .ignores = birth_ignores,
    .bury = birth_bury,
    .check = mend_sim_check_birth,
    .check_end = mend_sim_check_birth_end,
    .print = birth_print,
    .print_msg = birth_print_msg,
};
