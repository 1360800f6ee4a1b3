/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_T: events without a death: the source, types, registrations and their callbacks by level of safety, revocations and
 * agreements of one communicator and of all, what a callback may do, and wrong arguments (MPI-5.0 15.3.8). */
/* RUN: -n 2 */
/* RUN: -n 2 ; args threads */
/* RUN: -n 3 ; set AGREE_SHM=0 ; set REVOKE_SHM=0 */
#include "../comm/common.h"

#define RESTRICTED MPI_T_CB_REQUIRE_MPI_RESTRICTED

static struct seen {
    int calls, freed, size, purpose, failed;
    unsigned long long context;
    MPI_Count when;
    MPI_T_cb_safety safety;
    MPI_T_event_instance instance;
} seen[4];

static int event(const char *name)
{
    int i = -1;

    CHECK_OK(MPI_T_event_get_index(name, &i));
    return i;
}

static MPI_T_event_registration listen_to(const char *name, MPI_Comm *comm)
{
    MPI_T_event_registration r = NULL;

    CHECK_OK(MPI_T_event_handle_alloc(event(name), comm, MPI_INFO_NULL, &r));
    CHECK(r != NULL);
    return r;
}

static void take(MPI_T_event_instance e, MPI_T_event_registration r, MPI_T_cb_safety safety,
                 void *data)
{
    struct {
        unsigned long long context;
        int size, purpose, failed;
    } copy;
    struct seen *s = data;
    int source = -1;

    s->calls++;
    s->safety = safety;
    s->instance = e;
    CHECK_OK(MPI_T_event_read(e, 0, &s->context));
    CHECK_OK(MPI_T_event_read(e, 1, &s->size));
    CHECK_OK(MPI_T_event_get_source(e, &source));
    CHECK_EQ(source, 0);
    CHECK_OK(MPI_T_event_get_timestamp(e, &s->when));
    memset(&copy, -1, sizeof copy);
    CHECK_OK(MPI_T_event_copy(e, &copy));
    CHECK(copy.context == s->context && copy.size == s->size);
    if (!MPI_T_event_read(e, 2, &s->purpose)) {
        CHECK_OK(MPI_T_event_read(e, 3, &s->failed));
        CHECK(copy.purpose == s->purpose && copy.failed == s->failed);
    }
    CHECK_EQ(MPI_T_event_read(e, 4, &source), MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_event_read(e, 0, NULL), MPI_T_ERR_INVALID);
}

static void note_free(MPI_T_event_registration r, MPI_T_cb_safety safety, void *data)
{
    ((struct seen *)data)->freed++;
}

static void call_at(MPI_T_event_registration r, MPI_T_cb_safety safety, struct seen *s)
{
    CHECK_OK(MPI_T_event_register_callback(r, safety, MPI_INFO_NULL, s, take));
}

static void vote(MPI_Comm comm)
{
    int flag = 1;

    CHECK_OK(MPIX_Comm_agree(comm, &flag));
}

static void source(void)
{
    MPI_Count ticks = 0, max = 0, first = 0, then = 0;
    MPI_T_source_order order = MPI_T_SOURCE_UNORDERED;
    char name[32];
    int n = 0, len = sizeof name, keys = -1;
    MPI_Info info;

    CHECK_OK(MPI_T_source_get_num(&n));
    CHECK_EQ(n, 1);
    CHECK_OK(MPI_T_source_get_info(0, name, &len, NULL, NULL, &order, &ticks, &max, &info));
    CHECK_STR(name, "failures");
    CHECK(order == MPI_T_SOURCE_ORDERED && ticks == 1000000000 && max > 0);
    CHECK_OK(MPI_Info_get_nkeys(info, &keys));
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_T_source_get_timestamp(0, &first));
    CHECK_OK(MPI_T_source_get_timestamp(0, &then));
    CHECK(first > 0 && then >= first);
    CHECK_EQ(MPI_T_source_get_timestamp(1, &then), MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_source_get_info(-1, name, &len, NULL, NULL, NULL, NULL, NULL, NULL),
             MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_source_get_num(NULL), MPI_T_ERR_INVALID);
}

/* The elements have the names of the enumeration, and do not overlap. */
static void every_type(void)
{
    MPI_Datatype types[16];
    MPI_Aint at[16];
    int n = 0, elements, items = 0, len, category = -1, in_it = 0, list[16];
    MPI_T_enum words;
    char name[64];

    CHECK_OK(MPI_T_event_get_num(&n));
    for (int i = 0; i < n; i++) {
        len = sizeof name;
        elements = 0;
        CHECK_OK(MPI_T_event_get_info(i, name, &len, NULL, NULL, NULL, &elements, &words, NULL,
                                      NULL, NULL, NULL));
        CHECK_EQ(event(name), i);
        CHECK(elements > 0 && elements <= 16);
        CHECK_OK(MPI_T_enum_get_info(words, &items, NULL, NULL));
        CHECK_EQ(items, elements);
        CHECK_OK(MPI_T_event_get_info(i, NULL, NULL, NULL, types, at, &elements, NULL, NULL, NULL,
                                      NULL, NULL));
        for (int k = 1; k < elements; k++)
            CHECK(at[k] >= at[k - 1] + (types[k - 1] == MPI_INT ? 4 : 8));
    }
    CHECK_OK(MPI_T_category_get_index("failures", &category));
    CHECK_OK(MPI_T_category_get_num_events(category, &in_it));
    CHECK_EQ(in_it, n);
    CHECK_OK(MPI_T_category_get_events(category, 16, list));
    CHECK_EQ(list[n - 1], n - 1);
}

static void wrong(void)
{
    MPI_T_event_registration r = listen_to("revocation", NULL), bad = (MPI_T_event_registration)&r;
    MPI_Comm null = MPI_COMM_NULL;
    MPI_Info info;
    MPI_Count when;
    int i;

    CHECK_EQ(MPI_T_event_get_index("nonsense", &i), MPI_T_ERR_INVALID_NAME);
    CHECK_EQ(MPI_T_event_handle_alloc(4711, NULL, MPI_INFO_NULL, &bad), MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, NULL), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_event_handle_alloc(event("comm_revoked"), NULL, MPI_INFO_NULL, &bad),
             MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_event_handle_alloc(event("comm_revoked"), &null, MPI_INFO_NULL, &bad),
             MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_event_register_callback(bad, RESTRICTED, MPI_INFO_NULL, NULL, take),
             MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_event_register_callback(r, (MPI_T_cb_safety)77, MPI_INFO_NULL, NULL, take),
             MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_event_set_dropped_handler(bad, NULL), MPI_T_ERR_INVALID_HANDLE);
    CHECK_OK(MPI_T_event_set_dropped_handler(r, NULL));
    CHECK_OK(MPI_T_event_handle_set_info(r, MPI_INFO_NULL));
    CHECK_OK(MPI_T_event_callback_set_info(r, RESTRICTED, MPI_INFO_NULL));
    CHECK_OK(MPI_T_event_handle_get_info(r, &info));
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_T_event_callback_get_info(r, RESTRICTED, &info));
    CHECK_OK(MPI_Info_free(&info));
    CHECK_EQ(MPI_T_event_handle_get_info(bad, &info), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_event_handle_free(bad, NULL, NULL), MPI_T_ERR_INVALID_HANDLE);
    CHECK_OK(MPI_T_event_handle_free(r, NULL, NULL));
    CHECK_EQ(MPI_T_event_handle_free(r, NULL, NULL), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_event_read((MPI_T_event_instance)r, 0, &i), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_event_copy(NULL, &i), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_event_get_timestamp(seen[0].instance, &when), MPI_T_ERR_INVALID_HANDLE);
}

/* One communicator's are told apart from another's, each once. */
static void agreements(void)
{
    MPI_T_event_registration all = listen_to("agreement", NULL), one;
    MPI_Comm comm, other;

    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &other));
    one = listen_to("comm_agreement", &comm);
    memset(seen, 0, sizeof seen);
    vote(comm); /* without callbacks it is told to nobody, and not later either */
    call_at(all, RESTRICTED, &seen[0]);
    call_at(one, RESTRICTED, &seen[1]);
    vote(comm);
    CHECK_EQ(seen[0].calls, 1);
    CHECK_EQ(seen[1].calls, 1);
    CHECK(seen[1].context == seen[0].context && seen[1].purpose == 0 && seen[1].failed == 0);
    CHECK_EQ(seen[1].size, size);
    CHECK(seen[0].safety == RESTRICTED);
    vote(other);
    CHECK_EQ(seen[0].calls, 2);
    CHECK_EQ(seen[1].calls, 1);
    CHECK(seen[0].when >= seen[1].when && seen[0].context != seen[1].context);
    CHECK_OK(MPI_T_event_handle_free(one, &seen[1], note_free));
    CHECK_EQ(seen[1].freed, 1);
    vote(comm);
    CHECK_EQ(seen[0].calls, 3);
    CHECK_EQ(seen[1].calls, 1);
    CHECK_OK(MPI_T_event_register_callback(all, RESTRICTED, MPI_INFO_NULL, NULL, NULL));
    vote(comm);
    CHECK_EQ(seen[0].calls, 3);
    CHECK_OK(MPI_T_event_handle_free(all, NULL, NULL));
    CHECK_OK(MPI_Comm_free(&comm));
    CHECK_OK(MPI_Comm_free(&other));
}

/* A callback that may call everything is called where it may, and has the choice of the lowest level. */
static void levels(void)
{
    MPI_T_event_registration r = listen_to("agreement", NULL);
    int flag;

    memset(seen, 0, sizeof seen);
    call_at(r, MPI_T_CB_REQUIRE_NONE, &seen[0]);
    vote(MPI_COMM_WORLD);
    CHECK_EQ(seen[0].calls, 0);
    CHECK_OK(MPI_Initialized(&flag));
    CHECK_EQ(seen[0].calls, 1);
    CHECK(seen[0].safety == MPI_T_CB_REQUIRE_NONE);
    call_at(r, MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE, &seen[3]);
    vote(MPI_COMM_WORLD);
    CHECK_EQ(seen[0].calls, 1);
    CHECK_EQ(seen[3].calls, 1);
    CHECK(seen[3].safety == RESTRICTED);
    call_at(r, MPI_T_CB_REQUIRE_THREAD_SAFE, &seen[2]);
    call_at(r, RESTRICTED, &seen[1]);
    vote(MPI_COMM_WORLD);
    CHECK(seen[0].calls == 1 && seen[1].calls == 1 && seen[2].calls == 0 && seen[3].calls == 1);
    CHECK_OK(MPI_T_event_handle_free(r, NULL, NULL));
}

static void revocations(void)
{
    MPI_T_event_registration any = listen_to("revocation", NULL), one;
    MPI_Comm comm, other;
    int err = MPI_SUCCESS;

    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &other));
    memset(seen, 0, sizeof seen);
    one = listen_to("comm_revoked", &comm);
    call_at(any, RESTRICTED, &seen[0]);
    call_at(one, RESTRICTED, &seen[1]);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD)); /* all listen */
    if (rank == 0)
        CHECK_OK(MPIX_Comm_revoke(comm));
    while (!err && rank)
        err = MPI_Barrier(comm);
    MPI_Comm_size(MPI_COMM_SELF, &err);
    CHECK_EQ(seen[1].calls, 1);
    CHECK_EQ(seen[0].calls, 1);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == size - 1)
        CHECK_OK(MPIX_Comm_revoke(other));
    while (rank < size - 1 && MPI_Barrier(other) == MPI_SUCCESS)
        ;
    MPI_Comm_size(MPI_COMM_SELF, &err);
    CHECK_EQ(seen[1].calls, 1);
    CHECK_EQ(seen[0].calls, 2);
    CHECK_OK(MPI_T_event_handle_free(one, NULL, NULL));
    CHECK_OK(MPI_T_event_handle_free(any, NULL, NULL));
    CHECK_OK(MPI_Comm_free(&comm));
    CHECK_OK(MPI_Comm_free(&other));
}

static void free_itself(MPI_T_event_instance e, MPI_T_event_registration r, MPI_T_cb_safety safety,
                        void *data)
{
    int of = -1;

    seen[0].calls++;
    CHECK_OK(MPI_T_event_handle_free(r, &seen[0], note_free));
    CHECK_EQ(seen[0].freed, 0);
    CHECK_EQ(MPI_T_event_handle_free(r, &seen[0], note_free), MPI_T_ERR_INVALID_HANDLE);
    CHECK_OK(MPI_T_event_read(e, 1, &of));
    CHECK_EQ(of, size);
}

static void end_it(MPI_T_event_instance e, MPI_T_event_registration r, MPI_T_cb_safety safety,
                   void *data)
{
    seen[1].calls++;
    CHECK_OK(MPI_T_finalize());
    CHECK_EQ(MPI_T_event_get_num(&seen[1].size), MPI_T_ERR_NOT_INITIALIZED);
}

/* A callback frees its registration, and then one finalizes the interface. */
static void ends(void)
{
    MPI_T_event_registration r = listen_to("agreement", NULL), more;
    int provided;

    memset(seen, 0, sizeof seen);
    CHECK_OK(MPI_T_event_register_callback(r, RESTRICTED, MPI_INFO_NULL, NULL, free_itself));
    vote(MPI_COMM_WORLD);
    vote(MPI_COMM_WORLD);
    CHECK(seen[0].calls == 1 && seen[0].freed == 1);
    r = listen_to("agreement", NULL);
    more = listen_to("agreement", NULL);
    CHECK_OK(MPI_T_event_register_callback(r, RESTRICTED, MPI_INFO_NULL, NULL, end_it));
    call_at(more, RESTRICTED, &seen[2]);
    vote(MPI_COMM_WORLD);
    vote(MPI_COMM_WORLD);
    CHECK(seen[1].calls == 1 && seen[2].calls == 0);
    CHECK_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    CHECK_EQ(MPI_T_event_handle_free(more, NULL, NULL), MPI_T_ERR_INVALID_HANDLE);
}

int main(int argc, char **argv)
{
    int provided, level = argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;

    CHECK_OK(MPI_T_init_thread(level, &provided));
    source();
    every_type();
    MPI_Init_thread(&argc, &argv, level, &provided);
    know_rank();
    return_errors();
    wrong();
    agreements();
    levels();
    revocations();
    ends();
    MPI_Finalize();
    CHECK_OK(MPI_T_finalize());
    return 0;
}
