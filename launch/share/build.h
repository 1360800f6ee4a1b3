/* SPDX-License-Identifier: BSD-3-Clause */
/* build.h – which mpiexec this is: processes of a job on all nodes are of one build, as the library is (tools/build-id). */
#ifndef MEND_LAUNCH_SHARE_BUILD_H
#define MEND_LAUNCH_SHARE_BUILD_H

#include <stdint.h>

struct mend_build {
    uint64_t number;
    const char *version;
};

struct mend_build mend_build_of_this(void);

#endif
