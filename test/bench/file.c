/* SPDX-License-Identifier: BSD-3-Clause */
/* file.c – files: a three-dimensional array, small pieces, the shared pointer, opening and closing.
 *
 *   array     MIB MiB of doubles, a cube in blocks, one per rank: collective write, then collective read; MB/s of all
 *   strided   pieces of 2 KiB, of each rank in turn, MIB MiB in all: independent write, then read; MB/s of all
 *   shared    64 bytes at the shared pointer, again and again: appends per second of all ranks, in thousands
 *   mapped    the same with the hint mend_append_mapped and the mode that goes with it
 *   open      MPI_File_open and MPI_File_close of an existing file, in microseconds
 *   sync      MPI_File_sync with nothing to write out, in microseconds: its agreement; and
 *   allreduce of 8 bytes, by turns with it: medians of batches
 *   plain     two of the ranks do the same with the system's calls alone, while the others sleep: one half each of a file in
 *             large pieces, pieces of 2 KiB in turn, appends at a shared word, opening and closing.  As above the large pieces
 *             make the file, and the small ones overwrite it.  picked: reads blocks and copies the pieces from there
 *
 * The file lies in memory (/dev/shm): this measures the library, not the device.  Output, by rank 0:
 * one line for each measure.  usage: file BOARD MIB */
#include "bench.h"

#define PIECE        2048
#define APPENDS      20000
#define OPENS        50
#define SYNCS        100
#define SYNC_BATCHES 200
#define SYNC_US      2e5
#define PLAIN        ((size_t)4 << 20) /* one piece */
#define BLOCK        ((size_t)1 << 18)

#define RECORD 64
#define DONE   (BENCH_BOARD_BYTES / 4 / 8) /* a word of the board; those from 0 on: who has met */

static struct bench b;
static char name[4096];
static size_t bytes; /* of all ranks */

static void check(bool good, const char *what)
{
    if (!good)
        bench_wrong(&b, what);
}

static MPI_File open_file(void)
{
    MPI_File f;

    check(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f) ==
              MPI_SUCCESS,
          "open");
    return f;
}

/* From the first one's begin to the last one's end. */
static double together_us(double begin)
{
    double mine = bench_now_us() - begin, most;

    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static void print(const char *what, double value)
{
    if (b.rank == 0)
        printf("%s %.3f\n", what, value);
}

static void fill(double *at, size_t n, double from)
{
    for (size_t i = 0; i < n; i++)
        at[i] = from + (double)i;
}

static void measure(const char *what, MPI_File f, double *data, size_t n, bool all)
{
    char label[64];
    double begin;
    MPI_Status s;

    fill(data, n, b.rank * 1e9);
    for (int write = 1; write >= 0; write--) {
        MPI_File_seek(f, 0, MPI_SEEK_SET);
        MPI_Barrier(MPI_COMM_WORLD);
        begin = bench_now_us();
        if (write)
            check((all ? MPI_File_write_all : MPI_File_write)(f, data, (int)n, MPI_DOUBLE, &s) ==
                      MPI_SUCCESS,
                  what);
        else
            check((all ? MPI_File_read_all : MPI_File_read)(f, data, (int)n, MPI_DOUBLE, &s) ==
                      MPI_SUCCESS,
                  what);
        snprintf(label, sizeof(label), "%s:%s", what, write ? "write" : "read");
        print(label, (double)n * sizeof(*data) * b.size / together_us(begin));
        if (write)
            memset(data, 0, n * sizeof(*data));
    }
    for (size_t i = 0; i < n; i += 997)
        check(data[i] == b.rank * 1e9 + (double)i, "other data was read");
}

static void array(void)
{
    int dims[3] = {0}, periods[3] = {0}, at[3], edge = 1, sizes[3], parts[3], starts[3];
    MPI_Datatype block;
    MPI_Comm grid;
    MPI_File f = open_file();
    size_t n;
    double *data;

    while ((size_t)(edge + 8) * (size_t)(edge + 8) * (size_t)(edge + 8) * sizeof(double) <= bytes)
        edge += edge == 1 ? 7 : 8; /* divisible by the numbers of blocks */
    MPI_Dims_create(b.size, 3, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &grid);
    MPI_Cart_coords(grid, b.rank, 3, at);
    for (int i = 0; i < 3; i++) {
        sizes[i] = edge;
        parts[i] = edge / dims[i];
        starts[i] = at[i] * parts[i];
    }
    n = (size_t)parts[0] * (size_t)parts[1] * (size_t)parts[2];
    data = malloc(n * sizeof(*data));
    MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &block);
    MPI_Type_commit(&block);
    MPI_File_set_view(f, 0, MPI_DOUBLE, block, "native", MPI_INFO_NULL);
    measure("array", f, data, n, true);
    MPI_Type_free(&block);
    MPI_Comm_free(&grid);
    MPI_File_close(&f);
    free(data);
}

static void strided(void)
{
    size_t n = bytes / (size_t)b.size / PIECE * PIECE / sizeof(double);
    double *data = malloc(n * sizeof(*data));
    MPI_Datatype piece, mine;
    MPI_File f = open_file();

    MPI_Type_contiguous(PIECE / (int)sizeof(double), MPI_DOUBLE, &piece);
    MPI_Type_create_resized(piece, 0, (MPI_Aint)PIECE * b.size, &mine);
    MPI_Type_commit(&mine);
    MPI_File_set_view(f, (MPI_Offset)PIECE * b.rank, MPI_DOUBLE, mine, "native", MPI_INFO_NULL);
    measure("strided", f, data, n, false);
    MPI_Type_free(&piece);
    MPI_Type_free(&mine);
    MPI_File_close(&f);
    free(data);
}

/* Nobody else has it open: the hint counts then. */
static MPI_File open_mapped(void)
{
    MPI_Info i;
    MPI_File f;

    MPI_Info_create(&i);
    MPI_Info_set(i, "mend_append_mapped", "true");
    check(MPI_File_open(MPI_COMM_WORLD, name,
                        MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_UNIQUE_OPEN, i,
                        &f) == MPI_SUCCESS,
          "open");
    MPI_Info_free(&i);
    return f;
}

static void shared(const char *what, MPI_File f)
{
    char record[RECORD];
    double begin;

    memset(record, b.rank, sizeof(record));
    MPI_File_set_size(f, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = bench_now_us();
    for (int i = 0; i < APPENDS; i++)
        check(MPI_File_write_shared(f, record, sizeof(record), MPI_BYTE, MPI_STATUS_IGNORE) ==
                  MPI_SUCCESS,
              "append");
    print(what, APPENDS * b.size / together_us(begin) * 1e3);
    MPI_File_close(&f);
}

static void open_close(void)
{
    double begin;

    MPI_Barrier(MPI_COMM_WORLD);
    begin = bench_now_us();
    for (int i = 0; i < OPENS; i++) {
        MPI_File f = open_file();

        MPI_File_close(&f);
    }
    print("open", together_us(begin) / OPENS);
}

static void sync_once(MPI_File f)
{
    check(MPI_File_sync(f) == MPI_SUCCESS, "sync");
}

static void allreduce_once(MPI_File f)
{
    double one = 1, sum;

    (void)f;
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    check(sum == b.size, "sum");
}

static double batch(void (*once)(MPI_File f), MPI_File f)
{
    double begin;

    MPI_Barrier(MPI_COMM_WORLD);
    begin = bench_now_us();
    for (int i = 0; i < SYNCS; i++)
        once(f);
    return together_us(begin) / SYNCS;
}

/* By turns, medians of the batches. */
static void agreement(void)
{
    static double sync[SYNC_BATCHES], allreduce[SYNC_BATCHES];
    double begin = bench_now_us();
    MPI_File f = open_file();
    int n = 0, more = 1;

    while (more) {
        sync[n] = batch(sync_once, f);
        allreduce[n++] = batch(allreduce_once, f);
        more = n < SYNC_BATCHES && bench_now_us() - begin < SYNC_US;
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    MPI_File_close(&f);
    print("sync", bench_quantile(sync, n, 0.5));
    print("allreduce", bench_quantile(allreduce, n, 0.5));
}

/* ---- without the library: two of the ranks, while the others sleep ---- */

/* Spins, which lasts as long as the other one needs.  Returns the time since `begin`. */
static double meet(double begin)
{
    static int word;

    __atomic_fetch_add(&b.board[word], 1, __ATOMIC_SEQ_CST);
    while (b.board[word] < 2)
        ;
    word++;
    return bench_now_us() - begin;
}

/* One half each, in large pieces; or small pieces in turn. */
static void plain_pieces(int fd, char *data, bool write, size_t piece, bool in_turn)
{
    size_t half = bytes / 2, from = (size_t)b.rank * (in_turn ? piece : half);

    for (size_t done = 0; done < half; done += piece) {
        size_t n = half - done < piece ? half - done : piece;
        off_t at = (off_t)(from + done * (in_turn ? 2 : 1));

        check((write ? pwrite(fd, data + done, n, at) : pread(fd, data + done, n, at)) ==
                  (ssize_t)n,
              "plain");
    }
}

static void plain_data(const char *what, int fd, char *data, size_t piece, bool in_turn)
{
    char label[64];
    double begin;

    for (int write = 1; write >= 0; write--) {
        meet(0);
        begin = bench_now_us();
        plain_pieces(fd, data, write, piece, in_turn);
        snprintf(label, sizeof(label), "%s:%s", what, write ? "write" : "read");
        print(label, (double)bytes / meet(begin));
    }
    meet(0); /* both have read */
}

/* The pieces of 2 KiB again: blocks are read, with those of the other one in them. */
static void plain_picked(int fd, char *data)
{
    char *block = malloc(BLOCK);
    double begin;

    meet(0);
    begin = bench_now_us();
    for (size_t at = 0; at + BLOCK <= bytes; at += BLOCK) {
        check(pread(fd, block, BLOCK, (off_t)at) == BLOCK, "plain: block");
        for (size_t i = (size_t)b.rank * PIECE; i < BLOCK; i += 2 * PIECE, data += PIECE)
            memcpy(data, block + i, PIECE);
    }
    print("plain:picked:read", (double)bytes / meet(begin));
    free(block);
    meet(0);
}

/* The pointer is a word of the board. */
static void plain_appends(int fd, const char *record)
{
    volatile uint64_t *end = &b.board[BENCH_BOARD_BYTES / 2 / sizeof(uint64_t)];
    double begin;

    check(ftruncate(fd, 0) == 0, "plain: ftruncate");
    meet(0);
    begin = bench_now_us();
    for (int i = 0; i < APPENDS; i++) {
        off_t at = (off_t)__atomic_fetch_add(end, RECORD, __ATOMIC_SEQ_CST);

        check(pwrite(fd, record, RECORD, at) == RECORD, "plain: append");
    }
    print("plain:shared", APPENDS * 2 / meet(begin) * 1e3);
}

static void plain_opens(const char *path)
{
    double begin;

    meet(0);
    begin = bench_now_us();
    for (int i = 0; i < OPENS; i++) {
        int fd = open(path, O_RDWR);

        check(fd >= 0 && close(fd) == 0, "plain: open");
    }
    print("plain:open", meet(begin) / OPENS);
}

static void plain(void)
{
    char path[4096 + 8];
    char *data = malloc(bytes / 2);
    int fd;

    snprintf(path, sizeof(path), "%s-plain", name);
    fd = open(path, O_CREAT | O_RDWR, 0600);
    check(fd >= 0, "plain: open");
    memset(data, b.rank, bytes / 2);
    MPI_Barrier(MPI_COMM_WORLD);
    if (b.rank < 2) {
        plain_data("plain", fd, data, PLAIN, false);
        plain_data("plain:strided", fd, data, PIECE, true);
        plain_picked(fd, data);
        plain_appends(fd, data);
        plain_opens(path);
        __atomic_fetch_add(&b.board[DONE], 1, __ATOMIC_SEQ_CST);
    }
    while (b.board[DONE] < 2)
        usleep(1000);
    MPI_Barrier(MPI_COMM_WORLD);
    if (b.rank == 0)
        unlink(path);
    close(fd);
    free(data);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &b.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &b.size);
    snprintf(name, sizeof(name), "/dev/shm/mend-bench-%d", (int)getppid());
    MPI_Bcast(name, sizeof(name), MPI_CHAR, 0, MPI_COMM_WORLD);
    bytes = (size_t)atol(argv[2]) << 20;
    b.board = bench_open_board(argv[1]);
    array();
    strided();
    shared("shared", open_file());
    shared("mapped", open_mapped());
    open_close();
    agreement();
    plain();
    if (b.rank == 0)
        MPI_File_delete(name, MPI_INFO_NULL);
    MPI_Finalize();
    return 0;
}
