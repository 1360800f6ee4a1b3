/* SPDX-License-Identifier: BSD-3-Clause */
/* explore.c – a play in every order of events, with every crash point.
 *
 * Depth-first search over the states of the whole world.  A state is a block of bytes:
 *
 *   head (budgets, who is alive, who must still be told of which death) | processes | messages
 *
 * with the messages sorted by pair, so that states that differ only in the order in which
 * independent things happened are the same bytes.  Visited states are remembered as 64-bit hashes.
 *
 * Three facts keep the number of states down without losing any behaviour.  A crash between two steps
 * of a process is the same as a crash right after the first of them, so a crash is a variant of a
 * step.  A process that dies in the middle of its sends is covered by the orders in which receivers
 * hear of its death before its last messages, which they refuse then.
 * A message that its receiver will ignore for ever may as well be ignored at once. */
#include "sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANKS_MAX 8
#define DEPTH_MAX 4000
#define MSGS_MAX  16384 /* bytes of messages in one state */

struct head {
    uint8_t crashes, suspicions; /* left */
    uint8_t stepped;             /* set of ranks */
    uint8_t begun;               /* somebody has done something */
    uint8_t fate[RANKS_MAX];
    uint8_t notice[RANKS_MAX]; /* set of dead that this rank is to be told of */
    uint8_t told[RANKS_MAX];   /* set of dead that it has been told of */
    uint32_t msgs_bytes;
};

_Static_assert(sizeof(struct head) % 8 == 0, "processes are aligned to 8");

/* A message: followed by len bytes. */
struct msg {
    uint8_t to, from, len;
};

enum kind { MOVE, RECV, NOTICE, CRASH, DOOM };

struct choice {
    uint8_t kind, rank, other; /* other: move, sender, or dead */
    bool dies;                 /* right after the step */
};

struct frame {
    char *state;
    uint64_t key;
    struct choice choices[256];
    int n, next;
};

struct search {
    struct mend_sim_io io;
    const struct mend_sim_play *play;
    const struct mend_sim_conf *conf;
    struct mend_sim_result *result;
    struct mend_sim_view view;
    struct frame *frames;
    int depth;
    char *now; /* state that is being worked on */
    int acting;
    uint64_t *table; /* visited states: hash, lowest bit set while on the stack */
    size_t mask, used;
};

static struct head *head(const char *state)
{
    return (struct head *)(uintptr_t)state;
}

static char *procs(const char *state)
{
    return (char *)(uintptr_t)state + sizeof(struct head);
}

static size_t procs_bytes(const struct search *s)
{
    return s->view.proc_bytes * (size_t)s->conf->ranks;
}

static void *proc(const struct search *s, char *state, int rank)
{
    return procs(state) + s->view.proc_bytes * (size_t)rank;
}

static char *msgs(const struct search *s, const char *state)
{
    return procs(state) + procs_bytes(s);
}

static size_t state_bytes(const struct search *s, const char *state)
{
    return (size_t)(msgs(s, state) - state) + head(state)->msgs_bytes;
}

/* ---- messages ---- */

static struct msg *next_msg(struct msg *m)
{
    return (struct msg *)((char *)m + sizeof *m + m->len);
}

static struct msg *msgs_end(const struct search *s, char *state)
{
    return (struct msg *)(msgs(s, state) + head(state)->msgs_bytes);
}

static void remove_msg(const struct search *s, char *state, struct msg *m)
{
    size_t bytes = sizeof *m + m->len;

    memmove(m, next_msg(m), (size_t)((char *)msgs_end(s, state) - (char *)next_msg(m)));
    head(state)->msgs_bytes -= (uint32_t)bytes;
}

/* Removes all messages to `to` (or to anybody, -1) from `from` (or from anybody, -1). */
static void remove_msgs(const struct search *s, char *state, int to, int from)
{
    for (struct msg *m = (struct msg *)msgs(s, state); m < msgs_end(s, state);) {
        if ((to < 0 || m->to == to) && (from < 0 || m->from == from))
            remove_msg(s, state, m);
        else
            m = next_msg(m);
    }
}

/* Removes messages that make no difference any more, whenever they arrive. */
static void remove_ignored(const struct search *s, char *state)
{
    for (struct msg *m = (struct msg *)msgs(s, state); m < msgs_end(s, state);) {
        if (s->play->ignores && s->play->ignores(proc(s, state, m->to), m + 1, m->len, s->conf))
            remove_msg(s, state, m);
        else
            m = next_msg(m);
    }
}

static struct msg *first_msg(const struct search *s, char *state, int to, int from)
{
    for (struct msg *m = (struct msg *)msgs(s, state); m < msgs_end(s, state); m = next_msg(m))
        if (m->to == to && m->from == from)
            return m;
    return NULL;
}

static void trace_msg(struct search *s, const char *what, const void *bytes, size_t len,
                      const char *prep, int other)
{
    char buf[512];

    if (!s->conf->trace)
        return;
    s->play->print_msg(bytes, len, s->conf, buf, sizeof buf);
    printf("[%5d] %d %s %s %s %d\n", s->depth, s->acting, what, buf, prep, other);
}

static void on_send(struct mend_sim_io *io, int to, const void *bytes, size_t len)
{
    struct search *s = (struct search *)io;
    struct head *h = head(s->now);
    struct msg *m = (struct msg *)msgs(s, s->now), *end = msgs_end(s, s->now);

    s->result->messages++;
    trace_msg(s, "< send", bytes, len, "to", to);
    if (h->fate[to] == MEND_SIM_DEAD ||
        (h->told[to] >> s->acting & 1 && s->conf->broken != MEND_SIM_NO_PROMISE))
        return;
    MEND_ASSERT(len < 256 && h->msgs_bytes + sizeof *m + len <= MSGS_MAX);
    while (m < end && (m->to < to || (m->to == to && m->from <= s->acting)))
        m = next_msg(m);
    memmove((char *)m + sizeof *m + len, m, (size_t)((char *)end - (char *)m));
    *m = (struct msg){(uint8_t)to, (uint8_t)s->acting, (uint8_t)len};
    memcpy(m + 1, bytes, len);
    h->msgs_bytes += (uint32_t)(sizeof *m + len);
}

/* ---- choices ---- */

static void add(struct search *s, struct frame *f, enum kind kind, int rank, int other)
{
    const struct head *h = head(f->state);

    MEND_ASSERT(f->n + 2 <= (int)MEND_COUNT_OF(f->choices));
    f->choices[f->n++] = (struct choice){(uint8_t)kind, (uint8_t)rank, (uint8_t)other, false};
    if (kind <= NOTICE && h->crashes)
        f->choices[f->n++] = (struct choice){(uint8_t)kind, (uint8_t)rank, (uint8_t)other, true};
}

static void list_choices(struct search *s, struct frame *f)
{
    const struct head *h = head(f->state);
    struct msg *before = NULL;

    f->n = f->next = 0;
    for (int r = 0; r < s->conf->ranks; r++) {
        unsigned moves;

        if (h->fate[r] == MEND_SIM_DEAD)
            continue;
        moves = s->play->moves(proc(s, f->state, r), s->conf);
        for (; moves; moves &= moves - 1)
            add(s, f, MOVE, r, __builtin_ctz(moves));
        for (unsigned dead = h->notice[r]; dead; dead &= dead - 1)
            add(s, f, NOTICE, r, __builtin_ctz(dead));
        if (h->crashes && !(h->stepped >> r & 1))
            add(s, f, CRASH, r, 0);
        if (h->suspicions && !h->begun && h->fate[r] == MEND_SIM_ALIVE)
            add(s, f, DOOM, r, 0);
    }
    for (struct msg *m = (struct msg *)msgs(s, f->state); m < msgs_end(s, f->state);
         m = next_msg(m)) {
        if (!before || before->to != m->to || before->from != m->from)
            add(s, f, RECV, m->to, m->from);
        before = m;
    }
}

static void announce(struct search *s, struct head *h, int dead)
{
    for (int r = 0; r < RANKS_MAX && r < s->conf->ranks; r++)
        if (r != dead && h->fate[r] != MEND_SIM_DEAD)
            h->notice[r] |= (uint8_t)(1 << dead);
}

static void crash(struct search *s, int rank)
{
    struct head *h = head(s->now);

    if (s->conf->trace)
        printf("[%5d] %d x dies\n", s->depth, rank);
    h->crashes--;
    h->notice[rank] = h->told[rank] = 0;
    if (h->fate[rank] == MEND_SIM_ALIVE)
        announce(s, h, rank);
    h->fate[rank] = MEND_SIM_DEAD;
    memset(proc(s, s->now, rank), 0, s->view.proc_bytes);
    remove_msgs(s, s->now, rank, -1);
}

static void doom(struct search *s, int rank)
{
    struct head *h = head(s->now);

    if (s->conf->trace)
        printf("[%5d] %d ? is declared dead by mistake\n", s->depth, rank);
    h->suspicions--;
    h->fate[rank] = MEND_SIM_DOOMED;
    announce(s, h, rank);
}

static void do_notice(struct search *s, int rank, int dead)
{
    struct head *h = head(s->now);

    if (s->conf->trace)
        printf("[%5d] %d ! hears that %d is dead\n", s->depth, rank, dead);
    h->notice[rank] &= (uint8_t) ~(1 << dead);
    h->told[rank] |= (uint8_t)(1 << dead);
    if (s->conf->broken != MEND_SIM_NO_PROMISE)
        remove_msgs(s, s->now, rank, dead);
    s->play->death(proc(s, s->now, rank), dead, s->conf, &s->io);
}

static void do_recv(struct search *s, int rank, int from)
{
    struct msg *m = first_msg(s, s->now, rank, from);
    uint8_t bytes[256];
    size_t len = m->len;

    memcpy(bytes, m + 1, len);
    remove_msg(s, s->now, m);
    trace_msg(s, "> recv", bytes, len, "from", from);
    s->play->recv(proc(s, s->now, rank), from, bytes, len, s->conf, &s->io);
}

static void perform(struct search *s, const struct choice *c)
{
    struct head *h = head(s->now);

    s->acting = c->rank;
    s->result->steps++;
    s->view.fate = h->fate;
    s->view.procs = procs(s->now);
    if (c->kind == CRASH) {
        crash(s, c->rank);
        return;
    }
    if (c->kind == DOOM) {
        doom(s, c->rank);
        return;
    }
    h->stepped |= (uint8_t)(1 << c->rank);
    h->begun = 1;
    if (c->kind == MOVE) {
        if (s->conf->trace)
            printf("[%5d] %d * %s\n", s->depth, c->rank, s->play->move_name(c->other));
        s->play->move(proc(s, s->now, c->rank), c->other, s->conf, &s->io);
    } else if (c->kind == NOTICE) {
        do_notice(s, c->rank, c->other);
    } else {
        do_recv(s, c->rank, c->other);
    }
    s->result->wrong = s->play->check(&s->view, c->rank);
    if (c->dies)
        crash(s, c->rank);
}

/* ---- visited states ---- */

static uint64_t hash_state(const struct search *s, const char *state)
{
    size_t len = state_bytes(s, state), i = 0;
    uint64_t h = len * UINT64_C(0x9e3779b97f4a7c15), v;

    for (; i < len; i += 8) {
        v = 0;
        memcpy(&v, state + i, len - i < 8 ? len - i : 8);
        h = (h ^ v) * UINT64_C(0xff51afd7ed558ccd);
        h ^= h >> 32;
    }
    h *= UINT64_C(0xc4ceb9fe1a85ec53);
    h = (h ^ h >> 29) & ~UINT64_C(1);
    return h ? h : 2;
}

static uint64_t *find(const struct search *s, uint64_t key)
{
    size_t i = key >> 8 & s->mask;

    while (s->table[i] && (s->table[i] & ~UINT64_C(1)) != key)
        i = (i + 1) & s->mask;
    return &s->table[i];
}

static void grow(struct search *s)
{
    uint64_t *old = s->table;
    size_t slots = old ? s->mask + 1 : 0;

    s->mask = old ? 2 * slots - 1 : (1 << 16) - 1;
    s->table = calloc(s->mask + 1, sizeof *s->table);
    MEND_ASSERT(s->table);
    for (size_t i = 0; i < slots; i++)
        if (old[i])
            *find(s, old[i] & ~UINT64_C(1)) = old[i];
    free(old);
}

/* ---- search ---- */

/* Takes the state at `now` (which is frames[depth].state) as visited; true if it was not yet. */
static bool enter(struct search *s)
{
    struct frame *f = &s->frames[s->depth];
    uint64_t *slot;

    f->key = hash_state(s, f->state);
    slot = find(s, f->key);
    if (*slot) {
        if (*slot & 1)
            s->result->wrong = "it goes round in circles";
        return false;
    }
    *slot = f->key | 1;
    s->result->states++;
    if (++s->used * 2 > s->mask)
        grow(s);
    list_choices(s, f);
    if (f->n == 0) {
        s->result->ends++;
        s->view.fate = head(f->state)->fate;
        s->view.procs = procs(f->state);
        s->result->wrong = s->play->check_end(&s->view);
    }
    return true;
}

static char *frame_state(struct search *s, int depth)
{
    if (!s->frames[depth].state) {
        size_t bytes = sizeof(struct head) + procs_bytes(s) + MSGS_MAX + 512;

        s->frames[depth].state = calloc(1, bytes);
        MEND_ASSERT(s->frames[depth].state);
    }
    return s->frames[depth].state;
}

/* Goes down one choice from the top frame. */
static void descend(struct search *s, const struct choice *c)
{
    char *from = s->frames[s->depth].state;

    MEND_ASSERT(s->depth + 1 < DEPTH_MAX);
    s->depth++;
    s->now = frame_state(s, s->depth);
    memcpy(s->now, from, state_bytes(s, from));
    perform(s, c);
    remove_ignored(s, s->now);
    if ((uint64_t)s->depth > s->result->depth)
        s->result->depth = (uint64_t)s->depth;
}

static void print_path(struct search *s)
{
    size_t len = 0;

    for (int d = 0; d < s->depth && len + 8 < sizeof s->result->path; d++)
        len += (size_t)snprintf(s->result->path + len, sizeof s->result->path - len, "%s%d",
                                d ? "." : "", s->frames[d].next - 1);
}

static void search_all(struct search *s)
{
    enter(s);
    while (s->depth >= 0 && !s->result->wrong) {
        struct frame *f = &s->frames[s->depth];

        if (f->next == f->n || s->result->states >= s->conf->states_max) {
            *find(s, f->key) &= ~UINT64_C(1);
            s->depth--;
            continue;
        }
        descend(s, &f->choices[f->next++]);
        if (!s->result->wrong && !enter(s) && !s->result->wrong)
            s->depth--; /* known already */
    }
    if (s->result->wrong)
        print_path(s);
    s->result->complete = !s->result->wrong && s->result->states < s->conf->states_max;
}

static void replay(struct search *s)
{
    const char *at = s->conf->path;

    while (!s->result->wrong) {
        struct frame *f = &s->frames[s->depth];
        char *end;
        long i = strtol(at, &end, 10);

        list_choices(s, f);
        if (end == at || i < 0 || i >= f->n)
            break;
        f->next = (int)i + 1;
        at = *end == '.' ? end + 1 : end;
        descend(s, &f->choices[i]);
    }
    s->view.fate = head(s->frames[s->depth].state)->fate;
    s->view.procs = procs(s->frames[s->depth].state);
    if (!s->result->wrong && s->frames[s->depth].n == 0)
        s->result->wrong = s->play->check_end(&s->view);
    for (int r = 0; r < s->conf->ranks && s->conf->trace; r++) {
        char buf[1024] = "dead";

        if (s->view.fate[r] != MEND_SIM_DEAD)
            s->play->print(mend_sim_proc(&s->view, r), s->conf, buf, sizeof buf);
        printf("%d: %s\n", r, buf);
    }
}

void mend_sim_explore(const struct mend_sim_play *play, const struct mend_sim_conf *conf,
                      struct mend_sim_result *result_p)
{
    struct search s = {.io.send = on_send, .play = play, .conf = conf, .result = result_p};
    char *first;

    MEND_ASSERT(conf->ranks <= RANKS_MAX);
    memset(result_p, 0, sizeof *result_p);
    s.view.conf = conf;
    s.view.proc_bytes = (play->bytes(conf) + 7) / 8 * 8;
    s.frames = calloc(DEPTH_MAX, sizeof *s.frames);
    MEND_ASSERT(s.frames);
    grow(&s);
    first = s.now = frame_state(&s, 0);
    head(first)->crashes = (uint8_t)conf->crashes;
    head(first)->suspicions =
        (uint8_t)(play->death ? conf->suspicions : 0); /* else its own affair */
    for (int r = 0; r < conf->ranks; r++)
        play->init(proc(&s, first, r), r, conf);
    if (conf->path)
        replay(&s);
    else
        search_all(&s);
    for (int d = 0; d < DEPTH_MAX; d++)
        free(s.frames[d].state);
    free(s.frames);
    free(s.table);
}
