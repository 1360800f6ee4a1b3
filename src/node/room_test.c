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

/* Machine and groups of the test, in its own folder. */
static void enter_folder(void)
{
    char folder[] = "/tmp/room_test.XXXXXX";

    CHECK(mkdtemp(folder) != NULL && chdir(folder) == 0);
    file("meminfo", "MemTotal: 9999999 kB\nMemAvailable:    1048576 kB\n");
}

static void leave_folder(void)
{
    CHECK_EQ(system("rm -r \"$PWD\""), 0);
}

static bool has_room(uint64_t mb)
{
    return mend_node_has_room_in(mb * MB, "meminfo", "cgroup", "groups");
}

MEND_TEST(the_smaller_one_decides)
{
    enter_folder();
    CHECK(has_room(900));
    CHECK(!has_room(1024)); /* nothing would be left */
    file("cgroup", "1:cpu:/x\n0::/a\n");
    CHECK_EQ(system("mkdir -p groups/a/b"), 0);
    file("groups/a/memory.max", "536870912\n");
    file("groups/a/memory.current", "268435456\n");
    CHECK(has_room(128));
    CHECK(!has_room(256));
    file("cgroup", "0::/a/b\n"); /* which says nothing itself */
    CHECK(has_room(128) && !has_room(256));
    file("groups/a/memory.max", "max\n");
    CHECK(has_room(900));
    CHECK(mend_node_has_room_in(UINT64_C(1) << 50, "none", "none", "none"));
    leave_folder();
}

MEND_TEST(what_files_have_left_counts_as_free)
{
    enter_folder();
    file("cgroup", "0::/a\n");
    CHECK_EQ(system("mkdir -p groups/a"), 0);
    file("groups/a/memory.max", "536870912\n");
    file("groups/a/memory.current", "536870912\n");
    CHECK(!has_room(1));
    file("groups/a/memory.stat", "anon 1\ninactive_file 268435456\nactive_file 104857600\n");
    CHECK(has_room(200) && !has_room(400));
    leave_folder();
}

MEND_TEST(groups_of_the_first_version_count)
{
    enter_folder();
    file("cgroup", "4:memory:/a\n0::/\n");
    CHECK_EQ(system("mkdir -p groups/memory/a"), 0);
    file("groups/memory/a/memory.limit_in_bytes", "536870912\n");
    file("groups/memory/a/memory.usage_in_bytes", "268435456\n");
    CHECK(has_room(128) && !has_room(256));
    file("groups/memory/a/memory.stat", "total_inactive_file 134217728\n");
    CHECK(has_room(256) && !has_room(400));
    leave_folder();
}

MEND_TEST(this_machine_has_a_page_and_not_everything)
{
    CHECK(mend_node_has_room(4096));
    CHECK(!mend_node_has_room(UINT64_C(1) << 60));
}

MEND_TEST_MAIN()
