# SPDX-License-Identifier: BSD-3-Clause
# appended.sh – that nothing is lost of what was copied into a mapping of a file (hint mend_append_mapped) when all processes of a job
# die: each of three appends 3000 numbered records and is killed when the next one has its place.  The file has each of the 9000
# once, at most three places without a record between them, and then zeros up to the end of a chunk.
#
# RUN: expect "done"

cat >appended-one.c <<'PROGRAM'
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct record { int rank, number; char rest[56]; };

static struct record record_of(int rank, int number)
{
    struct record x = {rank, number, {0}};

    memset(x.rest, 1 + number % 100, sizeof(x.rest));
    return x;
}

/* Returns 0 if the file is as it should be. */
static int look(const char *name, int size, int each)
{
    int *found = calloc(size * (each + 1), sizeof(int)), holes = 0, waiting = 0, all = 0;
    FILE *f = fopen(name, "rb");
    struct record x, want;
    struct stat st;

    while (f && fread(&x, sizeof(x), 1, f) == 1) {
        want = record_of(x.rank, x.number);
        if (memcmp(&want, &x, sizeof(x)) || x.number < 0 || x.number > each) {
            waiting++; /* a hole, if a record comes behind it */
            continue;
        }
        holes += waiting;
        waiting = 0;
        if (x.rank >= size || found[x.rank * (each + 1) + x.number]++)
            return 1;
        all += x.number < each;
    }
    fstat(fileno(f), &st);
    printf("%d records, %d holes, %lld bytes\n", all, holes, (long long)st.st_size);
    return all != size * each || holes > size || st.st_size > all * (long long)sizeof(x) + (2 << 20);
}

int main(int argc, char **argv)
{
    MPI_Info i;
    MPI_File f;
    int rank;

    if (argc == 4)
        return look(argv[1], atoi(argv[2]), atoi(argv[3]));
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Info_create(&i);
    MPI_Info_set(i, "mend_append_mapped", "true");
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_UNIQUE_OPEN, i, &f);
    for (int k = 0;; k++) {
        struct record x = record_of(rank, k);

        if (k == 3001)
            raise(SIGKILL); /* where nothing is mapped there is no event */
        MPI_File_write_shared(f, &x, sizeof(x), MPI_BYTE, MPI_STATUS_IGNORE);
    }
}
PROGRAM
mpicc appended-one.c -o appended-one || exit 1
mpiexec --inject kill:0@append.placed#3001 --inject kill:1@append.placed#3001 --inject kill:2@append.placed#3001 \
    -n 3 ./appended-one "$PWD/appended.data" >said 2>&1
./appended-one "$PWD/appended.data" 3 3000 || { cat said; exit 1; }
rm -f appended-one appended-one.c appended.data said
echo done
