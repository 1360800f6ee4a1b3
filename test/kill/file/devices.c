/* SPDX-License-Identifier: BSD-3-Clause */
/* What devices.sh does with a device, as the members of a file see it.
 *
 * Arguments: the case; the file; for `frozen` the folder on whose device it lies.
 *
 *   R27: a process that cannot die is declared dead after a second
 *   R33: an error of writing is one class at all at sync, and stays until the file is closed
 *   S0-51: the next sync reports the death
 *
 * RUN: none */
#include "common.h"

#include <dirent.h>
#include <errno.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#define MIB         ((MPI_Offset)1 << 20)
#define MIB_TO_FILL 32 /* of each member */
#define RECORD      1000

enum { FROZEN = 100, PID };

static const char *name;
static char block[1 << 20];

enum way { PLAIN, LATER, MAPPED };

/* The hint counts where nobody else has it open. */
static MPI_File open_mapped(void)
{
    MPI_File f = MPI_FILE_NULL;
    MPI_Info hints;

    MPI_Info_create(&hints);
    MPI_Info_set(hints, "mend_append_mapped", "true");
    CHECK_EQ(MPI_File_open(MPI_COMM_WORLD, name, RW | MPI_MODE_UNIQUE_OPEN, hints, &f),
             MPI_SUCCESS);
    MPI_Info_free(&hints);
    return f;
}

static MPI_File open_it(void)
{
    MPI_File f = MPI_FILE_NULL;

    CHECK_EQ(MPI_File_open(MPI_COMM_WORLD, name, RW, MPI_INFO_NULL, &f), MPI_SUCCESS);
    return f;
}

static void check_text(int err, const char *reason)
{
    char text[MPI_MAX_ERROR_STRING], at[32];
    int len;

    MPI_Error_string(err, text, &len);
    snprintf(at, sizeof(at), "rank %d, ", rank);
    CHECK(strstr(text, at));
    CHECK(strstr(text, name));
    CHECK(strstr(text, reason));
}

/* The same at all, once and again, until the file is closed. */
static void check_for_good(MPI_File f, int class)
{
    for (int i = 0; i < 3; i++) {
        CHECK_CLASS(MPI_File_sync(f), class);
        same_everywhere(16 + i, class);
    }
    CHECK_CLASS(MPI_File_close(&f), class);
}

static int append_records(MPI_File f)
{
    int err = MPI_SUCCESS;

    for (int i = 0; !err && i < (int)MIB / RECORD; i++)
        err = MPI_File_write_shared(f, block, RECORD, MPI_BYTE, MPI_STATUS_IGNORE);
    return err;
}

static int write_block(MPI_File f, MPI_Offset at, enum way way)
{
    MPI_Request q;
    int err;

    if (way == MAPPED)
        return append_records(f);
    if (way == PLAIN)
        return MPI_File_write_at(f, at, block, (int)MIB, MPI_BYTE, MPI_STATUS_IGNORE);
    err = MPI_File_iwrite_at(f, at, block, (int)MIB, MPI_BYTE, &q);
    return err ? err : MPI_Wait(&q, MPI_STATUS_IGNORE);
}

/* The calls themselves tell the members that have no room, each time or in the end. */
static void full(enum way way, int expected, const char *reason)
{
    MPI_File f = way == MAPPED ? open_mapped() : open_it();
    int err = MPI_SUCCESS, class, worst;

    for (int i = 0; !err && i < MIB_TO_FILL; i++)
        err = write_block(f, (i * size + rank) * MIB, way);
    class = class_of(err);
    CHECK(class == MPI_SUCCESS || class == expected);
    if (class)
        check_text(err, reason);
    MPI_Allreduce(&class, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK_EQ(worst, expected);
    check_for_good(f, expected);
    if (rank == 0)
        CHECK_EQ(MPI_File_delete(name, MPI_INFO_NULL), MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    f = open_it(); /* there is room again */
    CHECK_EQ(MPI_File_write_at(f, rank * MIB, block, (int)MIB, MPI_BYTE, MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    CHECK_EQ(MPI_File_sync(f), MPI_SUCCESS);
    CHECK_EQ(MPI_File_close(&f), MPI_SUCCESS);
}

static void read_only(void)
{
    MPI_File f = MPI_FILE_NULL;
    int err = MPI_File_open(MPI_COMM_WORLD, name, RW, MPI_INFO_NULL, &f);

    CHECK_CLASS(err, MPI_ERR_READ_ONLY);
    if (rank == 0)
        check_text(err, "Read-only file system (EROFS)");
    CHECK_EQ(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &f), MPI_SUCCESS);
    CHECK_EQ(MPI_File_read_at_all(f, 0, block, 1, MPI_BYTE, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(block[0], 'x');
    CHECK_EQ(MPI_File_sync(f), MPI_SUCCESS);
    CHECK_EQ(MPI_File_close(&f), MPI_SUCCESS);
}

/* Each learns what became of its own part; an error of reading does not stay. */
static void broken(void)
{
    MPI_Info hints;
    MPI_File f = open_it();
    MPI_Datatype mine;
    int err;

    CHECK_EQ(MPI_File_read_at(f, 0, block, 1, MPI_BYTE, MPI_STATUS_IGNORE), MPI_SUCCESS);
    err = MPI_File_read_at(f, 5 * MIB, block, (int)MIB, MPI_BYTE, MPI_STATUS_IGNORE);
    CHECK_CLASS(err, MPI_ERR_IO);
    check_text(err, "reading");
    check_text(err, "Input/output error (EIO)");
    err = MPI_File_read_at_all(f, rank ? 5 * MIB : 0, block, 1000, MPI_BYTE, MPI_STATUS_IGNORE);
    CHECK_CLASS(err, rank ? MPI_ERR_IO : MPI_SUCCESS);
    MPI_Info_create(&hints);
    MPI_Info_set(hints, "romio_cb_read", "enable");
    MPI_Type_create_resized(MPI_BYTE, 0, size, &mine);
    MPI_Type_commit(&mine);
    CHECK_EQ(MPI_File_set_view(f, rank, MPI_BYTE, mine, "native", hints), MPI_SUCCESS);
    MPI_Info_free(&hints);
    MPI_Type_free(&mine);
    err = MPI_File_read_at_all(f, 5 * MIB / size, block, 100000, MPI_BYTE, MPI_STATUS_IGNORE);
    CHECK_CLASS(err, MPI_ERR_IO);
    check_text(err, "Input/output error (EIO)");
    CHECK_EQ(MPI_File_sync(f), MPI_SUCCESS);
    CHECK_EQ(MPI_File_close(&f), MPI_SUCCESS);
}

/* The system takes the data, and cannot write it to the device: only a sync can tell. */
static void losing(enum way way)
{
    MPI_File f = way == MAPPED ? open_mapped() : open_it();
    int class, least;

    for (int i = 0; i < 4; i++)
        CHECK_EQ(write_block(f, (i * size + rank) * MIB, way), MPI_SUCCESS);
    class = class_of(MPI_File_sync(f));
    CHECK(class == MPI_ERR_IO || class == MPI_ERR_NO_SPACE);
    MPI_Allreduce(&class, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    CHECK_EQ(class, least);
    for (int i = 0; i < 3; i++) { /* a worse one may come, but no success */
        int now = class_of(MPI_File_sync(f));

        CHECK(now >= class);
        same_everywhere(16 + i, now);
    }
    CHECK(MPI_File_close(&f) != MPI_SUCCESS);
}

/* A thread of the process cannot be interrupted: it itself, or one of the kernel's that writes for it. */
static bool has_stuck_thread(int pid)
{
    char path[64], state = 0;
    const struct dirent *d;
    bool stuck = false;
    DIR *tasks;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/task", pid);
    tasks = opendir(path);
    CHECK(tasks);
    while (!stuck && (d = readdir(tasks)) != NULL) {
        snprintf(path, sizeof(path), "/proc/%d/task/%.20s/stat", pid, d->d_name);
        f = fopen(path, "r"); /* none: . and .., or it has ended */
        stuck = f && fscanf(f, "%*d %*s %c", &state) == 1 && state == 'D';
        if (f)
            fclose(f);
    }
    closedir(tasks);
    return stuck;
}

/* The last rank is killed while the device keeps it in an uninterruptible sleep; later: not it, but the kernel that writes for it,
 * so that it sleeps when it is to end. */
static void frozen(const char *folder, bool later)
{
    int victim = size - 1, device = open(folder, O_RDONLY), b = 1;
    MPI_File f = open_it();
    MPI_Request q;
    double begin = 0;

    CHECK(device >= 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == victim) {
        board[PID] = getpid();
        await(FROZEN, 1);
        if (later) {
            CHECK_EQ(MPI_File_iwrite_at(f, 0, &b, 1, MPI_INT, &q), MPI_SUCCESS);
            MPI_Wait(&q, MPI_STATUS_IGNORE);
        }
        MPI_File_write_at(f, 0, &b, 1, MPI_INT, MPI_STATUS_IGNORE);
        CHECK(false); /* it is killed in there */
    }
    if (rank == 0) {
        CHECK(ioctl(device, FIFREEZE, 0) == 0);
        post(FROZEN);
        while (
            !has_stuck_thread(board[PID])) /* an order that has only been given can be taken back */
            sched_yield();
        CHECK(kill(board[PID], SIGKILL) == 0);
        begin = MPI_Wtime();
        post(FROZEN);
    }
    CHECK_CLASS(MPI_File_sync(f), MPI_ERR_PROC_FAILED);
    if (rank == 0) {
        printf("told after %.2f s\n", MPI_Wtime() - begin);
        CHECK(MPI_Wtime() - begin > 0.9);
        CHECK(is_in_state(board[PID], 'D'));
        CHECK(ioctl(device, FITHAW, 0) == 0);
    }
    CHECK_CLASS(MPI_File_sync(f), MPI_ERR_PROC_FAILED);
    CHECK_EQ(MPI_File_close(&f), MPI_SUCCESS);
    close(device);
}

static enum way way_of(const char *text)
{
    return strstr(text, "-later") ? LATER : strstr(text, "-mapped") ? MAPPED : PLAIN;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    CHECK(argc >= 3);
    name = argv[2];
    if (!strncmp(argv[1], "full", 4))
        full(way_of(argv[1]), MPI_ERR_NO_SPACE, "No space left on device (ENOSPC)");
    else if (!strncmp(argv[1], "quota", 5))
        full(way_of(argv[1]), MPI_ERR_QUOTA, "Disk quota exceeded (EDQUOT)");
    else if (!strcmp(argv[1], "broken"))
        broken();
    else if (!strcmp(argv[1], "read-only"))
        read_only();
    else if (!strncmp(argv[1], "losing", 6))
        losing(way_of(argv[1]));
    else
        frozen(argv[3], !strcmp(argv[1], "frozen-later"));
    return finish();
}
