/* SPDX-License-Identifier: BSD-3-Clause */
/* ways_test.c – what ssh is called with, what its end means, and what a new agent takes over of mpiexec. */
#include "start/settle.h"
#include "start/ways.h"

#include "base/test.h"

#include <stdlib.h>
#include <string.h>

static struct mend_strings ssh;

static struct mend_errand to_m2(void)
{
    return (struct mend_errand){
        .host = "m2", .program = "/opt/mend/bin/mpiexec", .ssh = &ssh, .connect_s = 7};
}

static void check_words(const struct mend_errand *what, const char *expected)
{
    struct mend_strings words = mend_way_ssh_words(what);
    char text[512] = "";

    for (int i = 0; i < words.n; i++) {
        strcat(strcat(text, i ? "|" : ""), words.at[i]);
        free(words.at[i]);
    }
    free(words.at);
    CHECK_STR(text, expected);
}

/* The secret is in none of the words, and the login shell sees one path. */
MEND_TEST(the_words_of_ssh)
{
    struct mend_errand what = to_m2();
    struct mend_strings other = {0};

    mend_strings_add(&other, (char *)"/usr/bin/ssh");
    mend_strings_add(&other, (char *)"-p");
    mend_strings_add(&other, (char *)"2222");
    check_words(&what, "ssh|-x|-oBatchMode=yes|-oConnectTimeout=7|--|m2|"
                       "'/opt/mend/bin/mpiexec' --agent");
    what.user = "ann";
    what.ssh = &other;
    what.program = "/home/ann's mend/mpiexec";
    check_words(&what, "/usr/bin/ssh|-p|2222|-x|-oBatchMode=yes|-oConnectTimeout=7|-lann|--|m2|"
                       "'/home/ann'\\''s mend/mpiexec' --agent");
}

static void check_excuse(int code, const char *said, const char *part, const char *advice)
{
    const struct mend_errand what = to_m2();
    char *text = mend_way_excuse(MEND_WAY_ssh, &what, code < 0 ? -1 : code << 8, said);

    if (!strstr(text, part) || !strstr(text, advice) || strchr(text, '\n'))
        CHECK_STR(text, part);
    free(text);
}

MEND_TEST(each_excuse_has_host_reason_and_advice)
{
    check_excuse(255, "ssh: Could not resolve hostname m2: Name or service not known",
                 "no agent on m2: ssh says: Could not resolve hostname m2", "check the name");
    check_excuse(255, "ann@m2: Permission denied (publickey,password).", "Permission denied",
                 "'ssh-copy-id m2'");
    check_excuse(255, "Host key verification failed.", "Host key verification failed",
                 "'ssh m2 true' once by hand");
    check_excuse(255, "ssh: connect to host m2 port 22: Connection refused", "refused",
                 "no ssh server");
    check_excuse(255, "ssh: connect to host m2 port 22: Connection timed out", "timed out",
                 "firewall");
    check_excuse(255, "a text of tomorrow's ssh", "a text of tomorrow's ssh", "'ssh m2 true'");
    check_excuse(255, "", "ssh says nothing", "if 'ssh m2 true' works, the agent was killed there");
    check_excuse(127, "bash: line 1: /opt/mend/bin/mpiexec: No such file or directory",
                 "there is no /opt/mend/bin/mpiexec", "--prefix");
    check_excuse(127, "mpiexec: ./program: No such file or directory",
                 "./program: No such file or directory on m2, where a rank", "");
    check_excuse(2, "mpiexec: m2 has Mend 1.3", "no agent on m2: m2 has Mend 1.3", "");
    check_excuse(1, "", "status 1", "'ssh m2 /opt/mend/bin/mpiexec --version'");
    check_excuse(-1, "", "has not called within the time", "--connect-timeout");
    check_excuse(-1, "Enter passphrase", "the last that was said: Enter passphrase", "by hand");
}

MEND_TEST(an_agent_that_was_there_is_not_late)
{
    struct mend_errand what = to_m2();
    char *text;

    what.called = true;
    text = mend_way_excuse(MEND_WAY_ssh, &what, -1, "mpiexec: the disk is full");
    CHECK_STR(text, "no agent on m2: it had called, and its connection has ended before it was "
                    "ready: the disk is full");
    free(text);
}

MEND_TEST(the_exit_status_for_a_program)
{
    CHECK_EQ(mend_way_exit_status(127 << 8, "mpiexec: ./p: No such file or directory"), 127);
    CHECK_EQ(mend_way_exit_status(126 << 8, "mpiexec: ./p: not a program"), 126);
    CHECK_EQ(mend_way_exit_status(127 << 8, "bash: /opt/mend/bin/mpiexec: No such file"), 0);
    CHECK_EQ(mend_way_exit_status(2 << 8, "mpiexec: m2 has Mend 1.3"), 0);
    CHECK_EQ(mend_way_exit_status(127, "mpiexec: ./p: No such file or directory"), 0);
    CHECK_EQ(mend_way_exit_status(-1, "mpiexec: ./p: No such file or directory"), 0);
}

static const char *said(struct mend_said *s, const char *bytes)
{
    mend_way_hear(s, bytes, strlen(bytes));
    return mend_way_said(s);
}

MEND_TEST(one_line_is_kept)
{
    struct mend_said s = {0}, t = {0}, u = {0};
    char lo[3000];

    CHECK_STR(mend_way_said(&s), "");
    CHECK_STR(said(&s, "Welcome to m2!. \r\n\r\n"), "Welcome to m2!");
    CHECK_STR(said(&s, "half a"), "half a");
    mend_way_hear(&t, "mpiexec: the rea", 16);
    mend_way_hear(&t, "son\nConnection closed.\n", 23);
    CHECK_STR(mend_way_said(&t), "mpiexec: the reason");
    memset(lo, 'x', sizeof(lo));
    mend_way_hear(&u, lo, sizeof(lo));
    CHECK_EQ(strlen(mend_way_said(&u)), sizeof(u.line) - 1);
}

static void collect(void *self, const char *line)
{
    strcat(strcat(self, line), "|");
}

/* Those before are kept, those behind are passed on, in whole lines and as often as allowed. */
MEND_TEST(lines_of_an_agent_that_is_ready)
{
    char text[8192] = "";
    struct mend_said s = {.tell = collect, .self = text};

    CHECK_STR(said(&s, "Welcome\n" MEND_WAY_READY "\nfree(): inv"), "Welcome");
    CHECK_STR(text, "free(): inv|");
    mend_way_hear(&s, "alid size.\r\n\n x \n", 17);
    CHECK_STR(text, "free(): inv|alid size.| x|");
    for (int i = 0; i < 1000; i++)
        mend_way_hear(&s, "again\n", 6);
    CHECK_EQ(strlen(text), strlen("free(): inv|alid size.| x|") + (MEND_WAY_LINES - 3) * 6 +
                               strlen("(more is said, and is not shown here)|"));
}

/* ---- what the agent takes over ---- */

static void check_env(const char *user_here, const char *expected)
{
    static char *sent[] = {(char *)"A=1",         (char *)"HOME=/home/ann",
                           (char *)"DISPLAY=:0",  (char *)"SSH_AUTH_SOCK=/tmp/s",
                           (char *)"HOSTNAME=m1", (char *)"HOSTNAMES=b",
                           (char *)"PWD=/x",      (char *)"_=/bin/mpiexec"};
    static char *here[] = {(char *)"A=2",
                           (char *)"B=2",
                           (char *)"HOME=/root",
                           (char *)"HOSTNAME=m2",
                           (char *)"SSH_CONNECTION=c",
                           NULL};
    struct mend_letter l = {.user = "ann", .env = {.at = sent, .n = MEND_COUNT_OF(sent)}};
    struct mend_strings env = mend_settle_env(&l, here, user_here);
    char text[512] = "";

    for (int i = 0; i < env.n; i++)
        strcat(strcat(text, i ? "|" : ""), env.at[i]);
    CHECK_STR(text, expected);
    free(env.at);
}

/* All of mpiexec's but what belongs to its session, or to another account. */
MEND_TEST(the_environment)
{
    check_env("ann", "A=1|HOME=/home/ann|HOSTNAMES=b|PWD=/x|HOSTNAME=m2|SSH_CONNECTION=c");
    check_env("root", "A=1|HOSTNAMES=b|PWD=/x|HOME=/root|HOSTNAME=m2|SSH_CONNECTION=c");
}

MEND_TEST(the_addresses_that_ssh_says)
{
    struct mend_address client, server;
    char text[MEND_ADDRESS_TEXT];

    CHECK(mend_settle_ends("10.9.0.1 40022 10.9.0.2 22", &client, &server));
    CHECK_STR(mend_address_text(&client, text), "10.9.0.1");
    CHECK_STR(mend_address_text(&server, text), "10.9.0.2");
    CHECK(mend_settle_ends("fd00::1 40022 fd00::2 22", &client, &server));
    CHECK_STR(mend_address_text(&server, text), "fd00::2");
    CHECK(!mend_settle_ends(NULL, &client, &server));
    CHECK(!mend_settle_ends("UNKNOWN 65535 UNKNOWN 65535", &client, &server));
    CHECK(!mend_settle_ends("10.9.0.1", &client, &server));
    CHECK(!mend_settle_ends("fe80::1%eth0 1 fe80::2%eth0 22", &client, &server));
}

MEND_TEST_MAIN()
