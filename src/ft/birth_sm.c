/* SPDX-License-Identifier: BSD-3-Clause */
/* birth_sm.c – the order of acts when processes join a job; see birth_sm.h. */
#include "ft/birth_sm.h"

void mend_birth_init(struct mend_birth *x, enum mend_birth_role role, int32_t own_error)
{
    static const uint8_t first[] = {
        [MEND_BIRTH_ROOT] = MEND_BIRTH_ASK,
        [MEND_BIRTH_PARENT] = MEND_BIRTH_TELL,
        [MEND_BIRTH_FIRST] = MEND_BIRTH_BRIDGE,
        [MEND_BIRTH_CHILD] = MEND_BIRTH_MEET,
    };

    MEND_ASSERT(role == MEND_BIRTH_ROOT || !own_error);
    *x = (struct mend_birth){.role = (uint8_t)role, .error = own_error};
    x->act = own_error ? MEND_BIRTH_TELL : first[role];
}

/* The only writer of `act` after the start: it only goes on. */
static void become(struct mend_birth *x, enum mend_birth_act act)
{
    MEND_ASSERT(act > x->act);
    x->act = (uint8_t)act;
}

static void end(struct mend_birth *x, int32_t result)
{
    become(x, MEND_BIRTH_END);
    x->result = result;
}

static void asked(struct mend_birth *x, int32_t error)
{
    x->started = !error;
    x->error = error;
    become(x, error ? MEND_BIRTH_TELL : MEND_BIRTH_NAME);
}

/* The new processes wait for the root, so it goes to them even if its group has not heard it, or has heard that it must
 * not come. */
static void told_root(struct mend_birth *x, int32_t error)
{
    if (!x->started) {
        end(x, x->error);
        return;
    }
    if (!x->error)
        x->error = error;
    become(x, MEND_BIRTH_BRIDGE);
}

static void told_parent(struct mend_birth *x, const struct mend_birth_event *ev)
{
    if (ev->error || ev->told)
        end(x, ev->error ? ev->error : ev->told);
    else
        become(x, MEND_BIRTH_MEET);
}

/* Without a bridge a leader has still to tell its group; a root whose group has gone has not. */
static void bridged(struct mend_birth *x, int32_t error)
{
    if (!x->error) {
        x->error = error;
        become(x, MEND_BIRTH_MEET);
    } else if (error) {
        end(x, x->error);
    } else {
        become(x, MEND_BIRTH_LEAVE);
    }
}

void mend_birth_step(struct mend_birth *x, const struct mend_birth_event *ev)
{
    switch ((enum mend_birth_act)x->act) {
    case MEND_BIRTH_ASK:
        asked(x, ev->error);
        break;
    case MEND_BIRTH_NAME:
        x->error = ev->error;
        become(x, MEND_BIRTH_TELL);
        break;
    case MEND_BIRTH_TELL:
        if (x->role == MEND_BIRTH_ROOT)
            told_root(x, ev->error);
        else
            told_parent(x, ev);
        break;
    case MEND_BIRTH_BRIDGE:
        bridged(x, ev->error);
        break;
    case MEND_BIRTH_MEET:
        end(x, ev->error);
        break;
    case MEND_BIRTH_LEAVE:
        end(x, x->error);
        break;
    case MEND_BIRTH_END:
        MEND_ASSERT(!"nothing comes after the end");
    }
}

void mend_birth_check(const struct mend_birth *x)
{
    bool parent = x->role <= MEND_BIRTH_PARENT;
    bool leads = x->role == MEND_BIRTH_ROOT || x->role == MEND_BIRTH_FIRST;

    MEND_ASSERT(
        x->role == MEND_BIRTH_ROOT ||
        (x->act != MEND_BIRTH_ASK && x->act != MEND_BIRTH_NAME && x->act != MEND_BIRTH_LEAVE));
    MEND_ASSERT(x->act != MEND_BIRTH_TELL || parent);
    MEND_ASSERT(x->act != MEND_BIRTH_BRIDGE || leads);
    MEND_ASSERT(x->act != MEND_BIRTH_LEAVE || x->error);
    MEND_ASSERT(x->act == MEND_BIRTH_END || !x->result);
}
