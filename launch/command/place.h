/* SPDX-License-Identifier: BSD-3-Clause */
/* place.h – the calculation of the processors that a rank gets; bind.c asks the machine and takes them. */
#ifndef MEND_LAUNCH_COMMAND_PLACE_H
#define MEND_LAUNCH_COMMAND_PLACE_H

#include <sched.h>

/* What processors share, from the smallest to the largest. */
enum mend_unit {
    MEND_UNIT_HWTHREAD,
    MEND_UNIT_CORE,
    MEND_UNIT_L1,
    MEND_UNIT_L2,
    MEND_UNIT_L3,
    MEND_UNIT_NUMA,
    MEND_UNIT_SOCKET,
    MEND_UNIT_MACHINE,
    MEND_UNITS_N
};

/* A processor that this job may use, and the number of the unit of each kind to which it belongs. */
struct mend_cpu {
    int cpu;
    int unit[MEND_UNITS_N];
};

struct mend_topology {
    int n;
    struct mend_cpu cpu[CPU_SETSIZE];
};

/* How many units of a kind there are. */
int mend_place_count(const struct mend_topology *t, enum mend_unit kind);

/* The places for ranks, one per unit of kind `step`, in the order in which ranks take them: with `map` larger
 * than `step`, the first place of each unit of kind map, then the second of each, ...; else as the processors
 * are numbered.  order[i] is an index of t->cpu, the first processor of the place.  Returns their number. */
int mend_place_order(const struct mend_topology *t, enum mend_unit step, enum mend_unit map,
                     int order[CPU_SETSIZE]);

/* Adds to *set the processors that share a unit of that kind with t->cpu[index]. */
void mend_place_add(const struct mend_topology *t, int index, enum mend_unit kind, cpu_set_t *set);

/* The processors of a set as text: "0-3,8". */
void mend_place_text(const cpu_set_t *set, char *buf, int size);

#endif
