/* SPDX-License-Identifier: BSD-3-Clause */
/* presence.h – how far a process is in MPI, as it says itself: a word of its entry in the table of processes (node/log.h).
 *
 *   NONE ──> STARTING ──> IN_MPI <──> LEAVING ──> LEFT
 *                            │          │  ^        │
 *                            └──> AWAY <┘  └────────┘ comes back (life/open.c)
 *
 * The order of the values counts: from LEAVING on nobody waits for the process in MPI_Finalize. */
#ifndef MEND_PROC_PRESENCE_H
#define MEND_PROC_PRESENCE_H

enum mend_presence {
    MEND_PRESENCE_NONE = 0, /* not started, or not in MPI_Init yet */
    MEND_PRESENCE_STARTING, /* in MPI_Init */
    MEND_PRESENCE_IN_MPI,   /* behind it */
    MEND_PRESENCE_LEAVING,  /* in MPI_Finalize */
    MEND_PRESENCE_LEFT,     /* behind it: its end is not a failure */
    MEND_PRESENCE_AWAY,     /* has no session: neither is its end, but it may come back */
    MEND_PRESENCE_DEAD,     /* nobody says so: this process has carried out the verdict */
};

#endif
