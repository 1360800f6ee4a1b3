/* SPDX-License-Identifier: BSD-3-Clause */
/* tally.h – numbers that a job keeps, each under a name of 64 bits (rt.h). */
#ifndef MEND_RT_TALLY_H
#define MEND_RT_TALLY_H

/* What happens to one. */
enum mend_tally { MEND_TALLY_ADD, MEND_TALLY_SET, MEND_TALLY_FORGET };

#endif
