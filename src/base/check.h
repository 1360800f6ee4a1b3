/* SPDX-License-Identifier: BSD-3-Clause */
/* check.h – functions that check the invariants of an object.
 *
 * mend_<object>_check() checks all invariants of an object, which the object's header numbers.  It returns
 * NULL, or the text of an invariant that does not hold.  It changes nothing and allocates nothing, and may be
 * called whenever no function is in the middle of changing the object.
 *
 * Tests call it, and so does every wait of a build with a sanitizer (req/check.c). */
#ifndef MEND_BASE_CHECK_H
#define MEND_BASE_CHECK_H

#include "base/list.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEND_CHECKS_AT_WAITS true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MEND_CHECKS_AT_WAITS true
#endif
#endif
#ifndef MEND_CHECKS_AT_WAITS
#define MEND_CHECKS_AT_WAITS false
#endif

/* In a check: answers with the text unless the condition holds. */
#define MEND_HOLDS(cond_, text_)                                                                   \
    do {                                                                                           \
        if (mend_unlikely(!(cond_)))                                                               \
            return text_;                                                                          \
    } while (0)

/* In a check: answers with what another check answers, unless that is NULL. */
#define MEND_HOLDS_IN(check_)                                                                      \
    do {                                                                                           \
        const char *broken_ = (check_);                                                            \
        if (mend_unlikely(broken_ != NULL))                                                        \
            return broken_;                                                                        \
    } while (0)

/* Each element's neighbours know it. */
static inline const char *mend_list_check(const struct mend_list *head)
{
    const struct mend_list *l = head;

    do {
        MEND_HOLDS(l->next && l->next->prev == l, "list: an element's neighbours know it");
        l = l->next;
    } while (l != head);
    return NULL;
}

#endif
