/* SPDX-License-Identifier: BSD-3-Clause */
/* name_test.c – a file gets its name once, with and without the help of the system; only its own name is removed. */
#include "io/name.h"

#include "base/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char directory[64], name[96];

static void begin(void)
{
    snprintf(directory, sizeof(directory), "/tmp/mend-name-XXXXXX");
    CHECK(mkdtemp(directory));
    snprintf(name, sizeof(name), "%s/file", directory);
}

static void end(void)
{
    CHECK_EQ(rmdir(directory), 0); /* nothing is left */
}

MEND_TEST(a_file_without_a_name_leaves_nothing)
{
    int fd;

    begin();
    fd = mend_name_begin(name, O_WRONLY);
    CHECK(access(name, F_OK) != 0);
    if (fd >= 0)
        close(fd);
    end();
}

/* first: as mend_name_begin() returns it. */
static void make_and_remove(int first)
{
    int fd = first, other = -1;
    uint64_t file;

    CHECK_EQ(mend_name_publish(name, O_RDWR, &fd), 0);
    file = mend_name_identity(fd);
    CHECK(file != MEND_NAME_NONE);
    CHECK_EQ(mend_name_publish(name, O_RDWR, &other), EEXIST);
    CHECK_EQ(mend_name_remove(name, file + 1), 0);
    CHECK_EQ(mend_name_remove(name, MEND_NAME_NONE), 0);
    CHECK(access(name, F_OK) == 0);
    CHECK_EQ(mend_name_remove(name, file), 0);
    CHECK(access(name, F_OK) != 0);
    CHECK_EQ(mend_name_remove(name, file), 0);
    close(fd);
}

MEND_TEST(a_name_is_given_and_removed)
{
    begin();
    make_and_remove(mend_name_begin(name, O_RDWR));
    make_and_remove(-1); /* the system has no files without names */
    end();
}

MEND_TEST(the_identity_is_known_before_the_name)
{
    uint64_t before;
    int fd;

    begin();
    fd = mend_name_begin(name, O_RDWR);
    before = mend_name_identity(fd);
    if (fd >= 0) {
        CHECK_EQ(mend_name_publish(name, O_RDWR, &fd), 0);
        CHECK_EQ(mend_name_identity(fd), before);
        CHECK_EQ(mend_name_remove(name, before), 0);
        close(fd);
    }
    CHECK_EQ(mend_name_begin("/none/such", O_RDWR), -1);
    CHECK_EQ(mend_name_identity(-1) == MEND_NAME_NONE, 1);
    end();
}

MEND_TEST_MAIN()
