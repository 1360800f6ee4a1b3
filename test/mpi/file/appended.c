/* SPDX-License-Identifier: BSD-3-Clause */
/* Records at the shared pointer that are copied into a mapping of the file (hint mend_append_mapped): none is lost, torn or
 * written twice; the file is longer than its data while it is open, and no call sees that; sizes, views, modes, other ways of
 * writing, a system that cannot reserve space, a limit on the size of files, a device that fails.
 *
 * This program's fallocate() and fdatasync() take the place of the system's.
 *
 *   R33: an error of writing is one class at all at sync, and stays until the file is closed */
/* RUN: -n 1 */
/* RUN: -n 2 */
/* RUN: -n 5 */
/* RUN: -n 8 */
/* RUN: -n 4 ; set MACHINES=2 */
#include "common.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#define UNIQUE (MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_UNIQUE_OPEN)
#define CHUNK  ((MPI_Offset)1 << 20)
#define MOST   3000 /* bytes of a record: some are too large for the window */

static int reserve_error, interrupt_n, reserved_n, fails, flushed_n;
static bool possible; /* the hint counts here */

int fallocate64(int fd, int mode, off64_t begin, off64_t len)
{
    if (interrupt_n-- > 0 || reserve_error) {
        errno = reserve_error ? reserve_error : EINTR;
        return -1;
    }
    reserved_n++;
    return (int)syscall(SYS_fallocate, fd, mode, begin, len);
}

int fdatasync(int fd)
{
    flushed_n++;
    if (fails) {
        fails--;
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_fdatasync, fd);
}

static MPI_File open_with(const char *name, int amode, const char *mapped, const char *keep)
{
    MPI_Info i;
    MPI_File f = MPI_FILE_NULL;

    MPI_Info_create(&i);
    MPI_Info_set(i, "mend_append_mapped", mapped);
    MPI_Info_set(i, "mend_keep_bytes", keep);
    CHECK_OK(MPI_File_open(W, file_name(name), amode, i, &f));
    MPI_Info_free(&i);
    return f;
}

static MPI_File open_mapped(const char *name, int amode)
{
    return open_with(name, amode, "true", "0");
}

static bool in_force(MPI_File f)
{
    char value[8] = "";
    MPI_Info i;
    int there;

    CHECK_OK(MPI_File_get_info(f, &i));
    MPI_Info_get(i, "mend_append_mapped", 7, value, &there);
    CHECK(there);
    MPI_Info_free(&i);
    return !strcmp(value, "true");
}

static long on_disk(const char *name)
{
    struct stat st;

    CHECK(stat(file_name(name), &st) == 0);
    return st.st_size;
}

static MPI_Offset size_of(MPI_File f)
{
    MPI_Offset n = -1;

    CHECK_OK(MPI_File_get_size(f, &n));
    return n;
}

static void append(MPI_File f, const void *from, int n)
{
    CHECK_OK(MPI_File_write_shared(f, from, n, MPI_BYTE, MPI_STATUS_IGNORE));
}

/* No rank has written a byte of the next part yet, all have written those of this one. */
static MPI_Offset met_size(MPI_File f)
{
    MPI_Offset n;

    barrier();
    n = size_of(f);
    barrier();
    return n;
}

static void remove_it(const char *name)
{
    barrier();
    if (rank == 0)
        CHECK(unlink(file_name(name)) == 0);
    barrier();
}

/* ---- every record once, whole ---- */

struct head {
    int magic, rank, number, len; /* of all of it, a multiple of 4 */
};

static int byte_of(const struct head *h, int i)
{
    return (h->rank * 31 + h->number * 7 + i) & 0xff;
}

static int make_record(unsigned char *at, int number)
{
    unsigned dice = (unsigned)(rank * 7919 + number) * 2654435761u;
    struct head h = {0x7265636f, rank, number, (int)(sizeof(h) + dice % (MOST - 16)) & ~3};

    memcpy(at, &h, sizeof(h));
    for (int i = sizeof(h); i < h.len; i++)
        at[i] = (unsigned char)byte_of(&h, i);
    return h.len;
}

/* Blocking, nonblocking, and from memory with holes. */
static void put_record(MPI_File f, unsigned char *at, int len, int way)
{
    static unsigned char spread[2 * MOST];
    MPI_Datatype holes;
    MPI_Status s;
    MPI_Request q;
    int n;

    if (way == 0) {
        CHECK_OK(MPI_File_write_shared(f, at, len, MPI_BYTE, &s));
    } else if (way == 1) {
        CHECK_OK(MPI_File_iwrite_shared(f, at, len, MPI_BYTE, &q));
        CHECK_OK(MPI_Wait(&q, &s));
    } else {
        for (int i = 0; i < len; i++)
            spread[2 * i] = at[i];
        MPI_Type_create_resized(MPI_BYTE, 0, 2, &holes);
        MPI_Type_commit(&holes);
        CHECK_OK(MPI_File_write_shared(f, spread, len, holes, &s));
        MPI_Type_free(&holes);
    }
    MPI_Get_count(&s, MPI_BYTE, &n);
    CHECK_EQ(n, len);
}

static void check_records(const unsigned char *all, long n, int each)
{
    int *next = calloc((size_t)size, sizeof(int)), found = 0;
    struct head h;

    for (long at = 0; at < n; at += h.len, found++) {
        memcpy(&h, all + at, sizeof(h));
        CHECK(h.magic == 0x7265636f && h.rank >= 0 && h.rank < size && h.len <= n - at);
        CHECK_EQ(h.number, next[h.rank]++);
        for (int i = sizeof(h); i < h.len; i++)
            CHECK_EQ(all[at + i], byte_of(&h, i));
    }
    CHECK_EQ(found, each * size);
    free(next);
}

static int mappings_of(const char *name)
{
    char line[4400];
    FILE *maps = fopen("/proc/self/maps", "r");
    int n = 0;

    CHECK(maps);
    while (fgets(line, sizeof(line), maps))
        n += strstr(line, name) != NULL;
    fclose(maps);
    return n;
}

/* At the end of the data, and behind it: the file has zeros there. */
static void check_end(MPI_File f, MPI_Offset end)
{
    char got[64];
    MPI_Offset at;
    MPI_Status s;
    int n;

    CHECK_OK(MPI_File_read_at(f, end - 10, got, 64, MPI_BYTE, &s));
    MPI_Get_count(&s, MPI_BYTE, &n);
    CHECK_EQ(n, 10);
    CHECK_OK(MPI_File_read_at(f, end + 5, got, 64, MPI_BYTE, &s));
    MPI_Get_count(&s, MPI_BYTE, &n);
    CHECK_EQ(n, 0);
    CHECK_OK(MPI_File_read_at_all(f, end - 3, got, 64, MPI_BYTE, &s));
    MPI_Get_count(&s, MPI_BYTE, &n);
    CHECK_EQ(n, 3);
    CHECK_OK(MPI_File_seek(f, -4, MPI_SEEK_END));
    CHECK_OK(MPI_File_get_position(f, &at));
    CHECK_EQ(at, end - 4);
    CHECK_OK(MPI_File_seek_shared(f, 0, MPI_SEEK_END));
    CHECK_OK(MPI_File_get_position_shared(f, &at));
    CHECK_EQ(at, end);
    barrier();
    CHECK_OK(MPI_File_read_shared(f, got, 1, MPI_BYTE, &s));
    MPI_Get_count(&s, MPI_BYTE, &n);
    CHECK_EQ(n, 0);
}

/* Small pieces with small holes are read together: across the end, too. */
static void check_sieve(MPI_File f, MPI_Offset end, const unsigned char *all)
{
    enum { N = 40, BEFORE = 61 };
    unsigned char got[N];
    MPI_Datatype second;
    MPI_Status s;
    int n;

    MPI_Type_create_resized(MPI_BYTE, 0, 2, &second);
    MPI_Type_commit(&second);
    CHECK_OK(MPI_File_set_view(f, end - BEFORE, MPI_BYTE, second, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_read_at(f, 0, got, N, MPI_BYTE, &s));
    MPI_Get_count(&s, MPI_BYTE, &n);
    CHECK_EQ(n, BEFORE / 2 + 1);
    for (int i = 0; i < n; i++)
        CHECK_EQ(got[i], all[end - BEFORE + 2 * i]);
    MPI_Type_free(&second);
}

static void records(int each)
{
    static unsigned char record[MOST];
    MPI_File f = open_mapped("records", UNIQUE);
    long long mine = 0, sum;
    unsigned char *all;
    long n;

    CHECK_EQ(in_force(f), possible);
    for (int i = 0; i < each; i++) {
        int len = make_record(record, i);

        put_record(f, record, len, (i + rank) % 3);
        mine += len;
    }
    MPI_Allreduce(&mine, &sum, 1, MPI_LONG_LONG, MPI_SUM, W);
    CHECK_EQ(size_of(f), sum);
    CHECK_EQ(on_disk("records"), possible ? (sum + CHUNK - 1) / CHUNK * CHUNK : sum);
    CHECK(mappings_of("records") <= 1);
    all = malloc((size_t)sum + 1);
    CHECK_OK(MPI_File_read_at(f, 0, all, (int)sum, MPI_BYTE, MPI_STATUS_IGNORE));
    check_records(all, (long)sum, each);
    barrier();
    check_end(f, sum);
    check_sieve(f, sum, all);
    free(all);
    CHECK_OK(MPI_File_close(&f));
    CHECK_EQ(mappings_of("records"), 0);
    CHECK_EQ(on_disk("records"), sum); /* at each rank, when its close has returned */
    all = contents("records", &n);
    check_records(all, n, each);
    free(all);
    remove_it("records");
}

/* ---- opened to write only, again and again ---- */

static void generations(void)
{
    char record[20];
    unsigned char *all;
    long n;

    memset(record, 'a' + rank, sizeof(record));
    for (int g = 0; g < 3; g++) {
        MPI_File f = open_mapped("generations", MPI_MODE_CREATE | MPI_MODE_WRONLY |
                                                    MPI_MODE_APPEND | MPI_MODE_UNIQUE_OPEN);

        CHECK_EQ(in_force(f), possible);
        reserved_n = 0;
        append(f, record, sizeof(record));
        CHECK_EQ(reserved_n, possible);
        CHECK_EQ(met_size(f), (g + 1) * (MPI_Offset)sizeof(record) * size);
        CHECK_OK(MPI_File_close(&f));
    }
    all = contents("generations", &n);
    CHECK_EQ(n, 3 * (long)sizeof(record) * size);
    for (long i = 0; i < n; i++)
        CHECK(all[i] >= 'a' && all[i] < 'a' + size && all[i] == all[i - i % 20]);
    free(all);
    remove_it("generations");
}

/* One closes the file while another appends. */
static void early(void)
{
    const int before = 100, after = 100000;
    MPI_File f = open_mapped("early", UNIQUE);
    char record[64] = "";
    int go = 1, last = rank == size - 1;

    for (int i = 0; last && i < before + after; i++) {
        append(f, record, 64);
        if (i == before && rank)
            CHECK_OK(MPI_Send(&go, 1, MPI_INT, 0, 1, W));
    }
    if (rank == 0 && !last)
        CHECK_OK(MPI_Recv(&go, 1, MPI_INT, size - 1, 1, W, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_close(&f));
    CHECK_EQ(on_disk("early"), 64 * (before + after));
    remove_it("early");
}

/* Nobody waits in close then, so nothing is cut off. */
static void revoked(void)
{
    MPI_File f = open_mapped("revoked", UNIQUE);
    unsigned char *all, record[64];
    long n;

    memset(record, 'v', sizeof(record));
    append(f, record, sizeof(record));
    barrier();
    if (rank == size - 1)
        CHECK_OK(MPIX_File_revoke(f));
    CHECK_OK(MPI_File_close(&f));
    CHECK_EQ(mappings_of("revoked"), 0);
    all = contents("revoked", &n);
    CHECK(n >= 64 * size && n <= CHUNK);
    for (long i = 0; i < n; i++)
        CHECK_EQ(all[i], i < 64 * size ? 'v' : 0);
    free(all);
    remove_it("revoked");
}

/* ---- sizes ---- */

/* What is mapped is cut off, and written again afterwards. */
static void sizes(void)
{
    const int all = 100 * size;
    MPI_File f = open_mapped("sizes", UNIQUE);
    char record[100], got[100];

    memset(record, 'r', sizeof(record));
    for (int i = 0; i < 3; i++) {
        append(f, record, 100);
        CHECK_EQ(met_size(f), all);
        CHECK_OK(MPI_File_set_size(f, 0));
        CHECK_EQ(met_size(f), 0);
        CHECK_EQ(on_disk("sizes"), 0);
        barrier();
        CHECK_OK(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
    }
    append(f, record, 100);
    barrier();
    CHECK_OK(MPI_File_set_size(f, 50)); /* the pointer is behind it */
    append(f, record, 100);
    CHECK_EQ(met_size(f), 2 * all);
    CHECK_OK(MPI_File_read_at(f, 40, got, 60, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK(!memcmp(got, "rrrrrrrrrr\0\0\0", 13) && got[59] == 0);
    CHECK_OK(MPI_File_set_size(f, 3 * CHUNK + 7));
    CHECK_EQ(met_size(f), 3 * CHUNK + 7);
    append(f, record, 100);
    CHECK_EQ(met_size(f), 3 * CHUNK + 7);
    CHECK_OK(MPI_File_preallocate(f, 10));
    CHECK_EQ(met_size(f), 3 * CHUNK + 7);
    CHECK_OK(MPI_File_set_size(f, 3 * all));
    CHECK_EQ(met_size(f), 3 * all);
    append(f, record, 100);
    CHECK_EQ(met_size(f), 4 * all);
    CHECK_OK(MPI_File_preallocate(f, 4 * all + 100));
    CHECK_EQ(met_size(f), 4 * all + 100);
    if (rank == size - 1)
        CHECK_OK(MPI_File_write_at(f, 5 * all, record, 7, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_EQ(met_size(f), 5 * all + 7);
    CHECK_OK(MPI_File_close(&f));
    CHECK_EQ(on_disk("sizes"), 5 * all + 7);
    remove_it("sizes");
}

/* ---- views and modes ---- */

/* In order; at a displacement; with another representation; with holes; in atomic mode: the same file as without the hint. */
static void mixed(const char *mapped)
{
    MPI_File f = open_with(mapped, UNIQUE, mapped, "0");
    int mine[3] = {rank, rank + 100, rank + 200};
    MPI_Datatype holes;

    CHECK_OK(MPI_File_set_view(f, CHUNK - 9, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_write_ordered(f, mine, 3, MPI_INT, MPI_STATUS_IGNORE));
    for (int r = 0; r < size; r++) { /* in turn */
        if (r == rank)
            CHECK_OK(MPI_File_write_shared(f, mine, 2, MPI_INT, MPI_STATUS_IGNORE));
        barrier();
    }
    CHECK_OK(MPI_File_set_view(f, 2 * CHUNK - 3, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL));
    for (int r = 0; r < size; r++) {
        if (r == rank)
            CHECK_OK(MPI_File_write_shared(f, mine, 3, MPI_INT, MPI_STATUS_IGNORE));
        barrier();
    }
    MPI_Type_create_resized(MPI_INT, 0, 12, &holes);
    MPI_Type_commit(&holes);
    CHECK_OK(MPI_File_set_view(f, 3 * CHUNK - 50, MPI_INT, holes, "native", MPI_INFO_NULL));
    MPI_Type_free(&holes);
    for (int r = 0; r < size; r++) {
        if (r == rank)
            CHECK_OK(MPI_File_write_shared(f, mine, 3, MPI_INT, MPI_STATUS_IGNORE));
        barrier();
    }
    CHECK_OK(MPI_File_write_at_all(f, 3 * size + 3 * rank, mine, 3, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_set_view(f, 4 * CHUNK - 2, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_set_atomicity(f, 1));
    for (int r = 0; r < size; r++) {
        if (r == rank)
            CHECK_OK(MPI_File_write_shared(f, mine, 1, MPI_INT, MPI_STATUS_IGNORE));
        barrier();
    }
    CHECK_OK(MPI_File_close(&f));
}

static void same_file(void)
{
    unsigned char *a, *b;
    long n, m;

    mixed("true");
    mixed("false");
    a = contents("true", &n);
    b = contents("false", &m);
    CHECK_EQ(n, m);
    CHECK_EQ(n, 4 * CHUNK - 2 + 4 * size);
    CHECK(!memcmp(a, b, (size_t)n));
    free(a);
    free(b);
    remove_it("true");
    remove_it("false");
}

static void hints(void)
{
    MPI_File f = open_mapped("hints", UNIQUE & ~MPI_MODE_UNIQUE_OPEN);
    MPI_Info i;

    CHECK(!in_force(f)); /* others may have it open */
    CHECK_OK(MPI_File_close(&f));
    f = open_mapped("hints", UNIQUE);
    MPI_Info_create(&i);
    MPI_Info_set(i, "mend_append_mapped", "false");
    CHECK_OK(MPI_File_set_info(f, i));
    CHECK_EQ(in_force(f), possible); /* it counts when the file is opened */
    CHECK_OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", i));
    CHECK_EQ(in_force(f), possible);
    CHECK_OK(MPI_File_close(&f));
    MPI_Info_set(i, "mend_append_mapped", rank ? "true" : "false");
    if (size > 1)
        CHECK_CLASS(MPI_File_open(W, file_name("hints"), UNIQUE, i, &f), MPI_ERR_NOT_SAME);
    MPI_Info_free(&i);
    remove_it("hints");
}

/* ---- a system that cannot ---- */

/* At one rank, and at all; between two records it can again, for the next chunk. */
static void refused(int error, bool everywhere)
{
    MPI_File f = open_mapped("refused", UNIQUE);
    char *record = malloc(2000), got[2000];
    const int n = 600;

    memset(record, 'x', 2000);
    interrupt_n = 3;
    reserve_error = everywhere || rank == size - 1 ? error : 0;
    for (int i = 0; i < n; i++) {
        append(f, record, 2000);
        if (i == n / 2)
            reserve_error = interrupt_n = 0;
    }
    CHECK_EQ(met_size(f), 2000 * n * size);
    for (int i = rank; i < n * size; i += size) {
        CHECK_OK(MPI_File_read_at(f, (MPI_Offset)2000 * i, got, 2000, MPI_BYTE, MPI_STATUS_IGNORE));
        CHECK(!memcmp(got, record, 2000));
    }
    CHECK_OK(MPI_File_close(&f));
    CHECK_EQ(on_disk("refused"), 2000 * n * size);
    free(record);
    remove_it("refused");
}

/* The limit lies in the middle of a chunk and of a record: no signal, and the bytes before it are there. */
static void limited(void)
{
    struct rlimit before, small;
    MPI_File f = open_mapped("limited", UNIQUE);
    char record[100] = "";
    MPI_Status s;
    int err = MPI_SUCCESS, n = 0;

    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    small = before;
    small.rlim_cur = 4150;
    barrier();
    if (rank == 0) {
        CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
        for (int i = 0; !err && i < 100; i++)
            err = MPI_File_write_shared(f, record, 100, MPI_BYTE, &s);
        CHECK_CLASS(err, MPI_ERR_NO_SPACE);
        MPI_Get_count(&s, MPI_BYTE, &n);
        CHECK_EQ(n, 50);
        CHECK_EQ(size_of(f), 4150);
        CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    }
    CHECK_CLASS(MPI_File_close(&f), MPI_ERR_NO_SPACE);
    CHECK_EQ(on_disk("limited"), 4150);
    remove_it("limited");
}

/* Each rank that has written flushes; an error of one is that of all, for good.  What is kept is written again. */
static void device(void)
{
    MPI_File f = open_mapped("device", UNIQUE);
    char record[100] = "";
    int flushed = flushed_n;

    append(f, record, 100);
    CHECK_OK(MPI_File_sync(f));
    CHECK_EQ(flushed_n, flushed + 1);
    append(f, record, 100);
    fails = rank == size - 1;
    CHECK_CLASS(MPI_File_sync(f), MPI_ERR_IO);
    CHECK_CLASS(MPI_File_sync(f), MPI_ERR_IO);
    CHECK_CLASS(MPI_File_close(&f), MPI_ERR_IO);
    remove_it("device");

    f = open_with("device", UNIQUE, "true", "150");
    append(f, record, 100); /* kept */
    append(f, record, 100); /* behind the bound */
    fails = rank == size - 1;
    CHECK_CLASS(MPI_File_sync(f), MPI_ERR_IO);
    CHECK_CLASS(MPI_File_close(&f), MPI_ERR_IO);
    CHECK_EQ(on_disk("device"), 200 * size);
    remove_it("device");
}

static bool lies_well(void)
{
    const char *dir = getenv("MEND_TEST_TMP");
    struct statfs system;

    CHECK(statfs(dir ? dir : "/tmp", &system) == 0);
    return system.f_type == TMPFS_MAGIC || system.f_type == EXT4_SUPER_MAGIC;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    possible = size > 1 && nodes() == 1 && lies_well();
    records(20);
    records(500);
    generations();
    early();
    revoked();
    sizes();
    same_file();
    hints();
    refused(EOPNOTSUPP, true);
    refused(ENOSPC, false);
    limited();
    device();
    return finish();
}
