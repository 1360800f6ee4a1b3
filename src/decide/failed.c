/* SPDX-License-Identifier: BSD-3-Clause */
/* failed.c – the group of the members that are agreed to be failed, the same at all survivors. */
#include "decide/internal.h"

struct mend_group *mend_decide_in_order(struct mend_comm *c, struct mend_group *failed)
{
    struct mend_proc *self = c->self;
    struct mend_group *first, *second, *all;

    if (!failed)
        return mend_group_create_range(self, 0, 1, 0);
    first = mend_group_intersection(self, c->decide->first, failed);
    if (!c->decide->second)
        return first;
    second = mend_group_intersection(self, c->decide->second, failed);
    all = mend_group_union(self, first, second);
    mend_group_put(self, first);
    mend_group_put(self, second);
    return all;
}
