#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""plot.py – the results of test/bench/run as a picture.

Usage: test/bench/plot.py RESULTS.json OUT.svg

One bar per row, logarithmic, left is better.  Rows with peers: time relative to the better peer (where more is
better: the inverse).  Rows of Mend alone: relative to the limit, so the target is 1.
/usr/bin/python3 is the Python for which the distribution has matplotlib (tools/install-deps plot)."""
import json
import os
import sys

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from pictures import save  # noqa: E402

LEAST, MOST = 1 / 32, 8
GOOD, BAD, OPEN = "#2a7f4f", "#b5382a", "#9aa0a6"
PEERS = (("mpich", "MPICH", "#6b4fa0"), ("openmpi", "Open MPI", "#d98a00"))


def relative(result):
    """(Mend, target, {peer: value}) relative to the better peer or to the limit; None: no figure."""
    mend = result["figures"]["mend"]
    if not mend or result["limit"] is None:
        return None
    if result["against"] == "peers":
        peers = {k: result["figures"][k]["value"] for k in ("mpich", "openmpi")
                 if result["figures"][k]}
        best = (max if result["more"] else min)(peers.values())
        turn = (lambda v: best / v) if result["more"] else (lambda v: v / best)
        target = 1 / result["limit"] if result["more"] else result["limit"]
        return turn(mend["value"]), target, {k: turn(v) for k, v in peers.items()}
    in_unit = result["ratio"] is None or "+" in result["target"]
    return (mend["value"] if in_unit else result["ratio"]) / result["limit"], 1, {}


def on_scale(value):
    return min(MOST, max(LEAST, value))


def draw_row(axes, y, result):
    found = relative(result)
    if not found:
        axes.text(LEAST, y, " no figure", va="center", color=BAD, fontsize=8)
        return
    mine, target, peers = found
    color = GOOD if result["met"] else BAD if result["applies"] else OPEN
    axes.barh(y, on_scale(mine) - LEAST, left=LEAST, height=0.6, color=color)
    axes.plot([on_scale(target)] * 2, [y - 0.45, y + 0.45], color="black", linewidth=1.5)
    for key, _, shade in PEERS:
        if key in peers:
            axes.plot(on_scale(peers[key]), y, "o", markersize=5, color=shade)
    axes.text(MOST, y, f"  {mine:.2f}" + (" !" if result["noisy"] else ""), va="center", fontsize=8)


def legend(axes):
    for color, words in ((GOOD, "Mend, target met"), (BAD, "missed"),
                         (OPEN, "condition of the target does not hold here")):
        axes.barh(-9, 0, color=color, label=words)
    for _, words, shade in PEERS:
        axes.plot([], [], "o", color=shade, label=words)
    axes.plot([], [], color="black", linewidth=1.5, label="target")
    axes.legend(ncol=6, fontsize=8, frameon=False, loc="lower left", bbox_to_anchor=(0, 1.01))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as f:
        told = json.load(f)
    rows, about = told["rows"], told["about"]
    figure = Figure(figsize=(12, 1.2 + 0.22 * len(rows)), layout="constrained")
    axes = figure.add_subplot(xscale="log", xlim=(LEAST, MOST), ylim=(len(rows) - 0.4, -0.6))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}" if v >= 1 else f"1/{1 / v:g}"))
    axes.set_xticks([2.0 ** k for k in range(-5, 4)])
    axes.minorticks_off()
    axes.tick_params(top=True, labeltop=False)
    axes.set_yticks(range(len(rows)), [r["title"] for r in rows], fontsize=8)
    axes.grid(axis="x", color="#dddddd")
    axes.axvline(1, color="black", linewidth=0.8)
    for y, result in enumerate(rows):
        draw_row(axes, y, result)
    legend(axes)
    figure.suptitle("Mend beside MPICH and Open MPI: time relative to the better of the two (Mend alone: to the "
                    f"limit); left is better\n{about['cpu']}, {about['cores']} cores, {about['date']}", fontsize=10)
    save(figure, sys.argv[2])


main()
