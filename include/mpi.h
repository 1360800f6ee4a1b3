/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi.h – MPI-5.0 for C and C++, as the standard's application binary interface (chapter 20).
 *
 * A program compiled with this header runs with any library that offers the same ABI
 * (libmpi_abi.so.1), and a program compiled with another header of that ABI runs with this library.
 *
 *   versions, types, predefined handles, addresses, error classes, other constants
 *   functions, by chapter of the standard:
 *      3 point-to-point       4 partitioned          5 datatypes
 *      6 collective           7 groups, communicators, caching
 *      8 topologies           9 environment         10 info
 *     11 processes           12 one-sided           13 external interfaces
 *     14 I/O                 15 tool support        16 deprecated
 *     19 language bindings   20 the ABI itself
 *   the PMPI_ twin of every function           (mpi_profile.h)
 *   what the compiler can check of buffers     (mpi_buffers.h), where it can
 *   what old programs still use                (mpi_old.h)  } unless MEND_STANDARD_ONLY is
 *   calls for programs that survive failures   (mpi_ft.h)   } defined before the inclusion
 *
 * Every value here is fixed by the standard: a change breaks programs that are already compiled.
 * The list is checked against test/abi/ in every build.
 *
 * 1. A handle is a pointer to a struct that nobody can look into.  Predefined handles are small
 *    integers below 0x1000, each class with a null value of its own; 0 is not a handle of any class.
 * 2. Prototypes begin with `extern`, so that a search for "^int MPI_Send(" finds the definition.
 * 3. A name that ends in _c is the form with MPI_Count for numbers that may exceed an int.
 */
#ifndef MEND_MPI_H
#define MEND_MPI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define MEND_CAST(type, value) reinterpret_cast<type>(value) /* clean under -Wold-style-cast */
#else
#define MEND_CAST(type, value) ((type)(value))
#endif

/* --------------------------------------------------------------------------
 * Versions of the standard and of its ABI
 * -------------------------------------------------------------------------- */

#define MPI_VERSION        5
#define MPI_SUBVERSION     0
#define MPI_ABI_VERSION    1
#define MPI_ABI_SUBVERSION 0

/* --------------------------------------------------------------------------
 * Types
 * -------------------------------------------------------------------------- */

typedef intptr_t MPI_Aint;  /* an address, or a distance in bytes */
typedef int64_t MPI_Offset; /* a position in a file */
typedef int64_t MPI_Count;  /* a number of elements */

/* Handles */
typedef struct MPI_ABI_Comm *MPI_Comm;
typedef struct MPI_ABI_Datatype *MPI_Datatype;
typedef struct MPI_ABI_Errhandler *MPI_Errhandler;
typedef struct MPI_ABI_File *MPI_File;
typedef struct MPI_ABI_Group *MPI_Group;
typedef struct MPI_ABI_Info *MPI_Info;
typedef struct MPI_ABI_Message *MPI_Message;
typedef struct MPI_ABI_Op *MPI_Op;
typedef struct MPI_ABI_Request *MPI_Request;
typedef struct MPI_ABI_Session *MPI_Session;
typedef struct MPI_ABI_Win *MPI_Win;

/* What a receive or another completed operation tells.  32 bytes; programs may copy it. */
typedef struct MPI_Status {
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;
    int MPI_internal[5]; /* the library's: length, cancelled */
} MPI_Status;

/* Callbacks: reduction operators */
typedef void(MPI_User_function)(void *invec, void *inoutvec, int *len, MPI_Datatype *datatype);
typedef void(MPI_User_function_c)(void *invec, void *inoutvec, MPI_Count *len,
                                  MPI_Datatype *datatype);

/* Callbacks: error handlers.  A file's and a window's handler may be called with a null handle. */
typedef void(MPI_Comm_errhandler_function)(MPI_Comm *comm, int *error_code, ...);
typedef void(MPI_File_errhandler_function)(MPI_File *file, int *error_code, ...);
typedef void(MPI_Win_errhandler_function)(MPI_Win *win, int *error_code, ...);
typedef void(MPI_Session_errhandler_function)(MPI_Session *session, int *error_code, ...);
typedef MPI_Comm_errhandler_function MPI_Comm_errhandler_fn;
typedef MPI_File_errhandler_function MPI_File_errhandler_fn;
typedef MPI_Win_errhandler_function MPI_Win_errhandler_fn;
typedef MPI_Session_errhandler_function MPI_Session_errhandler_fn;

/* Callbacks: copying and deleting attributes */
typedef int(MPI_Comm_copy_attr_function)(MPI_Comm comm, int keyval, void *extra_state,
                                         void *attribute_val_in, void *attribute_val_out,
                                         int *flag);
typedef int(MPI_Comm_delete_attr_function)(MPI_Comm comm, int keyval, void *attribute_val,
                                           void *extra_state);
typedef int(MPI_Type_copy_attr_function)(MPI_Datatype datatype, int keyval, void *extra_state,
                                         void *attribute_val_in, void *attribute_val_out,
                                         int *flag);
typedef int(MPI_Type_delete_attr_function)(MPI_Datatype datatype, int keyval, void *attribute_val,
                                           void *extra_state);
typedef int(MPI_Win_copy_attr_function)(MPI_Win win, int keyval, void *extra_state,
                                        void *attribute_val_in, void *attribute_val_out, int *flag);
typedef int(MPI_Win_delete_attr_function)(MPI_Win win, int keyval, void *attribute_val,
                                          void *extra_state);
typedef int(MPI_Copy_function)(MPI_Comm comm, int keyval, void *extra_state, void *attribute_val_in,
                               void *attribute_val_out, int *flag); /* deprecated */
typedef int(MPI_Delete_function)(MPI_Comm comm, int keyval, void *attribute_val,
                                 void *extra_state); /* deprecated */

/* Callbacks: generalized requests */
typedef int(MPI_Grequest_query_function)(void *extra_state, MPI_Status *status);
typedef int(MPI_Grequest_free_function)(void *extra_state);
typedef int(MPI_Grequest_cancel_function)(void *extra_state, int complete);

/* Callbacks: data representations of files */
typedef int(MPI_Datarep_extent_function)(MPI_Datatype datatype, MPI_Aint *extent,
                                         void *extra_state);
typedef int(MPI_Datarep_conversion_function)(void *userbuf, MPI_Datatype datatype, int count,
                                             void *filebuf, MPI_Offset position, void *extra_state);
typedef int(MPI_Datarep_conversion_function_c)(void *userbuf, MPI_Datatype datatype,
                                               MPI_Count count, void *filebuf, MPI_Offset position,
                                               void *extra_state);

/* Tool information interface: handles, what an event's callback may do, order of a source */
typedef struct MPI_ABI_T_enum *MPI_T_enum;
typedef struct MPI_ABI_T_cvar_handle *MPI_T_cvar_handle;
typedef struct MPI_ABI_T_pvar_handle *MPI_T_pvar_handle;
typedef struct MPI_ABI_T_pvar_session *MPI_T_pvar_session;
typedef struct MPI_ABI_T_event_registration *MPI_T_event_registration;
typedef struct MPI_ABI_T_event_instance *MPI_T_event_instance;

typedef enum MPI_T_cb_safety {
    MPI_T_CB_REQUIRE_NONE = 0x00,
    MPI_T_CB_REQUIRE_MPI_RESTRICTED = 0x03,
    MPI_T_CB_REQUIRE_THREAD_SAFE = 0x0f,
    MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE = 0x3f
} MPI_T_cb_safety;

typedef enum MPI_T_source_order {
    MPI_T_SOURCE_ORDERED = 1,
    MPI_T_SOURCE_UNORDERED = 2
} MPI_T_source_order;

typedef void(MPI_T_event_cb_function)(MPI_T_event_instance event_instance,
                                      MPI_T_event_registration event_registration,
                                      MPI_T_cb_safety cb_safety, void *user_data);
typedef void(MPI_T_event_free_cb_function)(MPI_T_event_registration event_registration,
                                           MPI_T_cb_safety cb_safety, void *user_data);
typedef void(MPI_T_event_dropped_cb_function)(MPI_Count count,
                                              MPI_T_event_registration event_registration,
                                              int source_index, MPI_T_cb_safety cb_safety,
                                              void *user_data);

/* --------------------------------------------------------------------------
 * Predefined handles: small integers, each class in a range of its own
 * -------------------------------------------------------------------------- */

/* Communicators and groups */
#define MPI_COMM_NULL   MEND_CAST(MPI_Comm, 0x100)
#define MPI_COMM_WORLD  MEND_CAST(MPI_Comm, 0x101)
#define MPI_COMM_SELF   MEND_CAST(MPI_Comm, 0x102)
#define MPI_GROUP_NULL  MEND_CAST(MPI_Group, 0x108)
#define MPI_GROUP_EMPTY MEND_CAST(MPI_Group, 0x109)

/* Error handlers */
#define MPI_ERRHANDLER_NULL  MEND_CAST(MPI_Errhandler, 0x140)
#define MPI_ERRORS_ARE_FATAL MEND_CAST(MPI_Errhandler, 0x141)
#define MPI_ERRORS_ABORT     MEND_CAST(MPI_Errhandler, 0x142)
#define MPI_ERRORS_RETURN    MEND_CAST(MPI_Errhandler, 0x143)

/* Reduction operators */
#define MPI_OP_NULL MEND_CAST(MPI_Op, 0x020)
#define MPI_SUM     MEND_CAST(MPI_Op, 0x021)
#define MPI_MIN     MEND_CAST(MPI_Op, 0x022)
#define MPI_MAX     MEND_CAST(MPI_Op, 0x023)
#define MPI_PROD    MEND_CAST(MPI_Op, 0x024)
#define MPI_BAND    MEND_CAST(MPI_Op, 0x028)
#define MPI_BOR     MEND_CAST(MPI_Op, 0x029)
#define MPI_BXOR    MEND_CAST(MPI_Op, 0x02a)
#define MPI_LAND    MEND_CAST(MPI_Op, 0x030)
#define MPI_LOR     MEND_CAST(MPI_Op, 0x031)
#define MPI_LXOR    MEND_CAST(MPI_Op, 0x032)
#define MPI_MINLOC  MEND_CAST(MPI_Op, 0x038)
#define MPI_MAXLOC  MEND_CAST(MPI_Op, 0x039)
#define MPI_REPLACE MEND_CAST(MPI_Op, 0x03c)
#define MPI_NO_OP   MEND_CAST(MPI_Op, 0x03d)

/* Requests, messages, info objects, windows, files, sessions */
#define MPI_REQUEST_NULL    MEND_CAST(MPI_Request, 0x180)
#define MPI_MESSAGE_NULL    MEND_CAST(MPI_Message, 0x128)
#define MPI_MESSAGE_NO_PROC MEND_CAST(MPI_Message, 0x129)
#define MPI_INFO_NULL       MEND_CAST(MPI_Info, 0x130)
#define MPI_INFO_ENV        MEND_CAST(MPI_Info, 0x131)
#define MPI_WIN_NULL        MEND_CAST(MPI_Win, 0x110)
#define MPI_FILE_NULL       MEND_CAST(MPI_File, 0x118)
#define MPI_SESSION_NULL    MEND_CAST(MPI_Session, 0x120)

/* Datatypes: MPI's own */
#define MPI_DATATYPE_NULL MEND_CAST(MPI_Datatype, 0x200)
#define MPI_AINT          MEND_CAST(MPI_Datatype, 0x201)
#define MPI_COUNT         MEND_CAST(MPI_Datatype, 0x202)
#define MPI_OFFSET        MEND_CAST(MPI_Datatype, 0x203)
#define MPI_PACKED        MEND_CAST(MPI_Datatype, 0x207)

/* Datatypes: C */
#define MPI_SHORT                 MEND_CAST(MPI_Datatype, 0x208)
#define MPI_INT                   MEND_CAST(MPI_Datatype, 0x209)
#define MPI_LONG                  MEND_CAST(MPI_Datatype, 0x20a)
#define MPI_LONG_LONG             MEND_CAST(MPI_Datatype, 0x20b)
#define MPI_LONG_LONG_INT         MPI_LONG_LONG
#define MPI_UNSIGNED_SHORT        MEND_CAST(MPI_Datatype, 0x20c)
#define MPI_UNSIGNED              MEND_CAST(MPI_Datatype, 0x20d)
#define MPI_UNSIGNED_LONG         MEND_CAST(MPI_Datatype, 0x20e)
#define MPI_UNSIGNED_LONG_LONG    MEND_CAST(MPI_Datatype, 0x20f)
#define MPI_FLOAT                 MEND_CAST(MPI_Datatype, 0x210)
#define MPI_DOUBLE                MEND_CAST(MPI_Datatype, 0x214)
#define MPI_LONG_DOUBLE           MEND_CAST(MPI_Datatype, 0x220)
#define MPI_C_FLOAT_COMPLEX       MEND_CAST(MPI_Datatype, 0x212)
#define MPI_C_COMPLEX             MPI_C_FLOAT_COMPLEX
#define MPI_C_DOUBLE_COMPLEX      MEND_CAST(MPI_Datatype, 0x216)
#define MPI_C_LONG_DOUBLE_COMPLEX MEND_CAST(MPI_Datatype, 0x224)
#define MPI_C_BOOL                MEND_CAST(MPI_Datatype, 0x238)
#define MPI_WCHAR                 MEND_CAST(MPI_Datatype, 0x23c)

/* Datatypes: one byte */
#define MPI_CHAR          MEND_CAST(MPI_Datatype, 0x243)
#define MPI_SIGNED_CHAR   MEND_CAST(MPI_Datatype, 0x244)
#define MPI_UNSIGNED_CHAR MEND_CAST(MPI_Datatype, 0x245)
#define MPI_BYTE          MEND_CAST(MPI_Datatype, 0x247)

/* Datatypes: C, of fixed size */
#define MPI_INT8_T   MEND_CAST(MPI_Datatype, 0x240)
#define MPI_UINT8_T  MEND_CAST(MPI_Datatype, 0x241)
#define MPI_INT16_T  MEND_CAST(MPI_Datatype, 0x248)
#define MPI_UINT16_T MEND_CAST(MPI_Datatype, 0x249)
#define MPI_INT32_T  MEND_CAST(MPI_Datatype, 0x250)
#define MPI_UINT32_T MEND_CAST(MPI_Datatype, 0x251)
#define MPI_INT64_T  MEND_CAST(MPI_Datatype, 0x258)
#define MPI_UINT64_T MEND_CAST(MPI_Datatype, 0x259)

/* Datatypes: C++ */
#define MPI_CXX_BOOL                MEND_CAST(MPI_Datatype, 0x239)
#define MPI_CXX_FLOAT_COMPLEX       MEND_CAST(MPI_Datatype, 0x213)
#define MPI_CXX_DOUBLE_COMPLEX      MEND_CAST(MPI_Datatype, 0x217)
#define MPI_CXX_LONG_DOUBLE_COMPLEX MEND_CAST(MPI_Datatype, 0x225)

/* Datatypes: Fortran */
#define MPI_LOGICAL          MEND_CAST(MPI_Datatype, 0x218)
#define MPI_INTEGER          MEND_CAST(MPI_Datatype, 0x219)
#define MPI_REAL             MEND_CAST(MPI_Datatype, 0x21a)
#define MPI_COMPLEX          MEND_CAST(MPI_Datatype, 0x21b)
#define MPI_DOUBLE_PRECISION MEND_CAST(MPI_Datatype, 0x21c)
#define MPI_DOUBLE_COMPLEX   MEND_CAST(MPI_Datatype, 0x21d)
#define MPI_CHARACTER        MEND_CAST(MPI_Datatype, 0x21e)

/* Datatypes: Fortran, of fixed size (optional) */
#define MPI_LOGICAL1  MEND_CAST(MPI_Datatype, 0x2c0)
#define MPI_INTEGER1  MEND_CAST(MPI_Datatype, 0x2c1)
#define MPI_LOGICAL2  MEND_CAST(MPI_Datatype, 0x2c8)
#define MPI_INTEGER2  MEND_CAST(MPI_Datatype, 0x2c9)
#define MPI_REAL2     MEND_CAST(MPI_Datatype, 0x2ca)
#define MPI_LOGICAL4  MEND_CAST(MPI_Datatype, 0x2d0)
#define MPI_INTEGER4  MEND_CAST(MPI_Datatype, 0x2d1)
#define MPI_REAL4     MEND_CAST(MPI_Datatype, 0x2d2)
#define MPI_COMPLEX4  MEND_CAST(MPI_Datatype, 0x2d3)
#define MPI_LOGICAL8  MEND_CAST(MPI_Datatype, 0x2d8)
#define MPI_INTEGER8  MEND_CAST(MPI_Datatype, 0x2d9)
#define MPI_REAL8     MEND_CAST(MPI_Datatype, 0x2da)
#define MPI_COMPLEX8  MEND_CAST(MPI_Datatype, 0x2db)
#define MPI_LOGICAL16 MEND_CAST(MPI_Datatype, 0x2e0)
#define MPI_INTEGER16 MEND_CAST(MPI_Datatype, 0x2e1)
#define MPI_REAL16    MEND_CAST(MPI_Datatype, 0x2e2)
#define MPI_COMPLEX16 MEND_CAST(MPI_Datatype, 0x2e3)
#define MPI_COMPLEX32 MEND_CAST(MPI_Datatype, 0x2eb)

/* Datatypes: pairs for MPI_MINLOC and MPI_MAXLOC */
#define MPI_FLOAT_INT         MEND_CAST(MPI_Datatype, 0x228)
#define MPI_DOUBLE_INT        MEND_CAST(MPI_Datatype, 0x229)
#define MPI_LONG_INT          MEND_CAST(MPI_Datatype, 0x22a)
#define MPI_2INT              MEND_CAST(MPI_Datatype, 0x22b)
#define MPI_SHORT_INT         MEND_CAST(MPI_Datatype, 0x22c)
#define MPI_LONG_DOUBLE_INT   MEND_CAST(MPI_Datatype, 0x22d)
#define MPI_2REAL             MEND_CAST(MPI_Datatype, 0x230)
#define MPI_2DOUBLE_PRECISION MEND_CAST(MPI_Datatype, 0x231)
#define MPI_2INTEGER          MEND_CAST(MPI_Datatype, 0x232)

/* --------------------------------------------------------------------------
 * Addresses with a meaning
 * -------------------------------------------------------------------------- */

#define MPI_BOTTOM           MEND_CAST(void *, 0)
#define MPI_IN_PLACE         MEND_CAST(void *, 1)
#define MPI_BUFFER_AUTOMATIC MEND_CAST(void *, 2)
#define MPI_ARGV_NULL        MEND_CAST(char **, 0)
#define MPI_ARGVS_NULL       MEND_CAST(char ***, 0)
#define MPI_ERRCODES_IGNORE  MEND_CAST(int *, 0)
#define MPI_STATUS_IGNORE    MEND_CAST(MPI_Status *, 0)
#define MPI_STATUSES_IGNORE  MEND_CAST(MPI_Status *, 0)
#define MPI_UNWEIGHTED       MEND_CAST(int *, 10)
#define MPI_WEIGHTS_EMPTY    MEND_CAST(int *, 11)

/* Predefined callbacks: values that the library knows, not functions to call */
#define MPI_COMM_NULL_COPY_FN    MEND_CAST(MPI_Comm_copy_attr_function *, 0)
#define MPI_COMM_DUP_FN          MEND_CAST(MPI_Comm_copy_attr_function *, 1)
#define MPI_COMM_NULL_DELETE_FN  MEND_CAST(MPI_Comm_delete_attr_function *, 0)
#define MPI_TYPE_NULL_COPY_FN    MEND_CAST(MPI_Type_copy_attr_function *, 0)
#define MPI_TYPE_DUP_FN          MEND_CAST(MPI_Type_copy_attr_function *, 1)
#define MPI_TYPE_NULL_DELETE_FN  MEND_CAST(MPI_Type_delete_attr_function *, 0)
#define MPI_WIN_NULL_COPY_FN     MEND_CAST(MPI_Win_copy_attr_function *, 0)
#define MPI_WIN_DUP_FN           MEND_CAST(MPI_Win_copy_attr_function *, 1)
#define MPI_WIN_NULL_DELETE_FN   MEND_CAST(MPI_Win_delete_attr_function *, 0)
#define MPI_CONVERSION_FN_NULL   MEND_CAST(MPI_Datarep_conversion_function *, 0)
#define MPI_CONVERSION_FN_NULL_C MEND_CAST(MPI_Datarep_conversion_function_c *, 0)
#define MPI_NULL_COPY_FN         MEND_CAST(MPI_Copy_function *, 0)
#define MPI_DUP_FN               MEND_CAST(MPI_Copy_function *, 1)
#define MPI_NULL_DELETE_FN       MEND_CAST(MPI_Delete_function *, 0)

/* --------------------------------------------------------------------------
 * Error classes
 * -------------------------------------------------------------------------- */

#define MPI_SUCCESS                   0
#define MPI_ERR_BUFFER                1
#define MPI_ERR_COUNT                 2
#define MPI_ERR_TYPE                  3
#define MPI_ERR_TAG                   4
#define MPI_ERR_COMM                  5
#define MPI_ERR_RANK                  6
#define MPI_ERR_REQUEST               7
#define MPI_ERR_ROOT                  8
#define MPI_ERR_GROUP                 9
#define MPI_ERR_OP                    10
#define MPI_ERR_TOPOLOGY              11
#define MPI_ERR_DIMS                  12
#define MPI_ERR_ARG                   13
#define MPI_ERR_UNKNOWN               14
#define MPI_ERR_TRUNCATE              15
#define MPI_ERR_OTHER                 16
#define MPI_ERR_INTERN                17
#define MPI_ERR_PENDING               18
#define MPI_ERR_IN_STATUS             19
#define MPI_ERR_ACCESS                20
#define MPI_ERR_AMODE                 21
#define MPI_ERR_ASSERT                22
#define MPI_ERR_BAD_FILE              23
#define MPI_ERR_BASE                  24
#define MPI_ERR_CONVERSION            25
#define MPI_ERR_DISP                  26
#define MPI_ERR_DUP_DATAREP           27
#define MPI_ERR_FILE_EXISTS           28
#define MPI_ERR_FILE_IN_USE           29
#define MPI_ERR_FILE                  30
#define MPI_ERR_INFO_KEY              31
#define MPI_ERR_INFO_NOKEY            32
#define MPI_ERR_INFO_VALUE            33
#define MPI_ERR_INFO                  34
#define MPI_ERR_IO                    35
#define MPI_ERR_KEYVAL                36
#define MPI_ERR_LOCKTYPE              37
#define MPI_ERR_NAME                  38
#define MPI_ERR_NO_MEM                39
#define MPI_ERR_NOT_SAME              40
#define MPI_ERR_NO_SPACE              41
#define MPI_ERR_NO_SUCH_FILE          42
#define MPI_ERR_PORT                  43
#define MPI_ERR_QUOTA                 44
#define MPI_ERR_READ_ONLY             45
#define MPI_ERR_RMA_ATTACH            46
#define MPI_ERR_RMA_CONFLICT          47
#define MPI_ERR_RMA_RANGE             48
#define MPI_ERR_RMA_SHARED            49
#define MPI_ERR_RMA_SYNC              50
#define MPI_ERR_SERVICE               51
#define MPI_ERR_SIZE                  52
#define MPI_ERR_SPAWN                 53
#define MPI_ERR_UNSUPPORTED_DATAREP   54
#define MPI_ERR_UNSUPPORTED_OPERATION 55
#define MPI_ERR_WIN                   56
#define MPI_ERR_RMA_FLAVOR            57
#define MPI_ERR_PROC_ABORTED          58
#define MPI_ERR_VALUE_TOO_LARGE       59
#define MPI_ERR_SESSION               60
#define MPI_ERR_ERRHANDLER            61
#define MPI_ERR_ABI                   62

/* Tool information interface */
#define MPI_T_ERR_CANNOT_INIT       1001
#define MPI_T_ERR_NOT_ACCESSIBLE    1002
#define MPI_T_ERR_NOT_INITIALIZED   1003
#define MPI_T_ERR_NOT_SUPPORTED     1004
#define MPI_T_ERR_MEMORY            1005
#define MPI_T_ERR_INVALID           1006
#define MPI_T_ERR_INVALID_INDEX     1007
#define MPI_T_ERR_INVALID_ITEM      1008
#define MPI_T_ERR_INVALID_SESSION   1009
#define MPI_T_ERR_INVALID_HANDLE    1010
#define MPI_T_ERR_INVALID_NAME      1011
#define MPI_T_ERR_OUT_OF_HANDLES    1012
#define MPI_T_ERR_OUT_OF_SESSIONS   1013
#define MPI_T_ERR_CVAR_SET_NOT_NOW  1014
#define MPI_T_ERR_CVAR_SET_NEVER    1015
#define MPI_T_ERR_PVAR_NO_WRITE     1016
#define MPI_T_ERR_PVAR_NO_STARTSTOP 1017
#define MPI_T_ERR_PVAR_NO_ATOMIC    1018

/* The last value that belongs to the MPI Forum */
#define MPI_ERR_LASTCODE 16383

/* --------------------------------------------------------------------------
 * Other constants
 * -------------------------------------------------------------------------- */

/* Ranks and tags */
#define MPI_ANY_SOURCE (-1)
#define MPI_ANY_TAG    (-2)
#define MPI_PROC_NULL  (-3)
#define MPI_ROOT       (-4)
#define MPI_UNDEFINED  (-32766)

/* Lengths of strings, with the terminating zero */
#define MPI_MAX_DATAREP_STRING         128
#define MPI_MAX_ERROR_STRING           512
#define MPI_MAX_INFO_KEY               256
#define MPI_MAX_INFO_VAL               1024
#define MPI_MAX_LIBRARY_VERSION_STRING 8192
#define MPI_MAX_OBJECT_NAME            128
#define MPI_MAX_PORT_NAME              1024
#define MPI_MAX_PROCESSOR_NAME         256
#define MPI_MAX_STRINGTAG_LEN          1024
#define MPI_MAX_PSET_NAME_LEN          1024

/* Added to the size of each message in a buffer for buffered sends */
#define MPI_BSEND_OVERHEAD 512

/* Levels of thread support */
#define MPI_THREAD_SINGLE     0
#define MPI_THREAD_FUNNELED   1024
#define MPI_THREAD_SERIALIZED 2048
#define MPI_THREAD_MULTIPLE   4096

/* Results of a comparison */
#define MPI_IDENT     201
#define MPI_CONGRUENT 202
#define MPI_SIMILAR   203
#define MPI_UNEQUAL   204

/* Topologies; kinds of MPI_Comm_split_type */
#define MPI_CART                      211
#define MPI_GRAPH                     212
#define MPI_DIST_GRAPH                213
#define MPI_COMM_TYPE_SHARED          221
#define MPI_COMM_TYPE_HW_UNGUIDED     222
#define MPI_COMM_TYPE_HW_GUIDED       223
#define MPI_COMM_TYPE_RESOURCE_GUIDED 224

/* Attributes of MPI_COMM_WORLD */
#define MPI_KEYVAL_INVALID  0
#define MPI_TAG_UB          501
#define MPI_IO              502
#define MPI_HOST            503
#define MPI_WTIME_IS_GLOBAL 504
#define MPI_APPNUM          505
#define MPI_LASTUSEDCODE    506
#define MPI_UNIVERSE_SIZE   507

/* Attributes of a window, its flavours and memory models */
#define MPI_WIN_BASE            601
#define MPI_WIN_DISP_UNIT       602
#define MPI_WIN_SIZE            603
#define MPI_WIN_CREATE_FLAVOR   604
#define MPI_WIN_MODEL           605
#define MPI_WIN_FLAVOR_CREATE   311
#define MPI_WIN_FLAVOR_ALLOCATE 312
#define MPI_WIN_FLAVOR_DYNAMIC  313
#define MPI_WIN_FLAVOR_SHARED   314
#define MPI_WIN_UNIFIED         321
#define MPI_WIN_SEPARATE        322

/* Locks and assertions of one-sided communication */
#define MPI_LOCK_EXCLUSIVE 301
#define MPI_LOCK_SHARED    302
#define MPI_MODE_NOCHECK   1024
#define MPI_MODE_NOPRECEDE 2048
#define MPI_MODE_NOPUT     4096
#define MPI_MODE_NOSTORE   8192
#define MPI_MODE_NOSUCCEED 16384

/* Array order and distribution */
#define MPI_ORDER_C              0xC
#define MPI_ORDER_FORTRAN        0xF
#define MPI_DISTRIBUTE_NONE      16
#define MPI_DISTRIBUTE_BLOCK     17
#define MPI_DISTRIBUTE_CYCLIC    18
#define MPI_DISTRIBUTE_DFLT_DARG 19

/* How a datatype was made; classes of datatypes */
#define MPI_COMBINER_NAMED          101
#define MPI_COMBINER_DUP            102
#define MPI_COMBINER_CONTIGUOUS     103
#define MPI_COMBINER_VECTOR         104
#define MPI_COMBINER_HVECTOR        105
#define MPI_COMBINER_INDEXED        106
#define MPI_COMBINER_HINDEXED       107
#define MPI_COMBINER_INDEXED_BLOCK  108
#define MPI_COMBINER_HINDEXED_BLOCK 109
#define MPI_COMBINER_STRUCT         110
#define MPI_COMBINER_SUBARRAY       111
#define MPI_COMBINER_DARRAY         112
#define MPI_COMBINER_F90_REAL       113
#define MPI_COMBINER_F90_COMPLEX    114
#define MPI_COMBINER_F90_INTEGER    115
#define MPI_COMBINER_RESIZED        116
#define MPI_COMBINER_VALUE_INDEX    117
#define MPIX_TYPECLASS_LOGICAL      191
#define MPI_TYPECLASS_INTEGER       192
#define MPI_TYPECLASS_REAL          193
#define MPI_TYPECLASS_COMPLEX       194

/* Files: access mode, positions */
#define MPI_MODE_APPEND          1
#define MPI_MODE_CREATE          2
#define MPI_MODE_DELETE_ON_CLOSE 4
#define MPI_MODE_EXCL            8
#define MPI_MODE_RDONLY          16
#define MPI_MODE_RDWR            32
#define MPI_MODE_SEQUENTIAL      64
#define MPI_MODE_UNIQUE_OPEN     128
#define MPI_MODE_WRONLY          256
#define MPI_SEEK_CUR             401
#define MPI_SEEK_END             402
#define MPI_SEEK_SET             403
#define MPI_DISPLACEMENT_CURRENT INT64_C(-1)

/* A status as Fortran integers: length, and where its public fields are */
#define MPI_F_STATUS_SIZE 8
#define MPI_F_SOURCE      0
#define MPI_F_TAG         1
#define MPI_F_ERROR       2

/* Tool information interface */
#define MPI_T_ENUM_NULL                MEND_CAST(MPI_T_enum, 0)
#define MPI_T_CVAR_HANDLE_NULL         MEND_CAST(MPI_T_cvar_handle, 0)
#define MPI_T_PVAR_SESSION_NULL        MEND_CAST(MPI_T_pvar_session, 0)
#define MPI_T_PVAR_HANDLE_NULL         MEND_CAST(MPI_T_pvar_handle, 0)
#define MPI_T_PVAR_ALL_HANDLES         MEND_CAST(MPI_T_pvar_handle, 1)
#define MPI_T_VERBOSITY_USER_BASIC     0x09
#define MPI_T_VERBOSITY_USER_DETAIL    0x0a
#define MPI_T_VERBOSITY_USER_ALL       0x0c
#define MPI_T_VERBOSITY_TUNER_BASIC    0x11
#define MPI_T_VERBOSITY_TUNER_DETAIL   0x12
#define MPI_T_VERBOSITY_TUNER_ALL      0x14
#define MPI_T_VERBOSITY_MPIDEV_BASIC   0x21
#define MPI_T_VERBOSITY_MPIDEV_DETAIL  0x22
#define MPI_T_VERBOSITY_MPIDEV_ALL     0x24
#define MPI_T_BIND_NO_OBJECT           1
#define MPI_T_BIND_MPI_COMM            2
#define MPI_T_BIND_MPI_DATATYPE        3
#define MPI_T_BIND_MPI_ERRHANDLER      4
#define MPI_T_BIND_MPI_FILE            5
#define MPI_T_BIND_MPI_GROUP           6
#define MPI_T_BIND_MPI_OP              7
#define MPI_T_BIND_MPI_REQUEST         8
#define MPI_T_BIND_MPI_WIN             9
#define MPI_T_BIND_MPI_MESSAGE         10
#define MPI_T_BIND_MPI_INFO            11
#define MPI_T_BIND_MPI_SESSION         12
#define MPI_T_SCOPE_CONSTANT           1
#define MPI_T_SCOPE_READONLY           2
#define MPI_T_SCOPE_LOCAL              3
#define MPI_T_SCOPE_GROUP              4
#define MPI_T_SCOPE_GROUP_EQ           5
#define MPI_T_SCOPE_ALL                6
#define MPI_T_SCOPE_ALL_EQ             7
#define MPI_T_PVAR_CLASS_STATE         1
#define MPI_T_PVAR_CLASS_LEVEL         2
#define MPI_T_PVAR_CLASS_SIZE          3
#define MPI_T_PVAR_CLASS_PERCENTAGE    4
#define MPI_T_PVAR_CLASS_HIGHWATERMARK 5
#define MPI_T_PVAR_CLASS_LOWWATERMARK  6
#define MPI_T_PVAR_CLASS_COUNTER       7
#define MPI_T_PVAR_CLASS_AGGREGATE     8
#define MPI_T_PVAR_CLASS_TIMER         9
#define MPI_T_PVAR_CLASS_GENERIC       10

/* --------------------------------------------------------------------------
 * 3. Point-to-point communication
 * -------------------------------------------------------------------------- */

/* 3.2, 3.4 Blocking sends and receives */
extern int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                    MPI_Comm comm);
extern int MPI_Send_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                      MPI_Comm comm);
extern int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                    MPI_Status *status);
extern int MPI_Recv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                      MPI_Comm comm, MPI_Status *status);
extern int MPI_Bsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                     MPI_Comm comm);
extern int MPI_Bsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                       MPI_Comm comm);
extern int MPI_Ssend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                     MPI_Comm comm);
extern int MPI_Ssend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                       MPI_Comm comm);
extern int MPI_Rsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                     MPI_Comm comm);
extern int MPI_Rsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                       MPI_Comm comm);
extern int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
                        int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                        int source, int recvtag, MPI_Comm comm, MPI_Status *status);
extern int MPI_Sendrecv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
                          int sendtag, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                          int source, int recvtag, MPI_Comm comm, MPI_Status *status);
extern int MPI_Sendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag,
                                int source, int recvtag, MPI_Comm comm, MPI_Status *status);
extern int MPI_Sendrecv_replace_c(void *buf, MPI_Count count, MPI_Datatype datatype, int dest,
                                  int sendtag, int source, int recvtag, MPI_Comm comm,
                                  MPI_Status *status);

/* 3.2.5 What a receive delivered */
extern int MPI_Get_count(const MPI_Status *status, MPI_Datatype datatype, int *count);
extern int MPI_Get_count_c(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count);
extern int MPI_Get_elements(const MPI_Status *status, MPI_Datatype datatype, int *count);
extern int MPI_Get_elements_c(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count);
extern int MPI_Get_elements_x(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count);
extern int MPI_Status_get_source(const MPI_Status *status, int *source);
extern int MPI_Status_get_tag(const MPI_Status *status, int *tag);
extern int MPI_Status_get_error(const MPI_Status *status, int *error);

/* 3.6 Buffers for buffered sends: of a communicator, of a session, of the process */
extern int MPI_Comm_attach_buffer(MPI_Comm comm, void *buffer, int size);
extern int MPI_Comm_attach_buffer_c(MPI_Comm comm, void *buffer, MPI_Count size);
extern int MPI_Comm_detach_buffer(MPI_Comm comm, void *buffer_addr, int *size);
extern int MPI_Comm_detach_buffer_c(MPI_Comm comm, void *buffer_addr, MPI_Count *size);
extern int MPI_Comm_flush_buffer(MPI_Comm comm);
extern int MPI_Comm_iflush_buffer(MPI_Comm comm, MPI_Request *request);
extern int MPI_Session_attach_buffer(MPI_Session session, void *buffer, int size);
extern int MPI_Session_attach_buffer_c(MPI_Session session, void *buffer, MPI_Count size);
extern int MPI_Session_detach_buffer(MPI_Session session, void *buffer_addr, int *size);
extern int MPI_Session_detach_buffer_c(MPI_Session session, void *buffer_addr, MPI_Count *size);
extern int MPI_Session_flush_buffer(MPI_Session session);
extern int MPI_Session_iflush_buffer(MPI_Session session, MPI_Request *request);
extern int MPI_Buffer_attach(void *buffer, int size);
extern int MPI_Buffer_attach_c(void *buffer, MPI_Count size);
extern int MPI_Buffer_detach(void *buffer_addr, int *size);
extern int MPI_Buffer_detach_c(void *buffer_addr, MPI_Count *size);
extern int MPI_Buffer_flush(void);
extern int MPI_Buffer_iflush(MPI_Request *request);

/* 3.7 Nonblocking */
extern int MPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                     MPI_Comm comm, MPI_Request *request);
extern int MPI_Isend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                       MPI_Comm comm, MPI_Request *request);
extern int MPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag,
                     MPI_Comm comm, MPI_Request *request);
extern int MPI_Irecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                       MPI_Comm comm, MPI_Request *request);
extern int MPI_Ibsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                      MPI_Comm comm, MPI_Request *request);
extern int MPI_Ibsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                        MPI_Comm comm, MPI_Request *request);
extern int MPI_Issend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                      MPI_Comm comm, MPI_Request *request);
extern int MPI_Issend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                        MPI_Comm comm, MPI_Request *request);
extern int MPI_Irsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                      MPI_Comm comm, MPI_Request *request);
extern int MPI_Irsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                        MPI_Comm comm, MPI_Request *request);
extern int MPI_Isendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
                         int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                         int source, int recvtag, MPI_Comm comm, MPI_Request *request);
extern int MPI_Isendrecv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                           int dest, int sendtag, void *recvbuf, MPI_Count recvcount,
                           MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                           MPI_Request *request);
extern int MPI_Isendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag,
                                 int source, int recvtag, MPI_Comm comm, MPI_Request *request);
extern int MPI_Isendrecv_replace_c(void *buf, MPI_Count count, MPI_Datatype datatype, int dest,
                                   int sendtag, int source, int recvtag, MPI_Comm comm,
                                   MPI_Request *request);

/* 3.7.3 Completion */
extern int MPI_Wait(MPI_Request *request, MPI_Status *status);
extern int MPI_Waitany(int count, MPI_Request array_of_requests[], int *indx, MPI_Status *status);
extern int MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status *array_of_statuses);
extern int MPI_Waitsome(int incount, MPI_Request array_of_requests[], int *outcount,
                        int array_of_indices[], MPI_Status *array_of_statuses);
extern int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status);
extern int MPI_Testany(int count, MPI_Request array_of_requests[], int *indx, int *flag,
                       MPI_Status *status);
extern int MPI_Testall(int count, MPI_Request array_of_requests[], int *flag,
                       MPI_Status *array_of_statuses);
extern int MPI_Testsome(int incount, MPI_Request array_of_requests[], int *outcount,
                        int array_of_indices[], MPI_Status *array_of_statuses);
extern int MPI_Request_free(MPI_Request *request);
extern int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status);
extern int MPI_Request_get_status_any(int count, const MPI_Request array_of_requests[], int *indx,
                                      int *flag, MPI_Status *status);
extern int MPI_Request_get_status_all(int count, const MPI_Request array_of_requests[], int *flag,
                                      MPI_Status *array_of_statuses);
extern int MPI_Request_get_status_some(int incount, const MPI_Request array_of_requests[],
                                       int *outcount, int array_of_indices[],
                                       MPI_Status *array_of_statuses);

/* 3.8 Probe, matched probe, cancel */
extern int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status);
extern int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status);
extern int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status);
extern int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                       MPI_Status *status);
extern int MPI_Mrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message,
                     MPI_Status *status);
extern int MPI_Mrecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message,
                       MPI_Status *status);
extern int MPI_Imrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message,
                      MPI_Request *request);
extern int MPI_Imrecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message,
                        MPI_Request *request);
extern int MPI_Cancel(MPI_Request *request);
extern int MPI_Test_cancelled(const MPI_Status *status, int *flag);

/* 3.9 Persistent */
extern int MPI_Send_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                         MPI_Comm comm, MPI_Request *request);
extern int MPI_Send_init_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest,
                           int tag, MPI_Comm comm, MPI_Request *request);
extern int MPI_Recv_init(void *buf, int count, MPI_Datatype datatype, int source, int tag,
                         MPI_Comm comm, MPI_Request *request);
extern int MPI_Recv_init_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                           MPI_Comm comm, MPI_Request *request);
extern int MPI_Bsend_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                          MPI_Comm comm, MPI_Request *request);
extern int MPI_Bsend_init_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest,
                            int tag, MPI_Comm comm, MPI_Request *request);
extern int MPI_Ssend_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                          MPI_Comm comm, MPI_Request *request);
extern int MPI_Ssend_init_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest,
                            int tag, MPI_Comm comm, MPI_Request *request);
extern int MPI_Rsend_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                          MPI_Comm comm, MPI_Request *request);
extern int MPI_Rsend_init_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest,
                            int tag, MPI_Comm comm, MPI_Request *request);
extern int MPI_Start(MPI_Request *request);
extern int MPI_Startall(int count, MPI_Request array_of_requests[]);

/* --------------------------------------------------------------------------
 * 4. Partitioned communication
 * -------------------------------------------------------------------------- */

/* Plain Psend_init and Precv_init take an int count: the Forum's erratum to MPI-5.0 as printed. */
extern int MPI_Psend_init(const void *buf, int partitions, int count, MPI_Datatype datatype,
                          int dest, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request);
extern int MPI_Psend_init_c(const void *buf, int partitions, MPI_Count count, MPI_Datatype datatype,
                            int dest, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request);
extern int MPI_Precv_init(void *buf, int partitions, int count, MPI_Datatype datatype, int dest,
                          int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request);
extern int MPI_Precv_init_c(void *buf, int partitions, MPI_Count count, MPI_Datatype datatype,
                            int dest, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request);
extern int MPI_Pready(int partition, MPI_Request request);
extern int MPI_Pready_range(int partition_low, int partition_high, MPI_Request request);
extern int MPI_Pready_list(int length, const int array_of_partitions[], MPI_Request request);
extern int MPI_Parrived(MPI_Request request, int partition, int *flag);

/* --------------------------------------------------------------------------
 * 5. Datatypes
 * -------------------------------------------------------------------------- */

/* 5.1 Constructors */
extern int MPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype *newtype);
extern int MPI_Type_contiguous_c(MPI_Count count, MPI_Datatype oldtype, MPI_Datatype *newtype);
extern int MPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype oldtype,
                           MPI_Datatype *newtype);
extern int MPI_Type_vector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                             MPI_Datatype oldtype, MPI_Datatype *newtype);
extern int MPI_Type_create_hvector(int count, int blocklength, MPI_Aint stride,
                                   MPI_Datatype oldtype, MPI_Datatype *newtype);
extern int MPI_Type_create_hvector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                                     MPI_Datatype oldtype, MPI_Datatype *newtype);
extern int MPI_Type_indexed(int count, const int array_of_blocklengths[],
                            const int array_of_displacements[], MPI_Datatype oldtype,
                            MPI_Datatype *newtype);
extern int MPI_Type_indexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                              const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                              MPI_Datatype *newtype);
extern int MPI_Type_create_hindexed(int count, const int array_of_blocklengths[],
                                    const MPI_Aint array_of_displacements[], MPI_Datatype oldtype,
                                    MPI_Datatype *newtype);
extern int MPI_Type_create_hindexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                                      const MPI_Count array_of_displacements[],
                                      MPI_Datatype oldtype, MPI_Datatype *newtype);
extern int MPI_Type_create_indexed_block(int count, int blocklength,
                                         const int array_of_displacements[], MPI_Datatype oldtype,
                                         MPI_Datatype *newtype);
extern int MPI_Type_create_indexed_block_c(MPI_Count count, MPI_Count blocklength,
                                           const MPI_Count array_of_displacements[],
                                           MPI_Datatype oldtype, MPI_Datatype *newtype);
extern int MPI_Type_create_hindexed_block(int count, int blocklength,
                                          const MPI_Aint array_of_displacements[],
                                          MPI_Datatype oldtype, MPI_Datatype *newtype);
extern int MPI_Type_create_hindexed_block_c(MPI_Count count, MPI_Count blocklength,
                                            const MPI_Count array_of_displacements[],
                                            MPI_Datatype oldtype, MPI_Datatype *newtype);
extern int MPI_Type_create_struct(int count, const int array_of_blocklengths[],
                                  const MPI_Aint array_of_displacements[],
                                  const MPI_Datatype array_of_types[], MPI_Datatype *newtype);
extern int MPI_Type_create_struct_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                                    const MPI_Count array_of_displacements[],
                                    const MPI_Datatype array_of_types[], MPI_Datatype *newtype);
extern int MPI_Type_create_subarray(int ndims, const int array_of_sizes[],
                                    const int array_of_subsizes[], const int array_of_starts[],
                                    int order, MPI_Datatype oldtype, MPI_Datatype *newtype);
extern int MPI_Type_create_subarray_c(int ndims, const MPI_Count array_of_sizes[],
                                      const MPI_Count array_of_subsizes[],
                                      const MPI_Count array_of_starts[], int order,
                                      MPI_Datatype oldtype, MPI_Datatype *newtype);
extern int MPI_Type_create_darray(int size, int rank, int ndims, const int array_of_gsizes[],
                                  const int array_of_distribs[], const int array_of_dargs[],
                                  const int array_of_psizes[], int order, MPI_Datatype oldtype,
                                  MPI_Datatype *newtype);
extern int MPI_Type_create_darray_c(int size, int rank, int ndims,
                                    const MPI_Count array_of_gsizes[],
                                    const int array_of_distribs[], const int array_of_dargs[],
                                    const int array_of_psizes[], int order, MPI_Datatype oldtype,
                                    MPI_Datatype *newtype);
extern int MPI_Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent,
                                   MPI_Datatype *newtype);
extern int MPI_Type_create_resized_c(MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent,
                                     MPI_Datatype *newtype);
extern int MPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype *newtype);
extern int MPI_Type_commit(MPI_Datatype *datatype);
extern int MPI_Type_free(MPI_Datatype *datatype);

/* 5.1.5 Addresses, sizes and bounds */
extern int MPI_Get_address(const void *location, MPI_Aint *address);
extern MPI_Aint MPI_Aint_add(MPI_Aint base, MPI_Aint disp);
extern MPI_Aint MPI_Aint_diff(MPI_Aint addr1, MPI_Aint addr2);
extern int MPI_Type_size(MPI_Datatype datatype, int *size);
extern int MPI_Type_size_c(MPI_Datatype datatype, MPI_Count *size);
extern int MPI_Type_size_x(MPI_Datatype datatype, MPI_Count *size);
extern int MPI_Type_get_extent(MPI_Datatype datatype, MPI_Aint *lb, MPI_Aint *extent);
extern int MPI_Type_get_extent_c(MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent);
extern int MPI_Type_get_extent_x(MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent);
extern int MPI_Type_get_true_extent(MPI_Datatype datatype, MPI_Aint *true_lb,
                                    MPI_Aint *true_extent);
extern int MPI_Type_get_true_extent_c(MPI_Datatype datatype, MPI_Count *true_lb,
                                      MPI_Count *true_extent);
extern int MPI_Type_get_true_extent_x(MPI_Datatype datatype, MPI_Count *true_lb,
                                      MPI_Count *true_extent);

/* 5.1.13 How a datatype was made */
extern int MPI_Type_get_envelope(MPI_Datatype datatype, int *num_integers, int *num_addresses,
                                 int *num_datatypes, int *combiner);
extern int MPI_Type_get_envelope_c(MPI_Datatype datatype, MPI_Count *num_integers,
                                   MPI_Count *num_addresses, MPI_Count *num_large_counts,
                                   MPI_Count *num_datatypes, int *combiner);
extern int MPI_Type_get_contents(MPI_Datatype datatype, int max_integers, int max_addresses,
                                 int max_datatypes, int array_of_integers[],
                                 MPI_Aint array_of_addresses[], MPI_Datatype array_of_datatypes[]);
extern int MPI_Type_get_contents_c(MPI_Datatype datatype, MPI_Count max_integers,
                                   MPI_Count max_addresses, MPI_Count max_large_counts,
                                   MPI_Count max_datatypes, int array_of_integers[],
                                   MPI_Aint array_of_addresses[], MPI_Count array_of_large_counts[],
                                   MPI_Datatype array_of_datatypes[]);

/* 5.2, 5.3 Pack and unpack */
extern int MPI_Pack(const void *inbuf, int incount, MPI_Datatype datatype, void *outbuf,
                    int outsize, int *position, MPI_Comm comm);
extern int MPI_Pack_c(const void *inbuf, MPI_Count incount, MPI_Datatype datatype, void *outbuf,
                      MPI_Count outsize, MPI_Count *position, MPI_Comm comm);
extern int MPI_Unpack(const void *inbuf, int insize, int *position, void *outbuf, int outcount,
                      MPI_Datatype datatype, MPI_Comm comm);
extern int MPI_Unpack_c(const void *inbuf, MPI_Count insize, MPI_Count *position, void *outbuf,
                        MPI_Count outcount, MPI_Datatype datatype, MPI_Comm comm);
extern int MPI_Pack_size(int incount, MPI_Datatype datatype, MPI_Comm comm, int *size);
extern int MPI_Pack_size_c(MPI_Count incount, MPI_Datatype datatype, MPI_Comm comm,
                           MPI_Count *size);
extern int MPI_Pack_external(const char *datarep, const void *inbuf, int incount,
                             MPI_Datatype datatype, void *outbuf, MPI_Aint outsize,
                             MPI_Aint *position);
extern int MPI_Pack_external_c(const char *datarep, const void *inbuf, MPI_Count incount,
                               MPI_Datatype datatype, void *outbuf, MPI_Count outsize,
                               MPI_Count *position);
extern int MPI_Unpack_external(const char datarep[], const void *inbuf, MPI_Aint insize,
                               MPI_Aint *position, void *outbuf, int outcount,
                               MPI_Datatype datatype);
extern int MPI_Unpack_external_c(const char datarep[], const void *inbuf, MPI_Count insize,
                                 MPI_Count *position, void *outbuf, MPI_Count outcount,
                                 MPI_Datatype datatype);
extern int MPI_Pack_external_size(const char *datarep, int incount, MPI_Datatype datatype,
                                  MPI_Aint *size);
extern int MPI_Pack_external_size_c(const char *datarep, MPI_Count incount, MPI_Datatype datatype,
                                    MPI_Count *size);

/* --------------------------------------------------------------------------
 * 6. Collective communication
 * -------------------------------------------------------------------------- */

/* 6.3 Blocking */
extern int MPI_Barrier(MPI_Comm comm);
extern int MPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm);
extern int MPI_Bcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root,
                       MPI_Comm comm);
extern int MPI_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                      int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
extern int MPI_Gather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                        void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                        MPI_Comm comm);
extern int MPI_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                       const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                       MPI_Comm comm);
extern int MPI_Gatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                         void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                         MPI_Datatype recvtype, int root, MPI_Comm comm);
extern int MPI_Scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                       int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
extern int MPI_Scatter_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                         void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                         MPI_Comm comm);
extern int MPI_Scatterv(const void *sendbuf, const int sendcounts[], const int displs[],
                        MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                        int root, MPI_Comm comm);
extern int MPI_Scatterv_c(const void *sendbuf, const MPI_Count sendcounts[],
                          const MPI_Aint displs[], MPI_Datatype sendtype, void *recvbuf,
                          MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
extern int MPI_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                         int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
extern int MPI_Allgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                           void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                           MPI_Comm comm);
extern int MPI_Allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                          const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                          MPI_Comm comm);
extern int MPI_Allgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                            void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                            MPI_Datatype recvtype, MPI_Comm comm);
extern int MPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                        int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
extern int MPI_Alltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                          void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm);
extern int MPI_Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
                         MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                         const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm);
extern int MPI_Alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[],
                           const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf,
                           const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                           MPI_Datatype recvtype, MPI_Comm comm);
extern int MPI_Alltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[],
                         const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                         const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm);
extern int MPI_Alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[],
                           const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf,
                           const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                           const MPI_Datatype recvtypes[], MPI_Comm comm);
extern int MPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                      MPI_Op op, int root, MPI_Comm comm);
extern int MPI_Reduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                        MPI_Op op, int root, MPI_Comm comm);
extern int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                         MPI_Op op, MPI_Comm comm);
extern int MPI_Allreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                           MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
extern int MPI_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount,
                                    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
extern int MPI_Reduce_scatter_block_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount,
                                      MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
extern int MPI_Reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[],
                              MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
extern int MPI_Reduce_scatter_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[],
                                MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
extern int MPI_Scan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                    MPI_Comm comm);
extern int MPI_Scan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                      MPI_Op op, MPI_Comm comm);
extern int MPI_Exscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                      MPI_Op op, MPI_Comm comm);
extern int MPI_Exscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                        MPI_Op op, MPI_Comm comm);

/* 6.9 Reduction operators */
extern int MPI_Op_create(MPI_User_function *user_fn, int commute, MPI_Op *op);
extern int MPI_Op_create_c(MPI_User_function_c *user_fn, int commute, MPI_Op *op);
extern int MPI_Op_free(MPI_Op *op);
extern int MPI_Op_commutative(MPI_Op op, int *commute);
extern int MPI_Reduce_local(const void *inbuf, void *inoutbuf, int count, MPI_Datatype datatype,
                            MPI_Op op);
extern int MPI_Reduce_local_c(const void *inbuf, void *inoutbuf, MPI_Count count,
                              MPI_Datatype datatype, MPI_Op op);
extern int MPI_Type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type,
                                    MPI_Datatype *pair_type);

/* 6.12 Nonblocking */
extern int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request);
extern int MPI_Ibcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                      MPI_Request *request);
extern int MPI_Ibcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root,
                        MPI_Comm comm, MPI_Request *request);
extern int MPI_Igather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                       int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                       MPI_Request *request);
extern int MPI_Igather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                         void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                         MPI_Comm comm, MPI_Request *request);
extern int MPI_Igatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                        const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                        MPI_Comm comm, MPI_Request *request);
extern int MPI_Igatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                          void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                          MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request);
extern int MPI_Iscatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                        int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                        MPI_Request *request);
extern int MPI_Iscatter_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                          void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                          MPI_Comm comm, MPI_Request *request);
extern int MPI_Iscatterv(const void *sendbuf, const int sendcounts[], const int displs[],
                         MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                         int root, MPI_Comm comm, MPI_Request *request);
extern int MPI_Iscatterv_c(const void *sendbuf, const MPI_Count sendcounts[],
                           const MPI_Aint displs[], MPI_Datatype sendtype, void *recvbuf,
                           MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                           MPI_Request *request);
extern int MPI_Iallgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                          int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                          MPI_Request *request);
extern int MPI_Iallgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                            void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                            MPI_Comm comm, MPI_Request *request);
extern int MPI_Iallgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                           const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                           MPI_Comm comm, MPI_Request *request);
extern int MPI_Iallgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                             void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                             MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request);
extern int MPI_Ialltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                         int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request);
extern int MPI_Ialltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                           void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                           MPI_Request *request);
extern int MPI_Ialltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
                          MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                          const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                          MPI_Request *request);
extern int MPI_Ialltoallv_c(const void *sendbuf, const MPI_Count sendcounts[],
                            const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf,
                            const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                            MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request);
extern int MPI_Ialltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[],
                          const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                          const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                          MPI_Request *request);
extern int MPI_Ialltoallw_c(const void *sendbuf, const MPI_Count sendcounts[],
                            const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf,
                            const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                            const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request);
extern int MPI_Ireduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                       MPI_Op op, int root, MPI_Comm comm, MPI_Request *request);
extern int MPI_Ireduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                         MPI_Op op, int root, MPI_Comm comm, MPI_Request *request);
extern int MPI_Iallreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                          MPI_Op op, MPI_Comm comm, MPI_Request *request);
extern int MPI_Iallreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                            MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request);
extern int MPI_Ireduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount,
                                     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                     MPI_Request *request);
extern int MPI_Ireduce_scatter_block_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount,
                                       MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                       MPI_Request *request);
extern int MPI_Ireduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[],
                               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                               MPI_Request *request);
extern int MPI_Ireduce_scatter_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[],
                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                 MPI_Request *request);
extern int MPI_Iscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                     MPI_Op op, MPI_Comm comm, MPI_Request *request);
extern int MPI_Iscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                       MPI_Op op, MPI_Comm comm, MPI_Request *request);
extern int MPI_Iexscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                       MPI_Op op, MPI_Comm comm, MPI_Request *request);
extern int MPI_Iexscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                         MPI_Op op, MPI_Comm comm, MPI_Request *request);

/* 6.13 Persistent */
extern int MPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request *request);
extern int MPI_Bcast_init(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                          MPI_Info info, MPI_Request *request);
extern int MPI_Bcast_init_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root,
                            MPI_Comm comm, MPI_Info info, MPI_Request *request);
extern int MPI_Gather_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                           int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                           MPI_Info info, MPI_Request *request);
extern int MPI_Gather_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                             void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                             MPI_Comm comm, MPI_Info info, MPI_Request *request);
extern int MPI_Gatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                            void *recvbuf, const int recvcounts[], const int displs[],
                            MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                            MPI_Request *request);
extern int MPI_Gatherv_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                              void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                              MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                              MPI_Request *request);
extern int MPI_Scatter_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                            void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                            MPI_Comm comm, MPI_Info info, MPI_Request *request);
extern int MPI_Scatter_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                              void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                              MPI_Comm comm, MPI_Info info, MPI_Request *request);
extern int MPI_Scatterv_init(const void *sendbuf, const int sendcounts[], const int displs[],
                             MPI_Datatype sendtype, void *recvbuf, int recvcount,
                             MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                             MPI_Request *request);
extern int MPI_Scatterv_init_c(const void *sendbuf, const MPI_Count sendcounts[],
                               const MPI_Aint displs[], MPI_Datatype sendtype, void *recvbuf,
                               MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                               MPI_Info info, MPI_Request *request);
extern int MPI_Allgather_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                              void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                              MPI_Info info, MPI_Request *request);
extern int MPI_Allgather_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                MPI_Comm comm, MPI_Info info, MPI_Request *request);
extern int MPI_Allgatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                               void *recvbuf, const int recvcounts[], const int displs[],
                               MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                               MPI_Request *request);
extern int MPI_Allgatherv_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                 void *recvbuf, const MPI_Count recvcounts[],
                                 const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
                                 MPI_Info info, MPI_Request *request);
extern int MPI_Alltoall_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                             void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                             MPI_Info info, MPI_Request *request);
extern int MPI_Alltoall_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                               void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                               MPI_Comm comm, MPI_Info info, MPI_Request *request);
extern int MPI_Alltoallv_init(const void *sendbuf, const int sendcounts[], const int sdispls[],
                              MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                              const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                              MPI_Info info, MPI_Request *request);
extern int MPI_Alltoallv_init_c(const void *sendbuf, const MPI_Count sendcounts[],
                                const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf,
                                const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                                MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                MPI_Request *request);
extern int MPI_Alltoallw_init(const void *sendbuf, const int sendcounts[], const int sdispls[],
                              const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                              const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                              MPI_Info info, MPI_Request *request);
extern int MPI_Alltoallw_init_c(const void *sendbuf, const MPI_Count sendcounts[],
                                const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                void *recvbuf, const MPI_Count recvcounts[],
                                const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                MPI_Comm comm, MPI_Info info, MPI_Request *request);
extern int MPI_Reduce_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                           MPI_Op op, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request);
extern int MPI_Reduce_init_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                             MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
                             MPI_Info info, MPI_Request *request);
extern int MPI_Allreduce_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                              MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request);
extern int MPI_Allreduce_init_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                                MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                MPI_Request *request);
extern int MPI_Reduce_scatter_block_init(const void *sendbuf, void *recvbuf, int recvcount,
                                         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                         MPI_Info info, MPI_Request *request);
extern int MPI_Reduce_scatter_block_init_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount,
                                           MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                           MPI_Info info, MPI_Request *request);
extern int MPI_Reduce_scatter_init(const void *sendbuf, void *recvbuf, const int recvcounts[],
                                   MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                   MPI_Request *request);
extern int MPI_Reduce_scatter_init_c(const void *sendbuf, void *recvbuf,
                                     const MPI_Count recvcounts[], MPI_Datatype datatype, MPI_Op op,
                                     MPI_Comm comm, MPI_Info info, MPI_Request *request);
extern int MPI_Scan_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                         MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request);
extern int MPI_Scan_init_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                           MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                           MPI_Request *request);
extern int MPI_Exscan_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                           MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request);
extern int MPI_Exscan_init_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                             MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                             MPI_Request *request);

/* --------------------------------------------------------------------------
 * 7. Groups, contexts, communicators, caching
 * -------------------------------------------------------------------------- */

/* 7.3 Groups */
extern int MPI_Group_size(MPI_Group group, int *size);
extern int MPI_Group_rank(MPI_Group group, int *rank);
extern int MPI_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2,
                                     int ranks2[]);
extern int MPI_Group_compare(MPI_Group group1, MPI_Group group2, int *result);
extern int MPI_Comm_group(MPI_Comm comm, MPI_Group *group);
extern int MPI_Group_union(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup);
extern int MPI_Group_intersection(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup);
extern int MPI_Group_difference(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup);
extern int MPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup);
extern int MPI_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup);
extern int MPI_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup);
extern int MPI_Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup);
extern int MPI_Group_from_session_pset(MPI_Session session, const char *pset_name,
                                       MPI_Group *newgroup);
extern int MPI_Group_free(MPI_Group *group);

/* 7.4 Communicators */
extern int MPI_Comm_size(MPI_Comm comm, int *size);
extern int MPI_Comm_rank(MPI_Comm comm, int *rank);
extern int MPI_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int *result);
extern int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm);
extern int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm);
extern int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request);
extern int MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm,
                                   MPI_Request *request);
extern int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm);
extern int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm);
extern int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm);
extern int MPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info,
                               MPI_Comm *newcomm);
extern int MPI_Comm_create_from_group(MPI_Group group, const char *stringtag, MPI_Info info,
                                      MPI_Errhandler errhandler, MPI_Comm *newcomm);
extern int MPI_Comm_free(MPI_Comm *comm);
extern int MPI_Comm_set_info(MPI_Comm comm, MPI_Info info);
extern int MPI_Comm_get_info(MPI_Comm comm, MPI_Info *info_used);

/* 7.6 Intercommunicators */
extern int MPI_Comm_test_inter(MPI_Comm comm, int *flag);
extern int MPI_Comm_remote_size(MPI_Comm comm, int *size);
extern int MPI_Comm_remote_group(MPI_Comm comm, MPI_Group *group);
extern int MPI_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm,
                                int remote_leader, int tag, MPI_Comm *newintercomm);
extern int MPI_Intercomm_create_from_groups(MPI_Group local_group, int local_leader,
                                            MPI_Group remote_group, int remote_leader,
                                            const char *stringtag, MPI_Info info,
                                            MPI_Errhandler errhandler, MPI_Comm *newintercomm);
extern int MPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm *newintracomm);

/* 7.7 Attributes */
extern int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function *comm_copy_attr_fn,
                                  MPI_Comm_delete_attr_function *comm_delete_attr_fn,
                                  int *comm_keyval, void *extra_state);
extern int MPI_Comm_free_keyval(int *comm_keyval);
extern int MPI_Comm_set_attr(MPI_Comm comm, int comm_keyval, void *attribute_val);
extern int MPI_Comm_get_attr(MPI_Comm comm, int comm_keyval, void *attribute_val, int *flag);
extern int MPI_Comm_delete_attr(MPI_Comm comm, int comm_keyval);
extern int MPI_Win_create_keyval(MPI_Win_copy_attr_function *win_copy_attr_fn,
                                 MPI_Win_delete_attr_function *win_delete_attr_fn, int *win_keyval,
                                 void *extra_state);
extern int MPI_Win_free_keyval(int *win_keyval);
extern int MPI_Win_set_attr(MPI_Win win, int win_keyval, void *attribute_val);
extern int MPI_Win_get_attr(MPI_Win win, int win_keyval, void *attribute_val, int *flag);
extern int MPI_Win_delete_attr(MPI_Win win, int win_keyval);
extern int MPI_Type_create_keyval(MPI_Type_copy_attr_function *type_copy_attr_fn,
                                  MPI_Type_delete_attr_function *type_delete_attr_fn,
                                  int *type_keyval, void *extra_state);
extern int MPI_Type_free_keyval(int *type_keyval);
extern int MPI_Type_set_attr(MPI_Datatype datatype, int type_keyval, void *attribute_val);
extern int MPI_Type_get_attr(MPI_Datatype datatype, int type_keyval, void *attribute_val,
                             int *flag);
extern int MPI_Type_delete_attr(MPI_Datatype datatype, int type_keyval);

/* 7.8 Names */
extern int MPI_Comm_set_name(MPI_Comm comm, const char *comm_name);
extern int MPI_Comm_get_name(MPI_Comm comm, char *comm_name, int *resultlen);
extern int MPI_Type_set_name(MPI_Datatype datatype, const char *type_name);
extern int MPI_Type_get_name(MPI_Datatype datatype, char *type_name, int *resultlen);
extern int MPI_Win_set_name(MPI_Win win, const char *win_name);
extern int MPI_Win_get_name(MPI_Win win, char *win_name, int *resultlen);

/* --------------------------------------------------------------------------
 * 8. Virtual topologies
 * -------------------------------------------------------------------------- */

/* 8.5 Cartesian, graph, distributed graph */
extern int MPI_Dims_create(int nnodes, int ndims, int dims[]);
extern int MPI_Cart_create(MPI_Comm comm_old, int ndims, const int dims[], const int periods[],
                           int reorder, MPI_Comm *comm_cart);
extern int MPI_Cartdim_get(MPI_Comm comm, int *ndims);
extern int MPI_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]);
extern int MPI_Cart_rank(MPI_Comm comm, const int coords[], int *rank);
extern int MPI_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[]);
extern int MPI_Cart_shift(MPI_Comm comm, int direction, int disp, int *rank_source, int *rank_dest);
extern int MPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm);
extern int MPI_Cart_map(MPI_Comm comm, int ndims, const int dims[], const int periods[],
                        int *newrank);
extern int MPI_Graph_create(MPI_Comm comm_old, int nnodes, const int indx[], const int edges[],
                            int reorder, MPI_Comm *comm_graph);
extern int MPI_Graphdims_get(MPI_Comm comm, int *nnodes, int *nedges);
extern int MPI_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int indx[], int edges[]);
extern int MPI_Graph_neighbors_count(MPI_Comm comm, int rank, int *nneighbors);
extern int MPI_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int neighbors[]);
extern int MPI_Graph_map(MPI_Comm comm, int nnodes, const int indx[], const int edges[],
                         int *newrank);
/* Weights are pointers and no arrays: compilers look behind MPI_UNWEIGHTED where an array stands. */
extern int MPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[],
                                          const int *sourceweights, int outdegree,
                                          const int destinations[], const int *destweights,
                                          MPI_Info info, int reorder, MPI_Comm *comm_dist_graph);
extern int MPI_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[],
                                 const int destinations[], const int *weights, MPI_Info info,
                                 int reorder, MPI_Comm *comm_dist_graph);
extern int MPI_Dist_graph_neighbors_count(MPI_Comm comm, int *indegree, int *outdegree,
                                          int *weighted);
extern int MPI_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[],
                                    int *sourceweights, int maxoutdegree, int destinations[],
                                    int *destweights);
extern int MPI_Topo_test(MPI_Comm comm, int *status);

/* 8.6 Neighbourhood collectives, blocking */
extern int MPI_Neighbor_allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                  void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                  MPI_Comm comm);
extern int MPI_Neighbor_allgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                    void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                    MPI_Comm comm);
extern int MPI_Neighbor_allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                   void *recvbuf, const int recvcounts[], const int displs[],
                                   MPI_Datatype recvtype, MPI_Comm comm);
extern int MPI_Neighbor_allgatherv_c(const void *sendbuf, MPI_Count sendcount,
                                     MPI_Datatype sendtype, void *recvbuf,
                                     const MPI_Count recvcounts[], const MPI_Aint displs[],
                                     MPI_Datatype recvtype, MPI_Comm comm);
extern int MPI_Neighbor_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                 void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                 MPI_Comm comm);
extern int MPI_Neighbor_alltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                   void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                   MPI_Comm comm);
extern int MPI_Neighbor_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
                                  MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                                  const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm);
extern int MPI_Neighbor_alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[],
                                    const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf,
                                    const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                                    MPI_Datatype recvtype, MPI_Comm comm);
extern int MPI_Neighbor_alltoallw(const void *sendbuf, const int sendcounts[],
                                  const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                  void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[],
                                  const MPI_Datatype recvtypes[], MPI_Comm comm);
extern int MPI_Neighbor_alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[],
                                    const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                    void *recvbuf, const MPI_Count recvcounts[],
                                    const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                    MPI_Comm comm);

/* 8.7 Nonblocking */
extern int MPI_Ineighbor_allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                   void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                   MPI_Comm comm, MPI_Request *request);
extern int MPI_Ineighbor_allgather_c(const void *sendbuf, MPI_Count sendcount,
                                     MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                                     MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request);
extern int MPI_Ineighbor_allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                    void *recvbuf, const int recvcounts[], const int displs[],
                                    MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request);
extern int MPI_Ineighbor_allgatherv_c(const void *sendbuf, MPI_Count sendcount,
                                      MPI_Datatype sendtype, void *recvbuf,
                                      const MPI_Count recvcounts[], const MPI_Aint displs[],
                                      MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request);
extern int MPI_Ineighbor_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                  void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                  MPI_Comm comm, MPI_Request *request);
extern int MPI_Ineighbor_alltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                    void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                    MPI_Comm comm, MPI_Request *request);
extern int MPI_Ineighbor_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
                                   MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                                   const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                                   MPI_Request *request);
extern int MPI_Ineighbor_alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[],
                                     const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf,
                                     const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                                     MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request);
extern int MPI_Ineighbor_alltoallw(const void *sendbuf, const int sendcounts[],
                                   const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                   void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[],
                                   const MPI_Datatype recvtypes[], MPI_Comm comm,
                                   MPI_Request *request);
extern int MPI_Ineighbor_alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[],
                                     const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                     void *recvbuf, const MPI_Count recvcounts[],
                                     const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                     MPI_Comm comm, MPI_Request *request);

/* 8.8 Persistent */
extern int MPI_Neighbor_allgather_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                       void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                       MPI_Comm comm, MPI_Info info, MPI_Request *request);
extern int MPI_Neighbor_allgather_init_c(const void *sendbuf, MPI_Count sendcount,
                                         MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                                         MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                         MPI_Request *request);
extern int MPI_Neighbor_allgatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                        void *recvbuf, const int recvcounts[], const int displs[],
                                        MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                        MPI_Request *request);
extern int MPI_Neighbor_allgatherv_init_c(const void *sendbuf, MPI_Count sendcount,
                                          MPI_Datatype sendtype, void *recvbuf,
                                          const MPI_Count recvcounts[], const MPI_Aint displs[],
                                          MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                          MPI_Request *request);
extern int MPI_Neighbor_alltoall_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                      void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                      MPI_Comm comm, MPI_Info info, MPI_Request *request);
extern int MPI_Neighbor_alltoall_init_c(const void *sendbuf, MPI_Count sendcount,
                                        MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                                        MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                        MPI_Request *request);
extern int MPI_Neighbor_alltoallv_init(const void *sendbuf, const int sendcounts[],
                                       const int sdispls[], MPI_Datatype sendtype, void *recvbuf,
                                       const int recvcounts[], const int rdispls[],
                                       MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                       MPI_Request *request);
extern int MPI_Neighbor_alltoallv_init_c(const void *sendbuf, const MPI_Count sendcounts[],
                                         const MPI_Aint sdispls[], MPI_Datatype sendtype,
                                         void *recvbuf, const MPI_Count recvcounts[],
                                         const MPI_Aint rdispls[], MPI_Datatype recvtype,
                                         MPI_Comm comm, MPI_Info info, MPI_Request *request);
extern int MPI_Neighbor_alltoallw_init(const void *sendbuf, const int sendcounts[],
                                       const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                       void *recvbuf, const int recvcounts[],
                                       const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                       MPI_Comm comm, MPI_Info info, MPI_Request *request);
extern int MPI_Neighbor_alltoallw_init_c(const void *sendbuf, const MPI_Count sendcounts[],
                                         const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                         void *recvbuf, const MPI_Count recvcounts[],
                                         const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                         MPI_Comm comm, MPI_Info info, MPI_Request *request);

/* --------------------------------------------------------------------------
 * 9. Environment
 * -------------------------------------------------------------------------- */

/* 9.1, 9.2 Version, machine, memory */
extern int MPI_Get_version(int *version, int *subversion);
extern int MPI_Get_library_version(char *version, int *resultlen);
extern int MPI_Get_processor_name(char *name, int *resultlen);
extern int MPI_Get_hw_resource_info(MPI_Info *hw_info);
extern int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void *baseptr);
extern int MPI_Free_mem(void *base);

/* 9.3 Error handlers */
extern int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function *comm_errhandler_fn,
                                      MPI_Errhandler *errhandler);
extern int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler);
extern int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *errhandler);
extern int MPI_Comm_call_errhandler(MPI_Comm comm, int errorcode);
extern int MPI_Win_create_errhandler(MPI_Win_errhandler_function *win_errhandler_fn,
                                     MPI_Errhandler *errhandler);
extern int MPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler errhandler);
extern int MPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler *errhandler);
extern int MPI_Win_call_errhandler(MPI_Win win, int errorcode);
extern int MPI_File_create_errhandler(MPI_File_errhandler_function *file_errhandler_fn,
                                      MPI_Errhandler *errhandler);
extern int MPI_File_set_errhandler(MPI_File file, MPI_Errhandler errhandler);
extern int MPI_File_get_errhandler(MPI_File file, MPI_Errhandler *errhandler);
extern int MPI_File_call_errhandler(MPI_File fh, int errorcode);
extern int MPI_Session_create_errhandler(MPI_Session_errhandler_function *session_errhandler_fn,
                                         MPI_Errhandler *errhandler);
extern int MPI_Session_set_errhandler(MPI_Session session, MPI_Errhandler errhandler);
extern int MPI_Session_get_errhandler(MPI_Session session, MPI_Errhandler *errhandler);
extern int MPI_Session_call_errhandler(MPI_Session session, int errorcode);
extern int MPI_Errhandler_free(MPI_Errhandler *errhandler);

/* 9.4, 9.5 Error codes, classes and strings */
extern int MPI_Error_class(int errorcode, int *errorclass);
extern int MPI_Error_string(int errorcode, char *string, int *resultlen);
extern int MPI_Add_error_class(int *errorclass);
extern int MPI_Remove_error_class(int errorclass);
extern int MPI_Add_error_code(int errorclass, int *errorcode);
extern int MPI_Remove_error_code(int errorcode);
extern int MPI_Add_error_string(int errorcode, const char *string);
extern int MPI_Remove_error_string(int errorcode);

/* 9.6 Timers */
extern double MPI_Wtime(void);
extern double MPI_Wtick(void);

/* --------------------------------------------------------------------------
 * 10. The info object
 * -------------------------------------------------------------------------- */

extern int MPI_Info_create(MPI_Info *info);
extern int MPI_Info_create_env(int argc, char *argv[], MPI_Info *info);
extern int MPI_Info_dup(MPI_Info info, MPI_Info *newinfo);
extern int MPI_Info_free(MPI_Info *info);
extern int MPI_Info_set(MPI_Info info, const char *key, const char *value);
extern int MPI_Info_delete(MPI_Info info, const char *key);
extern int MPI_Info_get_string(MPI_Info info, const char *key, int *buflen, char *value, int *flag);
extern int MPI_Info_get_nkeys(MPI_Info info, int *nkeys);
extern int MPI_Info_get_nthkey(MPI_Info info, int n, char *key);

/* --------------------------------------------------------------------------
 * 11. Process initialization, creation and management
 * -------------------------------------------------------------------------- */

/* 11.2 The world model */
extern int MPI_Init(int *argc, char ***argv);
extern int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
extern int MPI_Initialized(int *flag);
extern int MPI_Finalize(void);
extern int MPI_Finalized(int *flag);
extern int MPI_Abort(MPI_Comm comm, int errorcode);
extern int MPI_Is_thread_main(int *flag);
extern int MPI_Query_thread(int *provided);

/* 11.3 The sessions model */
extern int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session);
extern int MPI_Session_finalize(MPI_Session *session);
extern int MPI_Session_get_num_psets(MPI_Session session, MPI_Info info, int *npset_names);
extern int MPI_Session_get_nth_pset(MPI_Session session, MPI_Info info, int n, int *pset_len,
                                    char *pset_name);
extern int MPI_Session_get_info(MPI_Session session, MPI_Info *info_used);
extern int MPI_Session_get_pset_info(MPI_Session session, const char *pset_name, MPI_Info *info);

/* 11.8, 11.9 Dynamic processes */
extern int MPI_Comm_spawn(const char *command, char *argv[], int maxprocs, MPI_Info info, int root,
                          MPI_Comm comm, MPI_Comm *intercomm, int array_of_errcodes[]);
extern int MPI_Comm_spawn_multiple(int count, char *array_of_commands[], char **array_of_argv[],
                                   const int array_of_maxprocs[], const MPI_Info array_of_info[],
                                   int root, MPI_Comm comm, MPI_Comm *intercomm,
                                   int array_of_errcodes[]);
extern int MPI_Comm_get_parent(MPI_Comm *parent);
extern int MPI_Open_port(MPI_Info info, char *port_name);
extern int MPI_Close_port(const char *port_name);
extern int MPI_Comm_accept(const char *port_name, MPI_Info info, int root, MPI_Comm comm,
                           MPI_Comm *newcomm);
extern int MPI_Comm_connect(const char *port_name, MPI_Info info, int root, MPI_Comm comm,
                            MPI_Comm *newcomm);
extern int MPI_Comm_disconnect(MPI_Comm *comm);
extern int MPI_Comm_join(int fd, MPI_Comm *intercomm);
extern int MPI_Publish_name(const char *service_name, MPI_Info info, const char *port_name);
extern int MPI_Unpublish_name(const char *service_name, MPI_Info info, const char *port_name);
extern int MPI_Lookup_name(const char *service_name, MPI_Info info, char *port_name);

/* --------------------------------------------------------------------------
 * 12. One-sided communication
 * -------------------------------------------------------------------------- */

/* 12.2 Windows */
extern int MPI_Win_create(void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                          MPI_Win *win);
extern int MPI_Win_create_c(void *base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info,
                            MPI_Comm comm, MPI_Win *win);
extern int MPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                            void *baseptr, MPI_Win *win);
extern int MPI_Win_allocate_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
                              void *baseptr, MPI_Win *win);
extern int MPI_Win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                                   void *baseptr, MPI_Win *win);
extern int MPI_Win_allocate_shared_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info,
                                     MPI_Comm comm, void *baseptr, MPI_Win *win);
extern int MPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint *size, int *disp_unit,
                                void *baseptr);
extern int MPI_Win_shared_query_c(MPI_Win win, int rank, MPI_Aint *size, MPI_Aint *disp_unit,
                                  void *baseptr);
extern int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win);
extern int MPI_Win_attach(MPI_Win win, void *base, MPI_Aint size);
extern int MPI_Win_detach(MPI_Win win, const void *base);
extern int MPI_Win_free(MPI_Win *win);
extern int MPI_Win_get_group(MPI_Win win, MPI_Group *group);
extern int MPI_Win_set_info(MPI_Win win, MPI_Info info);
extern int MPI_Win_get_info(MPI_Win win, MPI_Info *info_used);

/* 12.3 Communication */
extern int MPI_Put(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                   int target_rank, MPI_Aint target_disp, int target_count,
                   MPI_Datatype target_datatype, MPI_Win win);
extern int MPI_Put_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                     int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                     MPI_Datatype target_datatype, MPI_Win win);
extern int MPI_Get(void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                   int target_rank, MPI_Aint target_disp, int target_count,
                   MPI_Datatype target_datatype, MPI_Win win);
extern int MPI_Get_c(void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                     int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                     MPI_Datatype target_datatype, MPI_Win win);
extern int MPI_Accumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                          int target_rank, MPI_Aint target_disp, int target_count,
                          MPI_Datatype target_datatype, MPI_Op op, MPI_Win win);
extern int MPI_Accumulate_c(const void *origin_addr, MPI_Count origin_count,
                            MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                            MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                            MPI_Win win);
extern int MPI_Get_accumulate(const void *origin_addr, int origin_count,
                              MPI_Datatype origin_datatype, void *result_addr, int result_count,
                              MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
                              int target_count, MPI_Datatype target_datatype, MPI_Op op,
                              MPI_Win win);
extern int MPI_Get_accumulate_c(const void *origin_addr, MPI_Count origin_count,
                                MPI_Datatype origin_datatype, void *result_addr,
                                MPI_Count result_count, MPI_Datatype result_datatype,
                                int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                                MPI_Datatype target_datatype, MPI_Op op, MPI_Win win);
extern int MPI_Fetch_and_op(const void *origin_addr, void *result_addr, MPI_Datatype datatype,
                            int target_rank, MPI_Aint target_disp, MPI_Op op, MPI_Win win);
extern int MPI_Compare_and_swap(const void *origin_addr, const void *compare_addr,
                                void *result_addr, MPI_Datatype datatype, int target_rank,
                                MPI_Aint target_disp, MPI_Win win);
extern int MPI_Rput(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                    int target_rank, MPI_Aint target_disp, int target_count,
                    MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request);
extern int MPI_Rput_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                      int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                      MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request);
extern int MPI_Rget(void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                    int target_rank, MPI_Aint target_disp, int target_count,
                    MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request);
extern int MPI_Rget_c(void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                      int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                      MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request);
extern int MPI_Raccumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                           int target_rank, MPI_Aint target_disp, int target_count,
                           MPI_Datatype target_datatype, MPI_Op op, MPI_Win win,
                           MPI_Request *request);
extern int MPI_Raccumulate_c(const void *origin_addr, MPI_Count origin_count,
                             MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                             MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                             MPI_Win win, MPI_Request *request);
extern int MPI_Rget_accumulate(const void *origin_addr, int origin_count,
                               MPI_Datatype origin_datatype, void *result_addr, int result_count,
                               MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
                               int target_count, MPI_Datatype target_datatype, MPI_Op op,
                               MPI_Win win, MPI_Request *request);
extern int MPI_Rget_accumulate_c(const void *origin_addr, MPI_Count origin_count,
                                 MPI_Datatype origin_datatype, void *result_addr,
                                 MPI_Count result_count, MPI_Datatype result_datatype,
                                 int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                                 MPI_Datatype target_datatype, MPI_Op op, MPI_Win win,
                                 MPI_Request *request);

/* 12.5 Synchronisation */
extern int MPI_Win_fence(int assert, MPI_Win win);
extern int MPI_Win_start(MPI_Group group, int assert, MPI_Win win);
extern int MPI_Win_complete(MPI_Win win);
extern int MPI_Win_post(MPI_Group group, int assert, MPI_Win win);
extern int MPI_Win_wait(MPI_Win win);
extern int MPI_Win_test(MPI_Win win, int *flag);
extern int MPI_Win_lock(int lock_type, int rank, int assert, MPI_Win win);
extern int MPI_Win_lock_all(int assert, MPI_Win win);
extern int MPI_Win_unlock(int rank, MPI_Win win);
extern int MPI_Win_unlock_all(MPI_Win win);
extern int MPI_Win_flush(int rank, MPI_Win win);
extern int MPI_Win_flush_all(MPI_Win win);
extern int MPI_Win_flush_local(int rank, MPI_Win win);
extern int MPI_Win_flush_local_all(MPI_Win win);
extern int MPI_Win_sync(MPI_Win win);

/* --------------------------------------------------------------------------
 * 13. External interfaces
 * -------------------------------------------------------------------------- */

/* 13.2, 13.3 Generalized requests and their statuses */
extern int MPI_Grequest_start(MPI_Grequest_query_function *query_fn,
                              MPI_Grequest_free_function *free_fn,
                              MPI_Grequest_cancel_function *cancel_fn, void *extra_state,
                              MPI_Request *request);
extern int MPI_Grequest_complete(MPI_Request request);
extern int MPI_Status_set_elements(MPI_Status *status, MPI_Datatype datatype, int count);
extern int MPI_Status_set_elements_c(MPI_Status *status, MPI_Datatype datatype, MPI_Count count);
extern int MPI_Status_set_elements_x(MPI_Status *status, MPI_Datatype datatype, MPI_Count count);
extern int MPI_Status_set_cancelled(MPI_Status *status, int flag);
extern int MPI_Status_set_source(MPI_Status *status, int source);
extern int MPI_Status_set_tag(MPI_Status *status, int tag);
extern int MPI_Status_set_error(MPI_Status *status, int error);

/* --------------------------------------------------------------------------
 * 14. I/O
 * -------------------------------------------------------------------------- */

/* 14.2 Files */
extern int MPI_File_open(MPI_Comm comm, const char *filename, int amode, MPI_Info info,
                         MPI_File *fh);
extern int MPI_File_close(MPI_File *fh);
extern int MPI_File_delete(const char *filename, MPI_Info info);
extern int MPI_File_set_size(MPI_File fh, MPI_Offset size);
extern int MPI_File_preallocate(MPI_File fh, MPI_Offset size);
extern int MPI_File_get_size(MPI_File fh, MPI_Offset *size);
extern int MPI_File_get_group(MPI_File fh, MPI_Group *group);
extern int MPI_File_get_amode(MPI_File fh, int *amode);
extern int MPI_File_set_info(MPI_File fh, MPI_Info info);
extern int MPI_File_get_info(MPI_File fh, MPI_Info *info_used);

/* 14.3 Views */
extern int MPI_File_set_view(MPI_File fh, MPI_Offset disp, MPI_Datatype etype,
                             MPI_Datatype filetype, const char *datarep, MPI_Info info);
extern int MPI_File_get_view(MPI_File fh, MPI_Offset *disp, MPI_Datatype *etype,
                             MPI_Datatype *filetype, char *datarep);

/* 14.4.2 At an explicit offset */
extern int MPI_File_read_at(MPI_File fh, MPI_Offset offset, void *buf, int count,
                            MPI_Datatype datatype, MPI_Status *status);
extern int MPI_File_read_at_c(MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count,
                              MPI_Datatype datatype, MPI_Status *status);
extern int MPI_File_read_at_all(MPI_File fh, MPI_Offset offset, void *buf, int count,
                                MPI_Datatype datatype, MPI_Status *status);
extern int MPI_File_read_at_all_c(MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count,
                                  MPI_Datatype datatype, MPI_Status *status);
extern int MPI_File_write_at(MPI_File fh, MPI_Offset offset, const void *buf, int count,
                             MPI_Datatype datatype, MPI_Status *status);
extern int MPI_File_write_at_c(MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count,
                               MPI_Datatype datatype, MPI_Status *status);
extern int MPI_File_write_at_all(MPI_File fh, MPI_Offset offset, const void *buf, int count,
                                 MPI_Datatype datatype, MPI_Status *status);
extern int MPI_File_write_at_all_c(MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count,
                                   MPI_Datatype datatype, MPI_Status *status);
extern int MPI_File_iread_at(MPI_File fh, MPI_Offset offset, void *buf, int count,
                             MPI_Datatype datatype, MPI_Request *request);
extern int MPI_File_iread_at_c(MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count,
                               MPI_Datatype datatype, MPI_Request *request);
extern int MPI_File_iread_at_all(MPI_File fh, MPI_Offset offset, void *buf, int count,
                                 MPI_Datatype datatype, MPI_Request *request);
extern int MPI_File_iread_at_all_c(MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count,
                                   MPI_Datatype datatype, MPI_Request *request);
extern int MPI_File_iwrite_at(MPI_File fh, MPI_Offset offset, const void *buf, int count,
                              MPI_Datatype datatype, MPI_Request *request);
extern int MPI_File_iwrite_at_c(MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count,
                                MPI_Datatype datatype, MPI_Request *request);
extern int MPI_File_iwrite_at_all(MPI_File fh, MPI_Offset offset, const void *buf, int count,
                                  MPI_Datatype datatype, MPI_Request *request);
extern int MPI_File_iwrite_at_all_c(MPI_File fh, MPI_Offset offset, const void *buf,
                                    MPI_Count count, MPI_Datatype datatype, MPI_Request *request);

/* 14.4.3 At the individual file pointer */
extern int MPI_File_read(MPI_File fh, void *buf, int count, MPI_Datatype datatype,
                         MPI_Status *status);
extern int MPI_File_read_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype,
                           MPI_Status *status);
extern int MPI_File_read_all(MPI_File fh, void *buf, int count, MPI_Datatype datatype,
                             MPI_Status *status);
extern int MPI_File_read_all_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype,
                               MPI_Status *status);
extern int MPI_File_write(MPI_File fh, const void *buf, int count, MPI_Datatype datatype,
                          MPI_Status *status);
extern int MPI_File_write_c(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype,
                            MPI_Status *status);
extern int MPI_File_write_all(MPI_File fh, const void *buf, int count, MPI_Datatype datatype,
                              MPI_Status *status);
extern int MPI_File_write_all_c(MPI_File fh, const void *buf, MPI_Count count,
                                MPI_Datatype datatype, MPI_Status *status);
extern int MPI_File_iread(MPI_File fh, void *buf, int count, MPI_Datatype datatype,
                          MPI_Request *request);
extern int MPI_File_iread_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype,
                            MPI_Request *request);
extern int MPI_File_iread_all(MPI_File fh, void *buf, int count, MPI_Datatype datatype,
                              MPI_Request *request);
extern int MPI_File_iread_all_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype,
                                MPI_Request *request);
extern int MPI_File_iwrite(MPI_File fh, const void *buf, int count, MPI_Datatype datatype,
                           MPI_Request *request);
extern int MPI_File_iwrite_c(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype,
                             MPI_Request *request);
extern int MPI_File_iwrite_all(MPI_File fh, const void *buf, int count, MPI_Datatype datatype,
                               MPI_Request *request);
extern int MPI_File_iwrite_all_c(MPI_File fh, const void *buf, MPI_Count count,
                                 MPI_Datatype datatype, MPI_Request *request);
extern int MPI_File_seek(MPI_File fh, MPI_Offset offset, int whence);
extern int MPI_File_get_position(MPI_File fh, MPI_Offset *offset);
extern int MPI_File_get_byte_offset(MPI_File fh, MPI_Offset offset, MPI_Offset *disp);

/* 14.4.4 At the shared file pointer */
extern int MPI_File_read_shared(MPI_File fh, void *buf, int count, MPI_Datatype datatype,
                                MPI_Status *status);
extern int MPI_File_read_shared_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype,
                                  MPI_Status *status);
extern int MPI_File_write_shared(MPI_File fh, const void *buf, int count, MPI_Datatype datatype,
                                 MPI_Status *status);
extern int MPI_File_write_shared_c(MPI_File fh, const void *buf, MPI_Count count,
                                   MPI_Datatype datatype, MPI_Status *status);
extern int MPI_File_iread_shared(MPI_File fh, void *buf, int count, MPI_Datatype datatype,
                                 MPI_Request *request);
extern int MPI_File_iread_shared_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype,
                                   MPI_Request *request);
extern int MPI_File_iwrite_shared(MPI_File fh, const void *buf, int count, MPI_Datatype datatype,
                                  MPI_Request *request);
extern int MPI_File_iwrite_shared_c(MPI_File fh, const void *buf, MPI_Count count,
                                    MPI_Datatype datatype, MPI_Request *request);
extern int MPI_File_read_ordered(MPI_File fh, void *buf, int count, MPI_Datatype datatype,
                                 MPI_Status *status);
extern int MPI_File_read_ordered_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype,
                                   MPI_Status *status);
extern int MPI_File_write_ordered(MPI_File fh, const void *buf, int count, MPI_Datatype datatype,
                                  MPI_Status *status);
extern int MPI_File_write_ordered_c(MPI_File fh, const void *buf, MPI_Count count,
                                    MPI_Datatype datatype, MPI_Status *status);
extern int MPI_File_seek_shared(MPI_File fh, MPI_Offset offset, int whence);
extern int MPI_File_get_position_shared(MPI_File fh, MPI_Offset *offset);

/* 14.4.5 Split collectives */
extern int MPI_File_read_at_all_begin(MPI_File fh, MPI_Offset offset, void *buf, int count,
                                      MPI_Datatype datatype);
extern int MPI_File_read_at_all_begin_c(MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count,
                                        MPI_Datatype datatype);
extern int MPI_File_read_at_all_end(MPI_File fh, void *buf, MPI_Status *status);
extern int MPI_File_write_at_all_begin(MPI_File fh, MPI_Offset offset, const void *buf, int count,
                                       MPI_Datatype datatype);
extern int MPI_File_write_at_all_begin_c(MPI_File fh, MPI_Offset offset, const void *buf,
                                         MPI_Count count, MPI_Datatype datatype);
extern int MPI_File_write_at_all_end(MPI_File fh, const void *buf, MPI_Status *status);
extern int MPI_File_read_all_begin(MPI_File fh, void *buf, int count, MPI_Datatype datatype);
extern int MPI_File_read_all_begin_c(MPI_File fh, void *buf, MPI_Count count,
                                     MPI_Datatype datatype);
extern int MPI_File_read_all_end(MPI_File fh, void *buf, MPI_Status *status);
extern int MPI_File_write_all_begin(MPI_File fh, const void *buf, int count, MPI_Datatype datatype);
extern int MPI_File_write_all_begin_c(MPI_File fh, const void *buf, MPI_Count count,
                                      MPI_Datatype datatype);
extern int MPI_File_write_all_end(MPI_File fh, const void *buf, MPI_Status *status);
extern int MPI_File_read_ordered_begin(MPI_File fh, void *buf, int count, MPI_Datatype datatype);
extern int MPI_File_read_ordered_begin_c(MPI_File fh, void *buf, MPI_Count count,
                                         MPI_Datatype datatype);
extern int MPI_File_read_ordered_end(MPI_File fh, void *buf, MPI_Status *status);
extern int MPI_File_write_ordered_begin(MPI_File fh, const void *buf, int count,
                                        MPI_Datatype datatype);
extern int MPI_File_write_ordered_begin_c(MPI_File fh, const void *buf, MPI_Count count,
                                          MPI_Datatype datatype);
extern int MPI_File_write_ordered_end(MPI_File fh, const void *buf, MPI_Status *status);

/* 14.5, 14.6 Representations, consistency */
extern int MPI_File_get_type_extent(MPI_File fh, MPI_Datatype datatype, MPI_Aint *extent);
extern int MPI_File_get_type_extent_c(MPI_File fh, MPI_Datatype datatype, MPI_Count *extent);
extern int MPI_Register_datarep(const char *datarep,
                                MPI_Datarep_conversion_function *read_conversion_fn,
                                MPI_Datarep_conversion_function *write_conversion_fn,
                                MPI_Datarep_extent_function *dtype_file_extent_fn,
                                void *extra_state);
extern int MPI_Register_datarep_c(const char *datarep,
                                  MPI_Datarep_conversion_function_c *read_conversion_fn,
                                  MPI_Datarep_conversion_function_c *write_conversion_fn,
                                  MPI_Datarep_extent_function *dtype_file_extent_fn,
                                  void *extra_state);
extern int MPI_File_set_atomicity(MPI_File fh, int flag);
extern int MPI_File_get_atomicity(MPI_File fh, int *flag);
extern int MPI_File_sync(MPI_File fh);

/* --------------------------------------------------------------------------
 * 15. Tool support
 * -------------------------------------------------------------------------- */

/* 15.2 Profiling control */
extern int MPI_Pcontrol(const int level, ...);

/* 15.3 Tool information interface: start, enumerations */
extern int MPI_T_init_thread(int required, int *provided);
extern int MPI_T_finalize(void);
extern int MPI_T_enum_get_info(MPI_T_enum enumtype, int *num, char *name, int *name_len);
extern int MPI_T_enum_get_item(MPI_T_enum enumtype, int indx, int *value, char *name,
                               int *name_len);

/* 15.3.6 Control variables */
extern int MPI_T_cvar_get_num(int *num_cvar);
extern int MPI_T_cvar_get_info(int cvar_index, char *name, int *name_len, int *verbosity,
                               MPI_Datatype *datatype, MPI_T_enum *enumtype, char *desc,
                               int *desc_len, int *bind, int *scope);
extern int MPI_T_cvar_get_index(const char *name, int *cvar_index);
extern int MPI_T_cvar_handle_alloc(int cvar_index, void *obj_handle, MPI_T_cvar_handle *handle,
                                   int *count);
extern int MPI_T_cvar_handle_free(MPI_T_cvar_handle *handle);
extern int MPI_T_cvar_read(MPI_T_cvar_handle handle, void *buf);
extern int MPI_T_cvar_write(MPI_T_cvar_handle handle, const void *buf);

/* 15.3.7 Performance variables */
extern int MPI_T_pvar_get_num(int *num_pvar);
extern int MPI_T_pvar_get_info(int pvar_index, char *name, int *name_len, int *verbosity,
                               int *var_class, MPI_Datatype *datatype, MPI_T_enum *enumtype,
                               char *desc, int *desc_len, int *bind, int *readonly, int *continuous,
                               int *atomic);
extern int MPI_T_pvar_get_index(const char *name, int var_class, int *pvar_index);
extern int MPI_T_pvar_session_create(MPI_T_pvar_session *session);
extern int MPI_T_pvar_session_free(MPI_T_pvar_session *session);
extern int MPI_T_pvar_handle_alloc(MPI_T_pvar_session session, int pvar_index, void *obj_handle,
                                   MPI_T_pvar_handle *handle, int *count);
extern int MPI_T_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle *handle);
extern int MPI_T_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle);
extern int MPI_T_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle);
extern int MPI_T_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf);
extern int MPI_T_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void *buf);
extern int MPI_T_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle);
extern int MPI_T_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf);

/* 15.3.8 Events */
extern int MPI_T_source_get_num(int *num_sources);
extern int MPI_T_source_get_info(int source_index, char *name, int *name_len, char *desc,
                                 int *desc_len, MPI_T_source_order *ordering,
                                 MPI_Count *ticks_per_second, MPI_Count *max_ticks, MPI_Info *info);
extern int MPI_T_source_get_timestamp(int source_index, MPI_Count *timestamp);
extern int MPI_T_event_get_num(int *num_events);
extern int MPI_T_event_get_info(int event_index, char *name, int *name_len, int *verbosity,
                                MPI_Datatype array_of_datatypes[],
                                MPI_Aint array_of_displacements[], int *num_elements,
                                MPI_T_enum *enumtype, MPI_Info *info, char *desc, int *desc_len,
                                int *bind);
extern int MPI_T_event_get_index(const char *name, int *event_index);
extern int MPI_T_event_handle_alloc(int event_index, void *obj_handle, MPI_Info info,
                                    MPI_T_event_registration *event_registration);
extern int MPI_T_event_handle_set_info(MPI_T_event_registration event_registration, MPI_Info info);
extern int MPI_T_event_handle_get_info(MPI_T_event_registration event_registration,
                                       MPI_Info *info_used);
extern int MPI_T_event_register_callback(MPI_T_event_registration event_registration,
                                         MPI_T_cb_safety cb_safety, MPI_Info info, void *user_data,
                                         MPI_T_event_cb_function event_cb_function);
extern int MPI_T_event_callback_set_info(MPI_T_event_registration event_registration,
                                         MPI_T_cb_safety cb_safety, MPI_Info info);
extern int MPI_T_event_callback_get_info(MPI_T_event_registration event_registration,
                                         MPI_T_cb_safety cb_safety, MPI_Info *info_used);
extern int MPI_T_event_handle_free(MPI_T_event_registration event_registration, void *user_data,
                                   MPI_T_event_free_cb_function free_cb_function);
extern int MPI_T_event_set_dropped_handler(MPI_T_event_registration event_registration,
                                           MPI_T_event_dropped_cb_function dropped_cb_function);
extern int MPI_T_event_read(MPI_T_event_instance event_instance, int element_index, void *buffer);
extern int MPI_T_event_copy(MPI_T_event_instance event_instance, void *buffer);
extern int MPI_T_event_get_timestamp(MPI_T_event_instance event_instance,
                                     MPI_Count *event_timestamp);
extern int MPI_T_event_get_source(MPI_T_event_instance event_instance, int *source_index);

/* 15.3.9 Categories */
extern int MPI_T_category_get_num(int *num_cat);
extern int MPI_T_category_get_info(int cat_index, char *name, int *name_len, char *desc,
                                   int *desc_len, int *num_cvars, int *num_pvars,
                                   int *num_categories);
extern int MPI_T_category_get_num_events(int cat_index, int *num_events);
extern int MPI_T_category_get_index(const char *name, int *cat_index);
extern int MPI_T_category_get_cvars(int cat_index, int len, int indices[]);
extern int MPI_T_category_get_pvars(int cat_index, int len, int indices[]);
extern int MPI_T_category_get_events(int cat_index, int len, int indices[]);
extern int MPI_T_category_get_categories(int cat_index, int len, int indices[]);
extern int MPI_T_category_changed(int *update_number);

/* --------------------------------------------------------------------------
 * 16. Deprecated
 * -------------------------------------------------------------------------- */

extern int MPI_Keyval_create(MPI_Copy_function *copy_fn, MPI_Delete_function *delete_fn,
                             int *keyval, void *extra_state);
extern int MPI_Keyval_free(int *keyval);
extern int MPI_Attr_put(MPI_Comm comm, int keyval, void *attribute_val);
extern int MPI_Attr_get(MPI_Comm comm, int keyval, void *attribute_val, int *flag);
extern int MPI_Attr_delete(MPI_Comm comm, int keyval);
extern int MPI_Info_get(MPI_Info info, const char *key, int valuelen, char *value, int *flag);
extern int MPI_Info_get_valuelen(MPI_Info info, const char *key, int *valuelen, int *flag);

/* --------------------------------------------------------------------------
 * 19. Language bindings
 * -------------------------------------------------------------------------- */

/* 19.1.5 Fortran types by precision */
extern int MPI_Type_create_f90_integer(int r, MPI_Datatype *newtype);
extern int MPI_Type_create_f90_real(int p, int r, MPI_Datatype *newtype);
extern int MPI_Type_create_f90_complex(int p, int r, MPI_Datatype *newtype);
extern int MPI_Type_match_size(int typeclass, int size, MPI_Datatype *datatype);

/* --------------------------------------------------------------------------
 * 20. The application binary interface
 * -------------------------------------------------------------------------- */

extern int MPI_Abi_get_version(int *abi_major, int *abi_minor);
extern int MPI_Abi_get_info(MPI_Info *info);
extern int MPI_Abi_get_fortran_info(MPI_Info *info);
extern int MPI_Abi_set_fortran_info(MPI_Info info);
extern int MPI_Abi_get_fortran_booleans(int logical_size, void *logical_true, void *logical_false,
                                        int *is_set);
extern int MPI_Abi_set_fortran_booleans(int logical_size, void *logical_true, void *logical_false);

/* Handles as integers: predefined ones keep their values */
extern int MPI_Comm_toint(MPI_Comm comm);
extern MPI_Comm MPI_Comm_fromint(int comm);
extern int MPI_Errhandler_toint(MPI_Errhandler errhandler);
extern MPI_Errhandler MPI_Errhandler_fromint(int errhandler);
extern int MPI_File_toint(MPI_File file);
extern MPI_File MPI_File_fromint(int file);
extern int MPI_Group_toint(MPI_Group group);
extern MPI_Group MPI_Group_fromint(int group);
extern int MPI_Info_toint(MPI_Info info);
extern MPI_Info MPI_Info_fromint(int info);
extern int MPI_Message_toint(MPI_Message message);
extern MPI_Message MPI_Message_fromint(int message);
extern int MPI_Op_toint(MPI_Op op);
extern MPI_Op MPI_Op_fromint(int op);
extern int MPI_Request_toint(MPI_Request request);
extern MPI_Request MPI_Request_fromint(int request);
extern int MPI_Session_toint(MPI_Session session);
extern MPI_Session MPI_Session_fromint(int session);
extern int MPI_Type_toint(MPI_Datatype datatype);
extern MPI_Datatype MPI_Type_fromint(int datatype);
extern int MPI_Win_toint(MPI_Win win);
extern MPI_Win MPI_Win_fromint(int win);

#include "mpi_profile.h"
#if defined(__clang__) && !defined(MEND_NO_TYPE_TAGS)
#include "mpi_buffers.h"
#endif

#ifdef __cplusplus
}
#endif

#ifndef MEND_STANDARD_ONLY
#include "mpi_old.h"
#include "mpi_ft.h"
#include "mend.h"
#endif

#endif
