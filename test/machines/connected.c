/* SPDX-License-Identifier: BSD-3-Clause */
/* connected.c – a process of two jobs that connect (s5_13_two_jobs.sh): all of both talk, and then what the arguments say happens, while
 * each sends to each and receives.  The others learn of it, and go on with all that are left: these talk again.
 *
 *   host|guest talk
 *   host|guest all RANK...        exactly these are lost, of the communicator of both; 1/2: one of the two
 *   host|guest kill RANK...       the same: they kill themselves
 *   host|guest trace RANK...      as `all`, and the last one of all leaves a trace as long as it lives, and is not in MPI
 *   host|guest some RANK...       some of these are lost
 *   host|guest outside RANK...    the same, and the last one of all is not in MPI for long
 *   host twice                    another guest comes then
 *   host|guest refused            they are not connected */
/* RUN: none */
#include "two_jobs.h"

#include <fcntl.h>
#include <signal.h>
#include <time.h>

static int rank, size; /* in the communicator of both */

/* Each with each, with short and with long messages.  False: it has failed. */
static int exchange_sizes(MPI_Comm c)
{
    const int bytes = 300000;
    int n, me, ok = 1;
    char *out = malloc(bytes), *in = malloc(bytes);

    MPI_Comm_size(c, &n);
    MPI_Comm_rank(c, &me);
    for (int step = 1; ok && step < n; step++) {
        int to = (me + step) % n, from = (me + n - step) % n, len = step % 2 ? bytes : 100;

        memset(out, me, len);
        ok = MPI_Sendrecv(out, len, MPI_CHAR, to, step, in, len, MPI_CHAR, from, step, c,
                          MPI_STATUS_IGNORE) == MPI_SUCCESS;
        CHECK(!ok || (in[0] == from && in[len - 1] == from));
    }
    free(out);
    free(in);
    return ok;
}

/* And all together; a part of them.  The same result at all. */
static int talk(MPI_Comm c)
{
    int n, me, one = 1, sum = 0, ok = exchange_sizes(c);
    MPI_Comm part;

    MPI_Comm_size(c, &n);
    MPI_Comm_rank(c, &me);
    if (!ok)
        MPIX_Comm_revoke(c); /* ends what others wait for */
    ok = ok && MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c) == MPI_SUCCESS;
    CHECK(!ok || sum == n);
    if (MPIX_Comm_agree(c, &ok) != MPI_SUCCESS || !ok)
        return 0;
    ok = MPI_Comm_split(c, me % 2, me, &part) == MPI_SUCCESS;
    if (ok) {
        ok = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, part) == MPI_SUCCESS;
        CHECK(!ok || sum == (n + (me % 2 == 0)) / 2);
        MPI_Comm_free(&part);
    }
    return MPIX_Comm_agree(c, &ok) == MPI_SUCCESS && ok;
}

/* "1/2" names two, of which one is lost. */
static int is_one_of(int r, const char *word)
{
    char *end;

    if (strtol(word, &end, 10) == r)
        return 1;
    return *end == '/' && atoi(end + 1) == r;
}

static int is_named(int r, char **words, int n)
{
    for (int i = 0; i < n; i++)
        if (is_one_of(r, words[i]))
            return 1;
    return 0;
}

/* What `rest` has not. */
static void check_lost(MPI_Comm c, MPI_Comm rest, char **words, int n, int exactly)
{
    MPI_Group all, left, lost;
    int lost_n;

    MPI_Comm_group(c, &all);
    MPI_Comm_group(rest, &left);
    MPI_Group_difference(all, left, &lost);
    MPI_Group_size(lost, &lost_n);
    CHECK(lost_n > 0 && (!exactly || lost_n == n));
    for (int i = 0; i < lost_n; i++) {
        int r;

        MPI_Group_translate_ranks(lost, 1, &i, all, &r);
        CHECK(is_named(r, words, n));
    }
    MPI_Group_free(&lost);
    MPI_Group_free(&left);
    MPI_Group_free(&all);
}

static void say_learned(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    printf("rank %d learned at %lld.%06ld\n", rank, (long long)t.tv_sec, t.tv_nsec / 1000);
    fflush(stdout);
}

/* Each with each at the same time, so that all that cannot reach each other have something to say. */
static int exchange(MPI_Comm c)
{
    MPI_Request *r = malloc(2 * size * sizeof(MPI_Request));
    int *in = malloc(size * sizeof(int)), err;

    for (int i = 0; i < size; i++) {
        MPI_Irecv(&in[i], 1, MPI_INT, i, 3, c, &r[i]);
        MPI_Isend(&rank, 1, MPI_INT, i, 3, c, &r[size + i]);
    }
    err = MPI_Waitall(2 * size, r, MPI_STATUSES_IGNORE);
    if (err != MPI_SUCCESS)
        MPIX_Comm_revoke(c); /* ends what still waits */
    for (int i = 0; i < 2 * size; i++)
        MPI_Wait(&r[i], MPI_STATUS_IGNORE);
    free(in);
    free(r);
    return err;
}

/* The communicator of all that are left in the end: more may be lost one after the other, unless it is exactly known which. */
static MPI_Comm go_on(MPI_Comm c, int exactly)
{
    MPI_Comm rest;

    while (MPIX_Comm_shrink(c, &rest) != MPI_SUCCESS)
        ;
    MPI_Comm_set_errhandler(rest, MPI_ERRORS_RETURN);
    if (talk(rest))
        return rest;
    CHECK(!exactly);
    return go_on(rest, exactly);
}

/* In the file "trace", which all machines see. */
static void leave_trace(void)
{
    int fd = open("trace", O_CREAT | O_WRONLY, 0600);

    for (long n = 1;; n++) {
        CHECK(pwrite(fd, &n, sizeof(n), 0) == sizeof(n));
        usleep(1000);
    }
}

static long read_trace(void)
{
    int fd = open("trace", O_RDONLY);
    long n = 0;

    CHECK(fd >= 0 && pread(fd, &n, sizeof(n), 0) == sizeof(n));
    close(fd);
    return n;
}

/* A process that was told of the death of another one finds that that does nothing more. */
static void check_trace(void)
{
    long n = read_trace();

    usleep(500000);
    CHECK(read_trace() == n);
}

static void lose(MPI_Comm c, const char *how, char **words, int n)
{
    int err = MPI_Barrier(c), exactly = strcmp(how, "some") && strcmp(how, "outside");
    int computes = !strcmp(how, "outside") && rank == size - 1;
    MPI_Comm rest;

    if (rank == 0) {
        printf("ready\n");
        fflush(stdout);
    }
    if (!strcmp(how, "kill") && is_named(rank, words, n))
        raise(SIGKILL);
    if (!strcmp(how, "trace") && rank == size - 1)
        leave_trace();
    if (computes)
        sleep(10); /* until it is ended, or all others of its pairs are */
    while (err == MPI_SUCCESS)
        err = exchange(c);
    CHECK(is_usual(err) ||
          class_of(err) == MPI_ERR_IN_STATUS); /* another one may have revoked it */
    MPIX_Comm_revoke(c);
    if (!computes)
        say_learned();
    if (!strcmp(how, "trace"))
        check_trace();
    rest = go_on(c, exactly);
    check_lost(c, rest, words, n, exactly);
    CHECK(MPI_Comm_disconnect(&rest) == MPI_SUCCESS);
}

/* The guest learns why, and the host waits for others. */
static int see_refusal(int host)
{
    char port[MPI_MAX_PORT_NAME] = "", text[MPI_MAX_ERROR_STRING];
    MPI_Info info;
    MPI_Comm inter;
    int len, err;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Info_create(&info);
    MPI_Info_set(info, "timeout", host ? "3" : "20");
    if (rank == 0 && host) {
        MPI_Open_port(MPI_INFO_NULL, port);
        say(port);
    } else if (rank == 0) {
        hear(port);
    }
    err = host ? MPI_Comm_accept(port, info, 0, MPI_COMM_WORLD, &inter)
               : MPI_Comm_connect(port, info, 0, MPI_COMM_WORLD, &inter);
    CHECK(class_of(err) == MPI_ERR_PORT);
    MPI_Error_string(err, text, &len);
    if (rank == 0)
        printf("%s: %s\n", host ? "host" : "guest", text);
    MPI_Info_free(&info);
    return MPI_Finalize();
}

int main(int argc, char **argv)
{
    int host = !strcmp(argv[1], "host");
    MPI_Comm both, more = MPI_COMM_NULL;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (!strcmp(argv[2], "refused"))
        return see_refusal(host);
    both = connect_all(host);
    if (!strcmp(argv[2], "twice"))
        more = connect_all(host);
    MPI_Comm_rank(both, &rank);
    MPI_Comm_size(both, &size);
    CHECK(talk(both));
    if (more != MPI_COMM_NULL) {
        CHECK(talk(more));
        CHECK(MPI_Comm_disconnect(&more) == MPI_SUCCESS);
    }
    if (argc > 3)
        lose(both, argv[2], argv + 3, argc - 3);
    CHECK(MPI_Comm_disconnect(&both) == MPI_SUCCESS);
    MPI_Finalize();
    printf("rank %d went on\n", rank);
    return 0;
}
