/* SPDX-License-Identifier: BSD-3-Clause */
/* commit.c – compiles a type's envelope into the run list of layout.h.
 *
 *     old type's root ──repeat──> block ──┬─ regular:   repeat again (LOOP)
 *                                         └─ irregular: a pile of runs ──settle──> one run
 *
 * A pile is what indexed and struct types consist of.  settle() finds the smallest form of it:
 * one piece, a LOOP, AT, PIECES, and only then a LIST.  Numbers of which some touch are cut apart again:
 * an AT of equal pieces is packed without a branch, where PIECES needs one for each length.
 *
 * What a tree points to is held by the layout itself (chunks) or by the layouts of the types it is
 * built from, which a type keeps alive. */
#include "datatype/array.h"
#include "datatype/envelope.h"
#include "datatype/layout.h"

#include <string.h>

struct mend_chunk {
    struct mend_chunk *next;
    _Alignas(16) char data[];
};

/* One compilation.  After a failure it goes on with nonsense that is thrown away. */
struct compiler {
    struct mend_proc *self;
    struct mend_chunk *chunks;
    bool failed;
};

static void *take(struct compiler *c, size_t bytes)
{
    struct mend_chunk *chunk = c->failed ? NULL : mend_alloc(c->self, sizeof(*chunk) + bytes);

    if (!chunk) {
        c->failed = true;
        return NULL;
    }
    chunk->next = c->chunks;
    c->chunks = chunk;
    return chunk->data;
}

static void drop_chunks(struct mend_proc *self, struct mend_chunk *chunk)
{
    while (chunk) {
        struct mend_chunk *next = chunk->next;

        mend_free(self, chunk);
        chunk = next;
    }
}

/* --------------------------------------------------------------------------
 * Regular repetition
 * -------------------------------------------------------------------------- */

struct mend_run mend_run_repeat(const struct mend_run *run, MPI_Count count, MPI_Count stride,
                                struct mend_run *body_p)
{
    struct mend_run made = *run;
    MPI_Count way;

    if (run->kind == MEND_RUN_NOTHING || count == 0)
        return (struct mend_run){.kind = MEND_RUN_NOTHING};
    if (count == 1)
        return made;
    made.size = run->size * count;
    if (run->kind == MEND_RUN_BYTES && run->size == stride)
        return made;
    if (run->kind == MEND_RUN_LOOP && !__builtin_mul_overflow(run->stride, run->count, &way) &&
        way == stride) {
        made.count *= count;
        return made;
    }
    *body_p = *run;
    body_p->offset = 0;
    return (struct mend_run){.kind = MEND_RUN_LOOP,
                             .size = run->size * count,
                             .offset = run->offset,
                             .count = count,
                             .stride = stride,
                             .body = body_p};
}

static struct mend_run repeat(struct compiler *c, struct mend_run run, MPI_Count count,
                              MPI_Count stride)
{
    struct mend_run body;
    struct mend_run made = mend_run_repeat(&run, count, stride, &body);

    if (made.body == &body) {
        struct mend_run *kept = take(c, sizeof(*kept));

        if (!kept)
            return (struct mend_run){.kind = MEND_RUN_NOTHING};
        *kept = body;
        made.body = kept;
    }
    return made;
}

/* The run list of a type that is part of another one. */
static struct mend_run run_of(struct compiler *c, const struct mend_type *t)
{
    if (t->size == 0)
        return (struct mend_run){.kind = MEND_RUN_NOTHING};
    if (t->predefined && (!t->layout || t->layout->root.kind == MEND_RUN_BYTES))
        return (struct mend_run){.kind = MEND_RUN_BYTES, .size = t->size};
    if (mend_layout_make(c->self, (struct mend_type *)t)) {
        c->failed = true;
        return (struct mend_run){.kind = MEND_RUN_NOTHING};
    }
    return t->layout->root;
}

static struct mend_run moved(struct mend_run run, MPI_Count by)
{
    run.offset += by;
    return run;
}

/* displ units on.  Where there is nothing build.c has not looked whether that is a number. */
static struct mend_run placed(struct mend_run run, MPI_Count displ, MPI_Count unit)
{
    return run.kind == MEND_RUN_NOTHING ? run : moved(run, displ * unit);
}

/* --------------------------------------------------------------------------
 * Irregular collections
 * -------------------------------------------------------------------------- */

struct pile {
    struct mend_run *runs;
    MPI_Count n;
};

#define LONGEST_UNIT 16 /* bytes: a double complex */

/* Shorter lists are structures, of which arrays have loops of their own (copy.c). */
#define FEWEST_NUMBERS 16

static bool pile_begin(struct compiler *c, struct pile *p, MPI_Count max)
{
    p->n = 0;
    p->runs = c->failed ? NULL : mend_alloc(c->self, (size_t)max * sizeof(*p->runs));
    c->failed |= !p->runs;
    return p->runs != NULL;
}

/* Adds a run behind the others; runs that touch become one. */
static void pile_add(struct pile *p, struct mend_run run)
{
    struct mend_run *last = p->n ? &p->runs[p->n - 1] : NULL;

    if (run.kind == MEND_RUN_NOTHING)
        return;
    if (last && last->kind == MEND_RUN_BYTES && run.kind == MEND_RUN_BYTES &&
        last->offset + last->size == run.offset)
        last->size += run.size;
    else
        p->runs[p->n++] = run;
}

/* Equal except for the place. */
static bool alike(const struct mend_run *a, const struct mend_run *b)
{
    return a->kind == b->kind && a->size == b->size && a->count == b->count &&
           a->stride == b->stride && a->body == b->body && a->parts == b->parts &&
           a->displs == b->displs && a->starts == b->starts;
}

static struct mend_run settle_alike(struct compiler *c, const struct pile *p)
{
    MPI_Count stride = p->runs[1].offset - p->runs[0].offset, i = 2;
    struct mend_run *body;
    MPI_Count *displs;

    while (i < p->n && p->runs[i].offset - p->runs[i - 1].offset == stride)
        i++;
    if (i == p->n)
        return repeat(c, p->runs[0], p->n, stride);
    body = take(c, sizeof(*body));
    displs = take(c, (size_t)p->n * sizeof(*displs));
    if (!displs)
        return (struct mend_run){.kind = MEND_RUN_NOTHING};
    *body = moved(p->runs[0], -p->runs[0].offset);
    for (i = 0; i < p->n; i++)
        displs[i] = p->runs[i].offset;
    return (struct mend_run){.kind = MEND_RUN_AT,
                             .size = body->size * p->n,
                             .count = p->n,
                             .body = body,
                             .displs = displs};
}

static MPI_Count common_divisor(MPI_Count a, MPI_Count b)
{
    while (b) {
        MPI_Count rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* The length into which all runs of bytes of a pile can be cut; 0 if it is longer than any number, or if
 * there would be more than twice as many pieces. */
static MPI_Count unit_of(const struct pile *p)
{
    MPI_Count unit = 0, total = 0;

    if (p->n < FEWEST_NUMBERS)
        return 0;
    for (MPI_Count i = 0; i < p->n; i++) {
        unit = common_divisor(p->runs[i].size, unit);
        total += p->runs[i].size;
    }
    return unit <= LONGEST_UNIT && total / unit <= 2 * p->n ? unit : 0;
}

static struct mend_run settle_units(struct compiler *c, const struct pile *p, MPI_Count unit)
{
    struct pile cut;
    struct mend_run made;

    if (!pile_begin(c, &cut, 2 * p->n))
        return (struct mend_run){.kind = MEND_RUN_NOTHING};
    for (MPI_Count i = 0; i < p->n; i++)
        for (MPI_Count at = 0; at < p->runs[i].size; at += unit)
            cut.runs[cut.n++] = (struct mend_run){
                .kind = MEND_RUN_BYTES, .size = unit, .offset = p->runs[i].offset + at};
    made = settle_alike(c, &cut);
    mend_free(c->self, cut.runs);
    return made;
}

/* Packed positions of the entries. */
static const MPI_Count *starts_of(struct compiler *c, const struct pile *p)
{
    MPI_Count *starts = take(c, (size_t)(p->n + 1) * sizeof(*starts));

    if (!starts)
        return NULL;
    starts[0] = 0;
    for (MPI_Count i = 0; i < p->n; i++)
        starts[i + 1] = starts[i] + p->runs[i].size;
    return starts;
}

static struct mend_run settle_different(struct compiler *c, const struct pile *p, bool bytes)
{
    const MPI_Count *starts = starts_of(c, p);
    struct mend_run made = {
        .kind = bytes ? MEND_RUN_PIECES : MEND_RUN_LIST, .count = p->n, .starts = starts};
    struct mend_run *parts = bytes ? NULL : take(c, (size_t)p->n * sizeof(*parts));
    MPI_Count *displs = bytes ? take(c, (size_t)p->n * sizeof(*displs)) : NULL;

    if (c->failed)
        return (struct mend_run){.kind = MEND_RUN_NOTHING};
    for (MPI_Count i = 0; i < p->n; i++) {
        if (bytes)
            displs[i] = p->runs[i].offset;
        else
            parts[i] = p->runs[i];
    }
    made.size = starts[p->n];
    made.parts = parts;
    made.displs = displs;
    return made;
}

/* The smallest form of a pile, which stays the caller's. */
static struct mend_run settle(struct compiler *c, const struct pile *p)
{
    bool same = true, bytes = true;
    MPI_Count unit;

    if (p->n == 0)
        return (struct mend_run){.kind = MEND_RUN_NOTHING};
    for (MPI_Count i = 0; i < p->n; i++) {
        same &= alike(&p->runs[i], &p->runs[0]);
        bytes &= p->runs[i].kind == MEND_RUN_BYTES;
    }
    if (p->n == 1)
        return p->runs[0];
    if (same)
        return settle_alike(c, p);
    unit = bytes ? unit_of(p) : 0;
    return unit ? settle_units(c, p, unit) : settle_different(c, p, bytes);
}

static struct mend_run pile_end(struct compiler *c, struct pile *p)
{
    struct mend_run made = settle(c, p);

    mend_free(c->self, p->runs);
    return made;
}

/* --------------------------------------------------------------------------
 * One function per kind of constructor
 * -------------------------------------------------------------------------- */

static struct mend_run strided(struct compiler *c, const struct mend_envelope *e)
{
    const struct mend_type *old = e->types[0];
    const MPI_Count *v = e->values;
    MPI_Count stride = e->combiner == MPI_COMBINER_VECTOR ? v[2] * old->extent : v[2];

    return repeat(c, repeat(c, run_of(c, old), v[1], old->extent), v[0], stride);
}

static struct mend_run blocks(struct compiler *c, const struct mend_envelope *e)
{
    const struct mend_type *old = e->types[0];
    const MPI_Count *v = e->values, *displs = v + 2;
    MPI_Count unit = e->combiner == MPI_COMBINER_INDEXED_BLOCK ? old->extent : 1;
    struct mend_run block = repeat(c, run_of(c, old), v[1], old->extent);
    struct pile pile;

    if (!pile_begin(c, &pile, v[0]))
        return block;
    for (MPI_Count i = 0; i < v[0]; i++)
        pile_add(&pile, placed(block, displs[i], unit));
    return pile_end(c, &pile);
}

static struct mend_run indexed(struct compiler *c, const struct mend_envelope *e)
{
    MPI_Count n = e->values[0];
    const MPI_Count *lens = e->values + 1, *displs = lens + n;
    bool many = e->combiner == MPI_COMBINER_STRUCT;
    MPI_Count unit = e->combiner == MPI_COMBINER_INDEXED ? e->types[0]->extent : 1;
    struct mend_run block = {.kind = MEND_RUN_NOTHING};
    struct pile pile;

    if (!pile_begin(c, &pile, n))
        return block;
    for (MPI_Count i = 0; i < n; i++) {
        const struct mend_type *old = e->types[many ? i : 0];

        /* Equal neighbours share one body, so that settle() sees that they are alike. */
        if (i == 0 || lens[i] != lens[i - 1] || old != e->types[many ? i - 1 : 0])
            block = repeat(c, run_of(c, old), lens[i], old->extent);
        pile_add(&pile, placed(block, displs[i], unit));
    }
    return pile_end(c, &pile);
}

static struct mend_run pair(struct compiler *c, const struct mend_envelope *e)
{
    struct mend_run two[2];
    struct pile pile = {two, 0};
    MPI_Count align = mend_type_facts(e->types[1]).align;

    pile_add(&pile, run_of(c, e->types[0]));
    pile_add(&pile, moved(run_of(c, e->types[1]), (e->types[0]->size + align - 1) / align * align));
    return settle(c, &pile);
}

/* From the dimension of neighbours outward, each one wraps what is inside:
 *
 *     LIST ─┬─ LOOP blocks x cycle ── LOOP block x stride ── inner
 *           └─ LOOP rest x stride ── inner                                          */
static struct mend_run array(struct compiler *c, const struct mend_envelope *e)
{
    MPI_Count stride = e->types[0]->extent;
    struct mend_run run = run_of(c, e->types[0]);

    for (int i = 0; i < mend_array_dims(e); i++) {
        struct mend_slice s = mend_array_slice(e, i);
        struct mend_run two[2], full = repeat(c, run, s.block, stride);
        struct pile pile = {two, 0};

        pile_add(&pile, moved(repeat(c, full, s.blocks, s.cycle * stride), s.first * stride));
        pile_add(&pile, moved(repeat(c, run, s.rest, stride), mend_slice_rest_at(&s) * stride));
        run = settle(c, &pile);
        stride *= s.whole;
    }
    return run;
}

static struct mend_run compile(struct compiler *c, const struct mend_envelope *e)
{
    switch (e->combiner) {
    case MPI_COMBINER_CONTIGUOUS:
        return repeat(c, run_of(c, e->types[0]), e->values[0], e->types[0]->extent);
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
        return strided(c, e);
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
        return blocks(c, e);
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_STRUCT:
        return indexed(c, e);
    case MPI_COMBINER_SUBARRAY:
    case MPI_COMBINER_DARRAY:
        return array(c, e);
    case MPI_COMBINER_VALUE_INDEX:
        return pair(c, e);
    default: /* DUP, RESIZED; Fortran's parameterized types are equal to their leaf */
        return run_of(c, e->types_n ? e->types[0] : e->leaf);
    }
}

int mend_layout_make(struct mend_proc *self, struct mend_type *t)
{
    struct compiler c = {.self = self};
    struct mend_run root = {.kind = MEND_RUN_NOTHING};
    struct mend_layout *made;

    if (t->layout)
        return MPI_SUCCESS;
    if (t->size > 0)
        root = compile(&c, t->envelope);
    made = c.failed ? NULL : mend_alloc(self, sizeof(*made));
    if (!made) {
        drop_chunks(self, c.chunks);
        return MPI_ERR_NO_MEM;
    }
    MEND_ASSERT(root.size == t->size);
    *made = (struct mend_layout){root, c.chunks};
    t->layout = made;
    return MPI_SUCCESS;
}

void mend_layout_free(struct mend_proc *self, struct mend_layout *layout)
{
    if (!layout)
        return;
    drop_chunks(self, layout->chunks);
    mend_free(self, layout);
}

int mend_type_commit(struct mend_proc *self, struct mend_type *t)
{
    int err = t->committed ? MPI_SUCCESS : mend_layout_make(self, t);
    const struct mend_run *root;

    if (err || t->committed)
        return err;
    root = &t->layout->root;
    t->dense = t->size == 0
                   ? t->extent == 0
                   : root->kind == MEND_RUN_BYTES && t->size == t->extent && root->offset == t->lb;
    t->committed = true;
    return MPI_SUCCESS;
}
