/* SPDX-License-Identifier: BSD-3-Clause */
/* port.c – the play of MPI_Comm_accept and MPI_Comm_connect between two jobs, and with --free of MPI_Comm_disconnect,
 * after which processes leave; those that have an error leave, too.
 *
 * The agents connect the jobs, the roots talk as ft/visit_sm.h says, and all of both groups meet (meeting.h).  As in
 * create/port.c, the root gives its machine a look whenever something has happened.  A root may make --instances calls: the
 * time of all but the last may be over, as of earlier calls on MPI_COMM_SELF.  Another thread may close the port.  The hosts'
 * agent may have no room for the guests.
 *
 * When an agent dies its ranks do, and the others hear of all of them at once; some of them may still run when others have
 * heard it. */
#include "port.h"

#include <stdio.h>
#include <string.h>

enum move { CALL, CALL_AND_CLOSE, CLOSE, LATE, PASS, ADMIT, REJECT, PART, LEAVE };

enum kind {
    FREED = MEND_SIM_MEETING_KINDS, /* an agreement */
    SAID,                           /* visit_sm.h */
    ASKED,                          /* guests' root to its agent */
    CALLED,                         /* from agent to agent */
    REPLIED,
    ANSWERED, /* agent to guests' root */
    LEFT
};

#define PORT 1u

static size_t told_bytes(const struct mend_sim_conf *c)
{
    return mend_bits_words(c->ranks) * sizeof(uint64_t);
}

static size_t agree_bytes(const struct mend_sim_conf *c)
{
    return (mend_agree_size(mend_sim_port_members(c), 1) + 7) / 8 * 8;
}

/* Of the intercommunicator, and of its end. */
static int agreements(const struct mend_sim_conf *c)
{
    return c->frees ? 2 : 1;
}

static struct mend_agree *machine(const struct mend_sim_port_proc *p, int k,
                                  const struct mend_sim_conf *c)
{
    return (void *)((char *)(uintptr_t)p->store + told_bytes(c) + agree_bytes(c) * (size_t)k);
}

static struct mend_visit_door *door(const struct mend_sim_port_proc *p,
                                    const struct mend_sim_conf *c)
{
    return (void *)machine(p, agreements(c), c);
}

const struct mend_visit_door *mend_sim_port_door(const struct mend_sim_port_proc *p,
                                                 const struct mend_sim_conf *c)
{
    return door(p, c);
}

static uint32_t door_room(const struct mend_sim_conf *c)
{
    return (uint32_t)c->instances;
}

static size_t port_bytes(const struct mend_sim_conf *c)
{
    return sizeof(struct mend_sim_port_proc) + told_bytes(c) +
           agree_bytes(c) * (size_t)agreements(c) +
           (mend_visit_door_size(door_room(c)) + 7) / 8 * 8;
}

static bool is_host(int rank, const struct mend_sim_conf *c)
{
    return rank < mend_sim_port_hosts(c);
}

static bool is_agent(int rank, const struct mend_sim_conf *c)
{
    return rank >= mend_sim_port_members(c);
}

static bool leads(int rank, const struct mend_sim_conf *c)
{
    return rank == 0 || rank == mend_sim_port_hosts(c);
}

static struct mend_sim_member member(const struct mend_sim_port_proc *p,
                                     const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    return (struct mend_sim_member){.m = (void *)(uintptr_t)&p->meeting,
                                    .dead = p->store,
                                    .agree = machine(p, 0, c),
                                    .rank = p->rank,
                                    .first_n = mend_sim_port_hosts(c),
                                    .n = mend_sim_port_members(c),
                                    .conf = c,
                                    .io = io};
}

static void begin_visit(struct mend_sim_port_proc *p, const struct mend_sim_conf *c)
{
    if (is_host(p->rank, c))
        mend_visit_init_host(&p->visit, PORT);
    else
        mend_visit_init_guest(&p->visit, PORT, p->calls + 1u);
    p->asked = p->answer = 0;
}

static void port_init(void *proc, int rank, const struct mend_sim_conf *c)
{
    struct mend_sim_port_proc *p = proc;
    int n = mend_sim_port_members(c);

    memset(p, 0, port_bytes(c));
    p->rank = rank;
    if (is_agent(rank, c))
        return;
    begin_visit(p, c);
    mend_visit_door_init(door(p, c), door_room(c), PORT);
    for (int k = 0; k < agreements(c); k++)
        mend_agree_init(machine(p, k, c), n, rank, c->radix_bits, 1);
}

static bool is_dead(const struct mend_sim_port_proc *p, int rank)
{
    return mend_bits_test(p->store, rank);
}

static bool lost_own(const struct mend_sim_port_proc *p, const struct mend_sim_conf *c)
{
    struct mend_sim_member x = member(p, c, NULL);

    return mend_sim_lost_own(&x);
}

/* ---- the roots ---- */

static void say(const struct mend_visit_msg *m, const struct mend_sim_conf *c,
                struct mend_sim_io *io)
{
    uint8_t bytes[4] = {SAID, m->word, (uint8_t)m->number, (uint8_t)m->error};

    if (m->word == MEND_VISIT_GONE && c->broken == MEND_SIM_FORGET)
        return;
    if (m->word == MEND_VISIT_FAILED && c->broken == MEND_SIM_OMIT)
        return;
    if (m->word)
        io->send(io, m->peer, bytes, sizeof bytes);
}

static void step(struct mend_sim_port_proc *p, const struct mend_visit_event *ev,
                 const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct mend_visit_msg m;

    mend_visit_step(&p->visit, ev, &m);
    mend_visit_check(&p->visit);
    say(&m, c, io);
    if (c->broken == MEND_SIM_IMPATIENT && p->visit.state == MEND_VISIT_AWAIT)
        p->visit.state = MEND_VISIT_MEET;
}

static void look(struct mend_sim_port_proc *p, bool late, const struct mend_sim_conf *c,
                 struct mend_sim_io *io)
{
    struct mend_visit_event ev = {.kind = MEND_VISIT_LOOK,
                                  .own = lost_own(p, c),
                                  .late = late,
                                  .dead = p->visit.other != MEND_VISIT_NOBODY &&
                                          is_dead(p, p->visit.other),
                                  .door = p->closed ? NULL : door(p, c)};

    if (c->broken == MEND_SIM_NO_REPAIR && p->visit.host)
        ev.dead = false;
    if (c->broken == MEND_SIM_CHANGE && p->visit.state == MEND_VISIT_AWAIT && ev.own)
        ev.dead = true;
    step(p, &ev, c, io);
}

/* The agents connect the jobs; then it knows whether the host lives. */
static void travel(struct mend_sim_port_proc *p, const struct mend_sim_conf *c,
                   struct mend_sim_io *io)
{
    bool there = p->answer == MEND_SIM_YES && !is_dead(p, 0);
    struct mend_visit_event ev = {.kind = MEND_VISIT_ARRIVED,
                                  .host = there ? 0 : MEND_VISIT_NOBODY};

    if (!p->asked)
        mend_sim_say(io, mend_sim_port_agent(p->rank, c), ASKED, MEND_SIM_YES);
    p->asked = true;
    if (p->answer)
        step(p, &ev, c, io);
}

/* True: the two have found each other, or have not. */
static bool visits(struct mend_sim_port_proc *p, const struct mend_sim_conf *c,
                   struct mend_sim_io *io)
{
    if (p->visit.state == MEND_VISIT_JOURNEY)
        travel(p, c, io);
    look(p, false, c, io);
    return mend_visit_is_over(&p->visit);
}

static bool bridges(struct mend_sim_port_proc *p, const struct mend_sim_member *x)
{
    bool failed;

    if (p->visit.state == MEND_VISIT_MEET && !p->bridged && mend_sim_bridge(x, &failed))
        p->bridged = failed ? MEND_SIM_NO : MEND_SIM_YES;
    return p->visit.state == MEND_VISIT_END || p->bridged;
}

static void go_on(struct mend_sim_port_proc *p, const struct mend_sim_conf *c,
                  struct mend_sim_io *io)
{
    struct mend_sim_member x = member(p, c, io);
    bool root = leads(p->rank, c), failed = true;

    if (is_agent(p->rank, c) || !p->called || p->gone || p->over)
        return;
    if (root && (!visits(p, c, io) || (!p->own_error && !bridges(p, &x))))
        return;
    p->over = p->own_error || mend_sim_meet(&x, root && p->bridged != MEND_SIM_YES, &failed);
    if (c->broken == MEND_SIM_BOAST && root)
        failed = !p->meeting.came;
    p->failed = p->over && failed;
}

/* As mend_create_accept() and mend_create_connect() begin: a group that has failed has an error at once, but the guests'
 * root tells the host. */
static void calls(struct mend_sim_port_proc *p, const struct mend_sim_conf *c)
{
    p->called = true;
    if (!lost_own(p, c))
        return;
    if (p->rank == mend_sim_port_hosts(c))
        p->own_error = true;
    else
        p->over = p->failed = true;
}

static void close_port(struct mend_sim_port_proc *p, const struct mend_sim_conf *c,
                       struct mend_sim_io *io)
{
    struct mend_visit_msg m;

    p->closed = true;
    while (mend_visit_door_refuse(door(p, c), &m))
        if (c->broken != MEND_SIM_ACCUSE)
            say(&m, c, io);
}

/* The time of a call is over, and the program calls again. */
static void is_late(struct mend_sim_port_proc *p, const struct mend_sim_conf *c,
                    struct mend_sim_io *io)
{
    look(p, true, c, io);
    if (p->visit.why != MEND_VISIT_LATE)
        return;
    p->calls++;
    begin_visit(p, c);
}

/* ---- parting ---- */

static void note_freed(struct mend_sim_port_proc *p, bool decided)
{
    p->freed |= decided;
}

static void part(struct mend_sim_port_proc *p, const struct mend_sim_conf *c,
                 struct mend_sim_io *io)
{
    p->parted = true;
    note_freed(
        p, mend_sim_vote(machine(p, 1, c), mend_sim_port_members(c), FREED, p->store, 0, c, io));
}

static void leave(struct mend_sim_port_proc *p, const struct mend_sim_conf *c,
                  struct mend_sim_io *io)
{
    p->gone = p->left = true;
    for (int r = 0; r < mend_sim_port_members(c); r++)
        if (r != p->rank)
            mend_sim_say(io, r, LEFT, MEND_SIM_YES);
}

/* ---- the agents ---- */

static void reply(struct mend_sim_port_proc *p, enum mend_sim_word word,
                  const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    bool hosts = p->rank == mend_sim_port_agent(0, c);

    p->link = word == MEND_SIM_YES ? MEND_SIM_LINKED : MEND_SIM_REFUSED;
    p->refused |= word == MEND_SIM_NO;
    if (hosts)
        mend_sim_say(io, p->rank + 1, REPLIED, word);
    else
        mend_sim_say(io, mend_sim_port_hosts(c), ANSWERED, word);
}

/* Each call of the guests' root asks again; what the other has said, or is about to say, answers that, too. */
static void agent_hears(struct mend_sim_port_proc *p, enum kind kind, enum mend_sim_word word,
                        const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    if (kind == REPLIED) {
        if (p->link == MEND_SIM_CALLS)
            reply(p, word, c, io);
    } else if (kind == CALLED) {
        p->link = MEND_SIM_CALLED;
    } else if (is_dead(p, p->rank - 1)) {
        reply(p, MEND_SIM_NO, c, io);
    } else if (p->link == MEND_SIM_LINKED) {
        reply(p, MEND_SIM_YES, c, io);
    } else if (p->link != MEND_SIM_CALLS) {
        p->link = MEND_SIM_CALLS;
        mend_sim_say(io, p->rank - 1, CALLED, MEND_SIM_YES);
    }
}

static void agent_mourns(struct mend_sim_port_proc *p, int dead, const struct mend_sim_conf *c,
                         struct mend_sim_io *io)
{
    mend_bits_set(p->store, dead);
    if (dead == p->rank - 1 && p->link == MEND_SIM_CALLS && c->broken != MEND_SIM_SLIP)
        reply(p, MEND_SIM_NO, c, io);
}

/* ---- the play ---- */

static unsigned root_moves(const struct mend_sim_port_proc *p, const struct mend_sim_conf *c)
{
    unsigned moves = 0;

    if (p->closes && !p->closed)
        moves |= 1u << CLOSE;
    if (p->over)
        return moves;
    if (!mend_visit_is_over(&p->visit) && p->visit.state != MEND_VISIT_AWAIT &&
        p->calls + 1 < c->instances)
        moves |= 1u << LATE;
    if (p->meeting.stage == MEND_SIM_PASSES)
        moves |= 1u << PASS;
    return moves;
}

static unsigned port_moves(const void *proc, const struct mend_sim_conf *c)
{
    const struct mend_sim_port_proc *p = proc;
    unsigned moves = 0;

    if (p->gone)
        return 0;
    if (is_agent(p->rank, c))
        return p->link == MEND_SIM_CALLED ? 1u << ADMIT | 1u << REJECT : 0;
    if (!p->called)
        return p->rank == 0 ? 1u << CALL | 1u << CALL_AND_CLOSE : 1u << CALL;
    if (leads(p->rank, c))
        moves = root_moves(p, c);
    if (c->frees && p->over && !p->failed && !p->parted)
        moves |= 1u << PART;
    if (c->frees && (p->parted ? p->freed || c->broken == MEND_SIM_HASTY : p->over && p->failed))
        moves |= 1u << LEAVE;
    return moves;
}

static const char *port_move_name(int move)
{
    static const char *const names[] = {
        "calls",
        "calls, and will close the port",
        "closes the port",
        "has waited long enough, and calls again",
        "passes on what the other leader says",
        "has room",
        "has no room",
        "disconnects",
        "leaves",
    };

    return names[move];
}

static void port_move(void *proc, int move, const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct mend_sim_port_proc *p = proc;
    struct mend_sim_member x = member(p, c, io);

    switch ((enum move)move) {
    case CALL:
    case CALL_AND_CLOSE:
        p->closes = move == CALL_AND_CLOSE;
        calls(p, c);
        break;
    case CLOSE:
        close_port(p, c, io);
        break;
    case LATE:
        is_late(p, c, io);
        break;
    case PASS:
        p->over = p->failed = mend_sim_pass(&x);
        break;
    case ADMIT:
    case REJECT:
        reply(p, move == ADMIT ? MEND_SIM_YES : MEND_SIM_NO, c, io);
        break;
    case PART:
        part(p, c, io);
        break;
    case LEAVE:
        leave(p, c, io);
        break;
    }
    go_on(p, c, io);
}

static void hear(struct mend_sim_port_proc *p, int from, const uint8_t *b,
                 const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct mend_visit_msg answer,
        m = {.word = b[1], .peer = from, .error = b[3], .port = PORT, .number = b[2]};

    if (p->called && !p->over && mend_visit_is_for(&p->visit, &m)) {
        step(p, &(struct mend_visit_event){.kind = MEND_VISIT_HEARD, .msg = &m}, c, io);
        return;
    }
    mend_visit_door_hear(p->rank || p->closed ? NULL : door(p, c), &m, &answer);
    say(&answer, c, io);
}

/* A process of either group is dead, or has left. */
static void mourn(struct mend_sim_port_proc *p, int dead, const struct mend_sim_conf *c,
                  struct mend_sim_io *io)
{
    struct mend_sim_member x = member(p, c, io);
    uint64_t set[MEND_SIM_SET_WORDS] = {0};
    struct mend_agree_event ev = {.kind = MEND_AGREE_DEATH, .dead = set};

    if (is_dead(p, dead) || dead == p->rank)
        return;
    mend_bits_set(p->store, dead);
    mend_bits_set(set, dead);
    mend_visit_door_on_death(door(p, c), dead);
    mend_sim_meeting_mourns(&x, dead);
    if (c->frees)
        note_freed(p, mend_sim_agree_on(machine(p, 1, c), x.n, FREED, &ev, io));
}

static void port_death(void *proc, int dead, const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct mend_sim_port_proc *p = proc;

    if (p->gone)
        return;
    if (is_agent(p->rank, c)) {
        agent_mourns(p, dead, c, io);
        return;
    }
    if (dead == mend_sim_port_agent(p->rank, c)) {
        p->gone = true;
        return;
    }
    for (int r = 0; r < mend_sim_port_members(c); r++)
        if (r == dead || dead == mend_sim_port_agent(r, c))
            mourn(p, r, c, io);
    go_on(p, c, io);
}

static void port_recv(void *proc, int from, const void *bytes, size_t len,
                      const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct mend_sim_port_proc *p = proc;
    struct mend_sim_member x = member(p, c, io);
    const uint8_t *b = bytes;

    if (p->gone || is_dead(p, from))
        return;
    if (is_agent(p->rank, c)) {
        agent_hears(p, (enum kind)b[0], (enum mend_sim_word)b[1], c, io);
        return;
    }
    if (b[0] < MEND_SIM_MEETING_KINDS)
        mend_sim_meeting_hears(&x, from, b, len);
    else if (b[0] == FREED)
        note_freed(p, mend_sim_hear_agreement(machine(p, 1, c), x.n, from, b, len, io));
    else if (b[0] == SAID)
        hear(p, from, b, c, io);
    else if (b[0] == ANSWERED)
        p->answer = p->asked ? b[1] : MEND_SIM_NOTHING;
    else
        mourn(p, from, c, io);
    go_on(p, c, io);
}

/* What changes nothing, now and later. */
static bool port_ignores(const void *proc, int from, const void *bytes, size_t len,
                         const struct mend_sim_conf *c)
{
    const struct mend_sim_port_proc *p = proc;
    const uint8_t *b = bytes;

    return p->gone || mend_sim_meeting_ignores(&p->meeting, b[0]);
}

static void port_bury(void *proc, const struct mend_sim_conf *c)
{
    struct mend_sim_port_proc *p = proc;
    struct mend_sim_port_proc left = {.rank = p->rank,
                                      .called = p->called,
                                      .over = p->over,
                                      .failed = p->failed,
                                      .closed = p->closed,
                                      .left = p->left,
                                      .refused = p->refused};

    memset(p, 0, port_bytes(c));
    *p = left;
}

static int port_print(const void *proc, const struct mend_sim_conf *c, char *buf, size_t size)
{
    static const char *const links[] = {"unlinked", "calls", "called", "linked", "refused"};
    const struct mend_sim_port_proc *p = proc;
    int len = 0;

    if (is_agent(p->rank, c))
        return snprintf(buf, size, "agent %s", links[p->link]);
    if (leads(p->rank, c))
        len = mend_visit_print(&p->visit, buf, size);
    if ((size_t)len >= size)
        return len;
    return len + snprintf(buf + len, size - (size_t)len, "%s stage %d%s%s%s",
                          p->called ? "" : ", not called", p->meeting.stage,
                          p->over ? ", over" : "", p->failed ? " with an error" : "",
                          p->gone ? ", gone" : "");
}

static int port_print_msg(const void *bytes, size_t len, const struct mend_sim_conf *c, char *buf,
                          size_t size)
{
    static const char *const names[] = {"MEETING", "BRIDGE",   "HELLO", "BACK",  "HEADER",
                                        "OFF",     "FREED",    "",      "ASKED", "CALLED",
                                        "REPLIED", "ANSWERED", "LEFT"};
    static const char *const words[] = {"",       "KNOCK", "WELCOME", "REFUSE",
                                        "COMING", "GONE",  "FAILED"};
    const uint8_t *b = bytes;

    if (b[0] == MEND_SIM_AGREEMENT || b[0] == FREED)
        return snprintf(buf, size, "%s %d", names[b[0]], b[1]);
    if (b[0] == SAID)
        return snprintf(buf, size, "%s %d", words[b[1]], b[2]);
    return snprintf(buf, size, "%s %s", names[b[0]], b[1] == MEND_SIM_NO ? "no" : "yes");
}

const struct mend_sim_play mend_sim_port = {
    .name = "port",
    .about = "two jobs that connect",
    .instances = "calls of a root",
    .bytes = port_bytes,
    .init = port_init,
    .moves = port_moves,
    .move_name = port_move_name,
    .move = port_move,
    .recv = port_recv,
    .death = port_death,
    .ignores = port_ignores,
    .bury = port_bury,
    .check = mend_sim_check_port,
    .check_end = mend_sim_check_port_end,
    .print = port_print,
    .print_msg = port_print_msg,
};
