/* SPDX-License-Identifier: BSD-3-Clause */
/* Data representations: external32 of types whose sizes are others there, in views with holes; those that a program registers,
 * in both widths, with sizes and bytes of its own, from memory with holes; what their functions are given; their errors. */
/* RUN: -n 1 */
/* RUN: -n 3 */
/* RUN: -n 4 ; set MACHINES=2 */
#include "common.h"

#define RW (MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE)

static int calls, sizes_asked;
static MPI_Datatype spread; /* two ints, with one between them */

/* ---- external32 ---- */

static void write_views(void)
{
    MPI_File f = open_file("wide", RW);
    MPI_Datatype mine, record;
    long b[4] = {1 + rank, -2, 3, 0x7fffffff}, got[4];
    unsigned char *all;
    MPI_Aint extent;
    long n;

    MPI_Type_create_resized(MPI_LONG, 0, (MPI_Aint)sizeof(long), &record);
    MPI_Type_vector(2, 1, size, MPI_LONG, &mine); /* every size-th element */
    MPI_Type_commit(&mine);
    CHECK_OK(MPI_File_set_view(f, 10 + 4 * rank, MPI_LONG, mine, "external32", MPI_INFO_NULL));
    CHECK_OK(MPI_File_get_type_extent(f, mine, &extent));
    CHECK_EQ(extent, 4 * (size + 1));
    CHECK_OK(MPI_File_get_type_extent(f, MPI_LONG, &extent));
    CHECK_EQ(extent, 4);
    CHECK_OK(MPI_File_get_type_extent(f, record, &extent));
    CHECK_EQ(extent, 8); /* in bytes, as it was given */
    CHECK_OK(MPI_File_write_at_all(f, 0, b, 2, MPI_LONG, MPI_STATUS_IGNORE));
    barrier();
    all = contents("wide", &n);
    CHECK_EQ(n, 10 + 8 * size);
    for (int r = 0; r < size; r++) {
        CHECK(!all[10 + 4 * r] && all[10 + 4 * r + 3] == 1 + r);
        CHECK(all[10 + 4 * (size + r)] == 0xff && all[10 + 4 * (size + r) + 3] == 0xfe);
    }
    free(all);
    CHECK_OK(MPI_File_read_at_all(f, 0, got, 2, MPI_LONG, MPI_STATUS_IGNORE));
    CHECK(got[0] == 1 + rank && got[1] == -2);
    CHECK_OK(MPI_File_read_at(f, 1, got, 1, MPI_LONG, MPI_STATUS_IGNORE));
    CHECK_EQ(got[0], -2);
    MPI_Type_free(&mine);
    MPI_Type_free(&record);
    barrier();
    CHECK_OK(MPI_File_close(&f));
}

/* Memory and view are structures of one block of three pairs. */
static void write_blocks(void)
{
    MPI_File f = open_file("blocks", RW);
    MPI_Datatype block;
    struct {
        float value;
        int index;
    } b[3] = {{1, 2}, {3, 4}, {5, 6 + rank}}, got[3] = {{0, 0}};
    long n;

    MPI_Type_create_struct(1, &(int){3}, &(MPI_Aint){0}, &(MPI_Datatype){MPI_FLOAT_INT}, &block);
    MPI_Type_commit(&block);
    CHECK_OK(MPI_File_set_view(f, 24 * rank, block, block, "external32", MPI_INFO_NULL));
    CHECK_OK(MPI_File_write_at_all(f, 0, b, 1, block, MPI_STATUS_IGNORE));
    barrier();
    free(contents("blocks", &n));
    CHECK_EQ(n, 24 * size);
    CHECK_OK(MPI_File_read_at_all(f, 0, got, 1, block, MPI_STATUS_IGNORE));
    CHECK(!memcmp(b, got, sizeof(b)));
    MPI_Type_free(&block);
    barrier();
    CHECK_OK(MPI_File_close(&f));
}

/* ---- registered ---- */

/* An int has six bytes: an 'i', the four bytes, and an exclamation mark; a char one. */
static int file_extent(MPI_Datatype t, MPI_Aint *extent, void *extra)
{
    CHECK(extra == &calls);
    sizes_asked++;
    *extent = t == MPI_INT ? 6 : 1;
    return t == MPI_INT || t == MPI_CHAR ? MPI_SUCCESS : MPI_ERR_OTHER;
}

/* The nth int of a buffer of this type. */
static char *int_at(char *buf, MPI_Datatype t, MPI_Offset n)
{
    return t == spread ? buf + n / 2 * 12 + n % 2 * 8 : buf + 4 * n;
}

static int encode_c(void *user, MPI_Datatype t, MPI_Count count, void *file, MPI_Offset position,
                    void *extra)
{
    char *to = file;

    CHECK(extra == &calls && position == 0);
    CHECK(t == MPI_INT || t == spread);
    calls++;
    for (MPI_Count i = 0; i < count; i++, to += 6) {
        to[0] = 'i';
        memcpy(to + 1, int_at(user, t, position + i), 4);
        to[5] = '!';
    }
    return MPI_SUCCESS;
}

static int decode_c(void *user, MPI_Datatype t, MPI_Count count, void *file, MPI_Offset position,
                    void *extra)
{
    char *from = file;

    CHECK(extra == &calls && position == 0);
    calls++;
    for (MPI_Count i = 0; i < count; i++, from += 6) {
        CHECK(from[0] == 'i' && from[5] == '!');
        memcpy(int_at(user, t, position + i), from + 1, 4);
    }
    return MPI_SUCCESS;
}

static int encode(void *user, MPI_Datatype t, int count, void *file, MPI_Offset position,
                  void *extra)
{
    return encode_c(user, t, count, file, position, extra);
}

static int decode(void *user, MPI_Datatype t, int count, void *file, MPI_Offset position,
                  void *extra)
{
    return decode_c(user, t, count, file, position, extra);
}

static int refuse(void *user, MPI_Datatype t, int count, void *file, MPI_Offset position,
                  void *extra)
{
    (void)user, (void)t, (void)count, (void)file, (void)position, (void)extra;
    return MPI_ERR_OTHER;
}

static void through(const char *name)
{
    MPI_File f = open_file("own", RW);
    MPI_Datatype mine;
    int b[6], got[6];
    char rep[MPI_MAX_DATAREP_STRING];
    MPI_Datatype etype, filetype;
    MPI_Offset at;
    MPI_Status s;
    unsigned char *all;
    long len;
    int n;

    for (int i = 0; i < 6; i++)
        b[i] = 100 * rank + i;
    MPI_Type_vector(2, 1, size, MPI_INT, &mine);
    MPI_Type_commit(&mine);
    CHECK_OK(MPI_File_set_view(f, 6 * rank, MPI_INT, mine, name, MPI_INFO_NULL));
    CHECK_OK(MPI_File_get_view(f, &at, &etype, &filetype, rep));
    CHECK(at == 6 * rank && !strcmp(rep, name));
    MPI_Type_free(&filetype);
    calls = sizes_asked = 0;
    CHECK_OK(MPI_File_write_all(f, b, 1, spread, MPI_STATUS_IGNORE)); /* b[0] and b[2] */
    CHECK(calls > 0 && sizes_asked > 0);
    CHECK_OK(MPI_File_get_position(f, &at));
    CHECK_EQ(at, 2);
    barrier();
    all = contents("own", &len);
    CHECK_EQ(len, 12 * size);
    for (int i = 0; i < 2 * size; i++) {
        int want = i % size * 100 + i / size * 2;

        CHECK(all[6 * i] == 'i' && !memcmp(all + 6 * i + 1, &want, 4) && all[6 * i + 5] == '!');
    }
    free(all);
    memset(got, 0, sizeof(got));
    CHECK_OK(MPI_File_read_at_all(f, 0, got, 2, MPI_INT, &s));
    MPI_Get_count(&s, MPI_INT, &n);
    CHECK(n == 2 && got[0] == b[0] && got[1] == b[2]);
    memset(got, 0, sizeof(got));
    CHECK_OK(MPI_File_read_at(f, 0, got, 2, spread, &s)); /* half of it is there */
    MPI_Get_elements(&s, MPI_INT, &n);
    CHECK(n == 2 && got[0] == b[0] && got[1] == 0 && got[2] == b[2] && got[3] == 0);
    CHECK_CLASS(MPI_File_read_at(f, 0, got, 1, MPI_DOUBLE, &s), MPI_ERR_CONVERSION);
    MPI_Type_free(&mine);
    barrier();
    CHECK_OK(MPI_File_close(&f));
}

static void register_some(void)
{
    char large[MPI_MAX_DATAREP_STRING + 2];

    memset(large, 'x', sizeof(large) - 1);
    large[sizeof(large) - 1] = 0;
    CHECK_OK(MPI_Register_datarep("marked", decode, encode, file_extent, &calls));
    CHECK_OK(MPI_Register_datarep_c("marked_c", decode_c, encode_c, file_extent, &calls));
    CHECK_OK(MPI_Register_datarep("refused", refuse, refuse, file_extent, &calls));
    CHECK_OK(MPI_Register_datarep("plain", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL,
                                  file_extent, &calls));
    CHECK_CLASS(MPI_Register_datarep("marked", decode, encode, file_extent, &calls),
                MPI_ERR_DUP_DATAREP);
    CHECK_CLASS(MPI_Register_datarep_c("external32", decode_c, encode_c, file_extent, NULL),
                MPI_ERR_DUP_DATAREP);
    CHECK_CLASS(MPI_Register_datarep(large, decode, encode, file_extent, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Register_datarep("without", decode, encode, NULL, NULL), MPI_ERR_ARG);
}

static void refusing(void)
{
    MPI_File f = open_file("refused", RW);
    char text[4] = "abc", back[4] = "";
    int b = 1;

    CHECK_CLASS(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "unknown", MPI_INFO_NULL),
                MPI_ERR_UNSUPPORTED_DATAREP);
    CHECK_CLASS(MPI_File_set_view(f, 0, MPI_DOUBLE, MPI_DOUBLE, "marked", MPI_INFO_NULL),
                MPI_ERR_CONVERSION);
    if (size > 1)
        CHECK_CLASS(
            MPI_File_set_view(f, 0, MPI_INT, MPI_INT, rank ? "marked" : "marked_c", MPI_INFO_NULL),
            MPI_ERR_NOT_SAME);
    CHECK_OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "refused", MPI_INFO_NULL));
    CHECK_CLASS(MPI_File_write_at(f, 0, &b, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_CONVERSION);
    CHECK_OK(MPI_File_set_view(f, 3 * rank, MPI_CHAR, MPI_CHAR, "plain", MPI_INFO_NULL));
    CHECK_OK(MPI_File_write(f, text, 3, MPI_CHAR, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_read_at(f, 0, back, 3, MPI_CHAR, MPI_STATUS_IGNORE));
    CHECK(!strcmp(text, back));
    CHECK_OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "plain", MPI_INFO_NULL));
    CHECK_CLASS(MPI_File_write_at(f, 0, &b, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_CONVERSION);
    barrier();
    CHECK_OK(MPI_File_close(&f));
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Type_vector(2, 1, 2, MPI_INT, &spread);
    MPI_Type_commit(&spread);
    write_views();
    write_blocks();
    register_some();
    through("marked");
    through("marked_c");
    refusing();
    MPI_Type_free(&spread);
    return finish();
}
