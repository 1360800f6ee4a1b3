/* SPDX-License-Identifier: BSD-3-Clause */
/* files.c – a random program of views and accesses that leaves the same bytes behind with every MPI library.
 *
 * Views and memory are those of test/mpi/file/random_views.h.  Each round sets them, writes, and reads through the view of
 * another rank; what a read brings, its count, pointers and sizes go to a log of the rank.  Accesses: at an offset, at the pointer
 * of each rank, in the order of ranks, at the shared pointer (one rank after the other, else the order is the library's
 * choice); of each rank and of all; blocking, nonblocking, in two parts.  All of it lies within a file of
 * zeros: some libraries write what happens to be in memory into holes behind the end of the file, and differ in what they
 * tell of its end.
 *
 * usage: files SEED ROUNDS PREFIX; writes PREFIX.data and PREFIX.log.RANK */
#include "../mpi/file/random_views.h"

#include <fcntl.h>

#define UNITS      60 /* etypes of one access */
#define BYTES_MAX  (UNITS * 12 * 3)
#define FILE_BYTES 200000
#define RANKS_MAX  8

enum where { AT, OWN, ORDERED, SHARED, WHERES };
enum how { BLOCKING, NONBLOCKING, SPLIT, HOWS };

struct access {
    enum where where;
    enum how how;
    bool write, all;
    int memory; /* 0: packed, 1: as the etype, 2: each second place */
    int units[RANKS_MAX], offset[RANKS_MAX];
};

/* What the calls are given. */
struct data {
    void *buf;
    int n;
    MPI_Datatype type;
    MPI_Status status;
};

static MPI_File file;
static MPI_Offset far;
static FILE *log_file;

static MPI_Datatype memory_type(const struct view *v, int memory, MPI_Aint *extent_p)
{
    MPI_Datatype t;

    *extent_p = memory == 0 ? v->e.size : memory == 1 ? v->e.extent : 2 * v->e.extent;
    CHECK_OK(MPI_Type_create_resized(memory ? v->e.type : v->e.packed, 0, *extent_p, &t));
    CHECK_OK(MPI_Type_commit(&t));
    return t;
}

static struct access draw_access(const struct view *views, bool same_view, bool write)
{
    struct access a = {.where = (enum where)(same_view ? ORDERED + draw(2) : draw(2)),
                       .how = (enum how)draw(HOWS),
                       .write = write,
                       .memory = draw(3)};
    int offset = draw(20);

    a.all = a.where < ORDERED && (a.how == SPLIT || draw(2));
    if (a.where == SHARED && a.how == SPLIT)
        a.how = BLOCKING;
    if (a.where == ORDERED && a.how == NONBLOCKING)
        a.how = SPLIT;
    for (int r = 0; r < size; r++) {
        a.units[r] = draw(5) ? draw(UNITS) : 0;
        a.offset[r] = same_view ? offset : draw(20);
        if (!views[same_view ? 0 : r].n)
            a.units[r] = a.offset[r] = 0;
    }
    return a;
}

/* ---- calls ---- */

#define IN_PARTS(name_, ...)                                                                       \
    do {                                                                                           \
        CHECK_OK(name_##_begin(__VA_ARGS__, d->buf, d->n, d->type));                               \
        CHECK_OK(name_##_end(file, d->buf, &d->status));                                           \
    } while (0)

#define AT_ONCE(name_, ...) CHECK_OK(name_(__VA_ARGS__, d->buf, d->n, d->type, &d->status))

#define LATER(name_, ...)                                                                          \
    do {                                                                                           \
        MPI_Request q_;                                                                            \
        CHECK_OK(name_(__VA_ARGS__, d->buf, d->n, d->type, &q_));                                  \
        CHECK_OK(MPI_Wait(&q_, &d->status));                                                       \
    } while (0)

/* Each way of one kind of access; `way`: write or read. */
#define CARRY_OUT(way_)                                                                            \
    do {                                                                                           \
        MPI_Offset at = a->offset[rank];                                                           \
        if (a->where == ORDERED && a->how == SPLIT)                                                \
            IN_PARTS(MPI_File_##way_##_ordered, file);                                             \
        else if (a->where == ORDERED)                                                              \
            AT_ONCE(MPI_File_##way_##_ordered, file);                                              \
        else if (a->where == SHARED && a->how == NONBLOCKING)                                      \
            LATER(MPI_File_i##way_##_shared, file);                                                \
        else if (a->where == SHARED)                                                               \
            AT_ONCE(MPI_File_##way_##_shared, file);                                               \
        else if (a->where == AT && a->how == SPLIT)                                                \
            IN_PARTS(MPI_File_##way_##_at_all, file, at);                                          \
        else if (a->where == AT && a->how == NONBLOCKING && a->all)                                \
            LATER(MPI_File_i##way_##_at_all, file, at);                                            \
        else if (a->where == AT && a->how == NONBLOCKING)                                          \
            LATER(MPI_File_i##way_##_at, file, at);                                                \
        else if (a->where == AT && a->all)                                                         \
            AT_ONCE(MPI_File_##way_##_at_all, file, at);                                           \
        else if (a->where == AT)                                                                   \
            AT_ONCE(MPI_File_##way_##_at, file, at);                                               \
        else if (a->how == SPLIT)                                                                  \
            IN_PARTS(MPI_File_##way_##_all, file);                                                 \
        else if (a->how == NONBLOCKING && a->all)                                                  \
            LATER(MPI_File_i##way_##_all, file);                                                   \
        else if (a->how == NONBLOCKING)                                                            \
            LATER(MPI_File_i##way_, file);                                                         \
        else if (a->all)                                                                           \
            AT_ONCE(MPI_File_##way_##_all, file);                                                  \
        else                                                                                       \
            AT_ONCE(MPI_File_##way_, file);                                                        \
    } while (0)

static void call(const struct access *a, struct data *d)
{
    if (a->write)
        CARRY_OUT(write);
    else
        CARRY_OUT(read);
}

static void carry_out(const struct access *a, struct data *d)
{
    MPI_Offset now = a->offset[rank];
    int got;

    if (a->where == OWN)
        CHECK_OK(MPI_File_seek(file, now, MPI_SEEK_SET));
    else if (a->where >= ORDERED)
        CHECK_OK(MPI_File_seek_shared(file, now, MPI_SEEK_SET));
    barrier();
    for (int r = 0; r < size; r++) {
        if (a->where != SHARED ? r == 0 : r == rank)
            call(a, d);
        if (a->where == SHARED)
            barrier();
    }
    barrier();
    if (a->where == OWN)
        CHECK_OK(MPI_File_get_position(file, &now));
    else if (a->where >= ORDERED)
        CHECK_OK(MPI_File_get_position_shared(file, &now));
    CHECK_OK(MPI_Get_count(&d->status, d->type, &got));
    fprintf(log_file, "%s: %d of %d, then at %lld\n", doing, got, d->n, (long long)now);
    barrier();
}

/* ---- rounds ---- */

static void name_access(const struct access *a)
{
    char *behind = strstr(doing, ",");

    snprintf(behind ? behind : doing + strlen(doing), 100,
             ", %s, where %d, how %d, all %d, memory %d", a->write ? "write" : "read", a->where,
             a->how, a->all, a->memory);
}

static void access_file(const struct view *views, bool same_view, bool write)
{
    struct access a = draw_access(views, same_view, write);
    const struct view *v = &views[same_view ? 0 : rank];
    unsigned seed = (unsigned)draw(1000);
    static unsigned char buf[BYTES_MAX];
    struct data d = {.buf = buf};
    MPI_Aint extent;
    MPI_Offset bytes;

    for (int k = 0; k < BYTES_MAX; k++)
        buf[k] = (unsigned char)(write ? seed + (unsigned)(rank * 37 + k * (3 + rank % 5)) : 0xee);
    d.type = memory_type(v, a.memory, &extent);
    d.n = a.units[rank];
    name_access(&a);
    carry_out(&a, &d);
    CHECK_OK(MPI_File_get_size(file, &bytes));
    fprintf(log_file, "%lld bytes\n", (long long)bytes);
    if (!write)
        fwrite(buf, 1, BYTES_MAX, log_file);
    CHECK_OK(MPI_Type_free(&d.type));
    barrier();
}

static void set_view(const struct view *v)
{
    CHECK_OK(MPI_File_set_view(file, v->disp + far, v->e.type, v->filetype,
                               (char *)(draw(2) ? "native" : "internal"), MPI_INFO_NULL));
}

static void round_of(void)
{
    struct view views[RANKS_MAX], was;
    bool same_view;

    draw_views(views, 0);
    same_view = views[0].n && draw(2);
    CHECK_OK(MPI_File_set_atomicity(file, draw(8) == 0));
    set_view(&views[same_view ? 0 : rank]);
    access_file(views, same_view, true);
    CHECK_OK(MPI_File_sync(file));
    barrier();
    was = views[0];
    for (int r = 0; r + 1 < size; r++)
        views[r] = views[r + 1];
    views[size - 1] = was;
    same_view = same_view && views[0].n;
    set_view(&views[same_view ? 0 : rank]);
    access_file(views, same_view, false);
    free_views(views);
}

static MPI_Info draw_hints(void)
{
    static const char *const modes[] = {"enable", "disable", "automatic"};
    MPI_Info hints;

    MPI_Info_create(&hints);
    MPI_Info_set(hints, "romio_cb_write", modes[draw(3)]);
    MPI_Info_set(hints, "romio_cb_read", modes[draw(3)]);
    MPI_Info_set(hints, "romio_ds_read", modes[draw(3)]);
    if (draw(2))
        MPI_Info_set(hints, "cb_buffer_size", draw(2) ? "4096" : "65536");
    return hints;
}

static void make_file(const char *name)
{
    static const char zeros[FILE_BYTES];
    int fd = open(name, O_CREAT | O_EXCL | O_WRONLY, 0600);

    CHECK(fd >= 0 && pwrite(fd, zeros, FILE_BYTES, far) == FILE_BYTES && close(fd) == 0);
}

static FILE *open_log(const char *prefix)
{
    char name[4096];
    FILE *f;

    snprintf(name, sizeof(name), "%s.log.%d", prefix, rank);
    f = fopen(name, "wb");
    CHECK(f);
    return f;
}

int main(int argc, char **argv)
{
    char name[4096];
    MPI_Info hints;

    start(&argc, &argv);
    CHECK(argc == 4 && size <= RANKS_MAX);
    state = (unsigned)atoi(argv[1]) * 7919u;
    far = draw(4) ? 0 : 2147483647 - 500;
    snprintf(name, sizeof(name), "%s.data", argv[3]);
    log_file = open_log(argv[3]);
    if (rank == 0)
        make_file(name);
    barrier();
    hints = draw_hints();
    CHECK_OK(MPI_File_open(W, name, MPI_MODE_RDWR, hints, &file));
    MPI_Info_free(&hints);
    for (int i = 0; i < atoi(argv[2]); i++) {
        snprintf(doing, sizeof(doing), "round %d", i);
        round_of();
    }
    CHECK_OK(MPI_File_close(&file));
    fclose(log_file);
    return finish();
}
