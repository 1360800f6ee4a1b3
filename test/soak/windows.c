/* SPDX-License-Identifier: BSD-3-Clause */
/* windows.c – random one-sided operations in random epochs on windows of every kind: the subject of test/soak/windows.
 *
 * Each round makes a window over all that are left, works on it, looks at its memory, frees it and shrinks.  Nobody leaves
 * a round early, so every call has to end because of the library.  A part:
 *
 *   guard │ pair │ counter │ numbers │ slot of origin 0 │ guard │ slot of origin 1 │ guard ...
 *
 * An origin puts only into its slot, bytes whose upper half is its number, and remembers them.  So after a death:
 *   - a call fails only if the window names a dead member, and only with PROC_FAILED, or REVOKED where somebody revoked;
 *   - what an origin put at a survivor is there, except after a fence that failed; at a dead one each byte is old or new;
 *   - no guard has changed, and a slot holds only bytes of its origin, torn or not;
 *   - under an exclusive lock the numbers of the pair are equal, and the counter has counted each survivor's additions;
 *   - a part that its owner has filled after all have agreed stays as it is.
 *
 *   windows ROUNDS SEED     each survivor prints "rank N of M ok"
 *
 * Exit status 8: something was wrong.
 *
 *   R29: lock_all with a dead member opens the epoch towards the survivors
 *   R30: a window or a file with dead members can be freed
 *   R31: the memory of a dead member stays as it was
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-40: one-sided operations never report a death
 *   S0-41: the synchronization reports a death
 *   S0-42: a synchronization that fails has its effect on the epoch
 *   S0-44: nothing beside the memory of a window changes when an epoch fails
 *   S0-45: a synchronization that reports a failure completes the epoch
 *   S0-48: a lock whose holder died is never acquired again
 *   S0-98: the failed members of a window are known locally
 *   S2-8: creation of windows and files is uniform, too */
#include <mpi.h>
#include <mpi_ft.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANKS   15 /* at most: an origin's number has half a byte */
#define STEPS   6
#define GUARD   64
#define PAIR    GUARD
#define COUNTER (PAIR + 16)
#define NUMBERS (COUNTER + 8)
#define N       20 /* numbers */
#define HEAD    (NUMBERS + 8 * N)
#define LARGEST 100000

enum kind { CREATED, ALLOCATED, SHARED, APART, OF_ALLOC_MEM, DYNAMIC, KINDS };
enum form { FENCES, GROUPS, LOCKS, LOCK_ALL, FORMS };
enum doubt { CERTAIN, OLD_OR_NEW, UNKNOWN };

static struct {
    enum kind kind;
    enum form form;
    MPI_Win win;
    unsigned char *base;
    MPI_Aint at[RANKS];                /* dynamic: where each part begins */
    int slot, part;                    /* bytes */
    bool may_revoke, revoked, settled; /* settled: all have agreed that it was not revoked */
    bool fence_failed, poisoned[RANKS];
} k;

/* Of my slot at each target: what is there for sure, and what this epoch puts there. */
static struct {
    unsigned char was[LARGEST], is[LARGEST];
    enum doubt doubt;
    int added_now;
    int64_t added, maybe_added;
} at[RANKS];

static MPI_Comm comm;
static int rank, size, round_n, number;
static uint64_t seed, own; /* the same at all; each one's */
static unsigned char out[LARGEST], in[LARGEST];
static double ones[N];
static int64_t old[64], one = 1;
static unsigned old_n;
static bool putting; /* a step puts or gets, so that nothing overlaps */
static int got_from; /* -1: nowhere yet */

static uint32_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(x ^ x >> 31);
}

/* The same at all members. */
static uint32_t common(int what)
{
    return mix(seed ^ (uint64_t)round_n << 32 ^ (uint64_t)what << 8);
}

static int dice(int n)
{
    own += UINT64_C(0x9e3779b97f4a7c15);
    return (int)(mix(own) % (uint32_t)n);
}

static void wrong(const char *format, ...)
{
    static const char *const kinds[] = {"created", "allocated", "shared",
                                        "apart",   "Alloc_mem", "dynamic"};
    static const char *const forms[] = {"fences", "groups", "locks", "lock_all"};
    char text[400];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "rank %d (%d of %d), round %d, %s, %s, slots of %d: %s\n", number, rank, size,
            round_n, kinds[k.kind], forms[k.form], k.slot, text);
    MPI_Abort(MPI_COMM_WORLD, 8);
}

/* ---- who is dead, and which errors that allows ---- */

static bool is_dead(int r)
{
    MPI_Group failed, all;
    int there;

    MPIX_Win_get_failed(k.win, &failed);
    MPI_Win_get_group(k.win, &all);
    MPI_Group_translate_ranks(all, 1, &r, failed, &there);
    MPI_Group_free(&failed);
    MPI_Group_free(&all);
    return there != MPI_UNDEFINED;
}

static bool any_is_dead(uint32_t members)
{
    for (int r = 0; r < size; r++)
        if (members >> r & 1 && is_dead(r))
            return true;
    return false;
}

/* Success?  What else may be: the death of one of these members. */
static bool good(int err, const char *what, uint32_t members)
{
    if (err == MPI_SUCCESS)
        return true;
    if (err == MPIX_ERR_REVOKED && k.may_revoke) {
        k.revoked = true;
        return false;
    }
    if (err != MPI_ERR_PROC_FAILED)
        wrong("%s gives %d", what, err);
    if (!any_is_dead(members) && !k.revoked)
        wrong("%s fails, and nobody of %#x is dead", what, members);
    if (k.may_revoke && !k.settled && dice(2)) {
        MPIX_Win_revoke(k.win);
        k.revoked = true;
    }
    return false;
}

/* An operation never reports a death. */
static bool begun(int err, const char *what)
{
    if (err != MPI_SUCCESS && (err != MPIX_ERR_REVOKED || !k.may_revoke))
        wrong("%s gives %d", what, err);
    return err == MPI_SUCCESS;
}

#define ALL ((1u << size) - 1)

/* ---- a part ---- */

static int slot_of(int origin)
{
    return HEAD + origin * (k.slot + GUARD);
}

static MPI_Aint disp(int target, int byte)
{
    return k.at[target] + byte;
}

static void check_range(const unsigned char *b, int from, int n, int upper, int owner)
{
    for (int i = from; i < from + n; i++)
        if (b[i] && (upper < 0 || b[i] >> 4 != upper))
            wrong("byte %d of the part of %d is %#x", i, owner, b[i]);
}

/* Guards, and whose bytes are where. */
static void check_part(const unsigned char *b, int owner)
{
    check_range(b, 0, GUARD, -1, owner);
    for (int o = 0; o < size; o++) {
        check_range(b, slot_of(o), k.slot, o + 1, owner);
        check_range(b, slot_of(o) + k.slot, GUARD, -1, owner);
    }
}

static void check_slot(const unsigned char *b, int target)
{
    for (int i = 0; i < k.slot && at[target].doubt != UNKNOWN; i++)
        if (b[i] != at[target].was[i] && (b[i] != at[target].is[i] || at[target].doubt == CERTAIN))
            wrong("byte %d of my slot at %d is %#x, was %#x, is %#x", i, target, b[i],
                  at[target].was[i], at[target].is[i]);
}

/* ---- operations, and what is known of them ---- */

static void begin_step(int step)
{
    memset(out, (rank + 1) << 4 | (step & 15), (size_t)k.slot);
    putting = dice(3) > 0;
    got_from = -1;
}

static void put_rows(int t, int from, int rows_n)
{
    MPI_Datatype rows;

    MPI_Type_vector(rows_n, 8, 16, MPI_BYTE, &rows);
    MPI_Type_commit(&rows);
    begun(MPI_Put(out, rows_n * 8, MPI_BYTE, t, disp(t, slot_of(rank) + from), 1, rows, k.win),
          "put");
    MPI_Type_free(&rows);
    for (int i = 0; i < rows_n * 16 && at[t].doubt == CERTAIN; i++)
        if (i % 16 < 8)
            at[t].is[from + i] = out[0];
}

static void put(int t)
{
    int n = 1 + dice(k.slot), from = dice(k.slot - n + 1);
    MPI_Aint there = disp(t, slot_of(rank) + from);
    MPI_Request q;

    if (at[t].doubt != CERTAIN) /* the memory of a dead target may take it or not */
        at[t].doubt = UNKNOWN;
    if (n >= 16 && dice(3) == 0) {
        put_rows(t, from, n / 16);
        return;
    }
    if (at[t].doubt == CERTAIN)
        memset(at[t].is + from, out[0], (size_t)n);
    if (k.form >= LOCKS && dice(3) == 0) {
        if (begun(MPI_Rput(out, n, MPI_BYTE, t, there, n, MPI_BYTE, k.win, &q), "Rput"))
            good(MPI_Wait(&q, MPI_STATUS_IGNORE), "Rput", 1u << t);
    } else {
        begun(MPI_Put(out, n, MPI_BYTE, t, there, n, MPI_BYTE, k.win), "put");
    }
}

static void get(int t)
{
    begun(MPI_Get(in, k.slot, MPI_BYTE, t, disp(t, slot_of(rank)), k.slot, MPI_BYTE, k.win), "get");
    got_from = t;
}

static void add(int t)
{
    MPI_Aint counter = disp(t, COUNTER), numbers = disp(t, NUMBERS);

    if (got_from < 0 && dice(2))
        begun(MPI_Accumulate(&one, 1, MPI_INT64_T, t, counter, 1, MPI_INT64_T, MPI_SUM, k.win),
              "accumulate");
    else
        begun(MPI_Fetch_and_op(&one, &old[old_n++ % 64], MPI_INT64_T, t, counter, MPI_SUM, k.win),
              "fetch_and_op");
    if (dice(2))
        begun(MPI_Accumulate(ones, N, MPI_DOUBLE, t, numbers, N, MPI_DOUBLE, MPI_SUM, k.win),
              "accumulate");
    at[t].added_now++;
}

static void operate(int t)
{
    if (dice(2))
        add(t);
    if (putting)
        put(t);
    else if (got_from < 0)
        get(t);
    if (k.form >= LOCKS && dice(4) == 0)
        good(MPI_Win_flush_local(t, k.win), "flush_local", 1u << t);
}

/* A synchronization towards t is over.  Without success, all is done at a survivor, except after a fence. */
static void settle(int t, bool ok)
{
    bool done = ok || (k.form != FENCES && !k.revoked && !is_dead(t));

    if (!done && at[t].doubt != UNKNOWN)
        at[t].doubt = k.form == FENCES || k.revoked ? UNKNOWN : OLD_OR_NEW;
    if (done && at[t].doubt == CERTAIN)
        memcpy(at[t].was, at[t].is, (size_t)k.slot);
    if (done)
        at[t].added += at[t].added_now;
    else
        at[t].maybe_added += at[t].added_now;
    at[t].added_now = 0;
    if (got_from == t && done && at[t].doubt == CERTAIN)
        check_slot(in, t);
    if (got_from == t)
        got_from = -1;
}

/* ---- epochs ---- */

static void fence(int assert)
{
    bool ok = good(MPI_Win_fence(assert, k.win), "fence", ALL);

    if (ok && k.fence_failed)
        wrong("a fence succeeds after one that failed");
    k.fence_failed |= !ok;
    for (int t = 0; t < size; t++)
        settle(t, ok);
}

static void fences(int step)
{
    (void)step;
    fence(0);
    for (int i = dice(4); i > 0; i--)
        operate(dice(size));
    fence(0);
}

static MPI_Group group_of(uint32_t members)
{
    MPI_Group all, g;
    int ranks[RANKS], n = 0;

    for (int r = 0; r < size; r++)
        if (members >> r & 1)
            ranks[n++] = r;
    MPI_Win_get_group(k.win, &all);
    MPI_Group_incl(all, n, ranks, &g);
    MPI_Group_free(&all);
    return g;
}

static void end_exposure(uint32_t origins)
{
    int flag = 0, err = MPI_SUCCESS;

    if (dice(2))
        err = MPI_Win_wait(k.win);
    else
        while (!err && !flag)
            err = MPI_Win_test(k.win, &flag);
    good(err, "wait", origins);
}

static void access_group(MPI_Group to, uint32_t targets)
{
    bool ok;

    good(MPI_Win_start(to, 0, k.win), "start", targets);
    if (k.revoked)
        return;
    for (int t = 0; t < size; t++)
        if (targets >> t & 1 && dice(2))
            operate(t);
    ok = good(MPI_Win_complete(k.win), "complete", targets);
    for (int t = 0; t < size; t++)
        if (targets >> t & 1)
            settle(t, ok);
}

static void groups(int step)
{
    uint32_t origins = common(100 + step) & ALL, targets = common(200 + step) & ALL;
    MPI_Group from = group_of(origins), to = group_of(targets);
    bool posted = false;

    if (targets >> rank & 1)
        posted = good(MPI_Win_post(from, 0, k.win), "post", origins) || !k.revoked;
    if (origins >> rank & 1)
        access_group(to, targets);
    if (posted)
        end_exposure(origins);
    MPI_Group_free(&from);
    MPI_Group_free(&to);
}

/* Both numbers are counted up under the exclusive lock. */
static void count_pair(int t)
{
    int64_t pair[2];

    MPI_Get(pair, 2, MPI_INT64_T, t, disp(t, PAIR), 2, MPI_INT64_T, k.win);
    if (!good(MPI_Win_flush(t, k.win), "flush", 1u << t))
        return;
    if (pair[0] != pair[1])
        wrong("the pair at %d is %ld and %ld", t, (long)pair[0], (long)pair[1]);
    pair[0]++, pair[1]++;
    MPI_Put(&pair[0], 1, MPI_INT64_T, t, disp(t, PAIR), 1, MPI_INT64_T, k.win);
    good(MPI_Win_flush(t, k.win), "flush", 1u << t);
    MPI_Put(&pair[1], 1, MPI_INT64_T, t, disp(t, PAIR + 8), 1, MPI_INT64_T, k.win);
    good(MPI_Win_flush(t, k.win), "flush", 1u << t);
}

static void locks(int step)
{
    int t = dice(size);
    bool exclusive = dice(2), locked;

    (void)step;
    locked = good(MPI_Win_lock(exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, t, 0, k.win),
                  "lock", ALL);
    if (locked && k.poisoned[t])
        wrong("the lock of %d is got after it was refused", t);
    if (!locked) {
        k.poisoned[t] = true;
        if (!k.revoked && dice(2))
            good(MPI_Win_unlock(t, k.win), "unlock of what is not locked", ALL);
        return;
    }
    if (exclusive)
        count_pair(t);
    operate(t);
    settle(t, good(MPI_Win_unlock(t, k.win), "unlock", exclusive ? 1u << t : ALL));
}

static void end_lock_all(void)
{
    bool ok = good(MPI_Win_unlock_all(k.win), "unlock_all", ALL);

    for (int t = 0; t < size; t++)
        settle(t, ok);
}

static void lock_all(int step)
{
    (void)step;
    good(MPI_Win_lock_all(0, k.win), "lock_all", ALL);
    if (k.revoked)
        return;
    for (int i = dice(5); i > 0; i--) {
        int t = dice(size);

        operate(t);
        if (dice(2))
            settle(t, good(MPI_Win_flush(t, k.win), "flush", 1u << t));
        if (k.revoked)
            return;
    }
    if (dice(2))
        good(MPI_Win_flush_all(k.win), "flush_all", ALL);
    end_lock_all();
}

/* ---- a round ---- */

/* Waits for all that live. */
static int agree(int flag)
{
    int err = MPIX_Comm_agree(comm, &flag);

    if (err && err != MPI_ERR_PROC_FAILED)
        wrong("agree gives %d", err);
    return flag;
}

static int make(void)
{
    MPI_Info apart;
    int err;

    if (k.kind == OF_ALLOC_MEM)
        MPI_Alloc_mem(k.part, MPI_INFO_NULL, &k.base);
    else if (k.kind == CREATED || k.kind == DYNAMIC)
        k.base = malloc((size_t)k.part);
    if (k.kind == DYNAMIC)
        return MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &k.win);
    if (k.kind == ALLOCATED)
        return MPI_Win_allocate(k.part, 1, MPI_INFO_NULL, comm, &k.base, &k.win);
    if (k.kind == CREATED || k.kind == OF_ALLOC_MEM)
        return MPI_Win_create(k.base, k.part, 1, MPI_INFO_NULL, comm, &k.win);
    MPI_Info_create(&apart);
    MPI_Info_set(apart, "alloc_shared_noncontig", k.kind == APART ? "true" : "false");
    err = MPI_Win_allocate_shared(k.part, 1, apart, comm, &k.base, &k.win);
    MPI_Info_free(&apart);
    return err;
}

/* All attach their part, if it is dynamic, and tell its address.  False: a death prevented that. */
static bool offer(void)
{
    memset(k.base, 0, (size_t)k.part);
    memset(k.at, 0, sizeof k.at);
    if (k.kind == DYNAMIC) {
        MPI_Win_attach(k.win, k.base, k.part);
        MPI_Get_address(k.base, &k.at[rank]);
        return agree(MPI_Allgather(MPI_IN_PLACE, 0, MPI_AINT, k.at, 1, MPI_AINT, comm) ==
                     MPI_SUCCESS);
    }
    return agree(1);
}

/* What I put is where it belongs: at survivors by gets, in dead ones' parts by loads. */
static void check_slots(void)
{
    good(MPI_Win_lock_all(0, k.win), "lock_all at the end", ALL);
    for (int t = 0; t < size; t++) {
        unsigned char *b;
        MPI_Aint n;
        int unit;

        if (!is_dead(t)) {
            MPI_Get(in, k.slot, MPI_BYTE, t, disp(t, slot_of(rank)), k.slot, MPI_BYTE, k.win);
            if (good(MPI_Win_flush(t, k.win), "flush at the end", 1u << t))
                check_slot(in, t);
        } else if (k.kind != CREATED && k.kind != DYNAMIC &&
                   MPI_Win_shared_query(k.win, t, &n, &unit, &b) == MPI_SUCCESS && n >= k.part) {
            check_part(b, t);
            check_slot(b + slot_of(rank), t);
        }
    }
    good(MPI_Win_unlock_all(k.win), "unlock_all at the end", ALL);
}

static bool sums_of_added(MPI_Comm rest, int64_t *least, int64_t *most)
{
    int64_t sure[RANKS], maybe[RANKS];
    bool ok;

    for (int t = 0; t < size; t++)
        sure[t] = at[t].added, maybe[t] = at[t].added + at[t].maybe_added;
    ok = !MPI_Allreduce(sure, least, size, MPI_INT64_T, MPI_SUM, rest) &&
         !MPI_Allreduce(maybe, most, size, MPI_INT64_T, MPI_SUM, rest);
    if (!ok)
        MPIX_Comm_revoke(rest);
    return ok;
}

/* All that the survivors added is counted.  No death: and nothing else. */
static void check_counter(void)
{
    int64_t count, least[RANKS], most[RANKS];
    MPI_Comm rest;
    int n;

    memcpy(&count, k.base + COUNTER, sizeof count);
    if (MPIX_Comm_shrink(comm, &rest))
        return;
    MPI_Comm_set_errhandler(rest, MPI_ERRORS_RETURN);
    MPI_Comm_size(rest, &n);
    if (sums_of_added(rest, least, most) &&
        (count < least[rank] || (n == size && count > most[rank])))
        wrong("the counter is %ld, survivors added %ld to %ld", (long)count, (long)least[rank],
              (long)most[rank]);
    MPI_Comm_free(&rest);
}

/* After the agreement nothing that was begun before comes any more. */
static void check_silence(void)
{
    memset(k.base, 0xe7, (size_t)k.part);
    agree(1);
    for (int i = 0; i < k.part; i++)
        if (k.base[i] != 0xe7)
            wrong("byte %d of a part that was filled is %#x", i, k.base[i]);
}

static void work(void)
{
    static void (*const epoch[])(int) = {fences, groups, locks, lock_all};

    for (int i = 0; i < STEPS && !k.revoked; i++) {
        begin_step(i);
        epoch[k.form](i);
    }
    k.settled = agree(!k.revoked);
    if (k.settled) {
        check_slots();
        check_counter();
    }
    check_part(k.base, rank);
    agree(1);
    if (k.settled)
        check_silence();
}

static void one_round(void)
{
    int made, all_made;

    memset(&k, 0, sizeof k);
    memset(at, 0, sizeof at);
    k.kind = (enum kind)(common(1) % KINDS);
    k.form = (enum form)(common(2) % FORMS);
    k.slot = (int[]){64, 1000, 8192, LARGEST}[common(3) % 4];
    k.part = HEAD + size * (k.slot + GUARD);
    k.may_revoke = common(4) % 8 == 0;
    made = make();
    if (made == MPI_ERR_RMA_SHARED) /* not all share memory */
        return;
    if (made && made != MPI_ERR_PROC_FAILED)
        wrong("making a window gives %d", made);
    all_made = agree(!made);
    if (!made) {
        MPI_Win_set_errhandler(k.win, MPI_ERRORS_RETURN);
        if (!all_made)
            wrong("a window was made here, and elsewhere it was not");
        if (offer())
            work();
        if (MPI_Win_free(&k.win))
            wrong("free fails");
    }
    if (k.kind == OF_ALLOC_MEM)
        MPI_Free_mem(k.base);
    else if (k.kind == CREATED || k.kind == DYNAMIC)
        free(k.base);
}

static void shrink(void)
{
    MPI_Comm next;
    int err;

    do
        err = MPIX_Comm_shrink(comm, &next);
    while (err == MPI_ERR_PROC_FAILED);
    if (err)
        wrong("shrink gives %d", err);
    if (comm != MPI_COMM_WORLD)
        MPI_Comm_free(&comm);
    comm = next;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 3 || size > RANKS)
        return 2;
    seed = strtoull(argv[2], NULL, 10) << 16;
    own = seed ^ (uint64_t)number << 56;
    for (int i = 0; i < N; i++)
        ones[i] = 1;
    comm = MPI_COMM_WORLD;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (round_n = 0; round_n < atoi(argv[1]); round_n++) {
        shrink();
        one_round();
    }
    printf("rank %d of %d ok\n", number, size);
    MPI_Finalize();
    return 0;
}
