/* SPDX-License-Identifier: BSD-3-Clause */
/* mend-info.c – what this Mend is and can do: version, ABI, parameters, events, functions.
 *
 * Every answer comes from the table that the library itself is built from, so it cannot differ:
 *
 *     param.def         parameters           MEND_<NAME>, mpiexec --set NAME=VALUE
 *     event.def         events               mpiexec --inject kill:RANK@EVENT
 *     lines.def         lines of the report  mpiexec --report FILE
 *     hint.def          hints of files       MPI_Info of MPI_File_open
 *     choice.def        collectives          which algorithm when
 *
 * Does not start MPI.  Exit status: 0, or 2 for a wrong option. */
#include "mpi.h"

#include "base/event.h"
#include "base/guess.h"
#include "base/param.h"
#include "coll/choose_limits.h"
#include "node/build_id.h"

#include <errno.h>
#ifdef MEND_HAVE_LIBURING
#include <linux/io_uring.h>
#endif
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Functions of MPI-5.0, counted without their PMPI_ twins.  All are built: tools/check-symbols. */
#define STANDARD_FUNCTIONS 664
#define TEXT_WIDTH         72

struct name_and_text {
    const char *name, *text;
};

static const struct name_and_text events[] = {
#define MEND_EVENT_DEF(sym_, name_, what_) {name_, what_},
#include "base/event.def"
#undef MEND_EVENT_DEF
};

static const struct {
    const char *collective, *name, *text;
} choices[] = {
#define DIGITS(number_)                        #number_
#define SPELLED(number_)                       DIGITS(number_)
#define KIB(name_)                             SPELLED(MEND_KIB_##name_) " KiB"
#define MEND_CHOICE(collective_, name_, when_) {collective_, name_, when_},
#include "coll/choice.def"
#undef MEND_CHOICE
};

static const struct line_part {
    const char *name, *type, *text; /* type: NULL for a line, else for a member of the line above */
} report_lines[] = {
#define MEND_RANK(what_)                {"rank", "number", what_},
#define MEND_NUMBER(name_, what_)       {#name_, "number", what_},
#define MEND_COUNT(name_, what_)        {#name_, "number", what_},
#define MEND_WORDS(name_, what_)        {#name_, "text", what_},
#define MEND_TRUTH(name_, what_)        {#name_, "truth", what_},
#define MEND_LINE(name_, what_, parts_) {#name_, NULL, what_}, parts_
#include "base/lines.def"
#undef MEND_RANK
#undef MEND_NUMBER
#undef MEND_COUNT
#undef MEND_WORDS
#undef MEND_TRUTH
#undef MEND_LINE
};

static const struct {
    const char *name, *first, *text;
} hints[] = {
#define NUMBER(first_) #first_
#define AUTOMATIC      automatic
#define CHOICE(first_) NUMBER(first_)
#define TRUTH(first_)  ((first_) ? "true" : "false")
#define MEND_HINT_DEF(sym_, name_, kind_, first_, least_, most_, same_, what_)                     \
    {#name_, kind_(first_), what_},
#include "io/hint.def"
#undef MEND_HINT_DEF
#undef NUMBER
#undef AUTOMATIC
#undef CHOICE
#undef TRUTH
};

#define ROW(name_, what_) {#name_, what_},
static const struct name_and_text transports[] = {
#define MEND_NET_DEF ROW
#include "net/net.def"
#undef MEND_NET_DEF
};

static const struct name_and_text runtimes[] = {
#define MEND_RT_DEF ROW
#include "rt/rt.def"
#undef MEND_RT_DEF
};
#undef ROW

/* In lines of at most TEXT_WIDTH, each below the first. */
static void print_wrapped(const char *text)
{
    while (strlen(text) > TEXT_WIDTH) {
        int n = TEXT_WIDTH;

        while (n > 1 && text[n] != ' ')
            n--;
        printf("%.*s\n%27s", n, text, "");
        text += n + 1;
    }
    puts(text);
}

static void print_table(const char *title, const struct name_and_text *rows, size_t n)
{
    printf("%s\n", title);
    for (size_t i = 0; i < n; i++) {
        printf("  %-24s ", rows[i].name);
        print_wrapped(rows[i].text);
    }
}

static void print_version(void)
{
    printf("Mend %s\n", MEND_VERSION);
}

static void print_abi(void)
{
    printf("MPI standard             %d.%d\n", MPI_VERSION, MPI_SUBVERSION);
    printf("ABI                      %d.%d (libmpi_abi.so.1)\n", MPI_ABI_VERSION,
           MPI_ABI_SUBVERSION);
    printf("fault tolerance          always on (MPI_FT, MPIX_FT)\n");
    printf("build                    %016llx (what library and mpiexec must have in common)\n",
           (unsigned long long)MEND_BUILD_ID);
    printf("compiler                 %s\n", __VERSION__);
    printf("cores                    %ld\n", sysconf(_SC_NPROCESSORS_ONLN));
}

/* Reads a word of the process; 0 or an error number. */
static int read_from(pid_t pid)
{
    static const int word = 1;
    int copy;
    struct iovec here = {&copy, sizeof(copy)}, there = {(void *)&word, sizeof(word)};

    return process_vm_readv(pid, &here, 1, &there, 1, 0) == sizeof(copy) ? 0 : errno;
}

/* Lets one child read the memory of another, as ranks do; 0 or an error number. */
static int try_single_copy(void)
{
    pid_t read_pid = fork(), reader_pid;
    int status = EAGAIN << 8;

    if (read_pid == 0) {
        pause();
        _exit(0);
    }
    reader_pid = read_pid < 0 ? -1 : fork();
    if (reader_pid == 0)
        _exit(read_from(read_pid));
    if (reader_pid > 0)
        waitpid(reader_pid, &status, 0);
    if (read_pid > 0) {
        kill(read_pid, SIGKILL);
        waitpid(read_pid, NULL, 0);
    }
    return WEXITSTATUS(status);
}

/* NULL: nonblocking accesses to files may be the kernel's work. */
static const char *without_uring(void)
{
#ifdef MEND_HAVE_LIBURING
    struct io_uring_params params = {0};
    long fd = syscall(SYS_io_uring_setup, 1, &params);

    if (fd < 0)
        return strerror(errno);
    close((int)fd);
    return NULL;
#else
    return "built without liburing";
#endif
}

static void print_transports(void)
{
    int refused = try_single_copy();
    const char *no_uring = without_uring();

    print_table("Transports", transports, MEND_COUNT_OF(transports));
    print_table("Runtimes, in the order in which they are tried", runtimes,
                MEND_COUNT_OF(runtimes));
    printf("Single copy of large messages (process_vm_readv)\n  %s%s\n",
           refused ? "not used: " : "permitted here; each job finds out whether it is faster",
           refused ? strerror(refused) : "");
    printf("Nonblocking access to files by the kernel (io_uring)\n  %s%s\n",
           no_uring ? "not used: " : "permitted here; the parameter FILE_ASYNC says when",
           no_uring ? no_uring : "");
}

static const char *value_of(const struct mend_param_info *p)
{
    char variable[64];

    snprintf(variable, sizeof(variable), "MEND_%s", p->name);
    return getenv(variable);
}

static void print_params(void)
{
    printf("Parameters (environment MEND_<NAME>, or mpiexec --set NAME=VALUE)\n");
    for (unsigned i = 0; i < mend_param_list_n; i++) {
        const struct mend_param_info *p = &mend_param_list[i];
        const char *value = value_of(p);
        char wants[MEND_PARAM_WANTS_BYTES];

        mend_param_wants(p, wants, sizeof(wants));
        printf("  %-18s %-20.*s %s%s%s%s%s%s\n", p->name, (int)strcspn(p->default_text, " "),
               p->default_text, p->what, *p->allowed ? "; " : "", *p->allowed ? wants : "",
               value ? "; set here to " : "", value ? value : "",
               value && !mend_param_takes(p, value) ? ", which is not allowed" : "");
    }
}

/* What src/rma/win.h says, for this machine and environment. */
static void print_windows(void)
{
    static const char target[] = "the target, in its next MPI call";
    static const char origin[] =
        "the origin, by loads and stores; the target's program is not needed";
    const char *on = getenv("MEND_RMA_SHM");
    bool shared = !on || strcmp(on, "0") != 0;
    const struct name_and_text rows[] = {
        {"allocated, shared", shared ? origin : target},
        {"created, Alloc_mem", shared ? origin : target},
        {"created, other memory",
         !shared || try_single_copy()
             ? target
             : "put and get in one piece of more than 4 MiB: the origin, by single copy; of more "
               "than 1 KiB: whichever is faster; else the target, in its next MPI call"},
        {"dynamic", target},
    };

    print_table(shared ? "Windows: which process carries out operations"
                       : "Windows: which process carries out operations, with MEND_RMA_SHM=0",
                rows, MEND_COUNT_OF(rows));
}

static void print_events(void)
{
    print_table("Events (mpiexec --inject kill:RANK@EVENT[#N]), and when each of them happens",
                events, MEND_COUNT_OF(events));
}

static void print_hints(void)
{
    printf("Hints of files (MPI_Info of MPI_File_open, set_view, set_info), and what holds without "
           "them\n");
    for (size_t i = 0; i < MEND_COUNT_OF(hints); i++) {
        printf("  %-19s %-9s ", hints[i].name, hints[i].first);
        print_wrapped(hints[i].text);
    }
}

static void print_collectives(void)
{
    printf(
        "Algorithms of collectives, in the order in which they are taken: the first that is "
        "possible (MEND_COLL\n"
        "forces others).  nodes: inside of each node, among a leader of each as if there were no "
        "nodes, inside\n"
        "again.  Those that have no line, and those between groups, send messages pair by "
        "pair.\n");
    for (size_t i = 0; i < MEND_COUNT_OF(choices); i++) {
        bool again = i && !strcmp(choices[i].collective, choices[i - 1].collective);

        printf("  %-14s %-13s ", again ? "" : choices[i].collective, choices[i].name);
        print_wrapped(choices[i].text);
    }
}

static void print_report(void)
{
    printf("Lines of the report (mpiexec --report FILE); every line has the numbers t_ns, "
           "nanoseconds\n"
           "since the start of the job, and the text event, its name here\n");
    for (size_t i = 0; i < MEND_COUNT_OF(report_lines); i++) {
        const struct line_part *p = &report_lines[i];

        if (p->type)
            printf("    %-12s %-7s  %s\n", p->name, p->type, p->text);
        else
            printf("  %-24s %s\n", p->name, p->text);
    }
}

static void print_functions(void)
{
    printf("functions                %d of %d of MPI-5.0\n", STANDARD_FUNCTIONS,
           STANDARD_FUNCTIONS);
}

static void print_all(void)
{
    print_version();
    print_abi();
    print_functions();
    printf("\n");
    print_transports();
    print_windows();
    printf("\n");
    print_params();
}

static void print_help(void);

static const struct {
    const char *flag, *what;
    void (*print)(void);
} options[] = {
    {"--version", "version of Mend", print_version},
    {"--abi", "versions of the standard, of the ABI and of the compiler", print_abi},
    {"--transports", "transports and runtimes", print_transports},
    {"--windows", "which process carries out one-sided operations here", print_windows},
    {"--params", "parameters, their defaults and what is set in this environment", print_params},
    {"--events", "named events, at which mpiexec --inject can kill, stop or abort", print_events},
    {"--collectives", "which algorithm a collective uses when", print_collectives},
    {"--hints", "hints of files, and what holds without them", print_hints},
    {"--report", "lines of the file that mpiexec --report writes, and their members", print_report},
    {"--functions", "how many functions of the standard there are", print_functions},
    {"--help", "this text, as -h", print_help},
};

static void print_help(void)
{
    printf("Usage: mend-info [OPTION]...\n\n"
           "Says what this installation of Mend is and can do.  Without an option: a summary.\n\n");
    for (size_t i = 0; i < MEND_COUNT_OF(options); i++)
        printf("  %-14s %s\n", options[i].flag, options[i].what);
}

static void (*find_option(const char *flag))(void)
{
    if (!strcmp(flag, "-h"))
        return print_help;
    for (size_t i = 0; i < MEND_COUNT_OF(options); i++)
        if (!strcmp(options[i].flag, flag))
            return options[i].print;
    return NULL;
}

/* Dashes make no difference. */
static void say_unknown(const char *flag)
{
    const char *name = flag + strspn(flag, "-");
    struct mend_guess g = mend_guess_begin(name, strlen(name));

    for (size_t i = 0; i < MEND_COUNT_OF(options); i++)
        mend_guess_offer(&g, options[i].flag + 2, strlen(options[i].flag + 2));
    if (g.best)
        fprintf(stderr, "mend-info: unknown option '%s'; did you mean '--%s'?\n", flag, g.best);
    else
        fprintf(stderr, "mend-info: unknown option '%s'; mend-info --help lists all\n", flag);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (!find_option(argv[i])) {
            say_unknown(argv[i]);
            return 2;
        }
    }
    if (argc == 1)
        print_all();
    for (int i = 1; i < argc; i++)
        find_option(argv[i])();
    return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
