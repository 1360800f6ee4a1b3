/* SPDX-License-Identifier: BSD-3-Clause */
/* category.c – what belongs together. */
#include "tool/event.h"

const struct mend_tool_category_info mend_tool_category_list[MEND_CATEGORIES] = {
#define MEND_CATEGORY(id_, name_, what_) {name_, what_},
#include "tool/category.def"
#undef MEND_CATEGORY
};

/* One more of n, with this index. */
static void add(int *n, int index, int len, int *indices)
{
    if (*n < len)
        indices[*n] = index;
    ++*n;
}

int mend_tool_category_cvars(int category, int len, int *indices)
{
    int n = 0;

    for (int i = 0; i < mend_tool_cvars_n(); i++)
        if ((int)mend_tool_cvar_list[i].category == category)
            add(&n, i, len, indices);
    return n;
}

int mend_tool_category_pvars(int category, int len, int *indices)
{
    int n = 0;

    for (int i = 0; i < MEND_PVARS; i++)
        if ((int)mend_tool_pvar_list[i].category == category)
            add(&n, i, len, indices);
    return n;
}

int mend_tool_category_events(int category, int len, int *indices)
{
    int n = 0;

    for (int i = 0; category == MEND_CATEGORY_FAILURES && i < MEND_TOOL_EVENTS; i++)
        add(&n, i, len, indices);
    return n;
}

int mend_tool_category_parts(int category, int len, int *indices)
{
    int n = 0;

    for (int i = MEND_CATEGORY_ALL + 1; category == MEND_CATEGORY_ALL && i < MEND_CATEGORIES; i++)
        add(&n, i, len, indices);
    return n;
}
