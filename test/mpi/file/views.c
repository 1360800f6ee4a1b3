/* SPDX-License-Identifier: BSD-3-Clause */
/* Random programs of views, writes and reads against an oracle that knows nothing of file types: it lists the bytes of each
 * view one by one.  All ranks draw the same numbers, so every rank knows what every other one writes; after each round the
 * file is compared byte for byte, and each reads through a view of its own.
 *
 * Arguments: the seed; how many rounds. */
/* RUN: -n 1 ; args 1 40 */
/* RUN: -n 3 ; args 2 40 */
/* RUN: -n 5 ; args 3 30 */
/* RUN: -n 8 ; args 4 15 */
/* RUN: -n 4 ; args 5 20 ; set MACHINES=2 */
#include "common.h"

#define FILE_MAX 20000
#define PIECES   6

static unsigned state;

static int draw(int n)
{
    state = state * 1103515245u + 12345u;
    return (int)((state >> 16) % (unsigned)n);
}

/* Pieces of `unit` bytes in a tile; the tiles of the ranks lie one behind the other, so no two write the same byte. */
struct plan {
    int unit, n, begin[PIECES], len[PIECES]; /* in units */
    int tile;                                /* units; of one rank */
    int disp;
};

static struct plan draw_plan(void)
{
    static const int units[] = {1, 4, 8};
    struct plan p = {.unit = units[draw(3)], .n = 1 + draw(PIECES), .disp = draw(50)};
    int at = 0;

    for (int i = 0; i < p.n; i++) {
        at += draw(3);
        p.begin[i] = at;
        p.len[i] = 1 + draw(5);
        at += p.len[i];
    }
    p.tile = at + draw(4);
    return p;
}

static MPI_Datatype etype_of(const struct plan *p)
{
    return p->unit == 1 ? MPI_BYTE : p->unit == 4 ? MPI_INT : MPI_DOUBLE;
}

/* The view of a rank. */
static void set_view(MPI_File f, const struct plan *p, int who)
{
    MPI_Datatype pieces, tile;

    CHECK_OK(MPI_Type_indexed(p->n, p->len, p->begin, etype_of(p), &pieces));
    CHECK_OK(MPI_Type_create_resized(pieces, 0, (MPI_Aint)p->tile * size * p->unit, &tile));
    CHECK_OK(MPI_Type_commit(&tile));
    CHECK_OK(MPI_File_set_view(f, p->disp + (MPI_Offset)who * p->tile * p->unit, etype_of(p), tile,
                               "native", MPI_INFO_NULL));
    CHECK_OK(MPI_Type_free(&pieces));
    CHECK_OK(MPI_Type_free(&tile));
}

/* Where byte k of the view of a rank lies. */
static long place(const struct plan *p, int who, long k)
{
    long per = 0, in_tile, tile;

    for (int i = 0; i < p->n; i++)
        per += (long)p->len[i] * p->unit;
    tile = k / per;
    in_tile = k % per;
    for (int i = 0; i < p->n; i++) {
        long len = (long)p->len[i] * p->unit;

        if (in_tile < len)
            return p->disp + ((tile * size + who) * p->tile + p->begin[i]) * p->unit + in_tile;
        in_tile -= len;
    }
    return -1;
}

static void write_some(MPI_File f, const struct plan *p, int units, int offset, int how,
                       const void *buf)
{
    MPI_Datatype t = etype_of(p), gaps;
    MPI_Status s;
    MPI_Request r;
    unsigned char apart[4000];
    int n;

    switch (how) {
    case 0:
        CHECK_OK(MPI_File_write_at(f, offset, buf, units, t, &s));
        break;
    case 1:
        CHECK_OK(MPI_File_write_at_all(f, offset, buf, units, t, &s));
        break;
    case 2:
        CHECK_OK(MPI_File_seek(f, offset, MPI_SEEK_SET));
        CHECK_OK(MPI_File_write_all(f, buf, units, t, &s));
        break;
    case 3:
        CHECK_OK(MPI_File_iwrite_at(f, offset, buf, units, t, &r));
        CHECK_OK(MPI_Wait(&r, &s));
        break;
    case 4:
        CHECK_OK(MPI_File_seek(f, offset, MPI_SEEK_SET));
        CHECK_OK(MPI_File_write_all_begin(f, buf, units, t));
        CHECK_OK(MPI_File_write_all_end(f, buf, &s));
        break;
    default: /* from memory with gaps */
        for (int i = 0; i < units; i++)
            memcpy(apart + 2 * i * p->unit, (const char *)buf + i * p->unit, (size_t)p->unit);
        CHECK_OK(MPI_Type_create_resized(t, 0, 2 * p->unit, &gaps));
        CHECK_OK(MPI_Type_commit(&gaps));
        CHECK_OK(MPI_File_write_at(f, offset, apart, units, gaps, &s));
        CHECK_OK(MPI_Type_free(&gaps));
    }
    CHECK_OK(MPI_Get_count(&s, t, &n));
    CHECK_EQ(n, units);
}

static void check_file(const unsigned char *want, long end)
{
    long n;
    unsigned char *all = contents("views", &n);

    CHECK_EQ(n, end);
    for (long i = 0; i < n; i++)
        CHECK(all[i] == want[i]);
    free(all);
}

/* Each reads what another one has written, some bytes further on, and past the end. */
static void read_back(MPI_File f, const struct plan *p, const unsigned char *want, long end)
{
    int who = (rank + 1) % size, units = 1 + draw(60), offset = draw(30), n, all = 0;
    unsigned char got[60 * 8];
    MPI_Status s;

    set_view(f, p, who);
    memset(got, 0xee, sizeof(got));
    CHECK_OK(MPI_File_read_at_all(f, offset, got, units, etype_of(p), &s));
    CHECK_OK(MPI_Get_elements(&s, MPI_BYTE, &n));
    for (long k = 0; k < (long)units * p->unit; k++) {
        long at = place(p, who, (long)offset * p->unit + k);

        if (at >= end)
            break;
        CHECK(got[k] == want[at]);
        all++;
    }
    CHECK_EQ(n, all);
}

static void round_of(MPI_File f, unsigned char *want, long *end_p)
{
    struct plan p = draw_plan();
    int units = 1 + draw(60), offset = draw(20), how = draw(6);
    unsigned seed = (unsigned)draw(10000);
    unsigned char buf[60 * 8];

    set_view(f, &p, rank);
    for (int r = 0; r < size; r++)
        for (int k = 0; k < units * p.unit; k++) {
            long at = place(&p, r, (long)offset * p.unit + k);
            unsigned char byte = (unsigned char)(seed + (unsigned)r * 31 + (unsigned)k);

            CHECK(at >= 0 && at < FILE_MAX * 20);
            want[at] = byte;
            *end_p = at + 1 > *end_p ? at + 1 : *end_p;
            if (r == rank)
                buf[k] = byte;
        }
    write_some(f, &p, units, offset, how, buf);
    barrier();
    check_file(want, *end_p);
    read_back(f, &p, want, *end_p);
    barrier();
}

int main(int argc, char **argv)
{
    unsigned char *want = calloc(FILE_MAX * 20, 1);
    MPI_File f;
    long end = 0;

    start(&argc, &argv);
    state = (unsigned)atoi(argv[1]);
    f = open_file("views", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
    for (int i = 0; i < atoi(argv[2]); i++)
        round_of(f, want, &end);
    CHECK_OK(MPI_File_close(&f));
    CHECK(f == MPI_FILE_NULL);
    barrier();
    CHECK(access(file_name("views"), F_OK) != 0);
    free(want);
    return finish();
}
