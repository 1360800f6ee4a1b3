/* SPDX-License-Identifier: BSD-3-Clause */
/* probe.c – a rank without MPI: only rt/local and a loop that looks at the interrupt counter.
 *
 *   probe latency COUNT MIB   ranks 1 to COUNT are victims in turn: rank 0 kills one and measures the
 *                             time until its own interrupt moves; the victim has touched MIB MiB
 *   probe pair WHAT           rank 1 ends in the way WHAT, rank 0 prints what it is told about it
 *   probe lines COUNT         every rank writes COUNT lines in pieces
 *   the other words           see main()
 *
 * It stands for the library in the tests of the launcher, which must hold without it.
 *
 *   R22: the job's status is 0 only if all deaths were handled */
#include "base/time.h"
#include "node/node.h"
#include "rt/rt.h"
#include "rt/wire.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static struct mend_proc *self;

static struct mend_node_rank *rank_of(int i)
{
    return mend_node_rank_of(self->node->header, mend_place_at((uint32_t)i));
}

static void start(void)
{
    const char *why = "not started by mpiexec";

    self = mend_proc_create_bare();
    mend_self = self;
    if (mend_rt_local.open(self, &why) != MEND_OK) {
        fprintf(stderr, "%s\n", why);
        exit(77);
    }
    mend_rt_local.say(self, MEND_PRESENCE_IN_MPI);
}

/* Nothing carries out verdicts here: a death is looked for where the agent writes it. */
static bool is_leaving(mend_peer p)
{
    return mend_is_leaving(self, p) || mend_load_acquire(&rank_of((int)p)->fate) == MEND_PEER_DEAD;
}

static void leave(void)
{
    mend_rt_local.say(self, MEND_PRESENCE_LEAVING);
    for (mend_peer p = 0; p < self->peers_n; p++)
        while (!is_leaving(p))
            sched_yield();
    mend_rt_local.say(self, MEND_PRESENCE_LEFT);
}

/* As an MPI call would: a rank that finishes has handled that death (R22). */
static void told_of(mend_peer dead)
{
    mend_peer_entry(self, dead)->told = true;
}

/* Waits for verdict number k, at most 20 s. */
static struct mend_death wait_verdict(uint32_t k)
{
    mend_time_ns end = mend_time_monotonic_ns() + 20 * MEND_NS_PER_S;
    struct mend_death d;

    while (!mend_rt_local.verdict(self, k, &d)) {
        if (mend_time_monotonic_ns() > end) {
            printf("no verdict %u\n", k);
            exit(78);
        }
        sched_yield();
    }
    told_of(d.peer);
    return d;
}

/* The reason comes a little after the verdict. */
static struct mend_death wait_cause(uint32_t k)
{
    struct mend_death d = wait_verdict(k);

    for (int i = 0; i < 2000 && d.cause == MEND_CAUSE_UNKNOWN; i++) {
        usleep(1000);
        mend_rt_local.verdict(self, k, &d);
    }
    return d;
}

static void wait_running(int i)
{
    while (mend_presence_of(self, i) < MEND_PRESENCE_IN_MPI)
        sched_yield();
}

/* ---- latency ---- */

static int by_size(const void *a, const void *b)
{
    mend_time_ns x = *(const mend_time_ns *)a, y = *(const mend_time_ns *)b;

    return x < y ? -1 : x > y;
}

static void victim(size_t mib)
{
    size_t n = mib << 20;
    char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    while (mend_load_acquire(&rank_of(0)->wait_seq) != (uint32_t)self->me) /* our turn? */
        usleep(20000);
    madvise(p, n, MADV_NOHUGEPAGE);
    memset(p, 1, n);
    atomic_fetch_add(&rank_of(self->me)->wait_seq, 1);
    for (;;)
        pause();
}

static void print_times(const char *what, mend_time_ns *t, int n)
{
    qsort(t, (size_t)n, sizeof(*t), by_size);
    printf("%s  deaths %d  median %.1f us  p99 %.1f us  max %.1f us\n", what, n,
           (double)t[n / 2] / 1e3, (double)t[n * 99 / 100] / 1e3, (double)t[n - 1] / 1e3);
}

static void measure(int count)
{
    mend_time_ns *t = calloc((size_t)count, sizeof(*t)), *own = calloc((size_t)count, sizeof(*t));

    for (int i = 1; i <= count; i++) {
        uint32_t before;
        mend_time_ns start_ns, mark_ns;

        wait_running(i);
        mend_store_release(&rank_of(0)->wait_seq, (uint32_t)i);
        while (!mend_load_acquire(&rank_of(i)->wait_seq))
            usleep(100);
        usleep(2000);
        before = mend_load_acquire(self->interrupt);
        start_ns = mend_time_monotonic_ns();
        kill((pid_t)mend_load_relaxed(&rank_of(i)->pid), SIGKILL);
        while (!(mend_load_acquire(mend_node_life_word(rank_of(i))) & FUTEX_OWNER_DIED))
            mend_cpu_relax();
        mark_ns = mend_time_monotonic_ns();
        while (mend_load_acquire(self->interrupt) == before)
            mend_cpu_relax();
        t[i - 1] = mend_time_monotonic_ns() - start_ns;
        own[i - 1] = mend_time_monotonic_ns() - mark_ns;
        told_of(i);
    }
    print_times("kill to interrupt", t, count);
    print_times("mark to interrupt", own, count); /* the agent's own part */
    free(t);
    free(own);
}

/* ---- other roles ---- */

/* True if the process of rank 1 is gone or on its way: no instruction of it will run any more. */
static bool is_ending(void)
{
    unsigned flags = 0, pid = mend_load_relaxed(&rank_of(1)->pid);
    char path[64], state = 'X';
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%u/stat", pid);
    for (int i = 0; i < 50; i++) {
        f = fopen(path, "r");
        if (!f || fscanf(f, "%*d %*s %c %*d %*d %*d %*d %*d %u", &state, &flags) != 2)
            state = 'X';
        if (f)
            fclose(f);
        if (state == 'Z' || state == 'X' || flags & 4) /* PF_EXITING */
            return true;
        usleep(1000);
    }
    return false;
}

/* Rank 1 does something, rank 0 sees what the agent makes of it. */
static void pair(const char *what)
{
    if (self->me == 1) {
        if (!strcmp(what, "kill") || !strcmp(what, "kill-and-name"))
            raise(SIGKILL);
        if (!strcmp(what, "exit"))
            _exit(3);
        if (!strcmp(what, "exec"))
            execlp("sleep", "sleep", "30", NULL);
        if (!strcmp(what, "stop"))
            raise(SIGSTOP);
        if (!strcmp(what, "leader"))
            pthread_exit(NULL);
        if (!strcmp(what, "abort")) {
            mend_rt_local.abort(self, &self->me, 1, (struct mend_abort){.code = 9});
            _exit(9);
        }
        for (;;)
            pause();
    }
    if (!strcmp(what, "abort-other"))
        mend_rt_local.abort(self, (mend_peer[]){1}, 1, (struct mend_abort){.code = 5});
    if (self->me == 0) {
        struct mend_death d = wait_cause(0);

        printf("rank %d cause %d code %d fate %u\n", d.peer, (int)d.cause, d.code,
               mend_load_acquire(&rank_of(1)->fate));
        printf("its process is %s\n", is_ending() ? "dead" : "alive");
        if (!strcmp(what, "kill-and-name"))
            mend_rt_local.abort(self, (mend_peer[]){1}, 1, (struct mend_abort){.code = 5});
    }
    leave();
}

/* Rank 0 says of rank 1 that it is gone, again and again; both go on. */
static void complain(bool later)
{
    char c;

    if (self->me != 0)
        return;
    wait_running(1);
    if (later && read(0, &c, 1) < 0)
        exit(79);
    for (int i = 0; i < 100; i++)
        printf("%d", mend_rt_local.suspect(self, 1));
    printf(" dead\n");
    fflush(stdout);
}

/* Rank 1 aborts all but rank 0 once that has read a byte; rank 0 prints how many verdicts there are when it
 * sees the first, and when it sees the last. */
static void abort_part(int code)
{
    mend_peer others[64];
    uint32_t n = (uint32_t)self->peers_n - 1, seen = 0;
    struct mend_death d;
    char c;

    if (self->me == 0) {
        for (int i = 1; i < self->peers_n; i++)
            wait_running(i);
        printf("up\n");
        fflush(stdout);
        if (read(0, &c, 1) < 0)
            exit(79);
        mend_store_release(&rank_of(0)->wait_seq, 1);
        wait_verdict(0);
        while (mend_rt_local.verdict(self, seen, &d))
            seen++;
        printf("%u at once\n", seen);
        fflush(stdout);
        for (uint32_t k = 0; k < n; k++)
            wait_verdict(k);
        return;
    }
    while (self->me == 1 && !mend_load_acquire(&rank_of(0)->wait_seq))
        sched_yield();
    for (uint32_t i = 0; i < n; i++)
        others[i] = (mend_peer)i + 1;
    if (self->me == 1) {
        mend_rt_local.abort(self, others, n, (struct mend_abort){.code = code});
        _exit(code);
    }
    for (;;)
        pause();
}

/* Lines of 1 to 300 bytes, each in several writes. */
static void lines(int count)
{
    unsigned seed = (unsigned)self->me + 1;
    char text[512];

    for (int i = 0; i < count; i++) {
        int len = rand_r(&seed) % 280;
        int n = snprintf(text, sizeof(text), "<%d %d %d ", self->me, i, len);

        memset(text + n, 'a' + self->me % 26, (size_t)len);
        n += len;
        n += snprintf(text + n, 4, ">\n");
        for (int at = 0, piece; at < n; at += piece) {
            piece = 1 + rand_r(&seed) % 200;
            piece = piece < n - at ? piece : n - at;
            if (write(1, text + at, (size_t)piece) != piece)
                exit(79);
        }
    }
}

static void *idle(void *arg)
{
    pause();
    return NULL;
}

static void report_wait(int sig)
{
    snprintf(rank_of(self->me)->wait_text, MEND_NODE_WAIT_BYTES, "waiting for rank %d",
             (self->me + 1) % self->peers_n);
    atomic_fetch_add(&rank_of(self->me)->wait_seq, 1);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    if (!strcmp(what, "pair") && argc > 2 && strchr("lt", argv[2][0]) && argv[2][0]) {
        pthread_t t;

        for (int i = 0; i < (argv[2][0] == 't' ? 4 : 1); i++) /* "threads"; "leader" */
            pthread_create(&t, NULL, idle, NULL);
    }
    if (!strcmp(what, "waits") || !strcmp(what, "pair") || !strcmp(what, "abort-part"))
        signal(MEND_SIG_REPORT, report_wait);
    start();
    if (!strcmp(what, "latency")) {
        int count = atoi(argv[2]);

        if (self->me != 0 && self->me <= count)
            victim((size_t)atoi(argv[3]));
        if (self->me == 0)
            measure(count);
        leave();
    } else if (!strcmp(what, "pair")) {
        pair(argv[2]);
    } else if (!strcmp(what, "hello")) {
        leave();
    } else if (!strcmp(what, "hang") || !strcmp(what, "waits") || !strcmp(what, "up")) {
        if (!strcmp(what, "up") && write(1, "up\n", 3) != 3)
            return 1;
        for (;;)
            pause();
    } else if (!strcmp(what, "abort-all")) {
        mend_peer all[64];

        for (int i = 0; i < self->peers_n; i++)
            all[i] = i;
        if (self->me == 0)
            mend_rt_local.abort(self, all, (uint32_t)self->peers_n,
                                (struct mend_abort){.code = atoi(argv[2])});
        if (self->peers_n == 1)
            _exit(atoi(argv[2]));
        pause();
    } else if (!strcmp(what, "abort-part")) {
        abort_part(argc > 2 ? atoi(argv[2]) : 6);
        leave();
    } else if (!strcmp(what, "complain")) {
        complain(argc > 2);
        leave();
    } else if (!strcmp(what, "stay")) { /* until there is such a file */
        while (access(argv[2], F_OK) != 0)
            usleep(1000);
        leave();
    } else if (!strcmp(what, "report")) {
        mend_rt_local.report(self, "\"event\":\"shrink\",\"ctx\":17");
        leave();
    } else if (!strcmp(what, "exit-after")) {
        leave();
        return atoi(argv[2]);
    } else if (!strcmp(what, "stop-after")) {
        leave();
        raise(SIGSTOP);
    } else if (!strcmp(what, "stop-and-leave")) {
        raise(SIGSTOP);
        leave();
    } else if (!strcmp(what, "exit-without")) {
        _exit(atoi(argv[2]));
    } else if (!strcmp(what, "grandchild")) {
        if (fork() == 0) {
            for (;;)
                pause();
        }
        for (;;)
            pause();
    } else if (!strcmp(what, "lines")) {
        lines(atoi(argv[2]));
        leave();
    } else if (!strcmp(what, "env")) {
        return execlp("env", "env", NULL);
    }
    return 0;
}
