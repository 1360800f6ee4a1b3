# SPDX-License-Identifier: BSD-3-Clause
# agent_dies.sh – mpiexec, the agent, is killed while it starts processes that a rank has asked for: none of them, and no
# rank, outlives it.
#
#     events    one process is stopped at each event of a spawn, and then the agent is killed
#     moments   the agent is killed at some time of a spawn
#     copies    it is killed while a copy is made: the original, the process between or the copy is stopped
#
# RUN: events ; time 60 ; expect "nobody is left after 10 kills"
# RUN: moments ; time 60 ; expect "nobody is left after 12 kills"
# RUN: events ; time 60 ; set MACHINES=2 ; expect "nobody is left after 10 kills"
# RUN: moments ; time 60 ; set MACHINES=3 ; expect "nobody is left after 12 kills"
# RUN: copies ; time 60 ; expect "nobody is left after 3 kills" ; plain

cat >asks.c <<'END'
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *place = "";
static int depth; /* how often this process was forked */

static void stop_at(const char *here)
{
    if (!strcmp(place, here)) {
        FILE *f = fopen("stopped", "w");

        fprintf(f, "here\n");
        fclose(f);
        raise(SIGSTOP);
    }
}

static void before(void)
{
    stop_at(depth ? "" : "original");
}

static void in_parent(void)
{
    stop_at(depth ? "between" : "");
}

static void in_child(void)
{
    stop_at(++depth == 2 ? "copy" : "");
}

static void be_copied(char **argv)
{
    MPI_Comm whole;
    int rank;

    place = argv[2];
    pthread_atfork(before, in_parent, in_child);
    if (getenv("MEND_SPARE"))
        fclose(fopen("there", "w"));
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    while (access("there", F_OK) != 0)
        usleep(1000);
    usleep(100000); /* for the original to come into MPI_Init; if it has not there is no copy, and no file "stopped" */
    if (rank == 1)
        raise(SIGKILL);
    MPIX_Comm_refill(MPI_COMM_WORLD, MPI_INFO_NULL, &whole);
    MPI_Barrier(MPI_COMM_WORLD);
    MPIX_Comm_refill(MPI_COMM_WORLD, MPI_INFO_NULL, &whole);
    pause();
}

int main(int argc, char **argv)
{
    char *child[] = {argv[1], NULL};
    MPI_Comm parent, inter;

    if (argc > 2)
        be_copied(argv);
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        pause();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    fprintf(stderr, "asks\n");
    while (MPI_Comm_spawn(argv[0], child, 3, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE) ==
           MPI_SUCCESS)
        ;
    pause(); /* the universe is full */
}
END
. "$MEND_TEST_ROOT/test/build.sh"
build asks "$PWD/asks.c" -O1
mark=asks-$$-$(date +%N)
kills=0

# The processes of the job have a word of their own among their arguments.
left()
{
    pgrep -f "^\./asks $mark" | wc -l
}

# until PATTERN FILE: it is there
until_there()
{
    i=0
    while ! grep -q "$1" "$2" 2>/dev/null; do
        i=$((i + 1))
        [ $i -lt 2000 ] || { echo "wrong: no $1 in $2" ; cat output report; exit 1; }
        sleep 0.01
    done
}

kill_agent()
{
    [ "$(left)" -ge 1 ] || { echo "wrong: no rank is to be seen ($1)" && exit 1; }
    kill -9 "$agent"
    wait "$agent" 2>/dev/null
    i=0
    while [ "$(left)" != 0 ]; do
        i=$((i + 1))
        [ $i -lt 500 ] || { echo "wrong: $(left) processes are left ($1)" && pgrep -af "$mark" && exit 1; }
        sleep 0.01
    done
    kills=$((kills + 1))
}

events()
{
    for place in 0@spawn.ask 0@spawn.started 0@spawn.told 1@spawn.told 2@spawn.join 4@spawn.join 0@member.hello \
        2@member.hello 3@agree.enter 4@init.done; do
        rm -f report
        mpiexec -n 2 --universe 30 --stop-timeout 60 --report report --inject "stop:$place" ./asks "$mark" >output 2>&1 &
        agent=$!
        until_there '"event":"inject"' report
        kill_agent "$place"
    done
}

moments()
{
    for time in 0 0.001 0.002 0.003 0.004 0.005 0.006 0.008 0.01 0.012 0.015 0.02; do
        rm -f output
        mpiexec -n 2 --universe 30 ./asks "$mark" >output 2>&1 &
        agent=$!
        until_there asks output
        sleep $time
        kill_agent "$time s"
    done
}

copies()
{
    for place in original between copy; do
        rm -f there stopped
        mpiexec -n 2 --copies ./asks "$mark" $place >output 2>&1 &
        agent=$!
        until_there here stopped
        kill_agent "$place"
    done
}

"$1"
echo "nobody is left after $kills kills"
