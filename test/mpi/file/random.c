/* SPDX-License-Identifier: BSD-3-Clause */
/* Random programs: views and accesses of all kinds, against an oracle that computes the file byte for byte (random_views.h).
 * After each write the file is compared as the system has it, holes included; each read goes through the view of another
 * rank and past the end.
 *
 * Accesses: at an offset, at the pointer of each rank, at the shared pointer, in the order of ranks; of each rank and of
 * all; blocking, nonblocking, in two parts.  Memory: packed, with the gaps of the etype, with a stride.  Representations: native,
 * internal, external32.  Hints: buffers and aggregators as small as can be, or none.  Atomic mode; sizes that are set.  The file
 * begins at 0, ends behind 2 GiB or 4 GiB, or lies 1 TiB away, by displacement or within the file type.
 *
 * Arguments: the seed, how many rounds.  A failure names both. */
/* RUN: -n 1 ; args {n} 20 ; times 4 */
/* RUN: -n 3 ; args 1{n} 20 ; times 8 */
/* RUN: -n 4 ; args 2{n} 20 ; times 8 */
/* RUN: -n 8 ; args 3{n} 12 ; times 4 */
/* RUN: -n 4 ; args 4{n} 12 ; times 3 ; set MACHINES=2 */
/* RUN: -n 3 ; args 5{n} 12 ; times 3 ; set RMA_SHM=0 */
/* RUN: -n 3 ; args 6{n} 20 ; times 4 ; set FILE_ASYNC=always */
/* RUN: -n 4 ; args 7{n} 12 ; times 3 ; set FILE_ASYNC=always ; set MACHINES=2 */
#include "random_views.h"

#include <fcntl.h>

#define WINDOW    200000 /* bytes that are looked at */
#define UNITS     60     /* etypes of one access */
#define BYTES_MAX (UNITS * 12 * 3)
#define RANKS_MAX 8

enum where { AT, OWN, SHARED, ORDERED };
enum how { BLOCKING, NONBLOCKING, SPLIT, HOWS };

struct access {
    enum where where;
    enum how how;
    bool all;
    int memory; /* 0: packed, 1: as the etype, 2: each second place */
    int units[RANKS_MAX], offset[RANKS_MAX];
};

static unsigned char want[WINDOW];
static long end; /* bytes of the file, from the begin of what is looked at */
static MPI_Offset far;
static bool swapped; /* external32 */
static MPI_File file;

static MPI_Datatype memory_type(const struct view *v, int memory, MPI_Count *extent_p)
{
    MPI_Datatype t;

    *extent_p = memory == 0 ? v->e.size : memory == 1 ? v->e.extent : 2 * v->e.extent;
    CHECK_OK(MPI_Type_create_resized(memory ? v->e.type : v->e.packed, 0, (MPI_Aint)*extent_p, &t));
    CHECK_OK(MPI_Type_commit(&t));
    return t;
}

/* Where byte k of the data lies in memory. */
static long memory_place(const struct view *v, int memory, MPI_Count extent, long k)
{
    long b = k % v->e.size;

    return k / v->e.size * (long)extent + (memory ? v->e.place[b] : b);
}

static struct access draw_access(const struct view *views, bool same_view)
{
    struct access a = {.where = (enum where)(same_view ? SHARED + draw(2) : draw(2)),
                       .how = (enum how)draw(HOWS),
                       .memory = draw(3)};
    int offset = draw(20);

    a.all = a.where == ORDERED || (a.where != SHARED && (a.how == SPLIT || draw(2)));
    if (a.how == SPLIT && !a.all)
        a.how = BLOCKING;
    if (a.where == ORDERED && a.how == NONBLOCKING)
        a.how = SPLIT;
    for (int r = 0; r < size; r++) {
        a.units[r] = draw(5) ? draw(UNITS) : 0;
        a.offset[r] = a.where >= SHARED ? offset : draw(20);
        if (!views[r].n)
            a.units[r] = a.offset[r] = 0;
        if (views[r].once) { /* within the one tile */
            a.offset[r] = a.where >= SHARED ? 0 : draw(views[r].n);
            a.units[r] = a.where >= SHARED ? views[r].n / size : draw(views[r].n - a.offset[r] + 1);
        }
    }
    return a;
}

#define COMPLETE(call_)                                                                            \
    do {                                                                                           \
        MPI_Request q_;                                                                            \
        CHECK_OK(call_);                                                                           \
        CHECK_OK(MPI_Wait(&q_, s));                                                                \
    } while (0)

static void write_at(const struct access *a, MPI_Offset at, void *b, int n, MPI_Datatype t,
                     MPI_Status *s)
{
    if (a->how == SPLIT) {
        CHECK_OK(MPI_File_write_at_all_begin(file, at, b, n, t));
        CHECK_OK(MPI_File_write_at_all_end(file, b, s));
    } else if (a->how == NONBLOCKING) {
        COMPLETE((a->all ? MPI_File_iwrite_at_all : MPI_File_iwrite_at)(file, at, b, n, t, &q_));
    } else {
        CHECK_OK((a->all ? MPI_File_write_at_all : MPI_File_write_at)(file, at, b, n, t, s));
    }
}

static void write_own(const struct access *a, void *b, int n, MPI_Datatype t, MPI_Status *s)
{
    if (a->how == SPLIT) {
        CHECK_OK(MPI_File_write_all_begin(file, b, n, t));
        CHECK_OK(MPI_File_write_all_end(file, b, s));
    } else if (a->how == NONBLOCKING) {
        COMPLETE((a->all ? MPI_File_iwrite_all : MPI_File_iwrite)(file, b, n, t, &q_));
    } else {
        CHECK_OK((a->all ? MPI_File_write_all : MPI_File_write)(file, b, n, t, s));
    }
}

static void write_shared(const struct access *a, void *b, int n, MPI_Datatype t, MPI_Status *s)
{
    if (a->where == ORDERED && a->how == SPLIT) {
        CHECK_OK(MPI_File_write_ordered_begin(file, b, n, t));
        CHECK_OK(MPI_File_write_ordered_end(file, b, s));
    } else if (a->where == ORDERED) {
        CHECK_OK(MPI_File_write_ordered(file, b, n, t, s));
    } else if (a->how == NONBLOCKING) {
        COMPLETE(MPI_File_iwrite_shared(file, b, n, t, &q_));
    } else {
        CHECK_OK(MPI_File_write_shared(file, b, n, t, s));
    }
}

static void read_at(const struct access *a, MPI_Offset at, void *b, int n, MPI_Datatype t,
                    MPI_Status *s)
{
    if (a->how == SPLIT) {
        CHECK_OK(MPI_File_read_at_all_begin(file, at, b, n, t));
        CHECK_OK(MPI_File_read_at_all_end(file, b, s));
    } else if (a->how == NONBLOCKING) {
        COMPLETE((a->all ? MPI_File_iread_at_all : MPI_File_iread_at)(file, at, b, n, t, &q_));
    } else {
        CHECK_OK((a->all ? MPI_File_read_at_all : MPI_File_read_at)(file, at, b, n, t, s));
    }
}

static void read_own(const struct access *a, void *b, int n, MPI_Datatype t, MPI_Status *s)
{
    if (a->how == SPLIT) {
        CHECK_OK(MPI_File_read_all_begin(file, b, n, t));
        CHECK_OK(MPI_File_read_all_end(file, b, s));
    } else if (a->how == NONBLOCKING) {
        COMPLETE((a->all ? MPI_File_iread_all : MPI_File_iread)(file, b, n, t, &q_));
    } else {
        CHECK_OK((a->all ? MPI_File_read_all : MPI_File_read)(file, b, n, t, s));
    }
}

static void read_shared(const struct access *a, void *b, int n, MPI_Datatype t, MPI_Status *s)
{
    if (a->where == ORDERED && a->how == SPLIT) {
        CHECK_OK(MPI_File_read_ordered_begin(file, b, n, t));
        CHECK_OK(MPI_File_read_ordered_end(file, b, s));
    } else if (a->where == ORDERED) {
        CHECK_OK(MPI_File_read_ordered(file, b, n, t, s));
    } else if (a->how == NONBLOCKING) {
        COMPLETE(MPI_File_iread_shared(file, b, n, t, &q_));
    } else {
        CHECK_OK(MPI_File_read_shared(file, b, n, t, s));
    }
}

static int total(const struct access *a)
{
    int n = 0;

    for (int r = 0; r < size; r++)
        n += a->units[r];
    return n;
}

/* One access of this rank, with its pointers before and after. */
static void carry_out(const struct access *a, bool write, void *b, MPI_Datatype t, MPI_Status *s)
{
    MPI_Offset at = a->offset[rank], now;
    int n = a->units[rank];

    if (a->where == AT) {
        (write ? write_at : read_at)(a, at, b, n, t, s);
    } else if (a->where == OWN) {
        CHECK_OK(MPI_File_seek(file, at, MPI_SEEK_SET));
        (write ? write_own : read_own)(a, b, n, t, s);
        CHECK_OK(MPI_File_get_position(file, &now));
        CHECK_EQ(now, at + n); /* also where the file ends before */
    } else {
        CHECK_OK(MPI_File_seek_shared(file, at, MPI_SEEK_SET));
        barrier();
        (write ? write_shared : read_shared)(a, b, n, t, s);
        barrier();
        CHECK_OK(MPI_File_get_position_shared(file, &now));
        CHECK_EQ(now, at + total(a));
    }
}

/* ---- writing ---- */

static unsigned char byte_of(unsigned seed, int r, long k)
{
    return (unsigned char)(seed + (unsigned)r * 37 + (unsigned)k * (unsigned)(3 + r % 5));
}

/* The file reaches behind these bytes of the stream. */
static void reach(const struct view *v, long from, long n)
{
    for (long k = 0; k < n; k++) {
        long at = place(v, from + k, swapped);

        CHECK(at >= 0 && at < WINDOW);
        end = at + 1 > end ? at + 1 : end;
    }
}

static void expect_bytes(const struct view *v, unsigned seed, int r, long from, long n)
{
    reach(v, from, n);
    for (long k = 0; k < n; k++)
        want[place(v, from + k, swapped)] = byte_of(seed, r, k);
}

static void look(unsigned char *got)
{
    int fd = open(file_name("random"), O_RDONLY);
    struct stat st;

    CHECK(fd >= 0 && fstat(fd, &st) == 0);
    CHECK_EQ(st.st_size, end ? far + end : 0);
    for (long n = 0; n < end;) {
        ssize_t k = pread(fd, got + n, (size_t)(end - n), far + n);

        CHECK(k > 0);
        n += k;
    }
    close(fd);
}

/* The records of the ranks lie one behind the other, in an order that the file tells: tries all.  taken: set of ranks. */
static bool find_order(const struct view *v, const struct access *a, unsigned seed,
                       const unsigned char *got, long from, unsigned taken, int *order, int depth)
{
    if (depth == size)
        return true;
    for (int r = 0; r < size; r++) {
        long n = (long)a->units[r] * v->e.size, k = 0;

        if (taken >> r & 1)
            continue;
        while (k < n && got[place(v, from + k, swapped)] == byte_of(seed, r, k))
            k++;
        order[depth] = r;
        if (k == n && find_order(v, a, seed, got, from + n, taken | 1u << r, order, depth + 1))
            return true;
    }
    return false;
}

static void expect_write(const struct view *views, const struct access *a, unsigned seed)
{
    static unsigned char got[WINDOW];
    int order[RANKS_MAX];
    long from = (long)a->offset[0] * views[0].e.size;

    if (a->where == SHARED) { /* the oracle learns the order from the file, and nothing else */
        reach(&views[0], from, (long)total(a) * views[0].e.size);
        look(got);
        CHECK(find_order(&views[0], a, seed, got, from, 0, order, 0));
    }
    for (int i = 0; i < size; i++) {
        int r = a->where == SHARED ? order[i] : i;
        const struct view *v = &views[a->where >= SHARED ? 0 : r];
        long n = (long)a->units[r] * v->e.size;

        expect_bytes(v, seed, r, a->where >= SHARED ? from : (long)a->offset[r] * v->e.size, n);
        from += n;
    }
}

static void check_file(void)
{
    static unsigned char got[WINDOW];

    look(got);
    for (long i = 0; i < end; i++)
        if (got[i] != want[i])
            CHECK_FAILS("byte %ld is %d, expected %d", i, got[i], want[i]);
}

/* For messages. */
static void name_access(const struct access *a, const struct view *v)
{
    char *behind = strstr(doing, ":");

    snprintf(behind ? behind : doing + strlen(doing), 120,
             ": where %d, how %d, all %d, memory %d; etype %d of %d, once %d, %d of %d slots",
             a->where, a->how, a->all, a->memory, v->e.size, v->e.extent, v->once, v->n, v->tile);
}

static void write_round(const struct view *views, bool same_view)
{
    struct access a = draw_access(views, same_view);
    const struct view *v = &views[same_view ? 0 : rank];
    unsigned seed = (unsigned)draw(1000);
    unsigned char buf[BYTES_MAX] = {0};
    MPI_Count extent;
    MPI_Datatype t = memory_type(v, a.memory, &extent);
    MPI_Status s;
    int n;

    for (long k = 0; k < (long)a.units[rank] * v->e.size; k++)
        buf[memory_place(v, a.memory, extent, k)] = byte_of(seed, rank, k);
    carry_out(&a, true, buf, t, &s);
    CHECK_OK(MPI_Get_count(&s, t, &n));
    CHECK_EQ(n, a.units[rank]);
    CHECK_OK(MPI_Type_free(&t));
    barrier();
    name_access(&a, v);
    expect_write(views, &a, seed);
    check_file();
    barrier();
}

/* ---- reading ---- */

/* Bytes that an access from this place of the stream on gets before the file ends. */
static long there(const struct view *v, long from, long n)
{
    long k = 0;

    while (k < n && place(v, from + k, false) < end)
        k++;
    return swapped ? k / v->e.size * v->e.size : k;
}

static bool is_read(const struct view *v, const struct access *a, const unsigned char *buf,
                    MPI_Count extent, long from, long n)
{
    for (long k = 0; k < n; k++)
        if (buf[memory_place(v, a->memory, extent, k)] != want[place(v, from + k, swapped)])
            return false;
    return true;
}

/* At the shared pointer: some of the others came before. */
static bool is_read_somewhere(const struct view *v, const struct access *a,
                              const unsigned char *buf, MPI_Count extent, int got)
{
    for (unsigned before = 0; before < 1u << size; before++) {
        long from = a->offset[rank], n = (long)a->units[rank] * v->e.size;

        if (before >> rank & 1)
            continue;
        for (int r = 0; r < size; r++)
            from += before >> r & 1 ? a->units[r] : 0;
        from *= v->e.size;
        if (got == there(v, from, n) && is_read(v, a, buf, extent, from, got))
            return true;
    }
    return false;
}

/* Where tiles overlap the stream goes back and forth, so its first byte behind the end is not the last one. */
static void stay_within(struct access *a, const struct view *v)
{
    int *units = &a->units[rank];
    long from = (long)a->offset[rank] * v->e.size, k = 0;

    while (k < (long)*units * v->e.size && place(v, from + k, swapped) < end)
        k++;
    *units = (int)(k / v->e.size);
}

static void read_round(const struct view *views, bool same_view)
{
    struct access a = draw_access(views, same_view);
    const struct view *v = &views[same_view ? 0 : rank];
    long from = a.offset[rank], units;
    unsigned char buf[BYTES_MAX];
    MPI_Count extent;
    MPI_Datatype t = memory_type(v, a.memory, &extent);
    MPI_Status s;
    int got;

    if (v->step < v->tile)
        stay_within(&a, v);
    units = a.units[rank];
    memset(buf, 0xee, sizeof(buf));
    name_access(&a, v);
    carry_out(&a, false, buf, t, &s);
    CHECK_OK(MPI_Get_elements(&s, MPI_BYTE, &got));
    for (int r = 0; a.where == ORDERED && r < rank; r++)
        from += a.units[r];
    from *= v->e.size;
    if (a.where == SHARED) {
        CHECK(is_read_somewhere(v, &a, buf, extent, got));
    } else {
        CHECK_EQ(got, there(v, from, units * v->e.size));
        CHECK(is_read(v, &a, buf, extent, from, got));
    }
    CHECK_OK(MPI_Type_free(&t));
    barrier();
}

/* ---- a program ---- */

/* Rank r sees what views[r] says, or all see the same. */
static void set_view(const struct view *views, bool same_view)
{
    const struct view *v = &views[same_view ? 0 : rank];
    const char *rep = swapped ? "external32" : draw(2) ? "native" : "internal";
    long k = draw(v->once ? v->n : 100); /* all ranks draw, whatever they see */

    CHECK_OK(MPI_File_set_view(file, v->disp + (v->once ? 0 : far), v->e.type, v->filetype, rep,
                               MPI_INFO_NULL));
    if (v->n) {
        MPI_Offset at;

        CHECK_OK(MPI_File_get_byte_offset(file, k, &at));
        CHECK_EQ(at, far + place(v, k * v->e.size, false) - v->e.place[0]);
    }
}

static void turn(struct view *views)
{
    struct view first = views[0];

    for (int r = 0; r + 1 < size; r++)
        views[r] = views[r + 1];
    views[size - 1] = first;
}

static void resize(void)
{
    long to = draw(2) ? end + draw(300) : draw((int)end + 1);

    CHECK_OK(MPI_File_set_size(file, to ? far + to : 0));
    for (long i = to; i < end; i++)
        want[i] = 0;
    end = to;
    check_file();
    barrier();
}

static void round_of(void)
{
    struct view views[RANKS_MAX];
    bool same_view, overlap;

    draw_views(views, far);
    swapped = views[0].e.predefined && draw(4) == 0;
    same_view = views[0].n && draw(2);
    CHECK_OK(MPI_File_set_atomicity(file, draw(8) == 0));
    set_view(views, same_view);
    for (int r = 1; same_view && r < size; r++)
        views[r].n = views[0].n; /* what they may access */
    write_round(views, same_view);
    if (!same_view) {
        turn(views);
        overlap = !views[0].once && draw(3) == 0;
        for (int r = 0; overlap && r < size; r++)
            overlap_tiles(&views[r]);
        set_view(views, false);
    }
    read_round(views, same_view);
    if (draw(6) == 0)
        resize();
    free_views(views);
}

static MPI_Info draw_hints(void)
{
    static const char *const modes[] = {"enable", "disable", "automatic"};
    static const char *const bytes[] = {"1", "64", "1000", "4096", "65536"};
    MPI_Info hints;

    if (draw(3) == 0)
        return MPI_INFO_NULL;
    MPI_Info_create(&hints);
    MPI_Info_set(hints, "cb_nodes", (const char *[]){"1", "2", "3", "100"}[draw(4)]);
    MPI_Info_set(hints, "cb_buffer_size", bytes[draw(5)]);
    MPI_Info_set(hints, "striping_unit", bytes[draw(5)]);
    MPI_Info_set(hints, "romio_cb_write", modes[draw(3)]);
    MPI_Info_set(hints, "romio_cb_read", modes[draw(3)]);
    return hints;
}

int main(int argc, char **argv)
{
    static const MPI_Offset places[] = {0, 0, 2147483647 - 500, (MPI_Offset)4294967296 - 500,
                                        (MPI_Offset)1 << 40};
    MPI_Info hints;

    start(&argc, &argv);
    CHECK(argc == 3 && size <= RANKS_MAX);
    state = (unsigned)atoi(argv[1]) * 7919u;
    far = places[draw(5)];
    hints = draw_hints();
    CHECK_OK(MPI_File_open(W, file_name("random"),
                           MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, hints,
                           &file));
    if (hints != MPI_INFO_NULL)
        MPI_Info_free(&hints);
    for (int i = 0; i < atoi(argv[2]); i++) {
        snprintf(doing, sizeof(doing), "seed %s, round %d", argv[1], i);
        round_of();
    }
    CHECK_OK(MPI_File_close(&file));
    return finish();
}
