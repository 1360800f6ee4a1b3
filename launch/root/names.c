/* SPDX-License-Identifier: BSD-3-Clause */
/* names.c – what ranks ask about published names goes to the agent of the first node, and its answer back (agent/names.h). */
#include "root/root.h"

void mend_root_pass_name(struct root_node *from, const struct mend_message *m)
{
    struct root *root = from->root;
    struct mend_message copy = *m;
    int64_t to = -1;

    if (m->kind == MEND_UP_NAME) {
        copy.kind = MEND_DOWN_NAME;
        to = 0;
        copy.arg[MEND_NAME_NODE] = from->number;
    } else if (from->number == 0) {
        copy.kind = MEND_DOWN_PORT;
        to = m->arg[MEND_NAME_NODE];
    }
    if (to >= 0 && to < root->nodes_n)
        mend_post(&root->node[to].agent, &copy);
}
