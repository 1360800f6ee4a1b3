/* SPDX-License-Identifier: BSD-3-Clause */
/* refill_sm.c – the order of acts when the ranks of the dead are taken; see refill_sm.h. */
#include "ft/refill_sm.h"

void mend_refill_init(struct mend_refill *x, bool newcomer)
{
    *x = (struct mend_refill){.newcomer = newcomer,
                              .act = newcomer ? MEND_REFILL_JOIN : MEND_REFILL_SHRINK};
}

static enum mend_refill_act next(const struct mend_refill *x, const struct mend_refill_event *ev)
{
    switch ((enum mend_refill_act)x->act) {
    case MEND_REFILL_SHRINK:
        return ev->error || ev->whole ? MEND_REFILL_END : MEND_REFILL_JOIN;
    case MEND_REFILL_JOIN:
        if (ev->error)
            return x->newcomer ? MEND_REFILL_END : MEND_REFILL_SETTLE;
        return ev->more ? MEND_REFILL_JOIN : MEND_REFILL_SEAT;
    case MEND_REFILL_SEAT:
    case MEND_REFILL_SETTLE:
    case MEND_REFILL_END:
        break;
    }
    return MEND_REFILL_END;
}

void mend_refill_step(struct mend_refill *x, const struct mend_refill_event *ev)
{
    MEND_ASSERT(x->act != MEND_REFILL_END);
    x->act = (uint8_t)next(x, ev);
    if (x->act == MEND_REFILL_END)
        x->result = ev->error;
}

void mend_refill_check(const struct mend_refill *x)
{
    MEND_ASSERT(!x->newcomer || (x->act != MEND_REFILL_SHRINK && x->act != MEND_REFILL_SETTLE));
    MEND_ASSERT(x->act == MEND_REFILL_END || !x->result);
}
