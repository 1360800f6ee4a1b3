/* SPDX-License-Identifier: BSD-3-Clause */
/* options_test.c – an agent of another host makes the same of a command line as mpiexec, although its disk has other files:
 * what mpiexec gives it is enough.
 *
 * This process is mpiexec, and has a child for each agent, in a folder where the files are not there any more.  Six ranks of two
 * blocks are on three nodes: sh on 0 and 1, ./tool on 1 and 2. */
#include "command/options.h"

#include "base/test.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NODES_N 3
#define RANKS_N 6

#define INJECTION "note:random@call:MPI_Send"

static int cores_n = 2;

/* In place of bind.c. */
void mend_topology_read(struct mend_topology *t)
{
    t->n = cores_n;
    for (int i = 0; i < t->n; i++)
        t->cpu[i] = (struct mend_cpu){.cpu = i, .unit = {i, i, i, i, 0, 0, 0, 0}};
}

static char *line[] = {(char *)"mpiexec",     (char *)"--machines", (char *)"3",
                       (char *)"-f",          (char *)"hosts",      (char *)"--inject",
                       (char *)INJECTION,     (char *)"--inject",   (char *)INJECTION,
                       (char *)"-configfile", (char *)"jobs",       NULL};
static struct mend_options root;
static char folder[] = "/tmp/mend-options-XXXXXX";

static void write_file(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");

    CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
    CHECK(chmod(name, 0700) == 0);
}

static void read_as_mpiexec(void)
{
    CHECK(mkdtemp(folder) && chdir(folder) == 0);
    write_file("hosts", "localhost slots=6 # all\n");
    write_file("jobs", "-n 3 sh -c true\n-n 3 ./tool\n");
    write_file("tool", "#!/bin/sh\n");
    mend_options_parse((int)MEND_COUNT_OF(line) - 1, line, &root);
    CHECK(unlink("hosts") == 0 && unlink("jobs") == 0 && unlink("tool") == 0);
}

/* In a process of its own, which an error ends.  Returns its status; *text: what it has said. */
static int read_as_agent(struct mend_given_bytes given, int node,
                         void look(const struct mend_options *o), char text[1024])
{
    int status, fd[2];
    size_t len = 0;
    ssize_t n;
    pid_t pid;

    CHECK(pipe(fd) == 0);
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        struct mend_options o = {.given = given, .node = node};

        dup2(fd[1], 2);
        mend_options_parse((int)MEND_COUNT_OF(line) - 1, line, &o);
        look(&o);
        _exit(0);
    }
    close(fd[1]);
    while ((n = read(fd[0], text + len, 1023 - len)) > 0)
        len += (size_t)n;
    text[len] = '\0';
    close(fd[0]);
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void is_as_root(const struct mend_options *o)
{
    CHECK_EQ(o->ranks_n, root.ranks_n);
    CHECK(!memcmp(o->node_of, root.node_of, RANKS_N * sizeof(int)));
    CHECK_EQ(o->hosts.n, root.hosts.n);
    CHECK_EQ(o->apps_n, 2);
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(o->apps[i].ranks_n, root.apps[i].ranks_n);
        CHECK_STR(o->apps[i].argv[0], root.apps[i].argv[0]);
    }
    CHECK(o->apps[0].path);
    CHECK_EQ(o->injections_n, 2);
    for (int i = 0; i < 2; i++)
        CHECK_STR(o->injections[i].said, root.injections[i].said);
}

MEND_TEST(as_mpiexec)
{
    static const int expected[RANKS_N] = {0, 0, 1, 1, 2, 2};

    read_as_mpiexec();
    CHECK_EQ(root.ranks_n, RANKS_N);
    CHECK(!memcmp(root.node_of, expected, sizeof(expected)));
    CHECK(root.given.at);
}

/* Node 0 has no ranks of the program that is not there. */
MEND_TEST(same_without_files)
{
    char text[1024];

    CHECK_EQ(read_as_agent(root.given, 0, is_as_root, text), 0);
    CHECK_STR(text, "");
}

MEND_TEST(program_is_missing)
{
    char text[1024];

    for (int node = 1; node < NODES_N; node++) {
        CHECK_EQ(read_as_agent(root.given, node, is_as_root, text), 127);
        CHECK_STR(text, "mpiexec: ./tool: No such file or directory\n");
    }
    write_file("tool", "#!/bin/sh\n");
    for (int node = 0; node < NODES_N; node++)
        CHECK_EQ(read_as_agent(root.given, node, is_as_root, text), 0);
    CHECK(unlink("tool") == 0);
}

MEND_TEST(file_is_missing)
{
    struct mend_options without = root;
    struct mend_given_bytes given;
    char text[1024];

    without.texts.n = 1;
    given = mend_given_encode(&without);
    CHECK_EQ(read_as_agent(given, 0, is_as_root, text), 2);
    CHECK_STR(text, "mpiexec: -configfile jobs: mpiexec has not sent this file\n");
    free(given.at);
}

/* As if the file of the blocks said this. */
static int read_other_blocks(const char *blocks, int node, char text[1024])
{
    struct mend_text texts[2] = {root.texts.at[0], root.texts.at[1]};
    struct mend_options other = root;
    struct mend_given_bytes given;
    int status;

    texts[1].text = (char *)blocks;
    other.texts.at = texts;
    given = mend_given_encode(&other);
    status = read_as_agent(given, node, is_as_root, text);
    free(given.at);
    return status;
}

/* They may be on any node. */
MEND_TEST(program_of_spares_is_missing)
{
    char text[1024];

    CHECK_EQ(read_other_blocks("-n 3 sh -c true\n-n 3 --spares 1 ./tool\n", 0, text), 127);
    CHECK_STR(text, "mpiexec: ./tool: No such file or directory\n");
    CHECK_EQ(read_other_blocks("-n 3 sh -c true\n-n 3 --copies ./tool\n", 0, text), 127);
}

/* Each host counts its own. */
MEND_TEST(cores)
{
    static const char *const blocks = "--nooversubscribe -n 3 sh -c true\n-n 3 ./tool\n";
    char text[1024];

    CHECK_EQ(read_other_blocks(blocks, 0, text), 0);
    cores_n = 1;
    CHECK_EQ(read_other_blocks(blocks, 0, text), 2);
    CHECK_STR(
        text,
        "mpiexec: --nooversubscribe: 2 ranks are more than the 1 cores that this job may use\n");
    cores_n = 2;
}

MEND_TEST(other_blocks)
{
    struct mend_options fewer = root;
    struct mend_given_bytes given;
    char text[1024];

    fewer.apps_n = 1;
    fewer.ranks_n = 3;
    given = mend_given_encode(&fewer);
    CHECK_EQ(read_as_agent(given, 0, is_as_root, text), 2);
    CHECK_STR(text, "mpiexec: mpiexec has 1 blocks, and its command line makes 2 here\n");
    free(given.at);
}

MEND_TEST(damaged)
{
    struct mend_given_bytes less = {root.given.at, root.given.len - 1};
    char text[1024];

    CHECK_EQ(read_as_agent(less, 0, is_as_root, text), 2);
    CHECK_STR(text, "mpiexec: what mpiexec has sent about the job is damaged\n");
    CHECK_EQ(read_as_agent(root.given, NODES_N, is_as_root, text), 2);
    CHECK(chdir("/") == 0 && rmdir(folder) == 0);
}

MEND_TEST_MAIN()
