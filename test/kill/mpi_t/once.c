/* SPDX-License-Identifier: BSD-3-Clause */
/* A tool's callbacks hear of each death once, in the order of the verdicts, with rank and cause, whatever the program
 * does meanwhile: waits, or only calls; with a callback that calls MPI_T functions, and one that calls MPI.  One
 * that registers later hears only of later deaths.
 *
 * RUN: -n 4 ; args recv ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; args poll ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; args coll ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; args recv threads ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; args recv ; set AGREE_SHM=0 ; set REVOKE_SHM=0 ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; args recv ; set SPIN=0 ; set YIELD=0 ; expect "rank 0 ok" ; expect "rank 3 ok" */
#include "../common.h"

struct heard {
    int n, ranks[8], numbers[8], causes[8], codes[8];
    unsigned long long verdicts[8];
};

static struct heard early, at_once, later, mpi_free, told;
static MPI_T_pvar_session session;
static MPI_T_pvar_handle deaths;

static void hear(MPI_T_event_instance e, MPI_T_event_registration r, MPI_T_cb_safety safety,
                 void *data)
{
    struct heard *h = data;
    unsigned long long count = 0;

    CHECK(h->n < 8);
    CHECK_EQ(MPI_T_event_read(e, 0, &h->ranks[h->n]), MPI_SUCCESS);
    if (h != &told) {
        CHECK_EQ(MPI_T_event_read(e, 2, &h->causes[h->n]), MPI_SUCCESS);
        CHECK_EQ(MPI_T_event_read(e, 3, &h->codes[h->n]), MPI_SUCCESS);
        CHECK_EQ(MPI_T_event_read(e, 4, &h->numbers[h->n]), MPI_SUCCESS);
        CHECK_EQ(MPI_T_event_read(e, 5, &h->verdicts[h->n]), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_T_pvar_read(session, deaths, &count), MPI_SUCCESS);
    CHECK(count > (unsigned long long)h->n);
    h->n++;
}

/* In a free place a callback may call MPI, which then does not call it again from within. */
static void call_mpi(MPI_T_event_instance e, MPI_T_event_registration r, MPI_T_cb_safety safety,
                     void *data)
{
    int n, one = 1, sum = 0;

    CHECK(safety == MPI_T_CB_REQUIRE_NONE);
    CHECK_EQ(MPI_Comm_size(MPI_COMM_WORLD, &n), MPI_SUCCESS);
    CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF), MPI_SUCCESS);
    CHECK_EQ(sum, 1);
    hear(e, r, safety, data);
}

static void listen_to(const char *name, MPI_T_cb_safety safety, MPI_T_event_cb_function *call,
                      struct heard *h)
{
    MPI_T_event_registration r;
    int i;

    CHECK_EQ(MPI_T_event_get_index(name, &i), MPI_SUCCESS);
    CHECK_EQ(MPI_T_event_handle_alloc(i, NULL, MPI_INFO_NULL, &r), MPI_SUCCESS);
    CHECK_EQ(MPI_T_event_register_callback(r, safety, MPI_INFO_NULL, h, call), MPI_SUCCESS);
}

static void begin_tool(bool threads)
{
    int i, count, provided;

    CHECK_EQ(MPI_T_init_thread(threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided),
             MPI_SUCCESS);
    CHECK_EQ(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
    CHECK_EQ(MPI_T_pvar_get_index("deaths", MPI_T_PVAR_CLASS_COUNTER, &i), MPI_SUCCESS);
    CHECK_EQ(MPI_T_pvar_handle_alloc(session, i, NULL, &deaths, &count), MPI_SUCCESS);
    listen_to("process_failed", MPI_T_CB_REQUIRE_MPI_RESTRICTED, hear, &early);
}

/* Until this process has been told that `dead` is dead. */
static void meet_death(const char *how, int dead)
{
    int x, flag, err = MPI_SUCCESS;

    if (!strcmp(how, "recv"))
        err = MPI_Recv(&x, 1, MPI_INT, dead, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    while (!strcmp(how, "coll") && !err)
        err = MPI_Allreduce(&rank, &x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (strcmp(how, "poll"))
        CHECK_CLASS(err, MPI_ERR_PROC_FAILED);
    while (!is_known_dead(MPI_COMM_WORLD, dead))
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    MPI_Comm_size(MPI_COMM_WORLD, &flag); /* a free place */
}

static void check(const struct heard *h, int n, const int *ranks, int first)
{
    CHECK_EQ(h->n, n);
    for (int i = 0; i < n; i++) {
        CHECK_EQ(h->ranks[i], ranks[i]);
        CHECK_EQ(h->numbers[i], first + i);
        CHECK(h->causes[i] == 0 || (h->causes[i] == 1 && h->codes[i] == SIGKILL));
        CHECK(i == 0 || h->verdicts[i] >= h->verdicts[i - 1]);
    }
}

int main(int argc, char **argv)
{
    const int order[] = {2, 1};
    bool threads = argc > 2;
    int provided;

    set_watchdog();
    begin_tool(threads);
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    after_init();
    listen_to("process_failed", MPI_T_CB_REQUIRE_THREAD_SAFE, hear, &at_once);
    listen_to("process_failed", MPI_T_CB_REQUIRE_NONE, call_mpi, &mpi_free);
    listen_to("failure_told", MPI_T_CB_REQUIRE_MPI_RESTRICTED, hear, &told);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2)
        die_now();
    if (rank == 1)
        wait_until_dead(MPI_COMM_WORLD, 2);
    else
        meet_death(argv[1], 2);
    check(&early, 1, order, 0);
    listen_to("process_failed", MPI_T_CB_REQUIRE_MPI_RESTRICTED, hear, &later);
    post(0);
    await_in_mpi(0, 3);
    if (rank == 1)
        die_now();
    meet_death(strcmp(argv[1], "coll") ? argv[1] : "poll", 1);
    check(&early, 2, order, 0);
    check(&at_once, 2, order, 0);
    check(&mpi_free, 2, order, 0);
    check(&later, 1, order + 1, 1);
    CHECK(told.n <= 2 && (told.n < 2 || told.ranks[0] != told.ranks[1]));
    if (!strcmp(argv[1], "recv"))
        CHECK_EQ(told.n, 2);
    return finish();
}
