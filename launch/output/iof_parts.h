/* SPDX-License-Identifier: BSD-3-Clause */
/* iof_parts.h – what the files iof*.c share: sinks, streams, the terminal's input.  For them only.
 *
 *   iof.c           the thread, and what the launcher calls
 *   iof_open.c      descriptors for a rank that is started
 *   iof_stream.c    from the pipes through the buffers to the sinks
 *   iof_report.c    equal reports of fatal errors as one
 *   iof_sink.c      sinks: files and descriptors
 *   iof_input.c     the terminal's input to a rank; our input to a rank of another node
 *   iof_news.c      what other threads have for a stream
 *   iof_relay.c     the bytes of a stream from the agent of another node to the root
 *
 * The lock covers streams and sinks.  The input has a lock of its own, which nobody holds while it blocks. */
#ifndef MEND_LAUNCH_OUTPUT_IOF_PARTS_H
#define MEND_LAUNCH_OUTPUT_IOF_PARTS_H

#include "base/time.h"
#include "output/iof.h"

#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define BUFFER_BYTES (64 * 1024)
#define INPUT_BYTES  4096
#define STDIO_BYTES  4096 /* of the C library's buffer of a pipe */

struct stream;

struct sink {
    int fd;
    mend_time_ns hold_ns;     /* how long a line without an end waits for the rest */
    mend_time_ns cut_hold_ns; /* the same where a full buffer of the C library ended */
    bool closed;              /* the reader has gone: EPIPE, or `error` */
    int error;                /* why nothing more can be written; 0: nothing is wrong */
    bool error_told;
    bool midline;         /* the last byte written was not the end of a line */
    struct stream *owner; /* whose line is open, NULL: nobody's (or our own message's) */
    mend_time_ns written_ns;
    char *name; /* of a file that we have opened, else NULL */
};

struct stream {
    int fd; /* our end of the pipe, -1: closed */
    int rank;
    bool error; /* it is the standard error */
    bool fed;   /* at the root: its bytes come from another node, and more may come */
    const struct mend_post *agent; /* there; NULL: it is a pipe of this process */
    bool relayed; /* at the agent: the root has been told of it, and not of its end */
    size_t sent;  /* to the root, which has not written them */
    bool reports; /* the rank's standard error comes here */
    struct sink *sink;
    char *buf;
    size_t len;
    mend_time_ns since_ns; /* when the first byte of the last line in buf came */
    size_t burst;          /* bytes since the pipe was last empty */
    bool cut; /* the last burst was full buffers of the C library: its last line goes on */
    char tag[24];
    bool stamped; /* the time before the tag */
};

/* What another thread has for a stream (iof_news.c). */
struct mend_iof_news {
    struct mend_iof_news *next;
    enum mend_output_step step;
    struct stream *stream; /* NULL: all of the agent end */
    int rank;
    bool error;
    int fd;            /* OPEN: our end of its pipe */
    struct sink *sink; /* OPEN */
    const struct mend_post *agent;
    size_t len;
    char data[];
};

struct input {
    int fd; /* our end of a rank's standard input, -1: closed or not ours */
    char buf[INPUT_BYTES];
    size_t len;
    bool ends;                  /* at an agent: nothing comes behind that */
    const struct mend_post *to; /* at the root: the agent of the rank that gets ours; NULL: none */
    size_t sent;                /* there: bytes that the rank has not taken yet */
    pthread_mutex_t lock;
};

/* What happens to a report that came alone. */
enum reports {
    REPORTS_TIMED, /* it is held until release_ns */
    REPORTS_HELD,
    REPORTS_RELEASED,
};

struct mend_iof {
    const struct mend_options *o;
    int n, direct_rank;
    struct stream *stream; /* 2 per rank: output, error */
    int (*child_end)[3];   /* per rank, while it is being started */
    struct sink sink[2], *out, *err;
    struct sink
        *file; /* 2 per rank, if there are files in place of ours (mend_options.out_pattern) */
    struct input input;
    struct pollfd *poll; /* streams that can be read, then three more */
    int *polled;         /* whose descriptor poll[i] is */
    int wake_fd;
    _Atomic int streams_n; /* 2 for each rank up to the last one that was opened */
    _Atomic bool finish;
    enum reports reports;
    const struct mend_post *relay; /* the root, which writes what comes; NULL: this is the root */
    mend_time_ns release_ns;       /* MEND_TIME_NEVER: none is held */
    char *later;                   /* our messages that wait for that */
    size_t later_len;
    pthread_mutex_t lock;                   /* streams and sinks */
    struct mend_iof_news *news, *news_last; /* iof_news.c */
    pthread_mutex_t news_lock;
    pthread_mutex_t files_lock; /* opening files */
    pthread_t thread;
};

/* ---- iof_sink.c ---- */

void mend_iof_sink_open(struct sink *s, int fd);

/* Opens the file and the folders it is in; takes the name.  False: errno, and a message was printed. */
bool mend_iof_open_file(struct mend_iof *f, struct sink *s, char *name);

/* Writes bytes, of which there is at least one; an open line is the owner's, NULL: a message's. */
void mend_iof_sink_write(struct sink *s, const char *at, size_t len, struct stream *owner,
                         mend_time_ns now);

/* Ends somebody else's open line. */
void mend_iof_break_line(struct sink *s);

/* Says once of each sink that nothing more can be written to it. */
void mend_iof_complain(struct mend_iof *f);

/* ---- iof_open.c ---- */

/* Where a stream of rank i goes, which runs on that host; NULL: the file cannot be opened (a message was printed).  Any thread. */
struct sink *mend_iof_sink_of(struct mend_iof *f, int i, bool error, const char *host);

/* What a stream is.  The lock is held. */
void mend_iof_set_stream(struct mend_iof *f, struct stream *s, int i, bool error,
                         struct sink *sink);

/* ---- iof_news.c ---- */

/* News with room for len bytes; the list takes them, and the thread is not woken.  What is in the list goes to the streams; the
 * lock is held. */
struct mend_iof_news *mend_iof_news(struct stream *s, int rank, bool error,
                                    enum mend_output_step step, size_t len);
void mend_iof_add_news(struct mend_iof *f, struct mend_iof_news *n);
void mend_iof_take_news(struct mend_iof *f);

/* ---- iof_relay.c ---- */

/* The root is told of the stream; gets what is in the buffer, as far as it takes it now. */
void mend_iof_relay_open(struct mend_iof *f, struct stream *s);
void mend_iof_relay_stream(struct mend_iof *f, struct stream *s);

/* So much was written; -1: nobody reads the rest. */
void mend_iof_say_written(const struct stream *s, int64_t bytes);

/* ---- iof_stream.c ---- */

/* Adds bytes, for which there is room.  Nothing comes any more, and what is there is forgotten. */
void mend_iof_add(struct stream *s, const char *data, size_t n, mend_time_ns now);
void mend_iof_close_stream(struct stream *s);

/* Reads what is there.  Our end is non-blocking.  False: nothing (now, or for ever). */
bool mend_iof_pull(struct stream *s, mend_time_ns now);

/* Pushes until nothing more can be written, for a line that ends frees the sink for others.  Takes the
 * lock.  Returns when to look again. */
mend_time_ns mend_iof_push_all(struct mend_iof *f);

/* Writes what the stream's rank has written up to now, and no more: it may go on. */
void mend_iof_take(struct mend_iof *f, struct stream *s, mend_time_ns now);

/* The ranks have ended: writes all that is left, one stream after the other, so that no line is torn.
 * An open line is ended first, and reports come last.  Takes the lock. */
void mend_iof_drain_all(struct mend_iof *f);

/* Writes text to the stream's sink, with the stream's time and tag before each line. */
void mend_iof_write_text(struct stream *s, const char *text, size_t len, mend_time_ns now);

/* Forgets the first bytes of the buffer. */
void mend_iof_drop_head(struct stream *s, size_t len);

/* ---- iof_report.c ---- */

/* The bytes of the report that comes next in the stream, 0: something else does. */
size_t mend_iof_next_report(const struct stream *s);

/* The bytes before the first report that does not come next. */
size_t mend_iof_before_report(const struct stream *s);

/* The report that comes next waits for equal ones.  Nobody can write one if there is one rank. */
bool mend_iof_holds(struct mend_iof *f, const struct stream *s, size_t report, mend_time_ns now);

/* Writes the report that comes next, as one with those that are equal, below what the ranks printed before. */
void mend_iof_write_report(struct mend_iof *f, struct stream *s, size_t report, mend_time_ns now);

/* Writes the messages that were waiting, if no report is held any more. */
void mend_iof_release_messages(struct mend_iof *f, mend_time_ns now);

/* ---- iof_input.c ---- */

/* Somebody wants our input, and there is room for it; it is ours to read. */
bool mend_iof_wants_input(struct mend_iof *f);
bool mend_iof_may_read_input(void);

/* The pipe to the rank, and what it is polled for. */
struct pollfd mend_iof_input_poll(struct mend_iof *f);

/* What has come goes on; the pipe has room, or nobody reads it (POLLERR). */
void mend_iof_input_read(struct mend_iof *f);
void mend_iof_input_write(struct mend_iof *f, short events);

/* fd is the other end of the rank's standard input.  At an agent of another node the root is told. */
void mend_iof_input_open(struct mend_iof *f, int fd);

/* No more input goes to that agent. */
void mend_iof_input_end(struct mend_iof *f, const struct mend_post *agent);

/* ---- iof.c ---- */

/* Has the thread look at everything again. */
void mend_iof_wake(struct mend_iof *f);

#endif
