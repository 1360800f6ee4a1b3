# SPDX-License-Identifier: BSD-3-Clause
"""without_failures.py – a copy of the tree in which the library does not know of failures.

The patch is made of rules, so that it keeps pace with the sources: on the paths of messages,
collectives and waits nobody asks any more whether a peer is dead, a communicator is revoked or
inactive, or the agent has something to say.  For measuring only (cost); such a library hangs when a
process dies.

    c->revoked, c->inactive, c->living   false, where they are read
    mend_peer_is_dead(), mend_coll_check() false, success
    mend_interrupt_check(), the counter     nothing ever happened
"""
import os
import re
import shutil
import subprocess

PATHS = ("src/p2p", "src/req", "src/coll", "src/net/shm", "src/mpi", "src/proc", "src/rma")
READ = re.compile(r"\b[a-z]\w*(?:(?:->|\.)\w+)*->(?:revoked|inactive|living)\b(?!\s*=[^=]|->)")
COUNTER = re.compile(r"mend_load_acquire\(self->interrupt\) (!=|==) self->interrupt_seen")
BODIES = (
    ("src/proc/peer.h", "static inline bool mend_peer_is_dead", "    return false;"),
    ("src/coll/run.h", "static inline int mend_coll_check", "    return MPI_SUCCESS;"),
)
CHECK = "bool mend_interrupt_check(struct mend_proc *self);"


def replace_body(text, start, body):
    at = text.index("{\n", text.index(start))
    end = text.index("\n}", at)
    return text[:at] + "{\n" + body + text[end:]


def patched(path, text):
    """The text without the checks, and how many there were."""
    n = 0
    for file, start, body in BODIES:
        if path == file:
            text, n = replace_body(text, start, body), n + 1
    if path.startswith(PATHS):
        lines = text.split("\n")
        for i, line in enumerate(lines):
            if not line.lstrip().startswith(("*", "/*")):
                lines[i], k = READ.subn("false", line)
                n += k
        text = "\n".join(lines)
        text, k = COUNTER.subn(lambda m: "false" if m[1] == "!=" else "true", text)
        n += k
    if path == "src/req/request.h":
        text, n = text.replace(CHECK, "#define mend_interrupt_check(self_) false"), n + 1
    if path == "src/req/progress.c":
        text = text.replace("bool mend_interrupt_check(", "#undef mend_interrupt_check\n"
                            "bool mend_interrupt_check(struct mend_proc *);\n"
                            "bool mend_interrupt_check(")
    return text, n


def copy_without(root, to):
    """Returns how many checks are gone."""
    shutil.rmtree(to, ignore_errors=True)
    files = subprocess.run(["git", "-C", root, "ls-files"], stdout=subprocess.PIPE, text=True,
                           check=True).stdout.split("\n")
    total = 0
    for path in filter(None, files):
        source, target = os.path.join(root, path), os.path.join(to, path)
        if not os.path.exists(source):
            continue
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(source, target)
        if path.startswith("src/") and path.endswith((".c", ".h")) and "_test.c" not in path:
            with open(source, encoding="utf-8") as f:
                text, n = patched(path, f.read())
            with open(target, "w", encoding="utf-8") as f:
                f.write(text)
            total += n
    return total
