/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_ft.h – what a program calls when it has lost processes.
 *
 * A call that needs a dead process returns MPI_ERR_PROC_FAILED; calls that do not need it work as
 * before, and no other process is told.  From there a program goes on in one of four ways:
 *
 *     ignore it       MPIX_Comm_ack_failed        receives from MPI_ANY_SOURCE work again
 *     replace         MPIX_Comm_refill            a new communicator, full again: new processes for the dead
 *     shrink          MPIX_Comm_revoke            all others are interrupted and learn of it
 *                     MPIX_Comm_shrink            a new communicator of the survivors
 *     validate        MPI_Comm_validate           the same communicator, collectives with holes
 *
 * and MPIX_Comm_agree lets the survivors decide something together while processes die, MPIX_Comm_agree_failed on
 * which of them are dead.
 *
 * Two vocabularies, one meaning unless said otherwise: today's names, with and without the MPIX_
 * prefix, and those of the User-Level Failure Mitigation proposal of 2012 and of its companions.
 *
 *     today                                         2012
 *     MPIX_Comm_revoke, MPIX_Comm_is_revoked        MPI_Comm_invalidate
 *     MPIX_Comm_shrink, MPIX_Comm_ishrink           MPI_Comm_shrink            (only if revoked)
 *     MPIX_Comm_agree, MPIX_Comm_iagree             MPI_Comm_agreement         (boolean)
 *     MPIX_Comm_ack_failed                          MPI_Comm_failure_ack       (all at once)
 *     MPIX_Comm_get_failed                          MPI_Comm_failure_get_acked (those acknowledged)
 *     MPIX_Win_revoke                               MPI_Win_invalidate
 *     MPIX_File_revoke                              MPI_File_invalidate
 *
 * ONE TRAP: MPI_Comm_shrink, without the X, is the function of 2012 and refuses a communicator that
 * was not revoked.  MPIX_Comm_shrink takes any.
 *
 * 1. Failure errors are error classes, and their codes are the class itself: compare the return
 *    value of a call with MPI_ERR_PROC_FAILED directly (R15).
 * 2. "Invalid" (2012) and "revoked" are the same state.  It is for ever; MPI_Comm_free still works.
 * 3. The default error handler is MPI_ERRORS_ARE_FATAL: a program that wants the codes sets
 *    MPI_ERRORS_RETURN on the communicators it uses.
 * 4. Every function below also raises the usual errors of a wrong handle or argument
 *    (MPI_ERR_COMM, MPI_ERR_WIN, MPI_ERR_FILE, MPI_ERR_ARG); one that makes something also
 *    MPI_ERR_NO_MEM.
 * 5. Outputs are written on success only, unless said otherwise.  Communicators and groups that a
 *    function makes belong to the caller, which frees them.
 *
 * In parentheses: statements (S0-45) and rulings (R13) of doc/conformance.md.  Sections are those of
 * the 2012 proposal.  The same at length and with pictures: doc/failure-semantics.md, man mend-ft.
 */
#ifndef MEND_MPI_FT_H
#define MEND_MPI_FT_H

#include "mpi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --------------------------------------------------------------------------
 * Error classes and attributes (section 1.4).  0x4000 to 0x40ff are ours: below is the MPI Forum's,
 * above is what MPI_Add_error_class and the creation of key values hand out.
 * -------------------------------------------------------------------------- */

/* A process that the operation needs has died (S0-103). */
#define MPI_ERR_PROC_FAILED    0x4001
#define MPI_ERR_PROC_FAIL_STOP MPI_ERR_PROC_FAILED
#define MPIX_ERR_PROC_FAILED   MPI_ERR_PROC_FAILED

/* A member revoked the communicator, window or file (S0-104). */
#define MPI_ERR_REVOKED     0x4002
#define MPIX_ERR_REVOKED    MPI_ERR_REVOKED
#define MPI_ERR_INVALIDATED MPI_ERR_REVOKED

/* A nonblocking receive from MPI_ANY_SOURCE stays pending although a possible sender has died
 * (S0-20). */
#define MPI_ERR_PROC_FAILED_PENDING  MPI_ERR_PENDING
#define MPIX_ERR_PROC_FAILED_PENDING MPI_ERR_PENDING

/* Attribute of MPI_COMM_WORLD, an int, true: failures are survived here (R25). */
#define MPI_FT  0x4010
#define MPIX_FT MPI_FT

/* --------------------------------------------------------------------------
 * Interrupt everyone (section 1.3.1)
 * -------------------------------------------------------------------------- */

/* Revoke a communicator at every process of it, in both groups of an intercommunicator.
 *
 * Not collective: one caller is enough.  Does not block.  Success also if it is revoked already
 * (R2).  At the caller it is revoked at once (S0-62); elsewhere as soon as a call has returned
 * MPIX_ERR_REVOKED.  Calls that wait there return with that error, and later ones return it
 * at once, without any other process (S0-60, S0-65); shrink and agreement still work (S0-61), and so
 * do local calls (S0-67).  Receive buffers of what it interrupts are undefined.  Parents, children
 * and copies of the communicator are untouched (S0-68).  The handle stays the caller's:
 * MPI_Comm_free works (S0-69).
 * Deaths: every survivor is told, whichever processes die on the way, the caller included (S0-59). */
extern int MPI_Comm_invalidate(MPI_Comm comm);
extern int MPI_Comm_revoke(MPI_Comm comm);
extern int MPIX_Comm_revoke(MPI_Comm comm);

/* Ask whether a communicator is revoked as far as this process knows: *flag is 1 or 0.
 *
 * Not collective, local, does not block.  0 says nothing about other processes; 1 is for ever.
 * Deaths: no effect; a dead member does not revoke a communicator. */
extern int MPI_Comm_is_revoked(MPI_Comm comm, int *flag);
extern int MPIX_Comm_is_revoked(MPI_Comm comm, int *flag);

/* --------------------------------------------------------------------------
 * A smaller communicator (section 1.3.1)
 * -------------------------------------------------------------------------- */

/* Make a new communicator of the survivors of a revoked one, in the same order: an
 * intracommunicator of an intracommunicator, an intercommunicator of an intercommunicator.
 *
 * Collective over the survivors.  Blocks until each of them has called it or died.
 * Errors: MPI_ERR_ARG everywhere if no survivor has the communicator revoked (S0-73, R3);
 * never MPI_ERR_PROC_FAILED and never MPIX_ERR_REVOKED (S0-74).
 * Deaths: all callers that return agree on the members that are left out (S0-75): at least all those
 * whose death one of them had been told of before the call (S0-76).  A process that dies meanwhile
 * may still be in the result and is noticed later (S0-79).  An intercommunicator with one side all
 * dead gives MPI_COMM_NULL (R4).
 * The new communicator inherits the error handler (R10), and neither attributes nor topology; the
 * caller frees it.  comm stays as it is. */
extern int MPI_Comm_shrink(MPI_Comm comm, MPI_Comm *newcomm);

/* The same for any communicator, revoked or not (R17).  One that is not revoked stays so. */
extern int MPIX_Comm_shrink(MPI_Comm comm, MPI_Comm *newcomm);

/* MPIX_Comm_shrink as a request.
 *
 * Collective over the survivors, begun by all in the same order as other shrinks and
 * agreements on comm.  Does not block: *newcomm is written when a wait or test completes the
 * request; it must stay in place and must not be used before.  Errors and deaths as above, reported
 * by the completing call (S0-16). */
extern int MPI_Comm_ishrink(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request);
extern int MPIX_Comm_ishrink(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request);

/* --------------------------------------------------------------------------
 * The old size again
 * -------------------------------------------------------------------------- */

/* Replace the dead: make a new communicator of the size of comm in which every survivor has the rank that it has in
 * comm, and new processes have the ranks of the dead.  Each runs the program of the process that it replaces, with its
 * arguments, and starts from the beginning: it knows nothing of what the dead one knew.  If no member has failed the
 * result is a duplicate.
 *
 * comm is an intracommunicator, revoked or not; info holds no hint that has an effect, MPI_INFO_NULL will do.
 * Collective over the survivors.  Blocks until each of them has called it or died and the new processes are in
 * MPI_Init; a program that never calls MPI_Init is waited for.
 * Errors, the same at all survivors: MPI_ERR_SPAWN if there is no room for as many (mpiexec --universe), a program cannot
 * be started, or the job was started without mpiexec; MPI_ERR_PROC_FAILED if a survivor or a new process dies
 * meanwhile: then no new process is left, and the call may be repeated.  *newcomm is MPI_COMM_NULL then.
 * Deaths: those before the call are agreed on (S0-75) and replaced; a process that dies when the
 * communicator has been agreed on is in it, and noticed later.
 * The new communicator inherits the error handler, and neither attributes nor topology; the caller frees it. */
extern int MPIX_Comm_refill(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm);

/* In a process that replaces another: the communicator that the survivors got from MPIX_Comm_refill, of which this
 * process has the rank of the dead one.  MPI_COMM_NULL in all other processes, and when it was freed.
 *
 * Local.  MPI_COMM_WORLD holds the processes that were started together with this one (R35), and MPI_Comm_get_parent gives
 * MPI_COMM_NULL.  The error handler is that of MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL. */
extern int MPIX_Comm_refilled(MPI_Comm *newcomm);

/* --------------------------------------------------------------------------
 * The same communicator, with holes (J. Hursey's text of February 2012)
 * -------------------------------------------------------------------------- */

/* Let collectives and creation work again on a communicator that has lost members, among the
 * survivors, and get the group of the dead ones of both groups, the same at every caller (S2-10,
 * S2-11).  The caller frees the group.
 *
 * Collective over the survivors.  Blocks until each of them has called it or died.
 * If a member has died since the last call it makes a cut: collectives that were begun before
 * and have not ended end with MPI_ERR_PROC_FAILED, and no process has to join them any more
 * (S2-12, S2-13); persistent ones made before it end so whenever they are started.  Messages
 * are not cut: a program that sends some does so on a copy of the communicator, which it
 * revokes before, and makes anew.
 * Else it only returns the group (S2-18).
 * Afterwards ranks and size are what they were.  A dead member contributes nothing, its blocks
 * of buffers are left untouched, and a collective whose root it is returns MPI_ERR_PROC_FAILED;
 * copies have the same holes, and it is in no part of a split.  Point-to-point with it keeps
 * failing (R20).
 * Errors: MPIX_ERR_REVOKED on a revoked communicator; never MPI_ERR_PROC_FAILED.
 * Deaths: a process that dies during the call is in the group, or the communicator is inactive
 * again and the next collective says so (S2-18).  If no process is left on one side of an
 * intercommunicator, its collectives stay inactive. */
extern int MPI_Comm_validate(MPI_Comm comm, MPI_Group *failedgroup);

/* --------------------------------------------------------------------------
 * Decide together (section 1.3.1)
 * -------------------------------------------------------------------------- */

/* Logical AND of *flag over the survivors, the same value and the same return code at all of
 * them; on an intercommunicator each side gets the AND of the other one (S0-88, S0-92).
 *
 * Collective over the survivors, also on a revoked communicator (S0-93).  Blocks until
 * each of them has called it or died.  0 is false, everything else is true; the result is 0 or 1.
 * Errors: never MPI_ERR_PROC_FAILED, never MPIX_ERR_REVOKED (S0-90).
 * Deaths: a process that was dead before does not count (S0-91); of one that dies during the call,
 * the value counts everywhere or nowhere (R5). */
extern int MPI_Comm_agreement(MPI_Comm comm, int *flag);

/* MPI_Comm_agreement as a request (the name is the proposal's).
 *
 * Collective over the survivors, begun by all in the same order as other agreements and
 * shrinks on comm.  Does not block: *flag is read at the call and written when a wait or test
 * completes the request; it must stay in place and be left alone in between.  Errors and deaths as
 * above (S0-94). */
extern int MPI_Icomm_agreement(MPI_Comm comm, int *flag, MPI_Request *req);

/* Bitwise AND of the words *flag over the survivors, the same at all of them; on an
 * intercommunicator each side gets that of the other one.
 *
 * Collective, blocks, and works on a revoked communicator, as MPI_Comm_agreement.
 * Errors: MPI_ERR_PROC_FAILED, at all of them or at none, if a member is dead whose failure one of
 * them has not acknowledged; *flag is the agreed value and is written all the same (R16).
 * Deaths: as above. */
extern int MPI_Comm_agree(MPI_Comm comm, int *flag);
extern int MPIX_Comm_agree(MPI_Comm comm, int *flag);

/* MPI_Comm_agree as a request.
 *
 * Collective, does not block, *flag: as MPI_Icomm_agreement.  Errors and deaths as MPI_Comm_agree,
 * reported by the completing call. */
extern int MPI_Comm_iagree(MPI_Comm comm, int *flag, MPI_Request *request);
extern int MPIX_Comm_iagree(MPI_Comm comm, int *flag, MPI_Request *request);

/* Get the group of the failed members, of both groups of an intercommunicator, the same at every survivor and in the
 * same order: that of the ranks.  It holds at least all whose failure any caller knew before the call, and
 * MPIX_Comm_get_failed gives at least these from now on.  The caller frees the group.
 *
 * Collective over the survivors, also on a revoked communicator; in the same order as agreements and shrinks on comm.
 * Blocks until each of them has called it or died.  Acknowledges nothing, and changes nothing else on comm (R45).
 * Errors: never MPI_ERR_PROC_FAILED, never MPIX_ERR_REVOKED.
 * Deaths: all callers that return agree.  A process that dies during the call may be in the group or not. */
extern int MPIX_Comm_agree_failed(MPI_Comm comm, MPI_Group *failedgroup);

/* MPIX_Comm_agree_failed as a request.
 *
 * Collective over the survivors, begun by all in the same order as other agreements and
 * shrinks on comm.  Does not block: *failedgroup is written when a wait or test completes the request; it must stay
 * in place and must not be used before.  Errors and deaths as above. */
extern int MPIX_Comm_iagree_failed(MPI_Comm comm, MPI_Group *failedgroup, MPI_Request *request);

/* --------------------------------------------------------------------------
 * Which processes are dead, and going on without them (section 1.3.1)
 * -------------------------------------------------------------------------- */

/* Acknowledge every failure in this communicator that this process has been told of, in both groups
 * of an intercommunicator (R6).
 *
 * Not collective, local, does not block.  Works on a revoked communicator.
 * Afterwards receives and probes from MPI_ANY_SOURCE do not report these failures, neither new ones
 * nor pending ones that are continued (S0-82, S0-25).  Receives from a dead process by its rank and
 * collectives still fail (S0-84).  Other communicators are not affected (S0-81).
 * Deaths: one that becomes known later is reported again (S0-83). */
extern int MPI_Comm_failure_ack(MPI_Comm comm);
extern int MPIX_Comm_failure_ack(MPI_Comm comm);

/* Get the group of the members that this process has acknowledged; MPI_GROUP_EMPTY's content before
 * the first acknowledgement (S0-86, S0-87).  The caller frees the group.
 *
 * Not collective, local, does not block.  Works on a revoked communicator.  Deaths: no effect. */
extern int MPI_Comm_failure_get_acked(MPI_Comm comm, MPI_Group *failedgroup);
extern int MPIX_Comm_failure_get_acked(MPI_Comm comm, MPI_Group *failedgroup);

/* Get the group of all members that this process knows to be dead, in both groups of an
 * intercommunicator, acknowledged or not (S3-4).  Later calls give the same members in the same
 * order, with new ones after them.  The caller frees the group.
 *
 * Not collective, local, does not block.  Works on a revoked communicator.  Deaths: those known
 * here. */
extern int MPI_Comm_get_failed(MPI_Comm comm, MPI_Group *failedgroup);
extern int MPIX_Comm_get_failed(MPI_Comm comm, MPI_Group *failedgroup);

/* Acknowledge the first num_to_ack failures in the order of MPI_Comm_get_failed, so that exactly
 * what was read is acknowledged; *num_acked is how many are acknowledged now.  A smaller number
 * than before takes nothing back; a larger one than there are acknowledges all.
 *
 * Not collective, local, does not block.  Works on a revoked communicator.  Effect as
 * MPI_Comm_failure_ack.
 * Errors: MPI_ERR_ARG for a negative number.
 * Deaths: one that becomes known later is reported again (S0-83). */
extern int MPI_Comm_ack_failed(MPI_Comm comm, int num_to_ack, int *num_acked);
extern int MPIX_Comm_ack_failed(MPI_Comm comm, int num_to_ack, int *num_acked);

/* --------------------------------------------------------------------------
 * Windows (section 1.3.2).
 * -------------------------------------------------------------------------- */

/* Revoke a window at every process of it.
 *
 * Not collective.  Does not block.  Synchronisation that waits returns MPIX_ERR_REVOKED, and
 * so does every later call on it that is not local (S0-95, S0-96, S0-97).
 * Deaths: every survivor is told, whichever processes die on the way. */
extern int MPI_Win_invalidate(MPI_Win win);
extern int MPIX_Win_revoke(MPI_Win win);

/* Get the group of the members of a window that this process knows to be dead.  The caller frees
 * it.
 *
 * Not collective, local (S0-98).  Deaths: may become known here only by a synchronisation (S0-99).
 */
extern int MPI_Win_get_failed(MPI_Win win, MPI_Group *failedgroup);
extern int MPIX_Win_get_failed(MPI_Win win, MPI_Group *failedgroup);

/* --------------------------------------------------------------------------
 * Files (section 1.3.3).
 * -------------------------------------------------------------------------- */

/* Revoke a file handle at every process of it.
 *
 * Not collective.  Does not block.  Calls that wait for other processes return
 * MPIX_ERR_REVOKED, and so does every later call on it that is not local (S0-100, S0-101,
 * S0-102).
 * Deaths: every survivor is told, whichever processes die on the way. */
extern int MPI_File_invalidate(MPI_File fh);
extern int MPIX_File_revoke(MPI_File fh);

/* --------------------------------------------------------------------------
 * The PMPI_ and PMPIX_ twins
 * -------------------------------------------------------------------------- */

extern __typeof__(MPI_Comm_invalidate) PMPI_Comm_invalidate;
extern __typeof__(MPI_Comm_revoke) PMPI_Comm_revoke;
extern __typeof__(MPIX_Comm_revoke) PMPIX_Comm_revoke;
extern __typeof__(MPI_Comm_is_revoked) PMPI_Comm_is_revoked;
extern __typeof__(MPIX_Comm_is_revoked) PMPIX_Comm_is_revoked;
extern __typeof__(MPI_Comm_shrink) PMPI_Comm_shrink;
extern __typeof__(MPIX_Comm_shrink) PMPIX_Comm_shrink;
extern __typeof__(MPI_Comm_ishrink) PMPI_Comm_ishrink;
extern __typeof__(MPIX_Comm_ishrink) PMPIX_Comm_ishrink;
extern __typeof__(MPIX_Comm_refill) PMPIX_Comm_refill;
extern __typeof__(MPIX_Comm_refilled) PMPIX_Comm_refilled;
extern __typeof__(MPI_Comm_validate) PMPI_Comm_validate;
extern __typeof__(MPI_Comm_agreement) PMPI_Comm_agreement;
extern __typeof__(MPI_Icomm_agreement) PMPI_Icomm_agreement;
extern __typeof__(MPI_Comm_agree) PMPI_Comm_agree;
extern __typeof__(MPIX_Comm_agree) PMPIX_Comm_agree;
extern __typeof__(MPI_Comm_iagree) PMPI_Comm_iagree;
extern __typeof__(MPIX_Comm_iagree) PMPIX_Comm_iagree;
extern __typeof__(MPIX_Comm_agree_failed) PMPIX_Comm_agree_failed;
extern __typeof__(MPIX_Comm_iagree_failed) PMPIX_Comm_iagree_failed;
extern __typeof__(MPI_Comm_failure_ack) PMPI_Comm_failure_ack;
extern __typeof__(MPIX_Comm_failure_ack) PMPIX_Comm_failure_ack;
extern __typeof__(MPI_Comm_failure_get_acked) PMPI_Comm_failure_get_acked;
extern __typeof__(MPIX_Comm_failure_get_acked) PMPIX_Comm_failure_get_acked;
extern __typeof__(MPI_Comm_get_failed) PMPI_Comm_get_failed;
extern __typeof__(MPIX_Comm_get_failed) PMPIX_Comm_get_failed;
extern __typeof__(MPI_Comm_ack_failed) PMPI_Comm_ack_failed;
extern __typeof__(MPIX_Comm_ack_failed) PMPIX_Comm_ack_failed;
extern __typeof__(MPI_Win_invalidate) PMPI_Win_invalidate;
extern __typeof__(MPIX_Win_revoke) PMPIX_Win_revoke;
extern __typeof__(MPI_Win_get_failed) PMPI_Win_get_failed;
extern __typeof__(MPIX_Win_get_failed) PMPIX_Win_get_failed;
extern __typeof__(MPI_File_invalidate) PMPI_File_invalidate;
extern __typeof__(MPIX_File_revoke) PMPIX_File_revoke;

#ifdef __cplusplus
}
#endif

#endif
