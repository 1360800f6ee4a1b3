/* SPDX-License-Identifier: BSD-3-Clause */
/* What the root of MPI_Comm_spawn asks for is what the agent reads; a damaged request is refused, whichever byte is
 * damaged, and read from within its bounds. */
#include "base/test.h"
#include "rt/spawn.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char *const args[] = {"-x", "", "two words", NULL};
static const struct mend_spawn_block asked[] = {
    {.asked_n = 3, .command = "./worker", .args = args, .wdir = "/tmp", .soft = "1:3"},
    {.asked_n = 0, .command = "none"},
    {.asked_n = 2,
     .command = "/bin/other",
     .path = "/opt:/usr",
     .errhandler = "mpi_errors_return",
     .host = "m1,m2"},
};
static const struct mend_spawn_block lost[] = {
    {.asked_n = 1, .again = true, .seat = {9, 1}},
    {.asked_n = 1, .again = true, .seat = {4, 3}},
};

static void check_word(const char *a, const char *b)
{
    CHECK(!a == !b);
    if (a)
        CHECK_STR(a, b);
}

MEND_TEST(what_was_written_is_read)
{
    struct mend_spawn_file mine, seen;
    struct mend_spawn_block *b = NULL;
    int fd = mend_spawn_write(asked, MEND_COUNT_OF(asked), 7, 11, &mine);
    uint32_t asked_n = 0;

    CHECK(fd >= 0 && mend_spawn_map(&seen, fd, true));
    CHECK(seen.h->root == 7 && seen.h->number == 11);
    CHECK_EQ(mend_load_relaxed(&seen.h->answer), MEND_SPAWN_ASKED);
    CHECK_EQ(mend_spawn_read(&seen, &b, &asked_n), 3);
    CHECK_EQ(asked_n, 5);
    for (unsigned i = 0; i < MEND_COUNT_OF(asked); i++) {
        CHECK_EQ(b[i].asked_n, asked[i].asked_n);
        check_word(b[i].command, asked[i].command);
        check_word(b[i].wdir, asked[i].wdir);
        check_word(b[i].path, asked[i].path);
        check_word(b[i].soft, asked[i].soft);
        check_word(b[i].errhandler, asked[i].errhandler);
        check_word(b[i].host, asked[i].host);
    }
    for (int k = 0; k < 4; k++)
        check_word(b[0].args[k], args[k]);
    CHECK(b[1].args[0] == NULL);
    free(b);
    mend_spawn_unmap(&seen);
    mend_spawn_unmap(&mine);
    close(fd);
}

MEND_TEST(a_copy_is_read_alike)
{
    struct mend_spawn_file mine, copy;
    struct mend_spawn_block *b = NULL;
    int fd = mend_spawn_write(asked, MEND_COUNT_OF(asked), 7, 11, &mine);
    int copy_fd = mend_spawn_copy(mine.h, mine.bytes, &copy);
    uint32_t asked_n;

    CHECK(fd >= 0 && copy_fd >= 0 && copy.h != mine.h);
    CHECK_EQ(mend_spawn_read(&copy, &b, &asked_n), 3);
    CHECK(copy.h->root == 7 && copy.h->number == 11);
    CHECK_EQ(mend_spawn_copy(mine.h, sizeof(*mine.h) - 1, &copy), -1);
    free(b);
    mend_spawn_unmap(&mine);
    mend_spawn_unmap(&copy);
    close(fd);
    close(copy_fd);
}

MEND_TEST(seats_are_read)
{
    struct mend_spawn_file f;
    int fd = mend_spawn_write(lost, 2, 0, 1, &f);
    struct mend_seat *s = mend_spawn_seats(&f, 2);

    CHECK(s && s[0].dead == 9 && s[0].rank == 1 && s[1].dead == 4 && s[1].rank == 3);
    free(s);
    CHECK(!mend_spawn_seats(&f, 3));
    mend_spawn_unmap(&f);
    close(fd);
    fd = mend_spawn_write(asked, MEND_COUNT_OF(asked), 0, 1, &f);
    CHECK(!mend_spawn_seats(&f, 5)); /* they replace nobody */
    mend_spawn_unmap(&f);
    close(fd);
}

/* Whatever a byte becomes, the request is refused or read from within the file (a sanitizer sees the rest). */
static void damage(const struct mend_spawn_block *blocks, int n)
{
    struct mend_spawn_file f, copy;
    int fd = mend_spawn_write(blocks, n, 0, 1, &f), refused = 0;

    copy = (struct mend_spawn_file){malloc(f.bytes), f.bytes};
    for (size_t i = 0; i < f.bytes; i++)
        for (int bit = 0; bit < 8; bit++) {
            struct mend_spawn_block *b = NULL;
            uint32_t asked_n;

            memcpy(copy.h, f.h, f.bytes);
            ((char *)copy.h)[i] ^= (char)(1 << bit);
            if (mend_spawn_read(&copy, &b, &asked_n) < 0)
                refused++;
            else
                free(b);
        }
    CHECK(refused > 100);
    free(copy.h);
    mend_spawn_unmap(&f);
    close(fd);
}

MEND_TEST(damage_is_refused_or_harmless)
{
    damage(asked, MEND_COUNT_OF(asked));
    damage(lost, MEND_COUNT_OF(lost));
}

MEND_TEST(other_files_are_refused)
{
    struct mend_spawn_file f;
    int fd = memfd_create("other", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    CHECK(fd >= 0 && ftruncate(fd, 4096) == 0);
    CHECK(!mend_spawn_map(&f, fd, false)); /* not sealed */
    CHECK(!mend_spawn_map(&f, -1, false));
    close(fd);
}

MEND_TEST(too_long_a_request_is_refused)
{
    struct mend_spawn_block b = {.asked_n = 1 << 30, .command = "x"};
    struct mend_spawn_file f;

    CHECK_EQ(mend_spawn_write(&b, 1, 0, 0, &f), -1);
}

MEND_TEST(soft_numbers)
{
    CHECK_EQ(mend_spawn_soft("1:8", 5), 5);
    CHECK_EQ(mend_spawn_soft("2:10:2", 5), 4);
    CHECK_EQ(mend_spawn_soft("10:2:-4", 9), 6);
    CHECK_EQ(mend_spawn_soft("10:2:-4", 6), 6);
    CHECK_EQ(mend_spawn_soft("10:2:-4", 5), 2);
    CHECK_EQ(mend_spawn_soft("10:2:-4", 1), -1);
    CHECK_EQ(mend_spawn_soft("10:2:-4", 10), 10);
    CHECK_EQ(mend_spawn_soft("2147483647:0:-1", 5), 5);
    CHECK_EQ(mend_spawn_soft("1,3,7", 6), 3);
    CHECK_EQ(mend_spawn_soft("0", 9), 0);
    CHECK_EQ(mend_spawn_soft("4:2147483647", 100), 100);
    CHECK_EQ(mend_spawn_soft("7", 6), -1);
    CHECK_EQ(mend_spawn_soft("1:2:0", 6), -1);
    CHECK_EQ(mend_spawn_soft("1;2", 6), -1);
    CHECK_EQ(mend_spawn_soft("", 6), -1);
    CHECK_EQ(mend_spawn_soft("3,", 6), -1);
}

MEND_TEST_MAIN()
