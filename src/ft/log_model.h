/* SPDX-License-Identifier: BSD-3-Clause */
/* log_model.h – for tests: what the log of a job must be, entry by entry, whatever the machines do.
 *
 * The file that includes this one defines how many agents, names and entries there can be.  The model is a value without
 * pointers.  A broken rule is a text in `wrong`. */
#ifndef MEND_FT_LOG_MODEL_H
#define MEND_FT_LOG_MODEL_H

#include "ft/log_sm.h"

#include <string.h>

struct model {
    const char *wrong;
    uint32_t entries_n;
    uint64_t print[MODEL_ENTRIES]; /* of each entry */
    uint64_t seq[MODEL_AGENTS];    /* of the last entry that each has proposed */
    uint64_t revoked[MODEL_CONTEXTS], revoked_at[MODEL_CONTEXTS]; /* contexts; by which entries */
    uint32_t revoked_n;
    int16_t agent[MODEL_NAMES];
    int16_t abort[MODEL_NAMES]; /* 0: none */
    uint8_t dead[MODEL_NAMES], left[MODEL_NAMES];
    uint8_t lost[MODEL_AGENTS];
    int16_t aborts_n;
    bool late; /* an abort may have been divided by TIMEOUT */
};

static uint64_t model_mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0xff51afd7ed558ccd);
    return h ^ h >> 32;
}

static uint64_t model_print(const struct mend_fact *f)
{
    uint64_t h = model_mix(model_mix(model_mix(1, f->kind), f->seq), (uint64_t)f->by);

    h = model_mix(model_mix(h, f->context), (uint64_t)f->agent);
    for (uint32_t i = 0; i < f->runs_n; i++) {
        const struct mend_fact_run *r = &mend_fact_runs(f)[i];

        h = model_mix(model_mix(h, (uint64_t)r->first << 32 | (uint64_t)r->n), (uint64_t)r->code);
    }
    return h;
}

static void model_expect(struct model *m, bool holds, const char *text)
{
    if (!holds && !m->wrong)
        m->wrong = text;
}

static bool model_names(const struct mend_fact *f, int name)
{
    for (uint32_t i = 0; i < f->runs_n; i++)
        if (mend_fact_runs(f)[i].first <= name &&
            name < mend_fact_runs(f)[i].first + mend_fact_runs(f)[i].n)
            return true;
    return false;
}

static bool model_can_fail(const struct model *m, int name)
{
    return m->agent[name] >= 0 && !m->dead[name] && !m->left[name];
}

/* All victims of an abort that could fail are in the set, if one is. */
static void model_check_aborts(struct model *m, const struct mend_fact *f, int name)
{
    for (int p = 0; p < MODEL_NAMES; p++)
        if (m->abort[p] == m->abort[name] && model_can_fail(m, p))
            model_expect(m, model_names(f, p) || m->late, "an abort is divided");
}

static void model_on_set(struct model *m, const struct mend_fact *f)
{
    for (int p = 0; p < MODEL_NAMES; p++) {
        if (f->kind == MEND_FACT_LOST && m->agent[p] == f->agent && model_can_fail(m, p))
            model_expect(m, model_names(f, p), "a lost node is divided");
        if (!model_names(f, p))
            continue;
        model_expect(m, !m->dead[p], "a death is repeated");
        model_expect(m, m->agent[p] >= 0, "an unknown process is dead");
        if (m->abort[p])
            model_check_aborts(m, f, p);
    }
    for (int p = 0; p < MODEL_NAMES; p++)
        m->dead[p] |= model_names(f, p);
    if (f->kind == MEND_FACT_LOST) {
        model_expect(m, !m->lost[f->agent], "an agent is lost twice");
        m->lost[f->agent] = 1;
    }
}

static void model_on_abort(struct model *m, const struct mend_fact *f)
{
    int16_t abort = ++m->aborts_n;

    for (int p = 0; p < MODEL_NAMES; p++) {
        int16_t before = m->abort[p];

        if (!model_names(f, p) || !model_can_fail(m, p))
            continue;
        m->abort[p] = abort;
        for (int q = 0; before && q < MODEL_NAMES; q++)
            if (m->abort[q] == before)
                m->abort[q] = abort;
    }
}

static void model_on_revoked(struct model *m, uint64_t context)
{
    for (uint32_t i = 0; i < m->revoked_n; i++)
        model_expect(m, m->revoked[i] != context, "a revocation is repeated");
    model_expect(m, m->revoked_n < MODEL_CONTEXTS, "more revocations than the model has room for");
    if (m->wrong)
        return;
    m->revoked_at[m->revoked_n] = m->entries_n + 1;
    m->revoked[m->revoked_n++] = context;
}

/* Whether one that has applied so many entries knows. */
static bool model_is_revoked(const struct model *m, uint64_t applied, uint64_t context)
{
    for (uint32_t i = 0; i < m->revoked_n; i++)
        if (m->revoked[i] == context && m->revoked_at[i] <= applied)
            return true;
    return false;
}

static void model_on_kind(struct model *m, const struct mend_fact *f)
{
    if (f->kind == MEND_FACT_DEATHS || f->kind == MEND_FACT_LOST)
        model_on_set(m, f);
    if (f->kind == MEND_FACT_ABORT)
        model_on_abort(m, f);
    if (f->kind == MEND_FACT_REVOKED)
        model_on_revoked(m, f->context);
    for (int p = 0; p < MODEL_NAMES; p++) {
        if (!model_names(f, p))
            continue;
        if (f->kind == MEND_FACT_NAMES)
            m->agent[p] = (int16_t)f->agent;
        if (f->kind == MEND_FACT_LEFT)
            m->left[p] = 1;
        if (f->kind == MEND_FACT_BACK)
            m->left[p] = 0;
        if (f->kind == MEND_FACT_LEFT)
            m->abort[p] = 0;
        if (f->kind == MEND_FACT_ENDED) {
            model_expect(m, m->left[p] && !m->dead[p], "an end without having left, or repeated");
            m->dead[p] = 1;
        }
    }
}

/* The root has a new entry. */
static void model_append(struct model *m, const struct mend_fact *f)
{
    model_expect(m, m->entries_n < MODEL_ENTRIES, "more entries than the model has room for");
    model_expect(m, !m->lost[f->by], "a lost agent is heard");
    model_expect(m, f->seq == 0 || f->seq > m->seq[f->by], "a proposal is repeated, or too late");
    model_on_kind(m, f);
    if (m->wrong)
        return;
    m->seq[f->by] = f->seq ? f->seq : m->seq[f->by];
    m->print[m->entries_n++] = model_print(f);
}

/* An agent that has applied `applied` entries applies one. */
static void model_apply(struct model *m, uint64_t applied, uint64_t number,
                        const struct mend_fact *f)
{
    model_expect(m, number == applied + 1, "an entry is applied out of order, or twice");
    model_expect(m, number <= m->entries_n && m->print[number - 1] == model_print(f),
                 "an entry is not the root's");
}

static void model_init(struct model *m)
{
    memset(m, 0, sizeof(*m));
    for (int p = 0; p < MODEL_NAMES; p++)
        m->agent[p] = -1;
}

#endif
