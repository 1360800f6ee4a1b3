/* SPDX-License-Identifier: BSD-3-Clause */
/* root.c – signals of the user, the time-out, and what agents say. */
#include "root/root.h"

#include "base/time.h"
#include "share/process.h"

#include <signal.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define SECOND_AFTER_NS (200 * MEND_NS_PER_MS)

/* All agents. */
static void tell(struct root *root, enum mend_message_kind kind, int64_t a, int64_t b)
{
    for (int k = 0; k < root->nodes_n; k++)
        mend_post(&root->node[k].agent,
                  &(struct mend_message){.kind = kind, .rank = -1, .arg = {a, b}});
}

/* ---- signals ---- */

void mend_root_kill(struct root *root)
{
    root->killing = true;
    tell(root, MEND_DOWN_KILL, 0, 0);
}

static void on_terminate(struct root *root, int sig, bool from_terminal)
{
    mend_time_ns now = mend_time_monotonic_ns();

    if (from_terminal && root->n == 1 && root->has_terminal)
        return;
    if (!root->signal_seen && mend_root_is_starting(root)) {
        root->signal_seen = sig;
        root->failed = true;
    } else if (!root->signal_seen) {
        root->signal_seen = sig;
        root->signal_ns = now;
        tell(root, MEND_DOWN_SIGNAL, sig, from_terminal);
        tell(root, MEND_DOWN_SIGNAL, SIGCONT, false); /* a stopped rank shall hear it too */
    } else if (now >= root->signal_ns + SECOND_AFTER_NS) {
        mend_root_kill(root);
    } /* else: the same signal twice, to us and to our group, as timeout(1) sends it */
}

/* The whole job stops with us, and the time of that does not count. */
static void on_suspend(struct root *root, bool from_terminal)
{
    mend_time_ns before = mend_time_monotonic_ns();
    pid_t stand_in = -1;

    tell(root, MEND_DOWN_SUSPEND, from_terminal, 0);
    if (root->nodes_n > 1)
        stand_in = mend_beats_hand_over(&root->beats);
    raise(SIGSTOP);
    if (root->nodes_n > 1)
        mend_beats_take_back(&root->beats, stand_in);
    tell(root, MEND_DOWN_RESUME, 0, 0);
    if (root->deadline_ns != MEND_TIME_NEVER)
        root->deadline_ns += mend_time_monotonic_ns() - before;
}

static void on_signal(struct root *root)
{
    struct signalfd_siginfo si;

    while (read(root->signal_fd, &si, sizeof(si)) == sizeof(si)) {
        int sig = (int)si.ssi_signo;
        bool from_terminal = si.ssi_code == SI_KERNEL;

        switch (sig) {
        case SIGUSR1:
            mend_root_say(root, "mend: what each rank waits for:");
            mend_root_ask_waits(root);
            break;
        case SIGTSTP:
            on_suspend(root, from_terminal);
            break;
        case SIGQUIT:
        case SIGUSR2:
            tell(root, MEND_DOWN_SIGNAL, sig, from_terminal);
            break;
        default:
            on_terminate(root, sig, from_terminal);
        }
    }
}

/* ---- time ---- */

static void on_timeout(struct root *root)
{
    root->deadline_ns = MEND_TIME_NEVER;
    root->timed_out = root->timing_out = true;
    mend_root_say(root, "mend: time-out after %.10g s; what each rank waits for:",
                  (double)root->o->timeout_ns / 1e9);
    mend_root_ask_waits(root);
}

/* All waits are printed. */
static void time_out(struct root *root)
{
    root->timing_out = false;
    if (!root->o->quiet)
        mend_root_say(
            root,
            "mend: what a rank has printed but not flushed is lost with it; 'stdbuf -oL PROGRAM' "
            "writes each line at once");
    mend_root_kill(root);
}

static mend_time_ns look(void *self, mend_time_ns now)
{
    struct root *root = self;
    mend_time_ns next, at;

    next = mend_root_place(root, now);
    at = mend_root_look_at_agents(root, now);
    next = at < next ? at : next;
    at = mend_root_look_at_tree(root, now);
    next = at < next ? at : next;
    at = mend_root_look_at_nodes(root, now);
    next = at < next ? at : next;
    at = mend_root_look_at_cuts(root, now);
    next = at < next ? at : next;
    mend_root_tally(root);
    if (now >= root->deadline_ns && !root->ended)
        on_timeout(root);
    at = mend_root_look_at_waits(root, now);
    next = at < next ? at : next;
    if (root->timing_out && !mend_root_is_asking(root))
        time_out(root);
    at = mend_root_inject(root, now);
    next = at < next ? at : next;
    return root->deadline_ns < next && !root->ended ? root->deadline_ns : next;
}

static bool is_done(void *self)
{
    return mend_root_is_over(self);
}

static void on_event(void *self, uint32_t from, uint32_t of)
{
    if (from == MEND_ROOT_FROM_SIGNAL)
        on_signal(self);
    else if (from == MEND_ROOT_FROM_NODE)
        mend_root_read_node(self, (int)of);
    else
        mend_root_hear_beats(self);
}

/* ---- agents ---- */

/* One line instead of one per rank. */
static void on_abort(struct root *root, const struct mend_message *m)
{
    root->aborted = true;
    if (root->o->quiet)
        return;
    if (m->arg[1])
        mend_root_say_of(root, m->rank, "mend: rank %d ended the job: its error handler is fatal",
                         m->rank);
    else
        mend_root_say_of(root, m->rank, "mend: rank %d aborted the job with code %d", m->rank,
                         (int)m->arg[0]);
}

static void hear(void *to, const struct mend_message *m)
{
    struct root_node *node = to;
    struct root *root = node->root;

    if (root->ended)
        root->heard_at = mend_time_monotonic_ns();
    switch (m->kind) {
    case MEND_UP_READY:
        mend_root_ready(node, m);
        break;
    case MEND_UP_STARTED:
        mend_root_started(node, m);
        break;
    case MEND_UP_NAMES:
        root->logged_n = (int)m->arg[0] > root->logged_n ? (int)m->arg[0] : root->logged_n;
        break;
    case MEND_UP_SPAWN:
        mend_root_asked(node, m);
        break;
    case MEND_UP_ACTED:
        mend_root_acted(node, m);
        break;
    case MEND_UP_SAY:
        mend_iof_message_of(root->iof, m->rank, m->data, m->len);
        break;
    case MEND_UP_LINE:
        mend_root_line(root, mend_root_date(node, m->arg[0]), m->data);
        break;
    case MEND_UP_TEXT:
        mend_root_text(node, m->rank, m->data, m->len);
        break;
    case MEND_UP_OUTPUT:
        root->failed |= !mend_iof_feed(root->iof, m, &node->agent);
        break;
    case MEND_UP_INPUT:
        mend_iof_ask_input(root->iof, m, &node->agent);
        break;
    case MEND_UP_DEATH:
        mend_root_death(root, node, m);
        break;
    case MEND_UP_ABORT:
        on_abort(root, m);
        break;
    case MEND_UP_WAIT:
    case MEND_UP_CALL:
    case MEND_UP_ANSWERED:
        mend_root_note_wait(node, m);
        break;
    case MEND_UP_BLOCKED:
        mend_root_note_blocked(root, m);
        break;
    case MEND_UP_HAPPENED:
        mend_root_injected(root, m->rank, (int)m->arg[0]);
        break;
    case MEND_UP_END:
        mend_root_note_end(root, m);
        break;
    case MEND_UP_HANDLED:
        mend_root_note_handled(root, m->rank);
        break;
    case MEND_UP_CUT:
        mend_root_note_cut(root, m);
        break;
    case MEND_UP_NAME:
    case MEND_UP_PORT:
        mend_root_pass_name(node, m);
        break;
    case MEND_UP_TALLY:
        mend_root_note_tally(node, m);
        break;
    case MEND_UP_DONE:
        node->state = NODE_DONE;
        break;
    case MEND_UP_LEAVES:
        node->has_left = true;
        break;
    case MEND_UP_GUESTS:
        mend_root_guests_asked(root, m);
        break;
    case MEND_UP_NAMED:
        node->is_asked = false;
        break;
    case MEND_UP_CHILD_CALLS:
    case MEND_UP_CHILD:
    case MEND_UP_CHILD_ENDS:
    case MEND_UP_CHILD_GONE:
    case MEND_UP_CHILD_FAILS:
    case MEND_UP_CHILD_ASKS:
    case MEND_UP_CHILD_LOST:
        mend_root_hear_below(node, m);
        break;
    case MEND_UP_LOG:
    case MEND_UP_PRESENCE:
    case MEND_UP_SESSION:
    case MEND_UP_CONNECT:
    case MEND_UP_CONNECTED:
    case MEND_UP_PARTED:
        mend_root_pass_on(node, m);
        break;
    case MEND_UP_SEARCH:
    case MEND_UP_SEARCHED:
    case MEND_UP_PAPER:
        mend_root_pass_paper(node, m);
        break;
    default:
        break;
    }
}

struct mend_post mend_root_post(struct root_node *node)
{
    return (struct mend_post){hear, node};
}

/* What only processes of this job know. */
static bool draw(struct root *root)
{
    return getrandom(&root->job, sizeof(root->job), 0) == sizeof(root->job) &&
           getrandom(root->key, sizeof(root->key), 0) == sizeof(root->key) &&
           getrandom(root->agents_key, sizeof(root->agents_key), 0) == sizeof(root->agents_key);
}

bool mend_root_open(struct root *root, struct mend_options *o, struct mend_loop *loop)
{
    static const int ours[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP};

    *root = (struct root){.o = o, .loop = loop, .n = o->ranks_n};
    root->nodes_n = o->hosts.n;
    root->node = mend_xalloc((size_t)root->nodes_n, sizeof(*root->node));
    for (int k = 0; k < root->nodes_n; k++)
        root->node[k] = (struct root_node){
            .root = root, .number = k, .wire.fd = -1, .start_ns = o->hosts.n > 1 ? INT64_MAX : 0};
    root->start_ns = mend_time_monotonic_ns();
    root->deadline_ns =
        o->timeout_ns == MEND_TIME_NEVER ? MEND_TIME_NEVER : root->start_ns + o->timeout_ns;
    root->rank = mend_xalloc(MEND_NODE_NAMES, sizeof(*root->rank));
    for (int i = 0; i < o->ranks_n; i++) {
        root->rank[i].begun = true;
        root->rank[i].node = o->node_of[i];
    }
    root->places_n = mend_options_places(o);
    mend_list_init(&root->requests);
    mend_list_init(&root->guests);
    mend_list_init(&root->cuts);
    mend_list_init(&root->tallies);
    mend_list_init(&root->questions);
    root->at_terminal = isatty(2) && !o->quiet;
    root->has_terminal = o->tty_rank == 0 && o->at_terminal;
    mend_root_open_report(root);
    mend_root_list_timed(root);
    mend_root_list_blocked(root);
    root->member = mend_loop_join(
        loop, (struct mend_loop_member){
                  .self = root, .event = on_event, .look = look, .is_done = is_done});
    root->signal_fd = mend_process_signals(ours, MEND_COUNT_OF(ours));
    return root->signal_fd >= 0 &&
           mend_loop_add(loop, root->member, root->signal_fd, MEND_ROOT_FROM_SIGNAL, 0) &&
           draw(root);
}
