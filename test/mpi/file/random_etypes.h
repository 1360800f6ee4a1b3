/* SPDX-License-Identifier: BSD-3-Clause */
/* random_etypes.h – elementary types of files, drawn at random: as the library gets them, and as the places of their bytes.
 *
 *   an etype    bytes at places within an extent:            a.bbbb..        (a char, a gap, an int, a gap)
 *
 * All ranks draw the same numbers. */
#ifndef TEST_MPI_FILE_RANDOM_ETYPES_H
#define TEST_MPI_FILE_RANDOM_ETYPES_H

#include "common.h"

#define ETYPE_MAX 16 /* bytes */

static unsigned state;

static int draw(int n)
{
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (unsigned)n);
}

struct etype {
    MPI_Datatype type, packed; /* the same without gaps, for memory */
    int size, extent;
    int place[ETYPE_MAX]; /* of each byte of data */
    bool predefined;
};

static struct etype basic_etype(MPI_Datatype t, int bytes)
{
    struct etype e = {.size = bytes, .extent = bytes, .predefined = true};

    MPI_Type_dup(t, &e.packed);
    e.type = t;
    for (int k = 0; k < bytes; k++)
        e.place[k] = k;
    return e;
}

/* A char, a gap, an int, a gap. */
static struct etype gappy_etype(void)
{
    struct etype e = {.size = 5, .extent = 12, .place = {0, 4, 5, 6, 7}};
    MPI_Datatype both, parts[2] = {MPI_CHAR, MPI_INT};
    MPI_Aint apart[2] = {0, 4}, close[2] = {0, 1};
    int one[2] = {1, 1};

    CHECK_OK(MPI_Type_create_struct(2, one, apart, parts, &both));
    CHECK_OK(MPI_Type_create_resized(both, 0, e.extent, &e.type));
    CHECK_OK(MPI_Type_free(&both));
    CHECK_OK(MPI_Type_create_struct(2, one, close, parts, &both));
    CHECK_OK(MPI_Type_create_resized(both, 0, e.size, &e.packed));
    CHECK_OK(MPI_Type_free(&both));
    CHECK_OK(MPI_Type_commit(&e.type));
    return e;
}

static struct etype draw_etype(void)
{
    struct etype e;

    switch (draw(4)) {
    case 0:
        e = basic_etype(MPI_BYTE, 1);
        break;
    case 1:
        e = basic_etype(MPI_INT, 4);
        break;
    case 2:
        e = basic_etype(MPI_DOUBLE, 8);
        break;
    default:
        e = gappy_etype();
    }
    CHECK_OK(MPI_Type_commit(&e.packed));
    return e;
}

#endif
