/* SPDX-License-Identifier: BSD-3-Clause */
/* pieces_test.c – pieces that come and go at random, against a table with an entry for each byte; and that the tree stays low. */
#include "rma/pieces.h"

#include "base/test.h"

#include <stdlib.h>

enum { BYTES = 300, MANY = 40000 };

static struct mend_attached *root;
static uint64_t made_n;

static struct mend_attached *add(char *base, MPI_Aint size)
{
    struct mend_attached *a = calloc(1, sizeof(*a));

    a->base = base;
    a->size = size;
    a->priority = mend_rma_piece_priority(++made_n);
    mend_rma_pieces_add(&root, a);
    return a;
}

static int height(const struct mend_attached *a)
{
    int left = a ? height(a->left) : 0, right = a ? height(a->right) : 0;

    CHECK(!a || !a->left || (a->left->priority <= a->priority && a->left->base <= a->base));
    CHECK(!a || !a->right || (a->right->priority <= a->priority && a->right->base >= a->base));
    return a ? 1 + (left > right ? left : right) : 0;
}

/* What begins there, as the table has it. */
static struct mend_attached *starts[BYTES + 1];

static void check_below(char *memory)
{
    struct mend_attached *last = NULL;

    for (int i = 0; i <= BYTES; i++) {
        CHECK(mend_rma_pieces_below(root, (uintptr_t)(memory + i)) == last);
        last = starts[i] ? starts[i] : last;
    }
}

static bool is_free(int from, int n)
{
    for (int i = 0; i <= BYTES; i++)
        if (starts[i] && i < from + n && from < i + (int)starts[i]->size)
            return false;
    return true;
}

MEND_TEST(at_random)
{
    static char memory[BYTES];

    for (int turn = 0; turn < 20000; turn++) {
        int from = rand() % BYTES, n = 1 + rand() % 12;

        n = n < BYTES - from ? n : BYTES - from;
        if (starts[from]) {
            CHECK(mend_rma_pieces_take(&root, memory + from) == starts[from]);
            free(starts[from]);
            starts[from] = NULL;
        } else if (is_free(from, n)) {
            starts[from] = add(memory + from, n);
        } else {
            CHECK(!mend_rma_pieces_take(&root, memory + from));
        }
        if (turn % 10 == 0)
            check_below(memory);
    }
    CHECK(height(root) > 0);
    for (int i = 0; i <= BYTES; i++)
        if (starts[i]) {
            CHECK(mend_rma_pieces_take(&root, memory + i) == starts[i]);
            free(starts[i]);
        }
    CHECK(!root);
}

/* Some without bytes at one address, and one with bytes, in either order: that one is the last there. */
MEND_TEST(without_bytes)
{
    static char memory[8];
    struct mend_attached *long_one;

    add(memory, 0);
    long_one = add(memory, 8);
    add(memory, 0);
    CHECK(mend_rma_pieces_below(root, (uintptr_t)memory + 1) == long_one);
    for (int i = 0; i < 3; i++)
        free(mend_rma_pieces_take(&root, memory));
    CHECK(!root);
}

/* In the order of the addresses, from both ends, and all at one address. */
MEND_TEST(stays_low)
{
    static char memory[MANY];

    for (int way = 0; way < 3; way++) {
        for (int i = 0; i < MANY; i++)
            add(memory + (way == 2   ? i % 2 ? i / 2 : MANY - 1 - i / 2
                          : way == 1 ? MANY - 1 - i
                                     : i),
                1);
        CHECK(height(root) < 64);
        for (int i = 0; i < MANY; i++)
            free(mend_rma_pieces_take(&root, memory + i));
        CHECK(!root);
    }
}

MEND_TEST_MAIN()
