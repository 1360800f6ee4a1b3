/* SPDX-License-Identifier: BSD-3-Clause */
/* state.c – states as bytes, and the set of those that were visited; see state.h. */
#include "state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define TABLE_FIRST ((size_t)1 << 16)

size_t mend_sim_state_bytes(const struct mend_sim_shape *w, const char *state)
{
    return (size_t)((char *)mend_sim_mail_end(w, state) - state);
}

size_t mend_sim_state_max(const struct mend_sim_shape *w)
{
    return sizeof(struct mend_sim_head) + w->proc_bytes * (size_t)w->ranks + w->mail_max + 512;
}

/* ---- messages ---- */

struct mend_sim_mail *mend_sim_mail_find(const struct mend_sim_shape *w, const char *state, int to,
                                         int from, int nth)
{
    struct mend_sim_mail *end = mend_sim_mail_end(w, state);

    for (struct mend_sim_mail *m = mend_sim_mail(w, state); m < end; m = mend_sim_mail_next(m))
        if (m->to == to && m->from == from && nth-- == 0)
            return m;
    return NULL;
}

void mend_sim_mail_add(const struct mend_sim_shape *w, char *state, int to, int from,
                       const void *bytes, size_t len)
{
    struct mend_sim_mail *m = mend_sim_mail(w, state), *end = mend_sim_mail_end(w, state);

    MEND_ASSERT(len < 256);
    MEND_ASSERT(mend_sim_head(state)->mail_bytes + sizeof *m + len <= w->mail_max);
    while (m < end && (m->to < to || (m->to == to && m->from <= from)))
        m = mend_sim_mail_next(m);
    memmove((char *)m + sizeof *m + len, m, (size_t)((char *)end - (char *)m));
    *m = (struct mend_sim_mail){(uint8_t)to, (uint8_t)from, (uint8_t)len};
    memcpy(m + 1, bytes, len);
    mend_sim_head(state)->mail_bytes += (uint32_t)(sizeof *m + len);
}

void mend_sim_mail_remove(const struct mend_sim_shape *w, char *state, struct mend_sim_mail *m)
{
    char *next = (char *)mend_sim_mail_next(m), *end = (char *)mend_sim_mail_end(w, state);
    size_t bytes = (size_t)(next - (char *)m);

    memmove(m, next, (size_t)(end - next));
    mend_sim_head(state)->mail_bytes -= (uint32_t)bytes;
}

void mend_sim_mail_purge(const struct mend_sim_shape *w, char *state, int to, int from)
{
    for (struct mend_sim_mail *m = mend_sim_mail(w, state); m < mend_sim_mail_end(w, state);) {
        if ((to < 0 || m->to == to) && (from < 0 || m->from == from))
            mend_sim_mail_remove(w, state, m);
        else
            m = mend_sim_mail_next(m);
    }
}

/* ---- hashes ---- */

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0xff51afd7ed558ccd);
    return h ^ h >> 32;
}

static uint64_t word(const char *bytes, size_t len)
{
    uint64_t v = 0;

    memcpy(&v, bytes, len < 8 ? len : 8);
    return v;
}

/* Four chains side by side, because each waits for its own multiplications only. */
static uint64_t hash(const char *bytes, size_t len)
{
    uint64_t h[4] = {len, 1, 2, 3};
    size_t i = 0;

    for (; i + 32 <= len; i += 32)
        for (int k = 0; k < 4; k++)
            h[k] = mix(h[k], word(bytes + i + 8 * k, 8));
    for (; i < len; i += 8)
        h[0] = mix(h[0], word(bytes + i, len - i));
    for (int k = 1; k < 4; k++)
        h[0] = mix(h[0], h[k] * UINT64_C(0x9e3779b97f4a7c15));
    return h[0];
}

void mend_sim_state_print(const struct mend_sim_shape *w, char *state, int rank)
{
    mend_sim_head(state)->print[rank] = hash(mend_sim_proc_at(w, state, rank), w->proc_bytes);
}

uint64_t mend_sim_state_hash(const struct mend_sim_shape *w, const char *state)
{
    uint64_t head = hash(state, sizeof(struct mend_sim_head)), h;

    h = hash((char *)mend_sim_mail(w, state), mend_sim_head(state)->mail_bytes);
    h = (h ^ head * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xff51afd7ed558ccd);
    h = (h ^ h >> 32) & ~UINT64_C(1);
    return h ? h : 2;
}

/* ---- visited states ---- */

static uint64_t *new_table(size_t slots)
{
    size_t bytes = slots * sizeof(uint64_t);
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);

    MEND_ASSERT(p != MAP_FAILED);
    madvise(p, bytes, MADV_HUGEPAGE); /* as well without */
    return p;
}

uint64_t *mend_sim_visited_find(const struct mend_sim_visited *v, uint64_t key)
{
    size_t i = key >> 8 & v->mask;

    while (v->table[i] && (v->table[i] & ~UINT64_C(1)) != key)
        i = (i + 1) & v->mask;
    return &v->table[i];
}

void mend_sim_visited_open(struct mend_sim_visited *v)
{
    *v = (struct mend_sim_visited){new_table(TABLE_FIRST), TABLE_FIRST - 1, 0};
}

/* At three quarters it is doubled. */
void mend_sim_visited_added(struct mend_sim_visited *v)
{
    struct mend_sim_visited old = *v;

    if (++v->used * 4 <= v->mask * 3)
        return;
    v->mask = 2 * (old.mask + 1) - 1;
    v->table = new_table(v->mask + 1);
    for (size_t i = 0; i <= old.mask; i++)
        if (old.table[i])
            *mend_sim_visited_find(v, old.table[i] & ~UINT64_C(1)) = old.table[i];
    munmap(old.table, (old.mask + 1) * sizeof(uint64_t));
}

void mend_sim_visited_close(struct mend_sim_visited *v)
{
    munmap(v->table, (v->mask + 1) * sizeof(uint64_t));
}
