/* SPDX-License-Identifier: BSD-3-Clause */
/* Nonblocking accesses that the kernel carries out, or the call where it does not: the same results.  Several at a time beside
 * messages; memory and view in pieces; past the end of the file; the limit on sizes in the middle of a write; requests that
 * are freed, and files that are closed before they are done; tested instead of waited for; more pieces than one order has.
 *
 * Argument: EPERM or ENOSYS, if the kernel is to refuse as in a container, or on an old one; else -. kill/file/later.sh shows that
 * it was asked to.
 *
 *   R33: an error of writing is one class at all at sync, and stays until the file is closed */
/* RUN: -n 1 ; args - ; set FILE_ASYNC=always */
/* RUN: -n 3 ; args - ; set FILE_ASYNC=always */
/* RUN: -n 4 ; args - ; set FILE_ASYNC=always ; set MACHINES=2 */
/* RUN: -n 4 ; args - ; set FILE_ASYNC=always ; set YIELD=0 ; set SPIN=0 */
/* RUN: -n 1 ; args - */
/* RUN: -n 3 ; args - ; set FILE_ASYNC=never */
/* RUN: -n 3 ; args EPERM ; set FILE_ASYNC=always */
/* RUN: -n 3 ; args ENOSYS ; set FILE_ASYNC=always */
/* RUN: alone ; args - ; env MEND_FILE_ASYNC=always */
#include "common.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define RW  (MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE)
#define MIB (1 << 20)

/* From here on there is no new ring in this process. */
static void refuse(unsigned error)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof(code) / sizeof(code[0]), code};

    CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    CHECK_EQ(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter), 0);
}

static unsigned char byte_of(int r, long i)
{
    return (unsigned char)(i * 7 + i / 251 + r * 31);
}

static unsigned char *data_of(int r, long n)
{
    unsigned char *b = malloc((size_t)n);

    for (long i = 0; i < n; i++)
        b[i] = byte_of(r, i);
    return b;
}

static int bytes_of(const MPI_Status *s)
{
    int n = -1;

    MPI_Get_count(s, MPI_BYTE, &n);
    return n;
}

/* Each its part of the file, in four requests at a time, with a message around the ring among them. */
static void several(void)
{
    enum { N = 4, EACH = 3 * MIB / 4 + 13 };
    unsigned char *b = data_of(rank, N * EACH), *got = malloc(N * EACH);
    MPI_File f = open_file("several", RW);
    MPI_Offset mine = (MPI_Offset)rank * N * EACH;
    MPI_Request q[N + 2];
    MPI_Status s[N + 2];
    int token = rank, from = -1;

    for (int i = 0; i < N; i++)
        CHECK_OK(MPI_File_iwrite_at(f, mine + i * EACH, b + i * EACH, EACH, MPI_BYTE, &q[i]));
    CHECK_OK(MPI_Irecv(&from, 1, MPI_INT, (rank + size - 1) % size, 5, W, &q[N]));
    CHECK_OK(MPI_Isend(&token, 1, MPI_INT, (rank + 1) % size, 5, W, &q[N + 1]));
    CHECK_OK(MPI_Waitall(N + 2, q, s));
    CHECK_EQ(from, (rank + size - 1) % size);
    for (int i = 0; i < N; i++)
        CHECK_EQ(bytes_of(&s[i]), EACH);
    CHECK_OK(MPI_File_sync(f));
    for (int i = N - 1; i >= 0; i--)
        CHECK_OK(MPI_File_iread_at(f, mine + i * EACH, got + i * EACH, EACH, MPI_BYTE, &q[i]));
    for (int i = 0; i < N; i++) {
        int there = 0;

        while (!there)
            CHECK_OK(MPI_Test(&q[i], &there, &s[i]));
        CHECK_EQ(bytes_of(&s[i]), EACH);
    }
    CHECK(memcmp(b, got, N * EACH) == 0);
    CHECK_OK(MPI_File_close(&f));
    free(b);
    free(got);
}

/* The view has a hole after each block, memory one after each byte; the pointer moves on. */
static void in_pieces(void)
{
    enum { BLOCK = 200, BLOCKS = 40, TWICE = 2 };
    unsigned char *b = data_of(rank, 2 * BLOCK * BLOCKS * TWICE), *all;
    MPI_File f = open_file("in_pieces", RW);
    MPI_Datatype block, spread;
    MPI_Request q[TWICE];
    MPI_Offset at;
    long n;

    MPI_Type_contiguous(BLOCK, MPI_BYTE, &spread);
    MPI_Type_create_resized(spread, 0, BLOCK * size, &block);
    MPI_Type_commit(&block);
    MPI_Type_free(&spread);
    MPI_Type_create_resized(MPI_BYTE, 0, 2, &spread);
    MPI_Type_commit(&spread);
    CHECK_OK(MPI_File_set_view(f, BLOCK * rank, MPI_BYTE, block, "native", MPI_INFO_NULL));
    for (int i = 0; i < TWICE; i++)
        CHECK_OK(MPI_File_iwrite(f, b + i * 2 * BLOCK * BLOCKS, BLOCK * BLOCKS, spread, &q[i]));
    CHECK_OK(MPI_File_get_position(f, &at));
    CHECK_EQ(at, TWICE * BLOCK * BLOCKS);
    CHECK_OK(MPI_Waitall(TWICE, q, MPI_STATUSES_IGNORE));
    CHECK_OK(MPI_File_sync(f));
    barrier();
    all = contents("in_pieces", &n);
    CHECK_EQ(n, size * TWICE * BLOCK * BLOCKS);
    for (long i = 0; i < n; i++) {
        long k = i / BLOCK / size * BLOCK + i % BLOCK;

        CHECK_EQ(all[i], byte_of((int)(i / BLOCK % size), 2 * k));
    }
    CHECK_OK(MPI_File_close(&f));
    MPI_Type_free(&block);
    MPI_Type_free(&spread);
    free(all);
    free(b);
}

/* The pointer moves by what is asked for, however the file is read (MPI-5.0 14.4.1). */
static void read_own(MPI_File f, int way, void *b, int n, MPI_Status *s)
{
    MPI_Request q = MPI_REQUEST_NULL;

    CHECK_OK(MPI_File_seek(f, 1, MPI_SEEK_SET));
    if (way == 0)
        CHECK_OK(MPI_File_read(f, b, n, MPI_BYTE, s));
    else if (way == 1)
        CHECK_OK(MPI_File_read_all(f, b, n, MPI_BYTE, s));
    else if (way == 2)
        CHECK_OK(MPI_File_iread(f, b, n, MPI_BYTE, &q));
    else
        CHECK_OK(MPI_File_iread_all(f, b, n, MPI_BYTE, &q));
    if (way >= 2)
        CHECK_OK(MPI_Wait(&q, s));
}

static void past_the_end(void)
{
    enum { THERE = 100001, ASKED = 300000 };
    unsigned char *b = data_of(0, THERE), *got = malloc(ASKED);
    MPI_File f = open_file("past", RW);
    MPI_Request q;
    MPI_Status s;

    if (rank == 0)
        CHECK_OK(MPI_File_write_at(f, 0, b, THERE, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_sync(f));
    barrier();
    memset(got, 255, ASKED);
    CHECK_OK(MPI_File_iread_at(f, 1, got, ASKED, MPI_BYTE, &q));
    CHECK_OK(MPI_Wait(&q, &s));
    CHECK_EQ(bytes_of(&s), THERE - 1);
    CHECK(memcmp(got, b + 1, THERE - 1) == 0 && got[THERE] == 255);
    CHECK_OK(MPI_File_iread_at(f, THERE, got, 1, MPI_BYTE, &q));
    CHECK_OK(MPI_Wait(&q, &s));
    CHECK_EQ(bytes_of(&s), 0);
    for (int way = 0; way < 4; way++) {
        MPI_Offset at;

        read_own(f, way, got, ASKED, &s);
        CHECK_EQ(bytes_of(&s), THERE - 1);
        CHECK_OK(MPI_File_get_position(f, &at));
        CHECK_EQ(at, 1 + ASKED);
    }
    CHECK_OK(MPI_File_close(&f));
    free(b);
    free(got);
}

/* Several under way at the shared pointer: each has a place of its own. */
static void shared(void)
{
    enum { RECORDS = 5, RECORD = 70000 };
    unsigned char *b = malloc((size_t)RECORDS * RECORD), *all;
    int seen[8 * RECORDS] = {0};
    MPI_File f = open_file("shared", RW);
    MPI_Request q[RECORDS];
    long there;

    CHECK(size <= 8);
    for (int i = 0; i < RECORDS; i++) {
        memset(b + i * RECORD, rank * RECORDS + i, RECORD);
        CHECK_OK(MPI_File_iwrite_shared(f, b + i * RECORD, RECORD, MPI_BYTE, &q[i]));
    }
    CHECK_OK(MPI_Waitall(RECORDS, q, MPI_STATUSES_IGNORE));
    CHECK_OK(MPI_File_sync(f));
    barrier();
    all = contents("shared", &there);
    CHECK_EQ(there, (long)size * RECORDS * RECORD);
    for (long at = 0; at < there; at += RECORD) {
        CHECK(all[at] < size * RECORDS && !seen[all[at]]++);
        for (long i = 1; i < RECORD; i++)
            CHECK_EQ(all[at + i], all[at]);
    }
    CHECK_OK(MPI_File_close(&f));
    free(all);
    free(b);
}

/* The limit is reached in the middle: as much is written, the class tells why, and sync and close tell it again (R33). */
static void limited(void)
{
    enum { LIMIT = 65536, ASKED = 100000 };
    unsigned char *b = data_of(rank, ASKED);
    struct rlimit before, small;
    MPI_File f = open_file("limited", RW);
    MPI_Request q;
    MPI_Status s;

    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    small = before;
    small.rlim_cur = LIMIT;
    barrier();
    if (rank == 0) {
        CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
        CHECK_OK(MPI_File_iwrite_at(f, 0, b, ASKED, MPI_BYTE, &q));
        CHECK_CLASS(MPI_Wait(&q, &s), MPI_ERR_NO_SPACE);
        CHECK_EQ(bytes_of(&s), LIMIT);
        CHECK_OK(MPI_File_iwrite_at(f, 2 * LIMIT, b, 1, MPI_BYTE, &q));
        CHECK_CLASS(MPI_Wait(&q, MPI_STATUS_IGNORE), MPI_ERR_NO_SPACE);
        CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    }
    CHECK_CLASS(MPI_File_sync(f), MPI_ERR_NO_SPACE);
    CHECK_CLASS(MPI_File_close(&f), MPI_ERR_NO_SPACE);
    free(b);
}

/* What is under way when a file is closed is done then, also if the program does not care for it. */
static void closed_before(bool frees)
{
    const int n = 5 * MIB;
    unsigned char *b = data_of(rank, n), *all;
    MPI_File f = open_file("closed", RW & ~MPI_MODE_DELETE_ON_CLOSE);
    MPI_Request q;
    long there;

    CHECK_OK(MPI_File_iwrite_at(f, (MPI_Offset)rank * n, b, n, MPI_BYTE, &q));
    if (frees)
        CHECK_OK(MPI_Request_free(&q));
    CHECK_OK(MPI_File_close(&f));
    memset(b, 0, (size_t)n); /* nobody reads it any more */
    if (!frees)
        CHECK_OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
    barrier();
    all = contents("closed", &there);
    CHECK_EQ(there, (long)size * n);
    for (long i = 0; i < there; i++)
        CHECK_EQ(all[i], byte_of((int)(i / n), i % n));
    barrier();
    if (rank == 0)
        CHECK_OK(MPI_File_delete(file_name("closed"), MPI_INFO_NULL));
    barrier();
    free(all);
    free(b);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "EPERM"))
        refuse(EPERM);
    else if (argc > 1 && !strcmp(argv[1], "ENOSYS"))
        refuse(ENOSYS);
    start(&argc, &argv);
    several();
    in_pieces();
    past_the_end();
    shared();
    limited();
    closed_before(false);
    closed_before(true);
    several();
    return finish();
}
