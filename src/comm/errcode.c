/* SPDX-License-Identifier: BSD-3-Clause */
/* errcode.c – error classes, codes and texts, the standard's and the user's. */
#include "comm/errcode.h"

#include "comm/objects.h"

#include <stdio.h>

struct user_code {
    int class;   /* its own number if it is a class */
    int codes_n; /* of a class: codes that belong to it */
    char *text;
};

#define TEXT(name, what) [name] = #name ": " what

static const char *const texts[] = {
    [MPI_SUCCESS] = "MPI_SUCCESS: no error",
    TEXT(MPI_ERR_BUFFER, "the address of a buffer is not valid"),
    TEXT(MPI_ERR_COUNT, "a count is negative or too large"),
    TEXT(MPI_ERR_TYPE, "not a datatype, or one that is not committed"),
    TEXT(MPI_ERR_TAG, "a tag is negative or larger than MPI_TAG_UB"),
    TEXT(MPI_ERR_COMM, "not a communicator, or of the wrong kind, or freed"),
    TEXT(MPI_ERR_RANK, "no such rank in the group"),
    TEXT(MPI_ERR_REQUEST, "not a request, or freed"),
    TEXT(MPI_ERR_ROOT, "no such rank for the root"),
    TEXT(MPI_ERR_GROUP, "not a group, or freed, or not a part of the communicator's"),
    TEXT(MPI_ERR_OP, "not an operator, or one that is not defined for the datatype"),
    TEXT(MPI_ERR_TOPOLOGY, "the communicator has no topology of this kind"),
    TEXT(MPI_ERR_DIMS, "the dimensions do not fit the number of processes"),
    TEXT(MPI_ERR_ARG, "an argument is not valid"),
    TEXT(MPI_ERR_UNKNOWN, "an unknown error"),
    TEXT(MPI_ERR_TRUNCATE, "the message is longer than the receive buffer"),
    TEXT(MPI_ERR_OTHER, "another error"),
    TEXT(MPI_ERR_INTERN, "an error inside the library"),
    [MPI_ERR_PENDING] =
        "MPI_ERR_PENDING (MPIX_ERR_PROC_FAILED_PENDING): the operation is still pending",
    TEXT(MPI_ERR_IN_STATUS, "the error is in the status of a request"),
    TEXT(MPI_ERR_ACCESS, "permission denied"),
    TEXT(MPI_ERR_AMODE, "the access mode is not valid or not supported"),
    TEXT(MPI_ERR_ASSERT, "the assertion is not valid"),
    TEXT(MPI_ERR_BAD_FILE, "the name of the file is not valid"),
    TEXT(MPI_ERR_BASE, "the base address is not valid"),
    TEXT(MPI_ERR_CONVERSION, "a function that converts data has failed"),
    TEXT(MPI_ERR_DISP, "the displacement is not valid"),
    TEXT(MPI_ERR_DUP_DATAREP, "this data representation is defined already"),
    TEXT(MPI_ERR_FILE_EXISTS, "the file exists"),
    TEXT(MPI_ERR_FILE_IN_USE, "the file is in use"),
    TEXT(MPI_ERR_FILE, "not a file handle"),
    TEXT(MPI_ERR_INFO_KEY, "a key is empty or too long"),
    TEXT(MPI_ERR_INFO_NOKEY, "the info object does not have this key"),
    TEXT(MPI_ERR_INFO_VALUE, "a value is too long or means nothing"),
    TEXT(MPI_ERR_INFO, "not an info object, or freed, or not to be changed"),
    TEXT(MPI_ERR_IO, "an error of input or output"),
    TEXT(MPI_ERR_KEYVAL, "not a key value of this kind, or freed, or predefined"),
    TEXT(MPI_ERR_LOCKTYPE, "the kind of lock is not valid"),
    TEXT(MPI_ERR_NAME, "the service is not published"),
    TEXT(MPI_ERR_NO_MEM, "no memory"),
    TEXT(MPI_ERR_NOT_SAME, "an argument differs between processes that must agree on it"),
    TEXT(MPI_ERR_NO_SPACE, "no space on the device"),
    TEXT(MPI_ERR_NO_SUCH_FILE, "the file does not exist"),
    TEXT(MPI_ERR_PORT, "the name of the port is not valid"),
    TEXT(MPI_ERR_QUOTA, "the quota is exceeded"),
    TEXT(MPI_ERR_READ_ONLY, "the file or file system is read-only"),
    TEXT(MPI_ERR_RMA_ATTACH, "the memory cannot be attached to the window"),
    TEXT(MPI_ERR_RMA_CONFLICT, "conflicting accesses to the window"),
    TEXT(MPI_ERR_RMA_RANGE, "the target memory is not a part of the window"),
    TEXT(MPI_ERR_RMA_SHARED, "the memory cannot be shared"),
    TEXT(MPI_ERR_RMA_SYNC, "the synchronisation of the window is wrong"),
    TEXT(MPI_ERR_SERVICE, "the service is not published by this process"),
    TEXT(MPI_ERR_SIZE, "a size is not valid"),
    TEXT(MPI_ERR_SPAWN, "the processes could not be started"),
    TEXT(MPI_ERR_UNSUPPORTED_DATAREP, "the data representation is not supported"),
    TEXT(MPI_ERR_UNSUPPORTED_OPERATION, "this library does not support the operation"),
    TEXT(MPI_ERR_WIN, "not a window"),
    TEXT(MPI_ERR_RMA_FLAVOR, "the window is of the wrong flavour"),
    TEXT(MPI_ERR_PROC_ABORTED, "a process has aborted"),
    TEXT(MPI_ERR_VALUE_TOO_LARGE, "a value does not fit into the output argument"),
    TEXT(MPI_ERR_SESSION, "not a session"),
    TEXT(MPI_ERR_ERRHANDLER, "not an error handler, or not one for this kind of object"),
    TEXT(MPI_ERR_ABI, "contradicts what was said about the ABI before"),
};

#define TOOL_FIRST       MPI_T_ERR_CANNOT_INIT
#define TOOL(name, what) [name - TOOL_FIRST] = #name ": " what

static const char *const tool_texts[] = {
    TOOL(MPI_T_ERR_CANNOT_INIT, "the tool interface cannot be initialized"),
    TOOL(MPI_T_ERR_NOT_ACCESSIBLE, "the tool interface cannot be used here"),
    TOOL(MPI_T_ERR_NOT_INITIALIZED, "the tool interface is not initialized"),
    TOOL(MPI_T_ERR_NOT_SUPPORTED, "not supported"),
    TOOL(MPI_T_ERR_MEMORY, "no memory"),
    TOOL(MPI_T_ERR_INVALID, "an argument is not valid"),
    TOOL(MPI_T_ERR_INVALID_INDEX, "no such index"),
    TOOL(MPI_T_ERR_INVALID_ITEM, "no such item"),
    TOOL(MPI_T_ERR_INVALID_SESSION, "not a session"),
    TOOL(MPI_T_ERR_INVALID_HANDLE, "not a handle"),
    TOOL(MPI_T_ERR_INVALID_NAME, "no such name"),
    TOOL(MPI_T_ERR_OUT_OF_HANDLES, "no more handles"),
    TOOL(MPI_T_ERR_OUT_OF_SESSIONS, "no more sessions"),
    TOOL(MPI_T_ERR_CVAR_SET_NOT_NOW, "the variable cannot be set now"),
    TOOL(MPI_T_ERR_CVAR_SET_NEVER, "the variable cannot be set"),
    TOOL(MPI_T_ERR_PVAR_NO_WRITE, "the variable cannot be written"),
    TOOL(MPI_T_ERR_PVAR_NO_STARTSTOP, "the variable cannot be started or stopped"),
    TOOL(MPI_T_ERR_PVAR_NO_ATOMIC, "the variable cannot be read and reset at once"),
};

/* The text of a predefined class, NULL if there is none of this number. */
static const char *predefined(int code)
{
    if (code >= 0 && code < (int)MEND_COUNT_OF(texts))
        return texts[code];
    if (code >= TOOL_FIRST && code < TOOL_FIRST + (int)MEND_COUNT_OF(tool_texts))
        return tool_texts[code - TOOL_FIRST];
    if (code == MPI_ERR_PROC_FAILED)
        return "MPI_ERR_PROC_FAILED: a process that the operation needs is dead";
    if (code == MPI_ERR_INVALIDATED)
        return "MPI_ERR_REVOKED (MPI_ERR_INVALIDATED): the communicator was revoked";
    return NULL;
}

static struct user_code *find(struct mend_proc *self, int code)
{
    return mend_hash_get(&self->objects->codes, (uint64_t)code);
}

int mend_errcode_class(struct mend_proc *self, int code, int *class_p)
{
    struct user_code *u = find(self, code);

    if (!u && !predefined(code))
        return MPI_ERR_ARG;
    *class_p = u ? u->class : code;
    return MPI_SUCCESS;
}

int mend_errcode_text(struct mend_proc *self, int code, char *text, size_t max)
{
    struct user_code *u = find(self, code);
    const char *known = predefined(code);
    int n;

    if (!u && !known)
        return MPI_ERR_ARG;
    n = snprintf(text, max, "%s", known ? known : u->text ? u->text : "");
    if (known && n > 0 && (size_t)n < max)
        mend_failure_text(self, code, text, (size_t)n, max);
    return MPI_SUCCESS;
}

/* Takes the next number; class 0: it is a class itself. */
static int add(struct mend_proc *self, int class, int *code_p)
{
    struct mend_objects *o = self->objects;
    int code = o->values.last_used_code + 1;
    struct user_code *u = mend_zalloc(self, 1, sizeof(*u));

    if (!u)
        return MPI_ERR_NO_MEM;
    u->class = class ? class : code;
    if (mend_hash_put(&o->codes, (uint64_t)code, u) != MEND_OK) {
        mend_free(self, u);
        return MPI_ERR_NO_MEM;
    }
    o->values.last_used_code = code;
    *code_p = code;
    return MPI_SUCCESS;
}

static bool is_class(const struct user_code *u, int code)
{
    return u && u->class == code;
}

int mend_errcode_add_class(struct mend_proc *self, int *class_p)
{
    return add(self, 0, class_p);
}

int mend_errcode_add_code(struct mend_proc *self, int class, int *code_p)
{
    struct user_code *owner = find(self, class);
    int err;

    if (class == MPI_SUCCESS || (!is_class(owner, class) && !predefined(class)))
        return MPI_ERR_ARG;
    err = add(self, class, code_p);
    if (!err && owner)
        owner->codes_n++;
    return err;
}

int mend_errcode_add_text(struct mend_proc *self, int code, const char *text)
{
    struct user_code *u = find(self, code);
    char *copy;

    if (!u)
        return MPI_ERR_ARG;
    copy = mend_strdup(self, text, MPI_MAX_ERROR_STRING);
    if (!copy)
        return MPI_ERR_NO_MEM;
    mend_free(self, u->text);
    u->text = copy;
    return MPI_SUCCESS;
}

static void forget(struct mend_proc *self, int code, struct user_code *u)
{
    mend_hash_remove(&self->objects->codes, (uint64_t)code);
    mend_free(self, u->text);
    mend_free(self, u);
}

int mend_errcode_remove_class(struct mend_proc *self, int class)
{
    struct user_code *u = find(self, class);

    if (!is_class(u, class) || u->codes_n > 0 || u->text)
        return MPI_ERR_ARG;
    forget(self, class, u);
    return MPI_SUCCESS;
}

int mend_errcode_remove_code(struct mend_proc *self, int code)
{
    struct user_code *u = find(self, code), *owner;

    if (!u || is_class(u, code) || u->text)
        return MPI_ERR_ARG;
    owner = find(self, u->class);
    if (owner)
        owner->codes_n--;
    forget(self, code, u);
    return MPI_SUCCESS;
}

int mend_errcode_remove_text(struct mend_proc *self, int code)
{
    struct user_code *u = find(self, code);

    if (!u || !u->text)
        return MPI_ERR_ARG;
    mend_free(self, u->text);
    u->text = NULL;
    return MPI_SUCCESS;
}
