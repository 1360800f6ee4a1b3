/* SPDX-License-Identifier: BSD-3-Clause */
/* job_files.h – the files of a simulated job, for its program: what is on the disk.
 *
 * Names that begin with SIM_FILES are files of the simulator.  One of them has what all processes see, and what would be
 * left if the machine lost its power now: a flush copies the first to the second. */
#ifndef MEND_SIM_JOB_FILES_H
#define MEND_SIM_JOB_FILES_H

#include <stddef.h>

#define SIM_FILES "/simulated/"
#define SIM_FULL  SIM_FILES "full" /* has room for SIM_FULL_BYTES */
#define SIM_BROKEN                                                                                 \
    SIM_FILES                                                                                      \
    "broken" /* the third flush and what is written until then are lost: EIO, once for each open */
#define SIM_REFUSED    SIM_FILES "refused" /* the second open fails: EMFILE */
#define SIM_FULL_BYTES 256

/* Copies what is on the disk from `offset` on; bytes that are not there are -1 (0xff). */
void sim_on_disk(const char *name, long offset, void *to, size_t n);

#endif
