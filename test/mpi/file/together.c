/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls that gather the pieces of all members, against the bytes that each view stands for: blocks of an array,
 * pieces in turn, pieces of all lengths; from memory with and without holes; ranks without data, with one large piece, with wrong
 * arguments, with an error of the file; in one window and in many; blocking, nonblocking (some wait for messages first) and split; read back in the same ways,
 * also behind the end; the hints, which change, too; where all members share memory each reads from windows that others have read,
 * unless little of the file is wanted. */
/* RUN: -n 1 */
/* RUN: -n 2 */
/* RUN: -n 5 */
/* RUN: -n 8 */
/* RUN: -n 5 ; set MACHINES=2 */
/* RUN: -n 5 ; set RMA_SHM=0 */
/* RUN: -n 4 ; set COLL_SHM=0 ; set AGREE_SHM=0 */
#include "common.h"

#include <sys/resource.h>

#define RW (MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE)

enum form { BLOCKING, AT, LATER, LATER_AT, SPLIT, SPLIT_AT, FORMS };

static MPI_Info hints(const char *buffer, const char *unit, const char *nodes)
{
    MPI_Info i;

    MPI_Info_create(&i);
    MPI_Info_set(i, "cb_buffer_size", buffer);
    MPI_Info_set(i, "striping_unit", unit);
    MPI_Info_set(i, "cb_nodes", nodes);
    MPI_Info_set(i, "romio_cb_write", "enable");
    MPI_Info_set(i, "romio_cb_read", "enable");
    return i;
}

/* The byte of this place that the rank writes. */
static unsigned char byte_of(int r, long i)
{
    return (unsigned char)(r * 37 + i * 11 + i / 251 + 1);
}

/* A ring of messages: all are in between begin and wait. */
static void meet(void)
{
    int token = 0;

    CHECK_OK(MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 5, &token, 1, MPI_INT,
                          (rank + size - 1) % size, 5, W, MPI_STATUS_IGNORE));
    CHECK_EQ(token, (rank + size - 1) % size);
}

static int write_all(MPI_File f, enum form form, void *b, int n, MPI_Datatype t, MPI_Status *s)
{
    MPI_Request r;

    switch (form) {
    case BLOCKING:
        return MPI_File_write_all(f, b, n, t, s);
    case AT:
        return MPI_File_write_at_all(f, 0, b, n, t, s);
    case LATER:
        CHECK_OK(MPI_File_iwrite_all(f, b, n, t, &r));
        meet();
        return MPI_Wait(&r, s);
    case LATER_AT:
        CHECK_OK(MPI_File_iwrite_at_all(f, 0, b, n, t, &r));
        meet();
        return MPI_Wait(&r, s);
    case SPLIT:
        CHECK_OK(MPI_File_write_all_begin(f, b, n, t));
        return MPI_File_write_all_end(f, b, s);
    default:
        CHECK_OK(MPI_File_write_at_all_begin(f, 0, b, n, t));
        return MPI_File_write_at_all_end(f, b, s);
    }
}

static int read_all(MPI_File f, enum form form, void *b, int n, MPI_Datatype t, MPI_Status *s)
{
    MPI_Request r;

    switch (form) {
    case BLOCKING:
        return MPI_File_read_all(f, b, n, t, s);
    case AT:
        return MPI_File_read_at_all(f, 0, b, n, t, s);
    case LATER:
        CHECK_OK(MPI_File_iread_all(f, b, n, t, &r));
        meet();
        return MPI_Wait(&r, s);
    case LATER_AT:
        CHECK_OK(MPI_File_iread_at_all(f, 0, b, n, t, &r));
        meet();
        return MPI_Wait(&r, s);
    case SPLIT:
        CHECK_OK(MPI_File_read_all_begin(f, b, n, t));
        return MPI_File_read_all_end(f, b, s);
    default:
        CHECK_OK(MPI_File_read_at_all_begin(f, 0, b, n, t));
        return MPI_File_read_at_all_end(f, b, s);
    }
}

/* n bytes of memory through this type: `step` bytes of memory for each. */
static void round_trip(MPI_File f, enum form form, long n, int step)
{
    MPI_Datatype t;
    unsigned char *b = malloc((size_t)(n * step + 1)), *got = malloc((size_t)(n * step + 1));
    MPI_Status s;
    MPI_Count bytes;

    MPI_Type_create_resized(MPI_BYTE, 0, step, &t);
    MPI_Type_commit(&t);
    for (long i = 0; i < n; i++)
        b[i * step] = byte_of(rank, i);
    CHECK_OK(MPI_File_seek(f, 0, MPI_SEEK_SET));
    CHECK_OK(write_all(f, form, b, (int)n, t, &s));
    MPI_Get_elements_x(&s, MPI_BYTE, &bytes);
    CHECK_EQ(bytes, n);
    barrier();
    memset(got, 0xee, (size_t)(n * step + 1));
    CHECK_OK(MPI_File_seek(f, 0, MPI_SEEK_SET));
    CHECK_OK(read_all(f, form, got, (int)n, t, &s));
    MPI_Get_elements_x(&s, MPI_BYTE, &bytes);
    CHECK_EQ(bytes, n);
    for (long i = 0; i < n * step; i++)
        CHECK_EQ(got[i], i % step ? 0xee : byte_of(rank, i / step));
    MPI_Type_free(&t);
    free(b);
    free(got);
}

/* Pieces in turn, `len` bytes of each rank; every third rank has none. */
static void in_turn(MPI_Info info, enum form form, int len, int pieces, int step)
{
    MPI_File f;
    MPI_Datatype piece, mine;
    bool idle = size > 2 && rank % 3 == 2;
    unsigned char *all;
    long n;

    CHECK_OK(MPI_File_open(W, file_name("turns"), RW, info, &f));
    MPI_Type_contiguous(len, MPI_BYTE, &piece);
    MPI_Type_create_resized(piece, 0, (MPI_Aint)len * size, &mine);
    MPI_Type_commit(&mine);
    CHECK_OK(MPI_File_set_view(f, 7 + rank * len, MPI_BYTE, mine, "native", MPI_INFO_NULL));
    round_trip(f, form, idle ? 0 : (long)len * pieces, step);
    barrier();
    all = contents("turns", &n);
    for (long i = 0; i < n; i++) {
        long in = i - 7, turn = in / len, r = turn % size, of = turn / size * len + in % len;

        CHECK_EQ(all[i], in < 0 || (size > 2 && r % 3 == 2) ? 0 : byte_of((int)r, of));
    }
    CHECK(n <= 7 + (long)len * pieces * size && n >= 7 + (long)len * pieces);
    free(all);
    MPI_Type_free(&piece);
    MPI_Type_free(&mine);
    barrier();
    CHECK_OK(MPI_File_close(&f));
}

/* A cube in blocks. */
static void blocks(MPI_Info info, enum form form)
{
    int dims[3] = {0}, sizes[3], parts[3], starts[3], rest = rank, edge = 24;
    MPI_Datatype block;
    MPI_File f;
    long n = 1;

    MPI_Dims_create(size, 3, dims);
    for (int i = 2; i >= 0; i--) {
        sizes[i] = edge * dims[i];
        parts[i] = edge;
        starts[i] = rest % dims[i] * edge;
        rest /= dims[i];
        n *= edge;
    }
    MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_BYTE, &block);
    MPI_Type_commit(&block);
    CHECK_OK(MPI_File_open(W, file_name("cube"), RW, info, &f));
    CHECK_OK(MPI_File_set_view(f, 0, MPI_BYTE, block, "native", MPI_INFO_NULL));
    round_trip(f, form, n, 1);
    MPI_Type_free(&block);
    CHECK_OK(MPI_File_close(&f));
}

/* Pieces of all lengths, of ranks in no order; rank 0 has one large piece in front of them. */
static void irregular(MPI_Info info, enum form form)
{
    enum { PIECES = 300 };
    int lens[PIECES], places[PIECES], n = 0, at = 5000;
    unsigned seed = 12345;
    MPI_Datatype mine;
    MPI_File f;
    long bytes = 0;

    for (int i = 0; n < PIECES && i < PIECES * size; i++) {
        int len = (int)((seed = seed * 1103515245 + 12345) >> 16 & 63);
        int r = (int)((seed = seed * 1103515245 + 12345) >> 16 & 0x7fff) % size;

        if (r == rank && rank != 0 && len) {
            lens[n] = len;
            places[n++] = at;
            bytes += len;
        }
        at += len + (i % 7 == 0);
    }
    if (rank == 0) {
        lens[n] = 5000;
        places[n++] = 0;
        bytes = 5000;
    }
    CHECK_OK(MPI_File_open(W, file_name("irregular"), RW, info, &f));
    MPI_Type_indexed(n, lens, places, MPI_BYTE, &mine);
    MPI_Type_commit(&mine);
    CHECK_OK(MPI_File_set_view(f, 0, MPI_BYTE, mine, "native", MPI_INFO_NULL));
    round_trip(f, form, bytes, 1);
    MPI_Type_free(&mine);
    CHECK_OK(MPI_File_close(&f));
}

/* One rank's arguments are wrong: it has the error, the others their data. */
static void one_is_wrong(MPI_Info info)
{
    MPI_File f;
    MPI_Datatype mine;
    int b[100], got[100];

    for (int i = 0; i < 100; i++)
        b[i] = rank * 1000 + i;
    CHECK_OK(MPI_File_open(W, file_name("wrong"), RW, info, &f));
    MPI_Type_create_resized(MPI_INT, 0, 4 * size, &mine);
    MPI_Type_commit(&mine);
    CHECK_OK(MPI_File_set_view(f, 4 * rank, MPI_INT, mine, "native", MPI_INFO_NULL));
    if (rank == size - 1) {
        MPI_Request r;

        CHECK_CLASS(MPI_File_write_at_all(f, -1, b, 100, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_ARG);
        if (MPI_File_iwrite_at_all(f, 0, b, 3, MPI_CHAR, &r) == MPI_SUCCESS)
            CHECK_CLASS(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_ERR_IO);
    } else {
        CHECK_OK(MPI_File_write_at_all(f, 0, b, 100, MPI_INT, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_File_write_at_all(f, 0, b, 100, MPI_INT, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_File_read_at(f, 0, got, 100, MPI_INT, MPI_STATUS_IGNORE));
        CHECK(!memcmp(b, got, sizeof(b)));
    }
    MPI_Type_free(&mine);
    CHECK_OK(MPI_File_close(&f));
}

/* The aggregator of the first domain may write no large files: the others' data arrives all the same, and its own error is its. */
static void one_is_limited(MPI_Info info)
{
    MPI_File f;
    MPI_Datatype mine;
    struct rlimit old, small;
    int b[3000], got[3000];

    for (int i = 0; i < 3000; i++)
        b[i] = rank * 10000 + i;
    getrlimit(RLIMIT_FSIZE, &old);
    small = (struct rlimit){8192, old.rlim_max};
    if (rank == 0)
        setrlimit(RLIMIT_FSIZE, &small);
    CHECK_OK(MPI_File_open(W, file_name("limited"), RW, info, &f));
    MPI_Type_create_resized(MPI_INT, 0, 4 * size, &mine);
    MPI_Type_commit(&mine);
    CHECK_OK(MPI_File_set_view(f, 4 * rank, MPI_INT, mine, "native", MPI_INFO_NULL));
    CHECK_CLASS(MPI_File_write_at_all(f, 0, b, 3000, MPI_INT, MPI_STATUS_IGNORE),
                rank == 0 ? MPI_ERR_NO_SPACE : MPI_SUCCESS);
    CHECK_OK(MPI_File_read_at(f, 0, got, 3000, MPI_INT, MPI_STATUS_IGNORE));
    CHECK(!memcmp(b, got, rank == 0 ? 4 : sizeof(b)));
    CHECK_CLASS(MPI_File_sync(f), MPI_ERR_NO_SPACE);
    MPI_Type_free(&mine);
    CHECK_CLASS(MPI_File_close(&f), MPI_ERR_NO_SPACE);
    setrlimit(RLIMIT_FSIZE, &old);
}

/* Behind the end there is nothing: counts and positions say so. */
static void at_the_end(MPI_Info info)
{
    MPI_File f;
    MPI_Datatype mine;
    MPI_Status s;
    MPI_Offset at;
    int b[100], got[150], n;

    CHECK_OK(MPI_File_open(W, file_name("end"), RW, info, &f));
    MPI_Type_create_resized(MPI_INT, 0, 4 * size, &mine);
    MPI_Type_commit(&mine);
    CHECK_OK(MPI_File_set_view(f, 4 * rank, MPI_INT, mine, "native", MPI_INFO_NULL));
    for (int i = 0; i < 100; i++)
        b[i] = rank + i;
    CHECK_OK(MPI_File_write_all(f, b, 100, MPI_INT, &s));
    CHECK_OK(MPI_File_get_position(f, &at));
    CHECK_EQ(at, 100);
    barrier();
    CHECK_OK(MPI_File_seek(f, 20, MPI_SEEK_SET));
    CHECK_OK(MPI_File_read_all(f, got, 150, MPI_INT, &s));
    MPI_Get_count(&s, MPI_INT, &n);
    CHECK_EQ(n, 80);
    CHECK(!memcmp(got, b + 20, 80 * sizeof(int)));
    CHECK_OK(MPI_File_get_position(f, &at));
    CHECK_EQ(at, 20 + 150);
    MPI_Type_free(&mine);
    CHECK_OK(MPI_File_close(&f));
}

/* Several at a time, and one of the other kind behind them. */
static void in_a_row(MPI_Info info)
{
    MPI_File f;
    MPI_Datatype mine;
    MPI_Request r[4];
    int b[4][64], got[4][64];

    CHECK_OK(MPI_File_open(W, file_name("row"), RW, info, &f));
    MPI_Type_create_resized(MPI_INT, 0, 4 * size, &mine);
    MPI_Type_commit(&mine);
    CHECK_OK(MPI_File_set_view(f, 4 * rank, MPI_INT, mine, "native", MPI_INFO_NULL));
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 64; i++)
            b[k][i] = rank * 1000 + k * 100 + i;
        CHECK_OK(MPI_File_iwrite_at_all(f, 64 * k, b[k], 64, MPI_INT, &r[k]));
    }
    meet();
    CHECK_OK(MPI_Waitall(4, r, MPI_STATUSES_IGNORE));
    CHECK_OK(MPI_File_sync(f));
    for (int k = 0; k < 4; k++)
        CHECK_OK(MPI_File_iread_all(f, got[k], 64, MPI_INT, &r[k]));
    CHECK_OK(MPI_Waitall(4, r, MPI_STATUSES_IGNORE));
    CHECK(!memcmp(b, got, sizeof(b)));
    MPI_Type_free(&mine);
    CHECK_OK(MPI_File_close(&f));
}

/* One file in one view, `apart` bytes for each piece of a rank: as the hints change, so do the windows. */
static void with_other_hints(const MPI_Info *info, int n, int apart)
{
    enum { LEN = 24, PIECES = 700 };
    static unsigned char got[LEN * PIECES];
    MPI_Datatype piece, mine;
    MPI_File f;

    CHECK_OK(MPI_File_open(W, file_name("hints"), RW, MPI_INFO_NULL, &f));
    MPI_Type_contiguous(LEN, MPI_BYTE, &piece);
    MPI_Type_create_resized(piece, 0, (MPI_Aint)apart * size, &mine);
    MPI_Type_commit(&mine);
    CHECK_OK(MPI_File_set_view(f, rank * apart, MPI_BYTE, mine, "native", MPI_INFO_NULL));
    for (int i = 0; i < LEN * PIECES; i++)
        got[i] = byte_of(rank, i);
    CHECK_OK(MPI_File_write(f, got, LEN * PIECES, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_sync(f));
    for (int k = 0; k < n; k++) {
        CHECK_OK(MPI_File_set_info(f, info[k]));
        memset(got, 0xee, sizeof(got));
        CHECK_OK(MPI_File_read_at_all(f, 0, got, LEN * PIECES, MPI_BYTE, MPI_STATUS_IGNORE));
        for (int i = 0; i < LEN * PIECES; i++)
            CHECK_EQ(got[i], byte_of(rank, i));
    }
    MPI_Type_free(&piece);
    MPI_Type_free(&mine);
    CHECK_OK(MPI_File_close(&f));
}

static void check_hint(MPI_File f, const char *key, const char *want)
{
    char value[MPI_MAX_INFO_VAL + 1];
    int len = sizeof(value), there;
    MPI_Info i;

    CHECK_OK(MPI_File_get_info(f, &i));
    MPI_Info_get_string(i, key, &len, value, &there);
    CHECK(there);
    if (strcmp(value, want))
        printf("%s is %s, not %s\n", key, value, want);
    CHECK(!strcmp(value, want));
    MPI_Info_free(&i);
}

static void check_hints(void)
{
    MPI_Info i = hints("65536", "4096", "2");
    MPI_File f;

    MPI_Info_set(i, "ind_rd_buffer_size", "nonsense");
    CHECK_OK(MPI_File_open(W, file_name("hints"), RW, i, &f));
    check_hint(f, "cb_buffer_size", "65536");
    check_hint(f, "romio_cb_write", "enable");
    check_hint(f, "ind_rd_buffer_size", "262144");
    MPI_Info_set(i, "romio_cb_write", "disable");
    CHECK_OK(MPI_File_set_info(f, i));
    check_hint(f, "romio_cb_write", "disable");
    MPI_Info_set(i, "cb_nodes", rank ? "1" : "2");
    if (size > 1) {
        CHECK_CLASS(MPI_File_set_info(f, i), MPI_ERR_NOT_SAME);
        check_hint(f, "cb_nodes", "2");
    }
    MPI_Info_free(&i);
    CHECK_OK(MPI_File_close(&f));
}

int main(int argc, char **argv)
{
    MPI_Info few, many;

    start(&argc, &argv);
    few = hints("4194304", "4194304", "0");
    many = hints("4096", "512", "3");
    for (enum form form = 0; form < FORMS; form++) {
        in_turn(few, form, 16, 200, 1);
        in_turn(many, form, 16, 500, 1);
        in_turn(many, form, 700, 40, 3);
        in_turn(MPI_INFO_NULL, form, 48, 200, 1);
        in_turn(MPI_INFO_NULL, form, 16, 600, 1);
        blocks(few, form);
        blocks(many, form);
        irregular(few, form);
        irregular(many, form);
    }
    if (size <= 3) /* the pieces with the holes between them: so much that nobody reads these */
        in_turn(MPI_INFO_NULL, AT, 4096, (17 << 20) / 4096 / size, 1);
    with_other_hints((MPI_Info[]){few, MPI_INFO_NULL, many, few, many, many}, 6, 24);
    with_other_hints((MPI_Info[]){few, many, few}, 3, 240);
    one_is_wrong(many);
    one_is_limited(many);
    at_the_end(many);
    in_a_row(many);
    check_hints();
    MPI_Info_free(&few);
    MPI_Info_free(&many);
    return finish();
}
