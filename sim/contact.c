/* SPDX-License-Identifier: BSD-3-Clause */
/* contact.c – the play of agents that connect their jobs, as launch/agent/link.c does: the machine of ft/contact_sm.h at each of
 * them, and sockets.
 *
 * What an agent says is in a queue of the other one at once, as in the kernel, and the other reads its queues in any order.
 * When an agent dies the others find the ends of its connections behind what it has said.  Each agent has --instances
 * questions, for the other jobs in turn.  With --window 2 the time of a question may be over; with --window 3 all draw the
 * same numbers as well, which is the worst luck.  A question that rests looks again when nothing is left to read.
 *
 *   C1  each of two agents that live, and are connected, knows the other's number
 *   C2  a question is answered with yes only if the jobs are connected
 *   C3  when nothing can happen any more every question has an answer
 *   C4  if no agent has died, no time was over, and no number of two jobs the same, the answer is yes, and both agents have one link, which is open */
#include "sim.h"

#include "ft/contact_sm.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define RANKS_MAX 8 /* a move for each connection */
#define NUMBERS   256u
#define WORDS_MAX 12
#define UNTIL     1u

enum { KNOCK = MEND_CONTACT_TELL + 1, END };
enum move { ASKS, LATE, LOOKS, READ_FIRST };

struct word {
    uint8_t word, number, code, turn;
};

/* An end of a connection. */
struct conn {
    uint8_t used, other, n;
    uint16_t id; /* of the connection, the same at both ends */
    struct word in[WORDS_MAX];
};

struct proc {
    uint8_t rank, dead, late, asked_n, calls_n, lot, answers_n, yes_n;
    uint8_t yes; /* 1 + who is connected now, as a question was told; 0: none was */
    struct conn conn[3 * RANKS_MAX];
    uint64_t store[]; /* the machine */
};

static int conns_max(const struct mend_sim_conf *c)
{
    return 3 * c->ranks;
}

static uint32_t asks_room(const struct mend_sim_conf *c)
{
    return (uint32_t)c->instances;
}

static size_t contact_bytes(const struct mend_sim_conf *c)
{
    return sizeof(struct proc) + mend_contact_size(NUMBERS, (uint32_t)conns_max(c), asks_room(c));
}

static struct mend_contact *machine(const struct proc *p)
{
    return (void *)(uintptr_t)p->store;
}

static struct proc *proc_at(const struct proc *p, int rank, const struct mend_sim_conf *c)
{
    return (void *)((char *)(uintptr_t)p + (ptrdiff_t)contact_bytes(c) * (rank - p->rank));
}

static uint64_t job_of(int rank)
{
    return (uint64_t)rank + 1;
}

static void contact_init(void *proc, int rank, const struct mend_sim_conf *c)
{
    struct proc *p = proc;

    memset(p, 0, contact_bytes(c));
    p->rank = (uint8_t)rank;
    mend_contact_init(machine(p), job_of(rank), NUMBERS, (uint32_t)conns_max(c), asks_room(c));
}

/* ---- sockets ---- */

static struct conn *conn_of(struct proc *p, int id, const struct mend_sim_conf *c)
{
    for (int i = 0; i < conns_max(c); i++)
        if (p->conn[i].used && p->conn[i].id == id)
            return &p->conn[i];
    return NULL;
}

static void connect_to(struct proc *p, int id, int other, const struct mend_sim_conf *c)
{
    struct conn *x = p->conn;

    while (x->used)
        x++;
    MEND_ASSERT(x < p->conn + conns_max(c));
    *x = (struct conn){.used = 1, .other = (uint8_t)other, .id = (uint16_t)id};
}

/* Into the other one's queue, if it has not closed. */
static void put(struct proc *p, int id, struct word w, const struct mend_sim_conf *c)
{
    struct conn *mine = conn_of(p, id, c);
    struct conn *theirs = mine ? conn_of(proc_at(p, mine->other, c), id, c) : NULL;

    if (!theirs || proc_at(p, mine->other, c)->dead)
        return;
    MEND_ASSERT(theirs->n < WORDS_MAX);
    theirs->in[theirs->n++] = w;
}

static void close_conn(struct proc *p, int id, const struct mend_sim_conf *c)
{
    struct conn *mine = conn_of(p, id, c);

    if (c->broken != MEND_SIM_HUSH)
        put(p, id, (struct word){.word = END}, c);
    if (mine)
        memset(mine, 0, sizeof(*mine));
}

static bool is_readable(const struct proc *p, const struct conn *x, const struct mend_sim_conf *c)
{
    return x->used && (x->n || proc_at(p, x->other, c)->dead);
}

static struct word take(struct conn *x)
{
    struct word w = x->n ? x->in[0] : (struct word){.word = END};

    if (!x->n)
        return w;
    x->n--;
    memmove(x->in, x->in + 1, x->n * sizeof(w));
    memset(&x->in[x->n], 0, sizeof(w));
    return w;
}

/* ---- the agent ---- */

static void step(struct proc *p, struct mend_contact_event ev, const struct mend_sim_conf *c);

static void call(struct proc *p, uint64_t job, const struct mend_sim_conf *c)
{
    int to = (int)job - 1, id = p->rank + RANKS_MAX * p->calls_n;

    if (proc_at(p, to, c)->dead) {
        step(p,
             (struct mend_contact_event){
                 .kind = MEND_CONTACT_UNREACHED, .link = -1, .error = ENOENT},
             c);
        return;
    }
    p->calls_n++;
    connect_to(p, id, to, c);
    connect_to(proc_at(p, to, c), id, p->rank, c);
    put(p, id, (struct word){.word = KNOCK}, c);
    step(p, (struct mend_contact_event){.kind = MEND_CONTACT_REACHED, .link = id}, c);
}

static void trace(const struct mend_sim_conf *c, const char *what, struct word w, int conn)
{
    static const char *const words[] = {"",    "HELLO", "OLLEH", "REFUSE", "PROOF",
                                        "ASK", "TELL",  "KNOCK", "END"};

    if (c->trace)
        printf("          %s %s number %d code %d, connection %d\n", what, words[w.word], w.number,
               w.code, conn);
}

static void say(struct proc *p, const struct mend_contact_act *act, const struct mend_sim_conf *c)
{
    struct word w = {act->msg.word, (uint8_t)act->msg.number, (uint8_t)act->msg.code,
                     (uint8_t)act->msg.turn};

    if (c->broken == MEND_SIM_OMIT && w.word == MEND_CONTACT_TELL)
        return;
    if (c->broken == MEND_SIM_BOAST && w.word == MEND_CONTACT_OLLEH)
        w.number = (uint8_t)(w.number % (NUMBERS - 1) + 1);
    trace(c, "says", w, act->link);
    put(p, act->link, w, c);
    if (c->broken == MEND_SIM_FORGET && w.word == MEND_CONTACT_TELL)
        step(p, (struct mend_contact_event){.kind = MEND_CONTACT_ENDED, .link = act->link}, c);
}

static void answer(struct proc *p, const struct mend_contact_act *act,
                   const struct mend_sim_conf *c)
{
    if (c->trace)
        printf("          answers about %d: %d\n", (int)act->job - 1, (int)act->error);
    p->answers_n++;
    p->yes_n = (uint8_t)(p->yes_n + !act->error);
    p->yes = act->error ? 0 : (uint8_t)act->job;
}

static void act_on(struct proc *p, const struct mend_contact_act *act,
                   const struct mend_sim_conf *c)
{
    switch (act->kind) {
    case MEND_CONTACT_SAY:
        say(p, act, c);
        break;
    case MEND_CONTACT_CALL:
        call(p, act->job, c);
        break;
    case MEND_CONTACT_ANSWER:
        answer(p, act, c);
        break;
    case MEND_CONTACT_OPENED:
        break;
    case MEND_CONTACT_CLOSE:
        close_conn(p, act->link, c);
        break;
    }
}

static void step(struct proc *p, struct mend_contact_event ev, const struct mend_sim_conf *c)
{
    struct mend_contact_act act;

    if (ev.kind == MEND_CONTACT_REACHED ||
        (ev.kind == MEND_CONTACT_HEARD && ev.msg->word == MEND_CONTACT_HELLO))
        ev.lot = c->window > 2 ? ++p->lot : 1u + p->rank + RANKS_MAX * (unsigned)p->lot++;
    mend_contact_step(machine(p), &ev);
    while (mend_contact_next(machine(p), &act))
        act_on(p, &act, c);
    mend_contact_check(machine(p));
}

/* All that the other agent looked after is dead, and forgotten. */
static void mourn(struct proc *p, int link, const struct mend_sim_conf *c)
{
    const struct mend_contact_link *l = mend_contact_link(machine(p), link);

    if (!l || l->state != MEND_CONTACT_LOST)
        return;
    step(p, (struct mend_contact_event){.kind = MEND_CONTACT_MOURNED, .link = link}, c);
    step(p, (struct mend_contact_event){.kind = MEND_CONTACT_FORGOTTEN, .link = link}, c);
}

static void read_conn(struct proc *p, struct conn *x, const struct mend_sim_conf *c)
{
    struct mend_contact_event ev = {.kind = MEND_CONTACT_HEARD, .link = x->id, .error = ENOENT};
    struct word w = take(x);
    struct mend_contact_msg m = {.word = w.word,
                                 .sound = true,
                                 .code = w.code,
                                 .number = w.number,
                                 .turn = w.turn,
                                 .job = job_of(x->other),
                                 .to = job_of(p->rank)};

    trace(c, "reads", w, x->id);
    if (c->broken == MEND_SIM_DEAF && w.word == MEND_CONTACT_REFUSE)
        m.code = ENOENT;
    ev.msg = &m;
    if (w.word == KNOCK)
        ev.kind = MEND_CONTACT_KNOCKED;
    if (w.word == END)
        ev.kind = MEND_CONTACT_ENDED;
    if (w.word == END && mend_contact_link(machine(p), x->id) == NULL)
        memset(x, 0, sizeof(*x)); /* it never knew of it */
    step(p, ev, c);
    mourn(p, ev.link, c);
}

static void ask(struct proc *p, const struct mend_sim_conf *c)
{
    int other = (p->rank + 1 + p->asked_n % (c->ranks - 1)) % c->ranks;

    step(p,
         (struct mend_contact_event){.kind = MEND_CONTACT_ASKED,
                                     .link = -1,
                                     .job = job_of(other),
                                     .number = ++p->asked_n,
                                     .until = UNTIL},
         c);
}

/* ---- the play ---- */

/* A while is longer than it takes to read what is there. */
static bool all_read(const struct proc *p, const struct mend_sim_conf *c)
{
    for (int r = 0; r < c->ranks; r++) {
        const struct proc *q = proc_at(p, r, c);

        for (int i = 0; i < conns_max(c); i++)
            if (!q->dead && is_readable(q, &q->conn[i], c))
                return false;
    }
    return true;
}

static unsigned contact_moves(const void *proc, const struct mend_sim_conf *c)
{
    const struct proc *p = proc;
    unsigned moves = 0;

    if (p->asked_n < c->instances)
        moves |= 1u << ASKS;
    if (c->window > 1 && !p->late && mend_contact_due(machine(p), 0) == UNTIL)
        moves |= 1u << LATE;
    if (!mend_contact_due(machine(p), 0) && all_read(p, c))
        moves |= 1u << LOOKS;
    for (int i = 0; i < conns_max(c); i++)
        if (is_readable(p, &p->conn[i], c))
            moves |= 1u << (READ_FIRST + i);
    return moves;
}

static const char *contact_move_name(int move)
{
    static const char *const names[] = {"asks", "has waited long enough", "looks again", "reads"};

    return names[move < READ_FIRST ? move : READ_FIRST];
}

static void contact_move(void *proc, int move, const struct mend_sim_conf *c,
                         struct mend_sim_io *io)
{
    struct proc *p = proc;

    (void)io;
    p->yes = 0;
    if (move == ASKS) {
        ask(p, c);
    } else if (move < READ_FIRST) {
        p->late |= move == LATE;
        step(p,
             (struct mend_contact_event){
                 .kind = MEND_CONTACT_LOOK, .link = -1, .now = move == LATE ? UNTIL : 0},
             c);
    } else {
        read_conn(p, &p->conn[move - READ_FIRST], c);
    }
}

static void contact_recv(void *proc, int from, const void *bytes, size_t len,
                         const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    (void)proc, (void)from, (void)bytes, (void)len, (void)c, (void)io;
    MEND_ASSERT(!"agents have sockets");
}

/* They find it in their sockets. */
static void contact_death(void *proc, int dead, const struct mend_sim_conf *c,
                          struct mend_sim_io *io)
{
    (void)proc, (void)dead, (void)c, (void)io;
}

static bool contact_knows(const void *proc, int dead, const struct mend_sim_conf *c)
{
    (void)proc, (void)dead, (void)c;
    return true;
}

static void contact_settle(void *proc, const struct mend_sim_conf *c)
{
    struct proc *p = proc;

    (void)c;
    p->yes = 0;
}

static void contact_bury(void *proc, const struct mend_sim_conf *c)
{
    struct proc *p = proc;
    struct proc left = {.rank = p->rank, .dead = 1};

    memset(p, 0, contact_bytes(c));
    *p = left;
}

static int contact_print(const void *proc, const struct mend_sim_conf *c, char *buf, size_t size)
{
    (void)c;
    return mend_contact_print(machine(proc), buf, size);
}

static int contact_print_msg(const void *bytes, size_t len, const struct mend_sim_conf *c,
                             char *buf, size_t size)
{
    (void)bytes, (void)len, (void)c;
    return snprintf(buf, size, "nothing");
}

/* ---- what must hold ---- */

static const struct mend_contact_link *open_link(const struct proc *p, int other)
{
    const struct mend_contact *x = machine(p);

    for (uint32_t i = 0; i < x->links_n; i++)
        if (mend_contact_links(x)[i].other == job_of(other) &&
            mend_contact_links(x)[i].state == MEND_CONTACT_OPEN)
            return &mend_contact_links(x)[i];
    return NULL;
}

static const char *contact_check(const struct mend_sim_view *v, int rank)
{
    const struct proc *p = mend_sim_proc(v, rank);

    for (int r = 0; r < v->conf->ranks; r++) {
        const struct proc *q = mend_sim_proc(v, r);
        const struct mend_contact_link *l = r == rank ? NULL : open_link(p, r);

        if (r == rank || p->dead || q->dead)
            continue;
        if (l && l->proved && l->number != machine(q)->number)
            return "C1: an agent has a wrong number of another one";
        if (p->yes == job_of(r) && !(l && open_link(q, rank)))
            return "C2: a question is answered, and the jobs are not connected";
    }
    return NULL;
}

static const char *contact_check_end(const struct mend_sim_view *v)
{
    bool quiet = true;

    for (int r = 0; r < v->conf->ranks; r++) {
        const struct proc *p = mend_sim_proc(v, r);

        quiet &= !p->dead && !p->late && (v->conf->window < 3 || v->conf->ranks == 2);
        if (!p->dead && p->answers_n != p->asked_n)
            return "C3: a question has no answer";
    }
    for (int r = 0; quiet && r < v->conf->ranks; r++) {
        const struct proc *p = mend_sim_proc(v, r);

        if (p->yes_n != p->asked_n)
            return "C4: nothing has failed, and the answer is no";
        for (uint32_t i = 0; i < machine(p)->links_n; i++)
            if (mend_contact_links(machine(p))[i].state != MEND_CONTACT_OPEN)
                return "C4: nothing has failed, and a link is not open";
    }
    return NULL;
}

const struct mend_sim_play mend_sim_contact = {
    .name = "contact",
    .about = "the agents of jobs that connect",
    .instances = "questions of each agent",
    .bytes = contact_bytes,
    .init = contact_init,
    .moves = contact_moves,
    .move_name = contact_move_name,
    .move = contact_move,
    .recv = contact_recv,
    .death = contact_death,
    .check = contact_check,
    .check_end = contact_check_end,
    .knows = contact_knows,
    .settle = contact_settle,
    .shares = true,
    .bury = contact_bury,
    .print = contact_print,
    .print_msg = contact_print_msg,
};
