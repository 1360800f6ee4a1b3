/* SPDX-License-Identifier: BSD-3-Clause */
/* Files, whichever rank dies and wherever, in the middle of a write or of a flush too: a file is open at all survivors or at
 * none; each sync has one result at all survivors; what a successful sync covers is on the disk at every survivor that
 * returns from it, every byte of every member; an error of the disk is the error of all, until the file is closed.
 *
 *   R33: an error of writing is one class at all at sync, and stays until the file is closed
 *   S0-52: sync returns the same at all survivors
 *   S2-8: creation of windows and files is uniform, too */
#include "class.h"
#include "sim/job_files.h"
#include "uniform.h"

#include <mpi_ft.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define W      MPI_COMM_WORLD
#define BLOCK  24
#define EPOCHS 3
#define MOST   256 /* bytes of a file that are looked at */

/* Not variables: all ranks of a simulated job share those. */
static int me(void)
{
    int rank;

    MPI_Comm_rank(W, &rank);
    return rank;
}

static int all(void)
{
    int size;

    MPI_Comm_size(W, &size);
    return size;
}

static int wrong(const char *what, int err)
{
    fprintf(stderr, "rank %d: %s: class %#x\n", me(), what, (unsigned)err);
    return 1;
}

static int is_death(int err)
{
    return class_of(err) == MPI_ERR_PROC_FAILED;
}

#define SAME(err_)                                                                                 \
    do {                                                                                           \
        if (!uniform(W, class_of(err_)))                                                           \
            return wrong("not the same at all", class_of(err_));                                   \
    } while (0)

#define TRY(call_)                                                                                 \
    do {                                                                                           \
        int err_ = call_;                                                                          \
        if (err_ && !is_death(err_))                                                               \
            return wrong(#call_, class_of(err_));                                                  \
    } while (0)

/* MPI_FILE_NULL if a death prevented it.  Collective calls exchange data.  keep: how many bytes are kept until a good sync. */
static int open_keeping(const char *name, const char *keep, MPI_File *f_p)
{
    MPI_Info hints;
    int err;

    MPI_Info_create(&hints);
    MPI_Info_set(hints, "romio_cb_write", "enable");
    MPI_Info_set(hints, "romio_cb_read", "enable");
    MPI_Info_set(hints, "mend_keep_bytes", keep);
    err = MPI_File_open(W, name, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, f_p);
    MPI_Info_free(&hints);
    TRY(err);
    SAME(err);
    return !err == (*f_p == MPI_FILE_NULL);
}

static int open_file(const char *name, MPI_File *f_p)
{
    return open_keeping(name, "0", f_p);
}

/* Every byte of every member; each is of this epoch or of a later one. */
static int check_disk(const char *name, int n, int epoch)
{
    unsigned char got[MOST];

    sim_on_disk(name, 0, got, (size_t)n);
    for (int i = 0; i < n; i++)
        if (got[i] < epoch || got[i] > EPOCHS)
            return wrong("not on the disk", i);
    return 0;
}

/* The bytes of the members take turns. */
static int set_view(MPI_File f)
{
    MPI_Datatype mine;
    int err;

    MPI_Type_create_resized(MPI_BYTE, 0, all(), &mine);
    MPI_Type_commit(&mine);
    err = MPI_File_set_view(f, me(), MPI_BYTE, mine, "native", MPI_INFO_NULL);
    MPI_Type_free(&mine);
    return err;
}

/* A third of the block by each of three calls; the first few bytes of it again in atomic mode. */
static int write_block(MPI_File f, int epoch)
{
    const int third = BLOCK / 3;
    char block[BLOCK];
    MPI_Request q;

    memset(block, epoch, BLOCK);
    TRY(MPI_File_write_at(f, 0, block, third, MPI_BYTE, MPI_STATUS_IGNORE));
    TRY(MPI_File_write_at_all(f, third, block, third, MPI_BYTE, MPI_STATUS_IGNORE));
    TRY(MPI_File_iwrite_at(f, 2 * third, block, third, MPI_BYTE, &q));
    TRY(MPI_Wait(&q, MPI_STATUS_IGNORE));
    if (epoch == 2) {
        TRY(MPI_File_set_atomicity(f, 1));
        TRY(MPI_File_write_at(f, 0, block, 4, MPI_BYTE, MPI_STATUS_IGNORE));
        TRY(MPI_File_set_atomicity(f, 0));
    }
    return 0;
}

static int read_block(MPI_File f, int epoch)
{
    char got[BLOCK];

    TRY(MPI_File_read_at_all(f, 0, got, BLOCK, MPI_BYTE, MPI_STATUS_IGNORE));
    for (int i = 0; i < BLOCK; i++)
        if (got[i] != epoch)
            return wrong("another byte was read", got[i]);
    return 0;
}

static int epochs(void)
{
    MPI_File f = MPI_FILE_NULL;
    int err, failed = 0;

    if (open_file(SIM_FILES "epochs", &f))
        return 1;
    if (f == MPI_FILE_NULL)
        return 0;
    err = set_view(f);
    TRY(err);
    SAME(err);
    for (int epoch = 1; !err && epoch <= EPOCHS; epoch++) {
        int synced;

        if (write_block(f, epoch) || read_block(f, epoch))
            return 1;
        synced = MPI_File_sync(f);
        TRY(synced);
        SAME(synced);
        if (!synced && (failed || check_disk(SIM_FILES "epochs", BLOCK * all(), epoch)))
            return wrong("a good sync", epoch);
        failed |= synced;
    }
    err = MPI_File_close(&f);
    TRY(err);
    SAME(err);
    return 0;
}

/* Records at the shared pointer, and in order: each is in the file once. */
static int records(void)
{
    MPI_File f = MPI_FILE_NULL;
    unsigned char record[2], got[MOST];
    int seen[MOST] = {0}, err;

    if (open_file(SIM_FILES "records", &f))
        return 1;
    if (f == MPI_FILE_NULL)
        return 0;
    for (int i = 0; i < 2; i++) {
        memset(record, 1 + me() + i * all(), sizeof(record));
        TRY(MPI_File_write_shared(f, record, 2, MPI_BYTE, MPI_STATUS_IGNORE));
    }
    memset(record, 1 + me() + 2 * all(), sizeof(record));
    TRY(MPI_File_write_ordered(f, record, 2, MPI_BYTE, MPI_STATUS_IGNORE));
    err = MPI_File_sync(f);
    TRY(err);
    SAME(err);
    if (!err) {
        sim_on_disk(SIM_FILES "records", 0, got, sizeof(got));
        for (int i = 0; i < 6 * all(); i += 2)
            if (got[i] != got[i + 1] || !got[i] || got[i] > 3 * all() || seen[got[i]]++)
                return wrong("a record", i);
    }
    err = MPI_File_close(&f);
    TRY(err);
    SAME(err);
    return 0;
}

/* The disk loses something once: MPI_ERR_IO, or the death of a member, from then on.  If all have kept what they have written
 * they write it again, and only a death is an error. */
static int broken(const char *keep, bool repaired)
{
    MPI_File f = MPI_FILE_NULL;
    int err = MPI_SUCCESS, before = MPI_SUCCESS;

    if (open_keeping(SIM_BROKEN, keep, &f))
        return 1;
    if (f == MPI_FILE_NULL)
        return 0;
    for (int epoch = 1; epoch <= EPOCHS; epoch++) {
        char block[8];

        memset(block, epoch, 8);
        TRY(MPI_File_write_at(f, 8 * me(), block, 8, MPI_BYTE, MPI_STATUS_IGNORE));
        err = MPI_File_sync(f);
        SAME(err);
        if (err ? !is_death(err) && (repaired || class_of(err) != MPI_ERR_IO)
                : before || check_disk(SIM_BROKEN, 8 * all(), epoch))
            return wrong("sync of a broken disk", class_of(err));
        before = err;
    }
    if (!err && !repaired)
        return wrong("nobody noticed that the disk is broken", 0);
    err = MPI_File_close(&f);
    SAME(err);
    return 0;
}

/* One member cannot open the file: all hear of that, or of a death. */
static int refused(void)
{
    MPI_File f = MPI_FILE_NULL;
    int err = MPI_File_open(W, SIM_REFUSED, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);

    SAME(err);
    if (!err == (f == MPI_FILE_NULL) || (!is_death(err) && class_of(err) != MPI_ERR_IO))
        return wrong("open with a member that cannot", class_of(err));
    return 0;
}

/* The last member has no room; all hear of it. */
static int full(void)
{
    MPI_File f = MPI_FILE_NULL;
    char block[SIM_FULL_BYTES / 2] = {0};
    int last = me() == all() - 1, err;

    if (open_file(SIM_FULL, &f))
        return 1;
    if (f == MPI_FILE_NULL)
        return 0;
    err = MPI_File_write_at(f, last ? SIM_FULL_BYTES - 8 : 0, block, (int)sizeof(block), MPI_BYTE,
                            MPI_STATUS_IGNORE);
    if (class_of(err) != (last ? MPI_ERR_NO_SPACE : MPI_SUCCESS))
        return wrong("write to a full disk", class_of(err));
    err = MPI_File_sync(f);
    SAME(err);
    if (!is_death(err) && class_of(err) != MPI_ERR_NO_SPACE)
        return wrong("sync of a full disk", class_of(err));
    err = MPI_File_close(&f);
    SAME(err);
    return 0;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    if (epochs() || records() || broken("0", false) || broken("1000", true) || refused() || full())
        return 1;
    MPI_Finalize();
    return 0;
}
