/* SPDX-License-Identifier: BSD-3-Clause */
/* entry.h – what the log of facts says, carried out on this node (entry.c).  Main thread only. */
#ifndef MEND_LAUNCH_AGENT_ENTRY_H
#define MEND_LAUNCH_AGENT_ENTRY_H

struct mend_course;
struct mend_fact;
struct mend_links;
struct mend_names;
struct mend_papers;
struct mend_revoked;
struct mend_tell;
struct mend_verdicts;

/* What an entry may change. */
struct mend_entry_target {
    struct mend_verdicts *verdicts;
    const struct mend_tell *tell;
    struct mend_course *course;
    struct mend_papers *papers;
    struct mend_revoked *revoked;
    struct mend_links *links;
    struct mend_names *names;
};

/* The log has this entry. */
void mend_entry_apply(const struct mend_entry_target *on, const struct mend_fact *entry);

#endif
