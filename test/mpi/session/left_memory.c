/* SPDX-License-Identifier: BSD-3-Clause */
/* After MPI_Finalize a process can read little of the job's shared memory, most of which is room that no page stands behind: a
 * tool that reads all memory at the end of a program, as valgrind's search for leaks does, would make pages of it, 12 GiB.
 *
 * RUN: -n 2 ; expect "before: much, after: little"
 * RUN: -n 2 ; set UNIVERSE_SIZE=200 ; expect "before: much, after: little" */
#include "../../program.h"

#include <inttypes.h>

/* KiB of shared memory that this process can read. */
static uintmax_t readable_kib(void)
{
    FILE *f = fopen("/proc/self/maps", "r");
    uintmax_t from, to, sum = 0;
    char line[4096], way[8];

    CHECK(f != NULL);
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "%" SCNxMAX "-%" SCNxMAX " %7s", &from, &to, way) == 3 && way[0] == 'r' &&
            strstr(line, "memfd:mend"))
            sum += (to - from) / 1024;
    fclose(f);
    return sum;
}

int main(int argc, char **argv)
{
    uintmax_t before, after;

    MPI_Init(&argc, &argv);
    know_rank();
    before = readable_kib();
    MPI_Finalize();
    after = readable_kib();
    CHECK(after < 64 * 1024);
    printf("before: %s, after: %s\n", before > 1024 * 1024 ? "much" : "little",
           after ? "little" : "nothing");
    return 0;
}
