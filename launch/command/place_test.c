/* SPDX-License-Identifier: BSD-3-Clause */
/* place_test.c – two sockets with two NUMA domains of two cores each, every core with two hardware threads that
 * are numbered as Linux does: the first threads of all cores, then the second ones. */
#include "command/place.h"

#include "base/test.h"

#include <string.h>

#define CORES_N 8

static struct mend_topology machine(void)
{
    struct mend_topology t = {.n = 2 * CORES_N};

    for (int i = 0; i < t.n; i++) {
        int core = i % CORES_N;

        t.cpu[i] = (struct mend_cpu){
            .cpu = i, .unit = {i, core, core, core, core / 2, core / 2, core / 4, 0}};
    }
    return t;
}

static const char *ordered(enum mend_unit step, enum mend_unit map)
{
    static char text[128];
    struct mend_topology t = machine();
    int order[CPU_SETSIZE], n = mend_place_order(&t, step, map, order), at = 0;

    for (int i = 0; i < n; i++)
        at += snprintf(text + at, sizeof(text) - (size_t)at, "%s%d", i ? " " : "",
                       t.cpu[order[i]].cpu);
    return text;
}

MEND_TEST(order)
{
    CHECK_STR(ordered(MEND_UNIT_CORE, MEND_UNIT_HWTHREAD), "0 1 2 3 4 5 6 7");
    CHECK_STR(ordered(MEND_UNIT_CORE, MEND_UNIT_CORE), "0 1 2 3 4 5 6 7");
    CHECK_STR(ordered(MEND_UNIT_CORE, MEND_UNIT_SOCKET), "0 4 1 5 2 6 3 7");
    CHECK_STR(ordered(MEND_UNIT_CORE, MEND_UNIT_NUMA), "0 2 4 6 1 3 5 7");
    CHECK_STR(ordered(MEND_UNIT_CORE, MEND_UNIT_MACHINE), "0 1 2 3 4 5 6 7");
    CHECK_STR(ordered(MEND_UNIT_HWTHREAD, MEND_UNIT_CORE), "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15");
    CHECK_STR(ordered(MEND_UNIT_HWTHREAD, MEND_UNIT_SOCKET),
              "0 4 1 5 2 6 3 7 8 12 9 13 10 14 11 15");
}

MEND_TEST(count)
{
    struct mend_topology t = machine();
    static const int n[MEND_UNITS_N] = {16, 8, 8, 8, 4, 4, 2, 1};

    for (int kind = 0; kind < MEND_UNITS_N; kind++)
        CHECK_EQ(mend_place_count(&t, (enum mend_unit)kind), n[kind]);
}

/* A job that may not use all processors: the first core of a unit is another one. */
MEND_TEST(part)
{
    struct mend_topology t = machine();
    int order[CPU_SETSIZE];

    memmove(&t.cpu[0], &t.cpu[3], 4 * sizeof(t.cpu[0])); /* processors 3 to 6 */
    t.n = 4;
    CHECK_EQ(mend_place_order(&t, MEND_UNIT_CORE, MEND_UNIT_SOCKET, order), 4);
    CHECK_EQ(t.cpu[order[0]].cpu, 3);
    CHECK_EQ(t.cpu[order[1]].cpu, 4);
    CHECK_EQ(t.cpu[order[2]].cpu, 5);
    CHECK_EQ(t.cpu[order[3]].cpu, 6);
}

MEND_TEST(sets)
{
    static const char *const text[MEND_UNITS_N] = {"2",         "2,10",      "2,10",     "2,10",
                                                   "2-3,10-11", "2-3,10-11", "0-3,8-11", "0-15"};
    struct mend_topology t = machine();
    char buf[64];

    for (int kind = 0; kind < MEND_UNITS_N; kind++) {
        cpu_set_t set;

        CPU_ZERO(&set);
        mend_place_add(&t, 2, (enum mend_unit)kind, &set);
        mend_place_text(&set, buf, sizeof(buf));
        CHECK_STR(buf, text[kind]);
    }
}

MEND_TEST_MAIN()
