/* SPDX-License-Identifier: BSD-3-Clause */
/* spawn.c – writing and checking the file of spawn.h.
 *
 * A block is its head, then words: command, working directory, path, soft, error handler, host, arguments.  A word is a byte that says
 * whether there is one, its characters, and '\0'. */
#include "rt/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORDS_FIXED 6 /* before the arguments */

struct block_head {
    int32_t asked_n;
    uint32_t words_n;
    int32_t again;
    struct mend_seat seat;
};

/* ---- writing ---- */

static size_t word_bytes(const char *word)
{
    return 2 + (word ? strlen(word) : 0);
}

static const char *word_of(const struct mend_spawn_block *b, unsigned k)
{
    const char *const fixed[WORDS_FIXED] = {b->command, b->wdir,       b->path,
                                            b->soft,    b->errhandler, b->host};

    return k < WORDS_FIXED ? fixed[k] : b->args[k - WORDS_FIXED];
}

static unsigned words_of(const struct mend_spawn_block *b)
{
    unsigned n = 0;

    while (b->args && b->args[n])
        n++;
    return WORDS_FIXED + n;
}

static uint64_t begin_of_blocks(uint64_t asked_n)
{
    return sizeof(struct mend_spawn_header) + asked_n * sizeof(int32_t);
}

/* UINT64_MAX: too long. */
static uint64_t bytes_of(const struct mend_spawn_block *blocks, int n, uint64_t *asked_p)
{
    uint64_t bytes = 0;

    *asked_p = 0;
    for (int i = 0; i < n; i++) {
        bytes += sizeof(struct block_head);
        *asked_p += (uint64_t)blocks[i].asked_n;
        for (unsigned k = 0; k < words_of(&blocks[i]); k++)
            bytes += word_bytes(word_of(&blocks[i], k));
    }
    bytes += begin_of_blocks(*asked_p);
    return bytes <= MEND_SPAWN_BYTES_MAX && n <= MEND_SPAWN_SPEC_MAX ? bytes : UINT64_MAX;
}

static char *write_block(char *at, const struct mend_spawn_block *b)
{
    struct block_head head = {b->asked_n, words_of(b), b->again, b->seat};

    memcpy(at, &head, sizeof(head));
    at += sizeof(head);
    for (unsigned k = 0; k < head.words_n; k++) {
        const char *word = word_of(b, k);

        *at++ = word != NULL;
        strcpy(at, word ? word : "");
        at += strlen(at) + 1;
    }
    return at;
}

static int make_file(uint64_t bytes, struct mend_spawn_file *f)
{
    int error, fd = memfd_create("mend-spawn", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd < 0)
        return -1;
    if (ftruncate(fd, (off_t)bytes) == 0 && fallocate(fd, 0, 0, (off_t)bytes) == 0 &&
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) {
        *f = (struct mend_spawn_file){mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0),
                                      bytes};
        if (f->h != MAP_FAILED)
            return fd;
    }
    error = errno;
    close(fd);
    errno = error;
    return -1;
}

int mend_spawn_write(const struct mend_spawn_block *blocks, int n, int32_t root, uint64_t number,
                     struct mend_spawn_file *f)
{
    uint64_t asked_n, bytes = bytes_of(blocks, n, &asked_n);
    struct mend_spawn_header *h;
    char *at;
    int fd;

    if (bytes == UINT64_MAX) {
        errno = E2BIG;
        return -1;
    }
    fd = make_file(bytes, f);
    if (fd < 0)
        return -1;
    h = f->h;
    h->magic = MEND_SPAWN_MAGIC;
    h->asked_n = (uint32_t)asked_n;
    h->blocks_n = (uint32_t)n;
    h->root = root;
    h->number = number;
    at = (char *)h + begin_of_blocks(asked_n);
    for (int i = 0; i < n; i++)
        at = write_block(at, &blocks[i]);
    return fd;
}

int mend_spawn_copy(const void *bytes, size_t len, struct mend_spawn_file *f)
{
    int fd = len < sizeof(*f->h) || len > MEND_SPAWN_BYTES_MAX ? -1 : make_file(len, f);

    if (fd >= 0)
        memcpy(f->h, bytes, len);
    return fd;
}

/* ---- mapping ---- */

bool mend_spawn_map(struct mend_spawn_file *f, int fd, bool writable)
{
    int seals = fcntl(fd, F_GET_SEALS);
    struct stat st;

    if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(fd, &st) != 0 ||
        st.st_size < (off_t)sizeof(*f->h) || st.st_size > (off_t)MEND_SPAWN_BYTES_MAX)
        return false;
    f->bytes = (size_t)st.st_size;
    f->h = mmap(NULL, f->bytes, PROT_READ | (writable ? PROT_WRITE : 0), MAP_SHARED, fd, 0);
    if (f->h == MAP_FAILED)
        return false;
    if (f->h->magic == MEND_SPAWN_MAGIC)
        return true;
    mend_spawn_unmap(f);
    return false;
}

void mend_spawn_unmap(struct mend_spawn_file *f)
{
    munmap(f->h, f->bytes);
}

/* ---- reading ---- */

/* What is still to be read of a private copy. */
struct rest {
    char *at, *end;
};

static bool read_word(struct rest *r, const char **word_p)
{
    char *end = r->end - r->at > 1 ? memchr(r->at + 1, '\0', (size_t)(r->end - r->at - 1)) : NULL;

    if (!end)
        return false;
    *word_p = *r->at ? r->at + 1 : NULL;
    r->at = end + 1;
    return true;
}

/* args: room for the words of all blocks, and a NULL for each. */
static bool read_block(struct rest *r, struct mend_spawn_block *b, const char ***args)
{
    const char **fixed[WORDS_FIXED] = {&b->command, &b->wdir,       &b->path,
                                       &b->soft,    &b->errhandler, &b->host};
    struct block_head head;

    if (r->end - r->at < (ptrdiff_t)sizeof(head))
        return false;
    memcpy(&head, r->at, sizeof(head));
    r->at += sizeof(head);
    if (head.asked_n < 0 || head.words_n < WORDS_FIXED ||
        (head.again &&
         (head.again != 1 || head.asked_n != 1 || head.seat.dead < 0 || head.seat.rank < 0)))
        return false;
    b->asked_n = head.asked_n;
    b->again = head.again;
    b->seat = head.seat;
    for (unsigned k = 0; k < WORDS_FIXED; k++)
        if (!read_word(r, fixed[k]))
            return false;
    b->args = (char *const *)*args;
    for (unsigned k = WORDS_FIXED; k < head.words_n; k++, ++*args)
        if (!read_word(r, *args) || !**args)
            return false;
    *(*args)++ = NULL;
    return b->again || b->command;
}

int mend_spawn_read(const struct mend_spawn_file *f, struct mend_spawn_block **blocks_p,
                    uint32_t *asked_p)
{
    uint32_t n = f->h->blocks_n, asked_n = f->h->asked_n;
    uint64_t begin = begin_of_blocks(asked_n), len, sum = 0;
    struct mend_spawn_block *blocks;
    const char **args;
    struct rest r;

    if (n > MEND_SPAWN_SPEC_MAX || begin > f->bytes)
        return -1;
    len = f->bytes - begin;
    /* a word takes at least two bytes, so there are fewer pointers than bytes */
    blocks = malloc(n * sizeof(*blocks) + (len + n) * sizeof(*args) + len);
    if (!blocks)
        return -1;
    args = (const char **)(blocks + n);
    r.at = (char *)(args + len + n);
    r.end = r.at + len;
    memcpy(r.at, (const char *)f->h + begin, len);
    for (uint32_t i = 0; i < n; i++) {
        if (!read_block(&r, &blocks[i], &args)) {
            free(blocks);
            return -1;
        }
        sum += (uint64_t)blocks[i].asked_n;
    }
    *blocks_p = blocks;
    *asked_p = asked_n;
    if (sum == asked_n && r.at == r.end)
        return (int)n;
    free(blocks);
    return -1;
}

struct mend_seat *mend_spawn_seats(const struct mend_spawn_file *f, uint32_t asked_n)
{
    struct mend_spawn_block *blocks;
    struct mend_seat *seats;
    uint32_t seen_n;
    int n = mend_spawn_read(f, &blocks, &seen_n);
    bool again = n > 0 && seen_n == asked_n && (uint32_t)n == asked_n;

    if (n < 0)
        return NULL;
    seats = malloc((size_t)n * sizeof(*seats) + 1);
    for (int i = 0; seats && i < n; i++) {
        again &= blocks[i].again;
        seats[i] = blocks[i].seat;
    }
    free(blocks);
    if (again)
        return seats;
    free(seats);
    return NULL;
}

/* ---- how many would do ---- */

static bool read_number(const char **text, int *n_p)
{
    char *end;
    long v;

    errno = 0;
    v = strtol(*text, &end, 10);
    if (end == *text || errno || v < INT_MIN || v > INT_MAX)
        return false;
    *text = end;
    *n_p = (int)v;
    return true;
}

/* The largest of a, a + c, ... up to b that is at most `most`; INT64_MIN: none. */
static int64_t largest(int64_t a, int64_t b, int64_t c, int64_t most)
{
    if (c > 0) {
        int64_t end = b < most ? b : most;

        return end < a ? INT64_MIN : a + (end - a) / c * c;
    }
    if (a > most)
        a -= (a - most - c - 1) / -c * -c;
    return a < b ? INT64_MIN : a;
}

/* "a", "a:b" or "a:b:c". */
static bool read_triplet(const char **text, int most, int64_t *best)
{
    int a, b, c = 1;
    int64_t v;

    if (!read_number(text, &a))
        return false;
    b = a;
    if (**text == ':' && (++*text, !read_number(text, &b)))
        return false;
    if (**text == ':' && (++*text, !read_number(text, &c)))
        return false;
    if (c == 0)
        return false;
    v = largest(a, b, c, most);
    *best = v > *best ? v : *best;
    return true;
}

int mend_spawn_soft(const char *soft, int most)
{
    int64_t best = -1;

    while (read_triplet(&soft, most, &best)) {
        if (!*soft)
            return (int)best;
        if (*soft++ != ',')
            return -1;
    }
    return -1;
}

bool mend_spawn_is_arch(const char *arch, const char *machine)
{
    static const char *const also[][2] = {
        {"amd64", "x86_64"}, {"x86-64", "x86_64"}, {"arm64", "aarch64"}};
    bool is = !strcasecmp(arch, machine);

    for (unsigned k = 0; k < MEND_COUNT_OF(also); k++)
        is |= !strcasecmp(arch, also[k][0]) && !strcmp(machine, also[k][1]);
    return is;
}
