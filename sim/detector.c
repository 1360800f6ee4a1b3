/* SPDX-License-Identifier: BSD-3-Clause */
/* detector.c – the play of detection: rank 0 is the agent, the others are its processes.
 *
 * A process may crash, leave properly, stop and resume; the kernel tells the agent about it by two
 * ways that are not ordered with each other (life word, waitpid).  The agent's kill travels like a
 * message, so a process still runs for a while after it.  Suspicions come at arbitrary times, and so does an abort of
 * the first two processes. */
#include "play.h"

#include <stdio.h>
#include <string.h>

enum note { LIFE = 1, EXITED, STOPPED, RESUMED, FINALIZED, KILL };

enum move { CRASH_LIFE_FIRST, CRASH_WAIT_FIRST, STOP, RESUME, LEAVE, END, TICK, ABORT, SUSPECT };

static const char *const move_names[] = {"crashes, life word first",
                                         "crashes, waitpid first",
                                         "stops",
                                         "resumes",
                                         "says it is finalized",
                                         "ends",
                                         "looks at the clock",
                                         "is asked for an abort",
                                         "is told a suspicion"};

static size_t detector_bytes(const struct mend_sim_conf *c)
{
    return offsetof(struct mend_sim_detector_proc, m) + mend_detector_size(c->ranks - 1);
}

static void detector_init(void *proc, int rank, const struct mend_sim_conf *c)
{
    static const struct mend_detector_config config = {
        .stop_ns = 8, .stop_max_ns = 32, .kill_ns = 80, .hold_ns = 16, .undying_ns = 160};
    struct mend_sim_detector_proc *p = proc;

    memset(p, 0, detector_bytes(c));
    p->rank = rank;
    p->wake_at = MEND_TIME_NEVER;
    if (rank == 0) {
        p->suspicions = c->suspicions;
        p->aborts = c->suspicions > 0;
        p->ticks = 6 * c->instances;
        mend_detector_init(&p->m, c->ranks - 1, &config, 0);
    } else {
        p->stops = c->instances;
    }
}

static unsigned detector_moves(const void *proc, const struct mend_sim_conf *c)
{
    const struct mend_sim_detector_proc *p = proc;
    unsigned moves = 0;

    if (p->rank == 0) {
        if (p->ticks && p->wake_at != MEND_TIME_NEVER)
            moves |= 1 << TICK;
        if (p->aborts)
            moves |= 1 << ABORT;
        if (p->suspicions)
            moves |= ((1u << (c->ranks - 1)) - 1) << SUSPECT;
        return moves;
    }
    if (p->life == MEND_SIM_RUNS)
        moves =
            1 << CRASH_LIFE_FIRST | 1 << CRASH_WAIT_FIRST | 1 << LEAVE | (p->stops ? 1 << STOP : 0);
    else if (p->life == MEND_SIM_STOPPED)
        moves = 1 << RESUME;
    else if (p->life == MEND_SIM_LEAVES)
        moves = 1 << END;
    return moves;
}

static const char *detector_move_name(int move)
{
    return move_names[move < SUSPECT ? move : SUSPECT];
}

static void tell(struct mend_sim_io *io, int to, enum note note)
{
    uint8_t byte = (uint8_t)note;

    io->send(io, to, &byte, 1);
}

static void agent_step(struct mend_sim_detector_proc *p, struct mend_detector_event ev,
                       const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct mend_detector_action a;

    if (ev.now == 0)
        ev.now = p->m.now;
    mend_detector_step(&p->m, &ev, &p->wake_at);
    while (mend_detector_next(&p->m, &a)) {
        uint32_t bit = 1u << (a.verdict.peer + 1);

        if (a.kind == MEND_DETECTOR_KILL)
            tell(io, a.verdict.peer + 1, KILL);
        if (c->broken == MEND_SIM_ACCUSE && a.kind == MEND_DETECTOR_END)
            a.kind = MEND_DETECTOR_DECLARE;
        if (a.kind == MEND_DETECTOR_DECLARE && c->broken != MEND_SIM_DEAF) {
            p->twice |= c->broken == MEND_SIM_BABBLE ? bit : p->declared & bit;
            p->declared |= bit;
        }
        if (a.kind == MEND_DETECTOR_END)
            p->ended |= bit;
        if (a.kind == MEND_DETECTOR_KILL && c->broken == MEND_SIM_REPORT_FIRST) {
            struct mend_detector_event now = {
                .kind = MEND_DETECTOR_EV_CONFIRMED, .now = p->m.now, .peer = a.verdict.peer};

            while (mend_detector_next(&p->m, &a))
                ;
            agent_step(p, now, c, io);
        }
    }
}

static void end(struct mend_sim_detector_proc *p, int life, bool life_first, struct mend_sim_io *io)
{
    p->life = life;
    tell(io, 0, life_first ? LIFE : EXITED);
    tell(io, 0, life_first ? EXITED : LIFE);
}

static void detector_move(void *proc, int move, const struct mend_sim_conf *c,
                          struct mend_sim_io *io)
{
    struct mend_sim_detector_proc *p = proc;
    static const int32_t first_two[] = {0, 1};
    struct mend_detector_event ev = {.kind = MEND_DETECTOR_EV_TICK};

    switch (move) {
    case CRASH_LIFE_FIRST:
    case CRASH_WAIT_FIRST:
        end(p, MEND_SIM_CRASHED, move == CRASH_LIFE_FIRST, io);
        break;
    case STOP:
        p->stops--;
        p->life = MEND_SIM_STOPPED;
        tell(io, 0, STOPPED);
        break;
    case RESUME:
        p->life = MEND_SIM_RUNS;
        tell(io, 0, RESUMED);
        break;
    case LEAVE:
        p->life = MEND_SIM_LEAVES;
        tell(io, 0, FINALIZED);
        break;
    case END:
        end(p, MEND_SIM_ENDED, true, io);
        break;
    case TICK:
        p->ticks--;
        ev.now = p->wake_at;
        agent_step(p, ev, c, io);
        break;
    case ABORT: /* of the first two */
        p->aborts--;
        ev.kind = MEND_DETECTOR_EV_ABORT;
        ev.peers = first_two;
        ev.npeers = c->ranks > 2 ? 2 : 1;
        agent_step(p, ev, c, io);
        break;
    default:
        p->suspicions--;
        ev.kind = MEND_DETECTOR_EV_SUSPECT;
        ev.peer = move - SUSPECT;
        ev.ending = true; /* and what seems so need not be */
        agent_step(p, ev, c, io);
    }
}

static void detector_recv(void *proc, int from, const void *bytes, size_t len,
                          const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    static const enum mend_detector_event_kind kinds[] = {[LIFE] = MEND_DETECTOR_EV_LIFE,
                                                          [EXITED] = MEND_DETECTOR_EV_EXITED,
                                                          [STOPPED] = MEND_DETECTOR_EV_STOPPED,
                                                          [RESUMED] = MEND_DETECTOR_EV_RESUMED,
                                                          [FINALIZED] = MEND_DETECTOR_EV_FINALIZED};
    struct mend_sim_detector_proc *p = proc;
    uint8_t note = *(const uint8_t *)bytes;
    struct mend_detector_event ev = {.peer = from - 1, .signaled = true, .code = 9};

    if (p->rank) { /* KILL: the process stops running */
        if (p->life != MEND_SIM_ENDED && p->life != MEND_SIM_CRASHED)
            end(p, p->life == MEND_SIM_LEAVES ? MEND_SIM_ENDED : MEND_SIM_CRASHED, true, io);
        return;
    }
    ev.kind = kinds[note];
    ev.others = note == LIFE && from % 2; /* of its threads one ends later: then it is EXITED */
    agent_step(p, ev, c, io);
}

static int detector_print(const void *proc, const struct mend_sim_conf *c, char *buf, size_t size)
{
    static const char *const lives[] = {"runs", "stopped", "leaves", "ended", "crashed"};
    const struct mend_sim_detector_proc *p = proc;

    return p->rank ? snprintf(buf, size, "process %s", lives[p->life])
                   : mend_detector_print(&p->m, buf, size);
}

static int detector_print_msg(const void *bytes, size_t len, const struct mend_sim_conf *c,
                              char *buf, size_t size)
{
    static const char *const names[] = {"",        "LIFE WORD", "EXITED", "STOPPED",
                                        "RESUMED", "FINALIZED", "KILL"};

    return snprintf(buf, size, "%s", names[*(const uint8_t *)bytes]);
}

const struct mend_sim_play mend_sim_detector = {
    .name = "detector",
    .about = "the node agent's decision",
    .instances = "how often each process may stop",
    .bytes = detector_bytes,
    .init = detector_init,
    .moves = detector_moves,
    .move_name = detector_move_name,
    .move = detector_move,
    .recv = detector_recv,
    .check = mend_sim_check_detector,
    .check_end = mend_sim_check_detector_end,
    .print = detector_print,
    .print_msg = detector_print_msg,
};
