/* SPDX-License-Identifier: BSD-3-Clause */
/* papers.c – what agents ask each other about decisions goes through the root, in order with all else that it tells them: the news
 * that a node is lost comes behind what its agent has said (agent/papers.c). */
#include "root/root.h"

/* To the agent that has asked; or from one that asks to all others. */
void mend_root_pass_paper(struct root_node *from, const struct mend_message *m)
{
    struct root *root = from->root;
    struct mend_message copy = *m;
    int64_t to = m->arg[0];

    copy.kind = m->kind == MEND_UP_SEARCH     ? MEND_DOWN_SEARCH
                : m->kind == MEND_UP_SEARCHED ? MEND_DOWN_SEARCHED
                                              : MEND_DOWN_PAPER;
    copy.arg[0] = from->number;
    for (int k = 0; k < root->nodes_n; k++)
        if (k != from->number && (m->kind != MEND_UP_PAPER || k == to))
            mend_post(&root->node[k].agent, &copy);
}
