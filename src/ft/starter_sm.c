/* SPDX-License-Identifier: BSD-3-Clause */
/* starter_sm.c – an agent and a request for processes; see starter_sm.h. */
#include "ft/starter_sm.h"

void mend_starter_init(struct mend_starter *x)
{
    *x = (struct mend_starter){.act = MEND_STARTER_COUNT};
}

static void reply(struct mend_starter *x, enum mend_starter_answer answer)
{
    x->act = MEND_STARTER_ANSWER;
    x->answer = (uint8_t)answer;
}

static void counted(struct mend_starter *x, const struct mend_starter_event *ev)
{
    if (ev->good) {
        x->total_n = ev->total_n;
        x->act = MEND_STARTER_FIND;
    } else if (ev->never) {
        reply(x, MEND_STARTER_FAILED);
    } else if (ev->hopeful) {
        x->act = MEND_STARTER_HOLD;
    } else {
        reply(x, MEND_STARTER_FULL);
    }
}

static void started(struct mend_starter *x, bool good)
{
    if (!good)
        x->act = MEND_STARTER_WITHDRAW;
    else if (++x->started_n == x->total_n)
        reply(x, MEND_STARTER_STARTED);
}

static void prepared(struct mend_starter *x, bool good, enum mend_starter_act next)
{
    if (good)
        x->act = (uint8_t)next;
    else
        reply(x, MEND_STARTER_FAILED);
}

void mend_starter_step(struct mend_starter *x, const struct mend_starter_event *ev)
{
    switch ((enum mend_starter_act)x->act) {
    case MEND_STARTER_COUNT:
        counted(x, ev);
        break;
    case MEND_STARTER_HOLD:
        x->act = MEND_STARTER_COUNT;
        break;
    case MEND_STARTER_FIND:
        prepared(x, ev->good, MEND_STARTER_ADMIT);
        break;
    case MEND_STARTER_ADMIT:
        prepared(x, ev->good, MEND_STARTER_START);
        break;
    case MEND_STARTER_START:
        started(x, ev->good);
        break;
    case MEND_STARTER_WITHDRAW:
        x->withdrawn = true;
        reply(x, MEND_STARTER_FAILED);
        break;
    case MEND_STARTER_ANSWER:
        x->act = MEND_STARTER_END;
        break;
    case MEND_STARTER_END:
        MEND_ASSERT(!"nothing comes after the answer");
    }
}

void mend_starter_check(const struct mend_starter *x)
{
    bool all = x->total_n > 0 && x->started_n == x->total_n && !x->withdrawn;

    MEND_ASSERT((x->answer == MEND_STARTER_STARTED) == all);
    MEND_ASSERT(x->started_n <= x->total_n);
    MEND_ASSERT(!x->answer || x->act >= MEND_STARTER_ANSWER);
}
