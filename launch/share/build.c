/* SPDX-License-Identifier: BSD-3-Clause */
/* build.c – see build.h. */
#include "share/build.h"

#include "node/build_id.h"

struct mend_build mend_build_of_this(void)
{
    return (struct mend_build){.number = MEND_BUILD_ID, .version = MEND_VERSION};
}
