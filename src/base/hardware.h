/* SPDX-License-Identifier: BSD-3-Clause */
/* hardware.h – to which parts of the machine a set of processors belongs, as the kernel tells it in files.
 *
 * The names of the kinds are those of MPI-5.0 9.1.2, a URI each, with the words that hwloc has for them. */
#ifndef MEND_BASE_HARDWARE_H
#define MEND_BASE_HARDWARE_H

#include <sched.h>
#include <stdbool.h>

/* From the largest to the smallest. */
enum mend_hardware {
    MEND_HARDWARE_PACKAGE,
    MEND_HARDWARE_NUMA,
    MEND_HARDWARE_L3,
    MEND_HARDWARE_L2,
    MEND_HARDWARE_L1,
    MEND_HARDWARE_CORE,
    MEND_HARDWARE_PU,
    MEND_HARDWARE_KINDS
};

#define MEND_HARDWARE_ROOT    "/sys/devices/system"
#define MEND_HARDWARE_UNKNOWN (-1) /* the machine has no such part, or does not tell */
#define MEND_HARDWARE_SEVERAL (-2)

const char *mend_hardware_name(enum mend_hardware kind);

/* MEND_HARDWARE_KINDS: no kind has that name. */
enum mend_hardware mend_hardware_named(const char *name);

/* The one part of that kind that has all of these processors: its lowest one, by which all find the same. */
int mend_hardware_of(const char *root, enum mend_hardware kind, const cpu_set_t *cpus);

/* The same for the calling thread at the moment. */
int mend_hardware_here(enum mend_hardware kind);

#endif
