/* SPDX-License-Identifier: BSD-3-Clause */
/* place.c – which processors a rank gets. */
#include "command/place.h"

#include <stdbool.h>
#include <stdio.h>

/* True if no processor before it belongs to the same unit. */
static bool is_first(const struct mend_topology *t, int index, enum mend_unit kind)
{
    for (int i = 0; i < index; i++)
        if (t->cpu[i].unit[kind] == t->cpu[index].unit[kind])
            return false;
    return true;
}

int mend_place_count(const struct mend_topology *t, enum mend_unit kind)
{
    int n = 0;

    for (int i = 0; i < t->n; i++)
        n += is_first(t, i, kind);
    return n;
}

/* turn[i]: how many places of the same unit of kind map come before place i; -1: no place begins there. */
static void find_turns(const struct mend_topology *t, enum mend_unit step, enum mend_unit map,
                       int turn[CPU_SETSIZE])
{
    for (int i = 0; i < t->n; i++) {
        turn[i] = is_first(t, i, step) ? 0 : -1;
        for (int k = 0; map > step && turn[i] >= 0 && k < i; k++)
            turn[i] += turn[k] >= 0 && t->cpu[k].unit[map] == t->cpu[i].unit[map];
    }
}

int mend_place_order(const struct mend_topology *t, enum mend_unit step, enum mend_unit map,
                     int order[CPU_SETSIZE])
{
    int turn[CPU_SETSIZE], n = 0;

    find_turns(t, step, map, turn);
    for (int k = 0; k < t->n; k++)
        for (int i = 0; i < t->n; i++)
            if (turn[i] == k)
                order[n++] = i;
    return n;
}

void mend_place_add(const struct mend_topology *t, int index, enum mend_unit kind, cpu_set_t *set)
{
    for (int i = 0; i < t->n; i++)
        if (t->cpu[i].unit[kind] == t->cpu[index].unit[kind])
            CPU_SET(t->cpu[i].cpu, set);
}

void mend_place_text(const cpu_set_t *set, char *buf, int size)
{
    int at = 0;

    buf[0] = '\0';
    for (int cpu = 0, last; cpu < CPU_SETSIZE && at < size - 1; cpu = last + 1) {
        last = cpu;
        if (!CPU_ISSET(cpu, set))
            continue;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, set))
            last++;
        at += snprintf(buf + at, (size_t)(size - at), at ? ",%d" : "%d", cpu);
        if (last > cpu && at < size - 1)
            at += snprintf(buf + at, (size_t)(size - at), "-%d", last);
    }
}
