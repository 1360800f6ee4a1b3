/* SPDX-License-Identifier: BSD-3-Clause */
/* What cannot be started: the class at all, the reason at the root, nothing left behind; and the same communicator
 * starts processes afterwards. */
/* RUN: -n 1 --universe 5 */
/* RUN: -n 3 --universe 7 */
/* RUN: -n 2 ; args half */
/* RUN: alone ; args alone */
#include "common.h"

#include <dirent.h>
#include <unistd.h>

static int spawn(char *command, int n, MPI_Info info, int *codes)
{
    char *argv[] = {"child", NULL};
    MPI_Comm inter = MPI_COMM_NULL;
    int err = MPI_Comm_spawn(command, argv, n, info, 0, MPI_COMM_WORLD, &inter, codes);

    if (!err)
        CHECK_OK(MPI_Comm_disconnect(&inter));
    return err;
}

/* All get the class, and the root a reason with these words in it. */
static void refuse(char *command, int n, MPI_Info info, const char *words)
{
    int codes[64], len;
    char text[MPI_MAX_ERROR_STRING];
    int err;

    memset(codes, -1, sizeof(codes));
    err = spawn(command, n, info, codes);
    for (int i = 0; i < n; i++)
        CHECK_EQ(codes[i], MPI_ERR_SPAWN); /* nothing was started, at all */
    CHECK_CLASS(err, MPI_ERR_SPAWN);
    CHECK_OK(MPI_Error_string(err, text, &len));
    snprintf(doing, sizeof(doing), "'%s'", text);
    CHECK(rank != 0 || strstr(text, words));
}

/* It starts n of at most maxprocs; fewer are not among the numbers, so it waits until those before have left. */
static void soft(char *program, const char *numbers, int maxprocs, int n)
{
    MPI_Info info = hint("soft", numbers);
    int got, codes[64];
    MPI_Comm inter;

    CHECK_OK(MPI_Comm_spawn(program, (char *[]){"child", NULL}, maxprocs, info, 0, MPI_COMM_WORLD,
                            &inter, codes));
    for (int i = 0; i < maxprocs; i++)
        CHECK_EQ(codes[i], i < n ? MPI_SUCCESS : MPI_ERR_SPAWN);
    CHECK_OK(MPI_Comm_remote_size(inter, &got));
    CHECK_EQ(got, n);
    CHECK_OK(MPI_Comm_disconnect(&inter));
    CHECK_OK(MPI_Info_free(&info));
}

static void invalid(char *program, const char *key, const char *value)
{
    MPI_Info info = hint(key, value);

    CHECK_CLASS(spawn(program, 1, info, MPI_ERRCODES_IGNORE), MPI_ERR_INFO_VALUE);
    CHECK_OK(MPI_Info_free(&info));
}

static void hints(char *program)
{
    static const struct {
        const char *key, *value, *words;
    } bad[] = {{"host", "elsewhere.example", "elsewhere.example"},
               {"soft", "9:10", "room for 4"},
               {"wdir", "/nowhere", "cannot be started"},
               {"arch", "pdp11", "arch 'pdp11'"},
               {"file", "more.txt", "'more.txt'"},
               {"soft", "100", "soft '100'"}};
    for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        MPI_Info b = hint(bad[i].key, bad[i].value);

        refuse(i == 2 ? program : "not-a-program", i < 2 ? 40 : 1, b, bad[i].words);
        CHECK_OK(MPI_Info_free(&b));
    }
    refuse("/", 1, MPI_INFO_NULL, "directory");
    soft(program, "1:40", 40, 4);
    soft(program, "2:40:2", 3, 2);
    soft(program, "3:40:2,-7,100", 4, 3);
    invalid(program, "wdir", "");
    invalid(program, "soft", "");
    invalid(program, "soft", "many");
    invalid(program, "mpi_initial_errhandler", "mine");
}

/* This machine, by whichever of its names; of the two keys `host` counts. */
static void hosts(char *program)
{
    char own[MPI_MAX_PROCESSOR_NAME], words[MPI_MAX_PROCESSOR_NAME + 64];
    const char *good[] = {"localhost", own, "127.0.0.1", "node:0", "localhost,localhost:2"};
    MPI_Info both = hint("host", "localhost"),
             other = hint("hosts", "elsewhere.example, localhost");
    int len;

    CHECK_OK(MPI_Get_processor_name(own, &len));
    for (unsigned i = 0; i < sizeof(good) / sizeof(*good); i++) {
        MPI_Info info = hint("host", good[i]);

        CHECK_OK(spawn(program, 1, info, MPI_ERRCODES_IGNORE));
        CHECK_OK(MPI_Info_free(&info));
    }
    snprintf(words, sizeof(words), "host 'elsewhere.example' is not in this job, which runs on %s",
             own);
    refuse(program, 1, other, words);
    CHECK_OK(MPI_Info_set(both, "hosts", "elsewhere.example"));
    CHECK_OK(spawn(program, 1, both, MPI_ERRCODES_IGNORE));
    CHECK_OK(MPI_Info_free(&both));
    CHECK_OK(MPI_Info_free(&other));
    invalid(program, "host", "");
    invalid(program, "hosts", ", ");
}

/* A file of the root's, unless a host is named. */
static void hostfile(char *program)
{
    static const char name[] = "hosts.txt";
    MPI_Info info = hint("hostfile", name);
    FILE *f;

    if (rank == 0) {
        f = fopen(name, "w");
        CHECK(f && fputs("# all\nlocalhost slots=2\n", f) >= 0 && fclose(f) == 0);
    }
    CHECK_OK(spawn(program, 1, info, MPI_ERRCODES_IGNORE));
    if (rank == 0) {
        f = fopen(name, "a");
        CHECK(f && fputs("elsewhere.example\n", f) >= 0 && fclose(f) == 0);
    }
    refuse(program, 1, info, "host 'elsewhere.example' is not in this job");
    CHECK_OK(MPI_Info_set(info, "host", "localhost"));
    CHECK_OK(spawn(program, 1, info, MPI_ERRCODES_IGNORE));
    CHECK_OK(MPI_Info_free(&info));
    invalid(program, "hostfile", "nowhere.txt");
    invalid(program, "hostfile", "/");
}

static void arguments(char *program)
{
    MPI_Comm inter, copy;

    CHECK_CLASS(spawn(NULL, 1, MPI_INFO_NULL, MPI_ERRCODES_IGNORE), MPI_ERR_ARG);
    CHECK_CLASS(spawn(program, -1, MPI_INFO_NULL, MPI_ERRCODES_IGNORE), MPI_ERR_ARG);
    CHECK_CLASS(spawn(program, 0, MPI_INFO_NULL, MPI_ERRCODES_IGNORE), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, size, MPI_COMM_WORLD,
                               &inter, MPI_ERRCODES_IGNORE),
                MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_NULL, &inter,
                               MPI_ERRCODES_IGNORE),
                MPI_ERR_COMM);
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    CHECK_CLASS(
        MPI_Comm_spawn_multiple(0, NULL, NULL, NULL, NULL, 0, copy, &inter, MPI_ERRCODES_IGNORE),
        MPI_ERR_ARG);
    CHECK_OK(MPI_Comm_free(&copy));
}

static int count_fds(void)
{
    char path[64];
    DIR *dir;
    int n = 0;

    snprintf(path, sizeof(path), "/proc/%d/fd", (int)getppid());
    dir = opendir(path);
    for (; dir && readdir(dir); n++)
        ;
    closedir(dir);
    return n;
}

/* A start that fails behind mpiexec's looking for the program, more often than there is room: nothing of it stays. */
static void again_and_again(char *program)
{
    MPI_Info info = hint("wdir", "/nowhere");
    int before = 0;

    for (int i = 0; i < 100; i++) {
        refuse(program, 1 + i % 4, info, "in '/nowhere': No such file");
        before = i == 10 ? count_fds() : before;
    }
    CHECK(count_fds() <=
          before + 10); /* mpiexec is closing some of the last one; ninety would be left */
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD)); /* the next request starts processes */
    CHECK_OK(MPI_Info_free(&info));
}

/* The second of two commands cannot be started: the processes of the first end in their MPI_Init, and no death of theirs
 * counts. */
static void half_started(char *program)
{
    char *commands[] = {program, program};
    const int n[] = {2, 1};
    MPI_Info infos[] = {MPI_INFO_NULL, hint("wdir", "/nowhere")};
    MPI_Comm inter;
    int codes[3];

    CHECK_CLASS(MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, n, infos, 0, MPI_COMM_WORLD,
                                        &inter, codes),
                MPI_ERR_SPAWN);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(codes[i], MPI_ERR_SPAWN);
    CHECK_OK(MPI_Info_free(&infos[1]));
    CHECK_OK(spawn(program, 2, MPI_INFO_NULL, codes));
}

/* The codes of each command are its own. */
static void soft_of_two(char *program)
{
    MPI_Info infos[] = {hint("soft", "1"), hint("soft", "1,5")};
    static const int right[] = {MPI_SUCCESS, MPI_ERR_SPAWN, MPI_SUCCESS, MPI_ERR_SPAWN,
                                MPI_ERR_SPAWN};
    int codes[] = {-1, -1, -1, -1, -1};
    MPI_Comm inter;

    CHECK_OK(MPI_Comm_spawn_multiple(2, (char *[]){program, program}, MPI_ARGVS_NULL, (int[]){2, 3},
                                     infos, 0, MPI_COMM_WORLD, &inter, codes));
    CHECK(!memcmp(codes, right, sizeof(codes)));
    CHECK_OK(MPI_Comm_disconnect(&inter));
    CHECK_OK(MPI_Info_free(&infos[0]));
    CHECK_OK(MPI_Info_free(&infos[1]));
}

/* No process could come to a port. */
static void ports(void)
{
    char port[MPI_MAX_PORT_NAME], text[MPI_MAX_ERROR_STRING];
    MPI_Comm inter;
    int len, err = MPI_Open_port(MPI_INFO_NULL, port);

    CHECK_CLASS(err, MPI_ERR_PORT);
    CHECK_OK(MPI_Error_string(err, text, &len));
    CHECK(strstr(text, "start the program with mpiexec"));
    for (int i = 0; i < 2; i++) {
        err = (i ? MPI_Comm_accept : MPI_Comm_connect)("mend:00000000000000aa:0:1", MPI_INFO_NULL,
                                                       0, MPI_COMM_SELF, &inter);
        CHECK_CLASS(err, MPI_ERR_PORT);
        CHECK_OK(MPI_Error_string(err, text, &len));
        CHECK(strstr(text, "start the program with mpiexec"));
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (parent() != MPI_COMM_NULL) {
        MPI_Comm p = parent();

        CHECK_OK(MPI_Comm_disconnect(&p));
        return finish();
    }
    if (argc > 1 && !strcmp(argv[1], "half")) {
        half_started(argv[0]);
        return finish();
    }
    if (argc > 1) {
        refuse(argv[0], 1, MPI_INFO_NULL, "mpiexec");
        ports();
        return finish();
    }
    arguments(argv[0]);
    refuse("/nonexistent", 2, MPI_INFO_NULL, "No such file");
    refuse("/etc/passwd", 2, MPI_INFO_NULL, "Permission denied");
    refuse(argv[0], 5, MPI_INFO_NULL, "room for 4");
    again_and_again(argv[0]);
    hints(argv[0]);
    hosts(argv[0]);
    hostfile(argv[0]);
    soft_of_two(argv[0]);
    CHECK_OK(
        spawn(argv[0], 4, MPI_INFO_NULL, MPI_ERRCODES_IGNORE)); /* those of hints() have left */
    return finish();
}
