/* SPDX-License-Identifier: BSD-3-Clause */
/* word.c – pages of words: own ones and those of others, in one list. */
#include "io/word.h"

#include "node/heap.h"
#include "node/node.h"

#define PAGE 4096
#define LINE 64

struct mend_file_page {
    uint64_t at; /* in the segment */
    char *base;
    bool own;
    uint64_t used; /* own: a bit for each word */
    struct mend_file_page *next;
};

_Static_assert(PAGE / LINE <= 64, "a bit for each word");

static struct mend_file_page *add(struct mend_proc *self, uint64_t at, char *base, bool own)
{
    struct mend_file_page *p = mend_zalloc(self, 1, sizeof(*p));

    if (p) {
        *p = (struct mend_file_page){at, base, own, 0, self->file_pages};
        self->file_pages = p;
    }
    return p;
}

static struct mend_file_page *make_own(struct mend_proc *self)
{
    struct mend_heap_piece *piece = mend_heap_take(self, PAGE);
    struct mend_file_page *p = piece ? add(self, piece->at, piece->base, true) : NULL;

    if (piece && !p)
        mend_heap_give_back(self, piece);
    return p;
}

static struct mend_file_page *find(struct mend_proc *self, uint64_t place)
{
    struct mend_file_page *p = self->file_pages;

    while (p && p->at != place / PAGE * PAGE)
        p = p->next;
    return p;
}

uint64_t mend_file_word_take(struct mend_proc *self)
{
    struct mend_file_page *p = self->file_pages;
    uint64_t place;
    int i;

    while (p && !(p->own && ~p->used))
        p = p->next;
    if (!p)
        p = make_own(self);
    if (!p)
        return 0;
    i = __builtin_ctzll(~p->used);
    p->used |= UINT64_C(1) << i;
    place = p->at + (uint64_t)i * LINE;
    atomic_store(mend_file_word_at(self, place), 0);
    return place;
}

void mend_file_word_give_back(struct mend_proc *self, uint64_t place)
{
    struct mend_file_page *p = find(self, place);

    MEND_ASSERT(p && p->own);
    p->used &= ~(UINT64_C(1) << place % PAGE / LINE);
}

bool mend_file_word_is_own(struct mend_proc *self, uint64_t place)
{
    struct mend_file_page *p = find(self, place);

    return p && p->own;
}

mend_atomic_u64 *mend_file_word_at(struct mend_proc *self, uint64_t place)
{
    uint64_t at = place / PAGE * PAGE;
    struct mend_file_page *p = find(self, place);

    if (!p) {
        char *base = mend_node_map(self, at, PAGE);

        p = base ? add(self, at, base, false) : NULL;
        if (base && !p)
            mend_node_unmap(base, PAGE);
    }
    return p ? (mend_atomic_u64 *)(void *)(p->base + place % PAGE) : NULL;
}
