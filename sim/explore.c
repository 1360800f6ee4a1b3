/* SPDX-License-Identifier: BSD-3-Clause */
/* explore.c – a play in every order of events, with every crash point.
 *
 * Depth-first search over the states of the whole world (state.h).  Visited states are remembered as
 * 64-bit hashes.
 *
 * Four facts keep the number of states down without losing any behaviour.  A crash between two steps
 * of a process is the same as a crash right after the first of them, so a crash is a variant of a
 * step.  A process that dies in the middle of its sends is covered by the orders in which receivers
 * learn of its death before its last messages, which they then refuse.  A message that its receiver will
 * ignore for ever may be ignored at once.  And a process that has learned of a death
 * from a message may be told of it at once.
 *
 * With nodes, a process whose agent is dead or has killed it is *condemned*: it goes on, and dies in a step of its own. */
#include "state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define DEPTH_MAX (1 << 20)

enum kind { MOVE, RECV, NOTICE, CRASH, DOOM }; /* the first three are steps */

struct choice {
    uint8_t kind, rank, other; /* other: move, sender, or dead */
    uint8_t nth;               /* message of that sender */
    uint8_t dies;              /* set of those that die right after the step, together */
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
    struct mend_sim_shape shape;
    struct frame *frames;
    int depth;
    char *now; /* state that is being worked on */
    int acting;
    int16_t set[MEND_SIM_SMALL_MAX];
    struct mend_sim_visited visited; /* lowest bit set while on the stack */
};

static struct mend_sim_head *head(const char *state)
{
    return mend_sim_head(state);
}

static void *proc(const struct search *s, char *state, int rank)
{
    return mend_sim_proc_at(&s->shape, state, rank);
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
    struct mend_sim_head *h = head(s->now);

    s->result->messages++;
    trace_msg(s, "< send", bytes, len, "to", to);
    if (h->fate[to] == MEND_SIM_DEAD ||
        (h->told[to] >> s->acting & 1 && s->conf->broken != MEND_SIM_NO_PROMISE))
        return;
    mend_sim_mail_add(&s->shape, s->now, to, s->acting, bytes, len);
}

/* ---- choices ---- */

/* A process that was declared dead by mistake is killed at some time, or goes on for ever.  One that is condemned
 * dies in a step of its own. */
static bool may_die(const struct search *s, const struct mend_sim_head *h, int rank)
{
    if (h->condemned >> rank & 1)
        return false;
    if (rank < s->conf->nodes)
        return rank && h->agent_crashes;
    return h->crashes || h->fate[rank] == MEND_SIM_DOOMED;
}

static void add_choice(struct frame *f, struct choice c)
{
    MEND_ASSERT(f->n < (int)MEND_COUNT_OF(f->choices));
    f->choices[f->n++] = c;
}

/* The choice with the death of its process, alone, and together with each other one. */
static void add_deaths(struct search *s, struct frame *f, struct choice c)
{
    const struct mend_sim_head *h = head(f->state);

    c.dies = (uint8_t)(1 << c.rank);
    add_choice(f, c);
    for (int r = 0; s->conf->together && r < s->conf->ranks; r++) {
        struct choice both = c;

        if (r == c.rank || h->crashes < 2 || h->fate[r] || h->fate[c.rank])
            continue;
        both.dies |= (uint8_t)(1 << r);
        add_choice(f, both);
    }
}

static void add(struct search *s, struct frame *f, struct choice c)
{
    add_choice(f, c);
    if (c.kind <= NOTICE && may_die(s, head(f->state), c.rank))
        add_deaths(s, f, c);
}

static void list_of_rank(struct search *s, struct frame *f, uint8_t r)
{
    const struct mend_sim_head *h = head(f->state);
    unsigned moves = s->play->moves(proc(s, f->state, r), s->conf);

    for (; moves; moves &= moves - 1)
        add(s, f, (struct choice){MOVE, r, (uint8_t)__builtin_ctz(moves), 0, 0});
    for (unsigned dead = h->notice[r]; dead; dead &= ~(unsigned)h->set[__builtin_ctz(dead)])
        if (!s->play->may_hear ||
            s->play->may_hear(proc(s, f->state, r), __builtin_ctz(dead), s->conf))
            add(s, f, (struct choice){NOTICE, r, (uint8_t)__builtin_ctz(dead), 0, 0});
    if (h->condemned >> r & 1 || (may_die(s, h, r) && !(h->stepped >> r & 1)))
        add_deaths(s, f, (struct choice){CRASH, r, 0, 0, 0});
    if (h->suspicions && !h->begun && h->fate[r] == MEND_SIM_ALIVE)
        add(s, f, (struct choice){DOOM, r, 0, 0, 0});
}

static void list_choices(struct search *s, struct frame *f)
{
    struct mend_sim_mail *end = mend_sim_mail_end(&s->shape, f->state), *before = NULL;
    uint8_t nth = 0;

    f->n = f->next = 0;
    for (int r = 0; r < s->conf->ranks; r++)
        if (head(f->state)->fate[r] != MEND_SIM_DEAD)
            list_of_rank(s, f, (uint8_t)r);
    for (struct mend_sim_mail *m = mend_sim_mail(&s->shape, f->state); m < end;
         m = mend_sim_mail_next(m)) {
        nth = before && before->to == m->to && before->from == m->from ? nth + 1 : 0;
        if (nth == 0 || s->conf->reorder)
            add(s, f, (struct choice){RECV, m->to, m->from, nth, 0});
        before = m;
    }
}

static uint8_t those_of(const struct search *s, const struct mend_sim_head *h, int node)
{
    uint8_t set = 0;

    for (int r = s->conf->nodes; r < s->conf->ranks; r++)
        if (mend_sim_node_of(s->conf, r) == node && h->fate[r] != MEND_SIM_DEAD)
            set |= (uint8_t)(1 << r);
    return set;
}

static void announce_on_node(struct search *s, struct mend_sim_head *h, int dead)
{
    int agent = mend_sim_node_of(s->conf, dead);
    uint8_t left = those_of(s, h, agent) & (uint8_t) ~(1 << dead);

    if (dead == agent && s->conf->broken != MEND_SIM_LATE_LOOK)
        h->condemned |= left;
    if (dead != agent && h->fate[agent] != MEND_SIM_DEAD)
        h->notice[agent] |= (uint8_t)(1 << dead);
    else if (s->conf->broken == MEND_SIM_REPORT_FIRST ? dead == agent : !left)
        h->notice[0] |= (uint8_t)(1 << agent);
}

static void on_kill(struct mend_sim_io *io, int rank)
{
    struct mend_sim_head *h = head(((struct search *)io)->now);

    if (h->fate[rank] != MEND_SIM_DEAD)
        h->condemned |= (uint8_t)(1 << rank);
}

static void on_drain(struct mend_sim_io *io, int from)
{
    struct search *s = (struct search *)io;
    struct mend_sim_mail *m;

    while ((m = mend_sim_mail_find(&s->shape, s->now, s->acting, from, 0))) {
        uint8_t bytes[256];
        size_t len = m->len;

        memcpy(bytes, m + 1, len);
        mend_sim_mail_remove(&s->shape, s->now, m);
        trace_msg(s, "> recv", bytes, len, "from the dead", from);
        s->play->recv(proc(s, s->now, s->acting), from, bytes, len, s->conf, io);
    }
}

static void announce(struct search *s, struct mend_sim_head *h, int dead)
{
    if (s->conf->nodes) {
        announce_on_node(s, h, dead);
        return;
    }
    for (int r = 0; r < MEND_SIM_SMALL_MAX && r < s->conf->ranks; r++)
        if (r != dead && h->fate[r] != MEND_SIM_DEAD)
            h->notice[r] |= (uint8_t)(1 << dead);
}

/* What is condemned is paid for by what condemned it. */
static void pay_for(struct search *s, struct mend_sim_head *h, int rank)
{
    if (h->condemned >> rank & 1)
        h->condemned &= (uint8_t) ~(1 << rank);
    else if (rank < s->conf->nodes)
        h->agent_crashes--;
    else
        h->crashes--;
}

static void crash(struct search *s, int rank, uint8_t set)
{
    struct mend_sim_head *h = head(s->now);

    if (s->conf->trace)
        printf("[%5d] %d x dies\n", s->depth, rank);
    h->notice[rank] = h->told[rank] = 0;
    if (h->fate[rank] == MEND_SIM_ALIVE) {
        pay_for(s, h, rank);
        h->set[rank] = set;
        announce(s, h, rank);
    }
    h->fate[rank] = MEND_SIM_DEAD;
    if (s->play->bury)
        s->play->bury(proc(s, s->now, rank), s->conf);
    else
        memset(proc(s, s->now, rank), 0, s->shape.proc_bytes);
    mend_sim_mail_purge(&s->shape, s->now, rank, -1);
}

static void crash_all(struct search *s, uint8_t set)
{
    for (unsigned left = set; left; left &= left - 1)
        crash(s, __builtin_ctz(left), set);
}

static void doom(struct search *s, int rank)
{
    struct mend_sim_head *h = head(s->now);

    if (s->conf->trace)
        printf("[%5d] %d ? is declared dead by mistake\n", s->depth, rank);
    h->suspicions--;
    h->fate[rank] = MEND_SIM_DOOMED;
    h->set[rank] = (uint8_t)(1 << rank);
    announce(s, h, rank);
}

/* What a process has said to its agent stays (drain). */
static bool is_of_node(const struct search *s, int rank, int agent)
{
    return s->conf->nodes && mend_sim_node_of(s->conf, rank) == agent;
}

/* Tells it of all that died together with `dead`. */
static void do_notice(struct search *s, int rank, int dead)
{
    struct mend_sim_head *h = head(s->now);
    uint64_t set[MEND_SIM_SET_WORDS] = {h->set[dead]};

    for (unsigned left = h->set[dead]; left; left &= left - 1) {
        int r = __builtin_ctz(left);

        if (s->conf->trace)
            printf("[%5d] %d ! hears that %d is dead\n", s->depth, rank, r);
        if (s->conf->broken != MEND_SIM_NO_PROMISE && !is_of_node(s, r, rank))
            mend_sim_mail_purge(&s->shape, s->now, rank, r);
    }
    h->notice[rank] &= (uint8_t)~h->set[dead];
    h->told[rank] |= h->set[dead];
    mend_sim_tell(s->play, proc(s, s->now, rank), set, s->conf, &s->io);
}

static void do_recv(struct search *s, const struct choice *c)
{
    struct mend_sim_mail *m = mend_sim_mail_find(&s->shape, s->now, c->rank, c->other, c->nth);
    uint8_t bytes[256];
    size_t len = m->len;

    memcpy(bytes, m + 1, len);
    mend_sim_mail_remove(&s->shape, s->now, m);
    trace_msg(s, "> recv", bytes, len, "from", c->other);
    s->play->recv(proc(s, s->now, c->rank), c->other, bytes, len, s->conf, &s->io);
}

static void do_step(struct search *s, const struct choice *c)
{
    struct mend_sim_head *h = head(s->now);

    h->stepped |= (uint8_t)(1 << c->rank);
    h->begun = 1;
    if (c->kind == MOVE) {
        if (s->conf->trace)
            printf("[%5d] %d * %s\n", s->depth, c->rank, s->play->move_name(c->other));
        s->play->move(proc(s, s->now, c->rank), c->other, s->conf, &s->io);
    } else if (c->kind == NOTICE) {
        do_notice(s, c->rank, c->other);
    } else {
        do_recv(s, c);
    }
    s->result->wrong = s->play->check(&s->view, c->rank);
    if (s->play->settle)
        s->play->settle(proc(s, s->now, c->rank), s->conf);
    crash_all(s, c->dies);
}

static void perform(struct search *s, const struct choice *c)
{
    s->acting = c->rank;
    s->result->steps++;
    s->view.fate = head(s->now)->fate;
    s->view.procs = mend_sim_procs(s->now);
    for (int r = 0; r < s->conf->ranks; r++)
        s->set[r] = (int16_t)(__builtin_ffs(head(s->now)->set[r]) - 1);
    if (c->kind == CRASH)
        crash_all(s, c->dies);
    else if (c->kind == DOOM)
        doom(s, c->rank);
    else
        do_step(s, c);
    for (int r = 0; r < s->conf->ranks; r++)
        if (r == c->rank || c->dies >> r & 1 || s->play->shares)
            mend_sim_state_print(&s->shape, s->now, r);
}

static bool knows_all(struct search *s, int rank, unsigned dead)
{
    for (; dead; dead &= dead - 1)
        if (!s->play->knows(proc(s, s->now, rank), __builtin_ctz(dead), s->conf))
            return false;
    return true;
}

/* Lets happen at once what makes no difference any more, whenever it happens, after a step of `rank`. */
static void hasten(struct search *s, int rank)
{
    const struct mend_sim_play *play = s->play;
    struct mend_sim_mail *m = mend_sim_mail(&s->shape, s->now);

    while (play->ignores && m < mend_sim_mail_end(&s->shape, s->now)) {
        if ((m->to == rank || m->from == rank) &&
            play->ignores(proc(s, s->now, m->to), m->from, m + 1, m->len, s->conf))
            mend_sim_mail_remove(&s->shape, s->now, m);
        else
            m = mend_sim_mail_next(m);
    }
    for (int r = 0; play->knows && r < s->conf->ranks; r++) {
        for (unsigned left = head(s->now)->notice[r]; left;
             left &= ~(unsigned)head(s->now)->set[__builtin_ctz(left)]) {
            int dead = __builtin_ctz(left);

            if (!knows_all(s, r, head(s->now)->set[dead]))
                continue;
            s->acting = r;
            do_notice(s, r, dead);
            if (play->settle)
                play->settle(proc(s, s->now, r), s->conf);
            mend_sim_state_print(&s->shape, s->now, r);
        }
    }
}

/* ---- search ---- */

/* Nothing can happen any more, or nothing that does changes a result. */
static void check_end(struct search *s, const struct frame *f)
{
    s->view.fate = head(f->state)->fate;
    s->view.procs = mend_sim_procs(f->state);
    if (f->n && !(s->play->at_rest && s->play->at_rest(&s->view)))
        return;
    s->result->ends++;
    s->result->wrong = s->play->check_end(&s->view);
}

/* Takes the state at `now` (which is frames[depth].state) as visited; true if it was not yet. */
static bool enter(struct search *s)
{
    struct frame *f = &s->frames[s->depth];
    uint64_t *slot;

    f->key = mend_sim_state_hash(&s->shape, f->state);
    slot = mend_sim_visited_find(&s->visited, f->key);
    if (*slot) {
        if (*slot & 1 && !s->play->at_rest)
            s->result->wrong = "it goes round in circles";
        return false;
    }
    *slot = f->key | 1;
    s->result->states++;
    mend_sim_visited_added(&s->visited);
    list_choices(s, f);
    check_end(s, f);
    return true;
}

static char *frame_state(struct search *s, int depth)
{
    if (!s->frames[depth].state) {
        s->frames[depth].state = calloc(1, mend_sim_state_max(&s->shape));
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
    memcpy(s->now, from, mend_sim_state_bytes(&s->shape, from));
    perform(s, c);
    hasten(s, c->rank);
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
            *mend_sim_visited_find(&s->visited, f->key) &= ~UINT64_C(1);
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
    if (!s->result->wrong)
        check_end(s, &s->frames[s->depth]);
    for (int r = 0; r < s->conf->ranks && s->conf->trace; r++) {
        char buf[1024] = "dead";

        if (s->view.fate[r] != MEND_SIM_DEAD)
            s->play->print(mend_sim_proc(&s->view, r), s->conf, buf, sizeof buf);
        printf("%d: %s\n", r, buf);
    }
}

/* Zeros that are not touched: Meson sets MALLOC_PERTURB_, with which calloc() would write all of them. */
static struct frame *new_frames(void)
{
    void *p = mmap(NULL, DEPTH_MAX * sizeof(struct frame), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    MEND_ASSERT(p != MAP_FAILED);
    return p;
}

void mend_sim_explore(const struct mend_sim_play *play, const struct mend_sim_conf *conf,
                      struct mend_sim_result *result_p)
{
    struct search s = {.io = {.send = on_send, .kill = on_kill, .drain = on_drain},
                       .play = play,
                       .conf = conf,
                       .result = result_p};
    char *first;

    MEND_ASSERT(conf->ranks <= MEND_SIM_SMALL_MAX);
    memset(result_p, 0, sizeof *result_p);
    s.view.conf = conf;
    s.view.set = s.set;
    s.view.proc_bytes = (play->bytes(conf) + 7) / 8 * 8;
    s.shape =
        (struct mend_sim_shape){conf->ranks, s.view.proc_bytes, play->recv ? MEND_SIM_MAIL_MAX : 0};
    s.frames = new_frames();
    mend_sim_visited_open(&s.visited);
    first = s.now = frame_state(&s, 0);
    head(first)->crashes = (uint8_t)(play->own_faults ? 0 : conf->crashes);
    head(first)->agent_crashes = (uint8_t)conf->agent_crashes;
    head(first)->suspicions =
        (uint8_t)(play->death ? conf->suspicions : 0); /* else its own affair */
    for (int r = 0; r < conf->ranks; r++) {
        play->init(proc(&s, first, r), r, conf);
        mend_sim_state_print(&s.shape, first, r);
    }
    if (conf->path)
        replay(&s);
    else
        search_all(&s);
    for (int d = 0; d < DEPTH_MAX && s.frames[d].state; d++)
        free(s.frames[d].state);
    munmap(s.frames, DEPTH_MAX * sizeof *s.frames);
    mend_sim_visited_close(&s.visited);
}
