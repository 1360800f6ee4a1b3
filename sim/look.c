/* SPDX-License-Identifier: BSD-3-Clause */
/* look.c – the play of looking: all read a file together where they share memory, each a part of it for all.
 *
 * The machine is src/io/look_sm.h, and this does with it what src/io/together.c and look.c do: an agreement about what is wanted,
 * a sum that tells where the places are, then windows by turns, an agreement behind each step, one at the end; and each survivor
 * reads all of its own itself when one of them says no.  A process makes `--instances` calls of `--window` windows.
 *
 * A step is: half of a read of a window, half of a look into one place of one member, a vote, a decision.  A read may
 * fail.  A sum may fail at some, once somebody has died, and not at others.  Agreements are uniform: memory.c searches them.
 *
 *   L1  what is copied from a place is the window that is wanted, whole
 *   L2  a call that returns has all windows, or has read for itself
 *   L3  no living process waits for ever */
#include "io/look_sm.h"
#include "sim.h"

#include <stdio.h>
#include <string.h>

#define CALLS_MAX   4
#define WINDOWS_MAX 4
#define VOTES_MAX   (CALLS_MAX * (WINDOWS_MAX + 3))

enum move { GO_ON, FAIL };

enum stage { ASKS, ASKED, SUMS, SUMMED, LOOKS, LOOKED, ENDED, RETURNED };

enum { VOTED = 1, FINE = 2, KNEW = 4 };

struct look_proc {
    int32_t rank;
    uint8_t stage, call, part;  /* part: how far in an act */
    uint8_t told;               /* set of ranks that it knows to be dead */
    uint8_t votes_n, decided_n; /* of all calls */
    uint8_t sums_n;
    uint8_t got;   /* windows copied in this call */
    uint8_t wrong; /* rule that was broken */
    bool failing;
    uint8_t place[2]; /* the window in it + 1, of all calls; 0: it is not whole */
    uint8_t vote[VOTES_MAX];
    struct mend_file_look m;
};

static size_t look_bytes(const struct mend_sim_conf *c)
{
    (void)c;
    return sizeof(struct look_proc);
}

static void look_init(void *proc, int rank, const struct mend_sim_conf *c)
{
    struct look_proc *p = proc;

    MEND_ASSERT(c->instances <= CALLS_MAX && c->window <= WINDOWS_MAX);
    memset(p, 0, sizeof(*p));
    p->rank = rank;
}

static const struct look_proc *member(const struct look_proc *p, int rank)
{
    return p + (rank - p->rank);
}

/* Of all windows of all calls. */
static uint8_t name_of(const struct look_proc *p, int64_t window, const struct mend_sim_conf *c)
{
    return (uint8_t)(p->call * c->window + window + 1);
}

/* ---- what waits ---- */

/* Everybody has voted in the agreement that p waits for, or is dead. */
static bool is_decided(const struct look_proc *p, const struct mend_sim_conf *c, bool *fine_p)
{
    *fine_p = true;
    for (int r = 0; r < c->ranks; r++) {
        uint8_t vote = member(p, r)->vote[p->decided_n];

        if (!vote && !(p->told >> r & 1))
            return false;
        *fine_p = *fine_p && (vote & FINE) && !(vote & KNEW);
    }
    return true;
}

static bool all_sum(const struct look_proc *p, const struct mend_sim_conf *c)
{
    for (int r = 0; r < c->ranks; r++)
        if (member(p, r)->sums_n < p->sums_n)
            return false;
    return true;
}

static bool waits(const struct look_proc *p, const struct mend_sim_conf *c)
{
    bool fine;

    if (p->stage == ASKED || p->stage == LOOKED || p->stage == ENDED)
        return !is_decided(p, c, &fine);
    return p->stage == SUMMED && !all_sum(p, c);
}

static unsigned look_moves(const void *proc, const struct mend_sim_conf *c)
{
    const struct look_proc *p = proc;
    bool reads = p->stage == LOOKS && p->m.last == MEND_FILE_LOOK_READ;
    unsigned moves = 0;

    if (p->stage == RETURNED)
        return 0;
    if (!waits(p, c))
        moves |= 1u << GO_ON;
    if ((p->stage == SUMMED && p->told) || (reads && p->part))
        moves |= 1u << FAIL;
    return moves;
}

static const char *look_move_name(int move)
{
    return move == FAIL ? "fails" : "goes on";
}

/* ---- acts ---- */

static void vote(struct look_proc *p, enum stage next, bool fine, const struct mend_sim_conf *c)
{
    if (c->broken == MEND_SIM_BOAST)
        fine = true;
    p->vote[p->votes_n++] = (uint8_t)(VOTED | (fine ? FINE : 0) | (p->told ? KNEW : 0));
    p->stage = (uint8_t)next;
}

/* One more call, or none. */
static void go_back(struct look_proc *p, const struct mend_sim_conf *c)
{
    p->stage = ++p->call < c->instances ? ASKS : RETURNED;
    p->got = 0;
    p->failing = false;
}

static void next_act(struct look_proc *p, const struct mend_sim_conf *c)
{
    enum mend_file_look_act act = mend_file_look_next(&p->m, p->failing);

    p->part = 0;
    if (act == MEND_FILE_LOOK_READ && c->broken == MEND_SIM_SHY)
        act = mend_file_look_next(&p->m, p->failing);
    if (act == MEND_FILE_LOOK_VOTE || act == MEND_FILE_LOOK_END)
        vote(p, act == MEND_FILE_LOOK_END ? ENDED : LOOKED, !p->failing, c);
}

/* First the old window is lost, then the new one is there. */
static void read_on(struct look_proc *p, const struct mend_sim_conf *c)
{
    int64_t window = mend_file_look_window(&p->m);
    int place = c->broken == MEND_SIM_NARROW ? 0 : mend_file_look_place(window);

    p->place[place] = p->part ? name_of(p, window, c) : 0;
    if (p->part++)
        next_act(p, c);
}

/* Each place is looked at twice. */
static void copy_on(struct look_proc *p, const struct mend_sim_conf *c)
{
    int64_t window = mend_file_look_window(&p->m);
    int place = c->broken == MEND_SIM_NARROW ? 0 : mend_file_look_place(window);

    if (member(p, p->part / 2)->place[place] != name_of(p, window, c))
        p->wrong = 1;
    if (++p->part < 2 * c->ranks)
        return;
    p->got++;
    next_act(p, c);
}

static void look_on(struct look_proc *p, const struct mend_sim_conf *c)
{
    if (p->m.last == MEND_FILE_LOOK_READ)
        read_on(p, c);
    else
        copy_on(p, c);
}

static void begin_windows(struct look_proc *p, const struct mend_sim_conf *c)
{
    p->m = (struct mend_file_look){.windows = c->window};
    p->stage = LOOKS;
    next_act(p, c);
}

static void conclude(struct look_proc *p, const struct mend_sim_conf *c)
{
    bool fine;

    is_decided(p, c, &fine);
    p->decided_n++;
    if (c->broken == MEND_SIM_RASH && p->stage == LOOKED)
        fine = true;
    if (p->stage == ENDED && fine && p->got < c->window)
        p->wrong = 2;
    if (p->stage == ENDED || !fine) {
        go_back(p, c);
        return;
    }
    if (p->stage == ASKED) {
        p->stage = SUMS;
        return;
    }
    p->stage = LOOKS;
    next_act(p, c);
}

static void fail(struct look_proc *p, const struct mend_sim_conf *c)
{
    p->failing = true;
    if (p->stage != SUMMED)
        next_act(p, c);
    else if (c->broken == MEND_SIM_HUSH)
        go_back(p, c);
    else
        vote(p, ENDED, false, c);
}

static void look_move(void *proc, int move, const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct look_proc *p = proc;

    (void)io;
    if (move == FAIL) {
        fail(p, c);
    } else if (p->stage == ASKS) {
        vote(p, ASKED, true, c);
    } else if (p->stage == SUMS) {
        p->sums_n++;
        p->stage = SUMMED;
    } else if (p->stage == SUMMED) {
        begin_windows(p, c);
    } else if (p->stage == LOOKS) {
        look_on(p, c);
    } else {
        conclude(p, c);
    }
}

static void look_death(void *proc, int dead, const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct look_proc *p = proc;

    (void)c;
    (void)io;
    p->told |= (uint8_t)(1 << dead);
}

/* What it wrote stays. */
static void look_bury(void *proc, const struct mend_sim_conf *c)
{
    struct look_proc *p = proc, left = {.rank = p->rank, .sums_n = p->sums_n};

    (void)c;
    memcpy(left.place, p->place, sizeof left.place);
    memcpy(left.vote, p->vote, sizeof left.vote);
    *p = left;
}

static const char *look_check(const struct mend_sim_view *v, int rank)
{
    const struct look_proc *p = mend_sim_proc(v, rank);

    return p->wrong == 1   ? "L1: what is copied is not the window that is wanted"
           : p->wrong == 2 ? "L2: a call returns without all of its data"
                           : NULL;
}

static const char *look_check_end(const struct mend_sim_view *v)
{
    for (int r = 0; r < v->conf->ranks; r++) {
        const struct look_proc *p = mend_sim_proc(v, r);

        if (v->fate[r] == MEND_SIM_ALIVE && p->stage != RETURNED)
            return "L3: a living process waits for ever";
    }
    return NULL;
}

static int look_print(const void *proc, const struct mend_sim_conf *c, char *buf, size_t size)
{
    static const char *const doing[] = {"asks",  "has asked", "sums",      "has summed",
                                        "looks", "has voted", "has ended", "has returned"};
    const struct look_proc *p = proc;

    (void)c;
    return snprintf(buf, size, "%s, call %d, step %d, part %d, has %d windows, places %d and %d%s",
                    doing[p->stage], p->call, (int)p->m.step, p->part, p->got, p->place[0],
                    p->place[1], p->failing ? ", fails" : "");
}

const struct mend_sim_play mend_sim_look = {
    .name = "look",
    .about = "collective reading through shared memory",
    .instances = "calls that every process makes",
    .bytes = look_bytes,
    .init = look_init,
    .moves = look_moves,
    .move_name = look_move_name,
    .move = look_move,
    .death = look_death,
    .bury = look_bury,
    .check = look_check,
    .check_end = look_check_end,
    .print = look_print,
};
