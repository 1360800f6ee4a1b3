/* SPDX-License-Identifier: BSD-3-Clause */
/* hostfile_test.c – files of hosts as users of Open MPI and MPICH write them. */
#include "base/status.h"
#include "base/test.h"
#include "rt/hostfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char why[200];

/* The list of a text, the caller's. */
static char *list_of(const char *text)
{
    char *copy = strdup(text), *list = mend_hostfile_list(copy, "f", why, sizeof(why));

    free(copy);
    return list;
}

MEND_TEST(lists)
{
    static const char *const right[][2] = {
        {"m1", "m1"},
        {"m1\nm2\n", "m1,m2"},
        {"m1 slots=4\n\n# all\n \t\nm2:2 # two\n", "m1:4,m2:2"},
        {"ann@m1 cpus=3 max_slots=8\r\nm2 user=ann count=2\nm3 slots=auto\n", "m1:3,m2:2,m3"},
        {"fd77::1 slots=2\n[fd77::2]:3\nfd77::3\n[fd77::4]",
         "[fd77::1]:2,[fd77::2]:3,fd77::3,fd77::4"},
        {"slots slots=65535", "slots:65535"},
    };

    for (size_t i = 0; i < MEND_COUNT_OF(right); i++) {
        char *list = list_of(right[i][0]);

        CHECK(list);
        CHECK_STR(list ? list : why, right[i][1]);
        free(list);
    }
}

MEND_TEST(what_is_wrong)
{
    static const char *const wrong[][2] = {
        {"", "hostfile 'f': it names no host"},
        {"# m1\n", "hostfile 'f': it names no host"},
        {"m1\nm2 slots=x\n", "hostfile 'f': line 2: 'x' is not a number between 1 and 65535"},
        {"\n\nm1 foo=2\n",
         "hostfile 'f': line 3: 'foo=2' is not one of: slots=N, max_slots=N, user=NAME"},
    };

    for (size_t i = 0; i < MEND_COUNT_OF(wrong); i++) {
        CHECK(!list_of(wrong[i][0]));
        CHECK_STR(why, wrong[i][1]);
    }
}

MEND_TEST(files)
{
    char name[] = "/tmp/hostfile-XXXXXX";
    int fd = mkstemp(name);
    char *list;

    CHECK(fd >= 0 && write(fd, "m1 slots=2\nm2", 13) == 13 && close(fd) == 0);
    list = mend_hostfile_read(name, why, sizeof(why));
    CHECK_STR(list ? list : why, "m1:2,m2");
    free(list);
    CHECK_EQ(truncate(name, 20), 0); /* adds zeros */
    CHECK(!mend_hostfile_read(name, why, sizeof(why)));
    CHECK(strstr(why, "': it is not a text file"));
    unlink(name);
    CHECK(!mend_hostfile_read(name, why, sizeof(why)));
    CHECK(strstr(why, "No such file"));
    CHECK(!mend_hostfile_read("/", why, sizeof(why)));
    CHECK_STR(why, "hostfile '/': it is not a file");
}

MEND_TEST_MAIN()
