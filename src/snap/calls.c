/* SPDX-License-Identifier: BSD-3-Clause */
/* calls.c – way protect: what system calls do with protected pages.
 *
 * The kernel fails with EFAULT where the program would get a signal, and it changes mappings behind our back.  So each
 * system call of the program is a signal first (syscall user dispatch, Linux 5.11), whose handler
 *
 *   opens what the kernel may write to, and makes the call itself     calls that are known below
 *   opens everything and lets calls pass until the next safe point    all others: fork and exec, too
 *
 *      program ──call──> SIGSYS ──> on_call ──gate──> kernel        the gate and the handler's own return are never signals
 *
 * 1. SIGSEGV and SIGSYS are never blocked, and the program's own actions for them are kept here.
 * 2. A handler uses nothing of the C library, and its stack is not the program's: that may be protected. */
#include "snap/guard.h"
#include "snap/sys.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>

#ifdef __x86_64__

#define DISPATCH     59 /* prctl() */
#define STACK_BYTES  ((size_t)1 << 20)
#define SMALL_BYTES  (2 * MEND_SNAP_PAGE) /* more than any object that a call fills without a size */
#define IOVECS_MAX   1024
#define RESTORER     0x04000000
#define MASK(signal) ((uint64_t)1 << ((signal)-1))
#define NEVER        (MASK(SIGSEGV) | MASK(SIGSYS) | MASK(SIGBUS) | MASK(SIGKILL) | MASK(SIGSTOP))

/* As the kernel has it. */
struct action {
    void *handler;
    uint64_t flags;
    void *restorer;
    uint64_t mask;
};

/* Between the two ends lie the calls that are not signals: the return from a handler, and the gate. */
__asm__(".text\n"
        ".hidden mend_snap_gate_begin, mend_snap_gate_end, mend_snap_gate_return, mend_snap_gate\n"
        ".globl mend_snap_gate_begin, mend_snap_gate_end, mend_snap_gate_return, mend_snap_gate\n"
        "mend_snap_gate_begin:\n"
        "mend_snap_gate_return:\n"
        "    mov $15, %eax\n" /* rt_sigreturn */
        "    syscall\n"
        "mend_snap_gate:\n"
        "    mov %rdi, %rax\n"
        "    mov %rsi, %rdi\n"
        "    mov %rdx, %rsi\n"
        "    mov %rcx, %rdx\n"
        "    mov %r8, %r10\n"
        "    mov %r9, %r8\n"
        "    mov 8(%rsp), %r9\n"
        "    syscall\n"
        "    ret\n"
        "mend_snap_gate_end:\n");

extern char mend_snap_gate_begin[], mend_snap_gate_end[], mend_snap_gate_return[];

/* Handlers of signals get no argument of ours.  Rolled back or not, it is the same. */
static struct mend_snap *guarded;

static struct action *program_act(struct mend_snap *s, long signal)
{
    struct action *acts = (struct action *)s->guard.acts;

    return signal == SIGSEGV ? &acts[0] : signal == SIGSYS ? &acts[1] : NULL;
}

/* --- what a call may write to --- */

static void open_iovecs(struct mend_snap *s, long at, long n)
{
    const struct iovec *v = (const struct iovec *)at;

    for (long i = 0; v && i < n && i < IOVECS_MAX; i++)
        mend_snap_guard_release(s, (uintptr_t)v[i].iov_base, v[i].iov_len);
}

static void open_message(struct mend_snap *s, long at)
{
    const struct msghdr *m = (const struct msghdr *)at;

    if (!m)
        return;
    mend_snap_guard_release(s, (uintptr_t)m->msg_name, m->msg_namelen);
    mend_snap_guard_release(s, (uintptr_t)m->msg_control, m->msg_controllen);
    open_iovecs(s, (long)m->msg_iov, (long)m->msg_iovlen);
}

/* The heap's end moves down: what lies behind it goes. */
static void open_heap_above(struct mend_snap *s, long at)
{
    long now = mend_snap_gate(SYS_brk, 0, 0, 0, 0, 0, 0);

    if (at && at < now)
        mend_snap_guard_release(s, (uintptr_t)at, (uint64_t)(now - at));
}

/* An argument may be an address, and the next one its size: what is opened without need is only copied without need. */
static void open_arguments(struct mend_snap *s, const long *a)
{
    for (int i = 0; i < 6; i++) {
        uint64_t bytes = i < 5 && a[i + 1] > 0 ? (uint64_t)a[i + 1] : 0;

        if ((uint64_t)a[i] < MEND_SNAP_PAGE || a[i] < 0)
            continue;
        if (bytes > (uint64_t)1 << 40) /* another address */
            bytes = 0;
        mend_snap_guard_release(s, (uintptr_t)a[i], bytes > SMALL_BYTES ? bytes : SMALL_BYTES);
    }
}

/* False: it is not known what the call does. */
static bool open_for(struct mend_snap *s, long number, const long *a)
{
    switch (number) {
    case SYS_readv:
    case SYS_preadv:
    case SYS_preadv2:
    case SYS_process_vm_readv:
        open_iovecs(s, a[1], a[2]);
        return true;
    case SYS_write:
    case SYS_pwrite64:
    case SYS_writev:
    case SYS_pwritev:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_process_vm_writev:
        return true; /* they only read */
    case SYS_recvmsg:
        open_message(s, a[1]);
        break;
    case SYS_poll:
    case SYS_ppoll:
        mend_snap_guard_release(s, (uintptr_t)a[0], (uint64_t)a[1] * sizeof(struct pollfd));
        break;
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
        mend_snap_guard_release(s, (uintptr_t)a[1], (uint64_t)a[2] * sizeof(struct epoll_event));
        break;
    case SYS_brk:
        open_heap_above(s, a[0]);
        break;
    case SYS_mremap:
        mend_snap_guard_release(s, (uintptr_t)a[4], (uint64_t)a[2]);
        break;
    case SYS_ioctl:
        if (a[1] != 0x5401 /* TCGETS */ && a[1] != 0x541b /* FIONREAD */)
            return false;
        break;
#define KNOWN(name) case SYS_##name:
#include "snap/calls.def"
#undef KNOWN
        break;
    default:
        return false;
    }
    open_arguments(s, a);
    return true;
}

/* --- calls that concern signals --- */

static long set_action(struct mend_snap *s, const long *a)
{
    struct action *virtual = program_act(s, a[0]), new, *old = (struct action *)a[2];

    if (a[1])
        new = *(const struct action *)a[1];
    new.mask &= ~NEVER;
    if (!virtual)
        return mend_snap_gate(SYS_rt_sigaction, a[0], a[1] ? (long)&new : 0, a[2], a[3], 0, 0);
    if (old)
        *old = *virtual;
    if (a[1])
        *virtual = new;
    return 0;
}

/* In the handler's frame, which the kernel takes the mask from afterwards. */
static long set_mask(ucontext_t *u, const long *a)
{
    uint64_t *mask = (uint64_t *)&u->uc_sigmask, old = *mask, set = a[1] ? *(uint64_t *)a[1] : 0;

    if (a[3] != sizeof(old) || (a[1] && (uint64_t)a[0] > SIG_SETMASK))
        return -22; /* EINVAL */
    if (a[1])
        *mask = (a[0] == SIG_BLOCK ? old | set : a[0] == SIG_UNBLOCK ? old & ~set : set) & ~NEVER;
    if (a[2])
        *(uint64_t *)a[2] = old;
    return 0;
}

/* --- the handlers --- */

static void deliver(struct mend_snap *s, int signal, siginfo_t *info, void *context)
{
    const struct action *act = program_act(s, signal);
    struct action none = {.flags = 0};

    if (act->handler == (void *)SIG_DFL || act->handler == (void *)SIG_IGN)
        mend_snap_gate(SYS_rt_sigaction, signal, (long)&none, 0, 8, 0, 0); /* it comes again */
    else if (act->flags & SA_SIGINFO)
        ((void (*)(int, siginfo_t *, void *))(uintptr_t)act->handler)(signal, info, context);
    else
        ((void (*)(int))(uintptr_t)act->handler)(signal);
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    if (info->si_code != SEGV_ACCERR || !mend_snap_guard_fault(guarded, (uintptr_t)info->si_addr))
        deliver(guarded, signal, info, context);
}

static void on_call(int signal, siginfo_t *info, void *context)
{
    struct mend_snap *s = guarded;
    ucontext_t *u = context;
    greg_t *g = u->uc_mcontext.gregs;
    const long a[] = {g[REG_RDI], g[REG_RSI], g[REG_RDX], g[REG_R10], g[REG_R8], g[REG_R9]};

    if (info->si_code != 2 /* SYS_USER_DISPATCH */) {
        deliver(s, signal, info, context);
    } else if (info->si_syscall == SYS_rt_sigreturn) {
        g[REG_RIP] = (greg_t)mend_snap_gate_return; /* on the stack where the program is */
    } else if (!open_for(s, info->si_syscall, a)) {
        mend_snap_guard_give_up(s);
        s->guard.let = 0;
        g[REG_RIP] -= 2; /* once more */
        g[REG_RAX] = info->si_syscall;
    } else if (info->si_syscall == SYS_rt_sigaction) {
        g[REG_RAX] = set_action(s, a);
    } else if (info->si_syscall == SYS_rt_sigprocmask) {
        g[REG_RAX] = set_mask(u, a);
    } else {
        g[REG_RAX] = mend_snap_gate(info->si_syscall, a[0], a[1], a[2], a[3], a[4], a[5]);
    }
}

/* Takes the signal; what the program has set for it is kept. */
static void take_signal(struct mend_snap *s, int signal, void (*handler)(int, siginfo_t *, void *))
{
    struct action now, act = {.handler = (void *)(uintptr_t)handler,
                              .flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | RESTORER,
                              .restorer = mend_snap_gate_return};

    mend_snap_gate(SYS_rt_sigaction, signal, 0, (long)&now, 8, 0, 0);
    if (now.handler == act.handler)
        return;
    *program_act(s, signal) = now;
    mend_snap_gate(SYS_rt_sigaction, signal, (long)&act, 0, 8, 0, 0);
}

/* No handler of the program's may keep a fault away. */
static void unblock(void)
{
    uint64_t never = NEVER;

    mend_snap_gate(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&never, 0, 8, 0, 0);
    for (int i = 1; i <= 64; i++) {
        struct action act;

        if (mend_snap_gate(SYS_rt_sigaction, i, 0, (long)&act, 8, 0, 0) < 0 || !(act.mask & NEVER))
            continue;
        act.mask &= ~NEVER;
        mend_snap_gate(SYS_rt_sigaction, i, (long)&act, 0, 8, 0, 0);
    }
}

/* The program's stack for handlers is used if it has one: it is never protected. */
static bool have_stack(struct mend_snap *s)
{
    char **ours = &s->guard.stack;
    stack_t stack;

    if (mend_snap_gate(SYS_sigaltstack, 0, (long)&stack, 0, 0, 0, 0) < 0)
        return false;
    if (!(stack.ss_flags & SS_DISABLE))
        return true;
    if (!*ours)
        *ours = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (*ours == MAP_FAILED)
        *ours = NULL;
    stack = (stack_t){.ss_sp = *ours, .ss_size = STACK_BYTES};
    return *ours && mend_snap_gate(SYS_sigaltstack, (long)&stack, 0, 0, 0, 0, 0) == 0;
}

static void give_signal_back(struct mend_snap *s, int signal,
                             void (*handler)(int, siginfo_t *, void *))
{
    struct action now;

    mend_snap_gate(SYS_rt_sigaction, signal, 0, (long)&now, 8, 0, 0);
    if (now.handler == (void *)(uintptr_t)handler)
        mend_snap_gate(SYS_rt_sigaction, signal, (long)program_act(s, signal), 0, 8, 0, 0);
}

static void give_stack_back(struct mend_snap *s)
{
    stack_t stack, none = {.ss_flags = SS_DISABLE};

    if (!s->guard.stack)
        return;
    mend_snap_gate(SYS_sigaltstack, 0, (long)&stack, 0, 0, 0, 0);
    if (stack.ss_sp == s->guard.stack)
        mend_snap_gate(SYS_sigaltstack, (long)&none, 0, 0, 0, 0, 0);
    munmap(s->guard.stack, STACK_BYTES);
    s->guard.stack = NULL;
}

bool mend_snap_calls_open(struct mend_snap *s)
{
    const long bytes = mend_snap_gate_end - mend_snap_gate_begin;

    _Static_assert(2 * sizeof(struct action) <= sizeof(s->guard.acts), "own.h has their room");
    if (guarded || !have_stack(s))
        return false;
    guarded = s;
    s->guard.let = 0;
    if (mend_snap_gate(SYS_prctl, DISPATCH, 1, (long)mend_snap_gate_begin, bytes,
                       (long)&s->guard.let, 0) == 0) {
        mend_snap_calls_let(s, false);
        return true;
    }
    mend_snap_calls_close(s);
    return false;
}

void mend_snap_calls_close(struct mend_snap *s)
{
    mend_snap_gate(SYS_prctl, DISPATCH, 0, 0, 0, 0, 0);
    give_signal_back(s, SIGSEGV, on_fault);
    give_signal_back(s, SIGSYS, on_call);
    give_stack_back(s);
    guarded = NULL;
}

void mend_snap_calls_let(struct mend_snap *s, bool let)
{
    if (!s->guard.bits)
        return;
    s->guard.let = 0;
    if (let)
        return;
    unblock(); /* while calls passed the program may have changed what concerns signals */
    have_stack(s);
    take_signal(s, SIGSEGV, on_fault);
    take_signal(s, SIGSYS, on_call);
    s->guard.let = 1;
}

#else /* no other processor's kernel is known to tell of calls */

long mend_snap_gate(long number, long a, long b, long c, long d, long e, long f)
{
    return mend_snap_sys(number, a, b, c, d, e, f);
}

bool mend_snap_calls_open(struct mend_snap *s)
{
    return !s;
}

void mend_snap_calls_close(struct mend_snap *s)
{
    s->guard.let = 0;
}

void mend_snap_calls_let(struct mend_snap *s, bool let)
{
    s->guard.let = let ? 0 : 1;
}

#endif
