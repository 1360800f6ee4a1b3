/* SPDX-License-Identifier: BSD-3-Clause */
/* A frame that no correct process writes proves nothing against the process that seems to have sent it.  If that sender is
 * alive, the process that finds the frame can receive nothing more from it: it ends itself with a message, and all
 * others continue, the sender among them.  The result is the same whichever process wrote the damage, and wherever:
 *
 *   sender     the process from which the frame seems to be      reader    the one that finds it
 *   other      a third process                                   rank      the frame is one of a rank that is
 *                                                                          no member
 *   dead       the sender, which has been declared dead before anybody looks: nobody else ends
 *
 * BUILD: -I{root}/src
 *
 *   S3-7: the library may end the excluded process
 *   S3-10: a running process is not suspected
 *
 * RUN: -n 4 ; args sender ; expect "a message from rank 1 was damaged" ; expect "rank 1 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; args reader ; expect "a message from rank 1 was damaged" ; expect "rank 1 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; args other ; expect "a message from rank 1 was damaged" ; expect "rank 1 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; args rank ; expect "a message from rank 1 was damaged" ; expect "rank 1 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; args dead ; expect-no "damaged" ; expect "rank 2 ok" ; expect "rank 3 ok" */
#include "../common.h"

#include "net/shm/ring.h"
#include "node/rank.h"

#define W      MPI_COMM_WORLD
#define SENDER 1
#define READER 2
#define READY  0 /* slots of the board */
#define DONE   1

static struct mend_node_header *segment(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    unsigned long at = 0;
    char line[512];

    while (!at && fgets(line, sizeof(line), maps))
        if (strstr(line, "/memfd:mend"))
            at = strtoul(line, NULL, 16);
    fclose(maps);
    CHECK(at != 0);
    return (struct mend_node_header *)at;
}

/* The first frame in the ring from SENDER to READER. */
static void damage(bool bad_rank)
{
    struct mend_node_header *h = segment();
    struct mend_shm_slot *slot = mend_node_ring_of(h, mend_place_at(READER), mend_place_at(SENDER));

    if (bad_rank)
        slot->f = mend_frame_make(MEND_FRAME_EAGER, MEND_CTX_WORLD, 0, 77, 8);
    else
        slot->f = mend_frame_make((enum mend_frame_kind)200, MEND_CTX_WORLD, 0, SENDER, 8);
    __atomic_store_n(&slot->f.seq, 1, __ATOMIC_RELEASE);
    mend_store_release(mend_node_bells(h, mend_place_at(READER)) + SENDER, 1);
    post(DONE);
}

int main(int argc, char **argv)
{
    struct mend_node_rank *sender;
    const char *who;
    int gone;

    start(&argc, &argv);
    who = argv[1];
    gone = strcmp(who, "dead") ? READER : SENDER;
    sender = mend_node_rank_of(segment(), mend_place_at(SENDER));
    post(READY);
    await(READY, size);
    if (rank == (!strcmp(who, "reader") ? READER : !strcmp(who, "other") ? 3 : SENDER)) {
        damage(!strcmp(who, "rank"));
        if (gone == SENDER)
            die_now();
    }
    await(DONE, 1);
    while (gone == SENDER && mend_load_acquire(&sender->fate) != 1)
        sched_yield();
    wait_until_dead(W, gone);
    CHECK(rank != READER || gone == SENDER);
    return finish();
}
