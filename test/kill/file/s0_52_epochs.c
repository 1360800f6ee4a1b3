/* SPDX-License-Identifier: BSD-3-Clause */
/* What sync reports as written by all is on the device, whichever process dies: a job melts, one death per act, at random instants or at
 * named places.  In each act all survivors open a new file and write epoch after epoch, each into a part of its own, by
 * calls drawn at random, with a sync behind each; in one of them a process dies.
 *   - each sync has one result at all survivors; after the first failure there is no success;
 *   - when a sync has succeeded, every byte of every member up to this epoch has been written and then flushed before
 *     any process has returned (observer.h), and the file has these bytes;
 *   - at the end of the act the file still has the bytes of all epochs that were reported.
 *
 *     args PLACE K [SEED]       PLACE as in ../melt.h
 *
 *   S0-50: writing to a file need not report a death
 *   S0-51: the next sync reports the death
 *   S0-52: sync returns the same at all survivors
 *
 * RUN: -n 2 ; args random {n} ; expect "1 deaths" ; times 10
 * RUN: -n 6 ; args random {n} ; expect "5 deaths" ; times 6
 * RUN: -n 12 ; args random {n} ; expect "11 deaths" ; times 3
 * RUN: -n 6 ; args random {n} ; set MACHINES=2 ; expect "5 deaths" ; times 4
 * RUN: -n 6 ; args random {n} ; set COLL_SHM=0 ; set AGREE_SHM=0 ; expect "5 deaths" ; times 4
 * RUN: -n 5 ; args never {n} ; expect "4 deaths" ; times 2
 * RUN: -n 5 ; args after {n} ; expect "4 deaths" ; times 2
 * RUN: -n 5 ; args agree.enter {n} ; expect "4 deaths" ; times 2
 * RUN: -n 5 ; args agree.enter#2 {n} ; expect "4 deaths" ; times 2
 * RUN: -n 5 ; args agree.done {n} ; expect "4 deaths" ; times 2
 * RUN: -n 5 ; args agree.sent.up {n} ; set AGREE_SHM=0 ; expect "4 deaths" ; times 2
 * RUN: -n 5 ; args agree.sent.down {n} ; set AGREE_SHM=0 ; expect "4 deaths" ; times 2 */
#include "kill/melt.h"

#include "observer.h"

#define EPOCHS  4
#define PIECE   120 /* bytes of one rank in one epoch */
#define RESULTS 1024

struct act {
    int number, beneath, victim, epoch; /* in which it dies */
    unsigned dice;
};

struct scene {
    struct act a;
    MPI_File f;
    int me, good; /* epochs that sync has reported */
    bool failed;
    char name[32];
};

static struct act act_of(const char *where, unsigned seed, unsigned first, int processes, int i)
{
    struct act a = {.number = i, .beneath = processes - i};

    a.dice = mix(seed * 1000003u + first * 1009u + (unsigned)i);
    a.victim = (int)(a.dice % (unsigned)a.beneath);
    a.epoch = strstr(where, "sent.down") ? 0 : (int)(a.dice >> 12) % EPOCHS;
    if (strstr(where, "sent.down")) /* by the root */
        a.victim = 0;
    if (strstr(where, "sent.up") && a.victim == 0)
        a.victim = a.beneath - 1;
    return a;
}

static unsigned char byte_of(int epoch, int r, int i)
{
    return (unsigned char)(1 + epoch * 50 + r * 3 + i % 3);
}

/* Byte i of a rank's piece: the members take turns. */
static long place_of(const struct scene *s, int epoch, int r, int i)
{
    return ((long)epoch * PIECE + i) * s->a.beneath + r;
}

static void set_view(struct scene *s)
{
    MPI_Datatype mine;

    CHECK_EQ(MPI_Type_create_resized(MPI_BYTE, 0, s->a.beneath, &mine), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_commit(&mine), MPI_SUCCESS);
    CHECK_EQ(MPI_File_set_view(s->f, s->me, MPI_BYTE, mine, "native", MPI_INFO_NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_free(&mine), MPI_SUCCESS);
}

static int write_piece(struct scene *s, int epoch, const void *b)
{
    MPI_Offset at = (MPI_Offset)epoch * PIECE;
    MPI_Request q;
    int err;

    switch (((s->a.dice >> 4) + (unsigned)epoch) % 4) {
    case 0:
        return MPI_File_write_at(s->f, at, b, PIECE, MPI_BYTE, MPI_STATUS_IGNORE);
    case 1:
        return MPI_File_write_at_all(s->f, at, b, PIECE, MPI_BYTE, MPI_STATUS_IGNORE);
    case 2:
        err = MPI_File_iwrite_at_all(s->f, at, b, PIECE, MPI_BYTE, &q);
        return err ? err : MPI_Wait(&q, MPI_STATUS_IGNORE);
    default:
        err = MPI_File_write_at_all_begin(s->f, at, b, PIECE, MPI_BYTE);
        return err ? err : MPI_File_write_at_all_end(s->f, b, MPI_STATUS_IGNORE);
    }
}

/* What the file has of the epochs up to this one, of every member. */
static void check_contents(const struct scene *s, int epochs)
{
    static unsigned char got[OBSERVED_MAX];
    long n = place_of(s, epochs, 0, 0);
    int fd = open(file_name(s->name), O_RDONLY);

    CHECK(fd >= 0);
    CHECK_EQ(pread(fd, got, (size_t)n, 0), n);
    close(fd);
    for (int e = 0; e < epochs; e++)
        for (int r = 0; r < s->a.beneath; r++)
            for (int i = 0; i < PIECE; i++)
                CHECK_EQ(got[place_of(s, e, r, i)], byte_of(e, r, i));
}

static void end_epoch(struct scene *s, int epoch)
{
    int class = class_of(MPI_File_sync(s->f));

    if (!class)
        CHECK_EQ(not_on_device(0, place_of(s, epoch + 1, 0, 0)), -1);
    CHECK(class == MPI_SUCCESS || class == MPI_ERR_PROC_FAILED);
    if (s->me != s->a.victim) /* which may have a result of its own, and die with it */
        same_everywhere(RESULTS + s->a.number * EPOCHS + epoch, class);
    CHECK(class || !s->failed);
    s->failed |= class != MPI_SUCCESS;
    if (!class) {
        check_contents(s, epoch + 1);
        s->good = epoch + 1;
    }
}

static void play(struct scene *s, const char *where)
{
    unsigned char b[PIECE];

    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        if (s->me == s->a.victim && epoch == s->a.epoch)
            meet_death(where, s->a.number, s->a.beneath - 1, 1 + (long)(s->a.dice >> 8) % 700);
        for (int i = 0; i < PIECE; i++)
            b[i] = byte_of(epoch, s->me, i);
        CHECK_EQ(write_piece(s, epoch, b), MPI_SUCCESS); /* S0-50 */
        end_epoch(s, epoch);
    }
}

/* Two aggregators, if there are members enough. */
static void open_gathering(struct scene *s, MPI_Comm all)
{
    MPI_Info hints;

    MPI_Info_create(&hints);
    MPI_Info_set(hints, "romio_cb_write", "enable");
    MPI_Info_set(hints, "cb_nodes", "2");
    MPI_Info_set(hints, "striping_unit", "512");
    CHECK_EQ(MPI_File_open(all, file_name(s->name), RW, hints, &s->f), MPI_SUCCESS);
    MPI_Info_free(&hints);
}

static void open_scene(struct scene *s, const struct act *a, MPI_Comm all)
{
    *s = (struct scene){.a = *a};
    snprintf(doing, sizeof(doing), "act %d: victim %d of %d, epoch %d", a->number, a->victim,
             a->beneath, a->epoch);
    snprintf(s->name, sizeof(s->name), "epochs-%d", a->number);
    MPI_Comm_rank(all, &s->me);
    observe(s->name);
    open_gathering(s, all);
    set_view(s);
}

/* Returns the communicator of the survivors. */
static MPI_Comm play_act(const char *where, const struct act *a, MPI_Comm all)
{
    struct scene s;
    MPI_Comm rest;

    open_scene(&s, a, all);
    CHECK_EQ(MPI_Comm_split(all, s.me == a->victim ? MPI_UNDEFINED : 0, -rank, &rest), MPI_SUCCESS);
    if (s.me != a->victim) {
        MPI_Comm_set_errhandler(rest, MPI_ERRORS_RETURN);
        post(slot(a->number, READY));
    }
    play(&s, where);
    if (s.me == a->victim)
        die_after(where, a->number);
    wait_until_dead(all, a->victim);
    CHECK_CLASS(MPI_File_sync(s.f), MPI_ERR_PROC_FAILED); /* S0-51 */
    check_contents(&s, s.good);
    CHECK_EQ(MPI_File_close(&s.f), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(rest), MPI_SUCCESS);
    if (s.me == (a->victim == 0))
        forget(s.name);
    return rest;
}

int main(int argc, char **argv)
{
    unsigned first = (unsigned)atoi(argv[2]);
    unsigned seed = argc > 3 ? (unsigned)atoi(argv[3]) : 1;
    MPI_Comm all;

    arm(argv[1]);
    start(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    for (int i = 0; i < size - 1; i++) {
        struct act a = act_of(argv[1], seed, first, size, i);
        MPI_Comm rest = play_act(argv[1], &a, all);

        MPI_Comm_free(&all);
        all = rest;
    }
    tell_deaths(argv[1], true, all);
    return finish();
}
