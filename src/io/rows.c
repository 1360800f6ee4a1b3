/* SPDX-License-Identifier: BSD-3-Clause */
/* rows.c – writing lists of pieces, and reading several of them in order. */
#include "io/rows.h"

#include <string.h>

/* The piece goes on the last row: it is as long, and as far from the last piece as those are from each other. */
static bool continues(struct mend_row *last, int64_t at, int64_t len)
{
    if (len != last->len)
        return false;
    if (last->n == 1)
        last->stride = at - last->at;
    return at - last->at == last->n * last->stride;
}

bool mend_rows_add(struct mend_proc *self, struct mend_rows *list, int64_t at, int64_t len)
{
    if (list->n && continues(&list->row[list->n - 1], at, len)) {
        list->row[list->n - 1].n++;
        return true;
    }
    if (list->n == list->room) {
        int64_t room = list->room ? 2 * list->room : 64;
        struct mend_row *more = mend_zalloc(self, (size_t)room, sizeof(*more));

        if (!more)
            return false;
        if (list->n)
            memcpy(more, list->row, (size_t)list->n * sizeof(*more));
        mend_free(self, list->row);
        list->row = more;
        list->room = room;
    }
    list->row[list->n++] = (struct mend_row){at, len, 0, 1};
    return true;
}

void mend_rows_free(struct mend_proc *self, struct mend_rows *list)
{
    mend_free(self, list->row);
    *list = (struct mend_rows){NULL, 0, 0};
}

/* ---- several lists ---- */

static int64_t place(const struct mend_lane *l)
{
    return l->row->at + l->turn * l->row->stride;
}

/* Lane i may come later than those below it. */
static void sink(struct mend_merge *m, int i)
{
    for (int first = i;; i = first) {
        for (int k = 2 * i + 1; k <= 2 * i + 2 && k < m->n; k++)
            if (place(&m->lane[k]) < place(&m->lane[first]))
                first = k;
        if (first == i)
            return;
        struct mend_lane other = m->lane[i];

        m->lane[i] = m->lane[first];
        m->lane[first] = other;
    }
}

void mend_merge_begin(struct mend_merge *m, struct mend_lane *lanes, int n)
{
    *m = (struct mend_merge){lanes, 0};
    for (int i = 0; i < n; i++)
        if (lanes[i].row < lanes[i].end)
            lanes[m->n++] = lanes[i];
    for (int i = m->n / 2 - 1; i >= 0; i--)
        sink(m, i);
}

bool mend_merge_next(struct mend_merge *m, int64_t *at_p, int64_t *len_p, char **data_p)
{
    struct mend_lane *l = m->lane;

    if (!m->n)
        return false;
    *at_p = place(l);
    *len_p = l->row->len;
    *data_p = l->data;
    l->data += l->row->len;
    if (++l->turn == l->row->n) {
        l->turn = 0;
        l->row++;
    }
    if (l->row == l->end)
        *l = m->lane[--m->n];
    sink(m, 0);
    return true;
}
