/* SPDX-License-Identifier: BSD-3-Clause */
/* wire.c – what the agent believes of a datagram that a rank sent.
 *
 * A rank may be a program gone wild that writes into any descriptor.  The agent acts on nothing
 * that this function did not look at. */
#include "rt/wire.h"

static bool peers_valid(const struct mend_ctl *m, size_t len_bytes, uint32_t ranks_n)
{
    if (m->n > MEND_CTL_PEERS_MAX || len_bytes != MEND_CTL_HEAD_BYTES + m->n * sizeof(*m->peers))
        return false;
    for (uint32_t i = 0; i < m->n; i++)
        if (m->peers[i] < 0 || (uint32_t)m->peers[i] >= ranks_n)
            return false;
    return true;
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

bool mend_ctl_valid(const struct mend_ctl *m, size_t len_bytes, uint32_t ranks_n)
{
    if (len_bytes < MEND_CTL_HEAD_BYTES || m->magic != MEND_CTL_MAGIC)
        return false;
    switch (m->kind) {
    case MEND_CTL_JOIN:
    case MEND_CTL_CRASH:
        return m->n == 0 && len_bytes == MEND_CTL_HEAD_BYTES;
    case MEND_CTL_SUSPECT:
        return m->n == 1 && peers_valid(m, len_bytes, ranks_n);
    case MEND_CTL_ABORT:
        return m->n > 0 && peers_valid(m, len_bytes, ranks_n);
    case MEND_CTL_REPORT:
        return text_valid(m, len_bytes);
    default:
        return false;
    }
}
