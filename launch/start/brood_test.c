/* SPDX-License-Identifier: BSD-3-Clause */
/* brood_test.c – agents that do not come, and some that do: a shell stands in for ssh, and this program for a forked agent. */
#include "start/brood.h"

#include "base/test.h"
#include "base/time.h"
#include "share/process.h"
#include "start/ways.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAR     1 /* by ssh */
#define NEAR    2 /* forked */
#define NODES   3
#define LATE_NS (300 * MEND_NS_PER_MS)

/* The owner, which ends the loop. */
static struct {
    int failures_n, node;
    enum mend_brood_failure what;
    char sentence[512];
    bool knows;      /* its look, which comes before that of the brood, has found a failure */
    bool to_the_end; /* the loop runs until no process is left, else until it knows */
} seen;

static struct mend_host host[NODES] = {{.here = true}, {.name = "m2"}, {.here = true}};
static struct mend_options options = {.hosts = {.at = host, .n = NODES}};
static struct mend_process before;
static struct mend_letter pattern;
static struct mend_loop loop;
static struct mend_brood brood;

static void on_failure(void *self, int node, enum mend_brood_failure what, int status,
                       const char *sentence)
{
    (void)self;
    (void)status;
    seen.failures_n++;
    seen.node = node;
    seen.what = what;
    snprintf(seen.sentence, sizeof(seen.sentence), "%s", sentence ? sentence : "");
}

static void on_words(void *self, int node, const char *line)
{
    (void)self;
    CHECK_EQ(node, FAR);
    snprintf(seen.sentence, sizeof(seen.sentence), "%s", line);
}

static void no_event(void *self, uint32_t from, uint32_t of)
{
    (void)self;
    (void)from;
    (void)of;
}

static mend_time_ns look(void *self, mend_time_ns now)
{
    (void)self;
    (void)now;
    seen.knows = seen.failures_n > 0;
    return MEND_TIME_NEVER;
}

static bool is_done(void *self)
{
    siginfo_t ended;

    (void)self;
    return seen.to_the_end ? waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) < 0 : seen.knows;
}

/* As mpiexec: a reader that ends does not end the writer. */
__attribute__((constructor)) static void prepare(void)
{
    mend_process_prepare(&before);
}

/* script: what runs in the place of ssh; it gets the words of ssh, too. */
static void open_brood(const char *script, mend_time_ns timeout_ns)
{
    options.remote.ssh = (struct mend_strings){0};
    mend_strings_add(&options.remote.ssh, (char *)"/bin/sh");
    mend_strings_add(&options.remote.ssh, (char *)"-c");
    mend_strings_add(&options.remote.ssh, (char *)script);
    options.remote.agent = "/opt/mpiexec";
    options.remote.connect_timeout_ns = timeout_ns;
    pattern = (struct mend_letter){.nodes_n = NODES,
                                   .job = 77,
                                   .parent_host = "m1",
                                   .user = "",
                                   .wdir = "/",
                                   .given = (const unsigned char *)"",
                                   .ancestors_n = 1};
    mend_strings_add(&pattern.argv, (char *)"mpiexec");
    memset(&seen, 0, sizeof(seen));
    loop = (struct mend_loop){0};
    CHECK(mend_loop_open(&loop));
    mend_loop_join(&loop,
                   (struct mend_loop_member){.event = no_event, .look = look, .is_done = is_done});
    mend_brood_open(&brood, &loop, &options, &before, &pattern,
                    (struct mend_brood_owner){.fail = on_failure, .tell = on_words});
}

static void close_brood(void)
{
    mend_brood_close(&brood);
    close(loop.epoll_fd);
    close(loop.timer_fd);
    free(options.remote.ssh.at);
    free(pattern.argv.at);
    CHECK(waitpid(-1, NULL, WNOHANG) < 0); /* no process is left */
}

/* Runs until the brood has reaped the process of the agent, which ends by itself. */
static void run_to_its_end(void)
{
    seen.to_the_end = true;
    mend_loop_run(&loop);
    seen.to_the_end = false;
}

static void check_failure(int node, enum mend_brood_failure what, const char *part)
{
    CHECK_EQ(seen.failures_n, 1);
    CHECK_EQ(seen.node, node);
    CHECK_EQ(seen.what, what);
    if (!strstr(seen.sentence, part))
        CHECK_STR(seen.sentence, part);
}

/* ---- letters ---- */

/* The forked agent is this program.  It ends when it has its letter. */
__attribute__((constructor)) static void be_agent(int argc, char **argv)
{
    const struct mend_build mine = mend_build_of_this();
    struct mend_letter l;
    char *why;

    if (argc != 2 || strcmp(argv[1], "--agent") != 0)
        return;
    if (mend_letter_read(0, &mine, &l, &why) && l.node == NEAR && !l.by_ssh && l.input_fd)
        _exit(0);
    for (;;)
        pause();
}

/* A reader that takes it from the pipe bit by bit, and the pipe has room for a small part. */
MEND_TEST(a_long_letter_arrives_whole)
{
    static unsigned char given[1 << 20];
    const struct mend_build mine = mend_build_of_this();
    char path[] = "/tmp/brood_test.XXXXXX", *script, *why;
    struct mend_letter got;
    int fd = mkstemp(path);

    CHECK(fd >= 0);
    for (size_t i = 0; i < sizeof(given); i++)
        given[i] = (unsigned char)(i % 251);
    script = mend_xprintf(
        "exec >%s; read -r letter build version of n; echo $letter $build $version $of $n; "
        "dd bs=1000 iflag=fullblock count=$((n / 1000)) 2>/dev/null; "
        "dd bs=1 count=$((n %% 1000 + 32)) 2>/dev/null; exit 3",
        path);
    open_brood(script, 60 * MEND_NS_PER_S);
    brood.pattern.given = given;
    brood.pattern.given_n = sizeof(given);
    CHECK(mend_brood_start(&brood, FAR));
    mend_loop_run(&loop);
    check_failure(FAR, MEND_BROOD_NOT_COME, "no agent on m2: it has ended with status 3");
    CHECK(mend_letter_read(fd, &mine, &got, &why));
    CHECK_EQ(got.node, FAR);
    CHECK_EQ(got.job, 77);
    CHECK_EQ(got.by_ssh, 1);
    CHECK_STR(got.host, "m2");
    CHECK_EQ(got.given_n, sizeof(given));
    CHECK(!memcmp(got.given, given, sizeof(given)));
    close(fd);
    unlink(path);
    free(script);
    close_brood();
}

/* ---- before the call ---- */

MEND_TEST(the_end_before_the_call)
{
    open_brood("echo Welcome; echo 'ssh: connect to host m2 port 22: No route to host'; exit 255",
               60 * MEND_NS_PER_S);
    CHECK(mend_brood_start(&brood, FAR));
    mend_loop_run(&loop);
    check_failure(FAR, MEND_BROOD_NOT_COME, "no agent on m2: ssh says: connect to host m2");
    close_brood();
}

MEND_TEST(too_late_for_the_call)
{
    mend_time_ns begun = mend_time_monotonic_ns();

    open_brood("exec sleep 1000", LATE_NS);
    CHECK(mend_brood_start(&brood, FAR));
    mend_loop_run(&loop);
    CHECK(mend_time_monotonic_ns() - begun >= LATE_NS);
    check_failure(FAR, MEND_BROOD_NOT_COME, "no agent on m2: it has not called within the time");
    close_brood();
}

/* Its end is the end of an agent, whatever that has been told. */
MEND_TEST(the_end_of_a_forked_one)
{
    open_brood("exit 1", LATE_NS);
    CHECK(mend_brood_start(&brood, NEAR));
    mend_brood_called(&brood, NEAR);
    mend_loop_run(&loop);
    check_failure(NEAR, MEND_BROOD_ENDED, "");
    close_brood();
}

/* ---- behind it ---- */

MEND_TEST(the_end_of_ssh_behind_the_call)
{
    open_brood("echo 'mpiexec: the disk is full'; exit 2", 60 * MEND_NS_PER_S);
    CHECK(mend_brood_start(&brood, FAR));
    mend_brood_called(&brood, FAR);
    run_to_its_end();
    CHECK_EQ(seen.failures_n, 0);
    mend_brood_await_excuse(&brood, FAR); /* now its connection has ended, too */
    check_failure(FAR, MEND_BROOD_NOT_COME, "ended before it was ready: the disk is full");
    close_brood();
}

MEND_TEST(the_end_of_ssh_behind_the_connection)
{
    open_brood("echo 'mpiexec: the disk is full'; exit 2", 60 * MEND_NS_PER_S);
    CHECK(mend_brood_start(&brood, FAR));
    mend_brood_called(&brood, FAR);
    mend_brood_await_excuse(&brood, FAR);
    mend_loop_run(&loop);
    check_failure(FAR, MEND_BROOD_NOT_COME, "no agent on m2: the disk is full");
    close_brood();
}

/* It has called, and gets no lease. */
MEND_TEST(too_late_for_being_ready)
{
    open_brood("exec sleep 1000", LATE_NS);
    CHECK(mend_brood_start(&brood, FAR));
    mend_brood_called(&brood, FAR);
    mend_loop_run(&loop);
    check_failure(FAR, MEND_BROOD_NOT_READY, "");
    close_brood();
}

/* Nothing counts any more: not the end of ssh, not the time, not the end of the connection. */
MEND_TEST(ready_ones_do_not_fail)
{
    open_brood("exit 2", LATE_NS);
    CHECK(mend_brood_start(&brood, FAR));
    mend_brood_called(&brood, FAR);
    mend_brood_ready(&brood, FAR);
    run_to_its_end();
    mend_brood_await_excuse(&brood, FAR);
    CHECK_EQ(loop.member[brood.member].look(&brood, mend_time_monotonic_ns() + 10 * LATE_NS),
             MEND_TIME_NEVER);
    CHECK(mend_brood_start(&brood, NEAR));
    mend_brood_called(&brood, NEAR);
    mend_brood_ready(&brood, NEAR);
    run_to_its_end();
    CHECK_EQ(seen.failures_n, 0);
    close_brood();
}

/* What a login prints is for an excuse only.  Later lines are told, and the last of them, at the end, without a newline. */
MEND_TEST(what_a_ready_one_says)
{
    open_brood("echo Welcome; echo " MEND_WAY_READY "; seq 90; printf 'last word'; exit 0",
               60 * MEND_NS_PER_S);
    CHECK(mend_brood_start(&brood, FAR));
    mend_brood_called(&brood, FAR);
    mend_brood_ready(&brood, FAR);
    run_to_its_end();
    mend_brood_end(&brood, FAR, false);
    CHECK_EQ(seen.failures_n, 0);
    CHECK_STR(seen.sentence, "last word");
    close_brood();
}

/* A connection that is made again: its end before needs no excuse. */
MEND_TEST(one_that_calls_again)
{
    open_brood("exec sleep 1000", 600 * MEND_NS_PER_S);
    CHECK(mend_brood_start(&brood, FAR));
    mend_brood_called(&brood, FAR);
    mend_brood_await_excuse(&brood, FAR);
    mend_brood_called(&brood, FAR);
    loop.member[brood.member].look(&brood, mend_time_monotonic_ns() + 500 * MEND_NS_PER_S);
    CHECK_EQ(seen.failures_n, 0);
    mend_brood_end(&brood, FAR, true);
    close_brood();
}

/* To one that others have started nothing happens. */
MEND_TEST(others_are_unknown)
{
    open_brood("exit 1", LATE_NS);
    mend_brood_called(&brood, FAR);
    mend_brood_ready(&brood, FAR);
    mend_brood_await_excuse(&brood, FAR);
    mend_brood_end(&brood, FAR, false);
    CHECK(!mend_brood_has_child(&brood, getpid()));
    CHECK_EQ(seen.failures_n, 0);
    close_brood();
}

MEND_TEST_MAIN()
