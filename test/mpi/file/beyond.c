/* SPDX-License-Identifier: BSD-3-Clause */
/* What lies in the buffer behind the last byte that the file has stays as it was, whichever way a collective read goes: in two phases,
 * from windows that all see, each for itself, together with holes, by the kernel, converted. */
/* RUN: -n 1 */
/* RUN: -n 4 */
/* RUN: -n 4 ; set MACHINES=2 */
/* RUN: -n 4 ; set RMA_SHM=0 */
/* RUN: -n 2 ; set FILE_ASYNC=always */
#include "common.h"

#define DELETED (MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE)
#define N       5000 /* bytes that each member asks for */

static unsigned char byte_of(long i)
{
    return (unsigned char)(i * 7 + i / 256 + 1);
}

/* A file of so many bytes. */
static MPI_File make(long bytes)
{
    MPI_File f = open_file("beyond", DELETED);
    unsigned char *all = malloc((size_t)bytes + 1);

    for (long i = 0; i < bytes; i++)
        all[i] = byte_of(i);
    if (rank == 0)
        CHECK_OK(MPI_File_write_at(f, 0, all, (int)bytes, MPI_BYTE, MPI_STATUS_IGNORE));
    free(all);
    CHECK_OK(MPI_File_sync(f));
    barrier();
    return f;
}

static int read_in(MPI_File f, int form, void *b, int n, MPI_Datatype t, MPI_Status *s)
{
    MPI_Request r;

    switch (form) {
    case 0:
        return MPI_File_read_at_all(f, 0, b, n, t, s);
    case 1:
        CHECK_OK(MPI_File_iread_at_all(f, 0, b, n, t, &r));
        return MPI_Wait(&r, s);
    default:
        CHECK_OK(MPI_File_read_at_all_begin(f, 0, b, n, t));
        return MPI_File_read_at_all_end(f, b, s);
    }
}

/* Pieces of `len` bytes by turns; memory with `step` bytes for each. */
static void read_behind(MPI_File f, long bytes, int form, int len, int step, MPI_Info hints,
                        const char *rep)
{
    MPI_Datatype piece, mine, spread;
    unsigned char *got = malloc((size_t)N * (size_t)step);
    long there = 0;
    MPI_Count n;
    MPI_Status s;

    MPI_Type_contiguous(len, MPI_BYTE, &piece);
    MPI_Type_create_resized(piece, 0, (MPI_Aint)len * size, &mine);
    MPI_Type_commit(&mine);
    MPI_Type_create_resized(MPI_BYTE, 0, step, &spread);
    MPI_Type_commit(&spread);
    CHECK_OK(MPI_File_set_view(f, (MPI_Offset)len * rank, MPI_BYTE, mine, rep, hints));
    memset(got, 0xee, (size_t)N * (size_t)step);
    CHECK_OK(read_in(f, form, got, N, spread, &s));
    for (long i = 0; i < N; i++) {
        long at = (i / len * size + rank) * len + i % len;

        there += at < bytes;
        CHECK_EQ(got[i * step], at < bytes ? byte_of(at) : 0xee);
    }
    MPI_Get_elements_x(&s, MPI_BYTE, &n);
    CHECK_EQ(n, there);
    MPI_Type_free(&spread);
    MPI_Type_free(&mine);
    MPI_Type_free(&piece);
    free(got);
}

static void ways(long bytes)
{
    static const char *const ways[] = {"enable", "automatic", "disable"};
    MPI_File f = make(bytes);
    MPI_Info hints;

    for (int way = 0; way < 3; way++) {
        MPI_Info_create(&hints);
        MPI_Info_set(hints, "romio_cb_read", ways[way]);
        MPI_Info_set(hints, "romio_ds_read", way == 1 ? "enable" : "automatic");
        MPI_Info_set(hints, "cb_buffer_size", "4096");
        MPI_Info_set(hints, "striping_unit", "4096");
        for (int form = 0; form < 3; form++) {
            read_behind(f, bytes, form, 1, 1, hints, "native");
            read_behind(f, bytes, form, 7, 1, hints, "native");
            read_behind(f, bytes, form, 7, 3, hints, "native");
            read_behind(f, bytes, form, N, 1, hints, "native");
            read_behind(f, bytes, form, 7, 2, hints, "external32");
        }
        MPI_Info_free(&hints);
    }
    CHECK_OK(MPI_File_close(&f));
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    ways(0);
    ways(1);
    ways(2345);
    ways((long)N * size - 1);
    ways((long)N * size);
    return finish();
}
