# SPDX-License-Identifier: BSD-3-Clause
"""jobs.py – runs many commands, several at once, each with a time limit, and counts what came of them.

A job here is any object with a title, a part (its row of the table) and `alone`, which is true if nothing else
may run beside it.  not_applicable.tsv says by title which jobs are not run, and why.
"""
import concurrent.futures
import os
import re
import signal
import subprocess
import sys
import time

from source import say

HERE = os.path.dirname(os.path.abspath(__file__))


class Outcome:
    """What a command did; status is None if it was ended because it took too long."""

    def __init__(self, status, out, err, seconds):
        self.status, self.out, self.err, self.seconds = status, out, err, seconds


def carry_out(line, folder, limit_s, environment):
    """Runs one command, and ends it with all its processes after limit_s."""
    begin = time.monotonic()
    process = subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               stdin=subprocess.DEVNULL, text=True, errors="replace",
                               env={**os.environ, **environment}, start_new_session=True)
    try:
        out, err = process.communicate(timeout=limit_s)
        status = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # it has not been waited for, so the group is there
        out, err = process.communicate()
        status = None
    return Outcome(status, out, err, time.monotonic() - begin)


def reasons():
    """[(pattern of a title, why it is not run)]"""
    found = []
    with open(os.path.join(HERE, "not_applicable.tsv"), encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                pattern, _, why = line.rstrip("\n").partition("\t")
                found.append((re.compile(pattern.strip() + r"$"), why.strip()))
    return found


def reason_for(names, table):
    return next((why for pattern, why in table if any(pattern.match(x) for x in names)), None)


def report(job, wrong, output, seconds, verbose):
    if wrong:
        say(f"FAIL {job.title}: {wrong}  ({seconds:.1f} s)")
        say("".join(f"     | {x}\n" for x in output.splitlines()[:25]).rstrip())
    elif verbose:
        say(f"ok   {job.title}  ({seconds:.1f} s)")


def progress(done, total, failed):
    if sys.stdout.isatty():
        print(f"\r{done} of {total}, {failed} failed ", end="", flush=True)
    elif done % 50 == 0:
        say(f"     {done} of {total}, {failed} failed")


def run_all(jobs, run_one, at_once, verbose):
    """run_one(job) gives (what is wrong or None, output, seconds).  Returns part -> [passed, failed]."""
    counts, done = {}, 0
    for some, width in (([j for j in jobs if not j.alone], at_once), ([j for j in jobs if j.alone], 1)):
        with concurrent.futures.ThreadPoolExecutor(width) as pool:
            waiting = {pool.submit(run_one, j): j for j in some}
            for future in concurrent.futures.as_completed(waiting):
                job, (wrong, output, seconds) = waiting[future], future.result()
                counts.setdefault(job.part, [0, 0])[wrong is not None] += 1
                done += 1
                report(job, wrong, output, seconds, verbose)
                progress(done, len(jobs), sum(c[1] for c in counts.values()))
    return counts


def table(what, parts, counts, left_out):
    """Prints a row for each part and the sum; returns the exit status.  left_out: part -> how many."""
    width = max(len(x) for x in [what, *parts])
    say(f"\n{what:<{width}} {'passed':>7} {'failed':>7} {'not applicable':>15}")
    for part in parts:
        passed, failed = counts.get(part, (0, 0))
        say(f"{part:<{width}} {passed:>7} {failed:>7} {left_out.get(part, 0):>15}")
    passed, failed = (sum(c[k] for c in counts.values()) for k in (0, 1))
    say(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0
