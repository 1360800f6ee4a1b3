/* SPDX-License-Identifier: BSD-3-Clause */
/* hardware_test.c – a machine made of files: two packages of two NUMA nodes, four cores each with two threads. */
#include "base/hardware.h"
#include "base/test.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char root[64];

/* Writes text into a file below root, and makes its folders. */
static void put(const char *text, const char *format, ...)
{
    char path[512], name[256];
    va_list args;
    FILE *f;

    va_start(args, format);
    vsnprintf(name, sizeof(name), format, args);
    va_end(args);
    snprintf(path, sizeof(path), "%s/%s", root, name);
    for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        mkdir(path, 0700);
        *at = '/';
    }
    f = fopen(path, "w");
    fputs(text, f);
    fclose(f);
}

static void cache(int cpu, int index, const char *level, const char *type, const char *list)
{
    put(level, "cpu/cpu%d/cache/index%d/level", cpu, index);
    put(type, "cpu/cpu%d/cache/index%d/type", cpu, index);
    put(list, "cpu/cpu%d/cache/index%d/shared_cpu_list", cpu, index);
}

/* Processors n and n + 8 are threads of a core; 0 to 3 and 8 to 11 are package 0, and so on. */
static void make_machine(void)
{
    char threads[32];

    strcpy(root, "/tmp/mend-hardware-XXXXXX");
    if (!mkdtemp(root))
        abort();
    for (int cpu = 0; cpu < 16; cpu++) {
        int core = cpu % 8;

        snprintf(threads, sizeof(threads), "%d,%d\n", core, core + 8);
        put(core < 4 ? "0-3,8-11\n" : "4-7,12-15\n", "cpu/cpu%d/topology/core_siblings_list", cpu);
        put(threads, "cpu/cpu%d/topology/thread_siblings_list", cpu);
        cache(cpu, 0, "1\n", "Instruction\n", "0-15\n");
        cache(cpu, 1, "1\n", "Data\n", threads);
        cache(cpu, 2, "2\n", "Unified\n", core % 4 < 2 ? "0-1,8-9" : "2-3,10-11");
    }
    put("0-1,8-9\n", "node/node0/cpulist");
    put("2-3,10-11\n", "node/node1/cpulist");
    put("\n", "node/node2/cpulist"); /* memory without processors */
    put("4-7,12-15\n", "node/node3/cpulist");
    put("0-3\n", "node/online");
}

static void remove_machine(void)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -r %s", root);
    if (system(command) != 0)
        abort();
}

static int of(enum mend_hardware kind, int a, int b)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((size_t)a, &set);
    CPU_SET((size_t)b, &set);
    return mend_hardware_of(root, kind, &set);
}

MEND_TEST(a_process_belongs_to_the_part_that_has_all_its_processors)
{
    make_machine();
    CHECK_EQ(of(MEND_HARDWARE_PACKAGE, 9, 3), 0);
    CHECK_EQ(of(MEND_HARDWARE_PACKAGE, 13, 7), 4);
    CHECK_EQ(of(MEND_HARDWARE_PACKAGE, 3, 4), MEND_HARDWARE_SEVERAL);
    CHECK_EQ(of(MEND_HARDWARE_NUMA, 11, 2), 2);
    CHECK_EQ(of(MEND_HARDWARE_NUMA, 0, 2), MEND_HARDWARE_SEVERAL);
    CHECK_EQ(of(MEND_HARDWARE_NUMA, 5, 15), 4);
    CHECK_EQ(of(MEND_HARDWARE_L1, 1, 9), 1);
    CHECK_EQ(of(MEND_HARDWARE_L1, 1, 8), MEND_HARDWARE_SEVERAL);
    CHECK_EQ(of(MEND_HARDWARE_L2, 0, 9), 0);
    CHECK_EQ(of(MEND_HARDWARE_CORE, 14, 6), 6);
    CHECK_EQ(of(MEND_HARDWARE_CORE, 6, 7), MEND_HARDWARE_SEVERAL);
    CHECK_EQ(of(MEND_HARDWARE_PU, 13, 13), 13);
    CHECK_EQ(of(MEND_HARDWARE_PU, 13, 14), MEND_HARDWARE_SEVERAL);
    remove_machine();
}

MEND_TEST(what_the_machine_does_not_tell_is_unknown)
{
    cpu_set_t none;

    make_machine();
    CPU_ZERO(&none);
    CHECK_EQ(mend_hardware_of(root, MEND_HARDWARE_CORE, &none), MEND_HARDWARE_UNKNOWN);
    CHECK_EQ(of(MEND_HARDWARE_L3, 0, 0), MEND_HARDWARE_UNKNOWN);
    CHECK_EQ(of(MEND_HARDWARE_CORE, 16, 17), MEND_HARDWARE_UNKNOWN);
    CHECK_EQ(of(MEND_HARDWARE_NUMA, 16, 17), MEND_HARDWARE_UNKNOWN);
    remove_machine();
    CHECK_EQ(of(MEND_HARDWARE_NUMA, 0, 0), MEND_HARDWARE_UNKNOWN);
}

MEND_TEST(a_damaged_list_is_no_part)
{
    static const char *const damaged[] = {"",
                                          "\n",
                                          "x",
                                          "0-",
                                          "0,",
                                          ",0",
                                          "3-0",
                                          "-1",
                                          "0-999999",
                                          "0 - 3",
                                          "0;1",
                                          "0-3x",
                                          "0-99999999999999999999"};

    make_machine();
    for (unsigned i = 0; i < sizeof(damaged) / sizeof(*damaged); i++) {
        put(damaged[i], "cpu/cpu0/topology/thread_siblings_list");
        CHECK_EQ(of(MEND_HARDWARE_CORE, 0, 0), MEND_HARDWARE_UNKNOWN);
    }
    remove_machine();
}

MEND_TEST(each_kind_has_one_name)
{
    for (int k = 0; k < MEND_HARDWARE_KINDS; k++)
        CHECK_EQ(mend_hardware_named(mend_hardware_name((enum mend_hardware)k)), k);
    CHECK_EQ(mend_hardware_named("Package"), MEND_HARDWARE_KINDS);
    CHECK_EQ(mend_hardware_named(""), MEND_HARDWARE_KINDS);
    CHECK_EQ(mend_hardware_named(NULL), MEND_HARDWARE_KINDS);
}

MEND_TEST_MAIN()
