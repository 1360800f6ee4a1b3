# SPDX-License-Identifier: BSD-3-Clause
# agent_dies.sh – mpiexec, the agent, is killed while it starts processes that a rank has asked for: none of them, and no
# rank, outlives it.
#
#     events    one process is stopped at each event of a spawn, and then the agent is killed
#     moments   the agent is killed at some time of a spawn
#
# RUN: events ; time 60 ; expect "nobody is left after 10 kills"
# RUN: moments ; time 60 ; expect "nobody is left after 12 kills"

cat >asks.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char *child[] = {argv[1], NULL};
    MPI_Comm parent, inter;

    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        pause();
    fprintf(stderr, "asks\n");
    for (;;)
        MPI_Comm_spawn(argv[0], child, 3, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE);
}
END
mpicc -O1 -o asks asks.c || exit 1
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
        [ $i -lt 2000 ] || { echo "wrong: no $1 in $2" && cat output report && exit 1; }
        sleep 0.01
    done
}

kill_agent()
{
    [ "$(left)" -ge 2 ] || { echo "wrong: no rank is to be seen ($1)" && exit 1; }
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

"$1"
echo "nobody is left after $kills kills"
