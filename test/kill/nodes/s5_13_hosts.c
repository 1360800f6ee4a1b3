/* SPDX-License-Identifier: BSD-3-Clause */
/* The hint `host` of MPI_Comm_spawn, in a job of three nodes of one machine, which have numbers (node:1) and the machine's names: where the
 * processes are, each block of MPI_Comm_spawn_multiple by itself; a host that is not there, is full, or is lost, also while processes
 * are being started on it.  Nothing is started then, nothing is lost, and the next request is carried out.
 *
 * Arguments: what happens; a seed of the time.
 *
 *   S5-13: processes are created and connected across nodes, on living ones with room */
/* RUN: -n 6 ; set MACHINES=3 ; args where ; expect "rank 0 ok" ; expect "rank 5 ok" */
/* RUN: -n 6 ; set MACHINES=3 ; args refused ; expect "rank 0 ok" ; expect "rank 5 ok" */
/* RUN: -n 6 --host localhost:9 -ppn 2 ; set MACHINES=3 ; args full ; expect "rank 0 ok" ; expect "rank 5 ok" */
/* RUN: -n 6 --lenient-exit ; set MACHINES=3 ; args lost ; expect "rank 0 ok" ; expect "rank 3 ok" */
/* RUN: -n 6 --lenient-exit ; set MACHINES=3 ; args meanwhile {n} ; expect "rank 0 ok" ; expect "rank 3 ok" ; times 24 */
/* RUN: -n 6 --lenient-exit ; set MACHINES=3 ; args replace ; expect "rank 0 ok" ; expect "rank 3 ok" */
#include "on_host.h"
#include "kill_agent.h"

enum { PER_NODE = 2 };
enum { READY };

static char *program;
static int agent[8]; /* of each node */
static MPI_Comm c;

/* The nodes of the children, as digits in their order. */
static void check_nodes(const char *digits)
{
    char text[CHILDREN_MAX + 1] = "";
    int me;

    MPI_Comm_rank(c, &me);
    for (int i = 0; me == 0 && i < children_n; i++)
        for (int k = 0; k < size / PER_NODE; k++)
            if (place[i].agent == agent[k])
                text[i] = (char)('0' + k);
    if (me == 0 && strcmp(text, digits) != 0) {
        printf("%d children, '%s' and not '%s'\n", children_n, text, digits);
        fflush(stdout);
        CHECK(false);
    }
}

static void check_start(int root, int n, const char *host, const char *digits)
{
    CHECK_EQ(start_on(c, root, program, n, host, NULL), MPI_SUCCESS);
    check_nodes(digits);
}

static void find_agents(void)
{
    struct place mine = my_place(), all[64];

    CHECK_EQ(MPI_Allgather(&mine, sizeof(mine), MPI_BYTE, all, sizeof(mine), MPI_BYTE, c),
             MPI_SUCCESS);
    for (int k = 0; k < size / PER_NODE; k++)
        agent[k] = all[k * PER_NODE].agent;
    post(READY);
}

static void where(void)
{
    static const int n[] = {1, 2, 1, 2};
    static const char *const hosts[] = {"node:2", "node:0", "node:1,node:2", NULL};
    char own[64] = "";

    gethostname(own, sizeof(own) - 1);
    for (int root = 0; root < size; root += 3) {
        check_start(root, 2, "node:2", "22");
        check_start(root, 3, "node:1", "111");
        check_start(root, 4, "node:2,node:0", "2200");
        check_start(root, 3, "node:1, node:2, node:1", "112");
        check_start(root, 3, "localhost", "012"); /* the machine has three nodes */
        check_start(root, 6, own, "001122");
    }
    CHECK_EQ(start_blocks(c, program, 3, n, hosts), MPI_SUCCESS);
    check_nodes("2001");
    CHECK_EQ(start_blocks(c, program, 4, n, hosts), MPI_SUCCESS);
    CHECK_EQ(children_n, 6);
}

static void refused(void)
{
    static const int n[] = {1, 2};
    static const char *const hosts[] = {"node:1", "elsewhere"};
    char own[64] = "", words[200];

    gethostname(own, sizeof(own) - 1);
    snprintf(words, sizeof(words), "host 'elsewhere' is not in this job, which runs on %s", own);
    for (int root = 0; root < size; root += 3) {
        check_refused(c, root, start_on(c, root, program, 2, "elsewhere", NULL), words);
        check_refused(c, root, start_on(c, root, program, 2, "node:1,elsewhere", NULL), words);
        check_refused(c, root, start_on(c, root, program, 2, "elsewhere", "0:2"), words);
    }
    check_refused(c, 0, start_on(c, 0, program, 1, "node:3", NULL), "host 'node:3' is not");
    check_refused(c, 0, start_on(c, 0, program, 1, "localhost:x", NULL), "'x' is not a number");
    check_refused(c, 0, start_blocks(c, program, 2, n, hosts), words);
    CHECK_CLASS(start_on(c, 0, program, 1, " , ", NULL), MPI_ERR_INFO_VALUE);
    check_start(0, 2, "node:1", "11");
}

/* Each node has one slot more. */
static void full(void)
{
    static const int n[] = {1, 1, 1};
    static const char *const one[] = {NULL, NULL, "node:0"}, *const two[] = {"node:1", NULL,
                                                                             "node:1"};

    check_refused(c, 0, start_on(c, 0, program, 2, "node:1", NULL),
                  "on 'node:1' there is room for 1 more process, not for 2");
    check_refused(c, 0, start_blocks(c, program, 3, n, two),
                  "on 'node:1' there is room for 0 more processes, not for 1");
    CHECK_EQ(start_on(c, 0, program, 5, "node:1,node:2", "1:5"), MPI_SUCCESS);
    check_nodes("12");
    CHECK_EQ(codes[1], MPI_SUCCESS);
    CHECK_EQ(codes[2], MPI_ERR_SPAWN);
    CHECK_EQ(start_blocks(c, program, 3, n, one), MPI_SUCCESS);
    check_nodes("120");
    check_start(0, 1, "node:1", "1"); /* those before have left */
}

/* ---- a node is lost ---- */

static void go_on_without_last(void)
{
    MPI_Comm rest;

    wait_until_dead(c, size - 1);
    CHECK_EQ(MPIX_Comm_shrink(c, &rest), MPI_SUCCESS);
    MPI_Comm_set_errhandler(rest, MPI_ERRORS_RETURN);
    c = rest;
}

static void check_lost(void)
{
    for (int root = 0; root < size - PER_NODE; root += 3) {
        check_refused(c, root, start_on(c, root, program, 2, "node:2", NULL),
                      "host 'node:2' is lost; this job runs on");
        check_refused(c, root, start_on(c, root, program, 2, "node:1,node:2", NULL),
                      "host 'node:2' is lost");
        check_start(root, 3, "node:1", "111");
        check_start(root, 4, "localhost", "0011"); /* what is left of the machine */
    }
}

static void lost(void)
{
    if (rank == size - 1) {
        await(READY, size);
        signal_own_agent(SIGKILL);
    }
    go_on_without_last();
    check_lost();
}

/* The node on which the processes are started is lost at some time of that. */
static void meanwhile(void)
{
    pthread_t thread;
    int rc;

    if (rank == size - 1) {
        await(READY, size);
        CHECK(pthread_create(&thread, NULL, kill_agent, NULL) == 0);
    }
    do
        rc = start_on(c, 0, program, 3, "node:2,node:1", NULL);
    while (rc == MPI_SUCCESS);
    CHECK(rc == MPI_ERR_PROC_FAILED || rc == MPI_ERR_SPAWN);
    go_on_without_last();
    check_lost();
}

/* Replacements are where there is room, whatever hosts were named before. */
static void replace(MPI_Comm whole)
{
    int one = 1, sum = 0;

    if (whole == MPI_COMM_NULL) {
        check_start(0, 2, "node:2", "22");
        if (rank == size - 1)
            signal_own_agent(SIGKILL);
        wait_until_dead(c, size - 1);
        CHECK_EQ(MPIX_Comm_refill(c, MPI_INFO_NULL, &whole), MPI_SUCCESS);
    }
    MPI_Comm_set_errhandler(whole, MPI_ERRORS_RETURN);
    CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, whole), MPI_SUCCESS);
    CHECK_EQ(sum, 6);
    c = whole;
    CHECK_EQ(start_on(c, 0, program, 2, "node:1", NULL), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    MPI_Comm whole;

    start(&argc, &argv);
    CHECK_EQ(MPIX_Comm_refilled(&whole), MPI_SUCCESS);
    if (is_child() && whole == MPI_COMM_NULL)
        be_child();
    program = argv[0];
    c = MPI_COMM_WORLD;
    delay_us = argc > 2 ? atoi(argv[2]) * 1777 % 29000 : 0;
    if (whole == MPI_COMM_NULL)
        find_agents();
    if (!strcmp(what, "where"))
        where();
    else if (!strcmp(what, "refused"))
        refused();
    else if (!strcmp(what, "full"))
        full();
    else if (!strcmp(what, "lost"))
        lost();
    else if (!strcmp(what, "meanwhile"))
        meanwhile();
    else
        replace(whole);
    return finish();
}
