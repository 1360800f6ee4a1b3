/* SPDX-License-Identifier: BSD-3-Clause */
/* errcode_test.c – classes, codes, texts; and the text of a failure. */
#include "comm/errcode.h"
#include "comm/objects.h"
#include "proc/peer.h"
#include "rt/rt.h"

#include "base/test.h"

#include <signal.h>

static struct mend_proc *self;

static void start(void)
{
    if (self)
        return;
    self = mend_proc_create_bare();
    CHECK_EQ(mend_objects_init(self), MPI_SUCCESS);
}

static const char *text(int code)
{
    static char t[MPI_MAX_ERROR_STRING];

    strcpy(t, "none");
    mend_errcode_text(self, code, t, sizeof(t));
    return t;
}

MEND_TEST(every_predefined_class_has_a_text_and_is_its_own_class)
{
    start();
    for (int code = 0; code <= 0x4200; code++) {
        int class = -1, err = mend_errcode_class(self, code, &class);
        bool known = (code >= 0 && code <= MPI_ERR_ABI) || (code >= 1001 && code <= 1018) ||
                     code == MPI_ERR_PROC_FAILED || code == MPI_ERR_INVALIDATED;

        CHECK_EQ(err, known ? MPI_SUCCESS : MPI_ERR_ARG);
        CHECK_EQ(class, known ? code : -1);
        CHECK(known == (strncmp(text(code), "MPI_", 4) == 0));
    }
    CHECK_EQ(mend_errcode_class(self, -1, &(int){0}), MPI_ERR_ARG);
    CHECK(!strncmp(text(MPI_ERR_RMA_SYNC), "MPI_ERR_RMA_SYNC: ", 18));
}

MEND_TEST(user_classes_and_codes)
{
    int class = 0, code = 0, mine = 0, found;

    CHECK_EQ(mend_errcode_add_class(self, &class), MPI_SUCCESS);
    CHECK_EQ(class, 0x4100);
    CHECK_EQ(mend_errcode_add_code(self, class, &code), MPI_SUCCESS);
    CHECK_EQ(mend_errcode_add_code(self, MPI_ERR_IO, &mine), MPI_SUCCESS);
    CHECK_EQ(self->objects->values.last_used_code, mine);
    CHECK_EQ(mend_errcode_class(self, code, &found), MPI_SUCCESS);
    CHECK_EQ(found, class);
    CHECK_EQ(mend_errcode_class(self, mine, &found), MPI_SUCCESS);
    CHECK_EQ(found, MPI_ERR_IO);
    CHECK_STR(text(code), "");
    CHECK_EQ(mend_errcode_add_text(self, code, "first"), MPI_SUCCESS);
    CHECK_EQ(mend_errcode_add_text(self, code, "my code"), MPI_SUCCESS);
    CHECK_STR(text(code), "my code");
    CHECK_EQ(mend_errcode_add_text(self, MPI_ERR_IO, "x"), MPI_ERR_ARG);
    CHECK_EQ(mend_errcode_add_code(self, code, &found), MPI_ERR_ARG); /* a code, not a class */
    CHECK_EQ(mend_errcode_add_code(self, 0x5000, &found), MPI_ERR_ARG);

    CHECK_EQ(mend_errcode_remove_class(self, class), MPI_ERR_ARG); /* still has a code */
    CHECK_EQ(mend_errcode_remove_class(self, code), MPI_ERR_ARG);
    CHECK_EQ(mend_errcode_remove_code(self, code), MPI_ERR_ARG); /* still has a text */
    CHECK_EQ(mend_errcode_remove_text(self, code), MPI_SUCCESS);
    CHECK_EQ(mend_errcode_remove_text(self, code), MPI_ERR_ARG);
    CHECK_EQ(mend_errcode_remove_code(self, code), MPI_SUCCESS);
    CHECK_EQ(mend_errcode_add_text(self, class, "my class"), MPI_SUCCESS);
    CHECK_EQ(mend_errcode_remove_class(self, class), MPI_ERR_ARG); /* still has a text */
    CHECK_EQ(mend_errcode_remove_text(self, class), MPI_SUCCESS);
    CHECK_EQ(mend_errcode_remove_class(self, class), MPI_SUCCESS);
    CHECK_EQ(mend_errcode_class(self, class, &found), MPI_ERR_ARG);
    CHECK_EQ(mend_errcode_remove_class(self, MPI_ERR_IO), MPI_ERR_ARG);
    CHECK_EQ(mend_errcode_remove_code(self, mine), MPI_SUCCESS);
}

static const char *host(struct mend_proc *p, mend_peer peer)
{
    return peer == 3 ? "n3" : "n0";
}

static mend_time_ns clock_at_10s(struct mend_proc *p)
{
    return 10 * MEND_NS_PER_S;
}

MEND_TEST(a_failure_names_rank_host_cause_and_age)
{
    static struct mend_death log[] = {
        {.peer = 3,
         .cause = MEND_CAUSE_SIGNAL,
         .code = SIGKILL,
         .when_ns = 10 * MEND_NS_PER_S - 13400000},
        {.peer = 1, .cause = MEND_CAUSE_EXIT, .code = 4, .when_ns = 8 * MEND_NS_PER_S},
        {.peer = 7, .cause = MEND_CAUSE_LOST},
    };
    static const struct mend_rt rt = {.host = host};
    struct mend_group *g = mend_group_create(self, (mend_peer[]){0, 3, 1}, 3);
    struct mend_comm *c;

    self->me = 0;
    CHECK(mend_peers_add(self, 8));
    c = mend_comm_create(self, g, NULL, MEND_CTX_MAKE(1, 1), NULL);
    CHECK_STR(text(MPI_ERR_PROC_FAILED),
              "MPI_ERR_PROC_FAILED: a process that the operation needs is dead");
    self->deaths = log;
    self->deaths_n = 3;
    self->rt = &rt;
    self->clock = clock_at_10s;
    c->name = mend_strdup(self, "halo", 8);
    mend_failure_note(c, MPI_ERR_PROC_FAILED);
    CHECK_STR(
        text(MPI_ERR_PROC_FAILED),
        "MPI_ERR_PROC_FAILED: a process that the operation needs is dead: rank 2 of halo on "
        "host n0, ended with status 4 without MPI_Finalize, 2.0 s ago; rank 1 of halo on host "
        "n3, killed by signal 9 (SIGKILL), 13.4 ms ago");
    mend_failure_note(c, MPI_ERR_INVALIDATED);
    CHECK_STR(text(MPI_ERR_INVALIDATED),
              "MPI_ERR_REVOKED (MPI_ERR_INVALIDATED): the communicator was revoked: halo");
    mend_failure_note(c, MPI_ERR_TAG); /* no failure: nothing to remember */
    CHECK(!strchr(text(MPI_ERR_TAG), ';'));
}

MEND_TEST(details_belong_to_one_error)
{
    mend_error_detail(self, MPI_ERR_OP, 0, "MPI_BAND of %s", "MPI_DOUBLE");
    mend_error_raised(self, MPI_ERR_OP);
    CHECK(strstr(text(MPI_ERR_OP), "datatype: MPI_BAND of MPI_DOUBLE"));
    CHECK(!strstr(text(MPI_ERR_TAG), "MPI_BAND"));
    mend_error_raised(self,
                      MPI_ERR_TAG); /* another class: the text of the older code may be asked for */
    CHECK(strstr(text(MPI_ERR_OP), "MPI_BAND"));
    mend_error_raised(self, MPI_ERR_OP);
    CHECK(!strstr(text(MPI_ERR_OP), "MPI_BAND"));

    mend_error_detail(self, MPI_ERR_OP, 0, "never raised");
    mend_error_raised(self, MPI_ERR_TAG);
    CHECK(!strstr(text(MPI_ERR_OP), "never raised"));

    mend_error_detail(self, MPI_ERR_IN_STATUS, MPI_ERR_TRUNCATE, "array_of_requests[1]");
    mend_error_raised(self, MPI_ERR_IN_STATUS);
    CHECK(strstr(text(MPI_ERR_IN_STATUS), ": array_of_requests[1]: MPI_ERR_TRUNCATE: the message"));
}

MEND_TEST(a_long_text_is_cut)
{
    char small[24];

    CHECK_EQ(mend_errcode_text(self, MPI_ERR_PROC_FAILED, small, sizeof(small)), MPI_SUCCESS);
    CHECK_STR(small, "MPI_ERR_PROC_FAILED: a ");
}

MEND_TEST_MAIN()
