/* SPDX-License-Identifier: BSD-3-Clause */
/* service.c – published names as files (service.h). */
#include "rt/service.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC      UINT64_C(0x4d454e444e414d31) /* "MENDNAM1" */
#define HASH_START UINT64_C(0xcbf29ce484222325)
#define HASH_OTHER UINT64_C(0x9ae16a3b2f90404f)
#define HASH_STEP  UINT64_C(0x100000001b3)
#define FILE_BYTES 40
#define CHUNK      4096
#define TRIES      100
#define EXITING    0x4 /* PF_EXITING of the kernel: a thread that will never run again */
#define NEW        "new-"

/* A process, now and ever. */
struct who {
    uint64_t start; /* of the process, in ticks after the machine's */
    uint64_t space; /* the name space in which the number counts */
    int64_t pid;
};

struct header {
    uint64_t magic;
    uint64_t sum; /* of all that follows */
    struct who by;
    uint64_t job, scope;
    int64_t rank;                    /* for which the process has published it; 0, if for itself */
    uint64_t name_bytes, port_bytes; /* without ends */
};

/* A file that was opened and found whole. */
struct entry {
    int fd;
    struct stat id;
    struct header h;
};

static uint64_t hash(uint64_t h, const void *data, size_t n)
{
    const unsigned char *p = data;

    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * HASH_STEP;
    return h;
}

static void name_file(char file[FILE_BYTES], uint64_t scope, const char *name)
{
    uint64_t a = hash(hash(HASH_START, &scope, sizeof(scope)), name, strlen(name));
    uint64_t b = hash(hash(HASH_OTHER, &scope, sizeof(scope)), name, strlen(name));

    snprintf(file, FILE_BYTES, "%016" PRIx64 "%016" PRIx64, a, b);
}

/* ---- processes ---- */

/* 0: there is none, or it is ending, or has ended and nobody has asked for its status yet. */
static uint64_t start_of(int64_t pid)
{
    char path[64], text[1024], *at, state = 'X';
    unsigned long long start = 0;
    unsigned flags = 0;
    ssize_t n;
    int fd;

    snprintf(path, sizeof(path), "/proc/%lld/stat", (long long)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    at = strrchr(text, ')'); /* the program's name may contain anything */
    if (!at || sscanf(at + 1,
                      " %c %*d %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d "
                      "%*d %llu",
                      &state, &flags, &start) != 3)
        return 0;
    return state == 'Z' || state == 'X' || flags & EXITING ? 0 : start;
}

static uint64_t own_space(void)
{
    struct stat s;

    return stat("/proc/self/ns/pid", &s) ? 0 : (uint64_t)s.st_ino;
}

static struct who own(void)
{
    return (struct who){.start = start_of(getpid()), .space = own_space(), .pid = getpid()};
}

static bool is_own(const struct who *w)
{
    struct who me = own();

    return !memcmp(w, &me, sizeof(me));
}

/* A process of another name space cannot be seen from here, and counts as alive. */
static bool is_alive(const struct who *w)
{
    return w->space != own_space() || (w->start && start_of(w->pid) == w->start);
}

/* ---- the directory ---- */

void mend_service_dir(char dir[MEND_SERVICE_DIR_BYTES])
{
    const char *above = access("/dev/shm", W_OK | X_OK) ? "/tmp" : "/dev/shm";

    snprintf(dir, MEND_SERVICE_DIR_BYTES, "%s/mend-%u", above, (unsigned)geteuid());
}

static bool is_mine(int fd, mode_t kind)
{
    struct stat s;

    return !fstat(fd, &s) && (s.st_mode & S_IFMT) == kind && s.st_uid == geteuid() &&
           !(s.st_mode & 077);
}

/* A process that is about to publish holds the directory, so that no sweep removes it meanwhile.  If a sweep has the lock, it may
 * be stopped, and nobody waits for it: a file in the directory keeps it as well, and the caller tries again if the sweep was
 * faster.  False: the directory has been removed. */
static bool hold_dir(int fd)
{
    struct stat st;

    flock(fd, LOCK_SH | LOCK_NB);
    return !fstat(fd, &st) && st.st_nlink > 0;
}

/* The descriptor of the directory, or -errno.  create: it is made if it is not there, and held until it is closed. */
static int open_dir(const char *dir, bool create)
{
    int fd, error = EPERM;

    if (create && mkdir(dir, 0700) && errno != EEXIST)
        return -errno;
    fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOTDIR || errno == ELOOP || errno == EACCES ? -EPERM : -errno;
    if (is_mine(fd, S_IFDIR)) {
        if (!create || hold_dir(fd))
            return fd;
        error = ENOENT;
    }
    close(fd);
    return -error;
}

/* ---- files ---- */

static bool write_all(int fd, const void *data, size_t n)
{
    const char *p = data;

    while (n) {
        ssize_t k = write(fd, p, n);

        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return false;
        p += k;
        n -= (size_t)k;
    }
    return true;
}

static uint64_t sum_of(const struct header *h)
{
    return hash(HASH_START, &h->by, sizeof(*h) - offsetof(struct header, by));
}

static struct header header_of(uint64_t job, int64_t rank, uint64_t scope, const char *name,
                               const char *port)
{
    struct header h = {.magic = MAGIC,
                       .by = own(),
                       .job = job,
                       .scope = scope,
                       .rank = rank,
                       .name_bytes = strlen(name),
                       .port_bytes = strlen(port)};

    h.sum = hash(hash(sum_of(&h), name, h.name_bytes), port, h.port_bytes);
    return h;
}

/* A file with a name of its own, `file`, which the caller removes.  0 or errno. */
static int write_new(int dir, char file[FILE_BYTES], const struct header *h, const char *name,
                     const char *port)
{
    uint32_t number = 0;
    int fd, error = 0;

    if (getrandom(&number, sizeof(number), GRND_NONBLOCK) < 0)
        number = (uint32_t)(uintptr_t)file;
    snprintf(file, FILE_BYTES, NEW "%d-%u", (int)getpid(), (unsigned)number);
    fd = openat(dir, file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return errno;
    if (fchmod(fd, 0600) || !write_all(fd, h, sizeof(*h)) || !write_all(fd, name, h->name_bytes) ||
        !write_all(fd, port, h->port_bytes))
        error = errno ? errno : EIO;
    close(fd);
    if (error)
        unlinkat(dir, file, 0);
    return error;
}

/* The sum of the bytes of the file behind `from`, -> *h; false: it is shorter. */
static bool sum_rest(int fd, uint64_t from, uint64_t n, uint64_t *h)
{
    char chunk[CHUNK];

    while (n) {
        ssize_t k = pread(fd, chunk, n < CHUNK ? (size_t)n : CHUNK, (off_t)from);

        if (k <= 0)
            return false;
        *h = hash(*h, chunk, (size_t)k);
        from += (uint64_t)k;
        n -= (uint64_t)k;
    }
    return true;
}

static bool is_whole(struct entry *e)
{
    uint64_t bytes = (uint64_t)e->id.st_size - sizeof(e->h), sum;

    if (e->id.st_size < (off_t)sizeof(e->h) ||
        pread(e->fd, &e->h, sizeof(e->h), 0) != (ssize_t)sizeof(e->h) || e->h.magic != MAGIC ||
        e->h.port_bytes >= MEND_SERVICE_PORT_MAX || e->h.port_bytes > bytes ||
        e->h.name_bytes != bytes - e->h.port_bytes)
        return false;
    sum = sum_of(&e->h);
    return sum_rest(e->fd, sizeof(e->h), bytes, &sum) && sum == e->h.sum;
}

/* 0: open, and the caller closes; else errno.  *whole_p: what it contains can be used. */
static int open_entry(int dir, const char *file, struct entry *e, bool *whole_p)
{
    e->fd = openat(dir, file, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (e->fd < 0)
        return errno == ENOENT ? ENOENT : EPERM;
    if (fstat(e->fd, &e->id) || !is_mine(e->fd, S_IFREG)) {
        close(e->fd);
        return EPERM;
    }
    *whole_p = is_whole(e);
    return 0;
}

static bool has_name(const struct entry *e, uint64_t scope, const char *name)
{
    uint64_t at = sizeof(e->h), n = strlen(name);
    char chunk[CHUNK];

    if (e->h.scope != scope || e->h.name_bytes != n)
        return false;
    for (uint64_t i = 0; i < n; i += CHUNK) {
        size_t k = n - i < CHUNK ? (size_t)(n - i) : CHUNK;

        if (pread(e->fd, chunk, k, (off_t)(at + i)) != (ssize_t)k ||
            memcmp(chunk, name + i, k) != 0)
            return false;
    }
    return true;
}

static bool get_port(const struct entry *e, char port[MEND_SERVICE_PORT_MAX])
{
    size_t n = e->h.port_bytes;

    if (pread(e->fd, port, n, (off_t)(sizeof(e->h) + e->h.name_bytes)) != (ssize_t)n)
        return false;
    port[n] = '\0';
    return true;
}

/* Removes the file from its place if it is still there (invariant 2).  False: another process does that now. */
static bool remove_entry(int dir, const char *file, const struct entry *e)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct stat now;

    if (fcntl(e->fd, F_OFD_SETLK, &whole))
        return false;
    if (!fstatat(dir, file, &now, AT_SYMLINK_NOFOLLOW) && now.st_ino == e->id.st_ino &&
        now.st_dev == e->id.st_dev)
        unlinkat(dir, file, 0);
    return true;
}

/* ---- the calls ---- */

/* The place is taken: 0 if it was by a dead process, and is free now, or nearly. */
static int make_room(int dir, const char *file)
{
    bool whole = false;
    struct entry e;
    int error = open_entry(dir, file, &e, &whole);

    if (error)
        return error == ENOENT ? 0 : error;
    if (whole && is_alive(&e.h.by))
        error = EEXIST;
    else
        remove_entry(dir, file, &e);
    close(e.fd);
    return error;
}

static int publish_in(int dir, const struct header *h, const char *name, const char *port)
{
    char file[FILE_BYTES], fresh[FILE_BYTES];
    int error = write_new(dir, fresh, h, name, port);

    if (error)
        return error;
    name_file(file, h->scope, name);
    for (int i = 0; i < TRIES; i++) {
        error = linkat(dir, fresh, dir, file, 0) ? errno : 0;
        if (error != EEXIST)
            break;
        error = make_room(dir, file);
        if (error)
            break;
        error = EBUSY;
    }
    unlinkat(dir, fresh, 0);
    return error;
}

int mend_service_publish(const char *dir, uint64_t job, int64_t rank, uint64_t scope,
                         const char *name, const char *port)
{
    struct header h = header_of(job, rank, scope, name, port);
    int error = ENOENT;

    /* ENOENT: a sweep has removed the directory meanwhile */
    for (int i = 0; error == ENOENT && i < TRIES; i++) {
        int fd = open_dir(dir, true);

        if (fd < 0) {
            error = -fd;
            continue;
        }
        error = publish_in(fd, &h, name, port);
        close(fd);
    }
    return error;
}

int mend_service_look_up(const char *dir, uint64_t scope, const char *name,
                         char port[MEND_SERVICE_PORT_MAX])
{
    int fd = open_dir(dir, false), error;
    bool whole = false;
    char file[FILE_BYTES];
    struct entry e;

    if (fd < 0)
        return -fd;
    name_file(file, scope, name);
    error = open_entry(fd, file, &e, &whole);
    close(fd);
    if (error)
        return error;
    if (!whole || !has_name(&e, scope, name) || !is_alive(&e.h.by) || !get_port(&e, port))
        error = ENOENT;
    close(e.fd);
    return error;
}

int mend_service_withdraw(const char *dir, int64_t rank, uint64_t scope, const char *name,
                          const char *port)
{
    char file[FILE_BYTES], there[MEND_SERVICE_PORT_MAX];
    int fd = open_dir(dir, false), error;
    bool whole = false;
    struct entry e;

    if (fd < 0)
        return -fd;
    name_file(file, scope, name);
    error = open_entry(fd, file, &e, &whole);
    if (!error) {
        if (whole && has_name(&e, scope, name) && is_own(&e.h.by) && e.h.rank == rank &&
            get_port(&e, there) && !strcmp(there, port))
            remove_entry(fd, file, &e);
        else
            error = ENOENT;
        close(e.fd);
    }
    close(fd);
    return error;
}

/* A file that its writer has left before it was in its place. */
static bool is_left(const char *file)
{
    int pid = 0;

    return sscanf(file, NEW "%d-", &pid) == 1 && (pid == getpid() || !start_of(pid));
}

/* What goes: all that is left of processes that are dead, of this one, or of a job; or what this one has published for a rank. */
struct sweep {
    uint64_t job; /* 0: none */
    int64_t rank;
    bool of_rank; /* nothing else */
};

static bool shall_go(const struct sweep *w, const struct entry *e)
{
    if (w->of_rank)
        return is_own(&e->h.by) && e->h.rank == w->rank;
    return is_own(&e->h.by) || !is_alive(&e->h.by) || (w->job && e->h.job == w->job);
}

static void sweep_file(int dir, const char *file, const struct sweep *w)
{
    bool whole = false;
    struct entry e;

    if (!strncmp(file, NEW, strlen(NEW))) {
        if (is_left(file))
            unlinkat(dir, file, 0);
        return;
    }
    if (open_entry(dir, file, &e, &whole))
        return;
    if (!whole || shall_go(w, &e))
        remove_entry(dir, file, &e);
    close(e.fd);
}

static void sweep(const char *dir, const struct sweep *w)
{
    int fd = open_dir(dir, false);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *file;

    if (fd >= 0 && !d)
        close(fd);
    if (!d)
        return;
    while ((file = readdir(d)))
        if (file->d_name[0] != '.')
            sweep_file(dirfd(d), file->d_name, w);
    if (!flock(dirfd(d), LOCK_EX | LOCK_NB)) /* else a process is about to publish */
        rmdir(dir);                          /* succeeds if it is empty */
    closedir(d);
}

void mend_service_sweep(const char *dir, uint64_t job)
{
    sweep(dir, &(struct sweep){.job = job});
}

void mend_service_sweep_rank(const char *dir, int64_t rank)
{
    sweep(dir, &(struct sweep){.rank = rank, .of_rank = true});
}
