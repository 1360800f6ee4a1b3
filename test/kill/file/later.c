/* SPDX-License-Identifier: BSD-3-Clause */
/* A member dies while the kernel writes for it (parameter FILE_ASYNC), or reads.  The survivors' own requests complete, sync reports
 * the death at all of them alike, and what they have written is in the file.
 *
 * Argument: which rank dies; where, the recipes say.
 *
 *   S0-50: writing to a file need not report a death
 *   S0-51: the next sync reports the death
 *   S0-52: sync returns the same at all survivors */
/* RUN: -n 2 ; args 1 ; set FILE_ASYNC=always ; kill 1 at call:MPI_Wait#2 */
/* RUN: -n 4 ; args 0 ; set FILE_ASYNC=always ; kill 0 at call:MPI_Wait#1 */
/* RUN: -n 4 ; args 3 ; set FILE_ASYNC=always ; kill 3 at call:MPI_Wait#3 */
/* RUN: -n 4 ; args 2 ; set FILE_ASYNC=always ; set MACHINES=2 ; kill 2 at call:MPI_Wait#2 */
/* RUN: -n 4 ; args 2 ; set FILE_ASYNC=always ; kill 2 at call:MPI_File_close */
#include "common.h"

#define ROUNDS 4
#define BYTES  (8 << 20)

static unsigned char out[BYTES], in[BYTES];

static unsigned char byte_of(int r, int round)
{
    return (unsigned char)(1 + r * ROUNDS + round);
}

static void check_survivors(const char *name, int victim)
{
    FILE *f = fopen(name, "rb");

    CHECK(f);
    for (int r = 0; r < size; r++) {
        if (r == victim)
            continue;
        for (int round = 0; round < ROUNDS; round++) {
            CHECK(fseek(f, ((long)round * size + r) * BYTES, SEEK_SET) == 0);
            CHECK_EQ(fread(in, 1, BYTES, f), BYTES);
            for (int i = 0; i < BYTES; i++)
                CHECK_EQ(in[i], byte_of(r, round));
        }
    }
    fclose(f);
}

int main(int argc, char **argv)
{
    MPI_File f;
    MPI_Request q;
    MPI_Status s;
    int victim, class, n;

    start(&argc, &argv);
    victim = atoi(argv[1]);
    f = open_file(MPI_COMM_WORLD, "later");
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Offset at = ((MPI_Offset)round * size + rank) * BYTES;

        memset(out, byte_of(rank, round), BYTES);
        CHECK_EQ(MPI_File_iwrite_at(f, at, out, BYTES, MPI_BYTE, &q), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&q, &s), MPI_SUCCESS);
        MPI_Get_count(&s, MPI_BYTE, &n);
        CHECK_EQ(n, BYTES);
        CHECK_EQ(MPI_File_iread_at(f, at, in, BYTES, MPI_BYTE, &q), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&q, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK(memcmp(in, out, BYTES) == 0);
    }
    if (rank == victim)
        CHECK_EQ(MPI_File_close(&f), MPI_SUCCESS); /* it dies in there, or has already */
    class = class_of(MPI_File_sync(f));
    CHECK_EQ(class, MPI_ERR_PROC_FAILED);
    same_everywhere(16, class);
    check_survivors(file_name("later"), victim);
    CHECK_EQ(MPI_File_close(&f), MPI_SUCCESS);
    return finish();
}
