/* SPDX-License-Identifier: BSD-3-Clause */
/* The hints `host` and `hostfile` of MPI_Comm_spawn with real machines: processes start where they say, by the name in the list of hosts, by
 * that of the machine, and with localhost on the machine of the process that asks; not on a machine that has no slot left or is not in the job.  A
 * machine that is lost while a request for it is under way: before mpiexec has it, when it is being carried out, and when the new
 * processes are there.  All survivors get an error in 1.5 s, nothing was started, and the next request is carried out, that which waits
 * behind the first one, too.  A machine that stands still for less than half a lease is not lost, and the request waits for it.
 *
 * Arguments: what happens.  One rank is on each machine.
 *
 *   S5-3: a node that falls silent is lost in bounded time
 *   S5-13: processes are created and connected across nodes, on living ones with room */
/* RUN: -n 3 --hosts m1:3,m2-6:3,m3:3 -ppn 1 ; args where ; expect "rank 0 ok" ; expect "rank 2 ok" */
/* RUN: -n 3 --hostfile /tmp/hosts -ppn 1 ; args where ; shell 1 "printf '%s slots=3\\n' m1 m2-6 m3 >/tmp/hosts" at begin ;
 *      shell 1 "rm /tmp/hosts" at "rank 0 ok" ; expect "rank 0 ok" ; expect "rank 2 ok" */
/* RUN: -n 3 --hosts m1:3,m2-6:3,m3:3 -ppn 1 --lenient-exit ; args lost ; stop 0 at spawn.ask ; cut 3 at stopped:0 ; wake 0 at "lost at" ;
 *      expect "refused, host 'm3' is lost" ; expect "rank 0 ok" ; expect "rank 1 ok" */
/* RUN: -n 3 --hosts m1:3,m2-6:3,m3:3 -ppn 1 --lenient-exit ; args asked ; stop 0 at spawn.ask ; cut 3 at stopped:0 ; wake 0 at +0ms ;
 *      within 1.5 ; expect "refused, host 'm3' is lost" ; expect "rank 0 ok" ; expect "rank 1 ok" */
/* RUN: -n 3 --hosts m1:3,m2-6:3,m3:3 -ppn 1 --lenient-exit ; args asked ; stop 0 at spawn.ask ; freeze 3 at stopped:0 ; wake 0 at +0ms ;
 *      within 1.5 ; expect "refused, host 'm3' is lost" ; expect "rank 0 ok" ; expect "rank 1 ok" */
/* RUN: -n 3 --hosts m1:3,m2-6:3,m3:3 -ppn 1 --lenient-exit ; args asked ; stop 0 at spawn.ask ; signal STOP 3 --agent at stopped:0 ;
 *      wake 0 at +0ms ; within 1.5 ; expect "refused, host 'm3' is lost" ; expect "rank 0 ok" ; expect "rank 1 ok" */
/* RUN: -n 3 --hosts m1:3,m2-6:3,m3:3 -ppn 1 ; args paused ; stop 0 at spawn.ask ; signal STOP 3 --agent at stopped:0 ; wake 0 at +0ms ;
 *      signal CONT 3 --agent at +350ms ; away 0.5 ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect-no "lost" */
/* RUN: -n 3 --universe 9 --hosts m1:3,m2-6:3,m3:3 -ppn 1 --lenient-exit ; args joined ; stop 3 at spawn.join ; cut 3 at stopped:3 ; within 1.5 ;
 *      expect "refused" ; expect "rank 0 ok" ; expect "rank 1 ok" */
#include "lost.h"

#include "../kill/nodes/on_host.h"

static char *program;

/* They are there, by the machines' own names. */
static void check_start(MPI_Comm c, int root, const char *host, int n, const char *const *right)
{
    int me;

    CHECK_EQ(start_on(c, root, program, n, host, NULL), MPI_SUCCESS);
    MPI_Comm_rank(c, &me);
    for (int i = 0; me == 0 && i < n; i++)
        CHECK(!strcmp(place[i].host, right[i]));
}

/* A file that the machine of rank 1 has, and no other. */
static void check_file(const char *const *right)
{
    static const char name[] = "/tmp/more-hosts";
    FILE *f = rank == 1 ? fopen(name, "w") : NULL;

    CHECK(rank != 1 || (f && fputs("# all\nm3 slots=2\n", f) >= 0 && fclose(f) == 0));
    check_start(MPI_COMM_WORLD, 1, name, 2, right);
    CHECK(rank != 1 || unlink(name) == 0);
}

static void where(void)
{
    static const char *const one[] = {"m1", "m1"}, *const two[] = {"m2", "m2"},
                             *const more[] = {"m3", "m3", "m1"}, *const file[] = {"m3", "m3"};
    static const char *const hosts[] = {"m3", "m2", "m1"};
    static const int n[] = {1, 1, 1};
    MPI_Comm c = MPI_COMM_WORLD;

    check_start(c, 0, "m2-6", 2, two);
    check_start(c, 2, "m2", 2, two);
    check_start(c, 1, "localhost", 2, two);
    check_start(c, 0, "localhost", 2, one);
    check_start(c, 1, "10.77.0.1", 1, one); /* any address of the machine of mpiexec */
    check_start(c, 1, "node:1", 2, two);
    check_start(c, 0, "m3,m1,m3", 3, more);
    check_file(file);
    check_refused(c, 0, start_on(c, 0, program, 3, "m2", NULL),
                  "on 'm2' there is room for 2 more processes, not for 3");
    check_refused(c, 1, start_on(c, 1, program, 1, "m4", NULL),
                  "host 'm4' is not in this job, which runs on m1, m2-6, m3");
    CHECK_EQ(start_blocks(c, program, 3, n, hosts), MPI_SUCCESS);
    for (int i = 0; rank == 0 && i < 3; i++)
        CHECK(!strcmp(place[i].host, hosts[i]));
}

/* What is left starts processes on what is left; on what is not, none. */
static void go_on_without(MPI_Comm lost)
{
    static const char *const two[] = {"m2", "m2"};
    MPI_Comm rest;

    wait_until_dead(lost, 2);
    CHECK_EQ(MPIX_Comm_shrink(lost, &rest), MPI_SUCCESS);
    MPI_Comm_set_errhandler(rest, MPI_ERRORS_RETURN);
    for (int root = 0; root < 2; root++) {
        check_start(rest, root, "m2", 2, two);
        check_refused(rest, root, start_on(rest, root, program, 1, "m3", NULL),
                      "host 'm3' is lost; this job runs on m1, m2-6");
    }
}

/* The agent of m3 stands still for a while, and everything is as if it had not. */
static void pause_agent(void)
{
    static const char *const hosts[] = {"m3", "m3", "m2", "m2"};

    check_start(MPI_COMM_WORLD, 0, "m3,m2", 4, hosts);
}

static void say_refused(int rc)
{
    char text[MPI_MAX_ERROR_STRING];
    const char *why;
    int n;

    CHECK(rc == MPI_ERR_SPAWN || rc == MPI_ERR_PROC_FAILED);
    MPI_Error_string(rc, text, &n);
    why = strstr(text, "host '");
    say_learned();
    printf("refused, %s\n", why ? why : text);
    fflush(stdout);
}

/* Rank 0 asks for processes on m3 alone, and rank 1 for some on m2, of which the request is behind that of rank 0 or goes before. */
static void ask(void)
{
    static const char *const two[] = {"m2", "m2"};
    MPI_Comm self;

    CHECK_EQ(MPI_Comm_dup(MPI_COMM_SELF, &self), MPI_SUCCESS);
    MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
    if (rank == 0)
        say_refused(start_on(self, 0, program, 2, "m3", NULL));
    else if (rank == 1)
        check_start(self, 0, "m2", 2, two);
    else
        pause();
}

/* Rank 1 says that it knows of the loss; then rank 0 goes on to ask. */
static void ask_late(void)
{
    if (rank == 0)
        say_refused(start_on(MPI_COMM_SELF, 0, program, 2, "m3", NULL));
    if (rank == 2)
        pause();
    if (rank == 1) {
        wait_until_dead(MPI_COMM_WORLD, 2);
        say("lost at last");
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    first_lost = 2;
    start(&argc, &argv);
    if (is_child())
        be_child();
    program = argv[0];
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (!strcmp(what, "where") || !strcmp(what, "paused")) {
        (*what == 'w' ? where : pause_agent)();
        return finish();
    }
    if (!strcmp(what, "lost"))
        ask_late();
    else if (!strcmp(what, "asked"))
        ask();
    else
        say_refused(start_on(MPI_COMM_WORLD, 0, program, 2, "m3", NULL));
    go_on_without(MPI_COMM_WORLD);
    return finish();
}
