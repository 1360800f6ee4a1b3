/* SPDX-License-Identifier: BSD-3-Clause */
/* predefined.c – the const table of predefined types, made from predefined.def.
 *
 *     handle 0x200 .. 0x2eb ──> mend_type_rows[]: pointer ──> rows[]: struct mend_predefined
 *
 * Shared by all processes of an address space; nothing in it is ever written or counted. */
#include "datatype/predefined.h"
#include "datatype/envelope.h"
#include "datatype/layout.h"
#include "datatype/wide.h"

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

/* Pairs are laid out as the C compiler does it. */
#define PLAIN(handle_, name_, ctype_, basic_, external_, unit_)
#define PAIR(handle_, name_, value_, index_, basic_, value_handle_, index_handle_)                 \
    struct pair_##handle_ {                                                                        \
        value_ value;                                                                              \
        index_ index;                                                                              \
    };
#include "datatype/predefined.def"

/* Where the members of a pair lie: one piece (size of both) or, for a short and an int, two. */
#define PAIR_GAP(handle_) offsetof(struct pair_##handle_, index)
#define PLAIN(handle_, name_, ctype_, basic_, external_, unit_)
#define PAIR(handle_, name_, value_, index_, basic_, value_handle_, index_handle_)                 \
    static const MPI_Count displs_##handle_[2] = {0, PAIR_GAP(handle_)};                           \
    static const MPI_Count starts_##handle_[3] = {0, sizeof(value_),                               \
                                                  sizeof(value_) + sizeof(index_)};                \
    static const struct mend_layout layout_##handle_ = {                                           \
        .root = {.kind = PAIR_GAP(handle_) == sizeof(value_) ? MEND_RUN_BYTES : MEND_RUN_PIECES,   \
                 .size = sizeof(value_) + sizeof(index_),                                          \
                 .count = 2,                                                                       \
                 .displs = displs_##handle_,                                                       \
                 .starts = starts_##handle_},                                                      \
    };
#include "datatype/predefined.def"

#define COMMON(basic_)                                                                             \
    .magic = MEND_TYPE_MAGIC, .refs = 1, .predefined = true, .committed = true,                    \
    .basic = MEND_BASIC_##basic_

static const struct mend_predefined rows[] = {
#define PLAIN(handle_, name_, ctype_, basic_, external_, unit_)                                    \
    {.type = {COMMON(basic_), .dense = true, .size = sizeof(ctype_), .extent = sizeof(ctype_),     \
              .true_extent = sizeof(ctype_)},                                                      \
     .name = #name_,                                                                               \
     .handle = handle_,                                                                            \
     .align = _Alignof(ctype_),                                                                    \
     .external_bytes = external_,                                                                  \
     .unit_bytes = unit_},
#define PAIR(handle_, name_, value_, index_, basic_, value_handle_, index_handle_)                 \
    {.type = {COMMON(basic_),                                                                      \
              .dense = sizeof(struct pair_##handle_) == sizeof(value_) + sizeof(index_),           \
              .size = sizeof(value_) + sizeof(index_), .extent = sizeof(struct pair_##handle_),    \
              .true_extent = PAIR_GAP(handle_) + sizeof(index_),                                   \
              .layout = (struct mend_layout *)&layout_##handle_},                                  \
     .name = #name_,                                                                               \
     .handle = handle_,                                                                            \
     .members = {value_handle_, index_handle_},                                                    \
     .align = _Alignof(struct pair_##handle_)},
#include "datatype/predefined.def"
};

enum {
#define PLAIN(handle_, name_, ctype_, basic_, external_, unit_)                    row_##handle_,
#define PAIR(handle_, name_, value_, index_, basic_, value_handle_, index_handle_) row_##handle_,
#include "datatype/predefined.def"
};

const struct mend_type *const mend_type_rows[MEND_TYPE_SLOTS] = {
#define PLAIN(handle_, name_, ctype_, basic_, external_, unit_)                                    \
    [handle_ - MEND_TYPE_FIRST] = &rows[row_##handle_].type,
#define PAIR(handle_, name_, value_, index_, basic_, value_handle_, index_handle_)                 \
    [handle_ - MEND_TYPE_FIRST] = &rows[row_##handle_].type,
#include "datatype/predefined.def"
};

bool mend_type_pair(const struct mend_type *t, const struct mend_type *members[2])
{
    if (!mend_type_is_named(t)) {
        if (t->envelope->combiner != MPI_COMBINER_VALUE_INDEX)
            return false;
        members[0] = t->envelope->types[0];
        members[1] = t->envelope->types[1];
        return true;
    }
    if (!mend_predefined_row(t)->members[0])
        return false;
    members[0] = mend_type_predefined(mend_predefined_row(t)->members[0]);
    members[1] = mend_type_predefined(mend_predefined_row(t)->members[1]);
    return true;
}

struct mend_type_facts mend_type_facts(const struct mend_type *t)
{
    const struct mend_envelope *e = t->envelope;
    const struct mend_type *members[2];

    if (e)
        return (struct mend_type_facts){e->marked, e->align, e->elements, e->leaf};
    if (mend_type_pair(t, members))
        return (struct mend_type_facts){.align = mend_predefined_row(t)->align,
                                        .elements = 2,
                                        .leaf = members[0] == members[1] ? members[0] : NULL};
    return (struct mend_type_facts){
        .align = mend_predefined_row(t)->align, .elements = 1, .leaf = t};
}
