/* SPDX-License-Identifier: BSD-3-Clause */
/* list.h – intrusive doubly linked list with a sentinel head.
 *
 * An element that is in no list has next == NULL, so membership can be asked. */
#ifndef MEND_BASE_LIST_H
#define MEND_BASE_LIST_H

#include "base/status.h"

struct mend_list {
    struct mend_list *next, *prev;
};

static inline void mend_list_init(struct mend_list *head)
{
    head->next = head->prev = head;
}

static inline bool mend_list_empty(const struct mend_list *head)
{
    return head->next == head;
}

static inline bool mend_list_linked(const struct mend_list *elem)
{
    return elem->next != NULL;
}

static inline void mend_list_append(struct mend_list *head, struct mend_list *elem)
{
    elem->prev = head->prev;
    elem->next = head;
    head->prev->next = elem;
    head->prev = elem;
}

static inline void mend_list_prepend(struct mend_list *head, struct mend_list *elem)
{
    elem->next = head->next;
    elem->prev = head;
    head->next->prev = elem;
    head->next = elem;
}

static inline void mend_list_remove(struct mend_list *elem)
{
    elem->prev->next = elem->next;
    elem->next->prev = elem->prev;
    elem->next = elem->prev = NULL;
}

/* First element, or NULL if the list is empty. */
static inline struct mend_list *mend_list_first(const struct mend_list *head)
{
    return head->next == head ? NULL : head->next;
}

#define mend_list_entry(elem, type, member) MEND_CONTAINER_OF(elem, type, member)

/* Walks the list; the current element may be removed inside. */
#define mend_list_foreach(pos, tmp, head)                                                          \
    for (struct mend_list *pos = (head)->next, *tmp = pos->next; pos != (head);                    \
         pos = tmp, tmp = pos->next)

#endif
