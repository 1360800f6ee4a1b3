# SPDX-License-Identifier: BSD-3-Clause
"""rows.py – what is measured, and what must be reached.

A Row is one line of the result.  Rows with the same group come out of the same jobs.  How a row is
judged is its `against`:

    peers      ratio to the better of MPICH and Open MPI; target: the ratio
    NAME       ratio to another figure of Mend from the same jobs, or of the bare machine
    None       the figure itself; target in its unit

A target is met if figure <= target, or >= where more is better (`more`)."""
from dataclasses import dataclass, field
from typing import Optional

US, MBS, MMS, MS, KIB = "µs", "MB/s", "M/s", "ms", "KiB"
CROWDED = (4, 8, 16)
EXCHANGE = (3, 5, 8)
THREADED = (3, 5)
FT_RANKS = (2, 4, 8, 16)
SHRINK_RANKS = (4, 8, 16)
START_RANKS = (2, 8, 32)
MEMORY_RANKS = 32
SPAWNED = (1, 8)
FILE_RANKS = (2, 4, 8)
VICTIM_MIB = (1, 1024)
DEATH_MEDIAN_US, DEATH_P99_US = 200, 1000
NODE_DEATH_MEDIAN_US, NODE_DEATH_P99_US, NODE_REVOKE_US = 500, 5000, 1000
WINDOW_CALLS = {"fence": "MPI_Win_fence", "lock": "MPI_Win_lock of its window", "flush": "MPI_Win_flush to it",
                "start": "MPI_Win_start and complete towards it", "wait": "MPI_Win_wait for it",
                "unlock": "MPI_Win_unlock, of a put that it must carry out", "free": "MPI_Win_free",
                "creation": "MPI_Win_allocate"}
FILE_CALLS = {"sync": "MPI_File_sync", "view": "MPI_File_set_view", "ordered": "MPI_File_write_ordered",
              "gather": "MPI_File_write_at_all, gathering", "look": "MPI_File_read_at_all of pieces in turn",
              "size": "MPI_File_set_size", "seek": "MPI_File_seek_shared", "open": "MPI_File_open", "close": "MPI_File_close"}
WINDOW_EXTRA_US = 1000  # to carry out the death in the windows, or files
REVOKE_EXTRA_US = 50


@dataclass(frozen=True)
class Row:
    title: str
    group: str
    label: str
    unit: str
    target: float
    more: bool = False
    against: Optional[str] = "peers"
    plus: float = 0  # the target is target * against + plus
    quantile: float = 0.5
    condition: str = ""  # when the target holds; "" always
    limits: tuple = ()  # labels of LIMITS: what the machine can do of this without a library, the best of them
    plain: str = ""  # a figure of the same jobs: two processes without a library
    bytes: int = 0  # of one message, where limits are given in MB/s and the row in µs


@dataclass
class Group:
    """Jobs that are run together: kind says how, args go to the program."""
    name: str
    kind: str  # compare, alone (Mend), start, memory, agree, revoke, death, limits
    ranks: int
    source: str
    rows: list = field(default_factory=list)

    def labels(self):
        return list(dict.fromkeys(row.label for row in self.rows))


def size(n):
    return f"{n >> 20} MiB" if n >= 1 << 20 else f"{n >> 10} KiB" if n >= 1024 else f"{n} bytes"


def ways(n):
    """Limits for a message of so many bytes."""
    return tuple(f"{how}:{n}" for how in ("pull", "share", "pieces", "past"))


def sums(n):
    """Limits for a sum of two vectors of so many bytes."""
    return tuple(f"{how}:{n}" for how in ("sum", "sumpast", "sumpull"))


def pair_rows():
    g = "pair"
    yield Row("latency, 8 bytes, one way", g, "latency:8", US, 0.60, limits=("ring:8", "line:1"))
    yield Row("latency, 4 KiB, one way", g, "latency:4096", US, 0.70, limits=("ring:4096",))
    for n, of_peers in ((64 << 10, 0.75), (256 << 10, 0.60), (1 << 20, 0.60), (4 << 20, 0.60)):
        yield Row(f"latency, {size(n)}, one way", g, f"latency:{n}", US, of_peers,
                  limits=ways(n), bytes=n)
    for n, of_peers in ((64 << 10, 0.75), (256 << 10, 0.60), (4 << 20, 0.60)):
        yield Row(f"bandwidth, {size(n)}", g, f"bandwidth:{n}", MBS, round(1 / of_peers, 2), more=True,
                  limits=ways(n))
    yield Row("message rate, 8 bytes", g, "rate:8", MMS, 1.5, more=True)
    yield Row("message rate, 4 KiB", g, "rate:4096", MMS, 1.0, more=True)


def coll_rows():
    g = "coll"
    yield Row("barrier, 2 ranks", g, "barrier", US, 0.70)
    yield Row("allreduce 8 bytes, 2 ranks", g, "allreduce:8", US, 0.50, limits=("line:1",))
    yield Row("bcast 8 bytes, 2 ranks", g, "bcast:8", US, 0.70)
    for n, of_peers in ((64 << 10, 0.70), (1 << 20, 0.60)):
        yield Row(f"allreduce {size(n)}, 2 ranks", g, f"allreduce:{n}", US, of_peers,
                  limits=sums(n), bytes=n)


def crowded_rows():
    for n in CROWDED:
        g = f"crowded-{n}"
        yield Row(f"barrier, {n} ranks", g, "barrier", US, 0.9)
        yield Row(f"allreduce 8 bytes, {n} ranks", g, "allreduce:8", US, 0.7)
        yield Row(f"allreduce 64 KiB, {n} ranks", g, "allreduce:65536", US, 0.7)
        yield Row(f"ping-pong in pairs, {n} ranks", f"pairs-{n}", "pairs:8", US, 0.9)


def vector_rows():
    """Collectives of long vectors, in which all members send and receive."""
    for ranks, g in ((2, "coll"), (4, "crowded-4")):
        for name in ("iallreduce", "reduce_scatter", "scan", "allgather", "alltoall"):
            for n in (64 << 10, 1 << 20):
                yield Row(f"{name} {size(n)}, {ranks} ranks", g, f"{name}:{n}", US, 1.0)


def exchange_rows():
    for n in EXCHANGE:
        for b in (64 << 10, 1 << 20):
            yield Row(f"exchange of all with all, {size(b)}, {n} ranks", f"exchange-{n}",
                      f"exchange:{b}", US, 0.8)


def thread_rows():
    for n in THREADED:
        yield Row(f"{n} threads on each of {n} ranks, 1 KiB", f"threads-{n}", "threads:1024", US, 1.0)


def part_rows():
    for n in (8, 4096, 65536):
        yield Row(f"16 partitions of {size(n)}, marked by 2 threads", "part-2", f"partitioned:{n}", US, 1.0)


def rma_rows():
    for how, title in (("put", "put"), ("get", "get")):
        for n, of_peers in ((8, 0.7), (4096, 0.7), (64 << 10, 1.0), (1 << 20, 1.0)):
            yield Row(f"{title} and flush, {size(n)}, allocated window", "rma-2", f"{how}:{n}", US, of_peers,
                      limits=(f"{'into' if how == 'put' else 'from'}:{n}",))
        for n in (8, 4096, 64 << 10, 1 << 20):
            yield Row(f"{title} and flush, {size(n)}, created window", "rma-2", f"c{how}:{n}", US, 0.8,
                      limits=(f"{'give' if how == 'put' else 'ask'}:{n}", f"reach:{n}"))
    yield Row("put and flush, 8 bytes, to a target that computes / that waits", "alone-2", "computing:8", US, 1.1,
              against="idle:8")
    yield Row("fetch_and_op", "rma-2", "fop:8", US, 0.5)
    yield Row("compare_and_swap", "rma-2", "cas:8", US, 0.5)
    for n in (8, 8192):
        yield Row(f"accumulate of {n // 8} doubles", "rma-2", f"acc:{n}", US, 0.5, limits=(f"add:{n}",))
    for how, title in (("exclusive", "lock, unlock, exclusive"), ("shared", "lock, unlock, shared"),
                       ("all", "lock_all, unlock_all"), ("fence", "fence"),
                       ("pscw", "post, start, complete, wait")):
        yield Row(f"{title}, window", "rma-2", how, US, 0.7)
    yield Row("contended exclusive lock, 8 ranks, window", "rma-8", "contended", US, 0.5)
    for how, title, of_peers in (("put:8", "put and flush, 8 bytes", 0.7), ("put:4096", "put and flush, 4 KiB", 0.7),
                                 ("get:4096", "get and flush, 4 KiB", 0.7), ("cput:4096", "put and flush, 4 KiB, created", 0.8),
                                 ("fop:8", "fetch_and_op", 0.5), ("acc:8192", "accumulate of 1024 doubles", 0.5),
                                 ("fence", "fence", 0.7), ("pscw", "post, start, complete, wait", 0.7)):
        yield Row(f"{title}, 8 ranks, window", "rma-8", how, US, of_peers)


def file_rows():
    for n in FILE_RANKS:
        g = f"file-{n}"
        yield Row(f"file: 3-D array of 256 MiB, collective write, {n} ranks", g, "array:write", MBS, 1.2, more=True, plain="plain:write")
        yield Row(f"file: 3-D array of 256 MiB, collective read, {n} ranks", g, "array:read", MBS, 1.2, more=True, plain="plain:read")
        yield Row(f"file: pieces of 2 KiB, independent write, {n} ranks", g, "strided:write", MBS, 1.0, more=True, plain="plain:strided:write")
        yield Row(f"file: pieces of 2 KiB, independent read, {n} ranks", g, "strided:read", MBS, 1.5, more=True, plain="plain:picked:read")
        yield Row(f"file: appends at the shared pointer, {n} ranks", g, "shared", "k/s", 3.0, more=True, plain="plain:shared")
        yield Row(f"file: appends at the shared pointer, mapped, {n} ranks", g, "mapped", "k/s", 3.0, more=True, plain="plain:shared")
        yield Row(f"file: open and close, {n} ranks", g, "open", US, 0.3, plain="plain:open")
        yield Row(f"file: sync's agreement / allreduce 8 bytes, {n} ranks", g, "sync", US, 1.5, against="allreduce")
        for way in ("write", "read"):
            yield Row(f"file: collective {way} / plain p{way} by 2 processes, {n} ranks", g, f"array:{way}", MBS, 0.7,
                      more=True, against=f"plain:{way}")


def spawn_rows():
    for n in SPAWNED:
        yield Row(f"MPI_Comm_spawn, {n} process{'es' if n > 1 else ''}", f"spawn-{n}", f"spawn:{n}", US, 0.30)
    yield Row("MPI_Comm_accept and MPI_Comm_connect", "connect-2", "connect", US, 0.30)
    yield Row("MPI_Session_init to MPI_Session_finalize", "session-1", "session", US, 0.30)
    yield Row("MPI_Init to MPI_Finalize, 1 process", "session-1", "world", US, 0.30)


def job_rows():
    yield from file_rows()
    yield from spawn_rows()
    for n in START_RANKS:
        yield Row(f"hello, start to finish, {n} ranks", f"start-{n}", "start", MS, 0.30)
    yield Row(f"memory per rank after init, {MEMORY_RANKS} ranks", "memory", "memory", KIB, 0.50)


def node_rows():
    """Two nodes on this machine: Mend's ranks of one node share memory, those of the peers use sockets only."""
    g = "nodes-2"
    for n, of_peers in ((8, 1.0), (4096, 1.0), (64 << 10, 0.6), (1 << 20, 1.0)):
        yield Row(f"nodes: latency, {size(n)}, one way", g, f"latency:{n}", US, of_peers, limits=(f"socket:{n}",))
    yield Row("nodes: bandwidth, 1 MiB", g, "bandwidth:1048576", MBS, 1.0, more=True)
    yield Row("nodes: message rate, 8 bytes", g, "rate:8", MMS, 5.0, more=True)
    for ranks, of_peers in ((2, 1.0), (4, 0.5)):
        yield Row(f"nodes: allreduce 8 bytes, 2 nodes of {ranks // 2}", f"nodecoll-{ranks}", "allreduce:8", US, of_peers)


def node_ft_rows():
    """Of ranks on several nodes: two on each, or one if there are two."""
    for n in (2, 4):
        yield Row(f"nodes: death seen by all, {n} ranks on 2 nodes: median", f"nodedeath-{n}-1", "death", US,
                  NODE_DEATH_MEDIAN_US, against=None, condition="a core per survivor")
        yield Row(f"nodes: death seen by all, {n} ranks on 2 nodes: p99", f"nodedeath-{n}-1", "death", US,
                  NODE_DEATH_P99_US, against=None, quantile=0.99)
        yield Row(f"nodes: revoke seen by all, {n} ranks on 2 nodes that yield", f"noderevoke-{n}-yield", "revoke", US,
                  NODE_REVOKE_US, against=None)
    yield Row("nodes: shrink after a death / allreduce 8 bytes, 8 ranks on 4 nodes", "nodedeath-8-1", "shrink", US, 3,
              against="allreduce:8")


def death_rows():
    for mib in VICTIM_MIB:
        for n in FT_RANKS:
            g, victim = f"death-{n}-{mib}", size(mib << 20).replace("1024 MiB", "1 GiB")
            yield Row(f"death seen by all, {n} ranks, victim {victim}: median", g, "death", US,
                      DEATH_MEDIAN_US, against=None, condition="a core per survivor")
            yield Row(f"death seen by all, {n} ranks, victim {victim}: p99", g, "death", US,
                      DEATH_P99_US, against=None, quantile=0.99)


def object_death_rows():
    for n in FT_RANKS[1:3]:
        for call, title in {**WINDOW_CALLS, **FILE_CALLS}.items():
            yield Row(f"death inside {title}, {n} ranks: median", f"death-{n}-1-{call}", "death", US,
                      DEATH_MEDIAN_US + WINDOW_EXTRA_US, against=None)


def replace_rows():
    for n in FT_RANKS[:3]:
        for how, title, target in (("spare", "by a spare", 2000), ("copy", "by a copy", 20000),
                                   ("anew", "by starting anew", 20000)):
            yield Row(f"killed, replaced {title}, and a barrier, {n} ranks", f"replace-{n}-{how}", "replace", US, target,
                      against=None)


def ft_rows():
    yield from death_rows()
    yield from node_ft_rows()
    yield from object_death_rows()
    yield from replace_rows()
    for n in FT_RANKS:
        yield Row(f"revoke seen by all, {n} ranks that yield", f"revoke-{n}-yield", "revoke", US, 1,
                  against="bare", plus=REVOKE_EXTRA_US)
    for n in FT_RANKS:
        yield Row(f"revoke seen by all, {n} ranks that sleep", f"revoke-{n}-sleep", "revoke", US, 1,
                  against="bare", plus=REVOKE_EXTRA_US)
    for n in FT_RANKS:
        yield Row(f"agreement / allreduce 8 bytes, {n} ranks", f"agree-{n}", "agree", US, 1.5,
                  against="allreduce:8")
    for n in SHRINK_RANKS:
        yield Row(f"shrink after a death / agreement, {n} ranks", f"death-{n}-1", "shrink", US, 1.5,
                  against="agree")


LIMITS = [
    ("line:1", "cache line to the other core, one way, both write it", "ns"),
    ("line:2", "cache line to the other core, one way, a line each", "ns"),
    ("ring:8", "8 bytes through a ring, one way", "ns"),
    ("ring:4096", "4 KiB through a ring, one way", "ns"),
    *[(f"socket:{n}", f"{size(n)} through a TCP socket that both poll, one way", "ns") for n in (8, 4096, 64 << 10, 1 << 20)],
    ("memcpy:4096", "memcpy 4 KiB, in the cache", MBS),
    *[(f"{what}:{n}", f"{title.format(size(n))}", MBS)
      for n in (64 << 10, 256 << 10, 1 << 20, 4 << 20)
      for what, title in (("memcpy", "memcpy {}, one core"),
                          ("both", "memcpy {}, both cores at once, sum"),
                          ("fresh", "memcpy {} of shared memory the other core has just written"),
                          ("readv", "process_vm_readv {}"),
                          ("freshreadv", "process_vm_readv {} just written by its owner"),
                          ("pull", "message of {}, pulled"),
                          ("share", "message of {}, copied by both ends"),
                          ("pieces", "message of {}, in pieces through 4 MiB"),
                          ("past", "message of {}, in pieces past the caches"))],
    *[(f"{how}:{n}", title.format(size(n)), "ns")
      for n in (8, 4096, 64 << 10, 1 << 20)
      for how, title in (("into", "{} put into shared memory"),
                         ("from", "{} got from shared memory"),
                         ("give", "{} put into memory of the other process, which helps"),
                         ("ask", "{} got from memory of the other process, which helps"),
                         ("reach", "process_vm_readv {}, both at once"))],
    *[(f"add:{n}", f"{n // 8} doubles added to those in shared memory", "ns") for n in (8, 8192)],
    *[(f"{how}:{n}", title.format(size(n)), MBS)
      for n in (64 << 10, 1 << 20)
      for how, title in (("sum", "sum of vectors of {}, through shared memory"),
                         ("sumpast", "sum of vectors of {}, past the caches"),
                         ("sumpull", "sum of vectors of {}, pulled"))],
]

SOURCES = {"pair": "p2p", "coll": "coll", "crowded": "coll", "pairs": "p2p", "exchange": "p2p",
           "threads": "threads", "part": "part", "rma": "rma", "start": "hello", "memory": "memory",
           "death": "death", "replace": "replace", "spawn": "spawn", "file": "file",
           "connect": "connect", "session": "session",
           "nodes": "p2p", "nodecoll": "coll", "nodedeath": "death", "noderevoke": "revoke",
           "revoke": "revoke", "agree": "coll", "alone": "rma"}
KINDS = {"pair": "compare", "coll": "compare", "crowded": "compare", "pairs": "compare",
         "exchange": "compare", "threads": "compare", "part": "compare", "rma": "compare",
         "nodes": "nodes", "nodecoll": "nodes", "nodedeath": "death", "noderevoke": "revoke"}


def all_rows():
    return [*pair_rows(), *coll_rows(), *crowded_rows(), *vector_rows(), *exchange_rows(), *thread_rows(), *part_rows(), *rma_rows(), *node_rows(), *job_rows(),
            *ft_rows()]


def groups_of(rows):
    """The groups that the rows need, in order."""
    groups = {}
    for row in rows:
        first, *rest = row.group.split("-")
        ranks = {"pair": 2, "coll": 2, "memory": MEMORY_RANKS}.get(first) or int(rest[0])
        group = groups.setdefault(row.group, Group(row.group, KINDS.get(first, first), ranks,
                                                   SOURCES[first]))
        group.rows.append(row)
    return list(groups.values())
