/* SPDX-License-Identifier: BSD-3-Clause */
/* op_test.c – one path for each element: every operator, in every form, for any number of elements, changes an element in
 * the way that the kind of window, the type and the address determine.
 *
 * The lock of elements is taken, and the window is revoked, so a call that wants the lock fails; one that does not want it
 * succeeds.  The window has one member, on a segment. */
#include "decide/job_test.h"
#include "rma/control.h"
#include "rma/op.h"

#include "base/test.h"
#include "datatype/op_table.h"

#define BYTES 256
#define MOST  5 /* elements */

static struct mend_proc *self;
static struct mend_win *w;
static _Alignas(64) char own[BYTES];

static const struct mend_comm_hooks hooks = {
    .attach = {mend_match_create, mend_coll_attach, mend_decide_attach},
    .detach = {mend_match_destroy, mend_coll_detach, mend_decide_detach, mend_create_detach},
    .check = {mend_match_check},
    .revoked = mend_create_on_revoke,
};

static void begin(int flavor)
{
    struct mend_win_wish wish = {.flavor = flavor, .disp_unit = 1, .size = BYTES};
    struct mend_group *alone;
    struct mend_comm *c;

    job_begin(IN_A_CELL);
    self = job.rank[2];
    self->comm_hooks = &hooks;
    mend_list_init(&self->windows);
    CHECK(!mend_create_init(self) && !mend_win_init(self));
    alone = mend_group_create_range(self, 2, 1, 1);
    c = mend_comm_create(self, alone, NULL, MEND_CTX_SELF(2), NULL);
    wish.base = flavor == MPI_WIN_FLAVOR_CREATE ? own : NULL;
    CHECK_EQ(mend_win_create(c, &wish, &w), MPI_SUCCESS);
    CHECK(w->shared && mend_acclock_take(mend_win_elements_word(w, 0), 0));
    *(bool *)&w->comm->revoked = true;
}

/* Does the call want the lock? */
static bool wants(int err)
{
    CHECK(err == MPI_SUCCESS || err == MPI_ERR_INVALIDATED);
    CHECK(mend_win_has_elements(w, 0));
    return err != MPI_SUCCESS;
}

static bool is_defined(const struct mend_op *op, const struct mend_type *t)
{
    return op && (mend_rma_op_is_special(op) || !mend_op_check(op, t));
}

/* All that may be done to elements of this type at this address; the number of calls. */
static int check_address(const struct mend_type *t, char *at, bool locked)
{
    _Alignas(32) char in[BYTES] = {0}, old[BYTES], compare[BYTES] = {0};
    int n = 0;

    for (int code = 0; code < MEND_OP_SLOTS; code++) {
        const struct mend_op *op = mend_op_of((MPI_Op)(uintptr_t)(MEND_OP_FIRST + code));

        if (!is_defined(op, t))
            continue;
        for (int count = 1; count <= MOST; count++, n += 2) {
            CHECK_EQ(wants(mend_rma_apply(w, 0, op, t, in, at, count, NULL)), locked);
            CHECK_EQ(wants(mend_rma_apply(w, 0, op, t, in, at, count, old)), locked);
        }
    }
    if (mend_element_can_sum(t)) {
        CHECK_EQ(wants(mend_rma_add(w, 0, t, in, at, NULL)), locked);
        CHECK_EQ(wants(mend_rma_add(w, 0, t, in, at, old)), locked);
        n += 2;
    }
    CHECK_EQ(wants(mend_rma_swap(w, 0, t, compare, in, at, old)), locked);
    return n + 1;
}

static bool is_integer(const struct mend_type *t)
{
    return (t->basic >= MEND_BASIC_I8 && t->basic <= MEND_BASIC_U64) ||
           (t->basic >= MEND_BASIC_LOGICAL8 && t->basic <= MEND_BASIC_LOGICAL64) ||
           t->basic == MEND_BASIC_BOOL || t->basic == MEND_BASIC_BYTE;
}

static void check_all(char *base, bool alone)
{
    int n = 0;

    for (uintptr_t h = MEND_TYPE_FIRST; h <= MEND_TYPE_LAST; h++) {
        const struct mend_type *t = mend_type_predefined(h);

        if (!t || t->size <= 0 || t->extent > 32 || MOST * t->extent > BYTES - 16)
            continue;
        for (int shift = 0; shift < 16; shift++)
            n += check_address(t, base + shift,
                               !alone && (!is_integer(t) || shift % t->extent != 0));
    }
    CHECK(n > 10000);
}

MEND_TEST(in_the_segment)
{
    begin(MPI_WIN_FLAVOR_ALLOCATE);
    CHECK(!mend_rma_is_alone(w, 0));
    check_all(w->base, false);
}

MEND_TEST(of_the_program)
{
    begin(MPI_WIN_FLAVOR_CREATE);
    CHECK(mend_rma_is_alone(w, 0));
    check_all(own, true);
}

MEND_TEST_MAIN()
