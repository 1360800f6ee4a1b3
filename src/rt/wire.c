/* SPDX-License-Identifier: BSD-3-Clause */
/* wire.c – checks of the datagrams that ranks send to the agent.
 *
 * A rank may be a faulty program that writes into any descriptor.  The agent acts only on datagrams
 * that this function has checked. */
#include "rt/wire.h"

static bool number_valid(const struct mend_ctl *m, size_t len_bytes)
{
    return m->n == 1 && len_bytes == MEND_CTL_HEAD_BYTES + sizeof(m->peer) && m->peer >= 0;
}

static bool peer_valid(const struct mend_ctl *m, size_t len_bytes, uint32_t names_n)
{
    return number_valid(m, len_bytes) && (uint32_t)m->peer < names_n;
}

static bool set_valid(const struct mend_ctl *m, size_t len_bytes, uint32_t names_n)
{
    size_t words = mend_bits_words((int32_t)names_n);

    if (m->n < 1 || m->n > words || len_bytes != MEND_CTL_HEAD_BYTES + m->n * sizeof(*m->set))
        return false;
    return (m->n < words || !mend_bits_overflow(m->set, (int32_t)names_n)) &&
           mend_bits_count(m->set, m->n) > 0;
}

/* The text goes between braces on a line of its own: it starts a member and holds no control
 * character, so it cannot end the line or forge another one. */
static bool text_valid(const struct mend_ctl *m, size_t len_bytes)
{
    if (m->n > MEND_CTL_TEXT_MAX || len_bytes != MEND_CTL_HEAD_BYTES + m->n)
        return false;
    if (m->n < 2 || m->text[0] != '"')
        return false;
    for (uint32_t i = 0; i < m->n; i++)
        if ((unsigned char)m->text[i] < ' ' || m->text[i] == 0x7f)
            return false;
    return true;
}

static bool connect_valid(const struct mend_ctl *m, size_t len_bytes, uint32_t names_n)
{
    return m->n == 1 && len_bytes == MEND_CTL_HEAD_BYTES + sizeof(m->connect) &&
           m->connect.first >= 0 && (uint32_t)m->connect.first < names_n &&
           m->connect.names_n <= names_n - (uint32_t)m->connect.first;
}

static bool tally_valid(const struct mend_ctl *m, size_t len_bytes)
{
    return m->n == 1 && len_bytes == MEND_CTL_HEAD_BYTES + sizeof(m->tally) &&
           m->tally.how <= MEND_TALLY_FORGET;
}

static bool revoke_valid(const struct mend_ctl *m, size_t len_bytes)
{
    return m->n >= 1 && m->n <= MEND_CTL_REVOKE_MAX &&
           len_bytes == MEND_CTL_HEAD_BYTES + m->n * sizeof(*m->revoke) && m->revoke[0];
}

static bool ask_valid(const struct mend_ctl *m, size_t len_bytes)
{
    return m->n == 1 && len_bytes == MEND_CTL_HEAD_BYTES + sizeof(m->ask) && m->ask.mark &&
           m->ask.seq < INT64_MAX && !m->ask.zero;
}

bool mend_ctl_valid(const struct mend_ctl *m, size_t len_bytes, uint32_t names_n)
{
    if (len_bytes < MEND_CTL_HEAD_BYTES || m->magic != MEND_CTL_MAGIC)
        return false;
    switch (m->kind) {
    case MEND_CTL_JOIN:
    case MEND_CTL_CRASH:
    case MEND_CTL_SPAWN:
    case MEND_CTL_NAME:
    case MEND_CTL_SESSION:
    case MEND_CTL_PRESENCE:
    case MEND_CTL_WATCH:
    case MEND_CTL_UNWATCH:
    case MEND_CTL_WROTE:
        return m->n == 0 && len_bytes == MEND_CTL_HEAD_BYTES;
    case MEND_CTL_ASK:
    case MEND_CTL_DECIDED:
        return ask_valid(m, len_bytes);
    case MEND_CTL_REVOKE:
        return revoke_valid(m, len_bytes);
    case MEND_CTL_TALLY:
        return tally_valid(m, len_bytes);
    case MEND_CTL_SUSPECT:
    case MEND_CTL_CUT:
        return peer_valid(m, len_bytes, names_n);
    case MEND_CTL_INJECTED:
        return number_valid(m, len_bytes);
    case MEND_CTL_ABORT:
        return m->follows <= 1 && set_valid(m, len_bytes, names_n);
    case MEND_CTL_REPORT:
        return text_valid(m, len_bytes);
    case MEND_CTL_CONNECT:
        return connect_valid(m, len_bytes, names_n);
    default:
        return false;
    }
}
