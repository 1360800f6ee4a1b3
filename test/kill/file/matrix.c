/* SPDX-License-Identifier: BSD-3-Clause */
/* Every call on a file loses a process: the root, an aggregator of collective calls, one that writes, or one that has nothing to
 * write, before, inside and after.  The job shrinks: in each act one process dies in a file of all survivors, which call
 * the same call a few times.
 *   - every survivor returns from every call; calls that move data succeed (S0-50), the ordered ones and those of all may
 *     report the death, those of all at all survivors alike;
 *   - what a survivor has written is in the file, whether or not another process was to write it;
 *   - then sync reports the death, the file can be read and closed, and another one can be opened by the survivors.
 *
 * Act i of run K takes the next call, and after all calls the next role; 96 acts are all combinations.
 *     args PLACE K [SEED]       PLACE as in ../melt.h
 *
 *   R30: a window or a file with dead members can be freed
 *   S0-50: writing to a file need not report a death
 *   S0-51: the next sync reports the death
 *   S0-52: sync returns the same at all survivors
 *   S0-54: the file's positions can be read after a failure
 *   S2-8: creation of windows and files is uniform, too
 *
 * RUN: -n 9 ; args never {n} ; expect "8 deaths" ; times 12
 * RUN: -n 9 ; args after {n} ; expect "8 deaths" ; times 12
 * RUN: -n 9 ; args random {n} ; expect "8 deaths" ; times 12
 * RUN: -n 9 ; args random {n} ; set MACHINES=2 ; expect "8 deaths" ; times 12
 * RUN: -n 9 ; args random {n} ; set FILE_ASYNC=always ; expect "8 deaths" ; times 12
 * RUN: -n 16 ; args random {n} 7 ; expect "15 deaths" ; times 7
 * RUN: -n 2 ; args random {n} ; expect "1 deaths" ; times 96
 * RUN: -n 9 ; args agree.enter {n} ; expect "8 deaths" ; times 12
 * RUN: -n 9 ; args agree.enter#2 {n} ; expect "8 deaths" ; times 12
 * RUN: -n 9 ; args agree.done {n} ; expect "8 deaths" ; times 12
 * RUN: -n 9 ; args agree.done#2 {n} ; expect "8 deaths" ; times 12
 * RUN: -n 9 ; args coll.enter {n} ; expect "8 deaths" ; times 12
 * RUN: -n 9 ; args coll.enter#2 {n} ; expect "8 deaths" ; times 12
 * RUN: -n 9 ; args coll.done {n} ; expect "8 deaths" ; times 12
 * RUN: -n 9 ; args coll.done {n} ; set MACHINES=2 ; expect "8 deaths" ; times 12 */
#include "kill/melt.h"

#include "common.h"

#define ROUNDS  3
#define PIECE   200 /* bytes of one rank in one round */
#define RESULTS 1024
#define FAILED  MPI_ERR_PROC_FAILED

enum call {
    WRITE_AT,
    IWRITE_AT,
    WRITE_ALL,
    IWRITE_ALL,
    SPLIT,
    READ_AT,
    READ_ALL,
    IREAD_ALL,
    SPLIT_READ,
    WRITE_SHARED,
    IWRITE_SHARED,
    READ_SHARED,
    WRITE_ORDERED,
    SPLIT_ORDERED,
    READ_ORDERED,
    SYNC,
    SET_SIZE,
    PREALLOCATE,
    SET_VIEW,
    SET_INFO,
    SET_ATOMICITY,
    SEEK_SHARED,
    CLOSE,
    OPEN,
    CALLS
};

static const char *const call_names[CALLS] = {"write_at",
                                              "iwrite_at",
                                              "write_at_all",
                                              "iwrite_at_all",
                                              "write_at_all_begin",
                                              "read_at",
                                              "read_at_all",
                                              "iread_at_all",
                                              "read_at_all_begin",
                                              "write_shared",
                                              "iwrite_shared",
                                              "read_shared",
                                              "write_ordered",
                                              "write_ordered_begin",
                                              "read_ordered",
                                              "sync",
                                              "set_size",
                                              "preallocate",
                                              "set_view",
                                              "set_info",
                                              "set_atomicity",
                                              "seek_shared",
                                              "close",
                                              "open"};

enum role { ROOT, AGGREGATOR, WRITER, BYSTANDER, ROLES };

struct act {
    int number, beneath, victim;
    unsigned dice;
    enum call call;
    enum role role;
};

struct scene {
    struct act a;
    MPI_Comm all;
    MPI_File f;
    int me;
    bool written[ROUNDS];
};

static struct act act_of(unsigned seed, unsigned first, int processes, int i)
{
    struct act a = {.number = i, .beneath = processes - i};
    unsigned k = first * (unsigned)(processes - 1) + (unsigned)i;

    a.dice = mix(seed * 1000003u + k);
    a.call = (enum call)(k % CALLS);
    a.role = (enum role)(k / CALLS % ROLES);
    a.victim = a.role == ROOT ? 0 : a.role == AGGREGATOR ? a.beneath / 2 : a.beneath - 1;
    return a;
}

static bool is_shared(enum call c)
{
    return c >= WRITE_SHARED && c <= READ_ORDERED;
}

static bool is_ordered(enum call c)
{
    return c >= WRITE_ORDERED && c <= READ_ORDERED;
}

static bool reads_own(enum call c)
{
    return c >= READ_AT && c <= SPLIT_READ;
}

static unsigned char byte_of(int round, int r, int i)
{
    return (unsigned char)(1 + round * 70 + r * 4 + i % 4);
}

static const char *name_of(const struct scene *s, const char *kind)
{
    static char name[64];

    snprintf(name, sizeof(name), "%s-%d", kind, s->a.number);
    return file_name(name);
}

static int open_file_of(struct scene *s, MPI_Comm c, const char *kind, MPI_File *f_p)
{
    MPI_Info hints;
    int err;

    MPI_Info_create(&hints);
    MPI_Info_set(hints, "cb_nodes", "2");
    MPI_Info_set(hints, "striping_unit", "512");
    MPI_Info_set(hints, "romio_cb_write", "enable");
    MPI_Info_set(hints, "romio_cb_read", "enable");
    err = MPI_File_open(c, name_of(s, kind), RW | MPI_MODE_DELETE_ON_CLOSE, hints, f_p);
    MPI_Info_free(&hints);
    return err;
}

/* The bytes of the members take turns, so that collective calls exchange them. */
static int take_turns(struct scene *s)
{
    MPI_Datatype mine;
    int err;

    MPI_Type_create_resized(MPI_BYTE, 0, s->a.beneath, &mine);
    MPI_Type_commit(&mine);
    err = MPI_File_set_view(s->f, s->me, MPI_BYTE, mine, "native", MPI_INFO_NULL);
    MPI_Type_free(&mine);
    return err;
}

static int count_of(const struct scene *s)
{
    return s->a.role == BYSTANDER && s->me == s->a.victim ? 0 : PIECE;
}

/* ---- the calls; each returns its error ---- */

static int complete(int err, MPI_Request *q)
{
    return err ? err : MPI_Wait(q, MPI_STATUS_IGNORE);
}

static int write_own(const struct scene *s, MPI_Offset at, void *b, int n)
{
    MPI_Request q;
    int err;

    switch (s->a.call) {
    case WRITE_AT:
        return MPI_File_write_at(s->f, at, b, n, MPI_BYTE, MPI_STATUS_IGNORE);
    case IWRITE_AT:
        return complete(MPI_File_iwrite_at(s->f, at, b, n, MPI_BYTE, &q), &q);
    case WRITE_ALL:
        return MPI_File_write_at_all(s->f, at, b, n, MPI_BYTE, MPI_STATUS_IGNORE);
    case IWRITE_ALL:
        return complete(MPI_File_iwrite_at_all(s->f, at, b, n, MPI_BYTE, &q), &q);
    default:
        err = MPI_File_write_at_all_begin(s->f, at, b, n, MPI_BYTE);
        return err ? err : MPI_File_write_at_all_end(s->f, b, MPI_STATUS_IGNORE);
    }
}

static int write_shared(const struct scene *s, void *b, int n)
{
    MPI_Request q;
    int err;

    switch (s->a.call) {
    case WRITE_SHARED:
        return MPI_File_write_shared(s->f, b, n, MPI_BYTE, MPI_STATUS_IGNORE);
    case IWRITE_SHARED:
        return complete(MPI_File_iwrite_shared(s->f, b, n, MPI_BYTE, &q), &q);
    case WRITE_ORDERED:
        return MPI_File_write_ordered(s->f, b, n, MPI_BYTE, MPI_STATUS_IGNORE);
    default:
        err = MPI_File_write_ordered_begin(s->f, b, n, MPI_BYTE);
        return err ? err : MPI_File_write_ordered_end(s->f, b, MPI_STATUS_IGNORE);
    }
}

static int read_in(const struct scene *s, MPI_Offset at, void *b, int n)
{
    MPI_Request q;
    int err;

    switch (s->a.call) {
    case READ_AT:
        return MPI_File_read_at(s->f, at, b, n, MPI_BYTE, MPI_STATUS_IGNORE);
    case READ_ALL:
        return MPI_File_read_at_all(s->f, at, b, n, MPI_BYTE, MPI_STATUS_IGNORE);
    case IREAD_ALL:
        return complete(MPI_File_iread_at_all(s->f, at, b, n, MPI_BYTE, &q), &q);
    case SPLIT_READ:
        err = MPI_File_read_at_all_begin(s->f, at, b, n, MPI_BYTE);
        return err ? err : MPI_File_read_at_all_end(s->f, b, MPI_STATUS_IGNORE);
    case READ_SHARED:
        return MPI_File_read_shared(s->f, b, n, MPI_BYTE, MPI_STATUS_IGNORE);
    default:
        return MPI_File_read_ordered(s->f, b, n, MPI_BYTE, MPI_STATUS_IGNORE);
    }
}

static int move(struct scene *s, int round)
{
    MPI_Offset at = (MPI_Offset)round * PIECE;
    unsigned char b[PIECE] = {0};
    int n = count_of(s), err;
    bool own = reads_own(s->a.call);

    if (own || s->a.call == READ_SHARED || s->a.call == READ_ORDERED) {
        err = read_in(s, at, b, n);
        for (int i = 0; own && i < n; i++)
            CHECK_EQ(b[i], byte_of(round, s->me, i));
        return err;
    }
    for (int i = 0; i < PIECE; i++)
        b[i] = byte_of(round, s->me, i);
    err = is_shared(s->a.call) ? write_shared(s, b, n) : write_own(s, at, b, n);
    s->written[round] = !err && n;
    return err;
}

static int of_all(struct scene *s, int round)
{
    MPI_File other = MPI_FILE_NULL;
    int err;

    switch (s->a.call) {
    case SYNC:
        return MPI_File_sync(s->f);
    case SET_SIZE:
        return MPI_File_set_size(s->f, 5000 + round);
    case PREALLOCATE:
        return MPI_File_preallocate(s->f, 5000 + round);
    case SET_VIEW:
        return MPI_File_set_view(s->f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    case SET_INFO:
        return MPI_File_set_info(s->f, MPI_INFO_NULL);
    case SET_ATOMICITY:
        return MPI_File_set_atomicity(s->f, round % 2 == 0);
    case SEEK_SHARED:
        return MPI_File_seek_shared(s->f, round, MPI_SEEK_SET);
    case CLOSE:
        err = MPI_File_close(&s->f);
        CHECK(s->f == MPI_FILE_NULL);
        return err;
    default:
        err = open_file_of(s, s->all, "other", &other);
        CHECK(!err == (other != MPI_FILE_NULL));
        return other == MPI_FILE_NULL ? err : MPI_File_close(&other);
    }
}

/* ---- an act ---- */

static void play(struct scene *s)
{
    bool failed = false;

    for (int round = 0; round < ROUNDS && s->f != MPI_FILE_NULL; round++) {
        bool moves = s->a.call < SYNC;
        int class = class_of(moves ? move(s, round) : of_all(s, round));

        CHECK(class == MPI_SUCCESS || (class == FAILED && (!moves || is_shared(s->a.call))));
        if (is_shared(s->a.call) && !is_ordered(s->a.call))
            CHECK_EQ(class, MPI_SUCCESS);
        if (!moves &&
            s->me != s->a.victim) { /* which may have a result of its own, and die with it */
            same_everywhere(RESULTS + s->a.number * ROUNDS + round, class);
            CHECK(class || !failed); /* once told, for good */
        }
        failed |= class != MPI_SUCCESS;
    }
}

static bool has_record(const unsigned char *got, ssize_t n, const struct scene *s, int round)
{
    for (ssize_t at = 0; at + PIECE <= n; at += PIECE) {
        int i = 0;

        while (i < PIECE && got[at + i] == byte_of(round, s->me, i))
            i++;
        if (i == PIECE)
            return true;
    }
    return false;
}

/* What I have written, as the system has it. */
static void check_written(const struct scene *s)
{
    static unsigned char got[ROUNDS * PIECE * 64];
    int fd = open(name_of(s, "matrix"), O_RDONLY);
    ssize_t n = pread(fd, got, sizeof(got), 0);

    CHECK(fd >= 0 && n >= 0);
    close(fd);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; s->written[round] && i < PIECE; i++) {
            ssize_t at = ((ssize_t)round * PIECE + i) * s->a.beneath + s->me;

            if (is_shared(s->a.call))
                CHECK(has_record(got, n, s, round));
            else
                CHECK(at < n && got[at] == byte_of(round, s->me, i));
        }
}

static void set_scene(struct scene *s, const struct act *a, MPI_Comm all)
{
    unsigned char b[ROUNDS * PIECE];

    *s = (struct scene){.a = *a, .all = all, .f = MPI_FILE_NULL};
    snprintf(doing, sizeof(doing), "act %d: %s, role %d, victim %d of %d", a->number,
             call_names[a->call], a->role, a->victim, a->beneath);
    MPI_Comm_rank(all, &s->me);
    CHECK_EQ(open_file_of(s, all, "matrix", &s->f), MPI_SUCCESS);
    if (!is_shared(a->call))
        CHECK_EQ(take_turns(s), MPI_SUCCESS);
    for (int i = 0; i < ROUNDS * PIECE; i++)
        b[i] = byte_of(i / PIECE, s->me, i % PIECE);
    if (reads_own(a->call))
        CHECK_EQ(MPI_File_write_at_all(s->f, 0, b, ROUNDS * PIECE, MPI_BYTE, MPI_STATUS_IGNORE),
                 MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(all), MPI_SUCCESS);
}

static void check_later(struct scene *s, MPI_Comm rest)
{
    MPI_File f = MPI_FILE_NULL;
    MPI_Offset at;

    if (s->f != MPI_FILE_NULL) {
        check_written(s);
        CHECK_CLASS(MPI_File_sync(s->f), FAILED);
        check_written(s);
        CHECK_EQ(MPI_File_get_position(s->f, &at), MPI_SUCCESS);
        CHECK_EQ(MPI_File_get_size(s->f, &at), MPI_SUCCESS);
        CHECK_EQ(MPI_Barrier(rest), MPI_SUCCESS); /* for closing deletes the file */
        CHECK_EQ(MPI_File_close(&s->f), MPI_SUCCESS);
    }
    CHECK_EQ(open_file_of(s, rest, "rest", &f), MPI_SUCCESS);
    CHECK_EQ(MPI_File_sync(f), MPI_SUCCESS);
    CHECK_EQ(MPI_File_close(&f), MPI_SUCCESS);
}

/* One act on `all`; returns the communicator of the survivors. */
static MPI_Comm play_act(const char *where, const struct act *a, MPI_Comm all)
{
    struct scene s;
    MPI_Comm rest;

    set_scene(&s, a, all);
    CHECK_EQ(MPI_Comm_split(all, s.me == a->victim ? MPI_UNDEFINED : 0, -rank, &rest), MPI_SUCCESS);
    if (s.me == a->victim) {
        meet_death(where, a->number, a->beneath - 1, 1 + (long)(a->dice % 300));
        play(&s);
        die_after(where, a->number);
    }
    MPI_Comm_set_errhandler(rest, MPI_ERRORS_RETURN);
    meet_survival(where, a->number, a->dice + (unsigned)s.me);
    play(&s);
    wait_until_dead(all, a->victim);
    check_later(&s, rest);
    return rest;
}

/* Calls that only agree, as those from sync on do where the members share memory, meet no event of a collective. */
static bool may_happen(const char *where, const struct act *a)
{
    return strncmp(where, "coll.", 5) != 0 || a->call < SYNC;
}

int main(int argc, char **argv)
{
    unsigned first = (unsigned)atoi(argv[2]);
    unsigned seed = argc > 3 ? (unsigned)atoi(argv[3]) : 1;
    bool possible = false;
    MPI_Comm all;

    arm(argv[1]);
    start(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    for (int i = 0; i < size - 1; i++) {
        struct act a = act_of(seed, first, size, i);
        MPI_Comm rest = play_act(argv[1], &a, all);

        possible |= may_happen(argv[1], &a);
        MPI_Comm_free(&all);
        all = rest;
    }
    tell_deaths(argv[1], possible, all);
    return finish();
}
