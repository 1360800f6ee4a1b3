#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""plot.py – what a job holds over its cycles, as a picture: one small diagram per quantity.

Usage: test/soak/plot.py SOAK-CYCLES.csv OUT.svg

Lines are rank 0 and rank 1, which live for ever; the grey band is from the least to the most of the members that
come and go.  /usr/bin/python3 is the Python for which the distribution has matplotlib (tools/install-deps plot)."""
import collections
import csv
import os
import sys

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from pictures import save  # noqa: E402

COLORS = {"0": "#2a7f4f", "1": "#6b4fa0"}
MEMBERS = [("own_kib", "own memory of a rank, KiB"), ("bytes", "memory of its library, bytes"),
           ("contexts", "communicators, lingering ones too"), ("fds", "descriptors of a rank"),
           ("parked", "frames nobody took yet"), ("segment_kib", "the job's segment, KiB"),
           ("shared_kib", "of which a rank has looked at, KiB")]
LAUNCHER = [("launcher_kib", "memory of mpiexec, KiB"), ("launcher_fds", "descriptors of mpiexec")]
POINTS = 50  # of a line, at most


def points(rows, key, wanted):
    """[(cycle, least, most)] of the rows that have the key."""
    found = collections.defaultdict(list)
    for r in rows:
        if r[key] != "" and wanted(r["rank"]):
            found[int(r["cycle"])].append(float(r[key]))
    cycles = sorted(found)
    cycles = cycles[::-(-len(cycles) // POINTS) or 1]
    return [(c, min(found[c]), max(found[c])) for c in cycles]


def draw(axes, rows, key, title):
    band = list(zip(*points(rows, key, lambda rank: rank not in ("0", "1", ""))))
    if band:
        axes.fill_between(*band, color="#cccccc", linewidth=0)
    for rank, color in {**COLORS, "": "#b5382a"}.items():
        line = [(c, most) for c, _, most in points(rows, key, lambda of, rank=rank: of == rank)]
        if line:
            axes.plot(*zip(*line), color=color, linewidth=1.2)
    axes.set_title(title, fontsize=9)
    axes.set_ylim(0, 1.1 * max(axes.get_ylim()[1], 1))
    axes.xaxis.set_major_locator(MaxNLocator(2, steps=[5, 10]))
    axes.yaxis.set_major_locator(MaxNLocator(3, integer=True))
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlim(left=0)
    axes.tick_params(labelsize=7, length=0)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="ascii", newline="") as f:
        rows = list(csv.DictReader(f))
    figure = Figure(figsize=(11, 7.5), layout="constrained")
    for axes, (key, title) in zip(figure.subplots(3, 3).flat, MEMBERS + LAUNCHER):
        draw(axes, rows, key, title)
    cycles = max(int(r["cycle"]) for r in rows)
    figure.suptitle(f"One job that loses {cycles:,} ranks, one after the other, and is kept at size\n"
                    "green and violet: rank 0 and rank 1, which live for ever; grey: those that come and go; "
                    "red: mpiexec; to the right: cycles", fontsize=10)
    save(figure, sys.argv[2])


main()
