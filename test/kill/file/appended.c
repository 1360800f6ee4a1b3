/* SPDX-License-Identifier: BSD-3-Clause */
/* Records at the shared pointer that are copied into a mapping of the file (hint mend_append_mapped), whichever process dies and
 * wherever: when its record has a place, before or after it is copied, when space was reserved, in sync, in close.  A job melts,
 * one death per act; in each act all survivors open a new file and append epoch after epoch, with a sync behind each.
 *   - every append succeeds, and each record of a survivor is in the file once, whole; at most one is torn: the dead process's;
 *   - sync has one result at all survivors; if it succeeded each member had flushed after its last record, and the records of all
 *     are in the file;
 *   - when close returns the file ends where the data does.
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
 * RUN: -n 5 ; args never {n} ; expect "4 deaths"
 * RUN: -n 5 ; args after {n} ; expect "4 deaths"
 * RUN: -n 5 ; args append.placed {n} ; expect "4 deaths" ; times 2
 * RUN: -n 5 ; args append.placed#17 {n} ; expect "4 deaths" ; times 2
 * RUN: -n 5 ; args append.reserved {n} ; expect "4 deaths" ; times 2
 * RUN: -n 5 ; args append.reserved#2 {n} ; expect "4 deaths" ; times 2
 * RUN: -n 5 ; args append.copied {n} ; expect "4 deaths" ; times 2
 * RUN: -n 5 ; args append.copied#30 {n} ; expect "4 deaths" ; times 2
 * RUN: -n 5 ; args append.cut {n} ; expect "4 deaths" ; times 2
 * RUN: -n 2 ; args append.cut {n} ; expect "1 deaths" ; times 2
 * RUN: -n 5 ; args agree.enter {n} ; expect "4 deaths" ; times 2
 * RUN: -n 5 ; args agree.done {n} ; expect "4 deaths" ; times 2 */
#include "kill/melt.h"

#include "common.h"

#include <linux/magic.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#define EPOCHS 3
#define EACH   40 /* records of a member in an epoch */
#define CHUNK  (1 << 20)
#define DISP                                                                                       \
    (CHUNK - 165 * 64 - 32) /* a record lies in two chunks, others of each member before it */
#define MEMBERS 16

enum { FLUSHED = 512, RESULTS = 1024 };

struct record {
    int act, rank, number; /* of the member */
    unsigned char rest[52];
};

struct act {
    int number, beneath, victim, epoch;
    unsigned dice;
};

struct scene {
    struct act a;
    MPI_File f;
    int me, written;
    bool failed, closes; /* closes: it dies in close */
    char name[32];
};

static int act_now, member, written_now;

/* Which records of this member the flush began after. */
int fdatasync(int fd)
{
    int mark = act_now * 1000 + written_now, err = (int)syscall(SYS_fdatasync, fd);

    if (!err)
        __atomic_store_n(&board[FLUSHED + member], mark, __ATOMIC_SEQ_CST);
    return err;
}

static struct act act_of(const char *where, unsigned seed, unsigned first, int processes, int i)
{
    struct act a = {.number = i, .beneath = processes - i};

    a.dice = mix(seed * 1000003u + first * 1009u + (unsigned)i);
    a.victim = (int)(a.dice % (unsigned)a.beneath);
    a.epoch = strstr(where, "reserved") ? 0 : (int)(a.dice >> 12) % EPOCHS;
    return a;
}

static struct record make_record(int act, int r, int number)
{
    struct record x = {.act = act, .rank = r, .number = number};

    for (int i = 0; i < (int)sizeof(x.rest); i++)
        x.rest[i] = (unsigned char)(1 + (act * 7 + r * 3 + number + i) % 200);
    return x;
}

/* ---- what is in the file ---- */

/* found[r][k]: how often record k of member r is there.  Returns how many places have none. */
static int find_records(const struct scene *s, int found[MEMBERS][EPOCHS * EACH], long *n_p)
{
    static struct record got[MEMBERS * EPOCHS * EACH];
    int fd = open(file_name(s->name), O_RDONLY), broken = 0;
    ssize_t n = pread(fd, got, sizeof(got), DISP);
    struct stat st;

    CHECK(fd >= 0 && n >= 0 && fstat(fd, &st) == 0);
    close(fd);
    memset(found, 0, sizeof(int) * MEMBERS * EPOCHS * EACH);
    for (long i = 0; i < n / (long)sizeof(got[0]); i++) {
        int r = got[i].rank, k = got[i].number;
        struct record want = make_record(s->a.number, r, k);

        if (!memcmp(&want, &got[i], sizeof(want)) && r >= 0 && r < s->a.beneath && k >= 0 &&
            k < EPOCHS * EACH)
            found[r][k]++;
        else
            broken++;
    }
    *n_p = (long)st.st_size;
    return broken;
}

static void check_once(const struct scene *s, int found[MEMBERS][EPOCHS * EACH], int r, int n)
{
    CHECK(r < s->a.beneath);
    for (int k = 0; k < n; k++)
        CHECK_EQ(found[r][k], 1);
}

/* Those of all members, when a sync has succeeded; others may be writing the next ones. */
static void check_synced(const struct scene *s)
{
    static int found[MEMBERS][EPOCHS * EACH];
    long n;

    find_records(s, found, &n);
    for (int r = 0; r < s->a.beneath; r++) {
        check_once(s, found, r, s->written);
        CHECK(__atomic_load_n(&board[FLUSHED + r], __ATOMIC_SEQ_CST) >=
              s->a.number * 1000 + s->written);
    }
}

/* When all have closed it. */
static void check_closed(const struct scene *s, const char *where)
{
    static int found[MEMBERS][EPOCHS * EACH];
    long n, most = DISP + (long)s->a.beneath * EPOCHS * EACH * (long)sizeof(struct record);
    int broken = find_records(s, found, &n);

    CHECK((n - DISP) % (long)sizeof(struct record) == 0 && n <= most);
    CHECK(broken <= (!strcmp(where, "never") || !strcmp(where, "after") ? 0 : 1));
    for (int r = 0; r < s->a.beneath; r++)
        if (r != s->a.victim)
            check_once(s, found, r, EPOCHS * EACH);
    for (int k = 0; k < EPOCHS * EACH; k++)
        CHECK(found[s->a.victim][k] <= 1);
}

/* ---- an act ---- */

static void open_scene(struct scene *s, const struct act *a, MPI_Comm all)
{
    MPI_Info hints;

    *s = (struct scene){.a = *a};
    snprintf(doing, sizeof(doing), "act %d: victim %d of %d, epoch %d", a->number, a->victim,
             a->beneath, a->epoch);
    snprintf(s->name, sizeof(s->name), "appended-%d", a->number);
    MPI_Comm_rank(all, &s->me);
    act_now = a->number;
    member = s->me;
    written_now = 0;
    MPI_Info_create(&hints);
    MPI_Info_set(hints, "mend_append_mapped", "true");
    CHECK_EQ(MPI_File_open(all, file_name(s->name), RW | MPI_MODE_UNIQUE_OPEN, hints, &s->f),
             MPI_SUCCESS);
    MPI_Info_free(&hints);
    CHECK_EQ(MPI_File_set_view(s->f, DISP, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL),
             MPI_SUCCESS);
}

static void append(struct scene *s)
{
    struct record x = make_record(s->a.number, s->me, s->written);
    MPI_Request q;

    if (s->written % 4) {
        CHECK_EQ(MPI_File_write_shared(s->f, &x, sizeof(x), MPI_BYTE, MPI_STATUS_IGNORE),
                 MPI_SUCCESS); /* S0-50 */
    } else {
        CHECK_EQ(MPI_File_iwrite_shared(s->f, &x, sizeof(x), MPI_BYTE, &q), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&q, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    written_now = ++s->written;
}

static void end_epoch(struct scene *s, int epoch)
{
    int class = class_of(MPI_File_sync(s->f));

    CHECK(class == MPI_SUCCESS || class == MPI_ERR_PROC_FAILED);
    if (s->me != s->a.victim) /* which may have a result of its own, and die with it */
        same_everywhere(RESULTS + s->a.number * (EPOCHS + 1) + epoch, class);
    CHECK(class || !s->failed);
    s->failed |= class != MPI_SUCCESS;
    if (!class)
        check_synced(s);
}

static void play(struct scene *s, const char *where)
{
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        if (s->me == s->a.victim && epoch == s->a.epoch)
            meet_death(where, s->a.number, s->a.beneath - 1, 1 + (long)(s->a.dice >> 8) % 700);
        for (int i = 0; i < EACH; i++)
            append(s);
        end_epoch(s, epoch);
    }
}

/* Those who close while another member dies in there hear of it, or of nothing, all alike. */
static void close_it(struct scene *s, const char *where)
{
    int class = class_of(MPI_File_close(&s->f));

    if (s->me == s->a.victim)
        return;
    CHECK(class == MPI_SUCCESS || (s->closes && class == MPI_ERR_PROC_FAILED));
    same_everywhere(RESULTS + s->a.number * (EPOCHS + 1) + EPOCHS, class);
    check_closed(s, where);
}

/* Returns the communicator of the survivors. */
static MPI_Comm play_act(const char *where, const struct act *a, MPI_Comm all)
{
    struct scene s;
    MPI_Comm rest;

    open_scene(&s, a, all);
    s.closes = !strcmp(where, "append.cut");
    CHECK_EQ(MPI_Comm_split(all, s.me == a->victim ? MPI_UNDEFINED : 0, -rank, &rest), MPI_SUCCESS);
    if (s.me != a->victim) {
        MPI_Comm_set_errhandler(rest, MPI_ERRORS_RETURN);
        post(slot(a->number, READY));
    }
    play(&s, where);
    if (s.closes)
        close_it(&s, where);
    if (s.me == a->victim)
        die_after(where, a->number);
    wait_until_dead(all, a->victim);
    if (!s.closes) {
        CHECK_CLASS(MPI_File_sync(s.f), MPI_ERR_PROC_FAILED); /* S0-51 */
        close_it(&s, where);
    }
    CHECK_EQ(MPI_Barrier(rest), MPI_SUCCESS);
    if (s.me == (a->victim == 0))
        unlink(file_name(s.name));
    return rest;
}

/* Elsewhere there is no mapping, nor its events. */
static bool lies_well(void)
{
    struct statfs system;

    return statfs(file_name("."), &system) == 0 &&
           (system.f_type == TMPFS_MAGIC || system.f_type == EXT4_SUPER_MAGIC);
}

int main(int argc, char **argv)
{
    unsigned first = (unsigned)atoi(argv[2]);
    unsigned seed = argc > 3 ? (unsigned)atoi(argv[3]) : 1;
    MPI_Comm all;

    arm(argv[1]);
    start(&argc, &argv);
    CHECK(size <= MEMBERS);
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    for (int i = 0; i < size - 1; i++) {
        struct act a = act_of(argv[1], seed, first, size, i);
        MPI_Comm rest = play_act(argv[1], &a, all);

        MPI_Comm_free(&all);
        all = rest;
    }
    tell_deaths(argv[1], lies_well(), all);
    return finish();
}
