/* SPDX-License-Identifier: BSD-3-Clause */
/* Published names: names of any bytes and length, one publisher per name however many try at once, and nothing of the
 * dead, of other users, or of damaged files is ever found. */
#include "base/test.h"
#include "rt/service.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define LONG_BYTES 10000
#define RIVALS     4
#define ROUNDS     300
#define JOB        11

static char all[] = "/tmp/mend-test-XXXXXX", dir[64], file[128];
static pid_t owner; /* of the directory with all that the tests make; 0: there is none yet */

static void remove_all(void)
{
    char command[64];

    snprintf(command, sizeof(command), "rm -r %s", all);
    if (getpid() == owner && system(command))
        fprintf(stderr, "%s stays\n", all);
}

static void make_all(void)
{
    CHECK(mkdtemp(all));
    owner = getpid();
    CHECK(!atexit(remove_all));
}

/* A directory below a new one, so that only what a test makes is in it. */
static void fresh(void)
{
    static int made_n;

    if (!owner)
        make_all();
    snprintf(dir, sizeof(dir), "%s/%d", all, made_n++);
    CHECK(!mkdir(dir, 0700));
    strcat(dir, "/names");
}

static int publish(const char *name)
{
    return mend_service_publish(dir, JOB, 0, MEND_SERVICE_USER, name, "port");
}

static int look_up(const char *name)
{
    char port[MEND_SERVICE_PORT_MAX];
    int error = mend_service_look_up(dir, MEND_SERVICE_USER, name, port);

    if (!error)
        CHECK_STR(port, "port");
    return error;
}

/* Another process publishes, and has ended when this returns; its status is fetched, or it stays a zombie. */
static void publish_and_die(const char *name, bool fetch)
{
    siginfo_t info;
    pid_t child = fork();

    if (child == 0)
        _exit(publish(name) ? 1 : 0);
    CHECK(!waitid(P_PID, (id_t)child, &info, WEXITED | (fetch ? 0 : WNOWAIT)));
    CHECK_EQ(info.si_status, 0);
}

/* The only file of the directory. */
static void find_file(void)
{
    char command[256];
    FILE *f;

    snprintf(command, sizeof(command), "ls %s", dir);
    f = popen(command, "r");
    CHECK(f && fscanf(f, "%63s", command) == 1 && fgetc(f) == '\n' && fgetc(f) == EOF);
    pclose(f);
    snprintf(file, sizeof(file), "%s/%.40s", dir, command);
}

MEND_TEST(a_name_is_found_until_it_is_withdrawn)
{
    fresh();
    CHECK_EQ(look_up("a"), ENOENT);
    CHECK_EQ(publish("a"), 0);
    CHECK_EQ(look_up("a"), 0);
    CHECK_EQ(look_up("b"), ENOENT);
    CHECK_EQ(publish("a"), EEXIST);
    CHECK_EQ(mend_service_withdraw(dir, 0, MEND_SERVICE_USER, "a", "another port"), ENOENT);
    CHECK_EQ(mend_service_withdraw(dir, 0, MEND_SERVICE_USER, "a", "port"), 0);
    CHECK_EQ(mend_service_withdraw(dir, 0, MEND_SERVICE_USER, "a", "port"), ENOENT);
    CHECK_EQ(look_up("a"), ENOENT);
    CHECK_EQ(publish("a"), 0);
}

MEND_TEST(scopes_are_apart)
{
    char port[MEND_SERVICE_PORT_MAX];

    fresh();
    CHECK_EQ(mend_service_publish(dir, JOB, 0, 7, "a", "of 7"), 0);
    CHECK_EQ(look_up("a"), ENOENT);
    CHECK_EQ(publish("a"), 0);
    CHECK_EQ(mend_service_look_up(dir, 7, "a", port), 0);
    CHECK_STR(port, "of 7");
}

MEND_TEST(names_have_any_bytes_and_length)
{
    static char any[256], longest[LONG_BYTES + 1];

    fresh();
    for (int i = 1; i < 256; i++)
        any[i - 1] = (char)i;
    memset(longest, '/', LONG_BYTES);
    CHECK_EQ(publish(""), 0);
    CHECK_EQ(publish(".."), 0);
    CHECK_EQ(publish(any), 0);
    CHECK_EQ(publish(longest), 0);
    CHECK_EQ(look_up(""), 0);
    CHECK_EQ(look_up(".."), 0);
    CHECK_EQ(look_up(any), 0);
    CHECK_EQ(look_up(longest), 0);
    longest[LONG_BYTES - 1] = '.';
    CHECK_EQ(look_up(longest), ENOENT);
}

MEND_TEST(names_of_the_dead_are_free)
{
    for (int fetch = 0; fetch < 2; fetch++) {
        fresh();
        publish_and_die("a", fetch);
        CHECK_EQ(look_up("a"), ENOENT);
        CHECK_EQ(mend_service_withdraw(dir, 0, MEND_SERVICE_USER, "a", "port"), ENOENT);
        CHECK_EQ(publish("a"), 0);
        CHECK_EQ(look_up("a"), 0);
    }
}

MEND_TEST(damaged_files_are_not_found_and_replaced)
{
    struct stat s;
    char byte;

    fresh();
    CHECK_EQ(publish("a"), 0);
    find_file();
    CHECK(!stat(file, &s));
    for (off_t at = 0; at < s.st_size; at++) {
        int fd = open(file, O_RDWR);

        CHECK(fd >= 0 && pread(fd, &byte, 1, at) == 1);
        byte ^= 0x40;
        CHECK(pwrite(fd, &byte, 1, at) == 1);
        CHECK_EQ(look_up("a"), ENOENT);
        byte ^= 0x40;
        CHECK(pwrite(fd, &byte, 1, at) == 1);
        CHECK_EQ(look_up("a"), 0);
        close(fd);
    }
    for (off_t n = s.st_size + 1; n >= 0; n -= n > s.st_size ? 2 : 1) {
        CHECK(!truncate(file, n));
        CHECK_EQ(look_up("a"), ENOENT);
    }
    CHECK_EQ(publish("a"), 0);
    CHECK_EQ(look_up("a"), 0);
}

/* Files and directories to which others could have written, or that lead elsewhere. */
MEND_TEST(what_is_not_the_users_alone_is_refused)
{
    char other[128];

    fresh();
    CHECK_EQ(publish("a"), 0);
    find_file();
    CHECK(!chmod(file, 0644));
    CHECK_EQ(look_up("a"), EPERM);
    CHECK_EQ(publish("a"), EPERM);
    CHECK(!unlink(file) && !mkfifo(file, 0600));
    CHECK_EQ(look_up("a"), EPERM);
    snprintf(other, sizeof(other), "%s/other", dir);
    CHECK_EQ(publish("b"), 0);
    CHECK(!unlink(file) && !symlink(other, file));
    CHECK_EQ(look_up("a"), EPERM);
    CHECK(!chmod(dir, 0755));
    CHECK_EQ(look_up("b"), EPERM);
    CHECK_EQ(publish("c"), EPERM);
    CHECK(!chmod(dir, 0700));
    CHECK_EQ(look_up("b"), 0);
    if (geteuid() == 0) {
        CHECK(!chown(dir, 1, 1));
        CHECK_EQ(look_up("b"), EPERM);
        CHECK(!chown(dir, 0, 0));
    }
    snprintf(other, sizeof(other), "%s-else", dir);
    CHECK(!rename(dir, other) && !symlink(other, dir));
    CHECK_EQ(look_up("b"), EPERM);
}

MEND_TEST(a_sweep_leaves_what_lives)
{
    int to[2], from[2];
    char c = 0;
    pid_t child;

    fresh();
    CHECK(!pipe(to) && !pipe(from));
    child = fork();
    if (child == 0) {
        if (publish("its") || write(from[1], &c, 1) != 1 || read(to[0], &c, 1) != 1)
            _exit(1);
        _exit(0);
    }
    CHECK(read(from[0], &c, 1) == 1);
    publish_and_die("dead", true);
    CHECK_EQ(publish("mine"), 0);
    mend_service_sweep(dir, 0);
    CHECK_EQ(look_up("mine"), ENOENT);
    CHECK_EQ(look_up("its"), 0);
    find_file();
    mend_service_sweep(dir, JOB + 1);
    CHECK_EQ(look_up("its"), 0);
    mend_service_sweep(dir, JOB);
    CHECK_EQ(look_up("its"), ENOENT);
    CHECK(write(to[1], &c, 1) == 1 && waitpid(child, NULL, 0) == child);
    CHECK(access(dir, F_OK) && errno == ENOENT);
}

/* Processes that die while they hold the name, and rivals for its place: never two at once. */
static int rival(int lock)
{
    struct flock mark = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    for (int i = 0; i < ROUNDS; i++) {
        int error = publish("a");

        if (error == EEXIST || error == EBUSY)
            continue;
        if (error || fcntl(lock, F_SETLK, &mark))
            return 1; /* another one holds the mark, and so the name */
        mark.l_type = F_UNLCK;
        return fcntl(lock, F_SETLK, &mark) ? 1 : 0; /* and dies with the name */
    }
    return 0;
}

MEND_TEST(rivals_never_share_a_name)
{
    int lock;

    fresh();
    snprintf(file, sizeof(file), "%s-lock", dir);
    lock = open(file, O_RDWR | O_CREAT, 0600);
    CHECK(lock >= 0);
    for (int i = 0; i < ROUNDS; i++) {
        int status;

        for (int k = 0; k < RIVALS; k++)
            if (fork() == 0)
                _exit(rival(lock));
        for (int k = 0; k < RIVALS; k++)
            CHECK(wait(&status) > 0 && status == 0);
    }
}

/* It is stopped, or has no processor, just before it removes the directory. */
MEND_TEST(publishing_beside_a_sweep_that_does_not_go_on)
{
    int fd;

    fresh();
    CHECK(!mkdir(dir, 0700));
    fd = open(dir, O_RDONLY | O_DIRECTORY);
    CHECK(fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB));
    CHECK_EQ(publish("a"), 0);
    CHECK(rmdir(dir) && errno == ENOTEMPTY);
    close(fd);
    CHECK_EQ(look_up("a"), 0);
}

static void *sweep_on(void *stop)
{
    while (!__atomic_load_n((bool *)stop, __ATOMIC_RELAXED))
        mend_service_sweep(dir, 0);
    return NULL;
}

/* The directory goes and comes again. */
MEND_TEST(publishing_beside_sweeps)
{
    bool stop = false;
    pthread_t t;

    fresh();
    CHECK(!pthread_create(&t, NULL, sweep_on, &stop));
    for (int i = 0; i < ROUNDS; i++) {
        int error = publish("a");

        CHECK(error == 0 || error == EEXIST);
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    pthread_join(t, NULL);
}

MEND_TEST_MAIN()
