/* SPDX-License-Identifier: BSD-3-Clause */
/* room_test.c – the smaller of what the machine and the control group leave decides; a group without a limit, or files
 * that are not there, do not. */
#include "node/room.h"

#include "base/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MB (UINT64_C(1) << 20)

static const char *file(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");

    CHECK(f != NULL);
    fputs(text, f);
    fclose(f);
    return name;
}

MEND_TEST(the_smaller_one_decides)
{
    char folder[] = "/tmp/room_test.XXXXXX";
    const char *m, *max, *used;

    CHECK(mkdtemp(folder) != NULL && chdir(folder) == 0);
    m = file("meminfo", "MemTotal: 9999999 kB\nMemAvailable:    1048576 kB\n");
    CHECK(mend_node_has_room_in(900 * MB, m, NULL, NULL));
    CHECK(!mend_node_has_room_in(1024 * MB, m, NULL, NULL)); /* nothing would be left */
    max = file("max", "536870912\n");
    used = file("used", "268435456\n");
    CHECK(mend_node_has_room_in(128 * MB, m, max, used));
    CHECK(!mend_node_has_room_in(256 * MB, m, max, used));
    max = file("max", "max\n");
    CHECK(mend_node_has_room_in(900 * MB, m, max, used));
    CHECK(mend_node_has_room_in(UINT64_C(1) << 50, "none", "none", "none"));
    unlink(m);
    unlink(max);
    unlink(used);
    CHECK_EQ(rmdir(folder), 0);
}

MEND_TEST(this_machine_has_a_page_and_not_everything)
{
    CHECK(mend_node_has_room(4096));
    CHECK(!mend_node_has_room(UINT64_C(1) << 60));
}

MEND_TEST_MAIN()
