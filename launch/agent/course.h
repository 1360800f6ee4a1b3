/* SPDX-License-Identifier: BSD-3-Clause */
/* course.h – how far the job has come, as its agents know it.  The main thread's. */
#ifndef MEND_LAUNCH_AGENT_COURSE_H
#define MEND_LAUNCH_AGENT_COURSE_H

#include <stdbool.h>

struct mend_course {
    bool running,
        ended; /* with several nodes: the ranks of this one were started; no process is left anywhere */
    bool told_done;         /* the root knows how each rank has ended */
    bool signaled, killing; /* the user ends the job */
    bool aborted;           /* as a whole */
};

#endif
