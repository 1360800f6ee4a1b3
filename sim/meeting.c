/* SPDX-License-Identifier: BSD-3-Clause */
/* meeting.c – two groups make an intercommunicator; see meeting.h. */
#include "meeting.h"

#include "ft/wire.h"

/* ---- what a process knows ---- */

static bool lost(const struct mend_sim_member *p, int first, int end)
{
    while (first < end && !mend_bits_test(p->dead, first))
        first++;
    return first < end;
}

bool mend_sim_lost_own(const struct mend_sim_member *p)
{
    return mend_sim_is_first(p) ? lost(p, 0, p->first_n) : lost(p, p->first_n, p->n);
}

bool mend_sim_lost_any(const struct mend_sim_member *p)
{
    return lost(p, 0, p->n);
}

static bool other_is_dead(const struct mend_sim_member *p)
{
    return mend_bits_test(p->dead, mend_sim_other_leader(p));
}

/* ---- messages ---- */

void mend_sim_say(struct mend_sim_io *io, int to, int kind, enum mend_sim_word word)
{
    uint8_t bytes[2] = {(uint8_t)kind, (uint8_t)word};

    io->send(io, to, bytes, sizeof bytes);
}

void mend_sim_say_to_group(const struct mend_sim_member *p, int kind, enum mend_sim_word word)
{
    int end = mend_sim_is_first(p) ? p->first_n : p->n;

    for (int r = (mend_sim_is_first(p) ? 0 : p->first_n) + 1; r < end; r++)
        mend_sim_say(p->io, r, kind, word);
}

static void say_other(const struct mend_sim_member *p, int kind, enum mend_sim_word word)
{
    mend_sim_say(p->io, mend_sim_other_leader(p), kind, word);
}

/* ---- agreements ---- */

bool mend_sim_agree_on(struct mend_agree *a, int n, int kind, const struct mend_agree_event *ev,
                       struct mend_sim_io *io)
{
    struct mend_agree_out out;
    struct mend_agree_msg msg;

    mend_agree_step(a, ev, &out);
    while (mend_agree_next(a, &msg)) {
        uint8_t bytes[MEND_SIM_MSG_MAX] = {(uint8_t)kind};
        size_t len = mend_ft_agree_encode(&msg, n, bytes + 1, sizeof bytes - 1);

        MEND_ASSERT(len);
        io->send(io, msg.peer, bytes, len + 1);
    }
    return out.decided_n > 0;
}

bool mend_sim_vote(struct mend_agree *a, int n, int kind, const uint64_t *dead, uint64_t word,
                   const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    uint64_t failed[(MEND_SIM_MSG_MAX + 7) / 8] = {0};
    struct mend_agree_value v;
    struct mend_agree_event ev = {.kind = MEND_AGREE_START, .value = &v};

    mend_agree_value_init(&v);
    for (int r = 0; r < n; r++)
        if (mend_bits_test(dead, r))
            mend_bits_set(failed, r);
    v.max_word[0] = c->broken != MEND_SIM_LIE ? word : 0;
    v.nfailed = mend_bits_count(failed, mend_bits_words(n));
    v.failed = failed;
    return mend_sim_agree_on(a, n, kind, &ev, io);
}

bool mend_sim_hear_agreement(struct mend_agree *a, int n, int from, const uint8_t *bytes,
                             size_t len, struct mend_sim_io *io)
{
    uint64_t sets[MEND_FT_AGREE_SETS * ((MEND_SIM_MSG_MAX + 7) / 8)];
    struct mend_agree_msg msg;
    struct mend_agree_event ev = {.kind = MEND_AGREE_RECV, .msg = &msg};

    MEND_ASSERT(mend_ft_agree_decode(bytes + 1, len - 1, n, from, sets, &msg) == MEND_OK);
    return mend_sim_agree_on(a, n, bytes[0], &ev, io);
}

static void note(const struct mend_sim_member *p, bool decided)
{
    struct mend_agree_value v;

    if (!decided)
        return;
    MEND_ASSERT(mend_agree_result(p->agree, 0, &v));
    p->m->decided = v.max_word[0] || v.nfailed ? MEND_SIM_NO : MEND_SIM_YES;
}

static void vote(const struct mend_sim_member *p, bool no)
{
    note(p, mend_sim_vote(p->agree, p->n, MEND_SIM_AGREEMENT, p->dead, no, p->conf, p->io));
}

/* ---- the meeting ---- */

static void call_off(const struct mend_sim_member *p)
{
    struct mend_sim_meeting *m = p->m;

    if (m->called_off || !m->came || m->decided || !(mend_sim_lost_any(p) || m->back))
        return;
    m->called_off = true;
    for (int r = 0; r < p->n && p->conf->broken != MEND_SIM_SILENT; r++)
        if (r != p->rank)
            mend_sim_say(p->io, r, MEND_SIM_OFF, MEND_SIM_NO);
}

static void come(const struct mend_sim_member *p)
{
    p->m->stage = MEND_SIM_GATHERS;
    if (p->m->vetoed)
        return;
    p->m->came = true;
    vote(p, mend_sim_lost_any(p) || p->m->back);
    call_off(p);
}

/* Somebody else has called it off, and this process has not come. */
static void veto(const struct mend_sim_member *p)
{
    if (p->m->came || p->m->vetoed || p->conf->broken == MEND_SIM_SHY)
        return;
    p->m->vetoed = true;
    vote(p, true);
}

bool mend_sim_bridge(const struct mend_sim_member *p, bool *error_p)
{
    struct mend_sim_meeting *m = p->m;
    bool dead = other_is_dead(p) && p->conf->broken != MEND_SIM_DEAF;

    if (!m->begun && !dead)
        say_other(p, MEND_SIM_BRIDGE, MEND_SIM_YES);
    *error_p = !((m->begun && m->bridge) || !dead);
    m->begun = true;
    return m->bridge || dead;
}

void mend_sim_give_up(const struct mend_sim_member *p)
{
    say_other(p, MEND_SIM_HELLO, MEND_SIM_NO);
}

/* Returns whether the meeting has ended for it. */
static bool leader_begins(const struct mend_sim_member *p, bool refused)
{
    bool own = mend_sim_lost_own(p), no = own || other_is_dead(p);

    if (!refused) {
        say_other(p, MEND_SIM_HELLO, no ? MEND_SIM_NO : MEND_SIM_YES);
        p->m->stage = no ? MEND_SIM_PASSES : MEND_SIM_HEARS;
    } else {
        p->m->stage = MEND_SIM_PASSES;
    }
    p->m->header = no || refused ? MEND_SIM_NO : MEND_SIM_NOTHING;
    return own;
}

static bool begins(const struct mend_sim_member *p, bool refused)
{
    if (mend_sim_leads(p))
        return leader_begins(p, refused);
    p->m->stage = MEND_SIM_LISTENS;
    return mend_sim_lost_own(p);
}

static void leader_hears(const struct mend_sim_member *p)
{
    if (p->m->hello) {
        p->m->header = p->m->hello;
    } else if (mend_sim_lost_own(p) || other_is_dead(p)) {
        p->m->header = MEND_SIM_NO;
        say_other(p, MEND_SIM_BACK, MEND_SIM_NO);
    } else {
        return;
    }
    p->m->stage = MEND_SIM_PASSES;
}

bool mend_sim_pass(const struct mend_sim_member *p)
{
    if (mend_sim_lost_own(p)) {
        if (p->m->header == MEND_SIM_YES)
            say_other(p, MEND_SIM_BACK, MEND_SIM_NO);
        return true;
    }
    mend_sim_say_to_group(p, MEND_SIM_HEADER, (enum mend_sim_word)p->m->header);
    if (p->m->header == MEND_SIM_NO)
        return true;
    come(p);
    return false;
}

bool mend_sim_meet(const struct mend_sim_member *p, bool refused, bool *error_p)
{
    struct mend_sim_meeting *m = p->m;

    *error_p = true;
    if (m->stage == MEND_SIM_OUTSIDE && begins(p, refused))
        return true;
    if (m->stage == MEND_SIM_HEARS)
        leader_hears(p);
    if (m->stage == MEND_SIM_LISTENS && m->header == MEND_SIM_YES)
        come(p);
    if (m->stage == MEND_SIM_LISTENS && p->conf->broken != MEND_SIM_HUSH)
        return m->header || mend_sim_lost_own(p);
    if (m->stage != MEND_SIM_GATHERS)
        return false;
    if (p->conf->broken == MEND_SIM_RASH && !mend_sim_is_first(p))
        *error_p = false;
    else if (m->decided == MEND_SIM_YES && m->came)
        *error_p = false;
    return m->vetoed || m->decided || !*error_p;
}

static void on_back(const struct mend_sim_member *p)
{
    p->m->back = p->m->stage == MEND_SIM_PASSES || p->m->stage == MEND_SIM_GATHERS;
    p->m->hello = MEND_SIM_NO;
    call_off(p);
}

/* It has voted, or will not come. */
bool mend_sim_meeting_ignores(const struct mend_sim_meeting *m, int kind)
{
    return kind == MEND_SIM_OFF && (m->came || m->vetoed);
}

void mend_sim_meeting_hears(const struct mend_sim_member *p, int from, const uint8_t *bytes,
                            size_t len)
{
    switch ((enum mend_sim_meeting_kind)bytes[0]) {
    case MEND_SIM_AGREEMENT:
        note(p, mend_sim_hear_agreement(p->agree, p->n, from, bytes, len, p->io));
        break;
    case MEND_SIM_BRIDGE:
        p->m->bridge = bytes[1];
        break;
    case MEND_SIM_HELLO:
        p->m->hello = bytes[1];
        break;
    case MEND_SIM_BACK:
        on_back(p);
        break;
    case MEND_SIM_HEADER:
        p->m->header = bytes[1];
        break;
    case MEND_SIM_OFF:
        veto(p);
        break;
    case MEND_SIM_MEETING_KINDS:
        break;
    }
}

void mend_sim_meeting_mourns(const struct mend_sim_member *p, int dead)
{
    uint64_t set[MEND_SIM_SET_WORDS] = {0};
    struct mend_agree_event ev = {.kind = MEND_AGREE_DEATH, .dead = set};

    mend_bits_set(set, dead);
    if (dead < p->n)
        note(p, mend_sim_agree_on(p->agree, p->n, MEND_SIM_AGREEMENT, &ev, p->io));
    call_off(p);
}
