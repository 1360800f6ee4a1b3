/* SPDX-License-Identifier: BSD-3-Clause */
/* library.c – mappings that tell of what a roll-back would tear apart: libraries with threads, devices or connections
 * of their own, memory that a device or the kernel writes to.  They are refused by name. */
#include "snap/own.h"

enum harm {
    HARM_ALWAYS,
    HARM_IMAGE,   /* to ways drop and copy back: what madvise() drops is not zero there */
    HARM_PROTECT, /* to way protect: the kernel writes to memory later than in the call */
};

/* The beginning of the last part of the path, or, with a '/', of the path. */
static const struct {
    const char *name;
    enum harm harm;
} names[] = {
    {"libucp.so", HARM_ALWAYS},       {"libuct.so", HARM_ALWAYS},
    {"libpmix.so", HARM_ALWAYS},      {"libfabric.so", HARM_ALWAYS},
    {"libibverbs.so", HARM_ALWAYS},   {"libpsm2.so", HARM_ALWAYS},
    {"libcuda.so", HARM_ALWAYS},      {"libhsa-runtime64.so", HARM_ALWAYS},
    {"libze_loader.so", HARM_ALWAYS}, {"libOpenCL.so", HARM_ALWAYS},
    {"/dev/nvidia", HARM_ALWAYS},     {"/dev/dri", HARM_ALWAYS},
    {"/dev/kfd", HARM_ALWAYS},        {"/dev/infiniband", HARM_ALWAYS},
    {"/dev/mem", HARM_ALWAYS},        {"libjemalloc.so", HARM_IMAGE},
    {"libtcmalloc", HARM_IMAGE},      {"libmimalloc", HARM_IMAGE},
    {"/[aio]", HARM_PROTECT},         {"anon_inode:[io_uring]", HARM_PROTECT},
};

static bool begins(const char *text, const char *with)
{
    while (*with && *text == *with) {
        text++;
        with++;
    }
    return !*with;
}

static const char *last_part(const char *path)
{
    const char *part = path;

    for (; *path && *path != '\n'; path++)
        if (*path == '/')
            part = path + 1;
    return part;
}

static bool does_harm(const struct mend_snap *s, enum harm harm)
{
    return harm == HARM_ALWAYS || (harm == HARM_IMAGE && mend_snap_shows_image(s)) ||
           (harm == HARM_PROTECT && s->setup.way == MEND_SNAP_WAY_PROTECT);
}

/* What they note about the memory is memory, too, and more than can be recorded.  The thread sanitizer has a thread
 * of its own, which is reason enough. */
extern void __asan_init(void) __attribute__((weak));
extern void __msan_init(void) __attribute__((weak));

enum mend_status mend_snap_look_at_sanitizers(struct mend_snap *s)
{
    return __asan_init || __msan_init
               ? mend_snap_refuse(s, MEND_ERR_UNSUPPORTED, "a sanitizer is in the process", "")
               : MEND_OK;
}

enum mend_status mend_snap_look_at_libraries(struct mend_snap *s)
{
    for (size_t i = 0; i < s->maps_n; i++) {
        const char *path = s->maps[i].name, *part = last_part(path);

        for (size_t k = 0; *path != '\n' && k < MEND_COUNT_OF(names); k++)
            if (does_harm(s, names[k].harm) &&
                (begins(part, names[k].name) || begins(path, names[k].name)))
                return mend_snap_refuse(s, MEND_ERR_UNSUPPORTED,
                                        "what cannot be rolled back is in the process: ", path);
    }
    return MEND_OK;
}
