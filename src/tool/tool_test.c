/* SPDX-License-Identifier: BSD-3-Clause */
/* tool_test.c – texts, enumerations, parameters as variables, handles, and counts of several handles. */
#include "tool/event.h"

#include "base/test.h"
#include "proc/detour.h"

#include <stdlib.h>
#include <string.h>

static struct mend_proc *self;
static struct mend_tool *tool;

static void begin(void)
{
    int level;

    self = mend_proc_create_bare();
    CHECK_EQ(mend_tool_open(self, MPI_THREAD_SINGLE, &level), MPI_SUCCESS);
    tool = self->tool;
}

MEND_TEST(texts_are_cut_to_the_buffer)
{
    char buf[8] = "#######";
    int len = 4;

    mend_tool_text("longer", buf, &len);
    CHECK_STR(buf, "lon");
    CHECK_EQ(buf[4], '#');
    CHECK_EQ(len, 4);
    len = sizeof(buf);
    mend_tool_text("longer", buf, &len);
    CHECK_STR(buf, "longer");
    CHECK_EQ(len, 7);
    len = 0;
    mend_tool_text("x", buf, &len);
    CHECK_EQ(len, 2);
    CHECK_STR(buf, "longer");
    mend_tool_text("x", buf, NULL);
    CHECK_STR(buf, "longer");
}

MEND_TEST(enumerations_have_words)
{
    char word[MEND_TOOL_WORD_BYTES];

    CHECK_EQ(mend_tool_enum_n(&mend_tool_enums[MEND_ENUM_SWITCH]), 2);
    mend_tool_enum_word(&mend_tool_enums[MEND_ENUM_SWITCH], 1, word);
    CHECK_STR(word, "on");
    for (int i = 0; i < MEND_ENUMS; i++)
        CHECK(mend_tool_enum_of(mend_tool_enum_handle(&mend_tool_enums[i])) == &mend_tool_enums[i]);
    CHECK(!mend_tool_enum_of(MPI_T_ENUM_NULL));
    CHECK(!mend_tool_enum_of((MPI_T_enum)(void *)word));
}

MEND_TEST(every_parameter_of_words_has_an_enumeration)
{
    CHECK_EQ(mend_tool_cvars_n(), mend_param_list_n);
    for (int i = 0; i < mend_tool_cvars_n(); i++) {
        bool words = strchr("BW", mend_param_list[i].type) != NULL;

        CHECK_EQ(mend_tool_cvar_enum(i) != NULL, words);
        CHECK_EQ(mend_tool_cvar_type(i) == MPI_INT, words);
        CHECK(mend_tool_cvar_list[i].category != MEND_CATEGORY_ALL);
        CHECK_EQ(mend_tool_cvar_list[i].when == MEND_WHEN_NEVER,
                 mend_tool_cvar_list[i].scope == MPI_T_SCOPE_CONSTANT ||
                     mend_tool_cvar_list[i].scope == MPI_T_SCOPE_READONLY);
    }
}

static int of(const char *name)
{
    char own[MEND_TOOL_WORD_BYTES];

    for (int i = 0; i < mend_tool_cvars_n(); i++) {
        mend_tool_cvar_name(i, own);
        if (!strcmp(own, name))
            return i;
    }
    return -1;
}

MEND_TEST(what_a_tool_sets_outlives_the_environment)
{
    const struct mend_param_info *bad;
    unsigned long long eager = 17;
    double seconds = 1.5;
    int word = 2;

    setenv("MEND_EAGER_MAX", "64k", 1);
    begin();
    CHECK_EQ(self->params.eager_max_bytes, 65536);
    CHECK_EQ(mend_tool_cvar_write(tool, of("MEND_EAGER_MAX"), &eager), MPI_SUCCESS);
    CHECK_EQ(mend_tool_cvar_write(tool, of("MEND_SINGLE_COPY"), &word), MPI_SUCCESS);
    CHECK_EQ(mend_tool_cvar_write(tool, of("MEND_SLEEP_MAX"), &seconds), MPI_SUCCESS);
    CHECK_EQ(mend_tool_cvar_write(tool, of("MEND_COLL"), "bcast=binomial"), MPI_SUCCESS);
    mend_params_read(&self->params, &bad);
    CHECK_EQ(self->params.eager_max_bytes, 65536);
    mend_tool_apply(tool);
    CHECK_EQ(self->params.eager_max_bytes, 17);
    CHECK_STR(self->params.single_copy, "always");
    CHECK_STR(self->params.coll_algorithm, "bcast=binomial");
    CHECK_EQ(self->params.sleep_max_ns, 1500000000);
    CHECK_EQ(mend_tool_cvar_write(tool, of("MEND_COLL"), ""), MPI_SUCCESS);
    CHECK(!self->params.coll_algorithm);
    seconds = 0;
    CHECK_EQ(mend_tool_cvar_write(tool, of("MEND_SLEEP_MAX"), &seconds), MPI_SUCCESS);
    CHECK_EQ(self->params.sleep_max_ns, MEND_TIME_NEVER);
    unsetenv("MEND_EAGER_MAX");
}

MEND_TEST(writes_that_come_too_late_or_make_no_sense)
{
    unsigned long long number = 1 << 20;
    double seconds = -1;
    int word = 7;

    CHECK_EQ(mend_tool_cvar_write(tool, of("MEND_EAGER_MAX"), &number), MPI_T_ERR_INVALID);
    CHECK_EQ(mend_tool_cvar_write(tool, of("MEND_SINGLE_COPY"), &word), MPI_T_ERR_INVALID);
    CHECK_EQ(mend_tool_cvar_write(tool, of("MEND_SLEEP_MAX"), &seconds), MPI_T_ERR_INVALID);
    CHECK_EQ(mend_tool_cvar_write(tool, of("MEND_COLL"), "bcast=x"), MPI_T_ERR_INVALID);
    CHECK_EQ(mend_tool_cvar_write(tool, of("MEND_STOP_TIMEOUT"), &seconds),
             MPI_T_ERR_CVAR_SET_NEVER);
    CHECK_EQ(self->params.eager_max_bytes, 17);
    self->state = MEND_PROC_RUNNING;
    number = 5;
    CHECK_EQ(mend_tool_cvar_write(tool, of("MEND_EAGER_MAX"), &number), MPI_T_ERR_CVAR_SET_NOT_NOW);
    CHECK_EQ(mend_tool_cvar_write(tool, of("MEND_SPIN"), &number), MPI_SUCCESS);
    CHECK_EQ(self->params.spin_polls, 5);
    self->state = MEND_PROC_BARE;
}

MEND_TEST(handles_are_of_their_kind_and_go_with_the_interface)
{
    struct mend_tool_session *s = mend_tool_session_new(tool);
    struct mend_tool_pvar_handle *h = mend_tool_pvar_new(tool, s, MEND_PVAR_deaths, NULL);
    size_t before;

    CHECK(mend_tool_find(tool, s, MEND_TOOL_SESSION) == s);
    CHECK(!mend_tool_find(tool, s, MEND_TOOL_PVAR));
    CHECK(!mend_tool_find(tool, &s, MEND_TOOL_SESSION));
    CHECK(!mend_tool_find(tool, NULL, MEND_TOOL_SESSION));
    mend_tool_session_drop(tool, s);
    CHECK(!mend_tool_find(tool, h, MEND_TOOL_PVAR));
    before = self->arena->in_use_bytes;
    s = mend_tool_session_new(tool);
    mend_tool_pvar_new(tool, s, MEND_PVAR_time_waiting, NULL);
    mend_tool_register(tool, MEND_TOOL_EVENT_process_failed, NULL);
    mend_tool_close(tool);
    CHECK(!mend_tool_find(tool, s, MEND_TOOL_SESSION));
    CHECK(self->arena->in_use_bytes <= before);
    CHECK(!self->on_occurrence && !self->wait_times);
    begin();
}

static uint64_t value(struct mend_tool_pvar_handle *h)
{
    uint64_t v = 4711;

    CHECK_EQ(mend_tool_pvar_read(tool, h, &v), MPI_SUCCESS);
    return v;
}

MEND_TEST(timers_count_while_they_run)
{
    struct mend_tool_session *s = mend_tool_session_new(tool);
    struct mend_tool_pvar_handle *a = mend_tool_pvar_new(tool, s, MEND_PVAR_time_waiting, NULL),
                                 *b = mend_tool_pvar_new(tool, s,
                                                         MEND_PVAR_time_waiting_for_messages, NULL);
    double x;

    CHECK(!self->wait_times);
    CHECK_EQ(mend_tool_pvar_start(tool, a), MPI_SUCCESS);
    self->wait_times->ns[MEND_WAIT_MESSAGES] += 1000000000;
    CHECK_EQ(mend_tool_pvar_start(tool, b), MPI_SUCCESS);
    self->wait_times->ns[MEND_WAIT_MESSAGES] += 500000000;
    self->wait_times->ns[MEND_WAIT_OTHER] += 250000000;
    CHECK_EQ(mend_tool_pvar_stop(tool, a), MPI_SUCCESS);
    CHECK_EQ(mend_tool_pvar_stop(tool, a), MPI_SUCCESS);
    CHECK(self->wait_times);
    self->wait_times->ns[MEND_WAIT_MESSAGES] += 500000000;
    CHECK_EQ(mend_tool_pvar_read(tool, a, &x), MPI_SUCCESS);
    CHECK(x == 1.75);
    CHECK_EQ(mend_tool_pvar_read(tool, b, &x), MPI_SUCCESS);
    CHECK(x == 1.0);
    mend_tool_session_drop(tool, s);
    CHECK(!self->wait_times);
}

MEND_TEST(what_is_shown_cannot_be_changed)
{
    struct mend_tool_session *s = mend_tool_session_new(tool);
    struct mend_tool_pvar_handle *h = mend_tool_pvar_new(tool, s, MEND_PVAR_deaths, NULL);

    self->deaths_n = 3;
    CHECK_EQ(value(h), 3);
    CHECK_EQ(mend_tool_pvar_start(tool, h), MPI_T_ERR_PVAR_NO_STARTSTOP);
    CHECK_EQ(mend_tool_pvar_stop(tool, h), MPI_T_ERR_PVAR_NO_STARTSTOP);
    CHECK_EQ(mend_tool_pvar_reset(tool, h), MPI_T_ERR_PVAR_NO_WRITE);
    CHECK_EQ(mend_tool_pvar_write(tool, h, &(uint64_t){1}), MPI_T_ERR_PVAR_NO_WRITE);
    CHECK_EQ(value(h), 3);
    self->deaths_n = 0;
}

MEND_TEST(threads_need_the_lock)
{
    int level;

    CHECK_EQ(mend_tool_open(self, 4711, &level), MPI_T_ERR_INVALID);
    self->state = MEND_PROC_RUNNING;
    CHECK_EQ(mend_tool_open(self, MPI_THREAD_MULTIPLE, &level), MPI_SUCCESS);
    CHECK_EQ(level, MPI_THREAD_SERIALIZED);
    CHECK(!self->tool_threads);
    mend_detour_begin(self, MEND_DETOUR_THREADS);
    CHECK_EQ(mend_tool_open(self, MPI_THREAD_MULTIPLE, &level), MPI_SUCCESS);
    CHECK_EQ(level, MPI_THREAD_MULTIPLE);
    mend_detour_end(self, MEND_DETOUR_THREADS);
    self->state = MEND_PROC_BARE;
    CHECK_EQ(mend_tool_open(self, MPI_THREAD_MULTIPLE, &level), MPI_SUCCESS);
    CHECK(level == MPI_THREAD_MULTIPLE && self->tool_threads);
}

MEND_TEST_MAIN()
