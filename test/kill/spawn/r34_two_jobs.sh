# SPDX-License-Identifier: BSD-3-Clause
# r34_two_jobs.sh – ports between two mpiexecs of one user: messages, collectives and creation with members of both jobs;
# many connections one after the other; a port that is closed, whose process or whose job has ended, and one of another user;
# names; a socket between the jobs.
#
#   R34: a name of the dead is not found, and their ports are refused
#
# RUN: talk 1 1 30 ; time 60 ; expect "2 jobs have talked"
# RUN: talk 2 3 30 ; time 60 ; expect "2 jobs have talked"
# RUN: talk 4 1 5 ; time 60 ; expect "2 jobs have talked"
# RUN: cross ; time 60 ; expect "2 jobs have called each other"
# RUN: guests 15 ; time 120 ; expect "15 jobs were guests"
# RUN: refused ; time 60 ; expect "4 ports have refused"
# RUN: user ; time 60 ; expect "another user was refused"
# RUN: join ; time 60 ; expect "2 jobs have joined"
# RUN: names ; time 60 ; expect "a name was found in the other job"
# RUN: stopped ; time 60 ; expect "a stopped mpiexec was not waited for"
# RUN: stopped_later ; time 60 ; expect "a stopped mpiexec was not waited for"
# RUN: room ; time 60 ; expect "there was no room"
# RUN: cross ; set MACHINES=2 ; time 60 ; expect "2 jobs have called each other"
# RUN: guests 4 ; set MACHINES=2 ; time 120 ; expect "4 jobs were guests"
# RUN: refused ; set MACHINES=2 ; time 60 ; expect "4 ports have refused"
# RUN: user ; set MACHINES=2 ; time 60 ; expect "another user was refused"
# RUN: join ; set MACHINES=2 ; time 60 ; expect "2 jobs have joined"
# RUN: names ; set MACHINES=2 ; time 60 ; expect "a name was found in the other job"
# RUN: stopped ; set MACHINES=2 ; time 60 ; expect "a stopped mpiexec was not waited for"

cat >two.c <<'C'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int rank, size;

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            printf("wrong: line %d: " #what "\n", __LINE__);                                       \
            MPI_Abort(MPI_COMM_WORLD, 3);                                                          \
        }                                                                                          \
    } while (0)

static void say(const char *file, const char *text)
{
    char other[256];
    FILE *f;

    snprintf(other, sizeof(other), "%s.new", file);
    f = fopen(other, "w");
    fputs(text, f);
    fclose(f);
    rename(other, file);
}

static void hear(const char *file, char *text)
{
    FILE *f;

    while (!(f = fopen(file, "r")))
        usleep(1000);
    CHECK(fgets(text, MPI_MAX_PORT_NAME, f));
    fclose(f);
}

/* Each rank with each of the other job, then all together, and the ranks of one parity. */
static void talk(MPI_Comm inter, int host)
{
    int others, all_n, all_rank, sum, mine = 1000 * host + rank, bytes = 3 << 20;
    char *large = malloc(bytes);
    MPI_Comm all, part;
    int *got;
    MPI_Request *r;

    MPI_Comm_remote_size(inter, &others);
    got = malloc(others * sizeof(*got));
    r = malloc(2 * others * sizeof(*r));
    for (int i = 0; i < others; i++) {
        MPI_Irecv(&got[i], 1, MPI_INT, i, 5, inter, &r[i]);
        MPI_Isend(&mine, 1, MPI_INT, i, 5, inter, &r[others + i]);
    }
    MPI_Waitall(2 * others, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < others; i++)
        CHECK(got[i] == 1000 * !host + i);
    MPI_Intercomm_merge(inter, host, &all);
    MPI_Comm_size(all, &all_n);
    MPI_Comm_rank(all, &all_rank);
    CHECK(all_n == size + others && all_rank == (host ? others + rank : rank));
    MPI_Allreduce(&all_rank, &sum, 1, MPI_INT, MPI_SUM, all);
    CHECK(sum == all_n * (all_n - 1) / 2);
    for (int root = 0; root < all_n; root++) {
        memset(large, all_rank, bytes);
        MPI_Bcast(large, bytes, MPI_CHAR, root, all);
        CHECK(large[0] == root && large[bytes - 1] == root);
    }
    MPI_Comm_split(all, all_rank % 2, -all_rank, &part);
    MPI_Allreduce(&all_rank, &sum, 1, MPI_INT, MPI_MAX, part);
    CHECK(sum % 2 == all_rank % 2 && sum >= all_n - 2);
    MPI_Comm_free(&part);
    MPI_Comm_split(all, host, 0, &part);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_MIN, part);
    CHECK(sum == 1000 * host);
    MPI_Comm_free(&part);
    MPI_Comm_free(&all);
    free(large);
    free(got);
    free(r);
}

/* host|guest FILE N: N connections at the port that is told in FILE. */
static void meet(int host, const char *file, int n)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm inter;

    if (host && rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        say(file, port);
    } else if (rank == 0) {
        hear(file, port);
    }
    for (int i = 0; i < n; i++) {
        if (host)
            MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
        else
            MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
        talk(inter, host);
        MPI_Comm_disconnect(&inter);
    }
}

/* cross 0|1: each connects to the other's port first on two communicators at the same time. */
static void cross(int me)
{
    char port[MPI_MAX_PORT_NAME], theirs[MPI_MAX_PORT_NAME];
    MPI_Comm inter;
    int accepts = (me + rank) % 2;

    if (accepts) {
        MPI_Open_port(MPI_INFO_NULL, port);
        say(me ? "port.1" : "port.0", port);
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
    } else {
        hear(me ? "port.0" : "port.1", theirs);
        MPI_Comm_connect(theirs, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
    }
    MPI_Send(&me, 1, MPI_INT, 0, 1, inter);
    MPI_Recv(&accepts, 1, MPI_INT, 0, 1, inter, MPI_STATUS_IGNORE);
    CHECK(accepts == !me);
    MPI_Comm_disconnect(&inter);
}

/* The class of what connecting to the port of the file gives, in at most so many seconds. */
static void refused(const char *file, int class, int limit)
{
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm inter;
    double since;
    int err;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    hear(file, port);
    since = MPI_Wtime();
    err = MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
    MPI_Error_class(err, &err);
    CHECK(err == class);
    CHECK(MPI_Wtime() - since < limit);
    printf("refused\n");
}

/* At a port of the same job before, while and after its mpiexec is stopped, which the script does at these files. */
static void again(void)
{
    static const char *const files[] = {"before", "stop", "go"};
    char text[MPI_MAX_PORT_NAME];

    for (int i = 0; i < 3; i++) {
        if (i)
            hear(i == 1 ? "stopped" : "goes", text);
        refused("nobody", MPI_ERR_PORT, i == 1 ? 40 : 8);
        if (rank == 0)
            say(files[i], "x");
    }
}

/* The host publishes its port and accepts; the guest looks the name up, and connects.  Then the host waits to be killed, and the
 * name is found no more. */
static void names(int host)
{
    char port[MPI_MAX_PORT_NAME], name[64];
    MPI_Comm inter;
    int got = 0, err;

    snprintf(name, sizeof(name), "two jobs %s", getenv("RUN_NAME"));
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (host) {
        MPI_Open_port(MPI_INFO_NULL, port);
        CHECK(!MPI_Publish_name(name, MPI_INFO_NULL, port));
        say("published", port);
        CHECK(!MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
    } else {
        CHECK(!MPI_Lookup_name(name, MPI_INFO_NULL, port));
        CHECK(!MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
    }
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    MPI_Sendrecv(&host, 1, MPI_INT, 0, 1, &got, 1, MPI_INT, 0, 1, inter, MPI_STATUS_IGNORE);
    CHECK(got == !host);
    say(host ? "host.connected" : "guest.connected", "");
    err = MPI_Recv(&got, 1, MPI_INT, 0, 2, inter, MPI_STATUS_IGNORE);
    CHECK(!host && err != MPI_SUCCESS); /* the host is dead */
    MPI_Error_class(MPI_Lookup_name(name, MPI_INFO_NULL, port), &err);
    CHECK(err == MPI_ERR_NAME);
    MPI_Comm_disconnect(&inter);
}

/* Opens a port, and waits for the file "over". */
static void open_port(int closes)
{
    char port[MPI_MAX_PORT_NAME];

    MPI_Open_port(MPI_INFO_NULL, port);
    if (closes)
        MPI_Close_port(port);
    say("port", port);
    while (access("over", F_OK)) {
        int there;

        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    }
}

static void join(int me)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "socket"};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0), door = fd, got = -1;
    MPI_Comm inter;

    if (me) {
        CHECK(!bind(door, (struct sockaddr *)&a, sizeof(a)) && !listen(door, 1));
        fd = accept(door, NULL, NULL);
    } else {
        while (connect(fd, (struct sockaddr *)&a, sizeof(a)))
            usleep(1000);
    }
    for (int i = 0; i < 3; i++) {
        MPI_Comm_join(fd, &inter);
        CHECK(inter != MPI_COMM_NULL);
        MPI_Sendrecv(&me, 1, MPI_INT, 0, 1, &got, 1, MPI_INT, 0, 1, inter, MPI_STATUS_IGNORE);
        CHECK(got == !me);
        MPI_Comm_disconnect(&inter);
    }
    CHECK(recv(fd, &got, 1, MSG_DONTWAIT) <= 0); /* it is quiet; the other end may have gone */
}

int main(int argc, char **argv)
{
    const char *what = argv[1];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!strcmp(what, "host") || !strcmp(what, "guest"))
        meet(*what == 'h', argv[2], atoi(argv[3]));
    else if (!strcmp(what, "hosts")) /* N guests, one after the other */
        meet(1, argv[2], atoi(argv[3]));
    else if (!strcmp(what, "cross"))
        cross(atoi(argv[2]));
    else if (!strcmp(what, "refused"))
        refused(argv[2], atoi(argv[3]), argc > 4 ? atoi(argv[4]) : 5);
    else if (!strcmp(what, "again"))
        again();
    else if (!strcmp(what, "names"))
        names(atoi(argv[2]));
    else if (!strcmp(what, "open"))
        open_port(atoi(argv[2]));
    else if (!strcmp(what, "join"))
        join(atoi(argv[2]));
    MPI_Finalize();
    printf("done\n");
    return 0;
}
C
. "$MEND_TEST_ROOT/test/build.sh"
build two "$PWD/two.c" -O1
port=43 # MPI_ERR_PORT

# Each job that was started in the background has ended well.
all_done()
{
    for job in $jobs; do
        wait "$job" || { echo "wrong: a job ended with $?" && cat out.* && exit 1; }
    done
}

until_there()
{
    i=0
    while [ ! -e "$1" ]; do
        i=$((i + 1))
        [ $i -lt 2000 ] || { echo "wrong: no $1" && cat out.* && exit 1; }
        sleep 0.01
    done
}

# A file with a word in it: never there without
put()
{
    echo x >"$1.new"
    mv "$1.new" "$1"
}

begin()
{
    out=$1
    shift
    mpiexec --timeout 50 "$@" >"out.$out" 2>&1 &
    jobs="$jobs $!"
}

case $1 in
talk)
    begin 1 -n "$2" ./two host port "$4"
    begin 2 -n "$3" ./two guest port "$4"
    all_done
    [ "$(cat out.* | grep -c done)" = $(($2 + $3)) ] || { cat out.* && exit 1; }
    echo "2 jobs have talked"
    ;;
cross)
    for turn in 1 2 3 4 5 6; do
        jobs=
        rm -f port.*
        begin 1 -n 2 ./two cross 0
        begin 2 -n 2 ./two cross 1
        all_done
    done
    echo "2 jobs have called each other"
    ;;
guests)
    # more than the host has places: those of guests whose jobs have ended are given again
    begin 1 -n 1 --universe 8 ./two hosts port "$2"
    for turn in $(seq "$2"); do
        mpiexec --timeout 20 -n 3 ./two guest port 1 >out.2 2>&1 || { echo "wrong: guest $turn" && cat out.* && exit 1; }
    done
    all_done
    echo "$2 jobs were guests"
    ;;
refused)
    begin 1 -n 1 ./two open 1
    until_there port
    mpiexec --timeout 20 -n 2 ./two refused port $port >out.2 2>&1 || { cat out.* && exit 1; }
    echo "mend:0123456789abcdef:0:1" >none
    mpiexec --timeout 20 -n 2 ./two refused none $port >out.3 2>&1 || { cat out.* && exit 1; }
    sed 's/:0:/:77:/' port >nobody # a process that the job does not have
    mpiexec --timeout 20 -n 2 ./two refused nobody $port >out.4 2>&1 || { cat out.* && exit 1; }
    touch over
    all_done
    mpiexec --timeout 20 -n 2 ./two refused port $port >out.5 2>&1 || { cat out.* && exit 1; }
    [ "$(cat out.* | grep -c refused)" = 8 ] || { cat out.* && exit 1; }
    echo "4 ports have refused"
    ;;
user)
    if [ "$(id -u)" != 0 ] || ! setpriv --reuid 12345 --clear-groups true 2>/dev/null; then
        echo "SKIPPED: only root can be two users; another user was refused"
        exit 0
    fi
    begin 1 -n 1 ./two open 0
    until_there port
    chmod a+rwx .
    setpriv --reuid 12345 --clear-groups mpiexec --timeout 20 -n 2 ./two refused "$PWD/port" $port >out.2 2>&1 ||
        { cat out.* && exit 1; }
    # nor does its own program, which knows the address of the socket: it is closed unheard
    setpriv --reuid 12345 --clear-groups /usr/bin/python3 - "$(cut -d: -f2 port)" >out.3 2>&1 <<'PYTHON' || { cat out.* && exit 1; }
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.settimeout(10)
s.connect("\0mend-0-" + sys.argv[1])
assert s.recv(1) == b""
PYTHON
    touch over
    all_done
    [ "$(cat out.2 | grep -c refused)" = 2 ] || { cat out.* && exit 1; }
    echo "another user was refused"
    ;;
join)
    begin 1 -n 1 ./two join 0
    begin 2 -n 1 ./two join 1
    all_done
    echo "2 jobs have joined"
    ;;
names)
    export RUN_NAME=$$
    begin 1 -n 1 ./two names 1
    until_there published
    mpiexec --timeout 20 -n 1 ./two names 0 >out.2 2>&1 &
    guest=$!
    until_there host.connected
    until_there guest.connected
    kill -9 "$(echo $jobs)" # with its rank
    wait $guest || { echo "wrong: the guest's job ended with $?" && cat out.* && exit 1; }
    echo "a name was found in the other job"
    ;;
stopped)
    export MEND_AGENT_STOP_TIMEOUT=0
    begin 1 -n 1 ./two open 0
    until_there port
    kill -STOP "$(echo $jobs)"
    mpiexec --timeout 50 -n 2 ./two refused port $port 40 >out.2 2>&1 || { kill -CONT $jobs && cat out.* && exit 1; }
    kill -CONT "$(echo $jobs)"
    sed 's/:0:/:77:/' port >nobody # it answers again
    mpiexec --timeout 20 -n 2 ./two refused nobody $port >out.3 2>&1 || { cat out.* && exit 1; }
    touch over
    all_done
    echo "a stopped mpiexec was not waited for"
    ;;
stopped_later)
    export MEND_AGENT_STOP_TIMEOUT=0
    begin 1 -n 1 ./two open 0
    host=$(echo $jobs)
    until_there port
    sed 's/:0:/:77:/' port >nobody
    begin 2 -n 1 ./two again
    until_there before # the two are connected
    kill -STOP "$host"
    put stopped
    until_there stop
    kill -CONT "$host"
    put goes
    until_there go
    touch over
    all_done
    echo "a stopped mpiexec was not waited for"
    ;;
room)
    begin 1 -n 2 --universe 3 ./two open 0
    until_there port
    mpiexec --timeout 20 -n 2 ./two refused port $port >out.2 2>&1 || { cat out.* && exit 1; }
    touch over
    all_done
    echo "there was no room"
    ;;
esac
