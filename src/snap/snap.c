/* SPDX-License-Identifier: BSD-3-Clause */
/* snap.c – entering safe points, dropping them and rolling back to them (snap.h has the idea).
 *
 * What saves and restores runs on a stack of its own: the program's stack may neither change while it is
 * copied nor be in use while it is overwritten.
 *
 *     program          mend_snap_enter ──swapcontext──> save ──setcontext──> returns 0
 *     program's stack                                  own stack
 *     program          mend_snap_roll_back ──────────> restore ──setcontext to the same place──> returns value
 */
#include "snap/guard.h"
#include "snap/image.h"
#include "snap/sys.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define OWN_BYTES   ((size_t)1 << 32) /* of address space: what is not used costs nothing */
#define FRAME_BYTES 4096              /* more than the frame of mend_snap_enter() */

enum mend_status mend_snap_refuse(struct mend_snap *s, enum mend_status why, const char *text,
                                  const char *name)
{
    size_t n = 0;

    for (; *text && n < sizeof(s->reason) - 1; text++)
        s->reason[n++] = *text;
    for (; *name && *name != '\n' && n < sizeof(s->reason) - 1; name++)
        s->reason[n++] = *name;
    s->reason[n] = 0;
    return why;
}

static void close_all(struct mend_snap *s)
{
    int fds[] = {s->image_fd, s->log_fd, s->pagemap_fd, s->track_fd, s->own_fd};

    mend_snap_guard_close(s);
    if (s->window)
        munmap(s->window, MEND_SNAP_WINDOW_BYTES);
    munmap(s, OWN_BYTES);
    for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

/* Shows the image, so that bytes go there without system calls.  Without address space for it they go with them. */
static void open_window(struct mend_snap *s)
{
    int flags = MAP_SHARED | MAP_NORESERVE | (s->window ? MAP_FIXED : 0);
    void *p =
        mmap(s->window, MEND_SNAP_WINDOW_BYTES, PROT_READ | PROT_WRITE, flags, s->image_fd, 0);

    s->window = NULL;
    if (p == MAP_FAILED)
        return;
    madvise(p, MEND_SNAP_WINDOW_BYTES, MADV_DONTDUMP);
    s->window = p;
    s->image_limit = MEND_SNAP_WINDOW_BYTES;
}

static bool open_image(struct mend_snap *s)
{
    struct stat st;

    s->image_end = s->image_used = 0;
    s->image_limit = MEND_SNAP_IMAGE_BYTES;
    s->image_fd = memfd_create("mend-image", MFD_CLOEXEC);
    if (s->image_fd < 0 || ftruncate(s->image_fd, (off_t)MEND_SNAP_IMAGE_BYTES) < 0 ||
        fstat(s->image_fd, &st) < 0)
        return false;
    s->image_inode = st.st_ino;
    if (mend_snap_has_shadow(s))
        open_window(s);
    return true;
}

static bool open_tables(struct mend_snap *s)
{
    s->log_fd = memfd_create("mend-log", MFD_CLOEXEC);
    s->pagemap_fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    return s->log_fd >= 0 && s->pagemap_fd >= 0;
}

/* The own mapping: half of it for tables, a quarter for each of the others. */
static void divide(struct mend_snap *s)
{
    s->top = (char *)(s + 1);
    s->limit = (char *)s + OWN_BYTES / 2;
    s->log_index = (uint64_t *)s->limit;
    s->log_max = OWN_BYTES / 4 / sizeof(uint64_t);
    s->shadows = (struct mend_snap_shadow *)((char *)s + OWN_BYTES / 4 * 3);
    s->shadows_max = OWN_BYTES / 4 / sizeof(*s->shadows);
}

/* The best way that the kernel has: it keeps mappings and huge pages, and a first write costs least. */
static bool choose_way(struct mend_snap *s)
{
    bool wanted = s->setup.way == MEND_SNAP_WAY_TRACK;

    if (s->setup.way == MEND_SNAP_WAY_PROTECT)
        return mend_snap_guard_open(s);
    if (!wanted && s->setup.way != MEND_SNAP_WAY_BEST)
        return true;
    if (mend_snap_track_open(s))
        s->setup.way = MEND_SNAP_WAY_TRACK;
    else if (!wanted)
        s->setup.way = MEND_SNAP_WAY_DROP;
    return s->setup.way != MEND_SNAP_WAY_TRACK || s->track_fd >= 0;
}

enum mend_status mend_snap_create(const struct mend_snap_setup *setup, struct mend_snap **snap_p)
{
    enum mend_status st = MEND_OK;
    struct mend_snap *s;
    int fd = memfd_create("mend-safe-points", MFD_CLOEXEC);

    if (fd < 0)
        return MEND_ERR_SYS;
    s = ftruncate(fd, (off_t)OWN_BYTES) < 0
            ? MAP_FAILED
            : mmap(NULL, OWN_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (s == MAP_FAILED) {
        close(fd);
        return MEND_ERR_SYS;
    }
    madvise(s, OWN_BYTES, MADV_DONTDUMP);
    s->setup = *setup;
    s->own_fd = fd;
    s->image_fd = s->track_fd = -1;
    if (!open_tables(s))
        st = MEND_ERR_SYS;
    else if (!choose_way(s))
        st = MEND_ERR_UNSUPPORTED;
    else if (!open_image(s))
        st = MEND_ERR_SYS;
    if (st) {
        close_all(s);
        return st;
    }
    s->pid = getpid();
    s->go_on = setcontext;
    divide(s);
    *snap_p = s;
    return MEND_OK;
}

void mend_snap_destroy(struct mend_snap *s)
{
    while (s->level)
        mend_snap_commit(s);
    close_all(s);
}

/* --- on the own stack --- */

static void save(unsigned high, unsigned low)
{
    struct mend_snap *s = (struct mend_snap *)((uintptr_t)high << 32 | low);
    struct mend_snap_level *l = s->entering;

    mend_snap_guard_lower(s);
    s->result = mend_snap_look(s);
    if (!s->result)
        s->result = mend_snap_look_at_libraries(s);
    if (!s->result)
        s->result = mend_snap_save(s, l);
    if (!s->result) {
        l->outer = s->level;
        l->tables_end = s->top;
        s->level = l;
        s->depth++;
    }
    s->value = 0;
    mend_snap_guard_raise(s, s->level);
    s->go_on(&l->here);
}

static void restore(unsigned high, unsigned low)
{
    struct mend_snap *s = (struct mend_snap *)((uintptr_t)high << 32 | low);

    mend_snap_guard_lower(s);
    s->result = mend_snap_restore(s);
    mend_snap_guard_raise(s, s->level);
    s->top = s->level->tables_end;
    s->go_on(s->result ? &s->back : &s->level->here);
}

/* Continues with f on the own stack, all signals blocked; returns when something continues *here. */
static void leave(struct mend_snap *s, ucontext_t *here, void (*f)(unsigned, unsigned))
{
    getcontext(&s->worker);
    sigfillset(&s->worker.uc_sigmask);
    s->worker.uc_stack.ss_sp = s->stack;
    s->worker.uc_stack.ss_size = sizeof(s->stack);
    s->worker.uc_link = NULL;
    makecontext(&s->worker, (void (*)(void))f, 2, (unsigned)((uintptr_t)s >> 32),
                (unsigned)(uintptr_t)s);
    mend_snap_calls_let(s, true);
    swapcontext(here, &s->worker);
    mend_snap_calls_let(s, false);
}

/* --- in the program --- */

/* A child shares the pages of the image that it has not changed, so they may not change under it: it gets to keep
 * the image, and the process takes a new one. */
static enum mend_status renew_image(struct mend_snap *s)
{
    if (s->depth)
        return mend_snap_refuse(s, MEND_ERR_UNSUPPORTED,
                                "inside a safe point: there is a child, process ",
                                mend_snap_children(s));
    close(s->image_fd);
    s->shadows_n = 0;
    return open_image(s) ? MEND_OK : mend_snap_refuse(s, MEND_ERR_SYS, "no image", "");
}

static enum mend_status look_at_process(struct mend_snap *s)
{
    enum mend_status st = MEND_OK;
    char *mark = s->top;
    const char *other;

    if (s->pid != getpid())
        return mend_snap_refuse(s, MEND_ERR_UNSUPPORTED, "this is a child of the process", "");
    st = mend_snap_look_at_sanitizers(s);
    if (st)
        return st;
    other = mend_snap_other_thread(s);
    if (other)
        st = mend_snap_refuse(s, MEND_ERR_UNSUPPORTED, "there is another thread, ", other);
    else if (!s->depth && s->image_end > s->image_limit / 2)
        st = renew_image(s);
    else if (s->image_end && mend_snap_shows_image(s) && *mend_snap_children(s))
        st = renew_image(s);
    s->top = mark;
    return st;
}

enum mend_status mend_snap_enter(struct mend_snap *s, int *value_p)
{
    enum mend_status st = look_at_process(s);
    char *mark = s->top;
    struct mend_snap_level *l = mend_snap_take(s, sizeof(*l));

    if (st)
        return st;
    if (l)
        l->print = mend_snap_print(s);
    if (!l || !l->print) {
        s->top = mark;
        return mend_snap_refuse(s, MEND_ERR_MEM, "no room for the tables", "");
    }
    l->mark = mark;
    l->frame = (uintptr_t)__builtin_frame_address(0) - FRAME_BYTES;
    s->entering = l;
    leave(s, &l->here, save); /* returns here again at each roll-back */
    if (s->result)
        s->top = s->entering->mark;
    else
        *value_p = s->value;
    return s->result;
}

enum mend_status mend_snap_roll_back(struct mend_snap *s, int value)
{
    enum mend_status st = MEND_OK;
    char *mark = s->top;
    const char *other;

    if (!s->depth)
        return mend_snap_refuse(s, MEND_ERR_BAD, "there is no safe point", "");
    other = mend_snap_other_thread(s);
    if (s->pid != getpid())
        st = mend_snap_refuse(s, MEND_ERR_UNSUPPORTED, "this is a child of the process", "");
    else if (other)
        st = mend_snap_refuse(s, MEND_ERR_UNSUPPORTED, "there is another thread, ", other);
    s->top = mark;
    if (st)
        return st;
    s->value = value;
    leave(s, &s->back, restore);
    return s->result;
}

void mend_snap_commit(struct mend_snap *s)
{
    mend_snap_drop(s, s->depth);
}

void mend_snap_drop(struct mend_snap *s, unsigned depth)
{
    struct mend_snap_level *l = s->level, *inner = NULL;

    MEND_ASSERT(depth && depth <= s->depth);
    for (unsigned d = s->depth; d > depth; d--) {
        inner = l;
        l = l->outer;
    }
    if (s->setup.way == MEND_SNAP_WAY_FORK)
        mend_snap_child_end(s, l);
    else
        mend_snap_log_merge(s, l, inner);
    mend_snap_level_unlink(s, l, inner);
    s->depth--;
}

enum mend_snap_way mend_snap_way(const struct mend_snap *s)
{
    return s->setup.way;
}

unsigned mend_snap_depth(const struct mend_snap *s)
{
    return s->depth;
}

const char *mend_snap_reason(const struct mend_snap *s)
{
    return s->reason;
}

struct mend_snap_counts mend_snap_counts(const struct mend_snap *s)
{
    return s->counts;
}
