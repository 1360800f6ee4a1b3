/* SPDX-License-Identifier: BSD-3-Clause */
/* event_test.c – the order in which callbacks are told, by level; what is dropped; callbacks that free and finalize; and the
 * numbers that say whether there is something to tell. */
#include "tool/event.h"

#include "base/test.h"
#include "proc/detour.h"

static struct mend_proc *self;
static struct mend_tool *tool;
#define DEATHS_MAX 8

static char said[256];

static void note(const char *format, int n)
{
    size_t used = strlen(said);

    snprintf(said + used, sizeof(said) - used, format, n);
}

static void hear(MPI_T_event_instance e, MPI_T_event_registration r, MPI_T_cb_safety safety,
                 void *data)
{
    const struct mend_tool_instance *i = (const struct mend_tool_instance *)e;

    CHECK(tool->told == i && (MPI_T_event_registration)i->of == r);
    note(data, i->data.failure.number);
}

static void dropped(MPI_Count count, MPI_T_event_registration r, int source, MPI_T_cb_safety safety,
                    void *data)
{
    note("dropped %d;", (int)count);
}

static void freed(MPI_T_event_registration r, MPI_T_cb_safety safety, void *data)
{
    note("freed %d;", *(int *)data);
}

static struct mend_tool_registration *listen_to(int level, const char *format)
{
    struct mend_tool_registration *r =
        mend_tool_register(tool, MEND_TOOL_EVENT_process_failed, NULL);

    mend_tool_set_callback(r, level, hear, (void *)(uintptr_t)format);
    return r;
}

static void begin(void)
{
    int level;

    said[0] = 0;
    if (self)
        mend_proc_destroy(self);
    self = mend_proc_create_bare();
    self->deaths = mend_zalloc(self, DEATHS_MAX, sizeof(*self->deaths));
    CHECK(self->deaths);
    CHECK_EQ(mend_tool_open(self, MPI_THREAD_SINGLE, &level), MPI_SUCCESS);
    tool = self->tool;
}

/* The next one dies. */
static void die(void)
{
    struct mend_death *death = &self->deaths[self->deaths_n++];

    death->peer = 1;
    mend_occurred(self, .kind = MEND_OCCURRED_DEATH, .death = death);
}

MEND_TEST(nothing_is_noted_without_a_callback)
{
    begin();
    die();
    CHECK(!self->on_occurrence);
    mend_tool_register(tool, MEND_TOOL_EVENT_process_failed, NULL);
    die();
    CHECK_EQ(self->untold_n, 0);
    CHECK(mend_detours(self, MEND_DETOUR_TOOL));
}

MEND_TEST(each_is_told_once_and_in_order)
{
    struct mend_tool_registration *r;

    begin();
    r = listen_to(1, "a%d;");
    listen_to(1, "b%d;");
    die();
    die();
    CHECK_EQ(self->untold_n, 4);
    CHECK_STR(said, "");
    mend_tell(self, false);
    CHECK_STR(said, "a0;b0;a1;b1;");
    CHECK_EQ(self->untold_n, 0);
    mend_tell(self, true);
    CHECK_STR(said, "a0;b0;a1;b1;");
    mend_tool_unregister(tool, r, freed, &(int){5});
    die();
    mend_tell(self, false);
    CHECK_STR(said, "a0;b0;a1;b1;freed 5;b2;");
}

MEND_TEST(no_callback_within_a_frame_or_a_reduction)
{
    begin();
    listen_to(1, "%d;");
    die();
    self->in_progress = true;
    mend_tell(self, false);
    self->in_progress = false;
    self->reducing = true;
    mend_tell(self, false);
    self->reducing = false;
    CHECK_STR(said, "");
    mend_tell(self, false);
    CHECK_STR(said, "0;");
}

MEND_TEST(the_lowest_level_that_suffices)
{
    struct mend_tool_registration *r;

    begin();
    r = listen_to(0, "none %d;");
    die();
    mend_tell(self, false);
    CHECK_STR(said, "");
    CHECK_EQ(self->untold_n, 1);
    mend_tell(self, true);
    CHECK_STR(said, "none 0;");
    mend_tool_set_callback(r, 2, hear, (void *)(uintptr_t) "safe %d;");
    die();
    mend_tell(self, false);
    die();
    mend_tell(self, true);
    CHECK_STR(said, "none 0;safe 1;none 2;");
}

MEND_TEST(without_memory_events_are_counted)
{
    struct mend_tool_registration *r;

    begin();
    r = listen_to(1, "%d;");
    r->on_dropped = dropped;
    mend_arena_set_faults(self->arena, 1, true);
    die();
    die();
    mend_arena_set_faults(self->arena, 0, false);
    die();
    CHECK_EQ(self->untold_n, 2);
    mend_tell(self, false);
    CHECK_STR(said, "dropped 2;2;");
    CHECK_EQ(self->untold_n, 0);
    mend_arena_set_faults(self->arena, 1, true);
    die();
    mend_arena_set_faults(self->arena, 0, false);
    mend_tool_unregister(tool, r, NULL, NULL);
    CHECK_EQ(self->untold_n, 0);
}

static void free_it(MPI_T_event_instance e, MPI_T_event_registration r, MPI_T_cb_safety safety,
                    void *data)
{
    static int number = 7;

    note("free%d;", 0);
    die(); /* it hears no more of it */
    mend_tool_unregister(tool, (struct mend_tool_registration *)r, freed, &number);
    mend_tell(self, false); /* from within: nothing */
}

static void end_it(MPI_T_event_instance e, MPI_T_event_registration r, MPI_T_cb_safety safety,
                   void *data)
{
    note("end%d;", 0);
    mend_tool_close(tool);
}

MEND_TEST(a_callback_frees_its_registration)
{
    struct mend_tool_registration *r;

    begin();
    r = listen_to(1, "");
    mend_tool_set_callback(r, 1, free_it, NULL);
    die();
    die();
    mend_tell(self, false);
    CHECK_STR(said, "free0;freed 7;");
    CHECK_EQ(self->untold_n, 0);
    CHECK(!self->on_occurrence && !mend_detours(self, MEND_DETOUR_TOOL));
    CHECK(!mend_tool_find(tool, r, MEND_TOOL_REGISTRATION));
}

MEND_TEST(a_callback_finalizes_the_interface)
{
    struct mend_tool_registration *r;

    begin();
    r = listen_to(1, "");
    mend_tool_set_callback(r, 1, end_it, NULL);
    listen_to(1, "%d;");
    die();
    die();
    mend_tell(self, false);
    CHECK_STR(said, "end0;");
    CHECK_EQ(self->untold_n, 0);
    CHECK(mend_list_empty(&tool->registrations) && mend_list_empty(&tool->queue));
}

MEND_TEST_MAIN()
