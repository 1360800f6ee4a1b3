/* SPDX-License-Identifier: BSD-3-Clause */
/* own.h – what the files of snap/ share (snap.h has the idea).
 *
 *   own mapping, shared:  [ struct mend_snap | stack | tables, a stack of their own ...  | log's index | shadows ]
 *                                                     ^ take() moves `top` up                              */
#ifndef MEND_SNAP_OWN_H
#define MEND_SNAP_OWN_H

#include "snap/snap.h"

#include <ucontext.h>

#define MEND_SNAP_PAGE  ((uintptr_t)4096)
#define MEND_SNAP_TEXT  512
#define MEND_SNAP_STACK ((size_t)256 * 1024)

/* The image's file is mostly holes.  If the program's memory never shows it, it is mapped as a whole. */
#define MEND_SNAP_IMAGE_BYTES  ((uint64_t)1 << 62)
#define MEND_SNAP_WINDOW_BYTES ((uint64_t)1 << 44)

/* A line of /proc/self/maps. */
struct mend_snap_map {
    uintptr_t start, end;
    int prot;
    bool shared, stack;
    uint64_t offset, inode;
    const char *name; /* ends with the line */
};

enum mend_snap_kind {
    MEND_SNAP_KIND_KEPT,  /* cannot be written: only its place is remembered */
    MEND_SNAP_KIND_IMAGE, /* its contents are in the image */
};

struct mend_snap_region {
    uintptr_t start, end;
    int prot;
    enum mend_snap_kind kind;
    uint64_t inode;  /* of the program's file, or 0 */
    uint64_t offset; /* in the image */
    bool renewed;    /* the roll-back has mapped all of it */
};

/* Where a region is in the image, and the first of its bits in `logged`. */
struct mend_snap_place {
    uint64_t offset, end, bit;
    uintptr_t start; /* in memory */
};

/* Ways with a shadow: the image holds [start, end) from `offset` on, and has room for more up to `limit`. */
struct mend_snap_shadow {
    uintptr_t start, end;
    uint64_t offset, limit;
};

struct mend_snap_range {
    uintptr_t start, end;
};

struct mend_snap_level {
    struct mend_snap_level *outer;
    char *mark; /* `top` before this level */
    ucontext_t here;
    uintptr_t frame; /* of mend_snap_enter() */
    struct mend_snap_region *regions;
    size_t regions_n;
    uintptr_t brk, stack_low;
    uint64_t stack_bytes, stack_at; /* its copy in the own file */
    uint64_t image_end;             /* what is above came later */
    struct mend_snap_place *places; /* of the regions in the image, by offset */
    size_t places_n;
    uint64_t *logged; /* a bit per page of the regions: it has an entry of this level */
    size_t log_begin;
    struct mend_snap_shadow *shadows; /* as they were at the safe point */
    size_t shadows_n;
    long child;       /* way fork: keeps the memory */
    char *print;      /* the fingerprint */
    char *tables_end; /* `top` after this level */
};

/* Way protect (guard.c, calls.c). */
struct mend_snap_guard {
    uint64_t *bits; /* NULL in other ways */
    bool raised;
    uintptr_t next;   /* after the last pages that a fault has opened */
    size_t step;      /* how many these were */
    char let;         /* read by the kernel at each system call */
    char *stack;      /* of the handlers, unless the program has one */
    uint64_t acts[8]; /* what the program has set for the signals that are caught (calls.c) */
};

struct mend_snap {
    struct mend_snap_setup setup;
    int own_fd, image_fd, log_fd, pagemap_fd, track_fd;
    uint64_t image_inode;
    char *window;         /* all of the image, or NULL: then it is read and written */
    uint64_t image_limit; /* its size */
    int pid;
    char *top, *limit;
    uint64_t *log_index; /* page of the image, one per page of the log */
    size_t log_n, log_max;
    struct mend_snap_shadow *shadows; /* by address */
    size_t shadows_n, shadows_max;
    uint64_t image_end, image_used; /* regions end here; some have ended there */
    struct mend_snap_level *level;  /* the innermost */
    unsigned depth;
    struct mend_snap_level *entering;
    int (*go_on)(
        const ucontext_t *); /* setcontext(): found before the dynamic linker may no longer write */
    ucontext_t worker, back; /* back: where a roll-back that fails returns to */
    enum mend_status result; /* of what ran on the own stack */
    int value;
    struct mend_snap_map *maps;
    size_t maps_n;
    struct mend_snap_range *excluded;
    size_t excluded_n;
    char *child_pages; /* way fork, during a roll-back: room for some pages */
    int child_fd;      /* and what pages the child has */
    struct mend_snap_counts counts;
    struct mend_snap_guard guard;
    char reason[MEND_SNAP_TEXT];
    char stack[MEND_SNAP_STACK] __attribute__((aligned(16)));
};

/* The program's memory stays where it is, and the image is a copy of it (shadow.c). */
static inline bool mend_snap_has_shadow(const struct mend_snap *s)
{
    return s->setup.way == MEND_SNAP_WAY_FULL || s->setup.way == MEND_SNAP_WAY_TRACK ||
           s->setup.way == MEND_SNAP_WAY_PROTECT;
}

/* The program's memory shows the image (drop, copy back). */
static inline bool mend_snap_shows_image(const struct mend_snap *s)
{
    return s->setup.way == MEND_SNAP_WAY_DROP || s->setup.way == MEND_SNAP_WAY_COPY_BACK;
}

/* The mapping shows the image until the program writes to it. */
static inline bool mend_snap_is_image(const struct mend_snap *s, const struct mend_snap_map *m)
{
    return !m->shared && m->inode == s->image_inode;
}

/* Bytes of the own mapping, 16-byte aligned, until `top` is set back; not cleared.  NULL: none left. */
void *mend_snap_take(struct mend_snap *s, size_t bytes);

/* A whole file of /proc as a string at `top`.  NULL: not readable, or no room. */
char *mend_snap_read(struct mend_snap *s, const char *path);

/* Notes why the call is refused: text, and up to the end of the line `name`. */
enum mend_status mend_snap_refuse(struct mend_snap *s, enum mend_status why, const char *text,
                                  const char *name);

/* Reads s->maps and s->excluded. */
enum mend_status mend_snap_look(struct mend_snap *s);

/* Refuses a process with a sanitizer that follows its memory. */
enum mend_status mend_snap_look_at_sanitizers(struct mend_snap *s);

/* Refuses libraries and devices that no roll-back can include; after mend_snap_look(). */
enum mend_status mend_snap_look_at_libraries(struct mend_snap *s);

/* Calls piece() for each part of a mapping that is not excluded; ends with the first failure. */
enum mend_status mend_snap_pieces(struct mend_snap *s, const struct mend_snap_map *m,
                                  enum mend_status (*piece)(struct mend_snap *s,
                                                            const struct mend_snap_map *m,
                                                            void *arg),
                                  void *arg);

/* Saves the memory as that of l, which becomes s->level afterwards; restores that of s->level. */
enum mend_status mend_snap_save(struct mend_snap *s, struct mend_snap_level *l);
enum mend_status mend_snap_restore(struct mend_snap *s);

/* Gives each mapping of s->maps pages of the image of its own (alias.c). */
enum mend_status mend_snap_alias_end(struct mend_snap *s);

/* The levels lose l, and those inside it move down in the own mapping to where its tables were (level.c). */
void mend_snap_level_unlink(struct mend_snap *s, struct mend_snap_level *l,
                            struct mend_snap_level *inner);

/* The parts of the image that no level's places have, nor those of l, which is about to become one, are given back (level.c). */
void mend_snap_level_give_back(struct mend_snap *s, const struct mend_snap_level *l);

/* The program's memory stays where it is and the image is a copy of it (shadow.c).  Save: adds the regions of a piece of
 * memory to the level.  Keep: notes the shadows in the level; back: takes them from it. */
enum mend_status mend_snap_shadow_save(struct mend_snap *s, struct mend_snap_level *l,
                                       const struct mend_snap_map *m);
enum mend_status mend_snap_shadow_keep(struct mend_snap *s, struct mend_snap_level *l);
enum mend_status mend_snap_shadow_restore(struct mend_snap *s, const struct mend_snap_region *r);
void mend_snap_shadow_back(struct mend_snap *s, const struct mend_snap_level *l);

/* Way fork (child.c).  Start: the level's child keeps the memory as it is.  Open: before a roll-back to the innermost level;
 * read: restores a region that is mapped as it was, and may be written to. */
enum mend_status mend_snap_child_start(struct mend_snap *s, struct mend_snap_level *l);
void mend_snap_child_end(const struct mend_snap *s, const struct mend_snap_level *l);
bool mend_snap_child_is(const struct mend_snap *s, long id);
enum mend_status mend_snap_child_open(struct mend_snap *s);
enum mend_status mend_snap_child_read(struct mend_snap *s, const struct mend_snap_region *r);
void mend_snap_child_close(struct mend_snap *s);

/* What the kernel keeps for the process, as lines "name\tvalue".  NULL: no room. */
char *mend_snap_print(struct mend_snap *s);

/* The name of a thread other than the caller's, or NULL. */
const char *mend_snap_other_thread(struct mend_snap *s);

/* The ids of the process's children, separated by spaces; "" without children, or if the kernel does not tell. */
const char *mend_snap_children(struct mend_snap *s);

#endif
