/* SPDX-License-Identifier: BSD-3-Clause */
/* tool.h – the tool information interface (MPI-5.0 15.3): what tools may read, change and hear of.
 *
 *   control variables      the parameters of base/param.def                           cvar.c
 *   performance variables  what the library counts, or has at hand; sessions, handles  pvar.c
 *   events                 deaths, revocations, agreements, as they become known       event.c
 *   categories             which of them belong together                              category.c
 *   enumerations           words for numbers                                          tool.c
 *
 * A process has one `struct mend_tool`, from the first MPI_T_init_thread() on and for as long as the process lives: what a
 * tool has set outlives MPI_T_finalize().  Objects with a handle are in one table by their address, so a handle
 * that is none is an error and never an access to memory.
 *
 * All functions are local, wait for nothing, and are called with the lock of the process.  They return MPI_SUCCESS or an
 * error class of the interface (MPI_T_ERR_*); no error handler is called.  A death changes values and nothing else. */
#ifndef MEND_TOOL_TOOL_H
#define MEND_TOOL_TOOL_H

#include "comm/comm.h"
#include "req/request.h"

enum mend_tool_kind {
    MEND_TOOL_CVAR = 1,
    MEND_TOOL_PVAR,
    MEND_TOOL_SESSION,
    MEND_TOOL_REGISTRATION,
    MEND_TOOL_INSTANCE
};

/* The first member of everything that has a handle. */
struct mend_tool_object {
    enum mend_tool_kind kind;
};

/* Words for the numbers 0, 1, ...; MPI_T_enum points to one. */
struct mend_tool_enum {
    const char *name, *words; /* the words are separated by spaces */
};

#define MEND_TOOL_PARAMS     32  /* at least as many as there are parameters */
#define MEND_TOOL_TEXT_BYTES 256 /* of a control variable that is a text, with its end */

struct mend_tool {
    struct mend_proc *self;
    int inits_n; /* MPI_T_init_thread() without MPI_T_finalize() */
    int thread_level;
    struct mend_hash objects; /* address -> the object */

    /* cvar.c: what tools have set, for MPI_Init. */
    struct mend_params given;
    bool is_given[MEND_TOOL_PARAMS];
    char texts[MEND_TOOL_PARAMS][MEND_TOOL_TEXT_BYTES];

    /* pvar.c */
    struct mend_wait_times wait_times;
    int timers_n; /* handles of timers that run: only then the library looks at the clock */

    /* event.c */
    struct mend_list registrations,
        queue;                       /* struct mend_tool_registration.link, ..._instance.link */
    struct mend_tool_instance *told; /* whose callback runs; NULL: none does */
    bool telling;
};

/* Initializes the interface once more.  MPI_T_ERR_MEMORY; MPI_T_ERR_INVALID: no thread level.  *provided_p: less than
 * MPI_THREAD_MULTIPLE if MPI runs with less, because its calls take no lock then. */
int mend_tool_open(struct mend_proc *self, int required, int *provided_p);

/* The last one of them ends: all objects of tools are gone, if a callback says so when it has returned. */
void mend_tool_close(struct mend_tool *t);
void mend_tool_end(struct mend_tool *t); /* for mend_tool_close() */

/* MPI starts: what tools have set holds, whatever the environment says. */
void mend_tool_apply(struct mend_tool *t);

/* Objects. */
void *mend_tool_new(struct mend_tool *t, enum mend_tool_kind kind, size_t size); /* NULL: memory */
void mend_tool_drop(struct mend_tool *t, void *object);
/* NULL: there is no such object of this kind. */
void *mend_tool_find(const struct mend_tool *t, const void *handle, enum mend_tool_kind kind);

/* A text that a tool asks for (15.3.3): at most *len bytes go to buf, and *len becomes the number of bytes; without
 * a buffer that of the whole text.  buf and len may be NULL. */
void mend_tool_text(const char *text, char *buf, int *len);

/* Enumerations.  n: how many words; item: the text of word i goes to buf, of MEND_TOOL_WORD_BYTES. */
#define MEND_TOOL_WORD_BYTES 64
int mend_tool_enum_n(const struct mend_tool_enum *e);
void mend_tool_enum_word(const struct mend_tool_enum *e, int i, char *buf);
/* The enumeration of a handle; NULL: there is none. */
const struct mend_tool_enum *mend_tool_enum_of(MPI_T_enum handle);
static inline MPI_T_enum mend_tool_enum_handle(const struct mend_tool_enum *e) /* NULL: none */
{
    return (MPI_T_enum)(uintptr_t)e;
}

extern const struct mend_tool_enum mend_tool_enums[];
enum mend_tool_enum_id {
    MEND_ENUM_NONE = -1,
#define MEND_ENUM(id_, name_, words_) MEND_ENUM_##id_,
#include "tool/enum.def"
#undef MEND_ENUM
    MEND_ENUMS
};

/* Categories. */
enum mend_tool_category {
#define MEND_CATEGORY(id_, name_, what_) MEND_CATEGORY_##id_,
#include "tool/category.def"
#undef MEND_CATEGORY
    MEND_CATEGORIES
};

struct mend_tool_category_info {
    const char *name, *what;
};
extern const struct mend_tool_category_info mend_tool_category_list[MEND_CATEGORIES];

/* What belongs to a category, in the order of the indices.  The first len indices go to `indices`; returns how many there
 * are. */
int mend_tool_category_cvars(int category, int len, int *indices);
int mend_tool_category_pvars(int category, int len, int *indices);
int mend_tool_category_events(int category, int len, int *indices);
int mend_tool_category_parts(int category, int len, int *indices);

/* Control variables: one for each parameter, with its index. */
enum mend_tool_when { MEND_WHEN_ANY, MEND_WHEN_START, MEND_WHEN_NEVER };

struct mend_tool_cvar {
    int scope; /* MPI_T_SCOPE_... */
    enum mend_tool_when when;
    int verbosity;
    enum mend_tool_category category;
    size_t offset; /* in struct mend_params */
};
extern const struct mend_tool_cvar mend_tool_cvar_list[];
int mend_tool_cvars_n(void);
void mend_tool_cvar_name(int i, char *buf); /* MEND_TOOL_WORD_BYTES; as in the environment */
MPI_Datatype mend_tool_cvar_type(int i);
int mend_tool_cvar_count(int i);                         /* of elements of that type */
const struct mend_tool_enum *mend_tool_cvar_enum(int i); /* NULL: none */
void mend_tool_cvar_read(const struct mend_tool *t, int i, void *buf);

/* MPI_T_ERR_CVAR_SET_NEVER, MPI_T_ERR_CVAR_SET_NOT_NOW; MPI_T_ERR_INVALID: not a value of the parameter. */
int mend_tool_cvar_write(struct mend_tool *t, int i, const void *buf);

struct mend_tool_cvar_handle {
    struct mend_tool_object base;
    int index;
};

/* Performance variables. */
enum mend_tool_pvar_id {
#define MEND_PVAR(name_, class_, type_, bind_, flags_, enum_, verbosity_, category_, what_)        \
    MEND_PVAR_##name_,
#include "tool/pvar.def"
#undef MEND_PVAR
    MEND_PVARS
};

/* A number, in n or in x, as the variable's type says. */
struct mend_tool_value {
    uint64_t n;
    double x;
};

struct mend_tool_pvar {
    const char *name, *what;
    int class, bind, verbosity; /* MPI_T_... */
    char type;                  /* N, X, I */
    bool runs;
    const struct mend_tool_enum *words; /* NULL: none */
    enum mend_tool_category category;
};
extern const struct mend_tool_pvar mend_tool_pvar_list[MEND_PVARS];
MPI_Datatype mend_tool_pvar_type(const struct mend_tool_pvar *v);

/* pvar_read.c: its value now, of c if it is bound to communicators.  MPI may be not initialized, or finalized. */
struct mend_tool_value mend_tool_pvar_now(const struct mend_tool *t, enum mend_tool_pvar_id id,
                                          const struct mend_comm *c);

struct mend_tool_session {
    struct mend_tool_object base;
    struct mend_list handles; /* struct mend_tool_pvar_handle.link */
};

/* A variable in a session.
 *
 *   counts (counter, aggregate, timer)   what has come since it runs is (now - since); before that: sum
 *   high-water mark                      sum is the most that was seen; tools share one peak, which is taken over
 *                                        by all of them before it begins anew */
struct mend_tool_pvar_handle {
    struct mend_tool_object base;
    struct mend_list link;
    struct mend_tool_session *session;
    enum mend_tool_pvar_id id;
    const struct mend_comm *comm; /* NULL: bound to nothing */
    mend_ctx ctx;                 /* of the communicator, which the tool may have freed meanwhile */
    bool running;
    struct mend_tool_value since, sum;
};

/* NULL: no memory. */
struct mend_tool_session *mend_tool_session_new(struct mend_tool *t);
void mend_tool_session_drop(struct mend_tool *t, struct mend_tool_session *s);
/* c: the communicator that it is bound to, NULL if to none. */
struct mend_tool_pvar_handle *mend_tool_pvar_new(struct mend_tool *t, struct mend_tool_session *s,
                                                 int id, struct mend_comm *c);
void mend_tool_pvar_drop(struct mend_tool *t, struct mend_tool_pvar_handle *h);

/* MPI_T_ERR_PVAR_NO_STARTSTOP: it always runs.  MPI_T_ERR_PVAR_NO_WRITE: it can only be read.
 * MPI_T_ERR_INVALID_HANDLE: its communicator is gone. */
int mend_tool_pvar_start(struct mend_tool *t, struct mend_tool_pvar_handle *h);
int mend_tool_pvar_stop(struct mend_tool *t, struct mend_tool_pvar_handle *h);
int mend_tool_pvar_read(struct mend_tool *t, struct mend_tool_pvar_handle *h, void *buf);
int mend_tool_pvar_write(struct mend_tool *t, struct mend_tool_pvar_handle *h, const void *buf);
int mend_tool_pvar_reset(struct mend_tool *t, struct mend_tool_pvar_handle *h);

#endif
