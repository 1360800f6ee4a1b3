# SPDX-License-Identifier: BSD-3-Clause
# later.sh – that nonblocking accesses are the kernel's work where they are to be, and not elsewhere (FILE_ASYNC).
#
# The launcher kills a rank that gets to the event file.later.  Where the kernel does not permit io_uring, or the library was built
# without liburing, it says that this is not checked.
#
# RUN: always ; expect "done"
# RUN: never ; expect "done"

if ! mend-info --version >/dev/null || ! mend-info | grep -A1 'by the kernel (io_uring)' | grep -q 'permitted here'; then
    echo "io_uring is not permitted here: not checked (done)"
    exit 0
fi
cat >later-one.c <<'PROGRAM'
#include <mpi.h>
static char b[1 << 16];
int main(int argc, char **argv)
{
    MPI_File f;
    MPI_Request q;

    MPI_Init(&argc, &argv);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f);
    if (argc == 3)
        MPI_File_iwrite_shared(f, b, sizeof(b), MPI_BYTE, &q);
    else
        MPI_File_iwrite_at(f, 0, b, sizeof(b), MPI_BYTE, &q);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    MPI_File_close(&f);
    return MPI_Finalize();
}
PROGRAM
mpicc later-one.c -o later-one || exit 1
for pointer in "" shared; do
    mpiexec --set FILE_ASYNC="$1" --inject kill:0@file.later -n 1 ./later-one "$PWD/later-one.data" $pointer 2>said
    status=$?
    case $1 in
    always) [ $status = 137 ] ;;
    never) grep -q 'rank 0 did not get there' said ;;
    esac || { cat said; exit 1; }
done
rm -f later-one later-one.c later-one.data said
echo done
