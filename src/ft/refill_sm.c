/* SPDX-License-Identifier: BSD-3-Clause */
/* refill_sm.c – the order of acts when the ranks of the dead are taken; see refill_sm.h. */
#include "ft/refill_sm.h"

void mend_refill_init(struct mend_refill *x, bool newcomer)
{
    *x = (struct mend_refill){.newcomer = newcomer,
                              .act = newcomer ? MEND_REFILL_JOIN : MEND_REFILL_SHRINK};
}

void mend_refill_step(struct mend_refill *x, const struct mend_refill_event *ev)
{
    bool whole = x->act == MEND_REFILL_SHRINK && ev->whole;

    MEND_ASSERT(x->act != MEND_REFILL_END);
    x->act = ev->error || whole ? MEND_REFILL_END : (uint8_t)(x->act + 1);
    x->result = ev->error;
}

void mend_refill_check(const struct mend_refill *x)
{
    MEND_ASSERT(!x->newcomer || x->act != MEND_REFILL_SHRINK);
    MEND_ASSERT(x->act == MEND_REFILL_END || !x->result);
}
